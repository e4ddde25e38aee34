//! The job of an engine: what is asked of it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverChoice;
use bsym_encodings::system::build::Representations;
use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::Scope;
use bsym_status::ProofStatus;

use crate::invariants::binders;

/// A model with names for the elements of its deferred sets, over which lemmas quantify.
///
/// The names are locals that nothing in the model refers to. A lemma of a proof refers to them, so print and evaluate
/// lemmas with this model.
#[derive(Clone, Debug)]
pub struct QuantifiableModel(Arc<Model>);

impl From<Arc<Model>> for QuantifiableModel {
    fn from(mut model: Arc<Model>) -> QuantifiableModel {
        binders::add(Arc::make_mut(&mut model));
        QuantifiableModel(model)
    }
}

impl From<Model> for QuantifiableModel {
    fn from(model: Model) -> QuantifiableModel {
        Arc::new(model).into()
    }
}

impl Deref for QuantifiableModel {
    type Target = Arc<Model>;

    fn deref(&self) -> &Arc<Model> {
        &self.0
    }
}

/// A model with everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Job {
    /// The model.
    pub model: QuantifiableModel,
    /// The scope.
    pub scope: Scope,
    /// Properties to check. The default is every conjunct of the invariant; may be empty where well-definedness is
    /// checked.
    pub properties: Vec<Property>,
    /// Check the well-definedness of every step and property.
    pub well_definedness: bool,
    /// Proof status to use.
    pub status: ProofStatus,
    /// Pairs and checks that the run has proved by itself so far. A claim does not rest on them.
    pub proved: ProofStatus,
    /// How far imported status is trusted.
    pub trust: Trust,
    /// Largest number of events in a trace.
    pub depth: Option<usize>,
    /// Continue after a violation with the other properties.
    pub keep_going: bool,
    /// Representations of the values of names.
    pub representations: Representations,
    /// Seed of all random choices.
    pub seed: u64,
    /// Solver that checks proofs, where that is not the solver that finds them.
    pub checker: Option<SolverChoice>,
    /// Time limit of one query before an engine tries something else.
    pub query_time: Option<Duration>,
    /// How the engines share the processor.
    pub sharing: Sharing,
    /// Deadline and cancellation.
    pub budget: Budget,
}

/// How far imported proof status is trusted. The default is where the solver does not decide, as a condition of the
/// answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust {
    /// Do not rely on it where the solver does not decide.
    pub recheck: bool,
    /// Report a proof that rests on unconfirmed status as a plain `holds`.
    pub accept_trusted: bool,
}

/// How engines share the processor, with each other and with other work. By default they take turns.
#[derive(Clone, Debug)]
pub struct Sharing {
    /// Number of engines that work at the same time, at least 1. One of them works at a time where it is 1, in turns.
    pub threads: usize,
    /// Work for which the engines pause between their slices, where they take turns.
    pub between: Option<Between>,
    /// The only domain of IC3 that takes part, for measurements. Strongest clauses then take no part.
    pub only: Option<Domains>,
}

/// The domains that a prover searches over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domains {
    /// Predicates, and diagrams in turn with them where they serve.
    All,
    /// Predicates.
    Predicates,
    /// Diagrams, if they serve.
    Diagrams,
    /// Bits with their orbits, where all sets have a size.
    Bits,
}

impl Default for Sharing {
    fn default() -> Sharing {
        Sharing { threads: 1, between: None, only: None }
    }
}

/// Work outside of the engines that takes turns with them, so that it happens at the same points in each run.
#[derive(Clone)]
pub struct Between(Arc<dyn Fn(Duration) + Send + Sync>);

impl Between {
    /// Returns work that gets to know how long the engines worked since the last time.
    pub fn new(work: impl Fn(Duration) + Send + Sync + 'static) -> Between {
        Between(Arc::new(work))
    }

    /// Does what is due after the engines have worked for some time.
    pub(crate) fn pause(&self, worked: Duration) {
        (self.0)(worked);
    }
}

impl fmt::Debug for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Between")
    }
}

impl Job {
    /// A question about a model in a scope: without proof status and well-definedness, one counterexample is enough,
    /// values are represented as the invariant states, engines take turns.
    pub fn new(
        model: impl Into<QuantifiableModel>,
        scope: Scope,
        properties: Vec<Property>,
        budget: Budget,
    ) -> Job {
        Job {
            model: model.into(),
            scope,
            properties,
            well_definedness: false,
            status: ProofStatus::none(),
            proved: ProofStatus::none(),
            trust: Trust::default(),
            depth: None,
            keep_going: false,
            representations: Representations::Stated,
            seed: 0,
            checker: None,
            query_time: None,
            sharing: Sharing::default(),
            budget,
        }
    }
}
