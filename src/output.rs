//! Writing: results to standard output, everything else to standard error, evidence to files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::refusal::Refusal;

/// Whether anything that was asked for could not be written.
///
/// One flag for the whole program, so that no command can forget it: whoever gets an exit code other than 4 has
/// every file that was asked for, and the whole result.
static LOST: AtomicBool = AtomicBool::new(false);

/// Something that was asked for could not be written: it is said, and the program will end with exit code 4.
pub fn lost(message: &str) {
    LOST.store(true, Ordering::SeqCst);
    note(&format!("error: {message}"));
}

/// The exit code of the program, from that of its command.
pub fn exit_code(of_command: u8) -> u8 {
    if LOST.load(Ordering::SeqCst) { 4 } else { of_command }
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
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => result(&(text + "\n")),
        Err(error) => lost(&format!("the result has no JSON: {error}")),
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Checks that a file can be written before a long run, and that it would not replace an input.
///
/// # Errors
/// The folder is missing or cannot be written, the path is a folder or one of `inputs`.
pub fn check_writable(path: &Path, flag: &str, inputs: &[&Path]) -> Result<(), Refusal> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Refusal::new(format!("{flag}: `{shown}` is a folder")).help("name a file inside it"));
    }
    if let Ok(real) = path.canonicalize()
        && inputs.iter().any(|i| i.canonicalize().is_ok_and(|i| i == real))
    {
        return Err(Refusal::new(format!("{flag}: `{shown}` is an input of this command"))
            .help("name another file, so that nothing is lost"));
    }
    if path.exists() {
        return match std::fs::OpenOptions::new().append(true).open(path) {
            Ok(_) => Ok(()),
            Err(error) => Err(Refusal::new(format!("{flag}: `{shown}` cannot be written: {error}"))),
        };
    }
    let folder = folder_of(path);
    check_folder(&folder, flag)
}

/// Checks that files can be created in a folder.
///
/// # Errors
/// It is missing, no folder, or cannot be written.
pub fn check_folder(folder: &Path, flag: &str) -> Result<(), Refusal> {
    let shown = folder.display();
    if !folder.exists() {
        return Err(Refusal::new(format!("{flag}: the folder `{shown}` does not exist"))
            .help(format!("create it first: mkdir -p {shown}")));
    }
    if !folder.is_dir() {
        return Err(Refusal::new(format!("{flag}: `{shown}` is no folder")));
    }
    // Only trying tells: permissions say nothing to an administrator or on a read-only file system.
    let probe = folder.join(format!(".bsym-{}", std::process::id()));
    match std::fs::OpenOptions::new().write(true).create_new(true).open(&probe) {
        Ok(_) => {
            let _ = std::fs::remove_file(&probe);
            Ok(())
        }
        Err(error) => Err(Refusal::new(format!("{flag}: nothing can be written in `{shown}`: {error}"))),
    }
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
    match std::fs::write(path, text) {
        Ok(()) => true,
        Err(error) => {
            lost(&format!("`{}` cannot be written: {error}", path.display()));
            false
        }
    }
}
