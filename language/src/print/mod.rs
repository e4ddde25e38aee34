//! The model as B text: ASCII operators, few parentheses, one blank around operators.
//!
//! The text parses and checks to an equal model again, and equal trees have equal texts, so it
//! also serves as the canonical form that hashes are taken of. Where the tables of ProB and
//! Atelier B differ, there are parentheses. A local is renamed where its name is taken.

mod expr;
mod machine;
mod names;
mod places;
#[cfg(test)]
mod tests;
mod words;

use crate::model::types::Type;
use crate::model::visit::Names;
use crate::model::*;

pub use machine::{machine, machine_with_types};
pub use places::at;
pub use words::{binary_symbol, tree_word, unary_word};

/// The text of an expression.
pub fn expr(model: &Model, e: &Expr) -> String {
    let mut p = names::Printer::new(model, &Names::of_expr(e));
    p.expr(e, 0);
    p.out
}

/// The text of a predicate.
pub fn pred(model: &Model, p: &Pred) -> String {
    let mut printer = names::Printer::new(model, &Names::of_pred(p));
    printer.pred(p, 0);
    printer.out
}

/// The text of a substitution, on several lines where it is a block.
pub fn subst(model: &Model, s: &Subst) -> String {
    let mut p = names::Printer::new(model, &Names::of_subst(s));
    p.subst(s, machine::Place::Block);
    p.out
}

/// The text of one operation.
pub fn event(model: &Model, e: &Event) -> String {
    let mut p = names::Printer::new(model, &Names::default());
    p.event(e);
    p.out
}

/// A type as a B expression, `_` for a part that is not known.
pub fn type_text(model: &Model, t: &Type) -> String {
    match t {
        Type::Bool => "BOOL".into(),
        Type::Int => "INTEGER".into(),
        Type::Real => "REAL".into(),
        Type::String => "STRING".into(),
        Type::Carrier(c) => model.carriers.get(c.index()).map_or("_".into(), |c| names::quoted(&c.name)),
        Type::Pow(a) => format!("POW({})", type_text(model, a)),
        Type::Pair(a, b) => match **b {
            Type::Pair(..) => format!("{} * ({})", type_text(model, a), type_text(model, b)),
            _ => format!("{} * {}", type_text(model, a), type_text(model, b)),
        },
        Type::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(l, t)| format!("{}: {}", names::quoted(l), type_text(model, t)))
                .collect();
            format!("struct({})", fields.join(", "))
        }
        Type::Free(f, arguments) => {
            let name = model.free_types.get(f.index()).map_or("_".into(), |f| names::quoted(&f.name));
            if arguments.is_empty() {
                return name;
            }
            let arguments: Vec<String> = arguments.iter().map(|t| type_text(model, t)).collect();
            format!("{name}({})", arguments.join(", "))
        }
        Type::Parameter(i) => type_parameter(*i),
    }
}

/// `T1`, `T2`, …: the type parameters of a free type have no names of their own.
fn type_parameter(i: u32) -> String {
    format!("T{}", i + 1)
}
