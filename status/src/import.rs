//! Import of proof status from a file: the pairs that count as proven for a model.
//!
//! An entry is used if it is about a pair (event, conjunct) of this machine, its status counts, it is fresh
//! ([`fresh`](super::fresh)), and no other entry about the same pair contradicts it. Every other entry is reported with
//! the reason.

mod answers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bsym_language::model::{EventId, Model};

use super::digest::INITIALISATION;
use super::error::PoError;
use super::file::{Kind, Obligation, PoFile, PoScope, Status, Trust};
use super::frame::{frame_agrees, without_obligation};
use super::fresh::Freshness;
use super::levels::{Hypotheses, Levels};
use super::matching::{Matched, Texts, find_event, find_target};
use super::own;
use super::sources::{Converted, convert_for};
use crate::proven::{Check, Level, Pair, PairStatus, ProofStatus};

/// Options for reading a file.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Counts `reviewed` as proven.
    pub trust_reviewed: bool,
    /// The scope of the run: status for other bounds or sizes is stale.
    pub scope: Option<PoScope>,
}

/// One entry of the file with the result of its import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name in the file.
    pub id: String,
    /// The kind of its obligation.
    pub kind: Kind,
    /// The pair that it was matched to.
    pub pair: Option<Pair>,
    /// The reason why it is not used; for a used entry, its basis.
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
    /// Entries proved for a text that the machine no longer has.
    pub stale: Vec<Entry>,
    /// Entries proved for a part that the machine does not have.
    pub unmatched: Vec<Entry>,
    /// Entries about the same pair that contradict one another, or with a label that is not unique.
    pub ambiguous: Vec<Entry>,
    /// Entries that are not proved, or not about a pair.
    pub ignored: Vec<Entry>,
    /// Used entries that are only reviewed.
    pub reviewed: usize,
    /// Pairs in `status` that need no obligation, by bsym's own check: the event writes nothing that the conjunct
    /// reads, or the conjunct says no more than a type.
    pub trivial: Vec<Pair>,
    /// The pairs that are not in `status`.
    pub open: Vec<Open>,
    /// The checks of steps and states that are not in `status`.
    pub open_checks: Vec<OpenCheck>,
    /// Further messages about the files.
    pub warnings: Vec<String>,
}

/// A pair that is not known to be proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// The pair.
    pub pair: Pair,
    /// Kind of the reason.
    pub kind: OpenKind,
    /// The reason.
    pub reason: String,
}

/// A check that is not known to be proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenCheck {
    /// The check.
    pub check: Check,
    /// Kind of the reason.
    pub kind: OpenKind,
    /// The reason.
    pub reason: String,
}

/// Reasons why a pair or a check is open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpenKind {
    /// Its obligation is not proved.
    Unproven,
    /// Its obligation is only reviewed.
    Reviewed,
    /// Its proof no longer fits its obligation.
    Broken,
    /// It was proven for another text.
    Stale,
    /// Entries contradict one another.
    Ambiguous,
    /// A theorem or a well-definedness condition that the proof rests on is open.
    Hypothesis,
    /// It is proven for the abstract event, and the refinement is not.
    Refinement,
    /// There is no entry about it.
    NoObligation,
}

impl OpenKind {
    /// Returns the reason as one word.
    pub fn word(self) -> &'static str {
        match self {
            OpenKind::Unproven => "unproven",
            OpenKind::Reviewed => "reviewed",
            OpenKind::Broken => "broken",
            OpenKind::Stale => "stale",
            OpenKind::Ambiguous => "ambiguous",
            OpenKind::Hypothesis => "open hypothesis",
            OpenKind::Refinement => "open refinement",
            OpenKind::NoObligation => "no obligation",
        }
    }
}

impl Import {
    /// Returns the number of used pairs by level.
    pub fn levels(&self) -> BTreeMap<Level, usize> {
        let mut levels = BTreeMap::new();
        for (_, s) in self.status.iter() {
            *levels.entry(s.level).or_default() += 1;
        }
        levels
    }
}

/// Reads the status in a file or folder of any known kind for a model: a `po.json`, a Rodin project, a
/// ProB package, the files of Atelier B.
///
/// # Errors
/// A file that cannot be read, is damaged, has no proof data, or is about another machine.
pub fn read_status(path: &Path, model: &Model, options: &ImportOptions) -> Result<Import, PoError> {
    let Converted { file, warnings } = convert_for(path, Path::new(""), model)?;
    Ok(Import { warnings, ..import(path, &file, model, options)? })
}

/// Returns the status that a file has for a model; the path is for messages.
///
/// # Errors
/// [`PoError::OtherMachine`]
pub fn import(path: &Path, file: &PoFile, model: &Model, options: &ImportOptions) -> Result<Import, PoError> {
    about_this_machine(path, file, model)?;
    own::against(file, model).map_err(|(json_path, message)| PoError::Inconsistent {
        path: path.to_path_buf(),
        json_path,
        message,
    })?;
    let mut texts = Texts::new(model).count(file);
    let freshness = Freshness::of(file, model, options.scope.as_ref(), &mut texts);
    let mut reader = Reader {
        file,
        model,
        options,
        freshness,
        texts,
        levels: Levels::new(file, &model.name),
        hypotheses: Hypotheses::new(file),
        out: Import { path: path.to_path_buf(), ..Import::default() },
        proved: vec![],
        against: BTreeMap::new(),
        reasons: BTreeMap::new(),
        others: vec![],
        about_pairs: false,
        matched: 0,
    };
    for o in &file.obligations {
        reader.entry(o);
    }
    // A status of exactly these files is about this machine, even if no entry fits.
    if reader.about_pairs && reader.matched == 0 && !reader.freshness.same_files {
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
    reader.settle();
    reader.inherit();
    reader.answer_checks();
    Ok(reader.finish())
}

/// An entry that counts, unless another one contradicts it.
struct Proved<'a> {
    obligation: &'a Obligation,
    /// The level of the component that it belongs to; 0 is the model itself.
    level: usize,
    conjuncts: Vec<usize>,
}

struct Reader<'a> {
    file: &'a PoFile,
    model: &'a Model,
    options: &'a ImportOptions,
    freshness: Freshness,
    texts: Texts,
    levels: Levels<'a>,
    hypotheses: Hypotheses<'a>,
    out: Import,
    proved: Vec<Proved<'a>>,
    /// Reasons of entries against an event of a component and a conjunct.
    against: BTreeMap<(usize, Option<&'a str>, usize), String>,
    /// Reasons why pairs are not proven.
    reasons: BTreeMap<Pair, (OpenKind, String)>,
    /// Obligations that make no pair.
    others: Vec<&'a Obligation>,
    about_pairs: bool,
    matched: usize,
}

impl<'a> Reader<'a> {
    fn entry(&mut self, o: &'a Obligation) {
        let model = self.model;
        let unused = |reason: String| Entry { id: o.id.clone(), kind: o.kind, pair: None, reason };
        if let Some(reason) = &o.unmatched {
            self.out.unmatched.push(unused(reason.clone()));
            return;
        }
        let level = self.levels.of(&o.component);
        if level.is_none() && !self.model.text.components.iter().any(|c| c.name == o.component) {
            self.out.ignored.push(unused(format!("it is about {}", o.component)));
            return;
        }
        let (Some(level), Kind::Inv | Kind::InvEst) = (level, o.kind) else {
            self.others.push(o);
            return;
        };
        self.about_pairs |= level == 0;
        let known = if level == 0 { find_event(o, model).map(|_| ()) } else { self.levels.knows(level, o) };
        if let Err(reason) = known {
            self.out.unmatched.push(unused(reason));
            return;
        }
        let conjuncts = match find_target(o, model, &mut self.texts) {
            Matched::At(conjuncts) => conjuncts,
            Matched::Nowhere(reason) => {
                self.out.unmatched.push(unused(reason));
                return;
            }
            Matched::Ambiguous(reason) => {
                self.out.ambiguous.push(unused(reason));
                return;
            }
        };
        self.matched += 1;
        if let Err((kind, reason)) = self.counts(o, level, &conjuncts) {
            for &i in &conjuncts {
                let reason = format!("`{}` is about the same pair, and {reason}", o.id);
                self.against.insert((level, event_name(o), i), reason);
            }
            self.note(o, level, &conjuncts, kind, &reason);
            let entry = Entry { pair: self.pair(o, level, &conjuncts), ..unused(reason) };
            match kind {
                OpenKind::Stale => self.out.stale.push(entry),
                _ => self.out.ignored.push(entry),
            }
            return;
        }
        self.proved.push(Proved { obligation: o, level, conjuncts });
    }

    /// Returns the pair of an entry, for the first event that it is about.
    fn pair(&self, o: &Obligation, level: usize, conjuncts: &[usize]) -> Option<Pair> {
        let event = self.levels.events_of(self.model, level, event_name(o)).first().copied()?;
        Some((event.map(|e| EventId(e as u32)), *conjuncts.first()?))
    }

    /// Notes why pairs are open.
    fn note(&mut self, o: &Obligation, level: usize, conjuncts: &[usize], kind: OpenKind, reason: &str) {
        for event in self.levels.events_of(self.model, level, event_name(o)) {
            for &i in conjuncts {
                let pair = (event.map(|e| EventId(e as u32)), i);
                self.reasons.entry(pair).or_insert((kind, format!("`{}`: {reason}", o.id)));
            }
        }
    }

    /// Checks that an entry's status counts. The error gives the reason.
    fn counts(&self, o: &Obligation, level: usize, conjuncts: &[usize]) -> Result<(), (OpenKind, String)> {
        match o.status {
            Status::Discharged => {}
            Status::Reviewed if self.options.trust_reviewed => {}
            Status::Reviewed => {
                let reason = "it is only reviewed (`--trust-reviewed` counts it)".into();
                return Err((OpenKind::Reviewed, reason));
            }
            Status::Trivial if level == 0 => {
                let event = find_event(o, self.model).ok().flatten();
                for &i in conjuncts.iter().take(1) {
                    frame_agrees(self.model, event, &self.model.invariant[i].pred)
                        .map_err(|reason| (OpenKind::Unproven, reason))?;
                }
            }
            Status::Broken => return Err((OpenKind::Broken, "its status is broken".into())),
            other => return Err((OpenKind::Unproven, format!("its status is {}", other.word()))),
        }
        match o.parts {
            Some(p) if p.proved < p.total => {
                Err((OpenKind::Unproven, format!("only {} of its {} parts are proved", p.proved, p.total)))
            }
            _ => Ok(()),
        }
    }

    /// Uses the entries of the model itself, unless another entry contradicts them.
    fn settle(&mut self) {
        let (own, inherited): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.proved).into_iter().partition(|p| p.level == 0);
        for p in own {
            let o = p.obligation;
            let event = find_event(o, self.model).ok().flatten();
            // It proves all conjuncts with the same text; one of them represents them.
            let Some(&index) = p.conjuncts.first() else { continue };
            let event_id = event.map(|e| EventId(e as u32));
            let entry = |reason: String| Entry {
                id: o.id.clone(),
                kind: o.kind,
                pair: Some((event_id, index)),
                reason,
            };
            if let Some(reason) = self.freshness.stale(o, self.model, event, index, &mut self.texts) {
                self.note(o, 0, &p.conjuncts, OpenKind::Stale, &reason);
                self.out.stale.push(entry(reason));
                continue;
            }
            let contradicted = p.conjuncts.iter().find_map(|&i| self.against.get(&(0, event_name(o), i)));
            if let Some(reason) = contradicted.cloned() {
                self.note(o, 0, &p.conjuncts, OpenKind::Ambiguous, &reason);
                self.out.ambiguous.push(entry(reason));
                continue;
            }
            if !is_ours(o)
                && let Some(reason) = self.hypotheses.open(o)
            {
                self.note(o, 0, &p.conjuncts, OpenKind::Hypothesis, &reason);
                self.out.ignored.push(entry(reason));
                continue;
            }
            let provers = provers(o);
            self.out.reviewed += usize::from(o.status == Status::Reviewed);
            self.out.used.push(entry(format!("{} by {}", o.status.word(), provers.join(", "))));
            let status = PairStatus { provers, level: level(o, self.file) };
            for &i in &p.conjuncts {
                self.insert((event_id, i), status.clone());
            }
        }
        self.proved = inherited;
    }

    fn insert(&mut self, pair: Pair, status: PairStatus) {
        if self.out.status.get(pair).is_none_or(|known| known.level < status.level) {
            self.out.status.insert(pair, status);
        }
    }

    /// Uses the entries of abstractions: they hold for the events whose refinement is proven.
    fn inherit(&mut self) {
        for p in std::mem::take(&mut self.proved) {
            let o = p.obligation;
            let name = event_name(o);
            let (mut pairs, mut open) = (vec![], None);
            for event in self.levels.events_of(self.model, p.level, name) {
                for &i in &p.conjuncts {
                    match self.inherited(o, p.level, event, i) {
                        Ok(status) => pairs.push(((event.map(|e| EventId(e as u32)), i), status)),
                        Err((kind, reason)) => {
                            let pair = (event.map(|e| EventId(e as u32)), i);
                            let said = format!("`{}`: {reason}", o.id);
                            self.reasons.entry(pair).or_insert((kind, said));
                            open = Some((kind, reason));
                        }
                    }
                }
            }
            let pair = pairs.first().map(|p| p.0).or_else(|| self.pair(o, p.level, &p.conjuncts));
            let entry = |reason: String| Entry { id: o.id.clone(), kind: o.kind, pair, reason };
            match (pairs.is_empty(), open) {
                (false, _) => {
                    self.out.reviewed += usize::from(o.status == Status::Reviewed);
                    self.out.used.push(entry(format!("{} by {}", o.status.word(), provers(o).join(", "))));
                }
                (true, Some((OpenKind::Stale, reason))) => self.out.stale.push(entry(reason)),
                (true, Some((_, reason))) => self.out.ignored.push(entry(reason)),
                (true, None) => {
                    let reason = format!("no event of {} refines {}", self.model.name, name.unwrap_or("it"));
                    self.out.ignored.push(entry(reason));
                }
            }
            for (pair, status) in pairs {
                self.insert(pair, status);
            }
        }
    }

    /// Checks that a proof for an abstract event carries over to an event of the model. The error gives the reason.
    fn inherited(
        &mut self,
        o: &'a Obligation,
        level_of: usize,
        event: Option<usize>,
        index: usize,
    ) -> Result<PairStatus, (OpenKind, String)> {
        if let Some(reason) = self.freshness.stale(o, self.model, event, index, &mut self.texts) {
            return Err((OpenKind::Stale, reason));
        }
        let start = event.map_or(INITIALISATION, |e| self.model.events[e].name.as_str());
        let way = self.levels.way(start, level_of);
        // For merged events, the conjunct must be proven for each of them.
        let own = event_name(o).unwrap_or(INITIALISATION);
        for other in way.last().into_iter().flatten().filter(|e| **e != own) {
            let reason = format!("{start} refines {other} as well, which is not known to preserve it");
            let also = self.file.obligations.iter().any(|p| {
                p.component == o.component
                    && event_name(p).unwrap_or(INITIALISATION) == *other
                    && p.target.as_ref().and_then(|t| t.key.as_ref())
                        == o.target.as_ref().and_then(|t| t.key.as_ref())
                    && matches!(p.kind, Kind::Inv | Kind::InvEst)
                    && !p.stale
                    && self.counts(p, level_of, &[index]).is_ok()
            });
            if !also {
                return Err((OpenKind::Refinement, reason));
            }
        }
        if let Some(reason) = self.against.get(&(level_of, event_name(o), index)) {
            return Err((OpenKind::Ambiguous, reason.clone()));
        }
        if let Some(reason) = self.hypotheses.open(o) {
            return Err((OpenKind::Hypothesis, reason));
        }
        let mut status = PairStatus { provers: provers(o), level: level(o, self.file) };
        for (component, events) in self.levels.names.iter().zip(&way).take(level_of) {
            for refinement in self.file.obligations.iter().filter(|p| {
                p.component == *component
                    && matches!(p.kind, Kind::Grd | Kind::Mrg | Kind::Sim | Kind::Eql | Kind::Wfis)
                    && events.contains(&p.event.as_deref().unwrap_or_default())
            }) {
                if refinement.stale {
                    return Err((OpenKind::Stale, format!("`{}` is stale", refinement.id)));
                }
                self.counts(refinement, level_of, &[]).map_err(|(_, reason)| {
                    (OpenKind::Refinement, format!("`{}` is needed as well, and {reason}", refinement.id))
                })?;
                if let Some(reason) = self.hypotheses.open(refinement) {
                    return Err((OpenKind::Hypothesis, reason));
                }
                status.provers.extend(provers(refinement));
                status.level = status.level.min(level(refinement, self.file));
            }
        }
        status.provers.sort();
        status.provers.dedup();
        Ok(status)
    }

    /// Adds the pairs that need no obligation, and the reasons of those that are open.
    fn finish(mut self) -> Import {
        let events = std::iter::once(None).chain((0..self.model.events.len()).map(Some));
        for event in events {
            for (i, conjunct) in self.model.invariant.iter().enumerate() {
                let pair = (event.map(|e| EventId(e as u32)), i);
                if self.out.status.get(pair).is_some() {
                    continue;
                }
                let prover = match without_obligation(self.model, event, &conjunct.pred) {
                    Some(prover) => prover,
                    None => {
                        let (kind, reason) = self.reasons.remove(&pair).unwrap_or_else(|| {
                            (OpenKind::NoObligation, "there is no obligation about it".into())
                        });
                        self.out.open.push(Open { pair, kind, reason });
                        continue;
                    }
                };
                self.out.trivial.push(pair);
                let status = PairStatus { provers: vec![prover.into()], level: Level::Checked };
                self.out.status.insert(pair, status);
            }
        }
        self.out
    }
}

fn event_name(o: &Obligation) -> Option<&str> {
    o.event.as_deref().filter(|e| *e != INITIALISATION)
}

fn is_ours(o: &Obligation) -> bool {
    !o.prover.is_empty() && o.prover.iter().all(|p| p.starts_with("bsym:"))
}

fn provers(o: &Obligation) -> Vec<String> {
    if o.prover.is_empty() { vec!["unnamed".into()] } else { o.prover.clone() }
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
    model.text.sources.iter().next().map_or_else(|| model.name.clone(), |(_, s)| s.path.display().to_string())
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
