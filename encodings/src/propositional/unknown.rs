//! Unknown integers: free bits within bounds, and literals for how they compare with numbers.
//!
//! An unknown that nothing bounds is cut down: it is known only where it lies within the cut. That it does is two
//! comparisons, `x <= last` and not `x <= first - 1`, which are assumed as the cut. All comparisons of one unknown with
//! numbers imply each other in their order whether the cut holds or not, so that bounds from anywhere in a formula
//! show that a cut holds, and an `unsat` that such bounds bring does not depend on it.
//!
//! An equation hands the bounds of one side to the other: `e => (y <= k => x <= k + c)` where `e` says `x = y + c`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::gates::{Gates, Lit};
use super::integer::{Form, Number, add, less};

use crate::tuning::tuning;

#[derive(Debug)]
struct Unknown {
    number: Number,
    /// Literals of `x <= k`, with how many equations the number `k` came over.
    at_most: BTreeMap<i128, (Lit, u8)>,
    links: Vec<Link>,
}

/// Link between unknowns: where the condition holds, `other = this + offset`.
#[derive(Clone, Copy, Debug)]
struct Link {
    condition: Lit,
    other: u32,
    offset: i128,
}

/// All unknown integers that are cut down.
#[derive(Debug, Default)]
pub(super) struct Unknowns {
    all: Vec<Unknown>,
    /// Literals of `x - y <= k`, for the older one as x.
    differences: FxHashMap<(u32, u32), BTreeMap<i128, Lit>>,
}

impl Unknowns {
    /// An unknown within bounds that hold anyway where they are given, and otherwise within those of a cut. Second:
    /// the literals of the cut.
    pub fn allocate(
        &mut self,
        g: &mut Gates,
        known: (Option<i128>, Option<i128>),
        cut: (i128, i128),
    ) -> Option<(Number, Vec<Lit>)> {
        let bits = cut.1 - cut.0;
        let (low, high) = match known {
            // Contradictory bounds are the assertions' affair.
            (Some(a), Some(b)) => return Some((Number::unknown(g, a.min(b), a.max(b))?, vec![])),
            (Some(a), None) => (a, a + bits),
            (None, Some(b)) => (b - bits, b),
            (None, None) => cut,
        };
        let mut number = Number::unknown(g, low, high)?;
        let mut at_most = BTreeMap::new();
        let mut cuts = vec![];
        let mut border = |k: i128, sure: bool, positive: bool, g: &mut Gates| {
            let l = if sure { Lit::constant(positive) } else { g.input() };
            at_most.insert(k, (l, 0));
            let l = if positive { l } else { !l };
            if !sure {
                cuts.push(l);
            }
            l
        };
        let above = border(low - 1, known.0.is_some(), false, g);
        let below = border(high, known.1.is_some(), true, g);
        number.guard = g.and([above, below]);
        if let [l, h] = cuts[..] {
            // Not below the cut and beyond it at once.
            g.clause(&[l, h]);
        }
        number.form = Form::Unknown(self.all.len() as u32, 0);
        self.all.push(Unknown { number: number.clone(), at_most, links: vec![] });
        Some((number, cuts))
    }

    /// `x <= k`, exact whether the cut holds or not.
    pub fn at_most(&mut self, g: &mut Gates, id: u32, k: i128) -> Lit {
        self.compare(g, id, k, 0)
    }

    /// `x - y <= k`, exact whether the cuts hold or not. `None` if the numbers become too large.
    pub fn difference(&mut self, g: &mut Gates, x: u32, y: u32, k: i128) -> Option<Lit> {
        if x == y {
            return Some(Lit::constant(0 <= k));
        }
        if x > y {
            return Some(!self.difference(g, y, x, -k - 1)?);
        }
        if let Some(&l) = self.differences.get(&(x, y)).and_then(|known| known.get(&k)) {
            return Some(l);
        }
        let (a, b) = (self.all[x as usize].number.clone(), self.all[y as usize].number.clone());
        let sum = add(g, &b, &Number::constant(k)?)?;
        let here = !less(g, &sum, &a);
        let guard = g.and([a.guard, b.guard]);
        let l = g.guarded(guard, here);
        let known = self.differences.entry((x, y)).or_default();
        if let Some((_, &below)) = known.range(..k).next_back() {
            g.clause(&[!below, l]);
        }
        if let Some((_, &above)) = known.range(k..).next() {
            g.clause(&[!l, above]);
        }
        known.insert(k, l);
        Some(l)
    }

    fn compare(&mut self, g: &mut Gates, id: u32, k: i128, generation: u8) -> Lit {
        let x = &mut self.all[id as usize];
        if let Some((l, known)) = x.at_most.get_mut(&k) {
            if generation >= *known {
                return *l;
            }
            *known = generation;
            let l = *l;
            self.pass_on(g, id, k, l, generation);
            return l;
        }
        let (below, above) = (x.at_most.range(..k).next_back(), x.at_most.range(k..).next());
        // A bound that holds anyway decides the comparison.
        match (below, above) {
            (Some((_, (Lit::TRUE, _))), _) => return Lit::TRUE,
            (_, Some((_, (Lit::FALSE, _)))) => return Lit::FALSE,
            _ => {}
        }
        let (below, above) = (below.map(|(_, v)| v.0), above.map(|(_, v)| v.0));
        let here = if k >= x.number.high {
            Lit::TRUE
        } else if k < x.number.low {
            Lit::FALSE
        } else {
            let bound = Number::constant(k).unwrap_or_else(|| x.number.clone());
            !less(g, &bound, &x.number)
        };
        let l = g.guarded(x.number.guard, here);
        x.at_most.insert(k, (l, generation));
        if let Some(below) = below {
            g.clause(&[!below, l]);
        }
        if let Some(above) = above {
            g.clause(&[!l, above]);
        }
        self.pass_on(g, id, k, l, generation);
        l
    }

    fn pass_on(&mut self, g: &mut Gates, id: u32, k: i128, l: Lit, generation: u8) {
        if generation >= tuning().propositional.generations {
            return;
        }
        for link in self.all[id as usize].links.clone() {
            self.pass(g, link, k, l, generation);
        }
    }

    fn pass(&mut self, g: &mut Gates, link: Link, k: i128, l: Lit, generation: u8) {
        if self.all[link.other as usize].at_most.len() >= tuning().propositional.comparisons {
            return;
        }
        let there = self.compare(g, link.other, k + link.offset, generation + 1);
        g.clause(&[!link.condition, !l, there]);
        g.clause(&[!link.condition, l, !there]);
    }

    /// States what an equation between two numbers says of the bounds of the unknowns in it, whether the cuts hold or
    /// not. `condition` is true only where the numbers that are meant are equal.
    pub fn equate(&mut self, g: &mut Gates, condition: Lit, a: &Number, b: &Number, depth: usize) {
        if condition == Lit::FALSE || depth == 0 {
            return;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let (Form::Unknown(..), Form::Choice(c, p, q)) = (&x.form, &y.form) {
                let (then, otherwise) = (g.and([condition, *c]), g.and([condition, !*c]));
                self.equate(g, then, x, p, depth - 1);
                self.equate(g, otherwise, x, q, depth - 1);
                return;
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            let Form::Unknown(id, c) = x.form else { continue };
            if let Form::Unknown(other, d) = y.form {
                // other + d = id + c
                let link = Link { condition, other, offset: c - d };
                self.all[id as usize].links.push(link);
                let known: Vec<(i128, (Lit, u8))> =
                    self.all[id as usize].at_most.iter().map(|(&k, &v)| (k, v)).collect();
                for (k, (l, generation)) in known {
                    if generation < tuning().propositional.generations {
                        self.pass(g, link, k, l, generation);
                    }
                }
            }
            let (low, high) = (y.low - c, y.high - c);
            let (above, below) = (
                !self.compare(g, id, low - 1, tuning().propositional.generations),
                self.compare(g, id, high, tuning().propositional.generations),
            );
            g.clause(&[!condition, !y.guard, above]);
            g.clause(&[!condition, !y.guard, below]);
        }
    }
}
