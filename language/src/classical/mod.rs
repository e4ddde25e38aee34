//! Classical B: from text to the trees of a machine and of all machines that it refers to.

pub mod lexer;
pub mod parser;

pub mod definitions;

pub mod project;
