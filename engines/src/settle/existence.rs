//! Existence of something to check: a valuation of the constants, and an initial state.
//!
//! A proof about a machine without states is about nothing, and a solver that knows not every axiom, or does not
//! decide them, never notices. So existence is shown: the evaluator accepts one valuation and one initial
//! state, in the scope of the claim or, where that leaves sizes of deferred sets open, in one of the scopes that it
//! covers. They are read from a model of the solver and replayed, or found by the evaluator itself.
//!
//! The refutation of a solver counts only as far as the evaluator does not know better.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{self, Answer, SolverError};
use bsym_encodings::term::Terms;
use bsym_language::model::Model;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::replay::{Checks, replay};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::Outcome;
use bsym_semantics::verdict::Vacuous;

use crate::excluded::Excluded;
use crate::options::Job;
pub use crate::problem::Existence;
use crate::problem::{Decided, Open, Problem, decide};
use crate::small_scopes::{evaluate_in, scopes, with_sizes};
use crate::tuning::tuning;

/// Effort that the question of existence is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Before the engines begin.
    Quick,
    /// Where a proof waits for the answer.
    Thorough,
}

impl Effort {
    /// Time for one query of a solver.
    fn query(self) -> Duration {
        match self {
            Effort::Quick => tuning().settle.quick_query,
            Effort::Thorough => tuning().settle.thorough_query,
        }
    }

    /// Time for the evaluator.
    fn evaluation(self) -> Duration {
        match self {
            Effort::Quick => tuning().settle.quick_evaluation,
            Effort::Thorough => tuning().settle.thorough_evaluation,
        }
    }
}

/// Looks for a valuation and an initial state.
///
/// # Errors
/// If the solver fails.
pub fn look(
    problem: &mut Problem,
    job: &Job,
    open: &mut Open<'_>,
    effort: Effort,
) -> Result<Existence, SolverError> {
    let budget = job.budget.per_query(effort.query());
    let scope = problem.system.scope.clone();
    let finite = scope.is_finite(&job.model);
    let missing = match solved(problem, open, &budget)? {
        Solved::Shown(trace) => return Ok(Existence::Shown(trace)),
        Solved::Refuted => {
            let refuted = refuted(problem, open, &budget)?;
            // The evaluator meets what is ill-defined in an infinite set only where it is asked for.
            let doubtful = matches!(refuted, Existence::Nothing(..));
            let time = job.budget.within(effort.evaluation());
            let mut met = scopes(&job.model, &scope).map(|s| evaluate(&job.model, &s, &s, &time).shown);
            if doubtful && let Some(trace) = met.find_map(|shown| shown) {
                return Ok(Existence::Contradicted(trace));
            }
            let tried = || sizes_tried(&job.model, &scope);
            return Ok(if doubtful && !finite { of_any_size(refuted, &tried()) } else { refuted });
        }
        Solved::Unknown(why) => why,
    };
    let mut valuation = job.model.constants.is_empty() && job.model.axioms.is_empty();
    // A set of integers that nothing confines has too many values before it has one that is wanted.
    let time = job.budget.within(effort.evaluation() / tuning().settle.near_zero_share);
    for scope in scopes(&job.model, &scope) {
        let Some(near) = scope.near_zero(&job.model) else { break };
        let met = evaluate(&job.model, &scope, &near, &time);
        if let Some(trace) = met.shown {
            return Ok(Existence::Shown(trace));
        }
        valuation |= met.valuation;
    }
    let time = job.budget.within(effort.evaluation());
    for scope in scopes(&job.model, &scope) {
        let met = evaluate(&job.model, &scope, &scope, &time);
        if let Some(trace) = met.shown {
            return Ok(Existence::Shown(trace));
        }
        valuation |= met.valuation;
        // Only in a scope that leaves nothing open is what it refutes refuted.
        if met.complete && finite {
            return Ok(if valuation { no_initial_state(&job.model) } else { no_valuation(&job.model) });
        }
    }
    let solved_in = (!finite && effort == Effort::Thorough)
        .then(|| with_sizes(&job.model, &scope, &tuning().settle.solved));
    for scope in solved_in.into_iter().flatten() {
        let small = Job { scope, ..job.clone() };
        let mut problem = Problem::plain(&small, &Excluded::default());
        if let Solved::Shown(trace) = solved(&mut problem, open, &budget)? {
            return Ok(Existence::Shown(trace));
        }
    }
    let what = if valuation { "initial state" } else { "valuation of the constants" };
    let why = missing.map(|why| format!(" ({why})")).unwrap_or_default();
    Ok(Existence::Undecided(format!("no {what} is known that the evaluator accepts{why}")))
}

/// Answer of a solver.
enum Solved {
    /// Its model replays.
    Shown(Box<Trace>),
    /// There is no initial state.
    Refuted,
    /// The solver does not know, or its model does not replay; the reason, if it is informative.
    Unknown(Option<String>),
}

/// Asks the solver for an initial state, and the evaluator whether it is one.
fn solved(problem: &mut Problem, open: &mut Open<'_>, budget: &Budget) -> Result<Solved, SolverError> {
    let mut session = problem.session(open)?;
    let relation = problem.system.initialisation.relation.unwrap_or(Terms::TRUE);
    let relation = problem.unrolling.init(relation);
    session.assert(relation)?;
    for fact in problem.facts_in(0) {
        session.assert(fact)?;
    }
    let mut read = |model: &mut session::Model<'_>| {
        let read = read_trace(&problem.system, &mut problem.unrolling, model, &[], false);
        let trace = match read {
            Ok(trace) => trace,
            Err(e) => return Solved::Unknown(Some(e.to_string())),
        };
        // Whether the state is good is another question.
        let checks = Checks { invariant: Some(vec![]), ..Checks::default() };
        match replay(&problem.system.model, &trace, &checks) {
            Ok(_) => Solved::Shown(Box::new(trace)),
            Err(e) => Solved::Unknown(Some(format!("the solver's does not replay: {e}"))),
        }
    };
    let mut shown = None;
    let answer = session.check_judged(&[], budget, &mut |model| {
        shown = Some(read(model)).filter(|found| matches!(found, Solved::Shown(_)));
        Ok(shown.is_some())
    })?;
    Ok(match (answer, shown) {
        (Answer::Sat(_), Some(found)) => found,
        (Answer::Sat(mut model), None) => read(&mut model),
        (Answer::Unsat(_), _) => Solved::Refuted,
        (Answer::Unknown(_), _) => Solved::Unknown(None),
    })
}

/// Determines what a solver refuted: the axioms, or an initial state.
fn refuted(problem: &mut Problem, open: &mut Open<'_>, budget: &Budget) -> Result<Existence, SolverError> {
    let mut session = problem.session(open)?;
    if let Decided::Unsat(_) = decide(&mut session, &[], budget)? {
        return Ok(match ill_defined_axioms(problem, open, budget)? {
            Some(reason) => Existence::Undefined(reason),
            None => no_valuation(&problem.system.model),
        });
    }
    Ok(no_initial_state(&problem.system.model))
}

fn no_valuation(model: &Model) -> Existence {
    let why = if model.constants.is_empty() && model.axioms.is_empty() {
        "the scope admits no model".into()
    } else {
        format!("no valuation of the constants satisfies the properties of {}", model.name)
    };
    Existence::Nothing(Vacuous::NoValuation, why)
}

/// The sizes that sets of open size have in the scopes that the evaluator tries, in ascending order.
fn sizes_tried(model: &Model, scope: &Scope) -> Vec<usize> {
    let sets: Vec<_> = scope.open_sets(model).collect();
    let sizes = scopes(model, scope)
        .flat_map(|tried| sets.iter().filter_map(|set| tried.size(model, *set)).collect::<Vec<_>>());
    sizes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Adds to the explanation of [`Existence::Nothing`] which sizes were tried, where the scope leaves sizes open.
fn of_any_size(found: Existence, sizes: &[usize]) -> Existence {
    let tried: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let (last, before) = tried.split_last().map(|(l, b)| (l.clone(), b.join(", "))).unwrap_or_default();
    let says = "so says a solver of sets of any size; the evaluator found none with";
    match found {
        Existence::Nothing(what, why) => {
            Existence::Nothing(what, format!("{why}: {says} {before} or {last} elements"))
        }
        other => other,
    }
}

fn no_initial_state(model: &Model) -> Existence {
    Existence::Nothing(Vacuous::NoInitialState, format!("{} has no initial state", model.name))
}

/// Explains why no valuation satisfies the axioms, if that is because they are ill-defined: finds an axiom that is
/// ill-defined wherever all of them would be true.
fn ill_defined_axioms(
    problem: &Problem,
    open: &mut Open<'_>,
    budget: &Budget,
) -> Result<Option<String>, SolverError> {
    let system = &problem.system;
    if system.axioms.whole == system.axioms.hold {
        return Ok(None);
    }
    let mut session = open(problem.terms())?;
    for &t in system.facts.background.iter().chain(&system.axioms.hold) {
        session.assert(t)?;
    }
    if let Decided::Unsat(_) = decide(&mut session, &[], budget)? {
        return Ok(None);
    }
    let model = &system.model;
    for (axiom, &whole) in model.axioms.iter().zip(&system.axioms.whole) {
        if let Decided::Unsat(_) = decide(&mut session, &[whole], budget)? {
            let (path, at) = (model.text.sources.path(axiom.span), model.text.sources.position(axiom.span));
            let (path, text) = (path.display(), &axiom.text);
            return Ok(Some(format!(
                "{path}:{}:{}: the property `{text}` is ill-defined",
                at.line, at.column
            )));
        }
    }
    Ok(Some("the properties of the constants are ill-defined wherever they would be true".into()))
}

/// Findings of the evaluator in a finite scope.
#[derive(Default)]
struct Met {
    /// An initial state.
    shown: Option<Box<Trace>>,
    /// A valuation of the constants.
    valuation: bool,
    /// `true` if nothing exists beyond these findings.
    complete: bool,
}

/// Evaluates the model with the bounds of integers of `tried`. Reads a state that is found as a state of `scope`.
fn evaluate(model: &Model, scope: &Scope, tried: &Scope, budget: &Budget) -> Met {
    let cuts = Cuts::default();
    let mut met = Met::default();
    let mut count = 0usize;
    let mut left_open = false;
    let done = evaluate_in(model, tried, budget, &cuts, |eval| {
        eval.each_valuation(&Default::default(), &mut |constants, truth| {
            if truth.is_err() {
                left_open = true;
                return ControlFlow::Continue(());
            }
            met.valuation = true;
            count += 1;
            let done = eval.each_edge(None, &constants, &[], &mut |edge| match edge.outcome {
                Outcome::Reached { state, .. } => {
                    let step = Step { event: None, execution: edge.execution, state: Some(state) };
                    let (scope, constants) = (scope.clone(), constants.clone());
                    met.shown = Some(Box::new(Trace::new(scope, constants, vec![step])));
                    ControlFlow::Break(())
                }
                // An initialisation that fails is an answer of its own.
                _ => {
                    left_open = true;
                    ControlFlow::Continue(())
                }
            });
            left_open |= done.is_err();
            if met.shown.is_some() || count >= tuning().settle.valuations {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    });
    met.complete = matches!(done, Ok(ControlFlow::Continue(()))) && !left_open && cuts.is_empty();
    met
}
