//! Text to typed model for classical B.
pub mod ast;
pub mod lexer;
pub mod parse_codes;
pub mod diagnostic;
pub mod int;
pub mod model;
pub mod source;
pub mod types;
