//! Several pictures of the same things, such as the states of a trace, as one drawing in which everything keeps its place.
//!
//! The places are those of all pictures laid over each other. Whatever differs between them is drawn once for each form
//! that it has, with `data-steps`: the numbers of the pictures that it is in, as `0-3 7`. What is not in the last one has
//! `data-off` and is not shown. A script shows another picture by setting this attribute anew.

use std::collections::BTreeMap;
use std::fmt::Result;

use super::layout::own_layout;
use super::picture::{Cluster, Edge, Node, Picture, Row, extent};
use super::svg;

/// All pictures laid over each other.
#[derive(Default)]
struct Union {
    picture: Picture,
    /// Positions of nodes by key.
    keys: BTreeMap<String, usize>,
    /// Positions of edges by the nodes that they connect.
    pairs: BTreeMap<(usize, usize), usize>,
}

/// A form of something, and the pictures that it is in.
type Forms<T> = Vec<(usize, T, Vec<usize>)>;

/// The pictures as an element `svg` for a page; `id` tells it from others of the page, and the pictures are numbered
/// from `first`.
pub fn film(frames: &[Picture], first: usize, id: &str) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, frames, first, id);
    out
}

fn write(out: &mut String, frames: &[Picture], first: usize, id: &str) -> Result {
    let mut union = Union::default();
    let mut forms: (Forms<Node>, Forms<Edge>, Forms<Row>) = Default::default();
    for (step, frame) in frames.iter().enumerate() {
        union.add(step, frame, &mut forms);
    }
    let Union { mut picture, .. } = union;
    let last = frames.len().saturating_sub(1);
    let is_all = |steps: &[usize]| steps.len() == frames.len() && first == 0;
    let named = frames.last();
    picture.title = named.map(|frame| frame.title.clone()).unwrap_or_default();
    picture.remarks = named.map(|frame| frame.remarks.clone()).unwrap_or_default();
    let layout = own_layout(&picture);
    let shown = named.unwrap_or(&picture);
    svg::head(out, shown, &layout, id)?;
    let more = |steps: &[usize]| if is_all(steps) { String::new() } else { steps_text(steps, first, last) };
    svg::body(out, &mut |out| {
        for (cluster, place) in picture.clusters.iter().zip(&layout.clusters) {
            svg::cluster(out, cluster, *place)?;
        }
        for (place, edge, steps) in &forms.1 {
            svg::edge(out, edge, &layout.edges[*place], &more(steps))?;
        }
        for (place, node, steps) in &forms.0 {
            svg::node(out, node, layout.nodes[*place], picture.nodes[*place].size(), &more(steps))?;
        }
        for (place, row, steps) in &forms.2 {
            svg::row(out, row, layout.rows[*place], &more(steps))?;
        }
        Ok(())
    })
}

/// The attributes of something that is in some of the pictures only.
fn steps_text(steps: &[usize], first: usize, last: usize) -> String {
    let mut ranges: Vec<(usize, usize)> = vec![];
    for step in steps {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == *step => *end = *step,
            _ => ranges.push((*step, *step)),
        }
    }
    let text = |(a, b): &(usize, usize)| match (a + first, b + first) {
        (a, b) if a == b => a.to_string(),
        (a, b) => format!("{a}-{b}"),
    };
    let text: Vec<String> = ranges.iter().map(text).collect();
    let off = if steps.contains(&last) { "" } else { " data-off" };
    format!(" data-steps=\"{}\"{off}", text.join(" "))
}

impl Union {
    fn add(
        &mut self,
        step: usize,
        frame: &Picture,
        (nodes, edges, rows): &mut (Forms<Node>, Forms<Edge>, Forms<Row>),
    ) {
        let places: Vec<usize> = frame.nodes.iter().map(|node| self.node(node)).collect();
        for (node, place) in frame.nodes.iter().zip(&places) {
            let is_same = |other: &Node| {
                (&other.lines, &other.tooltip, other.look, other.here, other.shape, &other.paint)
                    == (&node.lines, &node.tooltip, node.look, node.here, node.shape, &node.paint)
            };
            note(nodes, *place, node, step, is_same);
        }
        for edge in &frame.edges {
            let place = self.edge(places[edge.from], places[edge.to], edge);
            let is_same = |other: &Edge| {
                (&other.lines, &other.tooltip, other.look, other.dashed, &other.paint)
                    == (&edge.lines, &edge.tooltip, edge.look, edge.dashed, &edge.paint)
            };
            note(edges, place, edge, step, is_same);
        }
        for row in &frame.rows {
            let place = self.row(row);
            note(rows, place, row, step, |other| other == row);
        }
        for cluster in &frame.clusters {
            let at = self.picture.clusters.iter().position(|known| known.title == cluster.title);
            let at = at.unwrap_or_else(|| {
                self.picture.clusters.push(Cluster { title: cluster.title.clone(), nodes: vec![] });
                self.picture.clusters.len() - 1
            });
            for node in &cluster.nodes {
                let inside = &mut self.picture.clusters[at].nodes;
                if !inside.contains(&places[*node]) {
                    inside.push(places[*node]);
                }
            }
        }
    }

    /// The place of a node, which is as large as it ever gets.
    fn node(&mut self, node: &Node) -> usize {
        let at = *self.keys.entry(node.key.clone()).or_insert_with(|| {
            self.picture.nodes.push(Node::default());
            self.picture.nodes.len() - 1
        });
        self.picture.nodes[at].lines = larger(&self.picture.nodes[at].lines, &node.lines);
        at
    }

    fn edge(&mut self, from: usize, to: usize, edge: &Edge) -> usize {
        let at = *self.pairs.entry((from, to)).or_insert_with(|| {
            self.picture.edges.push(Edge { from, to, ..Edge::default() });
            self.picture.edges.len() - 1
        });
        self.picture.edges[at].lines = larger(&self.picture.edges[at].lines, &edge.lines);
        at
    }

    fn row(&mut self, row: &Row) -> usize {
        let at = self.picture.rows.iter().position(|known| known.name == row.name);
        let at = at.unwrap_or_else(|| {
            self.picture.rows.push(Row { name: row.name.clone(), cells: vec![] });
            self.picture.rows.len() - 1
        });
        if row.size() > self.picture.rows[at].size() {
            self.picture.rows[at].cells = row.cells.clone();
        }
        at
    }
}

/// Notes that something has this form in a picture.
fn note<T: Clone>(forms: &mut Forms<T>, place: usize, form: &T, step: usize, is_same: impl Fn(&T) -> bool) {
    match forms.iter_mut().find(|(at, known, _)| *at == place && is_same(known)) {
        Some((_, _, steps)) if steps.last() == Some(&step) => {}
        Some((_, _, steps)) => steps.push(step),
        None => forms.push((place, form.clone(), vec![step])),
    }
}

/// Lines that need as much room as either.
fn larger(a: &[String], b: &[String]) -> Vec<String> {
    let letters = ((extent(a).0.max(extent(b).0)) / super::picture::LETTER).round() as usize;
    vec!["x".repeat(letters); a.len().max(b.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_has_its_steps_and_what_stays_has_none() {
        let frame = |value: &str, edge: bool| {
            let node =
                |key: &str, line: &str| Node { key: key.into(), lines: vec![line.into()], ..Node::default() };
            Picture {
                nodes: vec![node("a", "a"), node("b", value)],
                edges: edge
                    .then(|| Edge { from: 0, to: 1, lines: vec!["r".into()], ..Edge::default() })
                    .into_iter()
                    .collect(),
                ..Picture::default()
            }
        };
        let text = film(&[frame("1", true), frame("1", true), frame("2", false), frame("1", true)], 0, "f-");
        assert!(text.contains(">a</text>") && text.contains("id=\"f-title\""), "{text}");
        assert_eq!(text.matches("data-steps=\"0-1 3\"").count(), 2, "{text}");
        assert_eq!(text.matches("data-steps=\"2\" data-off").count(), 1, "{text}");
        assert_eq!(text.matches("class=\"node").count(), 3, "{text}");
    }
}
