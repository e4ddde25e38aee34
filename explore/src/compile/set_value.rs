//! Sets as compiled code sees them: listed, or described by an operator that need not be carried out.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;

use bsym_language::model::{BinaryOp, UnaryOp};

use super::code::{Fail, R};
use crate::compile::context::Context;
use crate::store::interner::{Store, ZERO};
use crate::store::rep::{Rep, ones};
use crate::tuning::Tuning;

/// A set. The representation of its elements is known from the type.
#[derive(Clone, Debug)]
pub enum SetValue {
    /// All values of the type.
    All,
    /// The integers from the first to the second; `i64::MAX` stands for no upper bound.
    Range(i64, i64),
    /// Numbered values.
    Bits(u128),
    /// The word of a listed set.
    Listed(u32),
    /// The subsets of a set; without the empty one if the flag is set.
    Power(Arc<SetValue>, bool),
    /// `S * T`
    Product(Arc<SetValue>, Arc<SetValue>),
    /// Relations or functions between two sets.
    Space(BinaryOp, Arc<SetValue>, Arc<SetValue>),
    /// `seq` and its variants.
    Sequences(UnaryOp, Arc<SetValue>),
    /// Union, intersection or difference.
    Both(BinaryOp, Arc<SetValue>, Arc<SetValue>),
}

/// An element: a word, or a couple that has none yet.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// A word.
    Word(u32),
    /// Both sides of a couple.
    Pair(u32, u32),
}

/// The couples of a listed relation, or the elements of another listed set.
pub fn items(store: &Store, rep: &Rep, word: u32, f: &mut dyn FnMut(Item) -> R<bool>) -> R<bool> {
    match rep {
        Rep::Bits(_, n) => {
            for w in ones(store.bits(*n, word)) {
                if !f(Item::Word(w))? {
                    return Ok(false);
                }
            }
        }
        Rep::Set(_) => {
            for w in store.listed(word).ok_or(Fail)?.iter() {
                if !f(Item::Word(w))? {
                    return Ok(false);
                }
            }
        }
        Rep::Relation(..) => {
            for (l, r) in store.listed(word).ok_or(Fail)?.couples() {
                if !f(Item::Pair(l, r))? {
                    return Ok(false);
                }
            }
        }
        _ => return Err(Fail),
    }
    Ok(true)
}

/// Both sides of an element that is a couple.
fn sides(store: &Store, rep: &Rep, item: Item) -> R<(u32, u32)> {
    match (item, rep) {
        (Item::Pair(a, b), _) => Ok((a, b)),
        (Item::Word(w), Rep::Pair(a, b, numbered)) => Ok(store.unpair(a, b, numbered.is_some(), w)),
        _ => Err(Fail),
    }
}

impl SetValue {
    /// Simplifies the set to [`SetValue::All`] where its form shows that it is the whole type.
    pub fn simplified(self) -> SetValue {
        let all = |s: &SetValue| matches!(s, SetValue::All);
        match &self {
            SetValue::Power(s, false) if all(s) => SetValue::All,
            SetValue::Product(s, t) | SetValue::Space(BinaryOp::Relation, s, t) if all(s) && all(t) => {
                SetValue::All
            }
            _ => self,
        }
    }

    /// Returns whether an element is in the set.
    pub fn has(&self, store: &Store, rep: &Rep, item: Item) -> R<bool> {
        Ok(match self {
            SetValue::All => true,
            SetValue::Range(low, high) => match item {
                Item::Word(w) => {
                    let n = store.get_int(w).ok_or(Fail)?;
                    *low <= n && n <= *high
                }
                Item::Pair(..) => return Err(Fail),
            },
            SetValue::Bits(bits) => match (item, rep) {
                (Item::Word(w), _) => bits >> w & 1 == 1,
                (Item::Pair(a, b), Rep::Pair(_, right, Some(_))) => {
                    bits >> (a * right.count().ok_or(Fail)? + b) & 1 == 1
                }
                _ => return Err(Fail),
            },
            SetValue::Listed(set) => {
                let list = store.listed(*set).ok_or(Fail)?;
                if let Rep::Pair(..) = rep {
                    let (a, b) = sides(store, rep, item)?;
                    let Some(at) = list.find_key(a) else { return Ok(false) };
                    list.from(2 * at).couples().take_while(|(l, _)| *l == a).any(|(_, r)| r == b)
                } else {
                    let Item::Word(w) = item else { return Err(Fail) };
                    list.has(w)
                }
            }
            SetValue::Power(s, inhabited) => {
                let Item::Word(w) = item else { return Err(Fail) };
                s.includes(store, rep, w)? && !(*inhabited && size(store, rep, w)? == 0)
            }
            SetValue::Product(s, t) => {
                let Rep::Pair(a, b, _) = rep else { return Err(Fail) };
                let (l, r) = sides(store, rep, item)?;
                s.has(store, a, Item::Word(l))? && t.has(store, b, Item::Word(r))?
            }
            SetValue::Space(op, s, t) => {
                let Item::Word(w) = item else { return Err(Fail) };
                in_space(store, rep, w, *op, s, t)?
            }
            SetValue::Sequences(op, s) => {
                let Item::Word(w) = item else { return Err(Fail) };
                is_sequence(store, rep, w, *op, s)?
            }
            SetValue::Both(op, s, t) => match op {
                BinaryOp::Union => s.has(store, rep, item)? || t.has(store, rep, item)?,
                BinaryOp::Intersection => s.has(store, rep, item)? && t.has(store, rep, item)?,
                _ => s.has(store, rep, item)? && !t.has(store, rep, item)?,
            },
        })
    }

    /// Words that are in the set, as far as that is known without the interner; others may be, too.
    fn near_words(&self) -> RangeInclusive<u32> {
        let zero = i64::from(ZERO);
        let word = |n: i64| (n.clamp(-zero, zero - 1) + zero) as u32;
        match *self {
            SetValue::Range(low, high) if low <= high && low < zero && high >= -zero => {
                word(low)..=word(high)
            }
            _ => RangeInclusive::new(1, 0),
        }
    }

    /// Returns whether a listed set is a part of this one.
    pub fn includes(&self, store: &Store, set: &Rep, word: u32) -> R<bool> {
        match (self, set) {
            (SetValue::All, Rep::Set(_) | Rep::Relation(..)) => {
                // A set that is not listed is no less a part of all values, but may be one of them only by form.
                store.listed(word).ok_or(Fail)?;
                return Ok(true);
            }
            (SetValue::All, _) => return Ok(true),
            (SetValue::Bits(bits), Rep::Bits(_, n)) => return Ok(store.bits(*n, word) & !bits == 0),
            _ => {}
        }
        let element = set.element().ok_or(Fail)?;
        let near = self.near_words();
        items(store, set, word, &mut |item| match item {
            Item::Word(w) if near.contains(&w) => Ok(true),
            _ => self.has(store, &element, item),
        })
    }

    /// Number of elements; `None` for infinitely many.
    pub fn size(&self, rep: &Rep, store: &Store) -> R<Option<u64>> {
        Ok(Some(match self {
            SetValue::All => match rep {
                Rep::Int => return Ok(None),
                _ => u64::from(rep.count().ok_or(Fail)?),
            },
            SetValue::Range(_, i64::MAX) => return Ok(None),
            SetValue::Range(low, high) => (high - low + 1).max(0) as u64,
            SetValue::Bits(bits) => u64::from(bits.count_ones()),
            SetValue::Listed(word) => {
                let n = store.listed(*word).ok_or(Fail)?.len();
                (if matches!(rep, Rep::Pair(..)) { n / 2 } else { n }) as u64
            }
            SetValue::Product(s, t) => {
                let Rep::Pair(a, b, _) = rep else { return Err(Fail) };
                match (s.size(a, store)?, t.size(b, store)?) {
                    (Some(n), Some(m)) => n.checked_mul(m).ok_or(Fail)?,
                    (Some(0), _) | (_, Some(0)) => 0,
                    _ => return Ok(None),
                }
            }
            SetValue::Power(s, inhabited) => match s.size(&*rep.element().ok_or(Fail)?, store)? {
                Some(n) if n < 63 => (1 << n) - u64::from(*inhabited),
                _ => return Err(Fail),
            },
            _ => return Err(Fail),
        }))
    }

    /// Calls a function for every element, each once.
    pub fn each<'m>(
        &self,
        ctx: &mut Context<'m>,
        rep: &Rep,
        f: &mut dyn FnMut(&mut Context<'m>, u32) -> R<ControlFlow<()>>,
    ) -> R<ControlFlow<()>> {
        macro_rules! visit {
            ($word:expr) => {
                if let ControlFlow::Break(()) = f(ctx, $word)? {
                    return Ok(ControlFlow::Break(()));
                }
            };
        }
        match self {
            SetValue::All => match rep {
                Rep::Bits(_, n @ 0..=20) => {
                    for w in 0..1u32 << n {
                        visit!(w);
                    }
                    Ok(ControlFlow::Continue(()))
                }
                _ => {
                    for w in 0..rep.count().ok_or(Fail)? {
                        visit!(w);
                    }
                    Ok(ControlFlow::Continue(()))
                }
            },
            SetValue::Range(low, high) => {
                if high.checked_sub(*low).is_none_or(|n| n > Tuning::DEFAULT.compile.listed as i64) {
                    return Err(Fail);
                }
                for n in *low..=*high {
                    let w = ctx.store.int(n);
                    visit!(w);
                }
                Ok(ControlFlow::Continue(()))
            }
            SetValue::Bits(bits) => {
                for w in ones(*bits) {
                    visit!(w);
                }
                Ok(ControlFlow::Continue(()))
            }
            SetValue::Listed(word) => {
                let n = ctx.store.listed(*word).ok_or(Fail)?.len();
                if let Rep::Pair(a, b, numbered) = rep {
                    for i in 0..n / 2 {
                        let list = ctx.store.listed(*word).ok_or(Fail)?;
                        let (l, r) = (list.at(2 * i), list.at(2 * i + 1));
                        let w = ctx.store.pair(a, b, numbered.is_some(), l, r);
                        visit!(w);
                    }
                } else {
                    for i in 0..n {
                        let w = ctx.store.listed(*word).ok_or(Fail)?.at(i);
                        visit!(w);
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
            SetValue::Power(s, inhabited) => {
                let element = rep.element().ok_or(Fail)?;
                let all = s.list(ctx, &element)?;
                if all.len() > Tuning::DEFAULT.compile.subsets {
                    return Err(Fail);
                }
                for mask in u32::from(*inhabited)..1 << all.len() {
                    let part = (0..all.len()).filter(|i| mask >> i & 1 == 1).map(|i| all[i]).collect();
                    let w = built(ctx, rep, |store| build(store, rep, part))?;
                    visit!(w);
                }
                Ok(ControlFlow::Continue(()))
            }
            SetValue::Product(s, t) => {
                let Rep::Pair(a, b, numbered) = rep else { return Err(Fail) };
                let right = t.list(ctx, b)?;
                s.each(ctx, a, &mut |ctx, l| {
                    for r in &right {
                        let w = ctx.store.pair(a, b, numbered.is_some(), l, *r);
                        if let ControlFlow::Break(()) = f(ctx, w)? {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    Ok(ControlFlow::Continue(()))
                })
            }
            SetValue::Both(op, s, t) => {
                let flow = s.each(ctx, rep, &mut |ctx, w| {
                    let keep = match op {
                        BinaryOp::Union => true,
                        BinaryOp::Intersection => t.has(&ctx.store, rep, Item::Word(w))?,
                        _ => !t.has(&ctx.store, rep, Item::Word(w))?,
                    };
                    if keep { f(ctx, w) } else { Ok(ControlFlow::Continue(())) }
                })?;
                if *op != BinaryOp::Union || flow.is_break() {
                    return Ok(flow);
                }
                t.each(ctx, rep, &mut |ctx, w| {
                    if s.has(&ctx.store, rep, Item::Word(w))? {
                        return Ok(ControlFlow::Continue(()));
                    }
                    f(ctx, w)
                })
            }
            SetValue::Space(op, s, t) => self.each_function(ctx, rep, *op, s, t, f),
            SetValue::Sequences(..) => Err(Fail),
        }
    }

    /// The elements.
    pub fn list(&self, ctx: &mut Context<'_>, rep: &Rep) -> R<Vec<u32>> {
        let mut all = Vec::new();
        let _every = self.each(ctx, rep, &mut |_, w| {
            all.push(w);
            Ok(if all.len() as u64 > Tuning::DEFAULT.compile.listed as u64 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        if all.len() as u64 > Tuning::DEFAULT.compile.listed as u64 { Err(Fail) } else { Ok(all) }
    }

    /// The functions of a space, by an odometer over the images of each point.
    fn each_function<'m>(
        &self,
        ctx: &mut Context<'m>,
        rep: &Rep,
        op: BinaryOp,
        s: &SetValue,
        t: &SetValue,
        f: &mut dyn FnMut(&mut Context<'m>, u32) -> R<ControlFlow<()>>,
    ) -> R<ControlFlow<()>> {
        let (a, b) = rep.sides().ok_or(Fail)?;
        let kind = op.relation_space().ok_or(Fail)?;
        if !kind.functional {
            return Err(Fail);
        }
        let (points, images) = (s.list(ctx, &a)?, t.list(ctx, &b)?);
        let choices = images.len() + usize::from(!kind.total);
        let count = (choices as u64)
            .checked_pow(points.len() as u32)
            .filter(|n| *n <= Tuning::DEFAULT.compile.listed as u64)
            .ok_or(Fail)?;
        for number in 0..count {
            let mut rest = number as usize;
            let mut pairs = Vec::with_capacity(points.len());
            for p in &points {
                let choice = rest % choices;
                rest /= choices;
                if let Some(image) = images.get(choice) {
                    pairs.push((*p, *image));
                }
            }
            let word = built(ctx, rep, |store| build_relation(store, rep, pairs))?;
            if (kind.injective || kind.surjective) && !in_space(&ctx.store, rep, word, op, s, t)? {
                continue;
            }
            if let ControlFlow::Break(()) = f(ctx, word)? {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Number of elements of a listed set.
pub fn size(store: &Store, set: &Rep, word: u32) -> R<u64> {
    match set {
        Rep::Bits(_, n) => Ok(u64::from(store.bits(*n, word).count_ones())),
        Rep::Set(_) => Ok(store.listed(word).ok_or(Fail)?.len() as u64),
        Rep::Relation(..) => Ok(store.listed(word).ok_or(Fail)?.len() as u64 / 2),
        _ => Err(Fail),
    }
}

/// The word of a value whose list is made now.
fn built(ctx: &mut Context<'_>, rep: &Rep, make: impl FnOnce(&mut Store) -> R<u32>) -> R<u32> {
    let mark = ctx.store.mark();
    let word = make(&mut ctx.store)?;
    let word = if rep.is_set_list() { ctx.store.settle(word) } else { word };
    ctx.store.release(mark);
    Ok(word)
}

/// Makes a set of elements, in any order and perhaps repeated. Returns its word, which is that of a draft if it is a
/// list.
pub fn build(store: &mut Store, set: &Rep, mut elements: Vec<u32>) -> R<u32> {
    match set {
        Rep::Bits(_, n) => {
            let bits = elements.into_iter().fold(0u128, |bits, w| bits | 1 << w);
            Ok(store.bit_set(*n, bits))
        }
        Rep::Set(_) => {
            elements.sort_unstable();
            elements.dedup();
            let mut list = store.take_draft();
            list.extend(elements);
            Ok(store.draft(list))
        }
        Rep::Relation(a, b) => {
            let numbered = matches!(Rep::pair(a.clone(), b.clone()), Rep::Pair(_, _, Some(_)));
            let pairs = elements.into_iter().map(|w| store.unpair(a, b, numbered, w)).collect();
            build_relation(store, set, pairs)
        }
        _ => Err(Fail),
    }
}

/// Makes a relation of couples, in any order and perhaps repeated. Returns its word as [`build`] does.
pub fn build_relation(store: &mut Store, set: &Rep, mut pairs: Vec<(u32, u32)>) -> R<u32> {
    match set {
        Rep::Bits(..) => {
            let (n, width) = set.bit_rows().ok_or(Fail)?;
            let bits = pairs.into_iter().fold(0u128, |bits, (l, r)| bits | 1 << (l * width + r));
            Ok(store.bit_set(n, bits))
        }
        Rep::Relation(..) => {
            pairs.sort_unstable();
            pairs.dedup();
            let mut list = store.take_draft();
            pairs.into_iter().for_each(|(l, r)| list.extend([l, r]));
            Ok(store.draft(list))
        }
        _ => Err(Fail),
    }
}

/// The couples of a listed relation, sorted by their left sides.
pub fn couples(store: &Store, set: &Rep, word: u32) -> R<Vec<(u32, u32)>> {
    match set {
        Rep::Bits(..) => {
            let (n, width) = set.bit_rows().ok_or(Fail)?;
            let bits = store.bits(n, word);
            let mut pairs = Vec::with_capacity(bits.count_ones() as usize);
            pairs.extend(ones(bits).map(|at| (at / width, at % width)));
            Ok(pairs)
        }
        Rep::Relation(..) => Ok(store.listed(word).ok_or(Fail)?.couples().collect()),
        _ => Err(Fail),
    }
}

/// Returns whether a listed relation is in `S <-> T`, `S --> T` and so on.
fn in_space(store: &Store, set: &Rep, word: u32, op: BinaryOp, s: &SetValue, t: &SetValue) -> R<bool> {
    let kind = op.relation_space().ok_or(Fail)?;
    let (a, b) = set.sides().ok_or(Fail)?;
    let pairs = couples(store, set, word)?;
    let mut last = None;
    let mut points = 0u64;
    let (domain, range) = (s.near_words(), t.near_words());
    for (l, r) in &pairs {
        if last != Some(*l) {
            points += 1;
            last = Some(*l);
            if !domain.contains(l) && !s.has(store, &a, Item::Word(*l))? {
                return Ok(false);
            }
        }
        if !range.contains(r) && !t.has(store, &b, Item::Word(*r))? {
            return Ok(false);
        }
    }
    if kind.functional && points != pairs.len() as u64 {
        return Ok(false);
    }
    if kind.total && s.size(&a, store)? != Some(points) {
        return Ok(false);
    }
    if kind.injective || kind.surjective {
        let mut images: Vec<u32> = pairs.iter().map(|p| p.1).collect();
        images.sort_unstable();
        images.dedup();
        if kind.injective && images.len() != pairs.len() {
            return Ok(false);
        }
        if kind.surjective && t.size(&b, store)? != Some(images.len() as u64) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The elements of a listed sequence in order; `None` if the relation is not a sequence.
pub fn sequence(store: &Store, set: &Rep, word: u32) -> R<Option<Vec<u32>>> {
    let Rep::Relation(a, _) = set else { return Err(Fail) };
    if **a != Rep::Int {
        return Err(Fail);
    }
    let list = store.listed(word).ok_or(Fail)?;
    let in_order = list.couples().zip(1i64..).all(|((l, _), i)| store.get_int(l) == Some(i));
    Ok(in_order.then(|| list.couples().map(|(_, r)| r).collect()))
}

fn is_sequence(store: &Store, set: &Rep, word: u32, op: UnaryOp, s: &SetValue) -> R<bool> {
    let (_, b) = set.sides().ok_or(Fail)?;
    let Some(mut elements) = sequence(store, set, word)? else { return Ok(false) };
    if elements.is_empty() && matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
        return Ok(false);
    }
    for w in &elements {
        if !s.has(store, &b, Item::Word(*w))? {
            return Ok(false);
        }
    }
    if matches!(op, UnaryOp::Seq | UnaryOp::Seq1) {
        return Ok(true);
    }
    let n = elements.len();
    elements.sort_unstable();
    elements.dedup();
    Ok(elements.len() == n && (op != UnaryOp::Perm || s.size(&b, store)? == Some(n as u64)))
}
