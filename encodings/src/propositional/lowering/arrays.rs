//! Arrays: their indices and cells, the values of finite sorts that they are listed by, and operations cell by cell.

use std::rc::Rc;

use super::{Index, Lowering};
use crate::propositional::cut::Cut;
use crate::propositional::gates::{Gates, Lit};
use crate::propositional::integer::Number;
use crate::propositional::value::{Array, Truth, Value, Why, choice, zip};
use crate::term::{Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

impl Lowering {
    /// Takes an index apart.
    pub(super) fn index(&mut self, index: &Value, sort: Sort) -> Result<Index, Why> {
        let mut parts = vec![];
        index.flatten(&mut parts);
        let mut keys = vec![];
        for &s in self.scalars(sort).iter() {
            keys.push(if s == Terms::INT { Rc::from([]) } else { self.constants(s)? });
        }
        Ok((parts, keys))
    }

    /// The sorts of the scalar parts of an index.
    pub fn scalars(&mut self, sort: Sort) -> Rc<[Sort]> {
        if let Some(known) = self.sorts.scalars.get(&sort) {
            return known.clone();
        }
        let parts: Rc<[Sort]> = match self.terms.sort_kind(sort) {
            SortKind::Tuple(fields) => {
                let mut all = vec![];
                for &f in fields.iter() {
                    all.extend(self.scalars(f).iter());
                }
                all.into()
            }
            _ => Rc::from([sort]),
        };
        self.sorts.scalars.insert(sort, parts.clone());
        parts
    }

    /// Cuts an index at which an array is changed down to a window. The guard of that, if it was necessary.
    pub(super) fn narrow(&mut self, store: Term, n: &mut Number) -> Result<Option<Lit>, Why> {
        if n.high - n.low < tuning().propositional.index_span {
            return Ok(None);
        }
        let cut = Cut::Index(store);
        let (first, last) = self.levels.window(&self.terms, cut);
        let ends = [first, last].map(Number::constant);
        let [Some(low), Some(high)] = ends else { return Err(Why::too_large()) };
        let inside = [self.at_most(&low, n), self.at_most(n, &high)];
        let mut lits = vec![];
        for truth in inside {
            let l = self.settle(truth);
            if l.as_constant().is_none() {
                self.cuts.push((l, cut));
            }
            lits.push(l);
        }
        let bits: Rc<[Lit]> = n.bits.clone();
        let narrow = Number::made(bits, n.low.max(first), n.high.min(last), n.guard);
        *n = narrow
            .filter(|n| n.low <= n.high)
            .ok_or_else(|| Why::unsupported("an array over integers that is changed far away from zero"))?;
        Ok(Some(self.gates.and(lits)))
    }

    /// All values of a finite sort.
    pub fn constants(&mut self, sort: Sort) -> Result<Rc<[Value]>, Why> {
        let unsupported = |me: &Self| {
            Why::unsupported(match me.terms.sort_kind(sort) {
                SortKind::Uninterpreted(name) => {
                    format!("an element of `{name}`, which is a set without a size in the scope")
                }
                SortKind::Real => "a real number".into(),
                _ => {
                    format!("a type of more than {} values, or without bound", tuning().propositional.values)
                }
            })
        };
        if let Some(known) = self.sorts.constants.get(&sort) {
            return known.clone().ok_or_else(|| unsupported(self));
        }
        let values = self.all_values(sort);
        self.sorts.constants.insert(sort, values.clone());
        values.ok_or_else(|| unsupported(self))
    }

    pub(super) fn all_values(&mut self, sort: Sort) -> Option<Rc<[Value]>> {
        /// One more component for each, in order.
        fn extended(all: Vec<Vec<Value>>, by: &[Value]) -> Option<Vec<Vec<Value>>> {
            (all.len() * by.len() <= tuning().propositional.values).then(|| {
                let with = |start: &Vec<Value>| -> Vec<Vec<Value>> {
                    by.iter().map(|v| start.iter().chain([v]).cloned().collect()).collect()
                };
                all.iter().flat_map(with).collect()
            })
        }
        match self.terms.sort_kind(sort) {
            SortKind::Bool => Some([false, true].map(|b| Value::Bool(Truth::exact(Lit::constant(b)))).into()),
            SortKind::Enum(_, names) if names.len() <= tuning().propositional.values => {
                Some((0..names.len()).map(|i| Value::element(i, names.len())).collect())
            }
            SortKind::Tuple(fields) => {
                let mut all = vec![vec![]];
                for &f in fields.iter() {
                    let values = self.constants(f).ok()?;
                    all = extended(all, &values)?;
                }
                Some(all.into_iter().map(|parts| Value::Tuple(parts.into())).collect())
            }
            SortKind::Array(index, value) => {
                let scalars = self.scalars(index);
                let (&first, rest) = scalars.split_first()?;
                let keys = self.constants(first).ok()?;
                let inner = self.rest_of_array(rest, value);
                let values = self.constants(inner).ok()?;
                let mut all = vec![vec![]];
                for _ in keys.iter() {
                    all = extended(all, &values)?;
                }
                Some(all.into_iter().map(|cells| Value::Array(Rc::new(Array::Listed(cells)))).collect())
            }
            _ => None,
        }
    }

    /// The scalar parts of a sort that was met before.
    pub fn known_scalars(&self, sort: Sort) -> Option<&Rc<[Sort]>> {
        self.sorts.scalars.get(&sort)
    }

    /// The values of a finite sort that was met before.
    pub fn known_constants(&self, sort: Sort) -> Option<&Rc<[Value]>> {
        self.sorts.constants.get(&sort)?.as_ref()
    }

    /// The sort of an array's cells, where the index has further parts.
    pub fn rest_of_array(&self, rest: &[Sort], value: Sort) -> Sort {
        match rest {
            [] => value,
            [one] => self.terms.array_sort(*one, value),
            more => self.terms.array_sort(self.terms.tuple_sort(more), value),
        }
    }

    /// The array with one value everywhere.
    pub(super) fn constant_array(&mut self, sort: Sort, value: &Value) -> Result<Value, Why> {
        let (index, _) = self.terms.array_parts(sort);
        let scalars = self.scalars(index);
        self.everywhere(&scalars, value)
    }

    pub(super) fn everywhere(&mut self, index: &[Sort], value: &Value) -> Result<Value, Why> {
        let mut all = value.clone();
        for &s in index.iter().rev() {
            let array = if s == Terms::INT {
                Array::Window { first: 0, cells: vec![], below: all.clone(), above: all }
            } else {
                Array::Listed(vec![all; self.constants(s)?.len()])
            };
            all = Value::Array(Rc::new(array));
        }
        Ok(all)
    }

    /// The array with what `f` makes of the cells of some arrays at each index.
    pub(super) fn pointwise<F>(&mut self, arrays: &[Value], f: &mut F) -> Result<Value, Why>
    where
        F: FnMut(&mut Gates, &[Value]) -> Result<Value, Why>,
    {
        fn inner<F>(g: &mut Gates, arrays: &[Value], f: &mut F) -> Result<Value, Why>
        where
            F: FnMut(&mut Gates, &[Value]) -> Result<Value, Why>,
        {
            let mut all = vec![];
            for a in arrays {
                match a {
                    Value::Array(a) => all.push(a),
                    // The cells of all of them.
                    _ => return f(g, arrays),
                }
            }
            Ok(Value::Array(Rc::new(zip(&all, &mut |v: &[Value]| inner(g, v, f))?)))
        }
        inner(&mut self.gates, arrays, f)
    }

    /// The array that is `a` where the mask is true and `b` elsewhere.
    pub(super) fn choose(&mut self, mask: &Value, a: &Value, b: &Value) -> Result<Value, Why> {
        fn inner(g: &mut Gates, mask: &Value, a: &Value, b: &Value) -> Result<Value, Why> {
            match (mask, a, b) {
                (Value::Bool(c), _, _) => choice(g, *c, a, b),
                (Value::Array(m), Value::Array(x), Value::Array(y)) => {
                    let zipped = zip(&[m, x, y], &mut |v| inner(g, &v[0], &v[1], &v[2]))?;
                    Ok(Value::Array(Rc::new(zipped)))
                }
                _ => Err(Why::unsupported("a choice between arrays of another shape")),
            }
        }
        inner(&mut self.gates, mask, a, b)
    }
}
