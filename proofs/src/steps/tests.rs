use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::Sequent;
use bsym_encodings::system::System;
use bsym_encodings::term::Term;
use bsym_language::model::{EventId, Model, Pred};

use super::Steps;
use crate::sequent::{Decision, Effort, Hypotheses, Prover};
use crate::states::States;
use crate::testing::{model, open_default, scope, solver, system};

/// Machines whose steps choose, branch, read `x$0` and use the same names again. Their conjuncts: some that two steps
/// from an initial state keep, some that they do not, some that only hold where others held before.
const MACHINES: [&str; 4] = [
    "MACHINE chooses SETS D VARIABLES x, s, t INVARIANT x : D & s <: D & t <: D & x : s & t <: s & t = {} & s /= D
     INITIALISATION ANY a WHERE a : D THEN x := a || s := {a} || t := {} END
     OPERATIONS grow(d) = SELECT d : D THEN s := s \\/ {d} || x := d END;
       keep = ANY d WHERE d : s THEN t := t \\/ {d} END;
       both(d) = SELECT d : D & d : s THEN x := d || t := {d} END END",
    "MACHINE branches SETS D VARIABLES f, s, on INVARIANT f : D +-> D & s <: D & on : BOOL & dom(f) <: s & ran(f) <: s & f = {} & (on = TRUE => s = {})
     INITIALISATION f := {} || s := {} || on := TRUE
     OPERATIONS put(a, b) = PRE a : D & b : D THEN
         IF on = TRUE THEN s := s \\/ {a, b} || on := FALSE ELSIF a : s & b : s THEN f := f <+ {a |-> b} ELSE on := FALSE END END;
       cut(a) = SELECT a : dom(f) THEN f := {a} <<| f ELSE s := s - {a} || f := f |>> {a} END;
       swap = BEGIN f :: {f~} || on := bool(s = {}) END END",
    "MACHINE before SETS D VARIABLES s, t INVARIANT s <: D & t <: D & s /\\ t = {} & s \\/ t /= D & (s = {} => t = {})
     INITIALISATION s, t := {}, {}
     OPERATIONS move = s, t : (s <: D & t <: D & t = s$0 & s /\\ s$0 = {});
       next(d) = SELECT d : D & d /: t THEN s := s \\/ {d}; t := t - {d} END;
       r <-- look = VAR u IN u := s; r := bool(u = t); s := u END END",
    "MACHINE fails SETS D VARIABLES f, x INVARIANT f : D +-> D & x : D & x /: ran(f) & f : D >+> D
     INITIALISATION f := {} || x :: D
     OPERATIONS add(d) = SELECT d : D & d /: ran(f) THEN f(x) := d || x :: D - (ran(f) \\/ {d}) END;
       step = x := f(x);
       drop = BEGIN f := {x} <<| f; ASSERT f(x) = x THEN skip END END END",
];

/// How long a question may take in either form.
const TIME: Duration = Duration::from_secs(2);

/// Returns the hypotheses along a path in terms of arrays. The conjuncts hold in all states before the last.
fn along(system: &System, states: &mut States<'_>, path: &[Option<EventId>]) -> Vec<Term> {
    let mut all: Vec<Term> = system.axioms.assumed().chain(&system.facts.background).copied().collect();
    let steps = path.iter().flatten();
    if path[0].is_none() {
        all.push(states.initial(system.initialisation.relation.expect("a term")));
    }
    all.extend(states.facts(0));
    for (i, event) in steps.enumerate() {
        for conjunct in &system.invariant {
            all.extend([conjunct.defined, conjunct.holds].map(|t| states.at(t, i)));
        }
        all.push(states.step(system.events[event.index()].relation.expect("a term"), i));
        all.extend(states.facts(i + 1));
    }
    all
}

/// Comparison of the two forms on impossible situations. Counts the questions with a proof in both.
struct Agreement<'a> {
    model: &'a Model,
    system: &'a System,
    proved: usize,
    asked: usize,
}

impl Agreement<'_> {
    fn compare(&mut self, hypotheses: Vec<Term>, goal: Term, sequents: &[Sequent], what: &str) {
        let budget = Budget::unlimited().per_query(TIME);
        let mut open = open_default;
        let mut prover = Prover::new(self.system.terms.clone(), &mut open, budget.clone());
        let scope = scope(self.model);
        let deduced = prover.prove_in_first_order(self.model, &scope, sequents, &budget).expect("a solver");
        let mut hypotheses = Hypotheses::new(hypotheses);
        let in_arrays = hypotheses.prove(&mut prover, &[], goal, Effort::Quick(TIME)).expect("a solver");
        let both = (&in_arrays, &deduced);
        assert!(!matches!(both, (Decision::Refuted, Decision::Proved)), "{}: {what}", self.model.name);
        self.asked += 1;
        self.proved += usize::from(both == (&Decision::Proved, &Decision::Proved));
    }
}

#[test]
fn paths_of_several_steps_say_what_terms_of_arrays_say() {
    if solver().is_none() {
        return;
    }
    for text in MACHINES {
        let model = model(text);
        let system = system(&model);
        let steps = Steps::new(&model);
        let known: Vec<Pred> = model.invariant.iter().map(|c| c.pred.clone()).collect();
        let terms = system.terms.clone();
        let mut agreement = Agreement { model: &model, system: &system, proved: 0, asked: 0 };
        let all = [(true, 0), (true, 1), (true, 2), (false, 1), (false, 2)];
        for path in all.iter().flat_map(|&(initial, n)| steps.sequences(initial, n, None).expect("few")) {
            let last = path.iter().flatten().count();
            let mut states = States::new(&system);
            let hypotheses = along(&system, &mut states, &path);
            for (i, conjunct) in model.invariant.iter().enumerate() {
                let goal = terms.and([system.invariant[i].defined, system.invariant[i].holds]);
                let goal = states.at(goal, last);
                let sequents = steps.after_all(&path, &known, &[], &conjunct.pred).expect("paths");
                agreement.compare(hypotheses.clone(), goal, &sequents, &format!("{path:?}, conjunct {i}"));
            }
            if last == 2 {
                continue;
            }
            // The next event fails.
            for (e, event) in system.events.iter().enumerate() {
                let longer = [&path[..], &[Some(EventId(e as u32))]].concat();
                for failure in &event.failures {
                    let mut hypotheses = hypotheses.clone();
                    for conjunct in &system.invariant {
                        hypotheses.extend([conjunct.defined, conjunct.holds].map(|t| states.at(t, last)));
                    }
                    let goal = terms.not(states.step(failure.condition, last));
                    let Some(sequents) = steps.without_failure_after(&longer, &known, [failure]) else {
                        panic!("{}: a failure of {longer:?} without a place", model.name)
                    };
                    agreement.compare(hypotheses, goal, &sequents, &format!("{longer:?}, {failure:?}"));
                }
            }
        }
        println!("{}: {} of {} proved in both forms", model.name, agreement.proved, agreement.asked);
        assert!(agreement.proved * 4 > agreement.asked, "{}", model.name);
    }
}

#[test]
fn sequences_are_made_where_they_are_few() {
    let model = model(MACHINES[0]);
    let steps = Steps::new(&model);
    let [a, b] = [0, 1].map(|e| Some(EventId(e)));
    assert_eq!(steps.sequences(true, 0, None), Some(vec![vec![None]]));
    assert_eq!(steps.sequences(false, 0, b), Some(vec![vec![b]]));
    let all = steps.sequences(true, 2, a).expect("nine");
    assert_eq!((all.len(), &all[1]), (9, &vec![None, a, b, a]));
    assert_eq!(steps.sequences(false, 20, None), None);
    assert_eq!(steps.sequences(false, usize::MAX, None), None);
}
