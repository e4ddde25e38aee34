//! The front end against other people's models, where they are present: what ProB reads is read, what
//! must be refused is refused with a message of the right kind, what loads prints as itself.
//! `cargo run --release -p bsym-language --example corpus` prints the same figures.

#[path = "../examples/corpus/figures.rs"]
mod figures;

use bsym_language::stack::with_large_stack;
use figures::{Corpus, Share};

fn show(what: &str, share: &Share) {
    println!("{what}: {share}");
    share.others.iter().for_each(|line| println!("    {line}"));
}

#[test]
fn what_prob_reads_is_read() {
    let Some(corpus) = Corpus::open() else { return };
    let read = corpus.read();
    show("read", &read);
    assert!(read.percent() >= 99.5, "{read}");
    // The others are the checker's, or use a name that ProB reserves.
    let refused = corpus.refused();
    show("refused by both", &refused);
    assert!(refused.good >= 25, "{refused}");
}

#[test]
fn wrong_machines_are_refused_for_their_mistake() {
    let Some(corpus) = Corpus::open() else { return };
    let mut missed = 0;
    for (kind, share) in corpus.mistakes() {
        show(&kind, &share);
        missed += share.total - share.good;
        assert!(share.others.iter().all(|line| !line.contains(": accepted")), "{kind}");
    }
    assert_eq!(missed, 0, "refused for another reason");
}

#[test]
fn machines_that_prob_explores_load_and_print() {
    let Some(corpus) = Corpus::open() else { return };
    with_large_stack(|| {
        let loads = corpus.loads();
        show("load", &loads);
        assert!(loads.percent() >= 98.0, "{loads}");
        let printed = corpus.printed();
        show("print and read the same", &printed);
        assert!(printed.percent() >= 99.0, "{printed}");
        assert!(printed.total >= 1_600);
    });
}
