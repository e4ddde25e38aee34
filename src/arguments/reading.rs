//! `parse` and `eval`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::shared::*;

/// `parse`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct ParseArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Print the machine as it was understood
    #[arg(long)]
    pub print: bool,
    /// Print it with the type of every name
    #[arg(long)]
    pub types: bool,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `eval`.
#[derive(Args, Clone, Debug)]
pub struct EvalArguments {
    /// A machine, then expressions and predicates; without any, one is read from each line of standard input
    #[arg(value_name = "MACHINE|EXPR")]
    pub inputs: Vec<String>,
    /// Evaluate in the last state of this trace, instead of the first initial state
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub component: ComponentArguments,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}
