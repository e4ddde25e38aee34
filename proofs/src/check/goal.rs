//! Goals of a claim, as terms.

use bsym_encodings::system::{Failure, FailureKind, StatePredicate, System, Unsupported};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{Conjunct, EventId, Pred};
use bsym_language::print;
use bsym_status::Check;

use crate::claim::{Claim, Evidence, Property, check_of};

/// A predicate that has to hold in every reachable state, over the current state.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// Position of the invariant conjunct, if it is one.
    pub conjunct: Option<usize>,
    /// Position of the assertion, if it is one.
    pub assertion: Option<usize>,
    /// Name for messages.
    pub name: String,
    /// The predicate has a meaning.
    pub defined: Term,
    /// The predicate has a meaning, or its meaning is not claimed.
    pub meaning: Term,
    /// The predicate holds if it has a meaning.
    pub holds: Term,
    /// The term to prove.
    pub term: Term,
    /// `true` if the goal may be a hypothesis about earlier states without hurting the solver.
    pub hypothesis: bool,
    /// The predicate of B for the first-order form, if it is proved to be well-defined and true.
    pub pred: Option<Pred>,
}

/// A way for an event (`None`: the initialisation) to fail, which must be impossible.
#[derive(Clone, Debug)]
pub(super) struct FailureGoal {
    pub event: Option<usize>,
    /// The check in a proof status that this failure belongs to.
    pub check: Option<Check>,
    pub name: String,
    pub way: Failure,
}

/// All goals of a claim.
#[derive(Clone, Debug, Default)]
pub(super) struct Goals {
    /// The claimed conjuncts in the order of the invariant.
    pub conjuncts: Vec<Goal>,
    pub lemmas: Vec<Goal>,
    /// Properties that are not claimed conjuncts.
    pub others: Vec<Goal>,
    pub failures: Vec<FailureGoal>,
}

impl Goals {
    /// Encodes the lemmas and collects the terms of the claim. Returns the obstacles if that is not possible.
    pub(super) fn of(system: &mut System, claim: &Claim) -> Result<Goals, Vec<String>> {
        let mut failed = unusable(system);
        let wd = claim.well_definedness;
        let mut goals = Goals::default();

        let mut positions = claim.conjuncts.clone();
        positions.sort_unstable();
        positions.dedup();
        for i in positions {
            match conjunct(system, i, &claim.conjuncts, wd) {
                Ok(goal) => goals.conjuncts.push(goal),
                Err(reason) => failed.push(reason),
            }
        }
        let lemmas: &[Pred] = match &claim.evidence {
            Evidence::Inductive { lemmas } | Evidence::KInduction { lemmas, .. } => lemmas,
            Evidence::Diameter { .. } | Evidence::Search { .. } => &[],
        };
        for (i, lemma) in lemmas.iter().enumerate() {
            let name = format!("lemma {} `{}`", i + 1, print::pred(&system.model, lemma));
            match system.predicate(lemma) {
                Ok(p) => {
                    let goal = Goal::new(&system.terms, None, name, &p, wd);
                    goals.lemmas.push(goal.saying(lemma, wd));
                }
                Err(u) => failed.push(no_term(&name, &u)),
            }
        }
        let mut properties = claim.properties.clone();
        properties.sort_unstable();
        properties.dedup();
        for property in properties {
            if matches!(property, Property::Invariant(i) if claim.conjuncts.contains(&i)) {
                continue;
            }
            match state_property(system, property, claim, wd) {
                Ok(goal) => goals.others.push(goal),
                Err(reason) => failed.push(reason),
            }
        }
        goals.failures = failures(system, wd);
        if failed.is_empty() { Ok(goals) } else { Err(failed) }
    }
}

impl Goal {
    fn new(terms: &Terms, conjunct: Option<usize>, name: String, p: &StatePredicate, wd: bool) -> Goal {
        // Without well-definedness the claim is about the states where the predicate has a meaning.
        let term = if wd { terms.and([p.defined, p.holds]) } else { terms.implies(p.defined, p.holds) };
        let meaning = if wd { p.defined } else { Terms::TRUE };
        Goal {
            conjunct,
            assertion: None,
            name,
            defined: p.defined,
            meaning,
            holds: p.holds,
            term,
            hypothesis: true,
            pred: None,
        }
    }

    /// Attaches the predicate of B that the goal is about.
    fn saying(self, pred: &Pred, wd: bool) -> Goal {
        let meant = wd || self.defined == Terms::TRUE;
        Goal { pred: meant.then(|| pred.clone()), ..self }
    }

    /// Restricts the meaning of the goal to states in which the predicates `before` are true.
    fn where_true<'p>(
        self,
        terms: &Terms,
        before: impl Iterator<Item = &'p StatePredicate>,
        wd: bool,
    ) -> Goal {
        let before = terms.and(before.flat_map(|p| [p.defined, p.holds]));
        if !wd || before == Terms::TRUE {
            return self;
        }
        let meaning = terms.implies(before, self.defined);
        let term = terms.and([terms.implies(self.defined, self.holds), meaning]);
        // The predicate is not proved to be well-defined everywhere, so it must not be a hypothesis.
        Goal { meaning, term, pred: None, ..self }
    }
}

/// Returns the steps without a term: there may be transitions that the system does not have.
fn unusable(system: &System) -> Vec<String> {
    let mut failed = vec![];
    let reason = |part: &str| {
        let why = system.left_out.parts.iter().find(|u| u.part == part);
        format!("{part} has no encoding{}", why.map(|u| format!(": {}", u.reason)).unwrap_or_default())
    };
    if system.initialisation.relation.is_none() {
        failed.push(reason("initialisation"));
    }
    for (event, transition) in system.model.events.iter().zip(&system.events) {
        if transition.relation.is_none() {
            failed.push(reason(&format!("operation {}", event.name)));
        }
    }
    failed
}

fn no_term(name: &str, u: &Unsupported) -> String {
    format!("{name} has no encoding: {}", u.reason)
}

/// Describes a conjunct by kind, position from 1, label if it has one, and text.
fn describe(kind: &str, position: usize, conjunct: &Conjunct) -> String {
    let text = &conjunct.text;
    match &conjunct.label {
        Some(label) => format!("{kind} {} ({label}) `{text}`", position + 1),
        None => format!("{kind} {} `{text}`", position + 1),
    }
}

/// Returns the goal of a conjunct of the invariant. As in the evaluator, it must have a meaning where those before it
/// are true; those of them that are claimed as well are proved to be.
fn conjunct(system: &System, i: usize, claimed: &[usize], wd: bool) -> Result<Goal, String> {
    let (Some(p), Some(conjunct)) = (system.invariant.get(i), system.model.invariant.get(i)) else {
        return Err(format!("the invariant has no conjunct {}", i + 1));
    };
    let name = describe("conjunct", i, conjunct);
    if system.left_out.conjuncts.contains(&i) {
        return Err(format!("{name} has no encoding"));
    }
    let goal = Goal::new(&system.terms, Some(i), name, p, wd).saying(&conjunct.pred, wd);
    let before = (0..i).filter(|j| !claimed.contains(j)).map(|j| &system.invariant[j]);
    Ok(goal.where_true(&system.terms, before, wd))
}

fn state_property(system: &System, property: Property, claim: &Claim, wd: bool) -> Result<Goal, String> {
    let terms = &system.terms;
    match property {
        Property::Invariant(i) => {
            conjunct(system, i, &claim.conjuncts, wd).map(|g| Goal { conjunct: None, ..g })
        }
        Property::Assertion(i) => {
            let (Some(p), Some(assertion)) = (system.assertions.get(i), system.model.assertions.get(i))
            else {
                return Err(format!("there is no assertion {}", i + 1));
            };
            let name = describe("assertion", i, assertion);
            if system.left_out.assertions.contains(&i) {
                return Err(format!("{name} has no encoding"));
            }
            let goal = Goal::new(terms, None, name, p, wd).saying(&assertion.pred, wd);
            let goal = Goal { assertion: Some(i), ..goal };
            let claimed = |j: &usize| claim.properties.contains(&Property::Assertion(*j));
            let before = (0..i).filter(|j| !claimed(j)).map(|j| &system.assertions[j]);
            Ok(goal.where_true(terms, before, wd))
        }
        Property::DeadlockFree => {
            let name = "deadlock freedom".to_string();
            match crate::states::States::new(system).some_event() {
                Some(enabled) => Ok(Goal {
                    hypothesis: false,
                    ..Goal::new(
                        terms,
                        None,
                        name,
                        &StatePredicate { holds: enabled, defined: Terms::TRUE },
                        wd,
                    )
                }),
                None => {
                    Err("an operation's guard has no encoding, so deadlock freedom cannot be checked".into())
                }
            }
        }
        Property::NoGoal => match &system.goal {
            Some(p) => {
                let p = StatePredicate { holds: terms.not(p.holds), defined: p.defined };
                Ok(Goal::new(terms, None, "the negated goal".into(), &p, wd))
            }
            None if system.model.definitions.goal.is_none() => Err("the model has no definition GOAL".into()),
            None => Err("the goal has no encoding".into()),
        },
    }
}

/// Returns the failures to exclude. Ill-definedness counts only if well-definedness is claimed; assertions and
/// preconditions always do.
fn failures(system: &System, wd: bool) -> Vec<FailureGoal> {
    let all = std::iter::once((None, &system.initialisation))
        .chain(system.events.iter().enumerate().map(|(i, e)| (Some(i), e)));
    let mut goals = vec![];
    for (event, transition) in all {
        for failure in &transition.failures {
            if failure.kind == FailureKind::IllDefined && !wd {
                continue;
            }
            let what = match failure.kind {
                FailureKind::IllDefined => "well-definedness of",
                FailureKind::Assert => "the ASSERT",
                FailureKind::Precondition => "the precondition",
                FailureKind::Refinement(_) => "the refinement of",
            };
            let text = bsym_language::print::at(&system.model, failure.span);
            let place = system.model.text.sources.position(failure.span);
            let who = event.map_or("the initialisation", |e| system.model.events[e].name.as_str());
            let name = format!("{what} `{text}` in {who} (line {})", place.line);
            let id = event.map(|e| EventId(e as u32));
            let check = check_of(id, failure);
            goals.push(FailureGoal { event, check, name, way: failure.clone() });
        }
    }
    goals
}
