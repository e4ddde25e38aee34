//! The transition system of a model as every search sees it, over rows of words.
//!
//! [`system`] is the interface, whatever a system is made from; [`dependency_matrix`] says which columns of a row its
//! groups and labels read and write, and [`updates`] are what a group does to a row. [`machine`] makes a system from a
//! model, with a [`transition_cache`] of what groups have done, and `stand_in` finds the state that is searched instead of a
//! symmetric one, `choice` the events that are enough in a state; [`product`] makes one from two.

mod choice;
pub mod dependency_matrix;
pub mod machine;
pub mod product;
mod stand_in;
pub mod system;
pub mod transition_cache;
pub mod updates;
