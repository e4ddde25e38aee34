//! Tuning of the proofs: their heuristic constants and thresholds (times, sizes, numbers of paths), by area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names
//! none, the value was not measured: it was chosen together with the code that reads it. What a certificate may contain
//! is in [`limits`](crate::limits), since that is a rule of the file, not a choice of a run.

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the proofs.
    pub struct Tuning {
        /// The check of a claim.
        check: Check = Check::DEFAULT,
        /// Claims about sets of any size, once more where they are small.
        sizes: Sizes = Sizes::DEFAULT,
        /// Proof obligations.
        obligations: Obligations = Obligations::DEFAULT,
        /// Paths through substitutions and sequences of events.
        paths: Paths = Paths::DEFAULT,
    }

    /// The check of a claim (`check/`).
    pub struct Check {
        /// Longest time for one sequent.
        query: Duration = ms(30_000),
        /// Time for the one attempt at a pair whose status may be relied on.
        trusted_query: Duration = ms(3000),
        /// Time that a sequent is asked in terms of arrays before it is asked in first-order logic.
        arrays_first: Duration = ms(300),
        /// Time that it is asked in first-order logic before that, where others were proved so.
        first_order_first: Duration = ms(500),
        /// Longest time for a sequent in first-order logic.
        first_order: Duration = ms(5000),
        /// Longest time for the check that there are initial states, which only ever strengthens an answer.
        vacuity_query: Duration = ms(2000),
        /// Time for all sequents about representations; what is not decided then is reported.
        representations: Duration = ms(2000),
        /// Longest time for one of them.
        representation: Duration = ms(500),
        /// Elements of the deferred sets of any size where an undecided one may still be refuted.
        representation_size: usize = 2,
    }

    /// Claims about sets of any size, once more where they are small (`sizes.rs`).
    pub struct Sizes {
        /// Largest size.
        largest: usize = 4,
        /// Most deferred sets that get different sizes; more of them all have the same size.
        mixed: usize = 3,
        /// Time for all sizes together.
        time: Duration = ms(2000),
        /// Longest time for one query.
        query: Duration = ms(300),
    }

    /// Proof obligations (`obligations/`).
    pub struct Obligations {
        /// Time for each obligation in the rounds before the last one, which has what the run allows for each.
        rounds: [Duration; 2] = [ms(300), ms(2000)],
        /// Time for the other ways to prove an obligation where the run has no limit for each.
        patience: Duration = ms(10_000),
        /// Divisor: the part of an obligation's time for its first-order form.
        first_order_share: u32 = 2,
        /// Divisor: the part of an obligation's time for small sizes.
        small_share: u32 = 4,
        /// Divisor: the part of the time left for one query, where a prover reads sequents in one way.
        query_share: u32 = 2,
        /// Divisor: the same where it reads them in a second way.
        query_share_of_two: u32 = 3,
        /// Longest time for cross-checking a proof in one way.
        confirming: Duration = ms(200),
        /// Least time for cross-checking all proofs.
        least_confirming: Duration = ms(1000),
        /// Longest time for another prover: what it proved at all, it proved in less than a second (`benches/po.md`).
        elsewhere: Duration = ms(3000),
        /// Time after its limit that a prover may take to end by itself.
        elsewhere_grace: Duration = ms(1000),
        /// Longest message of a prover that is kept, in characters.
        message: usize = 200,
        /// Least number of obligations with which a family is divided in the first round.
        least_part: usize = 8,
        /// Longest time for small sizes of one obligation.
        small: Duration = ms(500),
        /// Largest of these sizes.
        small_largest: usize = 3,
        /// Least work for which threads are started, where generating the obligations does not take longer
        /// (`benches/po.md`).
        least_work: Duration = ms(100),
        /// Bytes of a thread's stack: formulas nest deeply.
        stack: usize = 256 << 20,
        /// Least time for finding hypotheses that contradict each other.
        least_doubting: Duration = ms(2000),
        /// Longest time for one question about them.
        doubting: Duration = ms(300),
        /// Largest size of the deferred sets in which contradicting hypotheses are cross-checked.
        doubting_largest: usize = 3,
        /// Most paths through an operation: more than any has whose obligations are read.
        operation_paths: usize = 400,
        /// Most ways through an abstract substitution: more than any has.
        abstract_ends: usize = 300,
    }

    /// Paths through substitutions and sequences of events (`paths.rs`, `steps.rs`).
    pub struct Paths {
        /// Most paths through one substitution: each is a sequent of its own for every obligation.
        paths: usize = 64,
        /// Most sequences of events that are asked one by one.
        sequences: usize = 200,
    }
}
