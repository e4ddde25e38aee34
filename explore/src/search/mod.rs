//! The search: states out of a frontier, their successors into the table, properties on what is new.
//!
//! `problem` is what is searched. `exploration` takes a search from its beginning to its end: states come out of the
//! `frontier`, `expansion` adds what they lead to, `properties` says whether what is new is known to be good,
//! `judging` asks the reference evaluator where it is not, `findings` keeps what is wrong or missing, and `auditing`
//! holds some states against the reference. With several threads, a `pool` of `worker`s expands batches of states and
//! `parallel` merges what they find. `limits` are looked at now and then, as a `schedule` says; `aside` puts a search into a
//! `checkpoint` and continues it. `answer` makes the report, with a `witness` of each violation, and `dropped`
//! weighs it against what a refinement left out.

mod answer;
mod aside;
mod auditing;
mod checkpoint;
mod dropped;
mod expansion;
mod exploration;
mod findings;
mod frontier;
mod judging;
mod limits;
mod parallel;
mod pool;
mod problem;
mod properties;
mod schedule;
mod witness;
mod worker;

use std::time::Instant;

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;

use crate::audit::{Audit, Clock};
use crate::options::SearchOptions;
use crate::report::{Observer, SearchReport};
use exploration::Search;
use pool::Pool;
pub use problem::Problem;
use worker::Ground;

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
        let mut eval = Evaluator::new(problem.model, problem.scope)
            .with_interrupt(interrupt)
            .with_bounded_choices(&cuts);
        eval.finder = problem.finder;
        let mut search = Search::new(eval, &cuts, options, begin);
        let Problem { model, scope, .. } = *problem;
        let reference =
            Evaluator::new(model, scope).with_interrupt(clock.flag()).with_bounded_choices(&audit_cuts);
        // The reference need not be held against itself.
        search.audit = (!options.reference_only)
            .then(|| Audit::new(reference, &audit_cuts, &clock, options.seed, begin));
        std::thread::scope(|threads| {
            // Dropped when the search is over, which ends the watch.
            let (_working, over) = std::sync::mpsc::channel::<()>();
            let clock = &clock;
            threads.spawn(move || clock.watch(begin, interrupt, &over));
            search.pool = Pool::start(threads, Ground { model, scope, interrupt, options, deadline });
            search.run(observer);
            // The workers end with it.
            search.dismiss();
        });
        search.report()
    })
}
