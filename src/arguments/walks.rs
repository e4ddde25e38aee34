//! `simulate` and `animate`.

use std::path::PathBuf;

use clap::Args;

use super::shared::*;

/// `simulate`.
#[derive(Args, Clone, Debug)]
pub struct SimulateArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Largest number of events
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Walk")]
    pub steps: usize,
    /// Seed of the die: the same seed gives the same walk
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Walk")]
    pub seed: u64,
    /// Do not check well-definedness
    #[arg(long, help_heading = "Walk")]
    pub no_wd: bool,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// Write the trace: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `animate`.
#[derive(Args, Clone, Debug)]
pub struct AnimateArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Begin with a trace: NAME.json (ours), NAME.itf.json (ITF), NAME.prob2trace (ProB), replayed as far as it goes
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub load: Option<PathBuf>,
    /// Seed of the random steps
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Session")]
    pub seed: u64,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}
