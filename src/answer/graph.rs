//! The answer of `graph`: a view of the state space, and where it was drawn.

use std::fmt::{Result, Write};

use bsym_language::model::{Model, Variable};
use bsym_semantics::trace::Trace;
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;
use bsym_semantics::verdict::ReasonCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::property::{AxiomObject, event_name};
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::statistics::TimeObject;
use super::words::words;
use crate::answer::trace::counted;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// What is drawn.
    ViewWord {
        /// Every state, and every edge with its arguments.
        States = "states",
        /// One node for all states in which the same operations are enabled.
        Signature = "signature",
        /// A deterministic automaton with the same traces.
        Automaton = "dfa",
        /// The paths to the first violation, or to the goal.
        Paths = "paths",
        /// One state.
        State = "state",
    }
}

words! {
    /// What a node stands for.
    NodeWord {
        /// What there is before the constants have values.
        Root = "root",
        /// A valuation of the constants.
        Constants = "constants",
        /// A state.
        State = "state",
        /// Several of them, or whatever a view puts together.
        Set = "set",
    }
}

/// What bsym graph prints with --json, and writes to a file .json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct GraphAnswer {
    #[schemars(extend("const" = "bsym-graph"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    pub view: ViewWord,
    pub scope: ScopeObject,
    /// Whether all states were visited, and the whole view is there.
    pub complete: bool,
    /// Why it is not.
    #[schemars(with = "Option<ReasonSchema>")]
    pub reason: Option<ReasonCode>,
    /// Why it is not, and what else is to be said, in sentences.
    pub messages: Vec<String>,
    /// Axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    /// Nodes of the state space that was visited: the root, the valuations of the constants, the states.
    pub states: usize,
    /// Its edges; those that differ in operation, arguments, results or target.
    pub transitions: usize,
    /// Nodes of the view.
    pub nodes: usize,
    /// Its edges; those that differ in label or target.
    pub edges: usize,
    /// Those that are drawn solid: of signatures, where all states of the node are led to one and the same signature; of an automaton,
    /// where all states of the node can do it.
    pub definite: Option<usize>,
    /// The file with the picture.
    pub picture: Option<String>,
    /// The view, unless it was written to a file of its own.
    pub graph: Option<GraphObject>,
    /// The state that is drawn, where it is one.
    pub state: Option<StateObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    pub stats: TimeObject,
}

/// A state that is drawn.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct StateObject {
    /// Events between the initial state and it.
    pub step: usize,
    /// The last of these events, or INITIALISATION.
    pub event: String,
    pub constants: Values,
    pub values: Values,
}

impl StateObject {
    /// The state after a step of a trace.
    pub fn new(model: &Model, trace: &Trace, step: usize) -> StateObject {
        let values = |names: &[Variable], values: &[Value]| {
            let text = |value: &Value| value_text(model, &trace.scope, value);
            names.iter().zip(values).map(|(name, value)| (name.name.clone(), text(value))).collect()
        };
        let at = trace.steps.get(step);
        StateObject {
            step,
            event: event_name(model, at.and_then(|step| step.event)),
            constants: values(&model.constants, &trace.constants),
            values: values(&model.variables, at.and_then(|step| step.state.as_deref()).unwrap_or_default()),
        }
    }
}

/// A view.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct GraphObject {
    pub nodes: Vec<NodeObject>,
    pub edges: Vec<EdgeObject>,
}

/// A node.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct NodeObject {
    pub number: usize,
    pub kind: NodeWord,
    /// The nodes of the state space that it stands for.
    pub members: Vec<usize>,
    /// The operations that are enabled in all members, in a view of signatures.
    pub enabled: Option<Vec<String>>,
    /// Values of the variables, or of the constants; of the first member, where there are several.
    pub values: Values,
    /// Conjuncts of the invariant that are false, in some member.
    pub violated: Vec<String>,
    /// Steps that go wrong, in some member.
    pub wrong: Vec<String>,
    /// That this is so only because `MAXINT` is small in this scope, and which one to try: of everything that is false or goes
    /// wrong, or of the deadlock where nothing does.
    pub only_in_scope: Option<String>,
    /// No event is enabled, in all members.
    pub deadlock: bool,
    /// The goal is true, in some member.
    pub goal: bool,
    /// What leaves it is not all known.
    pub open: bool,
}

/// An edge.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct EdgeObject {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// Drawn solid; see the count.
    pub definite: Option<bool>,
}

impl GraphAnswer {
    /// What a script is told.
    pub fn exit(&self) -> Exit {
        if self.complete { Exit::Done } else { Exit::Unknown }
    }

    /// For people; nothing where the picture itself goes to standard output.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out, verbose, paint);
        out
    }

    fn write(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        let head = if self.complete { paint.good("drawn") } else { paint.doubt("incomplete") };
        let what = match self.view {
            ViewWord::States => "the states",
            ViewWord::Signature => "signatures",
            ViewWord::Automaton => "the automaton of the traces",
            ViewWord::Paths => "the paths",
            ViewWord::State => "a state",
        };
        write!(out, "{head}: {what} of {}", self.machine)?;
        match &self.picture {
            Some(file) => writeln!(out, ", in {file}")?,
            None => writeln!(out)?,
        }
        for message in &self.messages {
            writeln!(out, "  {message}")?;
        }
        AxiomObject::write_core(&self.core, out, paint)?;
        if self.view == ViewWord::State {
            if let Some(state) = &self.state {
                writeln!(out, "  after {}, the last is {}", counted(state.step, "event"), state.event)?;
            }
            writeln!(out, "  {}, {}", counted(self.nodes, "node"), counted(self.edges, "arrow"))?;
            writeln!(out, "  scope: {}", self.scope.text())?;
            return writeln!(out, "  {:.2} s", self.stats.seconds);
        }
        write!(out, "  {}, {}", counted(self.nodes, "node"), counted(self.edges, "edge"))?;
        if let Some(definite) = self.definite {
            write!(out, ", {definite} of them definite")?;
        }
        let (states, transitions) = (counted(self.states, "state"), counted(self.transitions, "transition"));
        writeln!(out, "; of {states} with the root, {transitions}")?;
        writeln!(out, "  scope: {}", self.scope.text())?;
        writeln!(out, "  {:.2} s", self.stats.seconds)?;
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        Ok(())
    }
}
