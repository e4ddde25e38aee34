//! The nodes of list decision diagrams: hash-consed, with a cache of operations, and collected when few of them are in
//! use.
//!
//! A node is a value, the set of continuations after it, and the list of the larger values. So a set of rows is a list
//! of first words in ascending order, each with the set of the rows' ends (Blom, van de Pol, *Symbolic Reachability for
//! Process Algebras with Recursive Data Types*, ICTAC 2008). All rows of a set have the same length: sets of different
//! lengths share no node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::tuning::{Tuning, tuning};

/// A set of rows: a node. Equal sets are equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Set(pub(super) u32);

/// No row.
pub const EMPTY: Set = Set(0);
/// The row without words.
pub const UNIT: Set = Set(1);

/// Marker of a free place in the unique table.
const FREE: u32 = 0;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) value: u32,
    pub(super) down: Set,
    pub(super) right: Set,
}

/// Cache entry of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    operation: u32,
    a: u32,
    b: u32,
    result: u32,
}

/// Conditions under which operations are given up.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Flag that is set from outside.
    pub cancelled: Arc<AtomicBool>,
    /// Time at which to stop.
    pub deadline: Option<Instant>,
    /// Largest number of bytes of nodes.
    pub memory: Option<usize>,
    ticks: u32,
    stopped: bool,
}

/// The nodes of all sets.
#[derive(Debug)]
pub struct Nodes {
    pub(super) nodes: Vec<Node>,
    /// Numbers of nodes by content, with linear probing.
    table: Vec<u32>,
    /// Nodes that may be used again.
    free: Vec<u32>,
    cache: Vec<Done>,
    /// Number of nodes at which a collection may pay.
    collect_at: usize,
    /// Conditions under which operations are given up. From then on their results mean nothing.
    pub stop: Stop,
    /// The list that an operation is making, on top of those of the operations that called it.
    pub(super) pending: Vec<(u32, Set)>,
}

impl Default for Nodes {
    fn default() -> Nodes {
        let leaf = Node { value: u32::MAX, down: EMPTY, right: EMPTY };
        Nodes {
            nodes: vec![leaf; 2],
            table: vec![FREE; Tuning::DEFAULT.diagrams.places],
            free: Vec::new(),
            cache: vec![Done::default(); Tuning::DEFAULT.diagrams.places],
            collect_at: tuning().diagrams.least,
            stop: Stop::default(),
            pending: Vec::new(),
        }
    }
}

fn hash(a: u32, b: u32, c: u32) -> usize {
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let y = (x ^ x >> 29 ^ u64::from(c)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (y ^ y >> 32) as usize
}

impl Nodes {
    #[inline]
    pub(super) fn get(&self, set: Set) -> Node {
        self.nodes[set.0 as usize]
    }

    /// The set of the rows that begin with a value and continue in `down`, and those of `right`, which begin with
    /// larger values.
    pub(super) fn node(&mut self, value: u32, down: Set, right: Set) -> Set {
        debug_assert!(right == EMPTY || self.get(right).value > value, "values ascend");
        if down == EMPTY {
            return right;
        }
        let node = Node { value, down, right };
        let mut at = hash(value, down.0, right.0) & (self.table.len() - 1);
        loop {
            match self.table[at] {
                FREE => break,
                found if self.nodes[found as usize] == node => return Set(found),
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
        let number = match self.free.pop() {
            Some(number) => {
                self.nodes[number as usize] = node;
                number
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("memory ends before the numbers of nodes do")
            }
        };
        self.table[at] = number;
        if self.len() * 2 > self.table.len() {
            self.rebuild(self.table.len() * 2);
        }
        Set(number)
    }

    /// Puts the pending entries from `base` on before the list `right`.
    pub(super) fn list(&mut self, base: usize, mut right: Set) -> Set {
        while self.pending.len() > base {
            let (value, down) = self.pending.pop().expect("there are more than at the base");
            right = self.node(value, down, right);
        }
        right
    }

    /// Number of nodes in use, or not collected yet.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Returns whether there is no set but the two without nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 2
    }

    /// Bytes of nodes, table and cache.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + (self.table.capacity() + self.free.capacity()) * size_of::<u32>()
            + self.cache.capacity() * size_of::<Done>()
    }

    fn rebuild(&mut self, places: usize) {
        self.table.clear();
        self.table.resize(places, FREE);
        for (number, node) in self.nodes.iter().enumerate().skip(2) {
            if node.down == EMPTY {
                continue;
            }
            let mut at = hash(node.value, node.down.0, node.right.0) & (places - 1);
            while self.table[at] != FREE {
                at = (at + 1) & (places - 1);
            }
            self.table[at] = number as u32;
        }
        if self.cache.len() < places {
            let old = std::mem::replace(&mut self.cache, vec![Done::default(); places]);
            for done in old.into_iter().filter(|done| done.operation != 0) {
                let at = hash(done.operation, done.a, done.b) & (places - 1);
                self.cache[at] = done;
            }
        }
    }

    /// The cached result of an operation, if it was computed recently. Operations are numbered from 1.
    #[inline]
    pub(super) fn remembered(&self, operation: u32, a: Set, b: Set) -> Option<Set> {
        let done = &self.cache[hash(operation, a.0, b.0) & (self.cache.len() - 1)];
        (done.operation == operation && done.a == a.0 && done.b == b.0).then_some(Set(done.result))
    }

    #[inline]
    pub(super) fn remember(&mut self, operation: u32, a: Set, b: Set, result: Set) -> Set {
        let at = hash(operation, a.0, b.0) & (self.cache.len() - 1);
        self.cache[at] = Done { operation, a: a.0, b: b.0, result: result.0 };
        result
    }

    /// Returns whether operations were given up.
    pub fn is_stopped(&self) -> bool {
        self.stop.stopped
    }

    /// Returns whether the current operation must be given up.
    #[inline]
    pub(super) fn gives_up(&mut self) -> bool {
        self.stop.ticks += 1;
        if self.stop.ticks >= Tuning::DEFAULT.diagrams.ticks {
            self.look_at_limits();
        }
        self.stop.stopped
    }

    /// Checks the limits now.
    pub fn look_at_limits(&mut self) {
        let bytes = self.bytes();
        let Stop { cancelled, deadline, memory, ticks, stopped } = &mut self.stop;
        *ticks = 0;
        *stopped |= cancelled.load(Ordering::Relaxed)
            || deadline.is_some_and(|end| Instant::now() >= end)
            || memory.is_some_and(|most| bytes > most);
    }

    /// Returns whether enough nodes were made for a garbage collection to pay.
    pub fn is_collection_due(&self) -> bool {
        self.len() >= self.collect_at
    }

    /// Forgets the nodes that no set of these needs. Other sets must not be used any more.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Set>) {
        let mut needed = vec![false; self.nodes.len()];
        (needed[0], needed[1]) = (true, true);
        let mut open: Vec<Set> = roots.into_iter().collect();
        while let Some(mut set) = open.pop() {
            while !needed[set.0 as usize] {
                needed[set.0 as usize] = true;
                let node = self.get(set);
                open.push(node.down);
                set = node.right;
            }
        }
        self.free.clear();
        for (number, needed) in needed.iter().enumerate().rev() {
            if !needed {
                self.nodes[number].down = EMPTY;
                self.free.push(number as u32);
            }
        }
        self.cache.fill(Done::default());
        self.rebuild(self.table.len());
        self.collect_at = tuning().diagrams.least.max(self.len() * 2);
    }
}
