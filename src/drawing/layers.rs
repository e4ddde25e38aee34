//! Places without Graphviz: layers by distance from the first node, put in order to have few crossings.
//!
//! The layer of a node is its distance from the first node, as in a breadth-first search, so that no edge skips a layer
//! downwards, and edges that lead up are those that go back. Nodes of a layer are put in order by the mean place of
//! their neighbours, up and down some times; then they are moved towards that place as far as the others leave room.
//! Sugiyama, Tagawa, Toda: *Methods for Visual Understanding of Hierarchical System Structures*, 1981.

use std::collections::{BTreeMap, VecDeque};

use super::labels;
use super::picture::{Edge, Picture, extent};
use super::places::{Curve, Layout, Point};

use crate::tuning::tuning;

/// The places.
pub fn layout(picture: &Picture) -> Layout {
    let Layout { size, nodes, mut edges, .. } = unlabelled(picture);
    labels::place(picture, &nodes, &mut edges);
    let mut width = size.0;
    for (curve, edge) in edges.iter().zip(&picture.edges) {
        let reach = extent(&edge.lines).0 / 2.0 + curve.label.0;
        width = curve.points.iter().map(|point| point.0).fold(width.max(reach), f64::max);
    }
    Layout { size: (width, size.1), nodes, edges, ..Layout::default() }
}

/// The places of nodes and curves; labels are still at the beginnings of their curves.
pub fn unlabelled(picture: &Picture) -> Layout {
    let mut neighbours = vec![vec![]; picture.nodes.len()];
    for edge in picture.edges.iter().filter(|edge| edge.from != edge.to) {
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    let mut rows = rows(picture);
    let sizes: Vec<Point> = picture.nodes.iter().map(|node| node.size()).collect();
    let mut x = vec![0.0; sizes.len()];
    rows.iter().for_each(|row| spread(row, &sizes, &mut x));
    for sweep in 0..tuning().drawing.sweeps {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        if sweep % 2 == 1 {
            order.reverse();
        }
        for row in order {
            let wanted = |node: &usize| mean(&neighbours[*node], &x).unwrap_or(x[*node]);
            let mut places: Vec<(f64, usize)> = rows[row].iter().map(|node| (wanted(node), *node)).collect();
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = places.iter().map(|(_, node)| *node).collect();
            settle(&places, &sizes, &mut x);
        }
    }
    let left = (0..x.len()).map(|n| x[n] - sizes[n].0 / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    let space = tuning()
        .drawing
        .layers
        .max(picture.edges.iter().map(|edge| extent(&edge.lines).1 + 25.0).fold(0.0, f64::max));
    let mut nodes = vec![(0.0, 0.0); x.len()];
    let mut top = 0.0;
    for row in &rows {
        let height = row.iter().map(|node| sizes[*node].1).fold(0.0, f64::max);
        row.iter().for_each(|node| nodes[*node] = (x[*node], top + height / 2.0));
        top += height + space;
    }
    let ports = ports(picture, &nodes, &sizes);
    let tallest = sizes.iter().map(|size| size.1).fold(0.0, f64::max);
    let edges: Vec<Curve> = ports
        .iter()
        .zip(&picture.edges)
        .map(|((from, to), edge)| curve(*from, *to, is_level(&nodes, edge), tallest))
        .collect();
    let width = (0..x.len()).map(|n| x[n] + sizes[n].0 / 2.0).fold(0.0, f64::max);
    Layout { size: (width, (top - space).max(0.0)), nodes, edges, ..Layout::default() }
}

/// The nodes by distance from the first, in rows that are not too wide.
fn rows(picture: &Picture) -> Vec<Vec<usize>> {
    let depths = depths(picture);
    let mut layers = vec![vec![]; depths.iter().max().map_or(0, |deepest| deepest + 1)];
    depths.iter().enumerate().for_each(|(node, depth)| layers[*depth].push(node));
    layers.iter().flat_map(|layer| layer.chunks(tuning().drawing.widest).map(<[usize]>::to_vec)).collect()
}

/// Returns for each node the distance from the first; nodes that it does not reach are counted from a new first node.
pub fn depths(picture: &Picture) -> Vec<usize> {
    let mut next = vec![vec![]; picture.nodes.len()];
    picture.edges.iter().for_each(|edge| next[edge.from].push(edge.to));
    let mut layer = vec![None; picture.nodes.len()];
    for first in 0..picture.nodes.len() {
        if layer[first].is_some() {
            continue;
        }
        layer[first] = Some(0usize);
        let mut waiting = VecDeque::from([first]);
        while let Some(node) = waiting.pop_front() {
            let depth = layer[node].unwrap_or(0);
            for &to in &next[node] {
                if layer[to].is_none() {
                    layer[to] = Some(depth + 1);
                    waiting.push_back(to);
                }
            }
        }
    }
    layer.into_iter().flatten().collect()
}

fn mean(nodes: &[usize], x: &[f64]) -> Option<f64> {
    (!nodes.is_empty()).then(|| nodes.iter().map(|node| x[*node]).sum::<f64>() / nodes.len() as f64)
}

/// Puts a row side by side around 0.
fn spread(row: &[usize], sizes: &[Point], x: &mut [f64]) {
    let width: f64 = row.iter().map(|node| sizes[*node].0 + tuning().drawing.layer_gap).sum();
    let mut left = -width / 2.0;
    for node in row {
        x[*node] = left + (sizes[*node].0 + tuning().drawing.layer_gap) / 2.0;
        left += sizes[*node].0 + tuning().drawing.layer_gap;
    }
}

/// Puts a row as near as possible to the wanted places, in their order. Nodes that would overlap are moved together, so
/// that the sum of the squared distances is least (pool adjacent violators).
fn settle(places: &[(f64, usize)], sizes: &[Point], x: &mut [f64]) {
    let mut before = 0.0;
    // For each group: the sum of the wanted positions of its left end, how many they are, and the first.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    let mut offsets = Vec::with_capacity(places.len());
    for (wanted, node) in places {
        let half = (sizes[*node].0 + tuning().drawing.layer_gap) / 2.0;
        before += half;
        offsets.push(before);
        let mut group = (wanted - before, 1);
        before += half;
        while let Some((sum, count)) = groups.last().copied()
            && sum / count as f64 >= group.0 / group.1 as f64
        {
            group = (group.0 + sum, group.1 + count);
            groups.pop();
        }
        groups.push(group);
    }
    let mut place = 0;
    for (sum, count) in groups {
        for _ in 0..count {
            x[places[place].1] = sum / count as f64 + offsets[place];
            place += 1;
        }
    }
}

/// A place on the border of a box, or next to it for a loop, and the size of the box.
pub type Port = (Point, Point);

/// One end of an edge: where the other end is, the number of the edge, and whether it leaves here.
type End = (f64, usize, bool);

/// Returns the places where each edge leaves its first box and enters its second: side by side, in the order of where
/// they come from.
fn ports(picture: &Picture, nodes: &[Point], sizes: &[Point]) -> Vec<(Port, Port)> {
    let mut sides: BTreeMap<(usize, bool), Vec<End>> = BTreeMap::new();
    for (number, edge) in picture.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        let (a, b) = (nodes[edge.from], nodes[edge.to]);
        let is_level = is_level(nodes, edge);
        // Above the boxes to the right, below them to the left.
        let (leaves_below, enters_below) =
            if is_level { (b.0 < a.0, b.0 < a.0) } else { (b.1 > a.1, b.1 < a.1) };
        // If two edges connect the same boxes, the one downwards is on the left, at both ends.
        let aside = if b.1 > a.1 { -0.1 } else { 0.1 };
        sides.entry((edge.from, leaves_below)).or_default().push((b.0 + aside, number, true));
        sides.entry((edge.to, enters_below)).or_default().push((a.0 + aside, number, false));
    }
    let of = |node: usize| (nodes[node], sizes[node]);
    let mut ports: Vec<(Port, Port)> =
        picture.edges.iter().map(|edge| (of(edge.from), of(edge.to))).collect();
    for ((node, is_below), mut ends) in sides {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ((x, y), (width, height)) = of(node);
        let step = (width - 16.0) / ends.len() as f64;
        for (place, (_, number, leaves)) in ends.iter().enumerate() {
            let left = x - (width - 16.0) / 2.0;
            let side = if is_below { height / 2.0 } else { -height / 2.0 };
            let port = ((left + step * (place as f64 + 0.5), y + side), (width, height));
            let (from, to) = &mut ports[*number];
            *(if *leaves { from } else { to }) = port;
        }
    }
    ports
}

/// Returns whether an edge stays in its row.
fn is_level(nodes: &[Point], edge: &Edge) -> bool {
    (nodes[edge.from].1 - nodes[edge.to].1).abs() < 1.0
}

/// The curve between two ports.
pub fn curve((a, a_size): Port, (b, _): Port, is_level: bool, tallest: f64) -> Curve {
    if a == b {
        let (right, reach) = (a.0 + a_size.0 / 2.0, 34.0);
        let (up, down) = ((right, a.1 - a_size.1 / 4.0), (right, a.1 + a_size.1 / 4.0));
        let points = vec![up, (right + reach, up.1 - 8.0), (right + reach, down.1 + 8.0), down];
        return Curve { points, label: (right + reach, a.1) };
    }
    let (first, second) = if is_level {
        // Over the boxes in between, which may be higher.
        let bend = 40.0 + (tallest - a_size.1) / 1.5;
        let bend = if b.0 > a.0 { -bend } else { bend };
        ((a.0, a.1 + bend), (b.0, b.1 + bend))
    } else {
        let bend = (b.1 - a.1) / 2.5;
        ((a.0, a.1 + bend), (b.0, b.1 - bend))
    };
    Curve { points: vec![a, first, second, b], label: a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::picture::Node;

    /// A circle of nodes with chords, all of different widths.
    fn wheel(nodes: usize) -> Picture {
        let node = |i: usize| Node { lines: vec!["x".repeat(i % 30)], ..Node::default() };
        let edge = |i: usize, to: usize| Edge { from: i, to, lines: vec!["op".into()], ..Edge::default() };
        let edges =
            (0..nodes).flat_map(|i| [edge(i, (i + 1) % nodes), edge(i, (i * 7 + 3) % nodes), edge(i, i)]);
        Picture { nodes: (0..nodes).map(node).collect(), edges: edges.collect(), ..Picture::default() }
    }

    #[test]
    fn boxes_do_not_cover_each_other_and_are_inside() {
        for nodes in [0, 1, 2, 7, 300] {
            let picture = wheel(nodes);
            let layout = layout(&picture);
            let sizes: Vec<Point> = picture.nodes.iter().map(Node::size).collect();
            for (i, (a, size)) in layout.nodes.iter().zip(&sizes).enumerate() {
                assert!(
                    a.0 - size.0 / 2.0 >= -0.1 && a.0 + size.0 / 2.0 <= layout.size.0 + 0.1,
                    "{nodes}: {i}"
                );
                assert!(
                    a.1 - size.1 / 2.0 >= -0.1 && a.1 + size.1 / 2.0 <= layout.size.1 + 0.1,
                    "{nodes}: {i}"
                );
                for (b, other) in layout.nodes.iter().zip(&sizes).skip(i + 1) {
                    let is_beside = (a.0 - b.0).abs() >= (size.0 + other.0) / 2.0;
                    assert!(is_beside || (a.1 - b.1).abs() >= (size.1 + other.1) / 2.0, "{nodes}: {i}");
                }
            }
            let numbers = layout.edges.iter().flat_map(|curve| curve.points.iter().chain([&curve.label]));
            assert!(numbers.clone().all(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }

    #[test]
    fn the_same_picture_has_the_same_places() {
        assert_eq!(layout(&wheel(50)), layout(&wheel(50)));
    }
}
