//! Rodin: `.bpo` has the obligations, `.bps` their status, `.bum` and `.buc` the labels.
//!
//! Proven means: confidence above 500, and not broken. A status is stale if its stamp is not that of the obligation, if
//! the static checker left something out, or if the proved formulas differ from the user's files.

mod current;
mod handle;
mod provers;
mod unchecked;

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::archive::{Archive, split};
use roxmltree::Node;

use self::current::Formulas;
use self::handle::Handle;
use self::provers::Provers;
use self::unchecked::{Labelled, Unchecked};
use super::builder::Builder;
use super::xml::{self, attribute, children};
use crate::digest::INITIALISATION;
use crate::error::PoError;
use crate::file::*;

/// Extensions of Rodin's files.
pub const EXTENSIONS: [&str; 7] = ["bum", "buc", "bcm", "bcc", "bpo", "bps", "bpr"];

/// Machines and contexts of a project by name.
type Project = BTreeMap<String, (String, Unchecked)>;

/// Returns the folders of the archive that hold a project.
pub fn projects(archive: &Archive) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in archive.names() {
        let (folder, _, extension) = split(name);
        if EXTENSIONS.contains(&extension) {
            found.insert(folder.to_string());
        }
    }
    found
}

/// Converts the project in a folder of the archive.
///
/// # Errors
/// A file cannot be read, or is not XML of its kind.
pub fn convert(out: &mut Builder<'_>, folder: &str) -> Result<(), PoError> {
    let mut project = Project::new();
    let mut stems = BTreeSet::new();
    for name in out.archive.names() {
        let (place, stem, extension) = split(name);
        if place != folder {
            continue;
        }
        match extension {
            "bum" | "buc" => {
                let is_context = extension == "buc";
                let kind = if is_context { SourceKind::Buc } else { SourceKind::Bum };
                let (id, text) = out.text(name, kind, Role::Model, Some(stem), Some(Trust::Tool))?;
                let unchecked = Unchecked::parse(&out.archive.place(name), &text, is_context)?;
                if project.insert(stem.into(), (id, unchecked)).is_some() {
                    out.warn(format!("there are a machine and a context with the name {stem}"));
                }
            }
            "bpo" | "bps" => {}
            _ => continue,
        }
        stems.insert(stem.to_string());
    }
    out.project = project_name(out, folder);
    for stem in &stems {
        if let Some((_, unchecked)) = project.get(stem) {
            out.components.push(component(stem, unchecked, out.sha256_of(&project[stem].0)));
        }
    }
    for stem in &stems {
        Reader::new(out, folder, stem, &project)?.read()?;
    }
    Ok(())
}

/// Returns the project name from `.project`, if there is one: the folder's name is often another one.
fn project_name(out: &mut Builder<'_>, folder: &str) -> Option<String> {
    let name = join(folder, ".project");
    let text = out.archive.contains(&name).then(|| out.archive.text(&name).ok()).flatten()?.text;
    let document = xml::parse(&out.archive.place(&name), &text).ok()?;
    let name = document.root_element().children().find(|n| n.has_tag_name("name"))?.text()?;
    Some(name.trim().to_string())
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

fn component(name: &str, unchecked: &Unchecked, hash: String) -> Component {
    let kind = match (unchecked.is_context, unchecked.abstractions.is_empty()) {
        (true, _) => ComponentKind::Context,
        (false, true) => ComponentKind::Machine,
        (false, false) => ComponentKind::Refinement,
    };
    let mut index = 0;
    let mut predicates = vec![];
    for p in &unchecked.predicates {
        predicates.push(NamedPredicate {
            key: p.label.clone(),
            label: Some(p.label.clone()),
            index: (!p.theorem).then_some(index),
            theorem: p.theorem,
            text: p.text.trim().into(),
            hash: None,
        });
        index += usize::from(!p.theorem);
    }
    let events = unchecked.events.iter().map(|e| NamedEvent {
        name: e.label.clone(),
        refines: abstract_events(e, unchecked),
        hash: None,
    });
    let (axioms, invariants) =
        if unchecked.is_context { (Some(predicates), vec![]) } else { (None, predicates) };
    Component {
        name: name.into(),
        kind,
        refines: unchecked.abstractions.first().filter(|_| !unchecked.is_context).cloned(),
        sees: if unchecked.is_context { unchecked.abstractions.clone() } else { unchecked.sees.clone() },
        model_hash: hash,
        declarations_hash: None,
        axioms,
        invariants,
        events: events.collect(),
    }
}

/// Returns the abstract events: the initialisation implicitly refines the abstract one.
fn abstract_events(event: &unchecked::Event, machine: &Unchecked) -> Vec<String> {
    if event.refines.is_empty() && event.label == INITIALISATION && !machine.abstractions.is_empty() {
        return vec![INITIALISATION.into()];
    }
    event.refines.clone()
}

/// Record of an obligation in `.bps`.
#[derive(Clone, Debug)]
struct Recorded {
    confidence: Option<i64>,
    stamp: Option<String>,
    manual: Option<bool>,
    context_dependent: Option<bool>,
    status: Status,
}

/// One component's obligations.
struct Reader<'a, 'b> {
    out: &'a mut Builder<'b>,
    folder: String,
    name: String,
    project: &'a Project,
    recorded: BTreeMap<String, Recorded>,
    status_source: Option<String>,
    provers: Provers,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(
        out: &'a mut Builder<'b>,
        folder: &str,
        name: &str,
        project: &'a Project,
    ) -> Result<Reader<'a, 'b>, PoError> {
        Ok(Reader {
            out,
            folder: folder.into(),
            name: name.into(),
            project,
            recorded: BTreeMap::new(),
            status_source: None,
            provers: Provers::new(),
        })
    }

    fn file(&self, extension: &str) -> Option<String> {
        let name = join(&self.folder, &format!("{}.{extension}", self.name));
        self.out.archive.contains(&name).then_some(name)
    }

    fn read(mut self) -> Result<(), PoError> {
        if !self.project.contains_key(&self.name) {
            self.out.warn(format!("there is no {0}.bum or {0}.buc, so its status says nothing", self.name));
        }
        self.read_status()?;
        self.read_provers();
        let Some(bpo) = self.file("bpo") else {
            if self.recorded.is_empty() {
                if self.status_source.is_none() {
                    self.out.warn(format!("there is no {0}.bpo, so no status of {0} is known", self.name));
                }
                return Ok(());
            }
            self.out.warn(format!(
                "there is no {0}.bpo beside {0}.bps, so nothing says what was proven",
                self.name
            ));
            return self.leftovers("there is no .bpo that says what was proven");
        };
        let (id, text) =
            self.out.text(&bpo, SourceKind::Bpo, Role::Obligations, Some(&self.name), Some(Trust::Tool))?;
        let place = self.out.archive.place(&bpo);
        let document = xml::parse(&place, &text)?;
        let root = xml::root(&place, &document, "poFile")?;
        if self.status_source.is_none() && children(root, "poSequent").next().is_some() {
            self.out.warn(format!("there is no {0}.bps, so no status of {0} is known", self.name));
        }
        let changed = self.changed(&document)?;
        if let Some(reason) = &changed {
            self.out.warn(format!("the proofs of {} are stale: {reason}", self.name));
        }
        for sequent in children(root, "poSequent") {
            let obligation = match sequent.attribute("name") {
                Some(name) => self.obligation(name, sequent, &id, changed.as_deref()),
                None => {
                    let at = xml::place_of(&place, sequent);
                    self.out.warn(format!("{at}: a `poSequent` without `name`; its status is not known"));
                    let mut lost = self.blank(&format!("?{}", xml::position(sequent).0));
                    lost.unmatched = Some("it has no name".into());
                    lost
                }
            };
            self.out.push(obligation);
        }
        self.leftovers("the .bpo has no such obligation any more")
    }

    fn read_status(&mut self) -> Result<(), PoError> {
        let Some(bps) = self.file("bps") else { return Ok(()) };
        let (id, text) =
            self.out.text(&bps, SourceKind::Bps, Role::Status, Some(&self.name), Some(Trust::Tool))?;
        let place = self.out.archive.place(&bps);
        let document = xml::parse(&place, &text)?;
        let root = xml::root(&place, &document, "psFile")?;
        self.status_source = Some(id);
        for node in children(root, "psStatus") {
            let at = || xml::place_of(&place, node);
            let recorded = recorded(node).unwrap_or_else(|message| {
                self.out.warn(format!("{}: {message}; it counts as unknown", at()));
                let stamp = attribute(node, "poStamp").map(String::from);
                Recorded { status: Status::Unknown, stamp, ..blank_status() }
            });
            let name = node.attribute("name").map_or_else(
                || {
                    self.out.warn(format!("{}: a `psStatus` without `name`", at()));
                    format!("?{}", xml::position(node).0)
                },
                String::from,
            );
            if self.recorded.contains_key(&name) {
                self.out.warn(format!("{}: there are two statuses of `{name}`; they count as unknown", at()));
                self.recorded.insert(name, Recorded { status: Status::Unknown, ..blank_status() });
                continue;
            }
            self.recorded.insert(name, recorded);
        }
        Ok(())
    }

    /// Reads the provers where possible; a status without them is equally valid.
    fn read_provers(&mut self) {
        let Some(bpr) = self.file("bpr") else { return };
        let place = self.out.archive.place(&bpr);
        let read = self.out.archive.text(&bpr).map_err(PoError::from);
        match read.and_then(|decoded| provers::read(&place, &decoded.text)) {
            Ok(provers) => self.provers = provers,
            Err(error) => self.out.warn(format!("{error}; the provers of {} are not known", self.name)),
        }
    }

    /// Returns why the obligations do not belong to the present files.
    fn changed(&mut self, obligations: &roxmltree::Document<'_>) -> Result<Option<String>, PoError> {
        let formulas = Formulas::new(self.project.iter().map(|(n, (_, u))| (n.as_str(), u)));
        if let Some(reason) = formulas.changed(obligations) {
            return Ok(Some(reason));
        }
        let Some((_, unchecked)) = self.project.get(&self.name) else {
            return Ok(Some("its machine or context is gone".into()));
        };
        let Some(name) = self.file(if unchecked.is_context { "bcc" } else { "bcm" }) else { return Ok(None) };
        let place = self.out.archive.place(&name);
        let text = self.out.archive.text(&name)?.text;
        let document = current::checked(&place, &text, unchecked.is_context)?;
        Ok(formulas.changed(&document).or_else(|| Formulas::added(&self.name, unchecked, &document)))
    }

    fn blank(&self, name: &str) -> Obligation {
        Obligation::new(&self.name, name)
    }

    fn obligation(
        &mut self,
        name: &str,
        sequent: Node<'_, '_>,
        source: &str,
        changed: Option<&str>,
    ) -> Obligation {
        let mut o = self.blank(name);
        o.source.obligation = Some(source.into());
        o.source.desc = attribute(sequent, "poDesc").map(String::from);
        self.place_in_model(&mut o, name, sequent);
        let stamp = attribute(sequent, "poStamp");
        o.source.stamp = stamp.and_then(|s| s.parse().ok());
        match self.recorded.remove(name) {
            None => o.status = Status::Unattempted,
            Some(recorded) => {
                o.stale_reason = stale(&recorded, sequent, stamp).or(changed.map(String::from));
                o.stale = o.stale_reason.is_some();
                self.record(&mut o, name, recorded);
            }
        }
        o
    }

    fn record(&self, o: &mut Obligation, name: &str, recorded: Recorded) {
        o.status = recorded.status;
        o.confidence = recorded.confidence;
        o.manual = recorded.manual;
        o.context_dependent = recorded.context_dependent;
        o.source.status.clone_from(&self.status_source);
        if matches!(o.status, Status::Discharged | Status::Reviewed) {
            o.prover = match self.provers.get(name) {
                Some(provers) if !provers.is_empty() => provers.clone(),
                _ => vec!["rodin".into()],
            };
        }
    }

    /// Adds the statuses without an obligation.
    fn leftovers(mut self, why: &str) -> Result<(), PoError> {
        for (name, recorded) in std::mem::take(&mut self.recorded) {
            let mut o = self.blank(&name);
            o.kind = kind(&name, false);
            o.source.name = Some(name.clone());
            self.record(&mut o, &name, recorded);
            o.stale = true;
            o.stale_reason = Some(why.into());
            if let Some((event, invariant)) = self.by_name(&name) {
                o.kind = kind(&name, event == INITIALISATION);
                o.event = Some(event);
                o.target = self.target(&self.name, "invariant", &invariant);
                o.source.mapped_by = Some(MappedBy::Name);
            }
            self.out.push(o);
        }
        Ok(())
    }

    /// Sets kind, event and target of an obligation, from the elements that it names as its sources.
    fn place_in_model(&self, o: &mut Obligation, name: &str, sequent: Node<'_, '_>) {
        let sources: Vec<Handle> =
            children(sequent, "poSource").filter_map(|n| Handle::parse(attribute(n, "source")?)).collect();
        let own = |h: &Handle| h.component() == self.name;
        let event_of = |h: &Handle| {
            let (_, unchecked) = self.project.get(h.component())?;
            unchecked.label(&h.steps[..1]).map(String::from)
        };
        let concrete = sources.iter().rfind(|h| own(h) && h.event().is_some());
        o.event = concrete.and_then(event_of);
        o.abstract_event = sources.iter().find(|h| !own(h) && h.event().is_some()).and_then(event_of);
        let target = sources.iter().rev().find_map(|h| {
            let last = h.steps.last().filter(|s| s.kind != "event")?;
            let (_, unchecked) = self.project.get(h.component())?;
            let label = unchecked.label(&h.steps)?;
            self.target(h.component(), &last.kind, label)
        });
        o.target = target;
        o.source.mapped_by = Some(MappedBy::Handle);
        o.kind = kind(name, o.event.as_deref() == Some(INITIALISATION));
        if o.kind == Kind::Thm {
            o.kind = match o.target.as_ref().and_then(|t| t.role) {
                Some(TargetRole::Axiom) => Kind::AxmThm,
                Some(TargetRole::Invariant) => Kind::InvThm,
                _ => Kind::Thm,
            };
        }
        if !matches!(o.kind, Kind::Inv | Kind::InvEst) {
            return;
        }
        // Handles may hold obsolete internal names; then the name tells which pair it is.
        let label = o.target.as_ref().and_then(|t| t.label.as_deref());
        let agrees = o.event.as_deref().zip(label).is_some_and(|(e, i)| says(name, e, i));
        if agrees {
            return;
        }
        match self.by_name(name) {
            Some((event, invariant)) => {
                o.kind = kind(name, event == INITIALISATION);
                o.event = Some(event);
                o.target = self.target(&self.name, "invariant", &invariant);
                o.source.mapped_by = Some(MappedBy::Name);
            }
            None => {
                (o.event, o.target, o.source.mapped_by) = (None, None, None);
                o.unmatched = Some(format!(
                    "{} has no event and invariant whose labels make this name, and its sources are gone",
                    self.name
                ));
            }
        }
    }

    /// Returns the only event and invariant whose labels form a name.
    fn by_name(&self, name: &str) -> Option<(String, String)> {
        let (_, machine) = self.project.get(&self.name)?;
        let pairs = machine.events.iter().flat_map(|e| machine.predicates.iter().map(move |p| (e, p)));
        let mut found = pairs.filter(|(e, p)| says(name, &e.label, &p.label));
        let (event, invariant) = found.next()?;
        found.next().is_none().then(|| (event.label.clone(), invariant.label.clone()))
    }

    fn target(&self, owner: &str, kind: &str, label: &str) -> Option<Target> {
        let role = TargetRole::of_element(kind)?;
        let (_, unchecked) = self.project.get(owner)?;
        let predicate =
            unchecked.predicate(label).filter(|_| matches!(kind, "invariant" | "axiom" | "theorem"));
        let (index, text): (Option<usize>, Option<&Labelled>) =
            predicate.map_or((None, None), |(index, found)| (index, Some(found)));
        Some(Target {
            role: Some(role),
            key: Some(label.into()),
            label: Some(label.into()),
            index,
            owner: Some(owner.into()),
            text: text.map(|t| t.text.trim().into()),
            hash: None,
        })
    }
}

/// Returns whether an obligation of this event and invariant has this name. Labels may have white space at their ends.
fn says(name: &str, event: &str, invariant: &str) -> bool {
    let parts =
        || name.strip_suffix("/INV")?.trim_end().strip_suffix(invariant)?.trim_end().strip_suffix('/');
    parts().is_some_and(|found| found.trim() == event)
}

fn kind(name: &str, initialisation: bool) -> Kind {
    match name.rsplit('/').next().unwrap_or(name) {
        "INV" if initialisation => Kind::InvEst,
        "INV" => Kind::Inv,
        "THM" => Kind::Thm,
        "WD" => Kind::Wd,
        "GRD" => Kind::Grd,
        "MRG" => Kind::Mrg,
        "SIM" => Kind::Sim,
        "EQL" => Kind::Eql,
        "FIS" => Kind::Fis,
        "WFIS" => Kind::Wfis,
        "WWD" => Kind::Wwd,
        "VWD" => Kind::Vwd,
        "FIN" => Kind::Fin,
        "VAR" => Kind::Var,
        "NAT" => Kind::Nat,
        _ => Kind::Other,
    }
}

fn blank_status() -> Recorded {
    Recorded {
        confidence: None,
        stamp: None,
        manual: None,
        context_dependent: None,
        status: Status::Unattempted,
    }
}

/// Reads a `psStatus`.
fn recorded(node: Node<'_, '_>) -> Result<Recorded, String> {
    let boolean = |name: &str| match attribute(node, name) {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => Err(format!("`{name}` is `{other}`, expected `true` or `false`")),
    };
    let confidence = match attribute(node, "confidence") {
        None => None,
        Some(text) => {
            Some(text.trim().parse::<i64>().map_err(|_| format!("the confidence `{text}` is no number"))?)
        }
    };
    let status = match confidence {
        _ if boolean("psBroken")? == Some(true) => Status::Broken,
        None | Some(-99) => Status::Unattempted,
        Some(0) => Status::Pending,
        Some(1..=100) => Status::Uncertain,
        Some(101..=500) => Status::Reviewed,
        Some(501..=1000) => Status::Discharged,
        Some(other) => return Err(format!("the confidence {other} is not between 0 and 1000")),
    };
    Ok(Recorded {
        confidence,
        stamp: attribute(node, "poStamp").map(String::from),
        manual: boolean("psManual")?,
        context_dependent: boolean("contextDependent")?,
        status,
    })
}

/// Returns why a status is for another state of its obligation.
fn stale(recorded: &Recorded, sequent: Node<'_, '_>, stamp: Option<&str>) -> Option<String> {
    if attribute(sequent, "accurate") == Some("false") {
        return Some("Rodin left a part of the model out of the obligation".into());
    }
    let said = |s: Option<&str>| s.map_or("none".into(), |s| format!("`{s}`"));
    (recorded.stamp.as_deref() != stamp).then(|| {
        format!(
            "the obligation has changed since it was proven (stamp {}, proven for {})",
            said(stamp),
            said(recorded.stamp.as_deref())
        )
    })
}

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod tests;
