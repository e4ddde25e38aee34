//! The symbols of Event-B's mathematical language, in all spellings.

use crate::ast::{BinaryOp, BuiltinFn, Constant, Quantifier};

/// A symbol or reserved word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// Infix operators and comparisons.
    Infix(BinaryOp),
    /// `¬`
    Not,
    /// `∼`
    Inverse,
    /// `∀ ∃ λ ⋃ ⋂`
    Binder(Quantifier),
    /// Reserved words with an argument, or none for `id`, `prj1`, `prj2`, `succ`, `pred`.
    Word(BuiltinFn),
    /// `ℤ`, `TRUE`, `⊤`, …
    Constant(Constant),
    /// `∅`
    EmptySet,
    /// `·`
    Dot,
    /// `∣`
    Bar,
    /// `,`
    Comma,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `≔`
    Assign,
    /// `:∈`
    BecomesIn,
    /// `:∣`
    BecomesSuch,
}

use BinaryOp as B;
use Symbol::*;

/// Spellings with characters that names do not have, besides those of operators.
#[rustfmt::skip]
const SYMBOLS: &[(&str, Symbol)] = &[
    ("≔", Assign), (":=", Assign), (":∈", BecomesIn), ("::", BecomesIn), (":∣", BecomesSuch), (":|", BecomesSuch),
    ("∀", Binder(Quantifier::Forall)), ("!", Binder(Quantifier::Forall)),
    ("∃", Binder(Quantifier::Exists)), ("#", Binder(Quantifier::Exists)),
    ("λ", Binder(Quantifier::Lambda)), ("%", Binder(Quantifier::Lambda)),
    ("⋃", Binder(Quantifier::Union)), ("⋂", Binder(Quantifier::Inter)),
    ("¬", Not),
    ("⊤", Constant(crate::ast::Constant::Btrue)), ("⊥", Constant(crate::ast::Constant::Bfalse)),
    ("∼", Inverse), ("~", Inverse),
    ("∅", EmptySet), ("·", Dot), (".", Dot), ("∣", Bar), ("|", Bar), (",", Comma),
    ("(", Open), (")", Close), ("[", OpenBracket), ("]", CloseBracket), ("{", OpenBrace), ("}", CloseBrace),
    ("ℕ1", Constant(crate::ast::Constant::Natural1)), ("ℕ", Constant(crate::ast::Constant::Natural)),
    ("ℤ", Constant(crate::ast::Constant::Integer)),
];

/// Words that no declaration may take.
pub(super) fn reserved(word: &str) -> Option<Symbol> {
    Some(match word {
        "BOOL" => Constant(crate::ast::Constant::Bool),
        "TRUE" => Constant(crate::ast::Constant::True),
        "FALSE" => Constant(crate::ast::Constant::False),
        "mod" => Infix(B::Mod),
        _ => return BuiltinFn::of_event_b().find(|(w, _)| *w == word).map(|(_, f)| Word(f)),
    })
}

/// Words for symbols, as they are typed; a declaration may take them.
pub(super) fn typed(word: &str) -> Option<Symbol> {
    Some(match word {
        "NAT" => Constant(crate::ast::Constant::Natural),
        "NAT1" => Constant(crate::ast::Constant::Natural1),
        "INT" => Constant(crate::ast::Constant::Integer),
        "POW" => Word(BuiltinFn::Pow),
        "POW1" => Word(BuiltinFn::Pow1),
        "UNION" => Binder(Quantifier::Union),
        "INTER" => Binder(Quantifier::Inter),
        "or" => Infix(B::Or),
        "not" => Not,
        "circ" => Infix(B::BackwardComposition),
        "oftype" => Infix(B::OfType),
        "true" => Constant(crate::ast::Constant::Btrue),
        "false" => Constant(crate::ast::Constant::Bfalse),
        _ => return None,
    })
}

/// Returns the longest symbol at the beginning of a text, with its length.
pub(super) fn symbol(text: &str) -> Option<(Symbol, usize)> {
    let infix = BinaryOp::of_event_b().map(|(spelling, op)| (spelling, Infix(op)));
    let words = BuiltinFn::of_event_b().filter(|(spelling, _)| !spelling.is_ascii());
    let all = SYMBOLS.iter().copied().chain(infix).chain(words.map(|(spelling, f)| (spelling, Word(f))));
    let fitting = all.filter(|(spelling, _)| text.starts_with(spelling));
    fitting.max_by_key(|(spelling, _)| spelling.len()).map(|(spelling, symbol)| (symbol, spelling.len()))
}
