//! Search of a refinement: pair by pair, breadth-first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bsym_language::model::{ConstId, EventId, Model, SideBySide};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cut;
use bsym_semantics::refinement::Levels;
use bsym_semantics::trace::replay::{Checks, replay_with};
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::open_constants::unread_constants;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Counterexample, Observer, Reason, Vacuous, Verdict};

use super::auditing::audit;
use super::counterexample::{Beside, Path, PathStep, Unmatched, UnmatchedStep, trace_of, unmatched};
use super::pairs::{Call, Follow, Pair, Pairs, Step};

use crate::options::Limits;
use crate::report::{Incomplete, Progress};
use crate::search::Problem;
use crate::search::constants::Question;
use crate::search::findings::{failure, is_interrupted};
use crate::session::{Session, Teller, with_session};
use crate::space::system::System;
use crate::store::state_table::{INITIAL, StateId, Table};
use crate::tuning::{Tuning, tuning};

/// Options of a refinement check.
#[derive(Clone, Debug, Default)]
pub struct RefinementOptions {
    /// Limits of the search. States are pairs of a state of the refinement with its abstract states.
    pub limits: Limits,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// Accept operations that abort because something is ill-defined.
    pub no_well_definedness: bool,
    /// Uses the reference evaluator alone. For tests: the answer must be the same.
    pub reference_only: bool,
}

/// Report of a refinement check.
#[derive(Clone, Debug)]
pub struct RefinementReport {
    /// Verdict: whether the refinement is correct.
    pub verdict: RefinementVerdict,
    /// Findings about the refinement's own states, in those reached by calls that are allowed.
    pub own: Own,
    /// Operations of which single pairs of states have no follower: the gluing invariant does not prove them.
    pub weak: Vec<WeakGluing>,
    /// Why steps may be missing; empty if none is.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only some values were tried.
    pub cuts: Vec<Cut>,
    /// Constants that nothing reads, of which one value was taken although there may be others.
    pub left_open: BTreeSet<ConstId>,
    /// Pairs of a state of the refinement with its abstract states.
    pub pairs: u64,
    /// Steps that were followed.
    pub steps: u64,
    /// Abstract states, each counted once.
    pub abstract_states: u64,
    /// Duration.
    pub time: Duration,
}

/// Answer to whether a refinement refines its abstractions: every step that may be made is matched, and all pairs were
/// visited, or one is not. A contradiction is one between the search and the reference reading.
pub type RefinementVerdict = Verdict<(), String, Unmatched>;

/// Verdict on the refinement's own states: whether the invariant and the assertions hold in the states that were
/// visited, and nothing fails on the way.
#[derive(Clone, PartialEq, Debug)]
pub enum Own {
    /// They hold, and nothing fails.
    Holds,
    /// They do not hold at the end of this trace, all of whose calls are allowed.
    Violated(Box<Counterexample>),
    /// The result is not known.
    Unclear,
}

/// An obligation that is open although the refinement may be right: one of several abstract states has no follower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeakGluing {
    /// The event.
    pub event: EventId,
    /// The arguments.
    pub parameters: Vec<Value>,
    /// The results.
    pub results: Vec<Value>,
    /// The state of the refinement before the step.
    pub before: State,
    /// The state of the refinement after the step.
    pub after: State,
    /// The abstract state that cannot follow.
    pub abstract_state: State,
}

/// Checks whether a refinement is correct. `problem` is about the model of all levels, which is that of `parts`;
/// `model` is the refinement, in which traces are shown.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn check(
    problem: &Problem<'_>,
    parts: &SideBySide,
    model: &Model,
    options: &RefinementOptions,
    observer: &mut dyn Observer<Progress>,
) -> RefinementReport {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let reference = session.reference(problem).with_all_choices();
        let own_evaluator = session.reference(&Problem { model, ..*problem }).with_all_choices();
        // Questions about the refinement alone are separate from those about all levels together.
        let may_leave_open = unread_constants(problem.model).is_subset(&unread_constants(model));
        let question = Question { may_leave_open, ..Question::default() };
        let (machine, valuations, gaps) =
            session.machine(&BTreeMap::new(), question, !options.reference_only);
        let mut pairs = Pairs::new(machine, parts, &session.cuts);
        pairs.gaps = gaps;
        let mut search = Search {
            pairs,
            nodes: Table::new(3),
            reference,
            own_evaluator,
            options,
            session,
            teller: Teller::new(observer, session.begin),
            weak: Vec::new(),
            own: Own::Holds,
            is_unclear: false,
            left_open: valuations.left_open,
            steps: 0,
        };
        let mut verdict = match valuations.vacuous {
            Some(why) => why.into(),
            None => search.run(),
        };
        if let (Verdict::Holds(()), Some(limited)) = (&verdict, valuations.limited) {
            verdict = Verdict::Unknown(limited);
        }
        search.report(verdict)
    })
}

struct Search<'m, 'o> {
    pairs: Pairs<'m>,
    /// Pairs, each with the one that it was first reached from. A third word is 1 if an earlier step was owed in some
    /// of the abstract states only: then an unmatched step is the gluing's fault.
    nodes: Table,
    reference: Evaluator<'m>,
    /// Evaluator of the refinement alone.
    own_evaluator: Evaluator<'m>,
    options: &'o RefinementOptions,
    session: &'m Session<'m>,
    teller: Teller<'o>,
    weak: Vec<WeakGluing>,
    own: Own,
    /// `true` if some property of the refinement could not be evaluated.
    is_unclear: bool,
    left_open: BTreeSet<ConstId>,
    steps: u64,
}

/// End of a search.
enum End {
    Found(Result<Box<Unmatched>, String>),
    Stopped(Reason),
}

impl Search<'_, '_> {
    fn run(&mut self) -> RefinementVerdict {
        let mut failed = None;
        let end = self.visit();
        match end {
            Some(End::Found(Ok(found))) => return Verdict::Violated(found),
            Some(End::Found(Err(why))) => failed = Some(why),
            Some(End::Stopped(why)) => return Verdict::Unknown(why),
            None => {}
        }
        let unknown = if let Some(why) = self.stopped() {
            why
        } else if let Some(why) = failed {
            Reason::ReplayFailed(why)
        } else if let Some(refuted) = self.pairs.gaps.refuted.clone() {
            Reason::Refuted(refuted)
        } else if self.is_unclear || !self.pairs.gaps.incomplete.is_empty() {
            Reason::Incomplete(None)
        } else if !self.pairs.cuts().is_empty() {
            Reason::Bounded(None)
        } else if self.nodes.is_empty() {
            return Vacuous::NoInitialState.into();
        } else {
            let took = self.session.begin.elapsed();
            let no_well_definedness = self.options.no_well_definedness;
            return match audit(&mut self.pairs, &self.nodes, &self.reference, took, no_well_definedness) {
                None => Verdict::Holds(()),
                Some(difference) => Verdict::Contradiction(difference),
            };
        };
        Verdict::Unknown(unknown)
    }

    fn visit(&mut self) -> Option<End> {
        for root in 0..self.pairs.machine.roots() {
            let (initial, failed) = self.pairs.initial(root);
            if let Some(end) = failed.and_then(|outcome| self.initialisation_aborts(root, &outcome)) {
                return Some(end);
            }
            for (state, set) in initial {
                match set {
                    Some(set) => self.add((state, set), true, INITIAL),
                    None => {
                        if self.pairs.gaps.incomplete.is_empty() && !self.pairs.machine.is_stopped() {
                            return Some(self.found(None, UnmatchedStep::Initialisation, Some(state)));
                        }
                        self.is_unclear = true;
                    }
                }
            }
            if self.pairs.machine.is_stopped() {
                return self.stopped().map(End::Stopped);
            }
        }
        let mut next = 0;
        while next < self.nodes.len() {
            if next.is_multiple_of(Tuning::DEFAULT.refinement.pulse) || self.pairs.machine.is_stopped() {
                self.tell_progress(next);
                if let Some(why) = self.stopped() {
                    return Some(End::Stopped(why));
                }
            }
            let node = next as StateId;
            next += 1;
            if let Some(end) = self.expand(node) {
                return Some(end);
            }
        }
        None
    }

    fn expand(&mut self, node: StateId) -> Option<End> {
        let pair = self.pair(node);
        let is_owed = self.nodes.row(node)[2] == 0;
        for event in (0..self.pairs.parts.operations.len() as u32).map(EventId) {
            match self.pairs.narrowed(pair, event) {
                Some(arguments) => {
                    for parameters in arguments.into_iter().filter(|_| is_owed) {
                        match self.pairs.call(pair, event, &parameters) {
                            Call::MustEnd => {
                                let step = UnmatchedStep::Precondition { event, parameters };
                                return Some(self.found(Some(node), step, None));
                            }
                            Call::Unclear if self.pairs.machine.is_stopped() => {
                                return self.stopped().map(End::Stopped);
                            }
                            Call::Unclear => self.is_unclear = true,
                            // Nothing is owed where the abstraction may do anything.
                            Call::Forbidden | Call::Aborts | Call::Unknown => {}
                        }
                    }
                }
                None if self.pairs.machine.is_stopped() => return self.stopped().map(End::Stopped),
                None => self.is_unclear = true,
            }
        }
        let steps = self.pairs.steps(pair);
        for (event, parameters, outcome) in steps.failed.into_iter().filter(|_| is_owed) {
            let call = self.pairs.call(pair, event, &parameters);
            if call != Call::Forbidden && self.own == Own::Holds {
                self.own = Own::Unclear;
            }
            match call {
                Call::MustEnd if self.counts(&outcome) => {
                    let step = UnmatchedStep::Abort { event: Some(event), parameters };
                    return Some(self.found(Some(node), step, None));
                }
                Call::Unclear if self.pairs.machine.is_stopped() => {
                    return self.stopped().map(End::Stopped);
                }
                Call::Unclear => self.is_unclear = true,
                Call::MustEnd | Call::Forbidden | Call::Aborts | Call::Unknown => {}
            }
        }
        for step in steps.reached {
            self.steps += 1;
            match self.pairs.follow(pair, &step) {
                Follow::Set(set, lonely) => {
                    self.add((step.to, set), is_owed, node);
                    self.note_weak(pair, &step, lonely);
                }
                // If all owed steps are followed, the rest of the abstract states is not lost.
                Follow::Free(set, lonely) => {
                    if let Some(set) = set {
                        self.add((step.to, set), false, node);
                    }
                    self.note_weak(pair, &step, lonely);
                }
                Follow::Nothing if !is_owed => {
                    let first = self.pairs.sets[pair.1 as usize][0];
                    self.note_weak(pair, &step, Some(first));
                }
                Follow::Nothing => {
                    let Step { event, parameters, results, to } = step;
                    let step = UnmatchedStep::Step { event, parameters, results };
                    return Some(self.found(Some(node), step, Some(to)));
                }
                Follow::Unclear if self.pairs.machine.is_stopped() => {
                    return self.stopped().map(End::Stopped);
                }
                Follow::Unclear => self.is_unclear = true,
            }
        }
        None
    }

    /// Tests whether a step that fails like this aborts.
    fn counts(&self, outcome: &Outcome) -> bool {
        !(self.options.no_well_definedness && matches!(outcome, Outcome::IllDefined(_)))
    }

    /// Judges an initialisation that fails: that of the refinement must not fail where those of the abstractions
    /// cannot.
    fn initialisation_aborts(&mut self, root: usize, outcome: &Outcome) -> Option<End> {
        let constants = self.pairs.machine.context.valuations[root].clone();
        let own = self.own_evaluator.initial_states(&constants);
        let fails = own.edges.iter().any(|edge| edge.state().is_none() && self.counts(&edge.outcome));
        let levels = Levels { eval: &self.reference, parts: self.pairs.parts, constants: &constants };
        if fails && levels.abstract_initialisation_aborts() == Ok(false) {
            let (own, reference) = (&self.own_evaluator, &self.reference);
            let last = UnmatchedStep::Abort { event: None, parameters: vec![] };
            let path = Path { constants, steps: vec![], reached: None };
            return Some(End::Found(unmatched(own, reference, self.pairs.parts, path, last).map(Box::new)));
        }
        if !is_interrupted(&failure(outcome)) {
            self.pairs.gaps.missing("INITIALISATION", failure(outcome));
        }
        None
    }

    fn add(&mut self, pair: Pair, is_owed: bool, from: StateId) {
        let row = [pair.0, pair.1, u32::from(!is_owed)];
        let hash = self.nodes.hash(&row);
        let (node, is_new) = self.nodes.add(&row, hash, from);
        if is_new && is_owed && self.own == Own::Holds {
            self.own = match self.pairs.is_good(pair) {
                Some(true) => Own::Holds,
                Some(false) => self.bad(node).map_or(Own::Unclear, |found| Own::Violated(Box::new(found))),
                None => Own::Unclear,
            };
        }
    }

    /// The trace to a state in which a property of the refinement is false.
    fn bad(&mut self, node: StateId) -> Option<Counterexample> {
        let (path, constants) = self.path(Some(node)).ok()?;
        let trace = trace_of(&self.own_evaluator, &constants, &path).ok()?;
        let checks = Checks { assertions: true, ..Checks::default() };
        let violations = replay_with(&self.own_evaluator, &trace, &checks).ok()?.violations;
        (!violations.is_empty()).then_some(Counterexample { trace, violations })
    }

    fn pair(&self, node: StateId) -> Pair {
        let row = self.nodes.row(node);
        (row[0], row[1])
    }

    fn note_weak(&mut self, pair: Pair, step: &Step, abstract_state: Option<StateId>) {
        let Some(abstract_state) = abstract_state else { return };
        if self.weak.len() >= tuning().refinement.obligations
            || self.weak.iter().any(|w| w.event == step.event)
        {
            return;
        }
        let state = |concrete: StateId| self.pairs.machine.state(&self.pairs.row(concrete, abstract_state));
        let (mut before, mut after) = (state(pair.0), state(step.to));
        let width = self.pairs.parts.levels.first().map_or(0, |level| level.variables.start);
        let abstract_state = before.split_off(width);
        after.truncate(width);
        let Step { event, parameters, results, .. } = step.clone();
        self.weak.push(WeakGluing { event, parameters, results, before, after, abstract_state });
    }

    /// The trace to a step that nothing matches.
    fn found(&mut self, node: Option<StateId>, last: UnmatchedStep, to: Option<StateId>) -> End {
        let (path, mut constants) = match self.path(node) {
            Ok(found) => found,
            Err(why) => return End::Found(Err(why)),
        };
        if let Some(to) = to {
            constants = self.constants(to);
        }
        let reached = to.map(|to| self.pairs.concrete_values(to));
        let (own, reference) = (&self.own_evaluator, &self.reference);
        let path = Path { constants, steps: path, reached };
        End::Found(unmatched(own, reference, self.pairs.parts, path, last).map(Box::new))
    }

    fn constants(&self, concrete: StateId) -> Constants {
        self.pairs.machine.context.valuations[self.pairs.valuation(concrete)].clone()
    }

    /// The pairs on the path to one, and the constants.
    fn path(&mut self, node: Option<StateId>) -> Result<(Vec<PathStep>, Constants), String> {
        let mut nodes = Vec::new();
        let mut at = node;
        while let Some(node) = at {
            nodes.push(node);
            at = Some(self.nodes.parent(node)).filter(|n| *n != INITIAL);
        }
        nodes.reverse();
        let mut path = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            let pair = self.pair(*node);
            let step = match i {
                0 => None,
                _ => {
                    let before = self.pair(nodes[i - 1]);
                    let steps = self.pairs.steps(before).reached;
                    let leads = |s: &Step| {
                        s.to == pair.0
                            && matches!(self.pairs.follow(before, s), Follow::Set(set, _) if set == pair.1)
                    };
                    let step = steps.into_iter().find(leads);
                    Some(step.ok_or_else(|| format!("no step leads to state {i} of the trace"))?)
                }
            };
            let state = self.pairs.concrete_state(pair);
            path.push(PathStep {
                seen: step.map(|s| (s.event, s.parameters, s.results)),
                state,
                related: Beside::Found(self.pairs.abstract_states(pair)),
            });
        }
        let constants = nodes.first().map(|node| self.constants(self.pair(*node).0));
        Ok((path, constants.unwrap_or_default()))
    }

    fn tell_progress(&mut self, expanded: usize) {
        let states = self.nodes.len() as u64;
        self.teller.tell(|seconds| Progress {
            states,
            transitions: self.steps,
            frontier: self.nodes.len() - expanded,
            rate: states as f64 / seconds,
        });
    }

    fn stopped(&self) -> Option<Reason> {
        let Search { pairs, nodes, session, .. } = self;
        let over = session.over(session.deadline, nodes.len());
        let memory = || session.out_of_memory(|| pairs.bytes() + nodes.bytes());
        let is_full = || nodes.is_full() || pairs.concrete.is_full() || pairs.abstracts.is_full();
        let is_stopped = || pairs.machine.is_stopped() || is_full();
        over.or_else(memory).or_else(|| is_stopped().then_some(Reason::TooManyValues))
    }

    fn report(self, verdict: RefinementVerdict) -> RefinementReport {
        RefinementReport {
            verdict,
            own: self.own,
            weak: self.weak,
            cuts: self.pairs.cuts(),
            left_open: self.left_open,
            incomplete: self.pairs.gaps.incomplete,
            pairs: self.nodes.len() as u64,
            steps: self.steps,
            abstract_states: self.pairs.abstracts.len() as u64,
            time: self.session.begin.elapsed(),
        }
    }
}
