//! The typed model: names resolved, definitions expanded, every expression with its type.
//!
//! The operators of B are kept, so that everything can be printed back as B. A binder gets fresh
//! [`LocalId`]s wherever it occurs (also at every expansion of a definition), so replacing one
//! expression by another never captures a name.
//!
//! The parameter of all these types is the type annotation. In a finished model it is [`Type`], the default. While
//! types are inferred, the checker builds the same tree with types that may be open, and
//! [`retype`](crate::model::retype) converts one into the other.

pub use crate::ast::external::ExternalFunction;
use crate::int::Int;
use crate::model::ids::{AbstractId, ChoiceId, ConstId, LocalId, OperatorId, RefinementId, VarId};
use crate::model::types::{CarrierId, FreeTypeId, Type};
use crate::text::source::Span;

/// A typed expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr<T = Type> {
    /// Form.
    pub kind: ExprKind<T>,
    /// Type.
    pub ty: T,
    /// Where it was written; inside an expanded definition, the place in the definition.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind<T = Type> {
    /// A state variable.
    Var(VarId),
    /// `x$0`: a state variable or local before the current substitution.
    Old(VarId),
    /// A constant or scalar parameter.
    Const(ConstId),
    /// A bound variable, parameter, result or local.
    Local(LocalId),
    /// An element of an enumerated set, by position.
    Element(CarrierId, u32),
    /// A carrier as a set.
    Carrier(CarrierId),
    /// An integer.
    Integer(Int),
    /// A real, as written.
    Real(String),
    /// A string.
    String(String),
    /// `TRUE`, `FALSE`
    Bool(bool),
    /// `MAXINT`
    MaxInt,
    /// `MININT`
    MinInt,
    /// `INTEGER`, `NAT`, `BOOL`, …
    Set(BuiltinSet),
    /// `{}` and `[]`
    EmptySet,
    /// `{a, b}`, not empty
    SetExtension(Vec<Expr<T>>),
    /// `[a, b]`, not empty
    SeqExtension(Vec<Expr<T>>),
    /// One operand.
    Unary(UnaryOp, Box<Expr<T>>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr<T>>, Box<Expr<T>>),
    /// `f(x)`; several arguments are a couple
    Apply(Box<Expr<T>>, Box<Expr<T>>),
    /// `bool(P)`
    BoolOf(Box<Pred<T>>),
    /// `{x, y | P}`; the element of several locals is a left-nested couple
    Comprehension(Vec<LocalId>, Box<Pred<T>>),
    /// `%x.(P|E)` and the other binders with a value
    Quantified(QuantOp, Vec<LocalId>, Box<Pred<T>>, Box<Expr<T>>),
    /// `rec(a: E, …)`, labels sorted
    Record(Vec<(String, Expr<T>)>),
    /// `struct(a: S, …)`, labels sorted
    Struct(Vec<(String, Expr<T>)>),
    /// `r'a`
    Field(Box<Expr<T>>, String),
    /// `r'a := E` as an expression: the record with one field replaced
    WithField(Box<Expr<T>>, String, Box<Expr<T>>),
    /// `IF P THEN E ELSE F END`
    If(Box<Pred<T>>, Box<Expr<T>>, Box<Expr<T>>),
    /// `LET x BE x = E IN F END`
    Let(Vec<(LocalId, Expr<T>)>, Box<Expr<T>>),
    /// `iterate(r, n)`
    Iterate(Box<Expr<T>>, Box<Expr<T>>),
    /// `prj1(S, T)`
    Prj1(Box<Expr<T>>, Box<Expr<T>>),
    /// `prj2(S, T)`
    Prj2(Box<Expr<T>>, Box<Expr<T>>),
    /// `succ` as a value
    Succ,
    /// `pred` as a value
    Pred,
    /// A variable of an abstraction, in [`Refinement::gluing`](crate::model::Refinement::gluing).
    Abstract(AbstractId),
    /// A free type as a set, with the sets of its parameters.
    FreeSet(FreeTypeId, Vec<Expr<T>>),
    /// A constructor by position: a value where it has no argument, else a total injection from its
    /// argument's set into the free type.
    Constructor(FreeTypeId, u32),
    /// A type parameter, in the argument of a [`Constructor`](crate::model::Constructor).
    TypeParameter(u32),
    /// An operator on trees (B reference manual, 5.17).
    Tree(TreeOp, Vec<Expr<T>>),
    /// An external function known by name.
    External(ExternalFunction, Vec<Expr<T>>),
    /// A call of an [`Operator`](crate::model::Operator) with a value.
    Call(OperatorId, Vec<Expr<T>>),
}

impl<T> ExprKind<T> {
    /// Returns the expression of this form and type.
    pub fn typed(self, ty: T, span: Span) -> Expr<T> {
        Expr { kind: self, ty, span }
    }
}

impl Expr {
    /// `left |-> right`, placed at both.
    pub fn couple(left: Expr, right: Expr) -> Expr {
        let span = if left.span.source == right.span.source { left.span.to(right.span) } else { left.span };
        let ty = Type::pair(left.ty.clone(), right.ty.clone());
        ExprKind::Binary(BinaryOp::Maplet, Box::new(left), Box::new(right)).typed(ty, span)
    }
}

impl<T> PredKind<T> {
    /// Returns the predicate of this form.
    pub fn at(self, span: Span) -> Pred<T> {
        Pred { kind: self, span }
    }
}

impl<T> Pred<T> {
    /// Returns the conjunction of predicates; `btrue` if there are none.
    pub fn all(mut list: Vec<Pred<T>>, span: Span) -> Pred<T> {
        match list.len() {
            0 => PredKind::True.at(span),
            1 => list.remove(0),
            _ => PredKind::And(list).at(span),
        }
    }

    /// Returns a comparison of two expressions.
    pub fn compare(op: CompareOp, left: Expr<T>, right: Expr<T>, span: Span) -> Pred<T> {
        PredKind::Compare(op, Box::new(left), Box::new(right)).at(span)
    }
}

impl<T> SubstKind<T> {
    /// Returns the substitution of this form.
    pub fn at(self, span: Span) -> Subst<T> {
        Subst { kind: self, span }
    }
}

/// Operators on trees; a tree is a function from the paths (sequences of child numbers) to labels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum TreeOp {
    /// `tree(S)`
    Trees,
    /// `btree(S)`
    BinaryTrees,
    Const,
    Top,
    Sons,
    Prefix,
    Postfix,
    Sizet,
    Mirror,
    Rank,
    Father,
    Son,
    Subtree,
    Arity,
    Bin,
    Left,
    Right,
    Infix,
}

/// Sets with a name of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum BuiltinSet {
    Integer,
    Natural,
    Natural1,
    /// `MININT..MAXINT`
    Int,
    /// `0..MAXINT`
    Nat,
    /// `1..MAXINT`
    Nat1,
    Bool,
    String,
    Real,
    Float,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    /// `-x` on integers
    Negate,
    /// `-x` on reals
    NegateReal,
    Pow,
    Pow1,
    Fin,
    Fin1,
    Card,
    /// `max` of integers
    Max,
    Min,
    MaxReal,
    MinReal,
    /// `union(U)`
    GeneralUnion,
    /// `inter(U)`
    GeneralInter,
    Inverse,
    Id,
    Dom,
    Ran,
    Closure,
    Closure1,
    Fnc,
    Rel,
    Seq,
    Seq1,
    Iseq,
    Iseq1,
    Perm,
    Size,
    First,
    Last,
    Front,
    Tail,
    Rev,
    Conc,
    Floor,
    Ceiling,
    /// `real(n)`
    ToReal,
    /// `prj1(c)` of a couple
    FirstOf,
    /// `prj2(c)` of a couple
    SecondOf,
}

/// Operators with two operands, resolved by type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// Truncates towards zero.
    Divide,
    Mod,
    Power,
    AddReal,
    SubtractReal,
    MultiplyReal,
    DivideReal,
    /// Real base, integer exponent.
    PowerReal,
    Interval,
    Union,
    Intersection,
    Difference,
    Cartesian,
    Maplet,
    DomainRestriction,
    DomainSubtraction,
    RangeRestriction,
    RangeSubtraction,
    Override,
    DirectProduct,
    ParallelProduct,
    /// `(r ; s)`
    Composition,
    /// `r[S]`
    Image,
    Prepend,
    Append,
    Concat,
    Take,
    Drop,
    Relation,
    TotalRelation,
    SurjectiveRelation,
    TotalSurjectiveRelation,
    PartialFunction,
    TotalFunction,
    PartialInjection,
    TotalInjection,
    PartialSurjection,
    TotalSurjection,
    PartialBijection,
    TotalBijection,
}

/// Binders with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum QuantOp {
    /// `%x.(P|E)`
    Lambda,
    /// `UNION(x).(P|E)`
    Union,
    /// `INTER(x).(P|E)`
    Inter,
    /// `SIGMA(x).(P|E)`, integers
    Sigma,
    /// `PI(x).(P|E)`, integers
    Pi,
    /// `SIGMA` over reals
    SigmaReal,
    /// `PI` over reals
    PiReal,
    /// `{x . P | E}`
    Image,
}

/// A typed predicate.
#[derive(Clone, PartialEq, Debug)]
pub struct Pred<T = Type> {
    /// Form.
    pub kind: PredKind<T>,
    /// Where it was written.
    pub span: Span,
}

/// The forms of a predicate.
#[derive(Clone, PartialEq, Debug)]
pub enum PredKind<T = Type> {
    /// `btrue`
    True,
    /// `bfalse`
    False,
    /// `P & Q & …`, at least two, in source order (well-definedness goes left to right)
    And(Vec<Pred<T>>),
    /// `P or Q or …`, at least two
    Or(Vec<Pred<T>>),
    /// `P => Q`
    Implies(Box<Pred<T>>, Box<Pred<T>>),
    /// `P <=> Q`
    Iff(Box<Pred<T>>, Box<Pred<T>>),
    /// `not(P)`
    Not(Box<Pred<T>>),
    /// `!x.(P)`; the body is usually an implication
    Forall(Vec<LocalId>, Box<Pred<T>>),
    /// `#x.(P)`
    Exists(Vec<LocalId>, Box<Pred<T>>),
    /// Relations between expressions.
    Compare(CompareOp, Box<Expr<T>>, Box<Expr<T>>),
    /// `@finite(S)`
    Finite(Box<Expr<T>>),
    /// `@partition(S, A, …)`
    Partition(Box<Expr<T>>, Vec<Expr<T>>),
    /// `IF P THEN Q ELSE R END`
    If(Box<Pred<T>>, Box<Pred<T>>, Box<Pred<T>>),
    /// `LET x BE x = E IN P END`
    Let(Vec<(LocalId, Expr<T>)>, Box<Pred<T>>),
    /// An external predicate known by name.
    External(ExternalFunction, Vec<Expr<T>>),
    /// A call of an [`Operator`](crate::model::Operator) that is a predicate.
    Call(OperatorId, Vec<Expr<T>>),
}

/// Relations between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Member,
    NotMember,
    Subset,
    NotSubset,
    StrictSubset,
    NotStrictSubset,
    /// Integers.
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Reals.
    LessReal,
    LessEqualReal,
    GreaterReal,
    GreaterEqualReal,
}

/// A typed substitution.
#[derive(Clone, PartialEq, Debug)]
pub struct Subst<T = Type> {
    /// Form.
    pub kind: SubstKind<T>,
    /// Where it was written.
    pub span: Span,
}

/// Target of an assignment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// A state variable.
    Var(VarId),
    /// A result or a local of `VAR`.
    Local(LocalId),
}

/// Origin of the predicate of a [`SubstKind::Assert`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// Written as `ASSERT`.
    Assertion,
    /// Required of a step by the abstraction.
    Refinement(RefinementId),
}

/// The forms of a substitution. Assignments to parts (`f(e) := E`, `r'a := E`) are whole
/// assignments here (`f := f <+ {e |-> E}`), `CASE` is `IF`, `BEGIN` is its content.
#[derive(Clone, PartialEq, Debug)]
pub enum SubstKind<T = Type> {
    /// `skip`
    Skip,
    /// `x, y := E, F`: all right sides are evaluated first; targets are distinct
    Assign(Vec<(Target, Expr<T>)>),
    /// `x, y :: S`; S holds left-nested couples for several targets
    BecomesIn(ChoiceId, Vec<Target>, Expr<T>),
    /// `x, y : (P)`: in P a target stands for the new value through the [`LocalId`] beside it,
    /// every other occurrence (also `x$0`) for the old one
    BecomesSuch(ChoiceId, Vec<(Target, LocalId)>, Pred<T>),
    /// `PRE P THEN S END` inside a body: a violation if P is false
    Pre(Pred<T>, Box<Subst<T>>),
    /// `ASSERT P THEN S END`: a violation if P is false
    Assert(Claim, Pred<T>, Box<Subst<T>>),
    /// `CHOICE S OR T END`
    Choice(ChoiceId, Vec<Subst<T>>),
    /// `IF P THEN S ELSIF … ELSE T END`; a missing `ELSE` is `skip`
    If(Vec<(Pred<T>, Subst<T>)>, Box<Subst<T>>),
    /// `SELECT P THEN S WHEN … [ELSE T] END`: the choice says which branch; without `ELSE`
    /// disabled if all guards are false. `from_pre` marks an outermost `PRE`.
    Select {
        /// The branch that was taken, by position; the `ELSE` branch comes last.
        choice: ChoiceId,
        /// Guarded branches.
        branches: Vec<(Pred<T>, Subst<T>)>,
        /// Taken when all guards are false.
        otherwise: Option<Box<Subst<T>>>,
        /// Written as `PRE`.
        from_pre: bool,
    },
    /// `ANY x WHERE P THEN S END`
    Any(ChoiceId, Vec<LocalId>, Pred<T>, Box<Subst<T>>),
    /// `LET x BE x = E IN S END`
    Let(Vec<(LocalId, Expr<T>)>, Box<Subst<T>>),
    /// `VAR x IN S END`
    Var(Vec<LocalId>, Box<Subst<T>>),
    /// `S ; T ; …`
    Sequence(Vec<Subst<T>>),
    /// `S || T || …`: all read the state before
    Parallel(Vec<Subst<T>>),
    /// `WHILE P DO S INVARIANT I VARIANT V END`
    While {
        /// Loop condition.
        condition: Pred<T>,
        /// Loop body.
        body: Box<Subst<T>>,
        /// Loop invariant.
        invariant: Pred<T>,
        /// Loop variant.
        variant: Expr<T>,
    },
}
