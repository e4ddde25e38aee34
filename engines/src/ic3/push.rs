//! Lemma push: lemmas move to later frames as long as they hold there, and two equal frames end the search.

use bsym_encodings::session::SolverError;

use super::queries::{Query, Question};
use super::search::{End, Search};
use crate::invariants::cube::Cube;
use crate::outcome::Work;
use crate::problem::Problem;

impl Search {
    /// Moves lemmas to the next frame where they still hold.
    pub(super) fn push(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<End>, SolverError> {
        for frame in 1..self.frames.last() {
            for cube in self.frames.cubes(frame).to_vec() {
                if let Err(stopped) = work.check() {
                    return Ok(Some(End::Over(stopped)));
                }
                let question = Question::Into(&cube, frame);
                let answer = self.ask(problem, work, question, cube.clone(), |search, problem, work| {
                    search.steps.consecution(problem, None, &cube, frame, work)
                })?;
                if let Query::Unsat(_) = answer.query {
                    self.frames.remove(frame, &cube);
                    self.steps.learn(problem, &cube, frame + 1)?;
                    let domain = &self.abstraction.domain;
                    self.frames.block(cube, frame + 1, &|a, b| domain.subsumes(a, b));
                }
            }
        }
        Ok(None)
    }

    /// The lemmas of the first frame that equals the next one. The last frame equals p when it has no
    /// lemma of its own, and then p alone is inductive, because no violating step leaves it.
    pub(super) fn converged(&self) -> Option<Vec<Cube>> {
        (1..=self.frames.last())
            .find(|&i| self.frames.cubes(i).is_empty())
            .map(|i| self.frames.blocked_in(i + 1).cloned().collect())
    }
}
