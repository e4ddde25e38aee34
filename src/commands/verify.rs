//! `bsym bmc`, `tree`, `kind` and `ic3`: one symbolic engine.

use std::time::Instant;

use bsym_engines::run::run as run_engine;
use bsym_engines::verdict::Engine;

use crate::answer::Answer;
use crate::arguments::VerifyArguments;
use crate::commands::run::{Asked, Run};
use crate::control::Control;
use crate::solvers;

/// Runs the command.
pub fn run(engine: Engine, arguments: &VerifyArguments, control: &Control) -> anyhow::Result<Answer> {
    let (encoding, solver) =
        solvers::choose_for_engines(arguments.solver.name.as_deref(), arguments.encoding)?;
    let run = Run::prepare(engine.name(), arguments, Asked::engines(encoding, solver), control)?;
    let Some(mut open) = run.opener() else { return Err(solvers::missing()) };
    let mut reporter = run.reporter();
    let job = run.job();
    let begin = Instant::now();
    let mut report = run_engine(&job, engine, &mut open, &mut reporter);
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    let answer = run.conclude(&report, None);
    // The program ends here: freeing solvers one by one would take seconds after a deep search.
    std::mem::forget(std::mem::take(&mut report.leftovers));
    Ok(answer)
}
