//! Choosing a solver by the name or path that the user gives, and naming those that can be reached.

use std::path::Path;

use anyhow::bail;
use bsym_encodings::encoding::Encoding;
use bsym_encodings::session::open::{SolverChoice, versions};
use bsym_encodings::session::process::{find_solver, solver_version};
use bsym_encodings::session::smtlib::Dialect;

use crate::arguments::EncodingName;
use crate::refusal::Refusal;

/// Returns the text that `--version` prints.
pub fn version() -> String {
    let mut text = format!("bsym {}\n", env!("CARGO_PKG_VERSION"));
    let solvers = versions();
    if solvers.is_empty() {
        text.push_str("no solver: none is linked, and neither z3 nor cvc5 is on the PATH\n");
    }
    for solver in solvers {
        text.push_str(&format!("solver: {solver}\n"));
    }
    text
}

/// Chooses the solver for a command that can run without: `None` if none is asked for and none can be reached.
///
/// # Errors
/// As [`choose`].
pub fn choose_if_any(asked: Option<&str>) -> anyhow::Result<Option<SolverChoice>> {
    if asked.is_none() { Ok(is_any().then_some(SolverChoice::Default)) } else { choose(asked).map(Some) }
}

/// Returns whether there is any solver. One that is linked suffices: no process is started to find more.
fn is_any() -> bool {
    cfg!(feature = "z3") || !versions().is_empty()
}

/// Name of the SAT solver that is built in.
pub const SAT: &str = "sat";

const SHORT: &str = "--solver sat is short for --encoding sat";

/// Chooses encoding and solver for unbounded terms from the flags of a symbolic engine. The encoding is `None` where
/// the flags name none; the solver is `None` where the user names none and none can be reached.
///
/// # Errors
/// As [`choose`], or the flags contradict each other.
pub fn choose_for_engines(
    name: Option<&str>,
    encoding: EncodingName,
) -> anyhow::Result<(Option<Encoding>, Option<SolverChoice>)> {
    if name != Some(SAT) {
        return Ok((encoding.asked(), choose_if_any(name)?));
    }
    if encoding == EncodingName::Unbounded {
        bail!(Refusal::new("--solver sat and --encoding unbounded contradict each other").help(SHORT));
    }
    Ok((Some(Encoding::Sat), choose_if_any(None)?))
}

/// Returns the error for a missing solver.
pub fn missing() -> anyhow::Error {
    Refusal::new("no solver: none is linked, and neither z3 nor cvc5 is on the PATH")
        .help("install z3 or cvc5, or name one with --solver PATH")
        .into()
}

/// Returns the solver that a flag names.
///
/// # Errors
/// There is no such program, or it does not answer as a solver.
pub fn choose(asked: Option<&str>) -> anyhow::Result<SolverChoice> {
    let known = || {
        let known = versions();
        if known.is_empty() {
            "no solver can be reached".into()
        } else {
            format!("known here: {}", known.join("; "))
        }
    };
    let Some(name) = asked else {
        if !is_any() {
            return Err(missing());
        }
        return Ok(SolverChoice::Default);
    };
    if name == SAT {
        bail!(Refusal::new("--solver: `sat` serves check, bmc, tree, kind and ic3").help(known()));
    }
    if name == "z3" && cfg!(feature = "z3") {
        return Ok(SolverChoice::Linked);
    }
    let is_path = name.contains(std::path::MAIN_SEPARATOR);
    let path = if is_path { Some(Path::new(name).to_path_buf()) } else { find_solver(name) };
    let Some(path) = path.filter(|p| p.exists()) else {
        bail!(Refusal::new(format!("--solver: there is no solver `{name}`")).help(known()));
    };
    if path.is_dir() {
        bail!(Refusal::new(format!("--solver: `{name}` is a folder")).help(known()));
    }
    let z3 = path.file_name().is_some_and(|n| n.to_string_lossy().contains("z3"));
    let dialect = if z3 { Dialect::Z3 } else { Dialect::Generic };
    if solver_version(&path, dialect).is_none() {
        bail!(Refusal::new(format!("--solver: `{name}` does not answer as an SMT-LIB solver")).help(known()));
    }
    Ok(SolverChoice::Process(path, dialect))
}
