//! Rows of a system as rows of diagrams: columns in another order, and the words of each column numbered from 0 in the
//! order in which they were met.

use std::collections::HashMap;

use super::nodes::{EMPTY, Nodes, Set};
use super::operations::Positions;
use super::relation::Shape;
use crate::space::dependency_matrix::Group;

/// The levels of diagrams, and the words in use.
#[derive(Debug)]
pub(super) struct Levels {
    /// The column of each level.
    pub(super) columns: Vec<usize>,
    level: Vec<usize>,
    /// For each column, its words by number, and their numbers.
    words: Vec<Vec<u32>>,
    numbers: Vec<HashMap<u32, u32>>,
    /// Number of shapes and choices of positions that were made.
    made: u32,
}

/// A choice of columns in the order of their levels, and its positions.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) columns: Vec<usize>,
    pub(super) positions: Positions,
}

impl Levels {
    pub(super) fn new(columns: Vec<usize>) -> Levels {
        let mut level = vec![0; columns.len()];
        columns.iter().enumerate().for_each(|(at, column)| level[*column] = at);
        let (words, numbers) = (vec![Vec::new(); columns.len()], vec![HashMap::new(); columns.len()]);
        Levels { columns, level, words, numbers, made: 0 }
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The number of a word.
    pub(super) fn number(&mut self, column: usize, word: u32) -> u32 {
        let words = &mut self.words[column];
        *self.numbers[column].entry(word).or_insert_with(|| {
            words.push(word);
            words.len() as u32 - 1
        })
    }

    /// The word with a number.
    pub(super) fn word(&self, column: usize, number: u32) -> u32 {
        self.words[column][number as usize]
    }

    /// A row of the system as one of diagrams.
    pub(super) fn encode(&mut self, row: &[u32]) -> Vec<u32> {
        (0..self.width()).map(|at| self.number(self.columns[at], row[self.columns[at]])).collect()
    }

    /// A row of diagrams as one of the system.
    pub(super) fn decode(&self, row: &[u32]) -> Vec<u32> {
        let mut words = vec![0; row.len()];
        for (number, column) in row.iter().zip(&self.columns) {
            words[*column] = self.word(*column, *number);
        }
        words
    }

    /// Puts a short row of diagrams into a row of the system.
    pub(super) fn insert(&self, short: &[u32], chosen: &Chosen, row: &mut [u32]) {
        for (number, column) in short.iter().zip(&chosen.columns) {
            row[*column] = self.word(*column, *number);
        }
    }

    pub(super) fn choose(&mut self, columns: &[usize]) -> Chosen {
        let mut columns = columns.to_vec();
        columns.sort_by_key(|column| self.level[*column]);
        columns.dedup();
        let levels: Vec<usize> = columns.iter().map(|column| self.level[*column]).collect();
        self.made += 1;
        Chosen { positions: Positions::new(self.made, self.width(), &levels), columns }
    }

    fn levels(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().map(|column| self.level[*column]).collect()
    }
}

/// Known part of a group's relation: the short rows asked so far, and their successors.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) reads: Chosen,
    /// The positions among the columns that the group may write, in the order of their levels.
    pub(super) writes: Vec<usize>,
    pub(super) shape: Shape,
    /// Short rows that were asked about.
    pub(super) asked: Set,
    /// Pairs of short rows.
    pub(super) relation: Set,
    /// Short rows in which the group is enabled.
    pub(super) enabled: Set,
    /// Pairs of short rows with one more word: the position of the number of edges among the numbers of edges.
    pub(super) weighted: Set,
}

impl Known {
    /// Makes a relation without known transitions, for a group that reads these columns.
    pub(super) fn nothing(levels: &mut Levels, group: &Group, reads: &[usize]) -> Known {
        let reads = levels.choose(reads);
        let mut writes: Vec<usize> = (0..group.may_write.len()).collect();
        writes.sort_by_key(|i| levels.level[group.may_write[*i]]);
        levels.made += 1;
        let (read, written) = (levels.levels(&reads.columns), levels.levels(&group.may_write));
        let shape = Shape::new(levels.made, levels.width(), &read, &written);
        Known { reads, writes, shape, asked: EMPTY, relation: EMPTY, enabled: EMPTY, weighted: EMPTY }
    }

    /// The sets that must not be forgotten.
    pub(super) fn roots(&self) -> [Set; 4] {
        [self.asked, self.relation, self.enabled, self.weighted]
    }

    /// The rows that the known transitions lead to.
    pub(super) fn image(&self, nodes: &mut Nodes, set: Set) -> Set {
        nodes.product(set, self.relation, &self.shape)
    }
}
