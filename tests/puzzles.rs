//! Constants and choices that a search alone does not find: how many there are is known.

mod common;

use std::path::Path;

use common::{bsym, file, root};
use serde_json::Value as Json;

fn states(machine: &Path) -> Json {
    let output = bsym().args(["mc", "--json", "--no-proofs", "--keep-going"]).arg(machine).output();
    let output = output.expect("the program runs");
    let text = String::from_utf8_lossy(&output.stderr);
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(answer["verdict"], "holds", "{}: {answer:#}", machine.display());
    answer["states"].clone()
}

fn puzzle(constants: &str, properties: &str, operations: &str) -> Json {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("MACHINE Puzzle CONSTANTS {constants} PROPERTIES {properties} {operations} END");
    states(&file(folder.path(), "Puzzle.mch", &text))
}

#[test]
fn puzzles_have_the_known_number_of_solutions() {
    for (name, number) in [("Groups", 12), ("Topologies", 58), ("Dominoes", 72), ("Queens20", 2)] {
        let machine = root().join("benches/puzzles").join(name).with_extension("mch");
        assert_eq!(states(&machine), number, "{name}");
    }
}

/// Weights are on either side of the scales: 1, 3 and 9. No operation reads them.
#[test]
fn constants_that_nothing_reads_are_found_as_well() {
    let states = puzzle(
        "a, b, c",
        "a : 1..13 & b : 1..13 & c : 1..13 & a <= b & b <= c & a + b + c = 13 &
        !w.(w : 1..13 => #(x, y, z).(x : -1..1 & y : -1..1 & z : -1..1 & w = x * a + y * b + z * c))",
        "",
    );
    assert_eq!(states, 2);
}

/// Sets of the fewest elements that meet each of the given sets: one of each of the first three, and 1, 4 or 7 among
/// them.
#[test]
fn what_is_best_among_many_sets_is_found() {
    let states = puzzle(
        "family, best",
        "family = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 4, 7}} &
        best <: 1..9 & !s.(s : family => s /\\ best /= {}) &
        !other.(other <: 1..9 & !s.(s : family => s /\\ other /= {}) => card(best) <= card(other))",
        "OPERATIONS b <-- has(x) = PRE x : 1..9 THEN b := bool(x : best) END",
    );
    assert_eq!(states, 2 * (27 - 8));
}

#[test]
fn what_an_existential_predicate_leaves_is_listed_once() {
    let states = puzzle(
        "sums",
        "sums = {v | #s.(s <: 1..10 & v = SIGMA(i).(i : s | i * i))} & max(sums) = 385 & card(sums) > 300",
        "OPERATIONS b <-- has(x) = PRE x : 0..3 THEN b := bool(x : sums) END",
    );
    assert_eq!(states, 2);
}
