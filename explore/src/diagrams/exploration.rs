//! Reachability by diagrams: groups are asked about short rows, once each, and their answers become relations; sets of
//! states grow by products with them, in rounds, by chaining, or by saturation.

use bsym_semantics::error::EvalError;
use bsym_semantics::transition::Outcome;

use super::levels::{Known, Levels};
use super::nodes::{EMPTY, Nodes, Set};
use super::options::Strategy;
use crate::space::cached::Cached;
use crate::space::dependency_matrix::GroupId;
use crate::space::machine::Machine;
use crate::space::system::{Edges, Expansion, Measured, Target, unwritten};
use crate::space::updates::Updates;

/// States that were reached together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub(super) set: Set,
    /// The group that led there from the layers before; `None` for any group, from the last one of them.
    pub(super) group: Option<GroupId>,
}

/// A step that goes wrong in the states with a short row.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    pub(super) group: GroupId,
    pub(super) states: Set,
    pub(super) outcome: Outcome,
}

/// Exploration of a model.
pub(super) type ModelExploration<'m> = Exploration<Cached<Machine<'m>>>;

/// Sets of states, and the known part of each group's relation.
pub(super) struct Exploration<S> {
    pub(super) system: S,
    pub(super) nodes: Nodes,
    pub(super) levels: Levels,
    pub(super) groups: Vec<Known>,
    /// All states so far.
    pub(super) reached: Set,
    /// The initial states, and then those that were new.
    pub(super) layers: Vec<Layer>,
    /// Different numbers of edges, for the weights of short rows.
    pub(super) weights: Vec<u64>,
    /// Number of short rows that groups were asked about.
    pub(super) asked: u64,
    /// Steps that go wrong, and possibly missing states, since the last look.
    pub(super) failing: Vec<Failing>,
    pub(super) missing: Vec<(String, EvalError)>,
    /// A row of the system. Columns that are not read do not matter.
    row: Vec<u32>,
    updates: Updates,
}

/// Observer of an exploration: receives new states from time to time, and returns whether the exploration is over.
pub(super) trait Watch<S> {
    /// Called when states were added.
    fn found(&mut self, exploration: &mut Exploration<S>, new: Set) -> bool;
    /// Called when some work was done.
    fn pulse(&mut self, exploration: &mut Exploration<S>) -> bool;
    /// Sets that must not be forgotten or renumbered.
    fn roots(&self) -> Vec<Set>;
}

impl<S: Measured> Exploration<S> {
    pub(super) fn new(system: S, columns: Vec<usize>) -> Exploration<S> {
        let mut levels = Levels::new(columns);
        let matrix = system.matrix().clone();
        let groups =
            matrix.groups.iter().map(|group| Known::nothing(&mut levels, group, &group.reads)).collect();
        Exploration {
            row: vec![0; levels.width()],
            system,
            nodes: Nodes::default(),
            levels,
            groups,
            reached: EMPTY,
            layers: Vec::new(),
            weights: Vec::new(),
            asked: 0,
            failing: Vec::new(),
            missing: Vec::new(),
            updates: Updates::default(),
        }
    }

    /// Adds initial states; those of edges that go wrong are left to the caller.
    pub(super) fn begin(&mut self, rows: &[Vec<u32>]) {
        let Some(first) = rows.first() else { return };
        if self.reached == EMPTY {
            self.row.clone_from(first);
        }
        let words: Vec<u32> = rows.iter().flat_map(|row| self.levels.encode(row)).collect();
        let set = match self.levels.width() {
            0 => super::nodes::UNIT,
            width => self.nodes.of_rows(width, &words),
        };
        self.reached = self.nodes.union(self.reached, set);
    }

    /// Explores to the end, or until the observer says that it is over.
    pub(super) fn run(&mut self, strategy: Strategy, watch: &mut impl Watch<S>) {
        self.layers = vec![Layer { set: self.reached, group: None }];
        if watch.found(self, self.reached) {
            return;
        }
        match strategy {
            Strategy::BreadthFirst => self.breadth_first(watch),
            Strategy::Chaining => self.chaining(watch),
            Strategy::Saturation => self.saturation(watch),
        }
    }

    fn ids(&self) -> impl Iterator<Item = GroupId> + use<S> {
        (0..self.groups.len() as u32).map(GroupId)
    }

    fn breadth_first(&mut self, watch: &mut impl Watch<S>) {
        let mut frontier = self.reached;
        while frontier != EMPTY {
            let mut next = EMPTY;
            for group in self.ids() {
                let image = self.image(group, frontier);
                let new = self.nodes.minus(image, self.reached);
                next = self.nodes.union(next, new);
                if self.rest(watch, &[frontier, next]) {
                    return;
                }
            }
            if next != EMPTY {
                self.add(next, None);
                if watch.found(self, next) {
                    return;
                }
            }
            frontier = next;
        }
    }

    fn chaining(&mut self, watch: &mut impl Watch<S>) {
        let mut frontier = self.reached;
        while frontier != EMPTY {
            let (mut here, mut next) = (frontier, EMPTY);
            for group in self.ids() {
                let image = self.image(group, here);
                let new = self.nodes.minus(image, self.reached);
                if new != EMPTY {
                    self.add(new, Some(group));
                    here = self.nodes.union(here, new);
                    next = self.nodes.union(next, new);
                }
                if self.rest(watch, &[here, next]) {
                    return;
                }
            }
            if next != EMPTY && watch.found(self, next) {
                return;
            }
            frontier = next;
        }
    }

    /// Applies groups that mention only low levels first, until they lead to nothing new; then those above, one after
    /// the other, and again from below if these lead to something new.
    fn saturation(&mut self, watch: &mut impl Watch<S>) {
        let mut by_level: Vec<Vec<GroupId>> = vec![Vec::new(); self.levels.width() + 1];
        self.ids().for_each(|group| by_level[self.groups[group.index()].shape.begin()].push(group));
        by_level.retain(|groups| !groups.is_empty());
        by_level.reverse();
        let (mut at, mut unseen) = (0, EMPTY);
        while at < by_level.len() {
            let before = self.reached;
            loop {
                let start = self.reached;
                for group in &by_level[at] {
                    let image = self.image(*group, self.reached);
                    let new = self.nodes.minus(image, self.reached);
                    if new != EMPTY {
                        self.add(new, Some(*group));
                        unseen = self.nodes.union(unseen, new);
                    }
                    if self.rest(watch, &[unseen, before, start]) {
                        return;
                    }
                }
                if self.reached == start {
                    break;
                }
            }
            at = if self.reached == before || at == 0 { at + 1 } else { 0 };
            if unseen != EMPTY && (at == 0 || at == by_level.len()) {
                if watch.found(self, unseen) {
                    return;
                }
                unseen = EMPTY;
            }
        }
    }

    /// Adds states, unless there was no time to find the right ones.
    fn add(&mut self, new: Set, group: Option<GroupId>) {
        let reached = self.nodes.union(self.reached, new);
        if self.nodes.is_stopped() {
            return;
        }
        self.reached = reached;
        self.layers.push(Layer { set: new, group });
    }

    /// Calls the observer, and forgets sets that are not needed. Returns whether the exploration is over.
    fn rest(&mut self, watch: &mut impl Watch<S>, kept: &[Set]) -> bool {
        if self.nodes.is_collection_due() {
            let layers = self.layers.iter().map(|layer| layer.set);
            let groups = self.groups.iter().flat_map(Known::roots);
            let failing = self.failing.iter().map(|failing| failing.states);
            let roots = layers.chain(groups).chain(failing).chain(watch.roots());
            let roots: Vec<Set> = roots.chain(kept.iter().copied()).chain([self.reached]).collect();
            self.nodes.collect(roots);
        }
        watch.pulse(self)
    }

    /// The states that a group leads to from the states of a set.
    fn image(&mut self, group: GroupId, set: Set) -> Set {
        self.learn(group, set);
        self.groups[group.index()].image(&mut self.nodes, set)
    }

    /// Asks a group about the short rows of a set that it was not asked about before.
    fn learn(&mut self, group: GroupId, set: Set) {
        let known = &self.groups[group.index()];
        let short = self.nodes.project(set, &known.reads.positions);
        let new = self.nodes.minus(short, known.asked);
        if new == EMPTY {
            return;
        }
        let words = self.nodes.words(new);
        let width = known.reads.columns.len();
        let mut answers = Answers::default();
        // A row without words is one all the same.
        let rows = words.len().checked_div(width).unwrap_or(1);
        let mut updates = std::mem::take(&mut self.updates);
        for short in (0..rows).map(|i| &words[i * width..(i + 1) * width]) {
            let known = &self.groups[group.index()];
            self.levels.insert(short, &known.reads, &mut self.row);
            self.asked += 1;
            if self.nodes.gives_up() {
                break;
            }
            match self.system.next(group, &self.row, &mut updates) {
                Expansion::Moves(count) => self.note_moves(group, short, count, &updates, &mut answers),
                Expansion::Edges(_) if self.system.is_stopped() => break,
                Expansion::Edges(edges) => {
                    if self.is_too_narrow(group, &edges) {
                        self.widen(group);
                        self.updates = updates;
                        return self.learn(group, self.reached);
                    }
                    self.note_edges(group, short, edges, &mut answers);
                }
            }
        }
        self.updates = updates;
        let known = &mut self.groups[group.index()];
        let height = width + known.writes.len();
        let nodes = &mut self.nodes;
        let relation = if height == 0 && answers.some {
            super::nodes::UNIT
        } else {
            nodes.of_rows(height, &answers.pairs)
        };
        known.relation = nodes.union(known.relation, relation);
        let weighted = nodes.of_rows(width + 1, &answers.weighted);
        known.weighted = nodes.union(known.weighted, weighted);
        let enabled = if width == 0 && answers.enabled {
            super::nodes::UNIT
        } else {
            nodes.of_rows(width, &answers.enabled_in)
        };
        known.enabled = nodes.union(known.enabled, enabled);
        if !self.system.is_stopped() && !nodes.is_stopped() {
            known.asked = nodes.union(known.asked, new);
        }
    }

    fn note_moves(
        &mut self,
        group: GroupId,
        short: &[u32],
        count: u64,
        updates: &Updates,
        answers: &mut Answers,
    ) {
        let may_write = &self.system.matrix().groups[group.index()].may_write;
        let known = &self.groups[group.index()];
        let mut written = Vec::with_capacity(known.writes.len());
        for update in updates.iter() {
            written.clear();
            for i in &known.writes {
                let word = update.is_written(*i).then(|| self.levels.number(may_write[*i], update.words[*i]));
                written.push(word);
            }
            known.shape.pair(short, &written, &mut answers.pairs);
            answers.some = true;
        }
        // A group that writes nothing has updates without words.
        if may_write.is_empty() && count > 0 && updates.is_empty() {
            known.shape.pair(short, &[], &mut answers.pairs);
            answers.some = true;
        }
        if count > 0 {
            self.note_enabled(short, count, answers);
        }
    }

    fn note_enabled(&mut self, short: &[u32], count: u64, answers: &mut Answers) {
        answers.enabled = true;
        answers.enabled_in.extend_from_slice(short);
        if count > 0 {
            let weight = match self.weights.iter().rposition(|weight| *weight == count) {
                Some(known) => known,
                None => {
                    self.weights.push(count);
                    self.weights.len() - 1
                }
            };
            answers.weighted.extend_from_slice(short);
            answers.weighted.push(weight as u32);
        }
    }

    /// Returns whether the targets of edges do not tell what was written: a column that is not read may have been given
    /// the word that it had.
    fn is_too_narrow(&self, group: GroupId, edges: &Edges) -> bool {
        let may_write = &self.system.matrix().groups[group.index()].may_write;
        let reads = &self.groups[group.index()].reads.columns;
        edges.edges.iter().any(|edge| edge.row().is_some()) && may_write.iter().any(|at| !reads.contains(at))
    }

    /// Restarts with a group that now also reads the columns that it writes.
    fn widen(&mut self, group: GroupId) {
        let shape = self.system.matrix().groups[group.index()].clone();
        let reads: Vec<usize> = shape.reads.iter().chain(&shape.may_write).copied().collect();
        self.groups[group.index()] = Known::nothing(&mut self.levels, &shape, &reads);
    }

    /// Notes the edges that go wrong, or may be missing.
    fn note_edges(&mut self, group: GroupId, short: &[u32], edges: Edges, answers: &mut Answers) {
        let matrix = self.system.matrix().clone();
        let shape = &matrix.groups[group.index()];
        let place = || format!("event `{}`", shape.name);
        if edges.edges.is_empty() && edges.incomplete.is_none() {
            return;
        }
        self.missing.extend(edges.incomplete.map(|e| (place(), e)));
        let mut count = 0;
        for edge in edges.edges {
            match edge.target {
                Target::Row(row) => {
                    count += 1;
                    let writes = self.groups[group.index()].writes.clone();
                    let columns = writes.iter().map(|i| shape.may_write[*i]);
                    let written: Vec<_> =
                        columns.map(|column| Some(self.levels.number(column, row[column]))).collect();
                    self.groups[group.index()].shape.pair(short, &written, &mut answers.pairs);
                    answers.some = true;
                }
                Target::Unwritten(_) => {
                    count += 1;
                    self.missing.push((place(), unwritten()));
                }
                Target::Failed(outcome) => {
                    let states = self.nodes.singleton(short);
                    self.failing.push(Failing { group, states, outcome });
                }
            }
        }
        self.note_enabled(short, count, answers);
    }

    /// Number of edges out of all states.
    pub(super) fn transitions(&self) -> u128 {
        let mut counts = super::operations::Counts::default();
        let of = |known: &Known, counts: &mut _| {
            self.nodes.weigh((self.reached, known.weighted), &known.reads.positions, &self.weights, counts)
        };
        self.groups.iter().fold(0u128, |sum, known| sum.saturating_add(of(known, &mut counts)))
    }

    /// States of a set in which no group is enabled.
    pub(super) fn deadlocks(&mut self, set: Set) -> Set {
        let mut left = set;
        for known in &self.groups {
            if left == EMPTY {
                break;
            }
            let enabled = self.nodes.restrict(left, known.enabled, &known.reads.positions);
            left = self.nodes.minus(left, enabled);
        }
        left
    }

    /// A path from an initial state to this state, each with one step from the one before; `None` if no step is found.
    pub(super) fn path_to(&self, state: &[u32]) -> Option<Vec<Vec<u32>>> {
        let mut rows = vec![state.to_vec()];
        let mut at = self.layers.iter().position(|layer| self.nodes.contains(layer.set, state))?;
        while at > 0 {
            let target = rows.last()?;
            let from = |j: usize, group: GroupId| {
                let known = &self.groups[group.index()];
                self.nodes.predecessor(self.layers[j].set, known.relation, &known.shape, target)
            };
            let found = match self.layers[at].group {
                None => self.ids().find_map(|group| Some((at - 1, from(at - 1, group)?))),
                Some(group) => (0..at).find_map(|j| Some((j, from(j, group)?))),
            };
            let (before, row) = found?;
            rows.push(row);
            at = before;
        }
        rows.reverse();
        Some(rows.iter().map(|row| self.levels.decode(row)).collect())
    }

    /// Number of states of a set.
    pub(super) fn count(&self, set: Set) -> u128 {
        self.nodes.count(set, &mut super::operations::Counts::default())
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let effort = self.system.effort();
        self.nodes.bytes() + effort.bytes + effort.shared_bytes
    }
}

/// Answers of a group about short rows, in one flat list each.
#[derive(Default)]
struct Answers {
    pairs: Vec<u32>,
    weighted: Vec<u32>,
    /// Short rows in which the group is enabled.
    enabled_in: Vec<u32>,
    /// `true` if there is any pair, and any row in which the group is enabled. Pairs and rows may have no words.
    some: bool,
    enabled: bool,
}
