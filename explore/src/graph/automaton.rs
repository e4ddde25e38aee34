//! The DFA abstraction: a deterministic automaton of a graph's traces, with one path for each sequence of labels.
//!
//! All nodes accept: the words are the traces. A node stands for the states that the same traces may lead to, so that a
//! state can be in several. The construction is that of subsets; it can be exponentially larger than the graph, and
//! stops at a limit. Turner, section 3.3; he leaves out the minimisation, which here is Hopcroft's.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::labelled::{Edge, Graph, StyledEdge};

/// A node of the automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subset {
    /// The nodes of the graph that it stands for, in order.
    pub members: Vec<usize>,
    /// `true` if edges that leave it may be missing.
    pub is_open: bool,
}

/// A deterministic automaton. Words begin at node 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The nodes, in the order in which they are found breadth-first.
    pub nodes: Vec<Subset>,
    /// The edges. An edge is definite if every member of its source has the label.
    pub edges: Vec<StyledEdge>,
    /// `true` if there are more nodes than were requested.
    pub is_cut: bool,
}

/// The automaton of a graph's traces, with `most` nodes at most.
///
/// Hidden labels are not in the words: a node stands as well for what can be reached by them.
pub fn determinise(graph: &Graph, hidden: &[bool], most: usize) -> Automaton {
    let mut made = Automaton::default();
    if graph.is_empty() {
        return made;
    }
    let mut numbers: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut next = 0;
    made.add(graph, closure(graph, hidden, [0].into()), &mut numbers);
    while next < made.nodes.len() {
        let mut targets: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut able: BTreeMap<usize, usize> = BTreeMap::new();
        let members = made.nodes[next].members.clone();
        let is_open = made.nodes[next].is_open;
        for &member in &members {
            let leaving = graph.leaving(member).iter().filter(|edge| !hidden[edge.label]);
            let mut last = None;
            for edge in leaving {
                targets.entry(edge.label).or_default().insert(edge.to);
                if last.replace(edge.label) != Some(edge.label) {
                    *able.entry(edge.label).or_default() += 1;
                }
            }
        }
        for (label, reached) in targets {
            let reached = closure(graph, hidden, reached);
            let known = numbers.get(&reached).copied();
            let to = match known {
                Some(to) => to,
                None if made.nodes.len() >= most => {
                    made.is_cut = true;
                    made.nodes[next].is_open = true;
                    continue;
                }
                None => made.add(graph, reached, &mut numbers),
            };
            let definite = !is_open && able[&label] == members.len();
            made.edges.push(StyledEdge { edge: Edge { from: next, label, to }, definite });
        }
        next += 1;
    }
    made
}

/// Nodes that can be reached by hidden labels, in ascending order.
fn closure(graph: &Graph, hidden: &[bool], mut found: BTreeSet<usize>) -> Vec<usize> {
    let mut waiting: Vec<usize> = found.iter().copied().collect();
    while let Some(node) = waiting.pop() {
        let silent = graph.leaving(node).iter().filter(|edge| hidden[edge.label]);
        waiting.extend(silent.map(|edge| edge.to).filter(|to| found.insert(*to)));
    }
    found.into_iter().collect()
}

impl Automaton {
    fn add(&mut self, graph: &Graph, members: Vec<usize>, numbers: &mut HashMap<Vec<usize>, usize>) -> usize {
        let is_open = members.iter().any(|member| graph.open[*member]);
        numbers.insert(members.clone(), self.nodes.len());
        self.nodes.push(Subset { members, is_open });
        self.nodes.len() - 1
    }
}

/// The smallest automaton with the same words. Nodes whose edges may be missing stay alone.
///
/// Hopcroft, *An n log n algorithm for minimizing states in a finite automaton*, 1971.
pub fn minimise(automaton: &Automaton) -> Automaton {
    let mut blocks = Blocks::new(automaton);
    let mut entering: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    // A node without an edge for a label gets an edge to a node that does not accept.
    let nowhere = automaton.nodes.len();
    for label in automaton.edges.iter().map(|e| e.edge.label).collect::<BTreeSet<usize>>() {
        entering.insert(label, vec![vec![]; nowhere + 1]);
    }
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    for StyledEdge { edge, .. } in &automaton.edges {
        known.insert((edge.from, edge.label));
        if let Some(sources) = entering.get_mut(&edge.label) {
            sources[edge.to].push(edge.from);
        }
    }
    for (label, sources) in &mut entering {
        sources[nowhere].extend((0..=nowhere).filter(|node| !known.contains(&(*node, *label))));
    }
    while let Some(splitter) = blocks.waiting.pop_front() {
        blocks.is_waiting[splitter] = false;
        let members = blocks.members[splitter].clone();
        for sources in entering.values() {
            let marked: Vec<usize> = members.iter().flat_map(|m| &sources[*m]).copied().collect();
            blocks.split(&marked);
        }
    }
    quotient(automaton, &blocks)
}

/// A partition of the nodes and of the one that does not accept.
struct Blocks {
    members: Vec<Vec<usize>>,
    of: Vec<usize>,
    waiting: VecDeque<usize>,
    is_waiting: Vec<bool>,
}

impl Blocks {
    fn new(automaton: &Automaton) -> Blocks {
        let nowhere = automaton.nodes.len();
        let (alone, others): (Vec<usize>, Vec<usize>) =
            (0..nowhere).partition(|node| automaton.nodes[*node].is_open);
        let mut members: Vec<Vec<usize>> = alone.into_iter().map(|node| vec![node]).collect();
        members.push(vec![nowhere]);
        members.push(others);
        members.retain(|block| !block.is_empty());
        let mut of = vec![0; nowhere + 1];
        for (number, block) in members.iter().enumerate() {
            block.iter().for_each(|node| of[*node] = number);
        }
        let (waiting, is_waiting) = ((0..members.len()).collect(), vec![true; members.len()]);
        Blocks { members, of, waiting, is_waiting }
    }

    /// Splits each block into marked and other nodes.
    fn split(&mut self, marked: &[usize]) {
        let mut touched: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for node in marked {
            touched.entry(self.of[*node]).or_default().insert(*node);
        }
        for (block, inside) in touched {
            if inside.len() == self.members[block].len() {
                continue;
            }
            let number = self.members.len();
            self.members[block].retain(|node| !inside.contains(node));
            inside.iter().for_each(|node| self.of[*node] = number);
            let is_smaller = inside.len() <= self.members[block].len();
            self.members.push(inside.into_iter().collect());
            self.is_waiting.push(false);
            // If the whole block was waiting, both parts must wait; otherwise the smaller one is enough.
            let wait = if self.is_waiting[block] || is_smaller { number } else { block };
            self.is_waiting[wait] = true;
            self.waiting.push_back(wait);
        }
    }
}

/// One node for each block, numbered in the order of the first nodes.
fn quotient(automaton: &Automaton, blocks: &Blocks) -> Automaton {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut nodes: Vec<Subset> = Vec::new();
    let mut of = Vec::new();
    for (node, subset) in automaton.nodes.iter().enumerate() {
        let number = *numbers.entry(blocks.of[node]).or_insert_with(|| {
            nodes.push(Subset { members: vec![], is_open: subset.is_open });
            nodes.len() - 1
        });
        nodes[number].members.extend(&subset.members);
        of.push(number);
    }
    for node in &mut nodes {
        node.members.sort_unstable();
        node.members.dedup();
    }
    let mut merged: BTreeMap<Edge, bool> = BTreeMap::new();
    for StyledEdge { edge, definite } in &automaton.edges {
        let edge = Edge { from: of[edge.from], label: edge.label, to: of[edge.to] };
        *merged.entry(edge).or_insert(true) &= definite;
    }
    let edges = merged.into_iter().map(|(edge, definite)| StyledEdge { edge, definite }).collect();
    Automaton { nodes, edges, is_cut: automaton.is_cut }
}
