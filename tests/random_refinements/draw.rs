//! Draws an abstraction and a refinement of it: the operations of the abstraction with the variables renamed, some of
//! them changed.

use super::semantics::{
    Condition, Expression, Initial, Level, Operation, Pair, Place, Statement, Store, VALUES,
};

/// Bijection of values of a refinement to values of its abstraction.
struct Renaming {
    first: [u8; 3],
    second: [u8; 2],
}

impl Renaming {
    /// The place of a table of the abstraction that belongs to one of the refinement.
    fn place(&self, place: Place) -> Place {
        let (first, second, parameter) = place;
        (self.first[first as usize], self.second[second as usize], parameter)
    }

    /// Returns the value in the refinement where its abstraction has `value`.
    fn back(&self, store: Store, value: u8) -> u8 {
        let found = match store {
            Store::First => self.first.iter().position(|v| *v == value),
            Store::Second => self.second.iter().position(|v| *v == value),
            Store::Result => return value,
        };
        found.expect("a permutation") as u8
    }

    fn expression(&self, store: Store, old: &Expression) -> Expression {
        Expression::of(old.form, |place| old.at(self.place(place)).map(|value| self.back(store, value)))
    }

    fn condition(&self, old: &Condition) -> Condition {
        Condition(Expression::of(old.0.form, |place| old.0.at(self.place(place))))
    }

    fn statement(&self, old: &Statement) -> Statement {
        let inner = |s: &Statement| Box::new(self.statement(s));
        match old {
            Statement::Skip => Statement::Skip,
            Statement::Assign(store, value) => Statement::Assign(*store, self.expression(*store, value)),
            Statement::Any(store, values) => {
                Statement::Any(*store, values.iter().map(|value| self.expression(*store, value)).collect())
            }
            Statement::Sequence(a, b) => Statement::Sequence(inner(a), inner(b)),
            Statement::Choice(a, b) => Statement::Choice(inner(a), inner(b)),
            Statement::Select(c, s) => Statement::Select(self.condition(c), inner(s)),
            Statement::If(c, a, b) => Statement::If(self.condition(c), inner(a), inner(b)),
            Statement::Pre(c, s) => Statement::Pre(self.condition(c), inner(s)),
            Statement::Assert(c, s) => Statement::Assert(self.condition(c), inner(s)),
            Statement::While { condition, body, invariant, variant } => Statement::While {
                condition: self.condition(condition),
                body: inner(body),
                invariant: self.condition(invariant),
                variant: Expression::of(variant.form, |place| variant.at(self.place(place))),
            },
        }
    }
}

/// Draws what it is asked for.
pub struct Draw(pub fastrand::Rng);

impl Draw {
    fn one_in(&mut self, n: u32) -> bool {
        self.0.u32(..n) == 0
    }

    /// Draws a table that has a value everywhere, except, with `holes`, in one place or two.
    fn expression(&mut self, store: Store, holes: bool) -> Expression {
        // Expressions that read a single variable are more like those that people write.
        let reads = self.0.u8(1..8);
        let values: Vec<u8> = (0..VALUES).map(|_| self.0.u8(..store.size())).collect();
        let holes: Vec<usize> =
            if holes { (0..self.0.usize(1..3)).map(|_| self.0.usize(..VALUES)).collect() } else { vec![] };
        let number = |(first, second, parameter): Place| {
            let read = |bit: u8, value: u8| if reads >> bit & 1 == 1 { usize::from(value) } else { 0 };
            read(0, first) * 4 + read(1, second) * 2 + read(2, parameter)
        };
        let form = self.0.u8(..3);
        Expression::of(form, |place| {
            let at = number(place);
            (!holes.contains(&at)).then_some(values[at])
        })
    }

    fn condition(&mut self, holes: bool) -> Condition {
        Condition(self.expression(Store::Second, holes))
    }

    /// One that is mostly true.
    fn likely(&mut self) -> Condition {
        let (a, b) = (self.condition(false), self.condition(false));
        Condition(Expression::of(a.0.form, |place| {
            Some(u8::from(a.0.at(place) == Some(1) || b.0.at(place) == Some(1)))
        }))
    }

    /// The abstraction may abort in its body, but what is ill-defined there leaves everything undecided.
    fn statement(&mut self, depth: u32, holes: bool) -> Statement {
        let store = if self.one_in(2) { Store::First } else { Store::Second };
        if depth == 0 {
            return match self.0.u8(..8) {
                0 => Statement::Skip,
                1 | 2 => {
                    let values = (0..self.0.usize(1..4)).map(|_| self.expression(store, false)).collect();
                    Statement::Any(store, values)
                }
                _ => Statement::Assign(store, self.expression(store, holes)),
            };
        }
        let next = |draw: &mut Draw| Box::new(draw.statement(depth - 1, holes));
        match self.0.u8(..12) {
            0..=2 => Statement::Sequence(next(self), next(self)),
            3 | 4 => Statement::Choice(next(self), next(self)),
            5 => Statement::Select(self.condition(holes), next(self)),
            6 | 7 => Statement::If(self.condition(holes), next(self), next(self)),
            8 => Statement::Pre(self.likely(), next(self)),
            9 => Statement::Assert(self.likely(), next(self)),
            10 => self.counting(),
            _ => *next(self),
        }
    }

    /// A loop that counts the first variable down, right but for chance.
    fn counting(&mut self) -> Statement {
        let down = Expression::of(self.0.u8(..3), |(first, ..)| Some(first.saturating_sub(1)));
        let body = if self.one_in(4) {
            Statement::Any(Store::First, vec![down, self.expression(Store::First, false)])
        } else {
            Statement::Assign(Store::First, down)
        };
        let least = self.0.u8(..2);
        Statement::While {
            condition: Condition(Expression::of(self.0.u8(..3), |(first, ..)| Some(u8::from(first > least)))),
            body: Box::new(body),
            invariant: if self.one_in(3) { self.likely() } else { Condition(Expression::of(0, |_| Some(1))) },
            variant: if self.one_in(4) {
                self.expression(Store::First, false)
            } else {
                Expression::of(self.0.u8(..3), |(first, ..)| Some(first))
            },
        }
    }

    fn operation(&mut self, name: String) -> Operation {
        let depth = self.0.u32(..3);
        let mut body = self.statement(depth, false);
        let has_result = self.one_in(2);
        if has_result {
            let result = if self.one_in(3) {
                let values = (0..2).map(|_| self.expression(Store::Result, false)).collect();
                Statement::Any(Store::Result, values)
            } else {
                Statement::Assign(Store::Result, self.expression(Store::Result, false))
            };
            let (result, state) = (Box::new(result), Box::new(body));
            body = if self.one_in(2) {
                Statement::Sequence(result, state)
            } else {
                Statement::Sequence(state, result)
            };
        }
        let precondition = (!self.one_in(3)).then(|| self.likely());
        Operation { name, has_parameter: self.one_in(2), has_result, precondition, body }
    }

    /// One change somewhere in a statement.
    fn change(&mut self, old: &mut Statement) {
        let here = self.one_in(3);
        match old {
            Statement::Sequence(a, b) | Statement::Choice(a, b) if !here => {
                let inner = if self.one_in(2) { a } else { b };
                self.change(inner);
            }
            Statement::If(condition, a, b) if !here => match self.0.u8(..3) {
                0 => *condition = self.condition(true),
                1 => self.change(a),
                _ => self.change(b),
            },
            Statement::Select(condition, s)
            | Statement::Pre(condition, s)
            | Statement::Assert(condition, s)
                if !here =>
            {
                if self.one_in(2) {
                    *condition = self.condition(false);
                } else {
                    self.change(s);
                }
            }
            Statement::While { .. } if !here => *old = self.counting(),
            Statement::Assign(store, value) => {
                // A hole, another value in one place, or a choice of two.
                let (store, at, other) = (*store, self.0.usize(..VALUES), self.expression(*store, false));
                let hole = self.one_in(2);
                let changed = Expression::of(value.form, |place| match value.at(place) {
                    _ if super::semantics::number(place) == at => {
                        if hole {
                            None
                        } else {
                            other.at(place)
                        }
                    }
                    value => value,
                });
                *old = if self.one_in(3) {
                    Statement::Any(store, vec![value.clone(), other])
                } else {
                    Statement::Assign(store, changed)
                };
            }
            Statement::Any(store, values) => {
                let chosen = values[self.0.usize(..values.len())].clone();
                *old = Statement::Assign(*store, chosen);
            }
            Statement::Skip => *old = Statement::Assert(self.condition(false), Box::new(Statement::Skip)),
            _ => {
                // The result has to be assigned on every way, so that only what assigns no result is replaced.
                let inner = Box::new(old.clone());
                *old = match self.0.u8(..3) {
                    0 => Statement::Assert(self.condition(true), inner),
                    1 => Statement::Select(self.condition(false), inner),
                    _ => Statement::Pre(self.likely(), inner),
                };
            }
        }
    }

    fn initial(&mut self) -> Initial {
        let mut places: Vec<Pair> = (0..3).flat_map(|a| (0..2).map(move |b| (a, b))).collect();
        self.0.shuffle(&mut places);
        places.truncate(self.0.usize(1..3));
        Initial(places)
    }

    /// An abstraction, a refinement, and which states are related.
    pub fn levels(&mut self) -> (Level, Level) {
        let operations: Vec<Operation> =
            (0..self.0.usize(1..4)).map(|i| self.operation(format!("op{i}"))).collect();
        let mut renaming = Renaming { first: [0, 1, 2], second: [0, 1] };
        self.0.shuffle(&mut renaming.first);
        self.0.shuffle(&mut renaming.second);
        let initial = self.initial();
        let mut refined: Vec<Operation> = operations
            .iter()
            .map(|old| Operation {
                body: renaming.statement(&old.body),
                precondition: old.precondition.as_ref().map(|c| renaming.condition(c)),
                ..old.clone()
            })
            .collect();
        for _ in 0..self.0.usize(..3) {
            let at = self.0.usize(..refined.len());
            self.change(&mut refined[at].body);
        }
        if self.one_in(3) {
            let at = self.0.usize(..refined.len());
            refined[at].precondition = self.one_in(2).then(|| self.likely());
        }
        // The gluing invariant may require less, by leaving out the second variable, or relate a value to one more, so
        // that a choice is made earlier or later.
        let mut begins: Vec<Pair> = (0..3)
            .flat_map(|a| (0..2).map(move |b| (a, b)))
            .filter(|(a, b)| initial.0.contains(&(renaming.first[*a as usize], renaming.second[*b as usize])))
            .collect();
        if self.one_in(8) {
            begins.push((self.0.u8(..3), self.0.u8(..2)));
            begins.sort_unstable();
            begins.dedup();
        }
        let glues_second = !self.one_in(3);
        let more = if self.one_in(4) { Some((self.0.u8(..3), self.0.u8(..3))) } else { None };
        let mut gluing = vec![];
        for first in 0..3 {
            for second in 0..2 {
                for a in 0..3 {
                    for b in 0..2 {
                        let related = (renaming.first[first as usize] == a || more == Some((first, a)))
                            && (!glues_second || renaming.second[second as usize] == b);
                        if related {
                            gluing.push(((a, b), (first, second)));
                        }
                    }
                }
            }
        }
        let abstraction = Level { variables: ["x", "y"], operations, initial, gluing: vec![] };
        let refinement =
            Level { variables: ["u", "w"], operations: refined, initial: Initial(begins), gluing };
        (abstraction, refinement)
    }
}
