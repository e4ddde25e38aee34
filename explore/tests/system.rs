//! The interface of a state space: what groups and labels read and write, short rows, edges, permutations.
//! All by difference: with the search, with the reference evaluator, with brute force.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bsym_explore::options::SearchOptions;
use bsym_explore::report::Progress;
use bsym_explore::search::{Problem, search};
use bsym_explore::space::cached::Cached;
use bsym_explore::space::dependency_matrix::{GroupId, LabelKind, insert, project};
use bsym_explore::space::machine::Machine;
use bsym_explore::space::system::{Edges, Expansion, System, Target};
use bsym_explore::space::updates::Updates;
use bsym_explore::symmetry::permutation::Permutation;
use bsym_language::load::load_text;
use bsym_language::model::{EventId, Model};
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

fn model(text: &str) -> Model {
    let loaded = load_text("Test.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn settled(model: &Model) -> Scope {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    Scope::settle(model, &request).expect("a scope")
}

/// Does something with the system of a machine, and the evaluator behind it.
fn with_system<T: Send>(
    text: &str,
    use_it: impl FnOnce(Cached<Machine<'_>>, &Evaluator<'_>) -> T + Send,
) -> T {
    let model = model(text);
    let scope = settled(&model);
    with_large_stack(|| {
        let eval = Evaluator::new(&model, &scope);
        let valuations = eval.constants_up_to_names(&BTreeMap::new()).found;
        use_it(Cached::new(Machine::of(eval, valuations)), &eval)
    })
}

/// Machines with several valuations of the constants, choices that leave a variable alone, events that only the
/// reference evaluator knows, guards that are ill-defined, steps that go wrong.
const MACHINES: &[&str] = &[
    "MACHINE Test SETS C = {red, green, blue} CONSTANTS n PROPERTIES n : 1..2
    VARIABLES x, y, c, s, u INVARIANT x : 0..4 & y : 0..4 & c : C & s <: C & u : 0..1 & (c = red => x < 5)
    ASSERTIONS s /= C DEFINITIONS GOAL == (x = 4 & y = 1)
    INITIALISATION x, y, u := 0, 0, 0 || c :: {red, blue} || s := {}
    OPERATIONS
      step = SELECT x + n <= 4 THEN x := x + n END;
      copy = SELECT x > 1 & y < x THEN y := x || u := 0 END;
      paint(d) = PRE d : C & d /: s & u = 0 THEN CHOICE c := d OR s := s \\/ {d} OR skip END END;
      loop = SELECT u = 0 THEN VAR i IN i := 0;
          WHILE i < 1 DO CHOICE i := 1 OR i := 2; y := 0 END INVARIANT i : 0..2 VARIANT 2 - i END END END;
      back = IF u = 0 THEN x := 0 ELSE u := 0 END;
      wipe = BEGIN s := {}; u := 1 END;
      r <-- ask(d) = PRE d : C & u = 1 THEN IF d = c THEN r := y ELSE r := 0 END END
    END",
    "MACHINE Test VARIABLES x, y, z, b INVARIANT x : 0..3 & y : 0..3 & z : 0..3 & b : BOOL
    INITIALISATION x, y, z := 0, 1, 0 || b := FALSE
    OPERATIONS
      guarded = SELECT 6 / x > y & x = 1 THEN z := x END;
      guarded2 = SELECT x /= 0 & 6 / x > y & b = TRUE THEN y := 2 END;
      wrong = SELECT x = 3 THEN ASSERT y = 1 THEN b := TRUE END END;
      heavy = SELECT x /= 2 & 6 / (x + 1) > 1 & y = 2 & b = FALSE THEN
          ANY i, j WHERE i : 0..3 & j : 0..3 & i + j = y + x THEN z := i || b := TRUE END END;
      lower = SELECT b = TRUE & x = 3 THEN b := FALSE END;
      up = SELECT x < 3 THEN x := x + 1 END;
      down = SELECT x > 0 THEN x := x - 1 || z : (z : 0..1 & z >= z$0 - 1) END;
      set(v) = PRE v : 0..2 & v /= y THEN y := v END
    END",
];

type Row = Vec<u32>;

/// All rows that can be reached, and the number of edges between them: a search in ten lines.
fn reachable(system: &mut impl System) -> (Vec<Row>, u64) {
    let mut seen: BTreeSet<Row> = BTreeSet::new();
    let mut waiting: VecDeque<Row> = VecDeque::new();
    let mut transitions = 0;
    let mut reached = |row: Row, waiting: &mut VecDeque<Row>| {
        if seen.insert(row.clone()) {
            waiting.push_back(row);
        }
    };
    let follow = |edges: Edges| edges.edges.into_iter().filter_map(|e| e.row().map(<[u32]>::to_vec));
    for root in 0..system.roots() {
        for row in follow(system.initial(root, usize::MAX)) {
            transitions += 1;
            reached(row, &mut waiting);
        }
    }
    let (matrix, mut updates) = (system.matrix().clone(), Updates::default());
    let mut rows = Vec::new();
    while let Some(row) = waiting.pop_front() {
        for group in matrix.group_ids() {
            match system.next(group, &row, &mut updates) {
                Expansion::Moves(n) => {
                    transitions += n;
                    for update in updates.iter() {
                        let mut next = row.clone();
                        update.apply(&matrix.group(group).may_write, &mut next);
                        reached(next, &mut waiting);
                    }
                }
                Expansion::Edges(edges) => {
                    for next in follow(edges) {
                        transitions += 1;
                        reached(next, &mut waiting);
                    }
                }
            }
        }
        rows.push(row);
    }
    (rows, transitions)
}

/// What a group does, without regard to order: edges or updates with their written words.
fn deeds(system: &mut impl System, group: GroupId, row: &[u32]) -> (u64, BTreeSet<Vec<(usize, u32)>>) {
    let (mut updates, may_write) = (Updates::default(), system.matrix().group(group).may_write.clone());
    match system.next(group, row, &mut updates) {
        Expansion::Moves(n) => (n, updates.iter().map(|u| u.written(&may_write).collect()).collect()),
        Expansion::Edges(edges) => {
            let reached = edges.edges.iter().filter_map(|e| e.row());
            let written = reached.map(|next| may_write.iter().map(|at| (*at, next[*at])).collect());
            (1000 + edges.edges.len() as u64, written.collect())
        }
    }
}

#[test]
fn a_search_over_the_interface_finds_what_the_search_finds() {
    for text in MACHINES {
        let found = with_system(text, |mut system, _| {
            let (rows, transitions) = reachable(&mut system);
            (rows.len() as u64, transitions, system.roots() as u64)
        });
        let model = model(text);
        let scope = settled(&model);
        let mut options = SearchOptions { keep_going: true, ..SearchOptions::default() };
        options.checks.well_definedness = false;
        let report = with_large_stack(|| {
            let problem = Problem { model: &model, scope: &scope, finder: None };
            search(&problem, &options, &mut |_: &Progress| {})
        });
        let s = report.statistics;
        let roots = s.valuations;
        assert_eq!((found.0 + roots, found.1 + roots), (s.states, s.transitions), "{text}");
        assert!(found.0 > 20, "{}", found.0);
    }
}

/// A row that agrees with `row` in some columns and with `rest` in the others.
fn mixed(row: &[u32], columns: &[usize], rest: &[u32]) -> Row {
    let mut mixed = rest.to_vec();
    columns.iter().for_each(|at| mixed[*at] = row[*at]);
    mixed
}

#[test]
fn what_is_not_read_changes_nothing() {
    for text in MACHINES {
        with_system(text, |mut system, _| {
            let (rows, _) = reachable(&mut system);
            let matrix = System::matrix(&system).clone();
            for (i, row) in rows.iter().enumerate() {
                // A few others are enough: all are, over all rows.
                for rest in rows.iter().skip(i % 7).step_by(11) {
                    for group in matrix.group_ids() {
                        let expected = deeds(&mut system, group, row);
                        let shape = matrix.group(group);
                        if expected.0 >= 1000 {
                            // Failing edges hold whole rows, but are as many.
                            let other = mixed(row, &shape.reads, rest);
                            assert_eq!(deeds(&mut system, group, &other).0, expected.0, "{}", shape.name);
                            continue;
                        }
                        let (mut updates, mut rest) = (Updates::default(), rest.clone());
                        let short = project(row, &shape.reads);
                        insert(&short, &shape.reads, &mut rest);
                        let expansion = system.next(group, &rest, &mut updates);
                        assert_eq!(expansion, Expansion::Moves(expected.0), "{}", shape.name);
                        let found: BTreeSet<Vec<_>> =
                            updates.iter().map(|u| u.written(&shape.may_write).collect()).collect();
                        assert_eq!(found, expected.1, "{}", shape.name);
                    }
                    for label in matrix.label_ids() {
                        let other = mixed(row, &matrix.label(label).reads, rest);
                        let (here, there) = (system.label(label, row), system.label(label, &other));
                        assert_eq!(here.map_err(|e| e.span), there.map_err(|e| e.span));
                    }
                }
            }
        });
    }
}

#[test]
fn what_may_not_be_written_stays_and_what_must_be_written_is() {
    for text in MACHINES {
        with_system(text, |mut system, eval| {
            let (rows, _) = reachable(&mut system);
            let matrix = System::matrix(&system).clone();
            let mut updates = Updates::default();
            let mut kept = BTreeSet::new();
            for row in &rows {
                let constants = eval.constants_up_to_names(&BTreeMap::new()).found;
                let constants = &constants[system.valuation(row)];
                let state = system.state(row);
                for group in matrix.group_ids() {
                    let shape = matrix.group(group);
                    // The reference says what is written at all.
                    let event = EventId(group.0);
                    for edge in eval.successors_of(event, constants, &state).edges {
                        let Some(target) = edge.state() else { continue };
                        for at in (0..state.len()).filter(|at| target[*at] != state[*at]) {
                            assert!(shape.may_write.contains(&at), "{} writes {at}", shape.name);
                        }
                    }
                    let Expansion::Moves(_) = system.next(group, row, &mut updates) else { continue };
                    for update in updates.iter() {
                        for (i, at) in shape.may_write.iter().enumerate() {
                            let must = shape.must_write.contains(at);
                            assert!(!must || update.is_written(i), "{} does not write {at}", shape.name);
                            if !update.is_written(i) || update.words[i] == row[*at] && !must {
                                kept.insert((group, *at));
                            }
                        }
                    }
                }
            }
            for group in matrix.group_ids() {
                let shape = matrix.group(group);
                assert!(shape.must_write.iter().all(|at| shape.may_write.contains(at)));
                // Only a parameterless event that fails everywhere has nothing to show.
                for at in shape.may_write.iter().filter(|at| !shape.must_write.contains(at)) {
                    assert!(kept.contains(&(group, *at)), "{} always writes {at}", shape.name);
                }
            }
        });
    }
}

#[test]
fn edges_are_those_of_the_reference_with_parameters_results_and_failures() {
    for text in MACHINES {
        with_system(text, |mut system, eval| {
            let (rows, _) = reachable(&mut system);
            let valuations = eval.constants_up_to_names(&BTreeMap::new()).found;
            let matrix = System::matrix(&system).clone();
            let (mut shown, mut failures) = (0, 0);
            for (row, other) in rows.iter().zip(rows.iter().rev()) {
                let valuation = system.valuation(row);
                let (constants, state) = (&valuations[valuation], system.state(row));
                for group in matrix.group_ids() {
                    let expected = eval.successors_of(EventId(group.0), constants, &state);
                    assert!(expected.incomplete.is_empty());
                    let mut expected: Vec<_> = expected
                        .edges
                        .into_iter()
                        .map(|edge| {
                            let target = match edge.outcome {
                                Outcome::Reached { state, .. } => Ok(state),
                                failure => Err(format!("{failure:?}")),
                            };
                            (edge.execution.parameters, edge.execution.results, target)
                        })
                        .collect();
                    // Nothing is left over from another state.
                    for any in matrix.group_ids() {
                        deeds(&mut system, any, other);
                    }
                    let deeds = deeds(&mut system, group, row).1.into_iter().map(|written| {
                        let mut next = row.clone();
                        written.into_iter().for_each(|(at, word)| next[at] = word);
                        system.state(&next)
                    });
                    let targets: BTreeSet<_> = expected.iter().filter_map(|e| e.2.clone().ok()).collect();
                    assert_eq!(deeds.collect::<BTreeSet<_>>(), targets, "{}", matrix.group(group).name);
                    let found = system.edges(group, row, usize::MAX);
                    assert_eq!(found.incomplete, None);
                    let first = system.edges(group, row, 1);
                    assert_eq!(first.edges.first(), found.edges.first());
                    assert_eq!(first.edges.len(), found.edges.len().min(1));
                    let mut found: Vec<_> = found
                        .edges
                        .into_iter()
                        .map(|edge| {
                            let target = match edge.target {
                                Target::Row(row) => Ok(system.state(&row)),
                                Target::Failed(failure) => Err(format!("{failure:?}")),
                                Target::Unwritten(_) => panic!("all values have words"),
                            };
                            (edge.parameters, edge.results, target)
                        })
                        .collect();
                    let key = |edge: &(Vec<Value>, Vec<Value>, Result<Vec<Value>, String>)| edge.clone();
                    expected.sort_by_key(key);
                    found.sort_by_key(key);
                    shown += found.iter().filter(|e| !e.0.is_empty() || !e.1.is_empty()).count();
                    failures += found.iter().filter(|e| e.2.is_err()).count();
                    assert_eq!(found, expected, "{}", matrix.group(group).name);
                }
            }
            assert!(shown > 0);
            assert!(text.contains("CONSTANTS") || failures > 0);
        });
    }
}

#[test]
fn labels_are_the_predicates_and_a_false_guard_disables() {
    for text in MACHINES {
        with_system(text, |mut system, eval| {
            let (rows, _) = reachable(&mut system);
            let valuations = eval.constants_up_to_names(&BTreeMap::new()).found;
            let matrix = System::matrix(&system).clone();
            let (mut updates, mut disabled) = (Updates::default(), BTreeSet::new());
            for row in &rows {
                let state = system.state(row);
                let env = Env::new(&valuations[system.valuation(row)], &state);
                for (i, conjunct) in eval.model.invariant.iter().enumerate() {
                    let label = matrix.find(LabelKind::Invariant(i)).expect("a label");
                    assert_eq!(system.label(label, row), eval.pred(&env, &conjunct.pred));
                }
                if let Some(goal) = &eval.model.definitions.goal {
                    let label = matrix.find(LabelKind::Goal).expect("a label");
                    assert_eq!(system.label(label, row), eval.pred(&env, goal));
                }
                for group in matrix.group_ids() {
                    let guards = matrix.group(group).guards.clone();
                    if guards.iter().any(|guard| system.label(*guard, row) == Ok(false)) {
                        let shape = matrix.group(group);
                        assert_eq!(
                            system.next(group, row, &mut updates),
                            Expansion::Moves(0),
                            "{}",
                            shape.name
                        );
                        disabled.insert(shape.name.clone());
                    }
                }
            }
            let expected: &[&str] = match text.contains("CONSTANTS") {
                true => &["ask", "copy", "paint", "step"],
                // The second guard of `guarded` says nothing where the first has no meaning.
                false => &["down", "guarded2", "up", "wrong"],
            };
            let found: Vec<&str> = disabled.iter().map(String::as_str).collect();
            assert!(expected.iter().all(|name| found.contains(name)), "{found:?}");
            let guarded = matrix.groups.iter().find(|g| g.name == "guarded");
            assert!(guarded.is_none_or(|g| g.guards.len() == 1), "{guarded:?}");
        });
    }
}

#[test]
fn an_event_may_write_more_variables_than_a_mask_has_bits() {
    let list = |f: &dyn Fn(usize) -> String, by: &str| (0..70).map(f).collect::<Vec<_>>().join(by);
    let text = format!(
        "MACHINE Test VARIABLES {} INVARIANT {} INITIALISATION {} OPERATIONS all = SELECT v0 < 2 THEN {} END;
        late = SELECT v69 = 1 THEN v69 := 5 END END",
        list(&|i| format!("v{i}"), ", "),
        list(&|i| format!("v{i} : 0..9"), " & "),
        list(&|i| format!("v{i} := 0"), " || "),
        list(&|i| format!("v{i} := v{i} + 1"), " || "),
    );
    with_system(&text, |mut system, _| {
        let (rows, transitions) = reachable(&mut system);
        let values: Vec<_> = rows.iter().map(|row| (row[0] - rows[0][0], row[69] - rows[0][0])).collect();
        assert_eq!(values, [(0, 0), (1, 1), (2, 2), (1, 5), (2, 6)]);
        assert_eq!(transitions, 5);
    });
}

#[test]
fn a_permutation_of_a_state_has_the_permuted_successors() {
    const MACHINE: &str = "MACHINE Test SETS D CONSTANTS head PROPERTIES head : D & card(D) = 3
        VARIABLES queue, held, next INVARIANT queue : seq(D) & held <: D & next : D +-> D & size(queue) <= 2
        INITIALISATION queue := [] || held := {} || next := {}
        OPERATIONS enter(d) = PRE d : D & d /: ran(queue) & size(queue) < 2 THEN queue := queue <- d END;
        take = SELECT queue /= [] THEN held := held \\/ {queue(1)} || queue := tail(queue) END;
        link(d) = PRE d : held & d /= head THEN next := {d |-> head} END END";
    with_system(MACHINE, |mut system, eval| {
        let carrier = bsym_language::types::CarrierId(0);
        let with =
            |images: [u32; 3]| Permutation::default().with(carrier, images.to_vec()).expect("bijective");
        assert_eq!(Permutation::default().with(carrier, vec![0, 0, 1]), None);
        let (rows, _) = reachable(&mut system);
        assert!(rows.len() > 50, "{}", rows.len());
        let known: BTreeSet<&Row> = rows.iter().collect();
        let constants = eval.constants_up_to_names(&BTreeMap::new()).found;
        assert_eq!(constants, [[Value::Element(carrier, 0)]]);
        // The constant is the first element: only what keeps it is a symmetry.
        assert_eq!(system.permuted(&rows[0], &with([1, 0, 2])), None);
        let swap = with([0, 2, 1]);
        assert_eq!(swap.inverse(), swap);
        let matrix = System::matrix(&system).clone();
        let mut moved = 0;
        for row in &rows {
            let image = system.permuted(row, &swap).expect("a state");
            assert!(known.contains(&image));
            assert_eq!(system.permuted(&image, &swap.inverse()).as_ref(), Some(row));
            moved += usize::from(image != *row);
            for group in matrix.group_ids() {
                let mut targets = |row: &[u32]| {
                    let edges = system.edges(group, row, usize::MAX).edges;
                    edges.iter().filter_map(|e| e.row().map(<[u32]>::to_vec)).collect::<BTreeSet<Row>>()
                };
                let (here, there) = (targets(row), targets(&image));
                let here: BTreeSet<Row> =
                    here.iter().filter_map(|next| system.permuted(next, &swap)).collect();
                assert_eq!(here, there);
            }
        }
        assert!(moved > 20, "{moved}");
    });
}
