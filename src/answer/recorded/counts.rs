//! Obligations counted by what became of them.

use std::collections::BTreeMap;

use bsym_status::file::{Obligation, Status};

use schemars::JsonSchema;
use serde::Serialize;

/// Obligations by what became of them.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct Counts {
    pub total: usize,
    pub proven: usize,
    pub reviewed: usize,
    pub open: usize,
    pub broken: usize,
    /// Of all these, those that were for another text.
    pub stale: usize,
    /// Of all these, those that fit no event and conjunct.
    pub unmatched: usize,
}

impl Counts {
    /// Counts obligations.
    pub fn of<'a>(all: impl Iterator<Item = &'a Obligation>) -> Counts {
        let mut counts = Counts::default();
        for o in all {
            counts.total += 1;
            match o.status {
                Status::Discharged | Status::Trivial => counts.proven += 1,
                Status::Reviewed => counts.reviewed += 1,
                Status::Broken => counts.broken += 1,
                _ => counts.open += 1,
            }
            counts.stale += usize::from(o.stale);
            counts.unmatched += usize::from(o.unmatched.is_some());
        }
        counts
    }

    /// In words.
    pub fn in_words(&self) -> String {
        let mut words = vec![format!("{} proven", self.proven)];
        for (count, word) in [
            (self.reviewed, "only reviewed"),
            (self.open, "open"),
            (self.broken, "broken"),
            (self.stale, "of them stale"),
            (self.unmatched, "of them unmatched"),
        ] {
            if count > 0 {
                words.push(format!("{count} {word}"));
            }
        }
        words.join(", ")
    }
}

/// Words with their numbers.
pub fn list<K: std::fmt::Display>(counts: &BTreeMap<K, usize>) -> String {
    counts.iter().map(|(word, n)| format!("{word} {n}")).collect::<Vec<_>>().join(", ")
}

/// One or two lists in brackets.
pub fn in_brackets(a: &str, b: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" ({a})"),
        (true, false) => format!(" ({b})"),
        (false, false) => format!(" (level: {a}; by {b})"),
    }
}
