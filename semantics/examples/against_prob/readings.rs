//! Formulas as ProB 1.8.2 reads them, where it computes something for what the B-Book leaves undefined.

use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, Visitor, VisitorMut, walk_expr, walk_expr_mut, walk_pred_mut};

use crate::judge::Formula;

/// A class of differences, and the rewriting into ProB's reading that explains it.
pub type Reading = (&'static str, fn(&mut Expr, &mut Fresh<'_>));

/// Every reading that rewrites single operators.
pub const ALL: &[Reading] = &[
    ("left and right of a tree that is not binary", sides),
    ("prj1 and prj2 outside their sets", projections),
    ("operators on sequences of what is no sequence", sequences),
];

/// Rewrites the expressions of a predicate.
pub fn apply(readings: &[Reading], p: &mut Pred, model: &mut Model) {
    Rewrite(readings, Fresh(model)).pred(p);
}

struct Rewrite<'a>(&'a [Reading], Fresh<'a>);

impl VisitorMut for Rewrite<'_> {
    fn expr(&mut self, e: &mut Expr) {
        walk_expr_mut(self, e);
        for (_, rewrite) in self.0 {
            rewrite(e, &mut self.1);
        }
    }
}

/// Where bound names come from.
pub struct Fresh<'a>(&'a mut Model);

impl Fresh<'_> {
    fn integer(&mut self, at: &Expr) -> LocalId {
        let id = LocalId(self.0.locals.len() as u32);
        self.0.locals.push(Variable { name: "index".into(), ty: Type::Int, span: at.span });
        id
    }
}

/// ProB looks only for a first and a second son of the root.
fn sides(e: &mut Expr, _: &mut Fresh<'_>) {
    if let ExprKind::Tree(op @ (TreeOp::Left | TreeOp::Right), arguments) = &mut e.kind {
        let number = Expr {
            kind: ExprKind::Integer(if *op == TreeOp::Left { 1.into() } else { 2.into() }),
            ty: Type::Int,
            span: e.span,
        };
        let path =
            Expr { kind: ExprKind::SeqExtension(vec![number]), ty: Type::seq(Type::Int), span: e.span };
        *op = TreeOp::Subtree;
        arguments.push(path);
    }
}

/// ProB takes the sets for types.
fn projections(e: &mut Expr, _: &mut Fresh<'_>) {
    if let ExprKind::Prj1(s, t) | ExprKind::Prj2(s, t) = &mut e.kind {
        whole(s);
        whole(t);
    }
}

fn whole(e: &mut Expr) {
    if let Type::Pow(element) = &e.ty {
        *e = everything(&element.clone(), e);
    }
}

fn everything(ty: &Type, at: &Expr) -> Expr {
    let part = |t: &Type| Box::new(everything(t, at));
    let kind = match ty {
        Type::Bool => ExprKind::Set(BuiltinSet::Bool),
        Type::String => ExprKind::Set(BuiltinSet::String),
        Type::Pow(t) => ExprKind::Unary(UnaryOp::Pow, part(t)),
        Type::Pair(a, b) => ExprKind::Binary(BinaryOp::Cartesian, part(a), part(b)),
        Type::Record(fields) => {
            ExprKind::Struct(fields.iter().map(|(l, t)| (l.clone(), everything(t, at))).collect())
        }
        _ => ExprKind::Set(BuiltinSet::Integer),
    };
    Expr { kind, ty: Type::pow(ty.clone()), span: at.span }
}

/// ProB looks for the greatest index and moves indices.
fn sequences(e: &mut Expr, names: &mut Fresh<'_>) {
    use BinaryOp::*;
    let (ExprKind::Unary(_, s) | ExprKind::Binary(_, s, _)) = &e.kind else { return };
    let (s, whole) = ((**s).clone(), e.clone());
    let make = |kind, ty: &Type| Expr { kind, ty: ty.clone(), span: whole.span };
    let number = |n: i64| make(ExprKind::Integer(n.into()), &Type::Int);
    let binary = |op, a, b, ty: &Type| make(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty);
    let integers = Type::pow(Type::Int);
    let domain = |s: &Expr| make(ExprKind::Unary(UnaryOp::Dom, Box::new(s.clone())), &integers);
    let size = |s: &Expr| {
        let greatest = make(ExprKind::Unary(UnaryOp::Max, Box::new(domain(s))), &Type::Int);
        let nothing = Box::new(make(ExprKind::EmptySet, &s.ty));
        let is_empty = PredKind::Compare(CompareOp::Equal, Box::new(s.clone()), nothing);
        let is_empty = Pred { kind: is_empty, span: whole.span };
        make(ExprKind::If(Box::new(is_empty), Box::new(number(0)), Box::new(greatest)), &Type::Int)
    };
    let inverse = |s: Expr, ty: &Type| make(ExprKind::Unary(UnaryOp::Inverse, Box::new(s)), ty);
    let up_to = |n: Expr| binary(Interval, number(1), n, &integers);
    let couple = |i: Expr, x: Expr, ty: &Type| {
        let pair = Type::pair(Type::Int, x.ty.clone());
        make(ExprKind::SetExtension(vec![binary(Maplet, i, x, &pair)]), ty)
    };
    // The sequence with every index replaced by a value that is computed from it.
    let mut indexed = |s: Expr, new: &dyn Fn(Expr) -> Expr| {
        let Some((_, element)) = s.ty.as_relation() else { return s };
        let turned = Type::relation(element.clone(), Type::Int);
        let index = names.integer(&whole);
        let local = || make(ExprKind::Local(index), &Type::Int);
        let inside = PredKind::Compare(CompareOp::Member, Box::new(local()), Box::new(domain(&s)));
        let inside = Box::new(Pred { kind: inside, span: whole.span });
        let moved = ExprKind::Quantified(QuantOp::Lambda, vec![index], inside, Box::new(new(local())));
        let moved = make(moved, &Type::relation(Type::Int, Type::Int));
        let ty = s.ty.clone();
        inverse(binary(Composition, inverse(s, &turned), moved, &turned), &ty)
    };
    let mut shifted = |s: Expr, by: &Expr| indexed(s, &|i| binary(Add, i, by.clone(), &Type::Int));
    *e = match &e.kind {
        ExprKind::Unary(UnaryOp::Size, _) => size(&s),
        ExprKind::Unary(UnaryOp::First, _) => {
            make(ExprKind::Apply(Box::new(s.clone()), Box::new(number(1))), &whole.ty)
        }
        ExprKind::Unary(UnaryOp::Last, _) => {
            make(ExprKind::Apply(Box::new(s.clone()), Box::new(size(&s))), &whole.ty)
        }
        ExprKind::Unary(UnaryOp::Front, _) => {
            let last = make(ExprKind::SetExtension(vec![size(&s)]), &integers);
            binary(DomainSubtraction, last, s.clone(), &s.ty)
        }
        ExprKind::Unary(UnaryOp::Tail, _) => {
            shifted(binary(DomainSubtraction, up_to(number(1)), s.clone(), &s.ty), &number(-1))
        }
        ExprKind::Unary(UnaryOp::Rev, _) => {
            let end = binary(Add, size(&s), number(1), &Type::Int);
            indexed(s, &|i| binary(Subtract, end.clone(), i, &Type::Int))
        }
        ExprKind::Binary(Prepend, _, t) => {
            binary(Union, couple(number(1), s, &t.ty), shifted((**t).clone(), &number(1)), &t.ty)
        }
        ExprKind::Binary(Append, _, x) => {
            let end = binary(Add, size(&s), number(1), &Type::Int);
            binary(Union, s.clone(), couple(end, (**x).clone(), &s.ty), &s.ty)
        }
        ExprKind::Binary(Concat, _, t) => binary(Union, s.clone(), shifted((**t).clone(), &size(&s)), &s.ty),
        ExprKind::Binary(Take, _, n) => binary(DomainRestriction, up_to((**n).clone()), s.clone(), &s.ty),
        ExprKind::Binary(Drop, _, n) => {
            let back = make(ExprKind::Unary(UnaryOp::Negate, n.clone()), &Type::Int);
            shifted(binary(DomainSubtraction, up_to((**n).clone()), s.clone(), &s.ty), &back)
        }
        _ => return,
    };
}

/// Negations stand at the comparisons, as ProB pushes them, and universal quantifiers are negated
/// existential ones.
pub fn push_negations(p: &mut Pred) {
    struct Inside;
    impl VisitorMut for Inside {
        fn expr(&mut self, e: &mut Expr) {
            walk_expr_mut(self, e);
        }
        fn pred(&mut self, p: &mut Pred) {
            walk_pred_mut(self, p);
            let positive = pushed(p.clone(), false);
            *p = positive;
        }
    }
    Inside.pred(p);
}

fn pushed(p: Pred, negated: bool) -> Pred {
    let span = p.span;
    let make = |kind| Pred { kind, span };
    let kind = match p.kind {
        PredKind::Not(q) => return pushed(*q, !negated),
        PredKind::And(ps) => {
            let ps = ps.into_iter().map(|q| pushed(q, negated)).collect();
            if negated { PredKind::Or(ps) } else { PredKind::And(ps) }
        }
        PredKind::Or(ps) => {
            let ps = ps.into_iter().map(|q| pushed(q, negated)).collect();
            if negated { PredKind::And(ps) } else { PredKind::Or(ps) }
        }
        PredKind::Implies(a, b) => {
            let parts = vec![pushed(*a, !negated), pushed(*b, negated)];
            if negated { PredKind::And(parts) } else { PredKind::Or(parts) }
        }
        PredKind::Iff(a, b) => {
            let (yes, no) = (pushed((*a).clone(), false), pushed(*a, true));
            let both = make(PredKind::And(vec![yes, pushed((*b).clone(), negated)]));
            let neither = make(PredKind::And(vec![no, pushed(*b, !negated)]));
            PredKind::Or(vec![both, neither])
        }
        PredKind::Forall(ls, body) => {
            let some = PredKind::Exists(ls, Box::new(pushed(*body, true)));
            if negated { some } else { PredKind::Not(Box::new(make(some))) }
        }
        PredKind::Exists(ls, body) => {
            let some = PredKind::Exists(ls, Box::new(pushed(*body, false)));
            if negated { PredKind::Not(Box::new(make(some))) } else { some }
        }
        PredKind::If(c, a, b) => {
            PredKind::If(c, Box::new(pushed(*a, negated)), Box::new(pushed(*b, negated)))
        }
        PredKind::Let(defs, body) => PredKind::Let(defs, Box::new(pushed(*body, negated))),
        PredKind::Compare(op, a, b) if negated => PredKind::Compare(op.negated(), a, b),
        other if negated => PredKind::Not(Box::new(make(other))),
        other => other,
    };
    make(kind)
}

/// The expressions of a formula in which no bound name occurs that is bound outside of them.
pub fn closed_parts(formula: &Formula) -> Vec<Expr> {
    struct Parts(Vec<Expr>);
    impl Visitor for Parts {
        fn expr(&mut self, e: &Expr) {
            walk_expr(self, e);
            if Names::of_expr(e).locals.is_empty() {
                self.0.push(e.clone());
            }
        }
    }
    let mut parts = Parts(vec![]);
    match formula {
        Formula::Expr(e) => parts.expr(e),
        Formula::Pred(p) => parts.pred(p),
    }
    parts.0
}
