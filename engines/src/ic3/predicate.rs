//! The predicates that IC3 abstracts states by, and where they come from.
//!
//! Seeds are the atoms of the model (invariant, guards, conditions, initialisation) and conserved sums. When they do not suffice,
//! templates over the variables are added, then weakest preconditions through deterministic events,
//! then bounds at values met in spurious counterexamples.

use std::collections::BTreeSet;

use bsym_encodings::system::System;
use bsym_encodings::term::Term;
use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, Replacement, Visitor, walk_pred, walk_subst};

use super::conserved;
use super::frame::Cube;

/// A predicate over one state.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// In B.
    pub pred: Pred,
    /// As a term over the current state; true exactly where the predicate is defined and true.
    pub term: Term,
}

/// The predicates in use, without repetitions.
#[derive(Debug, Default)]
pub struct Predicates {
    all: Vec<Predicate>,
    known: BTreeSet<Term>,
}

impl Predicates {
    /// All predicates in the order they were added.
    pub fn all(&self) -> &[Predicate] {
        &self.all
    }

    /// The negation of a cube in B.
    pub fn clause(&self, cube: &Cube) -> Pred {
        let literals: Vec<(Pred, bool)> =
            cube.literals().iter().map(|l| (self.all[l.position].pred.clone(), !l.positive)).collect();
        clause(&literals)
    }

    /// Number of predicates.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a predicate unless it has no term, says nothing, or is there already (also negated). A
    /// predicate that is not defined everywhere is taken only if `always` says that the condition of
    /// its definedness, over the current state, holds wherever the assumed conjuncts hold.
    pub fn add(
        &mut self,
        system: &mut System,
        pred: &Pred,
        always: &mut dyn FnMut(&mut System, Term) -> bool,
    ) -> bool {
        let Ok(encoded) = system.predicate(pred) else { return false };
        let terms = system.terms.clone();
        let t = encoded.holds;
        if t == terms.bool(true) || t == terms.bool(false) || self.known.contains(&t) {
            return false;
        }
        if encoded.defined != terms.bool(true) && !always(system, encoded.defined) {
            return false;
        }
        // Constants alone say nothing about states.
        let symbols: BTreeSet<Term> = system.state_symbols().into_iter().collect();
        let speaks = terms
            .symbols(&[t])
            .iter()
            .any(|&s| symbols.contains(&terms.symbol(&terms.symbol_name(s), terms.symbol_sort(s))));
        if !speaks || terms.quantifiers(&[t]) > 0 && self.all.len() > 40 {
            return false;
        }
        if !self.known.insert(t) {
            return false;
        }
        self.known.insert(terms.not(t));
        self.all.push(Predicate { pred: pred.clone(), term: t });
        true
    }
}

/// A predicate without a place in the source.
fn pred(kind: PredKind) -> Pred {
    Pred { kind, span: Default::default() }
}

/// An expression without a place in the source.
fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Default::default() }
}

fn compare(op: CompareOp, a: Expr, b: Expr) -> Pred {
    pred(PredKind::Compare(op, Box::new(a), Box::new(b)))
}

fn integer(n: Int) -> Expr {
    expr(ExprKind::Integer(n), Type::Int)
}

fn variable(model: &Model, v: VarId) -> Expr {
    expr(ExprKind::Var(v), model.variables[v.index()].ty.clone())
}

fn variables(model: &Model) -> impl Iterator<Item = VarId> {
    (0..model.variables.len() as u32).map(VarId)
}

/// The atoms of invariant, guards, conditions and initialisation that speak of variables and constants
/// only, and the sums that no event changes.
pub fn seeds(model: &Model) -> Vec<Pred> {
    let mut found = vec![];
    for conjunct in model.invariant.iter().chain(&model.assertions) {
        atoms(&conjunct.pred, &mut found);
    }
    found.extend(model.goal.iter().flat_map(|g| {
        let mut of_goal = vec![];
        atoms(g, &mut of_goal);
        of_goal
    }));
    let mut conditions = Conditions(vec![]);
    for event in &model.events {
        conditions.subst(&event.body);
    }
    for condition in &conditions.0 {
        atoms(condition, &mut found);
    }
    let mut initial = Assignments(vec![]);
    initial.subst(&model.initialisation);
    for (v, e) in initial.0 {
        let names = Names::of_expr(&e);
        if names.variables.is_empty() && names.locals.is_empty() {
            found.push(compare(CompareOp::Equal, variable(model, v), e));
        }
    }
    found.retain(|p| Names::of_pred(p).locals.is_empty() && !Names::of_pred(p).variables.is_empty());
    found.extend(conserved::sums(model));
    found
}

/// Splits a predicate into atoms; memberships in intervals and extensions become comparisons.
fn atoms(p: &Pred, found: &mut Vec<Pred>) {
    match &p.kind {
        PredKind::And(all) | PredKind::Or(all) => all.iter().for_each(|q| atoms(q, found)),
        PredKind::Implies(a, b) | PredKind::Iff(a, b) => {
            atoms(a, found);
            atoms(b, found);
        }
        PredKind::Not(a) => atoms(a, found),
        PredKind::If(c, a, b) => [c, a, b].into_iter().for_each(|q| atoms(q, found)),
        PredKind::Compare(CompareOp::Member, x, set) => match &set.kind {
            ExprKind::Binary(BinaryOp::Interval, low, high) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), (**low).clone()));
                found.push(compare(CompareOp::LessEqual, (**x).clone(), (**high).clone()));
            }
            ExprKind::SetExtension(items) if items.len() <= 16 => {
                found.extend(items.iter().map(|i| compare(CompareOp::Equal, (**x).clone(), i.clone())));
            }
            ExprKind::Set(BuiltinSet::Natural | BuiltinSet::Nat) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), integer(Int::ZERO)));
            }
            ExprKind::Set(BuiltinSet::Natural1 | BuiltinSet::Nat1) => {
                found.push(compare(CompareOp::GreaterEqual, (**x).clone(), integer(Int::ONE)));
            }
            ExprKind::Set(_) => {}
            _ => found.push(p.clone()),
        },
        PredKind::True | PredKind::False => {}
        PredKind::Compare(..)
        | PredKind::Forall(..)
        | PredKind::Exists(..)
        | PredKind::Finite(_)
        | PredKind::Partition(..)
        | PredKind::External(..)
        | PredKind::Call(..)
        | PredKind::Let(..) => {
            found.push(p.clone());
        }
    }
}

struct Conditions(Vec<Pred>);

impl Visitor for Conditions {
    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Pre(p, _) | SubstKind::Assert(_, p, _) | SubstKind::Any(_, _, p, _) => {
                self.0.push(p.clone())
            }
            SubstKind::If(branches, _) | SubstKind::Select { branches, .. } => {
                self.0.extend(branches.iter().map(|(p, _)| p.clone()));
            }
            _ => {}
        }
        walk_subst(self, s);
    }
}

struct Assignments(Vec<(VarId, Expr)>);

impl Visitor for Assignments {
    fn subst(&mut self, s: &Subst) {
        if let SubstKind::Assign(all) = &s.kind {
            self.0.extend(all.iter().filter_map(|(target, e)| match target {
                Target::Var(v) => Some((*v, e.clone())),
                Target::Local(_) => None,
            }));
        }
        walk_subst(self, s);
    }
}

struct Literals(BTreeSet<Int>);

impl Visitor for Literals {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Integer(n) = &e.kind {
            self.0.insert(n.clone());
        }
        bsym_language::walk::walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        walk_pred(self, p);
    }
}

/// Candidate predicates by the types of the variables; later rounds hold bolder ones. `None` when there are no more rounds.
pub fn templates(model: &Model, round: usize) -> Option<Vec<Pred>> {
    let mut found = vec![];
    match round {
        0 => {
            for v in variables(model) {
                enumeration(model, v, &mut found);
                if model.variables[v.index()].ty == Type::Int {
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), integer(Int::ZERO)));
                }
            }
            set_pairs(model, &mut found);
        }
        1 => {
            let mut literals = Literals(BTreeSet::new());
            model.invariant.iter().for_each(|c| literals.pred(&c.pred));
            literals.subst(&model.initialisation);
            model.events.iter().for_each(|e| literals.subst(&e.body));
            let ints: Vec<VarId> =
                variables(model).filter(|v| model.variables[v.index()].ty == Type::Int).collect();
            for &v in &ints {
                for n in literals.0.iter().take(12) {
                    found.push(compare(CompareOp::LessEqual, variable(model, v), integer(n.clone())));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), integer(n.clone())));
                }
                for (c, constant) in model.constants.iter().enumerate().filter(|(_, c)| c.ty == Type::Int) {
                    let constant = expr(ExprKind::Const(ConstId(c as u32)), constant.ty.clone());
                    found.push(compare(CompareOp::LessEqual, variable(model, v), constant.clone()));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), constant));
                }
            }
            for (i, &v) in ints.iter().enumerate() {
                for &w in &ints[i + 1..] {
                    found.push(compare(CompareOp::LessEqual, variable(model, v), variable(model, w)));
                    found.push(compare(CompareOp::GreaterEqual, variable(model, v), variable(model, w)));
                }
            }
        }
        _ => return None,
    }
    Some(found)
}

/// `v = c` for every element of a small type.
fn enumeration(model: &Model, v: VarId, found: &mut Vec<Pred>) {
    let ty = &model.variables[v.index()].ty;
    match ty {
        Type::Bool => {
            let truth = expr(ExprKind::Bool(true), Type::Bool);
            found.push(compare(CompareOp::Equal, variable(model, v), truth));
        }
        Type::Carrier(c) => {
            if let CarrierKind::Enumerated(elements) = &model.carriers[c.index()].kind
                && elements.len() <= 32
            {
                for i in 0..elements.len() as u32 {
                    let element = expr(ExprKind::Element(*c, i), ty.clone());
                    found.push(compare(CompareOp::Equal, variable(model, v), element));
                }
            }
            for w in variables(model).filter(|&w| w > v && model.variables[w.index()].ty == *ty) {
                found.push(compare(CompareOp::Equal, variable(model, v), variable(model, w)));
            }
        }
        _ => {}
    }
}

/// Emptiness, disjointness and inclusion of sets of one type: variables, domains and ranges of relations.
fn set_pairs(model: &Model, found: &mut Vec<Pred>) {
    let mut sets: Vec<Expr> = vec![];
    let mut elements: Vec<(Expr, Type)> = vec![];
    for v in variables(model) {
        let ty = model.variables[v.index()].ty.clone();
        if let Some((a, b)) = ty.as_relation() {
            let (a, b) = (Type::pow(a.clone()), Type::pow(b.clone()));
            sets.push(expr(ExprKind::Unary(UnaryOp::Dom, Box::new(variable(model, v))), a));
            sets.push(expr(ExprKind::Unary(UnaryOp::Ran, Box::new(variable(model, v))), b));
        }
        match ty {
            Type::Pow(_) => sets.push(variable(model, v)),
            Type::Carrier(_) => elements.push((variable(model, v), ty)),
            _ => {}
        }
    }
    if sets.len() > 12 {
        sets.truncate(12);
    }
    for (i, s) in sets.iter().enumerate() {
        let empty = expr(ExprKind::EmptySet, s.ty.clone());
        found.push(compare(CompareOp::Equal, s.clone(), empty.clone()));
        for t in sets[i + 1..].iter().filter(|t| t.ty == s.ty) {
            let common = expr(
                ExprKind::Binary(BinaryOp::Intersection, Box::new(s.clone()), Box::new(t.clone())),
                s.ty.clone(),
            );
            found.push(compare(CompareOp::Equal, common, empty.clone()));
            found.push(compare(CompareOp::Subset, s.clone(), t.clone()));
            found.push(compare(CompareOp::Subset, t.clone(), s.clone()));
        }
        for (x, ty) in &elements {
            if s.ty.element() == Some(ty) {
                found.push(compare(CompareOp::Member, x.clone(), s.clone()));
                let single = expr(ExprKind::SetExtension(vec![x.clone()]), s.ty.clone());
                found.push(compare(CompareOp::Subset, s.clone(), single));
            }
        }
    }
}

/// `v <= n`, `v >= n` for an integer variable and a value met.
pub fn bounds(model: &Model, v: VarId, n: &Int) -> Vec<Pred> {
    vec![
        compare(CompareOp::LessEqual, variable(model, v), integer(n.clone())),
        compare(CompareOp::GreaterEqual, variable(model, v), integer(n.clone())),
    ]
}

/// Weakest preconditions of an atom through the assignments of an event, with its interval-bounded
/// parameters at their bounds. Heuristic: conditions of branches are not kept, predicates need not be true.
pub fn through(event: &Event, atom: &Pred) -> Vec<Pred> {
    let mut assigned = Assignments(vec![]);
    assigned.subst(&event.body);
    let reads = Names::of_pred(atom).variables;
    assigned.0.retain(|(v, _)| reads.contains(v));
    if assigned.0.is_empty() {
        return vec![];
    }
    // A variable assigned in several branches gives one candidate per assignment.
    let mut candidates = vec![];
    let mut by_variable: std::collections::BTreeMap<VarId, Vec<Expr>> = Default::default();
    for (v, e) in assigned.0 {
        by_variable.entry(v).or_default().push(e);
    }
    let widest = by_variable.values().map(Vec::len).max().unwrap_or(0).min(4);
    for i in 0..widest {
        let mut replacement = Replacement::default();
        for (v, all) in &by_variable {
            replacement.variables.insert(*v, all[i.min(all.len() - 1)].clone());
        }
        candidates.push(replacement.in_pred(atom));
    }
    let mut conditions = Conditions(vec![]);
    conditions.subst(&event.body);
    let mut found = vec![];
    for candidate in candidates {
        let locals = Names::of_pred(&candidate).locals;
        if locals.is_empty() {
            found.push(candidate);
        } else {
            for upper in [false, true] {
                let mut replacement = Replacement::default();
                for &l in &locals {
                    if let Some(bound) = bound_of(&conditions.0, l, upper) {
                        replacement.locals.insert(l, bound);
                    }
                }
                let closed = replacement.in_pred(&candidate);
                if Names::of_pred(&closed).locals.is_empty() {
                    found.push(closed);
                }
            }
        }
    }
    found.retain(|p| !Names::of_pred(p).variables.is_empty() && size(p) < 200);
    found
}

/// A bound of a local from `l : low..high` among the conditions, or a value from `l = e`.
fn bound_of(conditions: &[Pred], l: LocalId, upper: bool) -> Option<Expr> {
    let mut flat = vec![];
    for c in conditions {
        match &c.kind {
            PredKind::And(all) => flat.extend(all.iter()),
            _ => flat.push(c),
        }
    }
    flat.into_iter().find_map(|p| match &p.kind {
        PredKind::Compare(CompareOp::Member, x, set) if x.kind == ExprKind::Local(l) => match &set.kind {
            ExprKind::Binary(BinaryOp::Interval, low, high) => {
                let bound = if upper { high } else { low };
                Names::of_expr(bound).locals.is_empty().then(|| (**bound).clone())
            }
            _ => None,
        },
        PredKind::Compare(CompareOp::Equal, x, e) if x.kind == ExprKind::Local(l) => {
            Names::of_expr(e).locals.is_empty().then(|| (**e).clone())
        }
        _ => None,
    })
}

/// Number of expressions and predicates in a predicate.
pub(super) fn size(p: &Pred) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        fn expr(&mut self, e: &Expr) {
            self.0 += 1;
            bsym_language::walk::walk_expr(self, e);
        }
        fn pred(&mut self, p: &Pred) {
            self.0 += 1;
            walk_pred(self, p);
        }
    }
    let mut count = Count(0);
    count.pred(p);
    count.0
}

/// A clause in B: a disjunction of predicates and negated predicates, comparisons negated in place.
pub fn clause(literals: &[(Pred, bool)]) -> Pred {
    let mut all: Vec<Pred> =
        literals.iter().map(|(p, positive)| if *positive { p.clone() } else { negate(p) }).collect();
    match all.len() {
        0 => pred(PredKind::False),
        1 => all.remove(0),
        _ => pred(PredKind::Or(all)),
    }
}

fn negate(p: &Pred) -> Pred {
    match &p.kind {
        PredKind::Not(inner) => (**inner).clone(),
        PredKind::Compare(op, a, b) => pred(PredKind::Compare(op.negated(), a.clone(), b.clone())),
        _ => pred(PredKind::Not(Box::new(p.clone()))),
    }
}
