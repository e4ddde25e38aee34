//! The search of a model's states: reachability in the transition system of its machine, with what the states mean.
//!
//! `problem` is what is searched. The `verifier` makes ready and is told what the search meets: `judging` asks the reference
//! evaluator about states that are not known to be good, `findings` keeps what is wrong or missing, `constants` finds the
//! valuations that it begins with, and `auditing` holds some states against the reference. `limits` are looked at now and
//! then, as a `schedule` says; `aside` puts a search into a `checkpoint` and continues it. `visit` is one search from beginning to end. `answer` makes the report, with a
//! `witness` of each violation, and `dropped` weighs it against what a refinement left out; `rounds` say how
//! often and how widely choices with too many values are looked at; `coverage` counts what was visited.
//! `reduction` is what a search does where symmetric states are searched once, `partial` where the order of events does not matter.

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
