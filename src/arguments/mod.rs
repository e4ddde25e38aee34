//! The command line: commands, flags, and the readers of their values.

mod cases;
mod cbc;
mod comparisons;
mod examples;
mod export;
mod graph;
mod proofs;
mod reading;
mod shared;
mod values;
mod verify;
mod walks;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

pub use cases::*;
pub use cbc::*;
pub use comparisons::*;
pub use examples::command_line;
pub use export::*;
pub use graph::*;
pub use proofs::*;
pub use reading::*;
pub use shared::*;
pub use values::*;
pub use verify::*;
pub use walks::*;

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
#[derive(Serialize, Deserialize, Subcommand, Clone, Debug)]
pub enum Command {
    /// Verify a model: run all engines in parallel, the first answer wins
    Check(CheckArguments),
    /// Search for a violation step by step (bounded model checking)
    Bmc(VerifyArguments),
    /// Search for a violation per sequence of events (bounded model checking per event sequence, BMC*)
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
    #[serde(skip)]
    Ldd(LddArguments),
    /// Check temporal formulas (LTL, CTL) on all paths, by default in ProB's finite scope
    #[command(
        mut_arg("format", with_table),
        long_about = "Check temporal formulas (LTL, CTL) on all paths, by default in ProB's finite scope\n\nThe formulas are those of the \
                      definitions ASSERT_LTL…, or of --formula, in ProB's syntax: {P}, e(op), [op], deadlock, sink, G F X U W R, the \
                      past Y O H S T, and `WF(op) & SF(op) => f`, `WEF => f`, `SEF => f` for fair paths. A path is infinite or ends in a \
                      state without an enabled event. Formulas of branching time are those of the definitions ASSERT_CTL…, or of --ctl: EX EF EG AX \
                      AF AG, E f U g, A f U g, EX [op] f. Invariants are not looked at: mc checks them."
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
        mut_arg("format", without_reports),
        long_about = "Draw the state space or a smaller view of it, by default in ProB's finite scope\n\nWith --view signature, \
                      arrows are solid where all states of a node are led to one and the same node; with --view dfa, where all \
                      states of a node can do it. Places are found by Graphviz's dot, if it is installed."
    )]
    #[serde(skip)]
    Graph(GraphArguments),
    /// Take random steps from an initial state, by default in ProB's finite scope
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Simulate(SimulateArguments),
    /// Take the steps of a machine yourself: a session on the terminal, or lines from a pipe, by default in ProB's finite scope
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Animate(AnimateArguments),
    /// Check syntax and types only
    Parse(ParseArguments),
    /// Evaluate expressions and predicates
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Eval(EvalArguments),
    /// Ask a solver for a state or a short run, reachable or not: a deadlock, a false assertion, a broken invariant, a sequence
    #[command(
        mut_arg("format", without_reports),
        long_about = "Ask a solver for a state or a short run, reachable or not: a deadlock, a false assertion, a broken invariant, a \
                      sequence\n\nStates need only satisfy the invariant (constraint-based checking). What is found was replayed; that \
                      there is nothing is said by two sessions of the solver. Without a flag, all but --sequence are looked for. Exit \
                      code: 0 if nothing is found and the sequence is possible, 1 if something is found or the sequence is \
                      impossible, 3 if something stays open."
    )]
    #[serde(skip)]
    Cbc(CbcArguments),
    /// Make short traces that cover the operations and the conditions of their guards, by default in ProB's finite scope
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Tests(TestsArguments),
    /// Prove the obligations of the invariant and write their status
    #[command(mut_arg("format", with_table))]
    Po(PoArguments),
    /// Find auxiliary invariants that discharge open proof obligations
    #[command(mut_arg("format", with_table))]
    Strengthen(StrengthenArguments),
    /// Count, explain and convert the proof status of Rodin, ProB or Atelier B
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Proofs(ProofsArguments),
    /// Repeat the checks of a certificate
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Certify(CertifyArguments),
    /// Write the machine for other model checkers: AIGER and BTOR2 in a finite scope, or Horn clauses
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Export(ExportArguments),
    /// Replay a trace on a machine
    #[command(mut_arg("format", without_reports))]
    #[serde(skip)]
    Replay(ReplayArguments),
    /// Say where answers are kept and how large they are, or remove them
    #[serde(skip)]
    Cache(CacheArguments),
    /// Explain a message by its code: what it means, an example, and a corrected example
    #[serde(skip)]
    Explain(ExplainArguments),
    /// Serve an editor (Language Server Protocol over standard input and output)
    #[serde(skip)]
    Lsp(LspArguments),
    /// Work for another process of this program, which says on standard input what to do
    #[command(hide = true)]
    #[serde(skip)]
    Worker(WorkerArguments),
    /// Write the completions of a shell to standard output
    #[serde(skip)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page to standard output, or all pages to a folder
    #[serde(skip)]
    Manual(ManualArguments),
}

/// Offers the forms of results of commands that find no faults of a file.
fn without_reports(format: clap::Arg) -> clap::Arg {
    only(format, |form| !form.is_report())
}

/// Offers these forms and the table of several machines.
fn with_table(format: clap::Arg) -> clap::Arg {
    only(format, |form| !form.is_report() || form == FormatName::Csv)
}

fn only(format: clap::Arg, is_offered: impl Fn(FormatName) -> bool) -> clap::Arg {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let forms = FormatName::value_variants().iter().filter(|form| is_offered(**form));
    let words = PossibleValuesParser::new(forms.filter_map(|form| form.to_possible_value()));
    format.value_parser(words.try_map(|word| FormatName::from_str(&word, false)))
}

/// The arguments of a command that takes several machines.
pub struct Batch<'a> {
    /// The file that is named first.
    pub file: &'a Path,
    /// The others.
    pub batch: &'a BatchArguments,
    /// Number of machines that are looked at side by side, where the command line says it.
    pub jobs: Option<usize>,
    /// How the results are shown.
    pub output: &'a OutputArguments,
    /// The machine of a project that is asked for by name.
    pub component: Option<&'a String>,
    /// Flags that are given and name one file.
    pub flags_of_one: Vec<&'static str>,
}

impl Command {
    /// Returns the name of a command that takes several machines.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Check(_) => "check",
            Command::Mc(_) => "mc",
            Command::Parse(_) => "parse",
            Command::Ltl(_) => "ltl",
            Command::Refine(_) => "refine",
            Command::Po(_) => "po",
            Command::Strengthen(_) => "strengthen",
            _ => "command",
        }
    }

    /// Returns the baseline that is named, where the command takes one.
    pub fn baseline(&self) -> Option<&BaselineArguments> {
        match self {
            Command::Check(a) => Some(&a.baseline),
            Command::Mc(a) => Some(&a.baseline),
            Command::Ltl(a) => Some(&a.baseline),
            Command::Refine(a) => Some(&a.baseline),
            Command::Po(a) => Some(&a.baseline),
            _ => None,
        }
    }

    /// Returns the part of a project or package, and the folders, that the command takes its machine from.
    pub fn arguments_of_component(&self) -> Option<&ComponentArguments> {
        Some(match self {
            Command::Check(a) => &a.verify.component,
            Command::Mc(a) => &a.verify.component,
            Command::Ltl(a) => &a.component,
            Command::Refine(a) => &a.component,
            Command::Po(a) => &a.component,
            Command::Parse(a) => &a.component,
            Command::Strengthen(a) => &a.component,
            _ => return None,
        })
    }

    /// Returns the file of a proof status that is named.
    pub fn proofs(&self) -> Option<&Path> {
        let named = match self {
            Command::Check(a) => a.verify.proofs.as_deref(),
            Command::Mc(a) => a.verify.proofs.as_deref(),
            Command::Po(a) => a.proofs.as_deref(),
            _ => None,
        };
        named.filter(|path| *path != Path::new("auto"))
    }

    /// Returns whether the command is to be repeated.
    pub fn watches(&self) -> bool {
        match self {
            Command::Check(a) => a.watch.watch,
            Command::Mc(a) => a.watch.watch,
            Command::Ltl(a) => a.watch.watch,
            Command::Refine(a) => a.watch.watch,
            Command::Po(a) => a.watch.watch,
            Command::Parse(a) => a.watch.watch,
            _ => false,
        }
    }

    /// A known violation hides no other one.
    pub fn keep_going_for_baseline(&mut self) {
        if self.baseline().is_some_and(|b| b.baseline.is_some() || b.write_baseline.is_some()) {
            match self {
                Command::Check(a) => a.verify.keep_going = true,
                Command::Mc(a) => a.verify.keep_going = true,
                _ => {}
            }
        }
    }

    /// Returns the machines that are named, where the command takes several.
    pub fn batch(&self) -> Option<Batch<'_>> {
        let given = |flags: &[(&'static str, bool)]| -> Vec<&'static str> {
            flags.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| *flag).collect()
        };
        let of_run = |a: &VerifyArguments| {
            let names_status = a.proofs.as_ref().is_some_and(|path| path != Path::new("auto"));
            given(&[
                ("--trace", a.trace.is_some()),
                ("--certificate", a.certificate.is_some()),
                ("--machine", a.component.component.is_some()),
                ("--proofs", names_status),
            ])
        };
        macro_rules! batch {
            ($a:expr, $jobs:expr, $flags:expr) => {
                Batch {
                    file: &$a.file,
                    batch: &$a.batch,
                    jobs: $jobs,
                    output: &$a.output,
                    component: $a.component.component.as_ref(),
                    flags_of_one: [given(&$flags), given(&[("--machine", $a.component.component.is_some())])]
                        .concat(),
                }
            };
        }
        Some(match self {
            Command::Check(CheckArguments { verify, batch, jobs, .. }) => Batch {
                file: &verify.file,
                batch,
                jobs: *jobs,
                output: &verify.output,
                component: verify.component.component.as_ref(),
                flags_of_one: of_run(verify),
            },
            Command::Mc(McArguments { verify, batch, checkpoint, resume, .. }) => {
                let own = given(&[("--checkpoint", checkpoint.is_some()), ("--resume", resume.is_some())]);
                Batch {
                    file: &verify.file,
                    batch,
                    jobs: None,
                    output: &verify.output,
                    component: verify.component.component.as_ref(),
                    flags_of_one: [of_run(verify), own].concat(),
                }
            }
            Command::Parse(a) => batch!(a, None, [("--print", a.print), ("--types", a.types)]),
            Command::Ltl(a) => batch!(a, None, [("--trace", a.trace.is_some())]),
            Command::Refine(a) => batch!(a, None, [("--trace", a.trace.is_some())]),
            Command::Po(a) => batch!(
                a,
                a.jobs,
                [
                    ("--output-file", a.output_file.is_some()),
                    ("--explain", a.explain.is_some()),
                    ("--proofs", a.proofs.is_some()),
                    ("--export", a.export.is_some()),
                ]
            ),
            Command::Strengthen(a) => {
                batch!(a, None, [("--patch", a.patch.is_some()), ("--proofs", a.proofs.is_some())])
            }
            _ => return None,
        })
    }

    /// Returns the command for one of several machines, as a process is asked that answers with data. The machines share
    /// the cores, so that each has one.
    pub fn of_one(&self, file: &Path, component: Option<&str>) -> Command {
        let output = OutputArguments { json: true, ..OutputArguments::default() };
        let mut one = self.clone();
        macro_rules! set {
            ($a:expr, $of:expr) => {{
                $a.batch = BatchArguments::default();
                $of.file = file.to_path_buf();
                $of.output = output;
                if component.is_some() {
                    $of.component.component = component.map(str::to_string);
                }
            }};
        }
        match &mut one {
            Command::Check(a) => {
                set!(a, a.verify);
                (a.jobs, a.verify.html) = (Some(1), None);
                a.baseline = BaselineArguments::default();
            }
            Command::Mc(a) => {
                set!(a, a.verify);
                (a.threads, a.verify.html) = (a.threads.or(Some(1)), None);
                a.baseline = BaselineArguments::default();
            }
            Command::Parse(a) => set!(a, a),
            Command::Ltl(a) => {
                set!(a, a);
                a.html = None;
                a.baseline = BaselineArguments::default();
            }
            Command::Refine(a) => {
                set!(a, a);
                a.html = None;
                a.baseline = BaselineArguments::default();
            }
            Command::Po(a) => {
                set!(a, a);
                (a.jobs, a.html) = (Some(1), None);
                a.baseline = BaselineArguments::default();
            }
            Command::Strengthen(a) => set!(a, a),
            _ => {}
        }
        one
    }
}

/// Of `cache`.
#[derive(Args, Clone, Debug)]
pub struct CacheArguments {
    #[command(subcommand)]
    pub action: Option<CacheAction>,
}

/// What `cache` does.
#[derive(Subcommand, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheAction {
    /// Remove all answers
    Clear,
}

/// Of `explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArguments {
    /// The code, such as B0203; without it, all codes are listed
    pub code: Option<String>,
}

/// Of `worker`.
#[derive(Args, Clone, Debug)]
pub struct WorkerArguments {
    /// For lists of processes: what it does, and with which file
    pub title: Vec<PathBuf>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use bsym_language::int::Int;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Arguments::command().debug_assert();
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
