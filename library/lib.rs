//! Verifies models written in classical B or Event-B, in a program of your own.
//!
//! [`load`] reads a machine with all that it refers to. [`check`], [`ic3`] and [`mc`] decide whether its invariant holds in
//! every reachable state, [`po`] tries its proof obligations, and [`explore`] computes states, steps and values.
//!
//! ```no_run
//! let machine = bsym::load("lift.mch")?;
//! let answer = bsym::check(&machine, &bsym::Question::default())?;
//! match answer.verdict {
//!     bsym::Conclusion::Holds => println!("the invariant holds"),
//!     bsym::Conclusion::Violated(found) => println!("{} after {} steps", found.violated.join(", "), found.steps.len()),
//!     bsym::Conclusion::Vacuous(why) | bsym::Conclusion::Unknown(why) => println!("{why}"),
//! }
//! # Ok::<(), bsym::Error>(())
//! ```
//!
//! As in the program `bsym`, every counterexample was replayed by a reference evaluator, and every proof was checked in a
//! fresh solver. `unknown` is always possible. The crates below (`bsym-language`, `bsym-semantics`, `bsym-engines`,
//! `bsym-explore`, `bsym-proofs`) have everything that this one leaves out; [`Machine::model`] leads to them.

mod answer;
mod explorer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{SolverChoice, open};
use bsym_engines::contestant::opener;
use bsym_engines::options::Job;
use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress};
use bsym_explore::options::{Limits, SearchOptions};
use bsym_explore::search::{Problem, search};
use bsym_language::diagnostic::Severity;
use bsym_language::int::Int;
use bsym_language::load::{LoadError, LoadRequest, Loaded, load_text, load_with};
use bsym_language::model::Model;
use bsym_language::print::shown_pred;
use bsym_language::render::render_line;
use bsym_language::stack::with_large_stack;
use bsym_proofs::claim::Property;
use bsym_proofs::obligations::prove_obligations;
use bsym_semantics::scope::{Scope, ScopeError, ScopeRequest};
use bsym_semantics::trace::replay::Checks;
pub use bsym_status::file::Status;

pub use answer::{Answer, Conclusion, State, Step, ViolatingTrace};
pub use explorer::{Explorer, Successors};

/// Reasons why a question has no answer at all.
#[derive(thiserror::Error, Debug)]
pub enum Error {
    /// A file cannot be read, or it is not clear which machine is meant.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The machine or a formula has mistakes: one line for each, with its place.
    #[error("{}", .0.join("\n"))]
    Rejected(Vec<String>),
    /// The question names a set that the machine does not have, or sizes and bounds that nothing can have.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A formula or step has no value, for the reason that is given.
    #[error("{0}")]
    NoValue(String),
    /// The solver cannot be started or fails.
    #[error("{0}")]
    Solver(String),
}

/// A machine, or a component of Event-B, without mistakes.
#[derive(Clone, Debug)]
pub struct Machine {
    model: Arc<Model>,
}

/// Reads a machine of classical B (`.mch`, `.ref`, `.imp`, `.sys`), or a component of Event-B: of Rodin (`.bum`, `.buc`, a
/// folder, `.zip`), of a package of ProB, or as text (`.eventb`, `.bumx`, `.bucx`).
///
/// # Errors
/// The file cannot be read, or has mistakes.
pub fn load(path: impl AsRef<Path>) -> Result<Machine, Error> {
    load_component(path, None, &[])
}

/// Reads one component of a project, as [`load`] does. Other machines are looked for in the folders of the include path, too.
///
/// # Errors
/// As [`load`].
pub fn load_component(
    path: impl AsRef<Path>,
    component: Option<&str>,
    include_path: &[PathBuf],
) -> Result<Machine, Error> {
    let request = LoadRequest { component: component.map(String::from), include_path: include_path.to_vec() };
    Machine::of(load_with(path.as_ref(), &request)?)
}

impl Machine {
    /// Reads the text of a machine. What it refers to is read from the disk, beside the path `name`.
    ///
    /// ```
    /// let text = "MACHINE Tank VARIABLES level INVARIANT level : 0..9 INITIALISATION level := 0
    ///             OPERATIONS fill = SELECT level < 9 THEN level := level + 1 END END";
    /// let machine = bsym::Machine::from_text("Tank.mch", text)?;
    /// assert_eq!((machine.name(), machine.variables()), ("Tank", vec!["level"]));
    ///
    /// let mistake = bsym::Machine::from_text("Tank.mch", &text.replace("level < 9", "leval < 9"));
    /// assert!(mistake.unwrap_err().to_string().starts_with("Tank.mch:2:"));
    /// # Ok::<(), bsym::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text has mistakes.
    pub fn from_text(name: impl Into<PathBuf>, text: impl Into<String>) -> Result<Machine, Error> {
        Machine::of(load_text(name, text))
    }

    fn of(loaded: Loaded) -> Result<Machine, Error> {
        match loaded.model {
            Some(model) => Ok(Machine { model: Arc::new(model) }),
            None => {
                let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                Err(Error::Rejected(errors.map(|d| render_line(&loaded.sources, d)).collect()))
            }
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// Returns the names of the variables.
    pub fn variables(&self) -> Vec<&str> {
        self.model.variables.iter().map(|v| v.name.as_str()).collect()
    }

    /// Returns the names of the operations or events, without the initialisation.
    pub fn events(&self) -> Vec<&str> {
        self.model.events.iter().map(|e| e.name.as_str()).collect()
    }

    /// Returns the typed model, for the crates below.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
}

/// A question about a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// Sizes of deferred sets. The others have any size where a proof is looked for, and two elements where states are
    /// listed, unless the machine says otherwise.
    pub sizes: BTreeMap<String, usize>,
    /// `MAXINT`. Without it, 2147483647 where a proof is looked for, and 3 where states are listed.
    pub maxint: Option<i64>,
    /// Longest time for the answer.
    pub timeout: Option<Duration>,
    /// Ask as well whether some event is enabled in every state.
    pub deadlock: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            sizes: BTreeMap::new(),
            maxint: None,
            timeout: Some(Duration::from_secs(60)),
            deadlock: false,
        }
    }
}

impl Question {
    fn scope(&self, model: &Model, lists_states: bool) -> Result<Scope, Error> {
        let request = ScopeRequest {
            sizes: self.sizes.clone(),
            maxint: self.maxint.map(Int::from),
            minint: None,
            prob: lists_states,
        };
        Ok(Scope::settle(model, &request)?)
    }

    fn budget(&self) -> Budget {
        let budget = Budget::unlimited();
        self.timeout.map_or(budget.clone(), |time| budget.within(time))
    }
}

/// Decides with all symbolic engines: bounded model checking, k-induction and IC3, at the same time.
///
/// ```
/// let text = "MACHINE Tank VARIABLES level INVARIANT level : 0..9 INITIALISATION level := 0
///             OPERATIONS fill = SELECT level < 10 THEN level := level + 1 END END";
/// let machine = bsym::Machine::from_text("Tank.mch", text)?;
/// let answer = bsym::check(&machine, &bsym::Question::default())?;
/// let bsym::Conclusion::Violated(found) = answer.verdict else { panic!("{answer:?}") };
/// assert_eq!(found.violated, ["level : 0..9"]);
/// assert_eq!(found.steps.last().unwrap().state.as_ref().unwrap().get("level"), Some("10"));
/// # Ok::<(), bsym::Error>(())
/// ```
///
/// # Errors
/// The question does not fit the machine.
pub fn check(machine: &Machine, question: &Question) -> Result<Answer, Error> {
    symbolic(machine, question, Engine::Check)
}

/// Looks for an inductive invariant with IC3.
///
/// ```
/// let text = "MACHINE Switch VARIABLES n, on INVARIANT n : INTEGER & on : BOOL & n <= 1
///             INITIALISATION n, on := 0, FALSE
///             OPERATIONS turn = SELECT on = FALSE THEN on := TRUE || n := n + 1 END;
///                        back = SELECT on = TRUE THEN on := FALSE || n := n - 1 END END";
/// let machine = bsym::Machine::from_text("Switch.mch", text)?;
/// let answer = bsym::ic3(&machine, &bsym::Question::default())?;
/// assert_eq!(answer.verdict, bsym::Conclusion::Holds);
/// assert!(!answer.lemmas.is_empty());
/// # Ok::<(), bsym::Error>(())
/// ```
///
/// # Errors
/// The question does not fit the machine.
pub fn ic3(machine: &Machine, question: &Question) -> Result<Answer, Error> {
    symbolic(machine, question, Engine::Ic3)
}

fn symbolic(machine: &Machine, question: &Question, engine: Engine) -> Result<Answer, Error> {
    let scope = question.scope(&machine.model, false)?;
    let mut properties: Vec<Property> = (0..machine.model.invariant.len()).map(Property::Invariant).collect();
    properties.extend(question.deadlock.then_some(Property::DeadlockFree));
    let job = Job::new(machine.model.clone(), scope, properties, question.budget());
    let job = Job { well_definedness: true, ..job };
    let report =
        with_large_stack(|| run(&job, engine, &opener(SolverChoice::Default), &mut |_: &Progress| {}));
    // Lemmas may name elements that only the model of the job knows.
    let proof = report.verdict.evidence();
    let lemmas = proof.map(|proof| proof.claim.lemmas().map(|p| shown_pred(&job.model, p)).collect());
    Ok(answer::answer(&job.model, &report.verdict, lemmas.unwrap_or_default(), None))
}

/// Visits every reachable state of a finite scope.
///
/// ```
/// let text = "MACHINE Tank VARIABLES level INVARIANT level : 0..9 INITIALISATION level := 0
///             OPERATIONS fill = SELECT level < 9 THEN level := level + 1 END END";
/// let machine = bsym::Machine::from_text("Tank.mch", text)?;
/// let answer = bsym::mc(&machine, &bsym::Question::default())?;
/// assert_eq!((answer.verdict, answer.states), (bsym::Conclusion::Holds, Some(10)));
/// # Ok::<(), bsym::Error>(())
/// ```
///
/// # Errors
/// The question does not fit the machine.
pub fn mc(machine: &Machine, question: &Question) -> Result<Answer, Error> {
    let scope = question.scope(&machine.model, true)?;
    let checks = Checks { deadlock: question.deadlock, well_definedness: true, ..Checks::default() };
    let limits = Limits { time: question.timeout, ..Limits::default() };
    let options = SearchOptions { checks, limits, ..SearchOptions::default() };
    let report = with_large_stack(|| {
        let problem = Problem { model: &machine.model, scope: &scope, finder: None };
        search(&problem, &options, &mut |_: &bsym_explore::report::Progress| {})
    });
    Ok(answer::answer(
        &machine.model,
        &report.verdict,
        vec![],
        usize::try_from(report.statistics.states).ok(),
    ))
}

/// A proof obligation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// Its name, as `bsym po` has it: `fill/inv1/INV`.
    pub name: String,
    /// What it states.
    pub goal: String,
    /// What became of it.
    pub status: Status,
    /// Why it is open.
    pub reason: Option<String>,
}

/// Tries all proof obligations of a machine, each for two seconds at most.
///
/// ```
/// let text = "MACHINE Tank VARIABLES level INVARIANT level : 0..9 INITIALISATION level := 0
///             OPERATIONS fill = SELECT level < 10 THEN level := level + 1 END END";
/// let machine = bsym::Machine::from_text("Tank.mch", text)?;
/// let open: Vec<String> = bsym::po(&machine, &bsym::Question::default())?
///     .into_iter()
///     .filter(|obligation| !obligation.status.is_discharged())
///     .map(|obligation| obligation.name)
///     .collect();
/// assert_eq!(open, ["fill/inv1/INV"]);
/// # Ok::<(), bsym::Error>(())
/// ```
///
/// # Errors
/// The question does not fit the machine, or the solver cannot be started.
pub fn po(machine: &Machine, question: &Question) -> Result<Vec<Obligation>, Error> {
    let scope = question.scope(&machine.model, false)?;
    let budget = question.budget().per_query(Duration::from_secs(2));
    with_large_stack(|| {
        let mut opener = |terms| open(terms, &SolverChoice::Default);
        let proved = prove_obligations(machine.model.clone(), &scope, &mut opener, &budget, &mut |_| {})
            .map_err(|error| Error::Solver(error.to_string()))?;
        let obligation = |proof: &bsym_proofs::obligations::Proof| Obligation {
            name: proof.name.clone(),
            goal: proved.goal_text(proof, &machine.model),
            status: proof.status,
            reason: proof.reason.clone(),
        };
        Ok(proved.all.iter().map(obligation).collect())
    })
}

/// Begins to explore a machine.
///
/// ```
/// let text = "MACHINE Tank CONSTANTS most PROPERTIES most = 9 VARIABLES level INVARIANT level : 0..most
///             INITIALISATION level := 0
///             OPERATIONS fill(n) = PRE n : 1..3 & level + n <= most THEN level := level + n END END";
/// let machine = bsym::Machine::from_text("Tank.mch", text)?;
/// let explorer = bsym::explore(&machine, &bsym::Question::default())?;
/// let first = explorer.initial_states()?.remove(0);
/// let successors = explorer.successors(&first);
/// assert_eq!(successors.steps.len(), 3);
/// let step = &successors.steps[2];
/// assert_eq!((step.event.as_str(), step.parameters["n"].as_str()), ("fill", "3"));
/// assert_eq!(explorer.eval(step.state.as_ref().unwrap(), "most - level")?, "6");
/// assert_eq!(explorer.eval(&first, "level > 3")?, "FALSE");
/// # Ok::<(), bsym::Error>(())
/// ```
///
/// # Errors
/// The question does not fit the machine.
pub fn explore(machine: &Machine, question: &Question) -> Result<Explorer, Error> {
    Ok(Explorer::new(machine.model.clone(), question.scope(&machine.model, true)?))
}
