//! The model as B text: ASCII operators, few parentheses, one blank around operators.
//!
//! The text parses and checks to an equal model again, and equal trees have equal texts, so it
//! also serves as the canonical form that hashes are taken of. Where the tables of ProB and
//! Atelier B differ, there are parentheses. A local is renamed where its name is taken.

mod expr;
mod machine;
mod names;
mod places;
mod rodin;
#[cfg(test)]
mod tests;
mod types;
mod words;

use crate::model::visit::Names;
use crate::model::*;

pub use machine::{machine, machine_with_types};
pub use places::at;
pub use rodin::rodin;
pub(crate) use types::type_parameter;
pub use types::type_text;
pub(crate) use words::quoted;
pub use words::{binary_symbol, tree_word, unary_word};

/// Returns the text of an expression.
pub fn expr(model: &Model, e: &Expr) -> String {
    let mut p = names::Printer::new(model, &Names::of_expr(e));
    p.expr(e, 0);
    p.out
}

/// Returns the text of a predicate.
pub fn pred(model: &Model, p: &Pred) -> String {
    let mut printer = names::Printer::new(model, &Names::of_pred(p));
    printer.pred(p, 0);
    printer.out
}

/// Returns the text of a predicate in the notation of its model: in Event-B with the symbols of Rodin, where there is one
/// for every part of it, else as [`pred`].
pub fn shown_pred(model: &Model, p: &Pred) -> String {
    let rodin = (model.text.notation == Notation::EventB).then(|| rodin::rodin(model, p)).flatten();
    rodin.unwrap_or_else(|| pred(model, p))
}

/// Returns the text of an expression in the notation of its model, as [`shown_pred`] does.
pub fn shown_expr(model: &Model, e: &Expr) -> String {
    let rodin = (model.text.notation == Notation::EventB).then(|| rodin::rodin_expr(model, e)).flatten();
    rodin.unwrap_or_else(|| expr(model, e))
}

/// Returns the text of a substitution, on several lines where it is a block.
pub fn subst(model: &Model, s: &Subst) -> String {
    let mut p = names::Printer::new(model, &Names::of_subst(s));
    p.subst(s, machine::Place::Block);
    p.out
}

/// Returns the text of one operation.
pub fn event(model: &Model, e: &Event) -> String {
    let mut p = names::Printer::new(model, &Names::default());
    p.event(e);
    p.out
}
