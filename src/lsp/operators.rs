//! Meaning of a symbol or word of the language: its sentence, all ways to write it, and the source.

use bsym_language::ast::meaning::{self, Meaning};
use bsym_language::ast::{BinaryOp, BuiltinFn};
use bsym_language::lexer::{self, TokenKind};
use bsym_language::source::SourceId;

/// The meaning of the token at a byte of a text, with the bytes of the token.
pub fn at(text: &str, offset: usize) -> Option<(String, std::ops::Range<usize>)> {
    let tokens = lexer::lex(text, SourceId(0)).tokens;
    let is_here =
        |t: &&lexer::Token| t.start as usize <= offset && offset <= t.end as usize && t.start < t.end;
    // Of two adjacent tokens, the one that begins here.
    let token = tokens.iter().filter(is_here).max_by_key(|t| t.start)?;
    let bytes = token.start as usize..token.end as usize;
    let (meaning, spellings) = of_token(token.kind, &text[bytes.clone()])?;
    Some((markdown(meaning, spellings), bytes))
}

/// The sentence with the ways to write it and its source.
pub fn markdown(meaning: Meaning, spellings: &[&str]) -> String {
    let mut text = meaning.text.to_string();
    // Rodin's own font has symbols that others show as boxes.
    let shown = |s: &&&str| !s.starts_with('@') && !s.chars().any(|c| ('\u{E000}'..'\u{F8FF}').contains(&c));
    let shown: Vec<String> = spellings.iter().filter(shown).map(|s| format!("`{s}`")).collect();
    if shown.len() > 1 {
        text.push_str(&format!("\n\nWritten {}.", shown.join(" or ")));
    }
    text.push_str(&format!("\n\nSource: {}", meaning.source));
    text
}

fn of_token(kind: TokenKind, text: &str) -> Option<(Meaning, &'static [&'static str])> {
    let binary = |op: BinaryOp| Some((op.meaning(), op.spellings()));
    let word = |word: &str, spellings: &'static [&'static str]| Some((meaning::of_keyword(word)?, spellings));
    match kind {
        TokenKind::Infix(op) | TokenKind::Reversed(op) => binary(op),
        TokenKind::Equal => binary(BinaryOp::Equal),
        TokenKind::Colon => binary(BinaryOp::Member),
        TokenKind::Minus => binary(BinaryOp::Minus),
        TokenKind::Parallel => binary(BinaryOp::ParallelProduct),
        TokenKind::Semicolon => binary(BinaryOp::Composition),
        TokenKind::Builtin(function) => Some((function.meaning(), function.spellings())),
        TokenKind::Ident => {
            BuiltinFn::of_soft_word(text).map(|function| (function.meaning(), function.spellings()))
        }
        TokenKind::Quantifier(quantifier) => Some((quantifier.meaning(), &[])),
        TokenKind::Constant(constant) => Some((constant.meaning(), &[])),
        TokenKind::Assign => word(":=", &[":=", "≔"]),
        TokenKind::BecomesIn => word("::", &["::", ":∈"]),
        TokenKind::Outputs => word("<--", &["<--", "←"]),
        TokenKind::Defines => word("==", &["==", "≜"]),
        TokenKind::Not => word("not", &["not", "¬"]),
        TokenKind::Inverse => word("~", &["~", "∼", "⁻¹"]),
        TokenKind::Initialisation => word("INITIALISATION", &[]),
        TokenKind::Model => word("MACHINE", &[]),
        TokenKind::Constants => word("CONSTANTS", &[]),
        TokenKind::AbstractConstants => word("ABSTRACT_CONSTANTS", &[]),
        TokenKind::Variables => word("VARIABLES", &[]),
        TokenKind::ConcreteVariables => word("CONCRETE_VARIABLES", &[]),
        _ => word(text, &[]),
    }
}
