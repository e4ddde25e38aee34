//! Colour, where it is wanted. Without colour the text is the same.

use std::io::IsTerminal;

use crate::arguments::ColorChoice;

/// Paints or leaves text as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// For standard output.
    pub fn stdout(choice: ColorChoice) -> Paint {
        Paint::choose(choice, std::io::stdout().is_terminal())
    }

    /// For standard error.
    pub fn stderr(choice: ColorChoice) -> Paint {
        Paint::choose(choice, std::io::stderr().is_terminal())
    }

    fn choose(choice: ColorChoice, terminal: bool) -> Paint {
        let asked_not_to = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Paint {
            on: match choice {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => terminal && !asked_not_to,
            },
        }
    }

    /// Whether there is colour.
    pub fn is_on(self) -> bool {
        self.on
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// Neither.
    pub fn doubt(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    /// A heading.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Less important.
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }
}
