#![doc = include_str!("../README.md")]
pub mod constraint;
pub mod error;
pub mod evaluate;
pub mod evaluator;
pub mod prob_profile;
pub mod scope;
mod symmetry;
pub mod trace;
pub mod transition;
pub mod value;

pub use evaluator::{cuts as bounded, finder, interrupt, stand_in, work};
pub use trace::{doubt, file as trace_file, itf, prob as prob_trace, replay};
pub use transition as transitions;
pub use transition::state;
pub use value::{env, lazy_set, parse as value_parse, text as value_text};
