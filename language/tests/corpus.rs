//! The front end against other people's models, where they are present: what ProB reads is read, what
//! must be refused is refused with a message of the right kind, what loads prints as itself.
//! `cargo run --release -p bsym-language --example corpus` prints the same figures.

#[path = "../examples/corpus/figures.rs"]
mod figures;

use bsym_language::stack::with_large_stack;
use bsym_testing::Known;
use figures::{Corpus, Share};

/// Holds what fails against the list of what is known to, in `corpus/NAME.tsv`.
fn expect(what: &str, share: &Share, known: &str) {
    println!("{what}: {share}");
    let surprises = Known::read(known).surprises(&share.others);
    assert!(surprises.is_empty(), "{what}: {surprises:#?}");
}

#[test]
fn what_prob_reads_is_read() {
    let Some(corpus) = Corpus::open() else { return };
    expect("read", &corpus.read(), include_str!("corpus/not_read.tsv"));
    expect("refused by both", &corpus.refused(), include_str!("corpus/not_refused.tsv"));
}

#[test]
fn wrong_machines_are_refused_for_their_mistake() {
    let Some(corpus) = Corpus::open() else { return };
    let mistakes = corpus.mistakes();
    let mut all = Share::default();
    for (kind, share) in mistakes {
        println!("{kind}: {share}");
        all.add(share);
    }
    assert!(all.others.iter().all(|line| !line.contains(": accepted")), "{:#?}", all.others);
    expect("refused for the right reason", &all, include_str!("corpus/other_mistake.tsv"));
}

#[test]
fn machines_that_prob_explores_load_and_print() {
    let Some(corpus) = Corpus::open() else { return };
    with_large_stack(|| {
        expect("load", &corpus.loads(), include_str!("corpus/not_loaded.tsv"));
        let printed = corpus.printed();
        expect("print and read the same", &printed, include_str!("corpus/not_printed.tsv"));
    });
}
