//! Constants that nothing reads: no state and no step depends on their values, so one value stands for all.
//!
//! The valuations of the other constants are those that satisfy the axioms about them alone and can be extended to the
//! constants that nothing reads. Each is extended once, to a valuation that satisfies all axioms. So every state of the
//! model is reached under one of the valuations that are found, and every state reached under one of them is a state of
//! the model.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bsym_language::model::{ConstId, Model, Pred};
use bsym_language::source::Span;
use bsym_language::walk::{Names, Visitor, walk_model, walk_operators};

use crate::evaluator::Evaluator;
use crate::evaluator::cuts::Cuts;
use crate::transition::state::Constants;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Returns the constants that only the axioms read.
pub fn unread_constants(model: &Model) -> BTreeSet<ConstId> {
    let mut names = Names::default();
    let mut walk = |model: &Model| {
        walk_model(&mut names, &Model { axioms: vec![], ..model.clone() });
        walk_operators(&mut names, model);
        model.definitions.goal.iter().for_each(|goal| names.pred(goal));
        model.refinement.gluing.iter().for_each(|conjunct| names.pred(&conjunct.pred));
        model.refinement.variants.iter().for_each(|variant| names.expr(&variant.value));
        let constructors = model.types.free_types.iter().flat_map(|ty| &ty.constructors);
        constructors.filter_map(|c| c.argument.as_ref()).for_each(|set| names.expr(set));
    };
    walk(model);
    // Names that the levels of a refinement read in their combined model.
    model.refinement.refined.iter().for_each(|refined| walk(&refined.side_by_side(model).model));
    (0..model.constants.len() as u32).map(ConstId).filter(|c| !names.constants.contains(c)).collect()
}

/// Returns the positions of the axioms that mention some of the constants.
pub fn axioms_about(model: &Model, constants: &BTreeSet<ConstId>) -> BTreeSet<usize> {
    let mentions = |pred: &Pred| !Names::of_pred(pred).constants.is_disjoint(constants);
    (0..model.axioms.len()).filter(|i| mentions(&model.axioms[*i].pred)).collect()
}

/// Valuations in which the constants that nothing reads have one value each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOpen {
    /// The constants that nothing reads.
    pub constants: BTreeSet<ConstId>,
    /// All valuations of the other constants, extended.
    pub valuations: Vec<Constants>,
}

impl Evaluator<'_> {
    /// Returns all valuations of the constants, with one value for each constant that nothing reads. `known` are
    /// valuations of all constants, used where they fit. Returns `None` if there is no such constant, if not all
    /// valuations of the others are found, if an axiom about these is ill-defined, or if one cannot be extended and it
    /// is not known that it has no extension.
    pub fn valuations_leaving_open(
        &self,
        fixed: &BTreeMap<ConstId, Value>,
        known: &[Constants],
    ) -> Option<LeftOpen> {
        let mut constants = unread_constants(self.model);
        constants.retain(|c| !fixed.contains_key(c));
        if constants.is_empty() {
            return None;
        }
        let about = axioms_about(self.model, &constants);
        let (mut axioms, mut open): (Vec<&Pred>, Vec<&Pred>) = (vec![], vec![]);
        for (i, axiom) in self.model.axioms.iter().enumerate() {
            if about.contains(&i) { &mut open } else { &mut axioms }.push(&axiom.pred);
        }
        let given: Vec<_> = fixed.iter().map(|(c, v)| (Name::Const(*c), v.clone())).collect();
        let base = Env::default();
        let frame = base.frame(&given);
        let all = (0..self.model.constants.len() as u32).map(ConstId);
        let read = all.filter(|c| !constants.contains(c) && !fixed.contains_key(c));
        let read: Vec<_> = read.map(Name::Const).collect();
        let at = self.model.axioms.first().map_or(Span::default(), |a| a.span);
        let all_of_read = |eval: &Evaluator<'_>| {
            let mut found: Vec<BTreeMap<ConstId, Value>> = vec![];
            let done = eval.each_solution(&base.within(&frame), &read, &axioms, at, &mut |bound, truth| {
                let values = bound.into_iter().filter_map(|(name, value)| match name {
                    Name::Const(c) => Some((c, value)),
                    _ => None,
                });
                found.push(fixed.clone().into_iter().chain(values).collect());
                let go_on = truth.is_ok() && found.len() <= Tuning::DEFAULT.answers.valuations;
                Ok(if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            });
            done.map(|flow| flow.is_continue().then_some(found))
        };
        let found = all_of_read(&self.with_all_choices()).ok()??;
        let fitting = |valuation: &BTreeMap<ConstId, Value>| {
            known
                .iter()
                .find(|constants| valuation.iter().all(|(c, value)| constants.get(c.index()) == Some(value)))
        };
        let extended = |valuation| match fitting(valuation) {
            Some(constants) => Some(Some(constants.clone())),
            None => self.extension(valuation, &open),
        };
        let extended = found.iter().map(extended).collect::<Option<Vec<_>>>()?;
        Some(LeftOpen { constants, valuations: extended.into_iter().flatten().collect() })
    }

    /// Returns the first valuation of all constants in which some have these values, under which all axioms about these
    /// alone hold and the axioms about the others hold too. `Some(None)` if it is known that there is none.
    fn extension(&self, fixed: &BTreeMap<ConstId, Value>, open: &[&Pred]) -> Option<Option<Constants>> {
        let cuts = Cuts::default();
        // One value is found soon, or hardly at all.
        let eval = match self.finder {
            Some(_) => self.with_all_choices(),
            None => self.with_bounded_choices(&cuts).with_samples(1),
        };
        let mut extended = None;
        let done = eval.each_valuation_of(open, fixed, &mut |constants, truth| {
            if truth.is_ok() {
                extended = Some(constants);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let is_known = extended.is_some() || done.is_ok() && cuts.is_empty();
        is_known.then_some(extended)
    }
}
