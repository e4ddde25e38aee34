//! The one-step queries of IC3 in one solver session.
//!
//! Asserted once: axioms, facts of both states, the assumed conjuncts in the first state, every event's
//! before-after predicate behind its selector, the initialisation and the violating steps behind
//! a literal each. Lemmas stand behind the activation literal of their frame; everything else is assumed.

use std::collections::{BTreeSet, HashMap};

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Model, Session, SolverError, Statistics, TermValue};
use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::system::System;
use bsym_encodings::system::unrolling::Unrolling;
use bsym_encodings::term::{Sort, Term, Terms};
use bsym_language::model::{EventId, Pred, VarId};
use bsym_language::types::Type;

use super::abstract_path::Met;
use super::domain::Domain;
use super::orbits::Orbits;
use super::sessions::{BySize, Sessions};
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::guess::Guess;
use crate::invariants::predicate::{Predicates, size};
use crate::options::Job;
use crate::outcome::Work;
use crate::problem::{Decided, Open, Problem, decide};
use crate::tuning::tuning;

/// The session with what is asserted in it.
#[derive(Debug)]
pub struct Steps {
    sessions: Sessions,
    selectors: Vec<(EventId, Term)>,
    /// Implies that the first state is initial.
    initial: Term,
    /// Implies that some event leads from the first state to the second.
    step: Term,
    /// Implies a violating step from the first state.
    bad: Term,
    /// Events behind their failure conditions.
    failures: Vec<(EventId, Term)>,
    /// Activates the cubes that are blocked for ever.
    forever: Term,
    /// Literals of the frames; literal i activates what stands in exactly frame i.
    activations: Vec<Term>,
    /// Number of facts and predicates already asserted or declared.
    facts: usize,
    /// What literals are made of.
    declared: Declared,
    /// Clauses in which elements of deferred sets are free, for all of them, as terms over the current state.
    quantified: HashMap<Cube, Term>,
    /// Cubes that are blocked with all their images, if there are such.
    orbits: Option<Orbits>,
    /// Invariants together with the assumed conjuncts that are no cubes.
    guesses: Vec<Guess>,
}

/// The predicates that literals are made of, by position.
#[derive(Debug, Default)]
struct Declared {
    /// Each in the first and the second state.
    terms: Vec<(Term, Term)>,
    /// Their sizes in B: number of expressions and predicates in each.
    sizes: Vec<usize>,
    /// The predicates themselves.
    known: Predicates,
}

impl Declared {
    /// Adds the predicates that are new.
    fn add(&mut self, predicates: &Predicates, unrolling: &mut Unrolling) {
        for p in predicates.all().iter().skip(self.terms.len()) {
            let now = unrolling.state(p.term, 0);
            let then = unrolling.state(p.term, 1);
            self.terms.push((now, then));
            self.sizes.push(size(&p.pred));
            self.known.share(p);
        }
    }

    /// Returns whether elements of deferred sets are free in a literal.
    fn has_elements(&self, literal: &Literal) -> bool {
        !self.known.all()[literal.position].elements.is_empty()
    }

    /// The literal to do without first, of those that may go: the one that says most.
    fn first_to_drop(&self, cube: &Cube, kept: &BTreeSet<Literal>) -> Option<Literal> {
        let open = cube.literals().iter().rev().filter(|l| !kept.contains(*l));
        // The absence of elements from a relation says least: most relations are empty at first.
        let is_absence = |l: &Literal| !l.positive && self.has_elements(l);
        open.max_by_key(|l| (is_absence(l), self.sizes.get(l.position))).copied()
    }
}

/// Abstraction of states: a domain and its predicates.
#[derive(Debug)]
pub struct Abstraction {
    /// The abstract domain.
    pub domain: Box<dyn Domain>,
    /// The predicates in use.
    pub predicates: Predicates,
}

/// A state that a query found, by its predicates.
#[derive(Clone, Debug)]
pub struct FoundState {
    /// Truth values of all predicates.
    pub cube: Cube,
    /// The event taken from it, if one was.
    pub event: Option<EventId>,
    /// Values of integer variables.
    pub met: Vec<Met>,
}

/// Answer to a query.
#[derive(Clone, Debug)]
pub enum Query<T> {
    /// A state was found.
    Sat(FoundState),
    /// No state was found; the part of the question that was needed.
    Unsat(T),
    /// Not decided.
    Unknown(Stopped),
}

/// A question whose answer is to be `no`.
#[derive(Clone, Copy, Debug)]
pub enum Question<'c> {
    /// Is an initial state in the cube?
    Initially(&'c Cube),
    /// Does a step lead from a state of the frame outside the cube into it?
    Into(&'c Cube, usize),
    /// Is there a violating step from a state of the frame?
    Violating(usize),
}

impl Steps {
    /// Asserts the system.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, job: &Job, open: &mut Open<'_>) -> Result<Steps, SolverError> {
        let session = problem.session(open)?;
        Steps::of(problem, job, Sessions::new(session))
    }

    /// Opens sessions that only read arrays, and that look for states with few elements of `sorts`.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn reading(
        problem: &mut Problem,
        job: &Job,
        sorts: &[Sort],
        open: &mut Open<'_>,
    ) -> Result<Steps, SolverError> {
        let sessions = Sessions::reading(problem, sorts, open)?;
        let mut steps = Steps::of(problem, job, sessions)?;
        for _ in 0..tuning().diagrams.spare {
            steps.sessions.add_spare(open(problem.terms())?);
        }
        problem.system.about_constants().try_for_each(|t| steps.tell(t))?;
        Ok(steps)
    }

    /// Opens a session in which sorts have these elements and no others, of which several may be the same; none where a
    /// part of the system cannot be expressed in it.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn within(
        problem: &mut Problem,
        job: &Job,
        elements: &[(Sort, Vec<Term>)],
        open: &mut Open<'_>,
    ) -> Result<Option<Steps>, SolverError> {
        let mut session = open(problem.terms())?;
        session.only_read_arrays(problem.system.whole_carriers());
        session.only_these_elements(elements.iter().cloned().collect());
        let mut steps = Steps::of(problem, job, Sessions::new(session))?;
        problem.system.about_constants().try_for_each(|t| steps.tell(t))?;
        Ok((steps.session().left_out() == 0).then_some(steps))
    }

    /// For each event a literal that implies that it leads from the first state to the second.
    pub(crate) fn selectors(&self) -> &[(EventId, Term)] {
        &self.selectors
    }

    fn of(problem: &mut Problem, job: &Job, sessions: Sessions) -> Result<Steps, SolverError> {
        let terms = problem.terms();
        let mut asserted = vec![];
        let assumed = problem.assumed_in(0);
        asserted.push(assumed);
        let initial = terms.fresh("initial", Terms::BOOL);
        let relation = problem.system.initialisation.relation.unwrap_or(Terms::TRUE);
        let relation = problem.unrolling.init(relation);
        asserted.push(terms.implies(initial, relation));
        let mut selectors = vec![];
        for e in 0..problem.system.events.len() {
            let id = EventId(e as u32);
            let Some(relation) = problem.system.events[e].relation else { continue };
            let relation = problem.unrolling.step(relation, 0);
            if relation == Terms::FALSE {
                continue;
            }
            let selector = terms.fresh(&format!("event{e}"), Terms::BOOL);
            asserted.push(terms.implies(selector, relation));
            selectors.push((id, selector));
        }
        let step = terms.fresh("step", Terms::BOOL);
        asserted.push(terms.implies(step, terms.or(selectors.iter().map(|s| s.1))));
        let forever = terms.fresh("forever", Terms::BOOL);
        let mut steps = Steps {
            sessions,
            forever,
            selectors,
            initial,
            step,
            bad: Terms::FALSE,
            failures: vec![],
            activations: vec![],
            facts: 0,
            declared: Declared::default(),
            quantified: HashMap::new(),
            orbits: None,
            guesses: vec![],
        };
        for t in asserted {
            steps.tell(t)?;
        }
        steps.ask_open(problem, job)?;
        steps.declare(problem, &Predicates::default())?;
        Ok(steps)
    }

    /// From now on, a violating step is one that violates a target or fails, as far as neither is proven not to happen.
    ///
    /// # Errors
    /// If the solver fails.
    pub(super) fn ask_open(&mut self, problem: &mut Problem, job: &Job) -> Result<(), SolverError> {
        let terms = problem.terms();
        let mut bad = vec![problem.unassumed_violated_in(job, 0)];
        for &(event, selector) in &self.selectors {
            let violated = problem.violated_after(job, Some(event), 1);
            bad.push(terms.and([selector, violated]));
        }
        self.failures = problem.failures_at(0);
        bad.extend(self.failures.iter().map(|f| f.1));
        self.bad = terms.fresh("bad", Terms::BOOL);
        self.tell(terms.implies(self.bad, terms.or(bad)))
    }

    /// Work of the solvers.
    pub fn statistics(&self) -> Statistics {
        self.sessions.statistics()
    }

    /// The session, with everything asserted that is asserted for good.
    pub(crate) fn session(&mut self) -> &mut Session {
        self.sessions.any_size()
    }

    /// Implies that the first state is initial.
    pub(crate) fn initial_literal(&self) -> Term {
        self.initial
    }

    /// Implies a violating step from the first state.
    pub(crate) fn bad_literal(&self) -> Term {
        self.bad
    }

    /// Implies that some event leads from the first state to the second.
    pub(crate) fn step_literal(&self) -> Term {
        self.step
    }

    /// Assumes an invariant in all frames but that of the initialisation.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn know(&mut self, guess: &Guess) -> Result<(), SolverError> {
        let known = self.sessions.terms().implies(self.forever, guess.now);
        self.guesses.push(guess.clone());
        self.tell(known)
    }

    /// Assumes an invariant that is shown elsewhere, in all frames but that of the initialisation. Returns false if it
    /// has no term.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn adopt(&mut self, problem: &mut Problem, lemma: &Pred) -> Result<bool, SolverError> {
        let Ok(encoded) = problem.system.predicate(lemma) else { return Ok(false) };
        let term = encoded.holds;
        if term == Terms::TRUE || self.guesses.iter().any(|known| known.term == term) {
            return Ok(true);
        }
        self.declare(problem, &Predicates::default())?;
        let (now, then) = (problem.unrolling.state(term, 0), problem.unrolling.state(term, 1));
        self.know(&Guess { pred: lemma.clone(), term, now, then })?;
        Ok(true)
    }

    /// The invariants that were guessed or told.
    pub fn guesses(&self) -> &[Guess] {
        &self.guesses
    }

    /// Adds new predicates, and facts that came with them.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn declare(&mut self, problem: &mut Problem, predicates: &Predicates) -> Result<(), SolverError> {
        while let Some(&fact) = problem.system.facts.state.get(self.facts) {
            for k in 0..2 {
                let here = problem.unrolling.state(fact, k);
                self.tell(here)?;
            }
            self.facts += 1;
        }
        self.declared.add(predicates, &mut problem.unrolling);
        Ok(())
    }

    /// The literal to do without first, of those that may go: the one that says most.
    pub fn first_to_drop(&self, cube: &Cube, kept: &BTreeSet<Literal>) -> Option<Literal> {
        let Some(orbits) = &self.orbits else { return self.declared.first_to_drop(cube, kept) };
        let open = cube.literals().iter().filter(|l| !kept.contains(*l));
        open.min_by_key(|l| orbits.bits.rank(l)).copied()
    }

    /// Returns whether a condition over one state holds wherever the assumed conjuncts hold.
    pub fn is_always_true(
        &mut self,
        system: &mut System,
        unrolling: &mut Unrolling,
        condition: Term,
        budget: &Budget,
    ) -> bool {
        let terms = system.terms.clone();
        let wrong = unrolling.state(terms.not(condition), 0);
        let budget = budget.per_query(tuning().ic3.always);
        matches!(decide(self.session(), &[wrong], &budget), Ok(Decided::Unsat(_)))
    }

    fn activation(&mut self, frame: usize) -> Term {
        while self.activations.len() <= frame {
            let fresh = self.sessions.terms().fresh("frame", Terms::BOOL);
            self.activations.push(fresh);
        }
        self.activations[frame]
    }

    /// Assumptions for the first state being in a frame.
    fn in_frame(&mut self, frame: usize) -> Vec<Term> {
        if frame == 0 {
            return vec![self.initial];
        }
        self.activation(frame);
        let mut all = self.activations[frame..].to_vec();
        all.push(self.forever);
        all
    }

    fn now(&self, literal: &Literal) -> Term {
        let t = self.declared.terms[literal.position].0;
        if literal.positive { t } else { self.sessions.terms().not(t) }
    }

    pub(super) fn then(&self, literal: &Literal) -> Term {
        let t = self.declared.terms[literal.position].1;
        if literal.positive { t } else { self.sessions.terms().not(t) }
    }

    /// Asserts that a cube is blocked in a frame.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn learn(&mut self, problem: &mut Problem, cube: &Cube, frame: usize) -> Result<(), SolverError> {
        let activation = self.activation(frame);
        self.block(problem, cube, activation)
    }

    /// Asserts that a cube is blocked in all frames but that of the initialisation: a lemma that is
    /// inductive together with the assumed conjuncts and the lemmas of this kind before it.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn learn_forever(&mut self, problem: &mut Problem, cube: &Cube) -> Result<(), SolverError> {
        self.block(problem, cube, self.forever)
    }

    fn block(&mut self, problem: &mut Problem, cube: &Cube, activation: Term) -> Result<(), SolverError> {
        let terms = problem.terms();
        let clause = self.clause(problem, cube)?;
        if let Some(orbits) = &mut self.orbits {
            orbits.follows(cube, activation);
        }
        self.tell(terms.implies(activation, clause))
    }

    /// The negation of a cube in the first state: where elements are free in it, for all of them.
    ///
    /// # Errors
    /// If the solver fails.
    pub(super) fn clause(&mut self, problem: &mut Problem, cube: &Cube) -> Result<Term, SolverError> {
        let terms = problem.terms();
        if let Some(orbits) = &mut self.orbits {
            let (literal, is_new) = orbits.literal(&terms, cube);
            if is_new {
                let clause = terms.or(cube.literals().iter().map(|l| terms.not(self.now(l))));
                self.tell(terms.implies(literal, clause))?;
            }
            return Ok(literal);
        }
        if !cube.literals().iter().any(|l| self.declared.has_elements(l)) {
            return Ok(terms.or(cube.literals().iter().map(|l| terms.not(self.now(l)))));
        }
        if let Some(&known) = self.quantified.get(cube) {
            return Ok(known);
        }
        let said = self.declared.known.clause(&problem.system.model.clone(), cube);
        let clause = match problem.system.predicate(&said) {
            Ok(encoded) => problem.unrolling.state(encoded.holds, 0),
            // A cube that cannot be expressed blocks nothing.
            Err(_) => Terms::TRUE,
        };
        self.quantified.insert(cube.clone(), clause);
        Ok(clause)
    }

    /// A state of a frame from which a violating step exists.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn bad(
        &mut self,
        problem: &mut Problem,
        abstraction: &mut Abstraction,
        frame: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Query<()>, SolverError> {
        debug_assert_eq!(abstraction.predicates.len(), self.declared.terms.len());
        let mut assumptions = self.in_frame(frame);
        assumptions.push(self.bad);
        self.ask(problem, assumptions, Some(abstraction), work).map(|q| match q {
            Query::Sat(s) => Query::Sat(s),
            Query::Unsat(_) => Query::Unsat(()),
            Query::Unknown(r) => Query::Unknown(r),
        })
    }

    /// Checks whether a step from a state of `frame` outside the cube leads into the cube. The core is the part of the
    /// cube that is needed. States are read only if there is an abstraction to read them by.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn consecution(
        &mut self,
        problem: &mut Problem,
        abstraction: Option<&mut Abstraction>,
        cube: &Cube,
        frame: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Query<Cube>, SolverError> {
        let outside = self.clause(problem, cube)?;
        let mut assumptions = self.in_frame(frame);
        assumptions.push(outside);
        assumptions.push(self.step);
        assumptions.extend(self.by_weight(cube).iter().map(|l| self.then(l)));
        Ok(match self.ask(problem, assumptions, abstraction, work)? {
            Query::Unsat(core) => Query::Unsat(Cube::new(
                cube.literals().iter().copied().filter(|l| core.contains(&self.then(l))).collect(),
            )),
            Query::Sat(s) => Query::Sat(s),
            Query::Unknown(r) => Query::Unknown(r),
        })
    }

    /// Checks whether an initial state is in the cube. The core is the part of the cube that excludes the initial
    /// states.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn initial(
        &mut self,
        problem: &mut Problem,
        cube: &Cube,
        work: &mut Work<'_, '_>,
    ) -> Result<Query<Cube>, SolverError> {
        let mut assumptions = vec![self.initial];
        assumptions.extend(self.by_weight(cube).iter().map(|l| self.now(l)));
        Ok(match self.ask(problem, assumptions, None, work)? {
            Query::Unsat(core) => Query::Unsat(Cube::new(
                cube.literals().iter().copied().filter(|l| core.contains(&self.now(l))).collect(),
            )),
            Query::Sat(s) => Query::Sat(s),
            Query::Unknown(r) => Query::Unknown(r),
        })
    }

    /// `part` of a cube, with as many of the cube's literals put back as keep the initial states out.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn disjoint_from_initial(
        &mut self,
        problem: &mut Problem,
        part: Cube,
        whole: &Cube,
        work: &mut Work<'_, '_>,
    ) -> Result<Cube, SolverError> {
        if !part.literals().is_empty() && matches!(self.initial(problem, &part, work)?, Query::Unsat(_)) {
            return Ok(part);
        }
        Ok(match self.initial(problem, whole, work)? {
            Query::Unsat(core) => Cube::new(part.literals().iter().chain(core.literals()).copied().collect()),
            _ => whole.clone(),
        })
    }

    fn ask(
        &mut self,
        problem: &mut Problem,
        mut assumptions: Vec<Term>,
        abstraction: Option<&mut Abstraction>,
        work: &mut Work<'_, '_>,
    ) -> Result<Query<Vec<Term>>, SolverError> {
        let read = abstraction.is_some();
        let (within, decided) = loop {
            let BySize(within, decided) =
                work.ask(|budget| self.sessions.decide(problem, &mut assumptions, read, budget))?;
            if !matches!(decided, Decided::Sat) || !self.add_images(&assumptions)? {
                break (within, decided);
            }
        };
        match decided {
            Decided::Unsat(core) => return Ok(Query::Unsat(core)),
            Decided::Unknown(reason) => return Ok(Query::Unknown(reason)),
            Decided::Sat => {}
        }
        let Some(Abstraction { domain, predicates }) = abstraction else {
            return Ok(Query::Sat(FoundState { cube: Cube::new(vec![]), event: None, met: vec![] }));
        };
        let found = match self.sessions.answering(within).model() {
            None => return Ok(Query::Unknown(Stopped::Incomplete("there is no model to read".into()))),
            Some(mut model) => {
                let mut event = None;
                for (e, taken) in self.selectors.iter().chain(&self.failures) {
                    if event.is_none() && model.holds(*taken)? {
                        event = Some(*e);
                    }
                }
                let met = integers(problem, &mut model)?;
                let cube = domain.abstracted(problem, predicates, &mut model)?;
                FoundState { cube, event, met }
            }
        };
        self.declare(problem, predicates)?;
        Ok(Query::Sat(found))
    }

    /// Decides a question about sets of any size or of settled ones, with the images of the cubes that are blocked under
    /// the assumptions.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn decide(
        &mut self,
        assumptions: &[Term],
        work: &mut Work<'_, '_>,
    ) -> Result<Decided, SolverError> {
        loop {
            let decided = work.ask(|budget| decide(self.session(), assumptions, budget))?;
            if !matches!(decided, Decided::Sat) || !self.add_images(assumptions)? {
                return Ok(decided);
            }
        }
    }

    /// The literals of a cube, first those that are to stay in its core: solvers decide assumptions in their order.
    fn by_weight(&self, cube: &Cube) -> Vec<Literal> {
        let mut literals = cube.literals().to_vec();
        if let Some(orbits) = &self.orbits {
            literals.sort_by_key(|l| std::cmp::Reverse(orbits.bits.rank(l)));
        }
        literals
    }

    /// Returns the rest of a cube of bits without one of the elements that may change places, for each of them.
    pub(super) fn without_elements(&self, cube: &Cube) -> Vec<Cube> {
        self.orbits.as_ref().map_or_else(Vec::new, |orbits| orbits.bits.without_elements(cube))
    }

    /// From now on cubes are blocked with all their images.
    pub(super) fn block_orbits(&mut self, orbits: Orbits) {
        self.orbits = Some(orbits);
    }

    /// Tells the session those images that its last model violates. Returns false if there are none.
    fn add_images(&mut self, assumptions: &[Term]) -> Result<bool, SolverError> {
        let Some(orbits) = self.orbits.as_mut().filter(|orbits| orbits.count_under(assumptions)) else {
            return Ok(false);
        };
        let Some(mut model) = self.sessions.any_size().model() else { return Ok(false) };
        let mut truth = vec![];
        for (now, _) in &self.declared.terms {
            truth.push(match model.value(*now)? {
                TermValue::Bool(is_true) => Some(is_true),
                _ => None,
            });
        }
        let violated = orbits.violated(assumptions, &truth);
        let terms = self.sessions.terms().clone();
        for (literal, image) in &violated {
            let clause = terms.or(image.literals().iter().map(|l| terms.not(self.now(l))));
            self.tell(terms.implies(*literal, clause))?;
        }
        Ok(!violated.is_empty())
    }

    /// Returns whether an undecided question is asked again: for twice as long, and in a new session.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn wait_longer(&mut self, problem: &Problem, open: &mut Open<'_>) -> Result<bool, SolverError> {
        self.sessions.wait_longer(problem, open)
    }

    /// Asserts a term for good, in all sessions.
    pub(crate) fn tell(&mut self, t: Term) -> Result<(), SolverError> {
        self.sessions.tell(t)
    }
}

/// Values of the integer variables in the first state of a model.
fn integers(problem: &mut Problem, model: &mut Model<'_>) -> Result<Vec<Met>, SolverError> {
    let mut met = vec![];
    for v in 0..problem.system.variables.current.len() {
        if problem.system.model.variables[v].ty != Type::Int {
            continue;
        }
        if let Symbolic::Atom(symbol) = problem.system.variables.current[v] {
            let here = problem.unrolling.state(symbol, 0);
            if let TermValue::Int(value) = model.value(here)? {
                met.push(Met { variable: VarId(v as u32), value });
            }
        }
    }
    Ok(met)
}
