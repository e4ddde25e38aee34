//! Remembered results: what a group does, or whether a label is true, for the words of the columns that it reads.

use crate::store::index::{Index, hash_words};

/// What takes so long, by the weight of compiled code, is worth remembering.
pub const REMEMBERED: usize = 30;
/// Lookups after which a cache that does not pay is dropped.
const TRIAL: u64 = 1 << 14;
/// Entries after which nothing more is added.
const LARGEST: usize = 1 << 22;

/// A table from keys of fixed width to lists of words with a number.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Columns of a row that make up the key.
    reads: Vec<usize>,
    keys: Vec<u32>,
    entries: Vec<Entry>,
    words: Vec<u32>,
    index: Index,
    scratch: Vec<u32>,
    /// Lookups that found something.
    pub hits: u64,
    /// Lookups that did not.
    pub misses: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    start: usize,
    end: usize,
}

impl Cache {
    /// An empty cache for what reads these columns of a row.
    pub fn new(reads: Vec<usize>) -> Cache {
        Cache {
            scratch: vec![0; reads.len()],
            reads,
            keys: Vec::new(),
            entries: Vec::new(),
            words: Vec::new(),
            index: Index::default(),
            hits: 0,
            misses: 0,
        }
    }

    /// What is remembered for a row; [`Cache::remember`] adds an entry for the row looked up last.
    #[inline]
    pub fn get(&mut self, row: &[u32]) -> Option<(u64, &[u32])> {
        for (key, at) in self.scratch.iter_mut().zip(&self.reads) {
            *key = row[*at];
        }
        let (keys, key, width) = (&self.keys, &self.scratch[..], self.reads.len());
        let found = self.index.find(hash_words(key), |p| {
            let at = p as usize * width;
            keys[at..at + width] == *key
        });
        match found {
            Some(p) => {
                self.hits += 1;
                let entry = self.entries[p as usize];
                Some((entry.number, &self.words[entry.start..entry.end]))
            }
            None => {
                self.misses += 1;
                None
            }
        }
    }

    /// Remembers a result for the row that was looked up last, in vain.
    pub fn remember(&mut self, number: u64, words: &[u32]) {
        if self.entries.len() >= LARGEST {
            return;
        }
        let start = self.words.len();
        self.words.extend_from_slice(words);
        let position = self.entries.len() as u32;
        self.entries.push(Entry { number, start, end: self.words.len() });
        self.keys.extend_from_slice(&self.scratch);
        let (keys, width) = (&self.keys, self.reads.len());
        self.index.insert(hash_words(&self.scratch), position, |p| {
            let at = p as usize * width;
            hash_words(&keys[at..at + width])
        });
    }

    /// Whether it costs more than it saves.
    pub fn is_useless(&self) -> bool {
        let lookups = self.hits + self.misses;
        lookups >= TRIAL && self.hits * 3 < lookups
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 4
            + self.entries.capacity() * 24
            + self.words.capacity() * 4
            + self.index.bytes()
    }
}
