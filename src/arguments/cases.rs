//! `tests`.

use std::path::PathBuf;

use clap::Args;

use super::shared::*;

/// `tests`.
#[derive(Args, Clone, Debug)]
pub struct TestsArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Cover these operations [default: all]
    #[arg(long, value_name = "OP,…", value_delimiter = ',', help_heading = "What to cover")]
    pub operations: Vec<String>,
    /// Cover the conditions of their guards as well, each where it decides alone with both truth values (MC/DC), down to
    /// this many operators inside of a conjunct [default: 1]
    #[arg(
        long,
        value_name = "DEPTH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        help_heading = "What to cover"
    )]
    pub mcdc: Option<usize>,
    /// Each test ends in a state that satisfies this predicate
    #[arg(long, value_name = "PRED", help_heading = "What to cover")]
    pub end: Option<String>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// Largest number of events in a test
    #[arg(short = 'k', long, value_name = "N", help_heading = "Limits")]
    pub depth: Option<usize>,
    /// Stop the search after this many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_valuations: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// Write each test to this folder: test1.json (ours), test1.itf.json (ITF), test1.prob2trace (ProB)
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}
