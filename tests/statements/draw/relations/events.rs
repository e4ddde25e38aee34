//! Events that change sets and relations.

use super::super::super::machine::{Formula, Operation, Statement};
use super::Sort::*;
use super::{Known, Relations};

impl Relations {
    pub(super) fn operation(&mut self, name: String, conjuncts: &[String]) -> Operation {
        let before = self.names.len();
        let mut parameters = vec![];
        for _ in 0..1 + self.draw.below(2) {
            let set = self.set_name();
            let from = if self.draw.one_in(2) { self.side(set) } else { set.to_string() };
            let name = self.draw.fresh("p");
            self.names.push(Known { name: name.clone(), sort: Element(set), function: false });
            parameters.push((name, from));
        }
        let mut guards = vec![];
        let mut body = match self.draw.below(10) {
            // Nothing is known of it before the condition.
            0 => {
                let p = self.comparison(1);
                let (yes, no) = (self.assignment(&mut guards), self.assignment(&mut guards));
                let no = if self.draw.one_in(2) { None } else { Some(Box::new(no)) };
                Statement::If(vec![(p, yes)], no)
            }
            1 => {
                let (one, other) = (self.assignment(&mut guards), self.assignment(&mut guards));
                if self.draw.one_in(2) {
                    Statement::Choice(vec![one, other])
                } else {
                    Statement::Sequence(vec![one, other])
                }
            }
            2 => self.chosen(),
            3 => {
                let sort = if self.draw.one_in(2) { self.relation_sort() } else { self.set_sort() };
                let range = match sort {
                    Relation(a, b) => format!("({} <-> {})", self.side(a), self.side(b)),
                    Set(s) => format!("POW({})", self.side(s)),
                    _ => unreachable!("it is a set or a relation"),
                };
                let own = self.draw.fresh("z");
                self.names.push(Known { name: own.clone(), sort, function: false });
                let p = self.comparison(1);
                let body = self.assignment(&mut guards);
                self.names.pop();
                Statement::Any(vec![(own, range)], vec![p], Box::new(body))
            }
            _ => self.assignment(&mut guards),
        };
        if let Statement::Assign(pairs) = &body
            && self.draw.below(3) > 0
        {
            // Adds a guard: some conjunct about the values after the step.
            let all: Vec<&String> =
                conjuncts.iter().filter(|c| pairs.iter().any(|(v, _)| mentions(c, v))).collect();
            if !all.is_empty() {
                let after = after(all[self.draw.below(all.len())], pairs);
                guards.push(Formula::new(after));
            }
        }
        if self.draw.one_in(2) {
            let p = self.comparison(1);
            guards.push(p);
        }
        if !guards.is_empty() {
            body = match self.draw.below(3) {
                0 if !parameters.is_empty() => Statement::Pre(guards, Box::new(body)),
                _ => Statement::Select(vec![(guards, body)], None),
            };
        }
        self.names.truncate(before);
        Operation { name, results: vec![], parameters, body }
    }

    fn variables(&self) -> Vec<Known> {
        self.names.iter().filter(|k| k.name.starts_with('v')).cloned().collect()
    }

    fn chosen(&mut self) -> Statement {
        let all = self.variables();
        let v = self.draw.pick(&all);
        let space = match v.sort {
            Element(s) => s.to_string(),
            Set(s) => format!("POW({})", self.set(s, 1)),
            Relation(a, b) => {
                let arrow = self.draw.pick(&["<->", "+->", "-->", ">+>"]);
                format!("({} {arrow} {})", self.set(a, 1), self.set(b, 1))
            }
            Family(a, b) => format!("({a} +-> POW({}))", self.set(b, 1)),
        };
        if self.draw.one_in(2) {
            return Statement::Element(v.name, Formula::new(space));
        }
        let mut p = vec![Formula::new(format!("{} : {space}", v.name))];
        p.push(self.comparison(1));
        if let Set(_) | Relation(..) = v.sort
            && self.draw.one_in(2)
        {
            p.push(Formula::new(format!("{0}$0 <: {0}", v.name)));
        }
        Statement::Such(v.name, p)
    }

    /// An assignment to some variables at once.
    fn assignment(&mut self, guards: &mut Vec<Formula>) -> Statement {
        let mut all = self.variables();
        let mut pairs = vec![];
        for _ in 0..1 + self.draw.below(2).max(self.draw.below(3)) {
            if all.is_empty() {
                break;
            }
            let v = all.remove(self.draw.below(all.len()));
            let value = self.next(&v, guards);
            pairs.push((v.name, value));
        }
        Statement::Assign(pairs)
    }

    /// A value after a step: mostly one that differs a little from the one before.
    fn next(&mut self, v: &Known, guards: &mut Vec<Formula>) -> Formula {
        let name = &v.name;
        let old = Formula::new(name.clone());
        let with = |text: String| Formula::with(text, vec![old.clone()]);
        match v.sort {
            Element(s) => self.element(s, 1),
            Set(s) => match self.draw.below(8) {
                0..=2 => with(format!("{name} \\/ {{{}}}", self.element(s, 0))),
                3 | 4 => with(format!("{name} - {{{}}}", self.element(s, 0))),
                5 => Formula::new("{}"),
                6 => with(format!("{name} {} {}", self.draw.pick(&["\\/", "-", "/\\"]), self.set(s, 1))),
                _ => self.set(s, 2),
            },
            Relation(a, b) => {
                let n = usize::from(self.draw.one_in(3));
                let (x, y) = (self.element(a, 0), self.element(b, n));
                match self.draw.below(12) {
                    0 | 1 if v.function => with(format!("{name} <+ {{{x} |-> {y}}}")),
                    0..=2 => {
                        if v.function && self.draw.one_in(2) {
                            guards.push(Formula::new(format!("{x} /: dom({name})")));
                        }
                        with(format!("{name} \\/ {{{x} |-> {y}}}"))
                    }
                    3 => with(format!("{name} - {{{x} |-> {y}}}")),
                    4 => with(format!("{{{x}}} <<| {name}")),
                    5 => with(format!("{name} |>> {{{y}}}")),
                    6 => {
                        let (z, op) = (self.element(a, 0), self.draw.pick(&["<+", "\\/"]));
                        if v.function {
                            guards.push(Formula::new(format!("{{{x}, {z}}} <: dom({name})")));
                            with(format!("{name} {op} {{{x} |-> {name}({z}), {z} |-> {name}({x})}}"))
                        } else {
                            with(format!("{name} {op} ({{{x}}} * {name}[{{{z}}}])"))
                        }
                    }
                    7 => Formula::new("{}"),
                    8 => with(format!("{} {} {name}", self.set(a, 1), self.draw.pick(&["<|", "<<|"]))),
                    9 => with(format!("{name} {} {}", self.draw.pick(&["|>", "|>>"]), self.set(b, 1))),
                    10 => {
                        let op = self.draw.pick(&["\\/", "-", "/\\", "<+"]);
                        with(format!("{name} {op} {}", self.relation(a, b, 1)))
                    }
                    _ => self.relation(a, b, 2),
                }
            }
            Family(a, b) => self.family(a, b, 2),
        }
    }
}

fn is_part_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c| !is_part_of_a_name(c)).any(|word| word == name)
}

/// A predicate about the values after an assignment.
fn after(text: &str, pairs: &[(String, Formula)]) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if is_part_of_a_name(c) {
            word.push(c);
            continue;
        }
        match pairs.iter().find(|(v, _)| *v == word) {
            // Where nothing shows its type, an empty set is written as the difference of the old value with itself.
            Some((v, value)) if value.text == "{}" => out += &format!("({v} - {v})"),
            Some((_, value)) => out += &format!("({value})"),
            None => out += &word,
        }
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}
