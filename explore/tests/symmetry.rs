//! Symmetry reduction: exact quotients by each method, against numbers that were computed elsewhere, against orbits by brute
//! force, and against the search of all states.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_explore::options::{Order, SearchOptions};
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_explore::space::machine::Machine;
use bsym_explore::space::system::{Edges, System};
use bsym_explore::symmetry::permutation::Permutation;
use bsym_explore::symmetry::reduction::Method;
use bsym_language::load::{load_model, load_text};
use bsym_language::model::{CarrierKind, Model};
use bsym_language::stack::with_large_stack;
use bsym_language::types::CarrierId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::verdict::Reason;

const METHODS: [Method; 5] =
    [Method::Canonical, Method::Flood, Method::CanonicalMarkers, Method::Markers, Method::Representatives];

/// A machine of the folder `models`.
fn machine(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(format!("{name}.mch"));
    load_model(&path).expect("it can be read").model.expect("it is right")
}

fn model(text: &str) -> Model {
    let loaded = load_text("Test.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The scope in which every deferred set has this size.
fn scope(model: &Model, size: usize) -> Scope {
    let deferred = model.types.carriers.iter().filter(|carrier| carrier.kind == CarrierKind::Deferred);
    let sizes = deferred.map(|carrier| (carrier.name.clone(), size)).collect();
    Scope::settle(model, &ScopeRequest { sizes, prob: true, ..ScopeRequest::default() }).expect("a scope")
}

fn run(model: &Model, size: usize, options: &SearchOptions) -> SearchReport {
    let scope = scope(model, size);
    with_large_stack(|| {
        let problem = Problem { model, scope: &scope, finder: None };
        search(&problem, options, &mut |_: &Progress| {})
    })
}

fn by(symmetry: impl Into<Option<Method>>) -> SearchOptions {
    SearchOptions { symmetry: symmetry.into(), ..SearchOptions::default() }
}

/// Quotients of Turner's machines, computed by enumeration and brute force over all permutations. The states of the
/// thesis have one before the initialisation, too.
#[test]
fn quotients_are_exact() {
    type Rows = [(usize, u64, u64)];
    let known: &[(&str, &Rows)] = &[
        ("Processes", &[(1, 5, 6), (2, 10, 23), (3, 17, 59), (4, 26, 121), (5, 37, 216), (6, 50, 351)]),
        ("Scheduler", &[(1, 4, 5), (2, 7, 16), (3, 11, 38), (4, 16, 75), (5, 22, 131), (6, 29, 210)]),
        ("Padlocks", &[(1, 15, 24), (2, 48, 105), (3, 119, 331), (4, 248, 838)]),
        ("Phonebook", &[(1, 3, 4), (2, 5, 17), (3, 8, 50), (4, 13, 125), (5, 20, 269)]),
        ("Peterson", &[(2, 27, 52), (3, 174, 518)]),
        // Of 2, 12 and 144 ways to lay the table one is looked at.
        ("Philosophers", &[(2, 8, 19 - 1), (3, 13, 57 - 11), (4, 26, 273 - 143)]),
        ("Relation", &[(1, 3, 0), (2, 8, 0), (3, 37, 0), (4, 318, 0)]),
    ];
    for (name, rows) in known {
        let model = machine(name);
        for &(size, states, transitions) in *rows {
            for method in METHODS {
                if size > 3 && method != Method::Canonical {
                    continue;
                }
                let report = run(&model, size, &by(method));
                let reduction = report.statistics.reduction.as_ref().expect("a reduction");
                let holds = matches!(report.verdict, Verdict::Holds(_));
                let approximate = matches!(report.verdict, Verdict::Unknown(Reason::MarkerCollisions));
                assert!(if reduction.is_approximate { approximate } else { holds }, "{:?}", report.verdict);
                assert!(reduction.is_exact || matches!(method, Method::Markers | Method::Representatives));
                let found = (report.statistics.states + 1, report.statistics.transitions);
                if reduction.is_exact {
                    assert_eq!(found.0, states, "{name}, {size}, {method:?}");
                    assert!(
                        transitions == 0 || transitions == found.1,
                        "{name}, {size}, {method:?}: {found:?}"
                    );
                } else if method == Method::Representatives {
                    assert!(found.0 >= states, "{name}, {size}");
                }
            }
        }
    }
}

/// Values in values: couples in couples, sets of relations, records, sequences. What each type has, up to names, is
/// counted by brute force.
#[test]
fn nested_values_are_told_apart() {
    let types = [
        ("(D * D) <-> E", 2),
        ("D <-> (D * D)", 2),
        ("POW(D +-> E)", 2),
        ("POW(POW(D)) * POW(D)", 3),
        ("(D +-> E) * (E +-> D)", 2),
        ("struct(a : POW(D), b : POW(D * D))", 2),
        ("(1..2) --> (D <-> D)", 2),
        ("POW(BOOL * POW(D))", 2),
    ];
    for (ty, size) in types {
        let text = format!(
            "MACHINE Nested SETS D; E VARIABLES v INVARIANT v : {ty} INITIALISATION v :: {ty} OPERATIONS no = skip END"
        );
        let model = model(&text);
        let orbits = with_large_stack(|| orbits(&model, size));
        for method in [Method::Canonical, Method::Flood, Method::CanonicalMarkers] {
            let report = run(&model, size, &by(method));
            assert!(matches!(report.verdict, Verdict::Holds(_)), "{ty}: {:?}", report.verdict);
            assert_eq!(report.statistics.states as usize, orbits, "{ty}, {method:?}");
        }
        let nearly = run(&model, size, &by(Method::Representatives)).statistics.states as usize;
        assert!(nearly >= orbits, "{ty}");
        assert!(run(&model, size, &by(Method::Markers)).statistics.states as usize <= orbits, "{ty}");
    }
}

/// The initial states of a machine without constants, up to all permutations of its sets.
fn orbits(model: &Model, size: usize) -> usize {
    let scope = scope(model, size);
    let mut machine = Machine::of(Evaluator::new(model, &scope), vec![vec![]]);
    let Edges { edges, .. } = machine.initial(0, usize::MAX);
    let rows: Vec<Vec<u32>> = edges.iter().filter_map(|edge| edge.row().map(<[u32]>::to_vec)).collect();
    let images = arrangements(size as u32);
    let (mut seen, mut orbits) = (BTreeSet::new(), 0);
    for row in rows {
        if seen.contains(&row) {
            continue;
        }
        orbits += 1;
        for first in &images {
            for second in &images {
                let permutation = Permutation::default().with(CarrierId(0), first.clone());
                let permutation = permutation.and_then(|p| p.with(CarrierId(1), second.clone()));
                let permuted = machine.permuted(&row, &permutation.expect("bijective"));
                seen.insert(permuted.expect("a state"));
            }
        }
    }
    orbits
}

fn arrangements(n: u32) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![vec![]];
    }
    let insert = |images: Vec<u32>| {
        (0..n as usize).map(move |at| {
            let mut images = images.clone();
            images.insert(at, n - 1);
            images
        })
    };
    arrangements(n - 1).into_iter().flat_map(insert).collect()
}

/// Faults are found in the reduced space at the same depth, with traces of the model.
#[test]
fn faults_are_found_and_their_traces_replay() {
    let faulty = [("ProcessesStuck", 3, true), ("PhonebookWrong", 3, false), ("PetersonWrong", 3, false)];
    for (name, size, deadlock) in faulty {
        let model = machine(name);
        let checks = Checks { deadlock, ..Checks::default() };
        let violation = |method: Option<Method>| {
            let options = SearchOptions { checks: checks.clone(), ..by(method) };
            match run(&model, size, &options).verdict {
                Verdict::Violated(found) => (found.violations, found.trace.steps.len()),
                verdict => panic!("{name}, {method:?}: {verdict:?}"),
            }
        };
        let all = violation(None);
        for method in METHODS {
            assert_eq!(violation(Some(method)), all, "{name}, {method:?}");
        }
    }
}

/// Elements that are named, or given to functions that know their order, do not change places.
#[test]
fn what_is_told_apart_stays_apart() {
    let text = "MACHINE Named SETS C = {a, b, c, d} VARIABLES s INVARIANT s <: C INITIALISATION s := {}
        OPERATIONS add(x) = PRE x : C & (x = a => s = {}) THEN s := s \\/ {x} END END";
    let report = run(&model(text), 0, &by(Method::Canonical));
    let reduction = report.statistics.reduction.expect("a reduction");
    assert_eq!(reduction.free.iter().map(|set| set.elements.clone()).collect::<Vec<_>>(), [[1, 2, 3]]);
    assert_eq!(report.statistics.states, 8);
    let text = "MACHINE Ordered SETS D
        DEFINITIONS EXTERNAL_FUNCTION_TO_STRING(X) == X --> STRING; TO_STRING(x) == \"0\"
        VARIABLES s INVARIANT s <: D INITIALISATION s := {}
        OPERATIONS add(x) = PRE x : D & TO_STRING(x) /= \"D1\" THEN s := s \\/ {x} END END";
    let ordered = model(text);
    let (all, reduced) = (run(&ordered, 3, &by(None)), run(&ordered, 3, &by(Method::Canonical)));
    assert_eq!(reduced.statistics.reduction.map(|reduction| reduction.free), Some(vec![]));
    assert_eq!(reduced.statistics.states, all.statistics.states);
}

/// Several threads visit the same states as one, and the reference evaluator alone does.
#[test]
fn threads_and_the_reference_find_the_same_states() {
    for name in ["Processes", "Phonebook", "Philosophers"] {
        let model = machine(name);
        let digest = |options: &SearchOptions| match run(&model, 3, options).verdict {
            Verdict::Holds(evidence) => evidence,
            verdict => panic!("{verdict:?}"),
        };
        let alone = digest(&by(Method::Canonical));
        let threads = SearchOptions { threads: 3, share_all: true, ..by(Method::Canonical) };
        assert_eq!(digest(&threads), alone, "{}", model.name);
        let reference = SearchOptions { reference_only: true, ..by(Method::Canonical) };
        assert_eq!(digest(&reference), alone, "{}", model.name);
    }
}

/// Which state stands for an orbit depends on what values are and not on the order in which they were met, so that searches in
/// several orders, each with words of its own, agree on all of them. The digest is one of the states that were kept.
#[test]
fn searches_in_any_order_keep_the_same_states() {
    const NESTED: &str = "MACHINE Nested SETS D VARIABLES q, s, f
        INVARIANT q : seq(D) & s <: POW(D) & f : D +-> INTEGER INITIALISATION q := [] || s := {} || f := {}
        OPERATIONS enter(d) = PRE d : D & d /: ran(q) & size(q) < 2 THEN q := q <- d || f := f <+ {d |-> size(q) * 1000} END;
        leave = SELECT size(q) > 0 THEN s := s \\/ {ran(q)} || q := [] END;
        forget(d) = PRE d : dom(f) & card(s) < 2 THEN f := {d} <<| f END END";
    for model in [model(NESTED), machine("Scheduler"), machine("Relation")] {
        for method in [Method::Canonical, Method::Flood] {
            let digest = |order: Order, seed: u64| {
                let report = run(&model, 3, &SearchOptions { order, seed, ..by(method) });
                match report.verdict {
                    Verdict::Holds(evidence) => (evidence.states, evidence.digest),
                    other => panic!("{other:?}"),
                }
            };
            let first = digest(Order::BreadthFirst, 0);
            let others = [(Order::DepthFirst, 0), (Order::Mixed, 1), (Order::Random, 2), (Order::Random, 3)];
            for (order, seed) in others {
                assert_eq!(digest(order, seed), first, "{}, {method:?}, {order:?}", model.name);
            }
        }
    }
}
