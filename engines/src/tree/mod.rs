//! BMC*: bounded model checking along one sequence of events after the other (Krings & Leuschel, ABZ 2016, section 3).
//!
//! Sequences are made longer level by level, so that the first violation is a shortest one. A sequence stays where some
//! path takes it through good states; what is asked about it is over its own events alone, so that a question is small
//! where that of [`crate::bmc`] has every event in every step. Not asked is what [`successions`] rule out: pairs of
//! events that never follow each other, longer sequences learned from unsatisfiable cores, and of two events that
//! [commute](commuting) the order that is not alphabetic. A shortest path to a violation repeats no state, and of those
//! with its end one has no such pair: none of this loses a violation.
//!
//! A search that ends has seen every reachable state. The proof says how long a path can be that repeats no state, and
//! paths in the orders that were left out are paths, too: `a, b, a` repeats none where `a, a, b` does. So where an
//! order was left out, that length is [asked](Diameter) once more of all paths.
//!
//! A question that a solver leaves open is set aside and asked again, alone in a session of its own and with twice the
//! time, when a level is done; the search continues meanwhile.

mod commuting;
mod successions;
mod words;

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::{Answer, Model, Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::EventId;
use bsym_proofs::claim::Evidence;
use bsym_semantics::verdict::{Reason, Vacuous};

use crate::bmc::failing_initialisation;
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::paths::counterexample::{Attempt, attempt};
use crate::paths::diameter::Diameter;
use crate::paths::uniqueness::{different, repetitions};
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Existence, MayBeOpen, Open, Problem};
use crate::tuning::tuning;
use crate::verdict::{Engine, Progress};

use self::successions::{Follows, Successions, step};
use self::words::{Word, Words};

/// A search along sequences of events.
#[derive(Debug)]
pub struct Tree {
    /// Paths from an initial state; steps are assumptions, everything else is asserted.
    session: Session,
    words: Words,
    successions: Successions,
    /// Number of events of the sequences that are made longer now.
    depth: usize,
    /// Sequences with a path through good states, as far as known, and those made of them so far.
    level: VecDeque<Word>,
    longer: VecDeque<Word>,
    /// Pairs of states already made different.
    distinct: HashSet<(usize, usize)>,
    /// A sequence was left out because another order of its events is searched.
    swapped: bool,
    /// How long paths are in any order of their events, once the search has ended.
    diameter: Option<Diameter>,
    /// Questions that no solver decided, the first one first.
    aside: VecDeque<Aside>,
    /// Time at work with those, and the work of their solvers.
    again: Duration,
    work_again: Statistics,
    /// No violation on any trace with up to this many events.
    clear: Option<usize>,
    /// The first question that was given up, with its size and time.
    undecided: Option<String>,
}

/// A question that was set aside.
#[derive(Clone, Debug)]
struct Aside {
    events: Vec<EventId>,
    asked: Asked,
    time: Duration,
}

/// Question about a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// It ends in a violation.
    Violation,
    /// A step fails after it.
    Failure,
}

impl Tree {
    /// Begins with the initialisation.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, open: &mut Open<'_>) -> Result<Tree, SolverError> {
        let session = Path::new(problem, Start::Initial, open)?.session;
        let successions = Successions::new(problem, open)?;
        Ok(Tree {
            session,
            words: Words::new(),
            successions,
            depth: 0,
            level: VecDeque::from([Words::EMPTY]),
            longer: VecDeque::new(),
            distinct: HashSet::new(),
            swapped: false,
            diameter: None,
            aside: VecDeque::new(),
            again: Duration::ZERO,
            work_again: Statistics::default(),
            clear: None,
            undecided: None,
        })
    }

    /// No violation on any trace with up to this many events.
    pub fn clear(&self) -> Option<usize> {
        self.clear
    }

    /// Work of the solvers.
    pub fn statistics(&self) -> Statistics {
        let mut all = self.session.statistics();
        all += self.successions.statistics();
        all += self.work_again;
        if let Some(diameter) = &self.diameter {
            all += diameter.statistics();
        }
        all
    }

    /// Makes sequences longer, level after level, until something is decided or the time is up.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        let begin = work.worked();
        if let Some(outcome) = self.initialisation(problem, work)? {
            return Ok(outcome);
        }
        loop {
            if work.job.depth.is_some_and(|limit| self.depth >= limit) {
                return Ok(Outcome::Unknown(Reason::DepthLimit(self.depth)));
            }
            self.assume_level(problem)?;
            while let Some(word) = self.level.pop_front() {
                if let Some(outcome) = self.extend(problem, work, word)? {
                    return Ok(outcome);
                }
            }
            if let Some(outcome) = self.end_level(problem, work, begin)? {
                return Ok(outcome);
            }
        }
    }

    /// The initialisation: whether it fails, whether there is one, and whether it reaches a violation.
    fn initialisation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        let query = "failure of the initialisation";
        match failing_initialisation(problem, work)? {
            Some(Checked::Sat(Attempt::Found(found))) => return Ok(Some(Outcome::Violated(found))),
            Some(Checked::Sat(Attempt::Failed(why))) => self.give_up(query, why),
            Some(Checked::Unknown(reason)) if work.is_over(&reason) => {
                return Ok(Some(Outcome::Unknown(reason.into())));
            }
            Some(Checked::Unknown(reason)) => self.give_up(query, reason.to_string()),
            Some(Checked::Unsat { .. }) | None => {}
        }
        if let Existence::Nothing(what @ Vacuous::NoInitialState, why) = &problem.existence {
            return Ok(Some(Outcome::Vacuous(*what, why.clone())));
        }
        if let Err(outcome) = self.ask(problem, work, &[], Asked::Violation)? {
            return Ok(Some(outcome));
        }
        self.note_clear(problem, work, 0);
        Ok(None)
    }

    /// The states at the end of the level are good, or were reported.
    fn assume_level(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        let good = problem.assumed_in(self.depth);
        self.session.assert(good)?;
        for fact in problem.facts_in(self.depth + 1) {
            self.session.assert(fact)?;
        }
        Ok(())
    }

    /// Asks whether a step fails after a sequence, and adds each event to it.
    fn extend(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        word: Word,
    ) -> Result<Option<Outcome>, SolverError> {
        let mut events = self.words.events(word);
        if !problem.failures.is_empty()
            && let Err(outcome) = self.ask(problem, work, &events, Asked::Failure)?
        {
            return Ok(Some(outcome));
        }
        for event in (0..problem.system.events.len() as u32).map(EventId) {
            if let Err(stopped) = work.check() {
                return Ok(Some(Outcome::Unknown(stopped.into())));
            }
            events.push(event);
            match self.stays(problem, work, &events, event)? {
                Ok(true) => {
                    let longer = self.words.then(word, event);
                    self.longer.push_back(longer);
                }
                Ok(false) => {}
                Err(outcome) => return Ok(Some(outcome)),
            }
            events.pop();
        }
        Ok(None)
    }

    /// Asks about a sequence, and returns true if it has to be made longer; an error is an outcome.
    fn stays(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
        event: EventId,
    ) -> Result<Result<bool, Outcome>, SolverError> {
        let follows = self.successions.last_of(problem, work, events)?;
        self.swapped |= follows == Follows::Swapped;
        if step(problem, event, self.depth) == Terms::FALSE
            || matches!(follows, Follows::Never | Follows::Swapped)
        {
            return Ok(Ok(false));
        }
        match self.ask(problem, work, events, Asked::Violation)? {
            Err(outcome) => Ok(Err(outcome)),
            Ok(Some(has_path)) => Ok(Ok(has_path)),
            Ok(None) if follows == Follows::Always && !self.depth.is_multiple_of(tuning().tree.look) => {
                Ok(Ok(true))
            }
            Ok(None) => self.has_path(problem, work, events).map(Ok),
        }
    }

    /// All sequences of the level are done: those with one event more are the next one.
    fn end_level(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        begin: Duration,
    ) -> Result<Option<Outcome>, SolverError> {
        let reached = self.depth + 1;
        if !problem.is_complete() || !self.aside.is_empty() {
            work.small_scopes.wish(reached);
        }
        // Where there is nothing else to do they get all of the time.
        let is_last = self.longer.is_empty();
        while let Some(aside) = self.aside.front().cloned()
            && (is_last || self.again * tuning().tree.again_share < work.worked() - begin)
        {
            if let Some(outcome) = self.ask_again(problem, work, aside)? {
                return Ok(Some(outcome));
            }
        }
        self.note_clear(problem, work, reached);
        if is_last {
            return self.ended(problem, work, reached).map(Some);
        }
        if !problem.is_complete() && reached >= tuning().portfolio.deepest_small {
            return Ok(Some(Outcome::Unknown(Reason::Unsupported)));
        }
        self.depth = reached;
        self.level = std::mem::take(&mut self.longer);
        Ok(None)
    }

    /// No sequence is left.
    fn ended(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        reached: usize,
    ) -> Result<Outcome, SolverError> {
        if problem.is_complete() && self.clear == Some(reached) {
            if self.swapped {
                return self.diameter(problem, work);
            }
            return Ok(Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth: reached })));
        }
        Ok(Outcome::Unknown(match &self.undecided {
            Some(why) => Reason::Exhausted(why.clone()),
            None => Reason::Unsupported,
        }))
    }

    /// Every reachable state is good. Finds how long a path can be that repeats none.
    fn diameter(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        let diameter = match &mut self.diameter {
            Some(diameter) => diameter,
            none => none.insert(Diameter::new(problem, work.open)?),
        };
        if let Some(depth) = diameter.find(problem, usize::MAX, work)? {
            return Ok(Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth })));
        }
        Ok(Outcome::Unknown(match work.check() {
            Err(stopped) => stopped.into(),
            Ok(()) => Reason::Exhausted(format!(
                "no new states after {} event{}, but the length of the longest path without a repeated state is not decided",
                self.depth,
                if self.depth == 1 { "" } else { "s" }
            )),
        }))
    }

    fn note_clear(&mut self, problem: &Problem, work: &mut Work<'_, '_>, depth: usize) {
        if self.aside.is_empty() && self.undecided.is_none() && problem.covers(depth) {
            self.clear = Some(depth);
        }
        let undecided = !self.aside.is_empty() || self.undecided.is_some();
        work.observer.progress(&Progress::Depth { engine: Engine::Tree, depth, undecided, size: None });
    }

    fn give_up(&mut self, question: &str, reason: String) {
        self.undecided.get_or_insert(format!("{question}: {reason}"));
    }

    /// Asks about a sequence. Returns whether it has a path, as far as the answer shows; an error is an outcome. An
    /// undecided question is set aside.
    fn ask(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
        asked: Asked,
    ) -> Result<Result<Option<bool>, Outcome>, SolverError> {
        let question = question(problem, work.job, events, asked);
        if question.any == Terms::FALSE {
            return Ok(Ok(None));
        }
        let path = path(problem, events);
        let assumptions: Vec<Term> = path.iter().copied().chain([question.any]).collect();
        let job = work.job;
        let answer = work.with_query(tuning().tree.patience).ask(|budget| {
            Ok(match self.session.check(&assumptions, budget)? {
                Answer::Sat(mut model) => Answered::Sat(question.found(problem, job, &mut model, events)?),
                Answer::Unsat(core) => Answered::Unsat(core.0),
                Answer::Unknown(reason) => Answered::Unknown(reason),
            })
        })?;
        let core = match answer {
            Answered::Sat(Attempt::Found(found)) => return Ok(Err(Outcome::Violated(found))),
            Answered::Sat(Attempt::Failed(why)) => {
                self.give_up(&describe(problem, events, asked), why);
                return Ok(Ok(Some(true)));
            }
            Answered::Unsat(core) => core,
            Answered::Unknown(reason) if work.is_over(&reason) => {
                return Ok(Err(Outcome::Unknown(reason.into())));
            }
            Answered::Unknown(reason) => {
                let time =
                    work.query.map_or(tuning().tree.patience, |most| most.min(tuning().tree.patience)) * 2;
                self.aside.push_back(Aside { events: events.to_vec(), asked, time });
                let query = describe(problem, events, asked);
                work.observer.progress(&Progress::Undecided { query, reason: reason.to_string() });
                return Ok(Ok(None));
            }
        };
        if core.contains(&question.any) || asked == Asked::Failure {
            return Ok(Ok(None));
        }
        self.learn(problem, work, events, &path, &core)?;
        Ok(Ok(Some(false)))
    }

    /// Returns false if a sequence has no path. States that a model repeats are made different.
    fn has_path(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
    ) -> Result<bool, SolverError> {
        let path = path(problem, events);
        loop {
            let answer = work.with_query(tuning().tree.patience).ask(|budget| {
                Ok(match self.session.check(&path, budget)? {
                    Answer::Sat(mut model) => {
                        Answered::Sat(repetitions(problem, &mut model, events.len())?.next())
                    }
                    Answer::Unsat(core) => Answered::Unsat(core.0),
                    Answer::Unknown(reason) => Answered::Unknown(reason),
                })
            })?;
            match answer {
                Answered::Sat(Some((i, j))) if self.distinct.insert((i, j)) => {
                    let differ = different(problem, i, j);
                    self.session.assert(differ)?;
                }
                Answered::Unsat(core) => {
                    self.learn(problem, work, events, &path, &core)?;
                    return Ok(false);
                }
                Answered::Sat(_) | Answered::Unknown(_) => return Ok(true),
            }
        }
    }

    fn learn(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
        path: &[Term],
        core: &[Term],
    ) -> Result<(), SolverError> {
        let core: HashSet<usize> = (0..path.len()).filter(|&k| core.contains(&path[k])).collect();
        self.successions.learn(problem, work, events, &core)
    }

    /// Asks what was set aside in a session that knows nothing else.
    fn ask_again(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        aside: Aside,
    ) -> Result<Option<Outcome>, SolverError> {
        let begin = work.worked();
        let Aside { events, asked, time } = &aside;
        let question = question(problem, work.job, events, *asked);
        let mut session = Path::new(problem, Start::Initial, work.open)?.session;
        let good = events.len() - usize::from(*asked == Asked::Violation && !events.is_empty());
        for k in 0..=events.len() {
            if k > 0 {
                for fact in problem.facts_in(k) {
                    session.assert(fact)?;
                }
            }
            if k <= good && !(events.is_empty() && *asked == Asked::Violation) {
                let good = problem.assumed_in(k);
                session.assert(good)?;
            }
        }
        for step in path(problem, events) {
            session.assert(step)?;
        }
        session.assert(question.any)?;
        let job = work.job;
        let answer = work.with_query(*time).ask(|budget| {
            Ok(match session.check(&[], budget)? {
                Answer::Sat(mut model) => Answered::Sat(question.found(problem, job, &mut model, events)?),
                Answer::Unsat(core) => Answered::Unsat(core.0),
                Answer::Unknown(reason) => Answered::Unknown(reason),
            })
        })?;
        self.work_again += session.statistics();
        self.again += work.worked() - begin;
        self.aside.pop_front();
        match answer {
            Answered::Sat(Attempt::Found(found)) => return Ok(Some(Outcome::Violated(found))),
            Answered::Sat(Attempt::Failed(why)) => self.give_up(&describe(problem, events, *asked), why),
            Answered::Unsat(_) => {}
            Answered::Unknown(reason) if work.is_over(&reason) => {
                self.aside.push_front(aside);
                return Ok(Some(Outcome::Unknown(reason.into())));
            }
            Answered::Unknown(reason) if work.query.is_some_and(|most| *time >= most) => {
                let quantifiers = problem.terms().quantifiers(&path(problem, events));
                let question = describe(problem, events, *asked);
                let spent = time.as_secs_f64();
                self.give_up(&question, format!("{reason} ({quantifiers} quantifiers, {spent:.1} s)"));
            }
            Answered::Unknown(_) => self.aside.push_back(Aside { time: *time * 2, ..aside.clone() }),
        }
        Ok(None)
    }
}

/// The answer to a question about a sequence, with what was read from the model.
enum Answered<T> {
    Sat(T),
    /// The assumptions that contradict each other.
    Unsat(Vec<Term>),
    Unknown(Stopped),
}

impl<T> MayBeOpen for Answered<T> {
    fn stopped(&self) -> Option<&Stopped> {
        match self {
            Answered::Unknown(reason) => Some(reason),
            Answered::Sat(_) | Answered::Unsat(_) => None,
        }
    }
}

/// A question about the end of a sequence.
struct Question {
    /// The condition of a violation.
    any: Term,
    /// The failures in it, by event.
    failures: Vec<(EventId, Term)>,
}

impl Question {
    fn found(
        &self,
        problem: &mut Problem,
        job: &Job,
        model: &mut Model<'_>,
        events: &[EventId],
    ) -> Result<Attempt, SolverError> {
        let mut events = events.to_vec();
        let mut last_fails = false;
        for &(event, condition) in &self.failures {
            if !last_fails && model.holds(condition)? {
                events.push(event);
                last_fails = true;
            }
        }
        attempt(problem, job, model, Taken { events, last_fails })
    }
}

fn question(problem: &mut Problem, job: &Job, events: &[EventId], asked: Asked) -> Question {
    match asked {
        Asked::Violation => {
            let any = problem.violated_after(job, events.last().copied(), events.len());
            Question { any, failures: vec![] }
        }
        Asked::Failure => {
            let failures = problem.failures_at(events.len());
            let any = problem.terms().or(failures.iter().map(|f| f.1));
            Question { any, failures }
        }
    }
}

/// The steps of a sequence.
fn path(problem: &mut Problem, events: &[EventId]) -> Vec<Term> {
    events.iter().enumerate().map(|(k, &event)| step(problem, event, k)).collect()
}

fn describe(problem: &Problem, events: &[EventId], asked: Asked) -> String {
    let names: Vec<&str> =
        events.iter().map(|e| problem.system.model.events[e.index()].name.as_str()).collect();
    let after = if names.is_empty() { "INITIALISATION".to_string() } else { names.join(", ") };
    match asked {
        Asked::Violation => format!("a violation after {after}"),
        Asked::Failure => format!("a failing step after {after}"),
    }
}
