//! Codes of mistakes in the text itself, `B0001` to `B0199`.
//!
//! A code keeps its meaning for ever; a new mistake takes a new number.

use crate::diagnostic::{Code, Kind};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code { number: $number, kind: Kind::Parse };)*

        /// All codes of this module with what they mean, in ascending order.
        pub const ALL: &[(Code, &str)] = &[$(($name, concat!($($doc),+))),*];
    };
}

codes! {
    /// The file is not UTF-8; it was read in an older encoding (warning).
    NOT_UTF8 = 1;
    /// A character that begins no symbol of B.
    UNEXPECTED_CHARACTER = 2;
    /// A mathematical symbol that classical B does not have.
    REJECTED_SYMBOL = 3;
    /// A comment without its `*/`.
    UNTERMINATED_COMMENT = 4;
    /// A string, template or backquoted name without its end.
    UNTERMINATED_STRING = 5;
    /// A number with letters directly behind it.
    MALFORMED_NUMBER = 6;
    /// A name that begins with `_`.
    MALFORMED_NAME = 7;
    /// `x$1`: only `x$0` exists.
    MALFORMED_OLD_VALUE = 8;
    /// A symbol that cannot stand here.
    UNEXPECTED_TOKEN = 10;
    /// An expression or predicate is missing.
    EXPECTED_EXPRESSION = 11;
    /// A substitution is missing.
    EXPECTED_SUBSTITUTION = 12;
    /// A name is missing.
    EXPECTED_NAME = 13;
    /// A keyword where a name belongs.
    KEYWORD_AS_NAME = 14;
    /// A closing parenthesis, bracket or brace is missing.
    UNCLOSED_BRACKET = 15;
    /// A block or machine without its `END`.
    MISSING_END = 16;
    /// The text does not begin as a machine does.
    EXPECTED_MACHINE = 17;
    /// Text behind the last `END`.
    TRAILING_TEXT = 18;
    /// An operator of another language.
    FOREIGN_OPERATOR = 19;
    /// `a < b < c`
    CHAINED_COMPARISON = 20;
    /// Parentheses that B demands are missing: `!x.(P)`, `not(P)`, `card(S)`.
    MISSING_PARENTHESES = 21;
    /// Something else than a name is bound in a set comprehension.
    EXPECTED_BOUND_NAME = 22;
    /// A record without labels.
    EXPECTED_LABEL = 23;
    /// Parentheses, blocks or operators are nested too deeply.
    NESTED_TOO_DEEPLY = 24;
    /// An expression of a template string has no end.
    TEMPLATE_STRING = 25;
    /// A word operator with too many or too few arguments.
    ARGUMENT_COUNT = 26;
    /// A couple is composed as if it were a relation.
    COMPOSED_COUPLE = 27;
    /// Something that cannot be assigned to stands left of `:=`, `::`, `:` or `<--`.
    NOT_ASSIGNABLE = 30;
    /// `=` in the place of `:=`.
    EQUAL_AS_ASSIGNMENT = 31;
    /// A `;` with nothing behind it.
    TRAILING_SEMICOLON = 32;
    /// A definition body that reads neither as an expression nor as a substitution.
    MALFORMED_DEFINITION = 33;
    /// A section that occurs twice.
    DUPLICATE_SECTION = 40;
    /// A refinement or implementation without `REFINES`.
    MISSING_REFINES = 41;
    /// `REFINES` in an abstract machine.
    UNEXPECTED_REFINES = 42;
    /// A section that is not allowed in this kind of machine.
    SECTION_NOT_ALLOWED = 43;
    /// Text that is no Prolog term, in a package of ProB.
    MALFORMED_TERM = 60;
    /// A package of ProB with a part that is not understood.
    MALFORMED_PACKAGE = 61;
    /// A file of Rodin that is not well-formed, or lacks an attribute.
    MALFORMED_XML = 62;
}
