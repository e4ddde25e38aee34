//! What became of the obligations that a recorded proof status leaves open.

use schemars::JsonSchema;
use serde::Serialize;

use crate::paint::Paint;

/// The obligations that a proof status leaves open, and what became of them.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct OfStatus {
    /// Who left them open: `Rodin`, or the file.
    pub left_open_by: String,
    pub total: usize,
    pub discharged: usize,
    /// Those that fail in a state at the end of a trace of the machine.
    pub refuted: usize,
    pub open: usize,
    /// Of those that are open, the names that the machine has no obligation of.
    pub unknown: Vec<String>,
    /// Obligations of the machine that are taken from the status, which were not tried.
    pub taken: usize,
    /// Those that need no proof.
    pub trivial: usize,
    /// Those that the status does not have for this machine, which were tried as well.
    pub unlisted: usize,
    /// How many of these are open.
    pub unlisted_open: usize,
    /// Of those that were tried, how many the status has as proved for another text.
    pub stale: usize,
    /// Of those that were tried, how many the status has as reviewed only.
    pub reviewed: usize,
}

impl OfStatus {
    /// `16 open in Rodin: 14 discharged, 1 refuted by a reachable state, 1 open`.
    pub fn in_words(&self) -> String {
        let parts = [
            (self.discharged, "discharged"),
            (self.refuted, "refuted by a reachable state"),
            (self.open, "open"),
        ];
        let words: Vec<String> =
            parts.into_iter().filter(|p| p.0 > 0).map(|(n, word)| format!("{n} {word}")).collect();
        match self.total {
            0 => format!("nothing is open in {}", self.left_open_by),
            n => format!("{n} open in {}: {}", self.left_open_by, words.join(", ")),
        }
    }

    /// `58 taken from Rodin, 67 trivial; not taken: 2 only reviewed (--trust-reviewed)`, on a line of its own.
    pub fn taken_text(&self) -> String {
        let words = |parts: &[(usize, &str)]| {
            let parts = parts.iter().filter(|part| part.0 > 0);
            parts.map(|(n, word)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")
        };
        let by = format!("taken from {}", self.left_open_by);
        let mut parts = vec![words(&[(self.taken, &by), (self.trivial, "trivial")])];
        let open = self.unlisted_open;
        let others = words(&[(self.unlisted - open, "discharged"), (open, "open")]);
        if !others.is_empty() {
            parts.push(format!("{} that it does not have: {others}", self.unlisted));
        }
        let not_taken =
            [(self.stale, "proved for another text"), (self.reviewed, "only reviewed (--trust-reviewed)")];
        if not_taken.iter().any(|part| part.0 > 0) {
            parts.push(format!("not taken: {}", words(&not_taken)));
        }
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() { String::new() } else { format!("  {}\n", parts.join("; ")) }
    }

    /// Those that the machine has no obligation of, for people.
    pub fn unknown_text(&self, paint: Paint) -> String {
        let line = |name: &String| {
            format!("  {}  {name}: the machine has no obligation of this name\n", paint.doubt("open"))
        };
        self.unknown.iter().map(line).collect()
    }
}
