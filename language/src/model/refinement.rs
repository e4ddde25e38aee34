//! What a refinement owes to its abstractions: invariants that glue, checks of its steps, obligations without one.

use crate::model::types::Type;
use crate::model::*;
use crate::source::Span;

/// What a model owes to its abstractions, and what is left of them. Empty for a machine that refines nothing, except for
/// variants.
#[derive(Clone, Debug)]
pub struct Refinement<T = Type> {
    /// Variables of the abstractions of a classical refinement, which are not part of the state. Only
    /// [`Refinement::gluing`] uses them.
    pub abstract_variables: Vec<Variable<T>>,
    /// Conjuncts of a classical refinement that speak of [`Refinement::abstract_variables`]. They are not
    /// checked on states.
    pub gluing: Vec<Conjunct<T>>,
    /// Formulas of the text that no check on states covers: an answer about the model must name them.
    pub not_checked: Vec<Dropped>,
    /// The abstractions of a classical refinement, if they could be composed.
    pub refined: Option<Box<Refined<T>>>,
    /// Checks of the steps of a refinement, so that the abstractions can follow (Event-B).
    pub checks: Vec<RefinementCheck>,
    /// Obligations of the events towards the nearest abstraction for which no step is checked (Event-B).
    pub owed: Vec<Owed<T>>,
    /// Variants of the main machine (Event-B): integers, or finite sets. Termination is not checked; answers may say
    /// so.
    pub variants: Vec<Variant<T>>,
}

impl<T> Default for Refinement<T> {
    fn default() -> Self {
        Refinement {
            abstract_variables: vec![],
            gluing: vec![],
            not_checked: vec![],
            refined: None,
            checks: vec![],
            owed: vec![],
            variants: vec![],
        }
    }
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
    /// A conjunct of the invariant about variables of an abstraction: one of [`Refinement::gluing`].
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
        if model.text.sources.iter().all(|(id, _)| id != self.span.source) {
            return format!("{what} `{label}{}`", self.text);
        }
        let file = model.text.sources.path(self.span).display().to_string();
        let line = model.text.sources.position(self.span).line;
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
        self.refinement.not_checked.iter().find(|d| d.kind == DroppedKind::AbstractPrecondition(event))
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
/// [`SubstKind::Assert`] with [`Claim::Refinement`].
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
        let machine = model.text.components.get(self.origin.index()).map_or("", |c| c.name.as_str());
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

/// An expression that convergent events decrease.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant<T = Type> {
    /// Label, where it has one.
    pub label: Option<String>,
    /// An integer or a finite set.
    pub value: Expr<T>,
}
