//! Sets of events, as bits.

/// A set of numbers below a bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Set {
    words: Vec<u64>,
}

impl Set {
    /// The empty set of numbers below `n`.
    pub fn below(n: usize) -> Set {
        Set { words: vec![0; n.div_ceil(64)] }
    }

    /// The numbers below `n` that pass a test.
    pub fn filter(n: usize, mut test: impl FnMut(usize) -> bool) -> Set {
        let mut set = Set::below(n);
        (0..n).filter(|i| test(*i)).for_each(|i| set.insert(i));
        set
    }

    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        self.words[i / 64] |= 1 << (i % 64);
    }

    /// Whether a number is in the set.
    pub fn contains(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// How many numbers are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many of its numbers are in another set.
    pub fn common(&self, other: &Set) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// How many of its numbers are in another set and not in a third one.
    pub fn common_without(&self, other: &Set, without: &Set) -> usize {
        let words = self.words.iter().zip(&other.words).zip(&without.words);
        words.map(|((a, b), c)| (a & b & !c).count_ones() as usize).sum()
    }

    /// How many of its numbers are not in another set.
    pub fn without(&self, other: &Set) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & !b).count_ones() as usize).sum()
    }

    /// Adds the numbers of another set; those that are new go to the list as well.
    pub fn add(&mut self, other: &Set, new: &mut Vec<usize>) {
        for (at, (word, more)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let mut fresh = more & !*word;
            *word |= more;
            while fresh != 0 {
                new.push(at * 64 + fresh.trailing_zeros() as usize);
                fresh &= fresh - 1;
            }
        }
    }

    /// Its numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|i| self.contains(*i))
    }
}
