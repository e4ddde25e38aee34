//! Formulas about relations.

use super::super::super::machine::Formula;
use super::Sort::*;
use super::{Known, Relations, Sort};

impl Relations {
    /// Returns a name of the sort, or a formula without parts.
    pub(super) fn atom(&mut self, sort: Sort) -> Formula {
        let named = self.named(sort);
        if !named.is_empty() && !self.draw.one_in(6) {
            return Formula::new(self.draw.pick(&named));
        }
        Formula::new(match sort {
            Element(_) if !named.is_empty() => self.draw.pick(&named),
            // Some element: ill-defined unless it is the only one.
            Element(s) => format!("({{0}} * {s})(0)"),
            Set(s) if self.draw.one_in(2) => s.to_string(),
            Set(s) => {
                let e = self.named(Element(s));
                if e.is_empty() { format!("({s} - {s})") } else { format!("{{{}}}", self.draw.pick(&e)) }
            }
            Relation(a, b) if a == b && self.draw.one_in(2) => format!("id({a})"),
            Relation(a, b) => {
                let (x, y) = (self.named(Element(a)), self.named(Element(b)));
                if x.is_empty() || y.is_empty() {
                    format!("({a} * {b})")
                } else {
                    format!("{{{} |-> {}}}", self.draw.pick(&x), self.draw.pick(&y))
                }
            }
            Family(a, b) => format!("({a} * {{{}}})", self.set(b, 0)),
        })
    }

    pub(super) fn element(&mut self, s: &'static str, depth: usize) -> Formula {
        let atom = self.atom(Element(s));
        let functions: Vec<Known> = self.names.iter().filter(|k| k.function).cloned().collect();
        let functions: Vec<(String, &'static str)> = functions
            .into_iter()
            .filter_map(|k| match k.sort {
                Relation(a, b) if b == s => Some((k.name, a)),
                _ => None,
            })
            .collect();
        if depth == 0 || functions.is_empty() || self.draw.one_in(2) {
            return atom;
        }
        let (f, from) = self.draw.pick(&functions);
        let x = self.element(from, depth - 1);
        match self.draw.below(5) {
            0 => {
                let (a, b) = (self.atom(Element(from)), self.atom(Element(s)));
                Formula::with(format!("({f} <+ {{{a} |-> {b}}})({x})"), vec![atom])
            }
            _ => Formula::with(format!("{f}({x})"), vec![atom]),
        }
    }

    pub(super) fn set(&mut self, s: &'static str, depth: usize) -> Formula {
        let atom = self.atom(Set(s));
        if depth == 0 {
            return atom;
        }
        let n = depth - 1;
        let other = self.set_name();
        let with = |text: String, mut parts: Vec<Formula>| {
            parts.insert(0, atom.clone());
            Formula::with(text, parts)
        };
        match self.draw.below(16) {
            0..=2 => {
                let (a, op, b) = (self.set(s, n), self.draw.pick(&["\\/", "/\\", "-"]), self.set(s, n));
                with(format!("({a} {op} {b})"), vec![a, b])
            }
            3 => with(format!("{{{}}}", self.element(s, n)), vec![]),
            4 => with(format!("{{{}, {}}}", self.element(s, n), self.element(s, 0)), vec![]),
            5 | 6 => with(format!("dom({})", self.relation(s, other, n)), vec![]),
            7 | 8 => with(format!("ran({})", self.relation(other, s, n)), vec![]),
            9 | 10 => with(format!("{}[{}]", self.relation(other, s, n), self.set(other, n)), vec![]),
            11 => with(format!("({}~)[{}]", self.relation(s, other, n), self.set(other, n)), vec![]),
            12 if self.depth < 2 => {
                let (x, p) = self.bound(Element(s), |g| g.predicate(n));
                with(format!("{{{x} | {x} : {s} & {p}}}"), vec![])
            }
            13 if self.depth < 2 => {
                let range = self.set(other, n);
                let (x, e) = self.bound(Element(other), |g| g.set(s, n));
                with(format!("UNION({x}).({x} : {range} | {e})"), vec![])
            }
            14 => match self.named(Family(other, s)) {
                all if all.is_empty() => atom,
                all if self.draw.one_in(2) => with(format!("union(ran({}))", self.draw.pick(&all)), vec![]),
                all => with(format!("{}({})", self.draw.pick(&all), self.element(other, n)), vec![]),
            },
            _ => atom,
        }
    }

    pub(super) fn relation(&mut self, a: &'static str, b: &'static str, depth: usize) -> Formula {
        let atom = self.atom(Relation(a, b));
        if depth == 0 {
            return atom;
        }
        let n = depth - 1;
        let middle = self.set_name();
        let with = |text: String, mut parts: Vec<Formula>| {
            parts.insert(0, atom.clone());
            Formula::with(text, parts)
        };
        match self.draw.below(18) {
            0..=2 => {
                let op = self.draw.pick(&["\\/", "/\\", "-", "<+"]);
                let (l, r) = (self.relation(a, b, n), self.relation(a, b, n));
                with(format!("({l} {op} {r})"), vec![l, r])
            }
            3 | 4 => {
                let (op, s, r) = (self.draw.pick(&["<|", "<<|"]), self.set(a, n), self.relation(a, b, n));
                with(format!("({s} {op} {r})"), vec![r])
            }
            5 | 6 => {
                let (r, op, s) = (self.relation(a, b, n), self.draw.pick(&["|>", "|>>"]), self.set(b, n));
                with(format!("({r} {op} {s})"), vec![r])
            }
            7 | 8 => with(format!("({}~)", self.relation(b, a, n)), vec![]),
            9 => with(format!("({} ; {})", self.relation(a, middle, n), self.relation(middle, b, n)), vec![]),
            10 => with(format!("({} * {})", self.set(a, n), self.set(b, n)), vec![]),
            11 => with(format!("{{{} |-> {}}}", self.element(a, n), self.element(b, n)), vec![]),
            12 => {
                let r = self.relation(a, b, n);
                with(format!("({r} <+ {{{} |-> {}}})", self.element(a, n), self.element(b, n)), vec![r])
            }
            13 if a == b => with(format!("id({})", self.set(a, n)), vec![]),
            14 if self.depth < 2 => {
                let range = self.set(a, n);
                let (x, e) = self.bound(Element(a), |g| g.element(b, n));
                with(format!("%{x}.({x} : {range} | {e})"), vec![])
            }
            15 if self.depth < 2 => {
                let (x, (y, p)) = self.bound(Element(a), |g| g.bound(Element(b), |g| g.predicate(n)));
                with(format!("{{{x}, {y} | {x} : {a} & {y} : {b} & {p}}}"), vec![])
            }
            _ => atom,
        }
    }

    pub(super) fn family(&mut self, a: &'static str, b: &'static str, depth: usize) -> Formula {
        let atom = self.atom(Family(a, b));
        if depth == 0 || self.draw.one_in(3) {
            return atom;
        }
        let n = depth - 1;
        let text = match self.draw.below(4) {
            0 => format!("({atom} <+ {{{} |-> {}}})", self.element(a, n), self.set(b, n)),
            1 => format!("({} <<| {atom})", self.set(a, n)),
            2 => format!("({atom} |>> {{{}}})", self.set(b, n)),
            _ => {
                let range = self.set(a, n);
                let (x, e) = self.bound(Element(a), |g| g.set(b, n));
                format!("%{x}.({x} : {range} | {e})")
            }
        };
        Formula::with(text, vec![atom])
    }

    /// Draws with a new name in scope, and returns the name and the result.
    fn bound<T>(&mut self, sort: Sort, draw: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let name = self.draw.fresh("x");
        self.names.push(Known { name: name.clone(), sort, function: false });
        self.depth += 1;
        let drawn = draw(self);
        self.depth -= 1;
        self.names.pop();
        (name, drawn)
    }

    pub(super) fn predicate(&mut self, depth: usize) -> Formula {
        let n = depth.saturating_sub(1);
        if depth > 0 && self.draw.below(5) < 3 {
            let p = self.predicate(n);
            let with = |text: String, mut parts: Vec<Formula>| {
                parts.insert(0, p.clone());
                Formula::with(text, parts)
            };
            match self.draw.below(7) {
                0 => return with(format!("not({p})"), vec![]),
                1 => {
                    let q = self.predicate(n);
                    return with(format!("({p} & {q})"), vec![q]);
                }
                2 => {
                    let q = self.predicate(n);
                    return with(format!("({p} or {q})"), vec![q]);
                }
                3 => {
                    let q = self.predicate(n);
                    return with(format!("({p} => {q})"), vec![q]);
                }
                4 if self.draw.one_in(3) => {
                    let q = self.predicate(n);
                    return with(format!("({p} <=> {q})"), vec![q]);
                }
                _ if self.depth < 2 => return self.quantified(n),
                _ => return p,
            }
        }
        self.comparison(depth.min(1))
    }

    fn quantified(&mut self, n: usize) -> Formula {
        let sort = self.set_sort();
        let Set(s) = sort else { unreachable!("it is a set") };
        match self.draw.below(4) {
            0 => {
                let range = self.set(s, n.min(1));
                let (x, p) = self.bound(Element(s), |g| g.predicate(n));
                Formula::new(format!("#{x}.({x} : {range} & {p})"))
            }
            1 => {
                let Relation(a, b) = self.relation_sort() else { unreachable!("it is a relation") };
                let range = self.relation(a, b, n.min(1));
                let (x, (y, p)) = self.bound(Element(a), |g| g.bound(Element(b), |g| g.predicate(n)));
                Formula::new(format!("!({x}, {y}).({x} |-> {y} : {range} => {p})"))
            }
            _ => {
                let range = self.set(s, n.min(1));
                let (x, p) = self.bound(Element(s), |g| g.predicate(n));
                Formula::new(format!("!{x}.({x} : {range} => {p})"))
            }
        }
    }

    pub(super) fn comparison(&mut self, n: usize) -> Formula {
        let s = self.set_name();
        let sort = self.relation_sort();
        let Relation(a, b) = sort else { unreachable!("it is a relation") };
        Formula::new(match self.draw.below(14) {
            0 | 1 => {
                let op = self.draw.pick(&[":", ":", "/:"]);
                format!("{} {op} {}", self.element(s, n), self.set(s, n))
            }
            2 | 3 => {
                let op = self.draw.pick(&["<:", "<:", "=", "/<:", "<<:", "/="]);
                format!("{} {op} {}", self.set(s, n), self.set(s, n))
            }
            4 | 5 => {
                let op = self.draw.pick(&["<:", "<:", "=", "/=", "/<:"]);
                format!("{} {op} {}", self.relation(a, b, n), self.relation(a, b, n))
            }
            6 => {
                let op = self.draw.pick(&["=", "/="]);
                format!("{} {op} {}", self.element(s, n), self.element(s, n))
            }
            7 => format!("{} |-> {} : {}", self.element(a, n), self.element(b, n), self.relation(a, b, n)),
            8 | 9 => {
                let arrow = self.draw.pick(&[
                    "<->", "+->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">->>", "<->>", "<<->",
                ]);
                let arrow = if arrow.starts_with('<') { "<->" } else { arrow };
                format!("{} : {} {arrow} {}", self.relation(a, b, n), self.set(a, n), self.set(b, n))
            }
            10 => {
                let op = self.draw.pick(&["=", "/="]);
                format!("{} {op} {{}}", self.set(s, n))
            }
            11 => {
                let (x, y) = (self.set(s, n), self.set(s, n));
                format!("{x} /\\ {y} = {{}}")
            }
            12 => match self.draw.below(4) {
                0 => format!("card({}) <= {}", self.set(s, n), 1 + self.draw.below(2)),
                1 => format!("card({}) <= card({})", self.set(s, n), self.set(s, n)),
                2 => format!("finite({})", self.set(s, n)).replace("finite(", "card(") + " >= 0",
                _ => format!("{} : POW({})", self.set(s, n), self.set(s, n)),
            },
            _ => match self.families() {
                all if all.is_empty() => format!("{} : {}", self.element(s, 0), self.set(s, n)),
                all => {
                    let (f, a, b) = self.draw.pick(&all);
                    match self.draw.below(3) {
                        0 => format!("{f} : {} --> POW({})", self.set(a, n), self.set(b, n)),
                        1 => format!("{} : ran({f})", self.set(b, n)),
                        _ => format!("dom({f}) <: {}", self.set(a, n)),
                    }
                }
            },
        })
    }

    fn families(&self) -> Vec<(String, &'static str, &'static str)> {
        let family = |k: &Known| match k.sort {
            Family(a, b) => Some((k.name.clone(), a, b)),
            _ => None,
        };
        self.names.iter().filter_map(family).collect()
    }

    /// A conjunct of a form that models have, true of empty relations mostly.
    pub(super) fn usual(&mut self) -> Formula {
        let s = self.set_name();
        let sort = self.relation_sort();
        let Relation(a, b) = sort else { unreachable!("it is a relation") };
        let n = usize::from(self.draw.one_in(3));
        let (r, q) = (self.relation(a, b, n), self.atom(sort));
        let (of_a, of_b) = (self.set(a, n), self.set(b, n));
        let p = Formula::new(match self.draw.below(20) {
            0 => format!("dom({r}) <: {of_a}"),
            1 => format!("ran({r}) <: {of_b}"),
            2 => format!("{} <: {}", self.set(s, 1), self.set(s, n)),
            3 => format!("{} /\\ {} = {{}}", self.set(s, 0), self.set(s, n)),
            4 => format!("{r} <: {q}"),
            5 => format!("{r}[{of_a}] <: {of_b}"),
            6 => format!("({r}~)[{of_b}] <: {of_a}"),
            7 => {
                let x = self.draw.fresh("x");
                format!("!{x}.({x} : {of_a} => {r}[{{{x}}}] <: {of_b})")
            }
            8 => {
                let (x, p) = self.bound(Element(s), |g| g.comparison(1));
                format!("!{x}.({x} : {} => {p})", self.set(s, 0))
            }
            9 => {
                let (x, (y, p)) = self.bound(Element(a), |g| g.bound(Element(b), |g| g.comparison(1)));
                format!("!({x}, {y}).({x} |-> {y} : {r} => {p})")
            }
            10 => {
                let back = self.relation(b, a, 0);
                let (x, y) = (self.draw.fresh("x"), self.draw.fresh("x"));
                format!("!({x}, {y}).({x} |-> {y} : {r} => {y} |-> {x} : {back})")
            }
            11 if a == b => format!("{r} /\\ id({a}) = {{}}"),
            11 => format!("{r} /\\ ({of_a} * {of_b}) = {{}}"),
            12 => {
                let m = self.set_name();
                format!("({} ; {}) <: {r}", self.relation(a, m, 0), self.relation(m, b, 0))
            }
            13 => format!("{of_a} <| {r} = {q}"),
            14 => format!("{r} |> {of_b} = {q}"),
            15 => {
                let arrow = self.draw.pick(&["+->", "+->", "-->", ">+>", ">->", "-->>", ">->>"]);
                format!("{r} : {of_a} {arrow} {of_b}")
            }
            16 => {
                let arrow = self.draw.pick(&["+->", ">+>", "-->", "<->"]);
                format!("{r}~ : {of_b} {arrow} {of_a}")
            }
            17 => format!("{} = dom({r})", self.set(a, 0)),
            18 => match self.families() {
                all if all.is_empty() => format!("{q} = {}", self.relation(a, b, 1)),
                all => {
                    let (f, a, b) = self.draw.pick(&all);
                    let x = self.draw.fresh("x");
                    format!(
                        "!{x}.({x} : dom({f}) => {f}({x}) <: {}) & dom({f}) <: {}",
                        self.set(b, 1),
                        self.set(a, 0)
                    )
                }
            },
            _ => {
                let functions: Vec<Known> = self.names.iter().filter(|k| k.function).cloned().collect();
                let functions: Vec<_> = functions
                    .into_iter()
                    .filter_map(|k| match k.sort {
                        Relation(a, b) => Some((k.name, a, b)),
                        _ => None,
                    })
                    .collect();
                match functions.is_empty() {
                    true => format!("{q} = {}", self.relation(a, b, 1)),
                    false => {
                        let (f, a, b) = self.draw.pick(&functions);
                        let x = self.draw.fresh("x");
                        match self.draw.below(3) {
                            0 => format!(
                                "!{x}.({x} : dom({f}) => {x} |-> {f}({x}) : {})",
                                self.relation(a, b, 0)
                            ),
                            1 => format!("!{x}.({x} : dom({f}) => {f}({x}) : {})", self.set(b, n)),
                            _ => {
                                let y = self.draw.fresh("x");
                                format!(
                                    "!({x}, {y}).({x} : dom({f}) & {y} : dom({f}) & {f}({x}) = {f}({y}) => {x} = {y})"
                                )
                            }
                        }
                    }
                }
            }
        });
        if self.draw.one_in(8) {
            let q = self.comparison(0);
            return Formula::with(format!("({q} => {p})"), vec![p, q]);
        }
        p
    }
}
