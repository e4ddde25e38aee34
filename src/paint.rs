//! Colour, where it is wanted. Without colour the text is the same.

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use crate::arguments::ColorChoice;

/// Paints or leaves text as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Returns the style for standard output.
    pub fn stdout(choice: ColorChoice) -> Paint {
        Paint::choose(choice, AutoStream::choice(&std::io::stdout()))
    }

    /// Returns the style for standard error.
    pub fn stderr(choice: ColorChoice) -> Paint {
        Paint::choose(choice, AutoStream::choice(&std::io::stderr()))
    }

    /// `detected` depends on the terminal and the environment.
    fn choose(choice: ColorChoice, detected: anstream::ColorChoice) -> Paint {
        Paint {
            on: match choice {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => detected != anstream::ColorChoice::Never,
            },
        }
    }

    /// Returns whether colour is used.
    pub fn is_on(self) -> bool {
        self.on
    }

    fn wrap(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.wrap(AnsiColor::Green.on_default().bold(), text)
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.wrap(AnsiColor::Red.on_default().bold(), text)
    }

    /// Neither good nor bad news.
    pub fn doubt(self, text: &str) -> String {
        self.wrap(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// A heading.
    pub fn strong(self, text: &str) -> String {
        self.wrap(Style::new().bold(), text)
    }

    /// Marks text as less important.
    pub fn faint(self, text: &str) -> String {
        self.wrap(Style::new().dimmed(), text)
    }
}
