//! Rounds of a cycle that a trace leaves out: whether they are possible.

use bsym_language::int::Int;
use bsym_language::model::Model;

use crate::acceleration::growth::{after_rounds, difference};
use crate::acceleration::linear::Until;
use crate::acceleration::{Accelerator, Cycle, Taken};
use crate::evaluator::Evaluator;
use crate::trace::{Repeat, Step, Trace};
use crate::transition::Outcome;
use crate::tuning::tuning;

/// Checks the rounds that a trace leaves out. The steps that it has are not checked.
///
/// # Errors
/// Rounds that are not possible, or of which it is not known that they are: the step before which they are left out, and
/// the reason.
pub(super) fn check_repeats(eval: &Evaluator<'_>, trace: &Trace) -> Result<(), (usize, String)> {
    let mut accelerator = Accelerator::new(eval.model);
    let mut end = 1;
    for repeat in &trace.repeats {
        let failed = |reason: String| (repeat.before, reason);
        let first = repeat.before.checked_sub(repeat.length).filter(|&first| first >= end);
        let (Some(first), true) = (first, repeat.before < trace.steps.len()) else {
            return Err(failed("the rounds left out before it are not behind those of another cycle".into()));
        };
        end = repeat.before;
        check(eval, &mut accelerator, trace, repeat, &trace.steps[first..end]).map_err(failed)?;
    }
    Ok(())
}

fn check(
    eval: &Evaluator<'_>,
    accelerator: &mut Accelerator<'_>,
    trace: &Trace,
    repeat: &Repeat,
    steps: &[Step],
) -> Result<(), String> {
    let Repeat { length, rounds, .. } = repeat;
    let start = trace.start_of(repeat).ok_or("the rounds left out before it have no first state")?;
    if *rounds < Int::ONE || steps.is_empty() {
        return Err("no round is left out before it".into());
    }
    let which = match length {
        1 => "the step".to_owned(),
        n => format!("the {n} steps"),
    };
    let round: Vec<Taken<'_>> = steps.iter().filter_map(Step::taken).collect();
    let is_whole = round.len() == steps.len();
    let cycle = accelerator.cycle(eval, &trace.constants, &start, &round).filter(|_| is_whole);
    let Some(cycle) = cycle else {
        return Err(format!("it is not known that {which} before it can be repeated"));
    };
    if let Until::Round(last) = &cycle.until
        && last < rounds
    {
        return Err(format!("{which} before it can be repeated {last} times, not {rounds} times"));
    }
    sampled(eval, trace, rounds, &cycle, &start, steps)
}

/// Executes some of the rounds that are left out, as far as their steps make no choices.
fn sampled(
    eval: &Evaluator<'_>,
    trace: &Trace,
    rounds: &Int,
    cycle: &Cycle,
    start: &[crate::value::Value],
    steps: &[Step],
) -> Result<(), String> {
    let parts = tuning().acceleration.replayed;
    let share = |part: usize| (rounds * &Int::from(part as i64)).div_trunc(&Int::from(parts.max(1) as i64));
    for round in (0..=parts).filter_map(share) {
        let mut before = start.to_vec();
        for step in steps {
            let Some(after) = &step.state else { break };
            let is_chosen = !(step.execution.parameters.is_empty() && step.execution.choices.is_empty());
            let from = after_rounds(&before, &cycle.added, &round);
            let to = after_rounds(after, &cycle.added, &round);
            if !is_chosen
                && let (Some(from), Some(to)) = (from, to)
                && let Ok(Outcome::Reached { state, .. }) =
                    eval.execute(&trace.constants, &from, step.event, &step.execution)
                && state != to
            {
                return Err(format!("round {round} of those left out before it leads to another state"));
            }
            before.clone_from(after);
        }
    }
    Ok(())
}

/// Returns the trace with all steps of the rounds that it leaves out. `None` if there are more than `most`, or if a step
/// is not found again.
pub fn with_all_rounds(model: &Model, trace: &Trace, most: usize) -> Option<Trace> {
    let most = Int::from(i64::try_from(most).ok()?);
    if trace.events() > most {
        return None;
    }
    let eval = Evaluator::new(model, &trace.scope);
    let mut whole = Trace::new(trace.scope.clone(), trace.constants.clone(), vec![]);
    for (i, step) in trace.steps.iter().enumerate() {
        if let Some(repeat) = trace.repeats.iter().find(|repeat| repeat.before == i) {
            let start = trace.start_of(repeat)?;
            let round = &trace.steps[i.checked_sub(repeat.length)?..i];
            let added = difference(&start, round.last()?.state.as_ref()?)?;
            let mut number = Int::ONE;
            while number <= repeat.rounds {
                for step in round {
                    let before = whole.steps.last()?.state.clone()?;
                    let wanted = after_rounds(step.state.as_ref()?, &added, &number)?;
                    let edge = eval.edge_to(step.event, &trace.constants, &before, &wanted)?;
                    let execution = edge.execution;
                    whole.steps.push(Step { event: step.event, execution, state: Some(wanted) });
                }
                number = &number + &Int::ONE;
            }
        }
        whole.steps.push(step.clone());
    }
    Some(whole)
}
