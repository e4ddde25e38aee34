//! Bounded model checking, k-induction and IC3 for B models, with proof information.
pub mod bmc;
pub mod counterexample;
pub mod hunt;
pub mod ic3;
pub mod kind;
pub mod options;
pub mod outcome;
pub mod path;
pub mod problem;
pub mod run;
pub mod verdict;
pub mod vetting;
