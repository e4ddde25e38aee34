//! The commands. Each reads its input, does its work, writes the requested files, and answers.
//!
//! - From a machine to a verdict: `status` (proof status that is imported or computed first), `run` (shared by all of
//!   these), `encodings` (the engines on one or two encodings), `verify` (`bmc`, `tree`, `kind`, `ic3`), `mc` and
//!   `ldd`, with `vetting` of imported status, `default_scope` and `enlarge` where the user did not choose the scope
//!   and it has no state, and `check`, which has a search `beside` its
//!   engines, or `in_turns` with them. Refinements of classical B go through a
//!   `comparison` as well, by an `explicit` search and a `simulation`, and the result that was `compared` is part of
//!   the answer.
//! - `many` has a command look at several machines, each in a process of its own; `targets` selects them.
//! - `certify` and `replay` check evidence again.
//! - `export` writes files for other model checkers.
//! - `cbc` asks a solver for states and short runs that need not be reachable; `cases` makes tests.
//! - `ltl` checks temporal formulas on all paths, `refine` compares with abstractions, and `graph` draws the states.
//! - `lsp` serves an editor; its code is in [`crate::lsp`].
//! - `watch` repeats a command when a file changes.
//! - `cache` says where answers are kept.
//! - `explain` prints the meaning of a code; `manual` has the pages of the manual and the completions of shells.
//! - `strengthen` looks for conjuncts that discharge open obligations.
//! - `animate` is a session; `parse`, `eval`, `simulate`, `po` and `proofs` stand alone.

mod animate;
mod beside;
mod cache;
mod cases;
mod cbc;
mod certify;
mod check;
mod compared;
mod comparison;
mod default_scope;
mod encodings;
mod enlarge;
mod eval;
mod explain;
mod explicit;
mod export;
mod graph;
mod in_turns;
mod ldd;
mod line;
mod ltl;
mod manual;
mod many;
mod mc;
mod parse;
mod po;
mod proofs;
mod raced;
mod refine;
mod replay;
mod run;
mod simulate;
mod simulation;
mod status;
mod strengthen;
mod targets;
mod verify;
mod vetting;
mod watch;

use bsym_engines::verdict::Engine;

use crate::answer::Answer;
use crate::arguments::{Command, EngineName, McArguments};
use crate::baseline::Baseline;
use crate::cache::Keeping;
use crate::exit::Exit;
use crate::lsp;
use crate::race::control::Control;
use crate::race::process;
use crate::refusal::Refusal;

pub use targets::is_about_several;
pub use watch::watch;

/// Carries out a command and prints its answer.
pub fn run(command: Command, control: &Control) -> Exit {
    let format = command.output();
    let baseline = match Baseline::of(&command) {
        Ok(baseline) => baseline,
        Err(error) => return process::show(control, &Answer::refused(&error), &format),
    };
    let keeping = if is_about_several(&command) { None } else { Keeping::begin(&command, control) };
    let done = match command {
        // Its messages go to the editor.
        Command::Lsp(_) => return lsp::run(control),
        command if is_about_several(&command) => many::run(&command, baseline.as_ref(), control),
        Command::Check(a) => match a.engine {
            None | Some(EngineName::Check) => check::run(&a, control),
            Some(EngineName::Bmc) => verify::run(Engine::Bmc, &a.verify, control),
            Some(EngineName::Tree) => verify::run(Engine::Tree, &a.verify, control),
            Some(EngineName::Kind) => verify::run(Engine::Kind, &a.verify, control),
            Some(EngineName::Ic3) => verify::run(Engine::Ic3, &a.verify, control),
            Some(EngineName::Mc) => mc::run(&McArguments::new(a.verify), control),
        },
        Command::Bmc(a) => verify::run(Engine::Bmc, &a, control),
        Command::Tree(a) => verify::run(Engine::Tree, &a, control),
        Command::Kind(a) => verify::run(Engine::Kind, &a, control),
        Command::Ic3(a) => verify::run(Engine::Ic3, &a, control),
        Command::Mc(a) => mc::run(&a, control),
        Command::Ldd(a) => ldd::run(&a, control),
        Command::Ltl(a) => ltl::run(&a, control),
        Command::Refine(a) => refine::run(&a, control),
        Command::Graph(a) => graph::run(&a, control),
        Command::Simulate(a) => simulate::run(&a, control),
        Command::Animate(a) => animate::run(&a, control),
        Command::Parse(a) => parse::run(&a),
        Command::Eval(a) => eval::run(&a, control),
        Command::Po(a) => po::run(&a, control),
        Command::Strengthen(a) => strengthen::run(&a, control),
        Command::Proofs(a) => proofs::run(&a),
        Command::Tests(a) => cases::run(&a, control),
        Command::Cbc(a) => cbc::run(&a, control),
        Command::Certify(a) => certify::run(&a, control),
        Command::Export(a) => export::run(&a, control),
        Command::Replay(a) => replay::run(&a, control),
        Command::Cache(a) => cache::run(a),
        Command::Explain(a) => explain::run(&a),
        // A worker was already replaced by its order.
        Command::Worker(_) => Err(Refusal::new("worker: an assignment cannot be `worker`").into()),
        Command::Completions { shell } => Ok(manual::completions(shell)),
        Command::Manual(a) => manual::manual(&a),
    };
    let answer = done.unwrap_or_else(|error| Answer::refused(&error));
    if let Some(keeping) = keeping {
        keeping.keep(&answer, control);
    }
    let answer = match (&answer, baseline) {
        (Answer::Several(_) | Answer::Against(..), _) | (_, None) => answer,
        (_, Some(baseline)) => baseline.apply(answer, &format, control.seconds()),
    };
    process::show(control, &answer, &format)
}
