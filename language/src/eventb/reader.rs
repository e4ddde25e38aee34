//! Formulas of the components of a project, read with the names that the project declares.

use std::collections::BTreeSet;

use super::formula::{self, Names, Text};
use super::project::{Action, Formula};
use super::tuf::Operators;
use crate::ast::Ident;
use crate::diagnostic::{Diagnostic, codes};

pub(super) struct Reader<'d> {
    pub(super) declared: BTreeSet<String>,
    pub(super) operators: Operators,
    pub(super) diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Returns a result, or reports its mistake.
    pub(super) fn noted<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|d| self.diagnostics.push(d)).ok()
    }

    /// Reports a machine that refines a second one.
    pub(super) fn refines_two(&mut self, machine: &Ident, first: &Ident, second: &Ident) {
        let message = format!("machine `{}` refines two machines", machine.name);
        let d = Diagnostic::error(codes::DUPLICATE_SECTION, second.span, message);
        self.diagnostics.push(d.label(first.span, "the first one"));
    }

    /// Parses a predicate or an expression.
    pub(super) fn parsed(&mut self, text: &Text, label: Option<String>, theorem: bool) -> Option<Formula> {
        let is_declared = |name: &str| self.declared.contains(name);
        let names = Names { is_declared: &is_declared, operators: &self.operators };
        let tree = formula::formula_with(text, &names);
        Some(Formula { label, text: Some(folded(text)), theorem, tree: self.noted(tree)? })
    }

    /// Parses an assignment.
    pub(super) fn assigned(&mut self, text: &Text, label: Option<String>) -> Option<Action> {
        let is_declared = |name: &str| self.declared.contains(name);
        let names = Names { is_declared: &is_declared, operators: &self.operators };
        let kind = formula::assignment_with(text, &names);
        Some(Action { label, text: Some(folded(text)), kind: self.noted(kind)?, span: text.whole() })
    }
}

fn folded(text: &Text) -> String {
    text.text.split_whitespace().collect::<Vec<_>>().join(" ")
}
