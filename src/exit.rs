//! The exit codes: what a script is told.

use std::process::ExitCode;

/// What the program ends with. Of several, the greatest counts.
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
