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

/// A value as text.
pub fn shown(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Names with their values, on one line.
pub fn names(object: &Json) -> String {
    let all = object.as_object().into_iter().flatten();
    all.map(|(name, value)| format!("{name} = {}", shown(value))).collect::<Vec<_>>().join(", ")
}

/// The event of a step with its arguments.
pub fn call(step: &Json) -> String {
    let (event, arguments) = (shown(&step["event"]), names(&step["parameters"]));
    if arguments.is_empty() { event } else { format!("{event}({arguments})") }
}
