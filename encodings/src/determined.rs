//! Constants that the axioms determine: an axiom `c = E` where `E` has a value.

use std::collections::BTreeSet;

use bsym_language::model::*;
use bsym_language::types::CarrierId;
use bsym_language::walk::{Names, Visitor, walk_expr};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use crate::tuning::tuning;

/// A constant with the value that an axiom gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct Determined {
    /// The value.
    pub value: Value,
    /// Position of the axiom `c = E`. It is true wherever the constant has the value.
    pub axiom: usize,
}

/// Returns the value of each constant that an axiom equates with an expression over determined constants that the
/// evaluator can compute. Every valuation that satisfies the axioms has these values.
pub fn constants(model: &Model, scope: &Scope) -> Vec<Option<Determined>> {
    let mut known: Vec<Option<Determined>> = vec![None; model.constants.len()];
    let mut definitions: Vec<(ConstId, &Expr, usize)> = vec![];
    for (i, axiom) in model.axioms.iter().enumerate() {
        let PredKind::Compare(CompareOp::Equal, a, b) = &axiom.pred.kind else { continue };
        for (name, value) in [(a, b), (b, a)] {
            if let ExprKind::Const(c) = name.kind
                && !depends_on_size(value, model, scope)
            {
                definitions.push((c, value, i));
            }
        }
    }
    let evaluator = Evaluator::new(model, scope);
    loop {
        let before = definitions.len();
        let (ready, waiting): (Vec<_>, Vec<_>) = definitions.into_iter().partition(|(_, value, _)| {
            Names::of_expr(value).constants.iter().all(|c| known[c.index()].is_some())
        });
        // Constants that are not known yet are not read.
        let values: Vec<Value> =
            known.iter().map(|d| d.as_ref().map_or_else(Value::empty, |d| d.value.clone())).collect();
        for (c, value, axiom) in ready {
            if known[c.index()].is_none()
                && let Ok(value) = evaluator.expr(&Env::new(&values, &[]), value)
                && weight(&value) <= tuning().symbolic.determined
            {
                known[c.index()] = Some(Determined { value, axiom });
            }
        }
        definitions = waiting;
        if definitions.is_empty() || definitions.len() == before {
            return known;
        }
    }
}

/// Number of parts of a value.
fn weight(value: &Value) -> usize {
    match value {
        Value::Pair(p) => weight(&p.0) + weight(&p.1),
        Value::Record(fields) => fields.iter().map(|(_, v)| weight(v)).sum(),
        Value::Set(elements) => 1 + elements.iter().map(weight).sum::<usize>(),
        _ => 1,
    }
}

/// Returns whether an expression mentions a deferred set whose size is open.
fn depends_on_size(e: &Expr, model: &Model, scope: &Scope) -> bool {
    struct Carriers(BTreeSet<CarrierId>);
    impl Visitor for Carriers {
        fn expr(&mut self, e: &Expr) {
            if let ExprKind::Carrier(c) = e.kind {
                self.0.insert(c);
            }
            walk_expr(self, e);
        }
    }
    let mut carriers = Carriers(BTreeSet::new());
    carriers.expr(e);
    carriers.0.iter().any(|&c| scope.size(model, c).is_none())
}
