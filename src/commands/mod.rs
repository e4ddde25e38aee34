//! The commands. Each reads its input, does its work, prints its result and answers with an exit code.

mod beside;
mod certify;
mod check;
mod enlarge;
mod eval;
mod mc;
mod parse;
mod po;
mod proofs;
mod replay;
mod simulate;
mod status;
mod verify;

use bsym_engines::verdict::Engine;
use clap::CommandFactory;

use crate::arguments::{Arguments, Command};
use crate::control::Control;
use crate::output;
use crate::refusal::Refusal;

/// Carries out a command.
pub fn run(command: Command, control: &Control) -> u8 {
    let format = command.output();
    let done = match command {
        Command::Check(a) => check::run(&a, control),
        Command::Bmc(a) => verify::run(Engine::Bmc, &a, control),
        Command::Kind(a) => verify::run(Engine::Kind, &a, control),
        Command::Ic3(a) => verify::run(Engine::Ic3, &a, control),
        Command::Mc(a) => mc::run(&a, control),
        Command::Simulate(a) => simulate::run(&a, control),
        Command::Parse(a) => parse::run(&a),
        Command::Eval(a) => eval::run(&a, control),
        Command::Po(a) => po::run(&a, control),
        Command::Proofs(a) => proofs::run(&a),
        Command::Certify(a) => certify::run(&a, control),
        Command::Replay(a) => replay::run(&a, control),
        Command::Completions { shell } => completions(shell),
        Command::Manual => manual(),
    };
    done.unwrap_or_else(|refusal| {
        refusal.print(&format);
        2
    })
}

fn completions(shell: clap_complete::Shell) -> Result<u8, Refusal> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "bsym", &mut text);
    output::result(&String::from_utf8_lossy(&text));
    Ok(0)
}

fn manual() -> Result<u8, Refusal> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Arguments::command())
        .render(&mut text)
        .map_err(|e| Refusal::new(format!("the manual page cannot be written: {e}")))?;
    output::result(&String::from_utf8_lossy(&text));
    Ok(0)
}
