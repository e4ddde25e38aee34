//! The events of `--jsonl`, one a line.

use bsym_explore::report::Progress;
use bsym_semantics::trace::file::TraceFile;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::property::PropertyObject;
use super::status::PairObject;

/// One line of bsym check, bmc, tree, kind, ic3, mc and po with --jsonl; `time` is in seconds since the start
#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A phase of the run is over.
    Timing {
        time: f64,
        #[schemars(extend("enum" = ["load", "run"]))]
        phase: &'static str,
        seconds: f64,
    },
    /// An engine begins.
    Started { time: f64, engine: &'static str },
    /// No violation at this depth, unless that is undecided.
    Depth { time: f64, engine: &'static str, depth: usize, undecided: bool },
    /// IC3 has a new frame.
    Frame { time: f64, number: usize, lemmas: Vec<usize>, predicates: usize },
    /// IC3 has learned a lemma.
    Lemma { time: f64, frame: usize, text: String },
    /// A property is violated.
    Property { time: f64, result: PropertyObject },
    /// How far a search is.
    Search {
        time: f64,
        /// states and valuations of the constants so far
        states: u64,
        /// transitions so far
        transitions: u64,
        /// states that wait to be expanded
        frontier: usize,
        /// states per second
        rate: f64,
    },
    /// Imported status of a pair was refuted.
    WrongStatus { time: f64, pair: PairObject },
    /// Imported status of a check was refuted.
    WrongCheck {
        time: f64,
        /// the check in words
        check: String,
    },
    /// A query was not decided.
    Unknown { time: f64, query: String, reason: String },
    /// A counterexample of mc, as in the file of --trace NAME.json.
    Trace {
        time: f64,
        #[schemars(with = "Map<String, Json>")]
        trace: TraceFile,
    },
    /// What became of a proof obligation.
    Obligation { time: f64, name: String, status: String, reason: Option<String> },
    /// The answer: as in result.schema.json, or a po.json.
    Result {
        time: f64,
        #[schemars(with = "Map<String, Json>")]
        result: Json,
    },
}

impl Event {
    /// How far a search is, `time` seconds after the start.
    pub fn of_search(time: f64, progress: &Progress) -> Event {
        let Progress { states, transitions, frontier, rate } = *progress;
        Event::Search { time, states, transitions, frontier, rate: rate.round() }
    }
}
