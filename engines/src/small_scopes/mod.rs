//! Scopes in which the evaluator looks where sizes of sets are open, and its work there.

pub(crate) mod first_states;
pub mod sample;

use std::ops::ControlFlow;

use bsym_encodings::budget::{Budget, spend};
use bsym_language::model::{EventId, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::scope::Scope;
use bsym_semantics::scope::least_sizes::least_sizes;
use bsym_semantics::trace::Step;
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;

use crate::tuning::tuning;

/// The scopes that the evaluator tries: the own one where it is finite.
pub fn scopes(model: &Model, scope: &Scope) -> impl Iterator<Item = Scope> {
    let sizes: &[usize] =
        if scope.is_finite(model) { &tuning().small_scopes.sizes[..1] } else { &tuning().small_scopes.sizes };
    with_sizes(model, scope, sizes).into_iter()
}

/// The scopes in which the sets of open size have these sizes, each once. Where the axioms force a set to be larger,
/// as `card(S) = 400` does, it has the least size that their form shows.
pub fn with_sizes(model: &Model, scope: &Scope, sizes: &[usize]) -> Vec<Scope> {
    let least = least_sizes(model, &scope.sizes);
    let mut scopes: Vec<Scope> = vec![];
    for &size in sizes {
        let fitted = scope.with_open_sets(model, |set| least.get(&set).map_or(size, |&n| size.max(n)));
        if !scopes.contains(&fitted) {
            scopes.push(fitted);
        }
    }
    scopes
}

/// Lets an evaluator of a scope work within a budget; choices among infinitely many values are cut, and noted.
pub fn evaluate_in<R>(
    model: &Model,
    scope: &Scope,
    budget: &Budget,
    cuts: &Cuts,
    work: impl FnOnce(&Evaluator<'_>) -> R,
) -> R {
    interruptible(&budget.cancellation(), budget.deadline, |interrupt| {
        let eval = Evaluator::new(model, scope);
        work(
            &eval
                .with_limits(tuning().small_scopes.limits)
                .with_interrupt(interrupt)
                .with_bounded_choices(cuts),
        )
    })
}

/// Returns the steps out of a state, or for `None` those of the initialisation: at most `most` of each event, without
/// those that cannot be evaluated.
pub fn steps_from(
    eval: &Evaluator<'_>,
    constants: &[Value],
    from: Option<&[Value]>,
    most: usize,
) -> Vec<Step> {
    let (state, events): (&[Value], Vec<Option<EventId>>) = match from {
        None => (&[], vec![None]),
        Some(state) => (state, (0..eval.model.events.len() as u32).map(|e| Some(EventId(e))).collect()),
    };
    let mut steps = vec![];
    for event in events {
        let before = steps.len();
        let most = before + most;
        let _ = eval.each_edge(event, constants, state, &mut |edge| {
            let state = edge.state().cloned();
            steps.push(Step { event: edge.event, execution: edge.execution, state });
            if steps.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let looked_for = u32::try_from(steps.len() - before).unwrap_or(u32::MAX).saturating_add(1);
        spend(tuning().small_scopes.step * looked_for);
    }
    steps
}

/// Returns the positions on the way to one, given the position before each.
pub fn way_to(last: usize, before: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
    let mut way: Vec<usize> = std::iter::successors(Some(last), |&i| before(i)).collect();
    way.reverse();
    way
}

/// Returns the first valuations of the constants, at most `most`. Valuations that cannot be evaluated are left out.
pub fn valuations(eval: &Evaluator<'_>, most: usize) -> Vec<Constants> {
    let mut all = vec![];
    let _ = eval.each_valuation(&Default::default(), &mut |constants, truth| {
        all.extend(truth.is_ok().then_some(constants));
        if all.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    all
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;
    use bsym_semantics::scope::ScopeRequest;

    use super::*;

    #[test]
    fn sets_have_as_many_elements_as_the_axioms_ask_for() {
        let check = |properties: &str, expected: &[&[usize]]| {
            let text = format!("MACHINE m SETS S; T CONSTANTS f PROPERTIES {properties} END");
            let model = load_text("m.mch", &text).model.expect("a machine");
            let scope = Scope::settle(&model, &ScopeRequest::default()).expect("nothing is asked");
            let sizes = |scope: Scope| scope.sizes.values().copied().collect::<Vec<_>>();
            let found: Vec<_> = with_sizes(&model, &scope, &[2, 1, 3]).into_iter().map(sizes).collect();
            assert_eq!(found, expected, "{properties}");
        };
        check("f : S --> T", &[&[2, 2], &[1, 1], &[3, 3]]);
        check("card(S) = 400 & f : S --> T", &[&[400, 2], &[400, 1], &[400, 3]]);
        check("card(S) >= 300 & card(T) = 20000 & f : S --> T", &[&[300, 20000]]);
        check("f : 1..1000 >-> S & card(T) = 1", &[&[1000, 2], &[1000, 1], &[1000, 3]]);
    }
}
