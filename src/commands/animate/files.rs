//! Paths in files: written in the formats of traces, and replayed from them as far as they go.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::Trace;
use bsym_semantics::trace::file::trace_from_json;
use bsym_semantics::trace::following::follow;
use bsym_semantics::trace::partial::{PartialTrace, partial_from_itf, partial_from_prob};
use bsym_semantics::trace::replay::{Checks, replay_with};

use super::session::Session;
use crate::output;
use crate::traces::{self, Format};

/// Result of loading a trace file into the session.
pub struct Loaded {
    /// Steps that were replayed.
    pub steps: usize,
    /// Steps of the file.
    pub of: usize,
    /// Why not all were replayed.
    pub why: Option<String>,
}

impl Session {
    /// Writes the path up to the current position.
    ///
    /// # Errors
    /// There is no path yet, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        Format::of(path).map_err(|_| ending(path))?;
        let trace = self.trace().filter(|t| !t.steps.is_empty()).ok_or("there is no path yet")?;
        output::check_writable(path, "save", &[]).map_err(|e| format!("{e:#}"))?;
        std::fs::write(path, traces::text(path, &self.model, &trace))
            .map_err(|e| format!("`{}` cannot be written: {e}", path.display()))
    }

    /// Replays the path of a file as far as the machine can follow it, in place of the current path.
    ///
    /// # Errors
    /// It is no such file, or not even its first step fits the machine; then the current path is kept.
    pub fn load(&mut self, path: &Path, interrupt: &AtomicBool) -> Result<Loaded, String> {
        let format = Format::of(path).map_err(|_| ending(path))?;
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("`{shown}` cannot be read: {e}"))?;
        let at_file = |message: String| format!("`{shown}`: {message}");
        let loaded = match format {
            Format::Own => {
                let trace = trace_from_json(&self.model, &text).map_err(|e| at_file(e.to_string()))?;
                self.replay(trace, interrupt).map_err(at_file)?
            }
            Format::Itf => {
                let partial = partial_from_itf(&self.model, &self.scope, &text).map_err(at_file)?;
                self.follow(&partial, interrupt).map_err(at_file)?
            }
            Format::Prob => {
                let partial = partial_from_prob(&self.model, &self.scope, &text).map_err(at_file)?;
                self.follow(&partial, interrupt).map_err(at_file)?
            }
        };
        self.look(interrupt);
        Ok(loaded)
    }

    /// Replays a trace whose states are all known, up to the first step that the machine does not have.
    fn replay(&mut self, mut trace: Trace, interrupt: &AtomicBool) -> Result<Loaded, String> {
        let (of, mut why) = (trace.steps.len(), None);
        let before = std::mem::replace(&mut self.scope, trace.scope.clone());
        loop {
            let cuts = Cuts::default();
            let eval = self.evaluator(interrupt, &cuts).with_all_choices();
            let Err(error) = replay_with(&eval, &trace, &Checks::default()) else { break };
            let keep = error.step.unwrap_or(0);
            why.get_or_insert(error.to_string());
            if keep == 0 {
                self.scope = before;
                return Err(error.to_string());
            }
            trace.steps.truncate(keep);
            trace.repeats.retain(|repeat| repeat.before < keep);
        }
        self.named = (*self.model).clone();
        crate::commands::eval::name_elements(&mut self.named, &self.scope);
        self.constants = Some(trace.constants);
        self.steps = trace.steps;
        self.repeats = trace.repeats;
        self.at = self.steps.len();
        Ok(Loaded { steps: self.at, of, why })
    }

    /// Replays a path of which parts are known: takes steps that fit.
    fn follow(&mut self, partial: &PartialTrace, interrupt: &AtomicBool) -> Result<Loaded, String> {
        let cuts = Cuts::default();
        let followed = follow(&self.evaluator(interrupt, &cuts), partial);
        let why = followed.stop.map(|stop| stop.text(partial));
        let (Some(constants), false) = (followed.constants, followed.steps.is_empty()) else {
            return Err(why.unwrap_or_else(|| "it has no steps".into()));
        };
        (self.constants, self.at, self.steps) = (Some(constants), followed.steps.len(), followed.steps);
        Ok(Loaded { steps: self.at, of: partial.steps.len(), why })
    }
}

fn ending(path: &Path) -> String {
    format!(
        "`{}` does not say which format is meant: end it in .json (ours), .itf.json (ITF) or .prob2trace (ProB)",
        path.display()
    )
}
