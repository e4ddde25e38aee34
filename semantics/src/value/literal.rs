//! Values as expressions without names.

use bsym_language::model::types::Type;
use bsym_language::model::{BinaryOp, Expr, ExprKind};
use bsym_language::source::Span;

use super::Value;

/// Returns an expression of a type whose value this is in every environment. `None` for values of free types, reals,
/// and sets that cannot be listed.
pub fn literal(value: &Value, ty: &Type) -> Option<Expr> {
    let kind = match (value, ty) {
        (Value::Bool(b), _) => ExprKind::Bool(*b),
        (Value::Int(n), _) => ExprKind::Integer(n.clone()),
        (Value::String(s), _) => ExprKind::String(s.to_string()),
        (Value::Element(carrier, i), _) => ExprKind::Element(*carrier, *i),
        (Value::Pair(parts), Type::Pair(left, right)) => {
            let (left, right) = (literal(&parts.0, left)?, literal(&parts.1, right)?);
            ExprKind::Binary(BinaryOp::Maplet, Box::new(left), Box::new(right))
        }
        (Value::Set(elements), Type::Pow(_)) if elements.is_empty() => ExprKind::EmptySet,
        (Value::Set(elements), Type::Pow(of)) => {
            let all: Option<Vec<Expr>> = elements.iter().map(|e| literal(e, of)).collect();
            ExprKind::SetExtension(all?)
        }
        (Value::Record(fields), Type::Record(types)) => {
            let all = fields.iter().zip(types).map(|((label, value), (_, ty))| {
                let value = literal(value, ty)?;
                Some((label.to_string(), value))
            });
            ExprKind::Record(all.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some(kind.typed(ty.clone(), Span::default()))
}

#[cfg(test)]
mod tests {
    use bsym_language::load::{check_expression, load_text};

    use super::*;
    use crate::evaluator::Evaluator;
    use crate::scope::{Scope, ScopeRequest};
    use crate::value::env::Env;

    #[test]
    fn a_literal_has_its_value() {
        let text = "MACHINE m SETS D; E = {a, b} END";
        let mut model = load_text("m.mch", text).model.expect("a machine");
        let texts = [
            "3 - 5",
            "TRUE",
            "\"x\"",
            "b",
            "(1 |-> b)",
            "{a} - {a}",
            "{a} * {1, 2}",
            "rec(l: 1, k: {a})",
            "[a, a]",
        ];
        for text in texts {
            let e = check_expression(&mut model, text).expect(text);
            let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
            let eval = Evaluator::new(&model, &scope);
            let env = Env::new(&[], &[]);
            let value = eval.expr(&env, &e).expect(text);
            let again = literal(&value, &e.ty).expect(text);
            assert_eq!(eval.expr(&env, &again).expect(text), value, "{text}");
        }
    }
}
