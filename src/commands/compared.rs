//! Combines an answer with the comparison of a refinement with its abstractions.
//!
//! A refinement's states cannot tell everything that is required of it, above all its gluing invariant. Such parts are
//! dropped from the model that `check` and `mc` look at ([`bsym_semantics::trace::doubt`]). The comparison checks them
//! for a finite scope: a step that nothing matches is a violation, and a proof in the same scope is no longer
//! conditional on the parts that were compared. A violation of the refinement's own invariant counts where the calls
//! that lead to it may be made.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bsym_explore::refinement::{Own, RefinementReport, Unmatched};
use bsym_language::model::{DroppedKind, Model, SideBySide};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::doubt::{self, Asked};
use bsym_semantics::verdict::{Condition, Reason, Verdict};

use crate::answer::not_checked::DroppedObject;
use crate::answer::proof::ProofObject;
use crate::answer::property::PropertyVerdictWord;
use crate::answer::refinement::{RefinementObject, SmallerObject, UnmatchedObject, Words};
use crate::answer::scope::ScopeObject;
use crate::answer::trace::{CounterexampleObject, ViolatedObject};
use crate::answer::verdict_word::VerdictWord;
use crate::answer::verification::{Verification, search_reason};
use crate::commands::explicit::Searched;
use crate::commands::simulation::Simulated;
use crate::race::contestant::Pending;

/// A comparison that ended.
#[derive(Clone)]
pub(super) struct Compared {
    pub(super) model: Arc<Model>,
    pub(super) parts: Arc<SideBySide>,
    pub(super) outcome: Outcome,
    /// The command that asks.
    pub(super) command: &'static str,
    /// The scope that was asked about.
    pub(super) asked_scope: Scope,
    /// Constants that were fixed.
    pub(super) settings: BTreeMap<String, String>,
    /// The properties that are asked of the machine.
    pub(super) asked: Asked,
    /// `true` if only properties of states are asked.
    pub(super) is_of_states: bool,
    /// Why it had to end, where it did not by itself.
    pub(super) stopped: Option<Reason>,
}

/// The results of both ways to compare.
#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) searched: Searched,
    /// `true` if the scope that was searched is the one that was asked about.
    pub(super) is_whole: bool,
    /// A search of a smaller scope, which decides nothing.
    pub(super) smaller: Option<Searched>,
    pub(super) simulated: Option<Simulated>,
}

/// A comparison that is promised. Clones of a run share it.
#[derive(Default)]
pub(super) struct Promised {
    /// The comparison, once it has ended.
    pub(super) pending: Arc<Pending<Compared>>,
    /// Set once the rest of the run waits for nothing else.
    is_awaited: AtomicBool,
}

impl Promised {
    /// Returns whether everything but the comparison is done.
    pub(super) fn is_awaited(&self) -> bool {
        self.is_awaited.load(Ordering::SeqCst)
    }

    /// Reports that everything else is done. Afterwards the run ends with the comparison.
    pub(super) fn await_it(&self) {
        self.is_awaited.store(true, Ordering::SeqCst);
    }
}

/// Returns the parts of a model that a comparison does not check either.
pub(super) fn left(model: &Model) -> Vec<DroppedObject> {
    let all = DroppedObject::all(model).into_iter().zip(&model.refinement.not_checked);
    all.filter(|(_, dropped)| is_left(dropped.kind)).map(|(object, _)| object).collect()
}

/// Describes the parts of operations that a comparison does not check: those that make an operation abort and speak of
/// variables of an abstraction.
pub(super) fn not_compared(model: &Model) -> Vec<String> {
    left_over(model, Asked { invariant: true, assertions: false, deadlock: false })
}

/// Describes the properties that are asked and that a comparison does not check.
fn left_over(model: &Model, asked: Asked) -> Vec<String> {
    let all = doubt::left_open(model, asked).into_iter().filter(|d| is_left(d.kind));
    all.map(|d| d.describe(model)).collect()
}

fn is_left(kind: DroppedKind) -> bool {
    !matches!(kind, DroppedKind::Gluing | DroppedKind::AbstractPrecondition(_))
}

impl Compared {
    /// The violation that was found, with its scope and how much was visited.
    fn violation(&self) -> Option<(&Unmatched, Option<&RefinementReport>)> {
        let Outcome { searched, simulated, .. } = &self.outcome;
        match &searched.report.verdict {
            Verdict::Violated(found) => Some((found, Some(&searched.report))),
            _ => Some((simulated.as_ref()?.violated.as_deref()?, None)),
        }
    }

    /// The proof for the scope that was asked about, with its engine.
    fn proof(&self) -> Option<&(String, Box<ProofObject>)> {
        self.outcome.simulated.as_ref()?.proof.as_ref()
    }

    fn holds(&self) -> bool {
        let searched = self.outcome.is_whole && self.outcome.searched.report.verdict == Verdict::Holds(());
        searched || self.proof().is_some()
    }

    /// Returns whether the comparison alone gives the answer: there is a violation, or a proof that covers everything
    /// that is asked.
    pub(super) fn settles(&self) -> bool {
        self.violation().is_some() || self.proof().is_some() && self.covers()
    }

    /// Returns whether a proof about all levels covers everything that is asked.
    fn covers(&self) -> bool {
        self.is_of_states && left_over(&self.model, self.asked).is_empty()
    }

    /// Converts the comparison to its object in the answer.
    fn object(&self) -> RefinementObject {
        let Outcome { searched, simulated, .. } = &self.outcome;
        let told = |scope: &Scope| ScopeObject::new(&self.model, scope, &self.settings);
        let words = Words { model: &self.model, parts: &self.parts, scope: &searched.scope };
        let mut object = RefinementObject::new(&self.parts, told(&searched.scope));
        let report = &searched.report;
        let why = |reason: &Reason| {
            let stopped = self.stopped.clone();
            search_reason(&self.model, reason, &report.incomplete, &report.cuts, stopped)
        };
        object.settle(&words, report, &why);
        if let (Some((engine, _)), false) = (self.proof(), matches!(report.verdict, Verdict::Violated(_))) {
            object.prove(told(&self.asked_scope), engine);
        } else if let Some((found, None)) = self.violation() {
            let words = Words { scope: &found.trace.scope, ..words };
            object.refute(told(&found.trace.scope), UnmatchedObject::new(&words, found));
        } else if !self.outcome.is_whole && object.verdict == VerdictWord::Holds {
            let why = simulated.as_ref().and_then(|s| s.object.message.as_deref());
            object.not_proved = Some(why.unwrap_or("no solver was asked").to_string());
        }
        if object.verdict == VerdictWord::Unknown {
            object.smaller = self.outcome.smaller.as_ref().map(|s| SmallerObject {
                scope: told(&s.scope),
                verdict: match s.report.verdict {
                    Verdict::Violated(_) => VerdictWord::Violated,
                    _ => VerdictWord::Holds,
                },
            });
        }
        object.leave_open(&not_compared(&self.model));
        object
    }

    /// Makes the comparison a part of an answer; returns the trace of a violation that it has found.
    pub(super) fn settle<'c>(&'c self, answer: &mut Verification) -> Option<&'c Trace> {
        let object = self.object();
        let told = |scope: &Scope| ScopeObject::new(&self.model, scope, &self.settings);
        let searched = &self.outcome.searched;
        let mut trace = None;
        let is_doubtful = matches!(answer.verdict, Verdict::Doubtful(..));
        match &searched.report.own {
            // Any caller may cause this trace.
            Own::Violated(found) if is_doubtful => {
                let object = CounterexampleObject::new(&self.model, &found.trace, &found.violations);
                for property in &mut answer.properties {
                    let is_it =
                        |v: &ViolatedObject| (v.property, v.index) == (property.property, property.index);
                    if object.violated.iter().any(is_it) {
                        property.verdict = PropertyVerdictWord::Violated;
                    }
                }
                answer.left_out.not_checked = left(&self.model);
                answer.verdict = Verdict::Violated(Box::new(object));
                (answer.question.scope, answer.engine) = (told(&searched.scope), ENGINE.into());
                trace = Some(&found.trace);
            }
            _ if is_wrong(&answer.verdict) => {}
            _ if let Verdict::Contradiction(why) = &searched.report.verdict => {
                answer.verdict = Verdict::Unknown(Reason::AuditFailed(why.clone()));
            }
            _ => match self.violation() {
                Some((found, _)) => {
                    if let Some(unmatched) = &object.counterexample
                        && !matches!(answer.verdict, Verdict::Violated(..))
                    {
                        answer.verdict = Verdict::Violated(Box::new(unmatched.as_violation()));
                        answer.left_out.not_checked = left(&self.model);
                        (answer.question.scope, answer.engine) = (told(&found.trace.scope), ENGINE.into());
                        answer.question.encoding = None;
                        trace = Some(&found.trace);
                    }
                }
                None if self.holds() => self.confirm(answer),
                None => {
                    if is_doubtful {
                        answer.question.scope = told(&self.asked_scope);
                        answer.engine = self.command.into();
                    }
                    leave_open(&self.model, self.asked, &undecided(&object), answer);
                }
            },
        }
        answer.findings.refinement = Some(object);
        trace
    }

    /// Confirms an answer: the comparison is no longer open in it.
    fn confirm(&self, answer: &mut Verification) {
        let parts = left_over(&self.model, self.asked);
        answer.left_out.not_checked = left(&self.model);
        let searched = &self.outcome.searched;
        let is_visited = self.outcome.is_whole && searched.report.own == Own::Holds && self.is_of_states;
        let is_open = matches!(answer.verdict, Verdict::Unknown(_) | Verdict::Doubtful(..));
        let proof = match self.proof() {
            // States that are reachable by calls the abstractions allow satisfy everything that is asked.
            Some((engine, proof)) if is_open && self.is_of_states => {
                answer.question.scope = ScopeObject::new(&self.model, &self.asked_scope, &self.settings);
                Some((engine.clone(), proof.clone()))
            }
            // Everything that may happen was visited, and no violation found elsewhere is part of it.
            None if is_open && is_visited => {
                answer.question.scope = ScopeObject::new(&self.model, &searched.scope, &self.settings);
                Some((ENGINE.into(), Box::new(ProofObject::called())))
            }
            _ => None,
        };
        if let Some((engine, proof)) = proof {
            answer.verdict = Verdict::Conditional(proof, vec![Condition::NotChecked(vec![])]);
            for property in &mut answer.properties {
                property.verdict = PropertyVerdictWord::Holds;
            }
            (answer.engine, answer.question.encoding) = (engine, None);
            (answer.findings.counterexample_to_induction, answer.findings.invariants) = (None, vec![]);
            answer.findings.failed_proof = None;
            // The comparison closes what another search left open.
            answer.findings.search = None;
        }
        // No more than these parts of the model are not checked.
        if let Verdict::Conditional(proof, conditions) = &mut answer.verdict {
            conditions.retain(|c| !matches!(c, Condition::NotChecked(_)));
            conditions.extend((!parts.is_empty()).then_some(Condition::NotChecked(parts)));
            if conditions.is_empty() {
                answer.verdict = Verdict::Holds(proof.clone());
            }
        }
    }
}

/// Notes in an answer that a promised comparison did not end.
pub(super) fn unfinished(model: &Model, asked: Asked, stopped: Option<&Reason>, answer: &mut Verification) {
    if matches!(answer.verdict, Verdict::Violated(..)) || is_wrong(&answer.verdict) {
        return;
    }
    let why = stopped.map_or_else(|| "it was not finished".to_string(), Reason::text);
    leave_open(model, asked, &why, answer);
}

/// The word for the comparison as an engine.
const ENGINE: &str = "refine";

/// Returns why a comparison decides nothing, in a sentence.
fn undecided(object: &RefinementObject) -> String {
    if let Some(why) = &object.not_proved {
        return format!("it holds with {} alone; for other sizes: {why}", object.scope.text());
    }
    let why = object.message.clone().unwrap_or_else(|| object.verdict.word().to_string());
    match &object.smaller {
        Some(smaller) => format!("{why}; with {}: {}", smaller.scope.text(), smaller.verdict.word()),
        None => why,
    }
}

/// Notes in an answer that the comparison is open.
fn leave_open(model: &Model, asked: Asked, why: &str, answer: &mut Verification) {
    let open = Condition::NotCompared(why.to_string());
    let (proof, mut conditions) = match &answer.verdict {
        Verdict::Holds(proof) => (proof.clone(), vec![]),
        Verdict::Conditional(proof, conditions) => (proof.clone(), conditions.clone()),
        Verdict::Doubtful(..) => {
            answer.verdict = Verdict::Unknown(Reason::NotCompared(why.to_string()));
            return;
        }
        _ => return,
    };
    // Parts that the comparison would have checked are named once.
    let is_gluing = conditions.iter().any(|c| matches!(c, Condition::NotChecked(_)));
    conditions.retain(|c| !matches!(c, Condition::NotChecked(_)));
    conditions.push(open);
    if is_gluing {
        let parts = left_over(model, asked);
        conditions.extend((!parts.is_empty()).then_some(Condition::NotChecked(parts)));
    }
    conditions.sort();
    answer.verdict = Verdict::Conditional(proof, conditions);
}

/// Returns whether parts of the program contradict each other.
fn is_wrong<E, C, F>(verdict: &Verdict<E, C, F>) -> bool {
    matches!(verdict, Verdict::Unknown(Reason::AuditFailed(_)) | Verdict::Contradiction(_))
}
