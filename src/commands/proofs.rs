//! `bsym proofs`: the proof status that other tools recorded, counted, explained and converted.

mod kinds;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bsym_language::load::is_eventb;
use bsym_language::load::load_model;
use bsym_language::model::Model;
use bsym_proofs::po::file::{Obligation, PoFile, Status};
use bsym_proofs::po::import::{Entry, import};
use bsym_proofs::po::sources::{attach, convert};
use bsym_proofs::po::{Import, ImportOptions, PoError};
use serde::Serialize;

use self::kinds::{ChecksObject, KindObject};
use crate::answer::{conjunct_name, event_name, level_word};
use crate::arguments::{ComponentArguments, ProofsArguments};
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;

/// Open pairs that the text lists; `--json` has all.
const LISTED: usize = 20;

/// What a file says, as JSON.
#[derive(Serialize, Debug)]
struct Summary {
    file: String,
    project: Option<String>,
    machine: Option<String>,
    obligations: Counts,
    components: Vec<ComponentObject>,
    provers: BTreeMap<String, usize>,
    kinds: Vec<KindObject>,
    pairs: Option<Pairs>,
    /// What is checked of steps and states besides the pairs.
    checks: Option<Vec<ChecksObject>>,
    broken: Vec<String>,
    reviewed: Vec<String>,
    stale: Vec<String>,
    unmatched: Vec<String>,
    warnings: Vec<String>,
    output_file: Option<String>,
}

/// Obligations by what became of them.
#[derive(Serialize, Clone, Debug, Default)]
struct Counts {
    total: usize,
    proven: usize,
    reviewed: usize,
    open: usize,
    broken: usize,
    /// Of all these, those that were for another text.
    stale: usize,
    /// Of all these, those that fit no event and conjunct.
    unmatched: usize,
}

#[derive(Serialize, Debug)]
struct ComponentObject {
    name: String,
    #[serde(flatten)]
    counts: Counts,
}

/// The pairs (event, conjunct) of a machine.
#[derive(Serialize, Debug)]
struct Pairs {
    machine: String,
    events: usize,
    conjuncts: usize,
    total: usize,
    proven: usize,
    /// Of the proven ones, those that need no obligation.
    trivial: usize,
    levels: BTreeMap<&'static str, usize>,
    provers: BTreeMap<String, usize>,
    /// Numbers of open pairs by the kind of reason.
    open: BTreeMap<&'static str, usize>,
    open_pairs: Vec<OpenPair>,
}

#[derive(Serialize, Debug)]
struct OpenPair {
    event: String,
    conjunct: String,
    index: usize,
    kind: &'static str,
    reason: String,
}

/// Runs the command.
pub fn run(arguments: &ProofsArguments) -> Result<u8, Refusal> {
    let path = &arguments.file;
    let folder = arguments.output_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    if let Some(output) = &arguments.output_file {
        output::check_writable(output, "-o", &[path])?;
    }
    let converted = convert(path, folder).map_err(|e| refuse(path, &e))?;
    let (mut file, mut warnings) = (converted.file, converted.warnings);
    let model = match machine(arguments, &file)? {
        Ok(model) => Some(model),
        Err(why) => {
            warnings.push(why);
            None
        }
    };
    let options = ImportOptions { trust_reviewed: arguments.trust_reviewed, scope: None };
    let import = match &model {
        Some(model) => Some(import(path, &file, model, &options).map_err(|e| refuse(path, &e))?),
        None => None,
    };
    let mut summary = summary(arguments, &file, model.as_ref().zip(import.as_ref()), warnings);
    if let Some(model) = &model {
        attach(&mut file, model);
    }
    if let Some(path) = &arguments.output_file
        && output::write(path, &file.to_text())
    {
        summary.output_file = Some(path.display().to_string());
    }
    let format = &arguments.output;
    if format.json {
        output::json(&summary);
    } else if format.jsonl {
        output::json_line(&summary);
    } else {
        output::result(&text(&summary, Paint::stdout(format.color)));
    }
    Ok(0)
}

/// The machine whose pairs are counted: the one that is named, else the one in the input; or why there
/// is none.
fn machine(arguments: &ProofsArguments, file: &PoFile) -> Result<Result<Model, String>, Refusal> {
    if let Some(named) = &arguments.machine {
        let path = Path::new(named);
        // A name of the project, unless there is such a file.
        let chosen = is_eventb(&arguments.file) && !path.exists();
        let component = ComponentArguments { component: chosen.then(|| named.clone()) };
        let path = if chosen { &arguments.file } else { path };
        return input::machine(path, &component, &arguments.output).map(|input| Ok(input.model));
    }
    let named = file.model.as_ref().and_then(|m| m.main.clone());
    let help = "so its pairs are not counted; `--machine NAME|FILE` names a machine";
    let Some(path) = machine_file(&arguments.file, file) else {
        return Ok(Err(format!("the machine is not there, {help}")));
    };
    Ok(match load_model(&path) {
        Ok(loaded) => match loaded.model {
            Some(model) if named.as_ref().is_none_or(|n| *n == model.name) => Ok(model),
            Some(model) => Err(format!("{} holds {}, {help}", path.display(), model.name)),
            None => Err(format!("{} has errors (`bsym parse` shows them), {help}", path.display())),
        },
        Err(error) => Err(format!("{error}; {help}")),
    })
}

/// Where the model of an input is.
fn machine_file(given: &Path, file: &PoFile) -> Option<PathBuf> {
    let extension = given.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let named = file.model.as_ref().and_then(|m| m.main.clone());
    match extension.as_str() {
        "eventb" | "zip" | "bum" | "buc" => Some(given.to_owned()),
        _ if given.is_dir() => match named.map(|n| given.join(format!("{n}.bum"))) {
            Some(machine) if machine.is_file() => Some(machine),
            _ => Some(given.to_owned()),
        },
        "bps" | "bpo" | "bpr" | "bcm" => Some(given.with_extension("bum")).filter(|p| p.is_file()),
        "bcc" => Some(given.with_extension("buc")).filter(|p| p.is_file()),
        "pog" | "pos" | "po" | "pmi" => bsym_proofs::po::sources::atelier_machine(given),
        _ => {
            let folder = given.parent()?;
            let model = file.sources.iter().find(|s| s.component == named && !s.path.contains("!/"))?;
            Some(folder.join(&model.path)).filter(|p| p.is_file())
        }
    }
}

fn refuse(path: &Path, error: &PoError) -> Refusal {
    let refusal = Refusal::new(error.to_string());
    match error {
        PoError::Read { .. } if !path.exists() => refusal.help("check the path"),
        PoError::OtherFormat { .. } => refusal.help(
            "Rodin projects (folder, .zip, .bum, .bps), ProB packages (.eventb), Atelier B (.pog, .pos, .pmi) \
             and po.json are read",
        ),
        _ => refusal,
    }
}

fn counts<'a>(all: impl Iterator<Item = &'a Obligation>) -> Counts {
    let mut counts = Counts::default();
    for o in all {
        counts.total += 1;
        match o.status {
            Status::Discharged | Status::Trivial => counts.proven += 1,
            Status::Reviewed => counts.reviewed += 1,
            Status::Broken => counts.broken += 1,
            _ => counts.open += 1,
        }
        counts.stale += usize::from(o.stale);
        counts.unmatched += usize::from(o.unmatched.is_some());
    }
    counts
}

fn summary(
    arguments: &ProofsArguments,
    file: &PoFile,
    known: Option<(&Model, &Import)>,
    warnings: Vec<String>,
) -> Summary {
    let mut names: Vec<&str> = vec![];
    for o in &file.obligations {
        if !names.contains(&o.component.as_str()) {
            names.push(&o.component);
        }
    }
    let components = names.into_iter().map(|name| ComponentObject {
        name: name.into(),
        counts: counts(file.obligations.iter().filter(|o| o.component == name)),
    });
    let mut provers = BTreeMap::new();
    for prover in file.obligations.iter().flat_map(|o| &o.prover) {
        *provers.entry(prover.clone()).or_default() += 1;
    }
    let of = |status| {
        file.obligations.iter().filter(move |o| o.status == status).map(|o| o.id.clone()).collect::<Vec<_>>()
    };
    let lines =
        |all: &[Entry]| -> Vec<String> { all.iter().map(|e| format!("{}: {}", e.id, e.reason)).collect() };
    let said = |why: fn(&Obligation) -> Option<&String>| {
        let found = file.obligations.iter().filter_map(move |o| Some(format!("{}: {}", o.id, why(o)?)));
        found.collect::<Vec<_>>()
    };
    let (stale, unmatched) = match known {
        Some((_, import)) => (lines(&import.stale), lines(&import.unmatched)),
        None => (said(|o| o.stale_reason.as_ref()), said(|o| o.unmatched.as_ref())),
    };
    let about = file.model.clone().unwrap_or_default();
    Summary {
        file: arguments.file.display().to_string(),
        project: about.project,
        machine: known.map(|(m, _)| m.name.clone()).or(about.main),
        obligations: counts(file.obligations.iter()),
        components: components.collect(),
        provers,
        kinds: kinds::by_kind(file, known.map(|(_, import)| import)),
        pairs: known.map(|(model, import)| pairs(model, import)),
        checks: known.map(|(model, import)| kinds::checks(model, import)),
        broken: of(Status::Broken),
        reviewed: of(Status::Reviewed),
        stale,
        unmatched,
        warnings,
        output_file: None,
    }
}

fn pairs(model: &Model, import: &Import) -> Pairs {
    let mut levels = BTreeMap::new();
    let mut provers = BTreeMap::new();
    for (pair, status) in import.status.iter() {
        if import.trivial.contains(&pair) {
            continue;
        }
        *levels.entry(level_word(status.level)).or_default() += 1;
        for prover in &status.provers {
            *provers.entry(prover.clone()).or_default() += 1;
        }
    }
    let mut open = BTreeMap::new();
    for o in &import.open {
        *open.entry(o.kind.word()).or_default() += 1;
    }
    let open_pairs = import.open.iter().map(|o| OpenPair {
        event: event_name(model, o.pair.0),
        conjunct: model.invariant.get(o.pair.1).map(conjunct_name).unwrap_or_default(),
        index: o.pair.1,
        kind: o.kind.word(),
        reason: o.reason.clone(),
    });
    Pairs {
        machine: model.name.clone(),
        events: model.events.len(),
        conjuncts: model.invariant.len(),
        total: (model.events.len() + 1) * model.invariant.len(),
        proven: import.status.len(),
        trivial: import.trivial.len(),
        levels,
        provers,
        open,
        open_pairs: open_pairs.collect(),
    }
}

fn text(s: &Summary, paint: Paint) -> String {
    let mut out = String::new();
    // A string takes everything.
    let _ = write_text(&mut out, s, paint);
    out
}

fn write_text(out: &mut String, s: &Summary, paint: Paint) -> std::fmt::Result {
    let n = &s.obligations;
    let project = s.project.as_ref().map(|p| format!(" of {p}")).unwrap_or_default();
    writeln!(out, "{} obligations{project}: {}", n.total, in_words(n))?;
    if s.components.len() > 1 {
        let width = s.components.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
        for c in &s.components {
            writeln!(out, "  {:width$}  {:4}  {}", c.name, c.counts.total, in_words(&c.counts))?;
        }
    }
    if !s.provers.is_empty() {
        writeln!(out, "proved by: {}", list(&s.provers))?;
    }
    kinds::write_kinds(out, &s.kinds, paint)?;
    if let Some(p) = &s.pairs {
        writeln!(out)?;
        write_pairs(out, p, paint)?;
    }
    kinds::write_checks(out, s.checks.as_deref().unwrap_or_default(), paint)?;
    for (word, entries) in
        [("broken", &s.broken), ("reviewed", &s.reviewed), ("stale", &s.stale), ("unmatched", &s.unmatched)]
    {
        write_list(out, word, entries, paint)?;
    }
    if !s.warnings.is_empty() {
        writeln!(out)?;
        for warning in &s.warnings {
            writeln!(out, "{}: {warning}", paint.doubt("warning"))?;
        }
    }
    if let Some(path) = &s.output_file {
        writeln!(out, "\nstatus written to {path}")?;
    }
    Ok(())
}

fn write_pairs(out: &mut String, p: &Pairs, paint: Paint) -> std::fmt::Result {
    writeln!(
        out,
        "{}: {} events and the initialisation, {} conjuncts: {} pairs",
        p.machine, p.events, p.conjuncts, p.total
    )?;
    let imported = p.proven - p.trivial;
    writeln!(out, "  {imported:5} proven by status{}", in_brackets(&list(&p.levels), &list(&p.provers)))?;
    writeln!(
        out,
        "  {:5} need no obligation (nothing the conjunct reads is changed, or it is a type)",
        p.trivial
    )?;
    let open = p.total - p.proven;
    writeln!(out, "  {open:5} open{}", in_brackets(&list(&p.open), ""))?;
    for o in p.open_pairs.iter().take(LISTED) {
        writeln!(out, "    {}  {}  {}", o.event, o.conjunct, paint.faint(&o.reason))?;
    }
    if p.open_pairs.len() > LISTED {
        writeln!(out, "    and {} more (--json lists all)", p.open_pairs.len() - LISTED)?;
    }
    Ok(())
}

fn write_list(out: &mut String, word: &str, entries: &[String], paint: Paint) -> std::fmt::Result {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}:", paint.doubt(&format!("{} {word}", entries.len())))?;
    for entry in entries.iter().take(LISTED) {
        writeln!(out, "  {entry}")?;
    }
    if entries.len() > LISTED {
        writeln!(out, "  and {} more (--json lists all)", entries.len() - LISTED)?;
    }
    Ok(())
}

fn in_words(n: &Counts) -> String {
    let mut words = vec![format!("{} proven", n.proven)];
    for (count, word) in [
        (n.reviewed, "only reviewed"),
        (n.open, "open"),
        (n.broken, "broken"),
        (n.stale, "of them stale"),
        (n.unmatched, "of them unmatched"),
    ] {
        if count > 0 {
            words.push(format!("{count} {word}"));
        }
    }
    words.join(", ")
}

fn list<K: std::fmt::Display>(counts: &BTreeMap<K, usize>) -> String {
    counts.iter().map(|(word, n)| format!("{word} {n}")).collect::<Vec<_>>().join(", ")
}

fn in_brackets(a: &str, b: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" ({a})"),
        (true, false) => format!(" ({b})"),
        (false, false) => format!(" (level: {a}; by {b})"),
    }
}
