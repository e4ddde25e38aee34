//! Commands worth trying after `unknown`: the command line that was given, changed in one respect.
//!
//! Each is one that bsym takes (its own definition of the command line says so) and differs from what was run.

use bsym_semantics::trace::bounds::SmallBounds;
use bsym_semantics::verdict::ReasonCode;
use clap::{ArgAction, CommandFactory, Parser};

use super::Verification;
use crate::answer::scope::Size;
use crate::arguments::Arguments;
use crate::tuning::tuning;

/// A command and what it does otherwise.
pub struct Suggestion {
    /// As it is typed.
    pub command: String,
    /// What for.
    pub why: &'static str,
}

/// Tests for a reason of a run that might have found more: with more time, depth or memory, or elsewhere.
pub fn is_unfinished(code: ReasonCode) -> bool {
    use ReasonCode::*;
    matches!(
        code,
        Timeout | Interrupted | SolverUnknown | DepthLimit | StateLimit | Memory | Exhausted | Bounded
    )
}

/// The flags that ask for bounds of integers.
pub fn of_bounds(bounds: SmallBounds) -> Vec<String> {
    let maxint = ["--maxint".to_string(), bounds.maxint.to_string()];
    maxint.into_iter().chain(bounds.minint.map(|n| format!("--minint={n}"))).collect()
}

/// What is worth trying after this answer to the command line (without the program).
pub fn after(answer: &Verification, code: ReasonCode, line: &[String]) -> Vec<Suggestion> {
    let Some(ran) = line.first().map(String::as_str) else { return vec![] };
    if !["check", "bmc", "tree", "kind", "ic3", "mc", "ldd"].contains(&ran) {
        return vec![];
    }
    let open_sets = answer.question.scope.sets.iter().any(|(_, size)| matches!(size, Size::Open(_)));
    let longer = || {
        let seconds = (answer.stats.seconds * 4.0).ceil().max(10.0);
        (with(line, "--timeout", &format!("{seconds}s")), "more time")
    };
    // No other engine needs the depth that was reached.
    let free =
        if code == ReasonCode::DepthLimit { without(&without(line, "-k"), "--depth") } else { line.to_vec() };
    let all = || (translated(&free, "check"), "all engines in turn, and a search beside them");
    let diagrams = || (translated(line, "ldd"), "states as decision diagrams, in a finite scope");
    let symmetric = || {
        (
            with(&translated(line, "mc"), "--symmetry", "canonical"),
            "one of symmetric states, in a finite scope",
        )
    };
    let lemmas = || (translated(&free, "ic3"), "proves without a limit on the depth");
    let small = || (with(line, "--scope", "prob"), "small sets: says nothing about larger ones");
    let candidates = match (code, ran) {
        (ReasonCode::DepthLimit, "ic3") => vec![deeper(answer, line), longer(), all()],
        (ReasonCode::DepthLimit, _) => vec![lemmas(), deeper(answer, line), all()],
        (ReasonCode::Timeout | ReasonCode::Interrupted | ReasonCode::SolverUnknown, "check") if open_sets => {
            vec![longer(), small(), symmetric()]
        }
        (ReasonCode::Timeout | ReasonCode::Interrupted | ReasonCode::SolverUnknown, "check") => {
            vec![longer(), diagrams(), lemmas()]
        }
        (ReasonCode::Timeout | ReasonCode::Interrupted | ReasonCode::StateLimit, "mc") => {
            vec![all(), symmetric(), diagrams()]
        }
        (ReasonCode::Timeout | ReasonCode::Interrupted, _) => vec![all(), longer()],
        (ReasonCode::Memory, "mc") => vec![symmetric(), diagrams(), all()],
        (ReasonCode::Memory, "check") => vec![lemmas(), diagrams()],
        (ReasonCode::Bounded | ReasonCode::Memory | ReasonCode::StateLimit, _) => vec![all()],
        (ReasonCode::Exhausted, "kind") => vec![lemmas(), all()],
        (ReasonCode::Unsupported | ReasonCode::Incomplete, "check" | "mc") => vec![],
        (ReasonCode::Unsupported | ReasonCode::Incomplete | ReasonCode::Exhausted, _) if ran != "check" => {
            vec![all()]
        }
        _ => vec![],
    };
    let candidates = match answer.question.small_bounds.filter(|_| is_unfinished(code)) {
        Some(bounds) => {
            let mut words = without(&without(&free, "--maxint"), "--minint");
            words.extend(of_bounds(bounds));
            let small = (words, "small integers: what goes wrong where they end is near");
            let states = (translated(&free, "mc"), "each state of a finite scope, with small integers");
            [vec![small, states], candidates].concat()
        }
        None => candidates,
    };
    // Where the memory was used up before anything was looked at, no other command does with it.
    let candidates = match code {
        ReasonCode::Memory if answer.has_done_nothing() => {
            let used = answer.stats.memory.unwrap_or(0).max(tuning().listed.advised_memory).saturating_mul(4);
            let more = format!("{}M", used.div_ceil(1 << 20));
            vec![(with(line, "--memory", &more), "more memory")]
        }
        _ => candidates,
    };
    let mut found: Vec<Suggestion> = vec![];
    for (words, why) in candidates {
        let command = shown(&words);
        let is_new = words != line && found.iter().all(|f| f.command != command);
        if is_new
            && Arguments::try_parse_from(std::iter::once("bsym").chain(words.iter().map(String::as_str)))
                .is_ok()
        {
            found.push(Suggestion { command, why });
        }
    }
    found.truncate(tuning().listed.advice);
    found
}

fn deeper(answer: &Verification, line: &[String]) -> (Vec<String>, &'static str) {
    let depth = answer.extent.depth.unwrap_or(10).max(1) * 2;
    (with(&without(line, "-k"), "--depth", &depth.to_string()), "twice the depth")
}

/// The line with this value of a flag, in the place of another.
fn with(line: &[String], flag: &str, value: &str) -> Vec<String> {
    let mut words = without(line, flag);
    words.extend([flag.to_string(), value.to_string()]);
    words
}

/// The line without a flag and its value.
fn without(line: &[String], flag: &str) -> Vec<String> {
    let mut words = vec![];
    let mut rest = line.iter();
    while let Some(word) = rest.next() {
        if word == flag {
            rest.next();
        } else if !word.starts_with(&format!("{flag}=")) {
            words.push(word.clone());
        }
    }
    words
}

/// The line for another command: without the flags that it does not have, and without those of the form of the answer.
fn translated(line: &[String], command: &str) -> Vec<String> {
    let program = Arguments::command();
    let (Some(from), Some(to)) =
        (line.first().and_then(|c| program.find_subcommand(c)), program.find_subcommand(command))
    else {
        return line.to_vec();
    };
    let named = |of: &clap::Command, word: &str| {
        let word = word.split('=').next().unwrap_or(word);
        let found = of.get_arguments().find(|a| {
            let long = a.get_long().map(|l| format!("--{l}"));
            let short = a.get_short().map(|s| format!("-{s}"));
            [long, short].into_iter().flatten().any(|name| name == word)
        });
        found.map(|a| (a.is_hide_set(), matches!(a.get_action(), ArgAction::Set | ArgAction::Append)))
    };
    let mut words = vec![command.to_string()];
    let mut rest = line.iter().skip(1);
    while let Some(word) = rest.next() {
        if !word.starts_with('-') || word == "-" {
            words.push(word.clone());
            continue;
        }
        let value = match named(from, word) {
            Some((_, true)) if !word.contains('=') => rest.next(),
            _ => None,
        };
        if named(to, word).is_some_and(|(is_hidden, _)| !is_hidden) {
            words.push(word.clone());
            words.extend(value.cloned());
        }
    }
    words
}

/// As it is typed in a shell.
fn shown(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./=,:-+".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    std::iter::once("bsym".to_string()).chain(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(String::from).collect()
    }

    #[test]
    fn flags_of_another_command_are_left_out() {
        let line = words("mc a.mch --symmetry canonical --coverage --set c=1 --timeout=3s");
        assert_eq!(shown(&translated(&line, "check")), "bsym check a.mch --set c=1 --timeout=3s");
        assert_eq!(shown(&translated(&line, "mc")), shown(&line));
    }

    #[test]
    fn a_flag_is_given_once() {
        assert_eq!(
            shown(&with(&words("ic3 a.mch --timeout 3s"), "--timeout", "12s")),
            "bsym ic3 a.mch --timeout 12s"
        );
        assert_eq!(
            shown(&with(&words("ic3 a.mch --timeout=3s"), "--timeout", "12s")),
            "bsym ic3 a.mch --timeout 12s"
        );
    }

    #[test]
    fn what_a_shell_would_read_is_quoted() {
        let line = ["check", "a b.mch", "--conjunct", "x < 'y'"].map(String::from);
        assert_eq!(shown(&line), r"bsym check 'a b.mch' --conjunct 'x < '\''y'\'''");
    }
}
