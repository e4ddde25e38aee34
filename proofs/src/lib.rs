//! Proof obligations of B models: status files, discharging, certificates.
pub mod claim;
pub mod status;
