//! Other provers: programs that try in first-order form the obligations that Z3 leaves open.
//!
//! Each part of an obligation is a problem of its own in a process of its own. A prover only proves: a problem that it
//! finds a model of may have no model in B, since the first-order form is not complete.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::Lowered;
use bsym_encodings::session::{
    Dialect, RawAnswer, SolverError, find_solver, run_prover, run_script, script, solver_version, tptp,
};
use bsym_encodings::term::Terms;

use crate::tuning::tuning;

/// Kind of prover: its input language and arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// SMT-LIB, by instances of quantifiers.
    Cvc5,
    /// TPTP, by superposition.
    Vampire,
    /// TPTP, by superposition.
    E,
}

/// A program that proves in first-order logic.
#[derive(Debug)]
pub struct OtherProver {
    path: PathBuf,
    kind: Kind,
    name: OnceLock<String>,
}

impl OtherProver {
    /// Makes the prover at `path`: Vampire or E if the program's name says so, else one that takes the arguments of
    /// cvc5. It is started only when there is something to prove.
    pub fn new(path: &Path) -> Self {
        let program = path.file_stem().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
        let kind = match () {
            () if program.contains("vampire") => Kind::Vampire,
            () if program.contains("eprover") => Kind::E,
            () => Kind::Cvc5,
        };
        OtherProver { path: path.into(), kind, name: OnceLock::new() }
    }

    /// Returns the provers that are installed, in the order in which they are asked: Vampire, cvc5, E.
    pub fn installed() -> Vec<OtherProver> {
        let found = ["vampire", "cvc5", "eprover"].iter().filter_map(|name| find_solver(name));
        found.map(|path| OtherProver::new(&path)).collect()
    }

    /// Returns name and version, or the path of a program that does not print them.
    pub fn name(&self) -> &str {
        self.name.get_or_init(|| {
            let version = match self.kind {
                Kind::Cvc5 => solver_version(&self.path, Dialect::Generic),
                Kind::Vampire | Kind::E => first_line(&self.path),
            };
            version.unwrap_or_else(|| self.path.display().to_string())
        })
    }

    /// Returns whether all parts are proved within the budget.
    ///
    /// # Errors
    /// If the program cannot be started, ends without an answer, or prints something else.
    pub(super) fn proves(&self, parts: &[Lowered], budget: &Budget) -> Result<bool, SolverError> {
        for Lowered { terms, assertions, .. } in parts {
            if assertions.contains(&Terms::FALSE) {
                continue;
            }
            let text = match self.kind {
                Kind::Cvc5 => script(terms, assertions, Dialect::Generic),
                Kind::Vampire | Kind::E => tptp(terms, assertions),
            };
            // A problem that cannot be written is not the prover's fault.
            let Ok(text) = text else { return Ok(false) };
            if budget.check().is_err() || self.answer(text, budget)? != RawAnswer::Unsat {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs the prover. Its process ends by itself soon after the time is up, even if it is not killed.
    fn answer(&self, text: String, budget: &Budget) -> Result<RawAnswer, SolverError> {
        let time = budget.query_time().map(|t| t + tuning().obligations.elsewhere_grace);
        let (milliseconds, seconds) = (time.map(|t| t.as_millis()), time.map(|t| t.as_secs() + 1));
        let answer = match self.kind {
            Kind::Cvc5 => {
                let limit = milliseconds.map(|t| format!("--tlimit={t}"));
                let more: Vec<&str> = ["--full-saturate-quant"].into_iter().chain(limit.as_deref()).collect();
                run_script(&self.path, Dialect::Generic, &more, &text, budget)
            }
            Kind::Vampire => {
                let limit = format!("{}", seconds.unwrap_or(0));
                let arguments = [
                    "--mode",
                    "casc",
                    "--cores",
                    "1",
                    "--input_syntax",
                    "tptp",
                    "--proof",
                    "off",
                    "-t",
                    &limit,
                ];
                run_prover(&self.path, &arguments, text, budget)
            }
            Kind::E => {
                let limit = seconds.map(|t| format!("--cpu-limit={t}"));
                let arguments: Vec<&str> = ["--auto-schedule", "--silent", "--tptp3-format"]
                    .into_iter()
                    .chain(limit.as_deref())
                    .collect();
                run_prover(&self.path, &arguments, text, budget)
            }
        };
        answer.map_err(|error| match error {
            SolverError::Refused(text) => {
                SolverError::Refused(text.chars().take(tuning().obligations.message).collect())
            }
            other => other,
        })
    }
}

/// The first line that a program prints about its version, in small letters.
fn first_line(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
    let words: Vec<&str> = text.lines().next()?.split_whitespace().take(2).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Describes a prover's failure for the status of an obligation.
pub(super) fn failure(name: &str, error: &SolverError) -> String {
    format!("{name} failed: {error}")
}
