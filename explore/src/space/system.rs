//! A transition system as searches see it, whatever it is made from: the interface of LTSmin's PINS and CADP's
//! Open/Caesar.
//!
//! A state is a row of words. Transitions come in groups, of which the [dependency matrix](DependencyMatrix) says what
//! they read and write, so that a search may ask about short rows, remember answers, or see that two groups commute.
//! Predicates about states are labels, with what they read.

use std::ops::Add;
use std::sync::Arc;

use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;

use super::dependency_matrix::{DependencyMatrix, GroupId, LabelId, insert};
use super::updates::Updates;
use crate::partial_order::set::Set;
use crate::store::state_table::Table;
use crate::symmetry::permutation::Permutation;

/// A transition system.
///
/// Rows must be of this system: from [`System::initial`], or updates of such rows.
pub trait System {
    /// Columns, groups and labels, with what they read and write.
    fn matrix(&self) -> &Arc<DependencyMatrix>;

    /// Number of ways to begin: the valuations of a model's constants. A row tells its own.
    fn roots(&self) -> usize;

    /// The initial states under one of them.
    fn initial(&mut self, root: usize) -> Edges;

    /// What a group does in a state. The targets of moves are in `updates`; of the row only the columns that the group
    /// reads are looked at, unless the answer is [`Expansion::Edges`].
    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion;

    /// The same for a short row: words for the columns that the group reads. The others are those of `rest`, any row of
    /// the system; the columns read are overwritten there.
    fn next_short(
        &mut self,
        group: GroupId,
        short: &[u32],
        rest: &mut [u32],
        updates: &mut Updates,
    ) -> Expansion {
        insert(short, &self.matrix().group(group).reads, rest);
        self.next(group, rest, updates)
    }

    /// The first `limit` edges of a group out of a state, with parameters and results, each once.
    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges;

    /// Whether a label is true in a state.
    ///
    /// # Errors
    /// It is ill-defined there, or could not be evaluated.
    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool>;

    /// About how long a label takes; from [`REMEMBERED`](super::transition_cache::REMEMBERED) on it pays to remember it.
    fn cost(&mut self, _label: LabelId) -> usize {
        0
    }

    /// The state in which other elements play the roles; `None` where that is no state of the system, as under
    /// constants that the permutation does not keep.
    fn permuted(&mut self, row: &[u32], permutation: &Permutation) -> Option<Vec<u32>>;

    /// The state that is searched instead of this one, which differs from it in the roles of interchangeable elements
    /// only; `None` where that is this one.
    fn stand_in(&mut self, _row: &[u32]) -> Option<Vec<u32>> {
        None
    }

    /// Whether states may stand for others.
    fn reduces(&self) -> bool {
        false
    }

    /// Whether fewer groups than are enabled may be enough.
    fn chooses(&self) -> bool {
        false
    }

    /// Of the groups that are enabled in a state those whose transitions are enough; `None` where all are needed.
    fn enough(&mut self, _row: &[u32], _enabled: &Set) -> Option<Set> {
        None
    }

    /// Whether an answer was given up because time is over or somebody asked to stop: then it means nothing.
    fn is_stopped(&self) -> bool;

    /// The states of a table in another form, if they take less memory so; asked now and then. Afterwards all rows, and the
    /// matrix, are of that form: columns have moved, and groups and labels have kept their numbers.
    fn condensed(&mut self, _states: &Table) -> Option<Table> {
        None
    }

    /// Gives back what is kept beside rows and has grown too large, measured by the bytes that all states take. Nothing but
    /// rows keeps its meaning.
    fn tidy(&mut self, _bytes: usize) {}

    /// What it has done so far.
    fn effort(&self) -> Effort {
        Effort::default()
    }
}

/// A system of which each thread can have one, where equal states are equal rows.
pub trait Replicate: System {
    /// What a system is made from in another thread.
    type Seed: Send + Sync;

    /// Shares with the systems that are made from its seeds what it remembers from now on.
    fn share(&mut self) {}

    /// The seed of this system as it is now.
    fn seed(&self) -> Self::Seed;

    /// A system like that of the seed.
    fn from_seed(seed: &Self::Seed) -> Self;

    /// Takes over what has changed since this system was made from a seed of the same one; `false` where it has to be made
    /// again.
    fn follow(&mut self, _seed: &Self::Seed) -> bool {
        true
    }
}

/// What a system has done, and what it keeps beside rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Answers that were remembered.
    pub hits: u64,
    /// Answers that were looked for in vain among those.
    pub misses: u64,
    /// Groups that the reference evaluator has expanded.
    pub by_reference: u64,
    /// Bytes of its own.
    pub bytes: usize,
    /// Bytes that it shares with those made from its seeds.
    pub shared_bytes: usize,
}

impl Add for Effort {
    type Output = Effort;

    /// That of two systems which share what they share.
    fn add(self, other: Effort) -> Effort {
        Effort {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            by_reference: self.by_reference + other.by_reference,
            bytes: self.bytes + other.bytes,
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
        }
    }
}

/// What a group does in a state.
#[derive(Clone, PartialEq, Debug)]
pub enum Expansion {
    /// Nothing goes wrong. The number of different edges; their different targets are in the updates.
    Moves(u64),
    /// Some executions go wrong, or may be missing, or cannot be written as updates: all edges.
    Edges(Edges),
}

/// Edges out of a state, or to the initial ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edges {
    /// The edges; those that differ in parameters, results or target.
    pub edges: Vec<Edge>,
    /// Why edges may be missing.
    pub incomplete: Option<EvalError>,
    /// Compiled code has found them, so that the reference evaluator may be asked for a second opinion.
    pub compiled: bool,
}

/// One edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Values of the parameters.
    pub parameters: Vec<Value>,
    /// Values of the results.
    pub results: Vec<Value>,
    /// Where it leads.
    pub target: Target,
}

/// Where an edge leads.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// To a state.
    Row(Vec<u32>),
    /// To a state with a value that cannot be written as a word.
    Unwritten(State),
    /// Nowhere: something goes wrong on the way.
    Failed(Outcome),
}

impl Edge {
    /// The state that is reached.
    pub fn row(&self) -> Option<&[u32]> {
        match &self.target {
            Target::Row(row) => Some(row),
            _ => None,
        }
    }
}

/// What to say of a state that is no row.
pub fn unwritten() -> EvalError {
    EvalError::too_large(Default::default(), "a value of a variable cannot be listed")
}
