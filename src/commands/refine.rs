//! `bsym refine`: a refinement of classical B held against its abstractions, in a finite scope.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::bail;
use bsym_encodings::patience::Patience;
use bsym_explore::options::Limits;
use bsym_explore::refinement::{RefinementOptions, RefinementVerdict, check};
use bsym_explore::report::Unknown;
use bsym_explore::search::Problem;
use bsym_language::model::{Model, Notation, Relation};
use bsym_semantics::evaluator::finder::ValueFinder;

use crate::answer::Answer;
use crate::answer::refinement::{RefinementAnswer, RefinementObject, Words};
use crate::answer::scope::ScopeObject;
use crate::answer::verdict_word::VerdictWord;
use crate::answer::verification::search_reason;
use crate::arguments::RefineArguments;
use crate::commands::simulation::prove;
use crate::commands::{compared, default_scope};
use crate::control::Control;
use crate::progress::Reporter;
use crate::refusal::Refusal;
use crate::{input, output, solvers, traces};

/// Least time for a proof where no limit is set.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(arguments: &RefineArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read =
        input::finite_refinement(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { model, scope, settings, sizes } = read;
    let Some(refined) = &model.refined else { bail!(no_abstraction(&model)) };
    let parts = refined.side_by_side(&model);
    let begun = RefinementAnswer {
        format: "bsym-refine",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        found: RefinementObject::new(&parts, ScopeObject::new(&model, &scope, &settings)),
        simulation: None,
        trace_file: None,
        not_checked: compared::left(&model),
    };
    // What is known so far is printed if the search does not stop when it is asked to.
    let known = Arc::new(Mutex::new(begun));
    let (stuck, clock) = (known.clone(), control.clone());
    control.set_fallback(move |reason| {
        let mut answer = stuck.lock().unwrap_or_else(PoisonError::into_inner).clone();
        answer.found.unknown(reason);
        answer.found.stats.seconds = clock.seconds();
        Answer::Refinement(Box::new(answer))
    });
    let joint = Arc::new(parts.model.clone());
    let finder = Patience::new(joint, solver.clone(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &parts.model, scope: &scope, finder };
    let options = RefinementOptions {
        limits: Limits {
            states: arguments.max_states,
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            // The other half is for a proof.
            time: control.budget.left().map(|left| left / 2),
        },
        cancelled: control.budget.cancellation(),
        no_well_definedness: false,
        reference_only: false,
    };
    let shared = Arc::new(model.clone());
    let mut reporter = Reporter::new(shared, control, &arguments.output, Arc::default());
    let report = check(&problem, &parts, &model, &options, &mut reporter);
    let mut simulated = None;
    if let (Some(solver), RefinementVerdict::Holds | RefinementVerdict::Unknown(_), None) =
        (&solver, &report.verdict, control.stopped())
    {
        let open = input::scope(&model, &arguments.scope)?;
        let longest = control.budget.deadline.is_none().then(|| report.time.max(PATIENCE));
        simulated = Some(prove(&model, refined, &open, solver, longest, control));
    }
    control.finish();
    reporter.finish();
    let mut answer = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let words = Words { model: &model, parts: &parts, scope: &scope };
    let why = |unknown: &Unknown| search_reason(&model, unknown, &report.incomplete, &report.cuts);
    answer.found.settle(&words, &report, &why);
    if let RefinementVerdict::Vacuous(why) = &report.verdict
        && let Some(doubt) = default_scope::doubt(&model, &scope, &sizes, &why.to_string())
    {
        answer.found.unknown(&doubt);
    }
    if simulated.as_ref().is_some_and(|s| s.proof.is_some()) {
        (answer.found.verdict, answer.found.reason, answer.found.message) = (VerdictWord::Holds, None, None);
    }
    answer.simulation = simulated;
    if let (Some(path), RefinementVerdict::Violated(found)) = (&arguments.trace, &report.verdict)
        && output::write(path, &traces::text(path, &model, &found.trace))
    {
        answer.trace_file = Some(path.display().to_string());
    }
    answer.found.stats.seconds = control.seconds();
    Ok(Answer::Refinement(Box::new(answer)))
}

fn no_abstraction(model: &Model) -> Refusal {
    if model.notation == Notation::EventB {
        return Refusal::new(format!("{} is an Event-B model", model.name))
            .help("`bsym check` and `bsym mc` check that the events of all levels can follow: guards, simulation, witnesses");
    }
    if model.components.iter().any(|c| c.relation == Relation::Refines) {
        return Refusal::new(format!("the abstraction of {} is not complete", model.name))
            .help("load all machines that it refers to");
    }
    Refusal::new(format!("{} refines nothing", model.name))
        .help("name a REFINEMENT or IMPLEMENTATION; its abstraction is looked for in the same folder")
}
