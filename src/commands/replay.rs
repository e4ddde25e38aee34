//! `bsym replay`: checks whether a trace is one of the machine, and which violations are at its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use bsym_encodings::patience::Patience;
use bsym_language::model::{EventId, LocalId, Model};
use bsym_language::source::Span;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::file::{INITIALISATION, trace_from_json};
use bsym_semantics::trace::following::{Offered, follow, offered};
use bsym_semantics::trace::partial::{PartialStep, partial_from_itf, partial_from_prob};
use bsym_semantics::trace::replay::{Checks, ChoiceCounts, replay_with};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::value::Value;
use bsym_semantics::verdict::Reason;

use crate::answer::Answer;
use crate::answer::diagnostic::place;
use crate::answer::not_checked::DroppedObject;
use crate::answer::replay::{ChoicesObject, FailureObject, OfferObject, Replay, Replayed};
use crate::answer::scope::ScopeObject;
use crate::answer::trace::{StepObject, ViolatedObject, constants};
use crate::arguments::{ReplayArguments, ScopeArguments};
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::traces::Format;
use crate::tuning::tuning;
use crate::{input, solvers};

/// A machine and a trace of it, or the reason why it is none.
struct Loaded {
    model: Model,
    settings: BTreeMap<String, String>,
    trace: Trace,
    /// Values of the file that could not be read.
    unread: Vec<String>,
    failure: Option<FailureObject>,
    /// The trace may be one of the machine: steps were not looked at.
    is_open: bool,
}

/// Runs the command.
pub fn run(arguments: &ReplayArguments, control: &Control) -> anyhow::Result<Answer> {
    let path = &arguments.trace;
    let shown = path.display();
    if path.is_dir() {
        bail!("{shown}: is a folder, expected a trace");
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown}: the trace cannot be read"))?;
    let loaded = match Format::of(path) {
        Ok(format @ (Format::Itf | Format::Prob)) => others(arguments, format, &text, control)?,
        Ok(Format::Own) | Err(_) => own(arguments, &text)?,
    };
    let Some(Loaded { model, settings, trace, unread, failure, is_open }) = loaded else {
        control.finish();
        return Ok(Answer::stopped(&control.stopped().unwrap_or(Reason::Interrupted)));
    };
    let cancelled = control.budget.cancellation();
    let judged = match failure {
        Some(failure) => Some((Replayed::Failed(Box::new(failure), is_open), None, None)),
        None => interruptible(&cancelled, control.budget.deadline, |flag| judge(&model, &trace, flag)),
    };
    control.finish();
    // An incomplete evaluation says nothing about the trace.
    let Some((replayed, choices, before)) = judged else {
        return Ok(Answer::stopped(&control.stopped().unwrap_or(Reason::Interrupted)));
    };
    let trace = before.unwrap_or(trace);
    let mut answer = Replay::new(
        &model.name,
        ScopeObject::new(&model, &trace.scope, &settings),
        (constants(&model, &trace), StepObject::all(&model, &trace)),
        DroppedObject::all(&model),
        replayed,
        control.seconds(),
    );
    (answer.choices, answer.unread) = (choices, unread);
    Ok(Answer::Replay(Box::new(answer)))
}

/// A trace that says everything, its scope too.
fn own(arguments: &ReplayArguments, text: &str) -> anyhow::Result<Option<Loaded>> {
    let ScopeArguments { scope, maxint, minint, set, .. } = &arguments.scope;
    let shown = arguments.trace.display();
    let asked = [
        ("--scope", !scope.is_empty()),
        ("--maxint", maxint.is_some()),
        ("--minint", minint.is_some()),
        ("--set", !set.is_empty()),
    ];
    if let Some((flag, _)) = asked.iter().find(|(_, is_given)| *is_given) {
        bail!(
            Refusal::new(format!("{flag}: `{shown}` says its scope and its constants itself"))
                .help("the flag is for traces in ITF and those of ProB")
        );
    }
    let model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let trace = trace_from_json(&model, text).with_context(|| shown.to_string())?;
    Ok(Some(Loaded {
        model,
        settings: BTreeMap::new(),
        trace,
        unread: vec![],
        failure: None,
        is_open: false,
    }))
}

/// A trace of another tool, which tells parts: steps that fit it. `None` where that is interrupted.
fn others(
    arguments: &ReplayArguments,
    format: Format,
    text: &str,
    control: &Control,
) -> anyhow::Result<Option<Loaded>> {
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { model, scope, settings, .. } = read;
    let partial = match format {
        Format::Itf => partial_from_itf(&model, &scope, text),
        _ => partial_from_prob(&model, &scope, text),
    };
    let partial = partial.map_err(|e| Refusal::new(format!("{}: {e}", arguments.trace.display())))?;
    let model = Arc::new(model);
    let finder = Patience::new(model.clone(), solvers::choose_if_any(None)?, &control.budget);
    let cancelled = control.budget.cancellation();
    let followed = interruptible(&cancelled, control.budget.deadline, |flag| {
        let cuts = Cuts::default();
        let eval = Evaluator::new(&model, &scope)
            .with_finder(&finder)
            .with_bounded_choices(&cuts)
            .with_interrupt(flag);
        let followed = follow(&eval, &partial);
        if eval.is_interrupted() {
            return None;
        }
        let failure = followed.stop.as_ref().map(|stop| {
            let known = stop.step.and_then(|at| partial.steps.get(at));
            let at = FailedAt { step: stop.step, reason: stop.reason.clone(), span: stop.span };
            let path = followed.constants.as_deref().map(|constants| (constants, &followed.steps[..]));
            failure(&eval, at, stop.text(&partial), known, path)
        });
        (!eval.is_interrupted()).then_some((followed, failure))
    });
    drop(finder);
    let Some((followed, failure)) = followed else { return Ok(None) };
    let is_open = followed.stop.is_some_and(|stop| stop.is_open);
    let constants = followed.constants.unwrap_or_default();
    let trace = Trace::new(scope, constants, followed.steps);
    let model = Arc::unwrap_or_clone(model);
    Ok(Some(Loaded { model, settings, trace, unread: partial.unread, failure, is_open }))
}

/// The place where a trace fails, and the reason.
struct FailedAt {
    step: Option<usize>,
    reason: String,
    span: Option<Span>,
}

/// Describes a failure, with the steps that the machine can take instead behind the given ones.
fn failure(
    eval: &Evaluator<'_>,
    at: FailedAt,
    text: String,
    known: Option<&PartialStep>,
    path: Option<(&[Value], &[Step])>,
) -> FailureObject {
    let model = eval.model;
    let (file, line, column) = at.span.map(|s| place(&model.text.sources, s)).unwrap_or_default();
    let id = |name: &str| model.events.iter().position(|e| e.name == name).map(|i| EventId(i as u32));
    let event = known.and_then(|known| id(known.event.as_deref()?));
    let offered = match path {
        Some((constants, [])) if at.step.is_some() => {
            offered(eval, constants, None, None, tuning().listed.offered)
        }
        Some((constants, [.., last])) => match &last.state {
            Some(state) => offered(eval, constants, Some(state), event, tuning().listed.offered),
            None => Offered::default(),
        },
        _ => Offered::default(),
    };
    let before = path.and_then(|(_, steps)| steps.last()?.state.as_ref());
    FailureObject {
        step: at.step,
        reason: at.reason,
        text,
        file,
        line,
        column,
        expected: known.map(|known| OfferObject::known(eval, known, before)),
        allowed: offered.steps.iter().map(|step| OfferObject::of_step(eval, step, before)).collect(),
        more_allowed: offered.more,
    }
}

/// A step as it is known of a trace that tells everything.
fn known(model: &Model, step: &Step) -> PartialStep {
    let event = step.event.and_then(|e| model.events.get(e.index()));
    let locals = |ids: &[LocalId], values: &[Value]| {
        let name = |l: &LocalId| model.locals.get(l.index()).map_or(String::new(), |v| v.name.clone());
        ids.iter().map(name).zip(values.iter().cloned()).collect()
    };
    let variables = model.variables.iter().map(|v| v.name.clone());
    PartialStep {
        event: Some(event.map_or(INITIALISATION, |e| e.name.as_str()).to_string()),
        parameters: event.map(|e| locals(&e.parameters, &step.execution.parameters)).unwrap_or_default(),
        results: event.map(|e| locals(&e.results, &step.execution.results)).unwrap_or_default(),
        state: variables.zip(step.state.iter().flatten().cloned()).collect(),
        fails: step.state.is_none(),
    }
}

/// Judges a trace as the engines do: a violation behind a step about which B makes no claim is no fault.
///
/// Where it fails, the steps before are returned as well. `None` where it is interrupted.
fn judge(
    model: &Model,
    trace: &Trace,
    interrupt: &AtomicBool,
) -> Option<(Replayed, Option<ChoicesObject>, Option<Trace>)> {
    let checks = Checks { assertions: true, deadlock: true, goal: true, ..Checks::default() };
    let eval = Evaluator::new(model, &trace.scope).with_interrupt(interrupt);
    let replayed = replay_with(&eval, trace, &checks);
    if interrupt.load(Ordering::Relaxed) {
        return None;
    }
    let judged = match replayed {
        Err(error) => {
            let text = error.to_string();
            let at = error.step.filter(|at| *at < trace.steps.len());
            let before = &trace.steps[..at.unwrap_or(0)];
            let path = at.map(|_| (&trace.constants[..], before));
            let wanted = at.map(|at| known(model, &trace.steps[at]));
            let cuts = Cuts::default();
            let eval = eval.with_bounded_choices(&cuts);
            let at = FailedAt { step: error.step, reason: error.reason, span: error.span };
            let failure = failure(&eval, at, text, wanted.as_ref(), path);
            let before = Trace { steps: before.to_vec(), ..trace.clone() };
            (Replayed::Failed(Box::new(failure), false), None, Some(before))
        }
        Ok(replayed) => {
            let violated = ViolatedObject::explained(model, trace, &replayed.violations);
            let ChoiceCounts { given, unused, found } = replayed.choices;
            let judged = match doubt::doubt(model, trace).filter(|_| !violated.is_empty()) {
                Some(dropped) => Replayed::Doubtful(violated, doubt::sentence(model, dropped)),
                None => Replayed::Good(violated),
            };
            (judged, Some(ChoicesObject { given, unused, found }), None)
        }
    };
    (!interrupt.load(Ordering::Relaxed)).then_some(judged)
}
