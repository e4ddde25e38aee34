//! Choices with more values than can be listed, and constants that nothing reads: what is wrong near the initial states is
//! found, and nothing is said to hold that rests on a sample.

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::{Checks, replay};
use bsym_semantics::verdict::{Counterexample, Reason};

fn run(text: &str, options: &SearchOptions) -> SearchReport {
    let model = load_text("M.mch", text).model.unwrap_or_else(|| panic!("it is wrong:\n{text}"));
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let report = search(&problem, options, &mut |_: &Progress| {});
        if let Verdict::Violated(found) = &report.verdict {
            let replayed = replay(&model, &found.trace, &options.checks).expect("the trace replays");
            assert!(!replayed.violations.is_empty(), "{text}");
        }
        report
    })
}

fn violated(text: &str, options: &SearchOptions) -> Counterexample {
    match run(text, options).verdict {
        Verdict::Violated(found) => *found,
        other => panic!("{text}:\n{other:?}"),
    }
}

/// The number of events to a violation, with one thread and with two.
fn events_to_violation(text: &str) -> usize {
    let [one, two] = [1, 2].map(|threads| {
        let options = SearchOptions { threads, ..SearchOptions::default() };
        violated(text, &options).trace.steps.len() - 1
    });
    assert_eq!(one, two, "{text}");
    one
}

/// A machine with a state `x` that goes wrong after `count` events, beside what cannot be listed.
fn counter(sections: &str, names: &str, invariant: &str, initialisation: &str, operations: &str) -> String {
    format!(
        "MACHINE M {sections} VARIABLES x{names} INVARIANT x : 0..2{invariant}
        INITIALISATION x := 0{initialisation}
        OPERATIONS up = x := x + 1{operations} END"
    )
}

#[test]
fn a_choice_that_cannot_be_listed_hides_no_violation_beside_it() {
    let rows = [
        // Initial values: of reals, functions, relations, sets, sequences, records, integers.
        (", t", " & t : REAL", " || t :: REAL", ""),
        (", t", " & t : 0..40 --> BOOL", " || t :: 0..40 --> BOOL", ""),
        (", t", " & t : 0..9 >->> 0..9", " || t :: 0..9 >->> 0..9", ""),
        (", t", " & t : 0..40 +-> 0..9", " || t :: 0..40 +-> 0..9", ""),
        (", t", " & t : 0..40 <-> 0..9", " || t :: 0..40 <-> 0..9", ""),
        (", t", " & t <: 0..60", " || t :: POW1(0..60)", ""),
        (", t", " & t : seq(0..9)", " || t :: seq(0..9)", ""),
        (", t", " & t : perm(0..20)", " || t :: perm(0..20)", ""),
        (
            ", t",
            " & t : struct(a : INTEGER, b : POW(INTEGER))",
            " || t :: struct(a : INTEGER, b : POW(INTEGER))",
            "",
        ),
        (", t", " & t : INTEGER", " || t : (t : INTEGER)", ""),
        (
            ", t",
            " & t : 0..40 --> BOOL",
            " || ANY f WHERE f : 0..40 --> BOOL & f(3) = TRUE THEN t := f END",
            "",
        ),
        // Parameters, local choices and choices in events.
        ("", "", "", "; r <-- p(f) = PRE f : 0..40 --> BOOL THEN r := f(0) END"),
        ("", "", "", "; p = ANY f WHERE f <: 0..60 & card(f) > 3 THEN x := x END"),
        (", t", " & t <: 0..60", " || t := {}", "; p = t :: POW(0..60)"),
        (", t", " & t <: 0..60", " || t := {}", "; p = t : (t <: 0..60 & 5 : t)"),
        // Each state has few enough, but together they are 2^32.
        (", t", " & t : 0..65535", " || t := 0", "; p(n) = PRE n : 0..65535 THEN t := n END"),
    ];
    for (names, invariant, initialisation, operations) in rows {
        let text = counter("", names, invariant, initialisation, operations);
        assert_eq!(events_to_violation(&text), 3, "{text}");
    }
}

#[test]
fn a_violation_that_most_values_of_a_choice_lead_to_is_found() {
    let rows = [
        "f : 0..40 --> 0..9 THEN x := f(7)",
        "f <: 0..60 THEN x := card(f)",
        "f : perm(0..20) THEN x := f(1)",
        "f : 0..1000000000 THEN x := f",
        "f : seq(0..9) THEN x := size(f)",
    ];
    for row in rows {
        let text = counter("", "", "", "", &format!("; p(f) = PRE {row} END"));
        assert_eq!(events_to_violation(&text), 1, "{text}");
    }
}

#[test]
fn what_rests_on_a_sample_never_holds() {
    let rows = [
        "MACHINE M VARIABLES f, g INVARIANT f : 0..40 --> BOOL & g : BOOL
        INITIALISATION f :: 0..40 --> BOOL || g := TRUE OPERATIONS flip = g :: BOOL END",
        "MACHINE M VARIABLES f INVARIANT f : 0..40 --> 0..9
        INITIALISATION f :: 0..40 --> {0} OPERATIONS p(n) = PRE n : 0..40 --> 0..9 THEN f := n END END",
    ];
    for text in rows {
        for keep_going in [false, true] {
            let report = run(text, &SearchOptions { keep_going, ..small() });
            assert!(matches!(report.verdict, Verdict::Unknown(_)), "{text}: {:?}", report.verdict);
            assert!(!report.exhausted, "{text}");
        }
    }
}

/// More choices than a first round lists.
#[test]
fn what_can_be_listed_is_listed() {
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..8 INITIALISATION x := 0
        OPERATIONS p(f) = PRE f : 0..3 --> 0..8 THEN x := f(0) END END";
    let report = run(text, &SearchOptions::default());
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    assert_eq!((report.statistics.states, report.cuts), (9, vec![]));
}

/// Few states: what is left of a search after its samples is not of interest.
fn small() -> SearchOptions {
    let mut options = SearchOptions::default();
    options.limits.states = Some(50);
    options
}

#[test]
fn a_sampled_choice_says_which_part_was_looked_at() {
    let text = "MACHINE M VARIABLES f INVARIANT f : REAL INITIALISATION f :: REAL END";
    let report = run(text, &SearchOptions::default());
    assert!(
        matches!(report.verdict, Verdict::Unknown(Reason::Bounded(_) | Reason::Incomplete(_))),
        "{:?}",
        report.verdict
    );
    assert!(!report.cuts.is_empty() || !report.incomplete.is_empty());
}

#[test]
fn deadlocks_are_found_beside_a_sampled_choice() {
    let text = "MACHINE M VARIABLES x, t INVARIANT x : 0..3 & t : 0..40 --> BOOL
        INITIALISATION x := 0 || t :: 0..40 --> BOOL
        OPERATIONS up = SELECT x < 2 THEN x := x + 1 END END";
    let options =
        SearchOptions { checks: Checks { deadlock: true, ..Checks::default() }, ..SearchOptions::default() };
    let found = violated(text, &options);
    assert_eq!(found.violations, [Violation::Deadlock]);
    assert_eq!(found.trace.steps.len(), 3);
}

/// Of 10^41 functions 41 are allowed: none of a sample would be.
#[test]
fn what_few_values_satisfy_is_listed() {
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
        OPERATIONS p = ANY f WHERE f : 0..40 --> 0..9 & SIGMA(i).(i : 0..40 | f(i) * f(i)) = 3304 THEN x := 1 END END";
    let checks = Checks { deadlock: true, ..Checks::default() };
    let report = run(text, &SearchOptions { checks, ..SearchOptions::default() });
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
}

#[test]
fn constants_that_nothing_reads_keep_no_search_from_ending() {
    let sections = "CONSTANTS c, d PROPERTIES c : (0..20) * (0..20) +-> 0..9 & d : 1..2";
    let text = format!(
        "MACHINE M {sections} VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0
        OPERATIONS up = x := (x + d) mod 3 END"
    );
    let report = run(&text, &SearchOptions::default());
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    assert_eq!(report.statistics.left_open.len(), 1);
    assert_eq!(report.statistics.valuations, 2);
    // Read, it is sampled, and no more is said than that.
    let read = text.replace("x := (x + d) mod 3", "x := (x + d + card(c)) mod 3");
    let report = run(&read, &small());
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    assert!(report.statistics.left_open.is_empty());
}

/// Of axioms that no value satisfies nothing holds.
#[test]
fn constants_that_nothing_reads_and_that_have_no_value_are_not_left_open() {
    let text = "MACHINE M CONSTANTS c, n PROPERTIES c : (0..20) * (0..20) +-> 0..9 & n : 0..3 & n > 5
        VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0 END";
    let report = run(text, &SearchOptions::default());
    assert!(!matches!(report.verdict, Verdict::Holds(_) | Verdict::Violated(_)), "{:?}", report.verdict);
}
