//! Compiled events: their edges, and the different updates among them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use bsym_language::model::{Pred, Subst, SubstKind};

use super::binder::Plan;
use super::code::{Exec, Fail, R};
use crate::compile::context::Context;

const GO: R<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// A compiled event.
pub struct EventCode<'m> {
    pub(super) parameters: Plan<'m>,
    pub(super) body: Exec<'m>,
    /// Slots of parameters and results.
    pub(super) shown: Vec<usize>,
    /// Slots of the new values of the variables written.
    pub(super) written: Vec<usize>,
    /// Slots of the old values, if the mask must be full: variables that are not written keep their values.
    pub(super) kept: Vec<usize>,
    pub(super) deterministic: bool,
    /// `true` if the updates come in the same order whatever words values have.
    pub ordered: bool,
}

/// The edges that compiled code finds.
#[derive(Default)]
pub struct Edges {
    /// Parameters, results, mask and new values of each edge.
    rows: Vec<u32>,
    order: Vec<u32>,
}

/// Returns the guards that an event's body begins with, and the rest of the body.
pub fn guarded(body: &Subst) -> (Vec<&Pred>, &Subst) {
    let (mut guards, mut rest) = (Vec::new(), body);
    while let SubstKind::Select { branches, otherwise: None, .. } = &rest.kind
        && let [(guard, inner)] = &branches[..]
    {
        guards.push(guard);
        rest = inner;
    }
    (guards, rest)
}

impl<'m> EventCode<'m> {
    /// The positions of the literals of the guards that do not depend on the parameters, and have nothing before them
    /// that can be ill-defined.
    pub fn leading_guards(&self) -> &[usize] {
        &self.parameters.leading
    }

    /// The positions of the literals of the guards that [`EventCode::is_disabled`] tests.
    pub fn tested_guards(&self) -> &[usize] {
        &self.parameters.tested
    }

    /// Returns whether a guard that does not depend on the parameters is false.
    #[inline]
    pub fn is_disabled(&self, ctx: &mut Context<'m>) -> bool {
        self.parameters.is_refuted(ctx)
    }

    /// Number of words of an edge: parameters and results, a mask of two words, and the new values.
    pub fn edge_words(&self) -> usize {
        self.shown.len() + 2 + self.written.len()
    }

    /// Calls a function for every execution in the state in the slots, with the words of its edge, until it breaks.
    pub fn each_edge(
        &self,
        ctx: &mut Context<'m>,
        rows: &mut Vec<u32>,
        found: &mut dyn FnMut(&mut Vec<u32>) -> ControlFlow<()>,
    ) -> R<()> {
        let full = u64::MAX.checked_shr(64 - self.written.len().min(64) as u32).unwrap_or(0);
        let _every = self.parameters.run(ctx, &mut |ctx| {
            ctx.mask = 0;
            (self.body)(ctx, &mut |ctx| {
                if ctx.is_stopped() || ctx.executions.are_beyond() {
                    return Err(Fail);
                }
                rows.extend(self.shown.iter().map(|slot| ctx.slots[*slot]));
                if self.kept.is_empty() {
                    self.push(ctx, ctx.mask, rows);
                } else {
                    rows.extend([full as u32, (full >> 32) as u32]);
                    let both = self.written.iter().zip(&self.kept).enumerate();
                    let slot = |(i, (new, old))| if ctx.mask >> i & 1 == 1 { new } else { old };
                    rows.extend(both.map(|at: (usize, (&usize, &usize))| ctx.slots[*slot(at)]));
                }
                Ok(found(rows))
            })
        })?;
        Ok(())
    }

    /// Executes the event in the state in the slots: adds the updates of different targets to `updates`, and returns
    /// the number of different edges.
    #[inline]
    pub fn run(&self, ctx: &mut Context<'m>, edges: &mut Edges, updates: &mut Vec<u32>) -> R<u64> {
        updates.clear();
        if self.deterministic {
            return self.run_deterministic(ctx, updates);
        }
        edges.rows.clear();
        self.each_edge(ctx, &mut edges.rows, &mut |_| ControlFlow::Continue(()))?;
        let rows = &edges.rows;
        let (hidden, width) = (self.shown.len(), self.edge_words());
        let n = rows.len() / width;
        if n <= 1 {
            updates.extend(rows.iter().skip(hidden));
            return Ok(n as u64);
        }
        let row = |i: u32| &rows[i as usize * width..(i as usize + 1) * width];
        edges.order.clear();
        edges.order.extend(0..n as u32);
        edges.order.sort_unstable_by(|a, b| row(*a).cmp(row(*b)));
        edges.order.dedup_by(|a, b| row(*a) == row(*b));
        let count = edges.order.len() as u64;
        // Targets in the order of discovery, each once.
        edges.order.sort_unstable_by(|a, b| row(*a)[hidden..].cmp(&row(*b)[hidden..]).then(a.cmp(b)));
        edges.order.dedup_by(|a, b| row(*a)[hidden..] == row(*b)[hidden..]);
        edges.order.sort_unstable();
        for i in &edges.order {
            updates.extend_from_slice(&row(*i)[hidden..]);
        }
        Ok(count)
    }
}

impl<'m> EventCode<'m> {
    /// Runs an event whose executions are deterministic: different parameters are different edges, and each has one
    /// execution.
    /// Updates may be repeated.
    fn run_deterministic(&self, ctx: &mut Context<'m>, updates: &mut Vec<u32>) -> R<u64> {
        let mut count = 0;
        let _every = self.parameters.run(ctx, &mut |ctx| {
            ctx.mask = 0;
            (self.body)(ctx, &mut |ctx| {
                if ctx.is_stopped() || ctx.executions.are_beyond() {
                    return Err(Fail);
                }
                count += 1;
                self.push(ctx, ctx.mask, updates);
                GO
            })
        })?;
        Ok(count)
    }

    /// Executes the initialisation. Returns the first rows of new values, each once.
    pub fn initial(&self, ctx: &mut Context<'m>, limit: usize) -> R<Vec<u32>> {
        let mut rows: Vec<u32> = Vec::new();
        let mut seen = HashSet::new();
        let _every = (self.body)(ctx, &mut |ctx| {
            if ctx.is_stopped() || ctx.executions.are_beyond() {
                return Err(Fail);
            }
            let row: Vec<u32> = self.written.iter().map(|slot| ctx.slots[*slot]).collect();
            if !seen.contains(&row) {
                rows.extend_from_slice(&row);
                seen.insert(row);
            }
            if seen.len() < limit { GO } else { Ok(ControlFlow::Break(())) }
        })?;
        Ok(rows)
    }

    /// Appends the mask and the new values.
    #[inline]
    fn push(&self, ctx: &Context<'m>, mask: u64, out: &mut Vec<u32>) {
        out.extend([mask as u32, (mask >> 32) as u32]);
        let word = |(i, slot): (usize, &usize)| if mask >> i & 1 == 1 { ctx.slots[*slot] } else { 0 };
        out.extend(self.written.iter().enumerate().map(word));
    }
}
