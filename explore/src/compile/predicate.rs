//! Predicates as compiled code.

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::types::Type;

use super::code::{Code, Fail};
use super::expression::maplet;
use super::relation as rel;
use super::set_value::{Item, SetValue, size};
use super::{C, Compiler};
use crate::store::rep::Rep;

impl<'m> Compiler<'_, 'm> {
    /// Compiles a predicate.
    pub fn pred(&mut self, p: &Pred) -> C<Code<'m, bool>> {
        match self.own_pred(p) {
            Ok(code) => Ok(code),
            Err(_) => self.pred_by_reference(p),
        }
    }

    fn own_pred(&mut self, p: &Pred) -> C<Code<'m, bool>> {
        Ok(match &p.kind {
            PredKind::True => Code::literal(true),
            PredKind::False => Code::literal(false),
            PredKind::And(ps) => self.junction(ps, false)?,
            PredKind::Or(ps) => self.junction(ps, true)?,
            PredKind::Implies(a, b) => {
                let (a, b) = (self.pred(a)?, self.pred(b)?);
                let total = a.total && b.total;
                let (a, b) = (a.run, b.run);
                Code::new(total, move |ctx| Ok(!a(ctx)? || b(ctx)?))
            }
            PredKind::Iff(a, b) => self.pred(a)?.with(self.pred(b)?, |_, a, b| Ok(a == b)),
            PredKind::Not(p) => self.pred(p)?.map(|_, b| Ok(!b)),
            PredKind::Forall(locals, body) => self.exists(locals, (false, body))?.map(|_, b| Ok(!b)),
            PredKind::Exists(locals, body) => self.exists(locals, (true, body))?,
            PredKind::Compare(op, a, b) => self.compare(p, *op, a, b)?,
            PredKind::Finite(e) => match *self.rep(e) {
                Rep::Bits(..) => self.bits(e)?.map(|_, _| Ok(true)),
                _ => self.word(e)?.map(|ctx, w| ctx.store.listed(w).map(|_| true).ok_or(Fail)),
            },
            PredKind::If(p, a, b) => {
                let (p, a, b) = (self.pred(p)?, self.pred(a)?, self.pred(b)?);
                p.choose(a, b)
            }
            PredKind::Let(defs, body) => {
                let defs = self.definitions(defs)?;
                defs.before(self.pred(body)?)
            }
            PredKind::Partition(whole, parts) if matches!(*self.rep(whole), Rep::Bits(..)) => {
                let mut code = self.bits(whole)?.map(|_, whole| Ok((whole, 0u128, true)));
                for part in parts {
                    code = code.with(self.bits(part)?, |_, (whole, all, apart), part| {
                        Ok((whole, all | part, apart && all & part == 0))
                    });
                }
                code.map(|_, (whole, all, apart)| Ok(apart && whole == all))
            }
            PredKind::Partition(..) | PredKind::External(..) | PredKind::Call(..) => {
                self.pred_by_reference(p)?
            }
        })
    }

    fn junction(&mut self, ps: &[Pred], decisive: bool) -> C<Code<'m, bool>> {
        let mut codes = Vec::new();
        let mut total = true;
        for p in ps {
            let code = self.pred(p)?;
            total &= code.total;
            if code.literal == Some(decisive) && codes.is_empty() {
                return Ok(Code::literal(decisive));
            }
            if code.literal != Some(!decisive) {
                codes.push(code.run);
            }
        }
        Ok(match codes.len() {
            0 => Code::literal(!decisive),
            1 => Code { run: codes.remove(0), total, literal: None, slot: None },
            _ => Code::new(total, move |ctx| {
                for code in &codes {
                    if code(ctx)? == decisive {
                        return Ok(decisive);
                    }
                }
                Ok(!decisive)
            }),
        })
    }

    fn compare(&mut self, p: &Pred, op: CompareOp, a: &Expr, b: &Expr) -> C<Code<'m, bool>> {
        use CompareOp::*;
        if counts_described(a) || counts_described(b) {
            // The reference computes the number of elements of a described set without listing them.
            return self.pred_by_reference(p);
        }
        // The whole comparison is evaluated by the reference, so that the negation of `/=` is not made twice.
        if matches!(op, Equal | NotEqual) && self.is_compared_by_reference(a) {
            return self.pred_by_reference(p);
        }
        Ok(match op {
            Equal => self.equal(a, b)?,
            NotEqual => self.equal(a, b)?.map(|_, b| Ok(!b)),
            Member => self.member(a, b)?,
            NotMember => self.member(a, b)?.map(|_, b| Ok(!b)),
            Subset => self.subset(a, b)?,
            NotSubset => self.subset(a, b)?.map(|_, b| Ok(!b)),
            StrictSubset => self.strict_subset(a, b)?,
            NotStrictSubset => self.strict_subset(a, b)?.map(|_, b| Ok(!b)),
            Less => self.order(a, b, |a, b| a < b)?,
            LessEqual => self.order(a, b, |a, b| a <= b)?,
            Greater => self.order(a, b, |a, b| a > b)?,
            GreaterEqual => self.order(a, b, |a, b| a >= b)?,
            LessReal | LessEqualReal | GreaterReal | GreaterEqualReal => self.pred_by_reference(p)?,
        })
    }

    fn order(&mut self, a: &Expr, b: &Expr, f: impl Fn(i64, i64) -> bool + 'm) -> C<Code<'m, bool>> {
        let (a, b) = (self.int(a)?, self.int(b)?);
        if let (Some(slot), Some(n)) = (a.slot, b.literal) {
            return Ok(Code::new(true, move |ctx| Ok(f(ctx.store.get_int(ctx.slots[slot]).ok_or(Fail)?, n))));
        }
        Ok(a.with(b, move |_, a, b| Ok(f(a, b))))
    }

    /// Returns whether equality with `a` differs from that of words: for values that the store only keeps, except reals
    /// and strings.
    fn is_compared_by_reference(&self, a: &Expr) -> bool {
        matches!(&*self.rep(a), Rep::Opaque) && !matches!(a.ty, Type::Real | Type::String)
    }

    fn equal(&mut self, a: &Expr, b: &Expr) -> C<Code<'m, bool>> {
        let rep = self.rep(a);
        Ok(match &*rep {
            Rep::Bits(..) => self.bits(a)?.with(self.bits(b)?, |_, a, b| Ok(a == b)),
            Rep::Set(_) | Rep::Relation(..) => {
                let (a, b) = if is_described(a) { (b, a) } else { (a, b) };
                if matches!(b.kind, ExprKind::EmptySet) {
                    let code = self.operand(a)?;
                    let code = code.map(|ctx, w| Ok(ctx.store.listed(w).ok_or(Fail)?.is_empty()));
                    return Ok(self.without_drafts(&[a], code));
                }
                if is_described(b) && !is_described(a) {
                    let element = rep.element().ok_or("no set")?;
                    let code = self.operand(a)?.with(self.set(b)?, move |ctx, w, set| {
                        let n = size(&ctx.store, &rep, w)?;
                        Ok(set.size(&element, &ctx.store)? == Some(n) && set.includes(&ctx.store, &rep, w)?)
                    });
                    return Ok(self.without_drafts(&[a], code));
                }
                let code =
                    self.operand(a)?.with(self.operand(b)?, |ctx, a, b| ctx.store.are_same(a, b).ok_or(Fail));
                self.without_drafts(&[a, b], code)
            }
            Rep::Int if is_arithmetic(a) || is_arithmetic(b) => {
                self.int(a)?.with(self.int(b)?, |_, a, b| Ok(a == b))
            }
            _ => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                match (a.slot, b.literal, b.slot) {
                    (Some(slot), Some(w), _) => Code::new(true, move |ctx| Ok(ctx.slots[slot] == w)),
                    (Some(s), _, Some(t)) => Code::new(true, move |ctx| Ok(ctx.slots[s] == ctx.slots[t])),
                    _ => a.with(b, |_, a, b| Ok(a == b)),
                }
            }
        })
    }

    fn subset(&mut self, a: &Expr, b: &Expr) -> C<Code<'m, bool>> {
        let rep = self.rep(a);
        if let Rep::Bits(..) = *rep {
            return Ok(self.bits(a)?.with(self.bits(b)?, |_, a, b| Ok(a & !b == 0)));
        }
        let code =
            self.operand(a)?.with(self.operand_set(b)?, move |ctx, w, set| set.includes(&ctx.store, &rep, w));
        Ok(self.without_drafts(&[a, b], code))
    }

    fn strict_subset(&mut self, a: &Expr, b: &Expr) -> C<Code<'m, bool>> {
        let rep = self.rep(a);
        if let Rep::Bits(..) = *rep {
            return Ok(self.bits(a)?.with(self.bits(b)?, |_, a, b| Ok(a & !b == 0 && a != b)));
        }
        let code = self.operand(a)?.with(self.operand(b)?, move |ctx, a, b| {
            ctx.store.listed(b).ok_or(Fail)?;
            let is_part = SetValue::Listed(b).includes(&ctx.store, &rep, a)?;
            Ok(is_part && !ctx.store.are_same(a, b).ok_or(Fail)?)
        });
        Ok(self.without_drafts(&[a, b], code))
    }

    /// Compiles a predicate about operands: see [`Compiler::operand`].
    fn without_drafts(&self, operands: &[&Expr], code: Code<'m, bool>) -> Code<'m, bool> {
        let is_plain = operands.iter().all(|e| !self.makes_lists(e));
        if is_plain { code } else { code.without_drafts() }
    }

    fn member(&mut self, x: &Expr, set: &Expr) -> C<Code<'m, bool>> {
        let (element, rep) = (self.rep(x), self.rep(set));
        if let ExprKind::Comprehension(locals, body) = &set.kind {
            return self.member_of_comprehension(x, locals, body);
        }
        if let (ExprKind::Unary(UnaryOp::Dom, r), true) = (&set.kind, !matches!(x.kind, ExprKind::Real(_))) {
            let relation = self.rep(r);
            if self.set_is_word(r) {
                let (x, r) = (self.word(x)?, self.word(r)?);
                return Ok(x.with(r, move |ctx, x, r| rel::in_domain(&ctx.store, &relation, r, x)));
            }
        }
        if let (Rep::Relation(..), Some((l, r))) = (&*rep, maplet(x)) {
            let pair = self.word(l)?.with(self.word(r)?, |_, l, r| Ok((l, r)));
            let code = pair.with(self.operand_set(set)?, move |ctx, (l, r), set| {
                if let SetValue::Listed(_) | SetValue::All = set {
                    return set.has(&ctx.store, &element, Item::Pair(l, r));
                }
                let Rep::Pair(a, b, numbered) = &*element else { return Err(Fail) };
                let w = ctx.store.pair(a, b, numbered.is_some(), l, r);
                set.has(&ctx.store, &element, Item::Word(w))
            });
            return Ok(self.without_drafts(&[set], code));
        }
        // An element that is looked up in a space is not an element of a list.
        let drafts = if is_space(set) { [set, x] } else { [set, set] };
        let is_draft = is_space(set);
        let set = self.operand_set(set)?;
        if let (Some(SetValue::Range(low, high)), Rep::Int) = (&set.literal, &*element) {
            let (low, high) = (*low, *high);
            return Ok(self.int(x)?.map(move |_, n| Ok(low <= n && n <= high)));
        }
        let x = if is_draft { self.operand(x)? } else { self.word(x)? };
        let total = x.total && set.total;
        if let Some(set) = set.literal {
            if let SetValue::All = set {
                // A set that is not listed is evaluated by the reference.
                let code = match &*element {
                    Rep::Set(_) | Rep::Relation(..) => {
                        x.map(|ctx, w| ctx.store.listed(w).map(|_| true).ok_or(Fail))
                    }
                    _ => x.map(|_, _| Ok(true)),
                };
                return Ok(self.without_drafts(&drafts, code));
            }
            let run = x.run;
            let code = Code::new(total, move |ctx| {
                let w = run(ctx)?;
                set.has(&ctx.store, &element, Item::Word(w))
            });
            return Ok(self.without_drafts(&drafts, code));
        }
        let code = x.with(set, move |ctx, w, set| set.has(&ctx.store, &element, Item::Word(w)));
        Ok(self.without_drafts(&drafts, code))
    }

    /// Returns whether a relation is read or computed as a word anyway.
    fn set_is_word(&self, r: &Expr) -> bool {
        matches!(r.kind, ExprKind::Var(_) | ExprKind::Local(_) | ExprKind::Apply(..) | ExprKind::Const(_))
    }

    fn member_of_comprehension(&mut self, x: &Expr, locals: &[LocalId], body: &Pred) -> C<Code<'m, bool>> {
        let mut rep = self.rep(x);
        let x = self.word(x)?;
        let slots: Vec<usize> = locals.iter().map(|l| self.bind(*l)).collect();
        let mut pairs = Vec::new();
        for _ in 1..locals.len() {
            let Rep::Pair(a, b, numbered) = (*rep).clone() else { return Err("no tuple".into()) };
            rep = a.clone();
            pairs.push((a, b, numbered.is_some()));
        }
        let body = self.pred(body)?;
        let total = x.total && body.total;
        let (x, body) = (x.run, body.run);
        Ok(Code::new(total, move |ctx| {
            let mut w = x(ctx)?;
            for ((a, b, numbered), slot) in pairs.iter().zip(slots.iter().skip(1).rev()) {
                let (l, r) = ctx.store.unpair(a, b, *numbered, w);
                ctx.slots[*slot] = r;
                w = l;
            }
            ctx.slots[slots[0]] = w;
            body(ctx)
        }))
    }
}

/// Returns whether an integer expression counts the elements of a set that is only described.
fn counts_described(e: &Expr) -> bool {
    use UnaryOp::*;
    match &e.kind {
        ExprKind::Unary(Card, s) => match &s.kind {
            ExprKind::Binary(BinaryOp::ParallelProduct, ..) => true,
            ExprKind::Binary(op, ..) => op.relation_space().is_some(),
            ExprKind::Unary(op, _) => matches!(op, Pow | Pow1 | Fin | Fin1 | Perm | Iseq | Iseq1),
            _ => false,
        },
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, a, b) => {
            counts_described(a) || counts_described(b)
        }
        _ => false,
    }
}

/// Returns whether a set is a space of sets, relations or sequences, which is not listed.
fn is_space(e: &Expr) -> bool {
    use UnaryOp::*;
    match &e.kind {
        ExprKind::Binary(op, ..) => op.relation_space().is_some(),
        ExprKind::Unary(op, _) => {
            matches!(op, Pow | Pow1 | Fin | Fin1 | Seq | Seq1 | Iseq | Iseq1 | Perm)
        }
        _ => false,
    }
}

/// Returns whether a set is better described than listed.
fn is_described(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Interval | BinaryOp::Cartesian, ..)
        | ExprKind::Carrier(_)
        | ExprKind::Set(_) => true,
        ExprKind::Binary(op, ..) => op.relation_space().is_some(),
        ExprKind::Unary(op, _) => {
            matches!(op, UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1)
        }
        _ => false,
    }
}

fn is_arithmetic(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Mod
        ),
        ExprKind::Unary(op, _) => {
            matches!(op, UnaryOp::Negate | UnaryOp::Card | UnaryOp::Size | UnaryOp::Max | UnaryOp::Min)
        }
        ExprKind::Quantified(..) => true,
        _ => false,
    }
}
