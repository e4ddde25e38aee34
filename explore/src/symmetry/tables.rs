//! Stand-ins under a group of few permutations: the images of a value are computed once, and then only compared.

use rustc_hash::FxHashMap;

use super::atoms::Images;
use super::group::Group;
use super::shape::Shape;
use crate::store::interner::Store;
use crate::tuning::tuning;

/// For each permutation, the image's word and the digest of its value; `None` if a value is not listed.
type Made = Option<Box<[(u32, u64)]>>;

/// Images of values under the permutations of small groups.
#[derive(Debug, Default)]
pub struct Tables {
    /// By group: its permutations, if it is small.
    groups: FxHashMap<u32, Option<Vec<Images>>>,
    /// By group, variable and word.
    made: FxHashMap<(u32, u32, u32), Made>,
    /// Permutations that may lead to the least state.
    alive: Vec<u32>,
    words: usize,
}

impl Tables {
    /// Returns whether the group with this number is small.
    pub fn is_small(&mut self, number: u32, group: &Group) -> bool {
        let permutations = self.groups.entry(number).or_insert_with(|| {
            let is_small = group.order().is_some_and(|order| order <= tuning().symmetry.small_group);
            is_small.then(|| {
                let mut all = Vec::new();
                group.each(&mut |images| all.push(images));
                all
            })
        });
        permutations.is_some()
    }

    /// The permutation in a small group that leads to the least state: values are compared in the order of the
    /// variables. `None` where a value is not listed.
    pub fn least(
        &mut self,
        store: &mut Store,
        number: u32,
        shapes: &[(usize, Shape)],
        row: &[u32],
    ) -> Option<u32> {
        let Tables { groups, made, alive, words } = self;
        let permutations = groups.get(&number)?.as_ref()?;
        alive.clear();
        alive.extend(0..permutations.len() as u32);
        for (at, shape) in shapes {
            let word = row[*at];
            let made = made.entry((number, *at as u32, word)).or_insert_with(|| {
                *words += permutations.len();
                make(store, permutations, shape, word)
            });
            let made = made.as_ref()?;
            if let [_] = alive[..] {
                continue;
            }
            let least = alive.iter().map(|by| made[*by as usize].1).min();
            alive.retain(|by| Some(made[*by as usize].1) == least);
        }
        alive.first().copied()
    }

    /// Returns the image of a word under a permutation. A word that was not met before stays as it is.
    pub fn word(&self, number: u32, by: u32, at: usize, word: u32) -> u32 {
        let made = self.made.get(&(number, at as u32, word)).and_then(Option::as_ref);
        made.and_then(|made| made.get(by as usize)).map_or(word, |(word, _)| *word)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        16 * self.words + 48 * self.made.len()
    }
}

fn make(store: &mut Store, permutations: &[Images], shape: &Shape, word: u32) -> Made {
    let made = permutations.iter().map(|images| {
        let word = shape.permute(store, word, images)?;
        Some((word, shape.digest(store, word)))
    });
    made.collect()
}
