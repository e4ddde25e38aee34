//! A resolved machine: its components, its names, its events and their obligations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use crate::ast::Convergence;
use crate::classical::definitions::Definitions;
use crate::int::Int;
use crate::model::ids::{ComponentId, ConstId, LocalId};
use crate::model::refinement::Refinement;
use crate::model::tree::{Expr, Pred, PredKind, Subst};
use crate::model::types::{CarrierId, Type};
use crate::text::source::{Sources, Span};

/// A machine with everything resolved.
#[derive(Clone, Debug)]
pub struct Model<T = Type> {
    /// Name in the header.
    pub name: String,
    /// What it was read from.
    pub text: ModelText,
    /// The sets that its types are made from.
    pub types: DeclaredTypes<T>,
    /// Constants and scalar parameters.
    pub constants: Vec<Variable<T>>,
    /// Those of the constants that are parameters.
    pub parameters: BTreeSet<ConstId>,
    /// `CONSTRAINTS` and `PROPERTIES`, split at `&`.
    pub axioms: Vec<Conjunct<T>>,
    /// State variables.
    pub variables: Vec<Variable<T>>,
    /// `INVARIANT`, split at `&`.
    pub invariant: Vec<Conjunct<T>>,
    /// `ASSERTIONS`, split at `;` and `&`.
    pub assertions: Vec<Conjunct<T>>,
    /// `INITIALISATION`; `Skip` where there are no variables.
    pub initialisation: Subst<T>,
    /// Operations or events.
    pub events: Vec<Event<T>>,
    /// What it owes to its abstractions.
    pub refinement: Refinement<T>,
    /// What its definitions and theories give.
    pub definitions: ModelDefinitions<T>,
    /// Bound variables, parameters, results and locals of the whole model.
    pub locals: Vec<Variable<T>>,
    /// Number of [`ChoiceId`](crate::model::ChoiceId)s in use.
    pub choices: u32,
}

/// What a model was read from: where a declaration or a formula of it was written.
#[derive(Clone, Debug)]
pub struct ModelText {
    /// The notation it was written in.
    pub notation: Notation,
    /// The machines and contexts it was composed of; the first is the main one.
    pub components: Vec<Component>,
    /// The files it was read from; the first is the main one.
    pub sources: Arc<Sources>,
    /// Labelled formulas of the events of all levels (Event-B), as named by proof obligations.
    pub formulas: Vec<EventFormula>,
}

/// The sets of a model that its types are made from.
#[derive(Clone, Debug)]
pub struct DeclaredTypes<T = Type> {
    /// Enumerated sets, deferred sets, set parameters.
    pub carriers: Vec<Carrier>,
    /// Free types (`FREETYPES`, data types of theories).
    pub free_types: Vec<FreeType<T>>,
}

/// What the definitions and theories of a model give beside its formulas.
#[derive(Clone, Debug)]
pub struct ModelDefinitions<T = Type> {
    /// Definitions of the main machine, for formulas that are added to the model.
    pub main: Definitions,
    /// Operators with a definition that is not expanded, because it is recursive or missing.
    pub operators: Vec<Operator<T>>,
    /// Definition `GOAL`.
    pub goal: Option<Pred<T>>,
    /// Hints of the machine about its scope.
    pub hints: ScopeHints,
}

impl Model {
    /// Returns the axioms, split at every `&`: whether they are written as one or as several means the same.
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

/// The notation of a model: determines how it is printed, and the terms in messages.
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

/// Relation of a component to a model.
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
    /// [`ExprKind::TypeParameter`](crate::model::ExprKind::TypeParameter); a constant has none.
    pub argument: Option<Expr<T>>,
    /// Names of the parts of the argument, left to right: destructors of a data type. Empty in
    /// classical B, where the inverse of the constructor is used.
    pub destructors: Vec<String>,
    /// Declaration.
    pub span: Span,
}

/// An operator with its definition, for one choice of its type parameters.
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

/// Definition of an operator.
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

/// Origin of a carrier's elements.
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

/// A guard, action or witness of an event of some level (Event-B), as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventFormula {
    /// The component of the event.
    pub origin: ComponentId,
    /// The event; `INITIALISATION` for the initialisation.
    pub event: String,
    /// Role of the formula.
    pub role: FormulaRole,
    /// Label; of a witness, its subject.
    pub label: String,
    /// The formula.
    pub span: Span,
}

/// Role of a formula of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FormulaRole {
    Guard,
    Action,
    Witness,
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
    /// The sets of `sizes` that may have more elements: the axioms only state a lower bound.
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
    /// Body. An outermost `PRE` is a [`SubstKind::Select`](crate::model::SubstKind::Select) here: a guard of the transition system.
    pub body: Subst<T>,
    /// The component it was written in.
    pub origin: ComponentId,
    /// Event-B: effect on the variant.
    pub convergence: Convergence,
    /// Names of the abstract events that it refines, nearest level first.
    pub refines: Vec<String>,
    /// The whole operation.
    pub span: Span,
}
