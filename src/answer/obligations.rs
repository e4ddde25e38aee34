//! The answer of `po`: what the prover makes of the obligations of a machine.

use bsym_language::model::Model;
use bsym_proofs::obligations::Obligations as Proved;
use bsym_status::file::{PoFile, Status};
use serde::{Serialize, Serializer};

use super::contradictory;
use super::left_out::{self, LeftOutObject};
use super::not_checked::{self, DroppedObject};
use super::of_status::OfStatus;
use super::open_obligation::Explanation;
use super::trace::counted;
use crate::exit::Exit;
use crate::paint::Paint;

/// The obligations of a machine; as JSON their status as a file.
#[derive(Clone, Debug)]
pub struct Obligations {
    pub file: PoFile,
    /// How many there are of each status, without those of which there are none.
    pub counts: Vec<(Status, usize)>,
    /// Those that are not discharged.
    pub open: Vec<OpenObligation>,
    /// Those that were proved in one form alone.
    pub unconfirmed: Vec<String>,
    /// Parts without obligations of their own.
    pub left_out: Vec<LeftOutObject>,
    /// Why they are open, where that was asked.
    pub explanations: Option<Vec<Explanation>>,
    /// What became of those that a proof status leaves open, where only these were asked.
    pub of_status: Option<OfStatus>,
    /// Why the prover ended early, if it did.
    pub stopped: Option<String>,
    /// Where the status was written to.
    pub written: Option<String>,
    pub not_checked: Vec<DroppedObject>,
    pub seconds: f64,
}

/// An obligation that is not discharged.
#[derive(Clone, Debug)]
pub struct OpenObligation {
    pub name: String,
    pub status: Status,
    /// What it says.
    pub goal: String,
    pub reason: Option<String>,
}

/// Returns the word for a status in text: one that is refuted is not provable from the invariant alone.
fn shown(status: Status) -> String {
    if status == Status::Refuted { "not provable".into() } else { status.word() }
}

/// Those that are left are open.
const SHOWN: [Status; 3] = [Status::Discharged, Status::Trivial, Status::Refuted];

impl Obligations {
    /// What the prover made of them.
    pub fn new(file: PoFile, proved: &Proved, model: &Model) -> Obligations {
        let counts = SHOWN.map(|status| (status, proved.count(status)));
        let open = proved.all.iter().filter(|p| !p.status.is_discharged());
        Obligations {
            file,
            counts: counts.into_iter().filter(|(_, n)| *n > 0).collect(),
            open: open
                .map(|p| OpenObligation {
                    name: p.name.clone(),
                    status: p.status,
                    goal: proved.goal_text(p, model),
                    reason: p.reason.clone(),
                })
                .collect(),
            unconfirmed: proved.unconfirmed().map(|p| p.name.clone()).collect(),
            left_out: LeftOutObject::all(proved, model),
            explanations: None,
            of_status: None,
            stopped: proved.stopped.as_ref().map(ToString::to_string),
            written: None,
            not_checked: vec![],
            seconds: 0.0,
        }
    }

    /// Returns `Done` where all obligations are discharged, not all of them by contradicting axioms or invariants, and nothing
    /// was left out, `Violated` where one is explained by a
    /// reachable state in which it fails, else `Unknown`.
    pub fn exit(&self) -> Exit {
        let all_looked_at = self.left_out.is_empty() && self.not_checked.is_empty();
        if self.explanations.iter().flatten().any(Explanation::is_reached) {
            return Exit::Violated;
        }
        let none_is_left = self.open.is_empty() && self.of_status.as_ref().is_none_or(|s| s.open == 0);
        let says_something = !self.file.contradictory.iter().any(contradictory::is_everything);
        match self.stopped.is_none() && none_is_left && all_looked_at && says_something {
            true => Exit::Done,
            false => Exit::Unknown,
        }
    }

    /// Returns whether more time would change nothing: each obligation is proved or has a counterexample.
    pub fn is_final(&self) -> bool {
        let is_decided = |o: &OpenObligation| match &self.explanations {
            None => o.status == Status::Refuted,
            Some(_) => self.is_reached(&o.name),
        };
        self.stopped.is_none() && self.open.iter().all(is_decided)
    }

    /// Whether an obligation is explained by a reachable state in which it fails.
    fn is_reached(&self, name: &str) -> bool {
        self.explanations.iter().flatten().any(|e| e.name == name && e.is_reached())
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut counts: Vec<String> = self.counts.iter().map(|(s, n)| format!("{n} {}", shown(*s))).collect();
        let unrefuted = self.open.iter().filter(|o| o.status != Status::Refuted);
        let (tried, untried): (Vec<_>, Vec<_>) = unrefuted.partition(|o| o.status != Status::Unattempted);
        let open = tried.len() + untried.len();
        match (tried.len(), untried.len()) {
            (0, 0) => {}
            (_, 0) => counts.push(format!("{open} open")),
            (_, n) => counts.push(format!("{open} open ({n} not tried)")),
        }
        let all = self.counts.iter().map(|(_, n)| n).sum::<usize>() + open;
        counts.extend(left_out::count(&self.left_out));
        let counts = match &self.stopped {
            Some(_) if counts.is_empty() => "none is decided".into(),
            None if counts.is_empty() => "nothing to prove".into(),
            _ => counts.join(", "),
        };
        let first = match &self.of_status {
            Some(of_status) => of_status.in_words(),
            None => format!("{}: {counts}", counted(all, "obligation")),
        };
        let mut text = format!("{first}  [{:.2} s]\n", self.seconds);
        text.extend(self.of_status.as_ref().map(OfStatus::taken_text));
        if !self.unconfirmed.is_empty() {
            let what = counted(self.unconfirmed.len(), "proof");
            text.push_str(&format!("  {what} in one form alone (`confirmed` in --json)\n"));
            if verbose {
                self.unconfirmed.iter().for_each(|name| text.push_str(&format!("    {name}\n")));
            }
        }
        if let Some(why) = &self.stopped {
            text.push_str(&format!("  stopped: {why}\n"));
        }
        let language = self.file.model.as_ref().and_then(|about| about.language);
        text.push_str(&contradictory::text(&self.file.contradictory, language, verbose, paint));
        let mut refuted = false;
        for OpenObligation { name, status, goal, reason } in &self.open {
            // With --open only what a trace leads to is called refuted.
            let looks_for_traces = self.of_status.is_some() && self.explanations.is_some();
            let is_refuted = *status == Status::Refuted && (!looks_for_traces || self.is_reached(name));
            let word = match status {
                _ if is_refuted && self.of_status.is_some() => paint.bad("refuted"),
                _ if is_refuted => paint.bad("not provable"),
                Status::Refuted => paint.doubt("open"),
                _ => paint.doubt(&status.word()),
            };
            refuted |= is_refuted;
            // That it does not follow is what the word says.
            let reason = reason.as_ref().filter(|_| !is_refuted);
            let reason = reason.map(|r| format!(": {r}")).unwrap_or_default();
            text.push_str(&format!("  {word}  {name}{reason}\n    goal: {goal}\n"));
        }
        text.extend(self.of_status.as_ref().map(|of_status| of_status.unknown_text(paint)));
        text.push_str(&left_out::text(&self.left_out, paint));
        for explanation in self.explanations.iter().flatten() {
            // Strings grow.
            let _ = explanation.write(&mut text, paint);
        }
        if refuted && self.explanations.is_none() {
            text.push_str(
                "\nan obligation that is not provable has a counterexample, whose state may be unreachable: --explain shows\n\
                 it and tells; `bsym ic3` finds what the invariant lacks\n",
            );
        }
        if let Some(path) = &self.written {
            text.push_str(&format!("\nstatus written to {path}\n"));
        }
        text.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        text
    }
}

/// The status, with what was asked for beside it.
#[derive(Serialize)]
struct Beside<'a> {
    #[serde(flatten)]
    file: &'a PoFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanations: Option<&'a [Explanation]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of_status: Option<&'a OfStatus>,
}

impl Serialize for Obligations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.explanations, &self.of_status) {
            (None, None) => self.file.serialize(serializer),
            (explanations, of_status) => {
                let (explanations, of_status) = (explanations.as_deref(), of_status.as_ref());
                Beside { file: &self.file, explanations, of_status }.serialize(serializer)
            }
        }
    }
}
