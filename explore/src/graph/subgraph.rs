//! Parts of a graph.

use super::labelled::{Edge, Graph};

/// A part of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The part, with its own numbers of nodes.
    pub graph: Graph,
    /// For each of its nodes, the number in the whole graph.
    pub nodes: Vec<usize>,
}

/// The nodes that are kept, with the edges among them.
pub fn among(graph: &Graph, keep: &[bool]) -> Part {
    part(graph, keep, &|_| true)
}

/// The paths from node 0 to the first target on each; empty if no target can be reached.
pub fn to_first(graph: &Graph, targets: &[bool]) -> Part {
    // A path ends at its first target.
    let goes_on = |edge: &Edge| !targets[edge.from];
    let mut next = vec![vec![]; graph.len()];
    let mut previous = vec![vec![]; graph.len()];
    for edge in graph.edges().iter().filter(|edge| goes_on(edge)) {
        next[edge.from].push(edge.to);
        previous[edge.to].push(edge.from);
    }
    let begins: Vec<usize> = (0..graph.len().min(1)).collect();
    let reached = closure(&next, begins);
    let ends = (0..graph.len()).filter(|node| targets[*node] && reached[*node]).collect();
    let leads = closure(&previous, ends);
    let keep: Vec<bool> = reached.iter().zip(&leads).map(|(a, b)| *a && *b).collect();
    part(graph, &keep, &goes_on)
}

/// Nodes that can be reached from some nodes, including these.
fn closure(next: &[Vec<usize>], mut waiting: Vec<usize>) -> Vec<bool> {
    let mut found = vec![false; next.len()];
    waiting.iter().for_each(|node| found[*node] = true);
    while let Some(node) = waiting.pop() {
        for to in &next[node] {
            if !std::mem::replace(&mut found[*to], true) {
                waiting.push(*to);
            }
        }
    }
    found
}

fn part(graph: &Graph, keep: &[bool], goes_on: &dyn Fn(&Edge) -> bool) -> Part {
    let nodes: Vec<usize> = (0..graph.len()).filter(|node| keep[*node]).collect();
    let mut number = vec![usize::MAX; graph.len()];
    nodes.iter().enumerate().for_each(|(new, old)| number[*old] = new);
    let kept = graph.edges().iter().filter(|edge| keep[edge.from] && keep[edge.to] && goes_on(edge));
    let edges = kept.map(|e| Edge { from: number[e.from], label: e.label, to: number[e.to] }).collect();
    let open = nodes.iter().map(|old| graph.open[*old]).collect();
    Part { graph: Graph::new(graph.labels, open, edges), nodes }
}
