//! For every operator a small predicate and the terms it becomes, under `golden/`; reviewed by eye.
//!
//! A line that starts with `//` is a comment. A predicate is followed by its term and, where it is
//! not `true`, by when it is defined. Run with `BSYM_BLESS=1` to write the terms anew.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::representation::layout::Layout;
use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::symbolic::encoder::{Encoder, Env};
use bsym_encodings::term::{SortKind, Term, Terms};
use bsym_language::load::{check_predicate, load_text};
use bsym_semantics::scope::{Scope, ScopeRequest};

const MACHINE: &str = "MACHINE M SETS D; C = {red, green, blue}
VARIABLES x, y, b, c, d, is, cs, ds, es, f, g, r, q, s, w, h, v
INVARIANT x : INTEGER & y : INTEGER & b : BOOL & c : C & d : D & is <: INTEGER & cs <: C & ds <: D & es <: D
& f : D +-> INTEGER & g : C +-> INTEGER & r : D <-> D & q : C <-> C & s : seq(INTEGER) & w : STRING
& h : C --> (1..2 --> BOOL) & v : D --> POW(1..2)
INITIALISATION x, y, b, c, is, cs, ds, es := 0, 0, TRUE, red, {}, {}, {}, {} || d :: D
|| f, g, r, q, s, w, h, v := {}, {}, {}, {}, [], \"\", C * {(1..2) * {TRUE}}, D * {{}}
END";

/// Numbers of fresh symbols depend on what was made before: count them anew in each line.
fn renumbered(text: &str) -> String {
    let mut seen: Vec<String> = vec![];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('!') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..end].to_string();
        let i = seen.iter().position(|s| *s == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        out.push_str(&(i + 1).to_string());
        rest = &rest[end..];
    }
    out + rest
}

fn encode(line: &str) -> Vec<String> {
    let mut model = load_text("m.mch", MACHINE).model.expect("the machine is fine");
    let pred = match check_predicate(&mut model, line) {
        Ok(p) => p,
        Err(d) => return vec![format!("does not check: {:?}", d.first().map(|d| &d.message))],
    };
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("the scope is fine");
    let terms = Rc::new(Terms::new());
    let mut e = Encoder::new(terms.clone(), Arc::new(model), scope);
    let mut state: Vec<Symbolic> = vec![];
    let variables = e.model.variables.clone();
    for v in &variables {
        let numbers = Layout::Range(1, 2);
        let layout = match v.name.as_str() {
            "s" => Layout::sequence(Layout::Any),
            "f" | "g" => Layout::function(Layout::Any, false, Layout::Any),
            "h" => Layout::function(Layout::Any, true, Layout::function(numbers, true, Layout::Any)),
            "v" => Layout::function(Layout::Any, true, Layout::set(numbers, false)),
            _ => Layout::Any,
        };
        let shape = e.shape(&v.ty, &layout);
        state.push(e.fresh(&v.name, &v.ty, &shape));
    }
    let env = Env { state: Rc::new(state), ..Env::default() };
    match e.pred(&env, &pred) {
        Err(u) => vec![format!("unsupported: {}", u.reason)],
        Ok(p) => {
            let mut lines = vec![format!("= {}", terms.text(p.holds))];
            if p.defined != Terms::TRUE {
                lines.push(format!("? {}", terms.text(p.defined)));
            }
            let definitions: Vec<Term> = e.take_witnesses().definitions;
            lines.extend(definitions.into_iter().map(|d| format!("! {}", terms.text(d))));
            let all = renumbered(&lines.join("\n"));
            all.lines().map(str::to_string).collect()
        }
    }
}

#[test]
fn terms_are_the_reviewed_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .filter_map(|f| f.ok().map(|f| f.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let mut expected = String::new();
        for line in text.lines() {
            if line.starts_with("    ") {
                continue;
            }
            expected.push_str(line);
            expected.push('\n');
            if !line.is_empty() && !line.starts_with("//") {
                encode(line).iter().for_each(|l| expected.push_str(&format!("    {l}\n")));
            }
        }
        if std::env::var("BSYM_BLESS").is_ok() {
            std::fs::write(&file, &expected).expect("writable");
            continue;
        }
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
        assert_eq!(text, expected, "{name:?} differs; BSYM_BLESS=1 writes it anew");
    }
}

#[test]
fn sorts_are_packed() {
    let model = load_text("m.mch", MACHINE).model.expect("the machine is fine");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("the scope is fine");
    let terms = Rc::new(Terms::new());
    let e = Encoder::new(terms.clone(), Arc::new(model), scope);
    let sort = e.sort(&e.model.variables[11].ty);
    let (element, bit) = terms.array_parts(sort);
    assert_eq!(bit, Terms::BOOL);
    assert!(matches!(terms.sort_kind(element), SortKind::Tuple(_)));
}
