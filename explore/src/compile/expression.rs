//! Expressions: integers as machine integers, sets of numbered values as bits, the rest as words.

use std::sync::Arc;

use bsym_language::model::{BinaryOp, Expr, ExprKind, QuantOp, UnaryOp};
use bsym_language::walk::Names;

use super::code::{Code, Fail};
use super::relation as rel;
use super::set_value::{build, size};
use super::{C, Compiler};
use crate::store::rep::Rep;
use crate::tuning::tuning;

impl<'m> Compiler<'_, 'm> {
    /// Compiles an expression to its word.
    pub fn word(&mut self, e: &Expr) -> C<Code<'m, u32>> {
        let code = self.operand(e)?;
        if !self.makes_lists(e) {
            return Ok(code);
        }
        let code = match self.rep(e).is_set_list() && code.literal.is_none() && code.slot.is_none() {
            true => code.map(|ctx, w| Ok(ctx.store.settle(w))),
            false => code,
        };
        Ok(code.without_drafts())
    }

    /// Compiles an expression to its word, or to that of a draft. The caller must be done with the draft before its own
    /// computation ends, and must release it by [`Code::without_drafts`] unless the result is a set that is again an
    /// operand.
    pub(super) fn operand(&mut self, e: &Expr) -> C<Code<'m, u32>> {
        match self.own_word(e) {
            Ok(code) => Ok(code),
            Err(_) => self.expr_by_reference(e),
        }
    }

    /// Returns whether the code of an expression, as an operand, may leave drafts.
    pub(super) fn makes_lists(&self, e: &Expr) -> bool {
        let is_list = |e: &Expr| self.rep(e).is_set_list();
        match &e.kind {
            ExprKind::SetExtension(_)
            | ExprKind::SeqExtension(_)
            | ExprKind::Carrier(_)
            | ExprKind::Set(_)
            | ExprKind::Comprehension(..) => is_list(e),
            ExprKind::Quantified(op, ..) => !matches!(op, QuantOp::Sigma | QuantOp::Pi) && is_list(e),
            ExprKind::Unary(_, s) => is_list(e) || is_list(s),
            ExprKind::Binary(_, a, b) => is_list(e) || is_list(a) || is_list(b),
            _ => false,
        }
    }

    /// Compiles an expression that becomes a part of another value.
    pub(super) fn part(&mut self, e: &Expr) -> C<Code<'m, u32>> {
        let code = self.word(e)?;
        Ok(match *self.rep(e) {
            // A set that is not listed must not be compared by its word.
            Rep::Set(_) | Rep::Relation(..) if code.literal.is_none() => {
                code.map(|ctx, w| ctx.store.listed(w).map(|_| w).ok_or(Fail))
            }
            _ => code,
        })
    }

    fn own_word(&mut self, e: &Expr) -> C<Code<'m, u32>> {
        if let Some(code) = self.leaf(e) {
            return Ok(code);
        }
        if let Some(literal) = self.folded(e) {
            return Ok(literal);
        }
        let rep = self.rep(e);
        self.weight += if matches!(*rep, Rep::Bits(..)) { 3 } else { 1 };
        if let Some(int) = self.arithmetic(e)? {
            return Ok(int.map(|ctx, n| Ok(ctx.store.int(n))));
        }
        if let Rep::Bits(_, n) = *rep
            && let Some(bits) = self.bit_operation(e)?
        {
            return Ok(bits.map(move |ctx, bits| Ok(ctx.store.bit_set(n, bits))));
        }
        self.structured(e, &rep)
    }

    /// Compiles an expression of type integer.
    pub fn int(&mut self, e: &Expr) -> C<Code<'m, i64>> {
        if self.leaf(e).is_none()
            && self.folded(e).is_none()
            && let Some(int) = self.arithmetic(e)?
        {
            return Ok(int);
        }
        let word = self.word(e)?;
        if let Some(n) = word.literal.and_then(|w| self.context.store.get_int(w)) {
            return Ok(Code::literal(n));
        }
        if let Some(slot) = word.slot {
            let code = Code::new(word.total, move |ctx| ctx.store.get_int(ctx.slots[slot]).ok_or(Fail));
            return Ok(Code { slot: Some(slot), ..code });
        }
        Ok(word.map(|ctx, w| ctx.store.get_int(w).ok_or(Fail)))
    }

    /// Compiles a set of numbered values.
    pub fn bits(&mut self, e: &Expr) -> C<Code<'m, u128>> {
        let Rep::Bits(_, n) = *self.rep(e) else { return Err("no set of bits".into()) };
        if self.leaf(e).is_none()
            && self.folded(e).is_none()
            && let Some(bits) = self.bit_operation(e)?
        {
            return Ok(bits);
        }
        let word = self.word(e)?;
        if let Some(w) = word.literal {
            return Ok(Code::literal(self.context.store.bits(n, w)));
        }
        Ok(word.map(move |ctx, w| Ok(ctx.store.bits(n, w))))
    }

    /// Compiles names and literals.
    fn leaf(&mut self, e: &Expr) -> Option<Code<'m, u32>> {
        let slot = match &e.kind {
            ExprKind::Var(v) => self.variable_slot(*v),
            ExprKind::Old(v) => self.old_slot(*v),
            ExprKind::Local(l) => *self.locals.get(l)?,
            ExprKind::Const(c) => match self.context.fixed_word(*c) {
                Some(word) => return Some(Code::literal(word)),
                None if self.context.is_fixed(*c) => return None,
                None => self.constant_slot(*c),
            },
            ExprKind::Element(_, i) => return Some(Code::literal(*i)),
            ExprKind::Bool(b) => return Some(Code::literal(u32::from(*b))),
            ExprKind::Integer(n) => {
                let n = n.to_i64()?;
                return Some(Code::literal(self.context.store.int(n)));
            }
            _ => return None,
        };
        let code = Code::new(true, move |ctx| Ok(ctx.slots[slot]));
        Some(Code { slot: Some(slot), ..code })
    }

    /// Evaluates an expression without variables to a literal. Sets that are only described remain as they are.
    fn folded(&mut self, e: &Expr) -> Option<Code<'m, u32>> {
        let described = match &e.kind {
            ExprKind::Unary(op, _) => matches!(
                op,
                UnaryOp::Pow
                    | UnaryOp::Pow1
                    | UnaryOp::Fin
                    | UnaryOp::Fin1
                    | UnaryOp::Seq
                    | UnaryOp::Seq1
                    | UnaryOp::Iseq
                    | UnaryOp::Iseq1
                    | UnaryOp::Perm
            ),
            ExprKind::Binary(op, ..) => op.relation_space().is_some(),
            _ => false,
        };
        if described || !self.is_closed(&Names::of_expr(e)) {
            return None;
        }
        let value = self.closed_value(e)?;
        let rep = self.rep(e);
        let eval = self.context.eval;
        self.context.store.encode(&eval, &rep, &value).map(Code::literal)
    }

    fn arithmetic(&mut self, e: &Expr) -> C<Option<Code<'m, i64>>> {
        use BinaryOp::*;
        Ok(Some(match &e.kind {
            ExprKind::Binary(op @ (Add | Subtract | Multiply | Divide | Mod), a, b) => {
                let (x, y) = (self.int(a)?, self.int(b)?);
                let (x_slot, y_literal) = (x.slot, y.literal);
                match op {
                    Add => match (x_slot, y_literal) {
                        (Some(slot), Some(n)) => Code::new(x.total, move |ctx| {
                            ctx.store.get_int(ctx.slots[slot]).and_then(|m| m.checked_add(n)).ok_or(Fail)
                        }),
                        _ => x.with(y, |_, a, b| a.checked_add(b).ok_or(Fail)),
                    },
                    Subtract => x.with(y, |_, a, b| a.checked_sub(b).ok_or(Fail)),
                    Multiply => x.with(y, |_, a, b| a.checked_mul(b).ok_or(Fail)),
                    Divide => {
                        let defined = y_literal.is_some_and(|n| n != 0);
                        let code = x.with(y, |_, a, b| a.checked_div(b).ok_or(Fail));
                        if defined { code } else { code.partial() }
                    }
                    _ => x.with(y, |_, a, b| if a < 0 || b <= 0 { Err(Fail) } else { Ok(a % b) }).partial(),
                }
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.int(a)?.map(|_, n| n.checked_neg().ok_or(Fail)),
            ExprKind::Unary(UnaryOp::Card, s) => {
                let rep = self.rep(s);
                if let Rep::Bits(..) = *rep {
                    self.bits(s)?.map(|_, bits| Ok(i64::from(bits.count_ones())))
                } else {
                    // The cardinality of an infinite set is ill-defined.
                    let code = self.operand(s)?.map(move |ctx, w| Ok(size(&ctx.store, &rep, w)? as i64));
                    code.partial().without_drafts()
                }
            }
            ExprKind::Unary(UnaryOp::Size, s) => {
                let rep = self.rep(s);
                let code = self.word(s)?;
                code.map(move |ctx, w| Ok(rel::in_order(&ctx.store, &rep, w)?.len() as i64)).partial()
            }
            ExprKind::Unary(op @ (UnaryOp::Max | UnaryOp::Min), s) => {
                let largest = *op == UnaryOp::Max;
                let code = self.operand(s)?.map(move |ctx, w| rel::extremum(&ctx.store, w, largest));
                code.partial().without_drafts()
            }
            ExprKind::Quantified(op @ (QuantOp::Sigma | QuantOp::Pi), locals, p, body) => {
                return self.aggregate(*op, locals, p, body).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    /// Compiles operations on sets of numbered values whose result is such a set.
    fn bit_operation(&mut self, e: &Expr) -> C<Option<Code<'m, u128>>> {
        use BinaryOp::*;
        Ok(Some(match &e.kind {
            ExprKind::EmptySet => Code::literal(0),
            ExprKind::Binary(op @ (Union | Intersection | Difference), s, t) => {
                let (s, t) = (self.bits(s)?, self.bits(t)?);
                match op {
                    Union => s.with(t, |_, a, b| Ok(a | b)),
                    Intersection => s.with(t, |_, a, b| Ok(a & b)),
                    _ => s.with(t, |_, a, b| Ok(a & !b)),
                }
            }
            ExprKind::SetExtension(es) => {
                let mut code: Option<Code<'m, u128>> = None;
                for e in es {
                    let one = self.word(e)?.map(|_, w| Ok(1u128 << w));
                    code = Some(match code {
                        None => one,
                        Some(code) => code.with(one, |_, a, b| Ok(a | b)),
                    });
                }
                code.ok_or("an empty extension")?
            }
            ExprKind::Binary(Image, r, s) => {
                if let (Some(x), Some((_, width))) = (singleton(s), self.rep(r).bit_rows()) {
                    let (r, x) = (self.bits(r)?, self.word(x)?);
                    return Ok(Some(r.with(x, move |_, r, x| Ok(rel::row_of(r, width, x)))));
                }
                return Ok(None);
            }
            _ => return Ok(None),
        }))
    }

    fn structured(&mut self, e: &Expr, rep: &Arc<Rep>) -> C<Code<'m, u32>> {
        use BinaryOp::*;
        let target = rep.clone();
        Ok(match &e.kind {
            ExprKind::EmptySet => Code::literal(self.context.store.list(&[])),
            ExprKind::BoolOf(p) => self.pred(p)?.map(|_, b| Ok(u32::from(b))),
            ExprKind::If(p, a, b) => {
                let (p, a, b) = (self.pred(p)?, self.word(a)?, self.word(b)?);
                p.choose(a, b)
            }
            ExprKind::Let(defs, body) => {
                let defs = self.definitions(defs)?;
                defs.before(self.word(body)?)
            }
            ExprKind::Binary(Maplet, a, b) => {
                let Rep::Pair(ra, rb, numbered) = &*target else { return self.expr_by_reference(e) };
                let (ra, rb, numbered) = (ra.clone(), rb.clone(), numbered.is_some());
                let (a, b) = (self.part(a)?, self.part(b)?);
                if let (true, Some(n)) = (numbered, rb.count()) {
                    a.with(b, move |_, l, r| Ok(l * n + r))
                } else {
                    a.with(b, move |ctx, l, r| Ok(ctx.store.pair(&ra, &rb, false, l, r)))
                }
            }
            ExprKind::Unary(op @ (UnaryOp::FirstOf | UnaryOp::SecondOf), p) => {
                let first = *op == UnaryOp::FirstOf;
                let pair = self.rep(p);
                let Rep::Pair(a, b, numbered) = &*pair else { return self.expr_by_reference(e) };
                let (a, b, numbered) = (a.clone(), b.clone(), numbered.is_some());
                self.word(p)?.map(move |ctx, w| {
                    let (l, r) = ctx.store.unpair(&a, &b, numbered, w);
                    Ok(if first { l } else { r })
                })
            }
            ExprKind::Apply(f, x) => return self.application(e, f, x),
            ExprKind::Field(r, label) => {
                let record = self.rep(r);
                let Rep::Record(fields) = &*record else { return self.expr_by_reference(e) };
                let at = fields.iter().position(|(l, _)| **l == **label).ok_or("no such field")?;
                self.word(r)?.map(move |ctx, w| ctx.store.listed(w).ok_or(Fail)?.get(at).ok_or(Fail))
            }
            ExprKind::WithField(r, label, new) => {
                let Rep::Record(fields) = &*target else { return self.expr_by_reference(e) };
                let at = fields.iter().position(|(l, _)| **l == **label).ok_or("no such field")?;
                let (r, new) = (self.word(r)?, self.part(new)?);
                r.with(new, move |ctx, w, new| {
                    let mut list = ctx.store.listed(w).ok_or(Fail)?.iter().collect::<Vec<_>>();
                    list[at] = new;
                    Ok(ctx.store.list(&list))
                })
            }
            ExprKind::Record(fields) => {
                let codes = self.words(fields.iter().map(|(_, e)| e))?;
                codes.map(|ctx, list| Ok(ctx.store.list(&list)))
            }
            ExprKind::SetExtension(es) => {
                let codes = self.words(es.iter())?;
                codes.map(move |ctx, list| build(&mut ctx.store, &target, list))
            }
            ExprKind::SeqExtension(es) => {
                if !matches!(*target, Rep::Relation(..)) {
                    return self.expr_by_reference(e);
                }
                self.words(es.iter())?.map(|ctx, list| Ok(rel::of_order(&mut ctx.store, list)))
            }
            ExprKind::Binary(Interval, ..) => {
                let set = self.set(e)?;
                set.map(move |ctx, s| {
                    let list = s.list(ctx, &Rep::Int)?;
                    Ok(ctx.store.list(&list))
                })
            }
            ExprKind::Carrier(_) | ExprKind::Set(_) => {
                let element = target.element().ok_or("no set")?;
                self.set(e)?.map(move |ctx, s| {
                    let list = s.list(ctx, &element)?;
                    build(&mut ctx.store, &target, list)
                })
            }
            ExprKind::Unary(op, s) => return self.unary(e, *op, s, rep),
            ExprKind::Binary(op, a, b) => return self.binary(e, *op, a, b, rep),
            ExprKind::Comprehension(locals, p) => return self.comprehension(e, locals, p, None, rep),
            ExprKind::Quantified(QuantOp::Lambda | QuantOp::Image, locals, p, body) => {
                return self.comprehension(e, locals, p, Some(body), rep);
            }
            ExprKind::Quantified(QuantOp::Union, locals, p, body) => {
                return self.union_over(locals, p, body, rep);
            }
            _ => return self.expr_by_reference(e),
        })
    }

    /// Compiles several expressions to words, from left to right.
    fn words<'e>(&mut self, es: impl Iterator<Item = &'e Expr>) -> C<Code<'m, Vec<u32>>> {
        let mut codes = Vec::new();
        let mut total = true;
        for e in es {
            let code = self.part(e)?;
            total &= code.total;
            codes.push(code.run);
        }
        Ok(Code::new(total, move |ctx| codes.iter().map(|c| c(ctx)).collect()))
    }

    fn application(&mut self, e: &Expr, f: &Expr, x: &Expr) -> C<Code<'m, u32>> {
        let rep = self.rep(f);
        let described = matches!(&f.kind, ExprKind::Quantified(..) | ExprKind::Succ | ExprKind::Pred);
        if described {
            return self.expr_by_reference(e);
        }
        let function = self.word(f)?;
        if let Some(word) = function.literal
            && !matches!(*rep, Rep::Bits(..))
            && self.context.store.listed(word).is_none()
        {
            return self.expr_by_reference(e);
        }
        let x_rep = self.rep(x);
        let x = self.word(x)?;
        let total = match function.literal {
            Some(word) => x.total && is_total_on_type(self, &rep, &x_rep, word),
            None => false,
        };
        let code = function.with(x, move |ctx, f, x| rel::apply(&ctx.store, &rep, f, x));
        Ok(Code { total, ..code })
    }

    fn unary(&mut self, e: &Expr, op: UnaryOp, s: &Expr, target: &Arc<Rep>) -> C<Code<'m, u32>> {
        self.weight += tuning().compile.set_weight;
        let (rep, target) = (self.rep(s), target.clone());
        if rep.element().is_none() {
            return self.expr_by_reference(e);
        }
        Ok(match op {
            UnaryOp::Dom | UnaryOp::Ran => {
                let left = op == UnaryOp::Dom;
                self.operand(s)?.map(move |ctx, r| rel::side(&mut ctx.store, &rep, &target, r, left))
            }
            UnaryOp::Inverse => {
                self.operand(s)?.map(move |ctx, r| rel::inverse(&mut ctx.store, &rep, &target, r))
            }
            UnaryOp::Closure1 => self.operand(s)?.map(move |ctx, r| rel::transitive(&mut ctx.store, &rep, r)),
            UnaryOp::GeneralUnion => {
                let inner = rep.element().ok_or("no family")?;
                self.word(s)?.map(move |ctx, w| {
                    let mut all = Vec::new();
                    for set in rel::elements(&mut ctx.store, &rep, w)? {
                        all.extend(rel::elements(&mut ctx.store, &inner, set)?);
                    }
                    build(&mut ctx.store, &target, all)
                })
            }
            UnaryOp::First | UnaryOp::Last => {
                let first = op == UnaryOp::First;
                let code = self.word(s)?.map(move |ctx, w| {
                    let list = rel::in_order(&ctx.store, &rep, w)?;
                    if first { list.first() } else { list.last() }.copied().ok_or(Fail)
                });
                code.partial()
            }
            UnaryOp::Front | UnaryOp::Tail | UnaryOp::Rev => {
                let code = self.word(s)?.map(move |ctx, w| {
                    let mut list = rel::in_order(&ctx.store, &rep, w)?;
                    match op {
                        UnaryOp::Front => drop(list.pop().ok_or(Fail)?),
                        UnaryOp::Tail if list.is_empty() => return Err(Fail),
                        UnaryOp::Tail => drop(list.remove(0)),
                        _ => list.reverse(),
                    }
                    Ok(rel::of_order(&mut ctx.store, list))
                });
                code.partial()
            }
            _ => return self.expr_by_reference(e),
        })
    }

    fn binary(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr, target: &Arc<Rep>) -> C<Code<'m, u32>> {
        use BinaryOp::*;
        self.weight += tuning().compile.set_weight;
        let target = target.clone();
        Ok(match op {
            Union | Intersection | Difference => {
                let (s, t) = (self.operand(a)?, self.operand(b)?);
                s.with(t, move |ctx, s, t| rel::combine(&mut ctx.store, &target, op, s, t))
            }
            Override => {
                if let Some((x, y)) = singleton(b).and_then(maplet) {
                    let r = self.operand(a)?;
                    let point = self.part(x)?.with(self.part(y)?, |_, x, y| Ok((x, y)));
                    return Ok(r.with(point, move |ctx, r, (x, y)| {
                        rel::override_at(&mut ctx.store, &target, r, x, y)
                    }));
                }
                let (r, s) = (self.operand(a)?, self.operand(b)?);
                r.with(s, move |ctx, r, s| rel::override_by(&mut ctx.store, &target, r, s))
            }
            DomainRestriction | DomainSubtraction => {
                let (s, r) = (self.operand_set(a)?, self.operand(b)?);
                s.with(r, move |ctx, s, r| rel::restrict(&mut ctx.store, &target, op, r, &s))
            }
            RangeRestriction | RangeSubtraction => {
                let (r, s) = (self.operand(a)?, self.operand_set(b)?);
                r.with(s, move |ctx, r, s| rel::restrict(&mut ctx.store, &target, op, r, &s))
            }
            Image => {
                let rep = self.rep(a);
                if rep.sides().is_none() {
                    return self.expr_by_reference(e);
                }
                if let Some(x) = singleton(b) {
                    let (r, x) = (self.operand(a)?, self.word(x)?);
                    return Ok(r.with(x, move |ctx, r, x| {
                        let found = rel::images(&ctx.store, &rep, r, x)?;
                        build(&mut ctx.store, &target, found)
                    }));
                }
                let (r, s) = (self.operand(a)?, self.operand_set(b)?);
                r.with(s, move |ctx, r, s| rel::image(&mut ctx.store, &rep, &target, r, &s))
            }
            Cartesian => {
                let (s, t) = (self.set(a)?, self.set(b)?);
                s.with(t, move |ctx, s, t| rel::product(ctx, &target, &s, &t))
            }
            Composition => {
                let (left, right) = (self.rep(a), self.rep(b));
                let (r, s) = (self.operand(a)?, self.operand(b)?);
                r.with(s, move |ctx, r, s| rel::compose(&mut ctx.store, (&left, r), (&right, s), &target))
            }
            Append | Prepend | Concat => {
                let rep = target;
                let (l, r) = (self.part(a)?, self.part(b)?);
                let code = l.with(r, move |ctx, l, r| {
                    let mut list = match op {
                        Prepend => vec![l],
                        _ => rel::in_order(&ctx.store, &rep, l)?,
                    };
                    match op {
                        Append => list.push(r),
                        _ => list.extend(rel::in_order(&ctx.store, &rep, r)?),
                    }
                    Ok(rel::of_order(&mut ctx.store, list))
                });
                code.partial()
            }
            Take | Drop => {
                let (s, n) = (self.word(a)?, self.int(b)?);
                let code = s.with(n, move |ctx, s, n| {
                    let list = rel::in_order(&ctx.store, &target, s)?;
                    let n = usize::try_from(n).ok().filter(|n| *n <= list.len()).ok_or(Fail)?;
                    let part = if op == Take { list[..n].to_vec() } else { list[n..].to_vec() };
                    Ok(rel::of_order(&mut ctx.store, part))
                });
                code.partial()
            }
            _ => return self.expr_by_reference(e),
        })
    }
}

/// The element of an extension with one element.
pub(super) fn singleton(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::SetExtension(es) => match &es[..] {
            [e] => Some(e),
            _ => None,
        },
        _ => None,
    }
}

/// Both sides of a couple as written.
pub(super) fn maplet(e: &Expr) -> Option<(&Expr, &Expr)> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Maplet, a, b) => Some((a, b)),
        _ => None,
    }
}

/// Returns whether a listed relation is a function that is defined for every value of the argument's type.
fn is_total_on_type(compiler: &Compiler<'_, '_>, rep: &Rep, x: &Rep, word: u32) -> bool {
    let Some(n) = x.count() else { return false };
    (0..n).all(|x| rel::apply(&compiler.context.store, rep, word, x).is_ok())
}
