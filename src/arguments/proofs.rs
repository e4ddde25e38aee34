//! `po`, `strengthen`, `proofs`, `certify` and `replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::shared::*;
use super::values::*;

/// `po`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct PoArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Write the status of every obligation
    #[arg(short, long, value_name = "FILE")]
    pub output_file: Option<PathBuf>,
    /// Longest time for one obligation; all are tried for a shorter time first
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = "Limits")]
    pub each: Duration,
    /// Obligations that are proved at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads, help_heading = "Limits")]
    pub jobs: Option<usize>,
    /// Show the state and step that refute each open obligation, or this one, and whether they are reachable
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    /// Look for a trace to each state that refutes one of the obligations that the proof status leaves open
    #[arg(long, conflicts_with_all = ["explain", "no_proofs"], help_heading = "Proof status")]
    pub open: bool,
    /// The proof status, whose proved obligations are not tried: a po.json, a Rodin project, a ProB package; Rodin projects
    /// and packages bring their own
    #[arg(long, value_name = "FILE", help_heading = "Proof status")]
    pub proofs: Option<PathBuf>,
    /// Use no proof status: try every obligation. So does -o, which writes the status of every obligation
    #[arg(long, conflicts_with_all = ["proofs", "trust_reviewed"], help_heading = "Proof status")]
    pub no_proofs: bool,
    /// Count obligations that were only reviewed as proven
    #[arg(long, help_heading = "Proof status")]
    pub trust_reviewed: bool,
    /// Write the open obligations as SMT-LIB into this folder, with sets as arrays and, `…-first-order-N`, as predicates
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub cache: CachingArguments,
    /// Write a page about the result for a browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `strengthen`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct StrengthenArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Write the conjuncts as a patch of the machine's text (.mch, .ref, .imp, .sys)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub patch: Option<PathBuf>,
    /// Leave out this conjunct of the invariant, as if it were not written: its label, `#0`, `#1`, … or its text
    /// (repeatable); no proof status is used then
    #[arg(long, value_name = "LABEL", help_heading = "What to prove")]
    pub without: Vec<String>,
    /// Obligations that are discharged elsewhere: a po.json, a Rodin project, a ProB package, a .pog or .pos of
    /// Atelier B; Rodin projects and packages bring their own
    #[arg(long, value_name = "FILE", help_heading = "Proof status")]
    pub proofs: Option<PathBuf>,
    /// Use no proof status
    #[arg(long, conflicts_with_all = ["proofs", "trust_reviewed"], help_heading = "Proof status")]
    pub no_proofs: bool,
    /// Count obligations that were only reviewed as proven
    #[arg(long, help_heading = "Proof status")]
    pub trust_reviewed: bool,
    /// Longest time for one obligation
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s", help_heading = "Limits")]
    pub each: Duration,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `proofs`.
#[derive(Args, Clone, Debug)]
pub struct ProofsArguments {
    /// A Rodin project (folder, .zip, or a file of it), a ProB package (.eventb), a .pog, .pos or .pmi of
    /// Atelier B, or a po.json
    pub file: PathBuf,
    /// Write the status as po.json
    #[arg(short, long, value_name = "FILE")]
    pub output_file: Option<PathBuf>,
    /// Count the pairs of this machine of the project, or in this file; without it, those of the machine
    /// in the input
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// Look for machines and files of definitions of classical B in this folder as well, behind the folder of the file that
    /// names them (repeatable)
    #[arg(short = 'I', long = "include", value_name = "FOLDER", help_heading = "Project")]
    pub include: Vec<PathBuf>,
    /// Read no bsym.toml
    #[arg(long, help_heading = "Project")]
    pub no_project: bool,
    /// Count obligations that were only reviewed as proven
    #[arg(long)]
    pub trust_reviewed: bool,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `certify`.
#[derive(Args, Clone, Debug)]
pub struct CertifyArguments {
    /// The certificate
    pub certificate: PathBuf,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// Accept no imported status
    #[arg(long)]
    pub recheck_proofs: bool,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArguments {
    /// The trace: NAME.json (ours), NAME.itf.json (ITF), NAME.prob2trace (ProB)
    pub trace: PathBuf,
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Of ITF and ProB's traces, which do not say it
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}
