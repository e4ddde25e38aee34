//! `ltl` and `refine`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::shared::*;

/// `ltl`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct LtlArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// A formula to check in place of those of the machine (repeatable)
    #[arg(short = 'f', long = "formula", value_name = "FORMULA", help_heading = "What to check")]
    pub formulas: Vec<String>,
    /// A formula of branching time (CTL) to check in place of those of the machine (repeatable)
    #[arg(long = "ctl", value_name = "FORMULA", help_heading = "What to check")]
    pub branching: Vec<String>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Stop after this many states
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_valuations: Option<usize>,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub cache: CachingArguments,
    /// Write the first counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write a page about the result for a browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `refine`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct RefineArguments {
    /// The refinement or implementation: .ref, .imp
    pub file: PathBuf,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    #[command(flatten)]
    pub component: ComponentArguments,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Stop after this many states
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_valuations: Option<usize>,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub cache: CachingArguments,
    /// Write the counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write a page about the result for a browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}
