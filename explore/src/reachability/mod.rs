//! Reachability: every state of a [`System`](crate::space::system::System), whatever it is made from, each once.
//!
//! `reached` is the part of a system that is known. `exploration` takes a search from its beginning to its end: states
//! come out of the `frontier`, `expansion` adds their successors, `properties` tells whether new states are known to be
//! good, and the `visitor` is told everything else: doubtful states, failures, gaps. With several threads, a `pool` of
//! `worker`s expands batches of states and `parallel` merges their results. `firings` counts how often groups are
//! taken.

mod expansion;
mod parallel;
mod pool;
mod worker;

pub mod exploration;
pub mod firings;
pub mod frontier;
pub mod properties;
pub mod reached;
pub mod visitor;
