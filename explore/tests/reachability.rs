//! Reachability in systems that are no machine: a ring of counters made by hand. Counts, orders,
//! properties and what goes wrong are known, whatever the number of workers.

use std::sync::Arc;

use bsym_explore::options::Order;
use bsym_explore::reachability::exploration::Reachability;
use bsym_explore::reachability::frontier::Frontier;
use bsym_explore::reachability::properties::Asked;
use bsym_explore::reachability::reached::Reached;
use bsym_explore::reachability::visitor::{Origin, Visitor};
use bsym_explore::space::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId, LabelKind};
use bsym_explore::space::system::{
    Edge, Edges, Effort, Expansion, Measured, NoTime, Reduce, Replicate, System, Target,
};
use bsym_explore::space::updates::Updates;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::transition::Outcome;
use fixedbitset::FixedBitSet;

/// Counters that each count to a limit; the step of the first one from its limit goes wrong.
#[derive(Clone)]
struct Counters {
    limits: Vec<u32>,
    matrix: Arc<DependencyMatrix>,
}

impl Counters {
    /// Label i says that counter i is not at its limit.
    fn new(limits: Vec<u32>) -> Counters {
        let group = |at: usize| Group {
            name: format!("count{at}"),
            reads: vec![at],
            may_write: vec![at],
            ..Group::default()
        };
        let label = |at: usize| Label { kind: LabelKind::Invariant(at), reads: vec![at] };
        let matrix = DependencyMatrix {
            root: None,
            columns: (0..limits.len()).map(|at| format!("c{at}")).collect(),
            groups: (0..limits.len()).map(group).collect(),
            labels: (0..limits.len()).map(label).collect(),
        };
        Counters { limits, matrix: Arc::new(matrix) }
    }
}

impl System for Counters {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        &self.matrix
    }

    fn roots(&self) -> usize {
        1
    }

    fn initial(&mut self, _root: usize, _limit: usize) -> Edges {
        let target = Target::Row(vec![0; self.limits.len()]);
        let edge = Edge { parameters: vec![], results: vec![], target };
        Edges { edges: vec![edge], ..Edges::default() }
    }

    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let at = group.index();
        updates.start(1);
        if row[at] < self.limits[at] {
            updates.push([Some(row[at] + 1)]);
            return Expansion::Moves(1);
        }
        if at == 0 { Expansion::Edges(self.edges(group, row, 1)) } else { Expansion::Moves(0) }
    }

    fn edges(&mut self, group: GroupId, row: &[u32], _limit: usize) -> Edges {
        let at = group.index();
        let target = if row[at] < self.limits[at] {
            let mut next = row.to_vec();
            next[at] += 1;
            Target::Row(next)
        } else {
            Target::Failed(Outcome::AssertFailed(Default::default()))
        };
        Edges { edges: vec![Edge { parameters: vec![], results: vec![], target }], ..Edges::default() }
    }

    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        Ok(row[label.index()] < self.limits[label.index()])
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

impl Measured for Counters {
    fn effort(&self) -> Effort {
        Effort::default()
    }
}

impl Replicate for Counters {
    type Seed = Counters;

    fn share(&mut self) {}

    fn seed(&self) -> Counters {
        self.clone()
    }

    fn from_seed(seed: &Counters) -> Counters {
        seed.clone()
    }

    fn follow(&mut self, _seed: &Counters) -> bool {
        true
    }
}

impl Reduce for Counters {
    fn stand_in(&mut self, _row: &[u32]) -> Result<Option<Vec<u32>>, NoTime> {
        Ok(None)
    }

    fn chooses(&self) -> bool {
        false
    }

    fn enough(&mut self, _row: &[u32], _enabled: &FixedBitSet) -> Option<FixedBitSet> {
        None
    }
}

/// Keeps what it is told.
#[derive(Default, PartialEq, Debug)]
struct Diary {
    doubtful: Vec<Vec<u32>>,
    failed: Vec<Vec<u32>>,
    expanded: usize,
    most: Option<usize>,
    is_over: bool,
}

impl<S> Visitor<S> for Diary {
    fn is_over(&self) -> bool {
        self.is_over
    }

    fn doubtful(&mut self, reached: &mut Reached<S>, state: u32, row: &[u32]) {
        assert_eq!(reached.table.row(state), row);
        self.doubtful.push(row.to_vec());
    }

    fn failed(&mut self, _reached: &mut Reached<S>, origin: Origin<'_>, outcome: Outcome) {
        assert!(matches!(outcome, Outcome::AssertFailed(_)));
        let Origin::State(_, row, GroupId(0)) = origin else { panic!("{origin:?}") };
        self.failed.push(row.to_vec());
    }

    fn missing(&mut self, _reached: &mut Reached<S>, place: &str, error: EvalError) {
        panic!("{place}: {error}");
    }

    fn expanded(&mut self, _reached: &mut Reached<S>, _state: u32, _enabled: bool) {
        self.expanded += 1;
    }

    fn pulse(&mut self, _reached: &Reached<S>, states: usize, _bytes: usize) {
        self.is_over = self.most.is_some_and(|most| states > most);
    }
}

/// Rows in the order of their discovery, each with its predecessor; counts; what the visitor was told.
type Found = (Vec<(Vec<u32>, u32)>, [u64; 3], Option<usize>, Diary);

fn search<S: Reduce>(system: S, labels: &[u32], order: Order, workers: usize, most: Option<usize>) -> Found {
    let asked =
        Asked { labels: labels.iter().map(|label| (LabelId(*label), true)).collect(), ..Asked::default() };
    let diary = Diary { most, ..Diary::default() };
    let mut search = Reachability::new(system, asked, Frontier::new(order, 7), diary);
    search.most = most.unwrap_or(usize::MAX);
    std::thread::scope(|threads| {
        search.start_workers(threads, workers, true);
        search.begin();
        search.explore();
        search.dismiss();
    });
    let Reached { table, counts, .. } = search.reached;
    let rows = (0..table.len() as u32).map(|state| (table.row(state), table.parent(state))).collect();
    (rows, [counts.transitions, counts.initial, counts.deadlocks], counts.depth, search.visitor)
}

#[test]
fn counters_have_as_many_states_as_they_can_count() {
    // 5 * 7 * 3 states; an edge from each to the next number of each counter, and the initial one.
    let edges = 4 * 7 * 3 + 5 * 6 * 3 + 5 * 7 * 2 + 1;
    let one = search(Counters::new(vec![4, 6, 2]), &[1], Order::BreadthFirst, 1, None);
    assert_eq!((one.0.len(), one.1, one.2), (105, [edges, 1, 0], Some(12)));
    let Diary { doubtful, failed, expanded, .. } = &one.3;
    assert_eq!((doubtful.len(), failed.len(), *expanded), (15, 21, 105));
    assert!(doubtful.iter().all(|row| row[1] == 6) && failed.iter().all(|row| row[0] == 4));
    for workers in [2, 3] {
        assert_eq!(search(Counters::new(vec![4, 6, 2]), &[1], Order::BreadthFirst, workers, None), one);
    }
    for order in [Order::DepthFirst, Order::Mixed, Order::Random] {
        let other = search(Counters::new(vec![4, 6, 2]), &[1], order, 2, None);
        assert_eq!((other.0.len(), other.1, other.3.doubtful.len()), (105, [edges, 1, 0], 15));
    }
}

#[test]
fn whoever_has_seen_enough_ends_the_search_at_the_same_state() {
    let [one, two] =
        [1, 2].map(|n| search(Counters::new(vec![9, 9, 9, 9]), &[0], Order::BreadthFirst, n, Some(500)));
    assert!(one.0.len() > 500 && one.0.len() < 510, "{}", one.0.len());
    assert_eq!(one, two);
}
