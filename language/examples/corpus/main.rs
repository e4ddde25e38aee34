//! Prints how well the front end does on other people's models:
//! `cargo run --release -p bsym-language --example corpus`. With `-v` also the files that fail.
//!
//! The models are no part of the repository: `BSYM_CORPUS` names their folder.

mod figures;

use std::time::Instant;

use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;
use figures::{Corpus, Share};

fn main() {
    let verbose = std::env::args().skip(1).any(|a| a == "-v");
    let Some(corpus) = Corpus::open() else { return };
    let show = |what: &str, share: &Share| {
        println!("{what:<52} {share}");
        if verbose {
            share.others.iter().for_each(|line| println!("    {line}"));
        }
    };
    with_large_stack(|| {
        show("read, of what ProB's parser reads:", &corpus.read());
        show("refused by the parser, of what ProB's parser refuses:", &corpus.refused());
        let mut all = Share::default();
        for (kind, share) in corpus.mistakes() {
            show(&format!("refused with the right kind, {kind} mistakes:"), &share);
            all.good += share.good;
            all.total += share.total;
        }
        println!("{:<52} {all}", "refused with the right kind, all mistakes:");
        show("loaded, of the machines whose states are known:", &corpus.loads());
        show("printed and read again as the same model:", &corpus.printed());
        let (mut files, mut bytes, start) = (0, 0, Instant::now());
        for loaded in corpus.files().filter_map(|(_, path)| load_model(&path).ok()) {
            files += 1;
            bytes += loaded.sources.iter().map(|(_, source)| source.text.len()).sum::<usize>();
        }
        let (kib, time) = (bytes >> 10, start.elapsed());
        println!("{:<52} {files} files, {kib} KiB in {time:.2?}", "parsed and checked on one core:");
    });
}
