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

mod universal;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::{CompareOp, ConstId, LocalId, Model, Pred, PredKind, Subst, SubstKind, VarId};
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
use crate::concretize::read_values;
use crate::expr::walk::always_defined;
use crate::finder::universal::{Counterexample, Universal};
use crate::representation::layout::Layout;
use crate::representation::{Functional, name_of};
use crate::session::{Answer, Session, SolverChoice, open};
use crate::symbolic::Symbolic;
use crate::symbolic::encoder::{Encoder, Env};
use crate::system::System;
use crate::system::build::encode;
use crate::term::{Term, Terms};
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
            gluing: vec![],
            not_checked: vec![],
            assertions: vec![],
            abstract_variables: vec![],
            refined: None,
            refinement_checks: vec![],
            owed: vec![],
            variants: vec![],
            formulas: vec![],
            initialisation: Subst { kind: SubstKind::Skip, span: Span::default() },
            events: vec![],
            goal: None,
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
        let in_steps = |most: u64| self.budget.in_steps(self.budget.steps.map_or(most, |own| own.min(most)));
        let (solver, effort, budget, written_out) = match (method, &self.smt) {
            (Method::Sat, _) => (
                SolverChoice::Sat,
                in_steps(writing),
                self.budget.in_steps(steps.get()),
                tuning().written_out_for_sat,
            ),
            (Method::Smt, Some(smt)) => {
                let budget = self.budget.per_query(bsym_semantics::tuning::tuning().methods.smt_time);
                (smt.clone(), in_steps(writing), budget, tuning().written_out)
            }
            _ => return Ok(false),
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
        let violated = |values: &[Value]| -> Result<Vec<Counterexample>, String> {
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
                        all.push(Counterexample { of, values: candidate.values });
                    }
                    ControlFlow::Break(())
                });
                if all.len() == before && !complete.map_err(|e| e.message)? {
                    return Err("whether a universal predicate holds is not known".into());
                }
            }
            Ok(all)
        };
        let mut search = Search::new(self, scope, written_out);
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

fn names_of(mentioned: &Mentioned) -> Vec<Name> {
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
struct Names {
    env: Env,
    unknowns: Vec<(Symbolic, Type)>,
    /// The unknowns have finitely many values.
    bounded: bool,
}

/// Conditions under which the predicates hold, and under which they are ill-defined from left to right.
struct Goal {
    holds: Term,
    ill_defined: Term,
}

/// Universal predicates that are stated instance by instance, and what refutes values of the unknowns.
struct Lazily<'l, 'p> {
    universal: &'l [(&'p Pred, Universal<'p>)],
    violated: &'l Violated<'l>,
}

/// Finds instances that values of the unknowns violate.
type Violated<'v> = dyn Fn(&[Value]) -> Result<Vec<Counterexample>, String> + 'v;

/// Bounds of a search.
#[derive(Clone, Copy)]
struct Bounds<'b> {
    budget: &'b Budget,
    /// Steps that are left to the SAT solver.
    steps: &'b Cell<u64>,
    /// Most valuations that are reported.
    limit: usize,
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

struct Search {
    system: System,
    background: Vec<Term>,
    /// Bounds of the values of the names.
    known: Functional,
    /// Names that the predicates speak of.
    mentioned: Vec<Name>,
}

impl Search {
    fn new(finder: &SolverFinder, scope: &Scope, written_out: WrittenOut) -> Search {
        let terms = Rc::new(Terms::new());
        let mut system = encode(terms.clone(), finder.bare.clone(), scope);
        system.encoder = Encoder::new(terms, finder.model.clone(), scope.clone());
        system.encoder.written_out = written_out;
        let known = Functional::none(&finder.model);
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

    fn environment(
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

    /// One model after the other, each excluded from then on; whether these are all.
    fn run(
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
        counterexample: &Counterexample,
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
