//! Definitions with a meaning for the scope and for display: `SET_PREF_…`, `scope_S`, `GOAL`.

use super::*;
use crate::ast::{BinaryOp as In, Constant, DefinitionBody, ExprKind as Ast, UnaryOp as InUnary};
use crate::int::Int;
use crate::tuning::tuning;

impl Checker {
    /// Keeps the definitions, and reads those that concern the scope. Requires that carriers are declared.
    pub(super) fn scope_hints(&mut self) {
        self.model.definitions.main = self.names.definitions.clone();
        let entries: Vec<_> = self.names.definitions.iter().cloned().collect();
        for entry in entries {
            let (DefinitionBody::Expr(body) | DefinitionBody::Either(body, _)) = &entry.body else {
                continue;
            };
            let name = entry.name.name.as_str();
            if let Some(preference) = name.strip_prefix("SET_PREF_") {
                match (preference, self.number(body, 0)) {
                    ("MAXINT", Some(n)) => self.model.definitions.hints.maxint = Some(n),
                    ("MININT", Some(n)) => self.model.definitions.hints.minint = Some(n),
                    _ => {
                        let text = self.plain_text(body);
                        self.model.definitions.hints.preferences.insert(preference.to_string(), text);
                    }
                }
            } else if let Some(set) = name.strip_prefix("scope_") {
                let Some((Entity::Carrier(c), _)) = self.names.globals.get(set).copied() else { continue };
                match self.size(body) {
                    Some(n) => drop(self.model.definitions.hints.sizes.insert(c, n)),
                    None => self.report(Diagnostic::warning(
                        codes::IGNORED_DEFINITION,
                        body.span,
                        format!("`{name}` is ignored: a number or an interval is expected"),
                    )),
                }
            }
        }
    }

    /// Reads `GOAL`. One that does not check is ignored with a warning.
    pub(super) fn goal(&mut self) {
        let Some(entry) = self.names.definitions.get("GOAL") else { return };
        let (DefinitionBody::Expr(body) | DefinitionBody::Either(body, _)) = &entry.body else { return };
        if !entry.parameters.is_empty() {
            return;
        }
        let said = self.diagnostics.len();
        let goal = self.pred(body);
        self.finish_group();
        if self.diagnostics.len() == said {
            self.model.definitions.goal = Some(goal);
            return;
        }
        let first = self.diagnostics.drain(said..).next();
        if let Some(first) = first {
            self.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: codes::IGNORED_DEFINITION,
                message: format!("`GOAL` is ignored: {}", first.message),
                ..first
            });
        }
    }

    fn size(&self, e: &ast::Expr) -> Option<usize> {
        match &e.kind {
            Ast::Binary(In::Interval, a, b) => {
                let (a, b) = (self.number(a, 0)?, self.number(b, 0)?);
                (&(&b - &a) + &Int::ONE).to_usize()
            }
            _ => self.number(e, 0)?.to_usize(),
        }
    }

    // The value of a number written with literals and definitions.
    fn number(&self, e: &ast::Expr, depth: usize) -> Option<Int> {
        if depth > tuning().depth.number {
            return None;
        }
        match &e.kind {
            Ast::Integer(text) => text.parse().ok(),
            Ast::Unary(InUnary::Minus, a) => Some(-&self.number(a, depth + 1)?),
            Ast::Binary(op, a, b) => {
                let (a, b) = (self.number(a, depth + 1)?, self.number(b, depth + 1)?);
                match op {
                    In::Plus => Some(&a + &b),
                    In::Minus => Some(&a - &b),
                    In::Times => Some(&a * &b),
                    In::Power => a.pow(&b),
                    _ => None,
                }
            }
            Ast::Ident(name) => match &self.names.definitions.get(name)?.body {
                DefinitionBody::Expr(body) | DefinitionBody::Either(body, _) => self.number(body, depth + 1),
                DefinitionBody::Subst(_) => None,
            },
            _ => None,
        }
    }

    fn plain_text(&self, e: &ast::Expr) -> String {
        match &e.kind {
            Ast::String(text) => text.clone(),
            Ast::Constant(Constant::True) => "TRUE".into(),
            Ast::Constant(Constant::False) => "FALSE".into(),
            _ => pred::fold_text(self.model.text.sources.text(e.span)),
        }
    }
}

/// Implements `SET_PREF_SHOW_EVENTB_ANY_VALUES == TRUE`: values chosen by an outermost `ANY` of an operation without
/// parameters are shown as its parameters.
pub(super) fn show_choices_as_parameters(model: &mut Model) {
    if model.definitions.hints.preferences.get("SHOW_EVENTB_ANY_VALUES").is_none_or(|text| text != "TRUE") {
        return;
    }
    for event in model.events.iter_mut().filter(|e| e.parameters.is_empty()) {
        let body = std::mem::replace(&mut event.body.kind, SubstKind::Skip);
        event.body.kind = match body {
            SubstKind::Any(choice, locals, guard, inner) => {
                event.parameters = locals;
                let branches = vec![(guard, *inner)];
                SubstKind::Select { choice, branches, otherwise: None, from_pre: false }
            }
            other => other,
        };
    }
}
