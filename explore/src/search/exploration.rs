//! A search from its beginning to its end: constants, initial states, then states out of the frontier.

use std::time::Instant;

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::prob_profile::only_names_elements;
use bsym_semantics::trace::replay::Checks;

use super::findings::{Findings, is_interrupted};
use super::frontier::Frontier;
use super::pool::Pool;
use super::properties::Properties;
use super::schedule::Schedule;
use super::witness::Failure;
use crate::audit::Audit;
use crate::options::{Order, SearchOptions};
use crate::report::{NotSaved, Observer, Statistics, Unknown, Vacuous};
use crate::space::machine::{Machine, unwritten};
use crate::space::system::{System, Target};
use crate::space::updates::Updates;
use crate::store::interner::Store;
use crate::store::state_table::{StateId, Table};

/// How often limits are looked at, in states.
const PULSE: u64 = 512;
/// How often values are looked at that need not be kept, in states.
const TIDY: u64 = 16;
/// Of so many states one is timed, where work may be shared out.
const SAMPLED: u64 = 16;

/// The distance of the states at hand from the initial ones in a breadth-first search, and the first state farther away.
#[derive(Default)]
pub(super) struct Level {
    pub(super) depth: usize,
    ends: usize,
}

/// A search: what it stands on, where it is, what it has found.
pub(super) struct Search<'m, 'o> {
    pub(super) cuts: &'m Cuts,
    pub(super) options: &'o SearchOptions,
    pub(super) checks: Checks,
    pub(super) machine: Machine<'m>,
    pub(super) properties: Properties,
    pub(super) updates: Updates,
    pub(super) table: Table,
    pub(super) frontier: Frontier,
    pub(super) findings: Findings,
    pub(super) schedule: Schedule,
    pub(super) level: Level,
    pub(super) statistics: Statistics,
    pub(super) stopped: Option<Unknown>,
    pub(super) not_saved: Option<NotSaved>,
    pub(super) resumed: bool,
    pub(super) initialised: bool,
    pub(super) pool: Option<Pool>,
    pub(super) audit: Option<Audit<'m>>,
}

impl<'m, 'o> Search<'m, 'o> {
    pub(super) fn new(
        eval: Evaluator<'m>,
        cuts: &'m Cuts,
        options: &'o SearchOptions,
        begin: Instant,
    ) -> Self {
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
            findings: Findings::default(),
            schedule: Schedule::new(begin, options),
            level: Level::default(),
            statistics: Statistics::default(),
            stopped: None,
            not_saved: None,
            resumed: false,
            initialised: false,
            pool: None,
            audit: None,
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
        if found.is_empty() && self.findings.incomplete.is_empty() && self.cuts.is_empty() && !interrupted {
            self.findings.vacuous = Some(Vacuous::NoValuation);
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
        self.machine.context.deadline =
            self.options.limits.time.and_then(|t| self.schedule.begin.checked_add(t));
        self.machine.context.cancelled = self.options.cancelled.clone();
        self.machine.context.stopped = interrupted;
        self.properties = Properties::new(&mut self.machine, &self.checks, &self.options.proven, compiled);
        self.table = Table::new(self.machine.width());
        if let Some(snapshot) = resumed {
            self.resume(snapshot);
        }
    }

    pub(super) fn run(&mut self, observer: &mut dyn Observer) {
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
            && self.findings.incomplete.is_empty()
            && self.cuts.is_empty()
            && self.findings.found.is_empty()
        {
            self.findings.vacuous.get_or_insert(Vacuous::NoInitialState);
        }
        self.initialised = true;
        self.explore(observer);
        if self.stopped.is_some() {
            self.save();
        } else {
            self.stopped = limited;
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.stopped.is_some()
            || self.findings.difference.is_some()
            || !(self.findings.found.is_empty() || self.options.keep_going)
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
        self.level.ends = self.table.len();
        let mut row = vec![0; self.machine.width()];
        let mut count = 0u64;
        while !self.is_over() {
            let full = self.options.limits.states.is_some_and(|n| self.table.len() > n);
            if (count.is_multiple_of(PULSE) || full || self.machine.context.stopped) && self.pulse(observer) {
                return;
            }
            if count.is_multiple_of(TIDY) {
                self.condense();
                self.machine.tidy(self.table.bytes());
                row.resize(self.machine.width(), 0);
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
            self.statistics.depth = Some(self.level.depth);
        }
    }

    /// Writes the states in another form where that takes less memory.
    fn condense(&mut self) {
        let Some(table) = self.machine.condensed(&self.table) else { return };
        self.table = table;
        self.properties.follow(self.machine.matrix());
        if let Some(pool) = &mut self.pool {
            pool.is_set_up = false;
        }
    }

    /// Keeps the depth of a breadth-first search.
    pub(super) fn enter(&mut self, state: StateId) {
        if state as usize >= self.level.ends {
            self.level.depth += 1;
            self.level.ends = self.table.len();
        }
    }
}
