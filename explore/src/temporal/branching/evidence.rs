//! A path that shows why a formula of branching time is true or false in a state, as far as one path can.
//!
//! Some path shows that `EF f` is true, or that `AG f` is false; then it goes on with why `f` is true or false at its end.
//! That `AF f` is true or `EF f` false is said by all paths together: the path ends where such a claim remains.

use std::collections::HashMap;

use bsym_language::temporal::{StateFormula, StateKind};

use super::labelling::{Bound, Labelling};
use crate::store::state_table::StateId;
use crate::temporal::counterexample::Steps;

/// The reason why a path ends with its last state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// The last state is the one of this step again.
    Loop(usize),
    /// No event is enabled.
    Ends,
    /// The formula with this part of the text is true or false in the last state.
    Claim((usize, usize), bool),
}

/// Follows the reasons for the truth of a formula in a state, which must be certain.
pub(super) fn show(
    labelling: &mut Labelling<'_>,
    formula: &StateFormula,
    state: StateId,
    truth: bool,
) -> (Steps, PathEnd) {
    let mut steps = vec![(None, state)];
    let mut at = (formula, truth);
    loop {
        let here = steps.last().map_or(state, |(_, state)| *state) as usize;
        let (formula, truth) = at;
        let certain = |labelling: &mut Labelling<'_>, f: &StateFormula, truth: bool| match truth {
            true => labelling.set(f, Bound::Certain).to_vec(),
            false => labelling.complement(f, Bound::Certain),
        };
        let claim = PathEnd::Claim(formula.text, truth);
        match (&formula.kind, truth) {
            (StateKind::Not(a), _) => at = (&**a, !truth),
            // Of two operands that are both to be shown, one that a path can show.
            (StateKind::And(a, b), true) | (StateKind::Or(a, b), false) => {
                match [a, b].into_iter().find(|f| f.looks_ahead()) {
                    Some(f) => at = (&**f, truth),
                    None => return (steps, claim),
                }
            }
            // One operand decides.
            (StateKind::And(a, b), false) | (StateKind::Or(a, b), true) => {
                match [a, b].into_iter().find(|f| certain(labelling, f, truth)[here]) {
                    Some(f) => at = (&**f, truth),
                    None => return (steps, claim),
                }
            }
            (StateKind::Next { every, action, inner }, truth) if *every != truth => {
                let goal = certain(labelling, inner, truth);
                let mut arcs = labelling.structure.arcs_by(here, *action);
                let Some(arc) = arcs.find(|arc| goal[arc.to as usize]) else { return (steps, claim) };
                steps.push((Some(arc.label), arc.to));
                at = (&**inner, truth);
            }
            (StateKind::Until { every: false, left, right }, true) => {
                let (along, goal) = (certain(labelling, left, true), certain(labelling, right, true));
                if !walk(labelling, &mut steps, &along, &goal) {
                    return (steps, claim);
                }
                at = (&**right, true);
            }
            (StateKind::Until { every: true, left, right }, false) => {
                let (left_fails, right_fails) =
                    (certain(labelling, left, false), certain(labelling, right, false));
                if let Some(end) = stay(labelling, &mut steps, &right_fails) {
                    return (steps, end);
                }
                let both: Vec<bool> = left_fails.iter().zip(&right_fails).map(|(a, b)| *a && *b).collect();
                if !walk(labelling, &mut steps, &right_fails, &both) {
                    return (steps, claim);
                }
                at = (&**left, false);
            }
            (StateKind::Globally { every: false, inner }, true) => {
                let inner = certain(labelling, inner, true);
                return match stay(labelling, &mut steps, &inner) {
                    Some(end) => (steps, end),
                    None => (steps, claim),
                };
            }
            (StateKind::Globally { every: true, inner }, false) => {
                let goal = certain(labelling, inner, false);
                if !walk(labelling, &mut steps, &vec![true; goal.len()], &goal) {
                    return (steps, claim);
                }
                at = (&**inner, false);
            }
            _ => return (steps, claim),
        }
    }
}

/// Appends a shortest path from the last state through states of one set to a state of another. Returns whether there is
/// one.
fn walk(labelling: &Labelling<'_>, steps: &mut Steps, along: &[bool], goal: &[bool]) -> bool {
    let Some((_, first)) = steps.last().copied() else { return false };
    let mut before: HashMap<StateId, Option<(StateId, u32)>> = HashMap::from([(first, None)]);
    let mut waiting = std::collections::VecDeque::from([first]);
    while let Some(state) = waiting.pop_front() {
        if goal[state as usize] {
            let (mut path, mut at) = (vec![], state);
            while let Some(Some((from, label))) = before.get(&at) {
                path.push((Some(*label), at));
                at = *from;
            }
            steps.extend(path.into_iter().rev());
            return true;
        }
        if !along[state as usize] {
            continue;
        }
        for arc in labelling.structure.arcs(state as usize) {
            if let std::collections::hash_map::Entry::Vacant(entry) = before.entry(arc.to) {
                entry.insert(Some((state, arc.label)));
                waiting.push_back(arc.to);
            }
        }
    }
    false
}

/// Appends a path from the last state that stays in a set, up to where it repeats or ends; `None` if there is none.
fn stay(labelling: &Labelling<'_>, steps: &mut Steps, inner: &[bool]) -> Option<PathEnd> {
    let set = labelling.globally(inner, Bound::Certain);
    let (_, first) = steps.last().copied()?;
    if !set[first as usize] {
        return None;
    }
    let mut at = first as usize;
    let mut seen: HashMap<usize, usize> = HashMap::from([(at, steps.len() - 1)]);
    loop {
        if labelling.structure.is_dead(at) {
            return Some(PathEnd::Ends);
        }
        let arc = labelling.structure.arcs(at).iter().find(|arc| set[arc.to as usize])?;
        at = arc.to as usize;
        steps.push((Some(arc.label), arc.to));
        if let Some(begin) = seen.insert(at, steps.len() - 1) {
            return Some(PathEnd::Loop(begin));
        }
    }
}
