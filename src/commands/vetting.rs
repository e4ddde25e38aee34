//! Vetting of imported status for a search: a solver confirms it first, so that no wrong status can mislead the search.

use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::{self, SolverChoice};
use bsym_engines::options::Job;
use bsym_engines::vetting::{Vetted, confirm};
use bsym_explore::options::ProvenMeanwhile;
use bsym_explore::report::SearchReport;
use bsym_language::stack::with_large_stack;
use bsym_status::{Level, Pair};

use crate::tuning::tuning;

/// Runs the search while a solver confirms the status. The search does not wait for it.
pub(super) fn beside(
    job: &Job,
    solver: Option<&SolverChoice>,
    meanwhile: &ProvenMeanwhile,
    search: impl FnOnce() -> SearchReport,
) -> (SearchReport, Vetted) {
    let Some(solver) = solver.filter(|_| claims(job)) else { return (search(), Vetted::default()) };
    let mut budget = Budget::unlimited();
    budget.deadline = job.budget.deadline;
    std::thread::scope(|threads| {
        let vetting = threads.spawn(|| {
            with_large_stack(|| {
                ask(job, solver, &budget, &mut |(event, conjunct)| {
                    event.into_iter().for_each(|event| meanwhile.add((event, conjunct)));
                })
            })
        });
        let report = search();
        budget.cancel();
        (report, vetting.join().unwrap_or_default())
    })
}

/// Confirms pairs before a search begins.
pub(super) fn before(job: &Job, solver: Option<&SolverChoice>) -> Vetted {
    let Some(solver) = solver.filter(|_| claims(job)) else { return Vetted::default() };
    let left = job.budget.left().map(|left| left / 4);
    ask(
        job,
        solver,
        &job.budget.within(left.map_or(tuning().beside.vetting, |left| tuning().beside.vetting.min(left))),
        &mut |_| {},
    )
}

/// Returns whether the job has status that another tool established.
fn claims(job: &Job) -> bool {
    job.status.iter().any(|(_, status)| status.level != Level::Checked)
}

/// A solver that fails confirms nothing.
fn ask(job: &Job, solver: &SolverChoice, budget: &Budget, found: &mut dyn FnMut(Pair)) -> Vetted {
    confirm(job, budget, &mut |terms| open::open(terms, solver), found).unwrap_or_default()
}
