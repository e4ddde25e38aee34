//! B models as solver terms, and sessions with the solvers.
pub mod budget;
pub mod encoder;
mod expr;
mod pred;
pub mod session;
pub mod symbolic;
pub mod system;
pub mod term;
