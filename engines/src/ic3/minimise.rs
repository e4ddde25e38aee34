//! Which lemmas a proof needs: those without which a violating step is possible, and those that they need to stay true.

use std::collections::BTreeSet;

use bsym_encodings::session::SolverError;
use bsym_encodings::term::Term;

use super::queries::Steps;
use crate::invariants::cube::Cube;
use crate::invariants::guess::{Guess, Needs};
use crate::outcome::Work;
use crate::problem::{Decided, Problem};
use crate::tuning::tuning;

/// A lemma in the session.
struct Lemma {
    /// True where it holds in the first state.
    clause: Term,
    /// Conditions on the state that a step leads to when it breaks the lemma.
    broken: Vec<Term>,
}

impl Steps {
    /// The cubes that have to be blocked, and the guesses, for the violating step to be impossible and for each other.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn minimise(
        &mut self,
        problem: &mut Problem,
        cubes: Vec<Cube>,
        work: &mut Work<'_, '_>,
    ) -> Result<(Vec<Cube>, Vec<Guess>), SolverError> {
        let lemmas = self.lemmas(problem, &cubes)?;
        let asked = lemmas.iter().map(|l| l.clause).chain([self.bad_literal()]).collect::<Vec<_>>();
        let needed = match self.decide(&asked, work)? {
            Decided::Unsat(core) => (0..lemmas.len()).filter(|&i| core.contains(&lemmas[i].clause)).collect(),
            _ => (0..lemmas.len()).collect(),
        };
        let needed = self.needed(&lemmas, needed, work)?;
        Ok(self.of_positions(&cubes, &needed))
    }

    /// Returns these of the guesses and, after them, of the cubes, with those that they need to stay true.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn with_needed(
        &mut self,
        problem: &mut Problem,
        cubes: &[Cube],
        positions: Vec<usize>,
        work: &mut Work<'_, '_>,
    ) -> Result<(Vec<Cube>, Vec<Guess>), SolverError> {
        let lemmas = self.lemmas(problem, cubes)?;
        let needed = self.needed(&lemmas, positions, work)?;
        Ok(self.of_positions(cubes, &needed))
    }

    /// Returns the largest part of the cubes of which the blocking is inductive together with the assumed conjuncts and
    /// the guesses, or none where there is no time to find it.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn inductive_part(
        &mut self,
        problem: &mut Problem,
        mut cubes: Vec<Cube>,
        work: &mut Work<'_, '_>,
    ) -> Result<Vec<Cube>, SolverError> {
        loop {
            let (lemmas, guesses) = (self.lemmas(problem, &cubes)?, self.guesses().len());
            let mut left = vec![];
            for (cube, lemma) in cubes.iter().zip(&lemmas[guesses..]) {
                if work.check().is_err() {
                    return Ok(vec![]);
                }
                let mut asked: Vec<Term> = lemmas.iter().map(|l| l.clause).collect();
                asked.extend(&lemma.broken);
                asked.push(self.step_literal());
                if let Decided::Unsat(_) = self.decide(&asked, work)? {
                    left.push(cube.clone());
                }
            }
            if left.is_empty() || left.len() == cubes.len() {
                return Ok(left);
            }
            cubes = left;
        }
    }

    /// Which of some lemmas exclude every violating step, and which of them each of those needs to stay true; none
    /// where they do not exclude it, or that is not decided. With it the positions of all that are needed, in an order in
    /// which the others are numbered.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn needs(
        &mut self,
        lemmas: &[Guess],
        work: &mut Work<'_, '_>,
    ) -> Result<Option<(Vec<usize>, Needs)>, SolverError> {
        let mut all = vec![];
        for lemma in lemmas {
            all.push(self.session().literal(lemma.now)?);
        }
        let terms = self.session().terms().clone();
        let (bad, step) = (self.bad_literal(), self.step_literal());
        let Decided::Unsat(mut order) = self.few(&all, &[bad], work)? else { return Ok(None) };
        let excluding = order.len();
        let mut supports: Vec<Vec<Term>> = vec![];
        let position = |t: &Term| all.iter().position(|a| a == t);
        while let Some(i) = order.get(supports.len()).and_then(position) {
            let broken = terms.not(lemmas[i].then);
            let Decided::Unsat(support) = self.few(&all, &[step, broken], work)? else { return Ok(None) };
            let news: Vec<Term> = support.iter().filter(|t| !order.contains(t)).copied().collect();
            order.extend(news);
            supports.push(support);
        }
        let place = |t: &Term| order.iter().position(|o| o == t);
        let supports = supports.iter().map(|s| s.iter().filter_map(place).collect()).collect();
        let needs = Needs { excluding: (0..excluding).collect(), supports };
        Ok(Some((order.iter().filter_map(position).collect(), needs)))
    }

    /// Returns few of some literals, in their order, without which something would be possible; or why there are none.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn few(
        &mut self,
        all: &[Term],
        wrong: &[Term],
        work: &mut Work<'_, '_>,
    ) -> Result<Decided, SolverError> {
        let mut ask = |some: &[Term]| {
            Ok(match self.decide(&[some, wrong].concat(), work)? {
                Decided::Unsat(core) => {
                    Decided::Unsat(some.iter().filter(|t| core.contains(t)).copied().collect())
                }
                other => other,
            })
        };
        let mut core = match ask(all)? {
            Decided::Unsat(core) => core,
            other => return Ok(other),
        };
        // The longest clauses come last.
        let mut tried = core.len();
        while tried > 0 && core.len() <= tuning().strongest.minimised {
            tried -= 1;
            let mut fewer = core.clone();
            fewer.remove(tried);
            if let Decided::Unsat(smaller) = ask(&fewer)? {
                tried = smaller.len().min(tried);
                core = smaller;
            }
        }
        Ok(Decided::Unsat(core))
    }

    /// The guesses, and after them the cubes, as lemmas.
    fn lemmas(&mut self, problem: &mut Problem, cubes: &[Cube]) -> Result<Vec<Lemma>, SolverError> {
        let mut lemmas = vec![];
        for guess in self.guesses().to_vec() {
            let broken = vec![self.session().terms().not(guess.then)];
            lemmas.push(Lemma { clause: self.session().literal(guess.now)?, broken });
        }
        for cube in cubes {
            let clause = self.clause(problem, cube)?;
            let broken = cube.literals().iter().map(|l| self.then(l)).collect();
            lemmas.push(Lemma { clause: self.session().literal(clause)?, broken });
        }
        Ok(lemmas)
    }

    /// Returns these lemmas, and those that are needed for them to stay true; all where that is not decided.
    fn needed(
        &mut self,
        lemmas: &[Lemma],
        positions: Vec<usize>,
        work: &mut Work<'_, '_>,
    ) -> Result<BTreeSet<usize>, SolverError> {
        let mut needed: BTreeSet<usize> = positions.iter().copied().collect();
        let mut open = positions;
        while let Some(i) = open.pop() {
            let mut asked: Vec<Term> = lemmas.iter().map(|l| l.clause).collect();
            asked.extend(&lemmas[i].broken);
            asked.push(self.step_literal());
            let Decided::Unsat(core) = self.decide(&asked, work)? else {
                return Ok((0..lemmas.len()).collect());
            };
            for (j, lemma) in lemmas.iter().enumerate() {
                if core.contains(&lemma.clause) && needed.insert(j) {
                    open.push(j);
                }
            }
        }
        Ok(needed)
    }

    fn of_positions(&self, cubes: &[Cube], needed: &BTreeSet<usize>) -> (Vec<Cube>, Vec<Guess>) {
        let guesses = needed.iter().filter_map(|&i| self.guesses().get(i).cloned()).collect();
        let of_cubes = needed.iter().filter_map(|i| i.checked_sub(self.guesses().len()));
        (of_cubes.filter_map(|i| cubes.get(i).cloned()).collect(), guesses)
    }
}
