//! Quantifiers and lambdas, written out.
//!
//! A bound symbol takes every value of a finite sort. Over integers it takes those of a range, and besides stands once
//! for all integers below it and once for all above it: a comparison of such with a number whose interval lies within
//! the range is decided. The range starts empty and grows to what the comparisons in the body ask for, so that
//! `!i.(i : 1..n => ...)` is written out for the numbers up to the greatest that `n` can be, and is exact.

use std::rc::Rc;

use super::gates::Lit;
use super::integer::Number;
use super::lowering::Lowering;
use super::value::{Array, Beyond, Truth, Value, Why};
use crate::term::{Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Values that one scalar part of a bound symbol takes, in order.
type Options = Vec<Choice>;

/// One of the values of a scalar part.
#[derive(Clone)]
struct Choice {
    value: Value,
    /// Equal for equal values.
    name: Vec<i128>,
    beyond: bool,
}

/// The integers that a scalar part takes one by one.
#[derive(Clone, Copy)]
struct Range {
    id: u32,
    first: i128,
    last: i128,
}

impl Range {
    fn beyond(&self, above: bool) -> Choice {
        let bound = if above { self.last } else { self.first };
        let value = Beyond { range: (self.id, above), above, bound, guard: Lit::TRUE };
        let name = vec![2, i128::from(self.id), i128::from(above), bound];
        Choice { value: Value::Beyond(value), name, beyond: true }
    }

    /// Moves one end. An error if it becomes too long.
    fn grow(&mut self, above: bool, by: i128) -> Result<(), Why> {
        let by = by.max(1);
        if above {
            self.last = self.last.saturating_add(by);
        } else {
            self.first = self.first.saturating_sub(by);
        }
        if self.last.saturating_sub(self.first) < tuning().propositional.range {
            Ok(())
        } else {
            Err(Why::unsupported(format!(
                "a quantifier over integers without bounds within {} numbers",
                tuning().propositional.range
            )))
        }
    }
}

/// Bound symbols and the parts of them.
struct Space {
    symbols: Vec<(SymbolId, Sort, usize)>,
    /// For each scalar part its values, or the range.
    parts: Vec<Result<Options, Range>>,
}

impl Space {
    /// Moves the end of the range that `why` names. Returns `false` if it is none of these.
    fn grow(&mut self, why: &Why) -> Result<bool, Why> {
        let Why::Range((id, above), by) = why else { return Ok(false) };
        for part in &mut self.parts {
            if let Err(range) = part
                && range.id == *id
            {
                range.grow(*above, *by)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Lowering {
    fn space(&mut self, bound: &[SymbolId]) -> Result<Space, Why> {
        let mut space = Space { symbols: vec![], parts: vec![] };
        for &id in bound {
            let sort = self.terms.symbol_sort(id);
            let scalars = self.scalars(sort);
            space.symbols.push((id, sort, scalars.len()));
            for &s in scalars.iter() {
                if s == Terms::INT {
                    space.parts.push(Err(Range { id: self.ranges.next(), first: 0, last: -1 }));
                } else {
                    let values = self.constants(s)?;
                    let options = values.iter().enumerate();
                    let named = |(i, v): (usize, &Value)| Choice {
                        value: v.clone(),
                        name: vec![0, i as i128],
                        beyond: false,
                    };
                    space.parts.push(Ok(options.map(named).collect()));
                }
            }
        }
        Ok(space)
    }

    /// Ranges begin as long as they became where the same body was written out before, with other values of the symbols
    /// around it: otherwise each time is as many attempts.
    fn begin_long(&self, space: &mut Space, body: Term) {
        let Some(known) = self.ranges.grown(body) else { return };
        for (part, &(first, last)) in space.parts.iter_mut().zip(known.iter()) {
            if let Err(range) = part {
                (range.first, range.last) = (first, last);
            }
        }
    }

    fn remember(&mut self, space: &Space, body: Term) {
        let ends = |part: &Result<Options, Range>| part.as_ref().err().map_or((0, -1), |r| (r.first, r.last));
        // Long ones that only some instances need would make the others large.
        let length = |part: &Result<Options, Range>| part.as_ref().err().map_or(1, |r| r.last - r.first + 3);
        let instances = space.parts.iter().map(length).fold(1, i128::saturating_mul);
        if space.parts.iter().any(Result::is_err) && instances <= tuning().propositional.range {
            self.ranges.remember(body, space.parts.iter().map(ends).collect());
        }
    }

    fn options(part: &Result<Options, Range>) -> Result<Options, Why> {
        match part {
            Ok(options) => Ok(options.clone()),
            Err(range) => {
                let mut all = vec![range.beyond(false), range.beyond(true)];
                for n in range.first..=range.last {
                    let value = Value::number(Number::constant(n))?;
                    all.push(Choice { value, name: vec![1, n], beyond: false });
                }
                Ok(all)
            }
        }
    }

    /// Runs `f` where the symbols stand for these values of their parts.
    fn bound<R>(&mut self, space: &Space, chosen: &[&Choice], f: impl FnOnce(&mut Self) -> R) -> R {
        let mut rest = chosen;
        for &(id, sort, parts) in &space.symbols {
            let (own, others) = rest.split_at(parts);
            rest = others;
            let name: Vec<i128> = own.iter().flat_map(|c| c.name.iter().copied()).collect();
            let value = self.assemble(sort, &mut own.iter().map(|c| &c.value));
            let beyond = own.iter().any(|c| c.beyond);
            self.bindings.bind(id, name, value, beyond);
        }
        let result = f(self);
        for &(id, ..) in &space.symbols {
            self.bindings.unbind(id);
        }
        result
    }

    /// A value made of its scalar parts.
    fn assemble(&self, sort: Sort, parts: &mut dyn Iterator<Item = &Value>) -> Value {
        match self.terms.sort_kind(sort) {
            SortKind::Tuple(fields) => {
                let all: Vec<Value> = fields.iter().map(|&f| self.assemble(f, parts)).collect();
                Value::Tuple(all.into())
            }
            _ => parts.next().cloned().unwrap_or(Value::Tuple(Rc::from([]))),
        }
    }

    /// The truth of a universal or an existential quantifier.
    pub(super) fn quantifier(
        &mut self,
        bound: &[SymbolId],
        body: Term,
        universal: bool,
        beyond: bool,
    ) -> Result<Truth, Why> {
        let mut space = self.space(bound)?;
        self.begin_long(&mut space, body);
        // First the integers that are not written out, until the ranges are long enough.
        let outside = loop {
            let mut parts = vec![];
            self.instances(&space, body, true, &mut |_, part| parts.push(part))?;
            match self.junction(parts, universal) {
                Err(why) if space.grow(&why)? => {}
                other => break other?,
            }
        };
        self.remember(&space, body);
        if outside.guard == Lit::TRUE && outside.lit == Lit::constant(!universal) {
            return Ok(outside);
        }
        let mut parts = vec![];
        self.instances(&space, body, false, &mut |_, part| parts.push(part))?;
        let instances = self.junction(parts, universal)?;
        let whole = self.junction(vec![Ok(outside), Ok(instances)], universal)?;
        if beyond || whole.guard == Lit::TRUE {
            return Ok(whole);
        }
        // The instances that are written out follow whether the cuts hold or not.
        let l = self.settle(whole);
        if instances.guard == Lit::TRUE {
            let (then, inside) = if universal { (!l, instances.lit) } else { (l, !instances.lit) };
            self.gates.clause(&[then, inside]);
        }
        Ok(Truth::exact(l))
    }

    /// The body for all values of the bound symbols; either those with integers beyond a range, or the others.
    fn instances(
        &mut self,
        space: &Space,
        body: Term,
        beyond: bool,
        f: &mut dyn FnMut(&mut Self, Result<Truth, Why>),
    ) -> Result<(), Why> {
        let options: Result<Vec<Options>, Why> = space.parts.iter().map(Self::options).collect();
        let mut options = options?;
        if beyond && options.iter().flatten().all(|c| !c.beyond) {
            return Ok(());
        }
        if !beyond {
            options.iter_mut().for_each(|o| o.retain(|c| !c.beyond));
        }
        let count = options.iter().try_fold(1usize, |n, o| {
            n.checked_mul(o.len()).filter(|&n| n <= tuning().propositional.instances)
        });
        let Some(count) = count else {
            return Err(Why::unsupported(format!(
                "a quantifier with more than {} instances",
                tuning().propositional.instances
            )));
        };
        for mut position in 0..count {
            let mut chosen = vec![];
            for o in options.iter().rev() {
                chosen.push(&o[position % o.len()]);
                position /= o.len();
            }
            chosen.reverse();
            if beyond && !chosen.iter().any(|c| c.beyond) {
                continue;
            }
            let part = self.bound(space, &chosen, |me| match me.lower(body) {
                Ok(Value::Bool(truth)) => Ok(truth),
                Ok(_) => Err(Why::unsupported("a quantifier over what is no truth value")),
                Err(why) => Err(why),
            });
            if part == Err(Why::Stopped) {
                return Err(Why::Stopped);
            }
            f(self, part);
        }
        Ok(())
    }

    /// The array with the values of a body.
    pub(super) fn lambda(&mut self, bound: SymbolId, body: Term) -> Result<Value, Why> {
        let mut space = self.space(&[bound])?;
        self.begin_long(&mut space, body);
        loop {
            let options: Result<Vec<Options>, Why> = space.parts.iter().map(Self::options).collect();
            let options = options?;
            let count = options.iter().try_fold(1usize, |n, o| n.checked_mul(o.len()));
            if count.is_none_or(|n| n > tuning().propositional.instances) {
                return Err(Why::unsupported(format!(
                    "an array by a formula with more than {} cells",
                    tuning().propositional.instances
                )));
            }
            match self.cells(&space, &options, &mut vec![], body) {
                Err(why) if space.grow(&why)? => {}
                other => {
                    self.remember(&space, body);
                    return other;
                }
            }
        }
    }

    fn cells<'o>(
        &mut self,
        space: &Space,
        options: &'o [Options],
        chosen: &mut Vec<&'o Choice>,
        body: Term,
    ) -> Result<Value, Why> {
        let Some(part) = space.parts.get(chosen.len()) else {
            return self.bound(space, chosen, |me| me.lower(body));
        };
        let mut cells = vec![];
        for option in &options[chosen.len()] {
            chosen.push(option);
            let cell = self.cells(space, options, chosen, body);
            chosen.pop();
            cells.push(cell?);
        }
        let array = match part {
            Ok(_) => Array::Listed(cells),
            Err(range) => {
                // The cells beyond the range come first.
                let rest = cells.split_off(2);
                let [below, above] = <[Value; 2]>::try_from(cells)
                    .map_err(|_| Why::unsupported("an array without an outside"))?;
                Array::Window { first: range.first, cells: rest, below, above }
            }
        };
        Ok(Value::Array(Rc::new(array)))
    }
}
