//! Templates: candidate predicates by the types of the variables, in rounds that grow bolder.

use std::collections::BTreeSet;

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Visitor, walk_pred};
use bsym_semantics::value::Value;

use super::linear::binary;
use super::predicate::{compare, expr, integer, variable, variables};
use crate::small_scopes::first_states::{FirstStates, Met};
use crate::tuning::tuning;

/// The integers that are written in the model.
struct Literals(BTreeSet<Int>);

impl Visitor for Literals {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Integer(n) = &e.kind {
            self.0.insert(n.clone());
        }
        bsym_language::walk::walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        walk_pred(self, p);
    }
}

/// Candidate predicates by the types of the variables; later rounds hold bolder ones. `None` when there are no more
/// rounds.
pub fn templates(model: &Model, round: usize) -> Option<Vec<Pred>> {
    let mut found = vec![];
    match round {
        0 => {
            for v in variables(model) {
                enumeration(model, v, &mut found);
                if model.variables[v.index()].ty == Type::Int {
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), integer(Int::ZERO)));
                }
            }
            set_pairs(model, &mut found);
        }
        1 => {
            let mut literals = Literals(BTreeSet::new());
            model.invariant.iter().for_each(|c| literals.pred(&c.pred));
            literals.subst(&model.initialisation);
            model.events.iter().for_each(|e| literals.subst(&e.body));
            let ints: Vec<VarId> =
                variables(model).filter(|v| model.variables[v.index()].ty == Type::Int).collect();
            for &v in &ints {
                for n in literals.0.iter().take(tuning().invariants.literals) {
                    found.push(compare(CompareOp::LessEqual, variable(model, v), integer(n.clone())));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), integer(n.clone())));
                }
                for (c, constant) in model.constants.iter().enumerate().filter(|(_, c)| c.ty == Type::Int) {
                    let constant = expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone());
                    found.push(compare(CompareOp::LessEqual, variable(model, v), constant.clone()));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), constant));
                }
            }
            for (i, &v) in ints.iter().enumerate() {
                for &w in &ints[i + 1..] {
                    found.push(compare(CompareOp::LessEqual, variable(model, v), variable(model, w)));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), variable(model, w)));
                }
            }
        }
        _ => return None,
    }
    Some(found)
}

/// `v = c` for every element of a small type.
fn enumeration(model: &Model, v: VarId, found: &mut Vec<Pred>) {
    let ty = &model.variables[v.index()].ty;
    match ty {
        Type::Bool => {
            let truth = expr(ExprKind::Bool(true), Type::Bool);
            found.push(compare(CompareOp::Equal, variable(model, v), truth));
        }
        Type::Carrier(c) => {
            if let CarrierKind::Enumerated(elements) = &model.types.carriers[c.index()].kind
                && elements.len() <= tuning().invariants.enumerated
            {
                for i in 0..elements.len() as u32 {
                    let element = expr(ExprKind::Element(*c, i), ty.clone());
                    found.push(compare(CompareOp::Equal, variable(model, v), element));
                }
            }
            for w in variables(model).filter(|&w| w > v && model.variables[w.index()].ty == *ty) {
                found.push(compare(CompareOp::Equal, variable(model, v), variable(model, w)));
            }
        }
        _ => {}
    }
}

/// Emptiness, disjointness and inclusion of sets of one type: variables, domains and ranges of relations.
fn set_pairs(model: &Model, found: &mut Vec<Pred>) {
    let mut sets: Vec<Expr> = vec![];
    let mut elements: Vec<(Expr, Type)> = vec![];
    for v in variables(model) {
        let ty = model.variables[v.index()].ty.clone();
        if let Some((a, b)) = ty.as_relation() {
            let (a, b) = (Type::pow(a.clone()), Type::pow(b.clone()));
            sets.push(expr(ExprKind::Unary(UnaryOp::Dom, Box::new(variable(model, v))), a));
            sets.push(expr(ExprKind::Unary(UnaryOp::Ran, Box::new(variable(model, v))), b));
        }
        match ty {
            Type::Pow(_) => sets.push(variable(model, v)),
            Type::Carrier(_) => elements.push((variable(model, v), ty)),
            _ => {}
        }
    }
    sets.truncate(tuning().invariants.set_pairs);
    for (i, s) in sets.iter().enumerate() {
        let empty = expr(ExprKind::EmptySet, s.ty.clone());
        found.push(compare(CompareOp::Equal, s.clone(), empty.clone()));
        for t in sets[i + 1..].iter().filter(|t| t.ty == s.ty) {
            let common = expr(
                ExprKind::Binary(BinaryOp::Intersection, Box::new(s.clone()), Box::new(t.clone())),
                s.ty.clone(),
            );
            found.push(compare(CompareOp::Equal, common, empty.clone()));
            found.push(compare(CompareOp::Subset, s.clone(), t.clone()));
            found.push(compare(CompareOp::Subset, t.clone(), s.clone()));
        }
        for (x, ty) in &elements {
            if s.ty.element() == Some(ty) {
                found.push(compare(CompareOp::Member, x.clone(), s.clone()));
                let single = expr(ExprKind::SetExtension(vec![x.clone()]), s.ty.clone());
                found.push(compare(CompareOp::Subset, s.clone(), single));
            }
        }
    }
}

/// Bounds of the integer variables and of their differences, at the largest and smallest that were met.
pub fn differences(model: &Model, met: &FirstStates) -> Vec<Pred> {
    let ints: Vec<VarId> = variables(model).filter(|v| model.variables[v.index()].ty == Type::Int).collect();
    let number = |one: &Met, v: VarId| match &one.state[v.index()] {
        Value::Int(n) => n.to_i64().map(i128::from),
        _ => None,
    };
    let extremes = |of: &dyn Fn(&Met) -> Option<i128>| {
        let all: Option<Vec<i128>> = met.all().iter().map(of).collect();
        let all = all.unwrap_or_default();
        let small = |n: &i128| i64::try_from(*n).ok().map(Int::from);
        Some((small(all.iter().min()?)?, small(all.iter().max()?)?))
    };
    let mut found = vec![];
    let mut between = |e: Expr, (low, high): (Int, Int)| {
        found.push(compare(CompareOp::LessEqual, e.clone(), integer(high)));
        found.push(compare(CompareOp::GreaterEqual, e, integer(low)));
    };
    for (i, &v) in ints.iter().enumerate() {
        if let Some(both) = extremes(&|one| number(one, v)) {
            between(variable(model, v), both);
        }
        for &w in &ints[i + 1..] {
            if let Some(both) = extremes(&|one| Some(number(one, v)? - number(one, w)?)) {
                between(binary(BinaryOp::Subtract, variable(model, v), variable(model, w)), both);
            }
        }
    }
    found
}

/// `v <= n`, `v >= n` for an integer variable and a value met.
pub fn bounds(model: &Model, v: VarId, n: &Int) -> Vec<Pred> {
    vec![
        compare(CompareOp::LessEqual, variable(model, v), integer(n.clone())),
        compare(CompareOp::GreaterEqual, variable(model, v), integer(n.clone())),
    ]
}
