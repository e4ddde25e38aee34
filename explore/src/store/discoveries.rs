//! States that several threads find while the table of states does not change.
//!
//! Each state is kept once, with the place where a single thread would have found it first. Going through the places in
//! their order afterwards numbers the states as a single thread does, whichever thread was the first in fact. Parts
//! with a lock each, chosen by the hash of a row, keep the threads out of each other's way.
//!
//! The table of Laarman, van de Pol, Weber: *Boosting Multi-Core Reachability Performance with Shared Hash Tables*,
//! FMCAD 2010, is shared while it grows; its numbers then depend on which thread came first, and so would traces.

use std::sync::{Mutex, PoisonError};

use super::index::Index;

use crate::tuning::Tuning;

/// The set. The default one has no parts and so no room: see [`Discoveries::clear`].
#[derive(Debug, Default)]
pub struct Discoveries {
    parts: Box<[Mutex<Part>]>,
    width: usize,
}

#[derive(Debug, Default)]
struct Part {
    rows: Vec<u32>,
    hashes: Vec<u64>,
    /// The earliest place of each row.
    first: Vec<u64>,
    index: Index,
}

/// A row and a place where it was found.
#[derive(Clone, Copy, Debug)]
pub struct Discovery {
    part: u32,
    number: u32,
    place: u64,
}

impl Discoveries {
    /// Adds a row with its hash that was found at a place; `None` if it was found at an earlier one.
    pub fn add(&self, row: &[u32], hash: u64, place: u64) -> Option<Discovery> {
        let width = self.width;
        // The index uses the upper half of the hash.
        let part = hash as usize & (Tuning::DEFAULT.store.discovery_parts - 1);
        let mut guard = self.parts[part].lock().unwrap_or_else(PoisonError::into_inner);
        let Part { rows, hashes, first, index } = &mut *guard;
        let known = index.find(hash, |n| rows[n as usize * width..][..width] == *row);
        let number = match known {
            Some(n) if first[n as usize] < place => return None,
            Some(n) => {
                first[n as usize] = place;
                n
            }
            None => {
                let n = hashes.len() as u32;
                index.insert(hash, n, |n| hashes[n as usize]);
                rows.extend_from_slice(row);
                hashes.push(hash);
                first.push(place);
                n
            }
        };
        Some(Discovery { part: part as u32, number, place })
    }

    /// The row of a discovery with its hash; `None` if the row was found at an earlier place.
    pub fn first(&mut self, found: Discovery) -> Option<(&[u32], u64)> {
        let part = self.parts[found.part as usize].get_mut().unwrap_or_else(PoisonError::into_inner);
        let n = found.number as usize;
        (part.first[n] == found.place).then(|| (&part.rows[n * self.width..][..self.width], part.hashes[n]))
    }

    /// Forgets all rows and keeps the memory, for rows of `width` words.
    pub fn clear(&mut self, width: usize) {
        self.width = width;
        if self.parts.is_empty() {
            self.parts = (0..Tuning::DEFAULT.store.discovery_parts).map(|_| Mutex::default()).collect();
        }
        for part in &mut self.parts {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            part.rows.clear();
            part.hashes.clear();
            part.first.clear();
            part.index.clear();
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let parts = self.parts.iter().map(|part| {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner);
            part.rows.capacity() * 4
                + part.hashes.capacity() * 8
                + part.first.capacity() * 8
                + part.index.bytes()
        });
        parts.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::index::hash_words;

    #[test]
    fn the_earliest_place_is_that_of_one_thread_whoever_comes_first() {
        // Row i is found at all places that i divides, so first at i.
        let mut set = Discoveries::default();
        for _ in 0..3 {
            set.clear(2);
            let found = std::thread::scope(|threads| {
                let set = &set;
                let find = |thread: u64| {
                    move || {
                        let places = (1..4000u64).rev().filter(|place| place % 3 == thread);
                        let rows = |place: u64| (1..=place.min(60)).filter(move |i| place.is_multiple_of(*i));
                        let pairs = places.flat_map(|place| rows(place).map(move |i| (place, i)));
                        let add = |(place, i): (u64, u64)| {
                            let row = [i as u32, 7];
                            set.add(&row, hash_words(&row), place).map(|found| (i, place, found))
                        };
                        pairs.filter_map(add).collect::<Vec<_>>()
                    }
                };
                let threads: Vec<_> = (0..3).map(|thread| threads.spawn(find(thread))).collect();
                threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect::<Vec<_>>()
            });
            let mut first: Vec<u64> = Vec::new();
            for (i, place, discovery) in found {
                if let Some((row, hash)) = set.first(discovery) {
                    assert_eq!((row, hash, place), (&[i as u32, 7][..], hash_words(&[i as u32, 7]), i));
                    first.push(i);
                }
            }
            first.sort_unstable();
            assert!(first.into_iter().eq(1..=60));
        }
    }
}
