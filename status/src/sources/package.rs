//! ProB's packages, `.eventb`: facts about proofs that follow the model.
//!
//! `po(Machine, Description, [Source…], Status)` is the newer form; the concrete event is the last `event(…)`.
//! `discharged(Machine, Event, Invariant)` is the older form and records proven obligations only; its invariant is a
//! label or an internal name. Nothing in a package ties the facts to the text, so they are claims of the program that
//! wrote it.

use std::path::PathBuf;

use bsym_language::prolog::{self, Term, TermKind};
use bsym_language::source::{Source, SourceId, Sources};

use super::builder::Builder;
use crate::digest::INITIALISATION;
use crate::error::PoError;
use crate::file::*;

/// Functors of a package's information without data about proofs.
const OTHER_FACTS: [&str; 5] = ["wp", "nonchanging_guard", "invariant", "theory", "pragma"];

/// A machine or context of the package, as far as it is needed here.
#[derive(Debug, Default)]
struct Part {
    name: String,
    is_context: bool,
    abstractions: Vec<String>,
    sees: Vec<String>,
    predicates: Vec<Named>,
    events: Vec<(String, Vec<String>)>,
}

/// A predicate by its position term.
#[derive(Debug)]
struct Named {
    label: String,
    internal: String,
    theorem: bool,
}

/// Converts a package. The first machine is the main one.
///
/// # Errors
/// The file cannot be read, or is not a package.
pub fn convert(out: &mut Builder<'_>, name: &str) -> Result<Option<String>, PoError> {
    let (id, text) = out.text(name, SourceKind::Eventb, Role::Model, None, Some(Trust::Exporter))?;
    let place = out.archive.place(name);
    let mut sources = Sources::default();
    let source = sources.add(Source::new(&place, text));
    let text = &sources.get(source).text;
    let facts = prolog::read(text, source).map_err(|d| {
        let at = sources.get(source).position(d.span.start);
        PoError::Tool {
            path: place.clone(),
            line: at.line as usize,
            column: at.column as usize,
            message: d.message.clone(),
            help: "the file is cut off or damaged; export it again".into(),
        }
    })?;
    let package = facts.iter().find_map(|t| t.arguments("package", 1)).map(|a| &a[0]);
    let project = package.and_then(Term::parts).filter(|(f, _)| *f == "load_event_b_project");
    let Some((_, [machines, contexts, rest @ ..])) = project else {
        return Err(PoError::NoStatus {
            path: place,
            message: "there is no `package(load_event_b_project(…))` in it".into(),
            help: "give a package that ProB's plug-in for Rodin exported".into(),
        });
    };
    let mut reader = Reader { out, id, place, sources: &sources, parts: vec![] };
    reader.parts(machines, contexts);
    let main = reader.parts.first().map(|p| p.name.clone());
    // The last argument is a variable for errors; an old package has nothing else.
    if let [information, _] = rest {
        reader.information(information);
    }
    reader.components();
    Ok(main)
}

struct Reader<'a, 'b> {
    out: &'a mut Builder<'b>,
    id: String,
    place: PathBuf,
    sources: &'a Sources,
    parts: Vec<Part>,
}

impl Reader<'_, '_> {
    fn at(&self, term: &Term<'_>) -> String {
        let at = self.sources.get(SourceId(0)).position(term.span.start);
        format!("{}:{}:{}", self.place.display(), at.line, at.column)
    }

    fn parts(&mut self, machines: &Term<'_>, contexts: &Term<'_>) {
        for (list, functor) in [(machines, "event_b_model"), (contexts, "event_b_context")] {
            for term in list.list().unwrap_or_default() {
                match term.arguments(functor, 3).and_then(|a| Some((text(&a[1])?, a[2].list()?))) {
                    Some((name, sections)) => {
                        let mut part =
                            Part { name, is_context: functor == "event_b_context", ..Part::default() };
                        for section in sections {
                            part.section(section);
                        }
                        self.parts.push(part);
                    }
                    None => self.out.warn(format!(
                        "{}: expected `{functor}/3`, found {}; what it is about is not known",
                        self.at(term),
                        term.describe()
                    )),
                }
            }
        }
    }

    fn information(&mut self, information: &Term<'_>) {
        let Some(facts) = information.list() else {
            self.out.warn(format!(
                "{}: expected a list of facts, found {}; no status is known",
                self.at(information),
                information.describe()
            ));
            return;
        };
        let (mut any, mut older) = (false, false);
        for fact in facts {
            let read = match fact.parts() {
                Some(("exporter_version", [version])) => {
                    let version = text(version).unwrap_or_default();
                    self.out.exporter(&self.id, format!("exporter_version({version})"));
                    continue;
                }
                Some(("po", [component, description, sources, status])) => {
                    self.po(component, description, sources, status)
                }
                Some(("discharged", [component, rest @ ..])) if matches!(rest.len(), 1 | 2) => {
                    older = true;
                    self.discharged(component, rest)
                }
                Some((functor, _)) if OTHER_FACTS.contains(&functor) => continue,
                _ => None,
            };
            any = true;
            let obligation = read.unwrap_or_else(|| {
                self.out.warn(format!(
                    "{}: {} is no fact about proofs that is known here; it is not used",
                    self.at(fact),
                    fact.describe()
                ));
                let at = self.sources.get(SourceId(0)).position(fact.span.start);
                let mut lost = Obligation::new(&self.main(), &format!("?{}:{}", at.line, at.column));
                lost.source.desc = Some(fact.describe());
                lost.source.status = Some(self.id.clone());
                lost.unmatched = Some("it is no known fact".into());
                lost
            });
            self.out.push(obligation);
        }
        if !any {
            self.out
                .warn(format!("{}: there are no facts about proofs in this package", self.place.display()));
        }
        if older {
            self.silent_theorems();
        }
    }

    fn main(&self) -> String {
        self.parts.first().map(|p| p.name.clone()).unwrap_or_default()
    }

    fn po(
        &self,
        component: &Term<'_>,
        description: &Term<'_>,
        sources: &Term<'_>,
        status: &Term<'_>,
    ) -> Option<Obligation> {
        let (component, description) = (text(component)?, text(description)?);
        let status = match text(status)?.as_str() {
            "true" => Status::Discharged,
            // Open, tried without success, or never tried: the exporter does not distinguish them.
            "false" => Status::Pending,
            "reviewed" => Status::Reviewed,
            _ => return None,
        };
        let mut events = vec![];
        let mut elements = vec![];
        for source in sources.list()? {
            let (kind, [label]) = source.parts()? else { return None };
            let label = text(label)?;
            match kind {
                "event" => events.push(label),
                _ => elements.push((kind, label)),
            }
        }
        let concrete = events.last().cloned();
        let kind = kind(&description, concrete.as_deref() == Some(INITIALISATION));
        let mut parts: Vec<&str> = concrete.as_deref().into_iter().collect();
        parts.extend(elements.iter().map(|(_, l)| l.as_str()));
        let word = kind.word();
        let last = if kind == Kind::InvEst { "INV" } else { &word };
        parts.push(last);
        let mut o = Obligation::new(&component, &parts.join("/"));
        o.kind = kind;
        o.source.desc = Some(description);
        o.abstract_event = (events.len() > 1).then(|| events[0].clone());
        o.event = concrete;
        o.source.mapped_by = Some(MappedBy::LastEvent);
        match elements.last() {
            Some((element, label)) => o.target = self.target(&component, element, label),
            None if matches!(kind, Kind::Inv | Kind::InvEst) => {
                o.unmatched = Some("the fact names no invariant".into());
            }
            None => {}
        }
        if o.kind == Kind::Thm {
            o.kind = match o.target.as_ref().and_then(|t| t.role) {
                Some(TargetRole::Axiom) => Kind::AxmThm,
                Some(TargetRole::Invariant) => Kind::InvThm,
                _ => Kind::Thm,
            };
        }
        self.record(&mut o, status);
        Some(o)
    }

    fn record(&self, o: &mut Obligation, status: Status) {
        o.status = status;
        if matches!(status, Status::Discharged | Status::Reviewed) {
            o.prover = vec!["rodin".into()];
        }
        o.source.obligation = Some(self.id.clone());
        o.source.status = Some(self.id.clone());
    }

    fn discharged(&self, component: &Term<'_>, rest: &[Term<'_>]) -> Option<Obligation> {
        let component = text(component)?;
        let part = self.parts.iter().find(|p| p.name == component);
        if let [label] = rest {
            let label = text(label)?;
            let mut o = Obligation::new(&component, &format!("{label}/THM"));
            o.kind = if part.is_some_and(|p| p.is_context) { Kind::AxmThm } else { Kind::Thm };
            o.target = self.target(&component, "theorem", &label);
            self.record(&mut o, Status::Discharged);
            return Some(o);
        }
        let (event, invariant) = (text(&rest[0])?, text(&rest[1])?);
        let by_label = part.and_then(|p| p.predicates.iter().find(|n| n.label == invariant));
        let found = by_label.or_else(|| part?.predicates.iter().find(|n| n.internal == invariant));
        let label = found.map_or(invariant.as_str(), |n| n.label.as_str());
        let mut o = Obligation::new(&component, &format!("{event}/{label}/INV"));
        o.kind = if event == INITIALISATION { Kind::InvEst } else { Kind::Inv };
        o.event = Some(event);
        match found {
            Some(n) => {
                o.target = self.target(&component, "invariant", &n.label);
                let by = if by_label.is_some() { MappedBy::Label } else { MappedBy::InternalName };
                o.source.mapped_by = Some(by);
            }
            None => {
                o.unmatched =
                    Some(format!("{component} has no invariant with the label or name `{invariant}`"));
            }
        }
        self.record(&mut o, Status::Discharged);
        Some(o)
    }

    fn target(&self, component: &str, element: &str, label: &str) -> Option<Target> {
        let role = TargetRole::of_element(element)?;
        let part = self.parts.iter().find(|p| p.name == component);
        let own = part.into_iter().flat_map(|p| &p.predicates).filter(|n| !n.theorem);
        let index = match role {
            TargetRole::Invariant | TargetRole::Axiom => own.clone().position(|n| n.label == label),
            _ => None,
        };
        Some(Target {
            role: Some(role),
            key: Some(label.into()),
            label: Some(label.into()),
            index,
            owner: Some(component.into()),
            text: None,
            hash: None,
        })
    }

    /// Adds the theorems without a fact: in the older form they are not proven, and may be hypotheses.
    fn silent_theorems(&mut self) {
        let mut silent = vec![];
        for part in &self.parts {
            for theorem in part.predicates.iter().filter(|n| n.theorem) {
                let mut o = Obligation::new(&part.name, &format!("{}/THM", theorem.label));
                o.kind = if part.is_context { Kind::AxmThm } else { Kind::InvThm };
                o.target = self.target(&part.name, "theorem", &theorem.label);
                o.source.desc = Some("no fact says that this theorem is proven".into());
                silent.push(o);
            }
        }
        for o in silent {
            if !self.out.has(&o.id) {
                self.out.push(o);
            }
        }
    }

    fn components(&mut self) {
        let hash = self.out.sha256_of(&self.id);
        for part in std::mem::take(&mut self.parts) {
            let kind = match (part.is_context, part.abstractions.is_empty()) {
                (true, _) => ComponentKind::Context,
                (false, true) => ComponentKind::Machine,
                (false, false) => ComponentKind::Refinement,
            };
            let has_abstraction = kind == ComponentKind::Refinement;
            let events = part.events.into_iter().map(|(name, refines)| {
                let silent = name == INITIALISATION && refines.is_empty() && has_abstraction;
                let refines = if silent { vec![INITIALISATION.into()] } else { refines };
                NamedEvent { name, refines, hash: None }
            });
            self.out.components.push(Component {
                kind,
                refines: part.abstractions.first().filter(|_| !part.is_context).cloned(),
                sees: if part.is_context { part.abstractions } else { part.sees },
                model_hash: hash.clone(),
                declarations_hash: None,
                axioms: None,
                invariants: vec![],
                events: events.collect(),
                name: part.name,
            });
        }
    }
}

impl Part {
    fn section(&mut self, section: &Term<'_>) {
        let Some((functor, [_, content])) = section.parts() else { return };
        let names = || content.list().unwrap_or_default().iter().filter_map(text);
        match functor {
            "refines" => self.abstractions.extend(text(content)),
            "extends" => self.abstractions.extend(names()),
            "sees" => self.sees.extend(names()),
            "invariant" | "axioms" | "theorems" => {
                for predicate in content.list().unwrap_or_default() {
                    self.predicates.extend(named(predicate, functor == "theorems"));
                }
            }
            "events" => {
                for event in content.list().unwrap_or_default() {
                    self.events.extend(read_event(event));
                }
            }
            _ => {}
        }
    }
}

/// Returns the position term of a predicate, which a description may enclose.
fn named(predicate: &Term<'_>, theorem: bool) -> Option<Named> {
    let (functor, arguments) = predicate.parts()?;
    if functor == "description" && arguments.len() == 3 {
        return named(&arguments[2], theorem);
    }
    let (_, position) = arguments.first()?.parts().filter(|(f, _)| *f == "rodinpos")?;
    let [.., label, internal] = position else { return None };
    Some(Named { label: text(label)?, internal: text(internal)?, theorem })
}

/// Returns the name and the abstract events.
fn read_event(event: &Term<'_>) -> Option<(String, Vec<String>)> {
    let (functor, arguments) = event.parts()?;
    if functor == "description" && arguments.len() == 3 {
        return read_event(&arguments[2]);
    }
    let refines = match (functor, arguments.len()) {
        ("event", 7) => &arguments[2],
        ("event", 8 | 9) => &arguments[3],
        _ => return None,
    };
    let refines = match refines.list() {
        Some(names) => names.iter().filter_map(text).collect(),
        None => text(refines).into_iter().collect(),
    };
    Some((text(&arguments[1])?, refines))
}

/// Reads a name: mostly an atom. Some labels have white space at their ends.
fn text(term: &Term<'_>) -> Option<String> {
    match &term.kind {
        TermKind::Atom(name) | TermKind::String(name) => Some(name.trim().to_string()),
        TermKind::Integer(n) => Some(n.to_string()),
        TermKind::List(items) if items.is_empty() => Some(String::new()),
        _ => None,
    }
}

/// Determines the kind by Rodin's description.
fn kind(description: &str, initialisation: bool) -> Kind {
    let words: Vec<&str> = description.split_whitespace().collect();
    match words.as_slice() {
        ["Invariant", ..] if initialisation => Kind::InvEst,
        ["Invariant", "establishment"] => Kind::InvEst,
        ["Invariant", ..] => Kind::Inv,
        ["Theorem", ..] => Kind::Thm,
        ["Well-definedness", "of", "witness", ..] => Kind::Wwd,
        ["Well-definedness", "of", "variant", ..] => Kind::Vwd,
        ["Well-definedness", ..] => Kind::Wd,
        ["Guard", "strengthening", "(merge)"] => Kind::Mrg,
        ["Guard", "strengthening", ..] => Kind::Grd,
        ["Action", "simulation"] => Kind::Sim,
        ["Equality", ..] => Kind::Eql,
        ["Feasibility", "of", "witness"] => Kind::Wfis,
        ["Feasibility", ..] => Kind::Fis,
        ["Finiteness", ..] => Kind::Fin,
        ["Variant", ..] => Kind::Var,
        ["Natural", ..] => Kind::Nat,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests;
