//! Traces: their replay, and the formats in which they are written and read.

pub mod doubt;
pub mod file;
pub mod itf;
pub mod prob;
pub mod replay;

#[cfg(test)]
mod tests;
