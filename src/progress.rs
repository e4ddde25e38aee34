//! Progress of a run while it works: a line on a terminal, lines with `-v`, events with `--jsonl`.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};

use bsym_engines::verdict::{Engine, Progress};
use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::verdict::{Counterexample, Observer};
use indicatif::{ProgressBar, ProgressStyle};

use crate::answer::event::Event;
use crate::answer::property::{PropertyObject, PropertyVerdictWord};
use crate::answer::statistics::StepObject;
use crate::answer::status::PairObject;
use crate::arguments::OutputArguments;
use crate::input::property_name;
use crate::output::{self, json_line};
use crate::race::control::{Control, memory_in_use};
use crate::race::protocol::Message;
use crate::tuning::tuning;

/// Known part of the result while a run works, for the case that it does not end by itself.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The engine at work.
    pub engine: Option<Engine>,
    /// No violation up to this depth.
    pub depth: Option<usize>,
    /// Properties found violated.
    pub violated: Vec<Property>,
    /// The first counterexample of a run that went on after it.
    pub found: Option<Box<Counterexample>>,
    /// States visited.
    pub states: Option<u64>,
    /// Transitions between them.
    pub transitions: Option<u64>,
    /// Statistics of the path at each depth.
    pub steps: Vec<StepObject>,
    open_depth: bool,
}

/// Reports progress to the user.
pub struct Reporter {
    model: Arc<Model>,
    control: Control,
    jsonl: bool,
    verbose: u8,
    line: Option<ProgressBar>,
    seen: Arc<Mutex<Seen>>,
}

impl Reporter {
    /// Makes a reporter in the requested form, which records the known part of the result.
    pub fn new(
        model: Arc<Model>,
        control: &Control,
        format: &OutputArguments,
        seen: Arc<Mutex<Seen>>,
    ) -> Reporter {
        let quiet = format.is_for_programs();
        let terminal = std::io::stderr().is_terminal();
        let line = (terminal && !quiet && format.verbose == 0).then(|| {
            let line = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4}  {wide_msg}") {
                line.set_style(style);
            }
            line.enable_steady_tick(std::time::Duration::from_millis(120));
            line
        });
        Reporter { model, control: control.clone(), jsonl: format.jsonl, verbose: format.verbose, line, seen }
    }

    /// Returns the known part of the result, shared with this reporter.
    pub fn seen(&self) -> Arc<Mutex<Seen>> {
        self.seen.clone()
    }

    /// Reports that a phase of the run is over.
    pub fn timing(&self, phase: &'static str, seconds: f64) {
        if self.jsonl {
            json_line(&Event::Timing { time: self.control.seconds(), phase, seconds });
        } else if self.verbose > 0 {
            output::progress(&format!("{phase}: {seconds:.2} s"));
        }
    }

    /// Clears the line of progress.
    pub fn finish(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }

    fn remember(&self, progress: &Progress) {
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        match progress {
            Progress::Started(engine) => seen.engine = Some(*engine),
            Progress::Depth { depth, undecided, size, .. } => {
                if let Some(size) = size.filter(|_| seen.steps.len() < tuning().listed.progress) {
                    seen.steps.push(StepObject::new(*depth, size, memory_in_use()));
                }
                // After an undecided depth no deeper one counts.
                seen.open_depth |= *undecided;
                if !seen.open_depth {
                    seen.depth = seen.depth.max(Some(*depth));
                }
            }
            Progress::Violated(p) => seen.violated.push(*p),
            Progress::Found(found) => seen.found = Some(found.clone()),
            _ => {}
        }
    }

    fn event(&self, progress: &Progress) -> Option<Event> {
        let (time, model) = (self.control.seconds(), &*self.model);
        Some(match progress.clone() {
            Progress::Found(_) => return None,
            Progress::Started(engine) => Event::Started { time, engine: engine.name() },
            Progress::Depth { engine, depth, undecided, .. } => {
                Event::Depth { time, engine: engine.name(), depth, undecided }
            }
            Progress::Frame { number, lemmas, predicates } => {
                Event::Frame { time, number, lemmas, predicates }
            }
            Progress::Lemma { frame, text } => Event::Lemma { time, frame, text },
            Progress::Violated(property) => {
                let result = PropertyObject::new(model, property, PropertyVerdictWord::Violated);
                Event::Property { time, result }
            }
            Progress::WrongStatus(pair) => {
                Event::WrongStatus { time, pair: PairObject::new(model, pair, None) }
            }
            Progress::WrongCheck(check) => Event::WrongCheck { time, check: check.describe(model) },
            Progress::GaveUp { domain, reason } => {
                Event::Unknown { time, query: format!("IC3 over {domain}"), reason }
            }
            Progress::Undecided { query, reason } => Event::Unknown { time, query, reason },
        })
    }

    fn text(&self, progress: &Progress) -> String {
        match progress {
            Progress::Started(engine) => format!("{}: started", engine.name()),
            Progress::Depth { engine, depth, undecided, .. } => {
                let open = if *undecided { " (undecided)" } else { "" };
                format!("{}: no violation at depth {depth}{open}", engine.name())
            }
            Progress::Frame { number, lemmas, predicates } => {
                let lemmas: Vec<String> = lemmas.iter().map(usize::to_string).collect();
                format!("ic3: frame {number}, lemmas {}, {predicates} predicates", lemmas.join(" "))
            }
            Progress::Lemma { frame, text } => format!("ic3: lemma at frame {frame}: {text}"),
            Progress::Violated(p) => format!("violated: {}", property_name(&self.model, *p)),
            Progress::Found(_) => "violated".into(),
            Progress::WrongStatus(pair) => {
                let pair = PairObject::new(&self.model, *pair, None);
                format!("wrong status: {} does not preserve {}", pair.event, pair.conjunct)
            }
            Progress::WrongCheck(check) => format!("wrong status: {} can fail", check.describe(&self.model)),
            Progress::GaveUp { domain, reason } => format!("ic3 over {domain}: gave up ({reason})"),
            Progress::Undecided { query, reason } => format!("undecided: {query}: {reason}"),
        }
    }
}

impl Observer<Progress> for Reporter {
    fn progress(&mut self, progress: &Progress) {
        self.remember(progress);
        // What it violates is told by itself.
        if matches!(progress, Progress::Found(_)) {
            return;
        }
        if self.jsonl
            && let Some(event) = self.event(progress)
        {
            json_line(&event);
        }
        // Lemmas and single queries come by the thousand.
        let many = matches!(progress, Progress::Lemma { .. } | Progress::Undecided { .. });
        if self.verbose > u8::from(many) {
            output::progress(&self.text(progress));
        }
        if let Some(line) = &self.line {
            line.set_message(self.text(progress));
        }
    }
}

impl Observer<bsym_explore::report::Progress> for Reporter {
    fn progress(&mut self, progress: &bsym_explore::report::Progress) {
        let bsym_explore::report::Progress { states, transitions, frontier, rate } = *progress;
        {
            let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
            seen.states = Some(states);
            seen.transitions = Some(transitions);
        }
        if self.control.searches_for_another() {
            json_line(&Message::Progress(progress.clone()));
            return;
        }
        if self.jsonl {
            json_line(&Event::of_search(self.control.seconds(), progress));
        }
        let text =
            format!("mc: {states} states, {transitions} transitions, {frontier} waiting, {rate:.0} states/s");
        if self.verbose > 0 {
            output::progress(&text);
        }
        if let Some(line) = &self.line {
            line.set_message(text);
        }
    }
}
