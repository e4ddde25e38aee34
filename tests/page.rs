//! The pages of `--html`: what is in them, and how a browser shows them.

mod common;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use bsym_testing::process::Limited;
use bsym_testing::{Part, present};
use common::{bsym, file, has_solver};

/// Names, comments and values that would break a page where they are not escaped.
const HOSTILE: &str = "MACHINE m VARIABLES x, y INVARIANT x : STRING & y : 0..2 /* </script><img src=x> */ & x /= \"<b>&amp;</b>\"
INITIALISATION x, y := \"a\", 0
OPERATIONS go(s) = PRE s : {\"<script>alert(1)</script>\", \"<b>&amp;</b>\"} THEN x := s || y := 2 END END";

/// States with relations, sequences and sets, and other ways than that of the counterexample.
const QUEUE: &str = "MACHINE Queue SETS JOB = {print, scan, mail}; USER CONSTANTS owner PROPERTIES owner = {print, scan} * USER
VARIABLES queue, by, urgent INVARIANT queue : seq(JOB) & by : JOB +-> USER & urgent <: JOB & size(queue) < 3
INITIALISATION queue, by, urgent := [], {}, {}
OPERATIONS
  put(j, u) = PRE j : JOB - ran(queue) & u : USER THEN queue := queue <- j || by(j) := u || urgent := {j} END;
  drop = PRE queue /= [] THEN queue := tail(queue) || by := {first(queue)} <<| by || urgent := {} END
END";

/// A drawing that would run, load and hide things.
const SHOWN: &str = "MACHINE Shown DEFINITIONS VISB_SVG_FILE == \"shown.svg\";
VISB_SVG_UPDATES == rec(`id`: \"a\", onclick: \"alert(1)\", href: \"javascript:alert(2)\", fill: \"url(//a.b/c)\", text: \"<img src=x>\")
VARIABLES n INVARIANT n < 1 INITIALISATION n := 0 OPERATIONS go = n := 1 END";
const SHOWN_SVG: &str = "<!DOCTYPE svg [<!ENTITY e 'x'>]><svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'
 width='90' height='90' onload='alert(3)'><script>alert(4)</script><style>} body { display: none }</style>
<style>.a { fill: red }</style><foreignObject><iframe src='//a.b'/></foreignObject><image xlink:href='//a.b/c.png'/>
<a href='//a.b'><rect id='b'/></a><text id='a' class='a' x='9' y='40' style='fill:u\\72l(//a.b)'>&e;</text>
<use xlink:href='#a'/><use xlink:href='other.svg#a'/><set attributeName='href' to='javascript:alert(5)'/></svg>";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Writes a page and returns it.
fn page(folder: &Path, name: &str, arguments: &[&str]) -> (PathBuf, String) {
    let path = folder.join(name).with_extension("html");
    let output = bsym()
        .current_dir(root())
        .args(arguments)
        .arg("--html")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("page written to"), "{arguments:?}: {said}");
    let text = std::fs::read_to_string(&path).unwrap();
    // The page requests nothing from a network.
    let text_outside = text.replace("url(#", "");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        let place = text_outside.find(outside).filter(|_| !name.starts_with("hostile"));
        assert!(
            place.is_none(),
            "{name}: {}",
            &text_outside[place.unwrap_or(0)..].chars().take(90).collect::<String>()
        );
    }
    assert!(text.starts_with("<!doctype html>") && text.ends_with("</html>"), "{name}");
    (path, text)
}

/// A page of every kind of answer.
fn pages(folder: &Path) -> Vec<(PathBuf, String)> {
    let hostile = file(folder, "hostile.mch", HOSTILE).display().to_string();
    let list = file(
        folder,
        "List.mch",
        "MACHINE List VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0 OPERATIONS r <-- put = SELECT n < 3 THEN n := n + 1 || r := n END END",
    );
    file(
        folder,
        "List_r.ref",
        "REFINEMENT List_r REFINES List VARIABLES m INVARIANT m = n INITIALISATION m := 0 OPERATIONS r <-- put = SELECT m < 3 THEN m := m + 1 || r := m + 1 END END",
    );
    let drawing = file(folder, "Shown.mch", SHOWN).display().to_string();
    file(folder, "shown.svg", SHOWN_SVG);
    let queue = file(folder, "Queue.mch", QUEUE).display().to_string();
    let refinement = list.with_file_name("List_r.ref").display().to_string();
    [
        ("violated", &["mc", "examples/overflow.mch", "--set", "display=127", "--maxint", "200"][..]),
        ("proof", &["ic3", "examples/counter.mch", "--proofs", "examples/counter.po.json"]),
        ("coverage", &["mc", "examples/lift.mch", "--coverage"]),
        ("loop", &["ltl", "examples/mutex.mch", "--formula", "G not([enter])"]),
        ("obligations", &["po", "examples/lift.mch"]),
        ("explained", &["po", "examples/lift.mch", "--explain"]),
        ("states", &["mc", &queue]),
        ("custom", &["mc", "examples/pictures/colouring.mch"]),
        ("drawing", &["mc", "examples/pictures/cabin.mch"]),
        ("lamps", &["mc", "examples/pictures/lights.mch"]),
        ("hostile_drawing", &["mc", &drawing]),
        ("several", &["check", "examples/crossing.mch", "examples/vending.mch", "--timeout", "20s"]),
        ("diagrams", &["ldd", "examples/mutex.mch"]),
        ("refinement", &["refine", &refinement]),
        ("hostile", &["mc", &hostile]),
        ("refused", &["mc", "examples/overflow.mch", "--set", "no=1"]),
    ]
    .into_iter()
    .map(|(name, arguments)| page(folder, name, arguments))
    .collect()
}

#[test]
fn every_kind_of_answer_has_a_page() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let text = |name: &str| {
        let named = pages.iter().find(|(path, _)| path.file_stem().is_some_and(|stem| stem == name));
        named.map(|(_, text)| text.as_str()).unwrap()
    };
    // Each page has the content of the answer, in the sections that it needs.
    for (name, expected) in [
        (
            "violated",
            &["badge violated", "shown &lt;= display", "Step through", "(changed)", "id=\"source-1\""][..],
        ),
        ("proof", &["badge holds", "low &lt;= total", "checked by", "never_behind"]),
        ("coverage", &["Values of variables", "door_shut", "not asked: deadlock freedom"]),
        ("loop", &["the loop begins here", "Path that refutes formula", "G not([enter])"]),
        ("obligations", &["INV_EST", "type=\"checkbox\" value=\"discharged\"", "badge refuted"]),
        (
            "explained",
            &[
                "INV is open",
                "1 event after some state",
                "No such state is reachable. What the invariant lacks:",
                "locked = TRUE",
                "lift: the state after step 1",
            ],
        ),
        (
            "states",
            &[
                "Queue: the state after step 3",
                "data-steps=\"0\" data-off",
                "aria-label=\"Picture of the state in Counterexample\"",
                "owner: print to USER1",
                "∈ urgent",
                "Queue: states near the trace",
                "edge pale",
                "1 more successor is not drawn",
                "node violated",
            ],
        ),
        (
            "custom",
            &["<ellipse class=\"shape\"", "style=\"fill:#ff6347\"", "colouring: the state after step 3"],
        ),
        (
            "drawing",
            &[
                "data-visb=",
                "id=\"trace-1-visb-cabin\"",
                "url(#trace-1-visb-wall)",
                "#trace-1-visb-drawing {",
                "floor 1",
            ],
        ),
        ("lamps", &["trace-1-visb-north_red", "#2f9e44"]),
        (
            "hostile_drawing",
            &["`script` is left out", "<use href=\"#trace-1-visb-a\">", "more of such messages"],
        ),
        ("several", &["2 machines", "vending.mch"]),
        ("diagrams", &["badge holds"]),
        ("refinement", &["A step that the abstraction cannot match", "badge violated"]),
        ("refused", &["badge refused", "no constant"]),
    ] {
        for part in expected {
            assert!(text(name).contains(part), "{name} has no {part}");
        }
    }
    // Where there are only numbers, the table says it all; a proof has no states.
    for name in ["violated", "proof", "several"] {
        assert!(!text(name).contains("Picture of the state"), "{name}");
    }
    let hostile = text("hostile_drawing");
    let drawing = &hostile[hostile.find("data-visb").unwrap()..hostile.find("<figcaption>").unwrap()];
    for bad in [
        "alert",
        "<img",
        "iframe",
        "foreignObject",
        "onload",
        "onclick",
        "//a.b",
        "body {",
        "<set",
        "other.svg",
        "<a ",
    ] {
        assert!(!drawing.contains(bad), "{bad}: {drawing}");
    }
    let hostile = text("hostile");
    assert!(
        !hostile.contains("<script>alert") && !hostile.contains("<img") && !hostile.contains("<b>"),
        "{hostile}"
    );
    assert_eq!(hostile.matches("<script>").count(), 1);
}

#[test]
fn pictures_are_bounded_and_say_what_they_leave_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MACHINE Far SETS S VARIABLES n, at INVARIANT n : NATURAL & at : S & n < 100 INITIALISATION n := 0 || at :: S
OPERATIONS go = BEGIN n := n + 1 || at :: S END END";
    let far = file(folder.path(), "Far.mch", text);
    let (_, page) = page(folder.path(), "far", &["mc", &far.display().to_string(), "--scope", "S=30"]);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for part in [
        "the first 21 steps have none",
        "earlier steps of the trace are not drawn",
        "more successors are not drawn",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let machine = file(folder.path(), "m.mch", HOSTILE);
    let said = |path: &Path| {
        let output =
            bsym().arg("mc").arg(&machine).arg("--html").arg(path).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let missing = said(&folder.path().join("no/such.html"));
    assert!(missing.contains("--html: the folder") && missing.contains("mkdir"), "{missing}");
    assert!(said(folder.path()).contains("is a folder"));
    assert!(said(&machine).contains("is an input of this command"));
    // For every command, its input is left alone.
    for command in [&["ltl", "--formula", "G {1 = 1}"][..], &["po"], &["check"]] {
        let output = bsym()
            .args(command)
            .arg(&machine)
            .arg("--html")
            .arg(&machine)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(std::fs::read_to_string(&machine).unwrap(), HOSTILE);
    let other = file(folder.path(), "other.mch", HOSTILE);
    for command in ["check", "mc", "po", "refine"] {
        let output = bsym()
            .arg(command)
            .args([&machine, &other])
            .arg("--html")
            .arg(&other)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&other).unwrap(), HOSTILE, "{command}");
    }
    let both = folder.path().join("both.json");
    let output =
        bsym().arg("mc").arg(&machine).arg("--trace").arg(&both).arg("--html").arg(&both).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("names the same file"), "{output:?}");
}

/// Chromium and the packages of tests/browser, with what brings them.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&paths).flat_map(|dir| names.map(|name| dir.join(name)));
    let packages = root().join("tests/browser/node_modules").is_dir();
    let found = programs.find(|path| path.is_file()).filter(|_| packages);
    present(Part::Browser, found, "chromium with `npm install` in tests/browser")
}

#[test]
fn pages_are_used_by_keyboard_and_pass_axe_light_and_dark() {
    if !has_solver() {
        return;
    }
    let Some(chromium) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let mut command = Limited::new("node");
    command.limit(Duration::from_secs(300));
    command.arg(root().join("tests/browser/check.mjs")).arg(chromium);
    // To look at the pages, name a folder.
    command.arg(std::env::var_os("BSYM_SCREENSHOTS").unwrap_or_else(|| "-".into()));
    let output = command.args(pages.iter().map(|(path, _)| path)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
