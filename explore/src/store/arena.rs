//! Lists of words that stay where they are, for threads that read them while others add more.
//!
//! A list lies behind its length, and its position is its name. Memory comes in chunks that are never moved, eight of a
//! size and then eight of twice that size: at most an eighth of it is idle.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::index::hash_pairs;

use crate::tuning::Tuning;

/// Words of the first eight chunks, as a power of two.
const LEAST: u32 = 9;
/// Chunks of a size, as a power of two.
const ALIKE: u32 = 3;
/// Added to a position so that its leading bits tell the chunk.
const FIRST: u32 = 1 << (LEAST + ALIKE);
/// All positions are smaller.
pub const POSITIONS: u32 = 1 << 31;
const CHUNKS: usize = ((32 - LEAST - ALIKE) << ALIKE) as usize;

/// The lists.
#[derive(Debug)]
pub struct Arena {
    chunks: Box<[OnceLock<Box<[AtomicU32]>>]>,
    /// The first free position. A thread that takes positions holds the lock.
    end: AtomicU32,
    taking: Mutex<()>,
    limit: u32,
}

/// Positions that belong to one writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reserve {
    next: u32,
    end: u32,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::with_limit(POSITIONS)
    }
}

/// The chunk of a position, the place in it, and its size.
#[inline]
fn place(position: u32) -> (usize, usize, usize) {
    let at = position + FIRST;
    let bits = at.ilog2() - ALIKE;
    let chunk = ((bits - LEAST) << ALIKE) + (at >> bits & ((1 << ALIKE) - 1));
    (chunk as usize, (at & ((1 << bits) - 1)) as usize, 1 << bits)
}

impl Arena {
    /// An empty arena with room for `limit` positions, at most [`POSITIONS`].
    pub fn with_limit(limit: u32) -> Arena {
        let chunks = (0..CHUNKS).map(|_| OnceLock::new()).collect();
        Arena { chunks, end: AtomicU32::new(0), taking: Mutex::new(()), limit: limit.min(POSITIONS) }
    }

    /// Returns the first free position.
    #[inline]
    pub fn end(&self) -> u32 {
        self.end.load(Ordering::Relaxed)
    }

    /// Limit of positions: all of them are smaller.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the list at a position; `None` if there is none.
    #[inline]
    pub fn list(&self, position: u32) -> Option<List<'_>> {
        let (chunk, at, _) = place(position & (POSITIONS - 1));
        let words = &self.chunks.get(chunk)?.get()?[at..];
        let (length, words) = words.split_first()?;
        let length = length.load(Ordering::Relaxed).checked_sub(1)?;
        Some(List(words.get(..length as usize)?))
    }

    /// Adds a list at a position of a writer's own; `None` if there is no room for it.
    pub fn add(&self, reserve: &mut Reserve, list: impl ExactSizeIterator<Item = u32>) -> Option<u32> {
        let need = u32::try_from(list.len()).ok()?.checked_add(1)?;
        if reserve.end - reserve.next < need {
            self.refill(reserve, need)?;
        }
        let position = reserve.next;
        reserve.next += need;
        self.write(position, list)?;
        Some(position)
    }

    fn write(&self, position: u32, list: impl ExactSizeIterator<Item = u32>) -> Option<()> {
        let length = list.len();
        let (chunk, at, size) = place(position);
        let chunk = self.chunks.get(chunk)?.get_or_init(|| (0..size).map(|_| AtomicU32::new(0)).collect());
        let words = chunk.get(at..at + 1 + length)?;
        for (to, word) in words[1..].iter().zip(list) {
            to.store(word, Ordering::Relaxed);
        }
        // A position is published only after its list is there: threads learn of it through a lock or a channel.
        words[0].store(length as u32 + 1, Ordering::Relaxed);
        Some(())
    }

    #[cold]
    fn refill(&self, reserve: &mut Reserve, need: u32) -> Option<()> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.end();
        if reserve.end != end {
            *reserve = Reserve { next: end, end };
        }
        let mut next = reserve.next;
        loop {
            let (_, at, size) = place(next);
            let left = (size - at) as u32;
            if left >= need {
                let block = need
                    .max(Tuning::DEFAULT.store.arena_block)
                    .min(left)
                    .min(self.limit.saturating_sub(next));
                if block < need {
                    return None;
                }
                *reserve = Reserve { next, end: next + block };
                self.end.store(reserve.end, Ordering::Relaxed);
                return Some(());
            }
            next = next.checked_add(left).filter(|next| *next < self.limit)?;
        }
    }

    /// Forgets the lists from a position on, and what writers have reserved.
    pub fn truncate(&mut self, from: u32) {
        let mut next = from;
        while next < self.end() {
            let (chunk, at, size) = place(next);
            let words = self.chunks[chunk].get_mut().map(|words| &mut words[at..]).unwrap_or_default();
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
            next += (size - at) as u32;
        }
        self.end.fetch_min(from, Ordering::Relaxed);
    }

    /// Adds a list at the position that it had in another arena; `None` if this is not a position after all others.
    pub fn restore(&self, position: u32, list: &[u32]) -> Option<()> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let need = u32::try_from(list.len()).ok()?.checked_add(1)?;
        let (_, at, size) = place(Some(position).filter(|p| *p < self.limit)?);
        let next = position.checked_add(need).filter(|next| *next <= self.limit)?;
        if position < self.end() || at + need as usize > size {
            return None;
        }
        self.end.store(next, Ordering::Relaxed);
        self.write(position, list.iter().copied())
    }

    /// All lists with their positions, ascending.
    pub fn lists(&self) -> impl Iterator<Item = (u32, List<'_>)> {
        let end = self.end();
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < end {
                let position = next;
                if let Some(list) = self.list(position) {
                    next += 1 + list.len() as u32;
                    return Some((position, list));
                }
                // Memory that a writer has reserved and not used is 0. A chunk is missing where a list was too long for
                // it.
                let (chunk, at, size) = place(position);
                next += if self.chunks[chunk].get().is_some() { 1 } else { (size - at) as u32 };
            }
            None
        })
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let words: usize = self.chunks.iter().filter_map(OnceLock::get).map(|chunk| chunk.len()).sum();
        words * size_of::<AtomicU32>()
    }
}

/// A list that is being made, or is needed temporarily: it is in no arena.
#[derive(Debug, Default)]
pub struct Draft(Vec<AtomicU32>);

impl Draft {
    /// Adds a word.
    #[inline]
    pub fn push(&mut self, word: u32) {
        self.0.push(AtomicU32::new(word));
    }

    /// Adds words.
    #[inline]
    pub fn extend(&mut self, words: impl IntoIterator<Item = u32>) {
        self.0.extend(words.into_iter().map(AtomicU32::new));
    }

    /// Forgets the words and keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The words.
    #[inline]
    pub fn list(&self) -> List<'_> {
        List(&self.0)
    }
}

/// A list of an arena, or a draft.
#[derive(Clone, Copy, Debug)]
pub struct List<'a>(&'a [AtomicU32]);

impl<'a> List<'a> {
    /// Number of words.
    #[inline]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether the list has no words.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// One word.
    #[inline]
    pub fn at(self, i: usize) -> u32 {
        self.0[i].load(Ordering::Relaxed)
    }

    /// Returns the word at a position; `None` behind the end.
    #[inline]
    pub fn get(self, i: usize) -> Option<u32> {
        self.0.get(i).map(|word| word.load(Ordering::Relaxed))
    }

    /// The words from one position on.
    #[inline]
    pub fn from(self, i: usize) -> List<'a> {
        List(&self.0[i..])
    }

    /// Some of the words.
    #[inline]
    pub fn part(self, places: Range<usize>) -> List<'a> {
        List(&self.0[places])
    }

    /// The words.
    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + 'a {
        self.0.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// The words two by two: the couples of a relation.
    #[inline]
    pub fn couples(self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'a {
        self.0.chunks_exact(2).map(|p| (p[0].load(Ordering::Relaxed), p[1].load(Ordering::Relaxed)))
    }

    /// Returns whether a word is in an ascending list.
    #[inline]
    pub fn has(self, word: u32) -> bool {
        if self.len() <= 16 {
            return self.iter().any(|w| w == word);
        }
        self.0.binary_search_by_key(&word, |w| w.load(Ordering::Relaxed)).is_ok()
    }

    /// Position of a key in the ascending couples of a relation: the first couple with it.
    #[inline]
    pub fn find_key(self, key: u32) -> Option<usize> {
        let n = self.len() / 2;
        if n <= 12 {
            return self.0.chunks_exact(2).position(|p| p[0].load(Ordering::Relaxed) == key);
        }
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = (low + high) / 2;
            if self.at(2 * middle) < key { low = middle + 1 } else { high = middle }
        }
        (low < n && self.at(2 * low) == key).then_some(low)
    }

    /// Returns whether the list consists of these words.
    #[inline]
    pub fn is(self, words: &[u32]) -> bool {
        self.len() == words.len() && self.iter().zip(words).all(|(a, b)| a == *b)
    }

    /// Returns whether both lists have the same words.
    #[inline]
    pub fn equals(self, other: List<'_>) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b)
    }

    /// See [`hash_words`](super::index::hash_words).
    pub fn hash(self) -> u64 {
        let odd = if self.len().is_multiple_of(2) { None } else { self.iter().last() };
        hash_pairs(self.len(), self.couples(), odd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::index::hash_words;

    #[test]
    fn every_position_has_a_place_and_its_neighbour_the_next() {
        let (mut chunk, mut at, mut size) = place(0);
        assert_eq!((chunk, at, size), (0, 0, 512));
        for position in 1..100_000 {
            (chunk, at) = if at + 1 == size { (chunk + 1, 0) } else { (chunk, at + 1) };
            size = place(position).2;
            assert_eq!(place(position), (chunk, at, size));
        }
        assert!(place(POSITIONS - 1).0 < CHUNKS);
    }

    #[test]
    fn lists_of_several_writers_keep_their_places_and_come_back() {
        let arena = Arena::default();
        let list = |n: u32| (0..n % 700).map(|i| i * n).collect::<Vec<u32>>();
        let mut told = std::thread::scope(|threads| {
            let writer = |first: u32| {
                let arena = &arena;
                move || {
                    let mut reserve = Reserve::default();
                    let numbers = (first..3000).step_by(3);
                    numbers
                        .map(|n| (arena.add(&mut reserve, list(n).into_iter()).expect("room"), n))
                        .collect::<Vec<_>>()
                }
            };
            let writers: Vec<_> = (0..3).map(|first| threads.spawn(writer(first))).collect();
            writers.into_iter().flat_map(|w| w.join().expect("no panic")).collect::<Vec<_>>()
        });
        told.sort_unstable();
        let again = Arena::default();
        for (position, words) in arena.lists() {
            again.restore(position, &words.iter().collect::<Vec<_>>()).expect("a place");
        }
        for arena in [&arena, &again] {
            assert!(arena.lists().map(|(position, _)| position).eq(told.iter().map(|t| t.0)));
            for (position, n) in &told {
                let found = arena.list(*position).expect("a list");
                assert!(found.is(&list(*n)) && found.hash() == hash_words(&list(*n)));
            }
        }
        assert_eq!(again.restore(told[7].0, &[1]), None);
    }

    #[test]
    fn what_is_beyond_the_limit_is_refused() {
        let arena = Arena::with_limit(2000);
        let mut reserve = Reserve::default();
        assert!(arena.add(&mut reserve, [7; 600].into_iter()).is_none());
        assert!(arena.add(&mut reserve, [7; 400].into_iter()).is_some());
        assert_eq!((0..).find(|_| arena.add(&mut reserve, [7; 99].into_iter()).is_none()), Some(15));
        assert!(arena.list(POSITIONS - 1).is_none() && arena.list(u32::MAX).is_none());
        assert!(arena.restore(1999, &[1]).is_none() && arena.restore(u32::MAX, &[1]).is_none());
    }
}
