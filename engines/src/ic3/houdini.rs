//! Invariants that are guessed and kept as long as nothing refutes them.
//!
//! Candidates are the predicates of the model and of the templates, true or false, differences of integers up to the
//! largest that was met, and clauses that say when one of them holds: under a condition of an event, an equation also
//! under two. Those that hold in all [first states](crate::small_scopes::first_states) are asked together: a state
//! reached by a step from states where all of them hold takes away what is false in it, until none does (Flanagan &
//! Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001). What is left is inductive together with the
//! assumed conjuncts, and a lemma like any other: certificates have it checked again.

use std::collections::BTreeSet;
use std::ops::Range;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{SolverError, TermValue};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::*;

use super::queries::Steps;
use crate::invariants::affine::equations;
use crate::invariants::guess::Guess;
use crate::invariants::predicate::{Predicates, clause, size};
use crate::invariants::seeds::{conditions, seeds};
use crate::invariants::shapes::shapes;
use crate::invariants::templates::{differences, templates};
use crate::invariants::typing::typing;
use crate::options::Job;
use crate::problem::{Decided, Problem, decide};
use crate::tuning::tuning;

/// A literal of a candidate: a predicate by position, true or false.
type Literal = (usize, bool);

impl Steps {
    /// Finds invariants and assumes them from now on in all frames but that of the initialisation. Whether there are
    /// any that do not follow from the assumed conjuncts.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn guess(&mut self, problem: &mut Problem, job: &Job) -> Result<bool, SolverError> {
        let Some(met) = problem.first_states(job) else { return Ok(false) };
        let budget = job.budget.within(tuning().houdini.all).per_query(tuning().houdini.query);
        let mut predicates = Predicates::default();
        let mut add = |steps: &mut Steps, sources: Vec<Pred>, most: usize| {
            let before = predicates.len();
            for p in &sources {
                if predicates.len() >= before + most || budget.check().is_err() {
                    break;
                }
                predicates.add(&mut problem.system, p, &mut |system, defined| {
                    steps.is_always_true(system, &mut problem.unrolling, defined, &budget)
                });
            }
            before..predicates.len()
        };
        let conditions = add(self, conditions(&job.model), tuning().houdini.conditions);
        let equations = add(self, equations(&job.model, &met), tuning().houdini.predicates);
        add(self, shapes(&job.model, &met), tuning().houdini.predicates);
        add(self, typing(&job.model), tuning().houdini.predicates);
        let mut others = seeds(&job.model);
        others.extend((0..).map_while(|round| templates(&job.model, round)).flatten());
        others.extend(differences(&job.model, &met));
        add(self, others, tuning().houdini.predicates);
        self.declare(problem, &Predicates::default())?;
        let preds: Vec<&Pred> = predicates.all().iter().map(|p| &p.pred).collect();
        let pool = Pool {
            sizes: preds.iter().map(|p| size(p)).collect(),
            truths: met
                .judge(job, tuning().first_states.judged_by, &preds)
                .iter()
                .map(|t| t.as_ref().map(|t| Truth::of(t)))
                .collect(),
            conditions,
            equations,
        };
        let mut guesses = vec![];
        for literals in pool.candidates() {
            guesses.push(guess(problem, &predicates, &literals));
        }
        let Some(kept) = self.closed(guesses, &budget)? else { return Ok(false) };
        let news = self.not_implied(kept, &budget)?;
        for guess in &news {
            self.know(guess)?;
        }
        Ok(!news.is_empty())
    }

    /// Returns the candidates that hold at the start and after every step from states where all of them hold; `None` if
    /// there was no time to find out.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn closed(
        &mut self,
        mut guesses: Vec<Guess>,
        budget: &Budget,
    ) -> Result<Option<Vec<Guess>>, SolverError> {
        let initial = self.initial_literal();
        if !self.filter(&mut guesses, &|g| g.now, vec![initial], false, budget)? {
            return Ok(None);
        }
        let step = self.step_literal();
        Ok(self.filter(&mut guesses, &|g| g.then, vec![step], true, budget)?.then_some(guesses))
    }

    /// Removes candidates until all that are left hold wherever the assumptions do; with `inductive`, the candidates
    /// that are left in the first state are among the assumptions. Returns `false` if time is over.
    fn filter(
        &mut self,
        guesses: &mut Vec<Guess>,
        said: &dyn Fn(&Guess) -> Term,
        assumptions: Vec<Term>,
        inductive: bool,
        budget: &Budget,
    ) -> Result<bool, SolverError> {
        let terms = self.session().terms().clone();
        loop {
            if guesses.is_empty() {
                return Ok(true);
            }
            if budget.check().is_err() {
                return Ok(false);
            }
            let round = terms.fresh("some candidate is false", Terms::BOOL);
            let some = terms.or(guesses.iter().map(|g| terms.not(said(g))));
            self.tell(terms.implies(round, some))?;
            let mut asked = assumptions.clone();
            if inductive {
                asked.extend(guesses.iter().map(|g| g.now));
            }
            let common = asked.clone();
            asked.push(round);
            match decide(self.session(), &asked, budget)? {
                Decided::Unsat(_) => return Ok(true),
                Decided::Sat => {
                    let before = guesses.len();
                    self.retain_true(guesses, said)?;
                    if guesses.len() == before {
                        return Ok(false);
                    }
                }
                // An undecided guess must not keep the others from being kept.
                Decided::Unknown(_) => {
                    let before = guesses.len();
                    for guess in std::mem::take(guesses) {
                        let mut asked = common.clone();
                        asked.push(terms.not(said(&guess)));
                        if matches!(decide(self.session(), &asked, budget)?, Decided::Unsat(_)) {
                            guesses.push(guess);
                        }
                    }
                    if guesses.len() == before {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Keeps what the session's last model does not say to be false.
    fn retain_true(
        &mut self,
        guesses: &mut Vec<Guess>,
        said: &dyn Fn(&Guess) -> Term,
    ) -> Result<(), SolverError> {
        let Some(mut model) = self.session().model() else { return Ok(()) };
        let mut kept = vec![];
        for guess in guesses.drain(..) {
            if !matches!(model.value(said(&guess))?, TermValue::Bool(false)) {
                kept.push(guess);
            }
        }
        *guesses = kept;
        Ok(())
    }

    /// Returns the candidates that do not follow from the assumed conjuncts and the ones before them.
    fn not_implied(&mut self, guesses: Vec<Guess>, budget: &Budget) -> Result<Vec<Guess>, SolverError> {
        let terms = self.session().terms().clone();
        let mut news: Vec<Guess> = vec![];
        for guess in guesses {
            let mut asked: Vec<Term> = news.iter().map(|g| g.now).collect();
            asked.push(terms.not(guess.now));
            if !matches!(decide(self.session(), &asked, budget)?, Decided::Unsat(_)) {
                news.push(guess);
            }
        }
        Ok(news)
    }
}

/// Truth of a predicate in the judged states: a bit for each, where it is true and where it is false.
struct Truth {
    is_true: Vec<u64>,
    is_false: Vec<u64>,
}

impl Truth {
    fn of(truth: &[bool]) -> Truth {
        let bits = |of: bool| {
            let word =
                |w: &[bool]| w.iter().enumerate().fold(0, |all, (i, &t)| all | u64::from(t == of) << i);
            truth.chunks(64).map(word).collect()
        };
        Truth { is_true: bits(true), is_false: bits(false) }
    }
}

/// The predicates that clauses are made of.
struct Pool {
    sizes: Vec<usize>,
    truths: Vec<Option<Truth>>,
    /// The positions of the conditions of events, and of equations that were sampled.
    conditions: Range<usize>,
    equations: Range<usize>,
}

impl Pool {
    /// Returns candidates that hold in all judged states: first those that stand alone, then the shortest. A clause is
    /// left out if a part of it is a candidate.
    fn candidates(&self) -> Vec<Vec<Literal>> {
        let mut found: Vec<Vec<Literal>> =
            self.literals(0..self.sizes.len()).filter(|&l| self.hold(&[l])).map(|l| vec![l]).collect();
        let open = {
            let fixed: BTreeSet<usize> = found.iter().map(|c| c[0].0).collect();
            move |&(i, _): &Literal| !fixed.contains(&i)
        };
        let conditions: Vec<Literal> = self.literals(self.conditions.clone()).filter(&open).collect();
        let mut longer = vec![];
        let mut under = |contexts: &[Literal], said: Literal| {
            let clause: Vec<Literal> = contexts.iter().copied().chain([said]).collect();
            let parts = (0..clause.len()).filter(|_| clause.len() > 2).any(|i| {
                let part: Vec<Literal> =
                    clause.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &l)| l).collect();
                self.hold(&part)
            });
            if !parts && self.hold(&clause) {
                longer.push(clause);
            }
        };
        for (i, &context) in conditions.iter().enumerate() {
            for said in self.literals(0..self.sizes.len()).filter(&open) {
                if said.0 > context.0 {
                    under(&[context], said);
                }
            }
            for &second in conditions[i + 1..].iter().filter(|l| l.0 != context.0) {
                for said in self.equations.clone().map(|e| (e, true)).filter(&open) {
                    under(&[context, second], said);
                }
            }
        }
        longer.sort_by_key(|c| c.iter().map(|&(i, _)| self.sizes[i]).sum::<usize>());
        found.extend(longer);
        found.truncate(tuning().houdini.candidates);
        found
    }

    fn literals(&self, among: Range<usize>) -> impl Iterator<Item = Literal> + '_ {
        among.filter(|&i| self.truths[i].is_some()).flat_map(|i| [(i, true), (i, false)])
    }

    /// Returns whether one of these holds in each of the judged states.
    fn hold(&self, literals: &[Literal]) -> bool {
        let truths: Option<Vec<_>> = literals
            .iter()
            .map(|&(i, positive)| {
                let truth = self.truths[i].as_ref()?;
                Some(if positive { &truth.is_false } else { &truth.is_true })
            })
            .collect();
        truths.is_some_and(|wrong| {
            let words = wrong.first().map_or(0, |w| w.len());
            (0..words).all(|w| wrong.iter().fold(u64::MAX, |all, wrong| all & wrong[w]) == 0)
        })
    }
}

fn guess(problem: &mut Problem, predicates: &Predicates, literals: &[Literal]) -> Guess {
    let terms = problem.terms();
    let said: Vec<(Pred, bool)> =
        literals.iter().map(|&(i, positive)| (predicates.all()[i].pred.clone(), positive)).collect();
    let any = terms.or(literals.iter().map(|&(i, positive)| {
        let t = predicates.all()[i].term;
        if positive { t } else { terms.not(t) }
    }));
    Guess {
        pred: clause(&said),
        term: any,
        now: problem.unrolling.state(any, 0),
        then: problem.unrolling.state(any, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_a_candidate_where_no_part_of_it_is() {
        // In three states: the condition 0, the equation 1 that holds just under it, and 2 that holds always.
        let truths = [[true, true, false], [true, true, false], [true, true, true]];
        let pool = Pool {
            sizes: vec![1, 3, 2],
            truths: truths.iter().map(|t| Some(Truth::of(t))).collect(),
            conditions: 0..1,
            equations: 1..2,
        };
        let expected: [&[Literal]; 3] = [&[(2, true)], &[(0, true), (1, false)], &[(0, false), (1, true)]];
        assert_eq!(pool.candidates(), expected);
    }

    #[test]
    fn two_conditions_are_needed_for_some_equations() {
        let truths = [[true, true, false, false], [true, false, true, false], [true, false, false, false]];
        let pool = Pool {
            sizes: vec![1, 1, 1],
            truths: truths.iter().map(|t| Some(Truth::of(t))).collect(),
            conditions: 0..2,
            equations: 2..3,
        };
        assert!(pool.candidates().contains(&vec![(0, false), (1, false), (2, true)]));
    }
}
