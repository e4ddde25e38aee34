//! Counts crashes of libz3 after interrupts.
//!
//! `cargo run -p bsym-encodings --features z3 --example interrupts -- same|new [RUNS]`
//!
//! One run asks one question up to six times and interrupts each check after a random time below 0.2 s. With `same` it goes on with
//! the solver that was interrupted, with `new` with another one that has the same assertions. Each run is a process of its own.
//!
//! The same calls from C crashed in 11 of 60 runs with `same` on a machine with two busy cores, in whatever the solver did next
//! (propagation, backtracking), and in 3 of 430 with `new`, within milliseconds of the interrupt itself: where it ends an evaluation
//! of the model, Z3 reads the value that is missing. That was Z3 5.4.0; 5.4.1 crashed in 3 of 200 and 2 of 510. This program,
//! on a busier machine, crashed in 1 of 60 with `same`.

use std::process::{Command, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use z3::ast::Bool;
use z3::{Context, Params, SatResult, Solver};

const STEP: &str = include_str!("step.smt2");
const CHECKS: u64 = 6;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [which @ ("same" | "new")] => count(which, 60),
        [which @ ("same" | "new"), runs] => count(which, runs.parse().unwrap_or_else(|_| usage())),
        ["run", which, seed] => run(*which == "new", seed.parse().unwrap_or_else(|_| usage())),
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!("usage: interrupts same|new [RUNS]");
    exit(2)
}

fn count(which: &str, runs: u64) {
    let program = std::env::current_exe().expect("the program has a path");
    let crashed = |seed: &u64| {
        let status = Command::new(&program).args(["run", which, &seed.to_string()]).status();
        !status.expect("the program can be started").success()
    };
    println!("{} of {runs} runs crashed", (0..runs).filter(crashed).count());
}

fn run(renews: bool, seed: u64) {
    let mut solver = opened(seed);
    solver.from_string(STEP);
    let assertions = solver.get_assertions();
    let mut random = seed;
    for _ in 0..CHECKS {
        // Knuth's generator: the low bits are not random.
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let time = Duration::from_millis(2 + (random >> 33) % 200);
        if interrupted(&solver, time) != SatResult::Unknown {
            return;
        }
        // Takes back an interrupt that came too late.
        Solver::new().check();
        if renews {
            solver = opened(seed);
            assertions.iter().for_each(|a| solver.assert(a));
        }
    }
}

fn opened(seed: u64) -> Solver {
    let solver = Solver::new();
    let mut parameters = Params::new();
    parameters.set_bool("ctrl_c", false);
    parameters.set_u32("random_seed", seed as u32);
    solver.set_params(&parameters);
    solver
}

/// Checks, and interrupts the check after a time.
fn interrupted(solver: &Solver, time: Duration) -> SatResult {
    let (context, ended) = (Context::thread_local(), AtomicBool::new(false));
    let (handle, end) = (context.handle(), Instant::now() + time);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
                if Instant::now() > end {
                    handle.interrupt();
                }
            }
        });
        let answer = solver.check_assumptions(&[Bool::new_const("asked")]);
        ended.store(true, Ordering::SeqCst);
        answer
    })
}
