//! Verdicts and reports: the answers of an engine.

use bsym_encodings::session::{Size, Statistics};
use bsym_proofs::check::Represented;
use bsym_proofs::claim::{Checked, Claim, Property};
use bsym_proofs::sizes::{SmallFailure, SmallSizes};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::verdict::{self, Counterexample, Reason};

use crate::failed_proof::FailedProof;
use crate::walk::{Contradiction, Walked};

/// The engines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// Bounded model checking.
    Bmc,
    /// BMC*: bounded model checking along single sequences of events.
    Tree,
    /// k-induction.
    Kind,
    /// IC3 over predicates.
    Ic3,
    /// All of them under one deadline.
    Check,
}

impl Engine {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Bmc => "bmc",
            Engine::Tree => "tree",
            Engine::Kind => "kind",
            Engine::Ic3 => "ic3",
            Engine::Check => "check",
        }
    }
}

/// Answer to one run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The engine that gave the answer (for `check`, the one that was conclusive).
    pub engine: Engine,
    /// The scope of the answer.
    pub scope: Scope,
    /// The answer about all properties together.
    pub verdict: Verdict,
    /// The answer about each property, as far as known.
    pub properties: Vec<(Property, PropertyVerdict)>,
    /// Further counterexamples, with `--keep-going`.
    pub further: Vec<Counterexample>,
    /// No violation on any trace with up to this many events; `None` if not even the initial states are known to be
    /// good.
    pub depth: Option<usize>,
    /// Pairs whose imported status was found wrong.
    pub wrong_statuses: Vec<bsym_status::Pair>,
    /// Pairs whose imported status was used although the solver could not confirm it.
    pub unconfirmed_statuses: Vec<bsym_status::Pair>,
    /// Checks whose imported status was found wrong.
    pub wrong_checks: Vec<bsym_status::Check>,
    /// Checks whose imported status was used although the solver could not confirm it.
    pub unconfirmed_checks: Vec<bsym_status::Check>,
    /// The outcome of the checks of a proof that did not pass them.
    pub failed_checks: Option<Checked>,
    /// Parts of the model that could not be encoded.
    pub unsupported: Vec<bsym_encodings::system::Unsupported>,
    /// What was found on the way to no proof.
    pub attempt: ProofAttempt,
    /// Work of the solvers.
    pub statistics: Statistics,
}

impl Report {
    /// A report that knows nothing yet.
    pub fn new(engine: Engine, scope: Scope) -> Report {
        Report {
            engine,
            scope,
            verdict: Verdict::Unknown(Reason::Timeout),
            properties: vec![],
            further: vec![],
            depth: None,
            wrong_statuses: vec![],
            unconfirmed_statuses: vec![],
            wrong_checks: vec![],
            unconfirmed_checks: vec![],
            failed_checks: None,
            unsupported: vec![],
            attempt: ProofAttempt::default(),
            statistics: Statistics::default(),
        }
    }
}

/// What was found on the way to a proof where none was found.
#[derive(Clone, Debug, Default)]
pub struct ProofAttempt {
    /// Counterexample that kept k-induction from a proof: a path that starts anywhere.
    pub counterexample_to_induction: Option<CounterexampleToInduction>,
    /// Invariants that were found on the way, in B: inductive together with the conjuncts asked, as one solver says.
    /// Short ones first.
    pub found_invariants: Vec<String>,
    /// The part of a proof that there is where none was found.
    pub failed_proof: Option<FailedProof>,
}

/// A path to a violation from a state that is not known to be reachable. It keeps an invariant from being inductive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterexampleToInduction {
    /// The path. Its first step is no initialisation, it only has the first state; all states but the last satisfy what
    /// is asked.
    pub trace: Trace,
    /// Violations at the end of the path.
    pub violations: Vec<Violation>,
    /// No trace with up to this many events reaches the first state; `None` if nothing is known.
    pub not_reached_within: Option<usize>,
}

/// The answer about all properties: the checks of a proof passed, a trace was replayed, or two parts of the program say
/// opposite things.
pub type Verdict = verdict::Verdict<Box<Proof>, Box<Contradicted>>;

/// A proof whose checks passed.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The claim, with its evidence.
    pub claim: Claim,
    /// The outcome of the checks in a fresh solver.
    pub checked: Checked,
    /// The lemmas in B, the layouts last; with the claimed conjuncts an inductive invariant where the evidence is
    /// inductive.
    pub lemmas: Vec<String>,
    /// Extent of the evaluator's walk of the claim.
    pub walked: Walked,
    /// Results of the checks in small sizes of the sets that the claim leaves open.
    pub sizes: SmallSizes,
    /// Results of the checks that values fit the representations that the encoding has for them.
    pub represented: Represented,
    /// An initial state. None is known where that is a condition of the proof.
    pub witness: Option<Box<Trace>>,
}

/// Two parts of the program say opposite things: a mistake of the program, never an answer.
#[derive(Clone, Debug)]
pub struct Contradicted {
    /// The claim that passed its checks and that is contradicted.
    pub claim: Option<(Claim, Checked)>,
    /// Its lemmas in B.
    pub lemmas: Vec<String>,
    /// Evidence against it.
    pub objection: Objection,
}

/// Evidence that contradicts a proof, or a solver.
#[derive(Clone, Debug)]
pub enum Objection {
    /// The evaluator reaches a place where the claim is wrong.
    Walk(Contradiction),
    /// A claim for every size does not hold in these sizes.
    SmallSizes(SmallFailure),
    /// Values do not fit the representations of the encoding in which the claim was proved: each in words.
    Representations(Vec<String>),
    /// A solver excludes every initial state, and the evaluator accepts this one.
    InitialState(Box<Trace>),
}

/// The properties that a violation violates.
pub fn violated_properties(violation: &Violation) -> Vec<Property> {
    match violation {
        Violation::Invariant(conjuncts) => conjuncts.iter().map(|&i| Property::Invariant(i)).collect(),
        Violation::Assertions(assertions) => assertions.iter().map(|&i| Property::Assertion(i)).collect(),
        Violation::Deadlock => vec![Property::DeadlockFree],
        Violation::Goal => vec![Property::NoGoal],
        Violation::IllDefined(_)
        | Violation::Assert(_)
        | Violation::Precondition(_)
        | Violation::Refinement(_) => vec![],
    }
}

/// The answer about one property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyVerdict {
    /// Part of the claim of a proof.
    Holds,
    /// Violated in a replayed trace.
    Violated,
    /// Not decided.
    Unknown,
}

/// Size of an unrolled path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSize {
    /// Terms, those that are shared once; of everything that was encoded so far.
    pub terms: usize,
    /// Propositional variables and clauses that a SAT solver was given, where there is one.
    pub propositional: Size,
}

/// Noteworthy events of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// An engine begins.
    Started(Engine),
    /// No violation at this depth.
    Depth {
        /// The engine that reports.
        engine: Engine,
        /// Number of events.
        depth: usize,
        /// `true` if a solver's `unknown` left it open.
        undecided: bool,
        /// Size of the path of the search so far; `None` for a path that does not start in an initial state.
        size: Option<PathSize>,
    },
    /// IC3 has a new frame.
    Frame {
        /// Its number.
        number: usize,
        /// Lemmas in each frame.
        lemmas: Vec<usize>,
        /// Predicates in use.
        predicates: usize,
    },
    /// A lemma was learned, as B text.
    Lemma {
        /// The frame up to which it is known.
        frame: usize,
        /// In B.
        text: String,
    },
    /// A property is violated.
    Violated(Property),
    /// The first counterexample of a run that goes on after it.
    Found(Box<Counterexample>),
    /// Imported status of a pair was found wrong.
    WrongStatus(bsym_status::Pair),
    /// Imported status of a check was found wrong.
    WrongCheck(bsym_status::Check),
    /// A search gave up; other searches and engines go on.
    GaveUp {
        /// What it searched: `predicates` or `diagrams`.
        domain: &'static str,
        /// The reason.
        reason: String,
    },
    /// A query was not decided.
    Undecided {
        /// Which.
        query: String,
        /// The reason.
        reason: String,
    },
}
