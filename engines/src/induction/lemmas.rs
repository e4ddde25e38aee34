//! Lemmas that exclude counterexamples to induction.
//!
//! A lemma is a clause over the predicates of the model, false in a state of the counterexample, true at
//! the start and inductive together with the assumed conjuncts and the lemmas before it.

use std::collections::BTreeSet;

use bsym_encodings::session::{Model, SolverError, Statistics, TermValue};
use bsym_encodings::term::Term;
use bsym_language::model::Pred;

use crate::exchange::Listener;
use crate::ic3::domain::predicates::Atoms;
use crate::ic3::queries::{Abstraction, Steps};
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::guess::Guess;
use crate::invariants::predicate::Predicates;
use crate::invariants::seeds::seeds;
use crate::invariants::templates::templates;
use crate::outcome::Work;
use crate::problem::Problem;

/// A frame without cubes of its own: the states that satisfy the conjuncts and the lemmas.
const LEMMAS: usize = 1;

/// Lemmas and how they are found.
#[derive(Debug)]
pub struct Lemmas {
    steps: Steps,
    abstraction: Abstraction,
    found: Vec<Cube>,
    listener: Listener,
}

/// Source of a lemma: its position among those of the same source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It was guessed, or told by another engine.
    Guessed(usize),
    /// It excludes a counterexample to induction.
    Found(usize),
}

/// A lemma that excludes a state.
pub struct Excluding {
    /// In B.
    pub lemma: Pred,
    /// Over the current state.
    pub clause: Term,
    /// Where it stands.
    pub source: Source,
}

impl Lemmas {
    /// Lemmas over the atoms of the model and the values of small types: those that are guessed, unless another engine
    /// has done so.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Lemmas, SolverError> {
        let (job, exchange, mut listener) = (work.job, work.exchange, Listener::default());
        let mut steps = Steps::new(problem, job, work.open)?;
        let mut predicates = Predicates::default();
        let mut candidates = seeds(&job.model);
        candidates.extend(templates(&job.model, 0).unwrap_or_default());
        steps.admit(problem, job, &mut predicates, &candidates)?;
        if !exchange.has_guesses() {
            steps.guess(problem, job)?;
            exchange.tell_lemmas(&mut listener, steps.guesses().iter().map(|g| g.pred.clone()));
            exchange.tell_guessed();
        }
        let abstraction = Abstraction { domain: Box::new(Atoms::default()), predicates };
        Ok(Lemmas { steps, abstraction, found: vec![], listener })
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.steps.statistics()
    }

    /// The predicates as terms over the current state.
    pub fn predicates(&self) -> Vec<Term> {
        self.abstraction.predicates.all().iter().map(|p| p.term).collect()
    }

    /// Takes over the lemmas that other engines have told since the last time.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn hear(&mut self, problem: &mut Problem, work: &Work<'_, '_>) -> Result<(), SolverError> {
        for lemma in work.exchange.lemmas(&mut self.listener) {
            self.steps.adopt(problem, &lemma)?;
        }
        Ok(())
    }

    /// The lemmas that were guessed or told, in the order of their positions.
    pub fn guesses(&self) -> &[Guess] {
        self.steps.guesses()
    }

    /// Returns these lemmas, in B, with those that they need to be invariants.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn preds(
        &mut self,
        problem: &mut Problem,
        needed: impl IntoIterator<Item = Source>,
        work: &mut Work<'_, '_>,
    ) -> Result<Vec<Pred>, SolverError> {
        let guesses = self.steps.guesses().len();
        let positions = needed.into_iter().map(|source| match source {
            Source::Guessed(i) => i,
            Source::Found(i) => guesses + i,
        });
        let positions = positions.collect();
        let (cubes, guesses) = self.steps.with_needed(problem, &self.found, positions, work)?;
        let model = &problem.system.model;
        let cubes = cubes.iter().map(|c| self.abstraction.predicates.clause(model, c));
        Ok(guesses.into_iter().map(|g| g.pred).chain(cubes).collect())
    }

    /// A further lemma that excludes one of these states.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn exclude(
        &mut self,
        problem: &mut Problem,
        states: &[Cube],
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Excluding>, SolverError> {
        let mut tried = BTreeSet::new();
        for state in states {
            if tried.insert(state.clone())
                && let Some(lemma) =
                    self.steps.inductive(problem, &mut self.abstraction, state.clone(), LEMMAS, work)?
            {
                self.steps.learn_forever(problem, &lemma)?;
                let terms = problem.terms();
                let literals = lemma.literals().iter().map(|l| {
                    let t = self.abstraction.predicates.all()[l.position].term;
                    if l.positive { terms.not(t) } else { t }
                });
                let clause = terms.or(literals);
                let told = self.abstraction.predicates.clause(&work.job.model, &lemma);
                work.exchange.tell_lemmas(&mut self.listener, [told.clone()]);
                self.found.push(lemma);
                let source = Source::Found(self.found.len() - 1);
                return Ok(Some(Excluding { lemma: told, clause, source }));
            }
        }
        Ok(None)
    }
}

/// Reads from a model which predicates, over the state after `k` steps, are true and which are false.
///
/// # Errors
/// If the solver fails.
pub fn cube(
    problem: &mut Problem,
    model: &mut Model<'_>,
    predicates: &[Term],
    k: usize,
) -> Result<Cube, SolverError> {
    let mut literals = vec![];
    for (position, &p) in predicates.iter().enumerate() {
        let here = problem.unrolling.state(p, k);
        if let TermValue::Bool(positive) = model.value(here)? {
            literals.push(Literal { position, positive });
        }
    }
    Ok(Cube::new(literals))
}
