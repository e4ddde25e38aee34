//! `bsym parse`: syntax and types only.

use anyhow::bail;
use bsym_language::print;

use crate::answer::Answer;
use crate::answer::diagnostic::DiagnosticObject;
use crate::answer::parsed::{ModelObject, Parsed};
use crate::arguments::ParseArguments;
use crate::input;
use crate::paint::Paint;

/// Runs the command.
pub fn run(arguments: &ParseArguments) -> anyhow::Result<Answer> {
    let file = input::read(&arguments.file, &arguments.component)?;
    let format = &arguments.output;
    if !format.is_for_programs() {
        if file.model.is_none() {
            let paint = Paint::stderr(format.color);
            bail!(input::not_a_model(&arguments.file, &file.sources, &file.diagnostics, paint));
        }
        input::warn(&arguments.file, &file, format, true);
    }
    let text = if arguments.types { print::machine_with_types } else { print::machine };
    let model = file.model.as_ref();
    Ok(Answer::Parsed(Box::new(Parsed {
        format: "bsym-parse",
        version: 1,
        file: arguments.file.display().to_string(),
        machine: model.map(|m| m.name.clone()),
        ok: model.is_some(),
        diagnostics: file.diagnostics.iter().map(|d| DiagnosticObject::new(&file.sources, d)).collect(),
        model: model.map(ModelObject::new),
        print: model.filter(|_| arguments.print || arguments.types).map(text),
    })))
}
