//! Lemmas that exclude counterexamples to induction.
//!
//! A lemma is a clause over the predicates of the model, false in a state of the counterexample, true at
//! the start and inductive together with the assumed conjuncts and the lemmas before it.

use std::collections::BTreeSet;

use bsym_encodings::session::{Model, SolverError, Statistics, TermValue};
use bsym_encodings::term::Term;
use bsym_language::model::Pred;

use crate::ic3::domain::predicates::Atoms;
use crate::ic3::queries::{Abstraction, Steps};
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::guess::Guess;
use crate::invariants::predicate::Predicates;
use crate::invariants::seeds::seeds;
use crate::invariants::templates::templates;
use crate::options::Job;
use crate::outcome::Work;
use crate::problem::{Open, Problem};

/// A frame without cubes of its own: the states that satisfy the conjuncts and the lemmas.
const LEMMAS: usize = 1;

/// Lemmas and how they are found.
#[derive(Debug)]
pub struct Lemmas {
    steps: Steps,
    abstraction: Abstraction,
    found: Vec<Cube>,
}

impl Lemmas {
    /// No lemmas yet, over the atoms of the model and the values of small types.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, job: &Job, open: &mut Open<'_>) -> Result<Lemmas, SolverError> {
        let mut steps = Steps::new(problem, job, open)?;
        let mut predicates = Predicates::default();
        let mut candidates = seeds(&job.model);
        candidates.extend(templates(&job.model, 0).unwrap_or_default());
        steps.admit(problem, job, &mut predicates, &candidates)?;
        steps.guess(problem, job)?;
        let abstraction = Abstraction { domain: Box::new(Atoms::default()), predicates };
        Ok(Lemmas { steps, abstraction, found: vec![] })
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.steps.statistics()
    }

    /// The predicates as terms over the current state.
    pub fn predicates(&self) -> Vec<Term> {
        self.abstraction.predicates.all().iter().map(|p| p.term).collect()
    }

    /// The lemmas that were guessed. In the order of all lemmas they come first, then those that excluded a state.
    pub fn guesses(&self) -> &[Guess] {
        self.steps.guesses()
    }

    /// Returns the lemmas at these positions, in B, with those that they need to be invariants.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn preds(
        &mut self,
        problem: &mut Problem,
        positions: Vec<usize>,
        work: &mut Work<'_, '_>,
    ) -> Result<Vec<Pred>, SolverError> {
        let (cubes, guesses) = self.steps.with_needed(problem, &self.found, positions, work)?;
        let model = &problem.system.model;
        let cubes = cubes.iter().map(|c| self.abstraction.predicates.clause(model, c));
        Ok(guesses.into_iter().map(|g| g.pred).chain(cubes).collect())
    }

    /// A further lemma that excludes one of these states, over the current state.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn exclude(
        &mut self,
        problem: &mut Problem,
        states: &[Cube],
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Term>, SolverError> {
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
                self.found.push(lemma);
                return Ok(Some(clause));
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
