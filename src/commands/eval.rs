//! `bsym eval`: the values of expressions and the truth of predicates, closed ones or those of a machine.

use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bsym_encodings::finder::SolverFinder;
use bsym_encodings::session::SolverChoice;
use bsym_language::diagnostic::Diagnostic;
use bsym_language::diagnostic::codes::{EXPECTED_EXPRESSION, NOT_AN_EXPRESSION};
use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::{Expr, Model, Pred};
use bsym_language::source::Span;
use bsym_semantics::env::Env;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::state::{Constants, State, Trace};
use bsym_semantics::trace_file::trace_from_json;
use serde::Serialize;

use crate::arguments::{EvalArguments, ScopeItem};
use crate::control::Control;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;

const TICK: Duration = Duration::from_millis(5);

/// Valuations that a solver is asked for: the first is used, a second says that there are several.
const SEARCHED: usize = 2;

/// What became of one input.
#[derive(Serialize)]
struct Evaluated<'i> {
    input: &'i str,
    kind: &'static str,
    /// The value as B text; `TRUE` or `FALSE` of a predicate.
    value: Option<String>,
    message: Option<String>,
    #[serde(flatten)]
    at: At,
    /// What it means for the exit code.
    #[serde(skip)]
    code: u8,
}

/// Where a message points to.
#[derive(Default, Serialize)]
struct At {
    /// In the input, or in the line of a file of the machine; from 1.
    column: Option<usize>,
    /// The file and the line, where it is a part of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl At {
    /// `inputs` is the first source that is none of the machine.
    fn of(model: &Model, inputs: usize, span: Span) -> At {
        if span == Span::default() {
            return At::default();
        }
        let position = model.sources.position(span);
        let column = Some(position.column as usize);
        if span.source.0 as usize >= inputs {
            return At { column, ..At::default() };
        }
        At { column, file: Some(model.sources.path(span).display().to_string()), line: Some(position.line) }
    }

    fn text(&self) -> String {
        match (&self.file, self.line, self.column) {
            (Some(file), Some(line), Some(column)) => format!(" ({file}:{line}:{column})"),
            (_, _, Some(column)) => format!(" (column {column})"),
            _ => String::new(),
        }
    }
}

/// Where names have their values.
struct Place {
    scope: Scope,
    constants: Constants,
    state: State,
}

/// Runs the command: 0 if everything was evaluated, 2 if an input is wrong, 3 if one could not be evaluated.
pub fn run(arguments: &EvalArguments, control: &Control) -> Result<u8, Refusal> {
    let (file, inputs) = split(&arguments.inputs);
    let mut model = match file {
        Some(file) => input::machine(Path::new(file), &arguments.component, &arguments.output)?.model,
        None => load_text("Empty.mch", "MACHINE Empty END")
            .model
            .ok_or_else(|| Refusal::new("the empty machine is not read"))?,
    };
    let paint = Paint::stderr(arguments.output.color);
    input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    // What is asked to stop and does not has nothing more to say.
    control.set_fallback(|_| 3);
    let watch = Watch::start(control, arguments.limits.timeout);
    let place = settle(&model, arguments, control, &watch)?;
    let mut worst = 0;
    let mut line = |text: &str| {
        if text.trim().is_empty() {
            return true;
        }
        watch.begin();
        let evaluated = evaluate(&mut model, &place, &watch, text);
        watch.end();
        show(&evaluated, arguments);
        worst = worst.max(evaluated.code);
        control.stopped().is_none()
    };
    if inputs.is_empty() {
        for text in std::io::stdin().lock().lines() {
            let text = text.map_err(|e| Refusal::new(format!("standard input cannot be read: {e}")))?;
            if !line(text.trim_end()) {
                break;
            }
        }
    } else {
        let _every = inputs.iter().all(|text| line(text));
    }
    control.finish();
    Ok(if control.stopped().is_some() { 3 } else { worst })
}

/// The machine, if the first input names one, and what is to be evaluated.
fn split(inputs: &[String]) -> (Option<&str>, &[String]) {
    let Some((first, rest)) = inputs.split_first() else { return (None, inputs) };
    let extension = Path::new(first).extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let is_machine = matches!(extension.as_str(), "mch" | "ref" | "imp" | "sys" | "eventb" | "bum" | "buc");
    if is_machine || Path::new(first).is_file() { (Some(first), rest) } else { (None, inputs) }
}

fn settle(
    model: &Model,
    arguments: &EvalArguments,
    control: &Control,
    watch: &Watch,
) -> Result<Place, Refusal> {
    if let Some(path) = &arguments.trace {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| Refusal::new(format!("{shown}: the trace cannot be read: {e}")))?;
        let trace: Trace =
            trace_from_json(model, &text).map_err(|e| Refusal::new(format!("{shown}: {e}")))?;
        let state = trace.steps.iter().rev().find_map(|s| s.state.clone()).unwrap_or_default();
        return Ok(Place { scope: trace.scope, constants: trace.constants, state });
    }
    let mut scope = arguments.scope.clone();
    scope.scope.push(ScopeItem::Prob);
    let scope = input::scope(model, &scope)?;
    // A solver is asked for constants and choices that enumeration cannot reach.
    let mut budget = control.budget.clone();
    budget.deadline = arguments.limits.timeout.and_then(|t| Instant::now().checked_add(t));
    let finder = SolverFinder::new(Arc::new(model.clone()), SolverChoice::Default, budget, SEARCHED);
    let eval = Evaluator::new(model, &scope).with_interrupt(&watch.flag).with_finder(&finder);
    watch.begin();
    let place = place_of(model, &scope, &eval);
    watch.end();
    place
}

/// The first valuation of the constants and the first initial state.
fn place_of(model: &Model, scope: &Scope, eval: &Evaluator<'_>) -> Result<Place, Refusal> {
    let help = "--set fixes a constant, --scope the size of a set, --trace gives a state";
    let mut found: Vec<Constants> = Vec::new();
    let mut why = None;
    let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
        match truth {
            Ok(()) => found.push(constants),
            Err(e) => why = Some(e.message),
        }
        if found.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let open = |e: &EvalError| e.message.clone();
    let several = found.len() > 1 || !found.is_empty() && done.is_err();
    let Some(constants) = found.into_iter().next() else {
        let why =
            done.as_ref().err().map(open).or(why).unwrap_or_else(|| "no values satisfy the axioms".into());
        return Err(Refusal::new(format!("the constants of {} have no value: {why}", model.name)).help(help));
    };
    if several {
        output::note(&format!(
            "note: {} has several valuations of its constants; this is the first",
            model.name
        ));
    }
    let mut states: Vec<State> = Vec::new();
    let done = eval.each_edge(None, &constants, &[], &mut |edge| {
        states.extend(edge.state().cloned());
        if states.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let several = states.len() > 1 || !states.is_empty() && done.is_err();
    let Some(state) = states.into_iter().next() else {
        let why = done
            .as_ref()
            .err()
            .map_or_else(|| "no execution of the initialisation reaches a state".into(), open);
        return Err(Refusal::new(format!("{} has no initial state: {why}", model.name)).help(help));
    };
    if several {
        output::note(&format!("note: {} has several initial states; this is the first", model.name));
    }
    Ok(Place { scope: scope.clone(), constants, state })
}

/// A text that was read.
enum Formula {
    Pred(Pred),
    Expr(Expr),
}

/// Reads a text as what it is; the messages are those of the reading that fits better.
fn read(model: &mut Model, text: &str) -> Result<Formula, Vec<Diagnostic>> {
    let of_predicate = match check_predicate(model, text) {
        Ok(pred) => return Ok(Formula::Pred(pred)),
        Err(diagnostics) => diagnostics,
    };
    let of_expression = match check_expression(model, text) {
        Ok(expr) => return Ok(Formula::Expr(expr)),
        Err(diagnostics) => diagnostics,
    };
    let is_predicate =
        of_expression.iter().any(|d| d.code == NOT_AN_EXPRESSION || d.code == EXPECTED_EXPRESSION);
    Err(if is_predicate { of_predicate } else { of_expression })
}

fn evaluate<'i>(model: &mut Model, place: &Place, watch: &Watch, text: &'i str) -> Evaluated<'i> {
    // What a formula adds to the model is taken away again: its text and its bound names.
    let (sources, locals) = (model.sources.clone(), model.locals.len());
    let evaluated = evaluate_in(model, place, watch, text);
    model.sources = sources;
    model.locals.truncate(locals);
    evaluated
}

fn evaluate_in<'i>(model: &mut Model, place: &Place, watch: &Watch, text: &'i str) -> Evaluated<'i> {
    let inputs = model.sources.iter().count();
    let wrong = |model: &Model, diagnostics: Vec<Diagnostic>| {
        let first = diagnostics.first();
        Evaluated {
            input: text,
            kind: "error",
            value: None,
            message: Some(first.map_or_else(|| "this is no formula".into(), |d| d.message.clone())),
            at: first.map(|d| At::of(model, inputs, d.span)).unwrap_or_default(),
            code: 2,
        }
    };
    let formula = match read(model, text) {
        Ok(formula) => formula,
        Err(diagnostics) => return wrong(model, diagnostics),
    };
    let eval = Evaluator::new(model, &place.scope).with_interrupt(&watch.flag);
    let env = Env::new(&place.constants, &place.state);
    let (kind, value) = match &formula {
        Formula::Pred(pred) => ("predicate", eval.pred(&env, pred).map(|truth| truth_text(truth).to_owned())),
        Formula::Expr(expr) => ("expression", eval.expr(&env, expr).map(|v| eval.text(&v))),
    };
    match value {
        Ok(value) => {
            Evaluated { input: text, kind, value: Some(value), message: None, at: At::default(), code: 0 }
        }
        Err(e) => {
            let (kind, message, code) = match e.kind {
                EvalErrorKind::IllDefined => ("ill-defined", e.message, 0),
                EvalErrorKind::Interrupted => ("error", watch.reason(), 3),
                _ => ("error", e.message, 3),
            };
            Evaluated {
                input: text,
                kind,
                value: None,
                message: Some(message),
                at: At::of(model, inputs, e.span),
                code,
            }
        }
    }
}

fn truth_text(truth: bool) -> &'static str {
    if truth { "TRUE" } else { "FALSE" }
}

fn show(evaluated: &Evaluated<'_>, arguments: &EvalArguments) {
    if arguments.output.json || arguments.output.jsonl {
        return output::json_line(evaluated);
    }
    let paint = Paint::stdout(arguments.output.color);
    let column = evaluated.at.text();
    let message = evaluated.message.as_deref().unwrap_or_default();
    output::result(&match evaluated.kind {
        "ill-defined" => format!("{}: {message}{column}\n", paint.bad("ill-defined")),
        "error" => format!("{}: {message}{column}\n", paint.doubt("error")),
        _ => format!("{}\n", evaluated.value.as_deref().unwrap_or_default()),
    });
}

/// Stops an evaluation that takes too long, or when the program is asked to stop.
struct Watch {
    flag: Arc<AtomicBool>,
    limit: Option<Duration>,
    control: Control,
    deadline: Arc<Mutex<Option<Instant>>>,
}

impl Watch {
    fn start(control: &Control, limit: Option<Duration>) -> Watch {
        let watch = Watch { flag: Arc::default(), limit, control: control.clone(), deadline: Arc::default() };
        let (flag, run) = (Arc::downgrade(&watch.flag), control.clone());
        let deadline = watch.deadline.clone();
        std::thread::spawn(move || {
            while let Some(flag) = flag.upgrade() {
                // Under the lock, so that a deadline that is over stops no later line.
                let deadline = deadline.lock().unwrap_or_else(|e| e.into_inner());
                if run.budget.is_cancelled() || deadline.is_some_and(|d| Instant::now() >= d) {
                    flag.store(true, Ordering::Relaxed);
                }
                drop(deadline);
                std::thread::sleep(TICK);
            }
        });
        watch
    }

    fn begin(&self) {
        let Some(limit) = self.limit else { return };
        let mut deadline = self.deadline.lock().unwrap_or_else(|e| e.into_inner());
        *deadline = Instant::now().checked_add(limit);
        self.flag.store(false, Ordering::Relaxed);
    }

    fn end(&self) {
        if self.limit.is_some() {
            *self.deadline.lock().unwrap_or_else(|e| e.into_inner()) = None;
        }
    }

    fn reason(&self) -> String {
        let stopped = self.control.stopped();
        stopped.map_or_else(|| "timeout: the time limit was reached".into(), |reason| reason.text)
    }
}
