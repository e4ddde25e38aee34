//! Text to typed model for classical B.
pub mod ast;
pub mod check;
pub mod check_codes;
pub mod decode;
pub mod definitions;
pub mod diagnostic;
pub mod int;
pub mod lexer;
pub mod load;
pub mod model;
pub mod parse_codes;
pub mod parser;
pub mod print;
pub mod render;
pub mod source;
pub mod types;
pub mod walk;
