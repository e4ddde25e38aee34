//! Which variables, constants and locals always hold functions, or even sequences.
//!
//! A relation that provably is a function in every state is represented by its domain and its
//! values, a sequence by its length and its values, which keeps most queries free of quantifiers. The proof is syntactic: every assignment to
//! the variable, the initialisation included, has a right side that is a function whenever the
//! functions among its operands are. What starts as a function under all assignments stays one, so
//! the largest set of names that is closed under this is found by removing offenders until nothing
//! changes. An invariant conjunct is never used, since it may be false in the model at hand.
//!
//! A constant counts if an axiom says so, a parameter or `ANY` local if its own guard says so:
//! other values are excluded by that very conjunct.

use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::Names;

/// What a relation always is; later ones are also earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Kind {
    /// Nothing is known, or it is no relation at all.
    #[default]
    Any,
    /// A partial function.
    Function,
    /// A sequence.
    Sequence,
}

impl Kind {
    /// The most that values of a type can be.
    fn most(ty: &Type) -> Kind {
        match ty.as_relation() {
            Some((Type::Int, _)) => Kind::Sequence,
            Some(_) => Kind::Function,
            None => Kind::Any,
        }
    }
}

/// What the names of a model always hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Functional {
    /// By [`VarId`].
    pub variables: Vec<Kind>,
    /// By [`ConstId`].
    pub constants: Vec<Kind>,
    /// By [`LocalId`]; [`Kind::Any`] for locals bound by quantifiers.
    pub locals: Vec<Kind>,
}

impl Functional {
    /// No name at all: every relation is a set of couples.
    pub fn none(model: &Model) -> Functional {
        Functional {
            variables: vec![Kind::Any; model.variables.len()],
            constants: vec![Kind::Any; model.constants.len()],
            locals: vec![Kind::Any; model.locals.len()],
        }
    }

    /// Analyses a model.
    pub fn of(model: &Model) -> Functional {
        let most = |v: &Variable| Kind::most(&v.ty);
        let mut known = Functional {
            variables: model.variables.iter().map(most).collect(),
            constants: vec![Kind::Any; model.constants.len()],
            locals: vec![Kind::Any; model.locals.len()],
        };
        known.constants_from_axioms(model);
        let bodies: Vec<&Subst> =
            model.events.iter().map(|e| &e.body).chain([&model.initialisation]).collect();
        for event in &model.events {
            for &r in &event.results {
                known.locals[r.index()] = most(&model.locals[r.index()]);
            }
            if let SubstKind::Select { branches, otherwise: None, .. } = &event.body.kind
                && let [(guard, _)] = branches.as_slice()
            {
                for &p in &event.parameters {
                    known.locals[p.index()] = most(&model.locals[p.index()]);
                }
                known.restrict_by_guard(&event.parameters, guard);
            }
        }
        for body in &bodies {
            known.start(model, body);
        }
        loop {
            let mut next = known.clone();
            for body in &bodies {
                next.restrict(body);
            }
            for event in &model.events {
                if let SubstKind::Select { branches, .. } = &event.body.kind
                    && let [(guard, _)] = branches.as_slice()
                {
                    next.restrict_by_guard(&event.parameters, guard);
                }
            }
            if next == known {
                return known;
            }
            known = next;
        }
    }

    fn constants_from_axioms(&mut self, model: &Model) {
        // Each round may rest on the constants of the rounds before: a least fixpoint, since
        // `c = d & d = c` says nothing.
        loop {
            let mut changed = false;
            for axiom in &model.axioms {
                let Some((left, right)) = constraint(&axiom.pred) else { continue };
                let ExprKind::Const(c) = left.kind else { continue };
                let kind = self.allows(&right).min(Kind::most(&left.ty));
                if kind > self.constants[c.index()] {
                    self.constants[c.index()] = kind;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Assumes the best of the locals that a substitution assigns or chooses.
    fn start(&mut self, model: &Model, s: &Subst) {
        let mut assume = |locals: &mut dyn Iterator<Item = LocalId>| {
            for l in locals {
                self.locals[l.index()] = Kind::most(&model.locals[l.index()].ty);
            }
        };
        match &s.kind {
            SubstKind::BecomesSuch(_, targets, _) => assume(&mut targets.iter().map(|t| t.1)),
            SubstKind::Any(_, locals, ..) | SubstKind::Var(locals, _) => assume(&mut locals.iter().copied()),
            SubstKind::Let(bindings, _) => assume(&mut bindings.iter().map(|b| b.0)),
            _ => {}
        }
        for part in parts(s) {
            self.start(model, part);
        }
    }

    /// Removes what an assignment inside `s` may make a proper relation.
    fn restrict(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Assign(list) => {
                for (target, value) in list {
                    self.lower(*target, self.value(value));
                }
            }
            SubstKind::BecomesIn(_, targets, set) => {
                for (target, kind) in targets.iter().zip(self.components(set, targets.len())) {
                    self.lower(*target, kind);
                }
            }
            SubstKind::BecomesSuch(_, targets, p) => {
                let locals: Vec<LocalId> = targets.iter().map(|t| t.1).collect();
                self.restrict_by_guard(&locals, p);
                for (target, local) in targets {
                    self.lower(*target, self.locals[local.index()]);
                }
            }
            SubstKind::Any(_, locals, p, _) => self.restrict_by_guard(locals, p),
            SubstKind::Let(bindings, _) => {
                for (local, value) in bindings {
                    self.lower(Target::Local(*local), self.value(value));
                }
            }
            _ => {}
        }
        for part in parts(s) {
            self.restrict(part);
        }
    }

    fn lower(&mut self, target: Target, kind: Kind) {
        let known = match target {
            Target::Var(v) => &mut self.variables[v.index()],
            Target::Local(l) => &mut self.locals[l.index()],
        };
        *known = kind.min(*known);
    }

    /// Keeps the locals that a conjunct of `guard` makes functions. A conjunct that uses the local
    /// before that one might be ill-defined for a relation, which must not be lost.
    fn restrict_by_guard(&mut self, locals: &[LocalId], guard: &Pred) {
        let conjuncts = conjuncts(guard);
        for &local in locals {
            // The local says nothing about itself.
            let before = std::mem::take(&mut self.locals[local.index()]);
            if before == Kind::Any {
                continue;
            }
            let first = conjuncts.iter().find(|c| Names::of_pred(c).locals.contains(&local));
            let kind = match first.and_then(|c| constraint(c)) {
                Some((left, right)) if matches!(left.kind, ExprKind::Local(l) if l == local) => {
                    self.allows(&right)
                }
                _ => Kind::Any,
            };
            self.locals[local.index()] = kind.min(before);
        }
    }

    fn allows(&self, bound: &Bound<'_>) -> Kind {
        match bound {
            Bound::Equal(value) => self.value(value),
            Bound::Member(set) => self.set(set),
            Bound::Subset(value) => self.value(value).min(Kind::Function),
        }
    }

    /// For each of `n` components of the couples in a set, what it always is.
    fn components(&self, set: &Expr, n: usize) -> Vec<Kind> {
        if n <= 1 {
            return vec![self.set(set)];
        }
        match &set.kind {
            ExprKind::Binary(BinaryOp::Cartesian, left, right) => {
                let mut all = self.components(left, n - 1);
                all.push(self.set(right));
                all
            }
            _ => vec![Kind::Any; n],
        }
    }

    /// What every element of a set is.
    fn set(&self, set: &Expr) -> Kind {
        use BinaryOp::*;
        match &set.kind {
            ExprKind::Binary(op, a, b) => match op {
                PartialFunction | TotalFunction | PartialInjection | TotalInjection | PartialSurjection
                | TotalSurjection | PartialBijection | TotalBijection => Kind::Function,
                Union => self.set(a).min(self.set(b)),
                Intersection => self.set(a).max(self.set(b)),
                Difference => self.set(a),
                _ => Kind::Any,
            },
            ExprKind::Unary(op, a) => match op {
                UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
                    Kind::Sequence
                }
                UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 => {
                    self.value(a).min(Kind::Function)
                }
                _ => Kind::Any,
            },
            ExprKind::SetExtension(items) => {
                items.iter().map(|x| self.value(x)).min().unwrap_or(Kind::Sequence)
            }
            ExprKind::EmptySet => Kind::Sequence,
            ExprKind::Comprehension(locals, p) => {
                let [local] = locals.as_slice() else { return Kind::Any };
                let own = |e: &Expr| matches!(e.kind, ExprKind::Local(l) if l == *local);
                let all = conjuncts(p).into_iter().filter_map(constraint);
                all.filter(|(left, _)| own(left))
                    .map(|(_, right)| self.allows(&right))
                    .max()
                    .unwrap_or_default()
            }
            _ => Kind::Any,
        }
    }

    /// What the value of an expression always is, where it has one.
    pub fn value(&self, e: &Expr) -> Kind {
        use BinaryOp::*;
        let function = |holds: bool| if holds { Kind::Function } else { Kind::Any };
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => self.variables[v.index()],
            ExprKind::Const(c) => self.constants[c.index()],
            ExprKind::Local(l) => self.locals[l.index()],
            ExprKind::EmptySet | ExprKind::SeqExtension(_) => Kind::Sequence,
            ExprKind::SetExtension(items) => function(distinct_keys(items)),
            ExprKind::Binary(op, a, b) => match op {
                Override | Composition | DirectProduct | ParallelProduct => {
                    self.value(a).min(self.value(b)).min(Kind::Function)
                }
                Concat => self.value(a).min(self.value(b)),
                Append | Take | Drop => self.value(a),
                Prepend => self.value(b),
                DomainRestriction | DomainSubtraction => self.value(b).min(Kind::Function),
                RangeRestriction | RangeSubtraction | Difference => self.value(a).min(Kind::Function),
                Intersection => self.value(a).max(self.value(b)).min(Kind::Function),
                Cartesian => function(matches!(&b.kind, ExprKind::SetExtension(one) if one.len() == 1)),
                Union => match (&a.kind, &b.kind) {
                    (ExprKind::EmptySet, _) => self.value(b),
                    (_, ExprKind::EmptySet) => self.value(a),
                    (ExprKind::SetExtension(x), ExprKind::SetExtension(y)) => {
                        function(distinct_keys(&x.iter().chain(y).cloned().collect::<Vec<_>>()))
                    }
                    _ => Kind::Any,
                },
                _ => Kind::Any,
            },
            ExprKind::Unary(op, a) => match op {
                UnaryOp::Id | UnaryOp::Fnc => Kind::Function,
                UnaryOp::Front | UnaryOp::Tail | UnaryOp::Rev => self.value(a),
                _ => Kind::Any,
            },
            ExprKind::Quantified(QuantOp::Lambda, ..) => Kind::Function,
            ExprKind::If(_, a, b) => self.value(a).min(self.value(b)),
            ExprKind::Let(_, a) => self.value(a),
            _ => Kind::Any,
        }
    }
}

enum Bound<'e> {
    Equal(&'e Expr),
    Member(&'e Expr),
    Subset(&'e Expr),
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

/// The conjuncts of a predicate, in order.
pub fn conjuncts(p: &Pred) -> Vec<&Pred> {
    match &p.kind {
        PredKind::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        PredKind::True => vec![],
        _ => vec![p],
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

/// The substitutions directly inside another.
pub(crate) fn parts(s: &Subst) -> Vec<&Subst> {
    match &s.kind {
        SubstKind::Skip | SubstKind::Assign(_) | SubstKind::BecomesIn(..) | SubstKind::BecomesSuch(..) => {
            vec![]
        }
        SubstKind::Pre(_, body)
        | SubstKind::Assert(_, _, body)
        | SubstKind::Any(_, _, _, body)
        | SubstKind::Let(_, body)
        | SubstKind::Var(_, body)
        | SubstKind::While { body, .. } => vec![body],
        SubstKind::Choice(_, all) | SubstKind::Sequence(all) | SubstKind::Parallel(all) => {
            all.iter().collect()
        }
        SubstKind::If(branches, otherwise) => branches.iter().map(|b| &b.1).chain([&**otherwise]).collect(),
        SubstKind::Select { branches, otherwise, .. } => {
            branches.iter().map(|b| &b.1).chain(otherwise.as_deref()).collect()
        }
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
        crate::disjoint::overrides(&mut model.events[0].body);
        let letters: String = Functional::of(&model)
            .variables
            .iter()
            .map(|k| match k {
                Kind::Any => '-',
                Kind::Function => 'f',
                Kind::Sequence => 's',
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
}
