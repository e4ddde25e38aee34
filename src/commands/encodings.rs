//! The engines on the encoding that was chosen and, where the model is finite in the scope and nobody asked for one
//! encoding, on propositional logic beside it.
//!
//! The second run is a thread of its own that begins after [`HEAD_START`], or at once where the first one ends without
//! an answer, so that what is decided quickly costs nothing more and always has the same answer. The two share nothing
//! but the question and the limits: each replays its own traces and has its own proofs checked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bsym_engines::run as engines;
use bsym_engines::verdict::{Engine, Progress, Report};
use bsym_language::stack::with_large_stack;
use bsym_semantics::verdict::{Condition, Reason, Verdict};

use crate::commands::run::Run;
use crate::progress::Reporter;

/// How long the first encoding is alone.
const HEAD_START: Duration = Duration::from_millis(250);
/// Least time that the second one is waited for after the first one has given up, where the user sets no limit.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks whether the run has to end.
const TICK: Duration = Duration::from_millis(5);
/// How long the last words of the second run are waited for when everything has to end.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Runs an engine; the report, and the run with the encoding that it comes from. `None` if there is no solver.
pub(super) fn run_engines(run: &Run, engine: Engine, reporter: &mut Reporter) -> Option<(Run, Report)> {
    let opener = run.opener()?;
    let begin = Instant::now();
    let second = run.in_propositional_logic().map(|second| Second::start(second, engine));
    let report = engines::run(&run.job(), engine, &opener, reporter);
    let Some(second) = second else { return Some((run.clone(), report)) };
    if !is_open(&report) {
        second.decided.store(true, Ordering::SeqCst);
        return Some((run.clone(), report));
    }
    let patience = match run.control.budget.deadline {
        Some(_) => None,
        None => Some(begin.elapsed().max(LEAST_PATIENCE)),
    };
    Some(second.answer(patience).unwrap_or_else(|| (run.clone(), report)))
}

/// Whether another encoding could say more.
fn is_open(report: &Report) -> bool {
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

/// Whether a report of the second run ends the first one.
fn is_conclusive(run: &Run, report: &Report) -> bool {
    match report.verdict {
        Verdict::Violated(_) => !run.arguments.keep_going,
        Verdict::Holds(_) => true,
        _ => false,
    }
}

/// A run beside the first one.
struct Second {
    run: Run,
    /// Ends the head start.
    begin: Sender<()>,
    /// Somebody has the answer.
    decided: Arc<AtomicBool>,
    /// The answer of this run, once it has one.
    found: Arc<Mutex<Option<Report>>>,
    ended: Arc<AtomicBool>,
}

impl Second {
    fn start(run: Run, engine: Engine) -> Second {
        let (begin, begun) = channel();
        let second = Second {
            run: run.clone(),
            begin,
            decided: Arc::default(),
            found: Arc::default(),
            ended: Arc::default(),
        };
        let (decided, found, ended) = (second.decided.clone(), second.found.clone(), second.ended.clone());
        std::thread::spawn(move || {
            let given_up = matches!(begun.recv_timeout(HEAD_START), Err(RecvTimeoutError::Disconnected));
            if given_up || decided.load(Ordering::SeqCst) || run.control.budget.is_cancelled() {
                ended.store(true, Ordering::SeqCst);
                return;
            }
            let report = with_large_stack(|| {
                let opener = run.opener()?;
                Some(engines::run(&run.job(), engine, &opener, &mut |_: &Progress| {}))
            });
            if let Some(report) = report.filter(|report| is_conclusive(&run, report))
                && !decided.swap(true, Ordering::SeqCst)
            {
                let is_violated = matches!(report.verdict, Verdict::Violated(_));
                *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
                let stuck = run.clone();
                // Where the first run does not stop when it is asked to, this is the answer.
                run.control.set_fallback(move |reason| {
                    match found.lock().unwrap_or_else(PoisonError::into_inner).take() {
                        Some(report) => stuck.conclude(&report, None),
                        None => crate::answer::Answer::stopped(reason),
                    }
                });
                run.decided(is_violated);
            }
            ended.store(true, Ordering::SeqCst);
        });
        second
    }

    /// Waits until the run ends, everything has to or patience does.
    fn answer(self, patience: Option<Duration>) -> Option<(Run, Report)> {
        // It may have begun or ended before.
        let _ = self.begin.send(());
        let begin = Instant::now();
        let mut stopped: Option<Instant> = None;
        loop {
            let ended = self.ended.load(Ordering::SeqCst);
            let over = stopped.is_some_and(|since| since.elapsed() > LAST_WORDS)
                || patience.is_some_and(|time| begin.elapsed() > time);
            if let Some(report) = self.found.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Some((self.run, report));
            }
            if ended || over {
                self.decided.store(true, Ordering::SeqCst);
                return None;
            }
            if self.run.control.stopped().is_some() || self.run.control.budget.is_cancelled() {
                stopped.get_or_insert_with(Instant::now);
            }
            std::thread::sleep(TICK);
        }
    }
}
