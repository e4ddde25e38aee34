//! Branching: which cell is decided next, and the parts of its domain one after the other.

use std::ops::ControlFlow;

use crate::constraint::finite_domain::node::Node;
use crate::constraint::finite_domain::problem::Problem;
use crate::constraint::search::{Binding, Flow, GO, Report};
use crate::evaluator::Eval;
use crate::tuning::Tuning;
use crate::value::partial::Domain;

impl Problem<'_, '_, '_> {
    /// Returns whether some of the cells can be decided without contradiction.
    pub(super) fn is_solvable(&self, node: &Node, cells: &dyn Fn(usize) -> bool) -> Eval<bool> {
        let Some(cell) = self.next_cell(node, cells) else { return Ok(true) };
        for domain in parts(&node.cells[cell]) {
            self.search.count()?;
            if let Some(next) = self.decide(node, cell, domain)?
                && self.is_solvable(&next, cells)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the node with a cell confined to a part of its domain; `None` if that is a contradiction.
    fn decide(&self, node: &Node, cell: usize, domain: Domain) -> Eval<Option<Node>> {
        let mut next = node.clone();
        let mut changed = Vec::new();
        if !next.set(cell, domain, &mut changed) || !self.all_different(&mut next, &mut changed) {
            return Ok(None);
        }
        let waiting = |k: &usize| {
            changed.iter().any(|c| {
                self.watched[*c].contains(k) || (!next.is_open(*c) && next.waits[*k].contains(&(*c as u32)))
            })
        };
        let woken: Vec<usize> = (0..self.constraints.len()).filter(waiting).collect();
        Ok(self.propagate(&mut next, woken)?.then_some(next))
    }

    /// Visits all ways to decide the cells.
    pub(super) fn enumerate(
        &self,
        mut node: Node,
        bound: &Binding,
        settled: &[bool],
        report: Report<'_>,
    ) -> Flow {
        let Some(cell) = self.next_cell(&node, &|_| true) else {
            return self.report(&mut node, bound, settled, report);
        };
        for domain in parts(&node.cells[cell]) {
            self.search.count()?;
            if let Some(next) = self.decide(&node, cell, domain)?
                && let ControlFlow::Break(()) = self.enumerate(next, bound, settled, report)?
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(GO)
    }

    /// Returns the open cell with the fewest values for its weight.
    fn next_cell(&self, node: &Node, among: &dyn Fn(usize) -> bool) -> Option<usize> {
        let weights = self.weights.borrow();
        let mut best: Option<(f64, usize)> = None;
        for c in (0..node.cells.len()).filter(|c| node.is_open(*c) && among(*c)) {
            let Some(n) = node.cells[c].count() else { continue };
            let last = if self.defined[c] { 1e9 } else { 1.0 };
            let rank = n as f64 * last / weights[c];
            if best.is_none_or(|(r, _)| rank < r) {
                best = Some((rank, c));
            }
        }
        best.map(|(_, c)| c)
    }
}

/// Splits a domain into the parts that are tried one after the other.
fn parts(domain: &Domain) -> Vec<Domain> {
    match domain {
        Domain::Listed(values) => values.iter().map(|v| Domain::Listed(vec![v.clone()])).collect(),
        Domain::Span(Some(low), Some(high)) if high - low < Tuning::DEFAULT.finite_domain.halved => {
            (*low..=*high).map(|n| Domain::Span(Some(n), Some(n))).collect()
        }
        Domain::Span(Some(low), Some(high)) => {
            let middle = low + (high - low) / 2;
            vec![Domain::Span(Some(*low), Some(middle)), Domain::Span(Some(middle + 1), Some(*high))]
        }
        Domain::Span(..) => Vec::new(),
    }
}
