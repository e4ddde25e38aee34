//! The user's files `.bum` and `.buc`: labels, refinement, and the texts of formulas.

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use super::handle::Step;
use crate::error::PoError;
use crate::sources::xml::{self, attribute, children};

/// A machine or a context.
#[derive(Clone, Debug, Default)]
pub struct Unchecked {
    /// `true` for a context.
    pub is_context: bool,
    /// Names of the machines or contexts that it refines or extends.
    pub abstractions: Vec<String>,
    /// Contexts that a machine sees.
    pub sees: Vec<String>,
    /// Invariants, or axioms.
    pub predicates: Vec<Labelled>,
    /// Events.
    pub events: Vec<Event>,
    /// All elements with a label, by the path down to them.
    labels: BTreeMap<Vec<Step>, String>,
}

/// A predicate, an assignment or an expression with its label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labelled {
    /// Label, without white space around it.
    pub label: String,
    /// The formula.
    pub text: String,
    /// `true` for a theorem.
    pub theorem: bool,
}

/// An event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Label.
    pub label: String,
    /// Labels of the events it refines.
    pub refines: Vec<String>,
    /// Guards.
    pub guards: Vec<Labelled>,
    /// Actions.
    pub actions: Vec<Labelled>,
    /// Witnesses.
    pub witnesses: Vec<Labelled>,
}

impl Unchecked {
    /// Reads a file.
    ///
    /// # Errors
    /// The text is not XML, or has another root.
    pub fn parse(place: &Path, text: &str, is_context: bool) -> Result<Unchecked, PoError> {
        let document = xml::parse(place, text)?;
        let root = xml::root(place, &document, if is_context { "contextFile" } else { "machineFile" })?;
        let mut out = Unchecked { is_context, ..Unchecked::default() };
        for node in root.children().filter(Node::is_element) {
            let target = || attribute(node, "target").map(|t| t.trim().to_string());
            match xml::tag(node) {
                "refinesMachine" | "extendsContext" => out.abstractions.extend(target()),
                "seesContext" => out.sees.extend(target()),
                "invariant" | "axiom" | "theorem" => {
                    out.note(&[], node);
                    out.predicates.push(labelled(node, "predicate"));
                }
                "event" => {
                    out.note(&[], node);
                    let event = out.event(node);
                    out.events.push(event);
                }
                _ => out.note(&[], node),
            }
        }
        Ok(out)
    }

    fn event(&mut self, node: Node<'_, '_>) -> Event {
        let way = [step(node)];
        let mut event = Event {
            label: label(node).unwrap_or_default(),
            refines: children(node, "refinesEvent")
                .filter_map(|n| attribute(n, "target"))
                .map(|t| t.trim().into())
                .collect(),
            ..Event::default()
        };
        for child in node.children().filter(Node::is_element) {
            self.note(&way, child);
            match xml::tag(child) {
                "guard" => event.guards.push(labelled(child, "predicate")),
                "action" => event.actions.push(labelled(child, "assignment")),
                "witness" => event.witnesses.push(labelled(child, "predicate")),
                _ => {}
            }
        }
        event
    }

    fn note(&mut self, way: &[Step], node: Node<'_, '_>) {
        if let Some(label) = label(node) {
            let way = way.iter().cloned().chain([step(node)]).collect();
            self.labels.insert(way, label);
        }
    }

    /// Returns the label of the element at the end of a path.
    pub fn label(&self, way: &[Step]) -> Option<&str> {
        self.labels.get(way).map(String::as_str)
    }

    /// Returns the position of an invariant or axiom among those that are not theorems, and the predicate.
    pub fn predicate(&self, label: &str) -> Option<(Option<usize>, &Labelled)> {
        let at = self.predicates.iter().position(|p| p.label == label)?;
        let index = self.predicates[..at].iter().filter(|p| !p.theorem).count();
        let found = &self.predicates[at];
        Some(((!found.theorem).then_some(index), found))
    }
}

fn step(node: Node<'_, '_>) -> Step {
    Step { kind: xml::tag(node).into(), name: node.attribute("name").unwrap_or_default().into() }
}

fn label(node: Node<'_, '_>) -> Option<String> {
    attribute(node, "label").map(|l| l.trim().to_string())
}

fn labelled(node: Node<'_, '_>, formula: &str) -> Labelled {
    Labelled {
        label: label(node).unwrap_or_default(),
        text: attribute(node, formula).unwrap_or_default().into(),
        // Very old files have a separate element for theorems.
        theorem: attribute(node, "theorem") == Some("true") || xml::tag(node) == "theorem",
    }
}
