//! State spaces as graphs for views.
//!
//! `collect` visits the states of a model and keeps every labelled edge between them; the result is a [`Graph`] of
//! numbers, together with the meaning of the numbers. The views are functions on such graphs, whatever they were made
//! from: `subgraph` keeps a part, `signature` merges the states in which the same operations are enabled, and
//! `automaton` has one path for each sequence of labels. `paths` has a trace of the reference evaluator to the
//! violations in a node.
//!
//! Turner, *Extending the Range of ProB's State Space Analysis*, chapter 3, after Leuschel and Turner, *Visualising
//! Larger State Spaces in ProB*, ZB 2005.

mod automaton;
mod collect;
mod labelled;
mod paths;
mod signature;
mod subgraph;

#[cfg(test)]
mod tests;

pub use automaton::{Automaton, Subset, determinise, minimise};
pub use collect::{Collected, Content, GraphOptions, Label, Node, Operation, collect, collect_from};
pub use labelled::{Edge, Graph, StyledEdge};
pub use paths::Paths;
pub use signature::{Merged, Signature, merge};
pub use subgraph::{Part, among, to_first};
