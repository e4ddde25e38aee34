//! Comparing a search with the facts of the corpus.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_explore::options::SearchOptions;
use bsym_explore::report::{SearchReport, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_model;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::verdict::Reason;
use serde_json::Value;

/// What the corpus says about a model.
pub struct Facts {
    states: Option<u64>,
    transitions: Option<u64>,
    deadlock: Option<bool>,
    violated: Option<bool>,
}

impl Facts {
    /// Reads the facts.
    pub fn of(facts: &Value) -> Facts {
        Facts {
            states: facts["states"].as_u64(),
            transitions: facts["transitions"].as_u64(),
            deadlock: facts["deadlock"].as_bool(),
            violated: facts["invariant_violated"].as_bool(),
        }
    }
}

/// How to compare.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Longest time, in seconds.
    pub timeout: f64,
    /// Search by the reference evaluator alone.
    pub reference: bool,
    /// Compare invariant and deadlock only, not the counts.
    pub verdicts: bool,
    /// A state in which an assertion is false counts as violating.
    pub assertions: bool,
}

/// What came of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// All figures agree.
    Equal,
    /// Counts, or where only these are asked, verdicts differ.
    Differs,
    /// Something could not be evaluated.
    Incomplete,
    /// A limit was reached.
    Unfinished,
    /// The model could not be read.
    Unread,
    /// The counts agree, and the verdict is another one.
    Otherwise,
}

impl Class {
    /// All of them, in the order in which they are summed up.
    pub const ALL: [Class; 6] =
        [Class::Equal, Class::Differs, Class::Incomplete, Class::Unfinished, Class::Unread, Class::Otherwise];

    /// Its name in a list of what is expected.
    pub fn name(self) -> &'static str {
        match self {
            Class::Equal => "equal",
            Class::Differs => "differs",
            Class::Incomplete => "incomplete",
            Class::Unfinished => "slow",
            Class::Unread => "unread",
            Class::Otherwise => "otherwise",
        }
    }
}

/// Searches a model and compares: the class, the states and transitions found, and everything in words.
pub fn compare(path: &Path, facts: &Facts, asked: &Question) -> (Class, String, String) {
    let Ok(loaded) = load_model(path) else { return (Class::Unread, "-".into(), "cannot be read".into()) };
    let Some(model) = loaded.model else {
        let first = loaded.diagnostics.first().map_or(String::new(), |d| d.message.clone());
        return (Class::Unread, "-".into(), format!("not loaded: {first}"));
    };
    let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
    let scope = match Scope::settle(&model, &request) {
        Ok(scope) => scope,
        Err(e) => return (Class::Unread, "-".into(), e.to_string()),
    };
    let mut options =
        SearchOptions { keep_going: true, reference_only: asked.reference, ..SearchOptions::default() };
    options.checks.assertions = asked.assertions;
    options.limits.time = Some(Duration::from_secs_f64(asked.timeout));
    options.limits.memory = Some(4 << 30);
    // As in `bsym mc`, without the solvers that are linked or installed: SAT gives the same counts on every machine.
    let budget = Budget::unlimited().within(Duration::from_secs_f64(asked.timeout));
    let finder = Patience::new(Arc::new(model.clone()), None, &budget);
    let problem = Problem { model: &model, scope: &scope, finder: Some(&finder) };
    let report = search(&problem, &options, &mut |_: &_| ());
    let (class, line) = judge(&report, facts, asked);
    // Where the end was not reached, the figures are those of this run only.
    let figures = match report.finished {
        true => format!("{}/{}", report.statistics.states, report.statistics.transitions),
        false => "-".into(),
    };
    (class, figures, line)
}

fn judge(report: &SearchReport, facts: &Facts, asked: &Question) -> (Class, String) {
    let s = &report.statistics;
    let counts = format!(
        "{} states, {} transitions, {} deadlocks, {} violating; facts {:?}, {:?}, {:?}, {:?}; {:.0}/s",
        s.states,
        s.transitions,
        s.deadlocks,
        s.violating,
        facts.states,
        facts.transitions,
        facts.deadlock,
        facts.violated,
        s.rate()
    );
    let uncompiled: String =
        s.successors.uncompiled.iter().map(|(e, why)| format!("\n    {e} not compiled: {why}")).collect();
    let cut = if report.cuts.is_empty() { "" } else { "; bounded" };
    let counts = format!(
        "{counts}{cut}; found by search {}, SAT {}, to the end {}; memo {}/{}, {} by reference, {} audited{uncompiled}",
        s.found_by.search,
        s.found_by.sat,
        s.found_by.exhaustion,
        s.successors.memo_hits,
        s.successors.memo_hits + s.successors.memo_misses,
        s.successors.by_reference,
        s.successors.audited
    );
    if let Verdict::Unknown(Reason::ReplayFailed(e)) = &report.verdict {
        return (Class::Differs, format!("REPLAY FAILED: {e}; {counts}"));
    }
    if let Verdict::Unknown(Reason::Refuted(e)) = &report.verdict {
        return (Class::Differs, format!("REFUTED: {e}; {counts}"));
    }
    if let Verdict::Contradiction(difference) = &report.verdict {
        return (Class::Differs, format!("AUDIT FAILED: {difference:?}; {counts}"));
    }
    let shown = Shown::by(report);
    let wrong =
        facts.deadlock == Some(false) && shown.deadlock || facts.violated == Some(false) && shown.violated;
    if asked.verdicts && wrong {
        return (Class::Differs, format!("OTHERWISE: {counts}"));
    }
    if let Some(reason) = report.incomplete.first() {
        return (Class::Incomplete, format!("incomplete: {}: {}; {counts}", reason.place, reason.error));
    }
    match &report.verdict {
        Verdict::Unknown(Reason::Bounded(_)) => {}
        Verdict::Unknown(reason) => return (Class::Unfinished, format!("{reason:?}: {counts}")),
        Verdict::Doubtful(_, why) => return (Class::Unfinished, format!("{why}: {counts}")),
        _ => {}
    }
    let counted =
        facts.states.is_none_or(|n| n == s.states) && facts.transitions.is_none_or(|n| n == s.transitions);
    if !counted && !asked.verdicts && !report.finished {
        return (Class::Unfinished, format!("not finished: {counts}"));
    }
    if !counted && !asked.verdicts {
        return (Class::Differs, format!("DIFFERS: {counts}"));
    }
    // Where choices were cut, a deadlock that is not shown may be none.
    let missed = !shown.bounded
        && (facts.deadlock == Some(true) && s.deadlocks == 0
            || facts.violated == Some(true) && s.violating == 0);
    if wrong || missed { (Class::Otherwise, format!("OTHERWISE: {counts}")) } else { (Class::Equal, counts) }
}

/// What a search has a counterexample for.
struct Shown {
    deadlock: bool,
    violated: bool,
    bounded: bool,
}

impl Shown {
    fn by(report: &SearchReport) -> Shown {
        let first = match &report.verdict {
            Verdict::Violated(counterexample) => Some(&**counterexample),
            _ => None,
        };
        let all = || first.into_iter().chain(&report.further).flat_map(|c| &c.violations);
        Shown {
            deadlock: all().any(|v| matches!(v, Violation::Deadlock)),
            violated: all().any(|v| matches!(v, Violation::Invariant(..))),
            bounded: !report.cuts.is_empty(),
        }
    }
}
