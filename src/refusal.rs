//! Wrong input: one clear message with a hint, exit code 2.

use bsym_language::diagnostic::{Diagnostic, Severity};
use bsym_language::render;
use bsym_language::source::Sources;

use crate::answer::{DiagnosticObject, diagnostic_object, error_object};
use crate::arguments::OutputArguments;
use crate::output;
use crate::paint::Paint;

/// Why a command cannot be carried out as it was given.
#[derive(Clone, Debug)]
pub struct Refusal {
    message: String,
    help: Option<String>,
    diagnostics: Vec<DiagnosticObject>,
    excerpts: Vec<String>,
}

impl Refusal {
    /// A message: lower case, no full stop.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: None, diagnostics: vec![], excerpts: vec![] }
    }

    /// What the user can do.
    pub fn help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }

    /// Messages about a model, each with its place.
    pub fn diagnostics(mut self, sources: &Sources, all: &[Diagnostic], paint: Paint) -> Refusal {
        self.diagnostics.extend(all.iter().map(|d| diagnostic_object(sources, d)));
        self.excerpts.extend(all.iter().map(|d| render::render(sources, d, paint.is_on())));
        self
    }

    /// Prints it: as JSON on standard output if that was asked for, else on standard error.
    pub fn print(&self, format: &OutputArguments) {
        if format.json || format.jsonl {
            let object = error_object(&self.message, self.help.as_deref(), &self.diagnostics);
            if format.jsonl {
                output::json_line(&object)
            } else {
                output::json(&object)
            }
            return;
        }
        let paint = Paint::stderr(format.color);
        for excerpt in &self.excerpts {
            output::note(excerpt);
            output::note("");
        }
        output::note(&format!("{}: {}", paint.bad("error"), self.message));
        if let Some(help) = &self.help {
            output::note(&format!("  = help: {help}"));
        }
    }
}

/// Number of errors among messages.
pub fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}

/// The known name that is most like a name, if any is.
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |k: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &k.to_lowercase());
    let (best, nearest) = known.into_iter().map(|k| (distance(k), k)).min()?;
    (best <= (name.chars().count() / 3).max(1)).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(similar("capcity", ["capacity", "level"]), Some("capacity"));
        assert_eq!(similar("C", ["c", "d"]), Some("c"));
        assert_eq!(similar("width", ["capacity", "level"]), None);
        assert_eq!(similar("x", []), None);
    }
}
