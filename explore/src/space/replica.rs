//! Machines of one model in several threads, with words of the same meaning.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bsym_language::model::Model;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::Constants;

use super::machine::Machine;
use super::sampling::Sampling;
use super::system::Replicate;
use crate::compile::context::{Context, Stop};
use crate::store::interner::Store;
use crate::store::layout::Layout;

/// Parts from which another thread makes its machine.
pub struct Seed<'m> {
    model: &'m Model,
    scope: &'m Scope,
    interrupt: Option<&'m AtomicBool>,
    stop: Stop,
    valuations: Arc<[Constants]>,
    store: Store,
    layout: Layout,
    compiled: bool,
    sampling: Option<Sampling>,
}

impl<'m> Replicate for Machine<'m> {
    type Seed = Seed<'m>;

    fn share(&mut self) {}

    fn seed(&self) -> Seed<'m> {
        let Context { eval, stop, valuations, store, layout, .. } = &self.context;
        Seed {
            model: eval.model,
            scope: eval.scope,
            interrupt: eval.interrupt,
            stop: Stop::new(stop.deadline, stop.cancelled.clone(), false),
            valuations: valuations.clone(),
            store: store.clone(),
            layout: layout.clone(),
            compiled: self.compiled,
            // An event with too many executions is left to the machine of the seed.
            sampling: self.sampled.bounds.map(|bounds| Sampling { values: None, ..bounds }),
        }
    }

    /// The evaluator tries all choices and asks no finder: steps that it leaves open are left to the machine of the
    /// seed.
    fn from_seed(seed: &Seed<'m>) -> Machine<'m> {
        let mut eval = Evaluator::new(seed.model, seed.scope);
        eval.interrupt = seed.interrupt;
        let mut machine = Machine::new(eval, seed.valuations.clone(), seed.store.clone(), seed.compiled);
        machine.context.stop = seed.stop.clone();
        machine.sampled.bounds = seed.sampling;
        machine.set_layout(seed.layout.clone()).expect("the layout of a machine of the same model");
        machine
    }

    fn follow(&mut self, seed: &Seed<'m>) -> bool {
        // Values that the seed's machine has forgotten are forgotten here as well.
        if self.context.store.generation() != seed.store.generation() {
            self.context.store = seed.store.clone();
        }
        self.context.layout == seed.layout
    }
}
