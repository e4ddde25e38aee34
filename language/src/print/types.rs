//! Types as expressions of B.

use super::words::quoted;
use crate::model::Model;
use crate::model::types::Type;

/// Returns a type as a B expression.
pub fn type_text(model: &Model, t: &Type) -> String {
    match t {
        Type::Bool => "BOOL".into(),
        Type::Int => "INTEGER".into(),
        Type::Real => "REAL".into(),
        Type::String => "STRING".into(),
        Type::Carrier(c) => quoted(&model.types.carriers[c.index()].name),
        Type::Pow(a) => format!("POW({})", type_text(model, a)),
        Type::Pair(a, b) => match **b {
            Type::Pair(..) => format!("{} * ({})", type_text(model, a), type_text(model, b)),
            _ => format!("{} * {}", type_text(model, a), type_text(model, b)),
        },
        Type::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(l, t)| format!("{}: {}", quoted(l), type_text(model, t))).collect();
            format!("struct({})", fields.join(", "))
        }
        Type::Free(f, arguments) => {
            let name = quoted(&model.types.free_types[f.index()].name);
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
pub(crate) fn type_parameter(i: u32) -> String {
    format!("T{}", i + 1)
}
