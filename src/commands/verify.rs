//! `bsym bmc`, `kind` and `ic3`, and what they share with `check` and `mc`: from a machine to a verdict.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::open::{self, SolverChoice};
use bsym_engines::options::Job;
use bsym_engines::run::run as run_engine;
use bsym_engines::verdict::{Engine, Report, Unknown, Verdict};
use bsym_language::model::Model;
use bsym_proofs::certificate::{Certificate, Facts};
use bsym_proofs::claim::{Checked, Claim, Property};
use bsym_semantics::scope::Scope;
use bsym_semantics::state::Trace;

use crate::answer::text as human;
use crate::answer::{BesideObject, DiagnosticObject, Reason, RunResult, StatsObject, Subject};
use crate::arguments::VerifyArguments;
use crate::commands::enlarge;
use crate::commands::status::{self, Imported};
use crate::control::{Control, memory_is_known, peak_memory};
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::progress::{Reporter, Seen};
use crate::refusal::Refusal;
use crate::{solvers, traces};

/// Everything about a run that its result says besides the engine's report.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) arguments: VerifyArguments,
    /// The command.
    engine: &'static str,
    pub(super) model: Arc<Model>,
    pub(super) properties: Vec<Property>,
    pub(super) scope: Scope,
    pub(super) settings: BTreeMap<String, String>,
    pub(super) imported: Imported,
    pub(super) warnings: Vec<String>,
    diagnostics: Vec<DiagnosticObject>,
    pub(super) control: Control,
}

/// Runs the command.
pub fn run(engine: Engine, arguments: &VerifyArguments, control: &Control) -> Result<u8, Refusal> {
    let choice = solvers::choose(arguments.solver.name.as_deref())?;
    let run = Run::prepare(engine.name(), arguments, Some(&choice), control)?;
    let mut reporter = run.reporter();
    let job = run.job();
    let begin = Instant::now();
    let mut report = run_engine(&job, engine, &mut |terms| open::open(terms, &choice), &mut reporter);
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    let code = run.conclude(&report, None);
    // The program ends here: freeing solvers one by one would take seconds after a deep search.
    std::mem::forget(std::mem::take(&mut report.leftovers));
    Ok(code)
}

impl Run {
    /// What an engine is asked.
    pub(super) fn job(&self) -> Job {
        Job {
            model: self.model.clone(),
            scope: self.scope.clone(),
            properties: self.properties.clone(),
            well_definedness: !self.arguments.no_wd,
            status: self.imported.status.clone(),
            recheck: self.arguments.recheck_proofs,
            accept_trusted: self.arguments.accept_trusted,
            depth: self.arguments.depth,
            keep_going: self.arguments.keep_going,
            representations: self.arguments.representations.into(),
            seed: self.arguments.seed,
            query_time: None,
            budget: self.control.budget.clone(),
        }
    }

    /// Reads everything that a run needs.
    pub(super) fn prepare(
        engine: &'static str,
        arguments: &VerifyArguments,
        choice: Option<&SolverChoice>,
        control: &Control,
    ) -> Result<Run, Refusal> {
        let paint = Paint::stderr(arguments.output.color);
        check_outputs(arguments)?;
        let input = input::machine(&arguments.file, &arguments.component, &arguments.output)?;
        let mut model = input.model;
        let scope = input::scope(&model, &arguments.scope)?;
        let (properties, mut warnings) =
            input::properties(&model, &arguments.properties, &arguments.conjunct, !arguments.no_wd)?;
        // The status is about the machine as it was written: a further axiom only makes it stronger.
        let mut imported = status::import(arguments, &model, &scope)?;
        let settings = input::fix_constants(&mut model, &arguments.scope.set, paint)?;
        let model = Arc::new(model);
        if status::is_computed(arguments) {
            let budget: &Budget = &control.budget;
            let any = SolverChoice::Default;
            imported = status::compute(&model, &scope, choice.unwrap_or(&any), budget)?;
        }
        if arguments.limits.memory.is_some() && !memory_is_known() {
            warnings.push("--memory is not enforced on this system".into());
        }
        warnings.append(&mut imported.warnings);
        let run = Run {
            arguments: arguments.clone(),
            engine,
            model,
            properties,
            scope,
            settings,
            imported,
            warnings,
            diagnostics: input.diagnostics,
            control: control.clone(),
        };
        Ok(run)
    }

    /// A reporter of the run; from here on what is known so far is printed if the run does not stop when
    /// it is asked to.
    pub(super) fn reporter(&self) -> Reporter {
        let reporter = Reporter::new(self.model.clone(), &self.control, &self.arguments.output);
        reporter.timing("load", self.control.seconds());
        self.control.set_fallback(self.fallback(&reporter));
        reporter
    }

    /// Prints what is known so far.
    pub(super) fn fallback(&self, reporter: &Reporter) -> impl FnOnce(&Reason) -> u8 + Send + 'static {
        let (seen, stuck) = (reporter.seen(), self.clone());
        move |reason| {
            let seen = seen.lock().unwrap_or_else(|e| e.into_inner()).clone();
            stuck.print(&stuck.interrupted(&seen, reason));
            3
        }
    }
}

/// Output files are checked before the long run.
fn check_outputs(arguments: &VerifyArguments) -> Result<(), Refusal> {
    let mut inputs: Vec<&Path> = vec![&arguments.file];
    inputs.extend(arguments.proofs.as_deref());
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        output::check_writable(path, "--trace", &inputs)?;
    }
    if let Some(path) = &arguments.certificate {
        output::check_writable(path, "--certificate", &inputs)?;
        if arguments.trace.as_ref() == Some(path) {
            return Err(Refusal::new("--trace and --certificate name the same file"));
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
    fn interrupted(&self, seen: &Seen, reason: &Reason) -> RunResult {
        let engine = seen.engine.map_or(self.engine, Engine::name);
        let mut result = RunResult::unknown(&self.subject(), engine, seen.depth, Some(reason.clone()));
        result.states = seen.states;
        result.transitions = seen.transitions;
        for (&property, object) in self.properties.iter().zip(&mut result.properties) {
            if seen.violated.contains(&property) {
                object.verdict = "violated";
            }
        }
        result
    }

    /// Writes the evidence and prints the result.
    pub(super) fn conclude(&self, report: &Report, search: Option<BesideObject>) -> u8 {
        let mut result = RunResult::new(&self.subject(), report);
        result.search = search;
        if let Verdict::Vacuous(reason) = &report.verdict
            && let Some(doubt) = enlarge::doubt(&self.model, &report.scope, &self.arguments.scope, reason)
        {
            result.verdict = "unknown";
            result.set_reason(doubt);
        }
        let stopped = matches!(&report.verdict, Verdict::Unknown(Unknown::Stopped(_) | Unknown::Solver(_)));
        if stopped && let Some(reason) = self.control.stopped() {
            result.set_reason(reason);
        }
        let (trace, certificate) = match &report.verdict {
            Verdict::Violated(counterexample)
            | Verdict::Unknown(Unknown::Doubtful { counterexample, .. }) => {
                (Some(&counterexample.trace), None)
            }
            Verdict::Holds(proof) | Verdict::Unknown(Unknown::Conditional { proof, .. }) => {
                let witness = proof.witness.as_deref();
                let (engine, scope) = (report.engine.name(), &report.scope);
                (None, Some(self.certificate(engine, scope, &proof.claim, &proof.checked, witness)))
            }
            // The proof that is wrong is part of the report of the mistake.
            Verdict::Unknown(Unknown::Contradiction(wrong)) => {
                let (engine, scope) = (report.engine.name(), &report.scope);
                let claim = wrong.claim.as_ref();
                (None, claim.map(|(claim, checked)| self.certificate(engine, scope, claim, checked, None)))
            }
            _ => (None, None),
        };
        self.publish(result, trace, certificate)
    }

    /// Writes the evidence, then prints the result, which names what was written and nothing else.
    pub(super) fn publish(
        &self,
        mut result: RunResult,
        trace: Option<&Trace>,
        certificate: Option<String>,
    ) -> u8 {
        if let (Some(trace), Some(path)) = (trace, &self.arguments.trace)
            && self.write(path, &traces::text(path, &self.model, trace), &mut result)
        {
            result.trace_file = Some(path.display().to_string());
        }
        if let Some(certificate) = certificate {
            result.certificate = match &self.arguments.certificate {
                Some(path) if self.write(path, &certificate, &mut result) => {
                    path.display().to_string().into()
                }
                _ => serde_json::from_str(&certificate).unwrap_or(serde_json::Value::Null),
            };
        }
        self.print(&result);
        result.exit_code()
    }

    /// Writes evidence; a reader of the result alone is told where that fails.
    fn write(&self, path: &Path, text: &str, result: &mut RunResult) -> bool {
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
    ) -> String {
        let folder = self.arguments.certificate.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let status = &self.imported.status;
        let (model, settings) = (&*self.model, &self.settings);
        let facts = Facts { model, scope, settings, engine, claim, checked, witness, status };
        Certificate::new(&facts, folder).to_text()
    }

    fn print(&self, result: &RunResult) {
        let format = &self.arguments.output;
        if format.json {
            output::json(result);
        } else if format.jsonl {
            output::json_line(&serde_json::json!({
                "event": "result", "time": self.control.seconds(), "result": result,
            }));
        } else {
            output::result(&human::render(result, format.verbose > 0, Paint::stdout(format.color)));
        }
    }
}
