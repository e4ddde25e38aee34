//! Source texts that an answer refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bsym_language::files;
use bsym_language::source::Sources;
use serde::Serialize;
use serde_json::Value as Json;

use crate::tuning::tuning;

/// A file.
#[derive(Serialize, Clone, Debug)]
pub struct Source {
    pub path: String,
    pub lines: Vec<Line>,
}

/// A line of it.
#[derive(Serialize, Clone, Debug)]
pub struct Line {
    text: String,
    /// `true` if a violation is located here.
    bad: bool,
}

/// The name of a line, for links.
pub fn anchor(file: &str, line: u64) -> String {
    let name: String = file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{name}-{line}")
}

/// Files with a place in the answer, as they are now.
pub fn all(result: &Json) -> Vec<Source> {
    let mut places: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    collect(result, false, &mut places);
    let mut sources = vec![];
    for (path, bad) in places {
        let mut read = Sources::default();
        // A file that is gone, or part of an archive, cannot be shown, although the answer names it.
        let Ok((id, _)) = files::load(&mut read, Path::new(&path)) else { continue };
        let text = &read.get(id).text;
        if text.len() > tuning().page.source {
            continue;
        }
        let line = |(i, text): (usize, &str)| Line { text: text.into(), bad: bad.contains(&(i as u64 + 1)) };
        sources.push(Source { lines: text.lines().enumerate().map(line).collect(), path });
    }
    sources
}

/// Collects every place in the result: an object with a file and a line. Places of violations are `bad`.
fn collect(value: &Json, is_bad: bool, places: &mut BTreeMap<String, BTreeSet<u64>>) {
    match value {
        Json::Array(all) => all.iter().for_each(|value| collect(value, is_bad, places)),
        Json::Object(object) => {
            let is_violated = object.get("verdict").is_some_and(|word| word == "violated");
            if let (Some(file), Some(line)) = (object.get("file"), object.get("line"))
                && let (Some(file), Some(line)) = (file.as_str(), line.as_u64())
            {
                let lines = places.entry(file.to_string()).or_default();
                let end = object.get("end_line").and_then(Json::as_u64).unwrap_or(line);
                if is_bad || (is_violated && object.contains_key("property")) {
                    lines.extend(line..=end.min(line + 100));
                }
            }
            for (key, value) in object {
                let is_place_of_steps = key == "trace" || key == "further";
                collect(value, !is_place_of_steps && (is_bad || key == "violated"), places);
            }
        }
        _ => {}
    }
}
