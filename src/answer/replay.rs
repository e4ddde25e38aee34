//! The answer of `replay`: whether a trace is one of the machine, and what is wrong where it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Result, Write};

use bsym_language::model::LocalId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::trace::Step;
use bsym_semantics::trace::partial::PartialStep;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::location;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::property::event_name;
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{StepObject, Style, ViolatedObject, events, values, write_steps, write_violations};
use crate::exit::Exit;
use crate::paint::Paint;
use crate::tuning::tuning;

/// What bsym replay prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Replay {
    #[schemars(extend("const" = "bsym-replay"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    pub machine: String,
    pub scope: ScopeObject,
    /// Whether the trace is one of the machine.
    pub replayed: bool,
    /// Where it is none, and why.
    pub failure: Option<FailureObject>,
    /// It may be one all the same, because not all steps were looked at.
    pub is_open: bool,
    /// Why what is wrong at its end shows no fault of the machine.
    pub doubt: Option<String>,
    pub violated: Vec<ViolatedObject>,
    /// What became of the choices of the trace; missing where it is none of the machine.
    pub choices: Option<ChoicesObject>,
    /// Values of a trace of another tool that could not be read, each with its place: nothing was compared with them.
    pub unread: Vec<String>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub constants: Values,
    pub trace: Vec<StepObject>,
    pub stats: TimeObject,
}

/// Choices of a trace: a step can be repeated without them where it leads to one state only.
#[derive(Serialize, JsonSchema, Clone, Copy, Debug)]
pub struct ChoicesObject {
    /// Those that the trace has.
    pub given: usize,
    /// Of these, those that no step makes.
    pub unused: usize,
    /// Those that it lacks, and that were found.
    pub found: usize,
}

/// A step that the machine does not take.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct FailureObject {
    /// Position; missing for the scope and the constants.
    pub step: Option<usize>,
    pub reason: String,
    /// Both, as the program says it.
    #[serde(skip)]
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The step as the trace tells it; missing for the scope and the constants.
    pub expected: Option<OfferObject>,
    /// Steps that the machine takes there: of the same event, or if there are none, of all events.
    pub allowed: Vec<OfferObject>,
    /// There are more.
    pub more_allowed: bool,
}

/// A step, as far as it is known.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct OfferObject {
    /// Missing where any event may be meant.
    pub event: Option<String>,
    pub parameters: Values,
    pub results: Values,
    /// Missing where no state is reached, or none is known.
    pub state: Option<Values>,
    /// Names of the variables whose values differ from those before.
    #[serde(skip)]
    changed: Vec<String>,
}

impl OfferObject {
    /// A step of the machine behind a state.
    pub fn of_step(eval: &Evaluator<'_>, step: &Step, before: Option<&State>) -> OfferObject {
        let model = eval.model;
        let event = step.event.and_then(|e| model.events.get(e.index()));
        let locals = |ids: &[LocalId], of: &[Value]| {
            let names = ids.iter().map(|l| model.locals.get(l.index()).map_or("?", |v| v.name.as_str()));
            values(model, eval.scope, names, of)
        };
        let names = || model.variables.iter().map(|v| v.name.as_str());
        let state = step.state.as_ref();
        let differs = |(i, value): &(usize, &Value)| before.is_none_or(|b| b.get(*i) != Some(value));
        let changed = state.into_iter().flatten().enumerate().filter(differs);
        OfferObject {
            event: Some(event_name(model, step.event)),
            parameters: locals(event.map_or(&[][..], |e| &e.parameters), &step.execution.parameters),
            results: locals(event.map_or(&[][..], |e| &e.results), &step.execution.results),
            state: state.map(|s| values(model, eval.scope, names(), s)),
            changed: changed.filter_map(|(i, _)| Some(model.variables.get(i)?.name.clone())).collect(),
        }
    }

    /// A step as a trace tells it.
    pub fn known(eval: &Evaluator<'_>, step: &PartialStep, before: Option<&State>) -> OfferObject {
        let model = eval.model;
        let text = |all: &BTreeMap<String, Value>| -> Values {
            all.iter().map(|(name, v)| (name.clone(), value_text(model, eval.scope, v))).collect()
        };
        let is_changed = |name: &String| {
            let at = model.variables.iter().position(|v| v.name == *name);
            before.is_none_or(|b| at.and_then(|i| b.get(i)) != step.state.get(name))
        };
        OfferObject {
            event: step.event.clone(),
            parameters: text(&step.parameters),
            results: text(&step.results),
            state: (!step.state.is_empty()).then(|| text(&step.state)),
            changed: step.state.keys().filter(|name| is_changed(name)).cloned().collect(),
        }
    }

    /// In one line, with the values of these variables.
    fn text(&self, shown: &BTreeSet<&str>) -> String {
        let equations = |values: &Values, is_shown: &dyn Fn(&str) -> bool| {
            let shown = values.iter().filter(|(name, _)| is_shown(name));
            let texts: Vec<String> =
                shown.map(|(name, value)| format!("{name} = {}", clipped(value))).collect();
            texts.join(", ")
        };
        let event = self.event.as_deref().unwrap_or("any event");
        let results = equations(&self.results, &|_| true);
        let results = if results.is_empty() { results } else { format!("{results} <-- ") };
        let parameters = equations(&self.parameters, &|_| true);
        let parameters = if parameters.is_empty() { parameters } else { format!("({parameters})") };
        let state = match &self.state {
            Some(state) => equations(state, &|name| shown.contains(name)),
            None => String::new(),
        };
        let state = if state.is_empty() { state } else { format!(": {state}") };
        format!("{results}{event}{parameters}{state}")
    }
}

/// A value of at most some length.
fn clipped(value: &str) -> String {
    if value.chars().count() <= tuning().listed.choice {
        return value.to_string();
    }
    value.chars().take(tuning().listed.choice).chain("…".chars()).collect()
}

impl ChoicesObject {
    const NONE: ChoicesObject = ChoicesObject { given: 0, unused: 0, found: 0 };
}

/// What became of a trace.
pub enum Replayed {
    /// It is one of the machine; what is wrong at its end.
    Good(Vec<ViolatedObject>),
    /// The same, but what is wrong shows no fault: why.
    Doubtful(Vec<ViolatedObject>, String),
    /// It is none, or it may be one, because steps were not looked at.
    Failed(Box<FailureObject>, bool),
}

impl Replay {
    /// A trace and what became of it.
    pub fn new(
        machine: &str,
        scope: ScopeObject,
        (constants, trace): (Values, Vec<StepObject>),
        not_checked: Vec<DroppedObject>,
        replayed: Replayed,
        seconds: f64,
    ) -> Replay {
        let (violated, doubt, failure, is_open) = match replayed {
            Replayed::Good(violated) => (violated, None, None, false),
            Replayed::Doubtful(violated, why) => (violated, Some(why), None, false),
            Replayed::Failed(failure, is_open) => (vec![], None, Some(*failure), is_open),
        };
        Replay {
            format: "bsym-replay",
            version: 1,
            machine: machine.into(),
            scope,
            replayed: failure.is_none(),
            failure,
            is_open,
            doubt,
            violated,
            choices: None,
            unread: vec![],
            not_checked,
            constants,
            trace,
            stats: TimeObject { seconds },
        }
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match (&self.failure, &self.doubt) {
            (Some(_), _) if self.is_open => Exit::Unknown,
            (Some(_), _) => Exit::Violated,
            (None, Some(_)) => Exit::Unknown,
            (None, None) => Exit::Done,
        }
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out, verbose, paint);
        out
    }

    fn write(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        if let Some(failure) = &self.failure {
            return self.write_failure(out, failure, verbose, paint);
        }
        let n = self.trace.len().saturating_sub(1);
        match &self.doubt {
            None => writeln!(out, "{}: {} of {}", paint.good("replayed"), events(n), self.machine)?,
            Some(why) => {
                let head = paint.doubt("unknown");
                let events = events(n);
                writeln!(out, "{head}: the replay of {events} of {} shows no fault", self.machine)?;
                writeln!(out, "  reason: {why}")?;
            }
        }
        writeln!(out, "  scope: {}", self.scope.text())?;
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        writeln!(out)?;
        write_steps(out, &self.constants, &self.trace, Style::new(verbose, paint))?;
        writeln!(out)?;
        write_violations(out, &self.violated, Style::new(verbose, paint))?;
        let ChoicesObject { unused, found, .. } = self.choices.unwrap_or(ChoicesObject::NONE);
        if unused > 0 {
            writeln!(out, "  choices of the trace that no step makes: {unused}")?;
        }
        if found > 0 {
            writeln!(out, "  choices that the trace does not have, found by search: {found}")?;
        }
        self.write_unread(out)?;
        if self.violated.is_empty() {
            writeln!(out, "  nothing is violated at its end")?;
        }
        Ok(())
    }

    fn write_failure(
        &self,
        out: &mut String,
        failure: &FailureObject,
        verbose: bool,
        paint: Paint,
    ) -> Result {
        let at = location(&failure.file, failure.line).map(|at| format!("   {at}")).unwrap_or_default();
        let head = match self.is_open {
            true => paint.doubt("unknown whether this is a trace of this machine"),
            false => paint.bad("not a trace of this machine"),
        };
        writeln!(out, "{head}: {}{at}", failure.text)?;
        let offers = || failure.expected.iter().chain(&failure.allowed);
        let shown: BTreeSet<&str> = offers().flat_map(|o| o.changed.iter().map(String::as_str)).collect();
        if let Some(expected) = &failure.expected {
            writeln!(out, "  expected: {}", expected.text(&shown))?;
            match &failure.allowed[..] {
                [] => writeln!(out, "  the machine takes no step there")?,
                allowed => {
                    writeln!(out, "  steps of the machine there:")?;
                    for step in allowed {
                        writeln!(out, "    {}", step.text(&shown))?;
                    }
                    if failure.more_allowed {
                        writeln!(out, "    … and more")?;
                    }
                }
            }
        }
        self.write_unread(out)?;
        writeln!(out, "  scope: {}", self.scope.text())?;
        if !self.trace.is_empty() {
            writeln!(out, "\nuntil there:\n")?;
            write_steps(out, &self.constants, &self.trace, Style::new(verbose, paint))?;
        }
        Ok(())
    }

    fn write_unread(&self, out: &mut String) -> Result {
        match &self.unread[..] {
            [] => Ok(()),
            [first] => writeln!(out, "  not read, and not compared: {first}"),
            [first, others @ ..] => {
                writeln!(out, "  not read, and not compared: {first} and {} other values", others.len())
            }
        }
    }
}
