//! Goals of open obligations: what these ask of the reachable states.

use std::collections::BTreeSet;

use bsym_encodings::system::{Failure, FailureKind, System};
use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::walk::Names;
use bsym_proofs::claim::{Property, check_of};
use bsym_proofs::obligations::{Proof, Subject};
use bsym_semantics::trace::Violation;
use bsym_status::file::{Kind, Status};
use bsym_status::{Check, Formula, Level, PairStatus, ProofStatus};

use crate::excluded::{Excluded, Failing};
use crate::options::Job;
use crate::problem::Problem;

/// Condition that has to hold in every state that satisfies the invariant, for the obligation to be discharged.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// An event preserves a conjunct.
    Conjunct(EventId, usize),
    /// An event does not fail in one of these ways: what, and where.
    Failures(EventId, Vec<(FailureKind, Span)>),
    /// An assertion, or that it has a meaning.
    Assertion(usize),
    /// A predicate.
    Says(Pred),
}

impl Goal {
    /// Returns the goal of an obligation of a system, or why no further conjunct of the invariant can discharge it:
    /// lower case, no full stop.
    pub fn of(proof: &Proof, system: &System) -> Result<Goal, &'static str> {
        if proof.formula.is_empty() {
            let was_tried = proof.status != Status::Unattempted;
            return Err(if was_tried { "it has no encoding" } else { "there was no time to try it" });
        }
        if system.model.refinement.refined.is_some() {
            return Err("it is about a refinement together with its abstraction");
        }
        match (&proof.subject, proof.kind, proof.event) {
            (Subject::Invariant(i), Kind::Inv, Some(event)) => Ok(Goal::Conjunct(event, *i)),
            (Subject::Invariant(_), Kind::InvEst, _) => {
                Err("it is about the initialisation, before which nothing holds")
            }
            (Subject::Invariant(_), ..) => Err("only the conjuncts before it are its hypotheses"),
            (Subject::Assertion(i), ..) => Ok(Goal::Assertion(*i)),
            (Subject::Action(_), _, Some(event)) if !proof.failures.is_empty() => {
                let all = &system.events[event.index()].failures;
                let ways = proof.failures.iter().filter_map(|&i| all.get(i));
                Ok(Goal::Failures(event, ways.map(|f| (f.kind, f.span)).collect()))
            }
            (_, Kind::Var, _) => Err("what a step does to a variant is not searched for"),
            (_, _, None) if !proof.failures.is_empty() => {
                Err("it is about the initialisation, before which nothing holds")
            }
            _ => match &proof.says {
                Some(says) => Ok(Goal::Says(says.clone())),
                None => Err("it is about constants alone"),
            },
        }
    }

    /// The variables that it depends on, and those that the event does.
    pub fn variables(&self, model: &Model) -> BTreeSet<VarId> {
        let event = |e: &EventId| Names::of_subst(&model.events[e.index()].body).variables;
        match self {
            Goal::Conjunct(e, i) => &event(e) | &Names::of_pred(&model.invariant[*i].pred).variables,
            Goal::Failures(e, _) => event(e),
            Goal::Assertion(i) => Names::of_pred(&model.assertions[*i].pred).variables,
            Goal::Says(p) => Names::of_pred(p).variables,
        }
    }

    /// Returns whether a violation after the event `last` is what the goal is about.
    pub fn is_of(&self, violation: &Violation, last: Option<EventId>) -> bool {
        match (self, violation) {
            (Goal::Conjunct(e, i), Violation::Invariant(all)) => last == Some(*e) && all.contains(i),
            (Goal::Assertion(i), Violation::Assertions(all)) => all.contains(i),
            (Goal::Failures(e, ways), violation) if last == Some(*e) => {
                ways.iter().any(|&(kind, place)| match (violation, kind) {
                    (Violation::IllDefined(at), FailureKind::IllDefined) => place.contains(at.span),
                    (Violation::Assert(at), FailureKind::Assert) => place.contains(*at),
                    (Violation::Precondition(at), FailureKind::Precondition) => place.contains(*at),
                    (Violation::Refinement(id), FailureKind::Refinement(other)) => *id == other,
                    _ => false,
                })
            }
            _ => false,
        }
    }

    /// Returns whether two goals are searched for together if all at once is too much: those about the same formula.
    pub fn is_like(&self, other: &Goal) -> bool {
        match (self, other) {
            (Goal::Conjunct(_, i), Goal::Conjunct(_, j)) => i == j,
            (Goal::Failures(e, _), Goal::Failures(f, _)) => e == f,
            _ => false,
        }
    }
}

/// Question to an engine: do the goals hold in all reachable states, where everything else that is demanded of the
/// machine may be assumed?
#[derive(Debug)]
pub(super) struct Question {
    pub job: Job,
    pub excluded: Excluded,
}

impl Question {
    /// `job`: the machine with the conjuncts found so far.
    pub fn new(job: &Job, goals: &[&Goal]) -> Question {
        let mut model = Model::clone(&job.model);
        let says = goals.iter().filter_map(|g| match g {
            Goal::Says(p) => Some(p.clone()),
            _ => None,
        });
        let asserted = model.assertions.len();
        model.assertions.extend(says.map(|pred| Conjunct {
            label: None,
            text: String::new(),
            origin: ComponentId(0),
            span: pred.span,
            pred,
        }));
        let mut assertions: BTreeSet<usize> = (asserted..model.assertions.len()).collect();
        assertions.extend(goals.iter().filter_map(|g| match g {
            Goal::Assertion(i) => Some(*i),
            _ => None,
        }));
        let conjuncts = (0..model.invariant.len()).map(Property::Invariant);
        let properties = conjuncts.chain(assertions.iter().copied().map(Property::Assertion)).collect();
        let mut job = Job { model: model.into(), properties, well_definedness: true, ..job.clone() };
        let problem = Problem::plain(&job, &Excluded::default());
        let (status, excluded) = everything_but(&problem, goals, &assertions);
        job.status = status;
        Question { job, excluded }
    }
}

/// Status by which everything is proved but the goals, and what has no status and is no goal.
fn everything_but(
    problem: &Problem,
    goals: &[&Goal],
    assertions: &BTreeSet<usize>,
) -> (ProofStatus, Excluded) {
    let system = &problem.system;
    let (mut status, mut excluded) = (ProofStatus::none(), Excluded::default());
    let granted = || PairStatus { provers: vec![], level: Level::Checked };
    for i in 0..system.invariant.len() {
        let is_goal = |e: Option<EventId>| {
            goals.iter().any(|g| matches!(g, Goal::Conjunct(f, j) if Some(*f) == e && *j == i))
        };
        let events = (0..system.events.len()).map(|e| Some(EventId(e as u32)));
        for event in std::iter::once(None).chain(events).filter(|e| !is_goal(*e)) {
            status.insert((event, i), granted());
        }
        status.insert_check(Check::Meaning(Formula::Invariant(i)), granted());
    }
    for i in (0..system.assertions.len()).filter(|i| !assertions.contains(i)) {
        status.insert_check(Check::Theorem(i), granted());
        status.insert_check(Check::Meaning(Formula::Assertion(i)), granted());
    }
    let events = system.events.iter().enumerate().map(|(e, t)| (Some(EventId(e as u32)), t));
    for (event, transition) in std::iter::once((None, &system.initialisation)).chain(events) {
        let is_goal = |failure: &Failure| {
            let way = (failure.kind, failure.span);
            goals
                .iter()
                .any(|g| matches!(g, Goal::Failures(e, ways) if Some(*e) == event && ways.contains(&way)))
        };
        for failure in transition.failures.iter().filter(|f| !is_goal(f)) {
            match check_of(event, failure) {
                Some(check) => status.insert_check(check, granted()),
                None => excluded.failures.push(Failing { event, kind: failure.kind, at: Some(failure.span) }),
            }
        }
    }
    (status, excluded)
}
