//! The text at a place of the source.

use crate::model::visit::{self, Visitor};
use crate::model::*;
use crate::text::source::Span;

/// Returns the text at a place, on one line: as written in classical B; printed if the source holds no readable text,
/// as in the terms of a package or the XML of Rodin.
pub fn at(model: &Model, span: Span) -> String {
    if model.text.sources.iter().all(|(id, _)| id != span.source) {
        return String::new();
    }
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if model.text.notation == Notation::EventB {
        let mut finder = Finder { model, span, found: None };
        finder.model();
        if let Some(text) = finder.found {
            return folded(&text);
        }
    }
    folded(model.text.sources.text(span))
}

struct Finder<'m> {
    model: &'m Model,
    span: Span,
    found: Option<String>,
}

impl Finder<'_> {
    fn model(&mut self) {
        let model = self.model;
        visit::walk_model(self, model);
        for v in &model.refinement.variants {
            self.expr(&v.value);
        }
        visit::walk_operators(self, model);
    }
}

impl Visitor for Finder<'_> {
    fn expr(&mut self, e: &Expr) {
        if self.found.is_none() {
            if e.span == self.span {
                self.found = Some(super::expr(self.model, e));
            } else {
                visit::walk_expr(self, e);
            }
        }
    }

    fn pred(&mut self, p: &Pred) {
        if self.found.is_none() {
            if p.span == self.span {
                self.found = Some(super::pred(self.model, p));
            } else {
                visit::walk_pred(self, p);
            }
        }
    }

    fn subst(&mut self, s: &Subst) {
        // A whole event is not suitable as text for a message.
        if self.found.is_none() {
            visit::walk_subst(self, s);
        }
    }
}
