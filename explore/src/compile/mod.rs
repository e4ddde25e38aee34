//! Predicates, expressions and substitutions as closures over words.
//!
//! Code either computes the result of the reference evaluator, or fails; then the reference evaluator is asked. It
//! never gives an answer where the reference finds the evaluation ill-defined. Parts of a formula without a compiled
//! form are evaluated by the reference, too.
//!
//! [`context`] has the state of an evaluation, [`code`] the compiled form. An [`expression`] and a [`predicate`] become
//! code, with [`set_value`] for sets that need not be listed and [`relation`] for operators on relations; [`binder`]
//! plans how bound names get their values; a [`substitution`] runs through all its executions, and an [`event`]
//! collects their edges.

pub mod binder;
pub mod code;
pub mod context;
pub mod event;
mod expression;
mod predicate;
mod relation;
mod set;
mod set_value;
pub mod substitution;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bsym_language::model::{ConstId, Expr, LocalId, Pred, VarId};
use bsym_language::walk::Names;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::{Env, Name};

use crate::compile::context::Context;
use crate::store::rep::Rep;
use crate::tuning::{Tuning, tuning};
use code::{Code, Definitions, Fail, R};

/// Reason why something has no compiled form.
pub type NotCompiled = String;
/// The result of compiling.
pub type C<T> = Result<T, NotCompiled>;

/// Compiles formulas of one model.
pub struct Compiler<'a, 'm> {
    /// The context in which the code will run; literals are interned here.
    pub context: &'a mut Context<'m>,
    /// The slot of each variable.
    pub variables: Vec<usize>,
    /// The slots of `x$0`.
    pub old: Option<Vec<usize>>,
    locals: HashMap<LocalId, usize>,
    next: usize,
    /// Positions of the variables that were read.
    pub reads: BTreeSet<usize>,
    /// `true` if a constant without a fixed value was read.
    pub reads_constants: bool,
    /// `true` if executions come in the same order whatever words values have.
    pub ordered: bool,
    /// A measure of how long the code takes: about one for a comparison of numbers.
    pub weight: usize,
}

/// The names that are free in a formula, with their slots.
struct Captured {
    names: Vec<(Name, usize, Arc<Rep>)>,
}

impl<'a, 'm> Compiler<'a, 'm> {
    /// A compiler for formulas over the variables and constants of the context's model.
    pub fn new(context: &'a mut Context<'m>) -> Compiler<'a, 'm> {
        let (variables, constants) = (context.variables.len(), context.constants.len());
        Compiler {
            context,
            variables: (0..variables).collect(),
            old: None,
            locals: HashMap::new(),
            next: variables + constants,
            reads: BTreeSet::new(),
            reads_constants: false,
            ordered: true,
            weight: 0,
        }
    }

    /// Number of slots in use.
    pub fn slots(&self) -> usize {
        self.next
    }

    /// Returns a new slot.
    pub fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Returns a new slot for a local.
    pub fn bind(&mut self, local: LocalId) -> usize {
        let slot = self.fresh();
        self.locals.insert(local, slot);
        slot
    }

    /// The definitions of a LET, each visible in those after it.
    fn definitions(&mut self, defs: &[(LocalId, Expr)]) -> C<Definitions<'m>> {
        let mut all = Definitions { steps: Vec::with_capacity(defs.len()), total: true };
        for (local, definition) in defs {
            let code = self.word(definition)?;
            all.total &= code.total;
            all.steps.push((self.bind(*local), code.run));
        }
        Ok(all)
    }

    fn rep(&self, e: &Expr) -> Arc<Rep> {
        let eval = &self.context.eval;
        Arc::new(Rep::of(&e.ty, eval.model, eval.scope))
    }

    fn variable_slot(&mut self, v: VarId) -> usize {
        let slot = self.variables[v.index()];
        if slot < self.context.variables.len() {
            self.reads.insert(slot);
        }
        slot
    }

    fn old_slot(&mut self, v: VarId) -> usize {
        match &self.old {
            None => self.variable_slot(v),
            Some(old) => {
                let slot = old[v.index()];
                if slot < self.context.variables.len() {
                    self.reads.insert(slot);
                }
                slot
            }
        }
    }

    fn constant_slot(&mut self, c: ConstId) -> usize {
        self.reads_constants = true;
        self.context.variables.len() + c.index()
    }

    /// Returns whether the formula has the same value wherever its place is reached.
    fn is_closed(&self, names: &Names) -> bool {
        names.variables.is_empty()
            && names.locals.is_empty()
            && names.constants.iter().all(|c| self.context.is_fixed(*c))
    }

    /// The value of a closed expression; `None` if it has none.
    fn closed_value(&self, e: &Expr) -> Option<Value> {
        let none = Vec::new();
        let constants = self.context.valuations.first().unwrap_or(&none);
        self.context.eval.expr(&Env::new(constants, &[]), e).ok()
    }

    fn capture(&mut self, names: Names) -> C<Captured> {
        let mut captured = Vec::new();
        for v in names.variables {
            let rep = self.context.variables[v.index()].clone();
            let slot = self.variable_slot(v);
            captured.push((Name::Var(v), slot, rep.clone()));
            if self.old.is_some() {
                let slot = self.old_slot(v);
                captured.push((Name::Old(v), slot, rep));
            }
        }
        for l in names.locals {
            let slot = *self.locals.get(&l).ok_or("a local without a slot")?;
            captured.push((Name::Local(l), slot, self.context.local(l)));
        }
        if !names.constants.iter().all(|c| self.context.is_fixed(*c)) {
            self.reads_constants = true;
        }
        Ok(Captured { names: captured })
    }

    /// Compiles an expression to a call of the reference evaluator.
    fn expr_by_reference(&mut self, e: &Expr) -> C<Code<'m, u32>> {
        self.weight += tuning().compile.reference_weight;
        let captured = self.capture(Names::of_expr(e))?;
        let (e, rep) = (e.clone(), self.rep(e));
        let known = Answers::default();
        Ok(Code::new(false, move |ctx| {
            known.ask(&captured, ctx, |ctx| {
                let value = captured.within(ctx, |ctx, env| ctx.eval.expr(env, &e).map_err(|_| Fail))?;
                let Context { store, eval, .. } = ctx;
                store.encode(eval, &rep, &value).ok_or(Fail)
            })
        }))
    }

    /// Compiles a predicate to a call of the reference evaluator.
    fn pred_by_reference(&mut self, p: &Pred) -> C<Code<'m, bool>> {
        self.weight += tuning().compile.reference_weight;
        let captured = self.capture(Names::of_pred(p))?;
        let p = p.clone();
        let known = Answers::default();
        Ok(Code::new(false, move |ctx| {
            known.ask(&captured, ctx, |ctx| {
                captured.within(ctx, |ctx, env| ctx.eval.pred(env, &p).map_err(|_| Fail))
            })
        }))
    }
}

/// Cached answers of the reference evaluator about a formula, by the valuation of the constants and the words of the
/// names in it.
struct Answers<T> {
    known: RefCell<HashMap<Box<[u32]>, T>>,
    hits: Cell<usize>,
    /// Generation of the store that the words belong to. Words of another generation mean nothing.
    generation: Cell<u32>,
}

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Answers { known: RefCell::default(), hits: Cell::new(0), generation: Cell::new(0) }
    }
}

impl<T: Copy> Answers<T> {
    fn ask<'m>(
        &self,
        captured: &Captured,
        ctx: &mut Context<'m>,
        evaluate: impl FnOnce(&mut Context<'m>) -> R<T>,
    ) -> R<T> {
        if self.generation.replace(ctx.store.generation()) != ctx.store.generation() {
            self.known.borrow_mut().clear();
        }
        let full = self.known.borrow().len() >= Tuning::DEFAULT.compile.answers;
        if full && self.hits.get() < Tuning::DEFAULT.compile.answers / Tuning::DEFAULT.compile.useful_answers
        {
            return evaluate(ctx);
        }
        let words = captured.names.iter().map(|(_, slot, _)| ctx.slots[*slot]);
        let key: Box<[u32]> = words.chain([ctx.valuation as u32]).collect();
        if let Some(answer) = self.known.borrow().get(&key) {
            self.hits.set(self.hits.get() + 1);
            return Ok(*answer);
        }
        let answer = evaluate(ctx)?;
        if full {
            self.known.borrow_mut().clear();
            self.hits.set(0);
        }
        self.known.borrow_mut().insert(key, answer);
        Ok(answer)
    }
}

impl Captured {
    fn within<'m, T>(&self, ctx: &Context<'m>, inside: impl FnOnce(&Context<'m>, &Env<'_>) -> R<T>) -> R<T> {
        let bound: Vec<(Name, Value)> =
            self.names.iter().map(|(n, slot, rep)| (*n, ctx.store.decode(rep, ctx.slots[*slot]))).collect();
        let none = Vec::new();
        let base = Env::new(ctx.valuations.get(ctx.valuation).unwrap_or(&none), &[]);
        let frame = base.frame(&bound);
        inside(ctx, &base.within(&frame))
    }
}
