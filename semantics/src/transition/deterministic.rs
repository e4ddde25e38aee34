//! Deterministic substitutions: those with a single path, executed without the bookkeeping of several paths, because a
//! loop may have millions of rounds.

use bsym_language::int::Int;
use bsym_language::model::{Claim, Subst, SubstKind, Target};
use bsym_language::walk::parts;

use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::transition::execution::{End, Loop, Writes};
use crate::value::env::Env;

/// Returns whether a substitution has a single path and makes no choice.
pub fn is_deterministic(subst: &Subst) -> bool {
    match &subst.kind {
        SubstKind::BecomesIn(..)
        | SubstKind::BecomesSuch(..)
        | SubstKind::Choice(..)
        | SubstKind::Select { .. }
        | SubstKind::Any(..) => false,
        _ => parts(subst).into_iter().all(is_deterministic),
    }
}

/// Unwraps the value of an evaluation; the execution ends where it is ill-defined.
macro_rules! defined {
    ($evaluation:expr) => {
        match $evaluation {
            Ok(value) => value,
            Err(e) if e.kind == EvalErrorKind::IllDefined => return Ok(End::IllDefined(e)),
            Err(e) => return Err(e),
        }
    };
}

impl Evaluator<'_> {
    /// Executes a deterministic substitution. Adds its writes and returns how it ends.
    pub(crate) fn run_deterministic(
        &self,
        env: &Env<'_>,
        subst: &Subst,
        rounds: &mut usize,
        writes: &mut Writes,
    ) -> Eval<End> {
        let at = subst.span;
        match &subst.kind {
            SubstKind::Assign(assignments) => {
                for (target, e) in assignments {
                    writes.insert(*target, defined!(self.expr(env, e)));
                }
            }
            SubstKind::Pre(p, s) => {
                if !defined!(self.pred(env, p)) {
                    return Ok(End::Precondition(p.span));
                }
                return self.run_deterministic(env, s, rounds, writes);
            }
            SubstKind::Assert(claim, p, s) => {
                if !defined!(self.pred(env, p)) {
                    return Ok(match claim {
                        Claim::Assertion => End::Assert(p.span),
                        Claim::Refinement(id) => End::Refinement(*id),
                    });
                }
                return self.run_deterministic(env, s, rounds, writes);
            }
            SubstKind::If(branches, otherwise) => {
                for (p, s) in branches {
                    if defined!(self.pred(env, p)) {
                        return self.run_deterministic(env, s, rounds, writes);
                    }
                }
                return self.run_deterministic(env, otherwise, rounds, writes);
            }
            SubstKind::Let(defs, s) => {
                let bound = defined!(self.definitions(env, defs));
                let frame = env.frame(&bound);
                return self.run_deterministic(&env.within(&frame), s, rounds, writes);
            }
            SubstKind::Var(locals, s) => {
                let mut inner = Writes::new();
                let end = self.run_deterministic(env, s, rounds, &mut inner)?;
                inner.retain(|t, _| !matches!(t, Target::Local(l) if locals.contains(l)));
                writes.append(&mut inner);
                return Ok(end);
            }
            SubstKind::Parallel(parts) => {
                for part in parts {
                    let end = self.run_deterministic(env, part, rounds, writes)?;
                    if end != End::Done {
                        return Ok(end);
                    }
                }
            }
            SubstKind::Sequence(parts) => {
                let mut updates = env.updates().cloned().unwrap_or_default();
                let mut written = Writes::new();
                for part in parts {
                    let end = self.run_deterministic(&env.updated(&updates), part, rounds, &mut written)?;
                    carry(&mut written, &mut updates, writes);
                    if end != End::Done {
                        return Ok(end);
                    }
                }
            }
            SubstKind::While { condition, body, invariant, variant } => {
                return self.run_loop(env, &Loop { condition, body, invariant, variant, at }, rounds, writes);
            }
            SubstKind::Skip => {}
            _ => return Err(EvalError::unsupported(at, "there are several ways through this substitution")),
        }
        Ok(End::Done)
    }

    /// Executes a loop with a deterministic body.
    pub(crate) fn run_loop(
        &self,
        env: &Env<'_>,
        parts: &Loop<'_>,
        rounds: &mut usize,
        writes: &mut Writes,
    ) -> Eval<End> {
        let mut updates = env.updates().cloned().unwrap_or_default();
        let mut written = Writes::new();
        let mut before: Option<Int> = None;
        loop {
            self.count_round(rounds, parts.at)?;
            let here = env.updated(&updates).with_old(env);
            let (end, measure) = self.judge_round(&here, parts, before.as_ref())?;
            if let Some(end) = end {
                return Ok(end);
            }
            let end = self.run_deterministic(&env.updated(&updates), parts.body, rounds, &mut written)?;
            carry(&mut written, &mut updates, writes);
            if end != End::Done {
                return Ok(end);
            }
            before = measure;
        }
    }

    /// Counts a round of a loop.
    pub(crate) fn count_round(&self, rounds: &mut usize, at: bsym_language::source::Span) -> Eval<()> {
        self.proceed(at)?;
        *rounds += 1;
        let limit = self.limits.rounds;
        if *rounds > limit {
            return Err(EvalError::too_large(at, format!("the loop runs for more than {limit} rounds")));
        }
        Ok(())
    }

    /// Judges the state before a round of a loop. Returns how the loop ends here, if it does, and its variant.
    pub(crate) fn judge_round(
        &self,
        env: &Env<'_>,
        parts: &Loop<'_>,
        before: Option<&Int>,
    ) -> Eval<(Option<End>, Option<Int>)> {
        let Loop { condition, invariant, variant, .. } = parts;
        let judge = || -> Eval<(Option<End>, Option<Int>)> {
            if !self.pred(env, invariant)? {
                return Ok((Some(End::Assert(invariant.span)), None));
            }
            if !self.pred(env, condition)? {
                return Ok((Some(End::Done), None));
            }
            let measure = self.expr(env, variant)?;
            let measure = self.int(&measure, variant.span)?.clone();
            if measure.is_negative() || before.is_some_and(|b| measure >= *b) {
                return Ok((Some(End::Assert(variant.span)), None));
            }
            Ok((None, Some(measure)))
        };
        match judge() {
            Err(e) if e.kind == EvalErrorKind::IllDefined => Ok((Some(End::IllDefined(e)), None)),
            other => other,
        }
    }
}

/// Makes the writes of one substitution visible to the next ones.
fn carry(written: &mut Writes, updates: &mut Writes, writes: &mut Writes) {
    while let Some((target, value)) = written.pop_first() {
        updates.insert(target, value.clone());
        writes.insert(target, value);
    }
}
