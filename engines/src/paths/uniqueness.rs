//! Path uniqueness: the states of a path are pairwise different.
//!
//! A shortest path to a violation repeats no state, so that longer ones need not be looked at. The constraint is added
//! for the pairs only that a solver's model repeats (Eén & Sörensson, *Temporal induction by incremental SAT solving*,
//! 2003).

use bsym_encodings::session::{Model, SolverError, TermValue};
use bsym_encodings::term::Term;

use crate::problem::Problem;

/// The pairs of equal states among those after 0 to `depth` steps in a model; those with the earliest repetition come
/// first.
///
/// # Errors
/// If the solver fails.
pub fn repetitions(
    problem: &mut Problem,
    model: &mut Model<'_>,
    depth: usize,
) -> Result<impl Iterator<Item = (usize, usize)> + use<>, SolverError> {
    let mut states = vec![];
    for k in 0..=depth {
        states.push(state_values(problem, model, k)?);
    }
    let pairs = (0..=depth).flat_map(|j| (0..j).map(move |i| (i, j)));
    Ok(pairs.filter(move |&(i, j)| states[i] == states[j]))
}

/// Values of the variables' symbols in state k.
fn state_values(
    problem: &mut Problem,
    model: &mut Model<'_>,
    k: usize,
) -> Result<Vec<TermValue>, SolverError> {
    let symbols: Vec<Term> = problem.system.variables.current.iter().flat_map(|s| s.symbols()).collect();
    let mut values = vec![];
    for symbol in symbols {
        let here = problem.unrolling.state(symbol, k);
        values.push(model.value(here)?);
    }
    Ok(values)
}

/// Two states have different symbols. Weaker than different in B where a value has several
/// representations, so a step case that is unsatisfiable under it is one without it, too.
pub fn different(problem: &mut Problem, i: usize, j: usize) -> Term {
    let terms = problem.terms();
    let symbols: Vec<Term> = problem.system.variables.current.iter().flat_map(|s| s.symbols()).collect();
    let mut same = vec![];
    for symbol in symbols {
        let a = problem.unrolling.state(symbol, i);
        let b = problem.unrolling.state(symbol, j);
        same.push(terms.eq(a, b));
    }
    terms.not(terms.and(same))
}
