//! Searches of machines written for these tests: the compiled form against the reference, kinds of
//! violations, proof information, and searches that are put aside.

use std::path::Path;
use std::time::Duration;

use bsym_explore::audit::Finding;
use bsym_explore::options::{Checkpoint, Order, SearchOptions, Suspension};
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_text;
use bsym_language::model::{ConstId, EventId, LocalId, Model};
use bsym_language::stack::with_large_stack;
use bsym_semantics::constraint::methods::Method;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::finder::{Candidate, Claim, Question, ValueFinder, Visit};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Name;
use bsym_semantics::verdict::{Reason, Vacuous};

fn model(text: &str) -> Model {
    let loaded = load_text("Test.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn run(text: &str, options: &SearchOptions) -> SearchReport {
    let model = model(text);
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(&model, &request).expect("a scope");
    with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        search(&problem, options, &mut |_: &Progress| {})
    })
}

/// Machines with every form of substitution, choices that lead to the same target, constants that vary,
/// and types of every representation.
const FORMS: &[&str] = &[
    "MACHINE Test SETS C = {red, green, blue}
    CONSTANTS n, m PROPERTIES n : 1..2 & m : C +-> 0..1 & card(m) = 1 & red : dom(m)
    VARIABLES x, y, c INVARIANT x : 0..6 & y : -2..9 & c : C & (c = red => x < 5)
    INITIALISATION x := 0; y := x + 1 || c :: {red, blue}
    OPERATIONS
      step = SELECT x < 3 THEN x := x + n WHEN x > 1 THEN y := x ELSE skip END;
      loop = VAR i, u IN i, u := 0, 0;
          WHILE i < n DO u := u + i + 1; i := i + 1 INVARIANT i : 0..n & u >= i VARIANT n - i END;
          y := u END;
      such = BEGIN x, c : (x : 0..2 & c : C & x + y$0 <= 3 & (c = red => x = x$0)) END;
      query <-- ask(v) = PRE v : C THEN query := m[{v}] END
    END",
    "MACHINE Test SETS C = {red, green, blue} VARIABLES c, s, q, b
    INVARIANT c : C & s <: C & q : seq(BOOL) & size(q) <= 2 & b : BOOL & not(s = {red, blue} & c = green)
    INITIALISATION c :: C || s := {} || q := [] || b := FALSE
    OPERATIONS
      mixed = BEGIN CHOICE b := TRUE OR skip OR c := red END;
          SELECT b = TRUE THEN s := {c} WHEN b = FALSE THEN skip END;
          ANY d WHERE d : s \\/ {c} THEN IF d = c THEN b := FALSE END END END;
      pick(d) = PRE d : C & d /: s & card(s) < 2 THEN s := s \\/ {d} || CHOICE c := d OR skip OR c := red END END;
      drop = ANY d, e WHERE d : s & e : C & d /= e THEN s := s - {d} END;
      push(v) = PRE v : BOOL & size(q) < 2 THEN q := q <- v; IF size(q) = 2 THEN b := first(q) END END;
      pop = SELECT q /= [] THEN q, b := tail(q), bool(size(q) = 1) END
    END",
    // A choice in one part of a parallel substitution comes back for each way through another part.
    "MACHINE Test VARIABLES x, y, z INVARIANT x : 0..4 & y : 0..12 & z : 0..1 INITIALISATION x, y, z := 0, 0, 0
    OPERATIONS
      choice = BEGIN BEGIN CHOICE x := 3 OR x := 4 END || CHOICE z := 1 OR y :: 5..12 END END; skip END;
      select = BEGIN BEGIN x :: 1..2 || SELECT z = 0 THEN z := 1 WHEN x = 0 THEN y := 4 END END; skip END;
      any = BEGIN
          BEGIN x : (x : 1..2) || ANY d WHERE d : 1..3 THEN IF d = 3 THEN y := d ELSE z := 1 END END END;
          skip END
    END",
    "MACHINE Test SETS D; C = {red, green} CONSTANTS n PROPERTIES n : 1..2
    VARIABLES f, r, t, w
    INVARIANT f : C +-> 0..n & r : D <-> BOOL & t : (1..2) --> BOOL & w : struct(a: 0..1, b: C)
    INITIALISATION f := {} || r := {} || t := (1..2) * {FALSE} || w := rec(a: 0, b: red)
    OPERATIONS
      res <-- write(c, k) = PRE c : C & k : 0..n THEN f(c) := k || res := bool(c : dom(f)) END;
      relate = ANY d, v WHERE d : D & v : BOOL & d |-> v /: r & card(r) < 2 THEN r := r <+ {d |-> v} END;
      turn(i) = PRE i : dom(t) & 1 : ran(f) THEN t(i) := bool(t(i) = FALSE) END;
      field = BEGIN w'a := 1 - w'a; IF w'a = 1 THEN w'b := green ELSE w'b :: C END END
    END",
];

#[test]
fn the_compiled_form_finds_what_the_reference_finds() {
    let counts = |r: &SearchReport| {
        let s = &r.statistics;
        (s.states, s.transitions, s.initial, s.deadlocks, s.violating, s.valuations)
    };
    for text in FORMS {
        let mut options =
            SearchOptions { keep_going: true, reference_only: true, ..SearchOptions::default() };
        let reference = run(text, &options);
        assert!(!matches!(reference.verdict, Verdict::Unknown(_)), "{:?}", reference.incomplete);
        assert!(reference.statistics.states > 50, "{}", reference.statistics.states);
        options.reference_only = false;
        for order in [Order::BreadthFirst, Order::DepthFirst, Order::Mixed, Order::Random] {
            options.order = order;
            let compiled = run(text, &options);
            assert!(
                compiled.statistics.successors.uncompiled.is_empty(),
                "{:?}",
                compiled.statistics.successors.uncompiled
            );
            assert_eq!(compiled.statistics.successors.by_reference, 0);
            assert_eq!(counts(&compiled), counts(&reference));
            if order == Order::BreadthFirst || matches!(reference.verdict, Verdict::Holds(_)) {
                assert_eq!(compiled.verdict, reference.verdict);
            }
        }
    }
}

/// Values that the store only keeps are compared by the reference evaluator, equality as well as its negation.
#[test]
fn values_that_are_only_kept_are_compared_as_the_reference_does() {
    let text = "MACHINE Test FREETYPES L = none, some(BOOL), pair((0..1) * L)
    VARIABLES v, s, q, t, x INVARIANT v : L & s <: L & q : BOOL +-> L & t : STRING & x : REAL
    INITIALISATION v := none || s := {} || q := {} || t := \"\" || x := 0.5
    OPERATIONS
      fill(b) = PRE b : BOOL & v = none THEN v := some(b) || s := s \\/ {v} END;
      nest = SELECT v /= none & v /= some(TRUE) & v : ran(some) THEN v := pair(0 |-> v) END;
      clear = SELECT v /= none & v /: s & t /= \"full\" THEN v := none || t := \"full\" END;
      keep(b) = PRE b : BOOL THEN q(b) := v || t := \"\" END;
      drop = SELECT q /= {} & q[BOOL] /= {none} & not(q = BOOL * {none}) THEN q := q |>> {none} END;
      half = SELECT x /= 1.0 - 0.5 THEN x := 0.50 WHEN x = 0.5 & TRUE |-> v /= FALSE |-> none THEN x := 1.0 END
    END";
    let mut options = SearchOptions { keep_going: true, reference_only: true, ..SearchOptions::default() };
    let reference = run(text, &options);
    assert!(matches!(reference.verdict, Verdict::Holds(_)), "{:?}", reference.verdict);
    options.reference_only = false;
    let compiled = run(text, &options);
    let counts = |r: &SearchReport| (r.statistics.states, r.statistics.transitions);
    assert_eq!(
        (compiled.verdict.clone(), counts(&compiled)),
        (reference.verdict.clone(), counts(&reference))
    );
}

#[test]
fn an_infinite_set_changed_at_finitely_many_elements_has_one_form() {
    let machine = |invariant: &str, first: &str, operations: &str| {
        format!(
            "MACHINE Test VARIABLES s INVARIANT {invariant} INITIALISATION s := {first} OPERATIONS {operations} END"
        )
    };
    let known = [
        (
            machine(
                "s <: INTEGER",
                "NATURAL",
                "take(y) = PRE y : -1..1 THEN s := s - {y} END; give(y) = PRE y : -1..1 THEN s := s \\/ {y} END",
            ),
            (8, 49),
        ),
        (
            machine(
                "s : INTEGER <-> BOOL",
                "INTEGER * {FALSE}",
                "set(y) = PRE y : 0..1 THEN s(y) := TRUE END; clear(y) = PRE y : 0..1 THEN s(y) := FALSE END",
            ),
            (4, 17),
        ),
        (
            machine(
                "s : INTEGER <-> INTEGER",
                "%x.(x : NATURAL | x * x)",
                "cut(y) = PRE y : -1..1 THEN s := {y} <<| s END",
            ),
            (4, 13),
        ),
    ];
    for (text, counts) in known {
        for reference_only in [false, true] {
            let mut options = SearchOptions { reference_only, ..SearchOptions::default() };
            options.limits.states = Some(100);
            let report = run(&text, &options);
            let found = (report.statistics.states, report.statistics.transitions);
            assert_eq!(found, counts, "{text}, {reference_only}");
            assert!(matches!(report.verdict, Verdict::Holds(_)), "{text}: {:?}", report.verdict);
        }
    }
}

#[test]
fn what_goes_wrong_on_the_way_is_found_and_replayed() {
    let cases = [
        ("x := 7 / x", "well-definedness"),
        ("ASSERT x /= 3 THEN x := x + 1 END", "assert"),
        ("ANY z WHERE z : 0..1 THEN PRE x + z < 4 THEN x := x + 1 END END", "precondition"),
        ("SELECT x < 4 THEN x := x + 1 END", "deadlock"),
        ("x := x + 1", "invariant"),
        ("IF 6 / (x - 3) < 9 THEN x := x + 1 END", "well-definedness"),
    ];
    for (body, kind) in cases {
        let text = format!(
            "MACHINE Test VARIABLES x INVARIANT x : 0..4 INITIALISATION x := 0 OPERATIONS
             op = {body}; up = SELECT x < 3 THEN x := x + 1 END END"
        );
        let mut options = SearchOptions::default();
        options.checks.deadlock = true;
        let report = run(&text, &options);
        let Verdict::Violated(found) = &report.verdict else { panic!("{body}: {:?}", report.verdict) };
        let fits = found.violations.iter().any(|v| match v {
            Violation::IllDefined(_) => kind == "well-definedness",
            Violation::Assert(_) => kind == "assert",
            Violation::Precondition(_) => kind == "precondition",
            Violation::Deadlock => kind == "deadlock",
            Violation::Invariant(_) => kind == "invariant",
            _ => false,
        });
        assert!(fits, "{body}: {:?}", found.violations);
    }
}

/// The suspended search in a file is resumed, and not saved again.
fn resuming(path: &Path) -> Suspension {
    Suspension { checkpoint: None, resume: Some(path.to_owned()) }
}

#[test]
fn a_proven_conjunct_is_not_evaluated_after_its_event() {
    // The status is wrong on purpose: that the search believes it, and contradicts its audit, shows that the conjunct
    // was not looked at.
    let text = "MACHINE Test VARIABLES x INVARIANT x <= 2 & x >= 0 INITIALISATION x := 0
        OPERATIONS up = SELECT x < 4 THEN x := x + 1 END END";
    let mut options = SearchOptions::default();
    options.proven.known.insert((EventId(0), 0));
    for threads in [1, 2] {
        (options.threads, options.share_all) = (threads, threads > 1);
        let Verdict::Contradiction(difference) = run(text, &options).verdict else {
            panic!("it is believed")
        };
        assert_eq!((difference.event, &difference.state), (None, &vec![Value::Int(3.into())]));
        assert_eq!(difference.search, Finding::Good);
        assert_eq!(difference.reference, Finding::Wrong(vec![Violation::Invariant(vec![0])]));
    }
    // It is not used where only a part of the invariant is known of the state before.
    options.checks.invariant = Some(vec![0]);
    assert!(matches!(run(text, &options).verdict, Verdict::Violated(_)));
}

#[test]
fn what_is_visited_is_counted_alike_however_it_is_shared_out() {
    for text in FORMS {
        let options = SearchOptions { keep_going: true, coverage: true, ..SearchOptions::default() };
        let report = run(text, &options);
        let shared = run(text, &SearchOptions { threads: 3, share_all: true, ..options.clone() });
        let coverage = report.coverage.expect("it was asked for");
        assert_eq!(Some(&coverage), shared.coverage.as_ref(), "{text}");
        let firings: u64 = coverage.events.iter().map(|event| event.firings).sum();
        let s = &report.statistics;
        assert_eq!(firings + s.initial + s.valuations, s.transitions, "{text}");
        assert_eq!(coverage.states + s.valuations, s.states, "{text}");
        let by_reference = run(text, &SearchOptions { reference_only: true, ..options });
        assert_eq!(by_reference.coverage.map(|c| c.variables), Some(coverage.variables), "{text}");
    }
}

#[test]
fn every_state_of_a_small_search_is_audited() {
    for text in FORMS {
        let options = SearchOptions { keep_going: true, ..SearchOptions::default() };
        let report = run(text, &options);
        assert!(!matches!(report.verdict, Verdict::Contradiction(_)), "{:?}", report.verdict);
        let s = &report.statistics;
        // Where the machine is busy, time for audits runs out.
        let late = s.time >= Duration::from_millis(500);
        assert!(s.successors.audited > 0, "{} states", s.states);
        assert!(
            late || s.successors.audited >= 64.min(s.states - s.valuations),
            "{} of {}",
            s.successors.audited,
            s.states
        );
    }
}

#[test]
fn no_valuation_and_no_initial_state_are_vacuous() {
    let text = "MACHINE Test CONSTANTS c PROPERTIES c : 1..3 & c > 3 VARIABLES x INVARIANT x : INT
        INITIALISATION x := c END";
    assert!(matches!(run(text, &SearchOptions::default()).verdict, Verdict::Vacuous(..)));
    let text = "MACHINE Test VARIABLES x INVARIANT x : INT INITIALISATION x :: {1} - {1} END";
    assert!(matches!(run(text, &SearchOptions::default()).verdict, Verdict::Vacuous(..)));
}

#[test]
fn what_cannot_be_enumerated_is_never_a_holds() {
    let text = "MACHINE Test VARIABLES x INVARIANT x >= 0 INITIALISATION x := 0
        OPERATIONS jump(v) = PRE v : NATURAL THEN x := v END END";
    let report = run(text, &SearchOptions::default());
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Bounded(None)));
    let report =
        run(&text.replace("v : NATURAL", "#s.(s <: NATURAL & v = card(s))"), &SearchOptions::default());
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Incomplete(None)));
    assert!(report.incomplete[0].place.contains("jump"));
}

#[test]
fn a_search_that_was_put_aside_ends_as_if_it_had_not_been() {
    let folder = std::env::temp_dir().join(format!("bsym-explore-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("search.bin");
    let text = FORMS[1];
    let whole = run(text, &SearchOptions { keep_going: true, ..SearchOptions::default() });
    let mut options = SearchOptions { keep_going: true, ..SearchOptions::default() };
    options.limits.states = Some(40);
    options.suspension.checkpoint = Some(Checkpoint { path: path.clone(), every: Duration::from_secs(3600) });
    let part = run(text, &options);
    assert!(matches!(part.verdict, Verdict::Unknown(Reason::StateLimit(_)) | Verdict::Violated(_)));
    assert_eq!(part.not_saved, None);
    let resumed = SearchOptions { keep_going: true, suspension: resuming(&path), ..SearchOptions::default() };
    let rest = run(text, &resumed);
    assert_eq!(rest.verdict, whole.verdict);
    let counts = |r: &SearchReport| (r.statistics.states, r.statistics.transitions, r.statistics.violating);
    assert_eq!(counts(&rest), counts(&whole));
    assert_eq!(rest.further, whole.further);
    let whole_file = folder.join("whole.bin");
    std::fs::copy(&path, &whole_file).expect("a copy");
    let other = run(&text.replace("size(q) < 2", "size(q) < 1"), &resumed);
    assert!(matches!(other.verdict, Verdict::Unknown(Reason::NotResumed(_))));
    // Files of before, damaged ones, and those that end early are refused in a sentence.
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("a file");
        match run(text, &resumed).verdict {
            Verdict::Unknown(Reason::NotResumed(why)) => why,
            verdict => panic!("{verdict:?}"),
        }
    };
    assert!(refused(b"bsym-search-2 nonsense").contains("by this version"));
    let file = std::fs::read(&whole_file).expect("a file");
    let title = file.iter().position(|b| *b == b'\n').expect("a title") + 1;
    for at in (title..file.len()).step_by(37) {
        let mut damaged = file.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(refused(&damaged).contains("is damaged"), "{at}");
        assert!(refused(&file[..at]).contains("is damaged"), "{at}");
    }
    assert!(refused(&[&file[..], &[0]].concat()).contains("is damaged"));
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// Values that have other words in every store: sets of sets, functions to sets, records, wide sets of
/// bits, large numbers; found in sets that are enumerated, so that their order could show.
const INTERNED: &[&str] = &[
    "MACHINE Test VARIABLES f, s, big
    INVARIANT f : 1..2 --> POW(1..2) & s <: POW(1..2) & card(s) <= 2 & big : NATURAL
      & not(f(1) = {} & f(2) = {2} & card(s) = 2)
    INITIALISATION f := {1 |-> {1}, 2 |-> {2}} || s := {} || big := 0
    OPERATIONS
      swap(i, j) = PRE i : 1..2 & j : 1..2 & i < j THEN f := f <+ {i |-> f(j), j |-> f(i)} END;
      keep = ANY t WHERE t : ran(f) & card(s) < 2 THEN s := s \\/ {t} || big := 3000000000 * card(t) END;
      join = ANY t, u WHERE t : s & u : ran(f) & t /= u THEN f :: {f <+ {1 |-> (t \\/ u)}, f <+ {2 |-> (t /\\ u)}} END;
      drop = ANY t WHERE t : s THEN s := s - {t} || big := big / 2 END
    END",
    "MACHINE Test SETS D CONSTANTS n PROPERTIES n : 2..3
    VARIABLES w, r, p
    INVARIANT w : struct(name: POW(0..2), of: D +-> BOOL) & r : POW((0..2) * POW(0..2)) & card(r) <= 2
      & p : 0..2 --> ((0..6) * (0..6)) & p(1) /= 2 |-> 1
    INITIALISATION w := rec(name: {}, of: {}) || r := {} || p := (0..2) * {0 |-> 1}
    OPERATIONS
      name = ANY i WHERE i : (0..1) - w'name THEN w'name := w'name \\/ {i} END;
      of(d, b) = PRE d : D & b : BOOL & card(w'name) < n THEN w'of := w'of <+ {d |-> b} END;
      relate = SELECT card(r) < 2 THEN ANY i, q WHERE i : w'name & q = p(i)
          THEN r := r \\/ {i |-> w'name} || p(i) := prj2(INTEGER, INTEGER)(q) + 1 |-> i END END;
      unrelate = ANY c WHERE c : r THEN r := r - {c} END
    END",
    "MACHINE Test SETS D VARIABLES x, y INVARIANT x : 0..500 & y <: D & 700 / (x - 40) /= 700
    INITIALISATION x := 0 || y := {}
    OPERATIONS
      add(i) = PRE i : 1..3 & x < 60 THEN x := x + i * i END;
      take = SELECT x > 10 THEN y :: POW(D) END;
      odd = ANY i WHERE i : {1, 3, 5} & i * x = 39 THEN x := 1 / (i - 1) END
    END",
];

#[test]
fn the_number_of_threads_shows_nowhere() {
    let answer = |mut r: SearchReport| {
        let s = &mut r.statistics;
        // Other threads count nothing.
        (s.time, s.memory, s.found_by) = Default::default();
        let s = &mut s.successors;
        (s.memo_hits, s.memo_misses, s.by_reference) = Default::default();
        // How many states are audited depends on the time that there is.
        s.audited = 0;
        (r.verdict, r.further, r.incomplete, r.statistics)
    };
    for text in FORMS.iter().chain(INTERNED) {
        for (keep_going, deadlock, reference_only) in
            [(true, false, false), (true, true, true), (false, false, false), (false, true, false)]
        {
            let mut options = SearchOptions { keep_going, reference_only, ..SearchOptions::default() };
            options.checks.deadlock = deadlock;
            let one = answer(run(text, &options));
            assert!(one.3.states > if keep_going { 50 } else { 10 }, "{}\n{text}", one.3.states);
            for threads in [2, 5] {
                options.threads = threads;
                options.share_all = true;
                assert_eq!(answer(run(text, &options)), one, "{threads} threads\n{text}");
            }
            options.limits.states = Some(40);
            let several = answer(run(text, &options));
            options.threads = 1;
            assert_eq!(answer(run(text, &options)), several, "{text}");
        }
    }
}

#[test]
fn a_limit_on_memory_puts_aside_what_any_number_of_threads_continues() {
    let folder = std::env::temp_dir().join(format!("bsym-explore-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("search.bin");
    let counts = |r: &SearchReport| {
        let s = &r.statistics;
        (s.states, s.transitions, s.initial, s.deadlocks, s.violating)
    };
    // The second of the interned ones has a set that is not listed among its values: it is not put aside.
    for text in FORMS.iter().chain(&INTERNED[..1]) {
        let whole = run(text, &SearchOptions { keep_going: true, ..SearchOptions::default() });
        for (before, after) in [(1, 1), (1, 3), (2, 1), (3, 2)] {
            let mut options = SearchOptions { keep_going: true, threads: before, ..SearchOptions::default() };
            options.share_all = before > 1;
            options.limits.memory = Some(1);
            options.suspension.checkpoint =
                Some(Checkpoint { path: path.clone(), every: Duration::from_secs(3600) });
            let part = run(text, &options);
            assert!(part.statistics.states < whole.statistics.states);
            assert_eq!((part.finished, part.not_saved), (false, None));
            options = SearchOptions { suspension: resuming(&path), threads: after, ..options };
            (options.limits.memory, options.share_all) = (None, after > 1);
            let rest = run(text, &options);
            assert_eq!((counts(&rest), &rest.verdict), (counts(&whole), &whole.verdict), "{before} {after}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// Says of one value of a name that it is all there is.
struct Says(Name, i64, Claim);

impl ValueFinder for Says {
    fn find(&self, question: &Question<'_>, found: Visit<'_>) -> Result<bool, EvalError> {
        let Says(name, value, claim) = *self;
        if question.method != Method::Sat || question.unknowns[0].0 != name {
            return Ok(false);
        }
        Ok(found(Candidate { values: vec![Value::int(value)], bounded: false, claim }).is_continue())
    }
}

#[test]
fn values_that_evaluation_refutes_are_a_fault_unless_they_were_to_be_ill_defined() {
    let text =
        "MACHINE Test CONSTANTS x PROPERTIES x : INTEGER & x * x = 900 * x - 1400 & 10 / (x - 8) < 1 END";
    let model = model(text);
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let verdict = |value: i64, claim: Claim| {
        with_large_stack(|| {
            let finder = Says(Name::Const(ConstId(0)), value, claim);
            let problem = Problem { model: &model, scope: &scope, finder: Some(&finder) };
            search(&problem, &SearchOptions::default(), &mut |_: &Progress| {}).verdict
        })
    };
    let refuted = verdict(7, Claim::Holds);
    let Verdict::Unknown(Reason::Refuted(error)) = refuted else { panic!("{refuted:?}") };
    assert!(error.message.contains("x = 7"), "{error}");
    // The evaluator looks at the conjuncts from left to right: the second is false, so that the third does not matter.
    assert_eq!(verdict(8, Claim::IllDefined), Vacuous::NoValuation.into());
}

/// The audit has no finder, and cuts what the search has found all values of.
#[test]
fn what_a_finder_knows_all_values_of_is_no_contradiction_to_a_cut() {
    let text = "MACHINE Test VARIABLES v INVARIANT v : INTEGER INITIALISATION v := 0
        OPERATIONS
            solve = ANY x WHERE x : INTEGER & x * x = 1000 * x THEN v := x END;
            any = ANY y WHERE y : INTEGER & v = 0 THEN v := 0 END
        END";
    let model = model(text);
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let report = with_large_stack(|| {
        let finder = Says(Name::Local(LocalId(0)), 1000, Claim::Holds);
        let problem = Problem { model: &model, scope: &scope, finder: Some(&finder) };
        search(&problem, &SearchOptions::default(), &mut |_: &Progress| {})
    });
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Bounded(None)));
    assert_eq!(report.statistics.states, 2);
}
