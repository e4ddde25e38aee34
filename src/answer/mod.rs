//! The result object of a run: everything that is known at its end, in plain words.
//!
//! It is what `--json` prints and what the text for people is made from, so both always say the
//! same. Its schema is `schema/result.schema.json`.

pub mod claim;
mod not_asked;
mod reason;
mod search;
pub mod structure;
pub mod text;

use std::collections::BTreeMap;

use bsym_engines::verdict::{
    Condition, Contradicted, Objection, Proof, PropertyVerdict, Report, Unknown, Verdict,
};
use bsym_engines::walk::{Broken, Contradiction, Walked};
use bsym_language::diagnostic::{Diagnostic, Kind, Severity};
use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Conjunct, Dropped, DroppedKind, EventId, Model, Notation, PredKind};
use bsym_language::print;
use bsym_language::source::{Sources, Span};
use bsym_proofs::claim::{Evidence, Property};
use bsym_proofs::status::{Check, Level, Pair, PairStatus};
use bsym_semantics::scope::Scope;
use bsym_semantics::state::{Trace, Violation};
use bsym_semantics::value::Value;
use bsym_semantics::value_text::value_text;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

pub use not_asked::{NotAskedObject, not_asked};
pub use reason::Reason;

/// The result of one run.
#[derive(Serialize, Clone, Debug)]
pub struct RunResult {
    pub format: &'static str,
    pub version: u32,
    pub bsym: &'static str,
    pub machine: String,
    pub file: String,
    pub engine: String,
    /// The kind of property that is violated, else what was checked.
    pub property: String,
    pub verdict: &'static str,
    pub scope: ScopeObject,
    /// Smaller scopes, chosen by default, in which there was nothing to search.
    pub scopes_tried: Vec<ScopeObject>,
    /// Axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    pub well_definedness: bool,
    pub depth: Option<usize>,
    pub violated: Vec<ViolatedObject>,
    pub constants: Map<String, Json>,
    pub trace: Option<Vec<StepObject>>,
    pub trace_file: Option<String>,
    pub further: Vec<FurtherObject>,
    pub properties: Vec<PropertyObject>,
    pub invariant: Vec<String>,
    pub certificate: Json,
    pub certificate_kind: Option<&'static str>,
    pub checked: Option<CheckedObject>,
    pub counterexample_to_induction: Option<Vec<String>>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    pub proofs: ProofsObject,
    pub unsupported: Vec<UnsupportedObject>,
    /// What the machine speaks of and nobody asked about.
    pub not_asked: Vec<NotAskedObject>,
    /// What the search beside the engines did, where it gave no answer.
    pub search: Option<BesideObject>,
    /// Why there is no answer, in one word.
    pub reason_code: Option<&'static str>,
    pub reason: Option<String>,
    /// What the attached proof leaves open.
    pub conditions: Vec<ConditionObject>,
    /// What the evaluator says against a proof that passed its checks.
    pub contradiction: Option<ContradictionObject>,
    /// What of the machine is in no check.
    pub not_checked: Vec<DroppedObject>,
    pub warnings: Vec<String>,
    pub diagnostics: Vec<DiagnosticObject>,
    pub stats: StatsObject,
}

/// The scope of a verdict.
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub struct ScopeObject {
    /// Size of every deferred set; `"any"` where it is not fixed.
    pub sets: Map<String, Json>,
    pub maxint: Json,
    pub minint: Json,
    /// Constants fixed by `--set`.
    pub settings: BTreeMap<String, String>,
}

/// An axiom: a conjunct of the properties.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct AxiomObject {
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Something that is violated.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ViolatedObject {
    pub property: &'static str,
    pub index: Option<usize>,
    pub label: Option<String>,
    pub text: String,
    pub message: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// One step of a trace: texts of B values by name.
#[derive(Serialize, Clone, Debug)]
pub struct StepObject {
    pub event: String,
    pub parameters: Map<String, Json>,
    pub results: Map<String, Json>,
    /// Missing where the step fails before it reaches a state.
    pub state: Option<Map<String, Json>>,
}

/// A further counterexample.
#[derive(Serialize, Clone, Debug)]
pub struct FurtherObject {
    pub property: &'static str,
    pub violated: Vec<ViolatedObject>,
    pub constants: Map<String, Json>,
    pub trace: Vec<StepObject>,
}

/// The answer about one property.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct PropertyObject {
    pub property: &'static str,
    pub index: Option<usize>,
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub verdict: &'static str,
}

/// How a proof was checked.
#[derive(Serialize, Clone, Debug)]
pub struct CheckedObject {
    pub solver: String,
    pub checks: usize,
    pub failed: Vec<String>,
    pub undecided: Vec<String>,
    /// Sizes of the sets of any size in which the claim was checked once more.
    pub small_sizes: Vec<String>,
    /// Sizes in which that was not decided.
    pub small_sizes_undecided: Vec<String>,
    /// What no solver decided of whether values fit the representations in the encoding.
    pub representations_undecided: Vec<String>,
}

/// What became of the proof status.
#[derive(Serialize, Clone, Debug, Default)]
pub struct ProofsObject {
    /// Where the status came from.
    pub source: Option<String>,
    pub used: Vec<PairObject>,
    /// Pairs that the proof rests on because the solver could not decide them.
    pub trusted: Vec<PairObject>,
    /// Entries that do not count, each with the reason.
    pub ignored: Vec<String>,
    pub stale: Vec<String>,
    pub unmatched: Vec<String>,
    /// Pairs whose status was refuted.
    pub wrong: Vec<PairObject>,
    /// The same for what is checked besides the pairs.
    pub checks: ChecksObject,
}

/// What became of the status of checks.
#[derive(Serialize, Clone, Debug, Default)]
pub struct ChecksObject {
    pub used: Vec<CheckObject>,
    pub trusted: Vec<CheckObject>,
    pub wrong: Vec<CheckObject>,
}

/// A check of steps or states.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct CheckObject {
    /// In words.
    pub check: String,
    pub provers: Vec<String>,
    pub level: Option<&'static str>,
}

/// An event and a conjunct of the invariant.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct PairObject {
    pub event: String,
    pub index: usize,
    pub conjunct: String,
    pub provers: Vec<String>,
    pub level: Option<&'static str>,
}

/// What a proof leaves open.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ConditionObject {
    pub code: &'static str,
    pub message: String,
    /// The parts of the model concerned, where there are some.
    pub parts: Vec<String>,
}

/// What contradicts a proof or a solver.
#[derive(Serialize, Clone, Debug)]
pub struct ContradictionObject {
    /// `initial`: the evaluator comes from an initial state to where the proof is wrong; `invariant`: from a state of the
    /// invariant that need not be reachable; `small-sizes`: checks fail in this scope; `representations`: values
    /// do not fit the encoding; `solver`: it excludes every initial state, and the trace is one.
    pub from: &'static str,
    pub scope: ScopeObject,
    pub constants: Map<String, Json>,
    pub trace: Vec<StepObject>,
    /// What is wrong at the end of the path.
    pub broken: Vec<ViolatedObject>,
}

/// How far the evaluator walked a proof.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkedObject {
    pub states: u64,
    pub steps: u64,
    pub from_invariant: u64,
    pub skipped: u64,
}

/// A part of the machine that is in no check.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct DroppedObject {
    pub kind: &'static str,
    /// The event whose abstract precondition it is of.
    pub event: Option<String>,
    pub label: Option<String>,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// A part of the model that could not be encoded.
#[derive(Serialize, Clone, Debug)]
pub struct UnsupportedObject {
    pub part: String,
    pub reason: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// A message about the model.
#[derive(Serialize, Clone, Debug)]
pub struct DiagnosticObject {
    pub kind: &'static str,
    pub code: String,
    pub severity: &'static str,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub help: Option<String>,
}

/// What the search beside the engines of `check` did, in its own words.
#[derive(Serialize, Clone, Debug)]
pub struct BesideObject {
    pub verdict: String,
    pub reason: Option<String>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    /// The scope that it searched.
    pub scope: Json,
}

impl BesideObject {
    /// Of a search that gave a result, and why that does not count.
    pub fn of(result: &Json, doubt: Option<&str>) -> BesideObject {
        let text = |name: &str| result[name].as_str().map(str::to_string);
        BesideObject {
            verdict: text("verdict").unwrap_or_default(),
            reason: doubt.map(str::to_string).or_else(|| text("reason")),
            states: result["states"].as_u64(),
            transitions: result["transitions"].as_u64(),
            scope: result["scope"].clone(),
        }
    }

    /// Of a search that ended without a result.
    pub fn died(reason: &str) -> BesideObject {
        BesideObject {
            verdict: "unknown".into(),
            reason: Some(reason.into()),
            states: None,
            transitions: None,
            scope: Json::Null,
        }
    }
}

/// What the run took.
#[derive(Serialize, Clone, Debug, Default)]
pub struct StatsObject {
    pub seconds: f64,
    pub queries: u64,
    pub unknowns: u64,
    pub quantifiers: u64,
    pub solver_seconds: f64,
    /// States of a search that the reference evaluator has judged as well.
    pub audited: Option<u64>,
    /// Largest memory in use, in bytes, where the system tells.
    pub memory: Option<u64>,
    /// The evaluator's walk along the proof.
    pub walked: Option<WalkedObject>,
}

/// What a result is about, known before the run.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    pub model: &'a Model,
    pub file: String,
    pub properties: &'a [Property],
    pub scope: &'a Scope,
    pub settings: BTreeMap<String, String>,
    pub well_definedness: bool,
    pub proofs: ProofsObject,
    pub warnings: Vec<String>,
    pub diagnostics: Vec<DiagnosticObject>,
    pub stats: StatsObject,
}

impl RunResult {
    /// A result without an answer.
    pub fn unknown(
        subject: &Subject<'_>,
        engine: &str,
        depth: Option<usize>,
        reason: Option<Reason>,
    ) -> RunResult {
        RunResult {
            format: "bsym-result",
            version: 1,
            bsym: env!("CARGO_PKG_VERSION"),
            machine: subject.model.name.clone(),
            file: subject.file.clone(),
            engine: engine.into(),
            property: checked_properties(subject.properties),
            verdict: "unknown",
            scope: scope_object(subject.model, subject.scope, &subject.settings),
            scopes_tried: vec![],
            core: vec![],
            well_definedness: subject.well_definedness,
            depth,
            violated: vec![],
            constants: Map::new(),
            trace: None,
            trace_file: None,
            further: vec![],
            properties: subject
                .properties
                .iter()
                .map(|&p| property_object(subject.model, p, PropertyVerdict::Unknown))
                .collect(),
            invariant: vec![],
            certificate: Json::Null,
            certificate_kind: None,
            checked: None,
            counterexample_to_induction: None,
            states: None,
            transitions: None,
            proofs: subject.proofs.clone(),
            unsupported: vec![],
            not_asked: not_asked(subject.model, subject.properties),
            search: None,
            reason_code: reason.as_ref().map(|r| r.code),
            reason: reason.map(|r| r.text),
            conditions: vec![],
            contradiction: None,
            not_checked: dropped_objects(subject.model),
            warnings: subject.warnings.clone(),
            diagnostics: subject.diagnostics.clone(),
            stats: subject.stats.clone(),
        }
    }

    /// The result of an engine's report.
    pub fn new(subject: &Subject<'_>, report: &Report) -> RunResult {
        let model = subject.model;
        let mut result = RunResult::unknown(subject, report.engine.name(), report.depth, None);
        result.scope = scope_object(model, &report.scope, &subject.settings);
        result.properties = report.properties.iter().map(|&(p, v)| property_object(model, p, v)).collect();
        result.counterexample_to_induction = report.counterexample_to_induction.clone();
        result.unsupported = report
            .unsupported
            .iter()
            .map(|u| {
                let (file, line, column) = place(&model.sources, u.span);
                UnsupportedObject { part: u.part.clone(), reason: u.reason.clone(), file, line, column }
            })
            .collect();
        result.proofs.wrong = report.wrong_statuses.iter().map(|&p| pair_object(model, p, None)).collect();
        let wrong = &result.proofs.wrong;
        result.proofs.used.retain(|u| !wrong.iter().any(|w| (&w.event, w.index) == (&u.event, u.index)));
        let checks = &mut result.proofs.checks;
        checks.wrong = report.wrong_checks.iter().map(|&c| check_object(model, c, None)).collect();
        checks.used.retain(|u| !checks.wrong.iter().any(|w| w.check == u.check));
        // A proof says itself what it rests on; anything else rests on what nobody could confirm.
        result.proofs.trusted = report.unconfirmed_statuses.iter().map(|&p| used_pair(subject, p)).collect();
        result.proofs.checks.trusted =
            report.unconfirmed_checks.iter().map(|&c| used_check(subject, c)).collect();
        let stats = &report.statistics;
        result.stats.queries = stats.queries;
        result.stats.unknowns = stats.unknowns;
        result.stats.quantifiers = stats.quantifiers;
        result.stats.solver_seconds = seconds(stats.time);
        result.further =
            report.further.iter().map(|c| further_object(model, &c.trace, &c.violations)).collect();
        match &report.verdict {
            Verdict::Holds(proof) => {
                result.verdict = "holds";
                result.set_proof(subject, proof);
            }
            Verdict::Violated(counterexample) => {
                result.verdict = "violated";
                result.set_counterexample(model, &counterexample.trace, &counterexample.violations);
            }
            Verdict::Vacuous(reason) => {
                result.verdict = "vacuous";
                result.reason = Some(reason.clone());
            }
            Verdict::Unknown(reason) => {
                match reason {
                    Unknown::CheckFailed(checked) => result.checked = Some(checked_object(checked)),
                    Unknown::Conditional { proof, conditions } => {
                        result.set_proof(subject, proof);
                        result.conditions = conditions.iter().map(condition_object).collect();
                    }
                    Unknown::Contradiction(contradicted) => {
                        let Contradicted { lemmas, objection, .. } = &**contradicted;
                        result.contradiction = Some(objection_object(subject, lemmas, objection));
                    }
                    Unknown::Doubtful { counterexample, .. } => {
                        result.set_counterexample(model, &counterexample.trace, &counterexample.violations);
                    }
                    _ => {}
                }
                result.set_reason(Reason::of(reason));
            }
        }
        result
    }

    /// Attaches a proof that passed its checks.
    fn set_proof(&mut self, subject: &Subject<'_>, proof: &Proof) {
        let model = subject.model;
        let (kind, inductive) = match &proof.claim.evidence {
            Evidence::Inductive { lemmas } => ("inductive", Some(lemmas)),
            Evidence::KInduction { k, .. } => {
                self.depth = Some(*k);
                ("k-induction", None)
            }
            Evidence::Search { .. } => ("search", None),
            Evidence::Diameter { depth } => {
                self.depth = Some(*depth);
                ("diameter", None)
            }
        };
        self.certificate_kind = Some(kind);
        if let Some(lemmas) = inductive {
            let conjuncts = proof.claim.conjuncts.iter().filter_map(|&i| model.invariant.get(i));
            self.invariant.extend(conjuncts.map(|c| operand(&c.text, Some(&c.pred.kind))));
            for (i, text) in proof.lemmas.iter().enumerate() {
                self.invariant.push(operand(text, lemmas.get(i).map(|l| &l.kind)));
            }
            self.invariant.dedup();
        } else {
            self.invariant.extend(proof.lemmas.iter().cloned());
        }
        self.stats.walked = Some(proof.walked.into());
        let checked = &proof.checked;
        self.checked = Some(CheckedObject {
            small_sizes: proof.sizes.passed.clone(),
            small_sizes_undecided: proof.sizes.undecided.clone(),
            representations_undecided: proof.represented.undecided.clone(),
            ..checked_object(checked)
        });
        self.proofs.trusted = checked.trusted.iter().map(|&p| used_pair(subject, p)).collect();
        self.proofs.checks.trusted = checked.trusted_checks.iter().map(|&c| used_check(subject, c)).collect();
    }

    /// Says why there is no answer.
    pub fn set_reason(&mut self, reason: Reason) {
        self.reason_code = Some(reason.code);
        self.reason = Some(reason.text);
    }

    fn set_counterexample(&mut self, model: &Model, trace: &Trace, violations: &[Violation]) {
        self.property = violations.first().map_or("inv", violation_kind).into();
        self.violated = violations.iter().flat_map(|v| violated_objects(model, v)).collect();
        self.constants = constants_object(model, trace);
        self.trace = Some(trace_object(model, trace));
        // The sizes of the deferred sets in the counterexample are part of what it says.
        self.scope = scope_object(model, &trace.scope, &self.scope.settings);
        self.depth = Some(trace.steps.len().saturating_sub(1));
    }

    /// The program's exit code for this result.
    pub fn exit_code(&self) -> u8 {
        match self.verdict {
            // Two parts of the program contradict each other.
            _ if self.reason_code == Some("audit-failed") => 4,
            "holds" => 0,
            "violated" => 1,
            _ if self.contradiction.is_some() => 4,
            _ => 3,
        }
    }
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
        format!("{states} states, {steps} steps, {from_invariant} of the states drawn from the invariant")
    }
}

fn objection_object(subject: &Subject<'_>, lemmas: &[String], objection: &Objection) -> ContradictionObject {
    let (model, settings) = (subject.model, &subject.settings);
    let checks = |from, scope: &Scope, checks: &[String]| ContradictionObject {
        from,
        scope: scope_object(model, scope, settings),
        constants: Map::new(),
        trace: vec![],
        broken: checks.iter().cloned().map(broken_text).collect(),
    };
    match objection {
        Objection::Walk(contradiction) => contradiction_object(model, settings, lemmas, contradiction),
        Objection::SmallSizes(failed) => checks("small-sizes", &failed.scope, &failed.checks),
        Objection::Representations(failed) => checks("representations", subject.scope, failed),
        Objection::InitialState(trace) => ContradictionObject {
            constants: constants_object(model, trace),
            trace: trace_object(model, trace),
            ..checks("solver", &trace.scope, &["the solver excludes every initial state".to_string()])
        },
    }
}

/// Something wrong that is no part of the machine.
fn broken_text(text: String) -> ViolatedObject {
    ViolatedObject {
        property: "proof",
        index: None,
        label: None,
        text,
        message: None,
        file: None,
        line: None,
        column: None,
    }
}

fn contradiction_object(
    model: &Model,
    settings: &BTreeMap<String, String>,
    lemmas: &[String],
    contradiction: &Contradiction,
) -> ContradictionObject {
    let Contradiction { trace, from_invariant, broken } = contradiction;
    let broken = broken.iter().flat_map(|broken| match broken {
        Broken::Violation(violation) => violated_objects(model, violation),
        Broken::Lemma(i) => vec![broken_text(lemmas.get(*i).cloned().unwrap_or_default())],
        Broken::Diameter(depth) => vec![broken_text(format!("no path has {depth} events"))],
    });
    ContradictionObject {
        from: if *from_invariant { "invariant" } else { "initial" },
        scope: scope_object(model, &trace.scope, settings),
        constants: constants_object(model, trace),
        broken: broken.collect(),
        trace: trace_object(model, trace),
    }
}

/// What the evaluator says against a claim, in one line.
pub fn contradiction_line(model: &Model, lemmas: &[String], contradiction: &Contradiction) -> String {
    let object = contradiction_object(model, &BTreeMap::new(), lemmas, contradiction);
    let start = match object.from {
        "initial" => "an initial state",
        _ => "a state of the invariant",
    };
    let events: Vec<&str> = object.trace.iter().skip(1).map(|step| step.event.as_str()).collect();
    let broken: Vec<&str> = object.broken.iter().map(|b| b.text.as_str()).collect();
    let way = if events.is_empty() { String::new() } else { format!(" by {}", events.join(", ")) };
    format!("the evaluator comes from {start}{way} to where this is wrong: {}", broken.join("; "))
}

fn further_object(model: &Model, trace: &Trace, violations: &[Violation]) -> FurtherObject {
    FurtherObject {
        property: violations.first().map_or("inv", violation_kind),
        violated: violations.iter().flat_map(|v| violated_objects(model, v)).collect(),
        constants: constants_object(model, trace),
        trace: trace_object(model, trace),
    }
}

/// A duration in seconds, to the microsecond.
pub fn seconds(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

/// The names of what is checked, as in `--prop`.
pub fn checked_properties(properties: &[Property]) -> String {
    let mut names: Vec<&str> = properties.iter().map(|&p| property_kind(p)).collect();
    names.dedup();
    if names.is_empty() { "wd".into() } else { names.join(",") }
}

fn property_kind(property: Property) -> &'static str {
    match property {
        Property::Invariant(_) => "inv",
        Property::Assertion(_) => "assertions",
        Property::DeadlockFree => "deadlock",
        Property::NoGoal => "goal",
    }
}

/// The name of what is violated.
pub fn violation_kind(violation: &Violation) -> &'static str {
    match violation {
        Violation::Invariant(_) => "inv",
        Violation::Assertions(_) => "assertions",
        Violation::Deadlock => "deadlock",
        Violation::Goal => "goal",
        Violation::IllDefined(_) => "wd",
        Violation::Assert(_) => "assert",
        Violation::Precondition(_) => "precondition",
        Violation::Refinement(_) => "refinement",
    }
}

/// File, line and column where a span starts.
pub fn place(sources: &Sources, span: Span) -> (Option<String>, Option<u32>, Option<u32>) {
    if span.source.0 as usize >= sources.iter().count() {
        return (None, None, None);
    }
    let position = sources.position(span);
    (Some(sources.path(span).display().to_string()), Some(position.line), Some(position.column))
}

/// Everything that is wrong at the end of a trace.
pub fn violated_objects(model: &Model, violation: &Violation) -> Vec<ViolatedObject> {
    let property = violation_kind(violation);
    let at = |span: Span, text: String, message: Option<String>| {
        let (file, line, column) = place(&model.sources, span);
        ViolatedObject { property, index: None, label: None, text, message, file, line, column }
    };
    let conjuncts = |all: &[Conjunct], which: &[usize]| -> Vec<ViolatedObject> {
        which
            .iter()
            .filter_map(|&i| all.get(i).map(|c| (i, c)))
            .map(|(i, c)| ViolatedObject {
                index: Some(i),
                label: c.label.clone(),
                ..at(c.span, c.text.clone(), None)
            })
            .collect()
    };
    let source = |span| print::at(model, span);
    match violation {
        Violation::Invariant(which) => conjuncts(&model.invariant, which),
        Violation::Assertions(which) => conjuncts(&model.assertions, which),
        Violation::Deadlock => vec![ViolatedObject {
            property,
            index: None,
            label: None,
            text: "no event is enabled".into(),
            message: None,
            file: None,
            line: None,
            column: None,
        }],
        Violation::Goal => {
            let span = model.goal.as_ref().map(|g| g.span).unwrap_or_default();
            vec![at(span, source(span), Some("the goal is reached".into()))]
        }
        Violation::IllDefined(error) => vec![at(error.span, source(error.span), Some(error.message.clone()))],
        Violation::Assert(span) => vec![at(
            *span,
            source(*span),
            Some(match model.notation {
                Notation::ClassicalB => "the assertion is false".into(),
                Notation::EventB => "the theorem is false where the guards hold".into(),
            }),
        )],
        Violation::Refinement(id) => {
            let Some(check) = model.refinement_checks.get(id.index()) else { return vec![] };
            let object = at(check.span, check.text.clone(), Some(check.message(model)));
            vec![ViolatedObject { label: check.label.clone(), ..object }]
        }
        Violation::Precondition(span) => {
            vec![at(*span, source(*span), Some("the precondition is false".into()))]
        }
    }
}

fn property_object(model: &Model, property: Property, verdict: PropertyVerdict) -> PropertyObject {
    let conjunct = match property {
        Property::Invariant(i) => model.invariant.get(i).map(|c| (i, c)),
        Property::Assertion(i) => model.assertions.get(i).map(|c| (i, c)),
        _ => None,
    };
    let (span, text) = match (conjunct, property) {
        (Some((_, c)), _) => (Some(c.span), c.text.clone()),
        (None, Property::NoGoal) => {
            let span = model.goal.as_ref().map(|g| g.span);
            (span, span.map(|s| print::at(model, s)).unwrap_or_default())
        }
        _ => (None, "some event is enabled".into()),
    };
    let (file, line, _) = span.map(|s| place(&model.sources, s)).unwrap_or_default();
    PropertyObject {
        property: property_kind(property),
        index: conjunct.map(|(i, _)| i),
        label: conjunct.and_then(|(_, c)| c.label.clone()),
        text,
        file,
        line,
        verdict: match verdict {
            PropertyVerdict::Holds => "holds",
            PropertyVerdict::Violated => "violated",
            PropertyVerdict::Unknown => "unknown",
        },
    }
}

/// A property in words: its label and text.
pub fn property_text(model: &Model, property: Property) -> PropertyObject {
    property_object(model, property, PropertyVerdict::Violated)
}

fn number(n: &Int) -> Json {
    n.to_i64().map(Json::from).unwrap_or_else(|| Json::from(n.to_string()))
}

/// A scope with the constants that were fixed.
pub fn scope_object(model: &Model, scope: &Scope, settings: &BTreeMap<String, String>) -> ScopeObject {
    let mut sets = Map::new();
    for (i, carrier) in (0u32..).zip(&model.carriers) {
        if carrier.kind == CarrierKind::Deferred {
            let size = scope.sizes.get(&bsym_language::types::CarrierId(i));
            sets.insert(carrier.name.clone(), size.map(|&n| Json::from(n)).unwrap_or_else(|| "any".into()));
        }
    }
    ScopeObject {
        sets,
        maxint: number(&scope.maxint),
        minint: number(&scope.minint),
        settings: settings.clone(),
    }
}

fn values<'a>(
    model: &Model,
    scope: &Scope,
    names: impl Iterator<Item = &'a str>,
    values: &[Value],
) -> Map<String, Json> {
    names.zip(values).map(|(n, v)| (n.to_string(), Json::from(value_text(model, scope, v)))).collect()
}

/// The constants of a trace.
pub fn constants_object(model: &Model, trace: &Trace) -> Map<String, Json> {
    values(model, &trace.scope, model.constants.iter().map(|c| c.name.as_str()), &trace.constants)
}

/// The steps of a trace.
pub fn trace_object(model: &Model, trace: &Trace) -> Vec<StepObject> {
    let scope = &trace.scope;
    let locals = |ids: &[bsym_language::model::LocalId], of: &[Value]| {
        let names = ids.iter().map(|l| model.locals.get(l.index()).map_or("?", |v| v.name.as_str()));
        values(model, scope, names, of)
    };
    trace
        .steps
        .iter()
        .map(|step| {
            let event = step.event.and_then(|e| model.events.get(e.index()));
            let parameters = event.map_or(&[][..], |e| &e.parameters);
            let results = event.map_or(&[][..], |e| &e.results);
            StepObject {
                event: event_name(model, step.event),
                parameters: locals(parameters, &step.execution.parameters),
                results: locals(results, &step.execution.results),
                state: step
                    .state
                    .as_ref()
                    .map(|s| values(model, scope, model.variables.iter().map(|v| v.name.as_str()), s)),
            }
        })
        .collect()
}

/// The name of an event; `None` is the initialisation.
pub fn event_name(model: &Model, event: Option<EventId>) -> String {
    match event {
        None => "INITIALISATION".into(),
        Some(e) => model.events.get(e.index()).map_or_else(|| "?".into(), |e| e.name.clone()),
    }
}

/// A pair as it stands among those used, with its provers.
fn used_pair(subject: &Subject<'_>, pair: Pair) -> PairObject {
    let object = pair_object(subject.model, pair, None);
    let used = subject.proofs.used.iter().find(|u| (&u.event, u.index) == (&object.event, object.index));
    used.cloned().unwrap_or(object)
}

/// A pair with the status that it has.
pub fn pair_object(model: &Model, (event, index): Pair, status: Option<&PairStatus>) -> PairObject {
    PairObject {
        event: event_name(model, event),
        index,
        conjunct: model.invariant.get(index).map_or_else(String::new, conjunct_name),
        provers: status.map(|s| s.provers.clone()).unwrap_or_default(),
        level: status.map(|s| level_word(s.level)),
    }
}

fn used_check(subject: &Subject<'_>, check: Check) -> CheckObject {
    let object = check_object(subject.model, check, None);
    let used = subject.proofs.checks.used.iter().find(|u| u.check == object.check);
    used.cloned().unwrap_or(object)
}

/// A check with the status that it has.
pub fn check_object(model: &Model, check: Check, status: Option<&PairStatus>) -> CheckObject {
    CheckObject {
        check: check.describe(model),
        provers: status.map(|s| s.provers.clone()).unwrap_or_default(),
        level: status.map(|s| level_word(s.level)),
    }
}

/// A level in a word.
pub fn level_word(level: Level) -> &'static str {
    match level {
        Level::Claim => "claim",
        Level::Exporter => "exporter",
        Level::Tool => "tool",
        Level::Checked => "checked",
    }
}

/// The label of a conjunct, else its text.
pub fn conjunct_name(conjunct: &Conjunct) -> String {
    conjunct.label.clone().unwrap_or_else(|| conjunct.text.clone())
}

/// What of a machine is in no check.
pub fn dropped_objects(model: &Model) -> Vec<DroppedObject> {
    let one = |d: &Dropped| {
        let (file, line, _) = place(&model.sources, d.span);
        let (kind, event) = match d.kind {
            DroppedKind::Gluing => ("invariant", None),
            DroppedKind::Assertion => ("assertion", None),
            DroppedKind::Assert => ("assert", None),
            DroppedKind::LoopInvariant => ("loop-invariant", None),
            DroppedKind::Precondition => ("precondition", None),
            DroppedKind::AbstractPrecondition(e) => {
                ("abstract-precondition", Some(event_name(model, Some(e))))
            }
        };
        DroppedObject { kind, event, label: d.label.clone(), text: d.text.clone(), file, line }
    };
    model.not_checked.iter().map(one).collect()
}

fn condition_object(condition: &Condition) -> ConditionObject {
    let parts = match condition {
        Condition::NotChecked(parts) => parts.clone(),
        Condition::ExistenceUndecided(_) | Condition::Axioms(_) | Condition::RestsOnTrust => vec![],
    };
    ConditionObject { code: condition.code(), message: condition.message(), parts }
}

fn checked_object(checked: &bsym_proofs::claim::Checked) -> CheckedObject {
    CheckedObject {
        solver: checked.solver.clone(),
        checks: checked.checks,
        failed: checked.failed.clone(),
        undecided: checked.undecided.clone(),
        small_sizes: vec![],
        small_sizes_undecided: vec![],
        representations_undecided: vec![],
    }
}

/// The text of a predicate as an operand of `&`.
fn operand(text: &str, kind: Option<&PredKind>) -> String {
    match kind {
        Some(PredKind::Or(_) | PredKind::Implies(..) | PredKind::Iff(..)) => format!("({text})"),
        _ => text.to_string(),
    }
}

/// A message about the model for JSON.
pub fn diagnostic_object(sources: &Sources, diagnostic: &Diagnostic) -> DiagnosticObject {
    let (file, line, column) = place(sources, diagnostic.span);
    DiagnosticObject {
        kind: match diagnostic.code.kind {
            Kind::Parse => "parse",
            Kind::Scope => "scope",
            Kind::Type => "type",
            Kind::Structure => "structure",
        },
        code: format!("B{:04}", diagnostic.code.number),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        file: file.unwrap_or_default(),
        line: line.unwrap_or(1),
        column: column.unwrap_or(1),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
    }
}

/// The object that `--json` prints for wrong input.
pub fn error_object(message: &str, help: Option<&str>, diagnostics: &[DiagnosticObject]) -> Json {
    json!({
        "format": "bsym-error",
        "version": 1,
        "error": message,
        "help": help,
        "diagnostics": diagnostics,
    })
}
