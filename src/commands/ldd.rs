//! `bsym ldd`: every reachable state of a finite scope, as decision diagrams.

use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use bsym_encodings::patience::Patience;
use bsym_encodings::session::open::SolverChoice;
use bsym_explore::diagrams::{self, DiagramOptions, Strategy};
use bsym_explore::report::SearchReport;
use bsym_explore::search::Problem;
use bsym_language::diagnostic::nearest;
use bsym_language::model::Model;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::verdict::{Reason, Vacuous, Verdict};

use super::mc::options;
use crate::answer::Answer;
use crate::answer::verification::Verification;
use crate::arguments::{EncodingName, LddArguments, ScopeItem, StrategyName, VerifyArguments};
use crate::commands::enlarge::Enlarged;
use crate::commands::run::{Asked, Run};
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::solvers;

/// Runs the command.
pub fn run(arguments: &LddArguments, control: &Control) -> anyhow::Result<Answer> {
    let mut verify = arguments.verify.clone();
    if verify.depth.is_some() {
        bail!(
            Refusal::new("ldd finds all states, it has no --depth")
                .help("--timeout and --memory limit the search")
        );
    }
    if verify.encoding != EncodingName::Auto {
        bail!(
            Refusal::new("ldd evaluates, it has no --encoding")
                .help("--encoding serves check, bmc, tree, kind and ic3")
        );
    }
    if verify.certificate.is_some() {
        bail!(
            Refusal::new("ldd does not list the states, and so writes no certificate")
                .help("mc --certificate writes one, where its states can be listed")
        );
    }
    // By default a search is in ProB's finite scope.
    if !verify.scope.scope.contains(&ScopeItem::Prob) {
        verify.scope.scope.push(ScopeItem::Prob);
    }
    let solver = solvers::choose_if_any(verify.solver.name.as_deref())?;
    let mut tried = Vec::new();
    let (run, report) = attempt(arguments, &verify, solver.as_ref(), control)?;
    let Verdict::Vacuous(why, _) = report.verdict else {
        return Ok(conclude(&run, &report, None, &[]));
    };
    if control.stopped().is_some() {
        return Ok(conclude(&run, &report, None, &[]));
    }
    tried.push(run.scope.clone());
    let has_valuation = why != Vacuous::NoValuation;
    match run.enlarge(&verify.scope, solver.as_ref(), has_valuation, &mut tried) {
        Enlarged::Larger(scope) => {
            verify.scope = scope;
            let (run, report) = attempt(arguments, &verify, solver.as_ref(), control)?;
            Ok(conclude(&run, &report, None, &tried))
        }
        other => Ok(conclude(&run, &report, Some(other), &tried)),
    }
}

/// Searches in one scope.
fn attempt(
    arguments: &LddArguments,
    verify: &VerifyArguments,
    solver: Option<&SolverChoice>,
    control: &Control,
) -> anyhow::Result<(Run, SearchReport)> {
    let run = Run::prepare("ldd", verify, Asked::beside(solver), control)?;
    check_order(&run.model, &arguments.order)?;
    let mut reporter = run.reporter();
    let mut options = options(&run.model, &run.properties, !verify.no_wd, &control.budget);
    options.seed = verify.seed;
    options.keep_going = verify.keep_going;
    options.limits.memory = verify.limits.memory.and_then(|n| usize::try_from(n).ok());
    let strategy = match arguments.strategy {
        StrategyName::BreadthFirst => Strategy::BreadthFirst,
        StrategyName::Chaining => Strategy::Chaining,
        StrategyName::Saturation => Strategy::Saturation,
    };
    let diagrams = DiagramOptions { strategy, order: arguments.order.clone() };
    let begin = Instant::now();
    let finder = Patience::new(Arc::clone(&run.model), solver.cloned(), &control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &run.model, scope: &run.scope, finder };
    let report = diagrams::search(&problem, &options, &diagrams, &mut reporter);
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    Ok((run, report))
}

/// Names of variables that are there.
fn check_order(model: &Model, order: &[String]) -> anyhow::Result<()> {
    let known = || model.variables.iter().map(|v| v.name.as_str()).chain(["constants"]);
    let Some(name) = order.iter().find(|name| !known().any(|k| k == name.as_str())) else { return Ok(()) };
    let refusal = Refusal::new(format!("--order: {} has no variable `{name}`", model.name));
    bail!(match nearest(name, known()) {
        Some(near) => refusal.help(format!("did you mean `{near}`?")),
        None => refusal.help("name variables of the machine, or `constants` for all constants"),
    })
}

/// Makes the answer. `tried` are scopes without a state; `enlarged` is the result of enlarging one that has none.
fn conclude(
    run: &Run,
    report: &SearchReport,
    enlarged: Option<Enlarged>,
    tried: &[bsym_semantics::scope::Scope],
) -> Answer {
    let mut result = Verification::of_search(&run.subject(), report);
    result.uses_no_status();
    result.set_tried(&run.model, tried);
    match enlarged {
        Some(Enlarged::Undecided(reason)) => result.verdict = Verdict::Unknown(reason),
        Some(Enlarged::Vacuous(core, scopes)) => result.set_core(&run.model, &core, scopes),
        _ => {}
    }
    if let Verdict::Unknown(Reason::Interrupted | Reason::Timeout) = &report.verdict
        && let Some(reason) = run.control.stopped()
    {
        result.verdict = Verdict::Unknown(reason);
    }
    run.publish(result, report.verdict.counterexample().map(|found| &found.trace), None)
}
