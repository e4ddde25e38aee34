//! `bsym tests`: short traces that cover operations and conditions.

mod common;

use common::{answer, bsym, file, run};
use serde_json::Value as Json;

const MACHINE: &str = "MACHINE c
VARIABLES x, on
INVARIANT x : 0..5 & on : BOOL
INITIALISATION x := 0 || on := FALSE
OPERATIONS
  switch = SELECT x = 0 THEN on := TRUE END;
  add(n) = SELECT on = TRUE & (n = 1 or x > 2) & n : 1..2 & x + n <= 5 THEN x := x + n END;
  full = SELECT x = 5 THEN x := 0 END;
  never = SELECT x = 4 & on = FALSE THEN skip END
END";

fn target<'a>(object: &'a Json, operation: &str, condition: Option<(&str, bool)>) -> &'a Json {
    let is_it = |t: &&Json| {
        t["operation"] == operation
            && match condition {
                Some((text, truth)) => t["condition"] == text && t["truth"] == truth,
                None => t["kind"] == "operation",
            }
    };
    object["targets"]
        .as_array()
        .unwrap()
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{operation}: {object:#}"))
}

#[test]
fn operations_are_covered_by_few_short_tests_and_the_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    let out = folder.path().join("tests");
    let shown = out.display().to_string();
    let (code, object) = answer("tests", "tests", &machine, &["-o", &shown]);
    assert_eq!((code, &object["complete"]), (Some(0), &true.into()), "{object:#}");
    // One test reaches `full`, and takes the others on its way.
    assert_eq!(object["tests"].as_array().map(Vec::len), Some(1), "{object:#}");
    assert_eq!(object["tests"][0]["trace"].as_array().map(Vec::len), Some(7), "{object:#}");
    let never = target(&object, "never", None);
    assert!(
        never["is_impossible"] == true && never["why"].as_str().unwrap().contains("unreachable"),
        "{never:#}"
    );
    for name in ["test1.json", "test1.itf.json", "test1.prob2trace"] {
        let replayed = bsym().arg("replay").arg(out.join(name)).arg(&machine).output().expect("it runs");
        assert_eq!(replayed.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&replayed.stdout));
    }
    let said = run("tests", &machine, &[]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.starts_with("3 of 4 covered by 1 test\n  not covered: never"), "{said}");
}

#[test]
fn conditions_decide_with_both_truth_values() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    let (code, object) = answer("tests", "tests", &machine, &["--operations", "add", "--mcdc"]);
    assert_eq!(code, Some(0), "{object:#}");
    for truth in [true, false] {
        // `on = TRUE` is false at first; `x > 2` decides only for 2.
        for condition in ["on = TRUE", "x > 2", "n = 1", "x + n <= 5"] {
            let target = target(&object, "add", Some((condition, truth)));
            assert!(target["test"].is_u64(), "{target:#}");
        }
    }
    assert_eq!(target(&object, "add", Some(("on = TRUE", false)))["test"].as_u64(), Some(1), "{object:#}");
}

#[test]
fn limits_and_ends_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "c.mch", MACHINE);
    let (code, object) = answer("tests", "tests", &machine, &["--depth", "3", "--operations", "add,full"]);
    assert_eq!(code, Some(3), "{object:#}");
    let full = target(&object, "full", None);
    assert!(full["why"].as_str().unwrap().contains("the shortest test has 6 events"), "{full:#}");
    let (code, object) = answer("tests", "tests", &machine, &["--operations", "switch", "--end", "x = 2"]);
    assert_eq!(code, Some(0), "{object:#}");
    let last = object["tests"][0]["trace"].as_array().and_then(|t| t.last()).cloned().unwrap();
    assert_eq!(last["state"]["x"], "2", "{object:#}");
    let open = "MACHINE m VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS up = x := x + 1; far = SELECT x = 900 THEN skip END END";
    let open = file(folder.path(), "open.mch", open);
    let (code, object) = answer("tests", "tests", &open, &["--max-states", "50"]);
    let far = target(&object, "far", None);
    assert!(code == Some(3) && far["is_impossible"] == false, "{object:#}");
    assert!(far["why"].as_str().unwrap().contains("not found in"), "{far:#}");
    let refused = run("tests", &machine, &["--operations", "ad"]);
    assert_eq!(refused.status.code(), Some(2));
}
