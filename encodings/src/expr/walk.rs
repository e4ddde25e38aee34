//! Which locals occur in expressions and predicates, and which of them are defined whatever happens.

use bsym_language::model::{BinaryOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp, UnaryOp};

/// A part of an expression or predicate.
enum Part<'a> {
    Expr(&'a Expr),
    Pred(&'a Pred),
}

fn of_expr(e: &Expr) -> Vec<Part<'_>> {
    use ExprKind::*;
    match &e.kind {
        Var(_) | Old(_) | Const(_) | Local(_) | Element(..) | Carrier(_) | Integer(_) | Real(_)
        | String(_) | Bool(_) | MaxInt | MinInt | Set(_) | EmptySet | Succ | Pred | Abstract(_)
        | Constructor(..) | TypeParameter(_) => vec![],
        FreeSet(_, items) | Tree(_, items) | External(_, items) | Call(_, items) => {
            items.iter().map(Part::Expr).collect()
        }
        SetExtension(items) | SeqExtension(items) => items.iter().map(Part::Expr).collect(),
        Unary(_, a) | Field(a, _) => vec![Part::Expr(a)],
        Binary(_, a, b) | Apply(a, b) | WithField(a, _, b) | Iterate(a, b) | Prj1(a, b) | Prj2(a, b) => {
            vec![Part::Expr(a), Part::Expr(b)]
        }
        BoolOf(p) | Comprehension(_, p) => vec![Part::Pred(p)],
        Quantified(_, _, p, e) => vec![Part::Pred(p), Part::Expr(e)],
        Record(fields) | Struct(fields) => fields.iter().map(|(_, e)| Part::Expr(e)).collect(),
        If(p, a, b) => vec![Part::Pred(p), Part::Expr(a), Part::Expr(b)],
        Let(bindings, e) => bindings.iter().map(|(_, b)| Part::Expr(b)).chain([Part::Expr(e)]).collect(),
    }
}

fn of_pred(p: &Pred) -> Vec<Part<'_>> {
    use PredKind::*;
    match &p.kind {
        True | False => vec![],
        And(all) | Or(all) => all.iter().map(Part::Pred).collect(),
        Implies(a, b) | Iff(a, b) => vec![Part::Pred(a), Part::Pred(b)],
        Not(a) | Forall(_, a) | Exists(_, a) => vec![Part::Pred(a)],
        Compare(_, a, b) => vec![Part::Expr(a), Part::Expr(b)],
        External(_, items) | Call(_, items) => items.iter().map(Part::Expr).collect(),
        Finite(a) => vec![Part::Expr(a)],
        Partition(a, parts) => [&**a].into_iter().chain(parts).map(Part::Expr).collect(),
        If(p, a, b) => vec![Part::Pred(p), Part::Pred(a), Part::Pred(b)],
        Let(bindings, p) => bindings.iter().map(|(_, b)| Part::Expr(b)).chain([Part::Pred(p)]).collect(),
    }
}

/// Whether one of the locals occurs. Locals are unique, so binders need no care.
pub(crate) fn mentions(e: &Expr, locals: &[LocalId]) -> bool {
    mentioned(vec![Part::Expr(e)], locals)
}

/// The same of a predicate.
pub(crate) fn mentions_in(p: &Pred, locals: &[LocalId]) -> bool {
    mentioned(vec![Part::Pred(p)], locals)
}

fn mentioned(mut parts: Vec<Part<'_>>, locals: &[LocalId]) -> bool {
    while let Some(part) = parts.pop() {
        match part {
            Part::Expr(e) => {
                if matches!(&e.kind, ExprKind::Local(l) if locals.contains(l)) {
                    return true;
                }
                parts.extend(of_expr(e));
            }
            Part::Pred(p) => parts.extend(of_pred(p)),
        }
    }
    false
}

/// Whether evaluation cannot be ill-defined, by the operators that occur and the names that are
/// perhaps `unassigned`.
pub(crate) fn always_defined(p: &Pred, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    all_defined(vec![Part::Pred(p)], unassigned)
}

/// The same of an expression.
pub(crate) fn always_has_value(e: &Expr, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    all_defined(vec![Part::Expr(e)], unassigned)
}

fn all_defined(mut parts: Vec<Part<'_>>, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    while let Some(part) = parts.pop() {
        match part {
            Part::Expr(e) => {
                if partial(e) || unassigned(&e.kind) {
                    return false;
                }
                parts.extend(of_expr(e));
            }
            Part::Pred(p) => {
                match &p.kind {
                    PredKind::Call(..) => return false,
                    PredKind::External(f, _) if !f.is_always_true() => return false,
                    _ => {}
                }
                parts.extend(of_pred(p));
            }
        }
    }
    true
}

fn partial(e: &Expr) -> bool {
    use UnaryOp::*;
    match &e.kind {
        ExprKind::Apply(..) | ExprKind::Iterate(..) => true,
        ExprKind::Tree(..) | ExprKind::Call(..) => true,
        ExprKind::External(f, _) => !f.is_identity(),
        ExprKind::Quantified(op, ..) => !matches!(op, QuantOp::Lambda | QuantOp::Union | QuantOp::Image),
        ExprKind::Unary(op, _) => matches!(
            op,
            Card | Max
                | Min
                | MaxReal
                | MinReal
                | GeneralInter
                | Size
                | First
                | Last
                | Front
                | Tail
                | Rev
                | Conc
                | Fnc
        ),
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Divide
                | BinaryOp::Mod
                | BinaryOp::Power
                | BinaryOp::DivideReal
                | BinaryOp::PowerReal
                | BinaryOp::Prepend
                | BinaryOp::Append
                | BinaryOp::Concat
                | BinaryOp::Take
                | BinaryOp::Drop
        ),
        _ => false,
    }
}
