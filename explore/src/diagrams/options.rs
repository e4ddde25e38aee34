//! Options of the exploration by diagrams.

/// Options of the exploration by diagrams.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiagramOptions {
    /// Order in which groups are applied.
    pub strategy: Strategy,
    /// The first columns of diagrams, by their names; the others come in an order that is computed.
    pub order: Vec<String>,
}

/// Order in which groups are applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// All groups to the states that were new in the last round: shortest traces.
    BreadthFirst,
    /// Each group also to the states that those before it have led to in the same round.
    #[default]
    Chaining,
    /// Groups of the lowest levels until nothing is new, before those above them.
    Saturation,
}
