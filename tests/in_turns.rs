//! `check --jobs 1`: each run of the same question gives the same output, whatever else the machine is busy with.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::{bsym, file, has_solver, json};
use serde_json::Value as Json;

/// Machines, and what decides them.
const MACHINES: [(&str, &str, &str); 5] = [
    // A loop has no encoding, so that only the search decides.
    (
        "search",
        "holds",
        "MACHINE m VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
         OPERATIONS go = WHILE x < 3 DO x := x + 1 INVARIANT x : 0..3 VARIANT 3 - x END; back = x := 0 END",
    ),
    (
        "search",
        "violated",
        "MACHINE m VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0
         OPERATIONS go = WHILE x < 3 DO x := x + 1 INVARIANT x : 0..3 VARIANT 3 - x END; back = x := 0 END",
    ),
    // Products keep the engines busy on both encodings, until the search has visited everything.
    (
        "search",
        "holds",
        "MACHINE m VARIABLES x, y INVARIANT x : 0..1000 & y : 0..1000 & x * y /= 667 INITIALISATION x, y := 0, 1
         OPERATIONS go = SELECT x * x * x mod 97 < 50 & x < 900 THEN x := x + 1 END;
           to(n) = PRE n : 0..700 & n * n mod 31 = x mod 31 THEN y := n END END",
    ),
    // Sets of any size are searched in small scopes as well.
    (
        "engines",
        "holds",
        "MACHINE m SETS P VARIABLES in, out, n INVARIANT in <: P & out <: P & in /\\ out = {} & n : NATURAL INITIALISATION in, out, n := {}, P, 0
         OPERATIONS go(p) = SELECT p : out & n < 100 THEN out := out - {p} || in := in \\/ {p} || n := n + 1 END;
           back = ANY s WHERE s <: in THEN in := in - s || out := out \\/ s END END",
    ),
    (
        "engines",
        "violated",
        "MACHINE m VARIABLES a, b INVARIANT a : NATURAL & b : NATURAL & a * a /= b + 30 INITIALISATION a, b := 0, 0
         OPERATIONS up = SELECT a < 60 THEN a := a + 1 END; more = SELECT b < a * 5 THEN b := b + 6 END END",
    ),
];

/// Leaves out times and memory, which are those of one run.
fn without_times(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            fields.retain(|name, _| !["seconds", "solver_seconds", "memory"].contains(&name.as_str()));
            fields.values_mut().for_each(without_times);
        }
        Json::Array(all) => all.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn each_run_with_one_job_is_the_same() {
    if !has_solver() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (i, (who, verdict, text)) in MACHINES.iter().enumerate() {
        let path = file(dir.path(), &format!("m{i}.mch"), text).display().to_string();
        let run = || {
            let output =
                bsym().args(["check", &path, "--json", "--jobs", "1", "--no-cache"]).output().unwrap();
            let mut answer = json(&output);
            without_times(&mut answer);
            answer
        };
        let first = run();
        assert_eq!(first["verdict"], *verdict, "{first:#}");
        assert_eq!(first["engine"] == "mc", *who == "search", "{first:#}");
        assert_eq!(run(), first, "{text}");
        // Other work takes the cores away now and then.
        let is_over = AtomicBool::new(false);
        let busy = std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        std::hint::spin_loop()
                    }
                });
            }
            let answer = run();
            is_over.store(true, Ordering::Relaxed);
            answer
        });
        assert_eq!(busy, first, "{text}");
    }
}
