//! Type variables and their unification.
//!
//! While types are inferred, a type variable is written as a carrier with an id above
//! [`FIRST_VARIABLE`], which no model declares; none is left when a group of formulas is finished.
//! Overloaded operators leave a [`Constraint`] that waits until an operand's type is known.

use crate::model::types::{CarrierId, Type};
use crate::text::source::Span;

const FIRST_VARIABLE: u32 = 1 << 30;

/// The type of an expression that a message was given for; equal to every type.
pub(super) const ERROR: Type = Type::Carrier(CarrierId(u32::MAX));

/// What an overloaded operator demands.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    /// An integer or a real.
    Number(Type),
    /// An integer, a real or a set.
    NumberOrSet(Type),
    /// Left, right and result of `*`.
    Times(Type, Type, Type),
    /// A record with a field of this type.
    Field(Type, String, Type),
}

/// A constraint that cannot be met.
#[derive(Debug)]
pub(super) enum Failure {
    /// No reading of the operator for this type.
    NoReading(Span, Type),
    /// `*` between a number and a set, or numbers of two kinds.
    Operands(Span, Type, Type),
    /// A record without the field.
    NoField(Span, Type, String),
}

/// Bindings of type variables and the constraints that wait.
#[derive(Default)]
pub(super) struct Inference {
    bindings: Vec<Option<Type>>,
    waiting: Vec<(Span, Constraint)>,
}

impl Inference {
    pub fn fresh(&mut self) -> Type {
        self.bindings.push(None);
        Type::Carrier(CarrierId(FIRST_VARIABLE + self.bindings.len() as u32 - 1))
    }

    fn variable(t: &Type) -> Option<usize> {
        match t {
            Type::Carrier(c) if c.0 >= FIRST_VARIABLE && *t != ERROR => Some((c.0 - FIRST_VARIABLE) as usize),
            _ => None,
        }
    }

    /// The type with its outermost constructor known, as far as it is.
    pub fn head<'a>(&'a self, mut t: &'a Type) -> &'a Type {
        while let Some(v) = Self::variable(t) {
            match self.bindings.get(v) {
                Some(Some(bound)) => t = bound,
                _ => break,
            }
        }
        t
    }

    /// The type with every known variable replaced.
    pub fn resolve(&self, t: &Type) -> Type {
        match self.head(t) {
            Type::Pow(a) => Type::pow(self.resolve(a)),
            Type::Pair(a, b) => Type::pair(self.resolve(a), self.resolve(b)),
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(l, t)| (l.clone(), self.resolve(t))).collect())
            }
            Type::Free(id, types) => Type::Free(*id, types.iter().map(|t| self.resolve(t)).collect()),
            other => other.clone(),
        }
    }

    /// Whether no variable is left; erroneous types count as known.
    pub fn is_closed(&self, t: &Type) -> bool {
        match self.head(t) {
            Type::Pow(a) => self.is_closed(a),
            Type::Pair(a, b) => self.is_closed(a) && self.is_closed(b),
            Type::Record(fields) => fields.iter().all(|(_, t)| self.is_closed(t)),
            Type::Free(_, types) => types.iter().all(|t| self.is_closed(t)),
            other => Self::variable(other).is_none(),
        }
    }

    /// The closed type; variables that are left become `INTEGER`.
    pub fn close(&self, t: &Type) -> Type {
        match self.head(t) {
            Type::Pow(a) => Type::pow(self.close(a)),
            Type::Pair(a, b) => Type::pair(self.close(a), self.close(b)),
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(l, t)| (l.clone(), self.close(t))).collect())
            }
            Type::Free(id, types) => Type::Free(*id, types.iter().map(|t| self.close(t)).collect()),
            other if Self::variable(other).is_some() => Type::Int,
            other => other.clone(),
        }
    }

    fn occurs(&self, v: usize, t: &Type) -> bool {
        match self.head(t) {
            Type::Pow(a) => self.occurs(v, a),
            Type::Pair(a, b) => self.occurs(v, a) || self.occurs(v, b),
            Type::Record(fields) => fields.iter().any(|(_, t)| self.occurs(v, t)),
            Type::Free(_, types) => types.iter().any(|t| self.occurs(v, t)),
            other => Self::variable(other) == Some(v),
        }
    }

    /// Makes two types equal; `false` if they cannot be.
    pub fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.head(a).clone(), self.head(b).clone());
        match (Self::variable(&a), Self::variable(&b)) {
            (Some(v), Some(w)) if v == w => return true,
            (Some(v), _) => return self.bind(v, b),
            (_, Some(w)) => return self.bind(w, a),
            _ => {}
        }
        if a == ERROR || b == ERROR {
            self.poison(&a);
            self.poison(&b);
            return true;
        }
        match (&a, &b) {
            (Type::Pow(x), Type::Pow(y)) => self.unify(x, y),
            (Type::Pair(x, y), Type::Pair(u, v)) => {
                let left = self.unify(x, u);
                self.unify(y, v) && left
            }
            (Type::Record(f), Type::Record(g)) => {
                f.len() == g.len()
                    && f.iter().zip(g).all(|((l, _), (m, _))| l == m)
                    && f.iter().zip(g).fold(true, |ok, ((_, t), (_, u))| self.unify(t, u) && ok)
            }
            (Type::Free(f, ts), Type::Free(g, us)) => {
                f == g
                    && ts.len() == us.len()
                    && ts.iter().zip(us).fold(true, |ok, (t, u)| self.unify(t, u) && ok)
            }
            _ => a == b,
        }
    }

    /// Takes what is open in the types of a mistake as known, so that it gives one message.
    pub fn poison(&mut self, t: &Type) {
        match self.head(t).clone() {
            Type::Pow(a) => self.poison(&a),
            Type::Pair(a, b) => {
                self.poison(&a);
                self.poison(&b);
            }
            Type::Record(fields) => fields.iter().for_each(|(_, t)| self.poison(t)),
            Type::Free(_, types) => types.iter().for_each(|t| self.poison(t)),
            other => {
                if let Some(v) = Self::variable(&other) {
                    self.bindings[v] = Some(ERROR);
                }
            }
        }
    }

    fn bind(&mut self, v: usize, t: Type) -> bool {
        if self.occurs(v, &t) {
            return false;
        }
        self.bindings[v] = Some(t);
        true
    }

    /// Adds a constraint; it is tried at once and waits if it has to.
    pub fn require(&mut self, span: Span, constraint: Constraint) -> Result<(), Failure> {
        if !self.attempt(span, &constraint)? {
            self.waiting.push((span, constraint));
        }
        Ok(())
    }

    /// Settles all constraints: first what types decide, then by taking integers.
    pub fn settle(&mut self) -> Vec<Failure> {
        let mut failures = vec![];
        loop {
            let mut progress = true;
            while progress {
                progress = false;
                for (span, c) in std::mem::take(&mut self.waiting) {
                    match self.attempt(span, &c) {
                        Ok(false) => self.waiting.push((span, c)),
                        Ok(true) => progress = true,
                        Err(failure) => {
                            progress = true;
                            failures.push(failure);
                        }
                    }
                }
            }
            let number = self.waiting.iter().position(|(_, c)| !matches!(c, Constraint::Field(..)));
            let Some(i) = number else { break };
            match self.waiting[i].1.clone() {
                Constraint::Number(t) | Constraint::NumberOrSet(t) | Constraint::Times(t, ..) => {
                    self.unify(&t, &Type::Int);
                }
                Constraint::Field(..) => {}
            }
        }
        for (span, c) in std::mem::take(&mut self.waiting) {
            if let Constraint::Field(t, label, value) = c {
                failures.push(Failure::NoField(span, self.resolve(&t), label));
                self.unify(&t, &ERROR);
                self.unify(&value, &ERROR);
            }
        }
        failures
    }

    // `Ok(true)`: met; `Ok(false)`: not known yet.
    fn attempt(&mut self, span: Span, c: &Constraint) -> Result<bool, Failure> {
        match c {
            Constraint::Number(t) => match self.head(t) {
                Type::Int | Type::Real => Ok(true),
                t if *t == ERROR => Ok(true),
                t if Self::variable(t).is_some() => Ok(false),
                t => Err(Failure::NoReading(span, self.resolve(t))),
            },
            Constraint::NumberOrSet(t) => match self.head(t) {
                Type::Int | Type::Real | Type::Pow(_) => Ok(true),
                t if *t == ERROR => Ok(true),
                t if Self::variable(t).is_some() => Ok(false),
                t => Err(Failure::NoReading(span, self.resolve(t))),
            },
            Constraint::Times(l, r, result) => self.times(span, l, r, result),
            Constraint::Field(record, label, value) => match self.head(record).clone() {
                Type::Record(fields) => match fields.iter().find(|(l, _)| l == label) {
                    Some((_, t)) if self.unify(t, value) => Ok(true),
                    Some((_, t)) => Err(Failure::Operands(span, self.resolve(t), self.resolve(value))),
                    None => {
                        self.unify(value, &ERROR);
                        Err(Failure::NoField(span, self.resolve(record), label.clone()))
                    }
                },
                t if t == ERROR => {
                    self.unify(value, &ERROR);
                    Ok(true)
                }
                t if Self::variable(&t).is_some() => Ok(false),
                t => {
                    self.unify(value, &ERROR);
                    Err(Failure::NoField(span, self.resolve(&t), label.clone()))
                }
            },
        }
    }

    fn times(&mut self, span: Span, l: &Type, r: &Type, result: &Type) -> Result<bool, Failure> {
        let known =
            [l, r, result].into_iter().map(|t| self.head(t).clone()).find(|t| Self::variable(t).is_none());
        let ok = match &known {
            None => return Ok(false),
            Some(t) if *t == ERROR => {
                self.unify(result, &ERROR);
                true
            }
            Some(t @ (Type::Int | Type::Real)) => {
                let ok = self.unify(l, t) && self.unify(r, t);
                ok && self.unify(result, t)
            }
            Some(Type::Pow(_)) => {
                let (a, b) = (self.fresh(), self.fresh());
                let ok = self.unify(l, &Type::pow(a.clone())) && self.unify(r, &Type::pow(b.clone()));
                ok && self.unify(result, &Type::relation(a, b))
            }
            Some(t) => {
                let failure = Failure::NoReading(span, self.resolve(t));
                self.unify(result, &ERROR);
                return Err(failure);
            }
        };
        if ok {
            return Ok(true);
        }
        let failure = Failure::Operands(span, self.resolve(l), self.resolve(r));
        self.unify(result, &ERROR);
        Err(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_never_contains_itself() {
        let mut i = Inference::default();
        let t = i.fresh();
        assert!(!i.unify(&t, &Type::pow(t.clone())));
        assert!(i.unify(&t, &t.clone()));
    }

    #[test]
    fn products_wait_for_any_operand() {
        let mut i = Inference::default();
        let (l, r, x) = (i.fresh(), i.fresh(), i.fresh());
        i.require(Span::default(), Constraint::Times(l.clone(), r.clone(), x.clone())).unwrap();
        assert!(i.unify(&r, &Type::pow(Type::Bool)));
        assert!(i.unify(&l, &Type::pow(Type::Int)));
        assert!(i.settle().is_empty());
        assert_eq!(i.close(&x), Type::relation(Type::Int, Type::Bool));
    }

    #[test]
    fn open_operators_are_on_integers() {
        let mut i = Inference::default();
        let t = i.fresh();
        i.require(Span::default(), Constraint::NumberOrSet(t.clone())).unwrap();
        assert!(i.settle().is_empty());
        assert_eq!(i.close(&t), Type::Int);
        assert!(i.require(Span::default(), Constraint::Number(Type::Bool)).is_err());
    }
}
