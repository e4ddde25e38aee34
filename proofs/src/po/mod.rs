//! `po.json`: proof obligations with their status, from whatever tool.
//!
//! One file format for all sources (schema in `schema/po.schema.json`): [`file`] has its types and
//! reads and writes it, [`digest`] the hashes of predicates, events and machines, [`import`] turns a
//! file into the [`ProofStatus`](crate::status::ProofStatus) of a model. Deliberately absent: the
//! tools' own formats, which are converted to this one.

pub mod digest;
pub mod error;
pub mod file;
pub mod frame;
pub mod fresh;
pub mod import;
mod levels;
mod matching;
pub mod sources;
pub(crate) mod write;

pub use file::{PoError, PoFile};
pub use import::{Import, ImportOptions, read_status};

#[cfg(test)]
mod tests;
