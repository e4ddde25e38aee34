#![doc = include_str!("../README.md")]
mod checkpoint;
mod compile;
mod context;
mod dice;
mod frontier;
mod index;
mod machine;
mod memo;
pub mod options;
mod property;
mod rep;
pub mod report;
pub mod search;
mod store;
mod table;
pub mod walk;
mod witness;
mod worker;
