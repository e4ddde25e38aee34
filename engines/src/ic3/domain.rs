//! Domains: what IC3 abstracts states to, and what it does where that is too coarse.

pub mod bits;
pub mod diagrams;
pub mod predicates;

use bsym_encodings::session::{Model, SolverError, TermValue};
use bsym_encodings::term::Sort;
use bsym_language::model::{self, Pred};

use super::abstract_path::Goal;
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::predicate::Predicates;
use crate::options::Job;
use crate::problem::Problem;

/// Admits those of some predicates that say something new. Returns their number.
pub type Admit<'a> = dyn FnMut(&mut Problem, &mut Predicates, &[Pred]) -> Result<usize, SolverError> + 'a;

/// An abstraction of states to cubes.
pub trait Domain: std::fmt::Debug {
    /// Name of what its cubes are made of, for reports.
    fn name(&self) -> &'static str;

    /// Returns the cube of the first state of a model: the truth values of all predicates, if the domain does not say
    /// otherwise. Predicates that its literals are about are added to
    /// `predicates`.
    ///
    /// # Errors
    /// If the solver fails.
    fn abstracted(
        &mut self,
        problem: &mut Problem,
        predicates: &mut Predicates,
        model: &mut Model<'_>,
    ) -> Result<Cube, SolverError> {
        let mut literals = vec![];
        for (position, p) in predicates.all().iter().enumerate() {
            // A predicate that the model leaves open is left out: a larger cube.
            if let TermValue::Bool(positive) = model.value(problem.unrolling.state(p.term, 0))? {
                literals.push(Literal { position, positive });
            }
        }
        Ok(Cube::new(literals))
    }

    /// Sorts of which a state is to have as few elements as possible.
    fn sorts(&self) -> &[Sort] {
        &[]
    }

    /// Returns whether every state of the second cube is one of the first, as far as this can be seen.
    fn subsumes(&self, larger: &Cube, smaller: &Cube) -> bool {
        larger.subsumes(smaller)
    }

    /// A cube of the same states with the names that all cubes like it have.
    fn canonical(&mut self, _: &mut Problem, _: &mut Predicates, cube: Cube) -> Cube {
        cube
    }

    /// The formulas that say that a cube is blocked; none where they cannot be said in B.
    fn said(&self, model: &model::Model, predicates: &Predicates, cube: &Cube) -> Option<Vec<Pred>> {
        Some(vec![predicates.clause(model, cube)])
    }

    /// Learns from an abstract path from an initial state to a violation that the model does not have, nor any other
    /// one so short. Returns whether there is something new.
    ///
    /// # Errors
    /// If the solver fails.
    fn refine(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        predicates: &mut Predicates,
        path: &[Goal],
        admit: &mut Admit<'_>,
    ) -> Result<bool, SolverError>;

    /// Explains what it means that [`refine`](Self::refine) has nothing new.
    fn exhausted(&self) -> &'static str;
}
