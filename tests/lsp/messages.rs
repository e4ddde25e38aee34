//! Messages while typing, their corrections, and requests that are refused.

use std::io::Write;

use serde_json::{Value as Json, json};

use crate::client::*;

#[test]
fn a_mistake_comes_and_goes_with_the_typing() {
    let (_folder, path) = folder(&[]);
    let door = uri(&path("Door.mch"));
    let mut editor = Editor::new();
    // The mistake stands behind characters of two and of one unit of UTF-16.
    let text = "/* 𝔹 */ MACHINE Door /* é */ VARIABLES open INVARIANT open : BOOL\nINITIALISATION /* 𝔹é */ open := 3\nEND\n";
    editor.open(&door, text);
    let said = editor.diagnostics(&door);
    let mistake = said.iter().find(|d| d["severity"] == 1).expect("an error");
    assert_eq!(mistake["range"], range((1, 33), (1, 34)), "{said:#?}");
    assert_eq!((&mistake["code"], &mistake["source"]), (&json!("B0203"), &json!("bsym")));
    let related = &mistake["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], door.as_str(), "{mistake:#}");
    editor.change(&door, 2, json!({ "range": range((1, 33), (1, 34)), "text": "TRUE" }));
    let said = editor.diagnostics(&door);
    assert!(said.iter().all(|d| d["severity"] != 1), "{said:#?}");
    editor.change(&door, 3, json!({ "text": DOOR }));
    assert_eq!(editor.diagnostics(&door), Vec::<Json>::new());
    // Half of a machine at every letter: the last word counts, and nothing ends the server.
    let mut version = 3;
    for (end, _) in DOOR.char_indices().filter(|(at, _)| at % 7 == 0) {
        version += 1;
        editor.change(&door, version, json!({ "text": &DOOR[..end] }));
    }
    editor.change(&door, version + 1, json!({ "text": "MACHINE Door END" }));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": door } }));
    assert_eq!(editor.ask("shutdown", Json::Null), Json::Null);
    editor.tell("exit", Json::Null);
    assert_eq!(editor.leave().code(), Some(0));
}

#[test]
fn an_unsaved_machine_counts_instead_of_its_file() {
    let lift = "MACHINE Lift INCLUDES Door\nOPERATIONS go = PRE open = FALSE THEN unlock END\nEND\n";
    let (disk, path) = folder(&[("Door.mch", DOOR), ("Lift.mch", lift)]);
    let (door, lift_uri) = (uri(&path("Door.mch")), uri(&path("Lift.mch")));
    let mut editor = Editor::new();
    editor.open(&lift_uri, lift);
    assert_eq!(editor.diagnostics(&lift_uri), Vec::<Json>::new());
    editor.open(&door, &DOOR.replace("open", "ajar"));
    assert_eq!(editor.diagnostics(&door), Vec::<Json>::new());
    let said = editor.diagnostics(&lift_uri);
    assert!(said[0]["message"].as_str().unwrap().contains("`open`"), "{said:#?}");
    // A keystroke in one changes the diagnostics of the other.
    editor.change(&door, 2, json!({ "text": DOOR }));
    assert_eq!(editor.diagnostics(&lift_uri), Vec::<Json>::new());
    // Mistakes of a file that is not open are shown there, and go when they are corrected.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": door } }));
    crate::common::file(disk.path(), "Door.mch", DOOR.replace("BOOL", "BOO"));
    editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": lift_uri } }));
    editor.until(&door, |said| !said.is_empty());
    crate::common::file(disk.path(), "Door.mch", DOOR);
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    editor.until(&door, <[Json]>::is_empty);
}

#[test]
fn definitions_and_new_texts_are_no_machines_on_disk() {
    let (_folder, path) = folder(&[]);
    let definitions = uri(&path("more.def"));
    let mut editor = Editor::new();
    editor.open(&definitions, "DEFINITIONS\n  twice(x) == 2 * ;\n");
    let said = editor.diagnostics(&definitions);
    assert_eq!(said.iter().map(|d| d["code"].clone()).collect::<Vec<_>>(), ["B0011"], "{said:#?}");
    editor.change(&definitions, 2, json!({ "text": "DEFINITIONS\n  twice(x) == 2 * x\n" }));
    assert_eq!(editor.diagnostics(&definitions), Vec::<Json>::new());
    editor.open("untitled:Untitled-1", DOOR);
    assert_eq!(editor.diagnostics("untitled:Untitled-1"), Vec::<Json>::new());
}

#[test]
fn what_is_not_known_is_refused_and_the_server_goes_on() {
    let mut editor = Editor::silent();
    assert_eq!(editor.response("textDocument/hover", json!({}))["error"]["code"], -32002);
    editor.ask("initialize", json!({ "capabilities": {} }));
    // An editor may say anything before `initialized`.
    editor.tell("$/setTrace", json!({ "value": "off" }));
    editor.tell("initialized", json!({}));
    assert_eq!(editor.response("no/such", json!({}))["error"]["code"], -32601);
    editor.tell("no/such", json!([1, 2]));
    editor.tell("textDocument/didOpen", json!({ "textDocument": 3 }));
    editor
        .tell("textDocument/didChange", json!({ "textDocument": { "uri": "file:///n.mch", "version": 1 } }));
    editor.open("file:///n.mch", "\u{0}\u{1}");
    assert!(!editor.diagnostics("file:///n.mch").is_empty());
    editor.ask("shutdown", Json::Null);
    assert_eq!(editor.response("shutdown", Json::Null)["error"]["code"], -32600);
    assert_eq!(editor.leave().code(), Some(0), "the pipe may close instead of `exit`");
}

#[test]
fn the_server_ends_with_its_editor() {
    assert_eq!(Editor::new().leave().code(), Some(1), "without `shutdown`");
    assert!(Editor::silent().leave().code().is_some());
    for garbage in ["hello\r\n\r\n", "Content-Length: 3\r\n\r\n{\"a", "Content-Length: x\r\n\r\n{}"] {
        let mut editor = Editor::silent();
        editor.input.as_mut().unwrap().write_all(garbage.as_bytes()).unwrap();
        assert_eq!(editor.leave().code(), Some(2), "{garbage:?}");
    }
}

#[test]
fn what_was_meant_is_one_keystroke_away() {
    let (_disk, path) = folder(&[("Door.mch", DOOR)]);
    let machine = uri(&path("M.mch"));
    let mut editor = Editor::new();
    editor.open(&machine, "");
    let mut version = 1;
    let mut corrected = |text: &str, word: &str| {
        version += 1;
        editor.change(&machine, version, json!({ "text": text }));
        let place = at(text, word, word);
        let mut parameters = document(&machine);
        parameters["range"] = json!({ "start": place, "end": place });
        parameters["context"] = json!({ "diagnostics": [] });
        let actions = editor.ask("textDocument/codeAction", parameters);
        assert_eq!(actions.as_array().map(Vec::len), Some(1), "{text}: {actions:#}");
        assert_eq!(actions[0]["kind"], "quickfix");
        let text = edited(text, &actions[0]["edit"]["changes"][&machine]);
        (actions[0]["title"].as_str().unwrap().to_string(), text)
    };
    let machine_with = |body: &str| {
        format!(
            "MACHINE M\nVARIABLES floor\nINVARIANT floor : INTEGER\nINITIALISATION floor := 0\nOPERATIONS\n  go = {body}\nEND\n"
        )
    };
    let check = |(title, text): (String, String), expected: &str| {
        assert!(text.contains(expected), "{title}: {text}");
        title
    };
    let title = check(corrected(&machine_with("floor := flor"), "flor\n"), "floor := floor\n");
    assert_eq!(title, "Replace `flor` by `floor`");
    check(corrected(&machine_with("PRE floor != 1 THEN skip END"), "!="), "floor /= 1");
    check(corrected(&machine_with("floor := 5%3"), "%"), "floor := 5 mod 3");
    check(corrected(&machine_with("floor = 3"), "= 3"), "floor := 3");
    check(corrected(&machine_with("PRE floor = 1 THEM skip END"), "THEM"), "THEN skip");
    check(corrected(&machine_with("PRE floor = 1 then skip END"), "then"), "THEN skip");
    check(
        corrected(&machine_with("skip").replace("VARIABLES", "INCLUDES Dor VARIABLES"), "Dor"),
        "INCLUDES Door ",
    );
    let promoted = machine_with("skip").replace("VARIABLES", "INCLUDES Door PROMOTES unlok VARIABLES");
    check(corrected(&promoted, "unlok"), "PROMOTES unlock");
    check(corrected(&machine_with("skip").replace("MACHINE M", "MACHINE N"), "N\n"), "MACHINE M\n");
}
