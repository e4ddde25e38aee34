//! Searches one machine: `mc FILE [--scope prob] [--keep-going] [--timeout SECONDS] [--threads N] [--deadlock] [--assertions]
//! [--dfs] [--reference] [--memory BYTES] [--checkpoint FILE] [--resume FILE]`. Prints states, transitions, verdict and seconds.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_explore::options::{Checkpoint, Order, SearchOptions};
use bsym_explore::report::Verdict;
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};

fn main() -> ExitCode {
    with_large_stack(run)
}

fn run() -> ExitCode {
    let mut options = SearchOptions::default();
    let mut request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let mut file = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--scope" => request.prob = args.next().as_deref() == Some("prob"),
            "--keep-going" => options.keep_going = true,
            "--deadlock" => options.checks.deadlock = true,
            "--assertions" => options.checks.assertions = true,
            "--dfs" => options.order = Order::DepthFirst,
            "--reference" => options.reference_only = true,
            "--threads" => options.threads = args.next().and_then(|s| s.parse().ok()).unwrap_or(1),
            "--memory" => options.limits.memory = args.next().and_then(|s| s.parse().ok()),
            "--checkpoint" => {
                let every = Duration::from_secs(3600);
                options.suspension.checkpoint =
                    args.next().map(|path| Checkpoint { path: path.into(), every });
            }
            "--resume" => options.suspension.resume = args.next().map(PathBuf::from),
            "--timeout" => {
                let seconds = args.next().and_then(|s| s.trim_end_matches('s').parse().ok());
                options.limits.time = seconds.map(Duration::from_secs_f64);
            }
            _ => file = Some(PathBuf::from(arg)),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: mc FILE [--scope prob] [--keep-going] [--timeout SECONDS] [--threads N]");
        return ExitCode::from(2);
    };
    let loaded = match load_model(&file) {
        Ok(loaded) => loaded,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let Some(model) = loaded.model else {
        for d in loaded.diagnostics {
            eprintln!("{}", d.message);
        }
        return ExitCode::from(2);
    };
    let scope = match Scope::settle(&model, &request) {
        Ok(scope) => scope,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let finder = Patience::new(Arc::new(model.clone()), None, &Budget::unlimited());
    let problem = Problem { model: &model, scope: &scope, finder: Some(&finder) };
    let report = search(&problem, &options, &mut |p: &bsym_explore::report::Progress| {
        eprintln!(
            "{} states, {} transitions, {} waiting, {:.0}/s",
            p.states, p.transitions, p.frontier, p.rate
        );
    });
    let s = &report.statistics;
    let verdict = match &report.verdict {
        Verdict::Holds(evidence) => format!("holds (digest {})", evidence.digest),
        Verdict::Violated(c) => format!("violated: {:?} after {} steps", c.violations, c.trace.steps.len()),
        Verdict::Contradiction(difference) => format!("contradiction: {difference:?}"),
        Verdict::Vacuous(_, reason) => format!("vacuous: {reason}"),
        Verdict::Unknown(reason) => format!("unknown: {reason:?}"),
        other => format!("{other:?}"),
    };
    println!("{} states, {} transitions, {verdict}", s.states, s.transitions);
    println!(
        "{:.3} s, {:.0} states/s, {:.1} bytes/state ({:.1} in the table), depth {:?}, {} deadlocks, {} violating, memo {}/{}, {} by reference, {:?}",
        s.time.as_secs_f64(),
        s.rate(),
        s.bytes_per_state(),
        s.table_bytes_per_state(),
        s.depth,
        s.deadlocks,
        s.violating,
        s.successors.memo_hits,
        s.successors.memo_hits + s.successors.memo_misses,
        s.successors.by_reference,
        s.found_by
    );
    for (event, reason) in &s.successors.uncompiled {
        println!("not compiled: {event}: {reason}");
    }
    for i in &report.incomplete {
        println!("incomplete: {}: {}", i.place, i.error);
    }
    ExitCode::SUCCESS
}
