//! Execution of the tasks of a phase, in this thread or in several workers.
//!
//! Terms belong to the thread that made them. So each worker generates the obligations again, which gives the same ones
//! at the same positions, and proves them in sessions of its own. Results go to a board, which workers read before they
//! ask the next obligation, and to the thread that started the workers, which calls the observer.
//!
//! Workers start once the work takes longer than generating the obligations did: most machines need none.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope as Threads};
use std::time::{Duration, Instant};

use bsym_encodings::session::{Session, SolverError, Statistics};
use bsym_encodings::term::Terms;
use bsym_language::model::Model;
use bsym_language::stack::declare_large;
use bsym_semantics::scope::Scope;

use super::first_order::FirstOrder;
use super::generate::{Generated, generate};
use super::obligation::Proof;
use super::other_prover::OtherProver;
use super::rounds::{Board, Others, Phase, Rounds, Task, Update};
use super::small::SmallSizes;
use crate::sequent::Prover;
use crate::tuning::tuning;

/// Opens sessions in any thread.
pub type SharedOpener<'a> = &'a (dyn Fn(Rc<Terms>) -> Result<Session, SolverError> + Sync);

/// Plan for workers: everything that a worker is made from.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub model: &'a Arc<Model>,
    pub scope: &'a Scope,
    pub open: SharedOpener<'a>,
    /// Other provers.
    pub provers: &'a [OtherProver],
    /// Number of workers at most.
    pub jobs: usize,
    /// Shortest work for which workers are started.
    pub least: Duration,
}

/// State shared by the workers and the thread that started them.
#[derive(Default)]
pub(super) struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// All results, in order.
    said: Mutex<Vec<Update>>,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<(Task, Phase)>,
    /// `true` if no task will be added.
    closed: bool,
}

impl Shared {
    /// Waits for the next task. `None` once the queue is closed and empty.
    fn next(&self) -> Option<(Task, Phase)> {
        let mut queue = locked(&self.queue);
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                return Some(task);
            }
            if queue.closed {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, tasks: impl IntoIterator<Item = (Task, Phase)>) {
        locked(&self.queue).tasks.extend(tasks);
        self.changed.notify_all();
    }

    fn close(&self) {
        locked(&self.queue).closed = true;
        self.changed.notify_all();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A report of a worker.
enum Message {
    /// A result, and whether the observer is called.
    Update(Update, bool),
    /// A task is done, with the work of its sessions since the last one.
    Done { statistics: Statistics, solver: String },
    /// The worker ended, with the task that it did not finish.
    Gone(Option<(Task, Phase)>, Failure),
}

/// Why a worker ended early.
enum Failure {
    Solver(SolverError),
    /// A panic.
    Panic(String),
}

/// Called for each obligation that is decided.
pub(super) type Observer<'o> = &'o mut dyn FnMut(&Proof);

/// Carries out phases.
pub(super) struct Crew<'t, 'e, 'r, 'p, 'o> {
    pub own: Rounds<'r, 'p>,
    observer: Observer<'o>,
    plan: Option<Plan<'t>>,
    threads: &'t Threads<'t, 'e>,
    shared: &'t Shared,
    reports: Option<Reports>,
    start: Instant,
}

/// Reports of the remaining workers.
struct Reports {
    messages: Receiver<Message>,
    workers: usize,
}

impl<'t, 'r, 'p, 'o> Crew<'t, '_, 'r, 'p, 'o> {
    /// A crew without workers. They start when `plan` says so; without a plan they never do.
    pub fn new<'e>(
        own: Rounds<'r, 'p>,
        observer: Observer<'o>,
        plan: Option<Plan<'t>>,
        threads: &'t Threads<'t, 'e>,
        shared: &'t Shared,
    ) -> Crew<'t, 'e, 'r, 'p, 'o> {
        Crew { own, observer, plan, threads, shared, reports: None, start: Instant::now() }
    }

    /// Number of workers that tasks are made for.
    pub fn workers(&self) -> usize {
        self.plan.map_or(1, |plan| plan.jobs.max(1))
    }

    /// Calls the observer with an obligation.
    pub fn observe(&mut self, i: usize) {
        (self.observer)(&self.own.all[i]);
    }

    /// Carries out all tasks of a phase.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn carry_out(&mut self, tasks: Vec<Task>, phase: &Phase) -> Result<(), SolverError> {
        let mut tasks = VecDeque::from(tasks);
        while !tasks.is_empty() {
            self.start_workers(tasks.len());
            if self.reports.is_some() {
                let number = tasks.len();
                self.shared.add(tasks.into_iter().map(|task| (task, phase.clone())));
                tasks = self.wait_for(number)?;
            } else if let Some(task) = tasks.pop_front() {
                self.own.carry_out(&task, phase, &mut Alone { observer: self.observer })?;
            }
        }
        Ok(())
    }

    /// Asks open obligations once more, with `again`, if lemmas are proved now that were not when they were asked.
    ///
    /// # Errors
    /// Errors of `again`.
    pub fn ask_again(
        &mut self,
        again: impl FnOnce(&mut Self) -> Result<(), SolverError>,
    ) -> Result<(), SolverError> {
        let aside = self.own.reopen_for_lemmas();
        if self.reports.is_some() {
            let all = (0..self.own.all.len()).map(|i| self.own.update(i));
            locked(&self.shared.said).extend(all);
        }
        let asked = again(self);
        aside.into_iter().for_each(|i| self.own.pending[i] = true);
        asked
    }

    /// Starts workers if that pays.
    fn start_workers(&mut self, tasks: usize) {
        let Some(plan) = self.plan else { return };
        let is_short = self.start.elapsed() < plan.least;
        if self.reports.is_some() || plan.jobs < 2 || tasks < 2 || is_short {
            return;
        }
        *locked(&self.shared.said) = (0..self.own.all.len()).map(|i| self.own.update(i)).collect();
        let names: Arc<Vec<String>> = Arc::new(self.own.all.iter().map(|p| p.name.clone()).collect());
        let (send, messages) = channel();
        let mut workers = 0;
        for _ in 0..plan.jobs.min(tasks) {
            let (send, shared, names) = (send.clone(), self.shared, names.clone());
            let work = move || {
                declare_large();
                Worker { plan, shared, send, names: &names, asking: Cell::new(None), task: None }.run();
            };
            let builder = Builder::new().name("prover".into()).stack_size(tuning().obligations.stack);
            workers += usize::from(builder.spawn_scoped(self.threads, work).is_ok());
        }
        // If no thread can be started, everything is done here.
        self.reports = (workers > 0).then_some(Reports { messages, workers });
    }

    /// Applies the reports of workers until `tasks` tasks are done. Returns the tasks left over when no worker remains.
    fn wait_for(&mut self, mut tasks: usize) -> Result<VecDeque<Task>, SolverError> {
        let mut failed = Ok(());
        while let Some(reports) = &mut self.reports
            && tasks > 0
        {
            match reports.messages.recv() {
                Ok(Message::Update(update, is_decided)) => {
                    let i = update.obligation;
                    self.own.apply(update);
                    if is_decided {
                        (self.observer)(&self.own.all[i]);
                    }
                }
                Ok(Message::Done { statistics, solver }) => {
                    tasks -= 1;
                    self.own.prover.statistics += statistics;
                    if !solver.is_empty() {
                        self.own.prover.solver = solver;
                    }
                }
                Ok(Message::Gone(task, failure)) => {
                    reports.workers -= 1;
                    if reports.workers == 0 {
                        // The remaining tasks are done in this thread.
                        (self.reports, self.plan) = (None, None);
                    }
                    match failure {
                        // Another one may be able to start it.
                        Failure::Solver(error) => {
                            self.shared.add(task);
                            failed = Err(error);
                        }
                        // It would fail for others as well.
                        Failure::Panic(why) => {
                            tracing::warn!("a worker ended: {why}");
                            tasks -= usize::from(task.is_some());
                        }
                    }
                }
                // Every worker reports its end.
                Err(_) => self.reports = None,
            }
        }
        match self.reports {
            Some(_) => Ok(VecDeque::new()),
            None => {
                let left = std::mem::take(&mut locked(&self.shared.queue).tasks);
                failed.map(|()| left.into_iter().map(|(task, _)| task).collect())
            }
        }
    }
}

impl Drop for Crew<'_, '_, '_, '_, '_> {
    /// Lets the workers end: their scope waits for them.
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// The board without workers.
struct Alone<'o> {
    observer: Observer<'o>,
}

impl Board for Alone<'_> {
    fn asking(&mut self, _obligation: usize) {}

    fn say(&mut self, all: &[Proof], update: Update, is_decided: bool) {
        if is_decided {
            (self.observer)(&all[update.obligation]);
        }
    }

    fn news(&mut self) -> Vec<Update> {
        vec![]
    }
}

struct Worker<'w> {
    plan: Plan<'w>,
    shared: &'w Shared,
    send: Sender<Message>,
    /// Names of all obligations.
    names: &'w [String],
    /// The current obligation.
    asking: Cell<Option<usize>>,
    task: Option<(Task, Phase)>,
}

impl Worker<'_> {
    /// Works until the queue is closed. After a panic the current obligation is given up, and the worker continues with
    /// the others.
    fn run(mut self) {
        let mut failed: Option<(usize, String)> = None;
        loop {
            let before = failed.take();
            let worked = catch_unwind(AssertUnwindSafe(|| self.work(before.as_ref())));
            let failure = match worked {
                Ok(Ok(())) => return,
                Ok(Err(error)) => Failure::Solver(error),
                Err(panic) => {
                    let why = text_of(&*panic);
                    if let Some(i) = self.asking.take() {
                        failed = Some((i, why));
                        continue;
                    }
                    Failure::Panic(why)
                }
            };
            let _ = self.send.send(Message::Gone(self.task.take(), failure));
            return;
        }
    }

    /// Generates everything and works. `failed` is the obligation at which the attempt before this one panicked.
    fn work(&mut self, failed: Option<&(usize, String)>) -> Result<(), SolverError> {
        let Plan { model, scope, open, provers, .. } = self.plan;
        let terms = Rc::new(Terms::new());
        let Generated { mut all, families, complete, carriers, system, asked, .. } =
            generate(&terms, model, scope);
        let same = all.iter().map(|p| &p.name).eq(self.names);
        assert!(same, "the same model and scope give the same obligations");
        let first_order = FirstOrder::new(model, system.as_ref(), &asked, scope);
        let small = SmallSizes::new(model, scope);
        let others = Others { first_order: Some(&first_order), small: Some(&small), provers };
        let mut open = |terms| open(terms);
        let mut prover = Prover::new(terms, &mut open, Default::default());
        prover.also_reading(carriers);
        let mut rounds = Rounds::new(&mut prover, &families, &mut all, complete, others);
        let mut board = OfWorker { shared: self.shared, send: &self.send, asking: &self.asking, read: 0 };
        if let Some((i, why)) = failed {
            board.news().into_iter().for_each(|update| rounds.apply(update));
            let update = rounds.give_up(*i, why);
            board.say(rounds.all, update, true);
        }
        loop {
            if self.task.is_none() {
                self.task = self.shared.next();
            }
            let Some((task, phase)) = &self.task else { return Ok(()) };
            rounds.carry_out(task, phase, &mut board)?;
            self.task = None;
            self.asking.set(None);
            let statistics = std::mem::take(&mut rounds.prover.statistics);
            let _ = self.send.send(Message::Done { statistics, solver: rounds.prover.solver.clone() });
        }
    }
}

/// The text of a panic.
fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
}

/// The board of a worker.
struct OfWorker<'w> {
    shared: &'w Shared,
    send: &'w Sender<Message>,
    asking: &'w Cell<Option<usize>>,
    /// Number of updates that were read.
    read: usize,
}

impl Board for OfWorker<'_> {
    fn asking(&mut self, obligation: usize) {
        self.asking.set(Some(obligation));
    }

    fn say(&mut self, _all: &[Proof], update: Update, is_decided: bool) {
        self.asking.set(None);
        locked(&self.shared.said).push(update.clone());
        // The other side is there as long as there are workers.
        let _ = self.send.send(Message::Update(update, is_decided));
    }

    fn news(&mut self) -> Vec<Update> {
        let said = locked(&self.shared.said);
        let news = said[self.read..].to_vec();
        self.read = said.len();
        news
    }
}
