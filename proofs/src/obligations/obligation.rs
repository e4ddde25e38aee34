//! Proof obligation with its outcome.

use bsym_encodings::term::Term;
use bsym_language::model::{EventId, Pred};
use bsym_status::file::{Kind, Status};

/// Subject of an obligation: the part of the machine that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Invariant conjunct, by position.
    Invariant(usize),
    /// Assertion, by position.
    Assertion(usize),
    /// Axiom, as text.
    Axiom(String),
    /// A variant, as text.
    Variant(String),
    /// A part of an event, as text.
    Action(String),
}

/// An obligation with its outcome.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Kind.
    pub kind: Kind,
    /// Name, unique in the machine: `inc/inv1/INV`.
    pub name: String,
    /// The event; `None` for the initialisation, and for obligations about states.
    pub event: Option<EventId>,
    /// Subject.
    pub subject: Subject,
    /// Outcome.
    pub status: Status,
    /// The predicate that it states about every state, if it is neither about a conjunct nor about a way to fail.
    pub says: Option<Pred>,
    /// The ways of the event to fail that it excludes, by position in the event's transition.
    pub failures: Vec<usize>,
    /// Why it is open.
    pub reason: Option<String>,
    /// The form in which a solver proved it.
    pub form: Option<Form>,
    /// Name and version of another prover than the run's solver, if that proved it.
    pub by: Option<String>,
    /// `true` if it was proved in another form as well, or for small deferred sets.
    pub confirmed: bool,
    /// Terms that, asserted together, are unsatisfiable if and only if the obligation holds; empty for obligations
    /// without terms.
    pub formula: Vec<Term>,
}

impl Proof {
    /// Returns whether it was proved in one form, and nothing has confirmed that.
    pub fn is_unconfirmed(&self) -> bool {
        self.form.is_some() && !self.confirmed
    }
}

/// Forms in which obligations are given to a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Sets as arrays, by the encoding of states that the engines use.
    Arrays,
    /// Sets as predicates ([`bsym_encodings::first_order`]).
    FirstOrder,
}

/// Decision whether to attempt an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Attempt to prove it.
    Ask,
    /// Skip it: it was discharged before, and later obligations may use it.
    Known,
    /// Leave it unattempted.
    Leave,
}

/// An obligation before it is attempted.
#[derive(Debug)]
pub(super) struct Question {
    pub kind: Kind,
    pub name: String,
    pub event: Option<EventId>,
    pub subject: Subject,
}

/// Makes an obligation that was not attempted.
pub(super) fn unasked(q: Question, status: Status, reason: Option<String>) -> Proof {
    let Question { kind, name, event, subject } = q;
    let (says, failures, formula) = (None, vec![], vec![]);
    let (form, by, confirmed) = (None, None, false);
    Proof { kind, name, event, subject, status, says, failures, reason, form, by, confirmed, formula }
}
