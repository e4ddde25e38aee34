//! Several ways to one answer, each at work on its own, and the end of all of them.
//!
//! - [`control`] has the deadline, the limit of memory and the interrupts of a run, and keeps the promise that it ends:
//!   where the work does not stop when it is asked to, the best answer that a contestant has offered is said.
//! - [`contestant`] is one way at work on a thread of its own: it may begin later than the others, be withdrawn, and be
//!   waited for.
//! - [`process`] is one at work in a process of its own, which a fault or a lack of memory takes down alone. It gets its
//!   question and gives its answer as the types in [`protocol`].
//! - [`supervise`] survives a crash of a solver library.
//!
//! Which contestants there are, and whose answer counts, is decided by the commands: `check` and `many`.

pub mod contestant;
pub mod control;
pub mod process;
pub mod protocol;
#[cfg(unix)]
pub mod supervise;
