//! An index by content: open addressing over positions of a table that lies elsewhere.
//!
//! A slot holds 32 bits of the hash beside the position, so that a probe rarely looks at the table and
//! growing never does.

/// Positions of distinct contents.
#[derive(Clone, Debug, Default)]
pub struct Index {
    // Upper half: the tag; lower half: position + 1, so that 0 is a free slot.
    slots: Vec<u64>,
    len: usize,
}

const LEAST: usize = 16;

impl Index {
    /// The position of a content with this hash, as far as `is_it` recognises it.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let tag = hash >> 32;
        let mask = self.slots.len() - 1;
        let mut at = self.home(tag);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == tag {
                let position = slot as u32 - 1;
                if is_it(position) {
                    return Some(position);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the position of a content that is not there.
    #[inline]
    pub fn insert(&mut self, hash: u64, position: u32) {
        if self.slots.len() * 3 <= self.len * 4 + 3 {
            self.grow();
        }
        self.len += 1;
        self.place(hash >> 32 << 32 | u64::from(position + 1));
    }

    /// Forgets all positions and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    #[inline]
    fn home(&self, tag: u64) -> usize {
        (tag >> (32 - self.slots.len().trailing_zeros())) as usize
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(slot >> 32);
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(LEAST);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old {
            if slot != 0 {
                self.place(slot);
            }
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.slots.len() * 8
    }
}

/// Makes room for more elements: a large vector grows by a quarter, so that little of its memory is idle.
#[inline]
pub fn make_room<T>(vector: &mut Vec<T>, more: usize) {
    if vector.capacity() - vector.len() < more {
        vector.reserve_exact(more.max(vector.len() / 4).max(64));
    }
}

const FOLD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes a word into a hash.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    let wide = u128::from(hash ^ word ^ 0xA076_1D64_78BD_642F) * u128::from(FOLD);
    (wide >> 64) as u64 ^ (wide as u64).rotate_left(23)
}

/// The hash of some words.
#[inline]
pub fn hash_words(words: &[u32]) -> u64 {
    let mut hash = words.len() as u64;
    let mut pairs = words.chunks_exact(2);
    for pair in &mut pairs {
        hash = mix(hash, u64::from(pair[0]) << 32 | u64::from(pair[1]));
    }
    if let [last] = pairs.remainder() {
        hash = mix(hash, u64::from(*last));
    }
    mix(hash, FOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        let words: Vec<[u32; 3]> = (0..5000).map(|i| [i % 17, i / 17, 7]).collect();
        let mut index = Index::default();
        for (i, w) in words.iter().enumerate() {
            let hash = hash_words(w);
            assert_eq!(index.find(hash, |p| words[p as usize] == *w), None);
            index.insert(hash, i as u32);
        }
        for (i, w) in words.iter().enumerate() {
            assert_eq!(index.find(hash_words(w), |p| words[p as usize] == *w), Some(i as u32));
        }
    }
}
