//! Text to typed model for classical B.
pub mod ast;
pub mod decode;
pub mod diagnostic;
pub mod int;
pub mod lexer;
pub mod model;
pub mod parse_codes;
pub mod parser;
pub mod render;
pub mod source;
pub mod types;
