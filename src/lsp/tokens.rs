//! Semantic tokens: the kind of each name, word and symbol of a text, for the colours of an editor.
//!
//! A name is coloured by its meaning, so a parameter differs from a variable; the rest by its token alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bsym_language::eventb::text::{self, Mark};
use bsym_language::lexer::{self, TokenKind};
use bsym_language::source::SourceId;
use lsp_types::{
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensLegend,
};

use super::eventb;
use super::machine::Trees;
use super::names::Kind;
use super::position::{Lines, Place};

const TYPES: [SemanticTokenType; 13] = [
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::METHOD,
    SemanticTokenType::MACRO,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::FUNCTION,
];

const MODIFIERS: [SemanticTokenModifier; 3] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::MODIFICATION,
];

const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const MODIFICATION: u32 = 4;

/// The numbers of types and modifiers in [`tokens`].
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// The tokens of each file that the editor was sent last, so that after a keystroke it gets only what has changed:
/// a machine of a thousand lines has fifty thousand numbers.
#[derive(Default)]
pub struct Sent {
    last: BTreeMap<PathBuf, SemanticTokens>,
    number: u64,
}

impl Sent {
    /// Keeps the tokens of a file, and returns them with the number that a later request names.
    pub fn whole(&mut self, path: &Path, mut tokens: SemanticTokens) -> SemanticTokens {
        self.number += 1;
        tokens.result_id = Some(self.number.to_string());
        self.last.insert(path.to_owned(), tokens.clone());
        tokens
    }

    /// Keeps the tokens of a file, and returns what differs from those with the number `known`; all of them if these
    /// are not the last ones.
    pub fn changes(
        &mut self,
        path: &Path,
        known: &str,
        tokens: SemanticTokens,
    ) -> SemanticTokensFullDeltaResult {
        let last = self.last.remove(path).filter(|last| last.result_id.as_deref() == Some(known));
        let tokens = self.whole(path, tokens);
        let Some(last) = last else { return tokens.into() };
        let edits = edit(&last.data, &tokens.data).into_iter().collect();
        SemanticTokensDelta { result_id: tokens.result_id, edits }.into()
    }

    /// Forgets the tokens of a file that is closed.
    pub fn forget(&mut self, path: &Path) {
        self.last.remove(path);
    }
}

// The edit between the tokens that both begin with and those that both end with; its places count numbers, of which a
// token has five.
fn edit(old: &[SemanticToken], new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    (!old.is_empty() || !new.is_empty()).then(|| SemanticTokensEdit {
        start: 5 * start as u32,
        delete_count: 5 * old.len() as u32,
        data: Some(new.to_vec()).filter(|data| !data.is_empty()),
    })
}

/// A coloured range of bytes.
struct Piece {
    start: usize,
    end: usize,
    of: SemanticTokenType,
    modifiers: u32,
}

/// The tokens of a machine's own file, or of a part of it.
pub fn tokens(trees: &Trees, within: Option<Range>) -> SemanticTokens {
    let whole = &trees.sources.get(SourceId(0)).text;
    let lines = Lines::new(whole);
    let mut pieces = names(trees);
    if trees.is_classical() {
        words(whole, &mut pieces);
    } else if !eventb::is_component(&trees.sources.get(SourceId(0)).path) {
        pieces.extend(text::marks(whole).into_iter().map(|(place, mark)| Piece {
            start: place.start,
            end: place.end,
            of: match mark {
                Mark::Comment => SemanticTokenType::COMMENT,
                Mark::Keyword => SemanticTokenType::KEYWORD,
                Mark::Label => SemanticTokenType::MACRO,
            },
            modifiers: 0,
        }));
    }
    pieces.sort_by_key(|piece| piece.start);
    let mut data = vec![];
    let mut place = Place::new(&lines);
    let (mut line, mut column, mut covered) = (0, 0, 0);
    for piece in pieces {
        if piece.start < covered {
            continue;
        }
        covered = piece.end;
        let Some(of) = TYPES.iter().position(|of| *of == piece.of) else { continue };
        for (start, end) in by_line(whole, piece.start, piece.end) {
            let from = place.to(start);
            let to = place.to(end);
            if to.character <= from.character || within.is_some_and(|r| to < r.start || r.end < from) {
                continue;
            }
            let delta_start = if from.line == line { from.character - column } else { from.character };
            data.push(SemanticToken {
                delta_line: from.line - line,
                delta_start,
                length: to.character - from.character,
                token_type: of as u32,
                token_modifiers_bitset: piece.modifiers,
            });
            (line, column) = (from.line, from.character);
        }
    }
    SemanticTokens { result_id: None, data }
}

// A token of the protocol stays on its line.
fn by_line(text: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut at = start;
    let mut out = vec![];
    for line in text.get(start..end).unwrap_or("").split_inclusive(['\n', '\r']) {
        out.push((at, at + line.trim_end_matches(['\n', '\r']).len()));
        at += line.len();
    }
    out
}

fn names(trees: &Trees) -> Vec<Piece> {
    let names = &trees.names;
    let here = names.occurrences.iter().filter(|o| o.span.source == SourceId(0) && o.span.start < o.span.end);
    let pieces = here.filter_map(|occurrence| {
        let declaration = &names.declarations[occurrence.meaning?];
        let of = match declaration.kind {
            Kind::Machine => SemanticTokenType::NAMESPACE,
            Kind::Set => SemanticTokenType::TYPE,
            Kind::Element => SemanticTokenType::ENUM_MEMBER,
            Kind::Constant | Kind::Variable => SemanticTokenType::VARIABLE,
            Kind::Parameter | Kind::Local => SemanticTokenType::PARAMETER,
            Kind::Operation => SemanticTokenType::METHOD,
            Kind::Definition => SemanticTokenType::MACRO,
        };
        let mut modifiers = 0;
        if declaration.span == occurrence.span {
            modifiers |= DECLARATION;
        }
        if matches!(declaration.kind, Kind::Constant | Kind::Parameter | Kind::Element) {
            modifiers |= READONLY;
        }
        if names.written.contains(&occurrence.span) {
            modifiers |= MODIFICATION;
        }
        let (start, end) = (occurrence.span.start as usize, occurrence.span.end as usize);
        Some(Piece { start, end, of, modifiers })
    });
    pieces.collect()
}

// Adds the rest of the text, which is no name with a meaning: tokens, and the comments between them.
fn words(text: &str, pieces: &mut Vec<Piece>) {
    let mut named: Vec<(usize, usize)> = pieces.iter().map(|piece| (piece.start, piece.end)).collect();
    named.sort_unstable();
    let is_named = |start: usize, end: usize| {
        let next = named.partition_point(|(_, before)| *before <= start);
        named.get(next).is_some_and(|(from, _)| *from < end)
    };
    let mut last = 0;
    for token in lexer::lex(text, SourceId(0)).tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        for (start, end) in comments(text, last, start) {
            pieces.push(Piece { start, end, of: SemanticTokenType::COMMENT, modifiers: 0 });
        }
        last = end;
        if let Some(of) = kind(token.kind, &text[start..end]).filter(|_| !is_named(start, end)) {
            pieces.push(Piece { start, end, of, modifiers: 0 });
        }
    }
}

fn kind(token: TokenKind, text: &str) -> Option<SemanticTokenType> {
    use TokenKind::*;
    let is_word = text.starts_with(char::is_alphabetic);
    Some(match token {
        Ident | QuotedIdent | Error | Eof | OpenParen | CloseParen | OpenBracket | CloseBracket
        | OpenBrace | CloseBrace | Comma | Semicolon | Dot | MiddleDot | Quote | Old => return None,
        Integer | Real => SemanticTokenType::NUMBER,
        String | LongString | Template => SemanticTokenType::STRING,
        Constant(_) => SemanticTokenType::TYPE,
        Builtin(_) | Struct | Rec => SemanticTokenType::FUNCTION,
        _ if is_word && !matches!(token, Infix(_) | Not) => SemanticTokenType::KEYWORD,
        _ => SemanticTokenType::OPERATOR,
    })
}

/// The comments between two tokens.
pub fn comments(text: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut found = vec![];
    let mut at = from;
    while let Some(start) = text.get(at..to).and_then(|gap| gap.find('/')).map(|found| at + found) {
        let rest = &text[start..to];
        let end = if rest.starts_with("/*") {
            rest.find("*/").map_or(to, |end| start + end + 2)
        } else if rest.starts_with("//") {
            rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).map_or(to, |end| start + end)
        } else {
            start + 1
        };
        found.push((start, end));
        at = end;
    }
    found
}
