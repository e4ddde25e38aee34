//! Flags of several commands.

use std::path::PathBuf;
use std::time::Duration;

use bsym_encodings::encoding::Encoding;
use bsym_encodings::system::build::Representations;
use bsym_language::int::Int;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::values::{ScopeItem, Setting, duration, integer, memory, scope, setting};

/// How results are shown.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct OutputArguments {
    /// Print one JSON object: short for --format json
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Form of the result [default: text]
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        conflicts_with_all = ["json", "jsonl"],
        help_heading = "Output"
    )]
    pub format: Option<FormatName>,
    /// The file that the command is about, for results that do not name it
    #[arg(skip)]
    pub subject: Option<PathBuf>,
    /// The file and the machine of a project that the command is about, for a baseline
    #[arg(skip)]
    pub file: Option<PathBuf>,
    #[arg(skip)]
    pub component: Option<String>,
    /// The page that is written about the result
    #[arg(skip)]
    pub page: Option<PageArguments>,
    /// Print one JSON object per event as it happens, the result last
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub jsonl: bool,
    /// Do not print warnings about the machine
    #[arg(long, help_heading = "Output")]
    pub no_warnings: bool,
    /// Say what is being done (twice: more)
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// When to use colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub color: ColorChoice,
}

/// A page, and the machine whose states it draws.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct PageArguments {
    /// The page.
    pub path: PathBuf,
    /// The machine.
    pub file: PathBuf,
    /// The part of it that is read.
    pub component: ComponentArguments,
}

impl OutputArguments {
    /// The form of the result.
    pub fn form(&self) -> FormatName {
        if self.json { FormatName::Json } else { self.format.unwrap_or_default() }
    }

    /// Whether a program reads standard output: nothing else is said then.
    pub fn is_for_programs(&self) -> bool {
        self.jsonl || self.form() != FormatName::Text
    }
}

/// Several machines in one command.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct BatchArguments {
    /// More machines, folders of machines or patterns ('models/**/*.mch'): each machine has a process of its own, with limits of its own
    #[arg(value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// Every machine of a Rodin project or ProB package, not its last refinement alone
    #[arg(long, help_heading = "Several machines")]
    pub all: bool,
    /// Of several machines show only those that do not hold
    #[arg(short, long, help_heading = "Several machines")]
    pub quiet: bool,
}

/// The form of a result.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FormatName {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, which code scanning and editors read
    Sarif,
    /// The XML of JUnit, which build servers read: a suite for each file, a case for each property
    Junit,
    /// Annotations of GitHub
    Github,
    /// A line for each machine, with commas between the values
    Csv,
}

impl FormatName {
    /// Whether it is made of what is wrong, whatever the command: [`crate::report`].
    pub fn is_report(self) -> bool {
        matches!(self, FormatName::Sarif | FormatName::Junit | FormatName::Github | FormatName::Csv)
    }
}

/// When to use colour.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The scope of a run.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct ScopeArguments {
    /// Size of a deferred set, or `prob` for ProB's finite scope (repeatable)
    #[arg(long, value_name = "SET=SIZE|prob", value_delimiter = ',', value_parser = scope, help_heading = "Scope")]
    pub scope: Vec<ScopeItem>,
    /// Largest implementable integer
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer, help_heading = "Scope")]
    pub maxint: Option<Int>,
    /// Smallest implementable integer
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer, help_heading = "Scope")]
    pub minint: Option<Int>,
    /// Fix a constant (repeatable)
    #[arg(
        long,
        value_name = "CONSTANT=EXPR",
        allow_hyphen_values = true,
        value_parser = setting,
        help_heading = "Scope"
    )]
    pub set: Vec<Setting>,
    /// Sets whose sizes are settings of the project, for the machines that have them
    #[arg(skip)]
    pub sets_of_project: Vec<String>,
}

/// Limits of a run.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct LimitArguments {
    /// Stop after this time: 60s, 500ms, 2m, 1h, or plain seconds
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// Stop when the program uses more memory than this: 4G, 500M
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Limits")]
    pub memory: Option<u64>,
}

/// The solver of a run.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct SolverArguments {
    /// Solver to use: `z3`, `cvc5` or the path of a program that reads SMT-LIB; `sat` is short for `--encoding sat`
    #[arg(long = "solver", value_name = "NAME|PATH", help_heading = "Limits")]
    pub name: Option<String>,
}

/// How formulas reach a solver.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EncodingName {
    /// By what the types and the scope allow, and by the solvers that can be reached
    #[default]
    Auto,
    /// With integers without bounds and sets of any size
    Unbounded,
    /// As propositional logic over a finite scope (--scope); a proof is checked in another solver
    Sat,
}

impl EncodingName {
    /// The encoding that is asked for; `None` where bsym is to choose.
    pub fn asked(self) -> Option<Encoding> {
        match self {
            EncodingName::Auto => None,
            EncodingName::Unbounded => Some(Encoding::Unbounded),
            EncodingName::Sat => Some(Encoding::Sat),
        }
    }
}

/// Whether an answer may be one that was given before.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct CachingArguments {
    /// Ask anew even where the same answer was given before, and do not keep the answer
    #[arg(long, help_heading = "Limits")]
    pub no_cache: bool,
}

/// Whether the command is repeated.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct WatchArguments {
    /// Run again whenever the machine or a file that it depends on changes; Ctrl-C ends it
    #[arg(long, help_heading = "Project")]
    pub watch: bool,
}

/// Known findings.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct BaselineArguments {
    /// Fail only on findings that this file does not have, and look for all of them (as --keep-going)
    #[arg(long, value_name = "FILE", help_heading = "Project")]
    pub baseline: Option<PathBuf>,
    /// Write the findings into this file, for --baseline; those of other commands and machines stay
    #[arg(long, value_name = "FILE", help_heading = "Project")]
    pub write_baseline: Option<PathBuf>,
}

/// Which part of a package or project of Event-B.
#[derive(Serialize, Deserialize, Args, Clone, Debug, Default)]
pub struct ComponentArguments {
    /// The machine or context of a Rodin project or ProB package to read; without it, the last refinement
    #[arg(long = "machine", value_name = "NAME")]
    pub component: Option<String>,
    /// Look for machines and files of definitions of classical B in this folder as well, behind the folder of the file that
    /// names them (repeatable)
    #[arg(short = 'I', long = "include", value_name = "FOLDER", help_heading = "Project")]
    pub include: Vec<PathBuf>,
    /// Read no bsym.toml
    #[arg(long, help_heading = "Project")]
    pub no_project: bool,
}

/// Whether encodings believe the analysis of representations.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RepresentationsName {
    /// As the assignments allow
    #[default]
    Analysed,
    /// As the type says: for comparison, since most queries are harder
    General,
}

impl From<RepresentationsName> for Representations {
    fn from(name: RepresentationsName) -> Representations {
        match name {
            RepresentationsName::Analysed => Representations::Analysed,
            RepresentationsName::General => Representations::General,
        }
    }
}
