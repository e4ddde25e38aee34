//! Methods that find the values of unknowns (constants, parameters, choices) and the order in which they are asked. The
//! order is decided only here.
//!
//! 1. [`Method::Search`]: every question goes to the search of [`crate::constraint`] first. Most questions end within
//!    [`search_steps`] steps: their unknowns are computed one from the other, or have few values.
//! 2. [`Method::Sat`]: then the SAT solver is asked in a finite scope, if the predicates confine each unknown to
//!    finitely many values. Writing the question out takes at most [`draft_steps`] steps. Where that is too few, or
//!    there are more than [`draft_solutions`] values, the solver is asked once more after [`later_steps`] further
//!    steps of the search, with [`writing_steps`]: always about as long as the search before. The solver has
//!    [`sat_steps`] steps. It learns from contradictions, where the search starts over, and reports when there are no
//!    more values. For integers without bounds it could report that only up to the width of a number, and would list
//!    some of infinitely many values, where the search reports its cuts. Universal predicates with very many instances
//!    are stated instance by instance, as valuations violate them.
//! 3. [`Method::Smt`]: questions that SAT refuses (integers without bounds, reals) or does not finish go to an SMT
//!    solver, if there is one, for at most [`smt_time`] and as many steps of writing.
//! 4. [`Method::Exhaustion`]: if no method knows all values, the search runs to its end. Where it finds nothing that
//!    confines an unknown, it restarts with its last resorts: where choices may be cut, a part of infinitely many
//!    values; otherwise an error that names what is missing.
//!
//! The search is suspended while other methods are asked, and continues where it was: it is one search in several
//! turns.
//!
//! Only the search is asked where it lists valuations up to the names of elements and may leave out some for that, and
//! where the caller bounds its work.
//!
//! Steps are counted, so that the first two methods give the same answers on every machine. The reference evaluator
//! judges every value before it counts, whichever method found it. A method that several times did not know all values
//! of the same names is not asked again ([`failures`]): the search would run to its end anyway, so asking only costs
//! time. Where that is true of all methods, the search has no turns. Where another method did know all values, the
//! turns of the next search for the same names, which comes in every state, are short ([`again_steps`]).
//!
//! [`search_steps`]: crate::tuning::Methods::search_steps
//! [`draft_steps`]: crate::tuning::Methods::draft_steps
//! [`draft_solutions`]: crate::tuning::Methods::draft_solutions
//! [`later_steps`]: crate::tuning::Methods::later_steps
//! [`writing_steps`]: crate::tuning::Methods::writing_steps
//! [`sat_steps`]: crate::tuning::Methods::sat_steps
//! [`smt_time`]: crate::tuning::Methods::smt_time
//! [`failures`]: crate::tuning::Methods::failures
//! [`again_steps`]: crate::tuning::Methods::again_steps

use std::cell::Cell;

use crate::tuning::Tuning;

/// A turn of a method that is asked while the search is suspended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Turn {
    /// The method that is asked.
    pub method: Method,
    /// Steps of the search before the turn.
    pub searched: u64,
    /// Most steps of writing the question out.
    pub writing: u64,
    /// Most values that the method lists.
    pub solutions: usize,
}

/// The turns of a search in their order.
pub const TURNS: [Turn; 3] = [
    Turn {
        method: Method::Sat,
        searched: Tuning::DEFAULT.methods.search_steps,
        writing: Tuning::DEFAULT.methods.draft_steps,
        solutions: Tuning::DEFAULT.methods.draft_solutions,
    },
    Turn {
        method: Method::Sat,
        searched: Tuning::DEFAULT.methods.later_steps,
        writing: Tuning::DEFAULT.methods.writing_steps,
        solutions: Tuning::DEFAULT.methods.sat_solutions,
    },
    Turn {
        method: Method::Smt,
        searched: 0,
        writing: Tuning::DEFAULT.methods.writing_steps,
        solutions: Tuning::DEFAULT.methods.smt_solutions,
    },
];

/// The turns of a search where a method has known all values of the same names before.
pub const TURNS_AGAIN: [Turn; 2] =
    [Turn { searched: Tuning::DEFAULT.methods.again_steps, ..TURNS[1] }, Turn { searched: 0, ..TURNS[2] }];

/// A way to find values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// The search, for a number of steps.
    Search,
    /// A SAT solver in the finite scope.
    Sat,
    /// An SMT solver.
    Smt,
    /// The search to its end, with the last resorts.
    Exhaustion,
}

impl Method {
    /// The methods that a finder is asked for, in their order.
    pub const FINDERS: [Method; 2] = [Method::Sat, Method::Smt];
}

/// Counts the questions that each method has answered.
#[derive(Debug, Default)]
pub struct Tally {
    counts: Cell<Answered>,
}

/// Numbers of questions for values, by the method that answered them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Answered {
    /// Answered by the search in few steps.
    pub search: u64,
    /// Answered by SAT.
    pub sat: u64,
    /// Answered by an SMT solver.
    pub smt: u64,
    /// Answered by searching to the end.
    pub exhaustion: u64,
}

impl Tally {
    pub(crate) fn note(&self, method: Method) {
        let mut counts = self.counts.get();
        *match method {
            Method::Search => &mut counts.search,
            Method::Sat => &mut counts.sat,
            Method::Smt => &mut counts.smt,
            Method::Exhaustion => &mut counts.exhaustion,
        } += 1;
        self.counts.set(counts);
    }

    /// Returns the numbers so far.
    pub fn answered(&self) -> Answered {
        self.counts.get()
    }
}
