//! Values that satisfy predicates, found by a solver: constants under their axioms, parameters under a
//! guard, choices under their predicate.
//!
//! Unknowns that an equation gives a value have it before a solver is asked. The other names that have values enter as
//! values, the others as symbols, laid out as the predicates allow. Each model of the solver is read as values of the
//! unknowns and then excluded, until the solver answers `unsat`: then there are no others. Valuations under which the
//! predicates are ill-defined are looked for as well, because the caller has to report them. Every value is checked by
//! the evaluator before it is used. Universal predicates with very many instances are stated instance by instance
//! ([`universal`]).
//!
//! Two solvers serve: the SAT solver that is built in, for which quantifiers over known sets are written out and whose
//! work is counted in steps, and an SMT solver where there is one. [`bsym_semantics::constraint::methods`] decides
//! which one is asked when.

mod search;
mod universal;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::model::{
    CompareOp, Model, ModelDefinitions, ModelText, Pred, PredKind, Refinement, Subst, SubstKind,
};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::{Names as Mentioned, conjuncts};
use bsym_semantics::constraint::methods::Method;
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::finder::{Candidate, Claim, Question, ValueFinder, Visit};
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::Scope;
use bsym_semantics::tuning::Methods;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env as Values, Name};

use crate::budget::Budget;
use crate::expr::walk::always_defined;
use crate::finder::search::{Bounds, Lazily, Search, names_of};
use crate::finder::universal::{FalsifyingAssignment, Universal};
use crate::representation::name_of;
use crate::session::{SolverChoice, open};
use crate::tuning::{WrittenOut, tuning};

/// Finds values with solvers; each search is a session of its own.
#[derive(Clone, Debug)]
pub struct SolverFinder {
    model: Arc<Model>,
    /// The model without anything that could be encoded but is not asked for.
    bare: Arc<Model>,
    smt: Option<SolverChoice>,
    budget: Budget,
}

impl SolverFinder {
    /// A finder for the names of a model: by the SAT solver that is built in, and by an SMT solver if there is one.
    /// `budget` ends a search.
    pub fn new(model: Arc<Model>, smt: Option<SolverChoice>, budget: Budget) -> SolverFinder {
        let bare = Model {
            constants: vec![],
            axioms: vec![],
            variables: vec![],
            invariant: vec![],
            assertions: vec![],
            initialisation: Subst { kind: SubstKind::Skip, span: Span::default() },
            events: vec![],
            text: ModelText { formulas: vec![], ..model.text.clone() },
            refinement: Refinement::default(),
            definitions: ModelDefinitions { goal: None, ..model.definitions.clone() },
            ..(*model).clone()
        };
        SolverFinder { model, bare: Arc::new(bare), smt, budget }
    }
}

impl ValueFinder for SolverFinder {
    fn find(&self, question: &Question<'_>, found: Visit<'_>) -> Result<bool, EvalError> {
        let most = Methods::DEFAULT.sat_steps;
        self.find_in(question, &Cell::new(self.budget.steps.map_or(most, |own| own.min(most))), found)
    }
}

impl SolverFinder {
    /// Finds values as [`ValueFinder::find`], in this number of steps of the SAT solver.
    fn find_in(
        &self,
        question: &Question<'_>,
        steps: &Cell<u64>,
        found: Visit<'_>,
    ) -> Result<bool, EvalError> {
        let Question { method, writing, env, scope, unknowns, predicates, limit } = *question;
        let at = predicates.first().map_or(Span::default(), |p| p.span);
        let failed = |reason: String| {
            EvalError::too_large(at, format!("no values could be looked for by a solver: {reason}"))
        };
        let Some((solver, effort, budget, written_out)) = self.effort(method, writing, steps.get()) else {
            return Ok(false);
        };
        if !scope.is_finite(&self.model) {
            return Err(failed("a deferred set has no size".into()));
        }
        let predicates: Vec<&Pred> = predicates.iter().flat_map(|p| conjuncts(p)).collect();
        let settled = self.settled(env, scope, unknowns, &predicates);
        let frame = env.frame(&settled);
        let env = env.within(&frame);
        let value_of = |name: Name| settled.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
        let open_ones: Vec<(Name, Type)> =
            unknowns.iter().filter(|(n, _)| value_of(*n).is_none()).cloned().collect();
        let all = |others: Vec<Value>| -> Vec<Value> {
            let mut others = others.into_iter();
            unknowns.iter().filter_map(|(n, _)| value_of(*n).or_else(|| others.next())).collect()
        };
        if open_ones.is_empty() {
            let candidate = Candidate { values: all(vec![]), bounded: true, claim: Claim::Nothing };
            return Ok(found(candidate).is_continue());
        }
        let evaluator = Evaluator::new(&self.model, scope);
        let (mut stated, mut universal) = (vec![], vec![]);
        for (i, p) in predicates.iter().enumerate() {
            let as_universal = || Universal::of(&evaluator, &env, &predicates[..i], p);
            match as_universal().filter(|_| method == Method::Sat) {
                Some(made) => universal.push((*p, made)),
                None => stated.push(*p),
            }
        }
        let violated = |values: &[Value]| -> Result<Vec<FalsifyingAssignment>, String> {
            let candidate: Vec<_> = open_ones.iter().map(|(n, _)| *n).zip(values.iter().cloned()).collect();
            let frame = env.frame(&candidate);
            let env = env.within(&frame);
            let mut all = vec![];
            for (of, (pred, universal)) in universal.iter().enumerate() {
                if universal.holds(&evaluator, &env, pred) == Some(true) {
                    continue;
                }
                let violation: Vec<&Pred> = universal.violation.iter().collect();
                let unknowns = universal.unknowns(&evaluator);
                let question = Question {
                    env: &env,
                    unknowns: &unknowns,
                    predicates: &violation,
                    limit: 1,
                    ..*question
                };
                let before = all.len();
                let complete = self.find_in(&question, steps, &mut |candidate| {
                    if universal.is_refuted_by(&evaluator, &env, &candidate.values) {
                        all.push(FalsifyingAssignment { of, values: candidate.values });
                    }
                    ControlFlow::Break(())
                });
                if all.len() == before && !complete.map_err(|e| e.message)? {
                    return Err("whether a universal predicate holds is not known".into());
                }
            }
            Ok(all)
        };
        let mut search = Search::new(self.bare.clone(), self.model.clone(), scope, written_out);
        search.system.encoder.within(&effort);
        let names = search.environment(&env, &open_ones, &predicates).map_err(failed)?;
        let bounded = names.bounded;
        if method == Method::Sat && !bounded {
            return Err(failed("nothing bounds the values of an unknown".into()));
        }
        let limit = if bounded { limit } else { limit.min(Methods::DEFAULT.unbounded_solutions) };
        let goal = search.predicates(&names.env, &stated).map_err(failed)?;
        let mut session = open(search.system.terms.clone(), &solver).map_err(|e| failed(e.to_string()))?;
        let mut report = |values, claim| found(Candidate { values: all(values), bounded, claim });
        let mut lazily = Lazily { universal: &universal, violated: &violated };
        let bounds = Bounds { budget: &budget, steps, limit };
        search.run(&mut session, &names, &goal, bounds, &mut lazily, &mut report).map_err(failed)
    }

    /// Returns the solver of a method, the budgets for writing the predicates and for the search, and which quantifiers
    /// are written out; `None` without such a solver.
    fn effort(
        &self,
        method: Method,
        writing: u64,
        steps: u64,
    ) -> Option<(SolverChoice, Budget, Budget, WrittenOut)> {
        let writing = self.budget.in_steps(self.budget.steps.map_or(writing, |own| own.min(writing)));
        match (method, &self.smt) {
            (Method::Sat, _) => {
                Some((SolverChoice::Sat, writing, self.budget.in_steps(steps), tuning().written_out_for_sat))
            }
            (Method::Smt, Some(smt)) => {
                let budget = self.budget.per_query(bsym_semantics::tuning::tuning().methods.smt_time);
                Some((smt.clone(), writing, budget, tuning().written_out))
            }
            _ => None,
        }
    }

    /// Unknowns that an equation gives a value, where nothing before it that speaks of them might be ill-defined: every
    /// other value is excluded by that equation.
    fn settled(
        &self,
        env: &Values<'_>,
        scope: &Scope,
        unknowns: &[(Name, Type)],
        predicates: &[&Pred],
    ) -> Vec<(Name, Value)> {
        let work = Work::new(Methods::DEFAULT.equation_steps);
        work.portion(Methods::DEFAULT.equation_steps);
        let evaluator = Evaluator::new(&self.model, scope).with_work(&work);
        let mut settled: Vec<(Name, Value)> = vec![];
        loop {
            let before = settled.len();
            let mut spoken_of: Vec<Name> = vec![];
            for p in predicates {
                if let PredKind::Compare(CompareOp::Equal, a, b) = &p.kind {
                    for (name, value) in [(a, b), (b, a)] {
                        let Some(name) = name_of(name).filter(|n| !matches!(n, Name::Var(_))) else {
                            continue;
                        };
                        let mentioned = names_of(&Mentioned::of_expr(value));
                        let is_open = |n: &Name| {
                            unknowns.iter().any(|(u, _)| u == n) && settled.iter().all(|(s, _)| s != n)
                        };
                        if !is_open(&name) || spoken_of.contains(&name) || mentioned.iter().any(is_open) {
                            continue;
                        }
                        let frame = env.frame(&settled);
                        if let Ok(value) = evaluator.expr(&env.within(&frame), value) {
                            settled.push((name, value));
                        }
                    }
                }
                if !always_defined(p, &|_| false) {
                    spoken_of.extend(names_of(&Mentioned::of_pred(p)));
                }
            }
            if settled.len() == before {
                return settled;
            }
        }
    }
}
