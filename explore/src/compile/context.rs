//! What compiled code works on: the interner, the words of all names, the reference evaluator.

use bsym_language::model::{ConstId, LocalId};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::state::Constants;
use bsym_semantics::value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::store::interner::{Store, reps};
use crate::store::rep::Rep;

/// The state of an evaluation.
pub struct Context<'m> {
    /// The reference.
    pub eval: Evaluator<'m>,
    /// Interned values.
    pub store: Store,
    /// Words of the variables (first), then of whatever the compiler gave a slot.
    pub slots: Vec<u32>,
    /// Representations of the variables.
    pub variables: Vec<Arc<Rep>>,
    /// Representations of the constants.
    pub constants: Vec<Arc<Rep>>,
    /// Representations of the locals.
    pub locals: Vec<Arc<Rep>>,
    /// The valuations of the constants.
    pub valuations: Vec<Constants>,
    /// The one at hand.
    pub valuation: usize,
    /// Which of the variables that an event may write are written.
    pub mask: u64,
    /// When to stop: looked at now and then by whatever may take long.
    pub deadline: Option<Instant>,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// The code has been stopped; its answers mean nothing.
    pub stopped: bool,
    ticks: u32,
    /// For each constant with one value in all valuations: its word, if that can be written.
    fixed: Vec<Option<Option<u32>>>,
    /// Words of the other constants, by valuation.
    words: Vec<Vec<Option<u32>>>,
}

impl<'m> Context<'m> {
    /// A context for a model and some valuations of its constants.
    pub fn new(eval: Evaluator<'m>, valuations: Vec<Constants>, store: Store) -> Context<'m> {
        let model = eval.model;
        let mut context = Context {
            eval,
            store,
            slots: Vec::new(),
            variables: reps(&eval, model.variables.iter().map(|v| &v.ty)),
            constants: reps(&eval, model.constants.iter().map(|v| &v.ty)),
            locals: reps(&eval, model.locals.iter().map(|v| &v.ty)),
            valuations,
            valuation: 0,
            mask: 0,
            deadline: None,
            cancelled: Arc::default(),
            stopped: false,
            ticks: 0,
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

    /// Whether it is time to stop. Cheap enough for every round of a loop.
    #[inline]
    pub fn is_stopped(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks & 0xFFFF == 0 {
            self.stopped |= self.cancelled.load(Ordering::Relaxed)
                || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.stopped
    }

    /// Whether a constant has the same value in all valuations.
    pub fn is_fixed(&self, c: ConstId) -> bool {
        self.fixed.get(c.index()).is_some_and(Option::is_some)
    }

    /// The word of a constant that has the same value in all valuations.
    pub fn fixed_word(&self, c: ConstId) -> Option<u32> {
        self.fixed.get(c.index()).copied().flatten().flatten()
    }

    /// Whether every constant that varies can be written as a word.
    pub fn constants_have_words(&self) -> bool {
        self.words.iter().all(|words| words.iter().zip(&self.fixed).all(|(w, f)| f.is_some() || w.is_some()))
    }

    /// Puts some variables of a row and a valuation of the constants into the slots: what the code to be run reads.
    #[inline]
    pub fn load(&mut self, row: &[u32], variables: &[usize], valuation: usize) {
        for at in variables {
            self.slots[*at] = row[*at];
        }
        if self.valuation != valuation {
            self.load_constants(valuation);
        }
    }

    /// Makes a valuation the one at hand.
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

    /// The words of a state, without that of its valuation.
    pub fn encode_state(&mut self, state: &[Value]) -> Option<Vec<u32>> {
        let Context { store, eval, variables, .. } = self;
        if state.len() != variables.len() {
            return None;
        }
        state.iter().zip(variables.iter()).map(|(v, rep)| store.encode(eval, rep, v)).collect()
    }

    /// The values of a row.
    pub fn decode_state(&self, row: &[u32]) -> Vec<Value> {
        self.variables.iter().zip(row).map(|(rep, w)| self.store.decode(rep, *w)).collect()
    }
}
