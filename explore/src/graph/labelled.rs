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

/// An edge of a view: it stands for many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StyledEdge {
    /// The nodes and the label.
    pub edge: Edge,
    /// Whether it says something of every state that its source covers: what, says the view.
    pub definite: bool,
}

/// A graph with labels on its edges. Node 0, if there is one, is where paths begin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Number of labels.
    pub labels: usize,
    /// Of each node: whether edges that leave it may be missing.
    pub open: Vec<bool>,
    edges: Vec<Edge>,
    /// Of each node, and of the one after the last: where its edges begin.
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

    /// Whether there is no node.
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

    /// The graph with other labels: `to` has the new one of each, of which there are `labels`.
    pub fn relabelled(&self, to: &[usize], labels: usize) -> Graph {
        let edges = self.edges.iter().map(|edge| Edge { label: to[edge.label], ..*edge });
        Graph::new(labels, self.open.clone(), edges.collect())
    }
}
