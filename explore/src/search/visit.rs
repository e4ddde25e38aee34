//! One search of a model's states, from its beginning to its end.

use std::time::Instant;

use bsym_language::model::EventId;
use bsym_semantics::constraint::methods::Tally;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::verdict::Observer;

use super::constants::Valuations;
use super::problem::Problem;
use super::rounds::{Course, Next, Round};
use super::verifier;
use super::whole::Whole;
use crate::audit::{Audit, Clock};
use crate::options::SearchOptions;
use crate::partial_order::PartialOrder;
use crate::report::{Progress, SearchReport};

/// The order of the events of a model that are instances of those of another one.
pub(super) struct Instantiated<'i, 'm> {
    /// The order.
    pub(super) order: &'i PartialOrder<'m>,
    /// The other model.
    pub(super) whole: Problem<'m>,
    /// Of each instance its event.
    pub(super) events: &'m [EventId],
}

/// A search, and whether other rounds of it are to say more.
pub(super) struct Visited {
    pub(super) report: SearchReport,
    pub(super) next: Next,
}

/// Searches the states of a model, with valuations that were found before if they are given; with an order of events as few of
/// them are taken as are enough.
pub(super) fn visit_states(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer<Progress>,
    valuations: Option<Valuations>,
    reduced: Option<&Instantiated<'_, '_>>,
    round: Round,
) -> Visited {
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
        let mut search = verifier::prepare(eval, &cuts, valuations, audit, (options, round), observer, begin);
        if let Some(Instantiated { order, whole, events }) = reduced {
            search.reached.system.reduce_by(order);
            let eval = whole.reference(clock.flag(), &audit_cuts);
            search.visitor.whole = Some(Whole { eval, events });
        }
        std::thread::scope(|threads| {
            // Dropped when the search is over, which ends the watch.
            let (_working, over) = std::sync::mpsc::channel::<()>();
            let clock = &clock;
            threads.spawn(move || clock.watch(begin, interrupt, &over));
            // Where the states met before decide which one is searched, one thread meets them; so it does where
            // all events are looked at before some are taken.
            let alone = search.is_stateful() || reduced.is_some();
            search.start_workers(threads, if alone { 1 } else { options.threads }, options.share_all);
            search.run();
            // The workers end with it.
            search.end();
        });
        let sampled = search.reached.system.has_sampled() || search.visitor.sampled_constants;
        let course = std::mem::replace(&mut search.visitor.course, Course::new(Round::WHOLE));
        let mut report = search.report();
        report.statistics.found_by = tally.answered();
        Visited { next: course.next(sampled, &report), report }
    })
}
