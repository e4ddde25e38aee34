//! A gate that work on another thread passes at points of its own: it rests there once it has done as much as it is
//! allowed, so that one thread works at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A gate between one that works and one that allows it.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    allowed: Duration,
    worked: Duration,
    is_resting: bool,
    has_ended: bool,
}

impl Gate {
    /// Called by the one that works, after some more work: waits until more is allowed.
    pub fn pass(&self, worked: Duration) {
        let mut state = self.state();
        state.worked += worked;
        while state.worked >= state.allowed {
            state.is_resting = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_resting = false;
    }

    /// Says that the work is over.
    pub fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    /// Allows work up to some time in all, and waits until it is done or over.
    pub fn let_work(&self, allowed: Duration) {
        let mut state = self.state();
        if allowed <= state.allowed {
            return;
        }
        state.allowed = allowed;
        state.is_resting = false;
        self.changed.notify_all();
        while !state.is_resting && !state.has_ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns whether the work is over.
    pub fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    // The state is changed as a whole, so that a panic leaves none half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn work_rests_at_the_gate_until_more_is_allowed() {
        let (gate, done) = (Gate::default(), AtomicUsize::new(0));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for _ in 0..10 {
                    gate.pass(Duration::from_secs(1));
                    done.fetch_add(1, Ordering::SeqCst);
                }
                gate.end();
            });
            for (allowed, expected) in [(1, 0), (4, 3), (4, 3), (8, 7), (100, 10)] {
                gate.let_work(Duration::from_secs(allowed));
                assert_eq!(done.load(Ordering::SeqCst), expected);
            }
            assert!(gate.has_ended());
        });
    }
}
