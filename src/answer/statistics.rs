//! What a run took.

use std::collections::BTreeSet;
use std::time::Duration;

use bsym_encodings::session::Size;
use bsym_engines::verdict::PathSize;
use bsym_explore::report::{DiagramStatistics, PartialOrderReduction};
use bsym_language::model::{ConstId, Model};
use bsym_semantics::constraint::methods::Answered;
use schemars::JsonSchema;
use serde::Serialize;

use super::proof::WalkedObject;

/// What the run took.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct StatsObject {
    pub seconds: f64,
    pub queries: u64,
    pub unknowns: u64,
    pub quantifiers: u64,
    pub solver_seconds: f64,
    /// Propositional variables that SAT solvers were given, in all sessions together.
    pub variables: Option<u64>,
    /// Clauses over them.
    pub clauses: Option<u64>,
    /// What the path of `bmc`, and of the base of `kind`, took at each depth; of the first 256 depths.
    pub steps: Vec<StepObject>,
    /// States of a search that the reference evaluator has judged as well.
    pub audited: Option<u64>,
    /// Constants that nothing reads, of which the search took one value for all.
    pub left_open: Vec<String>,
    /// Who found the values of constants, parameters and choices.
    pub found_by: Option<FoundByObject>,
    /// How symmetric states were left out.
    pub symmetry: Option<SymmetryObject>,
    /// How events were left out whose order does not matter.
    pub partial_order: Option<PartialOrderObject>,
    /// What decision diagrams took.
    pub diagram: Option<DiagramObject>,
    /// Largest memory in use, in bytes, where the system tells.
    pub memory: Option<u64>,
    /// The evaluator's walk along the proof.
    pub walked: Option<WalkedObject>,
}

/// How symmetric states were left out.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SymmetryObject {
    /// How the states that were visited were chosen.
    pub method: &'static str,
    /// The sets whose elements can change places.
    pub sets: Vec<InterchangeableObject>,
    /// One state was visited of all that are symmetric.
    pub exact: bool,
    /// States for which the one was computed that is visited.
    pub computed: u64,
}

/// How events were left out whose order does not matter.
#[derive(Serialize, JsonSchema, Clone, Copy, Debug)]
pub struct PartialOrderObject {
    /// Instances that the events were cut into, by the values of their parameters.
    pub instances: usize,
    /// Pairs of instances that commute.
    pub independent: usize,
    /// States in which some of the enabled instances were left out.
    pub reduced: u64,
}

impl From<PartialOrderReduction> for PartialOrderObject {
    fn from(found: PartialOrderReduction) -> Self {
        let PartialOrderReduction { instances, independent, reduced } = found;
        PartialOrderObject { instances, independent, reduced }
    }
}

/// A set of which elements can change places.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct InterchangeableObject {
    /// Its name.
    pub set: String,
    /// Number of elements.
    pub size: usize,
    /// The elements that can change places, where that is not all of them.
    pub elements: Option<Vec<String>>,
}

impl InterchangeableObject {
    /// The set, or the elements, in words.
    pub fn text(&self) -> String {
        match &self.elements {
            None => format!("the {} elements of {}", self.size, self.set),
            Some(elements) => format!("{} of {}", elements.join(", "), self.set),
        }
    }
}

/// What a search by decision diagrams took.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct DiagramObject {
    /// The number of states, in decimal: there may be more than a number of JSON can say.
    pub states: String,
    /// The number of transitions, likewise.
    pub transitions: String,
    /// Nodes of diagrams at the end.
    pub nodes: usize,
    /// Short rows that events were asked about: values of the variables that they read.
    pub asked: u64,
    /// Sets of states that were added one after the other.
    pub rounds: usize,
    /// How many of these, the initial states first, were checked.
    pub checked_rounds: usize,
}

impl From<&DiagramStatistics> for DiagramObject {
    fn from(found: &DiagramStatistics) -> DiagramObject {
        // Counts that cannot be written are the largest one, or more.
        let text = |n: u128| if n == u128::MAX { format!("{n} or more") } else { n.to_string() };
        let DiagramStatistics { states, transitions, nodes, asked, rounds, checked_rounds } = *found;
        let (states, transitions) = (text(states), text(transitions));
        DiagramObject { states, transitions, nodes, asked, rounds, checked_rounds }
    }
}

/// What an unrolled path took, with everything before it.
#[derive(Serialize, JsonSchema, Clone, Copy, Debug)]
pub struct StepObject {
    /// Number of events.
    pub depth: usize,
    /// Terms that were made so far.
    pub terms: usize,
    /// Propositional variables that the path's SAT solver was given.
    pub variables: Option<u64>,
    /// Clauses over them.
    pub clauses: Option<u64>,
    /// Memory in use by the whole program, in bytes, where the system tells.
    pub memory: Option<u64>,
}

impl StepObject {
    pub fn new(depth: usize, size: PathSize, memory: Option<u64>) -> StepObject {
        let PathSize { terms, propositional } = size;
        let given = (propositional != Size::default()).then_some(propositional);
        StepObject {
            depth,
            terms,
            variables: given.map(|s| s.variables),
            clauses: given.map(|s| s.clauses),
            memory,
        }
    }
}

/// How many questions for the values of constants, parameters and choices were answered in which way.
#[derive(Serialize, JsonSchema, Clone, Copy, Debug)]
pub struct FoundByObject {
    /// By a search of few steps.
    pub search: u64,
    /// By the SAT solver that is built in.
    pub sat: u64,
    /// By an SMT solver.
    pub smt: u64,
    /// By a search to the end.
    pub exhaustion: u64,
}

impl From<Answered> for FoundByObject {
    fn from(found: Answered) -> Self {
        let Answered { search, sat, smt, exhaustion } = found;
        FoundByObject { search, sat, smt, exhaustion }
    }
}

/// The time of a command that counts nothing else.
#[derive(Serialize, JsonSchema, Clone, Copy, Debug)]
pub struct TimeObject {
    pub seconds: f64,
}

/// A duration in seconds, to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

/// The names of constants.
pub fn constant_names(model: &Model, constants: &BTreeSet<ConstId>) -> Vec<String> {
    constants.iter().filter_map(|c| model.constants.get(c.index())).map(|c| c.name.clone()).collect()
}

/// A sentence about constants that nothing reads.
pub fn left_open_text(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [] => None,
        [one] => Some(format!("nothing reads the constant {one}: one value of it stands for all")),
        all => {
            Some(format!("nothing reads the constants {}: one value of each stands for all", all.join(", ")))
        }
    }
}
