//! The answer of `po`: what the prover makes of the obligations of a machine.

use bsym_proofs::obligations::Obligations as Proved;
use bsym_status::file::{PoFile, Status};
use serde::{Serialize, Serializer};

use super::not_checked::{self, DroppedObject};
use crate::exit::Exit;
use crate::paint::Paint;

/// The obligations of a machine; as JSON their status as a file.
#[derive(Clone, Debug)]
pub struct Obligations {
    pub file: PoFile,
    /// How many there are of each status, without those of which there are none.
    pub counts: Vec<(Status, usize)>,
    /// Those that are not discharged: name and reason.
    pub open: Vec<(Status, String, Option<String>)>,
    pub stopped: bool,
    /// Where the status was written to.
    pub written: Option<String>,
    pub not_checked: Vec<DroppedObject>,
    pub seconds: f64,
}

const SHOWN: [Status; 5] =
    [Status::Discharged, Status::Trivial, Status::Refuted, Status::Unknown, Status::Unattempted];

impl Obligations {
    /// What the prover made of them.
    pub fn new(file: PoFile, proved: &Proved) -> Obligations {
        let counts = SHOWN.map(|status| (status, proved.count(status)));
        let open = proved.all.iter().filter(|p| !matches!(p.status, Status::Discharged | Status::Trivial));
        Obligations {
            file,
            counts: counts.into_iter().filter(|(_, n)| *n > 0).collect(),
            open: open.map(|p| (p.status, p.name.clone(), p.reason.clone())).collect(),
            stopped: proved.stopped.is_some(),
            written: None,
            not_checked: vec![],
            seconds: 0.0,
        }
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        if self.stopped { Exit::Unknown } else { Exit::Done }
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(s, n)| format!("{n} {}", s.word())).collect();
        let all: usize = self.counts.iter().map(|(_, n)| n).sum();
        let one = if all == 1 { "obligation" } else { "obligations" };
        let counts = if counts.is_empty() { "nothing to prove".into() } else { counts.join(", ") };
        let mut text = format!("{all} {one}: {counts}  [{:.2} s]\n", self.seconds);
        let mut refuted = false;
        for (status, name, reason) in &self.open {
            let word = match status {
                Status::Refuted => paint.bad("refuted"),
                _ => paint.doubt(&status.word()),
            };
            refuted |= *status == Status::Refuted;
            let reason = reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
            text.push_str(&format!("  {word}  {name}{reason}\n"));
        }
        if refuted {
            text.push_str(
                "\na refuted obligation does not follow from the invariant alone; its state may be unreachable:\n\
                 `bsym ic3` tells, and finds what the invariant lacks\n",
            );
        }
        if let Some(path) = &self.written {
            text.push_str(&format!("\nstatus written to {path}\n"));
        }
        text.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        text
    }
}

impl Serialize for Obligations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.file.serialize(serializer)
    }
}
