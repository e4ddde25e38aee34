//! Hashes of values that do not distinguish atoms of one colour, and hashes of the ways from a value to a part of it.

use crate::store::index::mix;

/// To the left side of a couple.
pub const LEFT: u64 = 1;
/// To the right side.
pub const RIGHT: u64 = 2;
/// To a member of a set.
pub const MEMBER: u64 = 3;
/// To the first field of a record; the numbers behind are those of the others.
pub const FIELD: u64 = 8;

/// The hash of a couple.
pub fn couple(left: u64, right: u64) -> u64 {
    mix(mix(LEFT, left), right)
}

/// Hash of a set, or of a multiset. Atoms of one colour are not distinguished.
pub fn set(members: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let (mut sum, mut n) = (0u64, 0u64);
    for member in members {
        sum = sum.wrapping_add(mix(MEMBER, member?));
        n += 1;
    }
    Some(mix(mix(MEMBER, n), sum))
}
