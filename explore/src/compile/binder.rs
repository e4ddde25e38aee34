//! Bound names: an order in which to find their values and to test the conjuncts about them.
//!
//! The conjuncts of the predicate supply values (`x = E`, `x : S`, `x |-> y : r`, bounds of integers) or
//! test them. A conjunct is used before its turn only if those left of it cannot be ill-defined, as in
//! the reference evaluator.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::model::{CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, QuantOp};
use bsym_language::walk::{Names, cut_into_literals};

use super::code::{Code, Fail, Found, R, Run};
use super::expression::maplet;
use super::relation as rel;
use super::set_value::{SetValue, build, build_relation};
use super::{C, Compiler};
use crate::compile::context::Context;
use crate::store::rep::Rep;
use crate::tuning::{Tuning, tuning};

const GO: R<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// A way to find all values of some names that satisfy a predicate, each once.
pub struct Plan<'m> {
    steps: Vec<Step<'m>>,
    /// `true` if no conjunct can be ill-defined.
    pub total: bool,
    /// `true` if the bindings come in the same order whatever words their values have.
    pub ordered: bool,
    /// The positions of the literals that are tested before the first name is bound.
    pub tested: Vec<usize>,
    /// The positions of literals without the names, each with nothing before it that can be ill-defined: if one is
    /// false, so is the predicate.
    pub leading: Vec<usize>,
    /// Approximate number of bindings to try.
    rounds: u64,
}

enum Step<'m> {
    Test(Run<'m, bool>),
    Value(usize, Run<'m, u32>),
    Each(usize, Arc<Rep>, Run<'m, SetValue>),
    Matching(Pattern<'m>, Arc<Rep>, Run<'m, SetValue>),
    Images(usize, Arc<Rep>, Run<'m, u32>, Run<'m, u32>),
    Between(usize, Vec<Run<'m, i64>>, Vec<Run<'m, i64>>),
}

/// A couple of names and values to match an element against.
enum Pattern<'m> {
    Bind(usize),
    Same(Run<'m, u32>),
    Pair(Box<Pattern<'m>>, Box<Pattern<'m>>, Arc<Rep>, Arc<Rep>, bool),
}

impl<'m> Pattern<'m> {
    fn matches(&self, ctx: &mut Context<'m>, word: u32) -> R<bool> {
        match self {
            Pattern::Bind(slot) => {
                ctx.slots[*slot] = word;
                Ok(true)
            }
            Pattern::Same(code) => Ok(code(ctx)? == word),
            Pattern::Pair(l, r, a, b, numbered) => {
                let (left, right) = ctx.store.unpair(a, b, *numbered, word);
                Ok(l.matches(ctx, left)? && r.matches(ctx, right)?)
            }
        }
    }
}

impl<'m> Plan<'m> {
    /// Returns whether one of the tests before the first binding is false.
    #[inline]
    pub fn is_refuted(&self, ctx: &mut Context<'m>) -> bool {
        for step in &self.steps {
            let Step::Test(test) = step else { return false };
            match test(ctx) {
                Ok(true) => {}
                Ok(false) => return true,
                Err(Fail) => return false,
            }
        }
        false
    }

    /// Calls a function for every binding, until it breaks.
    pub fn run(&self, ctx: &mut Context<'m>, found: Found<'_, 'm>) -> R<ControlFlow<()>> {
        run(&self.steps, ctx, found)
    }
}

fn run<'m>(steps: &[Step<'m>], ctx: &mut Context<'m>, found: Found<'_, 'm>) -> R<ControlFlow<()>> {
    let Some((step, rest)) = steps.split_first() else { return found(ctx) };
    match step {
        Step::Test(test) => {
            if ctx.is_stopped() {
                return Err(Fail);
            }
            if test(ctx)? { run(rest, ctx, found) } else { GO }
        }
        Step::Value(slot, value) => {
            ctx.slots[*slot] = value(ctx)?;
            run(rest, ctx, found)
        }
        Step::Each(slot, rep, set) => {
            let set = set(ctx)?;
            set.each(ctx, rep, &mut |ctx, w| {
                ctx.slots[*slot] = w;
                run(rest, ctx, found)
            })
        }
        Step::Matching(pattern, rep, set) => {
            let set = set(ctx)?;
            set.each(ctx, rep, &mut |ctx, w| {
                if pattern.matches(ctx, w)? { run(rest, ctx, found) } else { GO }
            })
        }
        Step::Images(slot, rep, relation, point) => {
            let (r, x) = (relation(ctx)?, point(ctx)?);
            for y in rel::images(&ctx.store, rep, r, x)? {
                ctx.slots[*slot] = y;
                if let ControlFlow::Break(()) = run(rest, ctx, found)? {
                    return Ok(ControlFlow::Break(()));
                }
            }
            GO
        }
        Step::Between(slot, lows, highs) => {
            let (mut low, mut high) = (i64::MIN, i64::MAX);
            for code in lows {
                low = low.max(code(ctx)?);
            }
            for code in highs {
                high = high.min(code(ctx)?);
            }
            if high.checked_sub(low).is_none_or(|n| n > Tuning::DEFAULT.compile.looped as i64) {
                return Err(Fail);
            }
            for n in low..=high {
                ctx.slots[*slot] = ctx.store.int(n);
                if let ControlFlow::Break(()) = run(rest, ctx, found)? {
                    return Ok(ControlFlow::Break(()));
                }
            }
            GO
        }
    }
}

struct Literal<'m, 'p> {
    positive: bool,
    pred: &'p Pred,
    needs: Vec<usize>,
    code: Option<Run<'m, bool>>,
    total: bool,
    settled: bool,
}

/// The state of planning.
struct Planning<'u> {
    unknowns: &'u [LocalId],
    slots: Vec<usize>,
    reps: Vec<Arc<Rep>>,
    bound: Vec<bool>,
}

impl Planning<'_> {
    fn is_bound(&self, names: &Names) -> bool {
        self.unknowns.iter().zip(&self.bound).all(|(l, bound)| *bound || !names.locals.contains(l))
    }

    /// The position of the open unknown that an expression is.
    fn open(&self, e: &Expr) -> Option<usize> {
        let ExprKind::Local(l) = &e.kind else { return None };
        self.unknowns.iter().position(|u| u == l).filter(|i| !self.bound[*i])
    }
}

/// A source of values: the unknowns that it binds, and the literal that it settles.
struct Source<'m> {
    step: Step<'m>,
    binds: Vec<usize>,
    settles: Option<usize>,
    cost: u64,
    ordered: bool,
}

impl<'m> Compiler<'_, 'm> {
    /// A plan for names that may be found more than once with the same values. If that is less work, the names of
    /// existential conjuncts are found with them.
    pub fn plan_opened(&mut self, unknowns: &[LocalId], p: &Pred) -> C<Plan<'m>> {
        let mut flat = Vec::new();
        cut_into_literals(true, p, &mut flat);
        let mut names = unknowns.to_vec();
        let mut opened = Vec::new();
        for (positive, pred) in flat {
            match (&pred.kind, positive) {
                (PredKind::Exists(ls, body), true) => {
                    names.extend_from_slice(ls);
                    opened.push((true, &**body));
                }
                _ => opened.push((positive, pred)),
            }
        }
        if names.len() > unknowns.len() {
            let rounds = |plan: &C<Plan<'m>>| plan.as_ref().map_or(u64::MAX, |plan| plan.rounds);
            let together = rounds(&self.plan(&names, &opened));
            if together < rounds(&self.plan(unknowns, &[(true, p)])) {
                return self.plan(&names, &opened);
            }
        }
        self.plan(unknowns, &[(true, p)])
    }

    /// A plan for the names under a conjunction of predicates, each to be true or false.
    pub fn plan(&mut self, unknowns: &[LocalId], preds: &[(bool, &Pred)]) -> C<Plan<'m>> {
        let slots: Vec<usize> = unknowns.iter().map(|l| self.bind(*l)).collect();
        self.weight += 20 * unknowns.len();
        let reps = unknowns.iter().map(|l| self.context.local(*l)).collect();
        let mut state = Planning { unknowns, slots, reps, bound: vec![false; unknowns.len()] };
        let mut flat = Vec::new();
        preds.iter().for_each(|(positive, p)| cut_into_literals(*positive, p, &mut flat));
        let mut literals = Vec::new();
        for (positive, pred) in flat {
            let names = Names::of_pred(pred);
            let needs = (0..unknowns.len()).filter(|i| names.locals.contains(&unknowns[*i])).collect();
            let code = self.pred(pred)?;
            let code = if positive { code } else { code.map(|_, b| Ok(!b)) };
            let settled = code.literal == Some(true);
            literals.push(Literal {
                positive,
                pred,
                needs,
                total: code.total,
                code: Some(code.run),
                settled,
            });
        }
        let total = literals.iter().all(|l| l.total);
        let mut steps = Vec::new();
        let (mut loops, mut rounds) = (0, 1u64);
        let mut ordered = true;
        let (mut leading, mut tested) = (Vec::new(), Vec::new());
        loop {
            let all_bound = state.bound.iter().all(|b| *b);
            let first = state.bound.iter().all(|b| !*b);
            let (mut usable, mut leads) = (true, first);
            for (at, l) in literals.iter_mut().enumerate() {
                if !l.settled && (usable || all_bound) && l.needs.iter().all(|i| state.bound[*i]) {
                    leading.extend(leads.then_some(at));
                    tested.extend(first.then_some(at));
                    steps.extend(l.code.take().map(Step::Test));
                    l.settled = true;
                }
                usable &= l.settled || l.total;
                leads &= l.total;
            }
            if all_bound {
                return Ok(Plan { steps, total, ordered, tested, leading, rounds });
            }
            let source = self.best_source(&state, &literals)?;
            if source.cost > 1 {
                loops += 1;
                rounds = rounds.saturating_mul(source.cost);
            }
            if rounds > tuning().compile.rounds && (loops > 2 || rounds > tuning().compile.rounds_of_two) {
                return Err("loops over all values of its names would be too long".into());
            }
            steps.push(source.step);
            ordered &= source.ordered;
            source.binds.iter().for_each(|i| state.bound[*i] = true);
            if let Some(i) = source.settles {
                literals[i].settled = true;
            }
        }
    }

    fn best_source(&mut self, state: &Planning<'_>, literals: &[Literal<'m, '_>]) -> C<Source<'m>> {
        let mut best: Option<Source<'m>> = None;
        let mut consider = |source: Option<Source<'m>>| {
            if let Some(source) = source
                && best.as_ref().is_none_or(|b| source.cost < b.cost)
            {
                best = Some(source);
            }
        };
        let n = state.unknowns.len();
        let mut bounds: Vec<(Vec<&Expr>, Vec<&Expr>, Vec<i64>)> = vec![Default::default(); n];
        for (i, l) in literals.iter().enumerate() {
            if l.settled {
                continue;
            }
            if let PredKind::Compare(op, a, b) = &l.pred.kind {
                let op = if l.positive { *op } else { op.negated() };
                consider(self.source_of(state, i, op, a, b)?);
                self.bounds_of(state, op, a, b, &mut bounds);
            }
            if !l.total {
                break;
            }
        }
        for (i, (lows, highs, _)) in bounds.into_iter().enumerate() {
            if lows.is_empty() || highs.is_empty() || *state.reps[i] != Rep::Int {
                continue;
            }
            let mut runs = (Vec::new(), Vec::new());
            let (mut low, mut high) = (None, None);
            for e in lows {
                let code = self.int(e)?;
                low = low.max(code.literal);
                runs.0.push(code.run);
            }
            for e in highs {
                let code = self.int(e)?;
                high = match (high, code.literal) {
                    (Some(h), Some(n)) => Some(std::cmp::min::<i64>(h, n)),
                    (h, n) => h.or(n),
                };
                runs.1.push(code.run);
            }
            let cost = match (low, high) {
                (Some(l), Some(h)) => u64::try_from(h.saturating_sub(l)).unwrap_or(0) + 1,
                _ => tuning().compile.unknown_range,
            };
            consider(Some(Source {
                step: Step::Between(state.slots[i], runs.0, runs.1),
                binds: vec![i],
                settles: None,
                cost,
                ordered: true,
            }));
        }
        for (i, rep) in state.reps.iter().enumerate().filter(|(i, _)| !state.bound[*i]) {
            let count = match **rep {
                Rep::Bits(_, n @ 0..=20) => Some(1u64 << n),
                _ => rep.count().map(u64::from),
            };
            consider(count.map(|n| Source {
                step: Step::Each(state.slots[i], rep.clone(), Box::new(|_| Ok(SetValue::All))),
                binds: vec![i],
                settles: None,
                cost: n + 1,
                ordered: true,
            }));
        }
        best.ok_or_else(|| "nothing confines a bound name".into())
    }

    fn source_of(
        &mut self,
        state: &Planning<'_>,
        literal: usize,
        op: CompareOp,
        a: &Expr,
        b: &Expr,
    ) -> C<Option<Source<'m>>> {
        let closed = |e: &Expr| state.is_bound(&Names::of_expr(e));
        let settles = Some(literal);
        match op {
            CompareOp::Equal => {
                for (x, e) in [(a, b), (b, a)] {
                    if let Some(i) = state.open(x)
                        && closed(e)
                    {
                        let step = Step::Value(state.slots[i], self.word(e)?.run);
                        return Ok(Some(Source { step, binds: vec![i], settles, cost: 0, ordered: true }));
                    }
                }
                Ok(None)
            }
            CompareOp::Member if closed(b) => {
                if let Some(i) = state.open(a) {
                    let set = self.set(b)?;
                    let rep = state.reps[i].clone();
                    let cost = self.cost(&rep, &set);
                    if cost > tuning().compile.looped {
                        return Ok(None);
                    }
                    let step = Step::Each(state.slots[i], rep, set.run);
                    let ordered = self.is_ordered(b);
                    return Ok(Some(Source { step, binds: vec![i], settles, cost, ordered }));
                }
                let Some((x, y)) = maplet(a) else { return Ok(None) };
                let relation = self.rep(b);
                if let Some(i) = state.open(y)
                    && closed(x)
                    && relation.sides().is_some()
                    && !matches!(b.kind, ExprKind::Binary(op, ..) if op == bsym_language::model::BinaryOp::Cartesian)
                {
                    let (r, x) = (self.word(b)?.run, self.word(x)?.run);
                    let step = Step::Images(state.slots[i], relation, r, x);
                    let ordered = state.reps[i].is_fixed();
                    return Ok(Some(Source { step, binds: vec![i], settles, cost: 3, ordered }));
                }
                let mut binds = Vec::new();
                let Some(pattern) = self.pattern(state, a, &mut binds)? else { return Ok(None) };
                let set = self.set(b)?;
                let element = self.rep(a);
                let cost = self.cost(&element, &set);
                if cost > tuning().compile.looped || binds.is_empty() {
                    return Ok(None);
                }
                let step = Step::Matching(pattern, element, set.run);
                let ordered = self.is_ordered(b);
                Ok(Some(Source { step, binds, settles, cost, ordered }))
            }
            CompareOp::Subset if closed(b) => {
                let Some(i) = state.open(a) else { return Ok(None) };
                let set = self.set(b)?;
                let rep = state.reps[i].clone();
                let Some(element) = rep.element() else { return Ok(None) };
                let cost = self.cost(&element, &set);
                if cost > tuning().compile.looped_subsets {
                    return Ok(None);
                }
                let power = set.map(|_, s| Ok(SetValue::Power(Arc::new(s), false)));
                let step = Step::Each(state.slots[i], rep, power.run);
                let ordered = self.is_ordered(b);
                Ok(Some(Source { step, binds: vec![i], settles, cost: 1 << cost, ordered }))
            }
            _ => Ok(None),
        }
    }

    /// A pattern for a couple of open unknowns and closed expressions; `None` if an unknown occurs twice.
    fn pattern(&mut self, state: &Planning<'_>, e: &Expr, binds: &mut Vec<usize>) -> C<Option<Pattern<'m>>> {
        if let Some(i) = state.open(e) {
            if binds.contains(&i) {
                return Ok(None);
            }
            binds.push(i);
            return Ok(Some(Pattern::Bind(state.slots[i])));
        }
        if state.is_bound(&Names::of_expr(e)) {
            // It is not evaluated if there is no element to match against it.
            let code = self.word(e)?;
            return Ok(code.total.then_some(Pattern::Same(code.run)));
        }
        let (Some((l, r)), Rep::Pair(a, b, numbered)) = (maplet(e), &*self.rep(e)) else { return Ok(None) };
        let Some(left) = self.pattern(state, l, binds)? else { return Ok(None) };
        let Some(right) = self.pattern(state, r, binds)? else { return Ok(None) };
        Ok(Some(Pattern::Pair(Box::new(left), Box::new(right), a.clone(), b.clone(), numbered.is_some())))
    }

    fn bounds_of<'p>(
        &mut self,
        state: &Planning<'_>,
        op: CompareOp,
        a: &'p Expr,
        b: &'p Expr,
        bounds: &mut [(Vec<&'p Expr>, Vec<&'p Expr>, Vec<i64>)],
    ) {
        let (small, large) = match op {
            CompareOp::Less | CompareOp::LessEqual => (a, b),
            CompareOp::Greater | CompareOp::GreaterEqual => (b, a),
            _ => return,
        };
        // A strict bound is taken as a loose one: the literal itself is tested afterwards.
        if let Some(i) = state.open(small)
            && state.is_bound(&Names::of_expr(large))
        {
            bounds[i].1.push(large);
        }
        if let Some(i) = state.open(large)
            && state.is_bound(&Names::of_expr(small))
        {
            bounds[i].0.push(small);
        }
    }

    /// Approximate number of elements of a set.
    fn cost(&self, element: &Rep, set: &Code<'m, SetValue>) -> u64 {
        let Some(set) = &set.literal else {
            let most = tuning().compile.unknown_set;
            return match element {
                Rep::Int => most,
                _ => element.count().map_or(most, |n| u64::from(n / 2 + 1).min(most)),
            };
        };
        self.literal_cost(element, set)
    }

    fn literal_cost(&self, element: &Rep, set: &SetValue) -> u64 {
        if let (SetValue::All, Rep::Bits(_, n)) = (set, element) {
            return 1u64.checked_shl(*n).unwrap_or(u64::MAX);
        }
        match set {
            SetValue::Product(s, t) => match element {
                Rep::Pair(a, b, _) => self.literal_cost(a, s).saturating_mul(self.literal_cost(b, t)),
                _ => u64::MAX,
            },
            SetValue::Power(s, _) => match element.element() {
                Some(e) => 1u64.checked_shl(self.literal_cost(&e, s).min(64) as u32).unwrap_or(u64::MAX),
                None => u64::MAX,
            },
            SetValue::Space(_, s, t) => match element.sides() {
                Some((a, b)) => {
                    let (n, m) = (self.literal_cost(&a, s), self.literal_cost(&b, t));
                    m.saturating_add(1).saturating_pow(n.min(64) as u32)
                }
                None => u64::MAX,
            },
            SetValue::Both(_, s, t) => {
                self.literal_cost(element, s).saturating_add(self.literal_cost(element, t))
            }
            _ => set.size(element, &self.context.store).ok().flatten().unwrap_or(u64::MAX),
        }
    }

    /// Compiles `#x.(P)`, or `#x.(not(P))`.
    pub(super) fn exists(&mut self, locals: &[LocalId], literal: (bool, &Pred)) -> C<Code<'m, bool>> {
        let plan = self.plan(locals, &[literal])?;
        Ok(Code::new(plan.total, move |ctx| {
            let mut witness = false;
            let total = plan.total;
            let _every = plan.run(ctx, &mut |_| {
                witness = true;
                Ok(if total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            Ok(witness)
        }))
    }

    /// Compiles `SIGMA` and `PI`.
    pub(super) fn aggregate(
        &mut self,
        op: QuantOp,
        locals: &[LocalId],
        p: &Pred,
        body: &Expr,
    ) -> C<Code<'m, i64>> {
        let plan = self.plan(locals, &[(true, p)])?;
        let body = self.int(body)?;
        let run = body.run;
        Ok(Code::new(plan.total && body.total, move |ctx| {
            let mut all = if op == QuantOp::Sigma { 0i64 } else { 1 };
            let _every = plan.run(ctx, &mut |ctx| {
                let n = run(ctx)?;
                let next = if op == QuantOp::Sigma { all.checked_add(n) } else { all.checked_mul(n) };
                all = next.ok_or(Fail)?;
                GO
            })?;
            Ok(all)
        }))
    }

    /// Compiles a comprehension, a lambda or an image of a binder, as a list.
    pub(super) fn comprehension(
        &mut self,
        e: &Expr,
        locals: &[LocalId],
        p: &Pred,
        body: Option<&Expr>,
        target: &Arc<Rep>,
    ) -> C<Code<'m, u32>> {
        let is_lambda = matches!(&e.kind, ExprKind::Quantified(QuantOp::Lambda, ..));
        let plan = self.plan(locals, &[(true, p)])?;
        let tuple = self.tuple(locals);
        let target = target.clone();
        let Some(body) = body else {
            return Ok(Code::new(plan.total, move |ctx| {
                let mut all = Vec::new();
                let _every = plan.run(ctx, &mut |ctx| {
                    all.push(tuple.word(ctx));
                    GO
                })?;
                build(&mut ctx.store, &target, all)
            }));
        };
        let body = self.part(body)?;
        let total = plan.total && body.total;
        let run = body.run;
        Ok(Code::new(total, move |ctx| {
            let (mut all, mut pairs) = (Vec::new(), Vec::new());
            let _every = plan.run(ctx, &mut |ctx| {
                let y = run(ctx)?;
                if is_lambda {
                    pairs.push((tuple.word(ctx), y));
                } else {
                    all.push(y);
                }
                GO
            })?;
            if is_lambda {
                build_relation(&mut ctx.store, &target, pairs)
            } else {
                build(&mut ctx.store, &target, all)
            }
        }))
    }

    /// Compiles `UNION(x).(P|E)`.
    pub(super) fn union_over(
        &mut self,
        locals: &[LocalId],
        p: &Pred,
        body: &Expr,
        target: &Arc<Rep>,
    ) -> C<Code<'m, u32>> {
        let plan = self.plan(locals, &[(true, p)])?;
        let body = self.word(body)?;
        let target = target.clone();
        let run = body.run;
        Ok(Code::new(plan.total && body.total, move |ctx| {
            let mut all = BTreeSet::new();
            let _every = plan.run(ctx, &mut |ctx| {
                let w = run(ctx)?;
                all.extend(rel::elements(&mut ctx.store, &target, w)?);
                GO
            })?;
            build(&mut ctx.store, &target, all.into_iter().collect())
        }))
    }

    /// The left-nested couple of some bound locals.
    fn tuple(&self, locals: &[LocalId]) -> Tuple {
        let slots = locals.iter().filter_map(|l| self.locals.get(l).copied()).collect();
        let mut pairs = Vec::new();
        let mut left: Option<Arc<Rep>> = None;
        for l in locals {
            let rep = self.context.local(*l);
            left = Some(match left {
                None => rep,
                Some(left) => {
                    let pair = Rep::pair(left.clone(), rep.clone());
                    pairs.push((left, rep, pair.count().is_some()));
                    Arc::new(pair)
                }
            });
        }
        Tuple { slots, pairs }
    }
}

struct Tuple {
    slots: Vec<usize>,
    pairs: Vec<(Arc<Rep>, Arc<Rep>, bool)>,
}

impl Tuple {
    fn word(&self, ctx: &mut Context<'_>) -> u32 {
        let mut word = ctx.slots[self.slots[0]];
        for (slot, (a, b, numbered)) in self.slots[1..].iter().zip(&self.pairs) {
            word = ctx.store.pair(a, b, *numbered, word, ctx.slots[*slot]);
        }
        word
    }
}
