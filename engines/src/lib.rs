#![doc = include_str!("../README.md")]
// In the order in which a question goes through them.
pub mod options;

pub mod tuning;

pub mod verdict;

pub mod run;

pub mod excluded;
pub mod export;

pub mod problem;

pub mod small_scopes;

pub mod vetting;

mod deduction;

mod first_order;

mod seats;

mod portfolio;

pub mod contestant;

pub mod turn;

pub mod wishes;

pub mod exchange;

pub mod outcome;

pub mod paths;

pub mod bmc;

pub mod tree;

pub mod constraint;

pub mod induction;

pub mod invariants;

pub mod ic3;

mod strongest;

mod convergence;

pub mod explain;

pub mod failed_proof;

mod proof_graph;

pub mod auxiliary;

pub mod hunt;

mod deep;

pub mod settle;

pub mod walk;
