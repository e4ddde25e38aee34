//! Visiting the states of a model, with every labelled edge between them.
//!
//! The root is node 0. Its edges set up the constants, if that is a step of its own in ProB. Edges of the resulting
//! nodes, or of the root, are initialisations. So counts are ProB's with its root.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bsym_language::model::{EventId, Pred};
use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::cuts::Cut;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Observer, Reason, Vacuous};

use super::labelled::{Edge, Graph};

use crate::options::Limits;
use crate::report::{Incomplete, Progress};
use crate::search::Problem;
use crate::search::constants::Question;
use crate::search::findings::{Gaps, failure, is_interrupted};
use crate::session::{Bounds, Teller, with_session};
use crate::space::dependency_matrix::{GroupId, LabelId, LabelKind};
use crate::space::interpreted::Interpreted;
use crate::space::system::{Edges, Target, unwritten};
use crate::store::state_table::Table;
use crate::tuning::Tuning;

/// Options of a visit.
#[derive(Clone, Debug, Default)]
pub struct GraphOptions {
    /// Limits of the visit.
    pub limits: Limits,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
}

/// Label of an edge: an operation with its parameters and results.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The operation.
    pub operation: Operation,
    /// Values of the parameters.
    pub parameters: Vec<Value>,
    /// Values of the results.
    pub results: Vec<Value>,
}

/// Kind of step that an edge stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// Gives the constants their values.
    SetUp,
    /// Gives the variables their first values.
    Initialise,
    /// Executes an event.
    Event(EventId),
}

/// Content of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// The root, before the constants have values.
    Root,
    /// The constants have values.
    Constants,
    /// A state.
    State(State),
}

/// A node of a state space.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// The content.
    pub content: Content,
    /// The valuation of the constants.
    pub valuation: Option<usize>,
    /// Conjuncts of the invariant that are false, by position.
    pub violated: Vec<usize>,
    /// Why steps out of it go wrong: the event, and the error.
    pub wrong: Vec<(EventId, EvalError)>,
    /// For each requested predicate, whether the node satisfies it.
    pub satisfies: Vec<bool>,
    /// All edges that leave the node are known, and there are none.
    pub is_deadlock: bool,
}

/// A state space, as far as it was visited.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The nodes and the edges. States that were not expanded are open.
    pub graph: Graph,
    /// The nodes, by number.
    pub nodes: Vec<Node>,
    /// The labels, by number.
    pub labels: Vec<Label>,
    /// The valuations of the constants.
    pub constants: Vec<Constants>,
    /// Why the visit ended early.
    pub stopped: Option<Reason>,
    /// Why there is no state.
    pub vacuous: Option<Vacuous>,
    /// Parts that could not be evaluated.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only some values were tried.
    pub cuts: Vec<Cut>,
}

/// Visits the states of a model breadth-first, and evaluates `predicates` in every state.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn collect(
    problem: &Problem<'_>,
    predicates: &[Pred],
    options: &GraphOptions,
    observer: &mut dyn Observer<Progress>,
) -> Collected {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let (mut machine, valuations, gaps) = session.machine(&BTreeMap::new(), Question::default(), true);
        let asked: Vec<LabelId> = predicates.iter().map(|pred| machine.add_proposition(pred)).collect();
        let constants = machine.context.valuations.to_vec();
        let mut visit = Visit::new(machine, &asked, &session.bounds);
        visit.gaps = gaps;
        visit.made.vacuous = valuations.vacuous;
        visit.made.stopped = valuations.limited;
        let made = visit.whole(valuations.nodes > 0, observer);
        Collected { constants, cuts: session.cuts.list(), ..made }
    })
}

/// Visits the states of any system breadth-first, and judges the labels of its invariant and the requested ones in
/// every state.
pub fn collect_from<S: Interpreted>(
    system: S,
    asked: &[LabelId],
    options: &GraphOptions,
    observer: &mut dyn Observer<Progress>,
) -> Collected {
    let bounds = Bounds::new(&options.limits, &options.cancelled);
    Visit::new(system, asked, &bounds).whole(false, observer)
}

struct Visit<'v, S> {
    system: S,
    table: Table,
    conjuncts: Vec<(LabelId, usize)>,
    asked: &'v [LabelId],
    made: Collected,
    /// Number of the node of the first state.
    first_state: usize,
    edges: Vec<Edge>,
    open: Vec<bool>,
    numbers: HashMap<Label, usize>,
    gaps: Gaps,
    bounds: &'v Bounds<'v>,
}

impl<'v, S: Interpreted> Visit<'v, S> {
    fn new(system: S, asked: &'v [LabelId], bounds: &'v Bounds<'v>) -> Visit<'v, S> {
        let matrix = system.matrix();
        let conjuncts = matrix.label_ids().filter_map(|label| match matrix.label(label).kind {
            LabelKind::Invariant(conjunct) => Some((label, conjunct)),
            _ => None,
        });
        Visit {
            table: Table::new(matrix.width()),
            conjuncts: conjuncts.collect(),
            system,
            asked,
            made: Collected::default(),
            first_state: 0,
            edges: Vec::new(),
            open: Vec::new(),
            numbers: HashMap::new(),
            gaps: Gaps::default(),
            bounds,
        }
    }

    fn whole(mut self, has_set_up: bool, observer: &mut dyn Observer<Progress>) -> Collected {
        self.begin(has_set_up);
        self.run(observer);
        let graph = Graph::new(self.made.labels.len(), self.open, self.edges);
        Collected { graph, incomplete: self.gaps.incomplete, ..self.made }
    }

    /// Adds the root, the valuations, and the initial states.
    fn begin(&mut self, has_set_up: bool) {
        self.add(Content::Root, None);
        let roots = self.system.roots();
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
            let edges = self.system.initial(root, usize::MAX);
            if self.system.is_stopped() {
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
        let mut teller = Teller::new(observer, Instant::now());
        let mut next = 0;
        while next < self.table.len() {
            if let Some(why) = self.limit(next) {
                self.made.stopped = Some(why);
                break;
            }
            self.expand(next);
            if self.system.is_stopped() {
                // The findings for this state are incomplete.
                self.made.stopped = Some(self.interrupted());
                break;
            }
            next += 1;
            teller.tell(|seconds| {
                let states = self.table.len() as u64;
                let (transitions, frontier) = (self.edges.len() as u64, self.table.len() - next);
                Progress { states, transitions, frontier, rate: states as f64 / seconds }
            });
        }
        for state in next..self.table.len() {
            self.open[self.first_state + state] = true;
        }
        if self.made.stopped.is_none() && self.system.is_stopped() {
            self.made.stopped = Some(self.interrupted());
        }
    }

    /// Returns why the visit must end before the next state is expanded.
    fn limit(&self, next: usize) -> Option<Reason> {
        let bytes = || self.table.bytes() + self.edges.len() * size_of::<Edge>() + self.system.effort().bytes;
        let over = self.bounds.over(self.bounds.deadline, self.table.len());
        let memory = || {
            next.is_multiple_of(Tuning::DEFAULT.reachability.collect_pulse)
                .then(|| self.bounds.out_of_memory(bytes))
                .flatten()
        };
        over.or_else(memory).or_else(|| self.table.is_full().then_some(Reason::TooManyValues))
    }

    fn interrupted(&self) -> Reason {
        self.bounds.over(self.bounds.deadline, 0).unwrap_or(Reason::TooManyValues)
    }

    fn expand(&mut self, state: usize) {
        let from = self.first_state + state;
        let row = self.table.row(state as u32);
        let matrix = self.system.matrix().clone();
        let before = self.edges.len();
        for group in matrix.group_ids() {
            let event = EventId(group.0);
            let edges = self.system.edges(group, &row, usize::MAX);
            if self.system.is_stopped() {
                return;
            }
            self.note(from, Some(group), &edges);
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

    /// Notes the edges that may be missing or go wrong. `None` is the initialisation.
    fn note(&mut self, from: usize, group: Option<GroupId>, edges: &Edges) {
        let matrix = self.system.matrix().clone();
        let place = group.map_or("INITIALISATION", |group| &matrix.group(group).name);
        let mut missing: Vec<EvalError> = edges.incomplete.iter().cloned().collect();
        for edge in &edges.edges {
            match (&edge.target, group) {
                (Target::Row(_), _) => {}
                (Target::Unwritten(_), _) => missing.push(unwritten()),
                (Target::Failed(outcome), Some(group)) => {
                    let wrong = (EventId(group.0), failure(outcome));
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
            let content = Content::State(self.system.values(row));
            self.add(content, Some(self.system.matrix().root(row)));
            self.judge(node, row);
        }
        node
    }

    /// Records the conjuncts that are false in a state, and which of the requested predicates are true there.
    fn judge(&mut self, node: usize, row: &[u32]) {
        for (label, conjunct) in self.conjuncts.clone() {
            let truth = self.system.label(label, row);
            if matches!(truth, Ok(true)) {
                continue;
            }
            // A violation found by compiled code must be confirmed by the reference evaluator.
            match self.system.confirmed(label, row) {
                Ok(false) => self.made.nodes[node].violated.push(conjunct),
                Ok(true) => {}
                Err(error) => self.missing("the invariant", error),
            }
        }
        for label in self.asked {
            let truth = self.system.label(*label, row).unwrap_or_else(|error| {
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
}

impl Label {
    fn plain(operation: Operation) -> Label {
        Label { operation, parameters: vec![], results: vec![] }
    }
}

impl Collected {
    /// Returns why something may be missing, if anything may be.
    pub fn doubt(&self) -> Option<Reason> {
        let gap = (!self.incomplete.is_empty()).then_some(Reason::Incomplete(None));
        let cut = (!self.cuts.is_empty()).then_some(Reason::Bounded(None));
        self.stopped.clone().or(gap).or(cut)
    }
}
