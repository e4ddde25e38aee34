//! Values of every sort in literals: truth values, integers, elements one-hot, tuples, arrays.
//!
//! An array has one cell for each index of a finite sort; over integers it has the cells of a window, one value for all
//! indices below and one for all above it.
//!
//! A value that depends on an unknown that was cut down to bounds is the intended value only where its guard is true.
//! Each leaf has a guard of its own, so that leaves that an unknown does not reach do not depend on it.

use std::rc::Rc;

use super::gates::{Gates, Lit};
use super::integer::{self, Form, Number};

use crate::tuning::tuning;

/// A truth value with its guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Truth {
    pub lit: Lit,
    /// True where the literal is the intended truth.
    pub guard: Lit,
}

impl Truth {
    /// A literal that needs no guard.
    pub fn exact(lit: Lit) -> Truth {
        Truth { lit, guard: Lit::TRUE }
    }

    /// The opposite.
    pub fn negated(self) -> Truth {
        Truth { lit: !self.lit, guard: self.guard }
    }
}

/// Numbers without bound in one direction, all at once: those that a binder over integers has outside of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Beyond {
    /// Which range, and at which end of it.
    pub range: (u32, bool),
    /// Above all numbers up to the bound, or below all numbers from it.
    pub above: bool,
    pub bound: i128,
    pub guard: Lit,
}

/// Reason why an integer that does not fit is unsupported.
pub(super) const TOO_WIDE: &str = "a number of more than 64 bits";

/// Reason why something has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// It is not claimed; in words.
    Unsupported(Rc<str>),
    /// It has one if this end of a range is moved by so much at least.
    Range((u32, bool), i128),
    /// Time is up.
    Stopped,
}

impl Why {
    pub fn unsupported(reason: impl Into<Rc<str>>) -> Why {
        Why::Unsupported(reason.into())
    }

    pub fn too_large() -> Why {
        Why::unsupported(TOO_WIDE)
    }
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Bool(Truth),
    Int(Number),
    /// Integers in a quantifier's or a lambda's body, outside of the range that is written out.
    Beyond(Beyond),
    /// An element of an enumeration: one literal for each, exactly one of them true. With its guard.
    Element(Rc<[Lit]>, Lit),
    Tuple(Rc<[Value]>),
    Array(Rc<Array>),
}

impl Value {
    /// A number, if it needs no more than 64 bits.
    pub fn number(n: Option<Number>) -> Result<Value, Why> {
        n.map(Value::Int).ok_or_else(Why::too_large)
    }

    /// An element of an enumeration.
    pub fn element(position: usize, size: usize) -> Value {
        Value::Element((0..size).map(|i| Lit::constant(i == position)).collect(), Lit::TRUE)
    }

    /// Number of cells, for arrays.
    pub fn cells(&self) -> usize {
        match self {
            Value::Array(array) => match &**array {
                Array::Listed(cells) | Array::Window { cells, .. } => cells.len(),
            },
            _ => 0,
        }
    }

    /// Returns this value with another guard that has to be true as well.
    pub fn guarded(&self, g: &mut Gates, guard: Lit) -> Value {
        if guard == Lit::TRUE {
            return self.clone();
        }
        match self {
            Value::Bool(t) => Value::Bool(Truth { lit: t.lit, guard: g.and([t.guard, guard]) }),
            // Elsewhere it may be another number than the form says.
            Value::Int(n) => {
                Value::Int(Number { guard: g.and([n.guard, guard]), form: Form::Other, ..n.clone() })
            }
            Value::Beyond(b) => Value::Beyond(Beyond { guard: g.and([b.guard, guard]), ..*b }),
            Value::Element(all, own) => Value::Element(all.clone(), g.and([*own, guard])),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|p| p.guarded(g, guard)).collect()),
            Value::Array(a) => Value::Array(Rc::new(a.map(|v| v.guarded(g, guard)))),
        }
    }

    /// The scalar parts of an index.
    pub fn flatten(&self, all: &mut Vec<Value>) {
        match self {
            Value::Tuple(parts) => parts.iter().for_each(|p| p.flatten(all)),
            other => all.push(other.clone()),
        }
    }
}

/// The cells of an array. From couples it is an array of arrays.
#[expect(clippy::large_enum_variant, reason = "arrays are behind a pointer anyway")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Array {
    /// In the order of the sort's values.
    Listed(Vec<Value>),
    /// From the first index on, and what is at all indices below and above.
    Window { first: i128, cells: Vec<Value>, below: Value, above: Value },
}

impl Array {
    /// A value for each cell.
    pub fn map(&self, mut f: impl FnMut(&Value) -> Value) -> Array {
        match self {
            Array::Listed(cells) => Array::Listed(cells.iter().map(f).collect()),
            Array::Window { first, cells, below, above } => Array::Window {
                first: *first,
                cells: cells.iter().map(&mut f).collect(),
                below: f(below),
                above: f(above),
            },
        }
    }

    /// The cell of an integer.
    pub fn at(&self, index: i128) -> &Value {
        match self {
            Array::Listed(cells) => &cells[index as usize],
            Array::Window { first, cells, below, above } => match usize::try_from(index - first) {
                Err(_) => below,
                Ok(i) => cells.get(i).unwrap_or(above),
            },
        }
    }
}

/// First and last index of the window.
pub(super) fn extent(array: &Array) -> Option<(i128, i128)> {
    match array {
        Array::Listed(_) => None,
        Array::Window { first, cells, .. } => Some((*first, first + cells.len() as i128 - 1)),
    }
}

/// The hull of two windows, which may be empty.
pub(super) fn hull((a, b): (i128, i128), (c, d): (i128, i128)) -> (i128, i128) {
    match (a > b, c > d) {
        (true, _) => (c, d),
        (_, true) => (a, b),
        _ => (a.min(c), b.max(d)),
    }
}

pub(super) fn checked((first, last): (i128, i128)) -> Result<(i128, i128), Why> {
    if last - first < tuning().propositional.window_cells {
        Ok((first, last))
    } else {
        Err(Why::unsupported(format!(
            "an array over integers with indices more than {} apart",
            tuning().propositional.window_cells
        )))
    }
}

/// Returns the literals that must all be false for a set to have no elements outside of the windows of another one.
/// Returns `None` where that is not known.
pub(super) fn fits_window(wide: &Value, set: &Value) -> Option<Vec<Lit>> {
    let mut unless = vec![];
    (is_inside(wide, set, &mut unless) && unless.len() <= tuning().propositional.outside).then_some(unless)
}

fn is_inside(wide: &Value, set: &Value, unless: &mut Vec<Lit>) -> bool {
    let (Value::Array(a), Value::Array(b)) = (wide, set) else { return true };
    match (&**a, &**b) {
        (Array::Listed(xs), Array::Listed(ys)) => xs.iter().zip(ys).all(|(x, y)| is_inside(x, y, unless)),
        (Array::Window { first, cells, .. }, Array::Window { first: own, cells: ys, below, above }) => {
            let last = first + cells.len() as i128 - 1;
            (*own..).zip(ys).all(|(i, y)| (*first <= i && i <= last) || is_empty(y, unless))
                && is_empty(below, unless)
                && is_empty(above, unless)
                && (*first..).zip(cells).all(|(i, x)| {
                    let inside = *own <= i && i < own + ys.len() as i128;
                    !inside || is_inside(x, b.at(i), unless)
                })
        }
        _ => false,
    }
}

fn is_empty(set: &Value, unless: &mut Vec<Lit>) -> bool {
    match set {
        Value::Bool(t) => {
            unless.extend([!t.guard, t.lit].into_iter().filter(|&l| l != Lit::FALSE));
            t.lit != Lit::TRUE
        }
        Value::Array(a) => match &**a {
            Array::Listed(cells) => cells.iter().all(|v| is_empty(v, unless)),
            Array::Window { cells, below, above, .. } => {
                cells.iter().chain([below, above]).all(|v| is_empty(v, unless))
            }
        },
        _ => false,
    }
}

/// Point by point; `f` is called once for each index, and once below and above a window.
pub(super) fn zip<F>(arrays: &[&Rc<Array>], f: &mut F) -> Result<Array, Why>
where
    F: FnMut(&[Value]) -> Result<Value, Why> + ?Sized,
{
    let mut window: Option<(i128, i128)> = None;
    for a in arrays {
        if let Some(own) = extent(a) {
            window = Some(window.map_or(own, |w| hull(w, own)));
        }
    }
    let Some(window) = window else {
        let Array::Listed(first) = &**arrays[0] else { return Err(Why::unsupported("arrays of two kinds")) };
        let cells: Result<Vec<Value>, Why> = (0..first.len() as i128)
            .map(|i| f(&arrays.iter().map(|a| a.at(i).clone()).collect::<Vec<_>>()))
            .collect();
        return Ok(Array::Listed(cells?));
    };
    let (first, last) = checked(window)?;
    let mut cell = |i: i128| f(&arrays.iter().map(|a| a.at(i).clone()).collect::<Vec<_>>());
    let cells: Result<Vec<Value>, Why> = (first..=last).map(&mut cell).collect();
    Ok(Array::Window { first, cells: cells?, below: cell(i128::MIN / 4)?, above: cell(i128::MAX / 4)? })
}

/// `if c then a else b`
pub(super) fn choice(g: &mut Gates, c: Truth, a: &Value, b: &Value) -> Result<Value, Why> {
    match c.lit.as_constant() {
        Some(true) => return Ok(a.guarded(g, c.guard)),
        Some(false) => return Ok(b.guarded(g, c.guard)),
        None if a == b => return Ok(a.clone()),
        None => {}
    }
    let l = c.lit;
    let chosen = match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => {
            Value::Bool(Truth { lit: g.choice(l, x.lit, y.lit), guard: g.choice(l, x.guard, y.guard) })
        }
        (Value::Int(x), Value::Int(y)) => Value::Int(integer::choice(g, l, x, y)),
        (Value::Element(x, p), Value::Element(y, q)) => {
            let all = x.iter().zip(y.iter()).map(|(&x, &y)| g.choice(l, x, y)).collect();
            Value::Element(all, g.choice(l, *p, *q))
        }
        (Value::Tuple(xs), Value::Tuple(ys)) => {
            let parts: Result<_, Why> =
                xs.iter().zip(ys.iter()).map(|(x, y)| choice(g, Truth::exact(l), x, y)).collect();
            Value::Tuple(parts?)
        }
        (Value::Array(x), Value::Array(y)) => {
            let zipped = zip(&[x, y], &mut |v| choice(g, Truth::exact(l), &v[0], &v[1]))?;
            Value::Array(Rc::new(zipped))
        }
        (Value::Beyond(x), Value::Beyond(y)) if x.above == y.above && x.range == y.range => {
            let bound = if x.above { x.bound.min(y.bound) } else { x.bound.max(y.bound) };
            Value::Beyond(Beyond { bound, guard: g.choice(l, x.guard, y.guard), ..*x })
        }
        _ => return Err(Why::unsupported("a choice between integers without bound")),
    };
    Ok(chosen.guarded(g, c.guard))
}

/// One of several values, by literals of which exactly one is true. `exact` where no guard stands behind them.
pub(super) fn select(g: &mut Gates, options: &[(Lit, &Value)], exact: bool) -> Result<Value, Why> {
    let options: Vec<(Lit, &Value)> = options.iter().filter(|(l, _)| *l != Lit::FALSE).copied().collect();
    if let Some(&(_, v)) = options.iter().find(|(l, _)| *l == Lit::TRUE) {
        return Ok(v.clone());
    }
    let Some((_, first)) = options.first() else {
        return Err(Why::unsupported("a choice between no values"));
    };
    if options.iter().all(|(_, v)| v == first) {
        return Ok((*first).clone());
    }
    // The literal that the chosen value has, for a function that takes one out of each.
    let one = |g: &mut Gates, of: &dyn Fn(&Value) -> Option<Lit>| -> Option<Lit> {
        let mut all = vec![];
        for &(l, v) in &options {
            all.push(g.and([l, of(v)?]));
        }
        Some(g.or(all))
    };
    let mixed = || Why::unsupported("a choice between integers without bound");
    Ok(match first {
        Value::Bool(_) => {
            let lit = one(g, &|v| if let Value::Bool(t) = v { Some(t.lit) } else { None });
            let guard = one(g, &|v| if let Value::Bool(t) = v { Some(t.guard) } else { None });
            Value::Bool(Truth { lit: lit.ok_or_else(mixed)?, guard: guard.ok_or_else(mixed)? })
        }
        Value::Int(_) => {
            let mut numbers: Vec<(Lit, &Number)> = vec![];
            for &(l, v) in &options {
                let Value::Int(n) = v else { return Err(mixed()) };
                numbers.push((l, n));
            }
            // A chain of choices says which number it is where bounds are passed on; a short one costs little.
            if let [head @ .., (_, last)] = &numbers[..] {
                let mut n = (*last).clone();
                for (l, x) in head.iter().rev() {
                    n = integer::choice(g, *l, x, &n);
                }
                if !exact {
                    n.form = Form::Other;
                }
                Value::Int(n)
            } else {
                return Err(mixed());
            }
        }
        Value::Element(all, _) => {
            let mut lits = vec![];
            for i in 0..all.len() {
                let l = one(g, &|v| if let Value::Element(all, _) = v { Some(all[i]) } else { None });
                lits.push(l.ok_or_else(mixed)?);
            }
            let guard = one(g, &|v| if let Value::Element(_, guard) = v { Some(*guard) } else { None });
            Value::Element(lits.into(), guard.ok_or_else(mixed)?)
        }
        _ => {
            let (_, last) = options[options.len() - 1];
            let mut chosen = last.clone();
            for &(l, v) in options[..options.len() - 1].iter().rev() {
                chosen = choice(g, Truth::exact(l), v, &chosen)?;
            }
            chosen
        }
    })
}

/// The order of a number and numbers beyond a bound: whether the latter are the smaller ones. Both are told apart by
/// the number's interval alone, or the range has to grow.
pub(super) fn beyond_is_less(g: &mut Gates, b: &Beyond, n: &Number) -> Result<Truth, Why> {
    let missing = if b.above { n.high - b.bound } else { b.bound - n.low };
    if missing > 0 {
        return Err(Why::Range(b.range, missing));
    }
    Ok(Truth { lit: Lit::constant(!b.above), guard: g.and([b.guard, n.guard]) })
}

/// Parts that are all true exactly where two values are equal. Equal literals alone do not make them so: outside of
/// their guards they may stand for different values.
pub(super) fn equal(g: &mut Gates, a: &Value, b: &Value, parts: &mut Vec<Truth>) -> Result<(), Why> {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => {
            parts.push(Truth { lit: g.iff(x.lit, y.lit), guard: g.and([x.guard, y.guard]) });
        }
        (Value::Int(x), Value::Int(y)) => {
            parts.push(Truth { lit: integer::equal(g, x, y), guard: g.and([x.guard, y.guard]) });
        }
        (Value::Beyond(x), Value::Int(n)) | (Value::Int(n), Value::Beyond(x)) => {
            let apart = beyond_is_less(g, x, n)?;
            parts.push(Truth { lit: Lit::FALSE, guard: apart.guard });
        }
        (Value::Element(x, p), Value::Element(y, q)) => {
            let same: Vec<Lit> = x.iter().zip(y.iter()).map(|(&x, &y)| g.and([x, y])).collect();
            parts.push(Truth { lit: g.or(same), guard: g.and([*p, *q]) });
        }
        (Value::Tuple(xs), Value::Tuple(ys)) => {
            for (x, y) in xs.iter().zip(ys.iter()) {
                equal(g, x, y, parts)?;
            }
        }
        (Value::Array(x), Value::Array(y)) => {
            // The result of zipping is not needed: the parts are noted on the way.
            zip(&[x, y], &mut |v| {
                equal(g, &v[0], &v[1], parts)?;
                Ok(Value::Bool(Truth::exact(Lit::TRUE)))
            })?;
        }
        _ => return Err(Why::unsupported("a comparison of integers without bound")),
    }
    Ok(())
}
