//! The properties of states that a search checks: which of them a step can have changed, and whether they hold.

use std::collections::BTreeSet;

use bsym_language::model::EventId;
use bsym_semantics::trace::replay::Checks;

use crate::space::dependency_matrix::{DependencyMatrix, LabelId, LabelKind};
use crate::space::machine::{Machine, REMEMBERED};
use crate::space::transition_cache::Cache;

/// One property: a conjunct of the invariant, an assertion, or the goal.
struct Property {
    label: LabelId,
    /// The truth value that is no violation.
    good: bool,
    conjunct: Option<usize>,
    reads: Vec<usize>,
    cache: Option<Cache>,
}

/// The properties that are checked.
pub struct Properties {
    list: Vec<Property>,
    /// Pairs that need not be looked at, by event and conjunct.
    proven: BTreeSet<(EventId, usize)>,
    /// All conjuncts of the invariant are checked.
    whole: bool,
    /// Some property has no code: every state is left to the reference evaluator.
    unclear: bool,
}

impl Properties {
    /// Prepares what is checked.
    pub fn new(
        machine: &mut Machine<'_>,
        checks: &Checks,
        proven: &BTreeSet<(EventId, usize)>,
        compiled: bool,
    ) -> Properties {
        let matrix = machine.matrix.clone();
        let chosen = |i: usize| checks.invariant.as_ref().is_none_or(|w| w.contains(&i));
        let wanted: Vec<LabelId> = matrix
            .label_ids()
            .filter(|label| match matrix.label(*label).kind {
                LabelKind::Invariant(i) => chosen(i),
                LabelKind::Assertion(_) => checks.assertions,
                LabelKind::Goal => checks.goal,
                LabelKind::Guard => false,
            })
            .collect();
        let mut properties = Properties {
            list: Vec::new(),
            proven: BTreeSet::new(),
            whole: (0..machine.context.eval.model.invariant.len()).all(chosen),
            unclear: !compiled || machine.context.valuations.is_empty(),
        };
        properties.learn(proven.iter().copied());
        if properties.unclear {
            return properties;
        }
        for label in wanted {
            let Some(weight) = machine.prepare(label) else {
                properties.unclear = true;
                continue;
            };
            let kind = matrix.label(label).kind;
            let reads = matrix.label(label).reads.clone();
            let is_remembered = weight >= REMEMBERED && reads.len() < machine.width();
            properties.list.push(Property {
                label,
                good: kind != LabelKind::Goal,
                conjunct: if let LabelKind::Invariant(i) = kind { Some(i) } else { None },
                cache: is_remembered.then(|| Cache::new(reads.clone())),
                reads,
            });
        }
        properties
    }

    /// Follows the columns of a matrix that has changed.
    pub fn follow(&mut self, matrix: &DependencyMatrix) {
        for property in &mut self.list {
            property.reads = matrix.label(property.label).reads.clone();
            if let Some(cache) = &mut property.cache {
                *cache = Cache::new(property.reads.clone());
            }
        }
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
        machine: &mut Machine<'_>,
        row: &[u32],
        before: Option<(&[u32], EventId)>,
    ) -> bool {
        if self.unclear {
            return false;
        }
        for property in &mut self.list {
            if let Some((old, event)) = before {
                let unchanged = property.reads.iter().all(|at| old[*at] == row[*at]);
                if unchanged || property.conjunct.is_some_and(|c| self.proven.contains(&(event, c))) {
                    continue;
                }
            }
            if let Some(cache) = &mut property.cache {
                if cache.get(row).is_some() {
                    continue;
                }
                if cache.is_useless() {
                    property.cache = None;
                }
            }
            if machine.quick_label(property.label, row) != Some(property.good) {
                return false;
            }
            if let Some(cache) = &mut property.cache {
                cache.remember(0, &[]);
            }
        }
        true
    }
}
