#![doc = include_str!("../README.md")]
pub mod bounded;
pub mod cardinality;
pub mod doubt;
mod elements;
mod enclosure;
pub mod env;
pub mod error;
pub mod evaluator;
mod external;
pub mod finder;
mod free_types;
pub mod growth;
mod images;
pub mod interrupt;
mod intervals;
pub mod itf;
pub mod lazy_set;
mod operators;
mod paths;
pub mod prob_trace;
pub mod reals;
mod recursion;
mod relations;
pub mod replay;
pub mod scope;
mod sequences;
pub mod sets;
pub mod sizes;
mod solve;
pub mod stand_in;
pub mod state;
mod straight;
pub mod symmetry;
mod totality;
pub mod trace_file;
pub mod transitions;
mod trees;
pub mod value;
pub mod value_parse;
pub mod value_text;
pub mod work;

#[cfg(test)]
mod evaluator_tests;
#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod trace_tests;
