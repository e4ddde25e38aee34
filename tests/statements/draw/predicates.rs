//! Predicates, and quantifiers over small sets.

use super::super::domain::{Domain, Kind};
use super::super::machine::Formula;
use super::{Draw, Name};

impl Draw {
    pub(super) fn predicate(&mut self, depth: usize) -> Formula {
        self.nesting += 1;
        let p = self.drawn_predicate(depth);
        self.nesting -= 1;
        p
    }

    pub(super) fn drawn_predicate(&mut self, depth: usize) -> Formula {
        let smaller = |all: &[&Formula]| all.iter().map(|f| (*f).clone()).collect::<Vec<_>>();
        if depth > 0 {
            let n = depth - 1;
            match self.below(9) {
                0 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} & {q})"), smaller(&[&p, &q]));
                }
                1 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} or {q})"), smaller(&[&p, &q]));
                }
                2 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} => {q})"), smaller(&[&q, &p]));
                }
                3 => {
                    let p = self.predicate(n);
                    return Formula::with(format!("not({p})"), smaller(&[&p]));
                }
                4 if self.nesting < 4 => return self.quantified(n),
                _ => {}
            }
        }
        self.comparison(depth)
    }

    pub(super) fn quantified(&mut self, n: usize) -> Formula {
        let Some(domain) = self.bound_domain() else { return self.comparison(n) };
        let name = self.fresh("z");
        self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
        let p = self.predicate(n);
        self.names.pop();
        let set = domain.text();
        Formula::new(match self.one_in(2) {
            true => format!("!{name}.({name} : {set} => {p})"),
            false => format!("#{name}.({name} : {set} & {p})"),
        })
    }

    /// A comparison of something that has a name with another value.
    pub(super) fn comparison(&mut self, depth: usize) -> Formula {
        let known: Vec<Name> = self.names.iter().filter(|n| n.assigned).cloned().collect();
        if known.is_empty() {
            return Formula::new(self.pick(&["1 = 1", "TRUE /= FALSE", "1 < 0", "{1} /= {2}"]));
        }
        let n = self.pick(&known);
        let kind = n.domain.kind();
        let left = Formula::new(n.name.clone());
        let outer = self.avoid.replace(n.name.clone());
        let other = |g: &mut Draw| match g.value(&n.domain) {
            Some(v) if g.one_in(2) => v,
            _ => g.expression(&kind, depth),
        };
        let text = match (&kind, self.below(5)) {
            (Kind::Int, 0..=2) => {
                let op = self.pick(&["<", "<=", ">", ">="]);
                format!("{left} {op} {}", other(self))
            }
            (Kind::Set(of), 0) => {
                let element = self.expression(of, depth.min(1));
                let op = self.pick(&[":", "/:"]);
                format!("{element} {op} {left}")
            }
            (Kind::Set(of), 1) => {
                let op = self.pick(&["<:", "/<:"]);
                match &**of {
                    Kind::Carrier(s) if self.one_in(3) => format!("{s} {op} {left}"),
                    _ => format!("{left} {op} {}", other(self)),
                }
            }
            (Kind::Set(of), 2) => match (&**of, &n.domain) {
                (Kind::Carrier(s), _) => format!("{left} {} {s}", self.pick(&["=", "/="])),
                (Kind::Pair(..), Domain::Arrow(_, a, b)) => {
                    let op = self.pick(&["=", "/="]);
                    match self.one_in(2) {
                        true => format!("dom({left}) {op} {}", a.operand()),
                        false => format!("ran({left}) {op} {}", b.operand()),
                    }
                }
                _ => format!("card({left}) {} {}", self.pick(&["<", ">", "="]), self.below(3)),
            },
            (Kind::Set(of), 3) => match &**of {
                // A function is applied only where its domain is asked first.
                Kind::Pair(a, b) if !matches!(n.domain, Domain::Arrow("<->", ..)) => {
                    let (x, y) = (self.atom(a), self.atom(b));
                    format!("({x} : dom({left}) & {left}({x}) = {y})")
                }
                _ => format!("card({left}) <= {}", self.below(3)),
            },
            (Kind::Record(a, _), 0..=2) => format!("({left}'a) = {}", self.expression(a, depth.min(1))),
            _ => format!("{left} {} {}", self.pick(&["=", "/="]), other(self)),
        };
        self.avoid = outer;
        Formula::new(text)
    }
}
