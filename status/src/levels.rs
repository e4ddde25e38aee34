//! The levels of a refinement, and the hypotheses of proofs, as recorded in a status file.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::Model;

use super::digest::INITIALISATION;
use super::file::{Component, Kind, Obligation, PoFile, TargetRole};

/// A machine and its abstractions.
pub(super) struct Levels<'a> {
    /// Names of the components, the machine first.
    pub names: Vec<&'a str>,
    components: Vec<Option<&'a Component>>,
}

impl<'a> Levels<'a> {
    pub fn new(file: &'a PoFile, main: &'a str) -> Levels<'a> {
        let mut levels = Levels { names: vec![main], components: vec![find(file, main)] };
        while let Some(next) = levels.components.last().copied().flatten().and_then(|c| c.refines.as_deref())
        {
            // A machine that refines itself through others cannot come from Rodin.
            if levels.names.contains(&next) {
                break;
            }
            levels.names.push(next);
            levels.components.push(find(file, next));
        }
        levels
    }

    /// Returns the level of a component.
    pub fn of(&self, component: &str) -> Option<usize> {
        self.names.iter().position(|n| *n == component)
    }

    /// Returns the recorded component of a level.
    pub fn component(&self, level: usize) -> Option<&'a Component> {
        self.components.get(level).copied().flatten()
    }

    /// Checks that an abstraction has the event of an obligation. The error gives the reason.
    pub fn knows(&self, level: usize, o: &Obligation) -> Result<(), String> {
        let Some(event) = o.event.as_deref() else {
            return if o.kind == Kind::InvEst { Ok(()) } else { Err("it names no event".into()) };
        };
        let known = self.components[level].is_some_and(|c| c.events.iter().any(|e| e.name == event));
        if known || event == INITIALISATION {
            return Ok(());
        }
        Err(format!("{} has no event `{event}`", self.names[level]))
    }

    /// Returns the names of the events that an event of the machine refines at each level down to `last`.
    pub fn way(&self, event: &'a str, last: usize) -> Vec<BTreeSet<&'a str>> {
        let mut way = vec![BTreeSet::from([event])];
        for component in self.components.iter().take(last) {
            let now = &way[way.len() - 1];
            let mut next = BTreeSet::new();
            for e in component.iter().flat_map(|c| &c.events).filter(|e| now.contains(e.name.as_str())) {
                next.extend(e.refines.iter().map(String::as_str));
            }
            if now.contains(INITIALISATION) {
                next.insert(INITIALISATION);
            }
            way.push(next);
        }
        way
    }

    /// Returns the events of the model that an event of a level stands for; `None` is the initialisation.
    pub fn events_of(&self, model: &Model, level: usize, event: Option<&str>) -> Vec<Option<usize>> {
        let Some(event) = event else { return vec![None] };
        let is_one = |e: &usize| {
            let name = model.events[*e].name.as_str();
            if level == 0 { name == event } else { self.refines(name, level, event) }
        };
        (0..model.events.len()).filter(is_one).map(Some).collect()
    }

    fn refines(&self, event: &str, level: usize, abstract_event: &str) -> bool {
        let mut now = BTreeSet::from([event]);
        for component in self.components.iter().take(level) {
            let events = component.iter().flat_map(|c| &c.events);
            now = events
                .filter(|e| now.contains(e.name.as_str()))
                .flat_map(|e| e.refines.iter().map(String::as_str))
                .collect();
        }
        now.contains(abstract_event)
    }
}

fn find<'a>(file: &'a PoFile, name: &str) -> Option<&'a Component> {
    file.components.iter().find(|c| c.name == name)
}

/// Open hypotheses of proofs besides the invariant.
pub(super) struct Hypotheses<'a> {
    theorems: Vec<&'a Obligation>,
    /// Well-definedness conditions of conjuncts, by component and key.
    conditions: BTreeMap<(&'a str, &'a str), &'a str>,
    /// The components that a component takes hypotheses from, itself included; unknown if nothing is recorded.
    seen: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Hypotheses<'a> {
    pub fn new(file: &'a PoFile) -> Hypotheses<'a> {
        let is_open = |o: &&Obligation| !o.status.is_discharged() || o.stale;
        let theorem = |k| matches!(k, Kind::Thm | Kind::InvThm | Kind::AxmThm | Kind::Assertion);
        let open = || file.obligations.iter().filter(is_open);
        let conditions = open().filter(|o| o.kind == Kind::Wd).filter_map(|o| {
            let target = o.target.as_ref().filter(|t| t.role == Some(TargetRole::Invariant))?;
            let owner = target.owner.as_deref().unwrap_or(&o.component);
            Some(((owner, target.key.as_deref()?), o.id.as_str()))
        });
        Hypotheses {
            theorems: open().filter(|o| theorem(o.kind)).collect(),
            conditions: conditions.collect(),
            seen: file.components.iter().map(|c| (c.name.as_str(), seen(file, &c.name))).collect(),
        }
    }

    /// Returns an open theorem or condition that a proof may rest on.
    pub fn open(&self, o: &Obligation) -> Option<String> {
        let component = self.seen.get(o.component.as_str());
        let may_use = |t: &&&Obligation| match component {
            Some(seen) if !seen.contains(t.component.as_str()) => false,
            // The initialisation has no state before it: only the axioms are available.
            _ if o.kind == Kind::InvEst => t.kind == Kind::AxmThm,
            // A theorem among the guards is available only to this event.
            _ => t.event.is_none() || t.component != o.component || t.event == o.event,
        };
        if let Some(theorem) = self.theorems.iter().find(may_use) {
            return Some(format!("the theorem `{}` is open and may have been a hypothesis", theorem.id));
        }
        let target = o.target.as_ref().filter(|_| matches!(o.kind, Kind::Inv | Kind::InvEst))?;
        let owner = target.owner.as_deref().unwrap_or(&o.component);
        let condition = self.conditions.get(&(owner, target.key.as_deref()?))?;
        Some(format!("`{condition}` is open, so the conjunct may have no value"))
    }
}

/// Returns a component, its abstractions, and all contexts that they see.
fn seen<'a>(file: &'a PoFile, name: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut todo = vec![name];
    while let Some(name) = todo.pop() {
        if !found.insert(name) {
            continue;
        }
        if let Some(c) = find(file, name) {
            todo.extend(c.refines.iter().chain(&c.sees).map(String::as_str));
        }
    }
    found
}
