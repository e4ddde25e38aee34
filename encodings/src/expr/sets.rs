//! Sets: the ones with names, power sets, set algebra, records.

use std::rc::Rc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, BuiltinSet, Expr, UnaryOp};
use bsym_language::types::Type;

use super::total;
use crate::symbolic::Encoded;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Form, Set, Symbolic};

impl Encoder {
    pub(super) fn builtin(&mut self, set: BuiltinSet) -> Rc<Set> {
        let (maxint, minint) = (self.scope.maxint.clone(), self.scope.minint.clone());
        let between = |low: Int, high: Option<Int>| {
            let high = high.map(|h| self.terms.int(h));
            Set::new(Type::Int, Form::Interval(Some(self.terms.int(low)), high))
        };
        match set {
            BuiltinSet::Integer => self.everything(&Type::Int),
            BuiltinSet::Natural => between(Int::ZERO, None),
            BuiltinSet::Natural1 => between(Int::ONE, None),
            BuiltinSet::Int => between(minint, Some(maxint)),
            BuiltinSet::Nat => between(Int::ZERO, Some(maxint)),
            BuiltinSet::Nat1 => between(Int::ONE, Some(maxint)),
            BuiltinSet::Bool => self.everything(&Type::Bool),
            BuiltinSet::String => self.everything(&Type::String),
            BuiltinSet::Real | BuiltinSet::Float => self.everything(&Type::Real),
        }
    }

    pub(super) fn unary_set(&mut self, op: UnaryOp, a: &Symbolic) -> Result<Encoded, Unsupported> {
        let set = self.as_set(a)?.clone();
        let element = Type::pow(set.element.clone());
        let power = |non_empty: bool, finite: bool| {
            Ok(total(Symbolic::set(element.clone(), Form::Power { of: set.clone(), non_empty, finite })))
        };
        match op {
            UnaryOp::Pow => power(false, false),
            UnaryOp::Pow1 => power(true, false),
            UnaryOp::Fin => power(false, true),
            UnaryOp::Fin1 => power(true, true),
            UnaryOp::GeneralUnion => {
                let Some(inner) = set.element.element().cloned() else {
                    return self.unsupported("the union of elements that are no sets");
                };
                if let Some(items) = self.candidates(&set)? {
                    let mut whole = Set::empty(inner);
                    for (g, s) in items {
                        let s = self.as_set(&s)?.clone();
                        let s = self.guarded(g, &s)?;
                        whole = self.union(&whole, &s)?;
                    }
                    return Ok(total(Symbolic::Set(whole)));
                }
                let value = self.described(
                    inner,
                    Rc::new(move |e, x| {
                        let x = x.clone();
                        e.exists_in(&set, &mut |e, s| e.member(&x, s))
                    }),
                )?;
                Ok(total(Symbolic::Set(value)))
            }
            UnaryOp::GeneralInter => {
                let Some(inner) = set.element.element().cloned() else {
                    return self.unsupported("the intersection of elements that are no sets");
                };
                let empty = self.is_empty(&set)?;
                let value = self.described(
                    inner,
                    Rc::new(move |e, x| {
                        let x = x.clone();
                        e.forall_in(&set, &mut |e, s| e.member(&x, s))
                    }),
                )?;
                Ok(Encoded { value: Symbolic::Set(value), defined: self.terms.not(empty) })
            }
            _ => self.unsupported("no operator on sets"),
        }
    }

    pub(super) fn binary_set(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
    ) -> Result<Encoded, Unsupported> {
        let (a, b) = (self.as_set(a)?.clone(), self.as_set(b)?.clone());
        let value = match op {
            BinaryOp::Union => self.union(&a, &b)?,
            BinaryOp::Intersection => self.intersection(&a, &b)?,
            BinaryOp::Difference => self.difference(&a, &b)?,
            _ => {
                let element = Type::pair(a.element.clone(), b.element.clone());
                Set::new(element, Form::Product(a, b))
            }
        };
        Ok(total(Symbolic::Set(value)))
    }

    /// `struct(a: S, …)`
    pub(super) fn structure(
        &mut self,
        env: &Env,
        fields: &[(String, Expr)],
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a set of records without a type");
        };
        let mut sets = vec![];
        let mut defined = vec![];
        for (_, field) in fields {
            let v = self.expr(env, field)?;
            sets.push(self.as_set(&v.value)?.clone());
            defined.push(v.defined);
        }
        let value = self.described(
            element,
            Rc::new(move |e, x| {
                let Symbolic::Record(values) = x else { return e.unsupported("a record was expected") };
                let mut all = vec![];
                for ((_, v), set) in values.iter().zip(&sets) {
                    all.push(e.is_in(v, set)?);
                }
                Ok(e.terms.and(all))
            }),
        )?;
        Ok(Encoded { value: Symbolic::Set(value), defined: self.terms.and(defined) })
    }
}
