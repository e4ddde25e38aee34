//! DEFINITIONS. Whether a body is an expression or a substitution is found by trying.

use super::state::{Parsed, Parser, Reported};
use super::{operators, recovery};
use crate::ast::{BinaryOp, Definition, DefinitionBody, Expr, ExprKind, SubstKind};
use crate::classical::lexer::{TokenKind, unescape};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;

/// State of the parser to return to.
struct Mark {
    at: usize,
    diagnostics: usize,
    reported_at: Option<usize>,
    described_at: Option<usize>,
}

impl Parser<'_> {
    /// Parses the entries of `DEFINITIONS`; one `;` behind the last is allowed.
    pub(super) fn definitions(&mut self) -> Vec<Definition> {
        let mut definitions = vec![];
        while !self.at_section_end() {
            let from = self.at;
            let begins = |p: &Self| p.is(TokenKind::Semicolon) || p.definition_begins(p.at);
            match self.definition() {
                Ok(definition) => definitions.push(definition),
                Err(Reported) => {
                    self.skip_definition(from);
                }
            }
            if self.eat(TokenKind::Semicolon).is_some() || self.at_section_end() {
                continue;
            }
            if self.definition_begins(self.at) {
                self.unexpected(codes::UNEXPECTED_TOKEN, "`;` between definitions");
                continue;
            }
            self.unexpected(codes::UNEXPECTED_TOKEN, "`;`, a section or `END`");
            self.skip_to(from, begins);
            if self.eat(TokenKind::Semicolon).is_none() && !self.definition_begins(self.at) {
                break;
            }
        }
        definitions
    }

    /// Skips to the end of the definition that began at token `from`.
    fn skip_definition(&mut self, from: usize) {
        loop {
            self.skip_to(from, |p| p.is(TokenKind::Semicolon));
            self.too_deep = false;
            if self.at_section_end()
                || self.is(TokenKind::Semicolon)
                || self.at > from && self.definition_begins(self.at)
            {
                return;
            }
            // A divider such as `THEN` that belongs to no block.
            self.bump();
        }
    }

    /// Returns whether a definition begins at token `index`.
    pub(super) fn definition_begins(&self, index: usize) -> bool {
        match self.kind_at(index) {
            TokenKind::String => {
                let next = self.kind_at(index + 1);
                matches!(next, TokenKind::Semicolon | TokenKind::End | TokenKind::Eof)
                    || recovery::opens_section(next)
            }
            TokenKind::Ident | TokenKind::QuotedIdent => match self.kind_at(index + 1) {
                TokenKind::Defines => true,
                TokenKind::OpenParen => {
                    let mut index = index + 2;
                    // More parameters than any real definition has.
                    for _ in 0..200 {
                        match self.kind_at(index) {
                            TokenKind::Ident | TokenKind::QuotedIdent | TokenKind::Comma => index += 1,
                            _ => break,
                        }
                    }
                    self.kind_at(index) == TokenKind::CloseParen
                        && self.kind_at(index + 1) == TokenKind::Defines
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn definition(&mut self) -> Parsed<Definition> {
        let start = self.span();
        if self.is(TokenKind::String) {
            let text = self.text_at(self.at);
            self.bump();
            return Ok(Definition::File(unescape(&text[1..text.len() - 1]), start));
        }
        let name = self.dotted_name()?;
        let parameters = self.parameters()?;
        if self.is(TokenKind::Equal) {
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), "expected `==`, found `=`")
                    .help("a definition is written `name == body`");
            self.report(diagnostic);
            self.bump();
        } else {
            self.expect(TokenKind::Defines, "`==`")?;
        }
        let body = self.definition_body()?;
        Ok(Definition::Macro { name, parameters, body, span: self.span_from(start) })
    }

    fn definition_body(&mut self) -> Parsed<DefinitionBody> {
        use TokenKind::*;
        let mark = self.mark();
        let only_substitution = matches!(
            self.kind(),
            Begin | Pre | Assert | Witness | Choice | Select | Case | Any | Var | While | Skip
        );
        if only_substitution {
            return Ok(DefinitionBody::Subst(self.parallel()));
        }
        let expr = self.expression_body();
        if self.clean_since(&mark) && expr.as_ref().is_ok_and(|e| !reads_as_substitution(e)) {
            return expr.map(DefinitionBody::Expr);
        }
        let expr_end = self.at;
        let expr_clean = self.clean_since(&mark);
        let expr_diagnostics = self.diagnostics.split_off(mark.diagnostics);
        self.reset(&mark);
        let subst = self.parallel();
        let subst_clean = self.clean_since(&mark) && self.at_definition_end();
        match (expr, expr_clean, subst_clean) {
            (Ok(expr), true, true) if is_becomes_such(&expr) => Ok(DefinitionBody::Subst(subst)),
            (Ok(expr), true, true) => Ok(DefinitionBody::Either(expr, subst)),
            (_, false, true) => Ok(DefinitionBody::Subst(subst)),
            (expr, clean, _) => {
                let subst_diagnostics = self.diagnostics.split_off(mark.diagnostics);
                // The reading that made sense for longer has the better explanation.
                let reach = |ds: &[Diagnostic]| ds.iter().map(|d| d.span.start).min().unwrap_or(0);
                let as_substitution = !matches!(subst.kind, SubstKind::Error)
                    || reach(&subst_diagnostics) > reach(&expr_diagnostics);
                if !clean && as_substitution && !subst_diagnostics.is_empty() {
                    self.diagnostics.extend(subst_diagnostics);
                    return Err(Reported);
                }
                self.at = expr_end;
                self.diagnostics.extend(expr_diagnostics);
                self.reported_at = None;
                expr.map(DefinitionBody::Expr)
            }
        }
    }

    /// An expression, predicate or list of names up to the end of the definition.
    fn expression_body(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut items = vec![self.formula()?];
        // A list consists of names to declare or assign to; a couple of values has parentheses.
        let is_name = |e: &Expr| matches!(e.kind, ExprKind::Ident(_));
        while self.is(TokenKind::Comma) && items.last().is_some_and(is_name) {
            self.bump();
            items.push(self.formula()?);
        }
        if items.len() > 1
            && let Some(value) = items.iter().find(|e| !is_name(e))
        {
            let diagnostic = Diagnostic::error(
                codes::MALFORMED_DEFINITION,
                value.span,
                "expected a name in a list of names",
            )
            .help("a tuple has parentheses: `(a, b)`");
            return Err(self.report(diagnostic));
        }
        if !self.at_definition_end() {
            return Err(self.unexpected(codes::MALFORMED_DEFINITION, "`;`, a section or `END`"));
        }
        match items.pop() {
            Some(only) if items.is_empty() => Ok(only),
            last => {
                items.extend(last);
                Ok(ExprKind::Tuple(items).at(self.span_from(start)))
            }
        }
    }

    fn at_definition_end(&self) -> bool {
        self.is(TokenKind::Semicolon) || self.at_section_end() || self.definition_begins(self.at)
    }

    fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            diagnostics: self.diagnostics.len(),
            reported_at: self.reported_at,
            described_at: self.described_at,
        }
    }

    fn reset(&mut self, mark: &Mark) {
        self.at = mark.at;
        self.reported_at = mark.reported_at;
        self.described_at = mark.described_at;
        self.too_deep = false;
    }

    fn clean_since(&self, mark: &Mark) -> bool {
        self.diagnostics.len() == mark.diagnostics
    }
}

/// Returns whether an expression could also be a call or an assignment.
fn reads_as_substitution(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ident(_) | ExprKind::Apply(..) | ExprKind::If(..) | ExprKind::Let(..) => true,
        _ => is_becomes_such(expr),
    }
}

/// `x : (P)`, where the parentheses hold a predicate and thus no set.
fn is_becomes_such(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(BinaryOp::Member, _, set) if operators::is_predicate(set))
}
