//! `export`.

use std::path::PathBuf;

use clap::Args;

use super::shared::*;
use super::verify::PropertyName;

/// `export`.
#[derive(Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("form").required(true).multiple(true).args(["aiger", "btor2", "horn"])))]
pub struct ExportArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Write a circuit in AIGER 1.9: NAME.aig in the binary form, NAME.aag as text; every set has a size
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub aiger: Option<PathBuf>,
    /// Write the same circuit in BTOR2
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub btor2: Option<PathBuf>,
    /// Write constrained Horn clauses in SMT-LIB, where all values are integers, truth values or elements of sets with a size
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub horn: Option<PathBuf>,
    /// Write the circuit with the invariant of this certificate among what must not be violated, in AIGER: a checker of circuits
    /// confirms the proof by one step of induction
    #[arg(long, value_name = "FILE", requires = "certificate", help_heading = "Output")]
    pub witness: Option<PathBuf>,
    /// The certificate of a proof of this machine, for --witness
    #[arg(long, value_name = "FILE", requires = "witness", help_heading = "Output")]
    pub certificate: Option<PathBuf>,
    /// What the file says is bad [default: inv,assertions; well-definedness and preconditions along the way]
    #[arg(
        long = "prop",
        value_name = "PROP",
        value_enum,
        value_delimiter = ',',
        help_heading = "What to check"
    )]
    pub properties: Vec<PropertyName>,
    /// Only this conjunct of the invariant: its label, `#0`, `#1`, … or its text (repeatable)
    #[arg(long, value_name = "LABEL", help_heading = "What to check")]
    pub conjunct: Vec<String>,
    /// Leave well-definedness out
    #[arg(long, help_heading = "What to check")]
    pub no_wd: bool,
    /// Least number of bits of integers that nothing bounds
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=62), help_heading = "Scope")]
    pub bits: u32,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}
