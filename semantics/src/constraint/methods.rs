//! Who finds the values of unknowns: constants, parameters, choices. It is decided here and nowhere else.
//!
//! 1. [`Method::Search`]: every question goes to the search of [`crate::constraint`] first. Most questions end within
//!    [`search_steps`] steps: their unknowns are computed one from the other, or have few values.
//! 2. [`Method::Sat`]: then the SAT solver is asked in a finite scope, if the unknowns have finitely many
//!    values by what the predicates say of each, and it takes at most [`draft_steps`] steps to write it out; where that is
//!    too few, or there are more than [`draft_solutions`] values, once more after [`later_steps`] further steps of the search, with [`writing_steps`]: always about as long
//!    as the search before. The solver has [`sat_steps`] steps. It learns from what contradicts itself, where the
//!    search begins anew, and says when there are no more values. Of integers without bounds it could say that only up to
//!    the width of a number, and would list some of infinitely many, where the search says that it cuts.
//! 3. [`Method::Smt`]: what SAT does not claim (integers without bounds, reals), or does not end, is asked of an
//!    SMT solver, if there is one, for at most [`smt_time`] and as many steps of writing.
//! 4. [`Method::Exhaustion`]: what nobody knows all values of is searched to its end. Where the search finds nothing
//!    that confines an unknown, it begins anew with its last resorts:
//!    where choices may be cut, a part of infinitely many values; otherwise an error that says what is missing.
//!
//! The search waits while others are asked, and goes on where it was: it is one search in several turns.
//!
//! Nobody but the search is asked where it is to list valuations up to the names of elements and may leave out some for that, and
//! where its work is bounded by whoever evaluates.
//!
//! Steps are counted, so that the first two answer the same on every machine. Whoever finds a value, the
//! reference evaluator judges it before it counts. A method that did not know all values of the same names several
//! times is not asked again ([`failures`]): all would be searched in any case, so that asking only costs time. Where
//! that is so of all methods, the search has no turns. And where another method did know them all, the
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

/// One who is asked while the search waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Turn {
    /// Who.
    pub method: Method,
    /// Steps of the search before.
    pub searched: u64,
    /// Most steps of writing the question out.
    pub writing: u64,
    /// Most values that are listed.
    pub solutions: usize,
}

/// Who is asked, and when.
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

/// The same where one of them has known all values of the same names before.
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
    /// Those that a finder is asked for, in their order.
    pub const FINDERS: [Method; 2] = [Method::Sat, Method::Smt];
}

/// How many questions each method has answered.
#[derive(Debug, Default)]
pub struct Tally {
    counts: Cell<Answered>,
}

/// How many questions for values were answered in which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Answered {
    /// By the search in few steps.
    pub search: u64,
    /// By SAT.
    pub sat: u64,
    /// By an SMT solver.
    pub smt: u64,
    /// By searching to the end.
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

    /// The numbers so far.
    pub fn answered(&self) -> Answered {
        self.counts.get()
    }
}
