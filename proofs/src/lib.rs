#![doc = include_str!("../README.md")]
// In the order in which a value goes through them.
pub mod tuning;

pub mod states;

pub mod sequent;

pub mod scope;

pub mod contradiction;

pub mod claim;

pub mod layouts;

pub mod recorded;

mod paths;

pub mod steps;

pub mod obligations;

pub mod check;

pub mod sizes;

pub mod limits;
pub mod witness;

pub mod certificate;

pub mod certify;

#[cfg(test)]
mod testing;
