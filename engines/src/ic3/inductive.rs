//! Lemmas that are inductive by themselves: they leave the frames and hold in all of them, whatever frames come.
//!
//! Other searches and engines are told of them. Within IC3 they need not be pushed any more.

use bsym_encodings::session::SolverError;

use super::search::Search;
use crate::outcome::Work;
use crate::problem::Problem;
use crate::tuning::tuning;

impl Search {
    /// Keeps those lemmas of the last frame for good that are inductive together with the assumed conjuncts, for a
    /// share of the time. Nothing is looked for where no other engine listens: an answer of IC3 alone must not depend on
    /// the time that it takes.
    pub(super) fn keep_inductive(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<(), SolverError> {
        if !work.exchange.is_shared() {
            return Ok(());
        }
        let last = self.frames.last();
        let cubes = self.frames.cubes(last).to_vec();
        let begin = work.worked();
        let time = (begin / tuning().ic3.inductive_share).saturating_sub(self.kept_time);
        if cubes.is_empty() || time.is_zero() {
            return Ok(());
        }
        let kept = self.steps.inductive_part(problem, cubes, &mut work.within(time))?;
        self.kept_time += work.worked().saturating_sub(begin);
        let mut told = vec![];
        for cube in kept {
            let Some(lemmas) = self.said(work.job, &cube) else { continue };
            let mut is_adopted = true;
            for lemma in &lemmas {
                is_adopted &= self.steps.adopt(problem, lemma)?;
            }
            if is_adopted {
                self.frames.remove(last, &cube);
                told.extend(lemmas);
            }
        }
        work.exchange.tell_lemmas(&mut self.listener, told);
        Ok(())
    }
}
