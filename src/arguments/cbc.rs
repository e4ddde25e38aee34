//! `cbc`.

use std::path::PathBuf;

use clap::Args;

use super::shared::*;

/// `cbc`.
#[derive(Args, Clone, Debug)]
pub struct CbcArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// A state that satisfies the invariant, in which no event is enabled; with a predicate, one that satisfies it as well
    #[arg(
        long,
        value_name = "PRED",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = "What to look for"
    )]
    pub deadlock: Option<String>,
    /// A state that satisfies the invariant and not an assertion
    #[arg(long, help_heading = "What to look for")]
    pub assertions: bool,
    /// A step of an event from a state that satisfies the invariant to one that does not; of these events, or of all
    #[arg(
        long,
        value_name = "EVENT,…",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = "What to look for"
    )]
    pub invariant: Option<String>,
    /// A run of these events, from an initial state
    #[arg(long, value_name = "EVENT;…", help_heading = "What to look for")]
    pub sequence: Option<String>,
    /// The run begins in any state that satisfies the invariant
    #[arg(long, requires = "sequence", help_heading = "What to look for")]
    pub from_any_state: bool,
    /// The run ends in a state that satisfies this predicate
    #[arg(long, value_name = "PRED", requires = "sequence", help_heading = "What to look for")]
    pub end: Option<String>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// How formulas reach the solver
    #[arg(long, value_enum, default_value_t, value_name = "ENCODING", help_heading = "Limits")]
    pub encoding: EncodingName,
    /// Write the first state or run that is found: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}
