//! The answer of `ltl`: what became of each temporal formula.

use std::fmt::{Result, Write};

use bsym_explore::temporal::{Evidence, Refutation, TemporalStatistics};
use bsym_language::model::Model;
use bsym_semantics::temporal::Continuation;
use bsym_semantics::verdict::{Reason, ReasonCode};
use schemars::JsonSchema;
use serde::Serialize;

use super::against::BaselineObject;
use super::diagnostic::location;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::property::AxiomObject;
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::statistics::{TimeObject, seconds};
use super::trace::{StepObject, Style, constants, counted, write_steps};
use super::verification::VerdictWord;
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// How a path goes on after its last step.
    ContinuationWord {
        /// From an earlier state again, for ever.
        Loop = "loop",
        /// Not at all: no event is enabled.
        Ends = "ends",
        /// In any way.
        Open = "open",
    }
}

/// What bsym ltl prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct TemporalAnswer {
    #[schemars(extend("const" = "bsym-ltl"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    pub scope: ScopeObject,
    /// Of all formulas together: the first of violated, unknown, vacuous and holds that one of them has.
    pub verdict: VerdictWord,
    pub formulas: Vec<TemporalObject>,
    /// Axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub stats: TimeObject,
    /// The answer was given before and kept; stats are those of that run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// What a baseline knows of this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineObject>,
}

/// A formula.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct TemporalObject {
    /// The definition that it was read from.
    pub name: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub verdict: VerdictWord,
    #[schemars(with = "Option<ReasonSchema>")]
    pub reason: Option<ReasonCode>,
    /// The reason in a sentence.
    pub message: Option<String>,
    pub help: Option<String>,
    /// A path on which it is false, or that shows why it is false in an initial state.
    pub counterexample: Option<PathObject>,
    /// A path that shows why a formula of branching time is true in an initial state, where one path can.
    pub witness: Option<PathObject>,
    /// That it is false on this path only because `MAXINT` is small in this scope, and which one to try.
    pub only_in_scope: Option<String>,
    pub trace_file: Option<String>,
    pub stats: TemporalStats,
}

/// What was looked at.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct TemporalStats {
    /// States that were found for this formula and those before it.
    pub states: u64,
    /// Edges between them that the formulas tell apart.
    pub transitions: u64,
    /// States, each with what the rest of a path has to satisfy.
    pub nodes: u64,
    pub seconds: f64,
}

/// A path.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct PathObject {
    pub constants: Values,
    pub trace: Vec<StepObject>,
    pub continuation: ContinuationWord,
    /// Of a loop: the number of the step, from 0, whose state is the last one again.
    pub back_to: Option<usize>,
    /// Of a formula of branching time: the part of it that is true or false in the last state.
    pub claim: Option<ClaimObject>,
}

/// A part of a formula that is true or false in a state.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ClaimObject {
    pub formula: String,
    pub truth: bool,
}

impl PathObject {
    /// A path that was replayed.
    pub fn new(model: &Model, found: &Refutation) -> PathObject {
        let (continuation, back_to) = match found.continuation {
            Continuation::Loop(step) => (ContinuationWord::Loop, Some(step)),
            Continuation::Ends => (ContinuationWord::Ends, None),
            Continuation::Open => (ContinuationWord::Open, None),
        };
        let trace = StepObject::all(model, &found.trace);
        PathObject { constants: constants(model, &found.trace), trace, continuation, back_to, claim: None }
    }

    /// A path that shows why a formula of branching time is true or false.
    pub fn branching(model: &Model, text: &str, found: &Evidence) -> PathObject {
        let Evidence { trace, continuation, claim } = found.clone();
        let claim = claim.map(|((from, to), truth)| ClaimObject {
            formula: text.get(from..to).unwrap_or(text).trim().to_string(),
            truth,
        });
        PathObject { claim, ..PathObject::new(model, &Refutation { trace, continuation }) }
    }

    fn write(&self, out: &mut String, style: Style) -> Result {
        write_steps(out, &self.constants, &self.trace, style)?;
        let last = self.trace.len().saturating_sub(1);
        match (self.continuation, self.back_to) {
            (ContinuationWord::Loop, Some(step)) if step + 1 == last => {
                writeln!(out, "       loop: back to step {step} (step {last} repeats)")
            }
            (ContinuationWord::Loop, Some(step)) => {
                writeln!(out, "       loop: back to step {step} (steps {}–{last} repeat)", step + 1)
            }
            (ContinuationWord::Ends, _) => writeln!(out, "       no event is enabled: the path ends here"),
            _ => match &self.claim {
                Some(ClaimObject { formula, truth }) => writeln!(out, "       here `{formula}` is {truth}"),
                None => writeln!(out, "       however it goes on, the formula is false"),
            },
        }
    }
}

impl From<TemporalStatistics> for TemporalStats {
    fn from(found: TemporalStatistics) -> TemporalStats {
        let TemporalStatistics { states, transitions, nodes, time } = found;
        TemporalStats { states, transitions, nodes, seconds: seconds(time) }
    }
}

impl TemporalObject {
    /// Says why there is no answer.
    pub fn unknown(&mut self, reason: &Reason) {
        self.verdict = VerdictWord::Unknown;
        self.reason = Some(reason.code());
        self.message = Some(reason.text());
    }

    fn write(&self, out: &mut String, style: Style) -> Result {
        let paint = style.paint;
        let word = self.verdict.word();
        let head = match self.verdict {
            VerdictWord::Holds => paint.good(word),
            VerdictWord::Violated => paint.bad(word),
            VerdictWord::Vacuous | VerdictWord::Unknown => paint.doubt(word),
        };
        let name = self.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        write!(out, "{head}: {name}{}", self.text)?;
        if let Some(at) = location(&self.file, self.line) {
            write!(out, "   {}", paint.faint(&at))?;
        }
        writeln!(out)?;
        if let Some(message) = &self.message {
            writeln!(out, "  reason: {message}")?;
        }
        if let Some(help) = &self.help {
            writeln!(out, "  = help: {help}")?;
        }
        if let Some(path) = &self.witness {
            writeln!(out, "  for example:\n")?;
            path.write(out, style)?;
            writeln!(out)?;
        }
        if let Some(path) = &self.counterexample {
            writeln!(out)?;
            path.write(out, style)?;
            if let Some(only) = &self.only_in_scope {
                writeln!(out, "       {}", paint.doubt(only))?;
            }
            writeln!(out)?;
        }
        if let Some(path) = &self.trace_file {
            writeln!(out, "  trace written to {path}")?;
        }
        Ok(())
    }
}

impl TemporalAnswer {
    /// Makes the verdict that of the formulas.
    pub fn conclude(&mut self) {
        let has = |word: VerdictWord| self.formulas.iter().any(|f| f.verdict == word);
        let order = [VerdictWord::Violated, VerdictWord::Unknown, VerdictWord::Vacuous];
        self.verdict = order.into_iter().find(|word| has(*word)).unwrap_or(VerdictWord::Holds);
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match self.verdict {
            VerdictWord::Holds => Exit::Done,
            VerdictWord::Violated => Exit::Violated,
            VerdictWord::Vacuous | VerdictWord::Unknown => Exit::Unknown,
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
        for formula in &self.formulas {
            formula.write(out, Style::new(verbose, paint))?;
        }
        AxiomObject::write_core(&self.core, out, paint)?;
        writeln!(out, "  {}, on all paths of the explicit states", self.machine)?;
        writeln!(out, "  scope: {}", self.scope.text())?;
        let last = self.formulas.iter().rev().find(|f| f.stats.states > 0);
        if let Some(TemporalStats { states, transitions, .. }) = last.map(|f| &f.stats) {
            let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
            writeln!(out, "  {states}, {transitions}, {:.2} s", self.stats.seconds)?;
        }
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        Ok(())
    }
}
