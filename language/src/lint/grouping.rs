//! Operators that group in another way than the text suggests.

use super::*;
use crate::ast::visit::{Visitor, definitions, walk_body, walk_expr, walk_sections};
use crate::ast::{BinaryOp as Op, ExprKind as Ast};

struct Groups<'a, 'm>(&'a mut Lint<'m>);

impl Lint<'_> {
    pub(super) fn grouping(&mut self, machine: &ast::Machine) {
        let mut groups = Groups(self);
        walk_sections(&mut groups, machine);
        for (_, _, body) in definitions(machine) {
            walk_body(&mut groups, body);
        }
    }
}

impl<'t> Visitor<'t> for Groups<'_, '_> {
    fn expr(&mut self, e: &'t ast::Expr) {
        if let Ast::Binary(op, left, _) = &e.kind
            && let Ast::Binary(inner, a, b) = &left.kind
            // Parentheses around the left side belong to the outer operator.
            && left.span.start == e.span.start
        {
            match (op, inner) {
                (Op::And, Op::Or) => {
                    // `a & b or c & d` is one mistake: the innermost pair tells it.
                    let d = self.0.warn(
                        codes::MISLEADING_GROUPING,
                        e.span,
                        "`&` and `or` bind equally: this is read as `(… or …) & …`",
                    );
                    d.labels.push((a.span.to(b.span), "this is one operand of `&`".into()));
                    d.help = Some("put the alternatives, or the conjuncts, in parentheses".into());
                }
                (Op::Implies, Op::Implies) => {
                    let d = self.0.warn(
                        codes::MISLEADING_GROUPING,
                        e.span,
                        "`=>` groups to the left: this is read as `(… => …) => …`",
                    );
                    d.labels.push((a.span.to(b.span), "this is the hypothesis".into()));
                    d.help = Some("write `P & Q => R`, or put parentheses".into());
                }
                _ => {}
            }
        }
        walk_expr(self, e);
    }
}
