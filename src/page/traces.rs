//! The traces of an answer, as tables.

use serde::Serialize;
use serde_json::Value as Json;

use super::fields::{list, text};

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

/// Every trace of a result.
pub fn all(result: &Json) -> Vec<Trace> {
    let mut all = vec![];
    let mut add = |title: String, object: &Json, violated: &Json| {
        all.extend(Trace::new(title, object).map(|trace| Trace { violated: array(violated), ..trace }));
    };
    if result["format"] == "bsym-result" {
        add("Counterexample".into(), result, &result["violated"]);
    }
    for (i, found) in list(result, "further").enumerate() {
        add(format!("Counterexample {}", i + 2), found, &found["violated"]);
    }
    let induction = &result["counterexample_to_induction"];
    add("Counterexample to induction".into(), induction, &induction["violated"]);
    add("Contradiction".into(), &result["contradiction"], &Json::Null);
    for compared in [&result["refinement"]["counterexample"], &result["counterexample"]] {
        let title = "A step that the abstraction cannot match".to_string();
        all.extend(
            Trace::new(title, compared).map(|trace| Trace { message: text(compared, "message"), ..trace }),
        );
    }
    for formula in list(result, "formulas") {
        let name = text(formula, "name").unwrap_or_else(|| "formula".into());
        let path = &formula["counterexample"];
        all.extend(Trace::new(format!("Path that refutes {name}"), path).map(|trace| Trace {
            text: text(formula, "text"),
            continuation: text(path, "continuation"),
            back_to: path["back_to"].as_u64(),
            end: match path["continuation"].as_str() {
                Some("loop") => Some("Then the path goes back to where the loop begins.".into()),
                Some("ends") => Some("No event is enabled here: the path ends.".into()),
                _ => None,
            },
            ..trace
        }));
    }
    all
}

fn array(value: &Json) -> Vec<Json> {
    value.as_array().cloned().unwrap_or_default()
}

impl Trace {
    /// The trace of an object, if it has one with a step.
    fn new(title: String, object: &Json) -> Option<Trace> {
        let steps = object.get("trace")?.as_array().filter(|steps| !steps.is_empty())?;
        let states = || steps.iter().filter_map(|step| step["state"].as_object());
        let variables: Vec<String> =
            states().next().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let rows = object["constants"].as_object().into_iter().flatten();
        let rows = rows.map(|(name, value)| Row { expression: name.clone(), value: shown(value) });
        let constants = Values { label: "Constants".into(), rows: rows.collect() };
        let empty = Json::Null;
        let mut before = &empty;
        let mut all = vec![];
        for step in steps {
            let state = &step["state"];
            let cell = |name: &String| {
                let (value, old) = (shown(&state[name]), shown(&before[name]));
                // A step that fails has no state.
                let changed = !before.is_null() && !state.is_null() && value != old;
                Cell { change: format!("{name} from {old} to {value}"), value, changed }
            };
            all.push(Step {
                event: call(step),
                results: names(&step["results"]),
                place: step["place"].clone(),
                cells: variables.iter().map(cell).collect(),
            });
            before = if state.is_null() { before } else { state };
        }
        Some(Trace {
            title,
            text: None,
            message: None,
            violated: vec![],
            constants,
            variables,
            steps: all,
            continuation: None,
            back_to: None,
            end: None,
        })
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn names(object: &Json) -> String {
    let all = object.as_object().into_iter().flatten();
    all.map(|(name, value)| format!("{name} = {}", shown(value))).collect::<Vec<_>>().join(", ")
}

fn call(step: &Json) -> String {
    let (event, arguments) = (shown(&step["event"]), names(&step["parameters"]));
    if arguments.is_empty() { event } else { format!("{event}({arguments})") }
}
