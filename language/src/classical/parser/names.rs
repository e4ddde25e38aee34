//! Names: lists of them, keywords in their place, and words that are operators in call position only.

use std::collections::HashSet;

use super::recovery;
use super::state::{Parsed, Parser};
use crate::ast::{BuiltinFn, Ident};
use crate::classical::lexer::{Token, TokenKind, unescape};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;

/// Returns the words of [`BuiltinFn::of_soft_word`] that a file uses as names: they occur without parentheses behind
/// them, or name a definition or operation with parameters.
pub(super) fn plain_words<'t>(text: &'t str, tokens: &[Token]) -> HashSet<&'t str> {
    let mut words = HashSet::new();
    for (index, token) in tokens.iter().enumerate().filter(|(_, t)| t.kind == TokenKind::Ident) {
        let word = &text[token.start as usize..token.end as usize];
        if BuiltinFn::of_soft_word(word).is_none() || words.contains(word) {
            continue;
        }
        let called = tokens.get(index + 1).is_some_and(|t| t.kind == TokenKind::OpenParen);
        let mut open = 0;
        let parameters = |t: &&Token| match t.kind {
            TokenKind::OpenParen => {
                open += 1;
                true
            }
            TokenKind::CloseParen => {
                open -= 1;
                open >= 0
            }
            kind => matches!(kind, TokenKind::Ident | TokenKind::Comma),
        };
        // Long enough for any real list of parameters, short enough to keep the scan linear.
        let rest = &tokens[index + 1..tokens.len().min(index + 100)];
        let behind = rest.iter().take_while(parameters).count();
        let kind = |i: usize| rest.get(i).map_or(TokenKind::Eof, |t| t.kind);
        // In a formula `top(t) = IF` is an equation.
        let header = index.checked_sub(1).is_some_and(|before| {
            use TokenKind::{LocalOperations, Operations, Outputs, Semicolon};
            matches!(tokens[before].kind, LocalOperations | Operations | Outputs | Semicolon)
        });
        let declared = match (kind(behind), kind(behind + 1)) {
            (TokenKind::Defines, _) => true,
            (TokenKind::Equal, TokenKind::If | TokenKind::Let) => header,
            (TokenKind::Equal, next) => recovery::opens_block(next),
            _ => false,
        };
        if !called || declared {
            words.insert(word);
        }
    }
    words
}

impl Parser<'_> {
    /// Returns whether the next token is a word that cannot be a name.
    pub(super) fn is_keyword(&self) -> bool {
        !matches!(self.kind(), TokenKind::Ident | TokenKind::Error | TokenKind::Eof)
            && self.text_at(self.at).starts_with(|c: char| c.is_ascii_alphabetic())
    }

    /// Parses a simple name.
    pub(super) fn name(&mut self, expected: &str) -> Parsed<Ident> {
        let text = self.text_at(self.at);
        let span = self.span();
        let name = match self.kind() {
            TokenKind::Ident => text.to_owned(),
            TokenKind::QuotedIdent => unescape(&text[1..text.len() - 1]),
            _ if self.misused_keywords.contains(text) => text.to_owned(),
            _ if self.is_keyword() => {
                let message = format!("`{text}` is a keyword and cannot be a name");
                let diagnostic = Diagnostic::error(codes::KEYWORD_AS_NAME, span, message)
                    .help(format!("choose another name, or write it between backquotes: `` `{text}` ``"));
                let reported = self.report(diagnostic);
                if self.is_structure() {
                    return Err(reported);
                }
                self.misused_keywords.insert(text);
                text.to_owned()
            }
            _ => return Err(self.unexpected(codes::EXPECTED_NAME, expected)),
        };
        self.bump();
        Ok(Ident { name, span })
    }

    /// Parses a name with its renaming prefixes: `p.q.x`.
    pub(super) fn dotted_name(&mut self) -> Parsed<Ident> {
        let mut ident = self.name("a name")?;
        while self.is(TokenKind::Dot)
            && matches!(self.kind_at(self.at + 1), TokenKind::Ident | TokenKind::QuotedIdent)
        {
            self.bump();
            let next = self.name("a name")?;
            ident = Ident { name: format!("{}.{}", ident.name, next.name), span: ident.span.to(next.span) };
        }
        Ok(ident)
    }

    /// One or more simple names separated by commas.
    pub(super) fn names(&mut self, expected: &str) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.name(expected)?];
        while self.eat(TokenKind::Comma).is_some() {
            names.push(self.name(expected)?);
        }
        Ok(names)
    }

    /// One or more names, with renaming prefixes, separated by commas.
    pub(super) fn dotted_names(&mut self) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.dotted_name()?];
        while self.eat(TokenKind::Comma).is_some() {
            names.push(self.dotted_name()?);
        }
        Ok(names)
    }
}
