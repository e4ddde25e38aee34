//! Turns in the race of the engines: engines are plain functions on threads of their own, and no more of them work at a
//! time than there are cores for.
//!
//! An engine works in slices. Between two queries it checks whether its slice is over and another engine waits
//! ([`Turn::is_over`]). Then it hands its turn on and sleeps until the portfolio gives it the next one. A query that
//! the end of a slice cuts short is asked again in the next slice, which is longer. While no engine waits, a slice has
//! no end and no query is cut short.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use bsym_encodings::budget;

use crate::wishes::Wishes;

/// A slice of work, longer than the one before.
pub(crate) struct Slice(pub Duration);

/// Number of contestants that could work if one of the cores were free.
pub(crate) type Waiting = Arc<AtomicUsize>;

/// The turn of one thread.
pub struct Turn {
    /// Time at work before this slice.
    before: Duration,
    /// Start of this slice.
    begun: Instant,
    /// The time at work is counted in steps of solvers.
    is_counted: bool,
    shared: Option<Shared>,
    /// There is no further slice.
    is_closed: bool,
}

struct Shared {
    /// The time at work at which this slice is over if its end is awaited.
    end: Duration,
    waiting: Waiting,
    wishes: Arc<Wishes>,
    /// Gives slices. It is closed when the round is over.
    slices: Receiver<Slice>,
    /// Says that the slice is over, after so much time at work.
    pause: Box<dyn Fn(Duration)>,
}

impl Turn {
    /// Returns a turn that no other engine waits for.
    pub fn alone() -> Turn {
        Turn {
            before: Duration::ZERO,
            begun: Instant::now(),
            is_counted: false,
            shared: None,
            is_closed: false,
        }
    }

    /// Waits for the first slice of a turn. `None` if there will be none.
    pub(crate) fn first(
        slices: Receiver<Slice>,
        waiting: Waiting,
        wishes: Arc<Wishes>,
        is_counted: bool,
        pause: Box<dyn Fn(Duration)>,
    ) -> Option<Turn> {
        let Slice(length) = slices.recv().ok()?;
        let shared = Some(Shared { end: length, waiting, wishes, slices, pause });
        Some(Turn { is_counted, shared, ..Turn::alone() })
    }

    /// Time at work so far, without the time in which others had their turn.
    pub fn worked(&self) -> Duration {
        if self.is_counted { budget::work() } else { self.before + self.begun.elapsed() }
    }

    /// Returns the rest of the slice if something waits for its end.
    pub(crate) fn left(&self) -> Option<Duration> {
        let is_awaited = |s: &&Shared| s.waiting.load(Ordering::SeqCst) > 0 || s.wishes.is_new();
        let shared = self.shared.as_ref().filter(is_awaited)?;
        Some(shared.end.saturating_sub(self.worked()))
    }

    /// Returns true if no slice follows: the portfolio wants nothing more.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns true if the slice is over and its end is awaited.
    pub(crate) fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// Lets others work, and waits for the next slice. If there is none, the turn is closed.
    pub(crate) fn hand_on(&mut self) {
        let worked = self.worked();
        let Some(shared) = self.shared.as_mut().filter(|_| !self.is_closed) else { return };
        (shared.pause)(worked);
        match shared.slices.recv() {
            Ok(Slice(length)) => shared.end = worked + length,
            Err(_) => self.is_closed = true,
        }
        self.before = worked;
        self.begun = Instant::now();
    }
}
