//! Reachability by list decision diagrams: sets of states as one diagram, whatever their number.
//!
//! `nodes` keeps diagrams, `operations` and `relation` compute with them, `order` chooses which column comes first, and
//! `levels` turns rows of a [`System`](crate::space::system::System) into those of diagrams. `exploration` asks the
//! groups of a system about short rows, once each, and grows the set of reachable states by a `Strategy`; the
//! `verifier` checks the properties on the columns that they read, and has its findings replayed; `auditing` compares
//! some states with the reference evaluator. As in LTSmin: Blom, van de Pol, *Symbolic Reachability for Process
//! Algebras with Recursive Data Types*, ICTAC 2008.
//!
//! Why nodes of our own: of the crates there are, `oxidd` has no list diagrams, and `merc_ldd` 2.0 has no copies in its
//! products, recurses along lists, whose length is the number of values of a variable, and comes with nine crates more.

mod auditing;
mod exploration;
mod levels;
pub mod nodes;
pub mod operations;
mod options;
mod order;
pub mod relation;
mod verifier;

pub use options::{DiagramOptions, Strategy};
pub use verifier::search;
