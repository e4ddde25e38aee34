//! Errors of temporal formulas, with their places.

/// Error of a text that is not a formula of a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct TemporalError {
    /// Position in the text, in bytes.
    pub at: usize,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice for the user.
    pub help: Option<String>,
}

impl TemporalError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> TemporalError {
        TemporalError { at, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> TemporalError {
        self.help = Some(help.into());
        self
    }
}
