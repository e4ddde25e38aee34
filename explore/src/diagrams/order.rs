//! Order of columns in diagrams, which decides the time of everything that follows.
//!
//! A product with a relation goes down to the last level that the relation mentions and shares what is below: events
//! should mention the first levels. And what an event mentions should be near each other, so that little in between has
//! to be gone through again for each of its words. The cost of an order adds both up, as in Siminiceanu, Ciardo, *New
//! Metrics for Static Variable Ordering in Decision Diagrams*, TACAS 2006, whose weighted span is a variant for
//! diagrams that are built from below. Columns that no event writes, constants, are the first: below them everything is
//! as for one valuation.
//!
//! Orders to begin with are what the model has, and Cuthill and McKee's, *Reducing the Bandwidth of Sparse Symmetric
//! Matrices*, 1969, of the columns as a graph, and its reverse. Each column is then moved to its best place, until none
//! has a better one: sifting, as of Rudell, *Dynamic variable ordering for ordered binary decision diagrams*, ICCAD
//! 1993, by the cost in place of the diagram.

use std::collections::{BTreeSet, VecDeque};

use crate::space::dependency_matrix::{DependencyMatrix, Group};
use crate::tuning::{Tuning, tuning};

/// An order of columns, the column of each level, in which those with the given names are the first.
pub fn order(matrix: &DependencyMatrix, first: &[String]) -> Vec<usize> {
    let groups: Vec<BTreeSet<usize>> = matrix.groups.iter().map(columns).collect();
    let written: BTreeSet<usize> = matrix.groups.iter().flat_map(|g| g.may_write.iter().copied()).collect();
    let (constant, varying): (Vec<usize>, Vec<usize>) =
        (0..matrix.width()).partition(|column| !written.contains(column));
    // The order of constant columns does not matter, nor which groups depend on them.
    let groups: Vec<Vec<usize>> =
        groups.into_iter().map(|group| group.intersection(&written).copied().collect()).collect();
    let forwards: Vec<usize> = cuthill_mckee(matrix).into_iter().filter(|c| written.contains(c)).collect();
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    let mut work = tuning().diagrams.order_work;
    let candidates =
        [varying, forwards, backwards].map(|order| sifted(matrix.width(), &groups, order, &mut work));
    let best = candidates.into_iter().min_by_key(|(cost, _)| *cost).map(|(_, order)| order);
    let best: Vec<usize> = constant.into_iter().chain(best.unwrap_or_default()).collect();
    let place = |column: &usize| first.iter().position(|name| *name == matrix.columns[*column]);
    let (mut chosen, rest): (Vec<usize>, Vec<usize>) = best.into_iter().partition(|c| place(c).is_some());
    chosen.sort_by_key(place);
    chosen.extend(rest);
    chosen
}

fn columns(group: &Group) -> BTreeSet<usize> {
    group.reads.iter().chain(&group.may_write).copied().collect()
}

/// Cost of an order. `level` is room for the level of each column.
fn cost(groups: &[Vec<usize>], order: &[usize], level: &mut [usize]) -> usize {
    order.iter().enumerate().for_each(|(at, column)| level[*column] = at);
    let costs = groups.iter().map(|group| {
        let levels = || group.iter().map(|column| level[*column]);
        match (levels().min(), levels().max()) {
            (Some(first), Some(last)) => Tuning::DEFAULT.diagrams.depth * (last + 1) + (last - first + 1),
            _ => 0,
        }
    });
    costs.sum()
}

/// Moves columns to better places as long as there are any and work is left. Returns the cost and the order.
fn sifted(
    width: usize,
    groups: &[Vec<usize>],
    mut order: Vec<usize>,
    work: &mut usize,
) -> (usize, Vec<usize>) {
    let mut level = vec![0; width];
    let mut least = cost(groups, &order, &mut level);
    let once = groups.iter().map(Vec::len).sum::<usize>() + order.len();
    let mut moved = true;
    while moved {
        moved = false;
        for column in order.clone() {
            match work.checked_sub(once * order.len()) {
                Some(left) => *work = left,
                None => return (least, order),
            }
            let Some(from) = order.iter().position(|c| *c == column) else { continue };
            let (mut tried, mut best) = (order.clone(), None);
            tried.remove(from);
            for to in 0..order.len() {
                tried.insert(to, column);
                let found = cost(groups, &tried, &mut level);
                if found < least {
                    (least, best) = (found, Some(to));
                }
                tried.remove(to);
            }
            if let Some(to) = best {
                tried.insert(to, column);
                order = tried;
                moved = true;
            }
        }
    }
    (least, order)
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

    fn matrix(width: usize, groups: &[(&[usize], &[usize])]) -> DependencyMatrix {
        let group = |(reads, writes): &(&[usize], &[usize])| Group {
            reads: reads.to_vec(),
            may_write: writes.to_vec(),
            ..Group::default()
        };
        DependencyMatrix {
            root: None,
            columns: (0..width).map(|i| format!("x{i}")).collect(),
            groups: groups.iter().map(group).collect(),
            labels: vec![],
        }
    }

    #[test]
    fn columns_of_a_group_come_together() {
        let pairs: [&[usize]; 5] = [&[0, 5], &[5, 2], &[2, 3], &[3, 1], &[1, 4]];
        let order = order(&matrix(6, &pairs.map(|pair| (pair, pair))), &[]);
        assert!([vec![0, 5, 2, 3, 1, 4], vec![4, 1, 3, 2, 5, 0]].contains(&order), "{order:?}");
    }

    #[test]
    fn constants_come_first_and_what_few_events_mention_last() {
        let all: [(&[usize], &[usize]); 5] =
            [(&[0, 4], &[0]), (&[1, 4, 2], &[1]), (&[1, 2], &[2]), (&[2, 1], &[1]), (&[1, 3, 2], &[3])];
        let found = order(&matrix(5, &all), &[]);
        assert_eq!(found[0], 4, "{found:?}");
        assert!(found[1..3].contains(&1) && found[1..3].contains(&2), "{found:?}");
        let asked = order(&matrix(5, &all), &["x3".into(), "x0".into()]);
        assert_eq!(asked[..2], [3, 0]);
    }
}
