//! Whether lemmas that are enough in small sets are enough in sets of any size.

use std::collections::BTreeSet;

use bsym_encodings::budget::Stopped;
use bsym_encodings::first_order::Sequent;
use bsym_encodings::session::SolverError;
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::Pred;
use bsym_proofs::steps::Steps as Sequents;

use crate::first_order::{Deduced, assumed, no_failure, no_unassumed, no_violation};
use crate::ic3::queries::Steps;
use crate::invariants::guess::Needs;
use crate::outcome::Work;
use crate::paths::Start;
use crate::problem::{Decided, Problem, decide};
use crate::tuning::tuning;

/// Questions about sets of any size.
pub(crate) struct AnySize {
    steps: Steps,
    deduced: Deduced,
    /// Questions whose answer is `no`.
    impossible: BTreeSet<Vec<Term>>,
}

/// Answer about sets of any size.
pub(crate) enum Proved {
    /// All of them hold, and exclude every violating step.
    All,
    /// The one at a position is not shown to stay true.
    Not(usize),
    /// They are not shown to exclude every violating step.
    NotAll,
}

impl AnySize {
    /// Opens a session.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<AnySize, SolverError> {
        let sorts: Vec<_> = problem.system.open_carriers().into_iter().map(|(_, sort)| sort).collect();
        let steps = Steps::reading(problem, work.job, &sorts, work.open)?;
        Ok(AnySize { steps, deduced: Deduced::default(), impossible: BTreeSet::new() })
    }

    /// Asks whether some lemmas are inductive and exclude every violating step. Each question has the lemmas that are
    /// needed in small sets.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn prove(
        &mut self,
        problem: &mut Problem,
        lemmas: &[Pred],
        needs: &Needs,
        work: &mut Work<'_, '_>,
    ) -> Result<Proved, SolverError> {
        let mut all = vec![];
        for (i, pred) in lemmas.iter().enumerate() {
            let Ok(encoded) = problem.system.predicate(pred) else { return Ok(Proved::Not(i)) };
            let term = encoded.holds;
            all.push((problem.unrolling.state(term, 0), problem.unrolling.state(term, 1)));
        }
        self.steps.declare(problem, &Default::default())?;
        let now = |positions: &[usize]| positions.iter().map(|&i| all[i].0).collect::<Vec<Term>>();
        let known = |problem: &Problem, positions: &[usize], work: &Work<'_, '_>| {
            let mut known = assumed(problem, work.job);
            known.extend(positions.iter().map(|&i| lemmas[i].clone()));
            known
        };
        let mut asked = now(&needs.excluding);
        asked.push(self.steps.bad_literal());
        let before = known(problem, &needs.excluding, work);
        let job = work.job;
        let excluded = self.is_impossible(problem, &asked, work, |problem, sequents| {
            let mut all = no_violation(problem, job, sequents, &before, Start::Anywhere, 1)?;
            all.extend(no_failure(problem, sequents, &before, Start::Anywhere, 0)?);
            all.extend(no_unassumed(problem, job, sequents, &before)?);
            Some(all)
        })?;
        if !excluded {
            return Ok(Proved::NotAll);
        }
        let terms = problem.terms();
        let selectors: Vec<_> = self.steps.selectors().to_vec();
        for (i, support) in needs.supports.iter().enumerate() {
            let goal = &lemmas[i];
            let asked = [self.steps.initial_literal(), terms.not(all[i].0)];
            let initially = |_: &Problem, sequents: &Sequents<'_>| sequents.after(None, &[], &[], goal);
            if !self.is_impossible(problem, &asked, work, initially)? {
                return Ok(Proved::Not(i));
            }
            let support = [support, &[i][..]].concat();
            let before = known(problem, &support, work);
            for &(event, selector) in &selectors {
                let mut asked = now(&support);
                asked.extend([selector, terms.not(all[i].1)]);
                let after =
                    |_: &Problem, sequents: &Sequents<'_>| sequents.after(Some(event), &before, &[], goal);
                if !self.is_impossible(problem, &asked, work, after)? {
                    return Ok(Proved::Not(i));
                }
            }
        }
        Ok(Proved::All)
    }

    /// Asks a session, and first-order logic where the session does not answer soon.
    fn is_impossible(
        &mut self,
        problem: &Problem,
        asked: &[Term],
        work: &mut Work<'_, '_>,
        sequents: impl FnOnce(&Problem, &Sequents<'_>) -> Option<Vec<Sequent>>,
    ) -> Result<bool, SolverError> {
        if asked.contains(&Terms::FALSE) {
            return Ok(true);
        }
        let asked: Vec<Term> = asked.iter().copied().filter(|t| *t != Terms::TRUE).collect();
        let mut question = asked.clone();
        question.sort_unstable();
        if self.impossible.contains(&question) {
            return Ok(true);
        }
        let session = self.steps.session();
        let mut short = work.with_query(tuning().strongest.any_size);
        let is_so = match short.ask(|budget| decide(session, &asked, budget))? {
            Decided::Unsat(_) => true,
            Decided::Unknown(Stopped::Timeout | Stopped::Incomplete(_)) => {
                let time = tuning().strongest.deduced;
                self.deduced.proves_within(problem, work, time, |steps| sequents(problem, steps))?
            }
            Decided::Sat | Decided::Unknown(Stopped::Cancelled) => false,
        };
        if is_so {
            self.impossible.insert(question);
        }
        Ok(is_so)
    }
}
