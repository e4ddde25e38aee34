#![doc = include_str!("../README.md")]
pub mod text;

pub mod diagnostic;

pub mod ast;

pub mod classical;
pub mod eventb;

pub mod model;

pub mod print;

pub mod check;

pub mod lint;

pub mod load;

pub mod temporal;

pub mod int;
pub mod stack;
pub mod tuning;

pub use ast::external;
pub use classical::{definitions, lexer, parser, project};
pub use diagnostic::render;
pub use eventb::prolog;
pub use model::{operators, types, visit as walk};
pub use text::{archive, decode, files, observed, source};
