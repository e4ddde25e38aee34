//! Storage of values and states: a value of the reference semantics becomes a word ([`rep`] is the representation of
//! its type, [`interner`] numbers values that do not fit into a word: [`lists`] in an [`arena`]), of which states keep
//! the parts that they do not share ([`tree_compression`]; a [`layout`] gives their places in a row), and a row of
//! words becomes a number ([`state_table`], packed by a [`row_codec`]; [`discoveries`] are the rows of several threads
//! that have none yet). All find things again by their content: the fingerprints of an [`index`].

pub mod arena;
pub mod discoveries;
pub mod index;
pub mod interner;
pub mod layout;
pub mod lists;
pub mod rep;
pub mod row_codec;
pub mod state_table;
pub mod tree_compression;
