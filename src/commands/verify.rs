//! `bsym bmc`, `tree`, `kind` and `ic3`: one symbolic engine.

use std::time::Instant;

use bsym_engines::verdict::Engine;
use bsym_semantics::verdict::{Vacuous, Verdict};

use crate::answer::Answer;
use crate::arguments::{self, VerifyArguments};
use crate::commands::encodings::run_engines;
use crate::commands::run::{Asked, Run};
use crate::race::control::Control;
use crate::solvers;

/// Runs the command.
pub fn run(engine: Engine, arguments: &VerifyArguments, control: &Control) -> anyhow::Result<Answer> {
    let arguments = &VerifyArguments { threads: arguments::jobs(None), ..arguments.clone() };
    let (encoding, solver) =
        solvers::choose_for_engines(arguments.solver.name.as_deref(), arguments.encoding)?;
    let run = Run::prepare(engine.name(), arguments, Asked::engines(encoding, solver), control)?;
    let mut reporter = run.reporter();
    let begin = Instant::now();
    let Some((mut run, report)) = run_engines(&run, engine, &mut reporter) else {
        return Err(solvers::missing());
    };
    if let Verdict::Vacuous(Vacuous::NoValuation, _) = report.verdict {
        run.find_contradiction();
    }
    control.finish();
    reporter.timing("run", begin.elapsed().as_secs_f64());
    reporter.finish();
    Ok(run.conclude(&report, None))
}
