//! Parts that `check`, `bmc`, `tree`, `kind`, `ic3` and `mc` share: from a machine to a job, and from a report to an
//! answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::bail;
use bsym_encodings::budget::Budget;
use bsym_encodings::encoding::{self, Chosen, Encoding};
use bsym_encodings::session::open::SolverChoice;
use bsym_engines::contestant::{Opener, opener};
use bsym_engines::options::{Domains, Job, QuantifiableModel, Sharing, Trust};
use bsym_engines::verdict::{Engine, PropertyVerdict, Report};
use bsym_proofs::certificate::{Certificate, Facts};
use bsym_proofs::claim::{Checked, Claim, Property};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::{Trace, doubt};
use bsym_semantics::verdict::{Reason, Verdict};
use bsym_status::ProofStatus;

use crate::answer::Answer;
use crate::answer::diagnostic::DiagnosticObject;
use crate::answer::encoding::EncodingObject;
use crate::answer::not_asked::NotAskedObject;
use crate::answer::proof::CertificateObject;
use crate::answer::property::PropertyVerdictWord;
use crate::answer::statistics::StatsObject;
use crate::answer::verification::{BesideObject, Subject, Verification};
use crate::arguments::{DomainName, EncodingName, PropertyName, ScopeArguments, VerifyArguments};
use crate::commands::compared::{self, Promised};
use crate::commands::default_scope;
use crate::commands::enlarge::{Enlarged, Enlarging};
use crate::commands::status::{self, Imported};
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::progress::{Reporter, Seen};
use crate::race::control::{Control, memory_is_known, peak_memory};
use crate::traces;

/// Data of a run that its result contains besides the engine's report.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) arguments: VerifyArguments,
    /// The command.
    pub(super) engine: &'static str,
    /// The solver for unbounded terms that was chosen.
    solver: Option<SolverChoice>,
    /// The encoding of the engines; `None` where none is at work.
    encoding: Option<Chosen>,
    pub(super) model: QuantifiableModel,
    pub(super) properties: Vec<Property>,
    pub(super) scope: Scope,
    pub(super) settings: BTreeMap<String, String>,
    pub(super) imported: Imported,
    pub(super) warnings: Vec<String>,
    diagnostics: Vec<DiagnosticObject>,
    pub(super) control: Control,
    /// The comparison with what the machine refines, where the command promises it.
    pub(super) comparison: Option<Arc<Promised>>,
    /// The positions of axioms that contradict each other, where there is no valuation of the constants.
    core: Option<Vec<usize>>,
    /// State of the work that the reporter records.
    seen: Arc<Mutex<Seen>>,
}

/// Solvers and encoding that the flags choose.
#[derive(Clone, Default)]
pub(super) struct Asked {
    /// The solver for unbounded terms, where there is one.
    solver: Option<SolverChoice>,
    /// `Some` if symbolic engines are at work. It contains the encoding if the user chose one.
    encoding: Option<Option<Encoding>>,
}

impl Asked {
    /// Makes the choice for symbolic engines.
    pub(super) fn engines(encoding: Option<Encoding>, solver: Option<SolverChoice>) -> Asked {
        Asked { solver, encoding: Some(encoding) }
    }

    /// Makes the choice for a search that asks a solver only now and then.
    pub(super) fn beside(solver: Option<&SolverChoice>) -> Asked {
        Asked { solver: solver.cloned(), encoding: None }
    }
}

impl Run {
    /// Makes sessions for the engines; `None` if there is no solver for their encoding.
    pub(super) fn opener(&self) -> Option<Opener> {
        let chosen = match (is_sat(self.encoding.as_ref()), self.solver.clone()) {
            (true, None) => SolverChoice::Sat,
            (true, Some(other)) => SolverChoice::SatOr(Box::new(other)),
            (false, solver) => solver?,
        };
        Some(opener(chosen))
    }

    /// Returns the same run on propositional logic, where that is a suitable encoding and the user chose no other. It
    /// does not use the other solver, which may be the reason for this run: its proofs are checked as propositional
    /// ones.
    pub(super) fn in_propositional_logic(&self) -> Option<Run> {
        let chosen = self.encoding.as_ref()?;
        let serves = self.arguments.encoding == EncodingName::Auto
            && chosen.encoding == Encoding::Unbounded
            && chosen.infinite.is_empty();
        let reason = "what the unbounded encoding did not decide in time".into();
        let encoding = Chosen { encoding: Encoding::Sat, reason, infinite: vec![] };
        serves.then(|| Run { encoding: Some(encoding), solver: None, ..self.clone() })
    }

    /// Returns the solver that checks a proof where that is not the one that finds it. Another solver checks what a SAT
    /// solver proves; what that one does not decide is checked with propositional proofs, and all if there is no other.
    fn checker(&self) -> Option<SolverChoice> {
        let by_other = |solver| SolverChoice::OrProvingSat(Box::new(solver));
        is_sat(self.encoding.as_ref()).then(|| self.solver.clone().map_or(SolverChoice::ProvingSat, by_other))
    }

    /// The only domain of IC3 that takes part, if the user says so.
    fn domain(&self) -> Option<Domains> {
        self.arguments.domain.map(|domain| match domain {
            DomainName::Predicates => Domains::Predicates,
            DomainName::Diagrams => Domains::Diagrams,
            DomainName::Bits => Domains::Bits,
        })
    }

    /// Returns the job for an engine.
    pub(super) fn job(&self) -> Job {
        Job {
            model: self.model.clone(),
            scope: self.scope.clone(),
            properties: self.properties.clone(),
            well_definedness: !self.arguments.no_wd,
            status: self.imported.status.clone(),
            proved: ProofStatus::none(),
            trust: Trust {
                recheck: self.arguments.recheck_proofs,
                accept_trusted: self.arguments.accept_trusted,
            },
            depth: self.arguments.depth,
            keep_going: self.arguments.keep_going,
            representations: self.arguments.representations.into(),
            seed: self.arguments.seed,
            checker: self.checker(),
            query_time: None,
            sharing: Sharing { threads: self.arguments.threads, between: None, only: self.domain() },
            budget: match self.arguments.is_counted {
                true => self.control.budget.counted(),
                false => self.control.budget.clone(),
            },
        }
    }

    /// Reads everything that a run needs.
    pub(super) fn prepare(
        engine: &'static str,
        arguments: &VerifyArguments,
        asked: Asked,
        control: &Control,
    ) -> anyhow::Result<Run> {
        let paint = Paint::stderr(arguments.output.color);
        check_outputs(arguments)?;
        let input = input::machine(&arguments.file, &arguments.component, &arguments.output)?;
        let mut model = input.model;
        let scope = input::scope(&model, &arguments.scope)?;
        let (properties, mut warnings) =
            input::properties(&model, &arguments.properties, &arguments.conjunct, !arguments.no_wd)?;
        // The status is about the machine as it was written: a further axiom only makes it stronger.
        let mut imported = status::import(arguments.into(), &model, &scope)?;
        let settings = input::fix_constants(&mut model, &arguments.scope.set, paint)?;
        let model = QuantifiableModel::from(model);
        if status::is_computed(arguments) {
            let budget: &Budget = &control.budget;
            let solver = asked.solver.clone().unwrap_or_default();
            imported = status::compute(&model, &scope, &solver, budget)?;
        }
        if arguments.limits.memory.is_some() && !memory_is_known() {
            warnings.push("--memory is not enforced on this system".into());
        }
        warnings.append(&mut imported.warnings);
        let is_solver = asked.solver.is_some();
        let encoding = asked.encoding.map(|asked| encoding::choose(asked, is_solver, &model, &scope));
        if let Some(chosen) = encoding.as_ref()
            && is_sat(Some(chosen))
            && !chosen.infinite.is_empty()
        {
            let what = chosen.infinite.join(", ");
            warnings.push(format!(
                "--encoding sat decides nothing about what is not finite in the scope: {what}; \
                 --scope SET=SIZE settles the size of a set"
            ));
        }
        let run = Run {
            arguments: arguments.clone(),
            engine,
            solver: asked.solver,
            encoding,
            model,
            properties,
            scope,
            settings,
            imported,
            warnings,
            diagnostics: input.diagnostics,
            control: control.clone(),
            comparison: None,
            core: None,
            seen: Arc::default(),
        };
        Ok(run)
    }

    /// Looks for axioms that contradict each other, which the answer names where there is no valuation of the
    /// constants.
    pub(super) fn find_contradiction(&mut self) {
        // The budget of the run may be cancelled already, because there is an answer.
        let mut budget = Budget::unlimited();
        budget.deadline = self.control.budget.deadline;
        let enlarging = Enlarging {
            model: &self.model,
            scope: &self.scope,
            arguments: &self.arguments.scope,
            budget: &budget,
            solver: self.solver.as_ref(),
        };
        self.core = enlarging.contradiction();
    }

    /// Looks for a scope with a state in place of that of this run, which has none. `tried` gets the scopes without
    /// one.
    pub(super) fn enlarge(
        &self,
        arguments: &ScopeArguments,
        solver: Option<&SolverChoice>,
        has_valuation: bool,
        tried: &mut Vec<Scope>,
    ) -> Enlarged {
        let (model, scope, budget) = (&self.model, &self.scope, &self.control.budget);
        Enlarging { model, scope, arguments, budget, solver }.enlarge(has_valuation, tried)
    }

    /// Promises the comparison of a refinement with its abstractions: until it has ended, no answer is `holds`.
    pub(super) fn promise_comparison(&mut self) {
        let is_promised = self.model.refinement.refined.is_some() && self.asked().invariant;
        self.comparison = is_promised.then(Arc::default);
    }

    /// Returns the properties that are asked of the machine.
    pub(super) fn asked(&self) -> doubt::Asked {
        let names = &self.arguments.properties;
        let has = |wanted: Property| self.properties.contains(&wanted);
        doubt::Asked {
            invariant: self.arguments.conjunct.is_empty()
                && (names.is_empty() || names.contains(&PropertyName::Inv)),
            assertions: (0..self.model.assertions.len()).all(|i| has(Property::Assertion(i))),
            deadlock: has(Property::DeadlockFree),
        }
    }

    /// Returns whether only the invariant and assertions are asked.
    pub(super) fn is_of_states(&self) -> bool {
        self.properties.iter().all(|p| matches!(p, Property::Invariant(_) | Property::Assertion(_)))
    }

    /// Makes a reporter of the run. From now on the known part of the result is printed if the run does not stop when
    /// it is asked to.
    pub(super) fn reporter(&self) -> Reporter {
        let reporter =
            Reporter::new(Arc::clone(&self.model), &self.control, &self.arguments.output, self.seen.clone());
        reporter.timing("load", self.control.seconds());
        self.control.set_fallback(self.fallback(&reporter));
        reporter
    }

    /// Returns the answer from the known part of the run, for the case that it does not stop when it is asked to.
    pub(super) fn fallback(&self, reporter: &Reporter) -> impl FnOnce(&Reason) -> Answer + Send + 'static {
        let (seen, stuck) = (reporter.seen(), self.clone());
        move |reason| {
            let seen = seen.lock().unwrap_or_else(|e| e.into_inner()).clone();
            // A comparison may have ended that settles it.
            let trace = seen.found.as_ref().map(|found| &found.trace);
            stuck.publish(stuck.interrupted(&seen, reason), trace, None)
        }
    }

    /// Asks the engines to stop because another part of the run has an answer. Unless it is a violation, the promised
    /// comparison is still waited for.
    pub(super) fn decided(&self, is_violated: bool) {
        match &self.comparison {
            Some(promised) if !is_violated => {
                promised.await_it();
                self.control.budget.cancel();
                if promised.pending.has_ended() {
                    self.control.decided();
                }
            }
            _ => self.control.decided(),
        }
    }
}

/// Returns whether engines are at work on propositional logic.
fn is_sat(chosen: Option<&Chosen>) -> bool {
    chosen.is_some_and(|chosen| chosen.encoding == Encoding::Sat)
}

/// Output files are checked before the long run.
fn check_outputs(arguments: &VerifyArguments) -> anyhow::Result<()> {
    let mut inputs: Vec<&Path> = vec![&arguments.file];
    inputs.extend(arguments.proofs.as_deref());
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        output::check_writable(path, "--trace", &inputs)?;
    }
    if let Some(path) = &arguments.certificate {
        output::check_writable(path, "--certificate", &inputs)?;
        if arguments.trace.as_ref() == Some(path) {
            bail!("--trace and --certificate name the same file");
        }
    }
    Ok(())
}

impl Run {
    pub(super) fn subject(&self) -> Subject<'_> {
        Subject {
            model: &self.model,
            file: self.arguments.file.display().to_string(),
            properties: &self.properties,
            scope: &self.scope,
            settings: self.settings.clone(),
            well_definedness: !self.arguments.no_wd,
            encoding: self.encoding.as_ref().map(EncodingObject::from),
            proofs: self.imported.object(&self.model),
            warnings: self.warnings.clone(),
            diagnostics: self.diagnostics.clone(),
            stats: StatsObject {
                seconds: self.control.seconds(),
                memory: peak_memory(),
                ..StatsObject::default()
            },
        }
    }

    /// The result of a run that did not end by itself when it was asked to.
    fn interrupted(&self, seen: &Seen, reason: &Reason) -> Verification {
        let engine = seen.engine.map_or(self.engine, Engine::name);
        let mut result = match &seen.found {
            None => {
                let verdict = Verdict::Unknown(reason.clone());
                Verification::new(&self.subject(), engine, seen.depth, verdict)
            }
            // Known before the others were asked.
            Some(found) => {
                let engine = seen.engine.unwrap_or(Engine::Check);
                let unknown = |&p: &Property| (p, PropertyVerdict::Unknown);
                let report = Report {
                    verdict: Verdict::Violated(found.clone()),
                    properties: self.properties.iter().map(unknown).collect(),
                    depth: seen.depth,
                    ..Report::new(engine, self.scope.clone())
                };
                Verification::of_engines(&self.subject(), &report)
            }
        };
        result.stats.steps = seen.steps.clone();
        result.extent.states = seen.states;
        result.extent.transitions = seen.transitions;
        for (&property, object) in self.properties.iter().zip(&mut result.properties) {
            if seen.violated.contains(&property) {
                object.verdict = PropertyVerdictWord::Violated;
            }
        }
        result
    }

    /// Writes the evidence of a report and answers.
    pub(super) fn conclude(&self, report: &Report, search: Option<BesideObject>) -> Answer {
        let mut result = Verification::of_engines(&self.subject(), report);
        result.findings.search = search;
        result.stats.steps = self.seen.lock().unwrap_or_else(|e| e.into_inner()).steps.clone();
        if let Verdict::Vacuous(_, why) = &report.verdict
            && self.core.is_none()
            && let Some(doubt) = default_scope::doubt(&self.model, &report.scope, &self.arguments.scope, why)
        {
            result.verdict = Verdict::Unknown(doubt);
        }
        let stopped = matches!(
            report.verdict,
            Verdict::Unknown(
                Reason::Timeout | Reason::Interrupted | Reason::SolverUnknown(_) | Reason::SolverFailed(_)
            )
        );
        if stopped && let Some(reason) = self.control.stopped() {
            result.verdict = Verdict::Unknown(reason);
        }
        let proved = match &report.verdict {
            Verdict::Holds(proof) | Verdict::Conditional(proof, _) => {
                Some((&proof.claim, &proof.checked, proof.witness.as_deref()))
            }
            // The wrong proof is part of the report of the mistake.
            Verdict::Contradiction(wrong) => {
                wrong.claim.as_ref().map(|(claim, checked)| (claim, checked, None))
            }
            _ => None,
        };
        let (engine, scope) = (report.engine.name(), &report.scope);
        let certificate = proved.map(|(claim, checked, witness)| {
            self.certificate(engine, scope, claim, checked, witness).to_text()
        });
        let trace = report.verdict.counterexample().map(|found| &found.trace);
        self.publish(result, trace, certificate)
    }

    /// Writes the evidence, then answers; the answer names what was written and nothing else.
    pub(super) fn publish(
        &self,
        mut result: Verification,
        trace: Option<&Trace>,
        certificate: Option<String>,
    ) -> Answer {
        if let Some(core) = &self.core {
            result.set_core(&self.model, core, None);
        }
        let compared = self.comparison.as_ref().map(|promised| promised.pending.result());
        let unmatched = match &compared {
            Some(Some(compared)) => compared.settle(&mut result),
            Some(None) => {
                let asked = self.asked();
                compared::unfinished(&self.model, asked, self.control.stopped().as_ref(), &mut result);
                None
            }
            None => None,
        };
        if self.model.refinement.refined.is_some() && self.comparison.is_none() {
            result.left_out.not_asked.push(NotAskedObject::refinement(&self.model));
        }
        // A proof of the levels, or of the states that are reachable by allowed calls, is not the engine's proof.
        let is_own = result.verdict.evidence().is_some_and(|proof| !proof.of_levels && !proof.called);
        let certificate = certificate.filter(|_| is_own || result.verdict.evidence().is_none());
        let certificate = certificate.filter(|_| unmatched.is_none());
        if let (Some(trace), Some(path)) = (unmatched.or(trace), &self.arguments.trace)
            && self.write(path, &traces::text(path, &self.model, trace), &mut result)
        {
            result.findings.trace_file = Some(path.display().to_string());
        }
        if let Some(certificate) = certificate {
            match &self.arguments.certificate {
                Some(path) if self.write(path, &certificate, &mut result) => {
                    result.set_certificate(CertificateObject::File(path.display().to_string()));
                }
                _ => {
                    if let Ok(whole) = serde_json::from_str(&certificate) {
                        result.set_certificate(CertificateObject::Whole(whole));
                    }
                }
            }
        }
        self.account_for_certificate(&mut result);
        Answer::Verification(Box::new(result))
    }

    /// Reports why a requested certificate does not exist. It is a failure where the answer is `holds`: then only a
    /// certificate is missing.
    fn account_for_certificate(&self, result: &mut Verification) {
        let Some(path) = &self.arguments.certificate else { return };
        if result.certificate().is_some_and(|c| c.file().is_some()) {
            return;
        }
        let is_failed = |w: &String| w.contains(&format!("`{}` was not written", path.display()));
        if result.warnings.iter().any(is_failed) {
            return;
        }
        let why = match &result.verdict {
            Verdict::Holds(proof) if proof.of_levels => {
                "the proof is about the machine in which the abstraction follows, of which there is no certificate; \
                 `bsym kind` and `bsym ic3` certify what they prove of the refinement alone"
            }
            Verdict::Holds(proof) if proof.called => {
                "only states were visited that allowed calls reach, of which there is no certificate"
            }
            Verdict::Holds(_) => "of this proof there is no certificate",
            _ => "nothing is proved",
        };
        let message = format!("--certificate: `{}` was not written: {why}", path.display());
        if let Verdict::Holds(_) = &result.verdict {
            output::lost(&message);
        }
        result.warnings.push(message);
    }

    /// Writes evidence; a failure becomes a warning in the answer.
    fn write(&self, path: &Path, text: &str, result: &mut Verification) -> bool {
        let written = output::write(path, text);
        if !written {
            result.warnings.push(format!("`{}` was not written", path.display()));
        }
        written
    }

    /// The certificate, with paths seen from the folder where it will be.
    pub(super) fn certificate(
        &self,
        engine: &str,
        scope: &Scope,
        claim: &Claim,
        checked: &Checked,
        witness: Option<&Trace>,
    ) -> Certificate {
        let folder = self.arguments.certificate.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let status = &self.imported.status;
        let (model, settings) = (&**self.model, &self.settings);
        let facts = Facts { model, scope, settings, engine, claim, checked, witness, status };
        Certificate::new(&facts, folder)
    }
}
