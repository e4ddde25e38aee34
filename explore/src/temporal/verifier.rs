//! Search of temporal formulas: formula by formula over one graph.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bsym_language::temporal::{Action, Atom, Temporal};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cut;
use bsym_semantics::trace::doubt::{self, Asked};
use bsym_semantics::verdict::{Condition, Observer, Reason, Vacuous, Verdict};

use super::acceptance::Fair;
use super::auditing::audit;
use super::automaton::Automaton;
use super::counterexample::{Refutation, refutation};
use super::graph::{Graph, ModelGraph};
use super::product::{Node, Product};
use super::propositions::{Executions, Propositions, predicates};
use super::search::{End, search};

use crate::options::Limits;
use crate::report::{Incomplete, Progress};
use crate::search::Problem;
use crate::search::constants::Question;
use crate::search::findings::Gaps;
use crate::session::{Session, Teller, with_session};
use crate::space::cached::Cached;
use crate::space::system::System;

/// Options of a check of temporal formulas.
#[derive(Clone, Debug, Default)]
pub struct TemporalOptions {
    /// Limits of the search. States are counted once for all formulas.
    pub limits: Limits,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// Uses the reference evaluator alone. For tests: the answer must be the same.
    pub reference_only: bool,
}

/// Report about one formula.
#[derive(Clone, Debug)]
pub struct FormulaReport<V> {
    /// The verdict on the formula.
    pub verdict: V,
    /// Why edges or truth values may be missing; empty if none is.
    pub incomplete: Vec<Incomplete>,
    /// Choices of which only some values were tried.
    pub cuts: Vec<Cut>,
    /// Counts.
    pub statistics: TemporalStatistics,
}

/// Report about one formula of linear time.
pub type TemporalReport = FormulaReport<TemporalVerdict>;

/// Answer to whether a formula holds: on every path that counts, where all states were visited, or not on one, which
/// was replayed. A contradiction is one between the search and the reference evaluator.
pub type TemporalVerdict = Verdict<(), String, Refutation>;

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TemporalStatistics {
    /// States that were found, for this formula and those before it.
    pub states: u64,
    /// Edges between them. They differ in the labels that the formulas distinguish.
    pub transitions: u64,
    /// Nodes: states, each with the obligations of the rest of the path, or with a part of a formula of branching time.
    pub nodes: u64,
    /// Duration.
    pub time: Duration,
}

/// Checks formulas in their order, each on all paths of a model. The result of each is reported at once.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn check(
    problem: &Problem<'_>,
    formulas: &[Temporal],
    options: &TemporalOptions,
    observer: &mut dyn Observer<Progress>,
    found: &mut dyn FnMut(usize, TemporalReport),
) {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let reference = session.reference(problem).with_all_choices();
        let alphabets: Vec<Alphabet<'_>> = formulas.iter().map(alphabet).collect();
        let mut verifier = Verifier::prepare(session, reference, &alphabets, options, observer);
        for (i, formula) in formulas.iter().enumerate() {
            verifier.share_time(formulas.len() - i);
            let begin = Instant::now();
            let (mut product, mut gaps) = (Product::default(), Gaps::default());
            let verdict = verifier.decide(formula, i, &mut product, &mut gaps);
            let verdict = verifier.weigh(verdict);
            found(i, verifier.report(verdict, &gaps, product.nodes.len() as u64, begin));
        }
    });
}

/// The part of a formula that the graph is made for.
pub(super) struct Alphabet<'m> {
    pub(super) atoms: &'m [Atom],
    /// It tells executions of an event apart.
    pub(super) needs_values: bool,
}

impl<'m> Alphabet<'m> {
    /// Returns the part of a formula with these atoms, and with `others` beside the actions in them.
    pub(super) fn of(atoms: &'m [Atom], others: [&[Action]; 2]) -> Alphabet<'m> {
        let of_atoms = atoms.iter().filter_map(|atom| match atom {
            Atom::Enabled(action) | Atom::Taken(action) => Some(action),
            _ => None,
        });
        let needs_values = of_atoms.chain(others.into_iter().flatten()).any(|a| !a.arguments.is_empty());
        Alphabet { atoms, needs_values }
    }
}

/// Formulas over one graph, of which one is decided at a time.
pub(super) struct Verifier<'m, 'o> {
    pub(super) graph: ModelGraph<'m>,
    pub(super) reference: Evaluator<'m>,
    pub(super) session: &'m Session<'m>,
    teller: Teller<'o>,
    /// Deadline of the current formula.
    until: Option<Instant>,
    pub(super) vacuous: Option<Vacuous>,
    pub(super) limited: Option<Reason>,
    initial: Option<Vec<u32>>,
    /// There are no other initial states.
    pub(super) knows_initial: bool,
    /// The labels of each formula's predicates.
    pub(super) predicates: Vec<Vec<crate::space::dependency_matrix::LabelId>>,
}

impl<'m, 'o> Verifier<'m, 'o> {
    /// Prepares the graph for these formulas.
    pub(super) fn prepare(
        session: &'m Session<'m>,
        reference: Evaluator<'m>,
        formulas: &[Alphabet<'m>],
        options: &TemporalOptions,
        observer: &'o mut dyn Observer<Progress>,
    ) -> Verifier<'m, 'o> {
        let (mut machine, valuations, gaps) =
            session.machine(&BTreeMap::new(), Question::default(), !options.reference_only);
        let labels = formulas
            .iter()
            .map(|formula| predicates(formula.atoms).map(|pred| machine.add_proposition(pred)).collect());
        let labels = labels.collect();
        let mut graph = Graph::new(Cached::new(machine), formulas.iter().any(|formula| formula.needs_values));
        graph.gaps = gaps;
        Verifier {
            graph,
            reference,
            session,
            teller: Teller::new(observer, Instant::now()),
            until: session.deadline,
            vacuous: valuations.vacuous,
            limited: valuations.limited,
            initial: None,
            knows_initial: false,
            predicates: labels,
        }
    }

    /// Gives the next of `formulas` formulas its part of the time that is left, so that none takes that of the others.
    pub(super) fn share_time(&mut self, formulas: usize) {
        let now = Instant::now();
        let left = self.session.deadline.map(|d| d.saturating_duration_since(now));
        self.until =
            left.and_then(|left| now.checked_add(left / u32::try_from(formulas).unwrap_or(u32::MAX)));
    }

    /// Makes the report about a formula that was decided since `begin`.
    pub(super) fn report<V>(&self, verdict: V, gaps: &Gaps, nodes: u64, begin: Instant) -> FormulaReport<V> {
        FormulaReport {
            verdict,
            incomplete: self.graph.gaps.incomplete.iter().chain(&gaps.incomplete).cloned().collect(),
            cuts: self.session.cuts.list(),
            statistics: TemporalStatistics {
                states: self.graph.table.len() as u64,
                transitions: self.graph.transitions,
                nodes,
                time: begin.elapsed(),
            },
        }
    }

    /// Returns why something may be missing although all states that were found are expanded.
    pub(super) fn gap(&self, gaps: &Gaps) -> Option<Reason> {
        let refuted = self.graph.gaps.refuted.as_ref().or(gaps.refuted.as_ref());
        if let Some(refuted) = refuted {
            Some(Reason::Refuted(refuted.clone()))
        } else if !self.graph.gaps.incomplete.is_empty() || !gaps.incomplete.is_empty() {
            Some(Reason::Incomplete(None))
        } else if !self.session.cuts.is_empty() {
            Some(Reason::Bounded(None))
        } else {
            self.limited.clone()
        }
    }

    /// Decides a formula. `gaps` gets the parts of the formula without a truth value in some state.
    fn decide(
        &mut self,
        temporal: &'m Temporal,
        number: usize,
        product: &mut Product,
        gaps: &mut Gaps,
    ) -> TemporalVerdict {
        let begin = Instant::now();
        let initial = self.initial();
        if let Some(why) = self.stopped(product.bytes()) {
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
        let Verifier { graph, reference, session, teller, until, .. } = self;
        let end = search(
            graph,
            (&mut *product, &mut automaton),
            (&mut propositions, &fair),
            &mut |graph, product| {
                let states = graph.table.len() as u64;
                teller.tell(|seconds| Progress {
                    states,
                    transitions: graph.transitions,
                    frontier: product.nodes.len() - product.expanded(),
                    rate: states as f64 / seconds,
                });
                stopped(session, *until, graph, product.bytes())
            },
            &mut |graph, path, continuation| refutation(graph, reference, temporal, path, continuation),
        );
        let failed = match end {
            End::Found(found) => return Verdict::Violated(Box::new(found)),
            End::Stopped(why) => return Verdict::Unknown(why),
            End::Complete(failed) => failed,
        };
        *gaps = std::mem::take(&mut propositions.gaps);
        let failed = || failed.map(Reason::ReplayFailed);
        if let Some(why) = self.stopped(product.bytes()).or_else(failed).or_else(|| self.gap(gaps)) {
            return Verdict::Unknown(why);
        }
        let took = begin.elapsed();
        match audit(&mut self.graph, &mut propositions, &temporal.atoms, &self.reference, took) {
            None => Verdict::Holds(()),
            Some(difference) => Verdict::Contradiction(difference),
        }
    }

    /// Returns the initial states under all valuations, which are found once.
    pub(super) fn initial(&mut self) -> Vec<u32> {
        if let Some(known) = &self.initial {
            return known.clone();
        }
        let mut all = Vec::new();
        for root in 0..self.graph.system.roots() {
            all.extend(self.graph.initial(root));
            if self.graph.system.is_stopped() {
                return all;
            }
        }
        let nothing = self.graph.gaps.incomplete.is_empty() && self.session.cuts.is_empty();
        if all.is_empty() && nothing {
            self.vacuous.get_or_insert(Vacuous::NoInitialState);
        }
        self.knows_initial = nothing && self.limited.is_none();
        self.initial = Some(all.clone());
        all
    }

    /// Returns why a search that uses so many bytes beside the graph must end.
    pub(super) fn stopped(&self, bytes: usize) -> Option<Reason> {
        stopped(self.session, self.until, &self.graph, bytes)
    }

    /// Tells how far a search of the graph is that has expanded so many states. Returns why it must end.
    pub(super) fn pulse(&mut self, expanded: usize, bytes: usize) -> Option<Reason> {
        let states = self.graph.table.len();
        let transitions = self.graph.transitions;
        self.teller.tell(|seconds| Progress {
            states: states as u64,
            transitions,
            frontier: states.saturating_sub(expanded),
            rate: states as f64 / seconds,
        });
        self.stopped(bytes)
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

    /// Adds the doubts about parts that a refinement dropped to the answer.
    fn weigh(&self, verdict: TemporalVerdict) -> TemporalVerdict {
        let model = self.reference.model;
        match verdict {
            Verdict::Holds(()) => {
                // A spurious step may hide that a path ends.
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
}

/// Returns why a search must end.
fn stopped(
    session: &Session<'_>,
    until: Option<Instant>,
    graph: &ModelGraph<'_>,
    bytes: usize,
) -> Option<Reason> {
    let over = session.over(until, graph.table.len());
    let memory = || session.out_of_memory(|| graph.bytes() + bytes);
    let is_full = || graph.system.is_stopped() || graph.is_full();
    over.or_else(memory).or_else(|| is_full().then_some(Reason::TooManyValues))
}

fn alphabet(temporal: &Temporal) -> Alphabet<'_> {
    let fairness = &temporal.fairness;
    let alphabet = Alphabet::of(&temporal.atoms, [&fairness.weak, &fairness.strong]);
    let needs_values = alphabet.needs_values || fairness.all_weak || fairness.all_strong;
    Alphabet { needs_values, ..alphabet }
}
