//! One contestant of a [portfolio](crate::portfolio): an engine, or a helper in parallel to the engines, on a thread of
//! its own.
//!
//! Its terms and sessions stay on that thread. It shares the question and the cores with the others, and reports its
//! progress to the portfolio by messages.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bsym_encodings::session::{self, Session, SolverChoice, SolverError, Statistics};
use bsym_encodings::system::Unsupported;
use bsym_encodings::term::Terms;
use bsym_language::model::Pred;
use bsym_language::stack::spawn_with_large_stack;
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous};
use bsym_status::ProofStatus;

use crate::bmc::Bmc;
use crate::convergence;
use crate::deduction::Deduction;
use crate::deep;
use crate::exchange::Exchange;
use crate::excluded::Excluded;
use crate::hunt::Hunt;
use crate::ic3::Ic3;
use crate::induction::Kind;
use crate::options::{Domains, Job};
use crate::outcome::{Outcome, Work};
use crate::problem::{Existence, Open, Problem};
use crate::settle::{Settled, existence, settle};
use crate::small_scopes::sample;
use crate::strongest;
use crate::tree::Tree;
use crate::tuning::tuning;
use crate::turn::{Slice, Turn, Waiting};
use crate::verdict::{CounterexampleToInduction, Engine, Progress};
use crate::wishes::Wishes;

/// Makes empty sessions with a solver, on any thread.
pub type Opener = Arc<dyn Fn(Rc<Terms>) -> Result<Session, SolverError> + Send + Sync>;

/// An opener of sessions with the chosen solver.
pub fn opener(choice: SolverChoice) -> Opener {
    Arc::new(move |terms| session::open(terms, &choice))
}

/// Task of a contestant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Looks for an answer.
    Engine(Engine),
    /// Searches for a proof by IC3 over diagrams, while the engine has the other domains.
    Diagrams,
    /// Searches small scopes as deep as the engines ask.
    SmallScopes,
    /// Proves pairs and checks that the engines then need not ask about.
    Deduction,
    /// Looks for violations behind many rounds of a cycle.
    Deep,
    /// Looks for violations among the first states that the evaluator reaches.
    FirstStates,
    /// Looks for the strongest clauses over small vocabularies, for sets of any size.
    Strongest,
    /// Searches over bits at small sizes, and for a proof for any size.
    Bits,
}

/// Message of a contestant.
pub(crate) enum Message {
    Progress(Progress),
    /// The first engine knows the problem.
    Prepared(Box<Prepared>),
    /// Its slice is over, after so much time at work.
    Paused(Duration),
    /// It has nothing more to do.
    Ended(Box<Ended>),
    /// It panicked.
    Panicked(Box<dyn Any + Send>),
}

/// Facts known about a job before the engines begin.
pub(crate) struct Prepared {
    /// Parts of the model that could not be encoded.
    pub unsupported: Vec<Unsupported>,
    /// Nothing that is asked has a term.
    pub is_unsupported: bool,
    /// Existence of a valuation and an initial state.
    pub existence: Existence,
}

/// Result of a contestant, and what it knows.
pub(crate) struct Ended {
    pub found: Conclusion,
    /// No violation on any trace with up to this many events.
    pub clear: Option<usize>,
    pub statistics: Statistics,
    pub counterexample_to_induction: Option<CounterexampleToInduction>,
    /// Invariants that were guessed: inductive together with the assumed conjuncts.
    pub guessed: Vec<Pred>,
    /// Lemmas of frames, which need not be inductive.
    pub lemmas: Vec<Pred>,
}

/// Finding of a contestant.
pub(crate) enum Conclusion {
    Violated(Box<Counterexample>),
    Vacuous(Vacuous, String),
    /// A proof, settled.
    Settled(Settled),
    Unknown(Reason),
    /// Status that was proved in parallel to the engines.
    Proved(ProofStatus),
}

impl Ended {
    pub(crate) fn with(found: Conclusion) -> Ended {
        let statistics = Statistics::default();
        Ended {
            found,
            clear: None,
            statistics,
            counterexample_to_induction: None,
            guessed: vec![],
            lemmas: vec![],
        }
    }
}

/// State that the contestants of a round share.
#[derive(Clone)]
pub(crate) struct Shared {
    /// The question; its budget ends with the round.
    pub job: Arc<Job>,
    /// Parts left out because they are violated.
    pub excluded: Arc<Excluded>,
    pub opener: Opener,
    pub waiting: Waiting,
    pub wishes: Arc<Wishes>,
    pub exchange: Arc<Exchange>,
    /// Known once the first engine has looked.
    pub existence: Arc<OnceLock<Existence>>,
    /// Solvers that were lost so far.
    pub losses: Arc<AtomicUsize>,
}

/// Starts a contestant. It begins with its first slice.
pub(crate) fn start(
    role: Role,
    number: usize,
    shared: Shared,
    slices: Receiver<Slice>,
    messages: Sender<(usize, Message)>,
) {
    spawn_with_large_stack(move || {
        let say = messages.clone();
        let pause = Box::new(move |worked| drop(say.send((number, Message::Paused(worked)))));
        let (waiting, wishes) = (shared.waiting.clone(), shared.wishes.clone());
        let is_counted = shared.job.budget.is_counted();
        let Some(mut turn) = Turn::first(slices, waiting, wishes, is_counted, pause) else {
            return;
        };
        let mut contestant = Contestant { role, number, shared, messages: messages.clone() };
        // If the receiver is gone, so is the portfolio.
        let ended = catch_unwind(AssertUnwindSafe(|| contestant.run(&mut turn)));
        if let Err(panic) = ended {
            let _ = messages.send((number, Message::Panicked(panic)));
        }
    });
}

struct Contestant {
    role: Role,
    number: usize,
    shared: Shared,
    messages: Sender<(usize, Message)>,
}

impl Contestant {
    fn say(&self, message: Message) {
        // The receiver is gone once the round is over.
        let _ = self.messages.send((self.number, message));
    }

    /// Works, says how it ended, and then frees its terms and solvers, which may take seconds.
    fn run(&mut self, turn: &mut Turn) {
        match self.role {
            Role::Engine(engine) => self.compete(engine, turn),
            Role::Diagrams => self.compete(Engine::Ic3, turn),
            Role::SmallScopes => {
                let (shared, mut hunt) = (self.shared.clone(), Hunt::default());
                let found =
                    self.with_work(turn, None, |work| hunt.run(&shared.excluded, &shared.wishes, work));
                let result = match found {
                    Ok(Outcome::Violated(found)) => Conclusion::Violated(found),
                    Ok(_) => Conclusion::Unknown(Reason::Unsupported),
                    Err(lost) => Conclusion::Unknown(Reason::SolverFailed(lost.to_string())),
                };
                let ended = Ended { statistics: hunt.statistics(), ..Ended::with(result) };
                self.say(Message::Ended(Box::new(ended)));
            }
            Role::Deep => {
                let shared = self.shared.clone();
                let outcome = self.with_work(turn, None, |work| {
                    deep::run(&shared.job, &shared.excluded, shared.existence.get(), work)
                });
                let result = match outcome {
                    Outcome::Violated(found) => Conclusion::Violated(found),
                    _ => Conclusion::Unknown(Reason::Unsupported),
                };
                self.say(Message::Ended(Box::new(Ended::with(result))));
            }
            Role::FirstStates => {
                let Shared { job, excluded, .. } = self.shared.clone();
                let found = self.with_work(turn, None, |work| {
                    sample::violation(&job, &job.scope, &mut || work.check().is_ok())
                });
                let result = match found.filter(|found| excluded.lacks(&job, found)) {
                    Some(found) => Conclusion::Violated(found),
                    None => Conclusion::Unknown(Reason::Unsupported),
                };
                self.say(Message::Ended(Box::new(Ended::with(result))));
            }
            Role::Strongest | Role::Bits => {
                let result = self
                    .any_size(turn)
                    .unwrap_or_else(|lost| Conclusion::Unknown(Reason::SolverFailed(lost.to_string())));
                self.say(Message::Ended(Box::new(Ended::with(result))));
            }
            Role::Deduction => {
                let problem = Problem::plain(&self.shared.job, &self.shared.excluded);
                let deduction = Deduction::new(&problem, &self.shared.job);
                let proved = self.with_work(turn, None, |work| deduction.run(&problem, work));
                let result = match proved {
                    Ok(proved) => Conclusion::Proved(proved),
                    Err(lost) => Conclusion::Unknown(Reason::SolverFailed(lost.to_string())),
                };
                self.say(Message::Ended(Box::new(Ended::with(result))));
            }
        }
    }

    /// Looks for a proof by the strongest clauses or over bits, and settles it.
    fn any_size(&self, turn: &mut Turn) -> Result<Conclusion, SolverError> {
        let opener = self.shared.opener.clone();
        let mut open = |terms| opener(terms);
        let mut problem = Problem::new(&self.shared.job, &self.shared.excluded, &mut open)?;
        if let Some(existence) = self.shared.existence.get() {
            problem.existence = existence.clone();
        }
        let query = Some(tuning().contestant.proof_query);
        let excluded = &self.shared.excluded;
        let outcome = self.with_work(turn, query, |work| match self.role {
            Role::Bits => convergence::run(&mut problem, excluded, work),
            _ => strongest::run(&mut problem, work),
        });
        Ok(match outcome? {
            Outcome::Proof(claim) => {
                Conclusion::Settled(settle(&mut problem, &self.shared.job, claim, &mut open)?)
            }
            Outcome::Violated(found) => Conclusion::Violated(found),
            Outcome::Vacuous(what, why) => Conclusion::Vacuous(what, why),
            Outcome::Unknown(reason) => Conclusion::Unknown(reason),
        })
    }

    fn with_work<R>(
        &self,
        turn: &mut Turn,
        query: Option<Duration>,
        act: impl FnOnce(&mut Work<'_, '_>) -> R,
    ) -> R {
        let Shared { job, opener, wishes, exchange, .. } = &self.shared;
        let mut open = |terms| opener(terms);
        let mut observer = |progress: &Progress| self.say(Message::Progress(progress.clone()));
        let observer: &mut dyn Observer<Progress> = &mut observer;
        let small_scopes = &**wishes;
        let query = job.query_time.or(query);
        let open = &mut open;
        act(&mut Work { job, open, observer, small_scopes, exchange, query, turn, end: None })
    }

    /// Runs an engine to its end. Restarts it when its solver is lost, which loses what it had found out.
    fn compete(&self, engine: Engine, turn: &mut Turn) {
        let mut lost_work = Statistics::default();
        loop {
            let opener = self.shared.opener.clone();
            let mut open = |terms| opener(terms);
            let mut running = None;
            let lost = match self.attempt(engine, turn, &mut open, &mut running) {
                Ok(mut ended) => {
                    ended.statistics += lost_work;
                    return self.say(Message::Ended(Box::new(ended)));
                }
                Err(lost) => lost,
            };
            lost_work += running.as_ref().map(|(_, engine)| engine.statistics()).unwrap_or_default();
            let is_lost = matches!(lost, SolverError::Exited(_) | SolverError::Refused(_));
            // A solver that cannot be started for the first time cannot be for the second.
            let again = is_lost
                && running.is_some()
                && self.shared.losses.fetch_add(1, Ordering::SeqCst) < tuning().contestant.losses;
            if !again {
                let mut ended = Ended::with(Conclusion::Unknown(Reason::SolverFailed(lost.to_string())));
                ended.statistics = lost_work;
                return self.say(Message::Ended(Box::new(ended)));
            }
        }
    }

    fn attempt(
        &self,
        engine: Engine,
        turn: &mut Turn,
        open: &mut Open<'_>,
        running: &mut Option<(Problem, Running)>,
    ) -> Result<Ended, SolverError> {
        let Shared { job, excluded, .. } = &self.shared;
        let mut problem = Problem::new(job, excluded, open)?;
        let domains = match self.role {
            Role::Diagrams => Domains::Diagrams,
            _ if job.sharing.only.is_some() => job.sharing.only.unwrap_or(Domains::All),
            _ if has_diagrams_apart(job) => Domains::Predicates,
            _ => Domains::All,
        };
        let engine = Running::new(engine, domains, &mut problem, job, open)?;
        let (problem, running) = running.insert((problem, engine));
        self.prepare(problem, turn, open)?;
        let outcome = self.with_work(turn, running.patience(), |work| running.run(problem, work))?;
        let result = match outcome {
            Outcome::Violated(found) => Conclusion::Violated(found),
            Outcome::Vacuous(what, why) => Conclusion::Vacuous(what, why),
            Outcome::Unknown(reason) => Conclusion::Unknown(reason),
            Outcome::Proof(claim) => Conclusion::Settled(settle(problem, job, claim, open)?),
        };
        Ok(running.ended(job, result))
    }

    /// Learns whether there is anything to check. The first engine finds it out, and waits for what the portfolio makes
    /// of it.
    fn prepare(
        &self,
        problem: &mut Problem,
        turn: &mut Turn,
        open: &mut Open<'_>,
    ) -> Result<(), SolverError> {
        let Shared { job, existence, .. } = &self.shared;
        let known = existence.get().cloned();
        let is_first = self.number == 0;
        problem.existence = match known {
            Some(known) => known,
            None => match existence::look(problem, job, open, existence::Effort::Quick) {
                // A proof asks again.
                Err(e @ (SolverError::Exited(_) | SolverError::Refused(_))) => {
                    Existence::Undecided(e.to_string())
                }
                found => found?,
            },
        };
        if is_first {
            self.say(Message::Prepared(Box::new(Prepared {
                unsupported: problem.system.left_out.parts.clone(),
                is_unsupported: problem.targets.is_empty()
                    && (!problem.unclear.is_empty() || !job.well_definedness),
                existence: problem.existence.clone(),
            })));
            turn.hand_on();
        }
        Ok(())
    }
}

/// Returns whether IC3 searches over diagrams on a thread of its own: where sets have any size and there is a core for
/// it.
pub(crate) fn has_diagrams_apart(job: &Job) -> bool {
    job.sharing.threads > 1 && !job.scope.is_finite(&job.model) && job.sharing.only.is_none()
}

/// An engine at work on its own encoding of the job.
enum Running {
    Bmc(Box<Bmc>),
    Tree(Box<Tree>),
    Kind(Box<Kind>),
    Ic3(Box<Ic3>),
}

impl Running {
    fn new(
        engine: Engine,
        domains: Domains,
        problem: &mut Problem,
        job: &Job,
        open: &mut Open<'_>,
    ) -> Result<Running, SolverError> {
        Ok(match engine {
            Engine::Bmc | Engine::Check => Running::Bmc(Box::new(Bmc::new(problem, open)?)),
            Engine::Tree => Running::Tree(Box::new(Tree::new(problem, open)?)),
            Engine::Kind => Running::Kind(Box::new(Kind::new(problem, open)?)),
            Engine::Ic3 => Running::Ic3(Box::new(Ic3::new(problem, job, domains, open)?)),
        })
    }

    fn run(&mut self, problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
        match self {
            Running::Bmc(bmc) => bmc.run(problem, work),
            Running::Tree(tree) => tree.run(problem, work),
            Running::Kind(kind) => kind.run(problem, work),
            Running::Ic3(ic3) => ic3.run(problem, work),
        }
    }

    /// Longest time that it waits for one query, unless the job says otherwise.
    fn patience(&self) -> Option<Duration> {
        match self {
            Running::Bmc(_) => None,
            Running::Tree(_) | Running::Kind(_) | Running::Ic3(_) => Some(tuning().contestant.proof_query),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Running::Bmc(bmc) => bmc.statistics(),
            Running::Tree(tree) => tree.statistics(),
            Running::Kind(kind) => kind.statistics(),
            Running::Ic3(ic3) => ic3.statistics(),
        }
    }

    fn ended(&self, job: &Job, found: Conclusion) -> Ended {
        let (clear, counterexample_to_induction, guessed) = match self {
            Running::Bmc(bmc) => (bmc.clear(), None, vec![]),
            Running::Tree(tree) => (tree.clear(), None, vec![]),
            Running::Kind(kind) => (kind.clear(), kind.counterexample_to_induction(job), kind.guessed()),
            Running::Ic3(ic3) => (ic3.clear(), None, ic3.guessed().to_vec()),
        };
        let lemmas = match (self, &found) {
            (Running::Ic3(ic3), Conclusion::Unknown(_)) => ic3.lemmas(&job.model),
            _ => vec![],
        };
        Ended { found, clear, statistics: self.statistics(), counterexample_to_induction, guessed, lemmas }
    }
}
