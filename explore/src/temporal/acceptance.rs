//! Acceptance: whether a product has an infinite path that is accepted and fair. Such a path is a strongly connected
//! component in which every promise is kept (E. Emerson, C.-L. Lei, Modalities for model checking, 1987), and every
//! condition of fairness.
//!
//! A component in which an event is enabled somewhere and executed nowhere may have a strongly fair one inside: without
//! the states where it is enabled. Weak fairness and promises are different: what they refuse in a component they
//! refuse in every part of it.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, LabelId};
use super::product::{Edge, NodeId, Product};
use super::propositions::Executions;
use crate::space::system::Measured;
use crate::store::state_table::StateId;

/// Conditions of fairness.
#[derive(Default)]
pub(super) struct Fair {
    pub(super) weak: Vec<Executions>,
    pub(super) strong: Vec<Executions>,
    pub(super) all_weak: bool,
    pub(super) all_strong: bool,
}

/// Condition that a fair and accepted loop must meet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Demand {
    /// An edge that does not postpone this promise.
    Promise(u32),
    /// An edge of this weak condition, or a state where it is not enabled.
    Weak(usize),
    /// An edge of this strong condition.
    Strong(usize),
    /// An edge with this label, or a state without one.
    WeakLabel(LabelId),
    /// An edge with this label.
    StrongLabel(LabelId),
}

/// A loop: the node where it begins and ends, and its edges.
pub(super) struct Loop {
    pub(super) begin: NodeId,
    pub(super) edges: Vec<Edge>,
}

/// The search for a loop.
pub(super) struct Acceptance<'a, S> {
    pub(super) graph: &'a mut Graph<S>,
    pub(super) product: &'a Product,
    pub(super) fair: &'a Fair,
    pub(super) promises: u64,
}

impl<S: Measured> Acceptance<'_, S> {
    /// A loop, if there is one among the nodes that were expanded.
    pub(super) fn find(&mut self) -> Option<Loop> {
        let all: Vec<NodeId> = (0..self.product.expanded() as NodeId).collect();
        let mut todo: Vec<Vec<NodeId>> = vec![all];
        let mut best: Option<Vec<NodeId>> = None;
        while let Some(nodes) = todo.pop() {
            for component in components(self.product, &nodes) {
                match self.judge(&component) {
                    Judgement::Accepted => {
                        // Nodes are numbered as they were found: the first one is nearest.
                        let first = |c: &Vec<NodeId>| c.iter().min().copied();
                        if best.as_ref().is_none_or(|b| first(&component) < first(b)) {
                            best = Some(component);
                        }
                    }
                    Judgement::Refused => {}
                    Judgement::Without(rest) => todo.push(rest),
                }
            }
        }
        best.map(|component| self.closed(&component))
    }

    fn valuation(&self, state: StateId) -> usize {
        self.graph.system.matrix().root(&self.graph.table.row(state))
    }

    /// The labels of edges out of a node's state.
    fn enabled(&mut self, node: NodeId) -> Vec<LabelId> {
        let state = self.product.nodes[node as usize].state;
        let mut labels: Vec<LabelId> =
            self.graph.arcs(state).unwrap_or_default().iter().map(|arc| arc.label).collect();
        labels.dedup();
        labels
    }

    fn judge(&mut self, component: &[NodeId]) -> Judgement {
        let inside: HashSet<NodeId> = component.iter().copied().collect();
        let (mut kept, mut taken, mut has_edge) = (0u64, HashSet::new(), false);
        for node in component {
            for edge in self.product.edges(*node).iter().filter(|edge| inside.contains(&edge.to)) {
                kept |= !edge.postponed;
                taken.insert(edge.label);
                has_edge = true;
            }
        }
        if !has_edge || kept & self.promises != self.promises {
            return Judgement::Refused;
        }
        let fair = self.fair;
        if fair.weak.is_empty() && fair.strong.is_empty() && !fair.all_weak && !fair.all_strong {
            return Judgement::Accepted;
        }
        // Of one component all states are under one valuation.
        let valuation = self.valuation(self.product.nodes[component[0] as usize].state);
        let of =
            |executions: &Executions, graph: &Graph<S>, mut labels: &mut dyn Iterator<Item = &LabelId>| {
                Iterator::any(&mut labels, |label| executions.has(&graph.labels[*label as usize], valuation))
            };
        let missing_weak: Vec<&Executions> =
            fair.weak.iter().filter(|e| !of(e, self.graph, &mut taken.iter())).collect();
        let missing_strong: Vec<&Executions> =
            fair.strong.iter().filter(|e| !of(e, self.graph, &mut taken.iter())).collect();
        let mut weakly_missing = vec![true; missing_weak.len()];
        let mut everywhere: Option<HashSet<LabelId>> = None;
        let mut rest = Vec::new();
        for node in component {
            let enabled = self.enabled(*node);
            for (missing, executions) in weakly_missing.iter_mut().zip(&missing_weak) {
                *missing = *missing && of(executions, self.graph, &mut enabled.iter());
            }
            let untaken: HashSet<LabelId> = enabled.iter().filter(|l| !taken.contains(l)).copied().collect();
            let is_unfair = missing_strong.iter().any(|e| of(e, self.graph, &mut enabled.iter()))
                || fair.all_strong && !untaken.is_empty();
            if !is_unfair {
                rest.push(*node);
            }
            everywhere = Some(match everywhere {
                None => untaken,
                Some(all) => all.intersection(&untaken).copied().collect(),
            });
        }
        if weakly_missing.contains(&true) || fair.all_weak && everywhere.is_some_and(|all| !all.is_empty()) {
            return Judgement::Refused;
        }
        if rest.len() == component.len() { Judgement::Accepted } else { Judgement::Without(rest) }
    }

    /// A loop through a component that is accepted, from its first node on.
    fn closed(&mut self, component: &[NodeId]) -> Loop {
        let begin = component.iter().min().copied().unwrap_or_default();
        let inside: HashSet<NodeId> = component.iter().copied().collect();
        let mut demands = self.demands(component, &inside);
        let valuation = self.valuation(self.product.nodes[begin as usize].state);
        let (mut at, mut edges) = (begin, Vec::new());
        self.meet(&mut demands, at, None, valuation);
        while !demands.is_empty() {
            let Some(way) = self.way(at, &inside, &mut |this, from, edge| {
                demands.iter().any(|d| {
                    this.meets(d, from, Some(edge), valuation) || this.meets(d, edge.to, None, valuation)
                })
            }) else {
                break;
            };
            for edge in way {
                self.meet(&mut demands, at, Some(&edge), valuation);
                at = edge.to;
                self.meet(&mut demands, at, None, valuation);
                edges.push(edge);
            }
        }
        if at != begin || edges.is_empty() {
            edges.extend(self.way(at, &inside, &mut |_, _, edge| edge.to == begin).unwrap_or_default());
        }
        Loop { begin, edges }
    }

    fn demands(&mut self, component: &[NodeId], inside: &HashSet<NodeId>) -> HashSet<Demand> {
        let bits = (0..64).filter(|bit| self.promises >> bit & 1 == 1);
        let mut demands: HashSet<Demand> = bits.map(Demand::Promise).collect();
        let fair = self.fair;
        demands.extend((0..fair.weak.len()).map(Demand::Weak));
        let is_detailed = fair.all_weak || fair.all_strong;
        if fair.strong.is_empty() && !is_detailed {
            return demands;
        }
        let valuation = self.valuation(self.product.nodes[component[0] as usize].state);
        let mut taken = HashSet::new();
        for node in component {
            let edges = self.product.edges(*node).iter().filter(|edge| inside.contains(&edge.to));
            taken.extend(edges.map(|edge| edge.label));
            for label in self.enabled(*node) {
                if fair.all_weak {
                    demands.insert(Demand::WeakLabel(label));
                }
                if fair.all_strong {
                    demands.insert(Demand::StrongLabel(label));
                }
            }
        }
        for (i, executions) in fair.strong.iter().enumerate() {
            if taken.iter().any(|label| executions.has(&self.graph.labels[*label as usize], valuation)) {
                demands.insert(Demand::Strong(i));
            }
        }
        demands
    }

    /// Crosses out the demands that a node, or an edge out of it, meets.
    fn meet(&mut self, demands: &mut HashSet<Demand>, from: NodeId, edge: Option<&Edge>, valuation: usize) {
        demands.retain(|demand| !self.meets(demand, from, edge, valuation));
    }

    fn meets(&mut self, demand: &Demand, from: NodeId, edge: Option<&Edge>, valuation: usize) -> bool {
        let has = |graph: &Graph<S>, e: &Executions, label: LabelId| {
            e.has(&graph.labels[label as usize], valuation)
        };
        match (demand, edge) {
            (Demand::Promise(bit), Some(edge)) => edge.postponed >> bit & 1 == 0,
            (Demand::Weak(i), Some(edge)) => has(self.graph, &self.fair.weak[*i], edge.label),
            (Demand::Strong(i), Some(edge)) => has(self.graph, &self.fair.strong[*i], edge.label),
            (Demand::WeakLabel(label) | Demand::StrongLabel(label), Some(edge)) => edge.label == *label,
            (Demand::Weak(i), None) => {
                let enabled = self.enabled(from);
                !enabled.into_iter().any(|label| has(self.graph, &self.fair.weak[*i], label))
            }
            (Demand::WeakLabel(label), None) => !self.enabled(from).contains(label),
            (Demand::Promise(_) | Demand::Strong(_) | Demand::StrongLabel(_), None) => false,
        }
    }

    /// The shortest path inside that ends with an edge which satisfies the callback.
    fn way(
        &mut self,
        from: NodeId,
        inside: &HashSet<NodeId>,
        will_do: &mut dyn FnMut(&mut Self, NodeId, &Edge) -> bool,
    ) -> Option<Vec<Edge>> {
        let mut reached: HashMap<NodeId, (NodeId, Edge)> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        let product = self.product;
        while let Some(node) = queue.pop_front() {
            for edge in product.edges(node).iter().filter(|edge| inside.contains(&edge.to)) {
                if will_do(self, node, edge) {
                    let (mut way, mut at) = (vec![*edge], node);
                    while at != from {
                        let (before, edge) = reached[&at];
                        way.push(edge);
                        at = before;
                    }
                    way.reverse();
                    return Some(way);
                }
                if edge.to != from && !reached.contains_key(&edge.to) {
                    reached.insert(edge.to, (node, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}

/// Judgement on a strongly connected component.
enum Judgement {
    Accepted,
    /// No loop inside is accepting.
    Refused,
    /// An accepting loop, if there is one, is among these nodes.
    Without(Vec<NodeId>),
}

/// The strongly connected components of some nodes (R. Tarjan, Depth-first search and linear graph algorithms, 1972).
fn components(product: &Product, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    const UNSEEN: u32 = u32::MAX;
    const OUTSIDE: u32 = u32::MAX - 1;
    let most = product.nodes.len();
    let (mut index, mut low) = (vec![OUTSIDE; most], vec![0u32; most]);
    nodes.iter().for_each(|node| index[*node as usize] = UNSEEN);
    let mut on_stack = vec![false; most];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0u32);
    for root in nodes {
        if index[*root as usize] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(NodeId, usize)> = vec![(*root, 0)];
        while let Some((node, position)) = calls.last_mut() {
            let (at, next) = (*node as usize, *position);
            if next == 0 {
                (index[at], low[at]) = (count, count);
                count += 1;
                stack.push(*node);
                on_stack[at] = true;
            }
            if let Some(edge) = product.edges(*node).get(next) {
                *position += 1;
                let to = edge.to as usize;
                match index[to] {
                    UNSEEN => calls.push((edge.to, 0)),
                    OUTSIDE => {}
                    other if on_stack[to] => low[at] = low[at].min(other),
                    _ => {}
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == index[at] {
                let from = stack.iter().rposition(|n| *n as usize == at).unwrap_or(0);
                let component = stack.split_off(from);
                component.iter().for_each(|n| on_stack[*n as usize] = false);
                // A node alone is a component without a loop, unless an edge leads to itself.
                if component.len() > 1 || product.edges(component[0]).iter().any(|e| e.to == component[0]) {
                    found.push(component);
                }
            }
        }
    }
    found
}
