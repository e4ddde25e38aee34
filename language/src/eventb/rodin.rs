//! Rodin's projects: the user's files `.bum` and `.buc`.
//!
//! Only the requested component of a project is read, with the components that it refines, sees and extends. The
//! results of the static checker (`.bcm`, `.bcc`) are not needed.

use std::collections::{BTreeMap, BTreeSet};

use super::project::*;
use super::reader::Reader;
use super::tuf;
use super::xml::{self, Element, children, tag};
use crate::ast::{Convergence, Ident};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::archive::{Archive, split};
use crate::text::files::ReadError;
use crate::text::source::{Source, SourceId, Sources};

/// The files of one project by name of the component: machines and contexts.
#[derive(Debug, Default)]
pub struct Files {
    /// Machines.
    pub machines: BTreeMap<String, Head>,
    /// Contexts.
    pub contexts: BTreeMap<String, Head>,
}

/// Data of a file that others need before it is read. Empty for a file that is not XML.
#[derive(Debug, Default)]
pub struct Head {
    file: String,
    /// Machines (`true`) and contexts that it refines, sees or extends.
    needs: Vec<(bool, String)>,
    /// Its sets, constants and variables.
    declares: Vec<String>,
}

impl Head {
    // A file that is not XML is a mistake only where it is needed.
    fn read(file: &str, text: &str) -> Head {
        let mut head = Head { file: file.to_string(), ..Head::default() };
        let Ok(document) = xml::parse(text, SourceId(0)) else { return head };
        for node in children(document.root_element()) {
            let name = |attribute| Element { node, source: SourceId(0) }.name(attribute).map(|id| id.name);
            match tag(node) {
                "refinesMachine" => head.needs.extend(name("target").map(|machine| (true, machine))),
                "seesContext" | "extendsContext" => {
                    head.needs.extend(name("target").map(|context| (false, context)));
                }
                "carrierSet" | "constant" | "variable" => head.declares.extend(name("identifier")),
                _ => {}
            }
        }
        head
    }
}

impl Files {
    /// Machines that no other one refines; without machines the contexts that no other one extends.
    pub fn last(&self) -> Vec<String> {
        // The components that no other component of the same kind needs.
        let last = |is_machine: bool, files: &BTreeMap<String, Head>| -> Vec<String> {
            let needed: BTreeSet<&(bool, String)> = files.values().flat_map(|head| &head.needs).collect();
            let is_last = |name: &&String| !needed.contains(&(is_machine, name.to_string()));
            files.keys().filter(is_last).cloned().collect()
        };
        if self.machines.is_empty() {
            return last(false, &self.contexts);
        }
        let machines = last(true, &self.machines);
        // A circle has no last one.
        if machines.is_empty() { self.machines.keys().cloned().collect() } else { machines }
    }

    /// Returns all components.
    pub fn all(&self) -> Vec<String> {
        self.machines.keys().chain(self.contexts.keys()).cloned().collect()
    }
}

/// Returns the projects of a folder or archive, by folder.
///
/// # Errors
/// A file cannot be read.
pub fn projects(archive: &Archive) -> Result<BTreeMap<String, Files>, ReadError> {
    let mut found: BTreeMap<String, Files> = BTreeMap::new();
    for name in archive.names() {
        let (folder, stem, extension) = split(name);
        let is_machine = match extension {
            "bum" => true,
            "buc" => false,
            _ => continue,
        };
        let head = Head::read(name, &archive.text(name)?.text);
        let files = found.entry(folder.to_string()).or_default();
        let list = if is_machine { &mut files.machines } else { &mut files.contexts };
        list.insert(stem.to_string(), head);
    }
    Ok(found)
}

/// Reads a component with everything that it refines, sees and extends. Mistakes go to `diagnostics`.
///
/// # Errors
/// A file cannot be read.
pub fn read(
    archive: &Archive,
    folder: &str,
    files: &Files,
    component: &str,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Project, ReadError> {
    let mut wanted: Vec<(bool, String)> =
        vec![(files.machines.contains_key(component), component.to_string())];
    let mut loaded: Vec<(bool, String, SourceId)> = vec![];
    let (mut seen, mut declared) = (BTreeSet::new(), BTreeSet::new());
    while let Some((is_machine, name)) = wanted.pop() {
        let list = if is_machine { &files.machines } else { &files.contexts };
        // One that is missing is reported where it is named.
        let Some(head) = list.get(&name).filter(|_| seen.insert((is_machine, name.clone()))) else {
            continue;
        };
        let text = archive.text(&head.file)?.text;
        let id = sources.add(Source::new(archive.place(&head.file), text));
        wanted.extend(head.needs.iter().cloned());
        declared.extend(head.declares.iter().cloned());
        loaded.push((is_machine, name, id));
    }
    let (theories, operators) = tuf::read(archive, folder, sources, diagnostics)?;
    let mut reader = Reader { declared, operators, diagnostics };
    let mut project = Project { theories, ..Project::default() };
    for (is_machine, name, id) in loaded {
        let document = match xml::parse(&sources.get(id).text, id) {
            Ok(document) => document,
            Err(d) => {
                reader.diagnostics.push(d);
                continue;
            }
        };
        let root = Element { node: document.root_element(), source: id };
        let expected = if is_machine { "machineFile" } else { "contextFile" };
        if tag(root.node) != expected {
            let message = format!("expected the element `{expected}`, found `{}`", tag(root.node));
            reader.diagnostics.push(Diagnostic::error(codes::MALFORMED_XML, root.span(), message));
            continue;
        }
        let name = Ident { name, span: root.span() };
        if is_machine {
            project.machines.push(reader.machine(name, root));
        } else {
            project.contexts.push(reader.context(name, root));
        }
    }
    flatten(&mut project);
    Ok(project)
}

impl Reader<'_> {
    fn machine(&mut self, name: Ident, root: Element) -> Machine {
        let mut m = Machine {
            name,
            refines: None,
            sees: vec![],
            variables: vec![],
            invariants: vec![],
            variants: vec![],
            events: vec![],
            span: root.whole(),
        };
        for node in children(root.node) {
            let e = Element { node, source: root.source };
            match tag(node) {
                "refinesMachine" => {
                    let target = self.noted(e.name("target"));
                    if let (Some(first), Some(second)) = (&m.refines, &target) {
                        self.refines_two(&m.name, first, second);
                    }
                    m.refines = m.refines.or(target);
                }
                "seesContext" => m.sees.extend(self.noted(e.name("target"))),
                "variable" => m.variables.extend(self.noted(e.declared("identifier"))),
                "invariant" => m.invariants.extend(self.formula(e, "predicate")),
                "theorem" => m.invariants.extend(self.theorem(e)),
                "variant" => m.variants.extend(self.formula(e, "expression")),
                "event" => m.events.extend(self.event(e)),
                // Other plug-ins have elements of their own.
                _ => {}
            }
        }
        m
    }

    fn context(&mut self, name: Ident, root: Element) -> Context {
        let (extends, sets, constants, axioms) = (vec![], vec![], vec![], vec![]);
        let mut c = Context { name, extends, sets, constants, axioms, span: root.whole() };
        for node in children(root.node) {
            let e = Element { node, source: root.source };
            match tag(node) {
                "extendsContext" => c.extends.extend(self.noted(e.name("target"))),
                "carrierSet" => c.sets.extend(self.noted(e.declared("identifier"))),
                "constant" => c.constants.extend(self.noted(e.declared("identifier"))),
                "axiom" => c.axioms.extend(self.formula(e, "predicate")),
                "theorem" => c.axioms.extend(self.theorem(e)),
                _ => {}
            }
        }
        c
    }

    fn formula(&mut self, e: Element, attribute: &str) -> Option<Formula> {
        let text = self.noted(e.required(attribute))?;
        let formula = self.parsed(&text, e.label(), e.is("theorem"))?;
        if tag(e.node) != "variant" {
            self.noted(e.required("label"));
        }
        Some(formula)
    }

    // Old files have a separate element for theorems.
    fn theorem(&mut self, e: Element) -> Option<Formula> {
        Some(Formula { theorem: true, ..self.formula(e, "predicate")? })
    }

    fn event(&mut self, e: Element) -> Option<Event> {
        let name = self.noted(e.name("label"))?;
        let convergence = match e.text("convergence").as_ref().map(|t| t.text.trim()) {
            Some("1") => Convergence::Convergent,
            Some("2") => Convergence::Anticipated,
            _ => Convergence::Ordinary,
        };
        let mut event = Event {
            span: name.span,
            name,
            convergence,
            extended: e.is("extended"),
            inherited: Inherited::default(),
            refines: vec![],
            parameters: vec![],
            guards: vec![],
            actions: vec![],
            witnesses: vec![],
        };
        for node in children(e.node) {
            let e = Element { node, source: e.source };
            match tag(node) {
                "refinesEvent" => event.refines.extend(self.noted(e.name("target"))),
                "parameter" => event.parameters.extend(self.noted(e.declared("identifier"))),
                "guard" => event.guards.extend(self.formula(e, "predicate")),
                "action" => event.actions.extend(self.action(e)),
                "witness" => {
                    let name = self.noted(e.name("label"));
                    let formula = self.formula(e, "predicate");
                    event.witnesses.extend(name.zip(formula));
                }
                _ => {}
            }
        }
        Some(event)
    }

    fn action(&mut self, e: Element) -> Option<Action> {
        let text = self.noted(e.required("assignment"))?;
        let action = self.assigned(&text, e.label())?;
        self.noted(e.required("label"));
        Some(action)
    }
}

// An event that extends another begins with all that the other has.
pub(super) fn flatten(project: &mut Project) {
    let mut done: BTreeSet<String> = BTreeSet::new();
    // As many rounds as there are levels at most; a circle of refinements ends it as well.
    for _ in 0..project.machines.len() {
        for i in 0..project.machines.len() {
            let (m, name) = (&project.machines[i], project.machines[i].name.name.clone());
            let abstraction = match &m.refines {
                Some(r) if done.contains(&r.name) => project.machine(&r.name).map(|m| m.events.clone()),
                Some(r) if project.machine(&r.name).is_some() => continue,
                _ => Some(vec![]),
            };
            if !done.insert(name) {
                continue;
            }
            let abstraction = abstraction.unwrap_or_default();
            for event in &mut project.machines[i].events {
                if event.extended {
                    extend(event, &abstraction);
                }
            }
        }
    }
}

fn extend(event: &mut Event, abstraction: &[Event]) {
    let wanted = match event.refines.first() {
        Some(r) => r.name.as_str(),
        None => event.name.name.as_str(),
    };
    let Some(other) = abstraction.iter().find(|e| e.name.name == wanted) else { return };
    event.inherited = Inherited {
        parameters: other.parameters.len(),
        guards: other.guards.len(),
        actions: other.actions.len(),
    };
    event.parameters.splice(0..0, other.parameters.iter().cloned());
    event.guards.splice(0..0, other.guards.iter().cloned());
    event.actions.splice(0..0, other.actions.iter().cloned());
}
