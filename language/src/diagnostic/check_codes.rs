//! Stable codes of the messages about names, types and structure (`B0200` to `B0599`).
//!
//! A code never changes its meaning. [`DOCUMENTATION`] says for each what is wrong.

use crate::diagnostic::{Code, Kind};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal $kind:ident;)*) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code { number: $number, kind: Kind::$kind };)*
        /// Every code of this table with what it means.
        pub const DOCUMENTATION: &[(Code, &str)] = &[$(($name, concat!($($doc),+))),*];
    };
}

codes! {
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

    /// Something of B that cannot be treated yet.
    NOT_SUPPORTED = 401 Structure;
    /// A section occurs twice.
    DUPLICATE_SECTION = 402 Structure;
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
    /// A free type without values.
    EMPTY_FREE_TYPE = 411 Structure;
    /// An external function that nobody knows is replaced by its definition.
    UNKNOWN_EXTERNAL = 410 Structure;
    /// A machine that is referred to was not found.
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
    /// A section stands in a kind of machine that cannot have it.
    MISPLACED_SECTION = 429 Structure;
    /// A machine is included twice under the same name.
    INCLUDED_TWICE = 440 Structure;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_in_range() {
        let mut numbers: Vec<u16> = DOCUMENTATION.iter().map(|(c, _)| c.number).collect();
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), DOCUMENTATION.len());
        assert!(numbers.iter().all(|n| (200..600).contains(n)));
    }
}
