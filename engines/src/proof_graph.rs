//! The search for the graph of a [proof that failed](crate::failed_proof): Houdini for its lemmas, a question for each
//! pair.

use std::collections::BTreeSet;

use bsym_encodings::budget::Budget;
use bsym_encodings::concretize::read_trace;
use bsym_encodings::session::{Answer, Session, SolverError};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{ConstId, EventId, Pred, VarId};
use bsym_language::walk::Names;
use bsym_proofs::claim::Property;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::replay::{Checks, replay_from_any_state};

use crate::excluded::Excluded;
use crate::explain::reads;
use crate::failed_proof::{FailedProof, Gap, NearLemma, Node, Support};
use crate::options::Job;
use crate::problem::{Decided, Open, Problem, decide};
use crate::tuning::tuning;

/// Returns what there is of a proof, within a budget: made of some lemmas. `None` if it did not suffice to say anything.
///
/// # Errors
/// If the solver fails.
pub(crate) fn failed_proof(
    job: &Job,
    candidates: &Candidates,
    budget: &Budget,
    open: &mut Open<'_>,
) -> Result<Option<FailedProof>, SolverError> {
    let time = budget.left().unwrap_or(tuning().failed_proof.time);
    let (patient, budget) = (
        budget.per_query(time / tuning().failed_proof.pair_share),
        budget.per_query(tuning().failed_proof.query),
    );
    let mut graph = Graph::new(job, candidates, true, open)?;
    if graph.session.left_out() > 0 {
        graph = Graph::new(job, candidates, false, open)?;
    }
    if !graph.is_usable() {
        return Ok(None);
    }
    let tried = graph.lemmas.split_off(graph.inductive);
    let mut found = FailedProof::default();
    graph.properties(&patient, &mut found)?;
    let broken = graph.keep_inductive(tried, &budget)?;
    if graph.lemmas.len() > graph.inductive {
        graph.close_gaps(&budget, &mut found)?;
    }
    graph.lemmas(&budget, &mut found)?;
    graph.near(&broken, &budget, &mut found)?;
    if found.gaps.is_empty() && found.near.is_empty() && graph.lemmas.is_empty() {
        return Ok(None);
    }
    found.lemmas = graph.lemmas.into_iter().map(|lemma| lemma.pred).collect();
    Ok(Some(found))
}

/// Lemmas that a graph may have.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Known to be inductive together with the conjuncts, each with those before it.
    pub inductive: Vec<Pred>,
    /// Not known to be so, the best first.
    pub tried: Vec<Pred>,
}

/// One of the graph, as terms of a session.
struct Stated<N> {
    node: N,
    /// Implies it before the step.
    before: Term,
    /// Implies that it is false before the step.
    false_before: Term,
    /// Implies that it is false after the step.
    false_after: Term,
}

struct Lemma {
    pred: Pred,
    stated: Stated<()>,
}

struct Graph<'j> {
    job: &'j Job,
    problem: Problem,
    session: Session,
    properties: Vec<Stated<Property>>,
    lemmas: Vec<Lemma>,
    /// Number of lemmas, the first ones, that are known to be inductive.
    inductive: usize,
    /// Implies that the state before is initial.
    initial: Term,
    /// Implies that the event takes place, for those with a term.
    events: Vec<(EventId, Term)>,
}

/// Answer to the question whether something is kept.
enum Kept {
    /// The assumptions that were needed.
    Yes(Vec<Term>),
    No,
    Open,
}

impl<'j> Graph<'j> {
    /// A graph of which nothing is known. Where sets have any size, arrays may only be read, which decides more: nothing
    /// may be left out then.
    fn new(
        job: &'j Job,
        candidates: &Candidates,
        only_reads: bool,
        open: &mut Open<'_>,
    ) -> Result<Graph<'j>, SolverError> {
        let mut problem = Problem::plain(job, &Excluded::default());
        let terms = problem.terms();
        let mut all: Vec<(Pred, Term)> = vec![];
        let mut inductive = 0;
        for (i, pred) in candidates.inductive.iter().chain(&candidates.tried).enumerate() {
            if all.len() >= tuning().failed_proof.lemmas {
                break;
            }
            let Ok(encoded) = problem.system.predicate(pred) else { continue };
            let term = terms.and([encoded.defined, encoded.holds]);
            let is_known = |t: Term| problem.targets.iter().any(|target| target.ok == t);
            if term != Terms::TRUE && !is_known(term) && all.iter().all(|(_, known)| *known != term) {
                all.push((pred.clone(), term));
                inductive += usize::from(i < candidates.inductive.len());
            }
        }
        let mut session = open(problem.terms())?;
        let carriers = problem.system.whole_carriers();
        if only_reads && !carriers.is_empty() {
            session.only_read_arrays(carriers);
        }
        problem.system.about_constants().try_for_each(|t| session.assert(t))?;
        for k in 0..2 {
            for fact in problem.facts_in(k) {
                session.assert(fact)?;
            }
        }
        let initial = terms.fresh("initial", Terms::BOOL);
        let relation = problem.system.initialisation.relation.unwrap_or(Terms::TRUE);
        let relation = problem.unrolling.init(relation);
        session.assert(terms.implies(initial, relation))?;
        let mut events = vec![];
        for e in 0..problem.system.events.len() {
            let Some(relation) = problem.system.events[e].relation else { continue };
            let taken = terms.fresh("taken", Terms::BOOL);
            let relation = problem.unrolling.step(relation, 0);
            session.assert(terms.implies(taken, relation))?;
            events.push((EventId(e as u32), taken));
        }
        let (properties, lemmas) = (vec![], vec![]);
        let mut graph = Graph { job, problem, session, properties, lemmas, inductive, initial, events };
        for target in graph.problem.targets.clone() {
            let stated = graph.state(target.property, target.ok)?;
            graph.properties.push(stated);
        }
        for (pred, term) in all {
            let stated = graph.state((), term)?;
            graph.lemmas.push(Lemma { pred, stated });
        }
        Ok(graph)
    }

    fn state<N>(&mut self, node: N, term: Term) -> Result<Stated<N>, SolverError> {
        let terms = self.problem.terms();
        let [now, then] = [0, 1].map(|k| self.problem.unrolling.state(term, k));
        let mut literal = |name: &str, t: Term| {
            let literal = terms.fresh(name, Terms::BOOL);
            self.session.assert(terms.implies(literal, t)).map(|()| literal)
        };
        let before = literal("before", now)?;
        let false_before = literal("false before", terms.not(now))?;
        let false_after = literal("false after", terms.not(then))?;
        Ok(Stated { node, before, false_before, false_after })
    }

    /// Returns whether all events and the initialisation have terms: else nothing is inductive.
    fn is_usable(&self) -> bool {
        let system = &self.problem.system;
        system.initialisation.relation.is_some() && self.events.len() == system.events.len()
    }

    /// The conjuncts of the invariant and the lemmas before a step.
    fn assumed(&self) -> Vec<Term> {
        let conjuncts = self.properties.iter().filter(|p| matches!(p.node, Property::Invariant(_)));
        conjuncts.map(|p| p.before).chain(self.lemmas.iter().map(|l| l.stated.before)).collect()
    }

    /// Asks whether something is kept that holds before, and if so, whether by itself, so that nothing else was needed.
    fn ask_simply(&mut self, own: Term, asked: &[Term], budget: &Budget) -> Result<Kept, SolverError> {
        match self.ask(asked, budget)? {
            Kept::Yes(core) => self.simplified(core, own, asked, budget).map(Kept::Yes),
            other => Ok(other),
        }
    }

    fn simplified(
        &mut self,
        core: Vec<Term>,
        own: Term,
        asked: &[Term],
        budget: &Budget,
    ) -> Result<Vec<Term>, SolverError> {
        let alone: Vec<Term> = [own].into_iter().chain(asked.iter().copied()).collect();
        let budget = budget.per_query(tuning().failed_proof.query);
        let is_alone = core.iter().all(|t| alone.contains(t))
            || budget.check().is_ok()
                && matches!(decide(&mut self.session, &alone, &budget)?, Decided::Unsat(_));
        Ok(if is_alone { vec![] } else { core })
    }

    fn ask(&mut self, also: &[Term], budget: &Budget) -> Result<Kept, SolverError> {
        if budget.check().is_err() {
            return Ok(Kept::Open);
        }
        let asked: Vec<Term> = self.assumed().into_iter().chain(also.iter().copied()).collect();
        Ok(match decide(&mut self.session, &asked, budget)? {
            Decided::Unsat(core) => Kept::Yes(core),
            Decided::Sat => Kept::No,
            Decided::Unknown(_) => Kept::Open,
        })
    }

    /// Adds those of further lemmas that are inductive together with the conjuncts and all others. Returns those that hold at
    /// the start and that steps break.
    fn keep_inductive(&mut self, tried: Vec<Lemma>, budget: &Budget) -> Result<Vec<Pred>, SolverError> {
        let budget = budget.within(budget.left().unwrap_or_default() / tuning().failed_proof.tried_share);
        let mut broken = vec![];
        let inductive = std::mem::take(&mut self.lemmas);
        let mut kept = vec![];
        for lemma in tried {
            // No lemma is among the assumptions here.
            let asked = [self.initial, lemma.stated.false_before];
            if matches!(self.ask(&asked, &budget)?, Kept::Yes(_)) {
                kept.push(lemma);
            }
        }
        self.lemmas = inductive;
        self.lemmas.extend(kept);
        loop {
            let before = self.lemmas.len();
            for i in (self.inductive..before).rev() {
                let wrong = self.lemmas[i].stated.false_after;
                let mut is_kept = true;
                for (_, taken) in self.events.clone() {
                    if is_kept {
                        is_kept = matches!(self.ask(&[taken, wrong], &budget)?, Kept::Yes(_));
                    }
                }
                if !is_kept {
                    broken.push(self.lemmas.remove(i).pred);
                }
            }
            if self.lemmas.len() == before {
                broken.reverse();
                return Ok(broken);
            }
        }
    }

    /// Adds what properties rest on, and where they are broken.
    fn properties(&mut self, budget: &Budget, found: &mut FailedProof) -> Result<(), SolverError> {
        for i in 0..self.properties.len() {
            let target = self.problem.targets[i];
            if !matches!(target.property, Property::Invariant(_)) {
                self.pair(i, None, budget, found)?;
                continue;
            }
            for (event, taken) in self.events.clone() {
                if !self.problem.is_proven(self.job, Some(event), &target) {
                    self.pair(i, Some((event, taken)), budget, found)?;
                }
            }
        }
        Ok(())
    }

    /// Asks about the gaps once more, with all lemmas.
    fn close_gaps(&mut self, budget: &Budget, found: &mut FailedProof) -> Result<(), SolverError> {
        for gap in std::mem::take(&mut found.gaps) {
            let Some(i) = self.properties.iter().position(|p| p.node == gap.property) else { continue };
            let taken = self.events.iter().copied().find(|(event, _)| Some(*event) == gap.event);
            let before = (found.gaps.len(), found.supports.len());
            self.pair(i, taken, budget, found)?;
            if (found.gaps.len(), found.supports.len()) == before {
                found.gaps.push(gap);
            }
        }
        Ok(())
    }

    fn pair(
        &mut self,
        i: usize,
        event: Option<(EventId, Term)>,
        budget: &Budget,
        found: &mut FailedProof,
    ) -> Result<(), SolverError> {
        let Stated { node: property, before, false_before, false_after } = self.properties[i];
        let (own, asked) = match event {
            Some((_, taken)) => (before, vec![taken, false_after]),
            None => (Terms::TRUE, vec![false_before]),
        };
        let event = event.map(|(event, _)| event);
        if budget.check().is_err() {
            return Ok(());
        }
        let all: Vec<Term> = self.assumed().into_iter().chain(asked.iter().copied()).collect();
        let core = match self.session.check(&all, budget)? {
            Answer::Sat(mut model) => {
                let Problem { system, unrolling, .. } = &mut self.problem;
                let path: Vec<EventId> = event.into_iter().collect();
                let trace = read_trace(system, unrolling, &mut model, &path, false).ok();
                let trace = trace.filter(|trace| is_confirmed(self.job, property, trace));
                let (variables, constants) = self.slice(property, event);
                found.gaps.push(Gap { property, event, variables, constants, trace });
                return Ok(());
            }
            Answer::Unsat(core) => core.0,
            Answer::Unknown(_) => return Ok(()),
        };
        let core = self.simplified(core, own, &asked, budget)?;
        let by = self.needed(&core, Node::Property(property));
        found.supports.push(Support { node: Node::Property(property), event, by });
        Ok(())
    }

    /// Adds what lemmas rest on.
    fn lemmas(&mut self, budget: &Budget, found: &mut FailedProof) -> Result<(), SolverError> {
        for i in 0..self.lemmas.len() {
            let Stated { before, false_after, .. } = self.lemmas[i].stated;
            for (event, taken) in self.events.clone() {
                if let Kept::Yes(core) = self.ask_simply(before, &[taken, false_after], budget)? {
                    let node = Node::Lemma(i);
                    found.supports.push(Support { node, event: Some(event), by: self.needed(&core, node) });
                }
            }
        }
        found.supports.retain(|support| !support.by.is_empty());
        Ok(())
    }

    /// Adds the lemmas that the fewest events break.
    fn near(&mut self, broken: &[Pred], budget: &Budget, found: &mut FailedProof) -> Result<(), SolverError> {
        let terms = self.problem.terms();
        for pred in broken {
            let Ok(encoded) = self.problem.system.predicate(pred) else { continue };
            let stated = self.state((), terms.and([encoded.defined, encoded.holds]))?;
            let (mut events, mut variables) = (vec![], BTreeSet::new());
            let mut is_decided = true;
            for (event, taken) in self.events.clone() {
                match self.ask(&[stated.before, taken, stated.false_after], budget)? {
                    Kept::Yes(_) => {}
                    Kept::No => {
                        variables.extend(reads(&self.job.model, pred, Some(event)).0);
                        events.push(event);
                    }
                    Kept::Open => is_decided = false,
                }
            }
            if is_decided && !events.is_empty() {
                found.near.push(NearLemma { lemma: pred.clone(), events, variables });
            }
        }
        found.near.sort_by_key(|near| near.events.len());
        found.near.truncate(tuning().failed_proof.near);
        Ok(())
    }

    /// The conjuncts and lemmas among the assumptions that an answer needed.
    fn needed(&self, core: &[Term], but: Node) -> Vec<Node> {
        let properties = self.properties.iter().map(|p| (Node::Property(p.node), p.before));
        let lemmas = self.lemmas.iter().enumerate().map(|(i, l)| (Node::Lemma(i), l.stated.before));
        let all = properties.chain(lemmas).filter(|(node, t)| *node != but && core.contains(t));
        all.map(|(node, _)| node).collect()
    }

    fn slice(&self, property: Property, event: Option<EventId>) -> (BTreeSet<VarId>, BTreeSet<ConstId>) {
        let model = &self.job.model;
        match property {
            Property::Invariant(i) => reads(model, &model.invariant[i].pred, event),
            Property::Assertion(i) => reads(model, &model.assertions[i].pred, None),
            Property::NoGoal => {
                model.definitions.goal.as_ref().map(|goal| reads(model, goal, None)).unwrap_or_default()
            }
            Property::DeadlockFree => {
                let all = model.events.iter().map(|e| Names::of_subst(&e.body));
                all.fold(Default::default(), |(mut variables, mut constants), names| {
                    variables.extend(names.variables);
                    constants.extend(names.constants);
                    (variables, constants)
                })
            }
        }
    }
}

/// Returns whether the evaluator confirms that a step breaks a conjunct.
fn is_confirmed(job: &Job, property: Property, trace: &Trace) -> bool {
    let Property::Invariant(i) = property else { return false };
    let checks = Checks { invariant: Some(vec![i]), ..Checks::default() };
    let replayed = replay_from_any_state(&job.model, trace, &checks);
    replayed.is_ok_and(|replayed| replayed.first_violated == Some(1))
}
