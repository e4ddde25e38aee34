//! Values that satisfy predicates, found by a solver: constants under their axioms, parameters under a
//! guard, choices under their predicate.
//!
//! The names that have values enter as values, the others as symbols. Each model of the solver is read as
//! values of the unknowns and then excluded, until the solver answers `unsat`: then these are all there
//! are. Valuations under which the predicates are ill-defined are looked for as well, because whoever
//! asks has to report them. Every value is checked by the evaluator before it is used.

use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::{ConstId, LocalId, Model, Pred, Subst, SubstKind, VarId};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::finder::{Found, ValueFinder};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env as Values, Name};

use crate::budget::Budget;
use crate::concretize::read_values;
use crate::representation::layout::Layout;
use crate::session::{Answer, Session, SolverChoice, open};
use crate::symbolic::Symbolic;
use crate::symbolic::encoder::{Encoder, Env};
use crate::system::System;
use crate::system::build::encode;
use crate::term::{Term, Terms};

/// Finds values with a solver; each search is a session of its own.
#[derive(Clone, Debug)]
pub struct SolverFinder {
    model: Arc<Model>,
    solver: SolverChoice,
    budget: Budget,
    /// Most valuations of one search.
    limit: usize,
}

impl SolverFinder {
    /// A finder for the names of a model. `budget` ends a search, `limit` bounds its valuations.
    pub fn new(model: Arc<Model>, solver: SolverChoice, budget: Budget, limit: usize) -> SolverFinder {
        SolverFinder { model, solver, budget, limit }
    }
}

impl ValueFinder for SolverFinder {
    fn find(
        &self,
        env: &Values<'_>,
        scope: &Scope,
        unknowns: &[(Name, Type)],
        conjuncts: &[&Pred],
        limit: usize,
    ) -> Result<Found, EvalError> {
        let at = conjuncts.first().map_or(Span::default(), |p| p.span);
        let failed = |reason: String| {
            EvalError::too_large(at, format!("no values could be looked for by a solver: {reason}"))
        };
        if !scope.is_finite(&self.model) {
            return Err(failed("a deferred set has no size".into()));
        }
        let mut search = Search::new(&self.model, scope);
        let symbols = search.environment(env, unknowns).map_err(failed)?;
        let goal = search.predicates(&symbols.env, conjuncts).map_err(failed)?;
        let mut session =
            open(search.system.terms.clone(), &self.solver).map_err(|e| failed(e.to_string()))?;
        search.run(&mut session, &symbols, &goal, &self.budget, limit.min(self.limit)).map_err(failed)
    }
}

/// The unknowns as symbols, and everything by name.
struct Names {
    env: Env,
    unknowns: Vec<(Symbolic, Type)>,
}

/// When the predicates hold, and when they are ill-defined from left to right.
struct Goal {
    holds: Term,
    ill_defined: Term,
}

struct Search {
    system: System,
    background: Vec<Term>,
}

impl Search {
    fn new(model: &Arc<Model>, scope: &Scope) -> Search {
        // Nothing of the model is encoded but what is asked for.
        let bare = Model {
            constants: vec![],
            axioms: vec![],
            variables: vec![],
            invariant: vec![],
            gluing: vec![],
            not_checked: vec![],
            assertions: vec![],
            abstract_variables: vec![],
            refinement_checks: vec![],
            variants: vec![],
            formulas: vec![],
            initialisation: Subst { kind: SubstKind::Skip, span: Span::default() },
            events: vec![],
            goal: None,
            ..(**model).clone()
        };
        let terms = Rc::new(Terms::new());
        let mut system = encode(terms.clone(), Arc::new(bare), scope);
        system.encoder = Encoder::new(terms, model.clone(), scope.clone());
        Search { system, background: vec![] }
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
        if let Some(value) = env.get(name).filter(|_| !open) {
            return encoder.value(value, ty).map_err(|u| u.reason);
        }
        let shape = encoder.shape(ty, &Layout::Any);
        let fresh = encoder.fresh(label, ty, &shape);
        if open {
            self.background.extend(encoder.facts(&fresh));
        }
        Ok(fresh)
    }

    fn environment(&mut self, env: &Values<'_>, unknowns: &[(Name, Type)]) -> Result<Names, String> {
        let model = self.system.encoder.model.clone();
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
            if env.get(name).is_some() || unknowns.iter().any(|(n, _)| *n == name) {
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
        Ok(Names { env: names, unknowns })
    }

    fn predicates(&mut self, env: &Env, conjuncts: &[&Pred]) -> Result<Goal, String> {
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

    fn run(
        &mut self,
        session: &mut Session,
        names: &Names,
        goal: &Goal,
        budget: &Budget,
        limit: usize,
    ) -> Result<Found, String> {
        let terms = self.system.terms.clone();
        for t in std::mem::take(&mut self.background) {
            session.assert(t).map_err(|e| e.to_string())?;
        }
        let mut found = Found { valuations: vec![], complete: true };
        for wanted in [goal.holds, goal.ill_defined] {
            let wanted = session.literal(wanted).map_err(|e| e.to_string())?;
            loop {
                if found.valuations.len() >= limit {
                    found.complete = false;
                    return Ok(found);
                }
                let values = match session.check(&[wanted], budget).map_err(|e| e.to_string())? {
                    Answer::Unsat(_) => break,
                    Answer::Unknown(_) => {
                        found.complete = false;
                        break;
                    }
                    Answer::Sat(mut model) => match read_values(&self.system, &mut model, &names.unknowns) {
                        Ok(values) => values,
                        // A value that is infinite: it cannot be excluded, so the search ends here.
                        Err(_) => {
                            found.complete = false;
                            break;
                        }
                    },
                };
                let Ok(same) = self.equal(names, &values) else {
                    found.valuations.push(values);
                    found.complete = false;
                    break;
                };
                found.valuations.push(values);
                session.assert(terms.not(same)).map_err(|e| e.to_string())?;
            }
        }
        Ok(found)
    }

    /// That the unknowns have these values.
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
