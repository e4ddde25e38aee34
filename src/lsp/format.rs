//! Formatting: indentation, blanks at the ends of lines, and empty lines. Nothing else of a text changes.
//!
//! The indentation of a line follows from the sections, blocks and brackets that are open where it begins. Comments and
//! everything inside a line stay as they are, and the lines of a long comment move with its first one. A text
//! whose comments or strings are not closed is left alone.

use bsym_language::lexer::{self, Token, TokenKind};
use bsym_language::source::SourceId;
use lsp_types::{FormattingOptions, Range, TextEdit};

use super::position::Lines;
use super::tokens::comments;

/// The changes that format a text, or the lines of a range.
pub fn edits(text: &str, options: &FormattingOptions, within: Option<Range>) -> Vec<TextEdit> {
    let lexed = lexer::lex(text, SourceId(0));
    if lexed.tokens.iter().any(|token| token.kind == TokenKind::Error) {
        return vec![];
    }
    let unit = if options.insert_spaces {
        " ".repeat(options.tab_size.clamp(1, 16) as usize)
    } else {
        "\t".to_string()
    };
    let lines = Lines::new(text);
    let changes = changes(text, &lexed.tokens, &unit);
    let is_wanted = |range: &Range| {
        within.is_none_or(|w| w.start.line <= range.start.line && range.start.line <= w.end.line)
    };
    let edits = changes.into_iter().map(|(start, end, new)| TextEdit::new(lines.range(start..end), new));
    edits.filter(|edit| is_wanted(&edit.range)).collect()
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
struct Nesting {
    open: Vec<Open>,
    in_section: bool,
    /// The keyword of the section.
    section: Option<TokenKind>,
}

impl Nesting {
    /// The indentation of a line that begins with a token.
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

    /// Goes on behind a token of a line with an indentation.
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

    fn block(&self) -> Option<&Open> {
        self.open.iter().rfind(|open| is_block(open.kind))
    }

    fn belongs_to_loop(&self, kind: TokenKind) -> bool {
        matches!(kind, TokenKind::Invariant | TokenKind::Variant)
            && self.block().is_some_and(|block| block.kind == Kind::Loop)
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

// The bytes to replace, with what comes in their place.
fn changes(text: &str, tokens: &[Token], unit: &str) -> Vec<(usize, usize, String)> {
    let mut out = vec![];
    let comments = all_comments(text, tokens);
    let mut nesting = Nesting::default();
    let (mut next, mut offset) = (0, 0);
    // Where the first line of the comment that a line begins in was moved to.
    let mut moved: isize = 0;
    // Where the empty lines before the next line begin.
    let mut empty: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let (start, end) = (offset, offset + line.len());
        offset = end;
        let content = line.trim_end_matches(['\n', '\r']);
        let trimmed = content.trim_end_matches([' ', '\t']);
        let blank = trimmed.len() - trimmed.trim_start_matches([' ', '\t']).len();
        let first = start + blank;
        let in_comment = comments.iter().any(|(from, to)| *from < start && start < *to);
        let in_token = tokens[..next].last().is_some_and(|token| start < token.end as usize);
        if trimmed.is_empty() && !in_comment && !in_token {
            empty.get_or_insert(start);
            continue;
        }
        // Of several empty lines one stays, and none at the beginning.
        if let Some(from) = empty.take() {
            let end = if text[from..start].contains("\r\n") { "\r\n" } else { "\n" };
            out.push((from, start, if from == 0 { String::new() } else { end.into() }));
        }
        let begins = tokens.get(next).filter(|t| t.start as usize == first).map(|token| token.kind);
        if in_comment {
            let wanted = (blank as isize + moved).max(0) as usize;
            if !trimmed.is_empty() && content[..blank].chars().all(|c| c == ' ') {
                out.push((start, first, " ".repeat(wanted)));
            }
        } else if !in_token {
            // A comment in front of a section stands where the section does.
            let following = tokens.get(next).map(|token| token.kind).filter(|kind| nesting.is_section(*kind));
            let wanted = unit.repeat(nesting.indent(begins.or(following)));
            moved = wanted.len() as isize - blank as isize;
            out.push((start, first, wanted));
        }
        let begin = nesting.indent(begins);
        while let Some(token) = tokens.get(next).filter(|token| (token.start as usize) < end) {
            if token.kind == TokenKind::Eof {
                break;
            }
            nesting.pass(token.kind, begin);
            next += 1;
        }
        let ends_in_token = tokens[..next].last().is_some_and(|token| end < token.end as usize);
        if !ends_in_token {
            out.push((start + trimmed.len(), start + content.len(), String::new()));
        }
    }
    if let Some(from) = empty {
        out.push((from, text.len(), String::new()));
    }
    out.retain(|(start, end, new)| text[*start..*end] != **new);
    out.sort_by_key(|(start, ..)| *start);
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let lexed = lexer::lex(text, SourceId(0));
        let mut out = text.to_string();
        for (start, end, new) in changes(text, &lexed.tokens, "  ").into_iter().rev() {
            assert!(text[start..end].trim().is_empty(), "{:?}", &text[start..end]);
            out.replace_range(start..end, &new);
        }
        out
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected, "a second time");
    }

    #[test]
    fn lines_are_indented_by_what_is_open() {
        check(
            "\n\nMACHINE M\n VARIABLES\nx,   y  \n\n\n\nINVARIANT x : 0..9 &\n  (y = 1 or\ny = 2\n)\nINITIALISATION\nx := 0\n||  y := 1\n\
             OPERATIONS\nr <-- op(a) =\nPRE a : {1,\n2} // why\nTHEN\nIF x = 1 THEN x := 2\nELSE\nskip\nEND\nEND;\n\
             p = SELECT x = 1 THEN\n x := 2\nEND\nEND\n\n\n",
            "MACHINE M\nVARIABLES\n  x,   y\n\nINVARIANT x : 0..9 &\n  (y = 1 or\n    y = 2\n  )\nINITIALISATION\n  x := 0\n  ||  y := 1\n\
             OPERATIONS\n  r <-- op(a) =\n    PRE a : {1,\n      2} // why\n    THEN\n      IF x = 1 THEN x := 2\n      ELSE\n        skip\n      END\n    END;\n  \
             p = SELECT x = 1 THEN\n    x := 2\n  END\nEND\n",
        );
    }

    #[test]
    fn loops_have_their_own_invariant() {
        check(
            "IMPLEMENTATION I REFINES M\nOPERATIONS\no = BEGIN\nWHILE x < 3 DO\nx := x + 1\nINVARIANT x : NAT\nVARIANT 3 - x\nEND\nEND\nINVARIANT x : NAT\nEND",
            "IMPLEMENTATION I REFINES M\nOPERATIONS\n  o = BEGIN\n    WHILE x < 3 DO\n      x := x + 1\n    INVARIANT x : NAT\n    VARIANT 3 - x\n    END\n  END\nINVARIANT x : NAT\nEND",
        );
    }

    #[test]
    fn comments_move_with_their_first_line_and_strings_stay() {
        check(
            "MACHINE M\n/* a\n   b */\nINVARIANT\n/* c\n   d */\nx = '''\n  y  \nz'''\nEND\n",
            "MACHINE M\n/* a\n   b */\nINVARIANT\n  /* c\n     d */\n  x = '''\n  y  \nz'''\nEND\n",
        );
    }

    #[test]
    fn any_text_keeps_its_tokens() {
        let texts =
            ["", "\n", " \t\r\n x \r\n\r\n\r\n", "END END ) ; == (", "/* a */ /* b\n*/ x", "MACHINE\n\n\n\n"];
        for text in texts {
            let lexed = |text: &str| {
                let tokens = lexer::lex(text, SourceId(0)).tokens;
                tokens.iter().map(|t| text[t.start as usize..t.end as usize].to_string()).collect::<Vec<_>>()
            };
            let once = formatted(text);
            assert_eq!(lexed(text), lexed(&once), "{text:?}");
            assert_eq!(formatted(&once), once, "{text:?}");
        }
    }
}
