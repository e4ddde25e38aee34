//! The properties of states: which of them a step can have changed, and whether they hold.

use std::collections::BTreeSet;

use bsym_language::model::{EventId, Pred};
use bsym_semantics::replay::Checks;

use crate::compile::Compiler;
use crate::compile::code::Run;
use crate::space::system::{Machine, REMEMBERED};
use crate::space::transition_cache::Memo;

/// One property: a conjunct of the invariant, an assertion, or the goal.
struct Property<'m> {
    /// The truth value that is no violation.
    good: bool,
    conjunct: Option<usize>,
    reads: Vec<usize>,
    code: Run<'m, bool>,
    memo: Option<Memo>,
}

/// The properties that are checked.
pub struct Properties<'m> {
    list: Vec<Property<'m>>,
    /// Pairs that need not be looked at, by event and conjunct.
    proven: BTreeSet<(EventId, usize)>,
    /// All conjuncts of the invariant are checked.
    whole: bool,
    /// Some property has no code: every state is left to the reference evaluator.
    unclear: bool,
}

impl<'m> Properties<'m> {
    /// Prepares what is checked.
    pub fn new(
        machine: &mut Machine<'m>,
        checks: &Checks,
        proven: &BTreeSet<(EventId, usize)>,
        compiled: bool,
    ) -> Properties<'m> {
        let model = machine.context.eval.model;
        let mut wanted: Vec<(&Pred, bool, Option<usize>)> = Vec::new();
        let chosen = |i: usize| checks.invariant.as_ref().is_none_or(|w| w.contains(&i));
        for (i, conjunct) in model.invariant.iter().enumerate().filter(|(i, _)| chosen(*i)) {
            wanted.push((&conjunct.pred, true, Some(i)));
        }
        let all = wanted.len() == model.invariant.len();
        if checks.assertions {
            wanted.extend(model.assertions.iter().map(|a| (&a.pred, true, None)));
        }
        if checks.goal {
            wanted.extend(model.goal.iter().map(|g| (g, false, None)));
        }
        let mut properties = Properties {
            list: Vec::new(),
            proven: BTreeSet::new(),
            whole: all,
            unclear: !compiled || machine.context.valuations.is_empty(),
        };
        properties.learn(proven.iter().copied());
        if properties.unclear {
            return properties;
        }
        for (pred, good, conjunct) in wanted {
            match compile(machine, pred) {
                Some((code, reads, heavy)) => {
                    let memo = (heavy && reads.len() < machine.width()).then(|| Memo::new(reads.clone()));
                    properties.list.push(Property { good, conjunct, reads, code, memo });
                }
                None => properties.unclear = true,
            }
        }
        properties
    }

    /// Pairs that need not be looked at any more.
    pub fn learn(&mut self, proven: impl IntoIterator<Item = (EventId, usize)>) {
        // A status says that the conjunct holds after the event if the whole invariant held before.
        if self.whole {
            self.proven.extend(proven);
        }
    }

    /// Whether everything is known to be as it should in the state of a row, reached from another row by
    /// an event; `before` is given only where everything is as it should be there.
    pub fn hold(
        &mut self,
        machine: &mut Machine<'m>,
        row: &[u32],
        before: Option<(&[u32], EventId)>,
    ) -> bool {
        if self.unclear {
            return false;
        }
        let mut loaded = false;
        for property in &mut self.list {
            if let Some((old, event)) = before {
                let unchanged = property.reads.iter().all(|at| old[*at] == row[*at]);
                if unchanged || property.conjunct.is_some_and(|c| self.proven.contains(&(event, c))) {
                    continue;
                }
            }
            if let Some(memo) = &mut property.memo {
                if memo.get(row).is_some() {
                    continue;
                }
                if memo.is_useless() {
                    property.memo = None;
                }
            }
            if !loaded {
                let valuation = machine.valuation(row);
                machine.context.load(row, valuation);
                loaded = true;
            }
            if (property.code)(&mut machine.context) != Ok(property.good) {
                return false;
            }
            if let Some(memo) = &mut property.memo {
                memo.remember(0, &[]);
            }
        }
        true
    }
}

type Compiled<'m> = (Run<'m, bool>, Vec<usize>, bool);

fn compile<'m>(machine: &mut Machine<'m>, pred: &Pred) -> Option<Compiled<'m>> {
    let width = machine.width();
    let variables = machine.context.variables.len();
    let have_words = machine.context.constants_have_words();
    let mut compiler = Compiler::new(&mut machine.context);
    let code = compiler.property(pred).ok()?;
    let (slots, mut reads, constants, weight) =
        (compiler.slots(), compiler.reads, compiler.reads_constants, compiler.weight);
    if constants && !have_words {
        return None;
    }
    if constants && width > variables {
        reads.insert(width - 1);
    }
    machine.context.reserve(slots);
    machine.context.load_constants(0);
    Some((code, reads.into_iter().collect(), weight >= REMEMBERED))
}
