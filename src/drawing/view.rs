//! Turns the answer's view into a picture: the texts in boxes and at arrows.

use std::collections::BTreeMap;

use super::picture::{Edge, Look, Node, Picture};
use crate::answer::graph::{GraphAnswer, GraphObject, NodeObject, NodeWord, ViewWord};
use crate::answer::trace::counted;
use crate::tuning::tuning;

/// The picture of a view.
pub fn picture(answer: &GraphAnswer, graph: &GraphObject) -> Picture {
    let view = match answer.view {
        ViewWord::States => "states",
        ViewWord::Signature => "signature-merge",
        ViewWord::Automaton => "deterministic automaton of the traces",
        ViewWord::Paths => "paths",
        ViewWord::State => "a state",
    };
    let positions: BTreeMap<usize, usize> =
        graph.nodes.iter().enumerate().map(|(position, node)| (node.number, position)).collect();
    let mut arrows: BTreeMap<(usize, usize, bool), Vec<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (positions.get(&edge.from), positions.get(&edge.to)) {
            let dashed = edge.definite == Some(false);
            arrows.entry((*from, *to, dashed)).or_default().push(&edge.label);
        }
    }
    let edges = arrows.into_iter().map(|((from, to, dashed), labels)| Edge {
        from,
        to,
        lines: some(labels.iter().map(|label| folded(label)), tuning().drawing.labels),
        tooltip: labels.join("\n"),
        dashed,
        ..Edge::default()
    });
    Picture {
        title: format!("{}: {view}", answer.machine),
        remarks: answer.messages.clone(),
        nodes: graph.nodes.iter().map(node).collect(),
        edges: edges.collect(),
        ..Picture::default()
    }
}

fn node(node: &NodeObject) -> Node {
    let head = match node.kind {
        NodeWord::Root => "root".to_owned(),
        NodeWord::Constants | NodeWord::State => format!("#{}", node.number),
        NodeWord::Set => counted(node.members.len(), "state"),
    };
    let values = || node.values.iter().map(|(name, value)| format!("{name} = {value}"));
    let mut about = vec![head.clone()];
    if node.kind == NodeWord::Set {
        let members: Vec<String> =
            node.members.iter().take(tuning().drawing.members).map(|m| format!("#{m}")).collect();
        let more = if node.members.len() > tuning().drawing.members { ", …" } else { "" };
        about.push(format!("{}{more}; the first of them:", members.join(", ")));
    }
    about.extend(values());
    about.extend(node.violated.iter().map(|conjunct| format!("violated: {conjunct}")));
    about.extend(node.wrong.iter().map(|step| format!("goes wrong: {step}")));
    let is_wrong = !node.violated.is_empty() || !node.wrong.is_empty();
    let only = || node.only_in_scope.clone();
    about.extend(only().filter(|_| is_wrong));
    let marks = [(node.deadlock, "deadlock"), (node.goal, "goal"), (node.open, "not explored")];
    about.extend(marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()));
    about.extend(only().filter(|_| !is_wrong));
    let mut lines = vec![head];
    match node.enabled.as_deref() {
        Some([]) => lines.push("nothing is enabled".into()),
        Some(enabled) => lines.extend(some(enabled.iter().map(|name| folded(name)), tuning().drawing.lines)),
        None => {}
    }
    if node.kind != NodeWord::Set && node.enabled.is_none() {
        lines.extend(some(values().map(|line| folded(&line)), tuning().drawing.lines));
    }
    Node { lines, tooltip: about.join("\n"), look: look(node), ..Node::default() }
}

fn look(node: &NodeObject) -> Look {
    if !node.violated.is_empty() || !node.wrong.is_empty() {
        Look::Violated
    } else if node.goal {
        Look::Goal
    } else if node.deadlock {
        Look::Deadlock
    } else if node.open {
        Look::Open
    } else if node.kind == NodeWord::Root {
        Look::Root
    } else {
        Look::Plain
    }
}

/// The first lines, and how many more there are.
pub fn some(all: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = all.collect();
    if lines.len() > most {
        let more = lines.len() - (most - 1);
        lines.truncate(most - 1);
        lines.push(format!("… {more} more"));
    }
    lines
}

/// One line that is not too long.
pub fn folded(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    if line.chars().count() <= tuning().drawing.letters {
        return line;
    }
    let begin: String = line.chars().take(tuning().drawing.letters - 1).collect();
    begin + "…"
}
