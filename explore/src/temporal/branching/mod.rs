//! Formulas of branching time over the states of a model.
//!
//! The states are found breadth-first. Whenever their number has doubled, and at the end, `labelling` computes in which of
//! them the formula is certainly true and in which it may be, given what was seen: the answer is known as soon as these
//! agree in the initial states. `evidence` follows one path that shows why; it becomes a trace of the reference
//! evaluator. Some states are then compared with the reference evaluator, because the answer rests on all of them.

mod evidence;
mod labelling;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use bsym_language::temporal::{Atom, Branching};
use bsym_semantics::temporal::Continuation;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::doubt::{Asked, left_open};
use bsym_semantics::value::env::Env;
use bsym_semantics::verdict::{Condition, Observer, Reason, Verdict};

use self::evidence::{PathEnd, show};
use self::labelling::{Bound, Labelling, Structure};
use super::auditing::audit;
use super::counterexample::{Steps, trace_of};
use super::propositions::Propositions;
use super::verifier::{Alphabet, FormulaReport, TemporalOptions, Verifier};
use crate::report::Progress;
use crate::search::Problem;
use crate::search::findings::Gaps;
use crate::session::with_session;
use crate::space::cached::Cached;
use crate::space::machine::Machine;
use crate::space::system::System;
use crate::store::state_table::StateId;
use crate::tuning::{Tuning, tuning};

/// A path that shows why a formula is true or false, as far as one path can: it was replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// From an initial state. The last state of a loop is the one with which it begins.
    pub trace: Trace,
    /// Continuation of the path; open where a claim remains.
    pub continuation: Continuation,
    /// The part of the text, in bytes, that is true or false in the last state.
    pub claim: Option<((usize, usize), bool)>,
}

/// Answer to whether all initial states satisfy a formula. There is evidence of a formula that holds where a path shows
/// something.
pub type BranchingVerdict = Verdict<Option<Evidence>, String, Evidence>;

/// Report about one formula of branching time.
pub type BranchingReport = FormulaReport<BranchingVerdict>;

/// Checks formulas in their order, each in all initial states. The result of each is reported at once.
///
/// It recurses along formulas: call it inside [`bsym_language::stack::with_large_stack`].
pub fn check_branching(
    problem: &Problem<'_>,
    formulas: &[Branching],
    options: &TemporalOptions,
    observer: &mut dyn Observer<Progress>,
    found: &mut dyn FnMut(usize, BranchingReport),
) {
    with_session(problem, &options.limits, &options.cancelled, |session| {
        let reference = session.reference(problem).with_all_choices();
        let alphabets: Vec<Alphabet<'_>> =
            formulas.iter().map(|f| Alphabet::of(&f.atoms, [&[], &[]])).collect();
        let mut verifier = Verifier::prepare(session, reference, &alphabets, options, observer);
        for (i, formula) in formulas.iter().enumerate() {
            verifier.share_time(formulas.len() - i);
            let (begin, mut gaps) = (Instant::now(), Gaps::default());
            let verdict = decide(&mut verifier, formula, i, &mut gaps);
            let verdict = weigh(&verifier, verdict);
            let nodes = verifier.graph.table.len() as u64 * formula.size as u64;
            found(i, verifier.report(verdict, &gaps, nodes, begin));
        }
    });
}

/// Bytes of a state in the sets of a formula and in the copy of its edges, about.
const BYTES: usize = 128;

/// The propositions of a model.
type ModelPropositions<'m> = Propositions<Cached<Machine<'m>>>;

/// Decides a formula. `gaps` gets the parts of the formula without a truth value in some state.
fn decide<'m>(
    verifier: &mut Verifier<'m, '_>,
    formula: &'m Branching,
    number: usize,
    gaps: &mut Gaps,
) -> BranchingVerdict {
    let begin = Instant::now();
    let initial = verifier.initial();
    // The limit of states leaves those that were found for other formulas.
    if verifier.graph.system.is_stopped() {
        return Verdict::Unknown(verifier.stopped(0).unwrap_or(Reason::Interrupted));
    }
    if let Some(vacuous) = verifier.vacuous {
        return vacuous.into();
    }
    let knows_all = verifier.knows_initial;
    let mut propositions =
        match Propositions::new(&verifier.graph, &formula.atoms, &verifier.predicates[number]) {
            Ok(propositions) => propositions,
            Err(why) => return Verdict::Unknown(Reason::Refused(why)),
        };
    let mut truth: Vec<Option<u128>> = Vec::new();
    let mut look = tuning().temporal.first_look;
    let (decided, stopped) = loop {
        let at = truth.len();
        let is_complete = at == verifier.graph.table.len();
        if is_complete || at >= look {
            look = 2 * at.max(1);
            let seen = Seen { truth: &truth, initial: &initial, knows_all };
            if let Some(decided) = seen.judge(verifier, &mut propositions, formula) {
                break (Some(decided), None);
            }
        }
        if is_complete {
            break (None, None);
        }
        let is_new = !verifier.graph.is_expanded(at as StateId);
        truth.push(propositions.in_state(&mut verifier.graph, at as StateId));
        let is_due = is_new && at.is_multiple_of(Tuning::DEFAULT.temporal.pulse);
        if (is_due || verifier.graph.system.is_stopped())
            && let Some(why) = verifier.pulse(truth.len(), truth.len() * BYTES)
        {
            // What was seen until then may be enough.
            truth.pop();
            let seen = Seen { truth: &truth, initial: &initial, knows_all };
            break (seen.judge(verifier, &mut propositions, formula), Some(why));
        }
    };
    *gaps = std::mem::take(&mut propositions.gaps);
    let took = begin.elapsed();
    match decided {
        Some(decided) => conclude(verifier, &mut propositions, formula, decided, took),
        None => {
            let why = stopped.or_else(|| verifier.gap(gaps));
            Verdict::Unknown(why.unwrap_or(Reason::Incomplete(None)))
        }
    }
}

/// A formula is true or false for a reason that a path shows.
struct Decided {
    truth: bool,
    path: Steps,
    end: PathEnd,
}

/// The part of the states that was expanded.
struct Seen<'a> {
    /// Propositions that are true, of each expanded state.
    truth: &'a [Option<u128>],
    initial: &'a [StateId],
    /// There are no other initial states.
    knows_all: bool,
}

impl Seen<'_> {
    /// Decides the formula by the edges that were seen, if they are enough.
    fn judge<'m>(
        &self,
        verifier: &mut Verifier<'m, '_>,
        propositions: &mut ModelPropositions<'m>,
        formula: &Branching,
    ) -> Option<Decided> {
        let has_cuts = !verifier.session.cuts.is_empty();
        let structure = self.structure(verifier, propositions, !has_cuts)?;
        let mut labelling = Labelling::new(&structure);
        let possible = labelling.set(&formula.formula, Bound::Possible);
        if let Some(state) = self.initial.iter().find(|state| !possible[**state as usize]) {
            let (path, end) = show(&mut labelling, &formula.formula, *state, false);
            return Some(Decided { truth: false, path, end });
        }
        let certain = labelling.set(&formula.formula, Bound::Certain);
        let all = self.knows_all && !has_cuts && self.initial.iter().all(|state| certain[*state as usize]);
        let first = self.initial.first().filter(|_| all)?;
        let (path, end) = show(&mut labelling, &formula.formula, *first, true);
        Some(Decided { truth: true, path, end })
    }

    /// The states and edges that were seen; `None` if that was interrupted.
    fn structure<'m>(
        &self,
        verifier: &mut Verifier<'m, '_>,
        propositions: &mut ModelPropositions<'m>,
        may_be_whole: bool,
    ) -> Option<Structure> {
        let mut structure = Structure::default();
        for state in 0..verifier.graph.table.len() {
            let Some(truth) = self.truth.get(state) else {
                structure.push(&[], &[], None, false);
                continue;
            };
            let Some(arcs) = verifier.graph.arcs(state as StateId).map(<[_]>::to_vec) else {
                structure.push(&[], &[], *truth, false);
                continue;
            };
            let row = verifier.graph.table.row(state as StateId);
            let valuation = verifier.graph.system.valuation(&row);
            let mut taken = Vec::with_capacity(arcs.len());
            for arc in &arcs {
                let letter =
                    propositions.letter(&verifier.graph, (state as StateId, 0), Some((*arc, valuation)));
                taken.push(letter?.truth);
            }
            structure.push(&arcs, &taken, *truth, may_be_whole);
        }
        Some(structure)
    }
}

/// Replays the path of a decision, and compares states with the reference evaluator.
fn conclude<'m>(
    verifier: &mut Verifier<'m, '_>,
    propositions: &mut ModelPropositions<'m>,
    formula: &'m Branching,
    decided: Decided,
    took: Duration,
) -> BranchingVerdict {
    let Decided { truth, path, end } = decided;
    let trace = match trace_of(&verifier.graph, &verifier.reference, &path) {
        Ok(trace) => trace,
        Err(why) => return Verdict::Unknown(Reason::ReplayFailed(why)),
    };
    let (continuation, claim) = match end {
        PathEnd::Loop(begin) => (Continuation::Loop(begin), None),
        PathEnd::Ends => (Continuation::Ends, None),
        PathEnd::Claim(text, truth) => (Continuation::Open, Some((text, truth))),
    };
    let evidence = Evidence { trace, continuation, claim };
    if let Some(why) = differs(verifier, propositions, formula, &path, &evidence) {
        return Verdict::Unknown(Reason::ReplayFailed(why));
    }
    let atoms = &formula.atoms;
    if let Some(difference) = audit(&mut verifier.graph, propositions, atoms, &verifier.reference, took) {
        return Verdict::Contradiction(difference);
    }
    let shows = evidence.trace.steps.len() > 1 || evidence.continuation == Continuation::Ends;
    match truth {
        true => Verdict::Holds(shows.then_some(evidence)),
        false => Verdict::Violated(Box::new(evidence)),
    }
}

/// Compares a path with the reference evaluator: the predicates of the formula in its states, and its end.
fn differs<'m>(
    verifier: &mut Verifier<'m, '_>,
    propositions: &mut ModelPropositions<'m>,
    formula: &Branching,
    path: &Steps,
    evidence: &Evidence,
) -> Option<String> {
    let (reference, trace) = (&verifier.reference, &evidence.trace);
    for ((_, state), step) in path.iter().zip(&trace.steps) {
        let truth = propositions.in_state(&mut verifier.graph, *state);
        let (Some(truth), Some(values)) = (truth, &step.state) else { continue };
        let env = Env::new(&trace.constants, values);
        for (i, atom) in formula.atoms.iter().enumerate() {
            let Atom::Predicate(pred) = atom else { continue };
            if reference.pred(&env, pred).ok() != Some(truth >> i & 1 == 1) {
                return Some("a predicate of the formula has another value in the replayed trace".into());
            }
        }
    }
    let last = trace.steps.last()?.state.as_ref()?;
    match evidence.continuation {
        Continuation::Ends if reference.is_deadlock(&trace.constants, last) != Ok(true) => {
            Some("the trace ends in a state where an event is enabled".into())
        }
        Continuation::Loop(begin) if trace.steps[begin].state.as_ref() != Some(last) => {
            Some("the loop of the trace does not return to where it began".into())
        }
        _ => None,
    }
}

/// Adds the doubts about parts that a refinement dropped to the answer: a step that is none changes both truth values.
fn weigh(verifier: &Verifier<'_, '_>, verdict: BranchingVerdict) -> BranchingVerdict {
    let model = verifier.reference.model;
    let asked = Asked { invariant: false, assertions: false, deadlock: true };
    let parts: Vec<String> = left_open(model, asked).into_iter().map(|d| d.describe(model)).collect();
    match verdict {
        Verdict::Holds(evidence) if !parts.is_empty() => {
            Verdict::Conditional(evidence, vec![Condition::NotChecked(parts)])
        }
        Verdict::Violated(found) if !parts.is_empty() => {
            let why = format!("steps may be there that are none of the refinement: {}", parts.join(", "));
            Verdict::Doubtful(found, why)
        }
        other => other,
    }
}
