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
use crate::symbolic::encoder::{Encoder, Env, Witnesses};
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
    /// The constants.
    pub constants: Constants,
    /// The variables.
    pub variables: Variables,
    /// The axioms.
    pub axioms: Axioms,
    /// What is true besides the axioms.
    pub facts: Facts,
    /// From nothing to the next state.
    pub initialisation: Transition,
    /// From the current state to the next one, by `EventId`.
    pub events: Vec<Transition>,
    /// Invariant conjuncts over the current state, by position in the model.
    pub invariant: Vec<StatePredicate>,
    /// Assertions over the current state, by position in the model.
    pub assertions: Vec<StatePredicate>,
    /// `GOAL` over the current state.
    pub goal: Option<StatePredicate>,
    /// What has no term.
    pub left_out: LeftOut,
    pub(crate) encoder: Encoder,
    bounds: NameBounds,
}

/// The constants of a model.
#[derive(Debug)]
pub struct Constants {
    /// Value of each, by `ConstId`. Constants that the axioms determine are values.
    pub values: Vec<Symbolic>,
    /// Values of those that the axioms determine, by `ConstId`.
    pub determined: Vec<Option<Value>>,
}

/// The variables of a model before and after a step.
#[derive(Debug)]
pub struct Variables {
    /// Value of each before a step, by `VarId`.
    pub current: Vec<Symbolic>,
    /// Value of each after a step, by `VarId`; the same shapes as `current`.
    pub next: Vec<Symbolic>,
}

/// The axioms, by position in the model.
#[derive(Debug, Default)]
pub struct Axioms {
    /// Each with its own well-definedness.
    pub whole: Vec<Term>,
    /// Without their well-definedness.
    pub hold: Vec<Term>,
    /// Their well-definedness alone.
    pub defined: Vec<Term>,
    /// The valuations that satisfy all of them, where these are few: one of them is the valuation. Then the terms of the
    /// axioms are true.
    pub listed: Option<Term>,
}

impl Axioms {
    /// Returns the terms that say that a valuation satisfies the axioms, each with its own well-definedness.
    pub fn assumed(&self) -> impl Iterator<Item = &Term> {
        self.listed.iter().chain(&self.whole)
    }

    /// Returns [`Axioms::assumed`] without well-definedness.
    pub fn assumed_to_hold(&self) -> impl Iterator<Item = &Term> {
        self.listed.iter().chain(&self.hold)
    }
}

/// What is always true besides the axioms, and the symbols that it defines.
#[derive(Debug, Default)]
pub struct Facts {
    /// Always true, over constants only: facts of the representation and definitions of auxiliaries.
    pub background: Vec<Term>,
    /// Always true in every state, over the current state, constants and `auxiliaries`: facts of the
    /// representation and definitions of auxiliaries. Never excludes a B state.
    pub state: Vec<Term>,
    /// Symbols that belong to a state besides those of its variables: witnesses that
    /// `state` defines. They are renamed with the state.
    pub auxiliaries: Vec<Term>,
}

impl Facts {
    /// Adds the witnesses of what was encoded over the current state.
    fn add_to_state(&mut self, made: Witnesses) {
        self.auxiliaries.extend(made.symbols);
        self.state.extend(made.definitions);
    }
}

/// Parts of a model that have no term. Such a part is `true` or missing, so `holds` must not be concluded from it.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// The parts, with the reason; empty if the system is complete.
    pub parts: Vec<Unsupported>,
    /// Positions of the axioms that have no term; theirs is `true` and says nothing.
    pub axioms: BTreeSet<usize>,
    /// Positions of the invariant conjuncts that have no term; theirs is `true` and says nothing.
    pub conjuncts: BTreeSet<usize>,
    /// Positions of the assertions that have no term; theirs is `true` and says nothing.
    pub assertions: BTreeSet<usize>,
    /// Events without a relation.
    pub events: BTreeSet<usize>,
}

impl LeftOut {
    /// Notes a part without a term.
    fn add(&mut self, part: String, why: Unsupported) {
        self.parts.push(Unsupported { part, ..why });
    }

    /// Notes a predicate without a term, and gives what stands for it.
    fn predicate(&mut self, part: String, why: Unsupported) -> StatePredicate {
        self.add(part, why);
        StatePredicate { holds: Terms::TRUE, defined: Terms::TRUE }
    }
}

/// Which names are represented as functions, with the bounds of their values.
#[derive(Debug)]
struct NameBounds {
    functional: Functional,
    /// See [`System::needed`].
    needed: OnceCell<Functional>,
}

impl System {
    /// All symbols of the current state: variables, then auxiliaries.
    pub fn state_symbols(&self) -> Vec<Term> {
        let mut all: Vec<Term> = self.variables.current.iter().flat_map(Symbolic::symbols).collect();
        all.extend(&self.facts.auxiliaries);
        all
    }

    /// Returns whether an invariant conjunct has a term. One that has none must neither be assumed nor claimed.
    pub fn is_supported(&self, conjunct: usize) -> bool {
        !self.left_out.conjuncts.contains(&conjunct)
    }

    /// Returns whether everything that decides which states are reachable has a term: the axioms, the initialisation
    /// and all events.
    pub fn is_complete(&self) -> bool {
        self.initialisation.relation.is_some()
            && self.left_out.events.is_empty()
            && self.left_out.axioms.is_empty()
    }

    /// The environment of predicates and expressions over the current state.
    pub fn environment(&self) -> Env {
        Env {
            constants: Rc::new(self.constants.values.clone()),
            state: Rc::new(self.variables.current.clone()),
            ..Env::default()
        }
    }

    /// Encodes another predicate over the current state. Auxiliary symbols and facts that it needs go into
    /// `facts`.
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
        &self.bounds.functional
    }

    pub(crate) fn collect_state_witnesses(&mut self) {
        self.facts.add_to_state(self.encoder.take_witnesses());
    }

    /// The model's conjunct behind an invariant term.
    pub fn conjunct(&self, position: usize) -> &Conjunct {
        &self.model.invariant[position]
    }
}
