//! What a comparison of a refinement with its abstractions makes of an answer.
//!
//! What the states of a refinement cannot say, its gluing invariant above all, is dropped from the model that `check` and `mc`
//! look at ([`bsym_semantics::trace::doubt`]). The comparison answers it for a finite scope: a step that nothing matches is a
//! violation, and a proof in the same scope is no longer conditional on what was compared. A violation of the refinement's own
//! invariant counts where the calls that lead to it may be made.

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_engines::verdict::Condition;
use bsym_explore::refinement::{Own, RefinementReport, RefinementVerdict};
use bsym_explore::report::Unknown;
use bsym_language::model::{DroppedKind, Model, SideBySide};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::doubt::{self, Asked};

use crate::answer::not_checked::DroppedObject;
use crate::answer::proof::ProofObject;
use crate::answer::property::PropertyVerdictWord;
use crate::answer::reason::Reason;
use crate::answer::refinement::{RefinementObject, Words};
use crate::answer::scope::ScopeObject;
use crate::answer::trace::{CounterexampleObject, ViolatedObject};
use crate::answer::verification::{Verdict, Verification, search_reason};

/// A comparison that ended.
#[derive(Clone)]
pub(super) struct Compared {
    pub(super) model: Arc<Model>,
    pub(super) parts: Arc<SideBySide>,
    pub(super) scope: Scope,
    pub(super) report: RefinementReport,
    /// Constants that were fixed.
    pub(super) settings: BTreeMap<String, String>,
    /// What is asked of the machine.
    pub(super) asked: Asked,
    /// It is asked about states alone.
    pub(super) is_of_states: bool,
    /// The scope is the one that was asked about.
    pub(super) is_whole: bool,
}

/// What a comparison does not look at either.
pub(super) fn left(model: &Model) -> Vec<DroppedObject> {
    let all = DroppedObject::all(model).into_iter().zip(&model.not_checked);
    all.filter(|(_, dropped)| is_left(dropped.kind)).map(|(object, _)| object).collect()
}

fn is_left(kind: DroppedKind) -> bool {
    !matches!(kind, DroppedKind::Gluing | DroppedKind::AbstractPrecondition(_))
}

impl Compared {
    /// Makes the comparison a part of an answer; the trace of a violation that it has found.
    pub(super) fn settle<'c>(&'c self, answer: &mut Verification) -> Option<&'c Trace> {
        let words = Words { model: &self.model, parts: &self.parts, scope: &self.scope };
        let scope = ScopeObject::new(&self.model, &self.scope, &self.settings);
        let mut object = RefinementObject::new(&self.parts, scope.clone());
        let report = &self.report;
        let why = |unknown: &Unknown| search_reason(&self.model, unknown, &report.incomplete, &report.cuts);
        object.settle(&words, report, &why);
        let mut trace = None;
        let is_doubtful = matches!(answer.verdict, Verdict::Unknown(Reason::Doubtful(..)));
        match &self.report.verdict {
            // The trace is one that anybody may cause.
            _ if is_doubtful && let Own::Violated(found) = &self.report.own => {
                let object = CounterexampleObject::new(&self.model, &found.trace, &found.violations);
                for property in &mut answer.properties {
                    let is_it =
                        |v: &ViolatedObject| (v.property, v.index) == (property.property, property.index);
                    if object.violated.iter().any(is_it) {
                        property.verdict = PropertyVerdictWord::Violated;
                    }
                }
                answer.not_checked = left(&self.model);
                answer.verdict = Verdict::Violated(Box::new(object), None);
                (answer.scope, answer.engine) = (scope, "mc".into());
                trace = Some(&found.trace);
            }
            RefinementVerdict::Violated(found) if !matches!(answer.verdict, Verdict::Violated(..)) => {
                if let Some(unmatched) = &object.counterexample {
                    answer.verdict = Verdict::Violated(Box::new(unmatched.as_violation()), None);
                    (answer.scope, answer.engine) = (scope, "mc".into());
                    trace = Some(&found.trace);
                }
            }
            // Of other scopes the comparison says nothing.
            RefinementVerdict::Holds if self.is_whole => {
                let parts = doubt::left_open(&self.model, self.asked).into_iter();
                let parts: Vec<String> =
                    parts.filter(|d| is_left(d.kind)).map(|d| d.describe(&self.model)).collect();
                answer.not_checked = left(&self.model);
                // All that may happen was visited, and what was found otherwise is none of it.
                if is_doubtful && self.report.own == Own::Holds && self.is_of_states {
                    let proof = Box::new(ProofObject::called());
                    let condition = Condition::NotChecked(vec![]);
                    answer.verdict = Verdict::Unknown(Reason::Visited(proof, condition));
                    for property in &mut answer.properties {
                        property.verdict = PropertyVerdictWord::Holds;
                    }
                    answer.engine = "mc".into();
                }
                answer.verdict = without(&answer.verdict, &parts);
            }
            _ => {}
        }
        answer.refinement = Some(object);
        trace
    }
}

/// A verdict where no more than these parts of the model are not checked.
fn without(verdict: &Verdict, parts: &[String]) -> Verdict {
    let (proof, conditions) = match verdict {
        Verdict::Unknown(Reason::Visited(proof, condition)) => (proof, vec![condition.clone()]),
        Verdict::Unknown(Reason::Conditional(proof, conditions)) => (proof, conditions.clone()),
        other => return other.clone(),
    };
    let mut conditions = conditions;
    conditions.retain(|c| !matches!(c, Condition::NotChecked(_)));
    if !parts.is_empty() {
        conditions.push(Condition::NotChecked(parts.to_vec()));
    }
    match (verdict, conditions.len()) {
        (_, 0) => Verdict::Holds(proof.clone()),
        (Verdict::Unknown(Reason::Visited(..)), 1) => {
            Verdict::Unknown(Reason::Visited(proof.clone(), conditions.remove(0)))
        }
        _ => Verdict::Unknown(Reason::Conditional(proof.clone(), conditions)),
    }
}
