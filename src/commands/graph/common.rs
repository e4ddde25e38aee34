//! What pictures of a state space and of one state have in common.

use bsym_language::load::check_predicate;
use bsym_language::model::{Model, Pred};
use bsym_semantics::verdict::ReasonCode;

use crate::answer::graph::{GraphAnswer, ViewWord};
use crate::answer::not_checked::DroppedObject;
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::arguments::{GraphArguments, ViewName};
use crate::drawing::{self, Picture};
use crate::paint::Paint;
use crate::refusal::Refusal;

/// Output format, by the extension of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Dot,
    Svg,
    Html,
    Json,
}

/// Reads the predicate of a flag.
///
/// # Errors
/// The text is no predicate of the machine.
pub(super) fn predicate(model: &mut Model, flag: &str, text: &str, paint: Paint) -> anyhow::Result<Pred> {
    check_predicate(model, text).map_err(|diagnostics| {
        let refusal = Refusal::new(format!("{flag}: `{text}` is no predicate of {}", model.name));
        refusal.diagnostics(&model.text.sources, &diagnostics, paint).into()
    })
}

/// Makes the answer before anything is known.
pub(super) fn begun(arguments: &GraphArguments, model: &Model, scope: ScopeObject) -> GraphAnswer {
    GraphAnswer {
        format: "bsym-graph",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        view: match arguments.view {
            ViewName::States => ViewWord::States,
            ViewName::Signature => ViewWord::Signature,
            ViewName::Dfa => ViewWord::Automaton,
            ViewName::Paths => ViewWord::Paths,
        },
        scope,
        complete: false,
        core: vec![],
        reason: None,
        messages: vec![],
        states: 0,
        transitions: 0,
        nodes: 0,
        edges: 0,
        definite: None,
        picture: None,
        graph: None,
        state: None,
        not_checked: DroppedObject::all(model),
        stats: TimeObject { seconds: 0.0 },
    }
}

impl GraphAnswer {
    /// Notes that something is missing, and why.
    pub(super) fn incomplete(&mut self, reason: Option<ReasonCode>, message: String) {
        self.complete = false;
        self.reason = self.reason.or(reason);
        self.messages.push(message);
    }
}

/// The text of a picture in a format; `None` for JSON, which is no picture.
pub(super) fn text_of(format: Format, picture: &Picture) -> Option<String> {
    match format {
        Format::Dot => Some(drawing::dot(picture)),
        Format::Svg => Some(drawing::svg(picture, &drawing::layout(picture))),
        Format::Html => Some(drawing::html(picture, &drawing::layout(picture))),
        Format::Json => None,
    }
}
