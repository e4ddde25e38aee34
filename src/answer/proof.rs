//! Proofs: their kind and invariant, how they were checked, what they leave open, where one is wrong.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use bsym_engines::verdict::{Contradicted, Objection, Proof};
use bsym_engines::walk::{Broken, Contradiction, Walked};
use bsym_language::model::{Model, PredKind};
use bsym_language::print;
use bsym_proofs::claim::{Checked, Evidence};
use bsym_semantics::scope::Scope;
use bsym_semantics::verdict::{Condition, ReasonCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::named::Values;
use super::property::PropertyKind;
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::trace::{
    StepObject, Style, ViolatedObject, constants, counted, events, write_steps, write_violations,
};
use super::words::words;
use crate::paint::Paint;

words! {
    /// The kind of evidence of a proof.
    EvidenceKind {
        Inductive = "inductive",
        KInduction = "k-induction",
        Diameter = "diameter",
        Search = "search",
    }
}

/// A proof whose checks passed.
#[derive(Clone, Debug)]
pub struct ProofObject {
    pub kind: EvidenceKind,
    /// Of the kind `search`: of states that differ in the roles of interchangeable elements only, one was visited.
    pub symmetric: bool,
    /// Of a search: not all states were visited, but those that are enough where the order of some events does not matter.
    pub partial: bool,
    /// Of a search of a refinement: only states were visited that calls reach which its abstraction allows.
    pub called: bool,
    /// It is about the machine in which the abstractions follow: the invariant is one of all levels.
    pub of_levels: bool,
    /// `k`, or the number of steps that no path of different states has.
    pub steps: Option<usize>,
    /// B predicates; of the kind `inductive` their conjunction is an inductive invariant. The layouts come last.
    pub invariant: Vec<String>,
    /// How many of them are layouts: what holds by what is assigned alone.
    pub layouts: usize,
    pub checked: Option<CheckedObject>,
    pub walked: Option<WalkedObject>,
    pub certificate: Option<CertificateObject>,
}

/// A certificate.
#[derive(Serialize, JsonSchema, Clone, Debug)]
#[serde(untagged)]
pub enum CertificateObject {
    /// The file that it was written to.
    File(String),
    /// The certificate itself.
    Whole(#[schemars(with = "serde_json::Map<String, Json>")] Json),
}

impl CertificateObject {
    /// The file, if it was written to one.
    pub fn file(&self) -> Option<&str> {
        match self {
            CertificateObject::File(path) => Some(path),
            CertificateObject::Whole(_) => None,
        }
    }
}

/// How a proof was checked.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct CheckedObject {
    pub solver: String,
    pub checks: usize,
    /// Number of those that were proved in first-order logic, not in terms of arrays.
    pub in_first_order: usize,
    pub failed: Vec<String>,
    pub undecided: Vec<String>,
    /// Sizes of the sets of any size in which the claim was checked once more.
    pub small_sizes: Vec<String>,
    /// Sizes in which that was not decided.
    pub small_sizes_undecided: Vec<String>,
    /// What no solver decided of whether values fit the representations in the encoding.
    pub representations_undecided: Vec<String>,
}

impl From<&Checked> for CheckedObject {
    fn from(checked: &Checked) -> CheckedObject {
        CheckedObject {
            solver: checked.solver.clone(),
            checks: checked.checks,
            in_first_order: checked.in_first_order,
            failed: checked.failed.clone(),
            undecided: checked.undecided.clone(),
            small_sizes: vec![],
            small_sizes_undecided: vec![],
            representations_undecided: vec![],
        }
    }
}

/// How far the evaluator walked a proof: states judged, steps taken, states drawn from the invariant, and what it
/// could not decide.
#[derive(Serialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkedObject {
    pub states: u64,
    pub steps: u64,
    pub from_invariant: u64,
    pub skipped: u64,
}

impl From<Walked> for WalkedObject {
    fn from(Walked { states, steps, from_invariant, skipped }: Walked) -> WalkedObject {
        WalkedObject { states, steps, from_invariant, skipped }
    }
}

impl WalkedObject {
    /// In words.
    pub fn text(&self) -> String {
        if self.states == 0 {
            return "no state".into();
        }
        let WalkedObject { states, steps, from_invariant, .. } = self;
        let (states, steps) = (counted(states, "state"), counted(steps, "step"));
        format!("{states}, {steps}; {from_invariant} of the states drawn from the invariant")
    }
}

impl ProofObject {
    /// A proof that an engine found.
    pub fn new(model: &Model, proof: &Proof) -> ProofObject {
        let (kind, steps) = match &proof.claim.evidence {
            Evidence::Inductive { .. } => (EvidenceKind::Inductive, None),
            Evidence::KInduction { k, .. } => (EvidenceKind::KInduction, Some(*k)),
            Evidence::Search { .. } => (EvidenceKind::Search, None),
            Evidence::Diameter { depth } => (EvidenceKind::Diameter, Some(*depth)),
        };
        let mut invariant = vec![];
        if let Evidence::Inductive { .. } = &proof.claim.evidence {
            let conjuncts = proof.claim.conjuncts.iter().filter_map(|&i| model.invariant.get(i));
            invariant.extend(conjuncts.map(|c| operand(&c.text, &c.pred.kind)));
        }
        let lemmas = proof.claim.lemmas();
        invariant.extend(lemmas.map(|lemma| operand(&print::shown_pred(model, lemma), &lemma.kind)));
        invariant.dedup();
        ProofObject {
            symmetric: false,
            partial: false,
            called: false,
            of_levels: false,
            steps,
            invariant,
            layouts: proof.claim.layouts.len(),
            checked: Some(CheckedObject {
                small_sizes: proof.sizes.passed.clone(),
                small_sizes_undecided: proof.sizes.undecided.clone(),
                representations_undecided: proof.represented.undecided.clone(),
                ..(&proof.checked).into()
            }),
            walked: Some(proof.walked.into()),
            ..ProofObject::of_kind(kind)
        }
    }

    /// A search that visited everything.
    pub fn search(symmetric: bool) -> ProofObject {
        ProofObject { symmetric, ..ProofObject::of_kind(EvidenceKind::Search) }
    }

    /// A search of what calls reach that the abstraction of a refinement allows.
    pub fn called() -> ProofObject {
        ProofObject { called: true, ..ProofObject::of_kind(EvidenceKind::Search) }
    }

    fn of_kind(kind: EvidenceKind) -> ProofObject {
        let (invariant, layouts) = (vec![], 0);
        let symmetric = false;
        ProofObject {
            kind,
            symmetric,
            partial: false,
            called: false,
            of_levels: false,
            steps: None,
            invariant,
            layouts,
            checked: None,
            walked: None,
            certificate: None,
        }
    }

    /// As text, on lines of its own.
    pub fn write(&self, out: &mut String, style: Style) -> Result {
        let paint = style.paint;
        let steps = self.steps.unwrap_or(0);
        let head = match self.kind {
            EvidenceKind::Inductive if self.of_levels => {
                "inductive invariant of all levels, where calls are those that the abstraction allows".to_string()
            }
            EvidenceKind::Inductive => "inductive invariant".to_string(),
            EvidenceKind::KInduction => format!("proved by k-induction with k = {steps}"),
            EvidenceKind::Search if self.symmetric => {
                "of the reachable states of this scope those were visited that are not symmetric to one that was".to_string()
            }
            EvidenceKind::Search if self.partial => {
                "of the reachable states of this scope those were visited that are enough, since the order of some events does \
                 not matter"
                    .to_string()
            }
            EvidenceKind::Search if self.called => {
                "all states that permitted calls reach in this scope were checked".to_string()
            }
            EvidenceKind::Search => "every reachable state of this scope was visited".to_string(),
            EvidenceKind::Diameter => complete(steps),
        };
        writeln!(out, "\n{}", paint.strong(&head))?;
        if self.kind != EvidenceKind::Inductive && !self.invariant.is_empty() {
            writeln!(out, "with the auxiliary invariant (proved)")?;
        }
        for (i, line) in self.invariant.iter().enumerate() {
            let why = if i + self.layouts < self.invariant.len() { "" } else { " /* by what is assigned */" };
            writeln!(out, "  {} {line}{why}", if i == 0 { " " } else { "&" })?;
        }
        if let Some(checked) = &self.checked {
            let form = match checked.in_first_order {
                0 => String::new(),
                n => format!(" ({n} in first-order logic)"),
            };
            writeln!(
                out,
                "\nchecked in a fresh solver: {}{form}, {}",
                counted(checked.checks, "check"),
                checked.solver
            )?;
            let doubt = paint.doubt("not re-checked");
            if !checked.small_sizes_undecided.is_empty() {
                writeln!(out, "{doubt}: the same checks with {}", checked.small_sizes_undecided.join("; "))?;
            }
            let open = &checked.representations_undecided;
            if style.whole {
                open.iter().try_for_each(|one| writeln!(out, "{doubt}: {one}"))?;
            } else if !open.is_empty() {
                let assumptions = counted(open.len(), "assumption");
                writeln!(out, "{doubt}: {assumptions} of the encoding (-v lists them)")?;
            }
        }
        if let Some(walked) = self.walked.as_ref().filter(|_| style.whole) {
            writeln!(out, "sanity check by simulation: {}", walked.text())?;
        }
        if let Some(path) = self.certificate.as_ref().and_then(CertificateObject::file) {
            writeln!(out, "certificate written to {path}")?;
        }
        Ok(())
    }
}

/// What a diameter says.
pub fn complete(depth: usize) -> String {
    format!("the search is complete: no new states after {}", events(depth))
}

/// The text of a predicate as an operand of `&`.
fn operand(text: &str, kind: &PredKind) -> String {
    match kind {
        PredKind::Or(_) | PredKind::Implies(..) | PredKind::Iff(..) => format!("({text})"),
        _ => text.to_string(),
    }
}

/// What a proof leaves open.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ConditionObject {
    #[schemars(with = "ReasonSchema")]
    pub code: ReasonCode,
    pub message: String,
    /// The parts of the model concerned, where there are some.
    pub parts: Vec<String>,
}

impl From<&Condition> for ConditionObject {
    fn from(condition: &Condition) -> ConditionObject {
        let (code, parts) = (condition.code(), condition.parts().to_vec());
        ConditionObject { code, message: condition.message(), parts }
    }
}

words! {
    /// What speaks against a proof or a solver.
    ObjectionWord {
        /// The evaluator comes from an initial state to where the proof is wrong.
        Initial = "initial",
        /// The same from a state of the invariant that need not be reachable.
        Invariant = "invariant",
        /// Checks fail in this scope.
        SmallSizes = "small-sizes",
        /// Values do not fit the encoding.
        Representations = "representations",
        /// It excludes every initial state, and the trace is one.
        Solver = "solver",
    }
}

/// What contradicts a proof or a solver: a mistake of bsym.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ContradictionObject {
    pub from: ObjectionWord,
    pub scope: ScopeObject,
    pub constants: Values,
    pub trace: Vec<StepObject>,
    /// What is wrong at the end of the path, or which checks fail.
    pub broken: Vec<ViolatedObject>,
    /// The certificate of the proof that is contradicted.
    #[serde(skip)]
    pub certificate: Option<CertificateObject>,
}

impl ContradictionObject {
    /// What speaks against a claim about a scope.
    pub fn of(
        model: &Model,
        scope: &Scope,
        settings: &BTreeMap<String, String>,
        contradicted: &Contradicted,
    ) -> ContradictionObject {
        let checks = |from, scope: &Scope, checks: &[String]| ContradictionObject {
            from,
            scope: ScopeObject::new(model, scope, settings),
            constants: Values::default(),
            trace: vec![],
            broken: checks.iter().cloned().map(of_proof).collect(),
            certificate: None,
        };
        match &contradicted.objection {
            Objection::Walk(found) => {
                ContradictionObject::walked(model, settings, &contradicted.lemmas, found)
            }
            Objection::SmallSizes(failed) => checks(ObjectionWord::SmallSizes, &failed.scope, &failed.checks),
            Objection::Representations(failed) => checks(ObjectionWord::Representations, scope, failed),
            Objection::InitialState(trace) => ContradictionObject {
                constants: constants(model, trace),
                trace: StepObject::all(model, trace),
                ..checks(
                    ObjectionWord::Solver,
                    &trace.scope,
                    &["the solver excludes every initial state".to_string()],
                )
            },
        }
    }

    fn walked(
        model: &Model,
        settings: &BTreeMap<String, String>,
        lemmas: &[String],
        contradiction: &Contradiction,
    ) -> ContradictionObject {
        let Contradiction { trace, from_invariant, broken } = contradiction;
        let broken = broken.iter().flat_map(|broken| match broken {
            Broken::Violation(violation) => ViolatedObject::of(model, violation),
            Broken::Lemma(i) => vec![of_proof(lemmas.get(*i).cloned().unwrap_or_default())],
            Broken::Diameter(depth) => {
                vec![of_proof(complete(*depth))]
            }
        });
        ContradictionObject {
            from: if *from_invariant { ObjectionWord::Invariant } else { ObjectionWord::Initial },
            scope: ScopeObject::new(model, &trace.scope, settings),
            constants: constants(model, trace),
            broken: broken.collect(),
            certificate: None,
            trace: StepObject::all(model, trace),
        }
    }

    /// What the evaluator says against a claim, in one line.
    pub fn line(model: &Model, lemmas: &[String], contradiction: &Contradiction) -> String {
        let object = ContradictionObject::walked(model, &BTreeMap::new(), lemmas, contradiction);
        let start = match object.from {
            ObjectionWord::Initial => "an initial state",
            _ => "a state of the invariant",
        };
        let events: Vec<&str> = object.trace.iter().skip(1).map(|step| step.event.as_str()).collect();
        let broken: Vec<&str> = object.broken.iter().map(|b| b.text.as_str()).collect();
        let way = if events.is_empty() { String::new() } else { format!(" by {}", events.join(", ")) };
        format!("the evaluator comes from {start}{way} to where this is wrong: {}", broken.join("; "))
    }

    /// What happened, in a sentence.
    pub fn sentence(&self) -> &'static str {
        match self.from {
            ObjectionWord::Initial | ObjectionWord::Invariant => {
                "a proof passed its checks, and the evaluator says that it is wrong"
            }
            ObjectionWord::SmallSizes => {
                "a proof for sets of any size passed its checks, and does not where they are small"
            }
            ObjectionWord::Representations => {
                "a proof passed its checks, but values do not fit their representations in its encoding"
            }
            ObjectionWord::Solver => "the solver excludes every initial state, and the evaluator accepts one",
        }
    }

    /// Everything that is needed to report a mistake of ours.
    pub fn write(&self, out: &mut String, paint: Paint) -> Result {
        let style = Style::new(true, paint);
        let what = match self.from {
            ObjectionWord::Initial => "the evaluator comes from an initial state to where the proof is wrong",
            ObjectionWord::Invariant => {
                "the evaluator comes from a state of the invariant, which need not be reachable, to where the proof is wrong"
            }
            ObjectionWord::Solver => "the evaluator accepts this initial state",
            ObjectionWord::SmallSizes | ObjectionWord::Representations => "these checks fail",
        };
        writeln!(out, "\n{what}, with {}:", self.scope.text())?;
        write_steps(out, &self.constants, &self.trace, style)?;
        writeln!(out)?;
        write_violations(out, &self.broken, style)?;
        writeln!(out, "\nplease report this with the machine, the command line and this output")
    }
}

/// A part of a proof.
fn of_proof(text: String) -> ViolatedObject {
    ViolatedObject::without_place(PropertyKind::Proof, text)
}
