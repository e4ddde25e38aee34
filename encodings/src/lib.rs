#![doc = include_str!("../README.md")]
// In the order in which a value goes through them.
pub mod tuning;

pub mod budget;

pub mod term;

pub mod determined;

pub mod representation;

pub mod symbolic;

mod expr;

mod pred;

pub mod system;

pub mod first_order;

pub mod session;

pub mod propositional;

pub mod encoding;

pub mod concretize;

pub mod finder;

pub mod patience;
