//! Visiting the states of a model, with every labelled edge between them.
//!
//! The root is node 0. Edges of it set up the constants, if that is a step of its own in ProB, and edges of those nodes, or of the
//! root, initialise; so that counts are ProB's with its root.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_language::model::{EventId, Pred};
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::{Cut, Cuts};
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use bsym_semantics::verdict::{Observer, Reason, Vacuous};

use super::labelled::{Edge, Graph};
use crate::options::{Limits, SearchOptions};
use crate::report::{Incomplete, Progress};
use crate::search::Problem;
use crate::search::constants::{Question, Valuations};
use crate::search::findings::{Gaps, failure, is_interrupted};
use crate::space::dependency_matrix::{LabelId, LabelKind};
use crate::space::machine::Machine;
use crate::space::system::{Edges, System, Target, unwritten};
use crate::store::interner::Store;
use crate::store::state_table::Table;

/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(500);
/// How often memory is measured, in states.
const PULSE: usize = 256;

/// How to visit.
#[derive(Clone, Debug, Default)]
pub struct GraphOptions {
    /// When to give up.
    pub limits: Limits,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
}

/// What a label says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// What is done.
    pub operation: Operation,
    /// Values of the parameters.
    pub parameters: Vec<Value>,
    /// Values of the results.
    pub results: Vec<Value>,
}

/// What an edge does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// Gives the constants their values.
    SetUp,
    /// Gives the variables their first values.
    Initialise,
    /// Executes an event.
    Event(EventId),
}

/// What a node stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// What there is before the constants have values.
    Root,
    /// The constants have values.
    Constants,
    /// A state.
    State(State),
}

/// A node of a state space.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What it stands for.
    pub content: Content,
    /// The valuation of the constants.
    pub valuation: Option<usize>,
    /// Conjuncts of the invariant that are false, by position.
    pub violated: Vec<usize>,
    /// Why steps out of it go wrong: the event, and what is wrong.
    pub wrong: Vec<(EventId, EvalError)>,
    /// Whether it satisfies each of the predicates that were asked.
    pub satisfies: Vec<bool>,
    /// All edges that leave it are known, and there is none.
    pub is_deadlock: bool,
}

/// A state space, as far as it was visited.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The nodes and the edges. States that were not expanded are open.
    pub graph: Graph,
    /// What the nodes stand for.
    pub nodes: Vec<Node>,
    /// What the labels say.
    pub labels: Vec<Label>,
    /// The valuations of the constants.
    pub constants: Vec<Constants>,
    /// Why the visit ended early.
    pub stopped: Option<Reason>,
    /// There is no state.
    pub vacuous: Option<Vacuous>,
    /// What could not be evaluated.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only a part of the values was looked at.
    pub cuts: Vec<Cut>,
}

/// Visits the states of a model breadth-first. `predicates` are asked of every state.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn collect(
    problem: &Problem<'_>,
    predicates: &[Pred],
    options: &GraphOptions,
    observer: &mut dyn Observer<Progress>,
) -> Collected {
    let deadline = options.limits.time.and_then(|t| Instant::now().checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let (cuts, reference_cuts) = (Cuts::default(), Cuts::default());
        let eval = problem.evaluator(interrupt, &cuts);
        let reference = problem.reference(interrupt, &reference_cuts);
        let search = SearchOptions { limits: options.limits.clone(), ..SearchOptions::default() };
        let valuations = Valuations::of(&eval, &cuts, &search, Question::default());
        let mut machine = Machine::new(eval, valuations.found.clone(), Store::default(), true);
        machine.context.deadline = deadline;
        machine.context.cancelled = options.cancelled.clone();
        machine.context.stopped = valuations.interrupted;
        let labels = &machine.matrix.labels;
        let conjuncts = labels.iter().enumerate().filter_map(|(i, label)| match label.kind {
            LabelKind::Invariant(conjunct) => Some((LabelId(i as u32), conjunct)),
            _ => None,
        });
        let conjuncts = conjuncts.collect();
        let asked = predicates.iter().map(|pred| machine.add_proposition(pred)).collect();
        let mut visit = Visit {
            table: Table::new(machine.width()),
            machine,
            reference,
            conjuncts,
            asked,
            made: Collected {
                vacuous: valuations.vacuous,
                constants: valuations.found,
                stopped: valuations.limited,
                ..Collected::default()
            },
            first_state: 0,
            edges: Vec::new(),
            open: Vec::new(),
            numbers: HashMap::new(),
            gaps: Gaps::default(),
            options,
            deadline,
        };
        for (place, error) in valuations.missing {
            visit.gaps.missing(place, error);
        }
        visit.begin(valuations.nodes > 0);
        visit.run(observer);
        visit.finish(&cuts)
    })
}

struct Visit<'m, 'o> {
    machine: Machine<'m>,
    /// Is asked again about what compiled code finds false.
    reference: Evaluator<'m>,
    table: Table,
    conjuncts: Vec<(LabelId, usize)>,
    asked: Vec<LabelId>,
    made: Collected,
    /// Number of the node of the first state.
    first_state: usize,
    edges: Vec<Edge>,
    open: Vec<bool>,
    numbers: HashMap<Label, usize>,
    gaps: Gaps,
    options: &'o GraphOptions,
    deadline: Option<Instant>,
}

impl Visit<'_, '_> {
    /// The root, the valuations, and the initial states.
    fn begin(&mut self, has_set_up: bool) {
        self.add(Content::Root, None);
        let roots = self.machine.roots();
        let mut sources = vec![0; roots];
        if has_set_up {
            let label = self.label(Label::plain(Operation::SetUp));
            for (valuation, source) in sources.iter_mut().enumerate() {
                *source = self.add(Content::Constants, Some(valuation));
                self.edges.push(Edge { from: 0, label, to: *source });
            }
        }
        self.open[0] |= self.made.stopped.is_some() || !self.gaps.incomplete.is_empty();
        self.first_state = self.made.nodes.len();
        let label = self.label(Label::plain(Operation::Initialise));
        for (root, from) in sources.into_iter().enumerate() {
            let edges = self.machine.initial(root);
            if self.machine.is_stopped() {
                self.open[from] = true;
                return;
            }
            self.note(from, None, &edges);
            for edge in &edges.edges {
                if let Some(row) = edge.row() {
                    let to = self.state(row);
                    self.edges.push(Edge { from, label, to });
                }
            }
        }
        let nothing = self.table.is_empty() && self.gaps.incomplete.is_empty();
        if nothing && !self.open.iter().any(|open| *open) {
            self.made.vacuous.get_or_insert(Vacuous::NoInitialState);
        }
    }

    /// Expands states in the order in which they were found.
    fn run(&mut self, observer: &mut dyn Observer<Progress>) {
        let begin = Instant::now();
        let mut next_progress = PROGRESS;
        let mut next = 0;
        while next < self.table.len() {
            if let Some(why) = self.limit(next) {
                self.made.stopped = Some(why);
                break;
            }
            self.expand(next);
            if self.machine.is_stopped() {
                // What was found of this state is a part.
                self.made.stopped = Some(self.interrupted());
                break;
            }
            next += 1;
            let elapsed = begin.elapsed();
            if elapsed >= next_progress {
                next_progress = elapsed + PROGRESS;
                let states = self.table.len() as u64;
                let rate = states as f64 / elapsed.as_secs_f64().max(1e-9);
                let (transitions, frontier) = (self.edges.len() as u64, self.table.len() - next);
                observer.progress(&Progress { states, transitions, frontier, rate });
            }
        }
        for state in next..self.table.len() {
            self.open[self.first_state + state] = true;
        }
        if self.made.stopped.is_none() && self.machine.is_stopped() {
            self.made.stopped = Some(self.interrupted());
        }
    }

    /// Why the visit has to end before the next state is expanded.
    fn limit(&self, next: usize) -> Option<Reason> {
        let limits = &self.options.limits;
        if self.options.cancelled.load(Ordering::Relaxed) || self.is_late() {
            return Some(self.interrupted());
        }
        if let Some(most) = limits.states.filter(|most| self.table.len() > *most) {
            return Some(Reason::StateLimit(most));
        }
        let bytes =
            || self.table.bytes() + self.edges.len() * size_of::<Edge>() + self.machine.effort().bytes;
        if next.is_multiple_of(PULSE)
            && let Some(most) = limits.memory.filter(|most| bytes() > *most)
        {
            return Some(Reason::MemoryOfStates(most));
        }
        self.table.is_full().then_some(Reason::TooManyValues)
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn interrupted(&self) -> Reason {
        if self.options.cancelled.load(Ordering::Relaxed) {
            Reason::Interrupted
        } else if self.is_late() {
            Reason::Timeout
        } else {
            Reason::TooManyValues
        }
    }

    fn expand(&mut self, state: usize) {
        let from = self.first_state + state;
        let row = self.table.row(state as u32);
        let matrix = self.machine.matrix.clone();
        let before = self.edges.len();
        for group in matrix.group_ids() {
            let event = self.machine.event(group);
            let edges = self.machine.edges(group, &row, usize::MAX);
            if self.machine.is_stopped() {
                return;
            }
            self.note(from, Some(event), &edges);
            for edge in edges.edges {
                let Target::Row(target) = edge.target else { continue };
                let (parameters, results) = (edge.parameters, edge.results);
                let label = self.label(Label { operation: Operation::Event(event), parameters, results });
                let to = self.state(&target);
                self.edges.push(Edge { from, label, to });
            }
        }
        let node = &mut self.made.nodes[from];
        node.is_deadlock = self.edges.len() == before && !self.open[from] && node.wrong.is_empty();
    }

    /// Notes which edges may be missing and which go wrong. `None` is the initialisation.
    fn note(&mut self, from: usize, event: Option<EventId>, edges: &Edges) {
        let model = self.machine.context.eval.model;
        let place = event.map_or("INITIALISATION", |event| &model.events[event.index()].name);
        let mut missing: Vec<EvalError> = edges.incomplete.iter().cloned().collect();
        for edge in &edges.edges {
            match (&edge.target, event) {
                (Target::Row(_), _) => {}
                (Target::Unwritten(_), _) => missing.push(unwritten()),
                (Target::Failed(outcome), Some(event)) => {
                    let wrong = (event, failure(outcome));
                    let known = &mut self.made.nodes[from].wrong;
                    if !known.contains(&wrong) {
                        known.push(wrong);
                    }
                }
                (Target::Failed(outcome), None) => missing.push(failure(outcome)),
            }
        }
        for error in missing.into_iter().filter(|error| !is_interrupted(error)) {
            self.open[from] = true;
            self.gaps.missing(place, error);
        }
    }

    /// The node of a state.
    fn state(&mut self, row: &[u32]) -> usize {
        let hash = self.table.hash(row);
        let (state, is_new) = self.table.add(row, hash, 0);
        let node = self.first_state + state as usize;
        if is_new {
            let valuation = self.machine.valuation(row);
            let content = Content::State(self.machine.state(row));
            self.add(content, Some(valuation));
            self.judge(node, row, valuation);
        }
        node
    }

    /// What is false in a state, and which of the predicates that were asked are true.
    fn judge(&mut self, node: usize, row: &[u32], valuation: usize) {
        for (label, conjunct) in self.conjuncts.clone() {
            let truth = self.machine.label(label, row);
            if matches!(truth, Ok(true)) {
                continue;
            }
            // Compiled code alone accuses nobody.
            let model = self.reference.model;
            let Content::State(state) = &self.made.nodes[node].content else { continue };
            let env = Env::new(&self.made.constants[valuation], state);
            match self.reference.pred(&env, &model.invariant[conjunct].pred) {
                Ok(false) => self.made.nodes[node].violated.push(conjunct),
                Ok(true) => {}
                Err(error) => self.missing("the invariant", error),
            }
        }
        for label in self.asked.clone() {
            let truth = self.machine.label(label, row).unwrap_or_else(|error| {
                self.missing("the predicate that is asked", error);
                false
            });
            self.made.nodes[node].satisfies.push(truth);
        }
    }

    fn missing(&mut self, place: &str, error: EvalError) {
        if !is_interrupted(&error) {
            self.gaps.missing(place, error);
        }
    }

    fn add(&mut self, content: Content, valuation: Option<usize>) -> usize {
        let (violated, wrong, satisfies) = Default::default();
        self.made.nodes.push(Node { content, valuation, violated, wrong, satisfies, is_deadlock: false });
        self.open.push(false);
        self.open.len() - 1
    }

    fn label(&mut self, label: Label) -> usize {
        if let Some(known) = self.numbers.get(&label) {
            return *known;
        }
        self.made.labels.push(label.clone());
        self.numbers.insert(label, self.made.labels.len() - 1);
        self.made.labels.len() - 1
    }

    fn finish(self, cuts: &Cuts) -> Collected {
        let mut made = self.made;
        made.graph = Graph::new(made.labels.len(), self.open, self.edges);
        made.incomplete = self.gaps.incomplete;
        made.cuts = cuts.list();
        made
    }
}

impl Label {
    fn plain(operation: Operation) -> Label {
        Label { operation, parameters: vec![], results: vec![] }
    }
}

impl Collected {
    /// Why something may be missing, if anything may be.
    pub fn doubt(&self) -> Option<Reason> {
        let gap = (!self.incomplete.is_empty()).then_some(Reason::Incomplete(None));
        let cut = (!self.cuts.is_empty()).then_some(Reason::Bounded(None));
        self.stopped.clone().or(gap).or(cut)
    }
}
