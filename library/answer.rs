//! Answers: verdicts, counterexamples, states and steps, with values as text.

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Counterexample, Verdict};

/// An answer about all properties that were asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Conclusion,
    /// Predicates that make the invariant inductive, in the notation of the machine, if it was proved in that way.
    pub lemmas: Vec<String>,
    /// Number of the states that were visited, if states were listed.
    pub states: Option<usize>,
    /// Parts of the machine that the answer says nothing about, such as what a refinement says of its abstraction.
    pub not_checked: Vec<String>,
}

/// What follows about the properties that were asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// The invariant, and what else was asked, holds in every reachable state. [`Answer::not_checked`] has the parts of the
    /// machine that this says nothing about.
    Holds,
    /// Something is violated, as a replayed trace shows.
    Violated(ViolatingTrace),
    /// There is nothing to check, for the reason that is given: no values of the constants, or no initial state.
    Vacuous(String),
    /// Not decided, for the reason that is given.
    Unknown(String),
}

/// A trace to a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolatingTrace {
    /// What is violated at its end: the text of each false predicate, or a description.
    pub violated: Vec<String>,
    /// Values of the constants.
    pub constants: BTreeMap<String, String>,
    /// The initialisation, then events.
    pub steps: Vec<Step>,
    /// Number of steps that are left out because they repeat those before them, as decimal digits; `"0"` for most traces.
    pub left_out: String,
}

/// A step of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Name of the event, or `INITIALISATION`.
    pub event: String,
    /// Values of the parameters by name.
    pub parameters: BTreeMap<String, String>,
    /// The state that is reached; `None` if the step fails before it reaches one.
    pub state: Option<State>,
}

/// A state: the values of all variables. Two states are equal if their values and those of the constants are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(crate) constants: Constants,
    pub(crate) values: Vec<Value>,
    texts: BTreeMap<String, String>,
}

impl State {
    /// Returns the value of a variable as text of B.
    pub fn get(&self, variable: &str) -> Option<&str> {
        self.texts.get(variable).map(String::as_str)
    }

    /// Returns the values of all variables as text of B, by name.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.texts
    }
}

/// Makes the answer of a verdict.
pub(crate) fn answer<E, C>(
    model: &Model,
    found: &Verdict<E, C>,
    lemmas: Vec<String>,
    states: Option<usize>,
) -> Answer {
    use Verdict::*;
    let verdict = match found {
        Holds(_) => Conclusion::Holds,
        Conditional(_, conditions) => {
            Conclusion::Unknown(conditions.iter().map(|c| c.message()).collect::<Vec<_>>().join("; "))
        }
        Violated(found) => Conclusion::Violated(violating_trace(model, found)),
        Doubtful(_, why) => Conclusion::Unknown(why.clone()),
        Vacuous(_, why) => Conclusion::Vacuous(why.clone()),
        Unknown(reason) => Conclusion::Unknown(reason.text()),
        Contradiction(_) => {
            Conclusion::Unknown("parts of bsym contradict each other: please report it".into())
        }
    };
    let not_checked = model.refinement.not_checked.iter().map(|dropped| dropped.describe(model)).collect();
    Answer { verdict, lemmas, states, not_checked }
}

fn violating_trace(model: &Model, found: &Counterexample) -> ViolatingTrace {
    let Trace { scope, constants, steps, repeats } = &found.trace;
    let eval = Evaluator::new(model, scope);
    let step = |step: &bsym_semantics::trace::Step| {
        let state = step.state.as_ref().map(|values| state(&eval, model, constants, values));
        named_step(&eval, model, step.event.map(|e| e.index()), &step.execution.parameters, state)
    };
    let left_out = repeats.iter().fold(Int::ZERO, |sum, repeat| {
        &sum + &(&repeat.rounds * &Int::from(i64::try_from(repeat.length).unwrap_or(i64::MAX)))
    });
    ViolatingTrace {
        violated: found.violations.iter().flat_map(|violation| violated(model, violation)).collect(),
        constants: named(&eval, model.constants.iter().map(|c| c.name.as_str()), constants),
        steps: steps.iter().map(step).collect(),
        left_out: left_out.to_string(),
    }
}

fn violated(model: &Model, violation: &Violation) -> Vec<String> {
    match violation {
        Violation::Invariant(which) => which.iter().map(|i| model.invariant[*i].text.clone()).collect(),
        Violation::Assertions(which) => which.iter().map(|i| model.assertions[*i].text.clone()).collect(),
        Violation::Deadlock => vec!["no event is enabled".into()],
        Violation::Goal => vec!["GOAL".into()],
        Violation::IllDefined(error) => vec![error.message.clone()],
        Violation::Assert(span) => {
            vec![format!("the assertion `{}`", bsym_language::print::at(model, *span))]
        }
        Violation::Precondition(span) => {
            vec![format!("the precondition `{}`", bsym_language::print::at(model, *span))]
        }
        Violation::Refinement(id) => vec![model.refinement.checks[id.index()].message(model)],
    }
}

fn named<'n>(
    eval: &Evaluator<'_>,
    names: impl Iterator<Item = &'n str>,
    values: &[Value],
) -> BTreeMap<String, String> {
    names.zip(values).map(|(name, value)| (name.to_string(), eval.text(value))).collect()
}

/// Makes a state of its values.
pub(crate) fn state(eval: &Evaluator<'_>, model: &Model, constants: &[Value], values: &[Value]) -> State {
    let texts = named(eval, model.variables.iter().map(|v| v.name.as_str()), values);
    State { constants: constants.to_vec(), values: values.to_vec(), texts }
}

/// Makes a step of the position of its event, which is none for the initialisation, and the values of its parameters.
pub(crate) fn named_step(
    eval: &Evaluator<'_>,
    model: &Model,
    event: Option<usize>,
    values: &[Value],
    state: Option<State>,
) -> Step {
    let (event, parameters) = match event.map(|e| &model.events[e]) {
        Some(event) => {
            let names = event.parameters.iter().map(|p| model.locals[p.index()].name.as_str());
            (event.name.clone(), named(eval, names, values))
        }
        None => ("INITIALISATION".into(), BTreeMap::new()),
    };
    Step { event, parameters, state }
}
