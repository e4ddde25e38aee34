//! B models as solver terms, and sessions with the solvers.
pub mod budget;
pub mod encoder;
mod expr;
mod pred;
pub mod concretize;
pub mod determined;
mod disjoint;
pub mod encode;
mod exec;
pub mod functional;
pub mod session;
pub mod symbolic;
pub mod system;
pub mod term;
pub mod unrolling;
