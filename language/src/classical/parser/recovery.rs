//! Recovery after a mistake, and operators of other languages.

use super::depth;
use super::operators::{self};
use super::state::{Parser, Reported, error_expr};
use crate::ast::{BinaryOp, Expr, Quantifier};
use crate::classical::lexer::{KEYWORDS, TokenKind, is_keyword, lex};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::diagnostic::nearest;

/// Returns whether a token opens a block that ends with `END`.
pub(super) fn opens_block(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Begin | Pre | Assert | Witness | If | Choice | Select | Case | Any | Let | Var | While)
}

/// Returns whether a token divides or ends a block.
fn divides_block(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        End | Then | Else | Elsif | When | Or | Do | In | Be | Where | Of | Either | Variant | Invariant
    )
}

/// Returns whether a token opens a section.
pub(super) fn opens_section(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Refines
            | Sees
            | Uses
            | Includes
            | Extends
            | Imports
            | Promotes
            | References
            | Constraints
            | Sets
            | Constants
            | AbstractConstants
            | Properties
            | Values
            | Variables
            | ConcreteVariables
            | Invariant
            | Assertions
            | Initialisation
            | Operations
            | LocalOperations
            | Definitions
            | Expressions
            | Predicates
    )
}

impl Parser<'_> {
    /// Returns whether the next token opens a section, `FREETYPES` (which may also be a name) included.
    pub(super) fn at_section(&self) -> bool {
        opens_section(self.kind()) || self.at_free_types()
    }

    /// Returns whether the next token is `FREETYPES` before a declaration.
    pub(super) fn at_free_types(&self) -> bool {
        self.is(TokenKind::Ident)
            && self.text_at(self.at) == "FREETYPES"
            && matches!(self.kind_at(self.at + 1), TokenKind::Ident | TokenKind::QuotedIdent)
            && matches!(self.kind_at(self.at + 2), TokenKind::Equal | TokenKind::OpenParen)
    }

    /// Returns whether a section, the machine or the file ends here.
    pub(super) fn at_section_end(&self) -> bool {
        self.at_section() || matches!(self.kind(), TokenKind::End | TokenKind::Eof)
    }

    /// Returns whether the next token belongs to the structure of the file rather than to a formula.
    pub(super) fn is_structure(&self) -> bool {
        use TokenKind::*;
        let kind = self.kind();
        opens_section(kind)
            || opens_block(kind)
            || divides_block(kind)
            || matches!(kind, Machine | Model | System | Refinement | Implementation | Eof)
    }

    /// Skips what follows a mistake in the construct that began at token `from`, up to a token
    /// outside all brackets and blocks of that construct for which `stop` holds, or up to the end
    /// of the surrounding block or section.
    pub(super) fn skip_to(&mut self, from: usize, stop: impl Fn(&Self) -> bool) {
        let (mut brackets, mut blocks) = (0usize, 0usize);
        let mut count = |kind: TokenKind| {
            use TokenKind::*;
            match kind {
                OpenParen | OpenBracket | OpenBrace => brackets += 1,
                CloseParen | CloseBracket | CloseBrace => brackets = brackets.saturating_sub(1),
                End => blocks = blocks.saturating_sub(1),
                kind if opens_block(kind) => blocks += 1,
                _ => {}
            }
            (brackets, blocks)
        };
        let mut state = (0, 0);
        for index in from..self.at {
            state = count(self.kind_at(index));
        }
        while !self.is(TokenKind::Eof) {
            let (brackets, blocks) = state;
            let kind = self.kind();
            if self.at_section() && !(kind == TokenKind::Invariant && blocks > 0) {
                break;
            }
            // An unclosed bracket or block must not hide the following text.
            if self.at > from
                && !self.too_deep
                && (self.operation_begins(self.at) || self.definition_begins(self.at))
            {
                break;
            }
            if blocks == 0 && !self.too_deep && (divides_block(kind) || brackets == 0 && stop(self)) {
                break;
            }
            state = count(kind);
            self.bump();
        }
        // Other expectations at this token need no report: the mistake was reported.
        self.reported_at = Some(self.at);
    }

    /// Parses a formula up to a token where `ends` holds; a mistake in one conjunct does not hide those in the others.
    pub(super) fn conjuncts(&mut self, ends: impl Fn(&Self) -> bool + Copy, expected: &str) -> Expr {
        let start = self.span();
        let conjunction = operators::infix(TokenKind::Infix(BinaryOp::And));
        let mut parts = vec![];
        loop {
            let from = self.at;
            let part_start = self.span();
            let result = self.formula();
            let span = self.span_from(part_start);
            match result {
                Ok(expr) if ends(self) => {
                    parts.push((expr, span));
                    break;
                }
                Ok(expr) if self.is(TokenKind::Semicolon) => {
                    let message = format!("expected {expected}, found `;`");
                    let help =
                        "predicates are joined by `&`; `;` stands between substitutions and operations";
                    self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), message).help(help));
                    parts.push((expr, span));
                }
                Ok(expr) => {
                    parts.push((expr, span));
                    if self.missing_conjunction(expected) {
                        continue;
                    }
                    self.unexpected(codes::UNEXPECTED_TOKEN, expected);
                }
                Err(Reported) => parts.push((error_expr(span), span)),
            }
            self.skip_to(from, |p| {
                p.is(TokenKind::Infix(BinaryOp::And)) || p.is(TokenKind::Semicolon) || ends(p)
            });
            self.too_deep = false;
            // The second `&` of a `&&` that was reported.
            while self.is(TokenKind::Infix(BinaryOp::And)) && self.kind_at(self.at + 1) == self.kind() {
                self.bump();
            }
            if !self.is(TokenKind::Infix(BinaryOp::And)) {
                break;
            }
            self.bump();
        }
        match conjunction {
            Some(infix) if parts.len() > 1 => depth::join(infix, parts),
            _ => parts.pop().map_or_else(|| error_expr(start), |(expr, _)| expr),
        }
    }

    /// Adds to a message about the next token a suggestion of what it, or the one before it, may have meant.
    pub(super) fn hinted(&self, d: Diagnostic) -> Diagnostic {
        let word = self.text_at(self.at);
        let capitals = word.to_ascii_uppercase();
        if self.is(TokenKind::Ident) && is_keyword(&capitals) && !self.follows_quantifier() {
            return d.help(format!("keywords are written in capitals: `{capitals}`")).instead(capitals);
        }
        // Words of two letters are near to many.
        let is_misspelt = self.is(TokenKind::Ident) && word == capitals && word.len() > 2;
        if is_misspelt && !self.follows_quantifier() {
            return match nearest(word, KEYWORDS) {
                Some(near) => d.meant(near),
                None => d,
            };
        }
        let fix = matches!(self.kind(), TokenKind::Bar | TokenKind::Or).then_some("or");
        let d = match self.hint() {
            Some(help) => d.help(help),
            None => return d,
        };
        match fix {
            Some(text) => d.instead(text),
            None => d,
        }
    }

    fn follows_quantifier(&self) -> bool {
        let before = if self.at > 0 { self.text_at(self.at - 1) } else { "" };
        ["forall", "exists"].iter().any(|word| word.eq_ignore_ascii_case(before))
    }

    fn hint(&self) -> Option<String> {
        let before = if self.at > 0 { self.text_at(self.at - 1) } else { "" };
        Some(match (before.to_ascii_lowercase().as_str(), self.kind()) {
            ("forall", TokenKind::Ident) => "`for all` is written `!x.(x : S => P)`".into(),
            ("exists", TokenKind::Ident) => "`there is` is written `#x.(x : S & P)`".into(),
            (_, TokenKind::When) => {
                "`WHEN` begins a further branch of `SELECT`; conditions are joined by `&`".into()
            }
            (_, TokenKind::Do) => "`DO` belongs to `WHILE`; behind other conditions stands `THEN`".into(),
            (_, TokenKind::Ident) if self.looks_assigned() => {
                "`THEN` (in a loop `DO`) stands between a condition and its substitution".into()
            }
            (_, TokenKind::Minus) if self.touching(TokenKind::Minus, TokenKind::Minus) => {
                "a comment is `// …` or `/* … */`".into()
            }
            _ if self.is_hash_comment() => "a comment is `// …` or `/* … */`".into(),
            (_, TokenKind::Bar) => "disjunction is `or`".into(),
            (_, TokenKind::Or) => "disjunction is `or`, in small letters".into(),
            _ => return None,
        })
    }

    /// Takes a misspelt keyword in capitals, which was complained about, for the one that was probably meant.
    pub(super) fn respell(&mut self) {
        let word = self.text_at(self.at);
        // As for the hint.
        if !self.is(TokenKind::Ident) || word != word.to_ascii_uppercase() || word.len() <= 2 {
            return;
        }
        let Some(meant) = nearest(word, KEYWORDS) else { return };
        if let Some(token) = lex(meant, self.source).tokens.first() {
            self.tokens[self.at].kind = token.kind;
        }
    }

    /// Returns whether the next two tokens touch and have these kinds.
    fn touching(&self, first: TokenKind, second: TokenKind) -> bool {
        self.is(first)
            && self.kind_at(self.at + 1) == second
            && self.token().end == self.token_at(self.at + 1).start
    }

    /// Returns whether infix operators follow that only look like ones of B: `&&`, `=<`, `\=`.
    pub(super) fn is_foreign_operator(&self) -> bool {
        let and = TokenKind::Infix(BinaryOp::And);
        self.touching(and, and)
            || self.touching(TokenKind::Equal, TokenKind::Infix(BinaryOp::Less))
            || self.touching(TokenKind::Infix(BinaryOp::SetMinus), TokenKind::Equal)
    }

    /// Returns whether the next token is a word that stands for an operator in other languages.
    pub(super) fn is_foreign_word(&self) -> bool {
        let word = self.text_at(self.at);
        ["and", "implies", "in"].iter().any(|w| w.eq_ignore_ascii_case(word))
    }

    /// Reports an operator of another language at the next token, if there is one.
    pub(super) fn foreign_operator(&mut self) -> Option<Reported> {
        let and = TokenKind::Infix(BinaryOp::And);
        let not = TokenKind::Quantifier(Quantifier::Forall);
        let word = self.text_at(self.at);
        let backslash = TokenKind::Infix(BinaryOp::SetMinus);
        let (found, right, help) = if self.touching(and, and) {
            ("&&", "&", "conjunction is `&`")
        } else if self.touching(not, TokenKind::Equal) {
            ("!=", "/=", "inequality is `/=`")
        } else if self.touching(backslash, TokenKind::Equal) {
            ("\\=", "/=", "inequality is `/=`")
        } else if self.touching(TokenKind::Equal, TokenKind::Infix(BinaryOp::Less)) {
            ("=<", "<=", "less or equal is `<=`")
        } else {
            match self.kind() {
                TokenKind::Defines => ("==", "=", "equality is `=`; `==` only stands in DEFINITIONS"),
                TokenKind::Assign => (":=", "=", "equality is `=`; `:=` only stands in substitutions"),
                TokenKind::Parallel => ("||", "or", "disjunction is `or`"),
                TokenKind::EmptySeq => ("<>", "/=", "inequality is `/=`"),
                TokenKind::Quantifier(Quantifier::Lambda) => ("%", "mod", "the remainder is `mod`"),
                TokenKind::Ident if word.eq_ignore_ascii_case("and") => (word, "&", "conjunction is `&`"),
                TokenKind::Ident if word.eq_ignore_ascii_case("implies") => {
                    (word, "=>", "implication is `=>`")
                }
                TokenKind::Ident if word.eq_ignore_ascii_case("in") => (word, ":", "membership is `:`"),
                _ => return None,
            }
        };
        // The operator may be two tokens, or one that is spelled otherwise.
        let last = if found.len() > word.len() { self.at + 1 } else { self.at };
        let span = self.span().to(self.span_at(last));
        let message = format!("`{found}` is no operator here");
        Some(self.report(Diagnostic::error(codes::FOREIGN_OPERATOR, span, message).help(help).instead(right)))
    }
}
