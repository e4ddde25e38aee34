//! The typed model: names resolved, definitions expanded, every expression with its type.
//!
//! The operators of B are kept, so that everything can be printed back as B. A binder gets fresh
//! [`LocalId`]s wherever it occurs (also at every expansion of a definition), so replacing one
//! expression by another never captures a name.
//!
//! The parameter of all these types is what stands in the place of a type. In a model that is handed out it is
//! [`Type`], the default; while types are inferred, the checker builds the same tree with types that may be open, and
//! [`retype`](crate::model::retype) makes one of the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use crate::ast::Convergence;
pub use crate::ast::external::ExternalFunction;
use crate::classical::definitions::Definitions;
use crate::int::Int;
use crate::model::types::{CarrierId, FreeTypeId, Type};
use crate::text::source::{Sources, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// Position in the model's table.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}
ids! {
    /// Index into [`Model::constants`].
    ConstId
    /// Index into [`Model::variables`].
    VarId
    /// Index into [`Model::locals`]: bound variables, parameters, results, `ANY` and `VAR` locals.
    LocalId
    /// Index into [`Model::events`].
    EventId
    /// Index into [`Model::components`].
    #[derive(Default)]
    ComponentId
    /// Index into [`Model::abstract_variables`].
    AbstractId
    /// Index into [`Model::operators`].
    OperatorId
    /// Index into [`Model::refinement_checks`].
    RefinementId
    /// A non-deterministic construct of a substitution, unique in the model. A choice is made at
    /// most once in one execution of an event (loops aside).
    ChoiceId
}

impl CarrierId {
    /// Position in [`Model::carriers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FreeTypeId {
    /// Position in [`Model::free_types`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A machine with everything resolved.
#[derive(Clone, Debug)]
pub struct Model<T = Type> {
    /// Name in the header.
    pub name: String,
    /// The notation it was written in.
    pub notation: Notation,
    /// The machines and contexts it was composed of; the first is the main one.
    pub components: Vec<Component>,
    /// The files it was read from; the first is the main one.
    pub sources: Arc<Sources>,
    /// Enumerated sets, deferred sets, set parameters.
    pub carriers: Vec<Carrier>,
    /// Free types (`FREETYPES`, data types of theories).
    pub free_types: Vec<FreeType<T>>,
    /// Operators with a definition that is not expanded, because it is recursive or missing.
    pub operators: Vec<Operator<T>>,
    /// Constants and scalar parameters.
    pub constants: Vec<Variable<T>>,
    /// Those of the constants that are parameters.
    pub parameters: BTreeSet<ConstId>,
    /// `CONSTRAINTS` and `PROPERTIES`, split at `&`.
    pub axioms: Vec<Conjunct<T>>,
    /// State variables.
    pub variables: Vec<Variable<T>>,
    /// Variables of the abstractions of a classical refinement, no part of the state. Only
    /// [`Model::gluing`] speaks of them.
    pub abstract_variables: Vec<Variable<T>>,
    /// `INVARIANT`, split at `&`.
    pub invariant: Vec<Conjunct<T>>,
    /// Conjuncts of a classical refinement that speak of [`Model::abstract_variables`]. They are not
    /// checked on states.
    pub gluing: Vec<Conjunct<T>>,
    /// What was written and is in no check on states: an answer about the model has to name it.
    pub not_checked: Vec<Dropped>,
    /// `ASSERTIONS`, split at `;` and `&`.
    pub assertions: Vec<Conjunct<T>>,
    /// `INITIALISATION`; `Skip` where there are no variables.
    pub initialisation: Subst<T>,
    /// Operations or events.
    pub events: Vec<Event<T>>,
    /// What steps of a refinement must satisfy so that the abstractions can follow (Event-B).
    pub refinement_checks: Vec<RefinementCheck>,
    /// Variants of the main machine (Event-B): integers, or finite sets. Termination is asked by nobody:
    /// answers may say so.
    pub variants: Vec<Variant<T>>,
    /// Labelled formulas of the events of all levels (Event-B): what proof obligations name.
    pub formulas: Vec<EventFormula>,
    /// Definitions of the main machine, for formulas that are added to the model.
    pub definitions: Definitions,
    /// Definition `GOAL`.
    pub goal: Option<Pred<T>>,
    /// What the machine says about its scope.
    pub hints: ScopeHints,
    /// Bound variables, parameters, results and locals of the whole model.
    pub locals: Vec<Variable<T>>,
    /// Number of [`ChoiceId`]s given out.
    pub choices: u32,
}

impl Model {
    /// The axioms, split at every `&`: whether they are written as one or as several means the same.
    pub fn axiom_parts(&self) -> Vec<&Pred> {
        fn split<'p>(p: &'p Pred, parts: &mut Vec<&'p Pred>) {
            match &p.kind {
                PredKind::And(list) => list.iter().for_each(|p| split(p, parts)),
                _ => parts.push(p),
            }
        }
        let mut parts = Vec::new();
        self.axioms.iter().for_each(|axiom| split(&axiom.pred, &mut parts));
        parts
    }
}

/// The notation of a model: how it is printed, and what its messages call things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// `.mch`, `.ref`, `.imp`, `.sys`
    ClassicalB,
    /// Rodin, ProB packages.
    EventB,
}

/// A machine, refinement, implementation or context that a model was composed of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Name in its header.
    pub name: String,
    /// Renaming prefix of this instance, without the dot.
    pub prefix: Option<String>,
    /// How the main machine came to it.
    pub relation: Relation,
    /// Its name in the header.
    pub span: Span,
}

/// How a component belongs to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Relation {
    Main,
    Sees,
    Uses,
    Includes,
    Extends,
    Imports,
    /// The abstraction of a refinement.
    Refines,
}

/// A type whose values are built by constructors.
#[derive(Clone, Debug)]
pub struct FreeType<T = Type> {
    /// Name.
    pub name: String,
    /// Number of type parameters.
    pub parameters: u32,
    /// Constructors.
    pub constructors: Vec<Constructor<T>>,
    /// Declaration.
    pub span: Span,
}

/// A constructor of a free type.
#[derive(Clone, Debug)]
pub struct Constructor<T = Type> {
    /// Name.
    pub name: String,
    /// The set of its arguments (several are a couple), over the type parameters as
    /// [`ExprKind::TypeParameter`]; a constant has none.
    pub argument: Option<Expr<T>>,
    /// Names of the parts of the argument, left to right: destructors of a data type. Empty in
    /// classical B, where the inverse of the constructor is used.
    pub destructors: Vec<String>,
    /// Declaration.
    pub span: Span,
}

/// An operator with a definition of its own, for one choice of its type parameters.
#[derive(Clone, Debug)]
pub struct Operator<T = Type> {
    /// Name, without type arguments.
    pub name: String,
    /// Parameters.
    pub parameters: Vec<LocalId>,
    /// Its definition.
    pub definition: OperatorDefinition<T>,
    /// Declaration, or first use.
    pub span: Span,
}

/// What an operator means.
#[derive(Clone, PartialEq, Debug)]
pub enum OperatorDefinition<T = Type> {
    /// An expression, possibly with calls of the operator itself.
    Expr(Expr<T>),
    /// A predicate, possibly with calls of the operator itself.
    Pred(Pred<T>),
    /// Axioms alone: it has no value that could be computed.
    Axiomatic,
}

/// A set whose elements have no structure.
#[derive(Clone, Debug)]
pub struct Carrier {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: CarrierKind,
    /// Declaration.
    pub span: Span,
}

/// Where a carrier's elements come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CarrierKind {
    /// `S = {a, b}` with the elements' names.
    Enumerated(Vec<String>),
    /// `S`, or a set parameter of the machine: finite, not empty, of unknown size.
    Deferred,
}

/// A declared name with its type.
#[derive(Clone, Debug)]
pub struct Variable<T = Type> {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: T,
    /// Declaration.
    pub span: Span,
}

/// One conjunct of a section's predicate.
#[derive(Clone, Debug)]
pub struct Conjunct<T = Type> {
    /// Name from a `label` pragma, or from Event-B.
    pub label: Option<String>,
    /// Source text on one line, white space folded, comments dropped.
    pub text: String,
    /// The component it was written in.
    pub origin: ComponentId,
    /// Where it was written; for a conjunct from a definition, where the definition is used.
    pub span: Span,
    /// The predicate.
    pub pred: Pred<T>,
}

/// A part of a machine that the model has no place for, so that nothing about it is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// What it was.
    pub kind: DroppedKind,
    /// Its label, where it has one.
    pub label: Option<String>,
    /// Its text on one line.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// What was dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DroppedKind {
    /// A conjunct of the invariant about variables of an abstraction: one of [`Model::gluing`].
    Gluing,
    /// A conjunct of `ASSERTIONS` about variables of an abstraction.
    Assertion,
    /// A conjunct of an `ASSERT` about variables of an abstraction.
    Assert,
    /// A conjunct of the invariant of a loop about variables of an abstraction.
    LoopInvariant,
    /// A conjunct of the precondition of a called operation about variables of an abstraction.
    Precondition,
    /// A conjunct of the precondition of the abstract operation that no state of the refinement can
    /// decide. B claims nothing of an execution of the event outside of it (B-Book, 11.2.4), so a
    /// trace with this event may be one that nobody owes anything about.
    AbstractPrecondition(EventId),
}

impl Dropped {
    /// In words, with its place where that is in a file of the model.
    pub fn describe(&self, model: &Model) -> String {
        let label = self.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
        let what = self.kind.describe(model);
        if model.sources.iter().all(|(id, _)| id != self.span.source) {
            return format!("{what} `{label}{}`", self.text);
        }
        let file = model.sources.path(self.span).display().to_string();
        let line = model.sources.position(self.span).line;
        format!("{what} `{label}{}` ({file}:{line})", self.text)
    }
}

impl DroppedKind {
    /// What it was, in words.
    pub fn describe(self, model: &Model) -> String {
        match self {
            DroppedKind::Gluing => "invariant".into(),
            DroppedKind::Assertion => "assertion".into(),
            DroppedKind::Assert => "ASSERT".into(),
            DroppedKind::LoopInvariant => "loop invariant".into(),
            DroppedKind::Precondition => "precondition of a called operation".into(),
            DroppedKind::AbstractPrecondition(event) => {
                let name = model.events.get(event.index()).map_or("?", |e| e.name.as_str());
                format!("abstract precondition of {name}")
            }
        }
    }
}

impl Model {
    /// The first part of its abstract precondition that was dropped from an event.
    pub fn dropped_precondition(&self, event: EventId) -> Option<&Dropped> {
        self.not_checked.iter().find(|d| d.kind == DroppedKind::AbstractPrecondition(event))
    }

    /// The model without the events that lost a part of their abstract precondition; events keep their
    /// ids. `None` if there are no such events.
    ///
    /// Whatever it reaches, the machine reaches by steps that B speaks of. It shows no deadlocks.
    pub fn without_doubtful_events(&self) -> Option<Model> {
        let mut model = self.clone();
        let mut found = false;
        for (i, event) in (0..).zip(&mut model.events) {
            if self.dropped_precondition(EventId(i)).is_some() {
                found = true;
                let span = event.body.span;
                let never = Pred { kind: PredKind::False, span };
                let skip = Subst { kind: SubstKind::Skip, span };
                // A choice of its own: those of the body stay what they are.
                let choice = ChoiceId(model.choices);
                model.choices += 1;
                let branches = vec![(never, skip)];
                let kind = SubstKind::Select { choice, branches, otherwise: None, from_pre: false };
                event.body = Subst { kind, span };
            }
        }
        found.then_some(model)
    }
}

/// What the steps of a concrete event owe to an abstract one: checked by a
/// [`SubstKind::Assert`] with [`Claim::Refinement`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefinementCheck {
    /// What is owed.
    pub kind: RefinementKind,
    /// The abstract event.
    pub event: String,
    /// Label of the abstract guard or action; the variable of [`RefinementKind::Unchanged`], what the
    /// witness of [`RefinementKind::Witness`] is for.
    pub label: Option<String>,
    /// The abstract guard or action on one line.
    pub text: String,
    /// The component of the abstract event.
    pub origin: ComponentId,
    /// The abstract guard or action; the concrete one where the abstraction has none.
    pub span: Span,
}

impl RefinementCheck {
    /// What is wrong where it fails; lower case, no full stop.
    pub fn message(&self, model: &Model) -> String {
        let machine = model.components.get(self.origin.index()).map_or("", |c| c.name.as_str());
        let (event, label) = (&self.event, self.label.as_deref().unwrap_or("without a label"));
        match self.kind {
            RefinementKind::Guard => {
                format!("guard {label} of the abstract event {event} ({machine}) is false")
            }
            RefinementKind::Simulation => {
                format!("action {label} of the abstract event {event} ({machine}) does not allow this change")
            }
            RefinementKind::Unchanged => {
                format!("the abstract event {event} ({machine}) does not change {label}")
            }
            RefinementKind::Witness => {
                format!("there is no value for {label} of the abstract event {event} ({machine})")
            }
        }
    }
}

/// What a concrete event may owe to an abstract one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RefinementKind {
    /// The abstract guard holds.
    Guard,
    /// The abstract action allows what the concrete one does.
    Simulation,
    /// A variable that the abstract event leaves alone keeps its value.
    Unchanged,
    /// There are values for what the abstract event chooses.
    Witness,
}

/// A guard, action or witness of an event of some level (Event-B), as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventFormula {
    /// The component of the event.
    pub origin: ComponentId,
    /// The event; `INITIALISATION` for the initialisation.
    pub event: String,
    /// What it is.
    pub role: FormulaRole,
    /// Label; of a witness, what it is for.
    pub label: String,
    /// The formula.
    pub span: Span,
}

/// What a formula of an event is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FormulaRole {
    Guard,
    Action,
    Witness,
}

/// An expression that convergent events decrease.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant<T = Type> {
    /// Label, where it has one.
    pub label: Option<String>,
    /// An integer or a finite set.
    pub value: Expr<T>,
}

/// `SET_PREF_…` and `scope_…` definitions.
#[derive(Clone, Debug, Default)]
pub struct ScopeHints {
    /// `SET_PREF_MAXINT`
    pub maxint: Option<Int>,
    /// `SET_PREF_MININT`
    pub minint: Option<Int>,
    /// `scope_S` of deferred sets (an interval `a..b` counts `b-a+1`), `card(S) = n` in the axioms.
    pub sizes: BTreeMap<CarrierId, usize>,
    /// The sets of `sizes` that may have more elements: the axioms say no more than that there are so many.
    pub at_least: BTreeSet<CarrierId>,
    /// Further `SET_PREF_X` definitions, by X.
    pub preferences: BTreeMap<String, String>,
}

/// An operation or event.
#[derive(Clone, Debug)]
pub struct Event<T = Type> {
    /// Name.
    pub name: String,
    /// Parameters.
    pub parameters: Vec<LocalId>,
    /// Results, assigned in the body.
    pub results: Vec<LocalId>,
    /// Body. An outermost `PRE` is a [`SubstKind::Select`] here: a guard of the transition system.
    pub body: Subst<T>,
    /// The component it was written in.
    pub origin: ComponentId,
    /// Event-B: what the variant has to do with it.
    pub convergence: Convergence,
    /// Names of the abstract events that it refines, nearest level first.
    pub refines: Vec<String>,
    /// The whole operation.
    pub span: Span,
}

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
    /// `x$0`: a state variable or local before the substitution at hand.
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
    /// A variable of an abstraction, in [`Model::gluing`].
    Abstract(AbstractId),
    /// A free type as a set, with the sets of its parameters.
    FreeSet(FreeTypeId, Vec<Expr<T>>),
    /// A constructor by position: a value where it has no argument, else a total injection from its
    /// argument's set into the free type.
    Constructor(FreeTypeId, u32),
    /// A type parameter, in the argument of a [`Constructor`].
    TypeParameter(u32),
    /// An operator on trees (B reference manual, 5.17).
    Tree(TreeOp, Vec<Expr<T>>),
    /// An external function known by name.
    External(ExternalFunction, Vec<Expr<T>>),
    /// A call of an [`Operator`] with a value.
    Call(OperatorId, Vec<Expr<T>>),
}

impl<T> ExprKind<T> {
    /// The expression of this form and type.
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
    /// The predicate of this form.
    pub fn at(self, span: Span) -> Pred<T> {
        Pred { kind: self, span }
    }
}

impl<T> Pred<T> {
    /// The conjunction of predicates: `btrue` of none.
    pub fn all(mut list: Vec<Pred<T>>, span: Span) -> Pred<T> {
        match list.len() {
            0 => PredKind::True.at(span),
            1 => list.remove(0),
            _ => PredKind::And(list).at(span),
        }
    }

    /// A comparison of two expressions.
    pub fn compare(op: CompareOp, left: Expr<T>, right: Expr<T>, span: Span) -> Pred<T> {
        PredKind::Compare(op, Box::new(left), Box::new(right)).at(span)
    }
}

impl<T> SubstKind<T> {
    /// The substitution of this form.
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
    /// A call of an [`Operator`] that is a predicate.
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

/// What a substitution assigns to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// A state variable.
    Var(VarId),
    /// A result or a local of `VAR`.
    Local(LocalId),
}

/// What the predicate of a [`SubstKind::Assert`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// Written as `ASSERT`.
    Assertion,
    /// What the abstraction demands of a step.
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
        /// Which branch was taken, by position; the `ELSE` branch comes last.
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
