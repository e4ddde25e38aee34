//! Words of one store as words of another, for searches that work with several.

use std::collections::HashMap;
use std::sync::Arc;

use bsym_semantics::value::Value;

use super::{RARE, Store, hash_words};
use crate::store::rep::Rep;

/// No word of a table is this one.
const UNKNOWN: u32 = u32::MAX;

/// Where a value gets its word.
pub enum Place<'s> {
    /// In a store that is only read: not every value has a word.
    Known(&'s Store),
    /// In a store that may grow.
    New(&'s mut Store),
}

impl Place<'_> {
    fn pair(&mut self, a: &Rep, b: &Rep, left: u32, right: u32) -> Option<u32> {
        match self {
            Place::Known(store) => store.find_pair(a, b, left, right),
            Place::New(store) => Some(store.pair(a, b, false, left, right)),
        }
    }

    fn bits(&mut self, n: u32, bits: u128) -> Option<u32> {
        match self {
            Place::Known(store) => store.known_bits(bits),
            Place::New(store) => Some(store.bit_set(n, bits)),
        }
    }

    fn list(&mut self, list: &[u32]) -> Option<u32> {
        match self {
            Place::Known(store) => store.known_list(list, hash_words(list)),
            Place::New(store) => Some(store.list(list)),
        }
    }

    fn value(&mut self, value: &Value) -> Option<u32> {
        match self {
            Place::Known(store) => store.value_index.get(value).copied(),
            Place::New(store) => Some(store.value(value.clone())),
        }
    }
}

/// Translates the words of one representation, and remembers what it has translated.
#[derive(Debug)]
struct Carrier {
    rep: Arc<Rep>,
    /// A word that is not rare is the same in every store.
    is_same: bool,
    parts: Vec<Carrier>,
    listed: Vec<u32>,
    rare: HashMap<u32, u32>,
}

impl Carrier {
    fn new(rep: &Arc<Rep>) -> Carrier {
        let parts = match &**rep {
            Rep::Set(e) => vec![Carrier::new(e)],
            Rep::Pair(a, b, None) | Rep::Relation(a, b) => vec![Carrier::new(a), Carrier::new(b)],
            Rep::Record(fields) => fields.iter().map(|(_, rep)| Carrier::new(rep)).collect(),
            _ => Vec::new(),
        };
        let is_same = match &**rep {
            Rep::Int => true,
            Rep::Pair(_, _, None) => parts.iter().all(|part| part.is_same),
            rep => rep.is_fixed(),
        };
        Carrier { rep: rep.clone(), is_same, parts, listed: Vec::new(), rare: HashMap::new() }
    }

    fn recall(&self, word: u32) -> Option<u32> {
        if word & RARE != 0 {
            return self.rare.get(&word).copied();
        }
        self.listed.get(word as usize).copied().filter(|w| *w != UNKNOWN)
    }

    fn remember(&mut self, word: u32, there: u32) {
        if word & RARE != 0 {
            self.rare.insert(word, there);
            return;
        }
        let at = word as usize;
        if at >= self.listed.len() {
            self.listed.resize(at + 1, UNKNOWN);
        }
        self.listed[at] = there;
    }

    /// The word in the other store; `None` if the value is not known there.
    fn carry(&mut self, word: u32, from: &Store, to: &mut Place<'_>) -> Option<u32> {
        if self.is_same && (word & RARE == 0 || self.rep.is_fixed()) {
            return Some(word);
        }
        if let Rep::Pair(a, b, _) = &*self.rep {
            let (left, right) = from.unpair(a, b, false, word);
            let left = self.parts[0].carry(left, from, to)?;
            let right = self.parts[1].carry(right, from, to)?;
            return to.pair(a, b, left, right);
        }
        if let Some(there) = self.recall(word) {
            return Some(there);
        }
        let there = self.carry_first(word, from, to)?;
        self.remember(word, there);
        Some(there)
    }

    fn carry_first(&mut self, word: u32, from: &Store, to: &mut Place<'_>) -> Option<u32> {
        let parts = &mut self.parts;
        match &*self.rep {
            Rep::Opaque => to.value(&from.values[word as usize]),
            Rep::Bits(_, n) => to.bits(*n, from.bits(*n, word)),
            Rep::Record(_) => {
                let fields = from.get(word).iter().zip(parts);
                let list = fields.map(|(w, part)| part.carry(*w, from, to)).collect::<Option<Vec<_>>>()?;
                to.list(&list)
            }
            _ if word & RARE != 0 => Some(RARE | to.value(&from.values[(word ^ RARE) as usize])?),
            Rep::Set(_) | Rep::Relation(..)
                if parts.iter().all(|p| p.is_same) && from.get(word).iter().all(|w| w & RARE == 0) =>
            {
                to.list(from.get(word))
            }
            Rep::Set(_) => {
                let elements = from.get(word).iter();
                let mut list = elements.map(|w| parts[0].carry(*w, from, to)).collect::<Option<Vec<_>>>()?;
                list.sort_unstable();
                to.list(&list)
            }
            Rep::Relation(..) => {
                let mut pairs = Vec::new();
                for p in from.get(word).chunks_exact(2) {
                    pairs.push([parts[0].carry(p[0], from, to)?, parts[1].carry(p[1], from, to)?]);
                }
                pairs.sort_unstable();
                to.list(pairs.as_flattened())
            }
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Carrier::bytes).sum();
        parts + self.listed.capacity() * 4 + self.rare.len() * 16
    }
}

/// Both ways between a store at home and one abroad, for rows of variables.
#[derive(Debug)]
pub struct Bridge {
    /// For each variable whose words differ: its position, and which of the carriers.
    variables: Vec<(usize, usize)>,
    kinds: Vec<Option<usize>>,
    out: Vec<Carrier>,
    back: Vec<Carrier>,
}

impl Bridge {
    /// A bridge for rows of variables with these representations.
    pub fn new(variables: &[Arc<Rep>]) -> Bridge {
        let mut distinct: Vec<&Arc<Rep>> = Vec::new();
        let kinds: Vec<Option<usize>> = variables
            .iter()
            .map(|rep| {
                if rep.is_fixed() {
                    return None;
                }
                Some(distinct.iter().position(|known| *known == rep).unwrap_or_else(|| {
                    distinct.push(rep);
                    distinct.len() - 1
                }))
            })
            .collect();
        let carriers = || distinct.iter().map(|rep| Carrier::new(rep)).collect();
        let (out, back) = (carriers(), carriers());
        let variables = kinds.iter().enumerate().filter_map(|(i, kind)| Some((i, (*kind)?))).collect();
        Bridge { variables, kinds, out, back }
    }

    /// A row from abroad with the words of the store at home.
    pub fn bring(&mut self, row: &mut [u32], abroad: &Store, home: &mut Store) {
        for (at, kind) in &self.variables {
            let word = row[*at];
            let there = self.back[*kind].carry(word, abroad, &mut Place::New(home));
            row[*at] = there.unwrap_or(word);
        }
    }

    /// The word abroad of one variable, if its value is known there.
    #[inline]
    pub fn seek(&mut self, at: usize, word: u32, home: &Store, abroad: &Store) -> Option<u32> {
        match self.kinds.get(at).copied().flatten() {
            None => Some(word),
            Some(kind) => self.out[kind].carry(word, home, &mut Place::Known(abroad)),
        }
    }

    /// A row with the words of the store abroad, which grows by what it does not know.
    pub fn send(&mut self, row: &mut [u32], home: &Store, abroad: &mut Store) {
        for (at, kind) in &self.variables {
            let word = row[*at];
            let there = self.out[*kind].carry(word, home, &mut Place::New(abroad));
            row[*at] = there.unwrap_or(word);
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.out.iter().chain(&self.back).map(Carrier::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_meaning_abroad_and_comes_back_as_the_same_word() {
        // Sets of relations between integers and sets of integers.
        let int = Arc::new(Rep::Int);
        let ints = Arc::new(Rep::Set(int.clone()));
        let relation = Arc::new(Rep::Relation(int.clone(), ints.clone()));
        let rep = Arc::new(Rep::Set(relation.clone()));
        let (mut home, mut abroad) = (Store::default(), Store::default());
        for i in 0..40 {
            abroad.list(&[i, i + 1]);
        }
        let mut words = Vec::new();
        for n in 0..20i64 {
            let family: Vec<u32> = (0..3)
                .map(|k| {
                    let (x, y) = (home.int(k), home.int(i64::MAX - n * k));
                    let set = home.list(&[x, y]);
                    home.list(&[x, set])
                })
                .collect();
            let mut family = family;
            family.sort_unstable();
            words.push(home.list(&family));
        }
        let mut bridge = Bridge::new(&[Arc::new(Rep::Bool), rep.clone()]);
        for word in words {
            let unknown = bridge.seek(1, word, &home, &abroad);
            let mut row = [1, word];
            bridge.send(&mut row, &home, &mut abroad);
            assert_eq!(home.decode(&rep, word), abroad.decode(&rep, row[1]));
            assert_eq!(home.digest(&rep, word), abroad.digest(&rep, row[1]));
            assert!(unknown.is_none());
            assert_eq!(bridge.seek(1, word, &home, &abroad), Some(row[1]));
            bridge.bring(&mut row, &abroad, &mut home);
            assert_eq!(row, [1, word]);
        }
    }
}
