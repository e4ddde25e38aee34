//! The traces of an answer, as tables.

use bsym_language::int::Int;
use serde::Serialize;
use serde_json::Value as Json;

use crate::answer::trace::{left_out, rounds_left_out};
use crate::tuning::tuning;

use super::fields::{call, list, names, shown, text};
use super::pictures::{Drawn, Machine};

/// A trace.
#[derive(Serialize, Clone, Debug)]
pub struct Trace {
    pub title: String,
    /// The formula that it refutes.
    text: Option<String>,
    message: Option<String>,
    /// Violations in its last state, as in the JSON.
    violated: Vec<Json>,
    constants: Values,
    variables: Vec<String>,
    steps: Vec<Step>,
    continuation: Option<String>,
    back_to: Option<u64>,
    /// Sentence about the end of the trace.
    end: Option<String>,
    /// Predicates that the sentence ends with.
    lemmas: Vec<String>,
    drawn: Pictures,
}

/// Drawings of the states, each an element of SVG, and what they leave out.
#[derive(Serialize, Clone, Debug, Default)]
struct Pictures {
    states: Option<String>,
    /// The drawing that the machine defines, and its changes as JSON.
    visb: Option<(String, String)>,
    near: Option<String>,
    notes: Vec<String>,
}

/// Values with a caption.
#[derive(Serialize, Clone, Debug)]
struct Values {
    label: String,
    rows: Vec<Row>,
}

#[derive(Serialize, Clone, Debug)]
struct Row {
    expression: String,
    value: String,
}

/// A step.
#[derive(Serialize, Clone, Debug)]
struct Step {
    /// Its number, that of the initialisation is 0.
    number: String,
    /// The rounds of a cycle that are left out before it.
    left_out: Option<String>,
    /// The event with its arguments.
    event: String,
    results: String,
    place: Json,
    cells: Vec<Cell>,
}

/// The value of a variable after a step.
#[derive(Serialize, Clone, Debug)]
struct Cell {
    value: String,
    changed: bool,
    /// The change in words.
    change: String,
}

/// Every trace of a result, with pictures of its states where the machine can be read again.
pub fn all(result: &Json, machine: Option<&Machine>) -> Vec<Trace> {
    let mut all = Traces { result, machine, all: vec![] };
    if result["format"] == "bsym-result" {
        all.add("Counterexample".into(), result, "trace", |_| {});
    }
    for (i, found) in list(result, "further").enumerate() {
        all.add(format!("Counterexample {}", i + 2), found, "trace", |_| {});
    }
    let induction = &result["counterexample_to_induction"];
    all.add("Counterexample to induction".into(), induction, "trace", |_| {});
    all.add("Contradiction".into(), &result["contradiction"], "trace", |_| {});
    for compared in [&result["refinement"]["counterexample"], &result["counterexample"]] {
        let title = "A step that the abstraction cannot match".to_string();
        all.add(title, compared, "trace", |trace| trace.message = text(compared, "message"));
    }
    for formula in list(result, "formulas") {
        let name = text(formula, "name").unwrap_or_else(|| "formula".into());
        let path = &formula["counterexample"];
        all.add(format!("Path that refutes {name}"), path, "trace", |trace| {
            trace.text = text(formula, "text");
            trace.continuation = text(path, "continuation");
            trace.back_to = path["back_to"].as_u64();
            trace.end = match path["continuation"].as_str() {
                Some("loop") => Some("Then the path goes back to where the loop begins.".into()),
                Some("ends") => Some("No event is enabled here: the path ends.".into()),
                _ => None,
            };
        });
    }
    for explanation in list(result, "explanations") {
        all.explanation(explanation);
    }
    all.all
}

/// Traces that are being collected.
struct Traces<'r> {
    result: &'r Json,
    machine: Option<&'r Machine>,
    all: Vec<Trace>,
}

impl Traces<'_> {
    /// Adds the trace of an object, if it has one with a step.
    fn add(&mut self, title: String, object: &Json, key: &str, about: impl FnOnce(&mut Trace)) {
        let Some(mut trace) = Trace::new(title, object, key) else { return };
        trace.violated = array(&object["violated"]);
        about(&mut trace);
        if let Some(machine) = self.machine.filter(|_| self.all.len() < tuning().page.traces) {
            let Drawn { states, visb, near, notes } =
                machine.draw(self.result, object, key, &format!("trace-{}", self.all.len() + 1));
            let visb = visb.map(|frames| (frames.svg, frames.changes));
            trace.drawn = Pictures { states, visb, near, notes };
        }
        self.all.push(trace);
    }

    /// Adds why an obligation is open: the state and the step that refute it, and how such a state is reached.
    fn explanation(&mut self, explanation: &Json) {
        let name = text(explanation, "name").unwrap_or_default();
        let reach = &explanation["reach"];
        let (end, lemmas) = reachability(reach);
        let why = |trace: &mut Trace| {
            trace.text = text(explanation, "goal");
            trace.message = text(explanation, "message");
            (trace.end, trace.lemmas) = (end, lemmas);
        };
        let title = format!("Why {name} is open");
        match array(&explanation["step"]).is_empty() {
            // There is no counterexample, and the message says why.
            true => {
                let mut trace = Trace::empty(title);
                why(&mut trace);
                self.all.push(trace);
            }
            false => self.add(title, explanation, "step", why),
        }
        self.add(format!("How the state of {name} is reached"), reach, "trace", |_| {});
    }
}

/// What is known of whether a state is reachable: a sentence, and predicates.
fn reachability(reach: &Json) -> (Option<String>, Vec<String>) {
    let lemmas: Vec<String> = list(reach, "lemmas").map(shown).collect();
    let sentence = match reach["kind"].as_str() {
        Some("reached") if array(&reach["trace"]).is_empty() => {
            "The initialisation itself does it: this is a fault of the machine."
        }
        Some("reached") => "A state with these values is reachable, as shown below.",
        Some("excluded") if lemmas.is_empty() => "No such state is reachable.",
        Some("excluded") => "No such state is reachable. What the invariant lacks:",
        Some("not-within") => {
            let depth = reach["depth"].as_u64().unwrap_or_default();
            let events = if depth == 1 { "event" } else { "events" };
            return (
                Some(format!(
                    "No such state is reached within {depth} {events}; whether one is at all is open."
                )),
                lemmas,
            );
        }
        Some("unknown") => "Whether such a state is reachable is open.",
        _ => return (None, lemmas),
    };
    (Some(sentence.into()), lemmas)
}

fn array(value: &Json) -> Vec<Json> {
    value.as_array().cloned().unwrap_or_default()
}

impl Trace {
    fn empty(title: String) -> Trace {
        Trace {
            title,
            text: None,
            message: None,
            violated: vec![],
            constants: Values { label: "Constants".into(), rows: vec![] },
            variables: vec![],
            steps: vec![],
            continuation: None,
            back_to: None,
            end: None,
            lemmas: vec![],
            drawn: Pictures::default(),
        }
    }

    /// The trace of an object, if it has one with a step.
    fn new(title: String, object: &Json, key: &str) -> Option<Trace> {
        let steps = object.get(key)?.as_array().filter(|steps| !steps.is_empty())?;
        let states = || steps.iter().filter_map(|step| step["state"].as_object());
        let variables: Vec<String> =
            states().next().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let rows = object["constants"].as_object().into_iter().flatten();
        let rows = rows.map(|(name, value)| Row { expression: name.clone(), value: shown(value) });
        let constants = Values { label: "Constants".into(), rows: rows.collect() };
        let empty = Json::Null;
        let mut before = &empty;
        let mut all: Vec<Step> = vec![];
        let mut number = Int::ZERO;
        for step in steps {
            let rounds = left_out(step);
            number = rounds.iter().fold(number, |sum, n| &sum + n);
            let state = &step["state"];
            let cell = |name: &String| {
                let (value, old) = (shown(&state[name]), shown(&before[name]));
                // A step that fails has no state.
                let changed = !before.is_null() && !state.is_null() && value != old;
                Cell { change: format!("{name} from {old} to {value}"), value, changed }
            };
            let repeated = &step["repeated"];
            let of_rounds = |_| {
                let steps =
                    repeated["steps"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
                rounds_left_out(steps, &shown(&repeated["rounds"]))
            };
            all.push(Step {
                number: number.to_string(),
                left_out: rounds.map(of_rounds),
                event: call(step),
                results: names(&step["results"]),
                place: step["place"].clone(),
                cells: variables.iter().map(cell).collect(),
            });
            before = if state.is_null() { before } else { state };
            number = &number + &Int::ONE;
        }
        Some(Trace { constants, variables, steps: all, ..Trace::empty(title) })
    }
}
