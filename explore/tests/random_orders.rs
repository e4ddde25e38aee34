//! Random machines and projects of Event-B with and without partial order reduction, and with decision diagrams: the same
//! verdicts, traces of the same length, and no contradiction of the reference evaluator.
//!
//! ```text
//! BSYM_ORDERS=20000 cargo test --release -p bsym-explore --test random_orders -- --nocapture
//! ```
//! looks at more of them; `BSYM_FIRST_ORDER=N` begins at another one, `BSYM_THREADS=N` looks at several at once.

#[path = "random_orders/event_b.rs"]
mod event_b;
#[path = "random_orders/generate.rs"]
mod generate;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bsym_explore::diagrams::{self, DiagramOptions, Strategy};
use bsym_explore::options::{Limits, SearchOptions};
use bsym_explore::report::{Progress, SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::{load_from, load_text};
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_language::text::files::Texts;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::verdict::Reason;

/// Machines of a run that nobody asks for more.
const SHORT: u64 = 10;
/// Machines that are drawn for one without a violation in the initial states.
const TRIES: u64 = 8;
/// Larger machines are left out.
const STATES: usize = 1500;
/// Bytes of the decision diagrams of one search: one product can pass the number of states by far.
const DIAGRAMS: usize = 16 << 20;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is no number")))
}

/// How states are searched.
#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    All,
    Reduced,
    Diagrams(Strategy),
}

fn run(model: &Model, checks: &Checks, how: How) -> SearchReport {
    let scope =
        Scope::settle(model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    let options = SearchOptions {
        checks: checks.clone(),
        partial_order: how == How::Reduced,
        limits: Limits {
            states: Some(STATES),
            memory: matches!(how, How::Diagrams(_)).then_some(DIAGRAMS),
            ..Limits::default()
        },
        ..SearchOptions::default()
    };
    let problem = Problem { model, scope: &scope, finder: None };
    let observer = &mut |_: &Progress| {};
    match how {
        How::Diagrams(strategy) => {
            diagrams::search(&problem, &options, &DiagramOptions { strategy, order: vec![] }, observer)
        }
        _ => search(&problem, &options, observer),
    }
}

/// What is asked of each machine.
fn questions(model: &Model) -> Vec<(&'static str, Checks)> {
    let plain = Checks::default;
    let last = model.invariant.len().saturating_sub(1);
    vec![
        ("inv", plain()),
        ("inv,deadlock", Checks { deadlock: true, ..plain() }),
        ("inv,goal", Checks { goal: true, ..plain() }),
        ("inv,assertions", Checks { assertions: true, ..plain() }),
        ("all", Checks { deadlock: true, goal: true, assertions: true, ..plain() }),
        ("goal", Checks { invariant: Some(vec![]), goal: true, ..plain() }),
        ("last conjunct", Checks { invariant: Some(vec![last]), deadlock: true, ..plain() }),
        ("inv,goal without wd", Checks { goal: true, well_definedness: false, ..plain() }),
    ]
}

/// How two answers differ; what they have in common otherwise.
fn compare(all: &SearchReport, other: &SearchReport, how: How) -> Result<&'static str, String> {
    match (&all.verdict, &other.verdict) {
        (Verdict::Contradiction(d), _) | (_, Verdict::Contradiction(d)) => {
            Err(format!("a contradiction: {d:?}"))
        }
        (Verdict::Violated(a), Verdict::Violated(b))
            if how != How::Reduced || a.trace.steps.len() == b.trace.steps.len() =>
        {
            Ok(match a.trace.steps.len() {
                0 | 1 => "violated at once",
                2 => "violated by an event",
                _ => "violated",
            })
        }
        (Verdict::Holds(_), Verdict::Holds(_)) if other.statistics.states < all.statistics.states => {
            Ok("holds, fewer")
        }
        (Verdict::Holds(_), Verdict::Holds(_)) if other.statistics.states == all.statistics.states => {
            Ok("holds")
        }
        // What was left out may be what could not be evaluated, or what was too much.
        (Verdict::Unknown(_), Verdict::Unknown(_) | Verdict::Holds(_) | Verdict::Violated(_)) => Ok("open"),
        (Verdict::Holds(_) | Verdict::Violated(_), Verdict::Unknown(_)) if how != How::Reduced => Ok("open"),
        (Verdict::Vacuous(..), Verdict::Vacuous(..)) => Ok("vacuous"),
        (a, b) => Err(format!("{a:?}\nand\n{b:?}")),
    }
}

/// A model that is drawn.
struct Drawn {
    text: String,
    model: Model,
    /// The search of all states for what is checked by default.
    by_default: SearchReport,
}

/// Draws a model, unless something is wrong in its initial states already.
fn good_at_first(draw: &dyn Fn(u64) -> (String, Model), n: u64) -> Option<Drawn> {
    let (text, model) = draw(n);
    let by_default = run(&model, &Checks::default(), How::All);
    let is_good = match &by_default.verdict {
        Verdict::Violated(found) => found.trace.steps.len() > 1,
        _ => true,
    };
    is_good.then_some(Drawn { text, model, by_default })
}

/// Counts of answers, and of the machines with such an answer.
#[derive(Default)]
struct Table {
    machines: u64,
    answers: BTreeMap<(&'static str, &'static str), (u64, u64)>,
    different: Vec<(u64, &'static str, &'static str)>,
}

/// Compares all answers about models that are drawn.
fn agree(draw: &(dyn Fn(u64) -> (String, Model) + Sync)) {
    let (count, first) = (number("BSYM_ORDERS").unwrap_or(SHORT), number("BSYM_FIRST_ORDER").unwrap_or(0));
    let (next, seen) = (AtomicU64::new(first), Mutex::new(Table::default()));
    let look = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= first + count {
                return;
            }
            let Some(drawn) = (0..TRIES).find_map(|k| good_at_first(draw, n * TRIES + k)) else { continue };
            let Drawn { text, model, by_default } = drawn;
            let mut kinds = BTreeSet::new();
            let diagrams = How::Diagrams(
                [Strategy::BreadthFirst, Strategy::Chaining, Strategy::Saturation][(n % 3) as usize],
            );
            let mut by_default = Some(by_default);
            for (name, checks) in questions(&model) {
                // The first question is what is checked by default.
                let all = by_default.take().unwrap_or_else(|| run(&model, &checks, How::All));
                for how in [How::Reduced, diagrams] {
                    let kind = if how == How::Reduced { "reduced" } else { "diagrams" };
                    let found = match &all.verdict {
                        // There is nothing to compare with.
                        Verdict::Unknown(Reason::StateLimit(_)) => Ok("too large"),
                        _ => compare(&all, &run(&model, &checks, how), how),
                    };
                    let mut seen = seen.lock().unwrap();
                    match found {
                        Ok(what) => {
                            let is_first = kinds.insert((kind, what));
                            let (answers, machines) = seen.answers.entry((kind, what)).or_default();
                            *answers += 1;
                            *machines += u64::from(is_first);
                        }
                        Err(difference) => {
                            println!("machine {n}, {name}, {how:?}: {difference}\n{text}\n");
                            seen.different.push((n, name, kind));
                        }
                    }
                }
            }
            seen.lock().unwrap().machines += 1;
        }
    };
    std::thread::scope(|threads| {
        for _ in 0..number("BSYM_THREADS").unwrap_or(2) {
            threads.spawn(|| with_large_stack(look));
        }
    });
    let Table { machines, answers, different } = seen.into_inner().unwrap();
    for ((how, what), (answers, with)) in &answers {
        println!("{how}: {what}: {answers} answers, {with} of {machines} machines");
    }
    assert!(different.is_empty(), "{} answers about {machines} machines: {different:?}", different.len());
    for what in ["violated by an event", "holds, fewer"] {
        assert!(answers.contains_key(&("reduced", what)), "none: {what}");
    }
}

#[test]
fn machines_have_one_verdict() {
    agree(&|n| {
        let text = generate::machine(n);
        let loaded = load_text("M.mch", &text);
        let model = loaded.model.unwrap_or_else(|| panic!("machine {n}: {:?}\n{text}", loaded.diagnostics));
        (text, model)
    });
}

#[test]
fn projects_of_event_b_have_one_verdict() {
    agree(&|n| {
        let files = event_b::project(n);
        let text: Vec<String> = files.values().cloned().collect();
        let mut texts = Texts::default();
        for (name, text) in files {
            texts.insert(Path::new("P").join(name), text);
        }
        let level = if n % 4 == 0 { "P/M0.bum" } else { "P/M1.bum" };
        let loaded = load_from(&texts, Path::new(level)).expect("the project can be read");
        let text = format!("{level}\n{}", text.join("\n"));
        let model = loaded.model.unwrap_or_else(|| panic!("project {n}: {:?}\n{text}", loaded.diagnostics));
        (text, model)
    });
}
