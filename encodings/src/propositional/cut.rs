//! Cuts: what is assumed of an unknown so that it fits into finitely many bits, and how far.
//!
//! A cut never makes an answer: its literal is assumed in each check, and `unsat` counts only if none of them
//! is needed. One that is needed is widened, up to a limit.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::bounds::literal;
use crate::term::{Op, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// Subject of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cut {
    /// The numbers in an unknown.
    Width(SymbolId),
    /// The indices at which an unknown array over integers has values of its own.
    Window(SymbolId),
    /// The index at which an array over integers is changed.
    Index(Term),
}

/// Level of each cut; kept when everything else is rebuilt.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    levels: FxHashMap<Cut, usize>,
    /// Counts how often each level was needed by the copies of one name.
    needed: FxHashMap<(Rc<str>, bool), Vec<usize>>,
    /// The largest number that the assertions speak of.
    pub mentioned: i128,
}

impl Levels {
    /// First and last number of an unknown without bounds.
    pub fn numbers(&self, terms: &Terms, cut: Cut) -> (i128, i128) {
        let bits = tuning().cut.bits[self.level(terms, cut)];
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    }

    /// Takes note of the numbers that terms speak of.
    pub fn mention(&mut self, terms: &Terms, all: &[Term]) {
        self.mention_up_to(terms, all, tuning().cut.mentioned);
    }

    /// [`mention`](Self::mention), with another limit of numbers that count.
    pub fn mention_up_to(&mut self, terms: &Terms, all: &[Term], most: i128) {
        terms.visit(all, |t, node| {
            if let (Op::Int(_), Some(n)) = (&node.op, literal(terms, t))
                && n.abs() <= most
            {
                self.mentioned = self.mentioned.max(n.abs());
            }
        });
    }

    /// First and last index of a window.
    pub fn window(&self, terms: &Terms, cut: Cut) -> (i128, i128) {
        tuning().cut.windows[self.level(terms, cut)]
    }

    /// Returns whether a set is empty outside of its window. In one of every `cut.infinite` levels (see
    /// [`tuning`](crate::tuning)) it may be everything there, as the complement of a finite set is.
    pub fn is_finite(&self, terms: &Terms, cut: Cut) -> bool {
        self.level(terms, cut) % tuning().cut.infinite != tuning().cut.infinite - 1
    }

    fn level(&self, terms: &Terms, cut: Cut) -> usize {
        if let Some(&level) = self.levels.get(&cut) {
            return level;
        }
        // The next copy of a variable needs what two earlier copies needed.
        let copies = |copies: &Vec<usize>| copies.iter().rposition(|&n| n >= 2).unwrap_or(0);
        let known = class(terms, cut).and_then(|c| self.needed.get(&c)).map_or(0, copies);
        let spoken = match cut {
            Cut::Width(_) => {
                tuning().cut.bits.iter().position(|&b| 1 << (b - 1) > self.mentioned + 1).unwrap_or(0)
            }
            _ => 0,
        };
        known.max(spoken)
    }

    /// One level further. `false` if that was the last one.
    pub fn widen(&mut self, terms: &Terms, cut: Cut) -> bool {
        let level = self.level(terms, cut) + 1;
        let levels =
            if matches!(cut, Cut::Width(_)) { tuning().cut.bits.len() } else { tuning().cut.windows.len() };
        if level >= levels {
            return false;
        }
        self.levels.insert(cut, level);
        if let Some(class) = class(terms, cut) {
            let needed = self.needed.entry(class).or_default();
            needed.resize(needed.len().max(level + 1), 0);
            needed[level] += 1;
        }
        true
    }
}

/// The name that the copies of a symbol for the states of a path share.
fn class(terms: &Terms, cut: Cut) -> Option<(Rc<str>, bool)> {
    let (id, width) = match cut {
        Cut::Width(id) => (id, true),
        Cut::Window(id) => (id, false),
        // One change of an array follows on another, with the same indices.
        Cut::Index(_) => return Some(("".into(), false)),
    };
    let name = terms.symbol_name(id);
    Some((name.split(['@', '\'']).next().unwrap_or_default().into(), width))
}

/// Describes a cut in a few words.
pub(super) fn name(terms: &Terms, cut: Cut) -> String {
    match cut {
        Cut::Width(id) => format!("bits of `{}`", terms.symbol_name(id)),
        Cut::Window(id) => format!("indices of `{}`", terms.symbol_name(id)),
        Cut::Index(_) => "an index".into(),
    }
}

/// Describes a cut in words, with its limit.
pub(super) fn describe(terms: &Terms, cut: Cut) -> String {
    let last = tuning().cut.windows[tuning().cut.windows.len() - 1];
    match cut {
        Cut::Width(id) => {
            format!(
                "numbers of `{}` beyond {} bits",
                terms.symbol_name(id),
                tuning().cut.bits[tuning().cut.bits.len() - 1]
            )
        }
        Cut::Window(id) => {
            format!("indices of `{}` outside of {}..{}", terms.symbol_name(id), last.0, last.1)
        }
        Cut::Index(_) => format!("an index outside of {}..{} at which an array is changed", last.0, last.1),
    }
}
