//! The search: formula by formula over one graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bsym_language::temporal::{Action, Atom, Temporal};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::{Cut, Cuts};
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::temporal::Continuation;
use bsym_semantics::trace::doubt::{self, Asked};
use bsym_semantics::verdict::{Condition, Observer, Reason, Vacuous, Verdict};

use super::acceptance::{Acceptance, Fair};
use super::auditing::audit;
use super::automaton::Automaton;
use super::counterexample::{Refutation, Steps, refutation};
use super::graph::Graph;
use super::product::{Finite, Node, Product};
use super::propositions::{Executions, Propositions};
use crate::options::{Limits, SearchOptions};
use crate::report::{Incomplete, Progress};
use crate::search::Problem;
use crate::search::constants::{Question, Valuations};
use crate::search::findings::Gaps;
use crate::space::machine::Machine;
use crate::space::system::System;
use crate::store::interner::Store;

/// How often limits are looked at, in nodes.
const PULSE: usize = 256;
/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(500);
/// Nodes from which on loops are looked for; then whenever there are twice as many.
const FIRST_LOOK: usize = 1 << 10;

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct TemporalOptions {
    /// When to give up. States are counted once for all formulas.
    pub limits: Limits,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// Use the reference evaluator alone. For tests: the answer must be the same.
    pub reference_only: bool,
}

/// The answer about one formula.
#[derive(Clone, Debug)]
pub struct TemporalReport {
    /// The answer.
    pub verdict: TemporalVerdict,
    /// Why edges or truth values may be missing; empty if none is.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only a part of the values was looked at.
    pub cuts: Vec<Cut>,
    /// Counts.
    pub statistics: TemporalStatistics,
}

/// Answer to whether a formula holds: on every path that counts, where all states were visited, or not on one, which was
/// replayed. A contradiction is one between the search and the reference evaluator.
pub type TemporalVerdict = Verdict<(), String, Refutation>;

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TemporalStatistics {
    /// States that were found, for this formula and those before it.
    pub states: u64,
    /// Edges between them; those that differ in what the formulas tell apart.
    pub transitions: u64,
    /// States, each with what the rest of the path owes.
    pub nodes: u64,
    /// Duration.
    pub time: Duration,
}

/// Asks formulas, in their order, each about all paths of a model. What is known of one is told at once.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn check(
    problem: &Problem<'_>,
    formulas: &[Temporal],
    options: &TemporalOptions,
    observer: &mut dyn Observer<Progress>,
    found: &mut dyn FnMut(usize, TemporalReport),
) {
    let begin = Instant::now();
    let deadline = options.limits.time.and_then(|t| begin.checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let cuts = Cuts::default();
        let eval = problem.evaluator(interrupt, &cuts);
        let reference_cuts = Cuts::default();
        let reference = problem.reference(interrupt, &reference_cuts).with_all_choices();
        let mut verifier = Verifier::prepare(eval, reference, &cuts, formulas, options, deadline, observer);
        for (i, formula) in formulas.iter().enumerate() {
            verifier.share_time(formulas.len() - i);
            let report = verifier.check(formula, i);
            found(i, report);
        }
    });
}

struct Verifier<'m, 'o> {
    graph: Graph<'m>,
    reference: Evaluator<'m>,
    cuts: &'o Cuts,
    options: &'o TemporalOptions,
    observer: &'o mut dyn Observer<Progress>,
    begin: Instant,
    /// The end of all, and of the formula at hand.
    deadline: Option<Instant>,
    until: Option<Instant>,
    next_progress: Duration,
    vacuous: Option<Vacuous>,
    limited: Option<Reason>,
    initial: Option<Vec<u32>>,
    /// The labels of each formula's predicates.
    predicates: Vec<Vec<crate::space::dependency_matrix::LabelId>>,
}

impl<'m, 'o> Verifier<'m, 'o> {
    fn prepare(
        eval: Evaluator<'m>,
        reference: Evaluator<'m>,
        cuts: &'o Cuts,
        formulas: &'m [Temporal],
        options: &'o TemporalOptions,
        deadline: Option<Instant>,
        observer: &'o mut dyn Observer<Progress>,
    ) -> Verifier<'m, 'o> {
        let search = SearchOptions { limits: options.limits.clone(), ..SearchOptions::default() };
        let valuations = Valuations::of(&eval, cuts, &search, Question::default());
        let mut machine = Machine::new(eval, valuations.found, Store::default(), !options.reference_only);
        machine.context.deadline = deadline;
        machine.context.cancelled = options.cancelled.clone();
        machine.context.stopped = valuations.interrupted;
        let predicates = formulas.iter().map(|formula| {
            Propositions::predicates(&formula.atoms).map(|pred| machine.add_proposition(pred)).collect()
        });
        let predicates = predicates.collect();
        let mut graph = Graph::new(machine, formulas.iter().any(needs_values));
        for (place, e) in valuations.missing {
            graph.gaps.missing(place, e);
        }
        Verifier {
            graph,
            reference,
            cuts,
            options,
            observer,
            begin: Instant::now(),
            deadline,
            until: deadline,
            next_progress: PROGRESS,
            vacuous: valuations.vacuous,
            limited: valuations.limited,
            initial: None,
            predicates,
        }
    }

    /// Gives the next of so many formulas its part of the time that is left: none takes that of the others.
    fn share_time(&mut self, formulas: usize) {
        let now = Instant::now();
        let left = self.deadline.map(|d| d.saturating_duration_since(now));
        self.until =
            left.and_then(|left| now.checked_add(left / u32::try_from(formulas).unwrap_or(u32::MAX)));
    }

    fn check(&mut self, temporal: &'m Temporal, number: usize) -> TemporalReport {
        let begin = Instant::now();
        let (mut product, mut gaps) = (Product::default(), Gaps::default());
        let verdict = self.decide(temporal, number, &mut product, &mut gaps);
        let verdict = self.weigh(verdict);
        TemporalReport {
            verdict,
            incomplete: self.graph.gaps.incomplete.iter().chain(&gaps.incomplete).cloned().collect(),
            cuts: self.cuts.list(),
            statistics: TemporalStatistics {
                states: self.graph.table.len() as u64,
                transitions: self.graph.transitions,
                nodes: product.nodes.len() as u64,
                time: begin.elapsed(),
            },
        }
    }

    /// The answer; `gaps` gets what of the formula has no truth value somewhere.
    fn decide(
        &mut self,
        temporal: &'m Temporal,
        number: usize,
        product: &mut Product,
        gaps: &mut Gaps,
    ) -> TemporalVerdict {
        let begin = Instant::now();
        let initial = self.initial();
        if let Some(why) = self.stopped(product) {
            return Verdict::Unknown(why);
        }
        if let Some(vacuous) = self.vacuous {
            return vacuous.into();
        }
        let mut automaton = match Automaton::of_counterexamples(&temporal.formula, temporal.atoms.len()) {
            Ok(automaton) => automaton,
            Err(too) => {
                return Verdict::Unknown(Reason::Refused(format!("it has more than {} {}", too.1, too.0)));
            }
        };
        let made = Propositions::new(&self.graph, &temporal.atoms, &self.predicates[number]);
        let (mut propositions, fair) = match (made, self.fairness(temporal)) {
            (Ok(propositions), Ok(fair)) => (propositions, fair),
            (Err(why), _) | (_, Err(why)) => return Verdict::Unknown(Reason::Refused(why)),
        };
        for state in initial {
            product.begin(Node { state, location: automaton.initial() });
        }
        let mut look = FIRST_LOOK;
        let mut failed = None;
        while !product.is_complete() {
            let finite = product.expand(&mut self.graph, &mut propositions, &mut automaton);
            if let Some(finite) = finite {
                match self.finite(temporal, product, finite) {
                    Ok(found) => return Verdict::Violated(Box::new(found)),
                    Err(why) => failed = failed.or(Some(why)),
                }
            }
            let n = product.expanded();
            if (n.is_multiple_of(PULSE) || self.graph.machine.is_stopped())
                && let Some(why) = self.pulse(product)
            {
                return Verdict::Unknown(why);
            }
            if n >= look {
                look = 2 * n;
                match self.look(temporal, product, &fair, &automaton) {
                    Some(Ok(found)) => return Verdict::Violated(Box::new(found)),
                    Some(Err(why)) => failed = failed.or(Some(why)),
                    None => {}
                }
            }
        }
        match self.look(temporal, product, &fair, &automaton) {
            Some(Ok(found)) => return Verdict::Violated(Box::new(found)),
            Some(Err(why)) => failed = failed.or(Some(why)),
            None => {}
        }
        *gaps = std::mem::take(&mut propositions.gaps);
        let refuted = self.graph.gaps.refuted.as_ref().or(gaps.refuted.as_ref());
        let unknown = if let Some(why) = self.stopped(product) {
            why
        } else if let Some(why) = failed {
            Reason::ReplayFailed(why)
        } else if let Some(refuted) = refuted {
            Reason::Refuted(refuted.clone())
        } else if !self.graph.gaps.incomplete.is_empty() || !gaps.incomplete.is_empty() {
            Reason::Incomplete(None)
        } else if !self.cuts.is_empty() {
            Reason::Bounded(None)
        } else if let Some(limited) = self.limited.clone() {
            limited
        } else {
            let took = begin.elapsed();
            return match audit(&mut self.graph, &mut propositions, temporal, &self.reference, took) {
                None => Verdict::Holds(()),
                Some(difference) => Verdict::Contradiction(difference),
            };
        };
        Verdict::Unknown(unknown)
    }

    /// The initial states under all valuations; found once.
    fn initial(&mut self) -> Vec<u32> {
        if let Some(known) = &self.initial {
            return known.clone();
        }
        let mut all = Vec::new();
        for root in 0..self.graph.machine.roots() {
            all.extend(self.graph.initial(root));
            if self.graph.machine.is_stopped() {
                return all;
            }
        }
        let nothing = self.graph.gaps.incomplete.is_empty() && self.cuts.is_empty();
        if all.is_empty() && nothing {
            self.vacuous.get_or_insert(Vacuous::NoInitialState);
        }
        self.initial = Some(all.clone());
        all
    }

    fn fairness(&self, temporal: &Temporal) -> Result<Fair, String> {
        let of = |actions: &[Action]| {
            actions.iter().map(|a| Executions::of(&self.graph, a)).collect::<Result<Vec<_>, String>>()
        };
        let fairness = &temporal.fairness;
        Ok(Fair {
            weak: of(&fairness.weak)?,
            strong: of(&fairness.strong)?,
            all_weak: fairness.all_weak,
            all_strong: fairness.all_strong,
        })
    }

    fn finite(&self, temporal: &Temporal, product: &Product, finite: Finite) -> Result<Refutation, String> {
        let (path, continuation) = match finite {
            Finite::Ends(node) => (product.path(node), Continuation::Ends),
            Finite::Decided(node, label, to) => {
                let mut path = product.path(node);
                path.push((Some(label), to));
                (path, Continuation::Open)
            }
        };
        refutation(&self.graph, &self.reference, temporal, &path, continuation)
    }

    /// Looks for a loop among what was expanded.
    fn look(
        &mut self,
        temporal: &Temporal,
        product: &Product,
        fair: &Fair,
        automaton: &Automaton,
    ) -> Option<Result<Refutation, String>> {
        let promises = automaton.promises();
        let found = Acceptance { graph: &mut self.graph, product, fair, promises }.find()?;
        let mut path: Steps = product.path(found.begin);
        let begin = path.len() - 1;
        path.extend(found.edges.iter().map(|e| (Some(e.label), product.nodes[e.to as usize].state)));
        let continuation = Continuation::Loop(begin);
        Some(refutation(&self.graph, &self.reference, temporal, &path, continuation))
    }

    /// What was dropped from a refinement is part of the answer.
    fn weigh(&self, verdict: TemporalVerdict) -> TemporalVerdict {
        let model = self.reference.model;
        match verdict {
            Verdict::Holds(()) => {
                // A step that is none may hide that a path ends.
                let asked = Asked { invariant: false, assertions: false, deadlock: true };
                let parts: Vec<String> =
                    doubt::left_open(model, asked).into_iter().map(|d| d.describe(model)).collect();
                match parts.is_empty() {
                    true => Verdict::Holds(()),
                    false => Verdict::Conditional((), vec![Condition::NotChecked(parts)]),
                }
            }
            Verdict::Violated(found) => match doubt::doubt(model, &found.trace) {
                Some(dropped) => Verdict::Doubtful(found, doubt::sentence(model, dropped)),
                None => Verdict::Violated(found),
            },
            other => other,
        }
    }

    /// Why the search has to end, looked at now and then.
    fn pulse(&mut self, product: &Product) -> Option<Reason> {
        let elapsed = self.begin.elapsed();
        if elapsed >= self.next_progress {
            self.next_progress = elapsed + PROGRESS;
            let states = self.graph.table.len() as u64;
            self.observer.progress(&Progress {
                states,
                transitions: self.graph.transitions,
                frontier: product.nodes.len() - product.expanded(),
                rate: states as f64 / elapsed.as_secs_f64().max(1e-9),
            });
        }
        self.stopped(product)
    }

    fn stopped(&self, product: &Product) -> Option<Reason> {
        let limits = &self.options.limits;
        let machine_stopped = self.graph.machine.is_stopped();
        if self.options.cancelled.load(Ordering::Relaxed) {
            return Some(Reason::Interrupted);
        }
        if self.until.is_some_and(|d| Instant::now() >= d) {
            return Some(Reason::Timeout);
        }
        if let Some(most) = limits.states.filter(|most| self.graph.table.len() > *most) {
            return Some(Reason::StateLimit(most));
        }
        if let Some(most) = limits.memory.filter(|most| self.graph.bytes() + product.bytes() > *most) {
            return Some(Reason::MemoryOfStates(most));
        }
        (machine_stopped || self.graph.is_full()).then_some(Reason::TooManyValues)
    }
}

/// Whether a formula tells executions of an event apart.
fn needs_values(temporal: &Temporal) -> bool {
    let fairness = &temporal.fairness;
    let of_atoms = temporal.atoms.iter().filter_map(|atom| match atom {
        Atom::Enabled(action) | Atom::Taken(action) => Some(action),
        _ => None,
    });
    let mut actions = of_atoms.chain(&fairness.weak).chain(&fairness.strong);
    fairness.all_weak || fairness.all_strong || actions.any(|a| !a.arguments.is_empty())
}
