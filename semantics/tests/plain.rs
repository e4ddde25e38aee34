//! The evaluator against itself without narrowing: random formulas with binders over small types.

use bsym_language::load::{check_predicate, load_text};
use bsym_language::stack::with_large_stack;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::env::Env;

/// Formulas that are compared where `BSYM_PREDICATES` does not say how many. 20 000 agree as well, in 1 min 40 s of
/// processor time in a release build.
const FORMULAS: u64 = 600;
/// Combinations of values of the unknowns of one binder that are listed.
const LISTED: usize = 1 << 8;

#[derive(Clone, PartialEq)]
enum Kind {
    Truth,
    S,
    T,
    Set(Box<Kind>),
    Pair(Box<Kind>, Box<Kind>),
}

use Kind::{Pair, S, Set, T, Truth};

fn set(of: &Kind) -> Kind {
    Set(Box::new(of.clone()))
}

fn pair(a: &Kind, b: &Kind) -> Kind {
    Pair(Box::new(a.clone()), Box::new(b.clone()))
}

struct Random {
    numbers: fastrand::Rng,
    locals: Vec<(String, Kind)>,
    names: usize,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { numbers: fastrand::Rng::with_seed(seed), locals: vec![], names: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.numbers.usize(..n)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn point(&mut self) -> Kind {
        [S, T, Truth][self.below(3)].clone()
    }

    /// A type with few values.
    fn kind(&mut self) -> Kind {
        match self.below(6) {
            0..3 => self.point(),
            3 => set(&self.point()),
            4 => set(&pair(&S, &T)),
            _ => pair(&self.point(), &self.point()),
        }
    }

    /// Binds some names, and returns them with what `inside` makes with them.
    fn bound<R>(
        &mut self,
        kinds: &[Kind],
        inside: impl FnOnce(&mut Random, &[String]) -> R,
    ) -> (Vec<String>, R) {
        let outer = self.locals.len();
        let mut names = vec![];
        for kind in kinds {
            self.names += 1;
            let name = format!("v{}", self.names);
            self.locals.push((name.clone(), kind.clone()));
            names.push(name);
        }
        let made = inside(self, &names);
        self.locals.truncate(outer);
        (names, made)
    }

    fn typing(&mut self, names: &[String], kinds: &[Kind]) -> String {
        let all: Vec<String> =
            names.iter().zip(kinds).map(|(n, k)| format!("{n} : {}", self.whole(k))).collect();
        all.join(" & ")
    }

    /// The set of all values of a type.
    fn whole(&self, kind: &Kind) -> String {
        match kind {
            Truth => "BOOL".into(),
            S => "S".into(),
            T => "T".into(),
            Set(of) => format!("POW({})", self.whole(of)),
            Pair(a, b) => format!("({} * {})", self.whole(a), self.whole(b)),
        }
    }

    fn expression(&mut self, kind: &Kind, height: usize) -> String {
        let of_kind: Vec<String> =
            self.locals.iter().filter(|(_, k)| k == kind).map(|(n, _)| n.clone()).collect();
        if !of_kind.is_empty() && (height == 0 || self.below(2) == 0) {
            return of_kind[self.below(of_kind.len())].clone();
        }
        if height == 0 {
            return match kind {
                Truth => self.pick(&["TRUE", "FALSE"]).into(),
                S => self.pick(&["s1", "s2"]).into(),
                T => self.pick(&["t1", "t2", "t3"]).into(),
                Set(_) => "{}".into(),
                Pair(a, b) => format!("({} |-> {})", self.expression(a, 0), self.expression(b, 0)),
            };
        }
        let below = height - 1;
        match kind {
            Truth => format!("bool({})", self.predicate(below)),
            // A function may be applied outside of its domain.
            S | T => {
                let from = self.point();
                let f = self.expression(&set(&pair(&from, kind)), below);
                format!("{f}({})", self.expression(&from, below))
            }
            Pair(a, b) => format!("({} |-> {})", self.expression(a, below), self.expression(b, below)),
            Set(of) => match self.below(7) {
                0 => self.whole(of),
                1 => format!("{{{}}}", self.expression(of, below)),
                2 | 3 => {
                    let op = self.pick(&["\\/", "/\\", "-"]);
                    format!("({} {op} {})", self.expression(kind, below), self.expression(kind, below))
                }
                4 => {
                    let kinds = [(**of).clone()];
                    let (names, pred) = self.bound(&kinds, |g, _| g.predicate(below));
                    let typing = self.typing(&names, &kinds);
                    format!("{{{} | {typing} & {pred}}}", names[0])
                }
                5 => match &**of {
                    Pair(a, b) => {
                        let (part, op) = (self.expression(&set(a), below), self.pick(&["<|", "<<|"]));
                        format!("({part} {op} {})", self.expression(&set(&pair(a, b)), below))
                    }
                    to => {
                        let from = self.point();
                        format!("ran({})", self.expression(&set(&pair(&from, to)), below))
                    }
                },
                _ => {
                    let kinds = [self.point()];
                    let (names, (pred, sets)) =
                        self.bound(&kinds, |g, _| (g.predicate(below), g.expression(kind, below)));
                    let typing = self.typing(&names, &kinds);
                    format!("UNION({}).({typing} & {pred} | {sets})", names[0])
                }
            },
        }
    }

    fn predicate(&mut self, height: usize) -> String {
        if height == 0 {
            let kind = self.point();
            return format!(
                "{} {} {}",
                self.expression(&kind, 0),
                self.pick(&["=", "/="]),
                self.expression(&kind, 0)
            );
        }
        let below = height - 1;
        match self.below(8) {
            0 => {
                let op = self.pick(&["&", "or", "=>", "<=>"]);
                format!("(({}) {op} ({}))", self.predicate(below), self.predicate(below))
            }
            1 => format!("not({})", self.predicate(below)),
            2 => {
                let kind = self.kind();
                let op = self.pick(&["=", "/="]);
                format!("{} {op} {}", self.expression(&kind, below), self.expression(&kind, below))
            }
            3 => {
                let kind = self.kind();
                let op = self.pick(&[":", "/:"]);
                format!("{} {op} {}", self.expression(&kind, below), self.expression(&set(&kind), below))
            }
            4 => {
                let kind = set(&self.point());
                format!("{} <: {}", self.expression(&kind, below), self.expression(&kind, below))
            }
            more => {
                let kinds: Vec<Kind> = (0..1 + self.below(2)).map(|_| self.kind()).collect();
                let (names, (a, b)) =
                    self.bound(&kinds, |g, _| (g.predicate(below), g.predicate(height / 2)));
                let typing = self.typing(&names, &kinds);
                let names = names.join(", ");
                match more {
                    5 | 6 => format!("!({names}).({typing} & {a} => {b})"),
                    _ => format!("#({names}).({typing} & {a} & {b})"),
                }
            }
        }
    }
}

/// Compares the formulas of some seeds; returns how many have a truth value and how many are ill-defined.
fn compare(seeds: std::ops::Range<u64>) -> (u64, u64) {
    let text = "MACHINE M SETS S = {s1, s2}; T = {t1, t2, t3} END";
    let model = load_text("M.mch", text).model.expect("a machine");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    let (mut decided, mut ill_defined) = (0, 0);
    for seed in seeds {
        let formula = Random::new(seed).predicate(2 + (seed % 3) as usize);
        let mut model = model.clone();
        let pred = check_predicate(&mut model, &formula).unwrap_or_else(|d| panic!("{formula}: {d:?}"));
        let eval = Evaluator::new(&model, &scope);
        let narrowed = eval.pred(&Env::default(), &pred).map_err(|e| e.kind);
        let plain = eval.plain(LISTED).pred(&Env::default(), &pred).map_err(|e| e.kind);
        assert_eq!(narrowed, plain, "seed {seed}: {formula}");
        match narrowed {
            Ok(_) => decided += 1,
            Err(EvalErrorKind::IllDefined) => ill_defined += 1,
            Err(e) => panic!("seed {seed}: {formula}: {e:?}"),
        }
    }
    (decided, ill_defined)
}

#[test]
fn no_solution_is_lost_by_narrowing() {
    let count = std::env::var("BSYM_PREDICATES").ok().and_then(|n| n.parse().ok()).unwrap_or(FORMULAS);
    let (decided, ill_defined) = with_large_stack(move || compare(1..count + 1));
    assert_eq!(decided + ill_defined, count);
    assert!(decided > count / 2, "{decided} of {count} have a truth value");
    assert!(ill_defined > count / 50, "{ill_defined} of {count} are ill-defined");
}

/// Neither a false conjunct behind one that is ill-defined for some instances nor an empty set of candidates hides them.
#[test]
fn narrowing_hides_no_ill_definedness() {
    let text = "MACHINE M SETS S = {s1, s2}; T = {t1, t2, t3} END";
    let model = load_text("M.mch", text).model.expect("a machine");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    for formula in [
        "#f.(f : POW(S * T) & #y.(y : T & f(s2) = y & s1 = s2))",
        "!f.(f : POW(S * T) & #y.(y : T & f(s2) = y & s1 = s2) => s1 = s2)",
        "!x.(x : BOOL & ({}(s1) |-> x) : {} => s1 = s1)",
        "#(x, y).(x : BOOL & y : BOOL & (x |-> {}(s1)) : {} & y = x)",
        "{f | f : POW(S * T) & not(!y.(y : T => not(f(s2) = y & s1 = s2)))} = {}",
    ] {
        let mut model = model.clone();
        let pred = check_predicate(&mut model, formula).unwrap_or_else(|d| panic!("{formula}: {d:?}"));
        let truth = Evaluator::new(&model, &scope).pred(&Env::default(), &pred).map_err(|e| e.kind);
        assert_eq!(truth, Err(EvalErrorKind::IllDefined), "{formula}");
    }
}
