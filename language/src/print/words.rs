//! Spellings of the operators of the model (the rows of the table of operators, backwards), and names.

use crate::ast::operators::operators;
use crate::ast::{BinaryOp as In, BuiltinFn as F};
use crate::classical::lexer;
use crate::model::{BinaryOp, CompareOp, TreeOp, UnaryOp};

#[rustfmt::skip]
macro_rules! model {
    (value($op:ident: $($types:tt)*)) => { (Some(BinaryOp::$op), None) };
    (rule($op:ident, $rule:ident)) => { (Some(BinaryOp::$op), None) };
    (compare($op:ident, $operands:ident)) => { (None, Some(CompareOp::$op)) };
    (unary($op:ident: $($types:tt)*)) => { (Some(UnaryOp::$op), None) };
    (tree($op:ident: $($types:tt)*)) => { (None, Some(TreeOp::$op)) };
    ($other:ident()) => { (None, None) };
}

macro_rules! rows {
    (apart { $($apart:tt)* } infix { $($infix:tt)* } words { $($words:tt)* } soft { $($soft:tt)* }) => {
        rows!(infix $($apart)* $($infix)*);
        rows!(words $($words)* $($soft)*);
    };
    (infix $($op:ident $level:tt $group:ident $a:tt $b:tt $c:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        const INFIX: &[((Option<BinaryOp>, Option<CompareOp>), In)] = &[$((model!($reading $types), In::$op)),*];
    };
    (words $($word:ident $a:tt $b:tt $c:tt $d:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        const WORDS: &[((Option<UnaryOp>, Option<TreeOp>), F)] = &[$((model!($reading $types), F::$word)),*];
    };
}
operators!(rows);

/// Returns the infix operator that an operator of the model is written as.
pub(super) fn infix(op: BinaryOp) -> In {
    let written = match op.on_integers() {
        BinaryOp::Difference => BinaryOp::Subtract,
        BinaryOp::Cartesian => BinaryOp::Multiply,
        op => op,
    };
    let row = INFIX.iter().find(|((own, _), _)| *own == Some(written));
    row.expect("all but the image have a row").1
}

/// Returns the infix operator that a comparison is written as.
pub(super) fn comparison(op: CompareOp) -> In {
    let written = op.on_integers();
    INFIX.iter().find(|((_, own), _)| *own == Some(written)).expect("all comparisons have a row").1
}

/// Returns the spelling of an operator between its two operands.
pub fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Image => "[]",
        op => infix(op).spelling(),
    }
}

/// Returns the spelling of an operator with one operand, before or behind it.
pub fn unary_word(op: UnaryOp) -> &'static str {
    let written = match op.on_integers() {
        UnaryOp::Negate => return "-",
        UnaryOp::Inverse => return "~",
        UnaryOp::FirstOf => return F::Prj1.spelling(),
        UnaryOp::SecondOf => return F::Prj2.spelling(),
        op => op,
    };
    WORDS.iter().find(|((own, _), _)| *own == Some(written)).expect("it has a row").1.spelling()
}

/// Returns the word of an operator on trees.
pub fn tree_word(op: TreeOp) -> &'static str {
    WORDS.iter().find(|((_, own), _)| *own == Some(op)).expect("all have a row").1.spelling()
}

/// Returns the name as it is written in a formula or as the target of an assignment. There a renamed name may hold
/// dots.
pub(super) fn reference(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 1 && parts.iter().all(|part| quoted(part) == *part) {
        name.to_string()
    } else {
        quoted(name)
    }
}

/// Returns the name as it must be written: between backquotes unless it is a plain identifier. The dot of a renamed
/// variable may occur in expressions only, not where the name is declared.
pub(crate) fn quoted(name: &str) -> String {
    if lexer::is_name(name) {
        name.to_string()
    } else {
        format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
    }
}
