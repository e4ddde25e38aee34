//! A model as a symbolic transition system: terms over the symbols of one state and of the next.
//!
//! Engines never look at B: they unroll these terms step by step. Every formula is over
//! [`Terms`] symbols of four kinds: those of constants (one copy for all steps), those of the
//! current state (with its auxiliaries), those of the next state, and the inputs of a transition.

mod before_after;
pub mod build;
pub mod marks;
mod substitution;
pub mod unrolling;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::{Conjunct, Expr, LocalId, Model, Pred};
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;

use crate::representation::Functional;
use crate::symbolic::Symbolic;
use crate::symbolic::encoder::{Encoder, Env};
use crate::term::{Sort, Term, Terms};

pub use crate::symbolic::{Encoded, StatePredicate, Unsupported};
pub use before_after::{Assignment, Choice, Failure, FailureKind, Transition};

/// A model in terms.
#[derive(Debug)]
pub struct System {
    /// Arena of the terms.
    pub terms: Rc<Terms>,
    /// The model that is encoded.
    pub model: Arc<Model>,
    /// The scope: settled carriers are enumeration sorts, others uninterpreted sorts.
    pub scope: Scope,
    /// Value of each constant, by `ConstId`. Constants that the axioms determine are values.
    pub constants: Vec<Symbolic>,
    /// Value of each variable before a step, by `VarId`.
    pub current: Vec<Symbolic>,
    /// Value of each variable after a step, by `VarId`; the same shapes as `current`.
    pub next: Vec<Symbolic>,
    /// Axioms, each with its own well-definedness, by position in the model.
    pub axioms: Vec<Term>,
    /// The axioms without their well-definedness, by position in the model.
    pub axioms_hold: Vec<Term>,
    /// Their well-definedness alone.
    pub axioms_defined: Vec<Term>,
    /// Always true, over constants only: facts of the representation and definitions of auxiliaries.
    pub background: Vec<Term>,
    /// Always true in every state, over `current`, constants and `auxiliaries`: facts of the
    /// representation and definitions of auxiliaries. Never excludes a B state.
    pub state_facts: Vec<Term>,
    /// Symbols that belong to a state besides those of its variables: witnesses that
    /// `state_facts` defines. They are renamed with the state.
    pub auxiliaries: Vec<Term>,
    /// From nothing to `next`.
    pub initialisation: Transition,
    /// From `current` to `next`, by `EventId`.
    pub events: Vec<Transition>,
    /// Invariant conjuncts over `current`, by position in the model.
    pub invariant: Vec<StatePredicate>,
    /// Assertions over `current`, by position in the model.
    pub assertions: Vec<StatePredicate>,
    /// `GOAL` over `current`.
    pub goal: Option<StatePredicate>,
    /// Parts of the model that have no term, with the reason; empty if the system is complete.
    /// A part that is here is `true` (axiom) or missing, so `holds` must not be concluded from it.
    pub unsupported: Vec<Unsupported>,
    /// Positions of the axioms that have no term; theirs is `true` and says nothing.
    pub unsupported_axioms: BTreeSet<usize>,
    /// Positions of the invariant conjuncts that have no term; theirs is `true` and says nothing.
    pub unsupported_conjuncts: BTreeSet<usize>,
    /// Positions of the assertions that have no term; theirs is `true` and says nothing.
    pub unsupported_assertions: BTreeSet<usize>,
    /// Events without a relation.
    pub unsupported_events: BTreeSet<usize>,
    /// Values of the constants that the axioms determine, by `ConstId`.
    pub determined: Vec<Option<Value>>,
    pub(crate) encoder: Encoder,
    pub(crate) functional: Functional,
    /// See [`System::needed`].
    needed: OnceCell<Functional>,
}

impl System {
    /// All symbols of the current state: variables, then auxiliaries.
    pub fn state_symbols(&self) -> Vec<Term> {
        let mut all: Vec<Term> = self.current.iter().flat_map(Symbolic::symbols).collect();
        all.extend(&self.auxiliaries);
        all
    }

    /// Returns whether an invariant conjunct has a term. One that has none must neither be assumed nor claimed.
    pub fn is_supported(&self, conjunct: usize) -> bool {
        !self.unsupported_conjuncts.contains(&conjunct)
    }

    /// Returns whether everything that decides which states are reachable has a term: the axioms, the initialisation
    /// and all events.
    pub fn is_complete(&self) -> bool {
        self.initialisation.relation.is_some()
            && self.unsupported_events.is_empty()
            && self.unsupported_axioms.is_empty()
    }

    /// The environment of predicates and expressions over the current state.
    pub fn environment(&self) -> Env {
        Env {
            constants: Rc::new(self.constants.clone()),
            state: Rc::new(self.current.clone()),
            ..Env::default()
        }
    }

    /// Encodes another predicate over the current state. Auxiliary symbols and facts that it needs go into
    /// `auxiliaries` and `state_facts`.
    ///
    /// # Errors
    /// [`Unsupported`] if the predicate has no encoding.
    pub fn predicate(&mut self, p: &Pred) -> Result<StatePredicate, Unsupported> {
        let env = self.environment();
        let encoded = self.encoder.pred(&env, p);
        self.collect_state_witnesses();
        encoded
    }

    /// A predicate over the current state and some locals, each with the term it stands for.
    ///
    /// # Errors
    /// [`Unsupported`] if the predicate has no encoding.
    pub fn predicate_about(
        &mut self,
        p: &Pred,
        locals: &[(LocalId, Term)],
    ) -> Result<StatePredicate, Unsupported> {
        let mut env = self.environment();
        for &(local, term) in locals {
            env.bind(local, Symbolic::Atom(term));
        }
        let encoded = self.encoder.pred(&env, p);
        self.collect_state_witnesses();
        encoded
    }

    /// The deferred sets without a size: each with the sort that it is a part of.
    pub fn open_carriers(&self) -> Vec<(CarrierId, Sort)> {
        let all = (0..self.model.types.carriers.len() as u32).map(CarrierId);
        let sorted = all.map(|c| (c, self.encoder.sort(&Type::Carrier(c))));
        sorted.filter(|&(_, sort)| self.encoder.carrier(sort).is_some()).collect()
    }

    /// Each of these sets, and what stands for it where it is the whole of its sort. Outside of the theory of arrays,
    /// which may take sorts for infinite, every interpretation in B is one of this kind as well.
    pub fn whole_carriers(&self) -> Vec<(Term, Term)> {
        let carriers = self.encoder.every_carrier();
        carriers.into_iter().map(|c| (c, self.terms.full_set(self.terms.sort_of(c)))).collect()
    }

    /// The value of an expression over the current state, and when it is well-defined.
    ///
    /// # Errors
    /// [`Unsupported`] if the expression has no encoding.
    pub fn expression(&mut self, e: &Expr) -> Result<Encoded, Unsupported> {
        let env = self.environment();
        let encoded = self.encoder.expr(&env, e);
        self.collect_state_witnesses();
        encoded
    }

    /// The encoder of this system, for values and equalities that engines make.
    pub fn encoder(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    /// Which names are represented as functions.
    pub fn functional(&self) -> &Functional {
        &self.functional
    }

    pub(crate) fn collect_state_witnesses(&mut self) {
        let made = self.encoder.take_witnesses();
        self.auxiliaries.extend(made.symbols);
        self.state_facts.extend(made.definitions);
    }

    /// The model's conjunct behind an invariant term.
    pub fn conjunct(&self, position: usize) -> &Conjunct {
        &self.model.invariant[position]
    }
}
