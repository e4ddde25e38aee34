//! The rounds of a search: one literal after the other binds or refutes; a complete binding is judged as written.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::ControlFlow;

use bsym_language::model::{CompareOp, Expr, ExprKind, Pred, PredKind};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;

use crate::constraint::finite_domain::CellSearch;
use crate::constraint::search::{Binding, Flow, GO, Generator, Literal, Probing, Remembered, Report, Search};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::Evaluator;
use crate::evaluator::cuts::Part;
use crate::evaluator::free_names::{names_of_pred, reads_unassigned};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};

impl<'m> Evaluator<'m> {
    /// Reports every binding of the unknowns under which all literals hold, each once, and every
    /// binding under which one is ill-defined.
    ///
    /// # Errors
    /// An unknown is not confined to a set that can be enumerated, or a literal cannot be decided.
    pub(crate) fn solve(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        self.solve_with(env, unknowns, literals, at, Probing::No, report).0
    }

    /// Solves as [`Evaluator::solve`], except where an unknown is not confined: solutions among a few values are
    /// reported before the error, or, where choices may be cut, those in bounds instead of it.
    pub(crate) fn solve_some(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        let probing = if self.choosing.cuts.is_some() { Probing::Bounded } else { Probing::Some };
        self.solve_with(env, unknowns, literals, at, probing, report).0
    }

    /// Solves as [`Evaluator::solve`], except where an unknown is not confined and `probe` is set: then it looks for a
    /// witness among the integers nearest to the bounds. Also returns whether every candidate that could not be judged
    /// has a truth value, whatever the partial values that it needs become.
    pub(crate) fn solve_for_witness(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literal: (bool, &Pred),
        at: Span,
        probe: bool,
        report: Report<'_>,
    ) -> (Flow, bool) {
        let probing = if probe { Probing::Witness } else { Probing::No };
        self.solve_with(env, unknowns, &[literal], at, probing, report)
    }

    fn solve_with(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        probe: Probing,
        report: Report<'_>,
    ) -> (Flow, bool) {
        if let Some(flow) = self.solve_by_type(env, unknowns, literals, at, report) {
            return (flow, false);
        }
        let mut flat = Vec::new();
        for (positive, pred) in literals {
            cut_into_literals(*positive, pred, &mut flat);
        }
        let memberships: Vec<_> =
            flat.iter().map(|(positive, pred)| named_elements(*positive, pred)).collect();
        let literals = flat.into_iter().zip(&memberships).flat_map(|(whole, parts)| match parts {
            Some(parts) => parts.iter().map(|part| (true, part)).collect(),
            None => vec![whole],
        });
        let literals = literals
            .map(|(positive, pred)| {
                let free = names_of_pred(pred);
                let needs = (0..unknowns.len()).filter(|i| free.contains(&unknowns[*i])).collect();
                let reads_unassigned = reads_unassigned(env, unknowns, &free);
                let (total, universal) = (OnceCell::new(), OnceCell::new());
                let refused = RefCell::default();
                Literal { positive, pred, needs, reads_unassigned, total, refused, universal }
            })
            .collect::<Vec<_>>();
        let settled = vec![false; literals.len()];
        let search = Search {
            eval: self,
            env,
            unknowns,
            literals,
            at,
            candidates: Cell::new(0),
            probe,
            undecided: RefCell::new(None),
            cuts: RefCell::default(),
            incomplete: RefCell::new(None),
            refused: Cell::new(false),
            undecided_total: Cell::new(true),
            waiting: RefCell::default(),
            awaits: Cell::default(),
            remembered: Remembered::default(),
        };
        let done = search.round(&mut vec![None; unknowns.len()], settled, &mut |bound, truth| {
            report(bound, truth).inspect_err(|_| search.refused.set(true))
        });
        let total = search.undecided_total.get();
        let awaits = search.awaits.get();
        match (done, search.undecided.into_inner().or(search.incomplete.into_inner())) {
            (Ok(ControlFlow::Continue(())), Some(e)) => (Err(e), total),
            // A search that is too large may be smaller once more is decided.
            (Err(e), _) if e.kind == EvalErrorKind::TooLarge => {
                (Err(EvalError { awaits: e.awaits.or(awaits), ..e }), total)
            }
            (done, _) => (done, total),
        }
    }
}

impl Search<'_, '_> {
    fn round(&self, bound: &mut Binding, mut settled: Vec<bool>, report: Report<'_>) -> Flow {
        self.eval.proceed(self.at)?;
        let names = self.names(bound);
        let outer = self.env;
        let frame = outer.frame(&names);
        let env = outer.within(&frame);
        let complete = bound.iter().all(Option::is_some);
        // `true` while all literals before are settled or total.
        let mut usable = true;
        for i in 0..self.literals.len() {
            let literal = &self.literals[i];
            if settled[i] {
                continue;
            }
            let first = settled[..i].iter().all(|s| *s);
            if !usable {
                break;
            }
            let last = self.literals.len() - 1;
            let unbound = literal.needs.iter().any(|n| bound[*n].is_none());
            if !unbound {
                match self.holds(&env, literal) {
                    Ok(true) => {
                        settled[i] = true;
                        continue;
                    }
                    Ok(false) => return Ok(GO),
                    Err(e) if first && e.kind == EvalErrorKind::IllDefined => {
                        return report(&names, Err(e));
                    }
                    Err(e) if e.kind == EvalErrorKind::Interrupted => return Err(e),
                    Err(e) => self.note(e.awaits),
                }
            }
            usable = i == last || self.is_total(&env, i);
        }
        if complete {
            return self.judge(&env, &names, &settled, report);
        }
        if let Some(e) = self.ill_defined(&env, &settled) {
            return report(&names, Err(e));
        }
        self.cuts.take();
        let generator = self.generator(&env, bound, &settled);
        let cuts = self.cuts.take();
        let is_sampled = cuts.iter().any(|(_, part)| matches!(part, Part::Sample(_)));
        let few = match &generator {
            // Where parts are built up, other literals constrain them.
            Ok(_) if is_sampled => false,
            Ok(Generator::Nothing) => true,
            Ok(Generator::Values(_, values)) => values.len() <= Tuning::DEFAULT.search.alternatives,
            Ok(Generator::Projected(..)) => true,
            Ok(Generator::Range(i, Value::Set(s))) => {
                let structured = matches!(self.eval.type_of(self.unknowns[*i]), Some(Type::Pow(_)));
                s.len() <= if structured { Tuning::DEFAULT.search.alternatives } else { 1 }
            }
            Ok(Generator::Elements(pattern, Value::Set(s))) => {
                s.len() <= if matches!(pattern.ty, Type::Pow(_)) { Tuning::DEFAULT.search.few } else { 1 }
            }
            Ok(_) => false,
            Err(e) => e.kind != EvalErrorKind::TooLarge,
        };
        if !few && let CellSearch::Done(flow) = self.over_cells(&env, bound, &settled, report) {
            return flow;
        }
        let generator = generator?;
        cuts.into_iter().for_each(|(name, part)| self.eval.note(name, part));
        let (pattern, index, set) = match generator {
            Generator::Nothing => return Ok(GO),
            Generator::Values(pattern, values) => {
                for v in values {
                    let flow = self.each_way(&env, pattern, &v, bound.clone(), &mut |mut next| {
                        self.candidate(&mut next, &settled, report)
                    })?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
                return Ok(GO);
            }
            Generator::Elements(pattern, set) => (Some(pattern), 0, set),
            Generator::Range(index, set) => (None, index, set),
            Generator::Projected(index, set, literal) => {
                settled[literal] = true;
                (None, index, set)
            }
            Generator::Probe(index, set) => {
                let eval = self.eval;
                let flow = eval.each(&set, self.at, &mut |v| {
                    let mut next = bound.clone();
                    next[index] = Some(v);
                    self.candidate(&mut next, &settled, report)
                })?;
                if flow.is_break() {
                    return Ok(flow);
                }
                return Err(self.unconfined(index));
            }
        };
        // If elements may be visited twice they are listed first, unless only a part of them is looked at.
        let most = self.most_candidates();
        let few =
            most >= self.eval.candidates || self.eval.cardinality(&set, self.at)?.within(most).is_some();
        let listed = if few { self.eval.try_list(&set, self.at)? } else { None };
        let set = listed.map_or(set, Value::Set);
        let eval = self.eval;
        eval.each(&set, self.at, &mut |v| {
            let mut next = bound.clone();
            if let Some(pattern) = pattern {
                return self.each_way(&env, pattern, &v, next, &mut |mut next| {
                    self.candidate(&mut next, &settled, report)
                });
            }
            next[index] = Some(v);
            self.candidate(&mut next, &settled, report)
        })
    }

    /// Returns the error of an operand of the first open literal that is ill-defined whatever the unknowns are: so is
    /// every instance.
    fn ill_defined(&self, env: &Env<'_>, settled: &[bool]) -> Option<EvalError> {
        let first = settled.iter().position(|s| !s)?;
        let PredKind::Compare(_, a, b) = &self.literals[first].pred.kind else { return None };
        [a, b]
            .into_iter()
            .filter(|e| self.eval.is_closed(env, e))
            .filter(|e| self.fixed(e).is_none())
            .find_map(|e| self.eval.eval(env, e).err().filter(|e| e.kind == EvalErrorKind::IllDefined))
    }

    /// Judges a complete binding by the literals that are not settled, from left to right.
    fn judge(&self, env: &Env<'_>, names: &[(Name, Value)], settled: &[bool], report: Report<'_>) -> Flow {
        let mut open = None;
        let mut is_total = true;
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            match self.holds(env, literal) {
                Ok(true) => {}
                // Behind an undecided literal that is total, a false one decides. Another one may turn out to be
                // ill-defined.
                Ok(false) if is_total => return Ok(GO),
                Ok(false) => break,
                Err(e) if e.kind == EvalErrorKind::IllDefined && open.is_none() => {
                    return report(names, Err(e));
                }
                Err(e) if e.kind == EvalErrorKind::Undecided => {
                    is_total = is_total && self.is_total(env, i);
                    self.undecided_total.set(self.undecided_total.get() && is_total);
                    open.get_or_insert(e);
                }
                Err(e) if e.kind == EvalErrorKind::IllDefined => {
                    is_total = false;
                    self.undecided_total.set(false);
                }
                Err(e) => return Err(e),
            }
        }
        match open {
            Some(e) => {
                self.undecided.borrow_mut().get_or_insert(e);
                Ok(GO)
            }
            None => report(names, Ok(())),
        }
    }

    pub(super) fn candidate(&self, next: &mut Binding, settled: &[bool], report: Report<'_>) -> Flow {
        self.count()?;
        let limit = self.most_candidates();
        match self.round(next, settled.to_vec(), report) {
            // If a part of the solutions is wanted, other candidates may lead to some.
            Err(e)
                if self.probe != Probing::No
                    && !self.refused.get()
                    && e.kind == EvalErrorKind::TooLarge
                    && self.candidates.get() <= limit =>
            {
                self.incomplete.borrow_mut().get_or_insert(e);
                Ok(GO)
            }
            flow => flow,
        }
    }
}

/// Splits `{x, y} <: S` into the memberships `x : S` and `y : S`, where the elements are names: each confines one of
/// them.
fn named_elements(positive: bool, pred: &Pred) -> Option<Vec<Pred>> {
    let PredKind::Compare(CompareOp::Subset, part, set) = &pred.kind else { return None };
    let ExprKind::SetExtension(elements) = &part.kind else { return None };
    let is_name = |e: &Expr| matches!(e.kind, ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Var(_));
    // A set that binders make is evaluated once for all elements.
    let is_plain = !matches!(set.kind, ExprKind::Comprehension(..) | ExprKind::Quantified(..));
    let member = |e: &Expr| Pred {
        kind: PredKind::Compare(CompareOp::Member, Box::new(e.clone()), set.clone()),
        span: pred.span,
    };
    (positive && is_plain && elements.iter().all(is_name)).then(|| elements.iter().map(member).collect())
}
