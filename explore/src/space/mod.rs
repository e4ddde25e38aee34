//! The transition system of a model as every search sees it, over rows of words.
//!
//! [`system`] is the interface, whatever a system is made from; [`dependency_matrix`] says which columns of a row its
//! groups and labels read and write, [`updates`] are what a group does to a row, and [`interpreted`]
//! is what rows and edges mean. [`machine`] makes a system from a
//! model, `meaning` says what its rows and edges are, `edges` have parameters and results, [`sampling`] takes some of too many, `replica` makes the system of another
//! thread, and [`condensing`] puts rows into less memory.
//!
//! Layers add to a system: [`cached`] remembers what groups have done, with a [`transition_cache`] for each, [`symmetric`]
//! searches one of several symmetric states, and [`stubborn`] takes the steps that are enough.

pub mod cached;
pub mod condensing;
pub mod dependency_matrix;
mod edges;
pub mod interpreted;
pub mod machine;
mod meaning;
mod replica;
pub mod sampling;
pub mod stubborn;
pub mod symmetric;
pub mod system;
pub mod transition_cache;
pub mod updates;
