//! Bounds that grow: what assignments, choices and predicates make of the names of a model.

use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, always_assigned, conjuncts, parts};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Name;

use super::functional::{Functional, Kept, name_of};
use super::layout::Layout;
use crate::expr::walk::always_defined;

impl Functional {
    /// Analyses a model; `determined` are the values of the constants that are known, by [`ConstId`].
    pub fn of(model: &Model, determined: &[Option<Value>]) -> Functional {
        Functional::keeping(model, determined, &vec![Kept::All; model.variables.len()])
    }

    /// Analyses a model with less known of some variables, by [`VarId`]: the bounds of other names may rest on that,
    /// and then are wider as well.
    pub fn keeping(model: &Model, determined: &[Option<Value>], kept: &[Kept]) -> Functional {
        Functional::grown(model, determined, vec![Layout::Never; model.variables.len()], kept)
    }

    /// The least bounds that hold `start` and everything that is assigned.
    pub(super) fn grown(
        model: &Model,
        determined: &[Option<Value>],
        start: Vec<Layout>,
        kept: &[Kept],
    ) -> Functional {
        let mut known = Functional { variables: start, ..Functional::none(model) };
        let mut analysis = Analysis { model, known: &mut known, kept };
        analysis.constants(determined);
        let initialised = always_assigned(&model.initialisation);
        for (v, kept) in kept.iter().enumerate() {
            if !initialised.contains(&Target::Var(VarId(v as u32))) || *kept == Kept::Nothing {
                analysis.known.variables[v] = Layout::Any;
            }
        }
        let bodies: Vec<&Subst> =
            model.events.iter().map(|e| &e.body).chain([&model.initialisation]).collect();
        for event in &model.events {
            analysis.forget(event.results.iter().copied());
            if event_guard(event).is_some() {
                analysis.forget(event.parameters.iter().copied());
            }
        }
        for body in &bodies {
            analysis.start(body);
        }
        loop {
            let before = analysis.known.clone();
            for event in &model.events {
                if let Some(guard) = event_guard(event) {
                    analysis.guard(&event.parameters, guard);
                }
            }
            for body in &bodies {
                analysis.grow(body);
            }
            if *analysis.known == before {
                return known;
            }
        }
    }

    /// Returns bounds of unknowns where predicates hold, under the values of the names that have one.
    ///
    /// Values that a predicate excludes are left out only as long as no predicate before it speaks of the unknown and
    /// might be ill-defined: the caller has to hear of that.
    pub(crate) fn of_unknowns(
        model: &Model,
        values: &dyn Fn(Name) -> Option<Value>,
        unknowns: &[Name],
        predicates: &[&Pred],
    ) -> Functional {
        let mut known = Functional::none(model);
        let given =
            |name: Name, ty: &Type| values(name).map_or(Layout::Any, |v| Layout::of_any_value(&v, ty));
        for (i, c) in model.constants.iter().enumerate() {
            known.constants[i] = given(Name::Const(ConstId(i as u32)), &c.ty);
        }
        for (i, v) in model.variables.iter().enumerate() {
            // A bound of both values, before and after.
            let id = VarId(i as u32);
            let before = values(Name::Old(id)).map_or(Layout::Never, |old| Layout::of_any_value(&old, &v.ty));
            known.variables[i] = given(Name::Var(id), &v.ty).join(before);
        }
        for (i, l) in model.locals.iter().enumerate() {
            known.locals[i] = given(Name::Local(LocalId(i as u32)), &l.ty);
        }
        let mut analysis = Analysis { model, known: &mut known, kept: &[] };
        for _ in unknowns {
            let before = analysis.known.clone();
            // Unknowns that something perhaps ill-defined has spoken of.
            let mut closed: Vec<Name> = vec![];
            for p in predicates.iter().flat_map(|p| conjuncts(p)) {
                let named = constraint(p).and_then(|(left, right)| Some((name_of(left)?, right)));
                if let Some((name, right)) = named
                    && unknowns.contains(&name)
                    && !closed.contains(&name)
                {
                    let layout = analysis.allows(&right);
                    if let Some(known) = analysis.known.of_name(name) {
                        *known = std::mem::take(known).meet(layout);
                    }
                }
                if !always_defined(p, &|_| false) {
                    let names = Names::of_pred(p);
                    closed.extend(names.constants.iter().map(|c| Name::Const(*c)));
                    closed.extend(names.locals.iter().map(|l| Name::Local(*l)));
                    closed.extend(names.variables.iter().map(|v| Name::Var(*v)));
                }
            }
            if *analysis.known == before {
                break;
            }
        }
        known
    }
}

/// The guard of an event whose body is one guarded substitution.
fn event_guard(event: &Event) -> Option<&Pred> {
    match &event.body.kind {
        SubstKind::Select { branches, otherwise: None, .. } => match branches.as_slice() {
            [(guard, _)] => Some(guard),
            _ => None,
        },
        _ => None,
    }
}

/// Bounds that grow.
pub(super) struct Analysis<'a> {
    pub(super) model: &'a Model,
    pub(super) known: &'a mut Functional,
    /// By [`VarId`].
    pub(super) kept: &'a [Kept],
}

impl Analysis<'_> {
    pub(super) fn constants(&mut self, determined: &[Option<Value>]) {
        for (i, c) in self.model.constants.iter().enumerate() {
            if let Some(Some(value)) = determined.get(i) {
                self.known.constants[i] = Layout::of_value(value, &c.ty);
            }
        }
        // Each round may rest on the constants of the rounds before: `c = d & d = c` says nothing.
        for _ in 0..self.model.constants.len() {
            let before = self.known.constants.clone();
            for axiom in &self.model.axioms {
                let Some((left, right)) = constraint(&axiom.pred) else { continue };
                let ExprKind::Const(c) = left.kind else { continue };
                let layout = self.allows(&right);
                let known = std::mem::take(&mut self.known.constants[c.index()]);
                self.known.constants[c.index()] = known.meet(layout);
            }
            if self.known.constants == before {
                return;
            }
        }
    }

    /// Lets bounds of locals grow from nothing.
    fn forget(&mut self, locals: impl Iterator<Item = LocalId>) {
        locals.for_each(|l| self.known.locals[l.index()] = Layout::Never);
    }

    /// Prepares the locals that a substitution assigns or chooses.
    fn start(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::BecomesSuch(_, targets, _) => self.forget(targets.iter().map(|t| t.1)),
            SubstKind::Any(_, locals, ..) => self.forget(locals.iter().copied()),
            SubstKind::Var(locals, _) => self.forget(locals.iter().copied()),
            SubstKind::Let(bindings, _) => self.forget(bindings.iter().map(|b| b.0)),
            _ => {}
        }
        for part in parts(s) {
            self.start(part);
        }
    }

    /// Makes room for what the assignments inside `s` assign.
    fn grow(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Assign(list) => {
                for (target, value) in list {
                    let value = self.value(value);
                    self.admit(*target, value);
                }
            }
            SubstKind::BecomesIn(_, targets, set) => {
                let mut whole = self.value(set).element();
                for target in targets.iter().skip(1).rev() {
                    let (before, last) = whole.sides();
                    self.admit(*target, last);
                    whole = before;
                }
                if let Some(first) = targets.first() {
                    self.admit(*first, whole);
                }
            }
            SubstKind::BecomesSuch(_, targets, p) => {
                let locals: Vec<LocalId> = targets.iter().map(|t| t.1).collect();
                self.guard(&locals, p);
                for (target, local) in targets {
                    let layout = self.known.locals[local.index()].clone();
                    self.admit(*target, layout);
                }
            }
            SubstKind::Any(_, locals, p, _) => self.guard(locals, p),
            SubstKind::Let(bindings, _) => {
                for (local, value) in bindings {
                    let value = self.value(value);
                    self.admit(Target::Local(*local), value);
                }
            }
            _ => {}
        }
        for part in parts(s) {
            self.grow(part);
        }
    }

    fn admit(&mut self, target: Target, layout: Layout) {
        let (known, kept) = match target {
            Target::Var(v) => (&mut self.known.variables[v.index()], self.kept[v.index()]),
            Target::Local(l) => (&mut self.known.locals[l.index()], Kept::All),
        };
        *known = kept.of(std::mem::take(known).join(layout));
    }

    /// Admits the values of locals that a guard allows. Of a set, only its first conjunct counts: one
    /// that uses the local before might be ill-defined for a relation, which must not be lost.
    fn guard(&mut self, locals: &[LocalId], guard: &Pred) {
        let conjuncts = conjuncts(guard);
        for &local in locals {
            // The local says nothing about itself.
            let before = std::mem::take(&mut self.known.locals[local.index()]);
            let about = |c: &&&Pred| Names::of_pred(c).locals.contains(&local);
            let used = conjuncts.iter().filter(about);
            let used: Vec<&Pred> = if self.model.locals[local.index()].ty == Type::Int {
                used.copied().collect()
            } else {
                used.take(1).copied().collect()
            };
            let layout = self.bound(local, &used);
            self.known.locals[local.index()] = before.join(layout);
        }
    }

    /// The bound that conjuncts give a local.
    fn bound(&mut self, local: LocalId, conjuncts: &[&Pred]) -> Layout {
        let mut layout = Layout::Any;
        for c in conjuncts {
            let Some((left, right)) = constraint(c) else { continue };
            if matches!(left.kind, ExprKind::Local(l) if l == local) {
                layout = layout.meet(self.allows(&right));
            } else if let (ExprKind::Binary(BinaryOp::Maplet, ..), Bound::Member(_) | Bound::Equal(_)) =
                (&left.kind, &right)
            {
                let whole = self.allows(&right);
                if let Some(part) = component(left, &whole, local) {
                    layout = layout.meet(part);
                }
            }
        }
        layout
    }

    /// Bounds the variables of a binder by its predicate. Whether it allows all values of the bounds;
    /// `None` if the predicate has no value yet.
    pub(super) fn bind(&mut self, locals: &[LocalId], p: &Pred) -> Option<bool> {
        let conjuncts = conjuncts(p);
        for &l in locals {
            self.known.locals[l.index()] = Layout::Any;
        }
        for c in &conjuncts {
            if let Some((_, Bound::Member(e) | Bound::Equal(e) | Bound::Subset(e))) = constraint(c)
                && self.value(e) == Layout::Never
            {
                return None;
            }
        }
        for &l in locals {
            self.known.locals[l.index()] = self.bound(l, &conjuncts);
        }
        let mut typed = vec![];
        for c in &conjuncts {
            match constraint(c) {
                Some((Expr { kind: ExprKind::Local(l), .. }, Bound::Member(set)))
                    if locals.contains(l) && !typed.contains(l) && self.value(set).is_exact() =>
                {
                    typed.push(*l);
                }
                _ => return Some(false),
            }
        }
        Some(typed.len() == locals.len() || conjuncts.is_empty())
    }

    pub(super) fn allows(&mut self, bound: &Bound<'_>) -> Layout {
        match bound {
            Bound::Equal(value) => self.value(value),
            Bound::Member(set) => self.value(set).element(),
            Bound::Subset(value) => self.value(value).part(),
        }
    }
}

/// The part of a couple's layout that belongs to a local in a pattern `x |-> y`.
fn component(pattern: &Expr, whole: &Layout, local: LocalId) -> Option<Layout> {
    match &pattern.kind {
        ExprKind::Local(l) => (*l == local).then(|| whole.clone()),
        ExprKind::Binary(BinaryOp::Maplet, a, b) => {
            let (x, y) = whole.sides();
            component(a, &x, local).or_else(|| component(b, &y, local))
        }
        _ => None,
    }
}

pub(super) enum Bound<'e> {
    Equal(&'e Expr),
    Member(&'e Expr),
    Subset(&'e Expr),
}

impl<'e> Bound<'e> {
    /// The right side.
    pub(super) fn right(&self) -> &'e Expr {
        match self {
            Bound::Equal(e) | Bound::Member(e) | Bound::Subset(e) => e,
        }
    }
}

/// A conjunct that says of its left side what it is, where it lies, or what it is part of.
pub(super) fn constraint(p: &Pred) -> Option<(&Expr, Bound<'_>)> {
    match &p.kind {
        PredKind::Compare(CompareOp::Equal, a, b) => Some((a, Bound::Equal(b))),
        PredKind::Compare(CompareOp::Member, a, b) => Some((a, Bound::Member(b))),
        PredKind::Compare(CompareOp::Subset, a, b) => Some((a, Bound::Subset(b))),
        _ => None,
    }
}
