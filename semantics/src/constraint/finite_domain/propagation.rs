//! Propagation to a fixed point: constraints are judged, and values of cells that they refute are removed.

use std::collections::VecDeque;

use bsym_language::model::{CompareOp, Pred};

use crate::constraint::finite_domain::node::{NEVER, Node};
use crate::constraint::finite_domain::problem::{Constraint, Disjunct, Judged, Problem, Trial};
use crate::constraint::finite_domain::term::{Comparison, Locals};
use crate::error::EvalErrorKind;
use crate::evaluator::Eval;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Env;
use crate::value::partial::Domain;

/// Truth of a constraint as far as the cells are decided.
enum Truth {
    Holds,
    Fails,
    /// Undecided. Holds the cells that the undecided disjuncts need, and whether nothing else can decide it.
    Open(Vec<usize>, bool),
}

impl<'a, 'p, 'm> Problem<'a, 'p, 'm> {
    /// Draws the consequences of some constraints; `false` if they cannot all hold.
    pub(super) fn propagate(&self, node: &mut Node, first: Vec<usize>) -> Eval<bool> {
        let mut queued = vec![false; self.constraints.len()];
        first.iter().for_each(|k| queued[*k] = true);
        let mut queue: VecDeque<usize> = first.into();
        let mut changed = Vec::new();
        let mut touched = vec![true; self.unknowns.len()];
        loop {
            while let Some(k) = queue.pop_front() {
                queued[k] = false;
                self.search.eval.proceed(self.search.at)?;
                if !self.revise(node, k, &mut changed)? || !self.all_different(node, &mut changed) {
                    self.bump_weights(node, k);
                    return Ok(false);
                }
                self.wake(node, &mut changed, &mut queue, &mut queued, &mut touched);
            }
            for (i, u) in self.unknowns.iter().enumerate() {
                if touched[i] {
                    touched[i] = false;
                    if !self.pigeonhole(node, u, &mut changed) || !self.all_different(node, &mut changed) {
                        return Ok(false);
                    }
                    self.wake(node, &mut changed, &mut queue, &mut queued, &mut touched);
                }
            }
            if queue.is_empty() && !touched.contains(&true) {
                return Ok(true);
            }
        }
    }

    /// Queues the constraints that wait for changed cells.
    fn wake(
        &self,
        node: &Node,
        changed: &mut Vec<usize>,
        queue: &mut VecDeque<usize>,
        queued: &mut [bool],
        touched: &mut [bool],
    ) {
        for c in changed.drain(..) {
            touched[node.owner[c] as usize] = true;
            let mut enqueue = |k: usize| {
                if !queued[k] {
                    queued[k] = true;
                    queue.push_back(k);
                }
            };
            let open = node.is_open(c);
            for k in &self.watched[c] {
                let constraint = &self.constraints[*k];
                let rest = constraint.heavy.is_some()
                    || constraint.comparison.as_ref().is_some_and(|c| c.op == CompareOp::NotEqual);
                if !(open && rest) {
                    enqueue(*k);
                }
            }
            if !open {
                let waiting = |w: &[u32; 2]| w.contains(&(c as u32));
                node.waits.iter().enumerate().filter(|(_, w)| waiting(w)).for_each(|(k, _)| enqueue(k));
            }
        }
    }

    /// Increases the weights of the cells of a constraint that failed.
    fn bump_weights(&self, node: &Node, k: usize) {
        let mut weights = self.weights.borrow_mut();
        for c in node.waits[k].iter().filter(|c| **c != NEVER) {
            weights[*c as usize] += 1.0;
        }
    }

    /// Revises one constraint: narrows the cells that it confines; `false` if it cannot hold.
    fn revise(&self, node: &mut Node, k: usize, changed: &mut Vec<usize>) -> Eval<bool> {
        let constraint = &self.constraints[k];
        if let Some(comparison) = &constraint.comparison {
            let counts = comparison.has_size();
            if counts {
                self.refresh(node);
            }
            if !self.compare(node, comparison, changed) {
                return Ok(false);
            }
            let mut open = constraint.cells.iter().copied().filter(|c| node.is_open(*c));
            let (first, second) = (open.next(), open.next());
            // Its bounds narrow more than trying one of several cells would.
            if second.is_some() || (first.is_none() && constraint.clause.is_empty() && !comparison.is_exact())
            {
                return Ok(true);
            }
            if !counts && comparison.is_exact() {
                return Ok(self.last_cell(node, first, comparison, changed));
            }
        }
        if let Some(cells) = &constraint.heavy
            && cells.iter().filter(|c| node.is_open(**c)).count() > Tuning::DEFAULT.finite_domain.heavy_cells
        {
            return Ok(true);
        }
        self.refresh(node);
        let (cell, certain) = match self.judge(node, None, constraint)? {
            Truth::Holds => {
                node.waits[k] = [NEVER; 2];
                return Ok(true);
            }
            Truth::Fails => return Ok(false),
            Truth::Open(cells, certain) => match cells[..] {
                [] => {
                    node.waits[k] = [NEVER; 2];
                    return Ok(true);
                }
                [cell] => (cell, certain),
                [first, second, ..] => {
                    node.waits[k] = [first as u32, second as u32];
                    return Ok(true);
                }
            },
        };
        node.waits[k] = [cell as u32, NEVER];
        let Some(values) = node.listed(cell).filter(|_| certain) else { return Ok(true) };
        let mut kept = Vec::with_capacity(values.len());
        let mut second = NEVER;
        for v in &values {
            match self.judge(node, Some((cell, v)), constraint)? {
                Truth::Fails => continue,
                Truth::Open(cells, _) if second == NEVER => {
                    second = cells.first().map_or(NEVER, |c| *c as u32);
                }
                _ => {}
            }
            kept.push(v.clone());
        }
        node.waits[k] = [cell as u32, second];
        if kept.len() < values.len() {
            return Ok(node.set(cell, Domain::Listed(kept), changed));
        }
        Ok(true)
    }

    /// Keeps the values of the only open cell under which a comparison holds.
    fn last_cell(
        &self,
        node: &mut Node,
        cell: Option<usize>,
        comparison: &Comparison<'p>,
        changed: &mut Vec<usize>,
    ) -> bool {
        let Some(cell) = cell else { return self.compared(node, None, comparison) != Some(false) };
        let Some(values) = node.listed(cell) else { return true };
        let holds = |v: &Option<Value>| self.compared(node, Some((cell, v)), comparison) != Some(false);
        let kept: Vec<_> = values.iter().filter(|v| holds(v)).cloned().collect();
        kept.len() == values.len() || node.set(cell, Domain::Listed(kept), changed)
    }

    /// Returns the truth of a disjunct about one cell.
    fn of_cell(
        &self,
        node: &Node,
        trial: Trial<'_>,
        (cell, value, is): &(usize, Value, bool),
    ) -> Option<bool> {
        if let Some((tried, v)) = trial
            && tried == *cell
        {
            return Some((v.as_ref() == Some(value)) == *is);
        }
        match node.cells[*cell].decided() {
            Some(v) => Some((v.as_ref() == Some(value)) == *is),
            None if !node.cells[*cell].may_be(value) => Some(!*is),
            None => None,
        }
    }

    /// Returns the truth of a constraint; a cell may be tried with a value. The truth of a constraint on two cells is
    /// cached by their values.
    fn judge(&self, node: &Node, trial: Trial<'_>, constraint: &Constraint<'p>) -> Eval<Truth> {
        let Some([a, b]) = constraint.pair else { return self.judge_anew(node, trial, constraint) };
        let value = |cell: usize| match trial {
            Some((tried, v)) if tried == cell => Some(v.clone()),
            _ => node.cells[cell].decided(),
        };
        match (value(a), value(b)) {
            (Some(x), Some(y)) => {
                let key = (x, y);
                if let Some(holds) = constraint.table.borrow().get(&key) {
                    return Ok(if *holds { Truth::Holds } else { Truth::Fails });
                }
                let truth = self.judge_anew(node, trial, constraint)?;
                match truth {
                    Truth::Holds => _ = constraint.table.borrow_mut().insert(key, true),
                    Truth::Fails => _ = constraint.table.borrow_mut().insert(key, false),
                    Truth::Open(..) => {}
                }
                Ok(truth)
            }
            (None, Some(_)) => Ok(Truth::Open(vec![a], true)),
            (Some(_), None) => Ok(Truth::Open(vec![b], true)),
            (None, None) => Ok(Truth::Open(vec![a, b], true)),
        }
    }

    fn judge_anew(&self, node: &Node, trial: Trial<'_>, constraint: &Constraint<'p>) -> Eval<Truth> {
        let mut cells = Vec::new();
        let mut certain = true;
        if let Some(((x, of_x), (y, of_y))) = &constraint.differ {
            let at = self.search.at;
            let truth = self.asking(node, trial, of_x, &mut cells, |env| {
                let eval = self.search.eval;
                let x = eval.expr(env, x)?;
                let frame = env.frame(of_y);
                Ok(!eval.equal(&x, &eval.expr(&env.within(&frame), y)?, at)?)
            })?;
            return Ok(match truth {
                Some(true) => Truth::Holds,
                Some(false) => Truth::Fails,
                None => Truth::Open(cells, true),
            });
        }
        if let Some(comparison) = constraint.comparison.as_ref().filter(|c| constraint.total && c.is_exact())
        {
            return Ok(match self.compared(node, trial, comparison) {
                Some(true) => Truth::Holds,
                Some(false) => Truth::Fails,
                None => Truth::Open(self.counted_by(node, trial, comparison).into_iter().collect(), true),
            });
        }
        for disjunct in &constraint.clause {
            let before = cells.len();
            match self.disjunct_truth(node, trial, constraint, disjunct, &mut cells)? {
                Some(true) => return Ok(Truth::Holds),
                Some(false) => cells.truncate(before),
                // A disjunct that needs no cell may hold for other reasons.
                None => certain &= cells.len() > before,
            }
        }
        if cells.is_empty() && certain {
            return Ok(Truth::Fails);
        }
        let mut distinct = Vec::with_capacity(2);
        cells.into_iter().for_each(|c| {
            if !distinct.contains(&c) {
                distinct.push(c);
            }
        });
        Ok(Truth::Open(distinct, certain))
    }

    /// Returns the truth of a disjunct; if it is undecided, adds the cell that it needs.
    fn disjunct_truth(
        &self,
        node: &Node,
        trial: Trial<'_>,
        constraint: &Constraint<'p>,
        disjunct: &Disjunct<'p>,
        cells: &mut Vec<usize>,
    ) -> Eval<Option<bool>> {
        self.search.eval.pay(self.search.at)?;
        if let Some(atom) = &disjunct.atom {
            let truth = self.of_cell(node, trial, atom);
            cells.extend(truth.is_none().then_some(atom.0));
            return Ok(truth);
        }
        if let Some(comparison) = &disjunct.comparison {
            let truth = self.compared(node, trial, comparison);
            if truth.is_none() {
                let mut named = Vec::new();
                comparison.left.cells(&mut named);
                comparison.right.cells(&mut named);
                let tried = |c: &usize| trial.is_some_and(|(t, _)| t == *c);
                let named = named.into_iter().find(|c| node.is_open(*c) && !tried(c));
                cells.extend(named.or_else(|| self.counted_by(node, trial, comparison)));
            }
            return Ok(truth);
        }
        let mut open = false;
        for (positive, pred) in &disjunct.parts {
            let judge = |env: &Env<'_>| {
                let frame = env.frame(&disjunct.locals);
                self.search.eval.pred(&env.within(&frame), pred)
            };
            let truth = match self.asking(node, trial, &constraint.locals, cells, judge)? {
                None if constraint.total => self.refine(node, trial, constraint, disjunct, pred, *positive),
                truth => truth,
            };
            match truth {
                Some(truth) if truth != *positive => return Ok(Some(false)),
                Some(_) => {}
                None => open = true,
            }
        }
        Ok((!open).then_some(true))
    }

    /// Decides an undecided disjunct by the bounds of sets and integers; `None` if they leave it open.
    fn refine(
        &self,
        node: &Node,
        trial: Trial<'_>,
        constraint: &Constraint<'p>,
        disjunct: &Disjunct<'p>,
        pred: &Pred,
        positive: bool,
    ) -> Option<bool> {
        if let Some(comparison) = &constraint.comparison {
            // The comparison states the same as the disjunct, negated or not.
            return self.compared(node, trial, comparison).map(|truth| truth == positive);
        }
        self.with_env(node, trial, &constraint.locals, |env| {
            let frame = env.frame(&disjunct.locals);
            self.search.eval.compare_enclosed(&env.within(&frame), pred)
        })
    }

    /// Evaluates; if the result is undecided, adds the cell that it needs.
    fn asking(
        &self,
        node: &Node,
        trial: Trial<'_>,
        locals: &Locals,
        cells: &mut Vec<usize>,
        inside: impl FnOnce(&Env<'_>) -> Judged,
    ) -> Eval<Option<bool>> {
        match self.with_env(node, trial, locals, inside) {
            Ok(truth) => Ok(Some(truth)),
            Err(e) if e.kind == EvalErrorKind::Interrupted => Err(e),
            Err(e) => {
                match e.awaits {
                    Some(id) if id.search == self.id => cells.push(id.cell as usize),
                    other => self.search.note(other),
                }
                Ok(None)
            }
        }
    }
}
