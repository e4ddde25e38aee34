//! `bsym tests`: short traces that cover the operations of a machine, and the conditions of their guards.
//!
//! The states are visited with all edges; `select` finds a small set of shortest paths. Each becomes a trace by the
//! reference evaluator, which follows it step by step, and is replayed.

mod select;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use bsym_encodings::patience::Patience;
use bsym_explore::graph::{Collected, Content, Edge, GraphOptions, Operation, collect};
use bsym_explore::options::Limits;
use bsym_explore::search::Problem;
use bsym_language::diagnostic::nearest;
use bsym_language::load::check_predicate;
use bsym_language::model::{EventId, LocalId, Model};
use bsym_language::print;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::file::INITIALISATION;
use bsym_semantics::trace::following::follow;
use bsym_semantics::trace::partial::{PartialStep, PartialTrace};
use bsym_semantics::trace::replay::{Checks, replay};
use bsym_semantics::value::Value;
use bsym_semantics::verdict::Reason;

use self::select::{Selected, Target, Uncovered, conditions_of, select};
use crate::answer::Answer;
use crate::answer::cases::{CasesAnswer, TargetObject, TargetWord, TestObject};
use crate::answer::diagnostic::place;
use crate::answer::not_checked::DroppedObject;
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::answer::trace::{StepObject, constants};
use crate::answer::verification::search_reason;
use crate::arguments::TestsArguments;
use crate::paint::Paint;
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::{input, output, solvers, traces};

/// Endings of the files of a test.
const ENDINGS: [&str; 3] = ["json", "itf.json", "prob2trace"];

/// Runs the command.
pub fn run(arguments: &TestsArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("-o: the folder `{}` cannot be made", folder.display()))?;
        output::check_writable(&folder.join("test1.json"), "-o", &[&arguments.file])?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { mut model, scope, settings, .. } = read;
    let mut predicates = vec![];
    if let Some(text) = &arguments.end {
        let paint = Paint::stderr(arguments.output.color);
        predicates.push(check_predicate(&mut model, text).map_err(|diagnostics| {
            let refusal = Refusal::new(format!("--end: `{text}` is no predicate of {}", model.name));
            refusal.diagnostics(&model.text.sources, &diagnostics, paint)
        })?);
    }
    let events = operations(&model, &arguments.operations)?;
    let model = Arc::new(model);
    let begun = CasesAnswer {
        format: "bsym-tests",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        scope: ScopeObject::new(&model, &scope, &settings),
        states: 0,
        complete: false,
        reason: None,
        message: None,
        targets: vec![],
        tests: vec![],
        not_checked: DroppedObject::all(&model),
        stats: TimeObject { seconds: 0.0 },
    };
    let (stuck, clock) = (begun.clone(), control.clone());
    control.set_fallback(move |reason| {
        let (reason, message) = (Some(reason.code()), Some(reason.text()));
        let stats = TimeObject { seconds: clock.seconds() };
        Answer::Cases(Box::new(CasesAnswer { reason, message, stats, ..stuck }))
    });
    let finder = Patience::new(model.clone(), solver, &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let options = GraphOptions {
        limits: Limits {
            states: arguments.max_states,
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            // The tests are chosen in the rest of the time.
            time: control.budget.left().map(|left| left * 3 / 4),
        },
        cancelled: control.budget.cancellation(),
    };
    let mut reporter = Reporter::new(model.clone(), control, &arguments.output, Arc::default());
    let found =
        collect(&Problem { model: &model, scope: &scope, finder }, &predicates, &options, &mut reporter);
    reporter.finish();
    let mut answer = begun;
    answer.states = found.nodes.iter().filter(|node| matches!(node.content, Content::State(_))).count();
    say_how_far(&mut answer, &model, &found, control.stopped());
    let is_end = |node: usize| {
        let node = &found.nodes[node];
        matches!(node.content, Content::State(_)) && node.satisfies.iter().all(|satisfies| *satisfies)
    };
    let cancelled = control.budget.cancellation();
    // What was visited when the visit was stopped is still of use.
    let was_stopped = cancelled.load(Ordering::SeqCst);
    let (targets, selected) = interruptible(&cancelled, control.budget.deadline, |flag| {
        let eval = Evaluator::new(&model, &scope);
        let eval = if was_stopped { eval } else { eval.with_interrupt(flag) };
        let mut targets: Vec<Target> = events.iter().map(|event| Target::Operation(*event)).collect();
        targets.extend(arguments.mcdc.map(|depth| conditions_of(&eval, &events, depth)).unwrap_or_default());
        let is_over = || !was_stopped && flag.load(Ordering::SeqCst);
        let selected = select(&found, &eval, &targets, &is_end, arguments.depth, &is_over);
        if is_over() {
            answer.interrupted(&control.stopped().unwrap_or(Reason::Timeout));
        }
        (targets, selected)
    });
    control.finish();
    let tests: Vec<Option<Trace>> =
        selected.paths.iter().map(|path| trace_of(&found, &model, &scope, path)).collect();
    answer.targets = targets
        .iter()
        .zip(&selected.covered)
        .map(|(target, covered)| target_object(&model, target, *covered, &answer, arguments.depth))
        .collect();
    answer.tests = write(arguments, &model, &found, &selected, &tests);
    if tests.iter().any(Option::is_none) {
        answer.interrupted(&Reason::ReplayFailed("a path of the search could not be replayed".into()));
    }
    answer.stats.seconds = control.seconds();
    Ok(Answer::Cases(Box::new(answer)))
}

/// The events of these names; all events if there are no names.
fn operations(model: &Model, names: &[String]) -> anyhow::Result<Vec<EventId>> {
    let ids = || (0..model.events.len() as u32).map(EventId);
    if names.is_empty() {
        return Ok(ids().collect());
    }
    let of = |name: &String| {
        let known = || model.events.iter().map(|event| event.name.as_str());
        if let Some(i) = known().position(|known| known == name.trim()) {
            return Ok(EventId(i as u32));
        }
        let refusal = Refusal::new(format!("--operations: {} has no operation `{name}`", model.name));
        bail!(match nearest(name, known()) {
            Some(near) => refusal.help(format!("did you mean `{near}`?")),
            None => refusal.help(format!("its operations are: {}", known().collect::<Vec<_>>().join(", "))),
        })
    };
    names.iter().map(of).collect()
}

/// Says why there may be more states than were visited.
fn say_how_far(answer: &mut CasesAnswer, model: &Model, found: &Collected, stopped: Option<Reason>) {
    let why = if let Some(vacuous) = found.vacuous {
        (answer.reason, answer.message) = (Some(vacuous.code()), Some(vacuous.to_string()));
        return;
    } else if let Some(why) = &found.stopped {
        why.clone()
    } else if !found.incomplete.is_empty() {
        Reason::Incomplete(None)
    } else if !found.cuts.is_empty() {
        Reason::Bounded(None)
    } else {
        answer.complete = true;
        return;
    };
    answer.interrupted(&search_reason(model, &why, &found.incomplete, &found.cuts, stopped));
}

/// The trace of a path, which the reference evaluator takes and replays; `None` if it cannot.
fn trace_of(found: &Collected, model: &Model, scope: &Scope, path: &[Edge]) -> Option<Trace> {
    let valuation = path.last().and_then(|edge| found.nodes[edge.to].valuation);
    let constants = valuation.and_then(|v| found.constants.get(v)).cloned().unwrap_or_default();
    let names = |ids: &[LocalId], values: &[Value]| {
        let name = |l: &LocalId| model.locals.get(l.index()).map_or(String::new(), |v| v.name.clone());
        ids.iter().map(name).zip(values.iter().cloned()).collect()
    };
    let constants = model.constants.iter().map(|c| c.name.clone()).zip(constants).collect();
    let mut partial = PartialTrace { constants, ..PartialTrace::default() };
    for edge in path {
        let (label, Content::State(state)) = (&found.labels[edge.label], &found.nodes[edge.to].content)
        else {
            continue;
        };
        let event = match label.operation {
            Operation::Event(event) => model.events.get(event.index()),
            Operation::SetUp | Operation::Initialise => None,
        };
        partial.steps.push(PartialStep {
            event: Some(event.map_or(INITIALISATION, |event| event.name.as_str()).to_string()),
            parameters: event.map(|e| names(&e.parameters, &label.parameters)).unwrap_or_default(),
            results: event.map(|e| names(&e.results, &label.results)).unwrap_or_default(),
            state: model.variables.iter().map(|v| v.name.clone()).zip(state.iter().cloned()).collect(),
            fails: false,
        });
    }
    let followed = follow(&Evaluator::new(model, scope), &partial);
    if followed.stop.is_some() {
        return None;
    }
    let trace = Trace::new(scope.clone(), followed.constants?, followed.steps);
    let nothing = Checks { invariant: Some(vec![]), well_definedness: false, ..Checks::default() };
    replay(model, &trace, &nothing).ok().map(|_| trace)
}

fn target_object(
    model: &Model,
    target: &Target,
    covered: Result<usize, Uncovered>,
    answer: &CasesAnswer,
    depth: Option<usize>,
) -> TargetObject {
    let event = &model.events[target.event().index()];
    let (kind, condition, truth, span) = match target {
        Target::Operation(_) => (TargetWord::Operation, None, None, event.span),
        Target::Condition(_, condition, truth) => {
            let text = print::pred(model, &condition.pred);
            (TargetWord::Condition, Some(text), Some(*truth), condition.pred.span)
        }
    };
    let why = covered.err().map(|why| match (why, answer.complete) {
        (Uncovered::TooLong(n), _) => {
            format!("the shortest test has {n} events, more than --depth {}", depth.unwrap_or(0))
        }
        (Uncovered::Nowhere, true) => match kind {
            TargetWord::Operation => {
                format!("unreachable: it is taken in none of the {} states", answer.states)
            }
            TargetWord::Condition => {
                format!("unreachable: it decides so in none of the {} states", answer.states)
            }
        },
        (Uncovered::NoEnd, true) => "from nowhere behind it a state is reached that satisfies --end".into(),
        (Uncovered::Nowhere | Uncovered::NoEnd, false) => {
            format!(
                "not found in {} states: {}",
                answer.states,
                answer.message.as_deref().unwrap_or("stopped")
            )
        }
    });
    let (file, line, column) = place(&model.text.sources, span);
    TargetObject {
        kind,
        operation: event.name.clone(),
        condition,
        truth,
        test: covered.ok().map(|test| test + 1),
        is_impossible: covered == Err(Uncovered::Nowhere) && answer.complete,
        why,
        file,
        line,
        column,
    }
}

/// Writes the tests to the folder, if there is one.
fn write(
    arguments: &TestsArguments,
    model: &Model,
    found: &Collected,
    selected: &Selected,
    tests: &[Option<Trace>],
) -> Vec<TestObject> {
    let width = tests.len().to_string().len();
    let mut objects = vec![];
    for (i, (trace, path)) in tests.iter().zip(&selected.paths).enumerate() {
        let Some(trace) = trace else { continue };
        let name = format!("test{:0width$}", i + 1);
        let file = |folder: &Path, end: &&str| {
            let path = folder.join(format!("{name}.{end}"));
            output::write(&path, &traces::text(&path, model, trace)).then(|| path.display().to_string())
        };
        let files =
            arguments.out.as_ref().map(|folder| ENDINGS.iter().filter_map(|end| file(folder, end)).collect());
        let last = path.last().map(|edge| &found.nodes[edge.to]);
        objects.push(TestObject {
            number: i + 1,
            constants: constants(model, trace),
            trace: StepObject::all(model, trace),
            violates_invariant: last.is_some_and(|node| !node.violated.is_empty()),
            files: files.unwrap_or_default(),
        });
    }
    objects
}
