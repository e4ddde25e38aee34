//! Classical B: sections, substitutions and brackets.

use bsym_language::lexer::{self, Token, TokenKind};
use bsym_language::source::SourceId;

use super::lines::{Layout, Pieces, Word};
use crate::lsp::tokens::comments;

/// The words and comments of a text; `None` where a comment or string is not closed.
pub fn pieces(text: &str) -> Option<Pieces<TokenKind>> {
    let tokens = lexer::lex(text, SourceId(0)).tokens;
    if tokens.iter().any(|token| token.kind == TokenKind::Error) {
        return None;
    }
    let comments = all_comments(text, &tokens);
    let words = tokens.iter().filter(|token| token.kind != TokenKind::Eof);
    let words = words.map(|t| Word { start: t.start as usize, end: t.end as usize, kind: t.kind });
    Some(Pieces { words: words.collect(), comments })
}

fn all_comments(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut last = 0;
    let gaps = tokens.iter().map(|token| {
        let gap = (last, token.start as usize);
        last = token.end as usize;
        gap
    });
    let gaps: Vec<(usize, usize)> = gaps.collect();
    gaps.into_iter().flat_map(|(from, to)| comments(text, from, to)).collect()
}

/// Something that is open, with the indentation of the line on which it was opened.
struct Open {
    kind: Kind,
    indent: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// From a keyword to its `END`.
    Block,
    /// As a block; `INVARIANT` and `VARIANT` belong to it.
    Loop,
    Bracket,
    /// From the `=` of an operation or the `==` of a definition to the `;` behind it.
    Body,
}

/// The state between two tokens.
#[derive(Default)]
pub struct Nesting {
    open: Vec<Open>,
    in_section: bool,
    /// The keyword of the section.
    section: Option<TokenKind>,
}

impl Layout for Nesting {
    type Kind = TokenKind;

    fn indent(&self, first: Option<TokenKind>) -> usize {
        let inside = self.open.last().map_or(usize::from(self.in_section), |open| open.indent + 1);
        match first {
            Some(kind) if self.is_section(kind) => 0,
            Some(TokenKind::End) => self.block().map_or(0, |block| block.indent),
            Some(kind) if is_middle(kind) || self.belongs_to_loop(kind) => {
                self.block().map_or(inside, |block| block.indent)
            }
            Some(kind) if is_closing(kind) => {
                let bracket = self.open.last().filter(|open| open.kind == Kind::Bracket);
                bracket.map_or(inside, |bracket| bracket.indent)
            }
            _ => inside,
        }
    }

    fn pass(&mut self, kind: TokenKind, indent: usize) {
        use TokenKind::*;
        if self.is_section(kind) {
            self.open.clear();
            (self.in_section, self.section) = (true, Some(kind));
            return;
        }
        let opened = match kind {
            Begin | Pre | Assert | Witness | If | Choice | Select | Case | Either | Any | Let | Var => {
                Some(Kind::Block)
            }
            While => Some(Kind::Loop),
            OpenParen | OpenBracket | OpenBrace => Some(Kind::Bracket),
            Equal if self.open.is_empty() && matches!(self.section, Some(Operations | LocalOperations)) => {
                Some(Kind::Body)
            }
            Defines if self.open.is_empty() => Some(Kind::Body),
            _ => None,
        };
        self.open.extend(opened.map(|kind| Open { kind, indent }));
        let last = self.open.last().map(|open| open.kind);
        match kind {
            CloseParen | CloseBracket | CloseBrace if last == Some(Kind::Bracket) => {
                self.open.pop();
            }
            End => match self.open.iter().rposition(|open| is_block(open.kind)) {
                Some(block) => self.open.truncate(block),
                None => (self.open, self.in_section) = (vec![], false),
            },
            Semicolon if last == Some(Kind::Body) => {
                self.open.pop();
            }
            _ => {}
        }
    }

    fn is_section(&self, kind: TokenKind) -> bool {
        use TokenKind::*;
        let is_one = matches!(
            kind,
            Machine
                | Model
                | System
                | Refinement
                | Implementation
                | Refines
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
                | Variant
                | Assertions
                | Initialisation
                | Operations
                | LocalOperations
                | Definitions
                | Expressions
                | Predicates
        );
        is_one && !self.belongs_to_loop(kind)
    }
}

impl Nesting {
    fn block(&self) -> Option<&Open> {
        self.open.iter().rfind(|open| is_block(open.kind))
    }

    fn belongs_to_loop(&self, kind: TokenKind) -> bool {
        matches!(kind, TokenKind::Invariant | TokenKind::Variant)
            && self.block().is_some_and(|block| block.kind == Kind::Loop)
    }
}

fn is_block(kind: Kind) -> bool {
    matches!(kind, Kind::Block | Kind::Loop)
}

fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace)
}

fn is_middle(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Then | Elsif | Else | Or | When | Where | Be | In | Do | Of)
}
