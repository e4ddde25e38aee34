//! Places of labels: on their curves, where they cover neither boxes nor other labels, if there is such a place.

use std::collections::HashMap;

use super::picture::{Picture, extent};
use super::places::{Curve, Point, Rectangle};

use crate::tuning::tuning;

/// Places the labels of curves, each of which is one Bézier curve. Loops have theirs already.
pub fn place(picture: &Picture, nodes: &[Point], curves: &mut [Curve]) {
    let mut taken = Grid::default();
    for (node, at) in picture.nodes.iter().zip(nodes) {
        taken.add(around(*at, node.size()));
    }
    for (edge, curve) in picture.edges.iter().zip(curves) {
        let (width, height) = extent(&edge.lines);
        let size = (width + 6.0, height + 2.0);
        if edge.from == edge.to {
            curve.label.0 += size.0 / 2.0;
        } else {
            let places = tuning().drawing.label_positions.map(|t| point(&curve.points, t));
            let cost = |at: &Point| taken.covered(around(*at, size));
            let best = places.iter().map(|at| (cost(at), at)).reduce(|a, b| if b.0 < a.0 { b } else { a });
            curve.label = best.map_or(curve.label, |(_, at)| *at);
        }
        taken.add(around(curve.label, size));
    }
}

/// A point of a cubic Bézier curve, which begins at 0 and ends at 1.
pub fn point(points: &[Point], t: f64) -> Point {
    let [a, b, c, d] = points[..] else { return points.first().copied().unwrap_or_default() };
    let u = 1.0 - t;
    let at = |k: fn(Point) -> f64| {
        u * u * u * k(a) + 3.0 * u * u * t * k(b) + 3.0 * u * t * t * k(c) + t * t * t * k(d)
    };
    (at(|p| p.0), at(|p| p.1))
}

fn around((x, y): Point, (width, height): Point) -> Rectangle {
    ((x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0))
}

/// Rectangles, found by where they are.
#[derive(Default)]
struct Grid {
    cells: HashMap<(i64, i64), Vec<Rectangle>>,
}

impl Grid {
    fn add(&mut self, rectangle: Rectangle) {
        for cell in cells(rectangle) {
            self.cells.entry(cell).or_default().push(rectangle);
        }
    }

    /// Returns approximately how much of a rectangle others cover.
    fn covered(&self, ((left, top), (right, bottom)): Rectangle) -> f64 {
        let others = cells(((left, top), (right, bottom))).filter_map(|cell| self.cells.get(&cell)).flatten();
        let common = |other: &Rectangle| {
            let width = right.min(other.1.0) - left.max(other.0.0);
            let height = bottom.min(other.1.1) - top.max(other.0.1);
            width.max(0.0) * height.max(0.0)
        };
        others.map(common).sum()
    }
}

fn cells(((left, top), (right, bottom)): Rectangle) -> impl Iterator<Item = (i64, i64)> {
    let number = |at: f64| (at / tuning().drawing.label_cell).floor() as i64;
    let rows = number(top)..=number(bottom);
    (number(left)..=number(right)).flat_map(move |x| rows.clone().map(move |y| (x, y)))
}
