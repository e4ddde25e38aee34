//! From a status file to the pairs that count as proven for a model.
//!
//! An entry is used if it is about a pair (event, conjunct) of this machine, its status counts, it
//! is fresh ([`fresh`](super::fresh)), and no other entry about the same pair says otherwise. Every
//! other entry is reported with the reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use bsym_language::load::check_predicate;
use bsym_language::model::{EventId, Model, Pred};
use bsym_language::walk::Names;
use bsym_semantics::scope::Scope;

use super::digest;
use super::file::{Kind, Obligation, PoError, PoFile, Status, Target, Trust};
use super::fresh::{Agreement, Freshness, fold};
use crate::status::{Level, Pair, PairStatus, ProofStatus};

/// How a file is read.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Count `reviewed` as proven.
    pub trust_reviewed: bool,
    /// The scope of the run: status for other bounds or sizes is stale.
    pub scope: Option<Scope>,
}

/// One entry of the file and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name in the file.
    pub id: String,
    /// The pair that it was matched to.
    pub pair: Option<Pair>,
    /// Why it is not used; for a used one, what it rests on.
    pub reason: String,
}

/// A file's status for a model. Every entry is in exactly one of the lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Import {
    /// The file.
    pub path: PathBuf,
    /// The pairs that count as proven.
    pub status: ProofStatus,
    /// Entries behind `status`.
    pub used: Vec<Entry>,
    /// Proved for a text that is not the machine's any more.
    pub stale: Vec<Entry>,
    /// Proved for something that the machine does not have.
    pub unmatched: Vec<Entry>,
    /// Entries about the same pair that contradict one another, or with a label that is not unique.
    pub ambiguous: Vec<Entry>,
    /// Not proved, or about something else than a pair.
    pub ignored: Vec<Entry>,
    /// Used entries that are only reviewed.
    pub reviewed: usize,
}

impl Import {
    /// Number of used pairs by level.
    pub fn levels(&self) -> BTreeMap<Level, usize> {
        let mut levels = BTreeMap::new();
        for (_, s) in self.status.iter() {
            *levels.entry(s.level).or_default() += 1;
        }
        levels
    }
}

/// Reads a `po.json` for a model.
///
/// # Errors
/// A file that cannot be read, is not a valid `po.json`, or is about another machine.
pub fn read_status(path: &Path, model: &Model, options: &ImportOptions) -> Result<Import, PoError> {
    import(path, &PoFile::read(path)?, model, options)
}

/// The status that a file has for a model; the path is for messages.
///
/// # Errors
/// [`PoError::OtherMachine`]
pub fn import(path: &Path, file: &PoFile, model: &Model, options: &ImportOptions) -> Result<Import, PoError> {
    about_this_machine(path, file, model)?;
    let mut texts = Texts::new(model);
    let freshness = Freshness::of(file, model, options.scope.as_ref(), &mut texts);
    let open_theorem = open_theorem(file, model);
    let mut out = Import { path: path.to_path_buf(), ..Import::default() };
    let mut matched = 0;
    // Proved entries, and what other entries say against their pairs.
    let mut proved = vec![];
    let mut against: BTreeMap<Pair, String> = BTreeMap::new();
    let mut about_pairs = false;

    for o in &file.obligations {
        let unused = |reason: String| Entry { id: o.id.clone(), pair: None, reason };
        let component = o.target.as_ref().and_then(|t| t.owner.as_ref()).unwrap_or(&o.component);
        if o.component != model.name || *component != model.name {
            out.ignored.push(unused(format!("it is about {component}")));
            continue;
        }
        if !matches!(o.kind, Kind::Inv | Kind::InvEst) {
            out.ignored.push(unused(format!("obligations of kind {} make no pair proven", o.kind.word())));
            continue;
        }
        about_pairs = true;
        let event = match find_event(o, model) {
            Ok(event) => event,
            Err(reason) => {
                out.unmatched.push(unused(reason));
                continue;
            }
        };
        let conjuncts = match find_target(o, model, &mut texts) {
            Found::At(conjuncts) => conjuncts,
            Found::Nowhere(reason) => {
                out.unmatched.push(unused(reason));
                continue;
            }
            Found::Ambiguous(reason) => {
                out.ambiguous.push(unused(reason));
                continue;
            }
        };
        matched += 1;
        // Conjuncts with the same text are all proven by it; one of them stands for them.
        let (Some(&index), event_id) = (conjuncts.first(), event.map(|e| EventId(e as u32))) else {
            continue;
        };
        let pairs: Vec<Pair> = conjuncts.iter().map(|&i| (event_id, i)).collect();
        let entry = |reason: String| Entry { id: o.id.clone(), pair: Some((event_id, index)), reason };
        if let Err(reason) = counts(o, model, event, index, options) {
            for &pair in &pairs {
                against.insert(pair, format!("`{}` is about the same pair, and {reason}", o.id));
            }
            out.ignored.push(entry(reason));
            continue;
        }
        if let Some(reason) = freshness.stale(o, model, event, index, &mut texts) {
            out.stale.push(entry(reason));
            continue;
        }
        let ours = !o.prover.is_empty() && o.prover.iter().all(|p| p.starts_with("bsym:"));
        if let (Some(theorem), false, Some(_)) = (&open_theorem, ours, event) {
            out.ignored.push(entry(format!("`{theorem}` is open and may have been a hypothesis")));
            continue;
        }
        let provers = if o.prover.is_empty() { vec!["unnamed".into()] } else { o.prover.clone() };
        let reason = format!("{} by {}", o.status.word(), provers.join(", "));
        proved.push(Proved {
            reviewed: o.status == Status::Reviewed,
            entry: entry(reason),
            pairs,
            status: PairStatus { provers, level: level(o, file) },
        });
    }
    if about_pairs && matched == 0 {
        return Err(PoError::OtherMachine {
            path: path.to_path_buf(),
            machine: model.name.clone(),
            found: format!(
                "another {}: none of its operations and invariants occurs in {}",
                model.name,
                machine_file(model)
            ),
            help: "give the status of this machine".into(),
        });
    }
    settle(proved, &against, &mut out);
    Ok(out)
}

/// An entry that counts, unless another one contradicts it.
struct Proved {
    entry: Entry,
    reviewed: bool,
    pairs: Vec<Pair>,
    status: PairStatus,
}

fn settle(proved: Vec<Proved>, against: &BTreeMap<Pair, String>, out: &mut Import) {
    for p in proved {
        if let Some(reason) = p.pairs.iter().find_map(|pair| against.get(pair)) {
            out.ambiguous.push(Entry { reason: reason.clone(), ..p.entry });
            continue;
        }
        out.reviewed += usize::from(p.reviewed);
        out.used.push(p.entry);
        for pair in p.pairs {
            if out.status.get(pair).is_none_or(|known| known.level < p.status.level) {
                out.status.insert(pair, p.status.clone());
            }
        }
    }
}

fn about_this_machine(path: &Path, file: &PoFile, model: &Model) -> Result<(), PoError> {
    let mut names = BTreeSet::new();
    names.extend(file.components.iter().map(|c| c.name.as_str()));
    names.extend(file.obligations.iter().map(|o| o.component.as_str()));
    names.extend(file.model.iter().filter_map(|m| m.main.as_deref()));
    if names.is_empty() || names.contains(model.name.as_str()) {
        return Ok(());
    }
    Err(PoError::OtherMachine {
        path: path.to_path_buf(),
        machine: model.name.clone(),
        found: names.into_iter().collect::<Vec<_>>().join(", "),
        help: format!("write the status of this machine with `bsym po {} -o po.json`", machine_file(model)),
    })
}

fn machine_file(model: &Model) -> String {
    model.sources.iter().next().map_or_else(|| model.name.clone(), |(_, s)| s.path.display().to_string())
}

/// A theorem of the machine that is not proved: a tool's proof of a pair may rest on it.
fn open_theorem(file: &PoFile, model: &Model) -> Option<String> {
    let theorem = |k| matches!(k, Kind::Thm | Kind::InvThm | Kind::AxmThm | Kind::Assertion);
    file.obligations
        .iter()
        .filter(|o| o.component == model.name && theorem(o.kind))
        .find(|o| !matches!(o.status, Status::Discharged | Status::Trivial) || o.stale)
        .map(|o| o.id.clone())
}

fn find_event(o: &Obligation, model: &Model) -> Result<Option<usize>, String> {
    match o.event.as_deref() {
        None if o.kind == Kind::InvEst => Ok(None),
        None => Err("it names no event".into()),
        Some(digest::INITIALISATION) => Ok(None),
        Some(name) => match model.events.iter().position(|e| e.name == name) {
            Some(e) => Ok(Some(e)),
            None => Err(format!("{} has no operation `{name}`", model.name)),
        },
    }
}

enum Found {
    /// Conjuncts with the same text.
    At(Vec<usize>),
    Nowhere(String),
    Ambiguous(String),
}

/// By label, else by position if the text there agrees, else by text.
fn find_target(o: &Obligation, model: &Model, texts: &mut Texts) -> Found {
    let Some(target) = &o.target else { return Found::Nowhere("it names no invariant".into()) };
    let named = target.label.as_deref().or(target.key.as_deref().filter(|k| !k.starts_with('#')));
    if let Some(label) = named {
        let all: Vec<usize> = (0..model.invariant.len())
            .filter(|&i| model.invariant[i].label.as_deref() == Some(label))
            .collect();
        match all.as_slice() {
            [] => {}
            [one] => return Found::At(vec![*one]),
            several => {
                let mut agreeing =
                    several.iter().filter(|&&i| texts.agree(target, model, i) == Agreement::Yes);
                return match (agreeing.next(), agreeing.next()) {
                    (Some(&i), None) => Found::At(vec![i]),
                    _ => Found::Ambiguous(format!("{} conjuncts have the label `{label}`", several.len())),
                };
            }
        }
    }
    let position = target
        .key
        .as_deref()
        .and_then(|k| k.strip_prefix('#'))
        .and_then(|k| k.parse().ok())
        .or(target.index)
        .filter(|&i: &usize| i < model.invariant.len());
    let same = texts.everywhere(target, model);
    if !same.is_empty() {
        // The position decides between conjuncts of the same text, which makes no difference.
        return Found::At(same);
    }
    match position {
        // Without label and text the position is all there is; freshness says whether it is enough.
        Some(i) if named.is_none() => Found::At(vec![i]),
        _ => Found::Nowhere(match (named, &target.text) {
            (Some(label), _) => format!("no conjunct has the label `{label}`"),
            (None, Some(text)) => format!("no conjunct is `{text}`"),
            (None, None) => "no conjunct has this position".into(),
        }),
    }
}

/// Whether an entry's status counts, or why not.
fn counts(
    o: &Obligation,
    model: &Model,
    event: Option<usize>,
    index: usize,
    options: &ImportOptions,
) -> Result<(), String> {
    match o.status {
        Status::Discharged => {}
        Status::Reviewed if options.trust_reviewed => {}
        Status::Reviewed => return Err("it is only reviewed (`--trust-reviewed` counts it)".into()),
        Status::Trivial => frame_agrees(model, event, &model.invariant[index].pred)?,
        other => return Err(format!("its status is {}", other.word())),
    }
    match o.parts {
        Some(p) if p.proved < p.total => {
            Err(format!("only {} of its {} parts are proved", p.proved, p.total))
        }
        _ => Ok(()),
    }
}

/// Whether the event changes nothing that the conjunct speaks of, or what it changes.
pub fn frame_agrees(model: &Model, event: Option<usize>, p: &Pred) -> Result<(), String> {
    let Some(event) = event else {
        return Err("it is called trivial, and the initialisation has no state before it".into());
    };
    let event = &model.events[event];
    let read = Names::of_pred(p).variables;
    let written = Names::of_subst(&event.body).written;
    match read.intersection(&written).next() {
        None => Ok(()),
        Some(v) => {
            let name = &model.variables[v.index()].name;
            Err(format!("it is called trivial, but {} writes {name}", event.name))
        }
    }
}

fn level(o: &Obligation, file: &PoFile) -> Level {
    let id = o.source.status.as_ref().or(o.source.obligation.as_ref());
    let source = id.and_then(|id| file.sources.iter().find(|s| s.id == *id));
    match source.and_then(|s| s.trust) {
        Some(Trust::Tool) => Level::Tool,
        Some(Trust::Exporter) => Level::Exporter,
        Some(Trust::Claim) | None => Level::Claim,
    }
}

/// Hashes of texts in the file, read as predicates of the model.
pub(super) struct Texts {
    model: Model,
    hashes: HashMap<String, Option<String>>,
}

impl Texts {
    pub(super) fn new(model: &Model) -> Texts {
        Texts { model: model.clone(), hashes: HashMap::new() }
    }

    /// Hash of a text, if it is a predicate of the model.
    pub(super) fn hash(&mut self, text: &str) -> Option<String> {
        if let Some(known) = self.hashes.get(text) {
            return known.clone();
        }
        let p = check_predicate(&mut self.model, text).ok();
        let hash = p.map(|p| digest::predicate(&self.model, &p));
        self.hashes.insert(text.to_string(), hash.clone());
        hash
    }

    /// Conjuncts that are what the target says.
    fn everywhere(&mut self, target: &Target, model: &Model) -> Vec<usize> {
        let all = || 0..model.invariant.len();
        let hash_of = |i: usize| digest::predicate(model, &model.invariant[i].pred);
        if let Some(hash) = &target.hash {
            let found: Vec<usize> = all().filter(|&i| hash_of(i) == *hash).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let Some(text) = &target.text else { return vec![] };
        let found: Vec<usize> = all().filter(|&i| fold(&model.invariant[i].text) == fold(text)).collect();
        if !found.is_empty() {
            return found;
        }
        match self.hash(text) {
            Some(hash) => all().filter(|&i| hash_of(i) == hash).collect(),
            None => vec![],
        }
    }
}
