//! The transition system of a model as every search sees it, over rows of words.
//!
//! [`system`] is the interface, whatever a system is made from; [`dependency_matrix`] says which columns of a row its
//! groups and labels read and write, [`updates`] are the changes of a group to a row, and [`interpreted`] is the
//! meaning of rows and edges. [`machine`] makes a system from a model, `meaning` implements the meaning of its rows and
//! edges, `edges` have parameters and results, [`sampling`] takes some of too many executions, `replica` makes the
//! system of another thread, and [`condensing`] puts rows into less memory.
//!
//! Layers add to a system: [`cached`] caches the results of groups, with a [`transition_cache`] for each, [`symmetric`]
//! searches one of several symmetric states, and [`stubborn`] takes a sufficient subset of the steps.

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
