//! Requests of the engines to the search of small scopes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The depth to which small scopes are to be searched, and the depth that was reached. One search serves all engines.
#[derive(Debug, Default)]
pub struct Wishes {
    /// Number of depths, from 0, that an engine wants.
    wanted: AtomicUsize,
    /// Number of depths that were searched.
    searched: AtomicUsize,
    /// A depth is wanted that the portfolio does not know of yet.
    is_new: AtomicBool,
}

impl Wishes {
    /// Returns true if a wanted depth was not searched yet.
    pub fn is_open(&self) -> bool {
        self.next().is_some()
    }

    pub(crate) fn is_new(&self) -> bool {
        self.is_new.load(Ordering::SeqCst)
    }

    /// Returns true if a wanted depth was not searched yet, of which the portfolio knows from now on.
    pub(crate) fn notice(&self) -> bool {
        self.is_new.store(false, Ordering::SeqCst);
        self.is_open()
    }

    /// The first depth that is wanted and was not searched yet.
    pub fn next(&self) -> Option<usize> {
        let searched = self.searched.load(Ordering::SeqCst);
        (searched < self.wanted.load(Ordering::SeqCst)).then_some(searched)
    }

    /// Asks for a search of all small scopes to a depth.
    pub fn wish(&self, depth: usize) {
        if self.wanted.fetch_max(depth + 1, Ordering::SeqCst) <= depth {
            self.is_new.store(true, Ordering::SeqCst);
        }
    }

    /// A depth was searched.
    pub fn fulfilled(&self, depth: usize) {
        self.searched.fetch_max(depth + 1, Ordering::SeqCst);
    }
}
