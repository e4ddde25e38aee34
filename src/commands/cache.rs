//! `bsym cache`: where answers are kept, and their removal.

use crate::answer::Answer;
use crate::arguments::{CacheAction, CacheArguments};
use crate::cache;

/// Runs the command.
pub fn run(arguments: CacheArguments) -> anyhow::Result<Answer> {
    Ok(Answer::Text(match arguments.action {
        None => cache::about(),
        Some(CacheAction::Clear) => cache::clear()?,
    }))
}
