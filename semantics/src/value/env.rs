//! The environment of an evaluation: what every name stands for.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::{ConstId, Expr, ExprKind, LocalId, Pred, PredKind, Target, VarId};

use crate::value::Value;

/// A name with a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A bound variable, parameter, result or local.
    Local(LocalId),
    /// A constant.
    Const(ConstId),
    /// A state variable.
    Var(VarId),
    /// A state variable before the substitution at hand.
    Old(VarId),
}

/// Names bound together.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'e> {
    bound: &'e [(Name, Value)],
    next: Option<&'e Frame<'e>>,
}

/// The values of all names. Cheap to copy; binders extend it on the stack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Env<'e> {
    constants: &'e [Value],
    state: &'e [Value],
    old: Option<&'e Env<'e>>,
    updates: Option<&'e BTreeMap<Target, Value>>,
    frame: Option<&'e Frame<'e>>,
    type_parameters: &'e [Value],
    calls: u32,
}

impl<'e> Env<'e> {
    /// Constants and a state; either may be empty while it is not settled.
    pub fn new(constants: &'e [Value], state: &'e [Value]) -> Self {
        Env { constants, state, ..Env::default() }
    }

    /// The same, with `x$0` read from another environment. Without this `x$0` is `x`.
    pub fn with_old(self, old: &'e Env<'e>) -> Self {
        Env { old: Some(old), ..self }
    }

    /// A frame of further names in front of those of this environment; see [`Env::within`].
    pub fn frame(&self, bound: &'e [(Name, Value)]) -> Frame<'e> {
        Frame { bound, next: self.frame }
    }

    /// The same, with the names of a frame made by [`Env::frame`] of this environment.
    pub fn within(self, frame: &'e Frame<'e>) -> Self {
        Env { frame: Some(frame), ..self }
    }

    /// The same, where assigned targets have their new values.
    pub(crate) fn updated(self, updates: &'e BTreeMap<Target, Value>) -> Self {
        Env { updates: Some(updates), ..self }
    }

    /// The environment of the definition of an operator, where nothing but its parameters has a name.
    /// `None` where operators call each other too deeply.
    pub(crate) fn of_operator(&self) -> Option<Env<'static>> {
        const DEEPEST: u32 = 2_000;
        (self.calls < DEEPEST).then(|| Env { calls: self.calls + 1, ..Env::default() })
    }

    pub(crate) fn updates(&self) -> Option<&'e BTreeMap<Target, Value>> {
        self.updates
    }

    pub(crate) fn without_old(self) -> Self {
        Env { old: None, ..self }
    }

    /// The same, inside the declaration of a free type: the sets that its type parameters stand for.
    pub(crate) fn with_type_parameters(self, type_parameters: &'e [Value]) -> Self {
        Env { type_parameters, ..self }
    }

    pub(crate) fn type_parameter(&self, i: u32) -> Option<&'e Value> {
        self.type_parameters.get(i as usize)
    }

    /// The value of a name.
    pub fn get(&self, name: Name) -> Option<&'e Value> {
        let updated = |target| self.updates.and_then(|u| u.get(&target));
        match name {
            Name::Local(l) => updated(Target::Local(l)).or_else(|| self.bound(name)),
            Name::Const(c) => self.constants.get(c.index()).or_else(|| self.bound(name)),
            Name::Var(v) => {
                updated(Target::Var(v)).or_else(|| self.state.get(v.index())).or_else(|| self.bound(name))
            }
            Name::Old(v) => match self.old {
                Some(old) => old.get(Name::Var(v)),
                None => self.bound(name).or_else(|| self.get(Name::Var(v))),
            },
        }
    }

    fn bound(&self, name: Name) -> Option<&'e Value> {
        let mut frame = self.frame;
        while let Some(f) = frame {
            if let Some((_, value)) = f.bound.iter().find(|(n, _)| *n == name) {
                return Some(value);
            }
            frame = f.next;
        }
        None
    }
}

/// Whether all names that occur free in an expression have values.
pub(crate) fn all_bound(env: &Env<'_>, expr: &Expr) -> bool {
    let mut bound = true;
    let mut walk = FreeNames { found: |name| bound = bound && env.get(name).is_some(), hidden: Vec::new() };
    walk.expr(expr);
    bound
}

/// Whether all names that occur free in a predicate have values.
pub(crate) fn all_bound_in(env: &Env<'_>, pred: &Pred) -> bool {
    let mut bound = true;
    FreeNames { found: |name| bound = bound && env.get(name).is_some(), hidden: Vec::new() }.pred(pred);
    bound
}

/// Visits the names that occur free in an expression or predicate.
pub(crate) struct FreeNames<F> {
    found: F,
    hidden: Vec<LocalId>,
}

/// The free names of a predicate.
pub(crate) fn names_of_pred(pred: &Pred) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    FreeNames { found: |name| _ = names.insert(name), hidden: Vec::new() }.pred(pred);
    names
}

/// Whether a part of a predicate has names of its own.
pub(crate) fn has_binder(pred: &Pred) -> bool {
    struct Binders(bool);
    impl bsym_language::walk::Visitor for Binders {
        fn binder(&mut self, _: &LocalId) {
            self.0 = true;
        }
    }
    let mut binders = Binders(false);
    bsym_language::walk::Visitor::pred(&mut binders, pred);
    binders.0
}

/// The free names of an expression.
pub(crate) fn names_of_expr(expr: &Expr) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    FreeNames { found: |name| _ = names.insert(name), hidden: Vec::new() }.expr(expr);
    names
}

impl<F: FnMut(Name)> FreeNames<F> {
    fn local(&mut self, l: LocalId) {
        if !self.hidden.contains(&l) {
            (self.found)(Name::Local(l));
        }
    }

    fn binding(&mut self, locals: &[LocalId], inside: impl FnOnce(&mut Self)) {
        let depth = self.hidden.len();
        self.hidden.extend_from_slice(locals);
        inside(self);
        self.hidden.truncate(depth);
    }

    /// Adds the free names of an expression.
    pub fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(v) => (self.found)(Name::Var(*v)),
            ExprKind::Old(v) => (self.found)(Name::Old(*v)),
            ExprKind::Const(c) => (self.found)(Name::Const(*c)),
            ExprKind::Local(l) => self.local(*l),
            ExprKind::Element(..)
            | ExprKind::Carrier(_)
            | ExprKind::Integer(_)
            | ExprKind::Real(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::MaxInt
            | ExprKind::MinInt
            | ExprKind::Set(_)
            | ExprKind::EmptySet
            | ExprKind::Succ
            | ExprKind::Pred
            | ExprKind::Abstract(_)
            | ExprKind::Constructor(..)
            | ExprKind::TypeParameter(_) => {}
            ExprKind::FreeSet(_, es)
            | ExprKind::Tree(_, es)
            | ExprKind::External(_, es)
            | ExprKind::Call(_, es) => es.iter().for_each(|e| self.expr(e)),
            ExprKind::SetExtension(es) | ExprKind::SeqExtension(es) => es.iter().for_each(|e| self.expr(e)),
            ExprKind::Unary(_, e) | ExprKind::Field(e, _) => self.expr(e),
            ExprKind::Binary(_, a, b)
            | ExprKind::Apply(a, b)
            | ExprKind::Iterate(a, b)
            | ExprKind::Prj1(a, b)
            | ExprKind::Prj2(a, b)
            | ExprKind::WithField(a, _, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::BoolOf(p) => self.pred(p),
            ExprKind::Comprehension(ls, p) => self.binding(ls, |f| f.pred(p)),
            ExprKind::Quantified(_, ls, p, e) => self.binding(ls, |f| {
                f.pred(p);
                f.expr(e);
            }),
            ExprKind::Record(fields) | ExprKind::Struct(fields) => {
                fields.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::If(p, a, b) => {
                self.pred(p);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Let(defs, e) => {
                let locals: Vec<_> = defs.iter().map(|(l, _)| *l).collect();
                self.binding(&locals, |f| {
                    defs.iter().for_each(|(_, d)| f.expr(d));
                    f.expr(e);
                });
            }
        }
    }

    /// Adds the free names of a predicate.
    pub fn pred(&mut self, pred: &Pred) {
        match &pred.kind {
            PredKind::True | PredKind::False => {}
            PredKind::And(ps) | PredKind::Or(ps) => ps.iter().for_each(|p| self.pred(p)),
            PredKind::Implies(a, b) | PredKind::Iff(a, b) => {
                self.pred(a);
                self.pred(b);
            }
            PredKind::Not(p) => self.pred(p),
            PredKind::Forall(ls, p) | PredKind::Exists(ls, p) => self.binding(ls, |f| f.pred(p)),
            PredKind::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            PredKind::Finite(e) => self.expr(e),
            PredKind::External(_, es) | PredKind::Call(_, es) => es.iter().for_each(|e| self.expr(e)),
            PredKind::Partition(e, es) => {
                self.expr(e);
                es.iter().for_each(|e| self.expr(e));
            }
            PredKind::If(p, a, b) => {
                self.pred(p);
                self.pred(a);
                self.pred(b);
            }
            PredKind::Let(defs, p) => {
                let locals: Vec<_> = defs.iter().map(|(l, _)| *l).collect();
                self.binding(&locals, |f| {
                    defs.iter().for_each(|(_, d)| f.expr(d));
                    f.pred(p);
                });
            }
        }
    }
}
