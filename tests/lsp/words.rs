//! Words and symbols: their meaning, colours, parameters, and formatting.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::client::*;

#[test]
fn symbols_of_the_language_are_explained() {
    let (_disk, path) = folder(&[("Door.mch", DOOR)]);
    let lift = uri(&path("Lift.mch"));
    let mut editor = Editor::new();
    editor.open(&lift, LIFT);
    let mut hover = |position: Json| {
        let said = editor.ask("textDocument/hover", at_place(&lift, position));
        said["contents"]["value"].as_str().unwrap_or("").to_string()
    };
    let interval = hover(at(LIFT, "0..9", ".."));
    assert!(interval.contains("integers from m to n") && interval.contains("`..` or `‥`"), "{interval}");
    assert!(interval.ends_with("Source: B-Book, 3.5"), "{interval}");
    assert!(hover(at(LIFT, "INVARIANT", "INVARIANT")).contains("each reachable state"));
    assert!(hover(at(LIFT, "THEN", ":=")).contains("B Language Reference Manual, 6.3"));
    let variable = hover(at(LIFT, "<= 9", "floor"));
    assert!(variable.ends_with("```b\nfloor : 0..9\n```"), "the predicate that types it: {variable}");
    assert_eq!(hover(json!({ "line": 5, "character": 0 })), "");
}

#[test]
fn names_and_words_are_coloured_by_what_they_are() {
    let text = "MACHINE M(n)\nSETS S = {a}\nCONSTANTS c PROPERTIES c : NAT /* 𝔹\n two */\nVARIABLES v INVARIANT v : S\n\
                INITIALISATION v := a\nOPERATIONS set(w) = PRE w : S THEN v := w END\nEND\n";
    let (_disk, path) = folder(&[]);
    let machine = uri(&path("M.mch"));
    let mut editor = Editor::new();
    let capabilities = editor.response("initialize", json!({ "capabilities": {} }));
    assert!(capabilities["error"].is_object(), "it is only asked once: {capabilities}");
    editor.open(&machine, text);
    let decode = |data: &Json| {
        let numbers: Vec<usize> =
            data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let (mut line, mut column) = (0, 0);
        let mut found = vec![];
        for token in numbers.chunks(5) {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            let units: Vec<u16> = text.lines().nth(line).unwrap().encode_utf16().collect();
            let word = String::from_utf16(&units[column..column + token[2]]).unwrap();
            found.push((word, token[3], token[4]));
        }
        found
    };
    let all = editor.ask("textDocument/semanticTokens/full", document(&machine));
    let found = decode(&all["data"]);
    let has = |word: &str, of: usize, modifiers: usize| {
        assert!(found.contains(&(word.into(), of, modifiers)), "{word}: {found:?}");
    };
    has("M", 0, 1);
    has("n", 4, 3);
    has("S", 1, 1);
    has("S", 1, 0);
    has("a", 2, 2);
    has("c", 3, 3);
    has("v", 3, 1);
    has("v", 3, 4);
    has("w", 4, 0);
    has("set", 5, 1);
    has("INVARIANT", 7, 0);
    has(":=", 8, 0);
    has("/* 𝔹", 11, 0);
    has(" two */", 11, 0);
    let mut part = document(&machine);
    part["range"] = range((1, 0), (1, 12));
    let found = decode(&editor.ask("textDocument/semanticTokens/range", part)["data"]);
    assert_eq!(found[0].0, "SETS");
    assert_eq!(found.last().unwrap().0, "a");
}

#[test]
fn after_a_keystroke_only_what_has_changed_of_the_colours_is_sent() {
    let text = "MACHINE M\nVARIABLES v, w\nINVARIANT v : NAT & w : NAT\nINITIALISATION v, w := 0, 0\nEND\n";
    let machine = uri(Path::new("/tmp/M.mch"));
    let mut editor = Editor::new();
    editor.open(&machine, text);
    let numbers = |json: &Json| -> Vec<u64> {
        json.as_array().unwrap_or(&vec![]).iter().map(|n| n.as_u64().unwrap()).collect()
    };
    let first = editor.ask("textDocument/semanticTokens/full", document(&machine));
    let mut known = numbers(&first["data"]);
    let mut id = first["resultId"].clone();
    let changed =
        ["v : NAT1 & w : NAT", "v : NAT1", "v : NAT1", "/* none */ v : 0..1 & w : NAT", "w = 1 or v = 0", ""];
    for (version, invariant) in changed.iter().enumerate() {
        editor.change(
            &machine,
            version as i32 + 2,
            json!({ "text": text.replace("v : NAT & w : NAT", invariant) }),
        );
        let mut since = document(&machine);
        since["previousResultId"] = id.clone();
        let said = editor.ask("textDocument/semanticTokens/full/delta", since.clone());
        for edit in said["edits"].as_array().unwrap().iter().rev() {
            let start = edit["start"].as_u64().unwrap() as usize;
            let end = start + edit["deleteCount"].as_u64().unwrap() as usize;
            known.splice(start..end, numbers(&edit["data"]));
        }
        // The same number again is no longer the last one: everything is sent.
        let whole = editor.ask("textDocument/semanticTokens/full/delta", since);
        assert_eq!(known, numbers(&whole["data"]), "{invariant}: {said}");
        assert!(said["edits"].to_string().len() < whole["data"].to_string().len(), "{invariant}: {said}");
        id = whole["resultId"].clone();
    }
}

#[test]
fn a_call_shows_its_parameters() {
    let text = "MACHINE M\nDEFINITIONS sum(left, right) == left + right\nVARIABLES v\nINVARIANT v : NAT\nINITIALISATION v := 0\n\
                OPERATIONS\n  set(low, high) = PRE low : NAT & high : NAT THEN v := sum({1,2}(low), ";
    let (_disk, path) = folder(&[("Door.mch", DOOR)]);
    let machine = uri(&path("M.mch"));
    let mut editor = Editor::new();
    editor.open(&machine, text);
    let mut help = |text: &str, version: i32| {
        editor.change(&machine, version, json!({ "text": text }));
        let line = text.matches('\n').count();
        let column = text.len() - text.rfind('\n').unwrap() - 1;
        editor.ask(
            "textDocument/signatureHelp",
            at_place(&machine, json!({ "line": line, "character": column })),
        )
    };
    let said = help(text, 2);
    let signature = &said["signatures"][0];
    assert_eq!(signature["label"], "sum(left, right) == left + right", "{said}");
    assert_eq!(
        (&signature["activeParameter"], &signature["parameters"][1]["label"]),
        (&json!(1), &json!("right"))
    );
    let called = text.replace("v := sum({1,2}(low), ", "set(");
    let said = help(&called, 3);
    assert_eq!(said["signatures"][0]["label"], "set(low, high)", "{said}");
    assert_eq!(said["signatures"][0]["activeParameter"], 0);
    let said = help(&text.replace("sum({1,2}(low), ", "iterate({1 |-> 2}, "), 4);
    assert_eq!(said["signatures"][0]["label"], "iterate(r, n)", "{said}");
    assert!(said["signatures"][0]["documentation"]["value"].as_str().unwrap().contains("Source: B-Book"));
    assert_eq!(help(&text.replace("sum({1,2}(low), ", "(1"), 5), Json::Null);
}

#[test]
fn formatting_changes_blanks_alone() {
    let (_disk, path) = folder(&[]);
    let machine = uri(&path("Door.mch"));
    let mut editor = Editor::new();
    let messy = "MACHINE Door  \nVARIABLES\nopen /* 𝔹 */ \n\n\n\nINVARIANT\n   open : BOOL\nINITIALISATION open := TRUE\nOPERATIONS\n\
                 shut =\n  SELECT open = TRUE THEN // now\nopen := FALSE\nEND\nEND\n";
    editor.open(&machine, messy);
    let mut parameters = document(&machine);
    parameters["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor.ask("textDocument/formatting", parameters.clone());
    let tidy = "MACHINE Door\nVARIABLES\n  open /* 𝔹 */\n\nINVARIANT\n  open : BOOL\nINITIALISATION open := TRUE\nOPERATIONS\n  \
                shut =\n    SELECT open = TRUE THEN // now\n      open := FALSE\n    END\nEND\n";
    assert_eq!(edited(messy, &edits), tidy);
    parameters["range"] = range((12, 0), (12, 3));
    let edits = editor.ask("textDocument/rangeFormatting", parameters.clone());
    assert_eq!(edits.as_array().unwrap().len(), 1, "{edits}");
    editor.change(&machine, 2, json!({ "text": tidy }));
    assert_eq!(editor.ask("textDocument/formatting", parameters.clone()), json!([]));
    // An unclosed comment may be in the middle of being typed.
    editor.change(&machine, 3, json!({ "text": "MACHINE M /*\n x" }));
    assert_eq!(editor.ask("textDocument/formatting", parameters), json!([]));
}
