//! What a certificate claims, for the reader who has nothing but its check.

use std::collections::BTreeMap;

use bsym_language::model::{Conjunct, Model};
use bsym_proofs::certificate::{Certificate, EvidenceText, TrustLevel};
use bsym_proofs::certify::Opened;
use bsym_proofs::claim::Property;
use bsym_proofs::status::Level;
use bsym_proofs::witness::Witness;
use serde::Serialize;

use super::{
    CheckObject, DroppedObject, PairObject, PropertyObject, ScopeObject, conjunct_name, dropped_objects,
    level_word, property_text, scope_object,
};

/// The claim of a certificate, as it was read anew from the machine.
#[derive(Serialize, Clone, Debug)]
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
    pub evidence: EvidenceObject,
    /// The valuation of the constants and the initial state that show that it is about something.
    pub witness: Option<Witness>,
    /// Pairs that it may rest on without a proof.
    pub trusted: Vec<PairObject>,
    /// Checks that it may rest on without a proof.
    pub trusted_checks: Vec<CheckObject>,
    pub made_by: MakerObject,
}

/// The evidence of a claim.
#[derive(Serialize, Clone, Debug)]
pub struct EvidenceObject {
    pub kind: &'static str,
    /// `k`, or the number of steps that no path has.
    pub steps: Option<usize>,
    pub lemmas: Vec<String>,
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    pub digest: Option<String>,
}

/// Who made a proof, in its own words.
#[derive(Serialize, Clone, Debug)]
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
        let of = |p: Property| PropertyObject { verdict: "holds", ..property_text(model, p) };
        let asked = |i: usize| claim.properties.contains(&Property::Invariant(i));
        let others = claim.conjuncts.iter().filter(|&&i| !asked(i));
        let left = (0..model.invariant.len()).filter(|&i| !asked(i) && !claim.conjuncts.contains(&i));
        let settings: BTreeMap<String, String> = certificate.settings.clone();
        ClaimObject {
            machine: model.name.clone(),
            file: certificate.machine.path.clone(),
            sha256: certificate.machine.sha256.clone(),
            properties: claim.properties.iter().map(|&p| of(p)).collect(),
            conjuncts: others.map(|&i| of(Property::Invariant(i))).collect(),
            left_out: left
                .map(|i| PropertyObject { verdict: "unknown", ..of(Property::Invariant(i)) })
                .collect(),
            not_checked: dropped_objects(model),
            well_definedness: claim.well_definedness,
            scope: scope_object(model, scope, &settings),
            evidence: EvidenceObject::new(&certificate.evidence),
            witness: certificate.witness.clone(),
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

fn word(level: TrustLevel) -> &'static str {
    level_word(Level::from(level))
}

impl EvidenceObject {
    fn new(evidence: &EvidenceText) -> EvidenceObject {
        let none = EvidenceObject {
            kind: "inductive",
            steps: None,
            lemmas: vec![],
            states: None,
            transitions: None,
            digest: None,
        };
        match evidence {
            EvidenceText::Inductive { lemmas } => EvidenceObject { lemmas: lemmas.clone(), ..none },
            EvidenceText::KInduction { k, lemmas } => {
                EvidenceObject { kind: "k-induction", steps: Some(*k), lemmas: lemmas.clone(), ..none }
            }
            EvidenceText::Diameter { depth } => {
                EvidenceObject { kind: "diameter", steps: Some(*depth), ..none }
            }
            EvidenceText::Search { states, transitions, digest } => EvidenceObject {
                kind: "search",
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
            1 => " with 1 lemma".into(),
            n => format!(" with {n} lemmas"),
        };
        let steps = self.steps.unwrap_or(0);
        match self.kind {
            "inductive" => format!("an inductive invariant{lemmas}"),
            "k-induction" => format!("k-induction, k = {steps}{lemmas}"),
            "diameter" => format!("no path has {steps} events"),
            _ => format!(
                "all states were visited: {} states, {} transitions, digest {}",
                self.states.unwrap_or(0),
                self.transitions.unwrap_or(0),
                self.digest.as_deref().unwrap_or_default()
            ),
        }
    }
}
