//! Vetting: the solver checks imported proof status while something rests on it.
//!
//! Every pair is asked once, all pairs of an event in one query: does the event lead from a state with the whole
//! invariant to one without the conjunct? So is every check of a step or of states: can it fail in a state with the
//! whole invariant? Status that is refuted is wrong: it is reported and dropped, and the engines restart without it.
//! Status that the solver does not decide is kept, unless everything has to be confirmed; a proof that needs it lists
//! it as trusted. Pairs that the text of the event alone establishes are not asked: no prover claimed them.
//!
//! This takes a moment before the engines begin and then a share of their time until all is asked. So a large status
//! does not keep a quick answer waiting, and a wrong one does not mislead a long search for good. A proof need not wait
//! for it: its own check asks everything that it rests on. Status that an answer rests on in the end, although nothing
//! confirmed it, gets a real attempt ([`insist`]): each claim in a session of its own, with the time that `bsym po`
//! gives an obligation, and in small scopes, where a claim that is wrong is often refuted at once.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverError;
use bsym_encodings::term::Terms;
use bsym_proofs::recorded::{Place, Recorded, Sequents, has_all_hypotheses};
use bsym_status::{Level, Pair};

use crate::excluded::Excluded;
use crate::options::Job;
use crate::problem::{Decided, Open, Problem, decide};
use crate::tuning::tuning;

/// Result of checking the pairs of a status with the solver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vetted {
    /// Pairs whose conjunct has a meaning and is true in every state that the event reaches from one with the whole
    /// invariant.
    pub confirmed: Vec<Pair>,
    /// Pairs whose event violates the conjunct.
    pub wrong: Vec<Pair>,
}

/// Asks about the pairs of a status until all are asked or the budget ends, and tells what is confirmed as it is
/// found.
///
/// # Errors
/// If the solver fails.
pub fn confirm(
    job: &Job,
    budget: &Budget,
    open: &mut Open<'_>,
    found: &mut dyn FnMut(Pair),
) -> Result<Vetted, SolverError> {
    let mut vetting = Vetting { strict: true, ..Vetting::new(job) };
    vetting.left.retain(|(place, _)| matches!(place, Place::After(_)));
    let mut vetted = Vetted::default();
    while let Some(answers) = vetting.next(budget, open)? {
        let pairs = |claims: Vec<Recorded>| {
            claims.into_iter().filter_map(|claim| match claim {
                Recorded::Pair(pair) => Some(pair),
                Recorded::Check(_) => None,
            })
        };
        vetted.wrong.extend(pairs(answers.wrong));
        for pair in pairs(answers.confirmed) {
            vetted.confirmed.push(pair);
            found(pair);
        }
    }
    Ok(vetted)
}

/// Answers about some claims.
#[derive(Default)]
struct Answers {
    confirmed: Vec<Recorded>,
    wrong: Vec<Recorded>,
}

/// The questions about a status, asked little by little.
#[derive(Debug)]
pub struct Vetting {
    /// The model in terms, unless there is nothing to ask.
    problem: Option<Problem>,
    left: VecDeque<(Place, Vec<Recorded>)>,
    undecided: Vec<Recorded>,
    /// `true` if the undecided claims had a real attempt.
    insisted: bool,
    /// `true` if an ill-defined conjunct counts as false.
    strict: bool,
}

impl Vetting {
    /// Begins with nothing asked.
    pub fn new(job: &Job) -> Vetting {
        let mut groups: BTreeMap<Place, Vec<Recorded>> = BTreeMap::new();
        let pairs = job.status.iter().filter(|(_, s)| s.level != Level::Checked);
        let checks = job.status.checks().filter(|(_, s)| s.level != Level::Checked);
        let pairs = pairs.map(|(pair, _)| Recorded::Pair(pair));
        for claim in pairs.chain(checks.map(|(check, _)| Recorded::Check(check))) {
            groups.entry(claim.place()).or_default().push(claim);
        }
        // Only the terms are needed, not what a search prepares about well-definedness.
        let plain = || Problem::plain(&Job { well_definedness: false, ..job.clone() }, &Excluded::default());
        Vetting {
            problem: (!groups.is_empty()).then(plain),
            left: groups.into_iter().collect(),
            undecided: vec![],
            insisted: false,
            strict: false,
        }
    }

    /// Returns whether everything was asked.
    pub fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Returns the claims that are neither confirmed nor refuted, asked or not.
    pub fn unconfirmed(&self) -> impl Iterator<Item = Recorded> {
        self.undecided.iter().chain(self.left.iter().flat_map(|(_, claims)| claims)).copied()
    }

    /// Gives everything that is not confirmed a real attempt, and gives what is refuted.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn insist(&mut self, job: &Job, open: &mut Open<'_>) -> Result<Vec<Recorded>, SolverError> {
        let left: Vec<Recorded> = self.unconfirmed().filter(|c| c.is_in(&job.status)).collect();
        if left.is_empty() || self.insisted {
            return Ok(vec![]);
        }
        self.insisted = true;
        self.left.clear();
        let insisted = insist(job, left.iter().copied(), tuning().vetting.depth, open)?;
        let settled = |c: &Recorded| insisted.confirmed.contains(c) || insisted.wrong.contains(c);
        self.undecided = left.into_iter().filter(|c| !settled(c)).collect();
        Ok(insisted.wrong)
    }

    /// Asks until the budget ends or everything is asked, and gives what is refuted.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn advance(&mut self, budget: &Budget, open: &mut Open<'_>) -> Result<Vec<Recorded>, SolverError> {
        let mut wrong = vec![];
        while let Some(answers) = self.next(budget, open)? {
            wrong.extend(answers.wrong);
        }
        Ok(wrong)
    }

    /// Asks about the claims of one group; nothing if everything is asked or the budget has ended.
    fn next(&mut self, budget: &Budget, open: &mut Open<'_>) -> Result<Option<Answers>, SolverError> {
        if budget.check().is_err() {
            return Ok(None);
        }
        let Some((place, claims)) = self.left.pop_front() else { return Ok(None) };
        let mut answers = Answers::default();
        let left =
            match self.ask(place, &claims, &budget.per_query(tuning().vetting.query), open, &mut answers) {
                Ok(left) => left,
                // A solver that is gone has confirmed nothing more.
                Err(SolverError::Exited(_) | SolverError::Refused(_)) => {
                    let known = [&answers.confirmed[..], &answers.wrong, &self.undecided].concat();
                    self.undecided.extend(claims.into_iter().filter(|c| !known.contains(c)));
                    vec![]
                }
                Err(e) => return Err(e),
            };
        if !left.is_empty() {
            self.left.push_front((place, left));
        }
        Ok(Some(answers))
    }

    /// Asks about claims of one group; those that the budget leaves come back.
    fn ask(
        &mut self,
        place: Place,
        claims: &[Recorded],
        budget: &Budget,
        open: &mut Open<'_>,
        answers: &mut Answers,
    ) -> Result<Vec<Recorded>, SolverError> {
        let Some(problem) = &mut self.problem else { return Ok(vec![]) };
        let mut sequents = Sequents::new(&problem.system);
        let Some(known) = sequents.hypotheses(place) else {
            self.undecided.extend(claims);
            return Ok(vec![]);
        };
        let mut session = problem.session(open)?;
        for t in known {
            session.assert(t)?;
        }
        let mut questions = vec![];
        for &claim in claims {
            if self.strict && claim.has_no_term(&problem.system) {
                self.undecided.push(claim);
                continue;
            }
            match sequents.goal(claim, self.strict) {
                Terms::TRUE => answers.confirmed.push(claim),
                goal => questions.push((claim, sequents.terms().not(goal))),
            }
        }
        if questions.len() > 1 {
            let any = sequents.terms().or(questions.iter().map(|q| q.1));
            if matches!(decide(&mut session, &[any], budget)?, Decided::Unsat(_)) {
                answers.confirmed.extend(questions.iter().map(|q| q.0));
                return Ok(vec![]);
            }
        }
        let complete = has_all_hypotheses(&problem.system);
        for (i, &(claim, question)) in questions.iter().enumerate() {
            if budget.check().is_err() {
                return Ok(questions[i..].iter().map(|q| q.0).collect());
            }
            match decide(&mut session, &[question], budget)? {
                Decided::Unsat(_) => answers.confirmed.push(claim),
                // With a hypothesis missing, a model refutes nothing.
                Decided::Sat if complete => {
                    let refuted = !self.strict || {
                        let goal = sequents.goal(claim, false);
                        let question = sequents.terms().not(goal);
                        matches!(decide(&mut session, &[question], budget)?, Decided::Sat)
                    };
                    if refuted { answers.wrong.push(claim) } else { self.undecided.push(claim) }
                }
                // A question that the end of the slice cut short is asked again.
                Decided::Unknown(_) if budget.check().is_err() => {
                    return Ok(questions[i..].iter().map(|q| q.0).collect());
                }
                Decided::Sat | Decided::Unknown(_) => self.undecided.push(claim),
            }
        }
        Ok(vec![])
    }
}

/// Gives claims that were not decided a real attempt.
///
/// # Errors
/// If the solver fails.
pub fn insist(
    job: &Job,
    claims: impl IntoIterator<Item = Recorded>,
    time: Duration,
    open: &mut Open<'_>,
) -> Result<Insisted, SolverError> {
    let query = job.query_time.map_or(tuning().vetting.real_query, |q| q.min(tuning().vetting.real_query));
    let budget = job.budget.within(time).per_query(query);
    let plain =
        |job: &Job| Problem::plain(&Job { well_definedness: false, ..job.clone() }, &Excluded::default());
    let mut insisted = Insisted::default();
    let problem = plain(job);
    let scope = problem.system.scope.clone();
    let small = tuning().vetting.sizes.into_iter().filter(|_| !scope.is_finite(&job.model));
    let small: Vec<Problem> = small
        .map(|size| plain(&Job { scope: scope.with_open_sets(&job.model, |_| size), ..job.clone() }))
        .collect();
    for claim in claims {
        // Small scopes come first: they can only refute, but do so quickly.
        let mut wrong = false;
        for problem in &small {
            let quick = budget.per_query(tuning().vetting.query);
            wrong = wrong || alone(problem, claim, open, &quick)? == Some(false);
        }
        match if wrong { Some(false) } else { alone(&problem, claim, open, &budget)? } {
            Some(true) => insisted.confirmed.push(claim),
            Some(false) => insisted.wrong.push(claim),
            None => {}
        }
    }
    Ok(insisted)
}

/// Results of real attempts; the other claims are still not decided.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Insisted {
    /// Claims that a solver confirms.
    pub confirmed: Vec<Recorded>,
    /// Claims that it refutes.
    pub wrong: Vec<Recorded>,
}

/// Decides whether a claim is right, in a session of its own, where solvers use other and often stronger tactics than
/// in one that grows. Returns `None` if it is not decided.
fn alone(
    problem: &Problem,
    claim: Recorded,
    open: &mut Open<'_>,
    budget: &Budget,
) -> Result<Option<bool>, SolverError> {
    if claim.has_no_term(&problem.system) {
        return Ok(None);
    }
    let mut sequents = Sequents::new(&problem.system);
    let Some(mut all) = sequents.hypotheses(claim.place()) else { return Ok(None) };
    let goal = sequents.goal(claim, false);
    all.push(sequents.terms().not(goal));
    let mut session = problem.session(open)?;
    for t in all {
        session.assert(t)?;
    }
    let complete = has_all_hypotheses(&problem.system);
    Ok(match decide(&mut session, &[], budget)? {
        Decided::Unsat(_) => Some(true),
        // With a hypothesis missing, a model refutes nothing.
        Decided::Sat if complete => Some(false),
        Decided::Sat | Decided::Unknown(_) => None,
    })
}
