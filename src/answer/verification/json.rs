//! The answer as one flat object: `schema/result.schema.json`.

use std::borrow::Cow;

use bsym_semantics::verdict::{Reason, ReasonCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::{BesideObject, StatsObject, Verdict, VerdictWord, Verification};
use crate::answer::against::BaselineObject;
use crate::answer::coverage::CoverageObject;
use crate::answer::diagnostic::{DiagnosticObject, UnsupportedObject};
use crate::answer::encoding::EncodingObject;
use crate::answer::failed_proof::FailedProofObject;
use crate::answer::named::Values;
use crate::answer::not_asked::NotAskedObject;
use crate::answer::not_checked::DroppedObject;
use crate::answer::proof::{
    CertificateObject, CheckedObject, ConditionObject, ContradictionObject, EvidenceKind,
};
use crate::answer::property::{AxiomObject, PropertyKind, PropertyObject};
use crate::answer::reason_schema::ReasonSchema;
use crate::answer::refinement::RefinementObject;
use crate::answer::scope::ScopeObject;
use crate::answer::status::ProofsObject;
use crate::answer::trace::{
    CounterexampleObject, CounterexampleToInductionObject, StepObject, ViolatedObject,
};

/// Result of bsym check, bmc, tree, kind, ic3, mc and ldd with --json
#[derive(Serialize, JsonSchema)]
struct Flat<'a> {
    #[schemars(extend("const" = "bsym-result"))]
    format: &'static str,
    #[schemars(extend("const" = 1))]
    version: u32,
    bsym: &'static str,
    machine: &'a str,
    file: &'a str,
    /// the engine that gave the answer
    #[schemars(extend("enum" = ["check", "bmc", "tree", "kind", "ic3", "mc", "ldd", "refine"]))]
    engine: &'a str,
    /// the kind of property that is violated, else what was checked, separated by commas
    property: String,
    verdict: VerdictWord,
    scope: &'a ScopeObject,
    /// scopes, chosen by default, without a valuation of the constants or an initial state as far as was found
    scopes_tried: &'a [ScopeObject],
    /// axioms that contradict each other
    core: &'a [AxiomObject],
    well_definedness: bool,
    /// how formulas reached the solver; null for a search
    encoding: Option<&'a EncodingObject>,
    /// events in the counterexample; k or the diameter of a proof; else the depth without violation
    depth: Option<usize>,
    violated: &'a [ViolatedObject],
    constants: Cow<'a, Values>,
    trace: Option<&'a [StepObject]>,
    trace_file: Option<&'a str>,
    further: &'a [CounterexampleObject],
    properties: &'a [PropertyObject],
    /// B predicates; with certificate_kind inductive their conjunction is an inductive invariant
    invariant: &'a [String],
    /// the file it was written to, or the certificate itself
    certificate: Option<&'a CertificateObject>,
    certificate_kind: Option<EvidenceKind>,
    checked: Option<&'a CheckedObject>,
    counterexample_to_induction: Option<&'a CounterexampleToInductionObject>,
    /// what there is of a proof that was not found
    failed_proof: Option<&'a FailedProofObject>,
    /// B predicates found on the way to no proof: with the conjuncts asked they are inductive, as one solver says; not checked again
    found_invariants: &'a [String],
    states: Option<u64>,
    transitions: Option<u64>,
    /// what was visited, with mc --coverage
    coverage: Option<&'a CoverageObject>,
    proofs: &'a ProofsObject,
    unsupported: &'a [UnsupportedObject],
    /// what the machine speaks of and nobody asked about
    not_asked: &'a [NotAskedObject],
    /// what the search beside the engines of check did, where it gave no answer
    search: Option<&'a BesideObject>,
    /// a refinement of classical B compared with its abstractions
    refinement: Option<&'a RefinementObject>,
    /// why there is no answer, or nothing to check
    #[schemars(with = "Option<ReasonSchema>")]
    reason_code: Option<ReasonCode>,
    reason: Option<String>,
    /// what the attached proof leaves open
    conditions: Vec<ConditionObject>,
    /// where parts of bsym contradict each other: a mistake of bsym, exit code 4
    contradiction: Option<&'a ContradictionObject>,
    /// parts of the machine that are in no check, whatever the verdict
    not_checked: &'a [DroppedObject],
    warnings: &'a [String],
    diagnostics: &'a [DiagnosticObject],
    stats: StatsObject,
    /// the answer was given before and kept; stats are those of that run
    #[serde(skip_serializing_if = "Option::is_none")]
    cached: Option<bool>,
    /// what a baseline knows of this
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineObject>,
}

impl<'a> From<&'a Verification> for Flat<'a> {
    fn from(answer: &'a Verification) -> Flat<'a> {
        let verdict = &answer.verdict;
        let (found, proof) = (verdict.counterexample(), verdict.evidence());
        let about: Vec<&str> = answer.about().into_iter().map(PropertyKind::word).collect();
        Flat {
            format: "bsym-result",
            version: 1,
            bsym: env!("CARGO_PKG_VERSION"),
            machine: &answer.machine,
            file: &answer.file,
            engine: &answer.engine,
            property: about.join(","),
            verdict: verdict.into(),
            scope: &answer.question.scope,
            scopes_tried: &answer.question.scopes_tried,
            core: if let Verdict::Vacuous(..) = verdict { &answer.findings.core } else { &[] },
            well_definedness: answer.question.well_definedness,
            encoding: answer.question.encoding.as_ref(),
            depth: answer.reached(),
            violated: found.map_or(&[], |found| &found.violated),
            constants: found.map_or_else(Cow::default, |found| Cow::Borrowed(&found.constants)),
            trace: found.map(|found| found.trace.as_slice()),
            trace_file: answer.findings.trace_file.as_deref().filter(|_| found.is_some()),
            further: &answer.findings.further,
            properties: &answer.properties,
            invariant: proof.map_or(&[], |proof| &proof.invariant),
            certificate: answer.certificate(),
            certificate_kind: proof.map(|proof| proof.kind),
            checked: match verdict {
                Verdict::Unknown(Reason::CheckFailed { .. }) => answer.findings.failed_checks.as_ref(),
                _ => proof.and_then(|proof| proof.checked.as_ref()),
            },
            counterexample_to_induction: answer.findings.counterexample_to_induction.as_ref(),
            failed_proof: answer.findings.failed_proof.as_ref(),
            found_invariants: &answer.findings.invariants,
            states: answer.extent.states,
            transitions: answer.extent.transitions,
            coverage: answer.extent.coverage.as_ref(),
            proofs: &answer.proofs,
            unsupported: &answer.left_out.unsupported,
            not_asked: &answer.left_out.not_asked,
            search: answer.findings.search.as_ref(),
            refinement: answer.findings.refinement.as_ref(),
            reason_code: verdict.reason_code(),
            reason: answer.reason(),
            conditions: match verdict {
                Verdict::Conditional(_, all) => all.iter().map(ConditionObject::from).collect(),
                _ => vec![],
            },
            contradiction: match verdict {
                Verdict::Contradiction(found) => Some(found),
                _ => None,
            },
            not_checked: &answer.left_out.not_checked,
            warnings: &answer.warnings,
            diagnostics: &answer.diagnostics,
            stats: StatsObject { walked: proof.and_then(|proof| proof.walked), ..answer.stats.clone() },
            cached: None,
            baseline: None,
        }
    }
}

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Flat::from(self).serialize(serializer)
    }
}

impl JsonSchema for Verification {
    fn schema_name() -> Cow<'static, str> {
        "Verification".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Flat::json_schema(generator)
    }
}
