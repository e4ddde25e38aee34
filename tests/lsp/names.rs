//! Names across machines: hover, definition, rename, highlights, symbols.

use serde_json::{Value as Json, json};

use crate::client::*;

#[test]
fn names_are_known_across_machines() {
    let (_disk, path) = folder(&[("Door.mch", DOOR), ("Lift.mch", LIFT)]);
    let (door, lift) = (uri(&path("Door.mch")), uri(&path("Lift.mch")));
    let mut editor = Editor::new();
    editor.open(&lift, LIFT);
    let place = |position: Json| json!({ "textDocument": { "uri": lift }, "position": position });
    let hover = |editor: &mut Editor, position: Json| {
        editor.ask("textDocument/hover", place(position))["contents"]["value"]
            .as_str()
            .unwrap_or("")
            .to_string()
    };
    assert!(
        hover(&mut editor, at(LIFT, "<= 9", "floor")).starts_with("```b\nfloor : INTEGER\n```\nvariable")
    );
    assert!(hover(&mut editor, at(LIFT, "PRE", "open")).contains("open : BOOL"));
    assert!(hover(&mut editor, at(LIFT, "PRE", "by")).contains("by : INTEGER\n```\nlocal name"));
    assert!(hover(&mut editor, at(LIFT, "go", "go")).contains("go(by : INTEGER)"));
    assert_eq!(hover(&mut editor, json!({ "line": 99, "character": 99 })), "");
    let found = editor.ask("textDocument/definition", place(at(LIFT, "PRE", "open")));
    assert_eq!(found, json!({ "uri": door, "range": range((1, 10), (1, 14)) }));
    let found = editor.ask("textDocument/definition", place(at(LIFT, "Door", "Door")));
    assert_eq!(found["range"], range((0, 8), (0, 12)), "{found}");
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": lift } }));
    let inside: Vec<&Json> = symbols[0]["children"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!((&symbols[0]["name"], inside), (&json!("Lift"), vec![&json!("floor"), &json!("go")]));
    let folds = editor.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": lift } }));
    assert_eq!(folds[0]["startLine"], 4, "{folds}");
    // Half-typed text has names as well.
    let typed = "MACHINE Lift INCLUDES Door\nVARIABLES floor\nINVARIANT floor : 0..9\nOPERATIONS\n  go(by) = PRE by : ";
    editor.change(&lift, 2, json!({ "text": typed }));
    let items = editor.ask("textDocument/completion", place(json!({ "line": 4, "character": 20 })));
    let labels: Vec<&str> = items.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap()).collect();
    for label in ["by", "floor", "open", "unlock", "INVARIANT", "NATURAL", "card", "closure1"] {
        assert!(labels.contains(&label), "{label}: {labels:?}");
    }
}

#[test]
fn a_name_is_renamed_wherever_it_is_used() {
    let refinement = "REFINEMENT Door_r REFINES Door\nVARIABLES open\nINITIALISATION open := TRUE\nOPERATIONS\n  \
                      shut = SELECT open = TRUE THEN open := FALSE END;\n  unlock = open := TRUE\nEND\n";
    let (_disk, path) = folder(&[("Door.mch", DOOR), ("Lift.mch", LIFT), ("Door_r.ref", refinement)]);
    let (door, lift, refined) = (uri(&path("Door.mch")), uri(&path("Lift.mch")), uri(&path("Door_r.ref")));
    let mut editor = Editor::new();
    editor.open(&lift, LIFT);
    let place = |position: Json| json!({ "textDocument": { "uri": lift }, "position": position });
    let with = |position: Json, key: &str, value: Json| {
        let mut parameters = place(position);
        parameters[key] = value;
        parameters
    };
    let open = || at(LIFT, "PRE", "open");
    let uses = |editor: &mut Editor, declared: bool| {
        let found = editor.ask(
            "textDocument/references",
            with(open(), "context", json!({ "includeDeclaration": declared })),
        );
        found.as_array().unwrap().len()
    };
    assert_eq!((uses(&mut editor, true), uses(&mut editor, false)), (12, 10));
    let edit = editor.ask("textDocument/rename", with(open(), "newName", json!("ajar")));
    let count = |uri: &str| edit["changes"][uri].as_array().map_or(0, Vec::len);
    assert_eq!((count(&door), count(&lift), count(&refined)), (6, 1, 5), "{edit:#}");
    let refused = |editor: &mut Editor, position: Json, new: &str| {
        let response = editor.response("textDocument/rename", with(position, "newName", json!(new)));
        response["error"]["message"].as_str().unwrap_or_else(|| panic!("{new}: {response}")).to_string()
    };
    for no_name in ["", "BEGIN", "a b", "1x", "x.y", "card"] {
        assert!(refused(&mut editor, open(), no_name).contains("no name of B"), "{no_name}");
    }
    for taken in ["floor", "unlock", "by"] {
        assert!(refused(&mut editor, open(), taken).contains("is taken"), "{taken}");
    }
    assert!(refused(&mut editor, at(LIFT, "PRE", "by"), "open").contains("is taken"));
    assert!(refused(&mut editor, at(LIFT, "Door", "Door"), "Gate").contains("name of its file"));
    let edit = editor.ask("textDocument/rename", with(at(LIFT, "PRE", "by"), "newName", json!("step")));
    assert_eq!(edit["changes"][&lift].as_array().unwrap().len(), 4);
}

#[test]
fn uses_of_a_name_are_marked_with_what_they_do() {
    let (_disk, path) = folder(&[]);
    let door = uri(&path("Door.mch"));
    let mut editor = Editor::new();
    editor.open(&door, DOOR);
    let marked = editor.ask("textDocument/documentHighlight", at_place(&door, at(DOOR, "TRUE THEN", "open")));
    let kinds: Vec<u64> = marked.as_array().unwrap().iter().map(|m| m["kind"].as_u64().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == 3).count(), 3, "assignments: {marked}");
    assert_eq!(kinds.len(), 6);
    let nothing = at_place(&door, at(DOOR, "INVARIANT", "INVARIANT"));
    assert_eq!(editor.ask("textDocument/documentHighlight", nothing), Json::Null);
}

#[test]
fn declarations_of_the_whole_workspace_are_found() {
    let (disk, path) = folder(&[("Door.mch", DOOR)]);
    for (name, text) in [("sub", LIFT), ("node_modules", DOOR)] {
        std::fs::create_dir(disk.path().join(name)).unwrap();
        crate::common::file(&disk.path().join(name), "Lift.mch", text);
    }
    let mut editor = Editor::silent();
    let folders = json!([{ "uri": uri(&path("")), "name": "w" }]);
    editor.ask("initialize", json!({ "capabilities": {}, "workspaceFolders": folders }));
    editor.tell("initialized", json!({}));
    let names = |found: &Json| -> Vec<String> {
        let name = |s: &Json| s["name"].as_str().unwrap().to_string();
        found.as_array().unwrap().iter().map(name).collect()
    };
    let found = editor.ask("workspace/symbol", json!({ "query": "lift" }));
    assert_eq!(names(&found), ["Lift"], "{found}");
    assert_eq!(found[0]["location"]["uri"], uri(&path("sub/Lift.mch")).as_str());
    let found = editor.ask("workspace/symbol", json!({ "query": "ULK" }));
    assert_eq!((names(&found), &found[0]["containerName"]), (vec!["unlock".to_string()], &json!("Door")));
    // The open text counts, not the file.
    editor.open(&uri(&path("Door.mch")), &DOOR.replace("unlock", "release"));
    let found = editor.ask("workspace/symbol", json!({ "query": "unlock" }));
    assert_eq!(names(&found), Vec::<String>::new());
    let found = editor.ask("workspace/symbol", json!({ "query": "rel" }));
    assert_eq!(names(&found), ["release"]);
}
