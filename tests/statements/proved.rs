//! Proofs about a machine with deferred sets of any size, compared with all states where these are small.
//!
//! The obligations are asked as `po` does, and the same claims in first-order logic alone, as engines and the checks of
//! certificates do where arrays take long. A claim is about every state that satisfies axioms and invariant. So such
//! states are enumerated, be they reachable or not, and every step from them is checked.
#![allow(dead_code)] // each test program uses a part of it

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{linked, sat};
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::system::{Failure, FailureKind, System};
use bsym_encodings::term::Terms;
use bsym_language::model::{
    ChoiceId, EventId, ExprKind, LocalId, Model, Pred, Subst, SubstKind, Target, VarId,
};
use bsym_language::source::Span;
use bsym_language::walk::Replacement;
use bsym_proofs::check::check;
use bsym_proofs::claim::{Claim, Evidence, Property};
use bsym_proofs::obligations::{Form, Proof, Subject, prove_obligations};
use bsym_proofs::recorded::Recorded;
use bsym_proofs::sequent::{Decision as Answer, Prover};
use bsym_proofs::steps::Steps;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::{Edge, Outcome};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use bsym_status::file::{Kind, Status};
use bsym_status::{Check, Formula, ProofStatus};

/// Bounds on the work for each choice of sizes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States, at most.
    pub states: usize,
    /// Work budget of the evaluations.
    pub work: u64,
    /// Time for one claim in each form.
    pub time: Duration,
}

/// Steps of one event from one state.
const STEPS: usize = 40;
/// Valuations of the constants.
const VALUATIONS: usize = 8;
/// The largest size.
const LARGEST: usize = 4;

/// A claim about all states that satisfy axioms and invariant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Claimed {
    /// The conjunct is well-defined and true after the event.
    Pair(Option<EventId>, usize),
    /// The event does not fail in this way here.
    Step(Option<EventId>, FailureKind, Span),
    /// The conjunct is well-defined where those before it are true.
    Meaning(usize),
    /// The assertion is well-defined where those before it are true.
    AssertionMeaning(usize),
    /// The assertion is true where those before it are.
    Theorem(usize),
}

/// Counts of claims, proofs and states.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    pub machines: usize,
    /// Obligations.
    pub asked: usize,
    pub discharged: usize,
    /// Of those, in first-order form.
    pub by_first_order: usize,
    pub refuted: usize,
    /// Claims that were tried in first-order logic alone, and those that were proved.
    pub tried: usize,
    pub proved: usize,
    /// Claims that no state contradicts, and that some state is about.
    pub open_and_true: usize,
    /// Claims that some state contradicts.
    pub false_ones: usize,
    /// Claims that were proved, and steps that were checked for them.
    pub states: usize,
    pub steps: usize,
    /// Machines whose whole invariant was proved by the check of a claim that knows first-order logic alone.
    pub certified: usize,
}

impl Counts {
    pub fn add(&mut self, o: &Counts) {
        self.machines += o.machines;
        self.asked += o.asked;
        self.discharged += o.discharged;
        self.by_first_order += o.by_first_order;
        self.refuted += o.refuted;
        self.tried += o.tried;
        self.proved += o.proved;
        self.open_and_true += o.open_and_true;
        self.false_ones += o.false_ones;
        self.states += o.states;
        self.steps += o.steps;
        self.certified += o.certified;
    }
}

/// A proved claim that is false.
#[derive(Clone, PartialEq, Debug)]
pub struct Wrong {
    /// Kind of proof: short, and the same for the same kind.
    pub kind: &'static str,
    pub detail: String,
}

/// Everything found out about a machine.
#[derive(Clone, Default, Debug)]
pub struct Looked {
    pub counts: Counts,
    pub wrong: Vec<Wrong>,
    /// The obligations that are discharged, not trivially.
    pub discharged: Vec<(String, Subject)>,
}

/// Checks one machine; returns `None` without a linked solver.
pub fn look(model: &Arc<Model>, effort: Effort) -> Option<Looked> {
    linked(Rc::new(Terms::new()))?;
    let time = effort.time;
    let scope = Scope::settle(model, &ScopeRequest::default()).ok()?;
    let mut counts = Counts { machines: 1, ..Counts::default() };
    let (mut wrong, mut disagree, mut discharged) = (vec![], vec![], vec![]);
    let refuted = Seen::of(model, effort, &mut counts);
    let mut judge = |kind, claim: Claimed| {
        if let Some(state) = refuted.by.iter().find(|(c, _)| is_about(claim, **c)).map(|(_, s)| s) {
            wrong.push(Wrong { kind, detail: format!("{} {state}", describe(model, claim)) });
        }
    };
    counts.false_ones = refuted.by.len();
    let system = encoded(model, &scope);
    let budget = Budget::unlimited().per_query(time);
    let mut open = |terms: Rc<Terms>| Ok(linked(terms).expect("it is linked"));

    let all = prove_obligations(model.clone(), &scope, &mut open, &budget, &mut |_| {}).ok()?.all;
    for p in &all {
        counts.asked += 1;
        match p.status {
            Status::Discharged | Status::Trivial => {
                counts.discharged += 1;
                if p.status == Status::Discharged {
                    discharged.push((p.name.clone(), p.subject.clone()));
                }
                counts.by_first_order += usize::from(p.form == Some(Form::FirstOrder));
                claims_of(p, &system).into_iter().for_each(|c| judge("discharged and false", c));
            }
            Status::Refuted => counts.refuted += 1,
            _ => {}
        }
        if let Some(reason) = p.reason.as_ref().filter(|r| r.contains("forms disagree")) {
            disagree.push(Wrong { kind: "forms disagree", detail: format!("{}: {reason}", p.name) });
        }
    }

    // In first-order logic alone.
    let steps = Steps::new(model);
    let mut prover = Prover::new(system.terms.clone(), &mut open, budget.clone());
    let mut all_proved = true;
    let mut proved: BTreeSet<Claimed> = BTreeSet::new();
    for claim in claims(&system) {
        let sequents = match claim {
            Claimed::Pair(event, i) => {
                let known = (0..i).filter(|j| proved.contains(&Claimed::Pair(event, *j)));
                let after: Vec<Pred> = known.map(|j| model.invariant[j].pred.clone()).collect();
                steps.recorded(&system, Recorded::Pair((event, i)), &after)
            }
            Claimed::Meaning(i) => recorded(&steps, &system, Check::Meaning(Formula::Invariant(i))),
            Claimed::AssertionMeaning(i) => recorded(&steps, &system, Check::Meaning(Formula::Assertion(i))),
            Claimed::Theorem(i) => recorded(&steps, &system, Check::Theorem(i)),
            Claimed::Step(event, kind, span) => {
                let before = if event.is_some() { &model.invariant[..] } else { &[] };
                let before: Vec<Pred> = before.iter().map(|c| c.pred.clone()).collect();
                let all = failures(&system, event).iter().filter(|f| (f.kind, f.span) == (kind, span));
                steps.without_failure(event, &before, all)
            }
        };
        counts.tried += 1;
        let outcome = match sequents {
            Some(sequents) => {
                let budget = budget.within(time);
                prover.prove_in_first_order(model, &scope, &sequents, &budget).ok()?
            }
            None => Answer::Refuted,
        };
        if outcome == Answer::Proved {
            counts.proved += 1;
            proved.insert(claim);
            judge("proved in first-order logic and false", claim);
        } else {
            all_proved = false;
            let is_true = !refuted.by.keys().any(|c| is_about(claim, *c));
            counts.open_and_true += usize::from(is_true);
        }
    }
    drop(prover);
    if all_proved && !refuted.is_empty_at_all {
        let mut system = encoded(model, &scope);
        if is_certified(&mut system, &budget)? {
            counts.certified += 1;
            for claim in claims(&system) {
                judge("certified and false", claim);
            }
        }
    }
    wrong.append(&mut disagree);
    Some(Looked { counts, wrong, discharged })
}

/// The machine as the obligations of `po` have it.
fn encoded(model: &Arc<Model>, scope: &Scope) -> System {
    encode_with(Rc::new(Terms::new()), model.clone(), scope, Representations::Stated)
}

fn recorded(
    steps: &Steps<'_>,
    system: &System,
    check: Check,
) -> Option<Vec<bsym_encodings::first_order::Sequent>> {
    steps.recorded(system, Recorded::Check(check), &[])
}

/// Returns whether the check of a claim about the whole invariant passes where a solver decides nothing about arrays.
fn is_certified(system: &mut System, budget: &Budget) -> Option<bool> {
    let conjuncts: Vec<usize> = (0..system.model.invariant.len()).collect();
    let assertions = (0..system.model.assertions.len()).map(Property::Assertion);
    let claim = Claim {
        properties: conjuncts.iter().map(|&i| Property::Invariant(i)).chain(assertions).collect(),
        conjuncts,
        well_definedness: true,
        layouts: vec![],
        evidence: Evidence::Inductive { lemmas: vec![] },
    };
    let arrays = system.terms.clone();
    let mut open = |terms: Rc<Terms>| {
        let is_of_arrays = Rc::ptr_eq(&terms, &arrays);
        Ok(if is_of_arrays { sat(terms) } else { linked(terms).expect("it is linked") })
    };
    let budget = budget.within(Duration::from_secs(5));
    let checked = check(system, &claim, &ProofStatus::none(), true, &mut open, &budget).ok()?;
    Some(checked.passed())
}

fn failures(system: &System, event: Option<EventId>) -> &[Failure] {
    match event {
        None => &system.initialisation.failures,
        Some(e) => &system.events[e.index()].failures,
    }
}

/// Returns all claims that may be made about a machine.
fn claims(system: &System) -> Vec<Claimed> {
    let model = &system.model;
    let mut all: Vec<Claimed> = (0..model.invariant.len()).map(Claimed::Meaning).collect();
    let events = (0..model.events.len()).map(|e| Some(EventId(e as u32)));
    for event in std::iter::once(None).chain(events) {
        for f in failures(system, event) {
            let claim = Claimed::Step(event, f.kind, f.span);
            if !all.contains(&claim) {
                all.push(claim);
            }
        }
        all.extend((0..model.invariant.len()).map(|i| Claimed::Pair(event, i)));
    }
    for i in 0..model.assertions.len() {
        all.extend([Claimed::AssertionMeaning(i), Claimed::Theorem(i)]);
    }
    all
}

/// Returns the claims of an obligation.
fn claims_of(p: &Proof, system: &System) -> Vec<Claimed> {
    if !p.failures.is_empty() {
        let all = failures(system, p.event);
        return p.failures.iter().map(|&i| Claimed::Step(p.event, all[i].kind, all[i].span)).collect();
    }
    match (p.kind, &p.subject) {
        (Kind::Inv | Kind::InvEst, Subject::Invariant(i)) => vec![Claimed::Pair(p.event, *i)],
        (Kind::Wd, Subject::Invariant(i)) => vec![Claimed::Meaning(*i)],
        (Kind::Wd, Subject::Assertion(i)) => vec![Claimed::AssertionMeaning(*i)],
        (Kind::Assertion | Kind::Thm, Subject::Assertion(i)) => vec![Claimed::Theorem(*i)],
        _ => vec![],
    }
}

/// Returns whether an observation contradicts a claim. An observed failure lies within the span of its claim.
fn is_about(claim: Claimed, seen: Claimed) -> bool {
    match (claim, seen) {
        (Claimed::Step(e, k, span), Claimed::Step(f, l, at)) => {
            e == f && k == l && (matches!(k, FailureKind::Refinement(_)) || span.contains(at))
        }
        _ => claim == seen,
    }
}

fn describe(model: &Model, claim: Claimed) -> String {
    let event = |e: Option<EventId>| e.map_or("the initialisation", |e| &model.events[e.index()].name);
    match claim {
        Claimed::Pair(e, i) => {
            let text = model.invariant.get(i).map_or("", |c| &c.text);
            format!("{} / `{text}`", event(e))
        }
        Claimed::Step(e, kind, span) => format!("{} / {kind:?} at {}..{}", event(e), span.start, span.end),
        Claimed::Meaning(i) => format!("meaning of `{}`", model.invariant[i].text),
        Claimed::AssertionMeaning(i) => format!("meaning of `{}`", model.assertions[i].text),
        Claimed::Theorem(i) => format!("theorem `{}`", model.assertions[i].text),
    }
}

/// Observations in states.
#[derive(Default)]
struct Seen {
    /// Claims that are false, each with a state.
    by: BTreeMap<Claimed, String>,
    /// `true` if no state has the invariant.
    is_empty_at_all: bool,
}

impl Seen {
    /// States of all sizes.
    fn of(model: &Arc<Model>, effort: Effort, counts: &mut Counts) -> Seen {
        let mut seen = Seen::default();
        let sets = model.types.carriers.len();
        let mut sizes: Vec<Vec<usize>> = (1..=LARGEST).map(|n| vec![n; sets]).collect();
        if sets > 1 {
            sizes.extend([vec![1, 2], vec![2, 1], vec![1, 3], vec![3, 1], vec![2, 3], vec![3, 2]]);
        }
        for size in sizes {
            let names = model.types.carriers.iter().map(|c| c.name.clone());
            let request =
                ScopeRequest { sizes: names.zip(size.iter().copied()).collect(), ..Default::default() };
            let Ok(scope) = Scope::settle(model, &request) else { continue };
            seen.at(model, &scope, effort, &format!("{size:?}"), counts);
        }
        seen.is_empty_at_all = counts.states == 0;
        seen
    }

    fn at(&mut self, model: &Arc<Model>, scope: &Scope, effort: Effort, size: &str, counts: &mut Counts) {
        let work = Work::new(effort.work);
        let limits = Limits { branching: 100_000, listing: 1 << 18, ..Limits::default() };
        let eval = Evaluator::new(model, scope).with_limits(limits).with_work(&work);
        work.portion(effort.work / 8);
        let mut valuations = vec![];
        let _ = eval.each_valuation(&BTreeMap::new(), &mut |constants, truth| {
            if truth.is_ok() {
                valuations.push(constants);
            }
            if valuations.len() < VALUATIONS * 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        // Some of them, and not only the first.
        let every = valuations.len().div_ceil(VALUATIONS).max(1);
        let chosen: Vec<_> = valuations.into_iter().step_by(every).collect();
        let portion = effort.work / 2 / (chosen.len().max(1) as u64);
        for constants in &chosen {
            work.portion(portion / 4);
            let mut initial = vec![];
            let _ = eval.each_edge(None, constants, &[], &mut |edge| {
                initial.push(edge);
                if initial.len() < effort.states { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            for edge in initial {
                self.edge(&eval, constants, None, edge, size, counts);
            }
            for i in 0..model.invariant.len() {
                if bsym_status::may_lack_meaning(&model.invariant[i].pred) {
                    work.portion(portion / 8);
                    for state in states(model, scope, constants, i, effort, &work) {
                        let said = eval.pred(&Env::new(constants, &state), &model.invariant[i].pred);
                        if said.is_err_and(|e| e.kind == EvalErrorKind::IllDefined) {
                            self.note(&eval, Claimed::Meaning(i), &state, size);
                        }
                    }
                }
            }
            work.portion(portion);
            let all = states(model, scope, constants, model.invariant.len(), effort, &work);
            for state in all {
                // Judged by the formulas as they are written.
                work.portion(portion);
                let env = Env::new(constants, &state);
                if !model.invariant.iter().all(|c| eval.pred(&env, &c.pred) == Ok(true)) {
                    continue;
                }
                counts.states += 1;
                for (i, assertion) in model.assertions.iter().enumerate() {
                    match eval.pred(&env, &assertion.pred) {
                        Ok(true) => continue,
                        Ok(false) => self.note(&eval, Claimed::Theorem(i), &state, size),
                        Err(e) if e.kind == EvalErrorKind::IllDefined => {
                            self.note(&eval, Claimed::Theorem(i), &state, size);
                            self.note(&eval, Claimed::AssertionMeaning(i), &state, size);
                        }
                        Err(_) => {}
                    }
                    break;
                }
                for e in 0..model.events.len() {
                    let mut edges = vec![];
                    let event = Some(EventId(e as u32));
                    let _ = eval.each_edge(event, constants, &state, &mut |edge| {
                        edges.push(edge);
                        if edges.len() < STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    });
                    for edge in edges {
                        self.edge(&eval, constants, Some(&state), edge, size, counts);
                    }
                }
            }
        }
    }

    fn edge(
        &mut self,
        eval: &Evaluator<'_>,
        constants: &[Value],
        before: Option<&[Value]>,
        edge: Edge,
        size: &str,
        counts: &mut Counts,
    ) {
        counts.steps += 1;
        let shown = before.unwrap_or(&[]);
        match &edge.outcome {
            Outcome::Reached { state, .. } => {
                let env = Env::new(constants, state);
                for (i, conjunct) in eval.model.invariant.iter().enumerate() {
                    let holds = match eval.pred(&env, &conjunct.pred) {
                        Ok(holds) => holds,
                        Err(e) => e.kind != EvalErrorKind::IllDefined,
                    };
                    if !holds {
                        let shown = if before.is_some() { shown } else { &state[..] };
                        self.note(eval, Claimed::Pair(edge.event, i), shown, size);
                    }
                }
            }
            Outcome::Disabled { .. } => {}
            Outcome::RefinementFailed(id) => {
                let kind = FailureKind::Refinement(*id);
                self.note(eval, Claimed::Step(edge.event, kind, Span::default()), shown, size);
            }
            Outcome::IllDefined(e) => {
                self.note(eval, Claimed::Step(edge.event, FailureKind::IllDefined, e.span), shown, size);
            }
            Outcome::AssertFailed(span) => {
                self.note(eval, Claimed::Step(edge.event, FailureKind::Assert, *span), shown, size);
            }
            Outcome::PreconditionFailed(span) => {
                self.note(eval, Claimed::Step(edge.event, FailureKind::Precondition, *span), shown, size);
            }
        }
    }

    fn note(&mut self, eval: &Evaluator<'_>, claim: Claimed, state: &[Value], size: &str) {
        self.by.entry(claim).or_insert_with(|| {
            let values: Vec<String> = state.iter().map(|v| eval.text(v)).collect();
            format!("is false with sets of {size} elements where variables are {}", values.join(", "))
        });
    }
}

/// States in which the first conjuncts are true, spread over all that are found.
fn states(
    model: &Model,
    scope: &Scope,
    constants: &[Value],
    conjuncts: usize,
    effort: Effort,
    work: &Work,
) -> Vec<Vec<Value>> {
    let mut any = model.clone();
    let mut names = Replacement::default();
    let mut targets = vec![];
    for (i, variable) in model.variables.iter().enumerate() {
        let (v, local) = (VarId(i as u32), LocalId(any.locals.len() as u32));
        any.locals.push(variable.clone());
        names.variables.insert(v, ExprKind::Local(local).typed(variable.ty.clone(), variable.span));
        targets.push((Target::Var(v), local));
    }
    let span = model.initialisation.span;
    let all = model.invariant[..conjuncts].iter().map(|c| names.in_pred(&c.pred)).collect();
    let such = SubstKind::BecomesSuch(ChoiceId(u32::MAX / 2), targets, Pred::all(all, span));
    any.initialisation = Subst { kind: such, span };
    let limits = Limits { branching: 100_000, listing: 1 << 18, ..Limits::default() };
    let eval = Evaluator::new(&any, scope).with_limits(limits).with_work(work);
    let mut found = vec![];
    let _ = eval.each_edge(None, constants, &[], &mut |edge| {
        if let Outcome::Reached { state, .. } = edge.outcome {
            found.push(state);
        }
        if found.len() < effort.states * 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let every = found.len().div_ceil(effort.states).max(1);
    found.into_iter().step_by(every).collect()
}
