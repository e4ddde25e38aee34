//! Tuning of the engines: their heuristic constants and thresholds (times, shares, sizes), by area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names
//! none, the value was not measured: it was chosen together with the code that reads it. Times are by the clock, or
//! with one thread in counted [work](bsym_encodings::budget::work).

use std::time::Duration;

use bsym_semantics::evaluator::Limits;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the engines.
    pub struct Tuning {
        /// Turns of the engines.
        portfolio: Portfolio = Portfolio::DEFAULT,
        /// Solvers and queries of a single engine.
        contestant: Contestant = Contestant::DEFAULT,
        /// Proofs in first-order logic.
        deduction: Deduction = Deduction::DEFAULT,
        /// Vetting of imported status by the solver.
        vetting: Vetting = Vetting::DEFAULT,
        /// Bounded model checking.
        bmc: Bmc = Bmc::DEFAULT,
        /// The search along sequences of events.
        tree: Tree = Tree::DEFAULT,
        /// k-induction.
        induction: Induction = Induction::DEFAULT,
        /// IC3 over predicates.
        ic3: Ic3 = Ic3::DEFAULT,
        /// IC3 over diagrams, for sets of any size.
        diagrams: Diagrams = Diagrams::DEFAULT,
        /// IC3 over bits with orbits, in settled sizes.
        bits: Bits = Bits::DEFAULT,
        /// Strongest clauses over small vocabularies.
        strongest: Strongest = Strongest::DEFAULT,
        /// Reports of proofs that failed.
        failed_proof: FailedProof = FailedProof::DEFAULT,
        /// Guesses of which the inductive ones are kept.
        houdini: Houdini = Houdini::DEFAULT,
        /// Predicates that lemmas are made of.
        invariants: Invariants = Invariants::DEFAULT,
        /// Equations between integers.
        affine: Affine = Affine::DEFAULT,
        /// Deferred sets with a few elements.
        small_scopes: SmallScopes = SmallScopes::DEFAULT,
        /// States that guesses are made from.
        first_states: FirstStates = FirstStates::DEFAULT,
        /// States in which a violation is looked for.
        sample: Sample = Sample::DEFAULT,
        /// The search for violations behind many rounds of a cycle.
        deep: Deep = Deep::DEFAULT,
        /// Invariants for open obligations.
        auxiliary: Auxiliary = Auxiliary::DEFAULT,
        /// Checks that a proof has to pass.
        settle: Settle = Settle::DEFAULT,
        /// The walk of a proof by the evaluator.
        walk: Walk = Walk::DEFAULT,
    }

    /// The search for violations behind many rounds of a cycle (`deep.rs`). Not measured.
    pub struct Deep {
        /// Scopes that are tried.
        scopes: usize = 3,
        /// Valuations of the constants in each scope.
        valuations: usize = 8,
        /// Successors by one event that are looked at.
        branches: usize = 12,
        /// Transitions under one valuation.
        transitions: usize = 30_000,
        /// Events of a cycle.
        cycle: usize = 8,
        /// Rounds of one cycle at which something may change that are looked at.
        rounds: usize = 64,
    }

    /// Turns of the engines (`portfolio.rs`).
    pub struct Portfolio {
        /// First slice of each contestant, doubled each time.
        first_slice: Duration = ms(100),
        /// Factor on the slices of the search over diagrams that has a thread of its own: it finds most proofs of protocols,
        /// and gets about one of two cores beside `ic3` over predicates, deduction and strongest clauses
        /// (`benches/protocols.md`).
        diagrams_share: u32 = 3,
        /// Shortest slice before something is due.
        shortest_slice: Duration = ms(10),
        /// Time between two checks of whether the run has to end.
        tick: Duration = ms(20),
        /// Shortest time to wait for a message.
        least_patience: Duration = ms(1),
        /// Time that contestants get to report what they know when the round is over.
        last_words: Duration = ms(300),
        /// Divisor: the part of a slice in which the solver checks imported status.
        vetting_share: u32 = 4,
        /// Time to check imported status with the solver before the engines begin; unlimited where everything has to be
        /// confirmed.
        first_vetting: Duration = ms(500),
        /// Time that the engines work before deduction begins in parallel: a violation that is found within a second
        /// needs none (`benches/before_after --only own`).
        deduction: Duration = ms(1000),
        /// Time that the engines work before the strongest clauses are looked for in parallel.
        strongest: Duration = ms(600),
        /// Time that the engines work before bits are searched at small sizes in parallel: a violation that is found in
        /// an instant needs none, and alone they prove most protocols in under a second (`benches/protocols.md`).
        bits: Duration = ms(200),
        /// Factor on the slices of the search over bits.
        bits_share: u32 = 3,
        /// Time that the engines work before violations behind many rounds of a cycle are looked for in parallel: those
        /// after a few events are found by then, and have shorter traces.
        deep: Duration = ms(400),
        /// Time that the engines work before the evaluator looks at the first states in parallel. A short path to a
        /// violation may keep a solver busy for very long, where what it has to choose is far from what the violation
        /// is about.
        first_states: Duration = ms(600),
        /// Invariants reported where there is no proof, the shortest ones.
        found: usize = 12,
        /// Number of events after which a search of small scopes alone ends.
        deepest_small: usize = 25,
        /// A part or a slice of which no more is left is over: counted times are rounded.
        sliver: Duration = ms(1),
    }

    /// Solvers and queries of a single engine (`contestant.rs`, `problem.rs`, `hunt.rs`).
    pub struct Contestant {
        /// Longest time for one query of an engine that can continue without the answer, unless the job says otherwise.
        /// Bounded model checking has no limit: its next query is harder still.
        proof_query: Duration = ms(10_000),
        /// Solvers that a run may lose before an engine that loses one is given up (`tests/faults.rs`).
        losses: usize = 3,
        /// Longest time for one of the small queries that prepare a problem.
        preparation: Duration = ms(1000),
        /// Longest time for one small scope at one depth.
        hunt_time: Duration = ms(2000),
        /// Most elements of a deferred set in a small scope.
        hunt_largest: usize = 3,
    }

    /// Proofs in first-order logic (`deduction.rs`, `first_order.rs`).
    pub struct Deduction {
        /// Longest time for one claim, in each of the rounds.
        rounds: [Duration; 2] = [ms(300), ms(3000)],
        /// Time that a session with arrays has before the same question is asked in first-order logic.
        session_first: Duration = ms(300),
        /// Longest time for one question in first-order logic.
        question: Duration = ms(4000),
        /// Divisor: the part of the time left that a question may take. The session has the other half.
        question_share: u32 = 2,
        /// Unanswered questions in a row after which no more are asked (`first_order.rs`, its tests).
        in_vain: usize = 4,
        /// Longest time for a question of IC3 in which a literal is left out.
        smaller: Duration = ms(500),
    }

    /// Vetting of imported status by the solver (`vetting.rs`).
    pub struct Vetting {
        /// Longest time for one query; claims that take longer are left to their prover.
        query: Duration = ms(1000),
        /// Longest time for one query of a real attempt, the time that an obligation of `bsym po` has.
        real_query: Duration = ms(10_000),
        /// Longest time for the real attempts that a proof waits for.
        proof: Duration = ms(60_000),
        /// Longest time for the real attempts that a depth waits for.
        depth: Duration = ms(10_000),
        /// Sizes of deferred sets in which claims are refuted.
        sizes: [usize; 3] = [1, 2, 3],
    }

    /// Bounded model checking (`bmc.rs`).
    pub struct Bmc {
        /// Depth from which the [diameter](crate::paths::diameter::Diameter) is looked for.
        diameter_from: usize = 2,
        /// Divisor: the part of the time of the search that the diameter may take.
        diameter_share: u32 = 3,
        /// Time for the diameter while the search itself has hardly taken any (`tests/verdicts.rs`:
        /// `bounded_model_checking_proves_where_longer_paths_repeat_a_state`).
        diameter_first: Duration = ms(100),
        /// Longest time to find out whether there is a path on which nothing can go wrong.
        possible: Duration = ms(1000),
    }

    /// The search along sequences of events (`tree/`).
    pub struct Tree {
        /// Time for a question before it is set aside; doubled each time that it is asked again.
        patience: Duration = ms(500),
        /// Levels between two questions whether a sequence has a path without a repeated state, where the level before
        /// shows that it has a path at all.
        look: usize = 4,
        /// Divisor: the part of the time that questions which were set aside may take.
        again_share: u32 = 2,
        /// Longest time for one question of the analysis of enabling.
        succession: Duration = ms(100),
        /// Longest sequence without a path that is kept, in events: longer ones hardly ever come again.
        longest_core: usize = 8,
    }

    /// k-induction (`induction/`).
    pub struct Induction {
        /// Paths with fewer steps are tried without lemmas.
        plain: usize = 2,
        /// Time for a question about a path from any state before the interchangeable elements of its first state are
        /// put in order. Most questions have a model, which the order hides (`benches/propositional.md`).
        unordered: Duration = ms(1000),
    }

    /// Reports of proofs that failed (`proof_graph.rs`). Not measured.
    pub struct FailedProof {
        /// Longest time. The engines end so much before the run.
        time: Duration = ms(1000),
        /// Divisor: the part of the run that it takes at most.
        share: u32 = 8,
        /// Divisor: the part of that time in which lemmas that were tried are told apart.
        tried_share: u32 = 4,
        /// Longest time where the run is over already: its answer must not be late.
        last_words: Duration = ms(150),
        /// Longest time after an interrupt, where nothing waits for it beside.
        after_interrupt: Duration = ms(500),
        /// Least time that is worth it.
        least: Duration = ms(20),
        /// Divisor: the part of that time that the question about a property and an event may take. Where sets have any
        /// size, solvers take long to find a state.
        pair_share: u32 = 3,
        /// Longest time for another question.
        query: Duration = ms(100),
        /// Lemmas that are looked at.
        lemmas: usize = 40,
        /// Those of them that are reported where they are not inductive.
        near: usize = 6,
    }

    /// IC3 over predicates (`ic3/`).
    pub struct Ic3 {
        /// First turn of the predicates and of the diagrams before the other is next; doubled every round.
        first_turn: Duration = ms(250),
        /// Divisor: the part of a turn that predicates get beside diagrams, which resume less of what they began
        /// before.
        later_turn_share: u32 = 4,
        /// Divisor: the part of the time in which lemmas that are inductive by themselves are looked for.
        inductive_share: u32 = 8,
        /// Longest time to find out whether a condition over one state always holds.
        always: Duration = ms(300),
        /// Longest time to look for a state with fewer elements.
        smaller: Duration = ms(300),
    }

    /// IC3 over diagrams, for sets of any size (`ic3/queries.rs`, `ic3/domain/diagrams.rs`). Eight published protocols
    /// were proved with these values, six of them in under 10 s (`benches/protocols.md`).
    pub struct Diagrams {
        /// Most elements of the sorts in which states are looked for first; one session for each.
        small: [usize; 3] = [2, 3, 4],
        /// Number of these sizes in which a state is looked for before all sizes are asked.
        small_first: usize = 2,
        /// Sessions opened in advance, each of which replaces one that does not come to an end.
        spare: usize = 6,
        /// Longest time for a question about any size before all small sizes are asked.
        any_size_first: Duration = ms(100),
        /// Longest time for one question about any size, in a session and then once more in a new one.
        any_size: Duration = ms(2000),
        /// Factor that `any_size` is multiplied by at most; doubled wherever a question is not decided in time.
        most_patience: u32 = 8,
        /// Most atoms of one diagram.
        atoms: usize = 4000,
        /// Most elements of a settled set that a diagram names.
        named: usize = 16,
        /// Most orders of elements that are compared for one cube: those of six elements.
        orders: usize = 720,
    }

    /// IC3 over bits with orbits (`ic3/orbits.rs`, `invariants/bits.rs`, `convergence.rs`).
    pub struct Bits {
        /// Most bits of a state.
        most: usize = 1500,
        /// Most elements of a set in a place of a bit.
        elements: usize = 32,
        /// Most numbers in a place of a bit, less one.
        numbers: i64 = 15,
        /// Most images of one clause that one model adds.
        images: usize = 8,
        /// Most images of a clause under the permutations of listed elements, each of which is a formula of a proof.
        listed: usize = 120,
        /// Most ways to read the images of a clause with quantifiers that are tried.
        readings: usize = 4,
        /// Least size of the sets of open size.
        first_size: usize = 2,
        /// Most elements of a set of open size.
        largest: usize = 5,
        /// Most sizes that are tried.
        rounds: usize = 12,
    }

    /// Strongest clauses over small vocabularies (`strongest/`), made for `benches/protocols.md`.
    pub struct Strongest {
        /// Sizes of the sets in which clauses are found.
        sizes: [usize; 3] = [2, 3, 4],
        /// Most elements that an atom is about.
        slots: usize = 4,
        /// Most ways to fill the places of a relation.
        rows: usize = 24,
        /// Most elements of an enumerated set that atoms are about.
        named: usize = 8,
        /// Largest seed, in nodes, that is an atom.
        seed: usize = 12,
        /// Number of atoms from which no more joins are added.
        atoms: usize = 80,
        /// Most literals of one prefix.
        literals: usize = 160,
        /// Most first states that clauses have to be true in from the beginning.
        samples: usize = 150,
        /// Longest time to read them.
        samples_time: Duration = ms(1000),
        /// Most clauses that are asked at a time.
        clauses: usize = 3000,
        /// Most clauses that a clause needs that are left out one by one.
        minimised: usize = 24,
        /// Most instances of clauses that a session is told.
        instances: usize = 400_000,
        /// Longest time for one question about sets of any size in a session.
        any_size: Duration = ms(1000),
        /// Longest time for it in first-order logic afterwards.
        deduced: Duration = ms(3000),
    }

    /// Guesses of which the inductive ones are kept (`ic3/houdini.rs`).
    pub struct Houdini {
        /// Most conditions that clauses are made of.
        conditions: usize = 40,
        /// Most predicates of each other kind that clauses are made of.
        predicates: usize = 120,
        /// Most candidates that are asked.
        candidates: usize = 500,
        /// Longest time for one question.
        query: Duration = ms(200),
        /// Longest time for all of them (`tests/guesses.rs`: `a_certificate_has_only_the_guesses_that_are_needed`).
        all: Duration = ms(1500),
    }

    /// Predicates that lemmas are made of (`invariants/`).
    pub struct Invariants {
        /// Most numbers of a model that each variable is compared with.
        literals: usize = 12,
        /// Most sets that are compared with each other; their pairs grow with the square.
        set_pairs: usize = 12,
        /// Most elements of an enumerated set that a variable is compared with.
        enumerated: usize = 32,
        /// Most elements of a set extension that becomes one equation for each.
        extension: usize = 16,
        /// Number of predicates from which no more with quantifiers are added.
        quantified_until: usize = 40,
        /// Most assignments to one variable in an event that a weakest precondition is made for.
        assignments: usize = 4,
        /// Nodes of a formula from which a weakest precondition is left out.
        largest_precondition: usize = 200,
        /// Most elements of one set that a lemma quantifies over.
        elements: usize = 6,
        /// Most sets that one value is compared with.
        typing_sets: usize = 6,
        /// Most candidates for the kind of a value.
        typing: usize = 120,
        /// Most values of one variable that are looked at for its shape.
        shape_values: usize = 100,
        /// Most variables that conserved sums are looked for among.
        conserved_variables: usize = 64,
        /// Most paths through one event that conserved sums are read off.
        conserved_paths: usize = 256,
    }

    /// Equations between integers (`invariants/affine.rs`), made for the integer loops of `benches/loops.md`.
    pub struct Affine {
        /// Most integer variables and constants: more have too many equations by chance.
        columns: usize = 12,
        /// Most states after one event that are looked at.
        rows: usize = 400,
        /// Largest weight of a variable and largest modulus: larger ones are chance.
        weight: i128 = 100,
        /// Least number of values of a variable from which its remainder is assumed.
        values: usize = 4,
    }

    /// Deferred sets with a few elements (`small_scopes/mod.rs`).
    pub struct SmallScopes {
        /// Sizes of deferred sets without a size, in the order in which the evaluator tries them: one element is often
        /// a special case.
        sizes: [usize; 8] = [2, 1, 3, 4, 5, 6, 7, 8],
        /// Time that a step of the evaluator counts for, where times are counted.
        step: Duration = Duration::from_micros(20),
        /// Bounds of the evaluation of one formula.
        limits: Limits = Limits { listing: 1 << 16, rounds: 1 << 16, branching: 1 << 12 },
    }

    /// States that guesses are made from (`small_scopes/first_states.rs`).
    pub struct FirstStates {
        /// Most valuations of the constants that are listed.
        listed: usize = 256,
        /// Most of them that are used, spread evenly.
        valuations: usize = 16,
        /// Most transitions under one valuation.
        transitions: usize = 300,
        /// Most transitions of one event out of one state.
        branches: usize = 8,
        /// Most states after one event that are kept.
        after_event: usize = 400,
        /// Longest time for the visit, and for judging candidates.
        time: Duration = ms(500),
        /// Most states that candidates are judged by.
        judged_by: usize = 200,
    }

    /// States in which a violation is looked for (`small_scopes/sample.rs`).
    pub struct Sample {
        /// Most transitions in one scope.
        transitions: usize = 2000,
        /// Most transitions of one event out of one state.
        branches: usize = 64,
        /// Most valuations of the constants in one scope.
        valuations: usize = 2,
        /// Most scopes where sizes are open.
        scopes: usize = 3,
    }

    /// Invariants for open obligations (`auxiliary/`).
    pub struct Auxiliary {
        /// Least time for one search.
        least: Duration = ms(1000),
        /// Time for one search where the run has no end.
        unlimited: Duration = ms(30_000),
        /// Share of the time in which the machine is proved as it is.
        first: f64 = 0.4,
        /// Share of the time in which values are given sets that they lie in.
        kinds: f64 = 0.2,
        /// Share of the time that searches have; the rest is for leaving out what is not needed.
        searches: f64 = 0.75,
        /// Divisor: the part of the searches' time for all goals together, where each goal has a search of its own
        /// afterwards.
        together_share: u32 = 4,
        /// Longest time for one query.
        query: Duration = ms(5000),
    }

    /// Checks that a proof has to pass (`settle/`).
    pub struct Settle {
        /// Events beyond the doubtful trace that the second search goes. It has a limit of its own, since the first
        /// search has an answer to show.
        deeper: usize = 10,
        /// Longest time for one axiom.
        axiom: Duration = ms(500),
        /// Longest time for all axioms.
        axioms: Duration = ms(2000),
        /// Time in a run for the sequents about representations, of which a large machine has hundreds; two seconds
        /// were two thirds of the time of a proof there. A check of the certificate takes more.
        representations: Duration = ms(250),
        /// Longest query for an initial state before the engines begin.
        quick_query: Duration = ms(1000),
        /// Longest query for an initial state that a proof waits for.
        thorough_query: Duration = ms(10_000),
        /// Time in which the evaluator looks for an initial state before the engines begin.
        quick_evaluation: Duration = ms(3000),
        /// Time in which the evaluator looks for an initial state that a proof waits for.
        thorough_evaluation: Duration = ms(10_000),
        /// Divisor: the part of the evaluator's time for integers near zero, which come first. A set of integers that
        /// nothing confines has too many values before it has one that is wanted.
        near_zero_share: u32 = 2,
        /// Sizes of deferred sets in which a solver is asked for an initial state.
        solved: [usize; 3] = [1, 2, 3],
        /// Most valuations of the constants whose initialisation is tried in one scope.
        valuations: usize = 1 << 10,
    }

    /// The walk of a proof by the evaluator (`walk/`). It counts its work and never looks at a clock, so that each walk
    /// of a claim is the same.
    pub struct Walk {
        /// Evaluation steps of a whole walk, about a tenth of a second.
        work: u64 = 150_000,
        /// States from which steps are taken, for each kind of path, in one scope with one valuation of the constants.
        expansions: usize = 120,
        /// Sizes of the deferred sets that have none in the claim.
        sizes: [usize; 4] = [2, 1, 3, 4],
        /// Larger sizes, where there is no valuation of the constants in these.
        larger: [usize; 4] = [5, 6, 7, 8],
        /// Least and largest integer that choices without bounds are made among.
        tried: (i64, i64) = (-2, 5),
        /// Divisor: the part of a scope's work for its valuations.
        valuation_share: u64 = 3,
        /// Most valuations in one scope that are listed.
        listed_valuations: usize = 16,
        /// Most of them that are walked.
        valuations: usize = 2,
        /// Most edges of one event out of one state.
        edges: usize = 12,
        /// Random parameters that are tried before they are enumerated.
        throws: usize = 6,
        /// Divisor: the part of the work of one event that one random parameter may take.
        throw_share: u64 = 4,
        /// States after one event that are judged.
        judged: usize = 2,
        /// Most events that are tried from a state on a path from an initial state.
        reachable_events: usize = 4,
        /// Most events that are tried from a state on a path from a state of the inductive invariant.
        inductive_events: usize = 16,
        /// Steps of a path from an initial state.
        length: usize = 30,
        /// States that a path from the inductive invariant has beyond those that the induction needs.
        beyond: usize = 2,
        /// Changes that are tried to get one state of the inductive invariant.
        attempts: usize = 12,
        /// Most places of a state that one change is made at.
        places: usize = 3,
        /// States that are kept to be changed.
        pool: usize = 64,
        /// Paths from initial states that see nothing new before these are given up.
        patience: usize = 3,
        /// Divisor: the part of the work that one event in one state may take.
        share: u64 = 24,
        /// Bounds of a single evaluation.
        limits: Limits = Limits { listing: 1 << 12, rounds: 1 << 12, branching: 1 << 10 },
        /// Most elements of a random set.
        elements: usize = 3,
        /// Most numbers of a model that random integers are taken from.
        numbers: usize = 64,
        /// Least and largest of the integers that random ones are always taken from.
        integers: (i64, i64) = (-1, 3),
    }
}
