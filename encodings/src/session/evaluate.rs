//! The value of a term under values for its symbols: the meaning of every operator, without a solver.

use bsym_language::int::Int;
use num_integer::Integer;
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use super::value::{TermValue, array_value};
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Values of symbols.
pub type Assignment = FxHashMap<SymbolId, TermValue>;

/// The value of a term. `None` where it is not determined: a symbol without a value, a division by
/// zero, a quantifier over a sort that is not finite, a value that was not understood.
pub fn evaluate(terms: &Terms, t: Term, symbols: &Assignment) -> Option<TermValue> {
    Evaluation { terms, symbols: symbols.clone(), done: FxHashMap::default() }.term(t)
}

/// Evaluates several terms under the same values of the symbols.
pub fn evaluate_each(terms: &Terms, all: &[Term], symbols: Assignment) -> Vec<Option<TermValue>> {
    let mut evaluation = Evaluation { terms, symbols, done: FxHashMap::default() };
    all.iter().map(|&t| evaluation.term(t)).collect()
}

/// Indices that tell two arrays with finitely many of them apart: all of them, where there are at most `few`, else
/// those at which the values differ. None, where the values are the same.
pub(super) fn differences(
    terms: &Terms,
    sort: Sort,
    (a, b): (&TermValue, &TermValue),
    few: usize,
) -> Vec<TermValue> {
    let (index, element) = terms.array_parts(sort);
    let differ = |i: &TermValue| match (select(a, i), select(b, i)) {
        (Some(x), Some(y)) => equal(terms, element, &x, &y) == Some(false),
        _ => false,
    };
    let all = finite(terms, index).unwrap_or_default();
    let some: Vec<TermValue> = all.iter().filter(|i| differ(i)).cloned().collect();
    if some.is_empty() || all.len() > few { some } else { all }
}

/// Some value of a sort; for an uninterpreted one an element of no particular name.
pub fn any_value(terms: &Terms, sort: Sort) -> TermValue {
    match terms.sort_kind(sort) {
        SortKind::Bool => TermValue::Bool(false),
        SortKind::Int => TermValue::Int(Int::ZERO),
        SortKind::Real => TermValue::Real(BigRational::from_integer(0.into())),
        SortKind::Enum(..) => TermValue::Constructor(sort, 0),
        SortKind::Uninterpreted(name) => TermValue::Element(sort, format!("{name}!any").into()),
        SortKind::Array(_, value) => {
            TermValue::Array { default: Box::new(any_value(terms, value)), entries: vec![] }
        }
        SortKind::Tuple(fields) => TermValue::Tuple(fields.iter().map(|&f| any_value(terms, f)).collect()),
    }
}

struct Evaluation<'a> {
    terms: &'a Terms,
    symbols: Assignment,
    done: FxHashMap<Term, Option<TermValue>>,
}

impl Evaluation<'_> {
    fn term(&mut self, t: Term) -> Option<TermValue> {
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.done.contains_key(&t) {
                continue;
            }
            let node = self.terms.node(t);
            let binder = matches!(node.op, Op::Forall(_) | Op::Exists(_) | Op::Lambda(_));
            if ready || binder || node.args.is_empty() {
                let value = self.node(&node);
                self.done.insert(t, value);
            } else {
                stack.push((t, true));
                stack.extend(node.args.iter().map(|&a| (a, false)));
            }
        }
        self.done[&t].clone()
    }

    fn node(&mut self, node: &Node) -> Option<TermValue> {
        use TermValue::{Bool, Real};
        let arg = |i: usize| self.done[&node.args[i]].clone();
        let bool = |i: usize| match arg(i) {
            Some(Bool(b)) => Some(b),
            _ => None,
        };
        Some(match &node.op {
            Op::True => Bool(true),
            Op::False => Bool(false),
            Op::Int(n) => TermValue::Int(n.clone()),
            Op::Real(r) => Real((**r).clone()),
            Op::Symbol(id) => one_form(self.terms, node.sort, self.symbols.get(id)?)?,
            Op::Constructor(sort, i) => TermValue::Constructor(*sort, *i),
            Op::Not => Bool(!bool(0)?),
            // A part that is not determined does not matter where another decides.
            Op::And | Op::Or => {
                let decides = node.op == Op::Or;
                let parts: Vec<Option<bool>> = (0..node.args.len()).map(bool).collect();
                if parts.contains(&Some(decides)) {
                    Bool(decides)
                } else if parts.contains(&None) {
                    return None;
                } else {
                    Bool(!decides)
                }
            }
            Op::Ite => arg(if bool(0)? { 1 } else { 2 })?,
            Op::Eq => {
                let sort = self.terms.sort_of(node.args[0]);
                Bool(equal(self.terms, sort, &arg(0)?, &arg(1)?)?)
            }
            Op::Add => {
                let mut sum = arg(0)?;
                for i in 1..node.args.len() {
                    sum = arithmetic(&sum, &arg(i)?, |x, y| Some(x + y))?;
                }
                sum
            }
            Op::Mul => arithmetic(&arg(0)?, &arg(1)?, |x, y| Some(x * y))?,
            Op::RealDiv => arithmetic(&arg(0)?, &arg(1)?, |x, y| {
                (*y != BigRational::from_integer(0.into())).then(|| x / y)
            })?,
            Op::Div | Op::Mod => {
                let (TermValue::Int(x), TermValue::Int(y)) = (arg(0)?, arg(1)?) else { return None };
                if y.is_zero() {
                    return None;
                }
                let (x, y) = (x.to_big(), y.to_big());
                // Euclidean: 0 <= remainder < |y|.
                let remainder =
                    x.mod_floor(&if y.sign() == num_bigint::Sign::Minus { -&y } else { y.clone() });
                let result = if node.op == Op::Mod { remainder } else { (x - remainder) / y };
                TermValue::Int(Int::from(result))
            }
            Op::Le => Bool(rational(&arg(0)?)? <= rational(&arg(1)?)?),
            Op::Lt => Bool(rational(&arg(0)?)? < rational(&arg(1)?)?),
            Op::ToReal => Real(rational(&arg(0)?)?),
            Op::Floor => TermValue::Int(Int::from(rational(&arg(0)?)?.floor().to_integer())),
            Op::Select => {
                let index = one_form(self.terms, self.terms.sort_of(node.args[1]), &arg(1)?)?;
                select(&arg(0)?, &index)?
            }
            Op::Store => {
                let TermValue::Array { default, entries } = arg(0)? else { return None };
                let index = one_form(self.terms, self.terms.sort_of(node.args[1]), &arg(1)?)?;
                let stores = [(index, arg(2)?)].into_iter().chain(entries).collect();
                array_value(*default, stores)?
            }
            Op::ConstArray(_) => array_value(arg(0)?, vec![])?,
            Op::SetUnion => pointwise(&[arg(0)?, arg(1)?], |v| Some(Bool(truth(&v[0])? || truth(&v[1])?)))?,
            Op::SetInter => pointwise(&[arg(0)?, arg(1)?], |v| Some(Bool(truth(&v[0])? && truth(&v[1])?)))?,
            Op::SetMinus => pointwise(&[arg(0)?, arg(1)?], |v| Some(Bool(truth(&v[0])? && !truth(&v[1])?)))?,
            Op::SetComplement => pointwise(&[arg(0)?], |v| Some(Bool(!truth(&v[0])?)))?,
            Op::ArrayIte => pointwise(&[arg(0)?, arg(1)?, arg(2)?], |v| {
                Some(v[if truth(&v[0])? { 1 } else { 2 }].clone())
            })?,
            Op::Tuple(_) => TermValue::Tuple((0..node.args.len()).map(arg).collect::<Option<_>>()?),
            Op::Field(i) => {
                let TermValue::Tuple(parts) = arg(0)? else { return None };
                parts.get(*i as usize)?.clone()
            }
            Op::Forall(bound) => Bool(self.all(bound, node.args[0], false)?),
            Op::Exists(bound) => Bool(!self.all(bound, node.args[0], true)?),
            Op::Lambda(bound) => {
                let mut entries = vec![];
                for i in finite(self.terms, self.terms.symbol_sort(*bound))? {
                    let value = self.under(*bound, i.clone(), node.args[0])?;
                    entries.push((i, value));
                }
                array_value(entries.first()?.1.clone(), entries)?
            }
        })
    }

    /// Returns whether the body, or its negation, holds for all values of the bound symbols.
    fn all(&mut self, bound: &[SymbolId], body: Term, negated: bool) -> Option<bool> {
        let Some((&first, rest)) = bound.split_first() else {
            let value =
                Evaluation { terms: self.terms, symbols: self.symbols.clone(), done: FxHashMap::default() }
                    .term(body)?;
            return Some(truth(&value)? != negated);
        };
        let saved = self.symbols.get(&first).cloned();
        let mut result = Some(true);
        for v in finite(self.terms, self.terms.symbol_sort(first))? {
            self.symbols.insert(first, v);
            match self.all(rest, body, negated) {
                Some(true) => {}
                Some(false) => {
                    result = Some(false);
                    break;
                }
                None => result = None,
            }
        }
        match saved {
            Some(v) => self.symbols.insert(first, v),
            None => self.symbols.remove(&first),
        };
        result
    }

    fn under(&self, symbol: SymbolId, value: TermValue, body: Term) -> Option<TermValue> {
        let mut symbols = self.symbols.clone();
        symbols.insert(symbol, value);
        Evaluation { terms: self.terms, symbols, done: FxHashMap::default() }.term(body)
    }
}

/// The one form of a value by which it is found among the indices of an array: an array over a finite sort may be given
/// with one default or another.
fn one_form(terms: &Terms, sort: Sort, v: &TermValue) -> Option<TermValue> {
    Some(match (terms.sort_kind(sort), v) {
        (SortKind::Tuple(fields), TermValue::Tuple(parts)) => {
            let parts = fields.iter().zip(parts).map(|(&f, p)| one_form(terms, f, p));
            TermValue::Tuple(parts.collect::<Option<_>>()?)
        }
        (SortKind::Array(index, element), TermValue::Array { default, entries }) => {
            let mut all = vec![];
            for (i, v) in entries {
                all.push((one_form(terms, index, i)?, one_form(terms, element, v)?));
            }
            let default = one_form(terms, element, default)?;
            match finite(terms, index) {
                Some(indices) => {
                    let whole = array_value(default, all)?;
                    let listed: Option<Vec<(TermValue, TermValue)>> =
                        indices.into_iter().map(|i| Some((i.clone(), select(&whole, &i)?))).collect();
                    array_value(any_value(terms, element), listed?)?
                }
                None => array_value(default, all)?,
            }
        }
        _ => v.clone(),
    })
}

/// The values of a small finite sort.
fn finite(terms: &Terms, sort: Sort) -> Option<Vec<TermValue>> {
    match terms.sort_kind(sort) {
        SortKind::Bool => Some(vec![TermValue::Bool(false), TermValue::Bool(true)]),
        SortKind::Enum(_, names) if names.len() <= tuning().values.evaluated => {
            Some((0..names.len()).map(|i| TermValue::Constructor(sort, i as u32)).collect())
        }
        SortKind::Tuple(fields) => {
            let mut all = vec![vec![]];
            for &f in fields.iter() {
                let values = finite(terms, f)?;
                if all.len() * values.len() > tuning().values.evaluated {
                    return None;
                }
                let longer = |start: &Vec<TermValue>| {
                    let start = start.clone();
                    values.iter().map(move |v| [start.clone(), vec![v.clone()]].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            Some(all.into_iter().map(TermValue::Tuple).collect())
        }
        SortKind::Array(index, value) => {
            let (indices, values) = (finite(terms, index)?, finite(terms, value)?);
            let mut all = vec![vec![]];
            for i in &indices {
                if all.len() * values.len() > tuning().values.evaluated {
                    return None;
                }
                let longer = |start: &Vec<(TermValue, TermValue)>| {
                    let start = start.clone();
                    let with = move |v: &TermValue| [start.clone(), vec![(i.clone(), v.clone())]].concat();
                    values.iter().map(with).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            all.into_iter().map(|entries| array_value(values.first()?.clone(), entries)).collect()
        }
        _ => None,
    }
}

/// Equality. Arrays with different defaults are equal only over a finite index sort.
fn equal(terms: &Terms, sort: Sort, a: &TermValue, b: &TermValue) -> Option<bool> {
    if a.is_opaque() || b.is_opaque() {
        return None;
    }
    match (terms.sort_kind(sort), a, b) {
        (SortKind::Array(index, element), TermValue::Array { .. }, TermValue::Array { .. }) => {
            let TermValue::Array { default: da, entries: ea } = a else { return None };
            let TermValue::Array { default: db, entries: eb } = b else { return None };
            let indices = match finite(terms, index) {
                Some(all) => all,
                None if !equal(terms, element, da, db)? => {
                    // Infinitely many indices have the default, or, for an uninterpreted sort, we cannot know.
                    let open = matches!(terms.sort_kind(index), SortKind::Uninterpreted(_));
                    return if open { None } else { Some(false) };
                }
                None => ea.iter().chain(eb).map(|(i, _)| i.clone()).collect(),
            };
            for i in indices {
                if !equal(terms, element, &select(a, &i)?, &select(b, &i)?)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        (SortKind::Tuple(fields), TermValue::Tuple(xs), TermValue::Tuple(ys)) => {
            let mut all = Some(true);
            for ((&f, x), y) in fields.iter().zip(xs).zip(ys) {
                match equal(terms, f, x, y) {
                    Some(false) => return Some(false),
                    Some(true) => {}
                    None => all = None,
                }
            }
            all
        }
        _ => Some(a == b),
    }
}

fn select(array: &TermValue, index: &TermValue) -> Option<TermValue> {
    let TermValue::Array { default, entries } = array else { return None };
    let found = entries.iter().find(|(i, _)| i == index).map(|(_, v)| v);
    Some(found.unwrap_or(default).clone())
}

fn pointwise(arrays: &[TermValue], f: impl Fn(&[TermValue]) -> Option<TermValue>) -> Option<TermValue> {
    let mut indices = std::collections::BTreeSet::new();
    let mut defaults = vec![];
    for a in arrays {
        let TermValue::Array { default, entries } = a else { return None };
        defaults.push((**default).clone());
        indices.extend(entries.iter().map(|(i, _)| i.clone()));
    }
    let mut entries = vec![];
    for i in indices {
        let values = arrays.iter().map(|a| select(a, &i)).collect::<Option<Vec<_>>>()?;
        entries.push((i, f(&values)?));
    }
    array_value(f(&defaults)?, entries)
}

fn truth(v: &TermValue) -> Option<bool> {
    match v {
        TermValue::Bool(b) => Some(*b),
        _ => None,
    }
}

fn rational(v: &TermValue) -> Option<BigRational> {
    match v {
        TermValue::Int(n) => Some(BigRational::from_integer(n.to_big())),
        TermValue::Real(r) => Some(r.clone()),
        _ => None,
    }
}

fn arithmetic(
    a: &TermValue,
    b: &TermValue,
    f: impl Fn(&BigRational, &BigRational) -> Option<BigRational>,
) -> Option<TermValue> {
    let result = f(&rational(a)?, &rational(b)?)?;
    Some(match (a, b) {
        (TermValue::Int(_), TermValue::Int(_)) => TermValue::Int(Int::from(result.to_integer())),
        _ => TermValue::Real(result),
    })
}
