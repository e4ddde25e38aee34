#![doc = include_str!("../README.md")]
pub mod budget;
pub mod concretize;
pub mod determined;
mod expr;
pub mod finder;
mod pred;
pub mod representation;
pub mod session;
pub mod symbolic;
pub mod system;
pub mod term;
