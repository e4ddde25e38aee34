//! The search: states out of a frontier, their successors into the table, properties on what is new.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_semantics::bounded::Cuts;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::prob_profile::only_names_elements;
use bsym_semantics::replay::{Checks, Judgement, judgement};
use bsym_semantics::state::{State, Violation};
use bsym_semantics::transition::Outcome;

use crate::audit::{Audit, Clock, Difference};
use crate::options::{Order, SearchOptions};
use crate::report::{
    Incomplete, NO_VALUATION, NotSaved, Observer, OpenProperty, Progress, SearchReport, Statistics, Unknown,
};
use crate::search::frontier::Frontier;
use crate::search::worker::Ground;
use crate::space::dependency_matrix::{Group, GroupId};
use crate::space::machine::{Machine, unwritten};
use crate::space::system::{Edges, Expansion, System, Target};
use crate::space::updates::Updates;
use crate::store::interner::Store;
use crate::store::state_table::{INITIAL, StateId, Table};
use bsym_semantics::interrupt::interruptible;
use parallel::Pool;
pub use problem::Problem;
use properties::Properties;
use witness::Failure;

mod answer;
mod aside;
mod auditing;
mod checkpoint;
mod dropped;
mod frontier;
mod parallel;
mod problem;
mod properties;
mod witness;
mod worker;

/// Most reasons for incompleteness that are kept.
const REASONS: usize = 16;
/// How often limits are looked at, in states.
const PULSE: u64 = 512;
/// Of so many states one is timed, where work may be shared out.
const SAMPLED: u64 = 16;
const PROGRESS: Duration = Duration::from_millis(500);

/// Searches the states of a model.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn search(problem: &Problem<'_>, options: &SearchOptions, observer: &mut dyn Observer) -> SearchReport {
    let report = visit(problem, options, observer);
    dropped::weigh(problem, options, report, &mut |problem, options| visit(problem, options, observer))
}

/// The same, whatever its counterexamples rest on.
fn visit(problem: &Problem<'_>, options: &SearchOptions, observer: &mut dyn Observer) -> SearchReport {
    let begin = Instant::now();
    let deadline = options.limits.time.and_then(|t| begin.checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let (cuts, clock, audit_cuts) = (Cuts::default(), Clock::default(), Cuts::default());
        let mut eval = Evaluator::new(problem.model, problem.scope)
            .with_interrupt(interrupt)
            .with_bounded_choices(&cuts);
        eval.finder = problem.finder;
        let mut search = Search::new(eval, &cuts, options, begin);
        let Problem { model, scope, .. } = *problem;
        let reference =
            Evaluator::new(model, scope).with_interrupt(clock.flag()).with_bounded_choices(&audit_cuts);
        // The reference need not be held against itself.
        search.audit = (!options.reference_only)
            .then(|| Audit::new(reference, &audit_cuts, &clock, options.seed, begin));
        std::thread::scope(|threads| {
            // Dropped when the search is over, which ends the watch.
            let (_working, over) = std::sync::mpsc::channel::<()>();
            let clock = &clock;
            threads.spawn(move || clock.watch(begin, interrupt, &over));
            search.pool = Pool::start(threads, Ground { model, scope, interrupt, options, deadline });
            search.run(observer);
            // The workers end with it.
            search.dismiss();
        });
        search.report()
    })
}

/// A property that was found violated, with where.
struct Found {
    key: Key,
    state: Option<StateId>,
    valuation: usize,
    failure: Option<Failure>,
}

/// Violations that are told apart: one counterexample is kept for each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Invariant(usize),
    Assertion(usize),
    Deadlock,
    Goal,
    Step(Option<EventId>, String),
    State(String),
}

struct Search<'m, 'o> {
    cuts: &'m Cuts,
    options: &'o SearchOptions,
    checks: Checks,
    machine: Machine<'m>,
    properties: Properties,
    updates: Updates,
    table: Table,
    frontier: Frontier,
    /// States in which some conjunct of the invariant is not known to hold.
    doubtful: HashSet<StateId>,
    /// States that the interrupted evaluator has not judged.
    unjudged: Vec<StateId>,
    /// Properties that are ill-defined somewhere, with the first state where they are.
    open: BTreeMap<OpenProperty, StateId>,
    seen: HashSet<Key>,
    found: Vec<Found>,
    incomplete: Vec<Incomplete>,
    statistics: Statistics,
    vacuous: Option<String>,
    stopped: Option<Unknown>,
    begin: Instant,
    next_progress: Duration,
    next_checkpoint: Duration,
    not_saved: Option<NotSaved>,
    resumed: bool,
    initialised: bool,
    /// The distance of the states at hand from the initial ones, and the first state farther away.
    depth: usize,
    level_ends: usize,
    pool: Option<Pool>,
    audit: Option<Audit<'m>>,
    difference: Option<Box<Difference>>,
}

impl<'m, 'o> Search<'m, 'o> {
    fn new(eval: Evaluator<'m>, cuts: &'m Cuts, options: &'o SearchOptions, begin: Instant) -> Self {
        let checks = Checks { deadlock: false, ..options.checks.clone() };
        let mut machine = Machine::new(eval, Vec::new(), Store::default(), false);
        let properties = Properties::new(&mut machine, &checks, &options.proven, false);
        let mut search = Search {
            cuts,
            options,
            checks,
            machine,
            properties,
            updates: Updates::default(),
            table: Table::new(0),
            frontier: Frontier::new(options.order, options.seed),
            doubtful: HashSet::new(),
            unjudged: Vec::new(),
            open: BTreeMap::new(),
            seen: HashSet::new(),
            found: Vec::new(),
            incomplete: Vec::new(),
            statistics: Statistics::default(),
            vacuous: None,
            stopped: None,
            begin,
            next_progress: PROGRESS,
            next_checkpoint: options.checkpoint.as_ref().map_or(Duration::MAX, |c| c.every),
            not_saved: None,
            resumed: false,
            initialised: false,
            depth: 0,
            level_ends: 0,
            pool: None,
            audit: None,
            difference: None,
        };
        search.set_up(eval);
        search
    }

    /// The constants.
    fn set_up(&mut self, eval: Evaluator<'m>) {
        let mut valuations = eval.constants_up_to_names(&self.options.fixed);
        let interrupted = valuations.incomplete.as_ref().is_some_and(is_interrupted);
        if let Some(e) = valuations.incomplete.take() {
            self.note("the constants", e);
        }
        if let Some((_, e)) = valuations.ill_defined.into_iter().next() {
            self.note("the properties of the constants", e);
        }
        let mut found = valuations.found;
        if found.is_empty() && self.incomplete.is_empty() && self.cuts.is_empty() && !interrupted {
            self.vacuous = Some(NO_VALUATION.into());
        }
        if let Some(limit) = self.options.limits.valuations
            && found.len() > limit
        {
            found.truncate(limit);
            self.stopped = Some(Unknown::ValuationLimit(limit));
        }
        // Where only properties are given, of the sizes of sets, there is a set-up as well.
        if !only_names_elements(eval.model) {
            self.statistics.valuations = found.len() as u64;
            self.statistics.transitions = found.len() as u64;
        }
        let compiled = !self.options.reference_only;
        let resumed = self.read_checkpoint();
        let (store, resumed) = match resumed {
            Some(mut snapshot) => (std::mem::take(&mut snapshot.store), Some(snapshot)),
            None => (Store::for_threads(self.options.threads), None),
        };
        self.machine = Machine::new(eval, found, store, compiled);
        self.machine.context.deadline = self.options.limits.time.and_then(|t| self.begin.checked_add(t));
        self.machine.context.cancelled = self.options.cancelled.clone();
        self.machine.context.stopped = interrupted;
        self.properties = Properties::new(&mut self.machine, &self.checks, &self.options.proven, compiled);
        self.table = Table::new(self.machine.width());
        if let Some(snapshot) = resumed {
            self.resume(snapshot);
        }
    }

    fn run(&mut self, observer: &mut dyn Observer) {
        let limited = self.stopped.take();
        if let Some(Unknown::NotResumed(_)) = limited {
            self.stopped = limited;
            return;
        }
        if self.machine.context.stopped && self.pulse(observer) {
            return;
        }
        let valuations = if self.resumed { 0 } else { self.machine.context.valuations.len() };
        for valuation in 0..valuations {
            self.initialise(valuation);
            if self.is_over()
                || (valuation % 64 == 63 || self.machine.context.stopped) && self.pulse(observer)
            {
                return;
            }
        }
        if self.table.is_empty()
            && self.incomplete.is_empty()
            && self.cuts.is_empty()
            && self.found.is_empty()
        {
            self.vacuous.get_or_insert_with(|| "there is no initial state".into());
        }
        self.initialised = true;
        self.explore(observer);
        if self.stopped.is_some() {
            self.save();
        } else {
            self.stopped = limited;
        }
    }

    fn is_over(&self) -> bool {
        self.stopped.is_some()
            || self.difference.is_some()
            || !(self.found.is_empty() || self.options.keep_going)
    }

    fn initialise(&mut self, valuation: usize) {
        let initial = self.machine.initial(valuation);
        if initial.compiled {
            self.audit_initialisation(valuation, &initial.edges);
            if self.is_over() {
                return;
            }
        }
        if let Some(e) = initial.incomplete {
            self.note("the initialisation", e);
        }
        for edge in initial.edges {
            let row = match edge.target {
                Target::Failed(outcome) => {
                    self.failed(None, valuation, Failure { event: None, outcome });
                    continue;
                }
                Target::Row(row) => Some(row),
                Target::Unwritten(_) => None,
            };
            self.statistics.transitions += 1;
            self.statistics.initial += 1;
            let Some(row) = row else {
                self.note("the initialisation", unwritten());
                continue;
            };
            let hash = self.table.hash(&row);
            self.reached(&row, hash, None);
            if self.is_over() {
                return;
            }
        }
    }

    fn explore(&mut self, observer: &mut dyn Observer) {
        self.level_ends = self.table.len();
        let mut row = vec![0; self.machine.width()];
        let mut count = 0u64;
        while !self.is_over() {
            let full = self.options.limits.states.is_some_and(|n| self.table.len() > n);
            if (count.is_multiple_of(PULSE) || full || self.machine.context.stopped) && self.pulse(observer) {
                return;
            }
            count += 1;
            if let Some(batch) = self.next_batch() {
                self.expand_batch(batch, observer);
                count = 0;
                continue;
            }
            let Some(state) = self.frontier.pop() else { break };
            let timed = self.pool.is_some() && (count < SAMPLED || count.is_multiple_of(SAMPLED));
            let begin = timed.then(Instant::now);
            self.enter(state);
            self.table.read(state, &mut row);
            if !self.expand(state, &row) {
                self.frontier.put_back(state);
            }
            if let (Some(pool), Some(begin)) = (&mut self.pool, begin) {
                pool.note(begin.elapsed(), 1);
            }
        }
        if self.options.order == Order::BreadthFirst && !self.table.is_empty() && !self.resumed {
            self.statistics.depth = Some(self.depth);
        }
    }

    /// Keeps the depth of a breadth-first search.
    fn enter(&mut self, state: StateId) {
        if state as usize >= self.level_ends {
            self.depth += 1;
            self.level_ends = self.table.len();
        }
    }

    /// Expands a state; whether there was time for it.
    fn expand(&mut self, state: StateId, row: &[u32]) -> bool {
        let hash = self.table.hash(row);
        let mut enabled = false;
        let before = self.statistics.transitions;
        let mut next = row.to_vec();
        let matrix = self.machine.matrix.clone();
        for (group, shape) in matrix.group_ids().zip(&matrix.groups) {
            enabled |= self.fire((group, shape), state, row, hash, &mut next);
            if self.is_over() {
                return true;
            }
        }
        self.close(state, row, enabled, before)
    }

    /// Adds what a group leads to; whether it is enabled.
    fn fire(
        &mut self,
        (group, shape): (GroupId, &Group),
        state: StateId,
        row: &[u32],
        hash: u64,
        next: &mut [u32],
    ) -> bool {
        let mut updates = std::mem::take(&mut self.updates);
        let expansion = self.machine.next(group, row, &mut updates);
        let enabled = match expansion {
            Expansion::Moves(transitions) => {
                self.statistics.transitions += transitions;
                let from = (state, row, self.machine.event(group));
                self.apply(&updates, &shape.may_write, from, hash, next);
                transitions > 0
            }
            Expansion::Edges(edges) => {
                let enabled = !edges.edges.is_empty() || edges.incomplete.is_some();
                self.follow(group, edges, state, row);
                enabled
            }
        };
        self.updates = updates;
        enabled
    }

    /// Ends the expansion of a state; whether there was time for it.
    fn close(&mut self, state: StateId, row: &[u32], enabled: bool, before: u64) -> bool {
        if self.machine.context.stopped {
            // Some of its successors are missing: whoever continues the search expands it again.
            self.statistics.transitions = before;
            return false;
        }
        if !enabled {
            self.statistics.deadlocks += 1;
            if self.options.checks.deadlock && self.is_deadlock(row) {
                self.violated(Key::Deadlock, Some(state), self.machine.valuation(row), None);
            }
        }
        self.audit_state(state, row);
        true
    }

    /// Whether no event is enabled in a state where none was found to be: also none with values beyond those
    /// that were looked at.
    fn is_deadlock(&mut self, row: &[u32]) -> bool {
        if self.cuts.is_empty() {
            return true;
        }
        let values = self.machine.context.decode_state(row);
        let valuation = self.machine.valuation(row);
        let eval = self.machine.context.eval.with_all_choices();
        match eval.is_deadlock(&self.machine.context.valuations[valuation], &values) {
            Ok(deadlock) => deadlock,
            Err(e) => {
                self.note("the deadlocks", e);
                false
            }
        }
    }

    /// Adds the targets of the updates of an event.
    fn apply(
        &mut self,
        updates: &Updates,
        may_write: &[usize],
        from: (StateId, &[u32], EventId),
        hash: u64,
        next: &mut [u32],
    ) {
        let row = from.1;
        for update in updates.iter() {
            let mut hash = hash;
            let mut changed = false;
            for (at, word) in update.written(may_write) {
                if row[at] != word {
                    changed = true;
                    hash = self.table.rehash(hash, at, row[at], word);
                    next[at] = word;
                }
            }
            if !changed {
                continue;
            }
            self.reached(next, hash, Some(from));
            for at in may_write {
                next[*at] = row[*at];
            }
            if self.is_over() {
                break;
            }
        }
    }

    /// Adds the targets of edges of which some go wrong or may be missing.
    fn follow(&mut self, group: GroupId, edges: Edges, state: StateId, row: &[u32]) {
        let event = self.machine.event(group);
        if let Some(e) = edges.incomplete {
            let name = self.machine.matrix.group(group).name.clone();
            self.note(&format!("event `{name}`"), e);
        }
        let valuation = self.machine.valuation(row);
        for edge in edges.edges {
            let next = match edge.target {
                Target::Failed(outcome) => {
                    self.failed(Some(state), valuation, Failure { event: Some(event), outcome });
                    if self.is_over() {
                        return;
                    }
                    continue;
                }
                Target::Row(next) => Some(next),
                Target::Unwritten(_) => None,
            };
            self.statistics.transitions += 1;
            let Some(next) = next else {
                self.note("a state", unwritten());
                continue;
            };
            let hash = self.table.hash(&next);
            self.reached(&next, hash, Some((state, row, event)));
            if self.is_over() {
                return;
            }
        }
    }

    /// Adds a state that was reached from another one, and judges it if it is new.
    fn reached(&mut self, row: &[u32], hash: u64, from: Option<(StateId, &[u32], EventId)>) {
        if self.table.is_full() {
            self.stopped = Some(Unknown::StateLimit(self.table.len()));
            return;
        }
        let (state, new) = self.table.add(row, hash, from.map_or(INITIAL, |(parent, ..)| parent));
        if !new {
            return;
        }
        self.frontier.push(state);
        let before = from.filter(|(parent, ..)| self.doubtful.is_empty() || !self.doubtful.contains(parent));
        let before = before.map(|(_, old, event)| (old, event));
        if !self.properties.hold(&mut self.machine, row, before) {
            let values = self.machine.context.decode_state(row);
            self.judge(state, self.machine.valuation(row), &values);
        }
    }

    /// Everything that is wrong in a state, according to the reference evaluator.
    fn judge(&mut self, state: StateId, valuation: usize, values: &State) {
        let eval = self.machine.context.eval;
        let constants = &self.machine.context.valuations[valuation];
        // Also where nothing is violated: a predicate behind a false one may be ill-defined.
        self.doubtful.insert(state);
        match judgement(&eval, constants, values, &self.checks) {
            Ok(judged) => {
                if self.checks.well_definedness {
                    for property in open_properties(&judged) {
                        self.open.entry(property).or_insert(state);
                    }
                }
                let violations = judged.violations;
                if violations.iter().any(|v| *v != Violation::Goal) {
                    self.statistics.violating += 1;
                }
                for violation in violations {
                    for key in keys(&violation) {
                        self.violated(key, Some(state), valuation, None);
                    }
                }
            }
            Err(e) => {
                if is_interrupted(&e) {
                    self.unjudged.push(state);
                }
                self.note("the properties", e);
            }
        }
    }

    fn failed(&mut self, state: Option<StateId>, valuation: usize, failure: Failure) {
        let what = match &failure.outcome {
            Outcome::IllDefined(e) if self.checks.well_definedness => format!("wd {:?}", e.span),
            Outcome::AssertFailed(span) => format!("assert {span:?}"),
            Outcome::PreconditionFailed(span) => format!("pre {span:?}"),
            Outcome::RefinementFailed(id) => format!("refinement {id:?}"),
            Outcome::IllDefined(_) | Outcome::Reached { .. } | Outcome::Disabled { .. } => return,
        };
        self.violated(Key::Step(failure.event, what), state, valuation, Some(failure));
    }

    fn violated(&mut self, key: Key, state: Option<StateId>, valuation: usize, failure: Option<Failure>) {
        if self.seen.insert(key.clone()) {
            self.found.push(Found { key, state, valuation, failure });
        }
    }

    fn note(&mut self, place: &str, error: EvalError) {
        if is_interrupted(&error) {
            self.machine.context.stopped = true;
            return;
        }
        let reason = Incomplete { place: place.into(), error };
        if self.incomplete.len() < REASONS && !self.incomplete.contains(&reason) {
            self.incomplete.push(reason);
        }
    }

    /// Looks at the limits and tells the observer; whether the search is over.
    fn pulse(&mut self, observer: &mut dyn Observer) -> bool {
        if self.pulse_at(observer, self.table.len(), self.bytes()) {
            return true;
        }
        let time = self.begin.elapsed();
        if let Some(checkpoint) = &self.options.checkpoint
            && self.initialised
            && time >= self.next_checkpoint
        {
            self.next_checkpoint = time + checkpoint.every;
            self.save();
        }
        false
    }

    fn pulse_at(&mut self, observer: &mut dyn Observer, states: usize, bytes: usize) -> bool {
        self.properties.learn(self.options.proven_meanwhile.take());
        let limits = &self.options.limits;
        let time = self.begin.elapsed();
        self.stopped = if self.options.cancelled.load(Ordering::Relaxed) {
            Some(Unknown::Cancelled)
        } else if limits.time.is_some_and(|t| time >= t) {
            Some(Unknown::Timeout)
        } else if let Some(limit) = limits.states.filter(|n| states > *n) {
            Some(Unknown::StateLimit(limit))
        } else if self.machine.context.store.is_full() {
            Some(Unknown::TooManyValues)
        } else {
            limits.memory.filter(|n| bytes > *n).map(Unknown::MemoryLimit)
        };
        if time >= self.next_progress {
            self.next_progress = time + PROGRESS;
            let states = states as u64 + self.statistics.valuations;
            observer.progress(&Progress {
                states,
                transitions: self.statistics.transitions,
                frontier: self.frontier.len(),
                rate: states as f64 / time.as_secs_f64(),
            });
        }
        self.stopped.is_some()
    }

    /// Lets the workers go, and keeps what they have counted.
    fn dismiss(&mut self) {
        self.statistics.bytes = self.bytes();
        self.statistics.table_bytes = self.table.bytes();
        if let Some(pool) = self.pool.take() {
            let [hits, misses, by_reference] = pool.counts();
            self.statistics.memo_hits = hits;
            self.statistics.memo_misses = misses;
            self.statistics.by_reference = by_reference;
        }
    }

    fn bytes(&self) -> usize {
        let workers = self.pool.as_ref().map_or(0, Pool::bytes);
        self.table.bytes() + self.machine.bytes() + self.frontier.bytes() + workers
    }
}

fn open_properties(judged: &Judgement) -> impl Iterator<Item = OpenProperty> + '_ {
    let conjuncts = judged.ill_defined_conjuncts.iter().map(|i| OpenProperty::Invariant(*i));
    let assertions = judged.ill_defined_assertions.iter().map(|i| OpenProperty::Assertion(*i));
    conjuncts.chain(assertions).chain(judged.ill_defined_goal.then_some(OpenProperty::Goal))
}

fn keys(violation: &Violation) -> Vec<Key> {
    match violation {
        Violation::Invariant(conjuncts) => conjuncts.iter().map(|i| Key::Invariant(*i)).collect(),
        Violation::Assertions(list) => list.iter().map(|i| Key::Assertion(*i)).collect(),
        Violation::Deadlock => vec![Key::Deadlock],
        Violation::Goal => vec![Key::Goal],
        Violation::IllDefined(e) => vec![Key::State(format!("wd {:?}", e.span))],
        Violation::Assert(span) => vec![Key::State(format!("assert {span:?}"))],
        Violation::Precondition(span) => vec![Key::State(format!("pre {span:?}"))],
        Violation::Refinement(id) => vec![Key::State(format!("refinement {id:?}"))],
    }
}

fn is_interrupted(error: &EvalError) -> bool {
    error.kind == EvalErrorKind::Interrupted
}
