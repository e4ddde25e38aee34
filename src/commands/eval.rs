//! `bsym eval`: the values of expressions and the truth of predicates, closed ones or those of a machine.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use bsym_encodings::finder::SolverFinder;
use bsym_language::ast::BuiltinFn;
use bsym_language::diagnostic::Diagnostic;
use bsym_language::diagnostic::codes::{EXPECTED_EXPRESSION, NOT_AN_EXPRESSION};
use bsym_language::load::{check_expression, check_predicate, load_text};
use bsym_language::model::{CarrierKind, Expr, Model, Pred};
use bsym_language::print::type_text;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::file::trace_from_json;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use bsym_semantics::value::text::element_text;
use bsym_semantics::verdict::Reason;

use crate::answer::Answer;
use crate::answer::evaluation::{At, Evaluation, EvaluationKind};
use crate::arguments::{EvalArguments, ScopeItem};
use crate::commands::line::Lines;
use crate::exit::Exit;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::solvers;
use crate::tuning::tuning;

/// Words of formulas that Event-B does not have.
const WORDS: [&str; 29] = [
    "INTEGER", "NATURAL", "NATURAL1", "INT", "NAT", "NAT1", "BOOL", "STRING", "TRUE", "FALSE", "MAXINT",
    "MININT", "closure", "closure1", "iterate", "seq", "seq1", "iseq", "iseq1", "perm", "size", "first",
    "last", "front", "tail", "rev", "conc", "FIN", "FIN1",
];

/// Scope, constants and state in which names have their values.
pub(super) struct Place {
    pub scope: Scope,
    pub constants: Constants,
    pub state: State,
}

/// Stop condition of an evaluation, and why it stopped.
pub(super) struct Stop<'s> {
    pub flag: &'s AtomicBool,
    pub reason: &'s dyn Fn() -> String,
}

/// Runs the command. Its exit code is the worst one of its inputs.
pub fn run(arguments: &EvalArguments, control: &Control) -> anyhow::Result<Answer> {
    let (file, inputs) = split(&arguments.inputs);
    let mut model = match file {
        Some(file) => input::machine(Path::new(file), &arguments.component, &arguments.output)?.model,
        None => load_text("Empty.mch", "MACHINE Empty END").model.context("the empty machine is not read")?,
    };
    let paint = Paint::stderr(arguments.output.color);
    input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    // After a request to stop there is nothing more to print.
    control.set_fallback(|_| Answer::Said(Exit::Unknown));
    let watch = Watch::start(control, arguments.limits.timeout);
    let place = settle(&model, arguments, control, &watch)?;
    name_elements(&mut model, &place.scope);
    let (name, words) = (file.map_or("bsym", |_| &model.name).to_string(), words(&model));
    let mut worst = Exit::Done;
    let mut line = |text: &str| {
        if text.trim().is_empty() {
            return true;
        }
        watch.begin();
        let stop = Stop { flag: &watch.flag, reason: &|| watch.reason() };
        let evaluated = evaluate(&mut model, &place, &stop, text);
        watch.end();
        let answer = Answer::Evaluation(evaluated);
        worst = worst.max(output::show(&answer, &arguments.output, control.seconds()));
        control.stopped().is_none()
    };
    let is_terminal = if inputs.is_empty() {
        session(arguments, control, &watch, &name, &words, &mut line)
    } else {
        let _every = inputs.iter().all(|text| line(text));
        false
    };
    control.finish();
    Ok(Answer::Said(match control.stopped() {
        Some(_) => Exit::Unknown,
        None if is_terminal => Exit::Done,
        None => worst,
    }))
}

/// Evaluates the lines of the terminal, or of a pipe. Returns whether it is a terminal.
fn session(
    arguments: &EvalArguments,
    control: &Control,
    watch: &Watch,
    name: &str,
    words: &[String],
    line: &mut dyn FnMut(&str) -> bool,
) -> bool {
    let mut lines = if arguments.output.is_for_programs() { Lines::Pipe } else { Lines::open("eval", &[]) };
    let is_terminal = lines.is_terminal();
    if is_terminal {
        // Ctrl-C stops an evaluation, not the session.
        control.leave_interrupts_to(watch.flag.clone());
        output::result(&format!("{name}: type an expression or a predicate, Ctrl-D ends\n"));
    }
    let prompt = format!("{}> ", Paint::stdout(arguments.output.color).strong(name));
    while let Some(text) = lines.next(&prompt, || words.to_vec()) {
        if !line(text.trim_end()) {
            break;
        }
    }
    lines.keep_history();
    if is_terminal {
        output::result("\n");
    }
    is_terminal
}

/// Words that the user may type in a formula over a model.
fn words(model: &Model) -> Vec<String> {
    let variables = model.variables.iter().chain(&model.constants).map(|v| v.name.clone());
    let sets = model.types.carriers.iter().map(|c| c.name.clone());
    let elements = model.types.carriers.iter().flat_map(|c| match &c.kind {
        CarrierKind::Enumerated(elements) => elements.as_slice(),
        CarrierKind::Deferred => &[],
    });
    let operators = BuiltinFn::of_event_b().map(|(_, word)| word.spelling()).chain(WORDS);
    let operators = operators.filter(|word| word.starts_with(char::is_alphabetic)).map(String::from);
    let mut all: Vec<String> = variables.chain(sets).chain(elements.cloned()).chain(operators).collect();
    all.sort();
    all.dedup();
    all
}

/// The machine, if the first input names one, and what is to be evaluated.
fn split(inputs: &[String]) -> (Option<&str>, &[String]) {
    let Some((first, rest)) = inputs.split_first() else { return (None, inputs) };
    let path = Path::new(first);
    if input::is_machine(path) || path.is_file() || input::holds_machines(path) {
        (Some(first), rest)
    } else {
        (None, inputs)
    }
}

fn settle(
    model: &Model,
    arguments: &EvalArguments,
    control: &Control,
    watch: &Watch,
) -> anyhow::Result<Place> {
    if let Some(path) = &arguments.trace {
        let shown = path.display();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{shown}: the trace cannot be read"))?;
        let trace: Trace = trace_from_json(model, &text).with_context(|| shown.to_string())?;
        let state = trace.steps.iter().rev().find_map(|s| s.state.clone()).unwrap_or_default();
        return Ok(Place { scope: trace.scope, constants: trace.constants, state });
    }
    let mut scope = arguments.scope.clone();
    scope.scope.push(ScopeItem::Prob);
    let scope = input::scope(model, &scope)?;
    // A solver is asked for constants and choices that enumeration cannot reach.
    let mut budget = control.budget.clone();
    budget.deadline = arguments.limits.timeout.and_then(|t| Instant::now().checked_add(t));
    let smt = solvers::choose_if_any(None)?;
    let finder = SolverFinder::new(Arc::new(model.clone()), smt, budget);
    let eval = Evaluator::new(model, &scope).with_interrupt(&watch.flag).with_finder(&finder);
    watch.begin();
    let place = place_of(model, &scope, &eval);
    watch.end();
    place
}

/// Gives the elements of deferred sets the names that answers and traces print for them. A set with an element whose
/// name the model uses otherwise stays as it is.
pub(super) fn name_elements(model: &mut Model, scope: &Scope) {
    for i in 0..model.types.carriers.len() {
        let carrier = CarrierId(i as u32);
        let small = |all: &std::ops::Range<u32>| all.len() <= tuning().sessions.named;
        let Some(all) = scope.positions(model, carrier).filter(small) else { continue };
        let names: Vec<String> = all.map(|e| element_text(model, carrier, e)).collect();
        let of_sets = model.types.carriers.iter().flat_map(|c| match &c.kind {
            CarrierKind::Enumerated(elements) => elements.as_slice(),
            CarrierKind::Deferred => std::slice::from_ref(&c.name),
        });
        let variables = model.constants.iter().chain(&model.variables).map(|v| &v.name);
        let used: HashSet<&String> = of_sets.chain(variables).collect();
        if model.types.carriers[i].kind == CarrierKind::Deferred && !names.iter().any(|n| used.contains(n)) {
            model.types.carriers[i].kind = CarrierKind::Enumerated(names);
        }
    }
}

/// The first valuation of the constants and the first initial state.
///
/// # Errors
/// There is none, or none is found.
pub(super) fn place_of(model: &Model, scope: &Scope, eval: &Evaluator<'_>) -> anyhow::Result<Place> {
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
        bail!(Refusal::new(format!("the constants of {} have no value: {why}", model.name)).help(help));
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
        bail!(Refusal::new(format!("{} has no initial state: {why}", model.name)).help(help));
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

/// Reads a text as an expression or a predicate; the messages are those of the reading that fits better.
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

/// Returns the value of an expression or the truth of a predicate.
pub(super) fn evaluate(model: &mut Model, place: &Place, stop: &Stop<'_>, text: &str) -> Evaluation {
    // Additions of a formula to the model are removed afterwards: its text and its bound names.
    let (sources, locals) = (model.text.sources.clone(), model.locals.len());
    let evaluated = evaluate_in(model, place, stop, text);
    model.text.sources = sources;
    model.locals.truncate(locals);
    evaluated
}

fn evaluate_in(model: &mut Model, place: &Place, stop: &Stop<'_>, text: &str) -> Evaluation {
    let inputs = model.text.sources.iter().count();
    let formula = match read(model, text) {
        Ok(formula) => formula,
        Err(diagnostics) => {
            let first = diagnostics.first();
            let message = first.map_or_else(|| "this is no formula".into(), |d| d.message.clone());
            let at = first.map(|d| At::of(model, inputs, d.span)).unwrap_or_default();
            return Evaluation::failed(text, EvaluationKind::Error, message, at, Exit::Refused);
        }
    };
    let eval = Evaluator::new(model, &place.scope).with_interrupt(stop.flag);
    let env = Env::new(&place.constants, &place.state);
    let (kind, value) = match &formula {
        Formula::Pred(pred) => {
            (EvaluationKind::Predicate, eval.pred(&env, pred).map(|truth| truth_text(truth).to_owned()))
        }
        Formula::Expr(expr) => (EvaluationKind::Expression, eval.expr(&env, expr).map(|v| eval.text(&v))),
    };
    match value {
        Ok(value) => Evaluation::value(text, kind, value),
        Err(e) => {
            let at = At::of(model, inputs, e.span);
            let (kind, message, exit) = match e.kind {
                EvalErrorKind::IllDefined => (EvaluationKind::IllDefined, e.message, Exit::Done),
                EvalErrorKind::Interrupted => (EvaluationKind::Error, (stop.reason)(), Exit::Unknown),
                _ => (EvaluationKind::Error, e.message, Exit::Unknown),
            };
            Evaluation::failed(text, kind, message, at, exit)
        }
    }
}

/// Returns the value of an expression of a type.
///
/// # Errors
/// The text is no expression of this type, or has no value; the error says which.
pub(super) fn value_of(
    model: &mut Model,
    place: &Place,
    flag: &AtomicBool,
    ty: &Type,
    text: &str,
) -> Result<Value, String> {
    let (sources, locals) = (model.text.sources.clone(), model.locals.len());
    let value = match check_expression(model, text) {
        Err(diagnostics) => {
            Err(diagnostics.first().map_or_else(|| "it is no expression".into(), |d| d.message.clone()))
        }
        Ok(expr) => {
            let eval = Evaluator::new(model, &place.scope).with_interrupt(flag);
            let value = eval.expr(&Env::new(&place.constants, &place.state), &expr);
            match value {
                Ok(value) if eval.has_type(&value, ty) => Ok(value),
                Ok(_) => Err(format!("its value is not of type {}", type_text(model, ty))),
                Err(e) => Err(e.message),
            }
        }
    };
    model.text.sources = sources;
    model.locals.truncate(locals);
    value.map_err(|message| format!("`{text}`: {message}"))
}

/// Reads a predicate and passes it on, with the model that has its names.
///
/// # Errors
/// The text is no predicate; the error says why.
pub(super) fn with_predicate<R>(
    model: &mut Model,
    text: &str,
    work: impl FnOnce(&Model, &Pred) -> R,
) -> Result<R, String> {
    let (sources, locals) = (model.text.sources.clone(), model.locals.len());
    let done = match check_predicate(model, text) {
        Ok(pred) => Ok(work(model, &pred)),
        Err(diagnostics) => {
            Err(diagnostics.first().map_or_else(|| "this is no predicate".into(), |d| d.message.clone()))
        }
    };
    model.text.sources = sources;
    model.locals.truncate(locals);
    done
}

fn truth_text(truth: bool) -> &'static str {
    if truth { "TRUE" } else { "FALSE" }
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
                std::thread::sleep(tuning().sessions.eval_tick);
            }
        });
        watch
    }

    fn begin(&self) {
        let mut deadline = self.deadline.lock().unwrap_or_else(|e| e.into_inner());
        *deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        self.flag.store(self.control.budget.is_cancelled(), Ordering::Relaxed);
    }

    fn end(&self) {
        if self.limit.is_some() {
            *self.deadline.lock().unwrap_or_else(|e| e.into_inner()) = None;
        }
    }

    fn reason(&self) -> String {
        let deadline = *self.deadline.lock().unwrap_or_else(|e| e.into_inner());
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let of_line = if is_over { Reason::Timeout } else { Reason::Interrupted };
        self.control.stopped().unwrap_or(of_line).text()
    }
}
