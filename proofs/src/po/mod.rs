//! Proof status in files.
//!
//! One format for all of them, `po.json` (schema in `schema/po.schema.json`): [`file`] has its types and
//! reads and writes it, [`sources`] turns the files of other tools into it, [`digest`] has the hashes of
//! predicates, events and machines, `own` refuses a file of this program that was changed by hand, [`import`] turns it into the
//! [`ProofStatus`](crate::status::ProofStatus) of a model.

mod checks;
pub mod digest;
pub mod error;
pub mod file;
pub mod frame;
pub mod fresh;
pub mod import;
mod levels;
mod matching;
mod own;
pub mod sources;
pub(crate) mod write;

pub use file::{PoError, PoFile};
pub use import::{Import, ImportOptions, read_status};

#[cfg(test)]
mod tests;
