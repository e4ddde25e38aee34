//! Sizes that no certificate has.
//!
//! The contents of a certificate decide how much work its check is, and anybody may have written it. Sizes that no
//! proof comes near are refused before the work begins. Smaller ones are subject to the limits of time and memory.

use bsym_semantics::scope::MOST_ELEMENTS_OF_A_SET;

/// Bytes of the file.
pub const BYTES: u64 = 64 << 20;
/// Steps of an induction or of a path: their states are compared in pairs.
pub const STEPS: usize = 2_000;
/// Lemmas.
pub const LEMMAS: usize = 20_000;
/// Elements of a deferred set.
pub const ELEMENTS: usize = MOST_ELEMENTS_OF_A_SET;
/// Digits of a bound.
pub const DIGITS: usize = 1_000;
