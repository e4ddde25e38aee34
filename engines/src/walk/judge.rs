//! Judgements of the evaluator on states and steps, compared with a claim.

use bsym_language::model::{Conjunct, Pred};
use bsym_proofs::claim::{Claim, Evidence, Property};
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::trace::{Step, Violation};
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::contradiction::Broken;

/// Judges by one evaluator for one claim. `Q` are the claimed conjuncts and the lemmas, layouts among them.
pub(super) struct Judge<'j> {
    pub eval: Evaluator<'j>,
    claim: &'j Claim,
    lemmas: Vec<&'j Pred>,
    /// The k of an induction; `None` where the claim says nothing about states that are not reachable.
    pub induction: Option<usize>,
    /// Number of steps that no path of pairwise different states has.
    pub diameter: Option<usize>,
}

/// Position of a state relative to Q.
pub(super) enum Standing {
    /// In Q.
    In,
    /// Outside: conjuncts that are false or ill-defined, or else lemmas.
    Out(Vec<Broken>),
    /// Not decided.
    Open,
}

/// Truth of a predicate, as far as the evaluator decides it.
enum Truth {
    True,
    False,
    IllDefined(EvalError),
    Open,
}

impl<'j> Judge<'j> {
    pub fn new(eval: Evaluator<'j>, claim: &'j Claim) -> Self {
        let (induction, diameter) = match &claim.evidence {
            Evidence::Inductive { .. } => (Some(0), None),
            Evidence::KInduction { k, .. } => (Some(*k), None),
            Evidence::Diameter { depth } => (None, Some(*depth)),
            Evidence::Search { .. } => (None, None),
        };
        Judge { eval, claim, lemmas: claim.lemmas().collect(), induction, diameter }
    }

    /// Returns whether the claim speaks only of paths whose states are pairwise different.
    pub fn needs_difference(&self, from_invariant: bool) -> bool {
        from_invariant || self.diameter.is_some()
    }

    /// Returns whether the claim says that no step from the end of a path of this length fails, and that the end has
    /// the properties that are no conjuncts.
    pub fn judges_properties(&self, from_invariant: bool, length: usize) -> bool {
        !from_invariant || self.induction.is_some_and(|k| length > k)
    }

    /// Returns whether the claim says that one more step after a path of this length does not lead out of Q.
    pub fn judges(&self, broken: &[Broken], from_invariant: bool, length: usize) -> bool {
        let relative = broken.iter().all(|b| matches!(b, Broken::Lemma(_)));
        !from_invariant || relative || self.induction.is_some_and(|k| length >= k)
    }

    fn truth(&self, env: &Env<'_>, pred: &Pred) -> Truth {
        match self.eval.pred(env, pred) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(e) if e.kind == EvalErrorKind::IllDefined => Truth::IllDefined(e),
            Err(_) => Truth::Open,
        }
    }

    /// The claimed predicates of a list that are broken, and whether all claimed ones are decided. Behind one
    /// that is not true a predicate need have no meaning.
    fn broken(
        &self,
        env: &Env<'_>,
        all: &[Conjunct],
        claimed: &dyn Fn(usize) -> bool,
        ill_defined: &mut Vec<Broken>,
    ) -> (Vec<usize>, bool) {
        let (mut false_ones, mut decided, mut all_before) = (vec![], true, true);
        for (i, conjunct) in all.iter().enumerate() {
            let truth = self.truth(env, &conjunct.pred);
            match &truth {
                Truth::True => continue,
                Truth::False if claimed(i) => false_ones.push(i),
                Truth::IllDefined(e) if claimed(i) && all_before => {
                    let broken = || Broken::Violation(Violation::IllDefined(e.clone()));
                    ill_defined.extend(self.claim.well_definedness.then(broken));
                }
                Truth::IllDefined(_) | Truth::Open if claimed(i) => decided = false,
                _ => {}
            }
            all_before = false;
        }
        (false_ones, decided)
    }

    /// Determines whether a state is in Q.
    pub fn standing(&self, constants: &[Value], state: &[Value]) -> Standing {
        let env = Env::new(constants, state);
        let mut broken = vec![];
        let claimed = |i: usize| self.claim.conjuncts.contains(&i);
        let (false_ones, decided) = self.broken(&env, &self.eval.model.invariant, &claimed, &mut broken);
        if !false_ones.is_empty() {
            broken.insert(0, Broken::Violation(Violation::Invariant(false_ones)));
        }
        if !broken.is_empty() {
            return Standing::Out(broken);
        }
        if !decided {
            return Standing::Open;
        }
        let mut open = false;
        for (i, lemma) in self.lemmas.iter().enumerate() {
            match self.truth(&env, lemma) {
                Truth::True => {}
                Truth::False => broken.push(Broken::Lemma(i)),
                Truth::IllDefined(_) if self.claim.well_definedness => broken.push(Broken::Lemma(i)),
                Truth::IllDefined(_) | Truth::Open => open = true,
            }
        }
        match (broken.is_empty(), open) {
            (false, _) => Standing::Out(broken),
            (true, true) => Standing::Open,
            (true, false) => Standing::In,
        }
    }

    /// The claimed properties that are no claimed conjuncts and do not hold in a state; `None` if one is not
    /// decided and none is broken.
    pub fn properties(&self, constants: &[Value], state: &[Value]) -> Option<Vec<Broken>> {
        let env = Env::new(constants, state);
        let model = self.eval.model;
        let mut broken = vec![];
        let mut open = false;
        let claims = |property: Property| self.claim.properties.contains(&property);
        let invariant = |i: usize| claims(Property::Invariant(i)) && !self.claim.conjuncts.contains(&i);
        let assertion = |i: usize| claims(Property::Assertion(i));
        if (0..model.invariant.len()).any(invariant) {
            let (false_ones, decided) = self.broken(&env, &model.invariant, &invariant, &mut broken);
            open |= !decided;
            if !false_ones.is_empty() {
                broken.push(Broken::Violation(Violation::Invariant(false_ones)));
            }
        }
        if (0..model.assertions.len()).any(assertion) {
            let (false_ones, decided) = self.broken(&env, &model.assertions, &assertion, &mut broken);
            open |= !decided;
            if !false_ones.is_empty() {
                broken.push(Broken::Violation(Violation::Assertions(false_ones)));
            }
        }
        if claims(Property::NoGoal)
            && let Some(goal) = &model.definitions.goal
        {
            match self.truth(&env, goal) {
                Truth::True => broken.push(Broken::Violation(Violation::Goal)),
                Truth::False => {}
                Truth::IllDefined(e) if self.claim.well_definedness => {
                    broken.push(Broken::Violation(Violation::IllDefined(e)));
                }
                Truth::IllDefined(_) | Truth::Open => open = true,
            }
        }
        if claims(Property::DeadlockFree) {
            match self.eval.with_all_choices().is_deadlock(constants, state) {
                Ok(true) => broken.push(Broken::Violation(Violation::Deadlock)),
                Ok(false) => {}
                Err(_) => open = true,
            }
        }
        if open && broken.is_empty() { None } else { Some(broken) }
    }

    /// Returns the fault in the outcome of a step, if the claim excludes it.
    pub fn failure(&self, outcome: &Outcome) -> Option<Broken> {
        if matches!(outcome, Outcome::IllDefined(_)) && !self.claim.well_definedness {
            return None;
        }
        Violation::of_step(outcome).map(Broken::Violation)
    }

    /// Returns whether a path is one of the model, its states but the last are in Q, and its end is wrong in this way.
    pub fn confirms(
        &self,
        constants: &[Value],
        steps: &[Step],
        from_invariant: bool,
        broken: &[Broken],
    ) -> bool {
        let model = self.eval.model;
        let env = Env::new(constants, &[]);
        if !model.axioms.iter().all(|axiom| self.eval.pred(&env, &axiom.pred) == Ok(true)) {
            return false;
        }
        let mut before: &[Value] = &[];
        for (i, step) in steps.iter().enumerate() {
            let drawn = from_invariant && i == 0;
            if !drawn {
                match (self.eval.execute(constants, before, step.event, &step.execution), &step.state) {
                    (Ok(Outcome::Reached { state, .. }), Some(reached)) if state == *reached => {}
                    (Ok(outcome), None) if i + 1 == steps.len() => {
                        return self.failure(&outcome).is_some_and(|failure| broken.contains(&failure));
                    }
                    _ => return false,
                }
            }
            let Some(state) = &step.state else { return false };
            let last = i + 1 == steps.len();
            if !last && !matches!(self.standing(constants, state), Standing::In) {
                return false;
            }
            before = state;
        }
        if broken.iter().any(|b| matches!(b, Broken::Diameter(_))) {
            return true;
        }
        match self.standing(constants, before) {
            Standing::Out(found) => found == broken,
            Standing::In => self.properties(constants, before).is_some_and(|found| found == broken),
            Standing::Open => false,
        }
    }
}
