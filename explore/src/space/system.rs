//! A transition system as searches see it, whatever it is made from: the interface of LTSmin's PINS and CADP's
//! Open/Caesar.
//!
//! A state is a row of words. Transitions come in groups. The [dependency matrix](DependencyMatrix) says which columns
//! they read and write, so that a search may ask about short rows, cache answers, or see that two groups commute.
//! Predicates about states are labels, with the columns that they read.

use std::ops::{Add, DerefMut};
use std::sync::Arc;

use bsym_semantics::error::EvalError;
use bsym_semantics::evaluator::Eval;
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use fixedbitset::FixedBitSet;

use super::dependency_matrix::{DependencyMatrix, GroupId, LabelId};
use super::updates::Updates;

/// A transition system.
///
/// Rows must be of this system: from [`System::initial`], or updates of such rows. What only some systems can do is a
/// trait of its own: [`Measured`], [`Replicate`], [`Reduce`], [`Costly`].
pub trait System {
    /// Columns, groups and labels, with the columns that they read and write.
    fn matrix(&self) -> &Arc<DependencyMatrix>;

    /// Number of roots: the valuations of a model's constants. A row determines its root.
    fn roots(&self) -> usize;

    /// The first `limit` initial states of a root.
    fn initial(&mut self, root: usize, limit: usize) -> Edges;

    /// Finds the moves of a group in a state. Their targets are in `updates`. Of the row, only the columns that the
    /// group reads are used, unless the answer is [`Expansion::Edges`].
    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion;

    /// The first `limit` edges of a group out of a state, with parameters and results, each once.
    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges;

    /// Evaluates a label in a state.
    ///
    /// # Errors
    /// If it is ill-defined there, or could not be evaluated.
    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool>;

    /// Returns true if an answer was given up because of a timeout or a cancellation: such an answer means nothing.
    fn is_stopped(&self) -> bool;
}

/// A layer that leaves all groups and labels as they are in the system inside.
pub trait Layer: DerefMut<Target: System> {}

impl<L: Layer> System for L {
    #[inline]
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        (**self).matrix()
    }

    fn roots(&self) -> usize {
        (**self).roots()
    }

    fn initial(&mut self, root: usize, limit: usize) -> Edges {
        (**self).initial(root, limit)
    }

    #[inline]
    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        (**self).next(group, row, updates)
    }

    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges {
        (**self).edges(group, row, limit)
    }

    #[inline]
    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        (**self).label(label, row)
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        (**self).is_stopped()
    }
}

/// Makes a layer dereference to the system inside it.
macro_rules! around {
    ($layer:ident) => {
        impl<S> std::ops::Deref for $layer<S> {
            type Target = S;

            #[inline]
            fn deref(&self) -> &S {
                &self.system
            }
        }

        impl<S> std::ops::DerefMut for $layer<S> {
            #[inline]
            fn deref_mut(&mut self) -> &mut S {
                &mut self.system
            }
        }
    };
}
pub(super) use around;

/// A system that measures its work and memory.
pub trait Measured: System {
    /// Effort since the beginning.
    fn effort(&self) -> Effort;
}

/// A system that knows which of its groups take long.
pub trait Costly: System {
    /// Tests whether a group takes so long that it pays to cache its results.
    fn is_costly(&self, group: GroupId) -> bool;

    /// Tests whether guards that are quickly evaluated disable a group: then a cache look-up does not pay.
    fn is_disabled(&mut self, group: GroupId, row: &[u32]) -> bool;
}

/// A system that can be replicated for each thread, where equal states are equal rows.
pub trait Replicate: Measured {
    /// Parts from which another thread makes its system.
    type Seed: Send + Sync;

    /// Shares results that are cached from now on with the systems that are made from its seeds.
    fn share(&mut self);

    /// The seed of this system as it is now.
    fn seed(&self) -> Self::Seed;

    /// Makes a system like that of the seed.
    fn from_seed(seed: &Self::Seed) -> Self;

    /// Takes over changes since this system was made from a seed of the same one; `false` if it must be made again.
    fn follow(&mut self, seed: &Self::Seed) -> bool;
}

/// A system of which a subset of the states, or of the steps, is enough.
pub trait Reduce: Replicate {
    /// The state that is searched instead of this one, which differs from it in the roles of interchangeable elements
    /// only; `None` if it is this one.
    ///
    /// # Errors
    /// If there was no time to find it.
    fn stand_in(&mut self, row: &[u32]) -> Result<Option<Vec<u32>>, NoTime>;

    /// Returns whether a subset of the enabled groups may be enough.
    fn chooses(&self) -> bool;

    /// Returns the enabled groups whose transitions are enough in a state; `None` if all are needed.
    fn enough(&mut self, row: &[u32], enabled: &FixedBitSet) -> Option<FixedBitSet>;
}

/// The system was stopped before it had an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTime;

/// Counts of a system's work, and its memory apart from rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Cache hits.
    pub hits: u64,
    /// Cache misses.
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

    /// Effort of two systems that share their shared memory.
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

/// Result of a group in a state.
#[derive(Clone, PartialEq, Debug)]
pub enum Expansion {
    /// Number of different edges, if nothing goes wrong. Their different targets are in the updates.
    Moves(u64),
    /// All edges, if some executions go wrong, may be missing, or cannot be written as updates.
    Edges(Edges),
}

/// Edges out of a state, or to the initial ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edges {
    /// The edges. They differ in parameters, results or target.
    pub edges: Vec<Edge>,
    /// Why edges may be missing.
    pub incomplete: Option<EvalError>,
    /// `true` if compiled code has found them, so that the reference evaluator may be asked for a second opinion.
    pub compiled: bool,
}

/// One edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Values of the parameters.
    pub parameters: Vec<Value>,
    /// Values of the results.
    pub results: Vec<Value>,
    /// Target of the edge.
    pub target: Target,
}

/// Target of an edge.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// A state.
    Row(Vec<u32>),
    /// A state with a value that cannot be written as a word.
    Unwritten(State),
    /// No state: something goes wrong on the way.
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

/// Error for a state that has no row.
pub fn unwritten() -> EvalError {
    EvalError::too_large(Default::default(), "a value of a variable cannot be listed")
}
