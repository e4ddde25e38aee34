//! An obligation and what became of it.

use bsym_encodings::term::Term;
use bsym_language::model::EventId;
use bsym_status::file::{Kind, Status};

/// What an obligation is about.
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

/// An obligation and what became of it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Kind.
    pub kind: Kind,
    /// Name, unique in the machine: `inc/inv1/INV`.
    pub name: String,
    /// Event; `None` for the initialisation, and for what is about states.
    pub event: Option<EventId>,
    /// Subject.
    pub subject: Subject,
    /// Outcome.
    pub status: Status,
    /// The ways of the event to fail that it excludes, by position in the event's transition.
    pub failures: Vec<usize>,
    /// Why it is open.
    pub reason: Option<String>,
    /// Asserted together, they are unsatisfiable if and only if the obligation holds; empty for
    /// what has no terms.
    pub formula: Vec<Term>,
}
