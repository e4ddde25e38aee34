//! Derived atoms: formulas with quantifiers that a model suggests.
//!
//! - Conditions of events and the quantified parts of what is asked, about any elements in place of parameters and bound
//!   names. A clause says of another relation what is asked of one.
//! - Provenance: an element is in a set that an event adds to, so the condition of the event was true of it, and still is
//!   if what it demands is only ever added to. Parameters that the element does not determine are quantified.
//! - Some element is related to these, or by two relations.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, Replacement, conjuncts, parts};

use super::vocabulary::{Vocabulary, places};
use crate::invariants::predicate::{built, compare, expr, pred, variable, variables};
use crate::options::Job;
use crate::problem::Problem;
use crate::tuning::tuning;
use bsym_proofs::claim::Property;

impl Vocabulary {
    /// Adds the atoms that conditions, provenance and the properties asked suggest.
    pub fn add_suggested(&mut self, problem: &mut Problem, job: &Job) {
        let model = &job.model;
        let mut found = vec![];
        for property in &job.properties {
            match property {
                Property::Invariant(i) => quantified(&model.invariant[*i].pred, &mut found),
                Property::Assertion(i) => quantified(&model.assertions[*i].pred, &mut found),
                Property::NoGoal | Property::DeadlockFree => {}
            }
        }
        let mut guards = vec![];
        for event in &model.events {
            let mut origin = Origin { parameters: &event.parameters, found: vec![] };
            origin.body(&event.body, &mut vec![]);
            guards.extend(origin.found);
            for part in all_parts(&event.body) {
                for condition in conditions(part) {
                    guards.extend(conjuncts(condition).into_iter().cloned());
                    quantified(condition, &mut guards);
                }
            }
        }
        found.extend(guards);
        for pred in found {
            if let Some(named) = self.with_names(model, &pred) {
                self.add(problem, model, named);
            }
        }
    }

    /// Adds atoms that say that some element is related to others.
    pub fn add_joins(&mut self, problem: &mut Problem, job: &Job) {
        let model = &job.model;
        let related = |ty: &Type| matches!(ty, Type::Pow(_));
        let of_state: Vec<Expr> =
            variables(model).map(|v| variable(model, v)).filter(|e| related(&e.ty)).collect();
        let constants = model
            .constants
            .iter()
            .enumerate()
            .map(|(c, constant)| expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone()));
        let all: Vec<Expr> = of_state.iter().cloned().chain(constants.filter(|e| related(&e.ty))).collect();
        let mut found = vec![];
        for r in &of_state {
            let Some(of_r) = self.open_places(&r.ty) else { continue };
            for i in 0..of_r.len() {
                found.extend(self.some(model, &[(r, &of_r)], of_r[i], &[i]));
            }
            if of_r.len() > 1 {
                found.extend(self.nonempty(model, r, &of_r));
            }
            for s in all.iter().filter(|s| s.kind != r.kind) {
                let Some(of_s) = self.open_places(&s.ty) else { continue };
                for i in 0..of_r.len() {
                    for j in (0..of_s.len()).filter(|&j| of_s[j] == of_r[i]) {
                        found.extend(self.some(model, &[(r, &of_r), (s, &of_s)], of_r[i], &[i, j]));
                    }
                }
            }
        }
        for pred in found {
            if self.atoms.len() >= tuning().strongest.atoms {
                break;
            }
            self.add(problem, model, pred);
        }
    }

    /// The open sets of the places of a relation, if all places have one.
    fn open_places(&self, ty: &Type) -> Option<Vec<usize>> {
        places(ty)?.iter().map(|place| self.position(place)).collect()
    }

    /// `#x.(x : S & …)`, where x stands in one place of each relation and different names in the others.
    fn some(
        &self,
        model: &Model,
        relations: &[(&Expr, &Vec<usize>)],
        set: usize,
        at: &[usize],
    ) -> Option<Pred> {
        let bound = *self.sets[set].names.last()?;
        let x = expr(ExprKind::Local(bound), model.locals[bound.index()].ty.clone());
        let mut used = vec![0; self.sets.len()];
        let mut all = vec![self.member(&x, set)];
        for ((relation, sorts), &at) in relations.iter().zip(at) {
            let mut row = vec![];
            for (place, &s) in sorts.iter().enumerate() {
                if place == at {
                    row.push(x.clone());
                    continue;
                }
                if used[s] + 1 >= self.sets[s].names.len() {
                    return None;
                }
                row.push(self.name(model, s, used[s]));
                used[s] += 1;
            }
            let element = relation.ty.element()?;
            all.push(compare(CompareOp::Member, built(element, &mut row.into_iter()), (*relation).clone()));
        }
        Some(pred(PredKind::Exists(vec![bound], Box::new(pred(PredKind::And(all))))))
    }

    fn nonempty(&self, model: &Model, relation: &Expr, sorts: &[usize]) -> Option<Pred> {
        let mut used = vec![0; self.sets.len()];
        let (mut bound, mut all, mut row) = (vec![], vec![], vec![]);
        for &s in sorts {
            let local = *self.sets[s].names.iter().rev().nth(used[s])?;
            used[s] += 1;
            let x = expr(ExprKind::Local(local), model.locals[local.index()].ty.clone());
            bound.push(local);
            all.push(self.member(&x, s));
            row.push(x);
        }
        let element = relation.ty.element()?;
        all.push(compare(CompareOp::Member, built(element, &mut row.into_iter()), relation.clone()));
        Some(pred(PredKind::Exists(bound, Box::new(pred(PredKind::And(all))))))
    }

    fn member(&self, x: &Expr, set: usize) -> Pred {
        let whole = expr(ExprKind::Carrier(self.sets[set].set), Type::pow(x.ty.clone()));
        compare(CompareOp::Member, x.clone(), whole)
    }

    /// The predicate with names of elements in the place of its free names, if all of them are elements of open sets.
    fn with_names(&self, model: &Model, p: &Pred) -> Option<Pred> {
        let mut used = vec![0; self.sets.len()];
        let mut names = Replacement::default();
        for local in Names::of_pred(p).locals {
            let s = self.position(&model.locals[local.index()].ty)?;
            // The last ones are bound in other atoms.
            if used[s] + 2 >= self.sets[s].names.len() {
                return None;
            }
            names.locals.insert(local, self.name(model, s, used[s]));
            used[s] += 1;
        }
        Some(names.in_pred(p))
    }
}

/// The quantified parts of a predicate, and what is under the quantifiers.
fn quantified(p: &Pred, found: &mut Vec<Pred>) {
    match &p.kind {
        PredKind::And(all) | PredKind::Or(all) => all.iter().for_each(|q| quantified(q, found)),
        PredKind::Implies(a, b) | PredKind::Iff(a, b) => {
            quantified(a, found);
            quantified(b, found);
        }
        PredKind::Not(a) => quantified(a, found),
        PredKind::Forall(_, body) | PredKind::Exists(_, body) => {
            found.push(p.clone());
            quantified(body, found);
        }
        PredKind::Compare(..) => found.push(p.clone()),
        _ => {}
    }
}

/// All substitutions in one.
fn all_parts(s: &Subst) -> Vec<&Subst> {
    let mut found = vec![s];
    for part in parts(s) {
        found.extend(all_parts(part));
    }
    found
}

/// The conditions at the outermost place of a substitution.
fn conditions(s: &Subst) -> Vec<&Pred> {
    match &s.kind {
        SubstKind::Select { branches, .. } => branches.iter().map(|b| &b.0).collect(),
        SubstKind::If(branches, _) => branches.iter().map(|b| &b.0).collect(),
        SubstKind::Any(_, _, p, _) => vec![p],
        _ => vec![],
    }
}

/// What is true of the elements that an event adds.
struct Origin<'e> {
    parameters: &'e [LocalId],
    found: Vec<Pred>,
}

impl Origin<'_> {
    fn body<'s>(&mut self, s: &'s Subst, under: &mut Vec<(&'s [LocalId], &'s Pred)>) {
        match &s.kind {
            SubstKind::Select { branches, .. } => {
                for (guard, body) in branches {
                    under.push((&[], guard));
                    self.body(body, under);
                    under.pop();
                }
            }
            SubstKind::If(branches, _) => {
                for (guard, body) in branches {
                    under.push((&[], guard));
                    self.body(body, under);
                    under.pop();
                }
            }
            SubstKind::Any(_, locals, guard, body) => {
                under.push((locals, guard));
                self.body(body, under);
                under.pop();
            }
            SubstKind::Assign(list) => {
                for (_, value) in list {
                    self.added(value, under);
                }
            }
            _ => parts(s).into_iter().for_each(|part| self.body(part, under)),
        }
    }

    fn added(&mut self, value: &Expr, under: &[(&[LocalId], &Pred)]) {
        let mentioned = Names::of_expr(value).locals;
        let demanded: Vec<Pred> = under
            .iter()
            .flat_map(|(_, guard)| conjuncts(*guard))
            .filter(|p| only_grows(p, true))
            .cloned()
            .collect();
        if demanded.iter().all(|p| Names::of_pred(p).variables.is_empty()) {
            return;
        }
        let all: BTreeSet<LocalId> = self
            .parameters
            .iter()
            .copied()
            .chain(under.iter().flat_map(|(locals, _)| locals.iter().copied()))
            .collect();
        let free: BTreeSet<LocalId> =
            demanded.iter().flat_map(|p| Names::of_pred(p).locals).filter(|l| all.contains(l)).collect();
        let bound: Vec<LocalId> = free.iter().copied().filter(|l| !mentioned.contains(l)).collect();
        // Only those that speak of what is bound belong under the quantifier.
        let (inside, outside): (Vec<Pred>, Vec<Pred>) =
            demanded.into_iter().partition(|p| Names::of_pred(p).locals.iter().any(|l| bound.contains(l)));
        self.found.extend(outside);
        if bound.is_empty() || inside.is_empty() {
            return;
        }
        let body = Pred::all(inside, Default::default());
        self.found.push(pred(PredKind::Exists(bound, Box::new(body))));
    }
}

/// Returns whether a predicate stays true (or false) where variables only grow.
fn only_grows(p: &Pred, positive: bool) -> bool {
    if Names::of_pred(p).variables.is_empty() {
        return true;
    }
    match &p.kind {
        PredKind::And(all) | PredKind::Or(all) => all.iter().all(|q| only_grows(q, positive)),
        PredKind::Implies(a, b) => only_grows(a, !positive) && only_grows(b, positive),
        PredKind::Not(a) => only_grows(a, !positive),
        PredKind::Forall(_, body) | PredKind::Exists(_, body) => only_grows(body, positive),
        PredKind::Compare(op, x, set) => {
            let fits = match op {
                CompareOp::Member => positive,
                CompareOp::NotMember => !positive,
                _ => false,
            };
            fits && Names::of_expr(x).variables.is_empty() && grows(set)
        }
        _ => false,
    }
}

/// Returns whether a set only grows where variables do.
fn grows(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::Var(_) => true,
        ExprKind::Unary(UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Inverse, of) => grows(of),
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Image, a, b) => {
            grows(a) && grows(b)
        }
        _ => Names::of_expr(set).variables.is_empty(),
    }
}

/// Names that stand for others.
pub(super) type Renaming = BTreeMap<LocalId, LocalId>;

/// The predicate with other names.
pub(super) fn renamed(model: &Model, p: &Pred, names: &Renaming) -> Pred {
    let mut replacement = Replacement::default();
    for (&old, &new) in names {
        let ty = model.locals[new.index()].ty.clone();
        replacement.locals.insert(old, expr(ExprKind::Local(new), ty));
    }
    replacement.in_pred(p)
}
