//! Strong stubborn sets: sufficient subsets of the events that are enabled in a state.
//!
//! A set is closed in a state if it contains, with an enabled event, all events that do not accord with it, and with a
//! disabled one all that can make some false guard of it true (a necessary enabling set). Valmari, *Stubborn Sets for
//! Reduced State Space Generation*, Petri Nets 1990.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::tuning::Tuning;

/// Relations under which stubborn sets are closed, and the targets that they must be able to reach.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    /// For each event, itself and the events that do not accord with it.
    pub dependent: Vec<FixedBitSet>,
    /// For each event, its guards, as positions in `enablers`.
    pub guards: Vec<Vec<usize>>,
    /// For each guard, the events that can make it true.
    pub enablers: Vec<FixedBitSet>,
    /// For each event, the events that write locations which decide whether it is enabled.
    pub writers: Vec<FixedBitSet>,
    /// Targets that the events of a set must be able to make true.
    pub targets: Vec<Target>,
}

/// Violation or goal in a state. Only the writers can make it true; and, as long as a literal is false, only those of
/// them that can make this literal true.
#[derive(Clone, Debug)]
pub struct Target {
    /// Events that can make it true where it is false.
    pub writers: FixedBitSet,
    /// Literals that are true where it is, as positions in [`Relations::enablers`].
    pub literals: Vec<usize>,
}

/// Chooser of events, with its relations and the truth values that it needs.
#[derive(Debug, Default)]
pub struct Chooser {
    relations: Arc<Relations>,
    /// Truth values of literals in the current state, as far as they were evaluated.
    truths: Vec<Option<bool>>,
    asked: Vec<bool>,
}

/// Callback that returns whether a literal is true in the current state, if that is known.
pub type Truth<'t> = &'t mut dyn FnMut(usize) -> Option<bool>;

impl Chooser {
    /// Makes a chooser under some relations.
    pub fn new(relations: Arc<Relations>) -> Chooser {
        let n = relations.enablers.len();
        Chooser { relations, truths: vec![None; n], asked: vec![false; n] }
    }

    /// Chooses events whose enabled ones are enough in a state; `None` if these are all.
    pub fn choose(&mut self, enabled: &FixedBitSet, truth: Truth<'_>) -> Option<FixedBitSet> {
        self.asked.fill(false);
        let all = enabled.count_ones(..);
        if all < 2 {
            return None;
        }
        let relations = self.relations.clone();
        let mut base = FixedBitSet::with_capacity(relations.dependent.len());
        let mut todo = vec![];
        for target in &relations.targets {
            let options = target.literals.iter().filter(|i| self.truth(**i, truth) == Some(false));
            let options: Vec<&FixedBitSet> = options.map(|i| &relations.enablers[*i]).collect();
            let best =
                options.into_iter().chain([&target.writers]).min_by_key(|set| cost(set, enabled, &base));
            add(&mut base, best.unwrap_or(&target.writers), &mut todo);
        }
        self.close(&mut base, todo, enabled, truth);
        if !base.is_disjoint(enabled) {
            return (base.intersection_count(enabled) < all).then_some(base);
        }
        // A key event, which stays enabled until an event of the set is taken.
        let mut best: Option<(usize, FixedBitSet)> = None;
        let mut keys: Vec<usize> = enabled.ones().collect();
        keys.sort_by_key(|key| relations.dependent[*key].intersection_count(enabled));
        for key in keys.into_iter().take(Tuning::DEFAULT.partial_order.keys) {
            let mut set = base.clone();
            set.insert(key);
            self.close(&mut set, vec![key], enabled, truth);
            let size = set.intersection_count(enabled);
            if best.as_ref().is_none_or(|(least, _)| size < *least) {
                best = Some((size, set));
            }
            if size == 1 {
                break;
            }
        }
        best.filter(|(size, _)| *size < all).map(|(_, set)| set)
    }

    fn truth(&mut self, literal: usize, truth: Truth<'_>) -> Option<bool> {
        if !self.asked[literal] {
            self.asked[literal] = true;
            self.truths[literal] = truth(literal);
        }
        self.truths[literal]
    }

    /// Adds the events that those of the list need, transitively.
    fn close(
        &mut self,
        set: &mut FixedBitSet,
        mut todo: Vec<usize>,
        enabled: &FixedBitSet,
        truth: Truth<'_>,
    ) {
        let relations = self.relations.clone();
        while let Some(event) = todo.pop() {
            let needed = if enabled.contains(event) {
                &relations.dependent[event]
            } else {
                let guards = &relations.guards[event];
                let refuted = guards.iter().filter(|guard| self.truth(**guard, truth) == Some(false));
                let options: Vec<&FixedBitSet> = refuted.map(|guard| &relations.enablers[*guard]).collect();
                let best = options.into_iter().min_by_key(|option| cost(option, enabled, set));
                best.unwrap_or(&relations.writers[event])
            };
            add(set, needed, &mut todo);
        }
    }
}

/// Number of events by which a set grows: enabled events first, since these are states to visit.
fn cost(option: &FixedBitSet, enabled: &FixedBitSet, set: &FixedBitSet) -> (usize, usize) {
    let enabled = option.intersection(enabled).filter(|event| !set.contains(*event)).count();
    (enabled, option.difference_count(set))
}

/// Adds the events of another set; those that are new are appended to the list as well.
fn add(set: &mut FixedBitSet, more: &FixedBitSet, new: &mut Vec<usize>) {
    new.extend(more.difference(set));
    set.union_with(more);
}

/// Chooses events in the states of a search.
pub struct Choice {
    chooser: Chooser,
    /// The label of the first literal.
    pub first: u32,
    /// Number of states where some events were left out.
    pub reduced: u64,
    /// Number of states that were asked about since the last test of whether that pays, and of those where it did.
    asked: (u64, u64),
    /// Number of states that are not asked about, and that of the next pause.
    pause: (u64, u64),
}

impl Choice {
    /// Makes a choice under some relations. Their literals are the labels from `first` on.
    pub fn new(relations: Arc<Relations>, first: u32) -> Choice {
        Choice {
            chooser: Chooser::new(relations),
            first,
            reduced: 0,
            asked: (0, 0),
            pause: (0, Tuning::DEFAULT.partial_order.window),
        }
    }

    /// Chooses a stubborn set, whether or not it pays to ask for one.
    pub fn stubborn(&mut self, enabled: &FixedBitSet, truth: Truth<'_>) -> Option<FixedBitSet> {
        self.chooser.choose(enabled, truth)
    }

    /// Chooses a sufficient subset of the events that are enabled in a state; `None` for all of them. All are enough in
    /// any case: if asking has not paid, the next states are not asked about, and more of them each time.
    pub fn choose(&mut self, enabled: &FixedBitSet, truth: Truth<'_>) -> Option<FixedBitSet> {
        if self.pause.0 > 0 {
            self.pause.0 -= 1;
            return None;
        }
        let found = self.chooser.choose(enabled, truth);
        self.asked.0 += 1;
        self.asked.1 += u64::from(found.is_some());
        self.reduced += u64::from(found.is_some());
        if self.asked.0 == Tuning::DEFAULT.partial_order.window {
            let (asked, paid) = std::mem::take(&mut self.asked);
            self.pause = if paid * Tuning::DEFAULT.partial_order.pays < asked {
                (self.pause.1, self.pause.1 * 2)
            } else {
                (0, Tuning::DEFAULT.partial_order.window)
            };
        }
        found
    }
}
