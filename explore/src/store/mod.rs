//! Where values and states are kept: a value of the reference semantics becomes a word ([`rep`] says how its type is
//! written, [`interner`] numbers what does not fit into a word), and a row of words becomes a number ([`state_table`]).
//! Both find things again by their content ([`index`]).

pub mod arena;
pub mod discoveries;
pub mod index;
pub mod interner;
pub mod rep;
pub mod row_codec;
pub mod state_table;
