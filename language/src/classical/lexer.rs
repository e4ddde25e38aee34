//! Text to tokens: every spelling of classical B, ASCII and Unicode (ProB's lexer and Atelier B's).
//!
//! Longest match decides; on equal length a keyword wins over a name. White space and comments are dropped. Pragmas are
//! kept apart from the tokens (in [`Lexed::pragmas`]), because they may occur in many places and have a meaning in few.
//! A piece of text that is not a token becomes one [`TokenKind::Error`] with its diagnostic, so that the parser does
//! not report it again.

use logos::{FilterResult, Lexer, Logos};

use crate::ast::operators::operators;
use crate::ast::{BinaryOp, BuiltinFn, Constant, Quantifier};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::{SourceId, Span};

// The spellings of operators stand in their table.
#[rustfmt::skip]
macro_rules! tokens {
    (
        apart { $($apart:tt)* }
        infix { $($infix:ident $level:tt $group:ident [$($spelling:tt)*] $event_b:tt $term:tt $($partial:ident)?
            => $reading:ident $types:tt;)* }
        words { $($builtin:ident [$($word:tt)*] $own:tt $functor:tt $count:tt $($mark:ident)?
            => $kind:ident $signature:tt;)* }
        soft { $($soft:tt)* }
    ) => {
/// Kinds of tokens. Keywords have their own spelling as name.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\x0B\x0C\u{A0}\u{2028}\u{2029}\u{FEFF}]+")]
#[logos(error = LexError)]
#[allow(missing_docs)]
pub enum TokenKind {
    #[regex(r"[\p{L}--[λ]][\p{L}0-9_λ]*[\u{2080}-\u{2089}]*[\u{2032}\u{2018}\u{2019}]*")]
    Ident,
    /// A name between backquotes.
    #[token("`", quoted_name)]
    QuotedIdent,
    #[regex("[0-9]+", number)]
    Integer,
    Real,
    #[token("\"", string)]
    String,
    #[token("'''", long_string)]
    LongString,
    #[token("```", template)]
    Template,
    #[regex(r"\$[0-9]+")]
    Old,

    /// Never in the result of [`lex`]: dropped, or kept as a [`Pragma`].
    #[token("/*", block_comment)]
    #[regex(r"//[^\r\n\u{2028}\u{2029}]*", logos::skip, allow_greedy = true)]
    Comment,

    // Sections and headers.
    #[token("MACHINE")] Machine,
    #[token("MODEL")] Model,
    #[token("SYSTEM")] System,
    #[token("REFINEMENT")] Refinement,
    #[token("IMPLEMENTATION")] Implementation,
    #[token("REFINES")] Refines,
    #[token("SEES")] Sees,
    #[token("USES")] Uses,
    #[token("INCLUDES")] Includes,
    #[token("EXTENDS")] Extends,
    #[token("IMPORTS")] Imports,
    #[token("PROMOTES")] Promotes,
    #[token("REFERENCES")] References,
    #[token("CONSTRAINTS")] Constraints,
    #[token("SETS")] Sets,
    #[token("CONSTANTS")] #[token("CONCRETE_CONSTANTS")] #[token("VISIBLE_CONSTANTS")] Constants,
    #[token("ABSTRACT_CONSTANTS")] #[token("HIDDEN_CONSTANTS")] AbstractConstants,
    #[token("PROPERTIES")] Properties,
    #[token("VALUES")] Values,
    #[token("VARIABLES")] #[token("ABSTRACT_VARIABLES")] #[token("HIDDEN_VARIABLES")] Variables,
    #[token("CONCRETE_VARIABLES")] #[token("VISIBLE_VARIABLES")] ConcreteVariables,
    #[token("INVARIANT")] Invariant,
    #[token("ASSERTIONS")] Assertions,
    #[token("INITIALISATION")] #[token("INITIALIZATION")] Initialisation,
    #[token("OPERATIONS")] #[token("EVENTS")] Operations,
    #[token("LOCAL_OPERATIONS")] LocalOperations,
    #[token("DEFINITIONS")] Definitions,
    #[token("EXPRESSIONS")] Expressions,
    #[token("PREDICATES")] Predicates,
    #[token("END")] End,

    // Substitutions.
    #[token("BEGIN")] Begin,
    #[token("PRE")] Pre,
    #[token("ASSERT")] Assert,
    #[token("WITNESS")] Witness,
    #[token("IF")] If,
    #[token("ELSIF")] Elsif,
    #[token("ELSE")] Else,
    #[token("THEN")] Then,
    #[token("CHOICE")] Choice,
    #[token("OR")] Or,
    #[token("SELECT")] Select,
    #[token("WHEN")] When,
    #[token("CASE")] Case,
    #[token("OF")] Of,
    #[token("EITHER")] Either,
    #[token("ANY")] Any,
    #[token("WHERE")] Where,
    #[token("LET")] Let,
    #[token("BE")] Be,
    #[token("IN")] In,
    #[token("VAR")] Var,
    #[token("WHILE")] While,
    #[token("DO")] Do,
    #[token("VARIANT")] Variant,
    #[token("skip")] Skip,
    #[token(":=")] #[token("≔")] Assign,
    #[token("::")] #[token(":∈")] BecomesIn,
    #[token("<--")] #[token("<−−")] #[token("←")] #[token("⟵")] Outputs,
    #[token("==")] #[token("≜")] Defines,

    // Punctuation and symbols of several meanings.
    #[token("(")] OpenParen,
    #[token(")")] CloseParen,
    #[token("[")] OpenBracket,
    #[token("]")] CloseBracket,
    #[token("{")] OpenBrace,
    #[token("}")] CloseBrace,
    #[token(",")] Comma,
    #[token(";")] Semicolon,
    #[token("||")] #[token("∥")] #[token("‖")] Parallel,
    #[token("|")] #[token("∣")] Bar,
    #[token(".")] Dot,
    /// The quantifier dot of Event-B, which cannot be a renaming.
    #[token("·")] #[token("⋅")] #[token("•")] MiddleDot,
    #[token("'")] Quote,
    #[token("~")] #[token("∼")] #[token("⁻¹")] Inverse,
    #[token("-")] #[token("−")] Minus,
    #[token("=")] Equal,
    #[token(":")] #[token("∈")] Colon,
    #[token("<>")] EmptySeq,
    #[token("∅")] EmptySet,
    #[token("not")] #[token("¬")] Not,

    $($(#[token($spelling, |_| BinaryOp::$infix)])*)*
    Infix(BinaryOp),

    /// The operator with its operands exchanged (`∋` for `∈`).
    #[token("∋", |_| BinaryOp::Member)] #[token("∌", |_| BinaryOp::NotMember)]
    #[token("⊇", |_| BinaryOp::Subset)] #[token("⊉", |_| BinaryOp::NotSubset)]
    #[token("⊃", |_| BinaryOp::StrictSubset)]
    #[token("⊅", |_| BinaryOp::NotStrictSubset)] #[token("⊋", |_| BinaryOp::NotStrictSubset)]
    Reversed(BinaryOp),

    #[token("!", |_| Quantifier::Forall)] #[token("∀", |_| Quantifier::Forall)]
    #[token("#", |_| Quantifier::Exists)] #[token("∃", |_| Quantifier::Exists)]
    #[token("%", |_| Quantifier::Lambda)] #[token("λ", |_| Quantifier::Lambda)] #[token("𝜆", |_| Quantifier::Lambda, priority = 50)]
    #[token("UNION", |_| Quantifier::Union)] #[token("⋃", |_| Quantifier::Union)]
    #[token("INTER", |_| Quantifier::Inter)] #[token("⋂", |_| Quantifier::Inter)]
    #[token("SIGMA", |_| Quantifier::Sigma)] #[token("∑", |_| Quantifier::Sigma)]
    #[token("PI", |_| Quantifier::Pi)] #[token("∏", |_| Quantifier::Pi)]
    Quantifier(Quantifier),

    #[token("INTEGER", |_| Constant::Integer)] #[token("ℤ", |_| Constant::Integer, priority = 50)]
    #[token("NATURAL", |_| Constant::Natural)] #[token("ℕ", |_| Constant::Natural, priority = 50)]
    #[token("NATURAL1", |_| Constant::Natural1)]
    #[token("ℕ1", |_| Constant::Natural1, priority = 50)] #[token("ℕ₁", |_| Constant::Natural1, priority = 50)]
    #[token("INT", |_| Constant::Int)]
    #[token("NAT", |_| Constant::Nat)]
    #[token("NAT1", |_| Constant::Nat1)]
    #[token("BOOL", |_| Constant::Bool)] #[token("𝔹", |_| Constant::Bool, priority = 50)]
    #[token("STRING", |_| Constant::Str)]
    #[token("REAL", |_| Constant::Real)] #[token("ℝ", |_| Constant::Real, priority = 50)]
    #[token("FLOAT", |_| Constant::Float)]
    #[token("TRUE", |_| Constant::True)]
    #[token("FALSE", |_| Constant::False)]
    #[token("MAXINT", |_| Constant::MaxInt)]
    #[token("MININT", |_| Constant::MinInt)]
    #[token("btrue", |_| Constant::Btrue)] #[token("⊤", |_| Constant::Btrue)]
    #[token("bfalse", |_| Constant::Bfalse)] #[token("⊥", |_| Constant::Bfalse)]
    Constant(Constant),

    $($(#[token($word, |_| BuiltinFn::$builtin, priority = 50)])*)*
    Builtin(BuiltinFn),
    #[token("struct")] Struct,
    #[token("rec")] Rec,

    /// Text that is not a token; a diagnostic was given.
    Error,
    /// Behind the last token.
    Eof,
}
    };
}
operators!(tokens);

/// Reasons why a piece of text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    /// No token begins like this.
    #[default]
    Unexpected,
    /// `/*` without `*/`.
    Comment,
    /// A string, template or backquoted name without its end.
    String,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Kind of the token.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

/// A comment that means something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pragma {
    /// `/*@ label NAME */`
    Label(String),
    /// `/*@ desc text */`
    Desc(String),
    /// `/*@ file "path" */`
    File(String),
}

/// The result of [`lex`].
#[derive(Clone, Debug)]
pub struct Lexed {
    /// All tokens; the last one is [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// Each pragma with the index of the token that follows it, in source order.
    pub pragmas: Vec<(usize, Pragma, Span)>,
    /// Mistakes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns whether a text is one name, so that it needs no backquotes.
pub fn is_name(text: &str) -> bool {
    let mut lexer = TokenKind::lexer(text);
    lexer.next() == Some(Ok(TokenKind::Ident)) && lexer.remainder().is_empty() && text != "FREETYPES"
}

/// Returns whether a word in capitals belongs to a section or a substitution. Operators, constants and `OR`, which
/// users write for an operator, do not.
pub fn is_keyword(word: &str) -> bool {
    use TokenKind::*;
    let mut lexer = TokenKind::lexer(word);
    let Some(Ok(kind)) = lexer.next() else { return false };
    lexer.remainder().is_empty()
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && !matches!(kind, Ident | Or | Infix(_) | Quantifier(_) | Constant(_) | Builtin(_))
}

/// The words of sections and substitutions that a misspelt one may have meant.
pub const KEYWORDS: [&str; 45] = [
    "MACHINE",
    "REFINEMENT",
    "IMPLEMENTATION",
    "REFINES",
    "SEES",
    "USES",
    "INCLUDES",
    "EXTENDS",
    "IMPORTS",
    "PROMOTES",
    "CONSTRAINTS",
    "SETS",
    "CONSTANTS",
    "CONCRETE_CONSTANTS",
    "ABSTRACT_CONSTANTS",
    "PROPERTIES",
    "VALUES",
    "VARIABLES",
    "CONCRETE_VARIABLES",
    "ABSTRACT_VARIABLES",
    "INVARIANT",
    "ASSERTIONS",
    "INITIALISATION",
    "OPERATIONS",
    "LOCAL_OPERATIONS",
    "DEFINITIONS",
    "END",
    "BEGIN",
    "PRE",
    "ASSERT",
    "IF",
    "ELSIF",
    "ELSE",
    "THEN",
    "CHOICE",
    "SELECT",
    "WHEN",
    "CASE",
    "EITHER",
    "ANY",
    "WHERE",
    "LET",
    "WHILE",
    "VARIANT",
    "EVENTS",
];

/// Reads the tokens of a text. Takes linear time and never fails.
pub fn lex(text: &str, source: SourceId) -> Lexed {
    let mut lexed =
        Lexed { tokens: Vec::with_capacity(text.len() / 3), pragmas: vec![], diagnostics: vec![] };
    let span = |start: usize, end: usize| Span { source, start: start as u32, end: end as u32 };
    let skipped = if text.starts_with("#!") { text.find(['\n', '\r']).unwrap_or(text.len()) } else { 0 };
    let mut lexer = TokenKind::lexer(text);
    lexer.bump(skipped);
    // Two errors without a token between them are one mistake.
    let mut last_error_end = None;
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let at = span(range.start, range.end);
        let mut kind = match result {
            Ok(TokenKind::Comment) => {
                if let Some(pragma) = pragma(lexer.slice()) {
                    lexed.pragmas.push((lexed.tokens.len(), pragma, at));
                }
                continue;
            }
            Ok(kind) => kind,
            Err(error) => {
                if error != LexError::Unexpected || last_error_end != Some(range.start) {
                    lexed.diagnostics.push(describe(error, lexer.slice(), at));
                }
                last_error_end = Some(range.end);
                TokenKind::Error
            }
        };
        if matches!(kind, TokenKind::Integer) && lexer.slice().contains('.') {
            kind = TokenKind::Real;
        }
        if let (TokenKind::Old, false) = (kind, lexer.slice() == "$0") {
            lexed.diagnostics.push(
                Diagnostic::error(codes::MALFORMED_OLD_VALUE, at, "only `$0` can follow a name here")
                    .help("`x$0` is the value of `x` before the substitution"),
            );
            kind = TokenKind::Error;
        }
        if matches!(kind, TokenKind::Ident) && touches_number(&lexed.tokens, range.start) {
            lexed.diagnostics.push(Diagnostic::error(
                codes::MALFORMED_NUMBER,
                at,
                format!("`{}` directly behind a number: an operator or separator is missing", lexer.slice()),
            ));
            kind = TokenKind::Error;
        }
        if kind == TokenKind::Error && lexed.tokens.last().is_some_and(|t| t.kind == TokenKind::Error) {
            if let Some(last) = lexed.tokens.last_mut() {
                last.end = at.end;
            }
            continue;
        }
        lexed.tokens.push(Token { kind, start: at.start, end: at.end });
    }
    let end = text.len() as u32;
    lexed.tokens.push(Token { kind: TokenKind::Eof, start: end, end });
    lexed
}

fn touches_number(tokens: &[Token], start: usize) -> bool {
    tokens
        .last()
        .is_some_and(|t| matches!(t.kind, TokenKind::Integer | TokenKind::Real) && t.end as usize == start)
}

fn describe(error: LexError, text: &str, at: Span) -> Diagnostic {
    match error {
        LexError::Comment => Diagnostic::error(
            codes::UNTERMINATED_COMMENT,
            Span { end: at.start + 2, ..at },
            "this comment has no end",
        )
        .help("close it with `*/`"),
        LexError::String => {
            let quote = ["'''", "```"].into_iter().find(|q| text.starts_with(q)).unwrap_or(&text[..1]);
            let name = if quote == "`" { "name" } else { "string" };
            Diagnostic::error(codes::UNTERMINATED_STRING, at, format!("this {name} has no end"))
                .help(format!("close it with `{quote}`").replace("```", "the same quote"))
        }
        LexError::Unexpected => {
            let first = text.chars().next().unwrap_or('\u{FFFD}');
            let at = Span { end: at.start + first.len_utf8() as u32, ..at };
            if let Some(help) = rejected(first) {
                return Diagnostic::error(
                    codes::REJECTED_SYMBOL,
                    at,
                    format!("`{first}` is not a symbol of classical B"),
                )
                .help(help);
            }
            match first {
                '_' => Diagnostic::error(codes::MALFORMED_NAME, at, "a name cannot begin with `_`")
                    .help("begin it with a letter, or put it between backquotes"),
                c if c.is_control() => Diagnostic::error(
                    codes::UNEXPECTED_CHARACTER,
                    at,
                    format!("unexpected control character U+{:04X}", c as u32),
                ),
                c => {
                    Diagnostic::error(codes::UNEXPECTED_CHARACTER, at, format!("unexpected character `{c}`"))
                }
            }
        }
    }
}

/// Returns a suggestion in place of a symbol that mathematics has and B does not.
fn rejected(symbol: char) -> Option<&'static str> {
    Some(match symbol {
        '⋀' => "write `&`, or a `∀`",
        '⋁' => "write `or`, or a `∃`",
        '∄' => "write `not(#x.(P))`",
        '⊎' => "write `\\/` for the union of sets",
        '⊢' | '⊦' | '⊧' => "write `=>` for the implication",
        '⇐' | '⟸' => "write the implication from left to right, with `=>`",
        '∊' => "write `:` or `∈` (U+2208)",
        '∍' => "write `∋` (U+220B)",
        _ => return None,
    })
}

fn pragma(comment: &str) -> Option<Pragma> {
    let text = comment.strip_prefix("/*@")?.strip_suffix("*/")?.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let unquoted = rest.strip_prefix('"').and_then(|r| r.strip_suffix('"')).unwrap_or(rest);
    match word {
        "label" if !unquoted.is_empty() => Some(Pragma::Label(unquoted.to_owned())),
        "desc" => Some(Pragma::Desc(rest.to_owned())),
        "file" => Some(Pragma::File(unquoted.to_owned())),
        // symbolic, generated, package, unit … change nothing for us.
        _ => None,
    }
}

fn number(lexer: &mut Lexer<TokenKind>) {
    let rest = lexer.remainder().as_bytes();
    let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    if lexer.slice() == "0" && rest.first() == Some(&b'x') {
        let hex = rest[1..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if hex > 0 {
            lexer.bump(1 + hex);
        }
        return;
    }
    let fraction = if rest.first() == Some(&b'.') { digits(1) } else { 0 };
    if fraction == 0 {
        return;
    }
    let mut length = 1 + fraction;
    if matches!(rest.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    lexer.bump(length);
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Moves behind the closing quote of a text that stays on its line.
fn close_on_line(lexer: &mut Lexer<TokenKind>, quote: char) -> Result<(), LexError> {
    let mut escaped = false;
    for (at, c) in lexer.remainder().char_indices() {
        if is_line_end(c) {
            lexer.bump(at);
            return Err(LexError::String);
        }
        if c == quote && !escaped {
            lexer.bump(at + 1);
            return Ok(());
        }
        escaped = c == '\\' && !escaped;
    }
    lexer.bump(lexer.remainder().len());
    Err(LexError::String)
}

fn string(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    close_on_line(lexer, '"')
}

fn quoted_name(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    close_on_line(lexer, '`')
}

fn close_with(lexer: &mut Lexer<TokenKind>, end: &str, error: LexError) -> Result<(), LexError> {
    match lexer.remainder().find(end) {
        Some(at) => {
            lexer.bump(at + end.len());
            Ok(())
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(error)
        }
    }
}

fn long_string(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    let rest = lexer.remainder().as_bytes();
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'\'' if rest[at..].starts_with(b"'''") => {
                lexer.bump(at + 3);
                return Ok(());
            }
            _ => at += 1,
        }
    }
    lexer.bump(rest.len());
    Err(LexError::String)
}

fn template(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    close_with(lexer, "```", LexError::String)
}

fn block_comment(lexer: &mut Lexer<TokenKind>) -> FilterResult<(), LexError> {
    match close_with(lexer, "*/", LexError::Comment) {
        Err(error) => FilterResult::Error(error),
        Ok(()) if lexer.slice().starts_with("/*@") => FilterResult::Emit(()),
        Ok(()) => FilterResult::Skip,
    }
}

/// Returns the content of a string token, escapes resolved: `\"`, `\'`, `\\`, `\n`, `\r`, `\t`; any other `\c` keeps
/// both characters.
pub fn unescape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut chars = content.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ ('"' | '\'' | '\\' | '`')) => out.push(c),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}
