//! Which locals occur in expressions and predicates, and which of them are defined whatever happens.

use bsym_language::model::{Expr, ExprKind, LocalId, Pred, PredKind};

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
                if e.kind.is_partial() || unassigned(&e.kind) {
                    return false;
                }
                parts.extend(of_expr(e));
            }
            Part::Pred(p) => {
                if p.kind.is_partial() {
                    return false;
                }
                parts.extend(of_pred(p));
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use bsym_language::load::{check_predicate, load_text};

    use super::*;

    #[test]
    fn a_predicate_is_always_defined_if_its_operators_are_total() {
        let text = "MACHINE m CONSTANTS s, r PROPERTIES s <: INTEGER & r : INTEGER <-> INTEGER END";
        let mut model = load_text("m.mch", text).model.expect("a machine");
        for (text, defined) in [
            ("[1] : seq(s)", true),
            ("[1] : perm(s)", false),
            ("fnc(r) = {}", true),
            ("r(1) = 2", false),
            ("card(s) = 1", false),
        ] {
            let p = check_predicate(&mut model, text).expect(text);
            assert_eq!(always_defined(&p, &|_| false), defined, "{text}");
        }
    }
}
