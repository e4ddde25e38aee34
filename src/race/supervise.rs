//! Supervision of a process with a solver library, so that a crash of the library is survived.
//!
//! libz3 works inside of the process, and where it crashes nothing in the process can be saved. So a command that lets
//! it work for long is carried out in a process of its own, and the first one waits: it forwards signals, restarts
//! after a crash with other random choices and the remaining time, and reports the crash. After a few crashes
//! the answer is `unknown`.
//!
//! Standard input of the working process is a socket. It ends when no process waits any longer, and carries back the
//! exit code once everything is printed, so that a crash during exit makes no difference.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bsym_semantics::verdict::Reason;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::process::VARIABLE;
use crate::answer::Answer;
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::output;
use crate::tuning::tuning;

/// The part of a process that is waited for.
pub struct Attempt {
    /// Number of attempts that have crashed.
    pub crashes: u64,
    /// Time that the program has run before this process.
    pub spent: Duration,
}

impl Attempt {
    /// Returns the attempt of this process, if another process waits for it. From then on this process ends when the
    /// other one stops waiting.
    pub fn of_this_process() -> Option<Attempt> {
        let said = std::env::var(VARIABLE).ok()?;
        let (crashes, spent) = said.split_once(' ')?;
        let attempt =
            Attempt { crashes: crashes.parse().ok()?, spent: Duration::from_millis(spent.parse().ok()?) };
        std::thread::spawn(|| {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            std::process::exit(Exit::Unknown as i32);
        });
        Some(attempt)
    }

    /// Tells the waiting process that everything is printed.
    pub fn done(&self, exit: Exit) {
        if let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() {
            // The waiting process also sees this process end.
            let _ = UnixStream::from(socket).write_all(&[exit as u8]);
        }
    }
}

/// Carries out the command line of this process in another one. `None` if none can be started: then this one has to do
/// it.
pub fn supervise(start: Instant, format: &OutputArguments) -> Option<Exit> {
    let working: Arc<Mutex<Option<Pid>>> = Arc::default();
    let interrupted: Arc<AtomicBool> = Arc::default();
    let (handler, noted) = (working.clone(), interrupted.clone());
    // The other process knows what to do; without one there is nothing to stop.
    let interrupt = move || {
        noted.store(true, Ordering::SeqCst);
        match handler.lock().ok().and_then(|pid| *pid) {
            Some(pid) => drop(kill(pid, Signal::SIGINT)),
            None => std::process::exit(Exit::Unknown as i32),
        }
    };
    let mut handled = false;
    for crashes in 0..tuning().race.attempts {
        let (child, socket) = begin(crashes, start.elapsed()).ok()?;
        if let Ok(mut pid) = working.lock() {
            *pid = i32::try_from(child.id()).ok().map(Pid::from_raw);
        }
        if !std::mem::replace(&mut handled, true)
            && let Err(error) = ctrlc::set_handler(interrupt.clone())
        {
            tracing::warn!("Ctrl-C ends the program at once: {error}");
        }
        let status = match end(child, socket) {
            End::Said(exit) => return Some(exit),
            End::Died(status) => status,
        };
        let Some(signal) = status.signal() else { return Some(exit_of(status)) };
        // A process that has just started dies of a signal, and one that was to stop is not restarted.
        if interrupted.load(Ordering::SeqCst) {
            return Some(output::show(
                &Answer::stopped(&Reason::Interrupted),
                format,
                start.elapsed().as_secs_f64(),
            ));
        }
        let name = Signal::try_from(signal).map_or_else(|_| signal.to_string(), |s| s.to_string());
        let again = crashes + 1 < tuning().race.attempts && signal != Signal::SIGKILL as i32;
        let next = if again { "; beginning anew" } else { "" };
        output::note(&format!(
            "note: the solver crashed after {:.2} s ({name}){next}",
            start.elapsed().as_secs_f64()
        ));
        if !again {
            let why = format!("the process with the solver ended by {name}");
            let answer = Answer::stopped(&Reason::SolverFailed(why));
            return Some(output::show(&answer, format, start.elapsed().as_secs_f64()));
        }
    }
    None
}

/// End of a process.
enum End {
    /// It has printed everything.
    Said(Exit),
    /// The process ended without printing everything.
    Died(ExitStatus),
}

fn begin(crashes: u64, spent: Duration) -> std::io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    command.env(VARIABLE, format!("{crashes} {}", spent.as_millis()));
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    // Signals of a terminal reach it once, through this process.
    command.process_group(0);
    Ok((command.spawn()?, ours))
}

fn end(mut child: Child, mut socket: UnixStream) -> End {
    let mut said = [0u8; 1];
    let answered = matches!(socket.read(&mut said), Ok(1));
    let status = child.wait().unwrap_or_else(|_| ExitStatus::from_raw(Signal::SIGKILL as i32));
    match answered {
        true => End::Said(Exit::of_code(said[0])),
        false => End::Died(status),
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    status.code().and_then(|c| u8::try_from(c).ok()).map_or(Exit::Failed, Exit::of_code)
}
