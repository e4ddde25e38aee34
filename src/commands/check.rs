//! `bsym check`: the symbolic engines and, in parallel, the explicit-state search; the first conclusive answer wins.

use std::time::{Duration, Instant};

use bsym_engines::verdict::{Engine, Report};
use bsym_explore::report::SearchReport;
use bsym_semantics::verdict::{Reason, Vacuous, Verdict};

use crate::answer::Answer;
use crate::answer::verification::{BesideObject, Verification};
use crate::arguments::{self, CheckArguments, VerifyArguments};
use crate::commands::beside::Beside;
use crate::commands::compared::Compared;
use crate::commands::comparison;
use crate::commands::encodings::run_engines;
use crate::commands::in_turns;
use crate::commands::mc;
use crate::commands::raced::{Patience, Raced};
use crate::commands::run::{Asked, Run};
use crate::output;
use crate::progress::Reporter;
use crate::race::contestant::Contestant;
use crate::race::control::Control;
use crate::solvers;

/// Runs the command.
pub fn run(arguments: &CheckArguments, control: &Control) -> anyhow::Result<Answer> {
    let threads = arguments::jobs(arguments.jobs);
    let is_counted = arguments.jobs == Some(1);
    let arguments = &VerifyArguments { threads, is_counted, ..arguments.verify.clone() };
    let (encoding, solver) =
        solvers::choose_for_engines(arguments.solver.name.as_deref(), arguments.encoding)?;
    let mut run = Run::prepare("check", arguments, Asked::engines(encoding, solver), control)?;
    run.promise_comparison();
    let mut reporter = run.reporter();
    let begin = Instant::now();
    let comparison = comparison::start(&run, is_counted);
    let raced = match is_counted {
        true => in_turns::run(&run, &mut reporter),
        false => side_by_side(&run, &mut reporter, comparison.as_ref()),
    };
    let Raced { mut run, report, answer, said } = raced;
    if let Some(comparison) = comparison.filter(|_| !is_violated(report.as_ref(), answer.as_ref())) {
        comparison::wait(&comparison, &run);
    }
    if is_without_valuation(report.as_ref(), answer.as_ref()) {
        run.find_contradiction();
    }
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    Ok(conclude(&run, report.as_ref(), answer.as_ref(), said))
}

/// Runs the engines and the search at the same time.
fn side_by_side(run: &Run, reporter: &mut Reporter, comparison: Option<&Contestant<Compared>>) -> Raced {
    let beside = Beside::start(run, None);
    if let Ok(beside) = &beside {
        let (answer, stuck) = (beside.overheard(run), run.clone());
        run.control.offer(move || Some(publish(&stuck, &answer()?)));
    }
    let begin = Instant::now();
    // Without a solver there is still the search.
    let (run, report) = match run_engines(run, Engine::Check, reporter) {
        Some((decided, report)) => (decided, Some(report)),
        None => (run.clone(), None),
    };
    let patience =
        report.as_ref().map_or(Patience::Unlimited, |r| Patience::with(&r.verdict, begin.elapsed()));
    let is_settled = || settles(comparison);
    let (answer, said) = match &beside {
        Ok(beside) => match patience {
            Patience::None => (beside.answer(&run), None),
            Patience::For(time) => beside.wait(&run, Some(time), &is_settled),
            Patience::Unlimited => beside.wait(&run, None, &is_settled),
        },
        Err(said) => (None, Some((**said).clone())),
    };
    Raced { run, report, answer, said }
}

/// Returns whether a comparison has decided everything that is asked.
fn settles(comparison: Option<&Contestant<Compared>>) -> bool {
    comparison.and_then(|comparison| comparison.pending().result()).is_some_and(|found| found.settles())
}

fn conclude(
    run: &Run,
    report: Option<&Report>,
    answer: Option<&SearchReport>,
    said: Option<BesideObject>,
) -> Answer {
    match (report, answer) {
        (Some(report), Some(answer)) if contradict(report, answer) => {
            output::lost(&format!(
                "{} and the search contradict each other; this is a mistake of bsym, not of your model\n  = help: \
                 please report it with the command line and the machine",
                report.engine.name()
            ));
            // A trace was replayed step by step; a proof is what is doubtful.
            match answer.verdict {
                Verdict::Violated(_) => publish(run, answer),
                _ => run.conclude(report, said),
            }
        }
        (Some(report), _) if is_settled(&report.verdict) => run.conclude(report, said),
        (_, Some(answer)) => publish(run, answer),
        (Some(report), None) => run.conclude(report, said),
        (None, None) => {
            let reason = run.control.stopped().unwrap_or_else(|| {
                let why = "no solver can be reached, and the search alone does not decide it";
                Reason::SolverFailed(why.into())
            });
            let verdict = Verdict::Unknown(reason);
            let mut result = Verification::new(&run.subject(), "check", None, verdict);
            result.findings.search = said;
            run.publish(result, None, None)
        }
    }
}

fn is_violated(report: Option<&Report>, answer: Option<&SearchReport>) -> bool {
    report.is_some_and(|r| matches!(r.verdict, Verdict::Violated(_) | Verdict::Vacuous(..)))
        || answer.is_some_and(|a| matches!(a.verdict, Verdict::Violated(_) | Verdict::Vacuous(..)))
}

/// Tests for an answer that the constants have no values.
fn is_without_valuation(report: Option<&Report>, answer: Option<&SearchReport>) -> bool {
    report.is_some_and(|r| matches!(r.verdict, Verdict::Vacuous(Vacuous::NoValuation, _)))
        || answer.is_some_and(|a| matches!(a.verdict, Verdict::Vacuous(Vacuous::NoValuation, _)))
}

/// Returns whether the search has nothing to add to a verdict.
fn is_settled<E, C, F>(verdict: &Verdict<E, C, F>) -> bool {
    matches!(Patience::with(verdict, Duration::ZERO), Patience::None)
}

fn contradict(report: &Report, answer: &SearchReport) -> bool {
    matches!(
        (&report.verdict, &answer.verdict),
        (Verdict::Holds(_), Verdict::Violated(_)) | (Verdict::Violated(_), Verdict::Holds(_))
    )
}

/// The answer of the search.
fn publish(run: &Run, report: &SearchReport) -> Answer {
    let mut result = Verification::of_search(&run.subject(), report);
    result.uses_no_status();
    mc::publish(run, result, report)
}
