//! Expressions as values, and sets as elements of the sort of their type.

use bsym_language::model::{BinaryOp, BuiltinSet, CarrierKind, Expr, ExprKind, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_semantics::value::env::Name;

use super::{Env, Found, Lowering, name_of, unsupported};
use crate::term::{Sort, Term, Terms};
use crate::tuning::tuning;

impl Lowering<'_> {
    /// The value of an expression without couples around it. Where the expression is ill-defined it is some value.
    pub(super) fn value(&mut self, e: &Expr, env: &Env) -> Found<Vec<Term>> {
        if let Some(name) = name_of(e) {
            if let Name::Local(l) = name
                && let Some(terms) = env.get(&l)
            {
                return Ok(terms.to_vec());
            }
            if let Type::Pow(_) = e.ty {
                return Ok(vec![self.named_set(name, e, env)?]);
            }
            let sorts = self.leaves(&e.ty)?;
            return Ok(self.symbols(&self.base(name), &[], &sorts));
        }
        let t = self.terms.clone();
        Ok(match &e.kind {
            ExprKind::Element(id, i) => match self.model.types.carriers[id.index()].kind {
                CarrierKind::Enumerated(_) => {
                    let sort = self.leaves(&e.ty)?[0];
                    vec![t.constructor(sort, *i)]
                }
                CarrierKind::Deferred => return unsupported(e.span, "an element of a deferred set"),
            },
            ExprKind::Integer(n) => vec![t.int(n.clone())],
            ExprKind::MaxInt => vec![t.int(self.scope.maxint.clone())],
            ExprKind::MinInt => vec![t.int(self.scope.minint.clone())],
            ExprKind::Bool(b) => vec![t.bool(*b)],
            ExprKind::BoolOf(p) => vec![self.pred(p, env)?],
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                let mut all = self.value(a, env)?;
                all.extend(self.value(b, env)?);
                all
            }
            ExprKind::Binary(op, a, b) if e.ty == Type::Int => {
                let (a, b) = (self.atom(a, env)?, self.atom(b, env)?);
                vec![match op {
                    BinaryOp::Add => t.add([a, b]),
                    BinaryOp::Subtract => t.sub(a, b),
                    BinaryOp::Multiply => t.mul(a, b),
                    BinaryOp::Divide => t.div_trunc(a, b),
                    BinaryOp::Mod => t.modulo(a, b),
                    BinaryOp::Power => self.power_of(a, b),
                    _ => return unsupported(e.span, "this operator"),
                }]
            }
            ExprKind::Unary(UnaryOp::Negate, a) => vec![t.neg(self.atom(a, env)?)],
            ExprKind::Unary(UnaryOp::FirstOf, a) => {
                let mut all = self.value(a, env)?;
                all.truncate(Self::width(&e.ty));
                all
            }
            ExprKind::Unary(UnaryOp::SecondOf, a) => {
                let all = self.value(a, env)?;
                all[all.len() - Self::width(&e.ty)..].to_vec()
            }
            ExprKind::Unary(UnaryOp::Card, s) => vec![self.card(s, env)?],
            ExprKind::Unary(UnaryOp::Size, s) => vec![self.size(s, env)?],
            ExprKind::Unary(UnaryOp::Min, s) => vec![self.extremum(s, true, env)?],
            ExprKind::Unary(UnaryOp::Max, s) => vec![self.extremum(s, false, env)?],
            ExprKind::Unary(UnaryOp::First, s) => {
                let one = t.int(1);
                self.application(s, &[one], env)?
            }
            ExprKind::Unary(UnaryOp::Last, s) => {
                let size = self.size(s, env)?;
                self.application(s, &[size], env)?
            }
            ExprKind::Apply(f, x) => {
                let x = self.value(x, env)?;
                self.application(f, &x, env)?
            }
            ExprKind::If(p, a, b) => {
                let (p, a, b) = (self.pred(p, env)?, self.value(a, env)?, self.value(b, env)?);
                self.choice(p, a, b)?
            }
            ExprKind::Let(list, body) => {
                let env = self.bind_values(list, env)?;
                self.value(body, &env)?
            }
            ExprKind::Record(fields) => {
                let mut all = vec![];
                for (_, e) in fields {
                    all.extend(self.value(e, env)?);
                }
                all
            }
            ExprKind::Field(record, label) => {
                let (value, place) = (self.value(record, env)?, field(&record.ty, label));
                let Some((start, end)) = place else { return unsupported(e.span, "this field") };
                value[start..end].to_vec()
            }
            ExprKind::WithField(record, label, new) => {
                let (mut value, place) = (self.value(record, env)?, field(&record.ty, label));
                let Some((start, end)) = place else { return unsupported(e.span, "this field") };
                value.splice(start..end, self.value(new, env)?);
                value
            }
            _ if matches!(e.ty, Type::Pow(_)) => vec![self.composed_set(e, env)?],
            _ => return unsupported(e.span, "this expression"),
        })
    }

    /// The value of an expression that is one term.
    pub(super) fn atom(&mut self, e: &Expr, env: &Env) -> Found<Term> {
        match self.value(e, env)?[..] {
            [one] => Ok(one),
            _ => unsupported(e.span, "a couple here"),
        }
    }

    /// A set as an element of the sort of its type.
    pub(super) fn set(&mut self, e: &Expr, env: &Env) -> Found<Term> {
        self.atom(e, env)
    }

    fn named_set(&mut self, name: Name, e: &Expr, env: &Env) -> Found<Term> {
        if self.functions.contains_key(&name) {
            return self.composed_set(e, env);
        }
        self.asked.insert(name);
        let sort = self.leaves(&e.ty)?[0];
        Ok(self.terms.symbol(&self.base(name), sort))
    }

    /// A name for a set, defined by its members: the instance of comprehension that first-order logic lacks.
    fn composed_set(&mut self, e: &Expr, env: &Env) -> Found<Term> {
        let Type::Pow(element) = &e.ty else { return unsupported(e.span, "a set of another type") };
        if let ExprKind::Unary(UnaryOp::Inverse, relation) = &e.kind
            && self.is_element(relation, env)
        {
            let relation = self.set(relation, env)?;
            return self.inverse(relation, element);
        }
        let sort = self.leaves(&e.ty)?[0];
        let x = self.bind_type(element)?;
        let member = self.member(&x, e, env)?;
        if let Some(set) = self.itself(&x, member) {
            return Ok(set);
        }
        let found = self.such_that("set", &[sort], |l, set| {
            let own = l.member_of(&x, set[0]);
            Ok(l.forall(&x, l.terms.eq(own, member)))
        })?;
        Ok(found[0])
    }

    /// Returns the inverse of a relation that is an element of a sort, as the value of a function. The function for the
    /// other direction undoes it: otherwise instantiating `!f.(f : all => f~ : all)` would never end.
    ///
    /// `element` is the type of the couples of the inverse. Couples are flattened, so `(S * S) <-> S` and `S <-> (S *
    /// S)` have the same sort. The name of the function therefore says how many components the first side has.
    fn inverse(&mut self, relation: Term, element: &Type) -> Found<Term> {
        let Type::Pair(left, right) = element else { return unsupported(Span::default(), "this inverse") };
        let t = self.terms.clone();
        let (own, other) = (self.leaves(left)?, self.leaves(right)?);
        let from = t.sort_of(relation);
        let to = self.power([&own[..], &other].concat());
        let name =
            |sort: Sort, first: usize| format!("inverse {first} {}", t.sort_text(sort).replace('"', ""));
        let (there, back) = (name(from, other.len()), name(to, own.len()));
        if self.named.insert(there.clone(), there.clone()).is_none() {
            let (x, y) = (self.bind_sorts("x", &own), self.bind_sorts("y", &other));
            let r = self.bind_sorts("r", &[from])[0];
            let inverse = self.symbol(&there, &[r], to);
            let turned = self.member_of(&[&x[..], &y].concat(), inverse);
            self.fact(t.eq(self.member_of(&[&y[..], &x].concat(), r), turned));
            self.fact(t.eq(self.symbol(&back, &[inverse], from), r));
        }
        Ok(self.symbol(&there, &[relation], to))
    }

    /// The element of which a membership says that a tuple is in it.
    fn itself(&self, tuple: &[Term], member: Term) -> Option<Term> {
        let t = &self.terms;
        let node = t.node(member);
        let [_, index] = node.args[..] else { return None };
        let set = *t.node(index).args.last()?;
        let sort = t.sort_of(set);
        let of: Vec<Sort> = tuple.iter().map(|&x| t.sort_of(x)).collect();
        let fits = self.powers.get(&sort) == Some(&of) && self.member_of(tuple, set) == member;
        let open = t.symbols(&[set]);
        let is_closed = tuple.iter().all(|&x| t.as_symbol(x).is_some_and(|x| !open.contains(&x)));
        (fits && is_closed).then_some(set)
    }

    /// `a` where the condition holds, else `b`. A condition with quantifiers is not put inside of a term.
    pub(super) fn choice(&mut self, condition: Term, a: Vec<Term>, b: Vec<Term>) -> Found<Vec<Term>> {
        let t = self.terms.clone();
        if a == b || condition == Terms::TRUE {
            return Ok(a);
        }
        if t.quantifiers(&[condition]) == 0 {
            return Ok(a.into_iter().zip(b).map(|(a, b)| t.ite(condition, a, b)).collect());
        }
        let sorts: Vec<_> = a.iter().map(|&a| t.sort_of(a)).collect();
        self.such_that("case", &sorts, |l, values| {
            let same = |l: &Self, other: &[Term]| {
                l.terms.and(values.iter().zip(other).map(|(&v, &o)| l.terms.eq(v, o)))
            };
            let (yes, no) = (same(l, &a), same(l, &b));
            Ok(l.terms.and([l.terms.implies(condition, yes), l.terms.or([condition, no])]))
        })
    }

    /// `a ** b`; beyond literals no more is known of it than its first values and how it grows by one.
    fn power_of(&mut self, a: Term, b: Term) -> Term {
        let t = self.terms.clone();
        if let Some(n) =
            t.as_int(b).and_then(|n| n.to_i64()).filter(|n| (0..=tuning().symbolic.product).contains(n))
        {
            return (0..n).fold(t.int(1), |p, _| t.mul(p, a));
        }
        let power = |a: Term, b: Term| self.symbol("power", &[a, b], Terms::INT);
        let (zero, one) = (t.int(0), t.int(1));
        let found = power(a, b);
        let before = power(a, t.sub(b, one));
        let step = t.implies(t.lt(zero, b), t.eq(found, t.mul(a, before)));
        let first = t.implies(t.eq(b, zero), t.eq(found, one));
        let positive = t.implies(t.and([t.le(zero, b), t.lt(zero, a)]), t.lt(zero, found));
        self.fact(t.and([step, first, positive]));
        found
    }

    /// The set of a name for a set of integers that has one.
    pub(super) fn builtin(&self, set: BuiltinSet, x: Term) -> Option<Term> {
        let t = &self.terms;
        let (zero, one) = (t.int(0), t.int(1));
        let (min, max) = (t.int(self.scope.minint.clone()), t.int(self.scope.maxint.clone()));
        Some(match set {
            BuiltinSet::Integer | BuiltinSet::Bool | BuiltinSet::String | BuiltinSet::Real => Terms::TRUE,
            BuiltinSet::Natural => t.le(zero, x),
            BuiltinSet::Natural1 => t.le(one, x),
            BuiltinSet::Int => t.and([t.le(min, x), t.le(x, max)]),
            BuiltinSet::Nat => t.and([t.le(zero, x), t.le(x, max)]),
            BuiltinSet::Nat1 => t.and([t.le(one, x), t.le(x, max)]),
            BuiltinSet::Float => return None,
        })
    }
}

/// Returns where a field is in the value of a record: its first position, and the one after its last.
fn field(ty: &Type, label: &str) -> Option<(usize, usize)> {
    let Type::Record(fields) = ty else { return None };
    let mut start = 0;
    for (name, ty) in fields {
        let end = start + Lowering::width(ty);
        if name == label {
            return Some((start, end));
        }
        start = end;
    }
    None
}
