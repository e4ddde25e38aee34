//! What is wrong with a temporal formula, and where.

/// Why a text is no formula of a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct TemporalError {
    /// Where in the text, in bytes.
    pub at: usize,
    /// Lower case, no full stop.
    pub message: String,
    /// What the user can do.
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
