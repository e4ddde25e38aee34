//! Sets with a few elements: the strongest clauses that one step after the other leaves.

use std::collections::{BTreeSet, HashMap};

use bsym_encodings::session::SolverError;
use bsym_encodings::term::{Term, Terms};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env, Name};

use super::clauses::{Clause, Clauses, Code};
use super::prefix::Prefix;
use super::vocabulary::Vocabulary;
use crate::ic3::queries::Steps;
use crate::options::Job;
use crate::outcome::Work;
use crate::problem::{Decided, Problem, decide};
use crate::small_scopes::evaluate_in;
use crate::tuning::tuning;

const TOO_MUCH: &str = "too many clauses hold";
const TIME: &str = "time is up";

/// A session in which each open set has at most some elements.
#[derive(Debug)]
pub(super) struct Finite {
    steps: Steps,
    pub sizes: Vec<usize>,
    /// For each atom the number of its first instance.
    first: Vec<usize>,
    /// Each instance of an atom in the first and in the second state.
    instances: Vec<[Term; 2]>,
    sampled: Option<Vec<Vec<bool>>>,
}

/// A clause in the session.
#[derive(Clone, Copy, Debug)]
struct Said {
    /// Implies that it is true in the first state.
    now: Term,
    /// Implies that it is false in the first and in the second state.
    broken: [Term; 2],
}

/// How a search in small sets ended.
pub(super) enum Sufficiency {
    /// Clauses that exclude every violating step, each inductive together with the others.
    Enough(Enough),
    /// There is none; why.
    Open(&'static str),
}

/// Clauses that are enough for a proof where sets are small.
pub(super) struct Enough {
    /// The clauses, each with the positions of those that it needs to stay true.
    pub clauses: Vec<(Clause, Vec<usize>)>,
    /// Positions of those that exclude every violating step.
    pub excluding: Vec<usize>,
}

impl Finite {
    /// Opens a session; none where the system or an atom cannot be expressed in it.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(
        problem: &mut Problem,
        vocabulary: &Vocabulary,
        size: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Option<Finite>, SolverError> {
        let terms = problem.terms();
        let sizes = vec![size; vocabulary.sets.len()];
        let elements: Vec<Vec<Term>> = vocabulary
            .sets
            .iter()
            .map(|s| {
                let name = |i| format!("one of {} {i}", terms.sort_text(s.sort));
                (0..size).map(|i| terms.rigid(&name(i), s.sort)).collect()
            })
            .collect();
        let of_sorts: Vec<_> =
            vocabulary.sets.iter().zip(&elements).map(|(s, e)| (s.sort, e.clone())).collect();
        let Some(steps) = Steps::within(problem, work.job, &of_sorts, work.open)? else { return Ok(None) };
        let mut finite = Finite { steps, sizes, first: vec![], instances: vec![], sampled: None };
        for atom in &vocabulary.atoms {
            finite.first.push(finite.instances.len());
            let count: usize = atom.sorts.iter().map(|&s| finite.sizes[s]).product();
            for n in 0..count {
                let mut rest = n;
                let mut bound = vec![];
                for (&slot, &s) in atom.slots.iter().zip(&atom.sorts) {
                    bound.push((slot, elements[s][rest % finite.sizes[s]]));
                    rest /= finite.sizes[s];
                }
                let Ok(encoded) = problem.system.predicate_about(&atom.pred, &bound) else {
                    return Ok(None);
                };
                let here: Vec<Term> = (0..2).map(|k| problem.unrolling.state(encoded.holds, k)).collect();
                let named = [finite.named(&terms, here[0])?, finite.named(&terms, here[1])?];
                finite.instances.push(named);
            }
        }
        finite.steps.declare(problem, &Default::default())?;
        Ok((finite.steps.session().left_out() == 0).then_some(finite))
    }

    /// A literal that is true where a term is.
    fn named(&mut self, terms: &Terms, t: Term) -> Result<Term, SolverError> {
        if t == Terms::TRUE || t == Terms::FALSE {
            return Ok(t);
        }
        let literal = terms.fresh("instance", Terms::BOOL);
        self.steps.tell(terms.eq(literal, t))?;
        Ok(literal)
    }

    fn number(&self, vocabulary: &Vocabulary, atom: usize, elements: &[usize]) -> usize {
        let mut number = 0;
        for (&e, &s) in elements.iter().zip(&vocabulary.atoms[atom].sorts).rev() {
            number = number * self.sizes[s] + e;
        }
        self.first[atom] + number
    }

    /// Of each of the first states that the evaluator meets the truth of all instances of atoms: clauses that are false
    /// in one of them are not asked about. None where a set is larger there.
    fn samples(&self, problem: &Problem, vocabulary: &Vocabulary, job: &Job) -> Vec<Vec<bool>> {
        let Some(met) = problem.first_states(job) else { return vec![] };
        let scope = met.scope();
        let there: Option<Vec<usize>> =
            vocabulary.sets.iter().map(|s| scope.sizes.get(&s.set).copied()).collect();
        let Some(there) = there else { return vec![] };
        if there.iter().zip(&self.sizes).any(|(&there, &here)| there > here || there == 0) {
            return vec![];
        }
        let budget = job.budget.within(tuning().strongest.samples_time);
        let step = met.all().len().div_ceil(tuning().strongest.samples).max(1);
        let mut found = vec![];
        evaluate_in(&job.model, scope, &budget, &Cuts::default(), |eval| {
            for state in met.all().iter().step_by(step) {
                if budget.check().is_err() {
                    break;
                }
                let env = Env::new(met.constants(state), &state.state);
                found.extend(self.truth(eval, &env, vocabulary, &there));
            }
        });
        found
    }

    fn truth(
        &self,
        eval: &Evaluator<'_>,
        env: &Env<'_>,
        vocabulary: &Vocabulary,
        there: &[usize],
    ) -> Option<Vec<bool>> {
        let mut truth = vec![];
        for atom in &vocabulary.atoms {
            let count: usize = atom.sorts.iter().map(|&s| self.sizes[s]).product();
            for n in 0..count {
                let mut rest = n;
                let mut bound = vec![];
                for (&slot, &s) in atom.slots.iter().zip(&atom.sorts) {
                    let element = (rest % self.sizes[s]).min(there[s] - 1);
                    bound.push((Name::Local(slot), Value::Element(vocabulary.sets[s].set, element as u32)));
                    rest /= self.sizes[s];
                }
                let frame = env.frame(&bound);
                truth.push(eval.pred(&env.within(&frame), &atom.pred).ok()?);
            }
        }
        Some(truth)
    }

    /// Searches for the strongest clauses of at most `most` literals.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn search<'f>(
        &'f mut self,
        vocabulary: &'f Vocabulary,
        prefix: &'f Prefix,
        most: usize,
        problem: &Problem,
        work: &mut Work<'_, '_>,
    ) -> Result<Result<Search<'f>, &'static str>, SolverError> {
        if self.sampled.is_none() {
            self.sampled = Some(self.samples(problem, vocabulary, work.job));
        }
        let table = prefix.table(&self.sizes, |a, e| self.number(vocabulary, a, e));
        let rows = prefix.patterns(&self.sizes);
        let patterns = prefix.table_of(&rows, |a, e| self.number(vocabulary, a, e));
        let mut points = vec![];
        for truth in self.sampled.iter().flatten() {
            points.extend(prefix.points(&table, truth));
        }
        let mut clauses = Clauses::new(prefix.literals.len(), most);
        let job = work.job;
        if clauses.learn(points, &|| job.budget.check().is_err()).is_none() {
            return Ok(Err(TIME));
        }
        let mut search = Search {
            table,
            patterns,
            clauses,
            said: HashMap::new(),
            finite: self,
            vocabulary,
            prefix,
            refused: BTreeSet::new(),
        };
        let stopped = match search.begin(work)? {
            None => search.step(work)?,
            stopped => stopped,
        };
        Ok(stopped.map_or(Ok(search), Err))
    }
}

/// The strongest clauses in small sets.
pub(super) struct Search<'f> {
    finite: &'f mut Finite,
    vocabulary: &'f Vocabulary,
    prefix: &'f Prefix,
    /// The instances of the literals for each assignment of elements, and for those that differ.
    table: Vec<Vec<usize>>,
    patterns: Vec<Vec<usize>>,
    clauses: Clauses,
    said: HashMap<Clause, Said>,
    /// Clauses that do not stay true in larger sets.
    refused: BTreeSet<Clause>,
}

impl Search<'_> {
    /// Learns from initial states until the clauses hold in all of them. Why that did not come to an end.
    fn begin(&mut self, work: &mut Work<'_, '_>) -> Result<Option<&'static str>, SolverError> {
        let initial = self.finite.steps.initial_literal();
        match work.ask(|budget| decide(self.finite.steps.session(), &[initial], budget))? {
            Decided::Sat => drop(self.learn(0, work.job)?),
            Decided::Unsat(_) => return Ok(Some("no initial state is so small")),
            Decided::Unknown(_) => return Ok(Some("an initial state is not found soon")),
        }
        loop {
            let chosen = self.chosen()?;
            if self.is_too_much() {
                return Ok(Some(TOO_MUCH));
            }
            match self.some_broken(&chosen, 0, vec![initial], work)? {
                Decided::Sat => match self.learn(0, work.job)? {
                    Some(true) => {}
                    Some(false) => return Ok(Some("a state does not show what is false in it")),
                    None => return Ok(Some(TIME)),
                },
                Decided::Unsat(_) => return Ok(None),
                Decided::Unknown(_) => return Ok(Some(TIME)),
            }
        }
    }

    /// Learns from states after a step until each clause holds after every step from states where all hold.
    fn step(&mut self, work: &mut Work<'_, '_>) -> Result<Option<&'static str>, SolverError> {
        loop {
            let chosen = self.chosen()?;
            if self.is_too_much() {
                return Ok(Some(TOO_MUCH));
            }
            let mut asked = vec![self.finite.steps.step_literal()];
            asked.extend(chosen.iter().map(|c| self.said[c].now));
            match self.some_broken(&chosen, 1, asked, work)? {
                Decided::Sat => match self.learn(1, work.job)? {
                    Some(true) => {}
                    Some(false) => return Ok(Some("a state does not show what is false in it")),
                    None => return Ok(Some(TIME)),
                },
                Decided::Unsat(_) => return Ok(None),
                Decided::Unknown(_) => return Ok(Some(TIME)),
            }
        }
    }

    /// Leaves a clause out of the answers.
    pub fn refuse(&mut self, clause: Clause) {
        self.refused.insert(clause);
    }

    /// The clauses that are needed, if those that are not refused exclude every violating step.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn enough(&mut self, work: &mut Work<'_, '_>) -> Result<Sufficiency, SolverError> {
        let step = self.finite.steps.step_literal();
        let bad = self.finite.steps.bad_literal();
        'again: loop {
            let chosen = self.chosen()?;
            let all: Vec<Term> = chosen.iter().map(|c| self.said[c].now).collect();
            let excluding = match self.finite.steps.few(&all, &[bad], work)? {
                Decided::Unsat(core) => core,
                Decided::Sat => {
                    return Ok(Sufficiency::Open("the strongest clauses do not exclude a violating step"));
                }
                Decided::Unknown(_) => return Ok(Sufficiency::Open(TIME)),
            };
            let mut order: Vec<Term> = excluding.clone();
            let mut supports: Vec<Vec<Term>> = vec![];
            while let Some(&now) = order.get(supports.len()) {
                let Some(at) = all.iter().position(|t| *t == now) else { break };
                let broken = self.said[&chosen[at]].broken[1];
                match self.finite.steps.few(&all, &[step, broken], work)? {
                    Decided::Unsat(core) => {
                        order.extend(core.iter().filter(|t| !order.contains(t)).copied().collect::<Vec<_>>());
                        supports.push(core);
                    }
                    Decided::Sat => {
                        self.refused.insert(chosen[at].clone());
                        continue 'again;
                    }
                    Decided::Unknown(_) => return Ok(Sufficiency::Open(TIME)),
                }
            }
            let place = |t: &Term| order.iter().position(|o| o == t);
            let places = |core: &Vec<Term>| core.iter().filter_map(place).collect::<Vec<usize>>();
            let clause = |t: &Term| all.iter().position(|a| a == t).map(|i| chosen[i].clone());
            let clauses =
                order.iter().zip(&supports).filter_map(|(t, support)| Some((clause(t)?, places(support))));
            return Ok(Sufficiency::Enough(Enough {
                clauses: clauses.collect(),
                excluding: places(&excluding),
            }));
        }
    }

    /// The clauses to speak of, with their literals in the session: one of those that differ by the order of names. The
    /// shortest come first.
    fn chosen(&mut self) -> Result<Vec<Clause>, SolverError> {
        let speaks = |c: &&Clause| {
            self.prefix.is_about_state(self.vocabulary, c)
                && self.prefix.is_first(c)
                && !self.refused.contains(*c)
        };
        let most = tuning().strongest.clauses;
        let chosen: Vec<Clause> = self.clauses.least().filter(speaks).take(most).cloned().collect();
        for clause in &chosen {
            self.say(clause)?;
        }
        Ok(chosen)
    }

    /// Returns whether the session has been told more than is good for it.
    fn is_too_much(&self) -> bool {
        self.said.len() * self.table.len() > tuning().strongest.instances
    }

    fn say(&mut self, clause: &Clause) -> Result<(), SolverError> {
        if self.said.contains_key(clause) {
            return Ok(());
        }
        let steps = &mut self.finite.steps;
        let terms = steps.session().terms().clone();
        let instances = &self.finite.instances;
        let literal = |row: &[usize], code: Code, k: usize, holds: bool| {
            let t = instances[row[usize::from(code / 2)]][k];
            if code.is_multiple_of(2) == holds { t } else { terms.not(t) }
        };
        let [now, broken, broken_then] =
            ["now", "broken", "broken then"].map(|n| terms.fresh(n, Terms::BOOL));
        for row in &self.table {
            let any = terms.or(clause.iter().map(|&c| literal(row, c, 0, true)));
            steps.tell(terms.implies(now, any))?;
        }
        for (k, t) in [broken, broken_then].into_iter().enumerate() {
            let somewhere: Vec<Term> = self
                .patterns
                .iter()
                .map(|row| terms.and(clause.iter().map(|&c| literal(row, c, k, false))))
                .collect();
            steps.tell(terms.implies(t, terms.or(somewhere)))?;
        }
        self.said.insert(clause.clone(), Said { now, broken: [broken, broken_then] });
        Ok(())
    }

    /// Asks whether one of some clauses is false in the first (0) or the second state (1).
    fn some_broken(
        &mut self,
        chosen: &[Clause],
        k: usize,
        mut asked: Vec<Term>,
        work: &mut Work<'_, '_>,
    ) -> Result<Decided, SolverError> {
        let session = self.finite.steps.session();
        let terms = session.terms().clone();
        let some = terms.fresh("some clause is broken", Terms::BOOL);
        let any = terms.or(chosen.iter().map(|c| self.said[c].broken[k]));
        session.assert(terms.implies(some, any))?;
        asked.push(some);
        work.ask(|budget| decide(session, &asked, budget))
    }

    /// Learns the points of a state of the last model. Whether that changes the clauses; none if time is up.
    fn learn(&mut self, k: usize, job: &Job) -> Result<Option<bool>, SolverError> {
        let instances: Vec<Term> = self.finite.instances.iter().map(|i| i[k]).collect();
        let Some(mut model) = self.finite.steps.session().model() else { return Ok(Some(false)) };
        let mut truth = vec![];
        for t in instances {
            truth.push(match t {
                Terms::TRUE => true,
                Terms::FALSE => false,
                t => model.holds(t)?,
            });
        }
        let stop = || job.budget.check().is_err();
        Ok(self.clauses.learn(self.prefix.points(&self.table, &truth), &stop))
    }
}
