//! The search for values in a session with a solver: predicates as terms, then one model after the other.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::{ConstId, LocalId, Model, Pred, VarId};
use bsym_language::types::Type;
use bsym_language::walk::Names as Mentioned;
use bsym_semantics::evaluator::finder::Claim;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env as Values, Name};

use crate::budget::Budget;
use crate::concretize::read_values;
use crate::finder::universal::{FalsifyingAssignment, Universal};
use crate::representation::Functional;
use crate::representation::layout::Layout;
use crate::session::{Answer, Session};
use crate::symbolic::Symbolic;
use crate::symbolic::encoder::{Encoder, Env};
use crate::system::System;
use crate::system::build::encode;
use crate::term::{Term, Terms};
use crate::tuning::{WrittenOut, tuning};

/// Returns the names that a formula mentions.
pub(super) fn names_of(mentioned: &Mentioned) -> Vec<Name> {
    let variables = mentioned.variables.iter().map(|v| Name::Var(*v));
    let constants = mentioned.constants.iter().map(|c| Name::Const(*c));
    variables.chain(constants).chain(mentioned.locals.iter().map(|l| Name::Local(*l))).collect()
}

/// Returns whether a layout has finitely many values by the bounds of its numbers.
fn is_bounded(ty: &Type, layout: &Layout) -> bool {
    match ty {
        Type::Bool | Type::Carrier(_) => true,
        Type::Int => matches!(layout, Layout::Range(..)),
        Type::Pair(a, b) => {
            let (l, m) = layout.sides();
            is_bounded(a, &l) && is_bounded(b, &m)
        }
        Type::Record(fields) => fields.iter().all(|(_, t)| is_bounded(t, &Layout::Any)),
        Type::Pow(t) => is_bounded(t, &layout.element()),
        _ => false,
    }
}

/// The unknowns as symbols, and everything by name.
pub(super) struct Names {
    pub(super) env: Env,
    unknowns: Vec<(Symbolic, Type)>,
    /// The unknowns have finitely many values.
    pub(super) bounded: bool,
}

/// Conditions under which the predicates hold, and under which they are ill-defined from left to right.
pub(super) struct Goal {
    holds: Term,
    ill_defined: Term,
}

/// Universal predicates that are stated instance by instance, and what refutes values of the unknowns.
pub(super) struct Lazily<'l, 'p> {
    pub(super) universal: &'l [(&'p Pred, Universal<'p>)],
    pub(super) violated: &'l Violated<'l>,
}

/// Finds instances that values of the unknowns violate.
pub(super) type Violated<'v> = dyn Fn(&[Value]) -> Result<Vec<FalsifyingAssignment>, String> + 'v;

/// Bounds of a search.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'b> {
    pub(super) budget: &'b Budget,
    /// Steps that are left to the SAT solver.
    pub(super) steps: &'b Cell<u64>,
    /// Most valuations that are reported.
    pub(super) limit: usize,
}

impl Bounds<'_> {
    /// The budget of the next check, after a step count.
    fn spend(&self, spent: u64) -> Budget {
        match self.budget.steps {
            Some(_) => {
                self.steps.set(self.steps.get().saturating_sub(spent));
                self.budget.in_steps(self.steps.get())
            }
            None => self.budget.clone(),
        }
    }
}

/// A search in one session.
pub(super) struct Search {
    pub(super) system: System,
    background: Vec<Term>,
    /// Bounds of the values of the names.
    known: Functional,
    /// Names that the predicates speak of.
    mentioned: Vec<Name>,
}

impl Search {
    pub(super) fn new(bare: Arc<Model>, model: Arc<Model>, scope: &Scope, written_out: WrittenOut) -> Search {
        let terms = Rc::new(Terms::new());
        let mut system = encode(terms.clone(), bare, scope);
        system.encoder = Encoder::new(terms, model.clone(), scope.clone());
        system.encoder.written_out = written_out;
        let known = Functional::none(&model);
        Search { system, background: vec![], known, mentioned: vec![] }
    }

    /// A symbol for an unknown, the value for a name that has one; a name without either is no part of
    /// what is asked.
    fn symbolic(
        &mut self,
        name: Name,
        label: &str,
        ty: &Type,
        env: &Values<'_>,
        unknowns: &[(Name, Type)],
    ) -> Result<Symbolic, String> {
        let encoder = &mut self.system.encoder;
        let open = unknowns.iter().any(|(n, _)| *n == name);
        if let Some(value) = env.get(name).filter(|_| !open && self.mentioned.contains(&name)) {
            return encoder.value(value, ty).map_err(|u| u.reason);
        }
        let layout = if open { self.known.of_name(name).cloned() } else { None };
        let shape = encoder.shape(ty, &layout.unwrap_or_default());
        let fresh = encoder.fresh(label, ty, &shape);
        if open {
            self.background.extend(encoder.facts(&fresh));
        }
        Ok(fresh)
    }

    /// Returns a symbol for each unknown, with the names that the predicates mention.
    pub(super) fn environment(
        &mut self,
        env: &Values<'_>,
        unknowns: &[(Name, Type)],
        predicates: &[&Pred],
    ) -> Result<Names, String> {
        let model = self.system.encoder.model.clone();
        let open: Vec<Name> = unknowns.iter().map(|(n, _)| *n).collect();
        let values = |n: Name| env.get(n).filter(|_| !open.contains(&n)).cloned();
        self.known = Functional::of_unknowns(&model, &values, &open, predicates);
        for p in predicates {
            let names = names_of(&Mentioned::of_pred(p));
            // `x$0` is read where `x` is.
            let old =
                names.iter().filter_map(|n| if let Name::Var(v) = n { Some(Name::Old(*v)) } else { None });
            self.mentioned.extend(old.collect::<Vec<_>>());
            self.mentioned.extend(names);
        }
        let is_bounded =
            |(n, ty): &(Name, Type)| self.known.of_name(*n).is_some_and(|layout| is_bounded(ty, layout));
        let bounded = unknowns.iter().all(is_bounded);
        let mut names = Env::default();
        let mut constants = vec![];
        for (i, c) in model.constants.iter().enumerate() {
            constants.push(self.symbolic(Name::Const(ConstId(i as u32)), &c.name, &c.ty, env, unknowns)?);
        }
        let (mut state, mut old) = (vec![], vec![]);
        for (i, v) in model.variables.iter().enumerate() {
            let id = VarId(i as u32);
            state.push(self.symbolic(Name::Var(id), &v.name, &v.ty, env, unknowns)?);
            old.push(self.symbolic(Name::Old(id), &v.name, &v.ty, env, unknowns)?);
        }
        for (i, l) in model.locals.iter().enumerate() {
            let name = Name::Local(LocalId(i as u32));
            if env.get(name).is_some() && self.mentioned.contains(&name)
                || unknowns.iter().any(|(n, _)| *n == name)
            {
                let value = self.symbolic(name, &l.name, &l.ty, env, unknowns)?;
                names.bind(LocalId(i as u32), value);
            }
        }
        names.constants = Rc::new(constants);
        names.state = Rc::new(state);
        names.old = Some(Rc::new(old));
        let all = unknowns.iter().map(|(name, ty)| {
            let value = match name {
                Name::Const(c) => names.constants.get(c.index()).cloned(),
                Name::Var(v) => names.state.get(v.index()).cloned(),
                Name::Old(v) => names.old.as_ref().and_then(|o| o.get(v.index()).cloned()),
                Name::Local(l) => names.locals.get(l).cloned(),
            };
            value.map(|v| (v, ty.clone())).ok_or_else(|| "an unknown is no name of the model".to_owned())
        });
        let unknowns = all.collect::<Result<Vec<_>, String>>()?;
        Ok(Names { env: names, unknowns, bounded })
    }

    /// Returns the conjunction of predicates as terms.
    pub(super) fn predicates(&mut self, env: &Env, conjuncts: &[&Pred]) -> Result<Goal, String> {
        let terms = self.system.terms.clone();
        let (mut before, mut ill_defined) = (Terms::TRUE, vec![]);
        for conjunct in conjuncts {
            let p = self.system.encoder.pred(env, conjunct).map_err(|u| u.reason)?;
            ill_defined.push(terms.and([before, terms.not(p.defined)]));
            before = terms.and([before, p.defined, p.holds]);
        }
        let made = self.system.encoder.take_witnesses();
        self.background.extend(made.definitions);
        Ok(Goal { holds: before, ill_defined: terms.or(ill_defined) })
    }

    /// Reports one model after the other, each excluded from then on. Returns whether these are all.
    pub(super) fn run(
        &mut self,
        session: &mut Session,
        names: &Names,
        goal: &Goal,
        bounds: Bounds<'_>,
        lazily: &mut Lazily<'_, '_>,
        found: &mut dyn FnMut(Vec<Value>, Claim) -> ControlFlow<()>,
    ) -> Result<bool, String> {
        let terms = self.system.terms.clone();
        for t in std::mem::take(&mut self.background) {
            session.assert(t).map_err(|e| e.to_string())?;
        }
        let mut left = bounds.limit;
        // Steps for all checks together, including reading their models.
        let mut budget = bounds.spend(0);
        for (wanted, claim) in [(goal.holds, Claim::Holds), (goal.ill_defined, Claim::IllDefined)] {
            if wanted == Terms::FALSE {
                continue;
            }
            let literal = session.literal(wanted).map_err(|e| e.to_string())?;
            loop {
                let answer = session.check(&[literal], &budget).map_err(|e| e.to_string())?;
                let values = match answer {
                    Answer::Unsat(_) => break,
                    Answer::Unknown(_) => return Ok(false),
                    // There is one model more than was asked for.
                    Answer::Sat(_) if left == 0 => return Ok(false),
                    // A value that is infinite cannot be excluded, so the search ends there.
                    Answer::Sat(mut model) => match read_values(&self.system, &mut model, &names.unknowns) {
                        Ok(values) => values,
                        Err(_) => return Ok(false),
                    },
                };
                // A model is read from all variables of the solver.
                let read = session.statistics().size.variables / tuning().propositional.variables_of_a_step;
                budget = bounds.spend(session.steps() + 1 + read);
                self.system.encoder.within(&budget);
                if claim == Claim::Holds && !lazily.universal.is_empty() {
                    let refuted = (lazily.violated)(&values)?;
                    budget = bounds.spend(0);
                    if !refuted.is_empty() {
                        for counterexample in &refuted {
                            let instance = self.instance(names, lazily, counterexample)?;
                            session.assert(terms.implies(wanted, instance)).map_err(|e| e.to_string())?;
                        }
                        for t in std::mem::take(&mut self.background) {
                            session.assert(t).map_err(|e| e.to_string())?;
                        }
                        continue;
                    }
                }
                left -= 1;
                let same = self.equal(names, &values);
                if found(values, claim).is_break() {
                    return Ok(false);
                }
                let Ok(same) = same else { return Ok(false) };
                session.assert(terms.not(same)).map_err(|e| e.to_string())?;
            }
        }
        Ok(true)
    }

    /// Returns the instance of a universal predicate that a counterexample violates.
    fn instance(
        &mut self,
        names: &Names,
        lazily: &Lazily<'_, '_>,
        counterexample: &FalsifyingAssignment,
    ) -> Result<Term, String> {
        let Some((_, universal)) = lazily.universal.get(counterexample.of) else { return Ok(Terms::TRUE) };
        let encoder = &mut self.system.encoder;
        let mut env = names.env.clone();
        for (local, value) in universal.locals.iter().zip(&counterexample.values) {
            let ty = encoder.model.locals[local.index()].ty.clone();
            env.bind(*local, encoder.value(value, &ty).map_err(|u| u.reason)?);
        }
        let p = encoder.pred(&env, universal.body).map_err(|u| u.reason)?;
        let made = encoder.take_witnesses();
        self.background.extend(made.definitions);
        Ok(self.system.terms.implies(p.defined, p.holds))
    }

    /// Returns the condition that the unknowns have these values.
    fn equal(&mut self, names: &Names, values: &[Value]) -> Result<Term, String> {
        let encoder = &mut self.system.encoder;
        let mut all = vec![];
        for ((symbol, ty), value) in names.unknowns.iter().zip(values) {
            let value = encoder.value(value, ty).map_err(|u| u.reason)?;
            all.push(encoder.equal(symbol, &value).map_err(|u| u.reason)?);
        }
        // Witnesses of an equality are not defined when it is negated.
        if !encoder.take_witnesses().definitions.is_empty() {
            return Err("the value cannot be excluded".into());
        }
        Ok(self.system.terms.and(all))
    }
}
