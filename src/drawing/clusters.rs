//! Places of a picture with clusters: boxes side by side, each with its own layers, then rows of cells and a table.

use std::collections::BTreeMap;

use super::labels;
use super::layers::{curve, unlabelled};
use super::picture::{Edge, LETTER, LINE, Node, Picture, extent};
use super::places::{Curve, Layout, Point};

use crate::tuning::tuning;

/// A group of nodes with places relative to its left and top.
struct Block {
    size: Point,
    nodes: Vec<(usize, Point)>,
    edges: Vec<(usize, Curve)>,
    /// Position of its cluster; `None` for the nodes in no cluster.
    cluster: Option<usize>,
}

/// The places.
pub fn layout(picture: &Picture) -> Layout {
    let blocks = blocks(picture);
    let mut out = Layout {
        nodes: vec![(0.0, 0.0); picture.nodes.len()],
        edges: vec![Curve::default(); picture.edges.len()],
        clusters: vec![((0.0, 0.0), (0.0, 0.0)); picture.clusters.len()],
        ..Layout::default()
    };
    let widest = picture.edges.iter().map(|edge| extent(&edge.lines).0).fold(0.0, f64::max);
    let own = owners(&blocks);
    let has_crossing = picture.edges.iter().any(|edge| own[&edge.from] != own[&edge.to]);
    let between = if has_crossing {
        tuning().drawing.clusters.max(widest.min(220.0) + 50.0)
    } else {
        2.0 * tuning().drawing.column_gap
    };
    let bottom = put(&blocks, between, &mut out);
    cross(picture, &blocks, &mut out);
    labels::place(picture, &out.nodes, &mut out.edges);
    for (curve, edge) in out.edges.iter().zip(&picture.edges) {
        let reach = extent(&edge.lines).0 / 2.0 + curve.label.0;
        out.size.0 = curve.points.iter().map(|point| point.0).fold(out.size.0.max(reach), f64::max);
    }
    below(picture, bottom, &mut out);
    shift(&mut out);
    out
}

/// Puts the blocks side by side, in lines that are not too wide, and returns the bottom.
fn put(blocks: &[Block], between: f64, out: &mut Layout) -> f64 {
    let mut lines: Vec<Vec<&Block>> = vec![];
    let mut width = f64::INFINITY;
    for block in blocks {
        if width + block.size.0 > tuning().drawing.wide {
            lines.push(vec![]);
            width = 0.0;
        }
        width += block.size.0 + between;
        if let Some(line) = lines.last_mut() {
            line.push(block);
        }
    }
    let mut top = 0.0;
    for line in lines {
        let height = line.iter().map(|block| block.size.1).fold(0.0, f64::max);
        let mut left = 0.0;
        for block in line {
            let (x, y) = (left, top + (height - block.size.1) / 2.0);
            for (node, at) in &block.nodes {
                out.nodes[*node] = (at.0 + x, at.1 + y);
            }
            for (edge, curve) in &block.edges {
                let points = curve.points.iter().map(|p| (p.0 + x, p.1 + y)).collect();
                out.edges[*edge] = Curve { points, label: (curve.label.0 + x, curve.label.1 + y) };
            }
            if let Some(cluster) = block.cluster {
                out.clusters[cluster] = ((x, y), (x + block.size.0, y + block.size.1));
            }
            left += block.size.0 + between;
            out.size.0 = out.size.0.max(left - between);
        }
        top += height + tuning().drawing.clusters;
    }
    (top - tuning().drawing.clusters).max(0.0)
}

/// Each cluster, and the nodes in none, with places of their own.
fn blocks(picture: &Picture) -> Vec<Block> {
    let clustered: Vec<usize> = picture.clusters.iter().flat_map(|c| c.nodes.iter().copied()).collect();
    let free: Vec<usize> = (0..picture.nodes.len()).filter(|node| !clustered.contains(node)).collect();
    let groups = picture.clusters.iter().enumerate().map(|(i, c)| (Some(i), c.nodes.clone()));
    groups.chain([(None, free)]).filter_map(|(cluster, nodes)| block(picture, cluster, nodes)).collect()
}

fn block(picture: &Picture, cluster: Option<usize>, nodes: Vec<usize>) -> Option<Block> {
    if nodes.is_empty() && cluster.is_none() {
        return None;
    }
    let place: BTreeMap<usize, usize> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let inside: Vec<(usize, Edge)> = picture
        .edges
        .iter()
        .enumerate()
        .filter_map(|(number, edge)| {
            let (from, to) = (*place.get(&edge.from)?, *place.get(&edge.to)?);
            Some((number, Edge { from, to, ..edge.clone() }))
        })
        .collect();
    let part = Picture {
        nodes: nodes.iter().map(|node| picture.nodes[*node].clone()).collect(),
        edges: inside.iter().map(|(_, edge)| edge.clone()).collect(),
        ..Picture::default()
    };
    let is_graph = part.edges.iter().any(|edge| edge.from != edge.to);
    let mut found = if is_graph { unlabelled(&part) } else { columns(&part) };
    beside(&part, &mut found);
    let reach = |curve: &Curve| {
        curve.points.iter().map(|p| p.0).fold(0.0, f64::max) - if is_graph { 10.0 } else { 0.0 }
    };
    let labels =
        part.edges.iter().map(|edge| if edge.from == edge.to { extent(&edge.lines).0 + 6.0 } else { 0.0 });
    let right = found.edges.iter().zip(labels).map(|(curve, label)| reach(curve) + label);
    let width = right.fold(found.size.0, f64::max);
    let title = cluster.map_or(0.0, |c| picture.clusters[c].title.chars().count() as f64 * LETTER);
    let top =
        if cluster.is_some() { tuning().drawing.cluster_title + tuning().drawing.cluster_pad } else { 0.0 };
    let side = if cluster.is_some() { tuning().drawing.cluster_pad } else { 0.0 };
    // Arrows inside a row bend over its boxes.
    let over = found.edges.iter().flat_map(|c| &c.points).map(|p| -p.1).fold(0.0, f64::max) * 0.75;
    let under =
        found.edges.iter().flat_map(|c| &c.points).map(|p| p.1 - found.size.1).fold(0.0, f64::max) * 0.75;
    let left = side + (title - width).max(0.0) / 2.0;
    let moved = |p: &Point| (p.0 + left, p.1 + top + over);
    Some(Block {
        size: (width.max(title) + 2.0 * side, found.size.1 + top + side + over + under),
        nodes: nodes.iter().zip(&found.nodes).map(|(node, at)| (*node, moved(at))).collect(),
        edges: inside
            .iter()
            .zip(&found.edges)
            .map(|((number, _), curve)| {
                let points = curve.points.iter().map(moved).collect();
                (*number, Curve { points, label: moved(&curve.label) })
            })
            .collect(),
        cluster,
    })
}

/// Leads edges that would run behind other boxes around them, on the right.
fn beside(part: &Picture, found: &mut Layout) {
    let sizes: Vec<Point> = part.nodes.iter().map(Node::size).collect();
    let mut reach = 34.0;
    for (edge, curve) in part.edges.iter().zip(&mut found.edges) {
        let is_behind = |node: usize| {
            let ((x, y), (width, height)) = (found.nodes[node], sizes[node]);
            let inside = |p: Point| (p.0 - x).abs() < width / 2.0 && (p.1 - y).abs() < height / 2.0;
            (1..20).any(|i| inside(labels::point(&curve.points, f64::from(i) / 20.0)))
        };
        let is_other = |node: &usize| *node != edge.from && *node != edge.to;
        if edge.from == edge.to || !(0..part.nodes.len()).filter(is_other).any(is_behind) {
            continue;
        }
        let right = |node: usize| (found.nodes[node].0 + sizes[node].0 / 2.0, found.nodes[node].1);
        let (a, b) = (right(edge.from), right(edge.to));
        let outside = (0..part.nodes.len()).map(|node| right(node).0).fold(0.0, f64::max) + reach;
        curve.points = vec![a, (outside, a.1), (outside, b.1), b];
        reach += 14.0;
    }
}

/// Nodes without arrows among them, in columns.
fn columns(picture: &Picture) -> Layout {
    let sizes: Vec<Point> = picture.nodes.iter().map(Node::size).collect();
    let rows = sizes.len().clamp(1, tuning().drawing.column);
    let heights: Vec<f64> =
        (0..rows).map(|row| sizes.iter().skip(row).step_by(rows).map(|s| s.1).fold(0.0, f64::max)).collect();
    let mut out = Layout { nodes: vec![(0.0, 0.0); sizes.len()], ..Layout::default() };
    let mut left = 0.0;
    for (column, of) in sizes.chunks(rows).enumerate() {
        let width = of.iter().map(|s| s.0).fold(0.0, f64::max);
        let mut top = 0.0;
        for (row, height) in heights.iter().enumerate().take(of.len()) {
            out.nodes[column * rows + row] = (left + width / 2.0, top + height / 2.0);
            top += height + tuning().drawing.column_gap;
        }
        left += width + tuning().drawing.column_gap;
    }
    let at = |edge: &Edge| (out.nodes[edge.from], sizes[edge.from]);
    out.edges = picture.edges.iter().map(|edge| curve(at(edge), at(edge), false, 0.0)).collect();
    out.size = (
        (left - tuning().drawing.column_gap).max(0.0),
        (heights.iter().sum::<f64>() + tuning().drawing.column_gap * (rows as f64 - 1.0)).max(0.0),
    );
    out
}

/// One end of an edge: where the other end is, the number of the edge, and whether it leaves here.
type End = (f64, usize, bool);

/// The block of each node.
fn owners(blocks: &[Block]) -> BTreeMap<usize, usize> {
    blocks.iter().enumerate().flat_map(|(i, block)| block.nodes.iter().map(move |(n, _)| (*n, i))).collect()
}

/// Draws the edges between blocks, from side to side. Ends at one side of a box are spread over it.
fn cross(picture: &Picture, blocks: &[Block], out: &mut Layout) {
    let own = owners(blocks);
    let crossing: Vec<usize> = (0..picture.edges.len())
        .filter(|e| own[&picture.edges[*e].from] != own[&picture.edges[*e].to])
        .collect();
    // For each side of a box, the ends there.
    let mut sides: BTreeMap<(usize, bool), Vec<End>> = BTreeMap::new();
    for number in &crossing {
        let edge = &picture.edges[*number];
        let (a, b) = (out.nodes[edge.from], out.nodes[edge.to]);
        let is_right = b.0 >= a.0;
        sides.entry((edge.from, is_right)).or_default().push((b.1, *number, true));
        sides.entry((edge.to, !is_right)).or_default().push((a.1, *number, false));
    }
    let mut ends: BTreeMap<(usize, bool), Point> = BTreeMap::new();
    for ((node, is_right), mut all) in sides {
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ((x, y), (width, height)) = (out.nodes[node], picture.nodes[node].size());
        let step = (height - 8.0) / all.len() as f64;
        for (place, (_, number, leaves)) in all.iter().enumerate() {
            let side = if is_right { width / 2.0 } else { -width / 2.0 };
            let at = (x + side, y - (height - 8.0) / 2.0 + step * (place as f64 + 0.5));
            ends.insert((*number, *leaves), at);
        }
    }
    for number in crossing {
        let (Some(a), Some(b)) = (ends.get(&(number, true)), ends.get(&(number, false))) else { continue };
        let far = ((b.0 - a.0).abs() / 2.2).max(40.0);
        let bend = if b.0 >= a.0 { far } else { -far };
        out.edges[number] = Curve { points: vec![*a, (a.0 + bend, a.1), (b.0 - bend, b.1), *b], label: *a };
    }
}

/// Puts rows of cells and the table below everything.
fn below(picture: &Picture, bottom: f64, out: &mut Layout) {
    let mut top = if picture.nodes.is_empty() && picture.clusters.is_empty() { 0.0 } else { bottom + 26.0 };
    for row in &picture.rows {
        out.rows.push((0.0, top));
        let size = row.size();
        out.size.0 = out.size.0.max(size.0);
        top += size.1 + tuning().drawing.column_gap;
    }
    out.table = (0.0, top);
    if !picture.table.is_empty() {
        let (width, height) = table_size(picture);
        out.size.0 = out.size.0.max(width);
        top += height;
    }
    out.size.1 = out.size.1.max(top).max(bottom);
}

/// Width and height of the table.
pub fn table_size(picture: &Picture) -> Point {
    let longest = |of: fn(&(String, String)) -> &String| {
        picture.table.iter().map(|row| of(row).chars().count()).max().unwrap_or(0) as f64 * LETTER
    };
    let (name, value) = (longest(|row| &row.0), longest(|row| &row.1));
    (name + value + 36.0, picture.table.len() as f64 * (LINE + 7.0))
}

/// Width of the first column of the table.
pub fn name_width(picture: &Picture) -> f64 {
    picture.table.iter().map(|row| row.0.chars().count()).max().unwrap_or(0) as f64 * LETTER + 18.0
}

/// Moves everything so that nothing is left of or above the origin.
fn shift(out: &mut Layout) {
    let points = || out.edges.iter().flat_map(|curve| curve.points.iter());
    let least = |of: fn(&Point) -> f64| points().map(of).fold(0.0, f64::min);
    let (x, y) = (-least(|p| p.0) * 0.75, -least(|p| p.1) * 0.75);
    let go = |p: &mut Point| *p = (p.0 + x, p.1 + y);
    out.nodes.iter_mut().for_each(go);
    for curve in &mut out.edges {
        curve.points.iter_mut().for_each(go);
        go(&mut curve.label);
    }
    for (a, b) in &mut out.clusters {
        go(a);
        go(b);
    }
    out.rows.iter_mut().for_each(go);
    go(&mut out.table);
    let lowest = out.edges.iter().flat_map(|curve| curve.points.iter()).map(|p| p.1).fold(0.0, f64::max);
    out.size = (out.size.0 + x, (out.size.1 + y).max(lowest.min(out.size.1 + y + 60.0)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::picture::{Cluster, Row};

    fn is_inside(row: &Row, at: Point, size: Point) -> bool {
        at.0 + row.size().0 <= size.0 + 0.1 && at.1 + row.size().1 <= size.1 + 0.1
    }

    #[test]
    fn nodes_are_in_their_clusters_and_clusters_side_by_side() {
        let node = |i: usize| Node { lines: vec!["x".repeat(i % 9 + 1)], ..Node::default() };
        let edge = |from, to| Edge { from, to, lines: vec!["r".into()], ..Edge::default() };
        let picture = Picture {
            nodes: (0..30).map(node).collect(),
            edges: (0..29).map(|i| edge(i, (i * 7 + 1) % 30)).chain([edge(3, 3)]).collect(),
            clusters: (0..3)
                .map(|c| Cluster { title: format!("S{c}"), nodes: (c * 9..c * 9 + 9).collect() })
                .collect(),
            rows: vec![Row { name: "q".into(), cells: vec![("1".into(), "abc".into()); 40] }],
            table: vec![("n".into(), "3".into())],
            ..Picture::default()
        };
        let out = layout(&picture);
        for (cluster, ((left, top), (right, bottom))) in picture.clusters.iter().zip(&out.clusters) {
            for node in &cluster.nodes {
                let ((x, y), (width, height)) = (out.nodes[*node], picture.nodes[*node].size());
                assert!(x - width / 2.0 >= *left && x + width / 2.0 <= *right, "{node}");
                assert!(y - height / 2.0 >= *top && y + height / 2.0 <= *bottom, "{node}");
            }
        }
        for (i, a) in out.clusters.iter().enumerate() {
            for b in &out.clusters[i + 1..] {
                let is_beside = a.1.0 <= b.0.0 || b.1.0 <= a.0.0;
                assert!(is_beside || a.1.1 <= b.0.1 || b.1.1 <= a.0.1, "{a:?} {b:?}");
            }
        }
        assert!(is_inside(&picture.rows[0], out.rows[0], out.size));
        assert!(out.table.1 >= out.rows[0].1 + picture.rows[0].size().1);
        let points = out.edges.iter().flat_map(|c| c.points.iter().chain([&c.label])).chain(&out.nodes);
        assert!(points.into_iter().all(|p| p.0.is_finite() && p.1.is_finite() && p.0 > -60.0));
        assert_eq!(layout(&picture), layout(&picture));
        assert_eq!(layout(&Picture::default()).size, (0.0, 0.0));
    }
}
