//! One search of a model's states, from its beginning to its end.

use bsym_language::model::EventId;

use super::constants::Valuations;
use super::problem::Problem;
use super::rounds::{Course, Next, Round};
use super::verifier;
use super::whole::Whole;
use bsym_semantics::verdict::Observer;

use crate::options::SearchOptions;
use crate::partial_order::PartialOrder;
use crate::partial_order::stubborn::Choice;
use crate::report::{Progress, SearchReport};
use crate::session::with_session;

/// The order of the events of a model that are instances of those of another one.
pub(super) struct Instantiated<'i, 'm> {
    /// The order.
    pub(super) order: &'i PartialOrder<'m>,
    /// The other model.
    pub(super) whole: Problem<'m>,
    /// The event of each instance.
    pub(super) events: &'m [EventId],
}

/// A search, and the kind of round that follows it.
pub(super) struct Visited {
    pub(super) report: SearchReport,
    pub(super) next: Next,
}

/// Searches the states of a model, with valuations that were found before if they are given. With an order of events, a
/// sufficient subset of them is taken.
pub(super) fn visit_states(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer<Progress>,
    valuations: Option<Valuations>,
    reduced: Option<&Instantiated<'_, '_>>,
    round: Round,
) -> Visited {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let mut search = verifier::prepare(session, valuations, (options, round), observer);
        if let Some(Instantiated { order, whole, events }) = reduced {
            let first = search.reached.system.add_literals(&order.literals);
            search.reached.system.choice = Some(Choice::new(order.relations.clone(), first));
            search.visitor.whole = Some(Whole { eval: session.audited(whole), events });
        }
        session.watched(|threads| {
            // If the states met before decide which one is searched, a single thread meets them. So it does if all
            // events are evaluated before some are taken.
            let alone = search.is_stateful() || reduced.is_some();
            search.start_workers(threads, if alone { 1 } else { options.threads }, options.share_all);
            search.run();
            // The workers end with it.
            search.end();
        });
        let sampled = search.reached.system.sampled.has_any() || search.visitor.sampled_constants;
        let course = std::mem::replace(&mut search.visitor.course, Course::new(Round::WHOLE));
        let mut report = search.report();
        report.statistics.found_by = session.tally.answered();
        Visited { next: course.next(sampled, &report), report }
    })
}
