//! The answer of a search: counts, verdict, counterexamples that were replayed, and a digest of the states.

use std::collections::HashMap;
use std::ops::Range;

use super::findings::{Found, Key};
use super::verifier::Search;
use crate::report::{Evidence, PartialOrderReduction, SearchReport, Verdict};
use crate::search::witness::{Path, counterexample};
use crate::space::machine::Machine;
use crate::space::symmetric::are_alike;
use crate::space::system::Measured;
use crate::store::index::mix;
use crate::store::interner::{Store, text_hash};
use crate::store::layout::Form;
use crate::store::rep::Rep;
use crate::store::state_table::{INITIAL, StateId, Table};
use crate::tuning::tuning;
use bsym_semantics::verdict::{Counterexample, Reason};

impl Search<'_, '_> {
    pub(super) fn report(mut self) -> SearchReport {
        self.count();
        let coverage = self.coverage();
        let (shown, failed) = self.counterexamples();
        let finished = self.visitor.stopped.is_none();
        let exhausted = self.visitor.options.keep_going
            && failed.is_none()
            && self.visitor.stopped.is_none()
            && self.visitor.findings.vacuous.is_none()
            && self.visitor.findings.gaps.incomplete.is_empty()
            && self.visitor.session.cuts.is_empty();
        let mut shown = shown.into_iter();
        let first = shown.next();
        if let (Some(_), Some(reason)) = (&first, &failed) {
            self.visitor.findings.gaps.unconfirmed(reason);
        }
        let verdict = self.verdict(first, failed);
        let exhausted = exhausted && !matches!(verdict, Verdict::Contradiction(_))
            || matches!(verdict, Verdict::Holds(_));
        self.visitor.statistics.time = self.visitor.session.begin.elapsed();
        SearchReport {
            scope: self.reached.system.context.eval.scope.clone(),
            verdict,
            further: shown.collect(),
            finished,
            exhausted,
            open: self.visitor.findings.open.into_keys().collect(),
            incomplete: self.visitor.findings.gaps.incomplete,
            cuts: self.visitor.session.cuts.list(),
            coverage,
            not_saved: self.visitor.suspension.not_saved,
            statistics: self.visitor.statistics,
        }
    }

    /// Completes the counts.
    fn count(&mut self) {
        self.visitor.statistics.states = self.reached.table.len() as u64 + self.visitor.statistics.valuations;
        let effort = self.reached.system.effort();
        let (s, n) = (&mut self.visitor.statistics, &self.reached.counts);
        s.successors.memo_hits += effort.hits;
        s.successors.memo_misses += effort.misses;
        s.successors.by_reference += effort.by_reference;
        (s.transitions, s.initial, s.deadlocks) = (n.transitions, n.initial, n.deadlocks);
        s.depth = n.depth.filter(|_| !self.visitor.suspension.resumed);
        self.visitor.statistics.reduction = self.reduction();
        self.visitor.statistics.partial_order = self.reached.system.choice.as_ref().map(|choice| {
            PartialOrderReduction { reduced: choice.reduced, ..PartialOrderReduction::default() }
        });
        let successors = &mut self.visitor.statistics.successors;
        successors.uncompiled = std::mem::take(&mut self.reached.system.uncompiled);
        successors.audited += self.visitor.audit.as_ref().map_or(0, |audit| audit.audited);
    }

    /// Replays the violations that were found; and why one of them cannot be replayed.
    fn counterexamples(&mut self) -> (Vec<Counterexample>, Option<String>) {
        // Violations that were found before the timeout are shown all the same.
        self.reached.system.let_go();
        let mut shown: Vec<Counterexample> = Vec::new();
        let mut failed = None;
        for found in std::mem::take(&mut self.visitor.findings.found) {
            match self.show(found) {
                Ok(c) if shown.contains(&c) => {}
                Ok(c) => shown.push(c),
                Err(reason) => failed = Some(reason),
            }
        }
        (shown, failed)
    }

    /// The answer about all properties, with the first counterexample.
    fn verdict(&mut self, first: Option<Counterexample>, failed: Option<String>) -> Verdict {
        let difference = self.visitor.findings.difference.take();
        let verdict = match (first, failed, self.visitor.stopped.take(), self.visitor.findings.vacuous.take())
        {
            (Some(c), ..) => Verdict::Violated(Box::new(c)),
            (None, Some(reason), ..) => Verdict::Unknown(Reason::ReplayFailed(reason)),
            (None, None, Some(stopped), _) => Verdict::Unknown(stopped),
            (None, None, None, Some(why)) => why.into(),
            _ if !self.visitor.findings.gaps.incomplete.is_empty() => {
                Verdict::Unknown(Reason::Incomplete(None))
            }
            _ if !self.visitor.session.cuts.is_empty() => Verdict::Unknown(Reason::Bounded(None)),
            _ => {
                let evidence = Evidence {
                    states: self.visitor.statistics.states,
                    transitions: self.visitor.statistics.transitions,
                    digest: self.digest(),
                    symmetric: self.reached.system.symmetry().is_some(),
                };
                if self.visitor.statistics.reduction.as_ref().is_some_and(|r| r.is_approximate) {
                    Verdict::Unknown(Reason::MarkerCollisions)
                } else {
                    Verdict::Holds(evidence)
                }
            }
        };
        let refuted = self.visitor.findings.gaps.refuted.take();
        let verdict = refuted.map_or(verdict, |e| Verdict::Unknown(Reason::Refuted(e)));
        difference.map_or(verdict, Verdict::Contradiction)
    }

    /// Replays a violation that was found, as a counterexample.
    fn show(&mut self, found: Found) -> Result<Counterexample, String> {
        let mut rows = Vec::new();
        let mut at = found.state;
        while let Some(state) = at {
            rows.push(self.reached.table.row(state));
            at = Some(self.reached.table.parent(state)).filter(|p| *p != INITIAL);
        }
        rows.reverse();
        let path = Path { valuation: found.valuation, rows, failure: found.failure };
        let mut checks = self.visitor.options.checks.clone();
        checks.deadlock = found.key == Key::Deadlock;
        let (machine, orbits) = self.reached.system.apart();
        let stands_for = &mut |machine: &mut Machine<'_>, stored: &[u32], reached: &[u32]| {
            are_alike(machine, orbits.as_deref(), stored, reached)
        };
        counterexample(machine, path, stands_for, &checks)
    }

    /// Computes a digest of the set of states, with all threads that the search may have.
    fn digest(&self) -> String {
        let context = &self.reached.system.context;
        let (store, places) = (&context.store, context.layout.places().zip(&context.variables));
        let places: Vec<(Form, usize, &Rep)> = places.map(|((form, at), rep)| (form, at, &**rep)).collect();
        let constants = context.layout.width();
        let (states, table) = (self.reached.table.len() as StateId, &self.reached.table);
        let threads = if states < tuning().search.shared_digest {
            1
        } else {
            self.visitor.options.threads.max(1) as StateId
        };
        let part = |i: StateId| {
            let end = |i: StateId| (u64::from(states) * u64::from(i) / u64::from(threads)) as StateId;
            digest_of(table, store, &places, constants, end(i)..end(i + 1))
        };
        let sums = std::thread::scope(|scope| {
            let part = &part;
            let others: Vec<_> = (1..threads).map(|i| scope.spawn(move || part(i))).collect();
            let mine = part(0);
            others.into_iter().fold(mine, |sums, other| {
                let [a, b] = other.join().expect("a digest has no reason to panic");
                [sums[0].wrapping_add(a), sums[1].wrapping_add(b)]
            })
        });
        let name = text_hash(&context.eval.model.name);
        format!("{:016x}{:016x}", name.wrapping_add(sums[0]), sums[1])
    }
}

/// The sums over some states that make up their digest.
fn digest_of(
    table: &Table,
    store: &Store,
    places: &[(Form, usize, &Rep)],
    constants: usize,
    states: Range<StateId>,
) -> [u64; 2] {
    let mut sums = [0u64; 2];
    let mut known: Vec<HashMap<u32, u64>> = vec![HashMap::new(); places.len()];
    let mut row = vec![0; table.width()];
    for state in states {
        table.read(state, &mut row);
        let mut hash = text_hash("state");
        for ((form, at, rep), known) in places.iter().zip(&mut known) {
            let word = row[*at];
            let digest = match (form, *rep) {
                (Form::Halves, rep) => store.digest_halves(rep, &row[*at..*at + 2]),
                (Form::Folded, rep) => *known.entry(word).or_insert_with(|| store.digest_folded(rep, word)),
                (_, rep @ (Rep::Set(_) | Rep::Relation(..) | Rep::Record(_) | Rep::Opaque)) => {
                    *known.entry(word).or_insert_with(|| store.digest(rep, word))
                }
                (_, rep) => store.digest(rep, word),
            };
            hash = mix(hash, digest);
        }
        if let Some(valuation) = row.get(constants) {
            hash = mix(hash, u64::from(*valuation));
        }
        sums[0] = sums[0].wrapping_add(hash);
        sums[1] = sums[1].wrapping_add(mix(hash, 0x6A09_E667_F3BC_C908));
    }
    sums
}
