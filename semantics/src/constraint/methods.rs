//! Who finds the values of unknowns: constants, parameters, choices. It is decided here and nowhere else.
//!
//! 1. [`Method::Search`]: every question goes to the search of [`crate::constraint`] first. Most questions end within
//!    [`SEARCH_STEPS`] steps: their unknowns are computed one from the other, or have few values.
//! 2. [`Method::Sat`]: then the SAT solver is asked in a finite scope, if the unknowns have finitely many
//!    values by what the predicates say of each, and it takes at most [`DRAFT_STEPS`] steps to write it out; where that is
//!    too few, or there are more than [`DRAFT_SOLUTIONS`] values, once more after [`LATER_STEPS`] further steps of the search, with [`WRITING_STEPS`]: always about as long
//!    as the search before. The solver has [`SAT_STEPS`] steps. It learns from what contradicts itself, where the
//!    search begins anew, and says when there are no more values. Of integers without bounds it could say that only up to
//!    the width of a number, and would list some of infinitely many, where the search says that it cuts.
//! 3. [`Method::Smt`]: what SAT does not claim (integers without bounds, reals), or does not end, is asked of an
//!    SMT solver, if there is one, for at most [`SMT_TIME`] and as many steps of writing.
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
//! times is not asked again ([`FAILURES`]): all would be searched in any case, so that asking only costs time. Where
//! that is so of all methods, the search has no turns. And where another method did know them all, the
//! turns of the next search for the same names, which comes in every state, are short ([`AGAIN_STEPS`]).

use std::cell::Cell;
use std::time::Duration;

/// Work of the search before SAT is asked: predicates, elements, rounds. Some hundredths of a second.
pub const SEARCH_STEPS: u64 = 200_000;

/// Work of the search after that, before a large question is written out for SAT or an SMT solver is asked, which may
/// take its whole time for no answer.
pub const LATER_STEPS: u64 = 1_800_000;

/// Work of the search before others are asked where one of them has known all values of the same names before.
pub const AGAIN_STEPS: u64 = 20_000;

/// Work for the equations that give unknowns their values before a question is written out.
pub const EQUATION_STEPS: u64 = 50_000;

/// Work of writing a question out for the SAT solver at first: expressions, instances, terms. What takes more waits for
/// the search.
pub const DRAFT_STEPS: u64 = 200_000;

/// The same at last. What takes more is refused.
pub const WRITING_STEPS: u64 = 2_000_000;

/// Work of the SAT solver for one question, all its values together: gates, decisions, values read.
pub const SAT_STEPS: u64 = 500_000;

/// Most values that SAT lists at first: each takes it longer than the search, which is the better one where there are many.
pub const DRAFT_SOLUTIONS: usize = 512;

/// The same at last.
pub const SAT_SOLUTIONS: usize = 1 << 15;

/// Longest time of one question to an SMT solver.
pub const SMT_TIME: Duration = Duration::from_secs(2);

/// Most values that an SMT solver lists at one place.
pub const SMT_SOLUTIONS: usize = 64;

/// Most values of unknowns that have infinitely many by their types, whoever lists them.
pub const UNBOUNDED_SOLUTIONS: usize = 64;

/// Values after which nobody but the search is asked, where it is known to be given up if there are many.
pub const MANY: usize = 64;

/// How often a method may fail for the same names.
pub const FAILURES: usize = 3;

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
    Turn { method: Method::Sat, searched: SEARCH_STEPS, writing: DRAFT_STEPS, solutions: DRAFT_SOLUTIONS },
    Turn { method: Method::Sat, searched: LATER_STEPS, writing: WRITING_STEPS, solutions: SAT_SOLUTIONS },
    Turn { method: Method::Smt, searched: 0, writing: WRITING_STEPS, solutions: SMT_SOLUTIONS },
];

/// The same where one of them has known all values of the same names before.
pub const TURNS_AGAIN: [Turn; 2] =
    [Turn { searched: AGAIN_STEPS, ..TURNS[1] }, Turn { searched: 0, ..TURNS[2] }];

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
