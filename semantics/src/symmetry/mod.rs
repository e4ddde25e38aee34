//! Valuations and states that differ in the names of the elements of deferred sets only.

mod constants;

pub use constants::only_names_elements;
