//! One method of finding an answer, at work on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bsym_language::stack::with_large_stack;

use super::control::Control;

use crate::tuning::tuning;

/// The result of a contestant, shared by the thread that works on it and by all that wait for it.
pub struct Pending<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    result: Option<T>,
    has_ended: bool,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Pending { state: Mutex::new(State { result: None, has_ended: false }), changed: Condvar::new() }
    }
}

impl<T: Clone> Pending<T> {
    /// Returns the result, if there is one.
    pub fn result(&self) -> Option<T> {
        self.state().result.clone()
    }

    /// Returns whether the contestant has ended, so that no result follows.
    pub fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// Ends the work, with a result or without.
    pub fn end(&self, result: Option<T>) {
        let mut state = self.state();
        state.has_ended = true;
        if result.is_some() {
            state.result = result;
        }
        self.changed.notify_all();
    }

    /// Waits until the work ends, patience does, or something else settles the question; after the run was stopped, only
    /// for the last words. Returns the result so far.
    pub fn wait(
        &self,
        control: &Control,
        patience: Option<Duration>,
        is_settled: &dyn Fn() -> bool,
    ) -> Option<T> {
        let begin = Instant::now();
        let mut stopped: Option<Instant> = None;
        loop {
            if control.stopped().is_some() {
                stopped.get_or_insert_with(Instant::now);
            }
            let is_over = stopped.is_some_and(|since| since.elapsed() > tuning().race.last_words)
                || patience.is_some_and(|time| begin.elapsed() > time)
                || is_settled();
            let state = self.state();
            if state.has_ended || is_over {
                return state.result.clone();
            }
            drop(
                self.changed
                    .wait_timeout(state, tuning().race.contestant_tick)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }
}

impl<T> Pending<T> {
    /// A result is stored whole, so that a thread that panicked leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A contestant as the others see it. It is withdrawn where this is dropped.
pub struct Contestant<T> {
    pending: Arc<Pending<T>>,
    /// Ends the head start of the others.
    begin: Sender<()>,
    is_withdrawn: Arc<AtomicBool>,
}

impl<T: Clone + Send + 'static> Contestant<T> {
    /// Starts a contestant after a head start of the others. `work` returns the result, and may check whether it was
    /// withdrawn; `after` receives the result if it was not.
    pub fn start(
        head_start: Duration,
        pending: Arc<Pending<T>>,
        work: impl FnOnce(&AtomicBool) -> Option<T> + Send + 'static,
        after: impl FnOnce(Option<&T>) + Send + 'static,
    ) -> Contestant<T> {
        let (begin, begun) = channel();
        let is_withdrawn: Arc<AtomicBool> = Arc::default();
        let (shared, withdrawn) = (pending.clone(), is_withdrawn.clone());
        std::thread::spawn(move || {
            let is_dropped = begun.recv_timeout(head_start) == Err(RecvTimeoutError::Disconnected);
            let is_needless = is_dropped || withdrawn.load(Ordering::SeqCst);
            let enter = || with_large_stack(|| work(&withdrawn));
            // A panic was reported where it happened; no caller shall wait for its result.
            let result = match is_needless {
                true => None,
                false => catch_unwind(AssertUnwindSafe(enter)).unwrap_or(None),
            };
            shared.end(result.clone());
            if !is_needless && !withdrawn.load(Ordering::SeqCst) {
                after(result.as_ref());
            }
        });
        Contestant { pending, begin, is_withdrawn }
    }

    /// Ends the head start.
    pub fn begin(&self) {
        // It may have begun, or ended, before.
        let _ = self.begin.send(());
    }

    /// The result.
    pub fn pending(&self) -> &Pending<T> {
        &self.pending
    }
}

impl<T> Drop for Contestant<T> {
    fn drop(&mut self) {
        self.is_withdrawn.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> Control {
        Control::new(Instant::now(), None, None)
    }

    #[test]
    fn a_result_ends_the_wait_and_the_head_start_can_be_ended() {
        let begin = Instant::now();
        let pending: Arc<Pending<u8>> = Arc::default();
        let contestant = Contestant::start(Duration::from_secs(600), pending, |_| Some(1), |_| {});
        assert_eq!(contestant.pending().result(), None);
        contestant.begin();
        assert_eq!(contestant.pending().wait(&control(), None, &|| false), Some(1));
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_contestant_that_is_withdrawn_before_it_begins_does_nothing() {
        let pending: Arc<Pending<u8>> = Arc::default();
        let contestant = Contestant::start(
            Duration::from_secs(600),
            pending.clone(),
            |_| panic!("it began"),
            |_| panic!("it told somebody"),
        );
        drop(contestant);
        assert_eq!(pending.wait(&control(), None, &|| false), None);
        assert!(pending.has_ended());
    }

    #[test]
    fn a_wait_ends_with_patience_with_what_settles_it_and_with_the_run() {
        let pending: Pending<u8> = Pending::default();
        assert_eq!(pending.wait(&control(), Some(Duration::from_millis(1)), &|| false), None);
        assert_eq!(pending.wait(&control(), None, &|| true), None);
        let over = Control::new(Instant::now(), Some(Duration::from_millis(1)), None);
        assert_eq!(pending.wait(&over, None, &|| false), None);
        assert!(!pending.has_ended());
    }
}
