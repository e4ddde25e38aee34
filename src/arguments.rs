//! The command line: commands, flags, and the readers of their values.

use std::path::PathBuf;
use std::time::Duration;

use bsym_encodings::encoding::Encoding;
use bsym_encodings::system::build::Representations;
use bsym_language::int::Int;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Verifier for B machines: proofs with checkable invariants, or replayed counterexamples
#[derive(Parser, Debug)]
#[command(name = "bsym", disable_version_flag = true, after_help = AFTER_HELP, max_term_width = 110)]
pub struct Arguments {
    /// Print the version and the solvers that can be reached
    #[arg(short = 'V', long)]
    pub version: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "Exit codes: 0 holds (or the command did its work), 1 violated (or a certificate or trace that fails \
its check), 2 wrong usage or input, 3 unknown, vacuous or interrupted, 4 failure of bsym itself or a file that cannot be written.";

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide with all engines under one deadline
    Check(CheckArguments),
    /// Search for a violation step by step (bounded model checking)
    Bmc(VerifyArguments),
    /// Search for a violation along one sequence of events after the other (BMC*)
    Tree(VerifyArguments),
    /// Prove by k-induction, or find a violation
    Kind(VerifyArguments),
    /// Prove by an inductive invariant (IC3), or find a violation
    Ic3(VerifyArguments),
    /// Visit every reachable state (explicit-state model checking), by default in ProB's finite scope
    // Who tries it all the same is told which limits there are instead.
    #[command(
        mut_arg("depth", |depth| depth.hide(true)),
        mut_arg("encoding", |encoding| encoding.hide(true))
    )]
    Mc(McArguments),
    /// Find all reachable states as decision diagrams, by default in ProB's finite scope
    #[command(
        mut_arg("depth", |depth| depth.hide(true)),
        mut_arg("encoding", |encoding| encoding.hide(true)),
        mut_arg("certificate", |certificate| certificate.hide(true))
    )]
    Ldd(LddArguments),
    /// Check temporal formulas (LTL) on all paths, by default in ProB's finite scope
    #[command(
        long_about = "Check temporal formulas (LTL) on all paths, by default in ProB's finite scope\n\nThe formulas are those of the \
                      definitions ASSERT_LTL…, or of --formula, in ProB's syntax: {P}, e(op), [op], deadlock, sink, G F X U W R, the \
                      past Y O H S T, and `WF(op) & SF(op) => f`, `WEF => f`, `SEF => f` for fair paths. A path is infinite or ends in a \
                      state without an enabled event. Invariants are not looked at: mc checks them."
    )]
    Ltl(LtlArguments),
    /// Compare a refinement of classical B with its abstractions, by default in ProB's finite scope
    #[command(
        long_about = "Compare a refinement of classical B with its abstractions, by default in ProB's finite scope\n\nEvery step that \
                      an environment may make, one which keeps to the preconditions of the abstraction, must be matched by the \
                      abstraction: the same operation with the same arguments and results, to a state that the gluing invariant \
                      relates to the one reached. What the refinement may not do is to narrow a precondition; guards it may \
                      strengthen. Invariants of the refinement alone are not looked at, nor are refinements of Event-B: mc checks both."
    )]
    Refine(RefineArguments),
    /// Draw the state space or a smaller view of it, by default in ProB's finite scope
    #[command(
        long_about = "Draw the state space or a smaller view of it, by default in ProB's finite scope\n\nWith --view signature, \
                      arrows are solid where all states of a node are led to one and the same node; with --view dfa, where all \
                      states of a node can do it. Places are found by Graphviz's dot, if it is installed."
    )]
    Graph(GraphArguments),
    /// Take random steps from an initial state, by default in ProB's finite scope
    Simulate(SimulateArguments),
    /// Take the steps of a machine yourself: a session on the terminal, or lines from a pipe, by default in ProB's finite scope
    Animate(AnimateArguments),
    /// Check syntax and types only
    Parse(ParseArguments),
    /// Evaluate expressions and predicates
    Eval(EvalArguments),
    /// Prove the obligations of the invariant and write their status
    Po(PoArguments),
    /// Find auxiliary invariants that discharge open proof obligations
    Strengthen(StrengthenArguments),
    /// Count, explain and convert the proof status of Rodin, ProB or Atelier B
    Proofs(ProofsArguments),
    /// Repeat the checks of a certificate
    Certify(CertifyArguments),
    /// Replay a trace on a machine
    Replay(ReplayArguments),
    /// Explain a message by its code: what it means, an example, and its mended form
    Explain(ExplainArguments),
    /// Serve an editor (Language Server Protocol over standard input and output)
    Lsp(LspArguments),
    /// Write the completions of a shell to standard output
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page to standard output, or all pages to a folder
    #[command(hide = true)]
    Manual(ManualArguments),
}

/// Of `explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArguments {
    /// The code, such as B0203; without it, all codes are listed
    pub code: Option<String>,
}

/// Of `manual`.
#[derive(Args, Clone, Debug)]
pub struct ManualArguments {
    /// Page of this command
    pub command: Option<String>,
    /// Write every page to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub folder: Option<PathBuf>,
}

/// Of `lsp`.
#[derive(Args, Clone, Debug)]
pub struct LspArguments {
    /// Accepted and needless: there is no other way than standard input and output
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// How results are shown.
#[derive(Args, Clone, Debug, Default)]
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
    /// Print one JSON object per event as it happens, the result last
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub jsonl: bool,
    /// Say what is being done (twice: more)
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// When to use colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    pub color: ColorChoice,
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

/// The form of a result.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
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
}

impl FormatName {
    /// Whether it is made of what is wrong, whatever the command: [`crate::report`].
    pub fn is_report(self) -> bool {
        matches!(self, FormatName::Sarif | FormatName::Junit | FormatName::Github)
    }
}

/// When to use colour.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
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
#[derive(Args, Clone, Debug, Default)]
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
}

/// Limits of a run.
#[derive(Args, Clone, Debug, Default)]
pub struct LimitArguments {
    /// Stop after this time: 60s, 500ms, 2m, 1h, or plain seconds
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// Stop when the program uses more memory than this: 4G, 500M (Linux only)
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Limits")]
    pub memory: Option<u64>,
}

/// The solver of a run.
#[derive(Args, Clone, Debug, Default)]
pub struct SolverArguments {
    /// Solver to use: `z3`, `cvc5` or the path of a program that reads SMT-LIB; `sat` is short for `--encoding sat`
    #[arg(long = "solver", value_name = "NAME|PATH", help_heading = "Limits")]
    pub name: Option<String>,
}

/// How formulas reach a solver.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
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

/// Which part of a package or project of Event-B.
#[derive(Args, Clone, Debug, Default)]
pub struct ComponentArguments {
    /// The machine or context of a Rodin project or ProB package to read; without it, the last refinement
    #[arg(long = "machine", value_name = "NAME")]
    pub component: Option<String>,
}

/// Whether encodings believe the analysis of representations.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
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

/// `check`, `bmc`, `tree`, `kind`, `ic3`.
#[derive(Args, Clone, Debug)]
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
    #[arg(short = 'k', long, value_name = "N", help_heading = "Limits")]
    pub depth: Option<usize>,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Seed of whatever is random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub seed: u64,
    #[command(flatten)]
    pub solver: SolverArguments,
    /// How formulas reach the solver
    #[arg(long, value_enum, default_value_t, value_name = "ENCODING", help_heading = "Limits")]
    pub encoding: EncodingName,
    /// Write the counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write the certificate of a proof
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub verify: VerifyArguments,
    /// More machines, folders of machines or patterns ('models/**/*.mch'): each machine is checked in a process of its own, with limits of its own
    #[arg(value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// Check every machine of a Rodin project or ProB package, not its last refinement alone
    #[arg(long, help_heading = "Several machines")]
    pub all: bool,
    /// Machines that are checked at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads, help_heading = "Several machines")]
    pub jobs: Option<usize>,
    /// Of several machines show only those that do not hold
    #[arg(short, long, help_heading = "Several machines")]
    pub quiet: bool,
}

/// `mc`.
#[derive(Args, Clone, Debug)]
pub struct McArguments {
    #[command(flatten)]
    pub verify: VerifyArguments,
    /// Which state is expanded next
    #[arg(long, value_enum, default_value = "breadth-first", value_name = "ORDER", help_heading = "Search")]
    pub order: OrderName,
    /// Stop after this many states
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_states: Option<usize>,
    /// Look at this many valuations of the constants at most
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub max_valuations: Option<usize>,
    /// Threads of a breadth-first search; the answer is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads, help_heading = "Search")]
    pub threads: usize,
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
    /// Work for another process: end when standard input does
    #[arg(long, hide = true)]
    pub worker: bool,
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

/// `ltl`.
#[derive(Args, Clone, Debug)]
pub struct LtlArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, .buc, a Rodin project (folder or .zip)
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// A formula to check in place of those of the machine (repeatable)
    #[arg(short = 'f', long = "formula", value_name = "FORMULA", help_heading = "What to check")]
    pub formulas: Vec<String>,
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
    /// Write the first counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `refine`.
#[derive(Args, Clone, Debug)]
pub struct RefineArguments {
    /// The refinement or implementation: .ref, .imp
    pub file: PathBuf,
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
    /// Write the counterexample: NAME.itf.json (ITF), NAME.json (ours), NAME.prob2trace (ProB)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

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

/// Orders of a search.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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

/// `parse`.
#[derive(Args, Clone, Debug)]
pub struct ParseArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Print the machine as it was understood
    #[arg(long)]
    pub print: bool,
    /// Print it with the type of every name
    #[arg(long)]
    pub types: bool,
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

/// `po`.
#[derive(Args, Clone, Debug)]
pub struct PoArguments {
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    /// Write the status of every obligation
    #[arg(short, long, value_name = "FILE")]
    pub output_file: Option<PathBuf>,
    /// Longest time for one obligation; all are tried for a shorter time first
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = "Limits")]
    pub each: Duration,
    /// Show the state and step that refute each open obligation, or this one, and whether they are reachable
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    /// Write the open obligations as SMT-LIB into this folder
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub solver: SolverArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `strengthen`.
#[derive(Args, Clone, Debug)]
pub struct StrengthenArguments {
    /// The machine: .mch, .ref, .imp, .sys, .eventb, .bum, a Rodin project (folder or .zip)
    pub file: PathBuf,
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
    /// The trace, as bsym wrote it
    pub trace: PathBuf,
    /// The machine
    pub file: PathBuf,
    #[command(flatten)]
    pub component: ComponentArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// One value of `--scope`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScopeItem {
    /// ProB's finite scope.
    Prob,
    /// Size of a deferred set.
    Size(String, usize),
}

/// One value of `--set`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The constant.
    pub name: String,
    /// A B expression.
    pub value: String,
}

fn scope(text: &str) -> Result<ScopeItem, String> {
    if text == "prob" {
        return Ok(ScopeItem::Prob);
    }
    let form = "expected `SET=SIZE` or `prob`, for example `--scope S=3`";
    let (name, size) = text.split_once('=').ok_or(form)?;
    let (name, size) = (name.trim(), size.trim());
    if name.is_empty() {
        return Err(form.into());
    }
    let size = size.parse().map_err(|_| format!("the size `{size}` is no natural number; {form}"))?;
    Ok(ScopeItem::Size(name.into(), size))
}

fn integer(text: &str) -> Result<Int, String> {
    text.trim().parse().map_err(|_| "expected an integer".into())
}

fn setting(text: &str) -> Result<Setting, String> {
    let form = "expected `CONSTANT=EXPR`, for example `--set c=127`";
    let (name, value) = text.split_once('=').ok_or(form)?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(form.into());
    }
    Ok(Setting { name: name.into(), value: value.into() })
}

/// A time as `500ms`, `60s`, `2m`, `1h` or plain seconds; not zero.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as `60s`, `500ms`, `2m` or `1h`".into()),
    };
    let number: f64 =
        number.trim().parse().map_err(|_| "expected a time such as `60s`, `500ms`, `2m` or `1h`")?;
    if number == 0.0 {
        return Err(
            "a time limit of zero leaves no time for an answer; leave the flag out for no limit".into()
        );
    }
    // A year stands for no limit: adding more to an instant could overflow.
    let seconds = number * factor;
    if !(0.001..=31_536_000.0).contains(&seconds) {
        return Err("a time limit is between 1ms and 8760h".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A number of threads.
fn threads(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|n| (1..=64).contains(n));
    number.ok_or_else(|| "expected a number from 1 to 64".into())
}

/// A number of bytes as `4G`, `500M`, `64K` or plain bytes; not zero.
fn memory(text: &str) -> Result<u64, String> {
    let form = "expected a size such as `4G` or `500M`";
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(form.into()),
    };
    let number: f64 = number.trim().parse().map_err(|_| form)?;
    let bytes = number * factor as f64;
    if !bytes.is_finite() || bytes < 1.0 {
        return Err(format!("a memory limit is above zero; {form}"));
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn times() {
        let check = |text: &str, ms: u64| assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        check("60s", 60_000);
        check("500ms", 500);
        check("2m", 120_000);
        check("1.5", 1_500);
        check("1h", 3_600_000);
        for text in ["0", "0s", "-1s", "s", "", "5y", "nan", "inf", "1e300h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration("0s").unwrap_err().contains("zero"));
    }

    #[test]
    fn sizes_of_memory() {
        assert_eq!(memory("4G"), Ok(4 << 30));
        assert_eq!(memory("500M"), Ok(500 << 20));
        assert_eq!(memory("1.5 KiB"), Ok(1536));
        for text in ["", "0", "-4G", "G", "4X"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn scopes_and_settings() {
        assert_eq!(scope("prob"), Ok(ScopeItem::Prob));
        assert_eq!(scope("S=3"), Ok(ScopeItem::Size("S".into(), 3)));
        for text in ["S", "S=x", "=3", "S=-1", ""] {
            assert!(scope(text).is_err(), "{text}");
        }
        assert_eq!(setting("c = -1"), Ok(Setting { name: "c".into(), value: "-1".into() }));
        assert_eq!(setting("f={1|->2}"), Ok(Setting { name: "f".into(), value: "{1|->2}".into() }));
        for text in ["c", "c=", "=1"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }

    #[test]
    fn negative_bounds_parse() {
        let arguments = ["bsym", "ic3", "m.mch", "--minint", "-1", "--maxint=3", "--set", "c=-2"];
        let Some(Command::Ic3(ic3)) = Arguments::try_parse_from(arguments).unwrap().command else {
            panic!("not ic3")
        };
        assert_eq!(ic3.scope.minint, Some(Int::from(-1)));
        assert_eq!(ic3.scope.maxint, Some(Int::from(3)));
    }
}
