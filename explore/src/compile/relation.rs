//! Operators on listed sets and relations, on words. A list that they make is a draft: most are looked at once.

use bsym_language::model::BinaryOp;

use super::code::{Fail, R};
use super::set_value::{Item, SetValue, build, build_relation, couples, items, sequence};
use crate::compile::context::Context;
use crate::store::interner::Store;
use crate::store::rep::{Rep, ones};

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

/// Whether a point is in the domain.
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
    let all = store.listed(r).ok_or(Fail)?.couples();
    // Of a listed set it is not asked for each couple where it lies.
    match s {
        SetValue::Listed(s) if !matches!(**element, Rep::Pair(..)) => {
            let points = store.listed(*s).ok_or(Fail)?;
            for (l, right) in all {
                if points.has(if left { l } else { right }) == keep {
                    list.extend([l, right]);
                }
            }
        }
        _ => {
            for (l, right) in all {
                if s.has(store, element, Item::Word(if left { l } else { right }))? == keep {
                    list.extend([l, right]);
                }
            }
        }
    }
    Ok(store.draft(list))
}

/// `r <+ {x |-> y}`
pub fn override_at(store: &mut Store, set: &Rep, r: u32, x: u32, y: u32) -> R<u32> {
    if let Some((n, width)) = set.bit_rows() {
        let bits = store.bits(n, r) & !(mask(width) << (x * width)) | 1u128 << (x * width + y);
        return Ok(store.bit_set(n, bits));
    }
    let mut list = store.take_draft();
    let old = store.listed(r).ok_or(Fail)?;
    let start = old.couples().position(|(l, _)| l >= x).map_or(old.len(), |i| 2 * i);
    let end = old.from(start).couples().position(|(l, _)| l != x).map_or(old.len(), |i| start + 2 * i);
    list.extend(old.iter().take(start));
    list.extend([x, y]);
    list.extend(old.from(end).iter());
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
        while old.get(i).is_some_and(|l| l < point) {
            list.extend([old.at(i), old.at(i + 1)]);
            i += 2;
        }
        while old.get(i) == Some(point) {
            i += 2;
        }
        while new.get(j) == Some(point) {
            list.extend([point, new.at(j + 1)]);
            j += 2;
        }
    }
    list.extend(old.from(i).iter());
    Ok(store.draft(list))
}

/// `S \/ T`, `S /\ T`, `S - T` of sets that are no bits.
pub fn combine(store: &mut Store, set: &Rep, op: BinaryOp, s: u32, t: u32) -> R<u32> {
    let width = if matches!(set, Rep::Relation(..)) { 2 } else { 1 };
    let mut list = store.take_draft();
    let (left, right) = (store.listed(s).ok_or(Fail)?, store.listed(t).ok_or(Fail)?);
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(l), Some(r)) if width == 2 => (l, left.at(i + 1)).cmp(&(r, right.at(j + 1))),
            (Some(l), Some(r)) => l.cmp(&r),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        match order {
            std::cmp::Ordering::Less => {
                if op != BinaryOp::Intersection {
                    list.extend(left.from(i).iter().take(width));
                }
                i += width;
            }
            std::cmp::Ordering::Greater => {
                if op == BinaryOp::Union {
                    list.extend(right.from(j).iter().take(width));
                }
                j += width;
            }
            std::cmp::Ordering::Equal => {
                if op != BinaryOp::Difference {
                    list.extend(left.from(i).iter().take(width));
                }
                i += width;
                j += width;
            }
        }
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

/// The elements in order; [`Fail`] if the relation is no sequence.
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
    if left.len() * right.len() > 1 << 20 {
        return Err(Fail);
    }
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (*l, *r))).collect();
    build_relation(&mut ctx.store, target, pairs)
}
