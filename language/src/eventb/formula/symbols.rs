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

/// Spellings with other characters than those of names; the longest that fits is meant.
#[rustfmt::skip]
const SYMBOLS: &[(&str, Symbol)] = &[
    ("≔", Assign), (":=", Assign), (":∈", BecomesIn), ("::", BecomesIn), (":∣", BecomesSuch), (":|", BecomesSuch),
    ("∀", Binder(Quantifier::Forall)), ("!", Binder(Quantifier::Forall)),
    ("∃", Binder(Quantifier::Exists)), ("#", Binder(Quantifier::Exists)),
    ("λ", Binder(Quantifier::Lambda)), ("%", Binder(Quantifier::Lambda)),
    ("⋃", Binder(Quantifier::Union)), ("⋂", Binder(Quantifier::Inter)),
    ("⇒", Infix(B::Implies)), ("=>", Infix(B::Implies)), ("⇔", Infix(B::Iff)), ("<=>", Infix(B::Iff)),
    ("∧", Infix(B::And)), ("&", Infix(B::And)), ("∨", Infix(B::Or)), ("¬", Not),
    ("⊤", Constant(crate::ast::Constant::Btrue)), ("⊥", Constant(crate::ast::Constant::Bfalse)),
    ("=", Infix(B::Equal)), ("≠", Infix(B::NotEqual)), ("/=", Infix(B::NotEqual)),
    ("<", Infix(B::Less)), ("≤", Infix(B::LessEqual)), ("<=", Infix(B::LessEqual)),
    (">", Infix(B::Greater)), ("≥", Infix(B::GreaterEqual)), (">=", Infix(B::GreaterEqual)),
    ("∈", Infix(B::Member)), (":", Infix(B::Member)), ("∉", Infix(B::NotMember)), ("/:", Infix(B::NotMember)),
    ("⊂", Infix(B::StrictSubset)), ("<<:", Infix(B::StrictSubset)),
    ("⊄", Infix(B::NotStrictSubset)), ("/<<:", Infix(B::NotStrictSubset)),
    ("⊆", Infix(B::Subset)), ("<:", Infix(B::Subset)), ("⊈", Infix(B::NotSubset)), ("/<:", Infix(B::NotSubset)),
    ("↦", Infix(B::Maplet)), ("|->", Infix(B::Maplet)), (",,", Infix(B::Maplet)), ("⦂", Infix(B::OfType)),
    ("↔", Infix(B::Relation)), ("<->", Infix(B::Relation)),
    ("\u{e100}", Infix(B::TotalRelation)), ("<<->", Infix(B::TotalRelation)),
    ("\u{e101}", Infix(B::SurjectiveRelation)), ("<->>", Infix(B::SurjectiveRelation)),
    ("\u{e102}", Infix(B::TotalSurjectiveRelation)), ("<<->>", Infix(B::TotalSurjectiveRelation)),
    ("⇸", Infix(B::PartialFunction)), ("+->", Infix(B::PartialFunction)),
    ("→", Infix(B::TotalFunction)), ("-->", Infix(B::TotalFunction)),
    ("⤔", Infix(B::PartialInjection)), (">+>", Infix(B::PartialInjection)),
    ("↣", Infix(B::TotalInjection)), (">->", Infix(B::TotalInjection)),
    ("⤀", Infix(B::PartialSurjection)), ("+->>", Infix(B::PartialSurjection)), ("+>>", Infix(B::PartialSurjection)),
    ("↠", Infix(B::TotalSurjection)), ("-->>", Infix(B::TotalSurjection)), ("->>", Infix(B::TotalSurjection)),
    ("⤖", Infix(B::TotalBijection)), (">->>", Infix(B::TotalBijection)),
    ("∪", Infix(B::Union)), ("\\/", Infix(B::Union)), ("∩", Infix(B::Intersection)), ("/\\", Infix(B::Intersection)),
    ("∖", Infix(B::SetMinus)), ("\\", Infix(B::SetMinus)), ("×", Infix(B::Cartesian)), ("**", Infix(B::Cartesian)),
    ("⊗", Infix(B::DirectProduct)), ("><", Infix(B::DirectProduct)),
    ("∥", Infix(B::ParallelProduct)), ("||", Infix(B::ParallelProduct)),
    ("◁", Infix(B::DomainRestriction)), ("<|", Infix(B::DomainRestriction)),
    ("⩤", Infix(B::DomainSubtraction)), ("<<|", Infix(B::DomainSubtraction)),
    ("▷", Infix(B::RangeRestriction)), ("|>", Infix(B::RangeRestriction)),
    ("⩥", Infix(B::RangeSubtraction)), ("|>>", Infix(B::RangeSubtraction)),
    (";", Infix(B::Composition)), ("∘", Infix(B::BackwardComposition)),
    ("\u{e103}", Infix(B::Override)), ("<+", Infix(B::Override)),
    ("‥", Infix(B::Interval)), ("..", Infix(B::Interval)),
    ("+", Infix(B::Plus)), ("−", Infix(B::Minus)), ("-", Infix(B::Minus)),
    ("∗", Infix(B::Times)), ("*", Infix(B::Times)), ("÷", Infix(B::Divide)), ("/", Infix(B::Divide)),
    ("^", Infix(B::Power)), ("∼", Inverse), ("~", Inverse),
    ("∅", EmptySet), ("·", Dot), (".", Dot), ("∣", Bar), ("|", Bar), (",", Comma),
    ("(", Open), (")", Close), ("[", OpenBracket), ("]", CloseBracket), ("{", OpenBrace), ("}", CloseBrace),
    ("ℕ1", Constant(crate::ast::Constant::Natural1)), ("ℕ", Constant(crate::ast::Constant::Natural)),
    ("ℤ", Constant(crate::ast::Constant::Integer)),
    ("ℙ1", Word(BuiltinFn::Pow1)), ("ℙ", Word(BuiltinFn::Pow)),
];

/// Words that no declaration may take.
pub(super) fn reserved(word: &str) -> Option<Symbol> {
    Some(match word {
        "BOOL" => Constant(crate::ast::Constant::Bool),
        "TRUE" => Constant(crate::ast::Constant::True),
        "FALSE" => Constant(crate::ast::Constant::False),
        "bool" => Word(BuiltinFn::Bool),
        "card" => Word(BuiltinFn::Card),
        "dom" => Word(BuiltinFn::Dom),
        "finite" => Word(BuiltinFn::Finite),
        "id" => Word(BuiltinFn::Id),
        "inter" => Word(BuiltinFn::GeneralInter),
        "max" => Word(BuiltinFn::Max),
        "min" => Word(BuiltinFn::Min),
        "mod" => Infix(B::Mod),
        "partition" => Word(BuiltinFn::Partition),
        "pred" => Word(BuiltinFn::Pred),
        "prj1" => Word(BuiltinFn::Prj1),
        "prj2" => Word(BuiltinFn::Prj2),
        "ran" => Word(BuiltinFn::Ran),
        "succ" => Word(BuiltinFn::Succ),
        "union" => Word(BuiltinFn::GeneralUnion),
        _ => return None,
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

/// The longest symbol at the beginning of a text, with its length.
pub(super) fn symbol(text: &str) -> Option<(Symbol, usize)> {
    SYMBOLS
        .iter()
        .filter(|(spelling, _)| text.starts_with(spelling))
        .max_by_key(|(spelling, _)| spelling.len())
        .map(|(spelling, symbol)| (*symbol, spelling.len()))
}
