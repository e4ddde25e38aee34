//! Expressions: symbolic values with well-definedness.

mod arithmetic;
mod binders;
mod cardinality;
mod closure;
mod relations;
mod sequences;
mod sets;
pub(crate) mod walk;

use std::str::FromStr;

use bsym_language::model::{BinaryOp, Expr, ExprKind, ExternalFunction, QuantOp, Target, UnaryOp};
use bsym_language::types::Type;
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::representation::layout::Layout;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Encoded, Form, Set, Symbolic, Unsupported};
use crate::term::{Term, Terms};

/// A value that is always defined.
pub(crate) fn total(value: Symbolic) -> Encoded {
    Encoded { value, defined: Terms::TRUE }
}

/// The decimal `12.5` as a fraction.
fn decimal(text: &str) -> Option<BigRational> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = BigInt::from_str(&format!("{whole}{fraction}")).ok()?;
    Some(BigRational::new(digits, BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?)))
}

impl Encoder {
    /// The value of an expression, and when it is well-defined.
    ///
    /// # Errors
    /// If the expression has no term; `part` is left empty.
    pub fn expr(&mut self, env: &Env, e: &Expr) -> Result<Encoded, Unsupported> {
        self.spend(1)?;
        let outer = std::mem::replace(&mut self.span, e.span);
        let result = self.expression(env, e);
        self.span = outer;
        result
    }

    fn expression(&mut self, env: &Env, e: &Expr) -> Result<Encoded, Unsupported> {
        let atom = |t: Term| Ok(total(Symbolic::Atom(t)));
        match &e.kind {
            ExprKind::Var(v) => self.named(env.state.get(v.index()), env.has_value(Target::Var(*v)), e),
            ExprKind::Old(v) => {
                let state = env.old.as_ref().unwrap_or(&env.state);
                self.named(state.get(v.index()), env.has_value(Target::Var(*v)), e)
            }
            ExprKind::Const(c) => self.named(env.constants.get(c.index()), Terms::TRUE, e),
            ExprKind::Local(l) => self.named(env.locals.get(l), env.has_value(Target::Local(*l)), e),
            ExprKind::Element(id, i) => atom(self.terms.constructor(self.sort(&Type::Carrier(*id)), *i)),
            ExprKind::Carrier(id) => Ok(total(Symbolic::Set(self.everything(&Type::Carrier(*id))))),
            ExprKind::Integer(n) => atom(self.terms.int(n.clone())),
            ExprKind::Real(text) => match decimal(text) {
                Some(r) => atom(self.terms.real(r)),
                None => self.unsupported("a real literal of this form"),
            },
            ExprKind::String(text) => {
                let code = self.string_code(text);
                atom(self.terms.int(code as i64))
            }
            ExprKind::Bool(b) => atom(self.terms.bool(*b)),
            ExprKind::MaxInt => atom(self.terms.int(self.scope.maxint.clone())),
            ExprKind::MinInt => atom(self.terms.int(self.scope.minint.clone())),
            ExprKind::Set(set) => Ok(total(Symbolic::Set(self.builtin(*set)))),
            ExprKind::EmptySet => match e.ty.element() {
                Some(t) => Ok(total(Symbolic::Set(Set::empty(t.clone())))),
                None => self.unsupported("an empty set without a type"),
            },
            ExprKind::SetExtension(items) => {
                let (values, defined) = self.operands(env, items)?;
                let Some(element) = e.ty.element() else {
                    return self.unsupported("a set without a type");
                };
                let items = values.into_iter().map(|v| (Terms::TRUE, v)).collect();
                let set = self.settle(Set::new(element.clone(), Form::List(items)))?;
                Ok(Encoded { value: Symbolic::Set(set), defined })
            }
            ExprKind::SeqExtension(items) => {
                let (values, defined) = self.operands(env, items)?;
                let Some(element) = e.ty.element() else {
                    return self.unsupported("a sequence without a type");
                };
                Ok(Encoded { value: Symbolic::Set(self.listed_sequence(element, values)), defined })
            }
            ExprKind::Unary(op, a) => {
                let a = self.expr(env, a)?;
                let mut result = self.unary(*op, &a.value, e)?;
                result.defined = self.terms.and([a.defined, result.defined]);
                Ok(result)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(env, a)?, self.expr(env, b)?);
                let mut result = self.binary(*op, &a.value, &b.value, e)?;
                result.defined = self.terms.and([a.defined, b.defined, result.defined]);
                Ok(result)
            }
            ExprKind::Apply(f, x) if matches!(f.kind, ExprKind::Quantified(QuantOp::Lambda, ..)) => {
                self.lambda_at(env, f, x)
            }
            ExprKind::Apply(f, x) => {
                let (f, x) = (self.expr(env, f)?, self.expr(env, x)?);
                let set = self.as_set(&f.value)?.clone();
                let (value, defined) = self.apply_at(&set, &x.value)?;
                Ok(Encoded { value, defined: self.terms.and([f.defined, x.defined, defined]) })
            }
            ExprKind::BoolOf(p) => {
                let p = self.pred(env, p)?;
                Ok(Encoded { value: Symbolic::Atom(p.holds), defined: p.defined })
            }
            ExprKind::Comprehension(locals, p) => self.comprehension(env, locals, p, e),
            ExprKind::Quantified(op, locals, p, body) => self.binder_with_value(env, *op, locals, p, body, e),
            ExprKind::Record(fields) => {
                let mut values = vec![];
                let mut defined = vec![];
                for (label, field) in fields {
                    let v = self.expr(env, field)?;
                    values.push((label.clone(), v.value));
                    defined.push(v.defined);
                }
                Ok(Encoded { value: Symbolic::Record(values), defined: self.terms.and(defined) })
            }
            ExprKind::Struct(fields) => self.structure(env, fields, e),
            ExprKind::Field(record, label) => {
                let r = self.expr(env, record)?;
                let Symbolic::Record(fields) = &r.value else {
                    return self.unsupported("a record was expected");
                };
                match fields.iter().find(|(l, _)| l == label) {
                    Some((_, v)) => Ok(Encoded { value: v.clone(), defined: r.defined }),
                    None => self.unsupported("the record has no such field"),
                }
            }
            ExprKind::WithField(record, label, value) => {
                let (r, v) = (self.expr(env, record)?, self.expr(env, value)?);
                let Symbolic::Record(mut fields) = r.value else {
                    return self.unsupported("a record was expected");
                };
                for field in &mut fields {
                    if field.0 == *label {
                        field.1 = v.value.clone();
                    }
                }
                let defined = self.terms.and([r.defined, v.defined]);
                Ok(Encoded { value: Symbolic::Record(fields), defined })
            }
            ExprKind::If(p, a, b) => {
                let p = self.pred(env, p)?;
                match p.holds {
                    Terms::TRUE | Terms::FALSE => {
                        let mut v = self.expr(env, if p.holds == Terms::TRUE { a } else { b })?;
                        v.defined = self.terms.and([p.defined, v.defined]);
                        Ok(v)
                    }
                    _ => {
                        let (a, b) = (self.expr(env, a)?, self.expr(env, b)?);
                        let value = self.ite(p.holds, &a.value, &b.value)?;
                        let branch = self.terms.ite(p.holds, a.defined, b.defined);
                        Ok(Encoded { value, defined: self.terms.and([p.defined, branch]) })
                    }
                }
            }
            ExprKind::Let(bindings, body) => {
                let (inner, defined) = self.bindings(env, bindings)?;
                let mut v = self.expr(&inner, body)?;
                v.defined = self.terms.and([defined, v.defined]);
                Ok(v)
            }
            ExprKind::Iterate(r, n) => {
                let (r, n) = (self.expr(env, r)?, self.expr(env, n)?);
                let set = self.as_set(&r.value)?.clone();
                let n = self.as_atom(&n.value)?;
                let (value, defined) = self.iterate(&set, n)?;
                Ok(Encoded { value: Symbolic::Set(value), defined: self.terms.and([r.defined, defined]) })
            }
            ExprKind::Prj1(a, b) | ExprKind::Prj2(a, b) => {
                let first = matches!(e.kind, ExprKind::Prj1(..));
                let (a, b) = (self.expr(env, a)?, self.expr(env, b)?);
                let (s, t) = (self.as_set(&a.value)?.clone(), self.as_set(&b.value)?.clone());
                let element = e.ty.element().cloned();
                let Some(element) = element else { return self.unsupported("a projection without a type") };
                let value = self.projection(element, s, t, first)?;
                Ok(Encoded { value: Symbolic::Set(value), defined: self.terms.and([a.defined, b.defined]) })
            }
            ExprKind::Succ | ExprKind::Pred => {
                let step = self.terms.int(if matches!(e.kind, ExprKind::Succ) { 1 } else { -1 });
                let domain = self.everything(&Type::Int);
                let element = Type::pair(Type::Int, Type::Int);
                let f = self.lambda(
                    element,
                    domain,
                    std::rc::Rc::new(move |e, x| {
                        let x = e.as_atom(x)?;
                        Ok(Symbolic::Atom(e.terms.add([x, step])))
                    }),
                )?;
                Ok(total(Symbolic::Set(f)))
            }
            ExprKind::FreeSet(..) | ExprKind::Constructor(..) | ExprKind::TypeParameter(_) => {
                self.unsupported("free types have no encoding")
            }
            ExprKind::Tree(op, _) => {
                self.unsupported(format!("`{}` has no encoding", bsym_language::print::tree_word(*op)))
            }
            ExprKind::External(f, args) if f.is_identity() => match &args[..] {
                [texts @ .., value] if texts.iter().all(|a| matches!(a.kind, ExprKind::String(_))) => {
                    self.expr(env, value)
                }
                _ => self.unsupported(format!("`{}` of a computed text has no encoding", f.name())),
            },
            ExprKind::External(ExternalFunction::AssertExpr, args) if args.len() == 3 => {
                let (holds, value) = (self.expr(env, &args[0])?, self.expr(env, &args[2])?);
                let asserted = self.as_atom(&holds.value)?;
                let defined = self.terms.and([holds.defined, asserted, value.defined]);
                Ok(Encoded { value: value.value, defined })
            }
            ExprKind::External(f, _) => self.unsupported(format!("`{}` has no encoding", f.name())),
            ExprKind::Call(..) => self.unsupported("recursive operators have no encoding"),
            ExprKind::Abstract(_) => self.unsupported("a variable of an abstraction has no value here"),
        }
    }

    /// The value of a name, which it has where `assigned` holds.
    fn named(&mut self, value: Option<&Symbolic>, assigned: Term, e: &Expr) -> Result<Encoded, Unsupported> {
        match value {
            Some(v) => Ok(Encoded { value: v.clone(), defined: assigned }),
            None if assigned == Terms::FALSE => {
                let shape = self.shape(&e.ty, &Layout::Any);
                Ok(Encoded { value: self.some_value(&shape), defined: Terms::FALSE })
            }
            None => self.unsupported("this name has no value here"),
        }
    }

    /// Values of several expressions, and that all are defined.
    pub(crate) fn operands(
        &mut self,
        env: &Env,
        items: &[Expr],
    ) -> Result<(Vec<Symbolic>, Term), Unsupported> {
        let mut values = vec![];
        let mut defined = vec![];
        for item in items {
            let v = self.expr(env, item)?;
            values.push(v.value);
            defined.push(v.defined);
        }
        Ok((values, self.terms.and(defined)))
    }

    /// The environment of a `LET`: the right sides do not see each other.
    pub(crate) fn bindings(
        &mut self,
        env: &Env,
        bindings: &[(bsym_language::model::LocalId, Expr)],
    ) -> Result<(Env, Term), Unsupported> {
        let mut inner = env.clone();
        let mut defined = vec![];
        for (local, e) in bindings {
            let v = self.expr(&inner, e)?;
            inner.bind(*local, v.value);
            defined.push(v.defined);
        }
        Ok((inner, self.terms.and(defined)))
    }

    /// `f(x)`, and that `x` is in the domain and has one value.
    pub(crate) fn apply_at(&mut self, f: &Set, x: &Symbolic) -> Result<(Symbolic, Term), Unsupported> {
        let inside = self.in_domain(f, x)?;
        let clash = self.clash(f, x)?;
        let value = self.value_at(f, x)?;
        Ok((value, self.terms.and([inside, self.terms.not(clash)])))
    }

    fn unary(&mut self, op: UnaryOp, a: &Symbolic, e: &Expr) -> Result<Encoded, Unsupported> {
        use UnaryOp::*;
        match op {
            Negate | NegateReal | Floor | Ceiling | ToReal => self.unary_arithmetic(op, a),
            Max | Min | MaxReal | MinReal => self.extremum(op, a),
            Pow | Pow1 | Fin | Fin1 | GeneralUnion | GeneralInter => self.unary_set(op, a),
            Card => self.card(a),
            Inverse | Id | Dom | Ran | Fnc | Rel => self.unary_relation(op, a, e),
            Closure | Closure1 => {
                let set = self.as_set(a)?.clone();
                let value = self.closure(&set, op == Closure)?;
                Ok(total(Symbolic::Set(value)))
            }
            Seq | Seq1 | Iseq | Iseq1 | Perm => self.sequence_space(op, a, e),
            Size | First | Last | Front | Tail | Rev | Conc => self.unary_sequence(op, a),
            FirstOf => Ok(total(self.as_couple(a)?.0.clone())),
            SecondOf => Ok(total(self.as_couple(a)?.1.clone())),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Symbolic, b: &Symbolic, e: &Expr) -> Result<Encoded, Unsupported> {
        use BinaryOp::*;
        match op {
            Add | Subtract | Multiply | Divide | Mod | Power | AddReal | SubtractReal | MultiplyReal
            | DivideReal | PowerReal => self.binary_arithmetic(op, a, b),
            Interval => {
                let (low, high) = (self.as_atom(a)?, self.as_atom(b)?);
                Ok(total(Symbolic::set(Type::Int, Form::Interval(Some(low), Some(high)))))
            }
            Maplet => Ok(total(Symbolic::pair(a.clone(), b.clone()))),
            Union | Intersection | Difference | Cartesian => self.binary_set(op, a, b),
            DomainRestriction | DomainSubtraction | RangeRestriction | RangeSubtraction | Override
            | DirectProduct | ParallelProduct | Composition | Image => self.binary_relation(op, a, b, e),
            Prepend | Append | Concat | Take | Drop => self.binary_sequence(op, a, b),
            Relation
            | TotalRelation
            | SurjectiveRelation
            | TotalSurjectiveRelation
            | PartialFunction
            | TotalFunction
            | PartialInjection
            | TotalInjection
            | PartialSurjection
            | TotalSurjection
            | PartialBijection
            | TotalBijection => self.relation_space(op, a, b, e),
        }
    }
}
