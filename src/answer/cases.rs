//! The answer of `tests`: the tests, and what they cover.

use std::fmt::{Result, Write};

use bsym_semantics::verdict::{Reason, ReasonCode};
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::location;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{StepObject, Style, counted, write_steps};
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// What a test covers.
    TargetWord {
        /// An operation is taken.
        Operation = "operation",
        /// A condition of its guard decides alone.
        Condition = "condition",
    }
}

/// What bsym tests prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CasesAnswer {
    #[schemars(extend("const" = "bsym-tests"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    pub scope: ScopeObject,
    /// States that were found.
    pub states: usize,
    /// These are all states of the scope, with all steps.
    pub complete: bool,
    /// Why they are not.
    #[schemars(with = "Option<ReasonSchema>")]
    pub reason: Option<ReasonCode>,
    /// The reason in a sentence.
    pub message: Option<String>,
    /// What is to be covered.
    pub targets: Vec<TargetObject>,
    pub tests: Vec<TestObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub stats: TimeObject,
}

/// Something to cover.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct TargetObject {
    pub kind: TargetWord,
    pub operation: String,
    pub condition: Option<String>,
    /// The truth value with which the condition decides.
    pub truth: Option<bool>,
    /// Number of the test that covers it.
    pub test: Option<usize>,
    /// Nothing in the scope covers it.
    pub is_impossible: bool,
    /// Why no test covers it.
    pub why: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// A test: a trace that was replayed.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct TestObject {
    /// From 1.
    pub number: usize,
    pub constants: Values,
    pub trace: Vec<StepObject>,
    /// The last state does not satisfy the invariant.
    pub violates_invariant: bool,
    /// The files that it was written to.
    pub files: Vec<String>,
}

impl TargetObject {
    fn text(&self) -> String {
        match (&self.condition, self.truth) {
            (Some(condition), Some(truth)) => format!("{}: {condition} is {truth}", self.operation),
            _ => self.operation.clone(),
        }
    }
}

impl CasesAnswer {
    /// Says why the answer may miss something.
    pub fn interrupted(&mut self, reason: &Reason) {
        self.complete = false;
        (self.reason, self.message) = (Some(reason.code()), Some(reason.text()));
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        let is_settled = |t: &TargetObject| t.test.is_some() || t.is_impossible;
        let has_states = self.states > 0;
        if has_states && self.targets.iter().all(is_settled) { Exit::Done } else { Exit::Unknown }
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out, verbose, paint);
        out
    }

    fn write(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        let covered = self.targets.iter().filter(|t| t.test.is_some()).count();
        let head =
            format!("{} of {} covered by {}", covered, self.targets.len(), counted(self.tests.len(), "test"));
        match covered == self.targets.len() && self.states > 0 {
            true => writeln!(out, "{}", paint.good(&head))?,
            false => writeln!(out, "{}", paint.doubt(&head))?,
        }
        if let Some(message) = &self.message {
            writeln!(out, "  not everything was looked at: {message}")?;
        }
        for target in self.targets.iter().filter(|t| t.test.is_none()) {
            let at = location(&target.file, target.line).map(|at| format!("   {at}")).unwrap_or_default();
            writeln!(out, "  not covered: {}{}", target.text(), paint.faint(&at))?;
            writeln!(out, "    {}", target.why.as_deref().unwrap_or_default())?;
        }
        for test in &self.tests {
            let covers = self.targets.iter().filter(|t| t.test == Some(test.number)).map(TargetObject::text);
            let covers: Vec<String> = covers.collect();
            let n = counted(test.trace.len().saturating_sub(1), "event");
            writeln!(out, "\ntest {}: {n}", test.number)?;
            for covered in covers {
                writeln!(out, "  covers {covered}")?;
            }
            writeln!(out)?;
            write_steps(out, &test.constants, &test.trace, Style::new(verbose, paint))?;
            if test.violates_invariant {
                writeln!(out, "  {}", paint.bad("its last state does not satisfy the invariant"))?;
            }
            if !test.files.is_empty() {
                writeln!(out, "  written to {}", test.files.join(", "))?;
            }
        }
        writeln!(
            out,
            "\n  {}, {}, {:.2} s",
            self.machine,
            counted(self.states, "state"),
            self.stats.seconds
        )?;
        writeln!(out, "  scope: {}", self.scope.text())?;
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        Ok(())
    }
}
