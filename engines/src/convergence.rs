//! From proofs at small sizes to a proof for any size.
//!
//! Where deferred sets have any size, [IC3 over bits](crate::ic3) searches sets of a few elements, the smallest sizes
//! first. The lemmas of a proof are read with [quantifiers](crate::invariants::quantifiers), in more than one way where
//! that is possible. Those that are inductive together with one more element in each set, and exclude a violation there,
//! have *converged* (Goel & Sakallah, NFM 2021), and are asked about sets of any size. Where some set is too small for that, the
//! search goes on with one more element of it, from what holds there of the lemmas that it has.

use std::collections::BTreeMap;

use bsym_encodings::session::{self, SolverError};
use bsym_language::model::Pred;
use bsym_language::print;
use bsym_language::types::CarrierId;
use bsym_proofs::claim::{Claim, Evidence};
use bsym_semantics::scope::least_sizes::least_sizes;
use bsym_semantics::verdict::Reason;

use crate::bmc::Bmc;
use crate::exchange::{Exchange, Listener};
use crate::excluded::Excluded;
use crate::ic3::search::{End, Search};
use crate::invariants::bits::Schema;
use crate::invariants::guess::{Guess, Needs};
use crate::options::Job;
use crate::outcome::{Outcome, Work};
use crate::problem::{Decided, Open, Problem};
use crate::strongest::any_size::{AnySize, Proved};
use crate::strongest::vocabulary::Vocabulary;
use crate::tuning::tuning;
use crate::verdict::Progress;
use crate::wishes::Wishes;

/// Number of elements of each set without a size.
type Sizes = BTreeMap<CarrierId, usize>;

/// Searches for a proof for sets of any size.
///
/// # Errors
/// If the solver fails.
pub(crate) fn run(
    problem: &mut Problem,
    excluded: &Excluded,
    work: &mut Work<'_, '_>,
) -> Result<Outcome, SolverError> {
    if !problem.is_complete() || problem.is_settled(work.job) {
        return Ok(Outcome::Unknown(Reason::Exhausted("there is nothing to search".into())));
    }
    let least = least_sizes(&work.job.model, &work.job.scope.sizes);
    let sizes: Sizes = work
        .job
        .scope
        .open_sets(&work.job.model)
        .map(|set| (set, least.get(&set).map_or(0, |&n| n).max(tuning().bits.first_size)))
        .collect();
    let schemas = Vocabulary::suggested(work.job);
    let mut growth =
        Growth { excluded, schemas, sizes, known: vec![], any: None, listener: Listener::default() };
    work.exchange.search(true);
    let found = growth.search(problem, work);
    work.exchange.search(false);
    let why = match found? {
        Ok(outcome) => return Ok(outcome),
        Err(why) => why,
    };
    work.observer.progress(&Progress::GaveUp { domain: "bits", reason: why.clone() });
    Ok(Outcome::Unknown(Reason::Exhausted(why)))
}

/// A search at growing sizes.
struct Growth<'e> {
    excluded: &'e Excluded,
    schemas: Vec<Schema>,
    sizes: Sizes,
    /// Lemmas at smaller sizes, in all readings, and of other searches.
    known: Vec<Pred>,
    any: Option<AnySize>,
    listener: Listener,
}

/// The search at one size.
struct AtSize {
    job: Job,
    problem: Problem,
    search: Search,
}

/// Result of the search at one size.
enum Found {
    /// Its lemmas, in all readings.
    Lemmas(Vec<Pred>),
    /// An end of all searches.
    Outcome(Outcome),
    /// No initial state is so small.
    Nothing,
}

impl Growth<'_> {
    /// Goes from size to size. `Err`: why there is no answer.
    fn search(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Result<Outcome, String>, SolverError> {
        let mut why = "the sets are too small for what their sizes tell".to_string();
        let mut next = None;
        for _ in 0..tuning().bits.rounds {
            if let Err(stopped) = work.check() {
                return Ok(Ok(Outcome::Unknown(stopped.into())));
            }
            let at = match next.take() {
                Some(at) => Ok(at),
                None => self.at(self.sizes.clone(), work)?,
            };
            let mut at = match at {
                Ok(at) => at,
                Err(why) => return Ok(Err(why)),
            };
            // What others know of any size.
            let heard = work.exchange.lemmas(&mut self.listener);
            self.learn(heard);
            match at.lemmas(&self.known, work)? {
                Ok(Found::Lemmas(lemmas)) => self.learn(lemmas),
                Ok(Found::Outcome(outcome)) => return Ok(Ok(outcome)),
                Ok(Found::Nothing) => {
                    let largest = self.sizes.values().copied().max().unwrap_or(0);
                    if largest >= tuning().bits.largest {
                        return Ok(Err(format!("{} have no initial state", shown(&self.sizes, work.job))));
                    }
                    self.sizes.values_mut().for_each(|n| *n += 1);
                    continue;
                }
                Err(why) => return Ok(Err(why)),
            }
            let (larger, grown) = match self.converged(problem, work)? {
                Converged::Proof(claim) => return Ok(Ok(Outcome::Proof(claim))),
                Converged::Over(outcome) => return Ok(Ok(outcome)),
                Converged::Not(larger, reason, grown) => {
                    let query = "lemmas over bits for any size".into();
                    work.observer.progress(&Progress::Undecided { query, reason: reason.clone() });
                    why = reason;
                    (larger, grown)
                }
            };
            if larger.values().any(|&n| n > tuning().bits.largest) {
                return Ok(Err(why));
            }
            self.sizes = larger;
            next = grown.map(|grown| *grown);
        }
        Ok(Err(why))
    }

    fn learn(&mut self, lemmas: Vec<Pred>) {
        for lemma in lemmas {
            if !self.known.contains(&lemma) {
                self.known.push(lemma);
            }
        }
    }

    /// Opens a search at some sizes; or why there is none.
    fn at(&self, sizes: Sizes, work: &Work<'_, '_>) -> Result<Result<AtSize, String>, SolverError> {
        let job = work.job;
        let scope = job.scope.with_open_sets(&job.model, |set| sizes[&set]);
        let job = Job { scope, depth: None, ..job.clone() };
        let mut open = sat();
        let open: &mut Open<'_> = &mut open;
        let mut problem = Problem::new(&job, self.excluded, open)?;
        let search = Search::over_bits(&mut problem, &job, &self.schemas, open)?;
        Ok(search.map(|search| AtSize { job, problem, search }))
    }

    /// Asks whether the lemmas that are known prove what is asked with one more element of each set, and then in sets of
    /// any size.
    fn converged(
        &mut self,
        problem: &mut Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Converged, SolverError> {
        let mut candidates = self.known.clone();
        let mut last = None;
        // One more element of each set, and then of all of them.
        let sets: Vec<CarrierId> = self.sizes.keys().copied().collect();
        let mut steps: Vec<Vec<CarrierId>> = sets.iter().map(|&set| vec![set]).collect();
        steps.extend((sets.len() > 1).then_some(sets));
        for more in steps {
            if let Err(stopped) = work.check() {
                return Ok(Converged::Over(Outcome::Unknown(stopped.into())));
            }
            let mut sizes = self.sizes.clone();
            more.iter().for_each(|set| *sizes.entry(*set).or_default() += 1);
            let why = format!(
                "no lemmas of {} exclude a violation in {}",
                shown(&self.sizes, work.job),
                shown(&sizes, work.job)
            );
            let mut at = match self.at(sizes.clone(), work)? {
                Ok(at) => at,
                Err(why) => return Ok(Converged::Not(sizes, why, None)),
            };
            let Some(kept) = at.keep(&candidates, work)? else {
                return Ok(Converged::Not(sizes, why, Some(Box::new(at))));
            };
            candidates = kept.lemmas.iter().map(|g| g.pred.clone()).collect();
            last = Some((at, kept));
        }
        let Some((mut at, mut kept)) = last else {
            return Ok(Converged::Over(Outcome::Unknown(Reason::Unsupported)));
        };
        let larger = at.sizes(&self.sizes);
        let why = format!("lemmas that hold in {} are not shown for any size", shown(&larger, work.job));
        loop {
            let lemmas: Vec<Pred> = kept.order.iter().map(|&i| kept.lemmas[i].pred.clone()).collect();
            let asked = match self.any.take() {
                Some(asked) => asked,
                None => AnySize::new(problem, work)?,
            };
            match self.any.insert(asked).prove(problem, &lemmas, &kept.needs, work)? {
                Proved::All => {
                    for lemma in &lemmas {
                        let text = print::pred(&work.job.model, lemma);
                        work.observer.progress(&Progress::Lemma { frame: 0, text });
                    }
                    let claim = problem.claim(work.job, Evidence::Inductive { lemmas });
                    return Ok(Converged::Proof(claim));
                }
                Proved::NotAll => return Ok(Converged::Not(larger, why, None)),
                // Perhaps the others are enough.
                Proved::Not(i) => drop(kept.lemmas.remove(kept.order[i])),
            }
            if let Err(stopped) = work.check() {
                return Ok(Converged::Over(Outcome::Unknown(stopped.into())));
            }
            let left: Vec<Pred> = kept.lemmas.iter().map(|g| g.pred.clone()).collect();
            let Some(again) = at.keep(&left, work)? else {
                return Ok(Converged::Not(larger, why, None));
            };
            kept = again;
        }
    }
}

/// Sizes, in words.
fn shown(sizes: &Sizes, job: &Job) -> String {
    let name = |c: &CarrierId| job.model.types.carriers[c.index()].name.clone();
    let all: Vec<String> = sizes.iter().map(|(c, n)| format!("{} of {n}", name(c))).collect();
    all.join(", ")
}

/// Answer to the question whether lemmas hold at larger sizes, and then for any size.
enum Converged {
    /// A proof for any size, not yet checked.
    Proof(Claim),
    /// Time is up.
    Over(Outcome),
    /// They do not; the sizes to go on with, why, and the search at those if there is one.
    Not(Sizes, String, Option<Box<AtSize>>),
}

/// Lemmas that are inductive at a size and exclude a violation.
struct Kept {
    lemmas: Vec<Guess>,
    /// Positions of those that are needed.
    order: Vec<usize>,
    /// Reasons why each of these is needed, by positions in that order.
    needs: Needs,
}

/// Makes sessions with the SAT solver.
fn sat() -> impl FnMut(std::rc::Rc<bsym_encodings::term::Terms>) -> Result<session::Session, SolverError> {
    |terms| Ok(session::sat(terms))
}

impl AtSize {
    /// The sizes of the sets that are open.
    fn sizes(&self, open: &Sizes) -> Sizes {
        open.keys().map(|set| (*set, self.job.scope.sizes[set])).collect()
    }

    /// Searches for a proof at this size; or why there is none.
    fn lemmas(
        &mut self,
        known: &[Pred],
        work: &mut Work<'_, '_>,
    ) -> Result<Result<Found, String>, SolverError> {
        let initial = self.search.steps.initial_literal();
        if let Decided::Unsat(_) = self.search.steps.decide(&[initial], work)? {
            return Ok(Ok(Found::Nothing));
        }
        if let Some(kept) = self.closed(known, work)? {
            for guess in &kept {
                self.search.steps.know(guess)?;
            }
        }
        let mut bmc = None;
        loop {
            // What is true of one size is no news for others.
            let (small_scopes, exchange) = (&Wishes::default(), &Exchange::default());
            let mut open = sat();
            let part = work.with_query(tuning().contestant.proof_query);
            let mut part = Work { job: &self.job, open: &mut open, small_scopes, exchange, ..part };
            let path = match self.search.run(&mut self.problem, &mut part)? {
                End::Proof(_) => {
                    let mut lemmas: Vec<Pred> = known.to_vec();
                    lemmas.extend(self.search.readings());
                    return Ok(Ok(Found::Lemmas(lemmas)));
                }
                End::Over(stopped) => return Ok(Ok(Found::Outcome(Outcome::Unknown(stopped.into())))),
                End::GaveUp(reason) => return Ok(Err(reason)),
                End::Reached(path) => path,
            };
            // Where all variables have bits, the path is one of the model.
            let bmc = match &mut bmc {
                Some(bmc) => bmc,
                none => none.insert(Bmc::new(&mut self.problem, part.open)?),
            };
            let length = path.last().map_or(1, |goal| goal.distance);
            if let Some(outcome) = bmc.reach(&mut self.problem, &mut part, length)? {
                return Ok(Ok(Found::Outcome(outcome)));
            }
            if !self.search.refine(&mut self.problem, &part, &path)? {
                return Ok(Err("no new predicates about variables without bits".into()));
            }
        }
    }

    /// The largest part of some lemmas that is inductive here; none if there was no time, or none can be expressed.
    fn closed(
        &mut self,
        lemmas: &[Pred],
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Vec<Guess>>, SolverError> {
        let mut guesses = vec![];
        for pred in lemmas {
            let Ok(encoded) = self.problem.system.predicate(pred) else { continue };
            let term = encoded.holds;
            let (now, then) = (self.problem.unrolling.state(term, 0), self.problem.unrolling.state(term, 1));
            guesses.push(Guess { pred: pred.clone(), term, now, then });
        }
        let Search { steps, abstraction, .. } = &mut self.search;
        steps.declare(&mut self.problem, &abstraction.predicates)?;
        let budget = work.job.budget.within(tuning().houdini.all).per_query(tuning().houdini.query);
        steps.closed(guesses, &budget)
    }

    /// Those of some lemmas that are inductive here, if they exclude a violation.
    fn keep(&mut self, lemmas: &[Pred], work: &mut Work<'_, '_>) -> Result<Option<Kept>, SolverError> {
        let Some(kept) = self.closed(lemmas, work)? else { return Ok(None) };
        let needs = self.search.steps.needs(&kept, work)?;
        Ok(needs.map(|(order, needs)| Kept { lemmas: kept, order, needs }))
    }
}
