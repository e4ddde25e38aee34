//! Bit-blasting: terms to literals of gates.
//!
//! Every Boolean term gets a literal that is its truth, whatever the cuts; a literal without a guard. A term that is made
//! from cut unknowns is known under its guard only: its literal is a new one that equals what was computed
//! wherever the guard is true. A Boolean term with a part that is not claimed gets a free literal, and is noted:
//! `unsat` is an answer then as well, `sat` is not.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::array::{read, write};
use super::bounds::{Bounds, Interval, Part, literal};
use super::cut::{Cut, Levels};
use super::gates::{Gates, Lit};
use super::integer::{self, Form, Number};
use super::unknown::Unknowns;
use super::value::{Array, Beyond, Truth, Value, Why, beyond_is_less, choice, equal, fits_window, zip};
use crate::budget::{Budget, Stopped};
use crate::term::{Node, Op, Sort, SortKind, SymbolId, Term, Terms};

/// A sort with more values is not written out.
const VALUES: usize = 4096;

/// An enumeration with more elements is chosen from by a binary number.
const ONE_HOT: usize = 16;

/// More gates than this are refused: some gigabytes.
const GATES: usize = 30_000_000;

/// A quantifier has at most this many instances.
pub(super) const INSTANCES: usize = 1 << 17;

/// What would take more gates than this before anything is simplified is not begun. Most instances of a quantifier
/// shrink to a part of what is written, so that an estimate may be well above what is built.
const ESTIMATED: u64 = 10 * GATES as u64;

/// A value with more literals is not begun: each is copied some times.
const VALUE: u64 = GATES as u64 / 4;

/// A set with its elements in a known window of at most this length has all its cells, whatever its cut; with two such
/// parts or more, as many as in a square of them.
const EXACT: i128 = 64;

/// Clauses of a gate, about.
const CLAUSES_OF_A_GATE: u64 = 3;

/// Cells of an array over integers, and values of an integer that is bound, as far as an estimate needs them.
const INTEGERS: u64 = 16;

/// So many cells of an array cost as much as a term.
const CELLS: u64 = 16;

/// After so many steps the deadline is looked at.
const LOOK: u64 = 64;

/// What a bound symbol stands for.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// Equal for equal values.
    pub id: u32,
    pub value: Value,
    /// Whether it is all the integers beyond a bound.
    pub beyond: bool,
}

/// A term, and what each of its free bound symbols stands for.
type Bound = (Term, Box<[u32]>);

/// The scalar parts of an index, and the values of each that is no integer.
type Index = (Vec<Value>, Vec<Rc<[Value]>>);

/// The indices of an array that have cells of their own.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: i128,
    last: i128,
    /// Whether there is nothing outside in any case, or no outside.
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
    /// Terms without bound symbols.
    closed: HashMap<Term, Result<Value, Why>>,
    /// Terms with bound symbols, by what these stand for.
    open: HashMap<Bound, Result<Value, Why>>,
    /// Symbols that some quantifier or lambda binds.
    binders: HashSet<SymbolId>,
    /// Those of them that are free in a term; terms that were not looked at are missing.
    free: HashMap<Term, Rc<[SymbolId]>>,
    pub(super) scope: HashMap<SymbolId, Binding>,
    pub(super) bindings: HashMap<Vec<i128>, u32>,
    /// First and last number of the ranges of quantifiers and lambdas, by their bodies.
    pub(super) grown: HashMap<Term, Box<[(i128, i128)]>>,
    /// Literals that say that a set has no elements outside of its window.
    empty_outside: HashMap<SymbolId, Lit>,
    /// The windows of such sets, by the parts of their elements.
    windows: HashMap<SymbolId, Rc<[Window]>>,
    /// Number of ranges of quantifiers so far.
    pub(super) ranges: u32,
    constants: HashMap<Sort, Option<Rc<[Value]>>>,
    scalars: HashMap<Sort, Rc<[Sort]>>,
    /// Unknown integers of the symbols that are integers.
    integers: HashMap<SymbolId, Number>,
    budget: Budget,
    /// Terms lowered for the query at hand, and cells of arrays.
    steps: u64,
    /// When the budget is looked at next.
    look: u64,
    /// What the instances of quantifiers take, as far as that was asked.
    weights: HashMap<Term, u64>,
    /// Why lowering stopped.
    pub stopped: Option<Stopped>,
}

impl Lowering {
    /// Nothing lowered yet.
    pub fn new(terms: Rc<Terms>, levels: Levels) -> Lowering {
        Lowering {
            terms,
            gates: Gates::new(),
            levels,
            bounds: Bounds::default(),
            unknowns: Unknowns::default(),
            cuts: vec![],
            unclaimed: vec![],
            closed: HashMap::new(),
            open: HashMap::new(),
            binders: HashSet::new(),
            free: HashMap::new(),
            scope: HashMap::new(),
            bindings: HashMap::new(),
            grown: HashMap::new(),
            empty_outside: HashMap::new(),
            windows: HashMap::new(),
            ranges: 0,
            constants: HashMap::new(),
            scalars: HashMap::new(),
            integers: HashMap::new(),
            budget: Budget::unlimited(),
            steps: 0,
            look: 0,
            weights: HashMap::new(),
            stopped: None,
        }
    }

    /// What is lowered from now on ends with this budget.
    pub fn within(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.stopped = None;
        (self.steps, self.look) = (0, 0);
    }

    /// The same with what was spent already.
    pub fn go_on(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// Steps since [`within`](Self::within).
    pub fn steps_spent(&self) -> u64 {
        self.steps
    }

    /// Spends steps for something else.
    pub fn spend(&mut self, steps: u64) {
        self.steps += steps;
    }

    /// Learns bounds from what will be asserted for good.
    pub fn learn(&mut self, assertion: Term) {
        let terms = self.terms.clone();
        for part in self.bounds.learn(&terms, assertion) {
            let id = part.symbol();
            if matches!(part, Part::Element(..)) {
                self.settle_window(id);
                continue;
            }
            let Some(number) = self.integers.get(&id).cloned() else {
                self.narrow_definition(id);
                continue;
            };
            let Form::Unknown(unknown, 0) = number.form else { continue };
            let (low, high) = self.bounds.of(id);
            if let Some(low) = low {
                let l = self.unknowns.at_most(&mut self.gates, unknown, low - 1);
                self.gates.clause(&[!l]);
            }
            if let Some(high) = high {
                let l = self.unknowns.at_most(&mut self.gates, unknown, high);
                self.gates.clause(&[l]);
            }
        }
    }

    /// A number that is defined has the bounds that are found later as well.
    fn narrow_definition(&mut self, id: SymbolId) {
        let t = self.terms.symbol_term(id);
        if let Some(Ok(Value::Int(n))) = self.closed.get(&t).cloned() {
            let narrow = self.within_bounds(id, n);
            self.set(t, Value::Int(narrow));
        }
    }

    /// Whether a term without bound symbols was lowered already.
    pub(super) fn is_lowered(&self, t: Term) -> bool {
        self.closed.contains_key(&t)
    }

    /// Makes this the value of a term in every model.
    pub(super) fn set(&mut self, t: Term, value: Value) {
        self.closed.insert(t, Ok(value));
    }

    /// How many numbers a number may be, or the elements of a set of numbers in all their parts; the largest number where that
    /// is not known.
    pub(super) fn room(&self, id: SymbolId) -> i128 {
        let length = |(low, high): Interval| low.zip(high).map(|(low, high)| (high - low).max(0));
        let sort = self.terms.symbol_sort(id);
        if sort == Terms::INT {
            return length(self.bounds.of(id)).unwrap_or(i128::MAX);
        }
        let SortKind::Array(index, _) = self.terms.sort_kind(sort) else { return i128::MAX };
        let mut sorts = vec![];
        self.scalars_of(index, &mut sorts);
        let numbers = (0..).zip(sorts).filter(|(_, s)| *s == Terms::INT);
        let lengths = numbers.map(|(j, _)| length(self.bounds.part(Part::Element(id, j))));
        lengths.sum::<Option<i128>>().unwrap_or(i128::MAX)
    }

    fn scalars_of(&self, sort: Sort, all: &mut Vec<Sort>) {
        match self.terms.sort_kind(sort) {
            SortKind::Tuple(fields) => fields.iter().for_each(|&f| self.scalars_of(f, all)),
            _ => all.push(sort),
        }
    }

    /// What is known of a number.
    pub(super) fn known_bounds(&self, id: SymbolId) -> Interval {
        self.bounds.of(id)
    }

    /// More of what is known of it.
    pub(super) fn note_bounds(&mut self, part: Part, interval: Interval) {
        self.bounds.note(part, interval);
    }

    /// States that a number is within bounds.
    pub(super) fn state_bounds(&mut self, n: &Number, low: i128, high: i128) {
        let [Some(first), Some(last)] = [low, high].map(Number::constant) else { return };
        for truth in [self.at_most(&first, n), self.at_most(n, &last)] {
            let l = self.settle(truth);
            self.gates.clause(&[l]);
        }
    }

    /// A set that turns out to be within its window needs no cut any more.
    fn settle_window(&mut self, id: SymbolId) {
        let (Some(&empty), Some(windows)) = (self.empty_outside.get(&id), self.windows.get(&id)) else {
            return;
        };
        let parts: Vec<Interval> =
            (0..windows.len() as u32).map(|j| self.bounds.part(Part::Element(id, j))).collect();
        let is_inside = |(w, (low, high)): (&Window, &Interval)| {
            w.is_exact || low.is_some_and(|n| w.first <= n) && high.is_some_and(|n| n <= w.last)
        };
        let is_empty = |&(low, high): &Interval| low.zip(high).is_some_and(|(low, high)| low > high);
        if parts.iter().any(is_empty) || windows.iter().zip(&parts).all(is_inside) {
            self.gates.clause(&[empty]);
        }
    }

    /// The literal of a Boolean term. `None` if time is up.
    pub fn literal(&mut self, t: Term) -> Option<Lit> {
        self.scan(t);
        match self.lower(t) {
            Ok(Value::Bool(truth)) => Some(truth.lit),
            // A Boolean term outside of binders always has a literal, unless time is up.
            _ => None,
        }
    }

    /// The value of a term.
    pub fn value(&mut self, t: Term) -> Result<Value, Why> {
        self.scan(t);
        self.lower(t)
    }

    /// Finds the bound symbols of terms.
    fn scan(&mut self, t: Term) {
        let terms = self.terms.clone();
        let mut order: Vec<(Term, Node)> = vec![];
        let mut seen = HashSet::new();
        let mut stack: Vec<(Term, Option<Node>)> = vec![(t, None)];
        while let Some((t, node)) = stack.pop() {
            if let Some(node) = node {
                order.push((t, node));
            } else if !self.free.contains_key(&t) && seen.insert(t) {
                let node = terms.node(t);
                let args = node.args.clone();
                stack.push((t, Some(node)));
                stack.extend(args.iter().map(|&a| (a, None)));
            }
        }
        let mut late = false;
        for (_, node) in &order {
            let bound: &[SymbolId] = match &node.op {
                Op::Forall(bound) | Op::Exists(bound) => bound,
                Op::Lambda(bound) => std::slice::from_ref(bound),
                _ => continue,
            };
            for &id in bound {
                let symbol = terms.symbol_term(id);
                late |= self.binders.insert(id) && self.free.contains_key(&symbol);
            }
        }
        if late {
            // A symbol that was looked at before turns out to be bound: what is free has to be found anew.
            self.free.clear();
            return self.scan(t);
        }
        let none: Rc<[SymbolId]> = Rc::from([]);
        for (t, node) in order {
            let mut free: Vec<SymbolId> = vec![];
            for a in node.args.iter() {
                free.extend(self.free[a].iter());
            }
            match &node.op {
                Op::Symbol(id) if self.binders.contains(id) => free.push(*id),
                Op::Forall(bound) | Op::Exists(bound) => free.retain(|id| !bound.contains(id)),
                Op::Lambda(bound) => free.retain(|id| id != bound),
                _ => {}
            }
            free.sort_unstable();
            free.dedup();
            self.free.insert(t, if free.is_empty() { none.clone() } else { free.into() });
        }
    }

    /// What the free bound symbols of a term stand for, and whether integers without bound are among it.
    fn key(&self, t: Term) -> (Box<[u32]>, bool) {
        let free = match self.free.get(&t) {
            Some(free) if !free.is_empty() => free,
            _ => return (Box::default(), false),
        };
        let bound = || free.iter().filter_map(|id| self.scope.get(id));
        // A symbol that no binder around has bound is a symbol like any other.
        if bound().next().is_none() {
            return (Box::default(), false);
        }
        let ids = free.iter().map(|id| self.scope.get(id).map_or(u32::MAX, |b| b.id)).collect();
        (ids, bound().any(|b| b.beyond))
    }

    fn known(&self, t: Term) -> Option<&Result<Value, Why>> {
        let (key, _) = self.key(t);
        if key.is_empty() { self.closed.get(&t) } else { self.open.get(&(t, key)) }
    }

    /// The value of a term where the symbols in scope are bound.
    pub(super) fn lower(&mut self, t: Term) -> Result<Value, Why> {
        let terms = self.terms.clone();
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.known(t).is_some() {
                continue;
            }
            self.steps += 1;
            if self.stopped.is_some() || (self.steps >= self.look && self.is_over()) {
                return Err(Why::Stopped);
            }
            let node = terms.node(t);
            let binder = matches!(node.op, Op::Forall(_) | Op::Exists(_) | Op::Lambda(_));
            if !ready && !binder && !node.args.is_empty() {
                stack.push((t, true));
                stack.extend(node.args.iter().map(|&a| (a, false)));
                continue;
            }
            let (key, beyond) = self.key(t);
            let mut value = self.node(t, &node, beyond);
            self.steps += value.as_ref().map_or(0, Value::cells) as u64 / CELLS;
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
            if key.is_empty() {
                self.closed.insert(t, value);
            } else {
                self.open.insert((t, key), value);
            }
        }
        self.known(t).cloned().unwrap_or(Err(Why::Stopped))
    }

    /// Whether lowering has to stop; then [`stopped`](Self::stopped) says why.
    pub fn is_over(&mut self) -> bool {
        self.look = self.steps + LOOK;
        let steps = self.budget.steps.unwrap_or(u64::MAX);
        let gates = GATES.min(usize::try_from(steps).unwrap_or(usize::MAX));
        if self.gates.len() > gates || self.steps > steps {
            self.refuse("more than", gates as u64);
        } else if let Err(why) = self.budget.check() {
            self.stopped = Some(why);
        }
        self.stopped.is_some()
    }

    fn refuse(&mut self, about: &str, gates: u64) {
        let clauses = gates.saturating_mul(CLAUSES_OF_A_GATE);
        let why = format!(
            "as propositional logic the formula takes {about} {clauses} clauses, too many for memory; a smaller \
             --scope or --encoding unbounded asks a smaller question"
        );
        self.stopped = Some(Stopped::Incomplete(why));
    }

    /// Refuses before it is built what takes too many gates.
    fn afford(&mut self, gates: u64, most: u64) -> Result<(), Why> {
        if gates <= most {
            return Ok(());
        }
        self.refuse("about", gates);
        Err(Why::Stopped)
    }

    /// Number of literals in a value of a sort; none where the sort has no form, which costs nothing.
    fn literals(&self, sort: Sort) -> u64 {
        match self.terms.sort_kind(sort) {
            SortKind::Enum(_, names) => names.len() as u64,
            SortKind::Tuple(fields) => fields.iter().map(|&f| self.literals(f)).fold(0, u64::saturating_add),
            SortKind::Array(index, _) if !self.is_listed(index) => 0,
            SortKind::Array(index, value) => self.values(index).saturating_mul(self.literals(value)),
            SortKind::Int => INTEGERS,
            _ => 1,
        }
    }

    /// Number of values of a sort.
    fn values(&self, sort: Sort) -> u64 {
        match self.terms.sort_kind(sort) {
            SortKind::Bool => 2,
            SortKind::Enum(_, names) => names.len() as u64,
            SortKind::Tuple(fields) => fields.iter().map(|&f| self.values(f)).fold(1, u64::saturating_mul),
            SortKind::Array(index, value) => {
                let exponent = u32::try_from(self.values(index)).unwrap_or(u32::MAX);
                self.values(value).saturating_pow(exponent)
            }
            SortKind::Int => INTEGERS,
            _ => 1,
        }
    }

    /// Whether each scalar part of an index has few enough values to be written out.
    fn is_listed(&self, index: Sort) -> bool {
        match self.terms.sort_kind(index) {
            SortKind::Tuple(fields) => fields.iter().all(|&f| self.is_listed(f)),
            _ => self.values(index) <= VALUES as u64,
        }
    }

    /// What a quantifier or a lambda takes: for each instance the terms below it, those below binders in it in turn.
    fn weight(&mut self, binder: Term) -> u64 {
        if let Some(&known) = self.weights.get(&binder) {
            return known;
        }
        let node = self.terms.node(binder);
        let bound: &[SymbolId] = match &node.op {
            Op::Forall(bound) | Op::Exists(bound) => bound,
            Op::Lambda(bound) => std::slice::from_ref(bound),
            _ => &[],
        };
        let instances =
            bound.iter().map(|&id| self.values(self.terms.symbol_sort(id))).fold(1, u64::saturating_mul);
        let (mut inside, mut seen) = (0u64, HashSet::new());
        let mut stack = node.args.to_vec();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            let node = self.terms.node(t);
            let inner = match node.op {
                Op::Forall(_) | Op::Exists(_) | Op::Lambda(_) => self.weight(t),
                _ => {
                    stack.extend(node.args.iter());
                    1
                }
            };
            inside = inside.saturating_add(inner);
        }
        // One with more instances has no form, which costs nothing.
        let whole = if instances > INSTANCES as u64 { 1 } else { instances.saturating_mul(inside) };
        self.weights.insert(binder, whole);
        whole
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
            Op::Symbol(id) => match self.scope.get(id) {
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
                        Some(k) if k != 0 && k.abs() < 1 << 32 => {
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
            Op::Forall(_) | Op::Exists(_) | Op::Lambda(_) if self.scope.is_empty() => {
                let gates = self.weight(t);
                self.afford(gates, ESTIMATED)?;
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

    /// A conjunction or disjunction. What has no value does not matter where another part decides.
    pub(super) fn junction(&mut self, parts: Vec<Result<Truth, Why>>, and: bool) -> Result<Truth, Why> {
        let deciding = Lit::constant(!and);
        let decided: Vec<Lit> = parts
            .iter()
            .filter_map(|p| p.as_ref().ok().filter(|t| t.lit == deciding).map(|t| t.guard))
            .collect();
        if !decided.is_empty() {
            return Ok(Truth { lit: deciding, guard: self.gates.or(decided) });
        }
        let mut why: Option<Why> = None;
        let (mut lits, mut guards) = (vec![], vec![]);
        for part in parts {
            match (part, &why) {
                (Ok(t), _) => {
                    lits.push(if and { t.lit } else { !t.lit });
                    guards.push(t.guard);
                }
                (Err(Why::Stopped), _) => return Err(Why::Stopped),
                // A larger range may make another part decide, so the smallest step is tried first.
                (Err(new @ Why::Range(_, by)), Some(Why::Range(_, known))) if by < *known => why = Some(new),
                (Err(new @ Why::Range(..)), None | Some(Why::Unsupported(_))) => why = Some(new),
                (Err(new), None) => why = Some(new),
                (Err(_), Some(_)) => {}
            }
        }
        match why {
            Some(why) => Err(why),
            None => {
                let all = self.gates.and(lits);
                Ok(Truth { lit: if and { all } else { !all }, guard: self.gates.and(guards) })
            }
        }
    }

    /// `a <= b`
    fn at_most(&mut self, a: &Number, b: &Number) -> Truth {
        if a.guard == Lit::TRUE && b.guard == Lit::TRUE {
            return Truth::exact(!integer::less(&mut self.gates, b, a));
        }
        match (&a.form, a.as_constant(), &b.form, b.as_constant()) {
            (Form::Unknown(x, c), _, _, Some(k)) => {
                Truth::exact(self.unknowns.at_most(&mut self.gates, *x, k - c))
            }
            (_, Some(k), Form::Unknown(x, c), _) => {
                Truth::exact(!self.unknowns.at_most(&mut self.gates, *x, k - c - 1))
            }
            (Form::Unknown(x, c), _, Form::Unknown(y, d), _)
                if let Some(l) = self.unknowns.difference(&mut self.gates, *x, *y, d - c) =>
            {
                Truth::exact(l)
            }
            (Form::Choice(c, x, y), _, _, Some(_)) => {
                let (x, y) = (self.at_most(x, b), self.at_most(y, b));
                self.choose_truth(*c, x, y)
            }
            (_, Some(_), Form::Choice(c, x, y), _) => {
                let (x, y) = (self.at_most(a, x), self.at_most(a, y));
                self.choose_truth(*c, x, y)
            }
            _ => Truth {
                lit: !integer::less(&mut self.gates, b, a),
                guard: self.gates.and([a.guard, b.guard]),
            },
        }
    }

    fn choose_truth(&mut self, c: Lit, a: Truth, b: Truth) -> Truth {
        let g = &mut self.gates;
        Truth { lit: g.choice(c, a.lit, b.lit), guard: g.choice(c, a.guard, b.guard) }
    }

    /// `a = b`
    fn equal_numbers(&mut self, a: &Number, b: &Number, beyond: bool) -> Truth {
        if a.guard == Lit::TRUE && b.guard == Lit::TRUE {
            return Truth::exact(integer::equal(&mut self.gates, a, b));
        }
        if a.as_constant().is_some() || b.as_constant().is_some() {
            let (x, y) = (self.at_most(a, b), self.at_most(b, a));
            let g = &mut self.gates;
            return Truth { lit: g.and([x.lit, y.lit]), guard: g.and([x.guard, y.guard]) };
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Form::Choice(c, p, q) = &x.form {
                let (p, q) = (self.equal_numbers(p, y, beyond), self.equal_numbers(q, y, beyond));
                return self.choose_truth(*c, p, q);
            }
        }
        let guard = self.gates.and([a.guard, b.guard]);
        let same = integer::equal(&mut self.gates, a, b);
        if let (Form::Unknown(x, c), Form::Unknown(y, d)) = (&a.form, &b.form) {
            let (x, y, k) = (*x, *y, d - c);
            let most = self.unknowns.difference(&mut self.gates, x, y, k);
            let least = self.unknowns.difference(&mut self.gates, x, y, k - 1);
            if let (Some(most), Some(less)) = (most, least) {
                let l = self.gates.and([most, !less]);
                // Says the same as the comparisons, and tells the bits more.
                self.gates.clause(&[!guard, !l, same]);
                if x != y {
                    self.unknowns.equate(&mut self.gates, l, a, b, 8);
                }
                return Truth::exact(l);
            }
        }
        if beyond {
            return Truth { lit: same, guard };
        }
        let l = self.settle(Truth { lit: same, guard });
        self.unknowns.equate(&mut self.gates, l, a, b, 8);
        Truth::exact(l)
    }

    /// A set that is equal to one without elements outside of its window has none there either: that its cut holds
    /// follows then, and need not be assumed.
    fn bound_windows(&mut self, same: Lit, node: &Node, a: &Value, b: &Value) {
        for (t, own, other) in [(node.args[0], a, b), (node.args[1], b, a)] {
            let Some(&empty) = self.terms.as_symbol(t).and_then(|id| self.empty_outside.get(&id)) else {
                continue;
            };
            if let Some(mut clause) = fits_window(own, other) {
                clause.extend([!same, empty]);
                self.gates.clause(&clause);
            }
        }
    }

    /// Takes an index apart.
    fn index(&mut self, index: &Value, sort: Sort) -> Result<Index, Why> {
        let mut parts = vec![];
        index.flatten(&mut parts);
        let mut keys = vec![];
        for &s in self.scalars(sort).iter() {
            keys.push(if s == Terms::INT { Rc::from([]) } else { self.constants(s)? });
        }
        Ok((parts, keys))
    }

    /// The sorts of the scalar parts of an index.
    pub(super) fn scalars(&mut self, sort: Sort) -> Rc<[Sort]> {
        if let Some(known) = self.scalars.get(&sort) {
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
        self.scalars.insert(sort, parts.clone());
        parts
    }

    /// Cuts an index at which an array is changed down to a window. The guard of that, if it was necessary.
    fn narrow(&mut self, store: Term, n: &mut Number) -> Result<Option<Lit>, Why> {
        if n.high - n.low < 256 {
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
    pub(super) fn constants(&mut self, sort: Sort) -> Result<Rc<[Value]>, Why> {
        let unsupported = |me: &Self| {
            Why::unsupported(match me.terms.sort_kind(sort) {
                SortKind::Uninterpreted(name) => {
                    format!("an element of `{name}`, which is a set without a size in the scope")
                }
                SortKind::Real => "a real number".into(),
                _ => format!("a type of more than {VALUES} values, or without bound"),
            })
        };
        if let Some(known) = self.constants.get(&sort) {
            return known.clone().ok_or_else(|| unsupported(self));
        }
        let values = self.all_values(sort);
        self.constants.insert(sort, values.clone());
        values.ok_or_else(|| unsupported(self))
    }

    fn all_values(&mut self, sort: Sort) -> Option<Rc<[Value]>> {
        /// One more component for each, in order.
        fn extended(all: Vec<Vec<Value>>, by: &[Value]) -> Option<Vec<Vec<Value>>> {
            (all.len() * by.len() <= VALUES).then(|| {
                let with = |start: &Vec<Value>| -> Vec<Vec<Value>> {
                    by.iter().map(|v| start.iter().chain([v]).cloned().collect()).collect()
                };
                all.iter().flat_map(with).collect()
            })
        }
        match self.terms.sort_kind(sort) {
            SortKind::Bool => Some([false, true].map(|b| Value::Bool(Truth::exact(Lit::constant(b)))).into()),
            SortKind::Enum(_, names) if names.len() <= VALUES => {
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
    pub(super) fn known_scalars(&self, sort: Sort) -> Option<&Rc<[Sort]>> {
        self.scalars.get(&sort)
    }

    /// The values of a finite sort that was met before.
    pub(super) fn known_constants(&self, sort: Sort) -> Option<&Rc<[Value]>> {
        self.constants.get(&sort)?.as_ref()
    }

    /// The sort of an array's cells, where the index has further parts.
    pub(super) fn rest_of_array(&self, rest: &[Sort], value: Sort) -> Sort {
        match rest {
            [] => value,
            [one] => self.terms.array_sort(*one, value),
            more => self.terms.array_sort(self.terms.tuple_sort(more), value),
        }
    }

    /// The array with one value everywhere.
    fn constant_array(&mut self, sort: Sort, value: &Value) -> Result<Value, Why> {
        let (index, _) = self.terms.array_parts(sort);
        let scalars = self.scalars(index);
        self.everywhere(&scalars, value)
    }

    fn everywhere(&mut self, index: &[Sort], value: &Value) -> Result<Value, Why> {
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
    fn pointwise<F>(&mut self, arrays: &[Value], f: &mut F) -> Result<Value, Why>
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
    fn choose(&mut self, mask: &Value, a: &Value, b: &Value) -> Result<Value, Why> {
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

    /// A symbol that stands for anything of its sort.
    fn symbol(&mut self, id: SymbolId) -> Result<Value, Why> {
        let sort = self.terms.symbol_sort(id);
        let gates = self.literals(sort);
        self.afford(gates, VALUE)?;
        if sort == Terms::INT {
            let value = self.fresh_number(id, self.bounds.of(id))?;
            if let Value::Int(n) = &value {
                self.integers.insert(id, n.clone());
            }
            return Ok(value);
        }
        self.fresh(id, sort)
    }

    fn fresh_number(&mut self, id: SymbolId, known: (Option<i128>, Option<i128>)) -> Result<Value, Why> {
        let cut = Cut::Width(id);
        let numbers = self.levels.numbers(&self.terms, cut);
        let (number, cuts) =
            self.unknowns.allocate(&mut self.gates, known, numbers).ok_or_else(Why::too_large)?;
        self.cuts.extend(cuts.into_iter().map(|l| (l, cut)));
        Ok(Value::Int(number))
    }

    fn fresh(&mut self, id: SymbolId, sort: Sort) -> Result<Value, Why> {
        Ok(match self.terms.sort_kind(sort) {
            SortKind::Bool => Value::Bool(Truth::exact(self.gates.input())),
            SortKind::Int => self.fresh_number(id, (None, None))?,
            SortKind::Enum(_, names) => Value::Element(self.fresh_element(names.len()).into(), Lit::TRUE),
            SortKind::Real => return Err(Why::unsupported("a real number")),
            SortKind::Uninterpreted(_) => {
                self.constants(sort)?;
                return Err(Why::unsupported("an element of a set without a size"));
            }
            SortKind::Tuple(fields) => {
                let parts: Result<Vec<Value>, Why> = fields.iter().map(|&f| self.fresh(id, f)).collect();
                Value::Tuple(parts?.into())
            }
            SortKind::Array(index, value) => {
                let scalars = self.scalars(index);
                // A set that is a part of something has no bounds of its own.
                let is_set = value == Terms::BOOL && sort == self.terms.symbol_sort(id);
                let windows = self.windows_of(id, &scalars, is_set);
                let outside = if windows.iter().all(|w| w.is_exact) {
                    None
                } else {
                    let l = self.gates.input();
                    let cut = Cut::Window(id);
                    self.cuts.push((l, cut));
                    // Most sets are finite: with nothing outside of the window a quantifier over their elements is
                    // decided there.
                    let outside = match value == Terms::BOOL && self.levels.is_finite(&self.terms, cut) {
                        true => {
                            self.empty_outside.insert(id, l);
                            if is_set {
                                self.windows.insert(id, windows.clone());
                            }
                            Value::Bool(Truth::exact(Lit::FALSE))
                        }
                        false => self.fresh(id, value)?,
                    };
                    Some(outside.guarded(&mut self.gates, l))
                };
                let cells: Vec<(Sort, Window)> =
                    scalars.iter().copied().zip(windows.iter().copied()).collect();
                self.fresh_array(id, &cells, value, outside.as_ref())?
            }
        })
    }

    /// The windows of the parts of an index; for a set, from where its elements are known to be.
    fn windows_of(&self, id: SymbolId, scalars: &[Sort], is_set: bool) -> Rc<[Window]> {
        let (first, last) = self.levels.window(&self.terms, Cut::Window(id));
        let mut cells: i128 = 1;
        let mut window = |(j, &sort): (u32, &Sort)| {
            if sort != Terms::INT {
                return Window { first: 0, last: -1, is_exact: true };
            }
            let (low, high) = if is_set { self.bounds.part(Part::Element(id, j)) } else { (None, None) };
            if let (Some(low), Some(high)) = (low, high) {
                let length = (high - low + 1).max(0);
                if length <= EXACT.max(last - first + 1) && cells.saturating_mul(length) <= EXACT * EXACT {
                    cells = cells.saturating_mul(length.max(1));
                    return Window { first: low, last: low + length - 1, is_exact: true };
                }
            }
            let span = last - first;
            match (low, high) {
                (Some(low), _) if low > first => Window { first: low, last: low + span, is_exact: false },
                (_, Some(high)) if high < last => Window { first: high - span, last: high, is_exact: false },
                _ => Window { first, last, is_exact: false },
            }
        };
        (0..).zip(scalars).map(&mut window).collect()
    }

    /// An array that stands for anything. Outside of its windows it is the same everywhere: that is its cut; it is empty
    /// there where a window is exact.
    fn fresh_array(
        &mut self,
        id: SymbolId,
        index: &[(Sort, Window)],
        value: Sort,
        outside: Option<&Value>,
    ) -> Result<Value, Why> {
        let Some((&(sort, window), rest)) = index.split_first() else { return self.fresh(id, value) };
        if sort != Terms::INT {
            let keys = self.constants(sort)?;
            let cells: Result<Vec<Value>, Why> =
                keys.iter().map(|_| self.fresh_array(id, rest, value, outside)).collect();
            return Ok(Value::Array(Rc::new(Array::Listed(cells?))));
        }
        let Window { first, last, is_exact } = window;
        let cells: Result<Vec<Value>, Why> =
            (first..=last).map(|_| self.fresh_array(id, rest, value, outside)).collect();
        let empty = Value::Bool(Truth::exact(Lit::FALSE));
        let outside = match outside {
            Some(outside) if !is_exact => outside,
            _ => &empty,
        };
        let scalars: Vec<Sort> = rest.iter().map(|r| r.0).collect();
        let end = self.everywhere(&scalars, outside)?;
        Ok(Value::Array(Rc::new(Array::Window { first, cells: cells?, below: end.clone(), above: end })))
    }

    /// One literal for each element, exactly one of them true.
    fn fresh_element(&mut self, n: usize) -> Vec<Lit> {
        let g = &mut self.gates;
        if n == 1 {
            return vec![Lit::TRUE];
        }
        if n == 2 {
            let l = g.input();
            return vec![!l, l];
        }
        if n <= ONE_HOT {
            let all: Vec<Lit> = (0..n).map(|_| g.input()).collect();
            g.clause(&all);
            for (i, &a) in all.iter().enumerate() {
                for &b in &all[i + 1..] {
                    g.clause(&[!a, !b]);
                }
            }
            return all;
        }
        let bits: Vec<Lit> = (0..usize::BITS - (n - 1).leading_zeros()).map(|_| g.input()).collect();
        let code = |g: &mut Gates, k: usize| {
            g.and(bits.iter().enumerate().map(|(i, &b)| if k >> i & 1 == 1 { b } else { !b }))
        };
        let all: Vec<Lit> = (0..n).map(|k| code(g, k)).collect();
        g.clause(&all);
        all
    }
}
