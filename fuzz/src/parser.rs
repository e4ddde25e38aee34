//! Text to tree: every diagnostic points into the text and can be shown.

use bsym_language::source::{Source, Sources};
use bsym_language::{parser, render};

/// Runs the target on one input.
pub fn run(text: &str) {
    let mut sources = Sources::default();
    let id = sources.add(Source::new("Fuzz.mch", text));
    parser::parse_formula(&sources, id);
    for d in parser::parse(&sources, id).1.iter().take(20) {
        assert!(text.get(d.span.start as usize..d.span.end as usize).is_some());
        render::render(&sources, d, false);
    }
}
