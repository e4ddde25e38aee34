//! Search over cells: functions point by point, sets element by element, other unknowns as one cell each.
//!
//! Every cell has a finite domain or is an integer between bounds. The literals become constraints,
//! quantifiers over known sets written out. A constraint is judged by the evaluator under what is decided
//! so far; where it is undecided the error names the cell that it waits for, the values of that cell under which it
//! is false are dropped, and it is looked at again when that cell, or the one that it asks for next, is
//! decided (Moskewicz, Madigan, Zhao, Zhang, Malik: *Chaff*, DAC 2001, watch clauses in this way).
//! Comparisons of integers narrow bounds. The search decides the cell with the fewest values first, those
//! of constraints that failed often before others (Boussemart, Hemery, Lecoutre, Saïs: *Boosting
//! systematic search by weighting constraints*, ECAI 2004).
//!
//! In the order in which a literal goes through them:
//!
//! - `variables`: which unknowns are cut into cells, and `shape`: into which
//! - `grounding`: literals become constraints; `term`: the integer terms in them
//! - `problem`: unknowns and constraints; `dependencies`: the cells that a constraint depends on
//! - `node`: what each cell may still be; `bounds`: bounds of integers
//! - `propagation`, `integer_propagation` and `all_different`: what follows for the cells
//! - `branching`: which cell is decided next

mod all_different;
mod bounds;
mod branching;
mod dependencies;
mod grounding;
mod integer_propagation;
mod node;
mod problem;
mod propagation;
mod shape;
mod term;
mod variables;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::constraint::finite_domain::node::{NEVER, Node};
use crate::constraint::finite_domain::problem::{Problem, Unknown};
use crate::constraint::search::{Binding, Flow, GO, Report, Search};
use crate::value::Value;
use crate::value::env::Env;
use crate::value::partial::{Domain, Shape};

// The number of the next search: cells are told apart by it. It decides nothing.
thread_local! {
    static SEARCHES: Cell<u32> = const { Cell::new(0) };
}

/// Result of a search over cells.
pub(super) enum CellSearch {
    /// The search is not worthwhile, or not possible.
    Declined,
    /// The result of the search.
    Done(Flow),
}

/// Result of one attempt: that of the search, or the unknowns of which a cell stays unbounded.
enum Attempt {
    Done(Flow),
    Without(Vec<usize>),
}

impl<'p> Search<'p, '_> {
    /// Searches over the cells of the open unknowns, if that is worthwhile.
    pub(super) fn over_cells(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        report: Report<'_>,
    ) -> CellSearch {
        let mut without = Vec::new();
        loop {
            let Some(cut) = self.in_cells(env, bound, settled, &without) else { return CellSearch::Declined };
            match self.attempt(env, cut, bound, settled, report) {
                Attempt::Done(flow) => return CellSearch::Done(flow),
                Attempt::Without(more) => without.extend(more),
            }
        }
    }

    fn attempt(
        &self,
        env: &Env<'_>,
        (unknowns, cells, exact): (Vec<Unknown>, Vec<Domain>, Vec<usize>),
        bound: &Binding,
        settled: &[bool],
        report: Report<'_>,
    ) -> Attempt {
        let id = SEARCHES.get();
        SEARCHES.set(id.wrapping_add(1));
        let owner = unknowns.iter().enumerate().flat_map(|(u, k)| vec![u as u32; k.cells]).collect();
        let root = Node {
            names: unknowns.iter().map(|u| (u.name, Value::Bool(false))).collect(),
            stale: vec![true; unknowns.len()],
            owner: Arc::new(owner),
            waits: Vec::new(),
            cells: cells.into_iter().map(Arc::new).collect(),
        };
        let mut problem = Problem {
            search: self,
            env,
            id,
            watched: vec![Vec::new(); root.cells.len()],
            weights: RefCell::new(vec![1.0; root.cells.len()]),
            defined: self.defined(&unknowns, settled),
            unknowns,
            constraints: Vec::new(),
            root,
        };
        problem.run(bound, settled, &exact, report)
    }
}

impl Problem<'_, '_, '_> {
    fn run(&mut self, bound: &Binding, settled: &[bool], exact: &[usize], report: Report<'_>) -> Attempt {
        let search = self.search;
        self.refresh_root();
        let names = self.root.names.clone();
        let frame = self.env.frame(&names);
        let partial = self.env.within(&frame);
        for (i, literal) in search.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            let total = search.is_total(&partial, i);
            if !exact.contains(&i) && !literal.needs.is_empty() {
                // A literal that needs an unknown without cells waits for it.
                let open = |n: &usize| bound[*n].is_none() && self.unknown_at(*n).is_none();
                if !literal.needs.iter().any(open) {
                    let env = *self.env;
                    self.add(&env, literal.positive, literal.pred, total);
                }
            }
            if !total {
                break;
            }
        }
        let mut root = self.root.clone();
        root.waits = vec![[NEVER; 2]; self.constraints.len()];
        self.watch();
        let every: Vec<usize> = (0..self.constraints.len()).collect();
        let mut decided = (0..root.cells.len()).filter(|c| !root.is_open(*c)).collect();
        if !self.all_different(&mut root, &mut decided) {
            return Attempt::Done(Ok(GO));
        }
        match self.propagate(&mut root, every) {
            Err(e) => return Attempt::Done(Err(e)),
            Ok(false) => return Attempt::Done(Ok(GO)),
            Ok(true) => {}
        }
        // A component that is unrelated to the rest and unsolvable is detected once.
        for component in self.components() {
            match self.is_solvable(&root, &|c| component.contains(&(root.owner[c] as usize))) {
                Err(e) => return Attempt::Done(Err(e)),
                Ok(false) => return Attempt::Done(Ok(GO)),
                Ok(true) => {}
            }
        }
        let infinite = |u: &&Unknown| (u.first..u.first + u.cells).any(|c| root.cells[c].count().is_none());
        let sets: Vec<usize> = self
            .unknowns
            .iter()
            .filter(|u| *u.shape != Shape::Single)
            .filter(infinite)
            .map(|u| u.position)
            .collect();
        if !sets.is_empty() {
            return Attempt::Without(sets);
        }
        if self.unknowns.iter().all(|u| infinite(&u)) {
            return Attempt::Without(self.unknowns.iter().map(|u| u.position).collect());
        }
        Attempt::Done(self.enumerate(root, bound, settled, report))
    }
}
