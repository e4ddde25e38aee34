//! Reports of `po` about parts without obligations of their own, and its exit codes.

mod common;

use std::path::Path;

use common::{answer, file, has_solver, json, root, run};
use serde_json::Value as Json;

const TOTAL: &str = "MACHINE Total CONSTANTS most PROPERTIES most : 1..9 OPERATIONS
  rr <-- total(nn) = PRE nn : 0..100 THEN rr := 2 * nn END END";

const TOTAL_I: &str = "IMPLEMENTATION Total_i REFINES Total OPERATIONS
  rr <-- total(nn) = VAR ii, acc IN
    ii := 0; acc := 0;
    WHILE ii < nn DO ii := ii + 1; acc := acc + 2
    INVARIANT ii : 0..nn & acc = 2 * ii VARIANT nn - ii END;
    rr := acc
  END
END";

const STOCK: &str = "MACHINE Stock SETS ITEM VARIABLES held INVARIANT held <: ITEM & card(held) <= 9
INITIALISATION held := {} OPERATIONS
  add(ii) = PRE ii : ITEM & ii /: held & card(held) < 9 THEN held := held \\/ {ii} END END";

const STOCK_R: &str = "REFINEMENT Stock_r REFINES Stock VARIABLES line, n
INVARIANT line : iseq(ITEM) & ran(line) = held & n = size(line) & n : 0..9
INITIALISATION line := [] ; n := 0
OPERATIONS add(ii) = BEGIN line := line <- ii ; n := n + 1 END END";

const OVER: &str = "MACHINE Over VARIABLES n INVARIANT n : NATURAL & n <= 3
INITIALISATION n := 0 OPERATIONS inc = n := n + 1 END";

/// The invariant is too weak for the second operation, and no reachable state shows it.
const WEAK: &str = "MACHINE Weak VARIABLES n, m INVARIANT n : NATURAL & m : NATURAL & n <= 3
INITIALISATION n, m := 0, 0 OPERATIONS
  inc = SELECT m = 0 & n < 3 THEN n := n + 1 END; far = SELECT m > 0 THEN n := n + 1 END END";

const FINE: &str = "MACHINE Fine VARIABLES n INVARIANT n : NATURAL & n <= 3
INITIALISATION n := 0 OPERATIONS inc = SELECT n < 3 THEN n := n + 1 END END";

/// Runs `po` and returns its JSON, valid against the schema of the format, with the exit code.
fn proved(machine: &Path, more: &[&str]) -> (Option<i32>, Json) {
    let output = run("po", machine, &[more, &["--json"]].concat());
    let object = json(&output);
    let schema = std::fs::read_to_string(root().join("status/schema/po.schema.json")).expect("a schema");
    let schema: Json = serde_json::from_str(&schema).expect("JSON");
    if more.is_empty() {
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let wrong: Vec<String> = validator.iter_errors(&object).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?} {object:#}");
    }
    (output.status.code(), object)
}

fn said(command: &str, machine: &Path) -> String {
    String::from_utf8_lossy(&run(command, machine, &[]).stdout).into_owned()
}

#[test]
fn parts_without_an_encoding_are_listed() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Total.mch", TOTAL);
    let machine = file(folder.path(), "Total_i.imp", TOTAL_I);
    let (code, object) = proved(&machine, &[]);
    assert_eq!(code, Some(3), "{object:#}");
    let parts = object["left_out"].as_array().expect("parts");
    assert_eq!(parts.len(), 1, "{parts:#?}");
    assert_eq!(parts[0]["part"], "value of most", "{parts:#?}");
    assert!(parts[0]["reason"].to_string().contains("VALUES"), "{parts:#?}");
    let all = object["obligations"].as_array().expect("obligations");
    assert!(all.iter().any(|o| o["kind"] == "VAR" && o["status"] == "discharged"), "{object:#}");
    let text = said("po", &machine);
    assert!(text.contains("1 part not looked at") && text.contains("value of most"), "{text}");
    // The same parts keep `strengthen` from reporting that everything is done.
    let (code, object) = answer("strengthen", "strengthen", &machine, &["--timeout", "20"]);
    assert_eq!(code, Some(3), "{object:#}");
    assert_eq!(object["left_out"].as_array().map(Vec::len), Some(1), "{object:#}");
}

#[test]
fn nothing_is_refuted_in_a_refinement() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "Stock.mch", STOCK);
    let machine = file(folder.path(), "Stock_r.ref", STOCK_R);
    let (code, object) = proved(&machine, &[]);
    assert_eq!(code, Some(3), "{object:#}");
    let all = object["obligations"].as_array().expect("obligations");
    assert!(all.iter().all(|o| o["status"] != "refuted"), "{object:#}");
    assert!(all.iter().any(|o| o["kind"] == "REFINEMENT" && o["status"] == "discharged"), "{object:#}");
    assert!(object["left_out"].is_null() && object["not_checked"].is_null(), "{object:#}");
    let text = said("po", &machine);
    assert!(text.contains("1 open") && !text.contains("bsym ic3"), "{text}");
    // Calls outside of the abstract precondition violate nothing.
    let (code, object) = answer("strengthen", "strengthen", &machine, &["--timeout", "20"]);
    assert_eq!((code, &object["violations"]), (Some(3), &Json::Array(vec![])), "{object:#}");
}

#[test]
fn the_exit_code_tells_whether_all_is_discharged() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, text: &str| file(folder.path(), name, text);
    let (over, weak, fine) = (at("Over.mch", OVER), at("Weak.mch", WEAK), at("Fine.mch", FINE));
    assert_eq!(proved(&fine, &[]).0, Some(0));
    let (code, object) = proved(&weak, &[]);
    assert_eq!(code, Some(3), "{object:#}");
    assert_eq!(proved(&over, &[]).0, Some(3));
    // With a trace to the state in which it fails there is a violation.
    assert_eq!(proved(&over, &["--explain"]).0, Some(1));
    let (code, object) = proved(&weak, &["--explain"]);
    assert_eq!(code, Some(3), "{object:#}");
    assert_eq!(proved(&fine, &["--explain"]).0, Some(0));
}

/// Obligations with more hypotheses than a prover likes do not stop the others.
#[test]
fn obligations_of_ten_thousand_hypotheses_are_answered() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let hypotheses: Vec<String> = (1..=10_000).map(|n| format!("nn > -{n}")).collect();
    let text = format!(
        "MACHINE Many CONSTANTS nn PROPERTIES nn : INTEGER & nn /= 7 & {} ASSERTIONS nn >= 0; nn = 5 END",
        hypotheses.join(" &\n")
    );
    let machine = file(folder.path(), "Many.mch", text);
    let (exit, said) = proved(&machine, &["--each", "20s"]);
    let of = |name: &str| {
        let all = said["obligations"].as_array().expect("obligations");
        let one = all.iter().find(|o| o["id"].as_str().is_some_and(|id| id.ends_with(name)));
        one.unwrap_or_else(|| panic!("no {name}: {said}"))["status"].clone()
    };
    assert_eq!(of("ass1/ASSERTION"), "discharged");
    assert_ne!(of("ass2/ASSERTION"), "discharged");
    assert_ne!(exit, Some(0));
}
