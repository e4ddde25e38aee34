//! `bsym lsp` as an editor meets it: the program itself, over its standard input and output.

mod common;

use bsym_testing::process::Running;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::bsym;
use serde_json::{Value as Json, json};

/// A small editor.
struct Editor {
    server: Running,
    input: Option<ChildStdin>,
    messages: Receiver<Json>,
    /// Messages that came while another one was awaited.
    early: Vec<Json>,
    requests: u64,
}

impl Editor {
    /// Starts the server without sending anything.
    fn silent() -> Editor {
        let mut command = bsym();
        command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("it starts");
        let (sender, messages) = channel();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                let _ = sender.send(message);
            }
        });
        let input = server.stdin.take();
        Editor { server, input, messages, early: vec![], requests: 0 }
    }

    fn new() -> Editor {
        let mut editor = Editor::silent();
        let result =
            editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(result["serverInfo"]["name"], "bsym", "{result}");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Json) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("it is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| input.flush()).unwrap();
    }

    fn tell(&mut self, method: &str, parameters: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// The first message that fits.
    fn wait(&mut self, fits: impl Fn(&Json) -> bool) -> Json {
        if let Some(at) = self.early.iter().position(&fits) {
            return self.early.remove(at);
        }
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("the server says it");
            if fits(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    /// The whole response to a request.
    fn response(&mut self, method: &str, parameters: Json) -> Json {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        self.wait(|m| m["id"] == id && m.get("method").is_none())
    }

    fn ask(&mut self, method: &str, parameters: Json) -> Json {
        let response = self.response(method, parameters);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "b", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, version: i32, change: Json) {
        let document = json!({ "uri": uri, "version": version });
        let parameters = json!({ "textDocument": document, "contentChanges": [change] });
        self.tell("textDocument/didChange", parameters);
    }

    /// The next messages about a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<Json> {
        let said = self
            .wait(|m| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri)["params"]
            ["diagnostics"]
            .take();
        said.as_array().expect("a list").clone()
    }

    /// Waits until the diagnostics of a file are as expected.
    fn until(&mut self, uri: &str, fits: impl Fn(&[Json]) -> bool) {
        while !fits(&self.diagnostics(uri)) {}
    }

    /// Closes the pipe and waits for the end.
    fn leave(mut self) -> ExitStatus {
        self.input = None;
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = self.server.try_wait().unwrap() {
                let mut said = String::new();
                self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                assert!(!said.contains("bsym failed"), "{said}");
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server goes on without an editor");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, impl Fn(&str) -> PathBuf + use<>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        common::file(folder.path(), name, text);
    }
    let path = folder.path().canonicalize().unwrap();
    (folder, move |name: &str| path.join(name))
}

fn range(from: (u32, u32), to: (u32, u32)) -> Json {
    let place = |p: (u32, u32)| json!({ "line": p.0, "character": p.1 });
    json!({ "start": place(from), "end": place(to) })
}

const DOOR: &str = "MACHINE Door\nVARIABLES open\nINVARIANT open : BOOL\nINITIALISATION open := TRUE\n\
                    OPERATIONS\n  shut = SELECT open = TRUE THEN open := FALSE END;\n  unlock = open := TRUE\nEND\n";

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
    common::file(disk.path(), "Door.mch", DOOR.replace("BOOL", "BOO"));
    editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": lift_uri } }));
    editor.until(&door, |said| !said.is_empty());
    common::file(disk.path(), "Door.mch", DOOR);
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

const LIFT: &str = "MACHINE Lift INCLUDES Door\nVARIABLES floor\nINVARIANT floor : 0..9\nINITIALISATION floor := 0\n\
                    OPERATIONS\n  go(by) = PRE by : 0..9 & open = FALSE & floor + by <= 9 THEN floor := floor + by END\nEND\n";

/// A place by the first word that stands there, after another one.
fn at(text: &str, after: &str, word: &str) -> Json {
    let from = text.find(after).expect("it is there");
    let offset = from + text[from..].find(word).expect("it is there");
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": line, "character": column })
}

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

fn document(uri: &str) -> Json {
    json!({ "textDocument": { "uri": uri } })
}

fn at_place(uri: &str, position: Json) -> Json {
    json!({ "textDocument": { "uri": uri }, "position": position })
}

/// The text with the edits made.
fn edited(text: &str, edits: &Json) -> String {
    let offset = |place: &Json| {
        let (line, column) = (place["line"].as_u64().unwrap(), place["character"].as_u64().unwrap());
        let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let mut units = 0;
        let content = text[start..].char_indices().find(|(_, c)| {
            let found = units == column as usize;
            units += c.len_utf16();
            found
        });
        content.map_or(text.len(), |(at, _)| start + at)
    };
    let mut edits: Vec<&Json> = edits.as_array().expect("edits").iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    let mut out = text.to_string();
    for edit in edits {
        let bytes = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        out.replace_range(bytes, edit["newText"].as_str().unwrap());
    }
    out
}

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

#[test]
fn declarations_of_the_whole_workspace_are_found() {
    let (disk, path) = folder(&[("Door.mch", DOOR)]);
    for (name, text) in [("sub", LIFT), ("node_modules", DOOR)] {
        std::fs::create_dir(disk.path().join(name)).unwrap();
        common::file(&disk.path().join(name), "Lift.mch", text);
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

/// An editor that shows lenses and asks for them again when it is told to.
fn with_lenses(options: Json) -> Editor {
    let mut editor = Editor::silent();
    let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    editor.ask("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }));
    editor.tell("initialized", json!({}));
    editor
}

fn lenses(editor: &mut Editor, uri: &str) -> Vec<String> {
    let found = editor.ask("textDocument/codeLens", document(uri));
    let title = |lens: &Json| lens["command"]["title"].as_str().unwrap().to_string();
    found.as_array().expect("lenses").iter().map(title).collect()
}

/// The lenses once nothing is being checked any more.
fn settled(editor: &mut Editor, uri: &str) -> Vec<String> {
    loop {
        let titles = lenses(editor, uri);
        if !titles.iter().any(|title| title == "checking …" || title.ends_with(": checking …")) {
            return titles;
        }
        editor.wait(|m| m["method"] == "workspace/codeLens/refresh");
    }
}

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
        let output = common::run("check", &disk.path().join("M.mch"), &["--json", "--timeout", "30s"]);
        assert_eq!(
            verdict(&titles),
            common::json(&output)["verdict"] == "violated",
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

/// A place in a text with letters outside of ASCII.
fn at_units(text: &str, after: &str, word: &str) -> Json {
    let from = text.find(after).expect("it is there");
    let offset = from + text[from..].find(word).expect("it is there");
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": text[..offset].matches('\n').count(), "character": text[start..offset].encode_utf16().count() })
}

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
