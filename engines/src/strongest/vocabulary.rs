//! The vocabulary: atoms about elements of deferred sets of any size.
//!
//! Plain atoms say of a variable or constant which elements are in it or which value it has for one; the elements may
//! also be those that a variable or constant is, or that a function of one argument has. [`derived`](super::derived)
//! atoms have quantifiers.

use bsym_encodings::term::{Sort, Term, Terms};
use bsym_language::model::same::same_pred;
use bsym_language::model::*;
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::{Names, Visitor, walk_pred};
use bsym_semantics::scope::Scope;

use crate::excluded::Excluded;
use crate::invariants::binders;
use crate::invariants::bits::Schema;
use crate::invariants::predicate::{built, compare, expr, size, variable, variables};
use crate::invariants::seeds::seeds;
use crate::options::Job;
use crate::problem::Problem;
use crate::tuning::tuning;

/// A deferred set without a size.
#[derive(Clone, Debug)]
pub(crate) struct OpenSet {
    pub set: CarrierId,
    pub sort: Sort,
    /// Names for its elements.
    pub names: Vec<LocalId>,
}

/// A predicate about some elements.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub pred: Pred,
    /// The names that are free in it, each a different one.
    pub slots: Vec<LocalId>,
    /// Positions of the sets that they are elements of.
    pub sorts: Vec<usize>,
    /// It speaks of variables; else only of constants.
    pub is_about_state: bool,
}

impl Atom {
    /// Returns whether it says that two elements are equal.
    pub fn is_equality(&self) -> bool {
        let PredKind::Compare(CompareOp::Equal, a, b) = &self.pred.kind else { return false };
        matches!((&a.kind, &b.kind), (ExprKind::Local(_), ExprKind::Local(_)))
    }
}

/// Atoms, and the sets whose elements they are about.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    pub sets: Vec<OpenSet>,
    pub atoms: Vec<Atom>,
}

impl Vocabulary {
    /// The predicates with quantifiers that conditions, provenance and properties of a model suggest, whatever sizes its
    /// deferred sets have.
    pub fn suggested(job: &Job) -> Vec<Schema> {
        let scope = Scope { sizes: Default::default(), ..job.scope.clone() };
        let job = Job { scope, ..job.clone() };
        let mut problem = Problem::plain(&job, &Excluded::default());
        let Some(mut vocabulary) = Vocabulary::plain(&mut problem, &job) else { return vec![] };
        vocabulary.add_suggested(&mut problem, &job);
        vocabulary.schemas()
    }

    /// The vocabulary of a model without derived atoms; none if there are no deferred sets without a size.
    pub fn plain(problem: &mut Problem, job: &Job) -> Option<Vocabulary> {
        let mut sets = vec![];
        for (set, sort) in problem.system.open_carriers() {
            let names = binders::of(&job.model, set);
            if names.is_empty() {
                return None;
            }
            sets.push(OpenSet { set, sort, names });
        }
        if sets.is_empty() {
            return None;
        }
        let mut vocabulary = Vocabulary { sets, atoms: vec![] };
        vocabulary.add_plain(problem, &job.model);
        Some(vocabulary)
    }

    /// Number of names for each open set: the first for those of which an atom about variables has two, or that no other
    /// is.
    pub fn counts(&self, [often, once]: [usize; 2]) -> Vec<usize> {
        let repeats = |s: usize| {
            let twice = |a: &Atom| a.is_about_state && a.sorts.iter().filter(|&&x| x == s).count() > 1;
            self.sets.len() == 1 || self.atoms.iter().any(twice)
        };
        (0..self.sets.len()).map(|s| if repeats(s) { often } else { once }).collect()
    }

    /// The atoms with quantifiers: what bits alone do not say in one literal.
    pub fn schemas(&self) -> Vec<Schema> {
        let quantified = self.atoms.iter().filter(|a| a.is_about_state && has_quantifiers(&a.pred));
        let slots = |a: &Atom| {
            let sets = a.sorts.iter().map(|&s| self.sets[s].set);
            a.slots.iter().copied().zip(sets).collect()
        };
        quantified.map(|a| Schema { pred: a.pred.clone(), slots: slots(a) }).collect()
    }

    /// Position of an open set.
    pub fn position(&self, ty: &Type) -> Option<usize> {
        let Type::Carrier(c) = ty else { return None };
        self.sets.iter().position(|s| s.set == *c)
    }

    /// Adds an atom unless it has no meaning in some state, or is there already. Returns whether it was added.
    pub fn add(&mut self, problem: &mut Problem, model: &Model, pred: Pred) -> bool {
        let free = Names::of_pred(&pred).locals;
        let mut slots = vec![];
        let mut sorts = vec![];
        for local in free {
            let Some(s) = self.position(&model.locals[local.index()].ty) else { return false };
            if !self.sets[s].names.contains(&local) {
                return false;
            }
            slots.push(local);
            sorts.push(s);
        }
        if slots.len() > tuning().strongest.slots || self.atoms.iter().any(|a| same_pred(&a.pred, &pred)) {
            return false;
        }
        let terms = problem.terms();
        let bound: Vec<(LocalId, Term)> = slots
            .iter()
            .zip(&sorts)
            .enumerate()
            .map(|(i, (&l, &s))| (l, terms.rigid(&format!("slot {i} of {s}"), self.sets[s].sort)))
            .collect();
        let Ok(encoded) = problem.system.predicate_about(&pred, &bound) else { return false };
        if encoded.defined != Terms::TRUE || encoded.holds == Terms::TRUE || encoded.holds == Terms::FALSE {
            return false;
        }
        let is_about_state = !Names::of_pred(&pred).variables.is_empty();
        self.atoms.push(Atom { pred, slots, sorts, is_about_state });
        true
    }

    fn add_plain(&mut self, problem: &mut Problem, model: &Model) {
        let mut things: Vec<Expr> = variables(model).map(|v| variable(model, v)).collect();
        for (c, constant) in model.constants.iter().enumerate() {
            if !problem.system.constants.determined.get(c).is_some_and(Option::is_some) {
                things.push(expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone()));
            }
        }
        for s in 0..self.sets.len() {
            let (a, b) = (self.name(model, s, 0), self.name(model, s, 1));
            let equal = compare(CompareOp::Equal, a, b);
            self.add(problem, model, equal);
        }
        let functions: Vec<Expr> =
            things.iter().filter(|f| self.is_function(problem, model, f)).cloned().collect();
        for thing in &things {
            let is_function = functions.iter().any(|f| f.kind == thing.kind);
            for pred in self.about(model, thing, &things, &functions, is_function) {
                self.add(problem, model, pred);
            }
        }
        for seed in seeds(model) {
            // Truths about whole sets, and those about numbers.
            if Names::of_pred(&seed).locals.is_empty() && size(&seed) <= tuning().strongest.seed {
                self.add(problem, model, seed);
            }
        }
    }

    /// A name of an element of an open set.
    pub fn name(&self, model: &Model, set: usize, number: usize) -> Expr {
        let local = self.sets[set].names[number];
        expr(ExprKind::Local(local), model.locals[local.index()].ty.clone())
    }

    /// Returns whether a relation has exactly one value for each argument, which is an element of an open set.
    fn is_function(&self, problem: &mut Problem, model: &Model, thing: &Expr) -> bool {
        let Some((from, to)) = thing.ty.as_relation() else { return false };
        let Some(argument) = self.position(from) else { return false };
        let value = applied(thing, self.name(model, argument, 0), to);
        let terms = problem.terms();
        let slot = (
            self.sets[argument].names[0],
            terms.rigid(&format!("slot 0 of {argument}"), self.sets[argument].sort),
        );
        let same = compare(CompareOp::Equal, value.clone(), value);
        problem.system.predicate_about(&same, &[slot]).is_ok_and(|p| p.defined == Terms::TRUE)
    }

    /// The plain atoms about a variable or constant.
    fn about(
        &self,
        model: &Model,
        thing: &Expr,
        things: &[Expr],
        functions: &[Expr],
        is_function: bool,
    ) -> Vec<Pred> {
        let Some(places) = places(&thing.ty) else { return vec![] };
        let mut rows: Vec<(Vec<Expr>, Vec<usize>)> = vec![(vec![], vec![0; self.sets.len()])];
        for ty in &places {
            let mut longer = vec![];
            for (row, used) in &rows {
                for (item, of) in self.items(model, ty, used, things, functions) {
                    let mut used = used.clone();
                    if let Some(s) = of {
                        used[s] += 1;
                    }
                    let mut row = row.clone();
                    row.push(item);
                    longer.push((row, used));
                }
            }
            longer.truncate(tuning().strongest.rows);
            rows = longer;
        }
        let mut found = vec![];
        for (row, _) in rows {
            let mut parts = row.into_iter();
            let atom = match &thing.ty {
                Type::Pow(element) if is_function => {
                    let Type::Pair(from, to) = &**element else { continue };
                    let argument = built(from, &mut parts);
                    compare(CompareOp::Equal, applied(thing, argument, to), built(to, &mut parts))
                }
                Type::Pow(element) => compare(CompareOp::Member, built(element, &mut parts), thing.clone()),
                ty => {
                    let value = built(ty, &mut parts);
                    if value.kind == thing.kind {
                        continue;
                    }
                    compare(CompareOp::Equal, thing.clone(), value)
                }
            };
            found.push(atom);
        }
        found
    }

    /// What may stand in a place, with the open set of which it uses a further name.
    fn items(
        &self,
        model: &Model,
        ty: &Type,
        used: &[usize],
        things: &[Expr],
        functions: &[Expr],
    ) -> Vec<(Expr, Option<usize>)> {
        match ty {
            Type::Bool => vec![(expr(ExprKind::Bool(true), Type::Bool), None)],
            Type::Carrier(c) => {
                if let CarrierKind::Enumerated(names) = &model.types.carriers[c.index()].kind {
                    let all = 0..names.len().min(tuning().strongest.named) as u32;
                    return all.map(|i| (expr(ExprKind::Element(*c, i), ty.clone()), None)).collect();
                }
                let Some(s) = self.position(ty) else { return vec![] };
                let mut found = vec![];
                if used[s] < self.sets[s].names.len() {
                    found.push((self.name(model, s, used[s]), Some(s)));
                }
                found.extend(things.iter().filter(|t| t.ty == *ty).map(|t| (t.clone(), None)));
                for f in functions {
                    let Some((from, to)) = f.ty.as_relation() else { continue };
                    let Some(a) = self.position(from).filter(|_| to == ty) else { continue };
                    if used[a] < self.sets[a].names.len() {
                        found.push((applied(f, self.name(model, a, used[a]), to), Some(a)));
                    }
                }
                found
            }
            _ => vec![],
        }
    }
}

/// The types of the places of an element of a set, or of a value.
pub(super) fn places(ty: &Type) -> Option<Vec<Type>> {
    let ty = ty.element().unwrap_or(ty);
    let mut places = vec![];
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match ty {
            Type::Pair(a, b) => open.extend([&**b, &**a]),
            Type::Bool | Type::Carrier(_) => places.push(ty.clone()),
            _ => return None,
        }
    }
    Some(places)
}

fn has_quantifiers(p: &Pred) -> bool {
    struct Found(bool);
    impl Visitor for Found {
        fn pred(&mut self, p: &Pred) {
            self.0 |= matches!(p.kind, PredKind::Forall(..) | PredKind::Exists(..));
            walk_pred(self, p);
        }
    }
    let mut found = Found(false);
    found.pred(p);
    found.0
}

/// `f(x)`.
fn applied(f: &Expr, argument: Expr, to: &Type) -> Expr {
    expr(ExprKind::Apply(Box::new(f.clone()), Box::new(argument)), to.clone())
}
