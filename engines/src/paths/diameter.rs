//! The recurrence diameter: no path of good states is longer without a repetition.
//!
//! Then every reachable state is reached by a shorter path, and bounded model checking to that depth was a proof (Biere
//! et al., *Symbolic model checking without BDDs*, TACAS 1999, section 4).

use std::collections::BTreeSet;

use bsym_encodings::session::{Model, SolverError, Statistics};
use bsym_encodings::term::Terms;

use crate::outcome::Work;
use crate::paths::uniqueness::{different, repetitions};
use crate::paths::{Checked, Path, Taken};
use crate::problem::{Open, Problem};

/// A search for the length at which paths have to repeat a state.
#[derive(Debug)]
pub struct Diameter {
    path: Path,
    /// Pairs of states already made different.
    distinct: BTreeSet<(usize, usize)>,
    /// Number of steps that no path of different states has.
    found: Option<usize>,
}

impl Diameter {
    /// Begins with one step.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, open: &mut Open<'_>) -> Result<Diameter, SolverError> {
        let path = Path::in_order(problem, open)?;
        let mut all = Diameter { path, distinct: BTreeSet::new(), found: None };
        all.extend(problem)?;
        Ok(all)
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.path.session.statistics()
    }

    /// Number of steps, at most `longest`, that no path of good and pairwise different states has, if it is found in
    /// this work.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn find(
        &mut self,
        problem: &mut Problem,
        longest: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<usize>, SolverError> {
        while self.found.is_none() && self.path.depth() <= longest && work.check().is_ok() {
            let k = self.path.depth();
            let checked = work.ask(|budget| {
                let read =
                    |model: &mut Model<'_>, _: Taken| Ok(repetitions(problem, model, k)?.collect::<Vec<_>>());
                self.path.check(Terms::TRUE, &[], budget, read, |_| false)
            })?;
            let repeated = match checked {
                Checked::Sat(repeated) => repeated,
                Checked::Unsat { .. } => {
                    self.found = Some(k);
                    break;
                }
                Checked::Unknown(_) => break,
            };
            if repeated.is_empty() {
                self.extend(problem)?;
            }
            let before = self.distinct.len();
            for &(i, j) in &repeated {
                if self.distinct.insert((i, j)) {
                    let differ = different(problem, i, j);
                    self.path.session.assert(differ)?;
                }
            }
            // Nothing can be learned from a model that violates the assertions.
            if !repeated.is_empty() && self.distinct.len() == before {
                break;
            }
        }
        Ok(self.found)
    }

    fn extend(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        self.path.assume_conjuncts(problem)?;
        self.path.extend(problem)
    }
}
