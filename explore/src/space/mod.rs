//! The transition system of a model as every search sees it, over rows of words.

pub mod labels;
pub mod system;
pub mod transition_cache;
