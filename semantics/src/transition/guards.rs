//! The guard of an event as a list of conjuncts, and the conjunct that disables the event in a state.

use std::ops::ControlFlow;

use bsym_language::model::{Event, LocalId, Pred, PredKind, Subst, SubstKind};

use crate::error::EvalErrorKind;
use crate::evaluator::free_names::names_of_pred;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};

/// The guard of an event: it is enabled only where some values of the unknowns satisfy all conjuncts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guard {
    /// The parameters, and the names that the body chooses by `ANY` directly behind its guard.
    pub unknowns: Vec<LocalId>,
    /// In the order in which they are written.
    pub conjuncts: Vec<Pred>,
}

/// Judgement of a guard in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// No values satisfy the conjuncts up to the one at this position, and some satisfy those before it.
    FalseAt(usize),
    /// Some values satisfy all of them.
    True,
    /// A conjunct is ill-defined, or could not be evaluated.
    Undecided,
}

impl Guard {
    /// Returns the outermost guards of an event. Guards behind a choice, a loop or the first part of a sequence are not
    /// among them.
    pub fn of(event: &Event) -> Guard {
        let mut guard = Guard { unknowns: event.parameters.clone(), conjuncts: vec![] };
        guard.collect(&event.body);
        guard
    }

    fn collect(&mut self, body: &Subst) {
        match &body.kind {
            SubstKind::Select { branches, otherwise: None, .. } => match &branches[..] {
                [(guard, inner)] => {
                    self.split(guard);
                    self.collect(inner);
                }
                [] => {}
                branches => {
                    let any = branches.iter().map(|(guard, _)| guard.clone()).collect();
                    self.conjuncts.push(Pred { kind: PredKind::Or(any), span: body.span });
                }
            },
            SubstKind::Any(_, locals, pred, inner) => {
                self.unknowns.extend(locals);
                self.split(pred);
                self.collect(inner);
            }
            SubstKind::Sequence(parts) => {
                if let Some(first) = parts.first() {
                    self.collect(first);
                }
            }
            SubstKind::Parallel(parts) => parts.iter().for_each(|part| self.collect(part)),
            _ => {}
        }
    }

    fn split(&mut self, pred: &Pred) {
        match &pred.kind {
            PredKind::And(parts) => parts.iter().for_each(|part| self.split(part)),
            _ => self.conjuncts.push(pred.clone()),
        }
    }

    /// Returns the first conjunct that is false in a state.
    pub fn judge(&self, eval: &Evaluator<'_>, constants: &[Value], state: &[Value]) -> Judged {
        let env = Env::new(constants, state);
        let names: Vec<Name> = self.unknowns.iter().map(|local| Name::Local(*local)).collect();
        let mut undecided = false;
        for (i, conjunct) in self.conjuncts.iter().enumerate() {
            let alone = names_of_pred(conjunct).iter().all(|name| !names.contains(name));
            let truth = match alone {
                true => eval.pred(&env, conjunct),
                false => self.is_satisfiable(eval, &env, &names, i),
            };
            match truth {
                Ok(true) => {}
                Ok(false) if !undecided => return Judged::FalseAt(i),
                // Which one is the first to be false is not known.
                Ok(false) => return Judged::Undecided,
                // The unknowns may be confined by what comes later.
                Err(e) if !alone && e.kind == EvalErrorKind::TooLarge => {}
                Err(_) => undecided = true,
            }
        }
        if undecided { Judged::Undecided } else { Judged::True }
    }

    /// Returns whether some values of the unknowns satisfy all of these predicates, which are evaluated in their order.
    ///
    /// # Errors
    /// They cannot be evaluated.
    pub fn allows(
        &self,
        eval: &Evaluator<'_>,
        constants: &[Value],
        state: &[Value],
        preds: &[&Pred],
    ) -> Eval<bool> {
        let env = Env::new(constants, state);
        let read: Vec<_> = preds.iter().flat_map(|pred| names_of_pred(pred)).collect();
        let unknowns = self.unknowns.iter().map(|local| Name::Local(*local));
        let names: Vec<Name> = unknowns.filter(|name| read.contains(name)).collect();
        let Some(last) = preds.last() else { return Ok(true) };
        let mut some = false;
        let done = eval.each_solution(&env, &names, preds, last.span, &mut |_, _| {
            some = true;
            Ok(ControlFlow::Break(()))
        });
        done.map(|_| some)
    }

    /// Returns whether some values of the unknowns satisfy the conjuncts up to `last`.
    fn is_satisfiable(&self, eval: &Evaluator<'_>, env: &Env<'_>, names: &[Name], last: usize) -> Eval<bool> {
        let conjuncts: Vec<&Pred> = self.conjuncts[..=last].iter().collect();
        let read: Vec<_> = conjuncts.iter().flat_map(|pred| names_of_pred(pred)).collect();
        let names: Vec<Name> = names.iter().copied().filter(|name| read.contains(name)).collect();
        let mut some = false;
        let done = eval.each_solution(env, &names, &conjuncts, conjuncts[last].span, &mut |_, _| {
            some = true;
            Ok(ControlFlow::Break(()))
        });
        if some { Ok(true) } else { done.map(|_| false) }
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;
    use bsym_language::print;

    use super::*;
    use crate::scope::{Scope, ScopeRequest};

    #[test]
    fn the_first_conjunct_without_values_is_the_one() {
        let machine = "MACHINE m VARIABLES n, s INVARIANT n : INTEGER & s <: 1..9 INITIALISATION n := 0 || s := {} OPERATIONS \
            plain = SELECT n > 0 & n < 5 THEN skip END; \
            take(x) = PRE x : s & x > n & n < 5 THEN s := s - {x} END; \
            pick = SELECT n < 5 THEN ANY y WHERE y : s & y mod 2 = 0 THEN n := y END END; \
            late(z) = PRE z : INTEGER & z > n & z : s THEN n := z END; \
            wild = SELECT 10 / n > 1 & n > 3 THEN skip END END";
        let model = load_text("m.mch", machine).model.expect("a machine");
        let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
        let eval = Evaluator::new(&model, &scope);
        let check = |event: &str, n: i64, s: &[i64], expected: &str| {
            let event = model.events.iter().find(|e| e.name == event).expect("an event");
            let guard = Guard::of(event);
            let state = [Value::int(n), Value::set(s.iter().map(|x| Value::int(*x)))];
            let found = match guard.judge(&eval, &[], &state) {
                Judged::FalseAt(i) => print::pred(&model, &guard.conjuncts[i]),
                Judged::True => "true".into(),
                Judged::Undecided => "undecided".into(),
            };
            assert_eq!(found, expected, "{} with n = {n}, s = {s:?}", event.name);
        };
        check("plain", 0, &[], "n > 0");
        check("plain", 7, &[], "n < 5");
        check("plain", 3, &[], "true");
        check("take", 0, &[], "x : s");
        check("take", 3, &[2], "x > n");
        check("take", 6, &[7], "n < 5");
        check("take", 3, &[7], "true");
        check("pick", 0, &[3, 5], "y mod 2 = 0");
        check("pick", 9, &[4], "n < 5");
        check("pick", 0, &[4], "true");
        check("late", 3, &[1], "z : s");
        check("wild", 0, &[], "undecided");
    }
}
