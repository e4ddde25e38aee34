//! Constraint-based checks: a solver is asked for a state, or a run of named events, that satisfies a constraint. Which
//! states are reachable does not matter.
//!
//! A state or run that is found was replayed by the reference evaluator, which also confirms that the first state
//! satisfies the whole invariant where that is asked. That there is none was said by two sessions: the second one has
//! another representation of the values where that decides the question in time.

use bsym_encodings::budget::Stopped;
use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{Model, SolverError};
use bsym_encodings::system::build::Representations;
use bsym_encodings::term::Term;
use bsym_language::model::EventId;
use bsym_proofs::claim::Property;
use bsym_semantics::trace::replay::{Checks, replay, replay_from_any_state, with_results};
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::verdict::{Counterexample, Reason};

use crate::excluded::Excluded;
use crate::options::Job;
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Open, Problem};

/// A constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// A state that satisfies the invariant, and in which no event is enabled.
    Deadlock {
        /// The goal of the model is true there, too.
        in_goal: bool,
    },
    /// A state that satisfies the invariant but not the assertion at this position.
    Assertion(usize),
    /// A state that satisfies the invariant, and a step by this event to one that does not; an initial state that does
    /// not satisfy the invariant for the initialisation.
    BreakingStep(Option<EventId>),
    /// A run of these events.
    Sequence {
        /// In their order.
        events: Vec<EventId>,
        /// In an initial state, or in any that satisfies the invariant.
        start: Start,
        /// The goal of the model is true at its end.
        to_goal: bool,
    },
}

/// The answer to a constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answered {
    /// A state or run that satisfies it, with the violations at its end.
    Found(Box<Counterexample>),
    /// There is none. Of a sequence: the number of its first events that can be taken one after the other, if it is known.
    None(Option<usize>),
    /// Not decided.
    Unknown(Reason),
}

/// Asks for a state or run that satisfies a constraint.
///
/// # Errors
/// If the solver fails.
pub fn ask(job: &Job, wanted: &Wanted, open: &mut Open<'_>) -> Result<Answered, SolverError> {
    let job = &of(job, wanted, Representations::Stated);
    let mut posed = match Posed::new(job, wanted, open)? {
        Ok(posed) => posed,
        Err(answered) => return Ok(answered),
    };
    match posed.check(job)? {
        Checked::Sat(Err(why)) => Ok(Answered::Unknown(Reason::ReplayFailed(why))),
        Checked::Sat(Ok(trace)) => Ok(match confirm(job, wanted, trace) {
            Ok(found) => Answered::Found(Box::new(found)),
            Err(why) => Answered::Unknown(Reason::ReplayFailed(why)),
        }),
        Checked::Unknown(reason) => Ok(Answered::Unknown(reason.into())),
        Checked::Unsat { .. } => match confirm_none(job, wanted, open)? {
            Ok(()) => Ok(Answered::None(possible(job, wanted, open)?)),
            Err(reason) => Ok(Answered::Unknown(reason)),
        },
    }
}

/// The job of a constraint: with the properties that it mentions.
fn of(job: &Job, wanted: &Wanted, representations: Representations) -> Job {
    let mut properties: Vec<Property> = (0..job.model.invariant.len()).map(Property::Invariant).collect();
    match wanted {
        Wanted::Deadlock { .. } => properties.push(Property::DeadlockFree),
        Wanted::Assertion(i) => properties.push(Property::Assertion(*i)),
        Wanted::BreakingStep(_) | Wanted::Sequence { .. } => {}
    }
    Job { properties, representations, well_definedness: true, ..job.clone() }
}

/// A constraint in terms, in a session of its own.
struct Posed {
    problem: Problem,
    path: Path,
    asked: Term,
}

impl Posed {
    /// Poses the question, or says why it needs none.
    fn new(job: &Job, wanted: &Wanted, open: &mut Open<'_>) -> Result<Result<Posed, Answered>, SolverError> {
        let mut problem = Problem::plain(job, &Excluded::default());
        let start = match wanted {
            Wanted::BreakingStep(None) => Start::Initial,
            Wanted::Sequence { start, .. } => *start,
            _ => Start::Anywhere,
        };
        let mut path = Path::new(&mut problem, start, open)?;
        if start == Start::Anywhere {
            path.assume_conjuncts(&mut problem)?;
        }
        let terms = problem.terms();
        let asked = match wanted {
            Wanted::Deadlock { in_goal } => {
                let deadlock = fails(&mut problem, Property::DeadlockFree);
                let there = if *in_goal { goal(&mut problem, 0) } else { Some(terms.and([])) };
                deadlock.zip(there).map(|(a, b)| terms.and([a, b]))
            }
            Wanted::Assertion(i) => fails(&mut problem, Property::Assertion(*i)),
            Wanted::BreakingStep(None) => Some(problem.violated_after(job, None, 0)),
            Wanted::BreakingStep(Some(event)) => {
                if problem.system.events[event.index()].relation.is_none() {
                    return Ok(Err(Answered::Unknown(Reason::Unsupported)));
                }
                path.extend_by(&mut problem, *event)?;
                Some(problem.violated_after(job, Some(*event), 1))
            }
            Wanted::Sequence { events, to_goal, .. } => {
                for event in events {
                    if problem.system.events[event.index()].relation.is_none() {
                        return Ok(Err(Answered::Unknown(Reason::Unsupported)));
                    }
                    path.extend_by(&mut problem, *event)?;
                }
                if *to_goal { goal(&mut problem, events.len()) } else { Some(terms.and([])) }
            }
        };
        // A part of the invariant without a term may be the one that is broken.
        let is_clear = problem.unclear.is_empty() || !matches!(wanted, Wanted::BreakingStep(_));
        Ok(match asked.filter(|_| is_clear) {
            Some(asked) => Ok(Posed { problem, path, asked }),
            None => Err(Answered::Unknown(Reason::Unsupported)),
        })
    }

    /// Asks the solver. What it finds is read as a trace.
    fn check(&mut self, job: &Job) -> Result<Checked<Result<Trace, String>>, SolverError> {
        let Posed { problem, path, asked } = self;
        let read = |model: &mut Model<'_>, taken: Taken| {
            let trace = read_trace(&problem.system, &mut problem.unrolling, model, &taken.events, false);
            Ok(trace.map_err(|e| e.to_string()))
        };
        path.check(*asked, &[], &job.budget, read, Result::is_ok)
    }
}

/// A property is false in the first state; `None` if it has no term.
fn fails(problem: &mut Problem, property: Property) -> Option<Term> {
    let terms = problem.terms();
    let ok = problem.targets.iter().find(|target| target.property == property)?.ok;
    Some(problem.unrolling.state(terms.not(ok), 0))
}

/// The goal of the model is true after `k` steps; `None` if it has no term.
fn goal(problem: &mut Problem, k: usize) -> Option<Term> {
    let terms = problem.terms();
    let goal = problem.system.goal.as_ref()?;
    let there = terms.and([goal.holds, goal.defined]);
    Some(problem.unrolling.state(there, k))
}

/// Asks once more in fresh sessions whether there is none: with values represented as their types say, and if that takes
/// too long, as before.
fn confirm_none(job: &Job, wanted: &Wanted, open: &mut Open<'_>) -> Result<Result<(), Reason>, SolverError> {
    let mut why = Reason::Unsupported;
    for representations in [Representations::General, Representations::Stated] {
        let job = &of(job, wanted, representations);
        let Ok(mut posed) = Posed::new(job, wanted, open)? else { continue };
        why = match posed.check(job)? {
            Checked::Unsat { .. } => return Ok(Ok(())),
            Checked::Sat(_) => {
                return Ok(Err(Reason::ReplayFailed(
                    "two sessions of the solver contradict each other".into(),
                )));
            }
            Checked::Unknown(reason) => {
                let is_over = matches!(reason, Stopped::Cancelled) || job.budget.check().is_err();
                if is_over {
                    return Ok(Err(reason.into()));
                }
                reason.into()
            }
        };
    }
    Ok(Err(why))
}

/// Counts the first events of an impossible sequence that can be taken; `None` if that is not known, and of constraints
/// that are no sequence.
fn possible(job: &Job, wanted: &Wanted, open: &mut Open<'_>) -> Result<Option<usize>, SolverError> {
    let Wanted::Sequence { events, start, .. } = wanted else { return Ok(None) };
    for n in 0..=events.len() {
        let begin = Wanted::Sequence { events: events[..n].to_vec(), start: *start, to_goal: false };
        let Ok(mut posed) = Posed::new(job, &begin, open)? else { return Ok(None) };
        match posed.check(job)? {
            Checked::Sat(_) => {}
            Checked::Unsat { .. } => return Ok(n.checked_sub(1)),
            Checked::Unknown(_) => return Ok(None),
        }
    }
    Ok(Some(events.len()))
}

/// Replays what a solver found, and confirms the constraint.
fn confirm(job: &Job, wanted: &Wanted, trace: Trace) -> Result<Counterexample, String> {
    let model = &job.model;
    let trace = with_results(model, trace);
    let plain = Checks::default();
    let nothing = Checks { invariant: Some(vec![]), ..Checks::default() };
    let broken = |v: &Violation| matches!(v, Violation::Invariant(_) | Violation::IllDefined(_));
    let last = trace.steps.len().saturating_sub(1);
    let (checks, is_anywhere) = match wanted {
        Wanted::Deadlock { in_goal } => (Checks { deadlock: true, goal: *in_goal, ..plain }, true),
        Wanted::Assertion(_) => (Checks { assertions: true, ..plain }, true),
        Wanted::BreakingStep(event) => (plain, event.is_some()),
        Wanted::Sequence { start, to_goal, .. } => {
            (Checks { goal: *to_goal, ..nothing.clone() }, *start == Start::Anywhere)
        }
    };
    let found = if is_anywhere {
        replay_from_any_state(model, &trace, &checks)
    } else {
        replay(model, &trace, &checks)
    };
    let found = found.map_err(|e| format!("the solver's model does not replay: {e}"))?;
    let violations = found.violations;
    let is_confirmed = match wanted {
        Wanted::Deadlock { in_goal } => {
            violations.contains(&Violation::Deadlock)
                && (!in_goal || violations.contains(&Violation::Goal))
                && !violations.iter().any(broken)
        }
        Wanted::Assertion(i) => {
            let is_it = |v: &Violation| match v {
                Violation::Assertions(which) => which.contains(i),
                Violation::IllDefined(_) => true,
                _ => false,
            };
            violations.iter().any(is_it) && !violations.iter().any(|v| matches!(v, Violation::Invariant(_)))
        }
        Wanted::BreakingStep(_) => violations.iter().any(broken) && found.first_violated == Some(last),
        Wanted::Sequence { start, to_goal, .. } => {
            let begins_well = *start == Start::Initial || {
                let first = Trace { steps: trace.steps[..1].to_vec(), ..trace.clone() };
                let first = replay_from_any_state(model, &first, &Checks::default());
                first.is_ok_and(|replayed| replayed.violations.is_empty())
            };
            begins_well && (!to_goal || violations.contains(&Violation::Goal))
        }
    };
    match is_confirmed {
        true => Ok(Counterexample { trace, violations }),
        false => {
            Err("the solver's model replays, but the evaluator does not find in it what was asked for".into())
        }
    }
}
