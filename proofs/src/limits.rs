//! Limits on certificates: sizes that no certificate of a proof reaches.
//!
//! The contents of a certificate decide how much work its check is, and anybody may have written it. Sizes that no
//! proof comes near are refused before the work begins. Smaller ones are subject to the limits of time and memory.

use bsym_semantics::scope::MOST_ELEMENTS_OF_A_SET;

/// Most bytes of the file.
pub const BYTES: u64 = 64 << 20;
/// Most steps of an induction or of a path: their states are compared in pairs.
pub const STEPS: usize = 2_000;
/// Most lemmas.
pub const LEMMAS: usize = 20_000;
/// Most elements of a deferred set.
pub const ELEMENTS: usize = MOST_ELEMENTS_OF_A_SET;
/// Most digits of a bound.
pub const DIGITS: usize = 1_000;
