//! `bsym strengthen`: conjuncts that discharge open obligations.

mod patch;

use std::path::Path;
use std::sync::{Arc, Mutex};

use bsym_encodings::session::open;
use bsym_engines::auxiliary::strengthen;
use bsym_engines::options::Job;
use bsym_language::model::Model;
use bsym_proofs::obligations::Proof;

use crate::answer::Answer;
use crate::answer::strengthened::StrengthenedAnswer;
use crate::arguments::StrengthenArguments;
use crate::commands::status::{self, Source};
use crate::input;
use crate::output;
use crate::paint::Paint;
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::solvers;

/// Runs the command.
pub fn run(arguments: &StrengthenArguments, control: &Control) -> anyhow::Result<Answer> {
    let paint = Paint::stderr(arguments.output.color);
    if let Some(path) = &arguments.patch {
        patch::check(&arguments.file)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--patch", &inputs)?;
    }
    let choice = solvers::choose(arguments.solver.name.as_deref())?;
    let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let scope = input::scope(&model, &arguments.scope)?;
    let dropped = without(&mut model, &arguments.without)?;
    let source = Source {
        file: &arguments.file,
        named: arguments.proofs.as_deref(),
        // A proof from more conjuncts need not be one from fewer.
        none: arguments.no_proofs || dropped,
        trust_reviewed: arguments.trust_reviewed,
    };
    let imported = status::import(source, &model, &scope)?;
    for warning in &imported.warnings {
        output::note(&format!("warning: {warning}"));
    }
    input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    let model = Arc::new(model);
    let budget = control.budget.per_query(arguments.each);
    let job = Job::new(model.clone(), scope.clone(), vec![], budget);
    let job = Job { well_definedness: true, status: imported.status, ..job };
    let mut reporter = Reporter::new(model.clone(), control, &arguments.output, Arc::new(Mutex::default()));
    let verbose = arguments.output.verbose > 0 && !arguments.output.jsonl;
    let mut proved = |proof: &Proof| {
        if verbose {
            output::note(&format!("{}: {}", proof.name, proof.status.word()));
        }
    };
    let found = strengthen(&job, &mut |terms| open::open(terms, &choice), &mut reporter, &mut proved)?;
    control.finish();
    let stopped = control.stopped().filter(|_| !found.left.is_empty());
    reporter.finish();
    let mut answer = StrengthenedAnswer::new(&model, &scope, &found, control.seconds());
    answer.stopped = stopped.map(|reason| reason.text());
    if let Some(path) = &arguments.patch
        && !found.auxiliaries.is_empty()
    {
        match patch::patch(&arguments.file, &arguments.component.include, &found.auxiliaries) {
            Ok(text) => answer.patch = output::write(path, &text).then(|| path.display().to_string()),
            // The results are printed all the same.
            Err(error) => output::lost(&format!("{error:#}")),
        }
    }
    Ok(Answer::Strengthened(Box::new(answer)))
}

/// Removes conjuncts. Returns whether any were removed.
fn without(model: &mut Model, labels: &[String]) -> anyhow::Result<bool> {
    let mut positions = vec![];
    for label in labels {
        positions.push(input::conjunct(model, "--without", label)?);
    }
    positions.sort();
    positions.dedup();
    for i in positions.iter().rev() {
        model.invariant.remove(*i);
    }
    Ok(!positions.is_empty())
}
