//! Search over cells: functions point by point, sets element by element, other unknowns as one cell each.
//!
//! Every cell has a finite domain or is an integer between bounds. The literals become [`Constraint`]s,
//! quantifiers over known sets written out. A constraint is judged by the evaluator under what is decided
//! so far; where it is undecided it says which cell it asked for, the values of that cell under which it
//! is false are dropped, and it is looked at again when that cell, or the one that it asks for next, is
//! decided (Moskewicz, Madigan, Zhao, Zhang, Malik: *Chaff*, DAC 2001, watch clauses in this way).
//! Comparisons of integers narrow bounds. The search decides the cell with the fewest values first, those
//! of constraints that failed often before others (Boussemart, Hemery, Lecoutre, Saïs: *Boosting
//! systematic search by weighting constraints*, ECAI 2004).

mod grounding;
mod integer_term;
mod node;
mod propagation;
mod shape;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bsym_language::model::{CompareOp, Expr, ExprKind, Pred, PredKind};
use bsym_language::types::Type;

use self::integer_term::Comparison;
use self::node::{NEVER, Node};
use self::shape::integers;
use super::{Binding, Flow, GO, LISTED, Report, Search};
use crate::evaluator::Eval;
use crate::evaluator::free_names::{all_bound, names_of_expr, names_of_pred};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::LazySet;
use crate::value::partial::{Domain, PartialValue, Shape, as_partial};

/// What takes long to judge is judged when no more cells are open.
const LAST: usize = 2;

/// Most constraints that are written out.
const MANY: usize = 1 << 15;

/// Fewer combinations of values are enumerated without much ado.
const WORTHWHILE: f64 = 20_000.0;

/// Values of the locals of a constraint.
type Locals = Arc<[(Name, Value)]>;

/// A cell tried with a value.
type Trial<'t> = Option<(usize, &'t Option<Value>)>;

/// An unknown in cells.
#[derive(Clone)]
struct Unknown {
    position: usize,
    name: Name,
    first: usize,
    shape: Arc<Shape>,
    cells: usize,
}

/// A conjunction of predicates, or negations of such, under values of its own locals.
struct Literal<'p> {
    parts: Vec<(bool, &'p Pred)>,
    /// In front of those of the constraint.
    locals: Locals,
    /// The literal says that this cell has this value, or (false) that it has not.
    atom: Option<(usize, Value, bool)>,
    /// The literal says this.
    comparison: Option<Comparison<'p>>,
}

/// An expression under values of locals.
type Located<'p> = (&'p Expr, Locals);

/// Truth by the values of two cells.
type Table = HashMap<(Option<Value>, Option<Value>), bool>;

/// What has to hold: some literal of the clause, the difference of two expressions, a comparison. A
/// comparison beside a clause says the same as its only literal.
#[derive(Default)]
struct Constraint<'p> {
    clause: Vec<Literal<'p>>,
    differ: Option<(Located<'p>, Located<'p>)>,
    comparison: Option<Comparison<'p>>,
    /// The cells that the comparison names.
    cells: Vec<usize>,
    locals: Locals,
    /// Whether it cannot be ill-defined.
    total: bool,
    /// Where to judge it takes long: the cells that it depends on.
    heavy: Option<Vec<usize>>,
    /// Where it depends on two cells alone: these.
    pair: Option<[usize; 2]>,
    /// Its truth by the values of the two cells.
    table: RefCell<Table>,
}

/// The cells of some unknowns and what confines them.
pub(super) struct Plan<'a, 'p, 'm> {
    search: &'a Search<'p, 'm>,
    env: &'a Env<'a>,
    id: u32,
    unknowns: Vec<Unknown>,
    constraints: Vec<Constraint<'p>>,
    /// The constraints to look at when the domain of a cell changes.
    watched: Vec<Vec<usize>>,
    /// Cells that an equation decides once others are decided.
    defined: Vec<bool>,
    /// How often constraints on a cell failed.
    weights: RefCell<Vec<f64>>,
    root: Node,
}

thread_local! {
    static SEARCHES: Cell<u32> = const { Cell::new(0) };
}

/// What became of a search over cells.
pub(super) enum Outcome {
    /// It is not worth while, or not possible.
    Declined,
    /// What the search came to.
    Done(Flow),
}

/// The same, or the unknowns of which a cell stays unbounded.
enum Attempt {
    Done(Flow),
    Without(Vec<usize>),
}

impl<'p, 'm> Search<'p, 'm> {
    /// Searches over the cells of the unknowns that are open, if that is worth while.
    pub(super) fn over_cells(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        report: Report<'_>,
    ) -> Outcome {
        let mut without = Vec::new();
        loop {
            let Some(cut) = self.in_cells(env, bound, settled, &without) else { return Outcome::Declined };
            match self.attempt(env, cut, bound, settled, report) {
                Attempt::Done(flow) => return Outcome::Done(flow),
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
        let mut plan = Plan {
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
        plan.run(bound, settled, &exact, report)
    }

    /// The open unknowns that can be cut into cells, their domains, and the literals that say no more than
    /// these.
    fn in_cells(
        &self,
        env: &Env<'_>,
        bound: &Binding,
        settled: &[bool],
        without: &[usize],
    ) -> Option<(Vec<Unknown>, Vec<Domain>, Vec<usize>)> {
        let mut sets: Vec<Vec<(usize, Value)>> = vec![Vec::new(); bound.len()];
        let mut joined = vec![false; bound.len()];
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            if let PredKind::Compare(op, x, set) = &literal.pred.kind {
                let closed = |e: &Expr| self.closed_value(env, e);
                match super::effective(*op, literal.positive) {
                    CompareOp::Member => match self.unknown(x, bound) {
                        Some(u) => sets[u].extend(closed(set).map(|s| (i, s))),
                        None if self.is_pattern(env, x, bound) => {
                            let names = names_of_expr(x);
                            (0..bound.len())
                                .filter(|u| names.contains(&self.unknowns[*u]))
                                .for_each(|u| joined[u] = true);
                        }
                        None => {}
                    },
                    op @ (CompareOp::Subset | CompareOp::StrictSubset) => {
                        if let Some(u) = self.unknown(x, bound) {
                            let set = closed(set).and_then(|s| self.eval.normal(s, self.at).ok());
                            // A proper part is more than a part: the literal stays.
                            let i = if op == CompareOp::Subset { i } else { usize::MAX };
                            sets[u].extend(set.map(|s| (i, LazySet::Power(s).into())));
                        }
                    }
                    _ => {}
                }
            }
            if !self.is_total(env, i) {
                break;
            }
        }
        let (mut unknowns, mut domains, mut exact) = (Vec::new(), Vec::new(), Vec::new());
        let mut combinations = 1.0f64;
        let mut structured = false;
        for (position, name) in self.unknowns.iter().enumerate() {
            if bound[position].is_some() || without.contains(&position) {
                continue;
            }
            let Some((shape, cells, literal)) = self.cells_of(*name, &sets[position]) else { continue };
            let size = |d: &Domain| d.count().map_or(f64::INFINITY, |n| n as f64);
            let all: f64 = cells.iter().map(size).product();
            if shape == Shape::Single {
                if !joined[position] && all.is_finite() {
                    combinations *= all;
                }
            } else if all > super::FEW as f64 && self.is_needed(position, literal, settled) {
                structured = true;
            }
            exact.extend(literal);
            unknowns.push(Unknown {
                position,
                name: *name,
                first: domains.len(),
                shape: Arc::new(shape),
                cells: cells.len(),
            });
            domains.extend(cells);
        }
        (structured || (combinations > WORTHWHILE && unknowns.len() > 1))
            .then_some((unknowns, domains, exact))
    }

    /// The cells of sets that an equation gives in terms of other unknowns.
    fn defined(&self, unknowns: &[Unknown], settled: &[bool]) -> Vec<bool> {
        let is_defined = |u: &Unknown| {
            let equations = self.literals.iter().enumerate().filter(|(i, l)| l.positive && !settled[*i]);
            let mut sides = equations.filter_map(|(_, l)| match &l.pred.kind {
                PredKind::Compare(CompareOp::Equal, a, b) if self.named(a) == Some(u.position) => Some(b),
                PredKind::Compare(CompareOp::Equal, a, b) if self.named(b) == Some(u.position) => Some(a),
                _ => None,
            });
            u.shape != Shape::Single.into() && sides.any(|e| !names_of_expr(e).contains(&u.name))
        };
        unknowns.iter().flat_map(|u| vec![is_defined(u); u.cells]).collect()
    }

    /// Whether a literal other than the given one needs an unknown.
    fn is_needed(&self, unknown: usize, literal: Option<usize>, settled: &[bool]) -> bool {
        (0..self.literals.len())
            .any(|i| Some(i) != literal && !settled[i] && self.literals[i].needs.contains(&unknown))
    }

    /// An unknown in cells, and the literal that this takes care of.
    fn cells_of(&self, name: Name, sets: &[(usize, Value)]) -> Option<(Shape, Vec<Domain>, Option<usize>)> {
        let ty = self.eval.type_of(name)?;
        let of_type = self.eval.type_values(ty);
        if let Type::Pow(_) = ty {
            let mut best: Option<(f64, Shape, Vec<Domain>, Option<usize>)> = None;
            let all = sets.iter().map(|(i, s)| (Some(*i).filter(|i| *i != usize::MAX), s));
            let all = all.chain([(None, &of_type)]);
            for (literal, set) in all {
                let Ok(Some((shape, cells))) = self.eval.shape(set, self.at) else { continue };
                let size = |d: &Domain| d.count().map_or(1e6, |n| n as f64).ln();
                let bits: f64 = cells.iter().map(size).sum();
                if best.as_ref().is_none_or(|(b, ..)| bits < *b) {
                    best = Some((bits, shape, cells, literal.filter(|_| says_no_more(set))));
                }
            }
            return best.map(|(_, shape, cells, literal)| (shape, cells, literal));
        }
        let listed = |set: &Value| {
            self.eval.cardinality(set, self.at).ok()?.within(LISTED)?;
            let listed = self.eval.try_list(set, self.at).ok()??;
            let plain = !listed.first().is_some_and(Value::has_lazy);
            (plain && !listed.is_empty()).then(|| Domain::Listed(listed.iter().cloned().map(Some).collect()))
        };
        let mut domains: Vec<Domain> = sets.iter().filter_map(|(_, s)| listed(s)).collect();
        domains.sort_by_key(|d| d.count());
        let domain = match domains.into_iter().next() {
            Some(domain) => domain,
            None if *ty == Type::Int => {
                let spans = sets.iter().filter_map(|(_, s)| integers(s));
                spans.fold(Domain::Span(None, None), |all, span| match (all, span) {
                    (Domain::Span(l, h), Domain::Span(m, i)) => {
                        let high = h.into_iter().chain(i).min();
                        Domain::Span(l.max(m), high)
                    }
                    (all, _) => all,
                })
            }
            None => listed(&of_type)?,
        };
        Some((Shape::Single, vec![domain], None))
    }
}

/// Whether being in cells of this set is all that membership says.
fn says_no_more(set: &Value) -> bool {
    use bsym_language::model::UnaryOp;
    match set {
        Value::Lazy(lazy) => match &**lazy {
            LazySet::Power(_) | LazySet::Unary(UnaryOp::Perm | UnaryOp::Fin, _) => true,
            LazySet::Binary(op, ..) => {
                op.relation_space().is_some_and(|k| k.functional || !(k.total || k.surjective || k.injective))
            }
            _ => false,
        },
        _ => false,
    }
}

impl<'a, 'p, 'm> Plan<'a, 'p, 'm> {
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
                // What needs an unknown without cells waits for it.
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
        if !self.spread(&mut root, &mut decided) {
            return Attempt::Done(Ok(GO));
        }
        match self.propagate(&mut root, every) {
            Err(e) => return Attempt::Done(Err(e)),
            Ok(false) => return Attempt::Done(Ok(GO)),
            Ok(true) => {}
        }
        // What has nothing to do with the rest and no solution is found out once.
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

    fn unknown_at(&self, position: usize) -> Option<&Unknown> {
        self.unknowns.iter().find(|u| u.position == position)
    }

    /// The unknown that an expression is.
    fn unknown_of(&self, e: &Expr) -> Option<&Unknown> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(*l),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().find(|u| u.name == name)
    }

    fn is_closed(&self, env: &Env<'_>, e: &Expr) -> bool {
        all_bound(env, e)
    }

    /// For each cell, the constraints to look at when its domain changes.
    fn watch(&mut self) {
        let mut constraints = std::mem::take(&mut self.constraints);
        for (k, constraint) in constraints.iter_mut().enumerate() {
            let of_names = |clause: &[Literal<'_>]| {
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
            let heavy = |l: &Literal<'_>| {
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
                for literal in &constraint.clause {
                    match (&literal.atom, &literal.comparison) {
                        (Some((cell, ..)), _) => cells.push(*cell),
                        (None, Some(comparison)) => {
                            comparison.left.cells(&mut cells);
                            comparison.right.cells(&mut cells);
                        }
                        (None, None) => cells.extend(of_names(std::slice::from_ref(literal))),
                    }
                }
                cells.sort_unstable();
                cells.dedup();
                constraint.heavy = (cells.len() > LAST).then(|| cells.clone());
            }
            cells.into_iter().for_each(|c| self.watched[c].push(k));
        }
        self.constraints = constraints;
    }

    /// The unknowns that constraints connect, if they are not all connected.
    fn components(&self) -> Vec<BTreeSet<usize>> {
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
        let said = |l: &Literal<'_>| l.atom.is_some() || l.comparison.is_some();
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
        for literal in &constraint.clause {
            let locals: Locals = literal.locals.iter().chain(constraint.locals.iter()).cloned().collect();
            if !literal.parts.iter().all(|(_, p)| self.cells_in(Part::Pred(p), &locals, &mut cells)) {
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

    fn refresh_root(&mut self) {
        let mut root = self.root.clone();
        self.refresh(&mut root);
        self.root = root;
    }

    /// Brings the values of the unknowns up to date.
    fn refresh(&self, node: &mut Node) {
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
    fn with_env<T>(
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
            let states: Option<Vec<_>> = match tried.cells.iter().filter(|d| d.decided().is_none()).count() {
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

    /// The values of the unknowns that are decided.
    fn solution(&self, node: &Node, bound: &Binding) -> Binding {
        let mut next = bound.clone();
        for (i, u) in self.unknowns.iter().enumerate() {
            if (u.first..u.first + u.cells).all(|c| !node.is_open(c)) {
                next[u.position] = Some(node.names[i].1.clone());
            }
        }
        next
    }

    fn report(&self, node: &mut Node, bound: &Binding, settled: &[bool], report: Report<'_>) -> Flow {
        self.refresh(node);
        let mut next = self.solution(node, bound);
        self.search.candidate(&mut next, settled, report)
    }
}

/// A part of a formula.
enum Part<'e> {
    Pred(&'e Pred),
    Expr(&'e Expr),
}

/// Whether to judge a predicate means to search.
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

/// An unknown of which every cell is decided.
fn finished(u: &Unknown, values: Vec<Option<Value>>) -> Value {
    match &*u.shape {
        Shape::Single => values.into_iter().flatten().next().unwrap_or_else(Value::empty),
        shape => Value::set(values.into_iter().enumerate().filter_map(|(i, v)| shape.element(i, v))),
    }
}

/// An evaluation that may be undecided.
type Judged = Eval<bool>;
