//! `bsym simulate`: a seeded random walk over the transition system.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bsym_explore::search::Problem;
use bsym_explore::walk::{End, Walk, WalkOptions, walk};
use bsym_language::model::Model;
use bsym_semantics::doubt;
use bsym_semantics::finder::ValueFinder;
use bsym_semantics::replay::Checks;
use serde_json::json;

use crate::answer::text as human;
use crate::answer::{ViolatedObject, constants_object, place, scope_object, trace_object, violated_objects};
use crate::arguments::{ScopeItem, SimulateArguments};
use crate::commands::enlarge;
use crate::commands::mc;
use crate::control::Control;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::{solvers, traces};

/// Runs the command: 0 at the end of the steps or in a deadlock, 1 at a violation, 3 if the walk cannot go
/// on because something is not known.
pub fn run(arguments: &SimulateArguments, control: &Control) -> Result<u8, Refusal> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let mut sizes = arguments.scope.clone();
    sizes.scope.push(ScopeItem::Prob);
    let scope = input::scope(&model, &sizes)?;
    let settings = input::fix_constants(&mut model, &sizes.set, Paint::stderr(arguments.output.color))?;
    let model = Arc::new(model);
    let finder = solver.map(|solver| mc::finder(model.clone(), solver, &control.budget));
    let finder = finder.as_ref().map(|f| f as &dyn ValueFinder);
    let options = WalkOptions {
        steps: arguments.steps,
        seed: arguments.seed,
        checks: Checks { assertions: true, well_definedness: !arguments.no_wd, ..Checks::default() },
        time: control.budget.deadline.map(|d| d.saturating_duration_since(Instant::now())),
        cancelled: control.budget.cancellation(),
    };
    control.set_fallback(|reason| {
        output::note(&format!("the walk was stopped: {}", reason.text));
        3
    });
    let walked = walk(&Problem { model: &model, scope: &scope, finder }, &options);
    control.finish();
    let mut ending = Ending::of(&model, &walked, control);
    if let End::Vacuous(reason) = &walked.end
        && let Some(doubt) = enlarge::doubt(&model, &scope, &sizes, reason)
    {
        (ending.kind, ending.reason) = ("unknown", Some(doubt.text));
    }
    let trace = walked.trace.as_ref();
    let (constants, steps) = match trace {
        Some(trace) => (constants_object(&model, trace), trace_object(&model, trace)),
        None => Default::default(),
    };
    let asked = arguments.trace.as_ref().zip(trace);
    let written = asked.filter(|(path, trace)| output::write(path, &traces::text(path, &model, trace)));
    let trace_file = written.map(|(path, _)| path);
    if arguments.output.json || arguments.output.jsonl {
        let object = json!({
            "format": "bsym-simulation",
            "version": 1,
            "machine": model.name,
            "file": arguments.file.display().to_string(),
            "seed": arguments.seed,
            "scope": scope_object(&model, &scope, &settings),
            "ended": ending.kind,
            "reason": ending.reason,
            "events": steps.len().saturating_sub(1),
            "violated": ending.violated,
            "constants": constants,
            "trace": steps,
            "trace_file": trace_file.map(|path| path.display().to_string()),
            "stats": {"seconds": control.seconds()},
        });
        if arguments.output.jsonl { output::json_line(&object) } else { output::json(&object) }
    } else {
        let paint = Paint::stdout(arguments.output.color);
        let mut text = ending.headline(&model, steps.len().saturating_sub(1), arguments.seed, paint);
        if trace.is_some() {
            text.push_str(&format!("\n{}", human::trace(&constants, &steps, &ending.violated, paint)));
        }
        if let Some(path) = trace_file {
            text.push_str(&format!("\ntrace written to {}\n", path.display()));
        }
        output::result(&text);
    }
    Ok(ending.code)
}

/// Why a walk ended, in words.
struct Ending {
    kind: &'static str,
    reason: Option<String>,
    violated: Vec<ViolatedObject>,
    code: u8,
}

impl Ending {
    fn of(model: &Model, walked: &Walk, control: &Control) -> Ending {
        let ending = |kind, reason, code| Ending { kind, reason, violated: vec![], code };
        match &walked.end {
            End::Steps => ending("steps", None, 0),
            End::Deadlock => ending("deadlock", None, 0),
            End::Violated(found) => {
                let doubt = walked.trace.as_ref().and_then(|t| doubt::doubt(model, t));
                Ending {
                    violated: found.iter().flat_map(|v| violated_objects(model, v)).collect(),
                    ..match doubt {
                        Some(dropped) => ending("unknown", Some(doubt::sentence(model, dropped)), 3),
                        None => ending("violated", None, 1),
                    }
                }
            }
            End::Vacuous(reason) => ending("vacuous", Some(reason.clone()), 3),
            End::Interrupted => ending(
                "unknown",
                Some(control.stopped().map_or_else(|| "interrupted".into(), |reason| reason.text)),
                3,
            ),
            End::Unknown(part, e) => {
                let (file, line, _) = place(&model.sources, e.span);
                let at = file.zip(line).map(|(f, l)| format!(" ({f}:{l})")).unwrap_or_default();
                ending("unknown", Some(format!("{part}: {}{at}", e.message)), 3)
            }
        }
    }

    fn headline(&self, model: &Model, events: usize, seed: u64, paint: Paint) -> String {
        let (name, events) =
            (&model.name, if events == 1 { "1 event".into() } else { format!("{events} events") });
        let reason = self.reason.as_deref().unwrap_or_default();
        match self.kind {
            "steps" => format!("{}: {events} of {name} (seed {seed})\n", paint.good("simulated")),
            "deadlock" => {
                format!(
                    "{}: no event of {name} is enabled after {events} (seed {seed})\n",
                    paint.doubt("deadlock")
                )
            }
            "violated" => format!("{}: after {events} of {name} (seed {seed})\n", paint.bad("violated")),
            "vacuous" => format!("{}: {name} has no trace: {reason}\n", paint.doubt("vacuous")),
            _ => format!(
                "{}: after {events} of {name} (seed {seed}) it is not known how to go on\n  reason: {reason}\n",
                paint.doubt("unknown")
            ),
        }
    }
}
