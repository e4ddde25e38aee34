//! `bsym po`: the obligations of a machine, what the prover makes of them, and their status as a file.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::session::open;
use bsym_encodings::system::build::encode;
use bsym_encodings::term::Terms;
use bsym_proofs::obligations::{Obligations, Proof, prove_obligations};
use bsym_proofs::po::file::Status;
use serde_json::json;

use crate::answer::text as human;
use crate::answer::{dropped_objects, place};
use crate::arguments::PoArguments;
use crate::control::Control;
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::solvers;

/// Longest time for one obligation.
const OBLIGATION: Duration = Duration::from_secs(10);

/// Runs the command: 0 if all obligations were tried, 3 if it was stopped before.
pub fn run(arguments: &PoArguments, control: &Control) -> Result<u8, Refusal> {
    let paint = Paint::stderr(arguments.output.color);
    if let Some(path) = &arguments.output_file {
        output::check_writable(path, "-o", &[&arguments.file])?;
    }
    if let Some(folder) = &arguments.export {
        check_export(folder)?;
    }
    let choice = solvers::choose(arguments.solver.name.as_deref())?;
    let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let scope = input::scope(&model, &arguments.scope)?;
    input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    let model = Arc::new(model);
    let system = encode(Rc::new(Terms::new()), model.clone(), &scope);
    let budget = control.budget.per_query(OBLIGATION);
    let (jsonl, verbose) = (arguments.output.jsonl, arguments.output.verbose > 0);
    let mut observer = |proof: &Proof| {
        if jsonl {
            output::json_line(&json!({
                "event": "obligation", "time": control.seconds(), "name": proof.name,
                "status": proof.status.word(), "reason": proof.reason,
            }));
        } else if verbose {
            output::note(&format!("{}: {}", proof.name, proof.status.word()));
        }
    };
    let obligations =
        prove_obligations(&system, &mut |terms| open::open(terms, &choice), &budget, &mut observer)
            .map_err(|e| Refusal::new(e.to_string()))?;
    control.finish();
    let folder = arguments.output_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let file = obligations.to_po(&model, &scope, folder);
    let written = arguments.output_file.as_deref().filter(|path| output::write(path, &file.to_text()));
    if arguments.output.json {
        output::result(&(file.to_text().trim_end().to_string() + "\n"));
    } else if jsonl {
        output::json_line(&json!({
            "event": "result", "time": control.seconds(), "result": serde_json::to_value(&file).ok(),
        }));
    } else {
        let paint = Paint::stdout(arguments.output.color);
        let mut text = text(&obligations, written, paint, control);
        text.push_str(&human::not_checked(&dropped_objects(&model), verbose, paint));
        output::result(&text);
    }
    if let Some(folder) = &arguments.export {
        match obligations.export(&model, folder) {
            Ok(exported) => {
                output::note(&format!(
                    "{} open obligations written to {}",
                    exported.files.len(),
                    folder.display()
                ));
                for (name, why) in exported.left {
                    output::note(&format!("not written: {name}: {why}"));
                }
            }
            Err(error) => output::lost(&error.to_string()),
        }
    }
    for u in &system.unsupported {
        let (file, line, _) = place(&model.sources, u.span);
        let at = file.zip(line).map(|(f, l)| format!(" ({f}:{l})")).unwrap_or_default();
        output::note(&format!("not supported: {}: {}{at}", u.part, u.reason));
    }
    Ok(if obligations.stopped.is_some() { 3 } else { 0 })
}

/// The folder may be new; then the one it is made in has to be writable.
fn check_export(folder: &Path) -> Result<(), Refusal> {
    if folder.exists() {
        return output::check_folder(folder, "--export");
    }
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    output::check_folder(parent, "--export")
}

/// The obligations in words, with the file that was written.
fn text(obligations: &Obligations, written: Option<&Path>, paint: Paint, control: &Control) -> String {
    let mut text = String::new();
    let mut counts: Vec<String> = vec![];
    for status in [Status::Discharged, Status::Trivial, Status::Refuted, Status::Unknown, Status::Unattempted]
    {
        let n = obligations.count(status);
        if n > 0 {
            counts.push(format!("{n} {}", status.word()));
        }
    }
    let all = obligations.all.len();
    let one = if all == 1 { "obligation" } else { "obligations" };
    let counts = if counts.is_empty() { "nothing to prove".into() } else { counts.join(", ") };
    text.push_str(&format!("{all} {one}: {counts}  [{:.2} s]\n", control.seconds()));
    for proof in &obligations.all {
        let word = match proof.status {
            Status::Discharged | Status::Trivial => continue,
            Status::Refuted => paint.bad("refuted"),
            _ => paint.doubt(&proof.status.word()),
        };
        let reason = proof.reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
        text.push_str(&format!("  {word}  {}{reason}\n", proof.name));
    }
    if obligations.count(Status::Refuted) > 0 {
        text.push_str(
            "\na refuted obligation does not follow from the invariant alone; its state may be unreachable:\n\
             `bsym ic3` tells, and finds what the invariant lacks\n",
        );
    }
    if let Some(path) = written {
        text.push_str(&format!("\nstatus written to {}\n", path.display()));
    }
    text
}
