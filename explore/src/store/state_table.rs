//! The states found so far: fixed-width rows of words, found again by content.

use crate::store::index::{Index, make_room, mix};

/// Number of a state in the order of discovery.
pub type StateId = u32;

/// No predecessor: an initial state.
pub const INITIAL: StateId = StateId::MAX;

/// A set of states with the state that each was first reached from.
#[derive(Clone, Debug, Default)]
pub struct Table {
    width: usize,
    rows: Vec<u32>,
    parents: Vec<StateId>,
    index: Index,
    factors: Vec<u64>,
}

impl Table {
    /// An empty table of rows of `width` words.
    pub fn new(width: usize) -> Table {
        let factors = (0..width as u64).map(|i| mix(i, 0x5851_F42D_4C95_7F2D) | 1).collect();
        Table { width, rows: Vec::new(), parents: Vec::new(), index: Index::default(), factors }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The words of a state.
    #[inline]
    pub fn row(&self, state: StateId) -> &[u32] {
        let at = state as usize * self.width;
        &self.rows[at..at + self.width]
    }

    /// The state that a state was first reached from; [`INITIAL`] for an initial one.
    pub fn parent(&self, state: StateId) -> StateId {
        self.parents[state as usize]
    }

    /// The hash of a row, a sum over its words (Dietzfelbinger's multiply-shift for vectors), so that
    /// a change of few words changes it by little work: see [`Table::rehash`].
    #[inline]
    pub fn hash(&self, row: &[u32]) -> u64 {
        row.iter()
            .zip(&self.factors)
            .fold(0u64, |h, (w, f)| h.wrapping_add(f.wrapping_mul(u64::from(*w) + 1)))
    }

    /// The hash after one word has changed.
    #[inline]
    pub fn rehash(&self, hash: u64, at: usize, old: u32, new: u32) -> u64 {
        let change = u64::from(new).wrapping_sub(u64::from(old));
        hash.wrapping_add(self.factors[at].wrapping_mul(change))
    }

    /// Adds a row with its hash unless it is there; whether it is new.
    #[inline]
    pub fn add(&mut self, row: &[u32], hash: u64, parent: StateId) -> (StateId, bool) {
        if let Some(state) = self.find(row, hash) {
            return (state, false);
        }
        let state = self.parents.len() as StateId;
        make_room(&mut self.rows, row.len());
        make_room(&mut self.parents, 1);
        self.rows.extend_from_slice(row);
        self.parents.push(parent);
        self.index.insert(hash, state);
        (state, true)
    }

    /// The state of a row with its hash.
    #[inline]
    pub fn find(&self, row: &[u32], hash: u64) -> Option<StateId> {
        let (rows, width) = (&self.rows, self.width);
        self.index.find(hash, |s| {
            let at = s as usize * width;
            rows[at..at + width] == *row
        })
    }

    /// Forgets all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.parents.clear();
        self.index.clear();
    }

    /// The rows one after the other, and the predecessors.
    pub fn parts(&self) -> (&[u32], &[StateId]) {
        (&self.rows, &self.parents)
    }

    /// A table of these distinct rows.
    pub fn from_parts(width: usize, rows: Vec<u32>, parents: Vec<StateId>) -> Table {
        let mut table = Table { rows, parents, ..Table::new(width) };
        for state in 0..table.parents.len() as StateId {
            let hash = table.hash(table.row(state));
            table.index.insert(hash, state);
        }
        table
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * 4 + self.parents.capacity() * 4 + self.index.bytes()
    }
}
