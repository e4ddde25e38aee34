//! Compares a refinement of classical B with its abstractions for `check` and `mc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bsym_encodings::patience::Patience;
use bsym_explore::options::Limits;
use bsym_explore::refinement::{RefinementOptions, RefinementVerdict, check};
use bsym_explore::report::{Observer, Progress};
use bsym_explore::search::Problem;
use bsym_proofs::claim::Property;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::trace::doubt::Asked;

use crate::arguments::{PropertyName, ScopeItem};
use crate::commands::compared::Compared;
use crate::commands::run::Run;
use crate::commands::simulation::prove;
use crate::input;
use crate::progress::Reporter;
use crate::solvers;

/// Compares, if the machine refines another one and all of its invariant is asked; in the scope of the run, or where that
/// leaves sizes open in ProB's.
///
/// It takes no longer than `longest`, and visits no more states than `states`.
pub(super) fn compare(
    run: &Run,
    longest: Option<Duration>,
    states: Option<usize>,
    reporter: &mut Reporter,
) -> Option<Compared> {
    let refined = run.model.refined.as_ref().filter(|_| asked(run).invariant)?;
    if run.control.stopped().is_some() {
        return None;
    }
    let parts = refined.side_by_side(&run.model);
    let scope = if run.scope.is_finite(&run.model) {
        run.scope.clone()
    } else {
        let mut sizes = run.arguments.scope.clone();
        sizes.scope.push(ScopeItem::Prob);
        input::scope(&run.model, &sizes).ok()?
    };
    let left = run.control.budget.left();
    let time = [left, longest].into_iter().flatten().min();
    let cancelled = Arc::new(AtomicBool::new(false));
    let memory = run.arguments.limits.memory.and_then(|n| usize::try_from(n).ok());
    let options = RefinementOptions {
        limits: Limits { time, memory, states, ..Limits::default() },
        cancelled: cancelled.clone(),
        no_well_definedness: run.arguments.no_wd,
        reference_only: false,
    };
    let solver = solvers::choose_if_any(run.arguments.solver.name.as_deref()).ok()?;
    let finder = Patience::new(Arc::new(parts.model.clone()), solver.clone(), &run.control.budget);
    let finder = Some(&finder as &dyn ValueFinder);
    let problem = Problem { model: &parts.model, scope: &scope, finder };
    // The budget is cancelled where an answer from beside has ended the engines, which is nobody's wish here.
    let mut observer = |progress: &Progress| {
        reporter.progress(progress);
        if run.control.stopped().is_some() {
            cancelled.store(true, Ordering::Relaxed);
        }
    };
    let report = check(&problem, &parts, &run.model, &options, &mut observer);
    // What holds in ProB's scope may be proved in the one that was asked about.
    let is_finite = run.scope.is_finite(&run.model);
    let proved = match (&solver, &report.verdict) {
        (Some(solver), RefinementVerdict::Holds) if !is_finite => {
            prove(&run.model, refined, &run.scope, solver, longest, &run.control).proof.is_some()
        }
        _ => false,
    };
    Some(Compared {
        model: run.model.clone(),
        parts: Arc::new(parts),
        is_whole: is_finite || proved,
        scope: if proved { run.scope.clone() } else { scope.clone() },
        report,
        settings: run.settings.clone(),
        asked: asked(run),
        is_of_states: is_of_states(run),
    })
}

fn asked(run: &Run) -> Asked {
    let names = &run.arguments.properties;
    let has = |wanted: Property| run.properties.contains(&wanted);
    Asked {
        invariant: run.arguments.conjunct.is_empty()
            && (names.is_empty() || names.contains(&PropertyName::Inv)),
        assertions: (0..run.model.assertions.len()).all(|i| has(Property::Assertion(i))),
        deadlock: has(Property::DeadlockFree),
    }
}

/// Whether nothing is asked but the invariant and assertions.
fn is_of_states(run: &Run) -> bool {
    run.properties.iter().all(|p| matches!(p, Property::Invariant(_) | Property::Assertion(_)))
}
