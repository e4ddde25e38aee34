//! Solutions by definition: every combination of values of the unknowns' types is judged, without any narrowing.
//!
//! The search narrows before it judges. A solution that it reports is judged again by the predicate; one that it loses
//! is not. This listing is the oracle for lost solutions, because it uses nothing of the search.

use std::ops::ControlFlow;

use bsym_language::model::Pred;
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::constraint::search::{Flow, GO, Report};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};

impl Evaluator<'_> {
    /// Reports every binding of the unknowns under which all literals hold, and every one under which a literal is
    /// ill-defined while those before it hold. Returns `None` if the types have more values than [`Evaluator::plain`]
    /// lists.
    pub(super) fn solve_by_type(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Option<Flow> {
        let most = self.listed_by_type?;
        let mut product = 1usize;
        let mut columns: Vec<Vec<Value>> = vec![];
        for name in unknowns {
            let values = self.type_values(self.type_of(*name).filter(|ty| is_listed(ty))?);
            product = product.checked_mul(self.cardinality(&values, at).ok()?.within(most)?)?;
            if product > most {
                return None;
            }
            columns.push(self.try_list(&values, at).ok()??.iter().cloned().collect());
        }
        Some(self.judge_product(env, unknowns, &columns, literals, at, report))
    }

    fn judge_product(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        columns: &[Vec<Value>],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        let product: usize = columns.iter().map(Vec::len).product();
        let mut undecided = None;
        for number in 0..product {
            self.proceed(at)?;
            let mut rest = number;
            let mut bound: Vec<(Name, Value)> = vec![];
            for (name, column) in unknowns.iter().zip(columns).rev() {
                bound.push((*name, column[rest % column.len()].clone()));
                rest /= column.len();
            }
            bound.reverse();
            let frame = env.frame(&bound);
            let flow = match self.judge_literals(&env.within(&frame), literals) {
                Ok(true) => report(&bound, Ok(()))?,
                Ok(false) => GO,
                Err(e) if e.kind == EvalErrorKind::IllDefined => report(&bound, Err(e))?,
                Err(e) if e.kind == EvalErrorKind::Undecided => {
                    undecided.get_or_insert(e);
                    GO
                }
                Err(e) => return Err(e),
            };
            if flow.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        undecided.map_or(Ok(GO), Err)
    }

    /// Judges literals from left to right: a false one decides unless one before it is ill-defined.
    fn judge_literals(&self, env: &Env<'_>, literals: &[(bool, &Pred)]) -> Eval<bool> {
        let mut undecided: Option<EvalError> = None;
        for (positive, pred) in literals {
            match self.pred(env, pred) {
                Ok(truth) if truth == *positive => {}
                Ok(_) => return Ok(false),
                Err(e) if e.kind == EvalErrorKind::Undecided => {
                    undecided.get_or_insert(e);
                }
                Err(e) => return Err(undecided.unwrap_or(e)),
            }
        }
        undecided.map_or(Ok(true), Err)
    }
}

/// Returns whether all values of a type are listed as they are: no numbers, strings or trees.
fn is_listed(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Carrier(_) => true,
        Type::Pow(of) => is_listed(of),
        Type::Pair(a, b) => is_listed(a) && is_listed(b),
        Type::Record(fields) => fields.iter().all(|(_, ty)| is_listed(ty)),
        Type::Int | Type::Real | Type::String | Type::Free(..) | Type::Parameter(_) => false,
    }
}
