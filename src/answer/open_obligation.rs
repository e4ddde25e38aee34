//! Why an obligation is open: the state and the step that refute it, and whether anything leads there.

use std::fmt::{Result, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::named::Values;
use super::trace::{StepObject, Style, ViolatedObject, events, write_steps, write_violations};
use super::words::words;
use crate::paint::Paint;

words! {
    /// Whether a state is reachable.
    ReachKind {
        Reached = "reached",
        Excluded = "excluded",
        NotWithin = "not-within",
        Unknown = "unknown",
    }
}

/// Why an obligation is open. The state has what the goal, the event and the failed part depend on.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Explanation {
    pub name: String,
    pub goal: String,
    /// The part that fails; nothing where there is no counterexample.
    pub violated: Vec<ViolatedObject>,
    pub constants: Values,
    /// The state before, without an event, and the step. Nothing where there is no counterexample.
    pub step: Vec<StepObject>,
    pub reach: Option<Reach>,
    /// Why there is no counterexample.
    pub message: Option<String>,
}

/// Whether a state with these values is reachable.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Reach {
    pub kind: ReachKind,
    /// No state with these values is reached by so many events.
    pub depth: Option<usize>,
    /// Invariants that no such state satisfies, together.
    pub lemmas: Vec<String>,
    /// How it is reached.
    pub trace: Vec<StepObject>,
}

impl Explanation {
    /// Tests for an obligation that fails after a trace that was found.
    pub fn is_reached(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| reach.kind == ReachKind::Reached) && !self.violated.is_empty()
    }

    /// For people.
    pub fn write(&self, out: &mut String, paint: Paint) -> Result {
        writeln!(out, "\n{}: {}", paint.strong(&self.name), self.goal)?;
        if let Some(message) = &self.message {
            return writeln!(out, "  {message}");
        }
        write_steps(out, &self.constants, &self.step, Style::new(false, paint))?;
        write_violations(out, &self.violated, Style::new(false, paint))?;
        let Some(reach) = &self.reach else { return Ok(()) };
        match reach.kind {
            ReachKind::Reached if reach.trace.is_empty() => {
                writeln!(out, "  the initialisation itself does it: this is a fault of the machine")
            }
            ReachKind::Reached => {
                writeln!(out, "  {} with these values is reachable:", paint.bad("a state"))?;
                write_steps(out, &Values::default(), &reach.trace, Style::new(false, paint))
            }
            ReachKind::Excluded if reach.lemmas.is_empty() => {
                writeln!(out, "  no such state is {}", paint.good("reachable"))
            }
            ReachKind::Excluded => {
                writeln!(out, "  no such state is {}; what the invariant lacks:", paint.good("reachable"))?;
                reach.lemmas.iter().try_for_each(|lemma| writeln!(out, "    & {lemma}"))
            }
            ReachKind::NotWithin => {
                let n = reach.depth.unwrap_or_default();
                writeln!(
                    out,
                    "  no such state is reached within {}; whether one is at all is open",
                    events(n)
                )
            }
            ReachKind::Unknown => writeln!(out, "  whether such a state is reachable is open"),
        }
    }
}
