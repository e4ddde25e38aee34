//! Solving a predicate for unknowns by propagation.
//!
//! The predicate is cut into literals. Each round takes a literal that confines an unknown to few
//! candidates (`x = E`, `x : S`, `x |-> y : r`, bounds of an integer), binds it to each of them in turn
//! and drops what a literal refutes. A complete binding is judged by the literals from left to right, so
//! that the answer is that of the predicate as written.
//!
//! A literal may narrow the search only where every literal before it is known to hold or cannot be
//! ill-defined: otherwise dropping a candidate could hide an ill-defined instance.

pub(crate) mod enclosure;
mod finite_domain;
pub(crate) mod interval;
pub(crate) mod solutions;

mod candidates;
mod definitions;
pub(crate) mod finite_part;
mod pattern;
mod set_bounds;
mod truncation;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Notation, Pred, PredKind, UnaryOp};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::cut_into_literals;

use crate::constraint::interval::{Narrowing, Range};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::cuts::Part;
use crate::evaluator::free_names::{all_bound_in, names_of_pred};
use crate::evaluator::stand_in::StandIns;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::lazy_set::{ClosureKind, LazySet};
use crate::value::partial::{CellId, awaited, depends_on_partial};

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// How many integers are tried for a witness where infinitely many come into question.
const PROBED: i64 = 512;

/// So often a literal is asked whether it is total under other values of the same unknowns.
const REFUSED: u32 = 8;

/// So few values that an equation or disjunction leaves are taken one after the other before all else.
const ALTERNATIVES: usize = 8;

/// Sets with no more elements are enumerated, not built up.
const FEW: usize = 16;

/// Most values that are listed as the domain of one cell.
const LISTED: usize = 1 << 12;

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
    /// How often it was not total, by the unknowns that were bound.
    refused: RefCell<HashMap<u64, u32>>,
    /// Whether it holds of all values of the type.
    universal: OnceCell<bool>,
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
    /// Why some candidate could not be judged: it asks for an undecided part of a partial value.
    undecided: RefCell<Option<EvalError>>,
    /// Whether an error is one of whoever the solutions are reported to.
    refused: Cell<bool>,
    /// What the source at hand cuts, to be noted if it is used.
    cuts: RefCell<Vec<(Name, Part)>>,
    /// Why candidates may be missing, where the search goes on all the same.
    incomplete: RefCell<Option<EvalError>>,
    /// Whether every such candidate has a truth value whatever the partial value becomes.
    undecided_total: Cell<bool>,
    /// Why a set that would confine an unknown has no elements to list: a search around this one has not
    /// settled it yet.
    waiting: RefCell<Option<EvalError>>,
    /// The first cell of a search around this one without which something here could not be evaluated.
    awaits: Cell<Option<CellId>>,
    /// Values of the parts that need no unknown, by their place in the formula.
    fixed: RefCell<HashMap<*const Expr, Value>>,
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
    /// Report the solutions among the candidates in bounds, and note that there may be others.
    Bounded,
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
    /// reported before the error; or those in bounds instead of it, where choices may be cut.
    pub(crate) fn solve_some(
        &self,
        env: &Env<'_>,
        unknowns: &[Name],
        literals: &[(bool, &Pred)],
        at: Span,
        report: Report<'_>,
    ) -> Flow {
        let probing = if self.cuts.is_some() { Probing::Bounded } else { Probing::Some };
        self.solve_with(env, unknowns, literals, at, probing, report).0
    }

    /// As [`Evaluator::solve`], but where an unknown is not confined and `probe` is set, a witness is looked for
    /// among the integers nearest to the bounds. Also whether every candidate that could not be judged has a truth
    /// value, whatever the partial values become that it asks for.
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
        let mut flat = Vec::new();
        for (positive, pred) in literals {
            cut_into_literals(*positive, pred, &mut flat);
        }
        let literals = flat
            .into_iter()
            .map(|(positive, pred)| {
                let free = names_of_pred(pred);
                let needs = (0..unknowns.len()).filter(|i| free.contains(&unknowns[*i])).collect();
                let (total, universal) = (OnceCell::new(), OnceCell::new());
                Literal { positive, pred, needs, total, refused: RefCell::default(), universal }
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
            fixed: RefCell::default(),
        };
        let done = search.round(&mut vec![None; unknowns.len()], settled, &mut |bound, truth| {
            report(bound, truth).inspect_err(|_| search.refused.set(true))
        });
        let total = search.undecided_total.get();
        let awaits = search.awaits.get();
        match (done, search.undecided.into_inner().or(search.incomplete.into_inner())) {
            (Ok(ControlFlow::Continue(())), Some(e)) => (Err(e), total),
            // What is too large may be less once more is decided.
            (Err(e), _) if e.kind == EvalErrorKind::TooLarge => {
                (Err(EvalError { awaits: e.awaits.or(awaits), ..e }), total)
            }
            (done, _) => (done, total),
        }
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

    /// Remembers the first cell of a search around this one that something here depends on.
    fn note(&self, cell: Option<CellId>) {
        self.awaits.set(self.awaits.get().or(cell));
    }

    /// The value, if there is one.
    fn known<T>(&self, evaluated: Eval<T>) -> Option<T> {
        evaluated.map_err(|e| self.note(e.awaits)).ok()
    }

    /// The value of an expression that needs no unknown, evaluated once in a search.
    fn fixed(&self, e: &Expr) -> Option<Value> {
        if !self.eval.is_closed(self.env, e) {
            return None;
        }
        if let Some(known) = self.fixed.borrow().get(&std::ptr::from_ref(e)) {
            return Some(known.clone());
        }
        let value = self.known(self.eval.eval(self.env, e))?;
        self.fixed.borrow_mut().insert(e, value.clone());
        Some(value)
    }

    fn holds(&self, env: &Env<'_>, literal: &Literal<'_>) -> Eval<bool> {
        match self.judged(env, literal) {
            Err(e) if self.eval.stand_ins == Some(StandIns::False) && e.kind == EvalErrorKind::IllDefined => {
                Ok(!literal.positive)
            }
            result => result,
        }
    }

    fn judged(&self, env: &Env<'_>, literal: &Literal<'_>) -> Eval<bool> {
        if let PredKind::Compare(op @ (CompareOp::Member | CompareOp::NotMember), x, set) = &literal.pred.kind
            && let Some(set) = self.fixed(set)
        {
            let x = self.eval.eval(env, x)?;
            let positive = (*op == CompareOp::Member) == literal.positive;
            return Ok(self.eval.member(&x, &set, literal.pred.span)? == positive);
        }
        Ok(self.eval.pred(env, literal.pred)? == literal.positive)
    }

    /// Whether a literal is `x : S` or `x <: S` with the set of all values of the type.
    fn is_universal(&self, literal: usize) -> bool {
        let this = &self.literals[literal];
        *this.universal.get_or_init(|| match &this.pred.kind {
            PredKind::Compare(CompareOp::Member | CompareOp::Subset, _, set) if this.positive => {
                self.fixed(set).is_some_and(|set| self.eval.is_universal(&set))
            }
            _ => false,
        })
    }

    /// Whether a literal has a truth value wherever all literals before it hold.
    fn is_total(&self, env: &Env<'_>, literal: usize) -> bool {
        let this = &self.literals[literal];
        let total = |env: &Env<'_>| {
            let mut before = self.literals[..literal].iter().filter(|l| l.positive).map(|l| l.pred);
            self.eval.is_total_behind(env, &mut before, this.pred)
        };
        // What is total before anything is bound stays so.
        if *this.total.get_or_init(|| total(self.env)) {
            return true;
        }
        // What was not total under several values of the same unknowns is not asked again.
        let bound = this.needs.iter().filter(|n| env.get(self.unknowns[**n]).is_some());
        let bound = bound.fold(0u64, |all, n| all | 1 << (n % 64));
        let refused = this.refused.borrow().get(&bound).copied().unwrap_or(0);
        if refused >= REFUSED {
            return false;
        }
        let is = total(env);
        if !is {
            this.refused.borrow_mut().insert(bound, refused + 1);
        }
        is
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
        let complete = bound.iter().all(Option::is_some);
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
            if self.eval.stand_ins == Some(StandIns::False) {
                return Ok(GO);
            }
            return report(&names, Err(e));
        }
        self.cuts.take();
        let source = self.source(&env, bound, &settled);
        let cuts = self.cuts.take();
        let few = match &source {
            Ok(Source::Nothing) => true,
            Ok(Source::Values(_, values)) => values.len() <= ALTERNATIVES,
            Ok(Source::Range(i, Value::Set(s))) => {
                let structured = matches!(self.eval.type_of(self.unknowns[*i]), Some(Type::Pow(_)));
                s.len() <= if structured { ALTERNATIVES } else { 1 }
            }
            Ok(Source::Elements(pattern, Value::Set(s))) => {
                s.len() <= if matches!(pattern.ty, Type::Pow(_)) { FEW } else { 1 }
            }
            Ok(_) => false,
            Err(e) => e.kind != EvalErrorKind::TooLarge,
        };
        if !few && let finite_domain::Outcome::Done(flow) = self.over_cells(&env, bound, &settled, report) {
            return flow;
        }
        let source = source?;
        cuts.into_iter().for_each(|(name, part)| self.eval.note(name, part));
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
                return Err(self.unconfined(index));
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
        [a, b]
            .into_iter()
            .filter(|e| self.eval.is_closed(env, e))
            .filter(|e| self.fixed(e).is_none())
            .find_map(|e| self.eval.eval(env, e).err().filter(|e| e.kind == EvalErrorKind::IllDefined))
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

    /// Counts a candidate.
    fn count(&self) -> Eval<()> {
        self.candidates.set(self.candidates.get() + 1);
        if self.candidates.get() > self.eval.candidates { Err(self.too_many()) } else { Ok(()) }
    }

    fn candidate(&self, next: &mut Binding, settled: &[bool], report: Report<'_>) -> Flow {
        self.count()?;
        let limit = self.eval.candidates;
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
        let message = format!("more than {} candidates for {}", self.eval.candidates, self.open_names());
        EvalError::too_large(self.at, message)
    }

    fn open_names(&self) -> String {
        let names: Vec<_> = self.unknowns.iter().map(|n| format!("`{}`", self.eval.name(*n))).collect();
        names.join(", ")
    }
}

/// A definition of a `LET` as an equation.
fn equation((local, value): &(LocalId, Expr)) -> Pred {
    let name = Expr { kind: ExprKind::Local(*local), ty: value.ty.clone(), span: value.span };
    let kind = PredKind::Compare(CompareOp::Equal, Box::new(name), Box::new(value.clone()));
    Pred { kind, span: value.span }
}
