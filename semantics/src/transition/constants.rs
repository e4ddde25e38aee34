//! Valuations of the constants that satisfy the axioms.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bsym_language::model::{ConstId, Pred};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::transition::state::Constants;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Valuations of the constants of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Valuations {
    /// Valuations that satisfy the axioms.
    pub found: Vec<Constants>,
    /// Valuations under which an axiom is ill-defined.
    pub ill_defined: Vec<(Constants, EvalError)>,
    /// The reason why valuations may be missing.
    pub incomplete: Option<EvalError>,
}

impl Valuations {
    pub(crate) fn add(&mut self, constants: Constants, axioms: Eval<()>) {
        match axioms {
            Ok(()) => self.found.push(constants),
            Err(e) => self.ill_defined.push((constants, e)),
        }
    }
}

impl Evaluator<'_> {
    /// Returns the valuations of the constants that satisfy the axioms; some constants may be fixed.
    pub fn constants(&self, fixed: &BTreeMap<ConstId, Value>) -> Valuations {
        let mut valuations = Valuations::default();
        let done = self.each_valuation(fixed, &mut |constants, truth| {
            valuations.add(constants, truth);
            ControlFlow::Continue(())
        });
        valuations.incomplete = done.err();
        valuations
    }

    /// Calls `visit` for each valuation of the constants that satisfies the axioms, or under which one is ill-defined,
    /// as it is found, until it breaks. Some constants may be fixed.
    ///
    /// # Errors
    /// The reason why valuations may be missing; those visited are valuations.
    pub fn each_valuation(
        &self,
        fixed: &BTreeMap<ConstId, Value>,
        visit: &mut dyn FnMut(Constants, Eval<()>) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let axioms: Vec<&Pred> = self.model.axioms.iter().map(|axiom| &axiom.pred).collect();
        self.each_valuation_of(&axioms, fixed, visit)
    }

    /// Calls `visit` as [`Evaluator::each_valuation`] for the valuations that satisfy some of the axioms.
    pub(crate) fn each_valuation_of(
        &self,
        axioms: &[&Pred],
        fixed: &BTreeMap<ConstId, Value>,
        visit: &mut dyn FnMut(Constants, Eval<()>) -> ControlFlow<()>,
    ) -> Eval<ControlFlow<()>> {
        let given: Vec<_> = fixed.iter().map(|(c, v)| (Name::Const(*c), v.clone())).collect();
        let base = Env::default();
        let frame = base.frame(&given);
        let env = base.within(&frame);
        let all = (0..self.model.constants.len() as u32).map(ConstId);
        let open: Vec<_> = all.clone().filter(|c| !fixed.contains_key(c)).map(Name::Const).collect();
        let at = self.model.axioms.first().map_or(Span::default(), |a| a.span);
        self.each_solution(&env, &open, axioms, at, &mut |bound, truth| {
            let value = |c: ConstId| {
                let open = bound.iter().find(|(n, _)| *n == Name::Const(c)).map(|(_, v)| v.clone());
                open.or_else(|| fixed.get(&c).cloned())
            };
            Ok(visit(all.clone().filter_map(value).collect(), truth))
        })
    }
}
