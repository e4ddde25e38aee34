//! Obligations by kind, and the checks of steps and states that they answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bsym_language::model::Model;
use bsym_status::Import;
use bsym_status::file::PoFile;
use bsym_status::import::Entry;
use bsym_status::{Check, StepCheck};
use schemars::JsonSchema;
use serde::Serialize;

use super::counts::{Counts, in_brackets, list};
use crate::answer::status::LevelWord;
use crate::answer::trace::counted;
use crate::paint::Paint;
use crate::tuning::tuning;

/// The obligations of one kind.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct KindObject {
    pub kind: String,
    #[serde(flatten)]
    pub counts: Counts,
    pub provers: BTreeMap<String, usize>,
    /// What they mean for the machine, where there is one. Every obligation is in exactly one of these.
    pub outcome: Option<Outcome>,
}

/// What became of obligations.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct Outcome {
    /// Something counts as proven because of them.
    pub used: usize,
    pub stale: usize,
    pub unmatched: usize,
    pub ambiguous: usize,
    pub ignored: usize,
    /// Why those that are not used are not: reason, number.
    pub reasons: BTreeMap<String, usize>,
}

/// The checks of one kind that a machine needs besides the pairs.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CheckKindObject {
    pub kind: &'static str,
    pub total: usize,
    pub proven: usize,
    pub levels: BTreeMap<&'static str, usize>,
    pub provers: BTreeMap<String, usize>,
    /// Numbers of open ones by the kind of reason.
    pub open: BTreeMap<&'static str, usize>,
    pub open_checks: Vec<OpenCheckObject>,
}

/// A check that is not proven.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct OpenCheckObject {
    pub check: String,
    pub kind: &'static str,
    pub reason: String,
}

/// All obligations by kind.
pub fn by_kind(file: &PoFile, import: Option<&Import>) -> Vec<KindObject> {
    let mut kinds: Vec<_> = file.obligations.iter().map(|o| o.kind).collect();
    kinds.sort();
    kinds.dedup();
    let mut all = vec![];
    for kind in kinds {
        let own = || file.obligations.iter().filter(move |o| o.kind == kind);
        let mut provers = BTreeMap::new();
        for prover in own().flat_map(|o| &o.prover) {
            *provers.entry(prover.clone()).or_default() += 1;
        }
        let outcome = import.map(|import| {
            let mut outcome = Outcome::default();
            let of = |list: &[Entry]| list.iter().filter(|e| e.kind == kind).count();
            outcome.used = of(&import.used);
            outcome.stale = of(&import.stale);
            outcome.unmatched = of(&import.unmatched);
            outcome.ambiguous = of(&import.ambiguous);
            outcome.ignored = of(&import.ignored);
            let unused = [&import.stale, &import.unmatched, &import.ambiguous, &import.ignored];
            for entry in unused.into_iter().flatten().filter(|e| e.kind == kind) {
                *outcome.reasons.entry(entry.reason.clone()).or_default() += 1;
            }
            outcome
        });
        all.push(KindObject { kind: kind.word(), counts: Counts::of(own()), provers, outcome });
    }
    all
}

fn word(check: Check) -> &'static str {
    match check {
        Check::Step(_, StepCheck::Refinement(_)) => "refinement",
        Check::Step(_, StepCheck::Meaning(_)) => "well-definedness of steps",
        Check::Meaning(_) => "well-definedness of predicates",
        Check::Theorem(_) => "theorems",
    }
}

/// The checks of a machine.
pub fn checks(model: &Model, import: &Import) -> Vec<CheckKindObject> {
    let mut all: Vec<CheckKindObject> = vec![];
    let of = |all: &mut Vec<CheckKindObject>, check: Check| {
        let kind = word(check);
        all.iter().position(|c| c.kind == kind).unwrap_or_else(|| {
            all.push(CheckKindObject {
                kind,
                total: 0,
                proven: 0,
                levels: BTreeMap::new(),
                provers: BTreeMap::new(),
                open: BTreeMap::new(),
                open_checks: vec![],
            });
            all.len() - 1
        })
    };
    for (check, status) in import.status.checks() {
        let at = of(&mut all, check);
        let object = &mut all[at];
        object.total += 1;
        object.proven += 1;
        *object.levels.entry(LevelWord::from(status.level).word()).or_default() += 1;
        for prover in &status.provers {
            *object.provers.entry(prover.clone()).or_default() += 1;
        }
    }
    for open in &import.open_checks {
        let at = of(&mut all, open.check);
        let object = &mut all[at];
        object.total += 1;
        *object.open.entry(open.kind.word()).or_default() += 1;
        object.open_checks.push(OpenCheckObject {
            check: open.check.describe(model),
            kind: open.kind.word(),
            reason: open.reason.clone(),
        });
    }
    all.sort_by_key(|c| c.kind);
    all
}

/// The kinds as text.
pub fn write_kinds(out: &mut String, kinds: &[KindObject], paint: Paint) -> std::fmt::Result {
    if kinds.is_empty() {
        return Ok(());
    }
    let width = kinds.iter().map(|k| k.kind.len()).max().unwrap_or(0);
    writeln!(out, "\nby kind:")?;
    for k in kinds {
        let provers = in_brackets(&list(&k.provers), "");
        write!(out, "  {:width$}  {:4}  {}{provers}", k.kind, k.counts.total, k.counts.in_words())?;
        let Some(o) = &k.outcome else {
            writeln!(out)?;
            continue;
        };
        write!(out, "; {} used", o.used)?;
        for (n, word) in [
            (o.ignored, "not used"),
            (o.stale, "stale"),
            (o.unmatched, "unmatched"),
            (o.ambiguous, "ambiguous"),
        ] {
            if n > 0 {
                write!(out, ", {n} {word}")?;
            }
        }
        writeln!(out)?;
        let mut reasons: Vec<(&String, &usize)> = o.reasons.iter().collect();
        reasons.sort_by_key(|(reason, n)| (std::cmp::Reverse(**n), *reason));
        for (reason, n) in reasons.iter().take(tuning().listed.recorded_reasons) {
            writeln!(out, "  {:width$}        {}", "", paint.faint(&format!("{n}: {reason}")))?;
        }
        if reasons.len() > tuning().listed.recorded_reasons {
            let rest = format!(
                "and {} (--json lists all)",
                counted(reasons.len() - tuning().listed.recorded_reasons, "other reason")
            );
            writeln!(out, "  {:width$}        {}", "", paint.faint(&rest))?;
        }
    }
    Ok(())
}

/// The checks as text.
pub fn write_checks(out: &mut String, checks: &[CheckKindObject], paint: Paint) -> std::fmt::Result {
    for c in checks {
        let proven = in_brackets(&list(&c.levels), &list(&c.provers));
        let open = c.total - c.proven;
        writeln!(out, "  {}: {} checks", c.kind, c.total)?;
        writeln!(out, "  {:5} proven by status{proven}", c.proven)?;
        writeln!(out, "  {open:5} open{}", in_brackets(&list(&c.open), ""))?;
        for o in c.open_checks.iter().take(tuning().listed.recorded) {
            writeln!(out, "    {}  {}", o.check, paint.faint(&o.reason))?;
        }
        if c.open_checks.len() > tuning().listed.recorded {
            writeln!(
                out,
                "    and {} more (--json lists all)",
                c.open_checks.len() - tuning().listed.recorded
            )?;
        }
    }
    Ok(())
}
