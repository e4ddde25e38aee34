//! Which invariant conjuncts each event is known to preserve.

use std::collections::BTreeMap;

use bsym_language::model::EventId;

/// An event (`None`: the initialisation) and the position of an invariant conjunct.
pub type Pair = (Option<EventId>, usize);

/// How far a status can be relied on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// A claim in a file of unknown origin.
    Claim,
    /// Written by an exporter (ProB packages).
    Exporter,
    /// The proof tool's own files.
    Tool,
    /// Proved by bsym itself.
    Checked,
}

/// Who proved a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairStatus {
    /// Provers, as in `po.json`.
    pub provers: Vec<String>,
    /// How far it can be relied on.
    pub level: Level,
}

/// The pairs that count as proven. All were proven under *all* conjuncts of the invariant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProofStatus {
    proven: BTreeMap<Pair, PairStatus>,
}

impl ProofStatus {
    /// No pair is proven.
    pub fn none() -> Self {
        Self::default()
    }

    /// Counts a pair as proven.
    pub fn insert(&mut self, pair: Pair, status: PairStatus) {
        self.proven.insert(pair, status);
    }

    /// Whether `event` is known to establish the conjunct when the whole invariant held before.
    pub fn is_proven(&self, event: Option<EventId>, conjunct: usize) -> bool {
        self.proven.contains_key(&(event, conjunct))
    }

    /// The status of a pair.
    pub fn get(&self, pair: Pair) -> Option<&PairStatus> {
        self.proven.get(&pair)
    }

    /// Takes a pair back, for example because its status was found wrong.
    pub fn remove(&mut self, pair: Pair) -> Option<PairStatus> {
        self.proven.remove(&pair)
    }

    /// All proven pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (Pair, &PairStatus)> {
        self.proven.iter().map(|(&p, s)| (p, s))
    }

    /// Number of proven pairs.
    pub fn len(&self) -> usize {
        self.proven.len()
    }

    /// Whether no pair is proven.
    pub fn is_empty(&self) -> bool {
        self.proven.is_empty()
    }
}
