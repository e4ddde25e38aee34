//! Execution of an abstract event together with a concrete event that refines it.
//!
//! A variable that has disappeared moves by the abstract action, where the parameters of the abstract event have the
//! values of the witness. A variable that both levels have moves by the concrete action alone, and the abstract action
//! must allow it. So one concrete step becomes
//!
//! ```text
//! ANY concrete parameters WHERE concrete guards THEN
//!   LET abstract parameters BE witness IN
//!     ASSERT abstract guards, abstract actions on common variables THEN
//!       concrete actions || abstract actions on variables that have disappeared
//! ```
//!
//! and so on for the next abstraction. Formulas that are equal on both levels, as in an event that extends another, are
//! not checked again.

use super::actions::{Move, MoveKind, Parameters, conjunction, parallel};
use super::*;
use crate::ast::visit::FreeNames;
use crate::eventb::project::{Event as Source, Formula};
use crate::model::visit::Names;

/// New values of the variables, as far as the levels below are concerned.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// Over the state before and locals; a variable that is missing keeps its value.
    pub after: BTreeMap<VarId, Expr>,
    /// Substitutions of variables that no abstraction asks for.
    pub beside: Vec<Subst>,
    /// The concrete event.
    span: Span,
}

impl Steps {
    pub fn new(span: Span) -> Steps {
        Steps { after: BTreeMap::new(), beside: vec![], span }
    }

    fn finish(self) -> Subst {
        let list = self.after.into_iter().map(|(v, e)| (Target::Var(v), e)).collect::<Vec<_>>();
        let mut parts = self.beside;
        if !list.is_empty() {
            parts.insert(0, SubstKind::Assign(list).at(self.span));
        }
        parallel(parts, self.span)
    }
}

/// A predicate that a step must satisfy, with the check that it belongs to.
#[derive(Clone)]
pub(super) struct Demand {
    pub pred: Pred,
    pub check: RefinementCheck,
    /// `true` if Rodin has no such obligation: the concrete event has the same formula, or the formula states that a
    /// value has its type.
    pub is_repeated: bool,
}

/// A witness in terms of the state before and of locals.
pub(super) struct Whole<'p> {
    pub id: &'p Ident,
    pub formula: &'p Formula,
    pub pred: Pred,
}

/// An abstract event that a concrete one refines.
pub(super) struct Abstract<'p> {
    event: &'p Source,
    parameters: Parameters,
    /// Values that a witness gives.
    pub given: Vec<(LocalId, Expr)>,
    /// The values that the abstract event still has to choose.
    pub chosen: Vec<LocalId>,
    pub choice: Vec<Demand>,
    guards: Vec<Demand>,
    demands: Vec<Demand>,
    steps: Steps,
}

impl<'p> Composer<'p> {
    /// Returns the substitution of a concrete event at `level` from here on.
    pub(super) fn follow(
        &mut self,
        level: usize,
        e: &'p Source,
        parameters: &Parameters,
        steps: Steps,
        refines: &mut Vec<String>,
    ) -> Subst {
        if level == 0 {
            return steps.finish();
        }
        let abstracts = self.abstractions(level, e);
        if abstracts.is_empty() {
            let demands = self.unchanged(level, e, &steps, &BTreeSet::new(), "skip");
            let span = steps.span;
            return self.demand(demands, steps.finish(), span);
        }
        refines.extend(abstracts.iter().map(|a| a.name.name.clone()));
        let mut prepared = vec![];
        let merged = abstracts.len() > 1;
        for a in abstracts {
            prepared.push(self.prepare(level, e, parameters, steps.clone(), a, merged));
        }
        let mut last = None;
        let mut branches = vec![];
        let count = prepared.len();
        for (i, a) in prepared.into_iter().enumerate() {
            let condition = (i + 1 < count).then(|| self.condition(&a));
            let mut further = vec![];
            let inner = self.follow(level - 1, a.event, &a.parameters, a.steps.clone(), &mut further);
            if count == 1 {
                refines.append(&mut further);
            }
            let span = steps.span;
            let body = self.enclose(a, inner, span);
            match condition {
                Some(p) => branches.push((p, body)),
                None => last = Some(body),
            }
        }
        let last = last.unwrap_or(SubstKind::Skip.at(steps.span));
        if branches.is_empty() {
            return last;
        }
        SubstKind::If(branches, Box::new(last)).at(steps.span)
    }

    fn abstractions(&self, level: usize, e: &'p Source) -> Vec<&'p Source> {
        let machine = self.chain[level - 1];
        if e.name.name == INITIALISATION {
            return machine.event(INITIALISATION).into_iter().collect();
        }
        // One that is missing is reported by the rules.
        e.refines.iter().filter_map(|id| machine.event(&id.name)).collect()
    }

    // Common variables that the concrete event changes and the abstract one does not.
    fn unchanged(
        &mut self,
        level: usize,
        e: &Source,
        steps: &Steps,
        moved: &BTreeSet<VarId>,
        event: &str,
    ) -> Vec<Demand> {
        if e.name.name == INITIALISATION {
            return vec![];
        }
        let mut demands = vec![];
        for &v in &self.variables[level - 1] {
            let Some(after) = steps.after.get(&v) else { continue };
            if moved.contains(&v) || !self.variables[level].contains(&v) {
                continue;
            }
            let variable = &self.c.model.variables[v.index()];
            let before = ExprKind::Var(v).typed(variable.ty.clone(), after.span);
            let check = RefinementCheck {
                kind: RefinementKind::Unchanged,
                event: event.to_string(),
                label: Some(variable.name.clone()),
                text: String::new(),
                origin: self.origin(level - 1),
                span: after.span,
            };
            demands.push(Demand { pred: equal(after.clone(), before), check, is_repeated: false });
        }
        demands
    }

    fn prepare(
        &mut self,
        level: usize,
        e: &'p Source,
        parameters: &Parameters,
        steps: Steps,
        abstraction: &'p Source,
        merged: bool,
    ) -> Abstract<'p> {
        let mut chosen = vec![];
        let mut own = Parameters::new();
        for id in &abstraction.parameters {
            let witnessed = e.witnesses.iter().any(|(w, _)| w.name == id.name);
            let local = match parameters.get(&id.name) {
                Some(&l) if !witnessed => l,
                _ => {
                    let ty = self.c.fresh();
                    let l = self.c.new_local(&id.name, id.span, ty);
                    chosen.push(l);
                    l
                }
            };
            own.insert(id.name.clone(), local);
        }
        let check = |kind, label: &Option<String>, text: String, span| RefinementCheck {
            kind,
            event: abstraction.name.name.clone(),
            label: label.clone(),
            text,
            origin: ComponentId(0),
            span,
        };
        let opened = self.open(&own);
        let mut guards = vec![];
        for g in abstraction.guards.iter() {
            let pred = self.c.pred(&g.tree);
            if !g.theorem {
                let text = g.text.clone().unwrap_or_default();
                let check = check(RefinementKind::Guard, &g.label, text, g.tree.span);
                let is_repeated = merged || owed::says_a_type(&pred) || owed::has_guard(e, g);
                guards.push(Demand { pred, check, is_repeated });
            }
        }
        let moves = self.moves(level - 1, abstraction);
        self.close(opened);

        let mut a = Abstract {
            event: abstraction,
            parameters: own,
            given: vec![],
            chosen,
            choice: vec![],
            guards,
            demands: vec![],
            steps: steps.clone(),
        };
        let (mut moved, mut demanded) = (BTreeSet::new(), 0);
        let mut constraints = vec![];
        for m in moves {
            moved.extend(m.targets());
            let (label, text, span) = (m.label.clone(), m.text.clone(), m.span);
            let simulation = |text: String| check(RefinementKind::Simulation, &label, text, span);
            let common = m.targets().iter().any(|v| self.variables[level].contains(v));
            let is_demanded = common || !matches!(m.kind, MoveKind::Assign(_));
            let is_repeated = owed::has_action(e, abstraction, span, demanded);
            demanded += usize::from(is_demanded);
            match m.kind {
                MoveKind::Assign(list) => {
                    for (v, value) in list {
                        if self.variables[level].contains(&v) {
                            let after = self.after(&steps, v, span);
                            let name = &self.c.model.variables[v.index()].name;
                            let check = simulation(text.clone().unwrap_or(format!("{name} := ")));
                            a.demands.push(Demand { pred: equal(after, value), check, is_repeated });
                        } else {
                            a.steps.after.insert(v, value);
                        }
                    }
                }
                MoveKind::In(..) | MoveKind::Such(..) => {
                    let pred = self.nondeterministic(level, m, &steps, &mut a);
                    let check = simulation(text.unwrap_or_default());
                    constraints.push(Demand { pred, check, is_repeated });
                }
            }
        }
        a.demands.extend(self.unchanged(level, e, &steps, &moved, &abstraction.name.name));
        let (witnesses, chosen) = (self.witnesses(level, e, parameters, &a), a.chosen.clone());
        let mut all = vec![];
        for Whole { id, formula, pred } in &witnesses {
            for pred in parts(pred.clone()) {
                let text = formula.text.clone().unwrap_or_default();
                let check = check(RefinementKind::Witness, &Some(id.name.clone()), text, formula.tree.span);
                all.push(Demand { pred, check, is_repeated: true });
            }
        }
        all.extend(constraints);
        self.resolve(all, &mut a);
        if level + 1 == self.chain.len() {
            self.owe(e, &a, &witnesses, &chosen, merged);
        }
        let origin = self.origin(level - 1);
        for d in a.guards.iter_mut().chain(&mut a.demands).chain(&mut a.choice) {
            d.check.origin = origin;
        }
        a
    }

    fn open(&mut self, names: &Parameters) -> usize {
        let before = self.c.scope.locals.len();
        self.c.scope.locals.extend(names.iter().map(|(n, l)| (n.clone(), *l)));
        before
    }

    fn close(&mut self, opened: usize) {
        self.c.scope.locals.truncate(opened);
    }

    fn after(&self, steps: &Steps, v: VarId, span: Span) -> Expr {
        steps.after.get(&v).cloned().unwrap_or_else(|| {
            let ty = self.c.model.variables[v.index()].ty.clone();
            ExprKind::Var(v).typed(ty, span)
        })
    }

    // Returns the predicate of the values that an abstract action allows; new values of variables that have disappeared
    // are chosen.
    fn nondeterministic(&mut self, level: usize, m: Move, steps: &Steps, a: &mut Abstract) -> Pred {
        let common = |v: VarId| self.variables[level].contains(&v);
        match m.kind {
            MoveKind::In(list, set) => {
                let mut values = vec![];
                for v in list {
                    if common(v) {
                        values.push(self.after(steps, v, m.span));
                    } else {
                        let variable = &self.c.model.variables[v.index()];
                        let (name, ty) = (format!("{}'", variable.name), variable.ty.clone());
                        self.c.model.locals.push(Variable { name, ty: ty.clone(), span: m.span });
                        let l = LocalId(self.c.model.locals.len() as u32 - 1);
                        let value = ExprKind::Local(l).typed(ty, m.span);
                        a.chosen.push(l);
                        a.steps.after.insert(v, value.clone());
                        values.push(value);
                    }
                }
                let element = values.into_iter().reduce(couple);
                let kind = match element {
                    Some(e) => PredKind::Compare(CompareOp::Member, Box::new(e), Box::new(set)),
                    None => PredKind::True,
                };
                kind.at(m.span)
            }
            MoveKind::Such(pairs, p) => {
                let mut replacement = Replacement::default();
                for (v, l) in pairs {
                    if common(v) {
                        replacement.locals.insert(l, self.after(steps, v, m.span));
                    } else {
                        a.chosen.push(l);
                        let value = self.local_expr(l, m.span);
                        a.steps.after.insert(v, value);
                    }
                }
                replacement.in_pred(&p)
            }
            MoveKind::Assign(_) => PredKind::True.at(m.span),
        }
    }

    // The predicates of the witnesses, in terms of the state before and of locals.
    fn witnesses(
        &mut self,
        level: usize,
        e: &'p Source,
        parameters: &Parameters,
        a: &Abstract,
    ) -> Vec<Whole<'p>> {
        let mut all = vec![];
        for (id, formula) in &e.witnesses {
            let names = FreeNames::of_expr(&formula.tree);
            let mut replacement = Replacement::default();
            let opened = self.open(parameters);
            self.open(&a.parameters.clone());
            for name in names {
                let Some(v) = name.strip_suffix('\'').and_then(|n| self.variable(n)) else { continue };
                if !self.variables[level].contains(&v) && !self.variables[level - 1].contains(&v) {
                    continue;
                }
                let value = self.after(&a.steps, v, formula.tree.span);
                let local = self.new_value(v, formula.tree.span);
                replacement.locals.insert(local, value);
                self.c.scope.locals.push((name, local));
            }
            let pred = self.c.pred(&formula.tree);
            self.close(opened);
            all.push(Whole { id, formula, pred: replacement.in_pred(&pred) });
        }
        all
    }

    // Equations give chosen locals a value; the rest is a choice or a demand.
    fn resolve(&mut self, mut constraints: Vec<Demand>, a: &mut Abstract) {
        while let Some((at, l, value)) = constraints
            .iter()
            .enumerate()
            .find_map(|(i, d)| solved(&d.pred, &a.chosen).map(|(l, value)| (i, l, value)))
        {
            constraints.remove(at);
            a.chosen.retain(|c| *c != l);
            let ty = self.c.local_type(l);
            self.c.types.unify(&ty, &value.ty);
            a.given.push((l, value));
        }
        let speaks = |p: &Pred, chosen: &[LocalId]| {
            let free = Names::of_pred(p).locals;
            chosen.iter().any(|l| free.contains(l))
        };
        if !a.chosen.is_empty() {
            let guards = std::mem::take(&mut a.guards);
            let (choice, rest) = guards.into_iter().partition(|d| speaks(&d.pred, &a.chosen));
            a.choice = choice;
            a.guards = rest;
        }
        for d in constraints {
            if speaks(&d.pred, &a.chosen) { a.choice.push(d) } else { a.demands.push(d) }
        }
        // A name that occurs nowhere needs no value.
        let used: BTreeSet<LocalId> = (a.choice.iter().chain(&a.demands))
            .flat_map(|d| Names::of_pred(&d.pred).locals)
            .chain(a.steps.after.values().flat_map(|e| Names::of_expr(e).locals))
            .collect();
        a.chosen.retain(|l| used.contains(l));
    }

    // Returns whether this abstract event can follow, where several are merged.
    fn condition(&mut self, a: &Abstract) -> Pred {
        let span = a.event.span;
        let guards: Vec<Pred> = a.guards.iter().map(|d| d.pred.clone()).collect();
        let mut p = conjunction(guards, span);
        if !a.chosen.is_empty() {
            let choice = a.choice.iter().map(|d| d.pred.clone()).collect();
            let exists = self.exists(&a.chosen, conjunction(choice, span));
            p = conjunction(vec![exists, p], span);
        }
        if a.given.is_empty() {
            return p;
        }
        PredKind::Let(a.given.clone(), Box::new(p)).at(span)
    }

    pub(super) fn exists(&mut self, locals: &[LocalId], p: Pred) -> Pred {
        let span = p.span;
        let (fresh, p) = self.renamed(locals, p);
        PredKind::Exists(fresh, Box::new(p)).at(span)
    }

    /// Returns copies of locals, and the predicate in terms of the copies.
    pub(super) fn renamed(&mut self, locals: &[LocalId], p: Pred) -> (Vec<LocalId>, Pred) {
        let mut replacement = Replacement::default();
        let mut fresh = vec![];
        for &l in locals {
            let local = self.c.model.locals[l.index()].clone();
            let copy = self.c.new_local(&local.name, local.span, local.ty);
            replacement.locals.insert(l, self.local_expr(copy, p.span));
            fresh.push(copy);
        }
        (fresh, replacement.in_pred(&p))
    }

    fn enclose(&mut self, a: Abstract, inner: Subst, span: Span) -> Subst {
        let mut demands = a.guards;
        demands.extend(a.demands);
        let mut body = self.demand(demands, inner, span);
        if !a.chosen.is_empty() {
            let check = a.choice.first().map(|d| d.check.clone());
            let p = conjunction(a.choice.into_iter().map(|d| d.pred).collect(), span);
            let feasible = check.filter(|_| !is_feasible(&p)).map(|check| {
                let names: Vec<String> =
                    a.chosen.iter().map(|l| self.c.model.locals[l.index()].name.clone()).collect();
                let check = RefinementCheck {
                    kind: RefinementKind::Witness,
                    label: Some(names.join(", ")),
                    text: String::new(),
                    ..check
                };
                Demand { pred: self.exists(&a.chosen, p.clone()), check, is_repeated: true }
            });
            let choice = self.c.choice();
            body = SubstKind::Any(choice, a.chosen, p, Box::new(body)).at(span);
            body = self.demand(feasible.into_iter().collect(), body, span);
        }
        for given in a.given.into_iter().rev() {
            body = SubstKind::Let(vec![given], Box::new(body)).at(span);
        }
        body
    }

    fn demand(&mut self, demands: Vec<Demand>, inner: Subst, span: Span) -> Subst {
        let mut body = inner;
        for d in demands.into_iter().rev() {
            let id = RefinementId(self.c.model.refinement.checks.len() as u32);
            if d.is_repeated {
                self.repeated.insert(id);
            }
            self.c.model.refinement.checks.push(d.check);
            let kind = SubstKind::Assert(Claim::Refinement(id), d.pred, Box::new(body));
            body = kind.at(span);
        }
        body
    }
}

fn parts(p: Pred) -> Vec<Pred> {
    match p.kind {
        PredKind::And(parts) => parts,
        kind => vec![kind.at(p.span)],
    }
}

fn equal(l: Expr, r: Expr) -> Pred {
    let span = r.span;
    PredKind::Compare(CompareOp::Equal, Box::new(l), Box::new(r)).at(span)
}

// `l = E` or `E = l` for a chosen l and an E without any of them.
fn solved(p: &Pred, chosen: &[LocalId]) -> Option<(LocalId, Expr)> {
    let PredKind::Compare(CompareOp::Equal, l, r) = &p.kind else { return None };
    [(l, r), (r, l)].into_iter().find_map(|(name, value)| {
        let ExprKind::Local(l) = name.kind else { return None };
        let free = Names::of_expr(value).locals;
        (chosen.contains(&l) && chosen.iter().all(|c| !free.contains(c))).then(|| (l, (**value).clone()))
    })
}

// `x : S` for a set that has elements whatever the state is.
fn is_feasible(p: &Pred) -> bool {
    match &p.kind {
        PredKind::Compare(CompareOp::Member, l, r) => {
            matches!(l.kind, ExprKind::Local(_)) && matches!(r.kind, ExprKind::Set(_) | ExprKind::Carrier(_))
        }
        _ => false,
    }
}
