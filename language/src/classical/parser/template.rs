//! Template strings: `` ```x = ${x + 1}``` ``, also with `$«x + 1»`. One is read as the concatenation
//! of its texts and of its expressions as text.

use super::state::{Parsed, Parser};
use crate::ast::{Expr, ExprKind};
use crate::classical::lexer::{self, TokenKind, unescape};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::Span;

/// The names of ProB's functions that a template calls, whatever the file declares.
const CONCATENATE: &str = "$STRING_CONC";
const SHOW: &str = "$TO_STRING";

impl Parser<'_> {
    /// Parses the template at the next token.
    pub(super) fn template(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let content = &self.text_at(self.at)[3..self.text_at(self.at).len() - 3];
        let mut parts = vec![];
        let (mut rest, mut offset) = (content, span.start as usize + 3);
        while let Some(at) = rest.find('$') {
            let behind = &rest[at + 1..];
            let (open, close) = if behind.starts_with('{') { ('{', '}') } else { ('«', '»') };
            if !behind.starts_with(open) {
                let text = &rest[..at + 1];
                parts.push(string(text, span));
                (rest, offset) = (&rest[at + 1..], offset + at + 1);
                continue;
            }
            parts.push(string(&rest[..at], span));
            let inner = &behind[open.len_utf8()..];
            let begin = offset + at + 1 + open.len_utf8();
            let Some(length) = closing(inner, open, close) else {
                let message = format!("the expression of this template has no end: `{close}` is missing");
                return Err(self.report(Diagnostic::error(codes::TEMPLATE_STRING, span, message)));
            };
            let value = self.embedded(&inner[..length], begin)?;
            parts.push(call(SHOW, vec![value], span));
            rest = &inner[length + close.len_utf8()..];
            offset = begin + length + close.len_utf8();
        }
        parts.push(string(rest, span));
        self.bump();
        // An empty text adds nothing.
        parts.retain(|p| !matches!(&p.kind, ExprKind::String(s) if s.is_empty()));
        Ok(match parts.len() {
            0 => string("", span),
            1 if matches!(parts[0].kind, ExprKind::String(_)) => parts.remove(0),
            _ => call(CONCATENATE, vec![ExprKind::SeqExtension(parts).at(span)], span),
        })
    }

    /// Reads the text of an expression that begins at `begin` of the file.
    fn embedded(&mut self, text: &str, begin: usize) -> Parsed<Expr> {
        let mut lexed = lexer::lex(text, self.source);
        for token in &mut lexed.tokens {
            token.start += begin as u32;
            token.end += begin as u32;
        }
        for mut d in lexed.diagnostics {
            d.span.start += begin as u32;
            d.span.end += begin as u32;
            self.diagnostics.push(d);
        }
        let tokens = std::mem::replace(&mut self.tokens, lexed.tokens);
        let pragmas = std::mem::take(&mut self.pragmas);
        let at = std::mem::replace(&mut self.at, 0);
        // These count tokens.
        let (reported_at, described_at) = (self.reported_at.take(), self.described_at.take());
        let value = self.formula().and_then(|value| {
            if self.is(TokenKind::Eof) {
                Ok(value)
            } else {
                Err(self.unexpected(codes::UNEXPECTED_TOKEN, "the end of the expression"))
            }
        });
        self.tokens = tokens;
        self.pragmas = pragmas;
        self.at = at;
        (self.reported_at, self.described_at) = (reported_at, described_at);
        value
    }
}

/// Length of the text before the bracket that closes it.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut nesting = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            nesting += 1;
        } else if c == close {
            if nesting == 0 {
                return Some(at);
            }
            nesting -= 1;
        }
    }
    None
}

fn string(text: &str, span: Span) -> Expr {
    ExprKind::String(unescape(text)).at(span)
}

fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let callee = ExprKind::Ident(name.into()).at(span);
    ExprKind::Apply(Box::new(callee), arguments).at(span)
}
