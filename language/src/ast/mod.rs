//! The syntax tree of both notations, and the library functions that it may call by name.

mod tree;

pub mod external;

pub use tree::*;
