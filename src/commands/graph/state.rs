//! `bsym graph --state`: the picture of one state.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use bsym_encodings::patience::Patience;
use bsym_explore::options::{Limits, SearchOptions};
use bsym_explore::search::{Problem, search};
use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::trace::file::trace_from_json;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::Execution;
use bsym_semantics::verdict::{Reason, Verdict};

use super::common::{Format, begun, predicate, text_of};
use crate::answer::Answer;
use crate::answer::graph::{GraphAnswer, StateObject, ViewWord};
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::arguments::GraphArguments;
use crate::commands::eval::{Place, name_elements, place_of};
use crate::paint::Paint;
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::snapshot::{Custom, Options, Snapshot, Visb, picture};
use crate::{drawing, input, output, solvers};

/// Runs the command for one state.
pub(super) fn run(arguments: &GraphArguments, format: Format, control: &Control) -> anyhow::Result<Answer> {
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let (model, mut answer, own, found) = match &arguments.trace {
        Some(path) => {
            let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
            let trace = read_trace(&model, path)?;
            let answer =
                begun(arguments, &model, ScopeObject::new(&model, &trace.scope, &Default::default()));
            let own = Own::read(arguments, &mut model);
            (Arc::new(model), answer, own, StateLookup::Trace(trace))
        }
        None => {
            let read =
                input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
            let input::Finite { mut model, scope, settings, .. } = read;
            let wanted = arguments.state.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let answer = begun(arguments, &model, ScopeObject::new(&model, &scope, &settings));
            name_elements(&mut model, &scope);
            let paint = Paint::stderr(arguments.output.color);
            if let Some(text) = wanted {
                model.definitions.goal = Some(predicate(&mut model, "--state", text, paint)?);
            }
            let own = Own::read(arguments, &mut model);
            let model = Arc::new(model);
            let finder = Patience::new(model.clone(), solver, &control.budget);
            let problem = Problem { model: &model, scope: &scope, finder: Some(&finder as &dyn ValueFinder) };
            let found = match wanted {
                Some(_) => first(arguments, &problem, control),
                None => initial(&problem, control)?,
            };
            (model, answer, own, found)
        }
    };
    control.finish();
    answer.view = ViewWord::State;
    answer.stats = TimeObject { seconds: control.seconds() };
    let trace = match found {
        StateLookup::Trace(trace) => trace,
        StateLookup::None(states) => bail!(no_state(arguments, &model, states)),
        StateLookup::Stopped(reason) => {
            answer.incomplete(Some(reason.code()), format!("no state is drawn: {}", reason.text()));
            return Ok(Answer::Graph(Box::new(answer)));
        }
    };
    let step = step(arguments, &trace)?;
    draw(arguments, format, (&model, &trace, step), &own, answer)
}

/// Result of looking for the state.
enum StateLookup {
    /// The state is one of this trace.
    Trace(Trace),
    /// No state of this many is as asked for, and there are no others.
    None(u64),
    Stopped(Reason),
}

fn read_trace(model: &Model, path: &Path) -> anyhow::Result<Trace> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{shown}: the trace cannot be read"))?;
    trace_from_json(model, &text).with_context(|| shown.to_string())
}

/// The first initial state with the first values of the constants.
fn initial(problem: &Problem<'_>, control: &Control) -> anyhow::Result<StateLookup> {
    let cancelled = control.budget.cancellation();
    let place = interruptible(&cancelled, control.budget.deadline, |flag| {
        let eval = Evaluator::new(problem.model, problem.scope).with_interrupt(flag);
        place_of(
            problem.model,
            problem.scope,
            &match problem.finder {
                Some(finder) => eval.with_finder(finder),
                None => eval,
            },
        )
    });
    match (place, control.stopped()) {
        (Ok(Place { scope, constants, state }), _) => {
            let step = Step { event: None, execution: Execution::default(), state: Some(state) };
            Ok(StateLookup::Trace(Trace::new(scope, constants, vec![step])))
        }
        (Err(_), Some(reason)) => Ok(StateLookup::Stopped(reason)),
        (Err(error), None) => Err(error),
    }
}

/// Searches for the first state that satisfies the goal.
fn first(arguments: &GraphArguments, problem: &Problem<'_>, control: &Control) -> StateLookup {
    let options = SearchOptions {
        checks: Checks { invariant: Some(vec![]), goal: true, well_definedness: false, ..Checks::default() },
        limits: Limits {
            states: arguments.max_states,
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            time: control.budget.left(),
        },
        cancelled: control.budget.cancellation(),
        ..SearchOptions::default()
    };
    let mut reporter =
        Reporter::new(Arc::new(problem.model.clone()), control, &arguments.output, Arc::default());
    let report = search(problem, &options, &mut reporter);
    reporter.finish();
    match report.verdict {
        Verdict::Violated(found) | Verdict::Doubtful(found, _) => StateLookup::Trace(found.trace),
        Verdict::Holds(_) => StateLookup::None(report.statistics.states),
        Verdict::Conditional(_, conditions) => {
            let open = conditions.first().map(|condition| condition.message()).unwrap_or_default();
            StateLookup::Stopped(Reason::ExistenceUndecided(format!("none was found, but {open}")))
        }
        Verdict::Contradiction(_) => StateLookup::Stopped(Reason::ExistenceUndecided(
            "the search and the reference evaluator differ; this is a mistake of bsym, please report it"
                .into(),
        )),
        Verdict::Vacuous(why, _) => StateLookup::Stopped(Reason::ExistenceUndecided(why.to_string())),
        Verdict::Unknown(reason) => StateLookup::Stopped(control.stopped().unwrap_or(reason)),
    }
}

fn no_state(arguments: &GraphArguments, model: &Model, states: u64) -> Refusal {
    let text = arguments.state.as_deref().unwrap_or_default();
    Refusal::new(format!(
        "--state: none of the {states} reachable states of {} satisfies `{text}`",
        model.name
    ))
    .help("another predicate, or a larger --scope or --maxint")
}

/// The position of the step whose state is drawn.
fn step(arguments: &GraphArguments, trace: &Trace) -> anyhow::Result<usize> {
    let last = trace.steps.len().saturating_sub(1);
    let step = match arguments.step {
        Some(step) if step > last => bail!(
            Refusal::new(format!("--step {step}: the trace ends with step {last}"))
                .help("step 0 is the initialisation")
        ),
        Some(step) => step,
        None => last,
    };
    match trace.steps.get(step).map(|step| step.state.is_some()) {
        Some(true) => Ok(step),
        // Only a last step may fail.
        _ if arguments.step.is_none() && step > 0 => Ok(step - 1),
        _ => bail!(
            Refusal::new(format!("--step {step}: this step fails before it reaches a state"))
                .help("name a step before it")
        ),
    }
}

fn draw(
    arguments: &GraphArguments,
    format: Format,
    (model, trace, step): (&Model, &Trace, usize),
    own: &Own,
    mut answer: GraphAnswer,
) -> anyhow::Result<Answer> {
    let state = trace.steps[step].state.clone().unwrap_or_default();
    let snapshot = Snapshot { model, scope: &trace.scope, constants: &trace.constants, state: &state };
    answer.complete = true;
    answer.state = Some(StateObject::new(model, trace, step));
    if arguments.visb {
        return visb(arguments, &snapshot, own, answer);
    }
    let title = format!("{}: a state", model.name);
    let custom = own.custom.as_ref().filter(|_| !arguments.by_type);
    let own = match custom.map(|own| (own.failures.first(), own)) {
        None => None,
        Some((Some(failure), _)) => Some(Err(failure.clone())),
        Some((None, own)) => Some(own.picture(&snapshot, title.clone())),
    };
    let options = Options { all_constants: arguments.constants, ..Options::default() };
    let drawn = match own {
        Some(Ok(drawn)) => drawn,
        Some(Err(failure)) => {
            answer.incomplete(None, format!("drawn by type, because of {failure}"));
            picture(&snapshot, title, &options)
        }
        None => picture(&snapshot, title, &options),
    };
    answer.messages.extend(drawn.remarks.iter().cloned());
    (answer.nodes, answer.edges) = (drawn.nodes.len(), drawn.edges.len());
    let Some(path) = &arguments.out else {
        if arguments.output.is_for_programs() {
            return Ok(Answer::Graph(Box::new(answer)));
        }
        output::result(&drawing::dot(&drawn));
        answer.messages.iter().for_each(|message| output::note(message));
        return Ok(Answer::Said(answer.exit()));
    };
    let text = match text_of(format, &drawn) {
        Some(text) => text,
        None => serde_json::to_string_pretty(&answer)? + "\n",
    };
    if output::write(path, &text) {
        answer.picture = Some(path.display().to_string());
    }
    Ok(Answer::Graph(Box::new(answer)))
}

/// Writes the SVG that the machine defines.
fn visb(
    arguments: &GraphArguments,
    snapshot: &Snapshot<'_>,
    own: &Own,
    mut answer: GraphAnswer,
) -> anyhow::Result<Answer> {
    let Some(visb) = &own.visb else {
        let refusal = Refusal::new(format!("--visb: {} defines no drawing", snapshot.model.name));
        bail!(refusal.help("VISB_SVG_FILE, VISB_JSON_FILE and VISB_SVG_OBJECTS are definitions of one"));
    };
    let mut failures: BTreeSet<String> = visb.failures.iter().map(ToString::to_string).collect();
    let drawn = visb.svg(snapshot, &mut failures);
    for failure in failures {
        answer.incomplete(None, failure);
    }
    let text = match drawn {
        Ok(text) => text,
        Err(failure) => {
            bail!(Refusal::new(format!("--visb: {failure}")).help("mend the file, or leave out --visb"))
        }
    };
    match &arguments.out {
        Some(path) => {
            if output::write(path, &text) {
                answer.picture = Some(path.display().to_string());
            }
            Ok(Answer::Graph(Box::new(answer)))
        }
        None if arguments.output.is_for_programs() => Ok(Answer::Graph(Box::new(answer))),
        None => {
            output::result(&text);
            answer.messages.iter().for_each(|message| output::note(message));
            Ok(Answer::Said(answer.exit()))
        }
    }
}

/// Pictures that the machine defines.
struct Own {
    custom: Option<Custom>,
    visb: Option<Visb>,
}

impl Own {
    fn read(arguments: &GraphArguments, model: &mut Model) -> Own {
        let folder = arguments.file.parent().unwrap_or(Path::new(""));
        let visb = if arguments.visb { Visb::read(model, folder) } else { None };
        Own { custom: Custom::read(model), visb }
    }
}

/// `--state` draws no state space.
pub(super) fn check(arguments: &GraphArguments) -> anyhow::Result<()> {
    if arguments.step.is_some() && arguments.trace.is_none() {
        bail!(Refusal::new("--step is a step of a trace").help("name the trace with --trace FILE"));
    }
    let is_svg = |out: &Path| out.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    if arguments.visb && !arguments.out.as_deref().is_none_or(is_svg) {
        bail!(Refusal::new("--visb writes SVG").help("name the file .svg, or leave out -o"));
    }
    if arguments.visb && arguments.state.is_none() && arguments.trace.is_none() {
        bail!(Refusal::new("--visb draws one state").help("add --state, or --trace FILE"));
    }
    if let (Some(path), Some(out)) = (&arguments.trace, &arguments.out) {
        output::check_writable(out, "-o", &[path.as_path()])?;
    }
    Ok(())
}
