//! `bsym ltl`: temporal formulas on all paths of a finite scope.

use std::cell::{Cell, LazyCell};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use bsym_encodings::patience::Patience;
use bsym_explore::options::Limits;
use bsym_explore::search::Problem;
use bsym_explore::temporal::{
    BranchingReport, FormulaReport, TemporalOptions, TemporalReport, check, check_branching, maxint_without,
};
use bsym_language::ast::{DefinitionBody, ExprKind};
use bsym_language::model::types::Type;
use bsym_language::model::visit::{Bounds, Names, Visitor};
use bsym_language::model::{Expr, Model};
use bsym_language::source::Span;
use bsym_language::temporal::{Branching, Temporal, TemporalError, parse, parse_branching};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::value::env::Env;
use bsym_semantics::value::literal::literal;
use bsym_semantics::verdict::{Condition, Reason, ReasonCode, Vacuous, Verdict};

use crate::answer::Answer;
use crate::answer::diagnostic::place;
use crate::answer::not_checked::DroppedObject;
use crate::answer::property::AxiomObject;
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::answer::temporal::{PathObject, TemporalAnswer, TemporalObject, TemporalStats};
use crate::answer::trace::because_of_maxint;
use crate::answer::verification::{VerdictWord, search_reason};
use crate::arguments::LtlArguments;
use crate::commands::default_scope;
use crate::commands::enlarge::contradiction;
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::tuning::tuning;
use crate::{input, output, solvers, traces};

/// Definitions whose text is a formula, by the beginning of their names.
pub const FORMULAS: &str = "ASSERT_LTL";
/// Definitions whose text is a formula of branching time.
const BRANCHING: &str = "ASSERT_CTL";

/// A formula as it is written.
#[derive(Clone)]
struct Written {
    name: Option<String>,
    text: String,
    /// The place of its text, if it is in a file.
    span: Option<Span>,
    /// It is one of branching time.
    is_branching: bool,
}

/// The formulas that were understood, with the number of each among all.
#[derive(Default)]
struct Formulas {
    linear: Vec<Temporal>,
    /// Also whether it differs in another scope.
    linear_numbers: Vec<(usize, bool)>,
    branching: Vec<Branching>,
    branching_numbers: Vec<usize>,
}

/// Runs the command.
pub fn run(arguments: &LtlArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { mut model, scope, settings, sizes } = read;
    let written = formulas(&model, arguments);
    if written.is_empty() {
        bail!(
            Refusal::new(format!("{} has no definition {FORMULAS}… or {BRANCHING}…", model.name))
                .help("ask with --formula 'G {x > 0}' or --ctl 'AG EF {x > 0}'")
        );
    }
    let (objects, asked) = understood(&mut model, &scope, &written)?;
    let model = Arc::new(model);
    let begun = TemporalAnswer {
        format: "bsym-ltl",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        scope: ScopeObject::new(&model, &scope, &settings),
        verdict: VerdictWord::Unknown,
        formulas: objects,
        core: vec![],
        not_checked: DroppedObject::all(&model),
        stats: TimeObject { seconds: 0.0 },
        cached: None,
        baseline: None,
    };
    // The known part of the answer is printed if the search does not stop when it is asked to.
    let known = Arc::new(Mutex::new(begun));
    let (stuck, clock) = (known.clone(), control.clone());
    control.set_fallback(move |reason| {
        let mut answer = stuck.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for formula in answer.formulas.iter_mut().filter(|f| f.message.is_none()) {
            if formula.verdict == VerdictWord::Unknown {
                formula.unknown(reason);
            }
        }
        answer.stats.seconds = clock.seconds();
        answer.conclude();
        Answer::Temporal(Box::new(answer))
    });
    let finder = Patience::new(model.clone(), solver.clone(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &model, scope: &scope, finder };
    let options = TemporalOptions {
        limits: Limits {
            states: arguments.max_states,
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            time: control.budget.left(),
        },
        cancelled: control.budget.cancellation(),
        reference_only: false,
    };
    let mut reporter = Reporter::new(model.clone(), control, &arguments.output, Arc::default());
    let core = LazyCell::new(|| contradiction(&model, &scope, &sizes, control, solver.as_ref()));
    let recorder = Recorder {
        model: &model,
        control,
        known: &known,
        core: &|| core.as_deref(),
        doubt: &|why| default_scope::doubt(&model, &scope, &sizes, why),
        path: arguments.trace.as_deref(),
        is_written: Cell::new(false),
    };
    let linear = &mut |i: usize, report: TemporalReport| {
        let (number, is_scoped) = asked.linear_numbers[i];
        let found = report.verdict.counterexample();
        recorder.record(number, &report, found.map(|found| &found.trace), |object| {
            object.counterexample = found.map(|found| PathObject::new(&model, found));
            if let Some(found) = found.filter(|_| !is_scoped) {
                let maxint = maxint_without(&model, &asked.linear[i], found);
                object.only_in_scope = maxint.map(|n| because_of_maxint(true, &found.trace.scope, &n));
            }
        });
    };
    if !asked.linear.is_empty() {
        check(&problem, &asked.linear, &options, &mut reporter, linear);
    }
    let branching = &mut |i: usize, report: BranchingReport| {
        let number = asked.branching_numbers[i];
        let found = report.verdict.counterexample();
        let witness = report.verdict.evidence().and_then(Option::as_ref);
        recorder.record(number, &report, found.or(witness).map(|shown| &shown.trace), |object| {
            let path = |shown: &_| PathObject::branching(&model, &written[number].text, shown);
            (object.counterexample, object.witness) = (found.map(path), witness.map(path));
        });
    };
    if !asked.branching.is_empty() {
        let limits = Limits { time: control.budget.left(), ..options.limits.clone() };
        let options = TemporalOptions { limits, ..options };
        check_branching(&problem, &asked.branching, &options, &mut reporter, branching);
    }
    control.finish();
    reporter.finish();
    let mut answer = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    answer.stats.seconds = control.seconds();
    answer.conclude();
    Ok(Answer::Temporal(Box::new(answer)))
}

/// The formulas that are asked: those of the command line, or without any those of the machine.
fn formulas(model: &Model, arguments: &LtlArguments) -> Vec<Written> {
    let of = |asked: &[String], is_branching| -> Vec<Written> {
        let written = |text: &String| Written { name: None, text: text.clone(), span: None, is_branching };
        asked.iter().map(written).collect()
    };
    let asked = [of(&arguments.formulas, false), of(&arguments.branching, true)].concat();
    if !asked.is_empty() {
        return asked;
    }
    let definitions = model
        .definitions
        .main
        .iter()
        .filter(|d| d.name.name.starts_with(FORMULAS) || d.name.name.starts_with(BRANCHING));
    let mut found: Vec<Written> = definitions
        .filter_map(|definition| {
            let (DefinitionBody::Expr(body) | DefinitionBody::Either(body, _)) = &definition.body else {
                return None;
            };
            let ExprKind::String(text) = &body.kind else { return None };
            Some(Written {
                name: Some(definition.name.name.clone()),
                text: text.clone(),
                span: Some(body.span),
                is_branching: definition.name.name.starts_with(BRANCHING),
            })
        })
        .collect();
    found.sort_by_key(|formula| formula.span.map(|span| (span.source, span.start)));
    found
}

/// Reads formulas: their objects, and those that were understood.
fn understood(
    model: &mut Model,
    scope: &Scope,
    written: &[Written],
) -> anyhow::Result<(Vec<TemporalObject>, Formulas)> {
    let (mut objects, mut asked) = (Vec::new(), Formulas::default());
    for (i, formula) in written.iter().enumerate() {
        let mut object = object(model, formula);
        let mut is_scoped = false;
        let mut candidates = |model: &Model, set: &Expr| {
            is_scoped |= depends_on_scope(model, set);
            candidates(model, scope, set)
        };
        let read = if formula.is_branching {
            parse_branching(model, &formula.text).map(|branching| {
                asked.branching.push(branching);
                asked.branching_numbers.push(i);
            })
        } else {
            parse(model, &formula.text, &mut candidates).map(|temporal| {
                asked.linear.push(temporal);
                asked.linear_numbers.push((i, is_scoped));
            })
        };
        match read {
            Ok(()) => {}
            Err(error) if formula.span.is_none() => bail!(refusal(formula, &error)),
            Err(error) => set_wrong(model, formula, &error, &mut object),
        }
        objects.push(object);
    }
    Ok((objects, asked))
}

fn object(model: &Model, formula: &Written) -> TemporalObject {
    let (file, line, column) = formula.span.map(|s| place(&model.text.sources, s)).unwrap_or_default();
    TemporalObject {
        name: formula.name.clone(),
        text: formula.text.clone(),
        file,
        line,
        column,
        verdict: VerdictWord::Unknown,
        reason: None,
        message: None,
        help: None,
        counterexample: None,
        witness: None,
        only_in_scope: None,
        trace_file: None,
        stats: TemporalStats::default(),
    }
}

/// Reports a wrong formula of the command line: its text with a mark under the place.
fn refusal(formula: &Written, error: &TemporalError) -> Refusal {
    let text = formula.text.as_str();
    let flag = if formula.is_branching { "--ctl" } else { "--formula" };
    let before = text.get(..error.at.min(text.len())).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let end = text[line..].find('\n').map_or(text.len(), |at| line + at);
    let column = before[line..].chars().count();
    let shown = &text[line..end];
    let message =
        format!("{flag}: column {}: {}\n    {shown}\n    {}^", column + 1, error.message, " ".repeat(column));
    let refusal = Refusal::new(message);
    match &error.help {
        Some(help) => refusal.help(help),
        None => refusal,
    }
}

/// Reports a wrong formula of the machine; the others are still asked.
fn set_wrong(model: &Model, formula: &Written, error: &TemporalError, object: &mut TemporalObject) {
    if let Some(span) = formula.span {
        let literal = model.text.sources.text(span);
        // Where the text is written as it is read, the place inside it is known.
        if let Some(quote) = literal.find(&formula.text) {
            let start = span.start + (quote + error.at) as u32;
            (object.file, object.line, object.column) =
                place(&model.text.sources, Span { start, end: start, ..span });
        }
    }
    let column = object.column.map(|column| format!("column {column}: ")).unwrap_or_default();
    object.reason = Some(ReasonCode::Unsupported);
    object.message = Some(format!("it cannot be read: {column}{}", error.message));
    object.help = error.help.clone();
}

/// The elements of a set that depends on no variable.
fn candidates(model: &Model, scope: &Scope, set: &Expr) -> Result<Vec<Expr>, String> {
    let eval = Evaluator::new(model, scope);
    let Type::Pow(of) = &set.ty else { return Err("it is no set".into()) };
    let valuations = eval.constants(&Default::default()).found;
    let mut found = std::collections::BTreeSet::new();
    for constants in &valuations {
        let value = eval.expr(&Env::new(constants, &[]), set).map_err(|e| e.message)?;
        let elements = eval.list(&value, set.span).map_err(|e| e.message)?;
        found.extend(elements.iter().cloned());
        if found.len() > tuning().sessions.quantified {
            return Err(format!("there are more than {}", tuning().sessions.quantified));
        }
    }
    let written =
        |value| literal(value, of).ok_or_else(|| format!("{} cannot be written out", eval.text(value)));
    found.iter().map(written).collect()
}

/// Returns whether the elements of a set may differ where `MAXINT` is larger: then a formula that names each of them is
/// another one.
fn depends_on_scope(model: &Model, set: &Expr) -> bool {
    let (mut bounds, mut names) = (Bounds::default(), Names::default());
    bounds.expr(set);
    names.expr(set);
    bounds.found || !names.constants.is_empty() || !model.definitions.operators.is_empty()
}

/// Stores results of formulas in the answer.
struct Recorder<'r> {
    model: &'r Model,
    control: &'r Control,
    known: &'r Mutex<TemporalAnswer>,
    /// Axioms that contradict each other.
    core: &'r dyn Fn() -> Option<&'r [usize]>,
    /// The reason why nothing is known where there is nothing to check, if the scope is to blame.
    doubt: &'r dyn Fn(&str) -> Option<Reason>,
    /// The file for the first trace.
    path: Option<&'r Path>,
    is_written: Cell<bool>,
}

impl Recorder<'_> {
    /// Stores a result. `fill` stores its paths, of which `trace` may be written.
    fn record<E, F>(
        &self,
        number: usize,
        report: &FormulaReport<Verdict<E, String, F>>,
        trace: Option<&Trace>,
        fill: impl FnOnce(&mut TemporalObject),
    ) {
        let has_no_constants = matches!(report.verdict, Verdict::Vacuous(Vacuous::NoValuation, _));
        let core = if has_no_constants { (self.core)() } else { None };
        let mut answer = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(core) = core {
            answer.core = AxiomObject::all(self.model, core);
        }
        let object = &mut answer.formulas[number];
        object.stats = report.statistics.into();
        fill(object);
        conclude(self.model, report, self.control.stopped(), object);
        if let Verdict::Vacuous(_, why) = &report.verdict
            && core.is_none()
            && let Some(doubt) = (self.doubt)(why)
        {
            object.unknown(&doubt);
        }
        if let (Some(trace), Some(path)) = (trace, self.path)
            && !self.is_written.get()
            && output::write(path, &traces::text(path, self.model, trace))
        {
            self.is_written.set(true);
            object.trace_file = Some(path.display().to_string());
        }
    }
}

/// Stores a verdict, with the reason if it is none.
fn conclude<E, F>(
    model: &Model,
    report: &FormulaReport<Verdict<E, String, F>>,
    stopped: Option<Reason>,
    object: &mut TemporalObject,
) {
    let verdict = &report.verdict;
    object.verdict = verdict.into();
    match verdict {
        Verdict::Holds(_) | Verdict::Violated(_) => {}
        Verdict::Vacuous(_, why) => object.message = Some(why.clone()),
        Verdict::Unknown(Reason::Refused(why)) => {
            object.reason = verdict.reason_code();
            object.message = Some(format!("the formula is too large or cannot be asked: {why}"));
        }
        Verdict::Unknown(why) => {
            let reason = search_reason(model, why, &report.incomplete, &report.cuts, stopped);
            object.unknown(&reason);
        }
        Verdict::Contradiction(why) => object.unknown(&Reason::AuditFailed(why.clone())),
        Verdict::Doubtful(_, why) => {
            object.reason = verdict.reason_code();
            object.message = Some(why.clone());
        }
        Verdict::Conditional(_, conditions) => {
            object.reason = verdict.reason_code();
            let parts: Vec<&str> = conditions.iter().flat_map(Condition::parts).map(String::as_str).collect();
            let parts = parts.join(", ");
            object.message =
                Some(format!("it holds on every path, but without parts of the machine: {parts}"));
        }
    }
}
