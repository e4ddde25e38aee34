//! Values back from an assignment.

use super::gates::Lit;
use super::lowering::Lowering;
use super::value::{Array, Value};
use crate::session::{TermValue, evaluate::any_value};
use crate::term::{Sort, SortKind};

/// The values in the cells of an array.
#[derive(Default)]
struct Found {
    /// With their indices.
    entries: Vec<(TermValue, TermValue)>,
    /// At indices that are not written out.
    outside: Vec<TermValue>,
}

impl Lowering {
    /// Reads a value where `truth` says which literals are true. Returns `None` for an array that has not one value
    /// nearly everywhere.
    pub(super) fn read(&self, sort: Sort, value: &Value, truth: &dyn Fn(Lit) -> bool) -> Option<TermValue> {
        Some(match (self.terms.sort_kind(sort), value) {
            (_, Value::Bool(t)) => TermValue::Bool(truth(t.lit)),
            (_, Value::Int(n)) => TermValue::Int(i64::try_from(n.value(truth)).ok()?.into()),
            (_, Value::Element(all, _)) => {
                let position = all.iter().position(|&l| truth(l)).unwrap_or(0);
                TermValue::Constructor(sort, position as u32)
            }
            (SortKind::Tuple(fields), Value::Tuple(parts)) => {
                let parts = fields.iter().zip(parts.iter()).map(|(&f, p)| self.read(f, p, truth));
                TermValue::Tuple(parts.collect::<Option<_>>()?)
            }
            (SortKind::Array(index, element), Value::Array(_)) => {
                let mut found = Found::default();
                self.entries(index, element, value, &mut vec![], &mut found, truth)?;
                let Found { entries, outside } = found;
                let default = match outside.first() {
                    Some(first) if outside.iter().all(|v| v == first) => first.clone(),
                    Some(_) => return None,
                    // All indices are listed.
                    None => any_value(&self.terms, element),
                };
                TermValue::array(default, entries)?
            }
            _ => return None,
        })
    }

    /// The values at all indices that are written out, and those at the others.
    fn entries(
        &self,
        index: Sort,
        element: Sort,
        value: &Value,
        path: &mut Vec<Option<TermValue>>,
        found: &mut Found,
        truth: &dyn Fn(Lit) -> bool,
    ) -> Option<()> {
        let Some(&part) = self.known_scalars(index)?.get(path.len()) else {
            let value = self.read(element, value, truth)?;
            match path.iter().cloned().collect::<Option<Vec<TermValue>>>() {
                Some(parts) => found.entries.push((self.join(index, &mut parts.into_iter())?, value)),
                None => found.outside.push(value),
            }
            return Some(());
        };
        let Value::Array(array) = value else { return None };
        let mut cells: Vec<(Option<TermValue>, &Value)> = vec![];
        match &**array {
            Array::Listed(all) => {
                let keys = self.known_constants(part)?;
                for (key, cell) in keys.iter().zip(all) {
                    cells.push((Some(self.read(part, key, &|l| l == Lit::TRUE)?), cell));
                }
            }
            Array::Window { first, cells: all, below, above } => {
                cells.extend([(None, below), (None, above)]);
                for (i, cell) in (*first..).zip(all) {
                    cells.push((Some(TermValue::Int(i64::try_from(i).ok()?.into())), cell));
                }
            }
        }
        for (key, cell) in cells {
            path.push(key);
            self.entries(index, element, cell, path, found, truth)?;
            path.pop();
        }
        Some(())
    }

    /// An index from its scalar parts.
    fn join(&self, sort: Sort, parts: &mut dyn Iterator<Item = TermValue>) -> Option<TermValue> {
        match self.terms.sort_kind(sort) {
            SortKind::Tuple(fields) => {
                let all: Option<Vec<TermValue>> = fields.iter().map(|&f| self.join(f, parts)).collect();
                Some(TermValue::Tuple(all?))
            }
            _ => parts.next(),
        }
    }
}
