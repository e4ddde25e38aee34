//! Runs of the program on a machine by one engine, and the parts of its answers that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::REDUCED;
use super::machine::Machine;

/// Beyond its time limit a run may take this long before it counts as hanging.
const GRACE: Duration = Duration::from_secs(15);

/// `true` if a solver is linked into the program.
const LINKED: bool = cfg!(feature = "z3");

/// Folder in which machines are written, and program that checks them.
pub struct Bench {
    pub program: PathBuf,
    pub folder: PathBuf,
    /// The time limit of one run in milliseconds.
    pub limit: u64,
}

/// A question: engine, scope, and the other flags of the command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    pub engine: &'static str,
    /// `--scope` flags; `None` asks about any size.
    pub sizes: Option<Scope>,
    pub wd: bool,
    /// `true` with a proof status of which some entries are false.
    pub status: bool,
    pub every: bool,
    /// `true` if another solver checks the certificate than the one that made the proof. It is started for each
    /// sequent, which takes longer than most proofs.
    pub other: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Prob,
    Size(u32),
}

impl Display for Question {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.engine)?;
        match self.sizes {
            Some(Scope::Prob) => f.write_str(" --scope prob")?,
            Some(Scope::Size(n)) => write!(f, " --scope D={n}")?,
            None => {}
        }
        let flags =
            [(!self.wd, " --no-wd"), (self.status, " --proofs false.po.json"), (self.every, " --keep-going")];
        flags.iter().filter(|(is, _)| *is).try_for_each(|(_, flag)| f.write_str(flag))
    }
}

impl Question {
    /// The subcommand that answers.
    pub fn command(&self) -> &'static str {
        match self.engine {
            "bits" => "ic3",
            _ if self.is_reduced() => "mc",
            engine => engine,
        }
    }

    /// Returns whether it is a search that does not visit all states.
    fn is_reduced(&self) -> bool {
        REDUCED.contains(&self.engine) || self.engine == "por"
    }

    /// Returns whether a proof comes with a certificate. A search by decision diagrams has none, nor has one that
    /// leaves events out, nor one where the order of the search decides which states are visited.
    fn has_certificate(&self) -> bool {
        !matches!(self.engine, "ldd" | "por") && !REDUCED[1..].contains(&self.engine)
    }
}

/// Key for comparing violations: the kind, and the place in a file of what is false or ill-defined.
pub type Place = (String, String);

/// Answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    pub question: Question,
    pub verdict: String,
    pub exit: i32,
    /// Sizes of the deferred sets that the answer is about, of a counterexample those of its trace.
    pub sizes: BTreeMap<String, u64>,
    /// MININT and MAXINT.
    pub integers: (String, String),
    pub depth: Option<u64>,
    pub states: Option<u64>,
    /// `true` if every reachable state was visited.
    pub complete: bool,
    pub violations: BTreeSet<Place>,
    /// Verdicts of the conjuncts by place.
    pub conjuncts: BTreeMap<String, String>,
    /// `true` if nothing was left undecided or without an encoding on the way.
    pub certain: bool,
    /// Statuses that were relied on without a proof.
    pub trusted: bool,
    pub reason: String,
    pub seconds: f64,
}

/// A fault that must not happen, whatever the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub question: Question,
    /// Short and the same for the same kind of fault.
    pub kind: &'static str,
    pub detail: String,
}

/// End of a run.
struct Ended {
    /// `None` if a signal killed it.
    code: Option<i32>,
    out: String,
    err: String,
    hung: bool,
}

impl Bench {
    /// Writes a machine and whatever it includes; the path of the machine.
    pub fn write(&self, machine: &Machine) -> PathBuf {
        let mut path = PathBuf::new();
        for (name, text) in machine.files() {
            path = self.folder.join(name);
            std::fs::write(&path, text).expect("the folder is ours");
        }
        path
    }

    /// Runs the program; solvers in processes of their own are found only by `others`, where there is one within.
    fn run(&self, arguments: &[String], others: bool) -> Ended {
        let (out, err) = (self.folder.join("out"), self.folder.join("err"));
        let create = |path: &Path| File::create(path).expect("the folder is ours");
        let mut command = Command::new(&self.program);
        if LINKED && !others {
            command.envs([("BSYM_Z3", "/none"), ("BSYM_CVC5", "/none")]);
        }
        // Small contexts of Z3 come and go: their memory is kept instead of being cleared by the system each time.
        command.envs([("MALLOC_MMAP_THRESHOLD_", "1000000000"), ("MALLOC_TRIM_THRESHOLD_", "1000000000")]);
        let mut child = command
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("RUST_LOG")
            .stdout(create(&out))
            .stderr(create(&err))
            .spawn()
            .expect("the program starts");
        let begin = Instant::now();
        let patience = Duration::from_millis(self.limit) + GRACE;
        let mut nap = Duration::from_millis(1);
        let (status, hung) = loop {
            if let Some(status) = child.try_wait().expect("it is our child") {
                break (status, false);
            }
            if begin.elapsed() > patience {
                let _ = child.kill();
                break (child.wait().expect("it is our child"), true);
            }
            std::thread::sleep(nap);
            nap = (nap * 5 / 4).min(Duration::from_millis(20));
        };
        let text =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        Ended { code: status.code(), out: text(&out), err: text(&err), hung }
    }

    /// Asks a question; for a proof its certificate is checked, for a violation its trace is replayed.
    pub fn ask(&self, machine: &Machine, question: &Question) -> Result<Answer, Fault> {
        let fault = |kind, detail: String| Fault { question: question.clone(), kind, detail };
        for stale in ["certificate.json", "trace.json"] {
            let _ = std::fs::remove_file(self.folder.join(stale));
        }
        let mut arguments: Vec<String> =
            vec![question.command().into(), format!("{}.mch", machine.name), "--json".into()];
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(|w| w.to_string()));
        let limit = format!("{}ms", self.limit);
        add(&["--timeout", &limit, "--trace", "trace.json"]);
        if question.has_certificate() {
            add(&["--certificate", "certificate.json"]);
        }
        match question.engine {
            "mc" => add(&["--max-states", "4000"]),
            "por" => add(&["--max-states", "4000", "--por"]),
            reduced if question.is_reduced() => add(&["--max-states", "4000", "--symmetry", reduced]),
            "bmc" | "tree" => add(&["--depth", "6"]),
            "bits" => add(&["--domain", "bits"]),
            _ => {}
        }
        match question.sizes {
            Some(Scope::Prob) => add(&["--scope", "prob"]),
            Some(Scope::Size(n)) => {
                for set in machine.deferred() {
                    add(&["--scope", &format!("{set}={n}")]);
                }
            }
            None => {}
        }
        if !question.wd {
            add(&["--no-wd"]);
        }
        if question.every {
            add(&["--keep-going"]);
        }
        match question.status {
            true => add(&["--proofs", "false.po.json"]),
            false => add(&["--no-proofs"]),
        }
        let begin = Instant::now();
        let ended = self.run(&arguments, false);
        check(&ended).map_err(|(kind, detail)| fault(kind, detail))?;
        let json: Json = serde_json::from_str(&ended.out)
            .map_err(|e| fault("no JSON", format!("{e}: {}{}", ended.out, ended.err)))?;
        if json["verdict"].as_str().is_none() {
            return Err(fault("refused", format!("{json:#} {}", ended.err)));
        }
        let seconds = begin.elapsed().as_secs_f64();
        let mut answer = read(question, &json, ended.code.unwrap_or(-1), seconds);
        match answer.verdict.as_str() {
            "holds" if self.folder.join("certificate.json").exists() => {
                let mut words = vec!["certify", "certificate.json", "--json", "--timeout", "5s"];
                if LINKED && !question.other {
                    words.extend(["--solver", "z3"]);
                }
                let arguments: Vec<String> = words.into_iter().map(String::from).collect();
                let ended = self.run(&arguments, question.other);
                check(&ended).map_err(|(kind, detail)| fault(kind, format!("certify: {detail}")))?;
                if !certified(&ended) {
                    return Err(fault("not certified", format!("{}{}", ended.out, ended.err)));
                }
            }
            "violated" => {
                let name = format!("{}.mch", machine.name);
                let arguments =
                    ["replay", "trace.json", &name, "--json", "--timeout", "5s"].map(String::from);
                let ended = self.run(&arguments, false);
                check(&ended).map_err(|(kind, detail)| fault(kind, format!("replay: {detail}")))?;
                let replayed: Json = serde_json::from_str(&ended.out).unwrap_or_default();
                let again = places(&replayed["violated"]);
                let first = places(&json["violated"]);
                // The check whether the end is a deadlock may take longer than the engine took.
                let stopped = ended.code == Some(3);
                if !stopped && (replayed["replayed"] != true || !first.is_subset(&again)) {
                    let detail = format!("said {first:?}, replayed {again:?}: {}{}", ended.out, ended.err);
                    return Err(fault("not replayed", detail));
                }
                let trace = std::fs::read_to_string(self.folder.join("trace.json")).unwrap_or_default();
                let trace: Json = serde_json::from_str(&trace).unwrap_or_default();
                answer.sizes = sizes(&trace["scope"]["sizes"]);
            }
            _ => {}
        }
        Ok(answer)
    }

    /// Writes a proof status in which about half of the obligations count as proved, right or wrong.
    pub fn falsify(&self, machine: &Machine, seed: u64) -> Result<bool, Fault> {
        let question =
            Question { engine: "po", sizes: None, wd: true, status: false, every: false, other: false };
        let name = format!("{}.mch", machine.name);
        let limit = format!("{}ms", self.limit);
        let arguments = ["po", &name, "-o", "true.po.json", "--timeout", &limit].map(String::from);
        let _ = std::fs::remove_file(self.folder.join("true.po.json"));
        let ended = self.run(&arguments, false);
        check(&ended).map_err(|(kind, detail)| Fault { question, kind, detail })?;
        let Ok(text) = std::fs::read_to_string(self.folder.join("true.po.json")) else { return Ok(false) };
        let mut json: Json = serde_json::from_str(&text).unwrap_or_default();
        // Otherwise the numbers would differ.
        json.as_object_mut().map(|file| file.remove("summary"));
        let Some(all) = json["obligations"].as_array_mut() else { return Ok(false) };
        let mut bits = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        for obligation in all {
            bits = bits.rotate_left(7).wrapping_mul(0x94D0_49BB_1331_11EB);
            if bits >> 63 == 1 {
                obligation["status"] = "discharged".into();
                obligation["prover"] = serde_json::json!(["liar"]);
            }
        }
        std::fs::write(self.folder.join("false.po.json"), json.to_string()).expect("the folder is ours");
        Ok(true)
    }
}

/// Checks that there was no crash, no hang, and no failure of our own.
fn check(ended: &Ended) -> Result<(), (&'static str, String)> {
    let both = || format!("{}{}", ended.err, ended.out);
    match ended.code {
        _ if ended.hung => Err(("hangs", both())),
        None => Err(("killed", both())),
        Some(4) => Err(("exit code 4", both())),
        Some(101) => Err(("panics", both())),
        Some(_) if ended.err.contains("panicked") => Err(("panics", both())),
        Some(_) => Ok(()),
    }
}

/// Returns whether nothing in the certificate is refuted; parts that are undecided within the time are not.
fn certified(ended: &Ended) -> bool {
    let json: Json = serde_json::from_str(&ended.out).unwrap_or_default();
    let none = |key: &str| json[key].as_array().is_some_and(|a| a.is_empty());
    json["verdict"] == "certified" || json["verdict"].is_string() && none("failed") && none("wrong")
}

fn sizes(json: &Json) -> BTreeMap<String, u64> {
    let all = json.as_object().into_iter().flatten();
    all.filter_map(|(name, n)| Some((name.clone(), n.as_u64().or_else(|| n.as_str()?.parse().ok())?)))
        .collect()
}

fn places(violated: &Json) -> BTreeSet<Place> {
    let text = |v: &Json| v.as_str().map_or_else(|| v.to_string(), String::from);
    let place = |v: &Json| {
        let file = text(&v["file"]);
        let file = file.rsplit('/').next().unwrap_or("").to_string();
        (text(&v["property"]), format!("{file}:{}:{}", v["line"], v["column"]))
    };
    violated.as_array().into_iter().flatten().map(place).collect()
}

fn read(question: &Question, json: &Json, exit: i32, seconds: f64) -> Answer {
    let mut violations = places(&json["violated"]);
    for further in json["further"].as_array().into_iter().flatten() {
        violations.extend(places(&further["violated"]));
    }
    let verdict = json["verdict"].as_str().unwrap_or_default().to_string();
    let mut conjuncts = BTreeMap::new();
    for p in json["properties"].as_array().into_iter().flatten() {
        let place = format!("{} {} {}", p["property"], p["index"], p["text"]);
        conjuncts.insert(place, p["verdict"].as_str().unwrap_or_default().to_string());
    }
    // Where not all are visited it is no number to compare.
    let states = json["states"].as_u64().filter(|_| !question.is_reduced());
    let reason = json["reason"].as_str().unwrap_or_default().to_string();
    let decided = conjuncts.values().all(|v| v != "unknown");
    let complete = matches!(question.command(), "mc" | "ldd")
        && match verdict.as_str() {
            "holds" | "vacuous" => true,
            "violated" => {
                question.every
                    && decided
                    && reason.is_empty()
                    && json["states"].as_u64().is_some_and(|n| n < 4000)
            }
            _ => false,
        };
    let none = |v: &Json| v.as_array().is_none_or(|a| a.is_empty());
    Answer {
        question: question.clone(),
        exit,
        sizes: sizes(&json["scope"]["sets"]),
        integers: (json["scope"]["minint"].to_string(), json["scope"]["maxint"].to_string()),
        depth: json["depth"].as_u64(),
        states,
        complete,
        violations,
        conjuncts,
        certain: none(&json["unsupported"]) && json["stats"]["unknowns"] == 0,
        trusted: !none(&json["proofs"]["trusted"]),
        reason,
        seconds,
        verdict,
    }
}
