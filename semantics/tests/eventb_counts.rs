//! States and transitions of Event-B packages are those that ProB counts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bsym_language::load::load_model;
use bsym_language::model::{EventId, Model};
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::state::State;
use bsym_semantics::transitions::Outcome;
use bsym_semantics::value::Value;
use bsym_testing::corpus;

/// What a search of all states found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    states: usize,
    transitions: usize,
    violated: bool,
    refinement: BTreeSet<String>,
    incomplete: Option<String>,
}

// As the manifest counts: one node for each valuation of the constants, if there are constants or axioms.
fn explore(model: &Model, most: usize) -> Counts {
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(model, &request).expect("the defaults fit");
    let limits = Limits { listing: 1 << 12, branching: 1 << 12, ..Limits::default() };
    let eval = Evaluator::new(model, &scope).with_limits(limits);
    let mut counts = Counts::default();
    let valuations = eval.constants(&BTreeMap::new());
    if let Some(e) = valuations.incomplete {
        counts.incomplete = Some(e.message);
        return counts;
    }
    for constants in valuations.found {
        if !model.constants.is_empty() || !model.axioms.is_empty() {
            counts.states += 1;
            counts.transitions += 1;
        }
        let mut seen: BTreeSet<State> = BTreeSet::new();
        let mut queue: VecDeque<State> = VecDeque::new();
        let mut initial = BTreeSet::new();
        let mut edges = eval.initial_states(&constants);
        loop {
            if let Some((_, e)) = edges.incomplete.first() {
                counts.incomplete = Some(e.message.clone());
                return counts;
            }
            let mut distinct: BTreeSet<(Option<EventId>, Vec<Value>, State)> = BTreeSet::new();
            for edge in edges.edges {
                match edge.outcome {
                    Outcome::Reached { state, .. } => {
                        if edge.event.is_none() {
                            initial.insert(state.clone());
                        }
                        distinct.insert((edge.event, edge.execution.parameters, state.clone()));
                        if seen.insert(state.clone()) {
                            queue.push_back(state);
                        }
                    }
                    Outcome::RefinementFailed(id) => {
                        counts.refinement.insert(model.refinement_checks[id.index()].message(model));
                    }
                    Outcome::IllDefined(e) => counts.incomplete = Some(format!("ill-defined: {}", e.message)),
                    _ => {}
                }
            }
            counts.transitions += distinct.len();
            let Some(state) = queue.pop_front() else { break };
            if counts.states + seen.len() > most {
                counts.incomplete = Some(format!("more than {most} states"));
                return counts;
            }
            let env = bsym_semantics::env::Env::new(&constants, &state);
            for c in &model.invariant {
                match eval.pred(&env, &c.pred) {
                    Ok(true) => {}
                    Ok(false) => counts.violated = true,
                    Err(e) => counts.incomplete = Some(format!("{}: {}", c.text, e.message)),
                }
            }
            edges = eval.successors(&constants, &state);
        }
        counts.states += seen.len();
    }
    counts
}

#[test]
fn packages_have_the_states_that_prob_counts() {
    let Some(corpus) = corpus() else { return };
    let limit: u64 = std::env::var("BSYM_STATES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).expect("there is a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("it is JSON");
    let entries = manifest["entries"].as_array().expect("entries are a list");
    let only = std::env::var("BSYM_ONLY").unwrap_or_default();
    let (mut equal, mut undecided, mut different) = (0, 0, vec![]);
    for entry in entries.iter().filter(|e| e["formalism"] == "eventb-package") {
        let (facts, path) = (&entry["facts"], entry["path"].as_str().expect("a path"));
        let (Some(states), Some(transitions)) = (facts["states"].as_u64(), facts["transitions"].as_u64())
        else {
            continue;
        };
        let too_large = states > limit || transitions > 20 * limit;
        if facts["comparable"] != true || too_large || !path.contains(&only) {
            continue;
        }
        let loaded = load_model(&corpus.join(path)).expect("it is a text");
        let model = loaded.model.expect("all packages load");
        let counts = with_large_stack(|| explore(&model, 10 * limit as usize));
        let same = (counts.states as u64, counts.transitions as u64) == (states, transitions)
            && facts["invariant_violated"].as_bool().is_none_or(|v| v == counts.violated)
            && counts.refinement.is_empty();
        if same {
            equal += 1;
        } else if counts.incomplete.is_some() {
            // Unbounded constants, sets too large to list.
            undecided += 1;
            if !only.is_empty() {
                println!("{path}: {counts:?}");
            }
        } else if !KNOWN.iter().any(|(name, _)| path.contains(name)) {
            different.push(format!(
                "{path}: ProB {states}/{transitions} {}, here {counts:?}",
                facts["invariant_violated"]
            ));
        }
    }
    println!("{equal} packages have the states of ProB, {undecided} are not decided");
    assert!(different.is_empty(), "{different:#?}");
    assert!(!only.is_empty() || equal > 50, "{equal} are compared");
}

/// Where ProB's figures are others, with the reason.
const KNOWN: [(&str, &str); 10] = [
    ("TestBecomeSuch_mch", "ProB stops where an action is not feasible"),
    ("93/lift", "ProB stops at its first error"),
    ("TestProofDirected_FalseThm", "ProB trusts the proof of a false theorem"),
    ("RecordThreeFields", "ProB takes the size of a set from a bijection"),
    ("SampleThreeRecord", "ProB takes the size of a set from a bijection"),
    ("IntBool", "a bijection to an infinite set"),
    ("DPLL_Backtrack", "ProB takes the size of a set from a bijection"),
    ("SingleFieldRecord", "ProB fixes constants up to symmetry"),
    ("Mengen_Gesetze_Bool", "ProB fixes constants up to symmetry"),
    ("M0_Mach_Part_Trans", "a node of constants"),
];
