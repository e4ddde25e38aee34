//! Bit-blasting: terms to literals of gates.
//!
//! Every Boolean term gets a literal that is its truth, whatever the cuts; a literal without a guard. A term that is
//! made from cut unknowns is known under its guard only: its literal is a new one that equals what was computed
//! wherever the guard is true. A Boolean term with a part that is not claimed gets a free literal, and is noted:
//! `unsat` is an answer then as well, `sat` is not.

mod arrays;
mod binding;
mod bounds;
mod comparison;
mod effort;
mod estimate;
mod fresh;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::array::{read, write};
use super::bounds::{Bounds, literal};
use super::cut::{Cut, Levels};
use super::gates::{Gates, Lit};
use super::integer::{self, Form, Number};
use super::unknown::Unknowns;
use super::value::{Beyond, Truth, Value, Why, beyond_is_less, choice, equal};
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;
use binding::{Bindings, Ranges};
use effort::Effort;

/// A term, and what each of its free bound symbols stands for.
type Bound = (Term, Box<[u32]>);

/// The scalar parts of an index, and the values of each that is no integer.
type Index = (Vec<Value>, Vec<Rc<[Value]>>);

/// The indices of an array that have cells of their own.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: i128,
    last: i128,
    /// `true` if there is nothing outside in any case, or no outside.
    is_exact: bool,
}

/// A number that stands at the place of an operand of a comparison.
enum Operand {
    Number(Number),
    Beyond(Beyond),
}

/// The gates of terms.
pub(super) struct Lowering {
    pub terms: Rc<Terms>,
    pub gates: Gates,
    pub levels: Levels,
    bounds: Bounds,
    unknowns: Unknowns,
    /// Literals to assume, and what each cuts.
    pub cuts: Vec<(Lit, Cut)>,
    /// Literals of Boolean terms that are not claimed, and why.
    pub unclaimed: Vec<(Lit, Rc<str>)>,
    lowered: Lowered,
    pub(super) bindings: Bindings,
    pub(super) ranges: Ranges,
    cut_sets: CutSets,
    sorts: SortParts,
    /// Unknown integers of the symbols that are integers.
    integers: FxHashMap<SymbolId, Number>,
    /// Weights of the instances of quantifiers, as far as they were asked for.
    weights: FxHashMap<Term, u64>,
    pub effort: Effort,
}

/// Values of the terms that were lowered.
#[derive(Default)]
struct Lowered {
    /// Of terms without bound symbols.
    closed: FxHashMap<Term, Result<Value, Why>>,
    /// Of terms with bound symbols, by what these stand for.
    open: FxHashMap<Bound, Result<Value, Why>>,
}

impl Lowered {
    fn get(&self, t: Term, key: Box<[u32]>) -> Option<&Result<Value, Why>> {
        if key.is_empty() { self.closed.get(&t) } else { self.open.get(&(t, key)) }
    }

    fn insert(&mut self, t: Term, key: Box<[u32]>, value: Result<Value, Why>) {
        if key.is_empty() {
            self.closed.insert(t, value);
        } else {
            self.open.insert((t, key), value);
        }
    }
}

/// Sets that may have elements outside of the windows in which they are written out.
#[derive(Default)]
struct CutSets {
    /// Literals that say that a set has no elements outside of its window.
    empty_outside: FxHashMap<SymbolId, Lit>,
    /// The windows of such sets, by the parts of their elements.
    windows: FxHashMap<SymbolId, Rc<[Window]>>,
}

/// The constants and the scalar parts of sorts, computed once for each sort.
#[derive(Default)]
struct SortParts {
    /// All values of a finite sort; none where there are too many.
    constants: FxHashMap<Sort, Option<Rc<[Value]>>>,
    /// Sorts of the scalar parts of a value.
    scalars: FxHashMap<Sort, Rc<[Sort]>>,
}

impl Lowering {
    /// Begins with nothing lowered.
    pub fn new(terms: Rc<Terms>, levels: Levels) -> Lowering {
        Lowering {
            terms,
            gates: Gates::new(),
            levels,
            bounds: Bounds::default(),
            unknowns: Unknowns::default(),
            cuts: vec![],
            unclaimed: vec![],
            lowered: Lowered::default(),
            bindings: Bindings::default(),
            ranges: Ranges::default(),
            cut_sets: CutSets::default(),
            sorts: SortParts::default(),
            integers: FxHashMap::default(),
            weights: FxHashMap::default(),
            effort: Effort::unlimited(),
        }
    }

    /// Returns whether a term without bound symbols was lowered already.
    pub(super) fn is_lowered(&self, t: Term) -> bool {
        self.lowered.closed.contains_key(&t)
    }

    /// Makes this the value of a term in every model.
    pub(super) fn set(&mut self, t: Term, value: Value) {
        self.lowered.closed.insert(t, Ok(value));
    }

    /// The literal of a Boolean term. `None` if time is up.
    pub fn literal(&mut self, t: Term) -> Option<Lit> {
        self.bindings.scan(&self.terms, t);
        match self.lower(t) {
            Ok(Value::Bool(truth)) => Some(truth.lit),
            // A Boolean term outside of binders always has a literal, unless time is up.
            _ => None,
        }
    }

    /// The value of a term.
    pub fn value(&mut self, t: Term) -> Result<Value, Why> {
        self.bindings.scan(&self.terms, t);
        self.lower(t)
    }

    /// The value of a term where the symbols in scope are bound.
    pub(super) fn lower(&mut self, t: Term) -> Result<Value, Why> {
        let terms = self.terms.clone();
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.known(t).is_some() {
                continue;
            }
            self.effort.spend(1);
            if self.effort.stopped.is_some() || (self.effort.is_due() && self.is_over()) {
                return Err(Why::Stopped);
            }
            let node = terms.node(t);
            let binder = matches!(node.op, Op::Forall(_) | Op::Exists(_) | Op::Lambda(_));
            if !ready && !binder && !node.args.is_empty() {
                stack.push((t, true));
                stack.extend(node.args.iter().map(|&a| (a, false)));
                continue;
            }
            let (key, beyond) = self.bindings.key(t);
            let mut value = self.node(t, &node, beyond);
            let cells = value.as_ref().map_or(0, Value::cells) as u64;
            self.effort.spend(cells / tuning().propositional.cells_of_a_step);
            if let (Err(Why::Unsupported(reason)), Terms::BOOL, false) = (&value, node.sort, beyond) {
                let free = self.gates.input();
                self.unclaimed.push((free, reason.clone()));
                value = Ok(Value::Bool(Truth::exact(free)));
            }
            if let (Ok(Value::Bool(truth)), false) = (&value, beyond) {
                value = Ok(Value::Bool(Truth::exact(self.settle(*truth))));
            }
            if value == Err(Why::Stopped) {
                return value;
            }
            self.lowered.insert(t, key, value);
        }
        self.known(t).cloned().unwrap_or(Err(Why::Stopped))
    }

    fn known(&self, t: Term) -> Option<&Result<Value, Why>> {
        self.lowered.get(t, self.bindings.key(t).0)
    }

    /// Returns whether lowering has to stop; then its effort says why.
    pub fn is_over(&mut self) -> bool {
        self.effort.is_over(self.gates.len())
    }

    /// The literal of a truth value whatever its guard: a new one that equals the given one where the guard is true.
    pub(super) fn settle(&mut self, truth: Truth) -> Lit {
        self.gates.guarded(truth.guard, truth.lit)
    }

    fn node(&mut self, t: Term, node: &Node, beyond: bool) -> Result<Value, Why> {
        let arg = |me: &Self, i: usize| -> Result<Value, Why> {
            me.known(node.args[i]).cloned().unwrap_or(Err(Why::Stopped))
        };
        let number = |me: &Self, i: usize| -> Result<Number, Why> {
            match arg(me, i)? {
                Value::Int(n) => Ok(n),
                _ => Err(Why::unsupported("arithmetic with integers without bound")),
            }
        };
        let truth = |me: &Self, i: usize| -> Result<Truth, Why> {
            match arg(me, i)? {
                Value::Bool(t) => Ok(t),
                _ => Err(Why::unsupported("a truth value of another sort")),
            }
        };
        Ok(match &node.op {
            Op::True => Value::Bool(Truth::exact(Lit::TRUE)),
            Op::False => Value::Bool(Truth::exact(Lit::FALSE)),
            Op::Int(_) => Value::number(literal(&self.terms, t).and_then(Number::constant))?,
            Op::Symbol(id) => match self.bindings.get(*id) {
                Some(binding) => binding.value.clone(),
                None => self.symbol(*id)?,
            },
            Op::Constructor(sort, i) => {
                let SortKind::Enum(_, names) = self.terms.sort_kind(*sort) else {
                    return Err(Why::unsupported("an element of a sort that is no enumeration"));
                };
                Value::element(*i as usize, names.len())
            }
            Op::Not => Value::Bool(truth(self, 0)?.negated()),
            Op::And | Op::Or => {
                let parts: Vec<Result<Truth, Why>> = (0..node.args.len()).map(|i| truth(self, i)).collect();
                Value::Bool(self.junction(parts, node.op == Op::And)?)
            }
            Op::Ite => {
                let c = truth(self, 0)?;
                match c.lit.as_constant() {
                    Some(first) => {
                        let chosen = arg(self, if first { 1 } else { 2 })?;
                        chosen.guarded(&mut self.gates, c.guard)
                    }
                    None => {
                        let (a, b) = (arg(self, 1)?, arg(self, 2)?);
                        choice(&mut self.gates, c, &a, &b)?
                    }
                }
            }
            Op::Eq => {
                let (a, b) = (arg(self, 0)?, arg(self, 1)?);
                if let (Value::Int(x), Value::Int(y)) = (&a, &b) {
                    return Ok(Value::Bool(self.equal_numbers(x, y, beyond)));
                }
                let mut parts = vec![];
                equal(&mut self.gates, &a, &b, &mut parts)?;
                if !beyond {
                    for p in &mut parts {
                        *p = Truth::exact(self.settle(*p));
                    }
                }
                let whole = self.junction(parts.into_iter().map(Ok).collect(), true)?;
                if whole.guard == Lit::TRUE {
                    self.bound_windows(whole.lit, node, &a, &b);
                }
                Value::Bool(whole)
            }
            Op::Le | Op::Lt => {
                let mut operands = vec![];
                for i in 0..2 {
                    operands.push(match arg(self, i)? {
                        Value::Int(n) => Operand::Number(n),
                        Value::Beyond(b) => Operand::Beyond(b),
                        _ => return Err(Why::unsupported("a comparison of numbers that are no integers")),
                    });
                }
                let strict = node.op == Op::Lt;
                Value::Bool(match (&operands[0], &operands[1]) {
                    (Operand::Number(a), Operand::Number(b)) => {
                        // a < b is not b <= a.
                        if strict { self.at_most(b, a).negated() } else { self.at_most(a, b) }
                    }
                    (Operand::Beyond(a), Operand::Number(b)) => beyond_is_less(&mut self.gates, a, b)?,
                    (Operand::Number(a), Operand::Beyond(b)) => {
                        beyond_is_less(&mut self.gates, b, a)?.negated()
                    }
                    _ => return Err(Why::unsupported("a comparison of two integers without bound")),
                })
            }
            Op::Add => {
                let mut numbers = vec![];
                let mut unbounded: Option<Beyond> = None;
                for i in 0..node.args.len() {
                    match arg(self, i)? {
                        Value::Int(n) => numbers.push(n),
                        Value::Beyond(b) if unbounded.is_none() => unbounded = Some(b),
                        _ => return Err(Why::unsupported("a sum that is no sum of integers with bounds")),
                    }
                }
                let sum = integer::sum(&mut self.gates, numbers).ok_or_else(Why::too_large)?;
                match unbounded {
                    None => Value::Int(sum),
                    Some(b) => {
                        let bound = b.bound + if b.above { sum.low } else { sum.high };
                        let guard = self.gates.and([b.guard, sum.guard]);
                        Value::Beyond(Beyond { bound, guard, ..b })
                    }
                }
            }
            Op::Mul => match (arg(self, 0)?, arg(self, 1)?) {
                (Value::Int(a), Value::Int(b)) => Value::number(integer::multiply(&mut self.gates, &a, &b))?,
                (Value::Int(k), Value::Beyond(b)) | (Value::Beyond(b), Value::Int(k)) => {
                    match k.as_constant() {
                        Some(k) if k != 0 && k.abs() < tuning().propositional.factor => {
                            Value::Beyond(Beyond { bound: b.bound * k, above: b.above == (k > 0), ..b })
                        }
                        _ => return Err(Why::unsupported("a product of an integer without bound")),
                    }
                }
                _ => return Err(Why::unsupported("a product of numbers that are no integers")),
            },
            Op::Div | Op::Mod => {
                let (a, b) = (number(self, 0)?, number(self, 1)?);
                let both = integer::divide(&mut self.gates, &a, &b).ok_or_else(Why::too_large)?;
                Value::Int(if node.op == Op::Div { both.0 } else { both.1 })
            }
            Op::Real(_) | Op::RealDiv | Op::ToReal | Op::Floor => {
                return Err(Why::unsupported("a real number"));
            }
            Op::Select => {
                let (array, index) = (arg(self, 0)?, arg(self, 1)?);
                let (parts, keys) = self.index(&index, self.terms.sort_of(node.args[1]))?;
                let unknowns = &mut self.unknowns;
                let mut order = |g: &mut Gates, n: &Number, k: i128| match n.form {
                    Form::Unknown(id, c) => Some(unknowns.at_most(g, id, k - c)),
                    _ => None,
                };
                read(&mut self.gates, &mut order, &array, &parts, &keys)?
            }
            Op::Store => {
                let (array, index, value) = (arg(self, 0)?, arg(self, 1)?, arg(self, 2)?);
                let (mut parts, keys) = self.index(&index, self.terms.sort_of(node.args[1]))?;
                let mut guards = vec![];
                for p in &mut parts {
                    if let Value::Int(n) = p {
                        guards.extend(self.narrow(t, n)?);
                    }
                }
                let changed = write(&mut self.gates, &array, &parts, &keys, Lit::TRUE, &value)?;
                let guard = self.gates.and(guards);
                changed.guarded(&mut self.gates, guard)
            }
            Op::ConstArray(sort) => {
                let value = arg(self, 0)?;
                self.constant_array(*sort, &value)?
            }
            Op::SetUnion | Op::SetInter | Op::SetMinus => {
                let op = node.op.clone();
                let (a, b) = (arg(self, 0)?, arg(self, 1)?);
                self.pointwise(&[a, b], &mut |g, v| {
                    let [Value::Bool(x), Value::Bool(y)] = v else {
                        return Err(Why::unsupported("an operation on arrays that are no sets"));
                    };
                    let lit = match op {
                        Op::SetUnion => g.or([x.lit, y.lit]),
                        Op::SetInter => g.and([x.lit, y.lit]),
                        _ => g.and([x.lit, !y.lit]),
                    };
                    Ok(Value::Bool(Truth { lit, guard: g.and([x.guard, y.guard]) }))
                })?
            }
            Op::SetComplement => {
                let a = arg(self, 0)?;
                self.pointwise(&[a], &mut |_, v| match &v[0] {
                    Value::Bool(x) => Ok(Value::Bool(x.negated())),
                    _ => Err(Why::unsupported("the complement of an array that is no set")),
                })?
            }
            Op::ArrayIte => {
                let (mask, a, b) = (arg(self, 0)?, arg(self, 1)?, arg(self, 2)?);
                self.choose(&mask, &a, &b)?
            }
            Op::Tuple(_) => {
                let parts: Result<Vec<Value>, Why> = (0..node.args.len()).map(|i| arg(self, i)).collect();
                Value::Tuple(parts?.into())
            }
            Op::Field(i) => match arg(self, 0)? {
                Value::Tuple(parts) => parts[*i as usize].clone(),
                _ => return Err(Why::unsupported("a component of another shape")),
            },
            Op::Forall(_) | Op::Exists(_) | Op::Lambda(_) if self.bindings.is_empty() => {
                let gates = self.weight(t);
                self.effort.afford(gates, tuning().propositional.estimated_gates)?;
                self.binder(node, beyond)?
            }
            Op::Forall(_) | Op::Exists(_) | Op::Lambda(_) => self.binder(node, beyond)?,
        })
    }

    fn binder(&mut self, node: &Node, beyond: bool) -> Result<Value, Why> {
        Ok(match &node.op {
            Op::Forall(bound) => Value::Bool(self.quantifier(bound, node.args[0], true, beyond)?),
            Op::Exists(bound) => Value::Bool(self.quantifier(bound, node.args[0], false, beyond)?),
            Op::Lambda(bound) => self.lambda(*bound, node.args[0])?,
            _ => return Err(Why::unsupported("a binder of another kind")),
        })
    }
}
