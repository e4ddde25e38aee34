//! Counts of state spaces and their views, at three elements of each deferred set.
//!
//! Those of the graphs and of the views are in Turner's table B.1, with three remarks: he counts pairs of a node and a label where
//! signatures are merged, the node for what does not accept among those of an automaton, and the counts of definite edges
//! follow from his definition.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_explore::graph::{
    Collected, Content, GraphOptions, Operation, collect, determinise, merge, minimise,
};
use bsym_explore::report::Progress;
use bsym_explore::search::Problem;
use bsym_language::load::load_model;
use bsym_language::model::{CarrierKind, EventId, Model};
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::verdict::Reason;

fn collected(name: &str, options: &GraphOptions) -> (Model, Collected) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    let model = load_model(&path).expect("it can be read").model.expect("it is right");
    let sizes = model
        .types
        .carriers
        .iter()
        .filter(|c| matches!(c.kind, CarrierKind::Deferred))
        .map(|c| (c.name.clone(), 3))
        .collect();
    let scope = Scope::settle(&model, &ScopeRequest { sizes, ..ScopeRequest::default() }).expect("a scope");
    let found = with_large_stack(|| {
        let problem = Problem { model: &model, scope: &scope, finder: None };
        collect(&problem, &[], options, &mut |_: &Progress| {})
    });
    (model, found)
}

/// The labels without arguments.
fn without_arguments(model: &Model, found: &Collected) -> (Vec<usize>, usize) {
    let number = |operation: Operation| match operation {
        Operation::SetUp => 0,
        Operation::Initialise => 1,
        Operation::Event(EventId(event)) => 2 + event as usize,
    };
    (found.labels.iter().map(|label| number(label.operation)).collect(), model.events.len() + 2)
}

struct Counts {
    graph: (usize, usize),
    merged: (usize, usize),
    pairs: usize,
    definite: usize,
    automaton: (usize, usize),
}

fn counts(name: &str) -> Counts {
    let (model, found) = collected(name, &GraphOptions::default());
    assert!(found.doubt().is_none(), "{name}: {:?}", found.doubt());
    let (names, labels) = without_arguments(&model, &found);
    let graph = found.graph.relabelled(&names, labels);
    let merged = merge(&graph);
    let automaton = determinise(&graph, &vec![false; labels], usize::MAX);
    let least = minimise(&automaton);
    assert!(least.nodes.len() <= automaton.nodes.len() && least.edges.len() <= automaton.edges.len());
    let pairs: BTreeSet<(usize, usize)> = merged.edges.iter().map(|e| (e.edge.from, e.edge.label)).collect();
    Counts {
        graph: (found.graph.len(), found.graph.edges().len()),
        merged: (merged.nodes.len(), merged.edges.len()),
        pairs: pairs.len(),
        definite: merged.edges.iter().filter(|e| e.definite).count(),
        automaton: (automaton.nodes.len(), automaton.edges.len()),
    }
}

#[test]
fn phonebook() {
    let found = counts("Phonebook.mch");
    assert_eq!(found.graph, (65, 433));
    assert_eq!((found.merged, found.pairs, found.definite), ((4, 9), 7, 5));
    assert_eq!(found.automaton, (5, 10));
}

#[test]
fn scheduler() {
    let found = counts("Scheduler.mch");
    assert_eq!(found.graph, (36, 121));
    assert_eq!((found.merged, found.pairs), ((8, 25), 17));
    assert_eq!(found.automaton, (11, 25));
}

#[test]
fn postal_puzzle() {
    let found = counts("Padlocks.mch");
    assert_eq!(found.graph, (441, 1227));
    assert_eq!((found.merged, found.pairs), ((9, 47), 21));
    assert_eq!(found.automaton, (119, 274));
}

#[test]
fn a_limit_leaves_states_open() {
    let mut options = GraphOptions::default();
    options.limits.states = Some(10);
    let (_, found) = collected("Phonebook.mch", &options);
    assert_eq!(found.stopped, Some(Reason::StateLimit(10)));
    let open = found.graph.open.iter().filter(|open| **open).count();
    assert!(open > 0 && open < found.graph.len());
    // Nothing is called a deadlock because it was not expanded.
    assert!(found.nodes.iter().all(|node| !node.is_deadlock));
}

#[test]
fn what_is_false_and_where_nothing_is_enabled_is_marked() {
    let (_, found) = collected("PhonebookWrong.mch", &GraphOptions::default());
    let wrong = found.nodes.iter().filter(|node| !node.violated.is_empty()).count();
    assert!(wrong > 0, "no state violates the invariant");
    let (_, found) = collected("ProcessesStuck.mch", &GraphOptions::default());
    let stuck = found.nodes.iter().filter(|node| node.is_deadlock);
    assert!(stuck.clone().count() > 0 && stuck.clone().all(|node| matches!(node.content, Content::State(_))));
}
