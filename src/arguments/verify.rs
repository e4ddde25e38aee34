//! `check`, the engines, `mc` and `ldd`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::shared::*;
use super::values::*;

/// `check`, `bmc`, `tree`, `kind`, `ic3`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct VerifyArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// What to check [default: inv,assertions; well-definedness and preconditions along the way]
    #[arg(
        long = "prop",
        value_name = "PROP",
        value_enum,
        value_delimiter = ',',
        help_heading = "What to check"
    )]
    pub properties: Vec<PropertyName>,
    /// Check only this conjunct of the invariant: its label, `#0`, `#1`, … or its text (repeatable)
    #[arg(long, value_name = "LABEL", help_heading = "What to check")]
    pub conjunct: Vec<String>,
    /// Do not check well-definedness
    #[arg(long, help_heading = "What to check")]
    pub no_wd: bool,
    /// Go on after the first violation with the other properties
    #[arg(long, help_heading = "What to check")]
    pub keep_going: bool,
    /// How the solver's queries represent values: as the assignments allow, or all by their type
    #[arg(long, value_enum, default_value_t, hide = true, help_heading = "Limits")]
    pub representations: RepresentationsName,
    /// The only domain of IC3 that takes part, and no strongest clauses: to compare domains
    #[arg(long, value_enum, value_name = "DOMAIN", hide = true, help_heading = "Limits")]
    pub domain: Option<DomainName>,
    /// Proof status to use: a po.json, a Rodin project, a ProB package, a .pog or .pos of Atelier B, or
    /// `auto` to compute it first; Rodin projects and packages bring their own
    #[arg(long, value_name = "FILE|auto", help_heading = "Proof status")]
    pub proofs: Option<PathBuf>,
    /// Use no proof status
    #[arg(long, conflicts_with_all = ["proofs", "recheck_proofs", "accept_trusted", "trust_reviewed"], help_heading = "Proof status")]
    pub no_proofs: bool,
    /// Rely on no imported status that the solver cannot confirm
    #[arg(long, help_heading = "Proof status")]
    pub recheck_proofs: bool,
    /// Say `holds` where the proof rests on imported status that the solver cannot confirm
    #[arg(long, conflicts_with = "recheck_proofs", help_heading = "Proof status")]
    pub accept_trusted: bool,
    /// Count obligations that were only reviewed as proven
    #[arg(long, help_heading = "Proof status")]
    pub trust_reviewed: bool,
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// Largest number of events in a trace
    #[arg(short = 'k', long, value_name = "N", value_parser = count, allow_hyphen_values = true, help_heading = "Limits")]
    pub depth: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Seed of whatever is random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub seed: u64,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub cache: CachingArguments,
    /// How formulas reach the solver
    #[arg(long, value_enum, default_value_t, value_name = "ENCODING", help_heading = "Limits")]
    pub encoding: EncodingName,
    /// Write the counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write the certificate of a proof
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub certificate: Option<PathBuf>,
    /// Write a page about the result for a browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Number of engines, and of searches of one engine, that work at the same time. No flag of its own: `check` has it
    /// from `--jobs`.
    #[arg(skip = 1usize)]
    pub threads: usize,
    /// Times of engines are counted in steps of solvers, so that each run is the same.
    #[arg(skip)]
    pub is_counted: bool,
}

/// `check`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub verify: VerifyArguments,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    /// Engines, or of several machines the machines, that work at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads, help_heading = "Limits")]
    pub jobs: Option<usize>,
    /// Ask this engine alone
    #[arg(long, value_enum, value_name = "ENGINE", help_heading = "What to check")]
    pub engine: Option<EngineName>,
}

/// `mc`.
#[derive(Serialize, Deserialize, Args, Clone, Debug)]
pub struct McArguments {
    #[command(flatten)]
    pub verify: VerifyArguments,
    #[command(flatten)]
    pub batch: BatchArguments,
    #[command(flatten)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    pub watch: WatchArguments,
    /// Which state is expanded next
    #[arg(long, value_enum, default_value = "breadth-first", value_name = "ORDER", help_heading = "Search")]
    pub order: OrderName,
    /// Stop after this many states
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true, help_heading = "Search")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true, help_heading = "Search")]
    pub max_valuations: Option<usize>,
    /// Threads of a breadth-first search; the answer is the same [default: one for each core, once the search is large enough]
    #[arg(long, value_name = "N", value_parser = threads, help_heading = "Search")]
    pub threads: Option<usize>,
    /// Of states that differ in the roles of interchangeable elements only, visit one; how it is chosen
    #[arg(long, value_enum, default_value = "off", value_name = "METHOD", help_heading = "Search")]
    pub symmetry: SymmetryName,
    /// Of the events that are enabled in a state take only those that are enough (partial order reduction): the
    /// others can wait without a violation, a goal or a deadlock being lost
    #[arg(long, help_heading = "Search")]
    pub por: bool,
    /// Count what is visited: how often each event is taken, which conjunct keeps an event off that is never enabled, the values of
    /// the variables, the depths
    #[arg(long, help_heading = "Search")]
    pub coverage: bool,
    /// Put the search aside in this file every two minutes, and when a limit or Ctrl-C ends it
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    pub checkpoint: Option<PathBuf>,
    /// Continue the search that was put aside in this file, by the same version with the same machine,
    /// scope and properties
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    pub resume: Option<PathBuf>,
}

impl McArguments {
    /// A search without further wishes.
    pub fn new(verify: VerifyArguments) -> McArguments {
        McArguments {
            verify,
            batch: BatchArguments::default(),
            baseline: BaselineArguments::default(),
            watch: WatchArguments::default(),
            order: OrderName::BreadthFirst,
            max_states: None,
            max_valuations: None,
            threads: Some(1),
            symmetry: SymmetryName::Off,
            por: false,
            coverage: false,
            checkpoint: None,
            resume: None,
        }
    }
}

/// `ldd`.
#[derive(Args, Clone, Debug)]
pub struct LddArguments {
    #[command(flatten)]
    pub verify: VerifyArguments,
    /// Which events are applied to which states next
    #[arg(long, value_enum, default_value = "chaining", value_name = "STRATEGY", help_heading = "Search")]
    pub strategy: StrategyName,
    /// Variables that come first in the diagrams, in this order; the others in one that is computed
    #[arg(long, value_name = "VARIABLE", value_delimiter = ',', help_heading = "Search")]
    pub order: Vec<String>,
}

/// Strategies of a search by decision diagrams.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrategyName {
    /// All events to the states that were new in the last round: shortest traces
    #[value(alias = "bf")]
    BreadthFirst,
    /// Each event also to the states that those before it have led to in the same round
    Chaining,
    /// Events of the lowest levels until nothing is new, before those above them
    Saturation,
}

/// Domains of IC3.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DomainName {
    /// Truth values of predicates
    Predicates,
    /// What is true of the elements of sets of any size
    Diagrams,
    /// Bits of states of settled sizes, with their orbits
    Bits,
}

/// Engines that `check` can ask.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineName {
    /// All of them under one deadline
    Check,
    /// Bounded model checking
    Bmc,
    /// BMC*: one sequence of events after the other
    Tree,
    /// k-induction
    Kind,
    /// IC3
    Ic3,
    /// The explicit-state search
    Mc,
}

/// Orders of a search.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderName {
    /// Oldest first: shortest traces
    #[value(alias = "bf")]
    BreadthFirst,
    /// Newest first
    #[value(alias = "df")]
    DepthFirst,
    /// Oldest or newest, by the toss of a seeded coin
    Mixed,
    /// Any, by the throw of a seeded die
    Random,
}

/// Ways to choose one of symmetric states.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryName {
    /// Visit all of them
    Off,
    /// The least one, by partition refinement
    Canonical,
    /// The least one, by looking at all permutations
    Flood,
    /// The first with its symmetry marker: quick, and may miss states where elements stand beside each other
    Markers,
    /// The first one, by labels where markers are the same
    #[value(name = "canonical+markers")]
    CanonicalMarkers,
    /// Nearly always the same one, by partition refinement with any choice between what is left
    Representatives,
}

/// What can be checked.
#[derive(Serialize, Deserialize, ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PropertyName {
    /// Every conjunct of the invariant
    #[value(alias = "invariant")]
    Inv,
    /// Some event is always enabled
    #[value(alias = "deadlock-freedom")]
    Deadlock,
    /// Every assertion
    #[value(alias = "assertion")]
    Assertions,
    /// The definition GOAL is never reached
    Goal,
}
