#![doc = include_str!("../README.md")]
pub mod value;

pub mod error;
pub mod prob_profile;
pub mod scope;

pub mod evaluator;

pub mod evaluate;

pub mod constraint;

pub mod transition;

mod symmetry;

pub mod trace;

// The short paths by which other crates know these modules.
pub use evaluator::{cuts as bounded, finder, interrupt, work};
pub use trace::{doubt, file as trace_file, itf, prob as prob_trace, replay};
pub use transition as transitions;
pub use value::{env, lazy_set, parse as value_parse, text as value_text};

/// States and traces together, as other crates use them.
pub mod state {
    pub use crate::trace::{Step, Trace, Violation};
    pub use crate::transition::state::{Constants, Execution, State};
}
