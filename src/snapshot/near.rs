//! The states of a trace with those beside it: a graph of what else could have happened.
//!
//! The successors of the states of the trace are computed by the reference evaluator, with a bound on its work that is
//! the same on every machine. States beside the trace are expanded only for arrows to states that are drawn already. All
//! that is left out is told in remarks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bsym_language::model::{EventId, LocalId, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;

use crate::drawing::{Edge, Look, Node, Picture, folded, some};
use crate::tuning::tuning;

/// A step of a trace: its event, with arguments, and the state after it.
#[derive(Clone, Debug)]
pub struct Visited {
    pub event: String,
    pub state: Option<State>,
}

/// A trace in the model and scope that it is of.
#[derive(Clone, Copy)]
pub struct Near<'m> {
    pub model: &'m Model,
    pub scope: &'m Scope,
    pub constants: &'m [Value],
    pub steps: &'m [Visited],
    /// The last state is wrong.
    pub is_violated: bool,
}

/// A state that is drawn.
struct Place {
    state: State,
    /// Steps of the trace that lead here.
    steps: Vec<usize>,
    /// The state that it differs from in what its box shows.
    before: Option<usize>,
}

struct Graph<'m> {
    near: &'m Near<'m>,
    places: Vec<Place>,
    known: BTreeMap<State, usize>,
    /// Labels, and whether the trace goes this way.
    edges: BTreeMap<(usize, usize), (BTreeSet<String>, bool)>,
    left_out: usize,
    not_expanded: usize,
    trace_not_expanded: usize,
}

/// Returns a picture for each of the last steps of a trace, in which the state after it is marked, and the number of the
/// first of these steps.
pub fn near(of: &Near<'_>) -> (Vec<Picture>, usize) {
    let first = of.steps.len().saturating_sub(tuning().near.steps);
    let mut graph = Graph {
        near: of,
        places: vec![],
        known: BTreeMap::new(),
        edges: BTreeMap::new(),
        left_out: 0,
        not_expanded: 0,
        trace_not_expanded: 0,
    };
    graph.trace(first);
    let work = Work::new(tuning().near.work);
    let eval = Evaluator::new(of.model, of.scope).with_work(&work);
    graph.expand(&eval, &work, first);
    let picture = graph.picture(first);
    let frame = |step: usize| {
        let mut frame = picture.clone();
        for (node, place) in frame.nodes.iter_mut().zip(&graph.places) {
            node.here = place.steps.contains(&step);
        }
        frame
    };
    ((first..of.steps.len()).map(frame).collect(), first)
}

impl Graph<'_> {
    /// Adds the states of the trace.
    fn trace(&mut self, first: usize) {
        let mut before = None;
        for (number, step) in self.near.steps.iter().enumerate().skip(first) {
            let Some(state) = &step.state else { continue };
            let place = self.place(state, before);
            self.places[place].steps.push(number);
            if let Some(before) = before {
                let edge = self.edges.entry((before, place)).or_default();
                edge.0.insert(step.event.clone());
                edge.1 = true;
            }
            before = Some(place);
        }
    }

    fn place(&mut self, state: &State, before: Option<usize>) -> usize {
        *self.known.entry(state.clone()).or_insert_with(|| {
            self.places.push(Place { state: state.clone(), steps: vec![], before });
            self.places.len() - 1
        })
    }

    /// Adds the states beside the trace, from its end on, and the arrows between all states.
    fn expand(&mut self, eval: &Evaluator<'_>, work: &Work, first: usize) {
        let of_trace = self.places.len();
        if first == 0 {
            self.step(eval, work, None, true);
        }
        for place in (0..of_trace).rev() {
            if !self.step(eval, work, Some(place), true) {
                self.trace_not_expanded += 1;
            }
        }
        for place in of_trace..self.places.len() {
            if !self.step(eval, work, Some(place), false) {
                self.not_expanded += 1;
            }
        }
    }

    /// Looks at the edges out of a state, or of the initialisation; `false` if some may be missing.
    fn step(&mut self, eval: &Evaluator<'_>, work: &Work, from: Option<usize>, adds: bool) -> bool {
        let state = from.map(|from| self.places[from].state.clone()).unwrap_or_default();
        let events: Vec<Option<EventId>> = match from {
            None => vec![None],
            Some(_) => (0..self.near.model.events.len() as u32).map(|i| Some(EventId(i))).collect(),
        };
        let (mut new, mut is_whole) = (0, true);
        for event in events {
            work.portion(work.left());
            let mut count = 0;
            let done = eval.each_edge(event, self.near.constants, &state, &mut |edge| {
                count += 1;
                if count > tuning().near.edges {
                    return ControlFlow::Break(());
                }
                let Some(after) = edge.state() else { return ControlFlow::Continue(()) };
                if !self.known.contains_key(after) {
                    if !adds {
                        return ControlFlow::Continue(());
                    }
                    let beside = self.places.iter().filter(|place| place.steps.is_empty()).count();
                    if new >= tuning().near.siblings || beside >= tuning().near.beside {
                        self.left_out += 1;
                        return ControlFlow::Continue(());
                    }
                    new += 1;
                }
                let to = self.place(after, from);
                if let (Some(from), Some(event)) = (from, edge.event) {
                    let label = self.label(event, &edge.execution.parameters);
                    let known = self.edges.entry((from, to)).or_default();
                    if !known.1 {
                        known.0.insert(label);
                    }
                }
                ControlFlow::Continue(())
            });
            is_whole &= done.is_ok() && count <= tuning().near.edges;
        }
        is_whole
    }

    fn label(&self, event: EventId, parameters: &[Value]) -> String {
        let model = self.near.model;
        let event = &model.events[event.index()];
        let name = &event.name;
        let text = |value: &Value| value_text(model, self.near.scope, value);
        let named = |(local, value): (&LocalId, &Value)| {
            format!("{} = {}", model.locals[local.index()].name, text(value))
        };
        let values: Vec<String> = event.parameters.iter().zip(parameters).map(named).collect();
        if values.is_empty() { name.clone() } else { format!("{name}({})", values.join(", ")) }
    }

    fn picture(&self, first: usize) -> Picture {
        let edge = |(ends, (labels, is_on)): (&(usize, usize), &(BTreeSet<String>, bool))| Edge {
            from: ends.0,
            to: ends.1,
            lines: some(labels.iter().map(|label| folded(label)), tuning().near.labels),
            tooltip: labels.iter().cloned().collect::<Vec<_>>().join("\n"),
            look: if *is_on { Look::Plain } else { Look::Pale },
            ..Edge::default()
        };
        Picture {
            title: format!("{}: states near the trace", self.near.model.name),
            remarks: self.remarks(first),
            nodes: (0..self.places.len()).map(|place| self.node(place)).collect(),
            edges: self.edges.iter().map(edge).collect(),
            ..Picture::default()
        }
    }

    fn node(&self, number: usize) -> Node {
        let place = &self.places[number];
        let last = self.near.steps.iter().rposition(|step| step.state.is_some());
        let is_last = last.is_some_and(|last| place.steps.contains(&last));
        let values: Vec<String> = self.values(&place.state, None);
        let changed = self.values(&place.state, place.before.map(|before| &self.places[before].state));
        let steps: Vec<String> = place.steps.iter().map(usize::to_string).collect();
        let head = match steps.len() {
            0 => vec![],
            1 => vec![format!("step {}", steps[0])],
            _ => vec![folded(&format!("steps {}", steps.join(", ")))],
        };
        let lines = some(changed.iter().map(|line| folded(line)), tuning().near.lines);
        Node {
            key: number.to_string(),
            lines: [head, lines].concat(),
            tooltip: values.join("\n"),
            look: match (place.steps.is_empty(), is_last && self.near.is_violated) {
                (true, _) => Look::Pale,
                (_, true) => Look::Violated,
                _ => Look::Plain,
            },
            ..Node::default()
        }
    }

    /// The values of a state that differ from those of another.
    fn values(&self, state: &State, other: Option<&State>) -> Vec<String> {
        let names = self.near.model.variables.iter().map(|variable| &variable.name);
        let is_new = |i: usize, value: &Value| other.is_none_or(|other| other.get(i) != Some(value));
        let all = names.zip(state).enumerate().filter(|(i, (_, value))| is_new(*i, value));
        all.map(|(_, (name, value))| {
            format!("{name} = {}", value_text(self.near.model, self.near.scope, value))
        })
        .collect()
    }

    fn remarks(&self, first: usize) -> Vec<String> {
        let mut all = vec![];
        let mut say = |n: usize, one: &str, many: &str| match n {
            0 => {}
            1 => all.push(format!("1 {one}")),
            n => all.push(format!("{n} {many}")),
        };
        say(first, "earlier step of the trace is not drawn", "earlier steps of the trace are not drawn");
        say(self.left_out, "more successor is not drawn", "more successors are not drawn");
        say(
            self.trace_not_expanded,
            "state of the trace was not expanded completely",
            "states of the trace were not expanded completely",
        );
        say(
            self.not_expanded,
            "state beside the trace was not expanded",
            "states beside the trace were not expanded",
        );
        all
    }
}
