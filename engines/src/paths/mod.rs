//! A growing path of symbolic states in one solver session.
//!
//! Events are selectors: `sel_{e,k}` implies the before-after predicate of event e between the states k and k + 1, and
//! one of them is true in every step. A question about a path is an assumption, never a new encoding.

pub mod counterexample;
pub(crate) mod diameter;
pub(crate) mod order;
pub(crate) mod uniqueness;

use std::collections::BTreeSet;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Answer, Model, Session, SolverError};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{EventId, Pred};
use bsym_proofs::claim::Property;

use crate::options::Job;
use crate::paths::order::Order;
use crate::problem::{MayBeOpen, Open, Problem};

/// Start of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// In an initial state.
    Initial,
    /// In any state.
    Anywhere,
}

/// A path of `depth` steps.
#[derive(Debug)]
pub struct Path {
    /// The solver; further facts about the states may be asserted.
    pub session: Session,
    start: Start,
    /// Selectors of each step, by event; `None` where the event has no term or can never happen.
    selectors: Vec<Vec<Option<Term>>>,
    /// Literals of what is only supposed.
    hypotheses: BTreeSet<Term>,
    symmetry: Symmetry,
    /// Those that answers since the last [`forget`](Path::forget) rest on.
    needed: BTreeSet<Term>,
}

/// The order of interchangeable elements that a path keeps.
#[derive(Debug)]
enum Symmetry {
    /// No order.
    Open,
    /// The elements of the first state may be put in this order.
    Possible(Order),
    /// The choices along the path meet the elements in their order.
    FirstUse(Order),
    /// The first state has the elements in their order, where a hypothesis is assumed.
    FirstState(Order, Term),
}

/// A path read from a solver's model: the events taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The events in order.
    pub events: Vec<EventId>,
    /// The last event fails instead of reaching a state.
    pub last_fails: bool,
}

impl Path {
    /// A path of no steps. The relation of the initialisation is asserted for [`Start::Initial`].
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, start: Start, open: &mut Open<'_>) -> Result<Path, SolverError> {
        let mut session = problem.session(open)?;
        if start == Start::Initial {
            let relation = problem.system.initialisation.relation.unwrap_or(Terms::TRUE);
            let relation = problem.unrolling.init(relation);
            session.assert(relation)?;
        }
        let (hypotheses, needed) = Default::default();
        let symmetry = match start {
            Start::Initial => None,
            Start::Anywhere => Some(Order::new(problem)).filter(|order| !order.is_empty()),
        };
        let symmetry = symmetry.map_or(Symmetry::Open, Symmetry::Possible);
        let mut path = Path { session, start, selectors: vec![], hypotheses, symmetry, needed };
        path.assert_facts(problem)?;
        Ok(path)
    }

    /// A path from an initial state on which interchangeable elements are met in their order: whether there is a path
    /// with a property of the model may be asked of it, and nothing else.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn in_order(problem: &mut Problem, open: &mut Open<'_>) -> Result<Path, SolverError> {
        let mut path = Path::new(problem, Start::Initial, open)?;
        let mut order = Order::new(problem);
        let mut asserted = order.after(problem, &Order::constants(problem), Terms::TRUE, &mut |_, t| t);
        let chosen = Order::choices(problem, None);
        let mut init = |problem: &mut Problem, t| problem.unrolling.init(t);
        asserted.extend(order.after(problem, &chosen, Terms::TRUE, &mut init));
        for t in asserted {
            path.session.assert(t)?;
        }
        path.symmetry = Symmetry::FirstUse(order);
        Ok(path)
    }

    /// Returns whether [`order_first_state`](Self::order_first_state) has something to do.
    pub(crate) fn may_be_ordered(&self) -> bool {
        matches!(self.symmetry, Symmetry::Possible(_))
    }

    /// Puts interchangeable elements in order in the first state of a path from any state: from then on only whether
    /// there is a path with a property of the model may be asked.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn order_first_state(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        let Symmetry::Possible(order) = &mut self.symmetry else { return Ok(()) };
        let mut order = std::mem::take(order);
        let terms = problem.terms();
        let mut asserted = order.after(problem, &Order::constants(problem), Terms::TRUE, &mut |_, t| t);
        let variables = Order::of_first_state(problem);
        let mut first = |problem: &mut Problem, t| problem.unrolling.state(t, 0);
        asserted.extend(order.after(problem, &variables, Terms::TRUE, &mut first));
        let literal = terms.fresh("ordered", Terms::BOOL);
        for t in asserted {
            self.session.assert(terms.implies(literal, t))?;
        }
        self.hypotheses.insert(literal);
        self.symmetry = Symmetry::FirstState(order, literal);
        Ok(())
    }

    /// Asserts the order of the elements for the step after `k` steps.
    fn assert_order(&mut self, problem: &mut Problem, k: usize) -> Result<(), SolverError> {
        let (Symmetry::FirstUse(order), Some(selectors)) = (&mut self.symmetry, self.selectors.get(k)) else {
            return Ok(());
        };
        let mut step = |problem: &mut Problem, t| problem.unrolling.step(t, k);
        for (e, selector) in selectors.iter().enumerate() {
            let Some(selector) = *selector else { continue };
            let chosen = Order::choices(problem, Some(e));
            for t in order.after(problem, &chosen, selector, &mut step) {
                self.session.assert(t)?;
            }
        }
        Ok(())
    }

    /// Number of steps.
    pub fn depth(&self) -> usize {
        self.selectors.len()
    }

    /// Returns where the path starts.
    pub fn start(&self) -> Start {
        self.start
    }

    fn assert_facts(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        for fact in problem.facts_in(self.depth()) {
            self.session.assert(fact)?;
        }
        Ok(())
    }

    /// Asserts the assumed conjuncts in the last state.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn assume_conjuncts(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        let assumed = problem.assumed_in(self.depth());
        self.session.assert(assumed)
    }

    /// Asserts that `literal` implies a lemma, which `t` says of the current state, in the state after `k` steps. All
    /// questions assume the literal. A lemma that tells interchangeable elements apart ends their order.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn suppose(
        &mut self,
        problem: &mut Problem,
        literal: Term,
        (lemma, t): (&Pred, Term),
        k: usize,
    ) -> Result<(), SolverError> {
        match &self.symmetry {
            Symmetry::Possible(order) if !order.is_kept_by(lemma) => self.symmetry = Symmetry::Open,
            Symmetry::FirstState(order, ordered) if !order.is_kept_by(lemma) => {
                self.hypotheses.remove(ordered);
                self.symmetry = Symmetry::Open;
            }
            _ => {}
        }
        let here = problem.unrolling.state(t, k);
        self.hypotheses.insert(literal);
        self.session.assert(problem.terms().implies(literal, here))
    }

    /// Returns whether one of the answers since the last [`forget`](Self::forget) rests on what the literal supposes.
    pub fn needs(&self, literal: Term) -> bool {
        self.needed.contains(&literal)
    }

    /// Forgets what answers rest on.
    pub fn forget(&mut self) {
        self.needed.clear();
    }

    /// Adds a step.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn extend(&mut self, problem: &mut Problem) -> Result<(), SolverError> {
        self.extend_where(problem, &|_| true)
    }

    /// Adds a step by an event.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn extend_by(&mut self, problem: &mut Problem, event: EventId) -> Result<(), SolverError> {
        self.extend_where(problem, &|e| e == event.index())
    }

    fn extend_where(
        &mut self,
        problem: &mut Problem,
        may_be_taken: &dyn Fn(usize) -> bool,
    ) -> Result<(), SolverError> {
        let k = self.depth();
        let terms = problem.terms();
        let mut selectors = vec![];
        for e in 0..problem.system.events.len() {
            let relation = match problem.system.events[e].relation {
                Some(r) if may_be_taken(e) => problem.unrolling.step(r, k),
                _ => Terms::FALSE,
            };
            selectors.push(if relation == Terms::FALSE {
                None
            } else {
                let selector = terms.symbol(&format!("sel!{e}@{k}"), Terms::BOOL);
                self.session.assert(terms.implies(selector, relation))?;
                Some(selector)
            });
        }
        let some: Vec<Term> = selectors.iter().flatten().copied().collect();
        // A step that two events could take is taken by the one that is read.
        self.session.alternatives(&some);
        self.session.assert(terms.or(some))?;
        self.selectors.push(selectors);
        self.assert_order(problem, k)?;
        self.assert_facts(problem)
    }

    /// The last state violates a target that the last event is not proven to establish.
    pub fn violation(&self, problem: &mut Problem, job: &Job) -> Term {
        if self.depth() == 0 {
            return match self.start {
                Start::Initial => problem.violated_after(job, None, 0),
                Start::Anywhere => problem.unassumed_violated_in(job, 0),
            };
        }
        let all = problem.targets.iter().map(|t| t.property).collect();
        self.violation_among(problem, job, &all)
    }

    /// The last event leads to a state that violates one of some targets, which it is not proven to establish.
    pub fn violation_among(&self, problem: &mut Problem, job: &Job, among: &BTreeSet<Property>) -> Term {
        let (terms, k) = (problem.terms(), self.depth());
        let by_event = self.selectors.last().into_iter().flatten().enumerate().filter_map(|(e, selector)| {
            let violated = problem.violated_among(job, among, Some(EventId(e as u32)), k);
            Some(terms.and([(*selector)?, violated]))
        });
        terms.or(by_event.collect::<Vec<Term>>())
    }

    /// An event fails from the last state, one condition per event.
    pub fn failures(&self, problem: &mut Problem) -> Vec<(EventId, Term)> {
        problem.failures_at(self.depth())
    }

    /// Checks `asked` on the path. With a model, says which events were taken, and hands the model over; `failures` are
    /// those that `asked` allows at the end. A finding in a model that leaves hypotheses out is the answer where it
    /// `is_final`.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn check<T>(
        &mut self,
        asked: Term,
        failures: &[(EventId, Term)],
        budget: &Budget,
        mut found: impl FnMut(&mut Model<'_>, Taken) -> Result<T, SolverError>,
        is_final: impl Fn(&T) -> bool,
    ) -> Result<Checked<T>, SolverError> {
        let selectors = &self.selectors;
        let mut read = |model: &mut Model<'_>| {
            let mut events = vec![];
            for step in selectors {
                let mut taken = None;
                for (e, selector) in step.iter().enumerate() {
                    if taken.is_none()
                        && let Some(s) = selector
                        && model.holds(*s)?
                    {
                        taken = Some(EventId(e as u32));
                    }
                }
                events.extend(taken);
            }
            let mut last_fails = false;
            for (event, condition) in failures {
                if !last_fails && model.holds(*condition)? {
                    events.push(*event);
                    last_fails = true;
                }
            }
            found(model, Taken { events, last_fails })
        };
        let mut judged = None;
        let asked_of_all: Vec<Term> = [asked].into_iter().chain(self.hypotheses.iter().copied()).collect();
        let answer = self.session.check_judged(&asked_of_all, budget, &mut |model| {
            judged = Some(read(model)?).filter(&is_final);
            Ok(judged.is_some())
        })?;
        match answer {
            Answer::Sat(mut model) => Ok(Checked::Sat(match judged {
                Some(found) => found,
                None => read(&mut model)?,
            })),
            Answer::Unsat(core) => {
                self.needed.extend(self.hypotheses.iter().copied().filter(|&h| core.contains(h)));
                Ok(Checked::Unsat { without_question: !core.contains(asked) })
            }
            Answer::Unknown(reason) => Ok(Checked::Unknown(reason)),
        }
    }
}

/// Outcome of a check on a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked<T> {
    /// There is a model.
    Sat(T),
    /// There is no such path.
    Unsat {
        /// The path itself is impossible, whatever is asked about it.
        without_question: bool,
    },
    /// Not decided.
    Unknown(Stopped),
}

impl<T> MayBeOpen for Checked<T> {
    fn stopped(&self) -> Option<&Stopped> {
        match self {
            Checked::Unknown(reason) => Some(reason),
            Checked::Sat(_) | Checked::Unsat { .. } => None,
        }
    }
}

impl<T> Checked<T> {
    /// Applies a function to what was found.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Checked<U> {
        match self {
            Checked::Sat(found) => Checked::Sat(f(found)),
            Checked::Unsat { without_question } => Checked::Unsat { without_question },
            Checked::Unknown(reason) => Checked::Unknown(reason),
        }
    }
}
