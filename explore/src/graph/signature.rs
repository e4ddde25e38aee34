//! Signature-merge: one node for all states in which the same labels are enabled.
//!
//! Every trace of the graph is one of the merged graph, so a trace that is impossible there is impossible in the model.
//! The converse holds for traces of length 1 only. Turner, section 3.4.

use std::collections::{BTreeMap, BTreeSet};

use super::labelled::{Edge, Graph, StyledEdge};

/// A node of the merged graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The labels that are enabled. If not all edges of a state are known, these are the known ones.
    pub labels: BTreeSet<usize>,
    /// The nodes that it stands for.
    pub members: Vec<usize>,
    /// `true` if it stands for the states whose edges may be missing.
    pub is_open: bool,
}

/// A merged graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The nodes, in the order of their first members.
    pub nodes: Vec<Signature>,
    /// The edges. An edge is definite if its label leads from every member to the same node and no other.
    pub edges: Vec<StyledEdge>,
    /// For each node of the graph, the node that it is merged into.
    pub of: Vec<usize>,
}

/// Merges the nodes of a graph that have the same labels on their edges, and all nodes whose edges may be missing.
pub fn merge(graph: &Graph) -> Merged {
    let mut numbers: BTreeMap<Option<BTreeSet<usize>>, usize> = BTreeMap::new();
    let mut nodes: Vec<Signature> = Vec::new();
    let mut of = Vec::with_capacity(graph.len());
    for node in 0..graph.len() {
        let labels: BTreeSet<usize> = graph.leaving(node).iter().map(|edge| edge.label).collect();
        let is_open = graph.open[node];
        let number = *numbers.entry((!is_open).then(|| labels.clone())).or_insert_with(|| {
            nodes.push(Signature { labels: BTreeSet::new(), members: vec![], is_open });
            nodes.len() - 1
        });
        nodes[number].labels.extend(labels);
        nodes[number].members.push(node);
        of.push(number);
    }
    let image = |edge: &Edge| Edge { from: of[edge.from], label: edge.label, to: of[edge.to] };
    let images: BTreeSet<Edge> = graph.edges().iter().map(image).collect();
    let mut targets: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for edge in &images {
        *targets.entry((edge.from, edge.label)).or_default() += 1;
    }
    let styled = |edge: Edge| {
        // A state whose edges are missing may have any signature.
        let is_known = !nodes[edge.from].is_open && !nodes[edge.to].is_open;
        StyledEdge { edge, definite: is_known && targets[&(edge.from, edge.label)] == 1 }
    };
    let edges = images.into_iter().map(styled).collect();
    Merged { nodes, edges, of }
}
