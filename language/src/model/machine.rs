//! A resolved machine: its components, its names, its events and their obligations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use crate::ast::Convergence;
use crate::classical::definitions::Definitions;
use crate::int::Int;
use crate::model::ids::{ChoiceId, ComponentId, ConstId, EventId, LocalId};
use crate::model::refined::Refined;
use crate::model::tree::{Expr, Pred, PredKind, Subst, SubstKind};
use crate::model::types::{CarrierId, Type};
use crate::text::source::{Sources, Span};

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
    /// Variables of the abstractions of a classical refinement, which are not part of the state. Only [`Model::gluing`]
    /// uses them.
    pub abstract_variables: Vec<Variable<T>>,
    /// `INVARIANT`, split at `&`.
    pub invariant: Vec<Conjunct<T>>,
    /// Conjuncts of a classical refinement that speak of [`Model::abstract_variables`]. They are not
    /// checked on states.
    pub gluing: Vec<Conjunct<T>>,
    /// Formulas of the text that no check on states covers: an answer about the model must name them.
    pub not_checked: Vec<Dropped>,
    /// The abstractions of a classical refinement, if they could be composed.
    pub refined: Option<Box<Refined<T>>>,
    /// `ASSERTIONS`, split at `;` and `&`.
    pub assertions: Vec<Conjunct<T>>,
    /// `INITIALISATION`; `Skip` where there are no variables.
    pub initialisation: Subst<T>,
    /// Operations or events.
    pub events: Vec<Event<T>>,
    /// Checks of the steps of a refinement, so that the abstractions can follow (Event-B).
    pub refinement_checks: Vec<RefinementCheck>,
    /// Obligations of the events towards the nearest abstraction for which no step is checked (Event-B).
    pub owed: Vec<Owed<T>>,
    /// Variants of the main machine (Event-B): integers, or finite sets. Termination is not checked; answers may say
    /// so.
    pub variants: Vec<Variant<T>>,
    /// Labelled formulas of the events of all levels (Event-B), as named by proof obligations.
    pub formulas: Vec<EventFormula>,
    /// Definitions of the main machine, for formulas that are added to the model.
    pub definitions: Definitions,
    /// Definition `GOAL`.
    pub goal: Option<Pred<T>>,
    /// Hints of the machine about its scope.
    pub hints: ScopeHints,
    /// Bound variables, parameters, results and locals of the whole model.
    pub locals: Vec<Variable<T>>,
    /// Number of [`ChoiceId`]s in use.
    pub choices: u32,
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

/// A part of a machine that the model has no place for, so that nothing about it is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// Kind of the part.
    pub kind: DroppedKind,
    /// Its label, where it has one.
    pub label: Option<String>,
    /// Its text on one line.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// Kinds of parts that are dropped.
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
    /// A conjunct of the precondition of the abstract operation that no state of the refinement can decide. B claims
    /// nothing about an execution of the event outside of it (B-Book, 11.2.4), so a trace with this event may be one
    /// without any obligation.
    AbstractPrecondition(EventId),
}

impl Dropped {
    /// Describes the part in words, with its place if that is in a file of the model.
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
    /// Describes the kind in words.
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
    /// Returns the first part of its abstract precondition that was dropped from an event.
    pub fn dropped_precondition(&self, event: EventId) -> Option<&Dropped> {
        self.not_checked.iter().find(|d| d.kind == DroppedKind::AbstractPrecondition(event))
    }

    /// Returns the model without the events that lost a part of their abstract precondition; events keep their ids.
    /// `None` if there are no such events.
    ///
    /// Every state that it reaches, the machine reaches by steps that B defines. It shows no deadlocks.
    pub fn without_doubtful_events(&self) -> Option<Model> {
        let mut model = self.clone();
        let mut found = false;
        for (i, event) in (0..).zip(&mut model.events) {
            if self.dropped_precondition(EventId(i)).is_some() {
                found = true;
                let span = event.body.span;
                let never = Pred { kind: PredKind::False, span };
                let skip = Subst { kind: SubstKind::Skip, span };
                // A fresh choice: those of the body keep their numbers.
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

/// Obligation of the steps of a concrete event towards an abstract one: checked by a
/// [`SubstKind::Assert`] with [`Claim::Refinement`](crate::model::Claim::Refinement).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefinementCheck {
    /// Kind of the obligation.
    pub kind: RefinementKind,
    /// The abstract event.
    pub event: String,
    /// Label of the abstract guard or action; the variable of [`RefinementKind::Unchanged`], or the subject of the
    /// witness of [`RefinementKind::Witness`].
    pub label: Option<String>,
    /// The abstract guard or action on one line.
    pub text: String,
    /// The component of the abstract event.
    pub origin: ComponentId,
    /// The abstract guard or action; the concrete one where the abstraction has none.
    pub span: Span,
}

impl RefinementCheck {
    /// Returns the message of a failed check; lower case, no full stop.
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
            RefinementKind::Operation => format!("operation {event} of {machine} does not allow this"),
            RefinementKind::Precondition => {
                format!("{machine} allows a call of {event} that the precondition does not allow")
            }
            RefinementKind::Witness => {
                format!("there is no value for {label} of the abstract event {event} ({machine})")
            }
        }
    }
}

/// Kinds of obligations of a concrete event towards an abstract one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RefinementKind {
    /// The abstract guard holds.
    Guard,
    /// The abstract action allows the effect of the concrete one.
    Simulation,
    /// A variable that the abstract event does not change keeps its value.
    Unchanged,
    /// There are values for the choices of the abstract event.
    Witness,
    /// Classical B: the abstract operation can have the same effect.
    Operation,
    /// Classical B: the refinement allows a call wherever the abstraction does.
    Precondition,
}

/// A proof obligation of a refinement of Event-B for which no step is checked: there is nothing to check, or it is
/// checked in another form. If no equation gives the values that an abstract event chooses, steps are checked for
/// whether there is a value at all. Rodin requires for each witness that it has a value, and for each abstract guard
/// and action that all values of the witness satisfy it.
#[derive(Clone, PartialEq, Debug)]
pub struct Owed<T = Type> {
    /// The event of the machine; `INITIALISATION` for the initialisation.
    pub event: String,
    /// Kind of the obligation.
    pub kind: OwedKind,
    /// Label of the abstract guard or action; the variable that is unchanged; the subject of a witness.
    pub label: String,
    /// The abstract guard or action, or the witness.
    pub span: Span,
    /// Goal that must hold where the guards of the event do, after the choices of its actions; `None` if it is equal to
    /// a hypothesis or an identity.
    pub goal: Option<OwedGoal<T>>,
}

/// Kinds of obligations for which no step is checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OwedKind {
    /// The abstract guard holds.
    Guard,
    /// The abstract action allows the effect of the concrete one.
    Simulation,
    /// A variable that the abstract event does not change keeps its value.
    Unchanged,
    /// The witness has a value.
    Witness,
    /// The witness is well-defined: this is about its meaning alone, whether or not it holds.
    Meaning,
}

/// A predicate behind choices.
#[derive(Clone, PartialEq, Debug)]
pub struct OwedGoal<T = Type> {
    /// Locals that may have any values with a predicate, the outer ones first.
    pub choices: Vec<(Vec<LocalId>, Pred<T>)>,
    /// Predicate that must hold for all of them.
    pub pred: Pred<T>,
}

impl<T> OwedGoal<T> {
    /// Returns the predicate for all values of the choices.
    pub fn into_pred(self) -> Pred<T> {
        let OwedGoal { choices, pred } = self;
        choices.into_iter().rev().fold(pred, |p, (locals, choice)| {
            let span = p.span;
            let p = PredKind::Implies(Box::new(choice), Box::new(p)).at(span);
            if locals.is_empty() { p } else { PredKind::Forall(locals, Box::new(p)).at(span) }
        })
    }
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
    /// Body. An outermost `PRE` is a [`SubstKind::Select`] here: a guard of the transition system.
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
