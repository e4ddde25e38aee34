//! `bsym graph` as users meet it.

mod common;

use std::path::Path;

use common::{answer, assert_valid, bsym, file, machine, run};
use serde_json::Value as Json;

const PHONEBOOK: [&str; 4] = ["--scope", "Name=3", "--scope", "Number=3"];

const LIFT: &str = "MACHINE Lift CONSTANTS top PROPERTIES top : {2, 3} VARIABLES floor
INVARIANT floor : 0..2
INITIALISATION floor := 0
OPERATIONS
  up = SELECT floor < top THEN floor := floor + 1 END;
  down = SELECT floor > 0 & floor < 3 THEN floor := floor - 1 END
END";

/// Without Graphviz, whose places depend on its version.
fn drawn(path: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = bsym().arg("graph").arg(path).args(arguments).env("PATH", "").output().expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn view(path: &Path, arguments: &[&str]) -> (Option<i32>, Json) {
    answer("graph", "graph", path, arguments)
}

#[test]
fn views_have_their_counts() {
    for (name, nodes, edges, definite) in [
        ("states", 65, 433, Json::Null),
        ("signature", 4, 9, 5.into()),
        ("dfa", 5, 10, 10.into()),
        ("paths", 0, 0, Json::Null),
    ] {
        let (code, object) = view(&machine("Phonebook.mch"), &[&PHONEBOOK[..], &["--view", name]].concat());
        assert_eq!((code, &object["complete"]), (Some(0), &true.into()), "{name}");
        assert_eq!((&object["nodes"], &object["edges"]), (&nodes.into(), &edges.into()), "{name}");
        assert_eq!((&object["states"], &object["transitions"]), (&65.into(), &433.into()), "{name}");
        assert_eq!(object["definite"], definite, "{name}");
        assert_eq!(object["graph"]["edges"].as_array().map(Vec::len), Some(edges), "{name}");
    }
}

#[test]
fn files_are_written_by_their_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    for (end, begins, has) in [
        ("svg", "<?xml", "<title id=\"title\">Lift: states</title>"),
        ("html", "<!DOCTYPE html>", "<title id=\"title\">Lift: states</title>"),
        ("dot", "digraph", "label=\"up\""),
        ("json", "{", "\"format\": \"bsym-graph\""),
    ] {
        let path = folder.path().join(format!("g.{end}"));
        let (code, said) = drawn(&lift, &["-o", &path.display().to_string()]);
        assert_eq!(code, Some(0), "{said}");
        // Two valuations of the constants with a node each, the root, and 3 and 4 states.
        assert!(said.contains("10 nodes, 13 edges") && said.contains(&format!("g.{end}")), "{said}");
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert!(text.starts_with(begins) && text.contains(has), "{end}: {text}");
        assert!(!text.contains("NaN") && !text.contains("inf "), "{end}: {text}");
        assert!(!text.contains("https://") && !text.contains("src="), "{end} asks the network");
        if end == "json" {
            assert_valid("graph", &serde_json::from_str(&text).expect("JSON"));
        }
    }
    let (code, said) = drawn(&lift, &[]);
    assert_eq!(code, Some(0));
    assert!(said.starts_with("digraph"), "{said}");
}

#[test]
fn parts_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    // The one way to floor 3, without the ways down from its last state.
    let (code, object) = view(&lift, &["--view", "paths"]);
    assert_eq!((code, &object["nodes"]), (Some(0), &6.into()), "{object:#}");
    let nodes = object["graph"]["nodes"].as_array().expect("nodes");
    let bad: Vec<&Json> = nodes.iter().filter(|node| node["violated"] != Json::Array(vec![])).collect();
    assert_eq!(bad.len(), 1);
    assert_eq!((&bad[0]["values"]["floor"], &bad[0]["violated"][0]), (&"3".into(), &"floor : 0..2".into()));
    assert_eq!(bad[0]["deadlock"], true);
    let (_, object) = view(&lift, &["--view", "paths", "--goal", "floor = 1"]);
    assert_eq!((&object["nodes"], &object["edges"]), (&7.into(), &6.into()), "{object:#}");
    let (_, object) = view(&lift, &["--where", "floor > 0 & top = 3"]);
    assert_eq!((&object["nodes"], &object["edges"]), (&3.into(), &3.into()), "{object:#}");
    let (_, object) = view(&lift, &["--hide", "down"]);
    assert_eq!((&object["nodes"], &object["edges"]), (&10.into(), &9.into()), "{object:#}");
    // Hidden steps of an automaton are taken silently: from any floor it can go up again.
    let (_, object) = view(&lift, &["--view", "dfa", "--hide", "down", "--minimise"]);
    let labels = object["graph"]["edges"].to_string();
    assert!(labels.contains("\"up\"") && !labels.contains("\"down\""), "{labels}");
}

#[test]
fn what_is_left_out_is_said() {
    let few = [&PHONEBOOK[..], &["--max-nodes", "10"]].concat();
    let (code, object) = view(&machine("Phonebook.mch"), &few);
    assert_eq!((code, &object["complete"], &object["nodes"]), (Some(3), &false.into(), &10.into()));
    assert_eq!(object["reason"], "state-limit");
    let message = object["messages"].to_string();
    assert!(message.contains("there are more states than 10; --max-nodes N draws more"), "{message}");
    let (code, object) =
        view(&machine("Padlocks.mch"), &["--scope", "Key=3", "--view", "dfa", "--max-nodes", "20"]);
    assert_eq!((code, &object["nodes"]), (Some(3), &20.into()));
    assert!(object["messages"].to_string().contains("the automaton has more than 20 nodes"), "{object}");
    // An infinite state space ends with its limit, and the picture reports it.
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        "MACHINE Up VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";
    let up = file(folder.path(), "Up.mch", text);
    let (code, said) = drawn(&up, &["--max-nodes", "5"]);
    assert_eq!(code, Some(3));
    assert!(said.contains("// the picture is incomplete"), "{said}");
    let (code, object) = view(&up, &["--view", "signature", "--max-states", "50"]);
    assert_eq!((code, &object["complete"]), (Some(3), &false.into()));
}

#[test]
fn wrong_input_is_refused() {
    let phonebook = machine("Phonebook.mch");
    for (arguments, said) in [
        (&["--hide", "ad"][..], "did you mean `add`?"),
        (&["-o", "picture.bmp"], "name it .svg, .html, .dot or .json"),
        (&["-o", "picture"], "has no ending that says what to write"),
        (&["--where", "book ="], "--where: `book =` is no predicate of Phonebook"),
        (&["--goal", "pages = 3"], "pages"),
        (&["--where", "book = {}", "--view", "dfa"], "--view signature draw the states"),
        (&["--minimise"], "add --view dfa"),
        (&["--max-nodes", "0"], "--max-nodes 0 draws nothing"),
    ] {
        let output = run("graph", &phonebook, arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
}

/// A node that is wrong only because MAXINT is small is marked so; one that is wrong with any bounds is not.
#[test]
fn what_is_wrong_because_of_maxint_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = |invariant: &str, operations: &str| {
        let text = format!(
            "MACHINE Hall CONSTANTS c PROPERTIES c : 2..3 VARIABLES x INVARIANT {invariant}
            INITIALISATION x := 0 OPERATIONS {operations} END"
        );
        file(folder.path(), "Hall.mch", text)
    };
    let said = |path: &Path, arguments: &[&str]| -> Vec<(String, String)> {
        let (_, object) = view(path, arguments);
        let nodes = object["graph"]["nodes"].as_array().expect("nodes");
        let found = nodes.iter().filter_map(|node| {
            Some((node["values"]["x"].as_str()?.to_string(), node["only_in_scope"].as_str()?.to_string()))
        });
        let found: Vec<_> = found.collect();
        let messages = object["messages"].to_string();
        assert!(found.iter().all(|(_, only)| messages.contains(only)), "{messages}");
        assert_eq!(messages.contains("because MAXINT"), !found.is_empty(), "{messages}");
        let (_, drawn) = drawn(path, arguments);
        assert_eq!(drawn.contains("because MAXINT"), !found.is_empty(), "{drawn}");
        found
    };
    let count = "up = SELECT x < 5 THEN x := x + 1 END; down = SELECT x = 5 THEN x := 4 END";
    let because = "false because MAXINT is 3: try `--maxint 5`";
    let both = |x: &str| [(x.to_string(), because.to_string()), (x.to_string(), because.to_string())];
    // Both in each valuation of the constants.
    let path = machine("x : NAT", count);
    let found = said(&path, &[]);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(said(&path, &["--view", "paths"]), both("4"));
    assert!(!said(&path, &["--view", "signature"]).is_empty());
    assert!(said(&path, &["--maxint", "5"]).is_empty());
    // Wrong with any bounds, alone or in addition.
    assert!(said(&machine("x : INTEGER & x < 4", count), &[]).is_empty());
    assert_eq!(said(&machine("x : NAT & x < 5", count), &[]), both("4"));
    assert!(said(&machine("x : NAT & x < 4", count), &[]).is_empty());
    assert!(
        said(&machine("x : INTEGER & x < MAXINT", "up = SELECT x < 1 THEN x := MAXINT END"), &[]).is_empty()
    );
    // A deadlock and steps that go wrong.
    let only = |found: Vec<(String, String)>| {
        found.into_iter().map(|(x, only)| x + ": " + &only).collect::<Vec<_>>()
    };
    let found = said(&machine("x : INTEGER", "up = SELECT x + 1 : NAT THEN x := x + 1 END"), &[]);
    assert_eq!(only(found)[..1], ["3: only because MAXINT is 3: try `--maxint 7`"]);
    assert!(said(&machine("x : INTEGER", "up = SELECT x + 1 < 3 THEN x := x + 1 END"), &[]).is_empty());
    let assert =
        "up(n) = SELECT n : 1..2 & x < 4 THEN ASSERT x + n : NAT THEN x := x + 1 END END; stay = skip";
    let found = only(said(&machine("x : INTEGER", assert), &[]));
    assert!(found.contains(&"2: false because MAXINT is 3: try `--maxint 4`".into()), "{found:?}");
    assert!(found.contains(&"3: false because MAXINT is 3: try `--maxint 7`".into()), "{found:?}");
    let mixed = "up(n) = SELECT n : 1..2 & x = 0 THEN ASSERT n = 1 & x + 3 + n : NAT THEN x := x + 1 END END; stay = skip";
    let found = said(&machine("x : INTEGER", mixed), &[]);
    assert!(found.is_empty(), "{found:?}");
}

/// Every kind of value that a picture of a state shows in its own way.
const RING: &str = "MACHINE Ring SETS PROC; STATUS = {idle, waiting}
CONSTANTS next, big PROPERTIES next = {p1, p2 | p1 : PROC & p2 : PROC & p1 /= p2} & card(PROC) = 2 & big = (1..50) * {0}
VARIABLES status, token, ready, queue, likes, count, pairs, images, many
INVARIANT status : PROC --> STATUS & token : PROC & ready <: PROC & queue : seq(PROC) & likes : PROC --> 0..9 & count : 0..9
  & pairs : 0..3 <-> 0..3 & images : PROC --> POW(PROC) & many <: 0..3000
INITIALISATION status := PROC * {idle} || token :: PROC || ready := {} || queue := [] || likes := PROC * {7} || count := 0
  || pairs := {1 |-> 2, 1 |-> 3} || images := PROC * {{}} || many := 0..1999
OPERATIONS
  get(p) = PRE p : PROC & status(p) = idle THEN
    status(p) := waiting || queue := queue <- p || ready := ready \\/ {p} || count := count + 1 || images(p) := {p}
  END
END";

#[test]
fn a_state_is_drawn_by_the_types_of_its_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let ring = file(folder.path(), "Ring.mch", RING);
    let (code, text) = drawn(&ring, &["--state"]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        // A set is a box, its elements are nodes with their numbers inside.
        "label=\"PROC\"; style=\"rounded,dashed\"; n0; n1;",
        "label=\"STATUS\"",
        "label=\"PROC1\\n= token\\nlikes = 7\\nimages = {}\"",
        // A function is arrows, a constant is dashed, and numbers are nodes in a relation that is no function.
        "label=\"status\", tooltip=\"status: PROC1 to idle\"",
        "tooltip=\"next: PROC1 to PROC2\", style=dashed",
        "tooltip=\"pairs: 1 to 3\"",
        // A sequence is a row; large sets are folded, large constants are left out.
        "label=\"queue|\\nempty\"",
        "many = {0, 1, 2, 3, 4, 5, 6, 7, … 1992 more}",
        "large constants that are not drawn: big",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let (_, text) = drawn(&ring, &["--state", "count = 2", "--constants"]);
    for part in [
        "∈ ready",
        "tooltip=\"images: PROC1 to PROC1\"",
        "label=\"queue|1\\nPROC",
        "big|1\\n0|2\\n0",
        "count = 2",
        "…\\ 20\\ more",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn the_state_is_that_of_a_step_or_the_first_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    let state = |arguments: &[&str]| {
        let (code, object) = view(&lift, arguments);
        assert_eq!(
            (code, &object["view"], &object["complete"]),
            (Some(0), &"state".into(), &true.into()),
            "{object}"
        );
        object["state"].clone()
    };
    let first = state(&["--state"]);
    assert_eq!((&first["values"]["floor"], &first["step"]), (&"0".into(), &0.into()));
    let wanted = state(&["--state", "floor = 3"]);
    assert_eq!(
        (&wanted["step"], &wanted["event"], &wanted["constants"]["top"]),
        (&3.into(), &"up".into(), &"3".into())
    );
    // The states of a trace are those that it has.
    let trace = folder.path().join("t.json");
    let output = bsym().args(["mc", "--trace"]).arg(&trace).arg(&lift).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let trace = trace.display().to_string();
    assert_eq!(state(&["--trace", &trace])["values"]["floor"], "3");
    assert_eq!(state(&["--trace", &trace, "--step", "1"])["values"]["floor"], "1");
    for (arguments, part) in [
        (&["--trace", &trace, "--step", "9"][..], "the trace ends with step 3"),
        (&["--step", "1"], "--step is a step of a trace"),
        (&["--state", "floor = 9"], "reachable states of Lift satisfies `floor = 9`"),
        (&["--state", "flor = 1"], "is no predicate of Lift"),
        (&["--state", "--view", "dfa"], "cannot be used with"),
    ] {
        let (code, said) = drawn(&lift, arguments);
        assert!(code == Some(2) && said.contains(part), "{arguments:?}: {said}");
    }
    // A limit is no answer.
    let (code, object) = view(&lift, &["--state", "floor = 3", "--max-states", "3"]);
    assert_eq!(
        (code, &object["complete"], &object["state"]),
        (Some(3), &false.into(), &Json::Null),
        "{object}"
    );
}

#[test]
fn a_picture_of_a_state_names_everything_for_readers_and_hides_nothing_of_hostile_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Odd VARIABLES x INVARIANT x : STRING +-> STRING\nINITIALISATION x := {\"<script>\" |-> \"a&b\\\"\"}\nEND";
    let odd = file(folder.path(), "Odd.mch", text);
    for end in ["svg", "html", "json", "dot"] {
        let path = folder.path().join(format!("o.{end}"));
        let (code, said) = drawn(&odd, &["--state", "-o", &path.display().to_string()]);
        assert!(code == Some(0) && said.contains("a state of Odd, in"), "{said}");
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert!(!text.contains("NaN") && text.contains("script"), "{end}: {text}");
        if end == "svg" || end == "html" {
            assert!(!text.contains("\"<script>") && text.contains("&lt;script&gt;"), "{end}: {text}");
            assert!(text.contains("role=\"img\"") && text.contains("<desc id=\"desc\">"), "{end}: {text}");
        }
    }
}

#[test]
fn a_graph_that_the_model_defines_is_drawn() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pictures/colouring.mch");
    let (code, text) = drawn(&map, &["--state", "colour = {north |-> red}"]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "layout=\"dot\";",
        "[label=\"north\", tooltip=\"north\\ntomato\", fillcolor=\"#ff6347\", fontcolor=\"#000000\"];",
        "[label=\"west\", tooltip=\"west\\nwhite\", shape=ellipse",
        "tooltip=\"centre to north\", dir=none",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let (_, text) = drawn(&map, &["--state", "--by-type"]);
    assert!(text.contains("label=\"COUNTRY\"") && !text.contains("layout"), "{text}");
    // The older definitions: couples and triples; what names no colour has one, the same for the same value.
    let folder = tempfile::tempdir().expect("a folder");
    let graph = |name: &str, definitions: &str| {
        let text = format!(
            "MACHINE {name} SETS N = {{a, b, c}} DEFINITIONS {definitions} VARIABLES r INVARIANT r : N <-> N
INITIALISATION r := {{a |-> b, b |-> c}} END"
        );
        drawn(&file(folder.path(), &format!("{name}.mch"), &text), &["--state", "--no-warnings"])
    };
    let (code, text) = graph(
        "Old",
        "CUSTOM_GRAPH_NODES1 == {n, w, k | n : N & w = \"box\" & k = \"red\"}; CUSTOM_GRAPH_NODES2 == {(a, 7)};
CUSTOM_GRAPH_EDGES == {x, l, y | x |-> y : r & l = \"blue\"}",
    );
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "n1 [label=\"b\", tooltip=\"b\\nred\", fillcolor=\"#ff0000\"",
        "n0 [label=\"a\", tooltip=\"a\\n7\", fillcolor=\"#d6e6fb\"",
        "n0 -> n1 [label=\"blue\", tooltip=\"blue: a to b\", color=\"#0000ff\"",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    // What is wrong with a definition is told with its place, and the state is drawn by type.
    for (name, definitions, part) in [
        ("Typed", "CUSTOM_GRAPH == rec(nodes: N, edges: 1 + TRUE)", "because of CUSTOM_GRAPH: "),
        ("Undefined", "CUSTOM_GRAPH_NODES == {(a, 1 / (card(r) - 2))}", "because of CUSTOM_GRAPH_NODES: "),
        ("Form", "CUSTOM_GRAPH == 3", "because of CUSTOM_GRAPH: is a record with `nodes` and `edges`"),
    ] {
        let (code, text) = graph(name, definitions);
        assert!(code == Some(3) && text.contains(part) && text.contains(&format!("{name}.mch:1:")), "{text}");
        assert!(text.contains("r: a to b") || text.contains("tooltip=\"r: a to b\""), "{text}");
    }
}

#[test]
fn a_drawing_follows_the_state() {
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pictures");
    let (code, text) =
        drawn(&pictures.join("cabin.mch"), &["--state", "door = open & called = {2}", "--visb"]);
    assert_eq!(code, Some(0), "{text}");
    for part in [
        "fill=\"palegreen\" height=\"75\" id=\"cabin\"",
        "id=\"door\" visibility=\"hidden\"",
        "cy=\"65\" fill=\"orange\" id=\"call2\"",
        "cy=\"155\" fill=\"white\" id=\"call1\"",
        "<text id=\"words\" x=\"150\" y=\"30\">floor 0</text></svg>",
        "fill=\"url(#wall)\"",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let (code, text) = drawn(&pictures.join("lights.mch"), &["--state", "green(east) = TRUE", "--visb"]);
    assert!(code == Some(0) && text.contains("fill=\"#2f9e44\" id=\"east_green\""), "{text}");
    assert!(
        text.contains("fill=\"#c92a2a\" id=\"north_red\"")
            && text.contains("id=\"east_cars\" x=\"212\" y=\"145\">1<"),
        "{text}"
    );
}

#[test]
fn what_is_wrong_with_a_drawing_names_the_file_the_item_and_the_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |definitions: &str| {
        format!(
            "MACHINE Box DEFINITIONS {definitions} VARIABLES n INVARIANT n : 0..9 INITIALISATION n := 0 END"
        )
    };
    let said = |definitions: &str| {
        let path = file(folder.path(), "Box.mch", text(definitions));
        drawn(&path, &["--state", "--visb", "--no-warnings"])
    };
    file(folder.path(), "box.svg", "<svg width=\"9\" height=\"9\"><rect id=\"a\"/></svg>");
    file(folder.path(), "no.svg", "<html></html>");
    file(
        folder.path(),
        "box.json",
        r#"{"svg": "box.svg", "items": [{"id": "a", "attr": "x", "value": "n + TRUE"}, {"id": "a", "attr": "y", "value": "1 / n"},
            {"id": "b", "attr": "x", "value": "n"}, {"id": "a", "attr": "onclick", "value": "n"}, {"for": {"from": 1, "to": 2}, "id": "a", "x%0": "%0"}]}"#,
    );
    let (code, text) = said("VISB_JSON_FILE == \"box.json\"");
    assert_eq!(code, Some(3), "{text}");
    for part in [
        "items[0] (id `a`, attribute `x`): `n + TRUE`: ",
        "items[1] (id `a`, attribute `y`): 1 / n: ",
        "box.svg: there is no element with the id `b`",
        "box.svg: `onclick` of `a` is no attribute that is set",
        "viewBox=\"0 0 9 9\"",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    for (definitions, exit, part) in [
        ("VISB_SVG_FILE == \"none.svg\"", 3, "none.svg: the file cannot be read"),
        ("VISB_SVG_FILE == \"no.svg\"", 2, "--visb: no.svg: it is no SVG, but begins with `html`"),
        ("X == 1", 2, "--visb: Box defines no drawing"),
        (
            "VISB_SVG_OBJECTS == rec(`id`: \"s\", svg_class: \"script\", text: \"x\")",
            3,
            "`script` with the id `s` is left out",
        ),
        (
            "VISB_JSON_FILE == \"\"; VISB_SVG_BOX == rec(width: 20 + n, height: 30)",
            0,
            "viewBox=\"0 0 20 30\"",
        ),
        ("VISB_SVG_UPDATES == 3", 3, "VISB_SVG_UPDATES: is a record or a set of records"),
    ] {
        let (code, text) = said(definitions);
        assert!(code == Some(exit) && text.contains(part), "{definitions}: {text}");
    }
    let box_ = folder.path().join("Box.mch");
    assert!(drawn(&box_, &["--visb"]).1.contains("--visb draws one state"));
    assert!(drawn(&box_, &["--state", "--visb", "-o", "x.dot"]).1.contains("--visb writes SVG"));
}

#[test]
fn a_signature_names_the_operations_that_are_enabled() {
    let folder = tempfile::tempdir().expect("a folder");
    let lift = file(folder.path(), "Lift.mch", LIFT);
    let (_, object) = view(&lift, &["--view", "signature"]);
    let nodes = object["graph"]["nodes"].as_array().expect("nodes");
    let enabled: Vec<Vec<&str>> = nodes
        .iter()
        .map(|n| n["enabled"].as_array().expect("names").iter().filter_map(Json::as_str).collect())
        .collect();
    assert!(enabled.contains(&vec!["up"]) && enabled.contains(&vec!["down", "up"]), "{enabled:?}");
    let (code, _) =
        drawn(&lift, &["--view", "signature", "-o", &folder.path().join("g.svg").display().to_string()]);
    assert_eq!(code, Some(0));
    let svg = std::fs::read_to_string(folder.path().join("g.svg")).expect("it was written");
    assert!(svg.contains(">down<") && svg.contains(">up<"), "{svg}");
    let (_, states) = view(&lift, &[]);
    assert!(states["graph"]["nodes"].as_array().expect("nodes").iter().all(|n| n["enabled"].is_null()));
}
