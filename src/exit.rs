//! The exit codes, for scripts.

use std::process::ExitCode;

/// Exit code of the program. Of several inputs of one command the greatest counts; of several machines that are
/// checked, a failure takes precedence over wrong input, a violation and an unknown result, in this order
/// (`commands::many`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// The property holds, or the command did its work.
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
    /// Returns the place among the exits of several machines: the worst is the greatest.
    pub fn rank(self) -> usize {
        let order = [Exit::Done, Exit::Unknown, Exit::Violated, Exit::Refused, Exit::Failed];
        order.iter().position(|exit| *exit == self).unwrap_or(order.len())
    }

    /// Returns the exit with this code; an unknown code is a failure.
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
