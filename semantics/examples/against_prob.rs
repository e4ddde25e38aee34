//! Compares the evaluator with ProB on random closed formulas: `against_prob PEER [COUNT [SEED]]`.
//!
//! PEER is a program that is started as `PEER prob-eval FILE --timeout SECONDS` and prints one JSON object
//! `{input, value}` for each line of FILE: ProB's value of an expression, `TRUE` or `FALSE` of a
//! predicate, `ill-defined`, or `error` where ProB has no answer. ProB's value of an expression is parsed
//! and compared with ours. Prints every difference, then how many lines were compared. The differences
//! that are known and why they are there: `semantics/DIFFERENCES.md`.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::env::Env;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};

/// Types of the formulas.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Int,
    Bool,
    Text,
    Set(Box<Kind>),
    Pair(Box<Kind>, Box<Kind>),
}

use Kind::{Bool, Int, Pair, Set, Text};

fn set_of(k: &Kind) -> Kind {
    Set(Box::new(k.clone()))
}

fn relation_of(a: &Kind, b: &Kind) -> Kind {
    set_of(&Pair(Box::new(a.clone()), Box::new(b.clone())))
}

struct Generator {
    state: u64,
    locals: Vec<(String, Kind)>,
    names: usize,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn simple(&mut self) -> Kind {
        match self.below(6) {
            0..=2 => Int,
            3 | 4 => Bool,
            _ => Text,
        }
    }

    fn kind(&mut self) -> Kind {
        match self.below(8) {
            0..=3 => self.simple(),
            4 => set_of(&self.simple()),
            5 => Pair(Box::new(self.simple()), Box::new(self.simple())),
            _ => relation_of(&self.simple(), &self.simple()),
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn under(&mut self, x: &str, k: &Kind, f: impl FnOnce(&mut Self) -> String) -> String {
        self.locals.push((x.into(), k.clone()));
        let text = f(self);
        self.locals.pop();
        text
    }

    fn atom(&mut self, k: &Kind) -> String {
        let known: Vec<String> =
            self.locals.iter().filter(|(_, l)| l == k).map(|(n, _)| n.clone()).collect();
        if !known.is_empty() && self.below(3) > 0 {
            return known[self.below(known.len())].clone();
        }
        match k {
            Int => self.pick(&["0", "1", "2", "3", "(-1)", "5"]).into(),
            Bool => self.pick(&["TRUE", "FALSE"]).into(),
            Text => self.pick(&["\"\"", "\"a\"", "\"b\""]).into(),
            Pair(a, b) => format!("({} |-> {})", self.atom(a), self.atom(b)),
            Set(of) => {
                let n = self.below(4);
                let items: Vec<_> = (0..n.max(1)).map(|_| self.atom(of)).collect();
                if n == 0 {
                    return format!("({{{}}} - {{{}}})", items[0], items[0]);
                }
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    fn expr(&mut self, k: &Kind, depth: usize) -> String {
        if depth == 0 {
            return self.atom(k);
        }
        let n = depth - 1;
        match self.below(14) {
            0 => return format!("(IF {} THEN {} ELSE {} END)", self.pred(n), self.expr(k, n), self.expr(k, n)),
            1 => {
                let from = self.simple();
                return format!("{}({})", self.expr(&relation_of(&from, k), n), self.expr(&from, n));
            }
            2 => {
                let other = self.simple();
                let pair = Pair(Box::new(k.clone()), Box::new(other.clone()));
                let _ = pair;
                let second = self.expr(&other, n);
                return format!("prj1({}, {})({} |-> {second})", self.whole(k), self.whole(&other), self.expr(k, n));
            }
            _ => {}
        }
        match k {
            Int => self.integer(n),
            Bool => format!("bool({})", self.pred(n)),
            Text => self.atom(k),
            Pair(a, b) => format!("({} |-> {})", self.expr(a, n), self.expr(b, n)),
            Set(of) => self.set(of, n),
        }
    }

    /// All of a type.
    fn whole(&self, k: &Kind) -> String {
        match k {
            Int => "INTEGER".into(),
            Bool => "BOOL".into(),
            Text => "STRING".into(),
            Pair(a, b) => format!("({} * {})", self.whole(a), self.whole(b)),
            Set(a) => format!("POW({})", self.whole(a)),
        }
    }

    fn integer(&mut self, n: usize) -> String {
        let ints = set_of(&Int);
        match self.below(16) {
            0 => format!("({} + {})", self.expr(&Int, n), self.expr(&Int, n)),
            1 => format!("({} - {})", self.expr(&Int, n), self.expr(&Int, n)),
            2 => format!("({} * {})", self.expr(&Int, n), self.expr(&Int, n)),
            3 => format!("({} / {})", self.expr(&Int, n), self.expr(&Int, n)),
            4 => format!("({} mod {})", self.expr(&Int, n), self.expr(&Int, n)),
            5 => format!("(-{})", self.expr(&Int, n)),
            6 => format!("({} ** {})", self.expr(&Int, n), self.pick(&["0", "1", "2", "3"])),
            7 => format!("{}({})", self.pick(&["max", "min"]), self.expr(&ints, n)),
            8 | 9 => {
                let k = self.kind();
                format!("card({})", self.expr(&set_of(&k), n))
            }
            10 => {
                let k = self.simple();
                format!("size({})", self.sequence(&k, n))
            }
            11 => {
                let op = self.pick(&["SIGMA", "PI"]);
                let (x, k, s) = self.local(n);
                let body = self.under(&x, &k, |g| g.expr(&Int, n));
                format!("{op}({x}).({x} : {s} | {body})")
            }
            12 => format!("{}({})", self.pick(&["first", "last"]), self.sequence(&Int, n)),
            13 => format!("{}({})", self.pick(&["succ", "pred"]), self.expr(&Int, n)),
            _ => self.atom(&Int),
        }
    }

    fn local(&mut self, n: usize) -> (String, Kind, String) {
        let k = self.simple();
        let s = self.expr(&set_of(&k), n);
        (self.fresh(), k, s)
    }

    fn sequence(&mut self, k: &Kind, depth: usize) -> String {
        if depth == 0 {
            let n = self.below(4);
            let items: Vec<_> = (0..n).map(|_| self.atom(k)).collect();
            return if n == 0 { format!("tail([{}])", self.atom(k)) } else { format!("[{}]", items.join(", ")) };
        }
        let n = depth - 1;
        match self.below(10) {
            0 => format!("({} ^ {})", self.sequence(k, n), self.sequence(k, n)),
            1 => format!("({} -> {})", self.expr(k, n), self.sequence(k, n)),
            2 => format!("({} <- {})", self.sequence(k, n), self.expr(k, n)),
            3 => format!("{}({})", self.pick(&["rev", "tail", "front"]), self.sequence(k, n)),
            4 => format!("({} /|\\ {})", self.sequence(k, n), self.expr(&Int, n)),
            5 => format!("({} \\|/ {})", self.sequence(k, n), self.expr(&Int, n)),
            6 => format!("conc([{}, {}])", self.sequence(k, n), self.sequence(k, n)),
            7 => self.expr(&relation_of(&Int, k), n),
            _ => self.sequence(k, 0),
        }
    }

    fn set(&mut self, of: &Kind, n: usize) -> String {
        let s = set_of(of);
        if let Pair(a, b) = of
            && self.below(3) > 0
        {
            return self.relation(a, b, n);
        }
        if let Set(inner) = of
            && self.below(2) == 0
        {
            return match self.below(5) {
                0 => format!("POW({})", self.expr(&set_of(inner), n.min(1))),
                1 => format!("POW1({})", self.expr(&set_of(inner), n.min(1))),
                2 => format!("FIN({})", self.expr(&set_of(inner), n.min(1))),
                3 => format!("FIN1({})", self.expr(&set_of(inner), n.min(1))),
                _ => format!("{{{}, {}}}", self.expr(inner, n), self.expr(inner, n)),
            };
        }
        match self.below(16) {
            0 => format!("({} \\/ {})", self.expr(&s, n), self.expr(&s, n)),
            1 => format!("({} /\\ {})", self.expr(&s, n), self.expr(&s, n)),
            2 => format!("({} - {})", self.expr(&s, n), self.expr(&s, n)),
            3 | 4 => {
                let from = self.expr(&s, n);
                let x = self.fresh();
                let p = self.under(&x, of, |g| g.pred(n));
                format!("{{{x} | {x} : {from} & {p}}}")
            }
            5 => {
                let to = self.simple();
                format!("dom({})", self.expr(&relation_of(of, &to), n))
            }
            6 => {
                let from = self.simple();
                format!("ran({})", self.expr(&relation_of(&from, of), n))
            }
            7 | 8 => {
                let from = self.simple();
                format!("{}[{}]", self.expr(&relation_of(&from, of), n), self.expr(&set_of(&from), n))
            }
            9 => format!("{}({{{}, {}}})", self.pick(&["union", "inter"]), self.expr(&s, n), self.expr(&s, n)),
            10 => {
                let (x, k, from) = self.local(n);
                let body = self.under(&x, &k, |g| g.expr(&s, n));
                let op = self.pick(&["UNION", "INTER"]);
                format!("{op}({x}).({x} : {from} | {body})")
            }
            11 => format!("{{{}, {}}}", self.expr(of, n), self.expr(of, n)),
            12 | 13 if *of == Int => format!("({} .. {})", self.expr(&Int, n), self.expr(&Int, n)),
            12 if *of == Bool => "BOOL".into(),
            14 if *of == Int => self.pick(&["NATURAL", "NATURAL1", "INTEGER"]).into(),
            _ => self.atom(&s),
        }
    }

    fn relation(&mut self, a: &Kind, b: &Kind, n: usize) -> String {
        let r = relation_of(a, b);
        match self.below(16) {
            0 => format!("({} * {})", self.expr(&set_of(a), n), self.expr(&set_of(b), n)),
            1 => format!("({} <+ {})", self.expr(&r, n), self.expr(&r, n)),
            2 => format!("({} <| {})", self.expr(&set_of(a), n), self.expr(&r, n)),
            3 => format!("({} <<| {})", self.expr(&set_of(a), n), self.expr(&r, n)),
            4 => format!("({} |> {})", self.expr(&r, n), self.expr(&set_of(b), n)),
            5 => format!("({} |>> {})", self.expr(&r, n), self.expr(&set_of(b), n)),
            6 => format!("({}~)", self.expr(&relation_of(b, a), n)),
            7 => {
                let m = self.simple();
                format!("({} ; {})", self.expr(&relation_of(a, &m), n), self.expr(&relation_of(&m, b), n))
            }
            8 | 9 => {
                let from = self.expr(&set_of(a), n);
                let x = self.fresh();
                let body = self.under(&x, a, |g| g.expr(b, n));
                format!("%{x}.({x} : {from} | {body})")
            }
            10 if a == b => format!("id({})", self.expr(&set_of(a), n)),
            11 if a == b => format!("{}({})", self.pick(&["closure1", "closure"]), self.expr(&r, n)),
            12 if a == b => format!("iterate({}, {})", self.expr(&r, n), self.pick(&["0", "1", "2", "3"])),
            13 if *a == Int => self.sequence(b, n),
            _ => self.atom(&r),
        }
    }

    fn pred(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{} = {}", self.atom(&Int), self.atom(&Int)),
                1 => format!("{} < {}", self.atom(&Int), self.atom(&Int)),
                2 => format!("{} : {}", self.atom(&Int), self.atom(&set_of(&Int))),
                _ => format!("{} = {}", self.atom(&Bool), self.atom(&Bool)),
            };
        }
        let n = depth - 1;
        match self.below(18) {
            0 => format!("({} & {})", self.pred(n), self.pred(n)),
            1 => format!("({} or {})", self.pred(n), self.pred(n)),
            2 => format!("({} => {})", self.pred(n), self.pred(n)),
            3 => format!("({} <=> {})", self.pred(n), self.pred(n)),
            4 => format!("not({})", self.pred(n)),
            5 | 6 => {
                let (x, k, s) = self.local(n);
                let body = self.under(&x, &k, |g| g.pred(n));
                match self.below(2) {
                    0 => format!("!{x}.({x} : {s} => {body})"),
                    _ => format!("#{x}.({x} : {s} & {body})"),
                }
            }
            7 | 8 => {
                let op = self.pick(&["=", "/=", "<", "<=", ">", ">="]);
                format!("{} {op} {}", self.expr(&Int, n), self.expr(&Int, n))
            }
            9 | 10 => {
                let k = self.kind();
                let op = self.pick(&["=", "/="]);
                format!("{} {op} {}", self.expr(&k, n), self.expr(&k, n))
            }
            11 | 12 => {
                let k = self.simple();
                let op = self.pick(&["<:", "<<:", "/<:", "/<<:", "=", "/="]);
                format!("{} {op} {}", self.expr(&set_of(&k), n), self.expr(&set_of(&k), n))
            }
            13 | 14 => {
                let k = self.kind();
                let op = self.pick(&[":", "/:"]);
                format!("{} {op} {}", self.expr(&k, n), self.expr(&set_of(&k), n))
            }
            15 | 16 => {
                let (a, b) = (self.simple(), self.simple());
                let op = self.pick(&["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">->>"]);
                let member = self.pick(&[":", "/:"]);
                let (s, t) = (self.expr(&set_of(&a), n), self.expr(&set_of(&b), n));
                format!("{} {member} {s} {op} {t}", self.expr(&relation_of(&a, &b), n))
            }
            _ => {
                let k = self.simple();
                let space = self.pick(&["seq", "seq1", "iseq", "iseq1", "perm"]);
                format!("{} : {space}({})", self.sequence(&k, n), self.expr(&set_of(&k), n))
            }
        }
    }
}

fn outcome(e: &EvalError) -> String {
    match e.kind {
        EvalErrorKind::IllDefined => "ill-defined".into(),
        _ => format!("open: {}", e.message),
    }
}

/// Our answer, and whether it is the same as ProB's where that can be told.
fn ours(model: &mut Model, scope: &Scope, line: &str, theirs: &str, stop: &AtomicBool) -> (String, Option<bool>) {
    let limits = Limits { listing: 20_000, rounds: 1000, branching: 20_000 };
    let env = Env::default();
    if let Ok(pred) = check_predicate(model, line) {
        let eval = Evaluator::new(model, scope).with_limits(limits).with_interrupt(stop);
        let answer = match eval.pred(&env, &pred) {
            Ok(true) => "TRUE".to_owned(),
            Ok(false) => "FALSE".to_owned(),
            Err(e) => outcome(&e),
        };
        let same = answer == theirs;
        return (answer, Some(same));
    }
    let Ok(expr) = check_expression(model, line) else { return ("error".into(), None) };
    let value = {
        let eval = Evaluator::new(model, scope).with_limits(limits).with_interrupt(stop);
        eval.expr(&env, &expr).map(|v| eval.text(&v))
    };
    match value {
        Err(e) => {
            let answer = outcome(&e);
            let same = answer == theirs;
            (answer, Some(same))
        }
        Ok(text) => {
            if text == theirs {
                return (text, Some(true));
            }
            let Ok(equal) = check_predicate(model, &format!("({line}) = ({theirs})")) else {
                return (text, if theirs == "ill-defined" { Some(false) } else { None });
            };
            let eval = Evaluator::new(model, scope).with_limits(limits).with_interrupt(stop);
            let same = eval.pred(&env, &equal).ok();
            (text, same)
        }
    }
}

fn compare(peer: &str, count: usize, seed: u64) {
    let mut generator =
        Generator { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, locals: vec![], names: 0 };
    let lines: Vec<String> = (0..count)
        .map(|i| {
            generator.names = 0;
            let depth = 1 + i % 4;
            if generator.below(3) > 0 {
                return generator.pred(depth);
            }
            let k = generator.kind();
            generator.expr(&k, depth)
        })
        .collect();
    let file = std::env::temp_dir().join(format!("against_prob_{}.txt", std::process::id()));
    std::fs::write(&file, lines.join("\n") + "\n").expect("a temporary file");
    let seconds = (60 + count / 10).to_string();
    let output = Command::new(peer)
        .args(["prob-eval", &file.to_string_lossy(), "--timeout", &seconds])
        .output()
        .expect("the peer runs");
    let _ = std::fs::remove_file(&file);
    let mut model = load_text("Empty.mch", "MACHINE Empty END").model.expect("the empty machine");
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (sources, locals) = (model.sources.clone(), model.locals.len());
    for (i, answer) in String::from_utf8_lossy(&output.stdout).lines().enumerate() {
        let answer: serde_json::Value = serde_json::from_str(answer).expect("the peer prints JSON");
        let (line, theirs) = (answer["input"].as_str().unwrap_or(""), answer["value"].as_str().unwrap_or(""));
        let stop = AtomicBool::new(false);
        let (mine, same) = std::thread::scope(|threads| {
            let (done, waiting) = std::sync::mpsc::channel::<()>();
            let flag = &stop;
            threads.spawn(move || {
                if waiting.recv_timeout(Duration::from_secs(5)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    flag.store(true, Ordering::Relaxed);
                }
            });
            let result = ours(&mut model, &scope, line, theirs, &stop);
            drop(done);
            result
        });
        model.sources = sources.clone();
        model.locals.truncate(locals);
        let class = match (same, theirs) {
            (Some(true), _) => "same",
            (_, "error") if mine.starts_with("open") || mine == "error" => "neither",
            (_, "error") => "ProB has no answer",
            _ if mine.starts_with("open") => "we have no answer",
            (None, _) => "not compared",
            (Some(false), _) => "different",
        };
        *counts.entry(class).or_default() += 1;
        if !matches!(class, "same" | "neither" | "ProB has no answer") {
            println!("{class} #{i}: {line}\n    ours: {mine}\n    ProB: {theirs}");
        }
    }
    println!("{counts:?}");
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let peer = arguments.next().expect("against_prob PEER [COUNT [SEED]]");
    let count = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let seed = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    with_large_stack(|| compare(&peer, count, seed));
}
