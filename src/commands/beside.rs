//! The explicit-state search beside the engines of `check`: `bsym mc` as a second process.
//!
//! A process, so that a fault or a lack of memory there costs the search and nothing else. It ends with the
//! program that started it, however that ends: its standard input ends then.
//!
//! Nothing that it says is believed. Its traces are replayed here. A `holds` counts where the model is finite by
//! itself, that is where the scope that `check` was asked about has a size for every set: then it is a search of
//! exactly that scope without cuts, and its certificate is read anew and has to make exactly the claim that was
//! asked for. Sets without a size have ProB's in the search, so that there it can only find violations: a trace
//! with two elements is one of "any size".

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bsym_engines::paths::counterexample::{Attempt, confirm};
use bsym_explore::report::{Evidence, SearchReport, Statistics};
use bsym_language::model::ConstId;
use bsym_language::stack::with_large_stack;
use bsym_proofs::certificate::Certificate;
use bsym_proofs::certify::open_value;
use bsym_proofs::claim::Evidence as ClaimEvidence;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::file::{TraceFile, trace_from_file};
use bsym_semantics::verdict::{Condition, Counterexample, ReasonCode, Vacuous, Verdict, bytes};
use serde_json::Value as Json;

use crate::answer::verification::{BesideObject, VerdictWord};
use crate::arguments::{PropertyName, VerifyArguments};
use crate::commands::default_scope;
use crate::commands::run::Run;
use crate::output;
use crate::solvers;

/// Memory of the search where the user says nothing, so that it cannot take all there is.
const MEMORY: u64 = 2 << 30;
/// How long the last words of a search are waited for when the run has to end.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long axioms that contradict each other are looked for once the search has said that no valuation exists.
const EXPLANATION: Duration = Duration::from_secs(8);
/// Most bytes of what the search complains that are kept.
const COMPLAINT: usize = 4096;

/// A search that runs.
pub(super) struct Beside {
    child: Arc<Mutex<Child>>,
    heard: Arc<Mutex<Heard>>,
}

/// What a search has said.
#[derive(Default)]
struct Heard {
    /// An answer that was checked.
    answer: Option<SearchReport>,
    /// What it did, where it has no answer.
    said: Option<BesideObject>,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Beside {
    /// Starts the search for a run. As soon as it has an answer, the run is asked to stop.
    pub(super) fn start(run: &Run) -> Result<Beside, Box<BesideObject>> {
        let failed =
            |e: std::io::Error| Box::new(BesideObject::died(&format!("it could not be started: {e}")));
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.args(arguments(run)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Colours and logs are for people, and nobody reads them.
        command.env_remove("RUST_LOG");
        #[cfg(unix)]
        command.env_remove(crate::supervise::VARIABLE);
        let mut child = command.spawn().map_err(failed)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        run.control.watch(child.clone());
        let heard: Arc<Mutex<Heard>> = Arc::default();
        {
            let (run, child, heard) = (run.clone(), child.clone(), heard.clone());
            std::thread::spawn(move || {
                let complaint = std::thread::spawn(move || first_line(stderr));
                let events = stdout.map(|out| listen(&run, BufReader::new(out))).unwrap_or_default();
                let status = end_of(&child);
                let complaint = complaint.join().unwrap_or_default();
                let answer = with_large_stack(|| judge(&run, &events));
                if let Some(result) =
                    events.result.as_ref().filter(|r| reason_code(r) == Some(ReasonCode::AuditFailed))
                {
                    let reason = result["reason"].as_str().unwrap_or_default();
                    output::lost(&format!("the search beside the engines is wrong: {reason}"));
                }
                let limit = events.result.as_ref().and_then(|result| own_limit(&run, result));
                let quiet = run.arguments.output.is_for_programs();
                if let Some(limit) = limit.filter(|_| !quiet) {
                    let end = match run.control.budget.deadline {
                        Some(_) => "until --timeout",
                        None => "without an end (--timeout sets one)",
                    };
                    output::note(&format!(
                        "note: the search beside the engines ended ({limit}); they go on {end}"
                    ));
                }
                let mut heard = lock(&heard);
                let conclusive = answer.as_ref().filter(|a| is_conclusive(&run, a));
                let is_violated = conclusive.map(|a| matches!(a.verdict, Verdict::Violated(_)));
                let is_vacuous = conclusive.is_some_and(|a| matches!(a.verdict, Verdict::Vacuous(..)));
                heard.answer = answer;
                heard.said = Some(match &events.result {
                    Some(result) => {
                        let doubt = events.doubt.clone().or_else(|| own_limit(&run, result));
                        BesideObject::of(result, doubt.as_deref())
                    }
                    None => BesideObject::died(&end_in_words(status, &complaint)),
                });
                heard.ended = true;
                drop(heard);
                if is_vacuous {
                    // The engines stop; the axioms that contradict each other are still to be found.
                    run.control.budget.cancel();
                    std::thread::sleep(EXPLANATION);
                    run.control.decided();
                } else if let Some(is_violated) = is_violated {
                    run.decided(is_violated);
                }
            });
        }
        Ok(Beside { child, heard })
    }

    /// A conclusive answer, if there is one already.
    pub(super) fn answer(&self, run: &Run) -> Option<SearchReport> {
        lock(&self.heard).answer.clone().filter(|a| is_conclusive(run, a))
    }

    /// Waits until the search ends, the run has to, patience does or `is_settled` by something else; what it answers then,
    /// conclusive or not, and what it did.
    pub(super) fn wait(
        &self,
        run: &Run,
        patience: Option<Duration>,
        is_settled: &dyn Fn() -> bool,
    ) -> (Option<SearchReport>, Option<BesideObject>) {
        let begin = Instant::now();
        let mut stopped: Option<Instant> = None;
        loop {
            {
                let heard = lock(&self.heard);
                let over = stopped.is_some_and(|since| since.elapsed() > LAST_WORDS)
                    || patience.is_some_and(|time| begin.elapsed() > time)
                    || is_settled();
                if heard.ended || over {
                    let silent = || BesideObject::died("it was stopped before it said anything");
                    return (heard.answer.clone(), Some(heard.said.clone().unwrap_or_else(silent)));
                }
            }
            if run.control.stopped().is_some() {
                stopped.get_or_insert_with(Instant::now);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A handle to what it has said, for the case that the engines do not stop when asked to.
    pub(super) fn overheard(&self, run: &Run) -> impl Fn() -> Option<SearchReport> + Send + 'static {
        let (heard, run) = (self.heard.clone(), run.clone());
        move || lock(&heard).answer.clone().filter(|a| is_conclusive(&run, a))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Whether it ended before makes no difference.
        let _ = lock(&self.child).kill();
    }
}

/// The command line of the search: the question of `check`, in its scope.
fn arguments(run: &Run) -> Vec<String> {
    let VerifyArguments { file, component, properties, conjunct, scope, solver, seed, .. } = &run.arguments;
    // The verdict is asked for, and not the number of states.
    let flags = ["mc", "--jsonl", "--worker", "--no-proofs", "--symmetry", "canonical"];
    let mut all: Vec<String> = flags.map(String::from).to_vec();
    let mut flag = |name: &str, value: String| all.push(format!("{name}={value}"));
    if let Some(name) = &component.component {
        flag("--machine", name.clone());
    }
    for name in properties {
        flag("--prop", property(*name).into());
    }
    for label in conjunct {
        flag("--conjunct", label.clone());
    }
    for (id, size) in &run.scope.sizes {
        if let Some(carrier) = run.model.carriers.get(id.index()) {
            flag("--scope", format!("{}={size}", carrier.name));
        }
    }
    flag("--scope", "prob".into());
    flag("--maxint", run.scope.maxint.to_string());
    flag("--minint", run.scope.minint.to_string());
    for setting in &scope.set {
        flag("--set", format!("{}={}", setting.name, setting.value));
    }
    // The search asks a solver of its own where the engines are to use the SAT solver.
    if let Some(name) = solver.name.as_ref().filter(|name| *name != solvers::SAT) {
        flag("--solver", name.clone());
    }
    flag("--seed", seed.to_string());
    if let Some(left) = run.control.budget.left() {
        flag("--timeout", format!("{}ms", left.as_millis().max(1)));
    }
    // Half of what the user grants: both processes together keep the limit.
    flag("--memory", run.arguments.limits.memory.map_or(MEMORY, |all| (all / 2).max(1)).to_string());
    if run.arguments.no_wd {
        all.push("--no-wd".into());
    }
    if run.arguments.keep_going {
        all.push("--keep-going".into());
    }
    all.push("--".into());
    all.push(file.display().to_string());
    all
}

fn property(name: PropertyName) -> &'static str {
    match name {
        PropertyName::Inv => "inv",
        PropertyName::Deadlock => "deadlock",
        PropertyName::Assertions => "assertions",
        PropertyName::Goal => "goal",
    }
}

/// The lines of a search that matter.
#[derive(Default)]
struct Events {
    traces: Vec<TraceFile>,
    result: Option<Json>,
    /// Why its answer does not count.
    doubt: Option<String>,
}

/// Reads what a search says until it ends.
fn listen(run: &Run, lines: impl BufRead) -> Events {
    let mut events = Events::default();
    for line in lines.lines() {
        let Ok(Ok(mut event)) = line.map(|line| serde_json::from_str::<Json>(&line)) else { continue };
        match event["event"].as_str() {
            Some("search") if run.arguments.output.jsonl => {
                event["time"] = run.control.seconds().into();
                output::json_line(&event);
            }
            Some("trace") => match serde_json::from_value(event["trace"].take()) {
                Ok(trace) => events.traces.push(trace),
                Err(e) => events.doubt = Some(format!("its trace cannot be read: {e}")),
            },
            Some("result") => events.result = Some(event["result"].take()),
            _ => {}
        }
    }
    events
}

/// Checks the answer of a search.
fn judge(run: &Run, events: &Events) -> Option<SearchReport> {
    let result = events.result.as_ref()?;
    let number = |name: &str| result[name].as_u64();
    let (states, transitions) = (number("states")?, number("transitions")?);
    let verdict = match serde_json::from_value(result["verdict"].clone()).ok()? {
        VerdictWord::Holds => Verdict::Holds(holds(run, result)?),
        VerdictWord::Unknown if reason_code(result) == Some(ReasonCode::NotChecked) => {
            Verdict::Conditional(holds(run, result)?, vec![Condition::NotChecked(dropped(run))])
        }
        VerdictWord::Vacuous if run.scope.is_finite(&run.model) => {
            let why = match reason_code(result)? {
                ReasonCode::NoValuation => Vacuous::NoValuation,
                ReasonCode::NoInitialState => Vacuous::NoInitialState,
                _ => return None,
            };
            // Bounds that nobody chose are no reason to blame the axioms.
            if default_scope::doubt(&run.model, &run.scope, &run.arguments.scope, &why.to_string()).is_some()
            {
                return None;
            }
            why.into()
        }
        VerdictWord::Violated => Verdict::Violated(Box::new(replayed(run, events.traces.first()?)?)),
        _ => return None,
    };
    let further: Option<Vec<Counterexample>> =
        events.traces.iter().skip(1).map(|t| replayed(run, t)).collect();
    let decided = result["properties"].as_array()?.iter().all(|p| p["verdict"] != "unknown");
    Some(SearchReport {
        scope: run.scope.clone(),
        finished: true,
        exhausted: match verdict {
            Verdict::Holds(_) => true,
            // Sets without a size have other sizes than the ones that were searched.
            Verdict::Violated(_) => decided && run.scope.is_finite(&run.model),
            _ => false,
        },
        open: BTreeSet::new(),
        verdict,
        further: further.unwrap_or_default(),
        incomplete: vec![],
        cuts: vec![],
        not_saved: None,
        coverage: None,
        statistics: Statistics {
            states,
            transitions,
            depth: result["depth"].as_u64().and_then(|d| usize::try_from(d).ok()),
            audited: result["stats"]["audited"].as_u64().unwrap_or(0),
            left_open: left_open(run, &result["stats"]["left_open"]),
            ..Statistics::default()
        },
    })
}

/// The constants of which the search took one value for all.
fn left_open(run: &Run, names: &Json) -> BTreeSet<ConstId> {
    let names = names.as_array().into_iter().flatten();
    let find = |name: &Json| run.model.constants.iter().position(|c| Some(c.name.as_str()) == name.as_str());
    names.filter_map(find).map(|i| ConstId(i as u32)).collect()
}

/// Why a search gave no answer.
fn reason_code(result: &Json) -> Option<ReasonCode> {
    serde_json::from_value(result["reason_code"].clone()).ok()
}

/// What is to be said where the search came to the end of the memory that it is given by default, while the engines
/// go on without a limit.
fn own_limit(run: &Run, result: &Json) -> Option<String> {
    let of_memory = reason_code(result) == Some(ReasonCode::Memory);
    (of_memory && run.arguments.limits.memory.is_none()).then(|| {
        let said = result["reason"].as_str().unwrap_or_default();
        format!("{said}; without --memory it is given {}", bytes(MEMORY))
    })
}

/// What the model itself keeps from being checked.
fn dropped(run: &Run) -> Vec<String> {
    run.model.not_checked.iter().map(|d| d.describe(&run.model)).collect()
}

/// A trace that is one of the scope asked for and ends in a violation of what is asked.
fn replayed(run: &Run, file: &TraceFile) -> Option<Counterexample> {
    let trace = trace_from_file(&run.model, file).ok()?;
    let bounds = (&trace.scope.maxint, &trace.scope.minint) == (&run.scope.maxint, &run.scope.minint);
    let sizes = run.scope.sizes.iter().all(|(set, size)| trace.scope.sizes.get(set) == Some(size));
    if !(bounds && sizes) {
        return None;
    }
    if doubt::doubt(&run.model, &trace).is_some() {
        return None;
    }
    match confirm(&run.job(), trace) {
        Attempt::Found(found) => Some(*found),
        Attempt::Failed(_) => None,
    }
}

/// The evidence of a search that visited everything there is.
fn holds(run: &Run, result: &Json) -> Option<Evidence> {
    let whole = result["unsupported"].as_array().is_some_and(Vec::is_empty);
    if !(whole && run.scope.is_finite(&run.model)) {
        return None;
    }
    let certificate: Certificate = serde_json::from_value(result["certificate"].clone()).ok()?;
    let opened = open_value(&certificate, Path::new("")).ok()?;
    let same = opened.scope == run.scope
        && opened.claim.properties == run.properties
        && opened.claim.well_definedness != run.arguments.no_wd
        && certificate.settings == run.settings
        && opened.model.name == run.model.name;
    match opened.claim.evidence {
        ClaimEvidence::Search { states, transitions, digest, symmetric } if same => {
            Some(Evidence { states, transitions, digest, symmetric })
        }
        _ => None,
    }
}

/// Whether an answer says everything that was asked.
fn is_conclusive(run: &Run, report: &SearchReport) -> bool {
    !run.arguments.keep_going || report.exhausted || !matches!(report.verdict, Verdict::Violated(_))
}

/// Waits for the end without keeping the child from being killed meanwhile.
fn end_of(child: &Mutex<Child>) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = lock(child).try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn first_line(stderr: Option<impl Read>) -> String {
    let mut all = Vec::new();
    let mut buffer = [0u8; 1024];
    if let Some(mut from) = stderr {
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            all.extend_from_slice(&buffer[..n]);
            all.truncate(COMPLAINT);
        }
    }
    let text = String::from_utf8_lossy(&all);
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    lines.next().unwrap_or_default().to_string()
}

fn end_in_words(status: std::io::Result<ExitStatus>, complaint: &str) -> String {
    let how = match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    if complaint.is_empty() {
        format!("it ended without an answer ({how})")
    } else {
        format!("it ended without an answer ({how}): {complaint}")
    }
}
