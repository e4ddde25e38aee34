//! The fuzz targets: functions that take any input and panic if something is wrong.
//!
//! `targets` runs them under libFuzzer; `tests/fuzz.rs` of the workspace runs them on seeds and mutations of seeds.

pub mod checker;
pub mod evaluator;
pub mod eventb;
pub mod lexer;
pub mod loader;
pub mod parser;
