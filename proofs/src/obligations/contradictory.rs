//! Obligations that follow from their hypotheses alone, because these contradict each other: they say nothing of their
//! goals.
//!
//! Two things are asked: whether the axioms and the invariant contradict each other, so that everything follows, and
//! else for each event with a proof whether its guards contradict them, so that it never happens. The answer is an
//! unsat core: none of these hypotheses can be left out as far as the solver can tell. Each part is encoded again:
//! facts from the other hypotheses must not be used unseen. As with axioms ([`contradiction`](crate::contradiction)),
//! the truth value of a hypothesis where it is ill-defined is arbitrary.
//!
//! A core counts if its minimisation was not cut short and no small size of the deferred sets has a model of it.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::first_order::{self, Goal, Selection, lower};
use bsym_encodings::session::SolverError;
use bsym_encodings::system::System;
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{ComponentId, Conjunct, EventId, Model, Pred, PredKind};
use bsym_language::print;
use bsym_language::source::Span;
use bsym_language::walk::{Names, conjuncts};
use bsym_semantics::scope::Scope;
use bsym_status::file::{Kind, Status, TargetRole};

use super::call::{self, Call, Depth, Guard};
use super::extra::is_of_start;
use super::first_order::FirstOrder;
use super::names::formula;
use super::obligation::{Form, Proof};
use crate::contradiction::{minimal_core, without_events};
use crate::recorded::is_complete;
use crate::sequent::{Decision, Effort, Hypotheses, Prover};
use crate::tuning::tuning;

/// Contradictory hypotheses, and the part of the machine that they affect.
#[derive(Clone, PartialEq, Debug)]
pub struct Contradictory {
    /// Part of the machine that the contradiction affects.
    pub of: Affected,
    /// The hypotheses; each is needed, as far as the solver can tell.
    pub core: Vec<Hypothesis>,
    /// `true` if another form or small deferred sets confirm the contradiction.
    pub confirmed: bool,
    /// Names of the discharged obligations that have all of them as hypotheses; never empty.
    pub obligations: Vec<String>,
}

/// Part of a machine that a contradiction affects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Affected {
    /// Every statement about the states of the machine.
    Everything,
    /// Every statement about this event: it never happens in a state that satisfies the invariant.
    Event(EventId),
}

/// A hypothesis, as text.
#[derive(Clone, PartialEq, Debug)]
pub struct Hypothesis {
    /// The role of the hypothesis.
    pub role: TargetRole,
    /// Label.
    pub label: Option<String>,
    /// The hypothesis in B.
    pub text: String,
    /// Place in the source.
    pub span: Span,
}

/// Model and encodings that obligations were made from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'m> {
    pub model: &'m Model,
    pub scope: &'m Scope,
    /// The sequents of all obligations.
    pub first_order: &'m FirstOrder<'m>,
    /// The machine in terms; `None` for a refinement of classical B.
    pub system: Option<&'m System>,
    /// The calls of a refinement of classical B, with the model of their names.
    pub calls: Option<&'m (Arc<Model>, Vec<Call>)>,
}

/// Finds hypotheses of discharged obligations that contradict each other.
///
/// # Errors
/// If the solver cannot be started.
pub(super) fn contradictory(
    all: &[Proof],
    origin: Origin<'_>,
    prover: &mut Prover<'_>,
    budget: &Budget,
) -> Result<Vec<Contradictory>, SolverError> {
    let mut search = Search { scope: origin.scope, prover, budget };
    let is_refuted = |p: &Proof| p.status == Status::Refuted;
    let is_discharged = |p: &&Proof| p.status == Status::Discharged;
    if !all.iter().any(|p| is_discharged(&p)) {
        return Ok(vec![]);
    }
    let states = origin.calls.map_or(origin.model, |(joint, _)| joint);
    // A counterexample of an event's obligation is a state that satisfies axioms and invariant.
    if !all.iter().any(|p| p.event.is_some() && is_refuted(p)) {
        let known = Known::new(origin.model, without_events(states), None);
        if let Some(core) = search.core(&known)? {
            return Ok(origin.said(all, &known, Affected::Everything, &core).into_iter().collect());
        }
    }
    let mut found = vec![];
    let events = (0..origin.model.events.len() as u32).map(EventId);
    for event in events.take_while(|_| budget.check().is_ok()) {
        let own = || all.iter().filter(|p| p.event == Some(event));
        if !own().any(|p| is_discharged(&p)) || own().any(|p| p.kind == Kind::Inv && is_refuted(p)) {
            continue;
        }
        let (base, call) = match origin.calls {
            Some((joint, calls)) => {
                let Some(call) = calls.iter().find(|c| c.event == event) else { continue };
                (without_events(joint), call.clone())
            }
            None => {
                let mut model = origin.model.clone();
                let call = call::of_machine(&mut model, event);
                (without_events(&model), call)
            }
        };
        if call.guards.is_empty() {
            continue;
        }
        let known = Known::new(origin.model, base, Some(call));
        let Some(core) = search.core(&known)? else { continue };
        // There may have been too little time to find that they contradict each other without the guards.
        if core.hypotheses.iter().all(|&i| known.guard(i).is_none()) {
            return Ok(origin.said(all, &known, Affected::Everything, &core).into_iter().collect());
        }
        found.extend(origin.said(all, &known, Affected::Event(event), &core));
    }
    Ok(found)
}

impl Origin<'_> {
    /// Returns a core with the obligations that follow from it; `None` if there are none.
    fn said(&self, all: &[Proof], known: &Known, of: Affected, core: &Core) -> Option<Contradictory> {
        let follows = |&i: &usize| {
            let is_affected = match of {
                Affected::Everything => true,
                Affected::Event(event) => all[i].event == Some(event),
            };
            is_affected && all[i].status == Status::Discharged && self.follows(i, all, known, core)
        };
        let obligations: Vec<String> = (0..all.len()).filter(follows).map(|i| all[i].name.clone()).collect();
        (!obligations.is_empty()).then(|| Contradictory {
            of,
            core: core.hypotheses.iter().map(|&i| known.all[i].0.clone()).collect(),
            confirmed: core.confirmed,
            obligations,
        })
    }

    /// Returns whether an obligation has all hypotheses of a core.
    fn follows(&self, obligation: usize, all: &[Proof], known: &Known, core: &Core) -> bool {
        let proof = &all[obligation];
        let own = &core.hypotheses;
        let guards: Vec<&Guard> = own.iter().filter_map(|&i| known.guard(i)).collect();
        let is_refinement = self.calls.is_some();
        // Parameters have other names in the sequents of a machine.
        let asked = own.iter().filter(|&&i| is_refinement || known.guard(i).is_none());
        let asked: Vec<&Pred> = asked.map(|&i| &known.all[i].1).collect();
        let has_states = match self.first_order.sequents(obligation, all) {
            Some((_, sequents)) => sequents.iter().all(|s| has_all(s, &asked)),
            None if is_refinement => false,
            None => match proof.kind {
                Kind::Inv | Kind::Var => true,
                _ if proof.says.is_some() && !is_of_start(proof.event, proof.kind) => true,
                _ => own.iter().all(|&i| known.all[i].0.role == TargetRole::Axiom),
            },
        };
        has_states && (is_refinement || guards.is_empty() || self.is_behind(proof, known, &guards))
    }

    /// Returns whether some guards of a machine's event are hypotheses of an obligation.
    fn is_behind(&self, proof: &Proof, known: &Known, guards: &[&Guard]) -> bool {
        if matches!(proof.kind, Kind::Inv | Kind::Var) {
            return true;
        }
        if proof.says.is_some() {
            return guards.iter().all(|g| g.depth == Depth::Outermost);
        }
        let (Some(system), Some(event)) = (self.system, proof.event) else { return false };
        // Guards have a meaning or not before all of them are known.
        let failures = &system.events[event.index()].failures;
        let of_guard = |i: &usize| {
            let every = known.call.iter().flat_map(|call| &call.guards);
            every.into_iter().any(|g| g.pred.span.contains(failures[*i].span))
        };
        guards.iter().all(|g| g.depth != Depth::BehindClaim) && !proof.failures.iter().any(of_guard)
    }
}

/// Returns whether some predicates are among the hypotheses of a sequent.
fn has_all(sequent: &first_order::Sequent, asked: &[&Pred]) -> bool {
    let there: Vec<&Pred> = sequent.hypotheses.iter().flat_map(conjuncts).collect();
    let mut parts = asked.iter().flat_map(|p| conjuncts(p));
    parts.all(|p| there.iter().any(|h| h.kind == p.kind))
}

/// Hypotheses that obligations have in common.
struct Known {
    /// The model of the names in them, without hypotheses.
    base: Model,
    /// Axioms, invariants, then guards.
    all: Vec<(Hypothesis, Pred)>,
    call: Option<Call>,
}

impl Known {
    /// Collects the axioms and invariants of `base`, and the guards of a call. Labels of guards are those of `model`.
    fn new(model: &Model, mut base: Model, call: Option<Call>) -> Self {
        let (axioms, invariant) = (std::mem::take(&mut base.axioms), std::mem::take(&mut base.invariant));
        let mut shown = base.clone();
        for (v, name) in call.iter().flat_map(|call| &call.names) {
            let is_taken = |p: &Pred| {
                let mut others = Names::of_pred(p).variables.into_iter();
                others.any(|other| other != *v && shown.variables[other.index()].name == *name)
            };
            let known = axioms.iter().chain(&invariant).map(|c| &c.pred);
            let mut known = known.chain(call.iter().flat_map(|call| &call.guards).map(|g| &g.pred));
            if !known.any(is_taken) {
                shown.variables[v.index()].name.clone_from(name);
            }
        }
        let mut all = vec![];
        let mut add = |role, label: Option<String>, pred: Pred, span: Span| {
            all.push((Hypothesis { role, label, text: print::shown_pred(&shown, &pred), span }, pred));
        };
        for (role, list) in [(TargetRole::Axiom, axioms), (TargetRole::Invariant, invariant)] {
            list.into_iter().for_each(|c| add(role, c.label, c.pred, c.span));
        }
        for Guard { role, pred, .. } in call.iter().flat_map(|call| &call.guards) {
            let event = call.as_ref().map(|call| call.event);
            let label = formula(model, event, pred.span).map(|f| f.label.clone());
            add(*role, label.filter(|l| !l.is_empty()), pred.clone(), pred.span);
        }
        Known { base, all, call }
    }

    fn guard(&self, i: usize) -> Option<&Guard> {
        let guards = &self.call.as_ref()?.guards;
        let first = self.all.len() - guards.len();
        i.checked_sub(first).map(|i| &guards[i])
    }

    /// Returns the model of some of them. Those that are no axioms become its invariant.
    fn part(&self, chosen: &[usize]) -> Model {
        let (mut axioms, mut invariant) = (vec![], vec![]);
        for &i in chosen {
            let (Hypothesis { role, label, text, span }, pred) = &self.all[i];
            let list = if *role == TargetRole::Axiom { &mut axioms } else { &mut invariant };
            list.push(Conjunct {
                label: label.clone(),
                text: text.clone(),
                origin: ComponentId(0),
                span: *span,
                pred: pred.clone(),
            });
        }
        Model { axioms, invariant, ..self.base.clone() }
    }
}

/// Hypotheses that contradict each other, by position.
struct Core {
    hypotheses: Vec<usize>,
    confirmed: bool,
}

struct Search<'s, 'p> {
    scope: &'s Scope,
    prover: &'s mut Prover<'p>,
    budget: &'s Budget,
}

impl Search<'_, '_> {
    /// Finds a core of hypotheses that contradict each other.
    fn core(&mut self, known: &Known) -> Result<Option<Core>, SolverError> {
        let all: Vec<usize> = (0..known.all.len()).collect();
        let mut form = None;
        for one in [Form::Arrays, Form::FirstOrder] {
            if form.is_none() && !all.is_empty() && self.is_refuted(known, &all, one)? {
                form = Some(one);
            }
        }
        let Some(form) = form else { return Ok(None) };
        let is_axiom = |i: &usize| known.all[*i].0.role == TargetRole::Axiom;
        // Axioms that contradict each other alone are worse.
        let axioms: Vec<usize> = all.iter().copied().filter(is_axiom).collect();
        let used = match form {
            Form::Arrays => self.used(known)?.unwrap_or_default(),
            Form::FirstOrder => vec![],
        };
        let mut start = all.clone();
        for part in [axioms, used] {
            if !part.is_empty() && part.len() < all.len() && self.is_refuted(known, &part, form)? {
                start = part;
                break;
            }
        }
        let mut failed = Ok(());
        let hypotheses = minimal_core(start, &mut |rest| {
            self.is_refuted(known, rest, form).unwrap_or_else(|e| {
                failed = Err(e);
                false
            })
        });
        failed?;
        // When time is up, a hypothesis that was not tried may be needless.
        let is_cut_short = self.budget.check().is_err();
        if is_cut_short || hypotheses.len() == 1 && self.is_refuted(known, &[], form)? {
            return Ok(None);
        }
        Ok(self.confirm(known, &hypotheses, form)?.map(|confirmed| Core { hypotheses, confirmed }))
    }

    /// Returns whether a core is confirmed in another way; `None` if it has a model.
    fn confirm(&mut self, known: &Known, core: &[usize], form: Form) -> Result<Option<bool>, SolverError> {
        let mut confirmed = false;
        if self.scope.open_sets(&known.base).next().is_some() {
            for n in 1..=tuning().obligations.doubting_largest {
                let small = self.scope.with_open_sets(&known.base, |_| n);
                match self.in_arrays(known, core, &small)? {
                    Decision::Refuted => return Ok(None),
                    Decision::Proved => confirmed = true,
                    Decision::Undecided(_) => {}
                }
            }
        }
        let other = if form == Form::Arrays { Form::FirstOrder } else { Form::Arrays };
        Ok(Some(confirmed || self.is_refuted(known, core, other)?))
    }

    /// Returns whether some hypotheses contradict each other in a form.
    fn is_refuted(&mut self, known: &Known, chosen: &[usize], form: Form) -> Result<bool, SolverError> {
        let outcome = match form {
            Form::Arrays => self.in_arrays(known, chosen, self.scope)?,
            Form::FirstOrder => self.in_first_order(known, chosen)?,
        };
        Ok(outcome == Decision::Proved)
    }

    /// Returns `Proved` if hypotheses contradict each other, `Refuted` if they have a model.
    fn in_arrays(&mut self, known: &Known, chosen: &[usize], scope: &Scope) -> Result<Decision, SolverError> {
        if let Err(stopped) = self.budget.check() {
            return Ok(Decision::Undecided(stopped));
        }
        let Encoded { terms, always, hypotheses, complete } = Encoded::new(known, chosen, scope);
        self.over(terms, |prover| {
            let mut hypotheses = Hypotheses::new(always.into_iter().chain(hypotheses));
            let outcome =
                hypotheses.prove(prover, &[], Terms::FALSE, Effort::Quick(tuning().obligations.doubting));
            hypotheses.close(prover);
            Ok(match outcome? {
                Decision::Refuted if !complete => {
                    Decision::Undecided(Stopped::Incomplete("a hypothesis has no encoding".into()))
                }
                outcome => outcome,
            })
        })
    }

    /// Returns the hypotheses that a solver uses to refute all of them, and those that the encoding may have used
    /// instead.
    fn used(&mut self, known: &Known) -> Result<Option<Vec<usize>>, SolverError> {
        let all: Vec<usize> = (0..known.all.len()).collect();
        let Encoded { terms, always, hypotheses, .. } = Encoded::new(known, &all, self.scope);
        let used = self.over(terms, |prover| prover.used(&always, &hypotheses))?;
        let is_used = |i: &usize, used: &[usize]| used.contains(i) || hypotheses[*i] == Terms::TRUE;
        Ok(used.map(|used| all.into_iter().filter(|i| is_used(i, &used)).collect()))
    }

    fn in_first_order(&mut self, known: &Known, chosen: &[usize]) -> Result<Decision, SolverError> {
        let hypotheses = chosen.iter().map(|&i| known.all[i].1.clone()).collect();
        let goal = Goal::Holds(Pred { kind: PredKind::False, span: Span::default() });
        let sequent = first_order::Sequent { hypotheses, defined: vec![], goal };
        let undecided = |why: &str| Ok(Decision::Undecided(Stopped::Incomplete(why.into())));
        let Ok(parts) = lower(&known.base, self.scope, &sequent, Selection::All) else {
            return undecided("there is no such form");
        };
        let budget =
            self.budget.within(tuning().obligations.doubting).per_query(tuning().obligations.doubting);
        match &parts[..] {
            [one] => self.prover.refute(&one.terms, &one.assertions, &budget),
            _ => undecided("there is no such form"),
        }
    }

    /// Asks a prover over other terms.
    fn over<T>(
        &mut self,
        terms: Rc<Terms>,
        ask: impl FnOnce(&mut Prover<'_>) -> Result<T, SolverError>,
    ) -> Result<T, SolverError> {
        let mut own = self.prover.over(terms, self.budget.within(tuning().obligations.doubting));
        let answer = ask(&mut own);
        let (statistics, checks) = (own.statistics, own.checks);
        self.prover.statistics += statistics;
        self.prover.checks += checks;
        answer
    }
}

/// Hypotheses in terms.
struct Encoded {
    terms: Rc<Terms>,
    /// Facts that hold by the representations.
    always: Vec<Term>,
    /// The hypotheses, in the order in which they were chosen.
    hypotheses: Vec<Term>,
    /// `true` if all of them have terms.
    complete: bool,
}

impl Encoded {
    /// Encodes the chosen hypotheses. `chosen` is in ascending order, so that axioms come first.
    fn new(known: &Known, chosen: &[usize], scope: &Scope) -> Self {
        let terms = Rc::new(Terms::new());
        let system = encode_with(terms.clone(), Arc::new(known.part(chosen)), scope, Representations::Stated);
        let invariant = system.invariant.iter().map(|p| p.holds);
        Encoded {
            terms,
            always: [&system.facts.background[..], &system.facts.state].concat(),
            hypotheses: system.axioms.hold.iter().copied().chain(invariant).collect(),
            complete: is_complete(&system),
        }
    }
}
