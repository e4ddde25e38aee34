//! A race of several methods for one answer, each at work on its own, and the end of all of them.
//!
//! - [`control`] has the deadline, the limit of memory and the interrupts of a run, and keeps the promise that it ends:
//!   where the work does not stop when it is asked to, the best answer that a contestant has offered is printed.
//! - [`contestant`] is one method at work on a thread of its own: it may begin later than the others, be withdrawn, and
//!   be waited for.
//! - [`gate`] is where work on another thread rests until it is its turn.
//! - [`process`] is one at work in a process of its own, so that a fault or a lack of memory ends that process alone.
//!   It gets its question and gives its answer as the types in [`protocol`].
//! - [`supervise`] survives a crash of a solver library.
//!
//! The commands `check` and `many` decide which contestants there are, and whose answer counts.

pub mod contestant;
pub mod control;
pub mod gate;
pub mod process;
pub mod protocol;
#[cfg(unix)]
pub mod supervise;
