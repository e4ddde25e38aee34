//! Random machines of every statement and type through all engines: no two answers may contradict each
//! other, every certificate is checked, every trace replayed, nothing crashes or hangs.
//!
//! ```text
//! BSYM_MACHINES=20000 cargo test --release --test statements -- --nocapture
//! ```
//! (figures: `tests/statements/README.md`) looks at more of them with all engines, prints what was decided by
//! construct, and every failure with its shrunk machine. `BSYM_FIRST_MACHINE=N` begins at another one, `BSYM_SECONDS=N`
//! begins no machine after that time, `BSYM_THREADS=N` looks at several at once, `BSYM_PROGRAM=FILE` tries another
//! build, `BSYM_PLAN=short` asks each machine as little as `make test` does, a third of all questions,
//! `BSYM_PLAN=deferred` looks at machines about relations over deferred sets, `BSYM_REPORT=FILE` writes the table,
//! `BSYM_WRITE=FOLDER` writes the machines into a folder each instead.

mod common;
#[path = "statements/mod.rs"]
mod statements;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use bsym_language::load::load_model;
use common::number;
use statements::proved::Counts;
use statements::table::Table;
use statements::{Plan, Range};

/// Machines of the short run; fewer where every query starts from a process.
const SHORT: u64 = if cfg!(feature = "z3") { 100 } else { 20 };

#[test]
fn no_two_answers_contradict_each_other() {
    if !common::has_solver() {
        return;
    }
    let asked = number("BSYM_MACHINES");
    let plan = match std::env::var("BSYM_PLAN").as_deref() {
        Ok("full") => Plan::Full,
        Ok("short") => Plan::Short,
        Ok("deferred") => Plan::Deferred,
        Ok(other) => panic!("BSYM_PLAN: `{other}` is none of `full`, `short`, `deferred`"),
        Err(_) if asked.is_some() => Plan::Full,
        Err(_) => Plan::Short,
    };
    if let Some(folder) = std::env::var_os("BSYM_WRITE").map(PathBuf::from) {
        let first = number("BSYM_FIRST_MACHINE").unwrap_or(0);
        for n in first..first + asked.unwrap_or(SHORT) {
            let folder = folder.join(n.to_string());
            std::fs::create_dir_all(&folder).expect("a folder for the machine");
            for (name, text) in plan.draw(n).files() {
                common::file(&folder, &name, text);
            }
        }
        return;
    }
    let program = std::env::var_os("BSYM_PROGRAM").map(PathBuf::from);
    let range = Range {
        program: program.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_bsym"))),
        first: number("BSYM_FIRST_MACHINE").unwrap_or(0),
        count: asked.unwrap_or(SHORT),
        plan,
        limit: number("BSYM_LIMIT").unwrap_or(400),
        threads: number("BSYM_THREADS").unwrap_or(2) as usize,
        within: number("BSYM_SECONDS").map(Duration::from_secs),
    };
    let (table, proved, failures) = look_at(&range);
    if range.plan == Plan::Deferred {
        println!("{proved:#?}");
    }
    if asked.is_none() {
        // Machines of one state, or only unknown answers, would compare nothing.
        assert!(table.share_of_twenty() > 0.3, "{}", table.markdown());
        assert!(table.decided("mc") > 0.5 && table.decided("kind") > 0.1, "{}", table.markdown());
    }
    let report = table.markdown();
    println!("{report}");
    if let Some(path) = std::env::var_os("BSYM_REPORT") {
        std::fs::write(path, &report).expect("the report is written");
    }
    assert!(failures.is_empty(), "{} machines failed:\n{}", failures.len(), failures.join("\n"));
}

/// Checks all machines and prints the failures, the first of them with a smaller machine.
fn look_at(range: &Range) -> (Table, Counts, Vec<String>) {
    let shrinkings = number("BSYM_SHRINK").unwrap_or(5);
    let state = Mutex::new((Table::default(), vec![], 0, Counts::default()));
    range.run(&|bench, seen| {
        let first = {
            let mut state = state.lock().unwrap();
            state.0.add(&seen);
            state.3.add(&seen.proved);
            if seen.failures.is_empty() {
                return;
            }
            state.2 += 1;
            state.2 <= shrinkings
        };
        let failure = &seen.failures[0];
        let machine = match first {
            true => bench.shrink(seen.number, &seen.machine, failure, 400),
            false => seen.machine.clone(),
        };
        let mut text = format!(
            "machine {}: {} failures, first {}\n  {}BSYM_FIRST_MACHINE={} BSYM_MACHINES=1 cargo test \
             --test statements -- --nocapture\n",
            seen.number,
            seen.failures.len(),
            failure.text(),
            if range.plan == Plan::Deferred { "BSYM_PLAN=deferred " } else { "" },
            seen.number,
        );
        if first {
            for (name, source) in machine.files() {
                text += &format!("// {name}, shrunk\n{source}");
            }
        }
        println!("{text}");
        state.lock().unwrap().1.push(text);
    });
    let (table, failures, _, proved) = state.into_inner().unwrap();
    (table, proved, failures)
}

/// Machines about relations in the short run.
const SHORT_DEFERRED: u64 = 8;

#[test]
fn what_is_proved_of_relations_is_true_where_sets_are_small() {
    if !cfg!(feature = "z3") || number("BSYM_MACHINES").is_some() {
        return;
    }
    let range = Range {
        program: PathBuf::from(env!("CARGO_BIN_EXE_bsym")),
        first: 0,
        count: SHORT_DEFERRED,
        plan: Plan::Deferred,
        limit: 400,
        threads: 2,
        within: None,
    };
    let (_, proved, failures) = look_at(&range);
    assert!(failures.is_empty(), "{} machines failed:\n{}", failures.len(), failures.join("\n"));
    // If nothing were proved, or nothing were false, nothing would be compared.
    assert!(proved.proved > proved.tried / 4 && proved.false_ones > 0, "{proved:#?}");
}

#[test]
fn machines_are_well_typed() {
    are_well_typed(Plan::Full);
}

#[test]
fn machines_about_relations_are_well_typed() {
    are_well_typed(Plan::Deferred);
}

fn are_well_typed(plan: Plan) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = vec![];
    for n in 0..number("BSYM_TYPED").unwrap_or(300) {
        let mut path = PathBuf::new();
        for (name, text) in plan.draw(n).files() {
            path = common::file(folder.path(), &name, text);
        }
        let loaded = load_model(&path).expect("it is readable");
        if loaded.model.is_none() {
            let said: Vec<_> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
            wrong.push(format!("machine {n}: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
