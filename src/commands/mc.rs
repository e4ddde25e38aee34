//! `bsym mc`: every reachable state of a finite scope.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use bsym_encodings::budget::Budget;
use bsym_explore::options::{Limits, Order, SearchOptions};
use bsym_explore::report::{Evidence as SearchEvidence, SearchReport, Unknown, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::model::Model;
use bsym_proofs::certificate::{Certificate, EvidenceText};
use bsym_proofs::certify::{Opened, open_value};
use bsym_proofs::claim::{Checked, Claim, Evidence, Property};
use bsym_semantics::replay::Checks;
use bsym_semantics::scope::Scope;

use crate::arguments::{McArguments, OrderName, ScopeItem};
use crate::commands::verify::Run;
use crate::control::Control;
use crate::refusal::Refusal;
use crate::result::RunResult;

/// Runs the command.
pub fn run(arguments: &McArguments, control: &Control) -> Result<u8, Refusal> {
    let mut verify = arguments.verify.clone();
    if verify.depth.is_some() {
        return Err(Refusal::new("mc visits states, it has no --depth")
            .help("--max-states N and --timeout limit the search"));
    }
    // Where nothing else is said, a search is in ProB's finite scope.
    if !verify.scope.scope.contains(&ScopeItem::Prob) {
        verify.scope.scope.push(ScopeItem::Prob);
    }
    let (run, _) = Run::prepare("mc", &verify, control)?;
    let mut reporter = run.reporter();
    let mut options = options(&run.model, &run.properties, !verify.no_wd, &control.budget);
    options.order = order(arguments.order);
    options.seed = verify.seed;
    options.keep_going = verify.keep_going;
    options.limits.states = arguments.max_states;
    options.limits.valuations = arguments.max_valuations;
    options.proven = run
        .imported
        .status
        .iter()
        .filter_map(|((event, conjunct), _)| Some((event?, conjunct)))
        .collect::<BTreeSet<_>>();
    let begin = Instant::now();
    let problem = Problem { model: &run.model, scope: &run.scope, finder: None };
    let report = search(&problem, &options, &mut reporter);
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    Ok(conclude(&run, &report))
}

fn conclude(run: &Run, report: &SearchReport) -> u8 {
    let mut result = RunResult::of_search(&run.subject(), report);
    match &report.verdict {
        Verdict::Unknown(Unknown::Cancelled | Unknown::Timeout) => {
            result.reason = run.control.stopped().or(result.reason);
            run.publish(result, None, None)
        }
        Verdict::Holds(evidence) => {
            let claim = claim(run, evidence);
            let checked = Checked { solver: "explicit-state search".into(), ..Checked::default() };
            let certificate = run.certificate("mc", &report.scope, &claim, &checked);
            run.publish(result, None, Some(certificate))
        }
        Verdict::Violated(counterexample) => run.publish(result, Some(&counterexample.trace), None),
        _ => run.publish(result, None, None),
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
        evidence: Evidence::Search {
            states: evidence.states,
            transitions: evidence.transitions,
            digest: evidence.digest.clone(),
        },
    }
}

fn options(model: &Model, properties: &[Property], well_definedness: bool, budget: &Budget) -> SearchOptions {
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

fn order(name: OrderName) -> Order {
    match name {
        OrderName::BreadthFirst => Order::BreadthFirst,
        OrderName::DepthFirst => Order::DepthFirst,
        OrderName::Mixed => Order::Mixed,
        OrderName::Random => Order::Random,
    }
}

/// The outcome of searching again.
pub struct Repeated {
    /// The machine's name.
    pub machine: String,
    /// `None` if the search was repeated and found the same; else what differs or why it did not end.
    pub failure: Option<(bool, String)>,
}

/// Checks a certificate of kind `search`: the states are visited again, by the reference evaluator alone.
/// `None` if the certificate is of another kind.
///
/// # Errors
/// The machine is missing or has changed.
pub fn repeat(path: &Path, budget: &Budget) -> Result<Option<Repeated>, Refusal> {
    let refuse = |e: String| Refusal::new(format!("{}: {e}", path.display()));
    let certificate = Certificate::read(path).map_err(|e| refuse(e.to_string()))?;
    let EvidenceText::Search { states, transitions, digest } = &certificate.evidence else {
        return Ok(None);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let Opened { model, scope, claim } =
        open_value(&certificate, folder).map_err(|e| refuse(e.to_string()))?;
    let report = again(&model, &scope, &claim, budget);
    let found = match report.verdict {
        Verdict::Holds(found) => found,
        Verdict::Violated(_) => return Ok(Some(failed(&model, true, "a property is violated"))),
        Verdict::Vacuous(reason) => return Ok(Some(failed(&model, true, &reason))),
        Verdict::Unknown(_) => return Ok(Some(failed(&model, false, "the search did not end"))),
    };
    let expected = SearchEvidence { states: *states, transitions: *transitions, digest: digest.clone() };
    let failure = (found != expected).then(|| {
        let text = format!(
            "the search finds {} states and {} transitions, the certificate has {states} and {transitions}",
            found.states, found.transitions
        );
        (true, text)
    });
    Ok(Some(Repeated { machine: model.name, failure }))
}

fn again(model: &Model, scope: &Scope, claim: &Claim, budget: &Budget) -> SearchReport {
    let mut options = options(model, &claim.properties, claim.well_definedness, budget);
    options.reference_only = true;
    let problem = Problem { model, scope, finder: None };
    search(&problem, &options, &mut |_: &bsym_explore::report::Progress| {})
}

fn failed(model: &Model, refuted: bool, why: &str) -> Repeated {
    Repeated { machine: model.name.clone(), failure: Some((refuted, format!("the search: {why}"))) }
}
