//! Axioms without a meaning: valuations that satisfy the axioms before one, and under which that one is ill-defined.
//!
//! The behaviour of a machine under such a valuation is undefined, so a proof about the others answers less than was
//! asked. A solver proposes the valuation, and the evaluator has the last word.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::concretize::read_state;
use bsym_encodings::session::{Answer, SolverError};
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::term::Terms;
use bsym_language::model::Model;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;
use bsym_semantics::value::text::value_text;

use crate::options::Job;
use crate::problem::{Open, Problem};
use crate::tuning::tuning;

/// The first axiom that has no meaning under a valuation that satisfies those before it, and the valuation, in words.
///
/// # Errors
/// If the solver fails.
pub fn ill_defined(problem: &Problem, job: &Job, open: &mut Open<'_>) -> Result<Option<String>, SolverError> {
    let written;
    let system = match problem.system.axioms.listed {
        None => &problem.system,
        // The valuations that are left say nothing about the others.
        Some(_) => {
            written = encode_with(Rc::default(), Arc::clone(&job.model), &job.scope, Representations::Stated);
            &written
        }
    };
    if system.axioms.defined.iter().all(|&defined| defined == Terms::TRUE) {
        return Ok(None);
    }
    let budget = job.budget.within(tuning().settle.axioms).per_query(tuning().settle.axiom);
    let mut session = open(system.terms.clone())?;
    for &t in &system.facts.background {
        session.assert(t)?;
    }
    for (i, &defined) in system.axioms.defined.iter().enumerate() {
        if defined != Terms::TRUE && budget.check().is_ok() {
            let asked = system.terms.not(defined);
            if let Answer::Sat(mut model) = session.check(&[asked], &budget)?
                && let Ok((scope, constants, _)) = read_state(system, &mut model, |t| t)
                && let Some(found) = confirmed(&job.model, &scope, &constants, i)
            {
                return Ok(Some(found));
            }
        }
        session.assert(system.axioms.whole[i])?;
    }
    Ok(None)
}

/// Explains why axiom `i` is ill-defined in a valuation, if the evaluator confirms it.
fn confirmed(model: &Model, scope: &Scope, constants: &[Value], i: usize) -> Option<String> {
    let eval = Evaluator::new(model, scope).with_limits(tuning().small_scopes.limits);
    let env = Env::new(constants, &[]);
    if !model.axioms[..i].iter().all(|axiom| eval.pred(&env, &axiom.pred) == Ok(true)) {
        return None;
    }
    let axiom = &model.axioms[i];
    let error = eval.pred(&env, &axiom.pred).err().filter(|e| e.kind == EvalErrorKind::IllDefined)?;
    let values: Vec<String> = model
        .constants
        .iter()
        .zip(constants)
        .map(|(c, value)| format!("{} = {}", c.name, value_text(model, scope, value)))
        .collect();
    let line = model.text.sources.position(axiom.span).line;
    let with = if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) };
    Some(format!("the property `{}` (line {line}) is ill-defined{with}: {}", axiom.text, error.message))
}
