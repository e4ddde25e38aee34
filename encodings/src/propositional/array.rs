//! Reading arrays and changing them at an index.
//!
//! An index that is a tuple is taken apart: an array from couples is an array of arrays.

use std::rc::Rc;

use super::gates::{Gates, Lit};
use super::integer::{self, Form, Number};
use super::value::{Array, Truth, Value, Why, checked, choice, equal, extent, hull, select};

/// A literal for each cell of a listed array that says that the index is there; one is true.
fn positions(g: &mut Gates, index: &Value, keys: &[Value]) -> Result<(Vec<Lit>, Lit), Why> {
    match index {
        Value::Bool(t) => Ok((vec![!t.lit, t.lit], t.guard)),
        Value::Element(all, guard) => Ok((all.to_vec(), *guard)),
        _ => {
            let (mut all, mut guards) = (vec![], vec![]);
            for key in keys {
                let mut parts = vec![];
                equal(g, index, key, &mut parts)?;
                all.push(g.and(parts.iter().map(|t| t.lit)));
                guards.extend(parts.iter().map(|t| t.guard));
            }
            Ok((all, g.and(guards)))
        }
    }
}

/// `n <= k` of an unknown, true or false whether its cut holds or not; `None` of other numbers.
type Order<'a> = dyn FnMut(&mut Gates, &Number, i128) -> Option<Lit> + 'a;

/// The value at an index; `keys` are the values of each listed part of it.
pub(super) fn read(
    g: &mut Gates,
    order: &mut Order<'_>,
    array: &Value,
    index: &[Value],
    keys: &[Rc<[Value]>],
) -> Result<Value, Why> {
    let Some((head, rest)) = index.split_first() else { return Ok(array.clone()) };
    let Value::Array(array) = array else { return Err(Why::unsupported("an array of another shape")) };
    match (&**array, head) {
        (Array::Listed(cells), _) => {
            let (lits, guard) = positions(g, head, &keys[0])?;
            let mut options = vec![];
            for (&l, cell) in lits.iter().zip(cells) {
                if l != Lit::FALSE {
                    options.push((l, read(g, order, cell, rest, &keys[1..])?));
                }
            }
            let options: Vec<(Lit, &Value)> = options.iter().map(|(l, v)| (*l, v)).collect();
            let chosen = select(g, &options, guard == Lit::TRUE)?;
            Ok(chosen.guarded(g, guard))
        }
        (Array::Window { first, cells, below, above }, Value::Int(n)) => {
            let (first, last) = (*first, first + cells.len() as i128 - 1);
            if n.low == n.high {
                let value = read(g, order, array.at(n.low), rest, &keys[1..])?;
                return Ok(value.guarded(g, n.guard));
            }
            let mut options = vec![];
            // An unknown that is outside of the window reads what is there, however far its cut reaches: what is in the
            // array bounds it then.
            if n.guard != Lit::TRUE
                && n.low <= first
                && last <= n.high
                && let (Some(left), Some(most)) = (order(g, n, first - 1), order(g, n, last))
            {
                for (l, value) in [(left, below), (!most, above)] {
                    options.push((l, read(g, order, value, rest, &keys[1..])?));
                }
                for i in first..=last {
                    let l = is(g, n, i)?;
                    let l = g.and([l, !left, most]);
                    options.push((l, read(g, order, array.at(i), rest, &keys[1..])?));
                }
                let options: Vec<(Lit, &Value)> = options.iter().map(|(l, v)| (*l, v)).collect();
                return select(g, &options, false);
            }
            for i in first.max(n.low)..=last.min(n.high) {
                let l = is(g, n, i)?;
                options.push((l, read(g, order, array.at(i), rest, &keys[1..])?));
            }
            for (outside, value) in [(n.low < first, below), (n.high > last, above)] {
                if outside {
                    let end = if std::ptr::eq(value, below) { first } else { last };
                    let end = Number::constant(end).ok_or_else(Why::too_large)?;
                    let l = if std::ptr::eq(value, below) {
                        integer::less(g, n, &end)
                    } else {
                        integer::less(g, &end, n)
                    };
                    options.push((l, read(g, order, value, rest, &keys[1..])?));
                }
            }
            let options: Vec<(Lit, &Value)> = options.iter().map(|(l, v)| (*l, v)).collect();
            let chosen = select(g, &options, n.guard == Lit::TRUE)?;
            Ok(chosen.guarded(g, n.guard))
        }
        (Array::Window { first, cells, below, above }, Value::Beyond(b)) => {
            let last = first + cells.len() as i128 - 1;
            let missing = if b.above { last - b.bound } else { b.bound - first };
            if missing > 0 {
                return Err(Why::Range(b.range, missing));
            }
            let value = read(g, order, if b.above { above } else { below }, rest, &keys[1..])?;
            Ok(value.guarded(g, b.guard))
        }
        _ => Err(Why::unsupported("an index of another shape")),
    }
}

fn is(g: &mut Gates, n: &Number, i: i128) -> Result<Lit, Why> {
    let k = Number::constant(i).ok_or_else(Why::too_large)?;
    Ok(integer::equal(g, n, &k))
}

/// Returns the array with another value at an index where `here` is true. The possible values of the index lie in a
/// window.
pub(super) fn write(
    g: &mut Gates,
    array: &Value,
    index: &[Value],
    keys: &[Rc<[Value]>],
    here: Lit,
    value: &Value,
) -> Result<Value, Why> {
    let Some((head, rest)) = index.split_first() else {
        let mut new = choice(g, Truth::exact(here), value, array)?;
        if let (Value::Int(n), None) = (&mut new, here.as_constant()) {
            // Whether it is here may depend on what is not known.
            n.form = Form::Other;
        }
        return Ok(new);
    };
    let Value::Array(array) = array else { return Err(Why::unsupported("an array of another shape")) };
    let (changed, guard) = match (&**array, head) {
        (Array::Listed(cells), _) => {
            let (lits, guard) = positions(g, head, &keys[0])?;
            let mut new = vec![];
            for (&l, cell) in lits.iter().zip(cells) {
                let l = g.and([l, here]);
                new.push(if l == Lit::FALSE {
                    cell.clone()
                } else {
                    write(g, cell, rest, &keys[1..], l, value)?
                });
            }
            (Array::Listed(new), guard)
        }
        (Array::Window { below, above, .. }, Value::Int(n)) => {
            let own = extent(array).unwrap_or((0, -1));
            let (first, last) = checked(hull(own, (n.low, n.high)))?;
            let mut new = vec![];
            for i in first..=last {
                let l = is(g, n, i)?;
                let l = g.and([l, here]);
                let cell = array.at(i);
                new.push(if l == Lit::FALSE {
                    cell.clone()
                } else {
                    write(g, cell, rest, &keys[1..], l, value)?
                });
            }
            (Array::Window { first, cells: new, below: below.clone(), above: above.clone() }, n.guard)
        }
        _ => return Err(Why::unsupported("an array with a change at integers without bound")),
    };
    // Where the index is not known, nothing of the array is.
    let guard = g.or([!here, guard]);
    Ok(Value::Array(Rc::new(changed)).guarded(g, guard))
}
