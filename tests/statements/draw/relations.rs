//! Draws machines about relations over deferred sets: invariants of several conjuncts about sets, relations and
//! functions, events that often preserve them. What is proved of them is proved for sets of any size.
//!
//! A conjunct of the usual forms is true of empty relations and often inductive. An event often has as a guard the
//! condition that a conjunct holds after it, and half of the derived variables are kept up to date.

mod events;
mod formulas;

use super::super::machine::{Formula, Machine, Statement};
use super::Draw;

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Element(&'static str),
    Set(&'static str),
    Relation(&'static str, &'static str),
    /// Relations between elements and sets.
    Family(&'static str, &'static str),
}

use Sort::*;

#[derive(Clone, Debug)]
struct Known {
    name: String,
    sort: Sort,
    /// The typing conjunct calls it a function.
    function: bool,
}

/// The machine of a number.
pub fn machine(number: u64) -> Machine {
    // Other machines than those of every statement.
    let mut drawing =
        Relations { draw: Draw::new(number ^ 0x5EED_0000_0000), sets: vec!["D"], names: vec![], depth: 0 };
    drawing.machine()
}

struct Relations {
    draw: Draw,
    sets: Vec<&'static str>,
    names: Vec<Known>,
    /// Number of open binders.
    depth: usize,
}

impl Relations {
    fn machine(&mut self) -> Machine {
        if self.draw.one_in(3) {
            self.sets.push("E");
        }
        let sets = self.sets.iter().map(|s| (s.to_string(), vec![])).collect();
        let mut main = Machine { name: "Drawn".into(), sets, ..Machine::default() };
        self.constants(&mut main);
        for i in 0..2 + self.draw.below(3) {
            self.variable(&mut main, format!("v{i}"));
        }
        let typing = main.invariant.len();
        for _ in 0..1 + self.draw.below(3) {
            let p = if self.draw.one_in(4) { self.predicate(2) } else { self.usual() };
            main.invariant.push(p);
        }
        if self.draw.one_in(4) {
            let p = if self.draw.one_in(2) { self.predicate(2) } else { self.usual() };
            main.assertions.push(p);
        }
        let further: Vec<String> = main.invariant[typing..].iter().map(|p| p.text.clone()).collect();
        for i in 0..1 + self.draw.below(3) {
            let operation = self.operation(format!("op{i}"), &further);
            main.operations.push(operation);
        }
        main.types = [("relation"), ("element")].into();
        main
    }

    fn constants(&mut self, main: &mut Machine) {
        for i in 0..1 + self.draw.below(3) {
            let name = format!("c{i}");
            let (sort, typing, function) = match self.draw.below(5) {
                // An element with a name, so that values can be written down.
                _ if i == 0 && !self.draw.one_in(10) => {
                    let set = self.set_name();
                    (Element(set), format!("{name} : {set}"), false)
                }
                0 | 1 => {
                    let set = self.set_name();
                    (Element(set), format!("{name} : {set}"), false)
                }
                2 => {
                    let set = self.set_name();
                    (Set(set), format!("{name} <: {set}"), false)
                }
                _ => self.relation_typing(&name),
            };
            main.constants.push(name.clone());
            main.properties.push(Formula::new(typing));
            self.names.push(Known { name, sort, function });
            if self.draw.one_in(4) {
                let p = self.predicate(1);
                main.properties.push(p);
            }
        }
    }

    fn set_name(&mut self) -> &'static str {
        self.draw.pick(&self.sets.clone())
    }

    /// A relation or function, from and to a carrier or a set with a name.
    fn relation_typing(&mut self, name: &str) -> (Sort, String, bool) {
        let (a, b) = (self.set_name(), self.set_name());
        let arrow = self.draw.pick(&[
            "<->", "<->", "<->", "+->", "+->", "+->", "+->", "-->", ">+>", ">+>", ">->", "+->>", "-->>",
            ">->>",
        ]);
        let (from, to) = (self.side(a), self.side(b));
        (Relation(a, b), format!("{name} : {from} {arrow} {to}"), arrow != "<->")
    }

    fn side(&mut self, set: &'static str) -> String {
        let named: Vec<String> =
            self.names.iter().filter(|k| k.sort == Set(set)).map(|k| k.name.clone()).collect();
        if named.is_empty() || self.draw.one_in(2) { set.into() } else { self.draw.pick(&named) }
    }

    fn variable(&mut self, main: &mut Machine, name: String) {
        let (sort, typing, function) = match self.draw.below(12) {
            0..=3 => {
                let set = self.set_name();
                (Set(set), format!("{name} <: {set}"), false)
            }
            4 => {
                let set = self.set_name();
                (Element(set), format!("{name} : {set}"), false)
            }
            5 => {
                let (a, b) = (self.set_name(), self.set_name());
                (Family(a, b), format!("{name} : {a} +-> POW({b})"), true)
            }
            _ => self.relation_typing(&name),
        };
        let space = typing.replacen(&format!("{name} <: "), &format!("{name} : POW("), 1);
        let space = space.split_once(" : ").map_or("", |(_, s)| s).to_string();
        let space = if typing.contains(" <: ") { format!("{space})") } else { space };
        let is_total = ["-->", ">->", "->>"].iter().any(|a| typing.contains(a));
        // A variable that is typed by another one is empty where that one is.
        let on_variable =
            main.variables.iter().any(|v| typing.ends_with(v) || typing.contains(&format!("{v} ")));
        let value = match sort {
            Element(_) => None,
            _ if is_total && !on_variable => None,
            _ if !self.draw.one_in(6) || on_variable => Some("{}".to_string()),
            Set(set) => Some(set.to_string()),
            _ => None,
        };
        main.initialisation.push(match value {
            Some(value) => Statement::Assign(vec![(name.clone(), Formula::new(value))]),
            None => Statement::Element(name.clone(), Formula::new(space)),
        });
        main.variables.push(name.clone());
        main.invariant.push(Formula::new(typing));
        self.names.push(Known { name, sort, function });
    }

    /// Names of a sort.
    fn named(&self, sort: Sort) -> Vec<String> {
        self.names.iter().filter(|k| k.sort == sort).map(|k| k.name.clone()).collect()
    }

    fn relation_sort(&mut self) -> Sort {
        let named: Vec<Sort> =
            self.names.iter().map(|k| k.sort).filter(|s| matches!(s, Relation(..))).collect();
        if named.is_empty() || self.draw.one_in(8) {
            Relation(self.set_name(), self.set_name())
        } else {
            self.draw.pick(&named)
        }
    }

    fn set_sort(&mut self) -> Sort {
        Set(self.set_name())
    }
}
