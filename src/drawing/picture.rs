//! Content of a drawing, before it has places.

/// A drawing without places.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// One line.
    pub title: String,
    /// Remarks about what the picture leaves out, in sentences.
    pub remarks: Vec<String>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges; one at most for each pair of nodes and style.
    pub edges: Vec<Edge>,
    /// Boxes around nodes. No node is in two of them.
    pub clusters: Vec<Cluster>,
    /// Sequences and arrays, each a row of cells.
    pub rows: Vec<Row>,
    /// Further names with their values.
    pub table: Vec<(String, String)>,
    /// Attributes of the graph for Graphviz.
    pub attributes: Vec<(String, String)>,
}

/// A box around nodes.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// Title above the nodes.
    pub title: String,
    /// The nodes, by position.
    pub nodes: Vec<usize>,
}

/// A sequence or an array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Row {
    /// Name of it.
    pub name: String,
    /// Index and value of each cell.
    pub cells: Vec<(String, String)>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What it is, where several pictures show it in different states.
    pub key: String,
    /// Short lines inside it.
    pub lines: Vec<String>,
    /// Full text about it.
    pub tooltip: String,
    /// Look of the node.
    pub look: Look,
    /// `true` if the reader is here.
    pub here: bool,
    /// Form of its box.
    pub shape: Shape,
    /// Colours that a model asks for, in place of those of the look.
    pub paint: Option<Paint>,
}

/// Form of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Shape {
    /// A box with round corners.
    #[default]
    Box,
    /// An ellipse.
    Ellipse,
    /// A diamond.
    Diamond,
    /// No border.
    Text,
}

/// Colours that are the same in light and dark.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Paint {
    /// Of the inside, as `#rrggbb`.
    pub fill: Option<String>,
    /// Of the border or line, as `#rrggbb`.
    pub line: Option<String>,
    /// Of the text, as `#rrggbb`.
    pub text: Option<String>,
}

/// Number of colours for sets and relations.
pub const COLOURS: usize = 6;

/// Look of a node; the first one that applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Look {
    /// Paths begin here.
    Root,
    /// The node is wrong.
    Violated,
    /// The asked predicate is true there.
    Goal,
    /// No event is enabled.
    Deadlock,
    /// Not all edges that leave it are known.
    Open,
    /// Beside what the picture is about.
    Pale,
    /// A colour of sets, below [`COLOURS`].
    Colour(usize),
    /// None of these.
    #[default]
    Plain,
}

impl Look {
    /// Returns its class in SVG.
    pub fn class(self) -> &'static str {
        match self {
            Look::Root => "root",
            Look::Violated => "violated",
            Look::Goal => "goal",
            Look::Deadlock => "deadlock",
            Look::Open => "open",
            Look::Pale => "pale",
            Look::Colour(n) => ["c0", "c1", "c2", "c3", "c4", "c5"][n % COLOURS],
            Look::Plain => "plain",
        }
    }
}

/// An edge.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// The node that it leaves, by position.
    pub from: usize,
    /// The node that it leads to.
    pub to: usize,
    /// Short lines next to it.
    pub lines: Vec<String>,
    /// All labels.
    pub tooltip: String,
    /// `true` if it does not hold for every state of its source; it is drawn dashed.
    pub dashed: bool,
    /// Look of the line: [`Look::Plain`], [`Look::Pale`] or a colour.
    pub look: Look,
    /// `true` if it has no tip.
    pub undirected: bool,
    /// Colours that a model asks for.
    pub paint: Option<Paint>,
}

impl Row {
    /// Width of a cell, in pixels.
    pub fn cell_width((index, value): &(String, String)) -> f64 {
        index.chars().count().max(value.chars().count()).max(2) as f64 * LETTER + 12.0
    }

    /// Width and height, in pixels.
    pub fn size(&self) -> (f64, f64) {
        let name = self.name.chars().count() as f64 * LETTER + 12.0;
        (name + self.cells.iter().map(Row::cell_width).sum::<f64>(), 2.0 * LINE + 8.0)
    }
}

/// Height of a line, in pixels; letters are 12 pixels high.
pub const LINE: f64 = 15.0;
/// Width of a letter, in pixels.
pub const LETTER: f64 = 7.3;

/// Width and height of some lines, in pixels.
pub fn extent(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    (longest as f64 * LETTER, lines.len() as f64 * LINE)
}

impl Node {
    /// Width and height of its box, in pixels.
    pub fn size(&self) -> (f64, f64) {
        let (width, height) = extent(&self.lines);
        (width.max(20.0) + 16.0, height.max(LINE) + 10.0)
    }
}
