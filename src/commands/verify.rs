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

#[cfg(test)]
mod tests {
    use bsym_engines::run as engines;
    use bsym_engines::verdict::Progress;
    use bsym_semantics::verdict::{Observer, Reason};
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command};

    const TWO: &str = "MACHINE Two VARIABLES x INVARIANT x : 0..9 & x < 2 & x /= 5\n\
        INITIALISATION x := 0 OPERATIONS inc = SELECT x < 9 THEN x := x + 1 END END";

    /// The run is asked for what it knows at the moment when it goes on behind its first violation.
    #[test]
    fn a_violation_is_kept_where_the_run_goes_on_and_does_not_stop() {
        let folder = tempfile::tempdir().expect("there is a folder");
        let file = folder.path().join("Two.mch");
        std::fs::write(&file, TWO).expect("it can be written");
        let words = ["bsym", "bmc", "--keep-going", "--depth", "8", "--encoding", "sat"].map(str::to_string);
        let line = words.into_iter().chain([file.display().to_string()]);
        let Some(Command::Bmc(arguments)) = Arguments::parse_from(line).command else {
            panic!("it is `bmc`")
        };
        let control = Control::new(Instant::now(), None, None);
        let (encoding, solver) =
            solvers::choose_for_engines(arguments.solver.name.as_deref(), arguments.encoding).expect("found");
        let asked = Asked::engines(encoding, solver);
        let run = Run::prepare("bmc", &arguments, asked, &control).expect("the machine is right");
        let mut reporter = run.reporter();
        let mut fallback = Some(run.fallback(&reporter));
        let mut kept = None;
        let mut observer = |progress: &Progress| {
            reporter.progress(progress);
            if let Progress::Found(_) = progress
                && let Some(fallback) = fallback.take()
            {
                kept = Some(fallback(&Reason::Timeout));
            }
        };
        let opener = run.opener().expect("there is a solver");
        let report = engines::run(&run.job(), Engine::Bmc, &opener, &mut observer);
        assert_eq!(report.further.len(), 1, "the run goes on");
        let kept = serde_json::to_value(kept.expect("a violation is told at once")).expect("it is JSON");
        assert_eq!(kept["verdict"], "violated", "{kept}");
        assert_eq!(kept["trace"].as_array().map(Vec::len), Some(3), "{kept}");
        let verdicts = kept["properties"].as_array().expect("a list").iter();
        let verdicts: Vec<(&str, &str)> =
            verdicts.filter_map(|p| Some((p["text"].as_str()?, p["verdict"].as_str()?))).collect();
        assert!(verdicts.contains(&("x < 2", "violated")), "{verdicts:?}");
        assert!(verdicts.contains(&("x /= 5", "unknown")), "{verdicts:?}");
    }
}
