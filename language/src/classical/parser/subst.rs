//! Substitutions. A mistake in one does not hide those in its neighbours.

use super::operators::{self, FORMULA};
use super::recovery;
use super::state::{Parsed, Parser, Reported, boxed};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, Subst, SubstKind};
use crate::classical::lexer::TokenKind;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::Span;

impl Parser<'_> {
    /// Substitutions joined by `;` and `||`; `;` is looser.
    pub(super) fn substitution(&mut self) -> Subst {
        let start = self.span();
        let mut steps = vec![self.parallel()];
        while self.is(TokenKind::Semicolon) && !self.next_operation_begins() {
            let semicolon = self.bump();
            if self.at_block_end() {
                self.trailing_semicolon(semicolon);
                break;
            }
            steps.push(self.parallel());
        }
        self.joined(steps, SubstKind::Sequence, start)
    }

    /// Substitutions joined by `||`.
    pub(super) fn parallel(&mut self) -> Subst {
        let start = self.span();
        let mut parts = vec![self.recovering()];
        while self.eat(TokenKind::Parallel).is_some() {
            parts.push(self.recovering());
        }
        self.joined(parts, SubstKind::Parallel, start)
    }

    fn joined(&self, mut parts: Vec<Subst>, kind: fn(Vec<Subst>) -> SubstKind, start: Span) -> Subst {
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                kind(parts).at(self.span_from(start))
            }
        }
    }

    pub(super) fn trailing_semicolon(&mut self, semicolon: Span) {
        let message = format!("trailing `;` before {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::TRAILING_SEMICOLON, semicolon, message).help("leave out the `;`");
        self.report(diagnostic);
    }

    fn recovering(&mut self) -> Subst {
        let from = self.at;
        let start = self.span();
        let result = match self.deeper() {
            Ok(()) => {
                let result = self.single();
                self.depth -= 1;
                result
            }
            Err(reported) => Err(reported),
        };
        match result {
            Ok(subst) => subst,
            Err(Reported) => {
                self.skip_to(from, |p| {
                    p.is(TokenKind::Semicolon) || p.is(TokenKind::Parallel) || p.operation_begins(p.at)
                });
                SubstKind::Error.at(self.span_from(start))
            }
        }
    }

    fn at_block_end(&self) -> bool {
        use TokenKind::*;
        self.at_section_end() || matches!(self.kind(), Else | Elsif | When | Or | Variant | CloseBracket)
    }

    /// Returns whether an operation begins behind the current `;`. In a formula `x = IF` is an equation, here it can
    /// only be a header.
    fn next_operation_begins(&self) -> bool {
        let kind = |n: usize| self.kind_at(self.at + n);
        let header =
            matches!(kind(1), TokenKind::Ident | TokenKind::QuotedIdent) && kind(2) == TokenKind::Equal;
        self.operation_begins(self.at + 1) || header && matches!(kind(3), TokenKind::If | TokenKind::Let)
    }

    /// Returns whether the tokens from `index` look like the header of an operation with a block as its body, which no
    /// substitution does.
    pub(super) fn operation_begins(&self, index: usize) -> bool {
        let mut index = index;
        if !matches!(self.kind_at(index), TokenKind::Ident | TokenKind::QuotedIdent) {
            return false;
        }
        // `a, b <-- name(c, d) = BEGIN`; 100 tokens are more than any real header has.
        for _ in 0..100 {
            use TokenKind::*;
            match self.kind_at(index) {
                Ident | QuotedIdent | Comma | Outputs | OpenParen | CloseParen | Dot => index += 1,
                Equal => {
                    let next = self.kind_at(index + 1);
                    return next == Skip || recovery::opens_block(next) && !matches!(next, If | Let);
                }
                _ => return false,
            }
        }
        false
    }

    fn single(&mut self) -> Parsed<Subst> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Skip => {
                self.bump();
                SubstKind::Skip
            }
            TokenKind::Begin => {
                self.bump();
                let body = self.substitution();
                self.end("BEGIN", start);
                SubstKind::Block(Box::new(body))
            }
            TokenKind::Pre => self.guarded("PRE", SubstKind::Pre),
            TokenKind::Assert => self.guarded("ASSERT", SubstKind::Assert),
            TokenKind::Witness => self.guarded("WITNESS", SubstKind::Witness),
            TokenKind::If => self.if_then(),
            TokenKind::Choice => self.choice(),
            TokenKind::Select => self.select(),
            TokenKind::When if self.is_first_guard() => self.select_of_event_b(),
            TokenKind::Case => self.case(),
            TokenKind::Any => self.any()?,
            TokenKind::Let => self.let_in()?,
            TokenKind::Var => self.var()?,
            TokenKind::While => self.while_do(),
            TokenKind::Ident | TokenKind::QuotedIdent => self.assignment()?,
            _ if self.is_keyword() && !self.is_structure() && self.looks_assigned() => self.assignment()?,
            _ => return Err(self.no_substitution()),
        };
        Ok(kind.at(self.span_from(start)))
    }

    /// Returns whether an assignment symbol follows the keyword at the next token.
    pub(super) fn looks_assigned(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind_at(self.at + 1), Assign | BecomesIn | Outputs | Comma)
    }

    fn no_substitution(&mut self) -> Reported {
        let message = format!("expected a substitution, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::EXPECTED_SUBSTITUTION, self.span(), message);
        if self.at_block_end() {
            diagnostic = diagnostic.help("write `skip` to do nothing");
        }
        self.report(diagnostic)
    }

    /// A condition up to the keyword `until`, which is taken.
    fn condition(&mut self, until: TokenKind, word: &str) -> Box<Expr> {
        let condition = self.conjuncts(|p| p.is(until), &format!("an operator or `{word}`"));
        self.divider(until, word);
        boxed(condition)
    }

    /// Parses a keyword inside a block. Reports it if it is missing, and continues.
    fn divider(&mut self, kind: TokenKind, word: &str) {
        if self.eat(kind).is_none() {
            self.unexpected(codes::UNEXPECTED_TOKEN, &format!("`{word}`"));
        }
    }

    /// Parses the `END` of a block. Reports it if it is missing, and continues.
    pub(super) fn end(&mut self, word: &str, opening: Span) {
        if self.eat(TokenKind::End).is_some() {
            return;
        }
        let from = self.at;
        let message = if self.at_section() || self.is(TokenKind::Eof) || self.is(TokenKind::Semicolon) {
            format!("expected `END`, found {}", self.found())
        } else {
            format!("expected `;`, `||` or `END`, found {}", self.found())
        };
        let opening = Span { end: opening.start + word.len() as u32, ..opening };
        let diagnostic = Diagnostic::error(codes::MISSING_END, self.span(), message)
            .label(opening, format!("this `{word}` has no `END`"));
        let diagnostic = match self.else_if.filter(|n| n.start > opening.start) {
            Some(nested) => {
                diagnostic.label(nested, "this `IF` has one of its own").help("write `ELSIF` for `ELSE IF`")
            }
            None => diagnostic.help(format!("every `{word}` is closed by an `END` of its own")),
        };
        self.report(diagnostic);
        if self.is(TokenKind::Semicolon) {
            return;
        }
        // The text between here and the `END` is lost.
        loop {
            self.skip_to(from, |p| p.operation_begins(p.at));
            if self.eat(TokenKind::End).is_some()
                || self.at_section_end()
                || self.is(TokenKind::Eof)
                || self.operation_begins(self.at)
            {
                return;
            }
            self.bump();
        }
    }

    fn guarded(&mut self, word: &str, kind: fn(Box<Expr>, Box<Subst>) -> SubstKind) -> SubstKind {
        let start = self.bump();
        let condition = self.condition(TokenKind::Then, "THEN");
        let body = self.substitution();
        self.end(word, start);
        kind(condition, Box::new(body))
    }

    fn branches(&mut self, divider: TokenKind) -> Vec<(Expr, Subst)> {
        let mut branches = vec![];
        loop {
            let condition = self.condition(TokenKind::Then, "THEN");
            branches.push((*condition, self.substitution()));
            if self.eat(divider).is_none() {
                return branches;
            }
        }
    }

    fn otherwise(&mut self) -> Option<Box<Subst>> {
        self.eat(TokenKind::Else).map(|_| Box::new(self.substitution()))
    }

    fn if_then(&mut self) -> SubstKind {
        let start = self.bump();
        let branches = self.branches(TokenKind::Elsif);
        let nested = (self.is(TokenKind::Else) && self.kind_at(self.at + 1) == TokenKind::If)
            .then(|| self.span_at(self.at + 1));
        let otherwise = self.otherwise();
        if nested.is_some() {
            self.else_if = nested;
        }
        self.end("IF", start);
        SubstKind::If(branches, otherwise)
    }

    fn select(&mut self) -> SubstKind {
        let start = self.bump();
        let branches = self.branches(TokenKind::When);
        let otherwise = self.otherwise();
        self.end("SELECT", start);
        SubstKind::Select(branches, otherwise)
    }

    /// `WHEN P THEN S END`, the guarded event of Event-B.
    fn select_of_event_b(&mut self) -> SubstKind {
        let message = "expected a substitution, found `WHEN`, which is a guard of Event-B";
        let diagnostic = Diagnostic::error(codes::EXPECTED_SUBSTITUTION, self.span(), message);
        self.report(diagnostic.help("write `SELECT`").instead("SELECT"));
        self.select()
    }

    /// Returns whether a `WHEN` does not begin another branch of `SELECT` without a substitution, and was not
    /// reported.
    fn is_first_guard(&self) -> bool {
        self.at > 0 && self.kind_at(self.at - 1) != TokenKind::Then && self.reported_at != Some(self.at)
    }

    fn choice(&mut self) -> SubstKind {
        let start = self.bump();
        let mut branches = vec![self.substitution()];
        while self.eat(TokenKind::Or).is_some() {
            branches.push(self.substitution());
        }
        self.end("CHOICE", start);
        SubstKind::Choice(branches)
    }

    fn case(&mut self) -> SubstKind {
        let start = self.bump();
        let value = self.condition(TokenKind::Of, "OF");
        let either = self.span();
        self.divider(TokenKind::Either, "EITHER");
        let mut branches = vec![];
        loop {
            let from = self.at;
            let values = match self.list(FORMULA) {
                Ok(values) => values,
                Err(Reported) => {
                    self.skip_to(from, |_| false);
                    vec![]
                }
            };
            self.divider(TokenKind::Then, "THEN");
            branches.push((values, self.substitution()));
            if self.eat(TokenKind::Or).is_none() {
                break;
            }
        }
        let otherwise = self.otherwise();
        self.end("EITHER", either);
        self.end("CASE", start);
        SubstKind::Case(value, branches, otherwise)
    }

    fn any(&mut self) -> Parsed<SubstKind> {
        let start = self.bump();
        let names = self.names("a name that is chosen")?;
        self.any_where();
        let condition = self.condition(TokenKind::Then, "THEN");
        let body = self.substitution();
        self.end("ANY", start);
        Ok(SubstKind::Any(names, condition, Box::new(body)))
    }

    fn let_in(&mut self) -> Parsed<SubstKind> {
        let start = self.bump();
        let names = self.names("a local name")?;
        self.divider(TokenKind::Be, "BE");
        let equations = self.condition(TokenKind::In, "IN");
        let body = self.substitution();
        self.end("LET", start);
        Ok(SubstKind::Let(names, equations, Box::new(body)))
    }

    fn var(&mut self) -> Parsed<SubstKind> {
        let start = self.bump();
        let names = self.names("a local variable")?;
        self.divider(TokenKind::In, "IN");
        let body = self.substitution();
        self.end("VAR", start);
        Ok(SubstKind::Var(names, Box::new(body)))
    }

    fn while_do(&mut self) -> SubstKind {
        let start = self.bump();
        let condition = self.condition(TokenKind::Do, "DO");
        let body = Box::new(self.substitution());
        if self.is(TokenKind::End) {
            return self.endless_while(start, condition, body);
        }
        self.divider(TokenKind::Invariant, "INVARIANT");
        let invariant = self.condition(TokenKind::Variant, "VARIANT");
        let variant = boxed(self.conjuncts(|p| p.is(TokenKind::End), "an operator or `END`"));
        self.end("WHILE", start);
        SubstKind::While { condition, body, invariant, variant }
    }

    /// Reports that there is no sign of an assignment here; some signs are of other languages.
    fn no_assignment(&mut self) -> Reported {
        let (sign, next) = (self.text_at(self.at), self.text_at(self.at + 1));
        if ["+", "-", "*", "/"].contains(&sign) && [sign, "="].contains(&next) {
            let message = format!("`{sign}{next}` is no assignment");
            let span = self.span().to(self.span_at(self.at + 1));
            let diagnostic = Diagnostic::error(codes::FOREIGN_OPERATOR, span, message)
                .help(format!("write the whole assignment: `x := x {sign} 1`"));
            return self.report(diagnostic);
        }
        self.unexpected(codes::UNEXPECTED_TOKEN, "`:=`, `::`, `: (…)` or `<--`")
    }

    /// `x := 1 & y := 2`, `x := 1, y := 2`
    fn refuse_conjunction(&mut self, from: usize) -> Parsed<()> {
        let joins =
            |i: &usize| matches!(self.kind_at(*i), TokenKind::Infix(BinaryOp::And) | TokenKind::Comma);
        if matches!(self.kind(), TokenKind::Assign | TokenKind::BecomesIn)
            && let Some(at) = (from..self.at).rev().find(joins)
        {
            let joined = if self.kind_at(at) == TokenKind::Comma { "values" } else { "predicates" };
            let message = format!("`{}` joins {joined}, not substitutions", self.text_at(at));
            let diagnostic = Diagnostic::error(codes::FOREIGN_OPERATOR, self.span_at(at), message)
                .help("assignments at the same time are joined by `||`, one after the other by `;`");
            return Err(self.report(diagnostic));
        }
        Ok(())
    }

    fn assignment(&mut self) -> Parsed<SubstKind> {
        let mut targets = vec![self.assigned()?];
        while self.eat(TokenKind::Comma).is_some() {
            targets.push(self.assigned()?);
        }
        match self.kind() {
            TokenKind::Assign => {
                self.bump();
                self.assignable(&targets)?;
                let from = self.at;
                let values = self.list(FORMULA)?;
                self.refuse_conjunction(from)?;
                Ok(SubstKind::Assign(targets, values))
            }
            TokenKind::BecomesIn => {
                self.bump();
                self.assignable(&targets)?;
                Ok(SubstKind::BecomesIn(targets, boxed(self.formula()?)))
            }
            TokenKind::Colon => {
                self.bump();
                self.assignable(&targets)?;
                let open = self.span();
                if self.eat(TokenKind::OpenParen).is_none() {
                    let message = format!("expected `(` and a predicate, found {}", self.found());
                    let help = if self.is(TokenKind::Equal) {
                        "assignment is `:=`, without a space in it"
                    } else {
                        "`x : (P)` chooses a value with the property P, `x :: S` an element of S"
                    };
                    let diagnostic = Diagnostic::error(codes::MISSING_PARENTHESES, open, message).help(help);
                    return Err(self.report(diagnostic));
                }
                let condition = self.conjuncts(|p| p.is(TokenKind::CloseParen), "an operator or `)`");
                self.close(TokenKind::CloseParen, open)?;
                Ok(SubstKind::BecomesSuch(targets, boxed(condition)))
            }
            TokenKind::Outputs => {
                self.bump();
                self.assignable(&targets)?;
                let call = self.target()?;
                let Some((name, arguments)) = as_call(call) else {
                    return Err(self.unexpected(codes::EXPECTED_NAME, "a call of an operation"));
                };
                Ok(SubstKind::Call { results: targets, name, arguments })
            }
            TokenKind::Equal | TokenKind::Defines => {
                let does = if self.is(TokenKind::Equal) { "`=` compares" } else { "`==` defines" };
                let message = format!("{does}, it does not assign");
                let diagnostic = Diagnostic::error(codes::EQUAL_AS_ASSIGNMENT, self.span(), message)
                    .help("assignment is `:=`")
                    .instead(":=");
                self.report(diagnostic);
                self.bump();
                Ok(SubstKind::Assign(targets, self.list(FORMULA)?))
            }
            _ => {
                // `x + 1 := 2`
                let in_formula =
                    operators::infix(self.kind()).is_some_and(|i| i.level > operators::IN_PARENTHESES);
                let only = if targets.len() == 1 && !in_formula { targets.pop() } else { None };
                if let Some(returned) = only.as_ref().filter(|call| self.returns(call)) {
                    let message = "an operation of B does not `return`";
                    let diagnostic = Diagnostic::error(codes::EXPECTED_SUBSTITUTION, returned.span, message)
                        .help("name the result in the header and assign to it: `x <-- read = BEGIN x := level END`");
                    self.diagnostics.push(diagnostic);
                    return Err(Reported);
                }
                match only.and_then(as_call) {
                    Some((name, arguments)) => Ok(SubstKind::Call { results: vec![], name, arguments }),
                    None => Err(self.no_assignment()),
                }
            }
        }
    }

    /// Returns whether a value follows a call of `return`, as in other languages.
    fn returns(&self, call: &Expr) -> bool {
        use TokenKind::*;
        let is_word = matches!(&call.kind, ExprKind::Ident(name) if name == "return");
        is_word && !matches!(self.kind(), Semicolon | Parallel | Equal | Eof) && !self.at_block_end()
    }

    fn assigned(&mut self) -> Parsed<Expr> {
        if self.is_keyword() {
            let name = self.name("a variable")?;
            return Ok(super::state::ident_expr(name));
        }
        self.target()
    }

    /// Rejects expressions that cannot be assigned to.
    fn assignable(&mut self, targets: &[Expr]) -> Parsed<()> {
        match targets.iter().find(|t| !is_assignable(t)) {
            None => Ok(()),
            Some(target) => {
                let message = "this cannot be assigned to";
                let diagnostic = Diagnostic::error(codes::UNASSIGNABLE_FORM, target.span, message)
                    .help("assign to a variable `x`, to a function at a point `f(a)`, or to a field `r'a`");
                Err(self.report(diagnostic))
            }
        }
    }
}

fn is_assignable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ident(_) => true,
        ExprKind::Apply(inner, _) | ExprKind::Field(inner, _) => is_assignable(inner),
        _ => false,
    }
}

fn as_call(expr: Expr) -> Option<(Ident, Vec<Expr>)> {
    match expr.kind {
        ExprKind::Ident(name) => Some((Ident { name, span: expr.span }, vec![])),
        ExprKind::Apply(function, arguments) => match function.kind {
            ExprKind::Ident(name) => Some((Ident { name, span: function.span }, arguments)),
            _ => None,
        },
        _ => None,
    }
}
