#![doc = include_str!("../README.md")]
pub mod budget;
mod carriers;
pub mod concretize;
pub mod determined;
mod disjoint;
pub mod encode;
pub mod encoder;
mod exec;
mod expr;
pub mod finder;
pub mod functional;
pub mod layout;
mod pred;
pub mod session;
pub mod symbolic;
pub mod system;
pub mod term;
pub mod unrolling;
