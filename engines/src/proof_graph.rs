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
    let budget = budget.per_query(tuning().failed_proof.query);
    let mut graph = Graph::new(job, candidates, open)?;
    if !graph.is_usable() {
        return Ok(None);
    }
    let broken = graph.keep_inductive(&budget)?;
    let mut found = FailedProof::default();
    graph.properties(&budget, &mut found)?;
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
    fn new(job: &'j Job, candidates: &Candidates, open: &mut Open<'_>) -> Result<Graph<'j>, SolverError> {
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
        let mut session = problem.session(open)?;
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

    /// Asks whether something is kept: by itself, and else with the others, which the answer names then.
    fn ask_alone(&mut self, own: Term, asked: &[Term], budget: &Budget) -> Result<Kept, SolverError> {
        let alone: Vec<Term> = [own].into_iter().chain(asked.iter().copied()).collect();
        if budget.check().is_ok() && matches!(decide(&mut self.session, &alone, budget)?, Decided::Unsat(_)) {
            return Ok(Kept::Yes(vec![]));
        }
        self.ask(asked, budget)
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

    /// Drops lemmas until those that are left are inductive together with the conjuncts. Returns those that hold at the
    /// start and that steps break.
    fn keep_inductive(&mut self, budget: &Budget) -> Result<Vec<Pred>, SolverError> {
        let budget = budget.within(budget.left().unwrap_or_default() / tuning().failed_proof.tried_share);
        let mut broken = vec![];
        let tried = self.lemmas.split_off(self.inductive);
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
            let Stated { node: property, before, false_before, false_after } = self.properties[i];
            if !matches!(property, Property::Invariant(_)) {
                self.pair((property, Terms::TRUE), None, &[false_before], budget, found)?;
                continue;
            }
            let target = self.problem.targets[i];
            for (event, taken) in self.events.clone() {
                if !self.problem.is_proven(self.job, Some(event), &target) {
                    self.pair((property, before), Some(event), &[taken, false_after], budget, found)?;
                }
            }
        }
        Ok(())
    }

    fn pair(
        &mut self,
        (property, before): (Property, Term),
        event: Option<EventId>,
        asked: &[Term],
        budget: &Budget,
        found: &mut FailedProof,
    ) -> Result<(), SolverError> {
        match self.ask_alone(before, asked, budget)? {
            Kept::Yes(core) => {
                let by = self.needed(&core, Node::Property(property));
                found.supports.push(Support { node: Node::Property(property), event, by });
            }
            Kept::No => {
                let (variables, constants) = self.slice(property, event);
                let asked: Vec<Term> = self.assumed().into_iter().chain(asked.iter().copied()).collect();
                let trace = match event {
                    Some(event) => self.trace(property, event, &asked, budget)?,
                    None => None,
                };
                found.gaps.push(Gap { property, event, variables, constants, trace });
            }
            Kept::Open => {}
        }
        Ok(())
    }

    /// Adds what lemmas rest on.
    fn lemmas(&mut self, budget: &Budget, found: &mut FailedProof) -> Result<(), SolverError> {
        for i in 0..self.lemmas.len() {
            let Stated { before, false_after, .. } = self.lemmas[i].stated;
            for (event, taken) in self.events.clone() {
                if let Kept::Yes(core) = self.ask_alone(before, &[taken, false_after], budget)? {
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

    /// The step that breaks a conjunct, if the evaluator confirms it.
    fn trace(
        &mut self,
        property: Property,
        event: EventId,
        asked: &[Term],
        budget: &Budget,
    ) -> Result<Option<Trace>, SolverError> {
        let Property::Invariant(i) = property else { return Ok(None) };
        let Answer::Sat(mut model) = self.session.check(asked, budget)? else { return Ok(None) };
        let Problem { system, unrolling, .. } = &mut self.problem;
        let Ok(trace) = read_trace(system, unrolling, &mut model, &[event], false) else { return Ok(None) };
        let checks = Checks { invariant: Some(vec![i]), ..Checks::default() };
        let replayed = replay_from_any_state(&self.job.model, &trace, &checks);
        Ok(replayed.is_ok_and(|replayed| replayed.first_violated == Some(1)).then_some(trace))
    }
}
