//! The engines on the encoding that was chosen and, where the model is finite in the scope and the user chose no
//! encoding, on propositional logic as well.
//!
//! The second run is a thread of its own that starts after a head start, or at once where the first one ends without
//! an answer. So quick answers cost nothing more and are always the same. The two runs share only the question and the
//! limits: each replays its own traces and has its own proofs checked.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bsym_engines::run as engines;
use bsym_engines::verdict::{Engine, Progress, Report};
use bsym_semantics::verdict::{Condition, Reason, Verdict};

use crate::commands::run::Run;
use crate::progress::Reporter;
use crate::race::contestant::{Contestant, Pending};
use crate::tuning::tuning;

/// Runs an engine. Returns the report, and the run with the encoding that it comes from; `None` if there is no solver.
pub(super) fn run_engines(run: &Run, engine: Engine, reporter: &mut Reporter) -> Option<(Run, Report)> {
    let opener = run.opener()?;
    let begin = Instant::now();
    let second = run.in_propositional_logic().map(|run| (start(&run, engine), run));
    let report = engines::run(&run.job(), engine, &opener, reporter);
    let Some((second, other)) = second.filter(|_| is_open(&report)) else {
        return Some((run.clone(), report));
    };
    let patience = match run.control.budget.deadline {
        Some(_) => None,
        None => Some(begin.elapsed().max(tuning().beside.encoding_patience)),
    };
    second.begin();
    let is_over = || run.control.budget.is_cancelled() && run.control.stopped().is_none();
    match second.pending().wait(&run.control, patience, &is_over) {
        Some(report) => Some((other, report)),
        None => Some((run.clone(), report)),
    }
}

/// Returns whether another encoding could say more.
pub(super) fn is_open(report: &Report) -> bool {
    match &report.verdict {
        Verdict::Unknown(Reason::DepthLimit(limit)) => report.depth != Some(*limit),
        Verdict::Unknown(Reason::IllDefined(_)) => false,
        Verdict::Unknown(_) => true,
        Verdict::Conditional(_, conditions) => {
            !conditions.iter().all(|c| matches!(c, Condition::NotChecked(_)))
        }
        _ => false,
    }
}

/// Returns whether a report of the second run ends the first one.
pub(super) fn is_conclusive(run: &Run, report: &Report) -> bool {
    match report.verdict {
        Verdict::Violated(_) => !run.arguments.keep_going,
        Verdict::Holds(_) => true,
        _ => false,
    }
}

/// Starts the second run. Its result is a report that ends the first one.
fn start(run: &Run, engine: Engine) -> Contestant<Report> {
    let pending: Arc<Pending<Report>> = Arc::default();
    let (asked, told) = (run.clone(), run.clone());
    let (stuck, offered) = (run.clone(), pending.clone());
    run.control.offer(move || Some(stuck.conclude(&offered.result()?, None)));
    Contestant::start(
        tuning().beside.encoding_head_start,
        pending,
        move |is_withdrawn| {
            if asked.control.budget.is_cancelled() {
                return None;
            }
            let opener = asked.opener()?;
            let report = engines::run(&asked.job(), engine, &opener, &mut |_: &Progress| {});
            let is_wanted = !is_withdrawn.load(Ordering::SeqCst) && is_conclusive(&asked, &report);
            is_wanted.then_some(report)
        },
        move |report| {
            if let Some(report) = report {
                told.decided(matches!(report.verdict, Verdict::Violated(_)));
            }
        },
    )
}
