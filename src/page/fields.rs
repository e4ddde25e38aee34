//! Fields of JSON that may be missing.

use serde_json::Value as Json;

/// A text.
pub fn text(object: &Json, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_string)
}

/// The items of a list; none where there is no list.
pub fn list<'j>(object: &'j Json, name: &str) -> impl Iterator<Item = &'j Json> {
    object.get(name).and_then(Json::as_array).into_iter().flatten()
}
