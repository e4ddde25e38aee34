//! Expressions of a type.

use super::super::domain::{Domain, Kind};
use super::super::machine::Formula;
use super::{Draw, Name};

impl Draw {
    /// Draws any well-typed expression.
    pub(super) fn expression(&mut self, kind: &Kind, depth: usize) -> Formula {
        let atom = self.atom(kind);
        if depth == 0 {
            return atom;
        }
        let n = depth - 1;
        let with = |text: String| Formula::with(text, vec![atom.clone()]);
        if self.one_in(5)
            && let Some(text) = self.application(kind, n)
        {
            return with(text);
        }
        match kind {
            Kind::Int => match self.below(9) {
                0 | 1 => with(format!("({} + {})", self.expression(kind, n), self.expression(kind, n))),
                2 => with(format!("({} - {})", self.expression(kind, n), self.expression(kind, n))),
                3 => with(format!("({} * {})", self.expression(kind, n), self.pick(&["2", "3", "(-1)"]))),
                4 => with(format!("({} / {})", self.expression(kind, n), self.divisor(n))),
                5 => match self.counted() {
                    Some(set) => with(format!("card({set})")),
                    None => atom,
                },
                6 => match self.sequence() {
                    Some(s) => with(format!("size({s})")),
                    None => atom,
                },
                _ => atom,
            },
            Kind::Bool if self.nesting < 3 && self.one_in(2) => with(format!("bool({})", self.predicate(n))),
            Kind::Set(of) => self.set_expression(kind, of, n, atom),
            Kind::Pair(a, b) => with(format!("({} |-> {})", self.expression(a, n), self.expression(b, n))),
            Kind::Record(a, b) => {
                with(format!("rec(a : {}, b : {})", self.expression(a, n), self.expression(b, n)))
            }
            _ => atom,
        }
    }

    pub(super) fn divisor(&mut self, n: usize) -> Formula {
        if self.one_in(5) {
            self.expression(&Kind::Int, n)
        } else {
            Formula::new(self.pick(&["2", "3", "(-2)"]))
        }
    }

    pub(super) fn set_expression(&mut self, kind: &Kind, of: &Kind, n: usize, atom: Formula) -> Formula {
        let with = |text: String| Formula::with(text, vec![atom.clone()]);
        match (self.below(9), of) {
            (0..=2, _) => {
                let op = self.pick(&["\\/", "/\\", "-"]);
                with(format!("({} {op} {})", self.expression(kind, n), self.expression(kind, n)))
            }
            (3, _) => with(format!("{{{}}}", self.expression(of, n))),
            (4, Kind::Pair(a, b)) => {
                with(format!("({} <+ {{{} |-> {}}})", atom, self.expression(a, n), self.expression(b, n)))
            }
            (5, Kind::Pair(a, b)) if **a == Kind::Int => match self.sequence_of(b) {
                Some(s) => {
                    let x = self.expression(b, n);
                    match self.below(5) {
                        0 => with(format!("({s} <- {x})")),
                        1 => with(format!("({x} -> {s})")),
                        2 => with(format!("tail({s} <- {x})")),
                        3 => with(format!("front({s} <- {x})")),
                        _ => with(format!("rev({s})")),
                    }
                }
                None => atom,
            },
            (5, Kind::Pair(a, b)) => {
                let back = Kind::Set(Box::new(Kind::Pair(b.clone(), a.clone())));
                with(format!("({}~)", self.expression(&back, n)))
            }
            (6 | 7, _) => {
                // The domain, range or image of something that has a name.
                let all = self.names.clone();
                let named: Vec<String> = all
                    .iter()
                    .filter(|k| k.assigned)
                    .filter_map(|k| match k.domain.kind() {
                        Kind::Set(pair) => match *pair {
                            Kind::Pair(a, _) if *a == *of => Some(format!("dom({})", k.name)),
                            Kind::Pair(_, b) if *b == *of => Some(format!("ran({})", k.name)),
                            _ => None,
                        },
                        _ => None,
                    })
                    .collect();
                if named.is_empty() { atom } else { with(self.pick(&named)) }
            }
            _ => atom,
        }
    }

    /// A function applied to a point of its domain, mostly, or a field of a record.
    pub(super) fn application(&mut self, kind: &Kind, n: usize) -> Option<String> {
        let candidates: Vec<Name> = self
            .names
            .iter()
            .filter(|k| k.assigned)
            .filter(|k| match k.domain.kind() {
                Kind::Set(pair) => matches!(*pair, Kind::Pair(_, b) if *b == *kind),
                Kind::Record(a, b) => *a == *kind || *b == *kind,
                _ => false,
            })
            .cloned()
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let k = self.pick(&candidates);
        match &k.domain {
            Domain::Record(a, _) => {
                Some(format!("({}'{})", k.name, if a.kind() == *kind { "a" } else { "b" }))
            }
            Domain::Arrow("-->", a, _) => Some(format!("{}({})", k.name, self.value(a)?)),
            Domain::Sequence(..) if self.one_in(2) => {
                let op = self.pick(&["first", "last"]);
                Some(format!("{op}({} <- {})", k.name, self.expression(kind, 0)))
            }
            Domain::Arrow(_, a, _) if self.one_in(4) => {
                Some(format!("{}({})", k.name, self.expression(&a.kind(), n)))
            }
            Domain::Arrow(_, a, _) => {
                let (x, y) = (self.value(a)?, self.atom(kind));
                Some(format!("({} <+ {{{x} |-> {y}}})({x})", k.name))
                    .filter(|_| !matches!(k.domain, Domain::Arrow("<->", ..)))
            }
            _ => None,
        }
    }

    /// A set to be counted: something with a name.
    pub(super) fn counted(&mut self) -> Option<String> {
        let sets: Vec<String> = self
            .names
            .iter()
            .filter(|n| n.assigned && matches!(n.domain.kind(), Kind::Set(_)))
            .map(|n| n.name.clone())
            .collect();
        (!sets.is_empty()).then(|| self.pick(&sets))
    }

    pub(super) fn sequence(&mut self) -> Option<String> {
        let all = self.names.iter().filter(|n| n.assigned && matches!(n.domain, Domain::Sequence(..)));
        let all: Vec<String> = all.map(|n| n.name.clone()).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    pub(super) fn sequence_of(&mut self, of: &Kind) -> Option<String> {
        let is = |d: &Domain| matches!(d, Domain::Sequence(a, _) if a.kind() == *of);
        let all = self.names.iter().filter(|n| n.assigned && is(&n.domain));
        let all: Vec<String> = all.map(|n| n.name.clone()).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    /// A name or literal.
    pub(super) fn atom(&mut self, kind: &Kind) -> Formula {
        let named = self.named(kind);
        let other: Vec<String> = named.iter().filter(|n| Some(*n) != self.avoid.as_ref()).cloned().collect();
        if !other.is_empty() && self.below(4) > 0 {
            return Formula::new(self.pick(&other));
        }
        Formula::new(match kind {
            Kind::Int => {
                // Mostly small; what is beyond MAXINT is where integers differ.
                if self.one_in(20) {
                    self.pick(&["MAXINT", "MININT"]).to_string()
                } else {
                    self.pick(&["0", "1", "2", "3", "(-1)", "5"]).to_string()
                }
            }
            Kind::Bool => self.pick(&["TRUE", "FALSE"]).into(),
            Kind::Text => self.pick(&["\"a\"", "\"b\"", "\"c\""]).into(),
            Kind::Carrier(set) => {
                let elements = self.sets.iter().find(|(n, _)| n == set).map_or(vec![], |(_, e)| e.clone());
                match elements.is_empty() {
                    // No element has a name: some element, by a function that every set has a value of.
                    true if named.is_empty() => self.some_element(set),
                    true => self.pick(&named),
                    false => self.pick(&elements),
                }
            }
            Kind::Pair(a, b) => format!("({} |-> {})", self.atom(a), self.atom(b)),
            Kind::Record(a, b) => format!("rec(a : {}, b : {})", self.atom(a), self.atom(b)),
            Kind::Set(of) => match (self.below(4), &**of) {
                (0, _) if !self.typed => "{}".into(),
                (1, Kind::Carrier(set)) => set.clone(),
                (1, Kind::Bool) => "BOOL".into(),
                (1, Kind::Int) => self.pick(&["(0..2)", "(1..3)", "{0, 2}", "INT", "NAT1"]).into(),
                (1, Kind::Pair(a, b)) => match (&**a, &**b) {
                    (Kind::Carrier(s), Kind::Carrier(t)) => format!("({s} * {t})"),
                    (Kind::Carrier(s), _) => format!("({s} * {{{}}})", self.atom(b)),
                    _ => format!("{{{} |-> {}}}", self.atom(a), self.atom(b)),
                },
                _ => format!("{{{}}}", self.atom(of)),
            },
        })
    }

    /// An element of a deferred set where none has a name: ill-defined unless the set has one element.
    pub(super) fn some_element(&mut self, set: &str) -> String {
        format!("({{0}} * {set})(0)")
    }
}
