//! Components of Rodin, and Event-B as text.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::client::*;

const CONTEXT: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<org.eventb.core.contextFile org.eventb.core.configuration="org.eventb.core.fwd" version="3">
<org.eventb.core.constant name="a" org.eventb.core.identifier="limit"/>
<org.eventb.core.axiom name="b" org.eventb.core.label="axm1" org.eventb.core.predicate="limit = 3"/>
</org.eventb.core.contextFile>
"#;

const COMPONENT: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<org.eventb.core.machineFile org.eventb.core.configuration="org.eventb.core.fwd" version="5">
<org.eventb.core.seesContext name="a" org.eventb.core.target="C"/>
<org.eventb.core.variable name="b" org.eventb.core.identifier="n"/>
<org.eventb.core.invariant name="c" org.eventb.core.label="inv1" org.eventb.core.predicate="n ∈ 0‥limit"/>
<org.eventb.core.event name="d" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="INITIALISATION">
<org.eventb.core.action name="e" org.eventb.core.assignment="n ≔ 0" org.eventb.core.label="act1"/>
</org.eventb.core.event>
<org.eventb.core.event name="f" org.eventb.core.convergence="0" org.eventb.core.extended="false" org.eventb.core.label="up">
<org.eventb.core.parameter name="g" org.eventb.core.identifier="by"/>
<org.eventb.core.guard name="h" org.eventb.core.label="grd1" org.eventb.core.predicate="by ∈ 1‥1 ∧ n + by &lt; limit + 1"/>
<org.eventb.core.action name="i" org.eventb.core.assignment="n ≔ n + by" org.eventb.core.label="act1"/>
</org.eventb.core.event>
</org.eventb.core.machineFile>
"#;

#[test]
fn components_of_rodin_are_read_as_they_are_typed() {
    let (_disk, path) = folder(&[("C.buc", CONTEXT), ("M.bum", COMPONENT)]);
    let (context, machine) = (uri(&path("C.buc")), uri(&path("M.bum")));
    let mut editor = with_lenses(json!({}));
    editor.open(&machine, COMPONENT);
    assert_eq!(editor.diagnostics(&machine), Vec::<Json>::new());
    // A mistake stands at its place in the attribute, behind an entity as well.
    let wrong = COMPONENT.replace("limit + 1", "limid + 1");
    editor.change(&machine, 2, json!({ "text": wrong }));
    let said = editor.diagnostics(&machine);
    assert_eq!(said[0]["range"]["start"], at_units(&wrong, "&lt;", "limid"), "{said:#?}");
    let mut parameters = document(&machine);
    parameters["range"] = said[0]["range"].clone();
    parameters["context"] = json!({ "diagnostics": [] });
    let actions = editor.ask("textDocument/codeAction", parameters);
    assert_eq!(actions[0]["edit"]["changes"][&machine][0]["newText"], "limit", "{actions}");
    // An unsaved context counts.
    editor.change(&machine, 3, json!({ "text": COMPONENT }));
    assert_eq!(editor.diagnostics(&machine), Vec::<Json>::new());
    editor.open(&context, &CONTEXT.replace("limit", "bound"));
    editor.until(&machine, |said| said.iter().any(|d| d["code"] == "B0301"));
    editor.change(&context, 2, json!({ "text": CONTEXT }));
    editor.until(&machine, <[Json]>::is_empty);
    // Names.
    let hover = editor.ask("textDocument/hover", at_place(&machine, at_units(COMPONENT, "&lt;", "limit")));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("constant of `C.buc`"), "{hover}");
    let found =
        editor.ask("textDocument/definition", at_place(&machine, at_units(COMPONENT, "&lt;", "limit")));
    assert_eq!(
        (&found["uri"], &found["range"]["start"]),
        (&json!(context), &at_units(CONTEXT, "limit", "limit"))
    );
    let place = at_place(&machine, at_units(COMPONENT, "n ≔ n + by", "n"));
    let marked = editor.ask("textDocument/documentHighlight", place.clone());
    assert_eq!(marked.as_array().unwrap().len(), 6, "{marked}");
    let mut renamed = at_place(&machine, at_units(COMPONENT, "&lt;", "limit"));
    renamed["newName"] = json!("bound");
    let edit = editor.ask("textDocument/rename", renamed);
    assert_eq!(edited(CONTEXT, &edit["changes"][&context]), CONTEXT.replace("limit", "bound"));
    assert_eq!(edited(COMPONENT, &edit["changes"][&machine]), COMPONENT.replace("limit", "bound"));
    let symbols = editor.ask("textDocument/documentSymbol", document(&machine));
    let names: Vec<&Json> = symbols[0]["children"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["n", "inv1", "INITIALISATION", "up"]);
    let mut completion = at_place(&machine, at_units(COMPONENT, "n ≔ n + by", "by"));
    completion["context"] = json!({ "triggerKind": 1 });
    let items = editor.ask("textDocument/completion", completion);
    let labels: Vec<&str> = items.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"by") && labels.contains(&"limit") && !labels.contains(&"PRE"), "{labels:?}");
    // Formatting would change the files of Rodin, which are not for people to read.
    let mut formatting = document(&machine);
    formatting["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    assert_eq!(editor.ask("textDocument/formatting", formatting), Json::Null);
    // Verdicts.
    let titles = settled(&mut editor, &machine);
    assert!(titles[0].starts_with("✓ holds"), "{titles:?}");
    assert_eq!(titles.len(), 3);
    // Half of a file is no XML, and has no names.
    editor.change(&machine, 9, json!({ "text": &COMPONENT[..400] }));
    let said = editor.diagnostics(&machine);
    assert_eq!(said[0]["code"], "B0062", "{said:#?}");
    editor.ask("textDocument/documentSymbol", document(&machine));
    editor.ask("textDocument/semanticTokens/full", document(&machine));
}

const SIZES: &str = "context Sizes // one constant\nconstants limit\naxioms @axm1 limit = 3\nend\n";
const DOOR_OF_TEXT: &str = "machine Door sees Sizes\nvariables n\ninvariants\n  @inv1 n ∈ 0‥limit\nevents\n  \
    event INITIALISATION then @act1 n ≔ 0 end\n  event up any by where\n    @grd1 by ∈ 1‥1 ∧ n + by < limit + 1\n  \
    then\n    @act1 n ≔ n + by\n  end\nend\n";

#[test]
fn event_b_as_text_is_read_as_it_is_typed() {
    let (_disk, path) = folder(&[("Sizes.bucx", SIZES), ("Door.eventb", DOOR_OF_TEXT)]);
    let (context, machine) = (uri(&path("Sizes.bucx")), uri(&path("Door.eventb")));
    let mut editor = with_lenses(json!({}));
    editor.open(&machine, DOOR_OF_TEXT);
    assert_eq!(editor.diagnostics(&machine), Vec::<Json>::new());
    let wrong = DOOR_OF_TEXT.replace("limit + 1", "limid + 1");
    editor.change(&machine, 2, json!({ "text": wrong }));
    let said = editor.diagnostics(&machine);
    assert_eq!(said[0]["range"]["start"], at_units(&wrong, "<", "limid"), "{said:#?}");
    // Half of a text has its place, too, and keeps its names.
    let half = DOOR_OF_TEXT.replace("  then\n    @act1 n ≔ n + by\n  end\nend\n", "");
    editor.change(&machine, 3, json!({ "text": half }));
    let said = editor.diagnostics(&machine);
    assert!(said.iter().any(|d| d["code"] == "B0010"), "{said:#?}");
    editor.ask("textDocument/documentSymbol", document(&machine));
    editor.change(&machine, 4, json!({ "text": DOOR_OF_TEXT }));
    editor.until(&machine, <[Json]>::is_empty);
    // An unsaved context counts.
    editor.open(&context, &SIZES.replace("limit", "bound"));
    editor.until(&machine, |said| said.iter().any(|d| d["code"] == "B0301"));
    editor.change(&context, 2, json!({ "text": SIZES }));
    editor.until(&machine, <[Json]>::is_empty);
    // Names.
    let place = at_place(&machine, at_units(DOOR_OF_TEXT, "<", "limit"));
    let hover = editor.ask("textDocument/hover", place.clone());
    let hover = hover["contents"]["value"].as_str().expect("a text").to_string();
    assert!(hover.contains("limit : ") && hover.contains("constant of `Sizes.bucx`"), "{hover}");
    let found = editor.ask("textDocument/definition", place.clone());
    let home = (&json!(context), &at_units(SIZES, "constants", "limit"));
    assert_eq!((&found["uri"], &found["range"]["start"]), home);
    let mut renamed = place;
    renamed["newName"] = json!("bound");
    let edit = editor.ask("textDocument/rename", renamed);
    assert_eq!(edited(SIZES, &edit["changes"][&context]), SIZES.replace("limit", "bound"));
    assert_eq!(edited(DOOR_OF_TEXT, &edit["changes"][&machine]), DOOR_OF_TEXT.replace("limit", "bound"));
    let symbols = editor.ask("textDocument/documentSymbol", document(&machine));
    let names: Vec<&Json> = symbols[0]["children"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["n", "inv1", "INITIALISATION", "up"]);
    // Keywords, labels and comments have colours.
    editor.open(&context, SIZES);
    let tokens = editor.ask("textDocument/semanticTokens/full", document(&context));
    let kinds: Vec<u64> =
        tokens["data"].as_array().unwrap().chunks(5).map(|token| token[3].as_u64().unwrap()).collect();
    // context, Sizes, comment, constants, limit, axioms, label, limit, end
    assert_eq!(kinds, [7, 0, 11, 7, 3, 7, 6, 3, 7], "{tokens}");
    // Verdicts.
    let titles = settled(&mut editor, &machine);
    assert!(titles[0].starts_with("✓ holds") && titles.len() == 3, "{titles:?}");
}

#[test]
fn event_b_as_text_is_formatted() {
    let (_disk, path) = folder(&[]);
    let mut editor = with_lenses(json!({}));
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("language/tests/eventb/Text");
    for name in ["tanks.eventb", "Tank0.bumx", "Valve.bucx"] {
        let tidy = std::fs::read_to_string(texts.join(name)).expect("it is in the repository");
        let machine = uri(&path(name));
        editor.open(&machine, &tidy);
        let mut parameters = document(&machine);
        parameters["options"] = json!({ "tabSize": 2, "insertSpaces": true });
        assert_eq!(editor.ask("textDocument/formatting", parameters.clone()), json!([]), "{name}");
        let moved: Vec<String> = tidy.lines().map(|line| format!("   {line}  ")).collect();
        let moved = moved.join("\n") + "\n";
        editor.change(&machine, 2, json!({ "text": moved }));
        let edits = editor.ask("textDocument/formatting", parameters);
        assert_eq!(edited(&moved, &edits), tidy, "{name}");
    }
    let tidy = std::fs::read_to_string(texts.join("tanks.eventb")).expect("it is in the repository");
    let flat: Vec<&str> = tidy.lines().map(str::trim_start).collect();
    let flat = flat.join("\n") + "\n";
    let machine = uri(&path("Flat.eventb"));
    editor.open(&machine, &flat);
    let mut parameters = document(&machine);
    parameters["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.ask("textDocument/formatting", parameters);
    assert_eq!(edited(&flat, &edits), tidy);
}
