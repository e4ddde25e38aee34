//! Completion at a position: the names that are visible there, keywords, and operators that are words.

use std::collections::BTreeSet;

use bsym_language::ast::BuiltinFn;
use bsym_language::eventb::text;
use bsym_language::lexer::KEYWORDS;
use bsym_language::load::Loaded;
use bsym_language::source::SourceId;
use lsp_types::{CompletionItem, CompletionItemKind, Position};

use super::eventb;
use super::hover;
use super::machine::Trees;
use super::names::{Declaration, Kind};

/// Sets and truth values that have a name of their own.
const CONSTANTS: [&str; 14] = [
    "INTEGER", "NATURAL", "NATURAL1", "INT", "NAT", "NAT1", "BOOL", "STRING", "REAL", "FLOAT", "TRUE",
    "FALSE", "MAXINT", "MININT",
];

/// Operators that are words in classical B alone.
const WORDS: [&str; 18] = [
    "closure", "closure1", "iterate", "seq", "seq1", "iseq", "iseq1", "perm", "size", "first", "last",
    "front", "tail", "rev", "conc", "FIN", "FIN1", "skip",
];

/// Returns all completions at a position; the editor filters them by the text that is there already.
pub fn completion(trees: &Trees, loaded: Option<&Loaded>, position: Position) -> Vec<CompletionItem> {
    let model = loaded.and_then(|loaded| loaded.model.as_ref());
    let visible = trees.names.visible(&trees.project, SourceId(0), trees.before(position));
    let mut taken: BTreeSet<String> = visible.iter().map(|d| d.name.clone()).collect();
    let names = visible.into_iter().map(|declaration| CompletionItem {
        label: declaration.name.clone(),
        kind: Some(kind(declaration)),
        detail: Some(hover::signature(trees, model, declaration, &declaration.name)),
        // Names of the model come before words of the language.
        sort_text: Some(format!("0{}", declaration.name)),
        ..CompletionItem::default()
    });
    let mut items: Vec<CompletionItem> = names.collect();
    let operators = BuiltinFn::of_event_b()
        .map(|(_, word)| word.spelling())
        .chain(WORDS.into_iter().filter(|_| trees.is_classical()))
        .filter(|word| word.starts_with(char::is_alphabetic));
    let (keywords, constants): (&[&str], &[&str]) = match trees.is_classical() {
        true => (&KEYWORDS, &CONSTANTS),
        false => {
            let is_text = !eventb::is_component(&trees.sources.get(SourceId(0)).path);
            (if is_text { &text::KEYWORDS } else { &[] }, &["BOOL", "TRUE", "FALSE"])
        }
    };
    let words = keywords.iter().map(|word| (*word, CompletionItemKind::KEYWORD));
    let words = words.chain(constants.iter().map(|word| (*word, CompletionItemKind::CONSTANT)));
    let words = words.chain(operators.map(|word| (word, CompletionItemKind::FUNCTION)));
    for (word, kind) in words.filter(|(word, _)| taken.insert(word.to_string())) {
        let sort_text = Some(format!("1{word}"));
        items.push(CompletionItem {
            label: word.into(),
            kind: Some(kind),
            sort_text,
            ..CompletionItem::default()
        });
    }
    items
}

fn kind(declaration: &Declaration) -> CompletionItemKind {
    match declaration.kind {
        Kind::Machine => CompletionItemKind::MODULE,
        Kind::Set => CompletionItemKind::ENUM,
        Kind::Element => CompletionItemKind::ENUM_MEMBER,
        Kind::Constant => CompletionItemKind::CONSTANT,
        Kind::Operation => CompletionItemKind::METHOD,
        Kind::Definition => CompletionItemKind::FUNCTION,
        Kind::Parameter | Kind::Variable | Kind::Local => CompletionItemKind::VARIABLE,
    }
}
