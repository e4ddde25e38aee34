//! Steps of a refinement that its abstraction can and cannot follow, on our own package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bsym_language::load::load_model;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::Outcome;
use bsym_semantics::value::env::Env;

fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/tests/eventb").join(name);
    load_model(&path).expect("it can be read").model.expect("nothing is wrong with it")
}

/// States and transitions as ProB counts them, checks that fail, labels of violated invariants.
fn explore(model: &Model) -> (usize, usize, BTreeSet<String>, BTreeSet<String>) {
    let scope =
        Scope::settle(model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let eval = Evaluator::new(model, &scope);
    let (mut states, mut transitions) = (0, 0);
    let (mut failed, mut violated) = (BTreeSet::new(), BTreeSet::new());
    for constants in eval.constants(&BTreeMap::new()).found {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![]);
        states += 1;
        transitions += 1;
        let mut edges = eval.initial_states(&constants);
        loop {
            assert_eq!(edges.incomplete, []);
            for edge in edges.edges {
                match edge.outcome {
                    Outcome::Reached { state, .. } => {
                        transitions += 1;
                        if seen.insert(state.clone()) {
                            todo.push(state);
                        }
                    }
                    Outcome::RefinementFailed(id) => {
                        failed.insert(model.refinement.checks[id.index()].message(model));
                    }
                    other => panic!("{other:?}"),
                }
            }
            let Some(state) = todo.pop() else { break };
            let env = Env::new(&constants, &state);
            for c in &model.invariant {
                if !eval.pred(&env, &c.pred).expect("it is defined") {
                    violated.insert(c.label.clone().unwrap_or_default());
                }
            }
            edges = eval.successors(&constants, &state);
        }
        states += seen.len();
    }
    (states, transitions, failed, violated)
}

#[test]
fn a_refinement_that_holds_has_the_states_of_prob() {
    let (states, transitions, failed, violated) = with_large_stack(|| explore(&model("tank.eventb")));
    // ProB 1.8.2: 14 nodes, 27 transitions.
    assert_eq!((states, transitions), (14, 27));
    assert_eq!((failed, violated), (BTreeSet::new(), BTreeSet::new()));
    let rodin = with_large_stack(|| explore(&model("Tank/Tank1.bum")));
    assert_eq!((rodin.0, rodin.1), (14, 27));
}

#[test]
fn a_guard_that_is_too_weak_is_found() {
    // ProB 1.8.2 calls it `event_error:drop`.
    let (.., failed, _) = with_large_stack(|| explore(&model("tank_weak.eventb")));
    let failed: Vec<&str> = failed.iter().map(String::as_str).collect();
    assert_eq!(failed, ["guard grd2 of the abstract event fill (Tank0) is false"]);
}
