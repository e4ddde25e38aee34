//! Cached results: the updates of a group, or the truth of a label, by the words of the columns that it reads. The
//! threads of a search share them, so that no result is computed twice.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::index::{Index, hash_words};
use crate::tuning::Tuning;

/// A table from keys of fixed width to lists of words with a number.
#[derive(Debug)]
pub struct Cache {
    /// Columns of a row that make up the key.
    reads: Vec<usize>,
    entries: Entries,
    /// The key that was looked up last, and its hash.
    key: Vec<u32>,
    hash: u64,
    /// Number of lookups that found an entry.
    pub hits: u64,
    /// Number of lookups that found none.
    pub misses: u64,
}

/// Cache entries: those of one thread, or parts shared by several threads, chosen by the hash of a key.
#[derive(Debug)]
enum Entries {
    Own(Part),
    Shared(Arc<[Mutex<Part>]>),
}

#[derive(Debug, Default)]
struct Part {
    keys: Vec<u32>,
    entries: Vec<Entry>,
    words: Vec<u32>,
    index: Index,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    start: usize,
    end: usize,
}

impl Cache {
    /// An empty cache for a group or label that reads these columns of a row.
    pub fn new(reads: Vec<usize>) -> Cache {
        let (entries, key) = (Entries::Own(Part::default()), vec![0; reads.len()]);
        Cache { reads, entries, key, hash: 0, hits: 0, misses: 0 }
    }

    /// An empty cache for a group or label that reads these columns, shared if this one is.
    pub fn renewed(&self, reads: Vec<usize>) -> Cache {
        let mut cache = Cache::new(reads);
        if let Entries::Shared(_) = self.entries {
            cache.share();
        }
        cache
    }

    /// Shares entries that are added from now on with other threads.
    pub fn share(&mut self) {
        if let Entries::Own(_) = self.entries {
            self.entries =
                Entries::Shared((0..Tuning::DEFAULT.space.cache_parts).map(|_| Mutex::default()).collect());
        }
    }

    /// A cache with the same entries for another thread, now and later, if they are shared.
    pub fn shared(&self) -> Option<Cache> {
        let Entries::Shared(parts) = &self.entries else { return None };
        Some(Cache { entries: Entries::Shared(parts.clone()), ..Cache::new(self.reads.clone()) })
    }

    /// The cached number for a row. The words are appended to `words`. [`Cache::remember`] adds an entry for the row
    /// looked up last.
    #[inline]
    pub fn get(&mut self, row: &[u32], words: &mut Vec<u32>) -> Option<u64> {
        for (key, at) in self.key.iter_mut().zip(&self.reads) {
            *key = row[*at];
        }
        self.hash = hash_words(&self.key);
        let found = match &self.entries {
            Entries::Own(part) => part.get(&self.key, self.hash, words),
            Entries::Shared(parts) => lock(parts, self.hash).get(&self.key, self.hash, words),
        };
        match found {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        found
    }

    /// Adds a result for the row of the last lookup, which found none.
    pub fn remember(&mut self, number: u64, words: &[u32]) {
        match &mut self.entries {
            Entries::Own(part) => {
                part.add(&self.key, self.hash, number, words, Tuning::DEFAULT.space.cache_largest)
            }
            Entries::Shared(parts) => {
                let mut part = lock(parts, self.hash);
                // Another thread may have been as fast.
                if part.find(&self.key, self.hash).is_none() {
                    part.add(
                        &self.key,
                        self.hash,
                        number,
                        words,
                        Tuning::DEFAULT.space.cache_largest / Tuning::DEFAULT.space.cache_parts,
                    );
                }
            }
        }
    }

    /// Returns whether the cache costs more than it saves.
    pub fn is_useless(&self) -> bool {
        let lookups = self.hits + self.misses;
        lookups >= Tuning::DEFAULT.space.cache_trial && self.hits * Tuning::DEFAULT.space.cache_pays < lookups
    }

    /// Bytes in use, and whether other threads use the same ones.
    pub fn bytes(&self) -> (usize, bool) {
        match &self.entries {
            Entries::Own(part) => (part.bytes(), false),
            Entries::Shared(parts) => {
                let bytes = |part: &Mutex<Part>| part.lock().unwrap_or_else(PoisonError::into_inner).bytes();
                (parts.iter().map(bytes).sum(), true)
            }
        }
    }
}

fn lock(parts: &[Mutex<Part>], hash: u64) -> MutexGuard<'_, Part> {
    // The index uses the upper half of the hash.
    parts[hash as usize & (Tuning::DEFAULT.space.cache_parts - 1)]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

impl Part {
    #[inline]
    fn find(&self, key: &[u32], hash: u64) -> Option<u32> {
        let (keys, width) = (&self.keys, key.len());
        self.index.find(hash, |p| {
            let at = p as usize * width;
            keys[at..at + width] == *key
        })
    }

    #[inline]
    fn get(&self, key: &[u32], hash: u64, words: &mut Vec<u32>) -> Option<u64> {
        let entry = self.entries[self.find(key, hash)? as usize];
        words.extend_from_slice(&self.words[entry.start..entry.end]);
        Some(entry.number)
    }

    fn add(&mut self, key: &[u32], hash: u64, number: u64, words: &[u32], most: usize) {
        if self.entries.len() >= most {
            return;
        }
        let start = self.words.len();
        self.words.extend_from_slice(words);
        let position = self.entries.len() as u32;
        self.entries.push(Entry { number, start, end: self.words.len() });
        self.keys.extend_from_slice(key);
        let (keys, width) = (&self.keys, key.len());
        self.index.insert(hash, position, |p| {
            let at = p as usize * width;
            hash_words(&keys[at..at + width])
        });
    }

    fn bytes(&self) -> usize {
        self.keys.capacity() * 4
            + self.entries.capacity() * size_of::<Entry>()
            + self.words.capacity() * 4
            + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_find_what_others_remember() {
        let mut cache = Cache::new(vec![0, 2]);
        assert!(cache.shared().is_none());
        cache.share();
        let remember = |cache: &mut Cache, key: u32| {
            let row = [key, 9, key / 3];
            if cache.get(&row, &mut Vec::new()).is_none() {
                cache.remember(u64::from(key), &[key, key + 1]);
            }
        };
        std::thread::scope(|threads| {
            for _ in 0..3 {
                let mut mine = cache.shared().expect("it is shared");
                threads.spawn(move || (0..3000).for_each(|key| remember(&mut mine, key)));
            }
        });
        for key in 0..3000 {
            let mut words = vec![7];
            assert_eq!(cache.get(&[key, 8, key / 3], &mut words), Some(u64::from(key)));
            assert_eq!(words, [7, key, key + 1]);
        }
        let Entries::Shared(parts) = &cache.entries else { panic!("it is shared") };
        assert_eq!(
            parts.iter().map(|part| part.lock().expect("no panic").entries.len()).sum::<usize>(),
            3000
        );
        assert_eq!(cache.renewed(vec![1]).get(&[0, 0], &mut Vec::new()), None);
    }
}
