//! Which locals occur in expressions and predicates, and which of them are defined whatever happens.

use bsym_language::model::{Expr, ExprKind, LocalId, Pred};
use bsym_language::walk::Part;

/// Returns whether one of the locals occurs in an expression. Locals are unique, so binders need no care.
pub(crate) fn mentions(e: &Expr, locals: &[LocalId]) -> bool {
    mentioned(Part::Expr(e), locals)
}

/// Returns whether one of the locals occurs in a predicate.
pub(crate) fn mentions_in(p: &Pred, locals: &[LocalId]) -> bool {
    mentioned(Part::Pred(p), locals)
}

fn mentioned(root: Part<'_>, locals: &[LocalId]) -> bool {
    let is_mentioned = |e: &Expr| matches!(&e.kind, ExprKind::Local(l) if locals.contains(l));
    root.any(|part| matches!(part, Part::Expr(e) if is_mentioned(e)))
}

/// Returns whether the evaluation of a predicate cannot be ill-defined, by the operators that occur and the names that
/// are perhaps `unassigned`.
pub(crate) fn always_defined(p: &Pred, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    all_defined(Part::Pred(p), unassigned)
}

/// Returns whether the evaluation of an expression cannot be ill-defined; see [`always_defined`].
pub(crate) fn always_has_value(e: &Expr, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    all_defined(Part::Expr(e), unassigned)
}

fn all_defined(root: Part<'_>, unassigned: &dyn Fn(&ExprKind) -> bool) -> bool {
    !root.any(|part| match part {
        Part::Expr(e) => e.kind.is_partial() || unassigned(&e.kind),
        Part::Pred(p) => p.kind.is_partial(),
        _ => false,
    })
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
