//! Choosing a solver and opening a session with it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::process::{Process, find_solver, solver_version};
use super::second::{Second, When};
use super::smtlib::Dialect;
use super::{Backend, Session, SolverError};
use crate::propositional::Propositional;
use crate::term::Terms;

/// Which solver a session uses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    /// The linked Z3 where there is one, else the program z3, else cvc5.
    #[default]
    Default,
    /// The Z3 that is linked into the program.
    Linked,
    /// A program that reads SMT-LIB.
    Process(PathBuf, Dialect),
    /// The SAT solver that is built into the program; see [`propositional`](crate::propositional).
    Sat,
    /// The built-in SAT solver, and another solver for what takes numbers of more than 64 bits.
    SatOr(Box<SolverChoice>),
    /// The built-in SAT solver with a proof of every `unsat`, which is checked.
    ProvingSat,
    /// Another solver, and the built-in SAT solver with checked proofs for what that one does not decide soon.
    OrProvingSat(Box<SolverChoice>),
}

impl SolverChoice {
    /// `z3` or `cvc5` as a program, wherever it is found.
    pub fn named(name: &str) -> Option<Self> {
        let dialect = if name == "z3" { Dialect::Z3 } else { Dialect::Generic };
        find_solver(name).map(|path| SolverChoice::Process(path, dialect))
    }
}

/// A session with a solver in another process.
///
/// # Errors
/// [`SolverError::NotStarted`] if it cannot be started.
pub fn process(terms: Rc<Terms>, path: &Path, dialect: Dialect) -> Result<Session, SolverError> {
    open(terms, &SolverChoice::Process(path.into(), dialect))
}

/// A session with the linked Z3; `None` in a build without it.
pub fn linked(terms: Rc<Terms>) -> Option<Session> {
    linked_backend(terms.clone()).map(|backend| Session::new(terms, backend))
}

fn linked_backend(terms: Rc<Terms>) -> Option<Box<dyn Backend>> {
    #[cfg(feature = "z3")]
    return Some(Box::new(super::z3::Z3::new(terms)));
    #[cfg(not(feature = "z3"))]
    {
        drop(terms);
        None
    }
}

/// A session with the SAT solver, which is always there.
pub fn sat(terms: Rc<Terms>) -> Session {
    Session::new(terms.clone(), Box::new(Propositional::new(terms)))
}

/// Opens a session with the chosen solver.
///
/// # Errors
/// [`SolverError::NotStarted`] if there is none, or it cannot be started.
pub fn open(terms: Rc<Terms>, choice: &SolverChoice) -> Result<Session, SolverError> {
    Ok(Session::new(terms.clone(), backend(terms, choice)?))
}

/// The chosen solver without a session.
pub(super) fn backend(terms: Rc<Terms>, choice: &SolverChoice) -> Result<Box<dyn Backend>, SolverError> {
    let missing = |what: &str, help: &str| SolverError::NotStarted(what.into(), help.into());
    match choice {
        SolverChoice::Process(path, dialect) => Ok(Box::new(Process::start(terms, path, *dialect)?)),
        SolverChoice::Sat => Ok(Box::new(Propositional::new(terms))),
        SolverChoice::SatOr(other) => {
            let (other, sat) = (other.clone(), Box::new(Propositional::new(terms.clone())));
            let open = Box::new(move |terms| backend(terms, &other));
            Ok(Box::new(Second::new(terms, sat, When::TooWide, open)))
        }
        SolverChoice::OrProvingSat(first) => {
            let (first, open) = (backend(terms.clone(), first)?, Box::new(proving));
            Ok(Box::new(Second::new(terms, first, When::Undecided, open)))
        }
        SolverChoice::ProvingSat => proving(terms),
        SolverChoice::Linked => {
            linked_backend(terms).ok_or_else(|| missing("z3 (linked)", "this program was built without it"))
        }
        SolverChoice::Default => {
            if cfg!(feature = "z3") {
                return backend(terms, &SolverChoice::Linked);
            }
            match SolverChoice::named("z3").or_else(|| SolverChoice::named("cvc5")) {
                Some(found) => backend(terms, &found),
                None => Err(missing("z3", "neither z3 nor cvc5 is on the PATH")),
            }
        }
    }
}

fn proving(terms: Rc<Terms>) -> Result<Box<dyn Backend>, SolverError> {
    Ok(Box::new(Propositional::proving(terms)))
}

/// Name and version of the linked Z3; `None` in a build without it.
pub fn linked_version() -> Option<String> {
    #[cfg(feature = "z3")]
    return Some(super::z3::Z3::version());
    #[cfg(not(feature = "z3"))]
    None
}

/// The solvers that sessions can be opened with, for `--version`.
pub fn versions() -> Vec<String> {
    let mut all: Vec<String> = linked_version().into_iter().collect();
    for (name, dialect) in [("z3", Dialect::Z3), ("cvc5", Dialect::Generic)] {
        if let Some(path) = find_solver(name)
            && let Some(version) = solver_version(&path, dialect)
        {
            all.push(format!("{version}: {}", path.display()));
        }
    }
    all
}
