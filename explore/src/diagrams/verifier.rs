//! Search of a model by diagrams: the meaning of its machine's groups and labels, and the answer.

use std::collections::{BTreeSet, HashSet};

use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::trace::replay::{Checks, judgement};
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous};

use super::auditing::audit;
use super::exploration::{Exploration, ModelExploration, Watch};
use super::levels::Chosen;
use super::nodes::{EMPTY, Set};
use super::options::{DiagramOptions, Strategy};
use super::order::order;

use crate::audit::{Audit, Difference};
use crate::options::SearchOptions;
use crate::report::{
    DiagramStatistics, Evidence, MemoryUse, OpenProperty, Progress, SearchReport, Statistics, Verdict,
};
use crate::search::constants::Question;
use crate::search::findings::{Gaps, Key, is_interrupted, keys, open_properties, step_key};
use crate::search::verifier::asked;
use crate::search::witness::{Failure, Path, counterexample};
use crate::search::{Problem, dropped};
use crate::session::{Session, Teller, with_session};
use crate::space::cached::Cached;
use crate::space::dependency_matrix::LabelId;
use crate::space::interpreted::Interpreted;
use crate::space::machine::Machine;
use crate::space::system::{Measured, System, Target, unwritten};
use crate::tuning::tuning;

/// Searches the states of a model by diagrams.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn search(
    problem: &Problem<'_>,
    options: &SearchOptions,
    diagrams: &DiagramOptions,
    observer: &mut dyn Observer<Progress>,
) -> SearchReport {
    let report = visit(problem, options, diagrams, observer);
    dropped::weigh(problem, options, report, &mut |problem, options| {
        visit(problem, options, diagrams, observer)
    })
}

fn visit(
    problem: &Problem<'_>,
    options: &SearchOptions,
    diagrams: &DiagramOptions,
    observer: &mut dyn Observer<Progress>,
) -> SearchReport {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let mut verifier = Verifier::new(options, observer, session);
        let machine = verifier.prepare();
        let mut report = session.watched(|_| verifier.run(machine, diagrams));
        report.statistics.found_by = session.tally.answered();
        report
    })
}

/// A property that was found violated, and its place.
struct Found {
    key: Key,
    path: Result<Path, String>,
}

/// A label that is checked.
struct Checked {
    label: LabelId,
    good: bool,
    reads: Chosen,
    /// Columns that decide whether an undefined truth value of the label is a violation.
    context: Chosen,
    /// Short rows without a truth value, and contexts of them that were judged.
    undefined: Set,
    judged: Set,
    /// Short rows that were checked, and those of them that did not pass.
    seen: Set,
    bad: Set,
}

/// Options of a search, and its findings.
struct Verifier<'m, 'o> {
    options: &'o SearchOptions,
    session: &'m Session<'m>,
    teller: Teller<'o>,
    checks: Checks,
    labels: Vec<Checked>,
    found: Vec<Found>,
    known: HashSet<Key>,
    open: BTreeSet<OpenProperty>,
    gaps: Gaps,
    vacuous: Option<Vacuous>,
    stopped: Option<Reason>,
    audit: Option<Audit<'m>>,
    difference: Option<Difference>,
    statistics: Statistics,
    /// Layers of states that were checked.
    checked_rounds: usize,
}

impl<'m, 'o> Verifier<'m, 'o> {
    fn new(
        options: &'o SearchOptions,
        observer: &'o mut dyn Observer<Progress>,
        session: &'m Session<'m>,
    ) -> Verifier<'m, 'o> {
        Verifier {
            options,
            session,
            teller: Teller::new(observer, session.begin),
            checks: Checks { deadlock: false, ..options.checks.clone() },
            labels: Vec::new(),
            found: Vec::new(),
            known: HashSet::new(),
            open: BTreeSet::new(),
            gaps: Gaps::default(),
            vacuous: None,
            stopped: None,
            // The reference evaluator need not be audited against itself.
            audit: (!options.reference_only).then(|| session.audit(options.seed)),
            difference: None,
            statistics: Statistics::default(),
            checked_rounds: 0,
        }
    }

    /// Makes the machine under the valuations of its constants.
    fn prepare(&mut self) -> Machine<'m> {
        let SearchOptions { fixed, reference_only, .. } = self.options;
        let (machine, valuations, gaps) =
            self.session.machine(fixed, Question::OF_THE_MODEL, !reference_only);
        self.gaps = gaps;
        self.vacuous = valuations.vacuous;
        self.stopped = valuations.limited;
        self.statistics.valuations = valuations.nodes;
        self.statistics.left_open = valuations.left_open;
        machine
    }

    fn run(mut self, mut machine: Machine<'m>, diagrams: &DiagramOptions) -> SearchReport {
        let limited = self.stopped.take();
        let columns = order(&machine.matrix, &diagrams.order);
        let asked = asked(&mut machine, &self.checks, &BTreeSet::new());
        let mut exploration = Exploration::new(Cached::new(machine), columns);
        let stop = &mut exploration.nodes.stop;
        (stop.cancelled, stop.deadline) = (self.options.cancelled.clone(), self.session.deadline);
        stop.memory = self.options.limits.memory;
        for (label, good) in asked.labels {
            let matrix = &exploration.system.matrix;
            let context = exploration.levels.choose(&matrix.context(label));
            let reads = exploration.levels.choose(&matrix.label(label).reads);
            self.labels.push(Checked {
                label,
                good,
                reads,
                context,
                undefined: EMPTY,
                judged: EMPTY,
                seen: EMPTY,
                bad: EMPTY,
            });
        }
        let mut initial = Vec::new();
        for root in 0..exploration.system.roots() {
            self.initialise(&mut exploration, root, &mut initial);
            if self.is_over()
                || (root + 1).is_multiple_of(tuning().diagrams.root_pulse) && self.pulse(&mut exploration)
            {
                break;
            }
        }
        self.statistics.initial = initial.len() as u64;
        let nothing =
            self.found.is_empty() && self.gaps.incomplete.is_empty() && self.session.cuts.is_empty();
        if initial.is_empty() && nothing && !self.look(&mut exploration) {
            self.vacuous.get_or_insert(Vacuous::NoInitialState);
        }
        exploration.begin(&initial);
        if !self.is_over() && !initial.is_empty() {
            exploration.run(diagrams.strategy, &mut self);
            if diagrams.strategy == Strategy::BreadthFirst {
                self.statistics.depth = self.checked_rounds.checked_sub(1);
            }
            if !self.is_over() {
                self.look_for_deadlocks(&mut exploration);
                self.look_at_reference(&mut exploration);
            }
            self.look(&mut exploration);
        }
        if self.stopped.is_none() {
            self.stopped = limited;
        }
        self.report(exploration)
    }

    /// Finds the initial states of a valuation.
    fn initialise(&mut self, exploration: &mut ModelExploration<'m>, root: usize, rows: &mut Vec<Vec<u32>>) {
        let edges = exploration.system.initial(root, usize::MAX);
        if let Some(e) = edges.incomplete {
            self.missing("the initialisation", e);
        }
        for edge in edges.edges {
            match edge.target {
                Target::Row(row) => rows.push(row),
                Target::Unwritten(_) => self.missing("the initialisation", unwritten()),
                Target::Failed(outcome) => {
                    let failure = Failure { event: None, outcome };
                    let path = Path { valuation: root, rows: vec![], failure: None };
                    self.failed(failure, Ok(path));
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stopped.is_some() || !(self.found.is_empty() || self.options.keep_going)
    }

    fn missing(&mut self, place: &str, error: EvalError) {
        if !is_interrupted(&error) {
            self.gaps.missing(place, error);
        }
    }

    fn violated(&mut self, key: Key, path: Result<Path, String>) {
        if self.known.insert(key.clone()) {
            self.found.push(Found { key, path });
        }
    }

    /// Notes a step that goes wrong. The path leads to the state before it.
    fn failed(&mut self, failure: Failure, path: Result<Path, String>) {
        if let Some(key) = step_key(&self.checks, &failure) {
            self.violated(key, path.map(|path| Path { failure: Some(failure), ..path }));
        }
    }

    /// Checks the limits. Returns whether the search is over.
    fn look(&mut self, exploration: &mut ModelExploration<'m>) -> bool {
        exploration.nodes.look_at_limits();
        let context = &exploration.system.context;
        let over = self.session.over(self.session.deadline, 0);
        let is_full = context.store.is_full().then_some(Reason::TooManyValues);
        let memory = || self.session.out_of_memory(|| exploration.bytes());
        // A search that was stopped reports that as its reason, whatever the clock says by now.
        let is_given_up = || exploration.nodes.is_stopped() || context.stop.is_set;
        let stopped = over.or(is_full).or_else(memory).or_else(|| is_given_up().then_some(Reason::Timeout));
        if self.stopped.is_none() {
            self.stopped = stopped;
        }
        self.stopped.is_some()
    }

    /// A path to one of the states of a set that have a short row and are met first.
    fn path(&self, exploration: &mut ModelExploration<'m>, set: Set) -> Result<Path, String> {
        let state = exploration.nodes.first(set).ok_or("no state is left")?;
        let rows = exploration.path_to(&state).ok_or("no step leads to a state of the trace")?;
        let valuation = rows.first().map_or(0, |row| exploration.system.valuation(row));
        Ok(Path { valuation, rows, failure: None })
    }

    /// The states of the first layer that has some with one of these short rows.
    fn earliest(&self, exploration: &mut ModelExploration<'m>, short: Set, reads: &Chosen) -> Set {
        let layers = exploration.layers.clone();
        let mut states = layers.iter().map(|l| exploration.nodes.restrict(l.set, short, &reads.positions));
        states.find(|states| *states != EMPTY).unwrap_or(EMPTY)
    }

    /// Evaluates a label on the short rows that are new in a set.
    fn check(&mut self, exploration: &mut ModelExploration<'m>, at: usize, set: Set) {
        let checked = &self.labels[at];
        let (label, good) = (checked.label, checked.good);
        let short = exploration.nodes.project(set, &checked.reads.positions);
        let new = exploration.nodes.minus(short, checked.seen);
        if new == EMPTY {
            self.judge_undefined(exploration, at, set);
            return;
        }
        let words = exploration.nodes.words(new);
        let width = checked.reads.columns.len();
        let mut row =
            exploration.nodes.first(set).map_or_else(Vec::new, |row| exploration.levels.decode(&row));
        // A row without words is one all the same.
        let rows = words.len().checked_div(width).unwrap_or(1);
        for short in (0..rows).map(|i| &words[i * width..(i + 1) * width]) {
            if exploration.nodes.gives_up() {
                return;
            }
            exploration.levels.insert(short, &self.labels[at].reads, &mut row);
            let truth = exploration.system.label(label, &row);
            if truth.as_ref().is_ok_and(|truth| *truth == good) {
                continue;
            }
            let short = exploration.nodes.singleton(short);
            let checked = &mut self.labels[at];
            checked.bad = exploration.nodes.union(checked.bad, short);
            let states = exploration.nodes.restrict(set, short, &checked.reads.positions);
            if truth.is_err_and(|e| e.kind == EvalErrorKind::IllDefined) {
                checked.undefined = exploration.nodes.union(checked.undefined, short);
                continue;
            }
            self.judge(exploration, states);
            if self.is_over() {
                return;
            }
        }
        let checked = &mut self.labels[at];
        checked.seen = exploration.nodes.union(checked.seen, new);
        self.judge_undefined(exploration, at, set);
    }

    /// Judges the states of a set in which a label has no truth value. That is a violation if the conjuncts before it
    /// hold, so one state of each context is judged.
    fn judge_undefined(&mut self, exploration: &mut ModelExploration<'m>, at: usize, set: Set) {
        let Checked { reads, context, undefined, judged, .. } = &self.labels[at];
        let positions = context.positions.clone();
        let states = exploration.nodes.restrict(set, *undefined, &reads.positions);
        let contexts = exploration.nodes.project(states, &positions);
        let mut new = exploration.nodes.minus(contexts, *judged);
        while let Some(short) = exploration.nodes.first(new) {
            if exploration.nodes.gives_up() {
                return;
            }
            let one = exploration.nodes.singleton(&short);
            let states = exploration.nodes.restrict(states, one, &positions);
            self.judge(exploration, states);
            if self.is_over() {
                return;
            }
            let checked = &mut self.labels[at];
            checked.judged = exploration.nodes.union(checked.judged, one);
            new = exploration.nodes.minus(new, one);
        }
    }

    /// Records all violations in one of these states, according to the reference evaluator.
    fn judge(&mut self, exploration: &mut ModelExploration<'m>, states: Set) {
        let Some(state) = exploration.nodes.first(states) else { return };
        let row = exploration.levels.decode(&state);
        let machine = &exploration.system;
        let (constants, values) = (&machine.context.valuations[machine.valuation(&row)], machine.state(&row));
        match judgement(&machine.context.eval, constants, &values, &self.checks) {
            Ok(judged) => {
                if self.checks.well_definedness {
                    self.open.extend(open_properties(&judged));
                }
                let new: Vec<Key> = judged.violations.iter().flat_map(keys).collect();
                for key in new {
                    if !self.known.contains(&key) {
                        let path = self.path(exploration, states);
                        self.violated(key, path);
                    }
                }
            }
            Err(e) => {
                exploration.system.context.stop.is_set |= is_interrupted(&e);
                self.missing("the properties", e);
            }
        }
    }

    /// Looks for states in which no event is enabled.
    fn look_for_deadlocks(&mut self, exploration: &mut ModelExploration<'m>) {
        let mut deadlocks = exploration.deadlocks(exploration.reached);
        if exploration.nodes.is_stopped() {
            return;
        }
        self.statistics.deadlocks = saturated(exploration.count(deadlocks));
        if !self.options.checks.deadlock || deadlocks == EMPTY {
            return;
        }
        let layers = exploration.layers.clone();
        for _ in 0..tuning().diagrams.doubtful_deadlocks {
            // The first layer with one of them: the shortest trace of a breadth-first search.
            let mut common = EMPTY;
            for layer in &layers {
                let others = exploration.nodes.minus(layer.set, deadlocks);
                common = exploration.nodes.minus(layer.set, others);
                if common != EMPTY {
                    break;
                }
            }
            let Some(state) = exploration.nodes.first(common) else { return };
            if self.is_deadlock(exploration, &state) {
                let one = exploration.nodes.singleton(&state);
                let path = self.path(exploration, one);
                self.violated(Key::Deadlock, path);
                return;
            }
            let one = exploration.nodes.singleton(&state);
            deadlocks = exploration.nodes.minus(deadlocks, one);
        }
    }

    /// Compares some states with the reference evaluator.
    fn look_at_reference(&mut self, exploration: &mut ModelExploration<'m>) {
        let Some(mut reference) = self.audit.take() else { return };
        let labels = &self.labels;
        let mut is_bad = |exploration: &mut ModelExploration<'_>, state: &[u32]| {
            let one = exploration.nodes.singleton(state);
            labels.iter().any(|l| exploration.nodes.restrict(one, l.bad, &l.reads.positions) != EMPTY)
        };
        let asked = (&self.checks, &self.session.cuts, self.options.seed);
        self.difference = audit(exploration, &mut reference, asked, &mut is_bad);
        self.statistics.successors.audited = reference.audited;
    }

    /// Returns whether no event is enabled in a state where none was found to be, not even with values beyond those
    /// that were tried.
    fn is_deadlock(&mut self, exploration: &mut ModelExploration<'m>, state: &[u32]) -> bool {
        let row = exploration.levels.decode(state);
        let machine = &exploration.system;
        match machine.is_deadlock(machine.valuation(&row), &machine.state(&row)) {
            Ok(deadlock) => deadlock,
            Err(e) => {
                self.missing("the deadlocks", e);
                false
            }
        }
    }

    /// Records the errors and failures of groups since the last call.
    fn take_notes(&mut self, exploration: &mut ModelExploration<'m>) {
        for (place, error) in std::mem::take(&mut exploration.missing) {
            exploration.system.context.stop.is_set |= is_interrupted(&error);
            self.missing(&place, error);
        }
        for failing in std::mem::take(&mut exploration.failing) {
            let event = Some(exploration.system.event(failing.group));
            let failure = Failure { event, outcome: failing.outcome };
            if step_key(&self.checks, &failure).is_none_or(|key| self.known.contains(&key)) {
                continue;
            }
            let reads = &exploration.groups[failing.group.index()].reads;
            let reads = Chosen { columns: reads.columns.clone(), positions: reads.positions.clone() };
            let states = self.earliest(exploration, failing.states, &reads);
            let path = self.path(exploration, states);
            self.failed(failure, path);
        }
    }

    fn report(mut self, mut exploration: ModelExploration<'m>) -> SearchReport {
        let states = exploration.count(exploration.reached);
        let valuations = u128::from(self.statistics.valuations);
        let all = states.saturating_add(valuations);
        let edges = exploration.transitions();
        let initial = u128::from(self.statistics.initial);
        let transitions = edges.saturating_add(valuations).saturating_add(initial);
        let mut bad = EMPTY;
        for checked in &self.labels {
            let states =
                exploration.nodes.restrict(exploration.reached, checked.bad, &checked.reads.positions);
            bad = exploration.nodes.union(bad, states);
        }
        let effort = exploration.system.effort();
        let s = &mut self.statistics;
        (s.states, s.transitions) = (saturated(all), saturated(transitions));
        s.violating = saturated(exploration.count(bad));
        s.successors.by_reference = effort.by_reference;
        s.memory = MemoryUse { bytes: exploration.bytes(), table_bytes: exploration.nodes.bytes() };
        s.successors.uncompiled = std::mem::take(&mut exploration.system.uncompiled);
        s.diagram = Some(DiagramStatistics {
            states: all,
            transitions,
            nodes: exploration.nodes.len(),
            asked: exploration.asked,
            rounds: exploration.layers.len(),
            checked_rounds: self.checked_rounds,
        });
        // Violations that were found before the timeout are shown all the same.
        exploration.system.let_go();
        let (mut shown, mut failed): (Vec<Counterexample>, _) = (Vec::new(), None);
        for found in std::mem::take(&mut self.found) {
            match self.show(&mut exploration.system, found) {
                Ok(c) if shown.contains(&c) => {}
                Ok(c) => shown.push(c),
                Err(reason) => failed = Some(reason),
            }
        }
        let finished = self.stopped.is_none();
        let complete =
            failed.is_none() && finished && self.gaps.incomplete.is_empty() && self.session.cuts.is_empty();
        let exhausted = self.options.keep_going && complete && self.vacuous.is_none();
        let mut shown = shown.into_iter();
        let first = shown.next();
        if let (Some(_), Some(reason)) = (&first, &failed) {
            self.gaps.unconfirmed(reason);
        }
        let verdict = match (first, failed, self.stopped.take(), self.vacuous.take()) {
            (Some(c), ..) => Verdict::Violated(Box::new(c)),
            (None, Some(reason), ..) => Verdict::Unknown(Reason::ReplayFailed(reason)),
            (None, None, Some(stopped), _) => Verdict::Unknown(stopped),
            (None, None, None, Some(why)) => why.into(),
            _ if !self.gaps.incomplete.is_empty() => Verdict::Unknown(Reason::Incomplete(None)),
            _ if !self.session.cuts.is_empty() => Verdict::Unknown(Reason::Bounded(None)),
            _ => Verdict::Holds(Evidence {
                states: self.statistics.states,
                transitions: self.statistics.transitions,
                digest: String::new(),
                symmetric: false,
            }),
        };
        let refuted = self.gaps.refuted.take();
        let verdict = refuted.map_or(verdict, |e| Verdict::Unknown(Reason::Refuted(e)));
        let difference = self.difference.take();
        let exhausted = exhausted && difference.is_none();
        let verdict = difference.map_or(verdict, |found| Verdict::Contradiction(Box::new(found)));
        let exhausted = exhausted || matches!(verdict, Verdict::Holds(_));
        self.statistics.time = self.session.begin.elapsed();
        SearchReport {
            scope: exploration.system.context.eval.scope.clone(),
            verdict,
            further: shown.collect(),
            finished,
            exhausted,
            open: self.open,
            incomplete: self.gaps.incomplete,
            cuts: self.session.cuts.list(),
            coverage: None,
            not_saved: None,
            statistics: self.statistics,
        }
    }

    /// Replays a violation that was found, as a counterexample.
    fn show(&self, machine: &mut Machine<'m>, found: Found) -> Result<Counterexample, String> {
        let mut checks = self.options.checks.clone();
        checks.deadlock = found.key == Key::Deadlock;
        counterexample(machine, found.path?, &mut |_, stored, reached| stored == reached, &checks)
    }
}

impl<'m> Watch<Cached<Machine<'m>>> for Verifier<'m, '_> {
    fn found(&mut self, exploration: &mut ModelExploration<'m>, new: Set) -> bool {
        self.take_notes(exploration);
        for at in 0..self.labels.len() {
            if self.is_over() {
                break;
            }
            self.check(exploration, at, new);
        }
        let is_over = self.pulse(exploration);
        // Whatever was found so far was passed to this function.
        if !is_over && !exploration.nodes.gives_up() {
            self.checked_rounds = exploration.layers.len();
        }
        is_over
    }

    fn pulse(&mut self, exploration: &mut ModelExploration<'m>) -> bool {
        self.take_notes(exploration);
        let valuations = self.statistics.valuations;
        self.teller.tell(|seconds| {
            let states = saturated(exploration.count(exploration.reached));
            Progress {
                states: states.saturating_add(valuations),
                transitions: exploration.asked,
                frontier: exploration.nodes.len(),
                rate: states as f64 / seconds,
            }
        });
        self.look(exploration) || self.is_over()
    }

    fn roots(&self) -> Vec<Set> {
        self.labels.iter().flat_map(|checked| [checked.seen, checked.bad]).collect()
    }
}

fn saturated(count: u128) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
