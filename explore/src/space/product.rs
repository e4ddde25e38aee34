//! The product of two transition systems: rows side by side, steps that one of them takes alone or both take together,
//! as the synchronisation vectors of Arnold and Nivat say (CADP's EXP.OPEN has them).

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_semantics::evaluator::Eval;

use super::dependency_matrix::{DependencyMatrix, Group, GroupId, Label, LabelId};
use super::system::{Edge, Edges, Effort, Expansion, Replicate, System, Target, unwritten};
use super::updates::Updates;
use crate::symmetry::permutation::Permutation;

/// A group of the product: who moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    /// A group of the left system; the right one stays.
    Left(GroupId),
    /// A group of the right system; the left one stays.
    Right(GroupId),
    /// A group of each at once: every transition of the one with every transition of the other.
    Both(GroupId, GroupId),
    /// The same for transitions with the same values of the parameters.
    BothWithSameParameters(GroupId, GroupId),
}

/// Two systems side by side. A row is one of the left system and then one of the right.
pub struct Product<A, B> {
    left: A,
    right: B,
    vectors: Vec<Vector>,
    matrix: Arc<DependencyMatrix>,
    shared_sets: bool,
    scratch: (Updates, Updates),
}

/// What a side does in a step.
type Sides = (Edges, Edges);

impl<A: System, B: System> Product<A, B> {
    /// The product in which these steps are taken, one group for each vector.
    pub fn new(left: A, right: B, vectors: Vec<Vector>) -> Product<A, B> {
        let (a, b) = (left.matrix(), right.matrix());
        let (columns, labels) = (a.width(), a.labels.len() as u32);
        let shift = |at: &[usize]| at.iter().map(|at| at + columns).collect::<Vec<usize>>();
        let moved = |group: &Group| Group {
            name: group.name.clone(),
            reads: shift(&group.reads),
            may_write: shift(&group.may_write),
            must_write: shift(&group.must_write),
            guards: group.guards.iter().map(|label| LabelId(label.0 + labels)).collect(),
        };
        let together = |l: GroupId, r: GroupId| {
            let (l, r) = (a.group(l), moved(b.group(r)));
            let name = if l.name == r.name { r.name } else { format!("{} {}", l.name, r.name) };
            Group {
                name,
                reads: [&l.reads[..], &r.reads].concat(),
                may_write: [&l.may_write[..], &r.may_write].concat(),
                must_write: [&l.must_write[..], &r.must_write].concat(),
                guards: [&l.guards[..], &r.guards].concat(),
            }
        };
        let groups = vectors.iter().map(|vector| match *vector {
            Vector::Left(l) => a.group(l).clone(),
            Vector::Right(r) => moved(b.group(r)),
            Vector::Both(l, r) => together(l, r),
            Vector::BothWithSameParameters(l, r) => {
                let mut group = together(l, r);
                // These come as edges, which hold what was not written, too.
                let kept = group.may_write.iter().filter(|at| group.must_write.binary_search(at).is_err());
                let reads: BTreeSet<usize> = group.reads.iter().chain(kept).copied().collect();
                group.reads = reads.into_iter().collect();
                group
            }
        });
        let right_label = |label: &Label| Label { kind: label.kind, reads: shift(&label.reads) };
        let matrix = Arc::new(DependencyMatrix {
            columns: a.columns.iter().chain(&b.columns).cloned().collect(),
            groups: groups.collect(),
            labels: a.labels.iter().cloned().chain(b.labels.iter().map(right_label)).collect(),
        });
        let scratch = Default::default();
        Product { left, right, vectors, matrix, shared_sets: false, scratch }
    }

    /// Both systems are over the same sets with the same numbers, so that a permutation is one of both.
    pub fn with_shared_sets(self) -> Self {
        Product { shared_sets: true, ..self }
    }

    /// The left system.
    pub fn left(&mut self) -> &mut A {
        &mut self.left
    }

    /// The right system.
    pub fn right(&mut self) -> &mut B {
        &mut self.right
    }

    /// The label of the product that is this one of the right system. Those of the left keep their numbers.
    pub fn right_label(&self, label: LabelId) -> LabelId {
        LabelId(label.0 + self.left.matrix().labels.len() as u32)
    }

    fn columns(&self) -> usize {
        self.left.matrix().width()
    }

    /// The edges that both sides have, side by side.
    fn side_by_side(sides: Sides, agree: &dyn Fn(&Edge, &Edge) -> bool, limit: usize) -> Edges {
        let (left, right) = sides;
        let mut all = Edges { compiled: left.compiled && right.compiled, ..Edges::default() };
        all.incomplete = left.incomplete.or(right.incomplete);
        for l in &left.edges {
            for r in right.edges.iter().filter(|r| agree(l, r)) {
                if all.edges.len() >= limit {
                    return all;
                }
                let target = match (&l.target, &r.target) {
                    (Target::Row(l), Target::Row(r)) => Target::Row([&l[..], r].concat()),
                    (Target::Failed(outcome), _) | (_, Target::Failed(outcome)) => {
                        Target::Failed(outcome.clone())
                    }
                    _ => {
                        all.incomplete.get_or_insert_with(unwritten);
                        continue;
                    }
                };
                let parameters = [&l.parameters[..], &r.parameters].concat();
                all.edges.push(Edge { parameters, results: [&l.results[..], &r.results].concat(), target });
            }
        }
        all
    }

    /// The edge of a side that stays where it is.
    fn stays(row: &[u32]) -> Edges {
        let edge = Edge { parameters: vec![], results: vec![], target: Target::Row(row.to_vec()) };
        Edges { edges: vec![edge], incomplete: None, compiled: true }
    }

    /// All edges, where a group does not come as updates.
    fn all_edges(&mut self, group: GroupId, row: &[u32]) -> Edges {
        let edges = self.edges(group, row, usize::MAX);
        if self.is_stopped() { Edges::default() } else { edges }
    }
}

impl<A: System, B: System> System for Product<A, B> {
    fn matrix(&self) -> &Arc<DependencyMatrix> {
        &self.matrix
    }

    fn roots(&self) -> usize {
        self.left.roots() * self.right.roots()
    }

    fn initial(&mut self, root: usize) -> Edges {
        let n = self.right.roots();
        let sides = (self.left.initial(root / n), self.right.initial(root % n));
        Self::side_by_side(sides, &|_, _| true, usize::MAX)
    }

    fn next(&mut self, group: GroupId, row: &[u32], updates: &mut Updates) -> Expansion {
        let (l, r) = row.split_at(self.columns());
        match self.vectors[group.index()] {
            Vector::Left(g) => match self.left.next(g, l, updates) {
                Expansion::Moves(n) => Expansion::Moves(n),
                Expansion::Edges(edges) => {
                    Expansion::Edges(Self::side_by_side((edges, Self::stays(r)), &|_, _| true, usize::MAX))
                }
            },
            Vector::Right(g) => match self.right.next(g, r, updates) {
                Expansion::Moves(n) => Expansion::Moves(n),
                Expansion::Edges(edges) => {
                    Expansion::Edges(Self::side_by_side((Self::stays(l), edges), &|_, _| true, usize::MAX))
                }
            },
            Vector::Both(g, h) => {
                let (mut mine, mut other) = std::mem::take(&mut self.scratch);
                let left = self.left.next(g, l, &mut mine);
                let right = match left {
                    Expansion::Moves(0) => Expansion::Moves(0),
                    _ => self.right.next(h, r, &mut other),
                };
                let expansion = match (left, right) {
                    (Expansion::Moves(0), _) | (_, Expansion::Moves(0)) => {
                        updates.start(self.matrix.group(group).may_write.len());
                        Expansion::Moves(0)
                    }
                    (Expansion::Moves(n), Expansion::Moves(m)) => {
                        updates.start(self.matrix.group(group).may_write.len());
                        for a in mine.iter() {
                            for b in other.iter() {
                                updates.push(a.marked().chain(b.marked()));
                            }
                        }
                        Expansion::Moves(n.saturating_mul(m))
                    }
                    _ => Expansion::Edges(self.all_edges(group, row)),
                };
                self.scratch = (mine, other);
                expansion
            }
            Vector::BothWithSameParameters(..) => {
                let edges = self.all_edges(group, row);
                let fails = edges.incomplete.is_some() || edges.edges.iter().any(|e| e.row().is_none());
                if fails || self.is_stopped() {
                    return Expansion::Edges(edges);
                }
                let may_write = &self.matrix.group(group).may_write;
                updates.start(may_write.len());
                for row in edges.edges.iter().filter_map(Edge::row) {
                    updates.push(may_write.iter().map(|at| Some(row[*at])));
                }
                Expansion::Moves(edges.edges.len() as u64)
            }
        }
    }

    fn edges(&mut self, group: GroupId, row: &[u32], limit: usize) -> Edges {
        let (l, r) = row.split_at(self.columns());
        match self.vectors[group.index()] {
            Vector::Left(g) => {
                let sides = (self.left.edges(g, l, limit), Self::stays(r));
                Self::side_by_side(sides, &|_, _| true, limit)
            }
            Vector::Right(g) => {
                let sides = (Self::stays(l), self.right.edges(g, r, limit));
                Self::side_by_side(sides, &|_, _| true, limit)
            }
            Vector::Both(g, h) => {
                let sides = (self.left.edges(g, l, limit), self.right.edges(h, r, limit));
                Self::side_by_side(sides, &|_, _| true, limit)
            }
            Vector::BothWithSameParameters(g, h) => {
                let sides = (self.left.edges(g, l, usize::MAX), self.right.edges(h, r, usize::MAX));
                Self::side_by_side(sides, &|a, b| a.parameters == b.parameters, limit)
            }
        }
    }

    fn label(&mut self, label: LabelId, row: &[u32]) -> Eval<bool> {
        let (l, r) = row.split_at(self.columns());
        let mine = self.left.matrix().labels.len() as u32;
        match label.0.checked_sub(mine) {
            None => self.left.label(label, l),
            Some(other) => self.right.label(LabelId(other), r),
        }
    }

    fn cost(&mut self, label: LabelId) -> usize {
        let mine = self.left.matrix().labels.len() as u32;
        match label.0.checked_sub(mine) {
            None => self.left.cost(label),
            Some(other) => self.right.cost(LabelId(other)),
        }
    }

    fn permuted(&mut self, row: &[u32], permutation: &Permutation) -> Option<Vec<u32>> {
        if !self.shared_sets {
            return None;
        }
        let (l, r) = row.split_at(self.columns());
        Some([self.left.permuted(l, permutation)?, self.right.permuted(r, permutation)?].concat())
    }

    fn is_stopped(&self) -> bool {
        self.left.is_stopped() || self.right.is_stopped()
    }

    fn effort(&self) -> Effort {
        let (left, right) = (self.left.effort(), self.right.effort());
        Effort { shared_bytes: left.shared_bytes + right.shared_bytes, ..left + right }
    }
}

impl<A: Replicate, B: Replicate> Replicate for Product<A, B> {
    type Seed = (A::Seed, B::Seed, Vec<Vector>, bool);

    fn share(&mut self) {
        self.left.share();
        self.right.share();
    }

    fn seed(&self) -> Self::Seed {
        (self.left.seed(), self.right.seed(), self.vectors.clone(), self.shared_sets)
    }

    fn from_seed((left, right, vectors, shared_sets): &Self::Seed) -> Self {
        let product = Product::new(A::from_seed(left), B::from_seed(right), vectors.clone());
        Product { shared_sets: *shared_sets, ..product }
    }

    fn follow(&mut self, (left, right, ..): &Self::Seed) -> bool {
        self.left.follow(left) && self.right.follow(right)
    }
}
