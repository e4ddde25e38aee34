//! Proofs of unsatisfiability, checked clause by clause.
//!
//! A solver of MiniSat's kind only learns clauses that *reverse unit propagation* confirms: with all literals of the
//! clause false, unit propagation over the clauses before it meets a contradiction. So is the last one, which says
//! that the assumptions in the core cannot all be true. The checker knows nothing of the solver but its clauses.
//!
//! Goldberg, Novikov: *Verification of Proofs of Unsatisfiability for CNF Formulas*, DATE 2003.

/// A literal: twice its variable, and one more if it is negated.
type Code = u32;

/// Clauses with unit propagation.
#[derive(Debug, Default)]
pub(super) struct Checker {
    /// Those with two literals at least that are not decided for good; the first two are watched.
    clauses: Vec<Box<[Code]>>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<u32>>,
    /// By literal: `true` if it is true.
    is_true: Vec<bool>,
    /// True literals in the order in which they became so.
    trail: Vec<Code>,
    /// Number of literals of the trail that were propagated.
    head: usize,
    /// The clauses contradict each other.
    contradiction: bool,
}

impl Checker {
    fn grow(&mut self, clause: &[Code]) {
        let size = clause.iter().map(|&l| (l | 1) as usize + 1).max().unwrap_or(0);
        if self.watches.len() < size {
            self.watches.resize_with(size, Vec::new);
            self.is_true.resize(size, false);
        }
    }

    fn is_false(&self, l: Code) -> bool {
        self.is_true[(l ^ 1) as usize]
    }

    fn set(&mut self, l: Code) {
        self.is_true[l as usize] = true;
        self.trail.push(l);
    }

    /// Adds a clause that is given.
    pub fn add(&mut self, clause: &[Code]) {
        self.grow(clause);
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let tautology = clause.windows(2).any(|w| w[0] ^ 1 == w[1]);
        if tautology || self.contradiction || clause.iter().any(|&l| self.is_true[l as usize]) {
            return;
        }
        clause.sort_by_key(|&l| self.is_false(l));
        let open = clause.iter().filter(|&&l| !self.is_false(l)).count();
        match open {
            0 => self.contradiction = true,
            1 => {
                self.set(clause[0]);
                self.contradiction = !self.propagate();
            }
            _ => {
                let number = self.clauses.len() as u32;
                clause[..2].iter().for_each(|&l| self.watches[l as usize].push(number));
                self.clauses.push(clause.into());
            }
        }
    }

    /// Adds a clause if it follows; whether it does.
    pub fn learn(&mut self, clause: &[Code]) -> bool {
        let follows = self.follows(clause);
        if follows {
            self.add(clause);
        }
        follows
    }

    /// Returns whether a clause follows by reverse unit propagation.
    pub fn follows(&mut self, clause: &[Code]) -> bool {
        self.grow(clause);
        if self.contradiction {
            return true;
        }
        let mark = self.trail.len();
        let mut satisfied = false;
        for &l in clause {
            if self.is_true[l as usize] {
                // Decided for good, or by an opposite literal in the clause itself.
                satisfied = true;
                break;
            }
            if !self.is_false(l) {
                self.set(l ^ 1);
            }
        }
        let follows = satisfied || !self.propagate();
        for l in self.trail.drain(mark..) {
            self.is_true[l as usize] = false;
        }
        self.head = mark;
        follows
    }

    /// Unit propagation. `false` after a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(&l) = self.trail.get(self.head) {
            self.head += 1;
            let falsified = l ^ 1;
            let mut watching = std::mem::take(&mut self.watches[falsified as usize]);
            let mut kept = 0;
            let mut conflict = false;
            let mut i = 0;
            while i < watching.len() {
                let number = watching[i];
                i += 1;
                let clause = &mut self.clauses[number as usize];
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let is_true = &self.is_true;
                if !is_true[first as usize]
                    && let Some(k) = (2..clause.len()).find(|&k| !is_true[(clause[k] ^ 1) as usize])
                {
                    clause.swap(1, k);
                    let other = clause[1];
                    self.watches[other as usize].push(number);
                    continue;
                }
                watching[kept] = number;
                kept += 1;
                if self.is_true[first as usize] {
                    continue;
                }
                if self.is_false(first) {
                    conflict = true;
                    break;
                }
                self.set(first);
            }
            while i < watching.len() {
                watching[kept] = watching[i];
                kept += 1;
                i += 1;
            }
            watching.truncate(kept);
            self.watches[falsified as usize] = watching;
            if conflict {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Literals as in DIMACS.
    fn codes<const N: usize>(clause: [i32; N]) -> [Code; N] {
        clause.map(|l| l.unsigned_abs() * 2 + u32::from(l < 0))
    }

    #[test]
    fn what_follows_is_learnt_and_nothing_else() {
        let mut checker = Checker::default();
        for clause in [[1, 2, -3], [1, -2, -3], [-1, 4, 5], [-1, 4, -5]] {
            checker.add(&codes(clause));
        }
        assert!(!checker.learn(&codes([1])) && !checker.learn(&codes([4, 2])));
        assert!(checker.learn(&codes([1, -3])));
        assert!(checker.learn(&codes([4, -1])));
        assert!(checker.learn(&codes([4, -3])));
        assert!(!checker.learn(&codes([4])) && !checker.follows(&[]));
        checker.add(&codes([3]));
        assert!(checker.follows(&codes([4])));
        checker.add(&codes([-4]));
        assert!(checker.follows(&[]));
    }

    /// All assignments against propagation, for clauses from a small generator.
    #[test]
    fn a_contradiction_is_never_seen_where_there_is_a_model() {
        let mut random = fastrand::Rng::with_seed(12345);
        let mut next = |n: u32| random.u32(..n);
        for _ in 0..300 {
            let clauses: Vec<[Code; 3]> = (0..3 + next(30)).map(|_| [0; 3].map(|_| 2 + next(12))).collect();
            let mut checker = Checker::default();
            clauses.iter().for_each(|c| checker.add(c));
            let lemma = [0; 2].map(|_| 2 + next(12));
            let is_model = |bits: u32| {
                let holds = |l: Code| (bits >> (l >> 1) & 1 == 1) != (l & 1 == 1);
                clauses.iter().all(|c| c.iter().any(|&l| holds(l))) && !lemma.iter().any(|&l| holds(l))
            };
            let follows = !(0..1 << 7).any(is_model);
            assert!(follows || !checker.follows(&lemma), "{clauses:?} do not imply {lemma:?}");
        }
    }
}
