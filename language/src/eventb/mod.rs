//! Event-B: reads ProB's `.eventb` packages, Rodin's projects, and models as text.
//!
//! All become a [`project::Project`] whose formulas are the trees of classical B (`ast`), so that one checker types
//! and composes them. Nothing is checked here.

pub mod project;

pub mod formula;

pub mod prolog;

mod reader;
mod terms;
mod theories;

pub mod package;

mod tuf;
mod xml;

pub mod rodin;

pub mod text;
