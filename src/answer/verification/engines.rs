//! The answer of the symbolic engines.

use bsym_encodings::session::Size;
use bsym_engines::verdict::{PropertyVerdict, Report};
use bsym_language::load::check_predicate;
use bsym_language::model::{Model, Notation, Pred};
use bsym_language::print;
use bsym_proofs::claim::Property;
use bsym_semantics::verdict::{Counterexample, Verdict};
use bsym_status::{Check, Pair};

use super::{Subject, Verification};
use crate::answer::diagnostic::UnsupportedObject;
use crate::answer::failed_proof::FailedProofObject;
use crate::answer::proof::{CheckedObject, ContradictionObject, ProofObject};
use crate::answer::property::PropertyObject;
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::seconds;
use crate::answer::trace::{CounterexampleObject, CounterexampleToInductionObject};

impl Verification {
    /// The answer of an engine's report.
    pub fn of_engines(subject: &Subject<'_>, report: &Report) -> Verification {
        let (model, settings) = (subject.model, &subject.settings);
        let object =
            |found: &Counterexample| CounterexampleObject::new(model, &found.trace, &found.violations);
        let verdict = report.verdict.map(
            |proof| Box::new(ProofObject::new(model, proof)),
            object,
            |wrong| {
                let found = ContradictionObject::of(model, subject.scope, settings, wrong);
                Verdict::Contradiction(Box::new(found))
            },
        );
        let mut answer = Verification::new(subject, report.engine.name(), report.depth, verdict);
        // The sizes of the deferred sets in a counterexample are part of what it says.
        let found = report.verdict.counterexample();
        let scope = found.map_or(&report.scope, |found| &found.trace.scope);
        answer.question.scope = ScopeObject::new(model, scope, settings);
        answer.findings.failed_checks = report.failed_checks.as_ref().map(CheckedObject::from);
        let property =
            |&(p, verdict): &(Property, PropertyVerdict)| PropertyObject::new(model, p, verdict.into());
        answer.properties = report.properties.iter().map(property).collect();
        // Where there is an answer nobody asks what kept it, and what else was found.
        if answer.undecided().is_some() {
            let path = report.attempt.counterexample_to_induction.as_ref();
            answer.findings.counterexample_to_induction =
                path.map(|c| CounterexampleToInductionObject::new(model, c));
            answer.findings.invariants = in_notation(model, &report.attempt.found_invariants);
            let shown = |pred: &Pred| match model.text.notation {
                Notation::ClassicalB => print::pred(model, pred),
                _ => print::shown_pred(model, pred),
            };
            answer.findings.failed_proof = report
                .attempt
                .failed_proof
                .as_ref()
                .map(|found| FailedProofObject::new(model, found, &shown));
        }
        let sources = &model.text.sources;
        answer.left_out.unsupported =
            report.unsupported.iter().map(|u| UnsupportedObject::of(sources, u)).collect();
        answer.proofs.set_wrong(model, &report.wrong_statuses, &report.wrong_checks);
        let (pairs, checks) = rests_on(report);
        answer.proofs.set_trusted(&subject.proofs, model, pairs, checks);
        let stats = &report.statistics;
        answer.stats.queries = stats.queries;
        answer.stats.unknowns = stats.unknowns;
        answer.stats.quantifiers = stats.quantifiers;
        answer.stats.solver_seconds = seconds(stats.time);
        if stats.size != Size::default() {
            answer.stats.variables = Some(stats.size.variables);
            answer.stats.clauses = Some(stats.size.clauses);
            if stats.size.referred > 0 {
                let queries = match stats.size.referred {
                    1 => "a query with numbers of more than 64 bits was".into(),
                    n => format!("{n} queries with numbers of more than 64 bits were"),
                };
                answer.warnings.push(format!("{queries} asked in the unbounded encoding"));
            }
        }
        answer.findings.further = report.further.iter().map(object).collect();
        answer
    }
}

/// A proof says itself what it rests on; anything else rests on what nobody could confirm.
fn rests_on(report: &Report) -> (&[Pair], &[Check]) {
    match report.verdict.evidence() {
        Some(proof) => (&proof.checked.trusted, &proof.checked.trusted_checks),
        None => (&report.unconfirmed_statuses, &report.unconfirmed_checks),
    }
}

/// Predicates in B in the notation of the model.
fn in_notation(model: &Model, texts: &[String]) -> Vec<String> {
    if model.text.notation == Notation::ClassicalB {
        return texts.to_vec();
    }
    let mut reading = model.clone();
    let shown = |text: &String| match check_predicate(&mut reading, text) {
        Ok(pred) => print::shown_pred(&reading, &pred),
        Err(_) => text.clone(),
    };
    texts.iter().map(shown).collect()
}
