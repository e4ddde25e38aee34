//! An answer that was given before and is given again.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::exit::Exit;

/// An answer from the cache.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The exit code that it had.
    pub exit: Exit,
    result: Json,
    text: String,
}

impl Kept {
    /// The answer as an object of JSON and as text.
    pub fn new(exit: Exit, result: Json, text: String) -> Kept {
        Kept { exit, result, text }
    }

    /// The text that it had.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Serialize for Kept {
    /// The object that it was, with `cached`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = self.result.clone();
        if let Json::Object(members) = &mut result {
            members.insert("cached".into(), true.into());
        }
        result.serialize(serializer)
    }
}
