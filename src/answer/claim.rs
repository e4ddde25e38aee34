//! What a certificate claims, for the reader who has nothing but its check.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use bsym_language::model::{Conjunct, Model};
use bsym_proofs::certificate::{Certificate, EvidenceText, TrustLevel};
use bsym_proofs::certify::Opened;
use bsym_proofs::claim::Property;
use bsym_proofs::witness::Witness;
use bsym_semantics::trace::file::ChoiceFile;
use bsym_status::Level;
use schemars::JsonSchema;
use serde::Serialize;

use super::not_checked::{self, DroppedObject};
use super::proof::{EvidenceKind, complete};
use super::property::{PropertyKind, PropertyObject, PropertyVerdictWord, conjunct_name};
use super::scope::ScopeObject;
use super::status::{CheckObject, LevelWord, PairObject};
use crate::answer::trace::counted;
use crate::paint::Paint;

/// The claim of a certificate, as it was read anew from the machine.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ClaimObject {
    pub machine: String,
    pub file: String,
    pub sha256: String,
    pub properties: Vec<PropertyObject>,
    /// Conjuncts of the invariant that the proof assumes and shows besides the properties.
    pub conjuncts: Vec<PropertyObject>,
    /// Conjuncts of the invariant that it says nothing about.
    pub left_out: Vec<PropertyObject>,
    /// What of the machine is in no check.
    pub not_checked: Vec<DroppedObject>,
    pub well_definedness: bool,
    pub scope: ScopeObject,
    /// What holds by what is assigned to the variables alone: the encoding of the proof takes it for granted, and the
    /// conjuncts do not say it.
    pub layouts: Vec<String>,
    pub evidence: EvidenceObject,
    /// The valuation of the constants and the initial state that show that it is about something.
    pub witness: Option<WitnessObject>,
    /// Pairs that it may rest on without a proof.
    pub trusted: Vec<PairObject>,
    /// Checks that it may rest on without a proof.
    pub trusted_checks: Vec<CheckObject>,
    pub made_by: MakerObject,
}

/// The evidence of a claim.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct EvidenceObject {
    pub kind: EvidenceKind,
    /// `k`, or the number of steps that no path of different states has.
    pub steps: Option<usize>,
    pub lemmas: Vec<String>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    pub digest: Option<String>,
    /// Of states that differ in the roles of interchangeable elements only, one was visited.
    pub symmetric: bool,
}

/// A valuation of the constants and an initial state, which the evaluator repeats.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct WitnessObject {
    /// Of the deferred sets that the scope leaves open.
    pub sizes: BTreeMap<String, usize>,
    pub constants: BTreeMap<String, String>,
    pub state: BTreeMap<String, String>,
    /// What the initialisation chose, as in a trace.
    pub choices: Vec<ChoiceObject>,
    /// In words.
    #[serde(skip)]
    text: String,
}

/// What was chosen at one place.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct ChoiceObject {
    pub choice: u32,
    pub value: String,
}

impl From<&Witness> for WitnessObject {
    fn from(witness: &Witness) -> WitnessObject {
        let choice = |c: &ChoiceFile| ChoiceObject { choice: c.choice, value: c.value.clone() };
        WitnessObject {
            sizes: witness.sizes.clone(),
            constants: witness.constants.clone(),
            state: witness.state.clone(),
            choices: witness.choices.iter().map(choice).collect(),
            text: witness.text(),
        }
    }
}

/// Who made a proof, in its own words.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct MakerObject {
    pub bsym: String,
    pub engine: String,
    pub solver: String,
    pub checks: usize,
}

impl ClaimObject {
    /// The claim of a certificate.
    pub fn new(certificate: &Certificate, opened: &Opened) -> ClaimObject {
        let Opened { model, scope, claim } = opened;
        let of = |p: Property| PropertyObject::new(model, p, PropertyVerdictWord::Holds);
        let asked = |i: usize| claim.properties.contains(&Property::Invariant(i));
        let others = claim.conjuncts.iter().filter(|&&i| !asked(i));
        let left = (0..model.invariant.len()).filter(|&i| !asked(i) && !claim.conjuncts.contains(&i));
        ClaimObject {
            machine: model.name.clone(),
            file: certificate.machine.path.clone(),
            sha256: certificate.machine.sha256.clone(),
            properties: claim.properties.iter().map(|&p| of(p)).collect(),
            conjuncts: others.map(|&i| of(Property::Invariant(i))).collect(),
            left_out: left
                .map(|i| PropertyObject::new(model, Property::Invariant(i), PropertyVerdictWord::Unknown))
                .collect(),
            not_checked: DroppedObject::all(model),
            well_definedness: claim.well_definedness,
            scope: ScopeObject::new(model, scope, &certificate.settings),
            layouts: certificate.layouts.clone(),
            evidence: EvidenceObject::new(&certificate.evidence),
            witness: certificate.witness.as_ref().map(WitnessObject::from),
            trusted: certificate.trusted.iter().map(|t| trusted_pair(model, t)).collect(),
            trusted_checks: certificate
                .trusted_checks
                .iter()
                .map(|t| CheckObject {
                    check: t.text.clone(),
                    provers: t.provers.clone(),
                    level: Some(word(t.level)),
                })
                .collect(),
            made_by: MakerObject {
                bsym: certificate.bsym.clone(),
                engine: certificate.engine.clone(),
                solver: certificate.checked.solver.clone(),
                checks: certificate.checked.checks,
            },
        }
    }

    /// Everything that it says, with everything that its check depends on.
    pub fn write(&self, out: &mut String, paint: Paint) -> Result {
        writeln!(out, "  claim: in every reachable state of {} ({})", self.machine, self.file)?;
        for property in &self.properties {
            let kind = match property.property {
                PropertyKind::Invariant => "invariant",
                PropertyKind::Assertions => "assertion",
                PropertyKind::Deadlock => "deadlock freedom",
                _ => "never reached",
            };
            writeln!(out, "    {kind}: {}", property.named())?;
        }
        for conjunct in &self.conjuncts {
            writeln!(out, "    besides: {}", conjunct.named())?;
        }
        if self.well_definedness {
            writeln!(out, "    what is evaluated is well-defined")?;
        } else {
            writeln!(out, "  {}: well-definedness", paint.doubt("not claimed"))?;
        }
        for conjunct in &self.left_out {
            writeln!(out, "  {}: {}", paint.doubt("not claimed"), conjunct.named())?;
        }
        out.push_str(&not_checked::text(&self.not_checked, true, paint));
        writeln!(out, "  scope: {}", self.scope.text())?;
        writeln!(out, "  evidence: {}", self.evidence.in_words())?;
        for lemma in &self.evidence.lemmas {
            writeln!(out, "    {lemma}")?;
        }
        for layout in &self.layouts {
            writeln!(out, "  by what is assigned: {layout}")?;
        }
        if let Some(witness) = &self.witness {
            writeln!(out, "  about something: {}", witness.text)?;
            for choice in &witness.choices {
                writeln!(out, "    chosen ({}): {}", choice.choice, choice.value)?;
            }
        }
        for pair in &self.trusted {
            writeln!(out, "  may rest on: {}", pair.text())?;
        }
        for check in &self.trusted_checks {
            writeln!(out, "  may rest on: {}", check.text())?;
        }
        let maker = &self.made_by;
        let by =
            format!("{} of bsym {}, {} checks, {}", maker.engine, maker.bsym, maker.checks, maker.solver);
        writeln!(out, "  made by: {by}")
    }
}

fn trusted_pair(model: &Model, t: &bsym_proofs::certificate::TrustedPair) -> PairObject {
    let conjunct: Option<&Conjunct> = model.invariant.get(t.conjunct);
    PairObject {
        event: t.event.clone(),
        index: t.conjunct,
        conjunct: conjunct.map_or_else(String::new, conjunct_name),
        provers: t.provers.clone(),
        level: Some(word(t.level)),
    }
}

fn word(level: TrustLevel) -> LevelWord {
    Level::from(level).into()
}

impl EvidenceObject {
    fn new(evidence: &EvidenceText) -> EvidenceObject {
        let none = EvidenceObject {
            kind: EvidenceKind::Inductive,
            steps: None,
            lemmas: vec![],
            states: None,
            transitions: None,
            digest: None,
            symmetric: false,
        };
        match evidence {
            EvidenceText::Inductive { lemmas } => EvidenceObject { lemmas: lemmas.clone(), ..none },
            EvidenceText::KInduction { k, lemmas } => EvidenceObject {
                kind: EvidenceKind::KInduction,
                steps: Some(*k),
                lemmas: lemmas.clone(),
                ..none
            },
            EvidenceText::Diameter { depth } => {
                EvidenceObject { kind: EvidenceKind::Diameter, steps: Some(*depth), ..none }
            }
            EvidenceText::Search { states, transitions, digest, symmetric } => EvidenceObject {
                symmetric: *symmetric,
                kind: EvidenceKind::Search,
                states: Some(*states),
                transitions: Some(*transitions),
                digest: Some(digest.clone()),
                ..none
            },
        }
    }

    /// The evidence in words.
    pub fn in_words(&self) -> String {
        let lemmas = match self.lemmas.len() {
            0 => String::new(),
            n => format!(" with {}", counted(n, "lemma")),
        };
        let steps = self.steps.unwrap_or(0);
        match self.kind {
            EvidenceKind::Inductive => format!("an inductive invariant{lemmas}"),
            EvidenceKind::KInduction => format!("k-induction, k = {steps}{lemmas}"),
            EvidenceKind::Diameter => complete(steps),
            EvidenceKind::Search => format!(
                "all states were visited{}: {}, {}, digest {}",
                if self.symmetric { ", of symmetric ones one" } else { "" },
                counted(self.states.unwrap_or(0), "state"),
                counted(self.transitions.unwrap_or(0), "transition"),
                self.digest.as_deref().unwrap_or_default()
            ),
        }
    }
}
