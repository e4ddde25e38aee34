//! Updates: the transitions of a group as changes of the row that they leave. They are short rows over the columns that
//! the group may write, with a mark at those that it has written.

use crate::store::state_table::Table;

/// Updates of one group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Updates {
    /// For each update, the mask, then a word for each column that the group may write.
    pub(crate) words: Vec<u32>,
    columns: usize,
}

/// One update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update<'u> {
    pub(crate) mask: &'u [u32],
    /// For each column that the group may write, the new word. At columns that were not written the word does not
    /// matter.
    pub words: &'u [u32],
}

/// Number of words of a mask for `columns` columns.
pub fn mask_words(columns: usize) -> usize {
    columns.div_ceil(32).max(2)
}

impl Updates {
    /// Forgets all updates, and prepares for a group that may write `columns` columns.
    #[inline]
    pub fn start(&mut self, columns: usize) {
        self.words.clear();
        self.columns = columns;
    }

    /// Number of updates.
    pub fn len(&self) -> usize {
        self.words.len() / self.stride()
    }

    /// Returns whether there are no updates.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn stride(&self) -> usize {
        mask_words(self.columns) + self.columns
    }

    /// The updates.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Update<'_>> {
        let head = mask_words(self.columns);
        self.words.chunks_exact(self.stride()).map(move |update| {
            let (mask, words) = update.split_at(head);
            Update { mask, words }
        })
    }

    /// Adds an update: for each column the new word if it is written.
    pub fn push(&mut self, words: impl IntoIterator<Item = Option<u32>>) {
        let at = self.words.len();
        self.words.resize(at + mask_words(self.columns), 0);
        for (i, word) in words.into_iter().enumerate() {
            if word.is_some() {
                self.words[at + i / 32] |= 1 << (i % 32);
            }
            self.words.push(word.unwrap_or(0));
        }
    }
}

impl<'u> Update<'u> {
    /// Returns whether the column at this position, among those that the group may write, is written.
    #[inline]
    pub fn is_written(&self, i: usize) -> bool {
        self.mask[i / 32] >> (i % 32) & 1 == 1
    }

    /// For each column that the group may write, its new word if it is written.
    pub fn marked(&self) -> impl Iterator<Item = Option<u32>> + use<'u> {
        let update = *self;
        let word = move |(i, word): (usize, &u32)| update.is_written(i).then_some(*word);
        self.words.iter().enumerate().map(word)
    }

    /// The columns written with their new words; `may_write` are the columns of the group.
    #[inline]
    pub fn written<'w>(&self, may_write: &'w [usize]) -> impl Iterator<Item = (usize, u32)> + use<'u, 'w> {
        let update = *self;
        let all = may_write.iter().zip(update.words).enumerate();
        all.filter(move |(i, _)| update.is_written(*i)).map(|(_, (at, word))| (*at, *word))
    }

    /// The mask and the words.
    pub(crate) fn all_words(&self) -> impl Iterator<Item = u32> + use<'u> {
        self.mask.iter().chain(self.words).copied()
    }

    /// Changes a copy of a row with this hash into the row that is reached. Returns the hash of that row, if it is
    /// another one.
    #[inline]
    pub fn reach(
        &self,
        may_write: &[usize],
        table: &Table,
        (row, mut hash): (&[u32], u64),
        next: &mut [u32],
    ) -> Option<u64> {
        let mut changed = false;
        for (at, word) in self.written(may_write) {
            if row[at] != word {
                changed = true;
                hash = table.rehash(hash, at, row[at], word);
                next[at] = word;
            }
        }
        changed.then_some(hash)
    }

    /// The row that is reached from a row.
    pub fn target(&self, may_write: &[usize], row: &[u32]) -> Vec<u32> {
        let mut next = row.to_vec();
        self.apply(may_write, &mut next);
        next
    }

    /// Changes the row that the transition leaves into the one that it reaches.
    pub fn apply(&self, may_write: &[usize], row: &mut [u32]) {
        self.written(may_write).for_each(|(at, word)| row[at] = word);
    }
}
