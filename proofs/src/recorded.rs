//! Sequents of a recorded proof status: the hypotheses, and the goal that must follow from them.
//!
//! | recorded | known, besides axioms and facts | has to follow |
//! |---|---|---|
//! | a pair of the initialisation | the initialisation | the conjunct in the state after, where it has a meaning |
//! | another pair | all conjuncts, the event | the same |
//! | a check of a step | all conjuncts, but for the initialisation | the step does not fail in this way |
//! | a check of a meaning | the conjuncts before it, all for an assertion | it has a meaning |
//! | a theorem | all conjuncts | the assertion, where it has a meaning |

use bsym_encodings::system::System;
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::EventId;
use bsym_status::{Check, Formula, Pair, PairStatus, ProofStatus};

use crate::claim::check_of;
use crate::states::States;

/// One statement of a proof status.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Recorded {
    /// An event establishes a conjunct.
    Pair(Pair),
    /// A check never fails.
    Check(Check),
}

/// Place that a sequent is about. Sequents of one place have the same hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// Conjuncts after an event (`None`: the initialisation).
    After(Option<EventId>),
    /// Failures on the way of an event.
    Within(Option<EventId>),
    /// Predicates of states.
    States,
}

impl Recorded {
    /// Returns whether a status still contains the statement.
    pub fn is_in(self, status: &ProofStatus) -> bool {
        match self {
            Recorded::Pair(pair) => status.get(pair).is_some(),
            Recorded::Check(check) => status.check(check).is_some(),
        }
    }

    /// Adds the statement to a status.
    pub fn insert(self, status: &mut ProofStatus, how: PairStatus) {
        match self {
            Recorded::Pair(pair) => status.insert(pair, how),
            Recorded::Check(check) => status.insert_check(check, how),
        }
    }

    /// Returns the place that the statement is about.
    pub fn place(self) -> Place {
        match self {
            Recorded::Pair((event, _)) => Place::After(event),
            Recorded::Check(Check::Step(event, _)) => Place::Within(event),
            Recorded::Check(Check::Meaning(_) | Check::Theorem(_)) => Place::States,
        }
    }

    /// Returns whether the statement is about something without a term, so that it cannot be asked.
    pub fn has_no_term(self, system: &System) -> bool {
        matches!(self, Recorded::Pair((_, i)) if !system.is_supported(i))
    }
}

/// Returns whether all hypotheses of other tools' obligations are in the model and have a term.
pub fn has_all_hypotheses(system: &System) -> bool {
    system.left_out.parts.is_empty() && system.model.refinement.not_checked.is_empty()
}

/// Returns whether all axioms and conjuncts have terms.
pub fn is_complete(system: &System) -> bool {
    system.left_out.conjuncts.is_empty() && system.left_out.axioms.is_empty()
}

/// All conjuncts of the invariant with their meaning, over the current state. Those without a term are `true` and
/// assume nothing.
pub fn invariant(system: &System) -> Vec<Term> {
    system.invariant.iter().map(|p| system.terms.and([p.defined, p.holds])).collect()
}

/// The sequents of a system, for sessions with its axioms.
pub struct Sequents<'a> {
    system: &'a System,
    states: States<'a>,
}

impl<'a> Sequents<'a> {
    /// Makes a generator without sequents.
    pub fn new(system: &'a System) -> Self {
        Sequents { system, states: States::new(system) }
    }

    /// Returns the hypotheses at a place; `None` if the step has no term.
    pub fn hypotheses(&mut self, place: Place) -> Option<Vec<Term>> {
        let mut known = match place {
            Place::After(Some(_)) | Place::Within(Some(_)) => invariant(self.system),
            Place::After(None) | Place::Within(None) | Place::States => vec![],
        };
        match place {
            Place::After(Some(e)) => {
                let relation = self.system.events[e.index()].relation?;
                known.push(self.states.step(relation, 0));
                known.extend(self.states.facts(0));
                known.extend(self.states.facts(1));
            }
            Place::After(None) => {
                let relation = self.system.initialisation.relation?;
                known.push(self.states.initial(relation));
                known.extend(self.states.facts(0));
            }
            Place::Within(_) | Place::States => known.extend(self.states.facts(0)),
        }
        Some(known)
    }

    /// Returns the goal. With `strict`, it includes that a conjunct has a meaning.
    pub fn goal(&mut self, recorded: Recorded, strict: bool) -> Term {
        let (system, terms) = (self.system, &self.system.terms);
        match recorded {
            Recorded::Pair((event, i)) => {
                let conjunct = &system.invariant[i];
                let goal = match strict {
                    true => terms.and([conjunct.defined, conjunct.holds]),
                    false => terms.implies(conjunct.defined, conjunct.holds),
                };
                self.states.at(goal, usize::from(event.is_some()))
            }
            Recorded::Check(check @ Check::Step(event, _)) => {
                let transition = match event {
                    Some(e) => &system.events[e.index()],
                    None => &system.initialisation,
                };
                let failures = transition.failures.iter().filter(|f| check_of(event, f) == Some(check));
                let none = terms.not(terms.or(failures.map(|f| f.condition)));
                match event {
                    Some(_) => self.states.step(none, 0),
                    None => self.states.initial(none),
                }
            }
            Recorded::Check(Check::Meaning(formula)) => {
                let (before, defined) = match formula {
                    Formula::Invariant(i) => (i, system.invariant[i].defined),
                    Formula::Assertion(i) => (system.invariant.len(), system.assertions[i].defined),
                };
                let known = system.invariant[..before].iter().flat_map(|p| [p.defined, p.holds]);
                terms.implies(terms.and(known), defined)
            }
            Recorded::Check(Check::Theorem(i)) => {
                let theorem = &system.assertions[i];
                let known = invariant(system).into_iter().chain([theorem.defined]);
                terms.implies(terms.and(known), theorem.holds)
            }
        }
    }

    /// Returns the table of the terms.
    pub fn terms(&self) -> &Terms {
        &self.system.terms
    }
}
