//! Searches whose states have values of their own, so that rows keep these as trees: counts that are known, threads,
//! violations far away, and searches that are put aside.

use bsym_explore::options::{Checkpoint, Order, SearchOptions};
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::verdict::Reason;
use std::time::Duration;

/// All orders of seven books, by exchanging neighbours.
const SHELF: &str = "MACHINE Shelf VARIABLES shelf INVARIANT shelf : 1..7 >->> 1..7
    INITIALISATION shelf := %i.(i : 1..7 | i)
    OPERATIONS exchange(i) = PRE i : 1..6 THEN shelf := shelf <+ {i |-> shelf(i + 1), i + 1 |-> shelf(i)} END END";

/// All sets of the eleven sets 1..1 to 1..11, and one of two others beside them.
const BAG: &str = "MACHINE Bag VARIABLES bag, rest
    INVARIANT bag : POW(POW(INTEGER)) & card(bag) <= 11 & rest : POW(INTEGER) & card(rest) <= 1
    INITIALISATION bag := {} || rest := {}
    OPERATIONS turn(n) = PRE n : 1..11 THEN
      IF 1..n : bag THEN bag := bag - {1..n} ELSE bag := bag \\/ {1..n} END || rest := 1..n mod 2 END END";

/// Records with a relation from couples to sets.
const FILES: &str = "MACHINE Files VARIABLES file
    INVARIANT file /= rec(name : 0, entries : {(0 |-> 0) |-> {0}})
    INITIALISATION file := rec(name : 40000, entries : {(0 |-> 100000) |-> {0}})
    OPERATIONS turn(n) = PRE n : 1..10 THEN
      ANY e WHERE e = (n mod 3 |-> 100000 + n) |-> {n, 2 * n}
      THEN IF e : file'entries THEN file := rec(name : 40000 - n, entries : file'entries - {e})
      ELSE file := rec(name : 40000, entries : file'entries \\/ {e}) END END END END";

/// A long list that is sorted by exchanges, one after a hundred states.
const QUEUE: &str = "MACHINE Queue CONSTANTS n PROPERTIES n = 1500 VARIABLES queue, at, waited
    INVARIANT queue : 1..n >->> 1..n & at : 0..30 & waited : 0..99
    INITIALISATION queue := %i.(i : 1..n | n + 1 - i) || at, waited := 0, 0
    OPERATIONS
      wait = SELECT waited < 99 THEN waited := waited + 1 END;
      exchange = SELECT waited = 99 & at < 30 THEN at, waited := at + 1, 0 ||
          queue := queue <+ {at + 1 |-> queue(at + 2), at + 2 |-> queue(at + 1)} END END";

fn run(text: &str, options: &SearchOptions) -> SearchReport {
    let loaded = load_text("Test.mch", text);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        search(&problem, options, &mut |_: &Progress| {})
    })
}

fn counts(report: &SearchReport) -> (u64, u64) {
    (report.statistics.states, report.statistics.transitions)
}

#[test]
fn states_with_values_of_their_own_take_little() {
    let report = run(SHELF, &SearchOptions::default());
    assert_eq!(counts(&report), (5040, 6 * 5040 + 1));
    assert!(matches!(report.verdict, Verdict::Holds(_)) && report.statistics.successors.audited > 0);
    // The lists alone would take 60 bytes each, without their index and the rows.
    let bytes = report.statistics.bytes_per_state();
    assert!(bytes < 60.0, "{bytes}");
    let report = run(BAG, &SearchOptions::default());
    assert_eq!(counts(&report), (4096, 11 * 4096 + 1));
    assert!(matches!(report.verdict, Verdict::Holds(_)));
}

#[test]
fn long_lists_that_many_states_share_take_little() {
    let report = run(QUEUE, &SearchOptions { threads: 1, ..SearchOptions::default() });
    assert_eq!(counts(&report), (3101, 3101));
    // The 31 lists alone would take 120 bytes for each state.
    let bytes = report.statistics.bytes_per_state();
    assert!(bytes < 80.0, "{bytes}");
    let Verdict::Holds(evidence) = &report.verdict else { panic!("{:?}", report.verdict) };
    for (order, threads) in [(Order::DepthFirst, 1), (Order::BreadthFirst, 2)] {
        let options = SearchOptions { order, threads, share_all: true, ..SearchOptions::default() };
        let Verdict::Holds(again) = run(QUEUE, &options).verdict else { panic!("it holds") };
        assert_eq!(again.digest, evidence.digest);
    }
}

#[test]
fn orders_and_threads_find_the_same_states() {
    for text in [SHELF, BAG, FILES] {
        let alone = run(text, &SearchOptions::default());
        let Verdict::Holds(evidence) = &alone.verdict else { panic!("{:?}", alone.verdict) };
        for (order, threads) in [(Order::DepthFirst, 1), (Order::BreadthFirst, 2), (Order::BreadthFirst, 3)] {
            let report = run(text, &SearchOptions { order, threads, ..SearchOptions::default() });
            let Verdict::Holds(again) = &report.verdict else { panic!("{:?}", report.verdict) };
            assert_eq!(counts(&report), counts(&alone));
            assert_eq!(again.digest, evidence.digest);
        }
    }
}

#[test]
fn a_violation_among_the_last_states_is_shown() {
    let text = SHELF.replace(">->> 1..7", ">->> 1..7 & not(shelf = %i.(i : 1..7 | 8 - i))");
    for threads in [1, 2] {
        let report = run(&text, &SearchOptions { threads, ..SearchOptions::default() });
        let Verdict::Violated(found) = report.verdict else { panic!("{:?}", report.verdict) };
        // As many exchanges as there are pairs of books.
        assert_eq!(found.trace.steps.len(), 1 + 21);
    }
}

#[test]
fn a_search_put_aside_goes_on_with_the_trees() {
    for (i, text) in [SHELF, BAG, FILES].into_iter().enumerate() {
        let whole = run(text, &SearchOptions::default());
        let path = std::env::temp_dir().join(format!("bsym-condensed-{}-{i}", std::process::id()));
        let checkpoint = Some(Checkpoint { path: path.clone(), every: Duration::from_secs(3600) });
        let mut options = SearchOptions::default();
        options.suspension.checkpoint = checkpoint;
        for limit in [3000, 3500] {
            options.limits.states = Some(limit);
            let report = run(text, &options);
            assert!(report.not_saved.is_none(), "{:?}", report.not_saved);
            assert!(
                matches!(report.verdict, Verdict::Unknown(Reason::StateLimit(_))),
                "{:?}",
                report.verdict
            );
            options.suspension.resume = Some(path.clone());
        }
        let bytes = std::fs::read(&path).expect("the file");
        options = SearchOptions::default();
        options.suspension.resume = Some(path.clone());
        let report = run(text, &options);
        assert_eq!(counts(&report), counts(&whole));
        assert_eq!(format!("{:?}", report.verdict), format!("{:?}", whole.verdict));
        // Whatever byte is another one is seen.
        for at in (0..30).map(|i| bytes.len() * i / 30 + i) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&path, &damaged).expect("a file");
            let report = run(text, &options);
            assert!(matches!(report.verdict, Verdict::Unknown(Reason::NotResumed(_))), "byte {at}");
        }
        std::fs::remove_file(&path).expect("the file");
    }
}
