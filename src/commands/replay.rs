//! `bsym replay`: checks whether a trace is one of the machine, and which violations are at its end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::file::trace_from_json;
use bsym_semantics::trace::replay::{Checks, ChoiceCounts, replay_with};
use bsym_semantics::verdict::Reason;

use crate::answer::Answer;
use crate::answer::diagnostic::place;
use crate::answer::not_checked::DroppedObject;
use crate::answer::replay::{ChoicesObject, FailureObject, Replay, Replayed};
use crate::answer::scope::ScopeObject;
use crate::answer::trace::{StepObject, ViolatedObject, constants};
use crate::arguments::ReplayArguments;
use crate::input;
use crate::race::control::Control;
use crate::refusal::Refusal;

/// Runs the command.
pub fn run(arguments: &ReplayArguments, control: &Control) -> anyhow::Result<Answer> {
    let path = &arguments.trace;
    let shown = path.display();
    let name = path.to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".itf.json") || name.ends_with(".prob2trace") {
        bail!(
            Refusal::new(format!("`{shown}`: only bsym's own traces are replayed"))
                .help("write one with --trace NAME.json")
        );
    }
    if path.is_dir() {
        bail!("{shown}: is a folder, expected a trace");
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown}: the trace cannot be read"))?;
    let model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let trace: Trace = trace_from_json(&model, &text).with_context(|| shown.to_string())?;
    let cancelled = control.budget.cancellation();
    let judged = interruptible(&cancelled, control.budget.deadline, |flag| judge(&model, &trace, flag));
    control.finish();
    // An incomplete evaluation says nothing about the trace.
    let Some((replayed, choices)) = judged else {
        return Ok(Answer::stopped(&control.stopped().unwrap_or(Reason::Interrupted)));
    };
    let mut answer = Replay::new(
        &model.name,
        ScopeObject::new(&model, &trace.scope, &BTreeMap::new()),
        (constants(&model, &trace), StepObject::all(&model, &trace)),
        DroppedObject::all(&model),
        replayed,
        control.seconds(),
    );
    answer.choices = choices;
    Ok(Answer::Replay(Box::new(answer)))
}

/// Judges a trace as the engines do: a violation behind a step about which B makes no claim is no fault.
///
/// `None` where it is interrupted.
fn judge(model: &Model, trace: &Trace, interrupt: &AtomicBool) -> Option<(Replayed, Option<ChoicesObject>)> {
    let checks = Checks { assertions: true, deadlock: true, goal: true, ..Checks::default() };
    let eval = Evaluator::new(model, &trace.scope).with_interrupt(interrupt);
    let replayed = replay_with(&eval, trace, &checks);
    if interrupt.load(Ordering::Relaxed) {
        return None;
    }
    Some(match replayed {
        Err(error) => {
            let (file, line, column) = error.span.map(|s| place(&model.sources, s)).unwrap_or_default();
            let text = error.to_string();
            let failure = FailureObject { step: error.step, reason: error.reason, text, file, line, column };
            (Replayed::Failed(failure), None)
        }
        Ok(replayed) => {
            let violated = ViolatedObject::explained(model, trace, &replayed.violations);
            let ChoiceCounts { given, unused, found } = replayed.choices;
            let judged = match doubt::doubt(model, trace).filter(|_| !violated.is_empty()) {
                Some(dropped) => Replayed::Doubtful(violated, doubt::sentence(model, dropped)),
                None => Replayed::Good(violated),
            };
            (judged, Some(ChoicesObject { given, unused, found }))
        }
    })
}
