//! Bits of a state of settled sizes: which tuples of elements are in a relation, which element a variable is, and the
//! group of permutations of elements under which bits come in orbits.
//!
//! Elements that nothing in the model tells apart ([`Distinguished`]), and no value of a constant that the axioms
//! determine, may change places in a state: initial states stay initial, steps steps, and what is asked of a state is
//! still so. So what holds of one clause over bits holds of all its [images](Bits::images).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::{Names, Replacement};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::symmetry::elements::Distinguished;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use crate::invariants::cube::{Cube, Literal};
use crate::invariants::predicate::{Predicates, built, compare, expr, integer, variable, variables};
use crate::options::{Job, QuantifiableModel};
use crate::paths::order::is_kept;
use crate::problem::Problem;
use crate::tuning::tuning;

/// Item in a place of a bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Item {
    /// An element of a set.
    Element(CarrierId, u32),
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
}

/// A predicate in which elements of deferred sets are free.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// The predicate.
    pub pred: Pred,
    /// Its free names, each an element of a set.
    pub slots: Vec<(LocalId, CarrierId)>,
}

/// Subject of a bit.
#[derive(Clone, Debug)]
pub(super) enum Thing {
    /// A variable or constant.
    Value(Expr),
    /// A predicate about elements.
    Schema(Schema),
}

/// Elements that may change places.
#[derive(Debug)]
pub(super) struct Class {
    pub elements: Vec<u32>,
    /// They are all elements of a deferred set, which formulas say with quantifiers.
    pub is_deferred: bool,
}

/// The bits of the states of a model.
#[derive(Debug)]
pub(crate) struct Bits {
    pub(super) model: QuantifiableModel,
    pub(super) things: Vec<Thing>,
    /// The subject and the items of each bit, by its position among the predicates.
    about: BTreeMap<usize, (usize, Vec<Item>)>,
    positions: HashMap<(usize, Vec<Item>), usize>,
    pub(super) classes: Vec<Class>,
    class_of: HashMap<(CarrierId, u32), usize>,
}

impl Bits {
    /// The bits of the states of a job, and the predicates that say them: of variables and constants, as far as their
    /// values have few, and of predicates about elements.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn of(problem: &mut Problem, job: &Job, schemas: &[Schema]) -> Result<(Bits, Predicates), String> {
        let model = job.model.clone();
        let mut bits = Bits {
            model: model.clone(),
            things: vec![],
            about: BTreeMap::new(),
            positions: HashMap::new(),
            classes: vec![],
            class_of: HashMap::new(),
        };
        bits.find_classes(problem, job)?;
        let mut predicates = Predicates::default();
        let ranges = Ranges::of(problem, job);
        for v in variables(&model) {
            bits.add_value(problem, job, &mut predicates, variable(&model, v), &ranges);
        }
        if bits.about.is_empty() {
            return Err("no variable has a value that is a few bits".into());
        }
        for (c, constant) in model.constants.iter().enumerate() {
            if problem.system.constants.determined.get(c).is_some_and(Option::is_some) {
                continue;
            }
            let constant = expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone());
            bits.add_value(problem, job, &mut predicates, constant, &ranges);
        }
        for schema in schemas {
            bits.add_schema(problem, job, &mut predicates, schema);
        }
        Ok((bits, predicates))
    }

    fn find_classes(&mut self, problem: &Problem, job: &Job) -> Result<(), String> {
        let distinguished = Distinguished::of(&self.model);
        let determined: Vec<&Value> = problem.system.constants.determined.iter().flatten().collect();
        for c in 0..self.model.types.carriers.len() {
            let (carrier, name) = (CarrierId(c as u32), self.model.types.carriers[c].name.clone());
            let is_deferred = self.model.types.carriers[c].kind == CarrierKind::Deferred;
            let Some(elements) = job.scope.positions(&self.model, carrier) else {
                return Err(format!("{name} has no size"));
            };
            if let Some(span) = distinguished.ordered.get(&carrier) {
                if is_deferred {
                    let line = self.model.text.sources.position(*span).line;
                    let why = "a function that may use the order of its elements";
                    return Err(format!("{why} breaks the symmetry of {name} (line {line})"));
                }
                continue;
            }
            let named = distinguished.named.get(&carrier);
            let mut left: BTreeSet<u32> =
                elements.clone().filter(|i| named.is_none_or(|n| !n.contains_key(i))).collect();
            while let Some(first) = left.pop_first() {
                let is_like = |i: &u32| determined.iter().all(|v| is_kept(v, carrier, first, *i));
                let alike: Vec<u32> = left.iter().copied().filter(is_like).collect();
                left.retain(|i| !alike.contains(i));
                let class: Vec<u32> = [first].into_iter().chain(alike).collect();
                if is_deferred && class.len() != elements.len() {
                    return Err(format!("the value of a constant tells elements of {name} apart"));
                }
                if is_deferred || class.len() > 1 {
                    let number = self.classes.len();
                    self.class_of.extend(class.iter().map(|&i| ((carrier, i), number)));
                    self.classes.push(Class { elements: class, is_deferred });
                }
            }
        }
        Ok(())
    }

    /// Adds the bits of a variable or constant, unless they are too many.
    fn add_value(
        &mut self,
        problem: &mut Problem,
        job: &Job,
        predicates: &mut Predicates,
        value: Expr,
        ranges: &Ranges,
    ) {
        let mut places = vec![];
        let is_set = value.ty.element().is_some();
        if !leaves(value.ty.element().unwrap_or(&value.ty), &mut places) {
            return;
        }
        let mut rows: Vec<Vec<Item>> = vec![vec![]];
        for (i, ty) in places.iter().enumerate() {
            let mut items = match ty {
                Type::Bool => vec![Item::Bool(true), Item::Bool(false)],
                Type::Carrier(c) => match job.scope.positions(&self.model, *c) {
                    Some(all) if all.len() <= tuning().bits.elements => {
                        all.map(|e| Item::Element(*c, e)).collect()
                    }
                    _ => return,
                },
                _ => match ranges.of_place(&value, i) {
                    Some((low, high)) => (low..=high).map(Item::Int).collect(),
                    None => return,
                },
            };
            if !is_set && **ty == Type::Bool && places.len() == 1 {
                // One of the two says all.
                items.truncate(1);
            }
            if rows.len() * items.len() + self.about.len() > tuning().bits.most {
                return;
            }
            rows =
                rows.iter().flat_map(|row| items.iter().map(|&i| [row.as_slice(), &[i]].concat())).collect();
        }
        self.add(problem, predicates, Thing::Value(value), rows);
    }

    fn add_schema(&mut self, problem: &mut Problem, job: &Job, predicates: &mut Predicates, schema: &Schema) {
        let mut rows: Vec<Vec<Item>> = vec![vec![]];
        for &(_, carrier) in &schema.slots {
            let Some(all) = job.scope.positions(&self.model, carrier) else { return };
            if rows.len() * all.len() + self.about.len() > tuning().bits.most {
                return;
            }
            let with = |row: &Vec<Item>, e| [row.as_slice(), &[Item::Element(carrier, e)]].concat();
            rows = rows.iter().flat_map(|row| all.clone().map(|e| with(row, e))).collect();
        }
        self.add(problem, predicates, Thing::Schema(schema.clone()), rows);
    }

    fn add(
        &mut self,
        problem: &mut Problem,
        predicates: &mut Predicates,
        thing: Thing,
        rows: Vec<Vec<Item>>,
    ) {
        let number = self.things.len();
        self.things.push(thing);
        let element = |c: CarrierId, i: u32| expr(ExprKind::Element(c, i), Type::Carrier(c));
        for row in rows {
            let said = self.pred(number, &row, &element);
            if let Some(position) = predicates.add_about(&mut problem.system, &said, &[]) {
                self.about.insert(position, (number, row.clone()));
                self.positions.insert((number, row), position);
            }
        }
    }

    /// A bit in B, given what stands for elements.
    pub(super) fn pred(
        &self,
        thing: usize,
        items: &[Item],
        element: &dyn Fn(CarrierId, u32) -> Expr,
    ) -> Pred {
        let item = |item: &Item| match *item {
            Item::Element(c, i) => element(c, i),
            Item::Bool(b) => expr(ExprKind::Bool(b), Type::Bool),
            Item::Int(n) => integer(Int::from(n)),
        };
        match &self.things[thing] {
            Thing::Value(value) => {
                let ty = value.ty.element().unwrap_or(&value.ty);
                let tuple = built(ty, &mut items.iter().map(item));
                match value.ty {
                    Type::Pow(_) => compare(CompareOp::Member, tuple, value.clone()),
                    _ => compare(CompareOp::Equal, value.clone(), tuple),
                }
            }
            Thing::Schema(schema) => {
                let mut names = Replacement::default();
                for (&(local, _), i) in schema.slots.iter().zip(items) {
                    names.locals.insert(local, item(i));
                }
                names.in_pred(&schema.pred)
            }
        }
    }

    /// Returns whether a predicate says something that bits do not.
    pub fn leaves_out(&self, p: &Pred) -> bool {
        let speaks =
            |v: VarId| self.things.iter().any(|t| matches!(t, Thing::Value(e) if e.kind == ExprKind::Var(v)));
        Names::of_pred(p).variables.into_iter().any(|v| !speaks(v))
    }

    /// The subject and the items of a bit; none for other predicates.
    pub(super) fn about(&self, position: usize) -> Option<&(usize, Vec<Item>)> {
        self.about.get(&position)
    }

    /// Position of a bit.
    pub(super) fn position(&self, thing: usize, items: Vec<Item>) -> Option<usize> {
        self.positions.get(&(thing, items)).copied()
    }

    /// The class of an element that may change places with others.
    pub(super) fn class_of(&self, carrier: CarrierId, element: u32) -> Option<&Class> {
        self.class_of.get(&(carrier, element)).map(|&k| &self.classes[k])
    }

    /// Returns how late a literal is to be dropped from a cube. Absence says least, and predicates about elements say
    /// what many bits say.
    pub fn rank(&self, literal: &Literal) -> usize {
        let Some((thing, _)) = self.about(literal.position) else { return 3 };
        match &self.things[*thing] {
            Thing::Schema(_) => 4,
            Thing::Value(value) if matches!(value.kind, ExprKind::Const(_)) => {
                1 + usize::from(literal.positive)
            }
            Thing::Value(_) => 3 * usize::from(literal.positive),
        }
    }

    /// Returns the rest of a cube without one of the elements that may change places with others, for each of them: first
    /// without those of which least is true.
    pub fn without_elements(&self, cube: &Cube) -> Vec<Cube> {
        let has = |l: &Literal, element: (CarrierId, u32)| {
            let items = self.about(l.position).map_or(&[][..], |(_, items)| items);
            items.contains(&Item::Element(element.0, element.1))
        };
        let items =
            cube.literals().iter().filter_map(|l| self.about(l.position)).flat_map(|(_, items)| items);
        let elements: BTreeSet<(CarrierId, u32)> = items
            .filter_map(|item| match *item {
                Item::Element(c, i) if self.class_of(c, i).is_some() => Some((c, i)),
                _ => None,
            })
            .collect();
        let mut found: Vec<(usize, Cube)> = elements
            .into_iter()
            .map(|element| {
                let true_of = cube.literals().iter().filter(|l| l.positive && has(l, element)).count();
                let left = cube.literals().iter().copied().filter(|l| !has(l, element)).collect();
                (true_of, Cube::new(left))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, left)| left).collect()
    }

    /// Images of a cube, at most `most`, of which all literals are true.
    pub fn images(&self, cube: &[Literal], truth: &dyn Fn(usize) -> Option<bool>, most: usize) -> Vec<Cube> {
        let is_true = |l: Literal| truth(l.position) == Some(l.positive);
        let mut matching = Matching::new(self, &is_true, most);
        matching.from(cube);
        matching.found
    }

    /// All images of a cube under the permutations of elements that are listed in the model; none if there are more
    /// than `most`.
    pub(super) fn listed_images(&self, cube: &Cube, most: usize) -> Option<BTreeSet<Cube>> {
        let mut matching = Matching { only_listed: true, ..Matching::new(self, &|_| true, most + 1) };
        matching.from(cube.literals());
        (matching.found.len() <= most).then(|| matching.found.into_iter().collect())
    }

    /// The literals of a cube, each after those with which it shares most elements, as [`images`](Self::images) finds
    /// them fastest.
    pub fn ordered(&self, cube: &Cube) -> Vec<Literal> {
        let elements = |l: &Literal| -> BTreeSet<Item> {
            let items = self.about(l.position).map_or(&[][..], |(_, items)| items);
            items.iter().copied().filter(|i| matches!(i, Item::Element(..))).collect()
        };
        let (mut left, mut ordered) = (cube.literals().to_vec(), vec![]);
        let mut known: BTreeSet<Item> = BTreeSet::new();
        // Few bits are true.
        let key = |l: &Literal, known: &BTreeSet<Item>| (elements(l).difference(known).count(), !l.positive);
        while let Some(at) = (0..left.len()).min_by_key(|&i| key(&left[i], &known)) {
            let literal = left.remove(at);
            known.extend(elements(&literal));
            ordered.push(literal);
        }
        ordered
    }
}

/// The search for images of a cube.
struct Matching<'m> {
    bits: &'m Bits,
    is_true: &'m dyn Fn(Literal) -> bool,
    most: usize,
    /// Elements of deferred sets stay what they are.
    only_listed: bool,
    /// The element that each element of a cube becomes.
    names: Vec<((CarrierId, u32), u32)>,
    image: Vec<Literal>,
    found: Vec<Cube>,
}

impl<'m> Matching<'m> {
    fn new(bits: &'m Bits, is_true: &'m dyn Fn(Literal) -> bool, most: usize) -> Matching<'m> {
        Matching { bits, is_true, most, only_listed: false, names: vec![], image: vec![], found: vec![] }
    }

    fn from(&mut self, rest: &[Literal]) {
        let Some((first, rest)) = rest.split_first() else {
            self.found.push(Cube::new(self.image.clone()));
            return;
        };
        match self.bits.about(first.position) {
            Some((thing, items)) => self.fill((*thing, items), &mut vec![], first.positive, rest),
            None => self.take(*first, rest),
        }
    }

    fn take(&mut self, literal: Literal, rest: &[Literal]) {
        if (self.is_true)(literal) {
            self.image.push(literal);
            self.from(rest);
            self.image.pop();
        }
    }

    fn fill(&mut self, bit: (usize, &Vec<Item>), row: &mut Vec<Item>, positive: bool, rest: &[Literal]) {
        let (thing, items) = bit;
        if self.found.len() >= self.most {
            return;
        }
        let Some(&item) = items.get(row.len()) else {
            if let Some(position) = self.bits.position(thing, row.clone()) {
                self.take(Literal { position, positive }, rest);
            }
            return;
        };
        let class = match item {
            Item::Element(c, i) => self.bits.class_of(c, i).map(|class| (c, i, class)),
            Item::Bool(_) | Item::Int(_) => None,
        };
        let mut with = |matching: &mut Self, item: Item| {
            row.push(item);
            matching.fill(bit, row, positive, rest);
            row.pop();
        };
        let class = class.filter(|(_, _, class)| !(self.only_listed && class.is_deferred));
        let Some((carrier, element, class)) = class else { return with(self, item) };
        if let Some(&(_, known)) = self.names.iter().find(|(old, _)| *old == (carrier, element)) {
            return with(self, Item::Element(carrier, known));
        }
        for &other in &class.elements {
            if self.names.iter().any(|&((c, _), taken)| c == carrier && taken == other) {
                continue;
            }
            self.names.push(((carrier, element), other));
            with(self, Item::Element(carrier, other));
            self.names.pop();
        }
    }
}

/// Collects the types of the places of a tuple. False if some are neither elements nor truth values nor numbers.
fn leaves<'t>(ty: &'t Type, found: &mut Vec<&'t Type>) -> bool {
    match ty {
        Type::Pair(a, b) => leaves(a, found) && leaves(b, found),
        Type::Bool | Type::Carrier(_) | Type::Int => {
            found.push(ty);
            true
        }
        _ => false,
    }
}

/// For each place of a tuple the interval in which its numbers lie, if that is known.
type Intervals = Vec<Option<(i64, i64)>>;

/// Intervals in which the numbers of variables and constants lie, as the invariant and the axioms say.
struct Ranges(Vec<(ExprKind, Intervals)>);

impl Ranges {
    fn of(problem: &Problem, job: &Job) -> Ranges {
        let model = &job.model;
        let evaluator = Evaluator::new(model, &job.scope);
        let determined: Vec<Value> = problem
            .system
            .constants
            .determined
            .iter()
            .map(|v| v.clone().unwrap_or_else(Value::empty))
            .collect();
        let number = |e: &Expr| {
            let constants = Names::of_expr(e).constants;
            let is_known = |c: &ConstId| problem.system.constants.determined[c.index()].is_some();
            if !Names::of_expr(e).variables.is_empty() || !constants.iter().all(is_known) {
                return None;
            }
            match evaluator.expr(&Env::new(&determined, &[]), e) {
                Ok(Value::Int(n)) => n.to_i64(),
                _ => None,
            }
        };
        let mut ranges = Ranges(vec![]);
        let axioms = model.axioms.iter().map(|a| &a.pred);
        for p in model.invariant.iter().map(|c| &c.pred).chain(axioms) {
            for p in bsym_language::walk::conjuncts(p) {
                let PredKind::Compare(op, value, set) = &p.kind else { continue };
                if !matches!(value.kind, ExprKind::Var(_) | ExprKind::Const(_)) {
                    continue;
                }
                let mut found = vec![];
                match op {
                    CompareOp::Member if value.ty.element().is_some() => of_sets(set, &number, &mut found),
                    CompareOp::Member | CompareOp::Subset => of_set(set, &number, &mut found),
                    _ => continue,
                }
                if found.iter().any(Option::is_some) {
                    ranges.0.push((value.kind.clone(), found));
                }
            }
        }
        ranges
    }

    fn of_place(&self, value: &Expr, place: usize) -> Option<(i64, i64)> {
        let known = self.0.iter().filter(|(kind, _)| *kind == value.kind);
        let (low, high) = known.filter_map(|(_, all)| all.get(place).copied().flatten()).next()?;
        (low <= high && high - low < tuning().bits.numbers).then_some((low, high))
    }
}

/// Collects the intervals of the places of the members of a set.
fn of_set(set: &Expr, number: &dyn Fn(&Expr) -> Option<i64>, found: &mut Intervals) {
    match &set.kind {
        ExprKind::Binary(BinaryOp::Interval, a, b) => found.push(number(a).zip(number(b))),
        ExprKind::Binary(BinaryOp::Cartesian, a, b) => {
            of_set(a, number, found);
            of_set(b, number, found);
        }
        _ => {
            let mut places = vec![];
            if set.ty.element().is_some_and(|ty| leaves(ty, &mut places)) {
                found.extend(places.iter().map(|_| None));
            }
        }
    }
}

/// Collects those of the members of the members of a set of sets: `POW(A)`, `A <-> B`, functions.
fn of_sets(set: &Expr, number: &dyn Fn(&Expr) -> Option<i64>, found: &mut Intervals) {
    match &set.kind {
        ExprKind::Unary(UnaryOp::Pow, of) => of_set(of, number, found),
        ExprKind::Binary(_, a, b) if set.ty.element().and_then(Type::as_relation).is_some() => {
            of_set(a, number, found);
            of_set(b, number, found);
        }
        _ => {}
    }
}
