//! The answer to wrong input: one clear message with a hint.

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::DiagnosticObject;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::refusal::Refusal;

/// What bsym prints with --json when it refuses its input (exit code 2) or is stopped before it has read it (3)
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Refused {
    #[schemars(extend("const" = "bsym-error"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    error: String,
    help: Option<String>,
    diagnostics: Vec<DiagnosticObject>,
    #[serde(skip)]
    excerpts: Vec<String>,
    /// What a script is told.
    #[serde(skip)]
    pub exit: Exit,
}

impl Refused {
    /// A message alone.
    pub fn new(error: String, exit: Exit) -> Refused {
        let (help, diagnostics, excerpts) = (None, vec![], vec![]);
        Refused { format: "bsym-error", version: 1, error, help, diagnostics, excerpts, exit }
    }

    /// The message without its help.
    pub fn error(&self) -> &str {
        &self.error
    }

    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        let mut out: String = self.excerpts.iter().map(|excerpt| format!("{excerpt}\n\n")).collect();
        out.push_str(&format!("{}: {}\n", paint.bad("error"), self.error));
        if let Some(help) = &self.help {
            out.push_str(&format!("  = help: {help}\n"));
        }
        out
    }
}

impl From<&anyhow::Error> for Refused {
    /// The message with its causes, each said once, and what the user can do.
    fn from(error: &anyhow::Error) -> Refused {
        let mut message = String::new();
        for cause in error.chain().map(ToString::to_string) {
            // Many an error says its cause itself.
            if message.is_empty() {
                message = cause;
            } else if !message.ends_with(&cause) {
                message.push_str(&format!(": {cause}"));
            }
        }
        let refused = Refused::new(message, Exit::Refused);
        match error.downcast_ref::<Refusal>() {
            None => refused,
            Some(refusal) => Refused {
                help: refusal.help.clone(),
                diagnostics: refusal.diagnostics.clone(),
                excerpts: refusal.excerpts.clone(),
                ..refused
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn a_message_has_its_causes_and_the_help_of_the_refusal() {
        let refusal = Refusal::new("no such file").help("check the path");
        let error = anyhow::Error::from(refusal).context("--proofs");
        let refused = Refused::from(&error);
        assert_eq!(
            (refused.error.as_str(), refused.help.as_deref()),
            ("--proofs: no such file", Some("check the path"))
        );
        let twice = Err::<(), _>(anyhow!("b")).context("a: b").unwrap_err();
        assert_eq!(Refused::from(&twice).error, "a: b");
    }
}
