//! The syntax tree: spanned, untyped, as written.
//!
//! Predicates and expressions share one type, [`Expr`], because B's grammar does not separate them
//! before definitions are expanded; the checker says where a predicate stands in the place of an
//! expression. Operators keep the reading of their spelling (`-`, `*`, `;`, `||`, `:`), types
//! decide later.

pub use super::operators::{BinaryOp, BuiltinFn};
use crate::text::source::Span;

/// A name as written; a renamed one holds its dots (`p.x`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name, without backquotes.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// An expression or predicate.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The form of the expression.
    pub kind: ExprKind,
    /// Where it stands, without enclosing parentheses.
    pub span: Span,
}

impl Expr {
    /// Returns the conjunction of predicates; `None` if there are none.
    pub fn all(predicates: Vec<Expr>) -> Option<Expr> {
        predicates.into_iter().reduce(|l, r| {
            let span = l.span;
            Expr { kind: ExprKind::Binary(BinaryOp::And, Box::new(l), Box::new(r)), span }
        })
    }
}

/// The forms of an expression or predicate.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `x`, `p.x`
    Ident(String),
    /// `x$0`
    Old(String),
    /// `12`, `0x1F`, as written
    Integer(String),
    /// `1.5`, as written
    Real(String),
    /// The content, escapes resolved.
    String(String),
    /// `INTEGER`, `TRUE`, `btrue`, …
    Constant(Constant),
    /// `{}`
    EmptySet,
    /// `[]`, `<>`
    EmptySeq,
    /// `-x`, `x~`, `not(P)`
    Unary(UnaryOp, Box<Expr>),
    /// All infix operators.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A word operator with arguments in parentheses: `card(S)`, `prj1(S,T)`, `bool(P)`, `closure(r)` …
    Builtin(BuiltinFn, Vec<Expr>),
    /// A word operator without arguments (`succ`, `pred`, `prj1` as values).
    BuiltinValue(BuiltinFn),
    /// `f(a, b)`: application, or a call of a definition
    Apply(Box<Expr>, Vec<Expr>),
    /// `r[S]`
    Image(Box<Expr>, Box<Expr>),
    /// `r'a`
    Field(Box<Expr>, Ident),
    /// `(a, b, c)`: a couple, left-nested
    Tuple(Vec<Expr>),
    /// `!x.(P)`, `#x.(P)`, `%x.(P|E)`, `UNION(x).(P|E)`, …; the value is absent for `!` and `#`
    Quantified(Quantifier, Vec<Ident>, Box<Expr>, Option<Box<Expr>>),
    /// `{x,y | P}`; with a value `{x,y . P | E}`
    Comprehension(Vec<Ident>, Box<Expr>, Option<Box<Expr>>),
    /// `{a, b}`
    SetExtension(Vec<Expr>),
    /// `[a, b]`
    SeqExtension(Vec<Expr>),
    /// `rec(a: E, …)`
    Record(Vec<(Ident, Expr)>),
    /// `struct(a: S, …)`
    Struct(Vec<(Ident, Expr)>),
    /// `IF P THEN E ELSIF … ELSE F END`, for predicates and expressions
    If(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// `LET x, … BE x = E & … IN F END`
    Let(Vec<Ident>, Box<Expr>, Box<Expr>),
    /// `/*@ label NAME */ P`
    Labelled(String, Box<Expr>),
    /// `P /*@ desc text */`
    Described(Box<Expr>, String),
    /// An operator of a theory with its arguments (Event-B)
    Operator(Ident, Vec<Expr>),
    /// `[S] P`
    Substituted(Box<Subst>, Box<Expr>),
    /// Replaces text that could not be parsed; a diagnostic was given.
    Error,
}

impl ExprKind {
    /// Returns the expression of this form at a place.
    pub fn at(self, span: Span) -> Expr {
        Expr { kind: self, span }
    }
}

/// Names of constant meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Constant {
    Integer,
    Natural,
    Natural1,
    Int,
    Nat,
    Nat1,
    Bool,
    Str,
    Real,
    Float,
    True,
    False,
    MaxInt,
    MinInt,
    Btrue,
    Bfalse,
}

/// Operators with one operand, before or after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-x`
    Minus,
    /// `r~`
    Inverse,
    /// `not(P)`
    Not,
}

/// Binders with a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// `!`
    Forall,
    /// `#`
    Exists,
    /// `%`
    Lambda,
    /// `UNION`
    Union,
    /// `INTER`
    Inter,
    /// `SIGMA`
    Sigma,
    /// `PI`
    Pi,
}

/// A substitution.
#[derive(Clone, PartialEq, Debug)]
pub struct Subst {
    /// The form of the substitution.
    pub kind: SubstKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a substitution.
#[derive(Clone, PartialEq, Debug)]
pub enum SubstKind {
    /// `skip`
    Skip,
    /// `BEGIN S END`
    Block(Box<Subst>),
    /// `x, f(e), r'a := E, F, G`
    Assign(Vec<Expr>, Vec<Expr>),
    /// `x, y :: S`
    BecomesIn(Vec<Expr>, Box<Expr>),
    /// `x, y : (P)`
    BecomesSuch(Vec<Expr>, Box<Expr>),
    /// `PRE P THEN S END`
    Pre(Box<Expr>, Box<Subst>),
    /// `ASSERT P THEN S END`
    Assert(Box<Expr>, Box<Subst>),
    /// `CHOICE S OR T END`
    Choice(Vec<Subst>),
    /// `IF P THEN S ELSIF … ELSE T END`
    If(Vec<(Expr, Subst)>, Option<Box<Subst>>),
    /// `SELECT P THEN S WHEN … ELSE T END`
    Select(Vec<(Expr, Subst)>, Option<Box<Subst>>),
    /// `CASE E OF EITHER a, b THEN S OR … ELSE T END END`
    Case(Box<Expr>, Vec<(Vec<Expr>, Subst)>, Option<Box<Subst>>),
    /// `ANY x WHERE P THEN S END`
    Any(Vec<Ident>, Box<Expr>, Box<Subst>),
    /// `LET x BE x = E IN S END`
    Let(Vec<Ident>, Box<Expr>, Box<Subst>),
    /// `VAR x IN S END`
    Var(Vec<Ident>, Box<Subst>),
    /// `WHILE P DO S INVARIANT I VARIANT V END`
    While {
        /// Loop condition.
        condition: Box<Expr>,
        /// Loop body.
        body: Box<Subst>,
        /// Loop invariant.
        invariant: Box<Expr>,
        /// Loop variant.
        variant: Box<Expr>,
    },
    /// `S ; T ; …`
    Sequence(Vec<Subst>),
    /// `S || T || …`
    Parallel(Vec<Subst>),
    /// `r, s <-- op(e, …)`, `op(e)`, `op`: an operation call or a substitution definition
    Call {
        /// Assigned results.
        results: Vec<Expr>,
        /// Name of the operation or definition.
        name: Ident,
        /// Arguments.
        arguments: Vec<Expr>,
    },
    /// `WITNESS P THEN S END`
    Witness(Box<Expr>, Box<Subst>),
    /// Replaces text that could not be parsed; a diagnostic was given.
    Error,
}

impl SubstKind {
    /// Returns the substitution of this form at a place.
    pub fn at(self, span: Span) -> Subst {
        Subst { kind: self, span }
    }
}

/// `MACHINE`, `REFINEMENT`, … or a file of definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum MachineKind {
    Machine,
    Model,
    System,
    Refinement,
    Implementation,
    Definitions,
}

/// A whole file.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// First keyword.
    pub kind: MachineKind,
    /// Name in the header; empty for a file of definitions.
    pub name: Ident,
    /// Parameters in the header.
    pub parameters: Vec<Ident>,
    /// Machine after `REFINES` in the header.
    pub refines: Option<Ident>,
    /// Sections in source order.
    pub sections: Vec<Section>,
    /// From the first keyword to the last.
    pub span: Span,
}

/// A section with the span of its keyword.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// Span of the keyword that opens it.
    pub keyword: Span,
    /// Content.
    pub kind: SectionKind,
}

/// The sections of a machine.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum SectionKind {
    Constraints(Expr),
    Sees(Vec<Reference>),
    Uses(Vec<Reference>),
    Includes(Vec<Reference>),
    Extends(Vec<Reference>),
    Imports(Vec<Reference>),
    Promotes(Vec<Ident>),
    Sets(Vec<SetDeclaration>),
    FreeTypes(Vec<FreeType>),
    /// `CONSTANTS`, `CONCRETE_CONSTANTS`
    ConcreteConstants(Vec<Ident>),
    AbstractConstants(Vec<Ident>),
    Properties(Expr),
    Values(Vec<(Ident, Expr)>),
    /// `VARIABLES`, `ABSTRACT_VARIABLES`
    AbstractVariables(Vec<Ident>),
    ConcreteVariables(Vec<Ident>),
    Invariant(Expr),
    Assertions(Vec<Expr>),
    Initialisation(Subst),
    /// `OPERATIONS`, `EVENTS`
    Operations(Vec<Operation>),
    LocalOperations(Vec<Operation>),
    Definitions(Vec<Definition>),
    /// `EXPRESSIONS`, `PREDICATES`: typed macros
    TypedDefinitions(Vec<Definition>),
    /// `REFERENCES`, kept by name only
    References(Vec<Reference>),
}

/// `p.M(e, …)` after `SEES`, `INCLUDES`, …
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// Renaming prefix.
    pub prefix: Option<Ident>,
    /// Machine.
    pub machine: Ident,
    /// Arguments for its parameters.
    pub arguments: Vec<Expr>,
    /// Path from a `/*@ file "…" */` pragma.
    pub file: Option<String>,
}

/// A declaration of `SETS`.
#[derive(Clone, PartialEq, Debug)]
pub enum SetDeclaration {
    /// `S`
    Deferred(Ident),
    /// `S = {a, b}`
    Enumerated(Ident, Vec<Ident>),
    /// `S = Definition`
    ByDefinition(Ident, Ident),
}

/// `T(p) = c1, c2(E)` of `FREETYPES`.
#[derive(Clone, PartialEq, Debug)]
pub struct FreeType {
    /// Name of the type.
    pub name: Ident,
    /// Type parameters.
    pub parameters: Vec<Ident>,
    /// Constructors, some with an argument set.
    pub constructors: Vec<(Ident, Option<Expr>)>,
}

/// An operation or event.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// Name.
    pub name: Ident,
    /// Results before `<--`.
    pub results: Vec<Ident>,
    /// Parameters.
    pub parameters: Vec<Ident>,
    /// Abstract operation after `ref`.
    pub refines: Option<Ident>,
    /// Body.
    pub body: Subst,
    /// The whole operation.
    pub span: Span,
}

/// An entry of `DEFINITIONS`.
#[allow(clippy::large_enum_variant)] // Nearly all entries are of the large form.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// `name(a, b) == body`
    Macro {
        /// Name.
        name: Ident,
        /// Parameters.
        parameters: Vec<Ident>,
        /// The meaning of the name.
        body: DefinitionBody,
        /// The whole definition.
        span: Span,
    },
    /// `"file.def"`
    File(String, Span),
}

/// Meaning of a definition.
#[derive(Clone, PartialEq, Debug)]
pub enum DefinitionBody {
    /// An expression or predicate.
    Expr(Expr),
    /// A substitution.
    Subst(Subst),
    /// Text that reads both as an expression and as a substitution (`f(x)`, `x`); the first use decides.
    Either(Expr, Subst),
}

/// Effect of an event on the variant of its machine (Event-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Convergence {
    /// Nothing is claimed.
    #[default]
    Ordinary,
    /// It decreases the variant.
    Convergent,
    /// A refinement will show that it decreases a variant.
    Anticipated,
}
