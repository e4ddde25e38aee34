//! What became of proof status: of pairs of an event and a conjunct, and of the checks besides them.

use std::fmt::{Result, Write};

use bsym_language::model::Model;
use bsym_status::{Check, Level, Pair, PairStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::property::{conjunct_of_model, event_name};
use super::words::words;
use crate::answer::trace::counted;
use crate::paint::Paint;
use crate::tuning::tuning;

words! {
    /// Who vouches for a status.
    LevelWord {
        Claim = "claim",
        Exporter = "exporter",
        Tool = "tool",
        Checked = "checked",
    }
}

impl From<Level> for LevelWord {
    fn from(level: Level) -> LevelWord {
        match level {
            Level::Claim => LevelWord::Claim,
            Level::Exporter => LevelWord::Exporter,
            Level::Tool => LevelWord::Tool,
            Level::Checked => LevelWord::Checked,
        }
    }
}

/// An event and a conjunct of the invariant.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct PairObject {
    pub event: String,
    pub index: usize,
    pub conjunct: String,
    pub provers: Vec<String>,
    pub level: Option<LevelWord>,
}

impl PairObject {
    /// A pair with the status that it has.
    pub fn new(model: &Model, (event, index): Pair, status: Option<&PairStatus>) -> PairObject {
        PairObject {
            event: event_name(model, event),
            index,
            conjunct: conjunct_of_model(model, index),
            provers: status.map(|s| s.provers.clone()).unwrap_or_default(),
            level: status.map(|s| s.level.into()),
        }
    }

    fn is(&self, other: &PairObject) -> bool {
        (&self.event, self.index) == (&other.event, other.index)
    }

    /// In words.
    pub fn text(&self) -> String {
        format!("{} preserves  {}{}", self.event, self.conjunct, proved_by(&self.provers, self.level))
    }
}

/// A check of steps or states besides the pairs: refinement, well-definedness, theorem.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct CheckObject {
    /// In words.
    pub check: String,
    pub provers: Vec<String>,
    pub level: Option<LevelWord>,
}

impl CheckObject {
    /// A check with the status that it has.
    pub fn new(model: &Model, check: Check, status: Option<&PairStatus>) -> CheckObject {
        CheckObject {
            check: check.describe(model),
            provers: status.map(|s| s.provers.clone()).unwrap_or_default(),
            level: status.map(|s| s.level.into()),
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        format!("{}{}", self.check, proved_by(&self.provers, self.level))
    }
}

fn proved_by(provers: &[String], level: Option<LevelWord>) -> String {
    match (provers, level.map(LevelWord::word)) {
        ([], None) => String::new(),
        ([], Some(level)) => format!(" ({level})"),
        (provers, level) => format!(" ({}, {})", provers.join(", "), level.unwrap_or("claim")),
    }
}

/// What became of the proof status.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct ProofsObject {
    /// Where the status came from.
    pub source: Option<String>,
    pub used: Vec<PairObject>,
    /// Pairs that the proof rests on because the solver could not decide them.
    pub trusted: Vec<PairObject>,
    /// Entries that do not count, each with the reason.
    pub ignored: Vec<String>,
    pub stale: Vec<String>,
    pub unmatched: Vec<String>,
    /// Pairs whose status was refuted.
    pub wrong: Vec<PairObject>,
    /// The same for what is checked besides the pairs.
    pub checks: ChecksObject,
}

/// What became of the status of checks.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct ChecksObject {
    pub used: Vec<CheckObject>,
    pub trusted: Vec<CheckObject>,
    pub wrong: Vec<CheckObject>,
}

impl ProofsObject {
    /// Status that was refuted, which is not used any more.
    pub fn set_wrong(&mut self, model: &Model, pairs: &[Pair], checks: &[Check]) {
        self.wrong = pairs.iter().map(|&p| PairObject::new(model, p, None)).collect();
        self.used.retain(|u| !self.wrong.iter().any(|w| w.is(u)));
        let of_checks = &mut self.checks;
        of_checks.wrong = checks.iter().map(|&c| CheckObject::new(model, c, None)).collect();
        of_checks.used.retain(|u| !of_checks.wrong.iter().any(|w| w.check == u.check));
    }

    /// Status that the answer rests on and that nobody confirmed; with its provers, where it is used or `known`.
    pub fn set_trusted(&mut self, known: &ProofsObject, model: &Model, pairs: &[Pair], checks: &[Check]) {
        let pair = |&p: &Pair| {
            let object = PairObject::new(model, p, None);
            known.used.iter().find(|u| u.is(&object)).cloned().unwrap_or(object)
        };
        let check = |&c: &Check| {
            let object = CheckObject::new(model, c, None);
            known.checks.used.iter().find(|u| u.check == object.check).cloned().unwrap_or(object)
        };
        self.trusted = pairs.iter().map(pair).collect();
        self.checks.trusted = checks.iter().map(check).collect();
    }

    /// Whether the answer rests on what nobody confirmed.
    pub fn rests_on_trust(&self) -> bool {
        !(self.trusted.is_empty() && self.checks.trusted.is_empty())
    }

    /// A wrong status is a mistake of some prover, of a file or of ours: it is never said in passing.
    pub fn write_wrong(&self, out: &mut String, paint: Paint) -> Result {
        let pair = |p: &PairObject| format!("{} does not preserve  {}", p.event, p.conjunct);
        let mut wrong: Vec<String> = self.wrong.iter().map(pair).collect();
        wrong.extend(self.checks.wrong.iter().map(|c| format!("it can fail:  {}", c.check)));
        let what = match (wrong.len(), self.checks.wrong.len()) {
            (0, _) => return Ok(()),
            (1, 0) => "a pair".to_string(),
            (1, _) => "a check".to_string(),
            (n, 0) => format!("{n} pairs"),
            (n, _) => format!("{n} pairs and checks"),
        };
        let (was, is) = if wrong.len() == 1 { ("was", "is") } else { ("were", "are") };
        let head = paint.bad("WRONG STATUS");
        writeln!(
            out,
            "\n{head}: the proof status is wrong; {what} that counted as proven {was} refuted and {is} not used:"
        )?;
        for entry in &wrong {
            writeln!(out, "  {entry}")?;
        }
        match &self.source {
            Some(source) => writeln!(out, "  status from {source}"),
            None => Ok(()),
        }
    }

    /// How much of it was used, and what the answer rests on.
    pub fn write(&self, out: &mut String, is_proved: bool, paint: Paint) -> Result {
        if let Some(source) = &self.source {
            let used = self.used.len() + self.checks.used.len();
            let others = [
                (self.trusted.len() + self.checks.trusted.len(), "trusted"),
                (self.ignored.len(), "ignored"),
                (self.stale.len(), "stale"),
                (self.unmatched.len(), "unmatched"),
                (self.wrong.len() + self.checks.wrong.len(), "wrong"),
            ];
            let others = others.iter().filter(|(n, _)| *n > 0);
            let others: String = others.map(|(n, word)| format!(", {n} {word}")).collect();
            writeln!(out, "\nproof status from {source}: {} used{others}", counted(used, "entry"))?;
            for (name, entries) in
                [("ignored", &self.ignored), ("stale", &self.stale), ("unmatched", &self.unmatched)]
            {
                for entry in entries.iter().take(tuning().listed.status) {
                    writeln!(out, "  {name}: {entry}")?;
                }
                if entries.len() > tuning().listed.status {
                    writeln!(out, "  {name}: {} more", entries.len() - tuning().listed.status)?;
                }
            }
        }
        if !self.rests_on_trust() {
            return Ok(());
        }
        let head = paint.doubt("trusted");
        let what = if is_proved { "the proof rests on" } else { "without a proof so far, and with" };
        writeln!(out, "{head}: {what} status that the solver could not confirm:")?;
        let pairs = self.trusted.iter().map(PairObject::text);
        let all: Vec<String> = pairs.chain(self.checks.trusted.iter().map(CheckObject::text)).collect();
        for entry in all.iter().take(tuning().listed.status) {
            writeln!(out, "  {entry}")?;
        }
        if all.len() > tuning().listed.status {
            writeln!(out, "  {} more", all.len() - tuning().listed.status)?;
        }
        Ok(())
    }
}
