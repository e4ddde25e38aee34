//! Time, memory and interrupts of a run, and the promise that it ends.
//!
//! The work is done in a thread of its own. The main thread waits for it, watches memory, and when the
//! work does not stop soon after it was asked to, prints what is known so far and ends the program.

use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_semantics::verdict::Reason;

use super::protocol::Order;
use crate::answer::Answer;
use crate::answer::statistics::seconds;
use crate::exit::Exit;
use crate::output::note;
use crate::tuning::tuning;

/// The answer from the known part of the result, given the reason why the work stopped.
type Fallback = Box<dyn FnOnce(&Reason) -> Answer + Send>;
/// The answer of a contestant, if it has one.
type Offer = Box<dyn Fn() -> Option<Answer> + Send>;

/// Outcome of waiting for the work.
pub enum Ended {
    /// The work printed its answer itself.
    Done(Exit),
    /// The work did not stop when it was asked to: the answer from the known part, still to be printed.
    Stuck(Box<Answer>),
    /// The work panicked.
    Failed,
}

/// Shared between the work, the main thread and the handler of Ctrl-C.
#[derive(Clone)]
pub struct Control {
    /// Start time of the program.
    pub start: Instant,
    /// Deadline and cancellation.
    pub budget: Budget,
    /// The order of another process that this process works for, if any.
    pub order: Option<Arc<Order>>,
    memory: Option<u64>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    interrupted: AtomicBool,
    last_signal: Mutex<Option<Instant>>,
    at_once: AtomicBool,
    /// Bytes above which the work is ended at once; 0 before it was asked to stop.
    most_memory: AtomicU64,
    patience: AtomicU32,
    out_of_memory: AtomicBool,
    /// Time from which the work is late because there is an answer already.
    decided: Mutex<Option<Instant>>,
    offers: Mutex<Vec<Offer>>,
    beside: Mutex<Option<Arc<Mutex<Child>>>>,
    session: Mutex<Option<Arc<AtomicBool>>>,
    fallback: Mutex<Option<Fallback>>,
}

impl Control {
    /// Limits counted from the start of the program.
    pub fn new(start: Instant, timeout: Option<Duration>, memory: Option<u64>) -> Control {
        let mut budget = Budget::unlimited();
        budget.deadline = timeout.and_then(|t| start.checked_add(t));
        let control = Control { start, budget, order: None, memory, shared: Arc::default() };
        control.set_fallback(Answer::stopped);
        control
    }

    /// The control of a process that works for another one.
    pub fn of_order(self, order: Option<Order>) -> Control {
        Control { order: order.map(Arc::new), ..self }
    }

    /// Returns whether this process searches states for another one, which checks what it finds.
    pub fn searches_for_another(&self) -> bool {
        matches!(self.order.as_deref(), Some(Order::Search(_)))
    }

    /// Time since the start in seconds.
    pub fn seconds(&self) -> f64 {
        seconds(self.start.elapsed())
    }

    /// Makes Ctrl-C set a flag that stops the computation, and nothing else. The owner of the flag clears it before the
    /// next computation. While it is set, Ctrl-C ends the program.
    pub fn leave_interrupts_to(&self, flag: Arc<AtomicBool>) {
        *locked(&self.shared.session) = Some(flag);
    }

    /// Handles Ctrl-C and SIGTERM: the first asks the run to stop, a later one ends the program at once. Signals that
    /// come within half a second of the one before count as that one.
    pub fn interrupt(&self) {
        let now = Instant::now();
        let before = locked(&self.shared.last_signal).replace(now);
        if before.is_some_and(|before| now.duration_since(before) < tuning().race.same_request) {
            return;
        }
        if let Some(flag) = &*locked(&self.shared.session) {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(Exit::Unknown as i32);
            }
            return;
        }
        if self.shared.interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Unknown as i32);
        }
        self.budget.cancel();
        note("interrupted: stopping with what is known so far (once more to end at once)");
    }

    /// Stops the run as an interrupt does.
    pub fn stop(&self) {
        self.shared.interrupted.store(true, Ordering::SeqCst);
        self.budget.cancel();
    }

    /// Lets the work go on `times` times longer after a limit: it waits for processes with the same limits, or writes a
    /// large file that would be lost.
    pub fn be_patient(&self, times: u32) {
        self.shared.patience.store(times, Ordering::SeqCst);
    }

    /// Why the run was stopped from outside, if it was.
    pub fn stopped(&self) -> Option<Reason> {
        if self.shared.out_of_memory.load(Ordering::SeqCst) {
            Some(Reason::Memory(self.memory.unwrap_or(0)))
        } else if self.shared.interrupted.load(Ordering::SeqCst) {
            Some(Reason::Interrupted)
        } else if self.budget.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(Reason::Timeout)
        } else {
            None
        }
    }

    /// Asks the work to stop because another part of the run has an answer.
    pub fn decided(&self) {
        self.decided_but(Duration::ZERO);
    }

    /// Asks the work to stop because another part of the run has an answer; it has some time to explain the answer.
    pub fn decided_but(&self, explanation: Duration) {
        let late = Instant::now() + explanation + tuning().race.after_decision;
        let mut decided = locked(&self.shared.decided);
        *decided = Some(decided.map_or(late, |before| before.min(late)));
        drop(decided);
        self.budget.cancel();
    }

    /// Offers the answer of a contestant for the case that the work does not stop when it is asked to. Earlier offers
    /// come first, and all of them before the fallback.
    pub fn offer(&self, offer: impl Fn() -> Option<Answer> + Send + 'static) {
        locked(&self.shared.offers).push(Box::new(offer));
    }

    /// Counts the memory of a process towards the limit. Where memory is short, it is the first to go.
    pub fn watch(&self, child: Arc<Mutex<Child>>) {
        *self.beside() = Some(child);
    }

    fn beside(&self) -> MutexGuard<'_, Option<Arc<Mutex<Child>>>> {
        locked(&self.shared.beside)
    }

    /// Enforces the limit of memory. Returns how long to wait before the next look.
    fn watch_memory(&self) -> Duration {
        let Some(limit) = self.memory else { return tuning().race.tick };
        let mut beside = self.beside();
        let other = beside.as_ref().map_or(0, |child| {
            let id = locked(child).id();
            status_of(&id.to_string(), "VmRSS:").unwrap_or(0)
        });
        let own = memory_in_use().unwrap_or(0);
        let used = own.saturating_add(other);
        if used <= limit {
            return if used > limit / 2 { tuning().race.short_tick } else { tuning().race.tick };
        }
        match beside.take() {
            Some(child) if other > 0 => {
                // The child may have ended just now.
                let _ = locked(&child).kill();
            }
            _ => {
                self.shared.out_of_memory.store(true, Ordering::SeqCst);
                self.budget.cancel();
                if let Some(flag) = &*locked(&self.shared.session) {
                    flag.store(true, Ordering::SeqCst);
                }
                // A limit below what the program takes by itself leaves time to read the machine.
                let most = own.saturating_add(tuning().race.least_excess.max(limit / tuning().race.excess));
                let most = match self.shared.most_memory.load(Ordering::SeqCst) {
                    0 => most,
                    before => before,
                };
                self.shared.most_memory.store(most, Ordering::SeqCst);
                if own > most {
                    self.shared.at_once.store(true, Ordering::SeqCst);
                }
            }
        }
        tuning().race.short_tick
    }

    /// Returns whether the work has to be over, given why it was asked to stop and `asked`, the time since then.
    fn is_late(&self, reason: &Reason, asked: Duration) -> bool {
        let patience = self.shared.patience.load(Ordering::SeqCst).max(1);
        let time = match reason {
            Reason::Memory(_) if patience == 1 && self.shared.at_once.load(Ordering::SeqCst) => return true,
            Reason::Memory(_) => tuning().race.after_memory,
            Reason::Interrupted => tuning().race.after_interrupt,
            _ => tuning().race.after_deadline,
        };
        asked > time * patience
    }

    /// Sets the answer, given the reason, where the work does not stop when it is asked to; without it, the reason
    /// alone is the answer.
    pub fn set_fallback(&self, fallback: impl FnOnce(&Reason) -> Answer + Send + 'static) {
        *self.fallback() = Some(Box::new(fallback));
    }

    /// Reports that the work is over and prints its result itself from here on. Does not return if the result so far is
    /// being printed already: the program ends then.
    pub fn finish(&self) {
        if self.fallback().take().is_none() {
            loop {
                std::thread::park();
            }
        }
    }

    fn fallback(&self) -> MutexGuard<'_, Option<Fallback>> {
        locked(&self.shared.fallback)
    }

    /// Waits for the work.
    pub fn wait(&self, done: &Receiver<Exit>) -> Ended {
        let mut asked_at: Option<Instant> = None;
        let mut tick = tuning().race.tick;
        loop {
            match done.recv_timeout(tick) {
                Ok(exit) => return Ended::Done(exit),
                Err(RecvTimeoutError::Disconnected) => return Ended::Failed,
                Err(RecvTimeoutError::Timeout) => {}
            }
            tick = self.watch_memory();
            let decided = *locked(&self.shared.decided);
            let is_late = decided.is_some_and(|late| Instant::now() > late);
            let reason = match self.stopped() {
                Some(reason) => reason,
                None if is_late => Reason::Interrupted,
                None => continue,
            };
            let asked = asked_at.get_or_insert_with(Instant::now).elapsed();
            if is_late || self.is_late(&reason, asked) {
                let fallback = self.fallback().take();
                if let Some(fallback) = fallback {
                    let offered = locked(&self.shared.offers).iter().find_map(|offer| offer());
                    return Ended::Stuck(Box::new(offered.unwrap_or_else(|| fallback(&reason))));
                }
            }
        }
    }
}

/// Locks a mutex even after a panic. Shared values are stored whole, so that a thread that panicked leaves none half
/// done.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the peak memory, in bytes, where the system reports it.
pub fn peak_memory() -> Option<u64> {
    status_of("self", "VmHWM:")
}

/// Returns the memory in use now, in bytes, where the system reports it.
pub fn memory_in_use() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// Reads a number of bytes from Linux's status of a process.
fn status_of(process: &str, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(field))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Returns whether `--memory` can be enforced on this system.
pub fn memory_is_known() -> bool {
    memory_in_use().is_some()
}
