//! The interner: every value of a type as one word, equal words for equal values.
//!
//! All threads of a search share one. Interned values stay until they are forgotten between two expansions: then only
//! pinned values are left, and values that were folded permanently (see [`tree_compression`](super::tree_compression)).

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bsym_language::int::Int;
use bsym_language::source::Span;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::value::Value;
use indexmap::IndexSet;

use super::arena::{Draft, List, POSITIONS};
use super::index::mix;
use super::lists::Lists;
use super::rep::Rep;

/// Marks words that are positions of rare things: large integers, couples of large words, sets that
/// are not listed.
pub(super) const RARE: u32 = 1 << 31;
/// Marks folded words of nodes; the numbers of nodes and leaves are smaller.
pub(super) const NODE: u32 = 1 << 30;
/// Marks words of temporary lists, in addition to [`RARE`]. The numbers of values are smaller.
const DRAFT: u32 = RARE | 1 << 30;
/// The word of the integer 0.
pub const ZERO: u32 = 1 << 30;
const HALF: u32 = 15;
const SMALL_BIAS: u32 = 1 << 13;

/// Interned values; a clone shares them.
#[derive(Clone, Debug)]
pub struct Store {
    /// Lists: of the elements of a set, of both sides of each couple of a relation, of the fields of a record, of both
    /// sides of a couple, of the four words of a set of many bits.
    lists: Arc<Lists>,
    /// Leaves and nodes of folded values.
    pub(super) folded: Arc<Lists>,
    rare: Arc<Rare>,
    /// How often lists were forgotten.
    generation: u32,
    scratch: Vec<Vec<u32>>,
    drafts: Drafts,
}

/// Temporary lists, as a stack. A clone has none.
#[derive(Debug, Default)]
struct Drafts {
    /// Drafts in use, followed by others that are kept for their memory.
    lists: Vec<Draft>,
    used: usize,
}

impl Clone for Drafts {
    fn clone(&self) -> Drafts {
        Drafts::default()
    }
}

#[derive(Debug, Default)]
struct Rare {
    /// Values of the reference semantics.
    values: RwLock<IndexSet<Value>>,
    /// Set when there was no room for some value.
    is_full: AtomicBool,
}

impl Default for Store {
    fn default() -> Store {
        Store::for_threads(1)
    }
}

impl Store {
    /// An empty interner to be shared by `threads` threads.
    pub fn for_threads(threads: usize) -> Store {
        Store::with_limit(POSITIONS, threads)
    }

    fn with_limit(limit: u32, threads: usize) -> Store {
        Store {
            lists: Arc::new(Lists::new(limit, threads)),
            folded: Arc::new(Lists::new(NODE, threads)),
            rare: Arc::default(),
            generation: 0,
            scratch: Vec::new(),
            drafts: Drafts::default(),
        }
    }

    /// Pins all values that are there now: their words keep their meaning, whatever is forgotten later.
    pub fn pin(&self) {
        self.lists.pin();
    }

    /// Forgets all values that are neither pinned nor folded. Other interners that share them are not informed: their
    /// owners must clone this one.
    pub fn forget(&mut self) {
        match Arc::get_mut(&mut self.lists).filter(|lists| lists.is_filled()) {
            Some(lists) => lists.truncate(),
            None => self.lists = Arc::new(self.lists.pinned()),
        }
        self.generation += 1;
    }

    /// Forgets all values that are neither pinned nor folded, as [`Store::forget`] does, and frees their memory.
    pub fn give_back(&mut self) {
        self.lists = Arc::new(self.lists.pinned());
        self.generation += 1;
    }

    /// Number of times that values were forgotten. A word that is not pinned means nothing in another generation.
    #[inline]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Bytes of the values that would be forgotten, without those of their index.
    #[inline]
    pub fn passing_bytes(&self) -> usize {
        4 * self.lists.passing()
    }

    /// Bytes of the values that are not folded.
    pub fn unfolded_bytes(&self) -> usize {
        self.lists.bytes()
    }

    /// Returns whether there was no room for some value. It got the word of another one, so that nothing computed since
    /// then means anything.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.rare.is_full.load(Ordering::Relaxed)
    }

    pub(super) fn full(&self) -> u32 {
        self.rare.is_full.store(true, Ordering::Relaxed);
        0
    }

    /// The word of an integer.
    #[inline]
    pub fn int(&mut self, n: i64) -> u32 {
        if (-(1 << 30)..1 << 30).contains(&n) {
            (n + i64::from(ZERO)) as u32
        } else {
            RARE | self.value(Value::Int(Int::from(n)))
        }
    }

    /// The integer of a word, if it fits.
    #[inline]
    pub fn get_int(&self, word: u32) -> Option<i64> {
        if word & RARE == 0 {
            return Some(i64::from(word) - i64::from(ZERO));
        }
        self.known_value(word ^ RARE)?.as_int()?.to_i64()
    }

    /// The word of a value of the reference semantics.
    pub fn value(&mut self, value: Value) -> u32 {
        let values = &self.rare.values;
        let known = values.read().unwrap_or_else(PoisonError::into_inner).get_index_of(&value);
        let id = known
            .unwrap_or_else(|| values.write().unwrap_or_else(PoisonError::into_inner).insert_full(value).0);
        u32::try_from(id).ok().filter(|id| id & DRAFT == 0).unwrap_or_else(|| self.full())
    }

    fn known_value(&self, id: u32) -> Option<Value> {
        let values = self.rare.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get_index(id as usize).cloned()
    }

    /// The value of an id that this interner gave out.
    fn value_of(&self, id: u32) -> Value {
        self.known_value(id).expect("a value keeps the id that it got")
    }

    /// The word of a couple.
    #[inline]
    pub fn pair(&mut self, a: &Rep, b: &Rep, numbered: bool, left: u32, right: u32) -> u32 {
        if numbered {
            return left * b.count().unwrap_or(1) + right;
        }
        if let (Some(l), Some(r)) = (compact(a, left), compact(b, right)) {
            return l << HALF | r;
        }
        RARE | self.list(&[left, right])
    }

    /// Both sides of a couple.
    #[inline]
    pub fn unpair(&self, a: &Rep, b: &Rep, numbered: bool, word: u32) -> (u32, u32) {
        if numbered {
            let n = b.count().unwrap_or(1);
            (word / n, word % n)
        } else if word & RARE == 0 {
            (spread(a, word >> HALF), spread(b, word & ((1 << HALF) - 1)))
        } else {
            self.couple(word ^ RARE).unwrap_or_default()
        }
    }

    fn couple(&self, word: u32) -> Option<(u32, u32)> {
        let list = self.lists.get(word)?;
        Some((list.get(0)?, list.get(1)?))
    }

    /// The bits of a set of `n` bits.
    #[inline]
    pub fn bits(&self, n: u32, word: u32) -> u128 {
        if n <= 32 {
            return u128::from(word);
        }
        let words = self.lists.get(word).into_iter().flat_map(List::iter);
        words.rev().fold(0, |bits, word| bits << 32 | u128::from(word))
    }

    /// The word of a set of `n` bits.
    #[inline]
    pub fn bit_set(&mut self, n: u32, bits: u128) -> u32 {
        if n <= 32 {
            return bits as u32;
        }
        self.list(&[bits as u32, (bits >> 32) as u32, (bits >> 64) as u32, (bits >> 96) as u32])
    }

    /// The word of a list; of a set, if its words are sorted and distinct.
    pub fn list(&mut self, list: &[u32]) -> u32 {
        self.lists.number(list).unwrap_or_else(|| self.full())
    }

    /// An empty buffer to make a list in; [`Store::give_scratch`] keeps its memory for the next one.
    pub fn take_scratch(&mut self) -> Vec<u32> {
        self.scratch.pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    pub fn give_scratch(&mut self, mut list: Vec<u32>) {
        list.clear();
        self.scratch.push(list);
    }

    /// A list by its word, also of a draft; `None` for a set that is not listed.
    #[inline]
    pub fn listed(&self, word: u32) -> Option<List<'_>> {
        if word & RARE == 0 { self.lists.get(word) } else { self.drafted(word) }
    }

    fn drafted(&self, word: u32) -> Option<List<'_>> {
        if word & DRAFT != DRAFT {
            return None;
        }
        self.drafts.lists[..self.drafts.used].get((word ^ DRAFT) as usize).map(Draft::list)
    }

    /// An empty draft, to be filled and made a list by [`Store::draft`].
    #[inline]
    pub fn take_draft(&mut self) -> Draft {
        let Drafts { lists, used } = &mut self.drafts;
        let mut draft = lists.get_mut(*used).map(std::mem::take).unwrap_or_default();
        draft.clear();
        draft
    }

    /// The word of a list, or of a set if its words are sorted and distinct. It is valid until it is
    /// [released](Store::release) and is no word of a value: equal drafts have different words. [`Store::settle`]
    /// returns the word of the value.
    #[inline]
    pub fn draft(&mut self, draft: Draft) -> u32 {
        let Drafts { lists, used } = &mut self.drafts;
        match lists.get_mut(*used) {
            Some(place) => *place = draft,
            None => lists.push(draft),
        }
        *used += 1;
        DRAFT | (*used - 1) as u32
    }

    /// Position of the drafts that are made from now on.
    #[inline]
    pub fn mark(&self) -> usize {
        self.drafts.used
    }

    /// Forgets the drafts from a mark on.
    #[inline]
    pub fn release(&mut self, mark: usize) {
        self.drafts.used = mark;
    }

    /// The word of the value of a listed set, which is interned if it is a draft.
    #[inline]
    pub fn settle(&mut self, word: u32) -> u32 {
        match self.drafted(word) {
            Some(list) => self.lists.number_of(list).unwrap_or_else(|| self.full()),
            None => word,
        }
    }

    /// Returns whether two listed sets are the same; `None` if one is not listed.
    #[inline]
    pub fn are_same(&self, a: u32, b: u32) -> Option<bool> {
        let (left, right) = (self.listed(a)?, self.listed(b)?);
        Some(a == b || (a | b) & RARE != 0 && left.equals(right))
    }

    /// The list of an id that this interner gave out.
    pub(super) fn get(&self, id: u32) -> List<'_> {
        self.lists.get(id).expect("a list keeps the place that it got")
    }

    /// The list at a position, if one begins there.
    fn interned_list(&self, word: u32) -> Option<List<'_>> {
        if word & RARE == 0 { self.lists.checked(word) } else { None }
    }

    /// The word of a value; `None` if the value is not of the type represented, or holds a set that is not listed
    /// without being one itself.
    pub fn encode(&mut self, eval: &Evaluator<'_>, rep: &Rep, value: &Value) -> Option<u32> {
        if !matches!(value, Value::Lazy(_)) && value.has_lazy() {
            return None;
        }
        let word = self.encode_plain(eval, rep, value)?;
        (!self.is_full()).then_some(word)
    }

    fn encode_plain(&mut self, eval: &Evaluator<'_>, rep: &Rep, value: &Value) -> Option<u32> {
        Some(match (rep, value) {
            (Rep::Bool, Value::Bool(b)) => u32::from(*b),
            (Rep::Element(c, n), Value::Element(d, i)) if c == d && i < n => *i,
            (Rep::Int, Value::Int(n)) => match n.to_i64() {
                Some(n) => self.int(n),
                None => RARE | self.value(value.clone()),
            },
            (Rep::Pair(a, b, numbered), Value::Pair(p)) => {
                let (left, right) = (self.encode_plain(eval, a, &p.0)?, self.encode_plain(eval, b, &p.1)?);
                self.pair(a, b, numbered.is_some(), left, right)
            }
            (Rep::Bits(..) | Rep::Set(_) | Rep::Relation(..), Value::Lazy(_)) => {
                match eval.list(value, Span::default()) {
                    Ok(listed) => return self.encode_plain(eval, rep, &Value::Set(listed)),
                    Err(_) if matches!(rep, Rep::Bits(..)) => return None,
                    Err(_) => RARE | self.value(value.clone()),
                }
            }
            (Rep::Bits(e, n), Value::Set(s)) => {
                let mut bits = 0u128;
                for v in s.iter() {
                    bits |= 1u128 << self.encode_plain(eval, e, v)?;
                }
                self.bit_set(*n, bits)
            }
            (Rep::Set(e), Value::Set(s)) => {
                let mut list = s.iter().map(|v| self.encode_plain(eval, e, v)).collect::<Option<Vec<_>>>()?;
                list.sort_unstable();
                self.list(&list)
            }
            (Rep::Relation(a, b), Value::Set(s)) => {
                let mut pairs = Vec::with_capacity(s.len());
                for v in s.iter() {
                    let (l, r) = v.as_pair()?;
                    pairs.push((self.encode_plain(eval, a, l)?, self.encode_plain(eval, b, r)?));
                }
                pairs.sort_unstable();
                let list: Vec<u32> = pairs.into_iter().flat_map(|(l, r)| [l, r]).collect();
                self.list(&list)
            }
            (Rep::Record(fields), Value::Record(values)) if fields.len() == values.len() => {
                let list = fields
                    .iter()
                    .zip(values.iter())
                    .map(|((_, rep), (_, v))| self.encode_plain(eval, rep, v))
                    .collect::<Option<Vec<_>>>()?;
                self.list(&list)
            }
            (Rep::Opaque, _) => self.value(value.clone()),
            _ => return None,
        })
    }

    /// The value of a word.
    pub fn decode(&self, rep: &Rep, word: u32) -> Value {
        match rep {
            Rep::Bool => Value::Bool(word != 0),
            Rep::Element(c, _) => Value::Element(*c, word),
            Rep::Int if word & RARE == 0 => Value::int(i64::from(word) - i64::from(ZERO)),
            Rep::Int => self.value_of(word ^ RARE),
            Rep::Pair(a, b, numbered) => {
                let (l, r) = self.unpair(a, b, numbered.is_some(), word);
                Value::pair(self.decode(a, l), self.decode(b, r))
            }
            Rep::Bits(e, n) if *n <= 32 => {
                Value::set((0..*n).filter(|i| word >> i & 1 == 1).map(|i| self.decode(e, i)))
            }
            Rep::Set(_) | Rep::Relation(..) if word & RARE != 0 => self.value_of(word ^ RARE),
            Rep::Bits(..) | Rep::Set(_) | Rep::Relation(..) | Rep::Record(_) => {
                let words: Vec<u32> = self.get(word).iter().collect();
                Store::value_from(rep, &words, &|rep, word| self.decode(rep, word))
            }
            Rep::Opaque => self.value_of(word),
        }
    }

    /// The value of a list of words.
    pub(super) fn value_from(rep: &Rep, words: &[u32], decode: &dyn Fn(&Rep, u32) -> Value) -> Value {
        match rep {
            Rep::Bits(e, n) => {
                let is_in =
                    |i: &u32| words.get(*i as usize / 32).is_some_and(|word| word >> (i % 32) & 1 == 1);
                Value::set((0..*n).filter(is_in).map(|i| decode(e, i)))
            }
            Rep::Set(e) => Value::set(words.iter().map(|word| decode(e, *word))),
            Rep::Relation(a, b) => {
                Value::set(words.chunks_exact(2).map(|c| Value::pair(decode(a, c[0]), decode(b, c[1]))))
            }
            Rep::Record(fields) => {
                let fields = fields.iter().zip(words);
                let fields = fields.map(|((label, rep), word)| (label.clone(), decode(rep, *word)));
                Value::Record(fields.collect::<Vec<_>>().into())
            }
            _ => unreachable!("a value of this type is no list"),
        }
    }

    /// A hash of a value that does not depend on the order in which values were interned.
    pub fn digest(&self, rep: &Rep, word: u32) -> u64 {
        match rep {
            Rep::Bool | Rep::Element(..) => u64::from(word),
            Rep::Int if word & RARE == 0 => u64::from(word),
            Rep::Pair(a, b, numbered) => {
                let (l, r) = self.unpair(a, b, numbered.is_some(), word);
                Store::digest_of_pair(self.digest(a, l), self.digest(b, r))
            }
            Rep::Bits(_, n) if *n <= 32 => mix(mix(2, u64::from(word)), 0),
            Rep::Bits(..) | Rep::Record(_) => self.digest_of_list(rep, word),
            Rep::Set(_) | Rep::Relation(..) if word & RARE == 0 => self.digest_of_list(rep, word),
            _ => text_hash(&format!("{:?}", self.decode(rep, word))),
        }
    }

    fn digest_of_list(&self, rep: &Rep, word: u32) -> u64 {
        Store::digest_of(rep, self.get(word).iter(), &|rep, word| self.digest(rep, word))
    }

    pub(super) fn digest_of_pair(left: u64, right: u64) -> u64 {
        mix(mix(1, left), right)
    }

    /// The digest of a list of words.
    pub(super) fn digest_of(
        rep: &Rep,
        mut words: impl Iterator<Item = u32>,
        digest: &impl Fn(&Rep, u32) -> u64,
    ) -> u64 {
        let add = |sum: u64, h| sum.wrapping_add(mix(5, h));
        match rep {
            Rep::Set(e) => mix(3, words.fold(0, |sum, word| add(sum, digest(e, word)))),
            Rep::Relation(a, b) => {
                let mut sum = 0;
                while let (Some(l), Some(r)) = (words.next(), words.next()) {
                    sum = add(sum, Store::digest_of_pair(digest(a, l), digest(b, r)));
                }
                mix(3, sum)
            }
            Rep::Record(fields) => fields.iter().zip(words).fold(4, |h, ((_, r), w)| mix(h, digest(r, w))),
            _ => {
                let mut half =
                    || u64::from(words.next().unwrap_or(0)) | u64::from(words.next().unwrap_or(0)) << 32;
                let low = half();
                mix(mix(2, low), half())
            }
        }
    }

    /// Returns whether a word stands for a value of the type represented. `known` are words that are known to be sound.
    pub fn is_sound(&self, rep: &Rep, word: u32, known: &mut HashSet<(usize, u32)>) -> bool {
        let rare = |is_it: fn(&Value) -> bool| self.known_value(word ^ RARE).is_some_and(|v| is_it(&v));
        match rep {
            Rep::Bool => word < 2,
            Rep::Element(_, n) => word < *n,
            Rep::Int => word & RARE == 0 || rare(|v| matches!(v, Value::Int(_))),
            Rep::Opaque => self.known_value(word).is_some(),
            Rep::Bits(_, n) if *n <= 32 => u64::from(word) < 1 << n,
            Rep::Bits(_, n) => {
                let fits = |bits: u128| bits.checked_shr(*n).unwrap_or(0) == 0;
                self.interned_list(word).is_some_and(|words| words.len() == 4) && fits(self.bits(*n, word))
            }
            Rep::Pair(_, _, Some(n)) => word < *n,
            _ if known.contains(&(std::ptr::from_ref(rep) as usize, word)) => true,
            _ => {
                let sound = match rep {
                    Rep::Pair(a, b, _) => {
                        let interned = word & RARE == 0
                            || self.interned_list(word ^ RARE).is_some_and(|words| words.len() == 2);
                        let (l, r) = self.unpair(a, b, false, word);
                        // Couples that fit into a word have no other.
                        let apart = compact(a, l).is_none() || compact(b, r).is_none();
                        interned
                            && apart == (word & RARE != 0)
                            && self.is_sound(a, l, known)
                            && self.is_sound(b, r, known)
                    }
                    Rep::Set(_) | Rep::Relation(..) if word & RARE != 0 => {
                        rare(|v| matches!(v, Value::Lazy(_)))
                    }
                    Rep::Set(e) => self.interned_list(word).is_some_and(|words| {
                        words.iter().is_sorted_by(|a, b| a < b)
                            && words.iter().all(|w| self.is_sound(e, w, known))
                    }),
                    Rep::Relation(a, b) => self.interned_list(word).is_some_and(|words| {
                        words.len().is_multiple_of(2)
                            && words.couples().is_sorted_by(|a, b| a < b)
                            && words
                                .couples()
                                .all(|(l, r)| self.is_sound(a, l, known) && self.is_sound(b, r, known))
                    }),
                    Rep::Record(fields) => self.interned_list(word).is_some_and(|words| {
                        words.len() == fields.len()
                            && fields
                                .iter()
                                .zip(words.iter())
                                .all(|((_, rep), w)| self.is_sound(rep, w, known))
                    }),
                    _ => false,
                };
                if sound {
                    known.insert((std::ptr::from_ref(rep) as usize, word));
                }
                sound
            }
        }
    }

    /// The lists of values, and those of folded ones.
    pub fn all_lists(&self) -> [&Lists; 2] {
        [&self.lists, &self.folded]
    }

    /// The values of the reference semantics, in the order of their ids.
    pub fn values(&self) -> Vec<Value> {
        let values = self.rare.values.read().unwrap_or_else(PoisonError::into_inner);
        values.iter().cloned().collect()
    }

    /// Adds a value that another interner had after the ones so far. Returns whether it is new.
    pub fn restore_value(&self, value: Value) -> bool {
        self.rare.values.write().unwrap_or_else(PoisonError::into_inner).insert(value)
    }

    /// Bytes in use, approximately.
    pub fn bytes(&self) -> usize {
        let values = self.rare.values.read().unwrap_or_else(PoisonError::into_inner).len();
        self.lists.bytes() + self.folded.bytes() + values * 64
    }
}

/// A hash of a text that is the same on every run.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |h, b| mix(h, u64::from(b)))
}

/// The word in 15 bits, if it fits.
#[inline]
fn compact(rep: &Rep, word: u32) -> Option<u32> {
    let small = match rep {
        Rep::Int => word.wrapping_sub(ZERO - SMALL_BIAS),
        _ => word,
    };
    (small < 1 << HALF).then_some(small)
}

#[inline]
fn spread(rep: &Rep, small: u32) -> u32 {
    match rep {
        Rep::Int => small + (ZERO - SMALL_BIAS),
        _ => small,
    }
}

/// The representations of some typed names.
pub fn reps<'t>(
    eval: &Evaluator<'_>,
    types: impl Iterator<Item = &'t bsym_language::types::Type>,
) -> Vec<Arc<Rep>> {
    types.map(|ty| Arc::new(Rep::of(ty, eval.model, eval.scope))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_give_equal_values_equal_words() {
        // Sets of relations between integers and sets of integers, some of them large.
        let store = Store::for_threads(3);
        let int = Arc::new(Rep::Int);
        let relation = Rep::Relation(int.clone(), Arc::new(Rep::Set(int.clone())));
        let rep = Rep::Set(Arc::new(relation));
        let words = |mut store: Store| {
            let words = (0..200i64).map(|n| {
                let mut family: Vec<u32> = (0..3)
                    .map(|k| {
                        let (x, y) = (store.int(k), store.int(i64::MAX - n % 20 * k));
                        let set = store.list(&[x, y]);
                        store.list(&[x, set])
                    })
                    .collect();
                family.sort_unstable();
                store.list(&family)
            });
            words.collect::<Vec<u32>>()
        };
        let all = std::thread::scope(|threads| {
            let threads: Vec<_> =
                (0..3).map(|_| store.clone()).map(|store| threads.spawn(|| words(store))).collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect::<Vec<_>>()
        });
        let alone = Store::default();
        let expected = words(alone.clone());
        let mut known = HashSet::new();
        for words in &all {
            assert_eq!(*words, all[0]);
            for (word, expected) in words.iter().zip(&expected) {
                assert_eq!(store.decode(&rep, *word), alone.decode(&rep, *expected));
                assert_eq!(store.digest(&rep, *word), alone.digest(&rep, *expected));
                assert!(store.is_sound(&rep, *word, &mut known));
            }
        }
    }

    #[test]
    fn words_of_nothing_are_not_sound() {
        let mut store = Store::default();
        let int = Arc::new(Rep::Int);
        let (x, y) = (store.int(1), store.int(2));
        let (couple, triple, back) = (store.list(&[x, y]), store.list(&[x, y, y]), store.list(&[y, x]));
        let large = store.int(1 << 40);
        let set = Rep::Set(int.clone());
        let relation = Rep::Relation(int.clone(), int.clone());
        let pair = Rep::Pair(int.clone(), int.clone(), None);
        let rare = store.pair(&int, &int, false, large, x);
        let wide = Rep::Bits(Arc::new(Rep::Element(bsym_language::types::CarrierId(0), 40)), 40);
        let bits = store.bit_set(40, 1 << 39);
        let too_wide = store.bit_set(40, 1 << 40);
        let sound: &[(&Rep, u32)] = &[
            (&set, couple),
            (&relation, couple),
            (&relation, back),
            (&pair, rare),
            (&Rep::Int, large),
            (&wide, bits),
        ];
        let unsound: &[(&Rep, u32)] = &[
            (&Rep::Bool, 2),
            (&set, triple),
            (&set, back),
            (&set, couple + 1),
            (&set, 1 << 20),
            (&set, u32::MAX),
            (&relation, triple),
            (&pair, RARE | couple),
            (&pair, RARE | triple),
            (&Rep::Int, large + 1),
            (&Rep::Opaque, 1),
            (&wide, too_wide),
            (&wide, couple),
        ];
        let mut known = HashSet::new();
        for _ in 0..2 {
            assert!(sound.iter().all(|(rep, word)| store.is_sound(rep, *word, &mut known)));
            for (rep, word) in unsound {
                assert!(!store.is_sound(rep, *word, &mut known), "{rep:?} {word}");
            }
        }
    }

    #[test]
    fn what_finds_no_room_is_said() {
        let mut store = Store::with_limit(1000, 1);
        let lists = (0..).find(|n| {
            store.list(&[*n; 9]);
            store.is_full()
        });
        assert_eq!(lists, Some(99));
        // Known values are found all the same.
        let known = store.list(&[5; 9]);
        assert!(store.listed(known).is_some_and(|list| list.is(&[5; 9])));
    }
}
