//! Compiled code: closures over the words of a [`Context`].

use std::ops::ControlFlow;

use crate::compile::context::Context;

/// Error of compiled code without an answer: the evaluation is ill-defined, or goes beyond what is compiled.
/// The caller then asks the reference evaluator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fail;

/// The result of compiled code.
pub type R<T> = Result<T, Fail>;

/// A closure.
pub type Run<'m, T> = Box<dyn Fn(&mut Context<'m>) -> R<T> + 'm>;

/// Callback for each binding or execution found.
pub type Found<'f, 'm> = &'f mut dyn FnMut(&mut Context<'m>) -> R<ControlFlow<()>>;

/// A compiled substitution: runs through all executions and calls a function at the end of each.
pub type Exec<'m> = Box<dyn Fn(&mut Context<'m>, Found<'_, 'm>) -> R<ControlFlow<()>> + 'm>;

/// A compiled expression or predicate.
pub struct Code<'m, T> {
    /// Computes the value.
    pub run: Run<'m, T>,
    /// `true` if the value cannot be ill-defined. (The code may fail for other reasons.)
    pub total: bool,
    /// The value, if it is always the same.
    pub literal: Option<T>,
    /// The slot that the code reads, if it does nothing else.
    pub slot: Option<usize>,
}

impl<'m, T: Clone + 'm> Code<'m, T> {
    /// Makes code that may be ill-defined unless it is `total`.
    pub fn new(total: bool, run: impl Fn(&mut Context<'m>) -> R<T> + 'm) -> Self {
        Code { run: Box::new(run), total, literal: None, slot: None }
    }

    /// Makes code with a constant value.
    pub fn literal(value: T) -> Self {
        let kept = value.clone();
        Code { run: Box::new(move |_| Ok(kept.clone())), total: true, literal: Some(value), slot: None }
    }

    /// Applies a function to the value. The function must have a value for every argument.
    pub fn map<U: Clone + 'm>(self, f: impl Fn(&mut Context<'m>, T) -> R<U> + 'm) -> Code<'m, U> {
        let run = self.run;
        Code::new(self.total, move |ctx| {
            let value = run(ctx)?;
            f(ctx, value)
        })
    }

    /// Releases the lists that the code makes during evaluation. Its value must be none of these lists.
    pub fn without_drafts(self) -> Self {
        if self.literal.is_some() || self.slot.is_some() {
            return self;
        }
        let run = self.run;
        Code::new(self.total, move |ctx| {
            let mark = ctx.store.mark();
            let value = run(ctx)?;
            ctx.store.release(mark);
            Ok(value)
        })
    }

    /// Marks the code as partial: its value may be undefined.
    pub fn partial(self) -> Self {
        Code { total: false, ..self }
    }

    /// Combines two operands, which are evaluated from left to right.
    pub fn with<U: Clone + 'm, V: Clone + 'm>(
        self,
        other: Code<'m, U>,
        f: impl Fn(&mut Context<'m>, T, U) -> R<V> + 'm,
    ) -> Code<'m, V> {
        let total = self.total && other.total;
        let (left, right) = (self.run, other.run);
        if let Some(r) = other.literal {
            return Code::new(total, move |ctx| {
                let l = left(ctx)?;
                f(ctx, l, r.clone())
            });
        }
        Code::new(total, move |ctx| {
            let l = left(ctx)?;
            let r = right(ctx)?;
            f(ctx, l, r)
        })
    }
}

impl<'m> Code<'m, bool> {
    /// Chooses one of two by the truth of this predicate.
    pub fn choose<T: Clone + 'm>(self, yes: Code<'m, T>, no: Code<'m, T>) -> Code<'m, T> {
        let total = self.total && yes.total && no.total;
        let (p, a, b) = (self.run, yes.run, no.run);
        Code::new(total, move |ctx| if p(ctx)? { a(ctx) } else { b(ctx) })
    }
}

/// Words to be computed into slots, one after the other: the definitions of LET.
pub struct Definitions<'m> {
    /// The slots with their code.
    pub steps: Vec<(usize, Run<'m, u32>)>,
    /// `true` if none of them can be ill-defined.
    pub total: bool,
}

impl<'m> Definitions<'m> {
    /// Runs the definitions and then the body.
    pub fn before<T: Clone + 'm>(self, body: Code<'m, T>) -> Code<'m, T> {
        let (steps, run) = (self.steps, body.run);
        Code::new(self.total && body.total, move |ctx| {
            for (slot, code) in &steps {
                ctx.slots[*slot] = code(ctx)?;
            }
            run(ctx)
        })
    }
}
