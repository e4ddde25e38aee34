//! The domain of diagrams: a state is what is true of the elements of the deferred sets in it, however large these are.
//!
//! The solver's model is a finite structure. Its diagram says that there are so many different elements, and of each of
//! them which sets it is in, what functions and relations say of it, which variables and constants it is the value of.
//! A state has a diagram in it if it has such elements among its own, and to block it is a lemma with universal
//! quantifiers, true for sets of any size (Karbyshev, Bjørner, Itzhaky, Rinetzky, Shoham: *Property-directed inference
//! of universal invariants or proving their absence*, J. ACM 2017). Elements are named by the locals of
//! [`binders`], which are free in the atoms and bound in the lemma. Of integers a diagram
//! says the predicates of the model.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use bsym_encodings::session::evaluate::{Assignment, evaluate_each};
use bsym_encodings::session::{self, SolverError, TermValue};
use bsym_encodings::term::{Sort, SymbolId, Term};
use bsym_language::model::*;
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::Names;

use super::{Admit, Domain};
use crate::ic3::abstract_path::Goal;
use crate::invariants::binders;
use crate::invariants::cube::{Cube, Literal};
use crate::invariants::predicate::{Predicates, built, compare, expr, variable, variables};
use crate::options::Job;
use crate::problem::Problem;
use crate::tuning::tuning;

/// Diagrams of the states of one model.
#[derive(Debug)]
pub struct Diagrams {
    sets: Vec<OpenSet>,
    sorts: Vec<Sort>,
    /// Variables and constants that diagrams speak of.
    things: Vec<Expr>,
    /// Positions of atoms among the predicates, by what they speak of and of which elements; none for what has no term.
    atoms: HashMap<(usize, Vec<Item>), Option<usize>>,
    /// The other way round.
    about: HashMap<usize, (usize, Vec<Item>)>,
}

/// A deferred set without a size.
#[derive(Debug)]
struct OpenSet {
    set: CarrierId,
    sort: Sort,
    /// Names for its elements, each with the term that it is free in atoms as.
    elements: Vec<(LocalId, Term)>,
}

/// Item in a place of an atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Item {
    /// An element of an open set, by the positions of the set and of its name.
    Element(usize, usize),
    /// An element of an enumerated set.
    Named(CarrierId, u32),
    /// A truth value.
    Bool(bool),
}

/// Stands for a thing where an atom is the equality of two elements.
const EQUALITY: usize = usize::MAX;

/// Stands for a thing where an atom is a predicate in which no elements are free; its position stands in an item.
const NO_ELEMENTS: usize = usize::MAX - 1;

impl Diagrams {
    /// Diagrams, if some variable speaks of elements of deferred sets without a size and there are names for these.
    pub fn of(problem: &Problem, job: &Job) -> Option<Diagrams> {
        let terms = problem.terms();
        let mut sets = vec![];
        for (set, sort) in problem.system.open_carriers() {
            let names = binders::of(&job.model, set);
            if names.is_empty() {
                return None;
            }
            let named = |l: LocalId| {
                let name = format!("element {}", job.model.locals[l.index()].name);
                (l, terms.rigid(&name, sort))
            };
            sets.push(OpenSet { set, sort, elements: names.into_iter().map(named).collect() });
        }
        let sorts = sets.iter().map(|s| s.sort).collect();
        let mut diagrams =
            Diagrams { sets, sorts, things: vec![], atoms: HashMap::new(), about: HashMap::new() };
        diagrams.things = variables(&job.model)
            .map(|v| variable(&job.model, v))
            .filter(|e| diagrams.places(&job.model, &e.ty).is_some())
            .collect();
        let speaks = diagrams.things.iter().any(|e| diagrams.mentions_open_set(&e.ty));
        for (c, constant) in job.model.constants.iter().enumerate() {
            let determined = problem.system.constants.determined.get(c).is_some_and(Option::is_some);
            let constant = expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone());
            if !determined && diagrams.places(&job.model, &constant.ty).is_some() {
                diagrams.things.push(constant);
            }
        }
        speaks.then_some(diagrams)
    }

    /// Returns whether a predicate says something that diagrams do not.
    pub fn leaves_out(&self, p: &Pred) -> bool {
        let speaks = |v: VarId| self.things.iter().any(|e| e.kind == ExprKind::Var(v));
        Names::of_pred(p).variables.into_iter().any(|v| !speaks(v))
    }

    /// The terms that the elements are free in atoms as.
    fn free(&self) -> Vec<(LocalId, Term)> {
        self.sets.iter().flat_map(|s| s.elements.iter().copied()).collect()
    }

    fn mentions_open_set(&self, ty: &Type) -> bool {
        match ty {
            Type::Carrier(c) => self.sets.iter().any(|s| s.set == *c),
            Type::Pow(t) => self.mentions_open_set(t),
            Type::Pair(a, b) => self.mentions_open_set(a) || self.mentions_open_set(b),
            _ => false,
        }
    }

    /// The types of the places in an atom about a value of this type; none if diagrams do not speak of such values.
    fn places<'t>(&self, model: &Model, ty: &'t Type) -> Option<Vec<&'t Type>> {
        let ty = ty.element().unwrap_or(ty);
        let mut places = vec![];
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match ty {
                Type::Pair(a, b) => open.extend([&**b, &**a]),
                Type::Bool => places.push(ty),
                Type::Carrier(c) => {
                    let named = match &model.types.carriers[c.index()].kind {
                        CarrierKind::Enumerated(names) => names.len() <= tuning().diagrams.named,
                        CarrierKind::Deferred => self.sets.iter().any(|s| s.set == *c),
                    };
                    if !named {
                        return None;
                    }
                    places.push(ty);
                }
                _ => return None,
            }
        }
        Some(places)
    }

    /// Returns all items that can stand in a place, with `sizes` elements of the open sets.
    fn items(&self, model: &Model, ty: &Type, sizes: &[usize]) -> Vec<Item> {
        match ty {
            Type::Bool => vec![Item::Bool(true), Item::Bool(false)],
            Type::Carrier(c) => match &model.types.carriers[c.index()].kind {
                CarrierKind::Enumerated(names) => {
                    (0..names.len() as u32).map(|i| Item::Named(*c, i)).collect()
                }
                CarrierKind::Deferred => {
                    let set = self.sets.iter().position(|s| s.set == *c);
                    set.map_or_else(Vec::new, |s| (0..sizes[s]).map(|i| Item::Element(s, i)).collect())
                }
            },
            _ => vec![],
        }
    }

    /// Returns all atoms about `sizes` elements of the open sets, as far as they have terms: their positions among the
    /// predicates.
    fn atoms(&mut self, problem: &mut Problem, predicates: &mut Predicates, sizes: &[usize]) -> Vec<usize> {
        let model = problem.system.model.clone();
        let mut found = vec![];
        for (s, &size) in sizes.iter().enumerate() {
            for i in 0..size {
                for j in i + 1..size {
                    let items = vec![Item::Element(s, i), Item::Element(s, j)];
                    found.extend(self.atom(problem, predicates, EQUALITY, items));
                }
            }
        }
        for thing in 0..self.things.len() {
            let ty = self.things[thing].ty.clone();
            let mut rows: Vec<Vec<Item>> = vec![vec![]];
            for place in self.places(&model, &ty).unwrap_or_default() {
                let mut items = self.items(&model, place, sizes);
                if ty == Type::Bool {
                    // One of the two says all.
                    items.truncate(1);
                }
                rows = rows
                    .iter()
                    .flat_map(|row| items.iter().map(|&i| [row.as_slice(), &[i]].concat()))
                    .take(tuning().diagrams.atoms)
                    .collect();
            }
            for row in rows {
                if found.len() < tuning().diagrams.atoms {
                    found.extend(self.atom(problem, predicates, thing, row));
                }
            }
        }
        found
    }

    fn atom(
        &mut self,
        problem: &mut Problem,
        predicates: &mut Predicates,
        thing: usize,
        items: Vec<Item>,
    ) -> Option<usize> {
        if let Some(&known) = self.atoms.get(&(thing, items.clone())) {
            return known;
        }
        let made = self.pred(thing, &items);
        let position = predicates.add_about(&mut problem.system, &made, &self.free());
        if let Some(position) = position {
            self.about.insert(position, (thing, items.clone()));
        }
        self.atoms.insert((thing, items), position);
        position
    }

    /// Returns whether some literals are among those of a cube once their elements are renamed, each to one of its own.
    fn embeds(
        &self,
        literals: &[Literal],
        within: &Cube,
        names: &mut BTreeMap<(usize, usize), (usize, usize)>,
    ) -> bool {
        let Some((first, rest)) = literals.split_first() else { return true };
        let Some((thing, items)) = self.about.get(&first.position) else {
            return within.literals().binary_search(first).is_ok() && self.embeds(rest, within, names);
        };
        for candidate in within.literals().iter().filter(|l| l.positive == first.positive) {
            let Some((other, others)) = self.about.get(&candidate.position).filter(|(o, _)| o == thing)
            else {
                continue;
            };
            let swapped = [others.iter().rev().copied().collect::<Vec<Item>>()];
            let orders = std::iter::once(others).chain(swapped.iter().filter(|_| *other == EQUALITY));
            for order in orders {
                let mut tried = names.clone();
                if items.iter().zip(order).all(|(a, b)| matches_item(*a, *b, &mut tried))
                    && self.embeds(rest, within, &mut tried)
                {
                    *names = tried;
                    return true;
                }
            }
        }
        false
    }

    fn pred(&self, thing: usize, items: &[Item]) -> Pred {
        let item = |i: &Item| match *i {
            Item::Element(s, i) => {
                expr(ExprKind::Local(self.sets[s].elements[i].0), Type::Carrier(self.sets[s].set))
            }
            Item::Named(c, i) => expr(ExprKind::Element(c, i), Type::Carrier(c)),
            Item::Bool(b) => expr(ExprKind::Bool(b), Type::Bool),
        };
        let mut all = items.iter().map(item);
        if thing == EQUALITY {
            let (a, b) = (all.next(), all.next());
            return match (a, b) {
                (Some(a), Some(b)) => compare(CompareOp::Equal, a, b),
                _ => unreachable!("an equality is between two"),
            };
        }
        let thing = self.things[thing].clone();
        let ty = thing.ty.element().unwrap_or(&thing.ty);
        let value = built(ty, &mut all);
        match thing.ty {
            Type::Pow(_) => compare(CompareOp::Member, value, thing),
            _ => compare(CompareOp::Equal, thing, value),
        }
    }
}

/// Returns whether one item is the other once elements are renamed, each to one of its own.
fn matches_item(a: Item, b: Item, names: &mut BTreeMap<(usize, usize), (usize, usize)>) -> bool {
    match (a, b) {
        (Item::Element(s, i), Item::Element(t, j)) => {
            if let Some(&known) = names.get(&(s, i)) {
                return known == (t, j);
            }
            let taken = names.values().any(|&n| n == (t, j));
            s == t && !taken && names.insert((s, i), (t, j)).is_none()
        }
        _ => a == b,
    }
}

/// All orders of some things.
fn orders(all: &[usize]) -> Vec<Vec<usize>> {
    if all.is_empty() {
        return vec![vec![]];
    }
    let mut found = vec![];
    for (i, &first) in all.iter().enumerate() {
        let rest = [&all[..i], &all[i + 1..]].concat();
        found.extend(orders(&rest).into_iter().map(|order| [&[first], &order[..]].concat()));
    }
    found
}

impl Domain for Diagrams {
    fn name(&self) -> &'static str {
        "diagrams"
    }

    fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    fn abstracted(
        &mut self,
        problem: &mut Problem,
        predicates: &mut Predicates,
        model: &mut session::Model<'_>,
    ) -> Result<Cube, SolverError> {
        let terms = problem.terms();
        let mut values = Assignment::default();
        let mut sizes = vec![];
        for open in &self.sets {
            let universe = model.universe(open.sort)?;
            let named = open.elements.iter().zip(universe);
            let named: Vec<(SymbolId, TermValue)> =
                named.filter_map(|((_, t), value)| Some((terms.as_symbol(*t)?, value))).collect();
            sizes.push(named.len());
            values.extend(named);
        }
        let mut positions = self.atoms(problem, predicates, &sizes);
        // Predicates without elements are about integers.
        positions.extend((0..predicates.len()).filter(|&i| predicates.all()[i].elements.is_empty()));
        positions.sort_unstable();
        positions.dedup();
        let here: Vec<Term> =
            positions.iter().map(|&i| problem.unrolling.state(predicates.all()[i].term, 0)).collect();
        for (carrier, _) in problem.system.whole_carriers() {
            if let Some(id) = terms.as_symbol(carrier) {
                let whole = TermValue::Array { default: Box::new(TermValue::Bool(true)), entries: vec![] };
                values.insert(id, whole);
            }
        }
        for symbol in terms.symbols(&here) {
            if let Entry::Vacant(place) = values.entry(symbol) {
                place.insert(model.value(terms.symbol_term(symbol))?);
            }
        }
        let said = evaluate_each(&terms, &here, values);
        let literals = positions.iter().zip(said).filter_map(|(&position, value)| match value {
            Some(TermValue::Bool(positive)) => Some(Literal { position, positive }),
            _ => None,
        });
        Ok(Cube::new(literals.collect()))
    }

    /// The elements of the larger one are found among those of the smaller one.
    fn subsumes(&self, larger: &Cube, smaller: &Cube) -> bool {
        larger.subsumes(smaller) || self.embeds(larger.literals(), smaller, &mut BTreeMap::new())
    }

    /// Which element has which name does not matter: of the orders in which they can be named the one is taken with the
    /// least atoms.
    fn canonical(&mut self, problem: &mut Problem, predicates: &mut Predicates, cube: Cube) -> Cube {
        let mut literals = vec![];
        for l in cube.literals() {
            match self.about.get(&l.position) {
                Some((thing, items)) => literals.push((*thing, items.clone(), l.positive)),
                None => literals.push((NO_ELEMENTS, vec![Item::Element(l.position, 0)], l.positive)),
            }
        }
        let used = |s: usize| -> Vec<usize> {
            let of_set = literals.iter().filter(|l| l.0 != NO_ELEMENTS).flat_map(|l| &l.1);
            let all: BTreeSet<usize> = of_set
                .filter_map(|i| match i {
                    Item::Element(set, i) if *set == s => Some(*i),
                    _ => None,
                })
                .collect();
            all.into_iter().collect()
        };
        let mut renamings: Vec<Vec<Vec<usize>>> = vec![vec![]];
        for s in 0..self.sets.len() {
            let orders = orders(&used(s));
            if renamings.len() * orders.len() > tuning().diagrams.orders {
                return cube;
            }
            renamings = renamings
                .iter()
                .flat_map(|r| orders.iter().map(|o| [&r[..], std::slice::from_ref(o)].concat()))
                .collect();
        }
        let renamed = |order: &Vec<Vec<usize>>| {
            let item = |i: &Item| match *i {
                Item::Element(s, i) => Item::Element(s, order[s].iter().position(|&x| x == i).unwrap_or(i)),
                other => other,
            };
            let literal = |(thing, items, positive): &(usize, Vec<Item>, bool)| {
                if *thing == NO_ELEMENTS {
                    return (*thing, items.clone(), *positive);
                }
                let mut items: Vec<Item> = items.iter().map(item).collect();
                if *thing == EQUALITY {
                    items.sort();
                }
                (*thing, items, *positive)
            };
            let mut all: Vec<_> = literals.iter().map(literal).collect();
            all.sort();
            all
        };
        let Some(least) = renamings.iter().map(renamed).min() else { return cube };
        let mut found = vec![];
        for (thing, items, positive) in least {
            let position = match (thing, &items[..]) {
                (NO_ELEMENTS, [Item::Element(position, _)]) => Some(*position),
                _ => self.atom(problem, predicates, thing, items),
            };
            match position {
                Some(position) => found.push(Literal { position, positive }),
                None => return cube,
            }
        }
        Cube::new(found)
    }

    fn refine(
        &mut self,
        _: &mut Problem,
        _: &Job,
        _: &mut Predicates,
        _: &[Goal],
        _: &mut Admit<'_>,
    ) -> Result<bool, SolverError> {
        Ok(false)
    }

    fn exhausted(&self) -> &'static str {
        "no invariant with universal quantifiers excludes the abstract counterexample"
    }
}
