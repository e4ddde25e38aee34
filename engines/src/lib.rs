#![doc = include_str!("../README.md")]
// In the order in which a question goes through them.
pub mod options;

pub mod verdict;

pub mod run;

pub mod excluded;

mod dropped;

pub mod problem;

mod small_scopes;

pub mod existence;

mod first_states;

mod axioms;

pub mod vetting;

mod wrong_status;

mod deduction;

mod first_order;

mod portfolio;

pub mod outcome;

pub mod path;

pub mod bmc;

mod diameter;

pub mod tree;

pub mod kind;

mod path_uniqueness;

mod strengthen;

pub mod ic3;

pub mod explain;

pub mod auxiliary;

pub mod hunt;

pub mod counterexample;

pub mod sample;

pub mod settle;

pub mod walk;
