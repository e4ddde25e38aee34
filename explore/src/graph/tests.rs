//! Views of random graphs against the definitions.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::labelled::{Edge, Graph, StyledEdge};
use super::{Automaton, among, determinise, merge, minimise, to_first};

const LABELS: usize = 3;
/// Length of the words that are compared.
const LENGTH: usize = 5;

fn graphs() -> impl Strategy<Value = Graph> {
    (1usize..7).prop_flat_map(|n| {
        let edge = (0..n, 0..LABELS, 0..n).prop_map(|(from, label, to)| Edge { from, label, to });
        let edges = proptest::collection::vec(edge, 0..3 * n);
        let open = proptest::collection::vec(proptest::bool::weighted(0.1), n);
        (edges, open).prop_map(|(edges, open)| Graph::new(LABELS, open, edges))
    })
}

/// All words of a graph up to a length, without hidden labels, each with the nodes that it may lead to.
fn words(graph: &Graph, hidden: &[bool]) -> BTreeSet<Vec<usize>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![(0, vec![])];
    let mut seen = BTreeSet::new();
    while let Some((node, word)) = waiting.pop() {
        if !seen.insert((node, word.clone())) {
            continue;
        }
        for edge in graph.leaving(node) {
            if hidden[edge.label] {
                waiting.push((edge.to, word.clone()));
            } else if word.len() < LENGTH {
                waiting.push((edge.to, [&word[..], &[edge.label]].concat()));
            }
        }
        found.insert(word);
    }
    found
}

fn as_graph(nodes: usize, edges: &[StyledEdge]) -> Graph {
    Graph::new(LABELS, vec![false; nodes], edges.iter().map(|e| e.edge).collect())
}

fn automaton_graph(automaton: &Automaton) -> Graph {
    as_graph(automaton.nodes.len(), &automaton.edges)
}

/// Returns whether the words that lead on from two nodes are the same.
fn are_equal(graph: &Graph, a: usize, b: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![(a, b)];
    while let Some((a, b)) = waiting.pop() {
        if !seen.insert((a, b)) {
            continue;
        }
        let (left, right) = (graph.leaving(a), graph.leaving(b));
        if !left.iter().map(|e| e.label).eq(right.iter().map(|e| e.label)) {
            return false;
        }
        waiting.extend(left.iter().zip(right).map(|(l, r)| (l.to, r.to)));
    }
    true
}

proptest! {
    #[test]
    fn merged_graphs_have_all_traces_and_the_first_steps_exactly(graph in graphs()) {
        let merged = merge(&graph);
        let picture = as_graph(merged.nodes.len(), &merged.edges);
        let nothing = [false; LABELS];
        let (original, view) = (words(&graph, &nothing), words(&picture, &nothing));
        prop_assert!(original.is_subset(&view));
        let first = |words: &BTreeSet<Vec<usize>>| -> BTreeSet<usize> { words.iter().filter_map(|w| w.first().copied()).collect() };
        if !graph.open[0] {
            prop_assert_eq!(first(&original), first(&view));
        }
        // A solid edge says where the label leads from every member.
        for StyledEdge { edge, definite } in &merged.edges {
            let source = &merged.nodes[edge.from];
            let always = source.members.iter().all(|member| {
                let mut to = graph.leaving(*member).iter().filter(|e| e.label == edge.label).peekable();
                to.peek().is_some() && to.all(|e| merged.of[e.to] == edge.to)
            });
            let is_known = !source.is_open && !merged.nodes[edge.to].is_open;
            prop_assert_eq!(*definite, always && is_known);
        }
    }

    #[test]
    fn automata_have_the_same_traces(graph in graphs(), hide in proptest::bool::ANY) {
        let hidden = [hide, false, false];
        let automaton = determinise(&graph, &hidden, usize::MAX);
        let original = words(&graph, &hidden);
        let drawn = automaton_graph(&automaton);
        prop_assert_eq!(&words(&drawn, &[false; LABELS]), &original);
        for pair in drawn.edges().windows(2) {
            prop_assert!((pair[0].from, pair[0].label) != (pair[1].from, pair[1].label));
        }
        for StyledEdge { edge, definite } in &automaton.edges {
            let source = &automaton.nodes[edge.from];
            let able = |m: &usize| graph.leaving(*m).iter().any(|e| e.label == edge.label);
            prop_assert_eq!(*definite, !source.is_open && source.members.iter().all(able));
        }
        let least = minimise(&automaton);
        let smaller = automaton_graph(&least);
        prop_assert_eq!(words(&smaller, &[false; LABELS]), original);
        let closed: Vec<usize> = (0..least.nodes.len()).filter(|n| !least.nodes[*n].is_open).collect();
        let has_open = closed.len() < least.nodes.len();
        for (i, a) in closed.iter().enumerate().filter(|_| !has_open) {
            prop_assert!(closed[..i].iter().all(|b| !are_equal(&smaller, *a, *b)));
        }
    }

    #[test]
    fn a_limit_cuts_an_automaton_and_says_so(graph in graphs(), most in 1usize..4) {
        let whole = determinise(&graph, &[false; LABELS], usize::MAX);
        let cut = determinise(&graph, &[false; LABELS], most);
        prop_assert!(cut.nodes.len() <= most);
        prop_assert_eq!(cut.is_cut, whole.nodes.len() > most);
        let (all, some) = (words(&automaton_graph(&whole), &[false; LABELS]), words(&automaton_graph(&cut), &[false; LABELS]));
        prop_assert!(some.is_subset(&all));
    }

    #[test]
    fn paths_end_at_their_first_target(graph in graphs(), targets in proptest::collection::vec(proptest::bool::weighted(0.3), 7)) {
        let part = to_first(&graph, &targets[..graph.len()]);
        for (new, old) in part.nodes.iter().enumerate() {
            let leaves = !part.graph.leaving(new).is_empty();
            prop_assert_eq!(leaves, !targets[*old]);
        }
        // Words that reach a target for the first time with their last label are the same.
        let reaching = |graph: &Graph, is_target: &dyn Fn(usize) -> bool| -> BTreeSet<Vec<usize>> {
            let mut found = BTreeSet::new();
            let mut waiting: Vec<(usize, Vec<usize>)> = (0..graph.len().min(1)).map(|n| (n, vec![])).collect();
            while let Some((node, word)) = waiting.pop() {
                if is_target(node) {
                    found.insert(word);
                } else if word.len() < LENGTH {
                    waiting.extend(graph.leaving(node).iter().map(|e| (e.to, [&word[..], &[e.label]].concat())));
                }
            }
            found
        };
        let begins = part.nodes.first() == Some(&0) || part.nodes.is_empty();
        prop_assert!(begins);
        prop_assert_eq!(reaching(&part.graph, &|n| targets[part.nodes[n]]), reaching(&graph, &|n| targets[n]));
    }

    #[test]
    fn parts_have_the_edges_among_them(graph in graphs(), keep in proptest::collection::vec(proptest::bool::ANY, 7)) {
        let part = among(&graph, &keep[..graph.len()]);
        let expected: BTreeSet<Edge> = graph.edges().iter().filter(|e| keep[e.from] && keep[e.to]).copied().collect();
        let old = |e: &Edge| Edge { from: part.nodes[e.from], label: e.label, to: part.nodes[e.to] };
        prop_assert_eq!(part.graph.edges().iter().map(old).collect::<BTreeSet<Edge>>(), expected);
    }
}
