//! Unification of types, and the constraints of overloaded operators.
//!
//! An overloaded operator leaves a [`Constraint`] that waits until an operand's type is known.

use super::open_type::{OpenType, TypeVariable};
use crate::model::types::Type;
use crate::text::source::Span;

/// Constraint of an overloaded operator.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    /// An integer or a real.
    Number(OpenType),
    /// An integer, a real or a set.
    NumberOrSet(OpenType),
    /// Left, right and result of `*`.
    Times(OpenType, OpenType, OpenType),
    /// A record with a field of this type.
    Field(OpenType, String, OpenType),
}

/// A constraint that cannot be met.
#[derive(Debug)]
pub(super) enum Failure {
    /// No reading of the operator for this type.
    NoReading(Span, OpenType),
    /// `*` between a number and a set, or numbers of two kinds.
    Operands(Span, OpenType, OpenType),
    /// A record without the field.
    NoField(Span, OpenType, String),
}

/// Bindings of type variables and the constraints that wait.
#[derive(Default)]
pub(super) struct Inference {
    bindings: Vec<Option<OpenType>>,
    waiting: Vec<(Span, Constraint)>,
}

impl Inference {
    pub fn fresh(&mut self) -> OpenType {
        self.bindings.push(None);
        OpenType::Variable(TypeVariable(self.bindings.len() as u32 - 1))
    }

    fn binding(&self, v: TypeVariable) -> Option<&OpenType> {
        self.bindings.get(v.0 as usize)?.as_ref()
    }

    fn variable(t: &OpenType) -> Option<TypeVariable> {
        match t {
            OpenType::Variable(v) => Some(*v),
            _ => None,
        }
    }

    /// Returns the type with its outermost constructor known, as far as it is.
    pub fn head<'a>(&'a self, mut t: &'a OpenType) -> &'a OpenType {
        while let Some(v) = Self::variable(t) {
            match self.binding(v) {
                Some(bound) => t = bound,
                None => break,
            }
        }
        t
    }

    /// Returns the type with every known variable replaced.
    pub fn resolve(&self, t: &OpenType) -> OpenType {
        t.map(&mut |leaf| match Self::variable(leaf).and_then(|v| self.binding(v)) {
            Some(bound) => self.resolve(bound),
            None => leaf.clone(),
        })
    }

    /// Replaces every variable of a type; an undetermined one becomes `INTEGER`.
    pub fn settled(&self, t: &OpenType) -> OpenType {
        t.map(&mut |leaf| match Self::variable(leaf) {
            Some(v) => self.binding(v).map_or(OpenType::Int, |bound| self.settled(bound)),
            None => leaf.clone(),
        })
    }

    /// Returns whether no variable is left; erroneous types count as known.
    pub fn is_closed(&self, t: &OpenType) -> bool {
        match self.head(t) {
            OpenType::Pow(a) => self.is_closed(a),
            OpenType::Pair(a, b) => self.is_closed(a) && self.is_closed(b),
            OpenType::Record(fields) => fields.iter().all(|(_, t)| self.is_closed(t)),
            OpenType::Free(_, types) => types.iter().all(|t| self.is_closed(t)),
            other => Self::variable(other).is_none(),
        }
    }

    /// Converts to a type of the model. An undetermined type becomes `INTEGER`: it belongs to an expression such as an
    /// equality of empty sets (`{} = {}`), since names whose types stay open are reported. So does the type of a
    /// reported mistake, because such a model is never handed out.
    pub fn close(&self, t: &OpenType) -> Type {
        match self.head(t) {
            OpenType::Bool => Type::Bool,
            OpenType::Int | OpenType::Variable(_) | OpenType::Error => Type::Int,
            OpenType::Real => Type::Real,
            OpenType::String => Type::String,
            OpenType::Carrier(c) => Type::Carrier(*c),
            OpenType::Pow(a) => Type::pow(self.close(a)),
            OpenType::Pair(a, b) => Type::pair(self.close(a), self.close(b)),
            OpenType::Record(fields) => {
                Type::Record(fields.iter().map(|(l, t)| (l.clone(), self.close(t))).collect())
            }
            OpenType::Free(id, types) => Type::Free(*id, types.iter().map(|t| self.close(t)).collect()),
            OpenType::Parameter(i) => Type::Parameter(*i),
        }
    }

    fn occurs(&self, v: TypeVariable, t: &OpenType) -> bool {
        match self.head(t) {
            OpenType::Pow(a) => self.occurs(v, a),
            OpenType::Pair(a, b) => self.occurs(v, a) || self.occurs(v, b),
            OpenType::Record(fields) => fields.iter().any(|(_, t)| self.occurs(v, t)),
            OpenType::Free(_, types) => types.iter().any(|t| self.occurs(v, t)),
            other => Self::variable(other) == Some(v),
        }
    }

    /// Makes two types equal; `false` if they cannot be.
    pub fn unify(&mut self, a: &OpenType, b: &OpenType) -> bool {
        let (a, b) = (self.head(a).clone(), self.head(b).clone());
        match (Self::variable(&a), Self::variable(&b)) {
            (Some(v), Some(w)) if v == w => return true,
            (Some(v), _) => return self.bind(v, b),
            (_, Some(w)) => return self.bind(w, a),
            _ => {}
        }
        if a == OpenType::Error || b == OpenType::Error {
            self.poison(&a);
            self.poison(&b);
            return true;
        }
        match (&a, &b) {
            (OpenType::Pow(x), OpenType::Pow(y)) => self.unify(x, y),
            (OpenType::Pair(x, y), OpenType::Pair(u, v)) => {
                let left = self.unify(x, u);
                self.unify(y, v) && left
            }
            (OpenType::Record(f), OpenType::Record(g)) => {
                f.len() == g.len()
                    && f.iter().zip(g).all(|((l, _), (m, _))| l == m)
                    && f.iter().zip(g).fold(true, |ok, ((_, t), (_, u))| self.unify(t, u) && ok)
            }
            (OpenType::Free(f, ts), OpenType::Free(g, us)) => {
                f == g
                    && ts.len() == us.len()
                    && ts.iter().zip(us).fold(true, |ok, (t, u)| self.unify(t, u) && ok)
            }
            _ => a == b,
        }
    }

    /// Treats the open parts of the types of a mistake as known, so that it gives one message.
    pub fn poison(&mut self, t: &OpenType) {
        match self.head(t).clone() {
            OpenType::Pow(a) => self.poison(&a),
            OpenType::Pair(a, b) => {
                self.poison(&a);
                self.poison(&b);
            }
            OpenType::Record(fields) => fields.iter().for_each(|(_, t)| self.poison(t)),
            OpenType::Free(_, types) => types.iter().for_each(|t| self.poison(t)),
            other => {
                if let Some(v) = Self::variable(&other) {
                    self.bindings[v.0 as usize] = Some(OpenType::Error);
                }
            }
        }
    }

    fn bind(&mut self, v: TypeVariable, t: OpenType) -> bool {
        if self.occurs(v, &t) {
            return false;
        }
        self.bindings[v.0 as usize] = Some(t);
        true
    }

    /// Adds a constraint; it is tried at once and waits if it has to.
    pub fn require(&mut self, span: Span, constraint: Constraint) -> Result<(), Failure> {
        if !self.attempt(span, &constraint)? {
            self.waiting.push((span, constraint));
        }
        Ok(())
    }

    /// Settles all constraints: first those that types decide, then the rest by choosing integers.
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
                    self.unify(&t, &OpenType::Int);
                }
                Constraint::Field(..) => {}
            }
        }
        for (span, c) in std::mem::take(&mut self.waiting) {
            if let Constraint::Field(t, label, value) = c {
                failures.push(Failure::NoField(span, self.resolve(&t), label));
                self.unify(&t, &OpenType::Error);
                self.unify(&value, &OpenType::Error);
            }
        }
        failures
    }

    // `Ok(true)`: met; `Ok(false)`: not known yet.
    fn attempt(&mut self, span: Span, c: &Constraint) -> Result<bool, Failure> {
        match c {
            Constraint::Number(t) => match self.head(t) {
                OpenType::Int | OpenType::Real | OpenType::Error => Ok(true),
                OpenType::Variable(_) => Ok(false),
                t => Err(Failure::NoReading(span, self.resolve(t))),
            },
            Constraint::NumberOrSet(t) => match self.head(t) {
                OpenType::Int | OpenType::Real | OpenType::Pow(_) | OpenType::Error => Ok(true),
                OpenType::Variable(_) => Ok(false),
                t => Err(Failure::NoReading(span, self.resolve(t))),
            },
            Constraint::Times(l, r, result) => self.times(span, l, r, result),
            Constraint::Field(record, label, value) => match self.head(record).clone() {
                OpenType::Record(fields) => match fields.iter().find(|(l, _)| l == label) {
                    Some((_, t)) if self.unify(t, value) => Ok(true),
                    Some((_, t)) => Err(Failure::Operands(span, self.resolve(t), self.resolve(value))),
                    None => {
                        self.unify(value, &OpenType::Error);
                        Err(Failure::NoField(span, self.resolve(record), label.clone()))
                    }
                },
                OpenType::Error => {
                    self.unify(value, &OpenType::Error);
                    Ok(true)
                }
                OpenType::Variable(_) => Ok(false),
                t => {
                    self.unify(value, &OpenType::Error);
                    Err(Failure::NoField(span, self.resolve(&t), label.clone()))
                }
            },
        }
    }

    fn times(&mut self, span: Span, l: &OpenType, r: &OpenType, result: &OpenType) -> Result<bool, Failure> {
        let known =
            [l, r, result].into_iter().map(|t| self.head(t).clone()).find(|t| Self::variable(t).is_none());
        let ok = match &known {
            None => return Ok(false),
            Some(OpenType::Error) => {
                self.unify(result, &OpenType::Error);
                true
            }
            Some(t @ (OpenType::Int | OpenType::Real)) => {
                let ok = self.unify(l, t) && self.unify(r, t);
                ok && self.unify(result, t)
            }
            Some(OpenType::Pow(_)) => {
                let (a, b) = (self.fresh(), self.fresh());
                let ok = self.unify(l, &OpenType::pow(a.clone())) && self.unify(r, &OpenType::pow(b.clone()));
                ok && self.unify(result, &OpenType::relation(a, b))
            }
            Some(t) => {
                let failure = Failure::NoReading(span, self.resolve(t));
                self.unify(result, &OpenType::Error);
                return Err(failure);
            }
        };
        if ok {
            return Ok(true);
        }
        let failure = Failure::Operands(span, self.resolve(l), self.resolve(r));
        self.unify(result, &OpenType::Error);
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
        assert!(!i.unify(&t, &OpenType::pow(t.clone())));
        assert!(i.unify(&t, &t.clone()));
    }

    #[test]
    fn products_wait_for_any_operand() {
        let mut i = Inference::default();
        let (l, r, x) = (i.fresh(), i.fresh(), i.fresh());
        i.require(Span::default(), Constraint::Times(l.clone(), r.clone(), x.clone())).unwrap();
        assert!(i.unify(&r, &OpenType::pow(OpenType::Bool)));
        assert!(i.unify(&l, &OpenType::pow(OpenType::Int)));
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
        assert!(i.require(Span::default(), Constraint::Number(OpenType::Bool)).is_err());
    }
}
