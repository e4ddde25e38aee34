//! The transition relation of a model on words.

use std::collections::{BTreeSet, HashSet};

use bsym_language::model::{EventId, VarId};
use bsym_language::walk::{Names, Visitor};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::state::Constants;
use bsym_semantics::transitions::Edges;
use bsym_semantics::value::Value;

use crate::compile::context::Context;
use crate::compile::{Compiler, event};
use crate::space::transition_cache::Memo;
use crate::store::interner::Store;

/// Most variables that one event may write so that updates fit their mask.
const MASKED: usize = 64;
/// From this weight on, the successors of an event are remembered.
pub const REMEMBERED: usize = 30;

/// What an event does in a state.
pub enum Expansion {
    /// Number of different edges; their updates are in [`Machine::updates`].
    Moves(u64),
    /// Some executions go wrong, or are missing: the edges of the reference evaluator.
    Edges(Edges),
}

/// One event.
pub struct EventCode<'m> {
    /// Which.
    pub event: EventId,
    /// Variables that it writes, in the order of the words of an update.
    pub writes: Vec<VarId>,
    code: Option<event::EventCode<'m>>,
    memo: Option<Memo>,
    /// Hits and misses of a memo that was dropped.
    dropped: (u64, u64),
}

/// A model made ready for search. A row is a word for each variable, and one for the valuation of the
/// constants if there are several.
pub struct Machine<'m> {
    /// Values and slots.
    pub context: Context<'m>,
    /// The events.
    pub events: Vec<EventCode<'m>>,
    /// Updates of the last expansion: for each, two words of mask and a word for each variable that
    /// the event writes.
    pub updates: Vec<u32>,
    /// Expansions by the reference evaluator.
    pub by_reference: u64,
    /// Events without compiled code, and why.
    pub uncompiled: Vec<(String, String)>,
    initialisation: Option<event::EventCode<'m>>,
    edges: event::Edges,
    width: usize,
}

impl<'m> Machine<'m> {
    /// Prepares a model under some valuations of its constants. The words of a store that is not empty
    /// keep their meaning.
    pub fn new(eval: Evaluator<'m>, valuations: Vec<Constants>, store: Store, compiled: bool) -> Machine<'m> {
        let variables = eval.model.variables.len();
        let width = variables + usize::from(valuations.len() > 1);
        let compiled = compiled && !valuations.is_empty();
        let mut machine = Machine {
            context: Context::new(eval, valuations, store),
            events: Vec::new(),
            updates: Vec::new(),
            by_reference: 0,
            uncompiled: Vec::new(),
            initialisation: None,
            edges: event::Edges::default(),
            width,
        };
        machine.context.reserve(variables + eval.model.constants.len());
        for e in 0..eval.model.events.len() as u32 {
            let code = machine.event(EventId(e), compiled);
            machine.events.push(code);
        }
        if compiled {
            machine.compile_initialisation();
        }
        machine.context.load_constants(0);
        machine
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

    /// The rows of the initial states of a valuation, each once, if compiled code finds them.
    pub fn initial_rows(&mut self, valuation: usize) -> Option<Vec<Vec<u32>>> {
        let code = self.initialisation.as_ref()?;
        self.context.load_constants(valuation);
        let rows = code.initial(&mut self.context).ok()?;
        let variables = self.context.variables.len();
        if variables == 0 {
            return None;
        }
        let rows = rows.chunks_exact(variables).map(|row| {
            let mut row = row.to_vec();
            if self.width > variables {
                row.push(valuation as u32);
            }
            row
        });
        Some(rows.collect())
    }

    fn event(&mut self, event: EventId, compiled: bool) -> EventCode<'m> {
        let model = self.context.eval.model;
        let mut names = Names::default();
        names.subst(&model.events[event.index()].body);
        let writes: Vec<VarId> = names.written.iter().copied().collect();
        let mut reads: BTreeSet<usize> = names.variables.iter().map(|v| v.index()).collect();
        reads.extend(writes.iter().map(|v| v.index()));
        let mut reads_constants = !names.constants.is_empty();
        let mut heavy = true;
        let mut code = None;
        if compiled {
            let have_words = self.context.constants_have_words();
            let mut compiler = Compiler::new(&mut self.context);
            let result = compiler.event(event, &writes);
            let (slots, read, constants, weight) =
                (compiler.slots(), compiler.reads, compiler.reads_constants, compiler.weight);
            match result {
                Ok(_) if constants && !have_words => {
                    let reason = "it reads a constant that cannot be listed".to_owned();
                    self.uncompiled.push((model.events[event.index()].name.clone(), reason));
                }
                Ok(ready) => {
                    self.context.reserve(slots);
                    code = Some(ready);
                    (reads, reads_constants, heavy) = (read, constants, weight >= REMEMBERED);
                }
                Err(reason) => self.uncompiled.push((model.events[event.index()].name.clone(), reason)),
            }
        }
        if reads_constants && self.width > self.context.variables.len() {
            reads.insert(self.width - 1);
        }
        let memo = (heavy && reads.len() < self.width).then(|| Memo::new(reads.into_iter().collect()));
        EventCode { event, writes, code, memo, dropped: (0, 0) }
    }

    /// Words of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The valuation of the constants in a row.
    #[inline]
    pub fn valuation(&self, row: &[u32]) -> usize {
        row.get(self.context.variables.len()).map_or(0, |w| *w as usize)
    }

    /// The row of a state; `None` if a value cannot be written as a word.
    pub fn row(&mut self, valuation: usize, state: &[Value]) -> Option<Vec<u32>> {
        let mut row = self.context.encode_state(state)?;
        if self.width > row.len() {
            row.push(valuation as u32);
        }
        Some(row)
    }

    /// What event number `e` does in the state of a row.
    pub fn expand(&mut self, e: usize, row: &[u32]) -> Expansion {
        let valuation = self.valuation(row);
        let event = &mut self.events[e];
        if let Some(code) = &event.code {
            self.context.load(row, valuation);
            if event.memo.is_some() && code.is_disabled(&mut self.context) {
                self.updates.clear();
                return Expansion::Moves(0);
            }
        }
        if let Some(memo) = &mut event.memo {
            if let Some((transitions, updates)) = memo.get(row) {
                self.updates.clear();
                self.updates.extend_from_slice(updates);
                return Expansion::Moves(transitions);
            }
            if memo.is_useless() {
                event.dropped = (memo.hits, memo.misses);
                event.memo = None;
            }
        }
        let mut expansion = None;
        if let Some(code) = &event.code
            && let Ok(edges) = code.run(&mut self.context, &mut self.edges, &mut self.updates)
        {
            if !code.ordered && edges > 1 {
                sort(&mut self.updates, &event.writes, &self.context);
            }
            expansion = Some(Expansion::Moves(edges));
        }
        if self.context.stopped {
            return Expansion::Edges(Edges::default());
        }
        let expansion = expansion.unwrap_or_else(|| self.expand_by_reference(e, row));
        if let (Expansion::Moves(transitions), Some(memo)) = (&expansion, &mut self.events[e].memo) {
            memo.remember(*transitions, &self.updates);
        }
        expansion
    }

    fn expand_by_reference(&mut self, e: usize, row: &[u32]) -> Expansion {
        self.by_reference += 1;
        let state = self.context.decode_state(row);
        let valuation = self.valuation(row);
        let code = &self.events[e];
        let constants = &self.context.valuations[valuation];
        let edges = self.context.eval.successors_of(code.event, constants, &state);
        // The memo of compiled code does not look at what is written and not read.
        if !edges.incomplete.is_empty() || code.writes.len() > MASKED {
            return Expansion::Edges(edges);
        }
        let mut distinct = HashSet::new();
        self.updates.clear();
        for edge in &edges.edges {
            let Some(target) = edge.state() else { return Expansion::Edges(edges) };
            let mut update = vec![u32::MAX, u32::MAX];
            for v in &code.writes {
                let Context { store, eval, variables, .. } = &mut self.context;
                match store.encode(eval, &variables[v.index()], &target[v.index()]) {
                    Some(word) => update.push(word),
                    None => return Expansion::Edges(edges),
                }
            }
            if !distinct.contains(&update) {
                self.updates.extend_from_slice(&update);
                distinct.insert(update);
            }
        }
        if code.code.is_some() {
            return Expansion::Edges(edges);
        }
        Expansion::Moves(edges.edges.len() as u64)
    }

    /// Hits and misses of the memos.
    pub fn memo_counts(&self) -> (u64, u64) {
        self.events.iter().fold((0, 0), |(hits, misses), code| {
            let (h, m) = code.memo.as_ref().map_or(code.dropped, |memo| (memo.hits, memo.misses));
            (hits + h, misses + m)
        })
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let memos: usize = self.events.iter().filter_map(|c| c.memo.as_ref()).map(Memo::bytes).sum();
        memos + self.context.store.bytes()
    }
}

/// Sorts updates by content, so that states are numbered in the same way whatever words values have.
fn sort(updates: &mut Vec<u32>, writes: &[VarId], context: &Context<'_>) {
    let digests = |update: &[u32]| {
        let mask = u64::from(update[0]) | u64::from(update[1]) << 32;
        let written = writes.iter().zip(&update[2..]).enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let digest = |(v, word): (&VarId, &u32)| context.store.digest(&context.variables[v.index()], *word);
        (mask, written.map(|(_, written)| digest(written)).collect::<Vec<_>>())
    };
    let mut sorted: Vec<_> = updates.chunks_exact(2 + writes.len()).map(|u| (digests(u), u)).collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    *updates = sorted.into_iter().flat_map(|(_, update)| update.iter().copied()).collect();
}
