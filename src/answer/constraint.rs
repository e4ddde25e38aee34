//! The answer of `cbc`: what became of each constraint.

use std::fmt::{Result, Write};

use bsym_language::model::Model;
use bsym_semantics::verdict::{Counterexample, Reason, ReasonCode};
use schemars::JsonSchema;
use serde::Serialize;

use super::encoding::EncodingObject;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{StepObject, Style, ViolatedObject, constants, write_steps, write_violations};
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// What a solver is asked for.
    ConstraintWord {
        /// A state without an enabled event.
        Deadlock = "deadlock",
        /// A state in which an assertion is false.
        Assertion = "assertion",
        /// A step that breaks the invariant.
        Invariant = "invariant",
        /// A run of events.
        Sequence = "sequence",
    }
}

words! {
    /// Whether there is what was asked for.
    FoundWord {
        /// There is: it was replayed.
        Found = "found",
        /// There is none in the scope.
        None = "none",
        /// Not decided.
        Unknown = "unknown",
    }
}

/// What bsym cbc prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ConstraintAnswer {
    #[schemars(extend("const" = "bsym-cbc"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    pub scope: ScopeObject,
    pub encoding: EncodingObject,
    pub constraints: Vec<ConstraintObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub stats: TimeObject,
}

/// A constraint.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ConstraintObject {
    pub kind: ConstraintWord,
    /// The event, the assertion, the sequence, or the predicate of the deadlock.
    pub about: Option<String>,
    pub result: FoundWord,
    #[schemars(with = "Option<ReasonSchema>")]
    pub reason: Option<ReasonCode>,
    /// The reason in a sentence.
    pub message: Option<String>,
    /// Of a sequence that is impossible: how many of its first events can be taken one after the other.
    pub possible: Option<usize>,
    pub finding: Option<FindingObject>,
    pub trace_file: Option<String>,
    pub seconds: f64,
}

/// A state or run that satisfies a constraint.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct FindingObject {
    /// The first state is an initial one. Others need not be reachable.
    pub is_initial: bool,
    pub scope: ScopeObject,
    pub violated: Vec<ViolatedObject>,
    pub constants: Values,
    /// Unless the first state is an initial one, the first step is none: it has only the state.
    pub trace: Vec<StepObject>,
}

impl FindingObject {
    /// A state or run that was replayed.
    pub fn new(model: &Model, found: &Counterexample, is_initial: bool) -> FindingObject {
        let mut trace = StepObject::all(model, &found.trace);
        if let Some(first) = trace.first_mut()
            && !is_initial
        {
            *first = first.only_state();
        }
        FindingObject {
            is_initial,
            scope: ScopeObject::new(model, &found.trace.scope, &Default::default()),
            violated: ViolatedObject::explained(model, &found.trace, &found.violations),
            constants: constants(model, &found.trace),
            trace,
        }
    }
}

impl ConstraintObject {
    /// A constraint that is not decided.
    pub fn new(kind: ConstraintWord, about: Option<String>) -> ConstraintObject {
        ConstraintObject {
            kind,
            about,
            result: FoundWord::Unknown,
            reason: None,
            message: None,
            possible: None,
            finding: None,
            trace_file: None,
            seconds: 0.0,
        }
    }

    /// Says why there is no answer.
    pub fn unknown(&mut self, reason: &Reason) {
        self.result = FoundWord::Unknown;
        (self.reason, self.message) = (Some(reason.code()), Some(reason.text()));
    }

    /// Whether the answer is one that the author of the model wants: a sequence is wanted, everything else is not.
    fn is_good(&self) -> Option<bool> {
        match self.result {
            FoundWord::Unknown => None,
            FoundWord::Found => Some(self.kind == ConstraintWord::Sequence),
            FoundWord::None => Some(self.kind != ConstraintWord::Sequence),
        }
    }

    /// What is said of it, in words.
    fn sentence(&self) -> String {
        let about = self.about.as_deref().unwrap_or_default();
        let is_found = self.result == FoundWord::Found;
        match (self.kind, is_found) {
            (ConstraintWord::Deadlock, true) => {
                "deadlock: a state that satisfies the invariant, without an enabled event".into()
            }
            (ConstraintWord::Deadlock, false) => {
                "deadlock: where the invariant holds, an event is enabled".into()
            }
            (ConstraintWord::Assertion, true) => format!("assertion: the invariant does not imply {about}"),
            (ConstraintWord::Assertion, false) => format!("assertion: the invariant implies {about}"),
            (ConstraintWord::Invariant, true) => format!("invariant: {about} does not preserve it"),
            (ConstraintWord::Invariant, false) => format!("invariant: {about} preserves it"),
            (ConstraintWord::Sequence, _) => format!("sequence: {about}"),
        }
    }

    fn write(&self, out: &mut String, style: Style) -> Result {
        let (paint, word) = (style.paint, self.result.word());
        let head = match self.is_good() {
            Some(true) => paint.good(word),
            Some(false) => paint.bad(word),
            None => paint.doubt(word),
        };
        let sentence = match (self.result, self.kind) {
            (FoundWord::Unknown, kind) => match &self.about {
                Some(about) => format!("{}: {about}", kind.word()),
                None => kind.word().into(),
            },
            _ => self.sentence(),
        };
        writeln!(out, "{head}: {sentence}")?;
        if let (ConstraintWord::Deadlock, Some(about)) = (self.kind, &self.about) {
            writeln!(out, "  where {about}")?;
        }
        if let Some(message) = &self.message {
            writeln!(out, "  reason: {message}")?;
        }
        if let Some(n) = self.possible {
            let events: Vec<&str> =
                self.about.as_deref().unwrap_or_default().split(';').map(str::trim).collect();
            match events.get(n) {
                Some(next) if n > 0 => {
                    writeln!(out, "  {} is possible, then {next} is not", events[..n].join("; "))?
                }
                Some(next) => writeln!(out, "  {next} is not possible in the first state")?,
                None => writeln!(out, "  the events are possible, but not to such an end")?,
            }
        }
        if let Some(finding) = &self.finding {
            writeln!(out)?;
            write_steps(out, &finding.constants, &finding.trace, style)?;
            writeln!(out)?;
            write_violations(out, &finding.violated, style)?;
            writeln!(out, "  in the scope: {}", finding.scope.text())?;
            if !finding.is_initial {
                writeln!(out, "  the first state satisfies the invariant and need not be reachable")?;
            }
        }
        if let Some(path) = &self.trace_file {
            writeln!(out, "  trace written to {path}")?;
        }
        Ok(())
    }
}

impl ConstraintAnswer {
    /// What a script is told.
    pub fn exit(&self) -> Exit {
        let all = || self.constraints.iter().map(ConstraintObject::is_good);
        if all().any(|good| good == Some(false)) {
            Exit::Violated
        } else if all().all(|good| good == Some(true)) && self.not_checked.is_empty() {
            Exit::Done
        } else {
            Exit::Unknown
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
        for constraint in &self.constraints {
            constraint.write(out, Style::new(verbose, paint))?;
        }
        writeln!(out, "  scope: {}", self.scope.text())?;
        if let Some(encoding) = self.encoding.text() {
            writeln!(out, "  encoding: {encoding}")?;
        }
        writeln!(out, "  {:.2} s", self.stats.seconds)?;
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        Ok(())
    }
}
