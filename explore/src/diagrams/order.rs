//! The order of columns in diagrams: those that the same groups read and write are put near each other, so that relations are
//! short and rows that agree elsewhere share what follows.
//!
//! Cuthill and McKee's order, *Reducing the Bandwidth of Sparse Symmetric Matrices*, 1969, of the columns as a graph, and its
//! reverse; and what the model has. The one with the least span is taken: the sum over all groups of the distance from
//! the first to the last column (Siminiceanu, Ciardo, *New Metrics for Static Variable Ordering in Decision Diagrams*,
//! TACAS 2006; Meijer, van de Pol, *Bandwidth and Wavefront Reduction for Static Variable Ordering in Symbolic
//! Reachability Analysis*, NFM 2016, for the graph).

use std::collections::{BTreeSet, VecDeque};

use crate::space::dependency_matrix::{DependencyMatrix, Group};

/// An order of columns: the column of each level.
pub fn order(matrix: &DependencyMatrix) -> Vec<usize> {
    let natural: Vec<usize> = (0..matrix.width()).collect();
    let forwards = cuthill_mckee(matrix);
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    let candidates = [natural, forwards, backwards];
    candidates.into_iter().min_by_key(|order| span(matrix, order)).unwrap_or_default()
}

fn columns(group: &Group) -> BTreeSet<usize> {
    group.reads.iter().chain(&group.may_write).copied().collect()
}

/// The levels from the first to the last of each group, and from the first to the end: what is high costs more.
fn span(matrix: &DependencyMatrix, order: &[usize]) -> usize {
    let mut level = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, column)| level[*column] = at);
    let spans = matrix.groups.iter().map(|group| {
        let levels = || columns(group).into_iter().map(|column| level[column]);
        match (levels().min(), levels().max()) {
            (Some(first), Some(last)) => (last - first + 1) * order.len() + (order.len() - first),
            _ => 0,
        }
    });
    spans.sum()
}

fn cuthill_mckee(matrix: &DependencyMatrix) -> Vec<usize> {
    let width = matrix.width();
    let mut beside = vec![BTreeSet::new(); width];
    for group in &matrix.groups {
        let columns = columns(group);
        for column in &columns {
            beside[*column].extend(columns.iter().filter(|other| *other != column));
        }
    }
    let degree = |column: &usize| (beside[*column].len(), *column);
    let mut left: BTreeSet<(usize, usize)> = (0..width).map(|column| degree(&column)).collect();
    let mut order = Vec::with_capacity(width);
    let mut open = VecDeque::new();
    while let Some((_, start)) = left.pop_first() {
        open.push_back(start);
        while let Some(column) = open.pop_front() {
            order.push(column);
            let mut next: Vec<usize> =
                beside[column].iter().copied().filter(|other| left.remove(&degree(other))).collect();
            next.sort_by_key(degree);
            open.extend(next);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_group_come_together() {
        let group = |columns: &[usize]| Group {
            reads: columns.to_vec(),
            may_write: columns.to_vec(),
            ..Group::default()
        };
        let matrix = DependencyMatrix {
            columns: (0..6).map(|i| format!("x{i}")).collect(),
            groups: vec![group(&[0, 5]), group(&[5, 2]), group(&[2, 3]), group(&[3, 1]), group(&[1, 4])],
            labels: vec![],
        };
        let order = order(&matrix);
        assert!([vec![0, 5, 2, 3, 1, 4], vec![4, 1, 3, 2, 5, 0]].contains(&order), "{order:?}");
    }
}
