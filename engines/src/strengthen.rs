//! Lemmas that exclude counterexamples to induction.
//!
//! A lemma is a clause over the predicates of the model, false in a state of the counterexample, true at
//! the start and inductive together with the assumed conjuncts and the lemmas before it.

use std::collections::BTreeSet;

use bsym_encodings::session::{Model, SolverError, Statistics, TermValue};
use bsym_encodings::term::Term;
use bsym_language::model::Pred;

use crate::ic3::frame::{Cube, Literal};
use crate::ic3::predicate::{self, Predicates};
use crate::ic3::solver::Steps;
use crate::options::Job;
use crate::outcome::Slice;
use crate::problem::{Open, Problem};

/// A frame without cubes of its own: the states that satisfy the conjuncts and the lemmas.
const LEMMAS: usize = 1;

/// A longer clause excludes little more than the state that it was made for.
const LITERALS: usize = 4;

/// Lemmas and how they are found.
#[derive(Debug)]
pub struct Lemmas {
    steps: Steps,
    predicates: Predicates,
    found: Vec<Cube>,
    /// Those of two literals have been looked for.
    paired: bool,
}

impl Lemmas {
    /// No lemmas yet, over the atoms of the model and the values of small types.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, job: &Job, open: &mut Open<'_>) -> Result<Lemmas, SolverError> {
        let mut steps = Steps::new(problem, job, open)?;
        let mut predicates = Predicates::default();
        let mut candidates = predicate::seeds(&job.model);
        candidates.extend(predicate::templates(&job.model, 0).unwrap_or_default());
        steps.admit(problem, job, &mut predicates, &candidates)?;
        Ok(Lemmas { steps, predicates, found: vec![], paired: false })
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.steps.statistics()
    }

    /// The predicates as terms over the current state.
    pub fn predicates(&self) -> Vec<Term> {
        self.predicates.all().iter().map(|p| p.term).collect()
    }

    /// The lemmas in B, without those that are not needed as far as is easily seen.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn preds(&mut self, problem: &mut Problem, slice: &Slice) -> Result<Vec<Pred>, SolverError> {
        let needed = self.steps.minimise(problem, self.found.clone(), slice)?;
        Ok(needed.iter().map(|c| self.predicates.clause(c)).collect())
    }

    /// Looks for the lemmas of two literals, once: the new ones over the current state. `None` if the
    /// slice is over before.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn pair(&mut self, problem: &mut Problem, slice: &Slice) -> Result<Option<Vec<Term>>, SolverError> {
        if self.paired {
            return Ok(Some(vec![]));
        }
        let Some(cubes) = self.steps.pairs(problem, slice)? else { return Ok(None) };
        self.paired = true;
        let mut clauses = vec![];
        for cube in cubes {
            clauses.push(self.learn(problem, cube)?);
        }
        Ok(Some(clauses))
    }

    /// Takes a lemma in. It over the current state.
    fn learn(&mut self, problem: &mut Problem, cube: Cube) -> Result<Term, SolverError> {
        self.steps.learn_forever(problem, &cube)?;
        let terms = problem.terms();
        let literals = cube.literals().iter().map(|l| {
            let t = self.predicates.all()[l.position].term;
            if l.positive { terms.not(t) } else { t }
        });
        let clause = terms.or(literals);
        self.found.push(cube);
        Ok(clause)
    }

    /// A further lemma that excludes one of these states, over the current state.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn exclude(
        &mut self,
        problem: &mut Problem,
        states: &[Cube],
        slice: &Slice,
    ) -> Result<Option<Term>, SolverError> {
        let mut tried = BTreeSet::new();
        for state in states {
            if tried.insert(state.clone())
                && let Some(lemma) =
                    self.steps.inductive(problem, self.predicates.all(), state.clone(), LEMMAS, slice)?
                && lemma.literals().len() <= LITERALS
            {
                return self.learn(problem, lemma).map(Some);
            }
        }
        Ok(None)
    }
}

/// What predicates, over the state after `k` steps, say in a model.
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
