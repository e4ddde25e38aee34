//! A model as a transition relation for other model checkers: a circuit, or Horn clauses.
//!
//! A step is one of the initialisation and the events, or fails, or is followed by a state that violates a property. Values
//! are represented as the assignments allow, as they are for the engines.

use std::rc::Rc;

use bsym_encodings::propositional::circuit::Relation;
use bsym_encodings::system::build::Representations;
use bsym_encodings::system::{Failure, FailureKind, Transition, Unsupported};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::Pred;

use crate::excluded::Excluded;
use crate::options::Job;
use crate::problem::Problem;

/// A model as a transition relation.
#[derive(Debug)]
pub struct Exported {
    /// The arena of its terms.
    pub terms: Rc<Terms>,
    /// The relation.
    pub relation: Relation,
}

/// Makes the relation of a job. With `claim`, these predicates are what it claims of every reachable state.
///
/// # Errors
/// The parts of the model that have no term.
pub fn export(job: &Job, claim: Option<&[Pred]>) -> Result<Exported, Vec<Unsupported>> {
    let job = Job { representations: Representations::Analysed, ..job.clone() };
    let mut problem = Problem::plain(&job, &Excluded::default());
    let claimed: Option<Vec<Term>> = match claim {
        None => None,
        Some(all) => {
            let mut terms = vec![];
            for p in all {
                let p = problem.system.predicate(p).map_err(|e| vec![e])?;
                terms.extend([p.holds, p.defined]);
            }
            Some(terms)
        }
    };
    if !problem.is_complete() || !problem.system.is_complete() {
        return Err(problem.system.left_out.parts.clone());
    }
    let terms = problem.terms();
    let state = state(&mut problem);
    let first = terms.symbol("first!", Terms::BOOL);
    let steps: Vec<Transition> =
        std::iter::once(&problem.system.initialisation).chain(&problem.system.events).cloned().collect();
    let mut alternatives = vec![];
    let mut failing = vec![];
    for (i, step) in steps.iter().enumerate() {
        let when = if i == 0 { first } else { terms.not(first) };
        let relation = step.relation.unwrap_or(Terms::FALSE);
        let relation = problem.unrolling.step(relation, 0);
        alternatives.push((terms.symbol(&format!("sel!{i}"), Terms::BOOL), terms.and([when, relation])));
        let counts = |f: &&Failure| job.well_definedness || f.kind != FailureKind::IllDefined;
        let fails = terms.or(step.failures.iter().filter(counts).map(|f| f.condition));
        let fails = problem.unrolling.step(fails, 0);
        if fails != Terms::FALSE {
            let selector = terms.symbol(&format!("fails!{i}"), Terms::BOOL);
            let same = state.iter().map(|&(before, after)| terms.eq(after, before));
            alternatives.push((selector, terms.and([when, fails].into_iter().chain(same))));
            failing.push(selector);
        }
    }
    let all_ok = terms.and(problem.targets.iter().map(|t| t.ok));
    let ok: Vec<Term> = problem.targets.iter().map(|t| t.ok).collect();
    let mut known: Vec<Term> = ok.into_iter().map(|ok| problem.unrolling.state(ok, 0)).collect();
    known.extend(problem.facts_in(0));
    let violated = terms.not(problem.unrolling.state(all_ok, 1));
    let claim = claimed.map(|all| problem.unrolling.state(terms.and(all), 0));
    let facts = problem.facts_in(1);
    let system = &problem.system;
    let axioms: Vec<Term> = system.about_constants().collect();
    let constants: Vec<Term> = system.constants.values.iter().flat_map(|c| c.symbols()).collect();
    let relation = Relation {
        constants,
        axioms,
        state,
        known,
        first,
        alternatives,
        facts,
        bad: terms.or(failing.into_iter().chain([violated])),
        claim,
    };
    Ok(Exported { terms, relation })
}

/// The symbols of the state before a step and after it.
fn state(problem: &mut Problem) -> Vec<(Term, Term)> {
    let current: Vec<Term> = problem.system.variables.current.iter().flat_map(|v| v.symbols()).collect();
    current
        .into_iter()
        .map(|symbol| (problem.unrolling.state(symbol, 0), problem.unrolling.state(symbol, 1)))
        .collect()
}
