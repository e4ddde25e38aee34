//! The interner: every value of a type as one word, equal words for equal values.

use std::collections::HashMap;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::source::Span;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::value::Value;

use crate::store::index::{Index, hash_words, make_room, mix};
use crate::store::rep::Rep;

pub mod bridge;

/// Marks words that are positions of rare things: large integers, couples of large words, sets that
/// are not listed.
const RARE: u32 = 1 << 31;
/// The word of the integer 0.
pub const ZERO: u32 = 1 << 30;
const HALF: u32 = 15;
const SMALL_BIAS: u32 = 1 << 13;

/// Interned values.
#[derive(Clone, Debug, Default)]
pub struct Store {
    words: Vec<u32>,
    starts: Vec<usize>,
    lists: Index,
    pairs: Vec<(u32, u32)>,
    pair_index: Index,
    bits: Vec<u128>,
    bit_index: Index,
    values: Vec<Value>,
    value_index: HashMap<Value, u32>,
    scratch: Vec<u32>,
}

impl Store {
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
        self.values[(word ^ RARE) as usize].as_int()?.to_i64()
    }

    fn value(&mut self, value: Value) -> u32 {
        if let Some(id) = self.value_index.get(&value) {
            return *id;
        }
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.value_index.insert(value, id);
        id
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
        RARE | self.known_pair(left, right).unwrap_or_else(|| {
            let id = self.pairs.len() as u32;
            self.pairs.push((left, right));
            self.pair_index.insert(hash_words(&[left, right]), id);
            id
        })
    }

    /// The word of a couple that is not numbered, if it has one.
    fn find_pair(&self, a: &Rep, b: &Rep, left: u32, right: u32) -> Option<u32> {
        if let (Some(l), Some(r)) = (compact(a, left), compact(b, right)) {
            return Some(l << HALF | r);
        }
        self.known_pair(left, right).map(|id| RARE | id)
    }

    #[inline]
    fn known_pair(&self, left: u32, right: u32) -> Option<u32> {
        let pairs = &self.pairs;
        self.pair_index.find(hash_words(&[left, right]), |p| pairs[p as usize] == (left, right))
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
            self.pairs[(word ^ RARE) as usize]
        }
    }

    /// The bits of a set of `n` bits.
    #[inline]
    pub fn bits(&self, n: u32, word: u32) -> u128 {
        if n <= 32 { u128::from(word) } else { self.bits[word as usize] }
    }

    /// The word of a set of `n` bits.
    #[inline]
    pub fn bit_set(&mut self, n: u32, bits: u128) -> u32 {
        if n <= 32 {
            return bits as u32;
        }
        self.known_bits(bits).unwrap_or_else(|| {
            let id = self.bits.len() as u32;
            self.bits.push(bits);
            self.bit_index.insert(hash_bits(bits), id);
            id
        })
    }

    #[inline]
    fn known_bits(&self, bits: u128) -> Option<u32> {
        let known = &self.bits;
        self.bit_index.find(hash_bits(bits), |p| known[p as usize] == bits)
    }

    /// The word of a list; of a set, if its words are sorted and distinct.
    pub fn list(&mut self, list: &[u32]) -> u32 {
        let hash = hash_words(list);
        self.known_list(list, hash).unwrap_or_else(|| {
            let id = self.starts.len() as u32;
            make_room(&mut self.starts, 1);
            make_room(&mut self.words, list.len());
            self.starts.push(self.words.len());
            self.words.extend_from_slice(list);
            self.lists.insert(hash, id);
            id
        })
    }

    #[inline]
    fn known_list(&self, list: &[u32], hash: u64) -> Option<u32> {
        self.lists.find(hash, |p| self.get(p) == list)
    }

    /// An empty buffer to make a list in; [`Store::give_scratch`] keeps its memory for the next one.
    pub fn take_scratch(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.scratch)
    }

    /// Takes a buffer back.
    pub fn give_scratch(&mut self, mut list: Vec<u32>) {
        list.clear();
        self.scratch = list;
    }

    /// A list by its word; `None` for a set that is not listed.
    #[inline]
    pub fn listed(&self, word: u32) -> Option<&[u32]> {
        if word & RARE == 0 { Some(self.get(word)) } else { None }
    }

    #[inline]
    fn get(&self, id: u32) -> &[u32] {
        let start = self.starts[id as usize];
        let end = self.starts.get(id as usize + 1).copied().unwrap_or(self.words.len());
        &self.words[start..end]
    }

    /// The word of a value; `None` if the value is not of the type represented, or holds a set that is
    /// not listed (but is none itself).
    pub fn encode(&mut self, eval: &Evaluator<'_>, rep: &Rep, value: &Value) -> Option<u32> {
        if !matches!(value, Value::Lazy(_)) && value.has_lazy() {
            return None;
        }
        self.encode_plain(eval, rep, value)
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
            Rep::Int => self.values[(word ^ RARE) as usize].clone(),
            Rep::Pair(a, b, numbered) => {
                let (l, r) = self.unpair(a, b, numbered.is_some(), word);
                Value::pair(self.decode(a, l), self.decode(b, r))
            }
            Rep::Bits(e, n) => {
                let bits = self.bits(*n, word);
                Value::set((0..*n).filter(|i| bits >> i & 1 == 1).map(|i| self.decode(e, i)))
            }
            Rep::Set(_) | Rep::Relation(..) if word & RARE != 0 => {
                self.values[(word ^ RARE) as usize].clone()
            }
            Rep::Set(e) => Value::set(self.get(word).iter().map(|w| self.decode(e, *w))),
            Rep::Relation(a, b) => {
                let couple = |p: &[u32]| Value::pair(self.decode(a, p[0]), self.decode(b, p[1]));
                Value::set(self.get(word).chunks_exact(2).map(couple))
            }
            Rep::Record(fields) => Value::Record(
                fields
                    .iter()
                    .zip(self.get(word))
                    .map(|((label, rep), w)| (label.clone(), self.decode(rep, *w)))
                    .collect::<Vec<_>>()
                    .into(),
            ),
            Rep::Opaque => self.values[word as usize].clone(),
        }
    }

    /// A hash of a value that does not depend on the order in which values were interned.
    pub fn digest(&self, rep: &Rep, word: u32) -> u64 {
        let sum = |hashes: &mut dyn Iterator<Item = u64>| {
            mix(3, hashes.fold(0u64, |all, h| all.wrapping_add(mix(5, h))))
        };
        match rep {
            Rep::Bool | Rep::Element(..) => u64::from(word),
            Rep::Int if word & RARE == 0 => u64::from(word),
            Rep::Pair(a, b, numbered) => {
                let (l, r) = self.unpair(a, b, numbered.is_some(), word);
                mix(mix(1, self.digest(a, l)), self.digest(b, r))
            }
            Rep::Bits(_, n) => {
                let bits = self.bits(*n, word);
                mix(mix(2, bits as u64), (bits >> 64) as u64)
            }
            Rep::Set(e) if word & RARE == 0 => sum(&mut self.get(word).iter().map(|w| self.digest(e, *w))),
            Rep::Relation(a, b) if word & RARE == 0 => {
                let pair = |p: &[u32]| mix(mix(1, self.digest(a, p[0])), self.digest(b, p[1]));
                sum(&mut self.get(word).chunks_exact(2).map(pair))
            }
            Rep::Record(fields) => {
                fields.iter().zip(self.get(word)).fold(4, |h, ((_, r), w)| mix(h, self.digest(r, *w)))
            }
            _ => text_hash(&format!("{:?}", self.decode(rep, word))),
        }
    }

    /// Bytes in use, approximately.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 4
            + self.starts.capacity() * 8
            + self.pairs.capacity() * 8
            + self.bits.capacity() * 16
            + self.lists.bytes()
            + self.pair_index.bytes()
            + self.bit_index.bytes()
            + self.values.len() * 96
    }
}

/// The tables of a store, without their indices.
pub struct StoreParts<'s> {
    /// Lists, one after the other.
    pub words: &'s [u32],
    /// Where each list starts.
    pub starts: &'s [usize],
    /// Couples.
    pub pairs: &'s [(u32, u32)],
    /// Sets of bits.
    pub bits: &'s [u128],
    /// Values of the reference semantics.
    pub values: &'s [Value],
}

impl Store {
    /// The tables, to be written.
    pub fn parts(&self) -> StoreParts<'_> {
        let Store { words, starts, pairs, bits, values, .. } = self;
        StoreParts { words, starts, pairs, bits, values }
    }

    /// A store of the same tables; `starts` ascend within `words`.
    pub fn from_parts(
        words: Vec<u32>,
        starts: Vec<usize>,
        pairs: Vec<(u32, u32)>,
        bits: Vec<u128>,
        values: Vec<Value>,
    ) -> Store {
        let mut store = Store { words, starts, pairs, bits, ..Store::default() };
        for id in 0..store.starts.len() as u32 {
            let hash = hash_words(store.get(id));
            store.lists.insert(hash, id);
        }
        for (id, (left, right)) in store.pairs.iter().enumerate() {
            store.pair_index.insert(hash_words(&[*left, *right]), id as u32);
        }
        for (id, bits) in store.bits.iter().enumerate() {
            store.bit_index.insert(hash_bits(*bits), id as u32);
        }
        for value in values {
            store.value(value);
        }
        store
    }
}

/// A hash of a text that is the same on every run.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |h, b| mix(h, u64::from(b)))
}

fn hash_bits(bits: u128) -> u64 {
    mix(mix(0, bits as u64), (bits >> 64) as u64)
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
