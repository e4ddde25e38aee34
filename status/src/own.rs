//! Consistency of status files written by this program, with themselves and with the machine.
//!
//! A converted status has only the records of its tool. A status that this program wrote is complete and partly
//! redundant: hashes next to texts, names next to positions, and all of it next to the machine. A file that contradicts
//! itself, or the very machine that it was made from, was edited by hand. It is refused, because other members may have
//! been edited too.

use bsym_language::model::Model;

use super::component::{EXPORTER, component, not_checked, target};
use super::digest::{self, INITIALISATION};
use super::file::{
    Component, Kind, MappedBy, NamedPredicate, Obligation, PoFile, Role, SourceFile, TargetRole, Trust,
};
use super::fresh::same_files;

/// The JSON path of a contradiction, and its description.
pub(super) type Contradiction = (String, String);

type Checked = Result<(), Contradiction>;

fn require(holds: bool, path: impl Into<String>, message: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err((path.into(), message.into())) }
}

/// Returns whether this version of the program made the obligations rather than converting them.
fn is_own(file: &PoFile) -> bool {
    file.sources.iter().any(|s| s.exporter.as_deref() == Some(EXPORTER))
}

/// Checks that a file of this program is complete and does not contradict itself.
pub(super) fn within(file: &PoFile) -> Checked {
    if !is_own(file) {
        return Ok(());
    }
    let about = file.model.clone().unwrap_or_default();
    let Some(main) = about.main.as_deref() else {
        return Err(("model.main".into(), "it does not say what it is about".into()));
    };
    require(about.language.is_some(), "model.language", "the language is missing")?;
    require(about.scope.is_some(), "model.scope", "the scope of the proofs is missing")?;
    for (i, source) in file.sources.iter().enumerate() {
        source_file(source, i, main).map_err(|(path, m)| (format!("sources[{i}].{path}"), m))?;
    }
    let [component] = file.components.as_slice() else {
        return Err(("components".into(), format!("expected one component, {main}")));
    };
    component_itself(component, main).map_err(|(path, m)| (format!("components[0].{path}"), m))?;
    for (i, o) in file.obligations.iter().enumerate() {
        obligation(o, component, &file.sources)
            .map_err(|(path, m)| (format!("obligations[{i}].{path}"), m))?;
    }
    Ok(())
}

fn source_file(source: &SourceFile, i: usize, main: &str) -> Checked {
    let component = (i == 0).then_some(main);
    require(source.component.as_deref() == component, "component", "the first file is that of the machine")?;
    let exporter = (i == 0).then_some(EXPORTER);
    require(source.exporter.as_deref() == exporter, "exporter", "the first file has it, and no other one")?;
    require(source.role == Some(Role::Model), "role", "expected the file of a model")?;
    require(source.trust == Some(Trust::Tool), "trust", "expected `tool`")
}

fn component_itself(component: &Component, main: &str) -> Checked {
    require(component.name == main, "name", format!("expected {main}"))?;
    require(component.declarations_hash.is_some(), "declarations_hash", "it is missing")?;
    let Some(axioms) = &component.axioms else { return Err(("axioms".into(), "they are missing".into())) };
    predicates(axioms, "axioms")?;
    predicates(&component.invariants, "invariants")?;
    for (i, event) in component.events.iter().enumerate() {
        require(event.hash.is_some(), format!("events[{i}].hash"), "it is missing")?;
    }
    let first = component.events.first().map(|e| e.name.as_str());
    require(first == Some(INITIALISATION), "events", "the initialisation comes first")
}

fn predicates(all: &[NamedPredicate], member: &str) -> Checked {
    for (i, p) in all.iter().enumerate() {
        let at = |name: &str| format!("{member}[{i}].{name}");
        let hash = digest::sha256(p.text.as_bytes());
        require(p.index == Some(i), at("index"), format!("expected {i}"))?;
        require(p.key == key(p.label.as_deref(), i), at("key"), "it is neither the label nor the position")?;
        require(p.hash.as_ref() == Some(&hash), at("hash"), "it is not that of the text")?;
    }
    Ok(())
}

fn key(label: Option<&str>, index: usize) -> String {
    label.map_or_else(|| format!("#{index}"), String::from)
}

fn obligation(o: &Obligation, component: &Component, sources: &[SourceFile]) -> Checked {
    require(o.component == component.name, "component", format!("expected {}", component.name))?;
    let name = o.source.name.as_deref().unwrap_or_default();
    let named = format!("{}/{name}", component.name);
    // If labels are not unique, a number makes the names unique.
    let rest = o.id.strip_prefix(&named);
    let apart = rest.is_some_and(|r| r.is_empty() || r.starts_with('#'));
    require(!name.is_empty() && apart, "source.name", format!("it is not the name in the id `{}`", o.id))?;
    let first = sources.first().map(|s| &s.id);
    require(o.source.obligation.as_ref() == first, "source.obligation", "expected the machine's file")?;
    require(o.source.status.as_ref() == first, "source.status", "expected the machine's file")?;
    let mapped = matches!(o.source.mapped_by, Some(MappedBy::Computed | MappedBy::Frame));
    require(mapped, "source.mapped_by", "expected `computed` or `frame`")?;
    require(o.manual == Some(false), "manual", "expected `false`: no proof was made by hand")?;
    let Some(t) = &o.target else { return Err(("target".into(), "it is missing".into())) };
    let Some(role) = t.role else { return Err(("target.role".into(), "it is missing".into())) };
    require(t.owner.is_some(), "target.owner", "it is missing")?;
    require(t.text.is_some(), "target.text", "it is missing")?;
    let of_states = match role {
        TargetRole::Action => false,
        TargetRole::Invariant => o.kind == Kind::Wd,
        _ => true,
    };
    let event = o.event.as_deref();
    let known = event.is_some_and(|e| component.events.iter().any(|known| known.name == e));
    require(if of_states { event.is_none() } else { known }, "event", "the machine has no such event")?;
    if matches!(role, TargetRole::Action | TargetRole::Axiom | TargetRole::Variant) {
        let nothing = t.key.is_none() && t.label.is_none() && t.index.is_none() && t.hash.is_none();
        return require(nothing, "target", "what an event does, an axiom and a variant have a text only");
    }
    let positioned = t.index.is_some_and(|i| t.key.as_deref() == Some(&key(t.label.as_deref(), i)));
    require(positioned, "target.key", "it is neither the label nor the position")?;
    require(t.hash.is_some(), "target.hash", "it is missing")
}

/// Checks that a file of this program does not contradict the machine, if it is still the one that it was made from.
pub(super) fn against(file: &PoFile, model: &Model) -> Checked {
    let recorded = file.components.iter().find(|c| c.name == model.name);
    let (true, true, Some(recorded)) = (is_own(file), same_files(file, model), recorded) else {
        return Ok(());
    };
    let message = "it is not what the machine says";
    require(file.not_checked == not_checked(model), "not_checked", message)?;
    let now = component(model);
    let said = |holds, member: &str| require(holds, format!("components[0].{member}"), message);
    said(recorded.kind == now.kind, "kind")?;
    said(recorded.declarations_hash == now.declarations_hash, "declarations_hash")?;
    said(recorded.invariants == now.invariants, "invariants")?;
    said(recorded.events == now.events, "events")?;
    // A flag may have added an axiom then or now.
    let axioms = recorded.axioms.iter().flatten().map(|a| a.text.clone()).collect();
    said(recorded.model_hash == digest::model_with(model, axioms), "model_hash")?;
    let targets = [
        (TargetRole::Invariant, model.invariant.as_slice()),
        (TargetRole::Assertion, model.assertions.as_slice()),
    ];
    for (role, conjuncts) in targets {
        let known: Vec<_> = (0..conjuncts.len()).map(|i| target(model, role, conjuncts, i)).collect();
        let of_role = |o: &Obligation| o.target.as_ref().is_some_and(|t| t.role == Some(role));
        for (i, o) in file.obligations.iter().enumerate().filter(|(_, o)| of_role(o)) {
            let found = o.target.as_ref().is_some_and(|t| known.contains(t));
            let message = "the machine has no such conjunct at this position";
            require(found, format!("obligations[{i}].target"), message)?;
        }
    }
    Ok(())
}
