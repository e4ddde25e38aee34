//! Violations that are there only because `MAXINT` is as small as it is.
//!
//! What is violated is evaluated once more, in the same state and with the same step, where `MAXINT` and `MININT` are those of
//! 32 bits. Where it is right there, the violation says something about the scope and perhaps nothing about the machine.

use bsym_language::int::Int;
use bsym_language::model::{Conjunct, Model, Pred};
use bsym_language::walk::LargestLiteral;

use crate::evaluator::Evaluator;
use crate::evaluator::work::Work;
use crate::scope::Scope;
use crate::trace::{Trace, Violation};
use crate::transition::Outcome;
use crate::value::env::Env;

/// Work that the question may take, which is well below a second.
const WORK: u64 = 500_000;
/// `MAXINT` of 32 bits.
const WIDEST: i64 = 2147483647;
/// Values of `MAXINT` that are proposed where no literal of the model will do.
const PROPOSED: [i64; 5] = [7, 20, 127, 1023, WIDEST];

/// The scope with the bounds of 32 bits, where its own are smaller.
pub fn widest(scope: &Scope) -> Option<Scope> {
    let (maxint, minint) = (Int::from(WIDEST), Int::from(-WIDEST - 1));
    (scope.maxint < maxint && scope.minint > minint).then(|| Scope { maxint, minint, ..scope.clone() })
}

/// The scope with a larger `MAXINT`.
pub fn with_maxint(scope: &Scope, maxint: &Int) -> Scope {
    Scope { maxint: maxint.clone().max(scope.maxint.clone()), ..scope.clone() }
}

/// Values of `MAXINT` that are worth a try in place of a smaller one: the largest integer of the model, then others.
pub fn proposals(model: &Model, maxint: &Int) -> Vec<Int> {
    let literal = LargestLiteral::of(model).filter(|n| *n <= Int::from(WIDEST));
    let all = literal.into_iter().chain(PROPOSED.map(Int::from));
    all.filter(|n| n > maxint).collect()
}

/// A larger `MAXINT` with which the part of a violation is none, if its bounds are why it is one. `part` is the position of
/// the conjunct among those that the violation names.
///
/// `None` where it is violated with the bounds of 32 bits as well, where that cannot be evaluated with little work, and where
/// the model has chosen its bounds.
pub fn maxint_without(model: &Model, trace: &Trace, violation: &Violation, part: usize) -> Option<Int> {
    if model.hints.maxint.is_some() {
        return None;
    }
    let widest = widest(&trace.scope)?;
    if !is_right(model, trace, violation, part, &widest) {
        return None;
    }
    let mut proposed = proposals(model, &trace.scope.maxint).into_iter();
    proposed.find(|n| is_right(model, trace, violation, part, &with_maxint(&trace.scope, n)))
}

/// Whether what is violated in the scope of the trace is right in another one.
fn is_right(model: &Model, trace: &Trace, violation: &Violation, part: usize, scope: &Scope) -> bool {
    let work = Work::new(WORK);
    work.portion(WORK);
    let eval = Evaluator::new(model, scope).with_work(&work);
    let Some((last, before)) = trace.steps.split_last() else { return false };
    let before = before.last().and_then(|step| step.state.as_deref()).unwrap_or_default();
    let has = |pred: &Pred, truth: bool| {
        let state = last.state.as_deref();
        state.is_some_and(|state| eval.pred(&Env::new(&trace.constants, state), pred) == Ok(truth))
    };
    let conjunct = |all: &[Conjunct], which: &[usize]| {
        which.get(part).and_then(|i| all.get(*i)).is_some_and(|conjunct| has(&conjunct.pred, true))
    };
    match violation {
        Violation::Invariant(which) => conjunct(&model.invariant, which),
        Violation::Assertions(which) => conjunct(&model.assertions, which),
        Violation::Goal => model.goal.as_ref().is_some_and(|goal| has(goal, false)),
        Violation::Deadlock => {
            let state = last.state.as_deref();
            state.is_some_and(|state| eval.is_deadlock(&trace.constants, state) == Ok(false))
        }
        Violation::IllDefined(_)
        | Violation::Assert(_)
        | Violation::Precondition(_)
        | Violation::Refinement(_) => {
            let executed = eval.execute(&trace.constants, before, last.event, &last.execution);
            last.state.is_none() && matches!(executed, Ok(Outcome::Reached { .. }))
        }
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;
    use crate::scope::ScopeRequest;
    use crate::trace::Step;
    use crate::trace::replay::{Checks, replay};
    use crate::value::Value;

    /// The proposal for what is violated behind these states of `x`, of a machine with these sections.
    fn proposed(sections: &str, states: &[i64], checks: &Checks) -> Option<Int> {
        let text = format!("MACHINE M VARIABLES x {sections} END");
        let model = load_text("M.mch", &text).model.expect("the machine is right");
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&model, &request).expect("a scope");
        let eval = Evaluator::new(&model, &scope);
        let mut steps: Vec<Step> = vec![];
        for (i, x) in states.iter().enumerate() {
            let before = steps.last().and_then(|s| s.state.clone()).unwrap_or_default();
            let edges = match i {
                0 => eval.initial_states(&[]),
                _ => eval.successors(&[], &before),
            };
            let is_it = |s: Option<&Vec<Value>>| s.is_none_or(|s| s[0] == Value::Int(Int::from(*x)));
            let edge = edges.edges.into_iter().find(|e| is_it(e.state())).expect("an edge");
            let state = edge.state().cloned();
            steps.push(Step { event: edge.event, execution: edge.execution, state });
        }
        let trace = Trace { scope, constants: vec![], steps };
        let found = replay(&model, &trace, checks).expect("it is one").violations;
        maxint_without(&model, &trace, &found[0], 0)
    }

    #[test]
    fn a_violation_is_told_from_one_of_the_scope() {
        let all = Checks { assertions: true, deadlock: true, ..Checks::default() };
        let n = |n: i64| Some(Int::from(n));
        let count = |invariant: &str, rest: &str| {
            format!(
                "INVARIANT {invariant} INITIALISATION x := 0 OPERATIONS up = SELECT x < 300 THEN x := x + 2 END {rest}"
            )
        };
        // The largest literal will do; without one that does, a round number.
        assert_eq!(proposed(&count("x : NAT", ""), &[0, 2, 4], &all), n(300));
        let endless = "INVARIANT x : NAT INITIALISATION x := 2 OPERATIONS up = x := x + 2";
        assert_eq!(proposed(endless, &[2, 4], &all), n(7));
        // It is one everywhere.
        assert_eq!(proposed(&count("x : INTEGER & x < 3", ""), &[0, 2, 4], &all), None);
        assert_eq!(proposed(&count("x : NAT & x < 3", ""), &[0, 2, 4], &all), n(300));
        // The model has chosen its bounds.
        let chosen = count("x : NAT", "DEFINITIONS SET_PREF_MAXINT == 3");
        assert_eq!(proposed(&chosen, &[0, 2, 4], &all), None);
        // Steps that fail, and states without a next one.
        let step =
            |guard: &str| format!("INVARIANT x : INTEGER INITIALISATION x := 50 OPERATIONS up = {guard}");
        assert_eq!(proposed(&step("ASSERT x : NAT THEN x := 0 END"), &[50, 0], &all), n(50));
        assert_eq!(proposed(&step("ASSERT x < 9 THEN x := 0 END"), &[50, 0], &all), None);
        assert_eq!(proposed(&step("x := max({y | y : NAT & y > x & y < 60})"), &[50, 0], &all), n(60));
        assert_eq!(proposed(&step("SELECT x : NAT THEN x := 0 END"), &[50], &all), n(50));
        assert_eq!(proposed(&step("SELECT x = 0 THEN x := 0 END"), &[50], &all), None);
    }
}
