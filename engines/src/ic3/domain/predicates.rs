//! The domain of predicates: a state is the truth values of the predicates of the model (implicit predicate
//! abstraction).

use std::collections::BTreeSet;

use bsym_encodings::session::SolverError;
use bsym_language::model::{EventId, Pred};

use super::{Admit, Domain};
use crate::ic3::abstract_path::Goal;
use crate::invariants::affine::equations;
use crate::invariants::predicate::Predicates;
use crate::invariants::templates::{bounds, templates};
use crate::invariants::weakest_precondition::through;
use crate::options::Job;
use crate::problem::Problem;

/// The truth values of all predicates.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// Rounds of templates already added.
    templates: usize,
    /// Equations of sampled states were added.
    sampled: bool,
}

impl Domain for Atoms {
    fn name(&self) -> &'static str {
        "predicates"
    }

    /// Templates first, with the equations of sampled states between simple and bold ones, then weakest preconditions
    /// along the path, and bounds at values met on it.
    fn refine(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        predicates: &mut Predicates,
        path: &[Goal],
        admit: &mut Admit<'_>,
    ) -> Result<bool, SolverError> {
        while let Some(round) = templates(&job.model, self.templates) {
            self.templates += 1;
            if admit(problem, predicates, &round)? > 0 {
                return Ok(true);
            }
            if !std::mem::replace(&mut self.sampled, true)
                && let Some(met) = problem.first_states(job)
                && admit(problem, predicates, &equations(&job.model, &met))? > 0
            {
                return Ok(true);
            }
        }
        let candidates = candidates(job, predicates, path);
        Ok(admit(problem, predicates, &candidates)? > 0)
    }

    fn exhausted(&self) -> &'static str {
        "no new predicates exclude the abstract counterexample"
    }
}

/// Weakest preconditions along a path, and bounds at values that are met on it.
pub(super) fn candidates(job: &Job, predicates: &Predicates, path: &[Goal]) -> Vec<Pred> {
    let mut found = vec![];
    let on_path: BTreeSet<EventId> = path.iter().flat_map(|g| g.events.iter().copied()).collect();
    for event in on_path {
        for p in predicates.all() {
            found.extend(through(&job.model.events[event.index()], &p.pred));
        }
    }
    for met in path.iter().flat_map(|g| &g.met) {
        found.extend(bounds(&job.model, met.variable, &met.value));
    }
    found
}
