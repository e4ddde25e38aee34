//! `bsym simulate`: a seeded random walk over the transition system.

use std::path::Path;
use std::sync::Arc;

use bsym_encodings::patience::Patience;
use bsym_explore::search::Problem;
use bsym_explore::walk::{End, Walk, WalkOptions, walk};
use bsym_language::model::Model;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::verdict::{Reason, Vacuous};

use crate::answer::Answer;
use crate::answer::diagnostic::{location, place};
use crate::answer::named::Values;
use crate::answer::not_checked::DroppedObject;
use crate::answer::property::AxiomObject;
use crate::answer::scope::ScopeObject;
use crate::answer::simulation::{Ended, Simulation};
use crate::answer::statistics::TimeObject;
use crate::answer::trace::{StepObject, ViolatedObject, constants};
use crate::arguments::{ScopeArguments, SimulateArguments};
use crate::commands::default_scope;
use crate::commands::enlarge::contradiction;
use crate::input;
use crate::output;
use crate::race::control::Control;
use crate::{solvers, traces};

/// Runs the command.
pub fn run(arguments: &SimulateArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { model, scope, settings, sizes } = read;
    let model = Arc::new(model);
    let finder = Patience::new(model.clone(), solver.clone(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let options = WalkOptions {
        steps: arguments.steps,
        seed: arguments.seed,
        checks: Checks { assertions: true, well_definedness: !arguments.no_wd, ..Checks::default() },
        time: control.budget.left(),
        cancelled: control.budget.cancellation(),
    };
    let begun = begun(arguments, &model, ScopeObject::new(&model, &scope, &settings));
    let (stuck, clock) = (begun.clone(), control.clone());
    control.set_fallback(move |reason| {
        let stats = TimeObject { seconds: clock.seconds() };
        Answer::Simulation(Box::new(Simulation { reason: Some(reason.text()), stats, ..stuck }))
    });
    let walked = walk(&Problem { model: &model, scope: &scope, finder }, &options);
    let core = match &walked.end {
        End::Vacuous(Vacuous::NoValuation) => contradiction(&model, &scope, &sizes, control, solver.as_ref()),
        _ => None,
    };
    control.finish();
    let (ended, reason, violated) = match (&walked.end, &core) {
        (End::Vacuous(why), Some(_)) => (Ended::Vacuous, Some(why.to_string()), vec![]),
        _ => ending(&model, &scope, &sizes, &walked, control),
    };
    let trace = walked.trace.as_ref();
    let steps = trace.map(|trace| StepObject::all(&model, trace)).unwrap_or_default();
    let asked = arguments.trace.as_ref().zip(trace);
    let written = asked.filter(|(path, trace)| output::write(path, &traces::text(path, &model, trace)));
    Ok(Answer::Simulation(Box::new(Simulation {
        ended,
        reason,
        core: AxiomObject::all(&model, &core.unwrap_or_default()),
        events: steps.len().saturating_sub(1),
        violated,
        constants: trace.map(|trace| constants(&model, trace)).unwrap_or_default(),
        trace: steps,
        trace_file: written.map(|(path, _)| path.display().to_string()),
        stats: TimeObject { seconds: control.seconds() },
        ..begun
    })))
}

/// A walk before its first step.
fn begun(arguments: &SimulateArguments, model: &Model, scope: ScopeObject) -> Simulation {
    Simulation {
        format: "bsym-simulation",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        seed: arguments.seed,
        scope,
        ended: Ended::Unknown,
        reason: None,
        core: vec![],
        events: 0,
        violated: vec![],
        not_checked: DroppedObject::all(model),
        constants: Values::default(),
        trace: vec![],
        trace_file: None,
        stats: TimeObject { seconds: 0.0 },
    }
}

/// Returns why a walk ended, as a word and as a text, and the violations at its end.
fn ending(
    model: &Model,
    scope: &Scope,
    sizes: &ScopeArguments,
    walked: &Walk,
    control: &Control,
) -> (Ended, Option<String>, Vec<ViolatedObject>) {
    match &walked.end {
        End::Steps => (Ended::Steps, None, vec![]),
        End::Deadlock => (Ended::Deadlock, None, vec![]),
        End::Violated(found) => {
            let explained = |t| ViolatedObject::explained(model, t, found);
            let violated = walked.trace.as_ref().map(explained).unwrap_or_default();
            match walked.trace.as_ref().and_then(|t| doubt::doubt(model, t)) {
                Some(dropped) => (Ended::Unknown, Some(doubt::sentence(model, dropped)), violated),
                None => (Ended::Violated, None, violated),
            }
        }
        End::Vacuous(why) => match default_scope::doubt(model, scope, sizes, &why.to_string()) {
            Some(doubt) => (Ended::Unknown, Some(doubt.text()), vec![]),
            None => (Ended::Vacuous, Some(why.to_string()), vec![]),
        },
        End::Interrupted => {
            (Ended::Unknown, Some(control.stopped().unwrap_or(Reason::Interrupted).text()), vec![])
        }
        End::Unknown(part, e) => {
            let (file, line, _) = place(&model.text.sources, e.span);
            let at = location(&file, line).map(|at| format!(" ({at})")).unwrap_or_default();
            (Ended::Unknown, Some(format!("{part}: {}{at}", e.message)), vec![])
        }
    }
}
