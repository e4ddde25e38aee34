//! A job in terms: the encoded system, the properties asked, and what may be assumed.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Answer, Session, SolverError};
use bsym_encodings::system::build::{encode_with, encode_with_facts};
use bsym_encodings::system::unrolling::Unrolling;
use bsym_encodings::system::{Failure, FailureKind, StatePredicate, System};
use bsym_encodings::term::{Substitution, SymbolId, Term, Terms};
use bsym_language::model::EventId;
use bsym_proofs::claim::{Claim, Evidence, Property, check_of};
use bsym_proofs::recorded::Recorded;
use bsym_semantics::trace::Trace;
use bsym_semantics::verdict::Vacuous;
use bsym_status::{Check, ProofStatus};

use crate::exchange::{Exchange, Shown};
use crate::excluded::Excluded;
use crate::options::Job;
use crate::small_scopes::first_states::FirstStates;
use crate::tuning::tuning;

/// Makes an empty session with a solver.
pub type Open<'a> = dyn FnMut(Rc<Terms>) -> Result<Session, SolverError> + 'a;

/// One property as a term.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Which.
    pub property: Property,
    /// True in the states where the property holds and has a meaning, over the current state.
    pub ok: Term,
}

/// Existence of a valuation of the constants and an initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Existence {
    /// The evaluator accepts this trace of no events.
    Shown(Box<Trace>),
    /// No valuation satisfies the axioms; or there is one, or none is excluded, but the initialisation reaches no
    /// state.
    Nothing(Vacuous, String),
    /// No valuation under which the axioms are well-defined; without that there may be some.
    Undefined(String),
    /// The solver excludes every initial state, and the evaluator accepts this one: one of them is wrong.
    Contradicted(Box<Trace>),
    /// Not known; what is missing, in words.
    Undecided(String),
}

/// A job in terms.
#[derive(Debug)]
pub struct Problem {
    /// The model in terms.
    pub system: System,
    /// Copies of its symbols for the steps of a path.
    pub unrolling: Unrolling,
    /// The properties asked that have terms and are not violated.
    pub targets: Vec<Target>,
    /// Positions of the invariant conjuncts that are assumed in every state before a step:
    /// exactly those that are targets.
    pub assumed: Vec<usize>,
    /// Properties asked that have no term.
    pub unclear: Vec<Property>,
    /// Parts left out because they are violated.
    pub excluded: Excluded,
    /// Existence of a valuation and an initial state, as far as known.
    pub existence: Existence,
    /// Conditions under which the initialisation fails, over its inputs.
    pub initial_failures: Vec<Term>,
    /// Conditions under which an event fails in spite of the assumed conjuncts, over the current
    /// state and the event's inputs.
    pub failures: Vec<(EventId, Term)>,
    /// `true` if proof status may be used: every conjunct of the invariant is assumed.
    status_applies: bool,
    /// Pairs and checks that the run has proved by itself so far.
    proved: ProofStatus,
    /// Number of claims among them that the exchange has told.
    heard: usize,
    /// Targets whose well-definedness follows from the assumed conjuncts, so that their status says all.
    defined: BTreeSet<Property>,
    /// Targets that other engines have shown, so that nothing is asked about them.
    shown: Vec<Shown>,
    /// Visited when they are asked for.
    first_states: OnceCell<Option<Rc<FirstStates>>>,
}

impl Problem {
    /// Encodes a job's model and prepares what is asked, without what is known to be violated.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(job: &Job, excluded: &Excluded, open: &mut Open<'_>) -> Result<Problem, SolverError> {
        let mut problem = Problem::plain(job, excluded);
        let mut session = problem.session(open)?;
        for fact in problem.facts_in(0) {
            session.assert(fact)?;
        }
        let budget = job.budget.within(tuning().contestant.preparation);
        if job.well_definedness {
            problem.settle_well_definedness(job, &mut session, &budget)?;
        }
        problem.settle_failures(job, &mut session, &budget)?;
        let carriers = problem.system.whole_carriers();
        if !problem.failures.is_empty() && !carriers.is_empty() {
            let mut session = open(problem.terms())?;
            session.only_read_arrays(carriers);
            problem.assert_constants(&mut session)?;
            for fact in problem.facts_in(0) {
                session.assert(fact)?;
            }
            problem.without_strays(&mut session, &budget)?;
        }
        Ok(problem)
    }

    /// Returns true if proof status may be used: every conjunct of the invariant is assumed to be well-defined and
    /// true.
    pub(crate) fn status_applies(&self) -> bool {
        self.status_applies
    }

    /// Builds the problem without the parts that need a solver.
    pub fn plain(job: &Job, excluded: &Excluded) -> Problem {
        let terms = Rc::new(Terms::new());
        let (model, representations) = (Arc::clone(&job.model), job.representations.clone());
        let mut system = if job.properties.contains(&Property::DeadlockFree) {
            encode_with_facts(terms.clone(), model, &job.scope, representations)
        } else {
            encode_with(terms.clone(), model, &job.scope, representations)
        };
        excluded.leave_out(&mut system);
        let unrolling = Unrolling::new(&system);
        let mut problem = Problem {
            system,
            unrolling,
            targets: vec![],
            assumed: vec![],
            unclear: vec![],
            excluded: excluded.clone(),
            existence: Existence::Undecided("nobody has looked for an initial state".into()),
            initial_failures: vec![],
            failures: vec![],
            status_applies: false,
            proved: job.proved.clone(),
            heard: 0,
            defined: BTreeSet::new(),
            shown: vec![],
            first_states: OnceCell::new(),
        };
        for &property in job.properties.iter().filter(|p| !excluded.properties.contains(p)) {
            match problem.property_term(property) {
                Some(p) => {
                    let ok = problem.meant(job, property, &p);
                    problem.targets.push(Target { property, ok });
                }
                None => problem.unclear.push(property),
            }
        }
        problem.assumed = problem
            .targets
            .iter()
            .filter_map(|t| match t.property {
                Property::Invariant(i) => Some(i),
                _ => None,
            })
            .collect();
        // Obligations are about states in which every conjunct is true and has a meaning.
        let meaningful = |&i: &usize| problem.system.invariant[i].defined == Terms::TRUE;
        problem.status_applies = problem.assumed.len() == job.model.invariant.len()
            && (job.well_definedness || problem.assumed.iter().all(meaningful));
        if !job.well_definedness {
            problem.defined = problem.targets.iter().map(|t| t.property).collect();
        }
        problem
    }

    /// Returns the condition that a property requires of every state. As in the evaluator, an ill-defined predicate
    /// counts as false where those before it hold. Without the check of well-definedness it does not.
    fn meant(&self, job: &Job, property: Property, p: &StatePredicate) -> Term {
        let terms = &self.system.terms;
        if !job.well_definedness {
            return terms.implies(p.defined, p.holds);
        }
        // Those that are asked as well fail there themselves.
        let asked = |p: &Property| job.properties.contains(p) && !self.excluded.properties.contains(p);
        let true_before: Vec<Term> = match property {
            Property::Invariant(i) => (0..i)
                .filter(|&j| !asked(&Property::Invariant(j)))
                .map(|j| &self.system.invariant[j])
                .flat_map(|p| [p.defined, p.holds])
                .collect(),
            Property::Assertion(i) => (0..i)
                .filter(|&j| !asked(&Property::Assertion(j)))
                .map(|j| &self.system.assertions[j])
                .flat_map(|p| [p.defined, p.holds])
                .collect(),
            Property::NoGoal | Property::DeadlockFree => vec![],
        };
        if true_before.is_empty() {
            return terms.and([p.holds, p.defined]);
        }
        let meaning = terms.implies(terms.and(true_before), p.defined);
        terms.and([terms.implies(p.defined, p.holds), meaning])
    }

    /// The terms.
    pub fn terms(&self) -> Rc<Terms> {
        Rc::clone(&self.system.terms)
    }

    /// A session that knows what is always true of the constants.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn session(&self, open: &mut Open<'_>) -> Result<Session, SolverError> {
        let mut session = open(self.terms())?;
        self.assert_constants(&mut session)?;
        Ok(session)
    }

    fn assert_constants(&self, session: &mut Session) -> Result<(), SolverError> {
        self.system.about_constants().try_for_each(|t| session.assert(t))
    }

    /// Returns the facts that are always true of the state after `k` steps.
    pub fn facts_in(&mut self, k: usize) -> Vec<Term> {
        self.system.facts.state.iter().map(|&fact| self.unrolling.state(fact, k)).collect()
    }

    fn property_term(&self, property: Property) -> Option<StatePredicate> {
        let terms = &self.system.terms;
        match property {
            Property::Invariant(i) => self.system.is_supported(i).then(|| self.system.invariant[i].clone()),
            Property::Assertion(i) => {
                (!self.system.left_out.assertions.contains(&i)).then(|| self.system.assertions[i].clone())
            }
            Property::NoGoal => {
                let goal = self.system.goal.as_ref()?;
                Some(StatePredicate { holds: terms.not(goal.holds), defined: goal.defined })
            }
            Property::DeadlockFree => {
                let mut enabled = vec![];
                for event in &self.system.events {
                    let guard = event.guard?;
                    // Copies of the inputs: a bound symbol must not occur free elsewhere.
                    let mut bound: Vec<SymbolId> = vec![];
                    let mut copies = Substitution::new(event.inputs.iter().map(|&input| {
                        let copy = terms.fresh("some", terms.sort_of(input));
                        bound.extend(terms.as_symbol(copy));
                        (input, copy)
                    }));
                    enabled.push(terms.exists(&bound, terms.substitute(guard, &mut copies)));
                }
                Some(StatePredicate { holds: terms.or(enabled), defined: Terms::TRUE })
            }
        }
    }

    /// Notes which properties have a meaning wherever the assumed conjuncts hold.
    fn settle_well_definedness(
        &mut self,
        job: &Job,
        session: &mut Session,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        let terms = self.terms();
        // Left to right: a conjunct is evaluated only where the earlier ones hold.
        let mut defined = BTreeSet::new();
        for target in &self.targets {
            let meaning = target.property.formula().map(Check::Meaning);
            if meaning.is_some_and(|meaning| self.is_answered(job, meaning)) {
                defined.insert(target.property);
                continue;
            }
            let (before, predicate) = match target.property {
                Property::Invariant(i) => (
                    self.assumed.iter().filter(|&&j| j < i).copied().collect(),
                    self.system.invariant[i].clone(),
                ),
                Property::Assertion(i) => (self.assumed.clone(), self.system.assertions[i].clone()),
                Property::NoGoal | Property::DeadlockFree => continue,
            };
            let known: Vec<usize> = before;
            let known = terms.and(known.into_iter().map(|j| self.system.invariant[j].holds));
            let wrong = terms.and([known, terms.not(predicate.defined)]);
            let wrong = self.unrolling.state(wrong, 0);
            if wrong == Terms::FALSE || matches!(session.check(&[wrong], budget)?, Answer::Unsat(_)) {
                defined.insert(target.property);
            }
        }
        self.defined = defined;
        for target in &mut self.targets {
            if self.defined.contains(&target.property) {
                target.ok = match target.property {
                    Property::Invariant(i) => self.system.invariant[i].holds,
                    Property::Assertion(i) => self.system.assertions[i].holds,
                    Property::NoGoal | Property::DeadlockFree => target.ok,
                };
            }
        }
        Ok(())
    }

    /// Keeps the failures that neither the status nor the assumed conjuncts exclude in any state.
    fn settle_failures(
        &mut self,
        job: &Job,
        session: &mut Session,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        let terms = self.terms();
        let counts = |f: &Failure| job.well_definedness || f.kind != FailureKind::IllDefined;
        let is_open = |event, f: &Failure| {
            counts(f) && !check_of(event, f).is_some_and(|check| self.is_answered(job, check))
        };
        let initial = self.system.initialisation.failures.iter().filter(|f| is_open(None, f));
        let initial_failures = initial.map(|f| f.condition).collect();
        let mut open = vec![];
        for (e, event) in self.system.events.iter().enumerate() {
            let e = EventId(e as u32);
            let conditions = event.failures.iter().filter(|f| is_open(Some(e), f)).map(|f| f.condition);
            open.push((e, conditions.collect::<Vec<Term>>()));
        }
        self.initial_failures = initial_failures;
        let assumed = self.assumed_in(0);
        session.assert(assumed)?;
        let mut live = vec![];
        for (e, conditions) in open {
            let any = self.unrolling.step(terms.or(conditions.iter().copied()), 0);
            if any == Terms::FALSE || matches!(session.check(&[any], budget)?, Answer::Unsat(_)) {
                continue;
            }
            for condition in conditions {
                let here = self.unrolling.step(condition, 0);
                if !matches!(session.check(&[here], budget)?, Answer::Unsat(_)) {
                    live.push((e, condition));
                }
            }
        }
        self.failures = live;
        Ok(())
    }

    /// Leaves out failures of which the theory of arrays has models with elements outside of the deferred sets only.
    fn without_strays(&mut self, session: &mut Session, budget: &Budget) -> Result<(), SolverError> {
        let assumed = self.assumed_in(0);
        session.assert(assumed)?;
        let mut live = vec![];
        for (e, condition) in std::mem::take(&mut self.failures) {
            let here = self.unrolling.step(condition, 0);
            if !matches!(session.check(&[here], budget)?, Answer::Unsat(_)) {
                live.push((e, condition));
            }
        }
        self.failures = live;
        Ok(())
    }

    /// The assumed conjuncts in the state after `k` steps.
    pub fn assumed_in(&mut self, k: usize) -> Term {
        let all = self
            .system
            .terms
            .and(self.targets.iter().filter(|t| matches!(t.property, Property::Invariant(_))).map(|t| t.ok));
        self.unrolling.state(all, k)
    }

    /// All conjuncts of the invariant that have terms, whether asked or not, in the state after `k` steps.
    pub fn every_conjunct_in(&mut self, k: usize) -> Term {
        let all = self.system.terms.and(
            (0..self.system.invariant.len()).filter(|&i| self.system.is_supported(i)).flat_map(|i| {
                let conjunct = &self.system.invariant[i];
                [conjunct.holds, conjunct.defined]
            }),
        );
        self.unrolling.state(all, k)
    }

    /// Returns true if nothing need be asked about a pair or a check: there is imported status, or the run has proved
    /// it.
    fn is_recorded(&self, job: &Job, claim: Recorded) -> bool {
        claim.is_in(&job.status) || claim.is_in(&self.proved)
    }

    /// Returns whether the status says that a check never fails. What it says of steps from the initialisation does not
    /// rest on the invariant.
    fn is_answered(&self, job: &Job, check: Check) -> bool {
        (self.status_applies || matches!(check, Check::Step(None, _)))
            && self.is_recorded(job, Recorded::Check(check))
    }

    /// Returns whether the status says that `event` (`None`: the initialisation) establishes the target, or an engine
    /// has shown it.
    pub fn is_proven(&self, job: &Job, event: Option<EventId>, target: &Target) -> bool {
        if self.shown.iter().any(|shown| shown.property == target.property) {
            return true;
        }
        match target.property {
            Property::Invariant(i) => {
                // The status of a conjunct at the initialisation does not rest on the invariant.
                (self.status_applies || event.is_none())
                    && self.defined.contains(&target.property)
                    && self.is_recorded(job, Recorded::Pair((event, i)))
            }
            // Where an assertion fails, a conjunct fails too, and that one is asked for.
            Property::Assertion(i) => {
                self.defined.contains(&target.property) && self.is_answered(job, Check::Theorem(i))
            }
            _ => false,
        }
    }

    /// The state after the initialisation or after event `event` at step `k - 1` violates a target that
    /// the event is not proven to establish: the unproven part of T_p¬. `false` for a fully proven event.
    pub fn violated_after(&mut self, job: &Job, event: Option<EventId>, k: usize) -> Term {
        let all = self.targets.iter().map(|t| t.property).collect();
        self.violated_among(job, &all, event, k)
    }

    /// Like [`violated_after`](Self::violated_after) for some of the properties.
    pub fn violated_among(
        &mut self,
        job: &Job,
        among: &BTreeSet<Property>,
        event: Option<EventId>,
        k: usize,
    ) -> Term {
        let terms = self.terms();
        let is_open = |t: &&Target| among.contains(&t.property) && !self.is_proven(job, event, t);
        let open: Vec<Term> = self.targets.iter().filter(is_open).map(|t| terms.not(t.ok)).collect();
        let any = terms.or(open);
        self.unrolling.state(any, k)
    }

    /// Targets that are not assumed in states before a step, violated in the state after `k` steps.
    pub fn unassumed_violated_in(&mut self, job: &Job, k: usize) -> Term {
        let terms = self.terms();
        let open: Vec<Term> = self
            .targets
            .iter()
            .filter(|t| !matches!(t.property, Property::Invariant(_)) && !self.is_proven(job, None, t))
            .map(|t| terms.not(t.ok))
            .collect();
        let any = terms.or(open);
        self.unrolling.state(any, k)
    }

    /// Returns true if no step from a state with the assumed conjuncts is left that might violate a target or fail: by
    /// what is proved, the targets are an inductive invariant.
    pub fn is_settled(&mut self, job: &Job) -> bool {
        let events = (0..self.system.events.len() as u32).map(|e| Some(EventId(e)));
        let is_proved = |e: Option<EventId>| self.targets.iter().all(|t| self.is_proven(job, e, t));
        events.into_iter().all(is_proved)
            && self.failures.is_empty()
            && self.is_complete()
            && self.unassumed_violated_in(job, 0) == Terms::FALSE
    }

    /// Some event fails from the state after `k` steps, one condition per event.
    pub fn failures_at(&mut self, k: usize) -> Vec<(EventId, Term)> {
        let terms = self.terms();
        let mut by_event: Vec<(EventId, Term)> = vec![];
        for &(e, condition) in &self.failures.clone() {
            let here = self.unrolling.step(condition, k);
            match by_event.last_mut() {
                Some((last, any)) if *last == e => *any = terms.or([*any, here]),
                _ => by_event.push((e, here)),
            }
        }
        by_event
    }

    /// The first states of the model, if there is a scope to visit them in.
    pub fn first_states(&self, job: &Job) -> Option<Rc<FirstStates>> {
        self.first_states.get_or_init(|| FirstStates::visit(job).map(Rc::new)).clone()
    }

    /// Returns whether `holds` may be concluded at all: everything that restricts or extends behaviour is encoded, and
    /// so is every property that is asked.
    pub fn is_complete(&self) -> bool {
        self.unclear.is_empty()
            && self.system.initialisation.relation.is_some()
            && self.system.events.iter().all(|e| e.relation.is_some())
    }

    /// Takes over which targets other engines have shown, and what was proved of single steps. Returns the number of all
    /// that was told.
    pub fn hear(&mut self, job: &Job, exchange: &Exchange) -> usize {
        self.shown.extend(exchange.shown(self.shown.len()));
        if let Some((number, proved)) = exchange.proved(self.heard) {
            self.heard = number;
            self.proved = proved;
            self.leave_out_proved(job);
        }
        self.shown.len() + self.heard
    }

    /// Leaves out what is proved from what is asked.
    fn leave_out_proved(&mut self, job: &Job) {
        let has_meaning = |t: &&Target| {
            t.property.formula().is_some_and(|formula| self.is_answered(job, Check::Meaning(formula)))
        };
        let defined: Vec<Property> = self.targets.iter().filter(has_meaning).map(|t| t.property).collect();
        let events = &self.system.events;
        let is_open = |&(e, condition): &(EventId, Term)| {
            let mut same = events[e.index()].failures.iter().filter(|f| f.condition == condition);
            !same.any(|f| check_of(Some(e), f).is_some_and(|check| self.is_answered(job, check)))
        };
        let failures = self.failures.iter().copied().filter(is_open).collect();
        self.defined.extend(defined);
        self.failures = failures;
    }

    /// Builds the claim that all targets hold, with its evidence, and with that of the targets that others have shown.
    pub fn claim(&self, job: &Job, evidence: Evidence) -> Claim {
        let evidence = self.shown.iter().fold(evidence, |evidence, shown| shown.with(evidence));
        Claim {
            properties: self.targets.iter().map(|t| t.property).collect(),
            conjuncts: self.assumed.clone(),
            well_definedness: job.well_definedness,
            layouts: vec![],
            evidence,
        }
    }

    /// Returns whether all traces with up to `events` events are in the terms, and all the properties asked. Parts
    /// without a term are not searched, so no depth can be claimed for them.
    pub fn covers(&self, events: usize) -> bool {
        self.unclear.is_empty()
            && self.system.initialisation.relation.is_some()
            && (events == 0 || self.system.events.iter().all(|e| e.relation.is_some()))
    }
}

/// Answer to a query that needs no model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// There is a model.
    Sat,
    /// There is no model; the assumptions used.
    Unsat(Vec<Term>),
    /// Not decided.
    Unknown(Stopped),
}

/// An answer that may be missing.
pub trait MayBeOpen {
    /// Returns why there is no answer.
    fn stopped(&self) -> Option<&Stopped>;
}

impl MayBeOpen for Decided {
    fn stopped(&self) -> Option<&Stopped> {
        match self {
            Decided::Unknown(reason) => Some(reason),
            Decided::Sat | Decided::Unsat(_) => None,
        }
    }
}

/// Checks without looking at the model.
///
/// # Errors
/// If the solver fails.
pub fn decide(session: &mut Session, assumptions: &[Term], budget: &Budget) -> Result<Decided, SolverError> {
    Ok(match session.check(assumptions, budget)? {
        Answer::Sat(_) => Decided::Sat,
        Answer::Unsat(core) => Decided::Unsat(core.0),
        Answer::Unknown(reason) => Decided::Unknown(reason),
    })
}
