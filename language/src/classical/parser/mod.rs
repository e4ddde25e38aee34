//! Tokens to [`crate::ast`]: recursive descent for sections and substitutions, precedence climbing
//! for formulas (ProB's table). Always yields a tree; what could not be read is an `Error` node.
//!
//! A function that fails returns [`Reported`], the evidence that a diagnostic was given, up to the
//! next place where reading can go on: the next conjunct, substitution, operation, definition or
//! section. Nothing is reported twice for one token.

use std::collections::HashSet;

use crate::ast::{Expr, ExprKind, Ident, Machine};
use crate::classical::lexer::{self, Pragma, Token, TokenKind};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::source::{SourceId, Sources, Span};

mod definitions;
mod depth;
mod expr;
mod machine;
mod names;
mod operators;
mod recovery;
mod subst;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use operators::is_predicate;

/// Evidence that a diagnostic was given for what could not be read.
#[derive(Debug)]
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads a machine or a file of definitions.
pub fn parse(sources: &Sources, id: SourceId) -> (Machine, Vec<Diagnostic>) {
    let mut parser = Parser::new(sources, id);
    let machine = parser.machine();
    (machine, parser.finish())
}

/// Reads a source that holds one predicate.
pub fn parse_predicate(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    parse_formula(sources, id)
}

/// Reads a source that holds one expression.
pub fn parse_expression(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    let (expr, mut diagnostics) = parse_formula(sources, id);
    if diagnostics.is_empty() && operators::is_predicate(&expr) {
        diagnostics.push(Diagnostic::error(
            codes::EXPECTED_EXPRESSION,
            expr.span,
            "expected an expression, found a predicate",
        ));
    }
    (expr, diagnostics)
}

/// Reads a source that holds one predicate or expression.
pub fn parse_formula(sources: &Sources, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(sources, id);
    let expr = parser.conjuncts(|p| p.is(TokenKind::Eof), "the end of the formula");
    (expr, parser.finish())
}

struct Parser<'t> {
    text: &'t str,
    source: SourceId,
    tokens: Vec<Token>,
    pragmas: Vec<(usize, Pragma, Span)>,
    diagnostics: Vec<Diagnostic>,
    /// Index of the next token.
    at: usize,
    /// Nesting of formulas and substitutions.
    depth: u32,
    /// Nesting of formulas in the outermost one.
    formula_depth: u32,
    /// Set once nesting went too deep: what follows up to the next section makes no sense.
    too_deep: bool,
    /// Index of the token that the last report was about.
    reported_at: Option<usize>,
    /// Index of the token whose `desc` pragma was taken.
    described_at: Option<usize>,
    /// Words such as `floor` or `left` that this file uses as names.
    plain_words: HashSet<&'t str>,
    /// Keywords that were declared as names: their uses are not mistakes of their own.
    misused_keywords: HashSet<&'t str>,
}

impl<'t> Parser<'t> {
    fn new(sources: &'t Sources, source: SourceId) -> Self {
        let text = sources.get(source).text.as_str();
        let lexed = lexer::lex(text, source);
        let plain_words = names::plain_words(text, &lexed.tokens);
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
            plain_words,
            misused_keywords: HashSet::new(),
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.span);
        self.diagnostics
    }

    fn token_at(&self, index: usize) -> Token {
        // The last token is `Eof`, and everything behind it is `Eof` too.
        self.tokens[index.min(self.tokens.len() - 1)]
    }

    fn kind_at(&self, index: usize) -> TokenKind {
        self.token_at(index).kind
    }

    fn token(&self) -> Token {
        self.token_at(self.at)
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn text_at(&self, index: usize) -> &'t str {
        let token = self.token_at(index);
        &self.text[token.start as usize..token.end as usize]
    }

    fn span_at(&self, index: usize) -> Span {
        let token = self.token_at(index);
        Span { source: self.source, start: token.start, end: token.end }
    }

    /// The span of the next token.
    fn span(&self) -> Span {
        self.span_at(self.at)
    }

    /// From `start` to the end of the last token taken.
    fn span_from(&self, start: Span) -> Span {
        let end = if self.at == 0 { start.end } else { self.token_at(self.at - 1).end };
        Span { end: end.max(start.start), ..start }
    }

    /// Takes the next token and returns its span.
    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        if self.is(kind) { Some(self.bump()) } else { None }
    }

    /// Takes a token of this kind or reports that `expected` is missing.
    fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Span> {
        match self.eat(kind) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(codes::UNEXPECTED_TOKEN, expected)),
        }
    }

    /// Takes the bracket that closes the one at `open`.
    fn close(&mut self, kind: TokenKind, open: Span) -> Parsed<()> {
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
        diagnostic.help = self.hint();
        Err(self.report(diagnostic))
    }

    /// What a message calls the next token.
    fn found(&self) -> String {
        match self.kind() {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::String | TokenKind::LongString | TokenKind::Template => "a string".to_owned(),
            _ => format!("`{}`", self.text_at(self.at)),
        }
    }

    /// Gives a diagnostic about the next token, unless that token was complained about already.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.reported_at != Some(self.at) && !self.is(TokenKind::Error) && !self.too_deep {
            self.diagnostics.push(diagnostic);
        }
        self.reported_at = Some(self.at);
        Reported
    }

    fn unexpected(&mut self, code: Code, expected: &str) -> Reported {
        if code == codes::UNEXPECTED_TOKEN
            && let Some(reported) = self.foreign_operator()
        {
            return reported;
        }
        let message = format!("expected {expected}, found {}", self.found());
        let mut diagnostic = Diagnostic::error(code, self.span(), message);
        diagnostic.help = self.hint();
        self.report(diagnostic)
    }

    /// Enters a level of nesting; the caller leaves it with `self.depth -= 1` after success or failure.
    fn deeper(&mut self) -> Parsed<()> {
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

    /// The label pragma before the next token.
    fn label(&self) -> Option<String> {
        self.pragmas_here().find_map(|p| match p {
            Pragma::Label(name) => Some(name.clone()),
            _ => None,
        })
    }

    /// The description before the next token, unless it was taken already.
    fn description(&mut self) -> Option<String> {
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

    /// The path of a file pragma before the next token.
    fn file_pragma(&self) -> Option<String> {
        self.pragmas_here().find_map(|p| match p {
            Pragma::File(path) => Some(path.clone()),
            _ => None,
        })
    }

    fn pragmas_here(&self) -> impl Iterator<Item = &Pragma> {
        let first = self.pragmas.partition_point(|p| p.0 < self.at);
        self.pragmas[first..].iter().take_while(|p| p.0 == self.at).map(|p| &p.1)
    }
}

fn error_expr(span: Span) -> Expr {
    ExprKind::Error.at(span)
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

fn ident_expr(ident: Ident) -> Expr {
    ExprKind::Ident(ident.name).at(ident.span)
}
