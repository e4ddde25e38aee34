//! Engines side by side and in turns: the same answers, and with counted times the same course.
#![cfg(feature = "z3")]

mod common;

use bsym_engines::run::run;
use bsym_engines::verdict::{Engine, Progress};
use bsym_semantics::scope::ScopeRequest;
use common::*;

const MACHINES: [(&str, &str); 5] = [
    (
        "violated 4",
        "MACHINE Up VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
         OPERATIONS up = SELECT n < 9 THEN n := n + 1 END END",
    ),
    (
        "holds",
        "MACHINE Pair VARIABLES n, m INVARIANT n : INTEGER & m : INTEGER & n - m < 1 INITIALISATION n, m := 0, 0
         OPERATIONS both = BEGIN n, m := n + 1, m + 1 END; swap = BEGIN n, m := m, n END END",
    ),
    (
        "holds",
        "MACHINE Room SETS P VARIABLES in, out INVARIANT in <: P & out <: P & in /\\ out = {} INITIALISATION in, out := {}, P
         OPERATIONS go(p) = SELECT p : out THEN out := out - {p} || in := in \\/ {p} END;
         back = ANY s WHERE s <: in THEN in := in - s || out := out \\/ s END END",
    ),
    (
        "violated",
        "MACHINE Crowd SETS P VARIABLES in INVARIANT in <: P & card(in) < 3 INITIALISATION in := {}
         OPERATIONS go(p) = PRE p : P THEN in := in \\/ {p} END END",
    ),
    (
        "vacuous",
        "MACHINE Void CONSTANTS c PROPERTIES c : 1..9 & c * c = 3 VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
         OPERATIONS up = SELECT n < 3 THEN n := n + 1 END END",
    ),
];

/// The answer of `check`, and what was said on the way.
fn course(text: &str, threads: usize, is_counted: bool) -> (String, Vec<Progress>) {
    let mut job = job(&model(text), &ScopeRequest::default());
    job.sharing.threads = threads;
    if is_counted {
        job.budget = job.budget.counted();
    }
    let mut said = vec![];
    let report = run(&job, Engine::Check, &opener(open), &mut |p: &Progress| said.push(p.clone()));
    (answer(&report), said)
}

#[test]
fn engines_side_by_side_answer_as_they_do_in_turns() {
    for (expected, text) in MACHINES {
        for threads in [1, 2, 8] {
            let (answer, _) = course(text, threads, false);
            assert!(answer.starts_with(expected), "{threads} threads: {answer}\n{text}");
        }
    }
}

#[test]
fn with_counted_times_each_run_is_the_same() {
    for (expected, text) in MACHINES {
        let first = course(text, 1, true);
        assert!(first.0.starts_with(expected), "{}\n{text}", first.0);
        let second = course(text, 1, true);
        let differ = (0..first.1.len().max(second.1.len())).find(|&i| first.1.get(i) != second.1.get(i));
        let near = |all: &[Progress]| {
            differ.map(|i| all[i.saturating_sub(2).min(all.len())..(i + 2).min(all.len())].to_vec())
        };
        assert_eq!(differ, None, "{text}\n{:?}\n{:?}", near(&first.1), near(&second.1));
        assert_eq!(first.0, second.0, "{text}");
    }
}
