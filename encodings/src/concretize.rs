//! From a solver's model to a trace of B values.
//!
//! Elements of an uninterpreted sort are numbered in the order in which they are met, and the scope of the trace counts
//! them with those of the carrier that no value speaks of; strays (see [`carriers`](crate::symbolic::carriers)) are
//! left out. A set that holds everything but some elements is listed over the universe of its sort; if that is infinite
//! there is no such value.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{EventId, LocalId};
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::state::Execution;
use bsym_semantics::value::Value;
use rustc_hash::FxHashMap;

use crate::session::{Model, SolverError, TermValue};
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Set, Shape, Symbolic};
use crate::system::unrolling::Unrolling;
use crate::system::{System, Transition};
use crate::term::{Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

/// Reason why a model is not read as a trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// A set in the model is infinite: its complement is finite over an infinite sort.
    #[error("a set in the solver's model is infinite")]
    Infinite,
    /// A value in a form that is not understood.
    #[error("the solver's model has a value in an unknown form: {0}")]
    Opaque(String),
    /// An event of the path has no relation.
    #[error("`{0}` has no encoding")]
    Missing(String),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// Reads the trace along `path`: initialisation, then these events, unrolled by `unrolling` in the query whose model
/// this is. Results that are only described are left out of a step. With `last_fails`, the last of them (the
/// initialisation, if the path is empty) does not reach a state.
///
/// # Errors
/// Values that are infinite or not understood.
pub fn read_trace(
    system: &System,
    unrolling: &mut Unrolling,
    model: &mut Model<'_>,
    path: &[EventId],
    last_fails: bool,
) -> Result<Trace, ReadError> {
    let mut reader = Reader::new(system, model);
    // Sets that hold almost everything are complete only once all elements are known.
    loop {
        let met = reader.met();
        let trace = reader.trace(unrolling, path, last_fails)?;
        reader.meet_carriers()?;
        if reader.met() == met {
            return Ok(trace);
        }
    }
}

/// Reads one state: the constants and the variables, as `state` renames them.
///
/// # Errors
/// Values that are infinite or not understood.
pub fn read_state(
    system: &System,
    model: &mut Model<'_>,
    mut rename: impl FnMut(Term) -> Term,
) -> Result<(Scope, Vec<Value>, Vec<Value>), ReadError> {
    let mut reader = Reader::new(system, model);
    loop {
        let met = reader.met();
        let constants = reader.constants()?;
        let state = reader.state(&mut rename)?;
        reader.meet_carriers()?;
        if reader.met() == met {
            return Ok((reader.scope(), constants, state));
        }
    }
}

/// Reads values of symbols that are neither constants nor variables of the system.
///
/// # Errors
/// Values that are infinite or not understood.
pub(crate) fn read_values(
    system: &System,
    model: &mut Model<'_>,
    symbols: &[(Symbolic, Type)],
) -> Result<Vec<Value>, ReadError> {
    let mut reader = Reader::new(system, model);
    symbols.iter().map(|(symbol, ty)| reader.value(symbol, ty, &mut |t| t)).collect()
}

struct Reader<'a, 's, 'm> {
    system: &'a System,
    encoder: &'a Encoder,
    model: &'m mut Model<'s>,
    values: FxHashMap<Term, TermValue>,
    /// Elements of uninterpreted carriers, in the order of their numbers.
    elements: BTreeMap<CarrierId, Vec<Rc<str>>>,
    /// Which elements of an uninterpreted sort are elements of its carrier, where that is understood.
    carriers: FxHashMap<Sort, Option<TermValue>>,
}

/// A column of a function's map in the model.
struct Column {
    term: Term,
    value: TermValue,
}

type Rename<'r> = &'r mut dyn FnMut(Term) -> Term;

impl<'a, 's, 'm> Reader<'a, 's, 'm> {
    fn new(system: &'a System, model: &'m mut Model<'s>) -> Self {
        Reader {
            system,
            encoder: &system.encoder,
            model,
            values: FxHashMap::default(),
            elements: BTreeMap::new(),
            carriers: FxHashMap::default(),
        }
    }

    fn met(&self) -> usize {
        self.elements.values().map(Vec::len).sum()
    }

    fn trace(
        &mut self,
        unrolling: &mut Unrolling,
        path: &[EventId],
        last_fails: bool,
    ) -> Result<Trace, ReadError> {
        let system = self.system;
        let constants = self.constants()?;
        let mut steps = vec![];
        let execution = self.execution(&system.initialisation, &[], &[], &mut |t| unrolling.init(t))?;
        let reached = !(path.is_empty() && last_fails);
        let state = if reached { Some(self.state(&mut |t| unrolling.state(t, 0))?) } else { None };
        steps.push(Step { event: None, execution, state });
        for (k, &event) in path.iter().enumerate() {
            let transition = &system.events[event.index()];
            let declared = &system.model.events[event.index()];
            if transition.relation.is_none() {
                return Err(ReadError::Missing(declared.name.clone()));
            }
            let execution =
                self.execution(transition, &declared.parameters, &declared.results, &mut |t| {
                    unrolling.step(t, k)
                })?;
            let reached = !(last_fails && k + 1 == path.len());
            let state = if reached { Some(self.state(&mut |t| unrolling.state(t, k + 1))?) } else { None };
            steps.push(Step { event: Some(event), execution, state });
        }
        Ok(Trace::new(self.scope(), constants, steps))
    }

    /// Meets the elements that the carriers have besides those in the values.
    fn meet_carriers(&mut self) -> Result<(), ReadError> {
        for i in 0..self.system.model.types.carriers.len() {
            let sort = self.encoder.sort(&Type::Carrier(CarrierId(i as u32)));
            if let Some(array @ TermValue::Array { .. }) = self.carrier_value(sort)? {
                for element in self.support(&array, sort)? {
                    self.meet(&element);
                }
            }
        }
        Ok(())
    }

    /// The carrier of an uninterpreted sort.
    fn carrier_value(&mut self, sort: Sort) -> Result<Option<TermValue>, ReadError> {
        if !self.carriers.contains_key(&sort) {
            // A carrier that nothing speaks of is no part of the query.
            let known = self.encoder.carrier(sort).filter(|_| self.encoder.compared.contains(&sort));
            let value = match known {
                Some(carrier) => {
                    Some(self.model.value(carrier)?).filter(|v| matches!(v, TermValue::Array { .. }))
                }
                None => None,
            };
            self.carriers.insert(sort, value);
        }
        Ok(self.carriers[&sort].clone())
    }

    /// Returns whether a value has no strays in it: elements of a sort that are not in its carrier.
    fn is_there(&mut self, value: &TermValue) -> Result<bool, ReadError> {
        Ok(match value {
            TermValue::Element(sort, _) => match self.carrier_value(*sort)? {
                Some(carrier) => lookup(&carrier, value)? == TermValue::Bool(true),
                None => true,
            },
            TermValue::Tuple(parts) => {
                for part in parts {
                    if !self.is_there(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            TermValue::Array { entries, .. } => {
                for (index, inside) in entries {
                    if *inside == TermValue::Bool(true) && !self.is_there(index)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => true,
        })
    }

    fn scope(&self) -> Scope {
        let mut scope = self.system.scope.clone();
        for (i, carrier) in self.system.model.types.carriers.iter().enumerate() {
            let id = CarrierId(i as u32);
            if carrier.kind == bsym_language::model::CarrierKind::Deferred {
                let met = self.elements.get(&id).map_or(0, Vec::len);
                scope.sizes.entry(id).or_insert(met.max(1));
            }
        }
        scope
    }

    fn constants(&mut self) -> Result<Vec<Value>, ReadError> {
        let system = self.system;
        let all =
            system.constants.values.iter().zip(&system.model.constants).zip(&system.constants.determined);
        all.map(|((value, c), determined)| match determined {
            Some(known) => Ok(known.clone()),
            None => self.value(value, &c.ty, &mut |t| t),
        })
        .collect()
    }

    fn state(&mut self, rename: Rename<'_>) -> Result<Vec<Value>, ReadError> {
        let system = self.system;
        let all = system.variables.current.iter().zip(&system.model.variables);
        all.map(|(value, v)| self.value(value, &v.ty, rename)).collect()
    }

    fn execution(
        &mut self,
        transition: &Transition,
        parameters: &[LocalId],
        results: &[LocalId],
        rename: Rename<'_>,
    ) -> Result<Execution, ReadError> {
        let locals = &self.system.model.locals;
        let mut named = |wanted: &[LocalId], all: &[(LocalId, Symbolic)]| -> Result<Vec<Value>, ReadError> {
            let mut values = vec![];
            for id in wanted {
                let found = all.iter().find(|(l, _)| l == id);
                let (_, value) = found.ok_or_else(|| ReadError::Missing(locals[id.index()].name.clone()))?;
                values.push(self.value(value, &locals[id.index()].ty, rename)?);
            }
            Ok(values)
        };
        let parameters = named(parameters, &transition.parameters)?;
        // Results decide nothing: one that is only described is left to the replay, which computes it.
        let results = match named(results, &transition.results) {
            Err(ReadError::Opaque(_) | ReadError::Infinite) => vec![],
            other => other?,
        };
        let mut choices = vec![];
        for choice in &transition.choices {
            if self.holds(rename(choice.made))? {
                choices.push((choice.id, self.value(&choice.value, &choice.ty, rename)?));
            }
        }
        Ok(Execution { parameters, results, choices })
    }

    fn term(&mut self, t: Term) -> Result<TermValue, ReadError> {
        if let Some(known) = self.values.get(&t) {
            return Ok(known.clone());
        }
        let value = self.model.value(t)?;
        self.values.insert(t, value.clone());
        Ok(value)
    }

    fn holds(&mut self, t: Term) -> Result<bool, ReadError> {
        match self.term(t)? {
            TermValue::Bool(b) => Ok(b),
            other => Err(opaque(&other)),
        }
    }

    /// The B value of a symbolic value.
    fn value(&mut self, value: &Symbolic, ty: &Type, rename: Rename<'_>) -> Result<Value, ReadError> {
        match (value, ty) {
            (Symbolic::Atom(t), _) => {
                let value = self.term(rename(*t))?;
                self.unpack(&value, ty)
            }
            (Symbolic::Pair(a, b), Type::Pair(s, t)) => {
                Ok(Value::pair(self.value(a, s, rename)?, self.value(b, t, rename)?))
            }
            (Symbolic::Record(values), Type::Record(fields)) => {
                let mut all = vec![];
                for ((label, value), (_, t)) in values.iter().zip(fields) {
                    all.push((Arc::from(label.as_str()), self.value(value, t, rename)?));
                }
                Ok(Value::Record(all.into()))
            }
            (Symbolic::Set(set), _) => Ok(Value::set(self.set(set, rename)?)),
            _ => Err(ReadError::Opaque(format!("a value that is no {ty:?}"))),
        }
    }

    fn set(&mut self, set: &Set, rename: Rename<'_>) -> Result<Vec<Value>, ReadError> {
        let mut all = vec![];
        match &set.form {
            Form::Vector(universe, bits) => {
                for (bit, element) in bits.iter().zip(universe.values()) {
                    if self.holds(rename(*bit))? {
                        all.push(self.value(element, &set.element, rename)?);
                    }
                }
            }
            Form::Array(t) => {
                let array = self.term(rename(*t))?;
                let sort = self.encoder.sort(&set.element);
                for index in self.support(&array, sort)? {
                    all.push(self.unpack(&index, &set.element)?);
                }
            }
            Form::Table(universe, entries) => {
                let (from, to) = sides(set)?;
                for ((bit, value), argument) in entries.iter().zip(universe.values()) {
                    if self.holds(rename(*bit))? {
                        let left = self.value(argument, from, rename)?;
                        all.push(Value::pair(left, self.value(value, to, rename)?));
                    }
                }
            }
            Form::Map { domain, columns, shape } => {
                let (from, to) = sides(set)?;
                let array = self.term(rename(*domain))?;
                let columns = self.columns(columns, rename)?;
                for index in self.support(&array, self.encoder.sort(from))? {
                    let leaves = self.entries(&columns, &index)?;
                    let left = self.unpack(&index, from)?;
                    all.push(Value::pair(left, self.assemble(shape, to, &mut leaves.into_iter())?));
                }
            }
            Form::Sequence { length, columns, shape } => {
                let (_, to) = sides(set)?;
                let length = self.term(rename(*length))?;
                let TermValue::Int(n) = &length else { return Err(opaque(&length)) };
                let n = n.to_usize().filter(|&n| n <= tuning().values.universe).ok_or(ReadError::Infinite)?;
                let columns = self.columns(columns, rename)?;
                for i in 1..=n {
                    let index = TermValue::Int(Int::from(i as i64));
                    let leaves = self.entries(&columns, &index)?;
                    let right = self.assemble(shape, to, &mut leaves.into_iter())?;
                    all.push(Value::pair(Value::int(i as i64), right));
                }
            }
            Form::List(items) => {
                for (guard, element) in items {
                    if self.holds(rename(*guard))? {
                        all.push(self.value(element, &set.element, rename)?);
                    }
                }
            }
            Form::Interval(Some(low), Some(high)) => {
                let (low, high) = (self.term(rename(*low))?, self.term(rename(*high))?);
                let (TermValue::Int(a), TermValue::Int(b)) = (&low, &high) else { return Err(opaque(&low)) };
                let mut i = a.clone();
                while i <= *b {
                    if all.len() > tuning().values.universe {
                        return Err(ReadError::Infinite);
                    }
                    all.push(Value::Int(i.clone()));
                    i = &i + &Int::ONE;
                }
            }
            Form::Product(a, b) => {
                let (left, right) = (self.set(a, rename)?, self.set(b, rename)?);
                for x in &left {
                    all.extend(right.iter().map(|y| Value::pair(x.clone(), y.clone())));
                }
            }
            Form::Union(a, b) => {
                all = self.set(a, rename)?;
                all.extend(self.set(b, rename)?);
            }
            Form::Override(a, b) => {
                let right = self.set(b, rename)?;
                let replaced =
                    |x: &Value| right.iter().any(|y| y.as_pair().map(|p| p.0) == x.as_pair().map(|p| p.0));
                all = self.set(a, rename)?.into_iter().filter(|x| !replaced(x)).collect();
                all.extend(right);
            }
            Form::Interval(..) | Form::Power { .. } | Form::Where(..) | Form::Lambda(..) => {
                return Err(ReadError::Opaque(format!("a set that is only described: {:?}", set.form)));
            }
        }
        Ok(all)
    }

    /// A value from the values of its shape's leaves.
    fn assemble(
        &mut self,
        shape: &Shape,
        ty: &Type,
        leaves: &mut dyn Iterator<Item = TermValue>,
    ) -> Result<Value, ReadError> {
        let mut next = || leaves.next().ok_or_else(|| ReadError::Opaque("a value that is too short".into()));
        Ok(match (shape, ty) {
            (Shape::Atom(t), _) => {
                let leaf = next()?;
                self.unpack(&leaf, t)?
            }
            (Shape::Pair(a, b), Type::Pair(s, t)) => {
                let left = self.assemble(a, s, leaves)?;
                Value::pair(left, self.assemble(b, t, leaves)?)
            }
            (Shape::Record(shapes), Type::Record(fields)) => {
                let mut all = vec![];
                for ((label, shape), (_, t)) in shapes.iter().zip(fields) {
                    all.push((Arc::from(label.as_str()), self.assemble(shape, t, leaves)?));
                }
                Value::Record(all.into())
            }
            (Shape::Table { element, keys, total, value }, _) => {
                let Type::Pair(from, to) = element else {
                    return Err(ReadError::Opaque("a function that is no set of couples".into()));
                };
                let mut all = vec![];
                for key in keys.values() {
                    let inside = *total
                        || leaves
                            .next()
                            .ok_or_else(|| ReadError::Opaque("a value that is too short".into()))?
                            == TermValue::Bool(true);
                    let right = self.assemble(value, to, leaves)?;
                    if inside {
                        all.push(Value::pair(self.value(key, from, &mut |t| t)?, right));
                    }
                }
                Value::set(all)
            }
            (Shape::Vector(element, universe), _) => {
                let mut all = vec![];
                for x in universe.values() {
                    if next()? == TermValue::Bool(true) {
                        all.push(self.value(x, element, &mut |t| t)?);
                    }
                }
                Value::set(all)
            }
            (Shape::Array(_), _) => {
                let leaf = next()?;
                self.unpack(&leaf, ty)?
            }
            // A function inside a function is laid out as a set of couples.
            _ => return Err(ReadError::Opaque(format!("a value of shape {shape:?}"))),
        })
    }

    fn columns(&mut self, columns: &[Term], rename: Rename<'_>) -> Result<Vec<Column>, ReadError> {
        let mut read = |&c: &Term| {
            let term = rename(c);
            Ok(Column { term, value: self.term(term)? })
        };
        columns.iter().map(&mut read).collect()
    }

    /// Returns the entries of the columns of a function at an index. A column that the solver gives by a formula (an
    /// array that grows with its index) is asked for the one entry.
    fn entries(&mut self, columns: &[Column], index: &TermValue) -> Result<Vec<TermValue>, ReadError> {
        let mut all = vec![];
        for column in columns {
            let is_formula = matches!(column.value, TermValue::Opaque(_));
            let at = if is_formula { self.literal(index) } else { None };
            all.push(match at {
                Some(at) => self.term(self.system.terms.select(column.term, at))?,
                None => lookup(&column.value, index)?,
            });
        }
        Ok(all)
    }

    /// The term of a value, where it has one that every solver reads.
    fn literal(&self, value: &TermValue) -> Option<Term> {
        let terms = &self.system.terms;
        match value {
            TermValue::Bool(b) => Some(terms.bool(*b)),
            TermValue::Int(n) => Some(terms.int(n.clone())),
            TermValue::Constructor(sort, i) => Some(terms.constructor(*sort, *i)),
            TermValue::Tuple(parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|p| self.literal(p)).collect();
                Some(terms.tuple(&parts?))
            }
            _ => None,
        }
    }

    /// The indices where a set's array is true.
    fn support(&mut self, array: &TermValue, index: Sort) -> Result<Vec<TermValue>, ReadError> {
        let TermValue::Array { default, entries } = array else { return Err(opaque(array)) };
        match **default {
            TermValue::Bool(false) => {
                let mut all = vec![];
                for (i, _) in entries {
                    if self.is_there(i)? {
                        all.push(i.clone());
                    }
                }
                Ok(all)
            }
            TermValue::Bool(true) => {
                // Elements that are only mentioned as exceptions exist as well.
                for (i, _) in entries {
                    if self.is_there(i)? {
                        self.meet(i);
                    }
                }
                let all = self.universe(index)?;
                Ok(all.into_iter().filter(|i| !entries.iter().any(|(j, _)| i == j)).collect())
            }
            _ => Err(opaque(array)),
        }
    }

    /// All values of a sort.
    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, ReadError> {
        let terms: Rc<Terms> = self.system.terms.clone();
        match terms.sort_kind(sort) {
            SortKind::Bool => Ok(vec![TermValue::Bool(false), TermValue::Bool(true)]),
            SortKind::Int | SortKind::Real => Err(ReadError::Infinite),
            SortKind::Enum(_, names) => {
                Ok((0..names.len() as u32).map(|i| TermValue::Constructor(sort, i)).collect())
            }
            SortKind::Uninterpreted(_) => {
                let Some(carrier) = self.carrier(sort) else { return Err(ReadError::Infinite) };
                for element in self.model.universe(sort)? {
                    if self.is_there(&element)? {
                        self.meet(&element);
                    }
                }
                let names = self.elements.entry(carrier).or_default();
                if names.is_empty() {
                    // A sort that the query does not speak of still has an element.
                    names.push("any".into());
                }
                Ok(names.iter().map(|n| TermValue::Element(sort, n.clone())).collect())
            }
            SortKind::Tuple(fields) => {
                let mut rows: Vec<Vec<TermValue>> = vec![vec![]];
                for &field in fields.iter() {
                    let column = self.universe(field)?;
                    if rows.len() * column.len() > tuning().values.universe {
                        return Err(ReadError::Infinite);
                    }
                    rows = rows
                        .iter()
                        .flat_map(|row| {
                            column.iter().map(|v| row.iter().cloned().chain([v.clone()]).collect())
                        })
                        .collect();
                }
                Ok(rows.into_iter().map(TermValue::Tuple).collect())
            }
            SortKind::Array(index, value) => {
                if value != Terms::BOOL {
                    return Err(ReadError::Infinite);
                }
                let indices = self.universe(index)?;
                if indices.len() > tuning().values.subsets {
                    return Err(ReadError::Infinite);
                }
                Ok((0..1usize << indices.len())
                    .map(|code| {
                        let inside = (0..indices.len()).filter(|i| code >> i & 1 == 1);
                        let mut entries: Vec<(TermValue, TermValue)> =
                            inside.map(|i| (indices[i].clone(), TermValue::Bool(true))).collect();
                        entries.sort();
                        TermValue::Array { default: Box::new(TermValue::Bool(false)), entries }
                    })
                    .collect())
            }
        }
    }

    fn carrier(&self, sort: Sort) -> Option<CarrierId> {
        (0..self.system.model.types.carriers.len() as u32)
            .map(CarrierId)
            .find(|&c| self.encoder.sort(&Type::Carrier(c)) == sort)
    }

    /// Numbers the elements of uninterpreted sorts in a value.
    fn meet(&mut self, value: &TermValue) {
        match value {
            TermValue::Element(sort, name) => {
                if let Some(carrier) = self.carrier(*sort) {
                    self.number(carrier, name);
                }
            }
            TermValue::Tuple(parts) => parts.iter().for_each(|p| self.meet(p)),
            TermValue::Array { default, entries } => {
                self.meet(default);
                for (i, v) in entries {
                    self.meet(i);
                    self.meet(v);
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, carrier: CarrierId, name: &Rc<str>) -> u32 {
        let names = self.elements.entry(carrier).or_default();
        match names.iter().position(|n| n == name) {
            Some(i) => i as u32,
            None => {
                names.push(name.clone());
                names.len() as u32 - 1
            }
        }
    }

    /// The B value of a packed term's value.
    fn unpack(&mut self, value: &TermValue, ty: &Type) -> Result<Value, ReadError> {
        Ok(match (value, ty) {
            (TermValue::Bool(b), Type::Bool) => Value::Bool(*b),
            (TermValue::Int(n), Type::Int) => Value::Int(n.clone()),
            (TermValue::Int(n), Type::String) => Value::String(self.encoder.string_of(n)),
            (TermValue::Real(r), Type::Real) => Value::Real(Arc::new(r.clone())),
            (TermValue::Constructor(_, i), Type::Carrier(c)) => Value::Element(*c, *i),
            (TermValue::Element(_, name), Type::Carrier(c)) => Value::Element(*c, self.number(*c, name)),
            (TermValue::Tuple(parts), Type::Pair(a, b)) if parts.len() == 2 => {
                Value::pair(self.unpack(&parts[0], a)?, self.unpack(&parts[1], b)?)
            }
            (TermValue::Tuple(parts), Type::Record(fields)) if parts.len() == fields.len() => {
                let mut all = vec![];
                for (part, (label, t)) in parts.iter().zip(fields) {
                    all.push((Arc::from(label.as_str()), self.unpack(part, t)?));
                }
                Value::Record(all.into())
            }
            (TermValue::Array { .. }, Type::Pow(t)) => {
                let mut all = vec![];
                for index in self.support(value, self.encoder.sort(t))? {
                    all.push(self.unpack(&index, t)?);
                }
                Value::set(all)
            }
            _ => return Err(opaque(value)),
        })
    }
}

fn sides(set: &Set) -> Result<(&Type, &Type), ReadError> {
    set.sides().ok_or_else(|| ReadError::Opaque("a function that is no set of couples".into()))
}

fn opaque(value: &TermValue) -> ReadError {
    ReadError::Opaque(match value {
        TermValue::Opaque(text) => text.clone(),
        other => format!("{other:?}"),
    })
}

fn lookup(array: &TermValue, index: &TermValue) -> Result<TermValue, ReadError> {
    match array {
        TermValue::Array { default, entries } => Ok(entries
            .iter()
            .find(|(i, _)| i == index)
            .map_or_else(|| (**default).clone(), |(_, value)| value.clone())),
        other => Err(opaque(other)),
    }
}
