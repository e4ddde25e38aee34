//! Event-B as text to a model: parts are in order and cut between characters, every diagnostic points into the text and
//! can be shown, and the model can be printed.

use bsym_language::eventb::text;
use bsym_language::files::Texts;
use bsym_language::load::load_from;
use bsym_language::source::SourceId;
use bsym_language::stack::with_large_stack;
use bsym_language::{print, render};

/// Runs the target on one input.
pub fn run(text: &str) {
    let mut end = 0;
    for (place, _) in text::marks(text) {
        assert!(end <= place.start && place.start < place.end);
        end = place.end;
        assert!(text.get(place).is_some());
    }
    let files: Texts = [("Fuzz.bumx", text)].into_iter().collect();
    with_large_stack(|| {
        let Ok(loaded) = load_from(&files, "Fuzz.bumx".as_ref()) else { return };
        for d in loaded.diagnostics.iter().take(20) {
            if d.span.source == SourceId(0) {
                let text = &loaded.sources.get(SourceId(0)).text;
                assert!(text.get(d.span.start as usize..d.span.end as usize).is_some());
            }
            render::render(&loaded.sources, d, false);
        }
        if let Some(model) = loaded.model {
            print::machine(&model);
        }
    });
}
