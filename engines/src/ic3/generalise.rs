//! Generalisation of blocked cubes, and new predicates for the queries.

use std::collections::BTreeSet;

use bsym_encodings::session::SolverError;
use bsym_language::model::Pred;

use super::queries::{Abstraction, Query, Steps};
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::predicate::Predicates;
use crate::options::Job;
use crate::outcome::Work;
use crate::problem::Problem;

impl Steps {
    /// Adds those of the candidates that say something new. Their number.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn admit(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        predicates: &mut Predicates,
        candidates: &[Pred],
    ) -> Result<usize, SolverError> {
        let before = predicates.len();
        for candidate in candidates {
            predicates.add(&mut problem.system, candidate, &mut |system, defined| {
                self.is_always_true(system, &mut problem.unrolling, defined, &job.budget)
            });
        }
        self.declare(problem, predicates)?;
        Ok(predicates.len() - before)
    }

    /// A larger cube into which no step leads from states of `frame` outside it: literals outside the core
    /// go, then one after the other is dropped where consecution and disjointness from the initial
    /// states allow. Those that say most go first: lemmas of simple predicates exclude more, and fewer are
    /// needed (on R3 to R5 of the landing gear k-induction takes a third of the time).
    ///
    /// # Errors
    /// If the solver fails.
    pub fn generalise(
        &mut self,
        problem: &mut Problem,
        cube: &Cube,
        core: Cube,
        frame: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Cube, SolverError> {
        let (cube, core) = self.with_few_elements(problem, cube.clone(), core, frame, work)?;
        let mut lemma = self.disjoint_from_initial(problem, core, &cube, work)?;
        let mut kept = BTreeSet::new();
        while let Some(literal) = self.first_to_drop(&lemma, &kept) {
            if lemma.literals().len() == 1 || work.check().is_err() {
                break;
            }
            let smaller = lemma.without(literal);
            let dropped = matches!(self.initial(problem, &smaller, work)?, Query::Unsat(_))
                && match self.consecution(problem, None, &smaller, frame, work)? {
                    Query::Unsat(core) => {
                        lemma = self.disjoint_from_initial(problem, core, &smaller, work)?;
                        true
                    }
                    _ => false,
                };
            if !dropped {
                kept.insert(literal);
            }
        }
        Ok(lemma)
    }

    /// Of a cube of bits, and the core of its consecution, what is about few elements: a lemma about fewer elements is
    /// likelier to hold where sets are larger. Other cubes are left as they are.
    fn with_few_elements(
        &mut self,
        problem: &mut Problem,
        mut cube: Cube,
        mut core: Cube,
        frame: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<(Cube, Cube), SolverError> {
        let mut tried = 0;
        loop {
            let left = self.without_elements(&cube);
            let Some(smaller) = left.get(tried).filter(|c| !c.literals().is_empty()) else {
                return Ok((cube, core));
            };
            tried += 1;
            if work.check().is_err() {
                return Ok((cube, core));
            }
            if matches!(self.initial(problem, smaller, work)?, Query::Unsat(_))
                && let Query::Unsat(of_smaller) = self.consecution(problem, None, smaller, frame, work)?
            {
                (cube, core) = (smaller.clone(), of_smaller);
                tried = 0;
            }
        }
    }

    /// A cube with the given one in it that no initial state is in and no step from states of `frame`
    /// outside leads into, if giving literals up while a step leads into it finds one (Bradley & Manna,
    /// *Checking safety by inductive generalization of counterexamples to induction*, FMCAD 2007).
    ///
    /// # Errors
    /// If the solver fails.
    pub fn inductive(
        &mut self,
        problem: &mut Problem,
        abstraction: &mut Abstraction,
        mut cube: Cube,
        frame: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Cube>, SolverError> {
        loop {
            if cube.literals().is_empty() || work.check().is_err() {
                return Ok(None);
            }
            if !matches!(self.initial(problem, &cube, work)?, Query::Unsat(_)) {
                return Ok(None);
            }
            match self.consecution(problem, Some(&mut *abstraction), &cube, frame, work)? {
                Query::Unsat(core) => return self.generalise(problem, &cube, core, frame, work).map(Some),
                Query::Sat(before) => {
                    let common = |l: &Literal| before.cube.literals().binary_search(l).is_ok();
                    let rest = Cube::new(cube.literals().iter().copied().filter(common).collect());
                    if rest == cube {
                        return Ok(None);
                    }
                    cube = rest;
                }
                Query::Unknown(_) => return Ok(None),
            }
        }
    }
}
