//! `bsym replay`: whether a trace is one of the machine, and what is wrong where it ends.

use std::collections::BTreeMap;

use bsym_semantics::replay::{Checks, replay};
use bsym_semantics::state::Trace;
use bsym_semantics::trace_file::trace_from_json;
use serde_json::json;

use crate::answer::text as human;
use crate::answer::{ViolatedObject, constants_object, place, scope_object, trace_object, violated_objects};
use crate::arguments::ReplayArguments;
use crate::control::Control;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;

/// Runs the command: 0 if the trace is one of the machine, 1 if not.
pub fn run(arguments: &ReplayArguments, control: &Control) -> Result<u8, Refusal> {
    let path = &arguments.trace;
    let shown = path.display();
    let name = path.to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".itf.json") || name.ends_with(".prob2trace") {
        return Err(Refusal::new(format!("`{shown}`: only bsym's own traces are replayed"))
            .help("write one with --trace NAME.json"));
    }
    if path.is_dir() {
        return Err(Refusal::new(format!("{shown}: is a folder, expected a trace")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| Refusal::new(format!("{shown}: the trace cannot be read: {e}")))?;
    let model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let trace: Trace = trace_from_json(&model, &text).map_err(|e| Refusal::new(format!("{shown}: {e}")))?;
    let checks = Checks { assertions: true, deadlock: true, goal: true, ..Checks::default() };
    let replayed = replay(&model, &trace, &checks);
    control.finish();
    let paint = Paint::stdout(arguments.output.color);
    let violated: Vec<ViolatedObject> = match &replayed {
        Ok(r) => r.violations.iter().flat_map(|v| violated_objects(&model, v)).collect(),
        Err(_) => vec![],
    };
    let (constants, steps) = (constants_object(&model, &trace), trace_object(&model, &trace));
    if arguments.output.json || arguments.output.jsonl {
        let failure = replayed.as_ref().err().map(|e| {
            let (file, line, column) = e.span.map(|s| place(&model.sources, s)).unwrap_or_default();
            json!({"step": e.step, "reason": e.reason, "file": file, "line": line, "column": column})
        });
        let object = json!({
            "format": "bsym-replay",
            "version": 1,
            "machine": model.name,
            "scope": scope_object(&model, &trace.scope, &BTreeMap::new()),
            "replayed": replayed.is_ok(),
            "failure": failure,
            "violated": violated,
            "constants": constants,
            "trace": steps,
            "stats": {"seconds": control.seconds()},
        });
        if arguments.output.jsonl {
            output::json_line(&object)
        } else {
            output::json(&object)
        }
        return Ok(u8::from(replayed.is_err()));
    }
    match &replayed {
        Ok(_) => {
            let n = trace.steps.len().saturating_sub(1);
            let mut text = format!("{}: {} events of {}\n", paint.good("replayed"), n, model.name);
            let scope = scope_object(&model, &trace.scope, &BTreeMap::new());
            text.push_str(&format!("  scope: {}\n\n", human::scope(&scope)));
            text.push_str(&human::trace(&constants, &steps, &violated, paint));
            if violated.is_empty() {
                text.push_str("  nothing is violated at its end\n");
            }
            output::result(&text);
            Ok(0)
        }
        Err(error) => {
            let at = error
                .span
                .and_then(|s| place(&model.sources, s).0.zip(place(&model.sources, s).1))
                .map(|(file, line)| format!("   {file}:{line}"))
                .unwrap_or_default();
            output::result(&format!("{}: {error}{at}\n", paint.bad("not a trace of this machine")));
            Ok(1)
        }
    }
}
