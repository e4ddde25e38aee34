//! Other provers: programs that get what Z3 leaves open, in first-order form.
//!
//! Each part of an obligation is a script of its own in a process of its own. A prover only proves: what it finds a model of may
//! have no model in B, since the first-order form is not complete.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::Lowered;
use bsym_encodings::session::{Dialect, RawAnswer, SolverError, find_solver, run_script, script, solver_version};
use bsym_encodings::term::Terms;

/// Longest message of a prover that is kept.
const MESSAGE: usize = 200;

/// A program that reads SMT-LIB and proves in first-order logic.
#[derive(Debug)]
pub struct OtherProver {
    path: PathBuf,
    name: OnceLock<String>,
}

impl OtherProver {
    /// The prover at `path`. It is not started before there is something to prove.
    pub fn new(path: &Path) -> Self {
        OtherProver { path: path.into(), name: OnceLock::new() }
    }

    /// Returns the provers that are installed: cvc5, or none.
    pub fn installed() -> Vec<OtherProver> {
        find_solver("cvc5").map(|path| OtherProver::new(&path)).into_iter().collect()
    }

    /// Returns name and version, or the path of a program that does not tell them.
    pub fn name(&self) -> &str {
        self.name.get_or_init(|| {
            let version = solver_version(&self.path, Dialect::Generic);
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
            let text = match script(terms, assertions, Dialect::Generic) {
                Ok(text) => text,
                // The prover is not to blame.
                Err(_) => return Ok(false),
            };
            if budget.check().is_err() || self.answer(&text, budget)? != RawAnswer::Unsat {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn answer(&self, text: &str, budget: &Budget) -> Result<RawAnswer, SolverError> {
        let mut more = vec!["--full-saturate-quant".to_string()];
        // The process ends by itself if this one is killed.
        more.extend(budget.query_time().map(|t| format!("--tlimit={}", t.as_millis() + 1000)));
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let answer = run_script(&self.path, Dialect::Generic, &more, text, budget);
        answer.map_err(|error| match error {
            SolverError::Refused(text) => SolverError::Refused(text.chars().take(MESSAGE).collect()),
            other => other,
        })
    }
}

/// What a failure of a prover says in the status of an obligation.
pub(super) fn failure(name: &str, error: &SolverError) -> String {
    format!("{name} failed: {error}")
}
