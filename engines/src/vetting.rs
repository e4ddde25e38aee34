//! Holding imported proof status against the solver before anything rests on it.
//!
//! Every pair is asked once, all pairs of an event in one query: does the event lead from a state with
//! the whole invariant to one without the conjunct? A pair that is refuted is wrong: it is reported and
//! dropped, so that no depth, no frame and no induction step ever uses it. A pair that the solver does not decide
//! is kept, unless everything has to be confirmed; a proof that needs it lists it as trusted. Pairs that the
//! text of the event alone establishes are not asked: nobody claimed them.

use std::collections::BTreeSet;
use std::time::Duration;

use bsym_encodings::session::SolverError;
use bsym_encodings::term::Terms;
use bsym_language::model::EventId;
use bsym_proofs::status::{Level, Pair};

use crate::options::Job;
use crate::problem::{Decided, Open, Problem, decide};

/// Longest time for one query; a proven pair that takes longer is left to its prover.
const QUERY: Duration = Duration::from_secs(1);

/// Longest time for all of them, so that a status with many hard pairs leaves the engine its time. Where everything has
/// to be confirmed there is no such limit.
const TOGETHER: Duration = Duration::from_secs(5);

/// What became of the pairs of a job's status.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vetted {
    /// Refuted by the solver.
    pub wrong: Vec<Pair>,
    /// Neither confirmed nor refuted.
    pub undecided: Vec<Pair>,
}

/// Asks the solver about every pair that the job's status calls proven.
///
/// # Errors
/// If the solver fails.
pub fn vet(job: &Job, open: &mut Open<'_>) -> Result<Vetted, SolverError> {
    let mut vetted = Vetted::default();
    if job.status.is_empty() {
        return Ok(vetted);
    }
    // Only the terms are needed, not what a search prepares about well-definedness.
    let plain = Job { well_definedness: false, ..job.clone() };
    let mut problem = Problem::new(&plain, &BTreeSet::new(), open)?;
    let terms = problem.terms();
    let budget = if job.recheck { job.budget.clone() } else { job.budget.within(TOGETHER) };
    let budget = budget.per_query(QUERY);
    for event in
        std::iter::once(None).chain((0..problem.system.events.len() as u32).map(|e| Some(EventId(e))))
    {
        let claimed = job.status.iter().filter(|(p, s)| p.0 == event && s.level != Level::Checked);
        let pairs: Vec<Pair> = claimed.map(|(pair, _)| pair).collect();
        if pairs.is_empty() {
            continue;
        }
        if budget.check().is_err() {
            vetted.undecided.extend(pairs);
            continue;
        }
        let Some(relation) = (match event {
            Some(e) => problem.system.events[e.index()].relation,
            None => problem.system.initialisation.relation,
        }) else {
            vetted.undecided.extend(pairs);
            continue;
        };
        let (mut known, after) = match event {
            Some(_) => (vec![problem.every_conjunct_in(0), problem.unrolling.step(relation, 0)], 1),
            None => (vec![problem.unrolling.init(relation)], 0),
        };
        for k in 0..=after {
            known.extend(problem.facts_in(k));
        }
        let mut session = problem.session(open)?;
        for t in known {
            session.assert(t)?;
        }
        // A conjunct counts as false only where it has a meaning.
        let mut questions = vec![];
        for &pair in &pairs {
            let conjunct = &problem.system.invariant[pair.1];
            let violated = terms.and([conjunct.defined, terms.not(conjunct.holds)]);
            questions.push((pair, problem.unrolling.state(violated, after)));
        }
        let any = terms.or(questions.iter().map(|q| q.1));
        if any == Terms::FALSE || matches!(decide(&mut session, &[any], &budget)?, Decided::Unsat(_)) {
            continue;
        }
        let complete = problem.system.unsupported.is_empty();
        for (pair, question) in questions {
            match decide(&mut session, &[question], &budget)? {
                Decided::Unsat(_) => {}
                // With a hypothesis missing, a model refutes nothing.
                Decided::Sat if complete => vetted.wrong.push(pair),
                Decided::Sat | Decided::Unknown(_) => vetted.undecided.push(pair),
            }
        }
    }
    Ok(vetted)
}
