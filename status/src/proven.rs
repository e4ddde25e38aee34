//! Proven facts: the invariant conjuncts that each event preserves, and the checks of steps and states that never fail.

use std::collections::BTreeMap;

use bsym_language::model::{Conjunct, EventId, Model, RefinementId, RefinementKind};
use bsym_language::print;
use bsym_language::source::Span;

/// An event (`None`: the initialisation) and the position of an invariant conjunct.
pub type Pair = (Option<EventId>, usize);

/// A predicate of the model that is judged in states, by position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// An invariant conjunct.
    Invariant(usize),
    /// An assertion.
    Assertion(usize),
}

/// Check besides the pairs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// The event (`None`: the initialisation) does not fail in this way, from any state that satisfies the whole
    /// invariant.
    Step(Option<EventId>, StepCheck),
    /// A conjunct of the invariant or an assertion has a meaning where the conjuncts before it, or all of
    /// them, hold.
    Meaning(Formula),
    /// The assertion at this position follows from the invariant.
    Theorem(usize),
}

/// Check of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepCheck {
    /// The abstraction can follow.
    Refinement(RefinementId),
    /// The formula at this place has a meaning when it is evaluated.
    Meaning(Span),
}

impl Check {
    /// Describes the check in words, lower case, no full stop.
    pub fn describe(self, model: &Model) -> String {
        let label = |c: &Conjunct| c.label.clone().unwrap_or_else(|| c.text.clone());
        match self {
            Check::Step(event, step) => {
                let event = event.map_or("the initialisation", |e| model.events[e.index()].name.as_str());
                match step {
                    StepCheck::Refinement(id) => {
                        let check = &model.refinement.checks[id.index()];
                        let label = check.label.as_deref().unwrap_or("what has no label");
                        let what = match check.kind {
                            RefinementKind::Guard => "guard",
                            RefinementKind::Simulation => "action",
                            RefinementKind::Unchanged => "unchanged variable",
                            RefinementKind::Witness => "witness for",
                            RefinementKind::Operation => "operation",
                            RefinementKind::Precondition => "precondition",
                        };
                        format!("{event} refines {}: {what} {label}", check.event)
                    }
                    StepCheck::Meaning(span) => {
                        let place = model.text.sources.position(span);
                        let text = print::at(model, span);
                        format!("{event}: well-definedness of `{text}` (line {})", place.line)
                    }
                }
            }
            Check::Meaning(Formula::Invariant(i)) => {
                format!("well-definedness of {}", model.invariant.get(i).map(label).unwrap_or_default())
            }
            Check::Meaning(Formula::Assertion(i)) => {
                format!("well-definedness of {}", model.assertions.get(i).map(label).unwrap_or_default())
            }
            Check::Theorem(i) => {
                format!("theorem {}", model.assertions.get(i).map(label).unwrap_or_default())
            }
        }
    }
}

/// Levels of trust in a status.
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

/// Provers of a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairStatus {
    /// Provers, as in `po.json`.
    pub provers: Vec<String>,
    /// Level of trust.
    pub level: Level,
}

/// The pairs and checks that count as proven. All were proven under *all* conjuncts of the invariant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProofStatus {
    proven: BTreeMap<Pair, PairStatus>,
    checks: BTreeMap<Check, PairStatus>,
}

impl ProofStatus {
    /// Creates a status in which no pair is proven.
    pub fn none() -> Self {
        Self::default()
    }

    /// Counts a pair as proven.
    pub fn insert(&mut self, pair: Pair, status: PairStatus) {
        self.proven.insert(pair, status);
    }

    /// Returns whether `event` is known to establish the conjunct when the whole invariant held before.
    pub fn is_proven(&self, event: Option<EventId>, conjunct: usize) -> bool {
        self.proven.contains_key(&(event, conjunct))
    }

    /// Returns the status of a pair.
    pub fn get(&self, pair: Pair) -> Option<&PairStatus> {
        self.proven.get(&pair)
    }

    /// Withdraws a pair, for example because its status was found wrong.
    pub fn remove(&mut self, pair: Pair) -> Option<PairStatus> {
        self.proven.remove(&pair)
    }

    /// Returns all proven pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (Pair, &PairStatus)> {
        self.proven.iter().map(|(&p, s)| (p, s))
    }

    /// Counts a check as proven.
    pub fn insert_check(&mut self, check: Check, status: PairStatus) {
        self.checks.insert(check, status);
    }

    /// Returns the status of a check, if it is proven.
    pub fn check(&self, check: Check) -> Option<&PairStatus> {
        self.checks.get(&check)
    }

    /// Withdraws a check.
    pub fn remove_check(&mut self, check: Check) -> Option<PairStatus> {
        self.checks.remove(&check)
    }

    /// Returns all proven checks in order.
    pub fn checks(&self) -> impl Iterator<Item = (Check, &PairStatus)> {
        self.checks.iter().map(|(&c, s)| (c, s))
    }

    /// Returns the number of proven pairs.
    pub fn len(&self) -> usize {
        self.proven.len()
    }

    /// Returns whether no pair and no check is proven.
    pub fn is_empty(&self) -> bool {
        self.proven.is_empty() && self.checks.is_empty()
    }
}
