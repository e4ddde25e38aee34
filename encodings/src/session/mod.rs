//! Sessions: the one way to a solver.
//!
//! A [`Session`] holds what was asserted and answers checks under assumptions. A model exists only
//! after `sat` and a core only after `unsat`: both borrow the session, so asking too late does not
//! compile. What differs between solvers is a [`Backend`].

mod choices;
pub mod evaluate;
mod names;
pub mod open;
mod parse;
pub mod process;
mod sexpr;
pub mod smtlib;
mod value;
#[cfg(feature = "z3")]
pub mod z3;

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bsym_language::int::Int;
use num_rational::BigRational;

pub use self::open::{SolverChoice, linked, open, process, versions};
pub use self::process::{find_solver, run_script};
pub use self::smtlib::{Dialect, script};

use crate::budget::{Budget, Stopped};
use crate::term::{Sort, Term, Terms};

/// A solver behind a session. Boolean terms only; assumptions are literals.
pub trait Backend {
    /// Name and version of the solver and how it is reached, for reports: `z3 5.4.0 (linked)`.
    fn name(&self) -> String;
    /// Asserts a term for good.
    fn assert(&mut self, t: Term) -> Result<(), SolverError>;
    /// Checks under assumptions, each a symbol or a negated symbol, within the budget. Returns soon
    /// after the budget is cancelled.
    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError>;
    /// After [`RawAnswer::Unsat`]: positions of the assumptions in the core.
    fn core(&mut self) -> Result<Vec<usize>, SolverError>;
    /// After [`RawAnswer::Sat`]: the value of a term, symbols that do not matter completed.
    fn value(&mut self, t: Term) -> Result<TermValue, SolverError>;
    /// After [`RawAnswer::Sat`]: the elements of an uninterpreted sort in the model; none if the
    /// solver does not say.
    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError>;
}

/// A backend's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RawAnswer {
    Sat,
    Unsat,
    Unknown(Stopped),
}

/// The solver failed, which is neither an answer nor the user's fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolverError {
    /// The program could not be started.
    #[error("the solver `{0}` could not be started: {1}")]
    NotStarted(String, String),
    /// The process is gone.
    #[error("the solver ended unexpectedly: {0}")]
    Exited(String),
    /// The solver refused what it was given.
    #[error("the solver reported an error: {0}")]
    Refused(String),
    /// The backend cannot express a term.
    #[error("{0} cannot be expressed for this solver")]
    Inexpressible(String),
}

/// A value in a model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermValue {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real.
    Real(BigRational),
    /// An element of an enumeration sort, by position.
    Constructor(Sort, u32),
    /// An element of an uninterpreted sort, by the solver's name for it.
    Element(Sort, Rc<str>),
    /// A tuple.
    Tuple(Vec<TermValue>),
    /// An array: a value everywhere except at the listed indices.
    Array {
        /// Value at all other indices.
        default: Box<TermValue>,
        /// Index and value, sorted, no index twice, no value equal to the default.
        entries: Vec<(TermValue, TermValue)>,
    },
    /// A value in a form that is not understood (an array given by a formula), as the solver printed it.
    Opaque(String),
}

/// Counters of a session.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Checks.
    pub queries: u64,
    /// Checks that were answered `unknown`.
    pub unknowns: u64,
    /// Quantifiers and lambdas in what was asserted.
    pub quantifiers: u64,
    /// Time in the solver.
    pub time: Duration,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.unknowns += other.unknowns;
        self.quantifiers += other.quantifiers;
        self.time += other.time;
    }
}

/// An answer with what may be asked after it.
pub enum Answer<'s> {
    /// There is a model.
    Sat(Model<'s>),
    /// There is none; the core says which assumptions were used.
    Unsat(Core),
    /// Not decided.
    Unknown(Stopped),
}

/// The model of the last check.
pub struct Model<'s> {
    terms: &'s Terms,
    backend: &'s mut dyn Backend,
}

impl Model<'_> {
    /// The value of a term.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        let value = self.backend.value(t)?;
        if !value.is_opaque() || self.terms.as_symbol(t).is_some() {
            return Ok(value);
        }
        // Solvers leave some operators on arrays as they are; the values of the symbols say the rest.
        let mut symbols = HashMap::new();
        for id in self.terms.symbols(&[t]) {
            let symbol = self.terms.symbol(&self.terms.symbol_name(id), self.terms.symbol_sort(id));
            symbols.insert(id, self.backend.value(symbol)?);
        }
        Ok(evaluate::evaluate(self.terms, t, &symbols).unwrap_or(value))
    }

    /// The elements of an uninterpreted sort in the model; none if the solver does not say.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        self.backend.universe(sort)
    }

    /// Whether a Boolean term is true in the model.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn holds(&mut self, t: Term) -> Result<bool, SolverError> {
        Ok(self.value(t)? == TermValue::Bool(true))
    }
}

/// Assumptions that are unsatisfiable together with what was asserted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core(pub Vec<Term>);

impl Core {
    /// Whether an assumption is in the core.
    pub fn contains(&self, t: Term) -> bool {
        self.0.contains(&t)
    }
}

/// A solver with assertions.
pub struct Session {
    terms: Rc<Terms>,
    backend: Box<dyn Backend>,
    literals: HashMap<Term, Term>,
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
        Session { terms, backend, literals: HashMap::new(), statistics: Statistics::default() }
    }

    /// A session with the linked Z3.
    #[cfg(feature = "z3")]
    pub fn linked(terms: Rc<Terms>) -> Self {
        let backend = Box::new(self::z3::Z3::new(terms.clone()));
        Session::new(terms, backend)
    }

    /// The terms that the session speaks of.
    pub fn terms(&self) -> &Rc<Terms> {
        &self.terms
    }

    /// The solver's name and version.
    pub fn solver(&self) -> String {
        self.backend.name()
    }

    /// Counters so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Asserts a term for good.
    ///
    /// # Errors
    /// If the solver is gone or cannot express the term.
    pub fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        if t == Terms::TRUE {
            return Ok(());
        }
        self.statistics.quantifiers += self.terms.quantifiers(&[t]) as u64;
        self.backend.assert(t)
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
        let l = self.terms.fresh("assume", Terms::BOOL);
        self.assert(self.terms.implies(l, t))?;
        self.literals.insert(t, l);
        Ok(l)
    }

    /// Checks what was asserted together with the assumptions. The core speaks of the assumptions as given.
    ///
    /// # Errors
    /// If the solver is gone or cannot express a term.
    pub fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<Answer<'_>, SolverError> {
        if let Err(stopped) = budget.check() {
            return Ok(Answer::Unknown(stopped));
        }
        if assumptions.contains(&Terms::FALSE) {
            return Ok(Answer::Unsat(Core(vec![Terms::FALSE])));
        }
        let given: Vec<Term> = assumptions.iter().copied().filter(|&a| a != Terms::TRUE).collect();
        let mut literals = Vec::with_capacity(given.len());
        for &a in &given {
            literals.push(self.literal(a)?);
        }
        let start = Instant::now();
        let answer = self.backend.check(&literals, budget);
        self.statistics.queries += 1;
        self.statistics.time += start.elapsed();
        match answer? {
            RawAnswer::Sat => Ok(Answer::Sat(Model { terms: &self.terms, backend: &mut *self.backend })),
            RawAnswer::Unsat => {
                Ok(Answer::Unsat(Core(self.backend.core()?.into_iter().map(|i| given[i]).collect())))
            }
            RawAnswer::Unknown(reason) => {
                self.statistics.unknowns += 1;
                Ok(Answer::Unknown(reason))
            }
        }
    }
}
