//! The nearest state in which a predicate is true: a breadth-first search from the current position.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use bsym_language::model::EventId;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::Step;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::env::Env;

use super::session::Session;
use crate::answer::trace::counted;
use crate::commands::eval::with_predicate;
use crate::tuning::tuning;

/// The nearest state that is wanted.
enum Nearest {
    /// The steps to the state.
    Path(Vec<Step>),
    /// No wanted state among this many states. Those are all states, unless the text says why there may be more.
    None(usize, Option<String>),
}

/// Predicate that says whether a state is wanted, or why that cannot be evaluated.
type IsWanted<'a> = &'a mut dyn FnMut(&State) -> Result<bool, (EvalErrorKind, String)>;

impl Session {
    /// Goes to the nearest state in which a predicate is true, and returns the number of steps that were added.
    ///
    /// # Errors
    /// There is no state yet, no such state was found, or the text is no predicate.
    pub fn find(&mut self, text: &str, interrupt: &AtomicBool) -> Result<usize, String> {
        let (Some(constants), Some(state)) = (self.constants.clone(), self.state().cloned()) else {
            return Err("there is no state yet: choose a number".into());
        };
        let mut named = std::mem::replace(&mut self.named, (*self.model).clone());
        let found = with_predicate(&mut named, text, |named, pred| {
            let judge = Evaluator::new(named, &self.scope).with_interrupt(interrupt);
            let is_wanted = &mut |state: &State| {
                judge.pred(&Env::new(&constants, state), pred).map_err(|e| (e.kind, e.message))
            };
            self.nearest(&constants, state, is_wanted, interrupt)
        });
        self.named = named;
        match found?? {
            Nearest::Path(steps) => {
                let n = steps.len();
                steps.into_iter().for_each(|step| self.push(step));
                self.look(interrupt);
                Ok(n)
            }
            Nearest::None(n, None) => {
                Err(format!("not true in any state reachable from here ({} looked at)", counted(n, "state")))
            }
            Nearest::None(n, Some(why)) => Err(format!("not true in {}, {why}", counted(n, "state"))),
        }
    }

    fn nearest(
        &self,
        constants: &[bsym_semantics::value::Value],
        first: State,
        is_wanted: IsWanted<'_>,
        interrupt: &AtomicBool,
    ) -> Result<Nearest, String> {
        let cuts = Cuts::default();
        let eval = self.evaluator(interrupt, &cuts);
        // Each state with the one before and the step from there.
        let mut reached: Vec<(State, Option<(usize, Step)>)> = vec![(first.clone(), None)];
        let mut known: HashMap<State, ()> = HashMap::from([(first, ())]);
        let mut waiting = VecDeque::from([0]);
        let mut open: Option<String> = None;
        while let Some(at) = waiting.pop_front() {
            let state = reached[at].0.clone();
            match is_wanted(&state) {
                Ok(true) => return Ok(Nearest::Path(path(&reached, at))),
                Ok(false) => {}
                Err((EvalErrorKind::Interrupted, _)) => {
                    return Ok(Nearest::None(at, Some("and the search was stopped".into())));
                }
                Err((_, message)) => {
                    _ = open.get_or_insert(format!("and of some it is not known: {message}"))
                }
            }
            for i in 0..self.model.events.len() as u32 {
                let done = eval.each_edge(Some(EventId(i)), constants, &state, &mut |edge| {
                    if let Some(after) = edge.state()
                        && !known.contains_key(after)
                    {
                        known.insert(after.clone(), ());
                        waiting.push_back(reached.len());
                        let step = Step {
                            event: edge.event,
                            state: Some(after.clone()),
                            execution: edge.execution.clone(),
                        };
                        reached.push((after.clone(), Some((at, step))));
                    }
                    if reached.len() > tuning().sessions.searched {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                match done {
                    Err(e) if e.kind == EvalErrorKind::Interrupted => {
                        return Ok(Nearest::None(at, Some("and the search was stopped".into())));
                    }
                    Err(e) => _ = open.get_or_insert(format!("and some steps may be missing: {}", e.message)),
                    Ok(_) => {}
                }
            }
            if reached.len() > tuning().sessions.searched {
                // States that were found and not visited yet may be wanted.
                for at in waiting {
                    if is_wanted(&reached[at].0) == Ok(true) {
                        return Ok(Nearest::Path(path(&reached, at)));
                    }
                }
                return Ok(Nearest::None(
                    tuning().sessions.searched,
                    Some("and no more are looked at".into()),
                ));
            }
        }
        let cut =
            cuts.list().first().map(|cut| format!("and there may be more: {}", cut.message(&self.model)));
        Ok(Nearest::None(reached.len(), open.or(cut)))
    }
}

/// The steps to a state.
fn path(reached: &[(State, Option<(usize, Step)>)], mut at: usize) -> Vec<Step> {
    let mut steps = vec![];
    while let Some((before, step)) = &reached[at].1 {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    steps
}
