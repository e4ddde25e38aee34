//! State of the parser: its position in the tokens, and its reports.

use std::collections::HashSet;

use super::depth;
use crate::ast::{Expr, ExprKind, Ident};
use crate::classical::lexer::{self, Pragma, Token, TokenKind};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::source::{SourceId, Sources, Span};

/// Evidence that a diagnostic was given for text that could not be read.
#[derive(Debug)]
pub(crate) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) source: SourceId,
    pub(super) tokens: Vec<Token>,
    pub(super) pragmas: Vec<(usize, Pragma, Span)>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Index of the next token.
    pub(super) at: usize,
    /// Nesting of formulas and substitutions.
    pub(super) depth: u32,
    /// Nesting of formulas in the outermost one.
    pub(super) formula_depth: u32,
    /// Set once nesting went too deep: the text up to the next section makes no sense.
    pub(super) too_deep: bool,
    /// Index of the token that the last report was about.
    pub(super) reported_at: Option<usize>,
    /// Index of the token whose `desc` pragma was taken.
    pub(super) described_at: Option<usize>,
    /// The last `IF` right behind an `ELSE`: where an `END` is missing, `ELSIF` may have been meant.
    pub(super) else_if: Option<Span>,
    /// Words such as `floor` or `left` that this file uses as names.
    pub(super) plain_words: HashSet<&'t str>,
    /// Keywords that were declared as names: their uses are not mistakes of their own.
    pub(super) misused_keywords: HashSet<&'t str>,
}

impl<'t> Parser<'t> {
    /// Creates a parser at the first token. `plain_words` finds the words such as `floor` that the text uses as names.
    pub(super) fn new(
        sources: &'t Sources,
        source: SourceId,
        plain_words: impl Fn(&'t str, &[Token]) -> HashSet<&'t str>,
    ) -> Self {
        let text = sources.get(source).text.as_str();
        let lexed = lexer::lex(text, source);
        let plain_words = plain_words(text, &lexed.tokens);
        Parser {
            text,
            source,
            tokens: lexed.tokens,
            pragmas: lexed.pragmas,
            diagnostics: lexed.diagnostics,
            at: 0,
            depth: 0,
            formula_depth: 0,
            too_deep: false,
            reported_at: None,
            described_at: None,
            else_if: None,
            plain_words,
            misused_keywords: HashSet::new(),
        }
    }

    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.span);
        self.diagnostics
    }

    pub(super) fn token_at(&self, index: usize) -> Token {
        // The last token is `Eof`, and everything behind it is `Eof` too.
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind_at(&self, index: usize) -> TokenKind {
        self.token_at(index).kind
    }

    pub(super) fn token(&self) -> Token {
        self.token_at(self.at)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn text_at(&self, index: usize) -> &'t str {
        let token = self.token_at(index);
        &self.text[token.start as usize..token.end as usize]
    }

    pub(super) fn span_at(&self, index: usize) -> Span {
        let token = self.token_at(index);
        Span { source: self.source, start: token.start, end: token.end }
    }

    /// Returns the span of the next token.
    pub(super) fn span(&self) -> Span {
        self.span_at(self.at)
    }

    /// Returns the span from `start` to the end of the last token taken.
    pub(super) fn span_from(&self, start: Span) -> Span {
        let end = if self.at == 0 { start.end } else { self.token_at(self.at - 1).end };
        Span { end: end.max(start.start), ..start }
    }

    /// Takes the next token and returns its span.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        if self.is(kind) { Some(self.bump()) } else { None }
    }

    /// Takes a token of this kind or reports that `expected` is missing.
    pub(super) fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Span> {
        match self.eat(kind) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(codes::UNEXPECTED_TOKEN, expected)),
        }
    }

    /// Takes the bracket that closes the one at `open`.
    pub(super) fn close(&mut self, kind: TokenKind, open: Span) -> Parsed<()> {
        if self.eat(kind).is_some() {
            return Ok(());
        }
        let (closing, opening) = match kind {
            TokenKind::CloseParen => (")", "("),
            TokenKind::CloseBracket => ("]", "["),
            _ => ("}", "{"),
        };
        if let Some(reported) = self.foreign_operator() {
            return Err(reported);
        }
        let message = format!("expected `{closing}`, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::UNCLOSED_BRACKET, self.span(), message)
            .label(open, format!("this `{opening}` is open"));
        diagnostic = self.hinted(diagnostic);
        diagnostic.help.get_or_insert_with(|| format!("close it with `{closing}`"));
        Err(self.report(diagnostic))
    }

    /// Returns the description of the next token in messages.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::String | TokenKind::LongString | TokenKind::Template => "a string".to_owned(),
            _ => format!("`{}`", self.text_at(self.at)),
        }
    }

    /// Gives a diagnostic about the next token, unless that token was complained about already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.reported_at != Some(self.at) && !self.is(TokenKind::Error) && !self.too_deep {
            self.diagnostics.push(diagnostic);
        }
        self.reported_at = Some(self.at);
        Reported
    }

    pub(super) fn unexpected(&mut self, code: Code, expected: &str) -> Reported {
        if code == codes::UNEXPECTED_TOKEN
            && let Some(reported) = self.foreign_operator()
        {
            return reported;
        }
        let message = format!("expected {expected}, found {}", self.found());
        let diagnostic = self.hinted(Diagnostic::error(code, self.span(), message));
        let reported = self.report(diagnostic);
        self.respell();
        reported
    }

    /// Enters a level of nesting; the caller leaves it with `self.depth -= 1` after success or failure.
    pub(super) fn deeper(&mut self) -> Parsed<()> {
        if self.depth >= depth::MAX_NESTING {
            let span = self.span();
            let diagnostic = Diagnostic::error(codes::NESTED_TOO_DEEPLY, span, "this is nested too deeply")
                .help("introduce a definition or an auxiliary name for an inner part");
            let reported = self.report(diagnostic);
            self.too_deep = true;
            return Err(reported);
        }
        self.depth += 1;
        Ok(())
    }

    /// Returns the label pragma before the next token.
    pub(super) fn label(&self) -> Option<String> {
        self.pragmas_here().find_map(|p| match p {
            Pragma::Label(name) => Some(name.clone()),
            _ => None,
        })
    }

    /// Returns the description before the next token, unless it was taken already.
    pub(super) fn description(&mut self) -> Option<String> {
        if self.described_at == Some(self.at) {
            return None;
        }
        let text = self.pragmas_here().find_map(|p| match p {
            Pragma::Desc(text) => Some(text.clone()),
            _ => None,
        })?;
        self.described_at = Some(self.at);
        Some(text)
    }

    /// Returns the path of a file pragma before the next token.
    pub(super) fn file_pragma(&self) -> Option<String> {
        self.pragmas_here().find_map(|p| match p {
            Pragma::File(path) => Some(path.clone()),
            _ => None,
        })
    }

    pub(super) fn pragmas_here(&self) -> impl Iterator<Item = &Pragma> {
        let first = self.pragmas.partition_point(|p| p.0 < self.at);
        self.pragmas[first..].iter().take_while(|p| p.0 == self.at).map(|p| &p.1)
    }
}

pub(super) fn error_expr(span: Span) -> Expr {
    ExprKind::Error.at(span)
}

pub(super) fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

pub(super) fn ident_expr(ident: Ident) -> Expr {
    ExprKind::Ident(ident.name).at(ident.span)
}
