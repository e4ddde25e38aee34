//! Pairs that need no obligation: bsym's own check, independent of any tool.

use bsym_language::model::truth::is_whole_type;
use bsym_language::model::*;
use bsym_language::walk::Names;

/// Returns the prover name of the check by which a pair needs no proof, if there is one.
pub fn without_obligation(model: &Model, event: Option<usize>, p: &Pred) -> Option<&'static str> {
    if event.is_some() && frame_agrees(model, event, p).is_ok() {
        Some("bsym:frame")
    } else if is_typing(p) {
        Some("bsym:typing")
    } else {
        None
    }
}

/// Checks that the event changes no variable of the conjunct. The error names what it changes.
pub fn frame_agrees(model: &Model, event: Option<usize>, p: &Pred) -> Result<(), String> {
    let Some(event) = event else {
        return Err("it is called trivial, and the initialisation has no state before it".into());
    };
    let event = &model.events[event];
    let read = Names::of_pred(p).variables;
    let written = Names::of_subst(&event.body).written;
    match read.intersection(&written).next() {
        None => Ok(()),
        Some(v) => {
            let name = &model.variables[v.index()].name;
            Err(format!("it is called trivial, but {} writes {name}", event.name))
        }
    }
}

/// Returns whether a predicate says no more than the types of names do.
fn is_typing(p: &Pred) -> bool {
    match &p.kind {
        PredKind::True => true,
        PredKind::Compare(CompareOp::Member, e, s) => is_plain(e) && is_whole_type(s),
        PredKind::Compare(CompareOp::Subset, e, s) => is_plain(e) && is_whole_type(s),
        _ => false,
    }
}

/// Returns whether an expression is a name or a couple of names, which always has a value.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Const(_) => true,
        ExprKind::Binary(BinaryOp::Maplet, a, b) => is_plain(a) && is_plain(b),
        _ => false,
    }
}
