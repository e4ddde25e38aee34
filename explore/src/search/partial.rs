//! Searching with as few events as are enough: the model is cut into instances of events, searched, and what is found is told of
//! the model itself.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bsym_language::model::{EventId, Model, Pred};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::Limits as EvaluatorLimits;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::transition::state::Constants;

use super::constants::Valuations;
use super::problem::Problem;
use super::visit::visit_states;
use crate::options::{ProvenMeanwhile, SearchOptions};
use crate::partial_order::formulas::Formulas;
use crate::partial_order::instances::{Instances, instances};
use crate::partial_order::set::Set;
use crate::partial_order::{Property, analyse};
use crate::report::{Counterexample, Observer, PartialOrderReduction, SearchReport, Unknown, Verdict};

/// Larger sets are not listed to find out what events read and write.
const LISTING: usize = 1 << 10;

/// Searches the states that are enough.
pub(super) fn visit(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> SearchReport {
    let begin = Instant::now();
    let deadline = options.limits.time.and_then(|t| begin.checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let valuations = valuations(problem, options, interrupt);
        let is_known = valuations.is_some();
        let constants = valuations.as_ref().and_then(single);
        let cut = {
            let eval = evaluator(problem.model, problem, interrupt);
            let formulas = Formulas { eval: &eval, constants: constants.as_deref() };
            instances(formulas, problem.model, problem.scope, &known(problem.model, &options.checks))
        };
        let eval = evaluator(&cut.model, problem, interrupt);
        let formulas = Formulas { eval: &eval, constants: constants.as_deref() };
        let properties = properties(&cut, options);
        let order = analyse(formulas, &cut.model, &properties, &known(&cut.model, &options.checks));
        // Where valuations are left out because they differ in names only, those of the instances may be more.
        let order = order.filter(|_| is_known);
        let mut inner = options.clone();
        inner.limits.time = options.limits.time.map(|time| time.saturating_sub(begin.elapsed()));
        let Some(order) = order else {
            let mut report = visit_states(problem, &inner, observer, valuations, None);
            report.statistics.partial_order = Some(PartialOrderReduction::default());
            return report;
        };
        inner.proven = cut.of_instances(&options.proven).collect();
        inner.proven_meanwhile = ProvenMeanwhile::default();
        let instances = Problem { model: &cut.model, ..*problem };
        let mut report = visit_states(&instances, &inner, observer, valuations, Some(&order));
        if let Some(found) = &mut report.statistics.partial_order {
            found.instances = cut.events.len();
            found.independent = order.independent;
        }
        tell(problem, options, &cut, &mut report);
        report
    })
}

/// An evaluator of formulas that need no state.
fn evaluator<'m>(model: &'m Model, problem: &Problem<'m>, interrupt: &'m AtomicBool) -> Evaluator<'m> {
    let limits = EvaluatorLimits { listing: LISTING, ..EvaluatorLimits::default() };
    Evaluator::new(model, problem.scope).with_interrupt(interrupt).with_limits(limits)
}

/// The valuations of the constants, if all were found by evaluation alone.
fn valuations(problem: &Problem<'_>, options: &SearchOptions, interrupt: &AtomicBool) -> Option<Valuations> {
    let cuts = Cuts::default();
    let eval = problem.evaluator(interrupt, &cuts);
    let valuations = Valuations::of(&eval, &cuts, options);
    (cuts.is_empty() && !valuations.interrupted).then_some(valuations)
}

/// The values of the constants, if these have one valuation only.
fn single(valuations: &Valuations) -> Option<Constants> {
    let whole = valuations.missing.is_empty() && valuations.limited.is_none();
    match &valuations.found[..] {
        [one] if whole => Some(one.clone()),
        _ => None,
    }
}

/// The conjuncts of the invariant that hold in every state that is not bad.
fn known<'m>(model: &'m Model, checks: &Checks) -> Vec<&'m Pred> {
    (0..model.invariant.len()).filter(|i| checks.asks(*i)).map(|i| &model.invariant[i].pred).collect()
}

/// What is looked for.
fn properties<'m>(cut: &'m Instances, options: &SearchOptions) -> Vec<Property<'m>> {
    let (model, checks, n) = (&cut.model, &options.checks, cut.events.len());
    let whole = (0..model.invariant.len()).all(|i| checks.asks(i));
    let is_proven = |event: EventId, i: usize| {
        whole && (options.proven.contains(&(event, i)) || options.settled.contains(&(event, i)))
    };
    let mut found = vec![];
    for (i, conjunct) in model.invariant.iter().enumerate() {
        if checks.asks(i) {
            let proven = Set::filter(n, |instance| is_proven(cut.events[instance], i));
            found.push(Property { pred: &conjunct.pred, good: true, proven });
        }
    }
    let unproven = |pred, good| Property { pred, good, proven: Set::below(n) };
    if checks.assertions {
        found.extend(model.assertions.iter().map(|assertion| unproven(&assertion.pred, true)));
    }
    if checks.goal {
        found.extend(model.goal.iter().map(|goal| unproven(goal, false)));
    }
    found
}

/// Calls instances by their events, and replays what was found in the model itself.
fn tell(problem: &Problem<'_>, options: &SearchOptions, cut: &Instances, report: &mut SearchReport) {
    report.statistics.uncompiled.dedup();
    if let Verdict::Contradiction(difference) = &mut report.verdict {
        difference.event = difference.event.map(|event| cut.events[event.index()]);
    }
    // Behind a violation nothing is known of other ones.
    report.exhausted &= matches!(report.verdict, Verdict::Holds(_));
    let eval = Evaluator::new(problem.model, problem.scope);
    let replayed = |found: &mut Counterexample| {
        for step in &mut found.trace.steps {
            step.event = step.event.map(|event| cut.events[event.index()]);
        }
        let same =
            replay_with(&eval, &found.trace, &options.checks).is_ok_and(|r| r.violations == found.violations);
        same.then_some(())
            .ok_or_else(|| "the trace of the instances of events is none of the events".to_owned())
    };
    let failed = match &mut report.verdict {
        Verdict::Violated(found) => replayed(found).err(),
        _ => None,
    };
    report.further.retain_mut(|found| replayed(found).is_ok());
    if let Some(reason) = failed {
        report.verdict = Verdict::Unknown(Unknown::ReplayFailed(reason));
    }
}
