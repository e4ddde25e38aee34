//! Context of compiled code: the interner, the words of all names, the reference evaluator.

use bsym_language::model::{ConstId, LocalId};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::store::interner::{Store, reps};
use crate::store::layout::{Form, Layout, Unfolded};
use crate::store::rep::Rep;

/// Conditions under which code stops. Long-running code checks them from time to time.
#[derive(Clone, Default)]
pub struct Stop {
    /// Time at which to stop.
    pub deadline: Option<Instant>,
    /// Flag that is set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// `true` if code has been stopped; its answers mean nothing.
    pub is_set: bool,
    ticks: u32,
}

impl Stop {
    /// Stops at a time, or when a flag is set, or at once.
    pub fn new(deadline: Option<Instant>, cancelled: Arc<AtomicBool>, is_set: bool) -> Stop {
        Stop { deadline, cancelled, is_set, ticks: 0 }
    }
}

/// Executions that code has found since a limit was set.
pub struct Executions {
    found: u64,
    most: u64,
    /// `true` if there are more than the limit.
    pub are_too_many: bool,
}

impl Executions {
    /// Limits the number of executions that the next code may find. If there are more, it fails.
    #[inline]
    pub fn limit(&mut self, most: u64) {
        *self = Executions { found: 0, most, are_too_many: false };
    }

    /// Counts an execution. Returns whether it exceeds the limit.
    #[inline]
    pub fn are_beyond(&mut self) -> bool {
        self.found += 1;
        self.are_too_many |= self.found > self.most;
        self.are_too_many
    }
}

/// The state of an evaluation.
pub struct Context<'m> {
    /// The reference evaluator.
    pub eval: Evaluator<'m>,
    /// Interned values.
    pub store: Store,
    /// Words of the variables (first), then of all other names with a slot.
    pub slots: Vec<u32>,
    /// Representations of the variables.
    pub variables: Vec<Arc<Rep>>,
    /// Positions of the variables' values in a row.
    pub layout: Layout,
    unfolded: Unfolded,
    /// Representations of the constants.
    pub constants: Vec<Arc<Rep>>,
    /// Representations of the locals.
    pub locals: Vec<Arc<Rep>>,
    /// The valuations of the constants.
    pub valuations: Arc<[Constants]>,
    /// The current valuation.
    pub valuation: usize,
    /// Mask of the written variables, among those that an event may write.
    pub mask: u64,
    /// Conditions under which code stops.
    pub stop: Stop,
    /// Executions that code has found.
    pub executions: Executions,
    /// For each constant with one value in all valuations: its word, if that can be written.
    fixed: Vec<Option<Option<u32>>>,
    /// Words of the other constants, by valuation.
    words: Vec<Vec<Option<u32>>>,
}

impl<'m> Context<'m> {
    /// A context for a model and some valuations of its constants.
    pub fn new(eval: Evaluator<'m>, valuations: Arc<[Constants]>, store: Store) -> Context<'m> {
        let model = eval.model;
        let mut context = Context {
            eval,
            store,
            slots: Vec::new(),
            variables: reps(&eval, model.variables.iter().map(|v| &v.ty)),
            constants: reps(&eval, model.constants.iter().map(|v| &v.ty)),
            locals: reps(&eval, model.locals.iter().map(|v| &v.ty)),
            layout: Layout::plain(model.variables.len()),
            unfolded: Unfolded::default(),
            valuations,
            valuation: 0,
            mask: 0,
            stop: Stop::default(),
            executions: Executions { found: 0, most: u64::MAX, are_too_many: false },
            fixed: Vec::new(),
            words: Vec::new(),
        };
        context.settle_constants();
        context
    }

    fn settle_constants(&mut self) {
        let Context { store, eval, constants, valuations, .. } = self;
        let Some(first) = valuations.first() else { return };
        for (c, rep) in constants.iter().enumerate() {
            let same = valuations.iter().all(|v| v[c] == first[c]);
            self.fixed.push(same.then(|| store.encode(eval, rep, &first[c])));
        }
        if self.fixed.iter().all(Option::is_some) {
            return;
        }
        for valuation in valuations.iter() {
            let words = valuation.iter().zip(constants.iter()).zip(&self.fixed);
            let words = words.map(|((v, rep), fixed)| match fixed {
                Some(word) => *word,
                None => store.encode(eval, rep, v),
            });
            self.words.push(words.collect());
        }
    }

    /// Returns whether it is time to stop. Cheap enough for every round of a loop.
    #[inline]
    pub fn is_stopped(&mut self) -> bool {
        let Stop { deadline, cancelled, is_set, ticks } = &mut self.stop;
        *ticks = ticks.wrapping_add(1);
        if *ticks & 0xFFF == 0 {
            *is_set |= cancelled.load(Ordering::Relaxed)
                || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        *is_set
    }

    /// Returns whether a constant has the same value in all valuations.
    pub fn is_fixed(&self, c: ConstId) -> bool {
        self.fixed.get(c.index()).is_some_and(Option::is_some)
    }

    /// The word of a constant that has the same value in all valuations.
    pub fn fixed_word(&self, c: ConstId) -> Option<u32> {
        self.fixed.get(c.index()).copied().flatten().flatten()
    }

    /// Returns whether every constant that varies can be written as a word.
    pub fn constants_have_words(&self) -> bool {
        self.words.iter().all(|words| words.iter().zip(&self.fixed).all(|(w, f)| f.is_some() || w.is_some()))
    }

    /// Puts some variables of a row and a valuation of the constants into the slots that the code reads.
    #[inline]
    pub fn load(&mut self, row: &[u32], variables: &[usize], valuation: usize) {
        // Code that failed has left its drafts.
        self.store.release(0);
        if self.layout.is_plain() {
            for at in variables {
                self.slots[*at] = row[*at];
            }
        } else {
            self.load_unfolded(row, variables);
        }
        if self.valuation != valuation {
            self.load_constants(valuation);
        }
    }

    #[inline(never)]
    fn load_unfolded(&mut self, row: &[u32], variables: &[usize]) {
        for at in variables {
            self.slots[*at] = self.unfolded(row, *at);
        }
    }

    /// The word of a variable in a row.
    fn unfolded(&mut self, row: &[u32], variable: usize) -> u32 {
        let columns = &row[self.layout.columns(variable)];
        match self.layout.forms()[variable] {
            Form::Word => columns[0],
            form => self.unfolded.word(&mut self.store, &self.variables[variable], form, variable, columns),
        }
    }

    /// Appends the columns of a variable that gets this word after a row, as those of an update.
    #[inline]
    pub fn fold_change(&mut self, variable: usize, row: &[u32], word: u32, out: &mut Vec<Option<u32>>) {
        match self.layout.forms()[variable] {
            Form::Word => out.push(Some(word)),
            form => {
                let before = self.unfolded(row, variable);
                let columns = &row[self.layout.columns(variable)];
                let rep = &self.variables[variable];
                let new = self.unfolded.after(&mut self.store, rep, form, variable, (before, columns), word);
                out.extend(new[..columns.len()].iter().map(|column| Some(*column)));
            }
        }
    }

    /// Makes a valuation the current one.
    pub fn load_constants(&mut self, valuation: usize) {
        self.valuation = valuation;
        let n = self.variables.len();
        for (c, word) in self.words.get(valuation).into_iter().flatten().enumerate() {
            self.slots[n + c] = word.unwrap_or(0);
        }
    }

    /// Makes room for the slots of code.
    pub fn reserve(&mut self, slots: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots, 0);
        }
    }

    /// The representation of a local.
    pub fn local(&self, local: LocalId) -> Arc<Rep> {
        self.locals.get(local.index()).cloned().unwrap_or(Arc::new(Rep::Opaque))
    }

    /// The columns of a state, without that of its valuation.
    pub fn encode_state(&mut self, state: &[Value]) -> Option<Vec<u32>> {
        let Context { store, eval, variables, .. } = self;
        if state.len() != variables.len() {
            return None;
        }
        let words = state.iter().zip(variables.iter()).map(|(v, rep)| store.encode(eval, rep, v));
        let words = words.collect::<Option<Vec<u32>>>()?;
        Some(self.row_of(words))
    }

    /// The columns of the words of all variables.
    pub fn row_of(&mut self, words: Vec<u32>) -> Vec<u32> {
        if self.layout.is_plain() {
            return words;
        }
        let mut row = Vec::with_capacity(self.layout.width() + 1);
        for ((word, rep), form) in words.into_iter().zip(&self.variables).zip(self.layout.forms()) {
            match form {
                Form::Word => row.push(word),
                Form::Folded => row.push(self.store.fold(rep, word)),
                Form::Halves => row.extend(self.store.fold_halves(rep, word)),
            }
        }
        row
    }

    /// The values of a row.
    pub fn decode_state(&self, row: &[u32]) -> Vec<Value> {
        if self.layout.is_plain() {
            return self.variables.iter().zip(row).map(|(rep, w)| self.store.decode(rep, *w)).collect();
        }
        let value = |(variable, rep): (usize, &Arc<Rep>)| {
            let columns = &row[self.layout.columns(variable)];
            match self.layout.forms()[variable] {
                Form::Word => self.store.decode(rep, columns[0]),
                Form::Folded => self.store.decode_folded(rep, columns[0]),
                Form::Halves => self.store.decode_halves(rep, columns),
            }
        };
        self.variables.iter().enumerate().map(value).collect()
    }

    /// Returns whether a row has values of all variables. `known` are words that are known to be sound.
    pub fn is_sound(&mut self, row: &[u32], known: &mut HashSet<(usize, u32)>) -> bool {
        let Context { store, variables, layout, .. } = self;
        variables.iter().enumerate().all(|(variable, rep)| match row[layout.columns(variable)] {
            [left, right] => store.are_sound_halves(rep, [left, right], known),
            [word] if layout.forms()[variable] == Form::Folded => store.is_sound_folded(rep, word, known),
            [word] => store.is_sound(rep, word, known),
            _ => false,
        })
    }
}
