//! What is asked of an engine.

use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverChoice;
use bsym_encodings::system::build::Representations;
use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_proofs::recorded::Recorded;
use bsym_semantics::scope::Scope;
use bsym_status::ProofStatus;

/// A model with everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Job {
    /// The model.
    pub model: Arc<Model>,
    /// The scope.
    pub scope: Scope,
    /// What is asked. The default is every conjunct of the invariant; may be empty where
    /// well-definedness is checked.
    pub properties: Vec<Property>,
    /// Check the well-definedness of every step and property.
    pub well_definedness: bool,
    /// Proof status to use.
    pub status: ProofStatus,
    /// Pairs and checks that the run has proved by itself so far. A claim does not rest on them.
    pub proved: ProofStatus,
    /// Do not rely on imported status where the solver does not decide.
    pub recheck: bool,
    /// A proof that rests on status that nobody could confirm is a plain `holds`.
    pub accept_trusted: bool,
    /// Largest number of events in a trace.
    pub depth: Option<usize>,
    /// Go on after a violation with the other properties.
    pub keep_going: bool,
    /// How the values of names are represented.
    pub representations: Representations,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Who checks a proof, where that is not the solver that finds it.
    pub checker: Option<SolverChoice>,
    /// Time limit of one query before an engine tries something else.
    pub query_time: Option<Duration>,
    /// Deadline and cancellation.
    pub budget: Budget,
}

impl Job {
    /// A question about a model in a scope: without proof status and well-definedness, one counterexample is enough, values are
    /// represented as the invariant states.
    pub fn new(model: Arc<Model>, scope: Scope, properties: Vec<Property>, budget: Budget) -> Job {
        Job {
            model,
            scope,
            properties,
            well_definedness: false,
            status: ProofStatus::none(),
            proved: ProofStatus::none(),
            recheck: false,
            accept_trusted: false,
            depth: None,
            keep_going: false,
            representations: Representations::Stated,
            seed: 0,
            checker: None,
            query_time: None,
            budget,
        }
    }

    /// Returns true if engines need not ask about a pair or a check: there is imported status, or the run has proved it.
    pub fn is_proved(&self, claim: Recorded) -> bool {
        claim.is_in(&self.status) || claim.is_in(&self.proved)
    }
}
