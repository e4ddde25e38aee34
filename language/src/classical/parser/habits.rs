//! Advice for text that follows the habits of other languages, and recovery behind it.

use super::recovery::opens_block;
use super::state::{Parsed, Parser, Reported, boxed, error_expr};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, Quantifier, Subst, SubstKind};
use crate::classical::lexer::TokenKind;
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Fix};
use crate::text::source::Span;

/// Sources of Event-B.
const EVENT_B: &str = "Event-B is read from Rodin's files (.bum, .buc, or a .zip of a project), ProB's packages and text (.eventb, .bumx, .bucx)";

/// Words that open a paragraph of Alloy.
const ALLOY: [&str; 12] =
    ["module", "open", "sig", "abstract", "one", "some", "lone", "enum", "fact", "pred", "fun", "assert"];

impl Parser<'_> {
    /// Returns advice for a text that begins as other specification languages do.
    pub(super) fn other_language(&self) -> Option<String> {
        let components = ["CONTEXT", "THEORY"];
        let word = self.text_at(self.at);
        components.contains(&word.to_ascii_uppercase().as_str()).then(|| EVENT_B.into())
    }

    /// Rejects a text that is certainly in another language and reads no further: every other message would follow from
    /// that.
    pub(super) fn refuse_other_language(&mut self) {
        let text = self.text.trim_start();
        let is_tla = text.starts_with("----") && text.lines().next().is_some_and(|l| l.contains("MODULE"));
        let first = self.text_at(self.at);
        let is_signature = |i: usize| self.text_at(i) == "sig" && self.kind_at(i + 1) == TokenKind::Ident;
        let (language, help) = if is_tla {
            ("TLA+", "bsym reads B and Event-B, ProB translates from TLA+")
        } else if ALLOY.contains(&first) && (0..self.tokens.len()).any(is_signature) {
            (
                "Alloy",
                "bsym reads B and Event-B: a `sig` is a set of `SETS`, its fields are variables that hold relations",
            )
        } else {
            return;
        };
        self.diagnostics.clear();
        let message = format!("this is {language}, not a machine of classical B");
        let diagnostic = Diagnostic::error(codes::EXPECTED_MACHINE, self.span(), message).help(help);
        self.report(diagnostic);
        self.at = self.tokens.len() - 1;
        self.reported_at = Some(self.at);
    }

    /// Reports a missing `&` between two lines of a predicate, or a `,` in its place. Returns whether there was one; the
    /// next conjunct begins at the next token.
    pub(super) fn missing_conjunction(&mut self, expected: &str) -> bool {
        let message = format!("expected {expected}, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message);
        if self.is(TokenKind::Comma) {
            self.report(diagnostic.help("predicates are joined by `&`").instead(" &"));
            self.bump();
            return true;
        }
        if !self.begins_conjunct() {
            return false;
        }
        let end = self.end_of_last();
        let mut diagnostic = diagnostic.help("is a `&` missing at the end of the line before?");
        diagnostic.fix = Some(Box::new(Fix { span: end, text: " &".into() }));
        self.report(diagnostic);
        true
    }

    /// Returns whether a formula can begin at the next token, on another line than the last token and at a word that
    /// means nothing else there.
    fn begins_conjunct(&self) -> bool {
        use TokenKind::*;
        let word = self.text_at(self.at);
        let begins = match self.kind() {
            Ident => word != word.to_ascii_uppercase() && !self.looks_assigned() && !self.is_foreign_word(),
            Quantifier(_) => !self.is_hash_comment(),
            QuotedIdent | Not | OpenBrace | Builtin(_) | Integer | Constant(_) => true,
            _ => false,
        };
        let (end, start) = (self.end_of_last().end as usize, self.token().start as usize);
        begins && self.text[end.min(start)..start].contains('\n')
    }

    /// Returns the empty span behind the last token taken.
    pub(super) fn end_of_last(&self) -> Span {
        let end = self.at.checked_sub(1).map_or(0, |i| self.token_at(i).end);
        Span { source: self.source, start: end, end }
    }

    /// Returns whether the next token is a `#` that begins no quantifier: `# text`.
    pub(super) fn is_hash_comment(&self) -> bool {
        use TokenKind::*;
        let bound = |i: usize| matches!(self.kind_at(i), Dot | MiddleDot | Comma | Colon);
        self.is(Quantifier(self::Quantifier::Exists))
            && self.text_at(self.at) == "#"
            && self.kind_at(self.at + 1) != OpenParen
            && !(self.kind_at(self.at + 1) == Ident && bound(self.at + 2))
    }

    /// Reports what follows names of variables or constants in the place of a `,`, and continues with the next name.
    /// Returns whether there is one.
    pub(super) fn misplaced_after_name(&mut self, are_constants: bool) -> bool {
        let from = self.at;
        let separated = "names are separated by `,`";
        let (typed, valued) = if are_constants {
            ("types of constants go into `PROPERTIES`", "values of constants go into `PROPERTIES`")
        } else {
            (
                "types of variables go into `INVARIANT`",
                "values of variables go into `INITIALISATION`: `x := E`",
            )
        };
        let help = match self.kind() {
            TokenKind::Semicolon => separated,
            TokenKind::Ident | TokenKind::QuotedIdent if !self.is_capital_word() => separated,
            TokenKind::Colon | TokenKind::Infix(BinaryOp::Subset) => typed,
            TokenKind::Equal | TokenKind::Assign | TokenKind::Defines => valued,
            _ => {
                self.unexpected(codes::UNEXPECTED_TOKEN, "`,`, a section or `END`");
                return self.is(TokenKind::Ident);
            }
        };
        let message = format!("expected `,`, a section or `END`, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message).help(help);
        match self.kind() {
            TokenKind::Semicolon => diagnostic = diagnostic.instead(","),
            TokenKind::Ident | TokenKind::QuotedIdent => {
                diagnostic.fix = Some(Box::new(Fix { span: self.end_of_last(), text: ",".into() }));
            }
            _ => {}
        }
        self.report(diagnostic);
        if help != separated {
            let separates = |p: &Self| {
                matches!(p.kind(), TokenKind::Comma | TokenKind::Semicolon | TokenKind::Infix(BinaryOp::And))
            };
            self.skip_to(from, separates);
            if !separates(self) {
                return false;
            }
            self.bump();
            return !self.at_section_end();
        }
        if self.is(TokenKind::Semicolon) {
            self.bump();
        }
        !self.at_section_end()
    }

    /// Returns whether the next token is a word in capitals, more probably a misspelt section than a name.
    fn is_capital_word(&self) -> bool {
        let word = self.text_at(self.at);
        word.len() > 2 && word == word.to_ascii_uppercase()
    }

    /// Parses the parameters of an operation; an empty list and types are reported, and skipped.
    pub(super) fn operation_parameters(&mut self) -> Parsed<Vec<Ident>> {
        if self.is(TokenKind::OpenParen) && self.kind_at(self.at + 1) == TokenKind::CloseParen {
            let span = self.span().to(self.span_at(self.at + 1));
            let diagnostic = Diagnostic::error(codes::EXPECTED_NAME, span, "expected a parameter, found `)`")
                .help("an operation without parameters has no parentheses")
                .instead("");
            self.report(diagnostic);
            self.bump();
            self.bump();
            return Ok(vec![]);
        }
        let Some(open) = self.eat(TokenKind::OpenParen) else { return Ok(vec![]) };
        let mut names = vec![];
        loop {
            names.push(self.name("a parameter")?);
            if matches!(self.kind(), TokenKind::Colon | TokenKind::Infix(BinaryOp::Subset)) {
                let message = format!("expected `,` or `)`, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message)
                    .help("types of parameters go into the body: `op(x) = PRE x : S THEN … END`");
                self.report(diagnostic);
                self.skip_to(self.at, |p| matches!(p.kind(), TokenKind::Comma | TokenKind::CloseParen));
            }
            if self.eat(TokenKind::Comma).is_none() {
                self.close(TokenKind::CloseParen, open)?;
                return Ok(names);
            }
        }
    }

    /// Reports `op()` behind the name of an operation and skips the parentheses. Returns whether they were there.
    pub(super) fn empty_arguments(&mut self) -> bool {
        if !self.is(TokenKind::OpenParen) || self.kind_at(self.at + 1) != TokenKind::CloseParen {
            return false;
        }
        let span = self.span().to(self.span_at(self.at + 1));
        let message = "expected an expression or predicate, found `)`";
        let diagnostic = Diagnostic::error(codes::EXPECTED_EXPRESSION, span, message)
            .help("operations and constants without arguments are written without parentheses")
            .instead("");
        self.report(diagnostic);
        self.bump();
        self.bump();
        true
    }

    /// Parses the `.` behind bound names. A missing one is reported, and parsing continues where the parenthesis is
    /// there.
    pub(super) fn quantifier_dot(&mut self, quantifier: Quantifier, example: &str) -> Parsed<()> {
        if self.eat(TokenKind::MiddleDot).is_some() || self.eat(TokenKind::Dot).is_some() {
            return Ok(());
        }
        let help = match self.kind() {
            TokenKind::OpenParen | TokenKind::Bar => format!("write `{example}`"),
            TokenKind::Colon | TokenKind::Infix(BinaryOp::Subset) => {
                let typed = match quantifier {
                    Quantifier::Forall => example.replace("(P", "(x : S => P"),
                    _ => example.replace("(P", "(x : S & P"),
                };
                format!("the type of a bound name goes into the parentheses: `{typed}`")
            }
            _ => return self.expect(TokenKind::Dot, "`.` behind the bound names").map(|_| ()),
        };
        let message = format!("expected `.` behind the bound names, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message).help(help);
        let goes_on = self.is(TokenKind::OpenParen);
        if goes_on {
            diagnostic.fix = Some(Box::new(Fix { span: self.end_of_last(), text: ".".into() }));
        }
        let reported = self.report(diagnostic);
        if goes_on { Ok(()) } else { Err(reported) }
    }

    /// Reports something else than a name where a comprehension binds names: `{x : S | P}`.
    pub(super) fn unbindable(&mut self, item: &Expr) -> Reported {
        let message = "expected a name that the comprehension binds";
        let mut diagnostic = Diagnostic::error(codes::EXPECTED_BOUND_NAME, item.span, message);
        diagnostic.help = Some(match &item.kind {
            ExprKind::Binary(BinaryOp::Member | BinaryOp::Subset, x, _)
                if matches!(x.kind, ExprKind::Ident(_)) =>
            {
                let text = |span: Span| &self.text[span.start as usize..span.end as usize];
                format!("the type goes behind the bar: `{{{} | {} & …}}`", text(x.span), text(item.span))
            }
            _ => "names stand before the bar, and what is true of them behind it: `{x, y | P}`".into(),
        });
        self.report(diagnostic)
    }

    /// Parses the label of a field behind a `'`, which is no sign of the value after a step.
    pub(super) fn field_label(&mut self) -> Parsed<Ident> {
        let is_label = matches!(self.kind(), TokenKind::Ident | TokenKind::QuotedIdent) || self.is_keyword();
        if is_label {
            return self.name("the label of a field");
        }
        let message = format!("expected the label of a field, found {}", self.found());
        let help =
            "B has no primed names: `x := E` assigns the next value; in `x : (P)` the value before is `x$0`";
        let diagnostic = Diagnostic::error(codes::EXPECTED_NAME, self.span(), message).help(help);
        Err(self.report(diagnostic))
    }

    /// Parses the `=` of an operation. A missing one before a block is reported, and parsing continues.
    pub(super) fn operation_equal(&mut self) -> Parsed<()> {
        if self.eat(TokenKind::Equal).is_some() {
            return Ok(());
        }
        let message = format!("expected `=` and the body of the operation, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message);
        if !opens_block(self.kind()) {
            return self.expect(TokenKind::Equal, "`=` and the body of the operation").map(|_| ());
        }
        diagnostic = diagnostic.help("`=` stands between the header of an operation and its body");
        diagnostic.fix = Some(Box::new(Fix { span: self.end_of_last(), text: " =".into() }));
        self.report(diagnostic);
        Ok(())
    }

    /// Reports a condition behind the substitution that it belongs to: `x := 1 WHEN P`.
    pub(super) fn condition_behind(&mut self) {
        use TokenKind::*;
        if matches!(self.kind(), When | Where | Pre | If | Select) {
            let message = format!("expected `;`, `||`, a section or `END`, found {}", self.found());
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message)
                .help("a condition stands before its substitution: `SELECT P THEN S END`");
            self.report(diagnostic);
        }
    }

    /// Parses the `WHERE` of an `ANY`. Where the condition is missing, or a type stands in its place, that is reported.
    pub(super) fn any_where(&mut self) {
        if self.eat(TokenKind::Where).is_some() {
            return;
        }
        let message = format!("expected `WHERE`, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message);
        let diagnostic = match self.kind() {
            TokenKind::Then | TokenKind::Colon => diagnostic
                .help("the condition says which values can be chosen: `ANY x WHERE x : S THEN … END`"),
            TokenKind::When => diagnostic.help("write `WHERE`").instead("WHERE"),
            _ => self.hinted(diagnostic),
        };
        self.report(diagnostic);
        match self.kind() {
            TokenKind::When => drop(self.bump()),
            TokenKind::Colon => {
                self.skip_to(self.at, |_| false);
                self.eat(TokenKind::Where);
            }
            _ => {}
        }
    }

    /// A loop without its `INVARIANT` and `VARIANT`.
    pub(super) fn endless_while(&mut self, start: Span, condition: Box<Expr>, body: Box<Subst>) -> SubstKind {
        let message = format!("expected `INVARIANT`, found {}", self.found());
        let help =
            "a loop names what stays true and what decreases: `WHILE P DO S INVARIANT J VARIANT E END`";
        self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message).help(help));
        let missing = || boxed(error_expr(self.span_at(self.at)));
        let (invariant, variant) = (missing(), missing());
        self.end("WHILE", start);
        SubstKind::While { condition, body, invariant, variant }
    }
}
