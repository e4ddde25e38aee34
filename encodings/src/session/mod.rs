//! Sessions: the one way to a solver.
//!
//! A [`Session`] holds what was asserted and answers checks under assumptions. A model exists only
//! after `sat` and a core only after `unsat`: both borrow the session, so asking too late does not
//! compile. What differs between solvers is a [`Backend`].
//!
//! Every check climbs a ladder: first without the hypotheses of second order (`held`), whose `unsat` is final, then
//! with those that the model found does not satisfy.

// The vocabulary of every backend, ...
mod backend;
mod confirm;
pub mod evaluate;
mod held;
mod model;
mod value;

// ... the backends, from a term to the text that a program reads and back ...
mod choices;
pub mod horn;
mod names;
mod parse;
pub mod process;
mod second;
mod sexpr;
pub mod smtlib;
mod tptp;
#[cfg(feature = "z3")]
pub mod z3;

// ... and who chooses one of them.
pub mod open;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

pub use self::backend::{Backend, RawAnswer, Size, SolverError};
pub use self::model::Model;
pub use self::open::{SolverChoice, linked, open, process, sat, versions};
pub use self::process::{find_solver, run_prover, run_script, solver_version};
pub use self::smtlib::{Dialect, script};
pub use self::tptp::tptp;
pub use self::value::TermValue;

use self::confirm::{Confirmed, Doubtful};
use self::held::{Held, Judged};
use crate::budget::{Budget, Stopped, spend};
use crate::term::{Instances, ReadOnly, Sort, Term, Terms};
use crate::tuning::tuning;

/// Counters of a session.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Checks.
    pub queries: u64,
    /// Checks that were answered `unknown`.
    pub unknowns: u64,
    /// Quantifiers and lambdas in what was asserted.
    pub quantifiers: u64,
    /// Checks that were decided without a hypothesis of second order, while there was one.
    pub light: u64,
    /// Hypotheses of second order that a check could not do without.
    pub demanded: u64,
    /// Time in the solver.
    pub time: Duration,
    /// Size of what SAT solvers were given.
    pub size: Size,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.unknowns += other.unknowns;
        self.quantifiers += other.quantifiers;
        self.light += other.light;
        self.demanded += other.demanded;
        self.time += other.time;
        self.size += other.size;
    }
}

/// An answer with what may be asked after it.
pub enum Answer<'s> {
    /// There is a model.
    Sat(Model<'s>),
    /// There is no model; the core says which assumptions were used.
    Unsat(Core),
    /// Not decided.
    Unknown(Stopped),
}

/// Assumptions that are unsatisfiable together with what was asserted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core(pub Vec<Term>);

impl Core {
    /// Returns whether an assumption is in the core.
    pub fn contains(&self, t: Term) -> bool {
        self.0.contains(&t)
    }
}

/// Reason why a check that holds hypotheses back is not decided.
const HELD_BACK: &str = "hypotheses of second order were held back";

/// Reason why a model that the evaluation refutes is no answer.
const NO_MODEL: &str = "its model does not satisfy what was asked";

/// Decides whether a model will do, although it does not have to satisfy the hypotheses that are held.
pub type Judge<'j> = dyn FnMut(&mut Model<'_>) -> Result<bool, SolverError> + 'j;

/// A solver with assertions.
pub struct Session {
    terms: Rc<Terms>,
    backend: Box<dyn Backend>,
    literals: FxHashMap<Term, Term>,
    held: Held,
    doubtful: Doubtful,
    /// See [`Session::hold_back`].
    holds_back: bool,
    /// See [`Session::only_read_arrays`].
    read_only: Option<ReadOnly>,
    /// See [`Session::only_these_elements`].
    instances: Option<Instances>,
    /// Number of asserted parts that could not be expressed.
    left_out: usize,
    /// The last check found a model, and nothing was asserted since.
    sat: bool,
    statistics: Statistics,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({})", self.backend.name())
    }
}

impl Session {
    /// A session without assertions.
    pub fn new(terms: Rc<Terms>, backend: Box<dyn Backend>) -> Self {
        Session {
            terms,
            backend,
            literals: FxHashMap::default(),
            held: Held::default(),
            doubtful: Doubtful::default(),
            holds_back: false,
            read_only: None,
            instances: None,
            left_out: 0,
            sat: false,
            statistics: Statistics::default(),
        }
    }

    /// The terms that the session speaks of.
    pub fn terms(&self) -> &Rc<Terms> {
        &self.terms
    }

    /// The solver's name and version.
    pub fn solver(&self) -> String {
        self.backend.name()
    }

    /// The work of the last check as [`Budget::steps`] counts it; none if the solver does not count.
    pub(crate) fn steps(&self) -> u64 {
        self.backend.steps()
    }

    /// Counters so far.
    pub fn statistics(&self) -> Statistics {
        Statistics { size: self.backend.size(), ..self.statistics }
    }

    /// From now on arrays are only read, as functions are, and some symbols stand for these terms. Assertions that
    /// cannot be expressed in this way are left out: `unsat` remains true, and a model may be invalid. Of a model only
    /// the values of symbols and Boolean symbols may be asked.
    pub fn only_read_arrays(&mut self, symbols: impl IntoIterator<Item = (Term, Term)>) {
        self.read_only = Some(ReadOnly::new(symbols));
        self.backend.only_read_arrays();
    }

    /// From now on sorts have these elements and no others, of which several may be the same: quantifiers are written
    /// out. Then `sat` is true without that as well, and `unsat` says nothing.
    pub fn only_these_elements(&mut self, elements: BTreeMap<Sort, Vec<Term>>) {
        self.instances = Some(Instances::of(elements));
        self.backend.without_quantifiers();
    }

    /// Returns the number of asserted parts that could not be expressed and are left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Asserts a term for good. Parts of second order wait until a check cannot do without them.
    ///
    /// # Errors
    /// If the solver is gone or cannot express the term.
    pub fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        if t == Terms::TRUE {
            return Ok(());
        }
        self.statistics.quantifiers += self.terms.quantifiers(&[t]) as u64;
        if self.read_only.is_some() {
            return self.tell(t);
        }
        for part in self.held.take_in(&self.terms, t) {
            self.tell(part)?;
        }
        Ok(())
    }

    /// Says that no two of some literals are needed at once, see [`Backend::alternatives`].
    pub fn alternatives(&mut self, all: &[Term]) {
        self.backend.alternatives(all);
    }

    /// A literal that implies `t`; `t` itself if it is one.
    ///
    /// # Errors
    /// As [`assert`](Self::assert).
    pub fn literal(&mut self, t: Term) -> Result<Term, SolverError> {
        let atom = self.terms.node(t);
        let inner = if matches!(atom.op, crate::term::Op::Not) { atom.args[0] } else { t };
        if self.terms.as_symbol(inner).is_some() {
            return Ok(t);
        }
        if let Some(&l) = self.literals.get(&t) {
            return Ok(l);
        }
        if self.terms.has_second_order() && self.terms.is_of_second_order(t) {
            for held in self.held.release() {
                self.tell(held)?;
            }
        }
        let l = self.terms.fresh("assume", Terms::BOOL);
        let defined = self.terms.implies(l, t);
        self.statistics.quantifiers += self.terms.quantifiers(&[defined]) as u64;
        self.tell(defined)?;
        self.literals.insert(t, l);
        Ok(l)
    }

    /// The model of the last check, if that found one and nothing was asserted since.
    pub fn model(&mut self) -> Option<Model<'_>> {
        let elements = self.instances.as_ref().map(|i| &i.elements);
        self.sat.then_some(Model { terms: &self.terms, backend: &mut *self.backend, elements })
    }

    fn tell(&mut self, mut t: Term) -> Result<(), SolverError> {
        self.sat = false;
        if let Some(by) = &mut self.read_only {
            match self.terms.read_only(t, by) {
                Some(said) => t = said,
                None => {
                    self.left_out += 1;
                    return Ok(());
                }
            }
        }
        if let Some(by) = &mut self.instances {
            let Some(all) = self.terms.instantiated(t, by) else {
                self.left_out += 1;
                return Ok(());
            };
            return all.into_iter().try_for_each(|t| self.backend.assert(t));
        }
        self.doubtful.take_in(&self.terms, t);
        self.backend.assert(t)
    }

    /// Sets whether checks end undecided where the solver would have to be asked with hypotheses of second order: for
    /// callers that know something better to try first. [`Session::is_held_back`] says that a check has ended so.
    pub fn hold_back(&mut self, holds_back: bool) {
        self.holds_back = holds_back;
    }

    /// Returns whether hypotheses that were held back are the only reason for an `unknown`.
    pub fn is_held_back(reason: &Stopped) -> bool {
        *reason == Stopped::Incomplete(HELD_BACK.into())
    }

    /// Checks what was asserted together with the assumptions. The core speaks of the assumptions as given.
    ///
    /// # Errors
    /// If the solver is gone or cannot express a term.
    pub fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<Answer<'_>, SolverError> {
        self.check_judged(assumptions, budget, &mut |_| Ok(false))
    }

    /// Checks like [`Session::check`], with a judge that can say of a model that it satisfies the hypotheses of second
    /// order as well, or that it does not matter. The judge is asked before the solver is.
    ///
    /// # Errors
    /// If the solver is gone or cannot express a term, or those of the judge.
    pub fn check_judged(
        &mut self,
        assumptions: &[Term],
        budget: &Budget,
        judge: &mut Judge<'_>,
    ) -> Result<Answer<'_>, SolverError> {
        if let Err(stopped) = budget.check() {
            return Ok(Answer::Unknown(stopped));
        }
        if assumptions.contains(&Terms::FALSE) {
            return Ok(Answer::Unsat(Core(vec![Terms::FALSE])));
        }
        let given: Vec<Term> = assumptions.iter().copied().filter(|&a| a != Terms::TRUE).collect();
        self.sat = false;
        let mut literals = Vec::with_capacity(given.len());
        for &a in &given {
            literals.push(self.literal(a)?);
        }
        let start = Instant::now();
        let answer = self.climb(literals, budget, judge);
        self.statistics.queries += 1;
        self.statistics.time += start.elapsed();
        // What the solver did is counted by its back end.
        let terms =
            Duration::from_secs_f64(self.terms.untold_work() as f64 / tuning().session.terms_of_a_second);
        spend(tuning().session.check + terms);
        let answer = answer?;
        self.sat = answer == RawAnswer::Sat;
        match answer {
            RawAnswer::Sat => Ok(Answer::Sat(Model {
                terms: &self.terms,
                backend: &mut *self.backend,
                elements: self.instances.as_ref().map(|i| &i.elements),
            })),
            RawAnswer::Unsat => {
                // The literals of hypotheses stand behind those of the assumptions.
                let core = self.backend.core()?;
                Ok(Answer::Unsat(Core(core.into_iter().filter_map(|i| given.get(i).copied()).collect())))
            }
            RawAnswer::Unknown(reason) => {
                self.statistics.unknowns += 1;
                Ok(Answer::Unknown(reason))
            }
        }
    }

    /// Asks the solver, and asks again with what it has overlooked where its model turns out to be none.
    fn ask(&mut self, literals: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        let mut answer = self.backend.check(literals, budget)?;
        if self.doubtful.is_empty() {
            return Ok(answer);
        }
        let all = &budget.query.map_or_else(|| budget.clone(), |time| budget.within(time));
        for _ in 0..tuning().session.corrections {
            if answer != RawAnswer::Sat || !self.backend.is_doubtful() {
                return Ok(answer);
            }
            let lemmas = match self.doubtful.confirm(&self.terms, &mut *self.backend)? {
                Confirmed::Yes => return Ok(answer),
                Confirmed::No(lemmas) => lemmas,
            };
            if lemmas.is_empty() {
                break;
            }
            for lemma in lemmas {
                self.backend.assert(lemma)?;
            }
            answer = self.backend.check(literals, all)?;
        }
        Ok(RawAnswer::Unknown(Stopped::Incomplete(NO_MODEL.into())))
    }

    /// Checks without the hypotheses that are held, then with those that the models found do not satisfy.
    fn climb(
        &mut self,
        mut literals: Vec<Term>,
        budget: &Budget,
        judge: &mut Judge<'_>,
    ) -> Result<RawAnswer, SolverError> {
        if self.held.is_empty() {
            return self.ask(&literals, budget);
        }
        // All rungs together have the time of one query.
        let budget = &budget.query.map_or_else(|| budget.clone(), |time| budget.within(time));
        let assumptions = literals.len();
        let mut demanded = BTreeSet::new();
        loop {
            literals.truncate(assumptions);
            literals.extend(self.held.literals(&self.terms, &demanded));
            let answer = self.ask(&literals, budget)?;
            let wanted = match answer {
                RawAnswer::Unsat => vec![],
                RawAnswer::Sat => {
                    let mut model = Model { terms: &self.terms, backend: &mut *self.backend, elements: None };
                    match self.held.judge(&self.terms, &mut model, &demanded)? {
                        Judged { wrong, open } if wrong.is_empty() && !open.is_empty() => {
                            if judge(&mut model)? { vec![] } else { open }
                        }
                        Judged { wrong, .. } => wrong,
                    }
                }
                // The solver may refute with them what it gives up without them.
                RawAnswer::Unknown(Stopped::Incomplete(_)) => self.held.left(&demanded),
                RawAnswer::Unknown(_) => return Ok(answer),
            };
            if wanted.is_empty() {
                let decided = !matches!(answer, RawAnswer::Unknown(_));
                self.statistics.light += u64::from(decided && demanded.is_empty());
                return Ok(answer);
            }
            if self.holds_back {
                return Ok(RawAnswer::Unknown(Stopped::Incomplete(HELD_BACK.into())));
            }
            for i in wanted {
                if let Some(definition) = self.held.define(&self.terms, i) {
                    self.tell(definition)?;
                }
                demanded.insert(i);
                self.statistics.demanded += 1;
            }
        }
    }
}
