//! `check --jobs 1`: one part of the run works at a time, for a time that is counted in what it does. So each run of the
//! same question is the same.
//!
//! Between the slices of the engines the states are searched up to a limit, and the engines on the second encoding work
//! as long as those on the first one have. Each turn is twice as long as all before it together. A search begins again
//! with each turn: as long as the limits double, that costs no more than the last turn.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bsym_engines::options::Between;
use bsym_engines::run as engines;
use bsym_engines::verdict::{Engine, Progress, Report};
use bsym_explore::report::SearchReport;
use bsym_semantics::verdict::Verdict;

use crate::answer::verification::BesideObject;
use crate::commands::beside::{Beside, Heard};
use crate::commands::encodings::{is_conclusive, is_open};
use crate::commands::raced::{Patience, Raced};
use crate::commands::run::Run;
use crate::progress::Reporter;
use crate::race::contestant::{Contestant, Pending};
use crate::race::control::locked;
use crate::race::gate::Gate;
use crate::tuning::tuning;

/// Lets all parts take turns until one has an answer.
pub(super) fn run(run: &Run, reporter: &mut Reporter) -> Raced {
    let turns = Arc::new(Mutex::new(Turns::new(run)));
    let Some(opener) = run.opener() else {
        // Without a solver there is still the search.
        let mut turns = locked(&turns);
        turns.search.run(run, None);
        return turns.raced(run, None);
    };
    let shared = turns.clone();
    let between = Between::new(move |worked| locked(&shared).pause(worked));
    let mut job = run.job();
    job.sharing.between = Some(between);
    let report = engines::run(&job, Engine::Check, &opener, reporter);
    locked(&turns).finish(run, report)
}

/// The parts that work between the slices of the engines.
struct Turns {
    run: Run,
    /// Work of the engines so far.
    worked: Duration,
    /// Their work before the next turn of the others.
    next: Duration,
    search: Search,
    second: Option<Second>,
}

impl Turns {
    fn new(run: &Run) -> Turns {
        Turns {
            run: run.clone(),
            worked: Duration::ZERO,
            next: tuning().beside.first_turn,
            search: Search::default(),
            second: run.in_propositional_logic().map(Second::start),
        }
    }

    /// The engines pause after some more work.
    fn pause(&mut self, worked: Duration) {
        self.worked += worked;
        while self.worked >= self.next && !self.run.control.budget.is_cancelled() {
            let run = self.run.clone();
            self.search.turn(&run);
            if let Some(second) = self.second.as_ref().filter(|_| !run.control.budget.is_cancelled()) {
                second.turn(&run, self.next);
            }
            self.next *= 2;
        }
    }

    /// The engines have ended: the others go on as long as they may say more.
    fn finish(&mut self, run: &Run, report: Report) -> Raced {
        let by_second = match &self.second {
            Some(second) if is_open(&report) => {
                let time = match run.control.budget.deadline {
                    Some(_) => Duration::MAX,
                    None => self.worked.max(tuning().beside.turn_patience).saturating_mul(2),
                };
                if !run.control.budget.is_cancelled() {
                    second.turn(run, time);
                }
                second.pending.result().map(|report| (second.run.clone(), report))
            }
            _ => None,
        };
        let (run, report) = by_second.unwrap_or_else(|| (run.clone(), report));
        if !run.control.budget.is_cancelled() {
            match Patience::with(&report.verdict, self.worked) {
                Patience::None => {}
                Patience::For(_) => self.search.turn(&run),
                Patience::Unlimited => self.search.run(&run, None),
            }
        }
        self.raced(&run, Some(report))
    }

    fn raced(&self, run: &Run, report: Option<Report>) -> Raced {
        let (answer, said) =
            self.search.last.clone().map_or((None, None), |(answer, said)| (answer, Some(said)));
        let is_settled = |r: &Report| matches!(Patience::with(&r.verdict, Duration::ZERO), Patience::None);
        // The search has nothing to add to an answer of the engines.
        let said = said.filter(|_| !report.as_ref().is_some_and(is_settled));
        Raced { run: run.clone(), report, answer, said }
    }
}

/// The search of the states, in a process for each turn.
struct Search {
    /// Limit of states in the next turn.
    states: usize,
    /// What the last turn said.
    last: Option<(Option<SearchReport>, BesideObject)>,
    /// More states say no more.
    is_over: bool,
}

impl Default for Search {
    fn default() -> Search {
        Search { states: tuning().beside.first_states, last: None, is_over: false }
    }
}

impl Search {
    fn turn(&mut self, run: &Run) {
        let states = self.states;
        self.run(run, Some(states));
        self.states = states.saturating_mul(2);
    }

    /// Searches up to a limit of states. An answer that settles the run ends it.
    fn run(&mut self, run: &Run, states: Option<usize>) {
        if self.is_over {
            return;
        }
        let beside = match Beside::start(run, states) {
            Ok(beside) => beside,
            Err(said) => {
                (self.last, self.is_over) = (Some((None, *said)), true);
                return;
            }
        };
        let heard = beside.wait_to_the_end(run);
        self.is_over = !heard.is_cut;
        let Heard { answer, said, .. } = heard;
        self.last = Some((answer, said));
    }
}

/// The engines on the second encoding, on a thread that rests between its turns.
struct Second {
    run: Run,
    gate: Arc<Gate>,
    pending: Arc<Pending<Report>>,
    _thread: Contestant<Report>,
}

impl Second {
    fn start(run: Run) -> Second {
        let (gate, pending): (Arc<Gate>, Arc<Pending<Report>>) = Default::default();
        let (asked, at, ended) = (run.clone(), gate.clone(), gate.clone());
        let work = move || {
            at.pass(Duration::ZERO);
            let opener = asked.opener()?;
            let between = Between::new(move |worked| at.pass(worked));
            let mut job = asked.job();
            job.sharing.between = Some(between);
            let report = engines::run(&job, Engine::Check, &opener, &mut |_: &Progress| {});
            is_conclusive(&asked, &report).then_some(report)
        };
        let after = move |_: Option<&Report>| ended.end();
        let thread = Contestant::start(Duration::ZERO, pending.clone(), move |_| work(), after);
        Second { run, gate, pending, _thread: thread }
    }

    /// Works up to some time in all. An answer ends the run.
    fn turn(&self, run: &Run, time: Duration) {
        if self.gate.has_ended() {
            return;
        }
        self.gate.let_work(time);
        if let Some(report) = self.pending.result() {
            run.decided(matches!(report.verdict, Verdict::Violated(_)));
        }
    }
}
