#![doc = include_str!("../README.md")]
// In the order in which a value goes through them: the content of a file, ...
pub mod error;
pub mod file;

pub mod parse;

pub mod path;
pub mod sources;

// ... the content of the machine, ...
pub mod component;
pub mod digest;

mod own;

// ... the matching of entries, and their freshness, ...
mod levels;
mod matching;

mod fresh;

mod checks;
pub mod frame;

// ... and the facts that count as proven.
pub mod import;

pub mod proven;

pub use checks::{may_lack_meaning, may_lack_meaning_within, places_of_meaning, places_of_refinement};
pub use error::PoError;
pub use file::PoFile;
pub use import::{Import, ImportOptions, OpenKind, import, read_status};
pub use matching::{pairs, pairs_named};
pub use proven::{Check, Formula, Level, Pair, PairStatus, ProofStatus, StepCheck};

#[cfg(test)]
mod tests;
