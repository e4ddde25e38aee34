//! A search from its beginning to its end: initial states, then states out of the frontier.

use std::collections::VecDeque;
use std::thread::Scope as Threads;
use std::time::Instant;

use super::firings::Firings;
use super::frontier::Frontier;
use super::pool::Pool;
use super::properties::{Asked, Properties};
use super::reached::Reached;
use super::visitor::{Known, Origin, Visitor};
use crate::options::Order;
use crate::space::system::{Effort, Reduce};
use crate::space::updates::Updates;
use crate::store::state_table::{StateId, Table};
use crate::tuning::Tuning;

/// Distance of the current states from the initial ones in a breadth-first search, and the first state farther away.
#[derive(Default)]
struct Level {
    depth: usize,
    ends: usize,
}

/// A search of the states of a system.
pub struct Reachability<S: Reduce, V> {
    /// States reached so far, and the frontier.
    pub reached: Reached<S>,
    /// Visitor that is told what the search meets.
    pub visitor: V,
    /// The properties that it checks.
    pub properties: Properties,
    /// Counts of how often each group is taken, if they were requested.
    pub firings: Option<Firings>,
    /// Number of states above which the visitor is asked whether the search is over.
    pub most: usize,
    pub(super) updates: Updates,
    /// Updates of each group in the current state, if some groups may be enough.
    pub(super) held: Vec<Updates>,
    pub(super) pool: Option<Pool<S::Seed>>,
    /// States that were expanded in a batch and not yet looked back at.
    pub(super) expanded: VecDeque<StateId>,
    /// `true` if workers have given up.
    pub(super) interrupted: bool,
    level: Level,
}

impl<S: Reduce, V: Visitor<S>> Reachability<S, V> {
    /// A search of a system for a visitor.
    pub fn new(system: S, asked: Asked, frontier: Frontier, visitor: V) -> Self {
        let properties = Properties::new(system.matrix(), asked);
        let table = Table::new(system.matrix().width());
        let (doubtful, counts) = Default::default();
        Reachability {
            reached: Reached { system, table, frontier, doubtful, counts },
            visitor,
            properties,
            firings: None,
            most: usize::MAX,
            updates: Updates::default(),
            held: vec![],
            pool: None,
            expanded: VecDeque::new(),
            interrupted: false,
            level: Level::default(),
        }
    }

    /// Searches with `n` threads, including this one, if the search is breadth-first; the others end with
    /// [`Reachability::dismiss`]. With `share_all` they also get work that one thread does as fast.
    pub fn start_workers<'s>(&mut self, threads: &'s Threads<'s, '_>, n: usize, share_all: bool)
    where
        S: 's,
        S::Seed: 's,
    {
        if n > 1 && self.reached.frontier.order() == Order::BreadthFirst {
            self.pool = Pool::start::<S>(threads, n, share_all);
        }
        if self.pool.is_some() {
            self.reached.system.share();
            self.properties.share();
        }
    }

    /// Ends the workers. Returns their effort.
    pub fn dismiss(&mut self) -> Effort {
        self.pool.take().map(|pool| pool.effort()).unwrap_or_default()
    }

    /// Finds the initial states.
    pub fn begin(&mut self) {
        for root in 0..self.reached.system.roots() {
            self.initialise(root);
            if self.visitor.is_over()
                || ((root + 1).is_multiple_of(Tuning::DEFAULT.reachability.root_pulse) || self.is_stopped())
                    && self.pulse()
            {
                return;
            }
        }
    }

    fn initialise(&mut self, root: usize) {
        let initial = self.reached.system.initial(root, usize::MAX);
        self.visitor.begun(&mut self.reached, root, &initial);
        if !self.visitor.is_over() {
            self.reached.counts.initial += self.follow(initial, Origin::Root(root));
        }
    }

    /// Expands waiting states until there are none, or the visitor says that the search is over.
    pub fn explore(&mut self) {
        self.level.ends = self.reached.table.len();
        let mut row = vec![0; self.reached.table.width()];
        let mut count = 0u64;
        while !self.visitor.is_over() {
            let full = self.reached.table.len() > self.most;
            if (count.is_multiple_of(Tuning::DEFAULT.reachability.pulse) || full || self.is_stopped())
                && self.pulse()
            {
                return;
            }
            if count.is_multiple_of(Tuning::DEFAULT.reachability.tidy) {
                if self.visitor.tidy(&mut self.reached) {
                    self.properties.follow(self.reached.system.matrix());
                }
                row.resize(self.reached.table.width(), 0);
            }
            count += 1;
            if let Some(batch) = self.next_batch() {
                self.expand_batch(batch);
                count = 0;
                continue;
            }
            self.look_back();
            let Some(state) = self.reached.frontier.pop() else { break };
            let timed = self.pool.is_some()
                && (count < Tuning::DEFAULT.reachability.timed
                    || count.is_multiple_of(Tuning::DEFAULT.reachability.timed));
            let begin = timed.then(Instant::now);
            self.enter(state);
            self.reached.table.read(state, &mut row);
            if !self.expand(state, &row) {
                self.reached.frontier.put_back(state);
            } else if !self.visitor.is_over() {
                let Reached { system, table, doubtful, .. } = &mut self.reached;
                self.visitor.look_back(system, Known { table, doubtful }, state);
            }
            if let (Some(pool), Some(begin)) = (&mut self.pool, begin) {
                pool.note(begin.elapsed(), 1);
            }
        }
        if self.reached.frontier.order() == Order::BreadthFirst && !self.reached.table.is_empty() {
            self.reached.counts.depth = Some(self.level.depth);
        }
    }

    /// Lets the visitor look back at the states that were expanded in a batch.
    fn look_back(&mut self) {
        for state in std::mem::take(&mut self.expanded) {
            let Reached { system, table, doubtful, .. } = &mut self.reached;
            self.visitor.look_back(system, Known { table, doubtful }, state);
        }
    }

    /// Keeps the depth of a breadth-first search.
    pub(super) fn enter(&mut self, state: StateId) {
        if state as usize >= self.level.ends {
            self.level.depth += 1;
            self.level.ends = self.reached.table.len();
        }
    }

    /// Returns whether the search was interrupted, so that answers of the system mean nothing any more.
    pub fn is_stopped(&self) -> bool {
        self.interrupted || self.reached.system.is_stopped()
    }

    /// Lets the visitor see the states reached so far. Returns whether the search is over.
    pub fn pulse(&mut self) -> bool {
        let (states, bytes) = (self.reached.table.len(), self.bytes());
        self.properties.learn(self.visitor.proven(self.reached.system.matrix()));
        self.visitor.pulse(&self.reached, states, bytes);
        if !self.visitor.is_over() {
            self.visitor.rest(&self.reached);
        }
        self.visitor.is_over()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let Reached { system, table, frontier, .. } = &self.reached;
        let (effort, workers) = (system.effort(), self.pool.as_ref().map(Pool::effort).unwrap_or_default());
        table.bytes() + frontier.bytes() + effort.bytes + effort.shared_bytes + workers.bytes
    }
}
