//! Search of a model's states: reachability in the transition system of its machine, with the meaning of the states.
//!
//! `problem` is a model in a scope. The `verifier` prepares the search and is told what it meets: `judging` asks the
//! reference evaluator about states that are not known to be good, `findings` keeps violations and gaps, `constants`
//! finds the valuations that the search begins with, and `auditing` compares some states with the reference. `limits`
//! are checked from time to time, as a `schedule` says; `aside` suspends a search into a `checkpoint` and resumes it.
//! `visit` is one search from beginning to end. `answer` makes the report, with a `witness` of each violation, and
//! `dropped` weighs it against the parts that a refinement left out; `rounds` decide how often and how widely choices
//! with too many values are sampled; `coverage` counts visited states. `reduction` is for searches in which symmetric
//! states are searched once, `partial` for those in which the order of events does not matter.

mod answer;
mod aside;
pub(crate) mod auditing;
mod checkpoint;
pub(crate) mod constants;
mod coverage;
pub(crate) mod dropped;
pub(crate) mod findings;
mod judging;
mod left_out;
mod limits;
mod partial;
mod problem;
mod reduction;
mod rounds;
mod schedule;
pub(crate) mod verifier;
mod visit;
mod whole;
pub(crate) mod witness;

use std::time::Instant;

use crate::options::SearchOptions;
use crate::report::{Progress, SearchReport};
use bsym_semantics::verdict::Observer;
pub use problem::Problem;
use rounds::{Next, Round};
use visit::{Visited, visit_states};

/// Searches the states of a model.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn search(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer<Progress>,
) -> SearchReport {
    let report = visit(problem, options, observer);
    dropped::weigh(problem, options, report, &mut |problem, options| visit(problem, options, observer))
}

/// Searches the states of a model, without weighing the doubts about its counterexamples.
fn visit(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer<Progress>,
) -> SearchReport {
    if options.partial_order {
        return partial::visit(problem, options, observer);
    }
    let begin = Instant::now();
    let mut rounds = Round::of(options);
    rounds.reverse();
    while let Some(round) = rounds.pop() {
        let mut rest = options.clone();
        rest.limits.time = options.limits.time.map(|time| time.saturating_sub(begin.elapsed()));
        let Visited { report, next } = visit_states(problem, &rest, observer, None, None, round);
        match next {
            Next::Nothing => return report,
            Next::Wider => {}
            Next::Narrower => rounds = Round::narrower().into_iter().rev().collect(),
        }
    }
    unreachable!("the last round is followed by none")
}
