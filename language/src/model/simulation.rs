//! A refinement with its abstractions following it, as one machine. If its invariant and its assertions hold, the
//! refinement is correct.
//!
//! Each step is one of the refinement, within the preconditions of the abstractions, and then one of each level. The
//! values that a level takes are determined by a gluing equation `x = E` over more concrete variables, or by the
//! assignments of the level. An assertion checks that the level can take them ([`RefinementKind::Operation`]), and the
//! gluing invariants are invariants here. So a proof about this machine is one of forward simulation (B-Book, 11.2),
//! for every size of its sets. If a level cannot take its values, there are no others that it could take, since both
//! kinds of equations must hold. That is a fault of the refinement unless the level may abort or violates its own
//! invariant there.

use std::collections::BTreeMap;

use crate::model::before_after::{After, before_after, conjuncts, without_determined};
use crate::model::paths::NoPaths;
use crate::model::types::Type;
use crate::model::visit::{Names, Replacement};
use crate::model::*;
use crate::print;
use crate::text::source::Span;

/// Reason why there is no such machine: the values after an operation of a level are not determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undetermined {
    /// The machine or refinement.
    pub component: ComponentId,
    /// The operation; `None` is the initialisation.
    pub operation: Option<String>,
    /// What is missing.
    pub cause: Cause,
}

/// Reason why the values after an operation are not determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The operation has no before-after predicate.
    NoPredicate(NoPaths),
    /// No equation gives this variable a value.
    NoEquation(String),
}

/// Returns the machine in which the levels follow.
///
/// # Errors
/// The effect of a level is not determined.
pub fn simulation(model: &Model, refined: &Refined) -> Result<Model, Undetermined> {
    let parts = refined.side_by_side(model);
    let mut joint = parts.model.clone();
    let gluing = std::mem::take(&mut joint.invariant);
    let mut builder = Builder { equations: equations(&parts, &gluing), parts: &parts, joint, checks: vec![] };
    let span = model.initialisation.span;
    let mut sequence = vec![model.initialisation.clone()];
    for (at, level) in refined.levels.iter().enumerate() {
        sequence.extend(builder.follow(at, None, &level.initialisation, span)?);
    }
    let initialisation = SubstKind::Sequence(sequence).at(span);
    let mut events = vec![];
    for (event, followed) in model.events.iter().zip(&parts.operations) {
        events.push(match followed {
            None => event.clone(),
            Some(followed) => builder.event(event, followed)?,
        });
    }
    let own = model.invariant.iter().cloned();
    let levels = refined.levels.iter().flat_map(|level| level.invariant.iter().cloned());
    let invariant = own.chain(levels).chain(gluing).collect();
    let Builder { mut joint, checks, .. } = builder;
    (joint.initialisation, joint.events, joint.invariant) = (initialisation, events, invariant);
    (joint.assertions, joint.refinement.checks) = (vec![], checks);
    Ok(joint)
}

/// Position of the first gluing conjunct in the invariant of the machine in which the levels follow.
pub fn first_gluing(model: &Model, refined: &Refined) -> usize {
    model.invariant.len() + refined.levels.iter().map(|level| level.invariant.len()).sum::<usize>()
}

/// Returns the gluing equations of abstract variables, by level: in terms of more concrete variables.
fn equations(parts: &SideBySide, gluing: &[Conjunct]) -> BTreeMap<VarId, Expr> {
    let mut found = BTreeMap::new();
    for level in &parts.levels {
        for conjunct in &gluing[level.gluing.clone()] {
            let PredKind::Compare(CompareOp::Equal, l, r) = &conjunct.pred.kind else { continue };
            for (name, value) in [(l, r), (r, l)] {
                let ExprKind::Var(v) = name.kind else { continue };
                let is_concrete = |v: &VarId| v.index() < level.variables.start;
                if level.variables.contains(&v.index())
                    && Names::of_expr(value).variables.iter().all(is_concrete)
                {
                    found.entry(v).or_insert_with(|| (**value).clone());
                }
            }
        }
    }
    found
}

struct Builder<'p> {
    parts: &'p SideBySide,
    equations: BTreeMap<VarId, Expr>,
    joint: Model,
    checks: Vec<RefinementCheck>,
}

impl Builder<'_> {
    fn event(&mut self, event: &Event, followed: &FollowedPart) -> Result<Event, Undetermined> {
        let span = event.span;
        let mut body = vec![event.body.clone()];
        for at in 0..self.parts.levels.len() {
            let Some(by) = followed.by[at] else { continue };
            let level = self.parts.model.events[by.index()].clone();
            body.extend(self.follow(at, Some((&level, event)), &level.body, span)?);
        }
        let mut body = SubstKind::Sequence(body).at(span);
        let nearest = self.parts.levels[0].component;
        if let Some(narrowed) = followed.narrowed {
            // Enabled where the abstractions allow it and the refinement does not.
            let (parameters, guard) = self.guard(narrowed);
            let guard = self.names(&parameters, &event.parameters).in_pred(&guard);
            let own = conjuncts(&guard).last().and_then(|p| match &p.kind {
                PredKind::Not(own) => Some((**own).clone()),
                _ => None,
            });
            if let Some(own) = own {
                body = self.asserted(RefinementKind::Precondition, &event.name, nearest, own, body, span);
            }
        }
        if let Some(precondition) = followed.precondition {
            let (parameters, guard) = self.guard(precondition);
            let guard = self.names(&parameters, &event.parameters).in_pred(&guard);
            let branches = vec![(guard, body)];
            let choice = self.choice();
            body = SubstKind::Select { choice, branches, otherwise: None, from_pre: true }.at(span);
        }
        Ok(Event { body, ..event.clone() })
    }

    /// Parameters and guard of an event that does nothing.
    fn guard(&self, event: EventId) -> (Vec<LocalId>, Pred) {
        let event = &self.parts.model.events[event.index()];
        match &event.body.kind {
            SubstKind::Select { branches, .. } => (event.parameters.clone(), branches[0].0.clone()),
            _ => (event.parameters.clone(), PredKind::True.at(event.span)),
        }
    }

    fn names(&self, from: &[LocalId], to: &[LocalId]) -> Replacement {
        let mut names = Replacement::default();
        for (old, new) in from.iter().zip(to) {
            let Variable { ty, span, .. } = self.joint.locals[new.index()].clone();
            names.locals.insert(*old, ExprKind::Local(*new).typed(ty, span));
        }
        names
    }

    fn choice(&mut self) -> ChoiceId {
        self.joint.choices += 1;
        ChoiceId(self.joint.choices - 1)
    }

    /// The step of a level: that it can take its values, and the values. `operation` is the one of the level, and the
    /// one of the refinement that it follows; `None` is the initialisation.
    fn follow(
        &mut self,
        at: usize,
        operation: Option<(&Event, &Event)>,
        body: &Subst,
        span: Span,
    ) -> Result<Option<Subst>, Undetermined> {
        let level = &self.parts.levels[at];
        let component = level.component;
        let name = operation.map(|(theirs, _)| theirs.name.clone());
        let undetermined = |cause: Cause| Undetermined { component, operation: name.clone(), cause };
        let written = Names::of_subst(body).written;
        let mut after = After::new();
        let mut unknown: BTreeMap<LocalId, VarId> = BTreeMap::new();
        for v in level.variables.clone().map(|i| VarId(i as u32)) {
            // A variable that the initialisation does not write has no value before.
            if written.contains(&v) || operation.is_none() {
                let Variable { name, ty, .. } = self.joint.variables[v.index()].clone();
                let local = self.local(&name, &ty, span);
                unknown.insert(local, v);
                after.insert(Target::Var(v), ExprKind::Local(local).typed(ty, span));
            }
        }
        let mut parameters = Replacement::default();
        if let Some((theirs, own)) = operation {
            parameters = self.names(&theirs.parameters, &own.parameters);
            let results = self.names(&theirs.results, &own.results).locals;
            after.extend(results.into_iter().map(|(result, value)| (Target::Local(result), value)));
        }
        let p = before_after(&mut self.joint, body, &after, operation.is_none());
        let p = p.map_err(|why| undetermined(Cause::NoPredicate(why)))?;
        let p = without_determined(&parameters.in_pred(&p));
        let mut values = Replacement::default();
        for (local, v) in &unknown {
            let value = self.equations.get(v).cloned().or_else(|| assigned(*local, &unknown, &p));
            let value = value.ok_or_else(|| {
                undetermined(Cause::NoEquation(self.joint.variables[v.index()].name.clone()))
            })?;
            values.locals.insert(*local, value);
        }
        let claim = without_determined(&values.in_pred(&p));
        let targets = unknown.iter().map(|(local, v)| (Target::Var(*v), values.locals[local].clone()));
        let targets: Vec<(Target, Expr)> = targets.collect();
        let assign = match targets.is_empty() {
            true => SubstKind::Skip.at(span),
            false => SubstKind::Assign(targets).at(span),
        };
        if conjuncts(&claim).is_empty() {
            let is_nothing = matches!(assign.kind, SubstKind::Skip);
            return Ok((!is_nothing).then_some(assign));
        }
        let name = name.unwrap_or_else(|| "INITIALISATION".to_string());
        Ok(Some(self.asserted(RefinementKind::Operation, &name, component, claim, assign, span)))
    }

    fn asserted(
        &mut self,
        kind: RefinementKind,
        event: &str,
        origin: ComponentId,
        claim: Pred,
        body: Subst,
        span: Span,
    ) -> Subst {
        let id = RefinementId(self.checks.len() as u32);
        let text = print::pred(&self.joint, &claim);
        let event = event.to_string();
        self.checks.push(RefinementCheck { kind, event, label: None, text, origin, span });
        SubstKind::Assert(Claim::Refinement(id), claim, Box::new(body)).at(span)
    }

    fn local(&mut self, name: &str, ty: &Type, span: Span) -> LocalId {
        self.joint.locals.push(Variable { name: format!("{name}'"), ty: ty.clone(), span });
        LocalId(self.joint.locals.len() as u32 - 1)
    }
}

/// Returns the value that an equation gives to a name, in terms of known names.
fn assigned(local: LocalId, unknown: &BTreeMap<LocalId, VarId>, p: &Pred) -> Option<Expr> {
    conjuncts(p).into_iter().find_map(|p| {
        let PredKind::Compare(CompareOp::Equal, l, r) = &p.kind else { return None };
        [(l, r), (r, l)].into_iter().find_map(|(name, value)| {
            let names = Names::of_expr(value);
            let is_known = names.locals.iter().all(|l| !unknown.contains_key(l));
            (name.kind == ExprKind::Local(local) && is_known).then(|| (**value).clone())
        })
    })
}
