//! What is drawn, before it has places.

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// One line.
    pub title: String,
    /// What the picture leaves out, in sentences.
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
    /// All about it.
    pub tooltip: String,
    /// How it looks.
    pub look: Look,
}

/// How a node looks; the first that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Look {
    /// Where paths begin.
    Root,
    /// Something is wrong there.
    Violated,
    /// The asked predicate is true there.
    Goal,
    /// No event is enabled.
    Deadlock,
    /// What leaves it is not all known.
    Open,
    /// None of these.
    #[default]
    Plain,
}

impl Look {
    /// Its class in SVG.
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
    /// Short lines beside it.
    pub lines: Vec<String>,
    /// All labels.
    pub tooltip: String,
    /// Dashed where it is not so for every state of its source.
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
