//! Text to the files of a project to a model: nothing panics, and every diagnostic can be shown.
//!
//! A line `=== NAME` begins a file. The first file is the main machine; what it refers to is looked for
//! among the others.

use bsym_language::files::Texts;
use bsym_language::stack::with_large_stack;
use bsym_language::{load::load_from, print, render};

/// Runs the target on one input.
pub fn run(text: &str) {
    let mut files: Vec<(&str, String)> = vec![];
    for line in text.lines() {
        match (line.strip_prefix("=== "), files.last_mut()) {
            (Some(name), _) => files.push((name.trim(), String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => files.push(("Main.mch", format!("{line}\n"))),
        }
    }
    let Some((main, _)) = files.first().cloned() else { return };
    let files: Texts = files.into_iter().collect();
    with_large_stack(|| {
        let Ok(loaded) = load_from(&files, main.as_ref()) else { return };
        for d in loaded.diagnostics.iter().take(20) {
            render::render(&loaded.sources, d, false);
        }
        if let Some(model) = loaded.model {
            print::machine(&model);
        }
    });
}
