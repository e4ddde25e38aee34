//! Replay: whether a trace is one of the model, and its violations at the end.

use bsym_language::model::{Model, Pred};
use bsym_language::source::Span;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::trace::repeats::check_repeats;
use crate::trace::{Step, Trace, Violation};
use crate::transition::Outcome;
use crate::transition::state::{Execution, State};
use crate::value::Value;
use crate::value::env::Env;

/// Properties to check in the states of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Invariant conjuncts, by position; `None` means all.
    pub invariant: Option<Vec<usize>>,
    /// Checks the assertions.
    pub assertions: bool,
    /// Checks that some event is enabled.
    pub deadlock: bool,
    /// Checks the definition `GOAL`.
    pub goal: bool,
    /// Reports ill-defined evaluations as violations.
    pub well_definedness: bool,
}

impl Checks {
    /// Returns whether the conjunct of the invariant at this position is checked.
    pub fn asks(&self, conjunct: usize) -> bool {
        self.invariant.as_ref().is_none_or(|some| some.contains(&conjunct))
    }

    /// Returns the checks that repeat violations found in a state: a search checks for deadlock apart from everything
    /// else.
    pub fn that_found(&self, violations: &[Violation]) -> Checks {
        Checks { deadlock: violations.contains(&Violation::Deadlock), ..self.clone() }
    }
}

impl Default for Checks {
    fn default() -> Self {
        Checks { invariant: None, assertions: false, deadlock: false, goal: false, well_definedness: true }
    }
}

/// Result of the replay of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// The violations at the end; empty if there are none.
    pub violations: Vec<Violation>,
    /// The first step that fails, or whose state violates an invariant conjunct or makes one ill-defined, by position:
    /// the trace may be cut behind it.
    pub first_violated: Option<usize>,
    /// Statistics of the choices in the trace.
    pub choices: ChoiceCounts,
}

/// Numbers of choices of a trace. Choices tell how a step is repeated; a step that leads to one state only can be
/// repeated without them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChoiceCounts {
    /// Choices that the trace has.
    pub given: usize,
    /// Choices that the trace has and no step makes.
    pub unused: usize,
    /// Choices that the trace lacks and that were found.
    pub found: usize,
}

impl ChoiceCounts {
    fn add(&mut self, given: &Execution, made: &Execution) {
        let (given, made) = (&given.choices, &made.choices);
        self.given += given.len();
        self.unused += given.iter().filter(|choice| !made.contains(choice)).count();
        self.found += made.iter().filter(|choice| !given.contains(choice)).count();
    }
}

/// Error that explains why a trace is not one of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason}", step_text(*.step))]
pub struct ReplayError {
    /// The step, by position; `None` for the scope and the constants.
    pub step: Option<usize>,
    /// The reason; lower case, no full stop.
    pub reason: String,
    /// The guard, predicate or axiom, if the reason names one.
    pub span: Option<Span>,
}

fn step_text(step: Option<usize>) -> String {
    match step {
        Some(0) => "initialisation".into(),
        Some(n) => format!("step {n}"),
        None => "constants".into(),
    }
}

/// Replays a trace and finds the violations at its end.
///
/// The axioms must hold, and each step must lead to the claimed state. A last step without a state must fail before it
/// reaches one. Invariants are not required to hold in between.
///
/// # Errors
/// The trace is not one of the model, or it cannot be evaluated.
pub fn replay(model: &Model, trace: &Trace, checks: &Checks) -> Result<Replayed, ReplayError> {
    replay_with(&Evaluator::new(model, &trace.scope), trace, checks)
}

/// Replays a trace with the limits of an evaluator, whose scope must be that of the trace.
///
/// # Errors
/// As [`replay`].
pub fn replay_with(eval: &Evaluator<'_>, trace: &Trace, checks: &Checks) -> Result<Replayed, ReplayError> {
    replay_path(eval, trace, checks, Start::Initialisation)
}

/// Replays a path whose first state need not be an initial one: how the first step reaches it does not matter.
///
/// # Errors
/// As [`replay`].
pub fn replay_from_any_state(model: &Model, trace: &Trace, checks: &Checks) -> Result<Replayed, ReplayError> {
    replay_path(&Evaluator::new(model, &trace.scope), trace, checks, Start::Anywhere)
}

/// The start of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    Initialisation,
    Anywhere,
}

/// Checks the constants and that each of the first `steps` steps reaches its state, without checking properties there.
///
/// # Errors
/// As [`replay`].
pub(super) fn check_path(
    eval: &Evaluator<'_>,
    trace: &Trace,
    steps: usize,
    start: Start,
) -> Result<(), ReplayError> {
    check_constants(eval, &trace.constants)?;
    check_repeats(eval, trace).map_err(|(step, reason)| ReplayError {
        step: Some(step),
        reason,
        span: None,
    })?;
    for (i, step) in trace.steps.iter().enumerate().take(steps) {
        let Some(claimed) = &step.state else { break };
        if i > 0 || start == Start::Initialisation {
            let before = trace.state_before(i).unwrap_or_default();
            follow(eval, &trace.constants, i, step, &before, claimed)?;
        }
    }
    Ok(())
}

fn replay_path(
    eval: &Evaluator<'_>,
    trace: &Trace,
    checks: &Checks,
    start: Start,
) -> Result<Replayed, ReplayError> {
    let failed = |step: Option<usize>, span: Option<Span>, reason: String| ReplayError { step, reason, span };
    let undecided = |step: usize, e: EvalError| failed(Some(step), Some(e.span), e.message);
    if *eval.scope != trace.scope {
        return Err(failed(None, None, "the scope is not that of the trace".into()));
    }
    check_constants(eval, &trace.constants)?;
    let Some((last, before)) = trace.steps.split_last() else {
        return Err(failed(None, None, "the trace has no steps".into()));
    };
    check_repeats(eval, trace).map_err(|(step, reason)| ReplayError {
        step: Some(step),
        reason,
        span: None,
    })?;
    // Where rounds are left out they add numbers, as was checked.
    let state_before = |i: usize| trace.state_before(i).unwrap_or_default();
    let mut replayed = Replayed::default();
    for (i, step) in before.iter().enumerate() {
        let Some(claimed) = &step.state else {
            return Err(failed(Some(i), None, "only the last step may lack a state".into()));
        };
        if i == 0 && start == Start::Anywhere {
            check_types(eval, claimed)?;
        } else {
            let made = follow(eval, &trace.constants, i, step, &state_before(i), claimed)?;
            replayed.choices.add(&step.execution, &made);
        }
        if replayed.first_violated.is_none() {
            let found = violations(eval, &trace.constants, claimed, &only_invariant(checks));
            if !found.map_err(|e| undecided(i, e))?.is_empty() {
                replayed.first_violated = Some(i);
            }
        }
    }
    let i = before.len();
    match &last.state {
        Some(claimed) => {
            if i == 0 && start == Start::Anywhere {
                check_types(eval, claimed)?;
            } else {
                let made = follow(eval, &trace.constants, i, last, &state_before(i), claimed)?;
                replayed.choices.add(&last.execution, &made);
            }
            let judge = |checks: &Checks| violations(eval, &trace.constants, claimed, checks);
            // Deciding whether any event is enabled may be beyond the evaluator. The violations in the state are known
            // anyway.
            let found = judge(checks).or_else(|e| match checks.deadlock {
                true => judge(&Checks { deadlock: false, ..checks.clone() }),
                false => Err(e),
            });
            replayed.violations = found.map_err(|e| undecided(i, e))?;
        }
        None => {
            check_order(i, last)?;
            let followed = eval.follow(&trace.constants, &state_before(i), last.event, &last.execution);
            let (outcome, made) = followed.map_err(|e| undecided(i, e))?;
            replayed.choices.add(&last.execution, &made);
            let violation = match outcome {
                Outcome::IllDefined(e) if checks.well_definedness => Violation::IllDefined(e),
                Outcome::IllDefined(e) => return Err(undecided(i, e)),
                Outcome::AssertFailed(span) => Violation::Assert(span),
                Outcome::PreconditionFailed(span) => Violation::Precondition(span),
                Outcome::RefinementFailed(id) => Violation::Refinement(id),
                Outcome::Disabled { span, why } => {
                    return Err(failed(Some(i), Some(span), format!("it is disabled: {why}")));
                }
                Outcome::Reached { .. } => {
                    return Err(failed(Some(i), None, "it reaches a state although none is claimed".into()));
                }
            };
            replayed.violations = vec![violation];
        }
    }
    if replayed.first_violated.is_none() && !replayed.violations.is_empty() {
        replayed.first_violated = Some(i);
    }
    Ok(replayed)
}

/// Adds the results of the steps to a trace from a solver's model that lacks them: they follow from the rest.
pub fn with_results(model: &Model, mut trace: Trace) -> Trace {
    let scope = trace.scope.clone();
    let eval = Evaluator::new(model, &scope);
    for i in 0..trace.steps.len() {
        let step = &trace.steps[i];
        let wanted =
            step.event.and_then(|e| model.events.get(e.index())).is_some_and(|e| !e.results.is_empty());
        let state = trace.state_before(i).unwrap_or_default();
        if wanted
            && step.state.is_some()
            && step.execution.results.is_empty()
            && let Ok(Outcome::Reached { results, .. }) =
                eval.execute(&trace.constants, &state, step.event, &step.execution)
        {
            trace.steps[i].execution.results = results;
        }
    }
    trace
}

fn only_invariant(checks: &Checks) -> Checks {
    Checks { assertions: false, deadlock: false, goal: false, ..checks.clone() }
}

fn check_constants(eval: &Evaluator<'_>, constants: &[Value]) -> Result<(), ReplayError> {
    let failed = |span, reason| Err(ReplayError { step: None, reason, span });
    if !eval.scope.is_finite(eval.model) {
        return failed(None, "a deferred set has no size in the scope of the trace".into());
    }
    if constants.len() != eval.model.constants.len() {
        let (n, m) = (constants.len(), eval.model.constants.len());
        return failed(None, format!("{n} values for {m} constants"));
    }
    for (constant, value) in eval.model.constants.iter().zip(constants) {
        if !eval.has_type(value, &constant.ty) {
            return failed(
                Some(constant.span),
                format!("the value of `{}` is not of its type", constant.name),
            );
        }
    }
    let env = Env::new(constants, &[]);
    for axiom in &eval.model.axioms {
        match eval.pred(&env, &axiom.pred) {
            Ok(true) => {}
            Ok(false) => return failed(Some(axiom.span), format!("the axiom `{}` is false", axiom.text)),
            Err(e) => return failed(Some(e.span), format!("the axiom `{}`: {}", axiom.text, e.message)),
        }
    }
    Ok(())
}

/// Checks that the values form a state.
fn check_types(eval: &Evaluator<'_>, state: &State) -> Result<(), ReplayError> {
    let failed = |span, reason: String| Err(ReplayError { step: Some(0), reason, span });
    let variables = &eval.model.variables;
    if state.len() != variables.len() {
        return failed(None, format!("{} values for {} variables", state.len(), variables.len()));
    }
    match variables.iter().zip(state).find(|(v, value)| !eval.has_type(value, &v.ty)) {
        Some((v, _)) => failed(Some(v.span), format!("the value of `{}` is not of its type", v.name)),
        None => Ok(()),
    }
}

fn check_order(i: usize, step: &Step) -> Result<(), ReplayError> {
    if step.event.is_none() == (i == 0) {
        return Ok(());
    }
    let reason = if i == 0 { "it must be the initialisation" } else { "the initialisation comes first" };
    Err(ReplayError { step: Some(i), reason: reason.into(), span: None })
}

/// Checks that a step reaches the claimed state. Returns the choices that were made.
fn follow(
    eval: &Evaluator<'_>,
    constants: &[Value],
    i: usize,
    step: &Step,
    state: &[Value],
    claimed: &State,
) -> Result<Execution, ReplayError> {
    let failed = |span: Option<Span>, reason: String| Err(ReplayError { step: Some(i), reason, span });
    check_order(i, step)?;
    if claimed.len() != eval.model.variables.len() {
        let (n, m) = (claimed.len(), eval.model.variables.len());
        return failed(None, format!("{n} values for {m} variables"));
    }
    let (outcome, made) = match eval.follow(constants, state, step.event, &step.execution) {
        Ok(followed) => followed,
        Err(e) => return failed(Some(e.span), e.message),
    };
    let (reached, results) = match outcome {
        Outcome::Reached { state, results } => (state, results),
        Outcome::Disabled { span, why } => return failed(Some(span), format!("it is disabled: {why}")),
        Outcome::IllDefined(e) => return failed(Some(e.span), format!("it is ill-defined: {}", e.message)),
        Outcome::AssertFailed(span) => return failed(Some(span), "it violates an assertion".into()),
        Outcome::PreconditionFailed(span) => return failed(Some(span), "it violates a precondition".into()),
        Outcome::RefinementFailed(id) => {
            let check = &eval.model.refinement.checks[id.index()];
            return failed(Some(check.span), format!("it is no refinement: {}", check.message(eval.model)));
        }
    };
    for ((variable, reached), claimed) in eval.model.variables.iter().zip(&reached).zip(claimed) {
        match eval.equal(reached, claimed, variable.span) {
            Ok(true) => {}
            Ok(false) => {
                let (reached, claimed) = (eval.short(reached), eval.short(claimed));
                return failed(None, format!("`{}` is {reached}, not {claimed}", variable.name));
            }
            Err(e) => return failed(Some(e.span), e.message),
        }
    }
    if !step.execution.results.is_empty() && step.execution.results != results {
        return failed(None, "the results are others".into());
    }
    Ok(made)
}

/// Judgement of a state: which properties it violates and which have no truth value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// All violations.
    pub violations: Vec<Violation>,
    /// Conjuncts of the invariant that have no truth value there, by position; also those behind a false one, which are
    /// not violations.
    pub ill_defined_conjuncts: Vec<usize>,
    /// Assertions that have no truth value there, by position.
    pub ill_defined_assertions: Vec<usize>,
    /// `true` if the goal has no truth value there.
    pub ill_defined_goal: bool,
}

/// Returns all violations in a state.
///
/// # Errors
/// A predicate cannot be evaluated because a set is too large.
pub fn violations(
    eval: &Evaluator<'_>,
    constants: &[Value],
    state: &[Value],
    checks: &Checks,
) -> Eval<Vec<Violation>> {
    judgement(eval, constants, state, checks).map(|judged| judged.violations)
}

/// Returns all violations in a state, and the properties that have no truth value there.
///
/// # Errors
/// A predicate cannot be evaluated because a set is too large.
pub fn judgement(
    eval: &Evaluator<'_>,
    constants: &[Value],
    state: &[Value],
    checks: &Checks,
) -> Eval<Judgement> {
    let env = Env::new(constants, state);
    let mut judged = Judgement::default();
    let mut found = Vec::new();
    let mut ill_defined = Vec::new();
    let model = eval.model;
    let wanted = |i: usize| checks.invariant.as_ref().is_none_or(|w| w.contains(&i));
    let invariant: Vec<_> = model.invariant.iter().map(|c| &c.pred).collect();
    let open = &mut judged.ill_defined_conjuncts;
    let broken = falsified(eval, &env, &invariant, &wanted, checks, &mut ill_defined, open)?;
    if !broken.is_empty() {
        found.push(Violation::Invariant(broken));
    }
    if checks.assertions {
        let assertions: Vec<_> = model.assertions.iter().map(|c| &c.pred).collect();
        let open = &mut judged.ill_defined_assertions;
        let broken = falsified(eval, &env, &assertions, &|_| true, checks, &mut ill_defined, open)?;
        if !broken.is_empty() {
            found.push(Violation::Assertions(broken));
        }
    }
    if checks.goal
        && let Some(goal) = &model.definitions.goal
    {
        match eval.pred(&env, goal) {
            Ok(true) => found.push(Violation::Goal),
            Ok(false) => {}
            Err(e) if e.kind == EvalErrorKind::IllDefined => {
                judged.ill_defined_goal = true;
                if checks.well_definedness {
                    ill_defined.push(e);
                }
            }
            Err(e) => return Err(e),
        }
    }
    if checks.deadlock && eval.is_deadlock(constants, state)? {
        found.push(Violation::Deadlock);
    }
    found.extend(ill_defined.into_iter().map(Violation::IllDefined));
    judged.violations = found;
    Ok(judged)
}

/// Returns the wanted predicates that are false. An ill-defined one is a violation if all before it hold; behind a
/// false one it is outside the domain where it must have a meaning. All ill-defined ones are listed in `open`.
fn falsified(
    eval: &Evaluator<'_>,
    env: &Env<'_>,
    preds: &[&Pred],
    wanted: &dyn Fn(usize) -> bool,
    checks: &Checks,
    ill_defined: &mut Vec<EvalError>,
    open: &mut Vec<usize>,
) -> Eval<Vec<usize>> {
    let mut broken = Vec::new();
    let mut all_before = true;
    for (i, pred) in preds.iter().enumerate() {
        match eval.pred(env, pred) {
            Ok(true) => {}
            Ok(false) => {
                all_before = false;
                if wanted(i) {
                    broken.push(i);
                }
            }
            Err(e) if e.kind == EvalErrorKind::IllDefined => {
                if wanted(i) {
                    open.push(i);
                }
                if all_before && checks.well_definedness && wanted(i) {
                    ill_defined.push(e);
                }
                all_before = false;
            }
            Err(e) if wanted(i) => return Err(e),
            Err(_) => all_before = false,
        }
    }
    Ok(broken)
}
