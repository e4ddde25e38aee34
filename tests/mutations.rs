//! Certificates, traces and status files after every small change that a stranger could make: it is an error, it
//! fails its check, or it shows in what is printed. Fields that only inform are listed, each with the reason.
//!
//! The changes are generated from the JSON tree: each member and element is dropped, emptied, widened, negated or
//! swapped with its neighbour. A fixed sample is tried, `BSYM_MUTATIONS=all cargo test --test mutations -- --nocapture`
//! tries all; both print the figures. Of all:
//!
//! | file | changes | errors | failed or undecided | shown | excepted |
//! |---|---:|---:|---:|---:|---:|
//! | certificate of ic3 | 266 | 222 | 19 | 25 | 0 |
//! | certificate of kind | 275 | 225 | 22 | 28 | 0 |
//! | certificate of mc | 253 | 217 | 14 | 22 | 0 |
//! | trace | 327 | 300 | 9 | 18 | 0 |
//! | po.json | 1754 | 1597 | 0 | 136 | 21 |

mod common;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use common::{bsym, file, has_solver};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Changes that are tried of each file unless all are.
const SAMPLE: usize = 40;

/// One step from a value to a part of it.
#[derive(Clone, Debug)]
enum Key {
    Member(String),
    Element(usize),
}

/// A change at one place.
#[derive(Clone, Debug)]
struct Mutation {
    path: Vec<Key>,
    kind: &'static str,
    mutated: Json,
}

impl Mutation {
    /// `evidence.lemmas[].kind`, with elements unnumbered, as the lists of exceptions name it.
    fn place(&self) -> String {
        let mut text = String::new();
        for key in &self.path {
            match key {
                Key::Member(name) if text.is_empty() => text.push_str(name),
                Key::Member(name) => text.push_str(&format!(".{name}")),
                Key::Element(_) => text.push_str("[]"),
            }
        }
        text
    }
}

fn at<'j>(json: &'j mut Json, path: &[Key]) -> &'j mut Json {
    path.iter().fold(json, |json, key| match key {
        Key::Member(name) => &mut json[name.as_str()],
        Key::Element(i) => &mut json[*i],
    })
}

/// Every change of a value, in the order of the tree.
fn mutations(whole: &Json) -> Vec<Mutation> {
    let mut all = vec![];
    collect(whole, whole, &mut vec![], &mut all);
    all.retain(|m: &Mutation| m.mutated != *whole);
    all
}

fn collect(whole: &Json, here: &Json, path: &mut Vec<Key>, all: &mut Vec<Mutation>) {
    let mut add = |path: &[Key], kind: &'static str, change: &dyn Fn(&mut Json)| {
        let mut mutated = whole.clone();
        change(at(&mut mutated, path));
        all.push(Mutation { path: path.to_vec(), kind, mutated });
    };
    match here {
        Json::Null => {}
        Json::Bool(b) => add(path, "negated", &|j| *j = json!(!b)),
        Json::Number(n) => {
            let n = n.as_u64().unwrap_or(0);
            add(path, "widened", &|j| *j = json!(n + 1));
            add(path, "emptied", &|j| *j = json!(0));
        }
        Json::String(text) => {
            add(path, "emptied", &|j| *j = json!(""));
            // A number as text becomes another number: `00` would be the same one.
            let wider = text.parse::<i64>().map_or_else(|_| format!("{text}0"), |n| (n + 1).to_string());
            add(path, "widened", &|j| *j = json!(wider));
        }
        Json::Array(elements) => {
            add(path, "emptied", &|j| *j = json!([]));
            if let Some(last) = elements.last() {
                add(path, "widened", &|j| j.as_array_mut().unwrap().push(last.clone()));
            }
            for i in 0..elements.len() {
                add(path, "one dropped", &|j| drop(j.as_array_mut().unwrap().remove(i)));
                if i + 1 < elements.len() {
                    add(path, "two swapped", &|j| j.as_array_mut().unwrap().swap(i, i + 1));
                }
            }
        }
        Json::Object(members) => {
            add(path, "emptied", &|j| *j = json!({}));
            add(path, "widened", &|j| j["surplus"] = json!(1));
            for name in members.keys() {
                let mut member = path.clone();
                member.push(Key::Member(name.clone()));
                let mut mutated = whole.clone();
                at(&mut mutated, path).as_object_mut().unwrap().shift_remove(name);
                all.push(Mutation { path: member, kind: "dropped", mutated });
            }
            let mut add = |kind: &'static str, a: &str, b: &str| {
                let mut mutated = whole.clone();
                let object = at(&mut mutated, path);
                let (x, y) = (object[a].clone(), object[b].clone());
                (object[a], object[b]) = (y, x);
                let mut member = path.clone();
                member.push(Key::Member(a.to_string()));
                all.push(Mutation { path: member, kind, mutated });
            };
            let names: Vec<&String> = members.keys().collect();
            for pair in names.windows(2) {
                let (a, b) = (&members[pair[0]], &members[pair[1]]);
                if std::mem::discriminant(a) == std::mem::discriminant(b) {
                    add("two swapped", pair[0], pair[1]);
                }
            }
        }
    }
    match here {
        Json::Array(elements) => {
            for (i, element) in elements.iter().enumerate() {
                path.push(Key::Element(i));
                collect(whole, element, path, all);
                path.pop();
            }
        }
        Json::Object(members) => {
            for (name, member) in members {
                path.push(Key::Member(name.clone()));
                collect(whole, member, path, all);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Counts of the outcomes of the changes.
#[derive(Default, Debug)]
struct Figures {
    tried: usize,
    errors: usize,
    failed: usize,
    undecided: usize,
    shown: usize,
    excepted: usize,
}

/// Exceptions: a place, a kind of change, and why nothing has to be seen.
type Exceptions = &'static [(&'static str, &'static str, &'static str)];

/// Returns the exit code of a command, and its output without times.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let shown = match serde_json::from_str::<Json>(&text) {
        Ok(mut object) => {
            object["stats"] = Json::Null;
            object.to_string()
        }
        Err(_) => text.into_owned(),
    };
    (output.status.code(), shown)
}

/// Tries the changes of a file on a command, which is given the path of the changed file.
fn try_all(name: &str, original: &Path, exceptions: Exceptions, command: &dyn Fn(&Path) -> Output) {
    let whole: Json = serde_json::from_slice(&std::fs::read(original).unwrap()).unwrap();
    let path: PathBuf = original.with_file_name("mutated.json");
    std::fs::write(&path, whole.to_string()).unwrap();
    let right = said(&command(&path));
    assert_eq!(right.0, Some(0), "{name}: {}", right.1);
    let all = mutations(&whole);
    let step = match std::env::var("BSYM_MUTATIONS") {
        Ok(_) => 1,
        Err(_) => all.len().div_ceil(SAMPLE).max(1),
    };
    let mut figures = Figures::default();
    let mut unseen = vec![];
    let is = |(place, kind, _): &(&str, &str, &str), m: &Mutation| *place == m.place() && *kind == m.kind;
    // At least one change of the exceptions is tried, so that no exception stays that is needed no more.
    let mut needed = vec![false; exceptions.len()];
    let sampled = all.iter().step_by(step);
    let excepted = exceptions.iter().filter_map(|e| all.iter().find(|m| is(e, m)));
    for mutation in sampled.chain(excepted.filter(|_| step > 1)) {
        std::fs::write(&path, mutation.mutated.to_string()).unwrap();
        let output = command(&path);
        let now = said(&output);
        figures.tried += 1;
        match now.0 {
            Some(2) => figures.errors += 1,
            Some(1) => figures.failed += 1,
            Some(3) => figures.undecided += 1,
            Some(0) if now.1 != right.1 => figures.shown += 1,
            Some(0) => {
                let known = exceptions.iter().position(|e| is(e, mutation));
                figures.excepted += usize::from(known.is_some());
                match known {
                    Some(i) => needed[i] = true,
                    None => unseen.push(format!("{}: {}", mutation.place(), mutation.kind)),
                }
            }
            code => unseen.push(format!(
                "{}: {}: ends with {code:?}: {}",
                mutation.place(),
                mutation.kind,
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }
    println!("{name}: {} changes, {figures:?}", all.len());
    assert!(unseen.is_empty(), "{name}: nobody sees\n  {}", unseen.join("\n  "));
    let surplus: Vec<_> = exceptions.iter().zip(&needed).filter(|(_, needed)| !**needed).collect();
    assert!(surplus.is_empty(), "{name}: needed no more: {surplus:?}");
}

fn run(arguments: &[&str]) -> Output {
    bsym().args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Every kind of member: a set of any size, a constant, labels, parameters, results, choices, an assertion.
const POOL: &str = "MACHINE pool SETS ITEM CONSTANTS most PROPERTIES most : 1..9
VARIABLES used, n, top INVARIANT
  used <: ITEM & /* @label bounded */ n <= most & n : 0..9 & top : 0..9 & n <= top
ASSERTIONS n < 10
INITIALISATION used, n, top := {}, 0, 0
OPERATIONS
  take(i) = PRE i : ITEM & i /: used & n < most THEN used := used \\/ {i} || n := n + 1 || top := n + 1 END;
  m <-- some = ANY k WHERE k : 1..2 & n + k <= most THEN n, top := n + k, n + k || m := k END;
  clear = BEGIN used, n := {}, 0 END
END";

struct Pool(TempDir);

impl Pool {
    fn new() -> Pool {
        let pool = Pool(tempfile::tempdir().unwrap());
        file(pool.0.path(), "pool.mch", POOL);
        pool
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

#[test]
fn certificates_of_proofs() {
    if !has_solver() {
        return;
    }
    let pool = Pool::new();
    let (machine, path) = (pool.at("pool.mch"), pool.at("c.json"));
    for (engine, more) in [("ic3", &["--scope", "ITEM=3"][..]), ("kind", &["--set", "most=4"])] {
        let mut arguments = vec![engine, &machine, "--prop", "inv,assertions", "--certificate", &path];
        arguments.extend(more);
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{engine}: {}", String::from_utf8_lossy(&output.stdout));
        try_all(&format!("certificate of {engine}"), Path::new(&path), &[], &|path| {
            run(&["certify", &path.display().to_string(), "--json", "--timeout", "20s"])
        });
    }
}

/// A machine whose encoding assumes properties of its variables that no invariant states.
const METER: &str = "MACHINE meter SETS PLACE = {north, south} VARIABLES level, ends
INVARIANT level : PLACE <-> INTEGER & ends <: INTEGER & !(p, n).(p |-> n : level => n >= 0)
INITIALISATION level, ends := {}, {}
OPERATIONS
  start(p) = PRE p : PLACE THEN level(p) := 0 || ends := ends \\/ {1} END;
  up(p) = PRE p : dom(level) THEN level(p) := level(p) + 1 || ends := ends \\/ {2} END
END";

#[test]
fn certificates_with_layouts() {
    if !has_solver() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "meter.mch", METER);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (machine, path) = (at("meter.mch"), at("c.json"));
    let output = run(&["ic3", &machine, "--certificate", &path]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("& level : PLACE +-> INTEGER /* by what is assigned */"), "{said}");
    let whole: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(whole["layouts"], json!(["level : PLACE +-> INTEGER", "ends <: 1 .. 2"]));
    let certify = |path: &Path| run(&["certify", &path.display().to_string(), "--json", "--timeout", "20s"]);
    try_all("certificate with layouts", Path::new(&path), &[], &certify);
    // Every change of the layouts themselves is refused, whatever else is tried.
    let mutated = Path::new(&path).with_file_name("mutated.json");
    for mutation in mutations(&whole).into_iter().filter(|m| m.place().starts_with("layouts")) {
        if mutation.kind == "two swapped" {
            continue;
        }
        std::fs::write(&mutated, mutation.mutated.to_string()).unwrap();
        let code = certify(&mutated).status.code();
        assert_ne!(code, Some(0), "{}: {}: {}", mutation.place(), mutation.kind, mutation.mutated["layouts"]);
    }
}

#[test]
fn certificates_of_searches() {
    let pool = Pool::new();
    let (machine, path) = (pool.at("pool.mch"), pool.at("c.json"));
    let output = run(&["mc", &machine, "--scope", "ITEM=2", "--set", "most=3", "--certificate", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    try_all("certificate of mc", Path::new(&path), &[], &|path| {
        run(&["certify", &path.display().to_string(), "--json", "--timeout", "20s"])
    });
}

#[test]
fn traces() {
    let pool = Pool::new();
    let (machine, path) = (pool.at("pool.mch"), pool.at("t.json"));
    let output = run(&["simulate", &machine, "--steps", "6", "--seed", "4", "--trace", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    try_all("trace", Path::new(&path), &[], &|path| {
        run(&["replay", &path.display().to_string(), &machine, "--json"])
    });
}

const OF_STATUS: Exceptions = &[
    ("obligations", "two swapped", "their order means nothing, names and targets say what they are about"),
    ("summary", "dropped", "it has nothing but numbers of the obligations, which are counted again"),
];

#[test]
fn status() {
    if !has_solver() {
        return;
    }
    let pool = Pool::new();
    let (machine, path) = (pool.at("pool.mch"), pool.at("po.json"));
    let output = run(&["po", &machine, "-o", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    try_all("status", Path::new(&path), OF_STATUS, &|path| {
        run(&["proofs", &path.display().to_string(), "--machine", &machine, "--json"])
    });
}
