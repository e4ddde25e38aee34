//! Operations that can never happen, parameters that no guard types, results that get no value.

use super::*;
use crate::model::truth::{Truth, truth};
use crate::model::types::Type;
use crate::model::visit::Names;

impl Lint<'_> {
    pub(super) fn guards(&mut self) {
        let model = self.model;
        for event in &model.events {
            if let Some(guard) = never(&event.body) {
                let d = self.warn(
                    codes::NEVER_ENABLED,
                    guard.span,
                    format!("operation `{}` can never happen: this guard is false", event.name),
                );
                if guard.span.source == event.span.source {
                    let start = event.span.start;
                    let name = Span { end: start + event.name.len() as u32, ..event.span };
                    if model.text.sources.text(name) == event.name {
                        d.labels.push((name, "this operation".into()));
                    }
                }
            }
            if self.subject.is_abstract {
                self.untyped_parameters(event);
            }
            let written = Names::of_subst(&event.body).written_locals;
            for r in event.results.iter().filter(|r| !written.contains(r)) {
                let result = &model.locals[r.index()];
                self.warn(
                    codes::UNASSIGNED_RESULT,
                    result.span,
                    format!("`{}` does not assign its result `{}`", event.name, result.name),
                );
            }
        }
    }

    fn untyped_parameters(&mut self, event: &Event) {
        let mut typed = vec![];
        collect_typed(&event.body, &mut typed);
        for p in event.parameters.iter().filter(|p| !typed.contains(p)) {
            let parameter = &self.model.locals[p.index()];
            if !is_infinite(&parameter.ty) {
                continue;
            }
            let ty = crate::print::type_text(self.model, &parameter.ty);
            let notation = self.model.text.notation;
            let d = self.warn(
                codes::UNTYPED_PARAMETER,
                parameter.span,
                format!("no guard of `{}` types its parameter `{}`", event.name, parameter.name),
            );
            let place = match notation {
                Notation::ClassicalB => "to the precondition",
                Notation::EventB => "as a guard",
            };
            d.help =
                Some(format!("every value of {ty} is tried for it; add `{} : …` {place}", parameter.name));
        }
    }
}

// A carrier does not count: a typing predicate would require trying all its elements as well.
fn is_infinite(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Real | Type::String | Type::Free(..) => true,
        Type::Bool | Type::Carrier(_) | Type::Parameter(_) => false,
        Type::Pow(a) => is_infinite(a),
        Type::Pair(a, b) => is_infinite(a) || is_infinite(b),
        Type::Record(fields) => fields.iter().any(|(_, t)| is_infinite(t)),
    }
}

/// The guard that makes a substitution impossible.
fn never(s: &Subst) -> Option<&Pred> {
    match &s.kind {
        SubstKind::Select { branches, otherwise: None, .. } => {
            let mut first = None;
            for (p, body) in branches {
                let reason = if truth(p) == Truth::False { p } else { never(body)? };
                first = first.or(Some(reason));
            }
            first
        }
        SubstKind::Any(_, _, p, body) => {
            if truth(p) == Truth::False {
                Some(p)
            } else {
                never(body)
            }
        }
        SubstKind::Choice(_, list) => {
            let reasons: Option<Vec<&Pred>> = list.iter().map(never).collect();
            reasons?.first().copied()
        }
        SubstKind::Parallel(list) | SubstKind::Sequence(list) => list.iter().find_map(never),
        SubstKind::Let(_, body) | SubstKind::Var(_, body) => never(body),
        _ => None,
    }
}

fn collect_typed(s: &Subst, out: &mut Vec<LocalId>) {
    let mut guard = |p: &Pred| conjuncts(p).iter().for_each(|c| out.extend(typed_by(c)));
    match &s.kind {
        SubstKind::Select { branches, .. } => {
            for (p, body) in branches {
                conjuncts(p).iter().for_each(|c| out.extend(typed_by(c)));
                collect_typed(body, out);
            }
        }
        SubstKind::Any(_, _, p, body) | SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
            guard(p);
            collect_typed(body, out);
        }
        SubstKind::Let(_, body) | SubstKind::Var(_, body) => collect_typed(body, out),
        SubstKind::Parallel(list) | SubstKind::Sequence(list) | SubstKind::Choice(_, list) => {
            list.iter().for_each(|s| collect_typed(s, out));
        }
        SubstKind::If(branches, _) => branches.iter().for_each(|(_, s)| collect_typed(s, out)),
        _ => {}
    }
}
