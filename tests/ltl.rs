//! `bsym ltl` as users meet it.

mod common;

use std::path::Path;

use common::{answer, bsym, file, run};
use serde_json::Value as Json;

const LIFT: &str = "MACHINE Lift
DEFINITIONS
  ASSERT_LTL_1 == \"G {floor : 0..3}\";
  ASSERT_LTL_2 == \"G F [up]\";
  ASSERT_LTL_3 == \"SF(up) & WF(down) => G F {floor = 0}\";
  ASSERT_LTL_4 == \"G ([call(2)] => X {2 : calls})\";
  ASSERT_LTL_5 == \"G {level = 0}\"
VARIABLES floor, calls
INVARIANT floor : 0..3 & calls <: 0..3
INITIALISATION floor := 0 || calls := {}
OPERATIONS
  call(f) = PRE f : 0..3 & f /: calls THEN calls := calls \\/ {f} END;
  up = SELECT floor < 3 THEN floor := floor + 1 || calls := calls - {floor + 1} END;
  down = SELECT floor > 0 THEN floor := floor - 1 || calls := calls - {floor - 1} END
END";

fn ltl(path: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("ltl", "ltl", path, arguments)
}

#[test]
fn formulas_of_the_machine_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    let (code, object) = ltl(&lift, &[]);
    assert_eq!((code, &object["verdict"]), (Some(1), &"violated".into()));
    let of = |i: usize| &object["formulas"][i];
    let verdicts: Vec<&Json> = (0..5).map(|i| &of(i)["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "holds", "violated", "holds", "unknown"]);
    assert_eq!((&of(2)["name"], &of(2)["line"]), (&"ASSERT_LTL_3".into(), &5.into()));
    assert_eq!(of(2)["counterexample"]["continuation"], "loop");
    assert_eq!(of(0)["stats"]["states"], 64);
    // A formula that cannot be read is named with its place; the others are asked all the same.
    let message = of(4)["message"].as_str().expect("a message");
    assert!(message.ends_with("`level` is not declared"), "{message}");
    assert_eq!((&of(4)["line"], &of(4)["column"]), (&7.into(), &23.into()));
    // Other commands report that they have not asked.
    let text = run("mc", &lift, &[]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("ASSERT_LTL_1 (`bsym ltl` checks it)"), "{text}");
}

#[test]
fn a_loop_an_end_and_a_decided_path_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS up = SELECT x < 5 THEN x := x + 1 END; turn = SELECT x : 1..2 THEN x := 3 - x END END";
    let path = file(folder.path(), "m.mch", text);
    for (formula, continuation, back_to, said) in [
        ("F {x = 5}", "loop", Json::from(1), "loop: back to step 1 (steps 2–3 repeat)"),
        ("G F [up]", "ends", Json::Null, "no event is enabled: the path ends here"),
        ("G {x < 2}", "open", Json::Null, "however it goes on, the formula is false"),
        ("G (deadlock => H not [turn])", "ends", Json::Null, "no event is enabled"),
    ] {
        let (code, object) = ltl(&path, &["--formula", formula]);
        let found = &object["formulas"][0]["counterexample"];
        assert_eq!(code, Some(1), "{formula}");
        assert_eq!(
            (&found["continuation"], &found["back_to"]),
            (&continuation.into(), &back_to),
            "{formula}"
        );
        let text = run("ltl", &path, &["-f", formula]);
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        assert!(text.contains(said), "{text}");
    }
    let trace = folder.path().join("t.json").display().to_string();
    let (_, object) = ltl(&path, &["-f", "F {x = 5}", "--trace", &trace]);
    assert_eq!(object["formulas"][0]["trace_file"], trace.as_str());
    let replay = bsym().arg("replay").arg(&trace).arg(&path).output().expect("it runs");
    assert_eq!(replay.status.code(), Some(0), "{}", String::from_utf8_lossy(&replay.stderr));
}

#[test]
fn nothing_is_claimed_where_paths_are_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |text: &str, formula: &str, arguments: &[&str]| {
        let path = file(folder.path(), "m.mch", text);
        let (code, object) = ltl(&path, &[&["-f", formula], arguments].concat());
        let formula = &object["formulas"][0];
        (code, formula["verdict"].clone(), formula["reason"].clone())
    };
    let endless =
        "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";
    let limit = of(endless, "G {x >= 0}", &["--max-states", "1000"]);
    assert_eq!(limit, (Some(3), "unknown".into(), "state-limit".into()));
    let ill = "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 2
        OPERATIONS down = SELECT x > -2 THEN x := x - 1 END END";
    assert_eq!(of(ill, "G {10 / x > -100}", &[]), (Some(3), "unknown".into(), "incomplete".into()));
    // Another formula has its own answer.
    let path = file(folder.path(), "ill.mch", ill);
    let (_, both) = ltl(&path, &["-f", "G {10 / x > -100}", "-f", "G {x > -3}"]);
    assert_eq!([&both["formulas"][0]["verdict"], &both["formulas"][1]["verdict"]], ["unknown", "holds"]);
    // A path on which the formula is false before that is a violation all the same.
    assert_eq!(of(ill, "G {10 / x < 10}", &[]).1, "violated");
    let none = "MACHINE m CONSTANTS k PROPERTIES k : 1..2 & k > 2 VARIABLES x INVARIANT x : NAT INITIALISATION x := k END";
    assert_eq!(of(none, "G {x > 0}", &[]).1, "vacuous");
}

#[test]
fn mistakes_in_a_formula_are_refused_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    for (formula, message) in [
        ("G {floor > 0", "column 3: this is not closed\n    G {floor > 0\n      ^"),
        ("G [stop]", "column 4: there is no event `stop`"),
        ("G {floor = TRUE}", "column 12: both sides of `=`"),
        ("!f.({f : NATURAL} => F {floor = f})", "column 1: the values of `f` cannot be listed"),
    ] {
        let output = run("ltl", &lift, &["-f", formula]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{formula}: {error}");
        assert!(error.contains(message), "{formula}: {error}");
    }
    let plain = file(folder.path(), "plain.mch", "MACHINE plain END");
    let output = run("ltl", &plain, &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("plain has no definition ASSERT_LTL"));
}

const PLACES: &str = "MACHINE Places
SETS D; E = {low, high}
VARIABLES at, of
INVARIANT at : D & of : D +-> E
INITIALISATION at :: D || of := {}
OPERATIONS
  go(p) = PRE p : D & p /= at THEN at := p END;
  put(p, q) = PRE p : D & q : E THEN of(p) := q END
END";

/// Quantified names stand for elements of deferred and enumerated sets, in predicates, arguments and other quantifiers.
#[test]
fn quantifiers_range_over_the_elements_of_all_sets() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "Places.mch", PLACES);
    for (formula, expected) in [
        ("#z.({z : D} & {at = z})", 0),
        ("!z.({z : D} => F {at = z})", 1),
        ("!z.({z : D} => G ([go(z)] => X {at = z}))", 0),
        ("!z.({z : D & z /= at} => X {at = z})", 1),
        ("!z.({z : D} => !w.({w : E} => G ([put(z, w)] => X {z |-> w : of})))", 0),
        ("!z.({z : D} => #w.({w : E & w /= low} & F {z |-> w : of}))", 1),
        ("!z.({z : D} => #w.({w : D & w /= z} & {at : {z, w}}))", 0),
        ("!s.({s : POW(E) & s /= {}} => G {card(s) : 1..2})", 0),
        ("!z.({z : D} => G (BA({at = z & at$0 /= z}) => [go(z)]))", 0),
    ] {
        let (code, object) = ltl(&path, &["--formula", formula, "--scope", "D=2"]);
        assert_eq!(code, Some(expected), "{formula}: {object:#}");
    }
    let (_, object) = ltl(&path, &["--formula", "!z.({z : D} => {at = z})", "--scope", "D=1"]);
    assert_eq!(object["verdict"], "holds");
}

/// A predicate of a step is about the values before it and after; it is false where the path ends.
#[test]
fn steps_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        "MACHINE climb VARIABLES x, f INVARIANT x : 0..3 & f : 0..3 +-> 0..3 INITIALISATION x := 0 || f := {}
        OPERATIONS up = SELECT x < 3 THEN x := x + 1 || f := {x |-> x} END; rest = skip END";
    let path = file(folder.path(), "climb.mch", text);
    for (formula, expected) in [
        ("G BA({x >= x$0})", 0),
        ("G BA({x > x$0})", 1),
        ("G ([up] <=> BA({x = x$0 + 1}))", 0),
        ("G (changed({x}) <=> [up])", 0),
        ("G (unchanged({x}) => unchanged({f}))", 0),
        ("G (X BA({x > x$0}) => {x < 3})", 0),
        ("F (BA({x = x$0}) & X BA({x > x$0}))", 1),
        // Before the first step f(0) has no value.
        ("G BA({f$0(0) = f(0)})", 3),
    ] {
        let (code, object) = ltl(&path, &["--formula", formula]);
        assert_eq!(code, Some(expected), "{formula}: {object:#}");
    }
    let text = "MACHINE ends VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0
        OPERATIONS up = SELECT x < 1 THEN x := x + 1 END END";
    let path = file(folder.path(), "ends.mch", text);
    for (formula, expected) in [("G BA({x > x$0})", 1), ("G (deadlock or BA({x > x$0}))", 0)] {
        let (code, object) = ltl(&path, &["--formula", formula]);
        assert_eq!(code, Some(expected), "{formula}: {object:#}");
    }
}

/// A formula that is false on its path only because MAXINT is small is marked so; one that is false with any bounds is
/// not.
#[test]
fn what_is_false_because_of_maxint_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = |guard: &str, first: &str, step: &str| {
        format!(
            "MACHINE Hall CONSTANTS most PROPERTIES most : NATURAL & most = 40 VARIABLES x INVARIANT x : INTEGER
            INITIALISATION x := {first} OPERATIONS enter = SELECT {guard} THEN x := {step} END; rest = SELECT x = 3 THEN skip END;
            jump(n) = SELECT n : NAT & x = 90 THEN x := n END END"
        )
    };
    let hall = machine("x < most", "0", "x + 1");
    let bounded = machine("x + 1 : NAT", "0", "x + 1");
    let ending = |guard: &str| machine(guard, "0", "x + 2").replace("x = 3 THEN skip", "x = 80 THEN skip");
    let only = |text: &str, formula: &str| {
        let path = file(folder.path(), "Hall.mch", text);
        let (code, object) = ltl(&path, &["-f", formula]);
        assert_eq!(code, Some(1), "{formula}: {object:#}");
        let only = object["formulas"][0]["only_in_scope"].clone();
        let text = run("ltl", &path, &["-f", formula]);
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        let said = only.as_str().unwrap_or("because MAXINT is 3");
        assert_eq!(text.contains(said), only != Json::Null, "{formula}: {text}");
        only
    };
    let because = |n: usize| Json::from(format!("false because MAXINT is 3: try `--maxint {n}`"));
    let no = Json::Null;
    for (text, formula, expected) in [
        // With any continuation of the path.
        (&hall, "G {x : NAT}", because(90)),
        (&hall, "G {x < 30}", no.clone()),
        (&hall, "G {x : NAT & x < 4}", no.clone()),
        // With larger bounds a path that ends continues; a formula that is false on it already stays so.
        (&ending("x + 2 : NAT"), "F {x = 4}", because(90)),
        (&ending("x + 2 : NAT"), "G not deadlock", because(90)),
        (&ending("x + 2 : NAT"), "F {x = 4} & {x = 1}", no.clone()),
        (&ending("x + 2 < 4"), "F {x = 4}", no.clone()),
        // A loop is fair only because the event that fairness requires is disabled.
        (&bounded, "WF(enter) => F {x = 4}", because(90)),
        (&bounded, "WF(rest) => F {x = 4}", no.clone()),
        (&bounded, "F {x = 4}", no.clone()),
        // In a loop an atom is another one.
        (&bounded, "F ({x = 3} & X {x + 1 : NAT})", because(90)),
        (&bounded, "F ({x = 3} & X e(enter))", because(90)),
        (&bounded, "F ({x = 3} & BA({x$0 + 1 : NAT}))", because(90)),
        // With other bounds the path does not exist.
        (&machine("x < 1", "0", "MAXINT"), "G {x < MAXINT}", no.clone()),
        (&machine("x < 1", "MAXINT", "0"), "G {x < MAXINT}", no.clone()),
        // With other bounds the formula speaks of more values.
        (&hall, "!n.({n : NAT} => G {x /= n + 1 or x : NAT})", no.clone()),
        (&hall, "!n.({n : 2..3} => G {x /= n + 1 or x : NAT})", because(90)),
    ] {
        assert_eq!(only(text, formula), expected, "{formula}");
    }
    // The model, or the question, has chosen them.
    let chosen = hall.replace("VARIABLES", "DEFINITIONS SET_PREF_MAXINT == 3 VARIABLES");
    assert_eq!(only(&chosen, "G {x : NAT}"), no);
    let path = file(folder.path(), "Hall.mch", &hall);
    let (code, object) = ltl(&path, &["-f", "G {x : NAT}", "--maxint", "90"]);
    assert_eq!(code, Some(0), "{object:#}");
}

/// Formulas of branching time: verdicts as ProB 1.8.2 gives them, but for paths that end, with a path where one shows why.
#[test]
fn branching_time_is_decided_and_shown() {
    let machine = "MACHINE d DEFINITIONS ASSERT_CTL == \"AG EF {x = 2}\"; ASSERT_LTL == \"G {x < 4}\"
        VARIABLES x INVARIANT x : 0..4 INITIALISATION x := 0 OPERATIONS
          up = SELECT x = 0 THEN x := 1 END; go = SELECT x = 1 THEN x := 2 END; back = SELECT x = 1 THEN x := 0 END;
          spin = SELECT x = 3 THEN x := 3 END; off = SELECT x = 1 THEN x := 3 END END";
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.mch", machine);
    let rows = [
        ("EF {x=2}", "holds"),
        ("EG {x<3}", "holds"),
        ("AF {x=2}", "violated"),
        ("AX false", "violated"),
        ("EF AX false", "holds"),
        ("E {x<2} U {x=2}", "holds"),
        ("E(true U {x=2}) & {x=0}", "holds"),
        ("EX [up] {x=1}", "holds"),
        ("EX [go] true", "violated"),
        ("[up] & not [go]", "holds"),
        ("EF sink & EF deadlock", "holds"),
        ("AG EF {x=2}", "violated"),
        ("AG (e(go) => EX [go] deadlock)", "holds"),
        // ProB looks at infinite paths only, and says the opposite of these two.
        ("EF EG {x=2}", "holds"),
        ("EF (deadlock & AF {x=9})", "violated"),
    ];
    let flags: Vec<&str> = rows.iter().flat_map(|(formula, _)| ["--ctl", formula]).collect();
    let (code, object) = answer("ltl", "ltl", &path, &flags);
    assert_eq!(code, Some(1));
    for ((formula, expected), found) in rows.iter().zip(object["formulas"].as_array().unwrap()) {
        assert_eq!(found["verdict"], *expected, "{formula}: {found:#}");
    }
    // The definitions of both kinds; the path leads to where the inner formula is false.
    let trace = folder.path().join("t.json");
    let (code, object) = answer("ltl", "ltl", &path, &["--trace", &trace.display().to_string()]);
    assert_eq!((code, object["formulas"].as_array().map(Vec::len)), (Some(1), Some(2)), "{object:#}");
    let found = object["formulas"].as_array().unwrap().iter().find(|f| f["name"] == "ASSERT_CTL").unwrap();
    let claim = &found["counterexample"]["claim"];
    assert_eq!((&claim["formula"], &claim["truth"]), (&"EF {x = 2}".into(), &false.into()), "{found:#}");
    assert_eq!(found["counterexample"]["trace"][2]["state"]["x"], "3");
    let replay = bsym().arg("replay").arg(&trace).arg(&path).output().expect("it runs");
    assert_eq!(replay.status.code(), Some(0), "{}", String::from_utf8_lossy(&replay.stderr));
    for (formula, said) in
        [("G {x > 0}", "`G` is about one path"), ("EF {x >", "not closed"), ("EF {y = 1}", "column 5")]
    {
        let output = run("ltl", &path, &["--ctl", formula]);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && err.contains(said), "{formula}: {err}");
    }
}
