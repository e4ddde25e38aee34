//! Symmetry of the elements of deferred sets: valuations of the constants that differ in their names only.
//!
//! - [`constants`]: the valuations up to names, as long as nothing in the model tells the elements apart
//! - [`bijections`]: a constant that is a bijection names them all

mod bijections;
mod constants;
