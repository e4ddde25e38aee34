//! Searching with a sufficient subset of the enabled events: the model is cut into instances of events, searched, and
//! the findings are translated back to the model itself.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bsym_language::model::{EventId, Model, Pred};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::Limits as EvaluatorLimits;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::transition::state::Constants;
use bsym_semantics::verdict::{Observer, Reason};
use fixedbitset::FixedBitSet;

use super::constants::{Question, Valuations};
use super::findings;
use super::problem::Problem;
use super::rounds::Round;
use super::visit::{Instantiated, visit_states};
use crate::options::{ProvenMeanwhile, SearchOptions};
use crate::partial_order::formulas::Formulas;
use crate::partial_order::instances::{Instances, instances};
use crate::partial_order::visible::sound_literals;
use crate::partial_order::{Property, analyse};
use crate::report::{Incomplete, PartialOrderReduction, Progress, SearchReport, Verdict};
use crate::tuning::tuning;

/// Searches a sufficient subset of the states.
pub(super) fn visit(
    problem: &Problem<'_>,
    options: &SearchOptions,
    observer: &mut dyn Observer<Progress>,
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
            instances(
                formulas,
                problem.model,
                problem.scope,
                &known(formulas, problem.model, &options.checks),
            )
        };
        let eval = evaluator(&cut.model, problem, interrupt);
        let formulas = Formulas { eval: &eval, constants: constants.as_deref() };
        let known = known(formulas, &cut.model, &options.checks);
        let properties = properties(&cut, options, known.len() == cut.model.invariant.len());
        let order = analyse(formulas, &cut.model, &properties, &known);
        // Where valuations are left out because they differ in names only, those of the instances may be more.
        let order = order.filter(|_| is_known);
        let mut inner = options.clone();
        inner.limits.time = options.limits.time.map(|time| time.saturating_sub(begin.elapsed()));
        let Some(order) = order else {
            let mut report = visit_states(problem, &inner, observer, valuations, None, Round::WHOLE).report;
            report.statistics.partial_order = Some(PartialOrderReduction::default());
            return report;
        };
        inner.proven.known = cut.of_instances(&options.proven.known).collect();
        inner.proven.meanwhile = ProvenMeanwhile::default();
        let instances = Problem { model: &cut.model, ..*problem };
        let reduced = Instantiated { order: &order, whole: *problem, events: &cut.events };
        let mut report =
            visit_states(&instances, &inner, observer, valuations, Some(&reduced), Round::WHOLE).report;
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
    let limits = EvaluatorLimits { listing: tuning().search.accesses_listed, ..EvaluatorLimits::default() };
    Evaluator::new(model, problem.scope).with_interrupt(interrupt).with_limits(limits)
}

/// The valuations of the constants, if all were found by evaluation alone.
fn valuations(problem: &Problem<'_>, options: &SearchOptions, interrupt: &AtomicBool) -> Option<Valuations> {
    let cuts = Cuts::default();
    let eval = problem.evaluator(interrupt, &cuts);
    let valuations = Valuations::of(&eval, &cuts, (&options.limits, &options.fixed), Question::OF_THE_MODEL);
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

/// The conjuncts of the invariant that hold in every state that is not bad. A conjunct without a truth value makes a
/// state bad only if all before it are requested, and ill-definedness is checked.
fn known<'m>(formulas: Formulas<'_, '_>, model: &'m Model, checks: &Checks) -> Vec<&'m Pred> {
    let mut known = vec![];
    let mut all_before = checks.well_definedness;
    for (i, conjunct) in model.invariant.iter().enumerate() {
        all_before &= checks.asks(i);
        let pred = &conjunct.pred;
        if checks.asks(i) && (all_before || sound_literals(formulas, &known, &[(true, pred)]) == 1) {
            known.push(pred);
        }
    }
    known
}

/// Returns the properties to check. Proofs count where the whole invariant holds in every state that is not bad.
fn properties<'m>(cut: &'m Instances, options: &SearchOptions, whole: bool) -> Vec<Property<'m>> {
    let (model, checks, n) = (&cut.model, &options.checks, cut.events.len());
    let is_proven = |event: EventId, i: usize| whole && options.proven.contains((event, i));
    let mut found = vec![];
    for (i, conjunct) in model.invariant.iter().enumerate() {
        if checks.asks(i) {
            let proven = (0..n).filter(|instance| is_proven(cut.events[*instance], i)).collect();
            found.push(Property { pred: &conjunct.pred, good: true, proven });
        }
    }
    let unproven = |pred, good| Property { pred, good, proven: FixedBitSet::new() };
    // A conjunct without a truth value is a violation where all before it hold, even those that were not requested.
    if checks.well_definedness
        && let Some(last) = (0..model.invariant.len()).rev().find(|&i| checks.asks(i))
    {
        let before = model.invariant[..last].iter().enumerate().filter(|(i, _)| !checks.asks(*i));
        found.extend(before.map(|(_, conjunct)| unproven(&conjunct.pred, false)));
    }
    if checks.assertions {
        found.extend(model.assertions.iter().map(|assertion| unproven(&assertion.pred, true)));
    }
    if checks.goal {
        found.extend(model.definitions.goal.iter().map(|goal| unproven(goal, false)));
    }
    found
}

/// Renames instances to their events, and replays the findings in the model itself.
fn tell(problem: &Problem<'_>, options: &SearchOptions, cut: &Instances, report: &mut SearchReport) {
    report.statistics.successors.uncompiled.dedup();
    // After a violation nothing is known of other ones.
    report.exhausted &= matches!(report.verdict, Verdict::Holds(_));
    let eval = Evaluator::new(problem.model, problem.scope);
    let mut unconfirmed = vec![];
    let mut confirmed = vec![];
    let verdict = std::mem::replace(&mut report.verdict, Verdict::Unknown(Reason::Incomplete(None)));
    let (first, other) = match verdict {
        Verdict::Violated(found) => (Some(*found), None),
        Verdict::Contradiction(difference) => {
            let told = difference.with_events(|event| cut.events[event.index()]);
            (None, Some(Verdict::Contradiction(Box::new(told))))
        }
        other => (None, Some(other)),
    };
    for mut found in first.into_iter().chain(std::mem::take(&mut report.further)) {
        for step in &mut found.trace.steps {
            step.event = step.event.map(|event| cut.events[event.index()]);
        }
        let checks = options.checks.that_found(&found.violations);
        match replay_with(&eval, &found.trace, &checks) {
            Ok(replayed) if replayed.violations == found.violations => confirmed.push(found),
            Ok(_) => unconfirmed.push("the trace of the instances of events ends otherwise".to_owned()),
            Err(error) => unconfirmed
                .push(format!("the trace of the instances of events is none of the events: {error}")),
        }
    }
    let mut confirmed = confirmed.into_iter();
    report.verdict = match (confirmed.next(), unconfirmed.first(), other) {
        (Some(found), ..) => Verdict::Violated(Box::new(found)),
        (None, Some(reason), _) => Verdict::Unknown(Reason::ReplayFailed(reason.clone())),
        (None, None, other) => other.unwrap_or(Verdict::Unknown(Reason::Incomplete(None))),
    };
    report.further = confirmed.collect();
    // Counterexamples that were not confirmed are reported in addition to those that were.
    let missing = unconfirmed
        .into_iter()
        .map(|reason| Incomplete { place: "a counterexample".into(), error: findings::unconfirmed(&reason) });
    report.incomplete.extend(missing);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_language::load::load_text;
    use bsym_semantics::scope::{Scope, ScopeRequest};

    use super::*;
    use crate::audit::{Finding, Refutation};
    use crate::partial_order::PartialOrder;

    /// The verdict of a search under relations that were changed.
    fn verdict(text: &str, checks: &Checks, change: impl Fn(&mut PartialOrder<'_>)) -> Verdict {
        let model = load_text("M.mch", text).model.expect("the machine is right");
        let scope =
            Scope::settle(&model, &ScopeRequest { prob: true, ..Default::default() }).expect("a scope");
        let options = SearchOptions { checks: checks.clone(), ..SearchOptions::default() };
        let interrupt = AtomicBool::new(false);
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let cut = {
            let eval = evaluator(&model, &problem, &interrupt);
            instances(Formulas { eval: &eval, constants: Some(&[]) }, &model, &scope, &[])
        };
        let instantiated = Problem { model: &cut.model, ..problem };
        let eval = evaluator(&cut.model, &instantiated, &interrupt);
        let formulas = Formulas { eval: &eval, constants: Some(&[]) };
        let known = known(formulas, &cut.model, checks);
        let properties = properties(&cut, &options, true);
        let mut order = analyse(formulas, &cut.model, &properties, &known).expect("something commutes");
        change(&mut order);
        let reduced = Instantiated { order: &order, whole: problem, events: &cut.events };
        let mut observer = |_: &Progress| {};
        let report =
            visit_states(&instantiated, &options, &mut observer, None, Some(&reduced), Round::WHOLE).report;
        report.verdict
    }

    const ROUND: &str =
        "MACHINE M VARIABLES x, y, z INVARIANT x : 0..2 & y : 0..2 & z : 0..2 & not(x = 1 & y = 1)
        INITIALISATION x := 0 || y := 0 || z := 0
        OPERATIONS round = SELECT z : 0..2 THEN z := (z + 1) mod 3 END;
        a = SELECT x = 0 THEN x := 1 END; b = SELECT y = 0 & x = 1 THEN y := 1 END END";

    fn refuted(verdict: Verdict) -> (usize, Refutation) {
        match verdict {
            Verdict::Contradiction(difference) => match difference.reference {
                Finding::CannotWait(steps, why) => (steps.len(), why),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_violation_that_nothing_aims_at_is_a_contradiction() {
        let checks = Checks::default();
        assert!(matches!(verdict(ROUND, &checks, |_| {}), Verdict::Violated(_)));
        let blind = |order: &mut PartialOrder<'_>| Arc::make_mut(&mut order.relations).targets.clear();
        let (steps, why) = refuted(verdict(ROUND, &checks, blind));
        assert_eq!(steps, 2);
        assert!(matches!(why, Refutation::Wrong(_)), "{why:?}");
    }

    #[test]
    fn events_that_only_seem_to_commute_are_a_contradiction() {
        let text = "MACHINE M VARIABLES x, z INVARIANT x : 0..9 & z : 0..2 INITIALISATION x := 1 || z := 0
            OPERATIONS round = SELECT z : 0..2 THEN z := (z + 1) mod 3 END;
            twice = SELECT x < 3 THEN x := 2 * x END; more = SELECT x < 3 THEN x := x + 1 END END";
        let checks = Checks { invariant: Some(vec![1]), ..Checks::default() };
        assert!(matches!(verdict(text, &checks, |_| {}), Verdict::Holds(_)));
        let apart = |order: &mut PartialOrder<'_>| {
            let relations = Arc::make_mut(&mut order.relations);
            let n = relations.dependent.len();
            relations.dependent = (0..n).map(|e| FixedBitSet::from_iter([e])).collect();
            relations.targets.clear();
            relations.targets.push(crate::partial_order::stubborn::Target {
                writers: FixedBitSet::from_iter([1]),
                literals: vec![],
            });
        };
        let (_, why) = refuted(verdict(text, &checks, apart));
        assert!(matches!(why, Refutation::Order(_) | Refutation::Enabledness(_)), "{why:?}");
    }

    #[test]
    fn instances_that_leave_something_out_are_a_contradiction() {
        let text = "MACHINE M VARIABLES s, z INVARIANT s <: 0..3 & z : 0..2 INITIALISATION s := {} || z := 0
            OPERATIONS round = SELECT z : 0..2 THEN z := (z + 1) mod 3 END;
            put = ANY p WHERE p : 0..3 & p /: s THEN s := s \\/ {p} END END";
        let model = load_text("M.mch", text).model.expect("the machine is right");
        let scope =
            Scope::settle(&model, &ScopeRequest { prob: true, ..Default::default() }).expect("a scope");
        let interrupt = AtomicBool::new(false);
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let eval = evaluator(&model, &problem, &interrupt);
        let formulas = Formulas { eval: &eval, constants: Some(&[]) };
        let mut cut = instances(formulas, &model, &scope, &[]);
        assert_eq!(cut.events.len(), 5);
        cut.events.pop();
        cut.model.events.pop();
        let eval = evaluator(&cut.model, &problem, &interrupt);
        let formulas = Formulas { eval: &eval, constants: Some(&[]) };
        let order = analyse(formulas, &cut.model, &[], &[]).expect("something commutes");
        let reduced = Instantiated { order: &order, whole: problem, events: &cut.events };
        let options = SearchOptions::default();
        let instantiated = Problem { model: &cut.model, ..problem };
        let mut observer = |_: &Progress| {};
        let report =
            visit_states(&instantiated, &options, &mut observer, None, Some(&reduced), Round::WHOLE).report;
        assert_eq!(refuted(report.verdict), (0, Refutation::Instances));
    }
}
