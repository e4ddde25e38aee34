//! The types of `po.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Value of `format`.
pub const FORMAT: &str = "bsym-po";
/// Value of `version`.
pub const VERSION: u32 = 1;
/// The JSON Schema of the format.
pub const SCHEMA: &str = include_str!("../schema/po.schema.json");

/// A whole `po.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoFile {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// The model that the file is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<About>,
    /// The files that it was made from.
    pub sources: Vec<SourceFile>,
    /// The components that the obligations were generated from.
    #[serde(default)]
    pub components: Vec<Component>,
    /// The obligations.
    pub obligations: Vec<Obligation>,
    /// Parts of the model that no obligation is about although B requires one, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
    /// Parts of the model without obligations of their own, because they cannot be encoded yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Hypotheses that contradict each other, with the obligations that follow from that alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictory: Vec<Contradictory>,
    /// Counts for readers; they must be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<serde_json::Value>,
    /// `true` in an answer that was given before and kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}

/// A part of the model without obligations of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Names the part, such as `operation sum`.
    pub part: String,
    /// Says why, in lower case and without a full stop.
    pub reason: String,
    /// The file with the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in this file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Hypotheses of obligations that contradict each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradictory {
    /// The event that can never happen; absent where axioms or axioms and invariants contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Hypotheses that have no model together. None of them is known to be redundant.
    pub core: Vec<Hypothesis>,
    /// `true` if another form, or deferred sets with few elements, confirms the contradiction.
    pub confirmed: bool,
    /// Names of the discharged obligations that have all of them as hypotheses.
    pub obligations: Vec<String>,
}

/// A hypothesis of an obligation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// Role of the hypothesis.
    pub role: TargetRole,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Text.
    pub text: String,
    /// The file with the hypothesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in this file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Model that a file is about.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Main machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// Language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The scope of the proofs, if they were made for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<PoScope>,
}

/// Sizes and bounds for which proofs were made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoScope {
    /// Sizes of deferred sets; a missing one has any size.
    pub sizes: BTreeMap<String, usize>,
    /// `MAXINT` as decimal text.
    pub maxint: String,
    /// `MININT` as decimal text.
    pub minint: String,
}

/// Modelling languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Language {
    ClassicalB,
    EventB,
}

/// A file that obligations, status or models come from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Key used by obligations.
    pub id: String,
    /// Relative path; archive members as `a.zip!/dir/f`.
    pub path: String,
    /// Kind of the file.
    pub kind: SourceKind,
    /// Its contribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The component in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The program that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exporter: Option<String>,
    /// Level of trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
}

/// Kinds of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum SourceKind {
    Bum,
    Buc,
    Bcm,
    Bcc,
    Bpo,
    Bps,
    Bpr,
    Eventb,
    Mch,
    Ref,
    Imp,
    Sys,
    Def,
    Pog,
    Pos,
    Po,
    Pmi,
    Bxml,
    Dep,
    Bsym,
}

/// Contribution of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Role {
    Model,
    Obligations,
    Status,
    Proofs,
}

/// Levels of trust in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Trust {
    Tool,
    Exporter,
    Claim,
}

/// A machine, refinement or context.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: ComponentKind,
    /// The component that it refines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refines: Option<String>,
    /// Contexts that it sees, or that a context extends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sees: Vec<String>,
    /// Hash of everything in it.
    pub model_hash: String,
    /// Hash of sets, constants, variables, their types, and the bounds that it sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declarations_hash: Option<String>,
    /// Properties and constraints, including those that a flag added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axioms: Option<Vec<NamedPredicate>>,
    /// Invariant conjuncts.
    #[serde(default)]
    pub invariants: Vec<NamedPredicate>,
    /// Operations or events, the initialisation as `INITIALISATION`.
    #[serde(default)]
    pub events: Vec<NamedEvent>,
}

/// Kinds of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ComponentKind {
    Machine,
    Refinement,
    Implementation,
    Context,
}

/// A predicate of a component.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPredicate {
    /// Label, or `#` and the position from 0.
    pub key: String,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Position from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// `true` for a theorem.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub theorem: bool,
    /// Text.
    pub text: String,
    /// Hash of the canonical text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// An event of a component.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEvent {
    /// Name.
    pub name: String,
    /// Abstract events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refines: Vec<String>,
    /// Hash of the canonical text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// One obligation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obligation {
    /// Unique name.
    pub id: String,
    /// Component it belongs to.
    pub component: String,
    /// Kind of the proof obligation.
    pub kind: Kind,
    /// Event; `INITIALISATION` for the initialisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Abstract event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_event: Option<String>,
    /// The predicate it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Outcome.
    pub status: Status,
    /// Counts of the goals, if several goals make one pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// Provers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prover: Vec<String>,
    /// Rodin's confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<i64>,
    /// `true` if it was proved by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<bool>,
    /// `true` if the proof depends on more than the sequent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_dependent: Option<bool>,
    /// For proofs of bsym: `true` if it was also proved in another form, or for small deferred sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// `true` if it is known to be for another text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The reason why it is stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_reason: Option<String>,
    /// The reason why event and target were not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<String>,
    /// The origin of the obligation and its status.
    pub source: Origin,
    /// The sequent as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequent: Option<serde_json::Value>,
    /// A certificate of bsym.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<serde_json::Value>,
}

impl Obligation {
    /// Creates an obligation of which only the name is known.
    pub fn new(component: &str, name: &str) -> Obligation {
        Obligation {
            id: format!("{component}/{name}"),
            component: component.into(),
            kind: Kind::Other,
            event: None,
            abstract_event: None,
            target: None,
            status: Status::Unknown,
            parts: None,
            prover: vec![],
            confidence: None,
            manual: None,
            context_dependent: None,
            confirmed: None,
            stale: false,
            stale_reason: None,
            unmatched: None,
            source: Origin { name: Some(name.into()), ..Origin::default() },
            sequent: None,
            certificate: None,
        }
    }
}

/// Kinds of obligations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum Kind {
    InvEst,
    Inv,
    InvThm,
    Thm,
    AxmThm,
    Wd,
    Grd,
    Mrg,
    Sim,
    Eql,
    Fis,
    Wfis,
    Wwd,
    Vwd,
    Fin,
    Var,
    Nat,
    Dlf,
    Assertion,
    Precondition,
    Values,
    Refinement,
    Other,
}

impl Kind {
    /// Returns the word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }
}

/// Predicate that an obligation is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Role of the predicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<TargetRole>,
    /// Label, or `#` and the position from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Position from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Component that declares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Hash of the canonical text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// Role of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum TargetRole {
    Invariant,
    Guard,
    Precondition,
    Action,
    Axiom,
    Theorem,
    Variant,
    Witness,
    Assertion,
}

impl TargetRole {
    /// Returns the word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }

    /// Returns the role of an element of Event-B, by the name that Rodin gives to its kind.
    pub(crate) fn of_element(kind: &str) -> Option<TargetRole> {
        Some(match kind {
            "invariant" => TargetRole::Invariant,
            "axiom" => TargetRole::Axiom,
            "theorem" => TargetRole::Theorem,
            "guard" => TargetRole::Guard,
            "action" => TargetRole::Action,
            "witness" => TargetRole::Witness,
            "variant" => TargetRole::Variant,
            _ => return None,
        })
    }
}

/// Outcome of an obligation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Status {
    Discharged,
    Reviewed,
    Uncertain,
    Pending,
    Unattempted,
    Broken,
    /// True by the frame or by typing, equal to a hypothesis, or an identity.
    Trivial,
    /// The sequent has a counterexample. That is not a counterexample of the machine, because the state before may be
    /// unreachable.
    Refuted,
    Unknown,
}

impl Status {
    /// Returns whether it is proved, or nothing needs to be proved.
    pub fn is_discharged(self) -> bool {
        matches!(self, Status::Discharged | Status::Trivial)
    }

    /// Returns the word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }
}

/// Counts of several goals that make one pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// Number of goals.
    pub total: u64,
    /// Number of proved goals.
    pub proved: u64,
}

/// Origin of an obligation and its status.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Source of the obligation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligation: Option<String>,
    /// Source of the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desc: Option<String>,
    /// The tool's stamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<i64>,
    /// Method by which event and target were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapped_by: Option<MappedBy>,
}

/// Methods by which event and target of an obligation are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum MappedBy {
    Handle,
    Name,
    LastEvent,
    Label,
    InternalName,
    BxmlTag,
    Text,
    Frame,
    Computed,
}

impl PoFile {
    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        // A value of these types always has a JSON text.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Makes the names of obligations unique: labels need not be unique, names must be.
    pub fn name_apart(&mut self) {
        let mut used = BTreeMap::new();
        for o in &mut self.obligations {
            let count = used.entry(o.id.clone()).or_insert(0);
            *count += 1;
            if *count > 1 {
                o.id = format!("{}#{count}", o.id);
            }
        }
    }

    /// Counts the obligations by status and by kind.
    pub fn summarize(&mut self) {
        self.summary = Some(self.counts());
    }

    pub(crate) fn counts(&self) -> serde_json::Value {
        let mut by_status: BTreeMap<String, usize> = BTreeMap::new();
        let mut by_kind: BTreeMap<String, usize> = BTreeMap::new();
        for o in &self.obligations {
            *by_status.entry(o.status.word()).or_default() += 1;
            *by_kind.entry(o.kind.word()).or_default() += 1;
        }
        serde_json::json!({ "status": by_status, "kind": by_kind })
    }
}
