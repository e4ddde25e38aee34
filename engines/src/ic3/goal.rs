//! Proof goals: cubes that must be blocked, in a queue that takes those of the first frames first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bsym_encodings::session::SolverError;
use bsym_language::model::EventId;

use super::frame::Cube;
use super::queries::{Met, Query};
use super::{Ic3, Search};
use crate::outcome::{Outcome, Work};
use crate::problem::Problem;

/// A cube that must be blocked up to a frame, and the way from it to a violation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Goal {
    /// The frame.
    pub frame: usize,
    /// Steps from the cube to the violation.
    pub distance: usize,
    /// The cube.
    pub cube: Cube,
    /// Events on the way, next one first; `None` where the violation itself comes next.
    pub events: Vec<EventId>,
    /// Integer values met in the cube's state.
    pub met: Vec<Met>,
}

impl Ic3 {
    /// Blocks a goal and everything that leads to it. `None` when it is done.
    pub(super) fn block(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        first: Goal,
    ) -> Result<Option<Search>, SolverError> {
        let mut goals = BinaryHeap::from([Reverse(first)]);
        while let Some(Reverse(goal)) = goals.pop() {
            if let Err(stopped) = work.slice.budget.check() {
                return Ok(Some(Search::Outcome(Outcome::Paused(stopped))));
            }
            let last = self.frames.last();
            if let Some(frame) = self.frames.contains(&goal.cube, goal.frame) {
                if frame < last {
                    goals.push(Reverse(Goal { frame: frame + 1, ..goal }));
                }
                continue;
            }
            match self.steps.initial(problem, &goal.cube, work.slice)? {
                Query::Sat(_) => {
                    // The rest of the queue speaks of predicates that may no longer suffice.
                    let all: Vec<Goal> = goals.into_iter().map(|g| g.0).chain([goal]).collect();
                    return self.refine(problem, work, &all);
                }
                Query::Unknown(reason) => {
                    return Ok(Some(self.stopped(work.slice, reason, "a cube against the initialisation")));
                }
                Query::Unsat(_) => {}
            }
            match self.steps.consecution(
                problem,
                self.predicates.all(),
                &goal.cube,
                goal.frame - 1,
                work.slice,
            )? {
                Query::Unsat(core) => {
                    let lemma =
                        self.steps.generalise(problem, &goal.cube, core, goal.frame - 1, work.slice)?;
                    let mut frame = goal.frame;
                    while frame < last
                        && matches!(
                            self.steps.consecution(problem, &[], &lemma, frame, work.slice)?,
                            Query::Unsat(_)
                        )
                    {
                        frame += 1;
                    }
                    self.learn(problem, work.job, lemma, frame, work.observer)?;
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
                        return self.refine(problem, work, &all);
                    }
                    goals.push(Reverse(before));
                    goals.push(Reverse(goal));
                }
                Query::Unknown(reason) => {
                    return Ok(Some(self.stopped(work.slice, reason, "consecution of a cube")));
                }
            }
        }
        Ok(None)
    }
}
