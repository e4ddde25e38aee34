//! The contestants of a portfolio: who works, who waits for a slice, and whose turn is next.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_semantics::verdict::Reason;

use crate::contestant::{Conclusion, Ended, Role};
use crate::tuning::tuning;
use crate::turn::{Slice, Waiting};

/// A contestant as the portfolio sees it.
pub(crate) struct Seat {
    pub role: Role,
    pub slices: Sender<Slice>,
    /// Length of its next slice.
    pub length: Duration,
    /// Its time at work before its last pause.
    pub worked: Duration,
    pub state: State,
    pub ended: Option<Box<Ended>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Waits for a slice.
    Waits,
    /// Waits until small scopes are wanted.
    Idle,
    Works,
    Ended,
}

/// All contestants of one attempt.
pub(crate) struct Seats {
    pub all: Vec<Seat>,
    /// Contestants that wait for a slice, the next one first.
    pub queue: VecDeque<usize>,
    /// The number of contestants that wait, which the contestants see.
    pub waiting: Waiting,
    /// The first engine has not paused yet, since it prepares the problem.
    prepares: bool,
    begun: Instant,
    is_counted: bool,
    /// Something outside of the portfolio waits for the end of slices.
    is_awaited: bool,
}

impl Seats {
    /// No contestants yet. Their time is counted as in the budget. `is_awaited`: something outside of the portfolio
    /// waits for the end of slices.
    pub fn new(budget: &Budget, is_awaited: bool) -> Seats {
        Seats {
            all: vec![],
            queue: VecDeque::new(),
            waiting: Waiting::default(),
            prepares: true,
            begun: Instant::now(),
            is_counted: budget.is_counted(),
            is_awaited,
        }
    }

    /// Adds a contestant, which waits for a slice.
    pub fn add(&mut self, role: Role, slices: Sender<Slice>) {
        self.all.push(Seat {
            role,
            slices,
            length: first_slice(role),
            worked: Duration::ZERO,
            state: State::Waits,
            ended: None,
        });
    }

    /// Returns true if a contestant works.
    pub fn is_any_at_work(&self) -> bool {
        self.all.iter().any(|s| s.state == State::Works)
    }

    /// Returns true if a contestant waits until small scopes are wanted.
    pub fn is_any_idle(&self) -> bool {
        self.all.iter().any(|s| s.state == State::Idle)
    }

    /// Queues the contestant that waited until small scopes are wanted.
    pub fn wake(&mut self) {
        if let Some(number) = self.all.iter().position(|s| s.state == State::Idle) {
            self.all[number].state = State::Waits;
            self.queue.push_back(number);
        }
    }

    /// Lets as many contestants work as there are cores, and tells those whether others wait. `due`: when the portfolio
    /// has something to do for which a contestant has to pause.
    pub fn give_slices(&mut self, threads: usize, due: Option<Duration>) {
        let is_due = usize::from(due.is_some() || self.is_awaited);
        let mut working = self.all.iter().filter(|s| s.state == State::Works).count();
        while working < threads.max(1)
            && let Some(number) = self.queue.pop_front()
        {
            // Who is next is known before the slice begins.
            self.waiting.store(self.queue.len() + is_due, Ordering::SeqCst);
            let is_alone = self.queue.is_empty();
            let seat = &mut self.all[number];
            seat.state = State::Works;
            let shortest = tuning().portfolio.shortest_slice;
            let length = due.filter(|_| is_alone).map_or(seat.length, |due| due.max(shortest));
            // A contestant that is gone has said so.
            let _ = seat.slices.send(Slice(length));
            seat.length *= 2;
            working += 1;
        }
        self.waiting.store(self.queue.len() + is_due, Ordering::SeqCst);
    }

    /// Handles the pause of a contestant. `small_scopes`: they are still wanted.
    pub fn paused(&mut self, number: usize, worked: Duration, small_scopes: bool) {
        let seat = &mut self.all[number];
        seat.worked = worked;
        if seat.state == State::Ended {
            return;
        }
        let is_idle = seat.role == Role::SmallScopes && !small_scopes;
        seat.state = if is_idle { State::Idle } else { State::Waits };
        if std::mem::take(&mut self.prepares) {
            // The first engine has its first turn before the others.
            seat.length = tuning().portfolio.first_slice;
            self.queue.push_front(number);
        } else if !is_idle {
            self.queue.push_back(number);
        }
    }

    /// Removes an engine from the race.
    pub fn give_up(&mut self, number: usize, reason: Reason) {
        self.queue.retain(|other| *other != number);
        let seat = &mut self.all[number];
        seat.state = State::Ended;
        // It ends where it waits.
        seat.slices = channel().0;
        seat.ended = Some(Box::new(Ended::with(Conclusion::Unknown(reason))));
    }

    /// Returns the longest next slice.
    pub fn longest_slice(&self) -> Duration {
        self.all.iter().map(|s| s.length).max().unwrap_or(tuning().portfolio.first_slice)
    }

    /// Returns how long the engines work: by the clock, or where times are counted by what they did.
    pub fn elapsed(&self) -> Duration {
        if self.is_counted { self.all.iter().map(|s| s.worked).sum() } else { self.begun.elapsed() }
    }

    /// Ends all contestants. Returns those that may have something to tell: the others never had a slice.
    pub fn end(&mut self) -> Vec<usize> {
        for seat in &mut self.all {
            seat.slices = channel().0;
        }
        let worked = |s: &Seat| {
            matches!(s.state, State::Works | State::Waits | State::Idle) && s.length > first_slice(s.role)
        };
        (0..self.all.len()).filter(|&number| worked(&self.all[number])).collect()
    }
}

/// The length of the first slice of a contestant.
fn first_slice(role: Role) -> Duration {
    let share = match role {
        Role::Diagrams => tuning().portfolio.diagrams_share,
        Role::Bits => tuning().portfolio.bits_share,
        _ => 1,
    };
    tuning().portfolio.first_slice * share
}
