//! What a search has visited: events, guards that keep them off, variables, depths.

use std::fmt::{Result, Write};

use bsym_explore::report::coverage::{Coverage, EventCoverage, KeptOff};
use bsym_language::model::Model;
use bsym_language::print;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::{location, place};
use super::property::event_name;
use super::scope::Number;
use crate::answer::trace::counted;
use crate::paint::Paint;
use crate::tuning::tuning;

/// What a search has visited.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CoverageObject {
    /// Every reachable state was visited: what is said is so of all of them.
    pub complete: bool,
    /// Different states.
    pub states: u64,
    /// Of these, states whose successors were looked for.
    pub expanded: u64,
    pub events: Vec<EventObject>,
    pub variables: Vec<VariableObject>,
    /// States by the number of events on the way that led to each first.
    pub depths: Vec<u64>,
}

/// How often an event is taken.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct EventObject {
    pub event: String,
    /// Its transitions: those that differ in parameters, results or target are several.
    pub firings: u64,
    /// States in which it is enabled.
    pub states: u64,
    /// Of an event that is never enabled: what keeps it off.
    pub kept_off: Option<KeptOffObject>,
}

/// What keeps an event from being enabled.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct KeptOffObject {
    /// In the order of the guard.
    pub conjuncts: Vec<GuardObject>,
    /// States in which the guard is true, and something behind it keeps the event off.
    pub behind: u64,
    /// States in which that could not be evaluated.
    pub undecided: u64,
    /// States that there was time to look at.
    pub looked_at: u64,
}

/// A conjunct of a guard.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct GuardObject {
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// States in which it is the first that is false: no parameters satisfy it and those before it.
    pub states: u64,
}

/// The values of a variable.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct VariableObject {
    pub variable: String,
    /// Number of different values.
    pub values: u64,
    /// Of an integer.
    pub least: Option<Number>,
    /// Of an integer.
    pub greatest: Option<Number>,
}

impl CoverageObject {
    /// What was counted. `complete`: every reachable state was visited.
    pub fn new(model: &Model, coverage: &Coverage, complete: bool) -> CoverageObject {
        let kept_off = |found: &KeptOff| KeptOffObject {
            conjuncts: found
                .conjuncts
                .iter()
                .map(|(pred, states)| {
                    let (file, line, _) = place(&model.text.sources, pred.span);
                    GuardObject { text: print::shown_pred(model, pred), file, line, states: *states }
                })
                .collect(),
            behind: found.behind,
            undecided: found.undecided,
            looked_at: found.looked_at,
        };
        let event = |found: &EventCoverage| EventObject {
            event: event_name(model, Some(found.event)),
            firings: found.firings,
            states: found.states,
            kept_off: found.kept_off.as_ref().map(kept_off),
        };
        let variables = model.variables.iter().zip(&coverage.variables);
        CoverageObject {
            complete,
            states: coverage.states,
            expanded: coverage.expanded,
            events: coverage.events.iter().map(event).collect(),
            variables: variables
                .map(|(variable, found)| VariableObject {
                    variable: variable.name.clone(),
                    values: found.values,
                    least: found.range.as_ref().map(|(least, _)| least.into()),
                    greatest: found.range.as_ref().map(|(_, greatest)| greatest.into()),
                })
                .collect(),
            depths: coverage.depths.clone(),
        }
    }

    /// The tables.
    pub fn write(&self, out: &mut String, paint: Paint) -> Result {
        let of = match (self.complete, self.expanded == self.states) {
            (true, _) => match self.states {
                1 => "the only reachable state".into(),
                n => format!("all {n} reachable states"),
            },
            (false, true) => format!("{} visited; there may be more", counted(self.states, "state")),
            (false, false) => format!(
                "{} visited, {} of them with their successors; there may be more",
                counted(self.states, "state"),
                self.expanded
            ),
        };
        writeln!(out, "\n{} {of}", paint.strong("coverage:"))?;
        self.write_events(out, paint)?;
        self.write_variables(out)?;
        self.write_depths(out)
    }

    fn write_events(&self, out: &mut String, paint: Paint) -> Result {
        let width = self.events.iter().map(|e| e.event.chars().count()).max().unwrap_or(0).max(5);
        if !self.events.is_empty() {
            writeln!(out, "\n  {:width$}  {:>10}  {:>10}", "event", "firings", "in states")?;
        }
        for event in &self.events {
            write!(out, "  {:width$}  {:>10}  {:>10}", event.event, event.firings, event.states)?;
            match &event.kept_off {
                Some(_) => writeln!(out, "  {}", paint.doubt("never enabled"))?,
                None => writeln!(out)?,
            }
        }
        for event in &self.events {
            if let Some(found) = &event.kept_off {
                writeln!(out, "\n  what keeps {} off, conjunct by conjunct:", event.event)?;
                found.write(out, self.states, paint)?;
            }
        }
        Ok(())
    }

    fn write_variables(&self, out: &mut String) -> Result {
        if self.variables.is_empty() {
            return Ok(());
        }
        let width = self.variables.iter().map(|v| v.variable.chars().count()).max().unwrap_or(0).max(8);
        writeln!(out, "\n  {:width$}  {:>10}  {:>10}  {:>10}", "variable", "values", "least", "greatest")?;
        for variable in &self.variables {
            write!(out, "  {:width$}  {:>10}", variable.variable, variable.values)?;
            match (&variable.least, &variable.greatest) {
                (Some(least), Some(greatest)) => {
                    writeln!(out, "  {:>10}  {:>10}", least.to_string(), greatest.to_string())?;
                }
                _ => writeln!(out)?,
            }
        }
        Ok(())
    }

    /// Depths in groups of equal size, each with a bar.
    fn write_depths(&self, out: &mut String) -> Result {
        if self.depths.is_empty() {
            return Ok(());
        }
        let size = self.depths.len().div_ceil(tuning().listed.depths);
        let sums: Vec<u64> = self.depths.chunks(size).map(|chunk| chunk.iter().sum()).collect();
        let most = sums.iter().copied().max().unwrap_or(1).max(1);
        writeln!(out, "\n  {:11}  {:>10}", "depth", "states")?;
        for (i, sum) in sums.iter().enumerate() {
            let (first, last) = (i * size, ((i + 1) * size).min(self.depths.len()) - 1);
            let depth = if first == last { first.to_string() } else { format!("{first}..{last}") };
            let bar = "#".repeat(((sum * 40).div_ceil(most)) as usize);
            writeln!(out, "  {depth:11}  {sum:>10}  {bar}")?;
        }
        Ok(())
    }
}

impl KeptOffObject {
    fn write(&self, out: &mut String, states: u64, paint: Paint) -> Result {
        for conjunct in &self.conjuncts {
            let at = location(&conjunct.file, conjunct.line).map(|at| format!("   {at}")).unwrap_or_default();
            let first = match conjunct.states {
                0 => "-".to_string(),
                n => n.to_string(),
            };
            writeln!(out, "  {first:>10}  {}{}", conjunct.text, paint.faint(&at))?;
        }
        if self.behind > 0 {
            writeln!(out, "  {:>10}  (something behind the guard)", self.behind)?;
        }
        if self.undecided > 0 {
            writeln!(out, "  {:>10}  (could not be evaluated)", self.undecided)?;
        }
        if self.looked_at < states {
            writeln!(out, "  there was time for {} of {}", self.looked_at, counted(states, "state"))?;
        }
        Ok(())
    }
}
