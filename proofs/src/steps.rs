//! Sequents of predicates about the states and the steps of a machine: the input of their first-order form.
//!
//! A step is the paths through its substitution ([`paths`](crate::paths)), each a sequent of its own. Their negations
//! together are unsatisfiable exactly if the sequent in terms of arrays is, so either form may stand for the other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::{Goal, Lowered, Selection, Sequent, lower};
use bsym_encodings::session::SolverError;
use bsym_encodings::system::{Failure, FailureKind, System};
use bsym_language::model::paths::Path;
use bsym_language::model::{EventId, Model, Pred};
use bsym_semantics::scope::Scope;
use bsym_status::{Check, Formula};

use crate::claim::check_of;
use crate::paths::{Paths, paths};
use crate::recorded::Recorded;
use crate::sequent::{Decision, Prover};
use crate::tuning::tuning;

/// Makes sequents about a machine.
#[derive(Debug)]
pub struct Steps<'m> {
    model: &'m Model,
    axioms: Vec<Pred>,
    /// Paths that were computed, by event.
    paths: RefCell<BTreeMap<Option<EventId>, Option<Rc<Paths>>>>,
}

impl<'m> Steps<'m> {
    /// Makes a generator without computed paths.
    pub fn new(model: &'m Model) -> Self {
        let axioms = model.axioms.iter().map(|c| c.pred.clone()).collect();
        Steps { model, axioms, paths: RefCell::default() }
    }

    /// Returns the paths of an event (`None`: the initialisation); `None` if they cannot be listed.
    pub(crate) fn paths(&self, event: Option<EventId>) -> Option<Rc<Paths>> {
        let mut known = self.paths.borrow_mut();
        known.entry(event).or_insert_with(|| paths(self.model, event).map(Rc::new)).clone()
    }

    /// Returns the sequent stating that a goal holds in all states that satisfy the axioms and `known`.
    pub fn in_state(&self, known: &[Pred], goal: Goal) -> Sequent {
        let hypotheses = self.axioms.iter().chain(known).cloned().collect();
        Sequent { hypotheses, defined: vec![], goal }
    }

    /// Returns the sequents stating that a predicate is well-defined and true after an event wherever `before` is true
    /// before it, and `after` after it. There is one for each path; `None` if the event has no paths.
    pub fn after(
        &self,
        event: Option<EventId>,
        before: &[Pred],
        after: &[Pred],
        goal: &Pred,
    ) -> Option<Vec<Sequent>> {
        Some(self.goal_after(&*self.paths(event)?, before, after, goal))
    }

    /// As [`after`](Self::after) for the last of several steps. All states before it satisfy `known`.
    pub fn after_all(
        &self,
        steps: &[Option<EventId>],
        known: &[Pred],
        after: &[Pred],
        goal: &Pred,
    ) -> Option<Vec<Sequent>> {
        let (paths, before) = self.along(steps, known)?;
        Some(self.goal_after(&paths, before, after, goal))
    }

    fn goal_after(&self, paths: &Paths, before: &[Pred], after: &[Pred], goal: &Pred) -> Vec<Sequent> {
        let each = paths.ends.iter().map(|end| {
            let mut sequent = self.at(before, end, Goal::Meant(end.values.in_pred(goal)));
            sequent.hypotheses.extend(after.iter().map(|p| end.values.in_pred(p)));
            sequent
        });
        each.collect()
    }

    /// Returns the sequents stating that an event does not fail in any of these ways wherever `before` is true. There
    /// is one for each place on a path where it might; `None` if the paths lack one of these ways.
    pub fn without_failure<'f>(
        &self,
        event: Option<EventId>,
        before: &[Pred],
        failures: impl IntoIterator<Item = &'f Failure>,
    ) -> Option<Vec<Sequent>> {
        self.nothing_fails(&*self.paths(event)?, before, failures)
    }

    /// As [`without_failure`](Self::without_failure) for the last of several steps. All states before it satisfy
    /// `known`.
    pub fn without_failure_after<'f>(
        &self,
        steps: &[Option<EventId>],
        known: &[Pred],
        failures: impl IntoIterator<Item = &'f Failure>,
    ) -> Option<Vec<Sequent>> {
        let (paths, before) = self.along(steps, known)?;
        self.nothing_fails(&paths, before, failures)
    }

    fn nothing_fails<'f>(
        &self,
        paths: &Paths,
        before: &[Pred],
        failures: impl IntoIterator<Item = &'f Failure>,
    ) -> Option<Vec<Sequent>> {
        let mut all = vec![];
        for failure in failures {
            let known = all.len();
            let here = paths.required.iter().filter(|r| (r.kind, r.span) == (failure.kind, failure.span));
            all.extend(here.map(|required| {
                let goal = match required.kind {
                    FailureKind::IllDefined => Goal::Defined(required.pred.clone()),
                    _ => Goal::Holds(required.pred.clone()),
                };
                self.at(before, &required.at, goal)
            }));
            if all.len() == known {
                return None;
            }
        }
        Some(all)
    }

    /// Returns all sequences of `number` events, from an initial state or from any, and then `last`, as
    /// [`after_all`](Self::after_all) takes them; `None` if there are too many of them.
    pub fn sequences(
        &self,
        from_initial: bool,
        number: usize,
        last: Option<EventId>,
    ) -> Option<Vec<Vec<Option<EventId>>>> {
        let events = self.model.events.len();
        events.checked_pow(u32::try_from(number).ok()?).filter(|&all| all <= tuning().paths.sequences)?;
        let mut all: Vec<Vec<Option<EventId>>> = vec![from_initial.then_some(None).into_iter().collect()];
        let each = |events: usize| (0..events as u32).map(|e| Some(EventId(e)));
        for _ in 0..number {
            all = all.iter().flat_map(|s| each(events).map(move |e| [&s[..], &[e]].concat())).collect();
        }
        if let Some(last) = last {
            all.iter_mut().for_each(|sequence| sequence.push(Some(last)));
        }
        Some(all)
    }

    /// Returns the paths of the last of several steps, of which only the first may be the initialisation (`None`), and
    /// the hypotheses about the state before them.
    fn along<'k>(&self, steps: &[Option<EventId>], known: &'k [Pred]) -> Option<(Paths, &'k [Pred])> {
        let (first, rest) = steps.split_first()?;
        let mut paths = Paths::clone(&*self.paths(*first)?);
        for &event in rest {
            paths = paths.then(self.model, event?, known)?;
        }
        Some((paths, if first.is_some() { known } else { &[] }))
    }

    /// Returns the sequents of a recorded status; `None` if it has no such form. `after` is known to be true after the
    /// step that it is about.
    pub fn recorded(&self, system: &System, said: Recorded, after: &[Pred]) -> Option<Vec<Sequent>> {
        let model = self.model;
        let invariant = |n: usize| model.invariant[..n].iter().map(|c| c.pred.clone()).collect::<Vec<Pred>>();
        let all = model.invariant.len();
        let before = |event: Option<EventId>| invariant(if event.is_some() { all } else { 0 });
        match said {
            Recorded::Pair((event, i)) => self.after(event, &before(event), after, &model.invariant[i].pred),
            Recorded::Check(check @ Check::Step(event, _)) => {
                let transition = match event {
                    Some(e) => &system.events[e.index()],
                    None => &system.initialisation,
                };
                let failures = transition.failures.iter().filter(|f| check_of(event, f) == Some(check));
                self.without_failure(event, &before(event), failures)
            }
            Recorded::Check(Check::Meaning(formula)) => {
                let (known, p) = match formula {
                    Formula::Invariant(i) => (invariant(i), &model.invariant[i].pred),
                    Formula::Assertion(i) => (invariant(all), &model.assertions[i].pred),
                };
                Some(vec![self.in_state(&known, Goal::Defined(p.clone()))])
            }
            Recorded::Check(Check::Theorem(i)) => {
                let goal = Goal::Meant(model.assertions[i].pred.clone());
                Some(vec![self.in_state(&invariant(all), goal)])
            }
        }
    }

    /// A sequent at the end of a path.
    pub(crate) fn at(&self, before: &[Pred], path: &Path, goal: Goal) -> Sequent {
        let hypotheses = self.axioms.iter().chain(before).chain(&path.guard).cloned().collect();
        Sequent { hypotheses, defined: path.evaluated.clone(), goal }
    }
}

/// Returns the parts of sequents in first-order logic, which have to be refuted one by one; `None` if a sequent has no
/// such form.
pub fn parts(model: &Model, scope: &Scope, sequents: &[Sequent]) -> Option<Vec<Lowered>> {
    let mut parts = vec![];
    for sequent in sequents {
        parts.extend(lower(model, scope, sequent, Selection::All).ok()?);
    }
    Some(parts)
}

impl Prover<'_> {
    /// Tries to prove sequents in first-order logic. [`Decision::Refuted`] is as in [`Prover::refute`]: nothing is
    /// known, and more time is of no use, since there is no such form or something does not follow in it.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn prove_in_first_order(
        &mut self,
        model: &Model,
        scope: &Scope,
        sequents: &[Sequent],
        budget: &Budget,
    ) -> Result<Decision, SolverError> {
        let Some(parts) = parts(model, scope, sequents) else { return Ok(Decision::Refuted) };
        for Lowered { terms, assertions, .. } in &parts {
            match self.refute(terms, assertions, budget)? {
                Decision::Proved => {}
                open => return Ok(open),
            }
        }
        Ok(Decision::Proved)
    }
}

#[cfg(test)]
mod tests;
