//! `.pog`, `.pos` and `.bxml`: goals, their status, and the conjunct that a goal is about.

use std::path::Path;

use roxmltree::Node;

use crate::digest::INITIALISATION;
use crate::error::PoError;
use crate::file::{Kind, Status};
use crate::sources::xml::{self, children};

/// One goal.
#[derive(Clone, PartialEq, Debug)]
pub struct Goal {
    /// `Operation_x`, `Initialisation`, `AssertionLemmas`, …
    pub group: String,
    /// Number in its group, from 1.
    pub number: usize,
    /// Description of the goal in words.
    pub tag: String,
    /// The operation it is about.
    pub event: Option<String>,
    /// [`Kind::Inv`] for a goal that makes a pair, also of the initialisation.
    pub kind: Kind,
    /// Position of the conjunct, if it is about one.
    pub conjunct: Option<usize>,
    /// Outcome.
    pub status: Status,
    /// Provers of the goal.
    pub provers: Vec<String>,
    /// `true` if the user proved it.
    pub manual: Option<bool>,
}

/// Place of the invariant in a `.bxml`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Position of its section among those of the machine, from 1; 0 if there is none.
    section: usize,
    /// `true` if it is a conjunction.
    is_conjunction: bool,
    /// Number of conjuncts.
    pub conjuncts: usize,
    /// The initialisation and the operations.
    pub operations: Vec<String>,
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|n| n.is_element() && xml::tag(*n) != "Attr")
}

/// Reads a `.bxml`.
///
/// # Errors
/// The text is not XML, or not a machine.
pub fn invariant(place: &Path, text: &str) -> Result<Invariant, PoError> {
    let document = xml::parse(place, text)?;
    let root = xml::root(place, &document, "Machine")?;
    let mut found = Invariant { section: 0, is_conjunction: false, conjuncts: 0, operations: vec![] };
    for (i, section) in elements(root).enumerate() {
        match xml::tag(section) {
            "Invariant" => {
                found.section = i + 1;
                let Some(predicate) = elements(section).next() else { continue };
                found.is_conjunction =
                    xml::tag(predicate) == "Nary_Pred" && predicate.attribute("op") == Some("&");
                found.conjuncts = if found.is_conjunction { elements(predicate).count() } else { 1 };
            }
            "Initialisation" => found.operations.push(INITIALISATION.into()),
            "Operations" => {
                let names = children(section, "Operation").filter_map(|o| o.attribute("name"));
                found.operations.extend(names.map(String::from));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Reads a `.pog`.
///
/// # Errors
/// The text is not XML, or has no obligations.
pub fn read(
    place: &Path,
    text: &str,
    component: &str,
    invariant: Option<&Invariant>,
) -> Result<Vec<Goal>, PoError> {
    let document = xml::parse(place, text)?;
    let root = xml::root(place, &document, "Proof_Obligations")?;
    let mut goals = vec![];
    for group in children(root, "Proof_Obligation") {
        let name = tag(group).ok_or_else(|| {
            xml::mistake(
                place,
                group,
                "expected a `Tag` in this `Proof_Obligation`",
                "generate the file again",
            )
        })?;
        let (event, group_kind) = meaning(&name);
        for (i, simple) in children(group, "Simple_Goal").enumerate() {
            let words = tag(simple).unwrap_or_default();
            let about_invariant = words.starts_with("Invariant is") && !words.contains("well");
            let kind = match group_kind {
                Kind::Inv if about_invariant || words.starts_with("Refinement is") => Kind::Inv,
                Kind::Inv if words.contains("well defined") => Kind::Wd,
                Kind::Inv if words.starts_with("Precondition") => Kind::Precondition,
                Kind::Inv => Kind::Other,
                kind => kind,
            };
            let mut goal = Goal {
                group: name.clone(),
                number: i + 1,
                tag: words,
                event: event.clone(),
                kind,
                conjunct: invariant.and_then(|inv| conjunct(simple, component, inv)),
                status: Status::Unattempted,
                provers: vec![],
                manual: None,
            };
            if let Some(state) = children(simple, "Proof_State").next() {
                goal.record(None, Some(state));
            }
            goals.push(goal);
        }
    }
    Ok(goals)
}

fn tag(node: Node<'_, '_>) -> Option<String> {
    children(node, "Tag").next().map(|t| t.text().unwrap_or_default().trim().to_string())
}

/// Returns the event of a group and the kind of its goals; [`Kind::Inv`] if each goal has its own.
pub fn meaning(group: &str) -> (Option<String>, Kind) {
    let operation = |start: &str| group.strip_prefix(start).map(String::from);
    if group == "Initialisation" {
        return (Some(INITIALISATION.into()), Kind::Inv);
    }
    if let Some(operation) = operation("Operation_").or_else(|| operation("LocalOperation_")) {
        return (Some(operation), Kind::Inv);
    }
    if let Some(operation) = operation("WellDefinedness_") {
        return (Some(operation), Kind::Wd);
    }
    match group {
        "WellDefinednessInitialisation" => (Some(INITIALISATION.into()), Kind::Wd),
        "AssertionLemmas" => (None, Kind::Assertion),
        "ValuesLemmas" => (None, Kind::Values),
        _ if group.starts_with("WellDefinedness") => (None, Kind::Wd),
        _ => (
            operation("Precondition_"),
            if group.starts_with("Precondition") { Kind::Precondition } else { Kind::Other },
        ),
    }
}

/// Returns the only conjunct that the parts of a goal come from.
fn conjunct(goal: Node<'_, '_>, component: &str, invariant: &Invariant) -> Option<usize> {
    let file = format!("{component}.bxml");
    let mut found = None;
    let goal = children(goal, "Goal").next()?;
    let tags = goal.descendants().filter_map(|n| n.attribute("tag")).flat_map(|t| t.split(','));
    for tag in tags {
        let Some((path, steps)) = way(tag.trim()) else { continue };
        if path.rsplit(['/', '\\']).next() != Some(&file) || steps.get(1) != Some(&invariant.section) {
            continue;
        }
        let position = if invariant.is_conjunction { steps.get(3)?.checked_sub(1)? } else { 0 };
        if position >= invariant.conjuncts || found.is_some_and(|f| f != position) {
            return None;
        }
        found = Some(position);
    }
    found
}

/// Splits `/path/M.bxml:1:2:3` into path and steps. The path may have colons.
fn way(tag: &str) -> Option<(&str, Vec<usize>)> {
    let mut path = tag;
    let mut steps = vec![];
    while let Some((before, step)) = path.rsplit_once(':') {
        let Ok(step) = step.parse() else { break };
        steps.push(step);
        path = before;
    }
    steps.reverse();
    (!steps.is_empty()).then_some((path, steps))
}

impl Goal {
    fn record(&mut self, status: Option<&str>, state: Option<Node<'_, '_>>) {
        let attribute = |name| state.and_then(|s| s.attribute(name)).unwrap_or_default();
        let said = attribute("proofState");
        self.set(status.unwrap_or(said), said, attribute("methodList"));
    }

    /// Sets the outcome from a status, a state (`Proved(1)`, `Proved(Util)`, `Unproved`) and the provers that were used.
    pub fn set(&mut self, status: &str, state: &str, methods: &str) {
        let proved = status.starts_with("Proved") && (state.is_empty() || state.starts_with("Proved"));
        self.status = match status {
            _ if proved => Status::Discharged,
            s if s.starts_with("Unproved") => Status::Pending,
            _ => Status::Unknown,
        };
        self.manual = Some(state.contains("Util"));
        if !proved {
            return;
        }
        self.provers = methods
            .split([',', ' ', ';'])
            .filter(|m| m.chars().all(|c| c.is_alphanumeric()) && !m.is_empty())
            .map(|m| format!("atelierb:{}", m.to_lowercase()))
            .collect();
        if self.provers.is_empty() {
            self.provers.push(if state.contains("Util") { "atelierb:user" } else { "atelierb" }.into());
        }
    }
}

/// Reads a `.pos` into the goals of its `.pog`; the inner error tells why the two do not belong together.
///
/// # Errors
/// The text is not XML, or has no obligations.
pub fn record(place: &Path, text: &str, goals: &mut [Goal]) -> Result<Result<(), String>, PoError> {
    let document = xml::parse(place, text)?;
    let root = xml::root(place, &document, "Proof_Obligations")?;
    let mut rest = goals.iter_mut();
    for group in children(root, "Proof_Obligation") {
        let name = tag(group).unwrap_or_default();
        for simple in children(group, "Simple_Goal") {
            let at = xml::place_of(place, simple);
            let Some(goal) = rest.next() else {
                return Ok(Err(format!("{at}: there are more goals than in the .pog")));
            };
            let words = tag(simple).unwrap_or_default();
            if goal.group != name || goal.tag != words {
                return Ok(Err(format!(
                    "{at}: this is `{words}` of `{name}`, and in the .pog `{}` of `{}`",
                    goal.tag, goal.group
                )));
            }
            goal.record(simple.attribute("status"), children(simple, "Proof_State").next());
        }
    }
    match rest.next() {
        Some(goal) => Ok(Err(format!(
            "{}: there are fewer goals than in the .pog, `{}` of `{}` is missing",
            place.display(),
            goal.tag,
            goal.group
        ))),
        None => Ok(Ok(())),
    }
}
