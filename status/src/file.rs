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
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<About>,
    /// The files it was made from.
    pub sources: Vec<SourceFile>,
    /// What the obligations were generated from.
    #[serde(default)]
    pub components: Vec<Component>,
    /// The obligations.
    pub obligations: Vec<Obligation>,
    /// Parts of the model that no obligation is about although B asks for one, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
    /// Parts of the model without obligations of their own, because nothing can be encoded there yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Hypotheses that contradict each other, with the obligations that follow from that alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictory: Vec<Contradictory>,
    /// Counts for people; they have to be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<serde_json::Value>,
}

/// A part of the model without obligations of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Names the part, such as `operation sum`.
    pub part: String,
    /// Says why, in lower case and without a full stop.
    pub reason: String,
    /// The file that it is written in.
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
    /// Hypotheses that have no model together. None of them is known to be needless.
    pub core: Vec<Hypothesis>,
    /// Whether another form says the same, or deferred sets with few elements.
    pub confirmed: bool,
    /// Names of the discharged obligations that have all of them as hypotheses.
    pub obligations: Vec<String>,
}

/// A hypothesis of an obligation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// What it is.
    pub role: TargetRole,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Text.
    pub text: String,
    /// The file that it is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in this file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What a file is about.
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
    /// The scope of the proofs, where they were made for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<PoScope>,
}

/// Sizes and bounds that proofs were made for.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoScope {
    /// Sizes of deferred sets; one that is missing has any size.
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
    /// What kind of file.
    pub kind: SourceKind,
    /// What it contributed.
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
    /// How far it can be relied on.
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

/// What a file contributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Role {
    Model,
    Obligations,
    Status,
    Proofs,
}

/// How far a file can be relied on.
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
    /// What it refines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refines: Option<String>,
    /// Contexts that it sees, or that a context extends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sees: Vec<String>,
    /// Hash of everything in it.
    pub model_hash: String,
    /// Hash of sets, constants, variables, their types, and the bounds it sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declarations_hash: Option<String>,
    /// Properties and constraints, with those that a flag added.
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
    /// It is a theorem.
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
    /// What has to be proved.
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
    /// Several goals that make one pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// Provers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prover: Vec<String>,
    /// Rodin's confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<i64>,
    /// Proved by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<bool>,
    /// The proof depends on more than the sequent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_dependent: Option<bool>,
    /// Of our own proofs: whether there is one in another form as well, or where the deferred sets are small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// Known to be for another text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_reason: Option<String>,
    /// Why event and target were not found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<String>,
    /// Where it comes from.
    pub source: Origin,
    /// The sequent as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequent: Option<serde_json::Value>,
    /// A certificate of our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<serde_json::Value>,
}

impl Obligation {
    /// An obligation about which nothing but its name is known yet.
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
    /// The word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }
}

/// What an obligation is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What it is.
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

/// What a target is.
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
    /// The word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }

    /// The role of an element of Event-B, by the name that Rodin gives to its kind.
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
    /// The sequent has a counterexample. That is no counterexample of the machine: the state before
    /// may be unreachable.
    Refuted,
    Unknown,
}

impl Status {
    /// Whether it is proved, or nothing is to be proved.
    pub fn is_discharged(self) -> bool {
        matches!(self, Status::Discharged | Status::Trivial)
    }

    /// The word in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
    }
}

/// Several goals that make one pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// Number of goals.
    pub total: u64,
    /// Proved ones.
    pub proved: u64,
}

/// Where an obligation and its status come from.
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
    /// How event and target were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapped_by: Option<MappedBy>,
}

/// How event and target of an obligation were found.
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
    /// The text of the file.
    pub fn to_text(&self) -> String {
        // A value of these types always has a JSON text.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Makes the names of obligations unique: labels need not be, names must.
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
