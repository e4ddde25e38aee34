//! What the engines' tests share: machines from text, runs with the linked solver.
#![allow(dead_code)]

#[cfg(feature = "z3")]
pub mod faulty;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Session, SolverError, linked};
use bsym_engines::contestant::Opener;
use bsym_engines::options::Job;
use bsym_engines::run::run;
use bsym_engines::tuning::Tuning;
use bsym_engines::verdict::{Engine, Progress, Report, Verdict};
use bsym_language::load::{load_model, load_text};
use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::{Level, PairStatus, ProofStatus};

/// The model of a machine in B text.
pub fn model(text: &str) -> Arc<Model> {
    let loaded = load_text("test.mch", text);
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
    let model = loaded.model.unwrap_or_else(|| panic!("{messages:?}"));
    Arc::new(model)
}

/// The model of a file, if it loads.
pub fn model_of(path: &Path) -> Option<Arc<Model>> {
    load_model(path).ok()?.model.map(Arc::new)
}

/// How many times as long everything may take in tests, which run beside others on busy machines.
const TIMES: u32 = 3;

/// A job about all conjuncts of the invariant, within a minute.
pub fn job(model: &Arc<Model>, request: &ScopeRequest) -> Job {
    with_tuning(|_| {}, model, request)
}

/// A job like [`job`] with another tuning, the same one in the whole process.
pub fn with_tuning(change: impl Fn(&mut Tuning), model: &Arc<Model>, request: &ScopeRequest) -> Job {
    let mut tuning = Tuning::DEFAULT.slower(TIMES);
    change(&mut tuning);
    tuning.install();
    let scope = Scope::settle(model, request).unwrap();
    let properties = (0..model.invariant.len()).map(Property::Invariant).collect();
    let budget = Budget::unlimited().within(Duration::from_secs(20) * TIMES);
    Job {
        well_definedness: true,
        representations: Default::default(),
        query_time: Some(Duration::from_secs(5) * TIMES),
        ..Job::new(model.clone(), scope, properties, budget)
    }
}

/// Opens a session with the linked solver.
pub fn open(terms: std::rc::Rc<bsym_encodings::term::Terms>) -> Result<Session, SolverError> {
    Ok(linked(terms).expect("libz3 is linked"))
}

/// What makes sessions for the threads of a run.
pub fn opener<F>(open: F) -> Opener
where
    F: Fn(std::rc::Rc<bsym_encodings::term::Terms>) -> Result<Session, SolverError> + Send + Sync + 'static,
{
    Arc::new(open)
}

/// Runs an engine quietly.
pub fn report(job: &Job, engine: Engine) -> Report {
    run(job, engine, &opener(open), &mut |_: &Progress| {})
}

/// `holds`, `violated` and the number of events, `vacuous` or `unknown`.
pub fn answer(report: &Report) -> String {
    match &report.verdict {
        Verdict::Holds(_) => "holds".into(),
        Verdict::Violated(c) => format!("violated {}", c.trace.steps.len() - 1),
        Verdict::Vacuous(..) => "vacuous".into(),
        Verdict::Unknown(why) => format!("unknown {why:?}"),
        other => format!("unknown {other:?}"),
    }
}

/// Asserts the same answer of several engines.
pub fn check(text: &str, engines: &[Engine], expected: &str) {
    let model = model(text);
    let job = job(&model, &ScopeRequest::default());
    for &engine in engines {
        let report = report(&job, engine);
        assert!(answer(&report).starts_with(expected), "{engine:?}: {}", answer(&report));
    }
}

/// A status of our own for every event and conjunct.
pub fn full_status(model: &Model) -> ProofStatus {
    let mut status = ProofStatus::none();
    for e in 0..model.events.len() as u32 {
        for i in 0..model.invariant.len() {
            status.insert((Some(bsym_language::model::EventId(e)), i), claimed());
        }
    }
    status
}

/// A status that nobody checked.
pub fn claimed() -> PairStatus {
    PairStatus { provers: vec!["test".into()], level: Level::Claim }
}
