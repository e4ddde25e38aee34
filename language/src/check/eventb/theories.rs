//! Operators and data types of theories.

use super::*;

impl Composer<'_> {
    pub(super) fn declare_theories(&mut self) {}
}

impl Checker {
    /// A call of an operator with a value.
    pub(in crate::check) fn operator_value(&mut self, name: &Ident, _args: &[ast::Expr], span: Span) -> Expr {
        self.not_supported(span, &format!("the operator `{}`", name.name));
        self.erroneous(span)
    }

    /// A call of an operator that is a predicate.
    pub(in crate::check) fn operator_truth(&mut self, name: &Ident, _args: &[ast::Expr], span: Span) -> Pred {
        self.not_supported(span, &format!("the operator `{}`", name.name));
        Pred { kind: PredKind::True, span }
    }
}
