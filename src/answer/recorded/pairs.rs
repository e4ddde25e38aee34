//! The pairs of an event and a conjunct of a machine, by what recorded proofs say of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bsym_language::model::Model;
use bsym_status::Import;
use schemars::JsonSchema;
use serde::Serialize;

use super::counts::{in_brackets, list};
use crate::answer::property::{conjunct_name, event_name};
use crate::answer::status::LevelWord;
use crate::answer::trace::counted;
use crate::paint::Paint;
use crate::tuning::tuning;

/// The pairs (event, conjunct) of a machine.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Pairs {
    pub machine: String,
    pub events: usize,
    pub conjuncts: usize,
    pub total: usize,
    pub proven: usize,
    /// Of the proven ones, those that need no obligation.
    pub trivial: usize,
    pub levels: BTreeMap<&'static str, usize>,
    pub provers: BTreeMap<String, usize>,
    /// Numbers of open pairs by the kind of reason.
    pub open: BTreeMap<&'static str, usize>,
    pub open_pairs: Vec<OpenPair>,
}

#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct OpenPair {
    pub event: String,
    pub conjunct: String,
    pub index: usize,
    pub kind: &'static str,
    pub reason: String,
}

/// Counts the pairs.
pub fn pairs(model: &Model, import: &Import) -> Pairs {
    let mut levels = BTreeMap::new();
    let mut provers = BTreeMap::new();
    for (pair, status) in import.status.iter() {
        if import.trivial.contains(&pair) {
            continue;
        }
        *levels.entry(LevelWord::from(status.level).word()).or_default() += 1;
        for prover in &status.provers {
            *provers.entry(prover.clone()).or_default() += 1;
        }
    }
    let mut open = BTreeMap::new();
    for o in &import.open {
        *open.entry(o.kind.word()).or_default() += 1;
    }
    let open_pairs = import.open.iter().map(|o| OpenPair {
        event: event_name(model, o.pair.0),
        conjunct: model.invariant.get(o.pair.1).map(conjunct_name).unwrap_or_default(),
        index: o.pair.1,
        kind: o.kind.word(),
        reason: o.reason.clone(),
    });
    Pairs {
        machine: model.name.clone(),
        events: model.events.len(),
        conjuncts: model.invariant.len(),
        total: (model.events.len() + 1) * model.invariant.len(),
        proven: import.status.len(),
        trivial: import.trivial.len(),
        levels,
        provers,
        open,
        open_pairs: open_pairs.collect(),
    }
}

/// The pairs as text.
pub fn write_pairs(out: &mut String, p: &Pairs, paint: Paint) -> std::fmt::Result {
    writeln!(
        out,
        "{}: {} and the initialisation, {}: {}",
        p.machine,
        counted(p.events, "event"),
        counted(p.conjuncts, "conjunct"),
        counted(p.total, "pair")
    )?;
    let imported = p.proven - p.trivial;
    writeln!(out, "  {imported:5} proven by status{}", in_brackets(&list(&p.levels), &list(&p.provers)))?;
    writeln!(
        out,
        "  {:5} need no obligation (nothing the conjunct reads is changed, or it is a type)",
        p.trivial
    )?;
    let open = p.total - p.proven;
    writeln!(out, "  {open:5} open{}", in_brackets(&list(&p.open), ""))?;
    for o in p.open_pairs.iter().take(tuning().listed.recorded) {
        writeln!(out, "    {}  {}  {}", o.event, o.conjunct, paint.faint(&o.reason))?;
    }
    if p.open_pairs.len() > tuning().listed.recorded {
        writeln!(out, "    and {} more (--json lists all)", p.open_pairs.len() - tuning().listed.recorded)?;
    }
    Ok(())
}
