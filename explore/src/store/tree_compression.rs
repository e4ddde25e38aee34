//! Tree compression: values kept permanently as balanced trees over their words, whose equal parts are stored once.
//!
//! A *folded* word stands for a value as the interner's own words do: equal words for equal values. Those of integers
//! and of numbered types are the same. A list is a leaf if it is short, else a node of two folded halves; so a value
//! that differs from another one in one place shares with it all but the nodes above that place. A store of many values
//! that are all different keeps the two halves of each: then not even a root has to be found again.
//!
//! Code works on the interner's own words, of which only those of the current states are needed: see [`Store::forget`].
//!
//! Laarman, van de Pol, Weber: *Parallel Recursive State Compression for Free*, SPIN 2011.

use std::collections::HashSet;

use bsym_semantics::value::Value;

use super::interner::{NODE, RARE, Store};
use super::rep::Rep;

use crate::tuning::Tuning;

/// Largest depth of a tree. Deeper trees have more words than there is room for.
const DEPTH: usize = 40;

/// Position of the second half of a list: an even one, so that couples stay together.
fn middle(len: usize) -> usize {
    (len / 2).next_multiple_of(2).min(len)
}

impl Store {
    /// The folded word of a value.
    pub fn fold(&mut self, rep: &Rep, word: u32) -> u32 {
        match rep {
            _ if rep.is_plain() => word,
            Rep::Set(_) | Rep::Relation(..) if word & RARE != 0 => word,
            Rep::Pair(a, b, _) if word & RARE == 0 && a.is_plain() && b.is_plain() => word,
            Rep::Pair(a, b, _) => {
                let (l, r) = self.unpair(a, b, false, word);
                let sides = [self.fold(a, l), self.fold(b, r)];
                RARE | self.folded_list(&sides)
            }
            _ => {
                let mut words = self.take_scratch();
                self.folded_words(rep, word, &mut words);
                let folded = self.tree(&words);
                self.give_scratch(words);
                folded
            }
        }
    }

    /// The folded words of both halves of a value that is a list.
    pub fn fold_halves(&mut self, rep: &Rep, word: u32) -> [u32; 2] {
        if matches!(rep, Rep::Set(_) | Rep::Relation(..)) && word & RARE != 0 {
            return [word, 0];
        }
        let mut words = self.take_scratch();
        self.folded_words(rep, word, &mut words);
        let (left, right) = words.split_at(middle(words.len()));
        let halves = [self.tree(left), self.tree(right)];
        self.give_scratch(words);
        halves
    }

    /// Returns the folded word of a value that resembles another one with a known folded word. Parts that are the same
    /// in both are not looked up.
    pub fn fold_after(&mut self, rep: &Rep, (before, folded): (u32, u32), word: u32) -> u32 {
        if before == word {
            return folded;
        }
        let Some((old, new)) = self.both(rep, before, word) else { return self.fold(rep, word) };
        let folded = self.tree_after(folded, &old, &new);
        self.give_scratch(old);
        self.give_scratch(new);
        folded
    }

    /// Returns the folded halves of a value that resembles another one with known halves, as [`Store::fold_after`]
    /// does.
    pub fn fold_halves_after(&mut self, rep: &Rep, (before, halves): (u32, [u32; 2]), word: u32) -> [u32; 2] {
        if before == word {
            return halves;
        }
        let Some((old, new)) = self.both(rep, before, word) else { return self.fold_halves(rep, word) };
        let at = middle(new.len());
        let (left, right) = new.split_at(at);
        let folded = if old.len() == new.len() {
            [self.tree_after(halves[0], &old[..at], left), self.tree_after(halves[1], &old[at..], right)]
        } else {
            [self.tree(left), self.tree(right)]
        };
        self.give_scratch(old);
        self.give_scratch(new);
        folded
    }

    /// The words of two lists, if these are folded as they are.
    fn both(&mut self, rep: &Rep, before: u32, word: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        if !rep.is_list() || (before | word) & RARE != 0 {
            return None;
        }
        let (mut old, mut new) = (self.take_scratch(), self.take_scratch());
        old.extend(self.get(before).iter());
        new.extend(self.get(word).iter());
        if stay(rep, &old) && stay(rep, &new) {
            return Some((old, new));
        }
        self.give_scratch(old);
        self.give_scratch(new);
        None
    }

    /// Returns the word of a value by its folded word; `None` if this is no folded word.
    pub fn unfold(&mut self, rep: &Rep, folded: u32) -> Option<u32> {
        match rep {
            _ if rep.is_plain() => Some(folded),
            Rep::Set(_) | Rep::Relation(..) if folded & RARE != 0 => Some(folded),
            Rep::Pair(..) if folded & RARE == 0 => Some(folded),
            Rep::Pair(a, b, _) => {
                let sides = self.folded.get(folded ^ RARE)?;
                let (l, r) = (sides.get(0)?, sides.get(1)?);
                let (l, r) = (self.unfold(a, l)?, self.unfold(b, r)?);
                Some(self.pair(a, b, false, l, r))
            }
            _ => self.unfold_all(rep, &[folded]),
        }
    }

    /// Returns the word of a value by the folded words of its halves; `None` if these are none.
    pub fn unfold_halves(&mut self, rep: &Rep, halves: [u32; 2]) -> Option<u32> {
        if matches!(rep, Rep::Set(_) | Rep::Relation(..)) && halves[0] & RARE != 0 {
            return Some(halves[0]);
        }
        self.unfold_all(rep, &halves)
    }

    fn unfold_all(&mut self, rep: &Rep, trees: &[u32]) -> Option<u32> {
        let mut words = self.take_scratch();
        let flat = trees.iter().try_for_each(|tree| self.flatten(*tree, &mut words, DEPTH));
        let word = flat.and_then(|()| self.unfolded_list(rep, &mut words));
        self.give_scratch(words);
        word
    }

    /// The value of a folded word that this interner gave out.
    pub fn decode_folded(&self, rep: &Rep, folded: u32) -> Value {
        match rep {
            _ if rep.is_plain() => self.decode(rep, folded),
            Rep::Set(_) | Rep::Relation(..) if folded & RARE != 0 => self.decode(rep, folded),
            Rep::Pair(..) if folded & RARE == 0 => self.decode(rep, folded),
            Rep::Pair(a, b, _) => {
                let sides = self.folded.get(folded ^ RARE).expect("a list keeps the place that it got");
                Value::pair(self.decode_folded(a, sides.at(0)), self.decode_folded(b, sides.at(1)))
            }
            _ => self.decode_halves(rep, &[folded]),
        }
    }

    /// The value of folded halves that this interner gave out.
    pub fn decode_halves(&self, rep: &Rep, halves: &[u32]) -> Value {
        if matches!(rep, Rep::Set(_) | Rep::Relation(..)) && halves[0] & RARE != 0 {
            return self.decode(rep, halves[0]);
        }
        Store::value_from(rep, &self.flat(halves), &|rep, word| self.decode_folded(rep, word))
    }

    /// The digest of a folded word: that of the value, see [`Store::digest`].
    pub fn digest_folded(&self, rep: &Rep, folded: u32) -> u64 {
        match rep {
            _ if rep.is_plain() => self.digest(rep, folded),
            Rep::Set(_) | Rep::Relation(..) if folded & RARE != 0 => self.digest(rep, folded),
            Rep::Pair(..) if folded & RARE == 0 => self.digest(rep, folded),
            Rep::Pair(a, b, _) => {
                let sides = self.folded.get(folded ^ RARE).expect("a list keeps the place that it got");
                Store::digest_of_pair(self.digest_folded(a, sides.at(0)), self.digest_folded(b, sides.at(1)))
            }
            _ => self.digest_halves(rep, &[folded]),
        }
    }

    /// The digest of folded halves.
    pub fn digest_halves(&self, rep: &Rep, halves: &[u32]) -> u64 {
        if matches!(rep, Rep::Set(_) | Rep::Relation(..)) && halves[0] & RARE != 0 {
            return self.digest(rep, halves[0]);
        }
        let words = self.flat(halves);
        Store::digest_of(rep, words.iter().copied(), &|rep, word| self.digest_folded(rep, word))
    }

    /// Returns whether a folded word is one that [`Store::fold`] gives for a value of the type represented. `known` are
    /// words that are known to be sound.
    pub fn is_sound_folded(&mut self, rep: &Rep, folded: u32, known: &mut HashSet<(usize, u32)>) -> bool {
        let word = self.unfold(rep, folded);
        word.is_some_and(|word| self.is_sound(rep, word, known) && self.fold(rep, word) == folded)
    }

    /// Returns whether halves are those that [`Store::fold_halves`] gives for a value of the type represented, as
    /// [`Store::is_sound_folded`] does for a folded word.
    pub fn are_sound_halves(
        &mut self,
        rep: &Rep,
        halves: [u32; 2],
        known: &mut HashSet<(usize, u32)>,
    ) -> bool {
        let word = self.unfold_halves(rep, halves);
        word.is_some_and(|word| self.is_sound(rep, word, known) && self.fold_halves(rep, word) == halves)
    }

    /// The words of a list, with their values folded. Those of a set ascend again.
    fn folded_words(&mut self, rep: &Rep, word: u32, words: &mut Vec<u32>) {
        words.extend(self.get(word).iter());
        match rep {
            _ if stay(rep, words) => {}
            Rep::Set(e) => {
                words.iter_mut().for_each(|word| *word = self.fold(e, *word));
                words.sort_unstable();
            }
            Rep::Relation(a, b) => {
                for couple in words.chunks_exact_mut(2) {
                    couple.copy_from_slice(&[self.fold(a, couple[0]), self.fold(b, couple[1])]);
                }
                sort_couples(words);
            }
            Rep::Record(fields) => {
                for ((_, rep), word) in fields.iter().zip(words) {
                    *word = self.fold(rep, *word);
                }
            }
            _ => {}
        }
    }

    /// The inverse of [`Store::folded_words`].
    fn unfolded_list(&mut self, rep: &Rep, words: &mut [u32]) -> Option<u32> {
        match rep {
            _ if stay(rep, words) => {}
            Rep::Set(e) => {
                for word in &mut *words {
                    *word = self.unfold(e, *word)?;
                }
                words.sort_unstable();
            }
            Rep::Relation(a, b) => {
                for couple in words.chunks_exact_mut(2) {
                    couple.copy_from_slice(&[self.unfold(a, couple[0])?, self.unfold(b, couple[1])?]);
                }
                sort_couples(words);
            }
            Rep::Record(fields) => {
                for ((_, rep), word) in fields.iter().zip(&mut *words) {
                    *word = self.unfold(rep, *word)?;
                }
            }
            _ => {}
        }
        Some(self.list(words))
    }

    /// The folded word of a list of folded words.
    fn tree(&mut self, words: &[u32]) -> u32 {
        if words.len() <= Tuning::DEFAULT.store.leaf {
            return self.folded_list(words);
        }
        let (left, right) = words.split_at(middle(words.len()));
        let halves = [self.tree(left), self.tree(right)];
        NODE | self.folded_list(&halves)
    }

    /// Returns the folded word of a list of folded words, given the tree of a list that may resemble it.
    fn tree_after(&mut self, tree: u32, before: &[u32], words: &[u32]) -> u32 {
        if before == words {
            return tree;
        }
        if words.len() <= Tuning::DEFAULT.store.leaf || before.len() != words.len() {
            return self.tree(words);
        }
        let halves = self.folded.get(tree & !NODE).map(|node| (node.at(0), node.at(1)));
        let (l, r) = halves.expect("a list keeps the place that it got");
        let at = middle(words.len());
        let halves = [
            self.tree_after(l, &before[..at], &words[..at]),
            self.tree_after(r, &before[at..], &words[at..]),
        ];
        NODE | self.folded_list(&halves)
    }

    /// Appends the words of a tree.
    fn flatten(&self, tree: u32, words: &mut Vec<u32>, depth: usize) -> Option<()> {
        if tree & RARE != 0 || words.len() > NODE as usize {
            return None;
        }
        let list = self.folded.get(tree & !NODE)?;
        if tree & NODE == 0 {
            words.extend(list.iter());
            return Some(());
        }
        let depth = depth.checked_sub(1)?;
        self.flatten(list.get(0)?, words, depth)?;
        self.flatten(list.get(1)?, words, depth)
    }

    fn flat(&self, trees: &[u32]) -> Vec<u32> {
        let mut words = Vec::new();
        let flat = trees.iter().try_for_each(|tree| self.flatten(*tree, &mut words, DEPTH));
        flat.expect("a list keeps the place that it got");
        words
    }

    fn folded_list(&self, list: &[u32]) -> u32 {
        self.folded.number(list).unwrap_or_else(|| self.full())
    }
}

/// Returns whether the words of a list are the same folded.
fn stay(rep: &Rep, words: &[u32]) -> bool {
    let stay = |rep: &Rep, first: usize, step: usize| match rep {
        _ if rep.is_plain() => true,
        Rep::Pair(a, b, _) if a.is_plain() && b.is_plain() => {
            words[first.min(words.len())..].iter().step_by(step).all(|word| word & RARE == 0)
        }
        _ => false,
    };
    match rep {
        Rep::Set(e) => stay(e, 0, 1),
        Rep::Relation(a, b) => stay(a, 0, 2) && stay(b, 1, 2),
        Rep::Record(fields) => {
            fields.iter().enumerate().all(|(i, (_, rep))| stay(rep, i, words.len().max(1)))
        }
        _ => true,
    }
}

fn sort_couples(words: &mut [u32]) {
    let mut couples: Vec<(u32, u32)> = words.chunks_exact(2).map(|couple| (couple[0], couple[1])).collect();
    couples.sort_unstable();
    for (place, (l, r)) in words.chunks_exact_mut(2).zip(couples) {
        place.copy_from_slice(&[l, r]);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_language::types::CarrierId;

    use super::*;
    use crate::dice::Dice;

    /// A random value of a representation, in words.
    fn any(store: &mut Store, rep: &Rep, dice: &mut Dice) -> u32 {
        match rep {
            Rep::Int if dice.roll().is_multiple_of(8) => store.int(i64::MAX - (dice.roll() % 3) as i64),
            Rep::Int => store.int((dice.roll() % 9) as i64),
            Rep::Element(_, n) => (dice.roll() % u64::from(*n)) as u32,
            Rep::Bits(_, n) => store.bit_set(*n, u128::from(dice.roll()) & ((1 << n) - 1)),
            Rep::Pair(a, b, numbered) => {
                let (l, r) = (any(store, a, dice), any(store, b, dice));
                store.pair(a, b, numbered.is_some(), l, r)
            }
            Rep::Set(e) => {
                let mut list: Vec<u32> = (0..dice.roll() % 30).map(|_| any(store, e, dice)).collect();
                list.sort_unstable();
                list.dedup();
                store.list(&list)
            }
            Rep::Relation(a, b) => {
                let n = dice.roll() % 20;
                let mut couples: Vec<_> =
                    (0..n).map(|_| (any(store, a, dice), any(store, b, dice))).collect();
                couples.sort_unstable();
                couples.dedup();
                let list: Vec<u32> = couples.into_iter().flat_map(|(l, r)| [l, r]).collect();
                store.list(&list)
            }
            Rep::Record(fields) => {
                let list: Vec<u32> = fields.iter().map(|(_, rep)| any(store, rep, dice)).collect();
                store.list(&list)
            }
            Rep::Bool | Rep::Opaque => 0,
        }
    }

    fn reps() -> Vec<Rep> {
        let int = Arc::new(Rep::Int);
        let bits = Arc::new(Rep::Bits(Arc::new(Rep::Element(CarrierId(0), 60)), 60));
        let set = Arc::new(Rep::Set(int.clone()));
        let couple = Arc::new(Rep::Pair(int.clone(), set.clone(), None));
        let plain = Arc::new(Rep::Pair(int.clone(), int.clone(), None));
        vec![
            Rep::Relation(int.clone(), int.clone()),
            Rep::Relation(plain, set.clone()),
            Rep::Set(couple.clone()),
            Rep::Set(Arc::new(Rep::Set(set.clone()))),
            Rep::Record([("a".into(), set), ("b".into(), int), ("c".into(), bits.clone())].into()),
            (*couple).clone(),
            (*bits).clone(),
        ]
    }

    /// Folded words stand for values as words do, whatever was interned between, and after all else was forgotten.
    #[test]
    fn folded_values_come_back() {
        let mut dice = Dice::new(7);
        for rep in reps() {
            let mut store = Store::for_threads(2);
            let words: Vec<u32> = (0..90).map(|_| any(&mut store, &rep, &mut dice)).collect();
            let halves = !matches!(rep, Rep::Pair(..));
            let seen: Vec<(Value, u64, u32, [u32; 2])> = words
                .iter()
                .map(|word| {
                    let both = if halves { store.fold_halves(&rep, *word) } else { [0; 2] };
                    (store.decode(&rep, *word), store.digest(&rep, *word), store.fold(&rep, *word), both)
                })
                .collect();
            for (i, (value, _, folded, both)) in seen.iter().enumerate() {
                for (other, _, again, also) in &seen[..i] {
                    assert_eq!(value == other, folded == again, "{rep:?}");
                    assert!(!halves || (value == other) == (both == also), "{rep:?}");
                }
            }
            // Every value must fold to the same word after any other value.
            for (i, word) in words.iter().enumerate() {
                for (j, before) in words.iter().enumerate().step_by(7) {
                    let (new, old) = (&seen[i], &seen[j]);
                    assert_eq!(store.fold_after(&rep, (*before, old.2), *word), new.2);
                    assert!(!halves || store.fold_halves_after(&rep, (*before, old.3), *word) == new.3);
                }
            }
            store.forget();
            for (value, digest, folded, both) in seen.iter().rev() {
                let word = store.unfold(&rep, *folded).expect("a folded word");
                assert_eq!((&store.decode(&rep, word), store.digest(&rep, word)), (value, *digest));
                assert_eq!(store.decode_folded(&rep, *folded), *value);
                assert_eq!(store.digest_folded(&rep, *folded), *digest);
                assert_eq!(store.fold(&rep, word), *folded);
                let mut known = HashSet::new();
                assert!(store.is_sound_folded(&rep, *folded, &mut known));
                if halves {
                    assert_eq!(store.unfold_halves(&rep, *both), Some(word));
                    assert_eq!(store.decode_halves(&rep, both), *value);
                    assert_eq!(store.digest_halves(&rep, both), *digest);
                    assert!(store.are_sound_halves(&rep, *both, &mut known));
                }
            }
        }
    }

    #[test]
    fn trees_of_nothing_are_not_sound() {
        let mut store = Store::default();
        let rep = Rep::Set(Arc::new(Rep::Int));
        let words: Vec<u32> = (0..40).map(|n| store.int(n)).collect();
        let set = store.list(&words);
        let folded = store.fold(&rep, set);
        let mut known = HashSet::new();
        assert!(store.is_sound_folded(&rep, folded, &mut known));
        for word in [folded + 1, NODE | (1 << 29), 1 << 29, RARE | folded] {
            assert!(!store.is_sound_folded(&rep, word, &mut known), "{word:x}");
        }
        // A tree of another shape with the same words is not sound.
        let left = store.folded.number(&words[..3]).expect("room");
        let right = store.folded.number(&words[3..5]).expect("room");
        let shape = NODE | store.folded.number(&[left, right]).expect("room");
        assert!(store.unfold(&rep, shape).is_some() && !store.is_sound_folded(&rep, shape, &mut known));
        assert!(!store.are_sound_halves(&rep, [right, left], &mut known));
    }

    #[test]
    fn values_that_differ_in_one_place_share_the_rest() {
        let mut store = Store::default();
        let rep = Rep::Relation(Arc::new(Rep::Int), Arc::new(Rep::Int));
        let zero = store.int(0);
        let mut words: Vec<u32> = (0..512).flat_map(|n| [store.int(n), zero]).collect();
        for i in 0..512 {
            let before = store.list(&words);
            let halves = store.fold_halves(&rep, before);
            words[2 * i + 1] = store.int(1);
            let word = store.list(&words);
            let folded = store.fold_halves_after(&rep, (before, halves), word);
            assert_eq!(folded, store.fold_halves(&rep, word));
            words[2 * i + 1] = zero;
            store.forget();
        }
        // A value alone has 1024 words.
        let lists: usize = store.folded.all().map(|(_, list)| list.len()).sum();
        assert!(lists < 512 * 32, "{lists}");
    }
}
