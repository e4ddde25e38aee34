//! Problems in TPTP mean what the terms mean, for the provers that are installed.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{RawAnswer, SolverError, find_solver, run_prover, tptp};
use bsym_encodings::term::{SortKind, Term, Terms};
use bsym_testing::skipped;

fn answer(path: &Path, t: &Rc<Terms>, assertions: &[Term], seconds: u64) -> Result<RawAnswer, SolverError> {
    let problem = tptp(t, assertions).expect("first-order logic");
    let arguments: &[&str] = if path.ends_with("eprover") {
        &["--auto-schedule", "--silent", "--tptp3-format", "--cpu-limit=10"]
    } else {
        &["--mode", "casc", "--input_syntax", "tptp", "--proof", "off", "-t", "10"]
    };
    run_prover(path, arguments, problem, &Budget::unlimited().per_query(Duration::from_secs(seconds)))
}

/// Each formula is valid, and so is none of their negations. The last are about numbers.
fn valid(t: &Terms) -> (Vec<Term>, Vec<Term>) {
    let person = t.sort(SortKind::Uninterpreted("Person's".into()));
    let colour = t.sort(SortKind::Enum("colour".into(), ["red".into(), "green".into()].into()));
    let (red, green) = (t.constructor(colour, 0), t.constructor(colour, 1));
    let nested = t.tuple_sort(&[t.tuple_sort(&[person, colour]), person]);
    let likes = t.symbol("likes", t.array_sort(nested, Terms::BOOL));
    let age = t.symbol("age", t.array_sort(person, Terms::INT));
    let marked = t.symbol("marked", t.array_sort(Terms::BOOL, Terms::BOOL));
    let (x, y, c, p) =
        (t.symbol("x y", person), t.symbol("y", person), t.symbol("c", colour), t.symbol("p", Terms::BOOL));
    let (n, m) = (t.symbol("n", Terms::INT), t.symbol("m", Terms::INT));
    let like = |a, k, b| t.select(likes, t.tuple(&[t.tuple(&[a, k]), b]));
    let id = |s| t.as_symbol(s).expect("a symbol");
    let z = t.fresh("z", person);
    let all = t.forall(&[id(z)], like(z, red, z));
    let none = t.not(t.exists(&[id(z)], like(z, green, y)));
    let q = t.fresh("q", Terms::BOOL);
    let every = t.forall(&[id(q)], t.eq(t.select(marked, q), q));
    let two = t.int(2);
    let (div, rem) = (t.div(n, two), t.modulo(n, two));
    let logic = vec![
        t.implies(all, like(x, red, x)),
        t.implies(none, t.not(like(x, green, y))),
        t.or([t.eq(c, red), t.eq(c, green)]),
        t.not(t.eq(red, green)),
        t.implies(t.eq(x, y), t.eq(t.select(age, x), t.select(age, y))),
        t.eq(t.ite(p, all, none), t.or([t.and([p, all]), t.and([t.not(p), none])])),
        t.implies(
            t.and([t.select(marked, Terms::TRUE), t.select(marked, Terms::FALSE)]),
            t.select(marked, p),
        ),
        t.implies(every, t.eq(t.select(marked, t.eq(x, y)), t.eq(x, y))),
        t.implies(p, t.eq(t.ite(p, x, y), x)),
    ];
    let numbers = vec![
        t.implies(t.lt(n, m), t.le(t.add([n, t.int(1)]), m)),
        t.implies(t.lt(t.int(-3), n), t.le(t.int(-2), n)),
        t.eq(n, t.add([t.mul(two, div), rem])),
    ];
    (logic, numbers)
}

#[test]
fn provers_agree_with_the_meaning_of_terms() {
    for name in ["vampire", "eprover"] {
        let Some(path) = find_solver(name) else {
            skipped(name);
            continue;
        };
        let t = Rc::new(Terms::new());
        let (mut all, numbers) = valid(&t);
        // E computes with no numbers.
        if name == "vampire" {
            all.extend(numbers);
        }
        for &formula in &all {
            let text = t.text(formula);
            assert_eq!(answer(&path, &t, &[t.not(formula)], 10), Ok(RawAnswer::Unsat), "{name}: {text}");
            assert_ne!(answer(&path, &t, &[formula], 1), Ok(RawAnswer::Unsat), "{name}: {text}");
        }
        let problem = "tff(a, axiom, undeclared(nonsense".to_string();
        assert!(run_prover(&path, &[], problem, &Budget::unlimited()).is_err(), "{name}");
        let now = Budget::unlimited().per_query(Duration::ZERO);
        let stopped = run_prover(&path, &[], String::new(), &now);
        assert!(matches!(stopped, Ok(RawAnswer::Unknown(_))), "{name}: {stopped:?}");
    }
}

#[test]
fn what_is_not_first_order_is_refused() {
    let t = Rc::new(Terms::new());
    let set = t.array_sort(t.sort(SortKind::Uninterpreted("S".into())), Terms::BOOL);
    let (a, b) = (t.symbol("a", set), t.symbol("b", set));
    let refused = tptp(&t, &[t.eq(a, b)]);
    assert!(matches!(refused, Err(SolverError::Inexpressible(_))), "{refused:?}");
}
