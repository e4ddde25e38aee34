//! Text to model to text: what is printed reads as the same model again.

use bsym_language::stack::with_large_stack;
use bsym_language::{load::load_text, print, walk};

/// Runs the target on one input.
pub fn run(text: &str) {
    with_large_stack(|| {
        let Some(model) = load_text("Fuzz.mch", text).model else { return };
        let again = load_text("Fuzz.mch", print::machine(&model)).model.expect("what is printed is right");
        assert!(walk::normalised(&model) == walk::normalised(&again));
    });
}
