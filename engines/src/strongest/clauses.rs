//! The strongest clauses that hold at some points.
//!
//! A point says of each of some literals whether it is true there. A clause of at most so many literals holds if at
//! each point one of them is true. Of the clauses that hold only the least ones are kept, those of which no part holds:
//! they imply all others. A further point takes away the clauses that are false at it, and brings back their least
//! extensions.

use std::collections::{BTreeSet, HashSet};

/// Literal number `i`, true (`2 * i`) or false (`2 * i + 1`).
pub(super) type Code = u16;

/// A clause: codes in ascending order.
pub(super) type Clause = Vec<Code>;

/// What is true at a point: a bit for each literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Point(Vec<u64>);

impl Point {
    /// No literal is true of `width`.
    pub fn new(width: usize) -> Point {
        Point(vec![0; width.div_ceil(64)])
    }

    /// Makes a literal true.
    pub fn set(&mut self, literal: usize) {
        self.0[literal / 64] |= 1 << (literal % 64);
    }

    fn says(&self, code: Code) -> bool {
        let literal = usize::from(code / 2);
        (self.0[literal / 64] >> (literal % 64)) & 1 == u64::from(code.is_multiple_of(2))
    }

    fn satisfies(&self, clause: &[Code]) -> bool {
        clause.iter().any(|&code| self.says(code))
    }
}

/// The least clauses that hold at all points so far.
#[derive(Debug)]
pub(super) struct Clauses {
    width: usize,
    /// Most literals of a clause.
    most: usize,
    points: Vec<Point>,
    known: HashSet<Point>,
    least: BTreeSet<(usize, Clause)>,
}

impl Clauses {
    /// Clauses over `width` literals, of at most `most`; there is no point yet, and what holds is the empty one.
    pub fn new(width: usize, most: usize) -> Clauses {
        let least = [(0, vec![])].into();
        Clauses { width, most, points: vec![], known: HashSet::new(), least }
    }

    /// The least clauses, the shortest first.
    pub fn least(&self) -> impl Iterator<Item = &Clause> {
        self.least.iter().map(|(_, clause)| clause)
    }

    /// Takes some points in. Returns whether a clause was false at one of them; none if `stop` said so before the end.
    pub fn learn(
        &mut self,
        points: impl IntoIterator<Item = Point>,
        stop: &dyn Fn() -> bool,
    ) -> Option<bool> {
        let new: Vec<Point> = points.into_iter().filter(|p| self.known.insert(p.clone())).collect();
        let is_false = new.iter().any(|p| self.least.iter().any(|(_, c)| !p.satisfies(c)));
        let begins = self.points.is_empty();
        self.points.extend(new.iter().cloned());
        if begins && !new.is_empty() {
            self.enumerate(stop)?;
        } else if is_false {
            for point in &new {
                if stop() {
                    return None;
                }
                self.weaken(point);
            }
        }
        Some(is_false)
    }

    /// Replaces the clauses that are false at a point by their least extensions that are true there.
    fn weaken(&mut self, point: &Point) {
        let wrong: Vec<Clause> =
            self.least.iter().filter(|(_, c)| !point.satisfies(c)).map(|(_, c)| c.clone()).collect();
        for clause in &wrong {
            self.least.remove(&(clause.len(), clause.clone()));
        }
        for clause in wrong.iter().filter(|c| c.len() < self.most) {
            for literal in 0..self.width as Code {
                let code = 2 * literal + Code::from(!point.says(2 * literal));
                let Err(place) = clause.binary_search(&code) else { continue };
                if clause.contains(&(code ^ 1)) {
                    continue;
                }
                let mut longer = clause.clone();
                longer.insert(place, code);
                if !self.has_part(&longer) {
                    self.least.insert((longer.len(), longer));
                }
            }
        }
    }

    /// Returns whether a part of a clause, or the clause, is among the least ones.
    fn has_part(&self, clause: &[Code]) -> bool {
        (0u32..1 << clause.len()).any(|which| {
            let part: Clause =
                clause.iter().enumerate().filter(|(i, _)| which >> i & 1 == 1).map(|(_, &c)| c).collect();
            self.least.contains(&(part.len(), part))
        })
    }

    /// Finds the least clauses anew.
    fn enumerate(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        self.least.clear();
        let words = self.points.len().div_ceil(64);
        let wrong = |code: Code| -> Vec<u64> {
            let mut bits = vec![0u64; words];
            for (i, _) in self.points.iter().enumerate().filter(|(_, p)| !p.says(code)) {
                bits[i / 64] |= 1 << (i % 64);
            }
            bits
        };
        let wrong: Vec<Vec<u64>> = (0..2 * self.width as Code).map(wrong).collect();
        let all = {
            let mut bits = vec![u64::MAX; words];
            if let (Some(last), rest @ 1..) = (bits.last_mut(), self.points.len() % 64) {
                *last = (1 << rest) - 1;
            }
            bits
        };
        // By length: the parts of a clause come before it.
        for length in 0..=self.most {
            self.extend(&mut vec![], &all, &wrong, length, stop)?;
        }
        Some(())
    }

    fn extend(
        &mut self,
        clause: &mut Clause,
        left: &[u64],
        wrong: &[Vec<u64>],
        length: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<()> {
        let is_valid = left.iter().all(|w| *w == 0);
        if is_valid || clause.len() == length {
            if is_valid && clause.len() == length && !self.has_part(clause) {
                self.least.insert((length, clause.clone()));
            }
            return Some(());
        }
        if clause.len() == 1 && stop() {
            return None;
        }
        let from = clause.last().map_or(0, |&c| usize::from(c / 2 + 1) * 2);
        for code in from..wrong.len() {
            let rest: Vec<u64> = left.iter().zip(&wrong[code]).map(|(l, w)| l & w).collect();
            if rest == left {
                continue;
            }
            clause.push(code as Code);
            self.extend(clause, &rest, wrong, length, stop)?;
            clause.pop();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bits: &[bool]) -> Point {
        let mut point = Point::new(bits.len());
        bits.iter().enumerate().filter(|(_, b)| **b).for_each(|(i, _)| point.set(i));
        point
    }

    #[test]
    fn points_one_by_one_leave_the_clauses_of_all_points_at_once() {
        // A fixed sequence of pseudo-random points.
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) & 1 == 1
        };
        for most in 1..=3 {
            let points: Vec<Point> = (0..12).map(|_| point(&[(); 6].map(|()| next()))).collect();
            let mut at_once = Clauses::new(6, most);
            at_once.learn(points.clone(), &|| false);
            let mut one_by_one = Clauses::new(6, most);
            for p in &points {
                let _ = one_by_one.learn([p.clone()], &|| false);
            }
            assert_eq!(at_once.least, one_by_one.least);
        }
    }

    #[test]
    fn only_least_clauses_are_kept() {
        let mut clauses = Clauses::new(2, 2);
        clauses.learn([point(&[true, true]), point(&[true, false])], &|| false);
        assert_eq!(clauses.least().collect::<Vec<_>>(), [&vec![0]]);
        assert_eq!(clauses.learn([point(&[false, true])], &|| false), Some(true));
        assert_eq!(clauses.least().collect::<Vec<_>>(), [&vec![0, 2]]);
    }
}
