//! Mutants of models: one operator is exchanged for another of the same type.

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::walk::{VisitorMut, walk_expr_mut, walk_pred_mut};

/// Parts of a model in which an operator is exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code)] // included by tests that use one of them
pub enum Parts {
    /// In events, invariant, assertions and initialisation.
    All,
    /// In the invariant.
    Invariant,
}

/// Exchanges the operator at one place.
struct Exchange {
    /// Number of operators to skip.
    left: usize,
    seed: usize,
    done: bool,
}

impl Exchange {
    fn is_here(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.done |= self.left == usize::MAX;
        self.left == usize::MAX
    }

    fn other<T: Copy + PartialEq>(&self, groups: &[&[T]], op: T) -> Option<T> {
        let group = groups.iter().find(|g| g.contains(&op))?;
        let others: Vec<T> = group.iter().copied().filter(|o| *o != op).collect();
        Some(others[self.seed % others.len()])
    }
}

impl VisitorMut for Exchange {
    fn expr(&mut self, e: &mut Expr) {
        use BinaryOp::*;
        let groups: [&[BinaryOp]; 6] = [
            &[Add, Subtract, Multiply, Divide],
            &[Union, Intersection, Difference],
            &[DomainRestriction, DomainSubtraction],
            &[RangeRestriction, RangeSubtraction],
            &[Relation, TotalRelation, PartialFunction, TotalFunction, PartialInjection, TotalInjection],
            &[TotalSurjection, PartialSurjection, TotalBijection, PartialBijection],
        ];
        let is_relation = e.ty.as_relation().is_some();
        match &mut e.kind {
            ExprKind::Binary(op, a, b) => {
                let mut groups = groups.to_vec();
                if is_relation {
                    groups[1] = &[Union, Intersection, Difference, Override];
                    groups.push(&[Override, Union]);
                }
                if let Some(other) = self.other(&groups, *op)
                    && self.is_here()
                {
                    *op = other;
                }
                if a.ty == b.ty && matches!(op, Subtract | Difference | Override) && self.is_here() {
                    std::mem::swap(a, b);
                }
            }
            ExprKind::Unary(op @ (UnaryOp::Dom | UnaryOp::Ran), r)
                if r.ty.as_relation().is_some_and(|(a, b)| a == b) && self.is_here() =>
            {
                *op = if *op == UnaryOp::Dom { UnaryOp::Ran } else { UnaryOp::Dom };
            }
            ExprKind::Integer(n) if self.is_here() => *n = Int::from(n.to_big() + 1),
            _ => {}
        }
        walk_expr_mut(self, e);
    }

    fn pred(&mut self, p: &mut Pred) {
        use CompareOp::*;
        let groups: [&[CompareOp]; 4] = [
            &[Equal, NotEqual],
            &[Member, NotMember],
            &[Subset, StrictSubset, NotSubset],
            &[Less, LessEqual, Greater, GreaterEqual],
        ];
        match &mut p.kind {
            PredKind::Compare(op, ..) => {
                if let Some(other) = self.other(&groups, *op)
                    && self.is_here()
                {
                    *op = other;
                }
            }
            PredKind::And(list) if list.len() > 1 && self.is_here() => {
                let list = std::mem::take(list);
                p.kind = PredKind::Or(list);
            }
            PredKind::Or(list) if list.len() > 1 && self.is_here() => {
                let list = std::mem::take(list);
                p.kind = PredKind::And(list);
            }
            PredKind::Implies(a, b) if self.is_here() => std::mem::swap(a, b),
            _ => {}
        }
        walk_pred_mut(self, p);
    }
}

/// Returns the model with one operator exchanged, chosen by the seed; `None` if there is no such operator.
pub fn mutant(model: &Model, parts: Parts, seed: usize) -> Option<Model> {
    let exchange = |left| {
        let mut exchange = Exchange { left, seed, done: false };
        let mut changed = model.clone();
        if parts == Parts::All {
            for event in &mut changed.events {
                exchange.subst(&mut event.body);
            }
        }
        for c in &mut changed.invariant {
            exchange.pred(&mut c.pred);
        }
        if parts == Parts::All {
            for c in &mut changed.assertions {
                exchange.pred(&mut c.pred);
            }
            exchange.subst(&mut changed.initialisation);
        }
        (exchange, changed)
    };
    let places = usize::MAX - exchange(usize::MAX).0.left;
    // Fibonacci hashing spreads the seeds over the places.
    let place = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8;
    (places > 0).then(|| exchange(place % places).1)
}
