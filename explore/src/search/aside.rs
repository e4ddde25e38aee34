//! Suspending a search, and resuming it.

use std::collections::{BTreeSet, HashSet};

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::verdict::Reason;

use super::findings::Key;
use super::verifier::{Search, States, Verifier};
use super::witness::Failure;
use crate::reachability::visitor::Origin;
use crate::report::NotSaved;
use crate::search::checkpoint::{Aside, CheckpointError, Mark, Snapshot, title};
use crate::space::machine::Machine;
use crate::space::system::{Edges, Reduce, System, Target};
use crate::store::interner::text_hash;
use crate::store::layout::Layout;
use crate::store::state_table::StateId;
use crate::tuning::Tuning;

impl Verifier<'_, '_> {
    fn title(&self, eval: &Evaluator<'_>) -> String {
        title(eval, self.options)
    }

    /// Reads the suspended search to resume, if there is one.
    pub(super) fn read_checkpoint(&mut self, eval: &Evaluator<'_>) -> Option<Snapshot> {
        let path = self.options.suspension.resume.as_ref()?;
        match Snapshot::read(path, &self.title(eval), self.options.threads) {
            Ok(snapshot) => Some(snapshot),
            Err(e) => {
                self.stopped = Some(Reason::NotResumed(e.to_string()));
                None
            }
        }
    }

    /// Saves the suspended search.
    pub(super) fn save(&mut self, reached: &States<'_>) {
        let Some(checkpoint) = &self.options.suspension.checkpoint else { return };
        let (s, n) = (&self.statistics, &reached.counts);
        let audited = s.successors.audited + self.audit.as_ref().map_or(0, |audit| audit.audited);
        let marks = self.findings.found.iter().map(|found| match (&found.key, found.state, &found.failure) {
            (Key::Deadlock, Some(state), _) => Mark::Deadlock(state),
            (_, Some(state), Some(Failure { event: Some(event), .. })) => Mark::Step(state, *event),
            (_, Some(state), _) => Mark::State(state),
            (_, None, _) => Mark::Initialisation(found.valuation as u32),
        });
        let marks = marks.chain(self.findings.open.values().map(|state| Mark::State(*state)));
        let marks = marks.chain(self.findings.unjudged.iter().map(|state| Mark::Unjudged(*state)));
        let aside = Aside {
            store: &reached.system.context.store,
            layout: &reached.system.context.layout,
            table: &reached.table,
            frontier: &reached.frontier,
            doubtful: reached.doubtful.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
            constants: constants_digest(&reached.system),
            counters: [n.transitions, n.initial, n.deadlocks, s.violating, audited],
            marks: marks.collect(),
        };
        self.suspension.not_saved =
            if self.findings.gaps.incomplete.is_empty() && self.session.cuts.is_empty() {
                let written = aside.write(&checkpoint.path, &self.title(&reached.system.context.eval));
                written.err().map(|e| NotSaved::Failed(e.to_string()))
            } else {
                Some(NotSaved::Useless)
            };
    }
}

impl Search<'_, '_> {
    /// Resumes a suspended search.
    pub(super) fn resume(&mut self, snapshot: Snapshot) {
        if self.reached.system.context.stop.is_set {
            return;
        }
        let constants = self.reached.system.context.valuations.len();
        let same = snapshot.constants == constants_digest(&self.reached.system);
        let fits = self.reached.system.set_layout(Layout::new(snapshot.forms)).is_some();
        let width = self.reached.system.width();
        self.properties.follow(self.reached.system.matrix());
        if !same || !fits || snapshot.table.width() != width {
            let reason = "the constants have other values now: search from the beginning";
            self.visitor.stopped = Some(Reason::NotResumed(reason.into()));
            return;
        }
        let (mut row, mut known) = (vec![0; width], HashSet::new());
        let sound = (0..snapshot.table.len() as StateId).all(|state| {
            snapshot.table.read(state, &mut row);
            if state.is_multiple_of(Tuning::DEFAULT.search.forget)
                && !self.reached.system.context.layout.is_plain()
            {
                self.reached.system.context.store.forget();
                known.clear();
            }
            let layout = self.reached.system.context.layout.width();
            self.reached.system.context.is_sound(&row, &mut known)
                && row.get(layout).is_none_or(|v| (*v as usize) < constants)
        });
        if !sound {
            let path = self.visitor.options.suspension.resume.clone().unwrap_or_default();
            self.visitor.stopped = Some(Reason::NotResumed(CheckpointError::Damaged(path).to_string()));
            return;
        }
        self.reached.table = snapshot.table;
        if self.reached.system.symmetry().is_some() {
            // They are found again in their order.
            for state in 0..self.reached.table.len() as StateId {
                self.reached.table.read(state, &mut row);
                let _ = self.reached.system.stand_in(&row);
            }
        }
        self.reached.frontier.restore(snapshot.waiting, snapshot.dice);
        self.reached.doubtful = snapshot.doubtful.into_iter().collect();
        let (s, n) = (&mut self.visitor.statistics, &mut self.reached.counts);
        [n.transitions, n.initial, n.deadlocks, s.violating, s.successors.audited] = snapshot.counters;
        for mark in snapshot.marks {
            self.find_again(mark);
        }
        self.visitor.suspension.resumed = true;
    }

    /// Finds a violation again that was found before the search was suspended.
    fn find_again(&mut self, mark: Mark) {
        let failing = |mut edges: Edges| {
            edges.edges.retain(|edge| matches!(edge.target, Target::Failed(_)));
            edges
        };
        match mark {
            Mark::State(state) | Mark::Unjudged(state) => {
                let counted = self.visitor.statistics.violating;
                let row = self.reached.table.row(state);
                self.visitor.judge(&mut self.reached.system, state, &row);
                if mark == Mark::State(state) {
                    self.visitor.statistics.violating = counted;
                }
            }
            Mark::Deadlock(state) => {
                let valuation = self.reached.system.valuation(&self.reached.table.row(state));
                self.visitor.findings.violated(Key::Deadlock, Some(state), valuation, None);
            }
            Mark::Step(state, event) if event.index() < self.reached.system.matrix.groups.len() => {
                let (row, group) = (self.reached.table.row(state), Machine::group(event));
                let edges = failing(self.reached.system.edges(group, &row, usize::MAX));
                self.follow(edges, Origin::State(state, &row, group));
            }
            Mark::Initialisation(root) if (root as usize) < self.reached.system.roots() => {
                let edges = failing(self.reached.system.initial(root as usize, usize::MAX));
                self.follow(edges, Origin::Root(root as usize));
            }
            Mark::Step(..) | Mark::Initialisation(_) => {}
        }
    }
}

/// Rows name valuations by position: another order would give them other constants.
fn constants_digest(machine: &Machine<'_>) -> u64 {
    text_hash(&format!("{:?}", machine.context.valuations))
}
