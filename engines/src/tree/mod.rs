//! BMC*: bounded model checking along one sequence of events after the other (Krings & Leuschel, ABZ 2016, section 3).
//!
//! Sequences are made longer level by level, so that the first violation is a shortest one. A sequence stays where some
//! path takes it through good states; what is asked about it is over its own events alone, so that a question is small
//! where that of [`crate::bmc`] has every event in every step. Not asked is what [`successions`] rule out: pairs of
//! events that never follow each other, longer sequences learned from unsatisfiable cores, and of two events that
//! [commute](commuting) the order that is not alphabetic. A shortest path to a violation repeats no state, and of those
//! with its end one has no such pair: none of this loses a violation.
//!
//! A search that ends has seen every reachable state. The proof says how long a path can be that repeats no state, and paths in the
//! orders that were left out are paths, too: `a, b, a` repeats none where `a, a, b` does. So where an order was left out, that length
//! is [asked](Diameter) once more of all paths.
//!
//! A question that a solver leaves open is set aside and asked again, alone in a session of its own and with twice
//! the time, when a level is done; the search goes on meanwhile.

mod commuting;
mod successions;
mod words;

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use bsym_encodings::session::{Answer, Model, Session, SolverError, Statistics};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::EventId;
use bsym_proofs::claim::Evidence;
use bsym_semantics::verdict::{Reason, Vacuous};

use crate::bmc::failing_initialisation;
use crate::outcome::{DEEPEST_SMALL, Outcome, Work};
use crate::paths::counterexample::{Attempt, attempt};
use crate::paths::diameter::Diameter;
use crate::paths::uniqueness::{different, repetitions};
use crate::paths::{Checked, Path, Start, Taken};
use crate::problem::{Existence, Open, Problem};
use crate::verdict::{Engine, Progress};

use self::successions::{Follows, Successions, step};
use self::words::{Word, Words};

/// Time for a question before it is set aside; doubled each time that it is asked again.
const PATIENCE: Duration = Duration::from_millis(500);

/// That a sequence has a path is asked each so many levels even where it follows from the one before it: whether its
/// states can be different does not.
const LOOK: usize = 4;

/// Questions that were set aside get at most this share of the time.
const AGAIN_SHARE: u32 = 2;

/// A search along sequences of events that can be paused.
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
    stage: Stage,
    /// Pairs of states already made different.
    distinct: HashSet<(usize, usize)>,
    /// A sequence was left out because another order of its events is searched.
    swapped: bool,
    /// How long paths are in any order of their events, once the search has ended.
    diameter: Option<Diameter>,
    /// Questions that no solver decided, the first one first.
    aside: VecDeque<Aside>,
    /// Time spent with those, and the work of their solvers.
    again: Duration,
    work_again: Statistics,
    /// Time spent with everything.
    spent: Duration,
    /// No violation on any trace with up to this many events.
    clear: Option<usize>,
    /// The first question that was given up, with its size and time.
    undecided: Option<String>,
}

/// What is done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Initialisation,
    /// A violation by the initialisation.
    Start,
    /// Before the sequences of the level are made longer.
    Level,
    /// Failures at the end of the first sequence of the level.
    Failures,
    /// One more event for the first sequence.
    Event(u32),
    /// All sequences of the level are done.
    Again,
    /// No sequence is left.
    Diameter,
}

/// A question that was set aside.
#[derive(Clone, Debug)]
struct Aside {
    events: Vec<EventId>,
    asked: Asked,
    time: Duration,
}

/// What is asked about a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// It ends in a violation.
    Violation,
    /// A step fails after it.
    Failure,
}

/// Whether a sequence has a path.
enum Feasible {
    Yes,
    No,
    Paused(Outcome),
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
            stage: Stage::Initialisation,
            distinct: HashSet::new(),
            swapped: false,
            diameter: None,
            aside: VecDeque::new(),
            again: Duration::ZERO,
            work_again: Statistics::default(),
            spent: Duration::ZERO,
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

    /// Goes on until something is decided or the slice is over.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn advance(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Outcome, SolverError> {
        let begin = Instant::now();
        let mut outcome = None;
        while outcome.is_none() {
            outcome = match work.slice.budget.check() {
                Err(stopped) => Some(Outcome::Paused(stopped)),
                Ok(()) => match self.stage {
                    Stage::Initialisation => self.initialisation(problem, work)?,
                    Stage::Start => self.start(problem, work)?,
                    Stage::Level => self.begin_level(problem, work)?,
                    Stage::Failures => self.failures(problem, work)?,
                    Stage::Event(event) => self.event(problem, work, EventId(event))?,
                    Stage::Again => self.end_level(problem, work, begin)?,
                    Stage::Diameter => Some(self.diameter(problem, work)?),
                },
            };
        }
        self.spent += begin.elapsed();
        Ok(outcome.expect("the loop ends with one"))
    }

    fn initialisation(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        if let Some(checked) = failing_initialisation(problem, work)? {
            match checked {
                Checked::Sat(Attempt::Found(found)) => return Ok(Some(Outcome::Violated(found))),
                Checked::Sat(Attempt::Failed(why)) => self.give_up("failure of the initialisation", why),
                Checked::Unknown(reason) => match work.slice.over(&reason) {
                    Some(paused) => return Ok(Some(paused)),
                    None => self.give_up("failure of the initialisation", reason.to_string()),
                },
                Checked::Unsat { .. } => {}
            }
        }
        self.stage = Stage::Start;
        Ok(match &problem.existence {
            Existence::Nothing(what @ Vacuous::NoInitialState, why) => {
                Some(Outcome::Vacuous(*what, why.clone()))
            }
            _ => None,
        })
    }

    fn start(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        if let Err(outcome) = self.ask(problem, work, &[], Asked::Violation)? {
            return Ok(Some(outcome));
        }
        self.note_clear(problem, work, 0);
        self.stage = Stage::Level;
        Ok(None)
    }

    /// The states at the end of the level are good, or were reported.
    fn begin_level(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        if work.job.depth.is_some_and(|limit| self.depth >= limit) {
            return Ok(Some(Outcome::Stuck(Reason::DepthLimit(self.depth))));
        }
        let good = problem.assumed_in(self.depth);
        self.session.assert(good)?;
        for fact in problem.facts_in(self.depth + 1) {
            self.session.assert(fact)?;
        }
        self.stage = Stage::Failures;
        Ok(None)
    }

    fn failures(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Outcome>, SolverError> {
        let Some(&word) = self.level.front() else {
            self.stage = Stage::Again;
            return Ok(None);
        };
        if !problem.failures.is_empty() {
            let events = self.words.events(word);
            if let Err(outcome) = self.ask(problem, work, &events, Asked::Failure)? {
                return Ok(Some(outcome));
            }
        }
        self.stage = Stage::Event(0);
        Ok(None)
    }

    /// Adds an event to the first sequence of the level.
    fn event(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        event: EventId,
    ) -> Result<Option<Outcome>, SolverError> {
        let Some(&word) = self.level.front() else { return Ok(None) };
        if event.index() >= problem.system.events.len() {
            self.level.pop_front();
            self.stage = Stage::Failures;
            return Ok(None);
        }
        let next = Stage::Event(event.0 + 1);
        let mut events = self.words.events(word);
        events.push(event);
        let follows = self.successions.last_of(problem, work.slice, &events)?;
        self.swapped |= follows == Follows::Swapped;
        if step(problem, event, self.depth) == Terms::FALSE
            || matches!(follows, Follows::Never | Follows::Swapped)
        {
            self.stage = next;
            return Ok(None);
        }
        let has_path = match self.ask(problem, work, &events, Asked::Violation)? {
            Ok(has_path) => has_path,
            Err(outcome) => return Ok(Some(outcome)),
        };
        let stays = match has_path {
            Some(known) => known,
            None if follows == Follows::Always && !self.depth.is_multiple_of(LOOK) => true,
            None => match self.has_path(problem, work, &events)? {
                Feasible::Yes => true,
                Feasible::No => false,
                Feasible::Paused(outcome) => return Ok(Some(outcome)),
            },
        };
        if stays {
            let longer = self.words.then(word, event);
            self.longer.push_back(longer);
        }
        self.stage = next;
        Ok(None)
    }

    /// All sequences of the level are done: those with one event more are the next one.
    fn end_level(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        begin: Instant,
    ) -> Result<Option<Outcome>, SolverError> {
        let reached = self.depth + 1;
        if (!problem.is_complete() || !self.aside.is_empty())
            && let Some(found) = work.look_beside(&problem.excluded, reached)?
        {
            return Ok(Some(Outcome::Violated(found)));
        }
        // Where there is nothing else to do they get all of the time.
        let is_last = self.longer.is_empty();
        while let Some(aside) = self.aside.front().cloned()
            && (is_last || self.again * AGAIN_SHARE < self.spent + begin.elapsed())
        {
            if let Some(outcome) = self.ask_again(problem, work, aside)? {
                return Ok(Some(outcome));
            }
        }
        self.note_clear(problem, work, reached);
        if is_last {
            if problem.is_complete() && self.clear == Some(reached) {
                if self.swapped {
                    self.stage = Stage::Diameter;
                    return Ok(None);
                }
                let evidence = Evidence::Diameter { depth: reached };
                return Ok(Some(Outcome::Proof(problem.claim(work.job, evidence))));
            }
            return Ok(Some(Outcome::Stuck(match &self.undecided {
                Some(why) => Reason::Exhausted(why.clone()),
                None => Reason::Unsupported,
            })));
        }
        if !problem.is_complete() && reached >= DEEPEST_SMALL {
            return Ok(Some(Outcome::Stuck(Reason::Unsupported)));
        }
        self.depth = reached;
        self.level = std::mem::take(&mut self.longer);
        self.stage = Stage::Level;
        Ok(None)
    }

    /// Every reachable state is good. Finds how long a path can be that repeats none.
    fn diameter(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        let diameter = match &mut self.diameter {
            Some(diameter) => diameter,
            none => none.insert(Diameter::new(problem, work.open)?),
        };
        if let Some(depth) = diameter.find(problem, usize::MAX, &work.slice.query())? {
            return Ok(Outcome::Proof(problem.claim(work.job, Evidence::Diameter { depth })));
        }
        Ok(match work.slice.budget.check() {
            Err(stopped) => Outcome::Paused(stopped),
            Ok(()) => Outcome::Stuck(Reason::Exhausted(format!(
                "no new states after {} event{}, but the length of the longest path without a repeated state is not decided",
                self.depth,
                if self.depth == 1 { "" } else { "s" }
            ))),
        })
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

    /// Asks about a sequence. Says whether it has a path, as far as the answer shows; an error is an outcome. What is
    /// not decided is set aside.
    fn ask(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
        asked: Asked,
    ) -> Result<Result<Option<bool>, Outcome>, SolverError> {
        let question = question(problem, work, events, asked);
        if question.any == Terms::FALSE {
            return Ok(Ok(None));
        }
        let path = path(problem, events);
        let assumptions: Vec<Term> = path.iter().copied().chain([question.any]).collect();
        let time = self.patience(work);
        let answer = self.session.check(&assumptions, &work.slice.budget.per_query(time))?;
        let core = match answer {
            Answer::Sat(mut model) => {
                return Ok(match question.found(problem, work, &mut model, events)? {
                    Attempt::Found(found) => Err(Outcome::Violated(found)),
                    Attempt::Failed(why) => {
                        self.give_up(&describe(problem, events, asked), why);
                        Ok(Some(true))
                    }
                });
            }
            Answer::Unsat(core) => core,
            Answer::Unknown(reason) => {
                return Ok(match work.slice.over(&reason) {
                    Some(paused) => Err(paused),
                    None => {
                        let aside = Aside { events: events.to_vec(), asked, time: time * 2 };
                        self.aside.push_back(aside);
                        let query = describe(problem, events, asked);
                        work.observer.progress(&Progress::Undecided { query, reason: reason.to_string() });
                        Ok(None)
                    }
                });
            }
        };
        if core.contains(question.any) || asked == Asked::Failure {
            return Ok(Ok(None));
        }
        self.learn(problem, work, events, &path, &core.0)?;
        Ok(Ok(Some(false)))
    }

    /// Whether a sequence has a path. States that a model repeats are made different.
    fn has_path(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        events: &[EventId],
    ) -> Result<Feasible, SolverError> {
        let path = path(problem, events);
        let budget = work.slice.budget.per_query(self.patience(work));
        loop {
            let repeated = match self.session.check(&path, &budget)? {
                Answer::Sat(mut model) => repetitions(problem, &mut model, events.len())?.next(),
                Answer::Unsat(core) => {
                    self.learn(problem, work, events, &path, &core.0)?;
                    return Ok(Feasible::No);
                }
                Answer::Unknown(reason) => {
                    return Ok(work.slice.over(&reason).map_or(Feasible::Yes, Feasible::Paused));
                }
            };
            match repeated {
                Some((i, j)) if self.distinct.insert((i, j)) => {
                    let differ = different(problem, i, j);
                    self.session.assert(differ)?;
                }
                _ => return Ok(Feasible::Yes),
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
        self.successions.learn(problem, work.slice, events, &core)
    }

    fn patience(&self, work: &Work<'_, '_>) -> Duration {
        work.slice.query.map_or(PATIENCE, |time| time.min(PATIENCE))
    }

    /// Asks what was set aside in a session that knows nothing else.
    fn ask_again(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
        aside: Aside,
    ) -> Result<Option<Outcome>, SolverError> {
        let begin = Instant::now();
        let Aside { events, asked, time } = &aside;
        let question = question(problem, work, events, *asked);
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
        let time = work.slice.query.map_or(*time, |most| most.min(*time));
        let answer = session.check(&[], &work.slice.budget.per_query(time))?;
        let outcome = match answer {
            Answer::Sat(mut model) => match question.found(problem, work, &mut model, events)? {
                Attempt::Found(found) => Some(Outcome::Violated(found)),
                Attempt::Failed(why) => {
                    self.give_up(&describe(problem, events, *asked), why);
                    None
                }
            },
            Answer::Unsat(_) => None,
            Answer::Unknown(reason) => match work.slice.over(&reason) {
                // It stays in front.
                Some(paused) => {
                    self.work_again += session.statistics();
                    return Ok(Some(paused));
                }
                None => {
                    let given_up = work.slice.query.is_some_and(|most| time >= most);
                    if given_up {
                        let quantifiers = problem.terms().quantifiers(&path(problem, events));
                        let question = describe(problem, events, *asked);
                        let spent = time.as_secs_f64();
                        self.give_up(
                            &question,
                            format!("{reason} ({quantifiers} quantifiers, {spent:.1} s)"),
                        );
                    } else {
                        self.aside.push_back(Aside { time: time * 2, ..aside.clone() });
                    }
                    None
                }
            },
        };
        self.aside.pop_front();
        self.work_again += session.statistics();
        self.again += begin.elapsed();
        Ok(outcome)
    }
}

/// A question about the end of a sequence.
struct Question {
    /// What would be a violation.
    any: Term,
    /// The failures in it, by event.
    failures: Vec<(EventId, Term)>,
}

impl Question {
    fn found(
        &self,
        problem: &mut Problem,
        work: &Work<'_, '_>,
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
        attempt(problem, work.job, model, Taken { events, last_fails })
    }
}

fn question(problem: &mut Problem, work: &Work<'_, '_>, events: &[EventId], asked: Asked) -> Question {
    match asked {
        Asked::Violation => {
            let any = problem.violated_after(work.job, events.last().copied(), events.len());
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
