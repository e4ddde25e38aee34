//! The answer of `simulate`: a walk and why it ended.

use std::fmt::{Result, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::property::AxiomObject;
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{StepObject, Style, ViolatedObject, events, write_steps, write_violations};
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// Why a walk ended.
    Ended {
        /// All steps were taken.
        Steps = "steps",
        /// No event is enabled.
        Deadlock = "deadlock",
        /// Something is wrong at its end.
        Violated = "violated",
        /// There is no initial state.
        Vacuous = "vacuous",
        /// What comes next is not known, or whether what is wrong is a fault.
        Unknown = "unknown",
    }
}

/// What bsym simulate prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Simulation {
    #[schemars(extend("const" = "bsym-simulation"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    pub seed: u64,
    pub scope: ScopeObject,
    pub ended: Ended,
    pub reason: Option<String>,
    /// Axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    pub events: usize,
    pub violated: Vec<ViolatedObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub constants: Values,
    pub trace: Vec<StepObject>,
    pub trace_file: Option<String>,
    pub stats: TimeObject,
}

impl Simulation {
    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match self.ended {
            Ended::Steps | Ended::Deadlock => Exit::Done,
            Ended::Violated => Exit::Violated,
            Ended::Vacuous | Ended::Unknown => Exit::Unknown,
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
        let (name, events, seed) = (&self.machine, events(self.events), self.seed);
        let reason = self.reason.as_deref().unwrap_or_default();
        match self.ended {
            Ended::Steps => writeln!(out, "{}: {events} of {name} (seed {seed})", paint.good("simulated"))?,
            Ended::Deadlock => {
                let head = paint.doubt("deadlock");
                writeln!(out, "{head}: no event of {name} is enabled after {events} (seed {seed})")?;
            }
            Ended::Violated => {
                writeln!(out, "{}: after {events} of {name} (seed {seed})", paint.bad("violated"))?;
            }
            Ended::Vacuous => {
                writeln!(out, "{}: {name} has no trace: {reason}", paint.doubt("vacuous"))?;
                AxiomObject::write_core(&self.core, out, paint)?;
            }
            Ended::Unknown => {
                let head = paint.doubt("unknown");
                writeln!(
                    out,
                    "{head}: after {events} of {name} (seed {seed}) it is not known how to go on\n  reason: {reason}"
                )?;
            }
        }
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        if !self.trace.is_empty() {
            writeln!(out)?;
            write_steps(out, &self.constants, &self.trace, Style::new(verbose, paint))?;
            writeln!(out)?;
            // Behind a call that the abstraction may forbid nothing is a fault.
            if self.ended != Ended::Unknown || verbose {
                write_violations(out, &self.violated, Style::new(verbose, paint))?;
            }
        }
        if let Some(path) = &self.trace_file {
            writeln!(out, "\ntrace written to {path}")?;
        }
        Ok(())
    }
}
