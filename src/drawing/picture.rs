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
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Short lines inside it.
    pub lines: Vec<String>,
    /// Full text about it.
    pub tooltip: String,
    /// Look of the node.
    pub look: Look,
}

/// Look of a node; the first one that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
