//! Tuning of the encodings and the solver sessions: their heuristic constants and thresholds (sizes that are written
//! out, limits, times), by area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names
//! none, the value was not measured: it was chosen together with the code that reads it.

use std::time::Duration;

const fn us(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the encodings and the sessions.
    pub struct Tuning {
        /// Deadlines.
        budget: Budget = Budget::DEFAULT,
        /// Limits of what is written out where a solver has quantifiers.
        written_out: WrittenOut = WrittenOut::DEFAULT,
        /// Limits of what is written out where a formula becomes propositional logic. The rest is written out later,
        /// case by case from bits.
        written_out_for_sat: WrittenOut =
            WrittenOut { instances: 1 << 15, early: true, listed: 1 << 12, span: 1 << 10, leaves: 1 << 12 },
        /// Formulas to symbolic values.
        symbolic: Symbolic = Symbolic::DEFAULT,
        /// Values of a model, and terms that are evaluated.
        values: Values = Values::DEFAULT,
        /// Valuations of the constants that are known before anything is encoded.
        valuations: Valuations = Valuations::DEFAULT,
        /// Terms to propositional logic.
        propositional: Propositional = Propositional::DEFAULT,
        /// Unknowns without bounds in propositional logic.
        cut: Cut = Cut::DEFAULT,
        /// Sessions with a solver.
        session: Session = Session::DEFAULT,
        /// Solvers in a process of their own.
        process: Process = Process::DEFAULT,
        /// Z3 as a library.
        z3: Z3 = Z3::DEFAULT,
    }

    /// Deadlines (`budget.rs`).
    pub struct Budget {
        /// Factor: the time by the clock that a part of a run may take, in its counted time. It must not end a part on a
        /// machine that is busy with other work, where each run is to be the same (`tests/in_turns.rs`).
        slack_factor: u32 = 20,
        /// Time by the clock beyond that, so that a part ends where the work of a solver says little of its time.
        slack: Duration = ms(5000),
    }

    /// Limits of what is written out case by case, instead of being left to quantifiers and arrays.
    pub struct WrittenOut {
        /// Most instances of one body.
        instances: usize = 256,
        /// Instances whose conditions contradict each other are left out as soon as that is seen.
        early: bool = false,
        /// Most elements of one set.
        listed: usize = 256,
        /// Most arguments of a function over integers or couples of them.
        span: usize = 64,
        /// Most terms of a table or vector inside a table.
        leaves: usize = 256,
    }

    /// Formulas to symbolic values (`symbolic/`, `expr/`, `system/`, `first_order/`).
    pub struct Symbolic {
        /// Most elements of a type whose sets are characteristic vectors.
        small_type: usize = 256,
        /// Largest literal exponent with which a power is a product.
        product: i64 = 16,
        /// Largest exponent for which the powers of a literal are stated.
        tabulated_power: i64 = 16,
        /// Most couples of a listed relation whose closure is computed.
        closure_edges: usize = 40,
        /// Largest literal exponent with which `iterate` is written out.
        iterations: i64 = 64,
        /// Most couples of elements of two listed sets that a composition or product of relations is made of.
        relation_pairs: usize = 256,
        /// Largest literal with which a cardinality is compared by a Boolean condition, in elements.
        counted: i64 = 8,
        /// Most possible arguments with which a function over a large type is written out.
        tabulated_arguments: usize = 64,
        /// Most arrays that the values of a function over a large type are kept in.
        columns: usize = 16,
        /// Most values of a function whose arguments are told apart by them, so that interchangeable ones are sorted.
        marks: usize = 16,
        /// Least number of consecutive integers in a list that become a range. Comparing with each number took a
        /// thousand comparisons in each of a thousand instances of a quantifier.
        run: usize = 4,
        /// Most couples added one after the other that a closure of any size is followed along; the formula has four
        /// times the size for each.
        added: usize = 3,
        /// Most elements of a deferred set that an axiom gives a size; larger ones stay uninterpreted sorts.
        largest_settled: usize = 64,
        /// Largest value of a constant that is written out, in nodes: writing out larger ones costs more than it saves.
        determined: usize = 4096,
        /// Terms looked at or made that cost as much as one expression.
        terms_of_a_step: u64 = 8,
        /// Steps between two looks at the deadline.
        look: u64 = 1 << 12,
    }

    /// Valuations of the constants that are known before anything is encoded (`determined.rs`).
    pub struct Valuations {
        /// Most valuations.
        most: usize = 16,
        /// Work of the evaluator that looks for them, in its units: 5 to 20 ms, and 70 ms for functions over functions.
        work: u64 = 100_000,
    }

    /// Values of a model, and terms that are evaluated (`concretize.rs`, `session/evaluate.rs`, `session/parse.rs`,
    /// `term/instantiate.rs`).
    pub struct Values {
        /// Most elements of a universe that is listed.
        universe: usize = 1 << 16,
        /// Most elements of a set whose subsets are listed.
        subsets: usize = 16,
        /// Most values of a finite sort that a quantifier is evaluated over.
        evaluated: usize = 4096,
        /// Most levels of a value that a solver prints. Deeper text is not a value that was asked for.
        depth: usize = 200,
        /// Most integers that are listed where a formula gives them another value than the rest.
        listed: usize = 4096,
        /// Most instances of one quantifier whose elements are given.
        instances: usize = 1 << 12,
    }

    /// Terms to propositional logic (`propositional/`, `finder/`).
    pub struct Propositional {
        /// Most gates: some gigabytes.
        gates: usize = 30_000_000,
        /// Most gates by an estimate made before anything is simplified. Most instances of a quantifier shrink, so that
        /// it may be well above what is built: ten times `gates`.
        estimated_gates: u64 = 300_000_000,
        /// Most literals of one value, each of which is copied some times: a quarter of `gates`.
        value_literals: u64 = 7_500_000,
        /// Clauses of a gate, about.
        clauses_of_a_gate: u64 = 3,
        /// Cells of an array over integers, and values of a bound integer, in an estimate.
        integers: u64 = 16,
        /// Cells of an array that cost as much as one term.
        cells_of_a_step: u64 = 16,
        /// Steps between two looks at the deadline.
        look: u64 = 64,
        /// Most values of a sort that is written out.
        values: usize = 4096,
        /// Most elements of an enumeration with a literal for each; larger ones are chosen from by a binary number.
        one_hot: usize = 16,
        /// Most instances of a quantifier.
        instances: usize = 1 << 17,
        /// Most instances of a universal predicate about unknowns that are all stated at once.
        stated_instances: usize = 1 << 15,
        /// Most instances of a universal predicate about unknowns, among them sets, that are all stated at once.
        stated_sets: usize = 1 << 6,
        /// Longest range of a quantifier, in numbers.
        range: i128 = 4096,
        /// Longest known window of a set with all its cells, whatever its cut; with two such parts or more, as many as
        /// in a square. A bank whose accounts get two balances was not decided beyond one event without it.
        exact_window: i128 = 64,
        /// Most cells of a window.
        window_cells: i128 = 4096,
        /// Most cells for which it is stated that a set has no elements outside of a window.
        outside: usize = 1024,
        /// Span of an index from which it is cut down to a window where an array is changed.
        index_span: i128 = 256,
        /// Bound below which the factor of a product with an integer without bound has to be.
        factor: i128 = 1 << 32,
        /// Levels of choices within choices that are remembered in a number.
        choices: usize = 3,
        /// Levels of choices that an equation is followed into.
        equation_choices: usize = 8,
        /// Most equations that a bound travels over.
        generations: u8 = 16,
        /// Most numbers that a number is compared with so that its bounds travel.
        comparisons: usize = 64,
        /// Levels of a term that bounds are looked for in.
        bounds_depth: usize = 48,
        /// Most literals that exclude each other by a clause for each two; more have a gate for each.
        exclusive_pairs: usize = 5,
        /// Gates and decisions in a second of [work](crate::budget::work).
        steps_of_a_second: f64 = 1e6,
        /// Propagated literals that take as long as one step, where work is counted: 130 to 430 ns each over recorded
        /// checks of `benches/bounded` on a busy machine, which predict the time of a check within a factor of three;
        /// decisions and conflicts alone, 4 to 230 µs each, do not.
        propagations_of_a_step: u64 = 5,
        /// Clauses of a proof between two looks at the deadline.
        proof_clauses: usize = 4096,
        /// Solver variables that are read in one step when a model is read.
        variables_of_a_step: u64 = 64,
    }

    /// Unknowns without bounds in propositional logic (`propositional/cut.rs`). Levels grow about geometrically, so
    /// that few queries are repeated.
    pub struct Cut {
        /// Bits of an unknown without bounds, by level.
        bits: [u32; 8] = [5, 8, 12, 16, 24, 32, 48, 63],
        /// First and last index of a window, by level. Most indices are small and not negative.
        windows: [(i128, i128); 6] = [(-2, 9), (-8, 24), (-32, 64), (-128, 256), (-512, 1024), (-1024, 3000)],
        /// Period, in levels, in which the last one does not assume that a set is finite outside of its window.
        infinite: usize = 3,
        /// Largest constant of a formula that says how many bits unknowns start with.
        mentioned: i128 = 4096,
    }

    /// Sessions with a solver (`session/`).
    pub struct Session {
        /// [Work](crate::budget::work) of one check beside what the solver counts. Like the three others that say so,
        /// fitted to the processor time of 71 threads of engines over `benches/loops` and `benches/protocols` with
        /// `--jobs 1`: 165 µs for a check, 97 ns for a term, 7 µs for a value, 11 µs for a lowered term on a busy machine.
        check: Duration = us(100),
        /// Terms that are made or looked at, with their arguments, in a second of work; fitted.
        terms_of_a_second: f64 = 1e7,
        /// Time of the first of two solvers, where the second is asked what it does not decide.
        first_of_two: Duration = ms(500),
        /// Factor by which that time shrinks with each answer of the second.
        second_serves: u32 = 4,
        /// Most lemmas that one model gives.
        lemmas: usize = 256,
        /// Most indices of an equation between arrays that is stated of all of them at once: with some of them left to
        /// be found, Z3 may not terminate. Other equations are stated of this many indices.
        few_indices: usize = 64,
        /// Most queries that follow a model which does not satisfy the formula.
        corrections: usize = 32,
        /// Most instances of quantifiers with which a hypothesis is evaluated, which cannot be interrupted.
        held_instances: u64 = 1 << 12,
        /// Longest text of a part without a name, in bytes, so that no text grows with the square of the depth.
        longest_part: usize = 2000,
        /// Longest TPTP problem, in bytes: shared parts are written as often as they occur.
        longest_problem: usize = 4_000_000,
    }

    /// Solvers in a process of their own (`session/process.rs`).
    pub struct Process {
        /// Time that a waiting session takes to see that its budget was cancelled.
        poll: Duration = ms(10),
        /// Time for every reply but that to a check: longer than any solver needs to print a value.
        reply: Duration = ms(60_000),
        /// Time that a solver may take to obey its own time limit.
        grace: Duration = ms(100),
        /// Time that a process that ends may take to end and to have its last words read.
        last_words: Duration = ms(500),
        /// Time between two looks whether it ended.
        ending_poll: Duration = ms(1),
        /// Bytes of its error messages from which no more are kept.
        messages: usize = 4096,
    }

    /// Z3 as a library (`session/z3/`).
    pub struct Z3 {
        /// Resource units in a second of [work](crate::budget::work): about as many as it takes in a second on two
        /// machines of 2026, over the machines of `benches/symbolic`.
        units_of_a_second: f64 = 2e6,
        /// Work of a value that is read from a model; fitted as `session.check` was.
        value: Duration = us(5),
        /// Work of a term that is made in Z3; fitted as `session.check` was.
        lowered: Duration = us(5),
        /// Levels of arrays within arrays and tuples that a model is read to; a circular chain of definitions does not
        /// end.
        depth: usize = 64,
        /// Most arguments of one function that a model is asked for.
        arguments: usize = 1 << 14,
        /// Longest time between a cancellation and the interrupt.
        period: Duration = ms(5),
        /// Time that the watching thread stays awake after a check.
        linger: Duration = ms(250),
    }
}
