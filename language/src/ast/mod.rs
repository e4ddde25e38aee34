//! The table of operators, the syntax tree of both notations, passes over it, and the library functions that it may
//! call by name.

pub mod meaning;
pub mod operators;
pub mod precedence;

mod tree;

pub mod external;
pub mod visit;

pub use tree::*;
