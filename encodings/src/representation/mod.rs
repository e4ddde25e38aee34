//! Representations: what variables, constants and locals always hold, found by abstract interpretation.
//!
//! A relation that provably is a function in every state is represented by its domain and its
//! values, a sequence by its length and its values, a set of numbers from 1 to 3 by three conditions;
//! so are functions and sets that are values of a function. This keeps most queries free of quantifiers.
//! The proof is syntactic: every assignment to the variable, the initialisation included, has a right
//! side within the bound, given that all names are within theirs. Bounds start with no value at all and
//! grow until this is so. An invariant conjunct is never used, since it may be false in the model at
//! hand.
//!
//! A local of `VAR` and a result are bounded by what is assigned to them: where one is read before that,
//! the execution fails, so that nothing comes of it.
//!
//! A constant counts if an axiom says so, a parameter or `ANY` local if its own guard says so:
//! other values are excluded by that very conjunct.

pub(crate) mod disjoint;
pub mod fits;
pub mod layout;
pub mod predicate;

use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, always_assigned, conjuncts, parts};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Name;

use crate::expr::walk::always_defined;
use crate::representation::layout::{Function, Layout};

/// What the names of a model always hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Functional {
    /// By [`VarId`].
    pub variables: Vec<Layout>,
    /// By [`ConstId`].
    pub constants: Vec<Layout>,
    /// By [`LocalId`].
    pub locals: Vec<Layout>,
}

/// How much of what is found out about a variable is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of it.
    All,
    /// All but what it says of integers.
    Kinds,
    /// Nothing: the variable may have any value.
    Nothing,
}

impl Kept {
    fn of(self, layout: Layout) -> Layout {
        match self {
            Kept::All => layout,
            Kept::Kinds => layout.without_numbers(),
            Kept::Nothing => Layout::Any,
        }
    }
}

impl Functional {
    /// No name at all: every relation is a set of couples.
    pub fn none(model: &Model) -> Functional {
        Functional {
            variables: vec![Layout::Any; model.variables.len()],
            constants: vec![Layout::Any; model.constants.len()],
            locals: vec![Layout::Any; model.locals.len()],
        }
    }

    /// Analyses a model; `determined` are the values of the constants that are known, by [`ConstId`].
    pub fn of(model: &Model, determined: &[Option<Value>]) -> Functional {
        Functional::keeping(model, determined, &vec![Kept::All; model.variables.len()])
    }

    /// The same with less known of some variables, by [`VarId`]: the bounds of other names may rest on that, and then
    /// are wider as well.
    pub fn keeping(model: &Model, determined: &[Option<Value>], kept: &[Kept]) -> Functional {
        Functional::grown(model, determined, vec![Layout::Never; model.variables.len()], kept)
    }

    /// The least bounds that hold `start` and everything that is assigned.
    fn grown(model: &Model, determined: &[Option<Value>], start: Vec<Layout>, kept: &[Kept]) -> Functional {
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
}

impl Functional {
    /// What unknowns can be where predicates hold, under the values of the names that have one.
    ///
    /// Values that a predicate excludes are left out only as long as no predicate before it speaks of the unknown and
    /// might be ill-defined: whoever asks has to hear of that.
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

    /// The layout of a name.
    pub(crate) fn of_name(&mut self, name: Name) -> Option<&mut Layout> {
        match name {
            Name::Const(c) => self.constants.get_mut(c.index()),
            Name::Var(v) | Name::Old(v) => self.variables.get_mut(v.index()),
            Name::Local(l) => self.locals.get_mut(l.index()),
        }
    }
}

/// The name that an expression is.
pub(crate) fn name_of(e: &Expr) -> Option<Name> {
    match e.kind {
        ExprKind::Const(c) => Some(Name::Const(c)),
        ExprKind::Local(l) => Some(Name::Local(l)),
        ExprKind::Var(v) => Some(Name::Var(v)),
        _ => None,
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
struct Analysis<'a> {
    model: &'a Model,
    known: &'a mut Functional,
    /// By [`VarId`].
    kept: &'a [Kept],
}

impl Analysis<'_> {
    fn constants(&mut self, determined: &[Option<Value>]) {
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
    fn bind(&mut self, locals: &[LocalId], p: &Pred) -> Option<bool> {
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

    fn allows(&mut self, bound: &Bound<'_>) -> Layout {
        match bound {
            Bound::Equal(value) => self.value(value),
            Bound::Member(set) => self.value(set).element(),
            Bound::Subset(value) => self.value(value).part(),
        }
    }

    /// Bound of the elements of an extension.
    fn join_all<'e>(&mut self, items: impl IntoIterator<Item = &'e Expr>) -> Layout {
        let mut layout = Layout::Never;
        for item in items {
            match self.value(item) {
                Layout::Never => return Layout::Never,
                value => layout = layout.join(value),
            }
        }
        layout
    }

    /// What the value of an expression always is, where it has one. As long as an operand has none,
    /// the result has none.
    fn value(&mut self, e: &Expr) -> Layout {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => self.known.variables[v.index()].clone(),
            ExprKind::Const(c) => self.known.constants[c.index()].clone(),
            ExprKind::Local(l) => self.known.locals[l.index()].clone(),
            ExprKind::Integer(n) => n.to_i64().map_or(Layout::Any, |n| Layout::Range(n, n)),
            ExprKind::EmptySet => Layout::empty(&e.ty),
            ExprKind::Carrier(_) | ExprKind::Set(BuiltinSet::Bool | BuiltinSet::Integer) => {
                Layout::set(Layout::Any, true)
            }
            ExprKind::SetExtension(items) => self.extension(items),
            ExprKind::SeqExtension(items) => {
                let value = self.join_all(items);
                if value == Layout::Never {
                    return Layout::Never;
                }
                let keys = Layout::Range(1, items.len() as i64);
                Layout::Function(Box::new(Function { keys, total: true, sequence: true, value }))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Apply(f, _) => match self.value(f) {
                Layout::Function(f) => f.value,
                other => other.element().sides().1,
            },
            ExprKind::Comprehension(locals, p) => {
                let Some(exact) = self.bind(locals, p) else { return Layout::Never };
                match self.couple(locals) {
                    Layout::Never => Layout::empty(&e.ty),
                    element => Layout::set(element, exact),
                }
            }
            ExprKind::Quantified(op, locals, p, body) => {
                let Some(exact) = self.bind(locals, p) else { return Layout::Never };
                let keys = self.couple(locals);
                let value = self.value(body);
                match op {
                    QuantOp::Lambda => Layout::function(keys, exact, value),
                    QuantOp::Image => Layout::set(value, false),
                    QuantOp::Union => value.elements().map_or(Layout::Any, |e| Layout::set(e.0, false)),
                    _ => Layout::Any,
                }
            }
            ExprKind::If(_, a, b) => self.value(a).join(self.value(b)),
            ExprKind::Let(bindings, body) => {
                for (local, value) in bindings {
                    let value = self.value(value);
                    self.known.locals[local.index()] = value;
                }
                self.value(body)
            }
            _ => Layout::Any,
        }
    }

    /// The left-nested couple of locals.
    fn couple(&self, locals: &[LocalId]) -> Layout {
        let all = locals.iter().map(|l| self.known.locals[l.index()].clone());
        all.reduce(Layout::pair).unwrap_or_default()
    }

    fn extension(&mut self, items: &[Expr]) -> Layout {
        let element = self.join_all(items);
        if element == Layout::Never {
            return element;
        }
        if distinct_keys(items) {
            let keys: Vec<&Expr> = items.iter().filter_map(|x| maplet(x).map(|m| m.0)).collect();
            let total = self.is_all(&keys);
            let (keys, value) = element.sides();
            return Layout::function(keys, total, value);
        }
        let exact = self.is_all(&items.iter().collect::<Vec<_>>());
        Layout::set(element, exact)
    }

    /// Whether literals are all the values of their layout.
    fn is_all(&mut self, items: &[&Expr]) -> bool {
        let mut different: Vec<&Expr> = vec![];
        for x in items {
            if !is_literal(x) {
                return false;
            }
            if !different.iter().any(|y| y.kind == x.kind) {
                different.push(x);
            }
        }
        let Some(first) = different.first() else { return true };
        match &first.kind {
            ExprKind::Bool(_) => different.len() == 2,
            ExprKind::Element(id, _) => match &self.model.carriers[id.index()].kind {
                CarrierKind::Enumerated(names) => different.len() == names.len(),
                CarrierKind::Deferred => false,
            },
            ExprKind::Integer(_) => match self.join_all(items.iter().copied()) {
                Layout::Range(low, high) => high.checked_sub(low) == Some(different.len() as i64 - 1),
                _ => false,
            },
            _ => false,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Layout {
        use BinaryOp::*;
        let (x, y) = (self.value(a), self.value(b));
        if x == Layout::Never || y == Layout::Never {
            return Layout::Never;
        }
        if let Some(space) = op.relation_space() {
            if !space.functional {
                return Layout::set(Layout::set(Layout::pair(x.element(), y.element()), false), false);
            }
            let total = space.total && x.is_exact();
            return Layout::set(Layout::function(x.element(), total, y.element()), false);
        }
        let functions = match (&x, &y) {
            (Layout::Function(f), Layout::Function(g)) => Some((&**f, &**g)),
            _ => None,
        };
        match op {
            Interval => match (x, y) {
                (Layout::Range(low, a), Layout::Range(b, high)) if low <= high => {
                    Layout::set(Layout::Range(low, high), low == a && b == high)
                }
                (Layout::Range(..), Layout::Range(..)) => Layout::set(Layout::Never, true),
                _ => Layout::set(Layout::Any, false),
            },
            Maplet => Layout::pair(x, y),
            Override => match functions {
                Some((f, g)) => {
                    let keys = f.keys.clone().join(g.keys.clone());
                    let total = f.total && keys == f.keys || g.total && keys == g.keys;
                    Layout::function(keys, total, f.value.clone().join(g.value.clone()))
                }
                None => Layout::set(x.element().join(y.element()), false),
            },
            Union => match (&a.kind, &b.kind) {
                (ExprKind::EmptySet, _) => y,
                (_, ExprKind::EmptySet) => x,
                (ExprKind::SetExtension(p), ExprKind::SetExtension(q)) => {
                    self.extension(&p.iter().chain(q).cloned().collect::<Vec<_>>())
                }
                _ => Layout::set(x.element().join(y.element()), false),
            },
            Intersection => x.part().meet(y.part()),
            Difference | RangeRestriction | RangeSubtraction => x.part(),
            DomainRestriction | DomainSubtraction => y.part(),
            Composition => match functions {
                Some((f, g)) => Layout::function(f.keys.clone(), false, g.value.clone()),
                None => Layout::set(Layout::pair(x.element().sides().0, y.element().sides().1), false),
            },
            DirectProduct => match functions {
                Some((f, g)) => {
                    let value = Layout::pair(f.value.clone(), g.value.clone());
                    Layout::function(f.keys.clone().meet(g.keys.clone()), false, value)
                }
                None => Layout::Any,
            },
            ParallelProduct => match functions {
                Some((f, g)) => {
                    let value = Layout::pair(f.value.clone(), g.value.clone());
                    Layout::function(Layout::pair(f.keys.clone(), g.keys.clone()), false, value)
                }
                None => Layout::Any,
            },
            Cartesian => {
                let (left, right) = (x.element(), y.element());
                match &b.kind {
                    ExprKind::SetExtension(one) if one.len() == 1 => {
                        Layout::function(left, x.is_exact(), right)
                    }
                    _ => Layout::set(Layout::pair(left, right), x.is_exact() && y.is_exact()),
                }
            }
            Image => Layout::set(x.element().sides().1, false),
            Concat => match functions {
                Some((f, g)) => extended(f, g.value.clone(), f.sequence && g.sequence),
                None => Layout::Any,
            },
            Append | Take | Drop | Prepend => {
                let (s, other) = if op == Prepend { (&y, &x) } else { (&x, &y) };
                match s.as_function() {
                    Some(f) if matches!(op, Take | Drop) => shortened(f),
                    Some(f) => extended(f, other.clone(), f.sequence),
                    None => Layout::Any,
                }
            }
            _ => Layout::Any,
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> Layout {
        use UnaryOp::*;
        let x = self.value(a);
        if x == Layout::Never {
            return x;
        }
        match op {
            Pow | Pow1 | Fin | Fin1 => Layout::set(x.part(), false),
            Dom => match &x {
                Layout::Function(f) => Layout::set(f.keys.clone(), f.total),
                _ => Layout::set(x.element().sides().0, false),
            },
            Ran => Layout::set(x.element().sides().1, false),
            Inverse => {
                let (k, v) = x.element().sides();
                Layout::set(Layout::pair(v, k), false)
            }
            Id => Layout::function(x.element(), x.is_exact(), x.element()),
            Fnc => Layout::function(Layout::Any, false, Layout::Any),
            GeneralUnion => Layout::set(x.element().element(), false),
            Seq | Seq1 | Iseq | Iseq1 | Perm => Layout::set(Layout::sequence(x.element()), false),
            Front | Tail | Rev => x.as_function().map_or(Layout::Any, shortened),
            FirstOf => x.sides().0,
            SecondOf => x.sides().1,
            _ => Layout::Any,
        }
    }
}

/// A sequence with further elements.
fn extended(f: &Function, value: Layout, sequence: bool) -> Layout {
    let value = f.value.clone().join(value);
    Layout::Function(Box::new(Function { keys: Layout::Any, total: false, sequence, value }))
}

/// A part of a sequence, moved to its front, or in another order.
fn shortened(f: &Function) -> Layout {
    let keys = match f.keys {
        Layout::Range(low, high) => Layout::Range(low.min(1), high),
        ref other => other.clone(),
    };
    Layout::Function(Box::new(Function { keys, total: false, ..f.clone() }))
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

fn maplet(e: &Expr) -> Option<(&Expr, &Expr)> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Maplet, a, b) => Some((a, b)),
        _ => None,
    }
}

enum Bound<'e> {
    Equal(&'e Expr),
    Member(&'e Expr),
    Subset(&'e Expr),
}

impl<'e> Bound<'e> {
    /// The right side.
    fn right(&self) -> &'e Expr {
        match self {
            Bound::Equal(e) | Bound::Member(e) | Bound::Subset(e) => e,
        }
    }
}

/// A conjunct that says of its left side what it is, where it lies, or what it is part of.
fn constraint(p: &Pred) -> Option<(&Expr, Bound<'_>)> {
    match &p.kind {
        PredKind::Compare(CompareOp::Equal, a, b) => Some((a, Bound::Equal(b))),
        PredKind::Compare(CompareOp::Member, a, b) => Some((a, Bound::Member(b))),
        PredKind::Compare(CompareOp::Subset, a, b) => Some((a, Bound::Subset(b))),
        _ => None,
    }
}

/// Whether a set extension is made of maplets whose left sides are different literals.
fn distinct_keys(items: &[Expr]) -> bool {
    if let [one] = items {
        return matches!(one.kind, ExprKind::Binary(BinaryOp::Maplet, ..));
    }
    let mut keys: Vec<&Expr> = vec![];
    for item in items {
        let ExprKind::Binary(BinaryOp::Maplet, key, _) = &item.kind else { return false };
        if !is_literal(key) || keys.iter().any(|k| k.kind == key.kind || !comparable(k, key)) {
            return false;
        }
        keys.push(key);
    }
    true
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Element(..) | ExprKind::Integer(_) | ExprKind::Bool(_) | ExprKind::String(_) => true,
        ExprKind::Binary(BinaryOp::Maplet, a, b) => is_literal(a) && is_literal(b),
        _ => false,
    }
}

/// Couples carry spans, so that equal ones may look different: they are compared part by part.
fn comparable(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(_, a1, a2), ExprKind::Binary(_, b1, b2)) => {
            (a1.kind != b1.kind && comparable(a1, b1)) || (a2.kind != b2.kind && comparable(a2, b2))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_language::source::{Source, Sources};

    use super::*;

    /// The kinds of the variables of a machine with one operation, as letters.
    fn check(typing: &str, init: &str, op: &str, expected: &str) {
        let names: Vec<&str> = typing.split('&').filter_map(|c| c.split_whitespace().next()).collect();
        let text = format!(
            "MACHINE m SETS E = {{a, b}}; S CONSTANTS c, d PROPERTIES c : E --> S & d : E <-> S VARIABLES {} \
             INVARIANT {typing} INITIALISATION {init} OPERATIONS op(p) = {op} END",
            names.join(", ")
        );
        let mut sources = Sources::default();
        let id = sources.add(Source::new("m.mch", text.as_str()));
        let (machine, problems) = bsym_language::parser::parse(&sources, id);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let (model, problems) = bsym_language::check::check(Arc::new(sources), &machine, &mut |_: &str| None);
        let mut model = model.unwrap_or_else(|| panic!("{text}: {problems:?}"));
        crate::representation::disjoint::overrides(&mut model.events[0].body, []);
        let letters: String = Functional::of(&model, &[])
            .variables
            .iter()
            .map(|l| match l.as_function() {
                None => '-',
                Some(f) if f.sequence => 's',
                Some(_) => 'f',
            })
            .collect();
        assert_eq!(letters, expected, "{text}");
    }

    #[test]
    fn assignments_keep_functions() {
        let f = "f : E <-> S";
        check(f, "f := {}", "PRE p : S THEN f(a) := p END", "f");
        check(f, "f := {}", "PRE p : S THEN f := {a} <<| f \\/ {} END", "f");
        check(f, "f := c", "PRE p : S THEN f := f |> {p} END", "f");
        check(f, "f := d", "PRE p : S THEN f := f |> {p} END", "-");
        check(f, "f := {}", "PRE p : S THEN f := f \\/ {a |-> p} END", "-");
        check(f, "f := {}", "PRE p : E - dom(f) THEN f := f \\/ {p |-> c(p)} END", "f");
        check(f, "f := {}", "SELECT a /: dom(f) & p = p THEN f := {a |-> c(p)} \\/ f END", "f");
        check(f, "f := {}", "SELECT b /: dom(f) & p = p THEN f := {a |-> c(p)} \\/ f END", "-");
        check(f, "f := {}", "IF a : dom(f) THEN skip ELSE f := {a |-> c(p)} \\/ f END", "f");
        check(f, "f :: E --> S", "PRE p : S THEN f := {a |-> p, b |-> p} END", "f");
        let swap = |guard: &str| {
            format!("ANY x, y WHERE x : E & y : E & {guard} THEN f := f <+ {{x |-> p, y |-> c(x)}} END")
        };
        check(f, "f := {}", &swap("x /= y"), "f");
        check(f, "f := {}", &swap("not(y = x)"), "f");
        check(f, "f := {}", &swap("x /= a"), "-");
        check(f, "f := {}", &swap("x = y"), "-");
    }

    #[test]
    fn choices_keep_functions_if_their_predicate_says_so() {
        let f = "f : E <-> S";
        check(f, "f : (f : E +-> S)", "PRE p : E +-> S THEN f := p END", "f");
        check(f, "f : (f : E <-> S)", "PRE p : E +-> S THEN f := p END", "-");
        // The value of p at a may be asked before p is known to be a function.
        check(f, "f := {}", "PRE p : E <-> S & p(a) : S & p : E +-> S THEN f := p END", "-");
        check(f, "f := {}", "ANY g WHERE g : E >->> S & p : S THEN f := g END", "f");
    }

    #[test]
    fn functions_depend_on_each_other() {
        check("f : E <-> S & g : E <-> S", "f, g := {}, c", "PRE p : S THEN f, g := g, f END", "ff");
        check("f : E <-> S & g : E <-> S", "f, g := {}, d", "PRE p : S THEN f, g := g, f END", "--");
        check(
            "f : E <-> S & g : E <-> S",
            "f, g := {}, d",
            "PRE p : S THEN IF f = g THEN f := {a |-> p} END END",
            "f-",
        );
    }

    #[test]
    fn sequences_stay_sequences() {
        let q = "q : INTEGER <-> S";
        check(q, "q := []", "PRE p : S THEN q := q <- p END", "s");
        check(q, "q := []", "PRE p : S THEN q(1) := p END", "f");
        check(q, "q :: seq(S)", "PRE p : S THEN q := tail(q) ^ [p] END", "s");
    }

    #[test]
    fn functions_to_functions_and_sets_of_numbers_are_bounded() {
        let text = "MACHINE Panel SETS POSITION = {nose, port} VARIABLES sensors, valid, seen
             INVARIANT sensors : POSITION --> (1..3 --> BOOL) & valid : POSITION --> POW(1..3) & seen <: 1..3
             INITIALISATION sensors := POSITION * {(1..3) * {TRUE}} || valid := POSITION * {1..3} || seen := {}
             OPERATIONS
               read(p, s, v) = SELECT p : POSITION & s : valid(p) & v : BOOL THEN
                 sensors(p) := %x.(x : (1..3) - {s} | TRUE) \\/ {s |-> v} || seen := seen \\/ {s} END;
               flip(p, s) = SELECT p : POSITION & s : valid(p) THEN sensors(p) := sensors(p) <+ {s |-> FALSE} END;
               exclude(p) = SELECT p : POSITION THEN
                 valid(p) := {s | s : valid(p) & sensors(p)(s) = TRUE} || seen := valid(p) END;
               restart = BEGIN sensors := {nose |-> [TRUE, TRUE, FALSE], port |-> {1 |-> TRUE, 3 |-> TRUE, 2 |-> TRUE}} END
             END";
        let mut model =
            bsym_language::load::load_text("Panel.mch", text).model.expect("the machine is right");
        for event in &mut model.events {
            crate::representation::disjoint::overrides(&mut event.body, []);
        }
        let numbers = || Layout::Range(1, 3);
        assert_eq!(
            Functional::of(&model, &[]).variables,
            [
                Layout::function(Layout::Any, true, Layout::function(numbers(), true, Layout::Any)),
                Layout::function(Layout::Any, true, Layout::set(numbers(), false)),
                Layout::set(numbers(), false),
            ]
        );
    }
}
