//! The normal form of substitutions, compared with the evaluator: in every state, the paths of an event lead to the
//! states that the evaluator reaches.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::files::Texts;
use bsym_language::load::load_from;
use bsym_language::model::before_after::{After, before_after};
use bsym_language::model::paths::{Demand, Path, Walker};
use bsym_language::model::types::Type;
use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Edges;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

#[path = "transitions/generate.rs"]
mod generate;

/// States of a machine that are looked at.
const STATES: usize = 6;

/// How many events in states were compared, and how many were not.
#[derive(Default, Debug)]
struct Count {
    compared: usize,
    without_paths: usize,
    /// Something on a path is ill-defined, or has too many values.
    undecided: usize,
}

/// The paths of an event in a state, evaluated: `{choices . guard | values after}`.
struct Listed {
    paths: Vec<Path>,
    model: Model,
}

impl Listed {
    fn of(model: &Model, event: Option<EventId>) -> Option<Listed> {
        let first = LocalId(model.locals.len() as u32);
        let mut demand = |_: &Path, _: Demand, _: &Pred| {};
        let mut walker = Walker::new(model, 200, first, &mut demand);
        let paths = walker.event(event, Path::default()).ok()?;
        let mut model = model.clone();
        model.locals.extend(walker.chosen().iter().cloned());
        Some(Listed { paths, model })
    }

    /// The states that the paths lead to; `None` if they cannot be evaluated.
    fn states(&self, scope: &Scope, constants: &[Value], state: &[Value]) -> Option<BTreeSet<State>> {
        let evaluator = Evaluator::new(&self.model, scope);
        let env = Env::new(constants, state);
        let mut all = BTreeSet::new();
        for path in &self.paths {
            let after = self.model.variables.iter().enumerate().map(|(i, v)| {
                let v_id = VarId(i as u32);
                let same = || ExprKind::Var(v_id).typed(v.ty.clone(), Span::default());
                path.values.variables.get(&v_id).cloned().unwrap_or_else(same)
            });
            let after = after.reduce(Expr::couple).expect("it has variables");
            // What was evaluated and overwritten must have a value all the same; a condition may be false.
            let known = path.guard.iter().cloned().chain(path.evaluated.iter().map(has_value)).collect();
            let guard = Box::new(Pred::all(known, Span::default()));
            let set = Type::pow(after.ty.clone());
            let reached = match path.choices.is_empty() {
                true => {
                    let one = ExprKind::SetExtension(vec![after]).typed(set.clone(), Span::default());
                    let none = ExprKind::EmptySet.typed(set.clone(), Span::default());
                    ExprKind::If(guard, Box::new(one), Box::new(none))
                }
                false => ExprKind::Quantified(QuantOp::Image, path.choices.clone(), guard, Box::new(after)),
            };
            let reached = evaluator.expr(&env, &reached.typed(set, Span::default())).ok()?;
            for value in reached.as_set()?.iter() {
                all.insert(value.untuple(self.model.variables.len())?.into_iter().collect());
            }
        }
        Some(all)
    }
}

/// A predicate that is true where this one is true or false.
fn has_value(p: &Pred) -> Pred {
    let not = PredKind::Not(Box::new(p.clone())).at(p.span);
    PredKind::Or(vec![p.clone(), not]).at(p.span)
}

fn reached(edges: &Edges) -> BTreeSet<State> {
    edges.edges.iter().filter_map(|e| e.state().cloned()).collect()
}

/// Compares the initialisation and the events in the first states of a machine.
fn compare(text: &str, count: &mut Count) {
    let files: Texts = [("m.mch", text), ("h.mch", INCLUDED)].into_iter().collect();
    let loaded = load_from(&files, "m.mch".as_ref()).expect("a file");
    let model = loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics));
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..Default::default() }).expect("a scope");
    let evaluator = Evaluator::new(&model, &scope);
    let all: Vec<Option<EventId>> =
        (0..model.events.len() as u32).map(|e| Some(EventId(e))).chain([None]).collect();
    let listed: BTreeMap<_, _> = all.iter().map(|e| (*e, Listed::of(&model, *e))).collect();
    for constants in evaluator.constants(&BTreeMap::new()).found.iter().take(2) {
        let mut check = |event: Option<EventId>, state: &[Value], edges: &Edges| {
            let Some(listed) = &listed[&event] else {
                count.without_paths += 1;
                return;
            };
            let found = listed.states(&scope, constants, state).filter(|_| edges.incomplete.is_empty());
            let Some(found) = found else {
                count.undecided += 1;
                return;
            };
            assert_eq!(found, reached(edges), "{text}: {event:?} in {state:?}");
            count.compared += 1;
        };
        let initial = evaluator.initial_states(constants);
        check(None, &[], &initial);
        let mut seen: Vec<State> = reached(&initial).into_iter().collect();
        let mut next = 0;
        while next < seen.len().min(STATES) {
            let state = seen[next].clone();
            next += 1;
            for event in all.iter().flatten() {
                let edges = evaluator.successors_of(*event, constants, &state);
                check(Some(*event), &state, &edges);
                for s in reached(&edges) {
                    if !seen.contains(&s) {
                        seen.push(s);
                    }
                }
            }
        }
    }
}

#[test]
fn paths_of_random_machines_lead_where_the_evaluator_leads() {
    let mut count = Count::default();
    for seed in 0..1000 {
        compare(&generate::Generator::new(seed).machine(), &mut count);
    }
    println!("{count:?}");
    // The generator lets names be read before they have a value.
    assert!(count.compared > 10 * count.undecided && 2 * count.compared > count.without_paths, "{count:?}");
}

#[test]
fn paths_of_every_form_lead_where_the_evaluator_leads() {
    let mut count = Count::default();
    for body in [
        "f(x) := y || y := f(x)",
        "f(x) := y; f(y) := x; x := f(y)",
        "f(0) := x || x, y := y, x",
        "x := 1; BEGIN x := y || y := x END; f(x) := y",
        "PRE x < 2 THEN x := x + 1; PRE y < 2 THEN y := x END END",
        "ASSERT x : dom(f) THEN y := f(x) END || x := 0",
        "CASE x OF EITHER 0 THEN y := 1 OR 1, 2 THEN y := 2 ELSE x := 0 END END",
        "CASE x OF EITHER 0 THEN y := 1 OR 1 THEN y := 2 END END",
        "SELECT x = 0 THEN x :: 0..2 WHEN x < 2 THEN y := x ELSE x := 0 END",
        "SELECT x = 0 THEN x := 1 WHEN x = 1 THEN x := 2 END",
        "CHOICE x := 0 OR y :: 0..x OR SELECT y = 1 THEN x := 2 END END || f := f <+ {y |-> x}",
        "ANY a, b WHERE a : 0..x & b : a..2 THEN x := a || f(a) := b; y := f(a) END",
        "LET a, b BE a = x + y & b = x IN x := b; y := a mod 3 END",
        "x, y : (x : 0..2 & y : 0..2 & x + y = x$0 + y$0); f(x) := y",
        "x := 2; x : (x : 0..2 & x < x$0) || y :: {0, 1}",
        "VAR l, m IN l := x; m := y; x := m; y := l; f(m) := l END",
        "IF x = 0 THEN x := 1; IF y = x THEN y := 0 END ELSIF x = 1 THEN SELECT y = 0 THEN x := 2 END END",
        "f := {0 |-> 1}; IF f(x) = 1 THEN y := 2 ELSE y := 1 END",
        "IF 2 / x = 1 THEN y := 2 ELSIF 4 / x = 1 THEN y := 1 ELSE y := 0 END",
        "SELECT 2 / x = 1 THEN y := 2 ELSE y := 0 END",
        "go; set(2); y <-- get",
        "x <-- get || y := x",
        "IF x = 0 THEN go ELSE set(x) END; x <-- get",
    ] {
        let text = format!(
            "MACHINE m INCLUDES h DEFINITIONS SET_PREF_MAXINT == 3 VARIABLES x, y, f
             INVARIANT x : INTEGER & y : INTEGER & f : INTEGER +-> INTEGER
             INITIALISATION x :: 0..1; y := 1 - x; ANY a WHERE a : 0..1 THEN f := {{a |-> x}} END
             OPERATIONS one = BEGIN {body} END;
               r <-- two(p) = PRE p : 0..1 THEN x := p || IF y > 0 THEN y := y - p END || r := f END END"
        );
        compare(&text, &mut count);
    }
    println!("{count:?}");
    assert_eq!(count.without_paths, 0);
    assert!(count.compared > 5 * count.undecided, "{count:?}");
}

/// The states after an event by its before-after predicate; `None` if this is ill-defined.
fn by_predicate(model: &Model, scope: &Scope, state: &[Value]) -> Option<BTreeSet<State>> {
    let mut model = model.clone();
    let mut after = After::new();
    let mut locals = vec![];
    for (i, v) in model.variables.iter().enumerate() {
        let local = LocalId((model.locals.len() + i) as u32);
        locals.push(local);
        let value = ExprKind::Local(local).typed(v.ty.clone(), Span::default());
        after.insert(Target::Var(VarId(i as u32)), value);
    }
    model.locals.extend(model.variables.clone());
    let body = model.events[0].body.clone();
    let p = before_after(&mut model, &body, &after, false).expect("it has few paths");
    let couple = after.values().cloned().reduce(Expr::couple).expect("it has variables");
    let set = Type::pow(couple.ty.clone());
    let set = ExprKind::Quantified(QuantOp::Image, locals, Box::new(p), Box::new(couple))
        .typed(set, Span::default());
    let value = Evaluator::new(&model, scope).expr(&Env::new(&[], state), &set).ok()?;
    value.as_set()?.iter().map(|v| Some(v.untuple(model.variables.len())?.into_iter().collect())).collect()
}

#[test]
fn a_condition_without_a_value_decides_for_no_branch() {
    let text = "MACHINE m VARIABLES x, y INVARIANT x : 0..2 & y : 0..1 INITIALISATION x :: 0..2 || y := 0
        OPERATIONS go = IF 1 / x = 1 THEN y := 1 ELSE y := 0 END END";
    let files: Texts = [("m.mch", text)].into_iter().collect();
    let model = load_from(&files, "m.mch".as_ref()).expect("a file").model.expect("the machine checks");
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    let evaluator = Evaluator::new(&model, &scope);
    let listed = Listed::of(&model, Some(EventId(0))).expect("two paths");
    for (x, y) in [(0, None), (1, Some(1)), (2, Some(0))] {
        let state = [Value::Int(x.into()), Value::Int(0.into())];
        let edges = evaluator.successors_of(EventId(0), &[], &state);
        let expected: Option<BTreeSet<State>> =
            y.map(|y: i64| [[state[0].clone(), Value::Int(y.into())].into_iter().collect()].into());
        assert_eq!(Some(reached(&edges)).filter(|found| !found.is_empty()), expected, "x = {x}");
        assert_eq!(listed.states(&scope, &[], &state), expected, "x = {x}");
        assert_eq!(by_predicate(&model, &scope, &state), expected, "x = {x}");
    }
}

/// A machine whose operations a body may call.
const INCLUDED: &str = "MACHINE h VARIABLES u INVARIANT u : INTEGER INITIALISATION u := 0
    OPERATIONS go = SELECT u < 2 THEN u := u + 1 END; set(v) = PRE v : 0..2 & v > u THEN u := v END;
      v <-- get = BEGIN v := u || u :: 0..1 END END";
