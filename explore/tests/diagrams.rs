//! Searches by decision diagrams find what searches of single states find.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bsym_explore::diagrams::nodes::{EMPTY, Nodes, Set, UNIT};
use bsym_explore::diagrams::operations::Positions;
use bsym_explore::diagrams::relation::{COPY, Shape};
use bsym_explore::diagrams::{self, DiagramOptions, Strategy};
use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::{load_model, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::verdict::Reason;

fn with(strategy: Strategy) -> DiagramOptions {
    DiagramOptions { strategy, order: vec![] }
}

const STRATEGIES: [Strategy; 3] = [Strategy::BreadthFirst, Strategy::Chaining, Strategy::Saturation];

fn options(keep_going: bool) -> SearchOptions {
    let mut options = SearchOptions { keep_going, ..SearchOptions::default() };
    options.checks.deadlock = true;
    options
}

/// What both kinds of searches say in the same way: counts, which properties are violated, and which are open.
fn said(report: &SearchReport) -> impl PartialEq + std::fmt::Debug + use<> {
    let s = &report.statistics;
    let first = match &report.verdict {
        Verdict::Violated(found) => Some(&**found),
        _ => None,
    };
    let violations = first.into_iter().chain(&report.further).flat_map(|c| c.violations.clone());
    let violations: BTreeSet<String> = violations.map(|v| format!("{v:?}")).collect();
    let verdict = std::mem::discriminant(&report.verdict);
    let counts = (s.states, s.transitions, s.valuations, s.initial, s.deadlocks, s.violating);
    (counts, verdict, violations, report.open.clone(), report.incomplete.clone(), report.exhausted)
}

fn compare(name: &str, model: &Model) -> u64 {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(model, &request).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model, scope: &scope, finder: None };
        let (all, first) = (options(true), options(false));
        let expected = search(&problem, &all, &mut |_: &Progress| {});
        for strategy in STRATEGIES {
            let found = diagrams::search(&problem, &all, &with(strategy), &mut |_: &Progress| {});
            assert_eq!(said(&found), said(&expected), "{name}, {strategy:?}");
            let audited =
                found.statistics.successors.audited > 0 || expected.statistics.successors.audited == 0;
            assert!(audited, "{name}, {strategy:?}: no state was audited");
            if !matches!(expected.verdict, Verdict::Violated(_)) {
                continue;
            }
            let one = diagrams::search(&problem, &first, &with(strategy), &mut |_: &Progress| {});
            let verdicts = (std::mem::discriminant(&one.verdict), std::mem::discriminant(&expected.verdict));
            assert_eq!(verdicts.0, verdicts.1, "{name}, {strategy:?}: {:?}", one.verdict);
        }
        expected.statistics.states
    })
}

fn text(name: &str, text: &str) -> u64 {
    let loaded = load_text("Test.mch", text);
    compare(name, &loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)))
}

#[test]
fn forms_of_substitutions() {
    // Constants that vary, choices, copies of what is not read, results, and an operation that writes nothing.
    let n = text(
        "constants",
        "MACHINE Test SETS C = {red, green, blue}
        CONSTANTS n, m PROPERTIES n : 1..2 & m : C +-> 0..1 & card(m) = 1 & red : dom(m)
        VARIABLES x, y, c INVARIANT x : 0..6 & y : -2..9 & c : C & (c = red => x < 5)
        INITIALISATION x := 0; y := x + 1 || c :: {red, blue}
        OPERATIONS
          step = SELECT x < 3 THEN x := x + n WHEN x > 1 THEN y := x ELSE skip END;
          such = BEGIN x, c : (x : 0..2 & c : C & x + y$0 <= 3 & (c = red => x = x$0)) END;
          maybe = CHOICE y := -1 OR c := green END;
          query <-- ask(v) = PRE v : C THEN query := m[{v}] END
        END",
    );
    assert!(n > 20);
    text("nothing", "MACHINE Test VARIABLES x INVARIANT x = 0 INITIALISATION x := 0 OPERATIONS o = skip END");
    text("no state", "MACHINE Test VARIABLES x INVARIANT x = 0 INITIALISATION x :: {} END");
    text("no variable", "MACHINE Test OPERATIONS o = skip END");
}

#[test]
fn what_goes_wrong() {
    text(
        "steps",
        "MACHINE Test VARIABLES x, y, z INVARIANT x : 0..5 & y : 0..3 & z : 0..9 & x + y < 8 & 6 / (5 - x) < 4
        INITIALISATION x, y, z := 0, 0, 3
        OPERATIONS
          up = SELECT x < 5 THEN x := x + 1 END;
          divide = SELECT y < 3 THEN y := y + 1 || z := 6 / (2 - y) END;
          assertion = SELECT x > 2 THEN ASSERT y < 3 THEN z := 1 END END;
          stop = SELECT x = 5 & y = 3 THEN x := 5 END
        END",
    );
    let n = text(
        "deadlock",
        "MACHINE Test VARIABLES x, y INVARIANT x : 0..5 & y : 0..5 INITIALISATION x, y := 0, 0
        OPERATIONS a = SELECT x < 5 THEN x := x + 1 END; b = SELECT y < x THEN y := y + 2 END END",
    );
    assert!(n > 10);
}

#[test]
fn the_shortest_trace_by_breadth_first_search() {
    let model = load_text(
        "Test.mch",
        "MACHINE Test VARIABLES x, y INVARIANT x : 0..9 & y : 0..9 & x + y < 9 INITIALISATION x, y := 0, 0
        OPERATIONS a = SELECT x < 9 THEN x := x + 1 END; b = SELECT y < 9 THEN y := y + 2 END END",
    );
    let model = model.model.expect("the machine is right");
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        for strategy in STRATEGIES {
            let found = diagrams::search(
                &problem,
                &SearchOptions::default(),
                &with(strategy),
                &mut |_: &Progress| {},
            );
            let Verdict::Violated(found) = found.verdict else { panic!("{:?}", found.verdict) };
            assert!(
                found.violations.iter().any(|v| matches!(v, Violation::Invariant(_))),
                "{:?}",
                found.violations
            );
            if strategy == Strategy::BreadthFirst {
                assert_eq!(found.trace.steps.len(), 6);
            }
        }
    });
}

#[test]
fn machines_of_these_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let models =
        std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("a file").path());
    let mut models: Vec<PathBuf> = models.collect();
    models.sort();
    for path in models {
        let model = load_model(&path).expect("it can be read").model.expect("it is right");
        compare(&path.display().to_string(), &model);
    }
}

#[test]
fn models_of_the_corpus() {
    let Some(corpus) = bsym_testing::corpus() else { return };
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).expect("the manifest is a text");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let entries = manifest["entries"].as_array().expect("a list");
    let small = |e: &&serde_json::Value| {
        let facts = &e["facts"];
        facts["comparable"] == true
            && matches!(e["formalism"].as_str(), Some("b" | "eventb-package"))
            && facts["states"].as_u64().is_some_and(|n| (20..=120).contains(&n))
            && facts["transitions"].as_u64().is_some_and(|n| n <= 500)
    };
    let small: Vec<_> = entries.iter().filter(small).collect();
    let mut compared = 0;
    for entry in small.iter().step_by(small.len().div_ceil(14).max(1)) {
        let path = entry["path"].as_str().expect("a path");
        let Ok(loaded) = load_model(&corpus.join(path)) else { continue };
        let Some(model) = loaded.model else { continue };
        compare(path, &model);
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} models were compared");
}

#[test]
fn limits_end_a_search() {
    let model = load_text(
        "Test.mch",
        "MACHINE Test VARIABLES x, y INVARIANT x : NATURAL & y : NATURAL INITIALISATION x, y := 0, 0
        OPERATIONS a = x := x + 1; b = SELECT x > y THEN y := y + 1 END END",
    );
    let model = model.model.expect("the machine is right");
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let mut options = SearchOptions::default();
        options.limits.time = Some(Duration::from_millis(200));
        for strategy in STRATEGIES {
            let found = diagrams::search(&problem, &options, &with(strategy), &mut |_: &Progress| {});
            assert_eq!(found.verdict, Verdict::Unknown(Reason::Timeout), "{strategy:?}");
            assert!(found.statistics.states > 10);
        }
        options.limits.time = None;
        options.limits.memory = Some(1 << 20);
        let found = diagrams::search(&problem, &options, &with(Strategy::Chaining), &mut |_: &Progress| {});
        assert_eq!(found.verdict, Verdict::Unknown(Reason::MemoryOfStates(1 << 20)));
    });
}

/// Random numbers, the same on every run.
struct Dice(fastrand::Rng);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0.u32(..n)
    }
}

type Rows = BTreeSet<Vec<u32>>;

fn rows(dice: &mut Dice, width: usize, most: u32) -> Rows {
    (0..dice.below(most)).map(|_| (0..width).map(|_| dice.below(4)).collect()).collect()
}

fn diagram(nodes: &mut Nodes, width: usize, rows: &Rows) -> Set {
    let words: Vec<u32> = rows.iter().rev().flatten().copied().collect();
    if width == 0 {
        // Rows without words cannot be told from none.
        return if rows.is_empty() { EMPTY } else { UNIT };
    }
    let set = nodes.of_rows(width, &words);
    let mut one_by_one = EMPTY;
    for row in rows {
        let one = nodes.singleton(row);
        one_by_one = nodes.union(one_by_one, one);
    }
    assert_eq!(set, one_by_one);
    set
}

#[test]
fn operations_are_those_of_sets() {
    let mut dice = Dice(fastrand::Rng::with_seed(7));
    let mut nodes = Nodes::default();
    for round in 0..300 {
        let width = 1 + dice.below(5) as usize;
        let (a, b) = (rows(&mut dice, width, 40), rows(&mut dice, width, 40));
        let (x, y) = (diagram(&mut nodes, width, &a), diagram(&mut nodes, width, &b));
        let union = nodes.union(x, y);
        assert_eq!(union, diagram(&mut nodes, width, &a.union(&b).cloned().collect()));
        let minus = nodes.minus(x, y);
        assert_eq!(minus, diagram(&mut nodes, width, &a.difference(&b).cloned().collect()));
        assert_eq!(nodes.count(union, &mut Default::default()), a.union(&b).count() as u128);
        let chosen: Vec<usize> = (0..width).filter(|_| dice.below(2) == 0).collect();
        let positions = Positions::new(2 * round, width, &chosen);
        let short = |row: &Vec<u32>| chosen.iter().map(|at| row[*at]).collect::<Vec<u32>>();
        let projected: Rows = b.iter().map(short).collect();
        let project = nodes.project(y, &positions);
        assert_eq!(project, diagram(&mut nodes, chosen.len(), &projected));
        let restrict = nodes.restrict(x, project, &positions);
        let restricted: Rows = a.iter().filter(|row| projected.contains(&short(row))).cloned().collect();
        assert_eq!(restrict, diagram(&mut nodes, width, &restricted));
        // Each short row weighs as much as its position says.
        let mut weighted = Rows::new();
        let weights: Vec<u64> = (0..64).map(|i| i * i + 1).collect();
        let mut sum = 0;
        for (i, row) in projected.iter().enumerate() {
            weighted.insert(row.iter().copied().chain([i as u32]).collect());
            sum += a.iter().filter(|full| short(full) == *row).count() as u128 * u128::from(weights[i]);
        }
        let weighted = diagram(&mut nodes, chosen.len() + 1, &weighted);
        assert_eq!(nodes.weigh((x, weighted), &positions, &weights, &mut Default::default()), sum);
        if round % 50 == 49 {
            nodes.collect([x, union]);
            assert_eq!(nodes.words(union).len(), a.union(&b).count() * width);
            assert_eq!(diagram(&mut nodes, width, &a), x);
        }
    }
    assert_eq!((nodes.first(EMPTY), nodes.first(UNIT)), (None, Some(vec![])));
}

#[test]
fn products_are_those_of_relations() {
    let mut dice = Dice(fastrand::Rng::with_seed(11));
    let mut nodes = Nodes::default();
    for round in 0..300 {
        let width = 1 + dice.below(5) as usize;
        let a = rows(&mut dice, width, 40);
        let x = diagram(&mut nodes, width, &a);
        let choose = |dice: &mut Dice| (0..width).filter(|_| dice.below(2) == 0).collect::<Vec<usize>>();
        let (reads, writes) = (choose(&mut dice), choose(&mut dice));
        let shape = Shape::new(round, width, &reads, &writes);
        let mut pairs = Vec::new();
        for _ in 0..dice.below(20) {
            let read: Vec<u32> = reads.iter().map(|_| dice.below(4)).collect();
            let written: Vec<Option<u32>> =
                writes.iter().map(|_| Some(dice.below(5)).filter(|word| *word < 4)).collect();
            pairs.push((read, written));
        }
        let mut words = Vec::new();
        pairs.iter().for_each(|(read, written)| shape.pair(read, written, &mut words));
        let height = reads.len() + writes.len();
        let relation = match height {
            0 if pairs.is_empty() => EMPTY,
            0 => UNIT,
            _ => nodes.of_rows(height, &words),
        };
        assert!(!words.contains(&COPY) || writes.iter().any(|at| !reads.contains(at)));
        let step = |row: &Vec<u32>, (read, written): &(Vec<u32>, Vec<Option<u32>>)| {
            let enabled = reads.iter().zip(read).all(|(at, word)| row[*at] == *word);
            let mut next = row.clone();
            writes.iter().zip(written).for_each(|(at, word)| next[*at] = word.unwrap_or(row[*at]));
            enabled.then_some(next)
        };
        let image: Rows = a.iter().flat_map(|row| pairs.iter().filter_map(|pair| step(row, pair))).collect();
        let product = nodes.product(x, relation, &shape);
        assert_eq!(product, diagram(&mut nodes, width, &image), "{reads:?} {writes:?} {pairs:?}");
        for target in &image {
            let row = nodes.predecessor(x, relation, &shape, target).expect("there is one");
            assert!(a.contains(&row) && pairs.iter().any(|pair| step(&row, pair).as_ref() == Some(target)));
        }
        let other: Vec<u32> = (0..width).map(|_| dice.below(4)).collect();
        assert_eq!(nodes.predecessor(x, relation, &shape, &other).is_some(), image.contains(&other));
    }
}

#[test]
fn a_conjunct_is_ill_defined_where_those_before_it_hold_that_nobody_asks_for() {
    // In the first state without f(1) the conjunct before it is false.
    let text = "MACHINE M VARIABLES x, f INVARIANT x : 0..1 & f : 1..2 +-> 0..1 & (x = 1 or f /= {}) & f(1) : 0..1 \
        INITIALISATION x := 0 || f := {1 |-> 0} OPERATIONS clear = BEGIN f := {} END; put = BEGIN x := 1 END END";
    let model = load_text("M.mch", text).model.expect("a machine");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    let mut options = SearchOptions::default();
    options.checks.invariant = Some(vec![3]);
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let mut reports: Vec<SearchReport> = STRATEGIES
            .iter()
            .map(|s| diagrams::search(&problem, &options, &with(*s), &mut |_: &Progress| {}))
            .collect();
        for partial_order in [false, true] {
            let options = SearchOptions { partial_order, ..options.clone() };
            reports.push(search(&problem, &options, &mut |_: &Progress| {}));
        }
        for report in reports {
            let Verdict::Violated(found) = &report.verdict else { panic!("{:?}", report.verdict) };
            assert!(matches!(found.violations[..], [Violation::IllDefined(_)]), "{found:?}");
            assert_eq!(found.trace.steps.len(), 3);
        }
    });
}
