//! Verifier of a model: the visitor of a search of its states, which knows the meaning of the machine's groups and
//! labels.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::EventId;
use bsym_semantics::error::EvalError;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::transition::Outcome;
use bsym_semantics::verdict::{Observer, Reason, Vacuous};

use super::constants::{Question, Valuations};
use super::findings::{Findings, Key};
use super::rounds::{Course, Round};
use super::schedule::Schedule;
use super::whole::Whole;
use super::witness::Failure;

use crate::audit::Audit;
use crate::options::SearchOptions;
use crate::reachability::exploration::Reachability;
use crate::reachability::firings::Firings;
use crate::reachability::frontier::Frontier;
use crate::reachability::properties::Asked;
use crate::reachability::reached::Reached;
use crate::reachability::visitor::{Known, Origin, Visitor};
use crate::report::{NotSaved, Progress, Statistics};
use crate::session::{Session, Teller};
use crate::space::cached::Cached;
use crate::space::condensing::Condensing;
use crate::space::dependency_matrix::{DependencyMatrix, GroupId, LabelId, LabelKind};
use crate::space::machine::Machine;
use crate::space::stubborn::Stubborn;
use crate::space::symmetric::Symmetric;
use crate::space::system::Edges;
use crate::store::interner::Store;
use crate::store::state_table::StateId;

/// A search of the states of a model.
pub(super) type Search<'m, 'o> = Reachability<Space<'m>, Verifier<'m, 'o>>;

/// The system that is searched: a machine, with layers around it.
pub(super) type Space<'m> = Stubborn<Symmetric<Cached<Machine<'m>>>>;

/// The states of a model that were reached.
pub(super) type States<'m> = Reached<Space<'m>>;

/// State of suspending and resuming a search.
#[derive(Default)]
pub(super) struct Suspension {
    /// `true` if the search began with the states of a file.
    pub(super) resumed: bool,
    /// `true` if all initial states are known, so that a file can be written.
    pub(super) initialised: bool,
    pub(super) not_saved: Option<NotSaved>,
}

/// Options of a search, and its findings.
pub(super) struct Verifier<'m, 'o> {
    pub(super) session: &'m Session<'m>,
    pub(super) options: &'o SearchOptions,
    pub(super) teller: Teller<'o>,
    pub(super) checks: Checks,
    pub(super) findings: Findings,
    pub(super) schedule: Schedule,
    pub(super) statistics: Statistics,
    pub(super) stopped: Option<Reason>,
    pub(super) suspension: Suspension,
    pub(super) audit: Option<Audit<'m>>,
    /// The whole model, whose events were cut into the searched instances.
    pub(super) whole: Option<Whole<'m>>,
    /// Progress of the round.
    pub(super) course: Course,
    /// `true` if only some valuations of the constants are searched.
    pub(super) sampled_constants: bool,
    condensing: Condensing,
}

/// Prepares a search: the constants, unless their valuations are given, the machine under these, and the contents of a
/// suspended search.
pub(super) fn prepare<'m, 'o>(
    session: &'m Session<'m>,
    valuations: Option<Valuations>,
    (options, round): (&'o SearchOptions, Round),
    observer: &'o mut dyn Observer<Progress>,
) -> Search<'m, 'o> {
    let eval = session.evaluator();
    let mut verifier = Verifier {
        session,
        options,
        teller: Teller::new(observer, session.begin),
        checks: Checks { deadlock: false, ..options.checks.clone() },
        findings: Findings::default(),
        schedule: Schedule::new(session.begin, options),
        statistics: Statistics::default(),
        stopped: None,
        suspension: Suspension::default(),
        // The reference evaluator need not be audited against itself.
        audit: (!options.reference_only).then(|| session.audit(options.seed)),
        whole: None,
        course: Course::new(round),
        sampled_constants: false,
        condensing: Condensing::default(),
    };
    let valuations = valuations.unwrap_or_else(|| {
        let question = Question { sampling: round.sampling, may_leave_open: true };
        Valuations::of(&eval, &session.cuts, (&options.limits, &options.fixed), question)
    });
    verifier.sampled_constants = valuations.sampled;
    for (place, e) in valuations.missing {
        verifier.findings.missing(place, e);
    }
    verifier.findings.vacuous = valuations.vacuous;
    verifier.stopped = valuations.limited;
    verifier.statistics.valuations = valuations.nodes;
    verifier.statistics.left_open = valuations.left_open;
    let mut snapshot = verifier.read_checkpoint(&eval);
    let store = snapshot.as_mut().map(|snapshot| std::mem::take(&mut snapshot.store));
    let mut store = store.unwrap_or_else(|| Store::for_threads(options.threads));
    let (found, symmetry) = verifier.reduce(&eval, valuations.found, &mut store);
    let mut machine = Machine::new(eval, found, store, !options.reference_only);
    machine.sampled.bounds = round.sampling;
    machine.context.stop = session.stop(valuations.interrupted);
    let asked = asked(&mut machine, &verifier.checks, &options.proven.known);
    let system = Stubborn::new(Symmetric::new(Cached::new(machine), symmetry.map(Arc::new)), None);
    let frontier = Frontier::new(options.order, options.seed);
    let mut search = Reachability::new(system, asked, frontier, verifier);
    search.most = options.limits.states.unwrap_or(usize::MAX);
    search.firings = options.coverage.then(|| Firings::new(search.reached.system.matrix.groups.len()));
    search.reached.counts.transitions = search.visitor.statistics.valuations;
    if let Some(snapshot) = snapshot {
        search.resume(snapshot);
    }
    search
}

/// The labels to be checked.
pub(crate) fn asked(
    machine: &mut Machine<'_>,
    checks: &Checks,
    proven: &BTreeSet<(EventId, usize)>,
) -> Asked {
    let matrix = machine.matrix.clone();
    let wanted = |label: &LabelId| match matrix.label(*label).kind {
        LabelKind::Invariant(i) => checks.asks(i),
        LabelKind::Assertion(_) => checks.assertions,
        LabelKind::Goal => checks.goal,
        LabelKind::Guard | LabelKind::Proposition => false,
    };
    let good = |label: LabelId| (label, matrix.label(label).kind != LabelKind::Goal);
    let proven = pairs(&matrix, checks, proven.iter().copied()).collect();
    let costly = matrix.label_ids().filter(wanted).filter(|label| machine.is_costly_label(*label)).collect();
    Asked { labels: matrix.label_ids().filter(wanted).map(good).collect(), costly, proven }
}

/// Proven pairs of event and conjunct, as those of groups and labels. A pair says that the conjunct holds after the
/// event if the whole invariant held before: none of them counts if only a part of it is checked.
pub(super) fn pairs(
    matrix: &DependencyMatrix,
    checks: &Checks,
    proven: impl IntoIterator<Item = (EventId, usize)>,
) -> impl Iterator<Item = (GroupId, LabelId)> {
    let conjuncts: Vec<LabelId> = (0..).map_while(|i| matrix.find(LabelKind::Invariant(i))).collect();
    let whole = (0..conjuncts.len()).all(|i| checks.asks(i));
    let pairs = proven.into_iter().filter(move |_| whole);
    pairs.filter_map(move |(event, i)| Some((Machine::group(event), *conjuncts.get(i)?)))
}

impl Search<'_, '_> {
    /// Searches to the end.
    pub(super) fn run(&mut self) {
        let limited = self.visitor.stopped.take();
        if let Some(Reason::NotResumed(_)) = limited {
            self.visitor.stopped = limited;
            return;
        }
        if self.is_stopped() && self.pulse() {
            return;
        }
        if !self.visitor.suspension.resumed {
            self.begin();
            if self.visitor.is_over() {
                return;
            }
        }
        let Findings { found, gaps, vacuous, .. } = &mut self.visitor.findings;
        let nothing = found.is_empty() && gaps.incomplete.is_empty() && self.visitor.session.cuts.is_empty();
        if self.reached.table.is_empty() && nothing {
            vacuous.get_or_insert(Vacuous::NoInitialState);
        }
        self.visitor.suspension.initialised = true;
        self.explore();
        if self.visitor.stopped.is_some() {
            self.visitor.save(&self.reached);
        } else {
            self.visitor.stopped = limited;
        }
    }
}

impl<'m> Visitor<Space<'m>> for Verifier<'m, '_> {
    fn is_over(&self) -> bool {
        self.stopped.is_some()
            || self.findings.difference.is_some()
            || !(self.findings.found.is_empty() || self.options.keep_going)
    }

    fn doubtful(&mut self, reached: &mut States<'m>, state: StateId, row: &[u32]) {
        self.judge(&mut reached.system, state, row);
    }

    fn failed(&mut self, reached: &mut States<'m>, origin: Origin<'_>, outcome: Outcome) {
        let (state, valuation, event) = match origin {
            Origin::Root(root) => (None, root, None),
            Origin::State(state, row, group) => {
                (Some(state), reached.system.valuation(row), Some(reached.system.event(group)))
            }
        };
        self.findings.failed(&self.checks, state, valuation, Failure { event, outcome });
    }

    fn missing(&mut self, reached: &mut States<'m>, place: &str, error: EvalError) {
        self.note(&mut reached.system, place, error);
    }

    fn begun(&mut self, reached: &mut States<'m>, root: usize, edges: &Edges) {
        if edges.compiled {
            self.audit_initialisation(reached, root, &edges.edges);
        }
    }

    fn expanded(&mut self, reached: &mut States<'m>, state: StateId, enabled: bool) {
        if self.course.ends_after(&reached.system, reached.counts.transitions) {
            self.stopped = Some(Reason::Bounded(None));
        }
        if !enabled && self.options.checks.deadlock {
            let row = reached.table.row(state);
            if self.is_deadlock(&mut reached.system, &row) {
                self.findings.violated(Key::Deadlock, Some(state), reached.system.valuation(&row), None);
            }
        }
    }

    fn look_back(&mut self, machine: &mut Space<'m>, known: Known<'_>, state: StateId) {
        if self.audit.as_ref().is_some_and(|audit| audit.is_due(u64::from(state))) {
            self.audit_state(machine, known, state);
        }
    }

    fn pulse(&mut self, reached: &States<'m>, states: usize, bytes: usize) {
        self.look_at_limits(reached, states, bytes);
    }

    fn tidy(&mut self, reached: &mut States<'m>) -> bool {
        let Reached { system, table, .. } = reached;
        // The memory of orbits is keyed by words, so words must not change.
        let is_fixed = system.symmetry().is_some();
        let condensed = if is_fixed { None } else { self.condensing.condense(system, table) };
        let has_moved = condensed.is_some();
        if let Some(condensed) = condensed {
            *table = condensed;
        }
        system.tidy(table.bytes());
        has_moved
    }

    fn rest(&mut self, reached: &States<'m>) {
        if self.suspension.initialised && self.schedule.is_checkpoint_due() {
            self.save(reached);
        }
    }

    fn proven(&mut self, matrix: &DependencyMatrix) -> Vec<(GroupId, LabelId)> {
        pairs(matrix, &self.checks, self.options.proven.meanwhile.take()).collect()
    }
}
