//! Agreement of the two forms of obligations: an obligation with a counterexample in terms of arrays must not be proved
//! in first-order logic.
//!
//! The machines are changed at random, one operator after another is exchanged, so that many obligations are false.
//! Deferred sets have one to three elements, where solvers find counterexamples; a proof in first-order logic is for
//! all sizes. `BSYM_MACHINES` lists more files, separated by colons; of each machine `BSYM_MUTANTS` mutants are made.

mod exchange;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::term::Terms;
use bsym_language::load::load_model;
use bsym_language::model::*;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::file::Status;

use self::exchange::{Parts, mutant};
use super::crew::{Crew, Shared};
use super::first_order::FirstOrder;
use super::obligation::Proof;
use super::rounds::{Others, Rounds};
use super::{Generated, generate, prove_in_rounds};
use crate::sequent::{Decision, Prover};
use crate::testing::{model, open_default, solver};

/// All forms of substitutions, functions of functions, and formulas that are well-defined only under a guard.
const MACHINES: [&str; 3] = [
    "MACHINE Tables SETS D CONSTANTS top PROPERTIES top : D
     VARIABLES f, g, s, n INVARIANT f : D +-> D & g : D +-> (D +-> D) & s <: D & n : INTEGER & 0 <= n
       & dom(g) <: s & !x.(x : dom(g) => dom(g(x)) <: s) & (top : dom(f) => f(top) : s)
     INITIALISATION f := {} || g := {} || s := {} || n := 0
     OPERATIONS
       put(d) = PRE d : D & d /: dom(f) THEN
         IF d = top THEN f(d) := d || s := s \\/ {d} ELSE f := f <+ {d |-> top} || n := n + 1 END END;
       add = ANY d, h WHERE d : D & h : D +-> D & dom(h) <: s & d : s THEN g := g <+ {d |-> h} END;
       drop(d) = PRE d : s & d /: dom(g) & d /: ran(f) & !x.(x : dom(g) => d /: dom(g(x))) THEN s := s - {d} END;
       count = SELECT n > 3 THEN n := n - 2 WHEN n = 0 THEN s, n := D, 5 ELSE CHOICE n := 1 OR n := 2 END END;
       step = VAR h IN h := {top |-> top}; f := f <+ h; s := s \\/ {top}; IF n > 0 THEN n := n / 2 END END;
       wild = BEGIN n :: 0..7 || f : (f : D +-> D & (top : dom(f) => f(top) : s)) END;
       r <-- read(d) = PRE d : dom(g) THEN r := g(d) END
     END",
    "MACHINE Rings SETS P VARIABLES next, prev, in, k
     INVARIANT next : P >+> P & prev = next~ & in = dom(next) \\/ ran(next) & k : NATURAL & card(in) <= 2 * k
     ASSERTIONS prev : P >+> P; !(a, b).(a |-> b : next => prev(b) = a)
     INITIALISATION next, prev, in, k := {}, {}, {}, 0
     OPERATIONS
       link(a, b) = PRE a : P & b : P & a /: dom(next) & b /: ran(next) THEN
         next(a) := b || prev(b) := a || in := in \\/ {a, b} || k := k + 1 END;
       cut(a) = PRE a : dom(next) THEN
         LET b BE b = next(a) IN
           next := {a} <<| next || prev := prev |>> {a} || in := dom({a} <<| next) \\/ ran(next |>> {b}) END END;
       turn = BEGIN next := next~; prev := prev~ END
     END",
    "MACHINE Queue SETS M VARIABLES q, seen, len INVARIANT q : seq(M) & seen <: M & ran(q) <: seen & len : INTEGER
       & len = size(q) & (q /= [] => first(q) : seen)
     INITIALISATION q := [] || seen := {} || len := 0
     OPERATIONS
       send(m) = PRE m : M THEN q := q <- m || seen := seen \\/ {m} || len := len + 1 END;
       m <-- get = PRE q /= [] THEN m := first(q) || q := tail(q) || len := len - 1 END;
       flush = BEGIN q := []; len := size(q) END;
       swap = SELECT size(q) >= 2 THEN q := q <+ {1 |-> q(2), 2 |-> q(1)} END
     END",
];

#[derive(Default, Debug)]
struct Counts {
    machines: usize,
    discharged: usize,
    refuted: usize,
    undecided: usize,
    /// Obligations discharged in terms of arrays that are also proved in first-order logic.
    also_proved: usize,
    /// Undecided obligations that are proved in first-order logic.
    more: usize,
}

/// Returns the obligations that one form refutes and the other proves.
fn compare(model: &Arc<Model>, scope: &Scope, counts: &mut Counts) -> Vec<String> {
    let terms = Rc::new(Terms::new());
    let Generated { mut all, families, complete, carriers, system, asked, .. } =
        generate(&terms, model, scope);
    let Some(system) = system else { return vec![] };
    let mut open = open_default;
    let budget = Budget::unlimited().per_query(Duration::from_millis(150));
    let mut prover = Prover::new(terms, &mut open, budget.clone());
    prover.also_reading(carriers);
    let asked_for: Vec<bool> = all.iter().map(|p| p.status == Status::Unattempted).collect();
    let mut own = Rounds::new(&mut prover, &families, &mut all, complete, Others::default());
    own.pending.clone_from(&asked_for);
    let (shared, mut ignore) = (Shared::default(), |_: &Proof| {});
    std::thread::scope(|threads| {
        let mut crew = Crew::new(own, &mut ignore, None, threads, &shared);
        prove_in_rounds(&mut crew, &asked_for, &budget).expect("a solver");
    });
    let first_order = FirstOrder::new(model, Some(&system), &asked, scope);
    counts.machines += 1;
    let mut wrong = vec![];
    for i in 0..all.len() {
        let count = match all[i].status {
            Status::Discharged => &mut counts.discharged,
            Status::Refuted => &mut counts.refuted,
            Status::Unknown => &mut counts.undecided,
            _ => continue,
        };
        *count += 1;
        let time = Duration::from_millis(150);
        let outcome = first_order.attempt(i, &all, &mut prover, &budget, time).expect("a solver");
        if outcome == Decision::Proved {
            match all[i].status {
                Status::Discharged => counts.also_proved += 1,
                Status::Unknown => counts.more += 1,
                _ => wrong.push(all[i].name.clone()),
            }
        }
    }
    wrong
}

#[test]
fn what_arrays_refute_first_order_logic_does_not_prove() {
    if solver().is_none() {
        return;
    }
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let mut models: Vec<(String, Model)> =
        MACHINES.iter().map(|text| model(text)).map(|m| (m.name.clone(), m)).collect();
    let listed = std::env::var("BSYM_MACHINES").unwrap_or_default();
    for path in listed.split(':').filter(|p| !p.is_empty()).map(PathBuf::from) {
        match load_model(Path::new(&path)).ok().and_then(|l| l.model) {
            Some(model) => models.push((path.display().to_string(), model)),
            None => eprintln!("{} does not load", path.display()),
        }
    }
    let (first, mutants) = (number("BSYM_SEED", 1), number("BSYM_MUTANTS", 1));
    let mut counts = Counts::default();
    let mut wrong = vec![];
    for (name, original) in &models {
        for seed in std::iter::once(0).chain(first..first + mutants) {
            let changed = if seed == 0 { Some(original.clone()) } else { mutant(original, Parts::All, seed) };
            let Some(changed) = changed else { continue };
            let Ok(scope) = Scope::settle(&changed, &ScopeRequest::default()) else { continue };
            let scope = scope.with_open_sets(&changed, |_| 1 + seed % 3);
            for obligation in compare(&Arc::new(changed), &scope, &mut counts) {
                eprintln!("{name}, mutant {seed}: {obligation}");
                wrong.push(format!("{name}, mutant {seed}: {obligation}"));
            }
        }
    }
    eprintln!("{counts:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.refuted > 0 && counts.also_proved > counts.discharged / 2, "{counts:#?}");
}
