#![doc = include_str!("../README.md")]
pub mod bmc;
pub mod contradiction;
pub mod counterexample;
mod dropped;
pub mod existence;
pub mod hunt;
pub mod ic3;
pub mod kind;
pub mod options;
pub mod outcome;
pub mod path;
pub mod problem;
pub mod run;
pub mod settle;
mod strengthen;
pub mod verdict;
pub mod vetting;
pub mod walk;
