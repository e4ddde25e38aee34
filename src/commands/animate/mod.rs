//! `bsym animate`: an interactive session. The user takes the steps of a machine, goes back and forth, and asks about
//! states.
//!
//! `line` has the prompt and the completions of a line, and `command` parses it. The `session` is a path with a
//! current position; `choices` are the steps that can be taken there, `search` finds states farther away, `files` saves
//! and loads paths, and `show` prints all of it. `requests` is the session of a program, with `--json`. Steps, values
//! and violations are those of the reference evaluator.

mod choices;
mod command;
mod files;
mod line;
mod requests;
mod search;
mod session;
mod show;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::bail;
use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_semantics::evaluator::interrupt::interruptible;
use std::sync::Arc;

use self::command::Command;
use self::line::{WITH_FILES, prompt, words};
use self::session::Session;
use self::show::{Outcome, Screen};
use crate::answer::Answer;
use crate::arguments::AnimateArguments;
use crate::commands::line::Lines;
use crate::exit::Exit;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::solvers;

/// Runs the command. A line from a pipe that is refused, or that is stopped by a limit, determines the exit code.
pub fn run(arguments: &AnimateArguments, control: &Control) -> anyhow::Result<Answer> {
    if arguments.output.form().is_report() {
        bail!(
            Refusal::new("animate is a session, it writes no report")
                .help("--json reads requests of a program; `save FILE` writes the path")
        );
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read = input::finite(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { model, scope, .. } = read;
    let model = Arc::new(model);
    // Ctrl-C stops the computation, not the session.
    let budget = Budget::unlimited();
    let interrupt = budget.cancellation();
    control.leave_interrupts_to(interrupt.clone());
    let finder = Patience::new(model.clone(), solver, &budget);
    let mut session = Session::new(model, scope, finder, arguments.seed);
    if arguments.output.is_for_programs() {
        if arguments.load.is_some() {
            bail!(
                Refusal::new("--load is for a session without --json").help("each request has its own state")
            );
        }
        requests::serve(&mut session, &|| control.stopped().is_some(), &|work| {
            interrupt.store(false, Ordering::SeqCst);
            let deadline = arguments.limits.timeout.and_then(|t| Instant::now().checked_add(t));
            interruptible(&interrupt, deadline, work);
        })?;
        control.finish();
        return Ok(control.stopped().map_or(Answer::Said(Exit::Done), |reason| Answer::stopped(&reason)));
    }
    let screen = Screen { paint: Paint::stdout(arguments.output.color), whole: arguments.output.verbose > 0 };
    let mut lines = Lines::open("animate", WITH_FILES);
    let is_terminal = lines.is_terminal();
    let limited = |session: &mut Session, work: &mut dyn FnMut(&mut Session, &AtomicBool) -> Outcome| {
        interrupt.store(false, Ordering::SeqCst);
        let deadline = arguments.limits.timeout.and_then(|t| Instant::now().checked_add(t));
        let (outcome, is_stopped) = interruptible(&interrupt, deadline, |flag| {
            let outcome = work(session, flag);
            (outcome, flag.load(Ordering::SeqCst))
        });
        if let Err(message) = &outcome {
            output::result(&format!("{}: {message}\n", screen.paint.bad("error")));
        }
        match outcome {
            _ if is_stopped => Exit::Unknown,
            Ok(()) => Exit::Done,
            Err(_) => Exit::Refused,
        }
    };
    if is_terminal {
        output::result(&format!("{}: `help` lists the commands, Ctrl-D ends\n", session.model.name));
    }
    let mut exit = limited(&mut session, &mut |session, flag| {
        session.begin(flag)?;
        if let Some(path) = &arguments.load {
            screen.load(session, flag, path)?;
        }
        screen.here(session, flag)
    });
    // A limit of memory loses the path, so that the session prints why it ends.
    while control.stopped().is_none()
        && let Some(text) = lines.next(&prompt(&session, screen.paint), || words(&session))
    {
        if text.trim().is_empty() {
            continue;
        }
        let command = match Command::read(&text, &session) {
            Ok(Command::Quit) => break,
            command => command,
        };
        exit = exit.max(limited(&mut session, &mut |session, flag| {
            let command = command.as_ref().map_err(String::clone)?;
            screen.carry_out(command, session, flag)
        }));
    }
    if is_terminal {
        output::result("\n");
    }
    lines.keep_history();
    control.finish();
    if let Some(reason) = control.stopped() {
        return Ok(Answer::stopped(&reason));
    }
    Ok(Answer::Said(if is_terminal { Exit::Done } else { exit }))
}
