//! Tuning of the explicit search: its heuristic constants and thresholds (limits, batches, periods, caches, audits), by
//! area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names
//! none, the value was not measured: it was chosen together with the code that reads it. Code that runs for every state
//! reads [`Tuning::DEFAULT`] at compile time; the rest reads [`tuning`], which tests may change.

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the explicit search.
    pub struct Tuning {
        /// Closures that formulas are compiled to.
        compile: Compile = Compile::DEFAULT,
        /// Tables of states and values.
        store: Store = Store::DEFAULT,
        /// Rows in less memory, and caches of transitions.
        space: Space = Space::DEFAULT,
        /// The visit of all states.
        reachability: Reachability = Reachability::DEFAULT,
        /// The rounds, reports and constants of a search.
        search: Search = Search::DEFAULT,
        /// Searches that are repeated in part by the reference evaluator.
        audit: Audit = Audit::DEFAULT,
        /// Symmetry reduction.
        symmetry: Symmetry = Symmetry::DEFAULT,
        /// Partial order reduction.
        partial_order: PartialOrder = PartialOrder::DEFAULT,
        /// Decision diagrams.
        diagrams: Diagrams = Diagrams::DEFAULT,
        /// Temporal formulas.
        temporal: Temporal = Temporal::DEFAULT,
        /// Refinement.
        refinement: Refinement = Refinement::DEFAULT,
    }

    /// Closures that formulas are compiled to (`compile/`).
    pub struct Compile {
        /// Most rounds of three nested loops or more. What takes more is left to the reference evaluator, which
        /// propagates (`benches/puzzles`).
        rounds: u64 = 1 << 22,
        /// Most rounds of two nested loops (`benches/puzzles`).
        rounds_of_two: u64 = 1 << 28,
        /// Most elements of a set that a name is looped over, and longest range.
        looped: u64 = 1 << 20,
        /// Most elements of a set whose subsets a name is looped over.
        looped_subsets: u64 = 20,
        /// Rounds assumed for a loop over integers with an unknown bound.
        unknown_range: u64 = 32,
        /// Elements assumed for a set that is not known yet.
        unknown_set: u64 = 12,
        /// Most elements of a set or product that is enumerated.
        listed: usize = 1 << 20,
        /// Most elements of a set whose subsets are enumerated.
        subsets: usize = 20,
        /// Most answers of the reference evaluator that are cached for one formula.
        answers: usize = 1 << 16,
        /// Divisor: the part of these that has to be found again, or the reference is asked directly from then on.
        useful_answers: usize = 4,
        /// Weight of a formula that the reference evaluates, in operators of compiled code.
        reference_weight: usize = 100,
        /// Weight of an expression that makes a set, in operators of compiled code.
        set_weight: usize = 10,
    }

    /// Tables of states and values (`store/`), read at compile time.
    pub struct Store {
        /// Part of an index's slots that may be in use, in percent.
        index_full: usize = 85,
        /// Slots from which an index grows by a quarter and no longer doubles: then little of its memory is idle.
        index_large: usize = 1 << 12,
        /// Words that a thread reserves in an arena at a time.
        arena_block: u32 = 1 << 8,
        /// Locks of the set of discoveries, a power of two. Few threads have to wait for each other.
        discovery_parts: usize = 128,
        /// Locks of lists that several threads share, a power of two.
        list_shards: usize = 64,
        /// Most values of a type that are numbered.
        numbered: u64 = 1 << 15,
        /// Most words of a leaf of a tree.
        leaf: usize = 8,
    }

    /// Rows in less memory, and caches of transitions (`space/`).
    pub struct Space {
        /// States from which another layout of rows is considered.
        first_look: usize = 1 << 11,
        /// Bytes of values below which no other layout is needed.
        least_values: usize = 1 << 17,
        /// Factor over the rows from which values are folded also where no state has one of its own.
        far_more: usize = 8,
        /// Divisor: the part of the states with a distinct value from which values are kept as halves.
        own: usize = 4,
        /// Bytes of values not kept permanently from which these are forgotten.
        least_passing: usize = 1 << 17,
        /// Divisor: the part of the bytes of all states that such values may take.
        passing: usize = 12,
        /// Weight of compiled code from which its results are cached, in operators.
        remembered: usize = 30,
        /// Lookups after which a cache that does not pay is dropped.
        cache_trial: u64 = 1 << 14,
        /// Factor: a cache pays if its hits times this are as many as its lookups.
        cache_pays: u64 = 3,
        /// Most entries of a cache.
        cache_largest: usize = 1 << 22,
        /// Parts of a cache that several threads share, a power of two; read at compile time.
        cache_parts: usize = 16,
    }

    /// The visit of all states (`reachability/`, `graph/collect.rs`).
    pub struct Reachability {
        /// States between two checks of the limits.
        pulse: u64 = 512,
        /// Roots between two checks of the limits, while initial states are found.
        root_pulse: usize = 64,
        /// States between two checks for values that need not be kept.
        tidy: u64 = 16,
        /// States of which one is timed, where work may be shared out.
        timed: u64 = 16,
        /// Time between two checks of the limits, while other threads work.
        tick: Duration = ms(100),
        /// Most states of a batch for each thread.
        batch: usize = 1 << 12,
        /// Approximate longest time of a batch, in seconds: its successors wait for its end, and take memory.
        batch_seconds: f64 = 0.5,
        /// Least work that is shared out, in seconds of one thread.
        worthwhile_seconds: f64 = 300e-6,
        /// Time below which a search is not shared out.
        short: Duration = ms(10),
        /// Most states that a thread takes at a time.
        slice: usize = 64,
        /// Approximate longest time for the states that a thread takes at a time, in seconds.
        slice_seconds: f64 = 10e-3,
        /// Bytes of a thread's stack: as much as the main thread has.
        stack: usize = 256 << 20,
        /// States between two measurements of memory, while a graph is collected.
        collect_pulse: usize = 256,
    }

    /// The rounds, reports and constants of a search (`search/`, `session.rs`, `walk.rs`).
    pub struct Search {
        /// Time between two reports of progress.
        progress: Duration = ms(500),
        /// Early rounds where some events have more executions than can be listed.
        wide: [Extent; 2] =
            [Extent::DEFAULT, Extent { evaluated: 1 << 16, compiled: 1 << 21, values: 64, transitions: 1 << 18 }],
        /// Early rounds where they can be listed in each state, but not in all that are reached soon.
        dense: [Extent; 2] = [
            Extent { evaluated: 1 << 6, compiled: 1 << 6, ..Extent::DEFAULT },
            Extent { evaluated: 1 << 10, compiled: 1 << 10, values: 64, transitions: 1 << 18 },
        ],
        /// Transitions after which it is decided whether states have many executions.
        dense_look: u64 = 1 << 17,
        /// Transitions for each expanded state that are many.
        dense_many: u64 = 1 << 10,
        /// Values of a sampled choice in the last round.
        last_values: usize = 512,
        /// Valuations that are listed before constants that nothing reads are left open.
        valuations: usize = 1 << 12,
        /// Evaluation steps for these.
        valuation_work: u64 = 1 << 20,
        /// States from which their digest is computed by several threads.
        shared_digest: u32 = 1 << 12,
        /// States of a file after which the values made for their inspection are forgotten.
        forget: u32 = 1 << 12,
        /// Time for the guards of coverage after the time of the search is over.
        coverage_grace: Duration = ms(1000),
        /// Evaluation steps for one guard in one state.
        coverage_work: u64 = 1_000_000,
        /// Most reasons for incompleteness that are kept.
        reasons: usize = 16,
        /// Most elements of a set that is listed to find out what events read and write.
        accesses_listed: usize = 1 << 10,
        /// Alternatives of one kind (valuations, edges of one event) among which a random walk chooses.
        walk_choices: usize = 256,
    }

    /// Extent of an early round of a search (`search/rounds.rs`).
    pub struct Extent {
        /// Executions of an event that the reference evaluator lists.
        evaluated: usize = 1 << 12,
        /// Executions of an event that compiled code lists.
        compiled: u64 = 1 << 18,
        /// Values of a sampled choice.
        values: usize = 8,
        /// Transitions after which the round ends once something is sampled.
        transitions: u64 = 1 << 14,
    }

    /// Searches that are repeated in part by the reference evaluator (`audit.rs` and the files named `auditing.rs`).
    pub struct Audit {
        /// Time in which every state is audited, since it is not noticed.
        free: Duration = ms(10),
        /// States that are audited unless they take much longer.
        first: u64 = 64,
        /// Longest time for these.
        first_time: Duration = ms(500),
        /// States of a large search of which one is chosen.
        every: u64 = 32,
        /// Divisor: the part of the time of a search that audits may take, here and for diagrams, refinements and
        /// temporal searches.
        share: u32 = 40,
        /// Longest time for one audit.
        longest: Duration = ms(250),
        /// Time between two checks whether an audit is too long.
        tick: Duration = ms(10),
        /// Most targets that a report lists.
        listed: usize = 8,
        /// States of a diagram that are chosen.
        diagram_states: u64 = 128,
        /// States of a temporal search, or pairs of a refinement, that are chosen.
        chosen: u64 = 256,
        /// Longest time for these, unless the share of the search's time is longer.
        chosen_time: Duration = ms(250),
        /// Steps taken without an event that a partial order reduction chose.
        far: usize = 3,
        /// Most states for which the reference is asked about such steps.
        left_out: usize = 16,
    }

    /// Symmetry reduction (`symmetry/`).
    pub struct Symmetry {
        /// Most forms that are compared for one state.
        forms: usize = 1 << 12,
        /// Most answers that are cached.
        remembered: usize = 1 << 16,
        /// Most permutations of a flooding.
        flooded: u64 = 50_000,
        /// Most permutations of a group whose effects on values are kept in tables: those of five elements.
        small_group: u64 = 120,
    }

    /// Partial order reduction (`partial_order/`).
    pub struct PartialOrder {
        /// Most states in which an expression is evaluated.
        combinations: usize = 128,
        /// Most elements of a set that are tried one by one.
        listed: usize = 64,
        /// Most instances of an event.
        instances: usize = 64,
        /// Divisor of these if all events together have too many.
        fewer: usize = 4,
        /// Most instances of all events together.
        all_instances: usize = 320,
        /// Most operators and bounds of variables that lead to a bound.
        deepest: usize = 16,
        /// Events with the fewest dependent ones that are tried, if any event is sufficient.
        keys: usize = 12,
        /// Least number of states asked about before it is decided whether that pays; a power of two.
        window: u64 = 1 << 9,
        /// Asking pays if in one of this many states something was left out.
        pays: u64 = 1 << 5,
    }

    /// Decision diagrams (`diagrams/`).
    pub struct Diagrams {
        /// Nodes that are not worth a collection.
        least: usize = 1 << 20,
        /// Entries of the unique table and of the cache to begin with, a power of two.
        places: usize = 1 << 12,
        /// Operations without a cached result between two checks of the clock.
        ticks: u32 = 1 << 14,
        /// Weight of the last level relative to the number of levels from the first to the last, when an order is
        /// chosen.
        depth: usize = 4,
        /// Most words that are visited to find an order: about a tenth of a second.
        order_work: usize = 100_000_000,
        /// Most states for which it is checked whether a value beyond those tried enables an event.
        doubtful_deadlocks: usize = 64,
        /// Roots between two checks of the limits.
        root_pulse: usize = 64,
    }

    /// Temporal formulas (`temporal/`).
    pub struct Temporal {
        /// Most propositions, operators of the past, operators `U`, and guesses of a formula.
        formula: [usize; 4] = [128, 64, 64, 12],
        /// Nodes between two checks of the limits.
        pulse: usize = 256,
        /// Nodes from which on loops are searched for; then whenever their number has doubled.
        first_look: usize = 1 << 10,
        /// Evaluation steps to find out whether a formula is false only because of MAXINT: well below a second.
        wider_work: u64 = 500_000,
    }

    /// Refinement (`refinement/`).
    pub struct Refinement {
        /// Pairs between two checks of the limits.
        pulse: usize = 64,
        /// Alternatives that a counterexample lists.
        alternatives: usize = 8,
        /// Open obligations that a report lists.
        obligations: usize = 16,
    }
}

impl Tuning {
    /// Returns the values with which the number of audited states follows from the search alone, and not from a clock.
    /// Fewer states of a large search are chosen, since their share of the time is not limited.
    pub fn counted() -> Tuning {
        let audit = Audit {
            free: Duration::ZERO,
            first_time: Duration::MAX,
            every: 1 << 10,
            share: 0,
            longest: ms(10_000),
            ..Audit::DEFAULT
        };
        Tuning { audit, ..Tuning::DEFAULT }
    }
}
