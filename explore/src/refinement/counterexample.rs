//! From a path of pairs to a trace of the refinement, replayed by the reference evaluator, and the related abstract
//! states, found again by the reference reading.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bsym_language::model::{EventId, Model, RefinementId, RefinementKind, SideBySide};
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::refinement::{FalseGluing, Following, Levels, Seen, Ways};
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::state::{Constants, Execution, State};
use bsym_semantics::transition::{Edge, Outcome};
use bsym_semantics::value::Value;

use crate::search::Problem;
use crate::tuning::tuning;

/// A step of a refinement that its abstractions cannot match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// The states of the refinement, with the step that is not matched as the last one.
    pub trace: Trace,
    /// The abstract states that are related to the state before that step; none before the initialisation.
    pub related: Related,
    /// The step or initialisation that is not matched.
    pub step: UnmatchedStep,
    /// Some of the steps that the abstraction could take instead with the same arguments, without regard to the gluing
    /// invariant: results and abstract states.
    pub instead: Vec<(Vec<Value>, State)>,
    /// The gluing conjuncts that exclude every abstract step with the same results.
    pub gluing: Vec<FalseGluing>,
    /// How the last step aborts, if it does.
    pub violations: Vec<Violation>,
}

/// Abstract states by position of the trace.
pub type Related = Vec<BTreeSet<State>>;

/// Kind of step that the abstraction does not match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnmatchedStep {
    /// No abstract initial state is related to the one of the refinement.
    Initialisation,
    /// No abstract operation with these results reaches a related state.
    Step {
        /// The event.
        event: EventId,
        /// The arguments.
        parameters: Vec<Value>,
        /// The results.
        results: Vec<Value>,
    },
    /// The abstraction allows the operation with these arguments and the refinement does not.
    Precondition {
        /// The event.
        event: EventId,
        /// The arguments.
        parameters: Vec<Value>,
    },
    /// The operation aborts where the abstraction allows the call and cannot abort.
    Abort {
        /// The event; `None` is the initialisation.
        event: Option<EventId>,
        /// The arguments.
        parameters: Vec<Value>,
    },
}

/// A pair on the way.
pub(super) struct PathStep {
    /// The event with arguments and results; `None` for the initialisation.
    pub(super) seen: Option<(EventId, Vec<Value>, Vec<Value>)>,
    pub(super) state: State,
    pub(super) related: Beside,
}

/// The abstract states that are related to a state on the path.
pub(super) enum Beside {
    /// A search has found them; they must be those of the definition.
    Found(BTreeSet<State>),
    /// The states of the definition.
    Wanted,
    /// Gluing equations and assignments of the abstractions determine this state.
    Determined(State),
}

/// The way to a step that is not matched.
pub(super) struct Path {
    pub(super) constants: Constants,
    /// The steps before.
    pub(super) steps: Vec<PathStep>,
    /// The state of the refinement after the last step, if it reaches one.
    pub(super) reached: Option<State>,
}

/// The counterexample of a path, if it shows what it should.
///
/// # Errors
/// If a step could not be found again, or the reference reading finds a match.
pub(super) fn unmatched(
    own: &Evaluator<'_>,
    reference: &Evaluator<'_>,
    parts: &SideBySide,
    path: Path,
    last: UnmatchedStep,
) -> Result<Unmatched, String> {
    confirmed(own, reference, parts, path, last).map_err(|why| match why {
        Unconfirmed::Matched => "the abstraction matches the last step by its definition".into(),
        Unconfirmed::OtherSteps => "a step of the trace is not found again".into(),
        Unconfirmed::Failed(why) => why,
    })
}

/// Why a path shows no violation.
enum Unconfirmed {
    /// The abstractions match the last step.
    Matched,
    /// The refinement takes other steps.
    OtherSteps,
    /// Something could not be evaluated, or differs from the search.
    Failed(String),
}

impl From<&str> for Unconfirmed {
    fn from(why: &str) -> Unconfirmed {
        Unconfirmed::Failed(why.into())
    }
}

fn confirmed(
    own: &Evaluator<'_>,
    reference: &Evaluator<'_>,
    parts: &SideBySide,
    path: Path,
    last: UnmatchedStep,
) -> Result<Unmatched, Unconfirmed> {
    let Path { constants, steps: path, reached } = path;
    let levels = Levels { eval: reference, parts, constants: &constants };
    let failed = |e: EvalError| Unconfirmed::Failed(format!("the trace cannot be repeated: {}", e.message));
    let mut steps: Vec<Step> = Vec::new();
    let mut related: Related = Vec::new();
    for step in path {
        let seen = step.seen.as_ref();
        let before = steps.last().and_then(|s| s.state.clone());
        steps.push(execution(own, &constants, before.as_deref(), seen, &step.state)?);
        let now = match (seen, before, related.last()) {
            _ if let Beside::Determined(state) = &step.related => {
                let now = BTreeSet::from([state.clone()]);
                if levels.glued_beside(&step.state, &now).map_err(failed)? != now {
                    return Err("a state on the way is not related to the abstract one".into());
                }
                now
            }
            (Some((event, parameters, results)), Some(before), Some(set)) => {
                let seen = Seen { event: *event, parameters, results };
                match levels.follow(&before, set, seen, &step.state).map_err(failed)? {
                    Following::States(states) => states,
                    Following::Free => return Err("a call on the way is none that may be made".into()),
                }
            }
            _ => levels.initial(&step.state).map_err(failed)?,
        };
        match step.related {
            Beside::Found(expected) if expected != now => {
                return Err("the abstract states beside the trace are others by their definition".into());
            }
            _ if now.is_empty() => return Err("a step on the way is not matched".into()),
            _ => related.push(now),
        }
    }
    let before = steps.last().and_then(|s| s.state.clone());
    let (mut instead, mut gluing) = (Vec::new(), Vec::new());
    let is_matched = match (&last, before, related.last(), reached) {
        (UnmatchedStep::Initialisation, _, _, Some(reached)) => {
            steps.push(execution(own, &constants, None, None, &reached)?);
            let is_matched = !levels.initial(&reached).map_err(failed)?.is_empty();
            gluing = levels.false_gluing(&levels.initial_ways(&reached).map_err(failed)?);
            is_matched
        }
        (UnmatchedStep::Step { event, parameters, results }, Some(before), Some(set), Some(reached)) => {
            let seen = (*event, parameters.clone(), results.clone());
            steps.push(execution(own, &constants, Some(&before), Some(&seen), &reached)?);
            instead = alternatives(&levels, &before, set, *event, parameters);
            let seen = Seen { event: *event, parameters, results };
            if let Ways::States(ways) = levels.ways(&before, set, seen, &reached).map_err(failed)? {
                gluing = levels.false_gluing(&ways);
            }
            let following = levels.follow(&before, set, seen, &reached).map_err(failed)?;
            following != Following::States(BTreeSet::new())
        }
        (UnmatchedStep::Precondition { event, parameters }, Some(before), Some(set), _) => {
            !levels.is_narrowed(&before, set, *event, parameters).map_err(failed)?
        }
        (UnmatchedStep::Abort { event: None, .. }, None, None, None) => {
            steps.push(abort(own, &constants, None, None)?);
            levels.abstract_initialisation_aborts().map_err(failed)?
        }
        (UnmatchedStep::Abort { event: Some(event), parameters }, Some(before), Some(set), None) => {
            steps.push(abort(own, &constants, Some(&before), Some((*event, parameters)))?);
            !levels.must_end(&before, set, *event, parameters).map_err(failed)?
        }
        _ => return Err("the trace has no state".into()),
    };
    if is_matched {
        return Err(Unconfirmed::Matched);
    }
    let trace = Trace::new(own.scope.clone(), constants.clone(), steps);
    let replayed = replay_with(own, &trace, &Checks { invariant: Some(vec![]), ..Checks::default() })
        .map_err(|e| Unconfirmed::Failed(e.to_string()))?;
    let violations = match &last {
        UnmatchedStep::Abort { .. } => replayed.violations,
        _ => vec![],
    };
    Ok(Unmatched { trace, related, step: last, instead, gluing, violations })
}

/// A violation repeated in another scope.
#[derive(Clone, PartialEq, Debug)]
pub enum Repeated {
    /// It remains a violation there.
    Unmatched(Box<Unmatched>),
    /// The violation does not exist there: the refinement takes other steps, or the abstractions match them.
    Gone,
    /// The result is not known, and why.
    Undecided(String),
}

/// Checks whether a violation remains one in another scope, in which the sets have the same sizes. The same steps are
/// compared with the definition there, within this time and until it is cancelled.
pub fn repeat(
    problem: &Problem<'_>,
    parts: &SideBySide,
    model: &Model,
    found: &Unmatched,
    time: Duration,
    cancelled: &AtomicBool,
) -> Repeated {
    let mut steps = found.trace.steps.clone();
    let last = match &found.step {
        UnmatchedStep::Precondition { .. } => None,
        _ => steps.pop(),
    };
    let on_the_way = |step: &Step| {
        let seen = step.event.map(|e| {
            let Execution { parameters, results, .. } = &step.execution;
            (e, parameters.clone(), results.clone())
        });
        Some(PathStep { seen, state: step.state.clone()?, related: Beside::Wanted })
    };
    let path: Option<Vec<PathStep>> = steps.iter().map(on_the_way).collect();
    let Some(steps) = path else { return Repeated::Undecided("a step has no state".into()) };
    let reached = last.and_then(|step| step.state);
    let path = Path { constants: found.trace.constants.clone(), steps, reached };
    interruptible(cancelled, Instant::now().checked_add(time), |interrupt| {
        let cuts = Cuts::default();
        let reference = problem.reference(interrupt, &cuts).with_all_choices();
        let own = Problem { model, ..*problem };
        let own = own.reference(interrupt, &cuts).with_all_choices();
        match confirmed(&own, &reference, parts, path, found.step.clone()) {
            Ok(found) => Repeated::Unmatched(Box::new(found)),
            Err(Unconfirmed::Matched | Unconfirmed::OtherSteps) => Repeated::Gone,
            Err(Unconfirmed::Failed(why)) => Repeated::Undecided(why),
        }
    })
}

/// The violation at the end of a trace of the machine in which the abstractions follow
/// ([`bsym_language::model::simulation`]), if the definition confirms it. `first` is the position of its first gluing
/// conjunct.
///
/// The abstract states on the way are those of the trace: equations determine them, so that there are no others.
///
/// # Errors
/// If it shows nothing about the refinement, or cannot be evaluated.
pub fn of_simulation(
    problem: &Problem<'_>,
    parts: &SideBySide,
    model: &Model,
    joint: &Model,
    (trace, violations): (&Trace, &[Violation]),
    first: usize,
    time: Duration,
) -> Result<Unmatched, String> {
    let width = model.variables.len();
    let mut steps = trace.steps.clone();
    let last = steps.pop().ok_or("the trace is empty")?;
    let call = last.event.map(|event| (event, last.execution.parameters.clone()));
    interruptible(&AtomicBool::new(false), Instant::now().checked_add(time), |interrupt| {
        let cuts = Cuts::default();
        let reference = problem.reference(interrupt, &cuts).with_all_choices();
        let own = Problem { model, ..*problem };
        let own = own.reference(interrupt, &cuts).with_all_choices();
        let mut path = vec![];
        for step in steps {
            let mut state = step.state.ok_or("a step on the way has no state")?;
            let related = Beside::Determined(state.split_off(width));
            let Execution { parameters, results, .. } = step.execution;
            path.push(PathStep { seen: step.event.map(|e| (e, parameters, results)), state, related });
        }
        let narrowed = |id: &RefinementId| {
            let check = joint.refinement.checks.get(id.index());
            check.is_some_and(|check| check.kind == RefinementKind::Precondition)
        };
        let reached_by = |step: UnmatchedCall, reached, path| {
            let step = match step {
                None => UnmatchedStep::Initialisation,
                Some((event, parameters, results)) => UnmatchedStep::Step { event, parameters, results },
            };
            (step, Path { constants: trace.constants.clone(), steps: path, reached: Some(reached) })
        };
        let without_state = |path| Path { constants: trace.constants.clone(), steps: path, reached: None };
        let (step, path) = match (violations.first(), call) {
            (Some(Violation::Refinement(id)), Some((event, parameters))) if narrowed(id) => {
                (UnmatchedStep::Precondition { event, parameters }, without_state(path))
            }
            (Some(Violation::Refinement(_)), call) => {
                let before = path.last().map(|step| step.state.clone()).unwrap_or_default();
                let outcome = own.execute(&trace.constants, &before, last.event, &last.execution);
                let Ok(Outcome::Reached { state, results }) = outcome else {
                    return Err("the last step cannot be repeated".into());
                };
                reached_by(call.map(|(event, parameters)| (event, parameters, results)), state, path)
            }
            (Some(Violation::Invariant(which)), call) if which.iter().any(|i| *i >= first) => {
                let mut state = last.state.ok_or("the last step has no state")?;
                state.truncate(width);
                let call = call.map(|(event, parameters)| (event, parameters, last.execution.results));
                reached_by(call, state, path)
            }
            (Some(Violation::Assert(_) | Violation::Precondition(_) | Violation::IllDefined(_)), call)
                if last.state.is_none() =>
            {
                let (event, parameters) = call.map_or((None, vec![]), |(e, p)| (Some(e), p));
                (UnmatchedStep::Abort { event, parameters }, without_state(path))
            }
            _ => return Err("something else is violated".into()),
        };
        unmatched(&own, &reference, parts, path, step)
    })
}

/// A call with its results; `None` is the initialisation.
type UnmatchedCall = Option<(EventId, Vec<Value>, Vec<Value>)>;

/// Returns how an operation with these arguments, or the initialisation, aborts.
fn abort(
    own: &Evaluator<'_>,
    constants: &Constants,
    before: Option<&[Value]>,
    call: Option<(EventId, &Vec<Value>)>,
) -> Result<Step, Unconfirmed> {
    let mut found: Option<Edge> = None;
    let mut visit = |edge: Edge| match edge.state() {
        Some(_) => ControlFlow::Continue(()),
        None => {
            found = Some(edge);
            ControlFlow::Break(())
        }
    };
    let done = match (call, before) {
        (Some((event, parameters)), Some(before)) => {
            own.each_edge_with(event, parameters, constants, before, &mut visit)
        }
        _ => own.each_edge(None, constants, &[], &mut visit),
    };
    let Some(edge) = found else {
        return Err(done.err().map_or(Unconfirmed::OtherSteps, |e| Unconfirmed::Failed(e.message)));
    };
    Ok(Step { event: call.map(|(event, _)| event), execution: edge.execution, state: None })
}

/// The trace of the refinement along a path.
///
/// # Errors
/// If a step could not be found again.
pub(super) fn trace_of(
    own: &Evaluator<'_>,
    constants: &Constants,
    path: &[PathStep],
) -> Result<Trace, String> {
    let mut steps: Vec<Step> = Vec::new();
    for step in path {
        let before = steps.last().and_then(|s| s.state.as_deref());
        let next = execution(own, constants, before, step.seen.as_ref(), &step.state)
            .map_err(|_| "a step of the trace is not found again")?;
        steps.push(next);
    }
    Ok(Trace::new(own.scope.clone(), constants.clone(), steps))
}

/// Returns how a step of the refinement is executed.
fn execution(
    own: &Evaluator<'_>,
    constants: &Constants,
    before: Option<&[Value]>,
    seen: Option<&(EventId, Vec<Value>, Vec<Value>)>,
    reached: &State,
) -> Result<Step, Unconfirmed> {
    let mut found: Option<Edge> = None;
    let mut visit = |edge: Edge| {
        let is_wanted = match &edge.outcome {
            Outcome::Reached { state, results: got } => {
                state == reached && seen.is_none_or(|(_, _, results)| got == results)
            }
            _ => false,
        };
        if !is_wanted {
            return ControlFlow::Continue(());
        }
        found = Some(edge);
        ControlFlow::Break(())
    };
    let done = match (seen, before) {
        (Some((event, parameters, _)), Some(before)) => {
            own.each_edge_with(*event, parameters, constants, before, &mut visit)
        }
        _ => own.each_edge(None, constants, &[], &mut visit),
    };
    let Some(edge) = found else {
        return Err(done.err().map_or(Unconfirmed::OtherSteps, |e| Unconfirmed::Failed(e.message)));
    };
    Ok(Step {
        event: seen.map(|(event, ..)| *event),
        execution: edge.execution,
        state: Some(reached.clone()),
    })
}

/// Returns some steps that the nearest level could take with the same arguments: results and states.
fn alternatives(
    levels: &Levels<'_, '_>,
    before: &[Value],
    related: &BTreeSet<State>,
    event: EventId,
    parameters: &[Value],
) -> Vec<(Vec<Value>, State)> {
    let parts = levels.parts;
    let Some(followed) = parts.operations[event.index()].as_ref() else { return vec![] };
    let Some(Some(by)) = followed.by.first() else { return vec![] };
    let mut found = BTreeSet::new();
    for state in related {
        let here: State = before.iter().chain(state).cloned().collect();
        for edge in levels.eval.successors_of(*by, levels.constants, &here).edges {
            if let Outcome::Reached { state, results } = edge.outcome
                && edge.execution.parameters == parameters[..followed.parameters]
            {
                found.insert((results, state[before.len()..].to_vec()));
            }
        }
    }
    found.into_iter().take(tuning().refinement.alternatives).collect()
}
