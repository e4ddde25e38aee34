//! Code actions: the corrections that messages propose, as changes of the text.

use std::collections::HashMap;

use bsym_language::diagnostic::{self, Fix};
use bsym_language::load::Loaded;
use bsym_language::source::{SourceId, Sources};
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit};

use super::diagnostics::{self, Places};

/// The corrections of the messages that touch a range of a machine's own file.
pub fn actions(loaded: &Loaded, uri: &Uri, range: Range) -> Vec<CodeActionOrCommand> {
    let places = Places::new(&loaded.sources);
    let here = |d: &&diagnostic::Diagnostic| d.span.source == SourceId(0);
    let found = loaded.diagnostics.iter().filter(here).filter_map(|d| {
        let fix = d.fix.as_deref().filter(|fix| fix.span.source == SourceId(0))?;
        let place = places.range(d.span);
        (place.start <= range.end && range.start <= place.end).then(|| action(&places, loaded, uri, d, fix))
    });
    found.collect()
}

#[allow(clippy::mutable_key_type)] // The type of the protocol; addresses do not change.
fn action(
    places: &Places,
    loaded: &Loaded,
    uri: &Uri,
    d: &diagnostic::Diagnostic,
    fix: &Fix,
) -> CodeActionOrCommand {
    let edit = TextEdit::new(places.range(fix.span), replacement(&loaded.sources, fix));
    let title = format!("Replace `{}` by `{}`", loaded.sources.text(fix.span), edit.new_text.trim());
    let changes = Some(HashMap::from([(uri.clone(), vec![edit])]));
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostics::message(places, d)]),
        edit: Some(WorkspaceEdit { changes, ..WorkspaceEdit::default() }),
        is_preferred: Some(true),
        ..CodeAction::default()
    })
}

// The new text keeps the mark of an old value, and does not merge with an adjacent word (`a%b`).
fn replacement(sources: &Sources, fix: &Fix) -> String {
    let source = &sources.get(fix.span.source).text;
    let old = sources.text(fix.span);
    let mark = ["$0", "'"].into_iter().find(|mark| old.ends_with(mark) && !fix.text.ends_with(mark));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (before, after) = (&source[..fix.span.start as usize], &source[fix.span.end as usize..]);
    let left = before.ends_with(is_word) && fix.text.starts_with(is_word);
    let right = after.starts_with(is_word) && fix.text.ends_with(is_word);
    let space = |needed: bool| if needed { " " } else { "" };
    format!("{}{}{}{}", space(left), fix.text, mark.unwrap_or(""), space(right))
}
