//! Choices among infinitely many values in a finite scope: what is tried, and what is said about it.

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_explore::walk::{End, WalkOptions, walk};
use bsym_language::load::load_text;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::{Checks, replay};
use bsym_semantics::verdict::Reason;

fn model(text: &str) -> Model {
    let loaded = load_text("Test.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

fn scope(model: &Model) -> Scope {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    Scope::settle(model, &request).expect("a scope")
}

fn run_with(text: &str, options: &SearchOptions) -> SearchReport {
    let model = model(text);
    let scope = scope(&model);
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        search(&problem, options, &mut |_: &Progress| {})
    })
}

fn run(text: &str) -> SearchReport {
    run_with(text, &SearchOptions { keep_going: true, ..SearchOptions::default() })
}

/// The names that were cut, with what they were cut to.
fn cuts(text: &str, report: &SearchReport) -> Vec<String> {
    let model = model(text);
    report.cuts.iter().map(|c| c.message(&model).replace("the values of ", "")).collect()
}

/// A machine with constants `a` and `b` under these properties.
fn constants(properties: &str) -> String {
    format!(
        "MACHINE Test DEFINITIONS E == {{n | n : 1..40 & n mod 2 = 0}}
        SETS C = {{red, green}} CONSTANTS a, b PROPERTIES {properties}
        VARIABLES x INVARIANT x = 0 & a = a & b = b INITIALISATION x := 0 END"
    )
}

#[test]
fn constants_without_bounds_are_taken_from_the_scope() {
    let cases: &[(&str, u64, &[&str])] = &[
        // A bound is missing on one side, on the other, on both.
        ("a : NATURAL & b = 0", 4, &["`a` were taken from 0..3 only"]),
        ("a > 200 & b = 0", 1, &["`a` were taken from 201..201 only"]),
        ("a : INTEGER & a < 2 & b = 0", 3, &["`a` were taken from -1..1 only"]),
        ("a <= -5 & b = 0", 1, &["`a` were taken from -5..-5 only"]),
        ("a : INTEGER & b = 0", 5, &["`a` were taken from -1..3 only"]),
        // What an equation determines is not cut, wherever it is.
        ("a : NATURAL & b = a * 1000 + 7", 4, &["`a` were taken from 0..3 only"]),
        ("a : NATURAL & b : INTEGER & a = 1000 & b = a - 2000", 1, &[]),
        ("a : NATURAL & b : INTEGER & a * a = 1764 & b + a = 0", 1, &[]),
        // The lower one first, then those above it from its value.
        (
            "a < b & a : NATURAL & b : NATURAL",
            7,
            &["`a` were taken from 0..3 only", "`b` were taken from 1..4 only"],
        ),
        ("a : NATURAL & b <: 0..a", 2 + 4 + 8 + 16, &["`a` were taken from 0..3 only"]),
        ("a : 0..b & b < 3 & a > 0", 3, &[]),
        ("b = 0 & 2 < a + a & a + a < 9", 3, &[]),
        // What unions, points, domains and ranges determine.
        ("a \\/ E = 1..40 & a /\\ E = {} & b = card(a)", 1, &[]),
        ("a : iseq(NATURAL) & size(a) = 3 & ran(a) = {4, 6, 9} & b = a(1)", 6, &[]),
        ("a : 1..2 --> STRING & a(1) = \"x\" & a(2) = \"y\" & b = 0", 1, &[]),
        ("{a} \\/ {1, 5} = {1, 5, 9} & b = 0", 1, &[]),
        // Other sets.
        (
            "a : seq(C) & b = size(a) & b > 0",
            2 + 4 + 8,
            &["`a` were taken from the sequences of at most 3 elements of {red,green} only"],
        ),
        ("a <: NATURAL & b = card(a)", 16, &["`a` were taken from POW(NAT) only"]),
        // A set before the relations over it, which have more values.
        ("b <: NATURAL & a : b +-> b & a~[{0}] = b - {0}", 21, &["`b` were taken from POW(NAT) only"]),
        ("a : C --> NATURAL1 & b = a(red)", 9, &["`a` were taken from ({red,green}-->NAT1) only"]),
        ("a : STRING & b = 0", 2, &["`a` were taken from {\"STRING1\",\"STRING2\"} only"]),
        ("a : {n | n >= 0 & n mod 2 = 0} & b = 0", 2, &["`a` were taken from {0,2} only"]),
    ];
    for (properties, valuations, names) in cases {
        let text = constants(properties);
        let report = run(&text);
        assert!(report.incomplete.is_empty(), "{properties}: {:?}", report.incomplete);
        assert_eq!(report.statistics.valuations, *valuations, "{properties}");
        assert_eq!(cuts(&text, &report), *names, "{properties}");
        match report.verdict {
            Verdict::Unknown(Reason::Bounded(_)) => assert!(!names.is_empty(), "{properties}"),
            Verdict::Holds(_) => assert!(names.is_empty(), "{properties}"),
            other => panic!("{properties}: {other:?}"),
        }
    }
}

#[test]
fn parameters_and_choices_are_cut_likewise() {
    // Each leads from 0 to these values.
    let cases = [
        ("op(v) = PRE v : NATURAL & x = 0 THEN x := v END", vec![1, 2, 3]),
        ("op(v) = PRE v > 7 & x = 0 THEN x := v END", vec![8]),
        ("op = SELECT x = 0 THEN ANY v WHERE v : NATURAL & v /= 2 THEN x := v END END", vec![1, 3]),
        ("op = SELECT x = 0 THEN x : (x : NATURAL1) END", vec![1, 2, 3]),
        ("op = SELECT x = 0 THEN x :: NATURAL END", vec![1, 2, 3]),
        (
            "op = SELECT x = 0 THEN ANY v, w WHERE v : NATURAL & w = v + 5 THEN x := w END END",
            vec![5, 6, 7, 8],
        ),
        // The parameter is confined inside.
        ("op(v) = ANY w WHERE v : 7..8 & x = 0 & w = v + 1 THEN x := w END", vec![8, 9]),
        ("op(s) = PRE s : STRING & x = 0 THEN x := IF s = \"STRING1\" THEN 1 ELSE 2 END END", vec![1, 2]),
    ];
    for (operation, reached) in cases {
        let text = |invariant: &str| {
            format!(
                "MACHINE Test VARIABLES x INVARIANT {invariant} INITIALISATION x := 0 OPERATIONS {operation} END"
            )
        };
        let report = run(&text("x >= 0"));
        assert!(report.incomplete.is_empty(), "{operation}: {:?}", report.incomplete);
        let exact = operation.contains("7..8");
        assert_eq!(report.cuts.is_empty(), exact, "{operation}: {:?}", report.cuts);
        assert_eq!(matches!(report.verdict, Verdict::Holds(_)), exact, "{operation}: {:?}", report.verdict);
        assert_eq!(report.statistics.states as usize, 1 + reached.len(), "{operation}");
        for value in reached {
            // What is found is there, and is replayed without bounds.
            let text = text(&format!("x /= {value}"));
            let report = run(&text);
            let Verdict::Violated(found) = &report.verdict else { panic!("{text}: {:?}", report.verdict) };
            let replayed = replay(&model(&text), &found.trace, &Checks::default()).expect("it replays");
            assert_eq!(replayed.violations, [Violation::Invariant(vec![0])], "{text}");
        }
    }
}

#[test]
fn nothing_found_is_not_vacuous() {
    for text in [
        constants("a : NATURAL & b = 0 & a mod 10 = 9"),
        "MACHINE Test VARIABLES x INVARIANT x >= 0 INITIALISATION x : (x : NATURAL & x mod 10 = 9) END"
            .into(),
    ] {
        let report = run(&text);
        assert_eq!((report.verdict, report.statistics.initial), (Verdict::Unknown(Reason::Bounded(None)), 0));
    }
    let text = constants("a : NATURAL & b = 0 & a < 0");
    assert!(matches!(run(&text).verdict, Verdict::Vacuous(..)));
}

/// A machine that can do nothing but `op` with a value, behind a guard.
fn stuck(guard: &str) -> String {
    format!(
        "MACHINE Test VARIABLES x INVARIANT x = 0 INITIALISATION x := 0
        OPERATIONS op(v) = PRE v : NATURAL & {guard} THEN skip END END"
    )
}

#[test]
fn an_event_that_was_cut_is_no_deadlock() {
    let mut options = SearchOptions::default();
    options.checks.deadlock = true;
    // Enabled far away, and it is not known whether it is.
    for guard in ["v mod 100 = 77", "v mod 1000 = 777"] {
        let report = run_with(&stuck(guard), &options);
        assert!(matches!(report.verdict, Verdict::Unknown(_)), "{guard}: {:?}", report.verdict);
        assert_eq!(report.statistics.deadlocks, 1);
    }
    for guard in ["x > 0", "v < x"] {
        let report = run_with(&stuck(guard), &options);
        let Verdict::Violated(found) = report.verdict else { panic!("{guard}: {:?}", report.verdict) };
        assert_eq!(found.violations, [Violation::Deadlock]);
    }
}

#[test]
fn no_truth_value_rests_on_a_cut() {
    let verdict = |invariant: &str| {
        run(&format!("MACHINE Test VARIABLES x INVARIANT {invariant} INITIALISATION x := 0 END")).verdict
    };
    // True for all that a scope would try, false beyond.
    assert!(!matches!(verdict("!n.(n : NATURAL => n * n < 100 + x)"), Verdict::Holds(_)));
    assert!(!matches!(verdict("not(#n.(n : NATURAL & n mod 1000 = 999 & n > x))"), Verdict::Holds(_)));
    assert_eq!(verdict("!n.(n : NATURAL => n * n /= n - 1 - x)"), Verdict::Unknown(Reason::Incomplete(None)));
    // A witness or a counterexample decides.
    assert!(matches!(verdict("#n.(n : NATURAL & n * n > 100 + x)"), Verdict::Holds(_)));
    assert!(matches!(verdict("!n.(n : NATURAL => n * n < 100 + x)"), Verdict::Violated(_)));
}

#[test]
fn a_conjunct_behind_one_that_may_be_ill_defined_is_used_and_said() {
    let text = constants("b : seq(C) & first(b) = red & a = 100 / a & a : 10..1000");
    let report = run(&text);
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Incomplete(None)), "{:?}", report.incomplete);
    let text = constants("b = 0 & 100 / (a + 500) > 0 & a : -450..-420");
    let report = run(&text);
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Bounded(None)));
    assert_eq!(report.statistics.valuations, 31);
    assert!(cuts(&text, &report)[0].contains("may be ill-defined"));
}

#[test]
fn walks_know_that_they_were_cut() {
    let walked = |text: &str| {
        let model = model(text);
        let scope = scope(&model);
        let options = WalkOptions {
            steps: 3,
            seed: 1,
            checks: Checks::default(),
            time: None,
            cancelled: Default::default(),
        };
        with_large_stack(|| walk(&Problem { model: &model, scope: &scope, finder: None }, &options)).end
    };
    assert_eq!(walked(&stuck("v > 100")), End::Steps);
    assert_eq!(walked(&stuck("x > 0")), End::Deadlock);
    assert!(matches!(walked(&stuck("v mod 100 = 77")), End::Unknown(..)));
    assert!(matches!(walked(&constants("a : NATURAL & b = 0 & a mod 10 = 9")), End::Unknown(..)));
}
