//! Solving a predicate for unknowns by propagation.
//!
//! The predicate is cut into literals. Each round takes a literal that confines an unknown to few
//! candidates (`x = E`, `x : S`, `x |-> y : r`, bounds of an integer), binds it to each of them in turn
//! and drops what a literal refutes. A complete binding is judged by the literals from left to right, so
//! that the answer is that of the predicate as written.
//!
//! A literal may narrow the search only where every literal before it is known to hold or cannot be
//! ill-defined: otherwise dropping a candidate could hide an ill-defined instance.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::env::{Env, Name, all_bound_in, names_of_pred};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::growth::{Growing, depends_on_growing, growing};
use crate::intervals::{Narrowing, Range};
use crate::lazy_set::LazySet;
use crate::value::Value;

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// How many integers are tried for a witness where infinitely many come into question.
const PROBED: i64 = 512;

/// Sets with no more elements are enumerated, not built up.
const FEW: usize = 16;

/// Called with the unknowns in order and `Ok(())` for a solution, or an ill-defined instance; in the
/// latter case perhaps only some of the unknowns are bound.
pub(crate) type Report<'r> = &'r mut dyn FnMut(&[(Name, Value)], Eval<()>) -> Flow;

struct Literal<'p> {
    positive: bool,
    pred: &'p Pred,
    /// Unknowns that occur, by position.
    needs: Vec<usize>,
    /// Whether it cannot be ill-defined whatever the unknowns are.
    total: OnceCell<bool>,
}

struct Search<'s, 'm> {
    eval: &'s Evaluator<'m>,
    env: &'s Env<'s>,
    unknowns: &'s [Name],
    literals: Vec<Literal<'s>>,
    at: Span,
    candidates: Cell<usize>,
    /// Whether a part of an infinite set is worth looking through.
    probe: Probing,
    /// Why some candidate could not be judged: it asks for an undecided part of a growing set.
    undecided: RefCell<Option<EvalError>>,
    /// Whether an error is one of whoever the solutions are reported to.
    refused: Cell<bool>,
    /// Why candidates may be missing, where the search goes on all the same.
    incomplete: RefCell<Option<EvalError>>,
    /// Whether every such candidate has a truth value whatever the growing set becomes.
    undecided_total: Cell<bool>,
}

/// What to do with an unknown that nothing confines to a finite set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probing {
    /// Nothing.
    No,
    /// One solution is enough: look for it among the integers nearest to the bounds.
    Witness,
    /// Report the solutions among a few candidates, then say that there may be others.
    Some,
}

/// A way to bind one or more unknowns.
enum Source<'p> {
    /// The pattern equals a value, or a component of the images of a bound point.
    Values(&'p Expr, Vec<Value>),
    /// The pattern is an element of a set.
    Elements(&'p Expr, Value),
    /// One unknown is in a set.
    Range(usize, Value),
    /// One unknown is perhaps in this part of its values.
    Probe(usize, Value),
    /// One unknown is in a set whose elements are built up.
    Grow(usize, Growing),
    /// No candidate is left.
    Nothing,
}

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

    /// As [`Evaluator::solve`], but where an unknown is not confined, solutions among a few values are
    /// reported before the error.
    pub(crate) fn solve_some(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        self.solve_with(env, unknowns, literals, at, Probing::Some, report).0
    }

    /// Whether some binding of the locals gives the predicate the wanted truth.
    ///
    /// Every instance is looked at unless none can be ill-defined: a witness does not hide an ill-defined
    /// instance.
    pub(crate) fn exists(
        &self,
        env: &Env<'_>,
        locals: &[LocalId],
        literal: (bool, &Pred),
        at: Span,
    ) -> Eval<bool> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let total = self.is_total(env, literal.1);
        let mut witness = false;
        let probe = if total { Probing::Witness } else { Probing::No };
        let (done, undecided) = self.solve_with(env, &names, &[literal], at, probe, &mut |_, truth| {
            truth?;
            witness = true;
            Ok(if total { ControlFlow::Break(()) } else { GO })
        });
        match done {
            // A witness stays one whatever the undecided instances turn out to be, if they have a truth value.
            Err(e) if e.kind == EvalErrorKind::Undecided && witness && undecided => Ok(true),
            done => done.map(|_| witness),
        }
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
        let mut flat = Vec::new();
        for (positive, pred) in literals {
            flatten(*positive, pred, &mut flat);
        }
        let literals = flat
            .into_iter()
            .map(|(positive, pred)| {
                let free = names_of_pred(pred);
                let needs = (0..unknowns.len()).filter(|i| free.contains(&unknowns[*i])).collect();
                Literal { positive, pred, needs, total: OnceCell::new() }
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
            incomplete: RefCell::new(None),
            refused: Cell::new(false),
            undecided_total: Cell::new(true),
        };
        let done = search.round(&mut vec![None; unknowns.len()], settled, &mut |bound, truth| {
            report(bound, truth).inspect_err(|_| search.refused.set(true))
        });
        let total = search.undecided_total.get();
        match (done, search.undecided.into_inner().or(search.incomplete.into_inner())) {
            (Ok(ControlFlow::Continue(())), Some(e)) => (Err(e), total),
            (done, _) => (done, total),
        }
    }
}

/// Cuts a predicate, or its negation, into literals that all hold if it does; in the order of evaluation.
fn flatten<'p>(positive: bool, pred: &'p Pred, out: &mut Vec<(bool, &'p Pred)>) {
    match (&pred.kind, positive) {
        (PredKind::And(ps), true) | (PredKind::Or(ps), false) => {
            ps.iter().for_each(|p| flatten(positive, p, out));
        }
        (PredKind::Implies(a, b), false) => {
            flatten(true, a, out);
            flatten(false, b, out);
        }
        (PredKind::Not(p), _) => flatten(!positive, p, out),
        (PredKind::True, true) | (PredKind::False, false) => {}
        _ => out.push((positive, pred)),
    }
}

fn effective(op: CompareOp, positive: bool) -> CompareOp {
    if positive { op } else { op.negated() }
}

type Binding = Vec<Option<Value>>;

impl<'m> Search<'_, 'm> {
    fn names(&self, bound: &Binding) -> Vec<(Name, Value)> {
        self.unknowns.iter().zip(bound).filter_map(|(n, v)| Some((*n, v.clone()?))).collect()
    }

    fn holds(&self, env: &Env<'_>, literal: &Literal<'_>) -> Eval<bool> {
        Ok(self.eval.pred(env, literal.pred)? == literal.positive)
    }

    /// Whether a literal has a truth value wherever all literals before it hold.
    fn is_total(&self, env: &Env<'_>, literal: usize) -> bool {
        let this = &self.literals[literal];
        let total = |env: &Env<'_>| {
            let mut before = self.literals[..literal].iter().filter(|l| l.positive).map(|l| l.pred);
            self.eval.is_total_behind(env, &mut before, this.pred)
        };
        // What is total before anything is bound stays so.
        *this.total.get_or_init(|| total(self.env)) || total(env)
    }

    /// Whether every literal before this one holds or cannot be ill-defined.
    fn may_narrow(&self, env: &Env<'_>, settled: &[bool], literal: usize) -> bool {
        (0..literal).all(|i| settled[i] || self.is_total(env, i))
    }

    fn round(&self, bound: &mut Binding, mut settled: Vec<bool>, report: Report<'_>) -> Flow {
        self.eval.proceed(self.at)?;
        let names = self.names(bound);
        let outer = self.env;
        let frame = outer.frame(&names);
        let env = outer.within(&frame);
        let is_growing: Vec<bool> =
            bound.iter().map(|v| v.as_ref().is_some_and(|v| growing(v).is_some())).collect();
        let complete = bound.iter().all(Option::is_some) && !is_growing.contains(&true);
        // Up to which literal all before are settled or total.
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
                let partial = literal.needs.iter().any(|n| is_growing[*n]);
                match self.holds(&env, literal) {
                    Ok(true) => {
                        settled[i] = true;
                        continue;
                    }
                    Ok(false) => return Ok(GO),
                    Err(e) if first && !partial && e.kind == EvalErrorKind::IllDefined => {
                        return report(&names, Err(e));
                    }
                    Err(e) if e.kind == EvalErrorKind::Interrupted => return Err(e),
                    Err(_) => {}
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
        let source = self.source(&env, bound, &settled)?;
        let (pattern, index, set) = match source {
            Source::Nothing => return Ok(GO),
            Source::Values(pattern, values) => {
                for v in values {
                    let mut next = bound.clone();
                    if self.matches(&env, pattern, &v, &mut next)
                        && let ControlFlow::Break(()) = self.candidate(&mut next, &settled, report)?
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                return Ok(GO);
            }
            Source::Grow(index, growing) => {
                for grown in growing.next() {
                    let mut next = bound.clone();
                    next[index] = Some(match grown.finished() {
                        Some(set) => set,
                        None => LazySet::Growing(grown).into(),
                    });
                    if let ControlFlow::Break(()) = self.candidate(&mut next, &settled, report)? {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                return Ok(GO);
            }
            Source::Elements(pattern, set) => (Some(pattern), 0, set),
            Source::Range(index, set) => (None, index, set),
            Source::Probe(index, set) => {
                let eval = self.eval;
                let flow = eval.each(&set, self.at, &mut |v| {
                    let mut next = bound.clone();
                    next[index] = Some(v);
                    self.candidate(&mut next, &settled, report)
                })?;
                if flow.is_break() {
                    return Ok(flow);
                }
                return Err(self.unconfined(bound, index));
            }
        };
        // Where elements may be visited twice they are listed first.
        let set = match self.eval.try_list(&set, self.at)? {
            Some(listed) => Value::Set(listed),
            None => set,
        };
        let eval = self.eval;
        eval.each(&set, self.at, &mut |v| {
            let mut next = bound.clone();
            match pattern {
                Some(pattern) if !self.matches(&env, pattern, &v, &mut next) => return Ok(GO),
                Some(_) => {}
                None => next[index] = Some(v),
            }
            self.candidate(&mut next, &settled, report)
        })
    }

    /// An operand of the first open literal that is ill-defined whatever the unknowns are: so is every
    /// instance.
    fn ill_defined(&self, env: &Env<'_>, settled: &[bool]) -> Option<EvalError> {
        let first = settled.iter().position(|s| !s)?;
        let PredKind::Compare(_, a, b) = &self.literals[first].pred.kind else { return None };
        [a, b].into_iter().filter(|e| self.eval.is_closed(env, e)).find_map(|e| {
            self.eval.eval(env, e).err().filter(|e| e.kind == EvalErrorKind::IllDefined)
        })
    }

    /// Judges a complete binding by the literals that are not settled, from left to right.
    fn judge(&self, env: &Env<'_>, names: &[(Name, Value)], settled: &[bool], report: Report<'_>) -> Flow {
        let mut open = None;
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            match self.holds(env, literal) {
                Ok(true) => {}
                // Behind an undecided literal that is total, a false one decides.
                Ok(false) => return Ok(GO),
                Err(e) if e.kind == EvalErrorKind::IllDefined && open.is_none() => {
                    return report(names, Err(e));
                }
                Err(e) if e.kind == EvalErrorKind::Undecided => {
                    self.undecided_total.set(self.undecided_total.get() && self.is_total(env, i));
                    open.get_or_insert(e);
                }
                Err(e) if e.kind == EvalErrorKind::IllDefined => self.undecided_total.set(false),
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

    fn candidate(&self, next: &mut Binding, settled: &[bool], report: Report<'_>) -> Flow {
        self.candidates.set(self.candidates.get() + 1);
        if self.candidates.get() > self.eval.limits.listing {
            return Err(self.too_many());
        }
        let limit = self.eval.limits.listing;
        match self.round(next, settled.to_vec(), report) {
            // Where a part of the solutions is wanted, other candidates may lead to some.
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

    fn too_many(&self) -> EvalError {
        let message = format!("more than {} candidates for {}", self.eval.limits.listing, self.open_names());
        EvalError::too_large(self.at, message)
    }

    fn open_names(&self) -> String {
        let names: Vec<_> = self.unknowns.iter().map(|n| format!("`{}`", self.eval.name(*n))).collect();
        names.join(", ")
    }

    /// The source with the fewest candidates.
    fn source(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Source<'_>> {
        let limit = self.eval.limits.listing;
        let mut best: Option<(usize, Source<'_>)> = None;
        let mut ranges = vec![Range::default(); self.unknowns.len()];
        let mut confined: Vec<Option<Value>> = vec![None; self.unknowns.len()];
        let mut comparisons = Vec::new();
        for (i, literal) in self.literals.iter().enumerate() {
            if settled[i] {
                continue;
            }
            let literals = (literal.positive, literal.pred);
            let found = self.candidates_of(env, literals, bound, &mut ranges, &mut confined);
            // What depends on a set that is growing is no source yet.
            let found = found.filter(|source| match source {
                Source::Elements(_, set) | Source::Range(_, set) => !depends_on_growing(set),
                _ => true,
            });
            if let Some(source) = found {
                let size = self.size(&source, i, settled);
                if size <= 1 {
                    return self.grown(source, i, settled);
                }
                if best.as_ref().is_none_or(|(n, _)| size < *n) {
                    best = Some((size, self.grown(source, i, settled)?));
                }
            }
            if let PredKind::Compare(op, a, b) = &literal.pred.kind
                && a.ty == Type::Int
                && b.ty == Type::Int
                && self.is_total(env, i)
            {
                comparisons.push((effective(*op, literal.positive), &**a, &**b));
            }
            if !self.is_total(env, i) {
                break;
            }
        }
        let position = |e: &Expr| self.unknown(e, bound);
        let mut narrowing = Narrowing::new(self.eval, env, &position, ranges);
        if !narrowing.run(&comparisons) {
            return Ok(Source::Nothing);
        }
        let ranges = narrowing.ranges;
        let mut infinite = None;
        for (i, Range { low, high }) in ranges.into_iter().enumerate() {
            if bound[i].is_some() {
                continue;
            }
            let range = match (low.clone(), high.clone()) {
                (Some(low), Some(high)) => self.eval.interval(low, high),
                (Some(low), None) => LazySet::From(low).into(),
                _ => LazySet::Integers.into(),
            };
            let is_int = self.eval.type_of(self.unknowns[i]) == Some(&Type::Int);
            if self.probe != Probing::No && infinite.is_none() && is_int {
                infinite = Some(Source::Probe(i, self.probed(low.as_ref(), high.as_ref())));
            }
            if low.is_none() && (high.is_none() || !is_int) {
                continue;
            }
            let range = match &confined[i] {
                Some(set) => self.eval.binary(BinaryOp::Intersection, range, set.clone(), self.at)?,
                None => range,
            };
            if let Some(n) = self.eval.cardinality(&range, self.at)?.within(usize::MAX)
                && best.as_ref().is_none_or(|(m, _)| n < *m)
            {
                best = Some((n, Source::Range(i, range)));
            }
        }
        for (i, value) in bound.iter().enumerate() {
            if let Some(growing) = value.as_ref().and_then(growing)
                && best.as_ref().is_none_or(|(n, _)| growing.options() <= *n)
            {
                best = Some((growing.options(), Source::Grow(i, growing.clone())));
            }
        }
        if matches!(&best, Some((n, _)) if *n <= limit)
            && let Some((_, source)) = best
        {
            return Ok(source);
        }
        if let Some(source) = self.of_type(env, bound, settled)? {
            return Ok(source);
        }
        if let Some(source) = self.projected(env, bound, settled)? {
            return Ok(source);
        }
        if let Some(source) = self.recursive(env, bound, settled) {
            return Ok(source);
        }
        match best {
            Some((n, source)) if n < usize::MAX => {
                // Where every solution is wanted there is no use in looking at a part of them.
                if let Source::Elements(_, set) | Source::Range(_, set) = &source
                    && self.probe == Probing::No
                    && self
                        .eval
                        .cardinality(set, self.at)?
                        .exact()
                        .is_some_and(|n| *n > Int::from(limit as i64))
                {
                    return Err(self.too_many());
                }
                return Ok(source);
            }
            other => best = other,
        }
        if self.probe == Probing::Some
            && let Some(source) = self.part_of(env, bound, &confined)
        {
            return Ok(source);
        }
        match (infinite, best) {
            (Some(source), _) => Ok(source),
            (None, Some((_, Source::Elements(_, set) | Source::Range(_, set)))) => {
                Err(self.eval.not_listed(&set, self.at))
            }
            _ => {
                let open = bound.iter().position(Option::is_none).unwrap_or(0);
                Err(self.unconfined(bound, open))
            }
        }
    }

    /// `c = E` where E is a relation that needs c itself.
    fn recursive(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Option<Source<'_>> {
        self.literals.iter().enumerate().find_map(|(i, literal)| {
            let PredKind::Compare(CompareOp::Equal, a, b) = &literal.pred.kind else { return None };
            let ExprKind::Const(c) = a.kind else { return None };
            self.unknown(a, bound)?;
            let value = self.eval.recursive(env, c, b).filter(|_| literal.positive && !settled[i])?;
            self.may_narrow(env, settled, i).then(|| Source::Values(a, vec![value]))
        })
    }

    /// The candidates of a source, or the ways to decide the first point where sets are built up.
    fn size(&self, source: &Source<'_>, literal: usize, settled: &[bool]) -> usize {
        match source {
            Source::Values(_, values) => values.len(),
            Source::Elements(_, set) | Source::Range(_, set) | Source::Probe(_, set) => {
                let all = self.eval.cardinality(set, self.at).ok().and_then(|c| c.within(usize::MAX));
                match self.growable(source, literal, settled) {
                    Some(_) if all.is_none_or(|n| n > FEW) => {
                        self.eval.first_options(set, self.at).or(all).unwrap_or(usize::MAX)
                    }
                    _ => all.unwrap_or(usize::MAX),
                }
            }
            Source::Grow(_, growing) => growing.options(),
            Source::Nothing => 0,
        }
    }

    /// The unknown of which the elements of the source are the values, if it pays to build them up:
    /// another literal may refute a part.
    fn growable(&self, source: &Source<'_>, literal: usize, settled: &[bool]) -> Option<usize> {
        let index = match source {
            Source::Range(i, _) => *i,
            Source::Elements(pattern, _) => self.named(pattern)?,
            _ => return None,
        };
        (0..self.literals.len())
            .any(|i| i != literal && !settled[i] && self.literals[i].needs.contains(&index))
            .then_some(index)
    }

    fn grown<'p>(&self, source: Source<'p>, literal: usize, settled: &[bool]) -> Eval<Source<'p>> {
        let Some(index) = self.growable(&source, literal, settled) else { return Ok(source) };
        let (Source::Elements(_, set) | Source::Range(_, set)) = &source else { return Ok(source) };
        let all = self.eval.cardinality(set, self.at)?.within(FEW);
        if all.is_some() || self.eval.first_options(set, self.at).is_none() {
            return Ok(source);
        }
        Ok(match self.eval.shape(set, self.at)? {
            Some(shape) => Source::Grow(index, Growing::new(shape)),
            None => source,
        })
    }

    fn probed(&self, low: Option<&Int>, high: Option<&Int>) -> Value {
        let width = if self.probe == Probing::Witness { PROBED } else { FEW as i64 };
        let half = Int::from(width / 2);
        let (from, to) = match (low, high) {
            (Some(low), _) => (low.clone(), low + &Int::from(width)),
            (None, Some(high)) => (high - &Int::from(width), high.clone()),
            (None, None) => (-&half, half),
        };
        self.eval.interval(from, to)
    }

    /// The values of the type of an unknown, the smallest type first.
    fn of_type(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Option<Source<'_>>> {
        let _ = env;
        let mut best: Option<(usize, Source<'_>)> = None;
        for (i, name) in self.unknowns.iter().enumerate() {
            let Some(ty) = self.eval.type_of(*name).filter(|_| bound[i].is_none()) else { continue };
            let values = self.eval.type_values(ty);
            let source = Source::Range(i, values);
            let n = self.size(&source, usize::MAX, settled);
            if n <= self.eval.limits.listing && best.as_ref().is_none_or(|(m, _)| n < *m) {
                best = Some((n, source));
            }
        }
        best.map(|(_, source)| self.grown(source, usize::MAX, settled)).transpose()
    }

    /// A few elements of an infinite set that confines an unknown.
    fn part_of(&self, env: &Env<'_>, bound: &Binding, confined: &[Option<Value>]) -> Option<Source<'_>> {
        let _ = env;
        let of = |i: usize| {
            let set = match &confined[i] {
                Some(set) => set.clone(),
                None => self.eval.type_values(self.eval.type_of(self.unknowns[i])?),
            };
            self.eval.finite_part(&set, self.at)
        };
        let is_int = |i: usize| self.eval.type_of(self.unknowns[i]) == Some(&Type::Int);
        let open = || (0..bound.len()).filter(|i| bound[*i].is_none());
        let some = open()
            .filter(|i| !is_int(*i) && confined[*i].is_some())
            .chain(open().filter(|i| !is_int(*i)))
            .find_map(|i| Some((i, of(i)?)));
        // Integers have their own range.
        if open().any(is_int) {
            return None;
        }
        some.map(|(i, set)| Source::Probe(i, set))
    }

    fn unconfined(&self, bound: &Binding, index: usize) -> EvalError {
        let name = self.unknowns.get(index).map_or("?", |n| self.eval.name(*n));
        let _ = bound;
        let message = format!("nothing confines `{name}` to values that can be enumerated");
        EvalError::too_large(self.at, message)
    }

    /// `#y.(P)` confines the unknowns in P to a projection of the solutions of P.
    fn projected(&self, env: &Env<'_>, bound: &Binding, settled: &[bool]) -> Eval<Option<Source<'_>>> {
        for (i, literal) in self.literals.iter().enumerate() {
            let mut equations = Vec::new();
            let (locals, body) = match (&literal.pred.kind, literal.positive) {
                (PredKind::Exists(locals, body), true) | (PredKind::Forall(locals, body), false) => {
                    (locals.clone(), body)
                }
                (PredKind::Let(defs, body), _) => {
                    equations.extend(defs.iter().map(equation));
                    (defs.iter().map(|(l, _)| *l).collect(), body)
                }
                _ => continue,
            };
            if settled[i] || !self.may_narrow(env, settled, i) {
                continue;
            }
            let open: Vec<_> = literal.needs.iter().copied().filter(|n| bound[*n].is_none()).collect();
            let [unknown] = open[..] else { continue };
            let mut unknowns = vec![self.unknowns[unknown]];
            unknowns.extend(locals.iter().map(|l| Name::Local(*l)));
            let mut values = BTreeSet::new();
            let mut literals: Vec<_> = equations.iter().map(|e| (true, e)).collect();
            literals.push((literal.positive, body));
            let done = self.eval.solve(env, &unknowns, &literals, self.at, &mut |b, _| {
                // An ill-defined instance is a candidate too: the literal itself reports it.
                if let Some((name, v)) = b.first()
                    && *name == unknowns[0]
                {
                    values.insert(v.clone());
                }
                Ok(GO)
            });
            if done.is_ok() {
                return Ok(Some(Source::Range(unknown, Value::Set(Arc::new(values)))));
            }
        }
        Ok(None)
    }

    /// What a literal says about the candidates of unknowns, if it says so by its form.
    fn candidates_of<'p>(
        &self,
        env: &Env<'_>,
        (positive, pred): (bool, &'p Pred),
        bound: &Binding,
        ranges: &mut [Range],
        confined: &mut [Option<Value>],
    ) -> Option<Source<'p>> {
        let (op, a, b) = match (&pred.kind, positive) {
            (PredKind::Compare(op, a, b), _) => (effective(*op, positive), a, b),
            (PredKind::Or(ps), true) | (PredKind::And(ps), false) => {
                return self.union_of(env, ps.iter().map(|p| (positive, p)), bound);
            }
            (PredKind::Implies(p, q), true) => {
                return self.union_of(env, [(false, &**p), (true, &**q)].into_iter(), bound);
            }
            _ => return None,
        };
        let closed = |e: &Expr| self.closed_value(env, e);
        match op {
            CompareOp::Equal => {
                for (pattern, value) in [(a, b), (b, a)] {
                    if self.is_pattern(env, pattern, bound)
                        && let Some(v) = closed(value)
                    {
                        return Some(Source::Values(pattern, vec![self.eval.normal(v, self.at).ok()?]));
                    }
                }
                None
            }
            CompareOp::Member if self.is_pattern(env, a, bound) => {
                let set = closed(b)?;
                if depends_on_growing(&set) {
                    return None;
                }
                if let Some(i) = self.unknown(a, bound) {
                    confined[i] = Some(set.clone());
                    if let Value::Lazy(lazy) = &set {
                        match &**lazy {
                            LazySet::From(low) => {
                                ranges[i].narrow(&Range { low: Some(low.clone()), high: None });
                            }
                            LazySet::Interval(low, high) => {
                                let range = Range { low: Some(low.clone()), high: Some(high.clone()) };
                                ranges[i].narrow(&range);
                            }
                            _ => {}
                        }
                    }
                }
                if let ExprKind::Binary(BinaryOp::Maplet, x, y) = &a.kind
                    && let Some(x) = closed(x)
                    && let Ok(Some(images)) = self.eval.images(&set, &x, self.at)
                {
                    let distinct: BTreeSet<_> = images.into_iter().collect();
                    return Some(Source::Values(y, distinct.into_iter().collect()));
                }
                Some(Source::Elements(a, set))
            }
            CompareOp::Subset | CompareOp::StrictSubset => {
                let i = self.unknown(a, bound)?;
                let set = self.eval.normal(closed(b)?, self.at).ok()?;
                let all: Value = LazySet::Power(set).into();
                confined[i].get_or_insert(all.clone());
                Some(Source::Range(i, all))
            }
            _ => None,
        }
    }

    /// A disjunction of which every part confines the same unknown.
    fn union_of<'p>(
        &self,
        env: &Env<'_>,
        parts: impl Iterator<Item = (bool, &'p Pred)>,
        bound: &Binding,
    ) -> Option<Source<'p>> {
        let mut all: Option<(usize, BTreeSet<Value>)> = None;
        for (positive, part) in parts {
            if all_bound_in(env, part) && self.eval.pred(env, part).is_ok_and(|truth| truth != positive) {
                continue;
            }
            let mut literals = Vec::new();
            flatten(positive, part, &mut literals);
            let mut found = None;
            for (positive, literal) in literals {
                let mut ranges = vec![Range::default(); self.unknowns.len()];
                let mut confined = vec![None; self.unknowns.len()];
                let source = self.candidates_of(env, (positive, literal), bound, &mut ranges, &mut confined);
                found = source.and_then(|source| self.one_unknown(env, source, bound));
                if found.is_some() || !self.eval.is_total(env, literal) {
                    break;
                }
            }
            let (i, values) = found?;
            match &mut all {
                None => all = Some((i, values)),
                Some((j, known)) if *j == i => known.extend(values),
                Some(_) => return None,
            }
        }
        all.map(|(i, values)| Source::Range(i, Value::Set(Arc::new(values))))
    }

    fn one_unknown(
        &self,
        env: &Env<'_>,
        source: Source<'_>,
        bound: &Binding,
    ) -> Option<(usize, BTreeSet<Value>)> {
        let (pattern, values) = match source {
            Source::Range(i, set) | Source::Probe(i, set) => {
                return Some((i, (*self.eval.try_list(&set, self.at).ok()??).clone()));
            }
            Source::Values(pattern, values) => (pattern, values.into_iter().collect()),
            Source::Elements(pattern, set) => (pattern, (*self.eval.try_list(&set, self.at).ok()??).clone()),
            Source::Grow(..) | Source::Nothing => return None,
        };
        let mut found: Option<usize> = None;
        let mut matched = BTreeSet::new();
        for v in values {
            let mut next = bound.clone();
            if self.matches(env, pattern, &v, &mut next) {
                let mut fresh = (0..next.len()).filter(|i| bound[*i].is_none() && next[*i].is_some());
                let (Some(i), None) = (fresh.next(), fresh.next()) else { return None };
                if found.is_some_and(|f| f != i) {
                    return None;
                }
                found = Some(i);
                matched.extend(next[i].take());
            }
        }
        found.map(|i| (i, matched))
    }

    /// The position of the unbound unknown that the expression is.
    fn unknown(&self, e: &Expr, bound: &Binding) -> Option<usize> {
        self.named(e).filter(|i| bound[*i].is_none())
    }

    /// The position of the unknown that the expression is.
    fn named(&self, e: &Expr) -> Option<usize> {
        let name = match &e.kind {
            ExprKind::Local(l) => Name::Local(LocalId(l.0)),
            ExprKind::Const(c) => Name::Const(*c),
            ExprKind::Var(v) => Name::Var(*v),
            _ => return None,
        };
        self.unknowns.iter().position(|n| *n == name)
    }

    fn closed_value(&self, env: &Env<'_>, e: &Expr) -> Option<Value> {
        if !self.eval.is_closed(env, e) {
            return None;
        }
        self.eval.eval(env, e).ok()
    }

    /// Whether [`Search::matches`] can bind an unknown through the expression.
    fn is_pattern(&self, env: &Env<'_>, e: &Expr, bound: &Binding) -> bool {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Maplet, a, b) => {
                (self.is_pattern(env, a, bound)
                    && (self.is_pattern(env, b, bound) || self.eval.is_closed(env, b)))
                    || (self.is_pattern(env, b, bound) && self.eval.is_closed(env, a))
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                (self.is_pattern(env, a, bound) && self.closed_value(env, b).is_some())
                    || (self.is_pattern(env, b, bound) && self.closed_value(env, a).is_some())
            }
            ExprKind::Unary(UnaryOp::Negate, a) => self.is_pattern(env, a, bound),
            _ => self.unknown(e, bound).is_some(),
        }
    }

    /// Binds the unknowns of a pattern so that it equals the value. What it cannot decide it accepts:
    /// the literal itself is evaluated once its unknowns are bound.
    fn matches(&self, env: &Env<'_>, pattern: &Expr, value: &Value, bound: &mut Binding) -> bool {
        if let Some(i) = self.unknown(pattern, bound) {
            bound[i] = Some(value.clone());
            return true;
        }
        match (&pattern.kind, value) {
            (ExprKind::Binary(BinaryOp::Maplet, a, b), Value::Pair(p)) => {
                self.matches(env, a, &p.0, bound) && self.matches(env, b, &p.1, bound)
            }
            (ExprKind::Unary(UnaryOp::Negate, a), Value::Int(n)) => {
                self.matches(env, a, &Value::Int(-n), bound)
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b), Value::Int(n)) => {
                match (self.closed_value(env, a), self.closed_value(env, b)) {
                    (_, Some(Value::Int(c))) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { n + &c };
                        self.matches(env, a, &Value::Int(rest), bound)
                    }
                    (Some(Value::Int(c)), _) => {
                        let rest = if *op == BinaryOp::Add { n - &c } else { &c - n };
                        self.matches(env, b, &Value::Int(rest), bound)
                    }
                    _ => true,
                }
            }
            _ => match self.closed_value(env, pattern) {
                Some(v) => self.eval.equal(&v, value, self.at).unwrap_or(true),
                None => true,
            },
        }
    }
}

/// A definition of a `LET` as an equation.
fn equation((local, value): &(LocalId, Expr)) -> Pred {
    let name = Expr { kind: ExprKind::Local(*local), ty: value.ty.clone(), span: value.span };
    let kind = PredKind::Compare(CompareOp::Equal, Box::new(name), Box::new(value.clone()));
    Pred { kind, span: value.span }
}
