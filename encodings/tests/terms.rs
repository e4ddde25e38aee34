//! Random formulas over every operator on terms: the SAT solver against their meaning without a solver, and against
//! the linked Z3, each formula and its negation.
//!
//! A model must satisfy the formula, an `unsat` no sampled values, and the two solvers never differ.
//! `BSYM_TERMS=20000 BSYM_SEED=1 cargo test --release --test terms` asks for more.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::evaluate::{Assignment, evaluate};
use bsym_encodings::session::{Answer, Session, TermValue, linked, sat};
use bsym_encodings::term::{Sort, SortKind, SymbolId, Term, Terms};

/// Numbers that are the same on every machine.
struct Random(fastrand::Rng);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n)
    }
}

struct Generator {
    t: Rc<Terms>,
    random: Random,
    color: Sort,
    pair: Sort,
    /// Symbols that may be used, bound ones among them.
    symbols: Vec<Term>,
    free: Vec<Term>,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let t = Rc::new(Terms::new());
        let color =
            t.sort(SortKind::Enum("color".into(), ["red".into(), "green".into(), "blue".into()].into()));
        let pair = t.tuple_sort(&[Terms::INT, color]);
        let sorts = [
            ("p", Terms::BOOL),
            ("q", Terms::BOOL),
            ("x", Terms::INT),
            ("y", Terms::INT),
            ("z", Terms::INT),
            ("c", color),
            ("d", color),
            ("w", pair),
            ("m", t.set_sort(color)),
            ("n", t.set_sort(color)),
            ("s", t.set_sort(Terms::INT)),
            ("f", t.array_sort(color, Terms::INT)),
            ("g", t.array_sort(Terms::INT, color)),
            ("h", t.array_sort(Terms::INT, Terms::INT)),
            ("r", t.set_sort(pair)),
            ("o", t.set_sort(t.set_sort(color))),
        ];
        let free: Vec<Term> = sorts.iter().map(|&(name, sort)| t.symbol(name, sort)).collect();
        let random = Random(fastrand::Rng::with_seed(seed));
        let mut g = Generator { t, random, color, pair, symbols: free.clone(), free };
        for _ in 0..8 {
            g.random.below(2);
        }
        g
    }

    fn sorts(&self) -> Vec<Sort> {
        let mut all: Vec<Sort> = self.free.iter().map(|&s| self.t.sort_of(s)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// A term of a sort.
    fn term(&mut self, sort: Sort, depth: usize) -> Term {
        let t = self.t.clone();
        let known: Vec<Term> = self.symbols.iter().copied().filter(|&s| t.sort_of(s) == sort).collect();
        if depth == 0 || self.random.below(6) == 0 {
            return match t.sort_kind(sort) {
                SortKind::Int if self.random.below(2) == 0 => t.int(self.random.below(9) as i64 - 4),
                SortKind::Enum(..) if self.random.below(3) == 0 => {
                    t.constructor(sort, self.random.below(3) as u32)
                }
                _ if !known.is_empty() => known[self.random.below(known.len())],
                SortKind::Array(_, value) => {
                    let v = self.term(value, 0);
                    t.const_array(sort, v)
                }
                other => unreachable!("no symbol of {other:?}"),
            };
        }
        let depth = depth - 1;
        if self.random.below(8) == 0 && sort != Terms::BOOL {
            let c = self.term(Terms::BOOL, depth);
            let (a, b) = (self.term(sort, depth), self.term(sort, depth));
            return t.ite(c, a, b);
        }
        match t.sort_kind(sort) {
            SortKind::Bool => self.formula(depth),
            SortKind::Int => match self.random.below(9) {
                0 | 1 => t.add([self.term(sort, depth), self.term(sort, depth)]),
                2 => t.sub(self.term(sort, depth), self.term(sort, depth)),
                3 => t.mul(self.term(sort, depth), self.term(sort, depth)),
                4 => t.div(self.term(sort, depth), t.int([2, 3, -2, 5][self.random.below(4)])),
                5 => t.modulo(self.term(sort, depth), t.int([2, 3, -4, 5][self.random.below(4)])),
                6 => t.select(
                    self.term(t.array_sort(self.color, Terms::INT), depth),
                    self.term(self.color, depth),
                ),
                7 => t.select(
                    self.term(t.array_sort(Terms::INT, Terms::INT), depth),
                    self.term(Terms::INT, depth),
                ),
                _ => t.field(self.term(self.pair, depth), 0),
            },
            SortKind::Enum(..) => match self.random.below(3) {
                0 => t.select(
                    self.term(t.array_sort(Terms::INT, self.color), depth),
                    self.term(Terms::INT, depth),
                ),
                1 => t.field(self.term(self.pair, depth), 1),
                _ => {
                    let c = self.term(Terms::BOOL, depth);
                    t.ite(c, self.term(sort, depth), self.term(sort, depth))
                }
            },
            SortKind::Tuple(_) => t.tuple(&[self.term(Terms::INT, depth), self.term(self.color, depth)]),
            SortKind::Array(index, value) => {
                let choices = if value == Terms::BOOL { 8 } else { 4 };
                match self.random.below(choices) {
                    0 | 4 => {
                        let (a, i) = (self.term(sort, depth), self.term(index, depth));
                        t.store(a, i, self.term(value, depth))
                    }
                    1 => {
                        let v = self.term(value, depth);
                        t.const_array(sort, v)
                    }
                    2 => {
                        let mask = self.term(t.set_sort(index), depth);
                        let (a, b) = (self.term(sort, depth), self.term(sort, depth));
                        t.array_ite(mask, a, b)
                    }
                    3 => {
                        let i = t.fresh("i", index);
                        let kept = self.symbols.len();
                        self.symbols.extend([i; 4]);
                        let body = self.term(value, depth);
                        self.symbols.truncate(kept);
                        t.lambda(t.as_symbol(i).expect("a symbol"), body)
                    }
                    5 => t.set_union(self.term(sort, depth), self.term(sort, depth)),
                    6 => t.set_inter(self.term(sort, depth), self.term(sort, depth)),
                    _ => {
                        if self.random.below(2) == 0 {
                            t.set_complement(self.term(sort, depth))
                        } else {
                            t.set_minus(self.term(sort, depth), self.term(sort, depth))
                        }
                    }
                }
            }
            other => unreachable!("no operator to {other:?}"),
        }
    }

    fn formula(&mut self, depth: usize) -> Term {
        let t = self.t.clone();
        match self.random.below(12) {
            0 => t.not(self.term(Terms::BOOL, depth)),
            1 => t.and([self.term(Terms::BOOL, depth), self.term(Terms::BOOL, depth)]),
            2 => t.or([self.term(Terms::BOOL, depth), self.term(Terms::BOOL, depth)]),
            3 => {
                let c = self.term(Terms::BOOL, depth);
                t.ite(c, self.term(Terms::BOOL, depth), self.term(Terms::BOOL, depth))
            }
            4 | 5 => {
                let sorts = self.sorts();
                let sort = sorts[self.random.below(sorts.len())];
                t.eq(self.term(sort, depth), self.term(sort, depth))
            }
            6 => t.le(self.term(Terms::INT, depth), self.term(Terms::INT, depth)),
            7 => t.lt(self.term(Terms::INT, depth), self.term(Terms::INT, depth)),
            8 => {
                let indices = [self.color, Terms::INT, self.pair, t.set_sort(self.color)];
                let index = indices[self.random.below(4)];
                t.select(self.term(t.set_sort(index), depth), self.term(index, depth))
            }
            _ => {
                let sorts = [self.color, Terms::INT, self.pair, Terms::BOOL];
                let sort = sorts[self.random.below(4)];
                let i = t.fresh("i", sort);
                let kept = self.symbols.len();
                self.symbols.extend([i; 4]);
                let mut body = self.term(Terms::BOOL, depth);
                self.symbols.truncate(kept);
                let all = self.random.below(2) == 0;
                // Mostly over a range, as B writes it.
                let number = match t.sort_kind(sort) {
                    SortKind::Int => Some(i),
                    SortKind::Tuple(_) => Some(t.field(i, 0)),
                    _ => None,
                };
                if let Some(n) = number
                    && self.random.below(5) > 0
                {
                    let range = t.and([t.le(t.int(-1), n), t.le(n, self.term(Terms::INT, 1))]);
                    body = if all { t.implies(range, body) } else { t.and([range, body]) };
                }
                let id = t.as_symbol(i).expect("a symbol");
                if all { t.forall(&[id], body) } else { t.exists(&[id], body) }
            }
        }
    }

    fn sample(&mut self, sort: Sort) -> TermValue {
        match self.t.sort_kind(sort) {
            SortKind::Bool => TermValue::Bool(self.random.below(2) == 0),
            SortKind::Int => TermValue::Int((self.random.below(11) as i64 - 5).into()),
            SortKind::Enum(..) => TermValue::Constructor(sort, self.random.below(3) as u32),
            SortKind::Tuple(fields) => TermValue::Tuple(fields.iter().map(|&f| self.sample(f)).collect()),
            SortKind::Array(index, value) => {
                let default = self.sample(value);
                let mut entries = BTreeMap::new();
                for _ in 0..self.random.below(4) {
                    entries.insert(self.sample(index), self.sample(value));
                }
                let entries = entries.into_iter().filter(|(_, v)| *v != default).collect();
                TermValue::Array { default: Box::new(default), entries }
            }
            other => unreachable!("no values of {other:?}"),
        }
    }
}

#[derive(Default, Debug)]
struct Counts {
    models: usize,
    /// Models of formulas whose truth in them cannot be computed without a solver.
    unchecked: usize,
    refuted: usize,
    unknown: BTreeMap<String, usize>,
    /// What Z3 decides and the SAT solver does not.
    only_z3: usize,
    only_sat: usize,
}

fn id(t: &Terms, symbol: Term) -> SymbolId {
    t.as_symbol(symbol).expect("a symbol")
}

fn ask(session: &mut Session, formula: Term, time: u64) -> (Option<bool>, String) {
    let budget = Budget::unlimited().within(Duration::from_millis(time));
    match session.check(&[formula], &budget).expect("answers") {
        Answer::Sat(_) => (Some(true), String::new()),
        Answer::Unsat(_) => (Some(false), String::new()),
        Answer::Unknown(why) => (None, why.to_string()),
    }
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let mut g = Generator::new(seed);
    let t = g.t.clone();
    let depth = 2 + g.random.below(3);
    let formula = g.formula(depth);
    // In half of the cases the numbers are bounded by what is asserted.
    let mut background = vec![];
    if seed.is_multiple_of(2) {
        for name in ["x", "y", "z"] {
            let x = t.symbol(name, Terms::INT);
            background.push(t.and([t.le(t.int(-5), x), t.le(x, t.int(5))]));
        }
    }
    let mut propositional = sat(t.clone());
    let mut z3 = linked(t.clone());
    for &b in &background {
        for session in [Some(&mut propositional), z3.as_mut()].into_iter().flatten() {
            session.assert(b).expect("asserts");
        }
    }
    for formula in [formula, t.not(formula)] {
        if t.is_value(formula) {
            continue;
        }
        let budget = Budget::unlimited().within(Duration::from_millis(2000));
        let mut why = String::new();
        let ours = match propositional.check(&[formula], &budget).expect("answers") {
            Answer::Sat(mut model) => {
                let mut values = Assignment::default();
                for &s in &g.free {
                    values.insert(id(&t, s), model.value(s).map_err(|e| e.to_string())?);
                }
                let all = t.and(background.iter().copied().chain([formula]));
                match evaluate(&t, all, &values) {
                    Some(TermValue::Bool(true)) => counts.models += 1,
                    None => counts.unchecked += 1,
                    Some(_) => {
                        let shown: Vec<String> = t
                            .symbols(&[all])
                            .iter()
                            .map(|s| format!("{} = {:?}", t.symbol_name(*s), values[s]))
                            .collect();
                        return Err(format!(
                            "a model that is none: {}\n  {}",
                            t.text(all),
                            shown.join("\n  ")
                        ));
                    }
                }
                Some(true)
            }
            Answer::Unsat(_) => {
                counts.refuted += 1;
                for _ in 0..40 {
                    let values: Assignment =
                        g.free.clone().into_iter().map(|s| (id(&t, s), g.sample(t.sort_of(s)))).collect();
                    let all = t.and(background.iter().copied().chain([formula]));
                    if evaluate(&t, all, &values) == Some(TermValue::Bool(true)) {
                        return Err(format!("refuted, but true under {values:?}: {}", t.text(all)));
                    }
                }
                Some(false)
            }
            Answer::Unknown(reason) => {
                why = reason.to_string();
                None
            }
        };
        let theirs = z3.as_mut().and_then(|z3| ask(z3, formula, 300).0);
        match (ours, theirs) {
            (Some(a), Some(b)) if a != b => {
                return Err(format!("sat {a}, z3 {b}: {}\n  under {:?}", t.text(formula), background.len()));
            }
            (Some(_), None) => counts.only_sat += 1,
            (None, Some(_)) => counts.only_z3 += 1,
            _ => {}
        }
        if ours.is_none() {
            *counts.unknown.entry(why).or_default() += 1;
        }
    }
    Ok(())
}

#[test]
fn random_formulas_have_one_answer() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let (first, count) = (number("BSYM_SEED", 1), number("BSYM_TERMS", 80));
    let mut counts = Counts::default();
    let mut failures = vec![];
    for seed in first..first + count {
        if let Err(why) = compare(seed, &mut counts) {
            failures.push(format!("seed {seed}: {why}"));
        }
    }
    eprintln!("{counts:#?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(counts.models > 0 && counts.refuted > 0, "{counts:?}");
}
