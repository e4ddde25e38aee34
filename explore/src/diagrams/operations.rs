//! Operations on sets of rows.
//!
//! Each iterates along the lists in a loop, and recurses only into continuations: its depth is the length of the rows.

use std::collections::HashMap;

use super::nodes::{EMPTY, Nodes, Set, UNIT};

const UNION: u32 = 1;
const MINUS: u32 = 2;
/// First number of the operations with a parameter.
const PROJECT: u32 = 3;
const RESTRICT: u32 = 4;
pub(super) const PRODUCT: u32 = 5;
const KINDS: u32 = 8;

/// The number of an operation with a parameter.
pub(super) fn numbered(operation: u32, parameter: u32) -> u32 {
    operation + KINDS * (parameter + 1)
}

/// Some positions of a row, which make up short rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Positions {
    /// Different positions have different numbers.
    number: u32,
    chosen: Vec<bool>,
    /// Position behind the last chosen one.
    end: usize,
}

impl Positions {
    /// The chosen positions of rows of length `width`. Other positions must have other numbers.
    pub fn new(number: u32, width: usize, chosen: &[usize]) -> Positions {
        let end = chosen.iter().max().map_or(0, |last| last + 1);
        Positions { number, chosen: (0..width).map(|at| chosen.contains(&at)).collect(), end }
    }
}

impl Nodes {
    /// The set of one row.
    pub fn singleton(&mut self, row: &[u32]) -> Set {
        row.iter().rev().fold(UNIT, |down, word| self.node(*word, down, EMPTY))
    }

    /// The set of rows of the same length, not 0, which are written one behind the other.
    pub fn of_rows(&mut self, width: usize, words: &[u32]) -> Set {
        if width == 0 {
            return EMPTY;
        }
        let mut rows: Vec<&[u32]> = words.chunks_exact(width).collect();
        rows.sort_unstable();
        rows.dedup();
        self.of_sorted(&rows, 0)
    }

    fn of_sorted(&mut self, rows: &[&[u32]], at: usize) -> Set {
        if rows.is_empty() {
            return EMPTY;
        }
        if at == rows[0].len() {
            return UNIT;
        }
        let base = self.pending.len();
        for part in rows.chunk_by(|a, b| a[at] == b[at]) {
            let down = self.of_sorted(part, at + 1);
            self.pending.push((part[0][at], down));
        }
        self.list(base, EMPTY)
    }

    /// Union of two sets.
    pub fn union(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.remembered(UNION, a, b) {
            return known;
        }
        if self.gives_up() {
            return EMPTY;
        }
        let (base, mut x, mut y) = (self.pending.len(), a, b);
        let rest = loop {
            if x == y || y == EMPTY {
                break x;
            }
            if x == EMPTY {
                break y;
            }
            let (p, q) = (self.get(x), self.get(y));
            if p.value < q.value {
                self.pending.push((p.value, p.down));
                x = p.right;
            } else if q.value < p.value {
                self.pending.push((q.value, q.down));
                y = q.right;
            } else {
                let down = self.union(p.down, q.down);
                self.pending.push((p.value, down));
                (x, y) = (p.right, q.right);
            }
        };
        let result = self.list(base, rest);
        self.remember(UNION, a, b, result)
    }

    /// Difference of two sets: the rows of the first set that are not in the second.
    pub fn minus(&mut self, a: Set, b: Set) -> Set {
        if a == b || a == EMPTY {
            return EMPTY;
        }
        if b == EMPTY {
            return a;
        }
        if let Some(known) = self.remembered(MINUS, a, b) {
            return known;
        }
        if self.gives_up() {
            return EMPTY;
        }
        let (base, mut x, mut y) = (self.pending.len(), a, b);
        let rest = loop {
            if x == y || x == EMPTY {
                break EMPTY;
            }
            if y == EMPTY {
                break x;
            }
            let (p, q) = (self.get(x), self.get(y));
            if p.value < q.value {
                self.pending.push((p.value, p.down));
                x = p.right;
            } else if q.value < p.value {
                y = q.right;
            } else {
                let down = self.minus(p.down, q.down);
                self.pending.push((p.value, down));
                (x, y) = (p.right, q.right);
            }
        };
        let result = self.list(base, rest);
        self.remember(MINUS, a, b, result)
    }

    /// The short rows of a set.
    pub fn project(&mut self, set: Set, positions: &Positions) -> Set {
        self.project_from(set, positions, 0)
    }

    fn project_from(&mut self, set: Set, positions: &Positions, at: usize) -> Set {
        if set == EMPTY {
            return EMPTY;
        }
        if at >= positions.end {
            return UNIT;
        }
        let operation = numbered(PROJECT, positions.number);
        if let Some(known) = self.remembered(operation, set, EMPTY) {
            return known;
        }
        if self.gives_up() {
            return EMPTY;
        }
        let (base, mut rest) = (self.pending.len(), set);
        let result = if positions.chosen[at] {
            while rest != EMPTY {
                let node = self.get(rest);
                let down = self.project_from(node.down, positions, at + 1);
                self.pending.push((node.value, down));
                rest = node.right;
            }
            self.list(base, EMPTY)
        } else {
            let mut result = EMPTY;
            while rest != EMPTY {
                let node = self.get(rest);
                let down = self.project_from(node.down, positions, at + 1);
                result = self.union(result, down);
                rest = node.right;
            }
            result
        };
        self.remember(operation, set, EMPTY, result)
    }

    /// The rows of a set whose short row is one of these.
    pub fn restrict(&mut self, set: Set, short: Set, positions: &Positions) -> Set {
        self.restrict_from(set, short, positions, 0)
    }

    fn restrict_from(&mut self, set: Set, short: Set, positions: &Positions, at: usize) -> Set {
        if set == EMPTY || short == EMPTY {
            return EMPTY;
        }
        if at >= positions.end {
            return set;
        }
        let operation = numbered(RESTRICT, positions.number);
        if let Some(known) = self.remembered(operation, set, short) {
            return known;
        }
        if self.gives_up() {
            return EMPTY;
        }
        let (base, mut x, mut y) = (self.pending.len(), set, short);
        while x != EMPTY && y != EMPTY {
            let node = self.get(x);
            let below = if positions.chosen[at] {
                let other = self.get(y);
                if other.value < node.value {
                    y = other.right;
                    continue;
                }
                if other.value > node.value { EMPTY } else { other.down }
            } else {
                short
            };
            let down = self.restrict_from(node.down, below, positions, at + 1);
            self.pending.push((node.value, down));
            x = node.right;
        }
        let result = self.list(base, EMPTY);
        self.remember(operation, set, short, result)
    }

    /// Returns whether a row is in a set.
    pub fn contains(&self, mut set: Set, row: &[u32]) -> bool {
        for word in row {
            match self.follow(set, *word) {
                Some(down) => set = down,
                None => return false,
            }
        }
        set == UNIT
    }

    /// Returns the set of continuations after a word; `None` if no row begins with it.
    pub(super) fn follow(&self, mut list: Set, word: u32) -> Option<Set> {
        while list != EMPTY {
            let node = self.get(list);
            if node.value >= word {
                return (node.value == word).then_some(node.down);
            }
            list = node.right;
        }
        None
    }

    /// The first row of a set.
    pub fn first(&self, mut set: Set) -> Option<Vec<u32>> {
        let mut row = Vec::new();
        while set != UNIT {
            if set == EMPTY {
                return None;
            }
            let node = self.get(set);
            row.push(node.value);
            set = node.down;
        }
        Some(row)
    }

    /// The words of all rows, concatenated in ascending order.
    pub fn words(&self, set: Set) -> Vec<u32> {
        let (mut words, mut row) = (Vec::new(), Vec::new());
        self.write(set, &mut row, &mut words);
        words
    }

    fn write(&self, mut set: Set, row: &mut Vec<u32>, words: &mut Vec<u32>) {
        if set == UNIT {
            words.extend_from_slice(row);
        }
        while set > UNIT {
            let node = self.get(set);
            row.push(node.value);
            self.write(node.down, row, words);
            row.pop();
            set = node.right;
        }
    }

    /// The number of rows, saturating at the largest number.
    pub fn count(&self, set: Set, known: &mut Counts) -> u128 {
        if set <= UNIT {
            return u128::from(set.0);
        }
        if let Some(count) = known.0.get(&(set, EMPTY)) {
            return *count;
        }
        let (mut sum, mut rest) = (0u128, set);
        while rest != EMPTY {
            let node = self.get(rest);
            sum = sum.saturating_add(self.count(node.down, known));
            rest = node.right;
        }
        known.0.insert((set, EMPTY), sum);
        sum
    }

    /// The sum of the weights of rows: those of their short rows, where `weighted` has each short row with one more
    /// word, the position of its weight.
    pub fn weigh(
        &self,
        (set, weighted): (Set, Set),
        positions: &Positions,
        weights: &[u64],
        known: &mut Counts,
    ) -> u128 {
        let mut here = Counts::default();
        self.weigh_from((set, weighted), 0, positions, weights, (known, &mut here))
    }

    fn weigh_from(
        &self,
        (set, weighted): (Set, Set),
        at: usize,
        positions: &Positions,
        weights: &[u64],
        (known, here): (&mut Counts, &mut Counts),
    ) -> u128 {
        if set == EMPTY || weighted == EMPTY {
            return 0;
        }
        if at >= positions.end {
            let weight = weights[self.get(weighted).value as usize];
            return self.count(set, known).saturating_mul(u128::from(weight));
        }
        if let Some(sum) = here.0.get(&(set, weighted)) {
            return *sum;
        }
        let (mut sum, mut rest, mut other) = (0u128, set, weighted);
        while rest != EMPTY {
            let node = self.get(rest);
            let below = if positions.chosen[at] {
                while other != EMPTY && self.get(other).value < node.value {
                    other = self.get(other).right;
                }
                if other == EMPTY {
                    break;
                }
                let found = self.get(other);
                if found.value == node.value { found.down } else { EMPTY }
            } else {
                weighted
            };
            let part =
                self.weigh_from((node.down, below), at + 1, positions, weights, (&mut *known, &mut *here));
            sum = sum.saturating_add(part);
            rest = node.right;
        }
        here.0.insert((set, weighted), sum);
        sum
    }
}

/// Known counts, which are useless after a collection.
#[derive(Clone, Debug, Default)]
pub struct Counts(HashMap<(Set, Set), u128>);
