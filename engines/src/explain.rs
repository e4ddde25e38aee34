//! Explanations why an obligation does not follow: a state in which its hypotheses hold, and the step from there that
//! refutes it.
//!
//! The model of a solver is read as values and replayed by the evaluator, from a state that need not be reachable.

use std::collections::BTreeSet;

use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{Answer, SolverError};
use bsym_encodings::system::StatePredicate;
use bsym_encodings::term::Term;
use bsym_language::model::*;
use bsym_language::walk::{Names, Visitor, walk_subst};
use bsym_semantics::trace::Violation;
use bsym_semantics::trace::replay::{Checks, replay, replay_from_any_state};

use crate::excluded::Excluded;
use crate::options::Job;
use crate::problem::{Open, Problem};
use crate::verdict::CounterexampleToInduction;

/// Statement that does not follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// An event (`None`: the initialisation) establishes a conjunct.
    Conjunct(Option<EventId>, usize),
    /// An event does not fail in one of these ways, by position.
    Failures(Option<EventId>, Vec<usize>),
    /// The invariant implies an assertion.
    Assertion(usize),
}

/// A path that was replayed, or the reason why there is none.
pub type Found = Result<CounterexampleToInduction, String>;

/// A state and a step that refute it, confirmed by the evaluator, or why there are none: lower case, no full stop. The
/// encoding should be the one in which it was refuted.
///
/// # Errors
/// If the solver fails.
pub fn counterexample(job: &Job, asked: &Asked, open: &mut Open<'_>) -> Result<Found, SolverError> {
    let mut problem = Problem::plain(job, &Excluded::default());
    let carriers = problem.system.whole_carriers();
    let found = in_session(job, asked, &mut problem, &[], open)?;
    if found.is_ok() || carriers.is_empty() {
        return Ok(found);
    }
    // The theory of arrays allows elements outside of the sets, so that its model may be invalid.
    Ok(in_session(job, asked, &mut problem, &carriers, open)?.or(found))
}

fn in_session(
    job: &Job,
    asked: &Asked,
    problem: &mut Problem,
    carriers: &[(Term, Term)],
    open: &mut Open<'_>,
) -> Result<Found, SolverError> {
    let mut session = problem.session(open)?;
    if !carriers.is_empty() {
        session.only_read_arrays(carriers.iter().copied());
    }
    for fact in problem.facts_in(0) {
        session.assert(fact)?;
    }
    if !asked.is_of_start() {
        let invariant = problem.every_conjunct_in(0);
        session.assert(invariant)?;
        for fact in problem.facts_in(1) {
            session.assert(fact)?;
        }
    }
    let Some(wrong) = asked.wrong(problem) else { return Ok(Err("the event has no encoding".into())) };
    session.assert(wrong)?;
    let mut model = match session.check(&[], &job.budget)? {
        Answer::Sat(model) => model,
        Answer::Unsat(_) => return Ok(Err("another session excludes it".into())),
        Answer::Unknown(reason) => return Ok(Err(format!("it was not found again: {reason}"))),
    };
    let path: Vec<EventId> = asked.event().into_iter().collect();
    let fails = matches!(asked, Asked::Failures(..));
    let read = read_trace(&problem.system, &mut problem.unrolling, &mut model, &path, fails);
    let trace = match read {
        Ok(trace) => trace,
        Err(e) => return Ok(Err(e.to_string())),
    };
    let replayed = match asked.is_of_start() {
        true => replay(&job.model, &trace, &asked.checks()),
        false => replay_from_any_state(&job.model, &trace, &asked.checks()),
    };
    let mut violations = match replayed {
        Ok(replayed) => replayed.violations,
        Err(e) => return Ok(Err(format!("the evaluator does not confirm the solver's state: {e}"))),
    };
    violations.retain(|v| asked.concerns(v));
    if violations.is_empty() {
        return Ok(Err("the evaluator does not confirm the solver's state: it is no counterexample".into()));
    }
    Ok(Ok(CounterexampleToInduction { trace, violations, not_reached_within: None }))
}

impl Asked {
    fn event(&self) -> Option<EventId> {
        match self {
            Asked::Conjunct(event, _) | Asked::Failures(event, _) => *event,
            Asked::Assertion(_) => None,
        }
    }

    /// Returns whether it is about the initialisation.
    pub fn is_of_start(&self) -> bool {
        matches!(self, Asked::Conjunct(None, _) | Asked::Failures(None, _))
    }

    /// Returns the condition that it is false, from the first state of a path; `None` where the event has no term.
    fn wrong(&self, problem: &mut Problem) -> Option<Term> {
        let terms = problem.terms();
        let (system, unrolling) = (&problem.system, &mut problem.unrolling);
        let transition = match self.event() {
            Some(e) => &system.events[e.index()],
            None => &system.initialisation,
        };
        let is_false = |p: &StatePredicate| terms.not(terms.and([p.defined, p.holds]));
        Some(match self {
            Asked::Conjunct(event, i) => {
                let wrong = is_false(&system.invariant[*i]);
                let relation = transition.relation?;
                match event {
                    None => terms.and([unrolling.init(relation), unrolling.state(wrong, 0)]),
                    Some(_) => terms.and([unrolling.step(relation, 0), unrolling.state(wrong, 1)]),
                }
            }
            Asked::Failures(event, which) => {
                let conditions = which.iter().filter_map(|&i| transition.failures.get(i));
                let any = terms.or(conditions.map(|f| f.condition));
                match event {
                    None => unrolling.init(any),
                    Some(_) => unrolling.step(any, 0),
                }
            }
            Asked::Assertion(i) => unrolling.state(is_false(&system.assertions[*i]), 0),
        })
    }

    fn checks(&self) -> Checks {
        let invariant = match self {
            Asked::Conjunct(_, i) => vec![*i],
            _ => vec![],
        };
        let assertions = matches!(self, Asked::Assertion(_));
        Checks { invariant: Some(invariant), assertions, ..Checks::default() }
    }

    fn concerns(&self, violation: &Violation) -> bool {
        match (self, violation) {
            (Asked::Conjunct(_, i), Violation::Invariant(which)) => which.contains(i),
            (Asked::Assertion(i), Violation::Assertions(which)) => which.contains(i),
            (Asked::Conjunct(..) | Asked::Assertion(_), Violation::IllDefined(_)) => true,
            (Asked::Failures(..), v) => !matches!(v, Violation::Invariant(_) | Violation::Assertions(_)),
            _ => false,
        }
    }

    /// The variables and constants that it depends on: those of the goal, and those that decide whether the event
    /// happens and what it does to them.
    pub fn names(&self, model: &Model) -> (BTreeSet<VarId>, BTreeSet<ConstId>) {
        match self {
            Asked::Conjunct(event, i) => reads(model, &model.invariant[*i].pred, *event),
            Asked::Assertion(i) => reads(model, &model.assertions[*i].pred, None),
            Asked::Failures(event, _) => {
                let body = event.map(|e| &model.events[e.index()].body);
                let names = body.map(Names::of_subst).unwrap_or_default();
                (names.variables, names.constants)
            }
        }
    }
}

/// Returns the variables and constants that the truth of a predicate after an event depends on: those of the predicate,
/// and those that decide whether the event happens and what it does to them.
pub fn reads(model: &Model, pred: &Pred, event: Option<EventId>) -> (BTreeSet<VarId>, BTreeSet<ConstId>) {
    reads_along(model, [pred], event)
}

/// Returns the variables and constants that the truth of predicates after some events depends on, the last event first.
pub fn reads_along<'m>(
    model: &'m Model,
    preds: impl IntoIterator<Item = &'m Pred>,
    events: impl IntoIterator<Item = EventId>,
) -> (BTreeSet<VarId>, BTreeSet<ConstId>) {
    let mut found = Names::default();
    for names in preds.into_iter().map(Names::of_pred) {
        found.variables.extend(names.variables);
        found.constants.extend(names.constants);
    }
    for event in events {
        let mut reads = Reads { goal: found.variables.clone(), names: Names::default() };
        reads.subst(&model.events[event.index()].body);
        found.variables.extend(reads.names.variables);
        found.constants.extend(reads.names.constants);
    }
    (found.variables, found.constants)
}

/// Variables and names that are read where it matters for some variables.
struct Reads {
    goal: BTreeSet<VarId>,
    names: Names,
}

impl Reads {
    fn add(&mut self, names: Names) {
        self.names.variables.extend(names.variables);
        self.names.constants.extend(names.constants);
    }
}

impl Visitor for Reads {
    fn expr(&mut self, e: &Expr) {
        self.add(Names::of_expr(e));
    }

    fn pred(&mut self, p: &Pred) {
        self.add(Names::of_pred(p));
    }

    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Assign(list) => {
                for (target, value) in list {
                    if !matches!(target, Target::Var(v) if !self.goal.contains(v)) {
                        self.expr(value);
                    }
                }
            }
            // The demands of an abstraction are another obligation.
            SubstKind::Assert(Claim::Refinement(_), _, body) => self.subst(body),
            _ => walk_subst(self, s),
        }
    }
}
