//! Transitions, replay and trace files on small machines.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::load::load_text;
use bsym_language::model::{EventId, Model};

use crate::evaluator::Evaluator;
use crate::scope::{Scope, ScopeRequest};
use crate::trace::file::{trace_from_json, trace_to_json};
use crate::trace::replay::{Checks, ChoiceCounts, replay};
use crate::trace::{Step, Trace, Violation};
use crate::transition::state::{Constants, Execution, State};
use crate::transition::{Edge, Outcome};
use crate::value::Value;

fn load(text: &str) -> (Model, Scope) {
    let loaded = load_text("m.mch", text);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    (model, scope)
}

struct Graph {
    states: usize,
    transitions: usize,
    /// A trace to each state or failure, in the order of a breadth-first search.
    traces: Vec<Trace>,
}

/// Explores everything; checks on the way that directed execution agrees with enumeration.
fn explore(model: &Model, scope: &Scope) -> Graph {
    let eval = Evaluator::new(model, scope);
    let valuations = eval.constants(&BTreeMap::new());
    assert_eq!(valuations.incomplete, None);
    let mut graph = Graph { states: 0, transitions: 0, traces: Vec::new() };
    for constants in &valuations.found {
        let mut seen: BTreeSet<State> = BTreeSet::new();
        let start = Trace::new(scope.clone(), constants.clone(), Vec::new());
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(trace) = open.pop_front() {
            let (state, edges) = match trace.steps.last() {
                None => (Vec::new(), eval.initial_states(constants)),
                Some(step) => {
                    let state = step.state.clone().unwrap();
                    let edges = eval.successors(constants, &state);
                    graph.transitions += edges.edges.len();
                    (state, edges)
                }
            };
            assert_eq!(edges.incomplete, []);
            for edge in edges.edges {
                agree(&eval, constants, &state, &edge);
                let mut next = trace.clone();
                let reached = edge.state().cloned();
                next.steps.push(Step {
                    event: edge.event,
                    execution: edge.execution,
                    state: reached.clone(),
                });
                match reached {
                    Some(state) if seen.insert(state.clone()) => {
                        graph.traces.push(next.clone());
                        open.push_back(next);
                    }
                    Some(_) => {}
                    None => graph.traces.push(next),
                }
            }
        }
        graph.states += seen.len();
    }
    graph
}

fn agree(eval: &Evaluator<'_>, constants: &Constants, state: &State, edge: &Edge) {
    let outcome = eval.execute(constants, state, edge.event, &edge.execution).unwrap();
    assert_eq!(outcome, edge.outcome, "{edge:?}");
}

fn check_graph(text: &str, states: usize, transitions: usize) {
    let (model, scope) = load(text);
    let graph = explore(&model, &scope);
    assert_eq!((graph.states, graph.transitions), (states, transitions), "{text}");
    for trace in &graph.traces {
        let json = trace_to_json(&model, trace);
        assert_eq!(trace_from_json(&model, &json).as_ref(), Ok(trace), "{json}");
        replay(&model, trace, &Checks::default()).unwrap();
    }
}

#[test]
fn graphs_of_small_machines() {
    check_graph(
        "MACHINE Counter VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
         OPERATIONS inc = SELECT n < 3 THEN n := n + 1 END; reset = PRE n = 3 THEN n := 0 END END",
        4,
        4,
    );
    check_graph(
        "MACHINE Add VARIABLES n INVARIANT n : 0..5 INITIALISATION n :: 0..1
         OPERATIONS add(d) = PRE d : 1..3 & n + d <= 5 THEN n := n + d END END",
        6,
        12,
    );
    // Mutual exclusion with a deferred set of two elements.
    check_graph(
        "MACHINE Mutex SETS P VARIABLES in, want INVARIANT in <: P & want <: P & card(in) <= 1
         INITIALISATION in, want := {}, {}
         OPERATIONS
           ask = ANY p WHERE p : P - (in \\/ want) THEN want := want \\/ {p} END;
           enter(p) = SELECT p : want & in = {} THEN in := {p} || want := want - {p} END;
           leave = VAR q IN q := in; in := in - q END
         END",
        8,
        18,
    );
    check_graph(
        "MACHINE Choices VARIABLES x, y INVARIANT x : 0..2 & y : BOOL INITIALISATION x, y : (x : 0..1 & y = bool(x = 1))
         OPERATIONS
           a = CHOICE x := 0 OR x := 2 END;
           b = SELECT x = 0 THEN y := TRUE WHEN x >= 0 THEN y := FALSE ELSE skip END;
           r <-- c = BEGIN r := x; x : (x > x$0 & x <= 2) END;
           w = VAR i IN i := 0; WHILE i < x DO i := i + 1 INVARIANT i : 0..x VARIANT x - i END; x := i END;
           s = BEGIN x := 0; y := bool(x = 0) END
         END",
        6,
        38,
    );
    check_graph(
        "MACHINE Constants CONSTANTS c, f PROPERTIES c : 1..2 & f : 1..c --> BOOL & f(1) = TRUE
         VARIABLES v INVARIANT v : BOOL INITIALISATION v := f(c)
         OPERATIONS r <-- get(i) = PRE i : 1..c THEN r := f(i) END END",
        3,
        5,
    );
}

fn events(model: &Model, scope: &Scope, names: &[&str]) -> Trace {
    let eval = Evaluator::new(model, scope);
    let constants = eval.constants(&BTreeMap::new()).found.remove(0);
    let mut trace = Trace::new(scope.clone(), constants, Vec::new());
    let mut state: State = Vec::new();
    for name in [None].into_iter().chain(names.iter().copied().map(Some)) {
        let event = name.map(|n| EventId(model.events.iter().position(|e| e.name == n).unwrap() as u32));
        let outcome = eval.execute(&trace.constants, &state, event, &Execution::default()).unwrap();
        let reached = match outcome {
            Outcome::Reached { state, .. } => Some(state),
            Outcome::Disabled { why, .. } => panic!("{name:?}: {why}"),
            _ => None,
        };
        trace.steps.push(Step { event, execution: Execution::default(), state: reached.clone() });
        state = reached.unwrap_or_default();
    }
    trace
}

const FAULTY: &str = "MACHINE Faulty VARIABLES n, f
    INVARIANT n : NATURAL & n < 2 & f : 1..2 +-> 1..2 & n /= 3 & (n > 0 => f(n) = 1) ASSERTIONS n /= 2
    INITIALISATION n, f := 0, {1|->1}
    OPERATIONS inc = n := n + 1;
      divide = n := 4 / n; claim = ASSERT n = 1 THEN skip END; ask = BEGIN PRE n = 1 THEN n := 0 END; skip END;
      stop = SELECT n > 9 THEN n := 0 END END";

fn violations(names: &[&str], checks: &Checks) -> Vec<Violation> {
    let (model, scope) = load(FAULTY);
    replay(&model, &events(&model, &scope, names), checks).unwrap().violations
}

#[test]
fn replay_finds_what_is_wrong() {
    let all = Checks { assertions: true, deadlock: true, goal: true, ..Checks::default() };
    assert_eq!(violations(&[], &all), []);
    assert_eq!(violations(&["inc"], &all), []);
    assert_eq!(violations(&["inc", "inc"], &Checks::default()), [Violation::Invariant(vec![1])]);
    assert_eq!(
        violations(&["inc", "inc"], &all),
        [Violation::Invariant(vec![1]), Violation::Assertions(vec![0])]
    );
    assert_eq!(violations(&["inc", "inc", "inc"], &all), [Violation::Invariant(vec![1, 3])]);
    assert!(matches!(violations(&["divide"], &all)[..], [Violation::IllDefined(_)]));
    assert!(matches!(violations(&["claim"], &all)[..], [Violation::Assert(_)]));
    assert!(matches!(violations(&["ask"], &all)[..], [Violation::Precondition(_)]));
}

#[test]
fn replay_says_where_the_first_violation_is() {
    let (model, scope) = load(FAULTY);
    let trace = events(&model, &scope, &["inc", "inc", "inc"]);
    assert_eq!(replay(&model, &trace, &Checks::default()).unwrap().first_violated, Some(2));
}

#[test]
fn replay_refuses_what_is_no_trace() {
    let (model, scope) = load(FAULTY);
    let trace = events(&model, &scope, &["inc"]);
    let refused = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        replay(&model, &changed, &Checks::default()).unwrap_err().to_string()
    };
    let state =
        |t: &mut Trace, i: usize, v: i64| t.steps[i].state.as_mut().unwrap()[0] = crate::value::Value::int(v);
    assert_eq!(refused(&|t| state(t, 1, 2)), "step 1: `n` is 1, not 2");
    assert_eq!(refused(&|t| state(t, 0, 7)), "initialisation: `n` is 0, not 7");
    assert_eq!(
        refused(&|t| t.steps[1].event = Some(EventId(4))),
        "step 1: it is disabled: the guard is false"
    );
    assert_eq!(refused(&|t| t.steps.clear()), "constants: the trace has no steps");
    assert_eq!(refused(&|t| t.steps[1].event = None), "step 1: the initialisation comes first");
    assert_eq!(refused(&|t| t.steps[1].state = None), "step 1: it reaches a state although none is claimed");
}

#[test]
fn files_that_are_no_traces_of_the_model_are_refused() {
    let (model, scope) = load(FAULTY);
    let json = trace_to_json(&model, &events(&model, &scope, &["inc"]));
    let refused = |from: &str, to: &str| {
        assert!(json.contains(from), "{json}");
        trace_from_json(&model, &json.replace(from, to)).unwrap_err().to_string()
    };
    assert_eq!(refused("\"Faulty\"", "\"Other\""), "the trace is of machine `Other`, not of `Faulty`");
    assert_eq!(
        refused("\"inc\"", "\"dec\""),
        "step 1 (dec): `dec` is not one of: inc, divide, claim, ask, stop, INITIALISATION"
    );
    assert_eq!(
        refused("\"n\": \"1\"", "\"n\": \"x\""),
        "step 1 (inc), `n`: cannot read \"x\" as a value: expected an integer at character 1"
    );
    assert!(refused("\"steps\"", "\"path\"").starts_with("this is no trace file: "));
}

#[test]
fn deadlock_and_goal() {
    let text = "MACHINE End DEFINITIONS GOAL == x = 2 VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0
        OPERATIONS go = SELECT x < 2 THEN x := x + 1 END END";
    let (model, scope) = load(text);
    let trace = events(&model, &scope, &["go", "go"]);
    let checks = Checks { deadlock: true, goal: true, ..Checks::default() };
    let found = replay(&model, &trace, &checks).unwrap().violations;
    assert_eq!(found, [Violation::Goal, Violation::Deadlock]);
}

#[test]
fn what_is_wrong_is_found_where_no_deadlock_can_be_decided() {
    // All natural numbers cannot be enumerated, so it is not known whether the operation is enabled.
    let text = "MACHINE End VARIABLES n INVARIANT n : 1..2 INITIALISATION n := 0
        OPERATIONS get = SELECT !x.(x : NATURAL => x * x >= n * x) THEN skip END END";
    let (model, scope) = load(text);
    let trace = events(&model, &scope, &[]);
    let checks = Checks { deadlock: true, ..Checks::default() };
    let found = replay(&model, &trace, &checks).unwrap().violations;
    assert_eq!(found, [Violation::Invariant(vec![0])]);
}

#[test]
fn a_result_that_is_not_assigned_has_any_value() {
    let text = "MACHINE Get VARIABLES n INVARIANT n : 0..1 INITIALISATION n := 0
        OPERATIONS r <-- get = IF n = 1 THEN r := n END END";
    let (model, scope) = load(text);
    let eval = Evaluator::new(&model, &scope);
    let edges = eval.successors(&[], &[Value::int(0)]);
    assert!(edges.incomplete.is_empty());
    assert_eq!(edges.edges.len(), 1);
    // Whatever a trace says it is.
    let mut trace = events(&model, &scope, &["get"]);
    for n in [0, 7] {
        trace.steps[1].execution.results = vec![Value::int(n)];
        assert_eq!(replay(&model, &trace, &Checks::default()).unwrap().violations, []);
    }
    trace.steps[1].execution.results = vec![Value::Bool(true)];
    assert!(replay(&model, &trace, &Checks::default()).is_err());
}

#[test]
fn a_result_is_read_before_a_false_conjunct_behind_it() {
    let text = "MACHINE Early VARIABLES n INVARIANT n : 0..1 INITIALISATION n := 0
        OPERATIONS r <-- ask(p) = PRE p : 0..2 & (p /= r & n = 1) THEN r := p END;
                   r <-- seek = SELECT #x.(x : 0..2 & (x = 1 or x = r)) THEN r := 1 END;
                   r <-- pick = ANY x WHERE x : 0..2 & (x = 1 or (x /= r & x = 2)) THEN r := x END;
                   r <-- same = SELECT r <: {n} & n = 1 THEN r := {} END;
                   r <-- get(p) = PRE p : 0..2 & (n = 1 & p /= r) THEN r := p END END";
    let (model, scope) = load(text);
    let edges = Evaluator::new(&model, &scope).successors(&[], &[Value::int(0)]);
    assert!(edges.incomplete.is_empty());
    let failures = edges.edges.iter().filter(|e| matches!(e.outcome, Outcome::IllDefined(_)));
    let events: BTreeSet<_> = failures.map(|e| e.event).collect();
    assert_eq!(events, (0..4).map(|i| Some(EventId(i))).collect());
    // Where a conjunct before is false, nothing is read.
    assert!(edges.edges.iter().all(|e| e.event != Some(EventId(4))));
}

#[test]
fn a_variable_that_is_not_initialised_is_a_failure() {
    let text = "MACHINE Half VARIABLES n INVARIANT n : 0..1
        INITIALISATION ANY b WHERE b : BOOL THEN IF b = TRUE THEN n := 0 END END END";
    let (model, scope) = load(text);
    let edges = Evaluator::new(&model, &scope).initial_states(&[]);
    assert!(edges.incomplete.is_empty());
    let outcomes: Vec<_> = edges.edges.into_iter().map(|e| e.outcome).collect();
    let [Outcome::IllDefined(e), Outcome::Reached { .. }] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!(e.message, "`n` is not initialised");
}

#[test]
fn choices_of_a_trace_are_counted() {
    let text = "MACHINE Pick VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
        OPERATIONS pick = ANY k WHERE k : 1..1 THEN n := k END END";
    let (model, scope) = load(text);
    let trace = events(&model, &scope, &["pick"]);
    let counts = |trace: &Trace| replay(&model, trace, &Checks::default()).unwrap().choices;
    assert_eq!(counts(&trace), ChoiceCounts { given: 0, unused: 0, found: 1 });
    let eval = Evaluator::new(&model, &scope);
    let state = trace.steps[0].state.clone().unwrap();
    let (_, made) = eval.follow(&[], &state, trace.steps[1].event, &Execution::default()).unwrap();
    let mut whole = trace.clone();
    whole.steps[1].execution = made.clone();
    assert_eq!(counts(&whole), ChoiceCounts { given: 1, unused: 0, found: 0 });
    // The initialisation chooses nothing.
    whole.steps[0].execution.choices = made.choices;
    assert_eq!(counts(&whole), ChoiceCounts { given: 2, unused: 1, found: 0 });
}

#[test]
fn itf_and_prob_files() {
    let text = "MACHINE Shapes SETS D; C = {red, green} CONSTANTS k PROPERTIES k = 2
        VARIABLES s, f, r, p, q INVARIANT s <: D * BOOL & f : C --> INTEGER & r : struct(a : STRING)
        & p : D +-> (BOOL <-> BOOL) & q : POW(seq(C))
        INITIALISATION s, f, r, p, q := {}, {red |-> -1, green |-> k}, rec(a : \"x\"), {}, {[], [red, red]}
        OPERATIONS put(d) = PRE d : D THEN s, p := s \\/ {d} * BOOL, {d |-> {TRUE |-> TRUE}} END END";
    let (model, scope) = load(text);
    let eval = Evaluator::new(&model, &scope);
    let constants = eval.constants(&BTreeMap::new()).found.remove(0);
    let first = eval.initial_states(&constants).edges.remove(0);
    let second = eval.successors(&constants, first.state().unwrap()).edges.remove(1);
    let step = |e: Edge| Step { event: e.event, state: e.state().cloned(), execution: e.execution };
    let trace = Trace::new(scope.clone(), constants, vec![step(first), step(second)]);
    let itf = crate::trace::itf::trace_to_itf(&model, &trace);
    assert_eq!(itf["vars"], serde_json::json!(["k", "s", "f", "r", "p", "q"]));
    // A variable declared as a function is a map even while it is empty; a relation is not, even when it happens to be
    // a function.
    assert_eq!(itf["states"][0]["p"], serde_json::json!({ "#map": [] }));
    assert_eq!(
        itf["states"][1],
        serde_json::json!({
            "#meta": { "index": 1, "action": "put", "parameters": { "d": "D2" } },
            "k": { "#bigint": "2" },
            "s": { "#set": [{ "#tup": ["D2", false] }, { "#tup": ["D2", true] }] },
            "f": { "#map": [["red", { "#bigint": "-1" }], ["green", { "#bigint": "2" }]] },
            "r": { "a": "x" },
            "p": { "#map": [["D2", { "#set": [{ "#tup": [true, true] }] }]] },
            "q": { "#set": [[], ["red", "red"]] },
        })
    );
    let prob = crate::trace::prob::trace_to_prob(&model, &trace, "2025-01-01T12:00:00Z");
    let list = &prob["transitionList"];
    assert_eq!(list[0]["name"], "$setup_constants");
    assert_eq!(list[0]["destState"], serde_json::json!({ "k": "2" }));
    assert_eq!(list[1]["name"], "$initialise_machine");
    assert_eq!(list[2]["params"], serde_json::json!({ "d": "D2" }));
    assert_eq!(
        list[2]["destState"],
        serde_json::json!({ "s": "{(D2|->FALSE),(D2|->TRUE)}", "p": "{(D2|->{(TRUE|->TRUE)})}" })
    );
    assert_eq!(list[2]["destStateNotChanged"], serde_json::json!(["f", "r", "q"]));
    assert_eq!(prob["globalIdentifierTypes"]["s"], "POW((D*BOOL))");
    assert_eq!(prob["metadata"]["formatVersion"], 6);
    assert_eq!(prob["description"], "");
    let put = &prob["machineOperationInfos"]["put"];
    assert_eq!((&put["type"], &put["readVariables"]), (&"CLASSICAL_B".into(), &serde_json::json!(["s"])));
    assert_eq!(put["writtenVariables"], serde_json::json!(["s", "p"]));
    assert_eq!(put["nonDetWrittenVariables"], serde_json::json!([]));
}
