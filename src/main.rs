//! The command line of bsym: the only code that prints, reads arguments or exits.
//!
//! It turns a command line into an answer and an exit code. It makes no decisions about models: engines and searches
//! find verdicts, and these are neither softened nor guessed from their wording.
//!
//! A command goes through `arguments`, `commands` (which read with `input`, `solvers` and `traces`, and work under
//! `race::control`), `answer` (the content, as data) and `output` (how it is printed; `report` for the formats of other
//! programs; `page` for people, with pictures that `snapshot` makes of states and `drawing` draws), and ends as an
//! `exit`; a [`refusal`] takes the short way. `progress` reports on work in progress. `race` runs work in parallel, in a
//! thread or in a process of its own, and ensures that all of it ends.

mod answer;
mod arguments;
mod baseline;
mod cache;
mod commands;
mod drawing;
mod exit;
mod export;
mod input;
mod lsp;
mod output;
mod page;
mod paint;
mod progress;
mod race;
mod refusal;
mod report;
mod settings;
mod snapshot;
mod solvers;
mod traces;
mod tuning;
mod uri;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::FromArgMatches;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use answer::Answer;
use arguments::{
    Arguments, CheckArguments, Command, ComponentArguments, LimitArguments, McArguments, OutputArguments,
    PageArguments, command_line,
};
use baseline::Baseline;

use exit::Exit;
use race::control::{Control, Ended};
use race::process;
use race::protocol::Order;
#[cfg(unix)]
use race::supervise::{Attempt, supervise};
use settings::Settings;
use tuning::tuning;

fn main() -> ExitCode {
    let start = Instant::now();
    let arguments =
        match command_line().try_get_matches().and_then(|found| Arguments::from_arg_matches(&found)) {
            Ok(arguments) => arguments,
            Err(error) => {
                if error.use_stderr() {
                    let _ = error.print();
                    // `bsym m.mch` without a subcommand: suggest `check`.
                    let file = std::env::args().nth(1).filter(|a| input::is_machine(Path::new(a)));
                    if let (ErrorKind::InvalidSubcommand, Some(file)) = (error.kind(), file) {
                        output::note(&format!("  = help: `bsym check {file}` checks a machine"));
                    } else if error.kind() == ErrorKind::InvalidSubcommand
                        && let Some(meant) = std::env::args().nth(1).and_then(|word| meant(&word))
                    {
                        output::note(&format!("  = help: `bsym {meant}` does that"));
                    }
                    return Exit::Refused.into();
                }
                if let Err(error) = error.print() {
                    output::lost(&format!("standard output cannot be written: {error}"));
                }
                return output::exit(Exit::Done).into();
            }
        };
    if arguments.version {
        output::result(&solvers::version());
        return output::exit(Exit::Done).into();
    }
    let Some(mut command) = arguments.command else {
        let _ = command_line().print_help();
        return Exit::Refused.into();
    };
    log(command.output());
    std::panic::set_hook(Box::new(report_panic));
    if let Err(error) = check_page(&command) {
        let format = OutputArguments { page: None, ..command.output() };
        return output::show(&Answer::refused(&error), &format, start.elapsed().as_secs_f64()).into();
    }
    if command.watches() {
        return commands::watch(&command).into();
    }
    if let Err(error) = settle(&mut command) {
        return output::show(&Answer::refused(&error), &command.output(), start.elapsed().as_secs_f64())
            .into();
    }
    if let Command::Worker(_) = command {
        return serve(start);
    }
    #[cfg(unix)]
    let attempt = Attempt::of_this_process();
    #[cfg(unix)]
    let is_first = attempt.is_none();
    #[cfg(not(unix))]
    let is_first = true;
    if is_first
        && !commands::is_about_several(&command)
        && let Some(exit) = answer_kept(&command, start)
    {
        return output::exit(exit).into();
    }
    #[cfg(unix)]
    let (start, attempt) = match attempt {
        Some(attempt) => {
            // Varies the random choices, so that the crash does not recur.
            command.vary(attempt.crashes);
            (start.checked_sub(attempt.spent).unwrap_or(start), Some(attempt))
        }
        None => match command.lets_library_work().then(|| supervise(start, &command.output())).flatten() {
            Some(exit) => return output::exit(exit).into(),
            None => (start, None),
        },
    };
    let exit = begin(start, command, None);
    #[cfg(unix)]
    if let Some(attempt) = attempt {
        attempt.done(exit);
    }
    exit.into()
}

/// Gives an answer that was given before, if there is one.
fn answer_kept(command: &Command, start: Instant) -> Option<Exit> {
    // A baseline that cannot be read is refused by the run.
    let baseline = Baseline::of(command).ok()?;
    let (answer, format) = (cache::answer(command)?, command.output());
    let seconds = start.elapsed().as_secs_f64();
    let answer = match baseline {
        Some(baseline) => baseline.apply(answer, &format, seconds),
        None => answer,
    };
    Some(output::show(&answer, &format, seconds))
}

/// Returns our command for a name that other tools use.
fn meant(word: &str) -> Option<&'static str> {
    Some(match word {
        "verify" | "run" | "prove" | "test" | "validate" | "model-check" | "solve" => "check",
        "lint" | "fmt" | "format" | "typecheck" | "compile" | "syntax" => "parse",
        "model_check" | "modelcheck" | "explore" | "search" | "states" => "mc",
        "obligations" | "pog" | "prover" => "po",
        "repl" | "console" | "evaluate" | "calc" => "eval",
        "refinement" => "refine",
        "trace" => "replay",
        "init" | "step" | "play" => "animate",
        "dot" | "draw" | "visualize" | "visualise" => "graph",
        "temporal" | "ctl" => "ltl",
        _ => return None,
    })
}

/// Checks whether the page can be written, before a long run and before anything else is written to it.
fn check_page(command: &Command) -> anyhow::Result<()> {
    match command.page() {
        Some(path) => {
            output::check_writable(path, "--html", &command.inputs())?;
            match command.evidence().contains(&path) {
                true => Err(anyhow::anyhow!(
                    "--html names the same file as --trace, --certificate or --output-file"
                )),
                false => Ok(()),
            }
        }
        None => Ok(()),
    }
}

/// Fills in the settings of the project. Those of several machines are looked up for each.
fn settle(command: &mut Command) -> anyhow::Result<()> {
    command.keep_going_for_baseline();
    if commands::is_about_several(command) { Ok(()) } else { Settings::fill(command) }
}

/// Works for another process.
fn serve(start: Instant) -> ExitCode {
    let assignment = match process::receive() {
        Ok(assignment) => assignment,
        Err(error) => {
            output::note(&format!("error: worker: standard input has no assignment: {error}"));
            return Exit::Refused.into();
        }
    };
    let mut command = match assignment.order.clone() {
        Order::One { command, .. } => *command,
        Order::Search(arguments) => Command::Mc(*arguments),
    };
    command.vary(assignment.crashes);
    let start = start.checked_sub(assignment.spent).unwrap_or(start);
    begin(start, command, Some(assignment.order)).into()
}

/// Carries the command out under its limits.
fn begin(start: Instant, command: Command, order: Option<Order>) -> Exit {
    let limits = command.limits();
    let is_worker = order.is_some();
    let control = Control::new(start, limits.timeout, limits.memory).of_order(order);
    if is_worker {
        process::obey(&control);
    }
    let handler = control.clone();
    if let Err(error) = ctrlc::set_handler(move || handler.interrupt()) {
        tracing::warn!("Ctrl-C ends the program at once: {error}");
    }
    output::exit(work(command, control))
}

/// Carries the command out in a thread with a large stack. A panic there is our own failure.
fn work(command: Command, control: Control) -> Exit {
    let (done, waiting) = mpsc::channel();
    let (inner, format) = (control.clone(), command.output());
    let baseline = Baseline::of(&command).ok().flatten();
    let run = move || {
        bsym_language::stack::declare_large();
        let exit = commands::run(command, &inner);
        // The other side waits for this or is ending the program.
        let _ = done.send(exit);
    };
    if let Err(error) =
        std::thread::Builder::new().name("bsym".into()).stack_size(tuning().race.stack).spawn(run)
    {
        output::note(&format!("error: no thread could be started: {error}"));
        return Exit::Failed;
    }
    match control.wait(&waiting) {
        Ended::Done(exit) => exit,
        Ended::Stuck(answer) => {
            let answer = match baseline {
                Some(baseline) => baseline.apply(*answer, &format, control.seconds()),
                None => *answer,
            };
            process::show(&control, &answer, &format)
        }
        Ended::Failed => Exit::Failed,
    }
}

fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    output::note(&format!(
        "error: bsym failed; this is a mistake of bsym, not of your model\n  {info}\n  = help: please report \
         it with the command line, the machine and this message"
    ));
}

fn log(format: OutputArguments) {
    // Progress has its own output; RUST_LOG selects internal messages.
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
    /// Returns whether a linked solver works in this process for long. The search asks it little.
    #[cfg(unix)]
    fn lets_library_work(&self) -> bool {
        // Crashes of the processes of the machines are survived one by one.
        if commands::is_about_several(self) {
            return false;
        }
        let solver = match self {
            Command::Check(a) => &a.verify.solver.name,
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => &a.solver.name,
            Command::Po(a) => &a.solver.name,
            Command::Strengthen(a) => &a.solver.name,
            Command::Refine(a) => &a.solver.name,
            Command::Certify(a) => &a.solver.name,
            Command::Cbc(a) => &a.solver.name,
            _ => return false,
        };
        cfg!(feature = "z3") && solver.as_ref().is_none_or(|name| name == "z3")
    }

    /// Changes the seed after crashes, for commands that have one.
    fn vary(&mut self, crashes: u64) {
        let seed = match self {
            Command::Check(a) => &mut a.verify.seed,
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => &mut a.seed,
            _ => return,
        };
        *seed = seed.wrapping_add(crashes);
    }

    /// Returns the output options.
    fn output(&self) -> OutputArguments {
        let page = self.page().zip(self.of_page()).map(|(path, (file, component))| PageArguments {
            path: path.to_path_buf(),
            file: file.to_path_buf(),
            component: component.clone(),
        });
        let batch = self.batch();
        OutputArguments {
            subject: self.subject().map(Path::to_path_buf),
            file: batch.as_ref().map(|batch| batch.file.to_path_buf()),
            component: batch.and_then(|batch| batch.component.cloned()),
            page,
            ..self.shown()
        }
    }

    /// The files that are read of a command that can write a page.
    fn inputs(&self) -> Vec<&Path> {
        match self.batch() {
            Some(named) => {
                let more = named.batch.more.iter().map(PathBuf::as_path);
                let status = match self {
                    Command::Po(a) => a.proofs.as_deref(),
                    _ => None,
                };
                std::iter::once(named.file).chain(more).chain(status).collect()
            }
            None => self.subject().into_iter().collect(),
        }
    }

    /// The files of evidence that such a command writes.
    fn evidence(&self) -> Vec<&Path> {
        let all = match self {
            Command::Check(a) => vec![&a.verify.trace, &a.verify.certificate],
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => {
                vec![&a.trace, &a.certificate]
            }
            Command::Mc(a) => vec![&a.verify.trace, &a.verify.certificate, &a.checkpoint],
            Command::Ldd(a) => vec![&a.verify.trace, &a.verify.certificate],
            Command::Ltl(a) => vec![&a.trace],
            Command::Refine(a) => vec![&a.trace],
            Command::Po(a) => vec![&a.output_file],
            _ => vec![],
        };
        all.into_iter().filter_map(|path| path.as_deref()).collect()
    }

    /// The page that is to be written.
    fn page(&self) -> Option<&Path> {
        match self {
            Command::Check(a) => a.verify.html.as_deref(),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => a.html.as_deref(),
            Command::Mc(a) => a.verify.html.as_deref(),
            Command::Ldd(a) => a.verify.html.as_deref(),
            Command::Ltl(a) => a.html.as_deref(),
            Command::Refine(a) => a.html.as_deref(),
            Command::Po(a) => a.html.as_deref(),
            _ => None,
        }
    }

    /// The machine of a command that can write a page.
    fn of_page(&self) -> Option<(&Path, &ComponentArguments)> {
        match self {
            Command::Check(CheckArguments { verify: a, .. })
            | Command::Mc(McArguments { verify: a, .. })
            | Command::Bmc(a)
            | Command::Tree(a)
            | Command::Kind(a)
            | Command::Ic3(a) => Some((&a.file, &a.component)),
            Command::Ldd(a) => Some((&a.verify.file, &a.verify.component)),
            Command::Ltl(a) => Some((&a.file, &a.component)),
            Command::Refine(a) => Some((&a.file, &a.component)),
            Command::Po(a) => Some((&a.file, &a.component)),
            _ => None,
        }
    }

    /// The file whose faults can be reported in other forms than ours; `None` where the command finds none.
    fn subject(&self) -> Option<&Path> {
        match self {
            Command::Check(a) => Some(&a.verify.file),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => Some(&a.file),
            Command::Mc(a) => Some(&a.verify.file),
            Command::Ldd(a) => Some(&a.verify.file),
            Command::Refine(a) => Some(&a.file),
            Command::Parse(a) => Some(&a.file),
            _ => None,
        }
    }

    fn shown(&self) -> OutputArguments {
        match self {
            Command::Check(a) => a.verify.output.clone(),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => a.output.clone(),
            Command::Mc(a) => a.verify.output.clone(),
            Command::Ldd(a) => a.verify.output.clone(),
            Command::Ltl(a) => a.output.clone(),
            Command::Refine(a) => a.output.clone(),
            Command::Graph(a) => a.output.clone(),
            Command::Simulate(a) => a.output.clone(),
            Command::Animate(a) => a.output.clone(),
            Command::Parse(a) => a.output.clone(),
            Command::Eval(a) => a.output.clone(),
            Command::Po(a) => a.output.clone(),
            Command::Strengthen(a) => a.output.clone(),
            Command::Proofs(a) => a.output.clone(),
            Command::Certify(a) => a.output.clone(),
            Command::Cbc(a) => a.output.clone(),
            Command::Tests(a) => a.output.clone(),
            Command::Export(a) => a.output.clone(),
            Command::Replay(a) => a.output.clone(),
            Command::Lsp(_)
            | Command::Cache(_)
            | Command::Explain(_)
            | Command::Worker(_)
            | Command::Completions { .. }
            | Command::Manual(_) => OutputArguments::default(),
        }
    }

    fn limits(&self) -> LimitArguments {
        // Limits are those of each machine.
        if commands::is_about_several(self) {
            return LimitArguments::default();
        }
        match self {
            Command::Check(a) => a.verify.limits.clone(),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => a.limits.clone(),
            Command::Mc(a) => a.verify.limits.clone(),
            Command::Ldd(a) => a.verify.limits.clone(),
            Command::Ltl(a) => a.limits.clone(),
            Command::Refine(a) => a.limits.clone(),
            Command::Graph(a) => a.limits.clone(),
            Command::Simulate(a) => a.limits.clone(),
            Command::Po(a) => a.limits.clone(),
            Command::Strengthen(a) => a.limits.clone(),
            Command::Certify(a) => a.limits.clone(),
            Command::Cbc(a) => a.limits.clone(),
            Command::Tests(a) => a.limits.clone(),
            Command::Export(a) => a.limits.clone(),
            Command::Replay(a) => a.limits.clone(),
            // The time limit applies to each line.
            Command::Animate(a) => LimitArguments { timeout: None, memory: a.limits.memory },
            Command::Eval(a) => LimitArguments { timeout: None, memory: a.limits.memory },
            Command::Parse(a) => a.limits.clone(),
            Command::Proofs(_)
            | Command::Lsp(_)
            | Command::Cache(_)
            | Command::Explain(_)
            | Command::Worker(_)
            | Command::Completions { .. }
            | Command::Manual(_) => LimitArguments { timeout: None::<Duration>, memory: None },
        }
    }
}
