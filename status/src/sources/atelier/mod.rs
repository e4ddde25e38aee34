//! Atelier B: `.pog` has the obligations, `.pos` (or the older `.pmi`) their status, `.bxml` the places of the
//! conjuncts, and `.dep` the text that all this is about.
//!
//! One conjunct may be split into several goals, so an obligation here has parts. A goal that points at no single
//! conjunct counts for every conjunct of its operation.

mod goals;
mod theory;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bsym_language::archive::{Archive, split};
use bsym_language::observed;
use md5::{Digest, Md5};

use self::goals::{Goal, Invariant};
use super::builder::Builder;
use crate::digest::{INITIALISATION, sha256};
use crate::error::PoError;
use crate::file::*;

/// Extensions of Atelier B's files with data about proofs.
pub const EXTENSIONS: [&str; 4] = ["pog", "pos", "pmi", "po"];
/// Extensions of machines.
const MACHINES: [&str; 4] = ["mch", "ref", "imp", "sys"];

/// Returns the folder and name of every component with obligations.
pub fn components(archive: &Archive) -> Vec<(String, String)> {
    let mut found = BTreeSet::new();
    for name in archive.names() {
        let (folder, stem, extension) = split(name);
        if matches!(extension, "pog" | "pmi") {
            found.insert((folder.to_string(), stem.to_string()));
        }
    }
    found.into_iter().collect()
}

/// Returns the machine that a file of Atelier B is about: in the same folder, or in the folder for sources.
pub fn machine_of(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?;
    let folder = path.parent()?;
    let above = folder.join("..");
    let folders = [folder.to_owned(), above.join("src"), above.clone(), above.join("spec")];
    let mut all = folders.iter().flat_map(|f| MACHINES.map(|e| f.join(stem).with_added(e)));
    all.find(|p| {
        observed::looked_at(p);
        p.is_file()
    })
}

trait WithAdded {
    fn with_added(self, extension: &str) -> PathBuf;
}

impl WithAdded for PathBuf {
    fn with_added(self, extension: &str) -> PathBuf {
        let mut name = self.into_os_string();
        name.push(".");
        name.push(extension);
        name.into()
    }
}

/// Converts all files of a component.
///
/// # Errors
/// A file cannot be read, or is not one of Atelier B's.
pub fn convert(out: &mut Builder<'_>, folder: &str, stem: &str) -> Result<(), PoError> {
    let file = |extension: &str| {
        let name = if folder.is_empty() {
            format!("{stem}.{extension}")
        } else {
            format!("{folder}/{stem}.{extension}")
        };
        out.archive.contains(&name).then_some(name)
    };
    let (pog, pos, pmi, po) = (file("pog"), file("pos"), file("pmi"), file("po"));
    let (bxml, dep, pmm) = (file("bxml"), file("dep"), file("pmm"));
    // Obligations of well-definedness are in a component of their own.
    let component = stem.strip_suffix("_wd").unwrap_or(stem).to_string();
    let invariant = match bxml {
        Some(name) => {
            let (_, text) =
                out.text(&name, SourceKind::Bxml, Role::Obligations, Some(&component), Some(Trust::Tool))?;
            Some(goals::invariant(&out.archive.place(&name), &text)?)
        }
        None => None,
    };
    let freshness = Freshness::of(out, folder, &component, dep.as_deref())?;
    let trust = if freshness.unknown { Trust::Claim } else { Trust::Tool };
    let (obligations_from, mut goals, whole) = match (&pog, &po, &pmi) {
        (Some(name), ..) => {
            let (id, text) =
                out.text(name, SourceKind::Pog, Role::Obligations, Some(&component), Some(trust))?;
            (Some(id), goals::read(&out.archive.place(name), &text, &component, invariant.as_ref())?, true)
        }
        (None, Some(name), Some(_)) => {
            let (id, text) =
                out.text(name, SourceKind::Po, Role::Obligations, Some(&component), Some(trust))?;
            (Some(id), theory::obligations(&out.archive.place(name), &text)?, false)
        }
        _ => {
            return Err(PoError::NoStatus {
                path: out.archive.path().to_owned(),
                message: format!("there is no {stem}.pog, so nothing says what was proven"),
                help: "generate the obligations with Atelier B and give the folder with all its files".into(),
            });
        }
    };
    let mut status_from = None;
    let mut stale = freshness.stale.clone();
    if let Some(name) = &pos {
        let (id, text) = out.text(name, SourceKind::Pos, Role::Status, Some(&component), Some(trust))?;
        status_from = Some(id);
        if let Err(reason) = goals::record(&out.archive.place(name), &text, &mut goals)? {
            stale.get_or_insert(reason);
        }
    } else if let Some(name) = &pmi {
        let (id, text) = out.text(name, SourceKind::Pmi, Role::Status, Some(&component), Some(trust))?;
        status_from = Some(id);
        if let Err(reason) = theory::record(&out.archive.place(name), &text, &mut goals, pog.is_some())? {
            stale.get_or_insert(reason);
        }
    } else if goals.iter().all(|g| g.status == Status::Unattempted) && !goals.is_empty() {
        out.warn(format!("there is no {stem}.pos or {stem}.pmi, so no status of {stem} is known"));
    }
    if let Some(name) = pmm {
        let rules = theory::has_user_rules(&out.archive.text(&name)?.text);
        for goal in goals.iter_mut().filter(|g| rules && g.manual == Some(true)) {
            goal.provers.push("atelierb:user-rules".into());
        }
    }
    if let Some(reason) = &stale {
        out.warn(format!("the proofs of {stem} are stale: {reason}"));
    }
    let pairs =
        Pairs { component: &component, invariant: invariant.as_ref(), whole, stale: stale.as_deref() };
    for mut o in pairs.obligations(&goals, stem) {
        o.source.obligation.clone_from(&obligations_from);
        o.source.status.clone_from(&status_from.clone().or(obligations_from.clone()));
        out.push(o);
    }
    if !out.components.iter().any(|c| c.name == component) {
        out.components.push(blank_component(&component, invariant.as_ref(), &freshness));
    }
    Ok(())
}

fn blank_component(name: &str, invariant: Option<&Invariant>, freshness: &Freshness) -> Component {
    let conjuncts = (0..invariant.map_or(0, |i| i.conjuncts)).map(|i| NamedPredicate {
        key: format!("#{i}"),
        label: None,
        index: Some(i),
        theorem: false,
        text: String::new(),
        hash: None,
    });
    Component {
        name: name.into(),
        kind: freshness.kind,
        refines: None,
        sees: vec![],
        model_hash: sha256(format!("{:?}", freshness.machine).as_bytes()),
        declarations_hash: None,
        axioms: None,
        invariants: conjuncts.collect(),
        events: vec![],
    }
}

/// Text that the obligations are about.
struct Freshness {
    machine: Option<PathBuf>,
    kind: ComponentKind,
    /// The reason why they are about another text.
    stale: Option<String>,
    /// `true` if no file tells which text.
    unknown: bool,
}

impl Freshness {
    fn of(
        out: &mut Builder<'_>,
        folder: &str,
        component: &str,
        dep: Option<&str>,
    ) -> Result<Freshness, PoError> {
        let mut fresh =
            Freshness { machine: None, kind: ComponentKind::Machine, stale: None, unknown: dep.is_none() };
        let mut todo = vec![(component.to_string(), dep.map(String::from))];
        let mut done = BTreeSet::new();
        while let Some((name, dep)) = todo.pop() {
            if !done.insert(name.clone()) {
                continue;
            }
            let Some((place, bytes)) = machine_bytes(out, folder, &name)? else {
                if name == component {
                    out.warn(format!("the machine {name} is not beside its proofs"));
                    fresh.unknown = true;
                }
                continue;
            };
            let (kind, part) = kind_of(&place);
            let recorded = match dep {
                Some(dep) => Some((dep.clone(), out.archive.text(&dep)?.text)),
                None if name == component => None,
                None => dep_of(&place, &name)?,
            };
            let Some((dep, text)) = recorded else {
                if name != component {
                    out.warn(format!(
                        "there is no {name}.dep that says with which text of {name} the proofs of {component} were made"
                    ));
                } else {
                    out.warn(format!(
                        "there is no {name}.dep that says which text was proved; the proofs count as claims about \
                         the text that is there now"
                    ));
                    (fresh.machine, fresh.kind) = (Some(place.clone()), part);
                    out.model_file(&place, kind, sha256(&bytes), &name, Trust::Claim);
                }
                continue;
            };
            let proven = text.lines().next().and_then(|l| l.trim().strip_prefix("file:")).map(str::trim);
            let now: String = Md5::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
            if proven.is_some_and(|p| p.eq_ignore_ascii_case(&now)) {
                out.model_file(&place, kind, sha256(&bytes), &name, Trust::Tool);
            } else {
                let reason = match proven {
                    Some(_) => format!("{name} has changed since its obligations were generated"),
                    None => format!("{dep} does not begin with `file:` and an MD5"),
                };
                fresh.stale.get_or_insert(reason);
            }
            if name == component {
                (fresh.machine, fresh.kind) = (Some(place), part);
            }
            for other in text.lines().skip(1).filter_map(|l| l.split_once(':')).map(|(_, n)| n.trim()) {
                let dep = join(folder, &format!("{other}.dep"));
                let dep = out.archive.contains(&dep).then_some(dep);
                todo.push((other.to_string(), dep));
            }
        }
        Ok(fresh)
    }
}

/// Returns the kind of a machine by the ending of its file.
fn kind_of(machine: &Path) -> (SourceKind, ComponentKind) {
    match extension(machine).as_str() {
        "ref" => (SourceKind::Ref, ComponentKind::Refinement),
        "imp" => (SourceKind::Imp, ComponentKind::Implementation),
        "sys" => (SourceKind::Sys, ComponentKind::Machine),
        _ => (SourceKind::Mch, ComponentKind::Machine),
    }
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

/// Returns the record of the text that was proved of a machine in another folder: beside it, or in the database of its
/// project.
fn dep_of(machine: &Path, name: &str) -> Result<Option<(String, String)>, PoError> {
    let folder = machine.parent().unwrap_or(Path::new(""));
    for place in [folder.to_owned(), folder.join("bdp"), folder.join("..").join("bdp")] {
        let path = place.join(format!("{name}.dep"));
        observed::looked_at(&path);
        if path.is_file() {
            return Ok(Some((
                path.display().to_string(),
                String::from_utf8_lossy(&bytes_of(&path)?).into_owned(),
            )));
        }
    }
    Ok(None)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, PoError> {
    let read = std::fs::read(path);
    observed::read(path, read.as_deref().ok());
    read.map_err(|source| PoError::Read { path: path.to_owned(), source })
}

/// Returns a machine's place and bytes: the file that the machine in question is read from, else a file in the archive or
/// around the folder.
fn machine_bytes(out: &Builder<'_>, folder: &str, name: &str) -> Result<Option<(PathBuf, Vec<u8>)>, PoError> {
    let of_b = |path: &&Path| MACHINES.contains(&extension(path).as_str());
    if let Some(path) = out.machine_file(name).filter(of_b) {
        return Ok(Some((path.to_owned(), bytes_of(path)?)));
    }
    let mut found: Vec<&str> = out
        .archive
        .names()
        .into_iter()
        .filter(|n| {
            let (_, stem, extension) = split(n);
            stem == name && MACHINES.contains(&extension.to_ascii_lowercase().as_str())
        })
        .collect();
    found.sort_by_key(|n| split(n).0 != folder);
    if let Some(name) = found.first() {
        return Ok(Some((out.archive.place(name), out.archive.read(name)?)));
    }
    if out.archive.is_zip() {
        return Ok(None);
    }
    let Some(path) = machine_of(&out.archive.path().join(folder).join(format!("{name}.pog"))) else {
        return Ok(None);
    };
    let bytes = bytes_of(&path)?;
    Ok(Some((path, bytes)))
}

/// Conversion of goals to obligations about pairs.
struct Pairs<'a> {
    component: &'a str,
    invariant: Option<&'a Invariant>,
    /// `true` if the missing goals were too simple to be written.
    whole: bool,
    stale: Option<&'a str>,
}

impl Pairs<'_> {
    fn obligations(&self, goals: &[Goal], stem: &str) -> Vec<Obligation> {
        let mut out = vec![];
        // Goals of an operation by conjunct, and those without one.
        let mut events: BTreeMap<&str, BTreeMap<Option<usize>, Vec<&Goal>>> = BTreeMap::new();
        for goal in goals {
            match &goal.event {
                Some(event) if goal.kind == Kind::Inv => {
                    events.entry(event).or_default().entry(goal.conjunct).or_default().push(goal);
                }
                _ => out.push(self.single(goal, stem)),
            }
        }
        let operations = self.invariant.map(|i| i.operations.clone()).unwrap_or_default();
        for operation in &operations {
            events.entry(operation).or_default();
        }
        for (event, by_conjunct) in events {
            let loose = by_conjunct.get(&None).cloned().unwrap_or_default();
            for goal in &loose {
                let mut o = self.single(goal, stem);
                o.unmatched = Some(
                    "its goal points at no single conjunct, so it counts for all conjuncts of its operation"
                        .into(),
                );
                out.push(o);
            }
            let conjuncts: BTreeSet<usize> = match self.invariant {
                Some(invariant) => (0..invariant.conjuncts).collect(),
                None => by_conjunct.keys().flatten().copied().collect(),
            };
            for conjunct in conjuncts {
                let own = by_conjunct.get(&Some(conjunct)).cloned().unwrap_or_default();
                let parts: Vec<&Goal> = own.iter().chain(&loose).copied().collect();
                if !parts.is_empty() || self.whole {
                    out.push(self.pair(event, conjunct, &parts));
                }
            }
            if self.invariant.is_none() && !loose.is_empty() {
                out.push(self.operation(event, &loose));
            }
        }
        out
    }

    fn single(&self, goal: &Goal, stem: &str) -> Obligation {
        let group = goal.group.as_str();
        let mut o = Obligation::new(self.component, &format!("{group}#{}", goal.number));
        if stem != self.component {
            o.id = format!("{stem}/{group}#{}", goal.number);
        }
        o.kind = goal.kind;
        o.event.clone_from(&goal.event);
        o.source.desc = Some(goal.tag.clone());
        self.record(&mut o, &[goal]);
        o
    }

    fn pair(&self, event: &str, conjunct: usize, goals: &[&Goal]) -> Obligation {
        let mut o = Obligation::new(self.component, &format!("{event}/#{conjunct}/INV"));
        o.kind = if event == INITIALISATION { Kind::InvEst } else { Kind::Inv };
        o.event = Some(event.into());
        o.target = Some(Target {
            role: Some(TargetRole::Invariant),
            key: Some(format!("#{conjunct}")),
            label: None,
            index: Some(conjunct),
            owner: Some(self.component.into()),
            text: None,
            hash: None,
        });
        o.source.mapped_by = Some(MappedBy::BxmlTag);
        self.record(&mut o, goals);
        o
    }

    /// Returns one obligation about all conjuncts, if the conjuncts of the goals are not known.
    fn operation(&self, event: &str, goals: &[&Goal]) -> Obligation {
        let mut o = Obligation::new(self.component, &format!("{event}/*/INV"));
        o.kind = if event == INITIALISATION { Kind::InvEst } else { Kind::Inv };
        o.event = Some(event.into());
        o.target = Some(Target {
            role: Some(TargetRole::Invariant),
            key: Some(super::super::matching::ALL.into()),
            label: None,
            index: None,
            owner: Some(self.component.into()),
            text: None,
            hash: None,
        });
        o.source.mapped_by = Some(MappedBy::Text);
        self.record(&mut o, goals);
        o
    }

    fn record(&self, o: &mut Obligation, goals: &[&Goal]) {
        let proved = goals.iter().filter(|g| g.status == Status::Discharged).count();
        o.parts = Some(Parts { total: goals.len() as u64, proved: proved as u64 });
        let open = goals.iter().find(|g| g.status != Status::Discharged);
        o.status = open.map_or(Status::Discharged, |g| g.status);
        let provers: BTreeSet<&String> = goals.iter().flat_map(|g| &g.provers).collect();
        o.prover = provers.into_iter().cloned().collect();
        if goals.is_empty() {
            // The generator omits goals that it finds to be true.
            o.prover = vec!["atelierb:generator".into()];
        }
        o.manual =
            goals.iter().find_map(|g| g.manual.filter(|m| *m)).or(goals.first().and_then(|g| g.manual));
        o.stale_reason = self.stale.map(String::from);
        o.stale = self.stale.is_some();
    }
}

#[cfg(test)]
mod tests;
