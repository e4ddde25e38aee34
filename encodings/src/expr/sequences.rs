//! Sequences.

use std::rc::Rc;

use bsym_language::model::{BinaryOp, Expr, UnaryOp};
use bsym_language::types::Type;

use crate::representation::layout::Layout;
use crate::symbolic::Encoded;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Symbolic, Value};
use crate::term::{Term, Terms};

/// A sequence as the operators see it.
enum View {
    /// Its elements one by one.
    Listed(Vec<Symbolic>),
    /// A set in the form of a sequence.
    General(Rc<Set>, Term),
}

impl Encoder {
    /// `[a, b]`
    pub(crate) fn listed_sequence(&mut self, element: &Type, values: Vec<Symbolic>) -> Rc<Set> {
        let items = (1i64..)
            .zip(values)
            .map(|(i, v)| (Terms::TRUE, Symbolic::pair(Symbolic::Atom(self.terms.int(i)), v)))
            .collect();
        Set::new(element.clone(), Form::List(items))
    }

    /// The elements of a list with the positions 1, 2, … in some order and no condition.
    pub(crate) fn listed_values(&self, set: &Set) -> Option<Vec<Symbolic>> {
        let Form::List(items) = &set.form else { return None };
        let mut values: Vec<Option<Symbolic>> = vec![None; items.len()];
        for (g, x) in items {
            let Symbolic::Pair(k, v) = x else { return None };
            let Symbolic::Atom(k) = **k else { return None };
            let i = self.terms.as_int(k)?.to_usize()?;
            let slot = values.get_mut(i.checked_sub(1)?)?;
            if *g != Terms::TRUE || slot.is_some() {
                return None;
            }
            *slot = Some((**v).clone());
        }
        values.into_iter().collect()
    }

    /// Returns how a set can be used as a sequence, and the condition under which it is one.
    fn view(&mut self, set: &Rc<Set>) -> Result<(View, Term), Unsupported> {
        if let Some(values) = self.listed_values(set) {
            return Ok((View::Listed(values), Terms::TRUE));
        }
        let defined = self.is_sequence(set)?;
        let whole = match &set.form {
            Form::Map { columns, shape, .. } => {
                let form = Form::Sequence {
                    length: self.length_of(set)?,
                    columns: columns.clone(),
                    shape: shape.clone(),
                };
                Set::new(set.element.clone(), form)
            }
            Form::Array(_) | Form::Where(..) if self.candidates(set)?.is_none() => {
                let (_, values) = self.sides(set)?;
                let shape = Rc::new(self.shape(&values, &Layout::Any));
                let length = self.length_of(set)?;
                let (_, columns) = self.as_map(set, &shape)?;
                Set::new(set.element.clone(), Form::Sequence { length, columns, shape })
            }
            _ => self.as_sequence(set)?,
        };
        let Form::Sequence { length, .. } = whole.form else {
            return self.unsupported("a value that is not known to be a sequence");
        };
        Ok((View::General(whole, length), defined))
    }

    /// A witness for the length of a relation over positions that are not listed.
    fn length_of(&mut self, set: &Rc<Set>) -> Result<Term, Unsupported> {
        let is_length = |e: &mut Encoder, n: Term| {
            let domain = e.domain(set)?;
            let interval = Set::new(Type::Int, Form::Interval(Some(e.terms.int(1)), Some(n)));
            let same = e.same_sets(&domain, &interval)?;
            Ok(e.terms.and([e.terms.le(e.terms.int(0), n), same]))
        };
        let (id, n) = self.binder("n", &Type::Int);
        let n = self.as_atom(&n)?;
        let some = is_length(self, n)?;
        let exists = self.terms.exists(&[id], some);
        self.witness("length", Terms::INT, &[exists], |e, w| {
            let this = is_length(e, w)?;
            Ok(e.terms.implies(exists, this))
        })
    }

    /// The set is a sequence: a function whose domain is `1..n` for some n.
    pub(crate) fn is_sequence(&mut self, set: &Rc<Set>) -> Result<Term, Unsupported> {
        if matches!(set.form, Form::Sequence { .. }) || self.listed_values(set).is_some() {
            return Ok(Terms::TRUE);
        }
        let functional = self.functional(set)?;
        let domain = self.domain(set)?;
        if let Form::Interval(low, high) = &domain.form {
            let empty = self.is_empty(&domain)?;
            let from_one = match (low, high) {
                (Some(low), Some(_)) => self.terms.eq(*low, self.terms.int(1)),
                _ => Terms::FALSE,
            };
            return Ok(self.terms.and([functional, self.terms.or([empty, from_one])]));
        }
        if let Some(keys) = self.candidates(&domain)? {
            // As many different positions as the largest one.
            let size = self.size_of(&domain)?;
            let mut all = vec![functional];
            for (g, k) in keys {
                let k = self.as_atom(&k)?;
                let t = &self.terms;
                all.push(t.implies(g, t.and([t.le(t.int(1), k), t.le(k, size)])));
            }
            return Ok(self.terms.and(all));
        }
        let (id, n) = self.binder("n", &Type::Int);
        let n = self.as_atom(&n)?;
        let interval = Set::new(Type::Int, Form::Interval(Some(self.terms.int(1)), Some(n)));
        let same = self.same_sets(&domain, &interval)?;
        let natural = self.terms.le(self.terms.int(0), n);
        let exists = self.terms.exists(&[id], self.terms.and([natural, same]));
        Ok(self.terms.and([functional, exists]))
    }

    /// A sequence given by its length and the value at each position.
    fn computed(&mut self, element: &Type, length: Term, value: Value) -> Rc<Set> {
        let domain = Set::new(Type::Int, Form::Interval(Some(self.terms.int(1)), Some(length)));
        Set::new(element.clone(), Form::Lambda(domain, value))
    }

    /// A described sequence in array form, so that further operators work on terms.
    fn in_arrays(&mut self, element: &Type, length: Term, value: Value) -> Result<Rc<Set>, Unsupported> {
        let Some((_, t)) = (match element {
            Type::Pair(a, b) => Some((a, b)),
            _ => None,
        }) else {
            return self.unsupported("a sequence was expected");
        };
        let shape = Rc::new(self.shape(t, &Layout::Any));
        let computed = self.computed(element, length, value);
        let (_, columns) = self.as_map(&computed, &shape)?;
        Ok(Set::new(element.clone(), Form::Sequence { length, columns, shape }))
    }

    pub(super) fn unary_sequence(&mut self, op: UnaryOp, a: &Symbolic) -> Result<Encoded, Unsupported> {
        let set = self.as_set(a)?.clone();
        let element = set.element.clone();
        if op == UnaryOp::Conc {
            return self.flattened(&set);
        }
        let (view, sequence) = self.view(&set)?;
        let t = self.terms.clone();
        match view {
            View::Listed(mut values) => {
                let filled = t.bool(!values.is_empty());
                let some = |e: &mut Encoder| -> Result<Symbolic, Unsupported> {
                    let (_, ty) = e.sides(&set)?;
                    let shape = e.shape(&ty, &Layout::Any);
                    Ok(e.some_value(&shape))
                };
                let (value, defined) = match op {
                    UnaryOp::Size => (Symbolic::Atom(t.int(values.len() as i64)), Terms::TRUE),
                    UnaryOp::First | UnaryOp::Last => {
                        let found =
                            if op == UnaryOp::First { values.first() } else { values.last() }.cloned();
                        match found {
                            Some(v) => (v, Terms::TRUE),
                            None => (some(self)?, Terms::FALSE),
                        }
                    }
                    _ => {
                        match op {
                            UnaryOp::Front => drop(values.pop()),
                            UnaryOp::Tail if values.is_empty() => {}
                            UnaryOp::Tail => drop(values.remove(0)),
                            _ => values.reverse(),
                        }
                        let defined = if op == UnaryOp::Rev { Terms::TRUE } else { filled };
                        (Symbolic::Set(self.listed_sequence(&element, values)), defined)
                    }
                };
                Ok(Encoded { value, defined: t.and([sequence, defined]) })
            }
            View::General(whole, length) => {
                let filled = t.lt(t.int(0), length);
                let at = |e: &mut Encoder, k: Term| e.value_at(&whole, &Symbolic::Atom(k));
                let (value, defined) = match op {
                    UnaryOp::Size => (Symbolic::Atom(length), Terms::TRUE),
                    UnaryOp::First => (at(self, t.int(1))?, filled),
                    UnaryOp::Last => (at(self, length)?, filled),
                    UnaryOp::Front => {
                        let Form::Sequence { columns, shape, .. } = &whole.form else {
                            return self.unsupported("a sequence was expected");
                        };
                        let form = Form::Sequence {
                            length: t.sub(length, t.int(1)),
                            columns: columns.clone(),
                            shape: shape.clone(),
                        };
                        (Symbolic::set(element, form), filled)
                    }
                    UnaryOp::Tail => {
                        let rest = t.sub(length, t.int(1));
                        let one = t.int(1);
                        (Symbolic::Set(self.shifted(&whole, rest, one)?), filled)
                    }
                    _ => {
                        let end = t.add([length, t.int(1)]);
                        let source = whole.clone();
                        let reversed = self.in_arrays(
                            &element,
                            length,
                            Rc::new(move |e, k| {
                                let k = e.as_atom(k)?;
                                let mirrored = e.terms.sub(end, k);
                                e.value_at(&source, &Symbolic::Atom(mirrored))
                            }),
                        )?;
                        (Symbolic::Set(reversed), Terms::TRUE)
                    }
                };
                Ok(Encoded { value, defined: t.and([sequence, defined]) })
            }
        }
    }

    /// The sequence of this length whose value at k is that of `source` at k + by.
    fn shifted(&mut self, source: &Rc<Set>, length: Term, by: Term) -> Result<Rc<Set>, Unsupported> {
        let whole = source.clone();
        self.in_arrays(
            &source.element,
            length,
            Rc::new(move |e, k| {
                let k = e.as_atom(k)?;
                let moved = e.terms.add([k, by]);
                e.value_at(&whole, &Symbolic::Atom(moved))
            }),
        )
    }

    /// `conc(s)`
    fn flattened(&mut self, set: &Rc<Set>) -> Result<Encoded, Unsupported> {
        let (View::Listed(parts), sequence) = self.view(set)? else {
            return self.unsupported("`conc` of a sequence whose length is not known");
        };
        let inner = match &set.element {
            Type::Pair(_, t) => t.element().cloned(),
            _ => None,
        };
        let Some(inner) = inner else { return self.unsupported("`conc` of elements that are no sequences") };
        let mut whole = Symbolic::Set(Set::empty(inner));
        let mut defined = vec![sequence];
        for part in parts {
            let joined = self.binary_sequence(BinaryOp::Concat, &whole, &part)?;
            whole = joined.value;
            defined.push(joined.defined);
        }
        Ok(Encoded { value: whole, defined: self.terms.and(defined) })
    }

    pub(super) fn binary_sequence(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
    ) -> Result<Encoded, Unsupported> {
        let t = self.terms.clone();
        match op {
            BinaryOp::Prepend => {
                let set = self.as_set(b)?.clone();
                let first = self.listed_sequence(&set.element, vec![a.clone()]);
                self.binary_sequence(BinaryOp::Concat, &Symbolic::Set(first), b)
            }
            BinaryOp::Append => {
                let set = self.as_set(a)?.clone();
                let last = self.listed_sequence(&set.element, vec![b.clone()]);
                self.binary_sequence(BinaryOp::Concat, a, &Symbolic::Set(last))
            }
            BinaryOp::Concat => {
                let (left, right) = (self.as_set(a)?.clone(), self.as_set(b)?.clone());
                let element = left.element.clone();
                let (first, p) = self.view(&left)?;
                let (second, q) = self.view(&right)?;
                let defined = t.and([p, q]);
                let value = match (first, second) {
                    (View::Listed(mut x), View::Listed(y)) => {
                        x.extend(y);
                        self.listed_sequence(&element, x)
                    }
                    (View::General(whole, length), View::Listed(y)) => {
                        let (mut columns, shape) = self.roomy(&whole, &y.iter().collect::<Vec<_>>())?;
                        let mut end = length;
                        for v in y {
                            end = t.add([end, t.int(1)]);
                            let leaves = self.leaves_in(&v, &shape)?;
                            for (c, leaf) in columns.iter_mut().zip(leaves) {
                                *c = t.store(*c, end, leaf);
                            }
                        }
                        Set::new(element, Form::Sequence { length: end, columns, shape })
                    }
                    (first, View::General(rest, more)) => {
                        let (source, length) = match first {
                            View::Listed(x) => {
                                let n = t.int(x.len() as i64);
                                (self.listed_sequence(&element, x), n)
                            }
                            View::General(s, n) => (s, n),
                        };
                        if length == t.int(0) {
                            rest
                        } else {
                            self.in_arrays(
                                &element,
                                t.add([length, more]),
                                Rc::new(move |e, k| {
                                    let at = e.as_atom(k)?;
                                    let early = e.terms.le(at, length);
                                    let before = e.value_at(&source, k)?;
                                    let moved = Symbolic::Atom(e.terms.sub(at, length));
                                    let after = e.value_at(&rest, &moved)?;
                                    e.ite(early, &before, &after)
                                }),
                            )?
                        }
                    }
                };
                Ok(Encoded { value: Symbolic::Set(value), defined })
            }
            _ => {
                // `s /|\ n` keeps the first n elements, `s \|/ n` drops them.
                let set = self.as_set(a)?.clone();
                let n = self.as_atom(b)?;
                let element = set.element.clone();
                let (view, sequence) = self.view(&set)?;
                let length = match &view {
                    View::Listed(values) => t.int(values.len() as i64),
                    View::General(_, length) => *length,
                };
                let defined = t.and([sequence, t.le(t.int(0), n), t.le(n, length)]);
                let take = op == BinaryOp::Take;
                let literal = t.as_int(n).and_then(|n| n.to_usize());
                let value = match (view, literal) {
                    (View::Listed(mut values), Some(n)) => {
                        let rest = values.split_off(n.min(values.len()));
                        self.listed_sequence(&element, if take { values } else { rest })
                    }
                    (view, _) => {
                        let whole = match view {
                            View::Listed(values) => self.listed_sequence(&element, values),
                            View::General(whole, _) => whole,
                        };
                        if take {
                            let zero = t.int(0);
                            self.shifted(&whole, n, zero)?
                        } else {
                            self.shifted(&whole, t.sub(length, n), n)?
                        }
                    }
                };
                Ok(Encoded { value: Symbolic::Set(value), defined })
            }
        }
    }

    /// `seq(S)`, `seq1(S)`, `iseq(S)`, `iseq1(S)`, `perm(S)`
    pub(super) fn sequence_space(
        &mut self,
        op: UnaryOp,
        a: &Symbolic,
        e: &Expr,
    ) -> Result<Encoded, Unsupported> {
        let from = self.as_set(a)?.clone();
        let Some(element) = e.ty.element().cloned() else {
            return self.unsupported("a set of sequences without a type");
        };
        let defined = if op == UnaryOp::Perm { self.finite(&from)? } else { Terms::TRUE };
        let value = self.described(
            element,
            Rc::new(move |e, x| {
                let s = e.as_set(x)?.clone();
                let mut all = vec![e.is_sequence(&s)?];
                if matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
                    let empty = e.is_empty(&s)?;
                    all.push(e.terms.not(empty));
                }
                if matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm) {
                    all.push(e.injective(&s)?);
                }
                if op == UnaryOp::Perm {
                    let range = e.range(&s)?;
                    all.push(e.same_sets(&range, &from)?);
                } else if !e.is_everything(&from) {
                    all.push(e.values_in(&s, &from)?);
                }
                Ok(e.terms.and(all))
            }),
        )?;
        Ok(Encoded { value: Symbolic::Set(value), defined })
    }
}
