//! Putting a search aside, and continuing it.

use std::collections::{BTreeSet, HashSet};

use bsym_language::model::EventId;
use bsym_semantics::error::EvalError;

use super::exploration::Search;
use super::findings::Key;
use super::witness::Failure;
use crate::report::{NotSaved, Unknown};
use crate::search::checkpoint::{Aside, CheckpointError, Mark, Snapshot, title};
use crate::space::system::System;
use crate::store::interner::text_hash;
use crate::store::layout::Layout;
use crate::store::state_table::StateId;

/// States of a file after which the values are forgotten that were made to look at them.
const FORGET: StateId = 1 << 12;

impl Search<'_, '_> {
    fn title(&self) -> String {
        title(&self.machine.context.eval, &self.options.checks, &self.options.proven)
    }

    /// The search to be continued, if there is one.
    pub(super) fn read_checkpoint(&mut self) -> Option<Snapshot> {
        let path = self.options.resume.as_ref()?;
        match Snapshot::read(path, &self.title(), self.options.threads) {
            Ok(snapshot) => Some(snapshot),
            Err(e) => {
                self.stopped = Some(Unknown::NotResumed(e.to_string()));
                None
            }
        }
    }

    /// Continues a search that was put aside.
    pub(super) fn resume(&mut self, snapshot: Snapshot) {
        if self.machine.context.stopped {
            return;
        }
        let constants = self.machine.context.valuations.len();
        let same = snapshot.constants == self.constants_digest();
        let fits = self.machine.set_layout(Layout::new(snapshot.forms)).is_some();
        let width = self.machine.width();
        self.properties.follow(self.machine.matrix());
        if !same || !fits || snapshot.table.width() != width {
            let reason = "the constants have other values now: search from the beginning";
            self.stopped = Some(Unknown::NotResumed(reason.into()));
            return;
        }
        let (mut row, mut known) = (vec![0; width], HashSet::new());
        let sound = (0..snapshot.table.len() as StateId).all(|state| {
            snapshot.table.read(state, &mut row);
            if state.is_multiple_of(FORGET) && !self.machine.context.layout.is_plain() {
                self.machine.context.store.forget();
                known.clear();
            }
            let layout = self.machine.context.layout.width();
            self.machine.context.is_sound(&row, &mut known)
                && row.get(layout).is_none_or(|v| (*v as usize) < constants)
        });
        if !sound {
            let path = self.options.resume.clone().unwrap_or_default();
            self.stopped = Some(Unknown::NotResumed(CheckpointError::Damaged(path).to_string()));
            return;
        }
        self.table = snapshot.table;
        self.frontier.restore(snapshot.waiting, snapshot.dice);
        self.findings.doubtful = snapshot.doubtful.into_iter().collect();
        let s = &mut self.statistics;
        [s.transitions, s.initial, s.deadlocks, s.violating, s.audited] = snapshot.counters;
        for mark in snapshot.marks {
            self.find_again(mark);
        }
        self.resumed = true;
    }

    /// Rows name valuations by position: another order would give them other constants.
    fn constants_digest(&self) -> u64 {
        text_hash(&format!("{:?}", self.machine.context.valuations))
    }

    fn note_all(&mut self, incomplete: Vec<(Option<EventId>, EvalError)>) {
        for (_, error) in incomplete {
            self.note("a violation found before", error);
        }
    }

    /// Looks at a violation again that was found before the search was put aside.
    fn find_again(&mut self, mark: Mark) {
        let eval = self.machine.context.eval;
        match mark {
            Mark::State(state) | Mark::Deadlock(state) | Mark::Step(state, _) | Mark::Unjudged(state) => {
                let row = self.table.row(state);
                let valuation = self.machine.valuation(&row);
                let values = self.machine.context.decode_state(&row);
                let constants = self.machine.context.valuations[valuation].clone();
                match mark {
                    Mark::State(_) => {
                        let counted = self.statistics.violating;
                        self.judge(state, valuation, &values);
                        self.statistics.violating = counted;
                    }
                    Mark::Unjudged(_) => self.judge(state, valuation, &values),
                    Mark::Step(_, event) if event.index() < eval.model.events.len() => {
                        let edges = eval.successors_of(event, &constants, &values);
                        self.note_all(edges.incomplete);
                        for edge in edges.edges {
                            if edge.state().is_none() {
                                let outcome = edge.outcome;
                                self.failed(Some(state), valuation, Failure { event: Some(event), outcome });
                            }
                        }
                    }
                    Mark::Step(..) => {}
                    _ => self.findings.violated(Key::Deadlock, Some(state), valuation, None),
                }
            }
            Mark::Initialisation(valuation) => {
                let Some(constants) = self.machine.context.valuations.get(valuation as usize) else { return };
                let edges = eval.initial_states(constants);
                self.note_all(edges.incomplete);
                for edge in edges.edges {
                    if edge.state().is_none() {
                        let outcome = edge.outcome;
                        self.failed(None, valuation as usize, Failure { event: None, outcome });
                    }
                }
            }
        }
    }

    /// Puts the search aside.
    pub(super) fn save(&mut self) {
        let Some(checkpoint) = &self.options.checkpoint else { return };
        let s = &self.statistics;
        let audited = s.audited + self.audit.as_ref().map_or(0, |audit| audit.audited);
        let marks = self.findings.found.iter().map(|found| match (&found.key, found.state, &found.failure) {
            (Key::Deadlock, Some(state), _) => Mark::Deadlock(state),
            (_, Some(state), Some(Failure { event: Some(event), .. })) => Mark::Step(state, *event),
            (_, Some(state), _) => Mark::State(state),
            (_, None, _) => Mark::Initialisation(found.valuation as u32),
        });
        let marks = marks.chain(self.findings.open.values().map(|state| Mark::State(*state)));
        let marks = marks.chain(self.findings.unjudged.iter().map(|state| Mark::Unjudged(*state)));
        let aside = Aside {
            store: &self.machine.context.store,
            layout: &self.machine.context.layout,
            table: &self.table,
            frontier: &self.frontier,
            doubtful: self.findings.doubtful.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
            constants: self.constants_digest(),
            counters: [s.transitions, s.initial, s.deadlocks, s.violating, audited],
            marks: marks.collect(),
        };
        self.not_saved = if self.findings.incomplete.is_empty() && self.cuts.is_empty() {
            let written = aside.write(&checkpoint.path, &self.title());
            written.err().map(|e| NotSaved::Failed(e.to_string()))
        } else {
            Some(NotSaved::Useless)
        };
    }
}
