//! The solutions of predicates: found by search, and by the finder where the search gives up.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::Pred;
use bsym_language::source::Span;

use crate::constraint::methods::{AGAIN_STEPS, Method, SEARCH_STEPS};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::finder::{Claim, Question, Visit};
use crate::evaluator::work::Work;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::text::value_text;

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Values of the names in their order, and what a finder says of them.
type Found = (Vec<(Name, Value)>, Claim);

/// What came of a valuation that a finder found.
enum Judged {
    /// It was reported, if it is a solution, and whether to go on.
    Reported(ControlFlow<()>),
    /// Evaluation cannot tell.
    Open,
}

/// Called with values of the names in their order, and whether they satisfy the predicates or make one
/// ill-defined.
pub(crate) type Bound<'v> = &'v mut dyn FnMut(Vec<(Name, Value)>, Eval<()>) -> Flow;

impl Evaluator<'_> {
    /// Calls `found` for each binding that satisfies all predicates, and for those under which one is
    /// ill-defined. Who finds them is said in [`crate::constraint::methods`].
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
        // Where the work is bounded from outside, nobody else is asked.
        let is_asked = self.finder.is_some_and(|finder| finder.is_worth_asking(names));
        if !is_asked || self.work.is_some() || self.may_name_elements(preds) {
            self.note_method(Method::Exhaustion);
            return self.search(env, names, preds, at, (true, &mut known), found).0;
        }
        let partly = self.cuts.is_none();
        let has_answered = self.finder.is_some_and(|finder| finder.has_answered(names));
        let steps = if has_answered { AGAIN_STEPS } else { SEARCH_STEPS };
        let work = Work::new(steps);
        work.portion(steps);
        let quick = Evaluator { work: Some(&work), ..self.with_all_choices() };
        match quick.search(env, names, preds, at, (partly, &mut known), found) {
            (Err(e), false) if e.kind == EvalErrorKind::TooLarge => {}
            (Err(e), false) if e.kind == EvalErrorKind::Interrupted && work.is_spent() => self.proceed(at)?,
            (done, _) => {
                self.note_method(Method::Search);
                return done;
            }
        }
        let mut beyond = vec![];
        for method in Method::FINDERS {
            let mut ended = None;
            let mut all_judged = true;
            let complete = self.ask_finder(method, env, names, preds, at, &mut |candidate| {
                let bound: Vec<_> = names.iter().copied().zip(candidate.values).collect();
                // Where choices are cut, what is found beyond is no part of the bounded model, unless it is all there is.
                if !partly && !candidate.bounded {
                    beyond.push((bound, candidate.claim));
                    return GO;
                }
                match self.reported((bound, candidate.claim), env, preds, &mut known, found) {
                    Ok(Judged::Reported(ControlFlow::Continue(()))) => GO,
                    Ok(Judged::Open) => {
                        all_judged = false;
                        GO
                    }
                    Ok(Judged::Reported(flow)) => {
                        ended = Some(Ok(flow));
                        flow
                    }
                    Err(e) => {
                        ended = Some(Err(e));
                        ControlFlow::Break(())
                    }
                }
            })?;
            if let Some(flow) = ended {
                return flow;
            }
            // What cannot be judged is met again where all is searched, which says why.
            if complete && all_judged {
                self.note_method(method);
                if let Some(cuts) = self.cuts.filter(|_| !beyond.is_empty()) {
                    cuts.exceed(names);
                }
                return self.all_reported(beyond, env, preds, &mut known, found);
            }
        }
        self.note_method(Method::Exhaustion);
        match self.search(env, names, preds, at, (true, &mut known), found) {
            (Err(e), false) if e.kind == EvalErrorKind::TooLarge && !partly => {
                let flow = self.all_reported(beyond, env, preds, &mut known, found)?;
                if flow.is_break() { Ok(flow) } else { Err(e) }
            }
            (done, _) => done,
        }
    }

    fn note_method(&self, method: Method) {
        if let Some(tally) = self.tally {
            tally.note(method);
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

    /// Asks the finder; whether it knows that there are no more values.
    fn ask_finder(
        &self,
        method: Method,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        visit: Visit<'_>,
    ) -> Eval<bool> {
        let Some(finder) = self.finder else { return Ok(false) };
        let typed = names
            .iter()
            .map(|n| Ok((*n, self.type_of(*n).cloned().ok_or_else(|| self.confused(at))?)))
            .collect::<Eval<Vec<_>>>()?;
        let limit = method.solutions().min(self.limits.branching);
        let question =
            Question { method, env, scope: self.scope, unknowns: &typed, predicates: preds, limit };
        Ok(finder.find(&question, visit).unwrap_or(false))
    }

    fn all_reported(
        &self,
        all: Vec<Found>,
        env: &Env<'_>,
        preds: &[&Pred],
        known: &mut BTreeSet<Vec<(Name, Value)>>,
        found: Bound<'_>,
    ) -> Flow {
        for one in all {
            if let Judged::Reported(ControlFlow::Break(())) = self.reported(one, env, preds, known, found)? {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(GO)
    }

    /// Reports what a finder found, if it is not known already and evaluation says so: the predicates are evaluated.
    ///
    /// # Errors
    /// Those of `found`, and [`EvalErrorKind::Refuted`] where a predicate that holds by what the finder says is false.
    fn reported(
        &self,
        (bound, claim): Found,
        env: &Env<'_>,
        preds: &[&Pred],
        known: &mut BTreeSet<Vec<(Name, Value)>>,
        found: Bound<'_>,
    ) -> Eval<Judged> {
        if known.contains(&bound) {
            return Ok(Judged::Reported(GO));
        }
        let frame = env.frame(&bound);
        let inner = env.within(&frame);
        let mut truth = Ok(true);
        let mut at = Span::default();
        for pred in preds {
            (truth, at) = (self.pred(&inner, pred), pred.span);
            if !matches!(truth, Ok(true)) {
                break;
            }
        }
        let truth = match truth {
            Ok(true) => Ok(()),
            Ok(false) if claim == Claim::Holds => return Err(self.refuted(&bound, at)),
            Ok(false) => return Ok(Judged::Reported(GO)),
            Err(e) if e.kind == EvalErrorKind::IllDefined => Err(e),
            Err(e) if matches!(e.kind, EvalErrorKind::Interrupted | EvalErrorKind::Refuted) => return Err(e),
            Err(_) => return Ok(Judged::Open),
        };
        known.insert(bound.clone());
        found(bound, truth).map(Judged::Reported)
    }

    fn refuted(&self, bound: &[(Name, Value)], at: Span) -> EvalError {
        let value = |(name, value): &(Name, Value)| {
            let declared = self.declared(*name).map_or("?", |d| d.name.as_str());
            format!("{declared} = {}", value_text(self.model, self.scope, value))
        };
        let values: Vec<String> = bound.iter().map(value).collect();
        let values = values.join(" & ");
        EvalError::refuted(
            at,
            format!("a solver says that this holds of {values}, and evaluation that it does not"),
        )
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
