//! Compares a refinement of classical B with its abstractions for `check` and `mc`. They promise it: their answer is
//! `holds` only where the comparison holds as well.
//!
//! Two methods run at the same time. The explicit search visits the states of small scopes first, where violations are
//! near, then those of the scope that was asked about. The symbolic engines work on the machine in which the
//! abstractions follow ([`crate::commands::simulation`]), for all sizes. A violation from a smaller `MAXINT` counts
//! only where the definition confirms it with the bounds that were asked about.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::SolverChoice;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::Scope;
use bsym_semantics::verdict::{Reason, Verdict};

use crate::arguments::ScopeItem;
use crate::commands::compared::{Compared, Outcome};
use crate::commands::explicit::{Explicit, Found, Searched};
use crate::commands::run::Run;
use crate::commands::simulation::prove;
use crate::input;
use crate::output;
use crate::race::contestant::Contestant;
use crate::solvers;
use crate::tuning::tuning;

/// Compares within the limits of the run and with at most `states` states.
pub(super) fn compare(run: &Run, states: Option<usize>) {
    let Some(promised) = &run.comparison else { return };
    let stop = AtomicBool::new(false);
    promised.pending.end(decide(run, states, Scopes::Asked, &stop));
}

/// Starts the comparison in parallel to the engines, if the run promises one; `is_last`: only once it is waited for. A violation, or a proof that covers
/// everything that is asked, asks the run to stop.
pub(super) fn start(run: &Run, is_last: bool) -> Option<Contestant<Compared>> {
    let promised = run.comparison.clone()?;
    let (asked, told) = (run.clone(), run.control.clone());
    let pending = promised.pending.clone();
    let work = move |stop: &AtomicBool| decide(&asked, None, Scopes::SmallFirst, stop);
    let after = move |found: Option<&Compared>| {
        if found.is_some_and(Compared::settles) || promised.is_awaited() {
            told.decided();
        }
    };
    let head_start =
        if is_last { Duration::from_secs(u32::MAX.into()) } else { tuning().beside.comparison_head_start };
    Some(Contestant::start(head_start, pending, work, after))
}

/// Waits until the comparison ends or the run has to.
pub(super) fn wait(comparison: &Contestant<Compared>, run: &Run) {
    comparison.begin();
    let (begin, is_noted) = (Instant::now(), Cell::new(false));
    let note = || {
        if begin.elapsed() > tuning().beside.silence && !is_noted.replace(true) {
            let is_endless = run.control.budget.deadline.is_none();
            if is_endless && !run.arguments.output.is_for_programs() {
                output::note(
                    "note: the comparison with the abstraction goes on without an end (--timeout sets one)",
                );
            }
        }
        false
    };
    comparison.pending().wait(&run.control, None, &note);
}

/// Scopes that the explicit search visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scopes {
    /// Only the scope that is asked about.
    Asked,
    /// Smaller scopes first.
    SmallFirst,
}

/// Tries both ways. `None` where the scope cannot be used or no such solver is there.
fn decide(run: &Run, states: Option<usize>, which: Scopes, stop: &AtomicBool) -> Option<Compared> {
    let refined = run.model.refinement.refined.as_ref()?;
    let solver = solvers::choose_if_any(run.arguments.solver.name.as_deref()).ok()?;
    let parts = refined.side_by_side(&run.model);
    let is_finite = run.scope.is_finite(&run.model);
    let asked_scope = if is_finite { run.scope.clone() } else { in_prob_sizes(run)? };
    // An answer of the search beside the engines cancels the budgets of the run, which must not stop the comparison.
    let mut explicit_budget = Budget::unlimited();
    explicit_budget.deadline = run.control.budget.deadline;
    let mut symbolic_budget = Budget::unlimited();
    symbolic_budget.deadline = run.control.budget.deadline;
    let over = AtomicBool::new(false);
    let comparison = Explicit {
        model: &run.model,
        parts: &parts,
        solver: solver.clone(),
        states,
        valuations: None,
        memory: run.arguments.limits.memory.and_then(|n| usize::try_from(n / 2).ok()),
        no_well_definedness: run.arguments.no_wd,
        budget: explicit_budget.clone(),
    };
    let symbolic = |solver: &SolverChoice| {
        let simulated = prove(&run.model, refined, &run.scope, solver, symbolic_budget.clone());
        if simulated.proof.is_some() || simulated.violated.is_some() {
            explicit_budget.cancel();
        }
        simulated
    };
    let is_tried = which == Scopes::SmallFirst;
    let (found, simulated) = std::thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                if stop.load(Ordering::SeqCst) || run.control.stopped().is_some() {
                    explicit_budget.cancel();
                    symbolic_budget.cancel();
                }
                std::thread::sleep(tuning().beside.comparison_tick);
            }
        });
        let beside = solver.as_ref().filter(|_| is_tried);
        let beside = beside.map(|solver| threads.spawn(|| with_large_stack(|| symbolic(solver))));
        let found = match which {
            Scopes::Asked => Found::of_asked(comparison.ask(&asked_scope, None)),
            Scopes::SmallFirst => comparison.small_first(&run.arguments.scope, &asked_scope),
        };
        if is_final(&found, is_finite) {
            symbolic_budget.cancel();
        }
        let mut simulated = beside.and_then(|thread| thread.join().ok());
        // Values that cannot be listed may still be covered by a proof.
        let undecided = matches!(
            &found.report.verdict,
            Verdict::Unknown(Reason::Incomplete(_) | Reason::Bounded(_) | Reason::TooManyValues)
        );
        if let (false, true, Some(solver)) = (is_tried, undecided, &solver) {
            simulated = Some(symbolic(solver));
        }
        over.store(true, Ordering::SeqCst);
        (found, simulated)
    });
    let is_whole = is_finite && found.is_asked;
    let searched = Searched { scope: found.scope, report: found.report };
    let outcome = Outcome { searched, is_whole, smaller: found.smaller, simulated };
    Some(Compared {
        model: Arc::clone(&run.model),
        parts: Arc::new(parts),
        outcome,
        command: run.engine,
        asked_scope: run.scope.clone(),
        settings: run.settings.clone(),
        asked: run.asked(),
        is_of_states: run.is_of_states(),
        stopped: run.control.stopped(),
    })
}

/// The scope of a run with ProB's sizes for the sets that it leaves open.
fn in_prob_sizes(run: &Run) -> Option<Scope> {
    let mut sizes = run.arguments.scope.clone();
    sizes.scope.push(ScopeItem::Prob);
    let prob = input::scope(&run.model, &sizes).ok()?;
    Some(run.scope.with_open_sets(&run.model, |set| prob.sizes.get(&set).copied().unwrap_or(1)))
}

/// Returns whether the other method has nothing to add.
fn is_final(found: &Found, is_finite: bool) -> bool {
    match &found.report.verdict {
        Verdict::Violated(_) | Verdict::Contradiction(_) => true,
        Verdict::Holds(()) => is_finite && found.is_asked,
        _ => false,
    }
}
