//! The domain of bits: a state of settled sizes is which tuples are in which relation, and which element each variable
//! is. A cube counts with all its images under the permutations of elements that nothing tells apart
//! ([`orbits`](crate::ic3)).

use std::rc::Rc;

use bsym_encodings::session::SolverError;
use bsym_language::model::{self, Pred};

use super::predicates::candidates;
use super::{Admit, Domain};
use crate::ic3::abstract_path::Goal;
use crate::invariants::bits::Bits;
use crate::invariants::cube::Cube;
use crate::invariants::predicate::Predicates;
use crate::options::Job;
use crate::problem::Problem;

/// All bits, and the truth of predicates about what has none.
#[derive(Debug)]
pub struct States {
    bits: Rc<Bits>,
}

impl States {
    /// The domain over some bits, which are the first predicates.
    pub(crate) fn new(bits: Rc<Bits>) -> States {
        States { bits }
    }
}

impl Domain for States {
    fn name(&self) -> &'static str {
        "bits"
    }

    /// An image of the larger one has only literals of the smaller one.
    fn subsumes(&self, larger: &Cube, smaller: &Cube) -> bool {
        if larger.literals().len() > smaller.literals().len() {
            return false;
        }
        let literals = smaller.literals();
        let truth = |position: usize| {
            let at = literals.binary_search_by_key(&position, |l| l.position).ok()?;
            Some(literals[at].positive)
        };
        larger.subsumes(smaller) || !self.bits.images(&self.bits.ordered(larger), &truth, 1).is_empty()
    }

    fn said(&self, _: &model::Model, predicates: &Predicates, cube: &Cube) -> Option<Vec<Pred>> {
        self.bits.said(predicates, cube)
    }

    /// Where all variables have bits, the path is one of the model. Else predicates are added about the others.
    fn refine(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        predicates: &mut Predicates,
        path: &[Goal],
        admit: &mut Admit<'_>,
    ) -> Result<bool, SolverError> {
        let mut candidates = candidates(job, predicates, path);
        candidates.retain(|p| self.bits.leaves_out(p));
        Ok(admit(problem, predicates, &candidates)? > 0)
    }

    fn exhausted(&self) -> &'static str {
        "no new predicates about variables without bits exclude the abstract counterexample"
    }
}
