//! Levels of precedence in classical B, from loose to tight (ProB's grammar, numbered as in Atelier B). They determine
//! what the parser reads without parentheses, and what the printer writes without them. The table of operators assigns
//! the levels.

/// `;` and `||`, operators in parentheses only.
pub const IN_PARENTHESES: u8 = 20;
/// The loosest operator that may stand anywhere: `=>`.
pub const FORMULA: u8 = 30;
/// `&` and `or`.
pub const CONJUNCTION: u8 = 40;
/// Operand of `&` and `or`, where pragmas belong.
pub const OPERAND: u8 = 50;
/// `=`, `:`, `<`, …
pub const COMPARISON: u8 = 100;
/// Operands of comparisons, and arguments.
pub const EXPRESSION: u8 = 120;
/// The crowded level of most operators on sets, where Atelier B has comparisons too.
pub const SETS: u8 = 160;
/// `**`, the only operator that associates to the right.
pub const POWER: u8 = 200;
/// `-x`
pub const UNARY_MINUS: u8 = 210;
/// `r~`, `f(x)`, `r[S]`, `r'a`
pub const POSTFIX: u8 = 230;
/// Names, literals, and operators with their own parentheses: `card(S)`.
pub const APPLIED: u8 = 250;
