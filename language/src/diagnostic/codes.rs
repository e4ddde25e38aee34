//! Stable codes of all messages: `B0001` to `B0199` about the text itself, `B0200` to `B0599` about names,
//! types and structure.
//!
//! A code keeps its meaning for ever; a new mistake takes a new number. [`DOCUMENTATION`] says for each what is
//! wrong.

/// The stage that a mistake belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The text is not a B machine.
    Parse,
    /// A name is unknown, declared twice, or not visible.
    Scope,
    /// Types do not fit.
    Type,
    /// Sections or machines do not fit together.
    Structure,
}

/// A stable code, printed as `B0203`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    /// Number after the `B`.
    pub number: u16,
    /// Stage it belongs to.
    pub kind: Kind,
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "B{:04}", self.number)
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal $kind:ident;)*) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code { number: $number, kind: Kind::$kind };)*
        /// Every code with what it means, in ascending order.
        pub const DOCUMENTATION: &[(Code, &str)] = &[$(($name, concat!($($doc),+))),*];
    };
}

codes! {
    /// The file is not UTF-8; it was read in an older encoding (warning).
    NOT_UTF8 = 1 Parse;
    /// A character that begins no symbol of B.
    UNEXPECTED_CHARACTER = 2 Parse;
    /// A mathematical symbol that classical B does not have.
    REJECTED_SYMBOL = 3 Parse;
    /// A comment without its `*/`.
    UNTERMINATED_COMMENT = 4 Parse;
    /// A string, template or backquoted name without its end.
    UNTERMINATED_STRING = 5 Parse;
    /// A number with letters directly behind it.
    MALFORMED_NUMBER = 6 Parse;
    /// A name that begins with `_`.
    MALFORMED_NAME = 7 Parse;
    /// `x$1`: only `x$0` exists.
    MALFORMED_OLD_VALUE = 8 Parse;
    /// A symbol that cannot stand here.
    UNEXPECTED_TOKEN = 10 Parse;
    /// An expression or predicate is missing.
    EXPECTED_EXPRESSION = 11 Parse;
    /// A substitution is missing.
    EXPECTED_SUBSTITUTION = 12 Parse;
    /// A name is missing.
    EXPECTED_NAME = 13 Parse;
    /// A keyword where a name belongs.
    KEYWORD_AS_NAME = 14 Parse;
    /// A closing parenthesis, bracket or brace is missing.
    UNCLOSED_BRACKET = 15 Parse;
    /// A block or machine without its `END`.
    MISSING_END = 16 Parse;
    /// The text does not begin as a machine does.
    EXPECTED_MACHINE = 17 Parse;
    /// Text behind the last `END`.
    TRAILING_TEXT = 18 Parse;
    /// An operator of another language.
    FOREIGN_OPERATOR = 19 Parse;
    /// `a < b < c`
    CHAINED_COMPARISON = 20 Parse;
    /// Parentheses that B demands are missing: `!x.(P)`, `not(P)`, `card(S)`.
    MISSING_PARENTHESES = 21 Parse;
    /// Something else than a name is bound in a set comprehension.
    EXPECTED_BOUND_NAME = 22 Parse;
    /// A record without labels.
    EXPECTED_LABEL = 23 Parse;
    /// Parentheses, blocks or operators are nested too deeply.
    NESTED_TOO_DEEPLY = 24 Parse;
    /// An expression of a template string has no end.
    TEMPLATE_STRING = 25 Parse;
    /// A word operator with too many or too few arguments.
    WORD_ARGUMENTS = 26 Parse;
    /// A couple is composed as if it were a relation.
    COMPOSED_COUPLE = 27 Parse;
    /// Something that cannot be assigned to stands left of `:=`, `::`, `:` or `<--`.
    UNASSIGNABLE_FORM = 30 Parse;
    /// `=` in the place of `:=`.
    EQUAL_AS_ASSIGNMENT = 31 Parse;
    /// A `;` with nothing behind it.
    TRAILING_SEMICOLON = 32 Parse;
    /// A definition body that reads neither as an expression nor as a substitution.
    MALFORMED_DEFINITION = 33 Parse;
    /// A section that occurs twice.
    DUPLICATE_SECTION = 40 Parse;
    /// A refinement or implementation without `REFINES`.
    MISSING_REFINES = 41 Parse;
    /// `REFINES` in an abstract machine.
    UNEXPECTED_REFINES = 42 Parse;
    /// A section that is not allowed in this kind of machine.
    SECTION_NOT_ALLOWED = 43 Parse;
    /// Text that is no Prolog term, in a package of ProB.
    MALFORMED_TERM = 60 Parse;
    /// A package of ProB with a part that is not understood.
    MALFORMED_PACKAGE = 61 Parse;
    /// A file of Rodin that is not well-formed, or lacks an attribute.
    MALFORMED_XML = 62 Parse;
    /// Two types that must be equal are not.
    TYPE_MISMATCH = 203 Type;
    /// Nothing says which type a name has.
    UNKNOWN_TYPE = 204 Type;
    /// An expression stands where a predicate belongs.
    NOT_A_PREDICATE = 205 Parse;
    /// A predicate stands where an expression belongs.
    NOT_AN_EXPRESSION = 206 Parse;
    /// A record has no field of this name.
    NO_SUCH_FIELD = 207 Type;
    /// An overloaded operator has no reading for the type of its operands.
    NO_READING = 208 Type;
    /// A word operator has the wrong number of arguments, or a list of values the wrong length.
    ARGUMENT_COUNT = 209 Type;
    /// A record has two fields of the same name.
    DUPLICATE_FIELD = 211 Type;
    /// A name is not declared.
    UNKNOWN_IDENTIFIER = 301 Scope;
    /// A name is declared twice.
    DUPLICATE_DECLARATION = 302 Scope;
    /// A name is declared, but may not be used at this place.
    NOT_VISIBLE = 303 Scope;
    /// The left side of an assignment cannot be assigned to.
    NOT_ASSIGNABLE = 304 Scope;
    /// A file of definitions was not found.
    MISSING_DEFINITIONS = 305 Structure;
    /// Definitions that need each other, or that expand without end.
    CYCLIC_DEFINITION = 306 Structure;
    /// A definition is used with the wrong number of arguments.
    DEFINITION_ARITY = 307 Scope;
    /// A definition is given twice.
    DUPLICATE_DEFINITION = 308 Scope;
    /// A definition of a substitution is used as an expression, or the reverse.
    DEFINITION_KIND = 309 Scope;
    /// `x$0` stands where there is no value before.
    OLD_VALUE = 310 Scope;
    /// A definition stands where a name is bound.
    DEFINITION_AS_NAME = 315 Parse;
    /// Two parts of a context, machine or event of Event-B have the same label.
    DUPLICATE_LABEL = 316 Scope;
    /// Something of B that cannot be treated yet.
    NOT_SUPPORTED = 401 Structure;
    /// A section is missing that another one requires.
    MISSING_SECTION = 403 Structure;
    /// A variable is assigned twice at the same time.
    ASSIGNED_TWICE = 404 Structure;
    /// A variable has no initial value.
    NOT_INITIALISED = 405 Structure;
    /// `LET` whose predicate is not an equation for each of its names.
    BAD_LET = 406 Structure;
    /// A definition with a meaning for the tool was ignored.
    IGNORED_DEFINITION = 407 Structure;
    /// The file is not a machine.
    NOT_A_MACHINE = 408 Structure;
    /// The machine has another name than its file.
    NAME_DIFFERS = 409 Structure;
    /// An external function that nobody knows is replaced by its definition.
    UNKNOWN_EXTERNAL = 410 Structure;
    /// A free type without values.
    EMPTY_FREE_TYPE = 411 Structure;
    /// A machine that is referred to was not found, or is in two folders of the include path.
    MISSING_MACHINE = 420 Structure;
    /// Machines need each other.
    CYCLIC_MACHINES = 421 Structure;
    /// A machine was found under a name that differs in upper and lower case.
    NAME_CASE = 422 Structure;
    /// A machine is given the wrong number of arguments, or parameters differ from the abstraction's.
    MACHINE_PARAMETERS = 423 Structure;
    /// An operation may not be called at this place.
    ILLEGAL_CALL = 424 Structure;
    /// `PROMOTES` names what is no operation of an included machine.
    UNKNOWN_PROMOTED = 425 Structure;
    /// A refinement lacks an operation of its abstraction, has one of its own, or one of another form.
    NOT_REFINED = 426 Structure;
    /// `VALUES` names what needs no value.
    BAD_VALUE = 427 Structure;
    /// A predicate speaks of variables that exist in the abstraction only, and is not checked.
    ABSTRACT_ONLY = 428 Structure;
    /// A section stands in a kind of machine that cannot have it.
    MISPLACED_SECTION = 429 Structure;
    /// An event of Event-B refines or extends what it cannot.
    EVENT_REFINEMENT = 430 Structure;
    /// The initialisation of Event-B has parameters or guards, or refines an event.
    INITIALISATION_FORM = 431 Structure;
    /// An event of Event-B lacks a witness, or has one that nothing asks for.
    WITNESS = 432 Structure;
    /// Variants of Event-B and the events that decrease them do not fit together.
    CONVERGENCE = 433 Structure;
    /// A context of Event-B is named twice, or not at all where it is seen anyway.
    REDUNDANT_CONTEXT = 434 Structure;
    /// The body of a local operation is not compared with its specification (warning).
    NOT_COMPARED = 435 Structure;
    /// A machine is included twice under the same name.
    INCLUDED_TWICE = 440 Structure;
    /// A set is used nowhere (warning, as all that follow).
    UNUSED_SET = 501 Scope;
    /// A constant occurs in its own typing only.
    UNUSED_CONSTANT = 502 Scope;
    /// The value of a variable matters nowhere.
    UNREAD_VARIABLE = 503 Scope;
    /// No operation changes a variable.
    UNCHANGED_VARIABLE = 504 Scope;
    /// A definition is used nowhere.
    UNUSED_DEFINITION = 505 Scope;
    /// A parameter of an operation or definition occurs in its own typing only.
    UNUSED_PARAMETER = 506 Scope;
    /// The value of a name bound by `ANY`, `LET` or `VAR` matters nowhere.
    UNUSED_LOCAL = 507 Scope;
    /// A bound name hides another one.
    HIDDEN_NAME = 508 Scope;
    /// An operation does not assign its result.
    UNASSIGNED_RESULT = 509 Scope;
    /// The guard of an operation is false.
    NEVER_ENABLED = 511 Structure;
    /// A predicate is true whatever its names stand for.
    ALWAYS_TRUE = 512 Structure;
    /// A predicate is false whatever its names stand for.
    ALWAYS_FALSE = 513 Structure;
    /// A conjunct occurs twice.
    REPEATED_CONJUNCT = 514 Structure;
    /// No guard types a parameter.
    UNTYPED_PARAMETER = 515 Type;
    /// `!x.(x : S & P)`: every x of the type would have to be in S.
    FORALL_WITHOUT_IMPLICATION = 516 Structure;
    /// `#x.(x : S => P)`: true as soon as something is outside S.
    EXISTS_WITH_IMPLICATION = 517 Structure;
    /// Operators group in another way than the text suggests.
    MISLEADING_GROUPING = 518 Structure;
}

/// Returns whether a warning is about style: what is declared for nothing, hidden, said twice, or named unlike its file. The others
/// may show that the model does not say what it is meant to say.
pub fn is_style(code: Code) -> bool {
    [
        NAME_DIFFERS,
        UNUSED_SET,
        UNUSED_CONSTANT,
        UNREAD_VARIABLE,
        UNCHANGED_VARIABLE,
        UNUSED_DEFINITION,
        UNUSED_PARAMETER,
        UNUSED_LOCAL,
        HIDDEN_NAME,
        REPEATED_CONJUNCT,
    ]
    .contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        assert!(DOCUMENTATION.is_sorted_by(|(a, _), (b, _)| a.number < b.number));
        assert!(DOCUMENTATION.iter().all(|(c, _)| (1..600).contains(&c.number)));
    }
}
