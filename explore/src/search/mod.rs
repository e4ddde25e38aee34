//! The search of a model's states: reachability in the transition system of its machine, with what the states mean.
//!
//! `problem` is what is searched. The `verifier` makes ready and is told what the search meets: `judging` asks the reference
//! evaluator about states that are not known to be good, `findings` keeps what is wrong or missing, `constants` finds the
//! valuations that it begins with, and `auditing` holds some states against the reference. `limits` are looked at now and
//! then, as a `schedule` says; `aside` puts a search into a `checkpoint` and continues it. `answer` makes the report, with a
//! `witness` of each violation, and `dropped` weighs it against what a refinement left out.
//! `reduction` is what a search does where symmetric states are searched once.

mod answer;
mod aside;
pub(crate) mod auditing;
mod checkpoint;
pub(crate) mod constants;
pub(crate) mod dropped;
pub(crate) mod findings;
mod judging;
mod limits;
mod problem;
mod reduction;
mod schedule;
pub(crate) mod verifier;
pub(crate) mod witness;

use std::time::Instant;

use bsym_semantics::constraint::methods::Tally;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;

use crate::audit::{Audit, Clock};
use crate::options::SearchOptions;
use crate::report::{Observer, SearchReport};
pub use problem::Problem;

/// Searches the states of a model.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn search(problem: &Problem<'_>, options: &SearchOptions, observer: &mut dyn Observer) -> SearchReport {
    let report = visit(problem, options, observer);
    dropped::weigh(problem, options, report, &mut |problem, options| visit(problem, options, observer))
}

/// The same, whatever its counterexamples rest on.
fn visit(problem: &Problem<'_>, options: &SearchOptions, observer: &mut dyn Observer) -> SearchReport {
    let begin = Instant::now();
    let deadline = options.limits.time.and_then(|t| begin.checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let (cuts, clock, audit_cuts) = (Cuts::default(), Clock::default(), Cuts::default());
        let mut eval = problem.evaluator(interrupt, &cuts);
        let tally = Tally::default();
        eval.tally = Some(&tally);
        let reference = problem.reference(clock.flag(), &audit_cuts);
        // The reference need not be held against itself.
        let audit = (!options.reference_only)
            .then(|| Audit::new(reference, &audit_cuts, &clock, options.seed, begin));
        let mut search = verifier::prepare(eval, &cuts, audit, options, observer, begin);
        std::thread::scope(|threads| {
            // Dropped when the search is over, which ends the watch.
            let (_working, over) = std::sync::mpsc::channel::<()>();
            let clock = &clock;
            threads.spawn(move || clock.watch(begin, interrupt, &over));
            // Where the states met before decide which one is searched, one thread meets them.
            let alone = search.is_stateful();
            search.start_workers(threads, if alone { 1 } else { options.threads }, options.share_all);
            search.run();
            // The workers end with it.
            search.end();
        });
        let mut report = search.report();
        report.statistics.found_by = tally.answered();
        report
    })
}
