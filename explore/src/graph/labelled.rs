//! A graph with labels on its edges.

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The node that it leaves.
    pub from: usize,
    /// The number of its label.
    pub label: usize,
    /// The node that it leads to.
    pub to: usize,
}

/// An edge of a view, which stands for many edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StyledEdge {
    /// The nodes and the label.
    pub edge: Edge,
    /// `true` if the edge is a statement about every state that its source covers. The view defines the statement.
    pub definite: bool,
}

/// A graph with labels on its edges. Paths begin at node 0, if there is one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Number of labels.
    pub labels: usize,
    /// For each node, whether edges that leave it may be missing.
    pub open: Vec<bool>,
    edges: Vec<Edge>,
    /// For each node, and for the position after the last one, the position of its first edge.
    begins: Vec<usize>,
}

impl Graph {
    /// The graph of these edges, each once. `open` has a member for each node.
    pub fn new(labels: usize, open: Vec<bool>, mut edges: Vec<Edge>) -> Graph {
        edges.sort_unstable();
        edges.dedup();
        let begins = (0..=open.len()).map(|node| edges.partition_point(|edge| edge.from < node)).collect();
        Graph { labels, open, edges, begins }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns whether the graph has no node.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// All edges, by source, label and target.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that leave a node, by label and target.
    pub fn leaving(&self, node: usize) -> &[Edge] {
        &self.edges[self.begins[node]..self.begins[node + 1]]
    }

    /// The graph with other labels. `to` has the new label for each old one; there are `labels` new ones.
    pub fn relabelled(&self, to: &[usize], labels: usize) -> Graph {
        let edges = self.edges.iter().map(|edge| Edge { label: to[edge.label], ..*edge });
        Graph::new(labels, self.open.clone(), edges.collect())
    }
}
