//! `bsym mc`: every reachable state of a finite scope.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_encodings::session::open::SolverChoice;
use bsym_engines::vetting::Vetted;
use bsym_explore::existence::{Existence, existence};
use bsym_explore::options::{Checkpoint, Limits, Order, SearchOptions};
use bsym_explore::report::{Evidence as SearchEvidence, NotSaved, SearchReport};
use bsym_explore::search::{Problem, search};
use bsym_explore::symmetry::reduction::Method;
use bsym_explore::tuning::Tuning;
use bsym_language::model::Model;
use bsym_proofs::certificate::Certificate;
use bsym_proofs::certify::Opened;
use bsym_proofs::claim::{Checked, Claim, Evidence, Property};
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::file::trace_to_file;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::verdict::{Counterexample, Reason, Vacuous, Verdict};
use bsym_status::Level;

use crate::answer::Answer;
use crate::answer::event::Event;
use crate::answer::found::Found;
use crate::answer::verification::Verification;
use crate::arguments::{
    EncodingName, McArguments, OrderName, ScopeItem, SymmetryName, VerifyArguments, jobs,
};
use crate::commands::comparison::compare;
use crate::commands::enlarge::Enlarged;
use crate::commands::run::{Asked, Run};
use crate::commands::vetting;
use crate::output;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::solvers;
use crate::tuning::tuning;

/// Runs the command.
pub fn run(arguments: &McArguments, control: &Control) -> anyhow::Result<Answer> {
    let mut verify = arguments.verify.clone();
    if verify.is_counted {
        Tuning::counted().install();
    }
    if verify.depth.is_some() {
        bail!(
            Refusal::new("mc visits states, it has no --depth")
                .help("--max-states N and --timeout limit the search")
        );
    }
    if verify.encoding != EncodingName::Auto {
        bail!(
            Refusal::new("mc visits states, it has no --encoding")
                .help("--encoding serves check, bmc, tree, kind and ic3")
        );
    }
    // By default a search is in ProB's finite scope.
    if !verify.scope.scope.contains(&ScopeItem::Prob) {
        verify.scope.scope.push(ScopeItem::Prob);
    }
    if arguments.threads.is_some_and(|n| n > 1) && order(arguments.order) != Order::BreadthFirst {
        bail!(
            Refusal::new("--threads: only a breadth-first search is shared out")
                .help("leave out --order or --threads")
        );
    }
    if verify.certificate.is_some()
        && !matches!(arguments.symmetry, SymmetryName::Off | SymmetryName::Canonical)
    {
        bail!(
            Refusal::new(
                "--certificate: with this --symmetry the states that were visited depend on their order"
            )
            .help("--symmetry canonical visits the same ones when the search is repeated")
        );
    }
    check_partial_order(arguments)?;
    check_coverage(arguments)?;
    check_files(arguments)?;
    let solver = solvers::choose_if_any(verify.solver.name.as_deref())?;
    let mut tried = Vec::new();
    if arguments.resume.is_some() {
        // A search in a larger scope is continued in that scope.
        let run = Run::prepare("mc", &verify, Asked::beside(solver.as_ref()), control)?;
        let finder = Patience::new(Arc::clone(&run.model), solver.clone(), &control.budget);
        let finder = Some(&finder as &dyn ValueFinder);
        let problem = Problem { model: &run.model, scope: &run.scope, finder };
        if existence(&problem, tuning().scopes.resumed, &control.budget.cancellation()) == Existence::Nothing
        {
            tried.push(run.scope.clone());
            let enlarged = run.enlarge(&verify.scope, solver.as_ref(), false, &mut tried);
            if let Enlarged::Larger(scope) = enlarged {
                verify.scope = scope;
            }
        }
    }
    let searched = attempt(arguments, &verify, solver.as_ref(), control)?;
    let Verdict::Vacuous(why, _) = searched.report.verdict else {
        return Ok(searched.conclude(&tried, None));
    };
    if control.stopped().is_some() {
        return Ok(searched.conclude(&tried, None));
    }
    tried.push(searched.run.scope.clone());
    let has_valuation = why != Vacuous::NoValuation;
    // The known part of the answer is printed if the trial does not stop when it is asked to.
    let reporter = searched.run.reporter();
    let enlarged = searched.run.enlarge(&verify.scope, solver.as_ref(), has_valuation, &mut tried);
    control.finish();
    reporter.finish();
    match enlarged {
        Enlarged::Larger(scope) => {
            verify.scope = scope;
            Ok(attempt(arguments, &verify, solver.as_ref(), control)?.conclude(&tried, None))
        }
        other => Ok(searched.conclude(&tried, Some(other))),
    }
}

/// A search that ended.
struct Searched {
    run: Run,
    report: SearchReport,
    vetted: Vetted,
}

/// Searches in one scope.
fn attempt(
    arguments: &McArguments,
    verify: &VerifyArguments,
    solver: Option<&SolverChoice>,
    control: &Control,
) -> anyhow::Result<Searched> {
    let mut run = Run::prepare("mc", verify, Asked::beside(solver), control)?;
    // A search that works for the engines leaves the comparison to them.
    if !control.searches_for_another() {
        run.promise_comparison();
    }
    let mut reporter = run.reporter();
    let mut options = options(&run.model, &run.properties, !verify.no_wd, &control.budget);
    options.order = order(arguments.order);
    options.seed = verify.seed;
    options.keep_going = verify.keep_going;
    options.limits.states = arguments.max_states;
    options.limits.valuations = arguments.max_valuations;
    options.limits.memory = verify.limits.memory.and_then(|n| usize::try_from(n).ok());
    options.threads = threads(arguments);
    options.symmetry = method(arguments.symmetry);
    options.partial_order = arguments.por;
    options.coverage = arguments.coverage;
    if arguments.checkpoint.is_some() {
        // The file is written after the limit.
        control.be_patient(tuning().sessions.checkpoint_patience);
    }
    options.suspension.checkpoint =
        arguments.checkpoint.clone().map(|path| Checkpoint { path, every: tuning().sessions.checkpoint });
    options.suspension.resume = arguments.resume.clone();
    // Status that bsym has established itself is no claim of another tool.
    let own = run.imported.status.iter().filter(|(_, status)| status.level == Level::Checked);
    options.proven.known = own.filter_map(|((event, conjunct), _)| Some((event?, conjunct))).collect();
    let begin = Instant::now();
    let finder = Patience::new(Arc::clone(&run.model), solver.cloned(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &run.model, scope: &run.scope, finder };
    let (report, vetted) = if arguments.por {
        // The status has to be confirmed before the search, because it decides which events are enough.
        let vetted = vetting::before(&run.job(), solver);
        let confirmed = vetted.confirmed.iter();
        options.proven.settled =
            confirmed.filter_map(|&(event, conjunct)| Some((event?, conjunct))).collect();
        (search(&problem, &options, &mut reporter), vetted)
    } else {
        vetting::beside(&run.job(), solver, &options.proven.meanwhile, || {
            search(&problem, &options, &mut reporter)
        })
    };
    if control.stopped().is_none() && !matches!(report.verdict, Verdict::Violated(_) | Verdict::Vacuous(..)) {
        compare(&run, arguments.max_states);
    }
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    if let Verdict::Unknown(Reason::NotResumed(reason)) = &report.verdict {
        bail!(
            Refusal::new(format!("--resume: {reason}"))
                .help("a search is continued with the machine, scope and properties that it began with")
        );
    }
    match &report.not_saved {
        None => {}
        Some(NotSaved::Failed(reason)) => {
            output::lost(&format!("--checkpoint: the file cannot be written: {reason}"));
            run.warnings.push(format!("--checkpoint: the search was not put aside: {reason}"));
        }
        Some(NotSaved::Useless) => run.warnings.push(
            "--checkpoint: the search was not put aside: something could not be evaluated, or not with all values, \
             so that an exhausted search would prove nothing"
                .into(),
        ),
    }
    Ok(Searched { run, report, vetted })
}

/// Refuses options of a search that partial-order reduction does not support.
fn check_partial_order(arguments: &McArguments) -> anyhow::Result<()> {
    if !arguments.por {
        return Ok(());
    }
    let refuse = |reason: &str, help: &str| Err(Refusal::new(reason).help(help).into());
    if arguments.symmetry != SymmetryName::Off {
        let reason = "--por and --symmetry: a state that stands for others may need other events than they do, so that the two \
                      are not known to be sound together";
        return refuse(reason, "leave out one of them");
    }
    if arguments.verify.certificate.is_some() {
        let reason = "--certificate: that the states which --por leaves out are as good as those that it visits is not checked by \
                      `certify`";
        return refuse(reason, "leave out --por or --certificate");
    }
    if arguments.verify.keep_going {
        let reason =
            "--keep-going: --por loses no violation as long as none was found; behind one it may lose others";
        return refuse(reason, "leave out --por or --keep-going");
    }
    if arguments.threads.is_some_and(|n| n > 1) {
        return refuse("--threads: with --por one thread searches", "leave out --por or --threads");
    }
    if arguments.checkpoint.is_some() || arguments.resume.is_some() {
        let reason = "--checkpoint and --resume: a search with --por is not put aside";
        return refuse(reason, "leave out --por, or --checkpoint and --resume");
    }
    Ok(())
}

/// Number of threads of a search: without a wish one for each core, where they can share it out. They get work only once
/// there is enough of it.
fn threads(arguments: &McArguments) -> usize {
    let is_shared = order(arguments.order) == Order::BreadthFirst && !arguments.por;
    arguments.threads.unwrap_or_else(|| if is_shared { jobs(None) } else { 1 })
}

/// Refuses options that leave out events or states, about which coverage would say something.
fn check_coverage(arguments: &McArguments) -> anyhow::Result<()> {
    if !arguments.coverage {
        return Ok(());
    }
    let refuse = |reason: &str, help: &str| Err(Refusal::new(reason).help(help).into());
    if arguments.por {
        let reason = "--coverage: --por leaves out events and states, so that what it visits says little about the others";
        return refuse(reason, "leave out --por or --coverage");
    }
    if arguments.symmetry != SymmetryName::Off {
        let reason = "--coverage: with --symmetry one state stands for several, whose events and values would not be counted";
        return refuse(reason, "leave out --symmetry or --coverage");
    }
    if arguments.resume.is_some() {
        let reason = "--coverage: how often events were taken before a search was put aside is not kept";
        return refuse(reason, "leave out --resume or --coverage");
    }
    Ok(())
}

/// Checks files before the long run.
fn check_files(arguments: &McArguments) -> anyhow::Result<()> {
    let verify = &arguments.verify;
    if let Some(path) = &arguments.checkpoint {
        let inputs: Vec<&Path> =
            [Some(verify.file.as_path()), verify.proofs.as_deref()].into_iter().flatten().collect();
        output::check_writable(path, "--checkpoint", &inputs)?;
        // It is written to a temporary file in the same folder first.
        output::check_folder(&output::folder_of(path), "--checkpoint")?;
        for (flag, other) in [("--trace", &verify.trace), ("--certificate", &verify.certificate)] {
            if other.as_ref() == Some(path) {
                bail!("--checkpoint and {flag} name the same file");
            }
        }
    }
    if let Some(path) = &arguments.resume {
        let shown = path.display();
        if path.is_dir() {
            bail!(
                Refusal::new(format!("--resume: `{shown}` is a folder"))
                    .help("name a file that --checkpoint wrote")
            );
        }
        std::fs::File::open(path).map_err(|e| {
            Refusal::new(format!("--resume: `{shown}` cannot be read: {e}"))
                .help("name a file that --checkpoint wrote")
        })?;
    }
    Ok(())
}

impl Searched {
    /// Makes the answer. `tried` are scopes without a state; `enlarged` is the result of enlarging one that has none.
    fn conclude(&self, tried: &[Scope], enlarged: Option<Enlarged>) -> Answer {
        let Searched { run, report, vetted } = self;
        let mut result = Verification::of_search(&run.subject(), report);
        result.set_vetted(&run.model, &run.imported.status, vetted);
        result.set_tried(&run.model, tried);
        match enlarged {
            Some(Enlarged::Undecided(reason)) => result.verdict = Verdict::Unknown(reason),
            Some(Enlarged::Vacuous(core, scopes)) => result.set_core(&run.model, &core, scopes),
            _ => {}
        }
        match &report.verdict {
            Verdict::Unknown(Reason::Interrupted | Reason::Timeout) => {
                if let Some(reason) = run.control.stopped() {
                    result.verdict = Verdict::Unknown(reason);
                }
            }
            Verdict::Violated(counterexample) if run.arguments.output.jsonl => {
                for found in std::iter::once(&**counterexample).chain(&report.further) {
                    let trace = trace_to_file(&run.model, &found.trace);
                    let time = run.control.seconds();
                    output::json_line(&Event::Trace { time, trace });
                }
            }
            _ => {}
        }
        match run.control.searches_for_another() {
            false => publish(run, result, report),
            true => Answer::Found(Box::new(found(run, &result, report))),
        }
    }
}

/// The answer of a search for the process that asked for it.
fn found(run: &Run, result: &Verification, report: &SearchReport) -> Found {
    let certificate =
        || report.verdict.evidence().map(|evidence| Box::new(certificate(run, report, evidence)));
    let trace = |found: &Counterexample| trace_to_file(&run.model, &found.trace);
    let shown = || report.verdict.counterexample().map(|found| Box::new(trace(found)));
    let lost = || Verdict::Unknown(Reason::Incomplete(None));
    let verdict = match &result.verdict {
        Verdict::Holds(_) => certificate().map_or_else(lost, Verdict::Holds),
        Verdict::Conditional(_, open) => {
            certificate().map_or_else(lost, |certificate| Verdict::Conditional(certificate, open.clone()))
        }
        Verdict::Violated(_) => shown().map_or_else(lost, Verdict::Violated),
        Verdict::Doubtful(_, why) => shown().map_or_else(lost, |trace| Verdict::Doubtful(trace, why.clone())),
        Verdict::Vacuous(what, why) => Verdict::Vacuous(*what, why.clone()),
        Verdict::Unknown(reason) => Verdict::Unknown(reason.clone()),
        Verdict::Contradiction(found) => Verdict::Contradiction(found.sentence().into()),
    };
    Found::new(result, verdict, report.further.iter().map(trace).collect())
}

/// The certificate of the states that were visited.
fn certificate(run: &Run, report: &SearchReport, evidence: &SearchEvidence) -> Certificate {
    let claim = claim(run, evidence);
    let checked = Checked { solver: "explicit-state search".into(), ..Checked::default() };
    run.certificate("mc", &report.scope, &claim, &checked, None)
}

/// The answer of a search, with its evidence.
pub(super) fn publish(run: &Run, result: Verification, report: &SearchReport) -> Answer {
    match &report.verdict {
        Verdict::Holds(evidence) | Verdict::Conditional(evidence, _) => {
            run.publish(result, None, Some(certificate(run, report, evidence).to_text()))
        }
        verdict => run.publish(result, verdict.counterexample().map(|found| &found.trace), None),
    }
}

fn claim(run: &Run, evidence: &SearchEvidence) -> Claim {
    Claim {
        properties: run.properties.clone(),
        conjuncts: run
            .properties
            .iter()
            .filter_map(|p| match p {
                Property::Invariant(i) => Some(*i),
                _ => None,
            })
            .collect(),
        well_definedness: !run.arguments.no_wd,
        layouts: vec![],
        evidence: Evidence::Search {
            states: evidence.states,
            transitions: evidence.transitions,
            digest: evidence.digest.clone(),
            symmetric: evidence.symmetric,
        },
    }
}

pub(super) fn options(
    model: &Model,
    properties: &[Property],
    well_definedness: bool,
    budget: &Budget,
) -> SearchOptions {
    let conjuncts: Vec<usize> = properties
        .iter()
        .filter_map(|p| match p {
            Property::Invariant(i) => Some(*i),
            _ => None,
        })
        .collect();
    let all = conjuncts.len() == model.invariant.len();
    SearchOptions {
        checks: Checks {
            invariant: (!all).then_some(conjuncts),
            assertions: properties.iter().any(|p| matches!(p, Property::Assertion(_))),
            deadlock: properties.contains(&Property::DeadlockFree),
            goal: properties.contains(&Property::NoGoal),
            well_definedness,
        },
        limits: Limits {
            time: budget.deadline.map(|d| d.saturating_duration_since(Instant::now())),
            ..Limits::default()
        },
        cancelled: budget.cancellation(),
        ..SearchOptions::default()
    }
}

fn method(name: SymmetryName) -> Option<Method> {
    match name {
        SymmetryName::Off => None,
        SymmetryName::Canonical => Some(Method::Canonical),
        SymmetryName::Flood => Some(Method::Flood),
        SymmetryName::Markers => Some(Method::Markers),
        SymmetryName::CanonicalMarkers => Some(Method::CanonicalMarkers),
        SymmetryName::Representatives => Some(Method::Representatives),
    }
}

fn order(name: OrderName) -> Order {
    match name {
        OrderName::BreadthFirst => Order::BreadthFirst,
        OrderName::DepthFirst => Order::DepthFirst,
        OrderName::Mixed => Order::Mixed,
        OrderName::Random => Order::Random,
    }
}

/// Outcome of searching again.
pub enum Repeated {
    /// The search found the same states, and none of them is bad.
    Same,
    /// The searches differ, as the text says.
    Refuted(String),
    /// Why it did not end.
    Undecided(String),
}

/// Checks a certificate of kind `search`: the states are visited again, by the reference evaluator alone.
///
/// # Errors
/// There is no such solver.
pub fn repeat(opened: &Opened, solver: Option<&str>, budget: &Budget) -> anyhow::Result<Repeated> {
    let Opened { model, scope, claim } = opened;
    let Evidence::Search { states, transitions, digest, symmetric } = &claim.evidence else {
        return Ok(Repeated::Refuted("it is no certificate of a search".into()));
    };
    let solver = solvers::choose_if_any(solver)?;
    let shared = Arc::new(model.clone());
    let finder = Patience::new(shared, solver, budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let report = again(&Problem { model, scope, finder }, claim, *symmetric, budget);
    let found = match report.verdict {
        Verdict::Holds(found) | Verdict::Conditional(found, _) => found,
        Verdict::Violated(_) => return Ok(Repeated::Refuted("the search: a property is violated".into())),
        Verdict::Vacuous(_, why) => return Ok(Repeated::Refuted(format!("the search: {why}"))),
        Verdict::Unknown(_) | Verdict::Doubtful(..) | Verdict::Contradiction(_) => {
            return Ok(Repeated::Undecided("the search: it did not end".into()));
        }
    };
    let expected = SearchEvidence {
        states: *states,
        transitions: *transitions,
        digest: digest.clone(),
        symmetric: *symmetric,
    };
    if found == expected {
        return Ok(Repeated::Same);
    }
    let differs = if (found.states, found.transitions) == (*states, *transitions) {
        "the search finds other states than the certificate has".to_string()
    } else {
        format!(
            "the search finds {} states and {} transitions, the certificate has {states} and {transitions}",
            found.states, found.transitions
        )
    };
    Ok(Repeated::Refuted(differs))
}

fn again(problem: &Problem<'_>, claim: &Claim, symmetric: bool, budget: &Budget) -> SearchReport {
    let mut options = options(problem.model, &claim.properties, claim.well_definedness, budget);
    options.reference_only = true;
    options.symmetry = symmetric.then_some(Method::Canonical);
    search(problem, &options, &mut |_: &bsym_explore::report::Progress| {})
}
