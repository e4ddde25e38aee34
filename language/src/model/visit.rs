//! Traversals of the typed model: visitors, free names, names that a substitution reads and writes, and the replacement
//! of variables, constants and locals by expressions.

use std::collections::{BTreeMap, BTreeSet};

use crate::int::Int;
use crate::model::types::Type;
use crate::model::*;
use crate::text::source::Span;

macro_rules! traversal {
    (
        $(#[$part_doc:meta])* $part:ident, $expr_parts:ident, $pred_parts:ident, $subst_parts:ident;
        $(#[$doc:meta])* $visitor:ident, $visit:ident, $walk_expr:ident, $walk_pred:ident, $walk_subst:ident
        $(, $mutable:tt)?
    ) => {
        $(#[$part_doc])*
        #[derive(Debug)]
        pub enum $part<'a, T = Type> {
            /// An expression.
            Expr(&'a $($mutable)? Expr<T>),
            /// A predicate.
            Pred(&'a $($mutable)? Pred<T>),
            /// A substitution.
            Subst(&'a $($mutable)? Subst<T>),
            /// A local where it is bound.
            Binder(&'a $($mutable)? LocalId),
            /// A target of an assignment.
            Target(&'a $($mutable)? Target),
            /// A non-deterministic choice.
            Choice(&'a $($mutable)? ChoiceId),
        }

        /// Calls a function for each part of an expression, in the order in which they are written.
        pub fn $expr_parts<'a, T>(e: &'a $($mutable)? Expr<T>, mut f: impl FnMut($part<'a, T>)) {
            use ExprKind::*;
            match & $($mutable)? e.kind {
                Var(_) | Old(_) | Const(_) | Local(_) | Element(..) | Carrier(_) | Integer(_) | Real(_)
                | String(_) | Bool(_) | MaxInt | MinInt | Set(_) | EmptySet | Succ | Pred
                | Abstract(_) | Constructor(..) | TypeParameter(_) => {}
                FreeSet(_, items) | Tree(_, items) | External(_, items) | Call(_, items) => {
                    for x in items { f($part::Expr(x)) }
                }
                SetExtension(items) | SeqExtension(items) => for x in items { f($part::Expr(x)) },
                Unary(_, a) | Field(a, _) => f($part::Expr(a)),
                Binary(_, a, b) | Apply(a, b) | WithField(a, _, b) | Iterate(a, b) | Prj1(a, b) | Prj2(a, b) => {
                    f($part::Expr(a));
                    f($part::Expr(b));
                }
                BoolOf(p) => f($part::Pred(p)),
                Comprehension(ids, p) => {
                    for id in ids { f($part::Binder(id)) }
                    f($part::Pred(p));
                }
                Quantified(_, ids, p, a) => {
                    for id in ids { f($part::Binder(id)) }
                    f($part::Pred(p));
                    f($part::Expr(a));
                }
                Record(fields) | Struct(fields) => for (_, x) in fields { f($part::Expr(x)) },
                If(p, a, b) => {
                    f($part::Pred(p));
                    f($part::Expr(a));
                    f($part::Expr(b));
                }
                Let(bindings, a) => {
                    for (id, x) in bindings {
                        f($part::Expr(x));
                        f($part::Binder(id));
                    }
                    f($part::Expr(a));
                }
            }
        }

        /// Calls a function for each part of a predicate, in the order in which they are written.
        pub fn $pred_parts<'a, T>(p: &'a $($mutable)? Pred<T>, mut f: impl FnMut($part<'a, T>)) {
            use PredKind::*;
            match & $($mutable)? p.kind {
                True | False => {}
                And(ps) | Or(ps) => for x in ps { f($part::Pred(x)) },
                Implies(a, b) | Iff(a, b) => {
                    f($part::Pred(a));
                    f($part::Pred(b));
                }
                Not(a) => f($part::Pred(a)),
                Forall(ids, a) | Exists(ids, a) => {
                    for id in ids { f($part::Binder(id)) }
                    f($part::Pred(a));
                }
                Compare(_, a, b) => {
                    f($part::Expr(a));
                    f($part::Expr(b));
                }
                Finite(a) => f($part::Expr(a)),
                External(_, items) | Call(_, items) => for x in items { f($part::Expr(x)) },
                Partition(a, parts) => {
                    f($part::Expr(a));
                    for x in parts { f($part::Expr(x)) }
                }
                If(a, b, c) => {
                    f($part::Pred(a));
                    f($part::Pred(b));
                    f($part::Pred(c));
                }
                Let(bindings, a) => {
                    for (id, x) in bindings {
                        f($part::Expr(x));
                        f($part::Binder(id));
                    }
                    f($part::Pred(a));
                }
            }
        }

        /// Calls a function for each part of a substitution, in the order in which they are written.
        pub fn $subst_parts<'a, T>(s: &'a $($mutable)? Subst<T>, mut f: impl FnMut($part<'a, T>)) {
            use SubstKind::*;
            match & $($mutable)? s.kind {
                Skip => {}
                Assign(list) => for (t, x) in list {
                    f($part::Target(t));
                    f($part::Expr(x));
                },
                BecomesIn(choice, targets, x) => {
                    f($part::Choice(choice));
                    for t in targets { f($part::Target(t)) }
                    f($part::Expr(x));
                }
                BecomesSuch(choice, targets, p) => {
                    f($part::Choice(choice));
                    for (t, id) in targets {
                        f($part::Target(t));
                        f($part::Binder(id));
                    }
                    f($part::Pred(p));
                }
                Pre(p, body) | Assert(_, p, body) => {
                    f($part::Pred(p));
                    f($part::Subst(body));
                }
                Choice(choice, branches) => {
                    f($part::Choice(choice));
                    for b in branches { f($part::Subst(b)) }
                }
                If(branches, otherwise) => {
                    for (p, b) in branches {
                        f($part::Pred(p));
                        f($part::Subst(b));
                    }
                    f($part::Subst(otherwise));
                }
                Select { choice, branches, otherwise, .. } => {
                    f($part::Choice(choice));
                    for (p, b) in branches {
                        f($part::Pred(p));
                        f($part::Subst(b));
                    }
                    if let Some(b) = otherwise { f($part::Subst(b)) }
                }
                Any(choice, ids, p, body) => {
                    f($part::Choice(choice));
                    for id in ids { f($part::Binder(id)) }
                    f($part::Pred(p));
                    f($part::Subst(body));
                }
                Let(bindings, body) => {
                    for (id, x) in bindings {
                        f($part::Expr(x));
                        f($part::Binder(id));
                    }
                    f($part::Subst(body));
                }
                Var(ids, body) => {
                    for id in ids { f($part::Binder(id)) }
                    f($part::Subst(body));
                }
                Sequence(parts) | Parallel(parts) => for x in parts { f($part::Subst(x)) },
                While { condition, body, invariant, variant } => {
                    f($part::Pred(condition));
                    f($part::Subst(body));
                    f($part::Pred(invariant));
                    f($part::Expr(variant));
                }
            }
        }

        $(#[$doc])*
        pub trait $visitor<T = Type> {
            /// Called for each expression; visits its parts by default.
            fn expr(&mut self, e: & $($mutable)? Expr<T>) {
                $walk_expr(self, e)
            }
            /// Called for each predicate; visits its parts by default.
            fn pred(&mut self, p: & $($mutable)? Pred<T>) {
                $walk_pred(self, p)
            }
            /// Called for each substitution; visits its parts by default.
            fn subst(&mut self, s: & $($mutable)? Subst<T>) {
                $walk_subst(self, s)
            }
            /// Called for each local where it is bound.
            fn binder(&mut self, _local: & $($mutable)? LocalId) {}
            /// Called for each target of an assignment.
            fn target(&mut self, _target: & $($mutable)? Target) {}
            /// Called for each non-deterministic choice.
            fn choice(&mut self, _choice: & $($mutable)? ChoiceId) {}
        }

        fn $visit<T, V: $visitor<T> + ?Sized>(v: &mut V, part: $part<'_, T>) {
            match part {
                $part::Expr(e) => v.expr(e),
                $part::Pred(p) => v.pred(p),
                $part::Subst(s) => v.subst(s),
                $part::Binder(local) => v.binder(local),
                $part::Target(target) => v.target(target),
                $part::Choice(choice) => v.choice(choice),
            }
        }

        /// Visits the parts of an expression.
        pub fn $walk_expr<T, V: $visitor<T> + ?Sized>(v: &mut V, e: & $($mutable)? Expr<T>) {
            $expr_parts(e, |part| $visit(v, part));
        }

        /// Visits the parts of a predicate.
        pub fn $walk_pred<T, V: $visitor<T> + ?Sized>(v: &mut V, p: & $($mutable)? Pred<T>) {
            $pred_parts(p, |part| $visit(v, part));
        }

        /// Visits the parts of a substitution.
        pub fn $walk_subst<T, V: $visitor<T> + ?Sized>(v: &mut V, s: & $($mutable)? Subst<T>) {
            $subst_parts(s, |part| $visit(v, part));
        }
    };
}

traversal!(
    /// A part of an expression, predicate or substitution.
    Part, expr_parts, pred_parts, subst_parts;
    /// Reads a tree.
    Visitor, visit_part, walk_expr, walk_pred, walk_subst
);
traversal!(
    /// A part of an expression, predicate or substitution, to be changed.
    PartMut, expr_parts_mut, pred_parts_mut, subst_parts_mut;
    /// Changes a tree in place.
    VisitorMut, visit_part_mut, walk_expr_mut, walk_pred_mut, walk_subst_mut, mut
);

impl<'a, T> Part<'a, T> {
    /// Returns whether a condition holds for this part or one below it; the order of visits is not specified.
    pub fn any(self, mut condition: impl FnMut(&Part<'a, T>) -> bool) -> bool {
        let mut open = vec![self];
        while let Some(part) = open.pop() {
            if condition(&part) {
                return true;
            }
            match part {
                Part::Expr(e) => expr_parts(e, |part| open.push(part)),
                Part::Pred(p) => pred_parts(p, |part| open.push(part)),
                Part::Subst(s) => subst_parts(s, |part| open.push(part)),
                Part::Binder(_) | Part::Target(_) | Part::Choice(_) => {}
            }
        }
        false
    }
}

/// Visits axioms, invariant and assertions, the initialisation and the bodies of the events.
pub fn walk_model<V: Visitor + ?Sized>(v: &mut V, model: &Model) {
    for c in model.axioms.iter().chain(&model.invariant).chain(&model.assertions) {
        v.pred(&c.pred);
    }
    v.subst(&model.initialisation);
    for event in &model.events {
        v.subst(&event.body);
    }
}

/// Finds whether visited formulas depend on `MAXINT` or `MININT`, also through `INT` and `NAT`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// `true` if one of them does.
    pub found: bool,
}

impl Visitor for Bounds {
    fn expr(&mut self, e: &Expr) {
        self.found |= matches!(
            e.kind,
            ExprKind::MaxInt
                | ExprKind::MinInt
                | ExprKind::Set(BuiltinSet::Int | BuiltinSet::Nat | BuiltinSet::Nat1)
        );
        walk_expr(self, e);
    }
}

/// The largest integer that formulas write.
#[derive(Clone, Debug, Default)]
pub struct LargestLiteral {
    /// It; `None` where they write none.
    pub found: Option<Int>,
}

impl Visitor for LargestLiteral {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Integer(n) = &e.kind
            && self.found.as_ref().is_none_or(|known| known < n)
        {
            self.found = Some(n.clone());
        }
        walk_expr(self, e);
    }
}

impl LargestLiteral {
    /// Returns the largest integer literal of a model.
    pub fn of(model: &Model) -> Option<Int> {
        let mut literals = LargestLiteral::default();
        walk_model(&mut literals, model);
        literals.found
    }
}

/// Visits the definitions of the operators that have one.
pub fn walk_operators<V: Visitor + ?Sized>(v: &mut V, model: &Model) {
    for operator in &model.definitions.operators {
        match &operator.definition {
            OperatorDefinition::Expr(e) => v.expr(e),
            OperatorDefinition::Pred(p) => v.pred(p),
            OperatorDefinition::Axiomatic => {}
        }
    }
}

/// Returns the conjuncts of a predicate at any depth of `&`, in order; `btrue` has none.
pub fn conjuncts<T>(p: &Pred<T>) -> Vec<&Pred<T>> {
    match &p.kind {
        PredKind::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        PredKind::True => vec![],
        _ => vec![p],
    }
}

/// Cuts a predicate, or its negation, into literals that all hold if and only if it does, in the order of evaluation.
/// A literal is a predicate with the truth that it must have.
pub fn cut_into_literals<'p>(positive: bool, pred: &'p Pred, out: &mut Vec<(bool, &'p Pred)>) {
    match (&pred.kind, positive) {
        (PredKind::And(ps), true) | (PredKind::Or(ps), false) => {
            ps.iter().for_each(|p| cut_into_literals(positive, p, out));
        }
        (PredKind::Implies(a, b), false) => {
            cut_into_literals(true, a, out);
            cut_into_literals(false, b, out);
        }
        (PredKind::Not(p), _) => cut_into_literals(!positive, p, out),
        (PredKind::True, true) | (PredKind::False, false) => {}
        _ => out.push((positive, pred)),
    }
}

/// Returns whether an expression binds names: a second copy of it would bind them twice.
pub fn binds<T>(e: &Expr<T>) -> bool {
    Part::Expr(e).any(|part| matches!(part, Part::Binder(_)))
}

/// Erases the places in the text, so that formulas that are written alike are equal.
pub struct Placeless;

impl VisitorMut for Placeless {
    fn expr(&mut self, e: &mut Expr) {
        e.span = Span::default();
        walk_expr_mut(self, e);
    }
    fn pred(&mut self, p: &mut Pred) {
        p.span = Span::default();
        walk_pred_mut(self, p);
    }
}

/// The names that a tree mentions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    /// State variables that are read, also as `x$0`.
    pub variables: BTreeSet<VarId>,
    /// Constants.
    pub constants: BTreeSet<ConstId>,
    /// Locals that are not bound inside.
    pub locals: BTreeSet<LocalId>,
    /// State variables that are assigned.
    pub written: BTreeSet<VarId>,
    /// Locals that are assigned and not bound inside.
    pub written_locals: BTreeSet<LocalId>,
    bound: Vec<LocalId>,
}

impl<T> Visitor<T> for Names {
    fn expr(&mut self, e: &Expr<T>) {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => {
                self.variables.insert(*v);
            }
            ExprKind::Const(c) => {
                self.constants.insert(*c);
            }
            ExprKind::Local(l) => {
                if !self.bound.contains(l) {
                    self.locals.insert(*l);
                }
            }
            _ => self.scoped(|names| walk_expr(names, e)),
        }
    }
    fn pred(&mut self, p: &Pred<T>) {
        self.scoped(|names| walk_pred(names, p));
    }
    fn subst(&mut self, s: &Subst<T>) {
        self.scoped(|names| walk_subst(names, s));
    }
    fn binder(&mut self, local: &LocalId) {
        self.bound.push(*local);
    }
    fn target(&mut self, target: &Target) {
        match target {
            Target::Var(v) => {
                self.written.insert(*v);
            }
            Target::Local(l) => {
                if !self.bound.contains(l) {
                    self.written_locals.insert(*l);
                }
            }
        }
    }
}

impl Names {
    // Names that a node binds are bound in its parts only.
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let outside = self.bound.len();
        walk(self);
        self.bound.truncate(outside);
    }

    /// Free names of an expression.
    pub fn of_expr<T>(e: &Expr<T>) -> Names {
        let mut names = Names::default();
        names.expr(e);
        names
    }

    /// Free names of a predicate.
    pub fn of_pred<T>(p: &Pred<T>) -> Names {
        let mut names = Names::default();
        names.pred(p);
        names
    }

    /// Returns the names that a substitution reads and writes. An assignment to a part (`f(e) := E`) reads `f`.
    pub fn of_subst<T>(s: &Subst<T>) -> Names {
        let mut names = Names::default();
        names.subst(s);
        names
    }
}

/// Returns the substitutions directly inside another.
pub fn parts<T>(s: &Subst<T>) -> Vec<&Subst<T>> {
    let mut inner = vec![];
    subst_parts(s, |part| {
        if let Part::Subst(s) = part {
            inner.push(s);
        }
    });
    inner
}

/// Returns the targets that a substitution assigns on every path through it.
pub fn always_assigned<T>(s: &Subst<T>) -> BTreeSet<Target> {
    match &s.kind {
        SubstKind::Assign(list) => list.iter().map(|a| a.0).collect(),
        SubstKind::BecomesIn(_, list, _) => list.iter().copied().collect(),
        SubstKind::BecomesSuch(_, list, _) => list.iter().map(|t| t.0).collect(),
        SubstKind::Choice(..) | SubstKind::If(..) | SubstKind::Select { .. } => {
            let mut branches = parts(s).into_iter().map(always_assigned);
            let first = branches.next().unwrap_or_default();
            branches.fold(first, |common, own| common.intersection(&own).copied().collect())
        }
        // The body of a loop may never be executed.
        SubstKind::Skip | SubstKind::While { .. } => BTreeSet::new(),
        _ => parts(s).into_iter().flat_map(always_assigned).collect(),
    }
}

/// Expressions to put in the place of names.
///
/// Since every binder of a model has its own [`LocalId`], nothing is captured. A local that is bound
/// inside the tree is not replaced there.
#[derive(Clone, Debug)]
pub struct Replacement<T = Type> {
    /// For state variables.
    pub variables: BTreeMap<VarId, Expr<T>>,
    /// For `x$0`.
    pub old: BTreeMap<VarId, Expr<T>>,
    /// For constants.
    pub constants: BTreeMap<ConstId, Expr<T>>,
    /// For locals: event parameters, bound variables of an opened quantifier.
    pub locals: BTreeMap<LocalId, Expr<T>>,
}

impl<T> Default for Replacement<T> {
    fn default() -> Self {
        let (variables, old, constants, locals) = Default::default();
        Replacement { variables, old, constants, locals }
    }
}

struct Replacer<'r, T> {
    with: &'r Replacement<T>,
    bound: Vec<LocalId>,
}

impl<T> Replacer<'_, T> {
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let outside = self.bound.len();
        walk(self);
        self.bound.truncate(outside);
    }
}

impl<T: Clone> VisitorMut<T> for Replacer<'_, T> {
    fn expr(&mut self, e: &mut Expr<T>) {
        let new = match &e.kind {
            ExprKind::Var(v) => self.with.variables.get(v),
            ExprKind::Old(v) => self.with.old.get(v),
            ExprKind::Const(c) => self.with.constants.get(c),
            ExprKind::Local(l) if self.bound.contains(l) => None,
            ExprKind::Local(l) => self.with.locals.get(l),
            _ => return self.scoped(|r| walk_expr_mut(r, e)),
        };
        if let Some(new) = new {
            *e = new.clone();
        }
    }
    fn pred(&mut self, p: &mut Pred<T>) {
        self.scoped(|r| walk_pred_mut(r, p));
    }
    fn subst(&mut self, s: &mut Subst<T>) {
        self.scoped(|r| walk_subst_mut(r, s));
    }
    fn binder(&mut self, local: &mut LocalId) {
        self.bound.push(*local);
    }
}

impl<T: Clone> Replacement<T> {
    fn replacer(&self) -> Replacer<'_, T> {
        Replacer { with: self, bound: vec![] }
    }

    /// Replaces a target by an expression from now on.
    pub fn assign(&mut self, target: Target, value: Expr<T>) {
        match target {
            Target::Var(v) => self.variables.insert(v, value),
            Target::Local(l) => self.locals.insert(l, value),
        };
    }

    /// Returns the expression with all names replaced at once.
    pub fn in_expr(&self, e: &Expr<T>) -> Expr<T> {
        let mut e = e.clone();
        self.replacer().expr(&mut e);
        e
    }

    /// Returns the predicate with all names replaced at once.
    pub fn in_pred(&self, p: &Pred<T>) -> Pred<T> {
        let mut p = p.clone();
        self.replacer().pred(&mut p);
        p
    }

    /// Returns the substitution with all names that it reads replaced; targets stay.
    pub fn in_subst(&self, s: &Subst<T>) -> Subst<T> {
        let mut s = s.clone();
        self.replacer().subst(&mut s);
        s
    }
}

/// Names and arguments of the constructors of a free type.
type Constructors = Vec<(String, Option<Expr>)>;

/// A model without places and with ids in the order of their first occurrence, so that two readings
/// of equal machines are equal. Texts of conjuncts are left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Normalised {
    carriers: Vec<(String, CarrierKind)>,
    free_types: Vec<(String, u32, Constructors)>,
    constants: Vec<(String, Type)>,
    axioms: Vec<(Option<String>, Pred)>,
    variables: Vec<(String, Type)>,
    invariant: Vec<(Option<String>, Pred)>,
    assertions: Vec<(Option<String>, Pred)>,
    initialisation: Subst,
    events: Vec<(String, Vec<LocalId>, Vec<LocalId>, Subst)>,
    local_types: Vec<Type>,
}

/// Returns the comparable part of a model: everything but names of locals, places, texts, goal and hints.
pub fn normalised(model: &Model) -> Normalised {
    let mut n = Renumber { model, locals: BTreeMap::new(), choices: BTreeMap::new(), types: vec![] };
    let declared = |list: &[Variable]| list.iter().map(|v| (v.name.clone(), v.ty.clone())).collect();
    let mut conjuncts = |list: &[Conjunct]| {
        let strip = |c: &Conjunct| {
            let mut p = c.pred.clone();
            n.pred(&mut p);
            (c.label.clone(), p)
        };
        list.iter().map(strip).collect()
    };
    let (axioms, invariant, assertions) =
        (conjuncts(&model.axioms), conjuncts(&model.invariant), conjuncts(&model.assertions));
    let free_types = model
        .types
        .free_types
        .iter()
        .map(|t| {
            let constructors = t.constructors.iter().map(|c| {
                let mut argument = c.argument.clone();
                argument.iter_mut().for_each(|e| n.expr(e));
                (c.name.clone(), argument)
            });
            (t.name.clone(), t.parameters, constructors.collect())
        })
        .collect();
    let mut initialisation = model.initialisation.clone();
    n.subst(&mut initialisation);
    let mut events = vec![];
    for e in &model.events {
        let (mut parameters, mut results, mut body) =
            (e.parameters.clone(), e.results.clone(), e.body.clone());
        parameters.iter_mut().chain(&mut results).for_each(|l| n.binder(l));
        n.subst(&mut body);
        events.push((e.name.clone(), parameters, results, body));
    }
    Normalised {
        carriers: model.types.carriers.iter().map(|c| (c.name.clone(), c.kind.clone())).collect(),
        free_types,
        constants: declared(&model.constants),
        axioms,
        variables: declared(&model.variables),
        invariant,
        assertions,
        initialisation,
        events,
        local_types: n.types,
    }
}

struct Renumber<'m> {
    model: &'m Model,
    locals: BTreeMap<LocalId, LocalId>,
    choices: BTreeMap<ChoiceId, ChoiceId>,
    types: Vec<Type>,
}

impl VisitorMut for Renumber<'_> {
    fn expr(&mut self, e: &mut Expr) {
        e.span = Span::default();
        if let ExprKind::Local(l) = &mut e.kind {
            self.binder(l);
        }
        walk_expr_mut(self, e);
    }
    fn pred(&mut self, p: &mut Pred) {
        p.span = Span::default();
        walk_pred_mut(self, p);
    }
    fn subst(&mut self, s: &mut Subst) {
        s.span = Span::default();
        walk_subst_mut(self, s);
    }
    fn binder(&mut self, l: &mut LocalId) {
        let next = LocalId(self.locals.len() as u32);
        let new = *self.locals.entry(*l).or_insert(next);
        if new == next {
            self.types.push(self.model.locals[l.index()].ty.clone());
        }
        *l = new;
    }
    fn target(&mut self, t: &mut Target) {
        if let Target::Local(l) = t {
            self.binder(l);
        }
    }
    fn choice(&mut self, c: &mut ChoiceId) {
        let next = ChoiceId(self.choices.len() as u32);
        *c = *self.choices.entry(*c).or_insert(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{check_expression, check_predicate, load_text};
    use crate::print;

    fn model() -> Model {
        let text = "MACHINE M CONSTANTS k PROPERTIES k : NAT VARIABLES x, y, f
INVARIANT x : NAT & y : NAT & f : NAT +-> NAT INITIALISATION x, y, f := 0, 0, {}
OPERATIONS r <-- o(p) = PRE p : NAT THEN ANY z WHERE z : NAT & z > y THEN f(p) := z || r := k || x : (x > x$0) END END END";
        load_text("M.mch", text).model.expect("the machine checks")
    }

    #[test]
    fn reads_and_writes_of_an_operation() {
        let m = model();
        let names = Names::of_subst(&m.events[0].body);
        let of = |vars: &BTreeSet<VarId>| -> Vec<&str> {
            vars.iter().map(|v| m.variables[v.index()].name.as_str()).collect()
        };
        assert_eq!(of(&names.variables), ["x", "y", "f"]);
        assert_eq!(of(&names.written), ["x", "f"]);
        assert_eq!(names.locals.into_iter().collect::<Vec<_>>(), m.events[0].parameters);
        assert_eq!(names.written_locals.into_iter().collect::<Vec<_>>(), m.events[0].results);
        assert_eq!(names.constants.len(), 1);
    }

    #[test]
    fn replaced_names_are_not_captured() {
        let mut m = model();
        let p = check_predicate(&mut m, "#y.(y > x & y : NAT) & y = 1").unwrap();
        let e = check_expression(&mut m, "y + k").unwrap();
        let one = check_expression(&mut m, "1").unwrap();
        let with =
            Replacement { variables: [(VarId(0), e), (VarId(1), one)].into(), ..Replacement::default() };
        assert_eq!(print::pred(&m, &with.in_pred(&p)), "#y_1.(y_1 > y + k & y_1 : NAT) & 1 = 1");
    }

    #[test]
    fn bound_locals_are_not_replaced() {
        let mut m = model();
        let p = check_predicate(&mut m, "#z.(z : NAT)").unwrap();
        let PredKind::Exists(ids, body) = &p.kind else { panic!() };
        let one = check_expression(&mut m, "1").unwrap();
        let with = Replacement { locals: [(ids[0], one)].into(), ..Replacement::default() };
        assert_eq!(with.in_pred(&p), p);
        assert_eq!(print::pred(&m, &with.in_pred(body)), "1 : NAT");
        assert_eq!(Names::of_pred(body).locals.len(), 1);
        assert!(Names::of_pred(&p).locals.is_empty());
    }
}
