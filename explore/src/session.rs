//! A session with a model: the setup and the limits that all searches, visits and walks share.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::Scope as Threads;
use std::time::{Duration, Instant};

use bsym_language::model::ConstId;
use bsym_semantics::constraint::methods::Tally;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Observer, Reason};

use crate::audit::{Audit, Clock};
use crate::compile::context::Stop;
use crate::options::Limits;
use crate::report::Progress;
use crate::search::Problem;
use crate::search::constants::{Question, Valuations};
use crate::search::findings::Gaps;
use crate::space::machine::Machine;
use crate::store::interner::Store;
use crate::tuning::tuning;

/// Limits of a search, with the time when it began.
pub(crate) struct Bounds<'s> {
    limits: &'s Limits,
    cancelled: &'s Arc<AtomicBool>,
    pub(crate) begin: Instant,
    pub(crate) deadline: Option<Instant>,
}

/// A session with a model.
pub(crate) struct Session<'s> {
    problem: Problem<'s>,
    pub(crate) bounds: Bounds<'s>,
    /// Set when the session is cancelled, or its time is over.
    interrupt: &'s AtomicBool,
    /// Choices of which only some values were tried: by the search, and by the reference.
    pub(crate) cuts: Cuts,
    reference_cuts: Cuts,
    /// Counts the values that each method found.
    pub(crate) tally: Tally,
    /// Ends audits that take too long.
    clock: Clock,
}

/// Begins a session and does some work in it.
pub(crate) fn with_session<T>(
    problem: &Problem<'_>,
    limits: &Limits,
    cancelled: &Arc<AtomicBool>,
    work: impl FnOnce(&Session<'_>) -> T,
) -> T {
    let (problem, bounds) = (*problem, Bounds::new(limits, cancelled));
    interruptible(cancelled, bounds.deadline, |interrupt| {
        let (cuts, reference_cuts, tally, clock) = Default::default();
        work(&Session { problem, bounds, interrupt, cuts, reference_cuts, tally, clock })
    })
}

impl<'s> Deref for Session<'s> {
    type Target = Bounds<'s>;

    fn deref(&self) -> &Bounds<'s> {
        &self.bounds
    }
}

impl<'s> Bounds<'s> {
    /// The bounds of a search that begins now.
    pub(crate) fn new(limits: &'s Limits, cancelled: &'s Arc<AtomicBool>) -> Bounds<'s> {
        let begin = Instant::now();
        Bounds { limits, cancelled, begin, deadline: limits.time.and_then(|t| begin.checked_add(t)) }
    }

    /// Returns why a search with this number of states must end, as far as time and states go. Its time may be over
    /// before that of the session.
    pub(crate) fn over(&self, until: Option<Instant>, states: usize) -> Option<Reason> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Reason::Interrupted);
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return Some(Reason::Timeout);
        }
        self.limits.states.filter(|most| states > *most).map(Reason::StateLimit)
    }

    /// Returns the reason to stop if more bytes are in use than the limit allows.
    pub(crate) fn out_of_memory(&self, bytes: impl FnOnce() -> usize) -> Option<Reason> {
        let most = self.limits.memory?;
        (bytes() > most).then_some(Reason::MemoryOfStates(most))
    }
}

impl Session<'_> {
    /// Returns an evaluator of the model that the end of the session stops, and that notes its cuts of choices.
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        let mut eval = self.problem.evaluator(self.interrupt, &self.cuts);
        eval.tally = Some(&self.tally);
        eval
    }

    /// An evaluator of a problem, without a finder, by which the answers of the session are judged.
    pub(crate) fn reference<'e>(&'e self, problem: &Problem<'e>) -> Evaluator<'e> {
        problem.reference(self.interrupt, &self.reference_cuts)
    }

    /// An audit of states chosen by a seed.
    pub(crate) fn audit(&self, seed: u64) -> Audit<'_> {
        let reference = self.audited(&self.problem);
        Audit::new(reference, &self.reference_cuts, &self.clock, seed, self.begin)
    }

    /// An evaluator of a problem for audits, which ends with them.
    pub(crate) fn audited<'e>(&'e self, problem: &Problem<'e>) -> Evaluator<'e> {
        problem.reference(self.clock.flag(), &self.reference_cuts)
    }

    /// Does some work while a thread ends audits that take too long.
    pub(crate) fn watched<'e, T>(&'e self, work: impl for<'t> FnOnce(&'t Threads<'t, 'e>) -> T) -> T {
        let (clock, begin, interrupt) = (&self.clock, self.begin, self.interrupt);
        std::thread::scope(|threads| {
            // Dropped when the work is done, which ends the watch.
            let (_working, over) = channel::<()>();
            threads.spawn(move || clock.watch(begin, interrupt, &over));
            work(threads)
        })
    }

    /// Stops compiled code at the end of the session, or at once if it was interrupted already.
    pub(crate) fn stop(&self, is_interrupted: bool) -> Stop {
        let is_set = is_interrupted || self.interrupt.load(Ordering::Relaxed);
        Stop::new(self.deadline, self.cancelled.clone(), is_set)
    }

    /// Returns the machine of the model under the valuations of its constants, the other results about these, and the
    /// gaps.
    pub(crate) fn machine(
        &self,
        fixed: &BTreeMap<ConstId, Value>,
        question: Question,
        compiled: bool,
    ) -> (Machine<'_>, Valuations, Gaps) {
        let eval = self.evaluator();
        let mut valuations = Valuations::of(&eval, &self.cuts, (self.limits, fixed), question);
        let mut gaps = Gaps::default();
        for (place, e) in std::mem::take(&mut valuations.missing) {
            gaps.missing(place, e);
        }
        let found = std::mem::take(&mut valuations.found);
        let mut machine = Machine::new(eval, found, Store::default(), compiled);
        machine.context.stop = self.stop(valuations.interrupted);
        (machine, valuations, gaps)
    }
}

/// Reports the progress of a search to an observer from time to time.
pub(crate) struct Teller<'o> {
    observer: &'o mut dyn Observer<Progress>,
    begin: Instant,
    next: Duration,
}

impl<'o> Teller<'o> {
    /// Reports on a search that began at this time.
    pub(crate) fn new(observer: &'o mut dyn Observer<Progress>, begin: Instant) -> Teller<'o> {
        Teller { observer, begin, next: tuning().search.progress }
    }

    /// Reports the progress, if it is time for it. The callback gets the seconds since the beginning.
    pub(crate) fn tell(&mut self, progress: impl FnOnce(f64) -> Progress) {
        let elapsed = self.begin.elapsed();
        if elapsed >= self.next {
            self.next = elapsed + tuning().search.progress;
            self.observer.progress(&progress(elapsed.as_secs_f64().max(1e-9)));
        }
    }
}
