//! The key of an answer: everything that it depends on besides the files that are read.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::programs;
use crate::arguments::{Command, VerifyArguments};
use crate::paint::Paint;

/// Members of a command that make no difference to an answer that is kept: limits that stop a run, which then has no such answer;
/// numbers of threads; and how the answer is shown, of which [`View`](view) says what matters.
const LEFT_OUT: [&str; 11] = [
    "limits",
    "each",
    "jobs",
    "threads",
    "is_counted",
    "batch",
    "output",
    "html",
    "cache",
    "watch",
    "baseline",
];

/// The key of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// A hash as a name of a file.
    pub name: String,
}

impl Key {
    /// Returns the key of a command about one machine whose settings are filled in; `None` if its answer is not kept.
    pub fn of(command: &Command) -> Option<Key> {
        let is_run = |a: &VerifyArguments| !a.cache.no_cache;
        let is_kept = match command {
            Command::Check(a) => is_run(&a.verify),
            Command::Bmc(a) | Command::Tree(a) | Command::Kind(a) | Command::Ic3(a) => is_run(a),
            // A search that is put aside does more than answer.
            Command::Mc(a) => is_run(&a.verify) && a.checkpoint.is_none() && a.resume.is_none(),
            Command::Ltl(a) => !a.cache.no_cache,
            Command::Refine(a) => !a.cache.no_cache,
            Command::Po(a) => !a.cache.no_cache && a.export.is_none(),
            _ => false,
        };
        let format = command.output();
        if !is_kept || format.jsonl {
            return None;
        }
        let mut asked = serde_json::to_value(command).ok()?;
        leave_out(&mut asked);
        let view = view(&format);
        let here = std::env::current_dir().ok()?;
        let all = serde_json::to_vec(&(asked, view, here, programs::all())).ok()?;
        let name = Sha256::digest(&all).iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Key { name })
    }
}

fn leave_out(asked: &mut Json) {
    if let Json::Object(members) = asked {
        members.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
        members.values_mut().for_each(leave_out);
    }
}

/// What the text of an answer depends on. All forms for programs are made from the same object.
fn view(format: &crate::arguments::OutputArguments) -> Option<(bool, bool, bool, bool)> {
    let (out, err) = (Paint::stdout(format.color).is_on(), Paint::stderr(format.color).is_on());
    (!format.is_for_programs()).then_some((format.verbose > 0, format.no_warnings, out, err))
}
