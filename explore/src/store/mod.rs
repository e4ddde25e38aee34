//! Where values and states are kept: a value of the reference semantics becomes a word ([`rep`] says how its type is
//! written, [`interner`] numbers what does not fit into a word and keeps it in an [`arena`]), and a row of words becomes a
//! number ([`state_table`], packed by a [`row_codec`]; [`discoveries`] are the rows of several threads that have none yet).
//! All find things again by their content: the fingerprints of an [`index`].

pub mod arena;
pub mod discoveries;
pub mod index;
pub mod interner;
pub mod rep;
pub mod row_codec;
pub mod state_table;
