//! A system that is no machine: two counters that share a lock, written by hand. It is searched, reduced by symmetry and by
//! partial orders, drawn, asked temporal formulas, and walked in; all numbers were computed by hand.

use std::sync::Arc;

use bsym_explore::graph::{GraphOptions, collect_from};
use bsym_explore::options::Order;
use bsym_explore::partial_order::stubborn::{Choice, Relations};
use bsym_explore::reachability::exploration::Reachability;
use bsym_explore::reachability::frontier::Frontier;
use bsym_explore::reachability::properties::Asked;
use bsym_explore::reachability::reached::Reached;
use bsym_explore::reachability::visitor::{Origin, Visitor};
use bsym_explore::report::Progress;
use bsym_explore::space::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId, LabelKind};
use bsym_explore::space::interpreted::Interpreted;
use bsym_explore::space::stubborn::Stubborn;
use bsym_explore::space::system::{
    Edge, Edges, Effort, Expansion, Measured, NoTime, Reduce, Replicate, System, Target,
};
use bsym_explore::space::updates::Updates;
use bsym_explore::temporal::{Proposition, refute};
use bsym_explore::walk::{End, WalkOptions, walk_in};
use bsym_language::model::EventId;
use bsym_language::temporal::Formula;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::temporal::Continuation;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::trace::{Step, Violation};
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::state::{Execution, State};
use bsym_semantics::value::Value;
use fixedbitset::FixedBitSet;

/// Each process counts so far, then holds the lock once.
const FAR: u32 = 3;

/// A row has the counters of both processes, and who holds the lock: 0 is nobody. Process `i` counts by group `i`, takes the
/// lock by group `2 + i` and gives it back by group `4 + i`.
#[derive(Clone)]
struct Lock {
    matrix: Arc<DependencyMatrix>,
    is_symmetric: bool,
}

/// The labels: who holds the lock has counted, the first process holds it, and the guards of groups.
const INVARIANT: LabelId = LabelId(0);
const HELD: LabelId = LabelId(1);
const GUARDS: u32 = 2;

impl Lock {
    fn new() -> Lock {
        let group = |(at, name): (usize, &str)| {
            let writes = match at / 2 {
                0 => vec![at % 2],
                1 => vec![2],
                _ => vec![at % 2, 2],
            };
            let name = format!("{name}{}", at % 2);
            Group { name, reads: vec![at % 2, 2], may_write: writes, ..Group::default() }
        };
        let names = ["count", "count", "enter", "enter", "leave", "leave"];
        let label = |kind| Label { kind, reads: vec![0, 1, 2] };
        let guards = [LabelKind::Guard; 7].map(label);
        let labels = [label(LabelKind::Invariant(0)), label(LabelKind::Proposition)];
        let matrix = DependencyMatrix {
            columns: ["first", "second", "lock"].map(String::from).to_vec(),
            root: None,
            groups: names.into_iter().enumerate().map(group).collect(),
            labels: labels.into_iter().chain(guards).collect(),
        };
        Lock { matrix: Arc::new(matrix), is_symmetric: false }
    }

    /// The only step of a group.
    fn after(group: GroupId, row: &[u32]) -> Option<Vec<u32>> {
        let (i, holder) = (group.index() % 2, group.0 % 2 + 1);
        let mut next = row.to_vec();
        let is_enabled = match group.0 / 2 {
            0 => row[i] < FAR,
            1 => row[i] == FAR && row[2] == 0,
            _ => row[2] == holder,
        };
        match group.0 / 2 {
            0 => next[i] += 1,
            1 => next[2] = holder,
            _ => (next[i], next[2]) = (FAR + 1, 0),
        }
        is_enabled.then_some(next)
    }

    fn holds(label: LabelId, row: &[u32]) -> bool {
        match label.0 {
            0 => row[2] == 0 || row[row[2] as usize - 1] == FAR,
            1 | 7 => row[2] == 1,
            2 | 3 => row[label.index() - 2] < FAR,
            4 | 6 => row[label.index() / 2 - 2] == FAR,
            5 => row[2] == 0,
            _ => row[2] == 2,
        }
    }

    fn row(state: &[Value]) -> Vec<u32> {
        state
            .iter()
            .map(|value| value.as_int().and_then(|n| n.to_string().parse().ok()).expect("small"))
            .collect()
    }
}

fn edges(rows: impl IntoIterator<Item = Vec<u32>>) -> Edges {
    let edge = |row| Edge { parameters: vec![], results: vec![], target: Target::Row(row) };
    Edges { edges: rows.into_iter().map(edge).collect(), ..Edges::default() }
}

impl System for Lock {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        &self.matrix
    }

    fn roots(&self) -> usize {
        1
    }

    fn initial(&mut self, _root: usize, _limit: usize) -> Edges {
        edges([vec![0, 0, 0]])
    }

    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let may_write = &self.matrix.group(group).may_write;
        updates.start(may_write.len());
        let Some(next) = Lock::after(group, row) else { return Expansion::Moves(0) };
        updates.push(may_write.iter().map(|at| Some(next[*at])));
        Expansion::Moves(1)
    }

    fn edges(&mut self, group: GroupId, row: &[u32], _limit: usize) -> Edges {
        edges(Lock::after(group, row))
    }

    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        Ok(Lock::holds(label, row))
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

impl Measured for Lock {
    fn effort(&self) -> Effort {
        Effort::default()
    }
}

impl Replicate for Lock {
    type Seed = Lock;

    fn share(&mut self) {}

    fn seed(&self) -> Lock {
        self.clone()
    }

    fn from_seed(seed: &Lock) -> Lock {
        seed.clone()
    }

    fn follow(&mut self, _seed: &Lock) -> bool {
        true
    }
}

impl Reduce for Lock {
    /// The processes may change places.
    fn stand_in(&mut self, row: &[u32]) -> Result<Option<Vec<u32>>, NoTime> {
        let other = vec![row[1], row[0], [0, 2, 1][row[2] as usize]];
        Ok((self.is_symmetric && other[..] < *row).then_some(other))
    }

    fn chooses(&self) -> bool {
        false
    }

    fn enough(&mut self, _row: &[u32], _enabled: &FixedBitSet) -> Option<FixedBitSet> {
        None
    }
}

impl Interpreted for Lock {
    fn values(&self, row: &[u32]) -> State {
        row.iter().map(|word| Value::int(i64::from(*word))).collect()
    }

    fn confirmed(&self, label: LabelId, row: &[u32]) -> Eval<bool> {
        Ok(Lock::holds(label, row))
    }

    fn edges_of(&mut self, group: Option<GroupId>, root: usize, state: &[Value], limit: usize) -> Edges {
        group.map_or(self.initial(root, limit), |group| edges(Lock::after(group, &Lock::row(state))))
    }

    fn step(
        &self,
        group: Option<GroupId>,
        _root: usize,
        state: &[Value],
        edge: &Edge,
    ) -> Result<Step, Option<EvalError>> {
        let here = Lock::row(state);
        let expected = group.map_or(Some(vec![0, 0, 0]), |group| Lock::after(group, &here));
        let row = expected.filter(|row| edge.row() == Some(row)).ok_or(None)?;
        let event = group.map(|group| EventId(group.0));
        Ok(Step { event, execution: Execution::default(), state: Some(self.values(&row)) })
    }

    fn violations(&self, _root: usize, state: &[Value], _checks: &Checks) -> Eval<Vec<Violation>> {
        let holds = Lock::holds(INVARIANT, &Lock::row(state));
        Ok(if holds { vec![] } else { vec![Violation::Invariant(vec![0])] })
    }

    fn is_deadlock(&self, _root: usize, state: &[Value]) -> Eval<bool> {
        let row = Lock::row(state);
        Ok(self.matrix.group_ids().all(|group| Lock::after(group, &row).is_none()))
    }

    fn cut(&self) -> Option<EvalError> {
        None
    }

    fn replay(&self, root: usize, steps: &[Step], checks: &Checks) -> Result<Vec<Violation>, String> {
        let last = steps.last().and_then(|step| step.state.clone()).ok_or("there is no step")?;
        self.violations(root, &last, checks).map_err(|e| e.message)
    }
}

/// Nothing goes wrong.
struct Quiet;

impl<S> Visitor<S> for Quiet {
    fn is_over(&self) -> bool {
        false
    }

    fn doubtful(&mut self, _reached: &mut Reached<S>, _state: u32, row: &[u32]) {
        panic!("the invariant is false in {row:?}");
    }

    fn failed(&mut self, _reached: &mut Reached<S>, _origin: Origin<'_>, outcome: Outcome) {
        panic!("{outcome:?}");
    }

    fn missing(&mut self, _reached: &mut Reached<S>, place: &str, error: EvalError) {
        panic!("{place}: {error}");
    }
}

/// States, transitions and deadlocks.
fn search(system: impl Reduce) -> (usize, u64, u64) {
    let asked = Asked { labels: vec![(INVARIANT, true)], ..Asked::default() };
    let mut search = Reachability::new(system, asked, Frontier::new(Order::BreadthFirst, 0), Quiet);
    search.begin();
    search.explore();
    (search.reached.table.len(), search.reached.counts.transitions, search.reached.counts.deadlocks)
}

#[test]
fn it_is_searched_and_reduced() {
    // 5 * 5 states without the lock, 5 with each holder; counting 2 * 18, the lock 2 * 10 times, and the initial edge.
    assert_eq!(search(Lock::new()), (35, 57, 1));
    // Of the states 5 are their own mirrors.
    assert_eq!(search(Lock { is_symmetric: true, ..Lock::new() }).0, (35 + 5) / 2);
    let set = |list: &[usize]| list.iter().copied().collect::<FixedBitSet>();
    let of = |list: [&[usize]; 6]| list.map(set).to_vec();
    let relations = Relations {
        dependent: of([
            &[0, 2, 4],
            &[1, 3, 5],
            &[0, 2, 3, 4, 5],
            &[1, 2, 3, 4, 5],
            &[0, 2, 3, 4, 5],
            &[1, 2, 3, 4, 5],
        ]),
        guards: vec![vec![0], vec![1], vec![2, 3], vec![4, 3], vec![5], vec![6]],
        enablers: [&[][..], &[], &[0], &[4, 5], &[1], &[2], &[3]].map(set).to_vec(),
        writers: of([&[0], &[1], &[0, 2, 3, 4, 5], &[1, 2, 3, 4, 5], &[2, 4], &[3, 5]]),
        targets: vec![],
    };
    let choice = Choice::new(Arc::new(relations), GUARDS);
    let (states, _, deadlocks) = search(Stubborn::new(Lock::new(), Some(choice)));
    assert_eq!(deadlocks, 1);
    assert!(states < 20, "{states}");
}

#[test]
fn it_is_drawn() {
    let drawn = collect_from(Lock::new(), &[HELD], &GraphOptions::default(), &mut |_: &Progress| {});
    assert_eq!(drawn.doubt(), None);
    // The root is a node, too.
    assert_eq!((drawn.nodes.len(), drawn.graph.edges().len()), (36, 57));
    assert_eq!(drawn.nodes.iter().filter(|node| node.is_deadlock).count(), 1);
    assert_eq!(drawn.nodes.iter().filter(|node| node.satisfies == [true]).count(), 5);
}

#[test]
fn formulas_are_true_or_have_a_path() {
    let eventually = |atom| Formula::Until(Box::new(Formula::Constant(true)), Box::new(Formula::Atom(atom)));
    let propositions = [Proposition::Deadlock, Proposition::Label(HELD), Proposition::Taken(GroupId(4))];
    for atom in 0..3 {
        assert_eq!(refute(Lock::new(), &eventually(atom), &propositions), Ok(None));
    }
    let never = Formula::Not(Box::new(eventually(1)));
    let path = refute(Lock::new(), &never, &propositions).expect("an answer").expect("a path");
    let groups: Vec<_> = path.steps.iter().map(|(group, _)| group.map(|group| group.0)).collect();
    assert_eq!(groups[..5], [None, Some(0), Some(0), Some(0), Some(2)]);
    assert_eq!((path.steps[4].1.as_slice(), path.continuation), (&[FAR, 0, 1][..], Continuation::Open));
}

#[test]
fn a_walk_ends_where_nothing_is_enabled() {
    let (checks, time, cancelled) = Default::default();
    let mut options = WalkOptions { steps: 100, seed: 3, checks, time, cancelled };
    let (steps, end) = walk_in(&mut Lock::new(), &options);
    // Each process counts, takes the lock and gives it back, after the initialisation.
    assert_eq!((steps.len() as u32, end), (1 + 2 * (FAR + 2), End::Deadlock));
    assert_eq!(steps[0].event, None);
    options.steps = 4;
    assert_eq!(walk_in(&mut Lock::new(), &options), (steps[..5].to_vec(), End::Steps));
}
