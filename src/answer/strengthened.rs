//! The answer of `strengthen`: conjuncts that discharge open obligations.

use std::fmt::{Result, Write};

use bsym_engines::auxiliary::{Auxiliary, Left, Strengthened};
use bsym_language::load::check_predicate;
use bsym_language::model::{Model, Notation};
use bsym_language::print;
use bsym_semantics::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;

use super::left_out::{self, LeftOutObject};
use super::not_checked::{self, DroppedObject};
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::trace::{CounterexampleObject, Style, counted};
use crate::exit::Exit;
use crate::paint::Paint;
use crate::tuning::tuning;

/// What bsym strengthen prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct StrengthenedAnswer {
    #[schemars(extend("const" = "bsym-strengthen"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub scope: ScopeObject,
    /// Number of obligations of the machine.
    pub obligations: usize,
    /// Names of those that neither the status nor the prover discharges.
    pub open: Vec<String>,
    /// Conjuncts for the invariant, all of which are needed; every obligation that they have themselves is discharged.
    pub auxiliaries: Vec<AuxiliaryObject>,
    /// Number of obligations that they have themselves.
    pub own: usize,
    /// Names of the open obligations that are discharged with them.
    pub closed: Vec<String>,
    /// Those that stay open.
    pub left: Vec<LeftObject>,
    /// Traces on which open obligations fail.
    pub violations: Vec<ViolationObject>,
    /// Why the run ended before everything was tried, if it did.
    pub stopped: Option<String>,
    /// Where the patch was written to.
    pub patch: Option<String>,
    /// Parts of the machine without obligations of their own, because nothing is encoded there.
    pub left_out: Vec<LeftOutObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub stats: TimeObject,
    #[serde(skip)]
    event_b: bool,
}

/// A conjunct for the invariant.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct AuxiliaryObject {
    /// A label that no conjunct has.
    pub label: String,
    /// In B, with ASCII operators.
    pub text: String,
    /// As Rodin reads it; of a model of classical B, and where Event-B has no word for a part of it, nothing.
    pub rodin: Option<String>,
    /// Names of the obligations that stay open without it; nothing where there was no time to find out.
    pub closes: Vec<String>,
    /// Labels of those of the conjuncts that are not proved without it.
    pub needed_by: Vec<String>,
}

/// An obligation that stays open.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct LeftObject {
    pub name: String,
    /// What it says.
    pub goal: String,
    /// Why it stays open.
    pub message: String,
}

/// A trace, replayed, and the obligations that fail on it.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ViolationObject {
    pub obligations: Vec<String>,
    pub counterexample: CounterexampleObject,
}

impl AuxiliaryObject {
    /// A conjunct for a model, which gets its bound names.
    fn new(model: &mut Model, a: &Auxiliary) -> AuxiliaryObject {
        let Auxiliary { label, text, closes, needed_by } = a.clone();
        let rodin = match model.text.notation {
            Notation::EventB => check_predicate(model, &text).ok().and_then(|p| print::rodin(model, &p)),
            Notation::ClassicalB => None,
        };
        AuxiliaryObject { label, text, rodin, closes, needed_by }
    }
}

impl From<&Left> for LeftObject {
    fn from(left: &Left) -> LeftObject {
        let Left { name, goal, why } = left.clone();
        LeftObject { name, goal, message: why }
    }
}

impl StrengthenedAnswer {
    /// What was found.
    pub fn new(model: &Model, scope: &Scope, found: &Strengthened, seconds: f64) -> StrengthenedAnswer {
        let mut reading = model.clone();
        StrengthenedAnswer {
            format: "bsym-strengthen",
            version: 1,
            machine: model.name.clone(),
            scope: ScopeObject::new(model, scope, &Default::default()),
            obligations: found.before.all.len(),
            open: found.open.clone(),
            auxiliaries: found.auxiliaries.iter().map(|a| AuxiliaryObject::new(&mut reading, a)).collect(),
            own: found.own,
            closed: found.closed.clone(),
            left: found.left.iter().map(LeftObject::from).collect(),
            violations: found
                .violations
                .iter()
                .map(|(names, c)| ViolationObject {
                    obligations: names.clone(),
                    counterexample: CounterexampleObject::new(model, &c.trace, &c.violations),
                })
                .collect(),
            stopped: None,
            patch: None,
            left_out: LeftOutObject::all(&found.before, model),
            not_checked: DroppedObject::without_obligation(model),
            stats: TimeObject { seconds },
            event_b: model.text.notation == Notation::EventB,
        }
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        let all_looked_at = self.left_out.is_empty() && self.not_checked.is_empty();
        match (self.violations.is_empty(), self.left.is_empty() && all_looked_at) {
            (false, _) => Exit::Violated,
            (true, false) => Exit::Unknown,
            (true, true) => Exit::Done,
        }
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        // Strings grow.
        let _ = self.write(&mut out, verbose, paint);
        out
    }

    fn write(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        let time = format!("[{:.2} s]", self.stats.seconds);
        let all = counted(self.obligations, "obligation");
        if self.open.is_empty() {
            let good = paint.good("none is open");
            let left = left_out::count(&self.left_out).map(|n| format!(", {n}")).unwrap_or_default();
            writeln!(out, "{all} of {}: {good}{left}  {time}", self.machine)?;
            return self.write_left_out(out, verbose, paint);
        }
        let closed = format!("{} closed", self.closed.len());
        let closed = if self.closed.is_empty() { paint.doubt(&closed) } else { paint.good(&closed) };
        writeln!(out, "{all} of {}: {} open, {closed}  {time}", self.machine, self.open.len())?;
        if let Some(why) = &self.stopped {
            writeln!(out, "  stopped: {why}")?;
        }
        if !self.auxiliaries.is_empty() {
            writeln!(
                out,
                "\nadd to the invariant (proved: {} of its own):",
                counted(self.own, "obligation")
            )?;
            for a in &self.auxiliaries {
                match self.event_b {
                    true => {
                        let text = a.rodin.as_ref().unwrap_or(&a.text);
                        writeln!(out, "  {}: {text}", paint.strong(&a.label))?;
                    }
                    false => writeln!(out, "  & ({})", a.text)?,
                }
                if !a.closes.is_empty() {
                    writeln!(out, "      closes {}", names(&a.closes, verbose))?;
                }
                if !a.needed_by.is_empty() && (self.event_b || a.closes.is_empty()) {
                    let whom = match self.event_b {
                        true => names(&a.needed_by, verbose),
                        false => "the others".into(),
                    };
                    writeln!(out, "      is needed to prove {whom}")?;
                }
            }
        }
        for violation in &self.violations {
            let names = names(&violation.obligations, verbose);
            writeln!(out, "\n{}: {names} fails in a reachable state", paint.bad("violated"))?;
            violation.counterexample.write(out, Style::new(verbose, paint))?;
        }
        if !self.left.is_empty() {
            writeln!(out, "\n{}:", paint.doubt("still open"))?;
            for left in &self.left {
                writeln!(out, "  {}: {}\n    {}", left.name, left.message, left.goal)?;
            }
        }
        if let Some(path) = &self.patch {
            writeln!(out, "\npatch written to {path}")?;
        }
        self.write_left_out(out, verbose, paint)
    }

    fn write_left_out(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        out.write_str(&left_out::text(&self.left_out, paint))?;
        out.write_str(&not_checked::text(&self.not_checked, verbose, paint))
    }
}

fn names(all: &[String], verbose: bool) -> String {
    match all.len().checked_sub(tuning().listed.strengthened) {
        Some(more) if more > 0 && !verbose => {
            format!("{} and {more} more", all[..tuning().listed.strengthened].join(", "))
        }
        _ => all.join(", "),
    }
}
