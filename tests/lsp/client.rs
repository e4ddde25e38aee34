//! A small editor that speaks with the server.

use bsym_testing::process::Running;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::bsym;
use serde_json::{Value as Json, json};

/// A small editor.
pub struct Editor {
    pub server: Running,
    pub input: Option<ChildStdin>,
    pub messages: Receiver<Json>,
    /// Messages that came while another one was awaited.
    pub early: Vec<Json>,
    requests: u64,
}

impl Editor {
    /// Starts the server without sending anything.
    pub fn silent() -> Editor {
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

    pub fn new() -> Editor {
        let mut editor = Editor::silent();
        let result =
            editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(result["serverInfo"]["name"], "bsym", "{result}");
        editor.tell("initialized", json!({}));
        editor
    }

    pub fn send(&mut self, message: &Json) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("it is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| input.flush()).unwrap();
    }

    pub fn tell(&mut self, method: &str, parameters: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// The first message that fits.
    pub fn wait(&mut self, fits: impl Fn(&Json) -> bool) -> Json {
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
    pub fn response(&mut self, method: &str, parameters: Json) -> Json {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        self.wait(|m| m["id"] == id && m.get("method").is_none())
    }

    pub fn ask(&mut self, method: &str, parameters: Json) -> Json {
        let response = self.response(method, parameters);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "b", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, version: i32, change: Json) {
        let document = json!({ "uri": uri, "version": version });
        let parameters = json!({ "textDocument": document, "contentChanges": [change] });
        self.tell("textDocument/didChange", parameters);
    }

    /// The next messages about a file.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Json> {
        let said = self
            .wait(|m| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri)["params"]
            ["diagnostics"]
            .take();
        said.as_array().expect("a list").clone()
    }

    /// Waits until the diagnostics of a file are as expected.
    pub fn until(&mut self, uri: &str, fits: impl Fn(&[Json]) -> bool) {
        while !fits(&self.diagnostics(uri)) {}
    }

    /// Closes the pipe and waits for the end.
    pub fn leave(mut self) -> ExitStatus {
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

pub fn read(output: &mut impl BufRead) -> Option<Json> {
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

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, impl Fn(&str) -> PathBuf + use<>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        crate::common::file(folder.path(), name, text);
    }
    let path = folder.path().canonicalize().unwrap();
    (folder, move |name: &str| path.join(name))
}

pub fn range(from: (u32, u32), to: (u32, u32)) -> Json {
    let place = |p: (u32, u32)| json!({ "line": p.0, "character": p.1 });
    json!({ "start": place(from), "end": place(to) })
}

/// A place by the first word that stands there, after another one.
pub fn at(text: &str, after: &str, word: &str) -> Json {
    let from = text.find(after).expect("it is there");
    let offset = from + text[from..].find(word).expect("it is there");
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": line, "character": column })
}

/// A place in a text with letters outside of ASCII.
pub fn at_units(text: &str, after: &str, word: &str) -> Json {
    let from = text.find(after).expect("it is there");
    let offset = from + text[from..].find(word).expect("it is there");
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": text[..offset].matches('\n').count(), "character": text[start..offset].encode_utf16().count() })
}

pub fn document(uri: &str) -> Json {
    json!({ "textDocument": { "uri": uri } })
}

pub fn at_place(uri: &str, position: Json) -> Json {
    json!({ "textDocument": { "uri": uri }, "position": position })
}

/// The text with the edits made.
pub fn edited(text: &str, edits: &Json) -> String {
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

/// An editor that shows lenses and asks for them again when it is told to.
pub fn with_lenses(options: Json) -> Editor {
    let mut editor = Editor::silent();
    let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    editor.ask("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }));
    editor.tell("initialized", json!({}));
    editor
}

pub fn lenses(editor: &mut Editor, uri: &str) -> Vec<String> {
    let found = editor.ask("textDocument/codeLens", document(uri));
    let title = |lens: &Json| lens["command"]["title"].as_str().unwrap().to_string();
    found.as_array().expect("lenses").iter().map(title).collect()
}

/// The lenses once nothing is being checked any more.
pub fn settled(editor: &mut Editor, uri: &str) -> Vec<String> {
    loop {
        let titles = lenses(editor, uri);
        if !titles.iter().any(|title| title == "checking …" || title.ends_with(": checking …")) {
            return titles;
        }
        editor.wait(|m| m["method"] == "workspace/codeLens/refresh");
    }
}

pub const DOOR: &str = "MACHINE Door\nVARIABLES open\nINVARIANT open : BOOL\nINITIALISATION open := TRUE\n\
                    OPERATIONS\n  shut = SELECT open = TRUE THEN open := FALSE END;\n  unlock = open := TRUE\nEND\n";

pub const LIFT: &str = "MACHINE Lift INCLUDES Door\nVARIABLES floor\nINVARIANT floor : 0..9\nINITIALISATION floor := 0\n\
                    OPERATIONS\n  go(by) = PRE by : 0..9 & open = FALSE & floor + by <= 9 THEN floor := floor + by END\nEND\n";
