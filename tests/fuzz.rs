//! Smoke run of the fuzz targets: seeds and mutations of seeds, without libFuzzer.
//!
//! The seeds are the models of this repository. `BSYM_FUZZ=N` runs `N` inputs for each target instead of a few, and
//! `BSYM_SEED=N` chooses other mutations. `fuzz/run TARGET` looks for inputs that reach new code.

mod common;
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use common::{number, root};

/// Longest time for one input.
const PATIENCE: Duration = Duration::from_secs(20);
/// Inputs for each target; `BSYM_FUZZ` overrides it.
const INPUTS: u64 = 150;
/// Seeds with more bytes make each input slow.
const LARGEST: usize = 3_000;

/// Texts of machines, in the order of their paths.
fn seeds() -> Vec<String> {
    let mut paths: Vec<PathBuf> =
        ["examples", "examples/symmetry", "explore/tests/models", "benches/loops", "benches/protocols"]
            .iter()
            .flat_map(|folder| {
                std::fs::read_dir(root().join(folder)).expect("the folder is in the repository")
            })
            .map(|entry| entry.expect("the folder can be read").path())
            .filter(|path| path.extension().is_some_and(|e| e == "mch" || e == "ref"))
            .collect();
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("a model is UTF-8"));
    texts.filter(|text| text.len() < LARGEST).collect()
}

/// Event-B as text.
fn texts() -> Vec<String> {
    let folder = root().join("language/tests/eventb/Text");
    let paths = std::fs::read_dir(folder).expect("the folder is in the repository");
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text is UTF-8")).collect()
}

/// The words of `fuzz/b.dict` without those that are written with escapes.
fn words() -> Vec<String> {
    let dictionary =
        std::fs::read_to_string(root().join("fuzz/b.dict")).expect("the dictionary is in the repository");
    let words = dictionary.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    words.filter(|word| !word.contains('\\')).map(str::to_string).collect()
}

/// The text with a few of its words removed, repeated, swapped or replaced.
fn mutated<'a>(text: &'a str, words: &'a [String], random: &mut fastrand::Rng) -> String {
    let mut parts: Vec<&'a str> = text.split_inclusive([' ', '\n', '(', ')', ',', ';']).collect();
    for _ in 0..random.usize(1..6) {
        if parts.is_empty() {
            break;
        }
        let (at, other) = (random.usize(..parts.len()), random.usize(..parts.len()));
        match random.u8(..6) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[other]),
            2 => parts.swap(at, other),
            3 => parts[at] = &words[random.usize(..words.len())],
            4 => parts.insert(at, &words[random.usize(..words.len())]),
            _ => parts.truncate(at),
        }
    }
    parts.concat()
}

/// Runs a target on inputs, each within [`PATIENCE`].
fn smoke(target: fn(&str), inputs: Vec<String>) {
    let (give, taken) = channel::<String>();
    let (done, ended) = channel();
    std::thread::spawn(move || {
        for input in taken {
            target(&input);
            let _ = done.send(());
        }
    });
    for input in inputs {
        give.send(input.clone()).expect("the worker waits");
        match ended.recv_timeout(PATIENCE) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => panic!("the target does not end within {PATIENCE:?}:\n{input}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the target panics:\n{input}"),
        }
    }
}

/// The seeds, or pieces of them, and mutations.
fn inputs(pieces: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let seeds: Vec<String> = seeds().iter().flat_map(|text| pieces(text)).collect();
    assert!(seeds.len() > 20, "only {} seeds", seeds.len());
    with_mutations(seeds)
}

fn with_mutations(seeds: Vec<String>) -> Vec<String> {
    let (words, mut random) = (words(), fastrand::Rng::with_seed(number("BSYM_SEED").unwrap_or(1)));
    let count = number("BSYM_FUZZ").unwrap_or(INPUTS);
    let mutations = (0..count).map(|_| mutated(&seeds[random.usize(..seeds.len())], &words, &mut random));
    let mutations: Vec<String> = mutations.collect();
    seeds.iter().cloned().chain(mutations).collect()
}

fn whole(text: &str) -> Vec<String> {
    vec![text.to_string()]
}

#[test]
fn the_lexer_survives() {
    smoke(|text| targets::lexer::run(text.as_bytes()), inputs(whole));
}

#[test]
fn the_parser_survives() {
    smoke(targets::parser::run, inputs(whole));
}

#[test]
fn the_checker_survives() {
    smoke(targets::checker::run, inputs(whole));
}

#[test]
fn the_loader_survives() {
    smoke(targets::loader::run, inputs(|text| vec![format!("=== Main.mch\n{text}\n=== Other.mch\n{text}")]));
}

/// Components together, and each file alone.
#[test]
fn the_reader_of_event_b_survives() {
    let texts = texts();
    let all = texts.concat();
    smoke(targets::eventb::run, with_mutations(texts.into_iter().chain([all]).collect()));
}

/// Lines of machines as formulas: names that no one declares are part of it.
#[test]
fn the_evaluator_survives() {
    let formulas =
        |text: &str| text.lines().map(|line| line.trim_matches([' ', '&', ';']).to_string()).collect();
    smoke(targets::evaluator::run, inputs(formulas));
}
