//! `graph`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::*;

/// `graph`.
#[derive(Args, Clone, Debug)]
pub struct GraphArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Write NAME.svg, NAME.html (moves and zooms), NAME.dot or NAME.json; without it, DOT goes to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Picture")]
    pub out: Option<PathBuf>,
    /// Draw one state: the first one found that satisfies PREDICATE; without it, an initial state
    #[arg(
        long,
        value_name = "PREDICATE",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["view", "query", "goal", "hide", "arguments", "minimise", "max_nodes"],
        help_heading = "Picture"
    )]
    pub state: Option<String>,
    /// Draw the last state of a trace that bsym wrote
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["view", "query", "goal", "hide", "arguments", "minimise", "max_nodes"],
        help_heading = "Picture"
    )]
    pub trace: Option<PathBuf>,
    /// Draw the state after this step of the trace; 0 is the initialisation
    #[arg(long, value_name = "N", help_heading = "Picture")]
    pub step: Option<usize>,
    /// Draw constants of any size in the picture of a state
    #[arg(long, help_heading = "Picture")]
    pub constants: bool,
    /// Draw a state by the types of its variables, even if the machine defines a CUSTOM_GRAPH
    #[arg(long, help_heading = "Picture")]
    pub by_type: bool,
    /// Write the SVG that the machine defines for its states by VISB_SVG_FILE, VISB_JSON_FILE or VISB_SVG_OBJECTS
    #[arg(long, conflicts_with = "by_type", help_heading = "Picture")]
    pub visb: bool,
    /// What to draw
    #[arg(long, value_enum, default_value = "states", value_name = "VIEW", help_heading = "Picture")]
    pub view: ViewName,
    /// Draw only the states that satisfy a predicate, and the edges among them
    #[arg(long = "where", value_name = "PREDICATE", help_heading = "Picture")]
    pub query: Option<String>,
    /// Mark the states that satisfy a predicate; --view paths draws the paths to them in place of those to violations
    #[arg(long, value_name = "PREDICATE", help_heading = "Picture")]
    pub goal: Option<String>,
    /// Leave out the edges of an operation (repeatable)
    #[arg(long, value_name = "OP", help_heading = "Picture")]
    pub hide: Vec<String>,
    /// Tell operations with different arguments apart in --view signature and dfa
    #[arg(long, help_heading = "Picture")]
    pub arguments: bool,
    /// Make the automaton of --view dfa as small as possible
    #[arg(long, help_heading = "Picture")]
    pub minimise: bool,
    /// Draw this many nodes at most
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Picture")]
    pub max_nodes: usize,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Visit this many states at most
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_valuations: Option<usize>,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Views of a state space.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewName {
    /// Every state, and every edge with its arguments
    States,
    /// One node for all states in which the same operations are enabled
    Signature,
    /// A deterministic automaton with the same traces
    Dfa,
    /// The paths to the first violation, or to the goal
    Paths,
}
