//! Claims that `certify` reports of a certificate, and certificates that it refuses.

mod common;

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{assert_valid, bsym, file, has_solver, json};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Two conjuncts, an assertion, a set of any size and a constant.
const POOL: &str = "MACHINE pool SETS ITEM CONSTANTS most PROPERTIES most : 1..9
VARIABLES used, n INVARIANT
  used <: ITEM & /* @label bounded */ n <= most & n : NATURAL
ASSERTIONS n < 10
INITIALISATION used, n := {}, 0
OPERATIONS
  take(i) = PRE i : ITEM & i /: used & n < most THEN used := used \\/ {i} || n := n + 1 END;
  clear = BEGIN used, n := {}, 0 END
END";

struct Made {
    folder: TempDir,
    certificate: Json,
}

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

impl Made {
    fn by(engine: &str) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let machine = file(folder.path(), "pool.mch", POOL).display().to_string();
        file(folder.path(), "other.mch", POOL.replace("pool", "other"));
        let path = folder.path().join("c.json").display().to_string();
        let mut arguments =
            vec![engine, &machine, "--prop", "inv,assertions", "--set", "most=4", "--certificate", &path];
        if engine == "mc" {
            arguments.extend(["--scope", "ITEM=2"]);
        }
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let certificate = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        Made { folder, certificate }
    }

    /// Certifies the certificate after an edit.
    fn after(&self, edit: impl FnOnce(&mut Json), flags: &[&str]) -> Output {
        let mut edited = self.certificate.clone();
        edit(&mut edited);
        let path = file(self.folder.path(), "edited.json", edited.to_string()).display().to_string();
        let mut arguments = vec!["certify", &path];
        arguments.extend(flags);
        run(&arguments)
    }

    fn claim(&self, edit: impl FnOnce(&mut Json)) -> String {
        let said = text(&self.after(edit, &[]));
        // The first line has the time.
        said.split_once('\n').unwrap().1.to_string()
    }

    fn refused(&self, part: &str, edit: impl FnOnce(&mut Json)) {
        let output = self.after(edit, &[]);
        assert_eq!(output.status.code(), Some(2), "{part}: {}", text(&output));
        assert!(text(&output).contains(part), "{part}: {}", text(&output));
    }
}

fn remove(json: &mut Json, list: &str, i: usize) {
    json[list].as_array_mut().unwrap().remove(i);
}

#[test]
fn the_claim_is_printed() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    let claim = made.claim(|_| {});
    for part in [
        "every reachable state of pool",
        "invariant: used <: ITEM",
        "assertion: n < 10",
        "well-defined",
        "ITEM of any size",
        "most = 4",
        "MAXINT 2147483647",
        "inductive",
        "made by: ic3",
    ] {
        assert!(claim.contains(part), "no {part:?} in\n{claim}");
    }
    let object = json(&made.after(|_| {}, &["--json"]));
    assert_valid("certify", &object);
    assert_eq!(object["claim"]["scope"]["settings"]["most"], "4", "{object:#}");
    assert!(object["checks"].is_u64());

    // A claim with less, or something else, in it is visible.
    assert_ne!(made.claim(|c| remove(c, "properties", 1)), claim);
    assert_ne!(made.claim(|c| c["scope"]["sizes"] = json!({"ITEM": 3})), claim);
    assert_ne!(made.claim(|c| c["scope"]["maxint"] = json!("7")), claim);
    assert_ne!(made.claim(|c| c["settings"] = json!({"most": "3"})), claim);
    let without = made.claim(|c| c["well_definedness"] = json!(false));
    assert!(without.contains("not claimed: well-definedness"), "{without}");
    let less = made.claim(|c| {
        remove(c, "properties", 2);
        remove(c, "conjuncts", 2);
    });
    assert!(less.contains("not claimed: n : NATURAL"), "{less}");
}

#[test]
fn empty_and_foreign_claims_are_refused() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    made.refused("claims nothing", |c| {
        (c["properties"], c["conjuncts"], c["well_definedness"]) = (json!([]), json!([]), json!(false));
    });
    made.refused("does not list it among its conjuncts", |c| c["conjuncts"] = json!([]));
    made.refused("twice", |c| c["properties"][1] = c["properties"][0].clone());
    made.refused("the certificate is for other", |c| c["machine"]["name"] = json!("other"));
    made.refused("has changed", |c| c["machine"]["path"] = json!("other.mch"));
    made.refused("is not `n <= 5`", |c| c["properties"][1]["text"] = json!("n <= 5"));
    made.refused("is not `used <: ITEM`", |c| c["properties"][0]["label"] = json!("another"));
    made.refused("GOAL", |c| c["properties"] = json!([{"kind": "no-goal"}]));
    made.refused("no constant `least`", |c| c["settings"] = json!({"least": "3"}));
    let own = made.certificate["machine"]["sha256"].clone();
    made.refused("other files", |c| c["machine"]["definitions"] = json!({ "pool.mch": own }));
    made.refused("conjunct 8", |c| {
        c["trusted"] = json!([{"event": "clear", "conjunct": 7, "provers": [], "level": "tool"}]);
    });
    made.refused("bytes 3 to 2", |c| {
        c["trusted_checks"] = json!([{"kind": "step-meaning", "event": "clear", "file": 0, "range": [3, 2],
            "text": "", "provers": [], "level": "tool"}]);
    });
}

#[test]
fn what_no_proof_comes_near_is_refused_at_once() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    let begin = Instant::now();
    made.refused("the number of steps is 1000000", |c| {
        c["evidence"] = json!({"kind": "k-induction", "k": 1_000_000, "lemmas": []});
    });
    made.refused("the number of steps", |c| {
        c["evidence"] = json!({"kind": "diameter", "depth": u64::from(u32::MAX)});
    });
    made.refused("the number of lemmas", |c| c["evidence"]["lemmas"] = vec!["0 = 0"; 30_000].into());
    made.refused("card(ITEM)", |c| c["scope"]["sizes"] = json!({"ITEM": 1_000_000_000_000u64}));
    made.refused("digits", |c| c["scope"]["maxint"] = json!("9".repeat(2_000)));
    let deep = format!("{}0 = 0{}", "(".repeat(100_000), ")".repeat(100_000));
    made.refused("deep", |c| c["evidence"]["lemmas"] = json!([deep]));
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn time_ends_a_check_whatever_the_certificate_says() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    let begin = Instant::now();
    let edit = |c: &mut Json| c["evidence"] = json!({"kind": "k-induction", "k": 2_000, "lemmas": []});
    let output = made.after(edit, &["--timeout", "1s", "--json"]);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    // Either one step suffices after all, or the time is over.
    let object = json(&output);
    assert_valid("certify", &object);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{object:#}");
}

#[test]
fn the_solver_that_made_the_proof_is_named() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    let maker = made.certificate["checked"]["solver"].as_str().unwrap().to_string();
    let name = maker.split_whitespace().next().unwrap();
    let said = text(&made.after(|_| {}, &["--solver", name]));
    assert!(said.contains("is the solver that made the proof"), "{said}");
    let said =
        text(&made.after(|c| c["checked"]["solver"] = json!(format!("{name} 0.0.1")), &["--solver", name]));
    assert!(said.contains("another version of the solver"), "{said}");
}

#[test]
fn certificates_of_a_search_say_their_claim_too() {
    let made = Made::by("mc");
    let claim = made.claim(|_| {});
    assert!(claim.contains("card(ITEM) = 2") && claim.contains("all states were visited"), "{claim}");
    made.refused("claims nothing", |c| {
        (c["properties"], c["conjuncts"], c["well_definedness"]) = (json!([]), json!([]), json!(false));
    });
    for (field, value) in [("states", json!(1)), ("transitions", json!(1)), ("digest", json!(""))] {
        let output = made.after(|c| c["evidence"][field] = value, &[]);
        assert_eq!(output.status.code(), Some(1), "{field}: {}", text(&output));
    }
    assert_eq!(made.after(|c| c["scope"]["sizes"] = json!({"ITEM": 3}), &[]).status.code(), Some(1));
}

#[test]
fn a_proof_about_nothing_is_not_certified_plainly() {
    if !has_solver() {
        return;
    }
    let made = Made::by("ic3");
    assert!(made.claim(|_| {}).contains("about something: "), "the first state is printed");
    let output = made.after(|c| drop(c.as_object_mut().unwrap().remove("witness")), &["--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let object = json(&output);
    assert_valid("certify", &object);
    assert_eq!(object["verdict"], "existence-undecided");
    // A state that the initialisation does not reach proves nothing.
    let output = made.after(|c| c["witness"]["state"]["n"] = json!("1"), &[]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("does not replay"), "{}", text(&output));
}

#[test]
fn another_solver_certifies_lemmas_about_all_elements() {
    if !has_solver() {
        return;
    }
    let text = "MACHINE relay SETS RUNNER VARIABLES holding, offered, started
INVARIANT holding <: RUNNER & offered : RUNNER <-> RUNNER & started : BOOL & !(p, q).(p : holding & q : holding => p = q)
INITIALISATION holding, offered := {}, {} || started := FALSE
OPERATIONS
  start(r) = SELECT r : RUNNER & started = FALSE THEN holding := holding \\/ {r} || started := TRUE END;
  offer(r, s) = SELECT r : holding & s : RUNNER THEN holding := holding - {r} || offered := offered \\/ {r |-> s} END;
  take(r, s) = SELECT r |-> s : offered THEN offered := offered - {r |-> s} || holding := holding \\/ {s} END
END";
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "relay.mch", text).display().to_string();
    let path = folder.path().join("c.json").display().to_string();
    let output = run(&["ic3", &machine, "--certificate", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", self::text(&output));
    let certificate: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let lemmas = certificate["evidence"]["lemmas"].to_string();
    assert!(lemmas.contains("!(runner1, runner2)"), "{lemmas}");
    let output = run(&["certify", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", self::text(&output));
    assert!(self::text(&output).contains("RUNNER of any size"), "{}", self::text(&output));
}
