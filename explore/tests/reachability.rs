//! Reachability in systems that are no machine: a ring of counters made by hand, and products of machines. Counts, orders,
//! properties and what goes wrong are known, whatever the number of workers.

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_explore::options::Order;
use bsym_explore::reachability::exploration::Reachability;
use bsym_explore::reachability::frontier::Frontier;
use bsym_explore::reachability::properties::Asked;
use bsym_explore::reachability::reached::Reached;
use bsym_explore::reachability::visitor::{Origin, Visitor};
use bsym_explore::space::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId, LabelKind};
use bsym_explore::space::machine::Machine;
use bsym_explore::space::product::{Product, Vector};
use bsym_explore::space::system::{Edge, Edges, Expansion, Replicate, System, Target};
use bsym_explore::space::updates::Updates;
use bsym_explore::symmetry::permutation::Permutation;
use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::{Eval, Evaluator};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Outcome;

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

    fn initial(&mut self, _root: usize) -> Edges {
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

    fn permuted(&mut self, _row: &[u32], _permutation: &Permutation) -> Option<Vec<u32>> {
        None
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

impl Replicate for Counters {
    type Seed = Counters;

    fn seed(&self) -> Counters {
        self.clone()
    }

    fn from_seed(seed: &Counters) -> Counters {
        seed.clone()
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

fn search<S: Replicate>(
    system: S,
    labels: &[u32],
    order: Order,
    workers: usize,
    most: Option<usize>,
) -> Found {
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

#[test]
fn a_product_is_searched_as_its_parts_are() {
    let text = |limit: u8| {
        format!(
            "MACHINE Clock VARIABLES t INVARIANT t : 0..{} INITIALISATION t := 0
            OPERATIONS tick = SELECT t < {limit} THEN t := t + 1 END; wind = SELECT t = {limit} THEN t := 0 END END",
            limit - 1
        )
    };
    let models = [3, 4].map(|limit| load_text("Clock.mch", text(limit)).model.expect("the machine is right"));
    let scopes =
        models.each_ref().map(|m| Scope::settle(m, &ScopeRequest::default()).expect("nothing is asked"));
    with_large_stack(|| {
        let found = |workers: usize| {
            let [left, right] = [0, 1].map(|i| {
                let eval = Evaluator::new(&models[i], &scopes[i]);
                Machine::of(eval, eval.constants_up_to_names(&BTreeMap::new()).found)
            });
            let (tick, wind) = (GroupId(0), GroupId(1));
            let vectors = vec![Vector::Both(tick, tick), Vector::Left(wind), Vector::Right(wind)];
            let clocks = Product::new(left, right, vectors);
            let invariants = [0, clocks.right_label(LabelId(0)).0];
            search(clocks, &invariants, Order::BreadthFirst, workers, None)
        };
        let one = found(1);
        // 3 * 4 ticks, 5 and 4 winds, and the initial edge.
        assert_eq!((one.0.len(), one.1), (20, [22, 1, 0]));
        // One of the clocks is at its limit.
        assert_eq!(one.3.doubtful.len(), 8);
        assert_eq!(found(2), one);
    });
}

#[test]
fn counters_beside_a_machine_are_searched_by_two_workers() {
    let text =
        "MACHINE Steps VARIABLES x, s INVARIANT x : 0..5 & s <: 0..200 INITIALISATION x := 0 || s := {}
        OPERATIONS step = SELECT x < 5 THEN x := x + 1 || s := s \\/ {x * 40} END END";
    let model = load_text("Steps.mch", text).model.expect("the machine is right");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked");
    with_large_stack(|| {
        let found = |workers: usize| {
            let machine = Machine::of(Evaluator::new(&model, &scope), vec![vec![]]);
            let vectors = vec![
                Vector::Left(GroupId(0)),
                Vector::Both(GroupId(1), GroupId(0)),
                Vector::Right(GroupId(0)),
            ];
            let product = Product::new(Counters::new(vec![3, 8]), machine, vectors);
            search(product, &[2, 3], Order::BreadthFirst, workers, None)
        };
        let one = found(1);
        // The second counter counts only together with the machine: it is never ahead.
        let pairs = (0..=5).map(|x| x + 1).sum::<usize>();
        assert_eq!((one.0.len(), one.3.failed.len(), one.3.doubtful.len()), (4 * pairs, pairs, 0));
        assert_eq!(found(2).3.expanded, one.3.expanded);
        assert_eq!(found(2).1, one.1);
    });
}
