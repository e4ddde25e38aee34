#![doc = include_str!("../README.md")]
pub mod certificate;
pub mod certify;
pub mod check;
pub mod claim;
pub mod limits;
pub mod obligations;
pub mod po;
pub mod sequent;
pub mod sizes;
pub mod states;
pub mod status;
#[cfg(test)]
mod testing;
pub mod witness;
