//! `bsym po`: the obligations of a machine, the prover's results, and their status as a file.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bsym_encodings::budget::Stopped;
use bsym_encodings::session::open as sessions;
use bsym_language::diagnostic::nearest;
use bsym_proofs::obligations::{Choice, Job, Obligations as Proved, OtherProver, Proof, prove_and_confirm};

use crate::answer::Answer;
use crate::answer::event::Event;
use crate::answer::not_checked::DroppedObject;
use crate::answer::obligations::Obligations;
use crate::arguments::{self, PoArguments};
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::solvers;

use self::explain::Explainer;
use self::open::Open;

mod explain;
mod keys;
mod open;

/// Runs the command.
pub fn run(arguments: &PoArguments, control: &Control) -> anyhow::Result<Answer> {
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
    let open = Open::read(arguments, &model, &scope)?;
    let is_asked = |proof: &Proof| open.as_ref().is_none_or(|open| !open.has_proof_of(proof));
    input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    let model = Arc::new(model);
    let budget = control.budget.per_query(arguments.each);
    let (jsonl, verbose) = (arguments.output.jsonl, arguments.output.verbose > 0);
    // Obligations that are decided so far are printed if the work does not stop when it is asked to.
    let decided: Arc<Mutex<Vec<Proof>>> = Arc::default();
    let (known, stuck, clock, file_scope) = (decided.clone(), model.clone(), control.clone(), scope.clone());
    let left_open = open.clone();
    control.set_fallback(move |reason| {
        let mut proved = Proved::default();
        proved.all = std::mem::take(&mut *known.lock().unwrap_or_else(PoisonError::into_inner));
        proved.stopped = Some(Stopped::Timeout);
        let file = proved.to_po(&stuck, &file_scope, Path::new(""));
        output::note("stopped: obligations that were not decided by then are not listed");
        let mut answer = Obligations {
            not_checked: DroppedObject::without_obligation(&stuck),
            stopped: Some(reason.text()),
            seconds: clock.seconds(),
            ..Obligations::new(file, &proved, &stuck)
        };
        answer.of_status = left_open.map(|open| open.outcome(&answer, &proved.all, 0));
        Answer::Obligations(Box::new(answer))
    });
    let mut observer = |proof: &Proof| {
        if !is_asked(proof) {
            return;
        }
        let mut decided = decided.lock().unwrap_or_else(PoisonError::into_inner);
        // Terms belong to the thread that made them.
        let proof = Proof { formula: vec![], ..proof.clone() };
        match decided.iter_mut().find(|p| p.name == proof.name) {
            Some(known) => *known = proof.clone(),
            None => decided.push(proof.clone()),
        }
        drop(decided);
        if jsonl {
            output::json_line(&Event::Obligation {
                time: control.seconds(),
                name: proof.name.clone(),
                status: proof.status.word(),
                reason: proof.reason.clone(),
            });
        } else if verbose {
            output::progress(&format!("{}: {}", proof.name, proof.status.word()));
        }
    };
    let choose = |proof: &Proof| open.as_ref().map_or(Choice::Ask, |open| open.choose(proof));
    // A solver that the user names excludes the other provers.
    let provers = if arguments.solver.name.is_none() { OtherProver::installed() } else { vec![] };
    let job = Job {
        model: model.clone(),
        scope: &scope,
        open: &|terms| sessions::open(terms, &choice),
        budget: budget.clone(),
        provers: &provers,
        jobs: arguments::jobs(arguments.jobs),
        export: arguments.export.is_some(),
    };
    let mut obligations = prove_and_confirm(&job, &mut observer, &choose)?;
    let all = obligations.all.len();
    obligations.all.retain(is_asked);
    let taken = all - obligations.all.len();
    let explainer = Explainer::new(&model, &scope, &choice, budget.clone());
    let asked = match arguments.explain.as_ref().and_then(Option::as_deref) {
        Some(name) => Some(keys::find(name, &obligations.all, &model).ok_or_else(|| {
            let near = nearest(name, obligations.all.iter().map(|p| p.name.as_str()));
            let refusal = Refusal::new(format!("--explain: {} has no obligation `{name}`", model.name));
            refusal.help(near.map_or("--json lists them".into(), |n| format!("did you mean `{n}`?")))
        })?),
        None => None,
    };
    let explanations = match &arguments.explain {
        Some(_) => Some(explainer.explain(&obligations, asked)),
        // Only reachable states refute obligations here.
        None => arguments.open.then(|| explainer.of_refuted(&obligations)),
    };
    control.finish();
    let folder = arguments.output_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let file = obligations.to_po(&model, &scope, folder);
    let written = arguments.output_file.as_deref().filter(|path| output::write(path, &file.to_text()));
    let of_prover = Obligations::new(file, &obligations, &model);
    let why = control.stopped().map(|reason| reason.text());
    let mut answer = Obligations {
        stopped: of_prover.stopped.clone().map(|other| why.unwrap_or(other)),
        written: written.map(|path| path.display().to_string()),
        not_checked: DroppedObject::without_obligation(&model),
        seconds: control.seconds(),
        explanations,
        ..of_prover
    };
    answer.of_status = open.map(|open| open.outcome(&answer, &obligations.all, taken));
    if let Some(folder) = &arguments.export {
        match obligations.export(&model, folder) {
            Ok(exported) => {
                output::note(&format!(
                    "{} open obligations written to {}, {} files in first-order form",
                    exported.files.len(),
                    folder.display(),
                    exported.first_order.len()
                ));
                for (name, why) in exported.left {
                    output::note(&format!("not written: {name}: {why}"));
                }
            }
            Err(error) => output::lost(&error.to_string()),
        }
    }
    Ok(Answer::Obligations(Box::new(answer)))
}

/// The folder may be new; then the one it is made in has to be writable.
fn check_export(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        return output::check_folder(folder, "--export");
    }
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    output::check_folder(parent, "--export")
}
