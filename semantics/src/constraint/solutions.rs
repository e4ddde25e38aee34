//! The solutions of predicates: found by search, and by the finder where the search gives up.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::Pred;
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::finder::Found as Answer;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Called with values of the names in their order, and whether they satisfy the predicates or make one
/// ill-defined.
pub(crate) type Bound<'v> = &'v mut dyn FnMut(Vec<(Name, Value)>, Eval<()>) -> Flow;

/// Candidates that are looked at before a finder is asked.
const QUICK: usize = 1_000;

impl Evaluator<'_> {
    /// Calls `found` for each binding that satisfies all predicates, and for those under which one is
    /// ill-defined. What propagation cannot reach is asked of the finder.
    ///
    /// # Errors
    /// Bindings may be missing; those found are solutions all the same. What `found` returns.
    pub(crate) fn each_solution(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        found: Bound<'_>,
    ) -> Flow {
        let mut known = BTreeSet::new();
        if self.finder.is_none() || self.candidates <= QUICK {
            return self.search(env, names, preds, at, (true, &mut known), found).0;
        }
        // What is not found soon is asked of the finder; where that does not know all either, everything
        // is searched.
        let quick = Evaluator { candidates: QUICK, ..self.with_all_choices() };
        let partly = self.cuts.is_none();
        match quick.search(env, names, preds, at, (partly, &mut known), found) {
            (Err(e), false) if e.kind == EvalErrorKind::TooLarge => {}
            (done, _) => return done,
        }
        let answer = self.ask_finder(env, names, preds, at)?;
        let complete = answer.complete;
        // Where choices are cut, what the finder found beyond is no part of the bounded model.
        if (complete || partly)
            && self.report_answer(&answer, env, names, preds, &mut known, found)?.is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        if complete {
            return Ok(GO);
        }
        match self.search(env, names, preds, at, (true, &mut known), found) {
            (Err(e), false) if e.kind == EvalErrorKind::TooLarge && !partly => {
                let flow = self.report_answer(&answer, env, names, preds, &mut known, found)?;
                if flow.is_break() { Ok(flow) } else { Err(e) }
            }
            (done, _) => done,
        }
    }

    /// Searches by propagation; what is known already is not reported again. Where not all can be found,
    /// some are, or none are looked for. Also whether an error is one of the visitor.
    fn search(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        (partly, known): (bool, &mut BTreeSet<Vec<(Name, Value)>>),
        found: Bound<'_>,
    ) -> (Flow, bool) {
        let literals: Vec<_> = preds.iter().map(|p| (true, *p)).collect();
        let mut count = 0;
        let mut refused = None;
        let mut report = |bound: &[(Name, Value)], truth| {
            count += 1;
            if count > self.limits.branching {
                let error = EvalError::too_large(at, "too many values satisfy the predicate");
                return Err(refused.get_or_insert(error).clone());
            }
            let bound = self.complete(names, bound, at)?;
            if self.finder.is_some() && !known.insert(bound.clone()) {
                return Ok(GO);
            }
            found(bound, truth).map_err(|e| refused.get_or_insert(e).clone())
        };
        let done = if partly {
            self.solve_some(env, names, &literals, at, &mut report)
        } else {
            self.solve(env, names, &literals, at, &mut report)
        };
        (done, refused.is_some())
    }

    fn ask_finder(&self, env: &Env<'_>, names: &[Name], preds: &[&Pred], at: Span) -> Eval<Answer> {
        let Some(finder) = self.finder else { return Ok(Answer::default()) };
        let typed = names
            .iter()
            .map(|n| Ok((*n, self.type_of(*n).cloned().ok_or_else(|| self.confused(at))?)))
            .collect::<Eval<Vec<_>>>()?;
        Ok(finder.find(env, self.scope, &typed, preds, self.limits.branching).unwrap_or_default())
    }

    /// Reports what a finder found that is not known already.
    fn report_answer(
        &self,
        answer: &Answer,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        known: &mut BTreeSet<Vec<(Name, Value)>>,
        found: Bound<'_>,
    ) -> Flow {
        for values in &answer.valuations {
            let bound: Vec<_> = names.iter().copied().zip(values.iter().cloned()).collect();
            if bound.len() != names.len() || !known.insert(bound.clone()) {
                continue;
            }
            let frame = env.frame(&bound);
            let inner = env.within(&frame);
            let mut truth = Ok(true);
            for pred in preds {
                truth = self.pred(&inner, pred);
                if !matches!(truth, Ok(true)) {
                    break;
                }
            }
            let flow = match truth {
                Ok(true) => found(bound, Ok(()))?,
                Err(e) if e.kind == EvalErrorKind::IllDefined => found(bound, Err(e))?,
                _ => GO,
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(GO)
    }

    /// Gives the names that are not bound some value of their type.
    fn complete(&self, names: &[Name], bound: &[(Name, Value)], at: Span) -> Eval<Vec<(Name, Value)>> {
        names
            .iter()
            .map(|n| match bound.iter().find(|(m, _)| m == n) {
                Some((_, v)) => Ok((*n, v.clone())),
                None => {
                    let ty = self.type_of(*n).ok_or_else(|| self.confused(at))?;
                    Ok((*n, self.some_value(ty)))
                }
            })
            .collect()
    }
}
