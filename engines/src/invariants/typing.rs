//! Candidates that say where values lie: in constant sets, in sets that are variables, and which kind of function a
//! relation is.
//!
//! They are what stands first in most invariants, and what the meaning of an application rests on.

use bsym_language::model::*;
use bsym_language::types::Type;

use super::predicate::{compare, expr, pred, variable, variables};

use crate::tuning::tuning;

/// The kinds of functions, the strongest first.
const TOTAL: [BinaryOp; 2] = [BinaryOp::TotalInjection, BinaryOp::TotalFunction];
const PARTIAL: [BinaryOp; 2] = [BinaryOp::PartialInjection, BinaryOp::PartialFunction];

/// Candidates for every variable.
pub fn typing(model: &Model) -> Vec<Pred> {
    let mut found = vec![];
    for v in variables(model) {
        let value = variable(model, v);
        match model.variables[v.index()].ty.as_relation() {
            Some((from, to)) => relation(model, v, from, to, &mut found),
            None => lies(model, v, &value, &mut found),
        }
    }
    found.truncate(tuning().invariants.typing);
    found
}

fn relation(model: &Model, v: VarId, from: &Type, to: &Type, found: &mut Vec<Pred>) {
    let value = variable(model, v);
    let mut kind = |op: BinaryOp, domain: &Expr, range: &Expr| {
        let ty = Type::pow(value.ty.clone());
        let all = expr(ExprKind::Binary(op, Box::new(domain.clone()), Box::new(range.clone())), ty);
        found.push(compare(CompareOp::Member, value.clone(), all));
    };
    if let (Some(domain), Some(range)) = (whole(from), whole(to)) {
        let domains: Vec<Expr> = sets(model, v, from).into_iter().chain([domain.clone()]).collect();
        for op in TOTAL {
            domains.iter().for_each(|domain| kind(op, domain, &range));
        }
        PARTIAL.into_iter().for_each(|op| kind(op, &domain, &range));
    }
    for (op, ty) in [(UnaryOp::Dom, from), (UnaryOp::Ran, to)] {
        let side = expr(ExprKind::Unary(op, Box::new(value.clone())), Type::pow(ty.clone()));
        lies(model, v, &side, found);
    }
}

/// Collects the predicates that `value`, made of `v`, is a member or a subset of a set that the model knows.
fn lies(model: &Model, v: VarId, value: &Expr, found: &mut Vec<Pred>) {
    let (op, ty) = match value.ty.element() {
        Some(element) => (CompareOp::Subset, element.clone()),
        None => (CompareOp::Member, value.ty.clone()),
    };
    for set in sets(model, v, &ty) {
        found.push(compare(op, value.clone(), set));
    }
    if ty == Type::Int && value.ty != Type::Int {
        let naturals = expr(ExprKind::Set(BuiltinSet::Natural), Type::pow(Type::Int));
        found.push(compare(CompareOp::Subset, value.clone(), naturals));
    }
    if value.ty.element().is_some() && value.ty.as_relation().is_none() && is_infinite(&ty) {
        found.push(pred(PredKind::Finite(Box::new(value.clone()))));
    }
}

/// Constants and other variables that are sets of elements of a type.
fn sets(model: &Model, but: VarId, element: &Type) -> Vec<Expr> {
    let ty = Type::pow(element.clone());
    let constants = model.constants.iter().enumerate().filter(|(_, c)| c.ty == ty);
    let constants = constants.map(|(c, _)| expr(ExprKind::Const(ConstId(c as u32)), ty.clone()));
    let others = variables(model).filter(|&w| w != but && model.variables[w.index()].ty == ty);
    constants.chain(others.map(|w| variable(model, w))).take(tuning().invariants.typing_sets).collect()
}

/// The set of all values of a type.
pub(crate) fn whole(ty: &Type) -> Option<Expr> {
    let kind = match ty {
        Type::Bool => ExprKind::Set(BuiltinSet::Bool),
        Type::Int => ExprKind::Set(BuiltinSet::Integer),
        Type::Carrier(c) => ExprKind::Carrier(*c),
        Type::Pow(inner) => ExprKind::Unary(UnaryOp::Pow, Box::new(whole(inner)?)),
        Type::Pair(a, b) => ExprKind::Binary(BinaryOp::Cartesian, Box::new(whole(a)?), Box::new(whole(b)?)),
        _ => return None,
    };
    Some(expr(kind, Type::pow(ty.clone())))
}

fn is_infinite(ty: &Type) -> bool {
    match ty {
        Type::Int => true,
        Type::Pow(inner) => is_infinite(inner),
        Type::Pair(a, b) => is_infinite(a) || is_infinite(b),
        _ => false,
    }
}
