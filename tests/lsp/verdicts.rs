//! Code lenses with the verdicts of checks in the background.

use std::time::Duration;

use serde_json::json;

use crate::client::*;

const GOOD: &str = "MACHINE M\nVARIABLES n\nINVARIANT\n  n : 0..3\nINITIALISATION n := 0\nOPERATIONS\n  \
                    up = PRE n < 3 THEN n := n + 1 END;\n  down = SELECT n > 0 THEN n := n - 1 END\nEND\n";

#[test]
fn invariants_and_operations_have_their_verdicts() {
    let (_disk, path) = folder(&[]);
    let machine = uri(&path("M.mch"));
    let mut editor = with_lenses(json!({ "traceCommand": "show", "lens": { "timeout": "20s" } }));
    editor.open(&machine, GOOD);
    assert_eq!(lenses(&mut editor, &machine), ["checking …"; 3]);
    let held = settled(&mut editor, &machine);
    assert!(held[0].starts_with("✓ holds ("), "{held:?}");
    assert_eq!(held[1..], ["✓ keeps the invariant", "✓ keeps the invariant"]);
    let bad = GOOD.replace("n < 3", "n < 4");
    editor.change(&machine, 2, json!({ "text": bad }));
    assert_eq!(lenses(&mut editor, &machine), ["checking …"; 3], "nothing is said of the text before");
    let violated = settled(&mut editor, &machine);
    assert_eq!(violated[0], "✗ violated after 4 events");
    assert_eq!(violated[1..], ["✗ leads to a violation: n : 0..3", "✓ 1 of 1 obligations proved"]);
    let found = editor.ask("textDocument/codeLens", document(&machine));
    assert_eq!(found[0]["command"]["command"], "show");
    assert_eq!(found[0]["command"]["arguments"], json!([machine]));
    assert_eq!(
        (&found[2]["command"]["command"], &found[2]["range"]["start"]["line"]),
        (&json!(""), &json!(7))
    );
    // Earlier findings are kept.
    editor.change(&machine, 3, json!({ "text": GOOD }));
    assert!(lenses(&mut editor, &machine)[0].starts_with("✓ holds"));
    // A machine with a mistake has no verdict.
    editor.change(&machine, 4, json!({ "text": GOOD.replace("n := 0", "m := 0") }));
    assert_eq!(lenses(&mut editor, &machine), Vec::<String>::new());
    let mut editor = with_lenses(json!({ "lens": { "enabled": false } }));
    editor.open(&machine, GOOD);
    assert_eq!(lenses(&mut editor, &machine), Vec::<String>::new());
}

/// The lenses say what the command line says of the machine with the settings of its project.
#[test]
fn lenses_use_the_settings_of_the_project() {
    let machine = "MACHINE M\nSETS S\nVARIABLES n\nINVARIANT\n  n : 0..6 & n <= card(S)\nINITIALISATION n := 0\nOPERATIONS\n  \
                   up = SELECT n < MAXINT THEN n := n + 1 END\nEND\n";
    let (disk, path) = folder(&[("bsym.toml", "maxint = 5\nscope = { S = 7 }\n")]);
    let uri = uri(&path("M.mch"));
    let verdict = |titles: &[String]| titles.iter().any(|title| title.contains("violated"));
    let check = |settings: &str| {
        std::fs::write(disk.path().join("bsym.toml"), settings).unwrap();
        let mut editor = with_lenses(json!({ "lens": { "timeout": "30s" } }));
        editor.open(&uri, machine);
        let titles = settled(&mut editor, &uri);
        std::fs::write(disk.path().join("M.mch"), machine).unwrap();
        let output = crate::common::run("check", &disk.path().join("M.mch"), &["--json", "--timeout", "30s"]);
        assert_eq!(
            verdict(&titles),
            crate::common::json(&output)["verdict"] == "violated",
            "{settings}: {titles:?}"
        );
        verdict(&titles)
    };
    assert!(!check("maxint = 5\nscope = { S = 7 }\n"));
    assert!(check("maxint = 9\nscope = { S = 7 }\n"));
    assert!(check("maxint = 5\nscope = { S = 3 }\n"));
    assert!(!check("maxint = 9\n[[machine]]\nmatch = \"*.mch\"\nmaxint = 5\nscope = { S = 7 }\n"));
}

#[test]
fn a_machine_edited_while_it_is_checked_has_no_stale_and_no_lost_verdict() {
    let (_disk, path) = folder(&[]);
    let machine = uri(&path("M.mch"));
    let mut editor = with_lenses(json!({}));
    editor.open(&machine, GOOD);
    lenses(&mut editor, &machine);
    let mut pauses = fastrand::Rng::with_seed(7);
    for round in 0..24 {
        let is_good = round % 2 == 1;
        // Each text is new, so that no verdict is known before it is found.
        let text = GOOD.replace("n < 3", if is_good { "n < 3" } else { "n < 4" });
        editor.change(&machine, round + 2, json!({ "text": format!("{text}/* {} */\n", round / 2) }));
        std::thread::sleep(Duration::from_millis(pauses.u64(0..900)));
        for title in lenses(&mut editor, &machine).into_iter().take(1) {
            let expected = if is_good { "✓ holds" } else { "✗ violated" };
            assert!(title == "checking …" || title.starts_with(expected), "round {round}: {title}");
        }
    }
    assert!(settled(&mut editor, &machine)[0].starts_with("✓ holds"));
    // Back to the text whose check was ended first.
    let first = format!("{}/* 0 */\n", GOOD.replace("n < 3", "n < 4"));
    editor.change(&machine, 99, json!({ "text": first }));
    assert!(settled(&mut editor, &machine)[0].starts_with("✗ violated"));
}

#[test]
fn an_edit_of_an_included_machine_renews_the_lenses_of_those_that_include_it() {
    let counter = "MACHINE Counter\nVARIABLES n\nINVARIANT n : NAT\nINITIALISATION n := 0\nOPERATIONS\n  set(x) = PRE x : 0..9 THEN n := x END\nEND\n";
    let user = "MACHINE User INCLUDES Counter\nINVARIANT\n  n <= 9\nOPERATIONS\n  go(y) = PRE y : 0..9 THEN set(y) END\nEND\n";
    let (_disk, path) = folder(&[("Counter.mch", counter)]);
    let (other, machine) = (uri(&path("Counter.mch")), uri(&path("User.mch")));
    let mut editor = with_lenses(json!({}));
    editor.open(&machine, user);
    assert!(settled(&mut editor, &machine)[0].starts_with("✓ holds"));
    editor.open(&other, counter);
    editor.change(&other, 2, json!({ "text": counter.replace("n := 0", "n := 10") }));
    editor.wait(|m| m["method"] == "workspace/codeLens/refresh");
    let titles = settled(&mut editor, &machine);
    assert!(titles[0].starts_with("✗ violated after 0 events"), "{titles:?}");
}
