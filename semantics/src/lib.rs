#![doc = include_str!("../README.md")]
pub mod tuning;

pub mod value;

pub mod error;
pub mod prob_profile;
pub mod scope;

pub mod evaluator;

pub mod evaluate;

pub mod constraint;

pub mod transition;

pub mod symmetry;

pub mod explanation;

pub mod trace;

pub mod acceleration;

pub mod temporal;

pub mod refinement;

pub mod verdict;
