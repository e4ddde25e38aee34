//! Answers that are kept, so that a question is not asked twice: of `check`, `bmc`, `tree`, `kind`, `ic3`, `mc`, `ltl`,
//! `refine` and `po`.
//!
//! An answer is found by its [`key`]: the command with the flags and settings that matter, the version of bsym, and the
//! solvers and provers that can be reached. It counts only while the file system answers each question that reading the machine
//! asked ([`bsym_language::observed`]) as it did then: contents by hash, files that were missing, names in folders.
//! Times of files play no part.
//!
//! Kept are `holds`, `violated` and `vacuous`. An `unknown` is kept only where a limit on depth, states or valuations,
//! which is part of the key, is the reason. What was stopped by a limit of time or memory or by an interrupt is never kept, so
//! that these limits are no part of the key. Where the cache cannot be read or written, the question is asked anew.

mod key;
mod programs;
mod store;

use std::path::PathBuf;

use bsym_language::observed;
use bsym_semantics::verdict::{ReasonCode, Verdict};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::answer::kept::Kept;
use crate::answer::temporal::TemporalObject;
use crate::answer::verification::VerdictWord;
use crate::arguments::{Command, EngineName, OutputArguments};
use crate::exit::Exit;
use crate::output;
use crate::paint::Paint;
use crate::race::control::Control;

use self::key::Key;
use self::store::{Entry, Store};

/// An answer as it was given, with everything that was written on the way.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Given {
    exit: u8,
    /// As an object of JSON.
    result: serde_json::Value,
    /// As text, if that was the form.
    text: String,
    /// Lines on standard error.
    notes: Vec<String>,
    /// Files of evidence.
    files: Vec<(PathBuf, String)>,
}

/// Returns the kept answer to a command about one machine, if there is one. Writes the files that the command asks for, and the
/// notes that belong to it.
pub fn answer(command: &Command) -> Option<Answer> {
    let store = Store::open()?;
    let given: Given = store.find(&Key::of(command)?.name)?;
    // A file that cannot be written is a mistake of the command line, which another run tells.
    if given.files.iter().any(|(path, _)| output::check_writable(path, "", &[]).is_err()) {
        return None;
    }
    let exit = Exit::of_code(given.exit);
    for (path, text) in &given.files {
        // A failure is reported, and decides the exit code.
        let _ = output::write(path, text);
    }
    if !command.output().is_for_programs() {
        given.notes.iter().for_each(|note| output::note(note));
        output::note("note: this answer is from the cache; --no-cache asks anew");
    }
    Some(Answer::Kept(Box::new(Kept::new(exit, given.result, given.text))))
}

/// A command whose answer is to be kept.
pub struct Keeping {
    key: Key,
    format: OutputArguments,
    keeps_going: bool,
    /// Several engines work under one limit of time.
    is_race: bool,
}

impl Keeping {
    /// Begins to record what an answer depends on. `None` if the answer is not kept.
    pub fn begin(command: &Command, control: &Control) -> Option<Keeping> {
        if control.searches_for_another() {
            return None;
        }
        Store::open()?;
        let key = Key::of(command)?;
        observed::start();
        output::record();
        let keeps_going = match command {
            Command::Check(a) => a.verify.keep_going,
            Command::Mc(a) => a.verify.keep_going,
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => a.keep_going,
            _ => false,
        };
        let is_race =
            matches!(command, Command::Check(a) if matches!(a.engine, None | Some(EngineName::Check)));
        Some(Keeping { key, format: command.output(), keeps_going, is_race })
    }

    /// Keeps the answer, if it is one that another run would give again. What goes wrong is no concern of the user.
    pub fn keep(self, answer: &Answer, control: &Control) {
        let recorded = output::recorded();
        let (Some(recorded), None, Some(store)) = (recorded, control.stopped(), Store::open()) else {
            return;
        };
        if output::has_lost() || !self.is_final(answer) {
            return;
        }
        let depends = observed::all();
        // What has changed meanwhile may have been read before or after.
        if depends.is_empty() || depends.iter().any(|(question, answer)| question.answer() != *answer) {
            return;
        }
        let Ok(result) = serde_json::to_value(answer) else { return };
        let text = match self.format.is_for_programs() {
            true => String::new(),
            false => answer.text(self.format.verbose > 0, Paint::stdout(self.format.color)),
        };
        let exit = answer.exit() as u8;
        let given = Given { exit, result, text, notes: recorded.notes, files: recorded.files };
        if let Err(error) = store.keep(&self.key.name, &Entry { depends, given }) {
            tracing::debug!("the answer is not kept: {error}");
        }
    }

    /// Returns whether the answer does not depend on the time that a run had.
    fn is_final(&self, answer: &Answer) -> bool {
        match answer {
            Answer::Verification(found) => match &found.verdict {
                Verdict::Holds(_) | Verdict::Vacuous(..) => true,
                Verdict::Violated(_) => !self.keeps_going || !found.has_open(),
                Verdict::Unknown(reason) => is_of_flags(reason.code()) && !self.is_race,
                _ => false,
            },
            Answer::Temporal(found) => {
                let is_final = |f: &TemporalObject| {
                    f.verdict != VerdictWord::Unknown || f.reason.is_some_and(is_of_flags)
                };
                found.formulas.iter().all(is_final)
            }
            Answer::Refinement(found) => matches!(found.exit(), Exit::Done | Exit::Violated),
            Answer::Obligations(found) => found.is_final(),
            _ => false,
        }
    }
}

/// Returns whether a reason for `unknown` is a limit that the key contains.
fn is_of_flags(reason: ReasonCode) -> bool {
    matches!(reason, ReasonCode::DepthLimit | ReasonCode::StateLimit | ReasonCode::ValuationLimit)
}

/// Says where the cache is and how large.
pub fn about() -> String {
    match Store::open() {
        None => "the cache is off (BSYM_CACHE), or there is no folder for it\n".into(),
        Some(store) => {
            let (number, bytes) = store.size();
            let answers = if number == 1 { "1 answer".into() } else { format!("{number} answers") };
            format!(
                "{}\n{answers}, {} of at most {}\n",
                store.folder().display(),
                shown(bytes),
                shown(store.limit())
            )
        }
    }
}

/// Removes all kept answers.
///
/// # Errors
/// A file cannot be removed.
pub fn clear() -> anyhow::Result<String> {
    let Some(store) = Store::open() else { return Ok(about()) };
    let (number, bytes) = store.size();
    store.clear()?;
    let answers = if number == 1 { "1 answer".into() } else { format!("{number} answers") };
    Ok(format!("{answers} removed, {}\n", shown(bytes)))
}

fn shown(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0)),
    }
}
