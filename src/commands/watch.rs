//! `--watch`: runs a command again whenever a file that it depends on changes.
//!
//! Each run is a process of its own, with the same command line. Before it starts, the machines are read here, which tells
//! the questions to the file system on which the run depends ([`bsym_language::observed`]): a change is another answer to one of
//! them, whatever the editor does with its files. The system reports changes in their folders; where it reports none, as for
//! files of other computers, the questions are asked from time to time.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Program, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;

use bsym_language::observed::{self, Question};
use bsym_language::stack::with_large_stack;
use bsym_status::sources::convert;
use notify::{RecursiveMode, Watcher};

use crate::arguments::Command;
use crate::commands::targets::{is_about_several, targets};
use crate::exit::Exit;
use crate::input;
use crate::output;
use crate::settings::{self, Settings};
use crate::tuning::tuning;

enum Event {
    /// Ctrl-C, or the signal to end.
    Interrupt,
    /// Something happened in a folder that is watched.
    Change,
}

/// Why a run is over, or no longer of interest.
enum End {
    Interrupted,
    /// The first file or folder that has changed.
    Changed(PathBuf),
}

/// Repeats a command until Ctrl-C. Returns the exit code of the last run that came to an end.
pub fn watch(command: &Command) -> Exit {
    let (send, events) = mpsc::channel();
    let interrupts = send.clone();
    // The receiver reads as long as the program runs.
    let handler = move || drop(interrupts.send(Event::Interrupt));
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C ends the program at once: {error}");
    }
    let changes = send.clone();
    let report = move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = changes.send(Event::Change);
        }
    };
    let mut watcher = notify::recommended_watcher(report)
        .inspect_err(|error| output::note(&format!("note: changes are looked for every 2 s: {error}")))
        .ok();
    let mut watched: BTreeSet<PathBuf> = BTreeSet::new();
    let mut last = None;
    loop {
        let seen = seen(command);
        for folder in folders(&seen).difference(&watched.clone()) {
            // A folder that cannot be watched is looked at from time to time.
            if watcher.as_mut().is_some_and(|w| w.watch(folder, RecursiveMode::NonRecursive).is_ok()) {
                watched.insert(folder.clone());
            }
        }
        let mut run = match Run::start() {
            Ok(run) => run,
            Err(error) => {
                output::note(&format!("error: no process could be started: {error}"));
                return Exit::Failed;
            }
        };
        let end = run.wait(&seen, &events);
        run.stop();
        last = run.exit.or(last);
        match end {
            End::Interrupted => return last.unwrap_or(Exit::Unknown),
            End::Changed(path) => separate(&path),
        }
    }
}

/// A process that carries out the command once.
struct Run {
    child: Option<Child>,
    exit: Option<Exit>,
}

impl Run {
    fn start() -> std::io::Result<Run> {
        let mut program = Program::new(std::env::current_exe()?);
        program.args(std::env::args_os().skip(1).filter(|word| word != "--watch")).stdin(Stdio::null());
        #[cfg(unix)]
        // Ctrl-C of a terminal reaches it through this process.
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        Ok(Run { child: Some(program.spawn()?), exit: None })
    }

    fn wait(&mut self, seen: &[(Question, String)], events: &Receiver<Event>) -> End {
        let mut looked = Instant::now();
        loop {
            let is_due = match events.recv_timeout(tuning().sessions.watch_tick) {
                Ok(Event::Interrupt) | Err(RecvTimeoutError::Disconnected) => {
                    return End::Interrupted;
                }
                Ok(Event::Change) => {
                    std::thread::sleep(tuning().sessions.together);
                    while let Ok(event) = events.try_recv() {
                        if let Event::Interrupt = event {
                            return End::Interrupted;
                        }
                    }
                    true
                }
                Err(RecvTimeoutError::Timeout) => looked.elapsed() > tuning().sessions.look,
            };
            self.has_ended(seen);
            if is_due {
                looked = Instant::now();
                if let Some(path) = changed(seen) {
                    return End::Changed(path);
                }
            }
        }
    }

    fn has_ended(&mut self, seen: &[(Question, String)]) {
        let Some(child) = &mut self.child else { return };
        let Ok(Some(status)) = child.try_wait() else {
            return;
        };
        self.child = None;
        self.exit =
            Some(status.code().and_then(|c| u8::try_from(c).ok()).map_or(Exit::Failed, Exit::of_code));
        let files = seen.iter().filter(|(question, _)| matches!(question, Question::Content(_))).count();
        let files = if files == 1 { "1 file".into() } else { format!("{files} files") };
        output::note(&format!("watching {files}; Ctrl-C ends this"));
    }

    /// Ends the process if it still works. What it has to say is of no interest any more.
    fn stop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let begin = Instant::now();
        #[cfg(unix)]
        interrupt(&child);
        while begin.elapsed() < tuning().sessions.stops && cfg!(unix) {
            if matches!(child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(tuning().sessions.watch_tick);
        }
        // One that has ended cannot be killed.
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGINT);
    }
}

/// Questions on which the command depends, with the answers of now.
fn seen(command: &Command) -> Vec<(Question, String)> {
    observed::start();
    let Some(batch) = command.batch() else {
        return vec![];
    };
    let files = match is_about_several(command) {
        true => targets(&batch).unwrap_or_default(),
        false => vec![],
    };
    let mut commands: Vec<Command> =
        files.iter().map(|target| command.of_one(&target.file, target.component.as_deref())).collect();
    if commands.is_empty() {
        commands.push(command.clone());
    }
    for mut one in commands {
        // What is wrong is said by the run; here the files matter.
        let _ = Settings::fill(&mut one);
        let (Some(batch), status) = (one.batch(), one.proofs()) else {
            continue;
        };
        settings::places(batch.file).iter().for_each(|place| observed::looked_at(place));
        if let Some(settings) = settings::find(batch.file) {
            observed::read(&settings, std::fs::read(&settings).as_deref().ok());
        }
        observed::read(batch.file, std::fs::read(batch.file).as_deref().ok());
        with_large_stack(|| {
            let _ = one.arguments_of_component().map(|component| input::read(batch.file, component));
            if status.is_some() || batch.file.is_dir() || bsym_language::load::is_eventb(batch.file) {
                let _ = convert(status.unwrap_or(batch.file), Path::new(""));
            }
        });
    }
    observed::all()
}

/// The folders in which the answers can change.
fn folders(seen: &[(Question, String)]) -> BTreeSet<PathBuf> {
    let folder = |question: &Question| {
        let path = question.path();
        match question {
            Question::Names(_) => path.ancestors().find(|folder| folder.is_dir()),
            _ => path.ancestors().skip(1).find(|folder| folder.is_dir()),
        }
        .map(Path::to_path_buf)
    };
    // Folders above the project, where settings may appear, are looked at from time to time.
    let is_of_settings = |q: &Question| matches!(q, Question::Kind(path) if path.ends_with(settings::FILE));
    seen.iter().map(|(question, _)| question).filter(|q| !is_of_settings(q)).filter_map(folder).collect()
}

/// Returns what has changed, once it has come to rest.
fn changed(seen: &[(Question, String)]) -> Option<PathBuf> {
    let has_changed = |(question, answer): &&(Question, String)| question.answer() != *answer;
    let (question, _) = seen.iter().find(has_changed)?;
    let begin = Instant::now();
    while begin.elapsed() < tuning().sessions.comes_back
        && matches!(question, Question::Content(path) if !path.exists())
    {
        std::thread::sleep(tuning().sessions.watch_tick);
    }
    // A file that was written anew with the same content is none.
    seen.iter().find(has_changed).map(|(question, _)| question.path().to_owned())
}

/// Separates the output of a run from the one before.
fn separate(path: &Path) {
    if std::io::stdout().is_terminal() {
        // Clears the screen and what is scrolled away.
        output::result("\x1b[2J\x1b[3J\x1b[H");
    }
    let here = std::env::current_dir().unwrap_or_default();
    output::note(&format!("--- changed: {}", path.strip_prefix(here).unwrap_or(path).display()));
}
