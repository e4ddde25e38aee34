//! How formulas reached the solver, and why so.

use bsym_encodings::encoding::{Chosen, Encoding};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::words;

words! {
    /// An encoding in a word.
    EncodingWord {
        Unbounded = "unbounded",
        Sat = "sat",
    }
}

/// The encoding of the engines.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct EncodingObject {
    pub name: EncodingWord,
    /// why it was chosen
    pub reason: String,
}

impl From<&Chosen> for EncodingObject {
    fn from(chosen: &Chosen) -> EncodingObject {
        let name = match chosen.encoding {
            Encoding::Unbounded => EncodingWord::Unbounded,
            Encoding::Sat => EncodingWord::Sat,
        };
        EncodingObject { name, reason: chosen.reason.clone() }
    }
}

impl EncodingObject {
    /// What people are told; nothing where it is what they are used to.
    pub fn text(&self) -> Option<String> {
        match self.name {
            EncodingWord::Unbounded => None,
            EncodingWord::Sat => Some(format!("propositional logic over the scope ({})", self.reason)),
        }
    }
}
