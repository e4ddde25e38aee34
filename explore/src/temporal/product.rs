//! Product of a state space and the automaton of the paths on which a formula is false, in the order of a breadth-first
//! search, so that the paths found are shortest.

use std::collections::HashMap;

use super::automaton::{Automaton, Location};
use super::graph::{Graph, LabelId};
use super::propositions::Propositions;
use crate::space::system::Measured;
use crate::store::state_table::StateId;

/// Number of a node.
pub(super) type NodeId = u32;

/// Predecessor of an initial node.
const NONE: u32 = u32::MAX;

/// A state at a position of a path, with the obligations of the rest of the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) state: StateId,
    pub(super) location: Location,
}

/// A step of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) to: NodeId,
    pub(super) label: LabelId,
    /// A bit for each `U` that it postpones.
    pub(super) postponed: u64,
}

/// A path without a loop that decides the formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finite {
    /// It ends in this node, where nothing is enabled.
    Ends(NodeId),
    /// Any continuation after this edge out of this node, to this state.
    Decided(NodeId, LabelId, StateId),
}

/// A product, as far as it was constructed.
#[derive(Default)]
pub(super) struct Product {
    pub(super) nodes: Vec<Node>,
    numbers: HashMap<Node, NodeId>,
    /// Each node's predecessor in the search, and the label of the edge from it.
    parents: Vec<(NodeId, LabelId)>,
    /// Position of the first edge of each node. The edges of the last node that was expanded end with the list.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Product {
    /// Adds an initial node.
    pub(super) fn begin(&mut self, node: Node) {
        self.add(node, (NONE, 0));
    }

    fn add(&mut self, node: Node, parent: (NodeId, LabelId)) -> NodeId {
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let number = self.nodes.len() as NodeId;
        self.nodes.push(node);
        self.parents.push(parent);
        self.numbers.insert(node, number);
        number
    }

    /// Number of nodes that were expanded.
    pub(super) fn expanded(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether all nodes were expanded.
    pub(super) fn is_complete(&self) -> bool {
        self.starts.len() == self.nodes.len()
    }

    /// The edges out of a node; none if it was not expanded.
    pub(super) fn edges(&self, node: NodeId) -> &[Edge] {
        let at = node as usize;
        let Some(from) = self.starts.get(at) else { return &[] };
        let to = self.starts.get(at + 1).copied().unwrap_or(self.edges.len());
        &self.edges[*from..to]
    }

    /// Finds the edges out of the next node. Returns a path on which the formula is false, if one appears here.
    pub(super) fn expand<S: Measured>(
        &mut self,
        graph: &mut Graph<S>,
        propositions: &mut Propositions<S>,
        automaton: &mut Automaton,
    ) -> Option<Finite> {
        let number = self.starts.len() as NodeId;
        let Node { state, location } = self.nodes[number as usize];
        self.starts.push(self.edges.len());
        let truth = propositions.in_state(graph, state)?;
        let arcs = graph.arcs(state)?.to_vec();
        if arcs.is_empty() {
            let letter = propositions.letter(graph, (state, truth), None)?;
            let accepts = !automaton.steps(location, letter).is_empty();
            return accepts.then_some(Finite::Ends(number));
        }
        let valuation = graph.system.matrix().root(&graph.table.row(state));
        let mut found = None;
        for arc in arcs {
            let letter = propositions.letter(graph, (state, truth), Some((arc, valuation)));
            let Some(letter) = letter else { continue };
            for step in automaton.steps(location, letter).iter() {
                if automaton.accepts_all(step.to) {
                    found.get_or_insert(Finite::Decided(number, arc.label, arc.to));
                }
                let to = self.add(Node { state: arc.to, location: step.to }, (number, arc.label));
                self.edges.push(Edge { to, label: arc.label, postponed: step.postponed });
            }
        }
        found
    }

    /// The states on a shortest path to a node, each with the label of the edge to it, from an initial state.
    pub(super) fn path(&self, node: NodeId) -> Vec<(Option<LabelId>, StateId)> {
        let mut path = Vec::new();
        let mut at = node;
        loop {
            let (parent, label) = self.parents[at as usize];
            path.push(((parent != NONE).then_some(label), self.nodes[at as usize].state));
            if parent == NONE {
                path.reverse();
                return path;
            }
            at = parent;
        }
    }

    /// Bytes of nodes and edges.
    pub(super) fn bytes(&self) -> usize {
        let node = size_of::<Node>() * 3 + 4 + size_of::<(NodeId, LabelId)>() + size_of::<usize>();
        self.nodes.len() * node + self.edges.len() * size_of::<Edge>()
    }
}
