//! A refinement of classical B compared with its abstractions, as a part of what `check` and `mc` answer.
//!
//! What the states of a refinement cannot say, its gluing invariant above all, is dropped from the model that these commands
//! look at ([`bsym_semantics::trace::doubt`]). Where it is asked as well, the comparison answers it for a finite scope: a step that
//! nothing matches is a violation, and a proof in the same scope is no longer conditional on what was compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_encodings::patience::Patience;
use bsym_engines::verdict::Condition;
use bsym_explore::options::Limits;
use bsym_explore::refinement::{Own, RefinementOptions, RefinementReport, RefinementVerdict, check};
use bsym_explore::report::{Observer, Progress};
use bsym_explore::search::Problem;
use bsym_language::model::{DroppedKind, Model, SideBySide};
use bsym_proofs::claim::Property;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::doubt::{self, Asked};

use crate::answer::not_checked::DroppedObject;
use crate::answer::proof::ProofObject;
use crate::answer::property::PropertyVerdictWord;
use crate::answer::reason::Reason;
use crate::answer::refinement::{RefinementObject, Words};
use crate::answer::scope::ScopeObject;
use crate::answer::trace::{CounterexampleObject, ViolatedObject};
use crate::answer::verification::{Verdict, Verification};
use crate::arguments::{PropertyName, ScopeItem};
use crate::commands::run::Run;
use crate::input;
use crate::progress::Reporter;
use crate::solvers;

/// A comparison that ended.
#[derive(Clone)]
pub(super) struct Compared {
    parts: Arc<SideBySide>,
    scope: Scope,
    report: RefinementReport,
}

/// Compares, if the machine refines another one and all of its invariant is asked; in the scope of the run, or where that
/// leaves sizes open in ProB's.
pub(super) fn compare(run: &Run, longest: Option<Duration>, reporter: &mut Reporter) -> Option<Compared> {
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
    let left = run.control.budget.deadline.map(|d| d.saturating_duration_since(Instant::now()));
    let time = [left, longest].into_iter().flatten().min();
    let cancelled = Arc::new(AtomicBool::new(false));
    let memory = run.arguments.limits.memory.and_then(|n| usize::try_from(n).ok());
    let options = RefinementOptions {
        limits: Limits { time, memory, ..Limits::default() },
        cancelled: cancelled.clone(),
        reference_only: false,
    };
    let solver = solvers::choose_if_any(run.arguments.solver.name.as_deref()).ok()?;
    let finder = Patience::new(Arc::new(parts.model.clone()), solver, &run.control.budget);
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
    Some(Compared { parts: Arc::new(parts), scope, report })
}

/// What a comparison does not look at either.
pub(super) fn left(model: &Model) -> Vec<DroppedObject> {
    let all = DroppedObject::all(model).into_iter().zip(&model.not_checked);
    all.filter(|(_, dropped)| is_left(dropped.kind)).map(|(object, _)| object).collect()
}

fn is_left(kind: DroppedKind) -> bool {
    !matches!(kind, DroppedKind::Gluing | DroppedKind::AbstractPrecondition(_))
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
fn asks_for_states(run: &Run) -> bool {
    run.properties.iter().all(|p| matches!(p, Property::Invariant(_) | Property::Assertion(_)))
}

impl Compared {
    /// Makes the comparison a part of an answer; the trace of a violation that it has found.
    pub(super) fn settle<'c>(&'c self, run: &Run, answer: &mut Verification) -> Option<&'c Trace> {
        let words = Words { model: &run.model, parts: &self.parts, scope: &self.scope };
        let scope = ScopeObject::new(&run.model, &self.scope, &run.settings);
        let mut object = RefinementObject::new(&self.parts, scope.clone());
        object.settle(&words, &self.report);
        let mut trace = None;
        let is_doubtful = matches!(answer.verdict, Verdict::Unknown(Reason::Doubtful(..)));
        match &self.report.verdict {
            // The trace is one that anybody may cause.
            _ if is_doubtful && let Own::Violated(found) = &self.report.own => {
                let object = CounterexampleObject::new(&run.model, &found.trace, &found.violations);
                for property in &mut answer.properties {
                    let is_it =
                        |v: &ViolatedObject| (v.property, v.index) == (property.property, property.index);
                    if object.violated.iter().any(is_it) {
                        property.verdict = PropertyVerdictWord::Violated;
                    }
                }
                answer.not_checked = left(&run.model);
                answer.verdict = Verdict::Violated(Box::new(object), None);
                (answer.scope, answer.engine) = (scope, "mc".into());
                trace = Some(&found.trace);
            }
            RefinementVerdict::Violated(found) if !matches!(answer.verdict, Verdict::Violated(..)) => {
                if let Some(unmatched) = &object.counterexample {
                    answer.verdict = Verdict::Violated(Box::new(unmatched.as_violation()), None);
                    (answer.scope, answer.engine) = (scope, "mc".into());
                    trace = Some(&found.trace);
                }
            }
            // Of other scopes the comparison says nothing.
            RefinementVerdict::Holds if run.scope.is_finite(&run.model) => {
                let parts = doubt::left_open(&run.model, asked(run)).into_iter();
                let parts: Vec<String> =
                    parts.filter(|d| is_left(d.kind)).map(|d| d.describe(&run.model)).collect();
                answer.not_checked = left(&run.model);
                // All that may happen was visited, and what was found otherwise is none of it.
                if is_doubtful && self.report.own == Own::Holds && asks_for_states(run) {
                    let proof = Box::new(ProofObject::called());
                    let condition = Condition::NotChecked(vec![]);
                    answer.verdict = Verdict::Unknown(Reason::Visited(proof, condition));
                    for property in &mut answer.properties {
                        property.verdict = PropertyVerdictWord::Holds;
                    }
                    answer.engine = "mc".into();
                }
                answer.verdict = without(&answer.verdict, &parts);
            }
            _ => {}
        }
        answer.refinement = Some(object);
        trace
    }
}

/// A verdict where no more than these parts of the model are not checked.
fn without(verdict: &Verdict, parts: &[String]) -> Verdict {
    let (proof, conditions) = match verdict {
        Verdict::Unknown(Reason::Visited(proof, condition)) => (proof, vec![condition.clone()]),
        Verdict::Unknown(Reason::Conditional(proof, conditions)) => (proof, conditions.clone()),
        other => return other.clone(),
    };
    let mut conditions = conditions;
    conditions.retain(|c| !matches!(c, Condition::NotChecked(_)));
    if !parts.is_empty() {
        conditions.push(Condition::NotChecked(parts.to_vec()));
    }
    match (verdict, conditions.len()) {
        (_, 0) => Verdict::Holds(proof.clone()),
        (Verdict::Unknown(Reason::Visited(..)), 1) => {
            Verdict::Unknown(Reason::Visited(proof.clone(), conditions.remove(0)))
        }
        _ => Verdict::Unknown(Reason::Conditional(proof.clone(), conditions)),
    }
}
