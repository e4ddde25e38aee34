//! The answer of `replay`: whether a trace is one of the machine, and what is wrong where it ends.

use std::fmt::{Result, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::location;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{StepObject, Style, ViolatedObject, write_steps, write_violations};
use crate::exit::Exit;
use crate::paint::Paint;

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
    /// Why what is wrong at its end shows no fault of the machine.
    pub doubt: Option<String>,
    pub violated: Vec<ViolatedObject>,
    /// What became of the choices of the trace; missing where it is none of the machine.
    pub choices: Option<ChoicesObject>,
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
    /// It is none.
    Failed(FailureObject),
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
        let (violated, doubt, failure) = match replayed {
            Replayed::Good(violated) => (violated, None, None),
            Replayed::Doubtful(violated, why) => (violated, Some(why), None),
            Replayed::Failed(failure) => (vec![], None, Some(failure)),
        };
        Replay {
            format: "bsym-replay",
            version: 1,
            machine: machine.into(),
            scope,
            replayed: failure.is_none(),
            failure,
            doubt,
            violated,
            choices: None,
            not_checked,
            constants,
            trace,
            stats: TimeObject { seconds },
        }
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match (&self.failure, &self.doubt) {
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
            let at = location(&failure.file, failure.line).map(|at| format!("   {at}")).unwrap_or_default();
            return writeln!(out, "{}: {}{at}", paint.bad("not a trace of this machine"), failure.text);
        }
        let n = self.trace.len().saturating_sub(1);
        match &self.doubt {
            None => writeln!(out, "{}: {n} events of {}", paint.good("replayed"), self.machine)?,
            Some(why) => {
                let head = paint.doubt("unknown");
                writeln!(out, "{head}: {n} events of {} were replayed and show no fault", self.machine)?;
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
            writeln!(out, "  {unused} choices of the trace are made by no step")?;
        }
        if found > 0 {
            writeln!(out, "  {found} choices are not in the trace and were found")?;
        }
        if self.violated.is_empty() {
            writeln!(out, "  nothing is violated at its end")?;
        }
        Ok(())
    }
}
