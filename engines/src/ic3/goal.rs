//! Proof goals: cubes that must be blocked, in a queue that takes those of the first frames first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bsym_encodings::session::SolverError;
use bsym_language::model::EventId;

use super::abstract_path::Goal;
use super::queries::{Query, Question};
use super::search::{End, Search};
use crate::invariants::cube::Cube;
use crate::outcome::Work;
use crate::problem::Problem;

impl Search {
    /// Blocks a goal and everything that leads to it. `None` when it is done, or to begin the frame again.
    pub(super) fn block(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: Goal,
    ) -> Result<Option<End>, SolverError> {
        let mut goals = BinaryHeap::from([Reverse(first)]);
        while let Some(Reverse(goal)) = goals.pop() {
            if let Err(stopped) = work.check() {
                return Ok(Some(End::Over(stopped)));
            }
            let last = self.frames.last();
            let domain = &self.abstraction.domain;
            let blocked = self.frames.contains(&goal.cube, goal.frame, &|a, b| domain.subsumes(a, b));
            if let Some(frame) = blocked {
                if frame < last {
                    goals.push(Reverse(Goal { frame: frame + 1, ..goal }));
                }
                continue;
            }
            let cube = goal.cube.clone();
            let question = Question::Initially(&cube);
            let answer = self.ask(problem, work, question, cube.clone(), |search, problem, work| {
                search.steps.initial(problem, &cube, work)
            })?;
            match answer.query {
                Query::Sat(_) => {
                    // The rest of the queue speaks of predicates that may no longer suffice.
                    let all: Vec<Goal> = goals.into_iter().map(|g| g.0).chain([goal]).collect();
                    return Ok(Some(End::Reached(all)));
                }
                Query::Unknown(reason) => {
                    let what = "a cube against the initialisation";
                    return self.undecided(problem, work, reason, what);
                }
                Query::Unsat(_) => {}
            }
            let frame = goal.frame - 1;
            let question = Question::Into(&cube, frame);
            let answer = self.ask(problem, work, question, cube.clone(), |search, problem, work| {
                search.steps.consecution(problem, Some(&mut search.abstraction), &cube, frame, work)
            })?;
            match answer.query {
                Query::Unsat(core) => {
                    let lemma = match answer.is_deduced {
                        true => self.generalise_deduced(problem, work, &cube, frame)?,
                        false => self.steps.generalise(problem, &cube, core, frame, work)?,
                    };
                    let frame = self.learn_late(problem, work, lemma, goal.frame)?;
                    if frame < last {
                        goals.push(Reverse(Goal { frame: frame + 1, ..goal }));
                    }
                }
                Query::Sat(found) => {
                    let mut events: Vec<EventId> = found.event.into_iter().collect();
                    events.extend(&goal.events);
                    let before = Goal {
                        frame: goal.frame - 1,
                        distance: goal.distance + 1,
                        cube: found.cube,
                        events,
                        met: found.met,
                    };
                    if before.frame == 0 {
                        // The predecessor is an initial state.
                        let all: Vec<Goal> = goals.into_iter().map(|g| g.0).chain([goal, before]).collect();
                        return Ok(Some(End::Reached(all)));
                    }
                    goals.push(Reverse(before));
                    goals.push(Reverse(goal));
                }
                Query::Unknown(reason) => {
                    return self.undecided(problem, work, reason, "consecution of a cube");
                }
            }
        }
        Ok(None)
    }

    /// Learns a lemma of a frame in the last frame in which it holds as well. Returns that.
    fn learn_late(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        lemma: Cube,
        mut frame: usize,
    ) -> Result<usize, SolverError> {
        while frame < self.frames.last()
            && matches!(self.steps.consecution(problem, None, &lemma, frame, work)?, Query::Unsat(_))
        {
            frame += 1;
        }
        self.learn(problem, work.job, lemma, frame, work.observer)?;
        Ok(frame)
    }
}
