//! The one-step queries of IC3 in one solver session.
//!
//! Asserted once: axioms, facts of both states, the assumed conjuncts in the first state, every event's
//! before-after predicate behind its selector, the initialisation and the violating steps behind
//! a literal each. Lemmas stand behind the activation literal of their frame; everything else is assumed.

use std::collections::BTreeSet;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Answer, Model, Session, SolverError, Statistics, TermValue};
use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::system::System;
use bsym_encodings::system::unrolling::Unrolling;
use bsym_encodings::term::{Term, Terms};
use bsym_language::int::Int;
use bsym_language::model::{EventId, VarId};
use bsym_language::types::Type;

use super::frame::{Cube, Literal};
use super::predicate::{Predicate, size};
use crate::options::Job;
use crate::outcome::Slice;
use crate::problem::{Decided, Open, Problem, decide};

/// The session with what is asserted in it.
#[derive(Debug)]
pub struct Steps {
    session: Session,
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
    /// Each predicate in the first and the second state.
    declared: Vec<(Term, Term)>,
    /// How much each of them says in B: number of expressions and predicates in it.
    sizes: Vec<usize>,
}

/// An integer variable's value in a state met by the search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Met {
    /// The variable.
    pub variable: VarId,
    /// Its value.
    pub value: Int,
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
    /// None; what was needed.
    Unsat(T),
    /// Not decided.
    Unknown(Stopped),
}

impl Steps {
    /// Asserts the system.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(problem: &mut Problem, job: &Job, open: &mut Open<'_>) -> Result<Steps, SolverError> {
        let terms = problem.terms();
        let mut session = problem.session(open)?;
        let assumed = problem.assumed_in(0);
        session.assert(assumed)?;
        let initial = terms.fresh("initial", Terms::BOOL);
        let relation = problem.system.initialisation.relation.unwrap_or(Terms::TRUE);
        let relation = problem.unrolling.init(relation);
        session.assert(terms.implies(initial, relation))?;
        let mut selectors = vec![];
        let mut bad = vec![problem.unassumed_violated_in(job, 0)];
        for e in 0..problem.system.events.len() {
            let id = EventId(e as u32);
            let Some(relation) = problem.system.events[e].relation else { continue };
            let relation = problem.unrolling.step(relation, 0);
            if relation == Terms::FALSE {
                continue;
            }
            let selector = terms.fresh(&format!("event{e}"), Terms::BOOL);
            session.assert(terms.implies(selector, relation))?;
            selectors.push((id, selector));
            let violated = problem.violated_after(job, Some(id), 1);
            bad.push(terms.and([selector, violated]));
        }
        let failures = problem.failures_at(0);
        bad.extend(failures.iter().map(|f| f.1));
        let violating = terms.fresh("bad", Terms::BOOL);
        session.assert(terms.implies(violating, terms.or(bad)))?;
        let step = terms.fresh("step", Terms::BOOL);
        session.assert(terms.implies(step, terms.or(selectors.iter().map(|s| s.1))))?;
        let forever = terms.fresh("forever", Terms::BOOL);
        let mut steps = Steps {
            session,
            forever,
            selectors,
            initial,
            step,
            bad: violating,
            failures,
            activations: vec![],
            facts: 0,
            declared: vec![],
            sizes: vec![],
        };
        steps.declare(problem, &[])?;
        Ok(steps)
    }

    /// Work of the solver.
    pub fn statistics(&self) -> Statistics {
        self.session.statistics()
    }

    /// Takes in new predicates, and facts that came with them.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn declare(&mut self, problem: &mut Problem, predicates: &[Predicate]) -> Result<(), SolverError> {
        while let Some(&fact) = problem.system.state_facts.get(self.facts) {
            for k in 0..2 {
                let here = problem.unrolling.state(fact, k);
                self.session.assert(here)?;
            }
            self.facts += 1;
        }
        for p in predicates.iter().skip(self.declared.len()) {
            let now = problem.unrolling.state(p.term, 0);
            let then = problem.unrolling.state(p.term, 1);
            self.declared.push((now, then));
            self.sizes.push(size(&p.pred));
        }
        Ok(())
    }

    /// The literal to do without first, of those that may go: the one that says most.
    pub fn first_to_drop(&self, cube: &Cube, kept: &BTreeSet<Literal>) -> Option<Literal> {
        let open = cube.literals().iter().rev().filter(|l| !kept.contains(*l));
        open.max_by_key(|l| self.sizes.get(l.position)).copied()
    }

    /// Whether a condition over one state holds wherever the assumed conjuncts hold.
    pub fn is_always_true(
        &mut self,
        system: &mut System,
        unrolling: &mut Unrolling,
        condition: Term,
        budget: &Budget,
    ) -> bool {
        let terms = system.terms.clone();
        let wrong = unrolling.state(terms.not(condition), 0);
        let budget = budget.per_query(std::time::Duration::from_millis(300));
        matches!(decide(&mut self.session, &[wrong], &budget), Ok(Decided::Unsat(_)))
    }

    fn activation(&mut self, frame: usize) -> Term {
        while self.activations.len() <= frame {
            let fresh = self.session.terms().fresh("frame", Terms::BOOL);
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
        let t = self.declared[literal.position].0;
        if literal.positive { t } else { self.session.terms().not(t) }
    }

    fn then(&self, literal: &Literal) -> Term {
        let t = self.declared[literal.position].1;
        if literal.positive { t } else { self.session.terms().not(t) }
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
        let clause = terms.or(cube.literals().iter().map(|l| terms.not(self.now(l))));
        self.session.assert(terms.implies(activation, clause))
    }

    /// A state of a frame from which a violating step exists.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn bad(
        &mut self,
        problem: &mut Problem,
        predicates: &[Predicate],
        frame: usize,
        slice: &Slice,
    ) -> Result<Query<()>, SolverError> {
        debug_assert_eq!(predicates.len(), self.declared.len());
        let mut assumptions = self.in_frame(frame);
        assumptions.push(self.bad);
        self.ask(problem, assumptions, true, slice).map(|q| match q {
            Query::Sat(s) => Query::Sat(s),
            Query::Unsat(_) => Query::Unsat(()),
            Query::Unknown(r) => Query::Unknown(r),
        })
    }

    /// Whether a step from a state of `frame` outside the cube leads into the cube. The core is the part
    /// of the cube that is needed. States are read only if there are predicates to read them by.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn consecution(
        &mut self,
        problem: &mut Problem,
        predicates: &[Predicate],
        cube: &Cube,
        frame: usize,
        slice: &Slice,
    ) -> Result<Query<Cube>, SolverError> {
        let terms = problem.terms();
        let outside = terms.or(cube.literals().iter().map(|l| terms.not(self.now(l))));
        let mut assumptions = self.in_frame(frame);
        assumptions.push(outside);
        assumptions.push(self.step);
        assumptions.extend(cube.literals().iter().map(|l| self.then(l)));
        Ok(match self.ask(problem, assumptions, !predicates.is_empty(), slice)? {
            Query::Unsat(core) => Query::Unsat(Cube::new(
                cube.literals().iter().copied().filter(|l| core.contains(&self.then(l))).collect(),
            )),
            Query::Sat(s) => Query::Sat(s),
            Query::Unknown(r) => Query::Unknown(r),
        })
    }

    /// Whether an initial state is in the cube; the core is the part of the cube that keeps them out.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn initial(
        &mut self,
        problem: &mut Problem,
        cube: &Cube,
        slice: &Slice,
    ) -> Result<Query<Cube>, SolverError> {
        let mut assumptions = vec![self.initial];
        assumptions.extend(cube.literals().iter().map(|l| self.now(l)));
        Ok(match self.ask(problem, assumptions, false, slice)? {
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
        slice: &Slice,
    ) -> Result<Cube, SolverError> {
        if !part.literals().is_empty() && matches!(self.initial(problem, &part, slice)?, Query::Unsat(_)) {
            return Ok(part);
        }
        Ok(match self.initial(problem, whole, slice)? {
            Query::Unsat(core) => Cube::new(part.literals().iter().chain(core.literals()).copied().collect()),
            _ => whole.clone(),
        })
    }

    /// The lemmas that are needed for the violating step to be impossible and for each other.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn minimise(
        &mut self,
        problem: &mut Problem,
        cubes: Vec<Cube>,
        slice: &Slice,
    ) -> Result<Vec<Cube>, SolverError> {
        let terms = problem.terms();
        let mut clauses = vec![];
        for cube in &cubes {
            let clause = terms.or(cube.literals().iter().map(|l| terms.not(self.now(l))));
            clauses.push(self.session.literal(clause)?);
        }
        let all = |extra: Vec<Term>| clauses.iter().copied().chain(extra).collect::<Vec<_>>();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![];
        let note = |core: &[Term], needed: &mut BTreeSet<usize>, open: &mut Vec<usize>| {
            for (i, clause) in clauses.iter().enumerate() {
                if core.contains(clause) && needed.insert(i) {
                    open.push(i);
                }
            }
        };
        match decide(&mut self.session, &all(vec![self.bad]), &slice.query())? {
            Decided::Unsat(core) => note(&core, &mut needed, &mut open),
            _ => return Ok(cubes),
        }
        while let Some(i) = open.pop() {
            let mut extra: Vec<Term> = cubes[i].literals().iter().map(|l| self.then(l)).collect();
            extra.push(self.step);
            match decide(&mut self.session, &all(extra), &slice.query())? {
                Decided::Unsat(core) => note(&core, &mut needed, &mut open),
                _ => return Ok(cubes),
            }
        }
        Ok(needed.into_iter().map(|i| cubes[i].clone()).collect())
    }

    fn ask(
        &mut self,
        problem: &mut Problem,
        assumptions: Vec<Term>,
        read: bool,
        slice: &Slice,
    ) -> Result<Query<Vec<Term>>, SolverError> {
        let (selectors, failures, declared) = (&self.selectors, &self.failures, &self.declared);
        match self.session.check(&assumptions, &slice.query())? {
            Answer::Unsat(core) => Ok(Query::Unsat(core.0)),
            Answer::Unknown(reason) => Ok(Query::Unknown(reason)),
            Answer::Sat(_) if !read => {
                Ok(Query::Sat(FoundState { cube: Cube::new(vec![]), event: None, met: vec![] }))
            }
            Answer::Sat(mut model) => {
                let mut literals = vec![];
                for (position, (now, _)) in declared.iter().enumerate() {
                    match model.value(*now)? {
                        TermValue::Bool(positive) => literals.push(Literal { position, positive }),
                        // A predicate that the model leaves open is left out: a larger cube.
                        _ => continue,
                    }
                }
                let mut event = None;
                for (e, taken) in selectors.iter().chain(failures) {
                    if event.is_none() && model.holds(*taken)? {
                        event = Some(*e);
                    }
                }
                let met = integers(problem, &mut model)?;
                Ok(Query::Sat(FoundState { cube: Cube::new(literals), event, met }))
            }
        }
    }
}

/// Values of the integer variables in the first state of a model.
fn integers(problem: &mut Problem, model: &mut Model<'_>) -> Result<Vec<Met>, SolverError> {
    let mut met = vec![];
    for v in 0..problem.system.current.len() {
        if problem.system.model.variables[v].ty != Type::Int {
            continue;
        }
        if let Symbolic::Atom(symbol) = problem.system.current[v] {
            let here = problem.unrolling.state(symbol, 0);
            if let TermValue::Int(value) = model.value(here)? {
                met.push(Met { variable: VarId(v as u32), value });
            }
        }
    }
    Ok(met)
}
