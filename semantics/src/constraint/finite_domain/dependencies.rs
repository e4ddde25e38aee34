//! The cells that a constraint depends on: which constraints to look at when the domain of a cell changes.

use std::collections::BTreeSet;

use bsym_language::model::{Expr, ExprKind, Pred, PredKind};

use crate::constraint::finite_domain::problem::{Constraint, Disjunct, Problem};
use crate::constraint::finite_domain::term::Locals;
use crate::evaluator::free_names::{all_bound, names_of_pred};
use crate::tuning::Tuning;
use crate::value::partial::Shape;

impl<'p> Problem<'_, 'p, '_> {
    /// For each cell, the constraints to look at when its domain changes.
    pub(super) fn watch(&mut self) {
        let mut constraints = std::mem::take(&mut self.constraints);
        for (k, constraint) in constraints.iter_mut().enumerate() {
            let of_names = |clause: &[Disjunct<'_>]| {
                let parts = clause.iter().flat_map(|l| &l.parts);
                let names: Vec<_> = parts.map(|(_, p)| names_of_pred(p)).collect();
                let used = self.unknowns.iter().filter(|u| names.iter().any(|n| n.contains(&u.name)));
                used.flat_map(|u| u.first..u.first + u.cells).collect::<Vec<usize>>()
            };
            let mut cells = Vec::new();
            if let Some(comparison) = &constraint.comparison {
                comparison.left.cells(&mut cells);
                comparison.right.cells(&mut cells);
                cells.sort_unstable();
                cells.dedup();
                constraint.cells = cells.clone();
                if comparison.has_size() {
                    cells = of_names(&constraint.clause);
                }
            }
            constraint.pair = self.pair(constraint);
            let exact = constraint.comparison.as_ref().is_some_and(|c| c.is_exact());
            let heavy = |l: &Disjunct<'_>| {
                l.atom.is_none() && l.comparison.is_none() && l.parts.iter().any(|(_, p)| is_heavy(p))
            };
            if !exact && constraint.pair.is_none() && constraint.clause.iter().any(heavy) {
                cells = of_names(&constraint.clause);
                constraint.heavy = Some(cells.clone());
            }
            if constraint.clause.len() > 1
                && constraint.heavy.is_none()
                && constraint.clause.iter().any(|l| l.comparison.is_some())
            {
                cells.clear();
                for disjunct in &constraint.clause {
                    match (&disjunct.atom, &disjunct.comparison) {
                        (Some((cell, ..)), _) => cells.push(*cell),
                        (None, Some(comparison)) => {
                            comparison.left.cells(&mut cells);
                            comparison.right.cells(&mut cells);
                        }
                        (None, None) => cells.extend(of_names(std::slice::from_ref(disjunct))),
                    }
                }
                cells.sort_unstable();
                cells.dedup();
                constraint.heavy =
                    (cells.len() > Tuning::DEFAULT.finite_domain.heavy_cells).then(|| cells.clone());
            }
            cells.into_iter().for_each(|c| self.watched[c].push(k));
        }
        self.constraints = constraints;
    }

    /// The unknowns that constraints connect, if they are not all connected.
    pub(super) fn components(&self) -> Vec<BTreeSet<usize>> {
        let mut all: Vec<BTreeSet<usize>> = (0..self.unknowns.len()).map(|u| BTreeSet::from([u])).collect();
        for literal in &self.search.literals {
            let used = |u: &usize| literal.needs.contains(&self.unknowns[*u].position);
            let used: Vec<usize> = (0..self.unknowns.len()).filter(used).collect();
            let (joined, mut apart): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|c| used.iter().any(|u| c.contains(u)));
            apart.extend((!joined.is_empty()).then(|| joined.into_iter().flatten().collect()));
            all = apart;
        }
        if all.len() > 1 { all } else { Vec::new() }
    }

    /// The two cells that a constraint depends on, if its form shows that it depends on no other ones.
    fn pair(&self, constraint: &Constraint<'p>) -> Option<[usize; 2]> {
        let said = |l: &Disjunct<'_>| l.atom.is_some() || l.comparison.is_some();
        if constraint.comparison.is_some() || !constraint.total || constraint.clause.iter().all(said) {
            constraint.differ.as_ref()?;
        }
        let mut cells = BTreeSet::new();
        if let Some(((x, of_x), (y, of_y))) = &constraint.differ
            && !(self.cells_in(Part::Expr(x), of_x, &mut cells)
                && self.cells_in(Part::Expr(y), of_y, &mut cells))
        {
            return None;
        }
        for disjunct in &constraint.clause {
            let locals: Locals = disjunct.locals.iter().chain(constraint.locals.iter()).cloned().collect();
            if !disjunct.parts.iter().all(|(_, p)| self.cells_in(Part::Pred(p), &locals, &mut cells)) {
                return None;
            }
        }
        let cells: Vec<usize> = cells.into_iter().collect();
        <[usize; 2]>::try_from(cells).ok()
    }

    /// Adds the cells that a part of a formula depends on; `false` if they cannot be told.
    fn cells_in(&self, part: Part<'_>, locals: &Locals, cells: &mut BTreeSet<usize>) -> bool {
        let frame = self.env.frame(locals);
        let env = self.env.within(&frame);
        let closed = |e: &Expr| {
            let value = all_bound(&env, e).then(|| self.search.eval.expr(&env, e).ok()).flatten();
            value.filter(|v| !v.has_lazy())
        };
        let mut of = |p: Part<'_>| self.cells_in(p, locals, cells);
        match part {
            Part::Pred(p) => match &p.kind {
                PredKind::And(ps) | PredKind::Or(ps) => ps.iter().all(|p| of(Part::Pred(p))),
                PredKind::Implies(a, b) | PredKind::Iff(a, b) => of(Part::Pred(a)) && of(Part::Pred(b)),
                PredKind::Not(p) => of(Part::Pred(p)),
                PredKind::Compare(_, a, b) => of(Part::Expr(a)) && of(Part::Expr(b)),
                PredKind::True | PredKind::False => true,
                _ => false,
            },
            Part::Expr(e) => {
                if all_bound(&env, e) {
                    return true;
                }
                if let Some(u) = self.unknown_of(e) {
                    let single = *u.shape == Shape::Single;
                    cells.extend(single.then_some(u.first));
                    return single;
                }
                match &e.kind {
                    ExprKind::Apply(f, x) => match self.unknown_of(f) {
                        Some(u) => {
                            let Shape::Function { from, total: true, .. } = &*u.shape else { return false };
                            let cell = closed(x).and_then(|x| from.binary_search(&x).ok());
                            cells.extend(cell.map(|i| u.first + i));
                            cell.is_some()
                        }
                        None => of(Part::Expr(f)) && of(Part::Expr(x)),
                    },
                    ExprKind::Binary(_, a, b) => of(Part::Expr(a)) && of(Part::Expr(b)),
                    ExprKind::Unary(_, a) => of(Part::Expr(a)),
                    ExprKind::SetExtension(es) => es.iter().all(|e| of(Part::Expr(e))),
                    ExprKind::Prj1(a, b) | ExprKind::Prj2(a, b) => of(Part::Expr(a)) && of(Part::Expr(b)),
                    _ => false,
                }
            }
        }
    }
}

/// A part of a formula.
enum Part<'e> {
    Pred(&'e Pred),
    Expr(&'e Expr),
}

/// Returns whether judging a predicate requires a search.
fn is_heavy(pred: &Pred) -> bool {
    match &pred.kind {
        PredKind::Forall(..) | PredKind::Exists(..) | PredKind::Call(..) => true,
        PredKind::And(ps) | PredKind::Or(ps) => ps.iter().any(is_heavy),
        PredKind::Implies(a, b) | PredKind::Iff(a, b) => is_heavy(a) || is_heavy(b),
        PredKind::Not(p) | PredKind::Let(_, p) => is_heavy(p),
        PredKind::If(p, a, b) => is_heavy(p) || is_heavy(a) || is_heavy(b),
        _ => false,
    }
}
