//! The walk: the reference evaluator checks a proof before it is reported.
//!
//! An engine and the check of its claim share the encoding: an operator that is encoded wrongly, a choice that is lost,
//! an axiom that is too strong pass both. The evaluator shares nothing with them but the typed model. So every claim is
//! walked: states and steps are chosen at random, in scopes that the claim covers, and judged by the evaluator. Let Q
//! be the claimed conjuncts and the lemmas, layouts included, and k the number of steps of the induction (0 for an
//! inductive invariant).
//!
//! *Paths from initial states.* All their states are in Q and have the claimed properties, no step fails on the
//! way, and where the claim rests on the diameter none is as long as that with pairwise different states.
//!
//! *Paths from states in Q*, reachable or not: states met before of which some variables get other values, kept
//! where the evaluator says that they are in Q. A wrong step of an inductive invariant is found there without the way
//! to it. The claim about such a path s0 … sn of pairwise different states in Q follows from how it is checked:
//! - after one more step the lemmas hold if the conjuncts do: they are inductive relative to the conjuncts;
//! - the conjuncts hold after one more step if n ≥ k;
//! - in sn the other properties hold and no step fails if n > k: they follow from Q, or from Q by the argument
//!   over a shortest path.
//!
//! The length of a walk is a number of steps and an amount of [`Work`], not a time: the same seed gives the same
//! walk everywhere. States and events that the evaluator cannot decide within its portion of the work are skipped and
//! counted. A contradiction is confirmed by an evaluator without bounds before it is reported.
//!
//! Random walks of this kind are how Claessen & Hughes, *QuickCheck* (ICFP 2000), test models of state; Lamport
//! checks inductive invariants with TLC in the same way (*Using TLC to Check Inductive Invariance*, 2018).

mod change;
mod contradiction;
mod judge;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bsym_language::model::{EventId, Model};
use bsym_language::stack::with_large_stack;
use bsym_proofs::claim::Claim;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::{Step, Trace};
use bsym_semantics::transition::Edge;
use bsym_semantics::transition::state::{Constants, Execution, State};
use bsym_semantics::value::Value;

pub use contradiction::{Broken, Contradiction};

use change::Changes;
use judge::{Judge, Standing};

use crate::tuning::tuning;

/// Subject of a walk, with its seed.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The model; constants that were fixed are axioms of it.
    pub model: &'q Model,
    /// The scope of the claim.
    pub scope: &'q Scope,
    /// The claim, with its evidence.
    pub claim: &'q Claim,
    /// Seed of the choices.
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<&'q AtomicBool>,
}

/// Extent of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Walked {
    /// Different states that were judged.
    pub states: u64,
    /// Steps that were taken, those that fail included.
    pub steps: u64,
    /// States drawn from Q, to walk from there.
    pub from_invariant: u64,
    /// States and events that the evaluator could not decide or not exhaust.
    pub skipped: u64,
}

/// Walks a claim. `Err` is a contradiction, confirmed.
///
/// # Errors
/// The claim is wrong where the contradiction says.
pub fn walk(question: &Question<'_>) -> Result<Walked, Box<Contradiction>> {
    with_large_stack(|| {
        let begin = Instant::now();
        let mut walker = Walker {
            question,
            changes: Changes::new(question.model, question.seed),
            walked: Walked::default(),
            has_initial: false,
        };
        walker.scopes(&tuning().walk.sizes)?;
        if !walker.has_initial && !question.scope.is_finite(question.model) {
            walker.scopes(&tuning().walk.larger)?;
        }
        tracing::debug!(walked = ?walker.walked, seconds = begin.elapsed().as_secs_f64(), "walked");
        Ok(walker.walked)
    })
}

/// Result of a part of the walk, or the contradiction that it found.
type Found<T> = Result<T, Box<Contradiction>>;

struct Walker<'w> {
    question: &'w Question<'w>,
    changes: Changes,
    walked: Walked,
    /// There was an initial state.
    has_initial: bool,
}

/// One scope with one valuation of the constants.
struct Place<'p> {
    judge: Judge<'p>,
    work: &'p Work,
    /// Work that has to be left at the end.
    reserve: u64,
    /// Work that one event in one state may take.
    share: u64,
    constants: Constants,
    /// States that were judged and have everything that is claimed.
    seen: BTreeSet<State>,
    /// States of Q, to be changed.
    pool: Vec<State>,
}

/// A path. All its states are in Q.
#[derive(Clone)]
struct Path {
    from_invariant: bool,
    steps: Vec<Step>,
}

impl Path {
    /// Number of events.
    fn length(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    fn last(&self) -> &[Value] {
        self.steps.last().and_then(|step| step.state.as_deref()).unwrap_or_default()
    }

    fn contains(&self, state: &State) -> bool {
        self.steps.iter().any(|step| step.state.as_ref() == Some(state))
    }
}

/// A state after a step.
enum Arrival {
    /// It has everything that is claimed; it was not seen before.
    New,
    /// It has everything that is claimed, but was seen before.
    Known,
    /// The path ends there.
    End,
}

impl Walker<'_> {
    /// Walks in scopes where all sets of open size have one of these, and in one where they differ.
    fn scopes(&mut self, sizes: &[usize]) -> Found<()> {
        let Question { model, scope: claimed, .. } = *self.question;
        let mut scopes = vec![];
        if claimed.is_finite(model) {
            scopes.push(claimed.clone());
        } else {
            let sized = |size: &mut dyn FnMut() -> usize| claimed.with_open_sets(model, |_| size());
            // Sizes that the model itself suggests come first: other sizes may have no valuation.
            let prob = ScopeRequest { prob: true, ..ScopeRequest::default() };
            if let Ok(hinted) = Scope::settle(model, &prob) {
                let mut scope = claimed.clone();
                let open = claimed.open_sets(model);
                scope.sizes.extend(open.filter_map(|id| Some((id, *hinted.sizes.get(&id)?))));
                scopes.push(scope);
            }
            scopes.extend(sizes.iter().map(|&size| sized(&mut || size)));
            if claimed.open_sets(model).count() > 1 {
                scopes.push(sized(&mut || sizes[self.changes.die.below(sizes.len())]));
            }
        }
        let mut different: Vec<Scope> = vec![];
        for scope in scopes {
            if scope.is_finite(model) && !different.contains(&scope) {
                different.push(scope);
            }
        }
        let scopes = different;
        let portion = tuning().walk.work / scopes.len().max(1) as u64;
        scopes.iter().try_for_each(|scope| self.scope(scope, portion))
    }

    fn scope(&mut self, scope: &Scope, portion: u64) -> Found<()> {
        let work = Work::new(portion);
        let cuts = Cuts::between(tuning().walk.tried.0.into(), tuning().walk.tried.1.into());
        let mut eval = Evaluator::new(self.question.model, scope)
            .plain(bsym_semantics::tuning::tuning().evaluate.small_types)
            .with_limits(tuning().walk.limits)
            .with_work(&work)
            .with_bounded_choices(&cuts);
        eval.interrupt = self.question.interrupt;
        let mut valuations = vec![];
        work.portion(portion / tuning().walk.valuation_share);
        let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
            if truth.is_ok() {
                valuations.push(constants);
            }
            if valuations.len() < tuning().walk.listed_valuations {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        self.walked.skipped += u64::from(done.is_err());
        for left in (1..=tuning().walk.valuations.min(valuations.len())).rev() {
            let constants = valuations.swap_remove(self.changes.die.below(valuations.len()));
            let here = work.left() / left as u64;
            let mut place = Place {
                judge: Judge::new(eval, self.question.claim),
                work: &work,
                reserve: work.left() - here,
                share: here / tuning().walk.share,
                constants,
                seen: BTreeSet::new(),
                pool: vec![],
            };
            self.place(&mut place)?;
        }
        Ok(())
    }

    fn place(&mut self, place: &mut Place<'_>) -> Found<()> {
        let initial = self.initial(place)?;
        let inductive = place.judge.induction.is_some();
        let (mut reachable, mut drawn) =
            (tuning().walk.expansions, if inductive { tuning().walk.expansions } else { 0 });
        // A path that sees nothing new comes to an end, and the next one does with the states that are left.
        let mut idle = 0;
        while place.is_open() && (reachable > 0 || drawn > 0) {
            if reachable > 0 && !initial.is_empty() {
                let before = place.seen.len();
                let start = initial[self.changes.die.below(initial.len())].clone();
                let mut path = Path { from_invariant: false, steps: vec![start] };
                reachable = reachable.saturating_sub(self.follow(
                    place,
                    &mut path,
                    tuning().walk.length,
                    tuning().walk.reachable_events,
                )?);
                idle = if place.seen.len() > before { 0 } else { idle + 1 };
                if idle > tuning().walk.patience {
                    reachable = 0;
                }
            } else {
                reachable = 0;
            }
            if drawn > 0 {
                drawn -= 1;
                if let Some(state) = self.draw(place) {
                    self.walked.from_invariant += 1;
                    let step = Step { event: None, execution: Execution::default(), state: Some(state) };
                    let mut path = Path { from_invariant: true, steps: vec![step] };
                    let length = place.judge.induction.unwrap_or(0) + tuning().walk.beyond;
                    drawn = drawn.saturating_sub(self.follow(
                        place,
                        &mut path,
                        length,
                        tuning().walk.inductive_events,
                    )?);
                }
            }
        }
        Ok(())
    }

    /// Initial states that have everything that is claimed.
    fn initial(&mut self, place: &mut Place<'_>) -> Found<Vec<Step>> {
        let mut steps = vec![];
        for edge in self.edges(place, None, &[]) {
            self.walked.steps += 1;
            let mut path = Path { from_invariant: false, steps: vec![] };
            let step = Step { event: None, state: edge.state().cloned(), execution: edge.execution };
            if let Some(broken) = place.judge.failure(&edge.outcome) {
                path.steps.push(step);
                self.contradiction(place, path, vec![broken])?;
            } else if step.state.is_some() {
                match self.arrive(place, &mut path, step)? {
                    Arrival::New | Arrival::Known => steps.append(&mut path.steps),
                    Arrival::End => {}
                }
            }
        }
        self.has_initial |= !steps.is_empty();
        Ok(steps)
    }

    /// Extends a path from its end up to `length`. Returns the number of states that were left, at least 1.
    fn follow(
        &mut self,
        place: &mut Place<'_>,
        path: &mut Path,
        length: usize,
        events: usize,
    ) -> Found<usize> {
        let mut expanded = 0;
        while path.length() < length && place.is_open() {
            expanded += 1;
            if !self.expand(place, path, events)? {
                break;
            }
        }
        Ok(expanded.max(1))
    }

    /// Judges what events lead to from the end of a path, and makes one of these steps, to a new state if
    /// there is one. Whether there was a step.
    fn expand(&mut self, place: &mut Place<'_>, path: &mut Path, most: usize) -> Found<bool> {
        let state = path.last().to_vec();
        let mut events: Vec<u32> = (0..self.question.model.events.len() as u32).collect();
        let (mut tried, mut new, mut known) = (0, vec![], vec![]);
        while let Some(event) = self.changes.die.take(&mut events).map(EventId) {
            if !place.is_open() || tried >= most && !(new.is_empty() && known.is_empty()) {
                break;
            }
            let edges = self.edges(place, Some(event), &state);
            tried += usize::from(!edges.is_empty());
            let (mut reached, mut failed) = (vec![], vec![]);
            for edge in edges {
                if edge.state().is_some() { reached.push(edge) } else { failed.push(edge) }
            }
            for edge in failed {
                self.walked.steps += 1;
                if let Some(broken) = place.judge.failure(&edge.outcome)
                    && place.judge.judges_properties(path.from_invariant, path.length())
                {
                    let mut steps = path.steps.clone();
                    steps.push(Step { event: Some(event), execution: edge.execution, state: None });
                    let from_invariant = path.from_invariant;
                    self.contradiction(place, Path { from_invariant, steps }, vec![broken])?;
                }
            }
            for _ in 0..tuning().walk.judged {
                let Some(edge) = self.changes.die.take(&mut reached) else { break };
                self.walked.steps += 1;
                let state = edge.state().cloned();
                let step = Step { event: Some(event), execution: edge.execution, state };
                let length = path.steps.len();
                let arrival = self.arrive(place, path, step)?;
                let steps = path.steps.split_off(length);
                match arrival {
                    Arrival::New => new.extend(steps),
                    Arrival::Known => known.extend(steps),
                    Arrival::End => {}
                }
            }
        }
        let next = self.changes.die.take(&mut new).or_else(|| self.changes.die.take(&mut known));
        let goes_on = next.is_some();
        path.steps.extend(next);
        Ok(goes_on)
    }

    /// Judges the state after a step and puts the step at the end of the path unless that ends there.
    fn arrive(&mut self, place: &mut Place<'_>, path: &mut Path, step: Step) -> Found<Arrival> {
        let Some(state) = step.state.clone() else { return Ok(Arrival::End) };
        // Sets that are not listed cannot be told apart by their form.
        let comparable = !state.iter().any(Value::has_lazy);
        if place.judge.needs_difference(path.from_invariant) && (!comparable || path.contains(&state)) {
            return Ok(Arrival::End);
        }
        if place.seen.contains(&state) {
            path.steps.push(step);
            return self.too_long(place, path).map(|()| Arrival::Known);
        }
        place.work.portion(place.share);
        let before = path.length();
        path.steps.push(step);
        let from_invariant = path.from_invariant;
        match place.judge.standing(&place.constants, &state) {
            Standing::In => {}
            Standing::Out(broken) => {
                if place.judge.judges(&broken, from_invariant, before) {
                    self.contradiction(place, path.clone(), broken)?;
                }
                return Ok(Arrival::End);
            }
            Standing::Open => {
                self.walked.skipped += 1;
                return Ok(Arrival::End);
            }
        }
        match place.judge.properties(&place.constants, &state) {
            Some(broken) if broken.is_empty() => {}
            Some(broken) => {
                if place.judge.judges_properties(from_invariant, path.length()) {
                    self.contradiction(place, path.clone(), broken)?;
                }
                return Ok(Arrival::End);
            }
            None => {
                self.walked.skipped += 1;
                return Ok(Arrival::End);
            }
        }
        self.too_long(place, path)?;
        self.walked.states += 1;
        place.keep(&state, self.changes.die.below(tuning().walk.pool));
        place.seen.insert(state);
        Ok(Arrival::New)
    }

    /// A path from an initial state that the diameter rules out.
    fn too_long(&mut self, place: &Place<'_>, path: &Path) -> Found<()> {
        match place.judge.diameter {
            Some(depth) if path.length() >= depth => {
                self.contradiction(place, path.clone(), vec![Broken::Diameter(depth)])
            }
            _ => Ok(()),
        }
    }

    /// A state of Q that was not seen before: one that was, with other values of some variables.
    fn draw(&mut self, place: &mut Place<'_>) -> Option<State> {
        let model = self.question.model;
        for _ in 0..tuning().walk.attempts {
            if !place.is_open() {
                return None;
            }
            let scope = place.judge.eval.scope;
            let mut state = match place.pool.len() {
                0 => model.variables.iter().map(|v| self.changes.value(&v.ty, model, scope)).collect(),
                n => place.pool[self.changes.die.below(n)].clone(),
            };
            let changes = 1 + self.changes.die.below(tuning().walk.places);
            for _ in 0..changes.min(model.variables.len()) {
                let i = self.changes.die.below(model.variables.len());
                let new = self.changes.near(&state[i], &model.variables[i].ty, model, scope);
                state[i] = new;
            }
            if place.seen.contains(&state) || state.iter().any(Value::has_lazy) {
                continue;
            }
            place.work.portion(place.share);
            if matches!(place.judge.standing(&place.constants, &state), Standing::In) {
                self.walked.states += 1;
                place.keep(&state, self.changes.die.below(tuning().walk.pool));
                return Some(state);
            }
        }
        None
    }

    /// Edges of an event out of a state (of the initialisation, for `None`): with parameters that are thrown,
    /// then the first ones.
    fn edges(&mut self, place: &Place<'_>, event: Option<EventId>, state: &[Value]) -> Vec<Edge> {
        let Place { judge, constants, .. } = place;
        let mut edges: Vec<Edge> = vec![];
        let mut visit = |edge: Edge| {
            if !edges.contains(&edge) {
                edges.push(edge);
            }
            if edges.len() < tuning().walk.edges { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let model = self.question.model;
        if let Some(id) = event
            && let parameters = &model.events[id.index()].parameters
            && !parameters.is_empty()
        {
            for _ in 0..tuning().walk.throws {
                let thrown: Vec<Value> = parameters
                    .iter()
                    .map(|l| self.changes.value(&model.locals[l.index()].ty, model, judge.eval.scope))
                    .collect();
                place.work.portion(place.share / tuning().walk.throw_share);
                // Events that cannot be decided for these may be for others.
                let _ = judge.eval.each_edge_with(id, &thrown, constants, state, &mut visit);
            }
        }
        place.work.portion(place.share);
        let done = judge.eval.each_edge(event, constants, state, &mut visit);
        self.walked.skipped += u64::from(done.is_err());
        edges
    }

    /// Reports a contradiction if it is one without bounds on choices and work as well.
    fn contradiction(&mut self, place: &Place<'_>, path: Path, broken: Vec<Broken>) -> Found<()> {
        let mut plain = Evaluator::new(self.question.model, place.judge.eval.scope);
        plain.interrupt = self.question.interrupt;
        let judge = Judge::new(plain, self.question.claim);
        if !judge.confirms(&place.constants, &path.steps, path.from_invariant, &broken) {
            self.walked.skipped += 1;
            return Ok(());
        }
        let scope = place.judge.eval.scope.clone();
        let trace = Trace::new(scope, place.constants.clone(), path.steps);
        Err(Box::new(Contradiction { trace, from_invariant: path.from_invariant, broken }))
    }
}

impl Place<'_> {
    /// Returns whether there is work left.
    fn is_open(&self) -> bool {
        self.work.left() > self.reserve
    }

    /// Keeps a state to be changed, instead of another one if there are enough.
    fn keep(&mut self, state: &State, instead_of: usize) {
        if state.iter().any(Value::has_lazy) {
            return;
        }
        let is_full = self.pool.len() >= tuning().walk.pool;
        match self.pool.get_mut(instead_of) {
            Some(old) if is_full => *old = state.clone(),
            _ => self.pool.push(state.clone()),
        }
    }
}
