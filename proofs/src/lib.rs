//! Proof obligations of B models: status files, discharging, certificates.
pub mod check;
pub mod claim;
pub mod po;
pub mod sequent;
pub mod states;
pub mod status;
