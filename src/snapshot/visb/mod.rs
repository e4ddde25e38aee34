//! Drawings of a model that follow its states, as ProB's VisB has them: an SVG whose attributes are formulas.
//!
//! - `VISB_SVG_FILE`: a file of SVG. `VISB_JSON_FILE`: a VisB file with `svg`, `items`, `svg_objects` and `include`; the
//!   empty name stands for an empty drawing, whose size `VISB_SVG_BOX` gives
//! - `VISB_SVG_OBJECTS…`: records, or sets of records, of further elements: `svg_class`, `id` and attributes
//! - `VISB_SVG_UPDATES…`: records, or sets of records, of attributes of the element with an `id`
//!
//! Formulas are evaluated by the reference evaluator. `file` reads VisB files, `drawing` writes the SVG, in which nothing
//! runs or refers to anything else.

mod drawing;
mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bsym_language::load::check_expression;
use bsym_language::model::{Expr, Model};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use self::file::Item;
use super::Snapshot;

use super::formula::{Failure, beginning, text_of_definition};

pub use self::drawing::Frames;

use crate::tuning::tuning;

/// Attributes of the elements of a drawing by id.
pub(super) type Attributes = BTreeMap<String, BTreeMap<String, String>>;

/// An element that a model adds, and its kind.
type Objects = BTreeMap<String, String>;

/// The drawing of a model.
pub struct Visb {
    /// The text of the SVG with its name; `None` for an empty one.
    base: Option<(String, String)>,
    frame: Option<(String, Expr)>,
    objects: Vec<(String, Expr)>,
    items: Vec<Item>,
    updates: Vec<(String, Expr)>,
    /// What cannot be read.
    pub failures: Vec<Failure>,
}

/// A drawing in one state.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Width, height and view box of an empty drawing.
    frame: BTreeMap<String, String>,
    objects: Objects,
    attributes: Attributes,
}

impl Visb {
    /// Reads the definitions of a model and the files that they name, in the folder of the model; `None` if it has
    /// none. Bound names of formulas become names of the model.
    pub fn read(model: &mut Model, folder: &Path) -> Option<Visb> {
        let mut found = Visb {
            base: None,
            frame: None,
            objects: vec![],
            items: vec![],
            updates: vec![],
            failures: vec![],
        };
        let mut is_there = false;
        if let Some(name) = text_of_definition(model, "VISB_JSON_FILE") {
            is_there = true;
            if !name.is_empty() {
                let read = file::read(model, &folder.join(&name), &mut found.failures);
                found.items = read.items;
                found.base = read.svg;
            }
        }
        if let Some(name) = text_of_definition(model, "VISB_SVG_FILE").filter(|name| !name.is_empty()) {
            is_there = true;
            match file::text(&folder.join(&name)) {
                Ok(text) => found.base = Some((name, text)),
                Err(message) => found.failures.push(Failure { what: name, place: None, message }),
            }
        }
        for (begin, list) in
            [("VISB_SVG_OBJECTS", &mut found.objects), ("VISB_SVG_UPDATES", &mut found.updates)]
        {
            for name in beginning(model, begin) {
                is_there = true;
                match check_expression(model, &name) {
                    Ok(expr) => list.push((name, expr)),
                    Err(diagnostics) => found.failures.push(Failure::read(model, &name, &diagnostics)),
                }
            }
        }
        for name in beginning(model, "VISB_SVG_BOX") {
            match check_expression(model, &name) {
                Ok(expr) => found.frame = Some((name, expr)),
                Err(diagnostics) => found.failures.push(Failure::read(model, &name, &diagnostics)),
            }
        }
        is_there.then_some(found)
    }

    /// Evaluates everything in a state. Formulas that have no value are told in `failures`.
    pub(super) fn state(&self, snapshot: &Snapshot<'_>, failures: &mut BTreeSet<String>) -> State {
        let work = Work::new(tuning().snapshot.work);
        work.portion(tuning().snapshot.work);
        let eval = Evaluator::new(snapshot.model, snapshot.scope).with_work(&work);
        let env = Env::new(snapshot.constants, snapshot.state);
        let mut state = State::default();
        let mut value = |what: &str, expr: &Expr| match eval.expr(&env, expr) {
            Ok(value) => Some(value),
            Err(e) => {
                failures.insert(Failure::at(snapshot.model, what, e.span, &e.message).to_string());
                None
            }
        };
        if let Some(Value::Record(fields)) = self.frame.as_ref().and_then(|(what, expr)| value(what, expr)) {
            state.frame = fields.iter().map(|(name, v)| (name.to_string(), plain(snapshot, v))).collect();
        }
        let mut wrong = vec![];
        for (list, adds) in [(&self.objects, true), (&self.updates, false)] {
            if !adds {
                for item in &self.items {
                    let what = format!("{}: {}", item.what, item.formula);
                    if let Some(v) = value(&what, &item.expr) {
                        state.set(
                            &item.id,
                            &item.attribute,
                            attribute(snapshot, &item.attribute, &v),
                            item.adds.as_deref(),
                        );
                    }
                }
            }
            for (what, expr) in list {
                let Some(v) = value(what, expr) else { continue };
                for record in records(&v) {
                    match record {
                        Some(fields) => state.record(snapshot, fields, adds),
                        None => wrong.push(format!("{what}: is a record or a set of records")),
                    }
                }
            }
        }
        failures.extend(wrong);
        state
    }
}

impl State {
    /// Applies a record with an `id`.
    fn record(&mut self, snapshot: &Snapshot<'_>, fields: Fields<'_>, adds: bool) {
        let field =
            |name: &str| fields.iter().find(|(label, _)| **label == *name).map(|(_, v)| plain(snapshot, v));
        let kind = field("svg_class").filter(|_| adds);
        let id = field("id").unwrap_or_else(|| format!("object-{}", self.objects.len() + 1));
        for (name, value) in fields.iter().filter(|(name, _)| &**name != "id" && &**name != "svg_class") {
            self.set(&id, name, attribute(snapshot, name, value), None);
        }
        if let Some(kind) = kind {
            self.objects.insert(id, kind);
        }
    }

    fn set(&mut self, id: &str, name: &str, value: String, adds: Option<&str>) {
        self.attributes.entry(id.to_owned()).or_default().insert(name.to_owned(), value);
        if let Some(kind) = adds {
            self.objects.insert(id.to_owned(), kind.to_owned());
        }
    }
}

/// The fields of a record.
type Fields<'v> = &'v [(Arc<str>, Value)];

/// The records of a value: itself, or the elements of a set. `None` stands for a value of another kind.
fn records(value: &Value) -> Vec<Option<Fields<'_>>> {
    match value {
        Value::Record(fields) => vec![Some(fields)],
        Value::Set(all) => all.iter().flat_map(records).collect(),
        _ => vec![None],
    }
}

/// A value as the text of an attribute: strings without quotes, couples joined, as in `("circle", 3)` for `circle3`.
fn plain(snapshot: &Snapshot<'_>, value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Pair(both) => plain(snapshot, &both.0) + &plain(snapshot, &both.1),
        Value::Bool(truth) => truth.to_string(),
        value => snapshot.text(value),
    }
}

/// A value of an attribute; truth values of those that show and hide are their words.
fn attribute(snapshot: &Snapshot<'_>, name: &str, value: &Value) -> String {
    match (name, value) {
        ("visibility", Value::Bool(truth)) => if *truth { "visible" } else { "hidden" }.into(),
        ("display", Value::Bool(truth)) => if *truth { "inline" } else { "none" }.into(),
        (_, value) => plain(snapshot, value),
    }
}
