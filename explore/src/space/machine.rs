//! The transition system of a model: an event is a group, a conjunct, an assertion, the goal or a guard is a label.
//!
//! Compiled code answers if it can, the reference evaluator otherwise, and also if something goes wrong.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_language::model::{EventId, Pred, Target as Assigned, VarId};
use bsym_language::walk::{Names, Visitor, always_assigned, cut_into_literals};
use bsym_semantics::evaluator::{Eval, Evaluator};
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId, LabelKind};
use super::interpreted::Interpreted;
use super::sampling::Sampled;
use super::system::{Costly, Edge, Edges, Effort, Expansion, Measured, System, Target};
use super::updates::Updates;
use crate::compile::code::Run;
use crate::compile::context::Context;
use crate::compile::{Compiler, event};
use crate::store::interner::Store;
use crate::symmetry::permutation::Permutation;
use crate::tuning::tuning;

/// Code of an event.
pub(super) struct EventCode<'m> {
    pub(super) event: EventId,
    pub(super) compiled: Option<event::EventCode<'m>>,
    /// Variables that the compiled code reads, those of the guards that are tested first, and those that are written.
    pub(super) reads: Vec<usize>,
    guard_reads: Vec<usize>,
    pub(super) writes: Vec<usize>,
    /// `true` if the event takes so long that its results are cached.
    is_costly: bool,
}

/// Code of a label.
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
    /// No compiled code: the reference evaluator is asked.
    Not,
}

/// A model prepared for search. A row has columns for each variable, as a [`Layout`](crate::store::layout::Layout) says, and one for the
/// valuation of the constants if there are several.
pub struct Machine<'m> {
    /// Values and slots.
    pub context: Context<'m>,
    /// Columns that groups and labels read and write.
    pub matrix: Arc<DependencyMatrix>,
    /// Number of expansions by the reference evaluator.
    pub by_reference: u64,
    /// Events without compiled code, and why.
    pub uncompiled: Vec<(String, String)>,
    /// The events that are sampled.
    pub sampled: Sampled,
    pub(super) events: Vec<EventCode<'m>>,
    labels: Vec<LabelCode<'m>>,
    pub(super) initialisation: Option<event::EventCode<'m>>,
    scratch: event::Edges,
    /// Updates by variables, and one of them by columns.
    pub(super) by_variable: Updates,
    pub(super) by_column: Vec<Option<u32>>,
    pub(super) width: usize,
    /// End of the columns of the variables.
    pub(super) values_end: usize,
    pub(super) compiled: bool,
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
        let root = (valuations.len() > 1).then_some(variables);
        columns.extend(root.map(|_| "constants".into()));
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
            sampled: Sampled::new(model.events.len()),
        };
        machine.context.reserve(variables + model.constants.len());
        let mut matrix = DependencyMatrix { columns, root, ..DependencyMatrix::default() };
        for (i, conjunct) in model.invariant.iter().enumerate() {
            machine.add_label(&mut matrix, LabelKind::Invariant(i), true, &conjunct.pred);
        }
        for (i, assertion) in model.assertions.iter().enumerate() {
            machine.add_label(&mut matrix, LabelKind::Assertion(i), true, &assertion.pred);
        }
        if let Some(goal) = &model.definitions.goal {
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

    /// The system of a model for callers that keep no values of their own.
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

    fn add_label(&mut self, matrix: &mut DependencyMatrix, kind: LabelKind, positive: bool, pred: &'m Pred) {
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

    /// Adds literals as labels, which are guards of no group. Returns the number of the first one.
    pub fn add_literals(&mut self, literals: &[(bool, &'m Pred)]) -> u32 {
        let mut matrix = (*self.matrix).clone();
        let first = matrix.labels.len() as u32;
        for (positive, pred) in literals {
            self.add_label(&mut matrix, LabelKind::Guard, *positive, pred);
        }
        self.matrix = Arc::new(matrix);
        first
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
        let mut is_costly = true;
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
                    (reads, reads_constants, is_costly) =
                        (read, constants, weight >= tuning().space.remembered);
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
            is_costly,
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

    /// Tests whether a label takes so long that it pays to remember it.
    pub fn is_costly_label(&mut self, label: LabelId) -> bool {
        self.prepare(label).is_none_or(|weight| weight >= tuning().space.remembered)
    }

    /// Compiles a label unless that was done before. Returns the measure of how long its code takes, if it has any.
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

    /// Returns whether a label is true, according to its compiled code; `None` if the code has no answer.
    #[inline]
    fn quick_label(&mut self, label: LabelId, row: &[u32]) -> Option<bool> {
        let valuation = self.valuation(row);
        let LabelCode { positive, reads, code, .. } = &self.labels[label.index()];
        let Prepared::Compiled(run, _) = code else { return None };
        self.context.load(row, reads, valuation);
        let truth = run(&mut self.context).ok()?;
        (!self.context.store.is_full()).then_some(truth == *positive)
    }

    /// Evaluates a label by an evaluator of the model.
    pub(super) fn evaluated(&self, label: LabelId, row: &[u32], eval: &Evaluator<'_>) -> Eval<bool> {
        let LabelCode { pred, positive, .. } = &self.labels[label.index()];
        let state = self.context.decode_state(row);
        let env = Env::new(&self.context.valuations[self.valuation(row)], &state);
        eval.pred(&env, pred).map(|truth| truth == *positive)
    }

    /// Removes all limits that could stop the machine.
    pub fn let_go(&mut self) {
        self.context.eval.interrupt = None;
        self.context.stop = Default::default();
    }

    /// Returns the state in which other elements play the roles; `None` if that is no state of the system, for example
    /// because the permutation does not keep the constants.
    pub fn permuted(&mut self, row: &[u32], permutation: &Permutation) -> Option<Vec<u32>> {
        let state: Option<State> =
            self.context.decode_state(row).iter().map(|value| permutation.apply(value)).collect();
        let valuations = &self.context.valuations;
        let constants: Option<Constants> =
            valuations[self.valuation(row)].iter().map(|value| permutation.apply(value)).collect();
        let valuation = valuations.iter().position(|v| Some(v) == constants.as_ref())?;
        self.row(valuation, &state?)
    }
}

impl System for Machine<'_> {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        &self.matrix
    }

    fn roots(&self) -> usize {
        self.context.valuations.len()
    }

    fn initial(&mut self, root: usize, limit: usize) -> Edges {
        if let Some(rows) = self.compiled_initial_rows(root, limit) {
            let edge = |row| Edge { parameters: vec![], results: vec![], target: Target::Row(row) };
            let edges = rows.into_iter().map(edge).collect();
            return Edges { edges, incomplete: None, compiled: true };
        }
        if self.is_stopped() { Edges::default() } else { self.edges_of(None, root, &[], limit) }
    }

    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let valuation = self.valuation(row);
        let Machine { context, events, matrix, scratch, sampled, .. } = self;
        let EventCode { event, compiled, reads, writes, .. } = &events[group.index()];
        updates.start(matrix.groups[group.index()].may_write.len());
        let mut expansion = None;
        if let Some(code) = compiled
            && let Some(most) = sampled.most(Some(*event))
        {
            context.load(row, reads, valuation);
            context.executions.limit(most);
            if !context.layout.is_plain() {
                updates.start(writes.len());
            }
            if let Ok(edges) = code.run(context, scratch, &mut updates.words) {
                if !code.ordered && edges > 1 {
                    sort(updates, writes, context);
                }
                expansion = Some(Expansion::Moves(edges));
            }
            sampled.note(Some(*event), context.executions.are_too_many);
        }
        context.stop.is_set |= context.store.is_full();
        if context.stop.is_set {
            return Expansion::Edges(Edges::default());
        }
        let expansion = expansion.unwrap_or_else(|| self.expand_by_reference(group, row, updates));
        if matches!(expansion, Expansion::Moves(_)) && !self.context.layout.is_plain() {
            self.fold_updates(group, row, updates);
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
        let state = self.context.decode_state(row);
        self.edges_of(Some(group), self.valuation(row), &state, limit)
    }

    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        self.prepare(label);
        match self.quick_label(label, row) {
            Some(truth) => Ok(truth),
            None => self.evaluated(label, row, &self.context.eval),
        }
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        self.context.stop.is_set
    }
}

impl Costly for Machine<'_> {
    fn is_costly(&self, group: GroupId) -> bool {
        self.events[group.index()].is_costly
    }

    #[inline]
    fn is_disabled(&mut self, group: GroupId, row: &[u32]) -> bool {
        let valuation = self.valuation(row);
        let Machine { context, events, .. } = self;
        let EventCode { compiled: Some(code), guard_reads, .. } = &events[group.index()] else {
            return false;
        };
        context.load(row, guard_reads, valuation);
        code.is_disabled(context)
    }
}

impl Measured for Machine<'_> {
    fn effort(&self) -> Effort {
        let shared_bytes = self.context.store.bytes();
        Effort { by_reference: self.by_reference, shared_bytes, ..Effort::default() }
    }
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
