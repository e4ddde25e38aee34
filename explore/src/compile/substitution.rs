//! Substitutions: closures that run through all ways to execute one.
//!
//! Every assignment writes a slot of its own. A name that is read in a sequence after a write is read from the slot
//! written; the parts of a parallel substitution read the same slots. Any error on the way (a false `ASSERT`, an
//! ill-defined expression) fails, and the reference evaluator determines the error.

use std::ops::ControlFlow;

use bsym_language::model::{EventId, Expr, LocalId, Pred, Subst, SubstKind, Target, VarId};
use bsym_language::walk::{Names, Visitor, always_assigned};
use bsym_semantics::transition::deterministic::is_deterministic;

use super::code::{Exec, Fail, Found, R, Run};
use super::event::{EventCode, guarded};
use super::{C, Compiler};
use crate::compile::context::Context;
use crate::store::rep::Rep;
use crate::tuning::tuning;

const GO: R<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl<'m> Compiler<'_, 'm> {
    /// Compiles a property of states.
    ///
    /// # Errors
    /// If it has no compiled form.
    pub fn property(&mut self, p: &Pred) -> C<Run<'m, bool>> {
        Ok(self.pred(p)?.run)
    }

    /// Compiles an event that may write the given variables.
    ///
    /// # Errors
    /// If a part of it has no compiled form.
    pub fn event(&mut self, event: EventId, writes: &[VarId]) -> C<EventCode<'m>> {
        let model = self.context.eval.model;
        let event = &model.events[event.index()];
        if writes.len() > 64 {
            return Err("it writes more than 64 variables".into());
        }
        let (guards, body) = guarded(&event.body);
        let guards: Vec<(bool, &Pred)> = guards.into_iter().map(|guard| (true, guard)).collect();
        let parameters = self.plan(&event.parameters, &guards)?;
        self.ordered = parameters.ordered;
        let mut shown: Vec<usize> = event.parameters.iter().map(|p| self.locals[p]).collect();
        let deterministic = is_deterministic(body);
        let always = always_assigned(body);
        let assigned = writes.iter().all(|v| always.contains(&Target::Var(*v)));
        let mut kept = Vec::new();
        let mut targets = Targets::default();
        let mut written = Vec::new();
        for (i, v) in writes.iter().enumerate() {
            let slot = self.fresh();
            if !deterministic && !assigned {
                kept.push(self.variable_slot(*v));
            }
            targets.places.push((Target::Var(*v), slot, 1 << i));
            written.push(slot);
        }
        for r in &event.results {
            if !always.contains(&Target::Local(*r)) {
                return Err("a result is perhaps not assigned".into());
            }
            let slot = self.fresh();
            targets.places.push((Target::Local(*r), slot, 0));
            shown.push(slot);
        }
        let body = self.subst(body, &targets)?;
        let ordered = self.ordered;
        Ok(EventCode { parameters, body, shown, written, kept, deterministic, ordered })
    }

    /// Compiles the initialisation, which reads no variable before it is assigned.
    ///
    /// # Errors
    /// If a part of it has no compiled form.
    pub fn initialisation(&mut self) -> C<EventCode<'m>> {
        let model = self.context.eval.model;
        let body = &model.initialisation;
        let always = always_assigned(body);
        let mut targets = Targets::default();
        let mut written = Vec::new();
        for v in (0..model.variables.len() as u32).map(VarId) {
            if !always.contains(&Target::Var(v)) {
                return Err("a variable is perhaps not assigned".into());
            }
            let slot = self.fresh();
            targets.places.push((Target::Var(v), slot, 0));
            written.push(slot);
        }
        let parameters = self.plan(&[], &[])?;
        let code = self.subst(body, &targets)?;
        if !self.reads.is_empty() {
            return Err("a variable is read before it is assigned".into());
        }
        let (shown, kept, deterministic) = (vec![], vec![], is_deterministic(body));
        Ok(EventCode { parameters, body: code, shown, written, kept, deterministic, ordered: self.ordered })
    }

    fn subst(&mut self, s: &Subst, targets: &Targets) -> C<Exec<'m>> {
        Ok(match &s.kind {
            SubstKind::Skip => Box::new(|ctx, k| k(ctx)),
            SubstKind::Assign(list) => self.assign(list, targets)?,
            SubstKind::Pre(p, inner) | SubstKind::Assert(_, p, inner) => {
                let (p, inner) = (self.pred(p)?.run, self.subst(inner, targets)?);
                Box::new(move |ctx, k| if p(ctx)? { inner(ctx, k) } else { Err(Fail) })
            }
            SubstKind::Choice(_, branches) => {
                let before = Before::of(s, targets);
                let branches = branches.iter().map(|b| self.subst(b, targets)).collect::<C<Vec<_>>>()?;
                Box::new(move |ctx, k| {
                    let saved = before.save(ctx);
                    for branch in &branches {
                        before.restore(ctx, &saved);
                        if let ControlFlow::Break(()) = branch(ctx, k)? {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    before.restore(ctx, &saved);
                    GO
                })
            }
            SubstKind::If(branches, otherwise) => {
                let branches = branches
                    .iter()
                    .map(|(p, b)| Ok((self.pred(p)?.run, self.subst(b, targets)?)))
                    .collect::<C<Vec<_>>>()?;
                let otherwise = self.subst(otherwise, targets)?;
                Box::new(move |ctx, k| {
                    for (p, branch) in &branches {
                        if p(ctx)? {
                            return branch(ctx, k);
                        }
                    }
                    otherwise(ctx, k)
                })
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let before = Before::of(s, targets);
                let branches = branches
                    .iter()
                    .map(|(p, b)| Ok((self.pred(p)?.run, self.subst(b, targets)?)))
                    .collect::<C<Vec<_>>>()?;
                let otherwise = otherwise.as_ref().map(|s| self.subst(s, targets)).transpose()?;
                Box::new(move |ctx, k| {
                    let saved = before.save(ctx);
                    let mut open = true;
                    for (guard, branch) in &branches {
                        before.restore(ctx, &saved);
                        if guard(ctx)? {
                            open = false;
                            if let ControlFlow::Break(()) = branch(ctx, k)? {
                                return Ok(ControlFlow::Break(()));
                            }
                        }
                    }
                    before.restore(ctx, &saved);
                    match &otherwise {
                        Some(otherwise) if open => otherwise(ctx, k),
                        _ => GO,
                    }
                })
            }
            SubstKind::Any(_, locals, p, inner) => {
                let plan = self.plan_opened(locals, p)?;
                self.ordered &= plan.ordered;
                let before = Before::of(s, targets);
                let inner = self.subst(inner, targets)?;
                Box::new(move |ctx, k| {
                    let saved = before.save(ctx);
                    let flow = plan.run(ctx, &mut |ctx| {
                        before.restore(ctx, &saved);
                        inner(ctx, k)
                    })?;
                    before.restore(ctx, &saved);
                    Ok(flow)
                })
            }
            SubstKind::BecomesSuch(_, names, p) => {
                let locals: Vec<LocalId> = names.iter().map(|(_, l)| *l).collect();
                let plan = self.plan(&locals, &[(true, p)])?;
                self.ordered &= plan.ordered;
                let moves = names
                    .iter()
                    .map(|(t, l)| Ok((self.locals[l], targets.place(*t)?)))
                    .collect::<C<Vec<_>>>()?;
                Box::new(move |ctx, k| {
                    let mask = ctx.mask;
                    plan.run(ctx, &mut |ctx| {
                        ctx.mask = mask;
                        for (from, (to, bit)) in &moves {
                            ctx.slots[*to] = ctx.slots[*from];
                            ctx.mask |= bit;
                        }
                        k(ctx)
                    })
                })
            }
            SubstKind::BecomesIn(_, names, set) => self.becomes_in(names, set, targets)?,
            SubstKind::Let(defs, inner) => {
                let steps = self.definitions(defs)?.steps;
                let inner = self.subst(inner, targets)?;
                Box::new(move |ctx, k| {
                    for (slot, code) in &steps {
                        ctx.slots[*slot] = code(ctx)?;
                    }
                    inner(ctx, k)
                })
            }
            SubstKind::Var(locals, inner) => {
                let mut inside = targets.clone();
                for l in locals {
                    self.locals.remove(l);
                    let slot = self.fresh();
                    inside.places.push((Target::Local(*l), slot, 0));
                }
                self.subst(inner, &inside)?
            }
            SubstKind::Parallel(parts) => {
                let parts = parts.iter().map(|p| self.subst(p, targets)).collect::<C<Vec<_>>>()?;
                Box::new(move |ctx, k| one_after_other(&parts, ctx, k))
            }
            SubstKind::Sequence(parts) => self.sequence(parts, targets)?,
            SubstKind::While { condition, body, invariant, variant } => {
                self.repeat(condition, body, invariant, variant, targets)?
            }
        })
    }

    fn assign(&mut self, list: &[(Target, Expr)], targets: &Targets) -> C<Exec<'m>> {
        let mut moves: Vec<(Run<'m, u32>, usize, u64)> = Vec::new();
        for (t, e) in list {
            let (slot, bit) = targets.place(*t)?;
            moves.push((self.word(e)?.run, slot, bit));
        }
        // Targets are slots that are not read before the end, so that assignments can follow each other.
        Ok(Box::new(move |ctx, k| {
            for (code, slot, bit) in &moves {
                ctx.slots[*slot] = code(ctx)?;
                ctx.mask |= bit;
            }
            k(ctx)
        }))
    }

    fn becomes_in(&mut self, names: &[Target], set: &Expr, targets: &Targets) -> C<Exec<'m>> {
        let rep = self.rep(set).element().ok_or("no set")?;
        self.ordered &= self.is_ordered(set);
        let set = self.set(set)?.run;
        let places = names.iter().map(|t| targets.place(*t)).collect::<C<Vec<_>>>()?;
        let mut pairs = Vec::new();
        let mut left = rep.clone();
        for _ in 1..names.len() {
            let Rep::Pair(a, b, numbered) = (*left).clone() else { return Err("no tuple".into()) };
            left = a.clone();
            pairs.push((a, b, numbered.is_some()));
        }
        Ok(Box::new(move |ctx, k| {
            let set = set(ctx)?;
            let mask = ctx.mask;
            set.each(ctx, &rep, &mut |ctx, mut w| {
                ctx.mask = mask;
                for ((a, b, numbered), (slot, _)) in pairs.iter().zip(places.iter().skip(1).rev()) {
                    let (l, r) = ctx.store.unpair(a, b, *numbered, w);
                    ctx.slots[*slot] = r;
                    w = l;
                }
                ctx.slots[places[0].0] = w;
                places.iter().for_each(|(_, bit)| ctx.mask |= bit);
                k(ctx)
            })
        }))
    }

    fn sequence(&mut self, parts: &[Subst], targets: &Targets) -> C<Exec<'m>> {
        let (variables, locals) = (self.variables.clone(), self.locals.clone());
        let mut steps: Vec<Exec<'m>> = Vec::new();
        let mut written: Vec<Target> = Vec::new();
        for part in parts {
            let mut inside = Targets::default();
            let mut copies = Vec::new();
            let (here, always) = (targets_of(part), always_assigned(part));
            for t in &here {
                let slot = self.fresh();
                inside.places.push((*t, slot, 0));
                if !always.contains(t) {
                    copies.push((self.current(*t)?, slot));
                }
            }
            let run = self.subst(part, &inside)?;
            steps.push(Box::new(move |ctx, k| {
                for (from, to) in &copies {
                    ctx.slots[*to] = ctx.slots[*from];
                }
                run(ctx, k)
            }));
            for (t, slot, _) in inside.places {
                match t {
                    Target::Var(v) => self.variables[v.index()] = slot,
                    Target::Local(l) => drop(self.locals.insert(l, slot)),
                }
            }
            written.extend(here.into_iter().filter(|t| !written.contains(t)).collect::<Vec<_>>());
        }
        let mut moves = Vec::new();
        for t in written {
            let (to, bit) = targets.place(t)?;
            moves.push((self.current(t)?, to, bit));
        }
        self.variables = variables;
        self.locals = locals;
        steps.push(Box::new(move |ctx, k| {
            let mask = ctx.mask;
            for (from, to, bit) in &moves {
                ctx.slots[*to] = ctx.slots[*from];
                ctx.mask |= bit;
            }
            let flow = k(ctx);
            ctx.mask = mask;
            flow
        }));
        Ok(Box::new(move |ctx, k| one_after_other(&steps, ctx, k)))
    }

    /// A loop whose body has one execution.
    fn repeat(
        &mut self,
        condition: &Pred,
        body: &Subst,
        invariant: &Pred,
        variant: &Expr,
        targets: &Targets,
    ) -> C<Exec<'m>> {
        if !is_deterministic(body) {
            return Err("a loop with choices".into());
        }
        let (variables, locals, old) = (self.variables.clone(), self.locals.clone(), self.old.clone());
        let mut inside = Targets::default();
        let (mut enter, mut start, mut end, mut leave) = (vec![], vec![], vec![], vec![]);
        for t in targets_of(body) {
            let (before, here, next) = (self.current(t)?, self.fresh(), self.fresh());
            enter.push((before, here));
            start.push((here, next));
            end.push((next, here));
            let (to, bit) = targets.place(t)?;
            leave.push((here, to, bit));
            inside.places.push((t, next, 0));
        }
        self.old = Some(variables.clone());
        for ((t, ..), (_, here)) in inside.places.iter().zip(&enter) {
            match t {
                Target::Var(v) => self.variables[v.index()] = *here,
                Target::Local(l) => drop(self.locals.insert(*l, *here)),
            }
        }
        let (invariant, condition) = (self.pred(invariant)?.run, self.pred(condition)?.run);
        let variant = self.int(variant)?.run;
        let body = self.subst(body, &inside)?;
        (self.variables, self.locals, self.old) = (variables, locals, old);
        self.weight += tuning().compile.reference_weight;
        Ok(Box::new(move |ctx, k| {
            copy(ctx, &enter);
            let mut before = i64::MAX;
            loop {
                if !invariant(ctx)? {
                    return Err(Fail);
                }
                if !condition(ctx)? {
                    break;
                }
                let measure = variant(ctx)?;
                if measure < 0 || measure >= before || ctx.is_stopped() {
                    return Err(Fail);
                }
                before = measure;
                copy(ctx, &start);
                let mut done = false;
                let _once = body(ctx, &mut |_| {
                    done = true;
                    GO
                })?;
                if !done {
                    return GO;
                }
                copy(ctx, &end);
            }
            for (from, to, bit) in &leave {
                ctx.slots[*to] = ctx.slots[*from];
                ctx.mask |= bit;
            }
            k(ctx)
        }))
    }

    fn current(&mut self, t: Target) -> C<usize> {
        match t {
            Target::Var(v) => Ok(self.variable_slot(v)),
            Target::Local(l) => {
                self.locals.get(&l).copied().ok_or_else(|| "a local is perhaps not assigned".into())
            }
        }
    }
}

fn copy(ctx: &mut Context<'_>, moves: &[(usize, usize)]) {
    for (from, to) in moves {
        ctx.slots[*to] = ctx.slots[*from];
    }
}

fn one_after_other<'m>(parts: &[Exec<'m>], ctx: &mut Context<'m>, k: Found<'_, 'm>) -> R<ControlFlow<()>> {
    match parts.split_first() {
        None => k(ctx),
        Some((first, rest)) => first(ctx, &mut |ctx| one_after_other(rest, ctx, k)),
    }
}

/// Targets of assignments: for each a slot, and its bit of the mask.
#[derive(Clone, Default)]
struct Targets {
    places: Vec<(Target, usize, u64)>,
}

impl Targets {
    fn place(&self, t: Target) -> C<(usize, u64)> {
        let found = self.places.iter().rev().find(|(u, ..)| *u == t);
        found.map(|(_, slot, bit)| (*slot, *bit)).ok_or_else(|| "a target without a place".into())
    }
}

/// Values to restore before the next way through a substitution is tried: the mask, and the slots of a sequence that
/// may not be assigned on that way.
/// They are also restored after the last way: a choice in another part of a parallel substitution may come back.
struct Before {
    slots: Vec<usize>,
}

impl Before {
    fn of(s: &Subst, targets: &Targets) -> Before {
        let written = targets_of(s);
        let inner = targets.places.iter().filter(|(t, _, bit)| *bit == 0 && written.contains(t));
        Before { slots: inner.map(|(_, slot, _)| *slot).collect() }
    }

    fn save(&self, ctx: &Context<'_>) -> (u64, Vec<u32>) {
        (ctx.mask, self.slots.iter().map(|slot| ctx.slots[*slot]).collect())
    }

    fn restore(&self, ctx: &mut Context<'_>, saved: &(u64, Vec<u32>)) {
        ctx.mask = saved.0;
        for (slot, word) in self.slots.iter().zip(&saved.1) {
            ctx.slots[*slot] = *word;
        }
    }
}

/// Targets that a substitution may assign, as seen from outside.
fn targets_of(s: &Subst) -> Vec<Target> {
    let mut names = Names::default();
    names.subst(s);
    let variables = names.written.iter().map(|v| Target::Var(*v));
    variables.chain(names.written_locals.iter().map(|l| Target::Local(*l))).collect()
}
