//! Places of everything in a picture.

/// A place, in pixels, from the left and from the top.
pub type Point = (f64, f64);

/// Places of a picture.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// Width and height of the whole picture.
    pub size: Point,
    /// Centres of the nodes.
    pub nodes: Vec<Point>,
    /// The curves of the edges.
    pub edges: Vec<Curve>,
    /// The boxes around nodes.
    pub clusters: Vec<Rectangle>,
    /// Left and top of each row of cells.
    pub rows: Vec<Point>,
    /// Left and top of the table.
    pub table: Point,
}

/// A rectangle: its left and top, its right and bottom.
pub type Rectangle = (Point, Point);

/// The curve of an edge.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// A start, and then for each cubic Bézier curve two controls and an end.
    pub points: Vec<Point>,
    /// Centre of the label.
    pub label: Point,
}
