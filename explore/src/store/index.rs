//! An index by content: open addressing over positions of a table that lies elsewhere.
//!
//! A slot holds a few bits of the hash (the fingerprint, or tag) next to the position, so that a probe rarely reads the
//! table. It takes four bytes while there are few positions, and one more for each 16 times as many. Slots ascend by
//! their tags, so that an unsuccessful probe ends early although the index is nearly full, and growing is one pass from
//! left to right, which reads the table only where tags become longer.
//!
//! Amble, Knuth: *Ordered hash tables*, The Computer Journal 1974.

use crate::tuning::Tuning;

/// Positions of distinct contents.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The slots, little-endian, `bytes` each, and then some bytes that are never used, so that every slot can be read
    /// as a word of 64 bits. A slot is a tag above a position + 1; 0 is a free slot.
    slots: Vec<u8>,
    /// Number of slots where a tag may belong. There are [`BEYOND`] more for those that find no place there.
    size: usize,
    len: usize,
    /// Bytes of a slot, bits of a position, bits of a tag.
    bytes: usize,
    position_bits: u32,
    tag_bits: u32,
}

const LEAST: usize = 16;
/// Slots behind the last one where a tag may belong.
const BEYOND: usize = 64;
/// Bits of a position by bytes of a slot, from four on. A tag has the rest or less: at least three bits more than tell
/// slots apart.
const POSITION_BITS: [u32; 5] = [14, 18, 22, 26, 32];

impl Index {
    /// The position of a content with this hash, as far as `is_it` recognises it.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.size == 0 {
            return None;
        }
        let tag = self.tag(hash);
        let mut at = self.first(tag);
        loop {
            let slot = self.slot(at);
            if slot >> self.position_bits != tag || slot == 0 {
                return None;
            }
            let position = (slot & self.positions()) as u32 - 1;
            if is_it(position) {
                return Some(position);
            }
            at += 1;
        }
    }

    /// Adds the position of a content that is not in the index, at most `u32::MAX - 1`. `hash_of` returns the hash of
    /// every content in the index.
    #[inline]
    pub fn insert(&mut self, hash: u64, position: u32, hash_of: impl Fn(u32) -> u64) {
        let fits = (u64::from(position) + 1) >> self.position_bits == 0;
        if self.size * Tuning::DEFAULT.store.index_full < (self.len + 1) * 100 || !fits {
            self.grow(position, &hash_of);
        }
        while !self.place(hash, position) {
            self.grow(position, &hash_of);
        }
        self.len += 1;
    }

    /// Forgets all positions and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    #[inline]
    fn positions(&self) -> u64 {
        (1 << self.position_bits) - 1
    }

    #[inline]
    fn tag(&self, hash: u64) -> u64 {
        hash >> (64 - self.tag_bits)
    }

    #[inline]
    fn home(&self, tag: u64) -> usize {
        ((tag * self.size as u64) >> self.tag_bits) as usize
    }

    /// The bits of a slot in the word where it begins.
    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes)
    }

    /// A slot; a free one behind the last.
    #[inline]
    fn slot(&self, at: usize) -> u64 {
        word_at(&self.slots, at * self.bytes) & self.mask()
    }

    #[inline]
    fn set(&mut self, at: usize, slot: u64) {
        let mask = self.mask();
        if let Some(word) = self.slots[at * self.bytes..].first_chunk_mut() {
            *word = (u64::from_le_bytes(*word) & !mask | slot).to_le_bytes();
        }
    }

    /// The first slot that is free or has this tag or a greater one.
    #[inline]
    fn first(&self, tag: u64) -> usize {
        let mut at = self.home(tag);
        loop {
            let slot = self.slot(at);
            if slot == 0 || slot >> self.position_bits >= tag {
                return at;
            }
            at += 1;
        }
    }

    /// Puts a position before those of greater tags. Returns whether there was a free slot for the last of these.
    #[inline]
    fn place(&mut self, hash: u64, position: u32) -> bool {
        let tag = self.tag(hash);
        let at = self.first(tag);
        let mut free = at;
        while self.slot(free) != 0 {
            free += 1;
        }
        if free >= self.size + BEYOND {
            return false;
        }
        if free > at {
            self.slots.copy_within(at * self.bytes..free * self.bytes, (at + 1) * self.bytes);
        }
        self.set(at, tag << self.position_bits | (u64::from(position) + 1));
        true
    }

    #[cold]
    fn grow(&mut self, position: u32, hash_of: &impl Fn(u32) -> u64) {
        let old = std::mem::take(self);
        let highest = old.positions().max(u64::from(position) + 1);
        let wide =
            POSITION_BITS.iter().position(|bits| highest >> bits == 0).unwrap_or(POSITION_BITS.len() - 1);
        let bytes = 4 + wide;
        let mut size = match old.size {
            size if bytes != old.bytes && (old.len + 1) * 100 <= size * Tuning::DEFAULT.store.index_full => {
                size
            }
            size if size < Tuning::DEFAULT.store.index_large => (2 * size).max(LEAST),
            size => size + size / 4,
        };
        loop {
            self.size = size;
            self.bytes = bytes;
            self.position_bits = POSITION_BITS[wide];
            // Longer tags would need all hashes: the old ones do while they tell slots apart by three bits more.
            let is_short = old.size == 0 || size >> (old.tag_bits - 3) > 0;
            self.tag_bits =
                if is_short { (8 * bytes as u32 - self.position_bits).min(32) } else { old.tag_bits };
            self.slots = vec![0; (size + BEYOND) * bytes + 8];
            self.len = old.len;
            if self.take_over(&old, hash_of) {
                return;
            }
            size += size / 4;
        }
    }

    /// Takes the positions of another index. Returns whether there was room for all.
    fn take_over(&mut self, old: &Index, hash_of: &impl Fn(u32) -> u64) -> bool {
        if old.size == 0 {
            return true;
        }
        let mut next = 0;
        let is_new = self.tag_bits != old.tag_bits;
        let hashes = if is_new { old.hashes(hash_of) } else { None };
        let hash_of = |p: u32| hashes.as_ref().map_or_else(|| hash_of(p), |h| u64::from(h[p as usize]) << 32);
        let slots = (0..old.size + BEYOND).map(|at| old.slot(at)).filter(|slot| *slot != 0);
        for slot in slots.take(old.len) {
            let (tag, position) = (slot >> old.position_bits, slot & old.positions());
            if is_new {
                if !self.place(hash_of(position as u32 - 1), position as u32 - 1) {
                    return false;
                }
                continue;
            }
            // Tags ascend, and so do their homes.
            let at = self.home(tag).max(next);
            if at >= self.size + BEYOND {
                return false;
            }
            self.set(at, tag << self.position_bits | position);
            next = at + 1;
        }
        true
    }

    /// The upper halves of the hashes of all positions, if these are all from 0 on: their contents lie in this order,
    /// so that they are read several times as fast as in that of the slots.
    fn hashes(&self, hash_of: &impl Fn(u32) -> u64) -> Option<Vec<u32>> {
        let slots = (0..self.size + BEYOND).map(|at| self.slot(at)).filter(|slot| *slot != 0);
        let last = slots.map(|slot| slot & self.positions()).max()?;
        (last == self.len as u64).then(|| (0..last as u32).map(|p| (hash_of(p) >> 32) as u32).collect())
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.slots.len()
    }
}

/// The eight bytes from `at` on as one word.
#[inline]
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes[at..].first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => 0,
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
    let pairs = words.chunks_exact(2);
    let odd = pairs.remainder().first().copied();
    hash_pairs(words.len(), pairs.map(|pair| (pair[0], pair[1])), odd)
}

/// The hash of some words, given two by two; an odd number of them has a last one.
#[inline]
pub fn hash_pairs(len: usize, pairs: impl Iterator<Item = (u32, u32)>, odd: Option<u32>) -> u64 {
    let hash = pairs.fold(len as u64, |hash, (a, b)| mix(hash, u64::from(a) << 32 | u64::from(b)));
    mix(odd.map_or(hash, |last| mix(hash, u64::from(last))), FOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        // Enough for slots of four, five and six bytes.
        let words = |i: u32| [i % 17, i / 17, 7];
        let hash = |i: u32| hash_words(&words(i));
        let mut index = Index::default();
        for i in 0..300_000 {
            if i % 7 == 0 {
                assert_eq!(index.find(hash(i), |p| words(p) == words(i)), None);
            }
            index.insert(hash(i), i, hash);
        }
        for i in 0..300_000 {
            assert_eq!(index.find(hash(i), |p| words(p) == words(i)), Some(i));
        }
        assert!(index.bytes() < 300_000 * 9);
    }

    #[test]
    fn a_high_position_makes_slots_wide_enough_for_it() {
        let mut index = Index::default();
        for (i, position) in [3, 1 << 20, 5, u32::MAX - 1].into_iter().enumerate() {
            index.insert(mix(0, i as u64), position, |p| match p {
                3 => mix(0, 0),
                5 => mix(0, 2),
                _ => mix(0, 1),
            });
        }
        let found = (0..4).map(|i| index.find(mix(0, i), |_| true));
        assert_eq!(found.collect::<Option<Vec<_>>>(), Some(vec![3, 1 << 20, 5, u32::MAX - 1]));
    }
}
