//! Proof obligations of B models: status files, discharging, certificates.
//!
//! - [`status`] says which events are known to preserve which conjuncts; [`po`] reads it from a
//!   `po.json`, [`obligations`] makes it with a solver.
//! - [`claim`] is what an engine says about all reachable states and why; [`mod@check`] asks a fresh
//!   solver for every sequent of it; [`certificate`] is the claim as a file, and [`mod@certify`] repeats
//!   the checks from that file with another solver.
//! - [`sequent`] and [`states`] are what both stand on: hypotheses and goals in sessions, and copies of
//!   a system's state.
//!
//! ```
//! use bsym_proofs::po::PoFile;
//! let text = br#"{"format": "bsym-po", "version": 1, "sources": [], "obligations": [{"id": "M/inc/inv1",
//!   "component": "M", "kind": "INV", "event": "inc", "status": "done", "source": {}}]}"#;
//! let error = PoFile::parse("po.json".as_ref(), text).unwrap_err();
//! assert!(error.to_string().starts_with("po.json:2:67: unknown variant `done`"), "{error}");
//! ```
//!
//! Deliberately absent: searching for proofs (that is the engines' work), deciding what status to
//! trust (who calls says so), and the files of other tools (they are converted to `po.json`).
pub mod certificate;
pub mod certify;
pub mod check;
pub mod claim;
pub mod obligations;
pub mod po;
pub mod sequent;
pub mod states;
pub mod status;
#[cfg(test)]
mod testing;
