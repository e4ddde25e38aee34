//! Lists of words, each kept once: a list has a number, and equal lists have equal numbers.
//!
//! All threads of a search share them: existing lists stay, and are read without a lock. A lookup takes one of several
//! locks, which the hash of the list chooses.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::arena::{Arena, List, Reserve};
use super::index::{Index, hash_words};

use crate::tuning::Tuning;

/// Different lists by their numbers.
#[derive(Debug)]
pub struct Lists {
    arena: Arena,
    /// Where each list is, by its hash.
    shards: Box<[Mutex<Shard>]>,
    /// Lists before stay for good.
    pinned: AtomicU32,
}

#[derive(Debug, Default)]
struct Shard {
    index: Index,
    reserve: Reserve,
}

impl Lists {
    /// No lists, with room for numbers below `limit`, for `threads` threads.
    pub fn new(limit: u32, threads: usize) -> Lists {
        let shards = if threads < 2 { 1 } else { Tuning::DEFAULT.store.list_shards };
        let shards = (0..shards).map(|_| Mutex::default()).collect();
        Lists { arena: Arena::with_limit(limit), shards, pinned: AtomicU32::new(0) }
    }

    #[inline]
    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // The index uses the upper half of the hash.
        let shard = &self.shards[hash as usize & (self.shards.len() - 1)];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a list, which is added if it is new; `None` if there is no room for it.
    pub fn number(&self, list: &[u32]) -> Option<u32> {
        self.add(hash_words(list), |known| known.is(list), list.iter().copied())
    }

    /// Returns the number of a draft, which is added if it is new; `None` if there is no room for it.
    pub fn number_of(&self, list: List<'_>) -> Option<u32> {
        self.add(list.hash(), |known| known.equals(list), list.iter())
    }

    #[inline]
    fn add(
        &self,
        hash: u64,
        is_it: impl Fn(List<'_>) -> bool,
        words: impl ExactSizeIterator<Item = u32>,
    ) -> Option<u32> {
        let mut shard = self.shard(hash);
        let known = shard.index.find(hash, |p| self.arena.list(p).is_some_and(&is_it));
        if known.is_some() {
            return known;
        }
        let position = self.arena.add(&mut shard.reserve, words)?;
        self.enter(&mut shard.index, hash, position);
        Some(position)
    }

    #[inline]
    fn enter(&self, index: &mut Index, hash: u64, number: u32) {
        index.insert(hash, number, |p| self.arena.list(p).map_or(0, List::hash));
    }

    /// The list of a number that was given out. For another number the result is arbitrary.
    #[inline]
    pub fn get(&self, number: u32) -> Option<List<'_>> {
        self.arena.list(number)
    }

    /// The list of a number, if that is one that was given out.
    pub fn checked(&self, number: u32) -> Option<List<'_>> {
        let list = self.arena.list(number)?;
        let hash = list.hash();
        self.shard(hash).index.find(hash, |p| p == number).map(|_| list)
    }

    /// All lists with their numbers, ascending.
    pub fn all(&self) -> impl Iterator<Item = (u32, List<'_>)> {
        self.arena.lists()
    }

    /// Adds a list with the number that it had before; `None` if it is there, or if this is not a number after all
    /// others.
    pub fn restore(&self, number: u32, list: &[u32]) -> Option<()> {
        let hash = hash_words(list);
        let mut shard = self.shard(hash);
        let is_there = |p| self.arena.list(p).is_some_and(|known| known.is(list));
        if shard.index.find(hash, is_there).is_some() {
            return None;
        }
        self.arena.restore(number, list)?;
        self.enter(&mut shard.index, hash, number);
        Some(())
    }

    /// Pins all lists that are there now, so that they stay permanently.
    pub fn pin(&self) {
        self.pinned.fetch_max(self.arena.end(), Ordering::Relaxed);
    }

    /// Words of the lists that need not stay.
    #[inline]
    pub fn passing(&self) -> usize {
        self.arena.end().saturating_sub(self.pinned.load(Ordering::Relaxed)) as usize
    }

    /// Forgets the lists that need not stay, and keeps the memory.
    pub fn truncate(&mut self) {
        let end = *self.pinned.get_mut();
        self.arena.truncate(end);
        for shard in &mut self.shards {
            let Shard { index, reserve } = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            index.clear();
            *reserve = Reserve::default();
        }
        for (number, list) in self.arena.lists() {
            let hash = list.hash();
            self.enter(&mut self.shard(hash).index, hash, number);
        }
    }

    /// Returns whether most of the memory is in use.
    pub fn is_filled(&self) -> bool {
        8 * self.arena.end() as usize >= self.arena.bytes()
    }

    /// The pinned lists, with the same numbers.
    pub fn pinned(&self) -> Lists {
        let lists = Lists::new(self.arena.limit(), if self.shards.len() > 1 { 2 } else { 1 });
        let end = self.pinned.load(Ordering::Relaxed);
        for (number, list) in self.all().take_while(|(number, _)| *number < end) {
            // They come in their order, and each once: there is room for them.
            let _restored = lists.restore(number, &list.iter().collect::<Vec<u32>>());
        }
        lists.pin();
        lists
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let shard = |shard: &Mutex<Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).index.bytes();
        self.arena.bytes() + self.shards.iter().map(shard).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pinned_keeps_its_number_and_the_rest_is_forgotten() {
        for threads in [1, 2] {
            let mut lists = Lists::new(1 << 20, threads);
            let numbers: Vec<u32> = (0..100).map(|n| lists.number(&[n, n, 7]).expect("room")).collect();
            lists.pin();
            assert_eq!(lists.passing(), 0);
            // None of them fits behind those that are pinned, in what was reserved there.
            (0..100).for_each(|n| assert!(lists.number(&[n; 300]).is_some()));
            assert!(lists.passing() >= 301 * 100);
            let fresh = lists.pinned();
            assert!(fresh.bytes() < lists.bytes() / 2 && lists.is_filled());
            lists.truncate();
            for pinned in [fresh, lists] {
                check(&pinned, &numbers);
            }
        }
    }

    fn check(pinned: &Lists, numbers: &[u32]) {
        for (n, number) in (0..).zip(numbers) {
            assert_eq!(pinned.number(&[n, n, 7]), Some(*number));
        }
        let new = pinned.number(&[1; 300]).expect("room");
        assert!(pinned.checked(new).is_some_and(|list| list.is(&[1; 300])));
        assert_eq!(pinned.all().count(), 101);
    }
}
