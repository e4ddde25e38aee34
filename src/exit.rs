//! The exit codes: what a script is told.

use std::process::ExitCode;

/// What the program ends with. Of several inputs of one command the greatest counts; of several machines that are checked, a
/// failure before wrong input before what is violated before what is unknown (`commands::many`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// It holds, or the command did its work.
    Done = 0,
    /// Something is violated, or a certificate or trace fails its check.
    Violated = 1,
    /// Wrong usage or input.
    Refused = 2,
    /// Unknown, vacuous or interrupted.
    Unknown = 3,
    /// A failure of bsym itself, or a file that cannot be written.
    Failed = 4,
}

impl Exit {
    /// The exit with this code; what no command ends with is a failure.
    #[cfg(unix)]
    pub fn of_code(code: u8) -> Exit {
        let all = [Exit::Done, Exit::Violated, Exit::Refused, Exit::Unknown];
        all.into_iter().find(|&e| e as u8 == code).unwrap_or(Exit::Failed)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
