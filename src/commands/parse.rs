//! `bsym parse`: syntax and types only.

use bsym_language::print;
use bsym_language::render;
use serde_json::json;

use crate::answer::structure::structure;
use crate::answer::{DiagnosticObject, diagnostic_object};
use crate::arguments::ParseArguments;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;

/// Runs the command: 0 if there is a model, 2 if there are errors.
pub fn run(arguments: &ParseArguments) -> Result<u8, Refusal> {
    let file = input::read(&arguments.file, &arguments.component)?;
    let sound = file.model.is_some();
    let text = if arguments.types { print::machine_with_types } else { print::machine };
    if arguments.output.json || arguments.output.jsonl {
        let diagnostics: Vec<DiagnosticObject> =
            file.diagnostics.iter().map(|d| diagnostic_object(&file.sources, d)).collect();
        let object = json!({
            "format": "bsym-parse",
            "version": 1,
            "file": arguments.file.display().to_string(),
            "machine": file.model.as_ref().map(|m| m.name.clone()),
            "ok": sound,
            "diagnostics": diagnostics,
            "model": file.model.as_ref().map(structure),
            "print": file.model.as_ref().filter(|_| arguments.print || arguments.types).map(text),
        });
        if arguments.output.jsonl {
            output::json_line(&object)
        } else {
            output::json(&object)
        }
        return Ok(if sound { 0 } else { 2 });
    }
    let paint = Paint::stderr(arguments.output.color);
    let Some(model) = file.model else {
        return Err(input::not_a_model(&arguments.file, &file.sources, &file.diagnostics, paint));
    };
    for d in &file.diagnostics {
        output::note(&render::render(&file.sources, d, paint.is_on()));
        output::note("");
    }
    if arguments.print || arguments.types {
        output::result(&format!("{}\n", text(&model).trim_end()));
    } else {
        output::result(&format!(
            "{}: {} sets, {} constants, {} variables, {} conjuncts of the invariant, {} assertions, {} operations\n",
            model.name,
            model.carriers.len(),
            model.constants.len(),
            model.variables.len(),
            model.invariant.len(),
            model.assertions.len(),
            model.events.len(),
        ));
    }
    Ok(0)
}
