//! What compiled code works on: the interner, the words of all names, the reference evaluator.

use bsym_language::model::LocalId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::state::Constants;
use bsym_semantics::value::Value;
use std::sync::Arc;

use crate::rep::Rep;
use crate::store::{Store, reps};

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
}

impl<'m> Context<'m> {
    /// A context for a model and some valuations of its constants.
    pub fn new(eval: Evaluator<'m>, valuations: Vec<Constants>) -> Context<'m> {
        let model = eval.model;
        Context {
            eval,
            store: Store::default(),
            slots: Vec::new(),
            variables: reps(&eval, model.variables.iter().map(|v| &v.ty)),
            constants: reps(&eval, model.constants.iter().map(|v| &v.ty)),
            locals: reps(&eval, model.locals.iter().map(|v| &v.ty)),
            valuations,
            valuation: 0,
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
