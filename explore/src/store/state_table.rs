//! The states found so far: rows of words, found again by content.
//!
//! Rows are numbered in the order of their discovery. The newest ones lie open, as words; every [`ROWS`] of them are
//! packed into a [`Chunk`], in which each column takes only the bits that tell its values apart there. Neighbours in a
//! search resemble each other, so that is little, and a packed row never has to be packed again.

use super::index::{Index, mix};
use super::row_codec::{Chunk, ROWS};

/// Number of a state in the order of discovery.
pub type StateId = u32;

/// No predecessor: an initial state.
pub const INITIAL: StateId = StateId::MAX;

/// Most states of a table: every number of a state is smaller, and so fits a slot of the index.
pub const MOST: usize = StateId::MAX as usize - 1;

/// A set of states with the state that each was first reached from.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Rows,
    len: usize,
    index: Index,
    factors: Vec<u64>,
}

/// Rows by number.
#[derive(Clone, Debug, Default)]
struct Rows {
    width: usize,
    chunks: Vec<Chunk>,
    /// Bytes of the chunks.
    packed: usize,
    /// The rows after those of the chunks, each with the word of its predecessor behind it.
    open: Vec<u32>,
}

impl Rows {
    #[inline]
    fn open(&self, state: StateId) -> Option<&[u32]> {
        let at = (state as usize).checked_sub(self.chunks.len() * ROWS)? * (self.width + 1);
        self.open.get(at..at + self.width + 1)
    }

    fn hash_of(&self, state: StateId, factors: &[u64]) -> u64 {
        match self.chunks.get(state as usize / ROWS) {
            Some(chunk) => hash(chunk.words(state as usize % ROWS), factors),
            None => hash(self.open(state).into_iter().flatten().copied(), factors),
        }
    }
}

/// See [`Table::hash`].
#[inline]
fn hash(words: impl Iterator<Item = u32>, factors: &[u64]) -> u64 {
    words.zip(factors).fold(0u64, |h, (w, f)| h.wrapping_add(f.wrapping_mul(u64::from(w) + 1)))
}

impl Table {
    /// An empty table of rows of `width` words.
    pub fn new(width: usize) -> Table {
        let factors = (0..width as u64).map(|i| mix(i, 0x5851_F42D_4C95_7F2D) | 1).collect();
        Table { rows: Rows { width, ..Rows::default() }, factors, ..Table::default() }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the table has no states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether there is no room for more states.
    pub fn is_full(&self) -> bool {
        self.len >= MOST
    }

    /// Words of a row.
    pub fn width(&self) -> usize {
        self.rows.width
    }

    /// Reads the words of a state into a row of as many words. An unknown state leaves the row unchanged.
    #[inline]
    pub fn read(&self, state: StateId, row: &mut [u32]) {
        match self.rows.chunks.get(state as usize / ROWS) {
            Some(chunk) => chunk.read(state as usize % ROWS, row),
            None => {
                if let Some(open) = self.rows.open(state) {
                    row.copy_from_slice(&open[..self.rows.width]);
                }
            }
        }
    }

    /// The words of a state.
    pub fn row(&self, state: StateId) -> Vec<u32> {
        let mut row = vec![0; self.rows.width];
        self.read(state, &mut row);
        row
    }

    /// The state that a state was first reached from; [`INITIAL`] for an initial one.
    pub fn parent(&self, state: StateId) -> StateId {
        match self.rows.chunks.get(state as usize / ROWS) {
            Some(chunk) => chunk.word(state as usize % ROWS, self.rows.width).wrapping_sub(1),
            None => self.rows.open(state).map_or(INITIAL, |row| row[self.rows.width].wrapping_sub(1)),
        }
    }

    /// The hash of a row, a sum over its words (Dietzfelbinger's multiply-shift for vectors), so that
    /// a change of few words changes it by little work: see [`Table::rehash`].
    #[inline]
    pub fn hash(&self, row: &[u32]) -> u64 {
        hash(row.iter().copied(), &self.factors)
    }

    /// The hash after one word has changed.
    #[inline]
    pub fn rehash(&self, hash: u64, at: usize, old: u32, new: u32) -> u64 {
        let change = u64::from(new).wrapping_sub(u64::from(old));
        hash.wrapping_add(self.factors[at].wrapping_mul(change))
    }

    /// Adds a row with its hash unless it is there. Returns its number and whether it is new. There must be room: see
    /// [`Table::is_full`].
    #[inline]
    pub fn add(&mut self, row: &[u32], hash: u64, parent: StateId) -> (StateId, bool) {
        match self.find(row, hash) {
            Some(state) => (state, false),
            None => (self.append(row, hash, parent), true),
        }
    }

    /// Adds a row that is not there. There must be room: see [`Table::is_full`].
    #[inline]
    pub fn append(&mut self, row: &[u32], hash: u64, parent: StateId) -> StateId {
        let state = self.len as StateId;
        self.rows.open.extend_from_slice(row);
        // Initial states get 0, which is as near to the first numbers as possible.
        self.rows.open.push(parent.wrapping_add(1));
        self.len += 1;
        if self.len.is_multiple_of(ROWS) {
            let chunk = Chunk::pack(&self.rows.open, self.rows.width + 1);
            self.rows.packed += chunk.bytes();
            self.rows.chunks.push(chunk);
            self.rows.open.clear();
        }
        let Table { index, rows, factors, .. } = self;
        index.insert(hash, state, |s| rows.hash_of(s, factors));
        state
    }

    /// The state of a row with its hash.
    #[inline]
    pub fn find(&self, row: &[u32], hash: u64) -> Option<StateId> {
        self.index.find(hash, |s| match self.rows.chunks.get(s as usize / ROWS) {
            Some(chunk) => chunk.is(s as usize % ROWS, row),
            None => self.rows.open(s).is_some_and(|open| open[..self.rows.width] == *row),
        })
    }

    /// The packed rows, and those that lie open; both with predecessors. See [`Table::from_parts`].
    pub fn parts(&self) -> (&[Chunk], &[u32]) {
        (&self.rows.chunks, &self.rows.open)
    }

    /// A table of the parts of another one of this width; `None` if they do not fit, or if two rows are the same.
    pub fn from_parts(width: usize, chunks: Vec<Chunk>, open: Vec<u32>) -> Option<Table> {
        let rows = open.len() / (width + 1);
        let sound = open.len().is_multiple_of(width + 1)
            && rows < ROWS
            && chunks.iter().all(|chunk| chunk.columns() == width + 1);
        let len = chunks.len().checked_mul(ROWS)?.checked_add(rows)?;
        if !sound || len > MOST {
            return None;
        }
        let packed = chunks.iter().map(Chunk::bytes).sum();
        let mut table = Table { rows: Rows { width, chunks, packed, open }, len, ..Table::new(width) };
        let mut index = Index::default();
        let mut row = vec![0; width];
        for state in 0..len as StateId {
            table.read(state, &mut row);
            let hash = table.hash(&row);
            // The index has only the states before.
            if index.find(hash, |s| table.row(s) == row).is_some() {
                return None;
            }
            index.insert(hash, state, |s| table.rows.hash_of(s, &table.factors));
        }
        table.index = index;
        Some(table)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.rows.packed + self.rows.open.capacity() * 4 + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::dice::Dice;

    #[test]
    fn a_table_numbers_rows_as_a_map_does() {
        for width in [0, 1, 3, 9] {
            let mut table = Table::new(width);
            let mut map: HashMap<Vec<u32>, StateId> = HashMap::new();
            let mut parents = Vec::new();
            let mut dice = Dice::new(width as u64);
            for i in 0..5 * ROWS as u64 {
                // Columns of all kinds: constant, narrow, growing, of all words.
                let row: Vec<u32> = (0..width)
                    .map(|c| match c % 5 {
                        0 => (dice.roll() % 3000) as u32 + (1 << 30),
                        1 => 7,
                        2 => (dice.roll() % 2) as u32,
                        3 => i as u32 / 3,
                        _ => dice.roll() as u32 | 1 << 31,
                    })
                    .collect();
                let parent = if i == 0 { INITIAL } else { (dice.roll() % i.min(map.len() as u64)) as u32 };
                let hash = table.hash(&row);
                let next = map.len() as StateId;
                let known = map.get(&row).copied();
                assert_eq!(table.find(&row, hash), known);
                assert_eq!(table.add(&row, hash, parent), (known.unwrap_or(next), known.is_none()));
                if known.is_none() {
                    map.insert(row, next);
                    parents.push(parent);
                }
            }
            let (chunks, open) = table.parts();
            let again =
                Table::from_parts(width, chunks.to_vec(), open.to_vec()).expect("the parts of a table");
            for table in [&table, &again] {
                assert_eq!(table.len(), map.len());
                for (row, state) in &map {
                    assert_eq!(
                        (table.row(*state), table.parent(*state)),
                        (row.clone(), parents[*state as usize])
                    );
                    assert_eq!(table.find(row, table.hash(row)), Some(*state));
                }
            }
            // A row must not occur twice in a table.
            let twice = [open, &table.row(0)[..], &[0]].concat();
            assert!(Table::from_parts(width, chunks.to_vec(), twice).is_none());
        }
    }

    #[test]
    fn a_changed_word_changes_the_hash_as_if_all_were_hashed() {
        let table = Table::new(4);
        let (old, new) = ([1, 2, 3, 4], [1, u32::MAX, 3, 4]);
        assert_eq!(table.rehash(table.hash(&old), 1, 2, u32::MAX), table.hash(&new));
    }
}
