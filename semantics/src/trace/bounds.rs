//! Violations that exist only because `MAXINT` is small, and violations that are far away because it is large.
//!
//! The violation is evaluated once more, in the same state and with the same step, with the 32-bit values of `MAXINT`
//! and `MININT`. If nothing is violated there, the violation is about the scope and perhaps not about the machine.

use bsym_language::int::Int;
use bsym_language::model::visit::{Visitor, walk_expr, walk_operators};
use bsym_language::model::{BuiltinSet, Conjunct, Expr, ExprKind, Model, Pred};
use bsym_language::walk::LargestLiteral;

use crate::evaluator::Evaluator;
use crate::evaluator::work::Work;
use crate::scope::Scope;
use crate::trace::replay::{Start, check_path};
use crate::trace::{Trace, Violation};
use crate::transition::Outcome;
use crate::tuning::tuning;
use crate::value::env::Env;

/// `MAXINT` of 32 bits.
const WIDEST: i64 = 2147483647;

/// Bounds of integers under which an overflow occurs soon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SmallBounds {
    /// `MAXINT`.
    pub maxint: i64,
    /// `MININT`, where the formulas of the model have a lower bound of integers.
    pub minint: Option<i64>,
}

/// Returns small bounds if a scope has 32-bit bounds and the invariant, an assertion or an event depends on them.
///
/// An integer that is counted up step by step leaves `NAT` only after `MAXINT` steps. With small bounds a search finds
/// that soon. All literals of the model lie within the bounds. `None` if a literal is large or the model has chosen its
/// bounds.
pub fn small_bounds(model: &Model, scope: &Scope) -> Option<SmallBounds> {
    if model.definitions.hints.maxint.is_some() || scope.maxint < Int::from(WIDEST) {
        return None;
    }
    let mut read = ReadBounds::default();
    model.invariant.iter().chain(&model.assertions).for_each(|c| read.pred(&c.pred));
    model.events.iter().for_each(|event| read.subst(&event.body));
    walk_operators(&mut read, model);
    if !(read.upper || read.lower) {
        return None;
    }
    let literal = LargestLiteral::of(model).map_or(Some(0), |n| n.to_i64())?;
    // The step beyond a literal must not exceed the bound as well.
    let maxint = if literal < tuning().scope.small { tuning().scope.small } else { 2 * literal };
    (literal <= tuning().scope.large_literal)
        .then_some(SmallBounds { maxint, minint: read.lower.then_some(-maxint - 1) })
}

/// The bounds that formulas depend on, also through `INT` and `NAT`.
#[derive(Default)]
struct ReadBounds {
    upper: bool,
    lower: bool,
}

impl Visitor for ReadBounds {
    fn expr(&mut self, e: &Expr) {
        self.upper |= matches!(
            e.kind,
            ExprKind::MaxInt | ExprKind::Set(BuiltinSet::Int | BuiltinSet::Nat | BuiltinSet::Nat1)
        );
        self.lower |= matches!(e.kind, ExprKind::MinInt | ExprKind::Set(BuiltinSet::Int));
        walk_expr(self, e);
    }
}

/// Returns the scope with 32-bit bounds; `None` if its own bounds are not smaller.
pub fn widest(scope: &Scope) -> Option<Scope> {
    let (maxint, minint) = (Int::from(WIDEST), Int::from(-WIDEST - 1));
    (scope.maxint < maxint && scope.minint > minint).then(|| Scope { maxint, minint, ..scope.clone() })
}

/// Returns the scope with a larger `MAXINT`.
pub fn with_maxint(scope: &Scope, maxint: &Int) -> Scope {
    Scope { maxint: maxint.clone().max(scope.maxint.clone()), ..scope.clone() }
}

/// Returns values of `MAXINT` to try in place of a smaller one: the largest integer of the model, then others.
pub fn proposals(model: &Model, maxint: &Int) -> Vec<Int> {
    let literal = LargestLiteral::of(model).filter(|n| *n <= Int::from(WIDEST));
    let all = literal.into_iter().chain(tuning().scope.proposed.map(Int::from));
    all.filter(|n| n > maxint).collect()
}

/// Returns a larger `MAXINT` under which a check succeeds that fails in the scope, if the bounds of the scope are the
/// cause.
///
/// `None` if the check fails with 32-bit bounds too, and if the model has chosen its bounds.
pub fn larger_maxint(model: &Model, scope: &Scope, is_right: &dyn Fn(&Scope) -> bool) -> Option<Int> {
    if model.definitions.hints.maxint.is_some() {
        return None;
    }
    widest(scope).filter(is_right)?;
    let mut proposed = proposals(model, &scope.maxint).into_iter();
    proposed.find(|n| is_right(&with_maxint(scope, n)))
}

/// Returns a larger `MAXINT` under which part of a violation disappears, if the bounds are its cause. `part` is the
/// position of the conjunct among those that the violation names.
///
/// `None` if it is violated with 32-bit bounds too, if these do not allow the trace, if that cannot be evaluated with
/// little work, and if the model has chosen its bounds.
pub fn maxint_without(model: &Model, trace: &Trace, violation: &Violation, part: usize) -> Option<Int> {
    let is_right =
        |scope: &Scope| is_right(model, trace, violation, part, scope) && is_path(model, trace, scope);
    larger_maxint(model, &trace.scope, &is_right)
}

/// Returns a larger `MAXINT` under which several violations disappear, with all their parts. As [`maxint_without`].
pub fn maxint_without_all(model: &Model, all: &[(Trace, Violation)]) -> Option<Int> {
    let (first, _) = all.first()?;
    let is_right = |scope: &Scope| {
        all.iter().all(|(trace, violation)| {
            let parts = match violation {
                Violation::Invariant(which) | Violation::Assertions(which) => which.len(),
                _ => 1,
            };
            (0..parts).all(|part| is_right(model, trace, violation, part, scope))
                && is_path(model, trace, scope)
        })
    };
    larger_maxint(model, &first.scope, &is_right)
}

/// Checks that a trace is also one of the model in another scope, up to its last state. A step like `x := MAXINT` leads
/// elsewhere there, and nothing is known about violations then.
pub fn is_path(model: &Model, trace: &Trace, scope: &Scope) -> bool {
    let of = |scope: &Scope, steps: usize, start: Start| {
        let work = Work::new(tuning().scope.path_work);
        work.portion(tuning().scope.path_work);
        let eval = Evaluator::new(model, scope).with_work(&work);
        check_path(&eval, trace, steps, start).is_ok()
    };
    let reached = trace.steps.iter().take_while(|step| step.state.is_some()).count();
    // The first state of a counterexample to induction is any state.
    let start = if of(&trace.scope, reached.min(1), Start::Initialisation) {
        Start::Initialisation
    } else {
        Start::Anywhere
    };
    of(scope, reached, start)
}

/// Returns whether the violated part holds in another scope.
fn is_right(model: &Model, trace: &Trace, violation: &Violation, part: usize, scope: &Scope) -> bool {
    let work = Work::new(tuning().scope.work);
    work.portion(tuning().scope.work);
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
        Violation::Goal => model.definitions.goal.as_ref().is_some_and(|goal| has(goal, false)),
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

    #[test]
    fn small_bounds_are_those_that_the_formulas_need() {
        let small = |sections: &str, request: &ScopeRequest| {
            let text = format!("MACHINE M VARIABLES x {sections} END");
            let model = load_text("M.mch", &text).model.expect("the machine is right");
            let scope = Scope::settle(&model, request).expect("a scope");
            small_bounds(&model, &scope).map(|b| (b.maxint, b.minint))
        };
        let any = ScopeRequest::default();
        let of = |invariant: &str, step: &str| {
            let text = format!("INVARIANT {invariant} INITIALISATION x := 0 OPERATIONS go = {step}");
            small(&text, &any)
        };
        assert_eq!(of("x : NAT", "x := x + 1"), Some((10, None)));
        assert_eq!(of("x : INT", "x := x - 1"), Some((10, Some(-11))));
        assert_eq!(of("x : INTEGER", "SELECT x < MAXINT THEN x := x + 1 END"), Some((10, None)));
        assert_eq!(of("x : NAT & x < 320", "x := x + 1"), Some((640, None)));
        assert_eq!(of("x : NAT & x < 123456", "x := x + 1"), None);
        assert_eq!(of("x : NATURAL", "x := x + 1"), None);
        let prob = ScopeRequest { prob: true, ..any.clone() };
        assert_eq!(small("INVARIANT x : NAT INITIALISATION x := 0", &prob), None);
    }

    use crate::trace::Step;
    use crate::trace::replay::{Checks, replay};
    use crate::value::Value;

    /// Returns the bound proposed for the violation after these states of `x`, for a machine with these sections.
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
        let trace = Trace::new(scope, vec![], steps);
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
        // It is violated with all bounds.
        assert_eq!(proposed(&count("x : INTEGER & x < 3", ""), &[0, 2, 4], &all), None);
        assert_eq!(proposed(&count("x : NAT & x < 3", ""), &[0, 2, 4], &all), n(300));
        // With other bounds the trace does not exist.
        let most = "INVARIANT x : INTEGER & x < MAXINT INITIALISATION x := 2 OPERATIONS up = x := MAXINT";
        assert_eq!(proposed(most, &[2, 3], &all), None);
        let begin = "INVARIANT x : INTEGER & x < MAXINT INITIALISATION x := MAXINT";
        assert_eq!(proposed(begin, &[3], &all), None);
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
