//! Warnings about a machine that can be used as it is: unused declarations, formulas that are always true or false, and
//! text that is misleading.
//!
//! A warning is given only where it is certain, and only about the file that the user named, not about other machines
//! and definitions.

mod grouping;
mod guards;
mod hidden;
mod truth;
mod unused;

use crate::ast::{self, MachineKind};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::*;
use crate::stack::with_large_stack;
use crate::text::source::Span;

/// The component that the user named.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'m> {
    /// The tree of a machine of classical B.
    pub tree: Option<&'m ast::Machine>,
    /// The place of all of it.
    pub span: Span,
    /// `true` unless it is a refinement, whose interface is given by another machine.
    pub is_abstract: bool,
    /// `true` if a program wrote it: ProB's packages repeat the types of bound names.
    pub is_exported: bool,
}

impl<'m> Subject<'m> {
    /// Creates the subject of a machine of classical B.
    pub fn machine(tree: &'m ast::Machine) -> Subject<'m> {
        let is_abstract =
            matches!(tree.kind, MachineKind::Machine | MachineKind::Model | MachineKind::System);
        Subject { tree: Some(tree), span: tree.span, is_abstract, is_exported: false }
    }

    fn contains(&self, span: Span) -> bool {
        self.span.contains(span)
    }
}

/// Warnings about a machine or context and the model that it became, in the order of their places.
pub fn lint(subject: &Subject<'_>, model: &Model) -> Vec<Diagnostic> {
    let mut found = with_large_stack(|| {
        let mut l = Lint { subject: *subject, model, found: vec![] };
        let mentioned = subject.tree.map(|tree| l.unused_definitions(tree)).unwrap_or_default();
        l.unused(&mentioned);
        l.truths();
        l.guards();
        if let Some(tree) = subject.tree {
            l.hidden_names(tree);
            l.grouping(tree);
        }
        l.found
    });
    found.retain(|d| subject.contains(d.span));
    found.sort_by_key(|d| (d.span.start, d.code.number));
    // A definition is expanded wherever it is used, its mistakes are told once.
    found.dedup_by(|a, b| a.code == b.code && a.span == b.span);
    // The guard that rules an operation out is told once.
    let guards: Vec<Span> = found.iter().filter(|d| d.code == codes::NEVER_ENABLED).map(|d| d.span).collect();
    let inside = |s: Span| guards.iter().any(|g| g.start <= s.start && s.end <= g.end);
    found.retain(|d| d.code != codes::ALWAYS_FALSE || !inside(d.span));
    found
}

struct Lint<'m> {
    subject: Subject<'m>,
    model: &'m Model,
    found: Vec<Diagnostic>,
}

impl Lint<'_> {
    fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.found.push(Diagnostic::warning(code, span, message));
        self.found.last_mut().expect("it was pushed")
    }
}

/// The parts of a conjunction.
fn conjuncts(p: &Pred) -> &[Pred] {
    match &p.kind {
        PredKind::And(list) => list,
        _ => std::slice::from_ref(p),
    }
}

/// Returns the locals whose type a conjunct of this form gives: `x : S`, `x |-> y : S`, `x <: S`, `x = E`.
fn typed_by(p: &Pred) -> Vec<LocalId> {
    let mut found = vec![];
    if let PredKind::Compare(op, l, r) = &p.kind {
        use CompareOp::*;
        if matches!(op, Member | Subset | StrictSubset | Equal) {
            locals_of_couple(l, &mut found);
        }
        if *op == Equal {
            locals_of_couple(r, &mut found);
        }
    }
    found
}

fn locals_of_couple(e: &Expr, out: &mut Vec<LocalId>) {
    match &e.kind {
        ExprKind::Local(l) => out.push(*l),
        ExprKind::Binary(BinaryOp::Maplet, a, b) => {
            locals_of_couple(a, out);
            locals_of_couple(b, out);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
