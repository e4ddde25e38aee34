//! Existence of anything to search: a valuation of the constants and an initial state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::options::Limits;
use crate::search::Problem;
use crate::session::with_session;

/// Answer to the question whether the model has an initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Existence {
    /// There is a valuation of the constants, and a step of the initialisation under it, even if the step goes wrong.
    Begins,
    /// No valuation or step exists: the evaluator has tried all of them.
    Nothing,
    /// Not known, with the reason.
    Undecided(String),
}

/// Searches for a valuation of the constants and a step of the initialisation, for a limited time.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn existence(problem: &Problem<'_>, time: Duration, cancelled: &Arc<AtomicBool>) -> Existence {
    look(problem, time, cancelled, true)
}

/// Searches for a valuation of the constants, without the initialisation.
pub fn valuation(problem: &Problem<'_>, time: Duration, cancelled: &Arc<AtomicBool>) -> Existence {
    look(problem, time, cancelled, false)
}

fn look(
    problem: &Problem<'_>,
    time: Duration,
    cancelled: &Arc<AtomicBool>,
    initialisation: bool,
) -> Existence {
    let limits = Limits { time: Some(time), ..Limits::default() };
    with_session(problem, &limits, cancelled, |session| {
        let (eval, cuts) = (session.evaluator(), &session.cuts);
        let (mut begins, mut open) = (false, None);
        let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
            // Where an axiom has no meaning, the search says so.
            begins = truth.is_err() || !initialisation;
            if !begins {
                let edges = eval.each_edge(None, &constants, &[], &mut |_| {
                    begins = true;
                    ControlFlow::Break(())
                });
                open = edges.err().map(|e| e.message).or(open.take());
            }
            if begins { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if begins {
            return Existence::Begins;
        }
        let cut = || cuts.list().first().map(|cut| cut.message(problem.model));
        match done.err().map(|e| e.message).or(open).or_else(cut) {
            Some(why) => Existence::Undecided(why),
            None => Existence::Nothing,
        }
    })
}
