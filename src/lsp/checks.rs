//! Checks in the background: the verdicts of `bsym check` on an open machine, for the lenses above its invariants and
//! operations.
//!
//! A check runs in a process of its own, on a copy of all texts that the machine is read from, once no text has changed
//! for a moment. An edit ends it. Findings are kept with the texts that they are about, and are shown for exactly these
//! texts: so nothing stale is shown, and nothing is lost that is typed back.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::answer::trace::left_out;
use crate::settings;
use crate::tuning::tuning;

/// Limit of one obligation.
const EACH: &str = "1s";

/// The niceness of a check: the answer to a keystroke does not wait until the check that it ends is gone.
const NICE: &str = "15";

/// All texts that a machine is read from, its own first.
pub type Texts = Arc<TextsOf>;

/// The texts of a machine by path, the machine itself first, and the folders in which they were looked for.
#[derive(PartialEq, Eq, Debug)]
pub struct TextsOf {
    pub texts: Vec<(PathBuf, String)>,
    pub include_path: Vec<PathBuf>,
    /// The settings of the project for this machine, as the text of a `bsym.toml`.
    pub settings: String,
}

/// Settings that the editor chose in `initializationOptions`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `true` if lenses are shown at all.
    pub enabled: bool,
    /// `--timeout` of a check.
    pub timeout: String,
    /// More arguments of a check.
    pub arguments: Vec<String>,
}

impl Settings {
    /// The settings in the parameters of `initialize`.
    pub fn of(parameters: &Json) -> Settings {
        let options = &parameters["initializationOptions"];
        let lens = &options["lens"];
        let list = options["arguments"].as_array().cloned().unwrap_or_default();
        Settings {
            enabled: lens["enabled"].as_bool().unwrap_or(true),
            timeout: lens["timeout"].as_str().unwrap_or("10s").to_string(),
            arguments: list.iter().filter_map(|text| text.as_str().map(str::to_string)).collect(),
        }
    }
}

/// Findings about the texts.
#[derive(Clone, Default, Debug)]
pub struct Findings {
    /// The verdict on the whole machine.
    pub verdict: String,
    /// The engine that gave it.
    pub engine: String,
    /// The verdict on each conjunct of the invariant, by its number in the model.
    pub invariants: BTreeMap<usize, String>,
    /// The event whose step violates something, with the texts of what it violates.
    pub breaking: BTreeMap<String, Vec<String>>,
    /// Steps of the trace to the first violation.
    pub steps: usize,
    /// Proved obligations of each event, and all of them.
    pub obligations: BTreeMap<String, (usize, usize)>,
    /// Why there is no result.
    pub failed: Option<String>,
    /// `true` if no more findings follow.
    pub complete: bool,
}

/// The process of a check, which the server may end.
#[derive(Default)]
struct Process {
    ended: bool,
    child: Option<Child>,
}

type Shared = Arc<Mutex<Process>>;

fn lock(process: &Shared) -> std::sync::MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Callback for findings of the check with this number.
pub type Say = Arc<dyn Fn(u64, Findings) + Send + Sync>;

struct Running {
    number: u64,
    path: PathBuf,
    texts: Texts,
    process: Shared,
}

/// Known findings, the running check, and the checks that wait.
pub struct Checks {
    settings: Settings,
    say: Say,
    known: VecDeque<(Texts, Findings)>,
    wanted: BTreeMap<PathBuf, (Texts, Instant)>,
    running: Option<Running>,
    started: u64,
}

impl Checks {
    /// Makes checks without findings. `say` is called on other threads.
    pub fn new(settings: Settings, say: Say) -> Checks {
        let (known, wanted) = (VecDeque::new(), BTreeMap::new());
        Checks { settings, say, known, wanted, running: None, started: 0 }
    }

    /// Returns whether lenses are shown at all.
    pub fn are_enabled(&self) -> bool {
        self.settings.enabled
    }

    /// Returns the findings about the texts.
    pub fn findings(&self, texts: &Texts) -> Option<&Findings> {
        self.known.iter().find(|(of, _)| of == texts).map(|(_, findings)| findings)
    }

    /// Requests a check of a machine with these texts. A check of the machine with other texts ends.
    pub fn want(&mut self, path: &Path, texts: &Texts) {
        if self.running.as_ref().is_some_and(|running| running.path == path && running.texts != *texts) {
            self.end_running();
        }
        let is_running = self.running.as_ref().is_some_and(|running| running.texts == *texts);
        if is_running || self.findings(texts).is_some_and(|findings| findings.complete) {
            self.wanted.remove(path);
            return;
        }
        if self.wanted.get(path).is_none_or(|(before, _)| before != texts) {
            self.wanted.insert(path.to_owned(), (texts.clone(), Instant::now() + tuning().server.rest));
        }
    }

    /// Stops the check of a machine that has changed or is no longer open.
    pub fn cancel(&mut self, path: &Path) {
        self.wanted.remove(path);
        if self.running.as_ref().is_some_and(|running| running.path == path) {
            self.end_running();
        }
    }

    /// Returns the time until the next check may begin.
    pub fn rest(&self) -> Option<Duration> {
        let next = self.wanted.values().map(|(_, due)| *due).min();
        next.filter(|_| self.running.is_none()).map(|due| due.saturating_duration_since(Instant::now()))
    }

    /// Begins a check whose texts have rested, if none is running.
    pub fn begin(&mut self) {
        let now = Instant::now();
        let due = self.wanted.iter().filter(|(_, (_, due))| *due <= now);
        let next = due.min_by_key(|(_, (_, due))| *due).map(|(path, _)| path.clone());
        let Some(path) = next.filter(|_| self.running.is_none()) else { return };
        let Some((texts, _)) = self.wanted.remove(&path) else { return };
        self.started += 1;
        let (number, process) = (self.started, Shared::default());
        self.running = Some(Running { number, path, texts: texts.clone(), process: process.clone() });
        let (settings, report) = (self.settings.clone(), self.say.clone());
        let work = move || {
            let say = |findings: Findings| report(number, findings);
            let failed = check(&settings, &texts, &process, &say).err();
            if let Some(failed) = failed {
                say(Findings { failed: Some(failed), complete: true, ..Findings::default() });
            }
        };
        if std::thread::Builder::new().name("check".into()).spawn(work).is_err() {
            self.running = None;
        }
    }

    /// Stores the findings of a check. Returns whether they are of interest: those of a check that was ended are not.
    pub fn found(&mut self, number: u64, findings: Findings) -> bool {
        let Some(running) = self.running.as_ref().filter(|running| running.number == number) else {
            return false;
        };
        let texts = running.texts.clone();
        if findings.complete {
            self.running = None;
        }
        self.known.retain(|(of, _)| *of != texts);
        self.known.push_front((texts, findings));
        self.known.truncate(tuning().server.known);
        true
    }

    fn end_running(&mut self) {
        let Some(running) = self.running.take() else { return };
        let mut process = lock(&running.process);
        process.ended = true;
        if let Some(child) = &mut process.child {
            // The thread that reads from it waits for it.
            let _ = child.kill();
        }
    }
}

impl Drop for Checks {
    fn drop(&mut self) {
        self.end_running();
    }
}

// Checks the texts and reports findings one by one; `Err` is the reason why there are none.
fn check(settings: &Settings, texts: &Texts, process: &Shared, say: &dyn Fn(Findings)) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (main, include) = copy(texts, folder.path()).map_err(|error| error.to_string())?;
    let run = |arguments: &[&str]| run(process, arguments, settings, &main, &include);
    let answer = run(&["check", "--json", "--keep-going", "--timeout", &settings.timeout])?;
    let mut findings = of_check(&answer);
    // A proof is complete about all events.
    findings.complete = findings.verdict == "holds";
    say(findings.clone());
    if !findings.complete {
        let obligations =
            run(&["po", "--no-proofs", "--json", "--timeout", &settings.timeout, "--each", EACH]);
        findings.obligations = obligations.as_ref().map(of_obligations).unwrap_or_default();
        findings.complete = true;
        say(findings);
    }
    Ok(())
}

// The texts below a folder, in the places that they have to each other; returns the place of the first one.
fn copy(texts: &Texts, folder: &Path) -> std::io::Result<(PathBuf, Vec<PathBuf>)> {
    let is_above = |above: &Path| texts.texts.iter().all(|(path, _)| path.starts_with(above));
    let first = texts.texts.first().map(|(path, _)| path.as_path()).unwrap_or(Path::new(""));
    let above = first.ancestors().skip(1).find(|above| is_above(above)).unwrap_or(Path::new(""));
    let place = |path: &Path| {
        let below = path.strip_prefix(above).unwrap_or(path);
        let parts = below.components().filter(|part| matches!(part, std::path::Component::Normal(_)));
        folder.join(parts.collect::<PathBuf>())
    };
    for (path, text) in &texts.texts {
        let place = place(path);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(place, text)?;
    }
    // A text without a name on disk is a machine.
    let main = place(first);
    // Those of the project are in a folder that is not copied.
    if !texts.settings.is_empty() {
        let folder = main.parent().unwrap_or(folder);
        std::fs::write(folder.join(settings::FILE), &texts.settings)?;
    }
    let include: Vec<PathBuf> = texts.include_path.iter().map(|path| place(path)).collect();
    let include = include.into_iter().filter(|path| path.is_dir()).collect();
    if first.is_absolute() {
        return Ok((main, include));
    }
    let named = folder.join("Untitled.mch");
    std::fs::rename(&main, &named)?;
    Ok((named, include))
}

fn run(
    process: &Shared,
    arguments: &[&str],
    settings: &Settings,
    main: &Path,
    include: &[PathBuf],
) -> Result<Json, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let more: Vec<&String> =
        settings.arguments.iter().filter(|_| arguments.first() == Some(&"check")).collect();
    // The texts are in a folder that no other check has.
    let complete = |mut command: Command| {
        command.args(arguments).arg("--no-cache").args(&more);
        for folder in include {
            command.arg("-I").arg(folder);
        }
        command.arg(main);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let mut polite = Command::new("nice");
    polite.args(["-n", NICE]).arg(&program);
    let (mut output, mut errors) = {
        let mut process = lock(process);
        if process.ended {
            return Err("ended".into());
        }
        // A system without the command has the check at the same priority.
        let child = complete(polite).spawn().or_else(|_| complete(Command::new(&program)).spawn());
        let mut child = child.map_err(|error| error.to_string())?;
        let pipes = (child.stdout.take(), child.stderr.take());
        process.child = Some(child);
        let (Some(output), Some(errors)) = pipes else { return Err("no output".into()) };
        (output, errors)
    };
    let notes = std::thread::spawn(move || {
        let mut said = String::new();
        let _ = errors.read_to_string(&mut said);
        said
    });
    let mut said = String::new();
    let read = output.read_to_string(&mut said);
    let child = lock(process).child.take();
    if let Some(mut child) = child {
        let _ = child.wait();
    }
    read.map_err(|error| error.to_string())?;
    let notes = notes.join().unwrap_or_default();
    serde_json::from_str(&said).map_err(|_| {
        let why = notes.lines().find(|line| !line.trim().is_empty()).unwrap_or("there is no answer");
        why.trim_start_matches("error: ").to_string()
    })
}

fn of_check(answer: &Json) -> Findings {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_string();
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let mut findings = Findings {
        verdict: text(&answer["verdict"]),
        engine: text(&answer["engine"]),
        ..Findings::default()
    };
    for property in list(&answer["properties"]).iter().filter(|p| p["property"] == "inv") {
        if let Some(index) = property["index"].as_u64() {
            findings.invariants.insert(index as usize, text(&property["verdict"]));
        }
    }
    let traces = std::iter::once(answer.clone()).chain(list(&answer["further"]));
    for found in traces {
        let trace = list(&found["trace"]);
        let Some(last) = trace.last() else { continue };
        let violated = list(&found["violated"]);
        let texts =
            violated.iter().map(|v| text(if v["label"].is_null() { &v["text"] } else { &v["label"] }));
        findings.breaking.entry(text(&last["event"])).or_default().extend(texts);
        if findings.steps == 0 {
            let left_out = trace.iter().filter_map(left_out).filter_map(|n| n.to_usize()).sum::<usize>();
            findings.steps = (trace.len() - 1).saturating_add(left_out);
        }
    }
    findings
}

fn of_obligations(answer: &Json) -> BTreeMap<String, (usize, usize)> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for obligation in answer["obligations"].as_array().into_iter().flatten() {
        let Some(event) = obligation["event"].as_str() else { continue };
        let (proved, all) = counts.entry(event.to_string()).or_default();
        *all += 1;
        *proved += usize::from(obligation["status"] == "discharged");
    }
    counts
}
