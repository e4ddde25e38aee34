//! The solutions of predicates: found by search, and by the finder where the search gives up.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bsym_language::model::Pred;
use bsym_language::source::Span;

use crate::constraint::methods::{Method, TURNS, TURNS_AGAIN, Turn};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::finder::{Candidate, Claim, Question, Visit};
use crate::evaluator::work::Work;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::text::value_text;

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Values of the names in their order, and the finder's claim about them.
type Found = (Vec<(Name, Value)>, Claim);

/// Answer of a finder that was asked while a search was suspended.
struct Answer {
    turn: Turn,
    candidates: Vec<Candidate>,
    /// `true` if these are all values; an error where the question could not be asked.
    complete: Eval<bool>,
}

impl Answer {
    fn is_complete(&self) -> bool {
        self.complete == Ok(true)
    }

    /// Returns whether the question was asked in full, so that larger limits would hardly change the answer.
    fn is_final(&self) -> bool {
        self.complete.is_ok() && self.candidates.len() < self.turn.solutions
    }
}

/// A search that is suspended after some steps to ask a finder, and continues where the finder does not know all
/// values: no work of the search is repeated.
struct Turns {
    work: Work,
    /// The turns in their order, and the position of the next one.
    turns: &'static [Turn],
    next: Cell<usize>,
    /// Answers so far.
    answers: RefCell<Vec<Answer>>,
}

impl Turns {
    fn new(turns: &'static [Turn]) -> Turns {
        let work = Work::new(u64::MAX);
        work.portion(turns.first().map_or(u64::MAX, |turn| turn.searched));
        Turns { work, turns, next: Cell::new(0), answers: RefCell::default() }
    }

    /// Asks the method of the next turn. Returns whether the search continues.
    fn go_on(&self, ask: &mut dyn FnMut(Turn, Visit<'_>) -> Eval<bool>) -> bool {
        let Some(turn) = self.turns.get(self.next.get()).filter(|_| !self.is_answered()) else {
            return false;
        };
        self.next.set(self.next.get() + 1);
        // A method that knew all values and did not finish would not finish again.
        if !self.has_tried(turn.method) {
            let mut candidates = vec![];
            let complete = ask(*turn, &mut |candidate| {
                candidates.push(candidate);
                GO
            });
            self.answers.borrow_mut().push(Answer { turn: *turn, candidates, complete });
        }
        if self.is_answered() {
            return false;
        }
        self.work.portion(self.turns.get(self.next.get()).map_or(u64::MAX, |turn| turn.searched));
        true
    }

    /// Lets the search continue without asking another method.
    fn go_on_alone(&self) -> bool {
        self.work.portion(u64::MAX);
        true
    }

    fn is_answered(&self) -> bool {
        self.answers.borrow().last().is_some_and(Answer::is_complete)
    }

    fn has_tried(&self, method: Method) -> bool {
        self.answers.borrow().iter().any(|answer| answer.turn.method == method && answer.is_final())
    }

    fn all_asked(&self) -> bool {
        self.next.get() == self.turns.len()
    }

    /// Returns the last turn of each method with its answer, if it gave one.
    fn into_rest(self) -> Vec<(Turn, Option<Answer>)> {
        let mut answers = self.answers.into_inner();
        let last = |method| self.turns.iter().rev().find(|turn| turn.method == method).copied();
        let of = |method: Method| {
            let turn = last(method)?;
            let is_last = self.turns[..self.next.get()].contains(&turn);
            let at = answers
                .iter()
                .rposition(|a| a.turn.method == method && (is_last || a.is_complete() || a.is_final()));
            Some((turn, at.map(|at| answers.swap_remove(at))))
        };
        Method::FINDERS.into_iter().filter_map(of).collect()
    }
}

/// Result of judging a valuation that a finder found.
enum Judged {
    /// It was reported if it is a solution. Tells whether to continue.
    Reported(ControlFlow<()>),
    /// Evaluation cannot decide.
    Open,
}

/// Called with values of the names in their order, and whether they satisfy the predicates or make one
/// ill-defined.
pub(crate) type Bound<'v> = &'v mut dyn FnMut(Vec<(Name, Value)>, Eval<()>) -> Flow;

impl Evaluator<'_> {
    /// Calls `found` for each binding that satisfies all predicates, and for those under which one is ill-defined. The
    /// methods that find them are described in [`crate::constraint::methods`].
    ///
    /// # Errors
    /// Bindings may be missing; those found are solutions. Errors of `found`.
    pub(crate) fn each_solution(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        found: Bound<'_>,
    ) -> Flow {
        if let Some(flow) = self.sampled_solutions(env, names, preds, at, found) {
            return flow;
        }
        let mut known = BTreeSet::new();
        // Where the caller bounds the work, no other method is asked.
        let is_asked = self.finder.is_some_and(|finder| finder.is_worth_asking(names));
        if !is_asked || self.work.is_some() || self.may_name_elements(preds) {
            self.note_method(Method::Exhaustion);
            return self.search(env, names, preds, at, (true, &mut known), found).0;
        }
        let partly = self.choosing.cuts.is_none();
        let has_answered = self.finder.is_some_and(|finder| finder.has_answered(names));
        let turns = Turns::new(if has_answered { &TURNS_AGAIN } else { &TURNS });
        let reported = Cell::new(0);
        let found: Bound<'_> = &mut |bound, truth| {
            reported.set(reported.get() + 1);
            found(bound, truth)
        };
        let ask = |turn: Turn, visit: Visit<'_>| self.ask_finder(turn, env, names, preds, at, visit);
        let go_on = || match self.impatient && reported.get() >= Tuning::DEFAULT.methods.many {
            true => turns.go_on_alone(),
            false => turns.go_on(&mut |turn, visit| ask(turn, visit)),
        };
        let quick = Evaluator { work: Some(&turns.work), go_on: Some(&go_on), ..self.with_all_choices() };
        match quick.search(env, names, preds, at, (partly, &mut known), found) {
            (Err(e), false) if e.kind == EvalErrorKind::TooLarge => {
                if self.impatient && reported.get() >= Tuning::DEFAULT.methods.many {
                    return Err(e);
                }
            }
            (Err(e), false) if e.kind == EvalErrorKind::Interrupted && turns.work.is_spent() => {
                self.proceed(at)?;
            }
            (done, _) => {
                self.note_method(if turns.all_asked() { Method::Exhaustion } else { Method::Search });
                return done;
            }
        }
        let mut beyond = vec![];
        for (turn, answer) in turns.into_rest() {
            let mut ended = None;
            let mut all_judged = true;
            let mut visit = |candidate: Candidate| {
                let bound: Vec<_> = names.iter().copied().zip(candidate.values).collect();
                // Where choices are cut, values beyond the cut do not belong to the bounded model, unless they are all
                // there are.
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
            };
            let complete = match answer {
                Some(Answer { candidates, complete, .. }) => {
                    candidates.into_iter().try_for_each(visit).is_continue() && complete.unwrap_or(false)
                }
                None => ask(turn, &mut visit).unwrap_or(false),
            };
            if let Some(flow) = ended {
                return flow;
            }
            // Values that cannot be judged are met again in the exhaustive search, which reports why.
            if complete && all_judged {
                self.note_method(turn.method);
                if let Some(cuts) = self.choosing.cuts.filter(|_| !beyond.is_empty()) {
                    cuts.exceed(names);
                }
                return self.all_reported(beyond, env, preds, &mut known, found);
            }
        }
        if self.gives_up {
            let message = format!("the values of {} were not found", self.names_in_words(names));
            return Err(EvalError::too_large(at, message).for_want_of(names.iter().copied()));
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

    /// Searches as [`Evaluator::each_solution`], without a finder.
    pub(super) fn search_alone(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
        found: Bound<'_>,
    ) -> Flow {
        let alone = Evaluator { finder: None, ..*self };
        alone.search(env, names, preds, at, (true, &mut BTreeSet::new()), found).0
    }

    fn note_method(&self, method: Method) {
        if let Some(tally) = self.tally {
            tally.note(method);
        }
    }

    /// Searches by propagation; bindings in `known` are not reported again. Where not all can be found, `partly`
    /// decides whether some are reported or none are looked for. Also returns whether an error comes from the callback.
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

    /// Asks the finder. Returns whether it knows that there are no more values.
    ///
    /// # Errors
    /// The reason why the question cannot be asked.
    fn ask_finder(
        &self,
        Turn { method, writing, solutions, .. }: Turn,
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
        let patience = match (self.impatient, self.gives_up) {
            (true, _) => Tuning::DEFAULT.methods.many,
            (false, true) => Tuning::DEFAULT.methods.draft_solutions,
            (false, false) => usize::MAX,
        };
        let limit = solutions.min(self.limits.branching).min(patience);
        let question =
            Question { method, writing, env, scope: self.scope, unknowns: &typed, predicates: preds, limit };
        finder.find(&question, visit)
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

    /// Reports a valuation that a finder found, if it is new and evaluation of the predicates confirms it.
    ///
    /// # Errors
    /// Errors of `found`, and [`EvalErrorKind::Refuted`] where the finder claims that a predicate holds which is false.
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

    /// Completes a binding: unbound names get some value of their type.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Tuning;

    /// Lets a search take all its turns. Returns the methods asked, each with its limit, and whether the search
    /// continues to its end.
    fn ask_all(answer: &dyn Fn(Turn) -> Eval<bool>) -> (Vec<(Method, u64)>, bool) {
        let turns = Turns::new(&TURNS);
        let mut asked = vec![];
        let mut goes_on = true;
        for _ in 0..TURNS.len() {
            goes_on = turns.go_on(&mut |turn, _| {
                asked.push((turn.method, turn.writing));
                answer(turn)
            });
        }
        (asked, goes_on)
    }

    #[test]
    fn what_was_too_much_to_write_out_is_asked_later_and_what_did_not_end_is_not() {
        let too_much = |_| Err(EvalError::too_large(Span::default(), "too much"));
        let (sat, smt) = (Method::Sat, Method::Smt);
        let all = vec![
            (sat, Tuning::DEFAULT.methods.draft_steps),
            (sat, Tuning::DEFAULT.methods.writing_steps),
            (smt, Tuning::DEFAULT.methods.writing_steps),
        ];
        assert_eq!(ask_all(&too_much), (all, true));
        assert_eq!(
            ask_all(&|_| Ok(false)),
            (
                vec![
                    (sat, Tuning::DEFAULT.methods.draft_steps),
                    (smt, Tuning::DEFAULT.methods.writing_steps)
                ],
                true
            )
        );
        assert_eq!(ask_all(&|_| Ok(true)), (vec![(sat, Tuning::DEFAULT.methods.draft_steps)], false));
    }

    #[test]
    fn a_search_that_ends_early_leaves_the_questions_that_were_not_put() {
        let turns = Turns::new(&TURNS);
        turns.go_on(&mut |_, _| Err(EvalError::too_large(Span::default(), "too much")));
        let rest: Vec<_> =
            turns.into_rest().into_iter().map(|(turn, answer)| (turn, answer.is_some())).collect();
        assert_eq!(rest, [(TURNS[1], false), (TURNS[2], false)]);
        let turns = Turns::new(&TURNS);
        turns.go_on(&mut |_, _| Ok(false));
        let rest: Vec<_> =
            turns.into_rest().into_iter().map(|(turn, answer)| (turn, answer.is_some())).collect();
        assert_eq!(rest, [(TURNS[1], true), (TURNS[2], false)]);
    }
}
