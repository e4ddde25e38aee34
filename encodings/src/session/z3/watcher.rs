//! Interrupts Z3 when a budget ends.
//!
//! One thread per solver thread looks every few milliseconds whether the running check should end.
//! It does the work of Z3's own time limit as well: setting that parameter again for every query
//! costs more than a small query itself.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use z3::Context;

use crate::budget::{Budget, Stopped};
use crate::tuning::tuning;

#[derive(Default)]
struct Watched {
    /// The check that is running, and when it has to end.
    check: Option<(Budget, Option<Instant>)>,
    /// Reason why the running check was interrupted.
    stopped: Option<Stopped>,
    /// `true` if the thread sleeps until it is woken.
    asleep: bool,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    watched: Mutex<Watched>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        // Nothing panics while it holds the lock, and the state is valid at every point.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The watching thread of the solver thread that made it.
pub(super) struct Watcher {
    shared: Arc<Shared>,
}

impl Watcher {
    /// Starts watching over the checks of this thread's context.
    pub fn new() -> Self {
        let shared = Arc::new(Shared::default());
        // The handle must outlive every use in the other thread, which is never joined: the context is kept for good.
        // One for each thread that ever ran Z3.
        let context: &'static Context = Box::leak(Box::new(Context::thread_local()));
        let handle = context.handle();
        let for_thread = shared.clone();
        std::thread::spawn(move || watch(&for_thread, &|| handle.interrupt()));
        Watcher { shared }
    }

    /// Runs `check`, interrupted when the budget ends. Second: why it was interrupted, if it was.
    pub fn run<R>(&self, budget: &Budget, check: impl FnOnce() -> R) -> (R, Option<Stopped>) {
        let end = budget.query_time().map(|t| Instant::now() + t);
        {
            let mut w = self.shared.lock();
            w.check = Some((budget.clone(), end));
            w.stopped = None;
            if w.asleep {
                self.shared.wake.notify_one();
            }
        }
        let result = check();
        let mut w = self.shared.lock();
        w.check = None;
        (result, w.stopped.take())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
    }
}

fn watch(shared: &Shared, interrupt: &dyn Fn()) {
    let mut w = shared.lock();
    let mut last = Instant::now();
    while !w.closed {
        let now = Instant::now();
        let ended = w.check.as_ref().map(|(budget, end)| match end {
            _ if budget.is_cancelled() => Some(Stopped::Cancelled),
            Some(end) if *end <= now => Some(Stopped::Timeout),
            _ => None,
        });
        match ended {
            Some(Some(why)) => {
                // Under the lock: the check cannot end meanwhile, an interrupt never meets a later one. Said again
                // each period, as one that arrives before Z3 has started is lost.
                w.stopped.get_or_insert(why);
                interrupt();
                last = now;
            }
            Some(None) => last = now,
            None if now - last > tuning().z3.linger => {
                w.asleep = true;
                w = shared.wake.wait(w).unwrap_or_else(PoisonError::into_inner);
                w.asleep = false;
                last = Instant::now();
                continue;
            }
            None => {}
        }
        w = shared.wake.wait_timeout(w, tuning().z3.period).unwrap_or_else(PoisonError::into_inner).0;
    }
}
