//! The transition system of a model: an event is a group, a conjunct, an assertion, the goal or a guard is a label.
//!
//! Compiled code answers where it can, the reference evaluator otherwise; so it does where something goes wrong. What
//! takes long is remembered by the columns that it reads.

use std::collections::{BTreeSet, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bsym_language::model::{EventId, Model, Pred, Target as Assigned, VarId};
use bsym_language::walk::{Names, Visitor, always_assigned, cut_into_literals};
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::{Eval, Evaluator};
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::transition::{self, Outcome};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId, LabelKind};
use super::system::{Edge, Edges, Effort, Expansion, Replicate, System, Target};
use super::transition_cache::{Cache, REMEMBERED};
use super::updates::Updates;
use crate::compile::code::Run;
use crate::compile::context::Context;
use crate::compile::{Compiler, event};
use crate::partial_order::set::Set;
use crate::partial_order::stubborn::Choice;
use crate::store::interner::Store;
use crate::store::layout::{Form, Layout};
use crate::store::state_table::{StateId, Table};
use crate::symmetry::orbits::Orbits;
use crate::symmetry::permutation::Permutation;
use crate::symmetry::reduction::Symmetry;

/// States from which on it is looked whether another layout of rows takes less memory.
const FIRST_LOOK: usize = 1 << 11;
/// Values that take less, in bytes, need no other layout.
const LEAST_VALUES: usize = 1 << 17;
/// Values that take so many times as much as the rows are folded also where no state has one of its own.
const FAR_MORE: usize = 8;
/// Of so many states one has a value of its own where values are kept as halves.
const OWN: usize = 4;
/// Values that are not kept for good are forgotten when they take so many bytes, and one in so many bytes of all states.
const LEAST_PASSING: usize = 1 << 17;
const PASSING: usize = 12;

/// How an event with too many executions is searched: some are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// Executions of one event in one state that the reference evaluator lists.
    pub listed: usize,
    /// Executions that compiled code lists.
    pub executed: u64,
    /// Where there are more, each choice takes so many values. `None`: where there are more, edges are missing.
    pub values: Option<usize>,
}

/// How an event is executed.
struct EventCode<'m> {
    event: EventId,
    compiled: Option<event::EventCode<'m>>,
    /// Variables that the compiled code reads, those that the guards read which are tested first, and those that are
    /// written.
    reads: Vec<usize>,
    guard_reads: Vec<usize>,
    writes: Vec<usize>,
    cache: Option<Cache>,
    /// Hits and misses of a cache that was dropped.
    dropped: (u64, u64),
}

/// How a label is evaluated.
struct LabelCode<'m> {
    pred: &'m Pred,
    /// The truth value of the predicate that makes the label true.
    positive: bool,
    /// Variables that it reads.
    reads: Vec<usize>,
    code: Prepared<'m>,
}

enum Prepared<'m> {
    NotYet,
    /// Code, and its weight.
    Compiled(Run<'m, bool>, usize),
    /// Only the reference evaluator knows.
    Not,
}

/// A model made ready for search. A row has columns for each variable, as a [`Layout`] says, and one for the valuation of
/// the constants if there are several.
pub struct Machine<'m> {
    /// Values and slots.
    pub context: Context<'m>,
    /// What reads and writes what.
    pub matrix: Arc<DependencyMatrix>,
    /// Expansions by the reference evaluator.
    pub by_reference: u64,
    /// Events without compiled code, and why.
    pub uncompiled: Vec<(String, String)>,
    events: Vec<EventCode<'m>>,
    labels: Vec<LabelCode<'m>>,
    initialisation: Option<event::EventCode<'m>>,
    scratch: event::Edges,
    /// Updates by variables, and one of them by columns.
    by_variable: Updates,
    by_column: Vec<Option<u32>>,
    width: usize,
    /// The columns of the variables end here.
    values_end: usize,
    compiled: bool,
    /// Finds states that stand for others, if there is something to reduce.
    pub orbits: Option<Orbits>,
    /// Chooses the events that are enough in a state, if that is asked.
    pub choice: Option<Choice>,
    /// How choices with too many values are sampled, if they are.
    pub sampling: Option<Sampling>,
    /// Whether the initialisation and the events have had too many executions somewhere, so that they are sampled.
    wide: Vec<bool>,
    /// Steps are found again that were found when less was known to be wide.
    pub finds_again: bool,
    /// From so many states on it is looked again whether rows should have another layout.
    look_at: usize,
}

impl<'m> Machine<'m> {
    /// Prepares a model under some valuations of its constants. The words of a store that is not empty
    /// keep their meaning.
    pub fn new(
        eval: Evaluator<'m>,
        valuations: impl Into<Arc<[Constants]>>,
        store: Store,
        compiled: bool,
    ) -> Machine<'m> {
        let valuations: Arc<[Constants]> = valuations.into();
        let model = eval.model;
        let variables = model.variables.len();
        let mut columns: Vec<String> = model.variables.iter().map(|v| v.name.clone()).collect();
        if valuations.len() > 1 {
            columns.push("constants".into());
        }
        let mut machine = Machine {
            width: columns.len(),
            values_end: variables,
            compiled: compiled && !valuations.is_empty(),
            context: Context::new(eval, valuations, store),
            matrix: Arc::default(),
            by_reference: 0,
            uncompiled: Vec::new(),
            events: Vec::new(),
            labels: Vec::new(),
            initialisation: None,
            scratch: event::Edges::default(),
            by_variable: Updates::default(),
            by_column: Vec::new(),
            orbits: None,
            choice: None,
            sampling: None,
            wide: vec![false; 1 + model.events.len()],
            finds_again: false,
            look_at: FIRST_LOOK,
        };
        machine.context.reserve(variables + model.constants.len());
        let mut matrix = DependencyMatrix { columns, ..DependencyMatrix::default() };
        for (i, conjunct) in model.invariant.iter().enumerate() {
            machine.add_label(&mut matrix, LabelKind::Invariant(i), true, &conjunct.pred);
        }
        for (i, assertion) in model.assertions.iter().enumerate() {
            machine.add_label(&mut matrix, LabelKind::Assertion(i), true, &assertion.pred);
        }
        if let Some(goal) = &model.goal {
            machine.add_label(&mut matrix, LabelKind::Goal, true, goal);
        }
        for e in 0..model.events.len() as u32 {
            machine.add_event(&mut matrix, EventId(e));
        }
        machine.matrix = Arc::new(matrix);
        if machine.compiled {
            machine.compile_initialisation();
        }
        machine.context.load_constants(0);
        machine.context.store.pin();
        machine
    }

    /// The system of a model for whoever keeps no values of its own.
    pub fn of(eval: Evaluator<'m>, valuations: impl Into<Arc<[Constants]>>) -> Machine<'m> {
        Machine::new(eval, valuations, Store::default(), true)
    }

    fn compile_initialisation(&mut self) {
        let have_words = self.context.constants_have_words();
        let mut compiler = Compiler::new(&mut self.context);
        let code = compiler.initialisation();
        let (slots, constants) = (compiler.slots(), compiler.reads_constants);
        if constants && !have_words {
            return;
        }
        self.initialisation = code.ok();
        self.context.reserve(slots);
    }

    pub(super) fn add_label(
        &mut self,
        matrix: &mut DependencyMatrix,
        kind: LabelKind,
        positive: bool,
        pred: &'m Pred,
    ) {
        let names = Names::of_pred(pred);
        let reads: Vec<usize> = names.variables.iter().map(|v| v.index()).collect();
        let varies = names.constants.iter().any(|c| !self.context.is_fixed(*c));
        let constants = (varies && self.width > self.context.variables.len()).then(|| self.width - 1);
        matrix.labels.push(Label { kind, reads: reads.iter().copied().chain(constants).collect() });
        self.labels.push(LabelCode { pred, positive, reads, code: Prepared::NotYet });
    }

    /// Makes a predicate of the model's names a label.
    pub fn add_proposition(&mut self, pred: &'m Pred) -> LabelId {
        let mut matrix = std::mem::take(&mut self.matrix);
        let label = LabelId(self.labels.len() as u32);
        self.add_label(Arc::make_mut(&mut matrix), LabelKind::Proposition, true, pred);
        self.matrix = matrix;
        label
    }

    fn add_event(&mut self, matrix: &mut DependencyMatrix, event: EventId) {
        let model = self.context.eval.model;
        let subject = &model.events[event.index()];
        let mut names = Names::default();
        names.subst(&subject.body);
        let writes: Vec<VarId> = names.written.iter().copied().collect();
        let mut reads: BTreeSet<usize> = names.variables.iter().map(|v| v.index()).collect();
        reads.extend(writes.iter().map(|v| v.index()));
        let mut reads_constants = !names.constants.is_empty();
        let mut heavy = true;
        let (mut compiled, mut guards, mut guard_reads) = (None, Vec::new(), BTreeSet::new());
        if self.compiled {
            let have_words = self.context.constants_have_words();
            let mut compiler = Compiler::new(&mut self.context);
            let result = compiler.event(event, &writes);
            let (slots, read, constants, weight) =
                (compiler.slots(), compiler.reads, compiler.reads_constants, compiler.weight);
            match result {
                Ok(_) if constants && !have_words => {
                    let reason = "it reads a constant that cannot be listed".to_owned();
                    self.uncompiled.push((subject.name.clone(), reason));
                }
                Ok(ready) => {
                    self.context.reserve(slots);
                    (reads, reads_constants, heavy) = (read, constants, weight >= REMEMBERED);
                    let mut literals = Vec::new();
                    let (conditions, _) = event::guarded(&subject.body);
                    conditions.into_iter().for_each(|p| cut_into_literals(true, p, &mut literals));
                    for at in ready.leading_guards() {
                        let (positive, pred) = literals[*at];
                        guards.push(LabelId(self.labels.len() as u32));
                        self.add_label(matrix, LabelKind::Guard, positive, pred);
                    }
                    for at in ready.tested_guards() {
                        let names = Names::of_pred(literals[*at].1);
                        guard_reads.extend(names.variables.iter().map(|v| v.index()));
                    }
                    compiled = Some(ready);
                }
                Err(reason) => self.uncompiled.push((subject.name.clone(), reason)),
            }
        }
        let variables: Vec<usize> = reads.iter().copied().collect();
        if reads_constants && self.width > self.context.variables.len() {
            reads.insert(self.width - 1);
        }
        let reads: Vec<usize> = reads.into_iter().collect();
        let always = always_assigned(&subject.body);
        let must = writes.iter().filter(|v| always.contains(&Assigned::Var(**v)));
        self.events.push(EventCode {
            event,
            compiled,
            reads: variables,
            guard_reads: guard_reads.into_iter().collect(),
            writes: writes.iter().map(|v| v.index()).collect(),
            cache: (heavy && reads.len() < self.width).then(|| Cache::new(reads.clone())),
            dropped: (0, 0),
        });
        matrix.groups.push(Group {
            name: subject.name.clone(),
            must_write: must.map(|v| v.index()).collect(),
            may_write: writes.iter().map(|v| v.index()).collect(),
            reads,
            guards,
        });
    }

    /// Words of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The event of a group.
    #[inline]
    pub fn event(&self, group: GroupId) -> EventId {
        self.events[group.index()].event
    }

    /// The group of an event.
    pub fn group(event: EventId) -> GroupId {
        GroupId(event.0)
    }

    /// The valuation of the constants in a row.
    #[inline]
    pub fn valuation(&self, row: &[u32]) -> usize {
        row.get(self.values_end).map_or(0, |w| *w as usize)
    }

    /// The values of the variables in a row.
    pub fn state(&self, row: &[u32]) -> State {
        self.context.decode_state(row)
    }

    /// The row of a state; `None` if a value cannot be written as a word.
    pub fn row(&mut self, valuation: usize, state: &[Value]) -> Option<Vec<u32>> {
        let mut row = self.context.encode_state(state)?;
        if self.width > row.len() {
            row.push(valuation as u32);
        }
        Some(row)
    }

    /// Compiles a label unless that was done before; the measure of how long its code takes, if it has any.
    fn prepare(&mut self, label: LabelId) -> Option<usize> {
        let LabelCode { pred, code, .. } = &mut self.labels[label.index()];
        if matches!(code, Prepared::NotYet) {
            *code = Prepared::Not;
            let have_words = self.context.constants_have_words();
            let mut compiler = Compiler::new(&mut self.context);
            let result = compiler.property(pred).ok().filter(|_| self.compiled);
            let (slots, constants, weight) = (compiler.slots(), compiler.reads_constants, compiler.weight);
            if let Some(run) = result
                && (have_words || !constants)
            {
                self.context.reserve(slots);
                self.context.load_constants(self.context.valuation);
                self.context.store.pin();
                *code = Prepared::Compiled(run, weight);
            }
        }
        match code {
            Prepared::Compiled(_, weight) => Some(*weight),
            _ => None,
        }
    }

    /// Whether a label is true, according to its compiled code; `None` where that does not say.
    #[inline]
    fn quick_label(&mut self, label: LabelId, row: &[u32]) -> Option<bool> {
        let valuation = self.valuation(row);
        let LabelCode { positive, reads, code, .. } = &self.labels[label.index()];
        let Prepared::Compiled(run, _) = code else { return None };
        self.context.load(row, reads, valuation);
        let truth = run(&mut self.context).ok()?;
        (!self.context.store.is_full()).then_some(truth == *positive)
    }

    fn expand_by_reference(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        self.by_reference += 1;
        let code = &self.events[group.index()];
        let is_compiled = code.compiled.is_some();
        let valuation = self.valuation(row);
        let edges = self.reference_edges(Some(code.event), valuation, &self.state(row));
        // The cache of compiled code does not look at what is written and not read.
        if is_compiled || !edges.incomplete.is_empty() || !self.write_updates(group, &edges, updates) {
            return Expansion::Edges(self.written(valuation, edges));
        }
        Expansion::Moves(edges.edges.len() as u64)
    }

    /// Writes edges of the reference evaluator as updates of variables, each once; whether that can be done for all.
    fn write_updates(&mut self, group: GroupId, edges: &transition::Edges, updates: &mut Updates) -> bool {
        let Machine { context: Context { store, eval, variables, .. }, events, .. } = self;
        let writes = &events[group.index()].writes;
        let mut distinct = HashSet::new();
        updates.start(writes.len());
        for edge in &edges.edges {
            let Some(target) = edge.state() else { return false };
            let words = writes.iter().map(|at| store.encode(eval, &variables[*at], &target[*at]));
            let Some(words) = words.collect::<Option<Vec<u32>>>() else { return false };
            if !distinct.contains(&words) {
                updates.push(words.iter().map(|word| Some(*word)));
                distinct.insert(words);
            }
        }
        true
    }

    /// The edges of an event, or of the initialisation, by the reference evaluator: a part of them where there are too many.
    pub(crate) fn reference_edges(
        &mut self,
        event: Option<EventId>,
        valuation: usize,
        state: &[Value],
    ) -> transition::Edges {
        let constants = &self.context.valuations[valuation];
        let edges = |eval: &Evaluator<'_>| match event {
            None => eval.initial_states(constants),
            Some(event) => eval.successors_of(event, constants, state),
        };
        let eval = &self.context.eval;
        let Some(Sampling { listed, values, .. }) = self.sampling else { return edges(eval) };
        let at = place(event);
        let mut all = transition::Edges::default();
        if !self.wide[at] || self.finds_again {
            all = edges(&eval.listing(listed));
            if all.incomplete.iter().all(|(_, e)| e.kind != EvalErrorKind::TooLarge) {
                return all;
            }
        }
        let Some(values) = values else { return all };
        let mut sample = edges(&eval.with_samples(values));
        self.wide[at] = true;
        if self.finds_again {
            sample.edges.append(&mut all.edges);
        }
        sample
    }

    /// Whether an event, or the initialisation, was sampled somewhere.
    pub fn is_sampled(&self, event: Option<EventId>) -> bool {
        self.wide[place(event)]
    }

    /// Whether any was.
    pub fn has_sampled(&self) -> bool {
        self.wide.contains(&true)
    }

    /// Edges of the reference evaluator with their targets in words.
    pub fn written(&mut self, valuation: usize, edges: transition::Edges) -> Edges {
        let incomplete = edges.incomplete.into_iter().next().map(|(_, e)| e);
        let edges = edges.edges.into_iter().map(|edge| self.written_edge(valuation, edge)).collect();
        self.context.stopped |= self.context.store.is_full();
        Edges { edges, incomplete, compiled: false }
    }

    fn written_edge(&mut self, valuation: usize, edge: transition::Edge) -> Edge {
        let transition::Edge { execution, outcome, .. } = edge;
        let (results, target) = match outcome {
            Outcome::Reached { state, results } => match self.row(valuation, &state) {
                Some(row) => (results, Target::Row(row)),
                None => (results, Target::Unwritten(state)),
            },
            failure => (execution.results, Target::Failed(failure)),
        };
        Edge { parameters: execution.parameters, results, target }
    }

    /// The first edges of an event by compiled code, if it finds them all.
    fn compiled_edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Option<Vec<Edge>> {
        let valuation = self.valuation(row);
        let EventCode { event, compiled, reads, writes, .. } = &self.events[group.index()];
        let (code, writes) = (compiled.as_ref()?, writes.len());
        let at = place(Some(*event));
        if self.wide[at] && !self.finds_again {
            return None;
        }
        self.context.load(row, reads, valuation);
        self.context.limit_executions(self.sampling.map_or(u64::MAX, |sampling| sampling.executed));
        let (mut words, mut seen, mut distinct) = (Vec::new(), HashSet::new(), Vec::new());
        let found = code.each_edge(&mut self.context, &mut words, &mut |words: &mut Vec<u32>| {
            let edge: Box<[u32]> = words.drain(..).collect();
            if !seen.contains(&edge) {
                distinct.push(edge.clone());
                seen.insert(edge);
            }
            if distinct.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.wide[at] |= self.context.has_too_many;
        found.ok().filter(|()| !self.context.store.is_full())?;
        let event = &self.context.eval.model.events[event.index()];
        let matrix = self.matrix.clone();
        let may_write = &matrix.group(group).may_write;
        let locals: Vec<_> =
            event.parameters.iter().chain(&event.results).map(|l| self.context.local(*l)).collect();
        let mut updates = Updates::default();
        let mut edge = |words: &[u32]| {
            let (shown, update) = words.split_at(locals.len());
            let mut values: Vec<Value> =
                locals.iter().zip(shown).map(|(rep, word)| self.context.store.decode(rep, *word)).collect();
            let results = values.split_off(event.parameters.len());
            updates.start(writes);
            updates.words.extend_from_slice(update);
            self.fold_updates(group, row, &mut updates);
            let mut target = row.to_vec();
            updates.iter().for_each(|update| update.apply(may_write, &mut target));
            Edge { parameters: values, results, target: Target::Row(target) }
        };
        Some(distinct.iter().map(|words| edge(words)).collect())
    }

    /// The first initial states of a valuation.
    pub fn first_initial(&mut self, root: usize, limit: usize) -> Edges {
        if let Some(rows) = self.compiled_initial_rows(root, limit) {
            let edge = |row| Edge { parameters: vec![], results: vec![], target: Target::Row(row) };
            let edges = rows.into_iter().map(edge).collect();
            return Edges { edges, incomplete: None, compiled: true };
        }
        if self.is_stopped() { Edges::default() } else { self.edges_of_state(None, root, &[], limit) }
    }

    /// The first edges of an event out of a state, or of the initialisation, by the reference evaluator.
    pub fn edges_of_state(
        &mut self,
        event: Option<EventId>,
        valuation: usize,
        state: &[Value],
        limit: usize,
    ) -> Edges {
        if limit >= self.context.eval.limits.branching || self.sampling.is_some() {
            let mut edges = self.reference_edges(event, valuation, state);
            edges.edges.truncate(limit);
            return self.written(valuation, edges);
        }
        let (eval, constants) = (&self.context.eval, &self.context.valuations[valuation]);
        let mut edges = transition::Edges::default();
        let done = eval.each_edge(event, constants, state, &mut |edge| {
            edges.edges.push(edge);
            if edges.edges.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        edges.incomplete.extend(done.err().map(|e| (event, e)));
        self.written(valuation, edges)
    }

    /// How the reference evaluator executes an edge: the choices on the way.
    ///
    /// # Errors
    /// It does not find the edge, and perhaps why.
    pub fn execution(
        &self,
        event: Option<EventId>,
        valuation: usize,
        state: &[Value],
        edge: &Edge,
    ) -> Result<transition::Edge, Option<EvalError>> {
        let (eval, constants) = (&self.context.eval, &self.context.valuations[valuation]);
        let mut found = None;
        let mut look = |executed: transition::Edge| {
            let same = match (&executed.outcome, &edge.target) {
                (Outcome::Reached { state, results }, Target::Row(row)) => {
                    *results == edge.results && *state == self.context.decode_state(row)
                }
                (Outcome::Reached { state, results }, Target::Unwritten(target)) => {
                    *results == edge.results && state == target
                }
                (failure, Target::Failed(outcome)) => failure == outcome,
                _ => false,
            };
            if same {
                found = Some(executed);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let done = match event {
            None => eval.each_edge(None, constants, state, &mut look),
            Some(event) => eval.each_edge_with(event, &edge.parameters, constants, state, &mut look),
        };
        found.ok_or(done.err())
    }

    /// The rows of the first initial states of a valuation, each once, if compiled code finds them.
    fn compiled_initial_rows(&mut self, valuation: usize, limit: usize) -> Option<Vec<Vec<u32>>> {
        let at = place(None);
        let code = self.initialisation.as_ref().filter(|_| !self.wide[at] || self.finds_again)?;
        self.context.load_constants(valuation);
        self.context.limit_executions(self.sampling.map_or(u64::MAX, |sampling| sampling.executed));
        let rows = code.initial(&mut self.context, limit);
        self.wide[at] |= self.context.has_too_many;
        let rows = rows.ok()?;
        // What found no room got the word of another value.
        if self.context.store.is_full() {
            self.context.stopped = true;
            return None;
        }
        let variables = self.context.variables.len();
        if variables == 0 {
            return None;
        }
        let rows = rows.chunks_exact(variables).map(|words| {
            let mut row = self.context.row_of(words.to_vec());
            if self.width > row.len() {
                row.push(valuation as u32);
            }
            row
        });
        Some(rows.collect())
    }

    /// Makes updates of variables those of their columns. They are updates of a row.
    fn fold_updates(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) {
        if self.context.layout.is_plain() {
            return;
        }
        let Machine { context, matrix, events, by_variable, by_column, .. } = self;
        let writes = &events[group.index()].writes;
        std::mem::swap(updates, by_variable);
        updates.start(matrix.groups[group.index()].may_write.len());
        for update in by_variable.iter() {
            by_column.clear();
            for (i, variable) in writes.iter().enumerate() {
                if update.is_written(i) {
                    context.fold_change(*variable, row, update.words[i], by_column);
                } else {
                    by_column.extend(context.layout.columns(*variable).map(|_| None));
                }
            }
            updates.push(by_column.drain(..));
        }
    }

    /// Gives rows another layout; none that were made before may be used any more.
    ///
    /// `None` if they have not the plain one, or the variables cannot be written in these forms.
    pub fn set_layout(&mut self, layout: Layout) -> Option<()> {
        if !self.context.layout.is_plain() || !layout.fits(&self.context.variables) {
            return None;
        }
        if layout.is_plain() {
            return Some(());
        }
        let matrix = Arc::make_mut(&mut self.matrix);
        let parts = |name: &str, columns: Range<usize>| {
            let half = |i: usize| if i == 0 { name.to_owned() } else { format!("{name}'") };
            (0..columns.len()).map(half).collect::<Vec<String>>()
        };
        let names = matrix.columns.iter().enumerate();
        matrix.columns = names.flat_map(|(v, name)| parts(name, layout.columns(v))).collect();
        for group in &mut matrix.groups {
            for columns in [&mut group.reads, &mut group.may_write, &mut group.must_write] {
                *columns = layout.columns_of(columns);
            }
        }
        for label in &mut matrix.labels {
            label.reads = layout.columns_of(&label.reads);
        }
        for (code, group) in self.events.iter_mut().zip(&matrix.groups) {
            if let Some(cache) = &mut code.cache {
                *cache = cache.renewed(group.reads.clone());
            }
        }
        (self.width, self.values_end) = (matrix.width(), layout.width());
        self.context.layout = layout;
        Some(())
    }

    /// The layout in which the states of a table would take less memory, if there is one: values of which nearly every
    /// state has one of its own as halves, and no value as a word that cannot be forgotten.
    fn layout_for(&self, table: &Table) -> Option<Layout> {
        let values = self.context.store.unfolded_bytes();
        if !self.context.layout.is_plain() || values < LEAST_VALUES || values < table.bytes() {
            return None;
        }
        let mut row = vec![0; table.width()];
        let mut distinct = vec![HashSet::new(); self.context.variables.len()];
        for state in 0..table.len() as StateId {
            table.read(state, &mut row);
            for ((seen, rep), word) in distinct.iter_mut().zip(&self.context.variables).zip(&row) {
                if rep.is_list() {
                    seen.insert(*word);
                }
            }
        }
        let forms = self.context.variables.iter().zip(&distinct).map(|(rep, seen)| match &**rep {
            rep if rep.is_plain() => Form::Word,
            rep if rep.is_list() && seen.len() * OWN >= table.len() => Form::Halves,
            _ => Form::Folded,
        });
        let forms: Vec<Form> = forms.collect();
        // Values that many states share make rows no larger: it is the values alone that become less, and can be forgotten.
        let pays = forms.contains(&Form::Halves) || values >= FAR_MORE * table.bytes();
        pays.then(|| Layout::new(forms))
    }

    /// Lets nothing stop the machine any more.
    pub fn let_go(&mut self) {
        self.context.eval.interrupt = None;
        self.context.cancelled = Arc::default();
        self.context.deadline = None;
        self.context.stopped = false;
    }
}

impl System for Machine<'_> {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        &self.matrix
    }

    fn roots(&self) -> usize {
        self.context.valuations.len()
    }

    fn initial(&mut self, root: usize) -> Edges {
        self.first_initial(root, usize::MAX)
    }

    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let valuation = self.valuation(row);
        let Machine { context, events, matrix, scratch, sampling, wide, finds_again, .. } = self;
        let event = &mut events[group.index()];
        let wide = &mut wide[place(Some(event.event))];
        updates.start(matrix.groups[group.index()].may_write.len());
        if let Some(code) = &event.compiled
            && event.cache.is_some()
        {
            context.load(row, &event.guard_reads, valuation);
            if code.is_disabled(context) {
                return Expansion::Moves(0);
            }
        }
        if let Some(cache) = &mut event.cache {
            if let Some(transitions) = cache.get(row, &mut updates.words) {
                return Expansion::Moves(transitions);
            }
            if cache.is_useless() {
                event.dropped = (cache.hits, cache.misses);
                event.cache = None;
            }
        }
        let mut expansion = None;
        if let Some(code) = event.compiled.as_ref().filter(|_| !*wide || *finds_again) {
            context.load(row, &event.reads, valuation);
            context.limit_executions(sampling.map_or(u64::MAX, |sampling| sampling.executed));
            if !context.layout.is_plain() {
                updates.start(event.writes.len());
            }
            if let Ok(edges) = code.run(context, scratch, &mut updates.words) {
                if !code.ordered && edges > 1 {
                    sort(updates, &event.writes, context);
                }
                expansion = Some(Expansion::Moves(edges));
            }
            *wide |= context.has_too_many;
        }
        context.stopped |= context.store.is_full();
        if context.stopped {
            return Expansion::Edges(Edges::default());
        }
        let expansion = expansion.unwrap_or_else(|| self.expand_by_reference(group, row, updates));
        if matches!(expansion, Expansion::Moves(_)) && !self.context.layout.is_plain() {
            self.fold_updates(group, row, updates);
        }
        if let (Expansion::Moves(transitions), Some(cache)) =
            (&expansion, &mut self.events[group.index()].cache)
        {
            cache.remember(*transitions, &updates.words);
        }
        expansion
    }

    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges {
        if let Some(edges) = self.compiled_edges(group, row, limit) {
            return Edges { edges, incomplete: None, compiled: true };
        }
        if self.is_stopped() {
            return Edges::default();
        }
        let (event, state) = (self.event(group), self.context.decode_state(row));
        self.edges_of_state(Some(event), self.valuation(row), &state, limit)
    }

    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        self.prepare(label);
        if let Some(truth) = self.quick_label(label, row) {
            return Ok(truth);
        }
        let LabelCode { pred, positive, .. } = &self.labels[label.index()];
        let state = self.context.decode_state(row);
        let env = Env::new(&self.context.valuations[self.valuation(row)], &state);
        self.context.eval.pred(&env, pred).map(|truth| truth == *positive)
    }

    fn cost(&mut self, label: LabelId) -> usize {
        self.prepare(label).unwrap_or(usize::MAX)
    }

    fn permuted(&mut self, row: &[u32], permutation: &Permutation) -> Option<Vec<u32>> {
        let state: Option<State> =
            self.context.decode_state(row).iter().map(|value| permutation.apply(value)).collect();
        let valuations = &self.context.valuations;
        let constants: Option<Constants> =
            valuations[self.valuation(row)].iter().map(|value| permutation.apply(value)).collect();
        let valuation = valuations.iter().position(|v| Some(v) == constants.as_ref())?;
        self.row(valuation, &state?)
    }

    fn stand_in(&mut self, row: &[u32]) -> Option<Vec<u32>> {
        if !self.reduces() {
            return None;
        }
        if self.compiled { self.find_stand_in(row) } else { self.checked_stand_in(row) }
    }

    fn reduces(&self) -> bool {
        self.orbits.is_some()
    }

    fn chooses(&self) -> bool {
        self.choice.is_some()
    }

    fn enough(&mut self, row: &[u32], enabled: &Set) -> Option<Set> {
        self.choose(row, enabled)
    }

    fn is_stopped(&self) -> bool {
        self.context.stopped
    }

    fn condensed(&mut self, table: &Table) -> Option<Table> {
        // What is remembered of orbits goes by words.
        if table.len() < self.look_at || self.context.stopped || self.orbits.is_some() {
            return None;
        }
        self.look_at = 2 * table.len();
        let layout = self.layout_for(table)?;
        let (variables, mut row) = (self.context.variables.len(), vec![0; table.width()]);
        let mut condensed = Table::new(layout.width() + table.width() - variables);
        // The words are still those of the plain layout.
        self.set_layout(layout)?;
        for state in 0..table.len() as StateId {
            table.read(state, &mut row);
            let mut new = self.context.row_of(row[..variables].to_vec());
            new.extend(&row[variables..]);
            let hash = condensed.hash(&new);
            condensed.append(&new, hash, table.parent(state));
        }
        self.context.store.give_back();
        Some(condensed)
    }

    fn tidy(&mut self, bytes: usize) {
        let passing = self.context.store.passing_bytes();
        if passing >= LEAST_PASSING && passing * PASSING >= bytes && !self.context.layout.is_plain() {
            self.context.store.forget();
        }
    }

    fn effort(&self) -> Effort {
        let mut effort = Effort {
            by_reference: self.by_reference,
            bytes: self.orbits.as_ref().map_or(0, Orbits::bytes),
            shared_bytes: self.context.store.bytes(),
            ..Effort::default()
        };
        for code in &self.events {
            let (hits, misses) = code.cache.as_ref().map_or(code.dropped, |cache| (cache.hits, cache.misses));
            effort.hits += hits;
            effort.misses += misses;
            match code.cache.as_ref().map(Cache::bytes) {
                Some((bytes, true)) => effort.shared_bytes += bytes,
                Some((bytes, false)) => effort.bytes += bytes,
                None => {}
            }
        }
        effort
    }
}

/// What a machine is made from in another thread.
pub struct Seed<'m> {
    model: &'m Model,
    scope: &'m Scope,
    interrupt: Option<&'m AtomicBool>,
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    valuations: Arc<[Constants]>,
    store: Store,
    layout: Layout,
    compiled: bool,
    sampling: Option<Sampling>,
    symmetry: Option<Arc<Symmetry>>,
    /// What is remembered of each event, where that is shared.
    caches: Vec<Option<Cache>>,
}

impl<'m> Replicate for Machine<'m> {
    type Seed = Seed<'m>;

    fn share(&mut self) {
        self.events.iter_mut().filter_map(|code| code.cache.as_mut()).for_each(Cache::share);
    }

    fn seed(&self) -> Seed<'m> {
        let Context { eval, cancelled, deadline, valuations, store, layout, .. } = &self.context;
        Seed {
            model: eval.model,
            scope: eval.scope,
            interrupt: eval.interrupt,
            cancelled: cancelled.clone(),
            deadline: *deadline,
            valuations: valuations.clone(),
            store: store.clone(),
            layout: layout.clone(),
            compiled: self.compiled,
            // What is too much is left to this machine.
            sampling: self.sampling.map(|sampling| Sampling { values: None, ..sampling }),
            symmetry: self.orbits.as_ref().map(|orbits| orbits.symmetry().clone()),
            caches: self.events.iter().map(|code| code.cache.as_ref().and_then(Cache::shared)).collect(),
        }
    }

    /// Its evaluator looks at all choices and asks no finder: what it leaves open is left to the machine of the seed.
    fn from_seed(seed: &Seed<'m>) -> Machine<'m> {
        let mut eval = Evaluator::new(seed.model, seed.scope);
        eval.interrupt = seed.interrupt;
        let mut machine = Machine::new(eval, seed.valuations.clone(), seed.store.clone(), seed.compiled);
        machine.context.deadline = seed.deadline;
        machine.context.cancelled = seed.cancelled.clone();
        machine.sampling = seed.sampling;
        machine.orbits = seed.symmetry.clone().map(Orbits::new);
        machine.set_layout(seed.layout.clone()).expect("the layout of a machine of the same model");
        for (code, cache) in machine.events.iter_mut().zip(&seed.caches) {
            if let Some(cache) = cache {
                code.cache = cache.shared();
            }
        }
        machine
    }

    fn follow(&mut self, seed: &Seed<'m>) -> bool {
        // What the machine of the seed has forgotten is forgotten here as well.
        if self.context.store.generation() != seed.store.generation() {
            self.context.store = seed.store.clone();
        }
        self.context.layout == seed.layout
    }
}

/// The place of an event, or of the initialisation, in a list of both.
fn place(event: Option<EventId>) -> usize {
    event.map_or(0, |event| 1 + event.index())
}

/// Sorts updates by content, so that states are numbered in the same way whatever words values have.
fn sort(updates: &mut Updates, writes: &[usize], context: &Context<'_>) {
    let digest = |(at, word): (usize, u32)| context.store.digest(&context.variables[at], word);
    let mut sorted: Vec<_> = updates
        .iter()
        .map(|update| {
            let digests: Vec<u64> = update.written(writes).map(digest).collect();
            let mask: Vec<u32> = update.mask.iter().rev().copied().collect();
            ((mask, digests), update)
        })
        .collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let words: Vec<u32> = sorted.iter().flat_map(|(_, update)| update.all_words()).collect();
    updates.words = words;
}
