//! The problem: unknowns in cells, the constraints on them, and the values of the unknowns at a node of the search.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bsym_language::model::{Expr, ExprKind, Pred};

use crate::constraint::finite_domain::node::Node;
use crate::constraint::finite_domain::term::{Comparison, Locals};
use crate::constraint::search::{Binding, Flow, Report, Search};
use crate::evaluator::Eval;
use crate::evaluator::free_names::all_bound;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::{PartialValue, Shape, as_partial};

/// A cell that is tried with a value.
pub(super) type Trial<'t> = Option<(usize, &'t Option<Value>)>;

/// An unknown in cells.
#[derive(Clone)]
pub(super) struct Unknown {
    pub(super) position: usize,
    pub(super) name: Name,
    pub(super) first: usize,
    pub(super) shape: Arc<Shape>,
    pub(super) cells: usize,
}

/// A conjunction of predicates, or negations of such, under values of its own locals.
pub(super) struct Disjunct<'p> {
    pub(super) parts: Vec<(bool, &'p Pred)>,
    /// Values of its locals, in front of those of the constraint.
    pub(super) locals: Locals,
    /// Fact that the disjunct states about one cell: it has this value, or (false) does not have it.
    pub(super) atom: Option<(usize, Value, bool)>,
    /// Comparison that the disjunct states.
    pub(super) comparison: Option<Comparison<'p>>,
}

/// An expression under values of locals.
pub(super) type Located<'p> = (&'p Expr, Locals);

/// Truth values by the values of two cells.
pub(super) type Table = HashMap<(Option<Value>, Option<Value>), bool>;

/// A constraint: some disjunct of the clause holds, two expressions differ, or a comparison holds. A comparison next to
/// a clause states the same as its only disjunct.
#[derive(Default)]
pub(super) struct Constraint<'p> {
    pub(super) clause: Vec<Disjunct<'p>>,
    pub(super) differ: Option<(Located<'p>, Located<'p>)>,
    pub(super) comparison: Option<Comparison<'p>>,
    /// The cells that the comparison names.
    pub(super) cells: Vec<usize>,
    pub(super) locals: Locals,
    /// `true` if it cannot be ill-defined.
    pub(super) total: bool,
    /// The cells that it depends on, if judging it takes long.
    pub(super) heavy: Option<Vec<usize>>,
    /// The two cells that it depends on, if it depends on no others.
    pub(super) pair: Option<[usize; 2]>,
    /// Its truth by the values of the two cells.
    pub(super) table: RefCell<Table>,
}

/// The cells of some unknowns with their constraints.
pub(super) struct Problem<'a, 'p, 'm> {
    pub(super) search: &'a Search<'p, 'm>,
    pub(super) env: &'a Env<'a>,
    pub(super) id: u32,
    pub(super) unknowns: Vec<Unknown>,
    pub(super) constraints: Vec<Constraint<'p>>,
    /// The constraints to look at when the domain of a cell changes.
    pub(super) watched: Vec<Vec<usize>>,
    /// Cells that an equation decides once others are decided.
    pub(super) defined: Vec<bool>,
    /// Number of failures of constraints on each cell.
    pub(super) weights: RefCell<Vec<f64>>,
    pub(super) root: Node,
}

impl<'a, 'p, 'm> Problem<'a, 'p, 'm> {
    pub(super) fn unknown_at(&self, position: usize) -> Option<&Unknown> {
        self.unknowns.iter().find(|u| u.position == position)
    }

    /// Returns the unknown that an expression denotes.
    pub(super) fn unknown_of(&self, e: &Expr) -> Option<&Unknown> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(*l),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().find(|u| u.name == name)
    }

    pub(super) fn is_closed(&self, env: &Env<'_>, e: &Expr) -> bool {
        all_bound(env, e)
    }

    pub(super) fn refresh_root(&mut self) {
        let mut root = self.root.clone();
        self.refresh(&mut root);
        self.root = root;
    }

    /// Updates the values of the unknowns.
    pub(super) fn refresh(&self, node: &mut Node) {
        for (i, u) in self.unknowns.iter().enumerate() {
            if !node.stale[i] {
                continue;
            }
            node.stale[i] = false;
            let cells = &node.cells[u.first..u.first + u.cells];
            let decided: Option<Vec<Option<Value>>> = cells.iter().map(|d| d.decided()).collect();
            node.names[i].1 = match decided {
                Some(values) => finished(u, values),
                None => LazySet::Partial(PartialValue {
                    search: self.id,
                    first: u.first,
                    shape: u.shape.clone(),
                    cells: Arc::new(cells.to_vec()),
                    trial: None,
                })
                .into(),
            };
        }
    }

    /// Evaluates in the environment of a node, perhaps with a cell tried with a value.
    pub(super) fn with_env<T>(
        &self,
        node: &Node,
        trial: Trial<'_>,
        locals: &Locals,
        inside: impl FnOnce(&Env<'_>) -> T,
    ) -> T {
        let tried = trial.map(|(cell, value)| {
            let owner = node.owner[cell] as usize;
            let u = &self.unknowns[owner];
            let Some(partial) = as_partial(&node.names[owner].1) else { return node.names[owner].clone() };
            let trial = (cell - u.first, value.clone());
            let tried = PartialValue { trial: Some(trial), ..partial.clone() };
            let states: Option<Vec<_>> = match tried.cells.iter().filter(|d| !d.is_decided()).count() {
                0 | 1 => (0..u.cells).map(|i| tried.state(i)).collect(),
                _ => None,
            };
            let value = match states {
                Some(values) => finished(u, values),
                None => LazySet::Partial(tried).into(),
            };
            (u.name, value)
        });
        let outer = self.env.frame(&node.names);
        let env = self.env.within(&outer);
        let over = env.frame(tried.as_slice());
        let env = env.within(&over);
        let frame = env.frame(locals);
        inside(&env.within(&frame))
    }

    /// Returns the values of the decided unknowns.
    pub(super) fn solution(&self, node: &Node, bound: &Binding) -> Binding {
        let mut next = bound.clone();
        for (i, u) in self.unknowns.iter().enumerate() {
            if (u.first..u.first + u.cells).all(|c| !node.is_open(c)) {
                next[u.position] = Some(node.names[i].1.clone());
            }
        }
        next
    }

    pub(super) fn report(
        &self,
        node: &mut Node,
        bound: &Binding,
        settled: &[bool],
        report: Report<'_>,
    ) -> Flow {
        self.refresh(node);
        let mut next = self.solution(node, bound);
        self.search.candidate(&mut next, settled, report)
    }
}

/// Returns the value of an unknown whose cells are all decided.
pub(super) fn finished(u: &Unknown, values: Vec<Option<Value>>) -> Value {
    match &*u.shape {
        Shape::Single => values.into_iter().flatten().next().unwrap_or_else(Value::empty),
        shape => Value::set(values.into_iter().enumerate().filter_map(|(i, v)| shape.element(i, v))),
    }
}

/// An evaluation that may be undecided.
pub(super) type Judged = Eval<bool>;
