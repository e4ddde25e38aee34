//! The command line of bsym: the only code that prints, reads arguments or exits.

mod answer;
mod arguments;
mod commands;
mod control;
mod input;
mod output;
mod paint;
mod patience;
mod progress;
mod refusal;
mod solvers;
mod traces;

use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser};
use tracing_subscriber::EnvFilter;

use arguments::{Arguments, Command, LimitArguments, OutputArguments};
use control::Control;

/// Formulas may nest deeply, and the pages of a stack cost nothing before they are used.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let start = Instant::now();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if error.use_stderr() {
                let _ = error.print();
                return ExitCode::from(2);
            }
            if let Err(error) = error.print() {
                output::lost(&format!("standard output cannot be written: {error}"));
            }
            return ExitCode::from(output::exit_code(0));
        }
    };
    if arguments.version {
        output::result(&solvers::version());
        return ExitCode::from(output::exit_code(0));
    }
    let Some(command) = arguments.command else {
        let _ = Arguments::command().print_help();
        return ExitCode::from(2);
    };
    log(command.output());
    std::panic::set_hook(Box::new(report_panic));
    let limits = command.limits();
    let control = Control::new(start, limits.timeout, limits.memory);
    let handler = control.clone();
    if let Err(error) = ctrlc::set_handler(move || handler.interrupt()) {
        tracing::warn!("Ctrl-C ends the program at once: {error}");
    }
    ExitCode::from(output::exit_code(work(command, control)))
}

/// Carries the command out in a thread with a large stack. A panic there is our own failure.
fn work(command: Command, control: Control) -> u8 {
    let (done, waiting) = mpsc::channel();
    let inner = control.clone();
    let run = move || {
        bsym_language::stack::declare_large();
        let code = commands::run(command, &inner);
        // The other side waits for this or is ending the program.
        let _ = done.send(code);
    };
    if let Err(error) = std::thread::Builder::new().name("bsym".into()).stack_size(STACK).spawn(run) {
        output::note(&format!("error: no thread could be started: {error}"));
        return 4;
    }
    control.wait(&waiting).unwrap_or(4)
}

fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    output::note(&format!(
        "error: bsym failed; this is a mistake of bsym, not of your model\n  {info}\n  = help: please report \
         it with the command line, the machine and this message"
    ));
}

fn log(format: OutputArguments) {
    // The lines of progress have their own way; RUST_LOG asks for the inner workings.
    let default = if format.verbose > 2 { "debug" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let paint = paint::Paint::stderr(format.color);
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(paint.is_on())
        .try_init();
}

impl Command {
    fn output(&self) -> OutputArguments {
        match self {
            Command::Check(a) | Command::Bmc(a) | Command::Kind(a) | Command::Ic3(a) => a.output.clone(),
            Command::Mc(a) => a.verify.output.clone(),
            Command::Simulate(a) => a.output.clone(),
            Command::Parse(a) => a.output.clone(),
            Command::Eval(a) => a.output.clone(),
            Command::Po(a) => a.output.clone(),
            Command::Proofs(a) => a.output.clone(),
            Command::Certify(a) => a.output.clone(),
            Command::Replay(a) => a.output.clone(),
            Command::Completions { .. } | Command::Manual => OutputArguments::default(),
        }
    }

    fn limits(&self) -> LimitArguments {
        match self {
            Command::Check(a) | Command::Bmc(a) | Command::Kind(a) | Command::Ic3(a) => a.limits.clone(),
            Command::Mc(a) => a.verify.limits.clone(),
            Command::Simulate(a) => a.limits.clone(),
            Command::Po(a) => a.limits.clone(),
            Command::Certify(a) => a.limits.clone(),
            Command::Replay(a) => a.limits.clone(),
            // The time limit is one of each line.
            Command::Eval(a) => LimitArguments { timeout: None, memory: a.limits.memory },
            Command::Proofs(_) | Command::Parse(_) | Command::Completions { .. } | Command::Manual => {
                LimitArguments { timeout: None::<Duration>, memory: None }
            }
        }
    }
}
