//! `bsym po --explain`: the counterexamples of refuted obligations, and whether they are reachable.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::{self, SolverChoice};
use bsym_encodings::session::{Session, SolverError};
use bsym_encodings::term::Terms;
use bsym_engines::contestant::opener;
use bsym_engines::explain::{Asked, counterexample};
use bsym_engines::options::{Job, QuantifiableModel};
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress, Verdict};
use bsym_language::load::check_predicate;
use bsym_language::model::{Model, Pred};
use bsym_language::print::shown_pred;
use bsym_proofs::claim::{Evidence, Property};
use bsym_proofs::obligations::{Obligations, Proof, SequentMachine, Subject};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::value::env::Env;
use bsym_status::file::{Kind, Status};

use crate::answer::open_obligation::{Explanation, Reach, ReachKind};
use crate::answer::trace::{StepObject, ViolatedObject, constants};
use crate::commands::eval::name_elements;
use crate::tuning::tuning;

/// Input of all explanations.
pub(super) struct Explainer<'a> {
    pub model: &'a Arc<Model>,
    pub scope: &'a Scope,
    pub solver: &'a SolverChoice,
    /// Budget; its time for a query is that for one counterexample, and for the question whether it is reachable.
    pub budget: Budget,
    lemmas: OnceCell<Vec<Pred>>,
}

impl<'a> Explainer<'a> {
    /// Makes an explainer for the obligations of a model in a scope.
    pub fn new(model: &'a Arc<Model>, scope: &'a Scope, solver: &'a SolverChoice, budget: Budget) -> Self {
        Explainer { model, scope, solver, budget, lemmas: OnceCell::new() }
    }

    /// Explains the open obligations, or the one of this name.
    pub fn explain(&self, all: &Obligations, name: Option<&str>) -> Vec<Explanation> {
        let is_open = |p: &&Proof| match name {
            Some(name) => p.name == name,
            None => !p.status.is_discharged(),
        };
        let mut found = vec![];
        for proof in all.all.iter().filter(is_open) {
            if self.budget.check().is_err() {
                break;
            }
            let goal = all.goal_text(proof, self.model);
            found.push(match all.sequent(proof) {
                Some(sequent) => self.of_sequent(proof, goal, sequent),
                None => self.explanation(proof, goal),
            });
        }
        found
    }

    /// Explains the refuted obligations.
    pub fn of_refuted(&self, all: &Obligations) -> Vec<Explanation> {
        let refuted = all.all.iter().filter(|p| p.status == Status::Refuted);
        let in_time = refuted.take_while(|_| self.budget.check().is_ok());
        in_time.map(|p| self.explanation(p, all.goal_text(p, self.model))).collect()
    }

    fn open(&self) -> impl FnMut(Rc<Terms>) -> Result<Session, SolverError> + '_ {
        |terms| open::open(terms, self.solver)
    }

    /// Finds values of a refinement and its abstraction for which the hypotheses of an obligation hold and its goal
    /// does not. Does not check whether they are ever reached together.
    fn of_sequent(&self, proof: &Proof, goal: String, sequent: SequentMachine) -> Explanation {
        let mut explanation = unexplained(proof, goal);
        let SequentMachine { model, names } = sequent;
        let model = Arc::new(model);
        let limit = self.budget.query.unwrap_or_default();
        let job = Job::new(model.clone(), self.scope.clone(), vec![], self.budget.within(limit));
        let found = match counterexample(&job, &Asked::Assertion(0), &mut self.open()) {
            Ok(Ok(found)) => found,
            Ok(Err(why)) => {
                let reason = proof.reason.clone().unwrap_or_default();
                explanation.message = Some(format!("{reason}; no values are shown: {}", short(&why)));
                return explanation;
            }
            Err(e) => {
                explanation.message = Some(e.to_string());
                return explanation;
            }
        };
        explanation.violated = ViolatedObject::all(&model, &found.violations);
        let spoken = |name: &str| {
            names.variables.iter().any(|v| model.variables[v.index()].name == name)
                || names.constants.iter().any(|c| model.constants[c.index()].name == name)
        };
        let constants = constants(&model, &found.trace);
        explanation.constants = constants
            .iter()
            .filter(|(name, _)| spoken(name))
            .map(|(name, value)| (name.to_string(), value.clone()))
            .collect();
        explanation.step = StepObject::all(&model, &found.trace);
        for step in &mut explanation.step {
            step.event = "(some values)".into();
            step.state = step.state.take().map(|state| {
                let some = state.iter().filter(|(name, _)| spoken(name));
                some.map(|(name, value)| (name.to_string(), value.clone())).collect()
            });
        }
        explanation
    }

    fn explanation(&self, proof: &Proof, goal: String) -> Explanation {
        let mut explanation = unexplained(proof, goal);
        let reason = proof.reason.clone().unwrap_or_else(|| "it is discharged".into());
        let (Status::Refuted, Some(asked)) = (proof.status, asked(proof)) else {
            explanation.message = Some(match proof.status {
                Status::Refuted => "it does not follow; of this kind no state is shown".into(),
                _ => reason,
            });
            return explanation;
        };
        let limit = self.budget.query.unwrap_or_default();
        let job = Job::new(self.model.clone(), self.scope.clone(), vec![], self.budget.within(limit));
        let mut found = counterexample(&job, &asked, &mut self.open());
        if matches!(found, Ok(Err(_))) {
            // Where a solver describes sets by formulas, propositional logic has values.
            let mut open = |terms| open::open(terms, &SolverChoice::Sat);
            let again = counterexample(&job, &asked, &mut open);
            found = if matches!(again, Ok(Ok(_))) { again } else { found };
        }
        let found = match found {
            Ok(Ok(found)) => found,
            Ok(Err(why)) => {
                explanation.message = Some(format!("no state is shown: {}", short(&why)));
                return explanation;
            }
            Err(e) => {
                explanation.message = Some(e.to_string());
                return explanation;
            }
        };
        let model = self.model;
        let (variables, fixed) = asked.names(model);
        let kept = |name: &str| variables.iter().any(|v| model.variables[v.index()].name == name);
        explanation.violated = ViolatedObject::all(model, &found.violations);
        explanation.constants = constants(model, &found.trace)
            .iter()
            .filter(|(name, _)| fixed.iter().any(|c| model.constants[c.index()].name == *name))
            .map(|(name, value)| (name.to_string(), value.clone()))
            .collect();
        explanation.step = StepObject::all(model, &found.trace);
        for step in &mut explanation.step {
            step.state = step.state.take().map(|state| {
                let some = state.iter().filter(|(name, _)| kept(name));
                some.map(|(name, value)| (name.to_string(), value.clone())).collect()
            });
        }
        explanation.reach = Some(match asked.is_of_start() {
            true => Reach { kind: ReachKind::Reached, depth: Some(0), lemmas: vec![], trace: vec![] },
            false => {
                explanation.step[0].event = "(some state)".into();
                self.reach(&explanation, &found.trace)
            }
        });
        explanation
    }

    /// Returns the lemmas that a proof of the whole invariant adds to it. Empty if there is no such proof.
    fn lemmas(&self) -> &[Pred] {
        self.lemmas.get_or_init(|| {
            let model = self.model.clone();
            let properties = (0..model.invariant.len()).map(Property::Invariant).collect();
            let budget = self.budget.within(self.budget.query.unwrap_or_default());
            let job = Job::new(model, self.scope.clone(), properties, budget);
            let report = run(&job, Engine::Ic3, &opener(self.solver.clone()), &mut |_: &Progress| {});
            match report.verdict {
                Verdict::Holds(proof) => match proof.claim.evidence {
                    Evidence::Inductive { lemmas } => lemmas,
                    _ => vec![],
                },
                _ => vec![],
            }
        })
    }

    /// Returns the lemmas that are false in the first state of a path.
    fn excluding(&self, trace: &Trace) -> Vec<String> {
        let Some(state) = trace.steps.first().and_then(|s| s.state.as_ref()) else { return vec![] };
        let model = QuantifiableModel::from(self.model.clone());
        let eval = Evaluator::new(&model, &trace.scope);
        let env = Env::new(&trace.constants, state);
        let is_false = |p: &Pred| matches!(eval.pred(&env, p), Ok(false));
        self.lemmas().iter().filter(|p| is_false(p)).map(|p| shown_pred(self.model, p)).collect()
    }

    /// Returns whether a state with the values that are shown is reachable, in the scope of the trace.
    fn reach(&self, explanation: &Explanation, trace: &Trace) -> Reach {
        let open = Reach { kind: ReachKind::Unknown, depth: None, lemmas: vec![], trace: vec![] };
        let lemmas = self.excluding(trace);
        if !lemmas.is_empty() {
            return Reach { kind: ReachKind::Excluded, lemmas, ..open };
        }
        let state = explanation.step.first().and_then(|s| s.state.clone()).unwrap_or_default();
        let equations: Vec<String> =
            explanation.constants.iter().chain(state.iter()).map(|(n, v)| format!("{n} = {v}")).collect();
        let mut model = Model::clone(self.model);
        name_elements(&mut model, &trace.scope);
        let goal = match equations.is_empty() {
            true => return open,
            false => check_predicate(&mut model, &equations.join(" & ")),
        };
        let Ok(goal) = goal else { return open };
        model.definitions.goal = Some(goal);
        let limit = self.budget.query.unwrap_or_default();
        let model = QuantifiableModel::from(model);
        let budget = self.budget.within(limit);
        let job = Job::new(model.clone(), trace.scope.clone(), vec![Property::NoGoal], budget);
        let report = run(&job, Engine::Check, &opener(self.solver.clone()), &mut |_: &Progress| {});
        match report.verdict {
            Verdict::Violated(found) => {
                let trace = StepObject::all(&model, &found.trace);
                Reach { kind: ReachKind::Reached, trace, ..open }
            }
            Verdict::Holds(proof) => {
                let lemmas = proof.claim.lemmas().map(|p| shown_pred(&model, p)).collect();
                Reach { kind: ReachKind::Excluded, lemmas, ..open }
            }
            _ => match report.depth {
                Some(depth) => Reach { kind: ReachKind::NotWithin, depth: Some(depth), ..open },
                None => open,
            },
        }
    }
}

fn unexplained(proof: &Proof, goal: String) -> Explanation {
    Explanation {
        name: proof.name.clone(),
        goal,
        violated: vec![],
        constants: Default::default(),
        step: vec![],
        reach: None,
        message: None,
    }
}

/// The first line of a reason, without its end where that is far: solvers answer in formulas.
fn short(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    match line.char_indices().nth(tuning().listed.reason) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_string(),
    }
}

/// Returns the question that a refuted obligation poses, where there is a state to show.
fn asked(proof: &Proof) -> Option<Asked> {
    match (&proof.subject, proof.kind) {
        (Subject::Invariant(i), Kind::Inv | Kind::InvEst) => Some(Asked::Conjunct(proof.event, *i)),
        (Subject::Assertion(i), Kind::Assertion | Kind::Thm) => Some(Asked::Assertion(*i)),
        (Subject::Action(_), _) if !proof.failures.is_empty() => {
            Some(Asked::Failures(proof.event, proof.failures.clone()))
        }
        _ => None,
    }
}
