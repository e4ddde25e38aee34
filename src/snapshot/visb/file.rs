//! VisB files: JSON with the name of an SVG, and formulas for the attributes of its elements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bsym_language::load::{check_expression, check_predicate};
use bsym_language::model::{Expr, Model};
use serde_json::Value as Json;

use crate::snapshot::formula::Failure;
use crate::tuning::tuning;

/// A formula for an attribute.
pub struct Item {
    /// The file, the item and its element.
    pub what: String,
    pub id: String,
    pub attribute: String,
    pub formula: String,
    pub expr: Expr,
    /// Kind of the element that it adds, for objects.
    pub adds: Option<String>,
}

/// The content of a file.
#[derive(Default)]
pub struct Read {
    /// Name and text of the SVG.
    pub svg: Option<(String, String)>,
    pub items: Vec<Item>,
}

/// Reads a VisB file with all that it includes; its own items come last, so that they decide.
pub fn read(model: &mut Model, path: &Path, failures: &mut Vec<Failure>) -> Read {
    let mut seen = BTreeSet::new();
    read_once(model, path, &mut seen, failures)
}

fn read_once(
    model: &mut Model,
    path: &Path,
    seen: &mut BTreeSet<PathBuf>,
    failures: &mut Vec<Failure>,
) -> Read {
    let mut found = Read::default();
    let shown = path.display().to_string();
    if !seen.insert(path.to_path_buf()) {
        return found;
    }
    let mut fail = |what: String, message: String| failures.push(Failure { what, place: None, message });
    let object: Json = match text(path).map(|text| serde_json::from_str(&text)) {
        Ok(Ok(object)) => object,
        Ok(Err(error)) => {
            fail(shown, format!("it is no JSON: {error}"));
            return found;
        }
        Err(message) => {
            fail(shown, message);
            return found;
        }
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    if object["definitions"].as_array().is_some_and(|all| !all.is_empty()) {
        fail(shown.clone(), "`definitions` is not read: write them as DEFINITIONS of the machine".into());
    }
    if let Some(name) = object["svg"].as_str().filter(|name| !name.is_empty()) {
        match text(&folder.join(name)) {
            Ok(text) => found.svg = Some((name.to_owned(), text)),
            Err(message) => fail(format!("{shown}: `svg` is {name}"), message),
        }
    }
    if let Some(name) = object["include"].as_str() {
        found.items = read_once(model, &folder.join(name), seen, failures).items;
    }
    for (list, adds) in [("svg_objects", true), ("items", false)] {
        let all = object[list].as_array().map(Vec::as_slice).unwrap_or_default();
        for (number, item) in all.iter().enumerate() {
            for copy in copies(item) {
                let what = format!("{shown}: {list}[{number}]");
                read_item(model, &what, &copy, adds, &mut found.items, failures);
            }
        }
    }
    found
}

/// Adds the formulas of an item.
fn read_item(
    model: &mut Model,
    what: &str,
    item: &Json,
    adds: bool,
    items: &mut Vec<Item>,
    failures: &mut Vec<Failure>,
) {
    let mut fail = |what: String, message: String| failures.push(Failure { what, place: None, message });
    let Some(id) = item["id"].as_str() else {
        return fail(what.to_owned(), "it has no `id`".into());
    };
    let kind = item["svg_class"].as_str().filter(|_| adds).map(str::to_owned);
    if adds && kind.is_none() {
        return fail(format!("{what} (id `{id}`)"), "it has no `svg_class`".into());
    }
    let formula = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut pairs: Vec<(String, String)> = vec![];
    if let (Some(attribute), false) = (item["attr"].as_str(), item["value"].is_null()) {
        pairs.push((attribute.to_owned(), formula(&item["value"])));
    } else {
        let own = ["id", "svg_class", "repeat", "for", "comment", "override", "ignore", "optional"];
        let others = item.as_object().into_iter().flatten().filter(|(name, _)| !own.contains(&name.as_str()));
        pairs.extend(others.map(|(name, value)| (name.clone(), formula(value))));
    }
    for (attribute, formula) in pairs {
        let what = format!("{what} (id `{id}`, attribute `{attribute}`)");
        match expression(model, &formula) {
            Ok(expr) => {
                items.push(Item { what, id: id.to_owned(), attribute, formula, expr, adds: kind.clone() })
            }
            Err(message) => fail(format!("{what}: `{formula}`"), message),
        }
    }
}

/// Reads a formula: an expression, or a predicate whose truth value is meant.
fn expression(model: &mut Model, text: &str) -> Result<Expr, String> {
    let of_expression = match check_expression(model, text) {
        Ok(expr) => return Ok(expr),
        Err(diagnostics) => diagnostics,
    };
    if check_predicate(model, text).is_ok()
        && let Ok(expr) = check_expression(model, &format!("bool({text})"))
    {
        return Ok(expr);
    }
    Err(of_expression.first().map_or_else(|| "it is no formula".into(), |d| d.message.clone()))
}

/// The copies of an item with `for` or `repeat`: `%0` is the number or text of each, `%1` and so on are further texts.
fn copies(item: &Json) -> Vec<Json> {
    let mut words: Vec<Vec<String>> = vec![];
    let shown = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let (Some(from), Some(to)) = (item["for"]["from"].as_i64(), item["for"]["to"].as_i64()) {
        let step = item["for"]["step"].as_i64().unwrap_or(1).max(1);
        let last = to.min(from.saturating_add(step.saturating_mul(tuning().snapshot.copies)));
        let mut at = from;
        while at <= last {
            words.push(vec![at.to_string()]);
            at += step;
        }
    } else if let Some(all) = item["repeat"].as_array() {
        for word in all.iter().take(tuning().snapshot.copies as usize) {
            words.push(
                word.as_array().map_or_else(|| vec![shown(word)], |parts| parts.iter().map(shown).collect()),
            );
        }
    } else {
        return vec![item.clone()];
    }
    words.iter().map(|words| replaced(item, words)).collect()
}

fn replaced(value: &Json, words: &[String]) -> Json {
    match value {
        Json::String(text) => {
            let mut text = text.clone();
            for (i, word) in words.iter().enumerate() {
                text = text.replace(&format!("%{i}"), word);
            }
            Json::String(text)
        }
        Json::Object(fields) => fields.iter().map(|(name, v)| (name.clone(), replaced(v, words))).collect(),
        other => other.clone(),
    }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|e| format!("the file cannot be read: {e}"))?.len();
    let most = tuning().snapshot.drawing_bytes;
    if size > most {
        return Err(format!("the file has {size} bytes, more than {most}"));
    }
    std::fs::read_to_string(path).map_err(|e| format!("the file cannot be read: {e}"))
}
