//! For every operator a small predicate and the terms it becomes, under `golden/`; reviewed by eye.
//!
//! A line that starts with `//` is a comment. A predicate is followed by its term and, where it is
//! not `true`, by when it is defined. Run with `BSYM_BLESS=1` to write the terms anew.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use bsym_encodings::propositional::{Lowered, lowered};
use bsym_encodings::representation::layout::Layout;
use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::symbolic::encoder::{Encoder, Env};
use bsym_encodings::term::{Op, SortKind, SymbolId, Term, Terms};
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

/// The files are written by one test and read by another.
static FILES: Mutex<()> = Mutex::new(());

const TABLE: &str = "# Operators in both encodings

Made by `cargo test -p bsym-encodings --test golden` (with `BSYM_BLESS=1` it is written anew) from the predicates in `golden/`,
where the terms stand. Unbounded: with any number of elements in D. Bounded: with two, as propositional logic, with the
bits and windows that a solver begins with.

| predicate | unbounded | bounded |
|---|---|---|
";

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

/// A predicate in terms.
struct Encoded {
    terms: Rc<Terms>,
    holds: Term,
    defined: Term,
    definitions: Vec<Term>,
}

/// The terms of a predicate, or why there are none.
fn encoded(line: &str, request: &ScopeRequest) -> Result<Encoded, String> {
    let mut model = load_text("m.mch", MACHINE).model.expect("the machine is fine");
    let pred = match check_predicate(&mut model, line) {
        Ok(p) => p,
        Err(d) => return Err(format!("does not check: {:?}", d.first().map(|d| &d.message))),
    };
    let scope = Scope::settle(&model, request).expect("the scope is fine");
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
        Err(u) => Err(format!("unsupported: {}", u.reason)),
        Ok(p) => {
            let definitions = e.take_witnesses().definitions;
            Ok(Encoded { terms, holds: p.holds, defined: p.defined, definitions })
        }
    }
}

fn encode(line: &str) -> Vec<String> {
    let Encoded { terms, holds, defined, definitions } = match encoded(line, &ScopeRequest::default()) {
        Ok(encoded) => encoded,
        Err(why) => return vec![why],
    };
    let mut lines = vec![format!("= {}", terms.text(holds))];
    if defined != Terms::TRUE {
        lines.push(format!("? {}", terms.text(defined)));
    }
    lines.extend(definitions.into_iter().map(|d| format!("! {}", terms.text(d))));
    let all = renumbered(&lines.join("\n"));
    all.lines().map(str::to_string).collect()
}

/// The files with predicates, in order.
fn golden_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .filter_map(|f| f.ok().map(|f| f.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// How hard the quantifiers of a term are for a solver of unbounded terms.
///
/// A term is in the fragment of Bernays, Schönfinkel and Ramsey (EPR) if it binds elements of finite or uninterpreted sorts
/// only, and no existential quantifier stands below a universal one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hardness {
    QuantifierFree,
    Epr,
    Quantified,
}

impl Hardness {
    fn of(terms: &Terms, t: Term) -> Hardness {
        Hardness::below(terms, t, true, false, &mut HashMap::new())
    }

    /// `positive`: below an even number of negations; `universal`: below a universal quantifier.
    fn below(
        terms: &Terms,
        t: Term,
        positive: bool,
        universal: bool,
        known: &mut HashMap<(Term, bool, bool), Hardness>,
    ) -> Hardness {
        if let Some(&found) = known.get(&(t, positive, universal)) {
            return found;
        }
        let node = terms.node(t);
        let both = |universal: bool, known: &mut _, args: &[Term]| {
            let sides = args.iter().flat_map(|&a| [true, false].map(|p| (a, p)));
            sides.fold(Hardness::QuantifierFree, |worst, (a, p)| {
                worst.max(Hardness::below(terms, a, p, universal, known))
            })
        };
        let found = match &node.op {
            Op::Forall(bound) | Op::Exists(bound) => {
                let is_universal = matches!(node.op, Op::Forall(_)) == positive;
                let inner = Hardness::below(terms, node.args[0], positive, universal || is_universal, known);
                let plain = |id: &SymbolId| {
                    matches!(
                        terms.sort_kind(terms.symbol_sort(*id)),
                        SortKind::Bool | SortKind::Enum(..) | SortKind::Uninterpreted(_)
                    )
                };
                match bound.iter().all(plain) && (is_universal || !universal) {
                    true => inner.max(Hardness::Epr),
                    false => Hardness::Quantified,
                }
            }
            Op::Lambda(_) => Hardness::Quantified,
            Op::Not => Hardness::below(terms, node.args[0], !positive, universal, known),
            Op::And | Op::Or => {
                let all = node.args.iter().map(|&a| Hardness::below(terms, a, positive, universal, known));
                all.max().unwrap_or(Hardness::QuantifierFree)
            }
            // Below anything else a formula stands with both signs.
            _ => both(universal, known, &node.args),
        };
        known.insert((t, positive, universal), found);
        found
    }

    fn word(self) -> &'static str {
        match self {
            Hardness::QuantifierFree => "quantifier-free",
            Hardness::Epr => "EPR",
            Hardness::Quantified => "quantified",
        }
    }
}

/// The row of a predicate in the table of operators.
fn row(line: &str) -> String {
    let unbounded = match encoded(line, &ScopeRequest::default()) {
        Err(why) => why,
        Ok(e) => {
            let all = [e.holds, e.defined].into_iter().chain(e.definitions);
            let worst = all.map(|t| Hardness::of(&e.terms, t)).max();
            worst.unwrap_or(Hardness::QuantifierFree).word().into()
        }
    };
    let request = ScopeRequest { sizes: [("D".to_string(), 2)].into(), ..ScopeRequest::default() };
    let bounded = encoded(line, &request).and_then(|e| {
        let all: Vec<Term> = [e.holds, e.defined].into_iter().chain(e.definitions).collect();
        lowered(&e.terms, &all).map_err(|why| why.to_string())
    });
    let bounded = match bounded {
        Err(why) => why,
        Ok(Lowered { unclaimed, .. }) if !unclaimed.is_empty() => {
            format!("no form: {}", unclaimed.join("; "))
        }
        Ok(Lowered { size, cuts, .. }) => {
            let cuts = if cuts.is_empty() { String::new() } else { format!(", cut: {}", cuts.join(", ")) };
            renumbered(&format!("{} variables, {} clauses{cuts}", size.variables, size.clauses))
        }
    };
    format!("| `{}` | {unbounded} | {bounded} |", line.replace('|', "\\|"))
}

#[test]
fn the_table_of_operators_is_what_the_encodings_do() {
    let _alone = FILES.lock();
    let mut table = String::from(TABLE);
    for file in golden_files() {
        let text = std::fs::read_to_string(&file).expect("readable");
        let is_predicate = |l: &&str| !l.is_empty() && !l.starts_with("//") && !l.starts_with("    ");
        text.lines().filter(is_predicate).for_each(|line| table.push_str(&(row(line) + "\n")));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("operators.md");
    if std::env::var("BSYM_BLESS").is_ok() {
        std::fs::write(&path, &table).expect("writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, table, "{} is stale; BSYM_BLESS=1 writes it anew", path.display());
}

#[test]
fn terms_are_the_reviewed_ones() {
    let _alone = FILES.lock();
    for file in golden_files() {
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
