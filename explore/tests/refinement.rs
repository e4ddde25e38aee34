//! Refinements of classical B against their abstractions: right ones, and ones with a fault each.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bsym_explore::options::SearchOptions;
use bsym_explore::refinement::{
    RefinementOptions, RefinementReport, RefinementVerdict, Repeated, UnmatchedStep, check, of_simulation,
    repeat,
};
use bsym_explore::report::{Progress, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::files::Texts;
use bsym_language::load::load_from;
use bsym_language::model::simulation::{first_gluing, simulation};
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::verdict::Counterexample;

/// What is looked at of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Summary {
    /// Every step is matched; so many states, each with its abstract ones.
    Holds(u64),
    /// The obligations of these operations are open.
    Weak(Vec<String>),
    Initialisation,
    /// A step of this operation, after so many others.
    Step(String, usize),
    Precondition(String, usize),
    /// An operation that aborts, after so many others; the initialisation is one without a name.
    Abort(String, usize),
    Other(String),
}

fn ask(files: &[(&str, &str)], main: &str, reference_only: bool) -> (Summary, RefinementReport) {
    let texts: Texts = files.iter().map(|(name, text)| (*name, *text)).collect();
    let loaded = load_from(&texts, Path::new(main)).expect("the file is there");
    let model = loaded.model.unwrap_or_else(|| panic!("{main}: {:?}", loaded.diagnostics));
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let parts = model.refinement.refined.as_ref().expect("an abstraction").side_by_side(&model);
    let problem = Problem { model: &parts.model, scope: &scope, finder: None };
    let options = RefinementOptions { reference_only, ..RefinementOptions::default() };
    let report = check(&problem, &parts, &model, &options, &mut |_: &Progress| {});
    let name = |event: &bsym_language::model::EventId| model.events[event.index()].name.clone();
    let found = match &report.verdict {
        RefinementVerdict::Holds(()) if report.weak.is_empty() => Summary::Holds(report.pairs),
        RefinementVerdict::Holds(()) => {
            Summary::Weak(report.weak.iter().map(|weak| name(&weak.event)).collect())
        }
        RefinementVerdict::Violated(found) => {
            let steps = found.trace.steps.len();
            match &found.step {
                UnmatchedStep::Initialisation => Summary::Initialisation,
                UnmatchedStep::Step { event, .. } => Summary::Step(name(event), steps - 2),
                UnmatchedStep::Precondition { event, .. } => Summary::Precondition(name(event), steps - 1),
                UnmatchedStep::Abort { event: Some(event), .. } => Summary::Abort(name(event), steps - 2),
                UnmatchedStep::Abort { event: None, .. } => Summary::Abort(String::new(), 0),
            }
        }
        other => Summary::Other(format!("{other:?}")),
    };
    (found, report)
}

/// By compiled code and by the reference evaluator alone.
fn refine(files: &[(&str, &str)], main: &str) -> Summary {
    with_large_stack(|| {
        let (found, quick) = ask(files, main, false);
        let (expected, slow) = ask(files, main, true);
        assert_eq!(found, expected, "{main}: the reference evaluator finds something else");
        assert_eq!((quick.pairs, quick.steps), (slow.pairs, slow.steps), "{main}");
        let is_right = matches!(found, Summary::Holds(_) | Summary::Weak(_));
        match simulates(files, main) {
            Some(Verdict::Holds(_)) => assert!(is_right, "{main}: the abstractions follow, and {found:?}"),
            Some(Verdict::Violated(other)) => {
                let confirmed = of_simulated(files, main, &other);
                assert!(confirmed.is_none() || !is_right, "{main}: {confirmed:?}, and {found:?}");
            }
            None => {}
            Some(other) => panic!("{main}: {other:?}"),
        }
        found
    })
}

/// Whether the machine in which the abstractions follow is right, by a search; `None` where they are not told how.
fn simulates(files: &[(&str, &str)], main: &str) -> Option<Verdict> {
    let texts: Texts = files.iter().map(|(name, text)| (*name, *text)).collect();
    let model = load_from(&texts, Path::new(main)).expect("the file is there").model.expect("it is right");
    let joint = simulation(&model, model.refinement.refined.as_ref().expect("an abstraction")).ok()?;
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(&model, &request).expect("a scope");
    let problem = Problem { model: &joint, scope: &scope, finder: None };
    let report = search(&problem, &SearchOptions::default(), &mut |_: &Progress| {});
    Some(report.verdict)
}

/// The violation of the refinement that one of the machine in which the abstractions follow shows.
fn of_simulated(files: &[(&str, &str)], main: &str, found: &Counterexample) -> Option<UnmatchedStep> {
    let texts: Texts = files.iter().map(|(name, text)| (*name, *text)).collect();
    let model = load_from(&texts, Path::new(main)).expect("the file is there").model.expect("it is right");
    let refined = model.refinement.refined.as_ref().expect("an abstraction");
    let joint = simulation(&model, refined).expect("it is determined");
    let parts = refined.side_by_side(&model);
    let problem = Problem { model: &parts.model, scope: &found.trace.scope, finder: None };
    let shown = (&found.trace, &found.violations[..]);
    let first = first_gluing(&model, refined);
    let unmatched = of_simulation(&problem, &parts, &model, &joint, shown, first, Duration::from_secs(5));
    unmatched.ok().map(|found| found.step)
}

fn step(name: &str, before: usize) -> Summary {
    Summary::Step(name.into(), before)
}

const POOL: (&str, &str) = (
    "Pool.mch",
    "MACHINE Pool VARIABLES free INVARIANT free <: 1..3 INITIALISATION free := 1..3
OPERATIONS
  n <-- take = PRE free /= {} THEN ANY k WHERE k : free THEN free := free - {k} || n := k END END;
  give(k) = PRE k : 1..3 & k /: free THEN free := free \\/ {k} END;
  n <-- left = n := card(free)
END",
);

/// A list for the set; each place of it can be put in another way.
fn list(changes: &[(&str, &str)]) -> Summary {
    refine(&[POOL, ("List.ref", &list_text(changes))], "List.ref")
}

fn list_text(changes: &[(&str, &str)]) -> String {
    let mut text = "REFINEMENT List REFINES Pool VARIABLES list
INVARIANT list : iseq(1..3) & ran(list) = free
INITIALISATION list := [1,2,3]
OPERATIONS
  n <-- take = BEGIN n := first(list) || list := tail(list) END;
  give(k) = BEGIN list := list <- k END;
  n <-- left = n := size(list)
END"
    .to_string();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    text
}

#[test]
fn abstractions_follow_where_equations_say_how() {
    with_large_stack(|| {
        let text = list_text(&[]);
        let verdict = simulates(&[POOL, ("List.ref", &text)], "List.ref");
        assert!(matches!(verdict, Some(Verdict::Holds(_))), "{verdict:?}");
        let text = list_text(&[("n := first(list) ||", "n := last(list) ||")]);
        let verdict = simulates(&[POOL, ("List.ref", &text)], "List.ref");
        assert!(matches!(verdict, Some(Verdict::Violated(_))), "{verdict:?}");
        // An abstraction whose assignments build on each other, with a local variable.
        let steps = "VAR l IN l := a; a := b + 1; b := l; r := a + b END";
        let swap = format!(
            "MACHINE Swap VARIABLES a, b INVARIANT a : NATURAL & b : NATURAL INITIALISATION a := 0; b := a + 1
OPERATIONS r <-- turn = PRE a + b < 3 THEN {steps} END END"
        );
        let both =
            "REFINEMENT Both REFINES Swap VARIABLES c, d INVARIANT c : NATURAL & d : NATURAL & c = a & d = b
INITIALISATION c, d := 0, 1 OPERATIONS r <-- turn = BEGIN c, d := d + 1, c || r := c + d + 1 END END";
        let verdict = simulates(&[("Swap.mch", &swap), ("Both.ref", both)], "Both.ref");
        assert!(matches!(verdict, Some(Verdict::Holds(_))), "{verdict:?}");
        let wrong = both.replace("d + 1, c", "d, c");
        let verdict = simulates(&[("Swap.mch", &swap), ("Both.ref", &wrong)], "Both.ref");
        assert!(matches!(verdict, Some(Verdict::Violated(_))), "{verdict:?}");
        // Nothing says which value was thrown before it was asked for.
        let late = "REFINEMENT Late REFINES Die OPERATIONS n <-- throw = n :: 1..2 END";
        assert!(simulates(&[DIE, ("Late.ref", late)], "Late.ref").is_none());
    });
}

#[test]
fn a_list_refines_a_set() {
    assert_eq!(list(&[]), Summary::Holds(16));
    // It may choose which one to take, and say more in its own precondition's place than it must.
    assert_eq!(
        list(&[("first(list) || list := tail(list)", "last(list) || list := front(list)")]),
        Summary::Holds(16)
    );
    assert_eq!(list(&[("give(k) = BEGIN list", "give(k) = PRE k : NATURAL THEN list")]), Summary::Holds(16));
    // A stronger guard is allowed: what is not enabled does no harm.
    assert_eq!(
        list(&[("give(k) = BEGIN list := list <- k", "give(k) = SELECT k > 1 THEN list := list <- k")]),
        Summary::Holds(6)
    );
}

#[test]
fn faults_of_a_list_are_found() {
    // A wrong result, a lost update, one too many.
    assert_eq!(list(&[("n := first(list) ||", "n := last(list) ||")]), step("take", 0));
    assert_eq!(list(&[("list := list <- k", "skip")]), step("give", 1));
    assert_eq!(list(&[("list := tail(list) END", "list := [] END")]), step("take", 0));
    assert_eq!(list(&[("n := size(list)", "n := size(list) + 1")]), step("left", 0));
    // More than the abstraction may do: all of it has to be matched.
    assert_eq!(list(&[("n := size(list)", "n :: 0..size(list)")]), step("left", 0));
    // Wrong beginnings and wrong gluing.
    assert_eq!(list(&[("list := [1,2,3]", "list := [1,2]")]), Summary::Initialisation);
    assert_eq!(list(&[("ran(list) = free", "ran(list) = (1..3) - free")]), Summary::Initialisation);
    assert_eq!(list(&[("ran(list) = free", "size(list) = card(free) & 3 : free")]), step("take", 2));
    // Preconditions that are narrower.
    assert_eq!(
        list(&[("give(k) = BEGIN", "give(k) = PRE k > 1 THEN")]),
        Summary::Precondition("give".into(), 1)
    );
    let narrow = ("n <-- take = BEGIN", "n <-- take = PRE size(list) > 1 THEN");
    assert_eq!(list(&[narrow]), Summary::Precondition("take".into(), 2));
}

const DIE: (&str, &str) = (
    "Die.mch",
    "MACHINE Die VARIABLES next INVARIANT next : 1..2 INITIALISATION next :: 1..2
OPERATIONS n <-- throw = BEGIN n := next || next :: 1..2 END END",
);

/// The abstraction chooses early, the refinement late: no single abstract state follows, but one of them does.
#[test]
fn a_choice_may_be_made_later() {
    let late = "REFINEMENT Late REFINES Die OPERATIONS n <-- throw = n :: 1..2 END";
    assert_eq!(refine(&[DIE, ("Late.ref", late)], "Late.ref"), Summary::Weak(vec!["throw".into()]));
    let wrong = "REFINEMENT Wrong REFINES Die OPERATIONS n <-- throw = n :: 1..3 END";
    assert_eq!(refine(&[DIE, ("Wrong.ref", wrong)], "Wrong.ref"), step("throw", 0));
    // A variable that is kept is the same on both levels.
    let kept = "REFINEMENT Kept REFINES Die VARIABLES next INITIALISATION next := 1
OPERATIONS n <-- throw = BEGIN n := next || next := 3 - next END END";
    assert_eq!(refine(&[DIE, ("Kept.ref", kept)], "Kept.ref"), Summary::Holds(2));
    let ahead = "REFINEMENT Ahead REFINES Die VARIABLES next INITIALISATION next := 1
OPERATIONS n <-- throw = BEGIN n := 3 - next || next := 3 - next END END";
    assert_eq!(refine(&[DIE, ("Ahead.ref", ahead)], "Ahead.ref"), step("throw", 0));
}

/// What nobody may call is not compared.
#[test]
fn calls_that_the_abstraction_forbids_are_free() {
    let limit = (
        "Limit.mch",
        "MACHINE Limit VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
OPERATIONS inc = PRE x < 3 THEN x := x + 1 END; r <-- half(k) = PRE k : {0, 2} THEN r := k / 2 END END",
    );
    let wrap = "REFINEMENT Wrap REFINES Limit VARIABLES y INVARIANT y : NATURAL & y = x INITIALISATION y := 0
OPERATIONS inc = y := (y + 1) mod 4; r <-- half(k) = IF k = 0 THEN r := 0 ELSE r := 1 END END";
    assert_eq!(refine(&[limit, ("Wrap.ref", wrap)], "Wrap.ref"), Summary::Holds(4));
    let early = wrap.replace("mod 4", "mod 3");
    assert_eq!(refine(&[limit, ("Wrap.ref", &early)], "Wrap.ref"), step("inc", 2));
    let rounded = wrap.replace("r := 1", "r := k");
    assert_eq!(refine(&[limit, ("Wrap.ref", &rounded)], "Wrap.ref"), step("half", 0));
    // An abstract operation that may abort inside may do anything.
    let inside = ("Limit.mch", &*limit.1.replace("r := k / 2", "PRE k = 0 THEN r := 0 END"));
    assert_eq!(refine(&[inside, ("Wrap.ref", &rounded)], "Wrap.ref"), Summary::Holds(4));
}

/// A chain to an implementation: each level keeps to the preconditions of those above it.
#[test]
fn chains_are_compared_with_all_levels() {
    let account = (
        "Account.mch",
        "MACHINE Account SETS USER = {ann, bob} VARIABLES owed INVARIANT owed : USER --> 0..2 INITIALISATION owed := USER * {0}
OPERATIONS
  lend(u) = PRE u : USER & owed(u) < 2 THEN owed(u) := owed(u) + 1 END;
  n <-- debts = n := card(owed |>> {0})
END",
    );
    let split = (
        "Split.ref",
        "REFINEMENT Split REFINES Account VARIABLES a, b INVARIANT a : 0..2 & b : 0..2 & owed = {ann |-> a, bob |-> b}
INITIALISATION a, b := 0, 0
OPERATIONS
  lend(u) = IF u = ann THEN a := a + 1 ELSE b := b + 1 END;
  n <-- debts = n := card({x | x : USER & ((x = ann & a > 0) or (x = bob & b > 0))})
END",
    );
    let cell = (
        "Cell.mch",
        "MACHINE Cell VARIABLES v INVARIANT v : 0..2 INITIALISATION v := 0
OPERATIONS up = PRE v < 2 THEN v := v + 1 END; n <-- get = n := v END",
    );
    let imp = "IMPLEMENTATION Split_i REFINES Split IMPORTS l.Cell, r.Cell INVARIANT a = l.v & b = r.v
OPERATIONS
  lend(u) = IF u = ann THEN l.up ELSE r.up END;
  n <-- debts = VAR x, y IN x <-- l.get; y <-- r.get; n := 0;
    IF x > 0 THEN n := n + 1 END; IF y > 0 THEN n := n + 1 END END
END";
    let ask =
        |split: (&str, &str), imp: &str| refine(&[account, cell, split, ("Split_i.imp", imp)], "Split_i.imp");
    assert_eq!(refine(&[account, split], "Split.ref"), Summary::Holds(9));
    assert_eq!(ask(split, imp), Summary::Holds(9));
    assert_eq!(ask(split, &imp.replace("a = l.v & b = r.v", "a = r.v & b = l.v")), step("lend", 0));
    assert_eq!(ask(split, &imp.replace("IF y > 0 THEN n := n + 1 END", "skip")), step("debts", 1));
    assert_eq!(ask(split, &imp.replace("ELSE r.up", "ELSE l.up")), step("lend", 0));
    // A fault in the middle is one of the chain.
    let wrong = split.1.replace("ELSE b := b + 1", "ELSE b := b - 1");
    let loose = wrong.replace("b : 0..2", "b : INTEGER");
    assert_eq!(refine(&[account, ("Split.ref", &loose)], "Split.ref"), step("lend", 0));
    // Without the gluing nothing is asked of the state; results are.
    let free = split.1.replace(" & owed = {ann |-> a, bob |-> b}", "");
    assert_eq!(refine(&[account, ("Split.ref", &free)], "Split.ref"), Summary::Holds(9));
    let free = free.replace("IF u = ann", "IF u = bob").replace("b > 0", "b > 1");
    assert_eq!(refine(&[account, ("Split.ref", &free)], "Split.ref"), step("debts", 1));
}

#[test]
fn loops_of_implementations_are_executed() {
    let divide = (
        "Divide.mch",
        "MACHINE Divide OPERATIONS q <-- div(n, d) = PRE n : 0..3 & d : 1..3 THEN q := n / d END END",
    );
    let imp = "IMPLEMENTATION Divide_i REFINES Divide
OPERATIONS q <-- div(n, d) = VAR rest IN rest := n; q := 0;
  WHILE rest >= d DO rest := rest - d; q := q + 1 INVARIANT n = q * d + rest & rest >= 0 VARIANT rest END END END";
    assert_eq!(refine(&[divide, ("Divide_i.imp", imp)], "Divide_i.imp"), Summary::Holds(1));
    let wrong = imp.replace("rest >= d DO", "rest > d DO");
    assert_eq!(refine(&[divide, ("Divide_i.imp", &wrong)], "Divide_i.imp"), step("div", 0));
}

const COUNT: (&str, &str) = (
    "Count.mch",
    "MACHINE Count VARIABLES c INVARIANT c : 0..3 INITIALISATION c := 0
OPERATIONS
  inc = PRE c < 3 THEN c := c + 1 END;
  r <-- get(k) = PRE k : 0..3 THEN r := c END;
  reset = BEGIN c := 0 END
END",
);

/// A refinement of the counter; each place of it can be put in another way.
fn count(changes: &[(&str, &str)]) -> Summary {
    count_of(COUNT, changes)
}

fn count_of(machine: (&str, &str), changes: &[(&str, &str)]) -> Summary {
    let cell = (
        "Cell.mch",
        "MACHINE Cell VARIABLES v INVARIANT v : 0..9 INITIALISATION v := 0
OPERATIONS put(x) = PRE x : 0..3 THEN v := x END END",
    );
    let mut text = "REFINEMENT Count_r REFINES Count INCLUDES Cell VARIABLES d INVARIANT d : 0..6 & d = 2 * c
INITIALISATION d := 0
OPERATIONS
  inc = d := d + 2;
  r <-- get(k) = r := d / 2;
  reset = BEGIN d := 0 END
END"
    .to_string();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    refine(&[machine, cell, ("Count_r.ref", &text)], "Count_r.ref")
}

fn abort(name: &str, before: usize) -> Summary {
    Summary::Abort(name.into(), before)
}

#[test]
fn operations_that_abort_where_they_may_be_called_are_violations() {
    assert_eq!(count(&[]), Summary::Holds(4));
    // Something is ill-defined, always, for some arguments, or in some states.
    assert_eq!(count(&[("d := 0 END", "d := 1 / 0 END")]), abort("reset", 0));
    assert_eq!(count(&[("r := d / 2", "r := d / 2 + 0 * (1 / k)")]), abort("get", 0));
    assert_eq!(count(&[("d := 0 END", "d := 0 * (1 / d) END")]), abort("reset", 0));
    assert_eq!(count(&[("d := 0 END", "d := 0 * (1 / (d - 4)) END")]), abort("reset", 2));
    assert_eq!(count(&[("d := 0 END", "IF d = 4 THEN d := max({}) ELSE d := 0 END END")]), abort("reset", 2));
    assert_eq!(count(&[("r := d / 2", "r := [7](k)")]), abort("get", 0));
    // One of several ways is enough.
    assert_eq!(count(&[("d := 0 END", "CHOICE d := 0 OR d := 1 / 0 END END")]), abort("reset", 0));
    assert_eq!(count(&[("d := 0 END", "ANY z WHERE z : 0..2 THEN d := 0 / z END END")]), abort("reset", 0));
    // A failing ASSERT, and a called operation outside of its precondition.
    assert_eq!(count(&[("d := 0 END", "ASSERT d < 4 THEN d := 0 END END")]), abort("reset", 2));
    assert_eq!(count(&[("d := 0 END", "BEGIN d := 0 || put(d) END END")]), abort("reset", 2));
    // Loops whose variant does not decrease or is negative, and whose invariant is false.
    let looping = |body: &str, variant: &str, invariant: &str| {
        let text = format!("WHILE d > 0 DO {body} INVARIANT {invariant} VARIANT {variant} END END");
        count(&[("d := 0 END", &text)])
    };
    assert_eq!(looping("d := d - 1", "d", "d : 0..6"), Summary::Holds(4));
    assert_eq!(looping("d := d - 1", "7 - d", "d : 0..6"), abort("reset", 1));
    assert_eq!(looping("d := d - 1", "3", "d : 0..6"), abort("reset", 1));
    assert_eq!(looping("d := d - 1", "d - 3", "d : 0..6"), abort("reset", 1));
    assert_eq!(looping("d := d - 1", "d", "d : 0..3"), abort("reset", 2));
    assert_eq!(looping("d := d - 1", "d", "d /= 1"), abort("reset", 1));
}

#[test]
fn initialisations_that_abort_are_violations() {
    assert_eq!(count(&[("INITIALISATION d := 0", "INITIALISATION d := 0 * (1 / 0)")]), abort("", 0));
    let one = "INITIALISATION ANY z WHERE z : 0..1 THEN d := 0 * (1 / z) END";
    assert_eq!(count(&[("INITIALISATION d := 0", one)]), abort("", 0));
    let failing = "INITIALISATION ASSERT 1 > 2 THEN d := 0 END";
    assert_eq!(count(&[("INITIALISATION d := 0", failing)]), abort("", 0));
    // Where that of the abstraction may abort as well nothing is owed; that it does is nothing to be proud of.
    let free =
        ("Count.mch", &*COUNT.1.replace("INITIALISATION c := 0", "INITIALISATION PRE 1 > 2 THEN c := 0 END"));
    let found = count_of(free, &[("INITIALISATION d := 0", failing)]);
    assert!(matches!(&found, Summary::Other(text) if text.contains("Incomplete")), "{found:?}");
}

#[test]
fn operations_may_abort_where_nothing_is_owed() {
    // Outside of the abstract precondition.
    assert_eq!(count(&[("inc = d := d + 2", "inc = d := d + 2 + 0 * (1 / (6 - d))")]), Summary::Holds(4));
    assert_eq!(count(&[("r := d / 2", "IF k = 9 THEN r := 1 / 0 ELSE r := d / 2 END")]), Summary::Holds(4));
    // Where the abstraction may abort.
    let free = ("Count.mch", &*COUNT.1.replace("BEGIN c := 0 END", "BEGIN PRE c < 2 THEN c := 0 END END"));
    let late = ("d := 0 END", "d := 0 * (1 / (d - 4)) END");
    assert_eq!(count_of(free, &[late]), Summary::Holds(4));
    assert_eq!(count_of(free, &[("d := 0 END", "d := 0 * (1 / (d - 2)) END")]), abort("reset", 1));
    // Nor is a call owed there that the refinement does not allow.
    assert_eq!(
        count_of(free, &[("reset = BEGIN d := 0", "reset = PRE d < 4 THEN d := 0")]),
        Summary::Holds(4)
    );
    let fewer = ("reset = BEGIN d := 0", "reset = PRE d < 2 THEN d := 0");
    assert_eq!(count_of(free, &[fewer]), Summary::Precondition("reset".into(), 1));
    // Nobody knows where it has no meaning itself.
    let vague = ("Count.mch", &*COUNT.1.replace("BEGIN c := 0 END", "BEGIN c := 0 * (1 / (c - 2)) END"));
    let found = count_of(vague, &[late]);
    assert!(matches!(&found, Summary::Other(text) if text.contains("Incomplete")), "{found:?}");
}

fn report(files: &[(&str, &str)], main: &str) -> RefinementReport {
    with_large_stack(|| ask(files, main, false).1)
}

/// The conjuncts that exclude every abstract step are told, with the state of all levels where there is one.
#[test]
fn the_gluing_that_excludes_a_step_is_named() {
    let valve = (
        "Valve.mch",
        "MACHINE Valve VARIABLES a, b INVARIANT a : 0..2 & b : 0..2 INITIALISATION a := 0 || b := 1
OPERATIONS tick = a := 1 - a END",
    );
    let text = "REFINEMENT Valve_r REFINES Valve VARIABLES x, y INVARIANT x : 0..2 & y : 0..2 & x = a & y = b
INITIALISATION x := 0; y := 1 OPERATIONS tick = x := 1 - x END";
    let named =
        |text: &str, machine: (&str, &str)| match report(&[machine, ("Valve_r.ref", text)], "Valve_r.ref")
            .verdict
        {
            RefinementVerdict::Violated(found) => {
                found.gluing.iter().map(|g| (g.conjunct, g.state.is_some())).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
    assert_eq!(named(&text.replace("y := 1", "y := 2"), valve), [(1, true)]);
    assert_eq!(named(&text.replace("x := 1 - x", "BEGIN x := 1 - x; y := 0 END"), valve), [(1, true)]);
    // Of several abstract states each excludes the conjunct.
    let free = ("Valve.mch", &*valve.1.replace("a := 0", "a :: 0..1"));
    assert_eq!(named(&text.replace("y := 1", "y := 2"), free), [(1, false)]);
    // No conjunct alone excludes all of them; the state that is nearest.
    let either = ("Valve.mch", &*valve.1.replace("a := 0 || b := 1", "a, b : (a : 0..1 & b = 1 - a)"));
    assert_eq!(named(&text.replace("y := 1", "y := 0"), either).len(), 1);
}

/// A violation that is one in a small scope alone is told apart from one that is one everywhere.
#[test]
fn a_violation_is_repeated_in_another_scope() {
    let vat = (
        "Vat.mch",
        "MACHINE Vat VARIABLES fill INVARIANT fill : NAT INITIALISATION fill :: 0..40
OPERATIONS set(x) = PRE x : NAT THEN fill := x END; n <-- get = n := fill END",
    );
    let again = |text: &str| {
        let texts: Texts = [vat, ("Vat_r.ref", text)].into_iter().collect();
        let model =
            load_from(&texts, Path::new("Vat_r.ref")).expect("it is there").model.expect("it is right");
        let parts = model.refinement.refined.as_ref().expect("an abstraction").side_by_side(&model);
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&model, &request).expect("a scope");
        let wide = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
        with_large_stack(|| {
            let problem = Problem { model: &parts.model, scope: &scope, finder: None };
            let options = RefinementOptions::default();
            let report = check(&problem, &parts, &model, &options, &mut |_: &Progress| {});
            let RefinementVerdict::Violated(found) = report.verdict else { panic!("{report:?}") };
            let problem = Problem { scope: &wide, ..problem };
            repeat(&problem, &parts, &model, &found, Duration::from_secs(5), &AtomicBool::new(false))
        })
    };
    let text =
        "REFINEMENT Vat_r REFINES Vat VARIABLES f INVARIANT f : NATURAL & f = fill INITIALISATION f := 25
OPERATIONS set(x) = PRE x : 0..9 THEN f := x END; n <-- get = n := f END";
    // The call set(0) is allowed with any bounds, and so is nothing that the refinement forbids below 4.
    assert!(matches!(again(&text.replace("x : 0..9", "x : 1..9")), Repeated::Unmatched(_)));
    assert!(matches!(again(&text.replace("n := f", "n := f + 1")), Repeated::Unmatched(_)));
    let within = text.replace("n := f", "IF f : NAT THEN n := f ELSE n := 0 END");
    assert_eq!(again(&within), Repeated::Gone);
}
