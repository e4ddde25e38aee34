//! Tuning of the reference evaluator: its heuristic constants and thresholds (work, listed elements, depths), by area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names none, the value
//! was not measured: it was chosen together with the code that reads it. A *step* is a predicate, an element or a round of
//! [`Work`](crate::evaluator::work::Work). Code that runs for every value reads [`Tuning::DEFAULT`] at compile time; the rest reads
//! [`tuning`], which tests may change.

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the reference evaluator.
    pub struct Tuning {
        /// Evaluation of formulas.
        evaluate: Evaluate = Evaluate::DEFAULT,
        /// Methods that look for the values of unknowns, and their limits.
        methods: Methods = Methods::DEFAULT,
        /// The search for the values of unknowns.
        search: Search = Search::DEFAULT,
        /// The search over finite domains.
        finite_domain: FiniteDomain = FiniteDomain::DEFAULT,
        /// Random values.
        sampling: Sampling = Sampling::DEFAULT,
        /// Sizes of sets and bounds of integers.
        scope: Scope = Scope::DEFAULT,
        /// Explanations, traces and symmetry.
        answers: Answers = Answers::DEFAULT,
        /// Many rounds of a cycle of events at once.
        acceleration: Acceleration = Acceleration::DEFAULT,
    }

    /// Many rounds of a cycle of events at once (`acceleration/`). Not measured.
    pub struct Acceleration {
        /// Paths through an event.
        paths: usize = 64,
        /// Ways in which the choices of a step may grow.
        ways: usize = 64,
        /// Elements of a set in which a number that grows is looked for.
        listed: usize = 1000,
        /// Rounds in the middle of those that a trace leaves out that are executed, too, when it is replayed.
        replayed: usize = 8,
    }

    /// Evaluation of formulas (`evaluate/`, `evaluator/`, `value/`).
    pub struct Evaluate {
        /// Most elements of one set that is listed, and candidates of one quantifier.
        listing: usize = 1 << 20,
        /// Most rounds of one loop. It ends because its variant does, so this is a matter of patience.
        rounds: usize = 1 << 24,
        /// Most transitions from one state, valuations of the constants, or initial states.
        branching: usize = 1 << 20,
        /// Most combinations of values of the names of one binder that audits and walks list by type.
        small_types: usize = 64,
        /// Candidates looked at for each value, where not all are listed.
        candidates: usize = 4,
        /// Elements of a value that cost as much as one predicate.
        elements_of_a_step: u64 = 4,
        /// Time between two looks at the clock.
        tick: Duration = ms(10),
        /// Bytes of a large stack that recursive definitions may take.
        recursion_large: usize = 160 << 20,
        /// Bytes of any other stack that recursive definitions may take.
        recursion_small: usize = 256 << 10,
        /// Most calls of operators within each other.
        operator_calls: u32 = 2_000,
        /// Levels of nested totality tests: without a limit the time would double with every level.
        totality_depth: u32 = 3,
        /// Operators and inclusions that lead to a finite set.
        finite_depth: u32 = 24,
        /// Largest exponent for which a cardinality is computed.
        cardinality_exponent: i64 = 100_000,
        /// Most elements of a set whose injective sequences are counted.
        counted_injections: i64 = 1000,
        /// Most elements of the sets between which functions are counted.
        counted_functions: i64 = 64,
        /// Most elements of a parallel product that is listed before it must be.
        parallel_product: usize = 1 << 12,
        /// Divisor: the part of a relation's couples below which an image goes through the set, not the relation.
        image_share: usize = 4,
        /// Most bits of a product or a power of integers: computing it does not look at the time limit.
        number_bits: u64 = 1 << 21,
        /// Most bits of a power of reals.
        real_bits: u64 = 1 << 24,
        /// Most bits of a shift, and largest number whose roots and logarithms are computed in floating point.
        external_number: i64 = 1 << 20,
        /// Most decimal places, and largest decimal exponent of a real.
        decimal_places: i64 = 10_000,
        /// Largest number that is factored by trial division.
        factored: u64 = 1 << 50,
        /// Most levels of a value that is read from text.
        value_depth: usize = 200,
        /// Longest interval that a value may be read from, in numbers.
        value_interval: i64 = 1 << 20,
        /// Largest decimal exponent of a real that is read, with the digits behind its point.
        real_digits: usize = 100_000,
        /// Longest string that padding and replacement make, in bytes.
        longest_string: usize = 1 << 24,
    }

    /// Methods that look for the values of unknowns, and their limits (`constraint/methods.rs`). They were chosen
    /// together, by means of `benches/puzzles`; the times of the puzzles are in `benches/puzzles.md`. Steps make the
    /// answers the same on every machine.
    pub struct Methods {
        /// Steps of the search before SAT is asked: some hundredths of a second.
        search_steps: u64 = 200_000,
        /// Steps of the search after that, before a large question is written out for SAT or an SMT solver is asked, which may take its
        /// whole time for no answer.
        later_steps: u64 = 1_800_000,
        /// Steps of the search before others are asked where one of them has known all values of the same names before.
        again_steps: u64 = 20_000,
        /// Steps for the equations that give unknowns their values before a question is written out.
        equation_steps: u64 = 50_000,
        /// Steps of writing a question out for SAT at first: expressions, instances, terms. Larger questions wait for
        /// the search.
        draft_steps: u64 = 200_000,
        /// Steps of writing a question out at last. Larger questions are refused.
        writing_steps: u64 = 2_000_000,
        /// Steps of the SAT solver for one question, all its values together: gates, decisions, values read.
        sat_steps: u64 = 500_000,
        /// Most values that SAT lists at first: each takes longer than in the search, which is faster if there are
        /// many.
        draft_solutions: usize = 512,
        /// Most values that SAT lists at last.
        sat_solutions: usize = 1 << 15,
        /// Longest time of one question to an SMT solver.
        smt_time: Duration = ms(2000),
        /// Most values that an SMT solver lists at one place.
        smt_solutions: usize = 64,
        /// Most values of unknowns that have infinitely many by their types, whichever method lists them.
        unbounded_solutions: usize = 64,
        /// Values after which only the search is asked, if the caller gives up when there are many.
        many: usize = 64,
        /// Failures of a method for the same names after which it is no longer asked.
        failures: usize = 3,
    }

    /// The search for the values of unknowns (`constraint/`).
    pub struct Search {
        /// Integers that are tried for a witness where infinitely many come into question.
        probed: i64 = 512,
        /// Refusals after which a literal is no longer tested for totality under other values of the same unknowns.
        refused: u32 = 8,
        /// Most values left by an equation or disjunction with which it is taken before all else.
        alternatives: usize = 8,
        /// Least number of elements of a set, built from values of unknowns, for which it is cached for the same
        /// values.
        kept: usize = 64,
        /// Most elements of a set that is enumerated, not built up.
        few: usize = 16,
        /// Most values that are listed as the domain of one cell.
        listed: usize = 1 << 12,
        /// Candidates for an unknown from which those are tried first that follow from an existential predicate.
        projected: usize = 1 << 8,
        /// Most sequences that are listed; more of them are built up.
        sequences: usize = 1 << 12,
        /// Longest sequence of an infinite set that is tried, in elements.
        sequence_length: usize = 4,
        /// Most sequences of one length that are tried.
        sequences_tried: usize = 512,
        /// Elements that injective sequences without a scope are tried over.
        injective_elements: usize = 3,
        /// Integers of an infinite set that are tried.
        integers: i64 = 16,
        /// Reals that are tried, as quotients.
        reals: [(i64, i64); 5] = [(-1, 1), (0, 1), (1, 2), (1, 1), (2, 1)],
        /// Rounds of narrowing.
        narrowings: usize = 24,
        /// Most bits of a useful bound: squares of squares would grow without limit.
        bound_bits: u64 = 128,
        /// Most elements that may be left open between the bounds of a set.
        open_elements: usize = 10,
    }

    /// The search over finite domains (`constraint/finite_domain/`).
    pub struct FiniteDomain {
        /// Most summands that a sum over a set is written out to.
        summands: usize = 1 << 10,
        /// Most instances of an existential literal that a clause holds.
        existential: usize = 1 << 10,
        /// Open cells from which a constraint that takes long to judge waits.
        heavy_cells: usize = 2,
        /// Most constraints that are written out.
        constraints: usize = 1 << 15,
        /// Most points of a function, or elements a set may have, that are decided one by one.
        points: usize = 1 << 10,
        /// Combinations of values above which the search is prepared; fewer are enumerated.
        worthwhile: f64 = 20_000.0,
        /// Span of integers from which a domain is halved, not listed.
        halved: i128 = 64,
    }

    /// Random values (`constraint/sampling.rs`).
    pub struct Sampling {
        /// Throws for each value of a sample.
        throws: usize = 16,
        /// Candidates that a search looks at for each value.
        candidates: usize = 256,
        /// Most points of the relations that come first.
        points: usize = 1 << 10,
        /// Most elements of a sequence, or of a part of a set that is not listed.
        longest: u64 = 4,
        /// Most elements of a set whose parts are thrown element by element.
        listed: usize = 1 << 12,
    }

    /// Sizes of sets and bounds of integers (`scope/`, `trace/bounds.rs`).
    pub struct Scope {
        /// Largest size of a set that axioms may ask for.
        least_size: usize = 1 << 16,
        /// Rounds in which one size tells another.
        rounds: usize = 16,
        /// Steps in the search for constants that are all kept apart.
        steps: usize = 20_000,
        /// Levels of formulas within each other that are searched for sizes.
        depth: usize = 8,
        /// Most scopes that are tried in place of one.
        scopes: usize = 64,
        /// Most elements by which a set is enlarged.
        enlarged_by: usize = 14,
        /// Values of MAXINT that are tried.
        wider: [i64; 5] = [7, 15, 127, 1023, 2147483647],
        /// Values of MAXINT that are proposed where no literal of the model will do; the last one has 32 bits.
        proposed: [i64; 5] = [7, 20, 127, 1023, 2147483647],
        /// Least bound of integers that is proposed in place of that of 32 bits.
        small: i64 = 10,
        /// Literal above which a small bound is useless: to count up to it takes long as well.
        large_literal: i64 = 1000,
        /// Steps for one question about bounds, well below a second.
        work: u64 = 500_000,
        /// Steps for the bounds of a trace.
        path_work: u64 = 2_000_000,
    }

    /// Explanations, open constants and symmetry (`explanation/`, `transition/`, `symmetry/`).
    pub struct Answers {
        /// Steps of one explanation, well below a second.
        explanation_work: u64 = 2_000_000,
        /// Characters after which a value in a message is cut.
        value_letters: usize = 120,
        /// Most steps that are tried from one state because they fit a partial trace.
        fitting: usize = 10_000,
        /// Most values that an explanation lists.
        values: usize = 12,
        /// Most valuations of constants that are read.
        valuations: usize = 1 << 10,
        /// Most ways to choose the sizes of the parts of a partition.
        partitions: usize = 4096,
    }
}
