//! A flag that is set when time is over or a run is cancelled, for evaluations that take long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

use crate::tuning::tuning;

/// Does work with a flag that is set at the deadline or on cancellation.
pub fn interruptible<R>(
    cancelled: &AtomicBool,
    deadline: Option<Instant>,
    work: impl FnOnce(&AtomicBool) -> R,
) -> R {
    let flag = AtomicBool::new(false);
    std::thread::scope(|threads| {
        // Dropped when the work is over, which ends the watch.
        let (_working, over) = mpsc::channel::<()>();
        let interrupt = &flag;
        threads.spawn(move || {
            while over.recv_timeout(tuning().evaluate.tick) == Err(RecvTimeoutError::Timeout) {
                if cancelled.load(Ordering::Relaxed) || deadline.is_some_and(|d| Instant::now() >= d) {
                    interrupt.store(true, Ordering::Relaxed);
                }
            }
        });
        work(&flag)
    })
}
