//! Relations between rows as diagrams, and their product with a set of rows.
//!
//! A relation has a level for each position that it reads and one for each that it may write, in the order of positions
//! and the word read before the word written; other positions it does not mention. A position that is written and not
//! read may be kept instead: a copy (Meijer, Kant, Blom, van de Pol, *Read, Write and Copy Dependencies for Symbolic
//! Model Checking*, HVC 2014).

use std::collections::HashSet;

use super::nodes::{EMPTY, Nodes, Set, UNIT};
use super::operations::{PRODUCT, numbered};

/// Stands for the old word at a position that is written but not read.
pub const COPY: u32 = u32::MAX;

/// Access of a relation to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Nothing,
    Read,
    Write,
    Both,
}

/// Positions that the relations of a group read and write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Different shapes have different numbers.
    number: u32,
    access: Vec<Access>,
    /// Position behind the last one that is mentioned.
    end: usize,
}

impl Shape {
    /// The shape of relations between rows of some length. Other shapes must have other numbers.
    pub fn new(number: u32, width: usize, reads: &[usize], writes: &[usize]) -> Shape {
        let access = |at: usize| match (reads.contains(&at), writes.contains(&at)) {
            (false, false) => Access::Nothing,
            (true, false) => Access::Read,
            (false, true) => Access::Write,
            (true, true) => Access::Both,
        };
        let access: Vec<Access> = (0..width).map(access).collect();
        let end = access.iter().rposition(|a| *a != Access::Nothing).map_or(0, |last| last + 1);
        Shape { number, access, end }
    }

    /// The first position that is mentioned; the position behind all if there is none.
    pub fn begin(&self) -> usize {
        self.access.iter().position(|a| *a != Access::Nothing).unwrap_or(self.access.len())
    }

    /// The words of a pair of short rows as those of the relation. Both are by position; where a position is written,
    /// `None` is a copy.
    pub fn pair(&self, read: &[u32], written: &[Option<u32>], words: &mut Vec<u32>) {
        let (mut read, mut written) = (read.iter(), written.iter());
        let mut old = || *read.next().expect("a word for each position that is read");
        let mut new = || *written.next().expect("a word for each position that is written");
        for access in &self.access {
            match access {
                Access::Nothing => {}
                Access::Read => words.push(old()),
                Access::Write => words.push(new().unwrap_or(COPY)),
                Access::Both => {
                    let word = old();
                    words.extend([word, new().unwrap_or(word)]);
                }
            }
        }
    }
}

impl Nodes {
    /// The rows that a relation leads to from those of a set.
    pub fn product(&mut self, set: Set, relation: Set, shape: &Shape) -> Set {
        self.product_from(set, relation, shape, 0)
    }

    fn product_from(&mut self, set: Set, relation: Set, shape: &Shape, at: usize) -> Set {
        if set == EMPTY || relation == EMPTY {
            return EMPTY;
        }
        if at >= shape.end {
            return set;
        }
        let operation = numbered(PRODUCT, shape.number);
        if let Some(known) = self.remembered(operation, set, relation) {
            return known;
        }
        if self.gives_up() {
            return EMPTY;
        }
        let (base, mut x, mut y) = (self.pending.len(), set, relation);
        let access = shape.access[at];
        while x != EMPTY {
            let node = self.get(x);
            match access {
                Access::Nothing => {
                    let down = self.product_from(node.down, relation, shape, at + 1);
                    self.pending.push((node.value, down));
                }
                Access::Write => self.write_all(node.value, node.down, relation, shape, at),
                Access::Read | Access::Both => {
                    while y != EMPTY && self.get(y).value < node.value {
                        y = self.get(y).right;
                    }
                    if y == EMPTY {
                        break;
                    }
                    let pair = self.get(y);
                    if pair.value == node.value && access == Access::Read {
                        let down = self.product_from(node.down, pair.down, shape, at + 1);
                        self.pending.push((node.value, down));
                    } else if pair.value == node.value {
                        self.write_all(node.value, node.down, pair.down, shape, at);
                    }
                }
            }
            x = node.right;
        }
        if matches!(access, Access::Write | Access::Both) {
            self.merge_pending(base);
        }
        let result = self.list(base, EMPTY);
        self.remember(operation, set, relation, result)
    }

    /// Writes the words of a list in place of `old`.
    fn write_all(&mut self, old: u32, down: Set, mut list: Set, shape: &Shape, at: usize) {
        while list != EMPTY {
            let pair = self.get(list);
            let below = self.product_from(down, pair.down, shape, at + 1);
            if below != EMPTY {
                self.pending.push((if pair.value == COPY { old } else { pair.value }, below));
            }
            list = pair.right;
        }
    }

    /// Sorts the pending entries from `base` on and unites the continuations of the same word.
    fn merge_pending(&mut self, base: usize) {
        if self.pending[base..].is_sorted_by(|a, b| a.0 < b.0) {
            return;
        }
        let mut parts = self.pending.split_off(base);
        parts.sort_unstable_by_key(|(value, _)| *value);
        for (value, down) in parts {
            match self.pending.last().copied() {
                Some((last, before)) if self.pending.len() > base && last == value => {
                    let both = self.union(before, down);
                    self.pending.last_mut().expect("there is one").1 = both;
                }
                _ => self.pending.push((value, down)),
            }
        }
    }

    /// A row of the set from which the relation leads to a row.
    pub fn predecessor(&self, set: Set, relation: Set, shape: &Shape, target: &[u32]) -> Option<Vec<u32>> {
        let mut backwards = Backwards { nodes: self, shape, target, failed: HashSet::new(), row: Vec::new() };
        backwards.go(set, relation).then_some(backwards.row)
    }
}

/// A search for a row from which a relation leads to a row.
struct Backwards<'a> {
    nodes: &'a Nodes,
    shape: &'a Shape,
    target: &'a [u32],
    /// Pairs of a set and a relation from which the row cannot be completed.
    failed: HashSet<(Set, Set)>,
    /// The words before the current position.
    row: Vec<u32>,
}

impl Backwards<'_> {
    /// Completes the row from a set. Returns whether that is possible.
    fn go(&mut self, set: Set, relation: Set) -> bool {
        if set <= UNIT || relation == EMPTY {
            return set == UNIT && relation == UNIT;
        }
        if self.failed.contains(&(set, relation)) {
            return false;
        }
        let at = self.row.len();
        let (access, word) = (self.shape.access[at], self.target[at]);
        let found = match access {
            Access::Nothing => self.step(set, word, relation),
            Access::Read => {
                let below = self.nodes.follow(relation, word);
                below.is_some_and(|below| self.step(set, word, below))
            }
            Access::Write => {
                let copied = self.nodes.follow(relation, COPY);
                copied.is_some_and(|below| self.step(set, word, below))
                    || self.nodes.follow(relation, word).is_some_and(|below| self.any(set, below))
            }
            Access::Both => self.both(set, relation, word),
        };
        if !found {
            self.failed.insert((set, relation));
        }
        found
    }

    fn step(&mut self, set: Set, word: u32, below: Set) -> bool {
        let Some(down) = self.nodes.follow(set, word) else { return false };
        self.attempt(word, down, below)
    }

    fn attempt(&mut self, word: u32, down: Set, below: Set) -> bool {
        self.row.push(word);
        let found = self.go(down, below);
        if !found {
            self.row.pop();
        }
        found
    }

    fn any(&mut self, mut set: Set, below: Set) -> bool {
        while set != EMPTY {
            let node = self.nodes.get(set);
            if self.attempt(node.value, node.down, below) {
                return true;
            }
            set = node.right;
        }
        false
    }

    fn both(&mut self, mut set: Set, mut relation: Set, word: u32) -> bool {
        while set != EMPTY && relation != EMPTY {
            let (node, pair) = (self.nodes.get(set), self.nodes.get(relation));
            if pair.value < node.value {
                relation = pair.right;
                continue;
            }
            if pair.value == node.value
                && let Some(below) = self.nodes.follow(pair.down, word)
                && self.attempt(node.value, node.down, below)
            {
                return true;
            }
            set = node.right;
        }
        false
    }
}
