//! Operators on listed sets and relations, on words. A list that they make is a draft: most drafts are used once.

use std::ops::Range;

use bsym_language::model::BinaryOp;

use super::code::{Fail, R};
use super::set_value::{Item, SetValue, build, build_relation, couples, items, sequence};
use crate::compile::context::Context;
use crate::store::arena::List;
use crate::store::interner::Store;
use crate::store::rep::{Rep, ones};
use crate::tuning::Tuning;

/// The elements of a listed set as words.
pub fn elements(store: &mut Store, set: &Rep, word: u32) -> R<Vec<u32>> {
    if let (Rep::Relation(a, b), Some(element)) = (set, set.element()) {
        let numbered = element.count().is_some();
        let pairs = couples(store, set, word)?;
        return Ok(pairs.into_iter().map(|(l, r)| store.pair(a, b, numbered, l, r)).collect());
    }
    let mut all = Vec::new();
    items(store, set, word, &mut |item| {
        if let Item::Word(w) = item {
            all.push(w);
        }
        Ok(true)
    })?;
    Ok(all)
}

/// `f(x)`
#[inline]
pub fn apply(store: &Store, set: &Rep, f: u32, x: u32) -> R<u32> {
    match set {
        Rep::Bits(..) => {
            let (n, width) = set.bit_rows().ok_or(Fail)?;
            let row = row_of(store.bits(n, f), width, x);
            if row.count_ones() == 1 { Ok(row.trailing_zeros()) } else { Err(Fail) }
        }
        Rep::Relation(..) => {
            let list = store.listed(f).ok_or(Fail)?;
            let at = list.find_key(x).ok_or(Fail)?;
            if list.get(2 * at + 2) == Some(x) { Err(Fail) } else { Ok(list.at(2 * at + 1)) }
        }
        _ => Err(Fail),
    }
}

/// The images of a point in a relation of bits.
#[inline]
pub fn row_of(bits: u128, width: u32, x: u32) -> u128 {
    bits >> (x * width) & mask(width)
}

#[inline]
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// Returns whether a point is in the domain.
pub fn in_domain(store: &Store, set: &Rep, r: u32, x: u32) -> R<bool> {
    match set {
        Rep::Bits(..) => {
            let (n, width) = set.bit_rows().ok_or(Fail)?;
            Ok(row_of(store.bits(n, r), width, x) != 0)
        }
        Rep::Relation(..) => Ok(store.listed(r).ok_or(Fail)?.find_key(x).is_some()),
        _ => Err(Fail),
    }
}

/// The images of one point.
pub fn images(store: &Store, set: &Rep, r: u32, x: u32) -> R<Vec<u32>> {
    match set {
        Rep::Bits(..) => {
            let (n, width) = set.bit_rows().ok_or(Fail)?;
            Ok(ones(row_of(store.bits(n, r), width, x)).collect())
        }
        Rep::Relation(..) => {
            let list = store.listed(r).ok_or(Fail)?;
            let Some(at) = list.find_key(x) else { return Ok(Vec::new()) };
            Ok(list.from(2 * at).couples().take_while(|(l, _)| *l == x).map(|(_, r)| r).collect())
        }
        _ => Err(Fail),
    }
}

/// `r[S]`
pub fn image(store: &mut Store, set: &Rep, target: &Rep, r: u32, s: &SetValue) -> R<u32> {
    let (a, _) = set.sides().ok_or(Fail)?;
    if let (Some((n, width)), SetValue::Bits(points), Rep::Bits(_, m)) = (set.bit_rows(), s, target) {
        let bits = store.bits(n, r);
        let found = ones(*points).fold(0, |found, x| found | row_of(bits, width, x));
        return Ok(store.bit_set(*m, found));
    }
    if let (Rep::Relation(..), Rep::Bits(_, m)) = (set, target) {
        let mut found = 0u128;
        for (l, right) in store.listed(r).ok_or(Fail)?.couples() {
            if s.has(store, &a, Item::Word(l))? {
                found |= 1 << right;
            }
        }
        return Ok(store.bit_set(*m, found));
    }
    let mut found = Vec::new();
    for (l, right) in couples(store, set, r)? {
        if s.has(store, &a, Item::Word(l))? {
            found.push(right);
        }
    }
    build(store, target, found)
}

/// `dom(r)` or `ran(r)`
pub fn side(store: &mut Store, set: &Rep, target: &Rep, r: u32, left: bool) -> R<u32> {
    if let (Some((n, width)), Rep::Bits(_, m)) = (set.bit_rows(), target) {
        let mut bits = store.bits(n, r);
        let (mut found, mut point) = (0u128, 0);
        while bits != 0 {
            let row = bits & mask(width);
            if !left {
                found |= row;
            } else if row != 0 {
                found |= 1 << point;
            }
            bits = bits.checked_shr(width).unwrap_or(0);
            point += 1;
        }
        return Ok(store.bit_set(*m, found));
    }
    if let (Rep::Relation(..), Rep::Set(_), true) = (set, target, left) {
        // The points come in their order.
        let mut list = store.take_draft();
        let mut last = None;
        for (l, _) in store.listed(r).ok_or(Fail)?.couples() {
            if last.replace(l) != Some(l) {
                list.push(l);
            }
        }
        return Ok(store.draft(list));
    }
    let found = couples(store, set, r)?.into_iter().map(|p| if left { p.0 } else { p.1 }).collect();
    build(store, target, found)
}

/// `r~`
pub fn inverse(store: &mut Store, set: &Rep, target: &Rep, r: u32) -> R<u32> {
    let turned = couples(store, set, r)?.into_iter().map(|(l, r)| (r, l)).collect();
    build_relation(store, target, turned)
}

/// `S <| r`, `S <<| r`, `r |> S`, `r |>> S`
pub fn restrict(store: &mut Store, set: &Rep, op: BinaryOp, r: u32, s: &SetValue) -> R<u32> {
    let (a, b) = set.sides().ok_or(Fail)?;
    let left = matches!(op, BinaryOp::DomainRestriction | BinaryOp::DomainSubtraction);
    let keep = matches!(op, BinaryOp::DomainRestriction | BinaryOp::RangeRestriction);
    if let (Some((n, width)), true, SetValue::Bits(points)) = (set.bit_rows(), left, s) {
        let bits = store.bits(n, r);
        let rows = ones(*points).fold(0, |rows, x| rows | mask(width) << (x * width));
        return Ok(store.bit_set(n, if keep { bits & rows } else { bits & !rows }));
    }
    let element = if left { &a } else { &b };
    if let Rep::Bits(..) = set {
        let mut kept = Vec::new();
        for (l, right) in couples(store, set, r)? {
            if s.has(store, element, Item::Word(if left { l } else { right }))? == keep {
                kept.push((l, right));
            }
        }
        return build_relation(store, set, kept);
    }
    let mut list = store.take_draft();
    let all = store.listed(r).ok_or(Fail)?;
    match s {
        SetValue::Listed(s) if left && !matches!(**element, Rep::Pair(..)) => {
            // Both ascend: entries between two points are taken or left as a whole.
            let mut done = 0;
            for point in store.listed(*s).ok_or(Fail)?.iter() {
                let found = couples_of(all, done, point);
                list.extend(all.part(if keep { found.clone() } else { done..found.start }).iter());
                done = found.end;
            }
            if !keep {
                list.extend(all.from(done).iter());
            }
        }
        _ => {
            for (l, right) in all.couples() {
                if s.has(store, element, Item::Word(if left { l } else { right }))? == keep {
                    list.extend([l, right]);
                }
            }
        }
    }
    Ok(store.draft(list))
}

/// The first of the ascending entries from `from` to `end` that is not less than something. The search begins near the
/// first ones, so that it costs little if many entries are looked up one after the other.
fn first_not_less(from: usize, end: usize, is_less: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= end && is_less(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(end);
    while low < high {
        let middle = (low + high) / 2;
        if is_less(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The places of the couples of a point, none of which are before `from`.
fn couples_of(couples: List<'_>, from: usize, point: u32) -> Range<usize> {
    let n = couples.len() / 2;
    let start = first_not_less(from / 2, n, |i| couples.at(2 * i) < point);
    let mut end = start;
    while end < n && couples.at(2 * end) == point {
        end += 1;
    }
    2 * start..2 * end
}

/// `r <+ {x |-> y}`
pub fn override_at(store: &mut Store, set: &Rep, r: u32, x: u32, y: u32) -> R<u32> {
    if let Some((n, width)) = set.bit_rows() {
        let bits = store.bits(n, r) & !(mask(width) << (x * width)) | 1u128 << (x * width + y);
        return Ok(store.bit_set(n, bits));
    }
    let mut list = store.take_draft();
    let old = store.listed(r).ok_or(Fail)?;
    let replaced = couples_of(old, 0, x);
    list.extend(old.part(0..replaced.start).iter());
    list.extend([x, y]);
    list.extend(old.from(replaced.end).iter());
    Ok(store.draft(list))
}

/// `r <+ s`
pub fn override_by(store: &mut Store, set: &Rep, r: u32, s: u32) -> R<u32> {
    if let Some((n, width)) = set.bit_rows() {
        let (old, new) = (store.bits(n, r), store.bits(n, s));
        let (mut rest, mut point, mut rows) = (new, 0, 0u128);
        while rest != 0 {
            if rest & mask(width) != 0 {
                rows |= mask(width) << (point * width);
            }
            rest = rest.checked_shr(width).unwrap_or(0);
            point += 1;
        }
        return Ok(store.bit_set(n, old & !rows | new));
    }
    let mut list = store.take_draft();
    let (old, new) = (store.listed(r).ok_or(Fail)?, store.listed(s).ok_or(Fail)?);
    let (mut i, mut j) = (0, 0);
    while let Some(point) = new.get(j) {
        let replaced = couples_of(old, i, point);
        list.extend(old.part(i..replaced.start).iter());
        i = replaced.end;
        while new.get(j) == Some(point) {
            list.extend([point, new.at(j + 1)]);
            j += 2;
        }
    }
    list.extend(old.from(i).iter());
    Ok(store.draft(list))
}

/// `S \/ T`, `S /\ T`, `S - T` of sets that are not bits.
pub fn combine(store: &mut Store, set: &Rep, op: BinaryOp, s: u32, t: u32) -> R<u32> {
    let width = if matches!(set, Rep::Relation(..)) { 2 } else { 1 };
    let mut list = store.take_draft();
    let (left, right) = (store.listed(s).ok_or(Fail)?, store.listed(t).ok_or(Fail)?);
    // The longer one is taken in pieces.
    let (left, right) =
        if op != BinaryOp::Difference && left.len() < right.len() { (right, left) } else { (left, right) };
    let entry = |list: List<'_>, i: usize| match width {
        2 => u64::from(list.at(2 * i)) << 32 | u64::from(list.at(2 * i + 1)),
        _ => u64::from(list.at(i)),
    };
    let (n, mut i) = (left.len() / width, 0);
    for j in 0..right.len() / width {
        let other = entry(right, j);
        let next = first_not_less(i, n, |i| entry(left, i) < other);
        if op != BinaryOp::Intersection {
            list.extend(left.part(i * width..next * width).iter());
        }
        let is_in_both = next < n && entry(left, next) == other;
        if op == BinaryOp::Union || op == BinaryOp::Intersection && is_in_both {
            list.extend(right.part(j * width..(j + 1) * width).iter());
        }
        i = next + usize::from(is_in_both);
    }
    if op != BinaryOp::Intersection {
        list.extend(left.from(i * width).iter());
    }
    Ok(store.draft(list))
}

/// `(r ; s)`
pub fn compose(store: &mut Store, left: (&Rep, u32), right: (&Rep, u32), target: &Rep) -> R<u32> {
    let mut found = Vec::new();
    for (x, y) in couples(store, left.0, left.1)? {
        found.extend(images(store, right.0, right.1, y)?.into_iter().map(|z| (x, z)));
    }
    build_relation(store, target, found)
}

/// `closure1(r)`
pub fn transitive(store: &mut Store, set: &Rep, r: u32) -> R<u32> {
    let pairs = couples(store, set, r)?;
    let mut closed = Vec::new();
    let mut points: Vec<u32> = pairs.iter().map(|p| p.0).collect();
    points.dedup();
    for start in points {
        let mut seen: Vec<u32> = Vec::new();
        let mut open = vec![start];
        while let Some(v) = open.pop() {
            let from = pairs.partition_point(|p| p.0 < v);
            for (_, w) in pairs[from..].iter().take_while(|p| p.0 == v) {
                if !seen.contains(w) {
                    seen.push(*w);
                    open.push(*w);
                }
            }
        }
        closed.extend(seen.into_iter().map(|w| (start, w)));
    }
    build_relation(store, set, closed)
}

/// The elements in order; [`Fail`] if the relation is not a sequence.
pub fn in_order(store: &Store, set: &Rep, word: u32) -> R<Vec<u32>> {
    sequence(store, set, word)?.ok_or(Fail)
}

/// The draft of a sequence.
pub fn of_order(store: &mut Store, elements: impl IntoIterator<Item = u32>) -> u32 {
    let mut list = store.take_draft();
    for (i, w) in (1i64..).zip(elements) {
        list.push(store.int(i));
        list.push(w);
    }
    store.draft(list)
}

/// Largest or least integer of a listed set.
pub fn extremum(store: &Store, word: u32, largest: bool) -> R<i64> {
    let list = store.listed(word).ok_or(Fail)?;
    let mut best: Option<i64> = None;
    for w in list.iter() {
        let n = store.get_int(w).ok_or(Fail)?;
        best = Some(best.map_or(n, |b| if largest { b.max(n) } else { b.min(n) }));
    }
    best.ok_or(Fail)
}

/// `S * T` as a listed relation.
pub fn product(ctx: &mut Context<'_>, target: &Rep, s: &SetValue, t: &SetValue) -> R<u32> {
    let (a, b) = target.sides().ok_or(Fail)?;
    let (left, right) = (s.list(ctx, &a)?, t.list(ctx, &b)?);
    if left.len() * right.len() > Tuning::DEFAULT.compile.listed {
        return Err(Fail);
    }
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (*l, *r))).collect();
    build_relation(&mut ctx.store, target, pairs)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::dice::Dice;

    type Couples = BTreeSet<(u32, u32)>;

    /// Couples of a few points, at most `most`.
    fn some(dice: &mut Dice, most: u64) -> Couples {
        let n = dice.roll() % (most + 1);
        (0..n).map(|_| ((dice.roll() % 40) as u32, (dice.roll() % 4) as u32)).collect()
    }

    fn word(store: &mut Store, couples: &Couples) -> u32 {
        let list: Vec<u32> = couples.iter().flat_map(|(l, r)| [*l, *r]).collect();
        store.list(&list)
    }

    #[test]
    fn lists_of_any_lengths_are_combined_as_sets_are() {
        let (mut store, mut dice) = (Store::default(), Dice::new(5));
        let int = Arc::new(Rep::Int);
        let (set, points) = (Rep::Relation(int.clone(), int.clone()), Rep::Set(int));
        for _ in 0..500 {
            let most = if dice.roll() % 2 == 0 { 3 } else { 60 };
            let (r, s) = (some(&mut dice, 60), some(&mut dice, most));
            let (rw, sw) = (word(&mut store, &r), word(&mut store, &s));
            let has = |s: &Couples, x: u32| s.iter().any(|c| c.0 == x);
            let domain = side(&mut store, &set, &points, sw, true).expect("a relation");
            let described = SetValue::Listed(domain);
            let kept = [BinaryOp::DomainRestriction, BinaryOp::DomainSubtraction]
                .map(|op| restrict(&mut store, &set, op, rw, &described).expect("a relation"));
            let (x, y) = ((dice.roll() % 40) as u32, 7);
            let [union, intersection, difference] =
                [BinaryOp::Union, BinaryOp::Intersection, BinaryOp::Difference]
                    .map(|op| combine(&mut store, &set, op, rw, sw).expect("relations"));
            let by = override_by(&mut store, &set, rw, sw).expect("relations");
            let at = override_at(&mut store, &set, rw, x, y).expect("a relation");
            let expected: [(u32, Couples); 7] = [
                (kept[0], r.iter().copied().filter(|c| has(&s, c.0)).collect()),
                (kept[1], r.iter().copied().filter(|c| !has(&s, c.0)).collect()),
                (union, &r | &s),
                (intersection, &r & &s),
                (difference, &r - &s),
                (by, r.iter().copied().filter(|c| !has(&s, c.0)).chain(s.iter().copied()).collect()),
                (at, r.iter().copied().filter(|c| c.0 != x).chain([(x, y)]).collect()),
            ];
            for (found, expected) in &expected {
                let found = store.listed(*found).expect("a list");
                assert!(found.couples().eq(expected.iter().copied()), "{r:?} {s:?} {expected:?}");
            }
            store.release(0);
        }
    }
}
