//! Symmetry reduction: of the states that differ in the roles of interchangeable elements only, one is searched.
//!
//! A permutation of elements that nothing tells apart maps states to states and steps to steps, and keeps every
//! property (Leuschel, Butler, Spermann, Turner, *Symmetry Reduction for B by Permutation Flooding*, B 2007, theorem
//! 1). So a successor may be replaced by any of its images under a permutation, and one state of a whole orbit is
//! enough: the one that [`Orbits::stand_in`](orbits::Orbits::stand_in) returns. A proof only rests on its being a
//! permutation of the successor; that it is the same for the whole orbit makes the search small. Traces are followed
//! again from the beginning, by steps to states that the stored ones stand for, so that they are traces of the model.
//!
//! - [`atoms`]: the elements that may change places, and permutations of them
//! - [`permutation`]: what a permutation makes of values, which knows of no atoms' places in words
//! - [`shape`], [`value`], [`tags`]: where they stand in words, and in values
//! - [`refine`]: cells of atoms that stand in the same places
//! - [`canonical`]: the least state that permutations make of one
//! - [`group`]: the permutations that keep the constants
//! - [`markers`]: what is the same for a whole orbit, and perhaps for others
//! - `tables`: the same under few permutations
//! - [`orbits`]: the state that stands for others
//! - [`reduction`]: what is reduced, and how
//! - [`prepare`]: what is to be reduced in a model

pub mod atoms;
pub mod canonical;
pub mod group;
pub mod markers;
pub mod orbits;
pub mod permutation;
pub mod prepare;
pub mod reduction;
pub mod refine;
pub mod shape;
mod tables;
pub mod tags;
pub mod value;
