//! Constants that the axioms determine: an axiom `c = E` where `E` has a value, or all valuations, where they are few.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::*;
use bsym_language::types::CarrierId;
use bsym_language::walk::{Names, Visitor, walk_expr};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::Constants;
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

/// Returns all valuations of the constants that satisfy the axioms, if there are some, but few, and the evaluator finds
/// them with little work. Under none of those that it looked at was an axiom ill-defined.
pub fn valuations(model: &Model, scope: &Scope) -> Option<Vec<Constants>> {
    if model.constants.is_empty() || model.axioms.is_empty() || !scope.is_finite(model) {
        return None;
    }
    let limits = &tuning().valuations;
    let work = Work::new(limits.work);
    work.portion(limits.work);
    let evaluator = Evaluator::new(model, scope).with_work(&work);
    let (mut found, mut parts, mut is_whole) = (vec![], 0, true);
    let done = evaluator.each_valuation(&Default::default(), &mut |constants, truth| {
        parts += constants.iter().map(weight).sum::<usize>();
        found.push(constants);
        is_whole &= truth.is_ok() && found.len() <= limits.most && parts <= tuning().symbolic.determined;
        if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let is_whole = is_whole && matches!(done, Ok(ControlFlow::Continue(()))) && !found.is_empty();
    is_whole.then_some(found)
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

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;
    use bsym_semantics::scope::ScopeRequest;

    use super::*;

    #[test]
    fn few_valuations_are_known_where_all_axioms_have_a_meaning() {
        let check = |constants: &str, properties: &str, expected: Option<usize>| {
            let text = format!(
                "MACHINE m SETS S = {{a, b, c}}; T CONSTANTS {constants} PROPERTIES {properties} & card(T) = 2 END"
            );
            let model = load_text("m.mch", &text).model.expect("a machine");
            let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked");
            let scope = crate::system::build::settle_by_axioms(&model, &scope);
            let found = valuations(&model, &scope).map(|found| found.len());
            assert_eq!(found, expected, "{properties}");
        };
        check("f", "f : S --> 1..3 & f(a) = 1 & f(b) = 2 & f(c) = f(a) + f(b)", Some(1));
        check("f", "f : S >-> 1..3 & f(a) = 1", Some(2));
        check("f, g", "f : S >-> 1..3 & f(a) = 1 & g : T", Some(4));
        // Where `a` is no argument, the second axiom has no meaning.
        check("f", "f : S +-> 1..1 & f(a) = 1 & a : dom(f)", None);
        check("f", "f : S --> 1..3", None);
        check("n", "n : NATURAL & n > 3", None);
        check("n", "n : 1..3 & n > 3", None);
    }

    #[test]
    fn sets_of_open_size_leave_valuations_open() {
        let model = load_text("m.mch", "MACHINE m SETS T CONSTANTS n PROPERTIES n : 1..2 END")
            .model
            .expect("a machine");
        let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked");
        assert_eq!(valuations(&model, &scope), None);
    }
}
