//! The lemmas of the frames, which need not be inductive.

use bsym_language::model::{Model, Pred};

use super::Ic3;

impl Ic3 {
    /// Returns the lemmas of all frames in B, those of the last frame first.
    pub fn lemmas(&self, model: &Model) -> Vec<Pred> {
        let mut all: Vec<Pred> = vec![];
        for turn in &self.turns {
            let search = &turn.search;
            for frame in (1..=search.frames.last()).rev() {
                let cubes = search.frames.cubes(frame).iter();
                for lemma in cubes.map(|cube| search.abstraction.predicates.clause(model, cube)) {
                    if !all.contains(&lemma) {
                        all.push(lemma);
                    }
                }
            }
        }
        all
    }
}
