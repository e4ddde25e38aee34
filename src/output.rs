//! Writing: results to standard output, everything else to standard error, evidence to files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};

use crate::answer::Answer;
use crate::answer::event::Event;
use crate::arguments::{FormatName, OutputArguments, PageArguments};
use crate::exit::Exit;
use crate::page::page;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::report::report;

/// `true` if a requested output could not be written.
///
/// One flag for the whole program, so that no command can forget it: with an exit code other than 4, every requested
/// file and the whole result were written.
static LOST: AtomicBool = AtomicBool::new(false);

/// Lines on standard error and files that belong to an answer, for one that is kept.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    pub notes: Vec<String>,
    pub files: Vec<(PathBuf, String)>,
}

static RECORDED: Mutex<Option<Recorded>> = Mutex::new(None);

fn recording() -> MutexGuard<'static, Option<Recorded>> {
    RECORDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to record notes and files.
pub fn record() {
    *recording() = Some(Recorded::default());
}

/// Returns notes and files since [`record`].
pub fn recorded() -> Option<Recorded> {
    recording().take()
}

/// Returns whether a requested output could not be written.
pub fn has_lost() -> bool {
    LOST.load(Ordering::SeqCst)
}

/// Reports a requested output that could not be written; the program will end with exit code 4.
pub fn lost(message: &str) {
    LOST.store(true, Ordering::SeqCst);
    note(&format!("error: {message}"));
}

/// Returns the exit code of the program, from the one of its command.
pub fn exit(of_command: Exit) -> Exit {
    if LOST.load(Ordering::SeqCst) { Exit::Failed } else { of_command }
}

/// Prints an answer in the requested form, `seconds` after the start, and returns its exit code.
pub fn show(answer: &Answer, format: &OutputArguments, seconds: f64) -> Exit {
    let is_run = matches!(answer, Answer::Verification(_) | Answer::Obligations(_) | Answer::Against(..));
    match answer {
        Answer::Said(_) => {}
        _ if format.form().is_report() => match report(answer, format, seconds) {
            Some(Ok(text)) => result(&text),
            Some(Err(error)) => lost(&format!("the result has no JSON: {error}")),
            None => {}
        },
        Answer::Text(text) => result(text),
        _ if format.jsonl && is_run => match serde_json::to_value(answer) {
            Ok(result) => json_line(&Event::Result { time: seconds, result }),
            Err(error) => lost(&format!("the result has no JSON: {error}")),
        },
        // Inputs come one after the other, and so do their values.
        Answer::Evaluation(_) if format.form() == FormatName::Json => json_line(answer),
        _ if format.jsonl => json_line(answer),
        _ if format.form() == FormatName::Json => json(answer),
        Answer::Refused(_) => note(answer.text(false, Paint::stderr(format.color)).trim_end()),
        _ => result(&answer.text(format.verbose > 0, Paint::stdout(format.color))),
    }
    if let Some(page) = &format.page {
        write_page(page, answer);
    }
    answer.exit()
}

/// Writes the page about an answer. A failure does not affect the answer that was printed before.
fn write_page(asked: &PageArguments, answer: &Answer) {
    let words: Vec<String> = std::env::args().collect();
    let command = words.iter().enumerate().map(|(i, word)| match (i, word.contains([' ', '*', '"'])) {
        (0, _) => "bsym".to_string(),
        (_, true) => format!("'{word}'"),
        (_, false) => word.clone(),
    });
    match page(answer, &command.collect::<Vec<_>>().join(" "), asked) {
        Ok(text) => {
            if write(&asked.path, &text) {
                note(&format!("page written to {}", asked.path.display()));
            }
        }
        Err(error) => lost(&format!("--html: the page cannot be made: {error}")),
    }
}

/// Writes to standard output. A reader that went away is not a failure.
pub fn result(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        lost(&format!("standard output cannot be written: {error}"));
    }
}

/// Writes a value as one line of JSON to standard output.
pub fn json_line(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => result(&(text + "\n")),
        Err(error) => lost(&format!("the result has no JSON: {error}")),
    }
}

/// Writes a value as JSON on several lines to standard output.
fn json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => result(&(text + "\n")),
        Err(error) => lost(&format!("the result has no JSON: {error}")),
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    if let Some(recorded) = &mut *recording() {
        recorded.notes.push(text.into());
    }
    progress(text);
}

/// Writes a line about work in progress to standard error. It is no part of an answer.
pub fn progress(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Checks that a file can be written before a long run, and that it would not replace an input.
///
/// # Errors
/// The folder is missing or cannot be written, the path is a folder or one of `inputs`.
pub fn check_writable(path: &Path, flag: &str, inputs: &[&Path]) -> anyhow::Result<()> {
    let shown = path.display();
    if path.is_dir() {
        bail!(Refusal::new(format!("{flag}: `{shown}` is a folder")).help("name a file inside it"));
    }
    if let Ok(real) = path.canonicalize()
        && inputs.iter().any(|i| i.canonicalize().is_ok_and(|i| i == real))
    {
        bail!(
            Refusal::new(format!("{flag}: `{shown}` is an input of this command"))
                .help("name another file, so that nothing is lost")
        );
    }
    if path.exists() {
        let opened = std::fs::OpenOptions::new().append(true).open(path);
        return opened.map(drop).with_context(|| format!("{flag}: `{shown}` cannot be written"));
    }
    let folder = folder_of(path);
    check_folder(&folder, flag)
}

/// Checks that files can be created in a folder.
///
/// # Errors
/// It is missing, no folder, or cannot be written.
pub fn check_folder(folder: &Path, flag: &str) -> anyhow::Result<()> {
    let shown = folder.display();
    if !folder.exists() {
        bail!(
            Refusal::new(format!("{flag}: the folder `{shown}` does not exist"))
                .help(format!("create it first: mkdir -p {shown}"))
        );
    }
    if !folder.is_dir() {
        bail!("{flag}: `{shown}` is no folder");
    }
    // Only an attempt shows it: permissions say nothing to an administrator or on a read-only file system.
    let probe = folder.join(format!(".bsym-{}", std::process::id()));
    let probed = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe);
    probed.with_context(|| format!("{flag}: nothing can be written in `{shown}`"))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Writes a file that was asked for. A failure does not end the program, whose result is still to be printed; a
/// file is announced only where this is `true`.
#[must_use = "only what was written may be announced"]
pub fn write(path: &Path, text: &str) -> bool {
    let written = write_bytes(path, text.as_bytes());
    if written && let Some(recorded) = &mut *recording() {
        recorded.files.push((path.to_owned(), text.into()));
    }
    written
}

/// [`write`], of a file that is no text, by a command whose answers are not kept.
#[must_use = "only what was written may be announced"]
pub fn write_bytes(path: &Path, bytes: &[u8]) -> bool {
    match std::fs::write(path, bytes) {
        Ok(()) => true,
        Err(error) => {
            lost(&format!("`{}` cannot be written: {error}", path.display()));
            false
        }
    }
}
