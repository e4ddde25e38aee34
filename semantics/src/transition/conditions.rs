//! The conditions of a guard, each with what makes it decide alone: the modified condition/decision coverage of tests.
//!
//! A condition decides a conjunction where the others are true, a disjunction where the others are false, and so on inward
//! (masking MC/DC). Predicates behind the condition need a meaning only where it does not end the evaluation.

use bsym_language::model::{Pred, PredKind};

use crate::error::EvalErrorKind;
use crate::evaluator::{Eval, Evaluator};
use crate::transition::guards::Guard;
use crate::value::Value;

/// A condition of a guard.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The condition.
    pub pred: Pred,
    /// Predicates in front of it that are true where it decides.
    before: Vec<Pred>,
    /// Predicates behind it that are.
    after: Vec<Pred>,
}

/// Returns the conditions of a guard, down to this many operators inside of its conjuncts.
pub fn conditions(guard: &Guard, depth: usize) -> Vec<Condition> {
    let mut found = vec![];
    let whole = &guard.conjuncts;
    for (i, conjunct) in whole.iter().enumerate() {
        let (before, after) = (whole[..i].to_vec(), whole[i + 1..].to_vec());
        collect(conjunct, depth, before, after, &mut found);
    }
    found
}

fn collect(pred: &Pred, depth: usize, before: Vec<Pred>, after: Vec<Pred>, found: &mut Vec<Condition>) {
    let not = |p: &Pred| PredKind::Not(Box::new(p.clone())).at(p.span);
    let with = |list: &[Pred], more: &mut dyn Iterator<Item = Pred>| -> Vec<Pred> {
        list.iter().cloned().chain(more).collect()
    };
    let Some(depth) = depth.checked_sub(1) else {
        found.push(Condition { pred: pred.clone(), before, after });
        return;
    };
    match &pred.kind {
        PredKind::And(parts) | PredKind::Or(parts) => {
            let is_and = matches!(pred.kind, PredKind::And(_));
            let masks = |p: &Pred| if is_and { p.clone() } else { not(p) };
            for (i, part) in parts.iter().enumerate() {
                let before = with(&before, &mut parts[..i].iter().map(masks));
                let after = with(&after, &mut parts[i + 1..].iter().map(masks));
                collect(part, depth, before, after, found);
            }
        }
        PredKind::Implies(a, b) => {
            collect(a, depth, before.clone(), with(&after, &mut std::iter::once(not(b))), found);
            collect(b, depth, with(&before, &mut std::iter::once((**a).clone())), after, found);
        }
        PredKind::Iff(a, b) => {
            collect(a, depth, before.clone(), after.clone(), found);
            collect(b, depth, before, after, found);
        }
        PredKind::Not(a) => collect(a, depth, before, after, found),
        _ => found.push(Condition { pred: pred.clone(), before, after }),
    }
}

impl Condition {
    /// Returns whether the condition has a truth value in a state, for some values of the unknowns of its guard, and
    /// decides the guard there.
    ///
    /// # Errors
    /// It cannot be evaluated.
    pub fn decides(
        &self,
        guard: &Guard,
        eval: &Evaluator<'_>,
        (constants, state): (&[Value], &[Value]),
        truth: bool,
    ) -> Eval<bool> {
        let pred = match truth {
            true => self.pred.clone(),
            false => PredKind::Not(Box::new(self.pred.clone())).at(self.pred.span),
        };
        let short: Vec<&Pred> = self.before.iter().chain([&pred]).collect();
        let whole: Vec<&Pred> = short.iter().copied().chain(&self.after).collect();
        match guard.allows(eval, constants, state, &whole) {
            Err(e) if e.kind == EvalErrorKind::IllDefined => guard.allows(eval, constants, state, &short),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;
    use crate::scope::{Scope, ScopeRequest};

    #[test]
    fn a_condition_decides_where_the_others_let_it() {
        let text =
            "MACHINE m VARIABLES x, y INVARIANT x : 0..9 & y : 0..9 INITIALISATION x, y := 0, 0 OPERATIONS
            go(p) = SELECT p : 1..2 & (x = p or y > 5) & 10 / x > 2 THEN skip END END";
        let model = load_text("m.mch", text).model.expect("a machine");
        let scope = Scope::settle(&model, &ScopeRequest::default()).unwrap();
        let eval = Evaluator::new(&model, &scope);
        let guard = Guard::of(&model.events[0]);
        assert_eq!(conditions(&guard, 0).len(), 3);
        let all = conditions(&guard, 1);
        assert_eq!(all.len(), 4);
        let decides = |i: usize, x: i64, y: i64, truth: bool| {
            let state = [Value::int(x), Value::int(y)];
            all[i].decides(&guard, &eval, (&[], &state), truth).ok()
        };
        // `x = p` decides where `y > 5` is false.
        assert_eq!(
            (decides(1, 1, 0, true), decides(1, 3, 0, true), decides(1, 1, 9, true)),
            (Some(true), Some(false), Some(false))
        );
        assert_eq!(decides(1, 3, 0, false), Some(true));
        // `10 / x > 2` has no meaning for 0, and `p` is never 0; with `y > 5` it is reached.
        assert_eq!((decides(3, 2, 0, true), decides(3, 9, 9, false)), (Some(true), Some(true)));
        // What is behind a false condition need not have a meaning.
        assert_eq!(decides(2, 0, 0, false), Some(true));
    }
}
