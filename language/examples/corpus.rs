//! Parses and checks the files that are named, or all machines in the folders that are named, and
//! tells how long that took: `cargo run --release --example corpus -- FOLDER`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;

fn machines(path: &Path, found: &mut Vec<PathBuf>) {
    if let Ok(folder) = std::fs::read_dir(path) {
        let mut entries: Vec<PathBuf> = folder.flatten().map(|e| e.path()).collect();
        entries.sort();
        entries.iter().for_each(|e| machines(e, found));
    } else if path.extension().is_some_and(|e| ["mch", "ref", "imp", "sys"].iter().any(|x| e == *x)) {
        found.push(path.to_owned());
    }
}

fn main() {
    let mut files = vec![];
    std::env::args_os().skip(1).for_each(|path| machines(Path::new(&path), &mut files));
    with_large_stack(|| {
        let (mut models, mut bytes, mut slowest) = (0, 0, (Duration::ZERO, None));
        let start = Instant::now();
        for file in &files {
            let begin = Instant::now();
            match load_model(file) {
                Ok(loaded) => {
                    models += usize::from(loaded.model.is_some());
                    bytes += loaded.sources.iter().map(|(_, source)| source.text.len()).sum::<usize>();
                }
                Err(error) => eprintln!("{error}"),
            }
            slowest = slowest.max((begin.elapsed(), Some(file)));
        }
        println!("{} files, {} KiB, {models} with a model: {:?}", files.len(), bytes >> 10, start.elapsed());
        if let (time, Some(file)) = slowest {
            println!("slowest: {} in {time:?}", file.display());
        }
    });
}
