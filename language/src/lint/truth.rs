//! Predicates whose truth is plain from their text, and conjuncts that occur twice.

use super::*;
use crate::model::truth::{Truth, contradiction, mentions, truth};
use crate::model::visit::{Visitor, walk_pred, walk_subst};

impl Lint<'_> {
    pub(super) fn truths(&mut self) {
        let model = self.model;
        self.conjunction(model.axioms.iter().map(|c| &c.pred));
        self.conjunction(model.invariant.iter().map(|c| &c.pred));
        for c in model.axioms.iter().chain(&model.invariant) {
            Truths(self).pred(&c.pred);
        }
        Truths(self).subst(&model.initialisation);
        for event in &model.events {
            Truths(self).subst(&event.body);
        }
    }

    fn conjunction<'p>(&mut self, list: impl Iterator<Item = &'p Pred> + Clone) {
        if let Some((first, second)) = contradiction(list.clone())
            && first.span != second.span
        {
            let d =
                self.warn(codes::ALWAYS_FALSE, second.span, "this is false where the conjunct before holds");
            if first.span.source == second.span.source {
                d.labels.push((first.span, "both cannot hold".into()));
            }
        }
        let subject = self.subject;
        if subject.is_exported {
            return;
        }
        let mut seen: std::collections::HashMap<String, Span> = std::collections::HashMap::new();
        for p in list.filter(|p| subject.contains(p.span)) {
            // Texts find the candidates cheaply, trees decide nothing more: both have the same names
            // in the same conjunction.
            let text = crate::print::pred(self.model, p);
            match seen.get(&text) {
                Some(&first) if first != p.span && !matches!(p.kind, PredKind::True | PredKind::False) => {
                    let d = self.warn(codes::REPEATED_CONJUNCT, p.span, "this conjunct is there twice");
                    d.labels.push((first, "first here".into()));
                }
                Some(_) => {}
                None => drop(seen.insert(text, p.span)),
            }
        }
    }
}

struct Truths<'a, 'm>(&'a mut Lint<'m>);

impl Visitor for Truths<'_, '_> {
    fn pred(&mut self, p: &Pred) {
        match &p.kind {
            PredKind::And(list) => {
                self.0.conjunction(list.iter());
                walk_pred(self, p);
            }
            // `1 = 2` is a way to write `bfalse`; with a name in it a mistake is likelier.
            PredKind::Compare(..) if mentions(p).names => match truth(p) {
                Truth::True => {
                    self.0.warn(codes::ALWAYS_TRUE, p.span, "this is always true");
                }
                Truth::False => {
                    self.0.warn(codes::ALWAYS_FALSE, p.span, "this is always false");
                }
                Truth::Open => walk_pred(self, p),
            },
            PredKind::Forall(ids, body) => {
                if let PredKind::And(list) = &body.kind
                    && list.iter().any(|c| membership_of(c, ids))
                {
                    self.0
                        .warn(
                            codes::FORALL_WITHOUT_IMPLICATION,
                            p.span,
                            "this demands the membership of every value of the type",
                        )
                        .help = Some("write `!x.(x : S => P)` for `P holds for all x in S`".into());
                }
                walk_pred(self, p);
            }
            PredKind::Exists(ids, body) => {
                if let PredKind::Implies(left, _) = &body.kind
                    && conjuncts(left).iter().any(|c| membership_of(c, ids))
                {
                    self.0
                        .warn(
                            codes::EXISTS_WITH_IMPLICATION,
                            p.span,
                            "this is true as soon as one value is outside the set",
                        )
                        .help = Some("write `#x.(x : S & P)` for `P holds for some x in S`".into());
                }
                walk_pred(self, p);
            }
            _ => walk_pred(self, p),
        }
    }

    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            // The requirements of an abstraction are written nowhere.
            SubstKind::Assert(Claim::Refinement(_), _, body) => self.subst(body),
            _ => walk_subst(self, s),
        }
    }
}

// Recognises `x : S` where S is smaller than the type.
fn membership_of(p: &Pred, ids: &[LocalId]) -> bool {
    let PredKind::Compare(CompareOp::Member | CompareOp::Subset, _, set) = &p.kind else { return false };
    let whole = matches!(
        set.kind,
        ExprKind::Carrier(_) | ExprKind::Set(BuiltinSet::Integer | BuiltinSet::Bool | BuiltinSet::String)
    );
    !whole && typed_by(p).iter().any(|l| ids.contains(l))
}
