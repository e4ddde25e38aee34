//! What a line of a session can be completed with, and the prompt in front of it.

use super::command::COMMANDS;
use super::session::Session;
use crate::paint::Paint;

/// Commands with the name of a file behind them.
pub const WITH_FILES: &[&str] = &["save", "load"];

/// Returns the prompt: the number of the current step.
pub fn prompt(session: &Session, paint: Paint) -> String {
    let place = session.at.checked_sub(1).map_or("start".into(), |at| at.to_string());
    format!("{}> ", paint.strong(&place))
}

/// Returns the words that complete a line at the current position: commands, events, variables and constants.
pub fn words(session: &Session) -> Vec<String> {
    let model = &session.model;
    let commands = COMMANDS.iter().skip(1).map(|(word, ..)| word.to_string());
    let names = model.variables.iter().chain(&model.constants).map(|x| x.name.clone());
    commands
        .chain(["help".to_string()])
        .chain(model.events.iter().map(|e| e.name.clone()))
        .chain(names)
        .collect()
}
